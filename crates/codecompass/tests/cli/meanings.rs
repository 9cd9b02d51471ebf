//! What a SYMBOL or PATH argument means: the same for all commands, whatever it is and wherever it is asked from.

use codecompass_testkit::TestWorkspace;
use expect_test::expect;

use crate::{PROGRAM, check};

/// Two libraries with a function in common, names with a `!`, overloads, a package that is a folder of files.
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
//- /java/com/acme/stream/Reader.java
package com.acme.stream;

import com.acme.Mode;

public class Reader {
}
//- /java/com/acme/stream/Writer.java
package com.acme.stream;

import com.acme.Mode;

public class Writer {
}
//- /java/com/acme/Mode.java
package com.acme;

public enum Mode {
    STRICT
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
        assert!(outside.stderr.contains("is outside the workspace"), "{command}: {outside:?}");
    }
}

#[test]
fn places_without_a_definition() {
    let workspace = workspace();
    workspace.write_bytes("noise.rb", &[0, 159, 146, 150, 0, 1]);
    for command in ["locate", "show", "refs", "calls", "trace", "impact", "hierarchy", "related", "similar"] {
        for (place, message) in [
            ("lib/order.rb:10", "no definition stands at lib/order.rb:10"),
            ("lib/order.rb:0", "no definition stands at lib/order.rb:0"),
            ("lib/order.rb:900", "lib/order.rb has only 14 lines: no definition stands at lib/order.rb:900"),
            ("noise.rb:1", "no indexed file noise.rb: the file is skipped (binary)"),
        ] {
            let answer = workspace.run(PROGRAM, &[command, place]).ended_with(2);
            assert!(answer.stderr.starts_with(&format!("error: {message}\n")), "{command}: {answer:?}");
        }
    }
    let answer = workspace.run(PROGRAM, &["locate", "--at", "noise.rb:1:1"]).ended_with(2);
    assert!(answer.stderr.contains("the file is skipped (binary)"), "{answer:?}");
    let huge = workspace.run(PROGRAM, &["refs", "lib/order.rb:99999999999"]).ended_with(2);
    assert!(huge.stderr.contains("has only 14 lines"), "{huge:?}");
}

#[test]
fn names_with_a_bang() {
    let workspace = workspace();
    check(
        &workspace,
        &["refs", "save!"],
        expect![[r#"
        lib/order.rb:6-8  method  Order#save!
            def save!
        1 use in 1 file: 1 call

        lib/order.rb
            13:13  call     in run  Order.new.save!
    "#]],
    );
    check(
        &workspace,
        &["refs", "Order#save"],
        expect![[r#"
        lib/order.rb:2-4  method  Order#save
            def save
        1 use in 1 file: 1 call

        lib/order.rb
              7:5  call     in Order#save!  save
    "#]],
    );
    // A macro is called with one, but it is no part of its name.
    check(
        &workspace,
        &["refs", "parse!"],
        expect![[r#"
        web/body.ts:3-5  function  parse
            export function parse(text: unknown): string
            also at web/body.ts:1, web/body.ts:2
        no use of it was found

        `parse!` could also mean; give path:line or a container to ask for it:
        web/other.ts:2-4  method  Reader.parse
        --- exit code 1
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
             3 | export function parse(text: unknown): string {
             4 |   return `${text}`
             5 | }

        `parse` could also mean; give path:line or a container to ask for it:
        web/other.ts:2-4  method  Reader.parse
    "#]],
    );
    check(
        &workspace,
        &["similar", "parse"],
        expect![[r#"
        web/body.ts:3-5  function  parse
            export function parse(text: unknown): string
            also at web/body.ts:1, web/body.ts:2

        like it, best first:
        web/other.ts:2-4  method  Reader.parse
            parse(): string

        `parse` could also mean; give path:line or a container to ask for it:
        web/other.ts:2-4  method  Reader.parse
    "#]],
    );
}

#[test]
fn declarations_of_several_libraries() {
    let workspace = workspace();
    check(
        &workspace,
        &["refs", "dictAdd"],
        expect![[r#"
        src/dict.c:3-6  function  dictAdd
            int dictAdd(int key)
            also at src/dict.h:1
        1 use in 1 file: 1 call

        src/main.c
             5:12  call     in main  return dictAdd(3);

        `dictAdd` could also mean; give path:line or a container to ask for it:
        deps/other/dict.c:3-6  function  dictAdd
    "#]],
    );
    check(
        &workspace,
        &["refs", "deps/other/dict.c:3"],
        expect![[r#"
        deps/other/dict.c:3-6  function  dictAdd
            static int dictAdd(int key)
            also at deps/other/dict.h:1
        no use of it was found
        --- exit code 1
    "#]],
    );
}

#[test]
fn types_below_are_types() {
    let workspace = workspace();
    check(
        &workspace,
        &["hierarchy", "Order", "--direction", "down"],
        expect![[r#"
        lib/order.rb:1-9  class  Order
            class Order

        subtypes (2)
          lib/more.rb:1  class  Gift
          app/gift_test.rb:1  class  Toy

        members (2)
          2  method  def save
          6  method  def save!
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
    let cut = workspace.run(PROGRAM, &["deps", "go/main.go", "--limit", "1"]).found();
    assert!(cut.contains("imports 1 file\n"), "{cut}");
    check(
        &workspace,
        &["deps", "com.acme.stream"],
        expect![[r#"
        java/com/acme/stream/
        imports 1 file
          java/com/acme/stream/Reader.java:3  -> java/com/acme/Mode.java  Mode
          java/com/acme/stream/Writer.java:3  -> java/com/acme/Mode.java  Mode
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
fn names_that_begin_with_a_sign() {
    let workspace = TestWorkspace::git("\n//- /a.rb\nclass Order\n  def save\n    @lines.each(&:save)\n  end\nend\n");
    let answer = workspace.run(PROGRAM, &["locate", "--at", "a.rb:3:5"]);
    assert!(answer.stdout.starts_with("`@lines` "), "{answer:?}");
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
        acme.go:3-4  struct  acme.Tool
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
    check(
        &workspace,
        &["trace", "two", "--max-paths", "2"],
        expect![[r#"
        2 chains to two (a.py:9)

        1. 1 call
           a.py:1  function  one
           > at a.py:2
           a.py:9  function  two

        2. 1 call
           a.py:5  function  three
           > at a.py:6
           a.py:9  function  two
    "#]],
    );
    let cut = workspace.run(PROGRAM, &["--json", "trace", "two", "--max-paths", "1"]).found();
    assert!(cut.contains(r#""result_completeness":"truncated""#), "{cut}");
    let whole = workspace.run(PROGRAM, &["--json", "trace", "two", "--max-paths", "2"]).found();
    assert!(!whole.contains("result_completeness"), "{whole}");
}

#[test]
fn impact_of_no_change() {
    let answer = workspace().run(PROGRAM, &["impact", "--diff"]).ended_with(1);
    assert!(answer.stdout.ends_with("nothing was modified, renamed or deleted\n"), "{answer:?}");
}

#[test]
fn hidden_by_a_filter() {
    let workspace = workspace();
    for command in ["show", "hierarchy", "related", "similar"] {
        let answer = workspace.run(PROGRAM, &[command, "Toy", "--kind", "method"]).ended_with(2);
        assert_eq!(
            answer.stderr, "error: no symbol `Toy`\nhelp: did you mean `app/gift_test.rb:1`?\n",
            "{command}: {answer:?}"
        );
    }
}
