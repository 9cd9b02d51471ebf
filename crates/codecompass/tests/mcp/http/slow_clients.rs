//! Clients over HTTP that are slow, stop reading, go away or forget their session: none of them
//! costs the others anything.

use std::fs::File;
use std::io::{ErrorKind, Read, Write};
use std::net::TcpStream;
use std::path::Path;

use codecompass_testkit::until;
use serde_json::{Value, json};

use crate::client::Era;
use crate::http::client::{HttpClient, HttpServer};
use crate::{PROGRAM, shop};

fn head_of_post(server: &HttpServer, length: usize) -> String {
    format!(
        "POST /mcp HTTP/1.1\r\nhost: {}\r\ncontent-type: application/json\r\naccept: application/json, text/event-stream\r\n\
         content-length: {length}\r\n",
        server.address
    )
}

/// A whole request that needs no session.
fn stateless(server: &HttpServer, method: &str, mut params: Value) -> String {
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let name = params["name"].as_str().map(|name| format!("mcp-name: {name}\r\n")).unwrap_or_default();
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).to_string();
    let head = head_of_post(server, body.len());
    format!("{head}mcp-protocol-version: 2026-07-28\r\nmcp-method: {method}\r\n{name}\r\n{body}")
}

/// Reads until the server closes the connection: what it said.
#[track_caller]
fn closed_by_server(stream: &mut TcpStream) -> String {
    let mut said = Vec::new();
    match stream.read_to_end(&mut said) {
        Ok(_) => {}
        Err(error) => assert_eq!(error.kind(), ErrorKind::ConnectionReset, "the server keeps the connection: {error}"),
    }
    String::from_utf8_lossy(&said).into_owned()
}

#[test]
fn an_unused_session_ends() {
    let workspace = shop();
    // No session ends while a call may be under way, hence the second one.
    let server = HttpServer::start(&workspace, &["--session-idle", "5", "--call-timeout", "4"], &[]);
    let busy = HttpClient::connect(&server, Era::Initialize, None);
    let idle = HttpClient::connect(&server, Era::Initialize, None);
    assert_ne!(busy.session, idle.session);
    let list = json!({"jsonrpc": "2.0", "id": 7, "method": "tools/list", "params": {}});
    // A stream for news ends with its session, and to wait for news is no use of it.
    let mut stream = server.connect();
    let request = format!(
        "GET /mcp HTTP/1.1\r\nhost: {}\r\naccept: text/event-stream\r\nmcp-session-id: {}\r\nconnection: close\r\n\r\n",
        server.address,
        idle.session.as_deref().unwrap()
    );
    stream.write_all(request.as_bytes()).unwrap();
    std::thread::scope(|scope| {
        let listener = scope.spawn(|| closed_by_server(&mut stream));
        until("the end of a session", || {
            assert_eq!(busy.send(&list, &[]).status, 200, "a session that is used goes on");
            listener.is_finished()
        });
        assert!(listener.join().unwrap().starts_with("HTTP/1.1 200 OK"));
    });
    assert_eq!(idle.send(&list, &[]).status, 404);
    assert_eq!(busy.send(&list, &[]).status, 200);
    let again = HttpClient::connect(&server, Era::Initialize, None);
    assert_eq!(again.answer("locate_symbol", json!({"symbol": "Order"}))["results"][0]["kind"], "class");
}

