//! `history`: commits as text and as JSON, and its errors. The commits themselves are compared with
//! git's in the engine's tests.

use codecompass_testkit::TestWorkspace;
use expect_test::expect;

use crate::PROGRAM;

const FIXTURE: &str = r#"
//- /shop/cart.py
FLAG = True


def total(items):
    return sum(items)
"#;

fn shop() -> TestWorkspace {
    let workspace = TestWorkspace::git(FIXTURE);
    workspace.write("shop/cart.py", "FLAG = False\n\n\ndef total(items):\n    return sum(items)\n");
    workspace.commit("Switch the flag off\n\nNo one used it.");
    workspace.run_git(&["mv", "shop/cart.py", "shop/basket.py"]);
    workspace.commit("Call the cart a basket");
    workspace
}

/// Ids depend on nothing but the fixture, but say nothing to a reader.
fn without_ids(text: &str) -> String {
    let is_id = |word: &str| word.len() >= 10 && word.bytes().all(|byte| byte.is_ascii_hexdigit());
    let line = |line: &str| match line.split_once(' ') {
        Some((first, rest)) if is_id(first) => format!("ID {rest}"),
        _ => line.to_string(),
    };
    text.lines().map(|text| line(text) + "\n").collect()
}

fn asked(args: &[&str]) -> String {
    let workspace = shop();
    let answer = workspace.run(PROGRAM, &[&["history"], args].concat());
    without_ids(&answer.shown(&workspace))
}

