//! The output of one run of the binary, and checks on it.

use std::process::{Child, Command, Output};

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
