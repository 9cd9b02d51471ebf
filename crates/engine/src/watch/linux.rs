//! Events from inotify, straight.
//!
//! The crate that other systems use here would do for waking up, but not for vouching: it also asks
//! for every opening of a file, so each listing of ours would fill the queue that it is to watch,
//! and when a directory is renamed while it is being watched anew it forgets the new watch. Both
//! matter when [`DirtyTracker::settle`](crate::watch::dirty_tracker::DirtyTracker::settle) is to be
//! believed.
//!
//! What settling rests on: an instance of inotify has one queue, in order, and a write is in it
//! before the call that wrote returns. So when the event of a cookie file comes, everything saved
//! before it was made has come. When the queue overflows, that is an event, too, and counts as a
//! change of everything.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

use inotify::{Event, EventMask, Inotify, WatchDescriptor, WatchMask, Watches};
use rustix::io::Errno;

use crate::error::Result;
use crate::scan::{Below, Effect, Entered, Listing};
use crate::watch::dirty_tracker::{COOKIE, DirtyTracker};
use crate::watch::leader::LeaderFiles;
use crate::watch::watch_set::WatchSet;
use crate::watch::{Shared, Watching};

/// Listens until it is dropped.
pub(super) struct EventSource {
    watches: Watches,
    /// Removing this watch wakes the thread up.
    anchor: WatchDescriptor,
    watched: Arc<Mutex<WatchTable>>,
    thread: Option<JoinHandle<()>>,
}

/// The watched directories. The kernel's watches are the same but for events that are still in the
/// queue, and each of those makes the directories be listed again.
#[derive(Default)]
struct WatchTable {
    by_path: BTreeMap<PathBuf, WatchDescriptor>,
    by_watch: HashMap<WatchDescriptor, PathBuf>,
    /// Events were lost, so it may be wrong.
    is_suspect: bool,
    places: Arc<WatchSet>,
    folder: Option<WatchDescriptor>,
    stops: bool,
}

/// True if this system guarantees that events are complete and in order.
pub(super) const IS_RELIABLE: bool = true;

/// Looks at new directories: each finds what came while the one before was read, and there are two
/// at least.
const MOST_LOOKS: usize = 5;

/// Messages for users: the reason why there are no events, and the remedy.
const NO_INSTANCE: &str = "the system allows no more watchers; raise fs.inotify.max_user_instances";
const NO_WATCHES: &str = "the system allows no more watched directories; raise fs.inotify.max_user_watches";

/// Returns the kinds of events to report. Opening a file is not one of them: the engine's own
/// listings would cause most of those events.
fn mask() -> WatchMask {
    WatchMask::CREATE
        | WatchMask::DELETE
        | WatchMask::MODIFY
        | WatchMask::CLOSE_WRITE
        | WatchMask::ATTRIB
        | WatchMask::MOVED_FROM
        | WatchMask::MOVED_TO
        | WatchMask::DELETE_SELF
        | WatchMask::MOVE_SELF
        | WatchMask::ONLYDIR
        | WatchMask::DONT_FOLLOW
}

impl EventSource {
    /// Begins with the folder of cookies and requests to stop.
    pub(super) fn start(leader: &LeaderFiles, shared: Arc<Shared>) -> Watching<EventSource> {
        let inotify = Inotify::init().map_err(|error| why(&error, NO_INSTANCE))?;
        let mut watches = inotify.watches();
        let anchor = watches.add("/", WatchMask::DELETE_SELF).map_err(|error| why(&error, NO_WATCHES))?;
        let cookies = watches.add(leader.folder(), mask()).map_err(|error| why(&error, NO_WATCHES))?;
        let watched = Arc::new(Mutex::new(WatchTable { folder: Some(cookies), ..WatchTable::default() }));
        let cookie = format!("{COOKIE}{}-", std::process::id());
        let names = ControlFiles { cookie, stop: leader.stop_file(), lock: leader.lock_file() };
        let reader = EventReader { inotify, watches: watches.clone(), watched: watched.clone(), shared, names };
        let thread = std::thread::Builder::new().name("watch events".into()).spawn(move || reader.run());
        let thread = thread.map_err(|error| format!("no thread can be started ({error})"))?;
        Ok(EventSource { watches, anchor, watched, thread: Some(thread) })
    }

    /// Watches these places and no others. Returns how many directories were not watched before.
    pub(super) fn watch(&mut self, places: WatchSet) -> Watching<usize> {
        let places = Arc::new(places);
        let mut watched = lock(&self.watched);
        // From here on events are judged by the new rules.
        watched.places = places.clone();
        let is_suspect = std::mem::take(&mut watched.is_suspect);
        watched.drop_unwanted(&mut self.watches);
        drop(watched);
        let directories: Vec<&Path> = places.directories().collect();
        self.add(&directories, is_suspect)
    }

