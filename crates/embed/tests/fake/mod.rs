//! Providers on this machine: one plays a script, a reply for each connection, then none; one
//! answers any number of requests at a time.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::Value;

/// The reply to one request.
pub(crate) enum Reply {
    /// A status line's end, further headers and a body.
    Full(&'static str, String, Vec<u8>),
    /// Nothing, until the client goes away.
    Silence,
    /// The head of an answer, then a byte now and then without end.
    Trickle,
    /// Bytes as they are.
    Raw(&'static [u8]),
}

impl Reply {
    pub(crate) fn json(body: impl ToString) -> Reply {
        Reply::Full("200 OK", "content-type: application/json\r\n".into(), body.to_string().into_bytes())
    }

    pub(crate) fn status(status: &'static str) -> Reply {
        Reply::Full(status, String::new(), b"{\"error\": \"you sent: fn secret_code()\"}".to_vec())
    }

    pub(crate) fn status_with(status: &'static str, headers: &str) -> Reply {
        Reply::Full(status, headers.to_string(), Vec::new())
    }
}

/// A request as it came.
pub(crate) struct Request {
    /// The request line and headers, names in lower case.
    pub(crate) head: Vec<String>,
    pub(crate) body: Value,
}

impl Request {
    pub(crate) fn has(&self, line: &str) -> bool {
        self.head.iter().any(|other| other == line)
    }
}

pub(crate) struct Server {
    pub(crate) port: u16,
    requests: Receiver<Request>,
}

impl Server {
    pub(crate) fn start(script: Vec<Reply>) -> Server {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let (sender, requests) = channel();
        std::thread::spawn(move || {
            for reply in script {
                let (stream, _) = listener.accept().unwrap();
                stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
                if let Some(request) = read(&stream)
                    && sender.send(request).is_err()
                {
                    return;
                }
                // The client may be gone already, which is part of what is tested.
                let _ = answer(stream, reply);
            }
        });
        Server { port, requests }
    }

    pub(crate) fn url(&self) -> String {
        format!("http://127.0.0.1:{}/v1", self.port)
    }

    /// Returns the requests so far; a client that has its answer has been heard.
    pub(crate) fn requests(&self) -> Vec<Request> {
        self.requests.try_iter().collect()
    }
}

/// Makes the reply to a request.
type Answer = dyn Fn(&Request) -> Reply + Send + Sync;

/// A provider that answers all requests at once, after a while.
pub(crate) struct Crowd {
    port: u16,
    state: Arc<CrowdState>,
}

#[derive(Default)]
struct CrowdState {
    now: AtomicUsize,
    most: AtomicUsize,
    requests: Mutex<Vec<Request>>,
}

impl Crowd {
    pub(crate) fn start(delay: Duration, reply: impl Fn(&Request) -> Reply + Send + Sync + 'static) -> Crowd {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let state = Arc::new(CrowdState::default());
        let (own, reply): (_, Arc<Answer>) = (state.clone(), Arc::new(reply));
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (state, reply) = (own.clone(), reply.clone());
                std::thread::spawn(move || state.serve(stream, delay, &*reply));
            }
        });
        Crowd { port, state }
    }

    pub(crate) fn url(&self) -> String {
        format!("http://127.0.0.1:{}/v1", self.port)
    }

    /// Returns the largest number of requests that were open at one time.
    pub(crate) fn most_at_once(&self) -> usize {
        self.state.most.load(Ordering::SeqCst)
    }

    /// Returns the requests since the last call.
    pub(crate) fn requests(&self) -> Vec<Request> {
        std::mem::take(&mut *self.state.requests.lock().unwrap())
    }
}

impl CrowdState {
    fn serve(&self, stream: TcpStream, delay: Duration, reply: &Answer) {
        let Some(request) = read(&stream) else { return };
        self.most.fetch_max(self.now.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
        std::thread::sleep(delay);
        let reply = reply(&request);
        self.requests.lock().unwrap().push(request);
        self.now.fetch_sub(1, Ordering::SeqCst);
        // The client may be gone already.
        let _ = answer(stream, reply);
    }
}

fn read(stream: &TcpStream) -> Option<Request> {
    let mut reader = BufReader::new(stream);
    let mut head = Vec::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        match line.trim_end() {
            "" => break,
            line => head.push(match line.split_once(": ") {
                Some((name, value)) => format!("{}: {value}", name.to_lowercase()),
                None => line.to_string(),
            }),
        }
    }
    let length = head.iter().find_map(|line| line.strip_prefix("content-length: "))?.parse().ok()?;
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    Some(Request { head, body: serde_json::from_slice(&body).ok()? })
}

fn answer(mut stream: TcpStream, reply: Reply) -> std::io::Result<()> {
    match reply {
        Reply::Full(status, headers, body) => {
            let length = body.len();
            write!(stream, "HTTP/1.1 {status}\r\nconnection: close\r\ncontent-length: {length}\r\n{headers}\r\n")?;
            stream.write_all(&body)
        }
        Reply::Silence => std::io::copy(&mut stream, &mut std::io::sink()).map(|_| ()),
        Reply::Trickle => {
            write!(stream, "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 100000\r\n\r\n")?;
            loop {
                stream.write_all(b" ")?;
                std::thread::sleep(Duration::from_millis(10));
            }
        }
        Reply::Raw(bytes) => stream.write_all(bytes),
    }
}
