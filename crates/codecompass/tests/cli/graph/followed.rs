//! `trace --value` and `trace --raises`: the way of a value, and of an error.

use codecompass_testkit::TestWorkspace;
use expect_test::expect;
use serde_json::Value;

use crate::{PROGRAM, check};

const APP: &str = r#"
//- /lib/app.js
const KEY = 'trust proxy';
const app = {};

app.defaults = function defaults() {
  this.set('trust proxy', false);
};

module.exports = { app, KEY };
//- /lib/request.js
function protocol() {
  var trust = this.app.get('trust proxy');
  if (!trust) {
    return 'http';
  }
  return choose(trust);
}

function choose(how) {
  return how ? 'https' : 'http';
}
//- /store/errors.py
class StoreError(Exception):
    pass


class Missing(StoreError):
    pass
//- /store/read.py
from store.errors import Missing, StoreError

LIMIT = 3


def read(key):
    if len(key) > LIMIT:
        raise Missing(f"no entry {key} in the store")
    return key


def main():
    try:
        read("x")
    except StoreError as error:
        print(error)
//- /tests/test_read.py
import pytest
from store.errors import Missing
from store.read import read


def test_missing():
    with pytest.raises(Missing):
        read("long")
"#;

fn app() -> TestWorkspace {
    TestWorkspace::git(APP)
}

#[test]
fn values_and_keys() {
    check(
        &app(),
        &["trace", "--value", "trust proxy"],
        expect![[r#"
        value `trust proxy`: 7 places: 1 written, 4 copied, 2 decides
        looked for: 'trust proxy'

        written
          1. lib/app.js:5 app.defaults  this.set('trust proxy', false);  (likely: literal text)

        copied
          2. lib/app.js:1 KEY  const KEY = 'trust proxy';  (to KEY; likely: literal text)
          3. lib/request.js:2 protocol  var trust = this.app.get('trust proxy');  (to trust; likely: literal text)
          4. lib/app.js:8  module.exports = { app, KEY };  (from 2; to exports; likely: scope)
          5. lib/request.js:6 protocol  return choose(trust);  (from 3; passed to choose as how; likely: scope)

        decides
          6. lib/request.js:3 protocol  if (!trust) {  (from 3; likely: scope)
          7. lib/request.js:10 choose  return how ? 'https' : 'http';  (from 5; likely: scope)
    "#]],
    );
    check(
        &app(),
        &["trace", "--value", "LIMIT"],
        expect![[r#"
        value `LIMIT` (store/read.py:3): 2 places: 1 defined, 1 decides

        defined
          1. store/read.py:3  LIMIT = 3  (constant)

        decides
          2. store/read.py:7 read  if len(key) > LIMIT:
    "#]],
    );
    check(
        &app(),
        &["trace", "--value", "trust proxy", "--max-tokens", "300"],
        expect![[r#"
        value `trust proxy`: 7 places: 1 written, 4 copied, 2 decides
        looked for: 'trust proxy'

        written
          1. lib/app.js:5 app.defaults  this.set('trust proxy', false);  (likely: literal text)

        decides
          6. lib/request.js:3 protocol  if (!trust) {  (from 3; likely: scope)
          7. lib/request.js:10 choose  return how ? 'https' : 'http';  (from 5; likely: scope)

        4 places without room; more --max-tokens shows them
    "#]],
    );
}

#[test]
fn errors_and_messages() {
    check(
        &app(),
        &["trace", "--raises", "StoreError"],
        expect![[r#"
        error `StoreError` (store/errors.py:1): 4 places: 1 raised, 1 passed, 1 caught, 1 tested
        looked for: the definition StoreError, its subtypes, and their uses, Missing

        raised
          1. store/read.py:8 read  raise Missing(f"no entry {key} in the store")  (Missing)

        passes through
          2. store/read.py:14 main  read("x")  (from 1; calls read)

        caught
          3. store/read.py:15 main  except StoreError as error:  (from 2; as StoreError; call at 14)

        in tests
          4. tests/test_read.py:7 test_missing  with pytest.raises(Missing):  (names Missing)
    "#]],
    );
    check(
        &app(),
        &["trace", "--raises", "no entry abc in the store"],
        expect![[r#"
        error `no entry abc in the store`: 3 places: 1 raised, 1 passed, 1 caught
        looked for: definitions and uses of the name no entry abc in the store, and literal texts with it

        raised
          1. store/read.py:8 read  raise Missing(f"no entry {key} in the store")  (Missing)

        passes through
          2. store/read.py:14 main  read("x")  (from 1; calls read)

        caught
          3. store/read.py:15 main  except StoreError as error:  (from 2; as StoreError; call at 14)
    "#]],
    );
}

#[test]
fn json_has_the_steps() {
    let answer = app().run(PROGRAM, &["trace", "--value", "LIMIT", "--json"]);
    let answer: Value = serde_json::from_str(&answer.stdout).unwrap();
    assert_eq!(answer["value"], "LIMIT");
    let steps: Vec<(&str, u64)> = answer["steps"]
        .as_array()
        .unwrap()
        .iter()
        .map(|step| (step["event"].as_str().unwrap(), step["line"].as_u64().unwrap()))
        .collect();
    assert_eq!(steps, [("defined", 3), ("decides", 7)]);
    let answer = app().run(PROGRAM, &["trace", "--raises", "Missing", "--json"]);
    let answer: Value = serde_json::from_str(&answer.stdout).unwrap();
    assert_eq!(answer["steps"][2]["event"], "caught");
    assert_eq!(answer["steps"][2]["from"], 2);
    assert!(answer.get("paths").is_none(), "{answer}");
}

#[test]
fn what_cannot_be_followed() {
    check(
        &app(),
        &["trace", "--value", "nothing like this"],
        expect![[r#"
        nothing was found of the value `nothing like this`
        looked for: 'nothing like this'
        `codecompass grep` finds any text
        --- exit code 1
    "#]],
    );
    check(
        &app(),
        &["trace", "--raises", "StoreEror"],
        expect![[r#"
        nothing was found of the error `StoreEror`
        looked for: definitions and uses of the name StoreEror, and literal texts with it
        names like it: StoreError
        `codecompass grep` finds any text
        --- exit code 1
    "#]],
    );
    check(
        &app(),
        &["trace", "--value", ""],
        expect![[r#"
        --- stderr
        error: the value is empty
        help: see `codecompass help`
        --- exit code 2
    "#]],
    );
    let refused = app().run(PROGRAM, &["trace", "read", "--value", "LIMIT"]);
    assert_eq!(refused.code, Some(2), "{}", refused.stderr);
    let refused = app().run(PROGRAM, &["trace"]);
    assert_eq!(refused.code, Some(2), "{}", refused.stderr);
    let refused = app().run(PROGRAM, &["trace", "--raises", "Missing", "--from", "main"]);
    assert_eq!(refused.code, Some(2), "{}", refused.stderr);
}
