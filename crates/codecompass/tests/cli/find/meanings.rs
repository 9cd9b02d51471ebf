//! The meaning of SYMBOL and PATH arguments: the same for all commands, whatever the argument is
//! and from whatever directory they run.

use codecompass_testkit::TestWorkspace;
use expect_test::expect;
use serde_json::Value;

use crate::{PROGRAM, check};

/// Two libraries with a function in common, names with a `!`, overloads, a package that is a folder
/// of files.
const FIXTURE: &str = r#"
//- /src/dict.c
#include "dict.h"

int dictAdd(int key)
{
    return key;
}
//- /src/dict.h
int dictAdd(int key);
//- /src/main.c
#include "dict.h"

int main(void)
{
    return dictAdd(3);
}
//- /deps/other/dict.c
#include "dict.h"

static int dictAdd(int key)
{
    return key + 1;
}
//- /deps/other/dict.h
static int dictAdd(int key);
//- /lib/order.rb
class Order
  def save
    1
  end

  def save!
    save
  end
end

def run
  Class.new(Order)
  Order.new.save!
end
//- /lib/more.rb
class Gift < Order
end
//- /lib/part.rb
class Gift < Order
end
//- /app/gift_test.rb
class Toy < Order
end
//- /web/body.ts
export function parse(text: string): string
export function parse(text: number): string
export function parse(text: unknown): string {
  return `${text}`
}
//- /web/other.ts
export class Reader {
  parse(): string {
    return ''
  }
}
//- /go/go.mod
module example.com/go
//- /go/log/log.go
package log

func Print() {
}
//- /go/main.go
package main

import "os"
import "example.com/go/log"

func main() {
	log.Print()
}
"#;

fn workspace() -> TestWorkspace {
    TestWorkspace::git(FIXTURE)
}

#[test]
fn places_in_a_folder() {
    let workspace = workspace();
    for command in ["show", "refs", "calls", "trace", "impact", "hierarchy", "related", "similar"] {
        let here = workspace.run(PROGRAM, &["-w", "lib", command, "order.rb:1"]);
        let there = workspace.run(PROGRAM, &[command, "lib/order.rb:1"]);
        assert_eq!(here.stderr, "", "{command}");
        assert_eq!((here.stdout, here.code), (there.stdout, there.code), "{command}");
        let outside = workspace.run(PROGRAM, &[command, "../elsewhere.rb:1"]).ended_with(2);
        let remedy = "give a path below the workspace root, or another --workspace";
        assert_eq!(
            outside.stderr,
            format!("error: ../elsewhere.rb is outside the workspace\nhelp: {remedy}\n"),
            "{command}"
        );
    }
}

