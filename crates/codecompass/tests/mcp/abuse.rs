//! Clients that mean no good, or do not know better: the server stays small, answers others, and
//! shows nothing.

use std::io::{Read, Write};

use serde_json::{Value, json};

use crate::client::{Client, Era};
use crate::http::client::{HttpClient, HttpServer};
use crate::shop;

/// The most memory that a process has had, in MiB.
#[cfg(target_os = "linux")]
fn peak(pid: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    line.trim().strip_suffix("kB").unwrap().trim().parse::<u64>().unwrap() / 1024
}

#[cfg(target_os = "linux")]
#[test]
fn a_line_of_100_megabytes() {
    let workspace = shop();
    let mut client = Client::connect(&workspace, Era::Initialize, &[]);
    client.answer("locate_symbol", json!({"symbol": "Order"}));
    let before = peak(client.pid());
    let piece = "x".repeat(1 << 20);
    (0..100).for_each(|_| client.send_part(&piece));
    client.send_part("\n");
    assert_eq!(client.answer("locate_symbol", json!({"symbol": "Order"}))["results"][0]["kind"], "class");
    let after = peak(client.pid());
    assert!(after < before + 40, "{before} MiB before, {after} after");
}

#[cfg(target_os = "linux")]
#[test]
fn bodies_that_are_too_large() {
    let workspace = shop();
    let server = HttpServer::start(&workspace, &[], &[]);
    let client = HttpClient::connect(&server, Era::Stateless, None);
    client.answer("locate_symbol", json!({"symbol": "Order"}));
    let before = peak(server.pid());
    let large = "x".repeat((4 << 20) + 1);
    assert_eq!(server.post(&[], &large).status, 413);
    // The same without a length, and never ending.
    let mut stream = server.connect();
    let head = format!(
        "POST /mcp HTTP/1.1\r\nhost: {}\r\ncontent-type: application/json\r\naccept: application/json, text/event-stream\r\n\
         transfer-encoding: chunked\r\n\r\n",
        server.address
    );
    stream.write_all(head.as_bytes()).unwrap();
    let chunk = format!("{:x}\r\n{}\r\n", 1 << 20, "x".repeat(1 << 20));
    let sent = (0..100).take_while(|_| stream.write_all(chunk.as_bytes()).is_ok()).count();
    assert!(sent < 100, "the server reads on and on");
    let after = peak(server.pid());
    assert!(after < before + 60, "{before} MiB before, {after} after");
    client.answer("locate_symbol", json!({"symbol": "Order"}));
}

#[test]
fn requests_that_make_no_sense() {
    let workspace = shop();
    let server = HttpServer::start(&workspace, &[], &[]);
    let host = format!("host: {}\r\n", server.address);
    for body in [
        "",
        "garbage",
        "{",
        "[]",
        "null",
        "{\"jsonrpc\":\"2.0\"}",
        "\0",
        "[[[[[[[[",
        "{\"jsonrpc\":\"2.0\",\"id\":{},\"method\":3}",
    ] {
        let status = server.post(&[], body).status;
        assert!((400..500).contains(&status), "{body:?}: {status}");
    }
    let deep = "[".repeat(1_000_000);
    assert!((400..500).contains(&server.post(&[], &deep).status));
    for headers in [vec![("mcp-session-id", "none")], vec![("mcp-protocol-version", "1999-01-01")]] {
        let status = server.post(&headers, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}").status;
        assert!((400..500).contains(&status), "{headers:?}: {status}");
    }
    for (method, path, status) in
        [("PUT", "/mcp", 405), ("GET", "/", 404), ("GET", "/mcp/../health", 404), ("POST", "/health", 405)]
    {
        assert_eq!(server.request(method, path, &[], "").status, status, "{method} {path}");
    }
    for request in ["\r\n\r\n\r\n", "GET\r\n\r\n", "GET / HTTP/9.9\r\n\r\n", "\u{16}\u{3}\u{1}\u{2}"] {
        let mut stream = server.connect();
        stream.write_all(request.as_bytes()).unwrap();
        stream.shutdown(std::net::Shutdown::Write).unwrap();
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        assert!(!answer.starts_with(b"HTTP/1.1 200"), "{request:?}");
    }
    // A head that is too long.
    let long = format!("GET /health HTTP/1.1\r\n{host}x: {}\r\n\r\n", "x".repeat(200_000));
    assert!(server.raw(long.as_bytes()).status >= 400);
    HttpClient::connect(&server, Era::Initialize, None).answer("locate_symbol", json!({"symbol": "Order"}));
}

