//! Fetching one branch of a remote.

use std::fs;
use std::net::IpAddr;
use std::path::{Path, PathBuf};

use super::error::{GitError, file_error};
use super::policy::GitPolicy;
use super::process::{GitRun, check_size};
use super::repository::{INCOMING, LockedRepository, our_folder};
use super::url::{GitUrl, is_branch, is_commit};

/// The ref of the commit that was fetched last.
pub(super) const HEAD: &str = "refs/codecompass/head";
/// The user that goes with a token which names none; hosts look at the token only.
const TOKEN_USER: &str = "x-access-token";
/// The oldest git that fetches from an address which is given to it.
const OLDEST: (u32, u32) = (2, 37);

/// The outcome of a fetch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fetched {
    /// The id of the newest commit.
    pub commit: String,
    /// The branch; none if the remote's HEAD is a commit and no branch was asked for.
    pub branch: Option<String>,
}

/// Brings one branch of a remote, with its whole history and no tags, into a bare repository, which
/// is created if it is absent.
///
/// The branch is `branch`, else the URL's, else the remote's default. The commit is under
/// `refs/codecompass/head` afterwards. A token is sent to `https` remotes only, and to this
/// machine; `user:token` names the user, too. If the fetch fails or is cancelled, the repository is
/// as it was before.
pub fn fetch(
    url: &GitUrl,
    branch: Option<&str>,
    into: &Path,
    policy: &GitPolicy,
    token: Option<&str>,
    cancelled: &dyn Fn() -> bool,
) -> Result<Fetched, GitError> {
    url.check(policy)?;
    let branch = branch.or(url.branch());
    if branch.is_some_and(|branch| !is_branch(branch)) {
        return Err(GitError::Branch);
    }
    let addresses = url.host().map_or_else(|| Ok(Vec::new()), |host| policy.addresses(host, url.port()))?;
    let repository = LockedRepository::open(into)?;
    let header = token.map(|token| authorization(token, url, &addresses)).transpose()?;
    let remote =
        Remote { url, policy, addresses, header, cancelled, repository: repository.path(), place: url.to_string() };
    let fetched = remote.fetch(branch);
    if fetched.is_err() {
        repository.take_back();
    }
    fetched
}

/// A remote that has been checked, and the repository for it.
struct Remote<'a> {
    url: &'a GitUrl,
    policy: &'a GitPolicy,
    addresses: Vec<IpAddr>,
    header: Option<Authorization>,
    cancelled: &'a dyn Fn() -> bool,
    repository: &'a Path,
    place: String,
}