#[test]
fn commits_as_text() {
    expect![[r#"
        2 commits found in 3 commits of main

        ID 2026-01-01 Test  Switch the flag off
          shop/cart.py
            -1  FLAG = True

        ID 2026-01-01 Test  first
          shop/cart.py
            +1  FLAG = True
    "#]]
    .assert_eq(&asked(&["--changes", "FLAG = True"]));
    expect![[r#"
        1 commit found in 3 commits of main

        ID 2026-01-01 Test  Switch the flag off
            No one used it.
          M shop/cart.py
    "#]]
    .assert_eq(&asked(&["flag", "--body"]));
    expect![[r#"
        1 commit found in 3 commits of main

        ID 2026-01-01 Test  Call the cart a basket
          R shop/cart.py -> shop/basket.py
    "#]]
    .assert_eq(&asked(&["--kind", "renamed"]));
    expect![[r#"
        3 commits found in 3 commits of main

        ID 2026-01-01 Test  Call the cart a basket
          R shop/cart.py -> shop/basket.py

        2 more; --offset 1 goes on, --limit shows more at once, --path, --author and --since narrow
    "#]]
    .assert_eq(&asked(&["-n", "1"]));
}

#[test]
fn one_definition() {
    expect![[r#"
        total  shop/basket.py:4
        changed by 1 commit; introduced 2026-01-01 by Test; last changed 2026-01-01

        ID 2026-01-01 Test (introduced)  first
          then total in shop/cart.py
          + def total(items)
    "#]]
    .assert_eq(&asked(&["--symbol", "total"]));
    expect![[r#"
        FLAG  shop/basket.py:1
        changed by 2 commits; introduced 2026-01-01 by Test; last changed 2026-01-01

        ID 2026-01-01 Test  Switch the flag off
          then FLAG in shop/cart.py
          - FLAG = True
          + FLAG = False
            -1  FLAG = True
            +1  FLAG = False

        ID 2026-01-01 Test (introduced)  first
          then FLAG in shop/cart.py
          + FLAG = True
    "#]]
    .assert_eq(&asked(&["--symbol", "FLAG"]));
    expect![[r#"
        --- stderr
        error: --symbol is given with a restriction of commits
        help: give only --lines, --limit, --offset and --ref with --symbol
        --- exit code 2
    "#]]
    .assert_eq(&asked(&["--symbol", "total", "--author", "x"]));
    expect![[r#"
        --- stderr
        error: no symbol `missing`
        help: check the spelling, or describe it in words with `codecompass search`
        --- exit code 2
    "#]]
    .assert_eq(&asked(&["--symbol", "missing"]));
}

#[test]
fn commits_as_json() {
    let workspace = shop();
    let answer = workspace.run(PROGRAM, &["history", "--regex", "FLAG = F", "--json"]);
    let json: serde_json::Value = serde_json::from_str(&answer.stdout).unwrap();
    let commit = &json["commits"][0];
    assert_eq!(commit["id"].as_str().unwrap().len(), 40);
    assert_eq!(commit["author"], "Test <test@example.com>");
    assert_eq!(commit["date"], "2026-01-01T00:00:00Z");
    assert_eq!(commit["subject"], "Switch the flag off");
    assert_eq!(commit["files"], serde_json::json!([{"path": "shop/cart.py", "kind": "modified"}]));
    let line = serde_json::json!([{"path": "shop/cart.py", "line": 1, "change": "added", "text": "FLAG = False"}]);
    assert_eq!(commit["lines"], line);
    assert_eq!((&json["total"], &json["metadata"]["searched"]), (&1.into(), &3.into()));
}

#[test]
fn what_cannot_be_answered_is_said() {
    expect![[r#"
        no commit found: no commit here is by an author with `unknown` in the name or e-mail
        --- exit code 1
    "#]]
    .assert_eq(&asked(&["--author", "unknown"]));
    expect![[r#"
        no commit found: HEAD..HEAD~1 has no commits; the other way round there are 1
        --- exit code 1
    "#]]
    .assert_eq(&asked(&["--ref", "HEAD..HEAD~1"]));
    expect![[r#"
        no commit found: no commit here changed a file at elsewhere
        --- exit code 1
    "#]]
    .assert_eq(&asked(&["--path", "elsewhere"]));
    expect![[r#"
        --- stderr
        error: `someday` is no date; give one such as 2026-11-17, 2026-11-17T12:30:00Z, 2026-11, `2 weeks ago` or yesterday
        help: see `codecompass help`
        --- exit code 2
    "#]].assert_eq(&asked(&["--since", "someday"]));
    expect![[r#"
        --- stderr
        error: `2026-02` is after `2026-01`
        help: exchange the two dates
        --- exit code 2
    "#]]
    .assert_eq(&asked(&["--since", "2026-02", "--until", "2026-01"]));
    expect![[r#"
        --- stderr
        error: the pattern is not valid at column 2: unclosed group
        help: correct it; --changes takes a text as it is
        --- exit code 2
    "#]]
    .assert_eq(&asked(&["--regex", "a("]));
    expect![[r#"
        --- stderr
        error: no branch, tag or commit `nowhere`: this repository does not have it
        help: `codecompass branches` lists what there is; a shallow or partial clone may lack old commits
        --- exit code 2
    "#]]
    .assert_eq(&asked(&["--ref", "nowhere"]));
    let plain = TestWorkspace::plain(FIXTURE);
    let answer = plain.run(PROGRAM, &["history", "flag"]);
    expect![[r#"
        --- stderr
        error: no branch, tag or commit `HEAD`: this directory is not in git
        help: `codecompass branches` lists what there is; a shallow or partial clone may lack old commits
        --- exit code 2
    "#]]
    .assert_eq(&answer.shown(&plain));
    let unborn = TestWorkspace::plain(FIXTURE);
    unborn.run_git(&["init", "--quiet"]);
    let answer = unborn.run(PROGRAM, &["history", "flag"]);
    expect![[r#"
        no commit found: the repository has no commits yet
        --- exit code 1
    "#]]
    .assert_eq(&answer.shown(&unborn));
}

#[test]
fn commits_that_no_ref_reaches_are_forgotten() {
    let workspace = shop();
    workspace.run(PROGRAM, &["history", "flag"]);
    workspace.run_git(&["reset", "--quiet", "--hard", "HEAD~1"]);
    let answer = workspace.run(PROGRAM, &["gc"]);
    assert!(answer.stdout.contains("forgot 1 commit that no ref reaches"), "{}", answer.stdout);
}
