//! Decides which HTTP requests are let in: those that name this server, that come from no foreign
//! web page, and that have the token.
//!
//! A web page can make a browser send requests to this machine. Such a request says which page it
//! comes from (`Origin`), and if the page's own name was made to lead here, it says that name
//! (`Host`); both are checked before anything is read.

use std::net::{IpAddr, SocketAddr};
use std::path::Path;

use axum::http::uri::Authority;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use codecompass_app::error::AppError;

/// Names that lead to this machine and to no other.
const LOOPBACK_NAMES: [&str; 3] = ["localhost", "127.0.0.1", "::1"];

/// Shorter ones can be guessed.
const FEWEST_TOKEN_BYTES: usize = 16;

/// The secret that a client must know. Only its hash is kept, so it can neither be shown nor
/// compared in a time that tells about it.
#[derive(Clone, Copy)]
pub(crate) struct Token(blake3::Hash);

impl Token {
    /// Takes a token; blanks and line ends around it, as files and shells leave them, do not count.
    pub(crate) fn new(text: &str, from: &str) -> Result<Token, AppError> {
        let text = text.trim();
        if text.len() < FEWEST_TOKEN_BYTES || !text.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(AppError::invalid(
                format!("the token in {from} is not one of {FEWEST_TOKEN_BYTES} or more visible ASCII characters"),
                "make one at random, for example with `openssl rand -hex 32`",
            ));
        }
        Ok(Token(blake3::hash(text.as_bytes())))
    }

    pub(crate) fn from_file(file: &Path) -> Result<Token, AppError> {
        let text = std::fs::read_to_string(file).map_err(|error| {
            let message = format!("cannot read the token file {}: {error}", file.display());
            AppError::invalid(message, "give a readable file that holds the token and nothing else")
        })?;
        Token::new(&text, &file.display().to_string())
    }
}

/// The conditions under which a request is let in.
pub(super) struct Guard {
    names: Vec<(String, Option<u16>)>,
    origins: Vec<String>,
    token: Option<Token>,
}

/// The reason why a request is not let in.
pub(super) struct Refusal {
    pub status: StatusCode,
    pub error: AppError,
}

impl Refusal {
    pub(super) fn new(status: StatusCode, message: &str, remediation: &'static str) -> Refusal {
        Refusal { status, error: AppError::invalid(message, remediation) }
    }
}

impl Guard {
    /// `address` is where the server listens; `hosts` and `origins` are let in besides its own.
    pub(super) fn new(
        address: SocketAddr,
        hosts: Vec<String>,
        origins: Vec<String>,
        token: Option<Token>,
    ) -> Result<Guard, AppError> {
        // Forwarding a port changes its number in the name, too, so any port passes; what must not
        // pass is a foreign name.
        let mut names: Vec<(String, Option<u16>)> =
            LOOPBACK_NAMES.iter().map(|name| (name.to_string(), None)).collect();
        if !address.ip().is_unspecified() {
            names.push((address.ip().to_string(), None));
        }
        let own: Vec<String> = names.iter().map(|(name, _)| origin_of(name, address.port())).collect();
        for host in &hosts {
            let name = read_name(host).ok_or_else(|| {
                AppError::invalid(
                    format!("`{host}` is no name of a host"),
                    "give a name or NAME:PORT with --allowed-host",
                )
            })?;
            names.push(name);
        }
        for origin in &origins {
            let rest = origin.strip_prefix("http://").or_else(|| origin.strip_prefix("https://"));
            if rest.and_then(read_name).is_none() {
                return Err(AppError::invalid(
                    format!("`{origin}` is no origin"),
                    "give scheme, name and port with --allowed-origin: https://example.org or http://localhost:3000",
                ));
            }
        }
        let origins = own.into_iter().chain(origins).map(|origin| origin.to_ascii_lowercase()).collect();
        Ok(Guard { names, origins, token })
    }

    /// Checks where a request goes and where it comes from. Gives the origin of the web page that
    /// may read the answer, if one asks.
    pub(super) fn check_names(&self, headers: &HeaderMap) -> Result<Option<HeaderValue>, Refusal> {
        let asked = only(headers, header::HOST).and_then(|value| read_name(value.to_str().ok()?));
        let is_known = |(name, port): &(String, Option<u16>)| {
            self.names.iter().any(|(known, on)| known == name && (on.is_none() || on == port))
        };
        if !asked.as_ref().is_some_and(is_known) {
            return Err(Refusal::new(
                StatusCode::FORBIDDEN,
                "this server does not go by that name",
                "ask by the address that the server printed, or start it with --allowed-host",
            ));
        }
        if !headers.contains_key(header::ORIGIN) {
            return Ok(None);
        }
        let origin = only(headers, header::ORIGIN);
        let text = origin.and_then(|value| value.to_str().ok()).map(str::to_ascii_lowercase);
        match (origin, text) {
            (Some(origin), Some(text)) if self.origins.contains(&text) => Ok(Some(origin.clone())),
            _ => Err(Refusal::new(
                StatusCode::FORBIDDEN,
                "web pages from there may not ask",
                "start the server with --allowed-origin if they should",
            )),
        }
    }

    /// Returns whether `text` is the token. There is none where none is needed.
    pub(super) fn is_token(&self, text: &str) -> bool {
        // Hashes are compared in constant time.
        self.token.is_some_and(|Token(wanted)| blake3::hash(text.as_bytes()) == wanted)
    }

