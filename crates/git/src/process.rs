//! One run of the git program: without a shell, without outside settings, within limits.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use super::error::{GitError, file_error, last_words};
use super::policy::GitPolicy;
use super::repository::{our_folder, size};

/// Folders of programs where the policy names none.
const USUAL_PATH: &str = "/usr/local/bin:/usr/bin:/bin:/opt/homebrew/bin";
/// Time between two looks at the process.
const STEP: Duration = Duration::from_millis(20);
/// Looks at the process between two looks at the size of the folder.
const STEPS_PER_SIZE: u32 = 10;
/// Looks at killed processes before they are left to the system.
#[cfg(unix)]
const STEPS_TO_END: u32 = 100;
/// Bytes that git may say, on stdout where that is read and on stderr.
const MOST_WORDS: u64 = 8 << 20;
/// Bytes at the end of stderr that are looked at for the reason of a failure.
const LAST_WORDS: u64 = 4096;
/// Makes names of temporary files unique within the process.
static COUNTER: AtomicU64 = AtomicU64::new(0);

/// Faults of commits and trees in old histories that do no harm. They are no reason to refuse a
/// repository.
pub(super) const HARMLESS: [&str; 11] = [
    "badDate",
    "badDateOverflow",
    "badEmail",
    "badName",
    "badTimezone",
    "missingEmail",
    "missingNameBeforeEmail",
    "missingSpaceBeforeDate",
    "missingSpaceBeforeEmail",
    "zeroPaddedDate",
    "zeroPaddedFilemode",
];

/// Settings that hold for every run.
const SETTINGS: [(&str, &str); 23] = [
    ("core.hooksPath", "/dev/null"),
    ("core.fsmonitor", "false"),
    ("core.askPass", "true"),
    ("core.commitGraph", "false"),
    ("core.attributesFile", "/dev/null"),
    ("credential.helper", ""),
    ("protocol.allow", "never"),
    ("protocol.version", "2"),
    ("http.followRedirects", "false"),
    ("http.sslVerify", "true"),
    ("http.proxy", ""),
    ("http.lowSpeedLimit", "1"),
    ("http.lowSpeedTime", "120"),
    ("submodule.recurse", "false"),
    ("fetch.recurseSubmodules", "false"),
    ("fetch.fsckObjects", "true"),
    ("fetch.unpackLimit", "1"),
    ("fetch.writeCommitGraph", "false"),
    ("transfer.bundleURI", "false"),
    ("transfer.fsckObjects", "true"),
    ("transfer.credentialsInUrl", "die"),
    ("gc.auto", "0"),
    ("maintenance.auto", "false"),
];

/// A run of git in a repository.
pub(super) struct GitRun<'a> {
    repository: &'a Path,
    policy: &'a GitPolicy,
    cancelled: &'a dyn Fn() -> bool,
    command: Command,
    settings: Vec<(String, String)>,
    place: String,
    secrets: Vec<String>,
    input: Option<File>,
    output: Option<File>,
    grows: bool,
}

/// The end of a run that was within the limits.
pub(super) struct GitEnd {
    /// Tells success from failure.
    pub(super) success: bool,
    /// The text on stdout; empty where that went to a file.
    pub(super) text: String,
    place: String,
    reason: String,
}

impl GitEnd {
    /// Returns the text on stdout if git succeeded.
    pub(super) fn succeeded(self) -> Result<String, GitError> {
        if self.success { Ok(self.text) } else { Err(GitError::Failed { place: self.place, reason: self.reason }) }
    }
}

