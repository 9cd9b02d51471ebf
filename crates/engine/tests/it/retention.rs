//! Retention in the store: what a collection removes, and what it must keep for views in use and
//! for open snapshots.

use std::fs::File;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use codecompass_engine::query::{self, SearchOptions};
use codecompass_engine::{Config, Engine, GRACE, NoProgress, Snapshot, SyncOptions, SyncReport, sync};
use codecompass_testkit::TestWorkspace;
use rusqlite::Connection;

const DAY: i64 = 24 * 3600;

/// A repository with three commits; the first and the second differ from the third in one file
/// each.
fn workspace() -> TestWorkspace {
    let workspace = TestWorkspace::git("//- /a.py\ndef first():\n    pass\n//- /b.py\ndef other():\n    pass\n");
    for name in ["second", "third"] {
        workspace.write("a.py", &format!("def {name}():\n    pass\n"));
        workspace.commit(name);
    }
    workspace
}

fn engine(workspace: &TestWorkspace) -> Engine {
    Engine::open(&workspace.root(), &workspace.home(), Config::default()).unwrap()
}

fn at(workspace: &TestWorkspace, reference: &str) -> Engine {
    engine(workspace).at_ref(reference).unwrap()
}

fn up_to_date(engine: &Engine) -> (Snapshot, SyncReport) {
    sync(engine, SyncOptions::default(), &NoProgress).unwrap()
}

fn describe(snapshot: &Snapshot) -> String {
    let outlines: Vec<_> = snapshot.paths().map(|path| query::outline(snapshot, path)).collect();
    let found = query::search(snapshot, "first second third", &SearchOptions { limit: 100, ..Default::default() });
    format!("{outlines:?}\n{found:?}\n{:?}", query::status(snapshot))
}

fn db(workspace: &TestWorkspace) -> Connection {
    Connection::open(workspace.store().database()).unwrap()
}

fn now() -> i64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs() as i64
}

/// Makes all views look unused for so many days.
fn age_views(workspace: &TestWorkspace, days: i64) {
    db(workspace).execute("UPDATE view SET used_at = ?1", [now() - days * DAY]).unwrap();
}

fn used_at(workspace: &TestWorkspace, engine: &Engine) -> i64 {
    let name = engine.view_key().name;
    db(workspace).query_row("SELECT used_at FROM view WHERE name = ?1", [name], |row| row.get(0)).unwrap()
}

#[test]
fn unused_views_are_dropped_and_come_back_for_free() {
    let workspace = workspace();
    let engine = engine(&workspace);
    let (first, second) = (at(&workspace, "HEAD~2"), at(&workspace, "HEAD~1"));
    for engine in [&engine, &first, &second] {
        up_to_date(engine);
    }
    age_views(&workspace, 13);
    assert_eq!(engine.collect_garbage(GRACE).unwrap().dropped_views, []);
    age_views(&workspace, 15);
    // The view that is asked for and the one of the checkout are in use, however old.
    let collected = second.collect_garbage(GRACE).unwrap();
    let dropped: Vec<_> = collected.dropped_views.iter().map(|view| (view.name.as_str(), view.is_gone)).collect();
    assert_eq!(dropped, [(first.view_key().name.as_str(), false)]);
    assert_eq!((collected.removed_versions, collected.waiting_versions), (0, 1));
    let summary = engine.store_summary().unwrap();
    assert_eq!((summary.worktrees, summary.commits, summary.directories), (1, 1, 0));
    assert_eq!((summary.versions, summary.waiting_versions), (4, 1));
    assert!(summary.database_bytes > 0 && summary.text_bytes > 0 && summary.other_bytes > 0);
    assert!(first.snapshot().unwrap().is_none());
    assert_eq!(up_to_date(&first).1.parsed, 0, "its contents are still known");
    assert_eq!(engine.store_summary().unwrap().waiting_versions, 0);
    assert_eq!(engine.store_problems().unwrap(), [] as [&str; 0]);
}

#[test]
fn versions_outlive_their_views_by_a_grace_period() {
    let workspace = workspace();
    let engine = engine(&workspace);
    let first = at(&workspace, "HEAD~2");
    up_to_date(&engine);
    let expected = describe(&up_to_date(&first).0);
    age_views(&workspace, 15);
    engine.collect_garbage(GRACE).unwrap();
    let release = |days: i64| {
        let sql = "UPDATE file_version SET released_at = ?1 WHERE released_at IS NOT NULL";
        db(&workspace).execute(sql, [now() - days * DAY]).unwrap();
        engine.collect_garbage(GRACE).unwrap().removed_versions
    };
    assert_eq!((release(13), release(15)), (0, 1));
    let (snapshot, report) = up_to_date(&first);
    assert_eq!((report.parsed, describe(&snapshot)), (1, expected));
}

