//! Clones of one repository share one store, and each answers as if it had its own.

use std::fs;
use std::path::{Path, PathBuf};

use codecompass_engine::history::{HistoryOptions, TextQuery, build_history, collect_history, search_history};
use codecompass_engine::{Engine, NoProgress, Removal, known_stores, remove_stores};
use codecompass_testkit::{Git, Random, TestWorkspace};

use crate::state::{describe, engine, up_to_date};

fn fixture(count: usize) -> String {
    (0..count).map(|n| format!("//- /src/file{n}.py\n{}", body(n, n))).collect()
}

fn body(name: usize, number: usize) -> String {
    format!("def function_{name}():\n    \"\"\"Answers.\"\"\"\n    return {number}\n")
}

fn clone(workspace: &TestWorkspace, name: &str, flags: &[&str]) -> PathBuf {
    let root = workspace.beside(name);
    workspace.run_git(&[&["clone", "--quiet"], flags, &[".", root.to_str().unwrap()]].concat());
    root
}

fn join(engine: &Engine, home: &Path) -> Option<PathBuf> {
    engine.join_family(home, &NoProgress).unwrap()
}

/// An indexed repository with three files.
fn repository() -> TestWorkspace {
    let workspace = TestWorkspace::git(&fixture(3));
    up_to_date(&engine(&workspace.root(), &workspace.home()));
    workspace
}

#[test]
fn a_second_clone_parses_what_differs() {
    let workspace = repository();
    let home = workspace.home();
    let root = clone(&workspace, "clone", &[]);
    fs::write(root.join("src/file1.py"), body(1, 77)).unwrap();
    let second = engine(&root, &home);
    assert_eq!(join(&second, &home), Some(workspace.root().join(".git")));
    let (snapshot, report) = up_to_date(&second);
    assert_eq!((report.parsed, report.reused), (1, 2));
    let first = engine(&workspace.root(), &home);
    assert_eq!(first.store_root(), second.store_root());
    assert_eq!(engine(&root, &home).store_root(), first.store_root());
    assert_eq!(first.store_problems().unwrap(), [] as [&str; 0]);
    assert_eq!(up_to_date(&first).1.parsed, 0);
    // Each answers as it would with a store of its own.
    let alone = |root: &Path, name| describe(&up_to_date(&engine(root, &workspace.beside(name))).0);
    assert_eq!(describe(&snapshot), alone(&root, "second_home"));
    assert_eq!(describe(&up_to_date(&first).0), alone(&workspace.root(), "first_home"));
    assert_ne!(describe(&snapshot), describe(&up_to_date(&first).0));
    let known = known_stores(&home);
    assert_eq!(known.len(), 1);
    assert_eq!((known[0].workspaces.len(), &known[0].shared_by), (2, &vec![root.join(".git")]));
    // An index that is there stays.
    assert_eq!(join(&second, &home), None);
    // A commit that one has is known to the other.
    up_to_date(&engine(&workspace.root(), &home).at_ref("HEAD~0").unwrap());
    assert!(engine(&root, &home).at_ref("HEAD~0").unwrap().snapshot().unwrap().is_some());
}

#[test]
fn clones_answer_as_if_they_were_alone() {
    let workspace = repository();
    let home = workspace.home();
    let roots = [workspace.root(), clone(&workspace, "fork", &[]), clone(&workspace, "mirror", &[])];
    for root in &roots[1..] {
        assert!(join(&engine(root, &home), &home).is_some());
    }
    let mut random = Random::new(25);
    for step in 0..30 {
        let at = random.below(roots.len() as u64) as usize;
        let (root, git) = (&roots[at], Git::at(&roots[at]));
        let file = random.below(5) as usize;
        match random.below(5) {
            0 => {
                git.ask(&["commit", "-qam", "step"]);
            }
            1 => {
                git.ask(&["stash", "-q"]);
                git.ask(&["pull", "-q", "--no-rebase", "-X", "ours", roots[(at + 1) % 3].to_str().unwrap(), "HEAD"]);
            }
            2 => {
                let _ = fs::remove_file(root.join(format!("src/file{file}.py")));
            }
            _ => {
                fs::write(root.join(format!("src/file{file}.py")), body(file, random.below(4) as usize)).unwrap();
                git.ask(&["add", "."]);
            }
        }
        let asked = &roots[random.below(3) as usize];
        let shared = describe(&up_to_date(&engine(asked, &home)).0);
        let alone = describe(&up_to_date(&engine(asked, &workspace.beside(&format!("home{step}")))).0);
        assert_eq!(shared, alone, "step {step}");
    }
    assert_eq!(known_stores(&home).len(), 1);
    assert_eq!(engine(&roots[0], &home).store_problems().unwrap(), [] as [&str; 0]);
}

#[test]
fn only_whole_clones_of_the_same_repository_share() {
    let workspace = repository();
    let home = workspace.home();
    let other = TestWorkspace::git("//- /a.py\nx = 1\n");
    assert_eq!(join(&engine(&other.root(), &home), &home), None);
    let plain = TestWorkspace::plain("//- /a.py\nx = 1\n");
    assert_eq!(join(&engine(&plain.root(), &home), &home), None);
    // The first commit of a shallow clone is not known, and a partial one may lack contents.
    let url = format!("file://{}", workspace.root().display());
    for (name, flag) in [("shallow", "--depth=1"), ("partial", "--filter=blob:none")] {
        let root = workspace.beside(name);
        workspace.run_git(&["config", "uploadpack.allowFilter", "true"]);
        workspace.run_git(&["clone", "--quiet", flag, &url, root.to_str().unwrap()]);
        assert_eq!(join(&engine(&root, &home), &home), None, "{name}");
    }
    // A mirror without files does.
    let mirror = engine(&clone(&workspace, "mirror.git", &["--mirror"]), &home);
    assert!(join(&mirror, &home).is_some());
    assert_eq!(up_to_date(&mirror).1.parsed, 0);
    // A damaged index is not shared.
    let root = clone(&workspace, "clone", &[]);
    let current = mirror.store_root().join("current");
    let data = mirror.store_root().join(fs::read_to_string(current).unwrap().trim());
    drop(mirror);
    fs::write(data.join("index.db"), b"nonsense").unwrap();
    let second = engine(&root, &home);
    assert_eq!(join(&second, &home), None);
    assert!(second.has_no_index());
    assert_eq!(up_to_date(&second).1.parsed, 3);
}

