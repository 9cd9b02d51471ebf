//! TypeScript and JavaScript.

use super::Program;

#[test]
fn members_of_unknown_receivers() {
    let program = Program::new(
        "//- /src/runner.ts
export class Runner {
    run() {}
    stop() {}
    again(task) { task.stop() }
}
export class Builder {
    static start() { return new Builder() }
    step(kind) { return kind() }
    finish() {}
}
//- /src/use.ts
import { Builder } from './runner'
export function use(x, runner, myRunner, kind) {
    x.run()
    runner.run(1)
    myRunner.run(2)
    Promise.run(3)
    Builder.start().step(kind).finish()
    x.step(kind).finish(4)
}
",
    );
    program.check(
        "
        src/runner.ts | again | stop -> src/runner.ts | stop() {} | likely
        src/use.ts | x.run() | run -> nothing several
        src/use.ts | runner.run(1) | run -> src/runner.ts | run() {} | likely
        src/use.ts | run(2) | run -> src/runner.ts | run() {} | likely
        src/use.ts | run(3) | run -> nothing several
        src/use.ts | Builder.start() | finish -> src/runner.ts | finish() {} | likely
        src/use.ts | finish(4) | finish -> nothing several
        ",
    );
}

#[test]
fn narrowed_elements_and_late_imports() {
    let program = Program::new(
        "//- /src/shapes.ts
export class Shape { draw() {} }
export class Other { draw() {} }
export class Loader { load() {} }
export function go() {}
//- /src/use.ts
import { Shape, Loader } from './shapes'
export function use(e: unknown, loaders: Map<string, Loader>, list: Loader[]) {
    if (e instanceof Shape) {
        e.draw()
    }
    loaders.get('x')!.load()
    list.find(Boolean)?.load(1)
}
export async function late() {
    const { Other, go: run } = await import('./shapes')
    new Other().draw(2)
    run()
}
//- /src/common.js
function one() {}
exports.two = function () {}
module.exports.three = () => {}
exports.one = one
//- /src/main.js
const { one, two } = require('./common')
const common = require('./common')
one(1)
two(2)
common.three(3)
",
    );
    program.check(
        "
        src/use.ts | e.draw() | draw -> src/shapes.ts | class Shape | static
        src/use.ts | loaders.get | load -> src/shapes.ts | class Loader | static
        src/use.ts | list.find | load -> src/shapes.ts | class Loader | static
        src/use.ts | draw(2) | draw -> src/shapes.ts | class Other | static
        src/use.ts | draw(2) | Other -> src/shapes.ts | class Other | static
        src/use.ts | run() | run -> src/shapes.ts | function go | static
        src/main.js | one(1) | one -> src/common.js | function one | static
        src/main.js | two(2) | two -> src/common.js | exports.two | static
        src/main.js | three(3) | three -> src/common.js | exports.three | static
        ",
    );
}

#[test]
fn merged_declarations() {
    let program = Program::new(
        "//- /src/box.ts
export interface Box { width: number }
export interface Box { height(): number }
export class Form { submit() {} }
export namespace Form { export function make() { return new Form() } }
//- /src/use.ts
import { Box, Form } from './box'
export function size(box: Box) {
    box.width
    box.height()
    Form.make().submit()
}
",
    );
    program.check(
        "
        src/use.ts | box.width | width -> src/box.ts | width: number | static
        src/use.ts | box.height | height -> src/box.ts | height(): | static
        src/use.ts | Form.make | make -> src/box.ts | function make | static
        src/use.ts | Form.make | submit -> src/box.ts | submit() | static
        ",
    );
}

/// A property with code is read like a field, which another type may have under its name.
#[test]
fn properties_and_fields_of_one_name() {
    let program = Program::new(
        "//- /context.ts
export class Context {
  get res(): string { return '' }
  text() {}
}
//- /options.ts
export interface Options {
  res?: string
}
//- /use.ts
import { app } from 'lib'
app.get('/', (context) => {
  context.text()
  return context.res.length
})
",
    );
    program.check(
        "
        use.ts | context.res | res -> context.ts | get res | likely
        ",
    );
}

