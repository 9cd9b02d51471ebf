//! `read` and `ls`: what is shown of files and folders, and what is not.

use codecompass_testkit::TestWorkspace;
use expect_test::{Expect, expect};
use serde_json::Value;

use crate::PROGRAM;

/// A workspace with files of every kind.
pub(crate) fn odd_files() -> TestWorkspace {
    let workspace = TestWorkspace::git(
        r#"
//- /src/app.py
import os
from shop import cart, order as bill


def first(x):
    return x


def second():
    return first(1)
//- /src/empty.py
//- /src/deep/er/leaf.py
class Leaf: pass
//- /Cargo.lock
[[package]]
name = "shop"
//- /.env
TOKEN=1
//- /server.pem
key
//- /.gitignore
ignored/
*.tmp
//- /ignored/a.py
a = 1
//- /b.tmp
b
//- /node_modules/left/index.js
module.exports = 1;
"#,
    );
    workspace.write_bytes("src/crlf.py", b"a = 1\r\nb = 2\r\nc = 3");
    workspace.write_bytes("src/latin.py", b"name = 'caf\xe9'\n");
    workspace.write_bytes("src/blob.py", b"x = 1\n\0\0\n");
    workspace.write("one,two:3.py", "x = 1\n");
    let numbers: String = (1..=900_000).map(|number| format!("{number}\n")).collect();
    workspace.write("huge.txt", &numbers);
    workspace.commit("files");
    workspace
}

/// Returns what a command says to each of several arguments.
fn said(workspace: &TestWorkspace, command: &str, arguments: &[&str]) -> String {
    let said = |argument: &&str| {
        let args: Vec<&str> = std::iter::once(command).chain(argument.split(' ')).collect();
        format!("> {argument}\n{}", workspace.run(PROGRAM, &args).shown(workspace))
    };
    arguments.iter().map(said).collect()
}

/// Compares the whole JSON of an answer, indented for the reader.
#[track_caller]
pub(crate) fn check_whole_json(workspace: &TestWorkspace, args: &[&str], expected: Expect) {
    let answer = workspace.run(PROGRAM, &[args, &["--json"]].concat()).found();
    let value: Value = serde_json::from_str(&answer).unwrap();
    expected.assert_eq(&format!("{value:#}\n"));
}

