//! Guarantees of snapshots: one never changes, no writer waits for it, and a new one holds the last
//! write.

use std::fs;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use codecompass_engine::query::{self, LocateOptions, SearchOptions};
use codecompass_engine::{Config, Engine, NoProgress, Snapshot, SyncOptions, sync};
use codecompass_testkit::TestWorkspace;

fn engine(workspace: &TestWorkspace) -> Engine {
    Engine::open(&workspace.root(), &workspace.home(), Config::default()).unwrap()
}

fn up_to_date(engine: &Engine) -> Snapshot {
    sync(engine, SyncOptions::default(), &NoProgress).unwrap().0
}

fn describe(snapshot: &Snapshot) -> String {
    let paths: Vec<String> = snapshot.paths().map(str::to_string).collect();
    let outlines: Vec<_> = paths.iter().map(|path| query::outline(snapshot, path)).collect();
    let found = query::search(snapshot, "answers of functions", &SearchOptions { limit: 100, ..Default::default() });
    format!("{paths:?}\n{outlines:?}\n{found:?}\n{:?}", query::status(snapshot))
}

fn fixture(count: usize) -> String {
    (0..count)
        .map(|n| format!("//- /file{n}.py\ndef function_{n}():\n    \"\"\"Answers.\"\"\"\n    return {n}\n"))
        .collect()
}

#[test]
fn snapshots_never_change() {
    let workspace = TestWorkspace::plain(&fixture(20));
    let engine = engine(&workspace);
    let mut held: Vec<(Snapshot, String)> = Vec::new();
    for round in 0..6 {
        let snapshot = up_to_date(&engine);
        let description = describe(&snapshot);
        held.push((snapshot, description));
        for file in 0..10 {
            workspace.write(&format!("file{file}.py"), &format!("def changed_{round}_{file}():\n    pass\n"));
        }
        workspace.remove(&format!("file{}.py", 19 - round));
        up_to_date(&engine);
        match round % 3 {
            0 => drop(engine.collect_garbage(Duration::ZERO).unwrap()),
            1 => drop(sync(&engine, SyncOptions { rebuild: true, ..SyncOptions::default() }, &NoProgress).unwrap()),
            _ => {}
        }
        for (snapshot, description) in &held {
            assert_eq!(describe(snapshot), *description);
        }
    }
}

#[test]
fn nobody_waits_for_a_snapshot() {
    let workspace = TestWorkspace::plain(&fixture(5));
    let engine = engine(&workspace);
    let _held = up_to_date(&engine);
    let start = Instant::now();
    for round in 0..3 {
        workspace.write("file0.py", &format!("def changed_{round}():\n    pass\n"));
        up_to_date(&engine);
    }
    engine.collect_garbage(Duration::ZERO).unwrap();
    // Far more than it takes, far less than any time-out.
    assert!(start.elapsed() < Duration::from_secs(8), "{:?}", start.elapsed());
}

#[test]
fn the_last_write_counts() {
    let workspace = TestWorkspace::plain("//- /other.py\ndef other():\n    pass\n");
    let engine = engine(&workspace);
    let file = workspace.root().join("racy.py");
    // All of one size, so that only the clock can tell them apart; some are no text at all.
    let contents: Vec<Vec<u8>> = (0..6)
        .map(|n| match n % 3 {
            0 => format!("def written_{n}():\n    return '\0'\n").into_bytes(),
            _ => format!("def written_{n}():\n    return 'x'\n").into_bytes(),
        })
        .collect();
    for round in 0..12 {
        let done = AtomicBool::new(false);
        let last = std::thread::scope(|scope| {
            let writer = scope.spawn(|| {
                let mut last = 0;
                for n in round.. {
                    last = n % contents.len();
                    fs::write(&file, &contents[last]).unwrap();
                    if done.load(Ordering::Relaxed) {
                        break;
                    }
                }
                last
            });
            up_to_date(&engine);
            done.store(true, Ordering::Relaxed);
            writer.join().unwrap()
        });
        let snapshot = up_to_date(&engine);
        let name = format!("written_{last}");
        let found = query::locate(&snapshot, &name, &LocateOptions { limit: 1, ..Default::default() }).unwrap();
        let name_found = found.hits.first().is_some_and(|hit| hit.name == name);
        assert_eq!(name_found, last % 3 != 0, "round {round} ended with {name}: {found:?}");
        assert!(engine.is_fresh().unwrap());
    }
}

#[test]
fn commits_without_edits_are_noticed() {
    let workspace = TestWorkspace::git(&fixture(2));
    let engine = engine(&workspace);
    up_to_date(&engine);
    assert!(engine.is_fresh().unwrap());
    workspace.commit("nothing new");
    assert!(!engine.is_fresh().unwrap(), "the index speaks for another commit");
    let head = workspace.run_git(&["rev-parse", "HEAD"]);
    assert_eq!(query::status(&up_to_date(&engine)).unwrap().head_commit.as_deref(), Some(head.trim()));
    workspace.run_git(&["checkout", "--quiet", "-b", "other"]);
    assert!(!engine.is_fresh().unwrap());
    assert_eq!(query::status(&up_to_date(&engine)).unwrap().head_ref.as_deref(), Some("other"));
}
