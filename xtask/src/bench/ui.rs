//! `cargo xtask bench ui`: the page on Django: results after each key, a long file, a symbol that
//! many use, the weight of a page, and the memory of the server beside one without the page.
//!
//! Times are those of the server; `tests/browser/run --script speed.mjs` has those of a browser.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::json;

use super::corpus::CORPORA;
use super::measure::{Table, median, millis, percentile};
use super::server::client::Client;
use super::server::copy_to_repository;
use super::server::process::Server;
use crate::outcome::Outcome;

const ROUNDS: usize = 7;
/// Names that are typed, key by key.
const TYPED: [&str; 3] = ["get_queryset", "how are migrations applied", "HttpResponse"];
/// A method that hundreds of places call, and the tool calls that tell the same as its page.
const HOT: &str = "django/db/models/query.py::QuerySet.filter";
const LONG_FILE_LINES: usize = 5000;

pub(super) fn run(binary: &Path) -> Outcome<()> {
    let source = CORPORA.iter().find(|corpus| corpus.name == "django").ok_or("no Django")?.tree()?;
    let folder = tempfile::tempdir()?;
    let (tree, home) = (folder.path().join("django"), folder.path().join("home"));
    copy_to_repository(&source, &tree);
    std::fs::write(tree.join("long.py"), long_file())?;
    let mut table = Table::default();
    let server = Server::start_with(binary, &home, &tree, &["--ui"])?;
    server.wait_until_ready()?;
    let page = |path: &str| get(&server.address, &format!("/r/django/{path}"));
    page("-/search?q=warm")?;

    let (mut keys, mut worst) = (Vec::new(), Duration::ZERO);
    for typed in TYPED {
        for end in 2..=typed.len() {
            let query = typed[..end].replace(' ', "+");
            let mut times = Vec::new();
            for _ in 0..ROUNDS {
                times.push(page(&format!("-/search?q={query}"))?.0);
            }
            let time = median(&mut times);
            worst = worst.max(time);
            keys.push(time);
        }
    }
    table.line("results after a key, median", millis(median(&mut keys)), "ms", Some(50.0));
    table.line("results after a key, 95 of 100", millis(percentile(&mut keys, 95)), "ms", None);
    table.line("results after a key, worst", millis(worst), "ms", None);

    let (time, bytes) = repeated(|| page("long.py"))?;
    table.line("file of 5,000 lines, to the last byte", millis(time), "ms", Some(300.0));
    table.line("its size", bytes as f64 / 1e3, "KB", None);
    let symbol = format!("-/symbol?s={}", HOT.replace('/', "%2F"));
    let (time, bytes) = repeated(|| page(&symbol))?;
    table.line("page of a symbol that many use", millis(time), "ms", Some(200.0));
    table.line("its size", bytes as f64 / 1e3, "KB", None);

    table.line("weight of a page without code", weight(&server.address)? as f64 / 1e3, "KB", Some(60.0));
    let with_page = server.megabytes("status", "VmRSS:");
    drop(server);

    let plain = Server::start(binary, &home, &tree)?;
    plain.wait_until_ready()?;
    same_by_tools(&plain)?;
    if let (Some(with_page), Some(plain)) = (with_page, plain.megabytes("status", "VmRSS:")) {
        table.line("memory of the server", with_page, "MB", None);
        table.line("memory / that of one without the page, asked the same", with_page / plain, "x", Some(1.3));
    }
    table.verdict()
}

/// Asks a server without the page what the pages have asked.
fn same_by_tools(server: &Server) -> Outcome<()> {
    let mut client = Client::connect(&server.address)?;
    for _ in 0..ROUNDS {
        for typed in TYPED {
            for end in 2..=typed.len() {
                client.call("search_code", &json!({"query": &typed[..end], "limit": 20})).answer?;
            }
        }
        for tool in ["get_symbol", "get_call_graph", "find_references", "get_symbol_hierarchy"] {
            client.call(tool, &json!({"symbol": HOT})).answer?;
        }
        client.call("get_file_outline", &json!({"path": "long.py"})).answer?;
    }
    Ok(())
}

/// Returns the bytes of a page and of everything that it names.
fn weight(address: &str) -> Outcome<usize> {
    let (_, body) = fetch(address, "/r/django/-/search")?;
    let text = String::from_utf8_lossy(&body);
    let assets = text.split("=\"").skip(1).filter_map(|rest| rest.split('"').next());
    let mut sum = body.len();
    for asset in assets.filter(|asset| asset.starts_with("/assets/")) {
        sum += get(address, asset)?.1;
    }
    Ok(sum)
}

fn repeated(ask: impl Fn() -> Outcome<(Duration, usize)>) -> Outcome<(Duration, usize)> {
    let (mut times, mut bytes) = (Vec::new(), 0);
    for _ in 0..ROUNDS {
        let (time, length) = ask()?;
        times.push(time);
        bytes = length;
    }
    Ok((median(&mut times), bytes))
}

/// Asks for a page; gives the time to its last byte, and its size.
fn get(address: &str, path: &str) -> Outcome<(Duration, usize)> {
    fetch(address, path).map(|(time, body)| (time, body.len()))
}

/// Asks for a page; gives the time to its last byte, and the bytes.
pub(crate) fn fetch(address: &str, path: &str) -> Outcome<(Duration, Vec<u8>)> {
    let asked = Instant::now();
    let mut stream = TcpStream::connect(address)?;
    stream.write_all(format!("GET {path} HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\n\r\n").as_bytes())?;
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer)?;
    let time = asked.elapsed();
    if !answer.starts_with(b"HTTP/1.1 200") {
        let head: String = String::from_utf8_lossy(&answer).chars().take(300).collect();
        return Err(format!("{path}: {head}").into());
    }
    let body = answer.windows(4).position(|window| window == b"\r\n\r\n").map_or(0, |at| at + 4);
    Ok((time, answer.split_off(body)))
}

/// A file of plain Python with calls, names and comments on its lines.
fn long_file() -> String {
    let mut text = String::from("from django.db.models import QuerySet\n");
    let mut number = 0;
    while text.lines().count() < LONG_FILE_LINES {
        text.push_str(&format!(
            "\n\nclass Step{number}(QuerySet):\n    \"\"\"The step {number}.\"\"\"\n\n    def run(self, values, limit={number}):\n        \
             # Counts what is left.\n        found = self.filter(pk__in=values).order_by('pk')[:limit]\n        \
             return [str(item) + 'x{number}' for item in found if item is not None]\n"
        ));
        number += 1;
    }
    text
}