    /// Watches directories; `again` also those that seem to be watched. Returns how many were not.
    fn add(&mut self, directories: &[impl AsRef<Path>], again: bool) -> Watching<usize> {
        let mut added = 0;
        for path in directories {
            let path = path.as_ref();
            // The lock is held for one directory at a time, so that the reader can keep up.
            let mut watched = lock(&self.watched);
            if watched.by_path.contains_key(path) && !again {
                continue;
            }
            match self.watches.add(path, mask()) {
                Ok(watch) => added += usize::from(watched.insert(path, watch, &mut self.watches)),
                // Gone again, or no directory any more, or below a link; the directory above tells
                // about it.
                Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {}
                // A link that leads to itself has come in the place of a directory above.
                Err(error) if Errno::from_io_error(&error) == Some(Errno::LOOP) => {}
                // Listings cannot enter it, either.
                Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {}
                Err(error) => return Err(why(&error, NO_WATCHES)),
            }
        }
        Ok(added)
    }

    /// Watches what is now at and below these paths, relative to the root, where nothing else has
    /// changed; `look` tells what there is. Gives what a listing has there now; `None` when looking
    /// there is not enough. The inner error is why it cannot be watched. Saves of files there that
    /// `tracker` knows of are forgotten, since they were judged by the rules of before.
    pub(super) fn follow(
        &mut self,
        tops: &BTreeSet<String>,
        tracker: &DirtyTracker,
        mut look: impl FnMut(&[(Entered, String)]) -> Result<Below>,
    ) -> Result<Watching<Option<Listing>>> {
        let entries = {
            let watched = lock(&self.watched);
            watched.places.entries(tops).filter(|_| !watched.is_suspect)
        };
        let Some(entries) = entries else { return Ok(Ok(None)) };
        let mut rules = None;
        for _ in 0..MOST_LOOKS {
            let Below { listing, mut entered } = look(&entries)?;
            entered.sort_by(|a, b| a.path.cmp(&b.path));
            let is_known = rules.as_ref() == Some(&entered);
            if !is_known {
                let mut watched = lock(&self.watched);
                let Some(places) = Arc::get_mut(&mut watched.places) else { return Ok(Ok(None)) };
                // From here on events are judged by the new rules.
                places.replace_below(tops, &entered);
                watched.drop_unwanted(&mut self.watches);
                tracker.forget_files(tops);
            }
            let directories: Vec<PathBuf> = {
                let watched = lock(&self.watched);
                entered.iter().map(|entered| watched.places.root.join(&entered.path)).collect()
            };
            match self.add(&directories, false) {
                // All was watched, and events judged by the same rules, since before this look.
                Ok(0) if is_known => return Ok(Ok(Some(listing))),
                Ok(_) => rules = Some(entered),
                Err(why) => return Ok(Err(why)),
            }
        }
        Ok(Ok(None))
    }

    /// Returns the number of watched directories.
    pub(super) fn count(&self) -> usize {
        lock(&self.watched).by_path.len()
    }
}

impl Drop for EventSource {
    fn drop(&mut self) {
        lock(&self.watched).stops = true;
        let is_woken = self.watches.remove(self.anchor.clone()).is_ok();
        if let Some(thread) = self.thread.take()
            && is_woken
        {
            let _ = thread.join();
        }
    }
}

impl WatchTable {
    /// Notes a watch; `false` when it was noted already.
    fn insert(&mut self, path: &Path, watch: WatchDescriptor, watches: &mut Watches) -> bool {
        let before = self.by_path.insert(path.to_path_buf(), watch.clone());
        if before.as_ref() == Some(&watch) {
            return false;
        }
        if let Some(before) = before
            && self.by_watch.get(&before).is_some_and(|other| other == path)
        {
            // Another directory has this name now.
            self.by_watch.remove(&before);
            let _ = watches.remove(before);
        }
        // The same directory may have had another name.
        if let Some(former) = self.by_watch.insert(watch, path.to_path_buf())
            && former != path
        {
            self.by_path.remove(&former);
        }
        true
    }

    /// Ends the watches of directories in which nothing matters any more.
    fn drop_unwanted(&mut self, watches: &mut Watches) {
        let unwanted: Vec<PathBuf> = self.by_path.keys().filter(|path| !self.places.contains(path)).cloned().collect();
        for path in unwanted {
            if let Some(watch) = self.by_path.remove(&path) {
                self.by_watch.remove(&watch);
                let _ = watches.remove(watch);
            }
        }
    }

