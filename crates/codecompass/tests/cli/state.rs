//! `state export`, `import` and `inspect`, and what they refuse.

use std::fs;

use codecompass_testkit::{Answer, TestWorkspace};
use expect_test::{Expect, expect};
use serde_json::Value;

use crate::{PROGRAM, hide_sizes, shown, workspace};

/// The error that a command ends with: its code, message and remedy.
#[track_caller]
fn refused(workspace: &TestWorkspace, args: &[&str]) -> [String; 3] {
    let answer = workspace.run(PROGRAM, &[args, &["--json"]].concat()).ended_with(2);
    assert_eq!(answer.stdout, "");
    let error: Value = serde_json::from_str(&answer.stderr).unwrap();
    let error = &error["error"];
    [&error["code"], &error["message"], &error["data"]["remediation"]].map(|text| text.as_str().unwrap().to_string())
}

/// Compares what a command says with what is expected, but for sizes, checksums, commit and facts
/// version.
#[track_caller]
fn check(workspace: &TestWorkspace, args: &[&str], expected: Expect) {
    let mut answer = workspace.run(PROGRAM, args);
    if args.contains(&"--json") {
        let mut value: Value = serde_json::from_str(&answer.stdout).unwrap();
        hide_sizes(&mut value);
        answer.stdout = format!("{value:#}\n");
    } else if let Some((head, tail)) = answer.stdout.split_once("facts version ") {
        answer.stdout = format!("{head}facts version F{}", tail.trim_start_matches(|c: char| c.is_ascii_digit()));
    }
    let commit = workspace.run_git(&["rev-parse", "HEAD"]);
    expected.assert_eq(&shown(&answer, workspace).replace(commit.trim(), "COMMIT"));
}

