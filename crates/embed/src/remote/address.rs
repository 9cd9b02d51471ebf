//! The address of a provider, checked so that keys and code are sent only over safe connections.

use std::net::{Ipv4Addr, Ipv6Addr};

use ureq::http::Uri;

use crate::EmbedError;

/// A base URL that has been looked at.
pub(super) struct Address {
    /// Without a slash at the end.
    url: String,
    /// The host, with the port where one is given; for messages.
    pub(super) host: String,
}

impl Address {
    /// Takes `https` anywhere and `http` on this machine only. Messages leave the URL out: it may
    /// hold a password.
    pub(super) fn new(url: &str) -> Result<Address, EmbedError> {
        let refuse = |reason: &str| Err(EmbedError::Settings(format!("its base URL {reason}")));
        let url = url.trim().trim_end_matches('/');
        if url.contains(['?', '#', '@']) {
            return refuse("must not have a user, a query or a fragment");
        }
        let Ok(uri) = url.parse::<Uri>() else {
            return refuse("is not a URL");
        };
        let (Some(scheme), Some(host), Some(authority)) = (uri.scheme_str(), uri.host(), uri.authority()) else {
            return refuse("has no host, or does not start with https://");
        };
        match scheme {
            "https" => {}
            "http" if is_loopback(host) => {}
            "http" => return refuse("must start with https:// unless the server is on this machine"),
            _ => return refuse("must start with https://"),
        }
        Ok(Address { url: url.to_string(), host: authority.as_str().to_string() })
    }

    /// The address of an endpoint, which starts with a slash.
    pub(super) fn endpoint(&self, path: &str) -> String {
        format!("{}{path}", self.url)
    }
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
    fn plain_http_stays_on_this_machine() {
        for url in [
            "https://api.openai.com/v1",
            "http://localhost:11434/v1/",
            "http://127.0.0.9",
            "http://[::1]:80/v1",
            "HTTP://LOCALHOST",
        ] {
            assert!(Address::new(url).is_ok(), "{url}");
        }
        for url in [
            "",
            "/v1",
            "localhost",
            "localhost:11434/v1",
            "ftp://localhost",
            "file:///etc/passwd",
            "http://api.openai.com/v1",
            "http://192.168.0.1",
            "http://0.0.0.0",
            "http://127.0.0.1.example.com",
            "http://localhost.example.com",
            "http://localhost@example.com",
            "https://user:password@example.com",
            "https://example.com/v1?key=1",
            "https://example.com/v1#a",
            "https://exa mple.com",
            "https://",
        ] {
            assert!(Address::new(url).is_err(), "{url}");
        }
    }

    #[test]
    fn endpoints_have_one_slash() {
        let address = Address::new(" https://example.com:8443/v1/ ").unwrap();
        assert_eq!(address.endpoint("/rerank"), "https://example.com:8443/v1/rerank");
        assert_eq!(address.host, "example.com:8443");
    }

    #[test]
    fn messages_leave_the_url_out() {
        let error = Address::new("https://user:password@example.com").err().unwrap();
        assert!(!format!("{error} {error:?}").contains("password"));
    }
}