impl<'a> GitRun<'a> {
    /// Prepares a run in a repository, whose path is absolute.
    pub(super) fn new(repository: &'a Path, policy: &'a GitPolicy, cancelled: &'a dyn Fn() -> bool) -> GitRun<'a> {
        #[expect(clippy::disallowed_methods, reason = "git's network protocols are left to git")]
        let mut command = Command::new("git");
        command.env_clear().current_dir(repository).arg(joined("--git-dir=", repository));
        let path = policy.path.as_deref().unwrap_or(OsStr::new(USUAL_PATH));
        command
            .env("PATH", path)
            .env("LC_ALL", "C")
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("GIT_CONFIG_GLOBAL", "/dev/null");
        command.env("GIT_ATTR_NOSYSTEM", "1").env("GIT_NO_REPLACE_OBJECTS", "1").env("GIT_NO_LAZY_FETCH", "1");
        command.env("GIT_TERMINAL_PROMPT", "0").env("GIT_ASKPASS", "true").env("SSH_ASKPASS", "true");
        command
            .env("SSH_ASKPASS_REQUIRE", "never")
            .env("GIT_ALLOW_PROTOCOL", "none")
            .env("GIT_PROTOCOL_FROM_USER", "0");
        let place = repository.display().to_string();
        let settings = SETTINGS.map(|(name, value)| (name.to_string(), value.to_string())).to_vec();
        let mut run = GitRun {
            repository,
            policy,
            cancelled,
            command,
            settings,
            place,
            secrets: Vec::new(),
            input: None,
            output: None,
            grows: false,
        };
        for fault in HARMLESS {
            run = run.setting(&format!("fetch.fsck.{fault}"), "warn");
        }
        run
    }

    /// Adds arguments.
    pub(super) fn args<S: AsRef<OsStr>>(mut self, arguments: impl IntoIterator<Item = S>) -> Self {
        self.command.args(arguments);
        self
    }

    /// Adds a setting of git, which only the environment of the process has.
    pub(super) fn setting(mut self, name: &str, value: &str) -> Self {
        self.settings.push((name.to_string(), value.to_string()));
        self
    }

    /// Adds a variable of the environment.
    pub(super) fn variable(mut self, name: &str, value: impl AsRef<OsStr>) -> Self {
        self.command.env(name, value);
        self
    }

    /// Names the remote in errors, instead of the repository.
    pub(super) fn about(mut self, place: &str) -> Self {
        self.place = place.to_string();
        self
    }

    /// Adds a text that must not be in an error.
    pub(super) fn secret(mut self, secret: &str) -> Self {
        self.secrets.push(secret.to_string());
        self
    }

    /// Watches the size of the repository, too.
    pub(super) fn growing(mut self) -> Self {
        self.grows = true;
        self
    }

    /// Gives git a file on stdin.
    pub(super) fn input(mut self, file: File) -> Self {
        self.input = Some(file);
        self
    }

    /// Gives git a text on stdin.
    pub(super) fn text(self, text: &str) -> Result<Self, GitError> {
        let mut file = nameless(self.repository)?;
        let failed = file_error("write", self.repository);
        file.write_all(text.as_bytes()).and_then(|()| file.seek(SeekFrom::Start(0))).map_err(failed)?;
        Ok(self.input(file))
    }

    /// Sends stdout to a file.
    pub(super) fn output(mut self, file: File) -> Self {
        self.output = Some(file);
        self
    }

    /// Runs git to its end, or to a limit.
    pub(super) fn run(mut self) -> Result<GitEnd, GitError> {
        let failed = file_error("write", self.repository);
        let home = our_folder(self.repository)?.join("home");
        fs::create_dir_all(&home).map_err(file_error("write", &home))?;
        let (mut stdout, mut stderr) = (nameless(self.repository)?, in_memory(self.repository)?);
        self.command.env("HOME", home).env("GIT_CONFIG_COUNT", self.settings.len().to_string());
        for (number, (name, value)) in self.settings.iter().enumerate() {
            self.command.env(format!("GIT_CONFIG_KEY_{number}"), name).env(format!("GIT_CONFIG_VALUE_{number}"), value);
        }
        let output = self.output.take();
        let to_file = output.is_some();
        self.command.stdin(self.input.take().map_or_else(Stdio::null, Stdio::from));
        self.command.stdout(match output {
            Some(file) => file,
            None => stdout.try_clone().map_err(&failed)?,
        });
        self.command.stderr(stderr.try_clone().map_err(&failed)?);
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut self.command, 0);
        let mut child = self.command.spawn().map_err(GitError::Start)?;
        let ended = self.watch(&mut child, &stdout, &stderr);
        if ended.is_err() {
            end(&mut child);
        }
        let success = ended?.success();
        let text = if to_file { String::new() } else { text_from(&mut stdout, 0).map_err(&failed)? };
        let start = stderr.metadata().map_err(&failed)?.len().saturating_sub(LAST_WORDS);
        let words = text_from(&mut stderr, start).map_err(&failed)?;
        Ok(GitEnd { success, text, place: self.place, reason: last_words(&words, &self.secrets) })
    }

