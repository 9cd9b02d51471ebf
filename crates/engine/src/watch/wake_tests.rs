//! Tests of waking up from sleep, by clocks that a test sets.

use std::fs;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant, SystemTime};

use codecompass_testkit::{DEADLINE, TestWorkspace, skip, until};

use crate::config::Config;
use crate::engine::Engine;
use crate::query;
use crate::watch::dirty_tracker::Settled;
use crate::watch::timing::Clocks;
use crate::watch::{Event, Mode, Options, Owner, Watcher, start_by};

/// Makes the worker look around, as it does every few seconds, without any event about files.
fn look_around(watcher: &Watcher) {
    watcher.shared.tracker.ask_to_stop();
    until("it has looked around", || !watcher.shared.tracker.is_asked());
}

#[test]
fn waking_up_reconciles() {
    let workspace = TestWorkspace::plain("//- /src/a.py\ndef before():\n    pass\n");
    let (root, home) = (workspace.root(), workspace.home());
    let make = {
        let (root, home) = (root.clone(), home.clone());
        move || Engine::open(&root, &home, Config::default())
    };
    let begin = (Instant::now(), SystemTime::now());
    let (awake, asleep) = (Arc::new(AtomicU64::new(0)), Arc::new(AtomicU64::new(0)));
    let clocks = Clocks::new({
        let (awake, asleep) = (awake.clone(), asleep.clone());
        move || {
            let seen = Duration::from_secs(awake.load(Ordering::Relaxed));
            (begin.0 + seen, begin.1 + seen + Duration::from_secs(asleep.load(Ordering::Relaxed)))
        }
    });
    let syncs = Arc::new(AtomicUsize::new(0));
    let heard = syncs.clone();
    let listener = Mutex::new(move |event: Event| {
        if let Event::Synced { .. } = event {
            heard.fetch_add(1, Ordering::Relaxed);
        }
    });
    let watcher =
        start_by(clocks, make, Options::new(Owner::Server), move |event| (listener.lock().unwrap())(event)).unwrap();
    until("the first sync", || watcher.state().last_sync.is_some());
    if watcher.state().mode != Mode::Watching {
        return skip("this system reports no changes, and polling would find the edit");
    }
    let Settled::Clean { .. } = watcher.wait(DEADLINE) else { panic!("the index never settled") };

    // A name in another directory: writes through it are not reported.
    let link = workspace.beside("link.py");
    fs::hard_link(root.join("src/a.py"), &link).unwrap();
    let Settled::Clean { .. } = watcher.wait(DEADLINE) else { panic!("the index never settled") };
    let syncs_before = syncs.load(Ordering::Relaxed);
    fs::write(&link, "def after_the_sleep():\n    pass\n").unwrap();
    // An hour in which the machine was awake is no reason, and the reconcile goes by the real
    // clock.
    awake.store(3600, Ordering::Relaxed);
    (0..3).for_each(|_| look_around(&watcher));
    assert_eq!(syncs.load(Ordering::Relaxed), syncs_before, "no event came, so nobody looked");

    asleep.store(3600, Ordering::Relaxed);
    look_around(&watcher);
    let names = || -> Vec<String> {
        let snapshot = Engine::open(&root, &home, Config::default()).unwrap().snapshot().unwrap().unwrap();
        query::outline(&snapshot, "src/a.py").unwrap().symbols.into_iter().map(|symbol| symbol.name).collect()
    };
    until("the edit that nobody reported", || names() == ["after_the_sleep"]);
    until("it is told", || syncs.load(Ordering::Relaxed) > syncs_before);
}
