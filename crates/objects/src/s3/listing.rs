//! The answer to ListObjectsV2: the few elements of its XML that matter.

use jiff::Timestamp;

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
            let modified = element(fields, "LastModified").and_then(unix_seconds);
            objects.push(ListedObject { name: unescape(element(fields, "Key")?)?, size, modified });
            rest = &entry[end..];
        }
        let is_cut = element(body, "IsTruncated").is_some_and(|text| text.trim() == "true");
        let next = if is_cut { Some(unescape(element(body, "NextContinuationToken")?)?) } else { None };
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

/// Reads a time such as `2009-10-12T17:50:30.000Z`.
fn unix_seconds(text: &str) -> Option<i64> {
    text.trim().parse::<Timestamp>().ok().map(Timestamp::as_second)
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
            <Contents><Key>p/a&amp;b</Key><LastModified>2024-02-29T23:59:58.123Z</LastModified><ETag>&quot;1&quot;</ETag><Size>12</Size>\
            </Contents><Contents><Size>0</Size><Key>p/&#x63;</Key></Contents>\
            <NextContinuationToken>t&lt;1</NextContinuationToken></ListBucketResult>";
        let listing = Listing::parse(text).unwrap();
        let object = |name: &str, size, modified| ListedObject { name: name.into(), size, modified };
        assert_eq!(listing.objects, [object("p/a&b", 12, Some(1_709_251_198)), object("p/c", 0, None)]);
        assert_eq!(listing.next.as_deref(), Some("t<1"));
        let empty = Listing::parse("<ListBucketResult><IsTruncated>false</IsTruncated></ListBucketResult>").unwrap();
        assert_eq!(empty, Listing { objects: Vec::new(), next: None });
    }

    #[test]
    fn times_are_read() {
        for (text, seconds) in [
            ("1970-01-01T00:00:00.000Z", Some(0)),
            ("2000-03-01T00:00:00Z", Some(951_868_800)),
            ("2026-11-18T00:00:01.5Z", Some(1_794_960_001)),
            ("2026-13-18T00:00:00Z", None),
            ("2026-11-18T01:00:01+01:00", Some(1_794_960_001)),
            ("2026-11-18T00:00:00", None),
            ("x", None),
        ] {
            assert_eq!(unix_seconds(text), seconds, "{text}");
        }
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
