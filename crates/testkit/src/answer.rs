//! The output of one run of the binary, and checks on it.

use std::path::Path;
use std::process::{Child, Command, Output};

use crate::TestWorkspace;

/// The output of one run of the binary.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The exit code, `None` when it was killed.
    pub code: Option<i32>,
    /// Its stdout.
    pub stdout: String,
    /// Its stderr.
    pub stderr: String,
}

impl Answer {
    /// Runs a command to its end.
    pub fn of(command: &mut Command) -> Answer {
        Answer::from(command.output().unwrap())
    }

    /// Waits for a process whose stdout and stderr are piped.
    pub fn wait_for(child: Child) -> Answer {
        Answer::from(child.wait_with_output().unwrap())
    }

    /// Fails unless the run found something and had nothing to complain about; returns its stdout.
    #[track_caller]
    pub fn found(self) -> String {
        assert_eq!((self.code, self.stderr.as_str()), (Some(0), ""), "{self:#?}");
        self.stdout
    }

    /// Fails unless the run ended with `code` and without a panic.
    #[track_caller]
    pub fn ended_with(self, code: i32) -> Answer {
        assert_eq!(self.code, Some(code), "{self:#?}");
        assert!(!self.stderr.contains("RUST_BACKTRACE") && !self.stderr.contains("unexpected failure"), "{self:#?}");
        self
    }

    /// Exit code, stdout and stderr as one text in which everything that depends on chance has a
    /// name.
    pub fn shown(&self, workspace: &TestWorkspace) -> String {
        let mut shown = self.stdout.clone();
        if !self.stderr.is_empty() {
            shown.push_str("--- stderr\n");
            shown.push_str(&self.stderr);
        }
        match self.code {
            Some(0) => {}
            Some(code) => shown.push_str(&format!("--- exit code {code}\n")),
            None => shown.push_str("--- killed\n"),
        }
        workspace.normalised(&shown)
    }
}

impl From<Output> for Answer {
    fn from(output: Output) -> Answer {
        Answer {
            code: output.status.code(),
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }
}

impl TestWorkspace {
    /// Gives names to all that depends on chance in a text: the temporary directory, the store's
    /// hash and size, and the words of the operating system.
    pub fn normalised(&self, text: &str) -> String {
        self.normalised_at(&self.home(), text)
    }

    /// The same for a store that is below another home.
    pub fn normalised_at(&self, home: &Path, text: &str) -> String {
        let text =
            text.replace(&home.display().to_string(), "HOME").replace(&self.root().display().to_string(), "ROOT");
        let normalised = text.split('\n').map(|line| {
            const STORE: &str = "HOME/stores/workspace-";
            let line = without_system_error(line);
            let mut parts = line.split(STORE);
            let mut shown = parts.next().unwrap_or_default().to_string();
            for part in parts {
                let after = part.trim_start_matches(|c: char| c.is_ascii_hexdigit());
                shown.push_str(&format!("{STORE}HASH{after}"));
            }
            let signs = ["text index ", " unpacked", " view, ", "the store has ", STORE];
            let has_sizes = signs.iter().any(|sign| shown.contains(sign));
            if has_sizes { without_size(&shown) } else { shown }
        });
        normalised.collect::<Vec<_>>().join("\n")
    }
}

/// Replaces `No such file or directory (os error 2)`, or what another system says, by `SYSTEM
/// ERROR`.
fn without_system_error(line: &str) -> String {
    let parts = line.split_once(" (os error ").and_then(|(before, after)| Some((before, after.split_once(')')?.1)));
    let Some((before, after)) = parts else { return line.to_string() };
    let start = before.rfind(": ").map_or(0, |at| at + 2);
    format!("{}SYSTEM ERROR{after}", &before[..start])
}

/// Replaces all that `12 B`, `3.4 KB` or `5.6 MB` says by `SIZE`.
fn without_size(text: &str) -> String {
    let mut text = text.to_string();
    for unit in [" KB", " MB", " B"] {
        let mut from = 0;
        while let Some(end) = text[from..].find(unit).map(|at| from + at) {
            let start = text[..end].trim_end_matches(|c: char| c.is_ascii_digit() || c == '.').len();
            from = end + unit.len();
            if start < end {
                text.replace_range(start..from, "SIZE");
                from = start;
            }
        }
    }
    text
}
