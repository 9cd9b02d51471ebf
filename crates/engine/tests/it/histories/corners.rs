//! Corners of git: repositories without a checkout, with half a history, with odd names, filters
//! and formats.

use std::fs;
use std::path::Path;
use std::time::{Duration, SystemTime};

use codecompass_engine::model::{SkipReason, Target, ViewKind};
use codecompass_engine::query::{self, Filter, LocateOptions};
use codecompass_engine::{Engine, NoProgress, Snapshot, SyncOptions, sync};
use codecompass_testkit::{Git, TestWorkspace, skip};

use crate::histories::compare::{answers, open, said, without_git};

const FILES: &str = "
//- /a.py
def first(): pass
//- /src/b.rs
pub fn second() {}
";

fn at(directory: &Path, home: &Path, name: &str) -> Engine {
    open(directory, home).unwrap().at_ref(name).unwrap()
}

fn refused(directory: &Path, home: &Path, name: &str) -> String {
    open(directory, home).unwrap().at_ref(name).map(|_| ()).unwrap_err().to_string()
}

fn synced(engine: &Engine) -> Snapshot {
    sync(engine, SyncOptions::default(), &NoProgress).unwrap().0
}

fn paths(engine: &Engine) -> Vec<String> {
    synced(engine).paths().map(str::to_string).collect()
}

fn finds(engine: &Engine, name: &str) -> bool {
    let options = LocateOptions { filter: Filter::default(), limit: 10 };
    let found = query::locate(&synced(engine), name, &options).unwrap();
    found.hits.iter().any(|hit| hit.name == name)
}

fn source_of(engine: &Engine, name: &str) -> String {
    let snapshot = synced(engine);
    query::show(&snapshot, engine.source(), &engine.config().index, name, &Filter::default()).unwrap().source
}

/// The commit's answers are those of a fresh index of a clean checkout of it.
fn assert_like_a_checkout(workspace: &TestWorkspace, engine: &Engine, commit: &str) {
    let place = workspace.beside("plain");
    workspace.run_git(&["worktree", "add", "--quiet", "--detach", place.to_str().unwrap(), commit]);
    let fresh = open(&place, &workspace.beside("fresh")).unwrap();
    let all = |engine: &Engine| without_git(answers(engine, &synced(engine), &mut || true).unwrap());
    assert_eq!(all(engine), all(&fresh));
    fs::remove_dir_all(workspace.beside("fresh")).unwrap();
    workspace.run_git(&["worktree", "remove", "--force", place.to_str().unwrap()]);
}

/// A repository whose branch `feature` has another file than `main`.
fn two_branches() -> TestWorkspace {
    let workspace = TestWorkspace::git(FILES);
    workspace.run_git(&["checkout", "--quiet", "-b", "feature"]);
    workspace.write("c.py", "def third(): pass\n");
    workspace.commit("second");
    workspace.run_git(&["checkout", "--quiet", "main"]);
    workspace
}