    /// Waits for the process while it keeps the limits.
    fn watch(&self, child: &mut Child, stdout: &File, stderr: &File) -> Result<ExitStatus, GitError> {
        let seconds = self.policy.max_seconds;
        let start = Instant::now();
        for step in 0_u32.. {
            if let Some(status) = child.try_wait().map_err(GitError::Start)? {
                return Ok(status);
            }
            if (self.cancelled)() {
                return Err(GitError::Cancelled);
            }
            if start.elapsed() >= Duration::from_secs(seconds) {
                break;
            }
            if step % STEPS_PER_SIZE == 0 {
                if self.grows {
                    check_size(self.repository, self.policy, &self.place)?;
                }
                if [stdout, stderr].iter().any(|file| file.metadata().is_ok_and(|file| file.len() > MOST_WORDS)) {
                    return Err(GitError::Failed { place: self.place.clone(), reason: "it says too much".into() });
                }
            }
            std::thread::sleep(STEP);
        }
        Err(GitError::TimedOut { place: self.place.clone(), seconds })
    }
}

/// Fails if a repository is larger than the policy allows.
pub(super) fn check_size(repository: &Path, policy: &GitPolicy, place: &str) -> Result<(), GitError> {
    if size(repository) > policy.max_bytes {
        Err(GitError::TooLarge { place: place.to_string(), limit: policy.max_bytes })
    } else {
        Ok(())
    }
}

/// Ends a process and all that it started, and waits for them.
fn end(child: &mut Child) {
    #[cfg(unix)]
    let group = rustix::process::Pid::from_child(child);
    #[cfg(unix)]
    let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
    let _ = child.kill();
    let _ = child.wait();
    // The others are no children of this process; they are gone in a moment.
    #[cfg(unix)]
    for _ in 0..STEPS_TO_END {
        if rustix::process::test_kill_process_group(group).is_err() {
            break;
        }
        std::thread::sleep(STEP);
    }
}

/// Makes a file for the reason of a failure, which may be that the disk is full.
fn in_memory(repository: &Path) -> Result<File, GitError> {
    #[cfg(target_os = "linux")]
    if let Ok(file) = rustix::fs::memfd_create("codecompass-git", rustix::fs::MemfdFlags::CLOEXEC) {
        return Ok(File::from(file));
    }
    nameless(repository)
}

/// Makes a file that is gone when it is closed.
fn nameless(repository: &Path) -> Result<File, GitError> {
    let number = COUNTER.fetch_add(1, Ordering::Relaxed);
    let path = our_folder(repository)?.join(format!("words-{}-{number}", std::process::id()));
    let file = File::options().read(true).write(true).create(true).truncate(true).open(&path);
    let file = file.map_err(file_error("write", &path))?;
    fs::remove_file(&path).map_err(file_error("write", &path))?;
    Ok(file)
}

fn text_from(file: &mut File, start: u64) -> std::io::Result<String> {
    let mut bytes = Vec::new();
    file.seek(SeekFrom::Start(start))?;
    file.take(MOST_WORDS).read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Puts a path behind the name of an option.
fn joined(option: &str, path: &Path) -> std::ffi::OsString {
    let mut text = std::ffi::OsString::from(option);
    text.push(PathBuf::from(path));
    text
}
