//! A server that speaks as much of S3 as our client asks for, and lies when it is told to.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::thread;
use std::time::Duration;

/// Objects on a page of a listing.
const PAGE: usize = 3;
/// The time of all objects.
const WRITTEN: &str = "<LastModified>2020-01-01T00:00:00.000Z</LastModified>";

/// A way to misbehave.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Fault {
    /// None.
    #[default]
    None,
    /// One bit of each object is wrong.
    WrongBytes,
    /// The second half of each object is missing, and the answer does not say so.
    Truncated,
    /// The connection ends in the middle of each object.
    Broken,
    /// Nothing is sent for so many milliseconds.
    Slow(u64),
    /// Every request ends with this status.
    Status(u16),
    /// Every object is gone, but listed.
    Gone,
}

/// A bucket in memory, behind a real socket.
pub struct FakeS3 {
    state: Arc<State>,
    address: String,
}

#[derive(Default)]
struct State {
    objects: Mutex<BTreeMap<String, Vec<u8>>>,
    fault: Mutex<Fault>,
    requests: Mutex<Vec<String>>,
    lacks_conditions: AtomicBool,
    is_over: AtomicBool,
}

impl FakeS3 {
    /// Starts a server on a free port of this machine.
    pub fn start() -> FakeS3 {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let state = Arc::new(State::default());
        let shared = state.clone();
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                if shared.is_over.load(Ordering::Relaxed) {
                    break;
                }
                let shared = shared.clone();
                thread::spawn(move || serve(&shared, &stream));
            }
        });
        FakeS3 { state, address }
    }

    /// Returns the endpoint for settings.
    pub fn endpoint(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Misbehaves from now on.
    pub fn set_fault(&self, fault: Fault) {
        *lock(&self.state.fault) = fault;
    }

    /// Answers to conditional writes that they are not implemented.
    pub fn lack_conditions(&self) {
        self.state.lacks_conditions.store(true, Ordering::Relaxed);
    }

    /// Returns the objects, to look at or to change.
    pub fn objects(&self) -> MutexGuard<'_, BTreeMap<String, Vec<u8>>> {
        lock(&self.state.objects)
    }

    /// Returns the requests since the last call: method, path and whether it was signed.
    pub fn requests(&self) -> Vec<String> {
        std::mem::take(&mut lock(&self.state.requests))
    }
}

impl Drop for FakeS3 {
    fn drop(&mut self) {
        self.state.is_over.store(true, Ordering::Relaxed);
        let _ = TcpStream::connect(&self.address);
    }
}

fn lock<T>(value: &Mutex<T>) -> MutexGuard<'_, T> {
    value.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

struct AskedOf {
    method: String,
    path: String,
    query: String,
    is_signed: bool,
    is_new: bool,
    body: Vec<u8>,
}

fn read_request(reader: &mut BufReader<&TcpStream>) -> Option<AskedOf> {
    let mut line = String::new();
    reader.read_line(&mut line).ok().filter(|count| *count > 0)?;
    let mut words = line.split(' ');
    let (method, target) = (words.next()?.to_string(), words.next()?.to_string());
    let (path, query) = target.split_once('?').unwrap_or((&target, ""));
    let (mut length, mut is_signed, mut is_new) = (0, false, false);
    loop {
        let mut header = String::new();
        reader.read_line(&mut header).ok()?;
        let header = header.trim_end().to_ascii_lowercase();
        if header.is_empty() {
            break;
        }
        match header.split_once(": ") {
            Some(("content-length", value)) => length = value.parse().ok()?,
            Some(("authorization", value)) => is_signed = value.starts_with("aws4-hmac-sha256 credential="),
            Some(("if-none-match", "*")) => is_new = true,
            _ => {}
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    Some(AskedOf { method, path: path.to_string(), query: query.to_string(), is_signed, is_new, body })
}

fn serve(state: &State, stream: &TcpStream) -> Option<()> {
    let mut reader = BufReader::new(stream);
    loop {
        let asked = read_request(&mut reader)?;
        let signed = if asked.is_signed { " signed" } else { "" };
        lock(&state.requests).push(format!("{} {}{signed}", asked.method, asked.path));
        let fault = *lock(&state.fault);
        match fault {
            Fault::Slow(time) => thread::sleep(Duration::from_millis(time)),
            Fault::Status(status) => {
                answer(stream, status, b"", 0)?;
                continue;
            }
            _ => {}
        }
        let (_, key) = asked.path.trim_start_matches('/').split_once('/').unwrap_or(("", ""));
        match asked.method.as_str() {
            "GET" if key.is_empty() => {
                let page = list(state, &asked.query);
                answer(stream, 200, page.as_bytes(), page.len())?;
            }
            "DELETE" => {
                lock(&state.objects).remove(key);
                answer(stream, 204, b"", 0)?;
            }
            "PUT" => answer(stream, put(state, key, &asked), b"", 0)?,
            _ => {
                let found = lock(&state.objects).get(key).cloned().filter(|_| fault != Fault::Gone);
                let Some(mut bytes) = found else {
                    answer(stream, 404, b"", 0)?;
                    continue;
                };
                let length = bytes.len();
                match fault {
                    Fault::WrongBytes if length > 0 => bytes[length / 2] ^= 1,
                    Fault::Truncated => bytes.truncate(length / 2),
                    _ => {}
                }
                match (asked.method.as_str(), fault) {
                    ("HEAD", _) => answer(stream, 200, b"", bytes.len())?,
                    (_, Fault::Broken) => {
                        answer(stream, 200, &bytes[..length / 2], length)?;
                        return None;
                    }
                    _ => answer(stream, 200, &bytes, bytes.len())?,
                }
            }
        }
    }
}

/// Writes an object; returns the status of the answer.
fn put(state: &State, key: &str, asked: &AskedOf) -> u16 {
    let mut objects = lock(&state.objects);
    if asked.is_new && state.lacks_conditions.load(Ordering::Relaxed) {
        return 501;
    }
    if asked.is_new && objects.contains_key(key) {
        return 412;
    }
    objects.insert(key.to_string(), asked.body.clone());
    200
}

fn answer(mut stream: &TcpStream, status: u16, body: &[u8], length: usize) -> Option<()> {
    write!(stream, "HTTP/1.1 {status} X\r\nContent-Length: {length}\r\n\r\n").ok()?;
    stream.write_all(body).ok()?;
    stream.flush().ok()
}

fn list(state: &State, query: &str) -> String {
    let value = |name: &str| {
        let found = query.split('&').find_map(|pair| pair.strip_prefix(&format!("{name}=")));
        found.map(|found| found.replace("%2F", "/"))
    };
    let (prefix, after) = (value("prefix").unwrap_or_default(), value("continuation-token"));
    let objects = lock(&state.objects);
    let is_next = |key: &str| key.starts_with(&prefix) && after.as_deref().is_none_or(|after| key > after);
    let found: Vec<_> = objects.iter().filter(|(key, _)| is_next(key)).take(PAGE + 1).collect();
    let is_cut = found.len() > PAGE;
    let mut page = format!("<ListBucketResult><IsTruncated>{is_cut}</IsTruncated>");
    for (key, bytes) in found.iter().take(PAGE) {
        page.push_str(&format!("<Contents><Key>{key}</Key>{WRITTEN}<Size>{}</Size></Contents>", bytes.len()));
    }
    if is_cut {
        page.push_str(&format!("<NextContinuationToken>{}</NextContinuationToken>", found[PAGE - 1].0));
    }
    page.push_str("</ListBucketResult>");
    page
}
