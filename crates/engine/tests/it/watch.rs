//! Guarantees of watchers: whatever happens to the files, the index follows by itself; and what the
//! watcher vouches for is true.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use codecompass_engine::query::{self, SearchOptions, Semantic};
use codecompass_engine::watch::{self, End, Event, Mode, Options, Owner, Settled, Watcher};
use codecompass_engine::{Config, Engine, NoProgress, Snapshot, SyncOptions, sync};
use codecompass_testkit::{DEADLINE, Random, TestWorkspace, skip, until};

fn engine(workspace: &TestWorkspace) -> Engine {
    Engine::open(&workspace.root(), &workspace.home(), Config::default()).unwrap()
}

/// A watcher and everything that it told.
struct Watching {
    watcher: Watcher,
    events: Arc<Mutex<Vec<Event>>>,
}

impl Watching {
    fn start(workspace: &TestWorkspace, options: Options) -> Watching {
        let (root, home) = (workspace.root(), workspace.home());
        let events: Arc<Mutex<Vec<Event>>> = Arc::default();
        let heard = events.clone();
        let make = move || Engine::open(&root, &home, Config::default());
        let watcher = watch::start(make, options, move |event| heard.lock().unwrap().push(event)).unwrap();
        Watching { watcher, events }
    }

    /// One that has synced once.
    fn of(workspace: &TestWorkspace) -> Watching {
        let watching = Watching::start(workspace, Options::new(Owner::Server));
        until("the first sync", || watching.watcher.state().last_sync.is_some());
        watching
    }

    fn has_told(&self, wanted: impl Fn(&Event) -> bool) -> bool {
        self.events.lock().unwrap().iter().any(wanted)
    }

    fn syncs(&self) -> usize {
        self.events.lock().unwrap().iter().filter(|event| matches!(event, Event::Synced { .. })).count()
    }
}

/// The published names by path, without any look at the files.
fn published(workspace: &TestWorkspace) -> BTreeMap<String, Vec<String>> {
    let names = |snapshot: &Snapshot, path: &str| {
        let symbols = query::outline(snapshot, path).map(|outline| outline.symbols).unwrap_or_default();
        symbols.into_iter().map(|symbol| symbol.name).collect()
    };
    let Ok(Some(snapshot)) = engine(workspace).snapshot() else { return BTreeMap::new() };
    snapshot.paths().map(|path| (path.to_string(), names(&snapshot, path))).collect()
}

#[track_caller]
fn until_holds(workspace: &TestWorkspace, path: &str, name: &str) {
    until(&format!("{name} in {path}"), || {
        published(workspace).get(path).is_some_and(|names| names.iter().any(|other| other == name))
    });
}

#[track_caller]
fn until_gone(workspace: &TestWorkspace, path: &str) {
    until(&format!("{path} gone"), || !published(workspace).contains_key(path));
}

const FIXTURE: &str = "//- /src/a.py\ndef first():\n    pass\n//- /src/b.py\ndef second():\n    pass\n";

/// Returns whether this system can tell that everything was seen.
fn can_tell() -> bool {
    cfg!(target_os = "linux")
}

#[test]
fn edits_come_by_themselves() {
    let workspace = TestWorkspace::git(FIXTURE);
    let watching = Watching::of(&workspace);
    let expected = if cfg!(target_os = "linux") { Mode::Watching } else { watching.watcher.state().mode };
    assert_eq!(watching.watcher.state().mode, expected);
    assert!(watching.watcher.state().leads);
    until_holds(&workspace, "src/a.py", "first");

    workspace.write("src/a.py", "def edited():\n    pass\n");
    until_holds(&workspace, "src/a.py", "edited");
    workspace.write("src/new.py", "def created():\n    pass\n");
    until_holds(&workspace, "src/new.py", "created");
    workspace.remove("src/b.py");
    until_gone(&workspace, "src/b.py");
    // As editors save: another file, then a rename.
    workspace.write("src/a.py.tmp123", "def renamed_over():\n    pass\n");
    fs::rename(workspace.root().join("src/a.py.tmp123"), workspace.root().join("src/a.py")).unwrap();
    until_holds(&workspace, "src/a.py", "renamed_over");
    until_gone(&workspace, "src/a.py.tmp123");
}