#[test]
fn there_and_back() {
    let workspace = workspace();
    let archive = workspace.beside("workspace").join("../state.zst");
    let archive = archive.to_str().unwrap();
    check(
        &workspace,
        &["state", "export", archive],
        expect![[r#"
        --- stderr
        error: ROOT is not indexed yet
        help: run `codecompass index` first
        --- exit code 2
    "#]],
    );
    assert!(!workspace.home().join("stores").exists());
    workspace.run(PROGRAM, &["index"]).found();
    check(
        &workspace,
        &["state", "export", archive],
        expect![[r#"
        exported 1 view (1 of checkouts, 0 of commits) to ROOT/../state.zst (SIZE, SIZE unpacked)
    "#]],
    );
    check(
        &workspace,
        &["state", "inspect", archive],
        expect![[r#"
            ROOT/../state.zst (SIZE, SIZE unpacked, all checksums match)
            git workspace, exported from ROOT
            archive version 1, format 6, facts version F, written by codecompass VERSION; this program can import it
                  10 files  worktree ROOT  generation 1, main COMMIT
        "#]],
    );
    check(
        &workspace,
        &["state", "inspect", archive, "--json"],
        expect![[r#"
            {
              "archive_bytes": null,
              "archive_version": 1,
              "compatible": true,
              "facts_version": null,
              "file": "ROOT/../state.zst",
              "files": null,
              "format": 6,
              "program": "VERSION",
              "repository": {
                "kind": "git",
                "name": "workspace",
                "path": "ROOT/.git"
              },
              "root": "ROOT",
              "total_bytes": null,
              "views": [
                {
                  "files": 10,
                  "generation": 1,
                  "head_commit": "COMMIT",
                  "head_ref": "main",
                  "kind": "worktree",
                  "name": "ROOT"
                }
              ]
            }
        "#]],
    );
    let exported = workspace.run(PROGRAM, &["state", "export", archive, "--json"]).found();
    assert_eq!(exported, workspace.run(PROGRAM, &["state", "inspect", archive, "--json"]).found());
    check(
        &workspace,
        &["state", "import", archive],
        expect![[r#"
        --- stderr
        error: there is an index already, at HOME/stores/workspace-HASH
        help: give --force to replace it; it answers until the import is complete
        --- exit code 2
    "#]],
    );
    check(
        &workspace,
        &["state", "import", "--force", archive],
        expect![[r#"
        replaced the index by 1 view, SIZE
    "#]],
    );
    check(
        &workspace,
        &["state", "import", "--force", archive, "--json"],
        expect![[r#"
            {
              "archive_bytes": null,
              "archive_version": 1,
              "compatible": true,
              "facts_version": null,
              "file": "ROOT/../state.zst",
              "files": null,
              "format": 6,
              "imported": {
                "dropped_roots": [],
                "kept_views": 1,
                "replaced": true,
                "root": "ROOT",
                "store": "HOME/stores/workspace-HASH",
                "taken_from": "ROOT"
              },
              "program": "VERSION",
              "repository": {
                "kind": "git",
                "name": "workspace",
                "path": "ROOT/.git"
              },
              "root": "ROOT",
              "total_bytes": null,
              "views": [
                {
                  "files": 10,
                  "generation": 1,
                  "head_commit": "COMMIT",
                  "head_ref": "main",
                  "kind": "worktree",
                  "name": "ROOT"
                }
              ]
            }
        "#]],
    );
    let synced: Value = serde_json::from_str(&workspace.run(PROGRAM, &["sync", "--json"]).found()).unwrap();
    assert_eq!((&synced["parsed"], &synced["published"]), (&0.into(), &false.into()), "{synced}");
    workspace.run(PROGRAM, &["doctor", "--full"]).found();
}

#[test]
fn into_another_clone() {
    let workspace = workspace();
    let question = ["search", "how are orders loaded", "--json", "--explain=full"];
    let expected = workspace.run(PROGRAM, &question).found();
    let archive = workspace.beside("state.zst");
    let archive = archive.to_str().unwrap();
    workspace.run(PROGRAM, &["state", "export", archive]).found();
    let clone = workspace.beside("elsewhere/clone");
    workspace.run_git(&["clone", "--quiet", ".", clone.to_str().unwrap()]);
    let run = |args: &[&str]| Answer::of(workspace.command(PROGRAM, args).current_dir(&clone)).found();
    let imported = run(&["state", "import", archive]);
    let imported = workspace.normalised(&imported).replace(clone.to_str().unwrap(), "CLONE");
    expect![[r#"
        imported 1 view, SIZE
        the view of ROOT now is the one of CLONE
    "#]]
    .assert_eq(&imported);
    let synced: Value = serde_json::from_str(&run(&["sync", "--json"])).unwrap();
    assert_eq!((&synced["parsed"], &synced["removed"]), (&0.into(), &1.into()), "{synced}");
    assert_eq!(run(&question), expected);
}

#[test]
fn damaged_archives() {
    let workspace = workspace();
    workspace.run(PROGRAM, &["index"]).found();
    let archive = workspace.beside("state.zst");
    let file = archive.to_str().unwrap();
    workspace.run(PROGRAM, &["state", "export", file]).found();
    let sound = fs::read(&archive).unwrap();
    let damaged = |bytes: &[u8]| {
        fs::write(&archive, bytes).unwrap();
        let [code, message, remedy] = refused(&workspace, &["state", "import", "--force", file]);
        assert!(message.starts_with(file) && remedy.ends_with("nothing was changed here"), "{message}; {remedy}");
        let [inspected, ..] = refused(&workspace, &["state", "inspect", file]);
        assert_eq!(inspected, code);
        format!("{code}:{}", &message[file.len()..])
    };
    assert_eq!(damaged(b"x"), "invalid_input: cannot be imported: it is not an archive of a store");
    assert_eq!(damaged(&[0; 100]), "invalid_input: cannot be imported: it is not an archive of a store");
    assert_eq!(damaged(&sound[..sound.len() - 1]), "invalid_input: cannot be imported: it is cut short");
    assert_eq!(
        damaged(&[&sound[..], b"x"].concat()),
        "invalid_input: cannot be imported: something follows its last file"
    );
    let mut newer = sound.clone();
    newer[18] = 2;
    assert_eq!(damaged(&newer), "index_incompatible: has archive version 2, this program imports 1");
    workspace.run(PROGRAM, &["doctor", "--full"]).found();
}

#[test]
fn archives_that_are_none() {
    let workspace = workspace();
    workspace.run(PROGRAM, &["index"]).found();
    check(
        &workspace,
        &["state", "inspect", "no such file"],
        expect![[r#"
        --- stderr
        error: cannot read no such file: SYSTEM ERROR
        help: check the path, its permissions and the space on its disk
        --- exit code 2
    "#]],
    );
    check(
        &workspace,
        &["state", "import", "."],
        expect![[r#"
        --- stderr
        error: . cannot be imported: it is not a file
        help: fetch or export the archive again; nothing was changed here
        --- exit code 2
    "#]],
    );
}

#[test]
fn sound_archives_that_do_not_fit() {
    let workspace = workspace();
    workspace.run(PROGRAM, &["index"]).found();
    let archive = workspace.beside("state.zst");
    let file = archive.to_str().unwrap();
    workspace.run(PROGRAM, &["state", "export", file]).found();
    check(
        &workspace,
        &["state", "import", file],
        expect![[r#"
        --- stderr
        error: there is an index already, at HOME/stores/workspace-HASH
        help: give --force to replace it; it answers until the import is complete
        --- exit code 2
    "#]],
    );
    let plain = workspace.beside("plain");
    fs::create_dir(&plain).unwrap();
    let [code, message, remedy] = refused(&workspace, &["-w", plain.to_str().unwrap(), "state", "import", file]);
    let said = format!("{code}: {message}\nhelp: {remedy}\n").replace(plain.to_str().unwrap(), "PLAIN");
    expect![[r#"
        workspace_not_registered: ARCHIVE was exported from the repository ROOT/.git and cannot serve the plain directory PLAIN
        help: import it where it belongs; `codecompass index` indexes this workspace
    "#]].assert_eq(&workspace.normalised(&said.replace(file, "ARCHIVE")));
    workspace.run(PROGRAM, &["doctor", "--full"]).found();
}

#[test]
fn a_store_of_another_checkout_never_answers() {
    let workspace = workspace();
    workspace.run(PROGRAM, &["index"]).found();
    let identity = workspace.store().root().join("identity");
    fs::write(&identity, "/home/somebody/else/.git").unwrap();
    let commands = [&["search", "orders"][..], &["status"], &["index", "--force"], &["gc"], &["doctor"]];
    let mut said = commands.map(|args| refused(&workspace, args).join("\n")).to_vec();
    said.dedup();
    expect![[r#"
        workspace_not_registered
        the index at HOME/stores/workspace-HASH was made for /home/somebody/else/.git, not for ROOT/.git
        remove that directory, or move it back to where it came from; the next question makes a new index"#]]
    .assert_eq(&workspace.normalised(&said.join("\n")));
    fs::remove_dir_all(workspace.store().root()).unwrap();
    workspace.run(PROGRAM, &["search", "orders"]).found();
}
