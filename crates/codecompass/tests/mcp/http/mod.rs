//! The server over HTTP: both kinds of protocol, who is let in, health, and how it ends.

pub(crate) mod client;
mod page;
mod slow_clients;

#[cfg(unix)]
use std::io::{Read, Write};

use codecompass_testkit::TestWorkspace;
use serde_json::{Value, json};

use crate::client::{Client, Era};
use crate::http::client::{HttpClient, HttpServer};
use crate::{PROGRAM, shop};

const TOKEN: &str = "correct-horse-battery-staple";
const TOKEN_VARIABLE: &str = "CODECOMPASS_SERVER_TOKEN";

#[test]
fn both_protocols_at_one_place() {
    let workspace = shop();
    let server = HttpServer::start(&workspace, &["--tools", "all"], &[]);
    let mut over_stdio = Client::connect(&workspace, Era::Initialize, &["--tools", "all"]);
    for era in [Era::Initialize, Era::Stateless] {
        let client = HttpClient::connect(&server, era, None);
        let listed = client.request("tools/list", json!({}));
        let tools = &listed.last().unwrap()["result"]["tools"];
        assert_eq!(tools, &over_stdio.request("tools/list", json!({}))["result"]["tools"]);
        for (tool, arguments) in [
            ("locate_symbol", json!({"symbol": "price_of"})),
            ("get_file_outline", json!({"path": "shop/orders.py"})),
            ("find_references", json!({"symbol": "Order.total"})),
        ] {
            let answer = client.answer(tool, arguments.clone());
            assert_eq!(answer, over_stdio.answer(tool, arguments), "{tool} in {era:?}");
        }
        assert_eq!(client.call("get_symbol", json!({"symbol": "nonesuch_at_all"}))["isError"], true);
        assert_eq!(client.session.is_some(), era == Era::Initialize);
    }
    let discover = HttpClient::connect(&server, Era::Stateless, None).request("server/discover", json!({}));
    assert!(discover.last().unwrap()["result"]["capabilities"]["tools"].is_object(), "{discover:?}");
}

#[test]
fn a_session_ends_when_the_client_says_so() {
    let workspace = shop();
    let server = HttpServer::start(&workspace, &[], &[]);
    let client = HttpClient::connect(&server, Era::Initialize, None);
    let session = client.session.clone().unwrap();
    let ended = server.request("DELETE", "/mcp", &[("mcp-session-id", &session)], "");
    assert!(ended.status == 202 || ended.status == 204, "{ended:?}");
    let message = json!({"jsonrpc": "2.0", "id": 9, "method": "tools/list", "params": {}});
    assert_eq!(client.send(&message, &[]).status, 404);
}

#[test]
fn progress_is_told() {
    let workspace = shop();
    let server = HttpServer::start(&workspace, &["--tools", "all", "--no-watch"], &[]);
    for era in [Era::Initialize, Era::Stateless] {
        let client = HttpClient::connect(&server, era, None);
        client.answer("sync_repo", json!({}));
        for number in 0..30 {
            workspace.write(&format!("new{number}.py"), &format!("def new_{number}_{era:?}():\n    return 1\n"));
        }
        let params = json!({"name": "sync_repo", "arguments": {}, "_meta": {"progressToken": "t"}});
        let messages = client.request("tools/call", params);
        assert!(messages.len() > 1, "{messages:?}");
        assert!(messages[..messages.len() - 1].iter().all(|message| message["params"]["progressToken"] == "t"));
    }
}