impl Remote<'_> {
    fn fetch(&self, branch: Option<&str>) -> Result<Fetched, GitError> {
        self.check_version()?;
        let (branch, commit) = self.newest(branch)?;
        let fetched = |commit: String| Ok(Fetched { commit, branch: branch.clone() });
        if self.local(&["rev-parse", "--quiet", "--verify", HEAD]).is_ok_and(|head| head.trim() == commit) {
            return fetched(commit);
        }
        let name = branch.as_ref().map_or_else(|| "HEAD".into(), |branch| format!("refs/heads/{branch}"));
        let options =
            ["--quiet", "--no-tags", "--no-write-fetch-head", "--no-recurse-submodules", "--no-auto-maintenance"];
        let run = self.network(&["fetch"])?.args(options).args(["--refmap=", "--", &self.url.address()]);
        run.args([format!("+{name}:{INCOMING}")]).run()?.succeeded()?;
        check_size(self.repository, self.policy, &self.place)?;
        let commit = self.local(&["rev-parse", "--verify", &format!("{INCOMING}^{{commit}}")])?.trim().to_string();
        self.local(&["update-ref", HEAD, &commit])?;
        self.local(&["update-ref", "-d", INCOMING])?;
        fetched(commit)
    }

    /// Fails if git would ignore the address that was checked.
    fn check_version(&self) -> Result<(), GitError> {
        if self.policy.allow_private_addresses || !self.url.scheme().starts_with("http") {
            return Ok(());
        }
        let text = self.local(&["version"])?;
        let mut numbers = text.trim_start_matches("git version ").split('.').map(|number| number.parse().unwrap_or(0));
        if (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0)) >= OLDEST {
            Ok(())
        } else {
            Err(GitError::Outdated(text.trim().to_string()))
        }
    }

    /// Returns the branch, where the remote has one, and its newest commit.
    fn newest(&self, branch: Option<&str>) -> Result<(Option<String>, String), GitError> {
        let wanted = branch.map_or_else(|| "HEAD".into(), |branch| format!("refs/heads/{branch}"));
        let list = self.network(&["ls-remote", "--quiet", "--symref", "--"])?;
        let text = list.args([self.url.address(), wanted.clone()]).run()?.succeeded()?;
        let mut target = branch;
        let mut commit = None;
        for (value, _) in text.lines().filter_map(|line| line.split_once('\t')).filter(|(_, name)| *name == wanted) {
            match value.strip_prefix("ref: refs/heads/") {
                Some(name) => target = target.or(Some(name)),
                None => commit = is_commit(value).then_some(value).or(commit),
            }
        }
        match (commit, branch) {
            (Some(commit), _) if target.is_none_or(is_branch) => Ok((target.map(str::to_string), commit.to_string())),
            (Some(_), _) => Err(GitError::Branch),
            (None, Some(branch)) => Err(GitError::NoBranch { place: self.place.clone(), branch: branch.to_string() }),
            (None, None) => Err(GitError::Empty { place: self.place.clone() }),
        }
    }

    /// Runs git without the remote.
    fn local(&self, arguments: &[&str]) -> Result<String, GitError> {
        GitRun::new(self.repository, self.policy, &|| false).args(arguments).about(&self.place).run()?.succeeded()
    }

    /// Prepares a run that may use the remote's protocol, and no other.
    fn network(&self, arguments: &[&str]) -> Result<GitRun<'_>, GitError> {
        let scheme = self.url.scheme();
        let mut run =
            GitRun::new(self.repository, self.policy, self.cancelled).args(arguments).about(&self.place).growing();
        run = run.variable("GIT_ALLOW_PROTOCOL", scheme).setting(&format!("protocol.{scheme}.allow"), "always");
        match self.url.host() {
            None => run = run.variable("GIT_CONFIG_GLOBAL", self.trusting()?),
            Some(host) if scheme == "ssh" => {
                let command = ssh_command(host, self.url.port(), self.addresses.first(), self.policy);
                run = run.variable("GIT_SSH_COMMAND", command).variable("GIT_SSH_VARIANT", "ssh");
                if let Some(agent) = &self.policy.ssh_agent {
                    run = run.variable("SSH_AUTH_SOCK", agent);
                }
            }
            Some(host) => run = run.setting("http.curloptResolve", &pinned(host, self.url.port(), &self.addresses)),
        }
        if let (Some(header), Some(host)) = (&self.header, self.url.host()) {
            let name = format!("http.{scheme}://{host}:{}/.extraHeader", self.url.port());
            run = run.setting(&name, &header.line);
            run = header.secrets.iter().fold(run, |run, secret| run.secret(secret));
        }
        Ok(run)
    }

    /// Writes the settings with which git reads a folder that belongs to another user, and returns
    /// their file. Git gives the settings in its environment to no process for another repository.
    fn trusting(&self) -> Result<PathBuf, GitError> {
        let folder = self.url.folder().unwrap_or_default();
        let quoted = folder.replace('\\', "\\\\").replace('"', "\\\"");
        let text = format!(
            "[safe]\n\tdirectory = \"{quoted}\"\n\tdirectory = \"{quoted}/.git\"\n\tdirectory = \"{quoted}.git\"\n\
             [core]\n\thooksPath = /dev/null\n\tfsmonitor = false\n[protocol]\n\tallow = never\n\
             [gc]\n\tauto = 0\n[maintenance]\n\tauto = false\n"
        );
        let file = our_folder(self.repository)?.join("folder.config");
        fs::write(&file, text).map_err(file_error("write", &file))?;
        Ok(file)
    }
}

/// Tells curl the addresses of a host, so that it asks for no others.
fn pinned(host: &str, port: u16, addresses: &[IpAddr]) -> String {
    let text = |address: &IpAddr| match address {
        IpAddr::V4(address) => address.to_string(),
        IpAddr::V6(address) => format!("[{address}]"),
    };
    format!("{host}:{port}:{}", addresses.iter().map(text).collect::<Vec<_>>().join(","))
}