#[test]
fn slow_clients_are_disconnected() {
    let workspace = shop();
    let server = HttpServer::start(&workspace, &["--tools", "all"], &[("CODECOMPASS_SERVER_SLOW_CLIENT_SECONDS", "1")]);
    let other = HttpClient::connect(&server, Era::Stateless, None);
    let question = || other.answer("locate_symbol", json!({"symbol": "Order"}));
    question();
    let begin = |text: String| {
        let mut stream = server.connect();
        stream.write_all(text.as_bytes()).unwrap();
        stream
    };
    let mut half_head = begin("POST /mcp HTTP/1.1\r\nhost: ".into());
    let mut half_body = begin(format!("{}\r\n{{\"jsonrpc\":", head_of_post(&server, 1000)));
    let mut silent = begin(String::new());
    let mut idle = begin(format!("GET /health HTTP/1.1\r\nhost: {}\r\n\r\n", server.address));
    let mut deaf = begin(String::new());
    std::thread::scope(|scope| {
        // One that asks and asks and never reads: its answers are larger than what the system keeps
        // for it.
        let request = stateless(&server, "tools/list", json!({}));
        let never_reads = scope.spawn(move || {
            loop {
                if let Err(error) = deaf.write_all(request.as_bytes()) {
                    return error.kind();
                }
            }
        });
        // Others are served meanwhile, and afterwards.
        until("the end of one that does not read", || {
            question();
            never_reads.is_finished()
        });
        let ended = never_reads.join().unwrap();
        assert!([ErrorKind::ConnectionReset, ErrorKind::BrokenPipe].contains(&ended), "{ended}");
    });
    closed_by_server(&mut half_head);
    closed_by_server(&mut silent);
    let said = closed_by_server(&mut half_body);
    assert!(said.starts_with("HTTP/1.1 408 "), "{said}");
    assert!(closed_by_server(&mut idle).starts_with("HTTP/1.1 200 "));
    question();
}

/// Outcomes in the audit log, of one tool.
fn outcomes(log: &Path, tool: &str) -> Vec<String> {
    let text = std::fs::read_to_string(log).unwrap_or_default();
    let lines = text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    lines.filter(|line| line["tool"] == tool).map(|line| line["outcome"].as_str().unwrap().to_string()).collect()
}

#[test]
fn a_client_that_goes_away_leaves_nothing_behind() {
    let workspace = shop();
    workspace.run(PROGRAM, &["index"]).found();
    workspace.write("late.py", "def latecomer():\n    return 1\n");
    // A query for the newest state waits for the writer, whose lock this test holds.
    let lock = File::open(workspace.store().root().join("writer.lock")).unwrap();
    lock.lock().unwrap();
    let log = workspace.beside("audit.log");
    let args = ["--tools", "all", "--no-watch", "--index-wait", "0", "--call-timeout", "600"];
    let server = HttpServer::start(&workspace, &args, &[("CODECOMPASS_SERVER_AUDIT_LOG", log.to_str().unwrap())]);
    let other = HttpClient::connect(&server, Era::Stateless, None);
    let from_before = || other.answer("locate_symbol", json!({"symbol": "Order", "freshness": "best_effort"}));
    from_before();
    // As many as work at the same time, and all of them go away: without a session, that calls them
    // off. One that leaves before its call has begun is none of them, so there may be more.
    let strict = json!({"symbol": "latecomer", "freshness": "strict"});
    let request = stateless(&server, "tools/call", json!({"name": "get_symbol", "arguments": strict}));
    let mut stays_a_while = None;
    until("calls that are called off", || {
        let mut stream = server.connect();
        stream.write_all(request.as_bytes()).unwrap();
        stays_a_while = Some(stream);
        let ended = outcomes(&log, "get_symbol");
        assert!(ended.iter().all(|outcome| outcome == "cancelled"), "{ended:?}");
        ended.len() >= 6
    });
    drop(stays_a_while);
    from_before();
    // With a session the answer could be fetched by another connection, so the work goes on; others
    // are served meanwhile.
    let client = HttpClient::connect(&server, Era::Initialize, None);
    let question = json!({"name": "get_file_outline", "arguments": {"path": "late.py", "freshness": "strict"}});
    let body = json!({"jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": question}).to_string();
    let session = client.session.as_deref().unwrap();
    let request = format!("{}mcp-session-id: {session}\r\n\r\n{body}", head_of_post(&server, body.len()));
    let mut stream = server.connect();
    stream.write_all(request.as_bytes()).unwrap();
    // The head of the answer comes when the call has begun.
    let mut some = [0; 15];
    stream.read_exact(&mut some).unwrap();
    assert_eq!(&some, b"HTTP/1.1 200 OK");
    drop(stream);
    from_before();
    drop(lock);
    until("the end of a call that nobody waits for", || outcomes(&log, "get_file_outline") == ["ok"]);
    let found = client.answer("get_symbol", json!({"symbol": "latecomer", "freshness": "strict"}));
    assert_eq!(found["symbol"]["path"], "late.py", "{found}");
}
