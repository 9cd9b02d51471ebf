//! Questions about other refs, and what changed between them.

use codecompass_testkit::TestWorkspace;
use expect_test::{Expect, expect};
use serde_json::Value;

use crate::PROGRAM;

const BASE: &str = r#"
//- /src/a.py
class Store:
    """Keeps things."""

    def open(self, path):
        return path

    def close(self):
        self.done = True
        return self.done


def old_name(first, second):
    total = first + second
    total *= 2
    return total


def moved(value):
    doubled = value * 2
    tripled = value * 3
    return doubled + tripled


def dropped():
    return 1
//- /src/b.py
def stays():
    return 2
//- /src/renamed_file.py
def inside_one():
    return 1


def inside_two():
    return 2
"#;

/// A repository whose branch `feature` changes much; `main` is checked out.
fn workspace() -> TestWorkspace {
    let workspace = TestWorkspace::git(BASE);
    workspace.run_git(&["checkout", "--quiet", "-b", "feature"]);
    workspace.write(
        "src/a.py",
        "class Store:\n    \"\"\"Keeps things.\"\"\"\n\n    def open(self, path, mode):\n        return path\n\n    def close(self):\n        \
         self.done = True\n        return self.done\n\n\ndef new_name(first, second):\n    total = first + second\n    total *= 2\n    return total\n",
    );
    workspace.write(
        "src/b.py",
        "def stays():\n    return 2\n\n\ndef moved(value):\n    doubled = value * 2\n    tripled = value * 3\n    return doubled + tripled\n\n\n\
         class Added:\n    def first(self):\n        return 1\n\n    def second(self):\n        return 2\n",
    );
    workspace.run_git(&["mv", "src/renamed_file.py", "src/new_file.py"]);
    workspace.commit("feature");
    workspace.run_git(&["checkout", "--quiet", "main"]);
    workspace
}

#[track_caller]
fn check(workspace: &TestWorkspace, args: &[&str], expected: Expect) {
    let mut shown = workspace.run(PROGRAM, args).shown(workspace);
    for reference in ["main", "feature"].into_iter().filter(|name| workspace.try_git(&["rev-parse", "--verify", name]))
    {
        let commit = workspace.run_git(&["rev-parse", reference]).trim().to_string();
        shown = shown.replace(&commit, &format!("<{reference}>")).replace(&commit[..10], &format!("<{reference}>"));
    }
    expected.assert_eq(&shown);
}

#[track_caller]
fn json(workspace: &TestWorkspace, args: &[&str]) -> Value {
    serde_json::from_str(&workspace.run(PROGRAM, &[args, &["--json"]].concat()).stdout).unwrap()
}

