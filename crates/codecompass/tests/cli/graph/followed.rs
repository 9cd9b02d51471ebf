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
    check(&app(), &["trace", "--value", "trust proxy"], expect![[""]]);
    check(&app(), &["trace", "--value", "LIMIT"], expect![[""]]);
    check(&app(), &["trace", "--value", "trust proxy", "--max-tokens", "300"], expect![[""]]);
}

#[test]
fn errors_and_messages() {
    check(&app(), &["trace", "--raises", "StoreError"], expect![[""]]);
    check(&app(), &["trace", "--raises", "no entry abc in the store"], expect![[""]]);
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
    check(&app(), &["trace", "--value", "nothing like this"], expect![[""]]);
    check(&app(), &["trace", "--raises", "StoreEror"], expect![[""]]);
    check(&app(), &["trace", "--value", ""], expect![[""]]);
    let refused = app().run(PROGRAM, &["trace", "read", "--value", "LIMIT"]);
    assert_eq!(refused.code, Some(2), "{}", refused.stderr);
    let refused = app().run(PROGRAM, &["trace"]);
    assert_eq!(refused.code, Some(2), "{}", refused.stderr);
    let refused = app().run(PROGRAM, &["trace", "--raises", "Missing", "--from", "main"]);
    assert_eq!(refused.code, Some(2), "{}", refused.stderr);
}
