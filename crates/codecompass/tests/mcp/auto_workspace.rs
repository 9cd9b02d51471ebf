//! Workspaces that calls open: only inside the allowed roots, only so many; settings of the server;
//! the audit log.

use std::path::Path;

use codecompass_testkit::{Git, TestWorkspace};
use serde_json::{Value, json};

use crate::client::{Client, Era};
use crate::http::client::{HttpClient, HttpServer};
use crate::{PROGRAM, shop};

/// A folder with repositories `a` to `d`, of which each has a function of its name.
fn several() -> TestWorkspace {
    let fixture = ["a", "b", "c", "d"].map(|name| format!("//- /{name}/{name}.py\ndef only_{name}():\n    return 1\n"));
    let around = TestWorkspace::plain(&fixture.concat());
    for name in ["a", "b", "c", "d"] {
        Git::at(&around.root().join(name)).run(&["init", "--quiet"]);
    }
    around
}

fn locate(name: &str, workspace: &Path) -> Value {
    json!({"symbol": format!("only_{name}"), "workspace": workspace})
}

#[test]
fn calls_ask_several_workspaces() {
    let (workspace, around) = (shop(), several());
    let [a, b, c] = ["a", "b", "c"].map(|name| around.root().join(name));
    let allowed = ["--allowed-root", a.to_str().unwrap(), "--allowed-root", b.to_str().unwrap()];
    let args = [&["--auto-workspace", "--tools", "all"], &allowed[..]].concat();
    let mut client = Client::connect(&workspace, Era::Initialize, &args);
    for (tool, argument) in [("locate_symbol", "symbol"), ("search_code", "query")] {
        for (name, path) in [("only_a", "a.py"), ("only_b", "b.py")] {
            let found = client.answer(tool, json!({argument: name, "workspaces": [a, b]}));
            let first = &found["results"][0];
            assert_eq!((&first["repository"], &first["path"]), (&path[..1].into(), &path.into()), "{tool} {found}");
        }
        // What may not be asked about alone may not be asked about among others.
        let error = client.error(tool, json!({argument: "only_c", "workspaces": [a, c]}));
        assert_eq!(error["code"], "workspace_not_allowed", "{error}");
    }
}

#[test]
fn a_symbol_is_asked_where_it_is() {
    let (workspace, around) = (shop(), several());
    let [a, b] = ["a", "b"].map(|name| around.root().join(name));
    let root = around.root();
    let args = ["--auto-workspace", "--allowed-root", root.to_str().unwrap(), "--tools", "all"];
    let mut client = Client::connect(&workspace, Era::Initialize, &args);
    let tools = ["get_symbol", "find_references", "get_call_graph", "search_similar_symbol", "get_symbol_hierarchy"];
    for tool in tools {
        let found = client.answer(tool, json!({"symbol": "only_b", "workspaces": [a, b]}));
        assert_eq!(found["metadata"]["repository"], "b", "{tool} {found}");
    }
    let named = client.answer("get_symbol", json!({"symbol": "a:a.py::only_a", "workspaces": [a, b]}));
    assert_eq!(named["metadata"]["repository"], "a", "{named}");
    let both = client.answer("get_symbol", json!({"symbol": "only_a, only_b", "workspaces": [a, b]}));
    assert_eq!(both["answers"].as_array().unwrap().len(), 2, "{both}");
    let listed = client.answer("grep_code", json!({"pattern": "only_a", "workspaces": [a, b]}));
    assert_eq!(listed["answers"][0]["metadata"]["repository"], "a", "{listed}");
    assert_eq!(listed["repositories"][1], json!({"repository": "b", "total": 0}), "{listed}");
    let error = client.error("diff_context", json!({"workspaces": [a, b]}));
    assert!(error["message"].as_str().unwrap().contains("about one workspace"), "{error}");
    // The limit holds for all answers together.
    let small = client.answer("grep_code", json!({"pattern": "only", "workspaces": [a, b], "max_tokens": 300}));
    assert!(crate::sizes::tokens(&small.to_string()) <= 300, "{small}");
}

#[test]
fn an_address_asks_several_workspaces() {
    let (workspace, around) = (shop(), several());
    let root = around.root();
    let args = ["--ui", "--auto-workspace", "--allowed-root", root.to_str().unwrap()];
    let server = HttpServer::start(&workspace, &args, &[]);
    let both = ["a", "b"].map(|name| format!("workspaces={}", around.root().join(name).display())).join("&");
    let get = |question: &str| server.request("GET", &format!("/api/{question}&{both}"), &[], "").json();
    let found = get("search_code?query=only_b");
    assert_eq!(found["results"][0]["repository"], "b", "{found}");
    assert_eq!(get("get_symbol?symbol=only_b")["metadata"]["repository"], "b");
    let listed = get("grep_code?pattern=return");
    assert_eq!(listed["answers"].as_array().unwrap().len(), 2, "{listed}");
    assert_eq!(get("get_symbol?symbol=only_c")["error"]["code"], "symbol_not_found");
}

