//! Bad input of every kind: each gets an error that says what to do, and the server goes on.

use codecompass_testkit::TestWorkspace;
use serde_json::{Value, json};

use crate::client::{Client, Era};
use crate::{PROGRAM, shop};

#[test]
fn arguments() {
    let workspace = shop();
    let mut client = Client::connect(&workspace, Era::Initialize, &["--tools", "all"]);
    let wrong = [
        ("search_code", json!({}), "invalid_input", "`query` is missing"),
        ("search_code", json!({"query": "x", "limt": 3}), "invalid_input", "unknown argument \"limt\""),
        ("search_code", json!({"query": ["x"]}), "invalid_input", "`query` cannot be [\"x\"]"),
        ("search_code", json!({"query": null}), "invalid_input", "`query` cannot be null"),
        ("search_code", json!({"query": "x", "limit": 0}), "invalid_input", "`limit` cannot be 0"),
        ("search_code", json!({"query": "x", "limit": 101}), "invalid_input", "`limit` cannot be 101"),
        ("search_code", json!({"query": "x", "limit": "3"}), "invalid_input", "`limit` cannot be \"3\""),
        ("search_code", json!({"query": "x", "detail_level": "all"}), "invalid_input", "`detail_level` cannot be"),
        ("search_code", json!({"query": "x", "metadata": "some"}), "invalid_input", "`metadata` cannot be"),
        ("search_code", json!({"query": "x", "compact": 1}), "invalid_input", "`compact` cannot be 1"),
        ("search_code", json!({"query": "x", "max_tokens": 99}), "invalid_max_tokens", "`max_tokens` cannot be 99"),
        ("search_code", json!({"query": "x", "max_tokens": 20001}), "invalid_max_tokens", "`max_tokens` cannot be"),
        ("search_code", json!({"query": "x", "language": "klingon"}), "invalid_input", "unknown language `klingon`"),
        ("search_code", json!({"query": "x", "kind": "thing"}), "invalid_input", "unknown kind `thing`"),
        ("search_code", json!({"query": "x", "ref": "nowhere"}), "ref_not_indexed", "nowhere"),
        ("locate_symbol", json!({}), "invalid_input", "exactly one of"),
        ("locate_symbol", json!({"symbol": "a", "at": "a.py:1:1"}), "invalid_input", "exactly one of"),
        ("locate_symbol", json!({"at": "main.py"}), "invalid_input", "no place"),
        ("get_symbol", json!({"symbol": "nonesuch_at_all"}), "symbol_not_found", "nonesuch_at_all"),
        ("get_file_outline", json!({"path": "nonesuch.py"}), "file_not_found", "nonesuch.py"),
        ("get_file_outline", json!({"path": "../../etc/passwd"}), "workspace_not_allowed", "passwd"),
        ("get_file_outline", json!({"path": "/etc/passwd"}), "workspace_not_allowed", "passwd"),
        ("get_file_outline", json!({"path": "shop/oders.py"}), "file_not_found", "oders.py"),
        ("get_file_outline", json!({"path": 3}), "invalid_input", "`path` cannot be 3"),
        ("read_file", json!({"path": "../../etc/passwd"}), "workspace_not_allowed", "passwd"),
        ("read_file", json!({"path": "/etc/passwd:1-3"}), "workspace_not_allowed", "passwd"),
        ("read_file", json!({"path": "main.py:0-3"}), "invalid_input", "no range of lines"),
        ("read_file", json!({"path": "main.py:900"}), "invalid_input", "line 900 is not there"),
        ("read_file", json!({"path": "shop"}), "invalid_input", "`shop` is a folder"),
        ("read_file", json!({"path": []}), "invalid_input", "`path` cannot be []"),
        ("read_file", json!({"path": ","}), "invalid_input", "the path is empty"),
        ("read_file", json!({"path": vec!["main.py"; 201]}), "invalid_input", "201 paths in one question"),
        ("get_file_outline", json!({"path": "a,".repeat(300)}), "invalid_input", "300 paths in one question"),
        ("list_directory", json!({"path": "../.."}), "workspace_not_allowed", ".."),
        ("list_directory", json!({"path": "shopp"}), "file_not_found", "shopp"),
        ("get_symbol", json!({"symbol": "/etc/passwd:1"}), "workspace_not_allowed", "passwd"),
        ("get_code_context", json!({"query": "x", "strategy": "width"}), "invalid_strategy", "`strategy` cannot be"),
        ("analyze_impact", json!({"symbol": "a", "base": "main"}), "invalid_input", "exclude each other"),
        ("get_dependencies", json!({"path": " "}), "invalid_input", "empty"),
        ("trace_path", json!({}), "invalid_input", "nothing is asked for"),
        ("trace_path", json!({"to": "main", "value": "PRICES"}), "invalid_input", "one at a time"),
        ("trace_path", json!({"value": " "}), "invalid_input", "the value is empty"),
        ("trace_path", json!({"raises": ""}), "invalid_input", "the error is empty"),
        ("find_symbols", json!({"kind": ["thing"]}), "invalid_input", "unknown kind `thing`"),
        ("find_symbols", json!({"kind": 3}), "invalid_input", "`kind` cannot be 3"),
        ("find_symbols", json!({"visibility": "secret"}), "invalid_input", "unknown visibility `secret`"),
        ("find_symbols", json!({"modifier": "!fast"}), "invalid_input", "unknown modifier `!fast`"),
        ("find_symbols", json!({"role": "king"}), "invalid_input", "unknown role `king`"),
        ("find_symbols", json!({"parameters": "5..2"}), "invalid_input", "`5..2` is reversed; give 2..5"),
        ("find_symbols", json!({"parameters": "few"}), "invalid_input", "`few` is no count"),
        ("find_symbols", json!({"name_regex": "a(b"}), "invalid_input", "for the name is not valid at column 2"),
        ("find_symbols", json!({"decorator": "@"}), "invalid_input", "the decorator is empty"),
        (
            "search_code",
            json!({"query": "x", "path_regex": "a["}),
            "invalid_input",
            "the path is not valid at column 2",
        ),
        ("list_refs", json!({"ref": "main"}), "invalid_input", "unknown argument \"ref\""),
    ];
    for (tool, arguments, code, message) in wrong {
        let error = client.error(tool, arguments.clone());
        assert_eq!(error["code"], code, "{tool} {arguments}: {error}");
        assert!(error["message"].as_str().unwrap().contains(message), "{tool} {arguments}: {error}");
    }
    // Advice names tools, not commands.
    for (tool, arguments, advice) in [
        ("search_code", json!({"query": "x", "ref": "nowhere"}), "`list_refs`"),
        ("get_symbol", json!({"symbol": "nonesuch_at_all"}), "`search_code`"),
        ("get_file_outline", json!({"path": "shop/oders.py"}), "`shop/orders.py`"),
        ("list_directory", json!({"path": "shopp"}), "`shop`"),
        ("read_file", json!({"path": "shop"}), "`list_directory`"),
    ] {
        let error = client.error(tool, arguments);
        assert!(error["data"]["remediation"].as_str().unwrap().contains(advice), "{error}");
    }
    assert!(client.close().success());
}