#[test]
fn foreign_names_are_refused() {
    let workspace = shop();
    let args = ["--allowed-host", "box.example", "--allowed-origin", "https://app.example"];
    let server = HttpServer::start(&workspace, &args, &[]);
    let port = server.address.rsplit_once(':').unwrap().1.to_string();
    let (own, own_origin) = (format!("localhost:{port}"), format!("http://localhost:{port}"));
    let foreign_origin = format!("http://evil.example:{port}");
    for path in ["/mcp", "/health", "/none"] {
        let status = |headers: &[(&str, &str)]| server.request("GET", path, headers, "").status;
        for host in ["evil.example", "localhost.evil.example", ""] {
            assert_eq!(status(&[("host", host)]), 403, "{path} {host}");
        }
        for origin in [&foreign_origin, "http://localhost:1", "null", "https://evil.example"] {
            assert_eq!(status(&[("host", &own), ("origin", origin)]), 403, "{path} {origin}");
        }
    }
    for headers in [
        vec![("host", own.as_str())],
        vec![("host", own.as_str()), ("origin", own_origin.as_str())],
        vec![("host", "box.example"), ("origin", "https://app.example")],
    ] {
        assert_eq!(server.request("GET", "/health", &headers, "").status, 200, "{headers:?}");
    }
    // What a browser needs to know before it lets a page ask.
    let allowed = server.request("OPTIONS", "/mcp", &[("origin", "https://app.example")], "");
    assert_eq!(allowed.status, 204);
    assert_eq!(allowed.header("access-control-allow-origin"), Some("https://app.example"));
    assert_eq!(server.request("OPTIONS", "/mcp", &[("origin", "https://evil.example")], "").status, 403);
}

#[test]
fn a_token_is_asked_for() {
    let workspace = shop();
    let mut server = HttpServer::start(&workspace, &[], &[(TOKEN_VARIABLE, TOKEN)]);
    let right = format!("Bearer {TOKEN}");
    for wrong in [None, Some("Bearer wrong-wrong-wrong-wrong"), Some(TOKEN), Some("Basic Og==")] {
        let headers: Vec<(&str, &str)> = wrong.iter().map(|wrong| ("authorization", *wrong)).collect();
        let refused = server.post(&headers, "{}");
        assert_eq!(refused.status, 401, "{wrong:?}");
        assert_eq!(refused.header("www-authenticate"), Some("Bearer"));
        assert!(refused.json()["error"]["data"]["remediation"].is_string());
        // The guard of the house says whether anybody is in, and no more.
        let health = server.request("GET", "/health", &headers, "").json();
        let names: Vec<&String> = health.as_object().unwrap().keys().collect();
        assert_eq!(names, ["status", "version"], "{health}");
    }
    let health = server.request("GET", "/health", &[("authorization", &right)], "").json();
    assert!(health["projects"].is_array(), "{health}");
    let client = HttpClient::connect(&server, Era::Stateless, Some(TOKEN));
    assert_eq!(client.answer("locate_symbol", json!({"symbol": "Order"}))["results"][0]["kind"], "class");
    assert!(server.terminate("TERM").success());
    assert!(!server.stderr().contains(TOKEN));
    // A file is as good.
    let file = workspace.root().join("../token");
    std::fs::write(&file, format!("{TOKEN}\n")).unwrap();
    let server = HttpServer::start(&workspace, &["--token-file", file.to_str().unwrap()], &[]);
    assert_eq!(server.post(&[], "{}").status, 401);
    HttpClient::connect(&server, Era::Initialize, Some(TOKEN));
}

#[test]
fn the_network_needs_a_token() {
    let workspace = shop();
    for bind in ["0.0.0.0:0", "[::]:0"] {
        let refused = workspace.run(PROGRAM, &["serve-mcp", "--transport", "http", "--bind", bind, "--json"]);
        assert_eq!(refused.code, Some(2));
        assert!(refused.stderr.contains("CODECOMPASS_SERVER_TOKEN"), "{}", refused.stderr);
    }
    for (args, says) in [
        (vec!["--token-file", "no/such/file"], "cannot read the token file"),
        (vec!["--allowed-host", "http://x"], "is no name of a host"),
        (vec!["--allowed-origin", "x"], "is no origin"),
        (vec!["--bind", "nowhere"], "--bind"),
    ] {
        let args: Vec<&str> = ["serve-mcp", "--transport", "http", "--json"].iter().chain(&args).copied().collect();
        let refused = workspace.run(PROGRAM, &args);
        assert_eq!(refused.code, Some(2), "{args:?}");
        assert!(refused.stderr.contains(says), "{args:?}: {}", refused.stderr);
    }
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let refused = workspace.run(PROGRAM, &["serve-mcp", "--transport", "http", "--bind", &address]);
    assert!(refused.stderr.contains("cannot listen"), "{}", refused.stderr);
}