#[test]
fn directories_come_and_go() {
    let workspace = TestWorkspace::plain(FIXTURE);
    let watching = Watching::of(&workspace);
    let directories = watching.watcher.state().directories;
    // All at once, so that files are there before anybody can watch their directory.
    workspace.write("src/deep/er/still/x.py", "def deep():\n    pass\n");
    until_holds(&workspace, "src/deep/er/still/x.py", "deep");
    until("three more directories", || watching.watcher.state().directories == directories + 3);
    workspace.write("src/deep/er/y.py", "def later():\n    pass\n");
    until_holds(&workspace, "src/deep/er/y.py", "later");

    fs::rename(workspace.root().join("src/deep"), workspace.root().join("moved")).unwrap();
    until_holds(&workspace, "moved/er/still/x.py", "deep");
    until_gone(&workspace, "src/deep/er/still/x.py");
    workspace.write("moved/er/still/x.py", "def after_the_move():\n    pass\n");
    until_holds(&workspace, "moved/er/still/x.py", "after_the_move");

    fs::remove_dir_all(workspace.root().join("moved")).unwrap();
    until_gone(&workspace, "moved/er/still/x.py");
    until("the watches go, too", || watching.watcher.state().directories == directories);
    assert!(!watching.has_told(|event| matches!(event, Event::Failed { .. } | Event::Degraded { .. })));
}

/// A directory that is removed is kept by files in it that are open, and then no event tells that
/// it is another one.
#[test]
fn directories_that_are_made_again() {
    let workspace = TestWorkspace::plain(FIXTURE);
    let watching = Watching::of(&workspace);
    let root = workspace.root();
    for top in ["src", ""] {
        for round in 0..3 {
            let held = fs::File::open(root.join("src/a.py")).unwrap();
            fs::remove_dir_all(root.join(top)).unwrap();
            workspace.write("src/a.py", "def made_again():\n    pass\n");
            until_holds(&workspace, "src/a.py", "made_again");
            let name = format!("edited_{round}");
            workspace.write("src/a.py", &format!("def {name}():\n    pass\n"));
            until_holds(&workspace, "src/a.py", &name);
            drop(held);
        }
    }
    assert!(watching.watcher.state().ended.is_none());
}

#[test]
fn a_checkout_is_one_or_two_syncs() {
    let workspace = TestWorkspace::git(FIXTURE);
    workspace.run_git(&["checkout", "--quiet", "-b", "other"]);
    for number in 0..400 {
        let path = format!("many/d{}/f{number}.py", number % 20);
        workspace.write(&path, &format!("def on_other_{number}():\n    pass\n"));
    }
    workspace.commit("many");
    workspace.run_git(&["checkout", "--quiet", "main"]);
    let watching = Watching::of(&workspace);
    until_holds(&workspace, "src/a.py", "first");
    let before = watching.syncs();
    workspace.run_git(&["checkout", "--quiet", "other"]);
    until("all files", || published(&workspace).len() == 402);
    let commit = workspace.run_git(&["rev-parse", "HEAD"]).trim().to_string();
    until("the new HEAD", || head(&workspace) == Some(commit.clone()));
    assert!(watching.watcher.wait(DEADLINE) != Settled::Dirty);
    // How many depends on how long git takes; it is far from one per file.
    let syncs = watching.syncs() - before;
    assert!(syncs <= 20, "{syncs} syncs");
    workspace.run_git(&["checkout", "--quiet", "main"]);
    until("the first branch again", || published(&workspace).len() == 2);
}

fn head(workspace: &TestWorkspace) -> Option<String> {
    let snapshot = engine(workspace).snapshot().unwrap()?;
    query::status(&snapshot).unwrap().head_commit
}

