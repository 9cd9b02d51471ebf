//! Uses of members that no dot tells: taken out of an object, declared for all files, written in an
//! object without a type, or only guessed to be another's.

use expect_test::expect;

use crate::check::check_references;

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
