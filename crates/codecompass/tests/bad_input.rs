//! Whatever is asked, and wherever: an answer, or an error with a code and what to do about it. Never a panic, never a
//! look outside the workspace.

#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "tests may fail loudly and say what they skip")]

#[cfg(unix)]
use std::ffi::OsStr;
use std::fs;
use std::io::Write;
#[cfg(unix)]
use std::path::Path;
#[cfg(unix)]
use std::process::Stdio;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use codecompass_engine::query::{self, LocateOptions, SearchOptions};
use codecompass_engine::{Config, Engine, NoProgress, SyncOptions, sync};
#[cfg(unix)]
use codecompass_testkit::permissions_are_enforced;
use codecompass_testkit::{Answer, TestWorkspace};
use serde_json::Value;

const PROGRAM: &str = env!("CARGO_BIN_EXE_codecompass");

const FIXTURE: &str = "
//- /src/lib.rs
/// Greets somebody.
pub fn greet(name: &str) -> String {
    format!(\"hello {name}\")
}
//- /src/deep/util.py
def helper():
    return 1
";

fn workspace() -> TestWorkspace {
    TestWorkspace::git(FIXTURE)
}

/// Fails unless the answer is an error as users and scripts expect it; returns its message and remedy.
#[track_caller]
fn error_of(answer: Answer, code: &str) -> (String, String) {
    let answer = answer.ended_with(2);
    assert_eq!(answer.stdout, "", "{answer:?}");
    let value: Value = serde_json::from_str(&answer.stderr).unwrap_or_else(|error| panic!("{error}: {answer:?}"));
    let error = &value["error"];
    assert_eq!(error["code"], code, "{answer:?}");
    let text = |value: &Value| value.as_str().unwrap().to_string();
    let (message, remedy) = (text(&error["message"]), text(&error["data"]["remediation"]));
    assert!(!message.is_empty() && !remedy.is_empty(), "{answer:?}");
    (message, remedy)
}

/// Runs a command that must be refused, as JSON and as text.
#[track_caller]
fn refused(workspace: &TestWorkspace, args: &[&str], code: &str) -> (String, String) {
    let text = workspace.run(PROGRAM, args).ended_with(2);
    let parts = error_of(workspace.run(PROGRAM, &[&["--json"], args].concat()), code);
    assert!(text.stderr.starts_with(&format!("error: {}", parts.0)), "{text:?}");
    parts
}

/// Runs a command that may find something or not, but must end well.
#[track_caller]
fn answered(workspace: &TestWorkspace, args: &[&str]) -> Answer {
    let answer = workspace.run(PROGRAM, args);
    let code = answer.code.unwrap_or(-1);
    assert!(code == 0 || code == 1, "{args:?}: {answer:?}");
    answer.ended_with(code)
}

#[test]
fn unknown_things() {
    let workspace = workspace();
    for command in [
        &["search", "greet"][..],
        &["context", "greet"],
        &["locate", "greet"],
        &["locate", "--at", "src/lib.rs:1:1"],
        &["show", "greet"],
        &["refs", "greet"],
        &["calls", "greet"],
        &["trace", "greet"],
        &["impact", "greet"],
        &["outline", "src/lib.rs"],
    ] {
        let (message, remedy) = refused(&workspace, &[command, &["--ref", "nowhere"]].concat(), "ref_not_indexed");
        assert_eq!(message, "no branch, tag or commit `nowhere`: this repository does not have it");
        assert!(remedy.contains("codecompass branches"), "{remedy}");
    }
    let (_, remedy) = refused(&workspace, &["search", "greet", "--ref", "mai"], "ref_not_indexed");
    assert_eq!(remedy, "did you mean `main`?");
    for odd in ["", " ", "main:src", "HEAD:src/lib.rs", "main..main", "^main", "@{-9}", "HEAD~999", "--help"] {
        refused(&workspace, &["search", "greet", &format!("--ref={odd}")], "ref_not_indexed");
    }
    let (message, remedy) = refused(&workspace, &["show", "gret"], "symbol_not_found");
    assert_eq!((message.as_str(), remedy.as_str()), ("no symbol `gret`", "did you mean `greet`?"));
    let (_, remedy) = refused(&workspace, &["show", "entirely_else"], "symbol_not_found");
    assert!(remedy.contains("codecompass search"), "{remedy}");
    refused(&workspace, &["show", "src/lib.rs:999"], "symbol_not_found");
    refused(&workspace, &["show", "0123456789ab.7"], "symbol_not_found");
    let (message, remedy) = refused(&workspace, &["outline", "src/util.py"], "file_not_found");
    assert_eq!(
        (message.as_str(), remedy.as_str()),
        ("no indexed file src/util.py", "did you mean `src/deep/util.py`?")
    );
    refused(&workspace, &["outline", "src"], "file_not_found");
    refused(&workspace, &["outline", "src/lib.rs/more"], "file_not_found");
    refused(&workspace, &["locate", "src/gone.rs:1"], "file_not_found");
    for command in ["show", "refs", "calls", "trace", "impact", "hierarchy", "related", "similar"] {
        refused(&workspace, &[command, "gret"], "symbol_not_found");
        refused(&workspace, &[command, "src/gone.rs:1:1"], "file_not_found");
        refused(&workspace, &[command, "src/lib.rs:999:1"], "symbol_not_found");
        refused(&workspace, &[command, "src/lib.rs:0:0"], "symbol_not_found");
        refused(&workspace, &[command, "src/lib.rs:4294967296:1"], "symbol_not_found");
        refused(&workspace, &[command, " "], "invalid_input");
    }
    refused(&workspace, &["trace", "--from", "gret", "greet"], "symbol_not_found");
    refused(&workspace, &["impact", "--diff", "nowhere"], "ref_not_indexed");
    for place in
        ["", "src/lib.rs", "src/lib.rs:1", "src/lib.rs:x:1", "src/lib.rs:0:1", "src/lib.rs:1:0", "src/lib.rs:999:1"]
    {
        refused(&workspace, &["locate", "--at", place], "invalid_input");
    }
    answered(&workspace, &["locate", "--at", "src/lib.rs:1:4294967295"]);
    assert_eq!(answered(&workspace, &["locate", "entirely_else"]).code, Some(1));
    assert_eq!(answered(&workspace, &["search", "zzzqqqxxx"]).code, Some(1));
}

#[test]
fn paths_outside_the_workspace() {
    let workspace = workspace();
    fs::write(workspace.beside("secret.py"), "def secret():\n    pass\n").unwrap();
    fs::create_dir(workspace.beside("outside")).unwrap();
    fs::write(workspace.beside("outside/inner.py"), "def secret_inside():\n    pass\n").unwrap();
    #[cfg_attr(not(unix), expect(unused_mut, reason = "links are made on Unix only"))]
    let mut paths = vec!["../secret.py", "../x", "/etc/passwd", "src/../../secret.py", "../workspace/../secret.py"];
    #[cfg(unix)]
    {
        use std::os::unix::fs::symlink;
        symlink(workspace.beside("secret.py"), workspace.root().join("link.py")).unwrap();
        symlink(workspace.beside("outside"), workspace.root().join("linked")).unwrap();
        symlink(".", workspace.root().join("loop")).unwrap();
        paths.extend(["link.py", "linked/inner.py"]);
    }
    for path in paths {
        let (message, _) = refused(&workspace, &["outline", path], "workspace_not_allowed");
        assert_eq!(message, format!("{path} is outside the workspace"));
    }
    for path in ["../secret.py:1", "link.py:1", "linked/inner.py:1", "/etc/passwd:1"] {
        for command in ["show", "locate", "refs", "calls", "trace", "impact"] {
            refused(&workspace, &[command, path], "workspace_not_allowed");
        }
        refused(&workspace, &["locate", "--at", &format!("{path}:1")], "workspace_not_allowed");
    }
    for words in ["secret", "secret_inside", "root:x:0:0"] {
        let found = answered(&workspace, &["search", words, "--limit", "100"]).stdout;
        assert!(!found.contains("def secret") && !found.contains("link"), "{found}");
    }
    assert!(answered(&workspace, &["outline", "./src/../src/lib.rs"]).stdout.contains("greet"));
    let absolute = workspace.root().join("src/lib.rs");
    assert!(answered(&workspace, &["outline", absolute.to_str().unwrap()]).stdout.contains("greet"));
}

#[cfg(unix)]
#[test]
fn settings_outside_the_workspace_are_not_read() {
    let workspace = workspace();
    fs::write(workspace.beside("secret.toml"), "password = \"hunter2\"\n").unwrap();
    fs::create_dir(workspace.root().join(".codecompass")).unwrap();
    let link = workspace.root().join(".codecompass/config.toml");
    std::os::unix::fs::symlink(workspace.beside("secret.toml"), link).unwrap();
    let (message, remedy) = refused(&workspace, &["search", "greet"], "invalid_input");
    assert!(message.contains("leads out of the workspace") && !message.contains("password"), "{message} {remedy}");
}

#[test]
fn empty_and_huge_questions() {
    let workspace = workspace();
    for query in ["", " ", "\t\n", "\u{a0}\u{2003}"] {
        assert_eq!(refused(&workspace, &["search", query], "invalid_input").0, "the query is empty");
        assert_eq!(refused(&workspace, &["locate", query], "invalid_input").0, "the symbol is empty");
        assert_eq!(refused(&workspace, &["show", query], "invalid_input").0, "the symbol is empty");
    }
    refused(&workspace, &["outline", ""], "invalid_input");

    // One argument may have 128 KB on Linux, all of them together more.
    let word = "x".repeat(120_000);
    let words = "who greets people ".repeat(120_000 / 18);
    for query in [&word, &words] {
        let (message, _) = refused(&workspace, &["search", query], "invalid_input");
        assert!(message.ends_with("bytes, at most 16384 are allowed"), "{message}");
        for command in ["locate", "show"] {
            let (message, _) = refused(&workspace, &[command, query], "invalid_input");
            assert!(message.len() < 500, "an error does not repeat a huge argument");
        }
        refused(&workspace, &["outline", query], "file_not_found");
    }
    let megabyte: Vec<&str> = ["search"].into_iter().chain(std::iter::repeat_n(word.as_str(), 9)).collect();
    refused(&workspace, &megabyte, "invalid_input");

    // The largest allowed are answered, in reasonable time and space.
    for query in ["y".repeat(16_000), "greet ".repeat(2_600), "a.".repeat(8_000), "Ab".repeat(8_000)] {
        answered(&workspace, &["search", &query]);
        answered(&workspace, &["context", &query]);
        answered(&workspace, &["locate", &query]);
    }
}

#[test]
fn odd_characters() {
    let workspace = workspace();
    workspace.write("src/größe.py", "def größe_berechnen():\n    return 'ß'\n\n\ndef 変数():\n    pass\n");
    assert!(answered(&workspace, &["locate", "größe_berechnen"]).stdout.starts_with("src/größe.py:1"));
    assert!(answered(&workspace, &["locate", "GRÖSSE_BERECHNEN"]).code.is_some());
    assert!(answered(&workspace, &["search", "変数"]).stdout.contains("src/größe.py"));
    assert!(answered(&workspace, &["outline", "größe.py"]).stdout.contains("変数"));
    let queries = [
        "\u{1}\u{2}\u{7f}",
        "greet\u{8}\u{1b}[31mred",
        "a\nb\r\nc\td",
        "\u{feff}greet",
        "e\u{301}\u{302}\u{303}",
        "\u{202e}teerg",
        "👩‍👩‍👧‍👦 family",
        "\u{0}".trim_matches('\0'),
        "İstanbul ŞIĞ ǅ ﬀ",
        "\u{10ffff}\u{fffe}",
        "a\u{200b}b",
        "%s %n %x {} {0} ${PATH} `ls` $(ls)",
        "'; DROP TABLE symbol; --",
        "\" OR name:greet AND *:*",
        "[a-z]+(",
        "*",
        "?",
        "^$",
        "::",
        ".",
        "...",
        "/",
        "//",
        ":0",
        "src/lib.rs:0",
        "src/lib.rs:4294967295",
        "src/lib.rs:99999999999999999999",
        "src/lib.rs:-1",
        "#",
        "!",
        "()",
        "a()",
        "\\",
        "C:\\Users\\x",
        "http://example.org/?q=greet",
        "000000000000.0",
        "ffffffffffff.99999999999",
        "error:",
        "panicked at",
        "Traceback (most recent call last):\n  File \"src/deep/util.py\", line 2, in helper",
        "at greet (src/lib.rs:2:5)\n    at x (src/gone.js:1:1)\nerror: y",
    ];
    for query in queries {
        for command in ["search", "context", "locate", "show", "outline"] {
            let answer = workspace.run(PROGRAM, &[command, "--", query]);
            let code = answer.code.unwrap_or(-1);
            assert!((0..=2).contains(&code), "{command} {query:?}: {answer:?}");
            answer.ended_with(code);
        }
    }
    // An argument cannot hold a NUL, a caller of the library can.
    let engine = Engine::open(&workspace.root(), &workspace.home(), Config::default()).unwrap();
    let (snapshot, _) = sync(&engine, SyncOptions::default(), &NoProgress).unwrap();
    for query in ["\0", "gre\0et", "greet\0", "src/lib.rs\0:2"] {
        query::search(&snapshot, query, &SearchOptions { limit: 10, ..Default::default() }).unwrap();
        let _ = query::locate(&snapshot, query, &LocateOptions { limit: 10, ..Default::default() });
        query::outline(&snapshot, query).unwrap_err();
    }
}

#[cfg(unix)]
#[test]
fn names_that_are_not_text() {
    use std::os::unix::ffi::OsStrExt;
    let odd = OsStr::from_bytes(b"caf\xe9");
    let workspace = workspace();
    for command in ["search", "context", "locate", "show", "outline"] {
        let answer = Answer::of(workspace.command(PROGRAM, &["--json", command]).arg(odd));
        error_of(answer, "invalid_input");
    }
    // A root that has no name in UTF-8 is a root like any other.
    let root = workspace.beside("").join(odd);
    fs::create_dir(&root).unwrap();
    fs::write(root.join("a.py"), "def inside():\n    pass\n").unwrap();
    fs::write(root.join(OsStr::from_bytes(b"b\xff.py")), "def never():\n    pass\n").unwrap();
    for args in [
        &["search", "inside"][..],
        &["search", "inside", "--json"],
        &["locate", "inside", "--json"],
        &["outline", "a.py", "--json"],
        &["show", "inside"],
        &["index", "--json"],
        &["index", "--show-ignored", "--json"],
        &["sync", "--json"],
        &["status"],
        &["status", "--json"],
        &["doctor", "--full", "--json"],
        &["gc", "--json"],
    ] {
        Answer::of(workspace.command(PROGRAM, args).current_dir(&root)).ended_with(0);
    }
    let mut status = workspace.command(PROGRAM, &["status", "--json"]);
    Answer::of(status.current_dir(&root).env("CODECOMPASS_HOME", workspace.home().join(odd))).ended_with(1);
}

#[test]
fn bad_flags() {
    let workspace = workspace();
    refused_by_the_parser(&workspace, &["search", "x", "--frobnicate"], "--frobnicate");
    refused_by_the_parser(&workspace, &["frobnicate"], "frobnicate");
    refused_by_the_parser(&workspace, &["search"], "QUERY");
    for limit in ["0", "-1", "1001", "many", "", "1e3", "99999999999999999999"] {
        refused_by_the_parser(&workspace, &["search", "x", &format!("--limit={limit}")], "--limit");
        refused_by_the_parser(&workspace, &["locate", "x", &format!("--limit={limit}")], "--limit");
    }
    refused_by_the_parser(&workspace, &["search", "x", "--detail=everything"], "--detail");
    refused_by_the_parser(&workspace, &["search", "x", "--explain=some"], "--explain");
    refused_by_the_parser(&workspace, &["outline", "x", "--depth=3"], "--depth");
    refused_by_the_parser(&workspace, &["completions", "tcsh"], "tcsh");
    let (message, remedy) = refused(&workspace, &["search", "x", "--lang", "cobol"], "invalid_input");
    assert!(message == "unknown language `cobol`" && remedy.contains("python, ruby, rust"), "{message} {remedy}");
    let (message, remedy) = refused(&workspace, &["locate", "x", "--kind", "klass"], "invalid_input");
    assert!(message == "unknown kind `klass`" && remedy.contains("class"), "{message} {remedy}");
    refused(&workspace, &["search", "x", "--path", "src/[a"], "invalid_input");
    assert_eq!(answered(&workspace, &["search", "greet", "--lang", "RUST"]).code, Some(0));
}

#[track_caller]
fn refused_by_the_parser(workspace: &TestWorkspace, args: &[&str], mentions: &str) {
    let text = workspace.run(PROGRAM, args).ended_with(2);
    assert!(text.stderr.starts_with("error: ") && text.stderr.contains(mentions), "{text:?}");
    let (message, _) = error_of(workspace.run(PROGRAM, &[args, &["--json"]].concat()), "invalid_input");
    assert!(message.contains(mentions), "{args:?}: {message}");
}

#[test]
fn bad_settings() {
    let workspace = workspace();
    let user = workspace.home().join("config.toml");
    let own = workspace.root().join(".codecompass/config.toml");
    fs::create_dir(own.parent().unwrap()).unwrap();
    for file in [&user, &own] {
        for (text, message, remedy) in [
            ("[index]\nthread = 2\n", "unknown setting `index.thread`", "did you mean `index.threads`?"),
            ("[idnex]\nthreads = 2\n", "unknown setting `idnex`", ""),
            ("threads = 2\n", "unknown setting `threads`", ""),
            ("[index]\nthreads = 0\n", "index.threads is not a number from 1 to 256", "correct"),
            ("[index]\nthreads = 100000\n", "index.threads is not a number from 1 to 256", "correct"),
            ("[index]\nthreads = -3\n", "index.threads is not a number", "correct"),
            ("[index]\nthreads = \"2\"\n", "index.threads is not a number", "correct"),
            ("[index]\nthreads = 1.5\n", "index.threads is not a number", "correct"),
            ("[index\n", "config.toml: ", "mend the file"),
            ("\u{0}\u{1}", "config.toml: ", "mend the file"),
        ] {
            fs::write(file, text).unwrap();
            let (said, hint) = error_of(workspace.run(PROGRAM, &["--json", "search", "greet"]), "invalid_input");
            assert!(said.contains(message) && said.contains(&file.display().to_string()), "{text:?}: {said}");
            assert!(hint.contains(remedy), "{text:?}: {hint}");
        }
        fs::write(file, b"\xff\xfe[index]").unwrap();
        error_of(workspace.run(PROGRAM, &["--json", "search", "greet"]), "invalid_input");
        fs::write(file, "[index]\nthreads = 2\nmax_line_bytes = 5000\n").unwrap();
        assert_eq!(answered(&workspace, &["search", "greet"]).code, Some(0));
        fs::remove_file(file).unwrap();
    }
    for value in ["0", "-1", "many", "", " ", "2.5", "99999999999999999999999"] {
        let mut command = workspace.command(PROGRAM, &["--json", "search", "greet"]);
        let (message, _) = error_of(Answer::of(command.env("CODECOMPASS_INDEX_THREADS", value)), "invalid_input");
        assert!(message.starts_with("CODECOMPASS_INDEX_THREADS is not a number from 1 to 256"), "{message}");
    }
    #[cfg(unix)]
    {
        let odd: &OsStr = std::os::unix::ffi::OsStrExt::from_bytes(b"\xff2");
        let mut command = workspace.command(PROGRAM, &["--json", "search", "greet"]);
        error_of(Answer::of(command.env("CODECOMPASS_INDEX_THREADS", odd)), "invalid_input");
    }
    let mut command = workspace.command(PROGRAM, &["search", "greet"]);
    Answer::of(command.env("CODECOMPASS_INDEX_THREADS", " 2 ")).ended_with(0);
}

#[test]
fn no_workspace() {
    let workspace = workspace();
    let run = |args: &[&str]| workspace.run(PROGRAM, &[&["--json"], args].concat());
    for command in ["search", "context", "locate", "show", "outline"] {
        error_of(run(&[command, "x", "-w", "/nowhere/at/all"]), "project_not_found");
        let (message, _) = error_of(run(&[command, "x", "-w", "src/lib.rs"]), "project_not_found");
        assert!(message.ends_with("src/lib.rs is not a directory"), "{message}");
    }
    for command in ["index", "sync", "status", "doctor", "gc"] {
        error_of(run(&[command, "-w", "/nowhere/at/all"]), "project_not_found");
        error_of(run(&[command, "-w", ""]), "invalid_input");
    }
    // The current directory is removed under the feet of the program.
    let gone = workspace.beside("gone");
    fs::create_dir(&gone).unwrap();
    let script = "rmdir \"$PWD\" && exec \"$0\" --json search x";
    let mut command = workspace.command("sh", &["-c", script, PROGRAM]);
    let (message, remedy) = error_of(Answer::of(command.current_dir(&gone)), "project_not_found");
    assert!(message.contains("current directory") && remedy.contains("--workspace"), "{message} {remedy}");
}

#[test]
fn empty_directory() {
    let workspace = TestWorkspace::plain("");
    for args in [&["search", "x"][..], &["locate", "x"], &["search", "x", "--json"]] {
        assert_eq!(answered(&workspace, args).code, Some(1));
    }
    for args in [&["index"][..], &["sync"], &["status"], &["doctor", "--full"], &["index", "--force"], &["gc", "--now"]]
    {
        assert_eq!(answered(&workspace, args).code, Some(0), "{args:?}");
    }
    refused(&workspace, &["outline", "x"], "file_not_found");
    refused(&workspace, &["show", "x"], "symbol_not_found");
}

#[test]
fn states_of_git() {
    let here = |workspace: &TestWorkspace| {
        let answer: Value = serde_json::from_str(&answered(workspace, &["locate", "greet", "--json"]).stdout).unwrap();
        (answer["results"].as_array().unwrap().len(), answer["metadata"]["ref"].as_str().unwrap().to_string())
    };
    // Before the first commit.
    let workspace = TestWorkspace::plain(FIXTURE);
    workspace.run_git(&["init", "--quiet", "--initial-branch=trunk"]);
    assert_eq!(here(&workspace), (1, "trunk".into()));
    answered(&workspace, &["search", "greet", "--ref", "trunk"]);
    workspace.commit("first");
    // No branch is checked out.
    workspace.run_git(&["checkout", "--quiet", "--detach"]);
    let commit = workspace.run_git(&["rev-parse", "HEAD"]).trim().to_string();
    assert_eq!(here(&workspace), (1, commit));
    answered(&workspace, &["search", "greet", "--ref", "trunk"]);
    answered(&workspace, &["status", "--json"]);
    // The branch that is checked out is deleted.
    workspace.run_git(&["checkout", "--quiet", "trunk"]);
    workspace.run_git(&["update-ref", "-d", "refs/heads/trunk"]);
    assert_eq!(here(&workspace), (1, "trunk".into()));
    // HEAD, the index or all of `.git` is broken.
    workspace.write(".git/HEAD", "nonsense\n");
    let code = workspace.run(PROGRAM, &["search", "greet"]).code.unwrap();
    workspace.run(PROGRAM, &["search", "greet"]).ended_with(code);
    workspace.write(".git/HEAD", "ref: refs/heads/trunk\n");
    workspace.write(".git/index", "nonsense");
    assert!(refused(&workspace, &["search", "greet"], "project_not_found").0.contains("cannot read the git index"));
    fs::remove_dir_all(workspace.root().join(".git")).unwrap();
    workspace.write(".git", "gitdir: /nowhere/at/all\n");
    assert!(
        refused(&workspace, &["search", "greet"], "project_not_found").0.contains("cannot open the git repository")
    );
    workspace.remove(".git");
    assert_eq!(here(&workspace), (1, "live".into()));
}

#[test]
fn bare_repository() {
    let workspace = workspace();
    let bare = workspace.beside("bare.git");
    workspace.run_git(&["clone", "--quiet", "--bare", ".", bare.to_str().unwrap()]);
    for place in [&bare, &bare.join("refs")] {
        let answer = workspace.run(PROGRAM, &["locate", "greet", "-w", place.to_str().unwrap()]).ended_with(0);
        assert!(answer.stdout.starts_with("src/lib.rs:"), "{answer:?}");
    }
    for place in [&workspace.root().join(".git"), &workspace.root().join(".git/objects")] {
        let answer = workspace.run(PROGRAM, &["--json", "search", "greet", "-w", place.to_str().unwrap()]);
        let (message, _) = error_of(answer, "project_not_found");
        assert!(message.contains("open the checkout beside it instead"), "{message}");
    }
    let empty = workspace.beside("empty.git");
    workspace.run_git(&["init", "--quiet", "--bare", empty.to_str().unwrap()]);
    error_of(workspace.run(PROGRAM, &["--json", "search", "x", "-w", empty.to_str().unwrap()]), "ref_not_indexed");
}

#[test]
fn contents_that_are_no_code() {
    let workspace = workspace();
    workspace.write_bytes("src/binary.rs", b"pub fn hidden_in_binary() {}\n\0\x01\x02\xff");
    workspace.write("src/long.js", &format!("function hidden_in_long() {{ {} }}", "x;".repeat(20_000)));
    workspace.write_bytes("src/latin.py", b"def latin():\n    return 'caf\xe9'\n");
    workspace.write("src/huge.rs", &"// nothing\n".repeat(500_000));
    workspace.write("src/empty.rs", "");
    workspace.write("src/no_end.rs", "pub fn no_end() {}");
    workspace.write("src/returns.rs", "pub fn returns() {\r\n}\r\n");
    workspace.write("src/open.rs", &"fn f() { (((((((((( ".repeat(2_000));
    workspace.write(":12.rs", "pub fn odd_name() {}\n");
    workspace.write("-n.rs", "pub fn dashed_name() {}\n");
    let skipped = answered(&workspace, &["index", "--show-ignored"]).stdout;
    assert!(skipped.contains("src/binary.rs  binary content\n"), "{skipped}");
    assert!(skipped.contains("src/long.js  very long lines (minified or data)\n"), "{skipped}");
    assert!(skipped.contains("src/huge.rs  too large (5500000 bytes)\n"), "{skipped}");
    for (path, reason) in [("src/binary.rs", "binary"), ("src/long.js", "long lines")] {
        let (message, remedy) = refused(&workspace, &["outline", path], "file_not_found");
        assert_eq!(message, format!("no indexed file {path}: the file is skipped ({reason})"));
        assert!(remedy.contains("index --show-ignored"), "{remedy}");
    }
    for hidden in ["hidden_in_binary", "hidden_in_long"] {
        assert_eq!(answered(&workspace, &["locate", hidden]).code, Some(1));
    }
    for (name, place) in [
        ("latin", "src/latin.py:1-2"),
        ("no_end", "src/no_end.rs:1"),
        ("returns", "src/returns.rs:1-2"),
        ("odd_name", ":12.rs:1"),
        ("dashed_name", "-n.rs:1"),
    ] {
        let found = answered(&workspace, &["locate", name]).stdout;
        assert!(found.starts_with(place), "{found}");
        answered(&workspace, &["show", name]);
    }
    assert!(answered(&workspace, &["outline", "src/empty.rs"]).stdout.contains("0 lines"));
    answered(&workspace, &["outline", "--", "-n.rs"]);
}

#[cfg(unix)]
#[test]
fn files_that_are_not_files() {
    let workspace = workspace();
    let status = workspace.command("mkfifo", &["src/pipe.rs", "src/other.py"]).status().unwrap();
    assert!(status.success());
    let _socket = std::os::unix::net::UnixListener::bind(workspace.root().join("src/socket.rs")).unwrap();
    std::os::unix::fs::symlink("lib.rs", workspace.root().join("src/alias.rs")).unwrap();
    let skipped = answered(&workspace, &["index", "--show-ignored"]).stdout;
    for line in ["src/pipe.rs  not a regular file", "src/socket.rs  not a regular file", "src/alias.rs  symbolic link"]
    {
        assert!(skipped.contains(line), "{skipped}");
    }
    assert_eq!(answered(&workspace, &["locate", "greet"]).stdout.matches("function").count(), 1);
}

#[cfg(unix)]
#[test]
fn unreadable_file() {
    use std::os::unix::fs::PermissionsExt;
    if !permissions_are_enforced() {
        println!("skipped: permissions do not bind this user");
        return;
    }
    let workspace = workspace();
    let set =
        |path: &str, mode| fs::set_permissions(workspace.root().join(path), PermissionsExt::from_mode(mode)).unwrap();
    set("src/lib.rs", 0o000);
    set("src/deep", 0o000);
    let indexed = answered(&workspace, &["index"]).stdout;
    let skipped = answered(&workspace, &["index", "--show-ignored"]).stdout;
    let refused = refused(&workspace, &["outline", "src/lib.rs"], "file_not_found").0;
    set("src/deep", 0o755);
    set("src/lib.rs", 0o644);
    assert!(indexed.contains("1 unreadable"), "{indexed}");
    assert!(skipped.contains("src/lib.rs  unreadable") && skipped.contains("src/deep/  unreadable"), "{skipped}");
    assert!(refused.contains("the file is skipped (unreadable)"), "{refused}");
    assert!(
        answered(&workspace, &["locate", "greet"]).stdout.starts_with("src/lib.rs:2"),
        "it is read as soon as it can be"
    );
    assert!(answered(&workspace, &["locate", "helper"]).stdout.starts_with("src/deep/util.py:1"));
}

#[test]
fn file_that_grows_while_it_is_read() {
    let workspace = workspace();
    let file = workspace.root().join("src/growing.py");
    fs::write(&file, "def start():\n    pass\n").unwrap();
    let done = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            let mut file = fs::File::options().append(true).open(&file).unwrap();
            // On a busy machine it would grow until it takes too long to parse.
            for number in 0..3_000 {
                if done.load(Ordering::Relaxed) {
                    break;
                }
                writeln!(file, "def grown_{number}():\n    pass").unwrap();
                thread::sleep(std::time::Duration::from_micros(300));
            }
        });
        let answers: Vec<Answer> =
            (0..10).map(|_| workspace.run(PROGRAM, &["--quiet", "search", "start", "--kind", "function"])).collect();
        done.store(true, Ordering::Relaxed);
        for answer in answers {
            assert!(answer.found().starts_with("src/growing.py:1-2  function  start"));
        }
    });
    let text = fs::read_to_string(&file).unwrap();
    let last = text.rsplit("def ").next().unwrap().split('(').next().unwrap();
    assert!(answered(&workspace, &["locate", last]).stdout.starts_with("src/growing.py"), "the last write counts");
    let status: Value = serde_json::from_str(&answered(&workspace, &["status", "--json"]).stdout).unwrap();
    let sizes = ["src/growing.py", "src/lib.rs", "src/deep/util.py"];
    let total: u64 = sizes.iter().map(|path| workspace.root().join(path).metadata().unwrap().len()).sum();
    assert_eq!(status["source_bytes"], total);
}

#[cfg(unix)]
#[test]
fn output_that_nobody_takes() {
    let workspace = workspace();
    workspace.run(PROGRAM, &["index"]).ended_with(0);
    let mut child = workspace.command(PROGRAM, &["search", "greet"]).spawn().unwrap();
    drop(child.stdout.take());
    let answer = Answer::wait_for(child);
    assert!(!answer.stderr.contains("panicked"), "{answer:?}");
    if Path::new("/dev/full").exists() {
        for args in [&["search", "greet"][..], &["search", "greet", "--json"], &["completions", "bash"]] {
            let full = fs::File::options().write(true).open("/dev/full").unwrap();
            let answer = Answer::of(workspace.command(PROGRAM, args).stdout(Stdio::from(full)));
            let answer = answer.ended_with(2);
            assert!(answer.stderr.contains("cannot write the answer"), "{answer:?}");
        }
    }
}