#[test]
fn head_moves_without_any_file() {
    let workspace = TestWorkspace::git(FIXTURE);
    let watching = Watching::of(&workspace);
    let now = || workspace.run_git(&["rev-parse", "HEAD"]).trim().to_string();
    workspace.run_git(&["commit", "--quiet", "--allow-empty", "-m", "empty"]);
    until("the empty commit", || head(&workspace) == Some(now()));
    // A branch below a folder that does not exist yet, and one that is packed.
    workspace.run_git(&["checkout", "--quiet", "-b", "feature/deep/x"]);
    workspace.run_git(&["commit", "--quiet", "--allow-empty", "-m", "on the branch"]);
    until("the commit on the branch", || head(&workspace) == Some(now()));
    workspace.run_git(&["pack-refs", "--all", "--prune"]);
    assert!(watching.watcher.wait(DEADLINE) != Settled::Dirty);
    workspace.run_git(&["commit", "--quiet", "--allow-empty", "-m", "loose again"]);
    until("the commit after packing", || head(&workspace) == Some(now()));
}

#[test]
fn a_linked_worktree_follows_its_own_head() {
    let workspace = TestWorkspace::git(FIXTURE);
    let linked = workspace.beside("linked");
    workspace.run_git(&["worktree", "add", "--quiet", "-b", "side", linked.to_str().unwrap()]);
    let home = workspace.home();
    let open = {
        let linked = linked.clone();
        move || Engine::open(&linked, &home, Config::default())
    };
    let ask = open.clone();
    let watcher = watch::start(open, Options::new(Owner::Server), |_| {}).unwrap();
    let commit = || ask().unwrap().snapshot().unwrap().and_then(|now| query::status(&now).unwrap().head_commit);
    until("the first sync", || commit().is_some());
    let git = codecompass_testkit::Git::at(&linked);
    git.run(&["commit", "--quiet", "--allow-empty", "-m", "empty"]);
    let wanted = git.run(&["rev-parse", "HEAD"]).trim().to_string();
    until("the commit in the worktree", || commit().as_deref() == Some(&wanted));
    drop(watcher);
}

#[test]
fn what_is_ignored_is_not_watched() {
    let workspace = TestWorkspace::git(FIXTURE);
    workspace.write(".gitignore", "*.log\nout/\n");
    for number in 0..50 {
        workspace.write(&format!("node_modules/p{number}/index.js"), "x");
        workspace.write(&format!("out/o{number}/a.py"), "x = 1\n");
    }
    workspace.commit("second");
    let watching = Watching::of(&workspace);
    let state = watching.watcher.state();
    // The root and src; of git the folder itself, the folder of the branch, and that of the exclude
    // file; and where the user's own ignore file would be.
    if state.mode == Mode::Watching {
        assert!((2..=7).contains(&state.directories), "{state:?}");
    }
    assert_ne!(watching.watcher.wait(DEADLINE), Settled::Dirty);
    let before = watching.syncs();
    for number in 0..20 {
        workspace.write("run.log", &format!("line {number}\n"));
        workspace.write(&format!("node_modules/p{number}/index.js"), "y");
        workspace.write(&format!("out/o{number}/b.py"), "y = 1\n");
        workspace.write("src/picture.png", "z");
    }
    if let Settled::Dirty = watching.watcher.settle(DEADLINE) {
        panic!("what is ignored made the view dirty");
    }
    assert_eq!(watching.syncs(), before);

    // No longer ignored: now it counts, without any other change.
    workspace.write(".gitignore", "*.log\n");
    until_holds(&workspace, "out/o7/a.py", "x");
    workspace.write("out/o7/a.py", "def now_watched():\n    pass\n");
    until_holds(&workspace, "out/o7/a.py", "now_watched");
    workspace.write(".git/info/exclude", "out/\n");
    until_gone(&workspace, "out/o7/a.py");
}