/// Returns the command for ssh, which git gives to a shell: every word is quoted.
fn ssh_command(host: &str, port: u16, address: Option<&IpAddr>, policy: &GitPolicy) -> String {
    let known = match port {
        22 => host.to_string(),
        _ => format!("[{host}]:{port}"),
    };
    let mut words: Vec<String> = ["ssh", "-F", "/dev/null", "-T"].map(String::from).to_vec();
    let mut option = |text: String| words.extend(["-o".to_string(), text]);
    for fixed in [
        "BatchMode=yes",
        "StrictHostKeyChecking=yes",
        "UpdateHostKeys=no",
        "ClearAllForwardings=yes",
        "ForwardAgent=no",
        "PermitLocalCommand=no",
        "ProxyCommand=none",
        "ControlPath=none",
        "ConnectTimeout=30",
        "ServerAliveInterval=30",
    ] {
        option(fixed.to_string());
    }
    if let Some(address) = address {
        option(format!("HostName={address}"));
        option(format!("HostKeyAlias={known}"));
    }
    if let Some(file) = &policy.known_hosts {
        option(format!("UserKnownHostsFile=\"{}\"", file.display()));
        option("GlobalKnownHostsFile=none".to_string());
    }
    if let Some(file) = &policy.ssh_key {
        option(format!("IdentityFile=\"{}\"", file.display()));
        option("IdentitiesOnly=yes".to_string());
    }
    words.iter().map(|word| format!("'{}'", word.replace('\'', "'\\''"))).collect::<Vec<_>>().join(" ")
}

/// A header with a token, and what must not be in errors because of it.
struct Authorization {
    line: String,
    secrets: Vec<String>,
}

/// Makes the header for a token, if the remote may have it.
fn authorization(token: &str, url: &GitUrl, addresses: &[IpAddr]) -> Result<Authorization, GitError> {
    let here = url.scheme() == "http" && addresses.iter().all(IpAddr::is_loopback);
    if url.scheme() != "https" && !here {
        return Err(GitError::Token("it is sent with https only"));
    }
    if token.is_empty() || !token.bytes().all(|byte| byte.is_ascii_graphic()) {
        return Err(GitError::Token("it is empty or has characters that are not plain"));
    }
    let pair = if token.contains(':') { token.to_string() } else { format!("{TOKEN_USER}:{token}") };
    let encoded = base64(pair.as_bytes());
    let password = token.split_once(':').map_or(token, |(_, password)| password);
    let secrets = vec![encoded.clone(), token.to_string(), password.to_string()];
    Ok(Authorization { line: format!("Authorization: Basic {encoded}"), secrets })
}

fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for three in bytes.chunks(3) {
        let byte = |at: usize| u32::from(three.get(at).copied().unwrap_or(0));
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for digit in 0..4 {
            if digit <= three.len() {
                text.push(char::from(DIGITS[(bits >> (18 - 6 * digit)) as usize & 63]));
            } else {
                text.push('=');
            }
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_is_that_of_the_standard() {
        for (text, encoded) in [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foobar", "Zm9vYmFy")] {
            assert_eq!(base64(text.as_bytes()), encoded);
        }
    }

    #[test]
    fn ssh_gets_the_checked_address_and_the_key_of_the_name() {
        let policy = GitPolicy { known_hosts: Some("/etc/it's known".into()), ..GitPolicy::default() };
        let command = ssh_command("git.example.com", 2222, Some(&IpAddr::from([1, 2, 3, 4])), &policy);
        for part in [
            "'-F' '/dev/null'",
            "'-o' 'BatchMode=yes'",
            "'-o' 'StrictHostKeyChecking=yes'",
            "'-o' 'HostName=1.2.3.4'",
            "'-o' 'HostKeyAlias=[git.example.com]:2222'",
            r#"'-o' 'UserKnownHostsFile="/etc/it'\''s known"'"#,
        ] {
            assert!(command.contains(part), "{part} in {command}");
        }
    }

    #[test]
    fn addresses_are_pinned() {
        let addresses = [IpAddr::from([1, 2, 3, 4]), "2606::1".parse().unwrap()];
        assert_eq!(pinned("example.com", 443, &addresses), "example.com:443:1.2.3.4,[2606::1]");
    }

    #[test]
    fn tokens_go_to_https_only() {
        let policy = GitPolicy { schemes: ["https", "http", "ssh"].map(String::from).to_vec(), ..GitPolicy::default() };
        let header = |token: &str, url: &str, address: [u8; 4]| {
            authorization(token, &GitUrl::parse(url, &policy).unwrap(), &[IpAddr::from(address)])
                .map(|header| header.line)
        };
        let public = [1, 1, 1, 1];
        assert_eq!(header("t", "https://a.com/x", public).unwrap(), "Authorization: Basic eC1hY2Nlc3MtdG9rZW46dA==");
        assert_eq!(header("u:t", "https://a.com/x", public).unwrap(), "Authorization: Basic dTp0");
        assert!(header("t", "http://localhost/x", [127, 0, 0, 1]).is_ok());
        for (token, url) in
            [("t", "http://a.com/x"), ("t", "git@a.com:x"), ("", "https://a.com/x"), ("a\nb", "https://a.com/x")]
        {
            assert!(matches!(header(token, url, public), Err(GitError::Token(_))), "{token} {url}");
        }
    }
}
