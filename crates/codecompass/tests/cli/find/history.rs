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
        error: ROOT is not in git, so it has no branches and no commits
        help: ask in a git repository, or name one with --workspace; `git init` makes one here
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

#[test]
fn commits_that_changed_a_definition_are_searched() {
    expect![[r#"
        1 commit found in 3 commits of main

        ID 2026-01-01 Test  Switch the flag off
          M shop/cart.py
    "#]]
    .assert_eq(&asked(&["switch the flag", "--symbol", "FLAG"]));
    expect![[r#"
        no commit found in 3 commits of main
        --- exit code 1
    "#]]
    .assert_eq(&asked(&["basket", "--symbol", "FLAG"]));
    expect![[r#"
        no commit found in 1 commit of HEAD~1..HEAD
        --- exit code 1
    "#]]
    .assert_eq(&asked(&["--symbol", "FLAG", "--changes", "FLAG = True", "--ref", "HEAD~1..HEAD"]));
}

#[test]
fn the_commits_of_lines() {
    let workspace = shop();
    let text = "FLAG = False\n\n\ndef total(items):\n    # The sum.\n    return sum(items)\n";
    workspace.write("shop/basket.py", text);
    workspace.commit("Comment on the sum");
    workspace.write("shop/basket.py", &text.replace("sum(items)", "sum(items) + 0"));
    let shown = |args: &[&str]| without_ids(&workspace.run(PROGRAM, args).shown(&workspace));
    expect![[r#"
        total  shop/basket.py:4
        3 lines from 2 commits; last changed 2026-01-01
        authors: Test 67%
        ID 2026-01-01 Test  first  then in shop/cart.py
             4  def total(items):
        ID 2026-01-01 Test  Comment on the sum
             5      # The sum.
        not committed yet
             6      return sum(items) + 0
    "#]]
    .assert_eq(&shown(&["blame", "total"]));
    expect![[r#"
        total  shop/basket.py:4
        2 lines from 1 commit; last changed 2026-01-01
        authors: Test 100%
        ID 2026-01-01 Test  first  then in shop/cart.py
             4  def total(items):
             5      return sum(items)
    "#]]
    .assert_eq(&shown(&["blame", "total", "--ref", "HEAD~1"]));
    expect![[r#"
        --- stderr
        error: no symbol `missing`
        help: check the spelling, or describe it in words with `codecompass search`
        --- exit code 2
    "#]]
    .assert_eq(&shown(&["blame", "missing"]));
    let json: serde_json::Value =
        serde_json::from_str(&workspace.run(PROGRAM, &["blame", "total", "--json"]).stdout).unwrap();
    let runs = json["blame"].as_array().unwrap();
    assert_eq!((runs.len(), &runs[0]["start"], &runs[0]["end"]), (3, &4.into(), &4.into()));
    assert_eq!((&runs[0]["path"], &runs[0]["subject"]), (&"shop/cart.py".into(), &"first".into()));
    assert_eq!((&runs[2]["lines"][0], runs[2].get("id")), (&"    return sum(items) + 0".into(), None));
    assert_eq!(json["authors"][0]["lines"], 2);
    assert_eq!(json["authors"][0]["share"], 0.667);
}

#[test]
fn a_line_outside_of_definitions() {
    let workspace = shop();
    workspace.write("shop/notes.py", "# A remark.\n\n\ndef note():\n    pass\n");
    workspace.commit("Add notes");
    let shown = |args: &[&str]| without_ids(&workspace.run(PROGRAM, args).shown(&workspace));
    expect![[r#"
        shop/notes.py  shop/notes.py:1
        1 line from 1 commit; last changed 2026-01-01
        authors: Test 100%
        ID 2026-01-01 Test  Add notes
             1  # A remark.
    "#]]
    .assert_eq(&shown(&["blame", "shop/notes.py:1"]));
    expect![[r#"
        --- stderr
        error: no definition stands at `shop/notes.py:1`
        help: the history of `shop/notes.py` has its commits, `blame` the commit of a line
        --- exit code 2
    "#]]
    .assert_eq(&shown(&["history", "--symbol", "shop/notes.py:1"]));
}

#[test]
fn commits_are_counted() {
    let workspace = shop();
    workspace.write("shop/basket.py", "FLAG = True\n\n\ndef total(items):\n    return sum(items)\n");
    workspace.run_git(&["add", "--all"]);
    let author = ["--author=Ann <ann@example.com>", "--date=2026-03-02T10:00:00Z"];
    workspace.run_git(&[&["commit", "--quiet", "--message", "Switch it on again"], author.as_slice()].concat());
    let shown = |args: &[&str]| workspace.run(PROGRAM, &[&["history"], args].concat()).shown(&workspace);
    expect![[r#"
        3 commits found in 4 commits of main

        2026-03     1 ###############  +1 -1
        2026-01     2 ##############################  +2 -1
    "#]]
    .assert_eq(&shown(&["--count", "FLAG = "]));
    expect![[r#"
        4 commits found in 4 commits of main

        Test     3 ##############################
        Ann      1 ##########
    "#]]
    .assert_eq(&shown(&["--by", "author"]));
    expect![[r#"
        4 commits found in 4 commits of main

        2026-W10     1 ##########
        2026-W01     3 ##############################
    "#]]
    .assert_eq(&shown(&["--by", "week", "--path", "shop"]));
    expect![[r#"
        --- stderr
        error: the argument '--count <REGEX>' cannot be used with '--changes <TEXT>'

        Usage: codecompass history --count <REGEX> [QUESTION]

        For more information, try '--help'.
        --- exit code 2
    "#]]
    .assert_eq(&shown(&["--count", "x", "--changes", "y"]));
    let answer = workspace.run(PROGRAM, &["history", "--count", "FLAG = True", "--by", "year", "--json"]);
    let json: serde_json::Value = serde_json::from_str(&answer.stdout).unwrap();
    let groups = serde_json::json!([{"group": "2026", "commits": 3, "added": 2, "removed": 1}]);
    assert_eq!((&json["groups"], &json["commits"]), (&groups, &serde_json::json!([])));
}

#[test]
fn files_that_changed_most() {
    let workspace = shop();
    workspace.write("docs/guide.md", "# Guide\n");
    workspace.commit("Write a guide");
    let shown = |args: &[&str]| workspace.run(PROGRAM, &[&["history", "--hot"], args].concat()).shown(&workspace);
    expect![[r#"
        2 files changed by 4 commits since 2025-01-01; new changes count more
        authors: Test 100%

        files (heat, commits, last change, authors)
             3.00    3  2026-01-01  shop/basket.py  Test 100%
             1.00    1  2026-01-01  docs/guide.md  Test 100%

        folders
             3.00    3  shop/  Test 100%
             1.00    1  docs/  Test 100%
    "#]]
    .assert_eq(&shown(&[]));
    expect![[r#"
        1 file changed by 1 commit since 2025-01-01; new changes count more
        authors: Test 100%

        files (heat, commits, last change, authors)
             1.00    1  2026-01-01  docs/guide.md  Test 100%
    "#]]
    .assert_eq(&shown(&["--path", "docs"]));
    expect![[r#"
        no file changed since 2027-01-01
        --- exit code 1
    "#]]
    .assert_eq(&shown(&["--since", "2027-01-01"]));
    expect![[r#"
        --- stderr
        error: --hot is given with a restriction of commits
        help: give only --path, --lang, --since, --ref, --limit and --offset with --hot
        --- exit code 2
    "#]]
    .assert_eq(&shown(&["--grep", "x"]));
    let json: serde_json::Value =
        serde_json::from_str(&workspace.run(PROGRAM, &["history", "--hot", "--json"]).stdout).unwrap();
    assert_eq!((&json["files"][0]["path"], &json["files"][0]["commits"]), (&"shop/basket.py".into(), &3.into()));
    assert_eq!(json["folders"][0]["authors"][0]["share"], 1.0);
}
