//! Paths and queries of addresses: percent-encoding, and back; and what tells a git URL from a
//! directory.

use std::path::Path;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

/// Returns whether a workspace is named by a git URL: `scheme://…` or `user@host:path`. Of the
/// second form a directory that exists is meant rather than a host.
pub fn is_git_url(place: &Path) -> bool {
    let Some(text) = place.to_str() else { return false };
    let plain = |c: char| c.is_ascii_alphanumeric() || "+-.".contains(c);
    let is_scheme = |scheme: &str| scheme.starts_with(|c: char| c.is_ascii_alphabetic()) && scheme.chars().all(plain);
    let is_host = |host: &str| host.find('@').is_some_and(|at| at > 0) && !host.contains(['/', '\\']);
    // The last colon is looked at for the sake of `user:password@host:path`, which is refused
    // later.
    let is_short =
        || [text.split_once(':'), text.rsplit_once(':')].into_iter().flatten().any(|(host, _)| is_host(host));
    text.split_once("://").is_some_and(|(scheme, _)| is_scheme(scheme)) || (is_short() && !place.exists())
}

/// Returns `text` for one segment of a path or one value of a query: everything but letters, digits
/// and `-._~` is encoded.
pub fn encode(text: &str) -> String {
    const ENCODED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');
    utf8_percent_encode(text, ENCODED).to_string()
}

/// Returns what an encoded text means; nothing if that is no text.
pub fn decode(text: &str) -> Option<String> {
    decoded(text, false)
}

/// Returns the names and values of a query, in order; those that are no text are left out.
pub fn pairs(query: &str) -> Vec<(String, String)> {
    let pair = |part: &str| {
        let (name, value) = part.split_once('=').unwrap_or((part, ""));
        Some((decoded(name, true)?, decoded(value, true)?))
    };
    query.split('&').filter(|part| !part.is_empty()).filter_map(pair).collect()
}

fn decoded(text: &str, plus_is_blank: bool) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        bytes.push(match byte {
            b'%' => {
                let digit = |byte: Option<u8>| char::from(byte?).to_digit(16);
                (digit(rest.next())? * 16 + digit(rest.next())?) as u8
            }
            b'+' if plus_is_blank => b' ',
            byte => byte,
        });
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_and_back() {
        for text in ["", "plain", "a/b@c d%?#&=+", "größe\u{202e}\n\0"] {
            let encoded = encode(text);
            assert!(encoded.bytes().all(|byte| byte.is_ascii_graphic() && !b"/?#&=+@".contains(&byte)), "{encoded}");
            assert_eq!(decode(&encoded).as_deref(), Some(text));
        }
        for wrong in ["%", "%4", "%zz", "%ff", "a%"] {
            assert_eq!(decode(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn git_urls_are_told_from_directories() {
        let urls = [
            "https://host/a/b",
            "HTTPS://host",
            "file:///a",
            "git@host:a/b",
            "git@host:a:b",
            "me:pw@host:a",
            "git+ssh://host/a",
        ];
        for url in urls {
            assert!(is_git_url(Path::new(url)), "{url}");
        }
        for other in ["", ".", "/a/b", "a/git@host:b", "@group", "@a:b", "C:\\a", "host:a", "/x://y", "://x", "a b://c"]
        {
            assert!(!is_git_url(Path::new(other)), "{other}");
        }
    }

    #[test]
    fn queries() {
        let pair = |name: &str, value: &str| (name.to_string(), value.to_string());
        assert_eq!(pairs("q=a+b%2Bc&&x&y=1=2&z=%ff"), [pair("q", "a b+c"), pair("x", ""), pair("y", "1=2")]);
        assert!(pairs("").is_empty());
    }
}