#[test]
fn a_root_that_goes_and_comes_back() {
    let workspace = TestWorkspace::plain(FIXTURE);
    let watching = Watching::of(&workspace);
    let aside = workspace.beside("aside");
    let root = workspace.root();
    fs::rename(&root, &aside).unwrap();
    until("it is noticed", || watching.has_told(|event| matches!(event, Event::RootGone)));
    assert!(watching.watcher.state().root_is_gone);
    assert_eq!(watching.watcher.settle(DEADLINE), Settled::Unknown);
    fs::create_dir_all(root.join("src")).unwrap();
    fs::write(root.join("src/again.py"), "def again():\n    pass\n").unwrap();
    until("it is noticed again", || watching.has_told(|event| matches!(event, Event::RootBack)));
    until_holds(&workspace, "src/again.py", "again");
    fs::write(root.join("src/again.py"), "def once_more():\n    pass\n").unwrap();
    until_holds(&workspace, "src/again.py", "once_more");
    assert!(!watching.watcher.state().root_is_gone);
}

#[test]
fn a_plain_directory_becomes_a_repository() {
    let workspace = TestWorkspace::plain(FIXTURE);
    let watching = Watching::of(&workspace);
    workspace.run_git(&["init", "--quiet", "--initial-branch=main"]);
    workspace.commit("first");
    until("a view of the worktree", || head(&workspace).is_some());
    workspace.write("src/a.py", "def in_the_repository():\n    pass\n");
    until_holds(&workspace, "src/a.py", "in_the_repository");
    assert!(watching.watcher.state().leads);
}

/// Making a repository takes several steps, and a sync may come between any two of them.
#[test]
fn a_directory_becomes_a_repository_step_by_step() {
    let workspace = TestWorkspace::plain(FIXTURE);
    let other = TestWorkspace::git("//- /x.py\nx = 1\n");
    let watching = Watching::of(&workspace);
    let (from, to) = (other.root().join(".git"), workspace.root().join(".git"));
    let mut seen = 0;
    for step in ["", "refs", "HEAD", "config", "objects"] {
        match from.join(step) {
            source if step.is_empty() || source.is_dir() => fs::create_dir(to.join(step)).unwrap(),
            source => drop(fs::copy(source, to.join(step)).unwrap()),
        }
        // From there on it is a repository, which is another view.
        if step == "objects" {
            break;
        }
        until("a sync", || watching.syncs() > seen);
        seen = watching.syncs();
    }
    workspace.commit("first");
    until("a view of the worktree", || head(&workspace).is_some());
}

#[test]
fn one_leads_and_the_next_takes_over() {
    let workspace = TestWorkspace::git(FIXTURE);
    let first = Watching::of(&workspace);
    let second = Watching::start(&workspace, Options::new(Owner::Server));
    until("the second has started", || second.has_told(|event| matches!(event, Event::Started { .. })));
    assert!(first.watcher.state().leads && !second.watcher.state().leads);
    assert_eq!(watch::running(&engine(&workspace)).unwrap().pid, std::process::id());
    workspace.write("src/a.py", "def by_the_first():\n    pass\n");
    until_holds(&workspace, "src/a.py", "by_the_first");
    assert_eq!(second.syncs(), 0);

    // One that does not lead learns from others' syncs.
    if second.watcher.state().mode == Mode::Watching && cfg!(target_os = "linux") {
        until("the events have come", || {
            let ticket = second.watcher.ticket();
            let (_, report) = sync(&engine(&workspace), SyncOptions::default(), &NoProgress).unwrap();
            second.watcher.confirm(ticket, report.generation);
            second.watcher.settle(DEADLINE) == Settled::Clean { generation: report.generation }
        });
        workspace.write("src/a.py", "def again_by_the_first():\n    pass\n");
        assert_eq!(second.watcher.settle(DEADLINE), Settled::Dirty);
        until_holds(&workspace, "src/a.py", "again_by_the_first");
    }

    first.watcher.stop();
    assert_eq!(first.watcher.state().ended, Some(End::Stopped));
    workspace.write("src/a.py", "def by_the_second():\n    pass\n");
    until_holds(&workspace, "src/a.py", "by_the_second");
    assert!(second.has_told(|event| matches!(event, Event::TookOver)) && second.watcher.state().leads);
    second.watcher.stop();
    assert_eq!(watch::running(&engine(&workspace)), None);
}

