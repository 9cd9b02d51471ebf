//! A client as small as it can be: one connection for each request, written and read by hand.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, ExitStatus, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};

use codecompass_testkit::{DEADLINE, TestWorkspace, until};
use serde_json::{Value, json};

use crate::PROGRAM;
use crate::client::{Era, PATIENT, text};

/// A running server.
pub(crate) struct HttpServer {
    child: Child,
    /// Host and port.
    pub(crate) address: String,
    stderr: Option<BufReader<std::process::ChildStderr>>,
}

/// An answer of the server.
#[derive(Debug)]
pub(crate) struct Response {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: String,
}

impl Response {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|_| panic!("no JSON: {self:?}"))
    }

    /// A header's value; its name in lower case.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let line = self.head.lines().find(|line| line.to_lowercase().starts_with(&format!("{name}:")))?;
        Some(line.split_once(':')?.1.trim())
    }

    /// The messages of a stream, or the one message.
    pub(crate) fn messages(&self) -> Vec<Value> {
        if self.header("content-type") == Some("application/json") {
            return vec![self.json()];
        }
        // Older clients take every event for a message.
        let data = self.body.lines().filter_map(|line| line.strip_prefix("data:")).map(str::trim);
        data.map(|data| serde_json::from_str(data).unwrap()).collect()
    }
}

impl HttpServer {
    /// Starts the server on a free port, with these flags and variables besides. Its answers are
    /// JSON unless they say otherwise.
    pub(crate) fn start(workspace: &TestWorkspace, args: &[&str], variables: &[(&str, &str)]) -> HttpServer {
        let fixed = ["serve-mcp", "--transport", "http", "--bind", "127.0.0.1:0"];
        let is_said = args.contains(&"--answers") || variables.iter().any(|(name, _)| name.ends_with("_ANSWERS"));
        let form: &[&str] = if is_said { &[] } else { &["--answers", "json"] };
        let args: Vec<&str> = fixed.iter().chain(form).chain(args).copied().collect();
        let mut command = workspace.command(PROGRAM, &args);
        command.env(PATIENT.0, PATIENT.1);
        let mut child = command.envs(variables.iter().copied()).stdin(Stdio::null()).spawn().unwrap();
        let mut stderr = BufReader::new(child.stderr.take().unwrap());
        // Before that it may say that another process is indexing.
        let address = stderr.by_ref().lines().map_while(Result::ok).find_map(|line| {
            let address = line.strip_prefix("codecompass: listening on http://")?;
            Some(address.strip_suffix("/mcp")?.to_string())
        });
        let address = address.expect("the server says where it listens");
        HttpServer { child, address, stderr: Some(stderr) }
    }

    /// A connection, for those who want to behave badly.
    pub(crate) fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(&self.address).unwrap();
        stream.set_read_timeout(Some(DEADLINE)).unwrap();
        stream.set_write_timeout(Some(DEADLINE)).unwrap();
        stream
    }

    /// Sends a request as it stands, and reads the answer to its end.
    pub(crate) fn raw(&self, request: &[u8]) -> Response {
        let mut stream = self.connect();
        // The server may answer and close before it has read everything.
        let _ = stream.write_all(request);
        let mut bytes = Vec::new();
        let _ = stream.read_to_end(&mut bytes);
        read_response(&bytes)
    }

    /// Sends a request with these headers; `host`, where given, takes the place of the right one.
    pub(crate) fn request(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> Response {
        let mut head = format!("{method} {path} HTTP/1.1\r\nconnection: close\r\n");
        if !headers.iter().any(|(name, _)| *name == "host") {
            head.push_str(&format!("host: {}\r\n", self.address));
        }
        headers.iter().for_each(|(name, value)| head.push_str(&format!("{name}: {value}\r\n")));
        if method == "POST" {
            head.push_str(&format!("content-length: {}\r\n", body.len()));
        }
        self.raw(format!("{head}\r\n{body}").as_bytes())
    }

    /// Posts a message to the protocol's path.
    pub(crate) fn post(&self, headers: &[(&str, &str)], body: &str) -> Response {
        let usual = [("content-type", "application/json"), ("accept", "application/json, text/event-stream")];
        let headers: Vec<(&str, &str)> = usual.iter().chain(headers).copied().collect();
        self.request("POST", "/mcp", &headers, body)
    }

    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Asks the process to end, and waits until it has.
    pub(crate) fn terminate(&mut self, signal: &str) -> ExitStatus {
        let sent = std::process::Command::new("kill").args([&format!("-{signal}"), &self.pid().to_string()]).status();
        assert!(sent.unwrap().success());
        until("the end of the server", || self.child.try_wait().unwrap().is_some());
        self.child.wait().unwrap()
    }

    /// Returns what the server wrote to stderr after the address, once it has ended.
    pub(crate) fn stderr(&mut self) -> String {
        let mut said = String::new();
        self.stderr.take().unwrap().read_to_string(&mut said).unwrap();
        said
    }
}