#[test]
fn tools_and_methods_that_are_not_there() {
    let workspace = shop();
    let mut client = Client::connect(&workspace, Era::Initialize, &[]);
    for (name, remedy) in [("serch_code", "known tools"), ("switch_ref", "--tools all")] {
        let answer = client.request("tools/call", json!({"name": name, "arguments": {}}));
        assert_eq!(answer["error"]["code"], -32602, "{answer}");
        assert!(answer["error"]["data"]["remediation"].as_str().unwrap().contains(remedy), "{answer}");
    }
    assert_eq!(client.request("tools/cal", json!({}))["error"]["code"], -32601);
    let answer = client.request("tools/call", json!({"arguments": {}}));
    assert!(answer["error"]["code"].is_i64(), "{answer}");
    let answer = client.request("tools/call", json!({"name": "search_code", "arguments": [1]}));
    assert!(answer["error"]["code"].is_i64(), "{answer}");
    assert!(client.close().success());
}

#[test]
fn workspaces() {
    let (workspace, other) = (shop(), TestWorkspace::git("//- /secret.py\ndef secret():\n    return 1\n"));
    let mut client = Client::connect(&workspace, Era::Stateless, &[]);
    let outside = other.root();
    #[cfg(unix)]
    std::os::unix::fs::symlink(&outside, workspace.root().join("link")).unwrap();
    let link = workspace.root().join("link");
    for (asked, code) in [
        (outside.to_str().unwrap(), "workspace_not_registered"),
        ("/", "workspace_not_registered"),
        ("/no/such/place", "workspace_not_registered"),
        ("..", "workspace_not_allowed"),
        ("no/such/place", "workspace_not_allowed"),
        ("shop/../..", "workspace_not_allowed"),
        ("link", "workspace_not_allowed"),
        (link.to_str().unwrap(), "workspace_not_allowed"),
        ("main.py", "workspace_not_allowed"),
    ] {
        let error = client.error("search_code", json!({"query": "secret", "workspace": asked}));
        assert_eq!(error["code"], code, "{asked}: {error}");
        assert!(!error["message"].as_str().unwrap().contains(outside.to_str().unwrap()));
    }
    // A file behind a link is as far away.
    let error = client.error("get_file_outline", json!({"path": "link/secret.py"}));
    assert_eq!(error["code"], "workspace_not_allowed", "{error}");
    assert_eq!(
        client.answer("search_code", json!({"query": "Order", "workspace": "shop"}))["metadata"]["ref"],
        "feature"
    );
    let gone = workspace.run(PROGRAM, &["serve-mcp", "--workspace", "no/such/place", "--json"]);
    assert_eq!(gone.code, Some(2));
    assert!(gone.stderr.contains("project_not_found"), "{}", gone.stderr);
}