#[test]
fn lines_of_files() {
    let workspace = odd_files();
    expect![[r#"
        > src/app.py:5-6
        src/app.py 5-6 of 10 lines
             5 | def first(x):
             6 |     return x
        > app.py:1,9-
        src/app.py line 1 of 10
             1 | import os

        src/app.py 9-10 of 10 lines
             9 | def second():
            10 |     return first(1)
        > src/crlf.py src/empty.py src/latin.py
        src/crlf.py 3 lines, CRLF, no newline at the end
             1 | a = 1
             2 | b = 2
             3 | c = 3

        src/empty.py 0 lines

        src/latin.py 1 line, invalid bytes replaced
             1 | name = 'caf�'
        > one,two:3.py
        one,two:3.py 1 line
             1 | x = 1
        > Cargo.lock
        Cargo.lock 2 lines
             1 | [[package]]
             2 | name = "shop"
        > huge.txt:899999-
        huge.txt 899999-900000 of 900000 lines
        899999 | 899999
        900000 | 900000
        > huge.txt:4-5
        huge.txt 4-5
             4 | 4
             5 | 5
        > app.py:2-3,leaf.py
        src/app.py 2-3 of 10 lines
             2 | from shop import cart, order as bill
             3 |

        src/deep/er/leaf.py 1 line
             1 | class Leaf: pass
        > src/app.py nothing.py .env
        src/app.py 10 lines
             1 | import os
             2 | from shop import cart, order as bill
             3 |
             4 |
             5 | def first(x):
             6 |     return x
             7 |
             8 |
             9 | def second():
            10 |     return first(1)
        nothing.py: no indexed file nothing.py
        .env: `.env` is not shown: built-in rule: secrets
        > src/crlf.py leaf.py --lines 1
        src/crlf.py line 1 of 3, CRLF
             1 | a = 1

        src/deep/er/leaf.py 1 line
             1 | class Leaf: pass
        > nothing.py second leaf.py::Leaf nonesuch
        nothing.py: no indexed file nothing.py

        src/app.py 9-10 of 10 lines, second
             9 | def second():
            10 |     return first(1)

        src/deep/er/leaf.py 1 line, leaf.py::Leaf
             1 | class Leaf: pass
        nonesuch: no symbol `nonesuch`
    "#]]
    .assert_eq(&said(
        &workspace,
        "read",
        &[
            "src/app.py:5-6",
            "app.py:1,9-",
            "src/crlf.py src/empty.py src/latin.py",
            "one,two:3.py",
            "Cargo.lock",
            "huge.txt:899999-",
            "huge.txt:4-5",
            "app.py:2-3,leaf.py",
            "src/app.py nothing.py .env",
            "src/crlf.py leaf.py --lines 1",
            "nothing.py second leaf.py::Leaf nonesuch",
        ],
    ));
    check_whole_json(
        &workspace,
        &["read", "app.py:5-6,9", "empty.py"],
        expect![[r#"
            {
              "files": [
                {
                  "line_count": 10,
                  "line_end": 6,
                  "line_start": 5,
                  "path": "src/app.py",
                  "text": "def first(x):\n    return x\n"
                },
                {
                  "line_count": 10,
                  "line_end": 9,
                  "line_start": 9,
                  "path": "src/app.py",
                  "text": "def second():\n"
                },
                {
                  "line_count": 0,
                  "line_end": 0,
                  "line_start": 1,
                  "path": "src/empty.py",
                  "text": ""
                }
              ],
              "metadata": {
                "codecompass_protocol_version": "1.0",
                "ref": "main"
              }
            }
        "#]],
    );
}

#[test]
fn files_that_are_not_shown() {
    let workspace = odd_files();
    expect![[r#"
        > src/blob.py
        --- stderr
        error: `src/blob.py` is binary
        help: only text is shown
        --- exit code 2
        > .env
        --- stderr
        error: `.env` is not shown: built-in rule: secrets
        help: such files are left out on purpose; ask the user for what you need of it
        --- exit code 2
        > server.pem
        --- stderr
        error: `server.pem` is not shown: built-in rule: key material
        help: such files are left out on purpose; ask the user for what you need of it
        --- exit code 2
        > .git/config
        --- stderr
        error: `.git/config` is not shown: built-in rule: version control
        help: such files are left out on purpose; ask the user for what you need of it
        --- exit code 2
        > ignored/a.py
        --- stderr
        error: `ignored/a.py` is not shown: .gitignore: ignored/
        help: ignored files are not shown; a line `!PATH` in .codecompassignore admits one
        --- exit code 2
        > b.tmp
        --- stderr
        error: `b.tmp` is not shown: .gitignore: *.tmp
        help: ignored files are not shown; a line `!PATH` in .codecompassignore admits one
        --- exit code 2
        > node_modules/left/index.js
        --- stderr
        error: `node_modules/left/index.js` is not shown: built-in rule: dependencies
        help: such files are left out on purpose; ask the user for what you need of it
        --- exit code 2
        > huge.txt
        --- stderr
        error: `huge.txt` is too large to be read as a whole: 6188895 bytes
        help: read a range of its lines: `codecompass read huge.txt:1-200`
        --- exit code 2
        > src
        --- stderr
        error: `src` is a folder
        help: `codecompass ls src` lists it
        --- exit code 2
        > ../secret
        --- stderr
        error: ../secret is outside the workspace
        help: give a path below the workspace root, or another --workspace
        --- exit code 2
        > src/ap.py
        --- stderr
        error: no indexed file src/ap.py
        help: did you mean `src/app.py`?
        --- exit code 2
        > src/app.py:70-80
        --- stderr
        error: `src/app.py` has 10 lines, line 70 is not there
        help: give a smaller line
        --- exit code 2
        > src/app.py:4-2
        --- stderr
        error: `4-2` is no range of lines
        help: give lines from 1 as 10, 10-40 or 10-, several with commas
        --- exit code 2
    "#]]
    .assert_eq(&said(
        &workspace,
        "read",
        &[
            "src/blob.py",
            ".env",
            "server.pem",
            ".git/config",
            "ignored/a.py",
            "b.tmp",
            "node_modules/left/index.js",
            "huge.txt",
            "src",
            "../secret",
            "src/ap.py",
            "src/app.py:70-80",
            "src/app.py:4-2",
        ],
    ));
}

#[cfg(unix)]
#[test]
fn links_lead_nowhere_else() {
    let workspace = odd_files();
    let outside = workspace.beside("outside");
    std::fs::create_dir(&outside).unwrap();
    std::fs::write(outside.join("secret.py"), "password = 1\n").unwrap();
    std::os::unix::fs::symlink(&outside, workspace.root().join("src/out")).unwrap();
    std::os::unix::fs::symlink(outside.join("secret.py"), workspace.root().join("src/out.py")).unwrap();
    std::os::unix::fs::symlink("app.py", workspace.root().join("src/same.py")).unwrap();
    std::os::unix::fs::symlink("../.env", workspace.root().join("src/settings.py")).unwrap();
    for command in ["read", "outline", "ls"] {
        for path in ["src/out/secret.py", "src/out.py", "src/out"] {
            let refused = workspace.run(PROGRAM, &[command, path]);
            assert_eq!(refused.code, Some(2), "{command} {path}");
            assert!(refused.stderr.contains("is outside the workspace") && refused.stdout.is_empty(), "{refused:?}");
        }
    }
    assert!(workspace.run(PROGRAM, &["read", "src/same.py:1"]).found().contains("import os"));
    let secret = workspace.run(PROGRAM, &["read", "src/settings.py"]);
    assert!(secret.code == Some(2) && secret.stderr.contains("`.env` is not shown"), "{secret:?}");
}

#[test]
fn lines_of_a_ref_and_within_a_budget() {
    let workspace = odd_files();
    workspace.write("src/app.py", "changed = 1\n");
    workspace.remove("Cargo.lock");
    expect![[r#"
        > src/app.py
        src/app.py 1 line
             1 | changed = 1
        > src/app.py:1-2 --ref main~0
        src/app.py 1-2 of 10 lines
             1 | import os
             2 | from shop import cart, order as bill
        > Cargo.lock --ref main~0
        Cargo.lock 2 lines
             1 | [[package]]
             2 | name = "shop"
        > .env --ref main~0
        --- stderr
        error: `.env` is not shown: built-in rule: secrets
        help: such files are left out on purpose; ask the user for what you need of it
        --- exit code 2
        > huge.txt:7 --ref main~0
        huge.txt 7-7
             7 | 7
        > huge.txt --ref main~0
        --- stderr
        error: `huge.txt` is too large to be read as a whole: 6188895 bytes
        help: read a range of its lines: `codecompass read huge.txt:1-200`
        --- exit code 2
        > src/new.py --ref main~0
        --- stderr
        error: no indexed file src/new.py
        help: give a path below the workspace root; `codecompass index --show-ignored` lists what is skipped, and why
        --- exit code 2
        > huge.txt:1-1000 --max-tokens 100
        huge.txt 1-2
             1 | 1
             2 | 2

        cut; `codecompass read huge.txt:3-1000` goes on
    "#]]
    .assert_eq(&said(
        &workspace,
        "read",
        &[
            "src/app.py",
            "src/app.py:1-2 --ref main~0",
            "Cargo.lock --ref main~0",
            ".env --ref main~0",
            "huge.txt:7 --ref main~0",
            "huge.txt --ref main~0",
            "src/new.py --ref main~0",
            "huge.txt:1-1000 --max-tokens 100",
        ],
    ));
}

#[test]
fn folders() {
    let workspace = odd_files();
    expect![[r#"
        > .
        . 8 files, 18 lines, 8 definitions; python 6
                  node_modules/ (dependencies)
              15  src/ 6 files, 15 lines, 7 definitions; python 5
                  .env (secrets)
               2  .gitignore
                  Cargo.lock (lock file)
                  huge.txt (too large)
               1  one,two:3.py
                  server.pem (key material)
        > --depth 3
        . 8 files, 18 lines, 8 definitions; python 6
                  node_modules/ (dependencies)
              15  src/ 6 files, 15 lines, 7 definitions; python 5
               1    deep/er/ 1 file, 1 line, 1 definition; python 1
               1      leaf.py
              10    app.py
                    blob.py (binary)
               3    crlf.py
               0    empty.py
               1    latin.py
                  .env (secrets)
               2  .gitignore
                  Cargo.lock (lock file)
                  huge.txt (too large)
               1  one,two:3.py
                  server.pem (key material)
        > deep
        src/deep 1 file, 1 line, 1 definition; python 1
               1  er/ 1 file, 1 line, 1 definition; python 1
        > src/app.py
        src/app.py 1 file, 10 lines, 2 definitions; python 1
              10  src/app.py
        > ignored
        --- stderr
        error: no indexed folder ignored: it is skipped (.gitignore: ignored/)
        help: `codecompass index --show-ignored` lists what is skipped, and why
        --- exit code 2
        > srcs
        --- stderr
        error: no indexed file srcs
        help: did you mean `src`?
        --- exit code 2
        > ..
        --- stderr
        error: .. is outside the workspace
        help: give a path below the workspace root, or another --workspace
        --- exit code 2
        > src --ref main~0
        src 6 files, 15 lines, 7 definitions; python 5
               1  deep/er/ 1 file, 1 line, 1 definition; python 1
              10  app.py
                  blob.py (binary)
               3  crlf.py
               0  empty.py
               1  latin.py
        > --depth 2 --offset 9
        . 8 files, 18 lines, 8 definitions; python 6
               2  .gitignore
                  Cargo.lock (lock file)
                  huge.txt (too large)
               1  one,two:3.py
                  server.pem (key material)
    "#]]
    .assert_eq(&said(
        &workspace,
        "ls",
        &[".", "--depth 3", "deep", "src/app.py", "ignored", "srcs", "..", "src --ref main~0", "--depth 2 --offset 9"],
    ));
    check_whole_json(
        &workspace,
        &["ls", "src", "--depth", "2"],
        expect![[r#"
        {
          "bytes": 171,
          "definitions": 7,
          "entries": [
            {
              "bytes": 17,
              "definitions": 1,
              "depth": 0,
              "files": 1,
              "kind": "folder",
              "languages": [
                {
                  "files": 1,
                  "language": "python"
                }
              ],
              "lines": 1,
              "path": "src/deep/er"
            },
            {
              "bytes": 17,
              "definitions": 1,
              "depth": 1,
              "kind": "file",
              "language": "python",
              "lines": 1,
              "path": "src/deep/er/leaf.py"
            },
            {
              "bytes": 112,
              "definitions": 2,
              "depth": 0,
              "kind": "file",
              "language": "python",
              "lines": 10,
              "path": "src/app.py"
            },
            {
              "depth": 0,
              "kind": "file",
              "path": "src/blob.py",
              "skipped": "binary"
            },
            {
              "bytes": 19,
              "definitions": 3,
              "depth": 0,
              "kind": "file",
              "language": "python",
              "lines": 3,
              "path": "src/crlf.py"
            },
            {
              "bytes": 0,
              "definitions": 0,
              "depth": 0,
              "kind": "file",
              "language": "python",
              "lines": 0,
              "path": "src/empty.py"
            },
            {
              "bytes": 14,
              "definitions": 1,
              "depth": 0,
              "kind": "file",
              "language": "python",
              "lines": 1,
              "path": "src/latin.py"
            }
          ],
          "files": 6,
          "languages": [
            {
              "files": 5,
              "language": "python"
            }
          ],
          "lines": 15,
          "metadata": {
            "codecompass_protocol_version": "1.0",
            "ref": "main",
            "returned": 7,
            "total_candidates": 7
          },
          "path": "src"
        }
    "#]],
    );
}

#[test]
fn names_cannot_break_out_of_their_line() {
    if cfg!(windows) {
        return codecompass_testkit::skip("file names may not have line ends");
    }
    let workspace = TestWorkspace::git("//- /a.py\nx = 1\n");
    workspace.write("b\n9 files.py", "def \u{202e}f(): pass\n\u{1b}[31m\n");
    for args in [&["ls"][..], &["outline", "."], &["read", "b\n9 files.py"]] {
        let text = workspace.run(PROGRAM, args).found();
        assert!(text.contains("b\\n9 files.py") && !text.contains('\u{1b}') && !text.contains('\u{202e}'), "{text}");
    }
}