/// Saves at random, each followed at once by the question whether the index has it: it must never
/// say so when it has not. What a watcher writes save by save, merges and all, is found and scored
/// like what a new index has.
#[test]
fn many_saves_answer_like_a_new_index() {
    if !can_tell() {
        return skip("this system does not report all changes");
    }
    let workspace = TestWorkspace::git(FIXTURE);
    let watching = Watching::of(&workspace);
    let mut random = Random::new(31);
    for round in 0..120 {
        let path = format!("src/f{}.py", random.below(9));
        match random.below(8) {
            0 if workspace.root().join(&path).exists() => workspace.remove(&path),
            _ => {
                let (name, other) = (random.below(20), random.below(20));
                let text = format!("def parse_header_{name}(line):\n    return retry_{other}(line, {round})\n\n\n");
                workspace.write(&path, &text.repeat(1 + random.below(3) as usize));
            }
        }
        let settled = watching.watcher.catch_up(DEADLINE);
        assert!(matches!(settled, Settled::Clean { .. }), "{settled:?}");
    }
    let syncs = watching.syncs();
    assert!(syncs > 40, "so few are not merged: {syncs}");
    let kept = engine(&workspace);
    let describe = |engine: &Engine| {
        let snapshot = engine.snapshot().unwrap().unwrap();
        let mut lines: Vec<String> = snapshot.paths().map(str::to_string).collect();
        for question in ["parse_header_3", "retry_7", "how is a header line parsed", "retry the line", "second"] {
            let options = SearchOptions { limit: 100, semantic: Semantic::built_in(), ..SearchOptions::default() };
            let answer = query::search(&snapshot, question, &options).unwrap();
            lines.push(format!("{question}: {}", answer.total));
            lines.extend(answer.hits.iter().map(|hit| format!("{hit:?}")));
        }
        lines
    };
    let home = tempfile::tempdir().unwrap();
    let fresh = Engine::open(&workspace.root(), home.path(), Config::default()).unwrap();
    sync(&fresh, SyncOptions::default(), &NoProgress).unwrap();
    assert_eq!(describe(&kept), describe(&fresh));
    assert_eq!(kept.store_problems().unwrap(), Vec::<String>::new());
    // Nothing is left to do for others, neither while the watcher is at work nor after it.
    assert!(kept.is_fresh().unwrap());
    watching.watcher.stop();
    assert!(!sync(&kept, SyncOptions::default(), &NoProgress).unwrap().1.published);
    assert_eq!(describe(&kept), describe(&fresh));
}

/// Something that happens to a directory: it comes with files, ignore files or a repository in it,
/// moves, goes, or becomes something else.
fn change_directory(root: &Path, random: &mut Random, round: usize) {
    let directory = |random: &mut Random| match random.below(3) {
        0 => format!("d{}", random.below(4)),
        1 => format!("d{}/e{}", random.below(4), random.below(3)),
        _ => format!("d{}/e{}/build", random.below(4), random.below(3)),
    };
    let (one, other) = (root.join(directory(random)), root.join(directory(random)));
    let write = |path: &str, text: &str| {
        // It may be a file or a link by now.
        let path = one.join(path);
        if fs::create_dir_all(path.parent().unwrap()).is_ok() {
            let _ = fs::write(path, text);
        }
    };
    write("a.py", &format!("def n{round}(): pass\n"));
    match random.below(12) {
        0 => write("deep/er/b.py", "def deeper(): pass\n"),
        1 => write(".gitignore", "b.py\ndeep/\n"),
        2 => write(".codecompassignore", "!build/\ne1/\n"),
        3 => write("package.json", "{}"),
        4 => write("node_modules/x/index.js", "x"),
        5 => write(".git/HEAD", "ref: refs/heads/main\n"),
        6 | 7 => drop(fs::remove_dir_all(&one)),
        8 | 9 => drop(fs::rename(&one, &other)),
        10 => {
            let _ = fs::remove_dir_all(&one);
            let _ = fs::write(&one, "def instead(): pass\n");
        }
        _ => {
            let _ = fs::remove_dir_all(&other);
            #[cfg(unix)]
            let _ = std::os::unix::fs::symlink(&one, &other);
        }
    }
    if random.chance(10) {
        let _ = fs::remove_file(&one);
    }
}

