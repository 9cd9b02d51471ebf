//! The remotes that may be asked, and how much they may give.

use std::ffi::OsString;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, ToSocketAddrs};
use std::path::PathBuf;

use super::error::GitError;

/// The remotes that may be asked, and the limits for each work of git.
#[derive(Clone, Debug)]
pub struct GitPolicy {
    /// The schemes of URLs; `https` and `ssh` by default, `file` and `http` only if they are named.
    pub schemes: Vec<String>,
    /// The hosts; empty for any. `*.example.com` means all hosts below `example.com`.
    pub hosts: Vec<String>,
    /// Lets hosts have addresses of this machine and of private networks.
    pub allow_private_addresses: bool,
    /// The largest size of a repository on disk.
    pub max_bytes: u64,
    /// The longest time of one command of git.
    pub max_seconds: u64,
    /// The file with the keys of hosts for ssh; none for that of the user who runs the node.
    pub known_hosts: Option<PathBuf>,
    /// The private key for ssh; none for that of the user who runs the node.
    pub ssh_key: Option<PathBuf>,
    /// The socket of an ssh agent with keys; none for keys in files alone.
    pub ssh_agent: Option<OsString>,
    /// The folders in which git and ssh are found, as in `PATH`; none for the usual ones.
    pub path: Option<OsString>,
}

impl Default for GitPolicy {
    fn default() -> GitPolicy {
        GitPolicy {
            schemes: vec!["https".into(), "ssh".into()],
            hosts: Vec::new(),
            allow_private_addresses: false,
            max_bytes: 2 << 30,
            max_seconds: 1800,
            known_hosts: None,
            ssh_key: None,
            ssh_agent: None,
            path: None,
        }
    }
}

impl GitPolicy {
    /// Returns whether URLs of a scheme are accepted.
    pub(super) fn allows_scheme(&self, scheme: &str) -> bool {
        self.schemes.iter().any(|allowed| allowed.eq_ignore_ascii_case(scheme))
    }

    /// Returns whether a host, in small letters, may be asked.
    pub(super) fn allows_host(&self, host: &str) -> bool {
        self.hosts.is_empty() || self.hosts.iter().any(|pattern| host_matches(&pattern.to_ascii_lowercase(), host))
    }

    /// Returns the addresses of a host, all of which may be asked.
    pub(super) fn addresses(&self, host: &str, port: u16) -> Result<Vec<IpAddr>, GitError> {
        let unresolved = || GitError::Unresolved { host: host.to_string() };
        let found = (host, port).to_socket_addrs().map_err(|_| unresolved())?;
        let mut addresses: Vec<IpAddr> = Vec::new();
        for address in found.map(|socket| socket.ip()) {
            if !addresses.contains(&address) {
                addresses.push(address);
            }
        }
        if addresses.is_empty() {
            return Err(unresolved());
        }
        if self.allow_private_addresses || addresses.iter().all(|address| is_public(*address)) {
            Ok(addresses)
        } else {
            Err(GitError::Private { host: host.to_string() })
        }
    }
}

fn host_matches(pattern: &str, host: &str) -> bool {
    match pattern.strip_prefix("*.") {
        Some(domain) => host.strip_suffix(domain).is_some_and(|front| front.len() > 1 && front.ends_with('.')),
        None => pattern == host,
    }
}

/// Returns whether an address belongs to the public network.
fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) => is_public_v6(address),
    }
}

fn is_public_v4(address: Ipv4Addr) -> bool {
    let [a, b, c, _] = address.octets();
    // Azure serves the metadata of machines at a public address.
    let metadata = address == Ipv4Addr::new(168, 63, 129, 16);
    let special = address.is_loopback()
        || address.is_private()
        || address.is_link_local()
        || address.is_documentation()
        || address.is_multicast();
    // "This network", shared addresses of carriers, protocol assignments, relays, benchmarks,
    // reserved.
    let reserved = a == 0
        || (a == 100 && (64..128).contains(&b))
        || (a == 192 && b == 0 && c == 0)
        || (a == 192 && b == 88 && c == 99)
        || (a == 198 && (18..20).contains(&b))
        || a >= 240;
    !(metadata || special || reserved)
}

fn is_public_v6(address: Ipv6Addr) -> bool {
    let [a, b, c, d, e, f, g, h] = address.segments();
    let inner = |high: u16, low: u16| {
        let ([a, b], [c, d]) = (high.to_be_bytes(), low.to_be_bytes());
        is_public_v4(Ipv4Addr::new(a, b, c, d))
    };
    match (a, b) {
        // Addresses of IPv4 behind a translator, as they are or in 6to4.
        (0x64, 0xff9b) => [c, d, e, f] == [0; 4] && inner(g, h),
        (0, 0) => [c, d, e, f] == [0, 0, 0, 0xffff] && inner(g, h),
        (0x2002, _) => inner(b, c),
        // Teredo, other protocol assignments and documentation.
        (0x2001, ..0x200) | (0x2001, 0xdb8) => false,
        (0x3fff, ..0x1000) => false,
        _ => (0x2000..0x4000).contains(&a),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn public_addresses_are_told_from_others() {
        let public =
            ["1.1.1.1", "140.82.121.3", "2606:50c0:8000::153", "64:ff9b::101:101", "::ffff:1.1.1.1", "2002:101:101::1"];
        let other = [
            "127.0.0.1",
            "10.1.2.3",
            "172.16.0.1",
            "192.168.1.1",
            "169.254.169.254",
            "100.100.100.200",
            "0.0.0.0",
            "0.1.2.3",
            "168.63.129.16",
            "192.0.0.192",
            "198.18.0.1",
            "224.0.0.1",
            "255.255.255.255",
            "240.0.0.1",
            "::",
            "::1",
            "fe80::1",
            "fd00:ec2::254",
            "fec0::1",
            "ff02::1",
            "::ffff:127.0.0.1",
            "::127.0.0.1",
            "64:ff9b::a9fe:a9fe",
            "64:ff9b:1::1",
            "2002:7f00:1::",
            "2001:0:1::1",
            "2001:db8::1",
            "100::1",
        ];
        for address in public {
            assert!(is_public(address.parse().unwrap()), "{address}");
        }
        for address in other {
            assert!(!is_public(address.parse().unwrap()), "{address}");
        }
    }

    #[test]
    fn hosts_match_patterns() {
        let policy =
            GitPolicy { hosts: vec!["git.example.org".into(), "*.Example.com".into()], ..GitPolicy::default() };
        for host in ["git.example.org", "a.example.com", "b.a.example.com"] {
            assert!(policy.allows_host(host), "{host}");
        }
        for host in ["example.com", "example.org", "badexample.com", ".example.com", "git.example.org.evil.net"] {
            assert!(!policy.allows_host(host), "{host}");
        }
        assert!(GitPolicy::default().allows_host("any.net"));
    }

    #[test]
    fn names_of_this_machine_are_refused() {
        let policy = GitPolicy::default();
        for host in ["localhost", "127.0.0.1", "169.254.169.254", "10.0.0.1", "127.1", "2130706433"] {
            assert!(matches!(policy.addresses(host, 443), Err(GitError::Private { .. })), "{host}");
        }
        let open = GitPolicy { allow_private_addresses: true, ..policy };
        assert_eq!(open.addresses("127.0.0.1", 8443).unwrap(), [IpAddr::from([127, 0, 0, 1])]);
    }
}
