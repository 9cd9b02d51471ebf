//! A client as small as it can be: JSON lines to the server's stdin and from its stdout.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

use codecompass_testkit::{DEADLINE, TestWorkspace, until};
use serde_json::{Value, json};

use crate::PROGRAM;

/// On a busy machine the first index takes longer than a server waits by itself; flags count more
/// than this.
pub(crate) const PATIENT: (&str, &str) = ("CODECOMPASS_SERVER_INDEX_WAIT_SECONDS", "600");
/// The time of a call limits that wait, too.
const LONG_CALLS: (&str, &str) = ("CODECOMPASS_SERVER_CALL_TIMEOUT_SECONDS", "900");

/// The version of the protocol that the client speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Era {
    /// 2025-11-25: a handshake, then requests.
    Initialize,
    /// 2026-07-28: every request stands for itself.
    Stateless,
}

/// A running server and its ends.
pub(crate) struct Client {
    child: Child,
    stdin: Option<ChildStdin>,
    received: Receiver<Value>,
    next_id: u64,
    era: Era,
    /// Messages that were no answer to what was asked.
    pub(crate) notifications: Vec<Value>,
}

impl Client {
    /// Starts the server and says nothing yet. Its answers are JSON unless `args` say otherwise.
    ///
    /// It does not read the history by itself, since some answers have more once it has, and it
    /// answers from what is on disk, however long that takes, unless a call asks otherwise.
    pub(crate) fn start(workspace: &TestWorkspace, args: &[&str]) -> Client {
        let variables = [("CODECOMPASS_HISTORY_BACKGROUND", "false"), ("CODECOMPASS_FRESHNESS_POLICY", "strict")];
        Client::start_with(workspace, args, &variables)
    }

    /// The same with these variables.
    pub(crate) fn start_with(workspace: &TestWorkspace, args: &[&str], variables: &[(&str, &str)]) -> Client {
        let form: &[&str] = if args.contains(&"--answers") { &[] } else { &["--answers", "json"] };
        let args: Vec<&str> = ["serve-mcp"].iter().chain(form).chain(args).copied().collect();
        let mut command = workspace.command(PROGRAM, &args);
        let mut child =
            command.envs([PATIENT, LONG_CALLS]).envs(variables.iter().copied()).stdin(Stdio::piped()).spawn().unwrap();
        let (sender, received) = channel();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        thread::spawn(move || {
            for line in stdout.lines().map_while(Result::ok) {
                // Whatever is not JSON on stdout is a mistake of the server.
                let message = serde_json::from_str(&line).unwrap_or_else(|_| json!({"not_json": line}));
                if sender.send(message).is_err() {
                    return;
                }
            }
        });
        let stdin = child.stdin.take();
        Client { child, stdin, received, next_id: 0, era: Era::Initialize, notifications: Vec::new() }
    }

    /// Starts the server and begins as the protocol of `era` says.
    pub(crate) fn connect(workspace: &TestWorkspace, era: Era, args: &[&str]) -> Client {
        let mut client = Client::start(workspace, args);
        client.era = era;
        if era == Era::Initialize {
            client.initialize("2025-11-25");
        }
        client
    }

    pub(crate) fn initialize(&mut self, version: &str) -> Value {
        let params = json!({
            "protocolVersion": version,
            "capabilities": {},
            "clientInfo": {"name": "test", "version": "1"},
        });
        let answer = self.request("initialize", params);
        self.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        answer
    }

    pub(crate) fn send(&mut self, message: &Value) {
        self.send_line(&message.to_string());
    }

    pub(crate) fn send_line(&mut self, line: &str) {
        let stdin = self.stdin.as_mut().unwrap();
        stdin.write_all(line.as_bytes()).unwrap();
        stdin.write_all(b"\n").unwrap();
        stdin.flush().unwrap();
    }

    /// Sends a piece of a line; a server that has ended does not mind.
    pub(crate) fn send_part(&mut self, part: &str) {
        let stdin = self.stdin.as_mut().unwrap();
        let _ = stdin.write_all(part.as_bytes()).and_then(|()| stdin.flush());
    }

