//! `endpoints`: routes with their handlers, and what a branch changed of them.

use codecompass_testkit::TestWorkspace;
use expect_test::expect;

use crate::{PROGRAM, check, check_json};

const FIXTURE: &str = r#"
//- /app.js
const express = require('express');
const users = require('./routes/users');
const app = express();
app.use('/api/users', users);
app.get('/', (req, res) => {});
app.get(path(), missing);
//- /routes/users.js
const { Router } = require('express');
const controller = require('../controllers/users');
const router = Router();
router.get('/:id', controller.show);
router.post('/', controller.create);
module.exports = router;
//- /controllers/users.js
exports.show = (req, res) => {};
exports.create = (req, res) => {};
//- /test/app.test.js
const express = require('express');
const fake = express.Router();
fake.get('/fake', (req, res) => {});
"#;

fn shop() -> TestWorkspace {
    TestWorkspace::git(FIXTURE)
}

#[test]
fn endpoints_as_text() {
    let shop = shop();
    check(
        &shop,
        &["endpoints"],
        expect![[r#"
        4 endpoints (Express 4)
        1 with unknown parts, shown as …
        app.js
             5  GET  /  (inline)
        routes/users.js
             4  GET   /api/users/{id}  show controllers/users.js:1
             5  POST  /api/users       create controllers/users.js:2
        test/app.test.js  test
             3  GET  …/fake  (inline)  likely
        left out, since the path is computed: 1 route (app.js:6)
    "#]],
    );
    check(
        &shop,
        &["endpoints", "/api/users/7", "-m", "get"],
        expect![[r#"
        1 of 4 endpoints (Express 4)
        routes/users.js
             4  GET  /api/users/{id}  show controllers/users.js:1
        left out, since the path is computed: 1 route (app.js:6)
    "#]],
    );
}

#[test]
fn endpoints_as_json() {
    check_json(
        &shop(),
        &["endpoints", "--handler", "controllers/users.js:1"],
        expect![[r#"
        {
          "computed": [
            {
              "line": 6,
              "path": "app.js"
            }
          ],
          "endpoints": [
            {
              "confidence": "static",
              "declared": {
                "line": 4,
                "path": "routes/users.js"
              },
              "framework": "express",
              "handler": {
                "line": 1,
                "name": "show",
                "path": "controllers/users.js"
              },
              "method": "GET",
              "path": "/api/users/{id}"
            }
          ],
          "frameworks": [
            {
              "display_name": "Express",
              "endpoints": 4,
              "files": 3,
              "name": "express"
            }
          ],
          "metadata": {
            "codecompass_protocol_version": "1.0",
            "ref": "main",
            "returned": 1,
            "total_candidates": 1
          },
          "totals": {
            "all": 4,
            "computed": 1,
            "found": 1,
            "unknown_parts": 0
          }
        }
    "#]],
    );
}

#[test]
fn nothing_is_said() {
    let empty = TestWorkspace::git("//- /a.py\nx = 1\n");
    let answer = empty.run(PROGRAM, &["endpoints"]);
    assert_eq!((answer.code, answer.stdout.as_str()), (Some(1), "no web framework that is known is imported\n"));
    let answer = shop().run(PROGRAM, &["endpoints", "--framework", "expres"]);
    assert_eq!(answer.code, Some(2));
    assert!(answer.stderr.contains("`expres` is no framework that is known"), "{}", answer.stderr);
}

#[test]
fn changes_of_a_branch() {
    let shop = shop();
    shop.commit("first");
    shop.run_git(&["checkout", "-q", "-b", "next"]);
    shop.write(
        "routes/users.js",
        "const { Router } = require('express');\n\
         const controller = require('../controllers/users');\n\
         const router = Router();\n\n\
         router.get('/:id', controller.create);\n\
         router.delete('/:id', controller.create);\n\
         module.exports = router;\n",
    );
    check(
        &shop,
        &["endpoints", "--base", "main"],
        expect![[r#"
        3 endpoints since main: 1 added, 1 removed, 1 changed
        - POST /api/users  routes/users.js:5  create controllers/users.js:2
        + DELETE /api/users/{id}  routes/users.js:6  create controllers/users.js:2
        ~ GET /api/users/{id}  routes/users.js:5  create controllers/users.js:2  was show controllers/users.js:1
    "#]],
    );
    let other = shop.run(PROGRAM, &["endpoints", "--ref", "main", "--method", "post"]).found();
    assert!(other.contains("/api/users"), "{other}");
}
