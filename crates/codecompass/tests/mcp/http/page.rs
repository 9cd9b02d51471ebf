//! The page and the JSON interface: what they show, who is let in, and that text of a repository
//! stays text.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::Stdio;

use codecompass_testkit::{TestWorkspace, until};
use serde_json::Value;

use crate::http::TOKEN_VARIABLE;
use crate::http::client::{HttpServer, Response};
use crate::{PROGRAM, shop};

const TOKEN: &str = "correct-horse-battery-staple";

fn get(server: &HttpServer, path: &str) -> Response {
    server.request("GET", path, &[("accept", "text/html")], "")
}

/// The address of the first page, such as `/r/shop/`.
fn home(server: &HttpServer) -> String {
    let entered = get(server, "/ui");
    assert_eq!(entered.status, 303, "{entered:?}");
    entered.header("location").unwrap().to_string()
}

/// Asks for a page that must be there.
fn page(server: &HttpServer, path: &str) -> String {
    let response = get(server, path);
    assert_eq!(response.status, 200, "{path}: {}", response.body);
    response.body
}

/// A page whose body has all of these.
fn has(server: &HttpServer, path: &str, wanted: &[&str]) {
    let body = page(server, path);
    for text in wanted {
        assert!(body.contains(text), "{path} lacks {text}:\n{body}");
    }
}

#[test]
fn every_page_shows_what_it_is_about() {
    let workspace = shop();
    let server = HttpServer::start(&workspace, &["--ui"], &[]);
    let home = home(&server);
    has(&server, &home, &["<h1>", "Languages", "Python", "shop/"]);
    has(&server, &format!("{home}shop"), &["prices.py", "orders.py"]);
    let file = format!("{home}shop/prices.py");
    has(&server, &file, &["<li id=\"L4\">", "<i class=\"k\">def</i>", "?d=4:5\">price_of</a>", "Outline"]);
    has(&server, &format!("{home}-/search?q=price_of"), &["price_of", "shop/prices.py", "score "]);
    has(&server, &format!("{home}-/search"), &["Nothing is asked yet"]);
    has(&server, &format!("{home}-/search?q=zzqqxx"), &["Nothing was found"]);
    has(
        &server,
        &format!("{home}-/symbol?s=shop/prices.py:4"),
        &["<h1>price_of", "def price_of(name, count=1)", "<svg", "shop/orders.py", "id=\"uses\"", "The name stands"],
    );
    has(&server, &format!("{home}-/branch"), &["price_of", "Modified", "<del>", "count=1", "Affected callers"]);
    has(
        &server,
        &format!("{home}-/compare?s=shop/prices.py::price_of&base=main"),
        &["before", "after", "class=\"new\""],
    );
    has(&server, &format!("{home}-/map?path=shop"), &["Imports", "shop/prices.py", "<svg"]);
    has(&server, &format!("{home}-/endpoints"), &["<h1>Endpoints"]);
    has(&server, &format!("{home}-/services"), &["<h1>Services"]);
    has(&server, &format!("{home}-/projects"), &["<h1>Projects"]);
    has(&server, &format!("{home}-/history"), &["<h1>History"]);
    has(&server, &format!("{home}-/branches"), &["main", "feature", "checked out"]);
    has(&server, &format!("{home}-/health"), &["Generation", "Checks", "Index runs", "published", "Left out"]);
    has(&server, &format!("{home}-/skipped"), &["<h1>Left out", "<td>.git/</td>", "built in"]);
}

#[test]
fn names_lead_to_what_they_mean() {
    let workspace = shop();
    let server = HttpServer::start(&workspace, &["--ui"], &[]);
    let home = home(&server);
    let orders = page(&server, &format!("{home}shop/orders.py"));
    let at = orders.find(">price_of</a>").expect("a use of it");
    let place = orders[..at].rsplit("href=\"").next().unwrap().trim_end_matches('"').to_string();
    let definition = get(&server, &format!("{home}shop/orders.py{place}"));
    assert_eq!((definition.status, definition.header("location")), (303, Some(&*format!("{home}shop/prices.py#L4"))));
    let own = get(&server, &format!("{home}shop/prices.py?d=4:5"));
    assert_eq!(own.header("location"), Some(&*format!("{home}-/symbol?s=shop%2Fprices.py%3A4")));
    let uses = get(&server, &format!("{home}-/uses?s=shop/prices.py:4"));
    assert!(uses.header("location").unwrap().ends_with("#uses"), "{uses:?}");
}

