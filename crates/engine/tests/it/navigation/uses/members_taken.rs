//! Uses of members that no dot tells: taken out of an object, declared for all files, written in an
//! object without a type, or only guessed to be another's.

use expect_test::expect;

use crate::navigation::check::{Project, all_uses, check_references};

/// A pattern takes the member from the value or from the type that is written; without either it
/// may be any.
#[test]
fn patterns_take_members() {
    check_references(
        r#"
//- /tools.ts
export class Tools {
  ma$0ke() {}
}
export interface Props { make: string }
export async function load(): Promise<Tools> { return new Tools() }
//- /use.ts
import { Tools, Props, load } from './tools'
export async function use(tools: Tools) {
  const { make } = await load()
  const { make: other } = tools
  make()
}
export function shown({ make }: Tools) {}
export function hidden({ make }: Props) {}
export const handlers = [({ make }) => make()]
export const { make } = new Tools()
"#,
        expect![[r#"
            use.ts:3:11 read make in use, static receiver_type
            use.ts:7:25 read make in shown, static receiver_type
            use.ts:10:16 read make in make, static receiver_type
            use.ts:4:11 unknown make in use, possible name_only
            use.ts:9:29 read make in handlers, possible name_only
            5 uses in 1 file, 10 occurrences, 4 other
        "#]],
    );
}

/// Files without imports and exports declare for all others.
#[test]
fn ambient_declarations() {
    check_references(
        r#"
//- /globals.d.ts
declare namespace Host {
  export function op$0en(path: string): void
}
//- /use.ts
export function use() {
  const { open } = Host
  Host.open('x')
}
"#,
        expect![[r#"
            use.ts:2:11 read open in use, static module_member
            use.ts:3:8 call open in use, static module_member
            2 uses in 1 file, 3 occurrences
        "#]],
    );
}

/// An object that is written where an interface is expected need not name it.
#[test]
fn methods_of_objects_may_be_an_interface_s() {
    check_references(
        r#"
//- /files.ts
export interface Files {
  wri$0te(path: string): void
}
export class Other { write() {} }
export function save(files: Files) { files.write('x') }
//- /use.ts
import { save } from './files'
save({ write: (path) => { console.log(path) } })
export function disk() {
  return { write(path: string) {} }
}
"#,
        expect![[r#"
            files.ts:5:44 call write in save, static receiver_type
            use.ts:2:8 unknown write, possible name_only
            use.ts:4:12 unknown write in disk.write, possible name_only
            3 uses in 2 files, 5 occurrences, 1 other
        "#]],
    );
}

/// A guess for another definition excludes this one only if what the guess rests on does.
#[test]
fn guesses_for_others() {
    let fixture = |source: &str| format!("//- /shop.ts\n{source}");
    let source = "
export class Context {
  text() {}
  body() {}
}
export class Page {
  text() {}
}
app.get('/', (c) => c.text())
app.get('/b', (c) => {
  c.text()
  c.body()
})
";
    check_references(
        &fixture(&source.replace("class Page {\n  text", "class Page {\n  te$0xt")),
        expect![[r#"
            shop.ts:9:23 call text, possible name_only
            1 use in 1 file, 4 occurrences, 2 other
        "#]],
    );
}

/// The constraint of an inferred type is a use.
#[test]
fn constraints_of_inferred_types() {
    check_references(
        r#"
//- /types.ts
export type Sche$0ma = { a: string }
export type Of<T> = T extends [infer S extends Schema, infer Schema2] ? S : never
"#,
        expect![[r#"
            types.ts:2:48 type Schema in Of, static scope
            1 use in 1 file, 2 occurrences
        "#]],
    );
}

/// An attribute and the variable that holds its value are one symbol.
#[test]
fn variables_of_attributes() {
    let source = "
class Base
  attr_reader :app, :callback
  attr_accessor :name

  def initialize(app)
    @app = app
  end

  def run
    @callback.call(app)
    @name ||= 1
    @app.call
  end
end

class Other
  def initialize
    @app = 1
  end
end
";
    let fixture = |name: &str| {
        let at = source.find(name).unwrap();
        format!("//- /base.rb\n{}$0{}", &source[..at + 2], &source[at + 2..])
    };
    check_references(
        &fixture(":app"),
        expect![[r#"
        base.rb:7:6 declaration app, static scope
        base.rb:11:20 call app in Base#run, static enclosing_type
        base.rb:13:5 read @app in Base#run, static enclosing_type
        3 uses in 1 file, 7 occurrences, 3 other
        also at base.rb:7
    "#]],
    );
    check_references(
        &fixture(":callback"),
        expect![[r#"
        base.rb:11:5 read @callback in Base#run, static scope
        1 use in 1 file, 2 occurrences
    "#]],
    );
    check_references(
        &fixture(":name"),
        expect![[r#"
        base.rb:12:5 write @name in Base#run, static scope
        1 use in 1 file, 2 occurrences
    "#]],
    );
}

/// A file that is loaded under a method's name does not take the method's place.
#[test]
fn files_that_are_loaded_bind_no_name() {
    check_references(
        r#"
//- /templates.rb
module Templates
  def liq$0uid(template)
    template
  end
end
//- /test.rb
require 'liquid'

class LiquidTest
  def test_it
    app { liquid 'x' }
  end
end
"#,
        expect![[r#"
            test.rb:5:11 call liquid in LiquidTest#test_it, possible name_only
            1 use in 1 file, 3 occurrences, 1 text
        "#]],
    );
}

/// Fields that a table is made with belong to the table it gets its members from.
#[test]
fn fields_of_tables() {
    check_references(
        r#"
//- /manager.lua
local Manager = { limit = 3 }
Manager.__index = Manager

function Manager.new(opts)
  return setmetatable({ entry_$0fn = opts.entry_fn, opts = opts }, Manager)
end

function Manager:add(x)
  if self.entry_fn then
    self.entry_fn(x)
  end
  return Manager.limit
end

return Manager
"#,
        expect![[r#"
            manager.lua:9:11 read entry_fn in Manager:add, static enclosing_type
            manager.lua:10:10 call entry_fn in Manager:add, static enclosing_type
            manager.lua:5:41 read entry_fn in Manager.new, likely unique_name
            3 uses in 1 file, 4 occurrences
        "#]],
    );
}

/// A block that implements a type outside makes its methods possible ones of that type.
#[test]
fn methods_of_traits_outside() {
    check_references(
        r#"
//- /Cargo.toml
[package]
name = "a"
//- /src/lib.rs
use serde_json::ser::Formatter;

pub struct Pretty;

impl Formatter for Pretty {
    fn write_$0part(&mut self, text: &str) {}
}

pub fn format<F: Formatter>(formatter: &mut F) {
    formatter.write_part("x")
}

macro_rules! defer {
    ($name:ident) => {};
}

defer!(write_part);
"#,
        expect![[r#"
            src/lib.rs:10:15 call write_part in format, possible name_only
            src/lib.rs:17:8 read write_part, possible name_only
            2 uses in 1 file, 3 occurrences
        "#]],
    );
}

/// Exports under another name are found by that name, too.
#[test]
fn exports_under_another_name() {
    let fixture = r#"
//- /router.ts
export function callProcedure() {}
//- /index.ts
export { callProcedure as callTheProcedure } from './router'
//- /use.ts
import { callTheProcedure } from './index'
callTheProcedure()
"#;
    let project = Project::new(fixture);
    expect![[r#"
        index.ts:1:10 import callProcedure, static import
        index.ts:1:27 import callTheProcedure, static import
        use.ts:1:10 import callTheProcedure, static import
        use.ts:2:1 call callTheProcedure, static import
        4 uses in 2 files, 2 occurrences, 3 renamed
    "#]]
    .assert_eq(&project.references("callTheProcedure", &all_uses()));
}

/// Names in a list of symbols may be methods, as other symbols may.
#[test]
fn lists_of_symbols() {
    check_references(
        r#"
//- /templates.rb
module Templates
  def liq$0uid(template)
    template
  end
end
ENGINES = %i[erb liquid]
WORDS = %w[erb liquid]
"#,
        expect![[r#"
            templates.rb:6:18 unknown liquid in ENGINES, possible name_only
            1 use in 1 file, 3 occurrences, 1 text
        "#]],
    );
}

/// A separator before a function's name passes over those of the namespace.
#[test]
fn functions_of_the_root() {
    let source = r#"
//- /root.php
<?php
function length($x) {}
//- /app.php
<?php
namespace App;
function length($x) {}
function run() {
    length(1);
    \length(2);
    \App\length(3);
}
"#;
    check_references(
        &source.replacen("function length", "function le$0ngth", 1),
        expect![[r#"
        app.php:6:6 call length in App\run, static module_member
        1 use in 1 file, 5 occurrences, 3 other
    "#]],
    );
    check_references(
        &source.replace("App;\nfunction length", "App;\nfunction le$0ngth"),
        expect![[r#"
        app.php:5:5 call length in App\run, static scope
        app.php:7:10 call length in App\run, static module_member
        2 uses in 1 file, 5 occurrences, 2 other
    "#]],
    );
}

/// A path in a text is text: it is counted, and told apart from uses.
#[test]
fn names_in_texts() {
    check_references(
        r#"
//- /app/store.py
def lo$0ad():
    pass
//- /tests/test_store.py
from unittest import mock
from app.store import load


@mock.patch("app.store.load")
def test_load(patched):
    load()
"#,
        expect![[r#"
            tests/test_store.py:2:23 import load, static import
            tests/test_store.py:7:5 call load in test_load, static import
            2 uses in 1 file, 4 occurrences, 1 text
        "#]],
    );
}

/// A type that is computed from others says nothing, so that the members used of a variable tell
/// its type; the instance type of a class is known.
#[test]
fn casts_to_computed_types() {
    check_references(
        r#"
//- /events.ts
export interface Source {
  liste$0n(type: string): void;
  stop(): void;
}
export interface Other {
  listen(type: string): void;
}
export class Fixed implements Other {
  listen(type: string) {}
}
//- /run.ts
import { Fixed } from './events'
export function run<T extends { Kind: any }>(options: T) {
  let last: any = null
  const first = (last = new options.Kind(1) as InstanceType<T['Kind']>)
  first.listen('a')
  first.stop()
  const second = new options.Kind(1) as T['Kind']
  second.listen('b')
  second.stop()
  const third = new options.Kind(1) as InstanceType<typeof Fixed>
  third.listen('c')
}
"#,
        expect![[r#"
            run.ts:5:9 call listen in run, likely members_used
            run.ts:8:10 call listen in run, likely members_used
            2 uses in 1 file, 6 occurrences, 3 other
        "#]],
    );
}