#[test]
fn bare_clones() {
    let workspace = two_branches();
    let bare = workspace.beside("bare.git");
    workspace.run_git(&["clone", "--quiet", "--bare", ".", "../bare.git"]);
    let engine = open(&bare, &workspace.home()).unwrap();
    assert_eq!((engine.workspace().kind, engine.view_key().kind), (ViewKind::Commit, ViewKind::Commit));
    assert_eq!(paths(&engine), ["a.py", "src/b.rs"]);
    let feature = at(&bare, &workspace.home(), "feature");
    assert_eq!(paths(&feature), ["a.py", "c.py", "src/b.rs"]);
    assert_eq!(source_of(&feature, "third"), "def third(): pass\n");
    assert_like_a_checkout(&workspace, &feature, "feature");
    assert!(!finds(&open(&bare, &workspace.home()).unwrap(), "third"));

    // A worktree of a bare repository has files of its own and shares the store.
    Git::at(&bare).run(&["worktree", "add", "--quiet", "../linked", "feature"]);
    let linked = workspace.beside("linked");
    fs::write(linked.join("c.py"), "def fourth(): pass\n").unwrap();
    let engine = at(&linked, &workspace.home(), "feature");
    assert_eq!(*engine.target(), Target::Checkout);
    assert!(finds(&engine, "fourth") && !finds(&engine, "third"));
    assert_eq!(engine.store_root(), feature.store_root());

    // HEAD names a branch that was never pushed.
    Git::at(&bare).run(&["symbolic-ref", "HEAD", "refs/heads/master"]);
    assert_eq!(paths(&open(&bare, &workspace.home()).unwrap()), ["a.py", "src/b.rs"]);
    assert!(finds(&at(&bare, &workspace.home(), "feature"), "third"));
    Git::at(&bare).run(&["branch", "--quiet", "-D", "main"]);
    assert!(finds(&open(&bare, &workspace.home()).unwrap(), "third"));

    Git::at(&bare).run(&["init", "--quiet", "--bare", "../empty.git"]);
    let error = open(&workspace.beside("empty.git"), &workspace.home()).map(|_| ()).unwrap_err();
    assert!(error.contains("HEAD"), "{error}");
}

#[test]
fn shallow_clone() {
    let workspace = two_branches();
    workspace.write("a.py", "def changed(): pass\n");
    workspace.commit("third");
    let from = format!("file://{}", workspace.root().display());
    workspace.run_git(&["clone", "--quiet", "--depth", "1", "--no-single-branch", &from, "../shallow"]);
    let shallow = workspace.beside("shallow");
    assert_like_a_checkout(&workspace, &at(&shallow, &workspace.home(), "origin/feature"), "feature");
    let error = refused(&shallow, &workspace.home(), "HEAD~1");
    assert!(error.contains("HEAD~1"), "{error}");
}

#[test]
fn unborn_and_orphan_branches() {
    let workspace = TestWorkspace::plain(FILES);
    workspace.run_git(&["init", "--quiet", "--initial-branch=main"]);
    for name in ["HEAD", "@", "main"] {
        let engine = at(&workspace.root(), &workspace.home(), name);
        assert_eq!(*engine.target(), Target::Checkout, "{name}");
        assert_eq!(paths(&engine), ["a.py", "src/b.rs"]);
    }
    refused(&workspace.root(), &workspace.home(), "HEAD~0");
    refused(&workspace.root(), &workspace.home(), "feature");

    workspace.commit("first");
    workspace.run_git(&["switch", "--quiet", "--orphan", "lonely"]);
    workspace.write("z.py", "def last(): pass\n");
    assert_eq!(paths(&at(&workspace.root(), &workspace.home(), "lonely")), ["z.py"]);
    let main = at(&workspace.root(), &workspace.home(), "main");
    assert_eq!(paths(&main), ["a.py", "src/b.rs"]);
    assert!(!finds(&main, "last"));
}

#[test]
fn detached_head_and_dirty_files() {
    let workspace = two_branches();
    workspace.run_git(&["checkout", "--quiet", "--detach", "feature"]);
    workspace.write("c.py", "def edited(): pass\n");
    for (name, found) in [("HEAD", "edited"), ("HEAD~0", "third"), ("feature", "third")] {
        let engine = at(&workspace.root(), &workspace.home(), name);
        let other = if found == "third" { "edited" } else { "third" };
        assert!(finds(&engine, found) && !finds(&engine, other), "{name}");
    }
    assert!(!finds(&at(&workspace.root(), &workspace.home(), "main"), "third"));
}

#[test]
fn a_branch_made_again_with_other_content() {
    let workspace = two_branches();
    assert!(finds(&at(&workspace.root(), &workspace.home(), "feature"), "third"));
    workspace.run_git(&["branch", "--quiet", "-D", "feature"]);
    let error = refused(&workspace.root(), &workspace.home(), "feature");
    assert!(error.contains("`feature`"), "{error}");
    workspace.run_git(&["branch", "feature", "main"]);
    assert!(!finds(&at(&workspace.root(), &workspace.home(), "feature"), "third"));
}

