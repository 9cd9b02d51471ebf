//! A client as small as it can be: JSON lines to the server's stdin and from its stdout, one
//! request at a time.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Value, json};

use crate::outcome::Outcome;

pub(crate) struct StdioClient {
    child: Child,
    stdin: ChildStdin,
    stdout: BufReader<ChildStdout>,
    next_id: u64,
}

impl StdioClient {
    /// Starts the server for the repository at `workspace`, with its index at `home`, and with
    /// more options.
    #[expect(clippy::disallowed_methods, reason = "a chore runs the program")]
    pub(crate) fn start(binary: &Path, workspace: &Path, home: &Path, options: &[&str]) -> Outcome<StdioClient> {
        let mut child = Command::new(binary)
            .args(["serve-mcp", "--quiet", "--index-wait", "600", "--call-timeout", "600"])
            .args(options)
            .arg("--workspace")
            .arg(workspace)
            .env("CODECOMPASS_HOME", home)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let stdin = child.stdin.take().ok_or("no stdin")?;
        let stdout = BufReader::new(child.stdout.take().ok_or("no stdout")?);
        Ok(StdioClient { child, stdin, stdout, next_id: 0 })
    }

    /// The handshake; gives what the server says of itself.
    pub(crate) fn begin(&mut self) -> Outcome<Value> {
        let client = json!({"name": "session", "version": "1"});
        let params = json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client});
        let answer = self.request("initialize", params)?;
        self.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}))?;
        Ok(answer)
    }

    /// Sends a request and gives its result.
    pub(crate) fn request(&mut self, method: &str, params: Value) -> Outcome<Value> {
        self.next_id += 1;
        self.send(&json!({"jsonrpc": "2.0", "id": self.next_id, "method": method, "params": params}))?;
        loop {
            let mut line = String::new();
            if self.stdout.read_line(&mut line)? == 0 {
                return Err("the server ended".into());
            }
            let mut message: Value = serde_json::from_str(&line)?;
            if message["id"] == self.next_id {
                return match message["result"].take() {
                    Value::Null => Err(format!("{method}: {}", message["error"]).into()),
                    result => Ok(result),
                };
            }
        }
    }

    /// Closes stdin; the server must end well.
    pub(crate) fn end(self) -> Outcome<()> {
        let StdioClient { mut child, stdin, .. } = self;
        drop(stdin);
        if child.wait()?.success() { Ok(()) } else { Err("the server ended with an error".into()) }
    }

    fn send(&mut self, message: &Value) -> Outcome<()> {
        writeln!(self.stdin, "{message}")?;
        Ok(self.stdin.flush()?)
    }
}
