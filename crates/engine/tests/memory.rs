//! A process that indexes and answers again and again keeps its size.

#![allow(clippy::unwrap_used, reason = "tests may fail loudly")]

use std::alloc::System;
use std::sync::Arc;
use std::time::Duration;

use cap::Cap;
use codecompass_engine::query::{self, LocateOptions, Navigator, SearchOptions};
use codecompass_engine::{Config, Engine, NoProgress, SnapshotCache, SyncOptions, sync};
use codecompass_testkit::TestWorkspace;

/// Counts the bytes in use, which is exact where a process's size is not: allocators keep what was
/// freed. SQLite, zstd and tree-sitter allocate by themselves and are not counted.
#[global_allocator]
static HEAP: Cap<System> = Cap::new(System, usize::MAX);

const FILES: usize = 40;
/// Caches fill within these.
const WARM_UP: usize = 30;
/// Cycles that are compared, after the warm-up and at the end.
const WINDOW: usize = 20;
const CYCLES: usize = 100;
/// Most growth from one window to the other: 5 KiB a cycle. Files of vectors, which are held in
/// memory, only grow; that is a third of it.
const MOST_GROWTH: usize = 256 << 10;

fn text(file: usize, version: usize) -> String {
    (0..12)
        .map(|n| {
            let name = format!("work_{file}_{n}");
            format!(
                "def {name}(x):\n    \"\"\"Answers {version}.\"\"\"\n    return work_{file}_{}(x)\n\n\n",
                (n + 1) % 12
            )
        })
        .collect()
}

/// One edit, the sync after it, and questions of each kind, as a server would ask them.
fn cycle(workspace: &TestWorkspace, engine: &Engine, number: usize) {
    let file = number % FILES;
    workspace.write(&format!("src/file{file}.py"), &text(file, number));
    drop(sync(engine, SyncOptions::default(), &NoProgress).unwrap());
    let snapshot = engine.snapshot().unwrap().unwrap();
    let options = SearchOptions { limit: 10, semantic: engine.semantic(), ..SearchOptions::default() };
    let found = query::search(&snapshot, "which function answers with work", &options).unwrap();
    assert!(!found.hits.is_empty());
    let name = format!("work_{file}_3");
    let located = query::locate(&snapshot, &name, &LocateOptions { limit: 3, ..LocateOptions::default() }).unwrap();
    let hit = &located.hits[0];
    let uses = Navigator::new(&snapshot).references_at(&hit.path, hit.line_start, None).unwrap();
    assert_eq!(uses.len(), 1, "{name}: {uses:?}");
    engine.return_snapshot(snapshot);
    // What a process holds grows with the store, which would grow with each version that it keeps.
    if number % 10 == 9 {
        engine.collect_garbage(Duration::ZERO).unwrap();
    }
}

#[test]
fn repeated_cycles_do_not_grow() {
    let workspace = TestWorkspace::plain("");
    (0..FILES).for_each(|file| workspace.write(&format!("src/file{file}.py"), &text(file, 0)));
    let mut config = Config::default();
    // So that it is no chance which thread's buffers have grown.
    config.index.threads = 1;
    let engine = Engine::open(&workspace.root(), &workspace.home(), config)
        .unwrap()
        .with_snapshot_cache(Arc::new(SnapshotCache::default()));
    let mut sizes = Vec::new();
    for number in 0..CYCLES {
        cycle(&workspace, &engine, number);
        sizes.push(HEAP.allocated());
    }
    // Segments are merged every few cycles, so the least of each window counts.
    let least = |sizes: &[usize]| sizes.iter().copied().min().unwrap();
    let (before, after) = (least(&sizes[WARM_UP..WARM_UP + WINDOW]), least(&sizes[CYCLES - WINDOW..]));
    assert!(after < before + MOST_GROWTH, "from {before} to {after} bytes: {sizes:?}");
}
