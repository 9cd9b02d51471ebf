//! A server on stdin and stdout, asked one question after the other, and ended well or badly.

#![allow(clippy::unwrap_used, reason = "tests may fail loudly")]

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use codecompass_testkit::Answer;
use serde_json::{Value, json};

pub(crate) struct Server {
    child: Child,
    stdin: ChildStdin,
    stdout: BufReader<ChildStdout>,
    next_id: u64,
}

impl Server {
    pub(crate) fn start(command: &mut Command) -> Server {
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let stdin = child.stdin.take().unwrap();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        Server { child, stdin, stdout, next_id: 0 }
    }

    /// Calls a tool: its answer, or what went wrong.
    pub(crate) fn call(&mut self, tool: &str, arguments: &Value) -> Result<Value, String> {
        self.next_id += 1;
        let meta = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {},
            "io.modelcontextprotocol/clientInfo": {"name": "storm", "version": "1"},
        });
        let params = json!({"name": tool, "arguments": arguments, "_meta": meta});
        let request = json!({"jsonrpc": "2.0", "id": self.next_id, "method": "tools/call", "params": params});
        writeln!(self.stdin, "{request}").map_err(|error| error.to_string())?;
        loop {
            let mut line = String::new();
            if self.stdout.read_line(&mut line).map_err(|error| error.to_string())? == 0 {
                return Err("the server ended".into());
            }
            let message: Value = serde_json::from_str(&line).map_err(|_| format!("no message: {line}"))?;
            if message["id"] == self.next_id {
                let text = message["result"]["content"][0]["text"].as_str().unwrap_or_default();
                return if message["result"]["isError"] == json!(false) {
                    serde_json::from_str(text).map_err(|error| error.to_string())
                } else {
                    Err(message.to_string())
                };
            }
        }
    }

    /// Closes stdin and waits for the end.
    pub(crate) fn end(self) -> Answer {
        drop(self.stdin);
        // What is left on stdout is of no interest, but must not fill the pipe.
        drop(self.stdout);
        Answer::wait_for(self.child)
    }

    pub(crate) fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}