#[test]
fn directories_are_followed() {
    if !can_tell() {
        return skip("this system does not report all changes");
    }
    let workspace = TestWorkspace::git(FIXTURE);
    let watching = Watching::of(&workspace);
    let mut random = Random::new(41);
    for round in 0..120 {
        for _ in 0..=random.below(4) {
            change_directory(&workspace.root(), &mut random, round);
            // Some while a sync is at work.
            std::thread::sleep(Duration::from_millis(random.below(6)));
        }
        let settled = watching.watcher.catch_up(DEADLINE);
        assert!(matches!(settled, Settled::Clean { .. }), "{settled:?}");
        // Which lists everything.
        assert!(engine(&workspace).is_fresh().unwrap(), "round {round}");
    }
}

#[test]
fn a_store_inside_the_workspace_is_not_part_of_it() {
    for workspace in [TestWorkspace::git(FIXTURE), TestWorkspace::plain(FIXTURE)] {
        let (root, home) = (workspace.root(), workspace.root().join("cache/home"));
        let open = move || Engine::open(&root, &home, Config::default());
        let watcher = watch::start(open.clone(), Options::new(Owner::Server), |_| {}).unwrap();
        let generation = || watcher.state().last_sync.map_or(0, |sync| sync.generation);
        until("the first sync", || generation() > 0);
        for (number, path) in ["src/a.py", "new/c.py", "cache/d.py"].into_iter().enumerate() {
            workspace.write(path, &format!("def number_{number}(): pass\n"));
            let has_it = || {
                let snapshot = open().unwrap().snapshot().unwrap().unwrap();
                let outline = query::outline(&snapshot, path).map(|outline| outline.symbols).unwrap_or_default();
                outline.iter().any(|symbol| symbol.name == format!("number_{number}"))
            };
            until(path, has_it);
        }
        // It does not wake itself up, either.
        let before = generation();
        std::thread::sleep(Duration::from_millis(700));
        assert!(generation() <= before + 1, "{} after {before}", generation());
        let engine = open().unwrap();
        let snapshot = engine.snapshot().unwrap().unwrap();
        assert_eq!(snapshot.paths().collect::<Vec<_>>(), ["cache/d.py", "new/c.py", "src/a.py", "src/b.py"]);
        assert!(engine.is_fresh().unwrap());
        watcher.stop();
    }
}

#[test]
fn what_is_vouched_for_is_true() {
    let workspace = TestWorkspace::git(FIXTURE);
    let watching = Watching::of(&workspace);
    let mut random = Random::new(7);
    let root = workspace.root();
    let mut truth: BTreeMap<String, String> = BTreeMap::new();
    let mut clean = 0;
    for round in 0..200 {
        for _ in 0..=random.below(2) {
            let path = format!("d{}/e{}/f{}.py", random.below(3), random.below(2), random.below(3));
            let name = format!("n{round}_{}", random.below(1000));
            let text = format!("def {name}():\n    pass\n");
            match random.below(6) {
                0 if truth.remove(&path).is_some() => fs::remove_file(root.join(&path)).unwrap(),
                1 => {
                    let top = format!("d{}", random.below(3));
                    if random.chance(50) {
                        let _ = fs::remove_dir_all(root.join(&top));
                        truth.retain(|path, _| !path.starts_with(&format!("{top}/")));
                    } else if root.join(&top).is_dir() && !root.join("elsewhere").exists() {
                        // Away and back: the same path is another directory for a moment.
                        fs::rename(root.join(&top), root.join("elsewhere")).unwrap();
                        fs::rename(root.join("elsewhere"), root.join(&top)).unwrap();
                    }
                }
                2 => {
                    workspace.write("temporary.py", &text);
                    fs::create_dir_all(root.join(&path).parent().unwrap()).unwrap();
                    fs::rename(root.join("temporary.py"), root.join(&path)).unwrap();
                    truth.insert(path, name);
                }
                _ => {
                    workspace.write(&path, &text);
                    truth.insert(path, name);
                }
            }
        }
        // Sometimes at once, sometimes when the sync may just be running or done.
        std::thread::sleep(Duration::from_millis(random.below(4) * 30));
        match watching.watcher.settle(DEADLINE) {
            Settled::Clean { generation } => {
                clean += 1;
                check(&workspace, &truth, generation, round);
            }
            Settled::Dirty => {
                if random.chance(30) {
                    let settled = watching.watcher.wait(DEADLINE);
                    let Settled::Clean { generation } = settled else {
                        assert!(!can_tell(), "{settled:?}");
                        continue;
                    };
                    clean += 1;
                    check(&workspace, &truth, generation, round);
                }
            }
            Settled::Unknown => assert!(!can_tell()),
        }
    }
    assert!(clean > 20 || !can_tell(), "it was clean {clean} times");
    let cookies = fs::read_dir(watch::folder(engine(&workspace).store_root())).unwrap().flatten();
    let left: Vec<_> = cookies.filter(|file| file.file_name().to_string_lossy().starts_with("cookie")).collect();
    assert!(left.is_empty(), "{left:?}");
}