#[test]
fn another_ref_shows_its_own_state() {
    let workspace = shop();
    let server = HttpServer::start(&workspace, &["--ui"], &[]);
    let home = home(&server);
    let at_main = format!("{}@main/", home.trim_end_matches('/'));
    has(&server, &format!("{home}shop/prices.py"), &["count"]);
    let before = page(&server, &format!("{at_main}shop/prices.py"));
    assert!(!before.contains("count"), "{before}");
    // The form of the ref leads to the same page of the other state, and back.
    let there = get(&server, &format!("{home}-/at?ref=main&to=shop/prices.py"));
    assert_eq!(there.header("location"), Some(&*format!("{at_main}shop/prices.py")));
    let back = get(&server, &format!("{home}-/at?ref=&to=shop/prices.py"));
    assert_eq!(back.header("location"), Some(&*format!("{home}shop/prices.py")));
    let missing = get(&server, &format!("{}@nonesuch/", home.trim_end_matches('/')));
    assert_eq!(missing.status, 404);
    assert!(missing.body.contains("Not found"), "{}", missing.body);
}

#[test]
fn unusual_repositories_say_what_to_do() {
    let workspace = TestWorkspace::git("//- /a.py\ndef one():\n    return 1\n");
    workspace.commit("one");
    workspace.write("a.py", "def one():\n    return 2\n");
    workspace.commit("two");
    workspace.run_git(&["branch", "gone"]);
    workspace.run_git(&["checkout", "--quiet", "--detach", "HEAD~1"]);
    let server = HttpServer::start(&workspace, &["--ui"], &[]);
    let home = home(&server);
    // A detached HEAD is the files on disk; no branch is checked out.
    has(&server, &format!("{home}a.py"), &["return</i> <i class=\"n\">1</i>"]);
    has(&server, &format!("{home}-/branches"), &["HEAD is detached", "git switch"]);
    has(&server, &format!("{home}-/branch"), &["since it left"]);
    // A branch that is deleted afterwards leads back to what there is.
    let gone = format!("{}@gone/", home.trim_end_matches('/'));
    has(&server, &format!("{gone}a.py"), &["return</i> <i class=\"n\">2</i>"]);
    workspace.run_git(&["branch", "--quiet", "-D", "gone"]);
    let missing = get(&server, &format!("{gone}a.py"));
    assert_eq!(missing.status, 404, "{missing:?}");
    for text in [format!("href=\"{home}\">Files on disk"), format!("href=\"{home}-/branches\">All refs")] {
        assert!(missing.body.contains(&text), "{text}:\n{}", missing.body);
    }
}

#[test]
fn repositories_without_commits_or_files_say_what_to_do() {
    let workspace = TestWorkspace::plain("//- /a.py\ndef one():\n    return 1\n");
    workspace.run_git(&["init", "--quiet", "--initial-branch=main"]);
    let server = HttpServer::start(&workspace, &["--ui"], &[]);
    let own = home(&server);
    has(&server, &own, &["a.py"]);
    has(&server, &format!("{own}-/branch"), &["There is no commit to compare with yet", "Make a commit"]);
    has(&server, &format!("{own}-/history"), &["There is no commit yet"]);
    has(&server, &format!("{own}-/branches"), &["There are no branches here", "Make a commit"]);
    drop(server);
    let empty = TestWorkspace::plain("");
    let server = HttpServer::start(&empty, &["--ui"], &[]);
    let own = home(&server);
    has(&server, &own, &["The repository has no file to index", "What is left out"]);
    for page in ["search?q=one", "map", "endpoints", "services", "projects", "branches", "branch", "health", "skipped"]
    {
        has(&server, &format!("{own}-/{page}"), &["<h1"]);
    }
}

