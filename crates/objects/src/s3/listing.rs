//! The answer to ListObjectsV2: the few elements of its XML that matter.

use crate::store::ListedObject;

/// One page of a listing.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Listing {
    /// By key.
    pub(super) objects: Vec<ListedObject>,
    /// The token of the next page.
    pub(super) next: Option<String>,
}

impl Listing {
    /// Reads a page; `None` if it is none.
    pub(super) fn parse(text: &str) -> Option<Listing> {
        let body = element(text, "ListBucketResult")?;
        let mut objects = Vec::new();
        let mut rest = body;
        while let Some(start) = rest.find("<Contents>") {
            let entry = &rest[start..];
            let end = entry.find("</Contents>")?;
            let fields = &entry[..end];
            let size = element(fields, "Size")?.trim().parse().ok()?;
            objects.push(ListedObject { name: unescape(element(fields, "Key")?)?, size });
            rest = &entry[end..];
        }
        let is_cut = element(body, "IsTruncated").is_some_and(|text| text.trim() == "true");
        let next = match is_cut {
            true => Some(unescape(element(body, "NextContinuationToken")?)?),
            false => None,
        };
        Some(Listing { objects, next })
    }
}

/// Returns what is between the tags of the first element of this name, which has no attributes but
/// for a namespace.
fn element<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    let mut rest = text;
    loop {
        let start = rest.find(&format!("<{name}"))?;
        rest = &rest[start + 1 + name.len()..];
        if rest.starts_with(['>', ' ', '\n', '\r', '\t']) {
            let content = rest.split_once('>')?.1;
            return content.split_once(&format!("</{name}>")).map(|(content, _)| content);
        }
    }
}

fn unescape(text: &str) -> Option<String> {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('&') {
        out.push_str(before);
        let (entity, after) = after.split_once(';')?;
        out.push(match entity {
            "amp" => '&',
            "lt" => '<',
            "gt" => '>',
            "quot" => '"',
            "apos" => '\'',
            number => {
                let number = number.strip_prefix('#')?;
                let code = match number.strip_prefix('x') {
                    Some(hex) => u32::from_str_radix(hex, 16).ok()?,
                    None => number.parse().ok()?,
                };
                char::from_u32(code)?
            }
        });
        rest = after;
    }
    out.push_str(rest);
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_are_read() {
        let text = "<?xml version=\"1.0\"?>\n<ListBucketResult xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\">\
            <Name>b</Name><Prefix>p</Prefix><KeyCount>2</KeyCount><IsTruncated>true</IsTruncated>\
            <Contents><Key>p/a&amp;b</Key><LastModified>x</LastModified><ETag>&quot;1&quot;</ETag><Size>12</Size>\
            </Contents><Contents><Size>0</Size><Key>p/&#x63;</Key></Contents>\
            <NextContinuationToken>t&lt;1</NextContinuationToken></ListBucketResult>";
        let listing = Listing::parse(text).unwrap();
        let object = |name: &str, size| ListedObject { name: name.into(), size };
        assert_eq!(listing.objects, [object("p/a&b", 12), object("p/c", 0)]);
        assert_eq!(listing.next.as_deref(), Some("t<1"));
        let empty = Listing::parse("<ListBucketResult><IsTruncated>false</IsTruncated></ListBucketResult>").unwrap();
        assert_eq!(empty, Listing { objects: Vec::new(), next: None });
    }

    #[test]
    fn other_texts_are_no_pages() {
        for text in [
            "",
            "<html></html>",
            "<ListBucketResult>",
            "<ListBucketResult><Contents><Key>a</Key></Contents></ListBucketResult>",
            "<ListBucketResult><Contents><Key>a</Key><Size>x</Size></Contents></ListBucketResult>",
            "<ListBucketResult><IsTruncated>true</IsTruncated></ListBucketResult>",
            "<ListBucketResult><Contents><Key>&bad;</Key><Size>1</Size></Contents></ListBucketResult>",
        ] {
            assert_eq!(Listing::parse(text), None, "{text}");
        }
    }
}