#[track_caller]
fn check(workspace: &TestWorkspace, truth: &BTreeMap<String, String>, generation: i64, round: usize) {
    let snapshot = engine(workspace).snapshot().unwrap().unwrap();
    assert!(query::status(&snapshot).unwrap().generation >= generation);
    let mut published = published(workspace);
    published.retain(|path, _| !path.starts_with("src/"));
    let truth: BTreeMap<String, Vec<String>> =
        truth.iter().map(|(path, name)| (path.clone(), vec![name.clone()])).collect();
    assert_eq!(published, truth, "round {round}");
}

#[test]
fn stop_is_quick_and_leaves_nothing() {
    let workspace = TestWorkspace::plain(
        &(0..300).map(|n| format!("//- /f{n}.py\ndef function_{n}():\n    return {n}\n")).collect::<String>(),
    );
    // In the middle of the first sync, or right before it.
    for _ in 0..3 {
        let watching = Watching::start(&workspace, Options::new(Owner::Command));
        until("it has started", || watching.has_told(|event| matches!(event, Event::Started { .. })));
        watching.watcher.stop();
        assert_eq!(watching.watcher.state().ended, Some(End::Stopped));
        assert!(watching.has_told(|event| matches!(event, Event::Ended(End::Stopped))));
        assert_eq!(watching.watcher.settle(DEADLINE), Settled::Unknown);
        // A process that another test starts has the lock until it runs its own program.
        until("nothing runs", || watch::running(&engine(&workspace)).is_none());
    }
    // What was cut off is made up for.
    let watching = Watching::of(&workspace);
    until("all files", || published(&workspace).len() == 300);
    drop(watching);
}

#[test]
fn a_request_to_stop_is_heeded() {
    let workspace = TestWorkspace::plain(FIXTURE);
    for polls in [false, true] {
        let watching = Watching::start(&workspace, Options { polls, ..Options::new(Owner::Command) });
        until("the first sync", || watching.watcher.state().last_sync.is_some());
        let running = watch::running(&engine(&workspace)).unwrap();
        assert_eq!((running.pid, running.owner.as_str()), (std::process::id(), "command"));
        assert_eq!(running.mode, watching.watcher.state().mode.as_str());
        assert_eq!(running.last_sync.unwrap().files, 2);
        watch::ask_to_stop(&engine(&workspace)).unwrap();
        until("it has ended", || watching.watcher.state().ended == Some(End::Asked));
        until("the lock is free", || watch::running(&engine(&workspace)).is_none());
    }
    // A server's watcher ends with the server only.
    let watching = Watching::of(&workspace);
    watch::ask_to_stop(&engine(&workspace)).unwrap();
    workspace.write("src/a.py", "def still_there():\n    pass\n");
    until_holds(&workspace, "src/a.py", "still_there");
    assert_eq!(watching.watcher.state().ended, None);
}