// Windows has no such names.
#[cfg(unix)]
#[test]
fn hostile_text_stays_text() {
    const EVIL: &str = "<img src=x onerror=alert(1)>";
    let workspace = TestWorkspace::git("//- /a.py\nx = 1\n");
    let name = format!("{EVIL} & \"'.py");
    let text = format!(
        "def evil_target():\n    \"\"\"{EVIL} </p><script>alert(2)</script>\"\"\"\n    return '</li></ol><script>alert(3)</script>'\n\n\n\
         def caller():\n    # {EVIL}\n    return evil_target()  # \u{202e} {EVIL}\n"
    );
    workspace.write(&name, &text);
    workspace.commit(&format!("add {EVIL}"));
    let server = HttpServer::start(&workspace, &["--ui"], &[]);
    let home = home(&server);
    let path = "%3Cimg%20src%3Dx%20onerror%3Dalert%281%29%3E%20%26%20%22%27.py";
    let symbol = format!("{path}%3A1");
    let pages = [
        home.clone(),
        format!("{home}{path}"),
        format!("{home}-/search?q=evil_target"),
        format!("{home}-/search?q={}", "%3Cscript%3Ealert%282%29%3C/script%3E"),
        format!("{home}-/search?q=%22%3E%3Cscript%3Ealert%281%29%3C/script%3E&kind=%22%3E%3Cscript%3E"),
        format!("{home}-/symbol?s={symbol}"),
        format!("{home}-/symbol?s=%3Cscript%3Ealert(1)%3C/script%3E"),
        format!("{home}-/map"),
        format!("{home}-/history"),
        format!("{home}-/branch?base=%3Cscript%3E"),
        format!("{home}%3Cscript%3Ealert(1)%3C/script%3E"),
        "/r/%3Cscript%3E/".to_string(),
    ];
    for address in pages {
        let response = get(&server, &address);
        let body = &response.body;
        assert!(body.starts_with("<!doctype html>"), "{address}: {response:?}");
        assert!(!body.contains("<img"), "{address}:\n{body}");
        // The only script is ours.
        let scripts = body.matches("<script").count();
        assert_eq!((scripts, body.matches("/app.js\"></script>").count()), (1, 1), "{address}:\n{body}");
        assert!(!body.contains(" onerror=alert(1)>"), "{address}:\n{body}");
        assert!(!body.contains('\u{202e}'), "{address}");
    }
    has(&server, &format!("{home}{path}"), &["&lt;img src=x onerror=alert(1)&gt;", "\\u{202e}"]);
    has(&server, &format!("{home}-/symbol?s={symbol}"), &["caller"]);
}

#[test]
fn nothing_outside_is_shown() {
    let workspace = shop();
    let server = HttpServer::start(&workspace, &["--ui"], &[]);
    let home = home(&server);
    for path in [
        "..%2f..%2fetc%2fpasswd",
        "%2e%2e/%2e%2e/%2e%2e/%2e%2e/%2e%2e/etc/passwd",
        "/etc/passwd",
        ".git/config",
        "shop/../../../../../../../etc/passwd",
        "shop%00/prices.py",
        "%ff",
    ] {
        let response = get(&server, &format!("{home}{path}"));
        assert!([400, 403, 404].contains(&response.status), "{path}: {response:?}");
        assert!(!response.body.contains("root:") && !response.body.contains("[core]"), "{path}: {}", response.body);
    }
    assert_eq!(get(&server, "/r/nonesuch/").status, 404);
    assert_eq!(get(&server, &format!("{home}-/nonesuch")).status, 400);
    assert_eq!(get(&server, "/assets/x/nonesuch.js").status, 404);
    assert_eq!(server.request("POST", &home, &[], "").status, 405);
}

