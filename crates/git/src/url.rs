//! URLs of repositories, and names of branches.

use std::fmt;
use std::net::Ipv4Addr;

use super::error::GitError;
use super::policy::GitPolicy;

/// The longest URL that is accepted, in bytes.
const LONGEST: usize = 2000;
/// The longest name of a branch that is accepted, in bytes.
const LONGEST_BRANCH: usize = 244;

/// A URL of a repository that a policy accepts, with a branch where the text names one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GitUrl {
    scheme: String,
    user: Option<String>,
    host: Option<String>,
    port: Option<u16>,
    /// Begins with a slash, except in the short form of ssh.
    path: String,
    /// Tells `user@host:path` from other forms.
    short: bool,
    branch: Option<String>,
}

impl GitUrl {
    /// Reads `https://host/path`, `ssh://user@host/path`, `user@host:path` and, if the policy names
    /// them, `http://host/path` and `file:///path`; each may end with `#branch`.
    pub fn parse(text: &str, policy: &GitPolicy) -> Result<GitUrl, GitError> {
        check_text(text)?;
        let (address, branch) = match text.split_once('#') {
            Some((address, branch)) => (address, Some(branch)),
            None => (text, None),
        };
        if branch.is_some_and(|branch| !is_branch(branch)) {
            return Err(GitError::Branch);
        }
        let mut url = match address.split_once("://") {
            Some((scheme, rest)) => long_form(&scheme.to_ascii_lowercase(), rest)?,
            None => short_form(address)?,
        };
        url.branch = branch.map(str::to_string);
        url.check(policy)?;
        Ok(url)
    }

    /// Says why a policy, which may be another than that of [`GitUrl::parse`], refuses the URL.
    pub(super) fn check(&self, policy: &GitPolicy) -> Result<(), GitError> {
        if !policy.allows_scheme(&self.scheme) {
            return refused(&format!("the scheme {} is not allowed", self.scheme));
        }
        match &self.host {
            Some(host) if !policy.allows_host(host) => refused(&format!("the host {host} is not allowed")),
            _ => Ok(()),
        }
    }

    /// The scheme: `https`, `ssh`, `http` or `file`.
    pub fn scheme(&self) -> &str {
        &self.scheme
    }

    /// The host, in small letters; none for a folder.
    pub fn host(&self) -> Option<&str> {
        self.host.as_deref()
    }

    /// The branch that the text names.
    pub fn branch(&self) -> Option<&str> {
        self.branch.as_deref()
    }

    /// Returns the port, which is the scheme's own where the text names none.
    pub(super) fn port(&self) -> u16 {
        self.port.unwrap_or_else(|| own_port(&self.scheme))
    }

    /// Returns the folder of a `file` URL.
    pub(super) fn folder(&self) -> Option<String> {
        (self.scheme == "file").then(|| decoded(&self.path).ok()).flatten()
    }

    /// Returns a short name for the repository: the last part of the path, without `.git`.
    pub fn name(&self) -> String {
        let last = self.parts().next().unwrap_or_default();
        plain_name(last.strip_suffix(".git").unwrap_or(&last)).unwrap_or_else(|| "repository".into())
    }

    /// Returns a short name for the owner of the repository: the part of the path before the last,
    /// else the host.
    pub fn owner(&self) -> Option<String> {
        let part = self.parts().nth(1).or_else(|| self.host.clone());
        part.and_then(|part| plain_name(&part))
    }

    /// Returns the parts of the path that are names, the last first.
    fn parts(&self) -> impl Iterator<Item = String> {
        let named = self.path.rsplit('/').filter(|part| !matches!(*part, "" | ".git"));
        named.map(|part| decoded(part).unwrap_or_default())
    }

    /// Returns the text for git: with the user of ssh, without the branch. [`GitUrl::parse`] takes
    /// it, too.
    pub fn address(&self) -> String {
        match &self.user {
            Some(user) if self.short => format!("{user}@{}", self.without_user()),
            Some(user) => self.without_user().replacen("://", &format!("://{user}@"), 1),
            None => self.without_user(),
        }
    }

    fn without_user(&self) -> String {
        let host = self.host.as_deref().unwrap_or_default();
        match self.port {
            _ if self.short => format!("{host}:{}", self.path),
            Some(port) => format!("{}://{host}:{port}{}", self.scheme, self.path),
            None => format!("{}://{host}{}", self.scheme, self.path),
        }
    }
}

