//! Writes the MCP server into the settings of coding agents, and takes it out again.
//!
//! `agents.rs` is the table of agents. For each wanted one, `plan.rs` reads its file and works out
//! the next text, `apply.rs` writes it. Files belong to their users: `json.rs`, `toml.rs` and
//! `block.rs` change only what must be changed, a receipt (`receipt.rs`) remembers the change so
//! that it can be undone to the byte, and `target.rs` says where a file really is and whether it
//! may be written.

mod agents;
mod apply;
mod block;
mod content;
mod entry;
mod json;
mod plan;
mod receipt;
mod target;
mod toml;

pub(crate) use agents::{AGENTS, Agent, GENERIC, Scope, VARIABLES, named};
pub(crate) use apply::apply;
pub(crate) use entry::{Entry, Shape, program};
pub(crate) use plan::{Plan, SettingsPart, Step, Wanted, found_on_machine, plan};

/// The name of the entry.
pub(crate) const NAME: &str = "codecompass";

/// The command that starts the server.
const SERVE: &str = "serve-mcp";

/// The entry as most agents take it, as a whole file.
pub(crate) fn generic(program: &str) -> String {
    let entry = Entry::serving(Shape::PLAIN, program).item();
    json::put("", &["mcpServers", NAME], &entry).map(|(text, _)| text).unwrap_or_default()
}

/// The reason why a text cannot be edited.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Problem {
    /// The line it is about, from 1.
    pub line: Option<usize>,
    pub message: String,
}

impl Problem {
    fn new(message: impl Into<String>) -> Problem {
        Problem { line: None, message: message.into() }
    }

    /// A problem at a byte of `text`.
    fn at(text: &str, byte: usize, message: impl Into<String>) -> Problem {
        let before = text.as_bytes().iter().take(byte);
        Problem { line: Some(before.filter(|byte| **byte == b'\n').count() + 1), message: message.into() }
    }
}

/// The line ends of a text: what it has already, if anything.
fn newline(text: &str) -> &'static str {
    if text.contains("\r\n") { "\r\n" } else { "\n" }
}
