//! Workspaces that are none, and states of git.

#[cfg(unix)]
use std::ffi::OsStr;
use std::fs;
use std::path::Path;

use codecompass_testkit::{Answer, TestWorkspace};
use expect_test::expect;
use serde_json::Value;

use crate::bad_input::{
    CHORES, FIXTURE, PROGRAM, QUESTIONS, alike, answered, check_refused, refusal, refusal_of, shown, usage, workspace,
};

#[test]
fn workspace_that_does_not_exist() {
    let workspace = workspace();
    let questions = QUESTIONS.map(|command| refusal(&workspace, &[command, "x", "-w", "/nowhere/at/all"]));
    let chores = CHORES.map(|command| refusal(&workspace, &[command, "-w", "/nowhere/at/all"]));
    expect![[r#"
        project_not_found: cannot open the directory /nowhere/at/all: SYSTEM ERROR
        help: give an existing, readable directory with --workspace, or change into one
    "#]]
    .assert_eq(&alike(questions.into_iter().chain(chores)));
}

#[test]
fn workspace_that_is_a_file() {
    let workspace = workspace();
    expect![[r#"
        project_not_found: ROOT/src/lib.rs is not a directory
        help: give an existing, readable directory with --workspace, or change into one
    "#]]
    .assert_eq(&alike(QUESTIONS.map(|command| refusal(&workspace, &[command, "x", "-w", "src/lib.rs"]))));
}

#[test]
fn workspace_without_a_name() {
    let workspace = workspace();
    expect![[r#"
        invalid_input: a value is required for '--workspace <DIR>' but none was supplied
        help: see `codecompass help`
    "#]]
    .assert_eq(&alike(CHORES.map(|command| usage(&workspace, &[command, "-w", ""]))));
}

/// The current directory is removed under the feet of the program.
#[test]
fn workspace_that_is_gone() {
    let workspace = workspace();
    let gone = workspace.beside("gone");
    fs::create_dir(&gone).unwrap();
    let script = "rmdir \"$PWD\" && exec \"$0\" --json search x";
    let mut command = workspace.command("sh", &["-c", script, PROGRAM]);
    expect![[r#"
        project_not_found: cannot tell the current directory: SYSTEM ERROR
        help: change into a directory that exists, or give one with --workspace
    "#]]
    .assert_eq(&refusal_of(&workspace, Answer::of(command.current_dir(&gone))));
}

/// A root that has no name in UTF-8 is a root like any other.
#[cfg(unix)]
#[test]
fn root_whose_name_is_not_text() {
    use std::os::unix::ffi::OsStrExt;
    let odd = OsStr::from_bytes(b"caf\xe9");
    let workspace = workspace();
    let root = workspace.beside("").join(odd);
    fs::create_dir(&root).unwrap();
    fs::write(root.join("a.py"), "def inside():\n    pass\n").unwrap();
    fs::write(root.join(OsStr::from_bytes(b"b\xff.py")), "def never():\n    pass\n").unwrap();
    for args in [
        &["search", "inside"][..],
        &["search", "inside", "--json"],
        &["locate", "inside", "--json"],
        &["outline", "a.py", "--json"],
        &["show", "inside"],
        &["index", "--json"],
        &["index", "--show-ignored", "--json"],
        &["sync", "--json"],
        &["status"],
        &["status", "--json"],
        &["doctor", "--full", "--json"],
        &["gc", "--json"],
    ] {
        Answer::of(workspace.command(PROGRAM, args).current_dir(&root)).ended_with(0);
    }
    let mut status = workspace.command(PROGRAM, &["status", "--json"]);
    Answer::of(status.current_dir(&root).env("CODECOMPASS_HOME", workspace.home().join(odd))).ended_with(1);
}

#[test]
fn empty_directory() {
    let workspace = TestWorkspace::plain("");
    for args in [&["search", "x"][..], &["locate", "x"], &["search", "x", "--json"]] {
        assert_eq!(answered(&workspace, args).code, Some(1));
    }
    for args in [&["index"][..], &["sync"], &["status"], &["doctor", "--full"], &["index", "--force"], &["gc", "--now"]]
    {
        assert_eq!(answered(&workspace, args).code, Some(0), "{args:?}");
    }
    check_refused(
        &workspace,
        &["outline", "x"],
        expect![[r#"
        file_not_found: no indexed file x
        help: give a path below the workspace root; `codecompass index --show-ignored` lists what is skipped, and why
    "#]],
    );
    check_refused(
        &workspace,
        &["show", "x"],
        expect![[r#"
        symbol_not_found: no symbol `x`
        help: check the spelling, or describe it in words with `codecompass search`
    "#]],
    );
}

/// Returns the number of definitions found, and the ref that the answer is for.
#[track_caller]
fn found_in_ref(workspace: &TestWorkspace) -> (usize, String) {
    let answer: Value = serde_json::from_str(&answered(workspace, &["locate", "greet", "--json"]).stdout).unwrap();
    (answer["results"].as_array().unwrap().len(), answer["metadata"]["ref"].as_str().unwrap().to_string())
}

#[test]
fn repository_without_commits() {
    let workspace = TestWorkspace::plain(FIXTURE);
    workspace.run_git(&["init", "--quiet", "--initial-branch=trunk"]);
    assert_eq!(found_in_ref(&workspace), (1, "trunk".into()));
    assert_eq!(answered(&workspace, &["search", "greet", "--ref", "trunk"]).code, Some(0));
}

#[test]
fn commit_that_is_checked_out_without_a_branch() {
    let workspace = workspace();
    workspace.run_git(&["checkout", "--quiet", "--detach"]);
    let commit = workspace.run_git(&["rev-parse", "HEAD"]).trim().to_string();
    assert_eq!(found_in_ref(&workspace), (1, commit));
    assert_eq!(answered(&workspace, &["search", "greet", "--ref", "main"]).code, Some(0));
    assert_eq!(answered(&workspace, &["status", "--json"]).code, Some(0));
}

#[test]
fn branch_that_is_checked_out_and_deleted() {
    let workspace = workspace();
    workspace.run_git(&["update-ref", "-d", "refs/heads/main"]);
    assert_eq!(found_in_ref(&workspace), (1, "main".into()));
}

#[test]
fn broken_git_directory() {
    let workspace = workspace();
    workspace.write(".git/HEAD", "nonsense\n");
    check_refused(
        &workspace,
        &["search", "greet"],
        expect![[r#"
        project_not_found: cannot read HEAD of the git directory ROOT/.git: The reference at "HEAD" could not be decoded: Reference content could not be parsed, input="nonsense\n"
        help: give an existing, readable directory with --workspace, or change into one
    "#]],
    );
    workspace.write(".git/HEAD", "ref: refs/heads/main\n");
    workspace.write(".git/index", "nonsense");
    check_refused(
        &workspace,
        &["search", "greet"],
        expect![[r#"
        project_not_found: cannot read the git index ROOT/.git/index: File is too small even for header with zero entries and smallest hash
        help: give an existing, readable directory with --workspace, or change into one
    "#]],
    );
    fs::remove_dir_all(workspace.root().join(".git")).unwrap();
    workspace.write(".git", "gitdir: /nowhere/at/all\n");
    check_refused(
        &workspace,
        &["search", "greet"],
        expect![[r#"
        project_not_found: cannot open the git repository at ROOT/.git: "ROOT/.git" does not appear to be a git repository: Missing HEAD at ".git/HEAD"
        help: give an existing, readable directory with --workspace, or change into one
    "#]],
    );
    workspace.remove(".git");
    assert_eq!(found_in_ref(&workspace), (1, "live".into()));
}

#[test]
fn bare_repository() {
    let workspace = workspace();
    let bare = workspace.beside("bare.git");
    workspace.run_git(&["clone", "--quiet", "--bare", ".", bare.to_str().unwrap()]);
    let located = |place: &Path| shown(&workspace, &["locate", "greet", "-w", place.to_str().unwrap()]);
    expect![[r#"
        src/lib.rs:2-4  function  greet
            pub fn greet(name: &str) -> String
            Greets somebody.
    "#]]
    .assert_eq(&alike([located(&bare), located(&bare.join("refs"))]));
}

#[test]
fn git_directory_of_a_checkout() {
    let workspace = workspace();
    let refused = |place| refusal(&workspace, &["search", "greet", "-w", place]);
    expect![[r#"
        project_not_found: ROOT/.git lies inside a git directory; open the checkout beside it instead
        help: give an existing, readable directory with --workspace, or change into one
    "#]]
    .assert_eq(&alike([".git", ".git/objects"].map(refused)));
}

#[test]
fn bare_repository_without_commits() {
    let workspace = workspace();
    let empty = workspace.beside("empty.git");
    workspace.run_git(&["init", "--quiet", "--bare", empty.to_str().unwrap()]);
    check_refused(
        &workspace,
        &["search", "x", "-w", empty.to_str().unwrap()],
        expect![[r#"
        ref_not_indexed: no branch, tag or commit `HEAD`: this repository does not have it
        help: `codecompass branches` lists what there is; a shallow or partial clone may lack old commits
    "#]],
    );
}