#[test]
fn connections_that_are_left_half_way() {
    let workspace = shop();
    let mut server = HttpServer::start(&workspace, &[], &[]);
    let body = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}";
    // Clients that go away after half a head, half a body, and a whole request whose answer they
    // never read.
    for request in [
        "POST /mcp HTTP/1.1\r\nho".to_string(),
        format!("POST /mcp HTTP/1.1\r\nhost: {}\r\ncontent-length: 1000\r\n\r\n{{\"js", server.address),
        format!("POST /mcp HTTP/1.1\r\nhost: {}\r\ncontent-length: {}\r\n\r\n{body}", server.address, body.len()),
    ] {
        (0..20).for_each(|_| drop(server.connect().write_all(request.as_bytes())));
    }
    let client = HttpClient::connect(&server, Era::Stateless, None);
    client.answer("locate_symbol", json!({"symbol": "Order"}));
    drop(client);
    assert!(server.terminate("TERM").success());
    // On pipes: half a line, then the end; and a client that does not read.
    let mut client = Client::connect(&workspace, Era::Initialize, &[]);
    client.send_part("{\"jsonrpc\":\"2.0\",\"id\":7,");
    assert!(client.close().success());
    let mut client = Client::connect(&workspace, Era::Initialize, &[]);
    client.answer("locate_symbol", json!({"symbol": "Order"}));
    client.stop_reading();
    for _ in 0..3 {
        client.begin("tools/list", json!({}));
    }
    client.close_stdin();
    client.wait();
}

/// All parameters that take a path, a place or a symbol that may be one.
const PATHS: &[(&str, &str)] = &[
    ("get_file_outline", "path"),
    ("get_dependencies", "path"),
    ("search_code", "path"),
    ("search_code", "workspace"),
    ("locate_symbol", "at"),
    ("locate_symbol", "symbol"),
    ("get_symbol", "symbol"),
    ("find_references", "symbol"),
    ("get_call_graph", "symbol"),
    ("analyze_impact", "symbol"),
    ("trace_path", "to"),
    ("get_symbol_hierarchy", "symbol"),
    ("find_related_symbols", "symbol"),
    ("search_similar_symbol", "symbol"),
    ("find_symbols", "path"),
    ("compare_symbol_between_commits", "symbol"),
    ("search_code", "ref"),
    ("diff_context", "base"),
];

#[test]
fn hostile_paths() {
    let workspace = shop();
    let secret = workspace.root().join("../secret.py");
    std::fs::write(&secret, "def hidden_treasure():\n    return 'x marks the spot'\n").unwrap();
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(&secret, workspace.root().join("link.py")).unwrap();
        std::os::unix::fs::symlink(workspace.root().join(".."), workspace.root().join("out")).unwrap();
    }
    let absolute = dunce::canonicalize(&secret).unwrap().display().to_string();
    let paths = [
        "../secret.py",
        "../../etc/passwd",
        "shop/../../secret.py",
        &absolute,
        "/etc/passwd",
        "a\0b",
        "../secret.py\0.py",
        "link.py",
        "out/secret.py",
        "file:///etc/passwd",
        "..\\..\\secret.py",
        "%2e%2e/secret.py",
        "~/secret.py",
        "//",
        "..",
    ];
    let mut client = Client::connect(&workspace, Era::Initialize, &["--tools", "all"]);
    let listed = client.request("tools/list", json!({}))["result"]["tools"].clone();
    for (tool, parameter) in PATHS {
        let known = listed.as_array().unwrap().iter().find(|known| known["name"] == *tool);
        let schema = &known.unwrap_or_else(|| panic!("no tool {tool}"))["inputSchema"];
        let is_known = schema["properties"][*parameter].is_object() || *parameter == "workspace";
        assert!(is_known, "{tool} has no {parameter}");
        for path in paths {
            for path in [path.to_string(), format!("{path}:1"), format!("{path}:1:5")] {
                let mut arguments = json!({*parameter: path});
                for required in schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str) {
                    if required != *parameter {
                        arguments[required] = json!(if required == "query" { "hidden_treasure" } else { "main" });
                    }
                }
                // Some of these are odd names rather than paths, so not each is an error; but
                // nothing is shown.
                let result = client.call(tool, arguments.clone()).to_string();
                assert!(
                    !result.contains("x marks the spot") && !result.contains("root:x:"),
                    "{tool} {arguments}: {result}"
                );
                assert!(!result.contains("def hidden_treasure"), "{tool} {arguments}: {result}");
                assert!(!result.contains("internal_error"), "{tool} {arguments}: {result}");
            }
        }
    }
    assert!(client.close().success());
}

#[test]
fn eight_clients_while_files_change() {
    let workspace = shop();
    let server = HttpServer::start(&workspace, &[], &[]);
    std::thread::scope(|scope| {
        for number in 0..8 {
            let (workspace, server) = (&workspace, &server);
            scope.spawn(move || {
                let era = if number % 2 == 0 { Era::Initialize } else { Era::Stateless };
                let client = HttpClient::connect(server, era, None);
                for round in 0..4 {
                    let name = format!("fresh_{number}_{round}");
                    workspace.write(&format!("client{number}.py"), &format!("\n\ndef {name}():\n    return {round}\n"));
                    let found = client.answer("locate_symbol", json!({"symbol": name, "freshness": "strict"}));
                    let place = &found["results"][0];
                    assert_eq!((&place["name"], &place["line_start"]), (&json!(name), &json!(3)), "{found}");
                    assert_eq!(place["path"], format!("client{number}.py"), "{found}");
                    if round > 0 {
                        let before = format!("fresh_{number}_{}", round - 1);
                        let outline = client.answer(
                            "get_file_outline",
                            json!({"path": format!("client{number}.py"), "freshness": "strict"}),
                        );
                        assert!(!outline.to_string().contains(&before), "{outline}");
                    }
                }
            });
        }
    });
}
