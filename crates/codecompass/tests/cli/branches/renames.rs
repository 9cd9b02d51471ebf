//! Symbols under another name or in another place: `diff` and `compare` find the same pairs.

use codecompass_testkit::TestWorkspace;
use expect_test::{Expect, expect};

use crate::PROGRAM;

/// A helper whose body mentions another function of its name, a type with members apart from it, a
/// constant of one line, and a file of its own.
const BASE: &str = r#"
//- /src/helpers.py
LIMIT = 10
REACTOR_ENABLED = True


def make_response(*args):
    """Calls the method of the same name."""
    if not args:
        return current_app.response_class()
    if len(args) == 1:
        args = args[0]
    return current_app.make_response(args)


def first(values):
    return values[:LIMIT]


def second(values):
    return len(values) > LIMIT
//- /src/app.py
class App:
    def make_response(self, rv):
        return self.response_class(rv)
//- /writer.go
package web

type fancyWriter struct {
	inner Writer
	count int
}

func (f *fancyWriter) Flush() {
	f.inner.Flush()
	f.count++
}

func (f *fancyWriter) Close() error {
	f.count = 0
	return f.inner.Close()
}
//- /src/loader.py
def read(path):
    with open(path) as file:
        text = file.read()
    lines = text.splitlines()
    return [line.strip() for line in lines if line]


def parse(path):
    rows = [line.split(",") for line in read(path)]
    return {row[0]: row[1:] for row in rows}
"#;

fn workspace() -> TestWorkspace {
    let workspace = TestWorkspace::git(BASE);
    let text = |path: &str| std::fs::read_to_string(workspace.root().join(path)).unwrap();
    let helpers = text("src/helpers.py")
        .replace("def make_response", "def build_response")
        .replace("LIMIT", "MAX_VALUES")
        .replace("REACTOR_ENABLED", "ASYNC_REACTOR_ENABLED");
    let writer = text("writer.go")
        .replace("fancyWriter", "httpWriter")
        .replace("\tcount int\n", "\tcount, total, waiting, closed int64\n\tlast time.Time\n");
    let loader = text("src/loader.py").replace("if line]", "if line and not line.startswith('#')]");
    workspace.write("src/helpers.py", &helpers);
    workspace.write("writer.go", &writer);
    workspace.run_git(&["mv", "src/loader.py", "src/reading.py"]);
    workspace.write("src/reading.py", &loader);
    workspace.commit("rename");
    workspace
}

#[track_caller]
fn check(workspace: &TestWorkspace, args: &[&str], expected: Expect) {
    let commit = workspace.run_git(&["rev-parse", "HEAD~1"]);
    let shown = workspace.run(PROGRAM, args).shown(workspace);
    expected.assert_eq(&shown.replace(&commit.trim()[..10], "<base>"));
}

#[test]
fn pairs_with_their_evidence() {
    let workspace = workspace();
    check(
        &workspace,
        &["diff", "HEAD~1", "HEAD"],
        expect![[r#"
            main since HEAD~1 (<base>)
            3 files; symbols: 4 added, 4 modified, 0 deleted, 8 moved or renamed

            src/helpers.py  modified
                 1 > constant  MAX_VALUES
                     was LIMIT in src/helpers.py:1 (100% of users and callees are the same)
                     - LIMIT = 10
                     + MAX_VALUES = 10
                 2 > constant  ASYNC_REACTOR_ENABLED
                     was REACTOR_ENABLED in src/helpers.py:2
                     - REACTOR_ENABLED = True
                     + ASYNC_REACTOR_ENABLED = True
                 5 > function  build_response
                     was make_response in src/helpers.py:5
                     - def make_response(*args)
                     + def build_response(*args)
                14 ~ function  first
                18 ~ function  second

            src/reading.py  renamed was src/loader.py
                 1 ~ function  read
                     was read in src/loader.py:1
                 8 > function  parse
                     was parse in src/loader.py:8

            writer.go  modified
                 3 > struct  httpWriter with 3 members
                     was fancyWriter in writer.go:3 (100% of users and callees are the same)
                     - type fancyWriter struct
                     + type httpWriter struct
                 5 + field  httpWriter.total
                 5 + field  httpWriter.waiting
                 5 + field  httpWriter.closed
                 5 ~ field  httpWriter.count
                     was fancyWriter.count in writer.go:5
                     - count int
                     + count, total, waiting, closed int64
                 6 + field  httpWriter.last
        "#]],
    );
}

#[test]
fn compare_agrees_with_diff() {
    let workspace = workspace();
    check(
        &workspace,
        &["compare", "make_response", "HEAD~1", "HEAD"],
        expect![[r#"
            make_response renamed to build_response
            --- HEAD~1  src/helpers.py:5
            +++ main  src/helpers.py:5
            -def make_response(*args):
            +def build_response(*args):
                 """Calls the method of the same name."""
                 if not args:
                     return current_app.response_class()
        "#]],
    );
    check(
        &workspace,
        &["compare", "fancyWriter", "HEAD~1", "HEAD"],
        expect![[r#"
        web.fancyWriter renamed to web.httpWriter
        --- HEAD~1  writer.go:3
        +++ main  writer.go:3
        -type fancyWriter struct {
        +type httpWriter struct {
         	inner Writer
        -	count int
        +	count, total, waiting, closed int64
        +	last time.Time
         }
    "#]],
    );
    check(
        &workspace,
        &["compare", "App.make_response", "HEAD~1", "HEAD"],
        expect![[r#"
        App.make_response same
        --- HEAD~1  src/app.py:2
        +++ main  src/app.py:2
        --- exit code 1
    "#]],
    );
}