#[test]
fn questions_about_another_branch() {
    let workspace = workspace();
    check(
        &workspace,
        &["locate", "new_name", "--ref", "feature"],
        expect![[r#"
        src/a.py:12-15  function  new_name
            def new_name(first, second)
    "#]],
    );
    check(
        &workspace,
        &["locate", "Added.second", "--ref=feature"],
        expect![[r#"
        src/b.py:15-16  method  Added.second
            def second(self)
    "#]],
    );
    check(
        &workspace,
        &["show", "Store.open", "--ref=feature"],
        expect![[r#"
        src/a.py:4-5  method  Store.open
             4 |     def open(self, path, mode):
             5 |         return path
    "#]],
    );
    check(
        &workspace,
        &["outline", "src/new_file.py", "--ref=feature"],
        expect![[r#"
            src/new_file.py python, 6 lines
                 1  def inside_one()
                 5  def inside_two()
        "#]],
    );
    // Nothing of the branch leaks into what is checked out, and the other way round.
    check(
        &workspace,
        &["locate", "Added"],
        expect![[r#"
        no symbol like `Added`; `codecompass search Added` finds code by what it does, `codecompass grep -F Added` by its text
        --- exit code 1
    "#]],
    );
    check(
        &workspace,
        &["locate", "dropped", "--ref=feature"],
        expect![[r#"
            no symbol like `dropped`; `codecompass search dropped` finds code by what it does, `codecompass grep -F dropped` by its text
            --- exit code 1
        "#]],
    );
    workspace.write("src/b.py", "def dirty():\n    return 1\n");
    check(
        &workspace,
        &["locate", "dirty", "--ref=main"],
        expect![[r#"
        src/b.py:1-2  function  dirty
            def dirty()
    "#]],
    );
    check(
        &workspace,
        &["locate", "dirty", "--ref=main~0"],
        expect![[r#"
            no symbol like `dirty`; `codecompass search dirty` finds code by what it does, `codecompass grep -F dirty` by its text
            --- exit code 1
        "#]],
    );
    check(
        &workspace,
        &["search", "dirty", "--ref=feature", "--detail=location"],
        expect![[r#"
            nothing found for "dirty"
            no definition has this name; say in words what the code does: `codecompass search "parse a date"`
            --- exit code 1
        "#]],
    );
}

#[test]
fn a_second_branch_parses_only_what_is_new() {
    let workspace = workspace();
    assert_eq!(json(&workspace, &["index"])["parsed"], 3);
    // Two files differ; the third has another name only.
    let report = json(&workspace, &["index", "--ref=feature"]);
    assert_eq!((&report["parsed"], &report["reused"]), (&2.into(), &1.into()));
    check(
        &workspace,
        &["locate", "inside_two", "--ref=feature"],
        expect![[r#"
        src/new_file.py:5-6  function  inside_two
            def inside_two()
    "#]],
    );
    let report = json(&workspace, &["index", "--ref=feature"]);
    assert_eq!((&report["parsed"], &report["published"]), (&0.into(), &false.into()));
    workspace.run_git(&["checkout", "--quiet", "feature"]);
    assert_eq!(json(&workspace, &["sync"])["parsed"], 0);
}

#[test]
fn what_a_branch_changed() {
    let workspace = workspace();
    check(
        &workspace,
        &["diff", "main", "feature"],
        expect![[r#"
        feature since main (<main>)
        3 files; symbols: 3 added, 1 modified, 1 deleted, 4 moved or renamed

        src/a.py  modified
             4 ~ method  Store.open
                 - def open(self, path)
                 + def open(self, path, mode)
            12 > function  new_name
                 was old_name in src/a.py:12
                 - def old_name(first, second)
                 + def new_name(first, second)
            24 - function  dropped

        src/b.py  modified
             5 > function  moved
                 was moved in src/a.py:18
            11 + class  Added with 2 members

        src/new_file.py  renamed was src/renamed_file.py
    "#]],
    );
    check(
        &workspace,
        &["diff", "main", "feature", "--scope=symbols", "--path=src/a.py", "--detail=context"],
        expect![[r#"
            feature since main (<main>)
            1 file; symbols: 0 added, 1 modified, 1 deleted, 2 moved or renamed

            src/a.py  modified
                 4 ~ method  Store.open
                     -    def open(self, path):
                     +    def open(self, path, mode):
                              return path
                12 > function  new_name
                     was old_name in src/a.py:12
                     -def old_name(first, second):
                     +def new_name(first, second):
                          total = first + second
                24 - function  dropped
        "#]],
    );
    check(
        &workspace,
        &["diff", "main", "feature", "--scope=files"],
        expect![[r#"
        feature since main (<main>)
        3 files; symbols: 3 added, 1 modified, 1 deleted, 4 moved or renamed

        src/a.py  modified

        src/b.py  modified

        src/new_file.py  renamed was src/renamed_file.py
    "#]],
    );
    check(
        &workspace,
        &["diff", "main", "feature", "--scope=symbols", "--path=src/b.py", "--detail=location"],
        expect![[r#"
            feature since main (<main>)
            1 file; symbols: 3 added, 0 modified, 0 deleted, 1 moved or renamed

            src/b.py  modified
                 5 > function  moved
                     was moved in src/a.py:18
                11 + class  Added with 2 members
        "#]],
    );
    let answer = json(&workspace, &["diff", "main", "feature"]);
    let names = |list: &str| -> Vec<String> {
        let list = answer["summary"][list].as_array().unwrap().iter();
        list.map(|symbol| symbol["qualified_name"].as_str().unwrap().to_string()).collect()
    };
    assert_eq!(names("added_symbols"), ["Added", "Added.first", "Added.second"]);
    assert_eq!(names("modified_symbols"), ["Store.open"]);
    assert_eq!(names("deleted_symbols"), ["dropped"]);
    assert_eq!(names("moved_symbols"), ["new_name", "moved", "inside_one", "inside_two"]);
    let modified = &answer["summary"]["modified_symbols"][0];
    assert_eq!(modified["before_signature"], "def open(self, path)");
    assert_eq!(modified["after_signature"], "def open(self, path, mode)");
    assert_eq!(answer["merge_base_commit"].as_str().unwrap(), workspace.run_git(&["rev-parse", "main"]).trim());
}

/// Its uncommitted edits are measured by the default branch.
#[test]
fn what_the_worktree_changed() {
    let workspace = workspace();
    workspace.run_git(&["checkout", "--quiet", "feature"]);
    workspace.write("src/c.py", "def untracked():\n    return 3\n");
    check(
        &workspace,
        &["diff", "--path=src/c.py"],
        expect![[r#"
            feature since main (<main>)
            1 file; symbols: 1 added, 0 modified, 0 deleted, 0 moved or renamed

            src/c.py  added
                 1 + function  untracked
        "#]],
    );
    check(
        &workspace,
        &["diff", "HEAD"],
        expect![[r#"
            feature since HEAD (<feature>)
            1 file; symbols: 1 added, 0 modified, 0 deleted, 0 moved or renamed

            src/c.py  added
                 1 + function  untracked
        "#]],
    );
}

#[test]
fn what_a_branch_changed_since_itself() {
    let workspace = workspace();
    check(
        &workspace,
        &["diff", "feature", "feature~0"],
        expect![[r#"
        feature~0 since feature (<feature>)
        0 files; symbols: 0 added, 0 modified, 0 deleted, 0 moved or renamed
        --- exit code 1
    "#]],
    );
}

#[test]
fn what_a_branch_changed_that_has_no_commit_in_common() {
    let workspace = workspace();
    workspace.run_git(&["checkout", "--quiet", "--orphan", "alone"]);
    workspace.commit("alone");
    check(
        &workspace,
        &["diff", "main", "alone~0"],
        expect![[r#"
        --- stderr
        error: `main` and what it is compared with have no common commit
        help: compare the two as they are with --exact; a shallow clone may lack the commit: `git fetch --unshallow`
        --- exit code 2
    "#]],
    );
}

#[test]
fn one_symbol_at_two_refs() {
    let workspace = workspace();
    check(
        &workspace,
        &["compare", "Store.open", "main", "feature"],
        expect![[r#"
        Store.open modified
        --- main  src/a.py:4
        +++ feature  src/a.py:4
        -    def open(self, path):
        +    def open(self, path, mode):
                 return path
    "#]],
    );
    check(
        &workspace,
        &["compare", "dropped", "main", "feature"],
        expect![[r#"
        dropped deleted
        --- main  src/a.py:24
        +++ feature  not there
        -def dropped():
        -    return 1
    "#]],
    );
    check(
        &workspace,
        &["compare", "stays", "feature"],
        expect![[r#"
        stays same
        --- feature  src/b.py:1
        +++ main  src/b.py:1
        --- exit code 1
    "#]],
    );
    check(
        &workspace,
        &["compare", "nowhere", "main", "feature"],
        expect![[r#"
        --- stderr
        error: no symbol `nowhere`
        help: check the spelling, or describe it in words with `codecompass search`
        --- exit code 2
    "#]],
    );
    // Asked by either name, it is what `diff` says.
    for name in ["old_name", "new_name"] {
        check(
            &workspace,
            &["compare", name, "main", "feature"],
            expect![[r#"
        old_name renamed to new_name
        --- main  src/a.py:12
        +++ feature  src/a.py:12
        -def old_name(first, second):
        +def new_name(first, second):
             total = first + second
             total *= 2
             return total
    "#]],
        );
        let answer = json(&workspace, &["compare", name, "main", "feature"]);
        assert_eq!(answer["change"], "renamed");
        assert_eq!((&answer["before"]["name"], &answer["after"]["name"]), (&"old_name".into(), &"new_name".into()));
    }
    let answer = json(&workspace, &["compare", "Store.open", "main", "feature"]);
    assert_eq!(answer["change"], "modified");
    assert_eq!(answer["before"]["signature"], "def open(self, path)");
}

#[test]
fn branches_and_whether_they_are_indexed() {
    let workspace = workspace();
    let other = workspace.beside("other");
    workspace.run_git(&["worktree", "add", "--quiet", "-b", "third", other.to_str().unwrap()]);
    let answer = json(&workspace, &["branches"]);
    let mut refs: Vec<(String, u64, u64, bool)> = answer["refs"]
        .as_array()
        .unwrap()
        .iter()
        .map(|entry| {
            let count = |key: &str| entry[key].as_u64().unwrap();
            (
                entry["name"].as_str().unwrap().into(),
                count("ahead"),
                count("behind"),
                entry["indexed"].as_bool().unwrap(),
            )
        })
        .collect();
    refs.sort();
    let expected = [("feature", 1, 0, false), ("main", 0, 0, false), ("third", 0, 0, false)];
    assert_eq!(refs, expected.map(|(name, ahead, behind, indexed)| (name.to_string(), ahead, behind, indexed)));
    workspace.run(PROGRAM, &["index", "--ref=feature"]).found();
    assert_eq!(
        json(&workspace, &["branches"])["refs"].as_array().unwrap().iter().filter(|e| e["indexed"] == true).count(),
        1
    );
}

#[test]
fn ref_that_was_switched_to() {
    let workspace = workspace();
    let other = workspace.beside("other");
    workspace.run_git(&["worktree", "add", "--quiet", "-b", "third", other.to_str().unwrap()]);
    check(
        &workspace,
        &["switch", "feature"],
        expect![[r#"
        questions in ROOT are answered for feature unless they name a ref
    "#]],
    );
    check(
        &workspace,
        &["locate", "Added"],
        expect![[r#"
        src/b.py:11-16  class  Added
            class Added
    "#]],
    );
    check(
        &workspace,
        &["locate", "dropped", "--ref=main"],
        expect![[r#"
        src/a.py:24-25  function  dropped
            def dropped()
    "#]],
    );
    // Another worktree has its own choice.
    assert_eq!(json(&workspace, &["switch", "-w", other.to_str().unwrap()])["default_ref"], Value::Null);
    workspace.run_git(&["branch", "-D", "feature"]);
    check(
        &workspace,
        &["locate", "Added"],
        expect![[r#"
        --- stderr
        error: no branch, tag or commit `feature`: this repository does not have it
        help: `codecompass switch` chose this ref; `codecompass switch --reset` returns to the files on disk
        --- exit code 2
    "#]],
    );
    check(
        &workspace,
        &["switch", "--reset"],
        expect![[r#"
        questions in ROOT are answered for the files on disk unless they name a ref
    "#]],
    );
    check(
        &workspace,
        &["switch", "nowhere"],
        expect![[r#"
        --- stderr
        error: no branch, tag or commit `nowhere`: this repository does not have it
        help: `codecompass branches` lists what there is; a shallow or partial clone may lack old commits
        --- exit code 2
    "#]],
    );
}

#[test]
fn answers_say_what_they_speak_for() {
    let workspace = workspace();
    workspace.write("src/b.py", "def changed():\n    return 1\n");
    workspace.write("src/untracked.py", "def new():\n    return 1\n");
    let metadata = |args: &[&str]| json(&workspace, &[args, &["--metadata=full"]].concat())["metadata"].clone();
    let here = metadata(&["locate", "Store"]);
    assert_eq!(here["root"].as_str().unwrap(), workspace.root().to_str().unwrap());
    assert_eq!(here["commit"].as_str().unwrap(), workspace.run_git(&["rev-parse", "main"]).trim());
    assert_eq!((&here["ref"], &here["dirty_files"], &here["generation"]), (&"main".into(), &2.into(), &1.into()));
    let there = metadata(&["locate", "Store", "--ref=feature"]);
    assert_eq!(there["commit"].as_str().unwrap(), workspace.run_git(&["rev-parse", "feature"]).trim());
    assert_eq!((&there["ref"], &there["dirty_files"]), (&"feature".into(), &0.into()));
    assert!(json(&workspace, &["locate", "Store"])["metadata"].get("root").is_none());
}