#[test]
fn submodules_are_not_part_of_a_commit() {
    let library = TestWorkspace::git("//- /lib.py\ndef library_only(): pass\n");
    let workspace = TestWorkspace::git(FILES);
    workspace.run_git(&["checkout", "--quiet", "-b", "feature"]);
    workspace.run_git(&["submodule", "--quiet", "add", library.root().to_str().unwrap(), "build"]);
    workspace.write("package.json", "{}");
    workspace.commit("with a submodule");
    for name in ["HEAD", "HEAD~0"] {
        let engine = at(&workspace.root(), &workspace.home(), name);
        assert!(!finds(&engine, "library_only"), "{name}");
        let skipped = engine.skipped().unwrap();
        let build = skipped.iter().find(|skip| skip.path == "build").unwrap();
        assert_eq!((build.is_dir, &build.reason), (true, &SkipReason::NestedRepository), "{name}");
    }
    let engine = at(&workspace.root(), &workspace.home(), "HEAD~0");
    assert_like_a_checkout(&workspace, &engine, "HEAD");
    workspace.run_git(&["rm", "--quiet", "build"]);
    workspace.commit("without");
    let engine = at(&workspace.root(), &workspace.home(), "HEAD~0");
    assert_like_a_checkout(&workspace, &engine, "HEAD");
}

#[test]
fn sparse_checkouts() {
    for index in ["--no-sparse-index", "--sparse-index"] {
        let workspace = two_branches();
        workspace.write("src/deep/d.py", "def deep(): pass\n");
        workspace.write("web/e.py", "def shown(): pass\n");
        workspace.commit("more");
        workspace.run_git(&["sparse-checkout", "set", "--cone", index, "web"]);
        let here = at(&workspace.root(), &workspace.home(), "main");
        assert_eq!(paths(&here), ["a.py", "web/e.py"], "{index}");
        assert!(!finds(&here, "deep"));
        let all = at(&workspace.root(), &workspace.home(), "HEAD~0");
        assert_eq!(paths(&all), ["a.py", "src/b.rs", "src/deep/d.py", "web/e.py"]);
        assert!(finds(&at(&workspace.root(), &workspace.home(), "feature"), "third"));
        workspace.run_git(&["sparse-checkout", "disable"]);
        assert_eq!(paths(&here), paths(&all));
    }
}

/// A tracked file that is there although its directory is not checked out stays tracked, whatever
/// the index leaves out.
#[test]
fn tracked_files_in_sparse_directories() {
    for index in ["--no-sparse-index", "--sparse-index"] {
        let workspace = two_branches();
        workspace.write("src/deep/d.py", "def deep(): pass\n");
        workspace.write("web/e.py", "def shown(): pass\n");
        workspace.commit("more");
        workspace.write(".gitignore", "d.*\n");
        workspace.run_git(&["sparse-checkout", "set", "--cone", index, "web"]);
        workspace.write("src/deep/d.py", "def deep_again(): pass\n");
        workspace.write("src/deep/d.txt", "ignored\n");
        let here = at(&workspace.root(), &workspace.home(), "main");
        assert_eq!(paths(&here), [".gitignore", "a.py", "src/deep/d.py", "web/e.py"], "{index}");
        assert!(finds(&here, "deep_again"));
    }
}

/// Either it works or it is refused; it must not look like an empty repository.
#[test]
fn sha256_repositories() {
    let workspace = TestWorkspace::plain(FILES);
    workspace.run_git(&["init", "--quiet", "--initial-branch=main", "--object-format=sha256"]);
    workspace.commit("first");
    workspace.run_git(&["branch", "feature"]);
    let outcome = open(&workspace.root(), &workspace.home()).and_then(|engine| {
        assert_eq!(paths(&engine), ["a.py", "src/b.rs"]);
        let engine = engine.at_ref("feature").map_err(said)?;
        let (snapshot, _) = sync(&engine, SyncOptions::default(), &NoProgress).map_err(said)?;
        assert_eq!(snapshot.paths().collect::<Vec<_>>(), ["a.py", "src/b.rs"]);
        Ok(())
    });
    if let Err(error) = outcome {
        assert!(error.contains("sha256") || error.contains("SHA-256"), "{error}");
    }
}

