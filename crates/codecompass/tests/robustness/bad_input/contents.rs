//! Files that are no code or no files, and output that cannot be written.

use std::fs;
use std::io::Write;
#[cfg(unix)]
use std::path::Path;
#[cfg(unix)]
use std::process::Stdio;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use codecompass_testkit::Answer;
#[cfg(unix)]
use codecompass_testkit::{permissions_are_enforced, skip};
use expect_test::expect;
use serde_json::Value;

use crate::bad_input::{PROGRAM, answered, check, refusals, workspace};
#[cfg(unix)]
use crate::bad_input::{alike, refusal};

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
    check(
        &workspace,
        &["index", "--show-ignored"],
        expect![[r#"
        .git/  built-in rule: version control
        src/binary.rs  binary content
        src/huge.rs  too large (5500000 bytes)
        src/long.js  very long lines (minified or data)
        src/open.rs  very long lines (minified or data)
        5 skipped: 1 binary, 1 built in, 2 long lines, 1 too large
    "#]],
    );
    expect![[r#"
        > src/binary.rs
        file_not_found: no indexed file src/binary.rs: the file is skipped (binary)
        help: `codecompass index --show-ignored` lists what is skipped, and why
        > src/long.js
        file_not_found: no indexed file src/long.js: the file is skipped (long lines)
        help: `codecompass index --show-ignored` lists what is skipped, and why
        > src/huge.rs
        file_not_found: no indexed file src/huge.rs: the file is skipped (too large: 5500000 bytes)
        help: `codecompass index --show-ignored` lists what is skipped, and why
    "#]]
    .assert_eq(&refusals(&workspace, &["outline", "{}"], &["src/binary.rs", "src/long.js", "src/huge.rs"]));
    for hidden in ["hidden_in_binary", "hidden_in_long"] {
        assert_eq!(answered(&workspace, &["locate", hidden]).code, Some(1));
    }
    let shown = ["latin", "no_end", "returns", "odd_name", "dashed_name"]
        .map(|name| answered(&workspace, &["show", name]).stdout);
    expect![[r#"
        src/latin.py:1-2  function  latin
             1 | def latin():
             2 |     return 'caf�'
        src/no_end.rs:1  function  no_end
             1 | pub fn no_end() {}
        src/returns.rs:1-2  function  returns
             1 | pub fn returns() {
             2 | }
        :12.rs:1  function  odd_name
             1 | pub fn odd_name() {}
        -n.rs:1  function  dashed_name
             1 | pub fn dashed_name() {}
    "#]]
    .assert_eq(&shown.concat());
    check(
        &workspace,
        &["outline", "src/empty.rs"],
        expect![[r#"
        src/empty.rs rust, 0 lines
    "#]],
    );
    check(
        &workspace,
        &["outline", "--", "-n.rs"],
        expect![[r#"
            -n.rs rust, 1 line
                 1  pub fn dashed_name()
        "#]],
    );
}

#[cfg(unix)]
#[test]
fn files_that_are_not_files() {
    let workspace = workspace();
    let status = workspace.command("mkfifo", &["src/pipe.rs", "src/other.py"]).status().unwrap();
    assert!(status.success());
    let _socket = std::os::unix::net::UnixListener::bind(workspace.root().join("src/socket.rs")).unwrap();
    std::os::unix::fs::symlink("lib.rs", workspace.root().join("src/alias.rs")).unwrap();
    check(
        &workspace,
        &["index", "--show-ignored"],
        expect![[r#"
        .git/  built-in rule: version control
        src/alias.rs  symbolic link
        src/other.py  not a regular file
        src/pipe.rs  not a regular file
        src/socket.rs  not a regular file
        5 skipped: 1 built in, 3 not a file, 1 symlink
    "#]],
    );
    check(
        &workspace,
        &["locate", "greet"],
        expect![[r#"
        src/lib.rs:2-4  function  greet
            pub fn greet(name: &str) -> String
            Greets somebody.
    "#]],
    );
}

#[cfg(unix)]
#[test]
fn unreadable_file() {
    use std::os::unix::fs::PermissionsExt;
    if !permissions_are_enforced() {
        return skip("permissions do not bind this user");
    }
    let workspace = workspace();
    let set =
        |path: &str, mode| fs::set_permissions(workspace.root().join(path), PermissionsExt::from_mode(mode)).unwrap();
    set("src/lib.rs", 0o000);
    set("src/deep", 0o000);
    let indexed = answered(&workspace, &["index", "--json"]).stdout;
    let skipped = answered(&workspace, &["index", "--show-ignored"]).stdout;
    let refused = refusal(&workspace, &["outline", "src/lib.rs"]);
    set("src/deep", 0o755);
    set("src/lib.rs", 0o644);
    let indexed: Value = serde_json::from_str(&indexed).unwrap();
    assert_eq!(indexed["unreadable"], 1, "{indexed}");
    expect![[r#"
        .git/  built-in rule: version control
        src/deep/  unreadable: SYSTEM ERROR
        src/lib.rs  unreadable: unreadable
        3 skipped: 1 built in, 2 unreadable
    "#]]
    .assert_eq(&workspace.normalised(&skipped));
    expect![[r#"
        file_not_found: no indexed file src/lib.rs: the file is skipped (unreadable)
        help: `codecompass index --show-ignored` lists what is skipped, and why
    "#]]
    .assert_eq(&refused);
    // They are read as soon as they can be.
    check(
        &workspace,
        &["locate", "greet"],
        expect![[r#"
            src/lib.rs:2-4  function  greet
                pub fn greet(name: &str) -> String
                Greets somebody.
        "#]],
    );
    check(
        &workspace,
        &["locate", "helper"],
        expect![[r#"
            src/deep/util.py:1-2  function  helper
                def helper()
        "#]],
    );
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
        let commands = [&["search", "greet"][..], &["search", "greet", "--json"], &["completions", "bash"]];
        let answers = commands.map(|args| {
            let full = fs::File::options().write(true).open("/dev/full").unwrap();
            Answer::of(workspace.command(PROGRAM, args).stdout(Stdio::from(full))).ended_with(2).shown(&workspace)
        });
        expect![[r#"
            --- stderr
            codecompass: cannot write the answer: SYSTEM ERROR
            --- exit code 2
        "#]]
        .assert_eq(&alike(answers));
    }
}