#[test]
fn calls_open_what_is_allowed() {
    let (workspace, around) = (shop(), several());
    let (a, b) = (around.root().join("a"), around.root().join("b"));
    let args = ["--auto-workspace", "--allowed-root", a.to_str().unwrap(), "--tools", "all"];
    let mut client = Client::connect(&workspace, Era::Initialize, &args);
    let found = client.answer("locate_symbol", locate("a", &a));
    assert_eq!(found["results"][0]["path"], "a.py", "{found}");
    assert_eq!(client.answer("locate_symbol", json!({"symbol": "Order"}))["results"][0]["path"], "shop/orders.py");
    let projects = client.answer("health_check", json!({}))["projects"].clone();
    assert_eq!(projects[1]["repo_root"], a.to_str().unwrap(), "{projects}");
    // Everything that leads out.
    std::fs::create_dir(a.join("thief")).unwrap();
    std::fs::write(a.join("thief/.git"), format!("gitdir: {}\n", b.join(".git").display())).unwrap();
    #[cfg(unix)]
    std::os::unix::fs::symlink(&b, a.join("link")).unwrap();
    let inside = |rest: &str| format!("{}/{rest}", a.display());
    let outside = [
        b.display().to_string(),
        around.root().display().to_string(),
        inside("../b"),
        inside(".."),
        inside("link"),
        inside("link/.."),
        inside("thief"),
        inside("no/such"),
        inside("a.py"),
        inside("a\0b"),
        "/".into(),
        "../..".into(),
        format!("{}x", a.display()),
    ];
    for asked in outside {
        let error = client.error("locate_symbol", json!({"symbol": "only_b", "workspace": asked}));
        assert_eq!(error["code"], "workspace_not_allowed", "{asked:?}: {error}");
    }
    assert!(client.close().success());
}

#[cfg(unix)]
#[test]
fn a_directory_that_becomes_a_link() {
    let (workspace, around) = (shop(), several());
    let (root, outside) = (around.root().join("a"), around.root().join("b"));
    let inner = root.join("inner");
    std::fs::create_dir_all(&inner).unwrap();
    Git::at(&inner).run(&["init", "--quiet"]);
    std::fs::write(inner.join("inner.py"), "def only_inner():\n    return 1\n").unwrap();
    let args = ["--auto-workspace", "--allowed-root", root.to_str().unwrap()];
    let mut client = Client::connect(&workspace, Era::Stateless, &args);
    client.answer("locate_symbol", locate("inner", &inner));
    std::fs::rename(&inner, root.join("was")).unwrap();
    std::os::unix::fs::symlink(&outside, &inner).unwrap();
    let error = client.error("locate_symbol", locate("b", &inner));
    assert_eq!(error["code"], "workspace_not_allowed", "{error}");
}

#[test]
fn a_repository_larger_than_its_allowed_root() {
    let workspace = shop();
    let other =
        TestWorkspace::git("//- /secret.py\ndef secret():\n    return 1\n//- /open/a.py\ndef a():\n    return 1\n");
    let root = other.root().join("open");
    let args = ["--auto-workspace", "--allowed-root", root.to_str().unwrap()];
    let mut client = Client::connect(&workspace, Era::Stateless, &args);
    for asked in [&root, &other.root()] {
        let error = client.error("locate_symbol", json!({"symbol": "secret", "workspace": asked}));
        assert_eq!(error["code"], "workspace_not_allowed", "{error}");
    }
}

#[test]
fn only_so_many() {
    let (workspace, around) = (shop(), several());
    let root = around.root();
    let base =
        ["--auto-workspace", "--allowed-root", root.to_str().unwrap(), "--max-workspaces", "3", "--tools", "all"];
    let connect = |evict_after| {
        let args: Vec<&str> = base.iter().copied().chain(["--evict-after", evict_after]).collect();
        Client::connect(&workspace, Era::Initialize, &args)
    };
    let mut client = connect("3600");
    for name in ["a", "b", "a"] {
        client.answer("locate_symbol", locate(name, &root.join(name)));
    }
    let error = client.error("locate_symbol", locate("c", &root.join("c")));
    assert_eq!(error["code"], "workspace_limit_exceeded", "{error}");
    assert!(error["data"]["remediation"].as_str().unwrap().contains("--max-workspaces"), "{error}");
    client.answer("locate_symbol", locate("b", &root.join("b")));
    let mut client = connect("0");
    for name in ["a", "b", "c", "d", "a", "c"] {
        let found = client.answer("locate_symbol", locate(name, &root.join(name)));
        assert_eq!(found["results"][0]["path"], format!("{name}.py"));
    }
    assert_eq!(client.answer("health_check", json!({}))["projects"].as_array().unwrap().len(), 3);
}

