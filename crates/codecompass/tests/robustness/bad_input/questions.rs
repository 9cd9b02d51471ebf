//! Questions that are empty, huge or no text.

#[cfg(unix)]
use std::ffi::OsStr;

use codecompass_engine::query::{self, LocateOptions, SearchOptions};
use codecompass_engine::{Config, Engine, NoProgress, SyncOptions, sync};
#[cfg(unix)]
use codecompass_testkit::Answer;
use expect_test::expect;
use serde_json::{Value, json};

use crate::bad_input::{ABOUT_A_SYMBOL, PROGRAM, alike, answered, check, check_refused, refusal, workspace};
#[cfg(unix)]
use crate::bad_input::{QUESTIONS, refusal_of};

#[test]
fn empty_questions() {
    let workspace = workspace();
    let blank = ["", " ", "\t\n", "\u{a0}\u{2003}"];
    expect![[r#"
        invalid_input: the query is empty
        help: see `codecompass help`
    "#]]
    .assert_eq(&alike(blank.map(|query| refusal(&workspace, &["search", query]))));
    let of_all = |command: &str| alike(blank.map(|symbol| refusal(&workspace, &[command, symbol])));
    expect![[r#"
        invalid_input: the symbol is empty
        help: see `codecompass help`
    "#]]
    .assert_eq(&alike(ABOUT_A_SYMBOL.into_iter().chain(["locate"]).map(of_all)));
    check_refused(
        &workspace,
        &["outline", ""],
        expect![[r#"
        invalid_input: the path is empty
        help: see `codecompass help`
    "#]],
    );
}

/// One argument may have 128 KB on Linux, all of them together more.
#[test]
fn huge_questions_are_cut() {
    let workspace = workspace();
    let word = "x".repeat(120_000);
    let words = "who greets people ".repeat(120_000 / 18);
    for query in [&word, &words] {
        let warning = format!("the query is too long: its last {} bytes were ignored", query.trim().len() - (64 << 10));
        for command in ["search", "context"] {
            let answer = answered(&workspace, &[command, query]);
            assert_eq!(answer.stderr, format!("codecompass: {warning}\n"), "{command}");
            let answer = answered(&workspace, &[command, query, "--json"]).stdout;
            let answer: Value = serde_json::from_str(&answer).unwrap();
            assert_eq!(answer["metadata"]["warnings"], json!([warning]), "{command}");
        }
    }
    let megabyte: Vec<&str> = ["search"].into_iter().chain(std::iter::repeat_n(word.as_str(), 9)).collect();
    answered(&workspace, &megabyte);
}

#[test]
fn huge_names_and_paths() {
    let workspace = workspace();
    let word = "x".repeat(120_000);
    expect![[r#"
        invalid_input: the symbol has 120000 bytes, at most 65536 are allowed
        help: see `codecompass help`
    "#]]
    .assert_eq(&alike(["locate", "show"].map(|command| refusal(&workspace, &[command, &word]))));
    let refused = refusal(&workspace, &["outline", &word]);
    assert!(refused.starts_with("file_not_found: "), "{}", &refused[..100]);
}

/// In reasonable time and space.
#[test]
fn the_largest_questions_that_are_allowed() {
    let workspace = workspace();
    for query in ["y".repeat(64_000), "greet ".repeat(10_600), "a.".repeat(32_000), "Ab".repeat(32_000)] {
        answered(&workspace, &["search", &query]);
        answered(&workspace, &["context", &query]);
        answered(&workspace, &["locate", &query]);
    }
}

#[test]
fn odd_characters_in_names() {
    let workspace = workspace();
    workspace.write("src/größe.py", "def größe_berechnen():\n    return 'ß'\n\n\ndef 変数():\n    pass\n");
    check(
        &workspace,
        &["locate", "größe_berechnen"],
        expect![[r#"
        src/größe.py:1-2  function  größe_berechnen
            def größe_berechnen()
    "#]],
    );
    check(
        &workspace,
        &["locate", "GRÖSSE_BERECHNEN"],
        expect![[r#"
        no exact match for `GRÖSSE_BERECHNEN`; by fuzzy:
        src/größe.py:1-2  function  größe_berechnen
            def größe_berechnen()
    "#]],
    );
    check(
        &workspace,
        &["search", "変数", "--detail", "location"],
        expect![[r#"
        src/größe.py:5-6  function  変数
    "#]],
    );
    check(
        &workspace,
        &["outline", "größe.py"],
        expect![[r#"
            src/größe.py python, 6 lines
                 1  def größe_berechnen()
                 5  def 変数()
        "#]],
    );
}

#[test]
fn odd_characters_in_questions() {
    let workspace = workspace();
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
}

/// An argument cannot hold a NUL, a caller of the library can.
#[test]
fn zero_bytes_in_questions() {
    let workspace = workspace();
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
fn questions_that_are_not_text() {
    use std::os::unix::ffi::OsStrExt;
    let odd = OsStr::from_bytes(b"caf\xe9");
    let workspace = workspace();
    let refused =
        |command| refusal_of(&workspace, Answer::of(workspace.command(PROGRAM, &["--json", command]).arg(odd)));
    expect![[r#"
        invalid_input: invalid UTF-8 was detected in one or more arguments
        help: see `codecompass help`
    "#]]
    .assert_eq(&alike(QUESTIONS.map(refused)));
}
