//! A run that stops half-way is gone on with, not begun again; and what it left behind never shows
//! in an answer.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use codecompass_engine::query::{self, SearchOptions};
use codecompass_engine::{Config, Engine, Error, JobState, NoProgress, Progress, Snapshot, Stage, SyncOptions, sync};
use codecompass_testkit::TestWorkspace;

const FILES: usize = 10;

fn workspace(is_git: bool) -> TestWorkspace {
    let files: String =
        (0..FILES).map(|n| format!("//- /f{n:02}.py\ndef function_{n}():\n    return compute({n})\n")).collect();
    if is_git { TestWorkspace::git(&files) } else { TestWorkspace::plain(&files) }
}

/// An engine that makes every file durable as soon as it is stored.
fn engine(workspace: &TestWorkspace) -> Engine {
    let mut config = Config::default();
    config.index.save_every = Duration::ZERO;
    Engine::open(&workspace.root(), &workspace.home(), config).unwrap()
}

/// Cancels a sync when so many files are stored.
struct Until(usize, AtomicUsize);

impl Progress for Until {
    fn report(&self, stage: Stage, done: usize, _: usize) {
        if stage == Stage::Indexing {
            self.1.store(done, Ordering::Relaxed);
        }
    }

    fn is_cancelled(&self) -> bool {
        self.1.load(Ordering::Relaxed) >= self.0
    }
}

fn stop_after(engine: &Engine, files: usize) {
    let stopped = sync(engine, SyncOptions::default(), &Until(files, AtomicUsize::new(0)));
    assert!(matches!(stopped, Err(Error::Cancelled)));
}

fn search(snapshot: &Snapshot) -> Vec<query::Hit> {
    query::search(snapshot, "compute", &SearchOptions { limit: 100, ..Default::default() }).unwrap().hits
}

fn describe(snapshot: &Snapshot) -> String {
    let outlines: Vec<_> = snapshot.paths().map(|path| (path, query::outline(snapshot, path).unwrap())).collect();
    format!("{outlines:?}\n{:?}", search(snapshot))
}

#[test]
fn what_was_saved_is_not_parsed_again() {
    for is_git in [false, true] {
        let workspace = workspace(is_git);
        let engine = engine(&workspace);
        stop_after(&engine, 4);
        assert!(engine.snapshot().unwrap().is_none(), "nothing is published yet");
        let saved = engine.unfinished_snapshot().unwrap().unwrap();
        assert_eq!((saved.paths().count(), query::status(&saved).unwrap().files), (4, 4));
        assert_eq!(search(&saved).len(), 4);
        drop(saved);
        assert_eq!(engine.interrupted_job().unwrap().state, JobState::RolledBack);

        let (snapshot, report) = sync(&engine, SyncOptions::default(), &NoProgress).unwrap();
        assert_eq!((report.parsed, report.reused), (FILES - 4, 4));
        assert_eq!(engine.interrupted_job(), None);
        assert!(engine.unfinished_snapshot().unwrap().is_none(), "there is something better");

        let fresh = self::workspace(is_git);
        let (fresh, _) = sync(&self::engine(&fresh), SyncOptions::default(), &NoProgress).unwrap();
        assert_eq!(describe(&snapshot), describe(&fresh));
    }
}

#[test]
fn what_changed_meanwhile_is_read() {
    let workspace = workspace(false);
    let engine = engine(&workspace);
    stop_after(&engine, FILES - 1);
    for n in 0..FILES / 2 {
        workspace.write(&format!("f{n:02}.py"), &format!("def changed_{n}():\n    return 1\n"));
    }
    workspace.remove("f09.py");
    let (snapshot, report) = sync(&engine, SyncOptions::default(), &NoProgress).unwrap();
    assert!(report.parsed >= FILES / 2 && report.parsed <= FILES / 2 + 1, "{report:?}");
    assert_eq!(snapshot.paths().count(), FILES - 1);
    for n in 0..FILES / 2 {
        let outline = query::outline(&snapshot, &format!("f{n:02}.py")).unwrap();
        assert_eq!(outline.symbols[0].name, format!("changed_{n}"));
    }
    // Nothing is remembered of the file that is gone.
    let db = rusqlite::Connection::open(workspace.store().database()).unwrap();
    let stats: u32 = db.query_row("SELECT count(*) FROM file_stat", [], |row| row.get(0)).unwrap();
    assert!(stats < FILES as u32, "{stats}");
}

#[test]
fn a_later_run_that_stops_leaves_the_published_state() {
    let workspace = workspace(true);
    let engine = engine(&workspace);
    let (before, _) = sync(&engine, SyncOptions::default(), &NoProgress).unwrap();
    let before = describe(&before);
    for n in 0..FILES {
        workspace.write(&format!("f{n:02}.py"), &format!("def other_{n}():\n    return compute({n})\n"));
    }
    stop_after(&engine, 6);
    assert_eq!(describe(&engine.snapshot().unwrap().unwrap()), before);
    let (snapshot, report) = sync(&engine, SyncOptions::default(), &NoProgress).unwrap();
    assert_eq!(report.parsed, FILES - 6);
    assert!(describe(&snapshot).contains("other_7") && !describe(&snapshot).contains("function_7"));
}

/// Stops as soon as another process is waited for.
struct NoWaiting(AtomicUsize);

impl Progress for NoWaiting {
    fn report(&self, stage: Stage, _: usize, _: usize) {
        self.0.fetch_add(usize::from(matches!(stage, Stage::Waiting(_))), Ordering::Relaxed);
    }

    fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed) > 0
    }
}

#[test]
fn who_waits_for_another_writer_can_be_stopped() {
    let workspace = workspace(false);
    let engine = engine(&workspace);
    sync(&engine, SyncOptions::default(), &NoProgress).unwrap();
    let before = describe(&engine.snapshot().unwrap().unwrap());
    workspace.write("f00.py", "def changed():\n    return 1\n");
    let lock = std::fs::File::open(engine.store_root().join("writer.lock")).unwrap();
    lock.lock().unwrap();
    for rebuild in [false, true] {
        let options = SyncOptions { rebuild, ..SyncOptions::default() };
        assert!(matches!(sync(&engine, options, &NoWaiting(AtomicUsize::new(0))), Err(Error::Cancelled)));
    }
    assert_eq!(describe(&engine.snapshot().unwrap().unwrap()), before);
    drop(lock);
    let (_, report) = sync(&engine, SyncOptions::default(), &NoProgress).unwrap();
    assert_eq!((report.parsed, engine.interrupted_job()), (1, None));
}