#[test]
fn settings_and_flags() {
    let (workspace, around) = (shop(), several());
    let alone = workspace.run(PROGRAM, &["serve-mcp", "--auto-workspace", "--json"]);
    assert_eq!(alone.code, Some(2));
    assert!(alone.stderr.contains("--allowed-root"), "{}", alone.stderr);
    let gone = workspace.run(PROGRAM, &["serve-mcp", "--auto-workspace", "--allowed-root", "no/such", "--json"]);
    assert!(gone.stderr.contains("project_not_found"), "{}", gone.stderr);
    // What the repository says about the server is refused, and never followed.
    workspace.write(".codecompass/config.toml", "[server]\nauto_workspace = true\nallowed_roots = [\"/\"]\n");
    let mut client = Client::connect(&workspace, Era::Stateless, &[]);
    let error = client.error("search_code", json!({"query": "Order"}));
    assert!(error["message"].as_str().unwrap().contains("is not for a repository to say"), "{error}");
    let error = client.error("search_code", json!({"query": "only_a", "workspace": around.root().join("a")}));
    assert_eq!(error["code"], "workspace_not_registered", "{error}");
    std::fs::remove_file(workspace.root().join(".codecompass/config.toml")).unwrap();
    // What the user says is, unless a flag says otherwise.
    let log = around.root().join("audit.log");
    let settings = format!(
        "[server]\ntools = [\"locate_symbol\"]\nauto_workspace = true\nallowed_roots = [{:?}]\naudit_log = {:?}\n",
        around.root(),
        log
    );
    std::fs::write(workspace.root().join("../home/config.toml"), &settings).unwrap();
    let listed =
        |client: &mut Client| client.request("tools/list", json!({}))["result"]["tools"].as_array().unwrap().len();
    let mut client = Client::connect(&workspace, Era::Stateless, &[]);
    assert_eq!(listed(&mut client), 1);
    client.answer("locate_symbol", locate("a", &around.root().join("a")));
    assert!(client.close().success());
    assert!(std::fs::read_to_string(&log).unwrap().contains("locate_symbol"));
    assert_eq!(listed(&mut Client::connect(&workspace, Era::Stateless, &["--tools", "core"])), 14);
    std::fs::write(workspace.root().join("../home/config.toml"), "[server]\naudit_log = \"relative\"\n").unwrap();
    let refused = workspace.run(PROGRAM, &["serve-mcp", "--json"]);
    assert!(refused.stderr.contains("server.audit_log is not an absolute path"), "{}", refused.stderr);
}

#[test]
fn every_call_is_in_the_log() {
    let workspace = shop();
    let log = workspace.root().join("../audit.log");
    let args = ["--audit-log", log.to_str().unwrap()];
    let lines = || -> Vec<Value> {
        let text = std::fs::read_to_string(&log).unwrap();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    };
    let mut client = Client::connect(&workspace, Era::Initialize, &args);
    let server = HttpServer::start(&workspace, &args, &[]);
    client.answer("search_code", json!({"query": "what an Order costs", "ref": "main"}));
    client.error("get_file_outline", json!({"path": "../../etc/passwd"}));
    client.error("search_code", json!({"query": "x", "what an": "unknown argument"}));
    HttpClient::connect(&server, Era::Stateless, None).answer("locate_symbol", json!({"symbol": "price_of"}));
    let lines = lines();
    let seen: Vec<_> =
        lines.iter().map(|line| [&line["tool"], &line["outcome"]].map(|v| v.as_str().unwrap())).collect();
    assert_eq!(
        seen,
        [
            ["search_code", "ok"],
            ["get_file_outline", "workspace_not_allowed"],
            ["search_code", "invalid_input"],
            ["locate_symbol", "ok"]
        ]
    );
    assert_eq!(lines[0]["workspace"], workspace.root().to_str().unwrap());
    assert_eq!((&lines[0]["ref"], &lines[0]["arguments"]), (&json!("main"), &json!({"query": 19, "ref": 4})));
    assert!(lines.iter().all(|line| line["client"] == "test" && line["time"].as_str().unwrap().ends_with('Z')));
    let text = std::fs::read_to_string(&log).unwrap();
    for secret in ["Order costs", "passwd", "def price_of"] {
        assert!(!text.contains(secret), "{text}");
    }
    // A log that cannot be written is said once, and no call fails.
    let mut client = Client::connect(&workspace, Era::Initialize, &["--audit-log", "/no/such/folder/audit.log"]);
    client.answer("locate_symbol", json!({"symbol": "Order"}));
    client.answer("locate_symbol", json!({"symbol": "Order"}));
    client.close_stdin();
    assert!(client.wait().success());
    assert_eq!(client.stderr().matches("cannot write the audit log").count(), 1);
}
