//! Paths that restrict an answer: folders, globs, exclusions, and those that no file has.

use codecompass_testkit::TestWorkspace;
use expect_test::expect;
use serde_json::Value;

use crate::{PROGRAM, check, workspace};

const PACKAGES: &str = r#"
//- /packages/a/src/deep/one.py
def load(): pass

class Base: pass
//- /packages/b/src/two.py
from packages.a.src.deep.one import Base, load

def run():
    load()

class Two(Base): pass
//- /packages/b/tests/test_two.py
from packages.a.src.deep.one import load

def test_run():
    load()
//- /other/three.py
from packages.a.src.deep.one import Base, load

def other():
    load()

class Three(Base): pass
"#;

fn paths(workspace: &TestWorkspace, args: &[&str], list: &str) -> Vec<String> {
    let answer: Value = serde_json::from_str(&workspace.run(PROGRAM, args).ended_with(0).stdout).unwrap();
    let mut paths: Vec<String> =
        answer[list].as_array().unwrap().iter().map(|it| it["path"].as_str().unwrap().to_string()).collect();
    paths.dedup();
    paths
}

#[test]
fn a_glob_that_names_folders_means_what_is_below() {
    let workspace = TestWorkspace::plain(PACKAGES);
    let found = |glob: &str| paths(&workspace, &["refs", "load", "--path", glob, "--json"], "references");
    assert_eq!(found("packages/*/src"), ["packages/b/src/two.py"]);
    assert_eq!(found("packages/*"), ["packages/b/src/two.py", "packages/b/tests/test_two.py"]);
    assert_eq!(found("**/tests"), ["packages/b/tests/test_two.py"]);
}

#[test]
fn calls_impact_and_hierarchy_exclude_paths() {
    let workspace = TestWorkspace::plain(PACKAGES);
    let text = |args: &[&str]| workspace.run(PROGRAM, args).ended_with(0).stdout;
    for command in [&["calls", "load"][..], &["impact", "load"]] {
        let all = text(command);
        assert!(all.contains("other/three.py") && all.contains("packages/b/src/two.py"), "{all}");
        let some = text(&[command, &["--exclude", "other", "--exclude-regex", "test_"]].concat());
        let (left_out, listed): (Vec<&str>, Vec<&str>) =
            some.split("\n\n").partition(|block| block.contains("2 left out by --exclude"));
        let (left_out, listed) = (left_out.concat(), listed.concat());
        assert!(left_out.contains("other/three.py") && left_out.contains("test_two.py"), "{some}");
        assert!(!listed.contains("three.py") && !listed.contains("test_two.py") && listed.contains("two.py"), "{some}");
    }
    assert!(text(&["hierarchy", "Base"]).contains("Three"));
    let text = text(&["hierarchy", "Base", "--exclude", "other"]);
    assert!(text.contains("Two") && !text.contains("Three"), "{text}");
}

#[test]
fn paths_that_no_file_has_are_told() {
    let workspace = workspace();
    workspace.run(PROGRAM, &["index"]).found();
    for command in [
        &["search", "store"][..],
        &["grep", "store"],
        &["context", "store"],
        &["locate", "OrderStore"],
        &["symbols"],
        &["show", "OrderStore"],
        &["refs", "OrderStore"],
        &["calls", "load_orders"],
        &["impact", "load_orders"],
        &["hierarchy", "OrderStore"],
        &["related", "OrderStore"],
        &["similar", "OrderStore"],
        &["explain", "store"],
        &["status"],
    ] {
        let refused = workspace.run(PROGRAM, &[command, &["--path", "biling"]].concat()).ended_with(2);
        assert!(refused.stderr.contains("no indexed file matches the path biling"), "{command:?}: {}", refused.stderr);
        assert!(refused.stderr.contains("did you mean `billing`"), "{command:?}: {}", refused.stderr);
    }
    let refused = workspace.run(PROGRAM, &["refs", "OrderStore", "--path-regex", "nothing$", "--json"]).ended_with(2);
    assert!(refused.stderr.contains("file_not_found"), "{}", refused.stderr);
}

#[test]
fn a_query_that_is_no_path_of_a_file_offers_others() {
    let workspace = workspace();
    let text = workspace.run(PROGRAM, &["search", "src/billing/invoices.py"]).stdout;
    assert!(text.contains("no file has this path; did you mean `billing/invoice.py`?"), "{text}");
}

#[test]
fn a_file_found_by_its_path_tells_what_it_imports() {
    let workspace = TestWorkspace::plain(PACKAGES);
    let args = ["search", "b/src/two.py", "--detail", "context"];
    let text = workspace.run(PROGRAM, &args).ended_with(0).stdout;
    assert!(text.contains("near: run, Two") && text.contains("imports: packages.a.src.deep.one"), "{text}");
    let answer: Value =
        serde_json::from_str(&workspace.run(PROGRAM, &[&args[..], &["--json"]].concat()).stdout).unwrap();
    assert_eq!(answer["results"][0]["imports"], serde_json::json!(["packages.a.src.deep.one"]));
}

#[test]
fn a_definition_with_a_syntax_error_says_so() {
    let workspace = TestWorkspace::plain("//- /a.py\ndef fine():\n    return 1\n\ndef broken():\n    return (1 +\n");
    let shown = |name: &str| workspace.run(PROGRAM, &["show", name]).ended_with(0).stdout;
    assert!(shown("broken").contains("parsed only in part: syntax error on line"), "{}", shown("broken"));
    assert!(!shown("fine").contains("parsed only in part"), "{}", shown("fine"));
    let answer: Value = serde_json::from_str(&workspace.run(PROGRAM, &["show", "broken", "--json"]).stdout).unwrap();
    assert_eq!(answer["symbol"]["parse_status"], "partial");
}

#[test]
fn an_empty_folder_says_so() {
    let workspace = TestWorkspace::plain("");
    check(
        &workspace,
        &["ls"],
        expect![[r#"
            . has no files
        "#]],
    );
}

#[test]
fn counts_of_a_folder() {
    let workspace = TestWorkspace::plain(PACKAGES);
    workspace.run(PROGRAM, &["index"]).found();
    let text = workspace.run(PROGRAM, &["status", "--path", "packages"]).ended_with(0).stdout;
    assert!(text.contains("packages 3 files, 13 lines, 3 functions, 2 types, 2 calls"), "{text}");
    let answer: Value =
        serde_json::from_str(&workspace.run(PROGRAM, &["status", "--path", ".", "--json"]).stdout).unwrap();
    assert_eq!((&answer["coverage"]["files"], &answer["coverage"]["functions"]), (&4.into(), &4.into()));
    assert_eq!(answer["schema_version"]["current"], answer["schema_version"]["required"]);
}

#[test]
fn a_name_of_an_oversized_file_names_the_file() {
    let workspace = TestWorkspace::plain("//- /a.py\ndef small(): pass\n//- /big.py\ndef enormous_one(): pass\n");
    std::fs::write(workspace.home().join("config.toml"), "[index]\nmax_file_bytes = 20\n").unwrap();
    for command in ["refs", "show", "calls"] {
        let refused = workspace.run(PROGRAM, &[command, "enormous_one"]).ended_with(2);
        assert!(refused.stderr.contains("it occurs in big.py, too large to be indexed"), "{}", refused.stderr);
        assert!(refused.stderr.contains("codecompass grep -wF enormous_one"), "{}", refused.stderr);
        let refused = workspace.run(PROGRAM, &[command, "enormous_two"]).ended_with(2);
        assert!(!refused.stderr.contains("too large"), "{}", refused.stderr);
    }
}
