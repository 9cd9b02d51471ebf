//! Uses of what modules of JavaScript and TypeScript export, hold back, or pass on.

use expect_test::expect;

use crate::navigation::check::{
    all_uses, check_callers, check_hierarchy, check_references, check_references_with, check_trace,
};

#[test]
fn default_exports_under_other_names() {
    check_references(
        r#"
//- /app.js
export default function A$0pp() {}
//- /main.js
import Main from './app.js'
import { default as Again } from './app.js'
export function start() { Main(); Again() }
//- /passing.js
export { default } from './app.js'
//- /late.js
import Passed from './passing.js'
export async function late() { Passed(); const module = await import('./app'); module.default() }
//- /other.js
import Main from './late.js'
export function other() { Main() }
"#,
        expect![[r#"
            late.js:1:8 import Passed, static import
            late.js:2:32 call Passed in late, static import
            late.js:2:87 call default in late, static module_member
            main.js:1:8 import Main, static import
            main.js:2:21 import Again, static import
            main.js:3:27 call Main in start, static import
            main.js:3:35 call Again in start, static import
            7 uses in 2 files, 1 occurrence, 7 renamed
        "#]],
    );
}

#[test]
fn a_name_that_is_exported_as_the_default() {
    check_references(
        r#"
//- /shapes/index.ts
class Sha$0pe { draw() {} }
export default Shape
//- /shapes/inner.ts
import Outer from '.'
export function inner() { return new Outer() }
//- /use.ts
import Form from './shapes'
export function use() { new Form().draw() }
"#,
        expect![[r#"
            shapes/index.ts:2:16 read Shape, static scope
            shapes/inner.ts:1:8 import Outer, static import
            shapes/inner.ts:2:38 call Outer in inner, static import
            use.ts:1:8 import Form, static import
            use.ts:2:29 call Form in use, static import
            5 uses in 3 files, 2 occurrences, 4 renamed
        "#]],
    );
}

#[test]
fn a_module_that_is_a_function() {
    check_references(
        r#"
//- /build.js
module.exports = function bu$0ild() {}
//- /use.js
const make = require('./build')
function use() { make() }
//- /nameless.js
module.exports = function () {}
//- /other.js
const make = require('./nameless')
function other() { make() }
"#,
        expect![[r#"
            use.js:1:7 import make, static import
            use.js:2:18 call make in use, static import
            2 uses in 1 file, 2 occurrences, 1 text, 2 renamed
        "#]],
    );
}

#[test]
fn members_of_a_default_export() {
    check_references(
        r#"
//- /api.js
const api = { g$0o() {} }
export default api
//- /use.js
import client from './api.js'
export function use() { client.go() }
"#,
        expect![[r#"
            use.js:2:32 call go in use, static receiver_type
            1 use in 1 file, 2 occurrences
        "#]],
    );
}

#[test]
fn an_unexported_function_is_not_meant_elsewhere() {
    check_references_with(
        r#"
//- /one.ts
import { x } from './two'
function nor$0malize(path: string) { return path }
export function open(path: string) { return normalize(path) }
//- /two.ts
declare const lib: any
export const x = normalize('a')
export function two(value) { value.normalize(); lib.inner().normalize() }
"#,
        &all_uses(),
        expect![[r#"
            one.ts:3:45 call normalize in open, static scope
            1 use in 1 file, 5 occurrences, 3 other
        "#]],
    );
}

#[test]
fn a_function_in_an_object_may_be_meant_as_its_member() {
    check_references_with(
        r#"
//- /one.ts
function nor$0malize(path: string) { return path }
export const install = (target: any) => target.add({ normalize })
//- /two.ts
declare const lib: any
export const x = normalize('a')
export function two() { lib.inner().normalize() }
"#,
        &all_uses(),
        expect![[r#"
            one.ts:2:54 read normalize in install, static scope
            two.ts:3:37 call normalize in two, possible name_only
            2 uses in 2 files, 4 occurrences, 1 other
        "#]],
    );
}

#[test]
fn functions_taken_out_of_an_object() {
    check_references(
        r#"
//- /utils.ts
export function par$0se() {}
function hidden() {}
export const utils = { parse, hidden }
//- /use.ts
import { utils } from './utils'
const { parse } = utils
export function use() { parse(); utils.parse() }
//- /inside.ts
import { utils } from './utils'
export function inside() {
    const { parse } = utils
    parse()
}
//- /other.ts
import { load } from './load'
export function other() {
    const { parse } = load()
    parse()
}
"#,
        expect![[r#"
            inside.ts:3:13 read parse in inside, static receiver_type
            inside.ts:4:5 call parse in inside, static receiver_type
            use.ts:2:9 read parse in parse, static receiver_type
            use.ts:3:25 call parse in use, static scope
            use.ts:3:40 call parse in use, static receiver_type
            utils.ts:3:24 read parse in utils, static scope
            other.ts:3:13 read parse in other, possible name_only
            7 uses in 4 files, 9 occurrences, 1 other
        "#]],
    );
}

#[test]
fn a_block_hides_a_name_only_in_itself() {
    check_callers(
        r#"
//- /pool.ts
export class Pool { r$0un(task) {} }
//- /use.ts
import { Pool } from './pool'
export function create(specs) {
    const pool = new Pool()
    async function execute(tasks) {
        for (const task of tasks) {
            const { pool } = task
            pool.run(1)
        }
        if (specs) {
            var late = new Pool()
        }
        late.run(2)
        tasks.map(async (task) => pool.run(task))
    }
    return execute
}
"#,
        1,
        expect![[r#"
            create.execute:4 calls Pool.run at use.ts:7, likely unique_name
            create.execute:4 calls Pool.run at use.ts:12, static receiver_type (known)
            create.execute:4 calls Pool.run at use.ts:13, static receiver_type (known)
        "#]],
    );
}

#[test]
fn a_method_implements_a_member_that_holds_a_function() {
    check_trace(
        r#"
//- /types.ts
export interface Worker {
    name: string
    send: (message: string) => void
}
//- /threads.ts
import type { Worker } from './types'
export class Threads implements Worker {
    name = 'threads'
    se$0nd(message: string) {}
}
//- /runner.ts
import type { Worker } from './types'
export class Runner {
    constructor(private worker: Worker) {}
    post() { this.worker.send('x') }
}
"#,
        None,
        expect![[r#"
            Runner.post:4 > Threads.send:4, likely
        "#]],
    );
}

#[test]
fn a_type_and_a_value_of_one_name_are_one_symbol() {
    check_references(
        r#"
//- /schema.ts
export interface Sche$0ma { id: string }
export const Schema: Constructor<Schema> = make('Schema')
//- /use.ts
import { Schema } from './schema'
export const made: Schema = new Schema()
"#,
        expect![[r#"
            schema.ts:2:14 declaration Schema, static scope
            schema.ts:2:34 type Schema in Schema, static scope
            use.ts:1:10 import Schema, static import
            use.ts:2:20 type Schema in made, static import
            use.ts:2:33 call Schema in made, static import
            5 uses in 2 files, 7 occurrences, 1 text
            also at schema.ts:2
        "#]],
    );
}

#[test]
fn an_exported_alias_is_no_name_in_its_own_file() {
    check_references(
        r#"
//- /kinds.ts
function _nul$0l() {}
function other() { return text() }
function _text() { return other() }
const text = _text
export { _null as empty, _text as text }
export function make() { return empty() }
//- /use.ts
import * as kinds from './kinds'
import { empty } from './kinds'
export const one = kinds.empty()
export const two = empty()
"#,
        expect![[r#"
            kinds.ts:5:10 import _null, static import
            kinds.ts:5:19 import empty, static import
            use.ts:2:10 import empty, static import
            use.ts:3:26 call empty in one, static module_member
            use.ts:4:20 call empty in two, static import
            5 uses in 2 files, 2 occurrences, 4 renamed
        "#]],
    );
}

#[test]
fn an_exported_alias_hides_a_name_that_is_not_exported() {
    check_references(
        r#"
//- /kinds.ts
function _te$0xt() {}
const text = 1
export { _text as text }
//- /use.ts
import { text } from './kinds'
export const one = text()
"#,
        expect![[r#"
            kinds.ts:3:10 import _text, static import
            kinds.ts:3:19 import text, static import
            use.ts:1:10 import text, static import
            use.ts:2:20 call text in one, static import
            4 uses in 2 files, 2 occurrences, 3 renamed
        "#]],
    );
}

#[test]
fn components_and_the_types_of_their_props() {
    let fixture = |cursor: &str| {
        let text = r#"
//- /button.tsx
export interface ButtonProps { label: string }
export function Button({ label }: ButtonProps) { return <b>{label}</b> }
"#;
        text.replacen(cursor, &format!("{}$0{}", &cursor[..cursor.len() - 1], &cursor[cursor.len() - 1..]), 1)
    };
    check_hierarchy(
        &fixture("function Button"),
        expect![[r#"
        above ButtonProps button.tsx:1 props
    "#]],
    );
    check_hierarchy(
        &fixture("interface ButtonProps"),
        expect![[r#"
        below Button button.tsx:2 props
        has field label
    "#]],
    );
}

#[test]
fn uses_of_an_import_that_could_not_be_followed() {
    check_references_with(
        r#"
//- /packages/core/package.json
{ "name": "@acme/kernel", "exports": { ".": { "types": "./dist/index.d.ts", "default": "./dist/index.js" } } }
//- /packages/core/source/node/main.ts
export function assert$0Write(path: string) {}
//- /packages/app/use.ts
import { assertWrite } from '@acme/kernel'
import * as kernel from '@acme/kernel/inner'
export function use() { assertWrite('a'); kernel.assertWrite('b') }
//- /packages/app/gone.ts
import { assertWrite } from './gone.js'
assertWrite('c')
//- /packages/app/other.ts
import { assertWrite } from 'elsewhere'
assertWrite('d')
"#,
        &all_uses(),
        expect![[r#"
            packages/app/gone.ts:1:10 import assertWrite, possible name_only
            packages/app/gone.ts:2:1 call assertWrite, possible name_only
            packages/app/use.ts:1:10 import assertWrite, possible name_only
            packages/app/use.ts:3:25 call assertWrite in use, possible name_only
            packages/app/use.ts:3:50 call assertWrite in use, possible name_only
            5 uses in 2 files, 8 occurrences, 2 other
        "#]],
    );
}

#[test]
fn a_path_to_what_is_built_leads_to_its_source() {
    check_references_with(
        r#"
//- /package.json
{ "name": "acme", "main": "dist/index.js" }
//- /src/index.ts
export * from './write.js'
//- /src/write.ts
export function assert$0Write(path: string) {}
//- /gone.ts
export function assertWrite() {}
//- /test/node/use.ts
import { assertWrite } from '../../dist/index.js'
assertWrite('a')
//- /test/whole.ts
import { assertWrite } from '../'
assertWrite('b')
//- /src/missing.ts
import { assertWrite } from './gone.js'
assertWrite('c')
"#,
        &all_uses(),
        expect![[r#"
            test/node/use.ts:1:10 import assertWrite, static import
            test/node/use.ts:2:1 call assertWrite, static import
            test/whole.ts:1:10 import assertWrite, static import
            test/whole.ts:2:1 call assertWrite, static import
            src/missing.ts:1:10 import assertWrite, possible name_only
            src/missing.ts:2:1 call assertWrite, possible name_only
            6 uses in 3 files, 8 occurrences, 1 other
        "#]],
    );
}

#[test]
fn packages_lead_to_the_sources_of_what_is_built() {
    check_references_with(
        r#"
//- /packages/core/package.json
{
  "name": "@acme/kernel",
  "exports": {
    ".": { "types": "./dist/node/index.d.ts", "default": "./dist/node/index.js" },
    "./direct": { "source": "./src/inner/direct.ts", "default": "./dist/direct.js" },
    "./parts/*": "./build/parts/*.js"
  }
}
//- /packages/core/src/node/index.ts
export * from '../write'
//- /packages/core/src/write.ts
export function assert$0Write(path: string) {}
//- /packages/core/src/inner/direct.ts
export { assertWrite } from '../write'
//- /packages/core/src/parts/one.ts
export { assertWrite } from '../write'
//- /packages/app/use.ts
import { assertWrite } from '@acme/kernel'
import { assertWrite as direct } from '@acme/kernel/direct'
import { assertWrite as part } from '@acme/kernel/parts/one'
export function use() { assertWrite('a'); direct('b'); part('c') }
"#,
        &all_uses(),
        expect![[r#"
            packages/app/use.ts:1:10 import assertWrite, static import
            packages/app/use.ts:2:10 import assertWrite, static import
            packages/app/use.ts:2:25 import direct, static import
            packages/app/use.ts:3:10 import assertWrite, static import
            packages/app/use.ts:3:25 import part, static import
            packages/app/use.ts:4:25 call assertWrite in use, static import
            packages/app/use.ts:4:43 call direct in use, static import
            packages/app/use.ts:4:56 call part in use, static import
            packages/core/src/inner/direct.ts:1:10 import assertWrite, static import
            packages/core/src/parts/one.ts:1:10 import assertWrite, static import
            10 uses in 3 files, 7 occurrences, 4 renamed
        "#]],
    );
}

#[test]
fn declarations_beside_scripts() {
    check_references_with(
        r#"
//- /types.d.ts
export declare function ca$0lc(): number
//- /both.d.ts
export { calc } from './types.js'
//- /both.js
export { calc } from './other.js'
//- /use.ts
import { calc } from './types.js'
import { calc as both } from './both.js'
import { calc as plain } from './both'
calc(); both(); plain()
"#,
        &all_uses(),
        expect![[r#"
            both.d.ts:1:10 import calc, static import
            use.ts:1:10 import calc, static import
            use.ts:2:10 import calc, static import
            use.ts:2:18 import both, static import
            use.ts:3:10 import calc, static import
            use.ts:3:18 import plain, static import
            use.ts:4:1 call calc, static import
            use.ts:4:9 call both, static import
            use.ts:4:17 call plain, static import
            both.js:1:10 import calc, possible name_only
            10 uses in 3 files, 7 occurrences, 4 renamed
        "#]],
    );
}

#[test]
fn a_module_that_is_another_module() {
    check_references_with(
        r#"
//- /package.json
{ "name": "maker" }
//- /index.js
module.exports = require('./lib/maker')
//- /lib/maker.js
exports = module.exports = create$0Maker
function createMaker() {}
exports.helper = function helper() {}
//- /lib/all.js
module.exports = { ...require('./other'), maker: require('./maker'), make: createOther, inner: require('./other').part }
function createOther() {}
//- /lib/other.js
exports.part = function part() {}
//- /test/use.js
var make = require('..')
var again = require('../index')
const { helper } = require('..')
const { maker } = require('../lib/all')
make(); again(); helper(); maker()
//- /test/all.js
const all = require('../lib/all')
all.maker()
"#,
        &all_uses(),
        expect![[r#"
            lib/all.js:1:43 import maker, static import
            lib/maker.js:1:28 read createMaker, static scope
            lib/maker.js:2:10 declaration createMaker, static scope
            test/all.js:2:5 call maker, static module_member
            test/use.js:1:5 import make, static import
            test/use.js:2:5 import again, static import
            test/use.js:4:9 import maker, static import
            test/use.js:5:1 call make, static import
            test/use.js:5:9 call again, static import
            test/use.js:5:28 call maker, static import
            10 uses in 4 files, 2 occurrences, 8 renamed
        "#]],
    );
}

#[test]
fn names_that_an_exported_object_gives() {
    check_references_with(
        r#"
//- /all.js
module.exports = { ...require('./other'), make: create$0Other, inner: require('./other').part }
function createOther() {}
//- /other.js
exports.part = function part() {}
//- /use.js
const { make, part, inner } = require('./all')
make(); part(); inner()
"#,
        &all_uses(),
        expect![[r#"
            all.js:1:43 import make, static import
            all.js:1:49 import createOther, static import
            all.js:2:10 declaration createOther, static scope
            use.js:1:9 import make, static import
            use.js:2:1 call make, static import
            5 uses in 2 files, 2 occurrences, 3 renamed
        "#]],
    );
    check_references_with(
        r#"
//- /all.js
module.exports = { ...require('./other'), inner: require('./other').part }
//- /other.js
exports.part = function pa$0rt() {}
//- /use.js
const { part, inner } = require('./all')
part(); inner()
"#,
        &all_uses(),
        expect![[r#"
            all.js:1:43 import inner, static import
            all.js:1:69 import part, static import
            use.js:1:9 import part, static import
            use.js:1:15 import inner, static import
            use.js:2:1 call part, static import
            use.js:2:9 call inner, static import
            6 uses in 2 files, 5 occurrences, 1 other, 3 renamed
        "#]],
    );
}

#[test]
fn members_that_an_object_calls_otherwise() {
    check_references_with(
        r#"
//- /utils.js
function gam$0ma(x) { return x }
const utils = { gamma, g: gamma }
module.exports = utils
//- /use.js
const { g, gamma: c } = require('./utils')
const utils = require('./utils')
const { g: d } = utils
function run() { g(1); c(2); utils.g(3); d(4) }
"#,
        &all_uses(),
        expect![[r#"
            use.js:1:12 import gamma, static import
            use.js:1:19 import c, static import
            use.js:4:24 call c in run, static import
            utils.js:2:17 read gamma in utils, static scope
            utils.js:2:27 read gamma in utils, static scope
            5 uses in 2 files, 4 occurrences, 2 renamed
        "#]],
    );
}

#[test]
fn members_that_an_exported_object_calls_otherwise() {
    check_references_with(
        r#"
//- /utils.ts
function gam$0ma(x) { return x }
export const utils = { gamma, g: gamma }
//- /use.ts
import { utils } from './utils'
const { g: d, gamma: c } = utils
function run() { c(2); utils.g(3); d(4) }
"#,
        &all_uses(),
        expect![[r#"
            utils.ts:2:24 read gamma in utils, static scope
            utils.ts:2:34 read gamma in utils.g, static scope
            use.ts:2:15 unknown gamma in c, possible name_only
            3 uses in 2 files, 4 occurrences
        "#]],
    );
}

#[test]
fn callers_through_other_names_of_members() {
    check_callers(
        r#"
//- /utils.ts
function gam$0ma(x) { return x }
export const utils = { g: gamma }
//- /use.ts
import { utils } from './utils'
const { g: d } = utils
function run() { utils.g(3) }
function other() { d(4) }
"#,
        1,
        expect![[r#"
            1 other use
        "#]],
    );
    check_callers(
        r#"
//- /utils.ts
export function gam$0ma(x) { return x }
//- /use.ts
import * as utils from './utils'
const { gamma: d } = utils
function run() { d(4) }
function other() { const { gamma: e } = utils; e(4) }
"#,
        1,
        expect![[r#"
            2 possible calls
        "#]],
    );
    check_callers(
        r#"
//- /utils.js
function gam$0ma(x) { return x }
const utils = { g: gamma }
module.exports = utils
//- /use.js
const { g } = require('./utils')
const utils = require('./utils')
function run() { utils.g(3) }
function other() { g(4) }
"#,
        1,
        expect![[r#"
            1 other use
        "#]],
    );
}