#[test]
fn headers_keep_others_out() {
    let workspace = shop();
    let server = HttpServer::start(&workspace, &["--ui", "--allowed-origin", "https://app.example"], &[]);
    let home = home(&server);
    let addresses =
        [home.as_str(), "/assets/x/style.css", "/assets/x/app.js", "/login", "/api/index_status", "/r/none/"];
    for address in addresses {
        let response = get(&server, address);
        let policy = response.header("content-security-policy").unwrap_or_default().to_string();
        for part in ["default-src 'none'", "script-src 'self'", "style-src 'self'", "frame-ancestors 'none'"] {
            assert!(policy.contains(part), "{address}: {policy}");
        }
        assert!(!policy.contains("unsafe"), "{policy}");
        assert_eq!(response.header("x-content-type-options"), Some("nosniff"), "{address}");
        assert_eq!(response.header("referrer-policy"), Some("no-referrer"), "{address}");
    }
    // Web pages of an allowed origin may speak the protocol, but read no page.
    let foreign = server.request("GET", &home, &[("origin", "https://app.example")], "");
    assert_eq!(foreign.header("access-control-allow-origin"), None, "{foreign:?}");
    let refused = server.request("GET", "/api/index_status", &[("sec-fetch-site", "cross-site")], "");
    assert_eq!(refused.status, 403);
    assert_eq!(server.request("GET", &home, &[("origin", "http://evil.example")], "").status, 403);
    let port = server.address.rsplit_once(':').unwrap().1;
    let rebound = format!("GET {home} HTTP/1.1\r\nhost: evil.example:{port}\r\nconnection: close\r\n\r\n");
    assert_eq!(server.raw(rebound.as_bytes()).status, 403);
}

#[test]
fn the_page_is_served_only_where_it_is_wanted() {
    let workspace = shop();
    let server = HttpServer::start(&workspace, &[], &[]);
    for path in ["/", "/ui", "/r/shop/", "/api/index_status", "/assets/x/style.css", "/login"] {
        assert_eq!(get(&server, path).status, 404, "{path}");
    }
    let server = HttpServer::start(&workspace, &[], &[("CODECOMPASS_SERVER_UI", "true")]);
    page(&server, &home(&server));
}

#[test]
fn a_token_opens_the_page() {
    let workspace = shop();
    let server = HttpServer::start(&workspace, &["--ui"], &[(TOKEN_VARIABLE, TOKEN)]);
    let refused = get(&server, "/ui");
    assert_eq!((refused.status, refused.header("location")), (303, Some("/login")));
    assert_eq!(server.request("GET", "/api/index_status", &[], "").status, 401);
    assert_eq!(get(&server, "/assets/x/style.css").status, 200);
    assert!(page(&server, "/login").contains("name=\"token\""));
    let form = [("content-type", "application/x-www-form-urlencoded")];
    let wrong = server.request("POST", "/login", &form, "token=wrong-wrong-wrong-wrong");
    assert_eq!((wrong.header("location"), wrong.header("set-cookie")), (Some("/login?wrong"), None));
    let right = server.request("POST", "/login", &form, &format!("token={TOKEN}"));
    let cookie = right.header("set-cookie").expect("a cookie").to_string();
    assert!(cookie.contains("HttpOnly") && cookie.contains("SameSite=Strict"), "{cookie}");
    let cookie = cookie.split(';').next().unwrap();
    let entered = server.request("GET", "/ui", &[("cookie", cookie)], "");
    let home = entered.header("location").unwrap().to_string();
    assert_eq!(server.request("GET", &home, &[("cookie", cookie)], "").status, 200);
    assert_eq!(server.request("GET", "/api/index_status", &[("cookie", cookie)], "").status, 200);
    // The protocol takes no cookies, which browsers send by themselves.
    assert_eq!(server.post(&[("cookie", cookie)], "{}").status, 401);
    let bearer = format!("Bearer {TOKEN}");
    assert_eq!(server.request("GET", "/api/index_status", &[("authorization", &bearer)], "").status, 200);
}

