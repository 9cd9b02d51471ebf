//! The address of a bucket, checked so that keys and data are sent only over safe connections.

use std::net::{Ipv4Addr, Ipv6Addr};

use ureq::http::Uri;

use crate::error::ObjectError;
use crate::store::is_name;

/// The address of a bucket.
#[derive(Debug)]
pub(super) struct Address {
    /// Scheme and host, without a slash at the end.
    pub(super) base: String,
    /// The host as it is sent, with the port where it is not the usual one.
    pub(super) host: String,
    /// The path of the bucket: empty, or a slash and what leads to it.
    root: String,
    /// The text that all names begin with: empty, or something with a slash at the end.
    prefix: String,
}

impl Address {
    /// Takes what follows `s3://`. `https` is for any host and `http` for this machine only.
    /// Messages leave URLs out: they may hold a password.
    pub(super) fn new(
        place: &str,
        endpoint: Option<&str>,
        region: &str,
        path_style: Option<bool>,
    ) -> Result<Address, ObjectError> {
        let refuse = |reason: &str| Err(ObjectError::Settings(reason.to_string()));
        let (bucket, prefix) = place.trim_end_matches('/').split_once('/').unwrap_or((place.trim_end_matches('/'), ""));
        let is_label = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_');
        if !(3..=63).contains(&bucket.len()) || !bucket.bytes().all(is_label) || !is_name(bucket) {
            return refuse("its bucket is none: s3://bucket/prefix");
        }
        if !prefix.is_empty() && !is_name(prefix) {
            return refuse("its prefix has characters other than letters, digits, `.`, `-`, `_` and `/`");
        }
        if region.is_empty() || !region.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-') {
            return refuse("its region is none");
        }
        let amazon = format!("https://s3.{region}.amazonaws.com");
        let (scheme, host) = match split(endpoint.unwrap_or(&amazon)) {
            Ok(parts) => parts,
            Err(reason) => return refuse(reason),
        };
        let in_path = path_style.unwrap_or(endpoint.is_some() || bucket.contains('.'));
        let (host, root) =
            if in_path { (host, format!("/{bucket}")) } else { (format!("{bucket}.{host}"), String::new()) };
        let prefix = if prefix.is_empty() { String::new() } else { format!("{prefix}/") };
        Ok(Address { base: format!("{scheme}://{host}"), host, root, prefix })
    }

    /// Returns the path of an object.
    pub(super) fn object(&self, name: &str) -> String {
        format!("{}/{}{name}", self.root, self.prefix)
    }

    /// Returns the path of the bucket.
    pub(super) fn bucket(&self) -> String {
        if self.root.is_empty() { "/".into() } else { self.root.clone() }
    }

    /// Returns the key of an object in the bucket.
    pub(super) fn key(&self, name: &str) -> String {
        format!("{}{name}", self.prefix)
    }

    /// Returns the name of an object that the bucket has under a key.
    pub(super) fn name<'a>(&self, key: &'a str) -> Option<&'a str> {
        key.strip_prefix(&self.prefix)
    }
}

/// Returns the scheme and the host of an endpoint.
fn split(endpoint: &str) -> Result<(String, String), &'static str> {
    let endpoint = endpoint.trim().trim_end_matches('/');
    if endpoint.contains(['?', '#', '@']) {
        return Err("its endpoint must not have a user, a query or a fragment");
    }
    let Ok(uri) = endpoint.parse::<Uri>() else { return Err("its endpoint is not a URL") };
    let (Some(scheme), Some(host)) = (uri.scheme_str(), uri.host()) else {
        return Err("its endpoint has no host, or does not start with https://");
    };
    if !matches!(uri.path(), "" | "/") {
        return Err("its endpoint must not have a path");
    }
    let usual = match scheme {
        "https" => 443,
        "http" if is_loopback(host) => 80,
        "http" => return Err("its endpoint must start with https:// unless the server is on this machine"),
        _ => return Err("its endpoint must start with https://"),
    };
    let host = match uri.port_u16().filter(|port| *port != usual) {
        Some(port) => format!("{host}:{port}"),
        None => host.to_string(),
    };
    Ok((scheme.to_string(), host.to_ascii_lowercase()))
}

fn is_loopback(host: &str) -> bool {
    let number = host.trim_start_matches('[').trim_end_matches(']');
    host.eq_ignore_ascii_case("localhost")
        || host.parse::<Ipv4Addr>().is_ok_and(|address| address.is_loopback())
        || number.parse::<Ipv6Addr>().is_ok_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buckets_are_in_the_host_or_in_the_path() {
        let amazon = Address::new("team/index/a", None, "eu-west-1", None).unwrap();
        assert_eq!(amazon.base, "https://team.s3.eu-west-1.amazonaws.com");
        assert_eq!((amazon.object("x/y"), amazon.bucket()), ("/index/a/x/y".into(), "/".into()));
        let own = Address::new("team", Some("http://127.0.0.1:8333/"), "us-east-1", None).unwrap();
        assert_eq!((own.base.as_str(), own.object("x")), ("http://127.0.0.1:8333", "/team/x".into()));
        assert_eq!((own.bucket(), own.key("x/"), own.name("x")), ("/team".into(), "x/".into(), Some("x")));
        let dotted = Address::new("a.b.c", None, "us-east-1", None).unwrap();
        assert_eq!(dotted.base, "https://s3.us-east-1.amazonaws.com");
        let usual = Address::new("team", Some("https://host:443"), "us-east-1", Some(false)).unwrap();
        assert_eq!(usual.host, "team.host");
    }

    #[test]
    fn data_goes_to_safe_hosts_only() {
        for endpoint in [
            "http://example.com",
            "http://192.168.0.1",
            "http://localhost.example.com",
            "http://localhost@example.com",
            "https://user:password@example.com",
            "https://example.com/path",
            "https://example.com?x=1",
            "ftp://localhost",
            "localhost:8333",
            "",
        ] {
            let refused = Address::new("team", Some(endpoint), "us-east-1", None).unwrap_err();
            assert!(!refused.to_string().contains("password"), "{endpoint}");
        }
        for place in ["", "ab", "a/b", "team/../x", "team/a b", "te?am", "team//x"] {
            assert!(Address::new(place, None, "us-east-1", None).is_err(), "{place}");
        }
        assert!(Address::new("team", None, "evil.example.com/", None).is_err());
    }
}