/// Calls come from agents: only who starts a server says what is cloned.
#[test]
fn a_server_does_not_clone() {
    let (workspace, other) = (shop(), TestWorkspace::git("//- /secret.py\ndef secret():\n    return 1\n"));
    std::fs::write(workspace.home().join("config.toml"), "[clone]\nschemes = [\"file\"]\n").unwrap();
    let url = format!("file://{}", other.root().display());
    let ask = |name: &str, value: Value| json!({"query": "secret", name: value});
    let mut client = Client::connect(&workspace, Era::Stateless, &[]);
    for asked in [ask("workspace", json!(url)), ask("workspaces", json!([".", url])), ask("workspace", json!("g@h:a"))]
    {
        let error = client.error("search_code", asked);
        assert_eq!(error["code"], "workspace_not_allowed", "{error}");
        assert!(error["message"].as_str().unwrap().contains("does not clone"), "{error}");
        assert!(error["data"]["remediation"].as_str().unwrap().contains("serve-mcp --workspace URL"), "{error}");
    }
    assert!(!workspace.home().join("clones").exists());
    assert!(client.close().success());
    // On the command line that starts it, a URL is a workspace.
    let mut client = Client::connect(&workspace, Era::Stateless, &["--workspace", &url]);
    let found = client.answer("search_code", json!({"query": "secret"}));
    assert_eq!(found["results"][0]["path"], "secret.py", "{found}");
    assert!(client.close().success());
}

#[test]
fn lines_that_are_no_messages() {
    let workspace = shop();
    let mut client = Client::connect(&workspace, Era::Initialize, &[]);
    let long = "x".repeat(5 << 20);
    let deep = "[".repeat(100_000);
    for line in ["", "   ", "garbage", "{", "{\"jsonrpc\":\"2.0\"", "[]", "null", "\u{0}\u{1}", &long, &deep] {
        client.send_line(line);
        let answer = client.answer("locate_symbol", json!({"symbol": "Order"}));
        assert_eq!(answer["results"][0]["path"], "shop/orders.py", "after {:?}", &line[..line.len().min(20)]);
    }
    // JSON, but no message: said so, without an id to say it to.
    client.send_line("{\"jsonrpc\":\"2.0\",\"id\":{},\"method\":3}");
    assert_eq!(client.answer("locate_symbol", json!({"symbol": "Order"}))["results"][0]["kind"], "class");
    // A long question is cut, and the answer says so.
    let query = "price ".repeat(20_000);
    for tool in ["search_code", "get_code_context"] {
        let answer = client.answer(tool, json!({"query": query}));
        assert_eq!(answer["metadata"]["warnings"], json!(["the query is too long: its last 54463 bytes were ignored"]));
        assert_eq!(answer["results"][0]["path"], "shop/prices.py", "{answer}");
    }
    assert!(client.notifications.iter().all(|message| message.get("not_json").is_none()));
    assert!(client.close().success());
}
