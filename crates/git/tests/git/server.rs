//! A web server on this machine that serves repositories with `git http-backend`.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex};

/// The length of answers with more than a list of branches.
const LONG: usize = 100_000;

/// The way a server treats requests.
#[derive(Clone)]
pub(crate) enum Manner {
    /// Serves the repositories of a folder.
    Serve(PathBuf),
    /// Serves a folder as files, without knowing git's protocol.
    Files(PathBuf),
    /// Serves a folder, but of long answers only the first half, and waits.
    Half(PathBuf),
    /// Sends every request to another address.
    Redirect(String),
    /// Refuses every request, and repeats the credentials that it got.
    Refuse,
    /// Accepts connections and says nothing.
    Stall,
}

/// A running server. Its thread ends with the process.
pub(crate) struct Server {
    pub(crate) port: u16,
    requests: Arc<Mutex<Vec<Request>>>,
}

/// A request of git.
#[derive(Clone, Debug, Default)]
pub(crate) struct Request {
    method: String,
    path: String,
    query: String,
    headers: Vec<(String, String)>,
}

impl Request {
    /// Returns a header by its name in small letters.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(header, _)| header == name).map(|(_, value)| value.as_str())
    }
}

impl Server {
    pub(crate) fn start(manner: Manner) -> Server {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let server = Server { port: listener.local_addr().unwrap().port(), requests: Arc::default() };
        let requests = server.requests.clone();
        std::thread::spawn(move || {
            let mut stalled = Vec::new();
            for stream in listener.incoming().flatten() {
                if matches!(manner, Manner::Stall) {
                    stalled.push(stream);
                    continue;
                }
                let (manner, requests) = (manner.clone(), requests.clone());
                std::thread::spawn(move || answer(stream, &manner, &requests));
            }
        });
        server
    }

    /// The requests so far.
    pub(crate) fn requests(&self) -> Vec<Request> {
        self.requests.lock().unwrap().clone()
    }
}

fn answer(mut stream: TcpStream, manner: &Manner, requests: &Mutex<Vec<Request>>) {
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    let Some((request, body)) = read(&mut reader) else { return };
    requests.lock().unwrap().push(request.clone());
    let head = match manner {
        Manner::Serve(root) | Manner::Files(root) | Manner::Half(root) => {
            let mut request = request.clone();
            if matches!(manner, Manner::Files(_)) {
                request.query.clear();
            }
            let answer = backend(root, &request, &body);
            let end = answer.windows(4).position(|four| four == b"\r\n\r\n").unwrap();
            let headers = String::from_utf8_lossy(&answer[..end]).into_owned();
            let status = headers.lines().find_map(|line| line.strip_prefix("Status: ")).unwrap_or("200 OK").to_string();
            let _ = write!(stream, "HTTP/1.1 {status}\r\nConnection: close\r\n");
            if matches!(manner, Manner::Half(_)) && answer.len() > LONG {
                let _ = stream.write_all(&answer[..answer.len() / 2]);
                // Until git goes away.
                let _ = reader.read(&mut [0]);
                return;
            }
            let _ = stream.write_all(&answer);
            return;
        }
        Manner::Redirect(to) => format!("302 Found\r\nLocation: {to}{}?{}", request.path, request.query),
        Manner::Refuse | Manner::Stall => {
            let echo = request.header("authorization").unwrap_or_default();
            format!("403 {echo}\r\nX-Echo: {echo}")
        }
    };
    let _ = write!(stream, "HTTP/1.1 {head}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n");
}

fn read(reader: &mut BufReader<TcpStream>) -> Option<(Request, Vec<u8>)> {
    let mut line = String::new();
    reader.read_line(&mut line).ok().filter(|length| *length > 0)?;
    let mut words = line.split(' ');
    let (method, target) = (words.next()?.to_string(), words.next()?);
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    let mut request = Request { method, path: path.into(), query: query.into(), headers: Vec::new() };
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        let Some((name, value)) = line.trim_end().split_once(':') else { break };
        request.headers.push((name.to_ascii_lowercase(), value.trim().to_string()));
    }
    let mut body = Vec::new();
    if request.header("transfer-encoding") == Some("chunked") {
        loop {
            let mut line = String::new();
            reader.read_line(&mut line).ok()?;
            let length = u64::from_str_radix(line.trim(), 16).ok()?;
            reader.take(length).read_to_end(&mut body).ok()?;
            reader.read_line(&mut String::new()).ok()?;
            if length == 0 {
                break;
            }
        }
    } else if let Some(length) = request.header("content-length").and_then(|length| length.parse().ok()) {
        reader.take(length).read_to_end(&mut body).ok()?;
    }
    Some((request, body))
}

fn backend(root: &Path, request: &Request, body: &[u8]) -> Vec<u8> {
    let header = |name: &str| request.header(name).unwrap_or_default();
    let mut child = Command::new("git")
        .arg("http-backend")
        .env("GIT_PROJECT_ROOT", root)
        .env("GIT_HTTP_EXPORT_ALL", "1")
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("REQUEST_METHOD", &request.method)
        .env("PATH_INFO", &request.path)
        .env("QUERY_STRING", &request.query)
        .env("CONTENT_TYPE", header("content-type"))
        .env("CONTENT_LENGTH", body.len().to_string())
        .env("HTTP_CONTENT_ENCODING", header("content-encoding"))
        .env("GIT_PROTOCOL", header("git-protocol"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let body = body.to_vec();
    let writer = std::thread::spawn(move || drop(stdin.write_all(&body)));
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap();
    output.stdout
}