    /// Returns whether a request has the token, or needs none.
    pub(super) fn has_token(&self, headers: &HeaderMap) -> bool {
        if self.token.is_none() {
            return true;
        }
        let given = only(headers, header::AUTHORIZATION).and_then(|value| value.to_str().ok());
        let given =
            given.and_then(|value| value.split_once(' ')).filter(|(kind, _)| kind.eq_ignore_ascii_case("bearer"));
        given.is_some_and(|(_, token)| self.is_token(token.trim()))
    }
}

/// The header's value, if there is exactly one.
fn only(headers: &HeaderMap, name: header::HeaderName) -> Option<&HeaderValue> {
    let mut values = headers.get_all(name).iter();
    values.next().filter(|_| values.next().is_none())
}

/// A name or address with or without a port, in lower case and without brackets.
fn read_name(text: &str) -> Option<(String, Option<u16>)> {
    if let Ok(address) = text.parse::<IpAddr>() {
        return Some((address.to_string(), None));
    }
    let authority: Authority = text.parse().ok().filter(|_| !text.contains('@'))?;
    let has_port = text.rsplit_once(':').is_some_and(|(_, after)| !after.ends_with(']'));
    let port = authority.port_u16();
    if has_port && port.is_none() {
        return None;
    }
    let host = authority.host();
    let inside = host.strip_prefix('[').and_then(|host| host.strip_suffix(']'));
    let name = match inside {
        Some(address) => address.parse::<IpAddr>().ok()?.to_string(),
        None => host.to_ascii_lowercase(),
    };
    Some((name, port)).filter(|(name, _)| !name.is_empty())
}

fn origin_of(name: &str, port: u16) -> String {
    let name = if name.contains(':') { format!("[{name}]") } else { name.to_string() };
    match port {
        80 => format!("http://{name}"),
        port => format!("http://{name}:{port}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TOKEN: &str = "0123456789abcdef0123";

    fn guard(hosts: &[&str], origins: &[&str], token: Option<&str>) -> Result<Guard, AppError> {
        let owned = |list: &[&str]| list.iter().map(|text| text.to_string()).collect();
        let token = token.map(|token| Token::new(token, "the test").unwrap());
        Guard::new("127.0.0.1:4747".parse().unwrap(), owned(hosts), owned(origins), token)
    }

    fn headers(pairs: &[(&'static str, &str)]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for (name, value) in pairs {
            headers.append(*name, value.parse().unwrap());
        }
        headers
    }

    #[test]
    fn names() {
        let guard = guard(&["Box.example", "proxy.example:443"], &["https://App.example"], None).unwrap();
        let passes = |pairs: &[(&'static str, &str)]| guard.check_names(&headers(pairs)).is_ok();
        for host in [
            "127.0.0.1:4747",
            "localhost:4747",
            "LOCALHOST:4747",
            "[::1]:4747",
            "localhost",
            "localhost:8080",
            "box.example",
            "box.example:1",
            "proxy.example:443",
        ] {
            assert!(passes(&[("host", host)]), "{host}");
        }
        for host in [
            "evil.example",
            "evil.example:4747",
            "localhost.evil.example:4747",
            "127.0.0.1.evil.example",
            "proxy.example:80",
            "user@localhost:4747",
            "",
            "localhost:",
            "localhost:99999",
            "[::2]:4747",
            "127.0.0.2:4747",
        ] {
            assert!(!passes(&[("host", host)]), "{host}");
        }
        assert!(!passes(&[]));
        assert!(!passes(&[("host", "localhost:4747"), ("host", "localhost:4747")]));
        for origin in ["http://localhost:4747", "http://127.0.0.1:4747", "http://[::1]:4747", "https://app.example"] {
            assert!(passes(&[("host", "localhost"), ("origin", origin)]), "{origin}");
        }
        for origin in [
            "http://evil.example",
            "https://localhost:4747",
            "http://localhost",
            "http://localhost:3000",
            "null",
            "",
            "http://app.example",
            "https://app.example:444",
            "https://app.example.evil.example",
        ] {
            assert!(!passes(&[("host", "localhost"), ("origin", origin)]), "{origin}");
        }
        let twice = [("host", "localhost"), ("origin", "http://localhost:4747"), ("origin", "http://evil.example")];
        assert!(!passes(&twice));
    }

    #[test]
    fn wrong_lists_are_told() {
        for host in ["", "http://a", "a b", "a:b", "a@b"] {
            assert!(guard(&[host], &[], None).is_err(), "{host}");
        }
        for origin in ["", "*", "localhost:3000", "ftp://a", "http://", "http://a/path"] {
            assert!(guard(&[], &[origin], None).is_err(), "{origin}");
        }
    }

    #[test]
    fn tokens() {
        let open = guard(&[], &[], None).unwrap();
        assert!(open.has_token(&headers(&[])));
        let guard = guard(&[], &[], Some(&format!(" {TOKEN}\n"))).unwrap();
        let has = |value: &str| guard.has_token(&headers(&[("authorization", value)]));
        assert!(has(&format!("Bearer {TOKEN}")) && has(&format!("bearer  {TOKEN}")));
        for wrong in ["Bearer", "Bearer ", "", TOKEN, &format!("Basic {TOKEN}"), &format!("Bearer {}", &TOKEN[1..])] {
            assert!(!has(wrong), "{wrong}");
        }
        assert!(!guard.has_token(&headers(&[])));
        let given = format!("Bearer {TOKEN}");
        assert!(!guard.has_token(&headers(&[("authorization", &given), ("authorization", &given)])));
        for bad in ["", "short", "with blanks in the middle", "äöüäöüäöüäöüäöüäöü"] {
            let error = Token::new(bad, "somewhere").err().unwrap();
            assert!(bad.is_empty() || !error.message.contains(bad), "{}", error.message);
        }
    }
}