#[test]
fn places_without_a_definition() {
    let workspace = workspace();
    workspace.write_bytes("noise.rb", &[0, 159, 146, 150, 0, 1]);
    let places = ["lib/order.rb:10", "lib/order.rb:0", "lib/order.rb:900", "lib/order.rb:99999999999", "noise.rb:1"];
    let said =
        |command: &str| places.map(|place| workspace.run(PROGRAM, &[command, place]).ended_with(2).stderr).concat();
    let by_locate = said("locate");
    expect![[r#"
        error: no definition stands at lib/order.rb:10
        help: `codecompass outline` lists what a file defines, `codecompass locate --at` says what a name means; path:line without a column means the definition around it
        error: no definition stands at lib/order.rb:0
        help: `codecompass outline` lists what a file defines, `codecompass locate --at` says what a name means; path:line without a column means the definition around it
        error: lib/order.rb has only 14 lines: no definition stands at lib/order.rb:900
        help: `codecompass outline` lists what a file defines, `codecompass locate --at` says what a name means; path:line without a column means the definition around it
        error: lib/order.rb has only 14 lines: no definition stands at lib/order.rb:4294967295
        help: `codecompass outline` lists what a file defines, `codecompass locate --at` says what a name means; path:line without a column means the definition around it
        error: no indexed file noise.rb: the file is skipped (binary)
        help: `codecompass index --show-ignored` lists what is skipped, and why
    "#]].assert_eq(&by_locate);
    for command in ["show", "refs", "calls", "trace", "impact", "hierarchy", "related", "similar"] {
        assert_eq!(said(command), by_locate, "{command}");
    }
    check(
        &workspace,
        &["locate", "--at", "noise.rb:1:1"],
        expect![[r#"
        --- stderr
        error: no indexed file noise.rb: the file is skipped (binary)
        help: `codecompass index --show-ignored` lists what is skipped, and why
        --- exit code 2
    "#]],
    );
}

#[test]
fn overloads_are_one_symbol() {
    let workspace = workspace();
    check(
        &workspace,
        &["show", "parse"],
        expect![[r#"
            web/body.ts:3-5  function  parse
                also at web/body.ts:1, web/body.ts:2
                `parse` could also mean Reader.parse (web/other.ts:2); give path:line or a container to ask for it
                 3 | export function parse(text: unknown): string {
                 4 |   return `${text}`
                 5 | }
        "#]],
    );
    check(
        &workspace,
        &["similar", "parse"],
        expect![[r#"
            web/body.ts:3-5  function  parse
                export function parse(text: unknown): string
                also at web/body.ts:1, web/body.ts:2
                `parse` could also mean Reader.parse (web/other.ts:2); give path:line or a container to ask for it

            like it, best first:
            web/other.ts:2-4  method  Reader.parse
                parse(): string
        "#]],
    );
}

#[test]
fn refs_of_a_symbol_with_a_declaration() {
    let workspace = workspace();
    check(
        &workspace,
        &["refs", "dictAdd"],
        expect![[r#"
            2 definitions of `dictAdd`:
                 1 use  src/dict.c:3  function  dictAdd
                0 uses  deps/other/dict.c:3  function  dictAdd
            3 of 3 uses proven, in 3 files (1 call, 2 declaration)

            of dictAdd (src/dict.c:3)

            src/dict.h
                  1:5  declaration  at top level  int dictAdd(int key);

            src/main.c
                 5:12  call         in main  return dictAdd(3);

            of dictAdd (deps/other/dict.c:3)

            deps/other/dict.h  vendored
                 1:12  declaration  at top level  static int dictAdd(int key);
        "#]],
    );
}

#[test]
fn files_and_packages() {
    let workspace = workspace();
    check(
        &workspace,
        &["deps", "dict.h", "--reverse"],
        expect![[r#"
        src/dict.h
        imported by 2 files
          src/dict.c:1
          src/main.c:1

        could also mean deps/other/dict.h
    "#]],
    );
    check(
        &workspace,
        &["deps", "go/main.go", "--limit", "1"],
        expect![[r#"
            go/main.go
            imports 1 file
            external (1): os
            1 more; --limit shows them
        "#]],
    );
    check(
        &workspace,
        &["locate", "--at", "go/main.go:7:2"],
        expect![[r#"
        `log` at go/main.go:7:2 means the package in go/log; `codecompass locate --path` lists what is there
    "#]],
    );
}

#[test]
fn the_root_folder_is_a_package() {
    let workspace = TestWorkspace::git(
        "
//- /go.mod
module example.com/acme
//- /acme.go
package acme

type Tool struct {
}
//- /doc/doc.go
package doc

import \"example.com/acme\"

func Of(tool acme.Tool) {
}
",
    );
    check(
        &workspace,
        &["deps", "doc"],
        expect![[r#"
        doc/
        imports 1 file
          doc/doc.go:3  -> ./
    "#]],
    );
    check(
        &workspace,
        &["hierarchy", "Tool", "--direction", "up"],
        expect![[r#"
            acme.go:3-4  struct  Tool
                type Tool struct
            nothing above it
            --- exit code 1
        "#]],
    );
}

#[test]
fn more_chains_than_asked_for() {
    let workspace = TestWorkspace::git(
        "
//- /a.py
def one():
    two()


def three():
    two()


def two():
    pass
",
    );
    check(
        &workspace,
        &["trace", "two", "--max-paths", "1"],
        expect![[r#"
        1 chain to two (a.py:9); --max-paths shows more

        1. 1 call
           a.py:1  function  one
           > at a.py:2
           a.py:9  function  two
    "#]],
    );
    let completeness = |max_paths: &str| {
        let answer = workspace.run(PROGRAM, &["--json", "trace", "two", "--max-paths", max_paths]).found();
        serde_json::from_str::<Value>(&answer).unwrap()["metadata"]["result_completeness"].clone()
    };
    assert_eq!((completeness("1"), completeness("2")), ("truncated".into(), Value::Null));
}

#[test]
fn impact_of_no_change() {
    check(
        &workspace(),
        &["impact", "--diff"],
        expect![[r#"
            0 changed symbols since main (c773bf5728)
            nothing was modified, renamed or deleted
            --- exit code 1
        "#]],
    );
}

#[test]
fn hidden_by_a_filter() {
    let workspace = workspace();
    for command in ["show", "related", "similar"] {
        let answer = workspace.run(PROGRAM, &[command, "Toy", "--kind", "method"]).ended_with(2);
        assert_eq!(
            answer.stderr, "error: no symbol `Toy`\nhelp: did you mean `app/gift_test.rb:1`?\n",
            "{command}: {answer:?}"
        );
    }
}
