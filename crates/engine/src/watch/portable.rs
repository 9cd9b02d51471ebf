//! Events where the operating system reports whole trees: one recursive watch of the root, sorted
//! out by path, and one for each directory elsewhere that has a deciding file. The order of events
//! is not known, so `IS_RELIABLE` is false.

use std::collections::{BTreeSet, HashSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use notify::event::EventKind;
use notify::{RecommendedWatcher, RecursiveMode, Watcher as _};

use crate::error::Result;
use crate::scan::{Below, Effect, Entered, Listing};
use crate::watch::dirty_tracker::DirtyTracker;
use crate::watch::leader::LeaderFiles;
use crate::watch::watch_set::WatchSet;
use crate::watch::{Shared, Watching};

/// Listens until it is dropped.
pub(super) struct EventSource {
    watcher: RecommendedWatcher,
    places: Arc<Mutex<Arc<WatchSet>>>,
    watched: HashSet<PathBuf>,
}

/// True if this system guarantees that events are complete and in order.
pub(super) const IS_RELIABLE: bool = false;

impl EventSource {
    /// Begins with the folder of requests to stop.
    pub(super) fn start(leader: &LeaderFiles, shared: Arc<Shared>) -> Watching<EventSource> {
        let places: Arc<Mutex<Arc<WatchSet>>> = Arc::default();
        let current = places.clone();
        let folder = dunce::canonicalize(leader.folder()).unwrap_or_else(|_| leader.folder().to_path_buf());
        let (stop_file, lock_file) = (folder.join(leader.stop_file()), folder.join(leader.lock_file()));
        let handler = move |event: notify::Result<notify::Event>| {
            let places = current.lock().unwrap_or_else(PoisonError::into_inner).clone();
            handle(event, &places, &stop_file, &lock_file, &shared);
        };
        let mut watcher = notify::recommended_watcher(handler).map_err(|error| why(&error))?;
        watcher.watch(&folder, RecursiveMode::NonRecursive).map_err(|error| why(&error))?;
        Ok(EventSource { watcher, places, watched: HashSet::new() })
    }

    /// Watches these places and no others. Returns how many directories were not watched before.
    pub(super) fn watch(&mut self, places: WatchSet) -> Watching<usize> {
        let places = Arc::new(places);
        *self.places.lock().unwrap_or_else(PoisonError::into_inner) = places.clone();
        let elsewhere = places.named_directories().filter(|path| !path.starts_with(&places.root));
        let wanted: HashSet<PathBuf> = elsewhere.map(Path::to_path_buf).chain([places.root.clone()]).collect();
        for path in self.watched.difference(&wanted) {
            let _ = self.watcher.unwatch(path);
        }
        let mut added = 0;
        for path in wanted.difference(&self.watched) {
            let mode = if *path == places.root { RecursiveMode::Recursive } else { RecursiveMode::NonRecursive };
            match self.watcher.watch(path, mode) {
                Ok(()) => added += 1,
                Err(_) if !path.exists() => {}
                Err(error) => return Err(why(&error)),
            }
        }
        self.watched = wanted;
        Ok(added)
    }

    /// Does nothing: events do not tell exactly enough what changed to list it alone.
    pub(super) fn follow(
        &mut self,
        _tops: &BTreeSet<String>,
        _tracker: &DirtyTracker,
        _look: impl FnMut(&[(Entered, String)]) -> Result<Below>,
    ) -> Result<Watching<Option<Listing>>> {
        Ok(Ok(None))
    }

    /// Returns the number of watched directories.
    pub(super) fn count(&self) -> usize {
        self.places.lock().unwrap_or_else(PoisonError::into_inner).directories().count()
    }
}

fn handle(
    event: notify::Result<notify::Event>,
    places: &WatchSet,
    stop_file: &Path,
    lock_file: &Path,
    shared: &Shared,
) {
    let tracker = &shared.tracker;
    // Something was lost, which is all that errors here mean.
    let Ok(event) = event else { return tracker.tree_changed() };
    if event.need_rescan() {
        return tracker.tree_changed();
    }
    if matches!(event.kind, EventKind::Access(_)) {
        return;
    }
    for path in &event.paths {
        if path == stop_file {
            if !matches!(event.kind, EventKind::Remove(_)) {
                tracker.ask_to_stop();
            }
            continue;
        }
        let is_removed = matches!(event.kind, EventKind::Remove(_));
        if *path == places.root || path == lock_file && is_removed {
            tracker.tree_changed();
            continue;
        }
        let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else { continue };
        let effect = match path.symlink_metadata() {
            Ok(metadata) => places.effect(parent, name, metadata.is_dir()),
            // Gone: it may have been either.
            Err(_) => places.effect(parent, name, false).max(places.effect(parent, name, true)),
        };
        match effect {
            Effect::Directory | Effect::Shape => tracker.tree_changed(),
            Effect::File | Effect::Content => tracker.content_changed(),
            // A new directory that no listing has seen yet.
            Effect::None if !places.contains(parent) && path.starts_with(&places.root) && tracker.is_unwatched() => {
                tracker.content_changed();
            }
            Effect::None => {}
        }
    }
}

fn why(error: &notify::Error) -> String {
    match error.kind {
        notify::ErrorKind::MaxFilesWatch => "the system allows no more watched directories".to_string(),
        _ => format!("changes cannot be watched ({error})"),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::time::{Duration, Instant};

    use super::*;
    use crate::config::Config;
    use crate::engine::Engine;
    use crate::watch::Mode;

    /// One recursive watch, and the rules of the listing.
    #[test]
    fn a_tree_is_watched_as_one() {
        let directory = tempfile::tempdir().unwrap();
        let base = dunce::canonicalize(directory.path()).unwrap();
        let (root, home) = (base.join("root"), base.join("home"));
        fs::create_dir_all(root.join("src")).unwrap();
        fs::create_dir_all(root.join("node_modules/x")).unwrap();
        let engine = Engine::open(&root, &home, Config::default()).unwrap();
        let leader = LeaderFiles::at(&engine).unwrap();
        let shared =
            Arc::new(Shared { tracker: Default::default(), state: Mutex::default(), folder: Mutex::default() });
        let mut source = EventSource::start(&leader, shared.clone()).unwrap();
        let tracker = &shared.tracker;
        let cover = |source: &mut EventSource| {
            let ticket = tracker.begin();
            let added = source.watch(WatchSet::of(&engine, &[]).unwrap()).unwrap();
            tracker.watched(ticket);
            tracker.confirm(tracker.ticket(), 1);
            added
        };
        let until_dirty = |what: &str| {
            let start = Instant::now();
            while tracker.rests() {
                assert!(start.elapsed() < Duration::from_secs(60), "never came: {what}");
                std::thread::sleep(Duration::from_millis(5));
            }
        };
        // Events come in the order of what happened, at least on Linux: after the request nothing
        // older comes.
        let drain = || {
            tracker.forget_request();
            std::thread::sleep(Duration::from_millis(100));
            fs::write(leader.folder().join(leader.stop_file()), "").unwrap();
            let start = Instant::now();
            while !tracker.is_asked() {
                assert!(start.elapsed() < Duration::from_secs(60), "the request never came");
                std::thread::sleep(Duration::from_millis(5));
            }
        };
        assert_eq!(cover(&mut source), 1);
        assert_eq!((cover(&mut source), source.count()), (0, 2));
        assert_eq!(shared.state().mode, Mode::Watching);
        fs::write(root.join("src/a.py"), "x = 1\n").unwrap();
        until_dirty("a new file");
        fs::create_dir_all(root.join("src/new/deep")).unwrap();
        fs::write(root.join("src/new/deep/a.py"), "x = 1\n").unwrap();
        until_dirty("new directories");
        drain();
        cover(&mut source);
        assert_eq!(source.count(), 4);
        fs::write(root.join("src/new/deep/a.py"), "x = 2\n").unwrap();
        until_dirty("a file in a new directory");

        drain();
        cover(&mut source);
        fs::write(root.join("node_modules/x/a.js"), "x").unwrap();
        fs::write(root.join("src/a.png"), "x").unwrap();
        drain();
        if cfg!(target_os = "linux") {
            assert!(tracker.rests(), "what is ignored does not count");
        }
        fs::remove_dir_all(&root).unwrap();
        until_dirty("the end of the root");
    }
}