impl Drop for HttpServer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// One client of a server.
pub(crate) struct HttpClient<'a> {
    server: &'a HttpServer,
    era: Era,
    pub(crate) session: Option<String>,
    token: Option<&'a str>,
    next_id: AtomicU64,
}

impl<'a> HttpClient<'a> {
    pub(crate) fn connect(server: &'a HttpServer, era: Era, token: Option<&'a str>) -> HttpClient<'a> {
        let mut client = HttpClient { server, era, session: None, token, next_id: AtomicU64::new(1) };
        if era == Era::Initialize {
            let params = json!({
                "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"},
            });
            let message = json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params});
            let answer = client.send(&message, &[]);
            assert_eq!(answer.status, 200, "{answer:?}");
            assert_eq!(answer.messages()[0]["result"]["protocolVersion"], "2025-11-25", "{answer:?}");
            client.session = Some(answer.header("mcp-session-id").unwrap().to_string());
            let answer = client.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}), &[]);
            assert_eq!(answer.status, 202, "{answer:?}");
        }
        client
    }

    /// Sends a message as it stands.
    pub(crate) fn send(&self, message: &Value, more: &[(&str, &str)]) -> Response {
        let bearer = self.token.map(|token| format!("Bearer {token}"));
        let mut headers: Vec<(&str, &str)> = more.to_vec();
        headers.extend(bearer.iter().map(|bearer| ("authorization", bearer.as_str())));
        headers.extend(self.session.iter().map(|session| ("mcp-session-id", session.as_str())));
        let method = message["method"].as_str().unwrap_or_default();
        let name = message["params"]["name"].as_str();
        if self.era == Era::Stateless {
            headers.push(("mcp-protocol-version", "2026-07-28"));
            headers.push(("mcp-method", method));
            headers.extend(name.map(|name| ("mcp-name", name)));
        }
        self.server.post(&headers, &message.to_string())
    }

    /// Sends a request: all messages that come back.
    #[track_caller]
    pub(crate) fn request(&self, method: &str, mut params: Value) -> Vec<Value> {
        if self.era == Era::Stateless {
            let meta = &mut params["_meta"];
            meta["io.modelcontextprotocol/protocolVersion"] = json!("2026-07-28");
            meta["io.modelcontextprotocol/clientCapabilities"] = json!({});
            meta["io.modelcontextprotocol/clientInfo"] = json!({"name": "test", "version": "1"});
        }
        let id = self.next_id.fetch_add(1, Ordering::Relaxed);
        let response = self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}), &[]);
        assert_eq!(response.status, 200, "{response:?}");
        let messages = response.messages();
        assert_eq!(messages.last().unwrap()["id"], id, "{messages:?}");
        messages
    }

    /// Calls a tool: the whole result.
    #[track_caller]
    pub(crate) fn call(&self, tool: &str, arguments: Value) -> Value {
        let messages = self.request("tools/call", json!({"name": tool, "arguments": arguments}));
        messages.last().unwrap()["result"].clone()
    }

    /// Calls a tool that must succeed: its answer.
    #[track_caller]
    pub(crate) fn answer(&self, tool: &str, arguments: Value) -> Value {
        let result = self.call(tool, arguments);
        assert_eq!(result["isError"], false, "{result}");
        serde_json::from_str(text(&result)).unwrap()
    }
}

fn read_response(bytes: &[u8]) -> Response {
    let end = bytes.windows(4).position(|four| four == b"\r\n\r\n");
    let end = end.unwrap_or_else(|| panic!("no answer: {:?}", String::from_utf8_lossy(bytes)));
    let head = String::from_utf8_lossy(&bytes[..end]).into_owned();
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    let rest = &bytes[end + 4..];
    let is_chunked = head.to_lowercase().contains("transfer-encoding: chunked");
    let body = if is_chunked { join_chunks(rest) } else { rest.to_vec() };
    Response { status, head, body: String::from_utf8(body).unwrap() }
}

fn join_chunks(mut bytes: &[u8]) -> Vec<u8> {
    let mut joined = Vec::new();
    while let Some(line) = bytes.windows(2).position(|two| two == b"\r\n") {
        let size = usize::from_str_radix(std::str::from_utf8(&bytes[..line]).unwrap(), 16).unwrap();
        let piece = &bytes[line + 2..];
        if size == 0 || piece.len() < size + 2 {
            break;
        }
        joined.extend_from_slice(&piece[..size]);
        bytes = &piece[size + 2..];
    }
    joined
}
