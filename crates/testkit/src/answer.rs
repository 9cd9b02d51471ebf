//! The output of one run of the binary, and checks on it.

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
        normalised(&shown, workspace)
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

/// Names the temporary directory and the store's hash and size in `text`.
fn normalised(text: &str, workspace: &TestWorkspace) -> String {
    let root = workspace.root().display().to_string();
    let home = workspace.home().display().to_string();
    let text = text.replace(&root, "ROOT").replace(&home, "HOME");
    let mut lines: Vec<String> = Vec::new();
    for line in text.split('\n') {
        const STORE: &str = "HOME/stores/workspace-";
        let Some(at) = line.find(STORE) else {
            let has_sizes = line.contains("text index ") || line.contains(" unpacked") || line.contains(" view, ");
            lines.push(if has_sizes { without_size(line) } else { line.to_string() });
            continue;
        };
        let (head, tail) = line.split_at(at + STORE.len());
        let tail = tail.trim_start_matches(|c: char| c.is_ascii_hexdigit());
        lines.push(format!("{}HASH{}", without_size(head), without_size(tail)));
    }
    lines.join("\n")
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