#[test]
fn the_setting_counts() {
    let workspace = workspace();
    up_to_date(&engine(&workspace));
    up_to_date(&at(&workspace, "HEAD~2"));
    age_views(&workspace, 15);
    let mut config = Config::default();
    config.index.keep_views_days = 30;
    let patient = Engine::open(&workspace.root(), &workspace.home(), config).unwrap();
    assert_eq!(patient.collect_garbage(GRACE).unwrap().dropped_views, []);
    age_views(&workspace, 31);
    assert_eq!(patient.collect_garbage(GRACE).unwrap().dropped_views.len(), 1);
}

#[test]
fn use_is_noted_once_a_day() {
    let workspace = workspace();
    let engines = [engine(&workspace), at(&workspace, "HEAD~2")];
    for engine in &engines {
        up_to_date(engine);
    }
    for engine in &engines {
        age_views(&workspace, 3);
        assert!(!up_to_date(engine).1.published);
        assert!(now() - used_at(&workspace, engine) < DAY, "a question is a use");
        let earlier = now() - DAY + 600;
        db(&workspace).execute("UPDATE view SET used_at = ?1", [earlier]).unwrap();
        up_to_date(engine);
        assert_eq!(used_at(&workspace, engine), earlier, "noted today already");
        // A query does not wait for a writer to note it.
        age_views(&workspace, 3);
        let lock = File::open(workspace.store().root().join("writer.lock")).unwrap();
        lock.lock().unwrap();
        up_to_date(engine);
        assert!(now() - used_at(&workspace, engine) > 2 * DAY);
        drop(lock);
        up_to_date(engine);
        assert!(now() - used_at(&workspace, engine) < DAY);
    }
}

#[test]
fn a_sync_forgets_once_a_day() {
    let workspace = workspace();
    let engine = engine(&workspace);
    let first = at(&workspace, "HEAD~2");
    up_to_date(&engine);
    up_to_date(&first);
    let set_last = |time: i64| {
        db(&workspace).execute("UPDATE meta SET value = ?1 WHERE key = 'collected_at'", [time]).unwrap();
    };
    let publish = |name: &str| {
        age_views(&workspace, 20);
        workspace.write("b.py", &format!("def {name}():\n    pass\n"));
        let (snapshot, report) = up_to_date(&engine);
        assert!(report.published && describe(&snapshot).contains(name));
        first.snapshot().unwrap().is_some()
    };
    assert!(publish("today"), "the store was made today");
    set_last(now() - 2 * DAY);
    age_views(&workspace, 20);
    up_to_date(&engine);
    assert!(first.snapshot().unwrap().is_some(), "nothing was published");
    assert!(!publish("later"), "dropped");
    up_to_date(&first);
    assert!(publish("again"), "once a day is enough");
    // A clock that was set back does not stop it for ever.
    set_last(now() + 30 * DAY);
    assert!(!publish("back"));
    assert_eq!(engine.store_problems().unwrap(), [] as [&str; 0]);
}

#[test]
fn who_reads_a_dropped_view_does_not_notice() {
    let workspace = workspace();
    let engine = engine(&workspace);
    let first = at(&workspace, "HEAD~2");
    up_to_date(&engine);
    let (held, _) = up_to_date(&first);
    let expected = describe(&held);
    age_views(&workspace, 15);
    let collected = engine.collect_garbage(Duration::ZERO).unwrap();
    assert_eq!((collected.dropped_views.len(), collected.removed_versions), (1, 1));
    assert_eq!(describe(&held), expected, "a snapshot holds what it needs");
    let (snapshot, report) = up_to_date(&first);
    assert_eq!((report.parsed, describe(&snapshot)), (1, expected));
}

#[test]
fn a_view_that_was_dropped_and_made_anew_is_not_taken_for_the_old_one() {
    let workspace = workspace();
    let other = workspace.beside("other");
    workspace.run_git(&["worktree", "add", "--quiet", "-b", "side", other.to_str().unwrap()]);
    let engine = engine(&workspace);
    up_to_date(&engine);
    let side = Engine::open(&other, &workspace.home(), Config::default()).unwrap();
    for round in 0..3 {
        std::fs::write(other.join("a.py"), format!("def side_{round}():\n    pass\n")).unwrap();
        let (held, _) = up_to_date(&side);
        assert_eq!(query::status(&held).unwrap().generation, 1);
        assert!(describe(&held).contains(&format!("side_{round}")));
        age_views(&workspace, 15);
        assert_eq!(engine.collect_garbage(Duration::ZERO).unwrap().dropped_views.len(), 1);
    }
}