impl fmt::Display for GitUrl {
    /// Writes the URL without a user.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.without_user())?;
        match &self.branch {
            Some(branch) => write!(f, "#{branch}"),
            None => Ok(()),
        }
    }
}

/// Returns whether a branch may have this name, by the rules of `git check-ref-format`.
pub(super) fn is_branch(name: &str) -> bool {
    let bad_part = |part: &str| part.is_empty() || part.starts_with('.') || part.ends_with(".lock");
    let bad = |c: char| c.is_control() || c.is_whitespace() || "~^:?*[\\".contains(c);
    let forbidden = name.len() > LONGEST_BRANCH
        || name.split('/').any(bad_part)
        || name.contains(bad)
        || name.contains("..")
        || name.contains("@{")
        || name.starts_with('-')
        || name.ends_with('.')
        || matches!(name, "@" | "HEAD");
    !forbidden
}

/// Returns whether a text is the full id of a commit.
pub(super) fn is_commit(id: &str) -> bool {
    id.len() == 40 && id.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

/// Replaces what names of folders should not have; none if nothing is left.
fn plain_name(name: &str) -> Option<String> {
    let plain = |c: char| if c.is_alphanumeric() || "-._".contains(c) { c } else { '-' };
    let name: String = name.chars().map(plain).collect();
    (!name.trim_matches(['-', '.', '_']).is_empty()).then_some(name)
}

fn refused<T>(reason: &str) -> Result<T, GitError> {
    Err(GitError::Url(reason.to_string()))
}

/// Refuses what no form of a URL has.
fn check_text(text: &str) -> Result<(), GitError> {
    let bad = |c: char| c.is_control() || c.is_whitespace() || c == '\\' || (!c.is_ascii() && !c.is_alphanumeric());
    match text {
        "" => refused("it is empty"),
        _ if text.len() > LONGEST => refused(&format!("it is longer than {LONGEST} bytes")),
        _ if text.contains(bad) => refused("it has characters that do not belong in a URL"),
        _ if text.starts_with('-') => refused("it begins with a dash"),
        _ if text.contains("::") => refused("git's helpers for other transports are not used"),
        _ => Ok(()),
    }
}

/// Reads what follows `scheme://`.
fn long_form(scheme: &str, rest: &str) -> Result<GitUrl, GitError> {
    if !["https", "http", "ssh", "file"].contains(&scheme) {
        return refused("its scheme is not https, ssh, http or file");
    }
    let slash = rest.find('/').unwrap_or(rest.len());
    let (authority, path) = rest.split_at(slash);
    let path = checked_path(path)?;
    let scheme = scheme.to_string();
    if scheme == "file" {
        return match authority {
            "" => Ok(GitUrl { scheme, user: None, host: None, port: None, path, short: false, branch: None }),
            _ => refused("a folder is named file:///folder, without a host"),
        };
    }
    let (user, place) = match authority.rsplit_once('@') {
        Some((user, place)) => (Some(user), place),
        None => (None, authority),
    };
    let user = user.map(|user| checked_user(&scheme, user)).transpose()?;
    let (host, port) = match place.split_once(':') {
        Some((host, port)) => (host, Some(checked_port(port)?)),
        None => (place, None),
    };
    let port = port.filter(|port| *port != own_port(&scheme));
    Ok(GitUrl { host: Some(checked_host(host)?), scheme, user, port, path, short: false, branch: None })
}

/// Reads `user@host:path`.
fn short_form(text: &str) -> Result<GitUrl, GitError> {
    let Some((place, path)) = text.split_once(':').filter(|(place, _)| place.contains('@') && !place.contains('/'))
    else {
        return refused("it is not https://host/path, ssh://user@host/path or user@host:path");
    };
    let (user, host) = place.rsplit_once('@').unwrap_or_default();
    if path.starts_with('-') || path.contains('@') {
        return refused("its path is not plain");
    }
    let user = Some(checked_user("ssh", user)?);
    let (host, path) = (Some(checked_host(host)?), checked_path(path)?);
    Ok(GitUrl { scheme: "ssh".into(), user, host, port: None, path, short: true, branch: None })
}

fn own_port(scheme: &str) -> u16 {
    match scheme {
        "https" => 443,
        "http" => 80,
        _ => 22,
    }
}

fn checked_user(scheme: &str, user: &str) -> Result<String, GitError> {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-._".contains(c);
    match user {
        _ if scheme != "ssh" || user.contains(':') => {
            refused("it has a user, password or token; put a token for the host into the environment instead")
        }
        _ if user.is_empty() || user.starts_with('-') || !user.chars().all(plain) => refused("its user is not plain"),
        _ => Ok(user.to_string()),
    }
}

fn checked_port(port: &str) -> Result<u16, GitError> {
    match port.parse() {
        Ok(number) if number > 0 && port.bytes().all(|byte| byte.is_ascii_digit()) => Ok(number),
        _ => refused("its port is not a number from 1 to 65535"),
    }
}

/// Accepts names of hosts and addresses with four decimal numbers; other ways to write an address
/// would mean different things to different programs.
fn checked_host(host: &str) -> Result<String, GitError> {
    let host = host.to_ascii_lowercase();
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    let label = |label: &str| {
        !(label.is_empty() || label.len() > 63 || label.starts_with('-') || label.ends_with('-'))
            && label.chars().all(plain)
    };
    let last = host.rsplit('.').next().unwrap_or_default();
    let number = last.starts_with("0x") || last.bytes().all(|byte| byte.is_ascii_digit());
    if host.len() <= 253 && host.split('.').all(label) && (!number || host.parse::<Ipv4Addr>().is_ok()) {
        Ok(host)
    } else {
        refused("its host is not a name")
    }
}

/// Accepts a path without queries, steps upwards and hidden characters; drops slashes at its end.
fn checked_path(path: &str) -> Result<String, GitError> {
    let plain = |c: char| c.is_alphanumeric() || "-._~/%+@,=:".contains(c);
    if path.contains('?') {
        return refused("it has a query");
    }
    if !path.chars().all(plain) {
        return refused("its path has unusual characters; write them as %XX");
    }
    let clear = decoded(path)?;
    if clear.contains(|c: char| c.is_control() || c == '\\') {
        return refused("its path has control characters or backslashes");
    }
    if clear.split('/').any(|part| matches!(part, "." | "..") || part.starts_with('-')) {
        return refused("its path has a part that is . or .. or begins with a dash");
    }
    match path.trim_end_matches('/') {
        "" => refused("it has no path"),
        path => Ok(path.to_string()),
    }
}

/// Replaces every `%XX`.
fn decoded(path: &str) -> Result<String, GitError> {
    let digit = |byte: Option<u8>| byte.and_then(|byte| char::from(byte).to_digit(16));
    let mut bytes = path.bytes();
    let mut clear = Vec::new();
    while let Some(byte) = bytes.next() {
        let decoded = match byte {
            b'%' => {
                digit(bytes.next()).zip(digit(bytes.next())).and_then(|(high, low)| u8::try_from(high * 16 + low).ok())
            }
            _ => Some(byte),
        };
        match decoded {
            Some(byte) => clear.push(byte),
            None => return refused("it has a % without two digits"),
        }
    }
    String::from_utf8(clear).or_else(|_| refused("its path is not UTF-8"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn everything() -> GitPolicy {
        GitPolicy { schemes: ["https", "ssh", "http", "file"].map(String::from).to_vec(), ..GitPolicy::default() }
    }

    #[test]
    fn accepted_forms_are_read() {
        let cases = [
            ("https://Example.com/a/b.git", "https://example.com/a/b.git", "https://example.com/a/b.git", "b"),
            ("https://example.com:443/a/b/", "https://example.com/a/b", "https://example.com/a/b", "b"),
            ("https://example.com:8443/b", "https://example.com:8443/b", "https://example.com:8443/b", "b"),
            ("ssh://git@example.com/a/b.git", "ssh://example.com/a/b.git", "ssh://git@example.com/a/b.git", "b"),
            ("git@example.com:a/b.git", "example.com:a/b.git", "git@example.com:a/b.git", "b"),
            ("http://example.com/~me/b", "http://example.com/~me/b", "http://example.com/~me/b", "b"),
            ("file:///srv/my%20code.git", "file:///srv/my%20code.git", "file:///srv/my%20code.git", "my-code"),
            ("file:///srv/b/.git", "file:///srv/b/.git", "file:///srv/b/.git", "b"),
        ];
        for (text, shown, address, name) in cases {
            let url = GitUrl::parse(text, &everything()).unwrap();
            assert_eq!((url.to_string().as_str(), url.address().as_str(), url.name().as_str()), (shown, address, name));
            assert_eq!(GitUrl::parse(&url.address(), &everything()).unwrap(), url);
        }
        let owners = [
            ("https://example.com/a/b.git", Some("a")),
            ("https://example.com/b", Some("example.com")),
            ("git@example.com:a%20c/b", Some("a-c")),
            ("file:///srv/a/b/.git", Some("a")),
            ("file:///b", None),
        ];
        for (text, owner) in owners {
            assert_eq!(GitUrl::parse(text, &everything()).unwrap().owner().as_deref(), owner, "{text}");
        }
        let url = GitUrl::parse("https://example.com/b#release/1.x", &everything()).unwrap();
        assert_eq!(
            (url.branch(), url.to_string().as_str()),
            (Some("release/1.x"), "https://example.com/b#release/1.x")
        );
        assert_eq!(url.address(), "https://example.com/b");
    }

    #[test]
    fn other_forms_are_refused() {
        let long = format!("https://example.com/{}", "x".repeat(2000));
        let refused = [
            "",
            "/srv/code",
            "code",
            "example.com:code",
            "git://example.com/x",
            "ftp://example.com/x",
            "ext::sh -c id",
            "ext::sh%20-c%20id",
            "fd::3",
            "transport::https://example.com/x",
            "https::https://example.com/x",
            "-uhttps://example.com/x",
            "--upload-pack=id",
            "git@-oProxyCommand=id:x",
            "ssh://-oProxyCommand=id/x",
            "ssh://git@-x.com/y",
            "-o@example.com:x",
            "git@example.com:-x",
            "https://me:pw@example.com/x",
            "https://ghp_token@example.com/x",
            "https://@example.com/x",
            "ssh://git:pw@example.com/x",
            "git:pw@example.com:x",
            "https://example.com/x?y=1",
            "https://example.com/../x",
            "https://example.com/a/./x",
            "https://example.com/%2e%2E/x",
            "https://example.com/a%0ab",
            "https://example.com/a%00",
            "https://example.com/%zz",
            "https://example.com/%f",
            "https://example.com/a b",
            "https://example.com/a\nb",
            "https://example.com/a\u{202e}b",
            "https://example.com\\x/y",
            "https://example.com",
            "https://example.com/",
            "https:///x",
            "https://example..com/x",
            "https://example.com./x",
            "https://2130706433/x",
            "https://0x7f.1/x",
            "https://127.1/x",
            "https://0177.0.0.1/x",
            "https://[::1]/x",
            "https://example.com:0/x",
            "https://example.com:+1/x",
            "https://example.com:99999/x",
            "https://exämple.com/x",
            "https://example.com:/x",
            "file://host/x",
            "file://x",
            "file:///",
            "file:///a/../b",
            "https://example.com/x#",
            "https://example.com/x#a..b",
            "https://example.com/x#-a",
            "https://example.com/x#a#b~1",
            "https://example.com/$(id)",
            "https://example.com/`id`",
            "https://example.com/a;b",
            "https://a@b@example.com/x",
            "https://example.com/-x",
            &long,
        ];
        for text in refused {
            assert!(GitUrl::parse(text, &everything()).is_err(), "{text}");
        }
        let error = GitUrl::parse("https://me:hunter2@example.com/x", &everything()).unwrap_err().to_string();
        assert!(error.contains("token for the host") && !error.contains("hunter2"), "{error}");
    }

    #[test]
    fn a_policy_names_schemes_and_hosts() {
        let policy = GitPolicy { hosts: vec!["*.example.com".into()], ..GitPolicy::default() };
        assert!(GitUrl::parse("https://git.example.com/x", &policy).is_ok());
        for text in ["http://git.example.com/x", "file:///srv/x", "https://example.org/x", "git@example.com:x"] {
            assert!(GitUrl::parse(text, &policy).is_err(), "{text}");
        }
    }

    #[test]
    fn names_of_branches_are_checked() {
        for name in ["main", "feature/a-b", "v1.0", "a@b", "ä"] {
            assert!(is_branch(name), "{name}");
        }
        let bad = [
            "", "-a", "a..b", "a b", "a~1", "a^", "a:b", "a?", "a*", "a[", "a\\b", "/a", "a/", "a//b", ".a", "a/.b",
            "a.lock", "a.lock/b", "a.", "@", "a@{1}", "HEAD", "a\tb",
        ];
        for name in bad {
            assert!(!is_branch(name), "{name}");
        }
        assert!(!is_branch(&"x".repeat(245)));
    }
}