#[test]
fn health() {
    let (workspace, other) = (shop(), TestWorkspace::git("//- /b.py\ndef b():\n    return 1\n"));
    let (here, there) = (workspace.root(), other.root());
    let args = ["--tools", "all", "--workspace", here.to_str().unwrap(), "--workspace", there.to_str().unwrap()];
    let server = HttpServer::start(&workspace, &args, &[]);
    let first = server.request("GET", "/health", &[], "").json();
    assert!(["ready", "indexing", "warming"].contains(&first["status"].as_str().unwrap()), "{first}");
    let client = HttpClient::connect(&server, Era::Stateless, None);
    for root in [&here, &there] {
        client.answer("search_code", json!({"query": "b", "workspace": root}));
    }
    // What is told may be as old as a second.
    let mut told = server.request("GET", "/health", &[], "").json();
    let is_warm = |told: &Value| told["projects"].as_array().unwrap().iter().all(|project| project["warm"] == true);
    while told["status"] != "ready" || !is_warm(&told) {
        std::thread::sleep(std::time::Duration::from_millis(100));
        told = server.request("GET", "/health", &[], "").json();
    }
    assert_eq!(told["version"], env!("CARGO_PKG_VERSION"));
    assert!(told["uptime_seconds"].is_u64());
    assert_eq!(told["schema_version"]["current"], told["schema_version"]["required"]);
    assert!(told["schema_version"]["current"].is_i64(), "{told}");
    let projects = told["projects"].as_array().unwrap();
    assert_eq!(projects.len(), 2);
    for (project, (root, reference, files)) in projects.iter().zip([(&here, "feature", 5), (&there, "main", 1)]) {
        assert_eq!(project["repo_root"], root.to_str().unwrap());
        assert_eq!((&project["index_status"], &project["ref"]), (&json!("ready"), &json!(reference)), "{project}");
        assert_eq!(project["file_count"], files, "{project}");
        assert!(project["project_id"].as_str().is_some_and(|id| !id.is_empty()));
        assert!(project["last_indexed_at"].as_str().is_some_and(|at| at.starts_with("20") && at.ends_with('Z')));
    }
    let checked = client.answer("health_check", json!({}));
    assert_eq!(checked["projects"], told["projects"]);
    // Both calls came while the workspaces were opened, or just after; each counts once.
    let warm_set = told["warm_set"].clone();
    assert_eq!(warm_set["workspaces"], 2, "{warm_set}");
    assert_eq!(warm_set["hits"].as_u64().unwrap() + warm_set["misses"].as_u64().unwrap(), 2, "{warm_set}");
    client.answer("search_code", json!({"query": "b", "workspace": there}));
    let later = server.request("GET", "/health", &[], "").json()["warm_set"].clone();
    assert_eq!(later["hits"].as_u64().unwrap(), warm_set["hits"].as_u64().unwrap() + 1, "{later}");
    assert_eq!((&later["misses"], &checked["warm_set"]["has_workspace"]), (&warm_set["misses"], &json!(true)));
}

#[cfg(unix)]
#[test]
fn signals_end_it_with_streams_open() {
    let workspace = shop();
    for signal in ["TERM", "INT"] {
        let mut server = HttpServer::start(&workspace, &[], &[]);
        let client = HttpClient::connect(&server, Era::Initialize, None);
        client.answer("index_status", json!({}));
        let session = client.session.clone().unwrap();
        let mut streams: Vec<_> = (0..3).map(|_| server.connect()).collect();
        for stream in &mut streams {
            let request = format!(
                "GET /mcp HTTP/1.1\r\nhost: {}\r\naccept: text/event-stream\r\nmcp-session-id: {session}\r\n\r\n",
                server.address
            );
            stream.write_all(request.as_bytes()).unwrap();
            let mut some = [0; 15];
            stream.read_exact(&mut some).unwrap();
            assert_eq!(&some, b"HTTP/1.1 200 OK");
        }
        // Half a head, and a connection that says nothing.
        let mut half = server.connect();
        half.write_all(b"POST /mcp HTTP/1.1\r\nhost: ").unwrap();
        let silent = server.connect();
        assert!(server.terminate(signal).success(), "{signal}");
        assert_eq!(server.stderr(), "");
        drop((streams, half, silent));
    }
}