/// A commit id means that commit, whatever is put in its place later.
#[test]
fn replaced_commits() {
    let workspace = two_branches();
    let [main, feature] = ["main", "feature"].map(|name| workspace.run_git(&["rev-parse", name]).trim().to_string());
    let before = paths(&at(&workspace.root(), &workspace.home(), &feature));
    workspace.run_git(&["replace", &feature, &main]);
    assert_eq!(paths(&at(&workspace.root(), &workspace.home(), &feature)), before);
    assert_eq!(paths(&at(&workspace.root(), &workspace.beside("fresh"), &feature)), before);
}

/// Refs in a table file, which needs another reader than loose and packed refs do.
#[test]
fn reftable_repositories() {
    let workspace = TestWorkspace::plain(FILES);
    if !Git::at(&workspace.root()).succeeds(&["init", "--quiet", "--initial-branch=main", "--ref-format=reftable"]) {
        return skip("git is too old for reftables");
    }
    workspace.commit("first");
    workspace.run_git(&["branch", "feature"]);
    let outcome = open(&workspace.root(), &workspace.home()).and_then(|engine| {
        sync(&engine, SyncOptions::default(), &NoProgress).map_err(said)?;
        assert_eq!(paths(&engine), ["a.py", "src/b.rs"]);
        assert_eq!(paths(&engine.at_ref("feature").map_err(said)?), ["a.py", "src/b.rs"]);
        Ok(())
    });
    if let Err(error) = outcome {
        assert!(error.contains("reftable"), "{error}");
    }
}

#[test]
fn a_branch_that_looks_like_a_commit_id() {
    let workspace = two_branches();
    let id = workspace.run_git(&["rev-parse", "feature"]);
    workspace.run_git(&["branch", &id[..7], "main"]);
    assert!(!finds(&at(&workspace.root(), &workspace.home(), &id[..7]), "third"));
    assert!(finds(&at(&workspace.root(), &workspace.home(), &id[..9]), "third"));
}

#[test]
fn large_files_of_a_commit_have_a_reason() {
    let workspace = TestWorkspace::git(FILES);
    workspace.write("large.py", &"x = 1\n".repeat(10_000));
    workspace.commit("large");
    let engine = at(&workspace.root(), &workspace.home(), "HEAD~0");
    assert_like_a_checkout(&workspace, &engine, "HEAD");
    let skipped = engine.skipped().unwrap();
    let large = skipped.iter().find(|skip| skip.path == "large.py").unwrap();
    assert_eq!((large.is_dir, &large.reason), (false, &SkipReason::TooLarge(60_000)));
}

/// A filter that keeps the size: what is on disk is not the blob, though nothing but the text
/// tells.
#[test]
fn a_filter_that_keeps_the_size() {
    let workspace = TestWorkspace::git(FILES);
    workspace.run_git(&["config", "filter.swap.smudge", "sed s/lower/upper/"]);
    workspace.run_git(&["config", "filter.swap.clean", "sed s/upper/lower/"]);
    workspace.write(".gitattributes", "*.py filter=swap\n");
    workspace.write("filtered.py", "def lower(): pass\n");
    workspace.commit("filtered");
    // The blob becomes known by way of the commit.
    assert!(finds(&at(&workspace.root(), &workspace.home(), "HEAD~0"), "lower"));
    workspace.remove("filtered.py");
    workspace.run_git(&["checkout", "--", "filtered.py"]);
    let past = SystemTime::now() - Duration::from_secs(3600);
    let file = workspace.root().join("filtered.py");
    fs::File::options().append(true).open(&file).unwrap().set_modified(past).unwrap();
    workspace.run_git(&["update-index", "--refresh"]);
    assert_eq!(fs::read_to_string(&file).unwrap(), "def upper(): pass\n");
    let here = open(&workspace.root(), &workspace.home()).unwrap();
    assert!(finds(&here, "upper") && !finds(&here, "lower"));
}

