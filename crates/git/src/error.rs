//! Errors of git, and the words of git that may be in them. No message has a credential.

use std::io;
use std::path::Path;

/// Characters of git's words that an error repeats.
const REASON: usize = 200;

/// Lines of git that only follow from an earlier one, which says more.
const FOLLOW_UPS: [&str; 8] = [
    "Please make sure you have the correct access rights",
    "and the repository exists.",
    "fatal: Could not read from remote repository.",
    "fatal: early EOF",
    "fatal: fetch-pack: invalid index-pack output",
    "fatal: fsck error in packed object",
    "fatal: index-pack failed",
    "fatal: the remote end hung up unexpectedly",
];

/// An error of a repository or of the git program.
#[derive(Debug, thiserror::Error)]
pub enum GitError {
    /// The URL is not accepted.
    #[error("the URL of a repository is refused: {0}")]
    Url(String),
    /// The name is not a branch's.
    #[error("this is not the name of a branch")]
    Branch,
    /// The id is not a commit's.
    #[error("this is not the id of a commit: 40 digits and letters from a to f")]
    Commit,
    /// The host has no address.
    #[error("{host} has no address")]
    Unresolved {
        /// The host.
        host: String,
    },
    /// The host has an address that must not be asked.
    #[error("{host} is refused: it has an address of this machine or of a private network")]
    Private {
        /// The host.
        host: String,
    },
    /// The token cannot be used.
    #[error("the token for git cannot be used: {0}")]
    Token(&'static str),
    /// The program cannot be started.
    #[error("git cannot be started: {0}")]
    Start(io::Error),
    /// The program is too old to be safe.
    #[error("git 2.37 or newer is needed to fetch from a checked address; this is {0}")]
    Outdated(String),
    /// The program failed.
    #[error("git failed for {place}: {reason}")]
    Failed {
        /// The repository or folder.
        place: String,
        /// The last line that git wrote, without credentials.
        reason: String,
    },
    /// The remote has no commit.
    #[error("{place} has no commits")]
    Empty {
        /// The repository.
        place: String,
    },
    /// The remote has no such branch.
    #[error("{place} has no branch {branch}")]
    NoBranch {
        /// The repository.
        place: String,
        /// The branch.
        branch: String,
    },
    /// The repository is larger than allowed.
    #[error("{place} is larger than {limit} bytes, the limit for a repository")]
    TooLarge {
        /// The repository or folder.
        place: String,
        /// The limit.
        limit: u64,
    },
    /// The time is over.
    #[error("git did not finish with {place} in {seconds} seconds")]
    TimedOut {
        /// The repository or folder.
        place: String,
        /// The limit.
        seconds: u64,
    },
    /// The caller wants no answer any more.
    #[error("the work of git was cancelled")]
    Cancelled,
    /// Another process writes to the repository.
    #[error("another process works in {place}")]
    Busy {
        /// The folder.
        place: String,
    },
    /// A pack is not what it must be.
    #[error("a pack is damaged: {0}")]
    Damaged(&'static str),
    /// Objects of a commit are missing.
    #[error("objects of the commit are missing")]
    Incomplete,
    /// A file or folder cannot be read or written.
    #[error("cannot {action} {path}: {source}")]
    File {
        /// `read`, `write` or `lock`.
        action: &'static str,
        /// The file or folder.
        path: String,
        /// The operating system's error.
        source: io::Error,
    },
}

/// Makes an error of a file.
pub(super) fn file_error(action: &'static str, path: &Path) -> impl Fn(io::Error) -> GitError {
    move |source| GitError::File { action, path: path.display().to_string(), source }
}

/// Returns the last telling line of git's stderr without secrets, user parts of URLs and control
/// characters, and not longer than an error should be.
pub(super) fn last_words(stderr: &str, secrets: &[String]) -> String {
    let mut text = stderr.to_string();
    for secret in secrets.iter().filter(|secret| !secret.is_empty()) {
        text = text.replace(secret.as_str(), "***");
    }
    let lines: Vec<&str> = text.split(['\n', '\r']).map(str::trim).filter(|line| !line.is_empty()).collect();
    let telling = lines.iter().rfind(|line| !FOLLOW_UPS.contains(line)).or(lines.last());
    let line = telling.copied().unwrap_or("git gave no reason");
    let plain: String = line.chars().map(|c| if is_plain(c) { c } else { ' ' }).collect();
    let words: Vec<String> = plain.split(' ').filter(|word| !word.is_empty()).map(without_user).collect();
    words.join(" ").chars().take(REASON).collect()
}

/// Returns whether a character changes nothing but itself on a terminal.
fn is_plain(c: char) -> bool {
    !c.is_control()
        && !matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}')
}

/// Removes what stands between `://` and `@` in a word.
fn without_user(word: &str) -> String {
    let Some((scheme, rest)) = word.split_once("://") else { return word.to_string() };
    let authority = rest.find('/').unwrap_or(rest.len());
    match rest[..authority].rfind('@') {
        Some(at) => format!("{scheme}://{}", without_user(&rest[at + 1..])),
        None => format!("{scheme}://{}", without_user(rest)),
    }
}

#[cfg(test)]
mod tests {
    use super::last_words;

    #[test]
    fn words_of_git_are_cleaned() {
        let secrets = ["s3cret".to_string()];
        let words = |text: &str| last_words(text, &secrets);
        assert_eq!(words("remote: hello\nfatal: no\x1b[31m s3cret here\n\n"), "fatal: no [31m *** here");
        assert_eq!(
            words("fatal: 'https://me:pw@host/x' and ssh://git@host/y"),
            "fatal: 'https://host/x' and ssh://host/y"
        );
        assert_eq!(words("a://b@c://d:e@f/x"), "a://c://f/x");
        assert_eq!(words("fatal: bad object\nfatal: early EOF\nfatal: index-pack failed\n"), "fatal: bad object");
        assert_eq!(words("fatal: early EOF\n"), "fatal: early EOF");
        let gone = "fatal: '/a' does not appear to be a git repository\nfatal: Could not read from remote repository.\n\n\
                    Please make sure you have the correct access rights\nand the repository exists.\n";
        assert_eq!(words(gone), "fatal: '/a' does not appear to be a git repository");
        assert_eq!(words(" \r\n"), "git gave no reason");
        assert_eq!(words(&"x".repeat(900)).len(), 200);
    }
}
