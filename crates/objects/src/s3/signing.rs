//! Version 4 of Amazon's signatures: who sends a request, and that it is not changed on its way.

use std::time::SystemTime;

use jiff::Timestamp;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use ring::{digest, hmac};

use crate::error::ObjectError;
use crate::store::Credentials;

/// Signs requests.
pub(super) struct Signer {
    keys: Credentials,
    region: String,
}

/// The parts of a request that are signed beside its headers.
pub(super) struct Parts<'a> {
    pub(super) method: &'a str,
    pub(super) host: &'a str,
    pub(super) path: &'a str,
}

impl Signer {
    pub(super) fn new(keys: Credentials, region: &str) -> Result<Signer, ObjectError> {
        let is_usable = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_graphic());
        if [&keys.id, &keys.secret].into_iter().chain(&keys.token).all(|text| is_usable(text)) {
            Ok(Signer { keys, region: region.to_string() })
        } else {
            Err(ObjectError::Key("a key in the environment is empty or has characters that no key has"))
        }
    }

    /// Returns the headers that sign a request with these other headers at this time.
    pub(super) fn headers(
        &self,
        parts: &Parts<'_>,
        query: &str,
        others: &[(&'static str, String)],
        now: SystemTime,
    ) -> Vec<(&'static str, String)> {
        let time = timestamp(now);
        let day = &time[..8];
        let mut added = vec![("x-amz-date", time.clone())];
        added.extend(self.keys.token.clone().map(|token| ("x-amz-security-token", token)));
        let mut signed: Vec<(&str, &str)> = vec![("host", parts.host)];
        signed.extend(others.iter().chain(&added).map(|(name, value)| (*name, value.as_str())));
        signed.sort_unstable();
        let names = signed.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(";");
        let lines: String = signed.iter().map(|(name, value)| format!("{name}:{}\n", value.trim())).collect();
        let hash =
            others.iter().find(|(name, _)| *name == "x-amz-content-sha256").map_or("", |(_, hash)| hash.as_str());
        let request = format!("{}\n{}\n{query}\n{lines}\n{names}\n{hash}", parts.method, parts.path);
        let scope = format!("{day}/{}/s3/aws4_request", self.region);
        let text = format!("AWS4-HMAC-SHA256\n{time}\n{scope}\n{}", sha256_hex(request.as_bytes()));
        let mut key = mac(format!("AWS4{}", self.keys.secret).as_bytes(), day.as_bytes());
        for part in [self.region.as_str(), "s3", "aws4_request"] {
            key = mac(&key, part.as_bytes());
        }
        let signature = hex(&mac(&key, text.as_bytes()));
        let id = &self.keys.id;
        let value = format!("AWS4-HMAC-SHA256 Credential={id}/{scope}, SignedHeaders={names}, Signature={signature}");
        added.push(("authorization", value));
        added
    }
}

/// Returns the query of a URL; names must be in order.
pub(super) fn query(pairs: &[(&'static str, String)]) -> String {
    pairs.iter().map(|(name, value)| format!("{}={}", encode(name), encode(value))).collect::<Vec<_>>().join("&")
}

/// Encodes a text for the query of a URL.
pub(super) fn encode(text: &str) -> String {
    const ENCODED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');
    utf8_percent_encode(text, ENCODED).to_string()
}

/// Returns the checksum of some bytes in hexadecimal.
pub(super) fn sha256_hex(bytes: &[u8]) -> String {
    hex(digest::digest(&digest::SHA256, bytes).as_ref())
}

fn mac(key: &[u8], text: &[u8]) -> Vec<u8> {
    hmac::sign(&hmac::Key::new(hmac::HMAC_SHA256, key), text).as_ref().to_vec()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Returns a time as `20150830T123600Z`.
fn timestamp(time: SystemTime) -> String {
    Timestamp::try_from(time).unwrap_or_default().strftime("%Y%m%dT%H%M%SZ").to_string()
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, UNIX_EPOCH};

    use super::*;

    fn at(seconds: u64) -> SystemTime {
        UNIX_EPOCH + Duration::from_secs(seconds)
    }

    #[test]
    fn times_are_those_of_the_calendar() {
        for (seconds, expected) in [
            (0, "19700101T000000Z"),
            (951_782_400, "20000229T000000Z"),
            (1_369_353_600, "20130524T000000Z"),
            (1_440_938_160, "20150830T123600Z"),
            (4_107_542_399, "21000228T235959Z"),
        ] {
            assert_eq!(timestamp(at(seconds)), expected);
        }
    }

    /// The examples in Amazon's description of the signature for S3.
    #[test]
    fn signatures_are_those_of_the_documentation() {
        let keys = Credentials {
            id: "AKIAIOSFODNN7EXAMPLE".into(),
            secret: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY".into(),
            token: None,
        };
        let signer = Signer::new(keys, "us-east-1").unwrap();
        let hash = ("x-amz-content-sha256", sha256_hex(b""));
        let signature = |path: &str, query: &str, others: &[(&'static str, String)]| {
            let parts = Parts { method: "GET", host: "examplebucket.s3.amazonaws.com", path };
            let headers = signer.headers(&parts, query, others, at(1_369_353_600));
            headers.last().unwrap().1.rsplit_once("Signature=").unwrap().1.to_string()
        };
        assert_eq!(
            signature("/test.txt", "", &[("range", "bytes=0-9".into()), hash.clone()]),
            "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41"
        );
        let list = query(&[("max-keys", "2".into()), ("prefix", "J".into())]);
        assert_eq!(signature("/", &list, &[hash]), "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7");
    }

    #[test]
    fn keys_are_not_printed() {
        let keys = Credentials { id: "id".into(), secret: "hidden".into(), token: Some("hidden".into()) };
        assert!(!format!("{keys:?}").contains("hidden"));
        let broken = Signer::new(Credentials { secret: "hid\nden".into(), ..keys }, "us-east-1").err().unwrap();
        assert!(!broken.to_string().contains("den"));
    }

    #[test]
    fn queries_are_encoded() {
        assert_eq!(query(&[("a", "x/y z+=&ä".into()), ("b", "~-._".into())]), "a=x%2Fy%20z%2B%3D%26%C3%A4&b=~-._");
    }
}
