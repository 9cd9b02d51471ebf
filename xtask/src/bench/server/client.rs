//! A client as small as it can be: one connection that is kept, requests of 2026-07-28 that stand
//! for themselves.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::outcome::Outcome;

/// Nothing takes that long unless it hangs.
const PATIENCE: Duration = Duration::from_secs(90);

/// One client of a server.
pub(crate) struct Client {
    address: String,
    stream: BufReader<TcpStream>,
    next_id: u64,
}

/// The answer to a call, with its times.
pub(crate) struct Called {
    pub(crate) asked: Instant,
    pub(crate) answered: Instant,
    /// The object that the tool answers with, or what went wrong.
    pub(crate) answer: Result<Value, String>,
}

impl Client {
    pub(crate) fn connect(address: &str) -> Outcome<Client> {
        Ok(Client { address: address.to_string(), stream: BufReader::new(connect(address)?), next_id: 0 })
    }

    /// Asks `/health`.
    pub(super) fn health(&mut self) -> Outcome<Value> {
        let head = format!("GET /health HTTP/1.1\r\nhost: {}\r\n\r\n", self.address);
        Ok(serde_json::from_str(&self.exchange(&head)?)?)
    }

    /// Asks the server who it is.
    pub(super) fn discover(&mut self) -> Outcome<Value> {
        self.request("server/discover", None, json!({}))
    }

    /// Calls a tool.
    pub(crate) fn call(&mut self, tool: &str, arguments: &Value) -> Called {
        let asked = Instant::now();
        let outcome = self.request("tools/call", Some(tool), json!({"name": tool, "arguments": arguments}));
        let answered = Instant::now();
        let answer = outcome.map_err(|error| error.to_string()).and_then(|result| {
            let text = result["content"][0]["text"].as_str().unwrap_or_default();
            if result["isError"] == json!(false) {
                serde_json::from_str(text).map_err(|error| format!("{error} in {text}"))
            } else {
                Err(result.to_string())
            }
        });
        Called { asked, answered, answer }
    }

    fn request(&mut self, method: &str, name: Option<&str>, params: Value) -> Outcome<Value> {
        self.next_id += 1;
        let request = post(&self.address, self.next_id, method, name, params);
        let body = self.exchange(&request)?;
        let data = body.lines().rev().find_map(|line| line.strip_prefix("data:")).unwrap_or(&body);
        let mut message: Value = serde_json::from_str(data)?;
        match (message["id"] == self.next_id, message["result"].take()) {
            (true, result @ Value::Object(_)) => Ok(result),
            _ => Err(format!("{method}: {message}").into()),
        }
    }

    /// Sends a request and reads the body of what comes back.
    fn exchange(&mut self, request: &str) -> Outcome<String> {
        self.stream.get_mut().write_all(request.as_bytes())?;
        let mut line = String::new();
        let mut status = String::new();
        let (mut length, mut is_chunked) = (0, false);
        loop {
            line.clear();
            if self.stream.read_line(&mut line)? == 0 {
                return Err("the server closed the connection".into());
            }
            let header = line.trim_end().to_lowercase();
            if status.is_empty() {
                status = header;
            } else if header.is_empty() {
                break;
            } else if let Some(value) = header.strip_prefix("content-length:") {
                length = value.trim().parse()?;
            } else if header == "transfer-encoding: chunked" {
                is_chunked = true;
            }
        }
        let mut body = Vec::new();
        while is_chunked {
            line.clear();
            self.stream.read_line(&mut line)?;
            let size = usize::from_str_radix(line.trim(), 16)?;
            let start = body.len();
            body.resize(start + size + 2, 0);
            self.stream.read_exact(&mut body[start..])?;
            body.truncate(start + size);
            is_chunked = size > 0;
        }
        if length > 0 {
            body.resize(length, 0);
            self.stream.read_exact(&mut body)?;
        }
        let body = String::from_utf8(body)?;
        match status.split(' ').nth(1) {
            Some("200") => Ok(body),
            _ => Err(format!("{status}: {body}").into()),
        }
    }
}

/// A connection with which one can also behave badly.
pub(super) fn connect(address: &str) -> Outcome<TcpStream> {
    let stream = TcpStream::connect(address)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    stream.set_nodelay(true)?;
    Ok(stream)
}

/// The text of a request to the protocol's path.
pub(super) fn post(address: &str, id: u64, method: &str, name: Option<&str>, mut params: Value) -> String {
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/clientInfo": {"name": "bench", "version": "1"},
    });
    let body = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}).to_string();
    let name = name.map(|name| format!("mcp-name: {name}\r\n")).unwrap_or_default();
    format!(
        "POST /mcp HTTP/1.1\r\nhost: {address}\r\ncontent-type: application/json\r\n\
         accept: application/json, text/event-stream\r\nmcp-protocol-version: 2026-07-28\r\nmcp-method: {method}\r\n\
         {name}content-length: {}\r\n\r\n{body}",
        body.len()
    )
}
