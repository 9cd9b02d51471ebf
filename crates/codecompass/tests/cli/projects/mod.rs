//! Projects of a repository, questions about one, and the repository on one page.

mod list;
mod overview;
mod scope;

use codecompass_testkit::TestWorkspace;

const FIXTURE: &str = r#"
//- /package.json
{ "name": "shop", "private": true, "workspaces": ["packages/*", "gone"] }
//- /packages/core/package.json
{ "name": "@shop/core" }
//- /packages/core/src/orders.js
export class Order {}
export function loadOrder(id) { return new Order(); }
//- /packages/core/test/orders.test.js
import { loadOrder } from '../src/orders.js';
test('loads', () => { loadOrder(1); });
//- /packages/web/package.json
{
  "name": "@shop/web",
  "dependencies": {
    "@shop/core": "workspace:*",
    "express": "^4.0.0"
  }
}
//- /packages/web/src/server.js
import express from 'express';
import { loadOrder, Order } from '../../core/src/orders.js';
const app = express();
app.get('/orders/:id', show);
export class WebOrder extends Order {}
export function show(request, response) { return loadOrder(request.id); }
//- /packages/jobs/package.json
{ "name": "@shop/jobs" }
//- /packages/jobs/src/nightly.js
import { loadOrder } from '../../core/src/orders.js';
export function main() { loadOrder(2); }
main();
//- /packages/broken/package.json
{ "name": "@shop/broken",
//- /examples/demo/package.json
{ "name": "demo" }
"#;

fn shop() -> TestWorkspace {
    TestWorkspace::git(FIXTURE)
}