#[test]
fn polling_where_nothing_is_reported() {
    let workspace = TestWorkspace::git(FIXTURE);
    let watching = Watching::start(&workspace, Options { polls: true, ..Options::new(Owner::Server) });
    until("the first sync", || watching.watcher.state().last_sync.is_some());
    assert_eq!(watching.watcher.state().mode, Mode::Polling);
    assert_eq!(watching.watcher.settle(DEADLINE), Settled::Unknown);
    workspace.write("src/new/a.py", "def polled():\n    pass\n");
    until_holds(&workspace, "src/new/a.py", "polled");
    assert!(!watching.has_told(|event| matches!(event, Event::Degraded { .. })), "it was asked for");
}

#[test]
fn a_removed_store_is_made_again_or_ends_it() {
    let workspace = TestWorkspace::plain(FIXTURE);
    let watching = Watching::of(&workspace);
    let store = engine(&workspace).store_root().to_path_buf();
    fs::remove_dir_all(&store).unwrap();
    workspace.write("src/a.py", "def after_the_loss():\n    pass\n");
    until_holds(&workspace, "src/a.py", "after_the_loss");
    watching.watcher.stop();

    let watching = Watching::start(&workspace, Options { ends_with_store: true, ..Options::new(Owner::Command) });
    until("the first sync", || watching.watcher.state().last_sync.is_some());
    fs::remove_dir_all(&store).unwrap();
    until("it has ended", || watching.watcher.state().ended == Some(End::StoreRemoved));
    assert!(!store.exists());
}

#[test]
fn a_root_that_stays_away_ends_it() {
    let workspace = TestWorkspace::plain(FIXTURE);
    let options = Options { gives_up_after: Some(Duration::ZERO), ..Options::new(Owner::Command) };
    let watching = Watching::start(&workspace, options);
    until("the first sync", || watching.watcher.state().last_sync.is_some());
    fs::remove_dir_all(workspace.root()).unwrap();
    until("it has ended", || watching.watcher.state().ended == Some(End::RootGone));
}

#[test]
fn a_failing_sync_is_tried_again() {
    let workspace = TestWorkspace::plain(FIXTURE);
    let (root, home) = (workspace.root(), workspace.home());
    let broken = Arc::new(Mutex::new(false));
    let is_broken = broken.clone();
    let events: Arc<Mutex<Vec<Event>>> = Arc::default();
    let heard = events.clone();
    let make = move || match *is_broken.lock().unwrap() {
        true => Err(codecompass_engine::Error::InvalidInput("a setting is wrong".into())),
        false => Engine::open(&root, &home, Config::default()),
    };
    let watcher =
        watch::start(make, Options::new(Owner::Server), move |event| heard.lock().unwrap().push(event)).unwrap();
    until("the first sync", || watcher.state().last_sync.is_some());
    *broken.lock().unwrap() = true;
    workspace.write("src/a.py", "def later():\n    pass\n");
    until("it is told", || events.lock().unwrap().iter().any(|event| matches!(event, Event::Failed { .. })));
    assert_eq!(watcher.state().last_error.as_deref(), Some("a setting is wrong"));
    *broken.lock().unwrap() = false;
    until_holds(&workspace, "src/a.py", "later");
    until("the error is forgotten", || watcher.state().last_error.is_none());
}

#[test]
fn nothing_to_watch_is_an_error() {
    let workspace = TestWorkspace::git(FIXTURE);
    let (root, home) = (workspace.root(), workspace.home());
    let at_commit = move || Engine::open(&root, &home, Config::default())?.at_ref("HEAD~0");
    assert!(watch::start(at_commit, Options::new(Owner::Server), |_| {}).is_err());
    let (gone, home) = (workspace.beside("gone"), workspace.home());
    let nowhere = move || Engine::open(&gone, &home, Config::default());
    assert!(watch::start(nowhere, Options::new(Owner::Server), |_| {}).is_err());
}