#[test]
fn a_mirror_shares_its_store_with_a_checkout() {
    let workspace = TestWorkspace::git(&fixture(3));
    let home = workspace.home();
    up_to_date(&engine(&clone(&workspace, "mirror.git", &["--mirror"]), &home));
    let checkout = engine(&workspace.root(), &home);
    assert!(join(&checkout, &home).is_some());
    assert_eq!(up_to_date(&checkout).1.parsed, 0);
}

#[test]
fn a_handle_of_before_finds_the_shared_store() {
    let workspace = repository();
    let home = workspace.home();
    let root = clone(&workspace, "clone", &[]);
    // Both processes opened it when there was no index.
    let (early, second) = (engine(&root, &home), engine(&root, &home));
    early.set_default_ref(Some("main")).unwrap();
    let own = early.store_root().to_path_buf();
    assert!(join(&second, &home).is_some());
    assert_eq!(second.default_ref().as_deref(), Some("main"), "choices are kept");
    let report = up_to_date(&early).1;
    assert_eq!((report.parsed, report.reused), (0, 3));
    assert_eq!(early.store_root(), second.store_root());
    assert!(!own.join("current").exists());
}

#[test]
fn a_store_lives_as_long_as_one_of_its_clones() {
    let workspace = repository();
    let home = workspace.home();
    let root = clone(&workspace, "clone", &[]);
    let third = clone(&workspace, "third", &[]);
    for root in [&root, &third] {
        assert!(join(&engine(root, &home), &home).is_some());
        up_to_date(&engine(root, &home));
    }
    fs::remove_dir_all(workspace.root()).unwrap();
    fs::remove_dir_all(&third).unwrap();
    assert_eq!(remove_stores(&home, Path::new(""), None), []);
    assert_eq!(known_stores(&home)[0].shared_by, [root.join(".git")]);
    assert_eq!(up_to_date(&engine(&root, &home)).1.parsed, 0);
    fs::remove_dir_all(&root).unwrap();
    let removed = remove_stores(&home, Path::new(""), None);
    assert_eq!((removed.len(), removed[0].1), (1, Removal::Gone));
    assert_eq!(fs::read_dir(home.join("stores")).unwrap().count(), 0);
}

#[test]
fn a_clone_whose_shared_store_is_gone_has_its_own() {
    let workspace = repository();
    let home = workspace.home();
    let root = clone(&workspace, "clone", &[]);
    let second = engine(&root, &home);
    assert!(join(&second, &home).is_some());
    up_to_date(&second);
    fs::remove_dir_all(second.store_root()).unwrap();
    let again = engine(&root, &home);
    assert_ne!(again.store_root(), second.store_root());
    assert_eq!(up_to_date(&again).1.parsed, 3);
    // What is left of the sharing does not come back with the other store.
    let first = engine(&workspace.root(), &home);
    up_to_date(&first);
    assert_eq!(engine(&root, &home).store_root(), again.store_root());
    assert_eq!(known_stores(&home).len(), 2);
}

#[test]
fn commits_of_other_clones_are_kept() {
    let workspace = repository();
    let home = workspace.home();
    let root = clone(&workspace, "clone", &[]);
    let second = engine(&root, &home);
    assert!(join(&second, &home).is_some());
    fs::write(root.join("src/file9.py"), body(9, 9)).unwrap();
    let git = Git::at(&root);
    git.run(&["add", "."]);
    git.run(&["commit", "-qm", "only in the clone"]);
    assert!(build_history(&second, &NoProgress).unwrap());
    let first = engine(&workspace.root(), &home);
    assert_eq!(collect_history(&first).unwrap().removed_commits, 0);
    let found = |engine: &Engine| {
        let options = HistoryOptions { text: Some(TextQuery::Added("function_9".into())), ..Default::default() };
        search_history(engine, &options, &NoProgress).unwrap().total
    };
    assert_eq!((found(&second), found(&first)), (1, 0));
    // When that clone is gone, they are not needed any more.
    fs::remove_dir_all(&root).unwrap();
    assert_eq!(collect_history(&first).unwrap().removed_commits, 1);
}

#[test]
fn a_shared_index_that_is_lost_is_made_again_where_it_was() {
    let workspace = repository();
    let home = workspace.home();
    let roots = [clone(&workspace, "clone", &[]), clone(&workspace, "third", &[])];
    assert!(join(&engine(&roots[0], &home), &home).is_some());
    let shared = engine(&roots[0], &home).store_root().to_path_buf();
    fs::remove_file(shared.join("current")).unwrap();
    // The third has an index of its own by now, which the others do not move to.
    up_to_date(&engine(&roots[1], &home));
    for root in [&roots[0], &workspace.root()] {
        let engine = engine(root, &home);
        assert_eq!(join(&engine, &home), None);
        up_to_date(&engine);
        assert_eq!(engine.store_root(), shared);
    }
    assert_eq!(known_stores(&home).len(), 2);
}
