//! A provider of vectors, scores and texts on this machine, for as many requests as come.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};

/// The text that is written about any question. It names places that are there, and two that are
/// not.
const NARRATIVE: &str = "Orders are read by `load_orders` (store.rs:22-24), which src/store.rs:13 calls.\n\n\
    - The server at http://localhost:8080/orders is cmd/serve/main.go:4.\n\
    - Prices are in billing/prices.py:3 and billing/invoice.py:900. \u{1b}[31mRed\n";

/// The requests that came, and the provider's state.
#[derive(Default)]
struct State {
    connections: AtomicUsize,
    is_broken: AtomicBool,
    requests: Mutex<Vec<Request>>,
}

/// A request as it came.
#[derive(Clone)]
pub(crate) struct Request {
    pub(crate) path: String,
    pub(crate) authorization: String,
    pub(crate) body: Value,
}

/// Runs until the test ends.
pub(crate) struct Provider {
    port: u16,
    state: Arc<State>,
}

impl Provider {
    pub(crate) fn start() -> Provider {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let state = Arc::new(State::default());
        let own = state.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                own.connections.fetch_add(1, Ordering::SeqCst);
                // A client that goes away is no concern of this.
                let _ = stream.and_then(|stream| serve(stream, &own));
            }
        });
        Provider { port, state }
    }

    pub(crate) fn url(&self) -> String {
        format!("http://127.0.0.1:{}/v1", self.port)
    }

    /// Answers nothing but errors from now on, or again properly.
    pub(crate) fn set_broken(&self, is_broken: bool) {
        self.state.is_broken.store(is_broken, Ordering::SeqCst);
    }

    pub(crate) fn connections(&self) -> usize {
        self.state.connections.load(Ordering::SeqCst)
    }

    /// Returns the requests since the last call.
    pub(crate) fn requests(&self) -> Vec<Request> {
        std::mem::take(&mut *self.state.requests.lock().unwrap())
    }
}

fn serve(mut stream: TcpStream, state: &State) -> std::io::Result<()> {
    let mut reader = BufReader::new(stream.try_clone()?);
    let mut lines = Vec::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line)?;
        match line.trim_end() {
            "" => break,
            line => lines.push(line.to_string()),
        }
    }
    let header = |name: &str| {
        let found = lines.iter().filter_map(|line| line.split_once(": ")).find(|(n, _)| n.eq_ignore_ascii_case(name));
        found.map(|(_, value)| value.to_string()).unwrap_or_default()
    };
    let mut body = vec![0; header("content-length").parse().unwrap_or(0)];
    reader.read_exact(&mut body)?;
    let path = lines.first().and_then(|line| line.split(' ').nth(1)).unwrap_or_default().to_string();
    let body: Value = serde_json::from_slice(&body)?;
    let answer = match path.rsplit('/').next() {
        Some("rerank") => scores(&body),
        Some("completions") => json!({"choices": [{"message": {"content": NARRATIVE}, "finish_reason": "stop"}]}),
        _ => vectors(&body),
    };
    state.requests.lock().unwrap().push(Request { path, authorization: header("authorization"), body });
    let (status, answer) = if state.is_broken.load(Ordering::SeqCst) {
        // A refusal is not tried again, which keeps tests short.
        ("400 Bad Request", json!({"error": "your key is key-of-vectors"}))
    } else {
        ("200 OK", answer)
    };
    let answer = answer.to_string();
    write!(
        stream,
        "HTTP/1.1 {status}\r\nconnection: close\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n{answer}",
        answer.len()
    )
}

/// One vector for each text: money in one direction, everything else in another.
fn vectors(body: &Value) -> Value {
    let vector = |(index, text): (usize, &Value)| {
        let text = text.as_str().unwrap_or_default();
        let is_money = text.contains("owe") || text.contains("Invoice") || text.contains("price");
        json!({"index": index, "embedding": if is_money { [1.0, 0.1] } else { [0.1, 1.0] }})
    };
    let texts = body["input"].as_array().cloned().unwrap_or_default();
    json!({"data": texts.iter().enumerate().map(vector).collect::<Vec<_>>()})
}

/// One score for each document: scripts of the web answer everything.
fn scores(body: &Value) -> Value {
    let score = |(index, text): (usize, &Value)| {
        let is_web = text.as_str().unwrap_or_default().starts_with("web/legacy.js\n");
        json!({"index": index, "relevance_score": if is_web { 0.9 } else { 0.1 }})
    };
    let texts = body["documents"].as_array().cloned().unwrap_or_default();
    json!({"results": texts.iter().enumerate().map(score).collect::<Vec<_>>()})
}