    /// Forgets a directory and all below it.
    fn forget(&mut self, top: &Path, watches: &mut Watches) {
        let below: Vec<PathBuf> = self
            .by_path
            .range(top.to_path_buf()..)
            .map(|(path, _)| path)
            .take_while(|path| path.starts_with(top))
            .cloned()
            .collect();
        for path in below {
            if let Some(watch) = self.by_path.remove(&path) {
                self.by_watch.remove(&watch);
                let _ = watches.remove(watch);
            }
        }
    }
}

/// The thread that reads events.
struct EventReader {
    inotify: Inotify,
    watches: Watches,
    watched: Arc<Mutex<WatchTable>>,
    shared: Arc<Shared>,
    names: ControlFiles,
}

/// Names in the folder that mean something.
struct ControlFiles {
    /// With the number behind it.
    cookie: String,
    stop: String,
    lock: String,
}

impl EventReader {
    fn run(mut self) {
        let mut buffer = vec![0; 64 << 10];
        loop {
            match self.inotify.read_events_blocking(&mut buffer) {
                Ok(events) => {
                    for event in events {
                        let mut watched = lock(&self.watched);
                        handle(&event, &mut watched, &mut self.watches, &self.shared.tracker, &self.names);
                    }
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(_) => {
                    // Nothing more will come; who asks is told so, and the reconcile goes on.
                    self.shared.tracker.set_reliable(false);
                    return;
                }
            }
            if lock(&self.watched).stops {
                return;
            }
        }
    }
}

fn handle(
    event: &Event<&OsStr>,
    watched: &mut WatchTable,
    watches: &mut Watches,
    tracker: &DirtyTracker,
    names: &ControlFiles,
) {
    let is_self =
        event.mask.intersects(EventMask::DELETE_SELF | EventMask::MOVE_SELF | EventMask::IGNORED | EventMask::UNMOUNT);
    if event.mask.contains(EventMask::Q_OVERFLOW) {
        watched.is_suspect = true;
        return tracker.tree_changed();
    }
    if watched.folder.as_ref() == Some(&event.wd) {
        let name = event.name.and_then(|name| name.to_str()).unwrap_or_default();
        // The folder itself stays as long as the lock is open, and no event tells that it is gone.
        if is_self || name == names.lock && event.mask.intersects(EventMask::DELETE | EventMask::MOVED_FROM) {
            tracker.set_reliable(false);
            return tracker.tree_changed();
        }
        if event.mask.contains(EventMask::CREATE)
            && let Some(number) = name.strip_prefix(&names.cookie).and_then(|number| number.parse().ok())
        {
            tracker.cookie(number);
        } else if name == names.stop && event.mask.intersects(EventMask::CREATE | EventMask::MOVED_TO) {
            tracker.ask_to_stop();
        }
        return;
    }
    let Some(path) = watched.by_watch.get(&event.wd).cloned() else { return };
    if is_self {
        watched.forget(&path, watches);
        return match (path.parent(), path.file_name()) {
            (Some(parent), Some(name)) if watched.places.effect(parent, name, true) == Effect::Directory => {
                tracker.directory_changed(watched.places.relative(parent, name));
            }
            _ => tracker.tree_changed(),
        };
    }
    let Some(name) = event.name else { return tracker.tree_changed() };
    let is_dir = event.mask.contains(EventMask::ISDIR);
    // One that is kept by open files in it does not tell by itself that it went.
    if is_dir && !event.mask.contains(EventMask::ATTRIB) {
        watched.forget(&path.join(name), watches);
    }
    match watched.places.effect(&path, name, is_dir) {
        Effect::None => {}
        Effect::File => tracker.file_changed(watched.places.relative(&path, name)),
        Effect::Content => tracker.content_changed(),
        Effect::Directory => tracker.directory_changed(watched.places.relative(&path, name)),
        Effect::Shape => tracker.tree_changed(),
    }
}

fn lock(watched: &Mutex<WatchTable>) -> MutexGuard<'_, WatchTable> {
    watched.lock().unwrap_or_else(PoisonError::into_inner)
}

fn why(error: &io::Error, exhausted: &str) -> String {
    match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::OutOfMemory | io::ErrorKind::QuotaExceeded => exhausted.to_string(),
        _ if Errno::from_io_error(error) == Some(Errno::MFILE) => NO_INSTANCE.to_string(),
        _ => format!("changes cannot be watched ({error})"),
    }
}
