//! Runs the real git with a fixed identity and date and no outside settings.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Git in one directory.
#[derive(Clone, Debug)]
pub struct Git {
    directory: PathBuf,
}

impl Git {
    /// Git as if started in `directory`.
    pub fn at(directory: &Path) -> Git {
        Git { directory: directory.to_path_buf() }
    }

    /// Runs git, which must succeed; returns its stdout.
    #[track_caller]
    pub fn run(&self, args: &[&str]) -> String {
        let output = self.output(args);
        assert!(output.status.success(), "git {args:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }

    /// Runs git and says only whether it succeeded.
    pub fn succeeds(&self, args: &[&str]) -> bool {
        self.output(args).status.success()
    }

    /// Runs git and returns its stdout if it succeeded.
    pub fn ask(&self, args: &[&str]) -> Option<String> {
        let output = self.output(args);
        output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim_end().to_string())
    }

    fn output(&self, args: &[&str]) -> Output {
        Command::new("git")
            .args(["-c", "advice.detachedHead=false", "-c", "gc.auto=0", "-c", "core.fsync=none"])
            .args(["-c", "protocol.file.allow=always"])
            .args(args)
            .current_dir(&self.directory)
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_EDITOR", "true")
            .envs(["GIT_AUTHOR_NAME", "GIT_COMMITTER_NAME"].map(|name| (name, "Test")))
            .envs(["GIT_AUTHOR_EMAIL", "GIT_COMMITTER_EMAIL"].map(|name| (name, "test@example.com")))
            .envs(["GIT_AUTHOR_DATE", "GIT_COMMITTER_DATE"].map(|name| (name, "2026-01-01T00:00:00Z")))
            .output()
            .unwrap()
    }
}