#[test]
fn members_of_a_class_with_markup() {
    let program = Program::new(
        "//- /src/mutate.ts
export const mutate = (x: number) => x
//- /src/app.tsx
import { mutate } from './mutate'
export class App extends React.Component<Props> {
    private erase = () => {
        mutate(1)
        this.mutate(2)
        App.open(3)
    }
    public mutate = <T,>(x: T) => x
    static open = (x: number) => x
    render() {
        return <div onClick={this.erase} />
    }
}
",
    );
    program.check(
        "
        src/app.tsx | mutate(1) | mutate -> src/mutate.ts | mutate = | static
        src/app.tsx | mutate(2) | mutate -> src/app.tsx | public mutate | static
        src/app.tsx | open(3) | open -> src/app.tsx | static open | static
        src/app.tsx | <div | erase -> src/app.tsx | private erase | static
        ",
    );
}

#[test]
fn values_in_exported_objects() {
    let program = Program::new(
        "//- /src/keys.ts
export const KEYS = {
    ELEMENTS: 'elements',
    'STATE': 'state',
    count: 3,
} as const
export const LIMITS = Object.freeze({ MAX: 9 })
export const MODES = { dark: 'd' } satisfies Record<string, string>
const own = { hidden: 1 }
//- /src/use.ts
import { KEYS, LIMITS, MODES as All } from './keys'
import * as keys from './keys'
export function use() {
    localStorage.getItem(KEYS.ELEMENTS)
    read(KEYS.STATE, keys.KEYS.count)
    read(LIMITS.MAX)
    read(All.dark)
}
",
    );
    program.check(
        "
        src/use.ts | getItem | ELEMENTS -> src/keys.ts | ELEMENTS: | static
        src/use.ts | KEYS.STATE | STATE -> src/keys.ts | STATE | static
        src/use.ts | keys.KEYS.count | count -> src/keys.ts | count: | static
        src/use.ts | LIMITS.MAX | MAX -> src/keys.ts | MAX: | static
        src/use.ts | All.dark | dark -> src/keys.ts | dark: | static
        ",
    );
}

#[test]
fn members_of_objects_are_no_names_in_their_code() {
    let program = Program::new(
        "//- /src/get.ts
export function get(x: number) { return x }
export const A = 'a'
//- /src/api.ts
import { get, A } from './get'
export const api = {
    A: 'own',
    B: A,
    get(x: number) { return get(1) },
    post: (x: number) => get(2),
}
export function make() {
    function inner() {}
    return {
        get() { return get(3) },
        inner() { return inner() },
    }
}
",
    );
    program.check(
        "
        src/api.ts | B: A | A -> src/get.ts | const A | static
        src/api.ts | get(1) | get#2 -> src/get.ts | function get | static
        src/api.ts | get(2) | get -> src/get.ts | function get | static
        src/api.ts | get(3) | get#2 -> src/get.ts | function get | static
        src/api.ts | return inner() | inner#2 -> src/api.ts | function inner | static
        ",
    );
}

#[test]
fn types_that_a_condition_chooses() {
    let program = Program::new(
        "//- /src/builder.ts
export class Query<T> {
    where(name: string): Query<T> { return this }
    execute(): number { return 1 }
}
export class Other {
    where(name: string) {}
    execute() {}
}
export type From<T> = [T] extends [string] ? Query<T> : T extends number ? Query<number> : never;
export type Either<T> = T extends string ? Query<T> : Other;
export function select<T>(from: T): From<T> { return new Query<T>() as any }
export function choose<T>(from: T): Either<T> { return new Other() as any }
//- /src/use.ts
import { select, choose } from './builder'
export function use() {
    select('person').where('id').execute()
    choose('person').execute()
}
",
    );
    program.check(
        "
        src/use.ts | select('person') | where -> src/builder.ts | where(name: string): Query<T> | static
        src/use.ts | .where('id') | execute -> src/builder.ts | execute(): number | static
        src/use.ts | choose('person') | execute -> nothing
        ",
    );
}