#[test]
fn answers_as_json_are_those_of_commands() {
    let workspace = shop();
    let server = HttpServer::start(&workspace, &["--ui"], &[]);
    let asked = |path: &str| -> Value { server.request("GET", path, &[], "").json() };
    let command = |args: &[&str]| -> Value {
        let output = workspace.command(PROGRAM, args).output().unwrap();
        serde_json::from_slice(&output.stdout).unwrap()
    };
    let pairs: [(&str, &[&str]); 4] = [
        ("/api/locate_symbol?symbol=price_of", &["locate", "price_of", "--json"]),
        ("/api/find_references?symbol=price_of&limit=5", &["refs", "price_of", "--limit", "5", "--json"]),
        ("/api/read_file?path=shop/prices.py&spans=true", &["read", "shop/prices.py", "--spans", "--json"]),
        ("/api/get_dependencies?folders=true&path=shop", &["deps", "--folders", "shop", "--json"]),
    ];
    for (path, args) in pairs {
        assert_eq!(asked(path), command(args), "{path}");
    }
    let spans = &asked("/api/read_file?path=shop/prices.py&spans=true")["files"][0]["spans"];
    let is_name = |span: &Value| span["class"] == "definition" && span["line"] == 4 && span["start"] == 5;
    assert!(spans.as_array().unwrap().iter().any(is_name), "{spans}");
    for (path, status, code) in [
        ("/api/locate_symbol", 400, "invalid_input"),
        ("/api/locate_symbol?symbol=price_of&limit=x", 400, "invalid_input"),
        ("/api/get_symbol?symbol=nonesuch_at_all", 404, "symbol_not_found"),
        ("/api/index_repo", 400, "invalid_input"),
        ("/api/sync_repo", 400, "invalid_input"),
        ("/api/analyze?question=x", 400, "invalid_input"),
        ("/api/get_symbol?symbol=price_of&workspace=/", 404, "workspace_not_registered"),
    ] {
        let response = server.request("GET", path, &[], "");
        assert_eq!((response.status, &response.json()["error"]["code"]), (status, &Value::from(code)), "{path}");
    }
}

#[test]
fn a_save_is_told() {
    let workspace = shop();
    let server = HttpServer::start(&workspace, &["--ui"], &[]);
    page(&server, &home(&server));
    let mut stream = server.connect();
    let head = format!("GET /api/events HTTP/1.1\r\nhost: {}\r\naccept: text/event-stream\r\n\r\n", server.address);
    stream.write_all(head.as_bytes()).unwrap();
    let mut told = String::new();
    let mut read = |until: &dyn Fn(&str) -> bool| {
        let mut buffer = [0; 1024];
        while !until(&told) {
            let count = stream.read(&mut buffer).unwrap();
            assert!(count > 0, "the stream ended: {told}");
            told.push_str(&String::from_utf8_lossy(&buffer[..count]));
        }
    };
    read(&|told| told.matches("event: generation").count() == 1);
    workspace.write("new_file.py", "def brand_new():\n    return 1\n");
    read(&|told| told.matches("event: generation").count() >= 2);
    until("the page shows it", || get(&server, &home(&server)).body.contains("new_file.py"));
}

#[test]
fn its_own_command_serves_it() {
    let workspace = shop();
    let mut command = workspace.command(PROGRAM, &["ui", "--no-open", "--port", "0"]);
    let mut child = command.stdin(Stdio::null()).spawn().unwrap();
    let stderr = BufReader::new(child.stderr.take().unwrap());
    let address = stderr.lines().map_while(Result::ok).find_map(|line| {
        let address = line.strip_prefix("codecompass: the page is at http://")?;
        Some(address.trim_end_matches('/').to_string())
    });
    let address = address.expect("it says where the page is");
    assert!(address.starts_with("127.0.0.1:"), "{address}");
    let mut stream = std::net::TcpStream::connect(&address).unwrap();
    write!(stream, "GET / HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\n\r\n").unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(answer.starts_with("HTTP/1.1 303") && answer.contains("location: /r/"), "{answer}");
}
