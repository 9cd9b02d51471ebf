//! Clones of git URLs. On the command line and in groups of the user's settings a URL stands for
//! the directory of its clone, which is made when it is first used. Only [`open`] uses the network.
//! See docs/clones.md.

mod folder;

use std::path::{Path, PathBuf};

use codecompass_engine::KnownStore;
use codecompass_git::{self as git, GitError, GitPolicy, GitUrl};

use self::folder::{CloneFolder, CloneRecord};
use crate::error::{AppError, Code};
use crate::signals::OutsideWork;
use crate::terminal::output;
use crate::{clock, settings};

/// The way in which a command opens clones.
#[derive(Clone, Copy, Debug, Default)]
pub struct CloneOptions {
    /// Fetches new commits of a clone that is there.
    pub newest: bool,
    /// Suppresses notes on stderr.
    pub quiet: bool,
    /// True if the command listens to signals itself.
    pub listens: bool,
}

/// Returns the directory of a git URL's clone, which is made if it is not there yet.
pub fn open(url: &str, options: CloneOptions) -> Result<PathBuf, AppError> {
    let policy = settings::of_clones()?;
    let url = accepted(url, &policy)?;
    let folder = CloneFolder::of(&settings::homes()?.data, &url);
    if !options.newest && folder.usable(&url).is_some() {
        folder.touch();
        return Ok(folder.workspace(&url));
    }
    let note = |text: &str| {
        if !options.quiet {
            output::note(text);
        }
    };
    let lock = folder.lock(|| note(&format!("waiting for another process that clones {url}")));
    let _lock = lock.map_err(|error| {
        let message = format!("cannot write to {}: {error}", folder.root().display());
        AppError::new(Code::InternalError, message, "make the data directory writable, or set CODECOMPASS_HOME")
    })?;
    let before = folder.usable(&url);
    if !options.newest && before.is_some() {
        return Ok(folder.workspace(&url));
    }
    note(&format!("{} {url}", if before.is_some() { "fetching" } else { "cloning" }));
    match (fetch(&url, &folder, &policy, options.listens), before) {
        (Ok(now), before) => note(&changes(&now, before.as_ref())),
        (Err(error), Some(before)) if !matches!(error, GitError::Cancelled) => {
            note(&format!("{error}; using {} as it was last fetched", before.state()));
        }
        (Err(error), _) => {
            if folder.record().is_none() {
                folder.remove();
            }
            return Err(failed(error, &url));
        }
    }
    Ok(folder.workspace(&url))
}

/// Reads a URL. What no settings would allow is told from what these do not.
fn accepted(url: &str, policy: &GitPolicy) -> Result<GitUrl, AppError> {
    let schemes = ["https", "ssh", "http", "file"].map(String::from).to_vec();
    let refused = |remedy: &'static str| move |error: GitError| AppError::invalid(error.to_string(), remedy);
    let form = "give https://host/owner/repository or git@host:owner/repository; a token comes from the environment, \
                see docs/clones.md";
    GitUrl::parse(url, &GitPolicy { schemes, ..GitPolicy::default() }).map_err(refused(form))?;
    GitUrl::parse(url, policy)
        .map_err(refused("name it in `schemes` or `hosts` in [clone] of your config.toml if you trust it"))
}

/// Fetches what is new, and makes the clone show it.
fn fetch(url: &GitUrl, folder: &CloneFolder, policy: &GitPolicy, listens: bool) -> Result<CloneRecord, GitError> {
    let work = OutsideWork::begin(listens);
    let token = url.host().filter(|_| url.scheme().starts_with("http"));
    let token = token.and_then(|host| settings::private_variable(&settings::git_token_variable(host)));
    let cancelled = || work.is_cancelled();
    let fetched = git::fetch(url, None, &folder.source(), policy, token.as_deref(), &cancelled)?;
    folder.show(url, fetched)
}

fn changes(now: &CloneRecord, before: Option<&CloneRecord>) -> String {
    match before {
        None => format!("cloned {}: {}", now.url, now.state()),
        Some(before) if before == now => format!("{} is up to date: {}", now.url, now.state()),
        Some(before) => format!("fetched {}: {}, before {}", now.url, now.state(), before.state()),
    }
}

fn failed(error: GitError, url: &GitUrl) -> AppError {
    let code = match &error {
        GitError::Url(_) | GitError::Private { .. } | GitError::TooLarge { .. } | GitError::Token(_) => {
            Code::InvalidInput
        }
        GitError::File { .. } | GitError::Cancelled => Code::InternalError,
        _ => Code::RemoteUnavailable,
    };
    let remedy = match &error {
        GitError::Private { .. } => {
            "set `allow_private_addresses = true` in [clone] of your config.toml if you trust the host".to_string()
        }
        GitError::TooLarge { .. } => "raise `max_mb` in [clone] of your config.toml".into(),
        GitError::TimedOut { .. } => "raise `max_seconds` in [clone] of your config.toml".into(),
        GitError::Start(_) | GitError::Outdated(_) => {
            "install git 2.37 or newer, or clone it elsewhere and give the directory".into()
        }
        GitError::Cancelled => "run the command again".into(),
        GitError::File { .. } => "make the data directory writable, or set CODECOMPASS_HOME".into(),
        _ => match url.host() {
            Some(host) if url.scheme().starts_with("http") => format!(
                "check the URL and the network; a private repository needs a token in {}",
                settings::git_token_variable(host)
            ),
            Some(_) => "check the URL, the network, the host's key in known_hosts and your own".into(),
            None => "check the URL".into(),
        },
    };
    AppError::new(code, error.to_string(), remedy)
}

/// Returns the URL of the clone that a path is in, without a user.
pub fn url_of(home: &Path, path: &Path) -> Option<String> {
    CloneFolder::around(home, path)?.record().map(|record| record.url)
}

/// Removes what killed processes left, and the clones that were last used before `keep_days`;
/// returns their URLs. The indexes of these are those of directories that are gone then. `kept` is
/// a path in a clone that stays.
pub fn remove_unused(home: &Path, stores: &[KnownStore], keep_days: u64, now: i64, kept: &Path) -> Vec<String> {
    let oldest = now.saturating_sub(i64::try_from(keep_days).unwrap_or(i64::MAX).saturating_mul(clock::DAY));
    let canonical = |folder: &CloneFolder| dunce::canonicalize(folder.root()).unwrap_or_default();
    let mut removed = Vec::new();
    CloneFolder::remove_stray_locks(home);
    for folder in CloneFolder::all(home) {
        let Some(_lock) = folder.try_lock() else { continue };
        let root = canonical(&folder);
        let own = stores.iter().filter(|store| store.served().any(|clone| clone.starts_with(&root)));
        let used_at = own.map(|store| store.used_at).max().unwrap_or(0).max(folder.used_at());
        let record = folder.record();
        if kept.starts_with(&root) || (record.is_some() && used_at >= oldest) {
            continue;
        }
        if folder.remove() {
            removed.extend(record.map(|record| record.url));
        }
    }
    removed
}