    /// Sends a request and gives its id.
    pub(crate) fn begin(&mut self, method: &str, mut params: Value) -> u64 {
        self.next_id += 1;
        if self.era == Era::Stateless {
            let meta = &mut params["_meta"];
            meta["io.modelcontextprotocol/protocolVersion"] = json!("2026-07-28");
            meta["io.modelcontextprotocol/clientCapabilities"] = json!({});
            meta["io.modelcontextprotocol/clientInfo"] = json!({"name": "test", "version": "1"});
        }
        self.send(&json!({"jsonrpc": "2.0", "id": self.next_id, "method": method, "params": params}));
        self.next_id
    }

    /// Waits for the answer to request `id`: the whole message.
    #[track_caller]
    pub(crate) fn finish(&mut self, id: u64) -> Value {
        let start = Instant::now();
        loop {
            let left = DEADLINE.saturating_sub(start.elapsed());
            let message = self.received.recv_timeout(left).unwrap_or_else(|_| panic!("no answer to request {id}"));
            if message["id"] == id {
                return message;
            }
            self.notifications.push(message);
        }
    }

    /// Returns the next message within `time`, if one comes.
    pub(crate) fn next_within(&mut self, time: Duration) -> Option<Value> {
        self.received.recv_timeout(time).ok()
    }

    #[track_caller]
    pub(crate) fn request(&mut self, method: &str, params: Value) -> Value {
        let id = self.begin(method, params);
        self.finish(id)
    }

    /// Calls a tool: the whole result.
    #[track_caller]
    pub(crate) fn call(&mut self, tool: &str, arguments: Value) -> Value {
        let message = self.request("tools/call", json!({"name": tool, "arguments": arguments}));
        assert!(message["result"].is_object(), "{message}");
        message["result"].clone()
    }

    /// Calls a tool that must succeed: its answer.
    #[track_caller]
    pub(crate) fn answer(&mut self, tool: &str, arguments: Value) -> Value {
        let result = self.call(tool, arguments);
        assert_eq!(result["isError"], false, "{result}");
        assert_eq!(result.get("structuredContent"), None, "one copy is enough");
        serde_json::from_str(text(&result)).unwrap()
    }

    /// Calls a tool that must fail: its error.
    #[track_caller]
    pub(crate) fn error(&mut self, tool: &str, arguments: Value) -> Value {
        let result = self.call(tool, arguments);
        assert_eq!(result["isError"], true, "{result}");
        let error: Value = serde_json::from_str(text(&result)).unwrap();
        let error = error["error"].clone();
        assert!(error["message"].as_str().is_some_and(|text| !text.is_empty()), "{error}");
        assert!(error["data"]["remediation"].as_str().is_some_and(|text| !text.is_empty()), "{error}");
        error
    }

    #[cfg(unix)]
    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Closes the end that the server writes to, as soon as it writes something.
    pub(crate) fn stop_reading(&mut self) {
        let (_, nobody) = channel();
        self.received = nobody;
    }

    pub(crate) fn close_stdin(&mut self) {
        self.stdin = None;
    }

    /// Closes stdin, and waits for the end.
    pub(crate) fn close(mut self) -> ExitStatus {
        self.close_stdin();
        self.wait()
    }

    /// Waits for the end; whatever the server says on stderr is its own business.
    pub(crate) fn wait(&mut self) -> ExitStatus {
        until("the end of the server", || self.child.try_wait().unwrap().is_some());
        self.child.wait().unwrap()
    }

    /// Returns what the server wrote to stderr, once it has ended.
    pub(crate) fn stderr(&mut self) -> String {
        let mut said = String::new();
        self.child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
        said
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The text of a tool's result.
pub(crate) fn text(result: &Value) -> &str {
    assert_eq!(result["content"].as_array().map(Vec::len), Some(1), "{result}");
    result["content"][0]["text"].as_str().unwrap()
}