/// A clone without blobs answers for what it has, and for the rest once it has been fetched.
#[test]
fn partial_clone() {
    let workspace = two_branches();
    workspace.run_git(&["config", "uploadpack.allowFilter", "true"]);
    workspace.run_git(&["config", "uploadpack.allowAnySHA1InWant", "true"]);
    let from = format!("file://{}", workspace.root().display());
    workspace.run_git(&["clone", "--quiet", "--filter=blob:none", "--no-checkout", &from, "../partial"]);
    let partial = workspace.beside("partial");
    let engine = at(&partial, &workspace.home(), "origin/feature");
    assert!(!finds(&engine, "third"));
    let skipped = engine.skipped().unwrap();
    assert!(matches!(&skipped[0].reason, SkipReason::Unreadable(_)), "{skipped:?}");
    Git::at(&partial).run(&["checkout", "--quiet", "--detach", "origin/feature"]);
    assert!(finds(&at(&partial, &workspace.home(), "origin/feature"), "third"));
}

#[test]
fn a_commit_without_files() {
    let workspace = TestWorkspace::git(FILES);
    let empty = workspace.run_git(&["mktree"]);
    let commit = workspace.run_git(&["commit-tree", empty.trim(), "-m", "nothing"]);
    workspace.run_git(&["branch", "nothing", commit.trim()]);
    let engine = at(&workspace.root(), &workspace.home(), "nothing");
    assert_eq!(paths(&engine), Vec::<String>::new());
    assert!(engine.is_fresh().unwrap());
    assert_like_a_checkout(&workspace, &engine, "nothing");
}

#[test]
fn odd_names_and_links_in_a_tree() {
    let workspace = TestWorkspace::git(FILES);
    for name in ["back\\slash.py", "new\nline.py", " blank .py", "-dash.py", "src/*.py", "CON.py", "a.py.py"] {
        workspace.write(name, "def odd(): pass\n");
    }
    // Git does not follow a link to find patterns.
    workspace.write("patterns", "*.py\n");
    std::os::unix::fs::symlink("patterns", workspace.root().join(".codecompassignore")).unwrap();
    std::os::unix::fs::symlink("../patterns", workspace.root().join("src/.gitignore")).unwrap();
    workspace.write("dir/.gitignore/inner.py", "def inner(): pass\n");
    workspace.commit("odd");
    let engine = at(&workspace.root(), &workspace.home(), "HEAD~0");
    assert_like_a_checkout(&workspace, &engine, "HEAD");
    assert_eq!(paths(&engine), paths(&at(&workspace.root(), &workspace.home(), "HEAD")));
}

/// A name is looked up as git does.
#[test]
fn names_that_mean_several_things() {
    let workspace = two_branches();
    workspace.run_git(&["tag", "feature", "main"]);
    workspace.run_git(&["tag", "--annotate", "--message", "x", "twice", "refs/heads/feature"]);
    workspace.run_git(&["tag", "--annotate", "--message", "x", "thrice", "twice"]);
    workspace.run_git(&["tag", "a-blob", "main:a.py"]);
    workspace.run_git(&["tag", "a-tree", "main^{tree}"]);
    for name in ["feature", "heads/feature", "refs/heads/feature", "refs/tags/feature", "thrice", "HEAD^{commit}"] {
        let engine = at(&workspace.root(), &workspace.home(), name);
        let id = workspace.run_git(&["rev-parse", &format!("{name}^{{commit}}")]);
        assert_eq!(engine.view_key().name, id.trim(), "{name}");
    }
    for name in ["a-blob", "a-tree", "main:a.py", "feature..main", "^main", ""] {
        let error = refused(&workspace.root(), &workspace.home(), name);
        assert!(error.contains(&format!("`{name}`")), "{error}");
    }
}
