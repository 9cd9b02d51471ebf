//! Counts events that matter, and knows up to which of them the view is in the index.
//!
//! The order is everything. A sync covers the events that were counted before its listing began;
//! one that comes while it runs makes the view dirty again. Watches cover what a listing of
//! directories saw if no directory has come since, so such events are counted apart.

use std::collections::{BTreeSet, HashSet};
use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

#[cfg(any(target_os = "linux", test))]
use crate::scan::is_at_or_below;

/// The result of [`Watcher::settle`](crate::watch::Watcher::settle).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Settled {
    /// The index holds everything that was saved before the call.
    Clean {
        /// The generation of the view that holds it; later ones do, too.
        generation: i64,
    },
    /// Something was saved, and no sync has seen it yet.
    Dirty,
    /// It cannot be told; look at the files.
    Unknown,
}

/// The events that a sync covers which begins now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ticket {
    seen: u64,
}

/// The times of the first and the last event since the last round began.
#[derive(Clone, Copy, Debug)]
pub(super) struct Burst {
    pub(super) first: Instant,
    pub(super) last: Instant,
}

#[derive(Default)]
pub(super) struct DirtyTracker {
    inner: Mutex<Inner>,
    changed: Condvar,
}

struct Inner {
    /// Events that matter.
    seen: u64,
    /// The last one that may change which directories are watched.
    shape_seen: u64,
    /// The watches cover the directories as of this event.
    shape_done: u64,
    /// The index covers the events up to this one.
    synced: u64,
    generation: i64,
    burst: Option<Burst>,
    /// The files that the events since the last listing were about; `None` when that is not all
    /// there is to them.
    files: Option<BTreeSet<String>>,
    /// The directories that came, went or changed since the watches covered all; `None` when that
    /// is not all there is to it.
    directories: Option<BTreeSet<String>>,
    /// True if a call of `catch_up` waits for the next sync, so that it begins at once.
    hurried: bool,
    /// The start of the last call of `settle` or `catch_up`.
    asked: Option<Instant>,
    /// True if every event is certain to be counted before a cookie is.
    is_reliable: bool,
    /// Cookies that are waited for, and those that came.
    expected: HashSet<u64>,
    came: HashSet<u64>,
    stops: bool,
    asked_to_stop: bool,
    has_ended: bool,
}

impl Default for Inner {
    fn default() -> Inner {
        // Nothing is watched and nothing is synced: as if an event had come.
        Inner {
            seen: 1,
            shape_seen: 1,
            shape_done: 0,
            synced: 0,
            generation: 0,
            burst: None,
            files: None,
            directories: None,
            hurried: false,
            asked: None,
            is_reliable: false,
            expected: HashSet::new(),
            came: HashSet::new(),
            stops: false,
            asked_to_stop: false,
            has_ended: false,
        }
    }
}

impl Inner {
    fn is_dirty(&self) -> bool {
        self.synced < self.seen || self.shape_done < self.shape_seen
    }

    /// Returns the events that a listing covers if it begins now. If a directory is not watched
    /// yet, later changes in it are not reported. Its own event stands for them, so that event is
    /// not covered.
    fn covered(&self) -> Ticket {
        let is_watched = self.shape_done >= self.shape_seen;
        Ticket { seen: if is_watched { self.seen } else { self.shape_done } }
    }

    fn count(&mut self) {
        self.seen += 1;
        let now = Instant::now();
        let first = self.burst.map_or(now, |burst| burst.first);
        self.burst = Some(Burst { first, last: now });
    }
}

/// With more files than this a new listing is as cheap.
const MOST_FILES: usize = 200;
/// The same for directories.
const MOST_DIRECTORIES: usize = 50;

/// The subject of an event; paths are relative to the root.
#[cfg_attr(not(any(target_os = "linux", test)), expect(dead_code, reason = "other systems do not tell so much"))]
enum About {
    /// The content of a listing.
    Content,
    /// Not more of it than this file.
    File(String),
    /// The set of watched directories, and the content of a listing there.
    Shape,
    /// Not more of it than this directory and what is below.
    Directory(String),
}

/// Adds to a list that is known, unless it becomes too long.
fn add(list: &mut Option<BTreeSet<String>>, path: String, most: usize) {
    if let Some(paths) = list {
        paths.insert(path);
    }
    list.take_if(|paths| paths.len() > most);
}

/// Cookie files have this in front of the process id and a number.
pub(super) const COOKIE: &str = "cookie-";

/// Unique in this process.
static NEXT_COOKIE: AtomicU64 = AtomicU64::new(1);

impl DirtyTracker {
    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Counts an event that can change a listing.
    pub(super) fn touched(&self) {
        self.count(About::Content);
    }

    /// The same for one that can change no more of it than this file.
    #[cfg(any(target_os = "linux", test))]
    pub(super) fn touched_file(&self, path: Option<String>) {
        self.count(path.map_or(About::Content, About::File));
    }

    /// Counts an event that can change which directories are watched, or one that tells nothing.
    pub(super) fn shaped(&self) {
        self.count(About::Shape);
    }

    /// The same for one that can change no more of it than this directory and what is below.
    #[cfg(any(target_os = "linux", test))]
    pub(super) fn shaped_directory(&self, path: Option<String>) {
        self.count(path.map_or(About::Shape, About::Directory));
    }

    fn count(&self, about: About) {
        let mut inner = self.lock();
        let is_first = inner.burst.is_none();
        inner.count();
        if matches!(about, About::Shape | About::Directory(_)) {
            inner.shape_seen = inner.seen;
        }
        match about {
            About::Content => inner.files = None,
            About::Shape => (inner.files, inner.directories) = (None, None),
            About::File(path) => add(&mut inner.files, path, MOST_FILES),
            About::Directory(path) => add(&mut inner.directories, path, MOST_DIRECTORIES),
        }
        // The worker looks at the time of the last event by itself.
        if is_first {
            self.changed.notify_all();
        }
    }

    /// A cookie of this process was seen.
    #[cfg_attr(
        not(any(target_os = "linux", test)),
        expect(dead_code, reason = "only where the order of events is certain")
    )]
    pub(super) fn cookie(&self, number: u64) {
        let mut inner = self.lock();
        if inner.expected.contains(&number) {
            inner.came.insert(number);
            self.changed.notify_all();
        }
    }

    /// A request to stop was seen.
    pub(super) fn ask_to_stop(&self) {
        self.lock().asked_to_stop = true;
        self.changed.notify_all();
    }

    #[cfg(test)]
    pub(super) fn is_asked(&self) -> bool {
        self.lock().asked_to_stop
    }

    /// It has been looked at.
    pub(super) fn forget_request(&self) {
        self.lock().asked_to_stop = false;
    }

    /// Returns whether the index covers everything that was counted, no matter which process synced
    /// it; then nothing is left to be done.
    pub(super) fn rests(&self) -> bool {
        let mut inner = self.lock();
        let rests = !inner.is_dirty();
        if rests {
            // The last sync covers requests that came while it was at work.
            (inner.burst, inner.hurried) = (None, false);
        }
        rests
    }

    pub(super) fn set_vouches(&self, is_reliable: bool) {
        self.lock().is_reliable = is_reliable;
        self.changed.notify_all();
    }

    /// Begins a round: what is counted from now on is for the next one.
    pub(super) fn begin(&self) -> Ticket {
        let mut inner = self.lock();
        (inner.burst, inner.hurried) = (None, false);
        Ticket { seen: inner.seen }
    }

    /// Returns the events that a listing covers if it begins now.
    pub(super) fn ticket(&self) -> Ticket {
        self.lock().covered()
    }

    /// Returns the events that a listing covers if it is taken now, and the files that it can list
    /// differently than the listing of the call before; `None` when others can differ, too.
    pub(super) fn list(&self) -> (Ticket, Option<BTreeSet<String>>) {
        let mut inner = self.lock();
        let files = inner.files.replace(BTreeSet::new());
        (inner.covered(), files.filter(|_| inner.is_reliable && inner.shape_done >= inner.shape_seen))
    }

    /// Returns whether the watches may be incomplete.
    pub(super) fn is_shape_open(&self) -> bool {
        let inner = self.lock();
        inner.shape_done < inner.shape_seen
    }

    /// The directories that the watches may not cover; `None` when there can be others.
    pub(super) fn directories(&self) -> Option<BTreeSet<String>> {
        self.lock().directories.clone()
    }

    /// Forgets the events of files at and below these paths: the caller lists everything there
    /// after this.
    #[cfg(any(target_os = "linux", test))]
    pub(super) fn forget_files(&self, tops: &BTreeSet<String>) {
        if let Some(files) = &mut self.lock().files {
            files.retain(|file| !tops.iter().any(|top| is_at_or_below(file, top)));
        }
    }

    /// The watches cover the directories as of `ticket`.
    pub(super) fn watched(&self, ticket: Ticket) {
        let mut inner = self.lock();
        inner.shape_done = inner.shape_done.max(ticket.seen);
        if inner.shape_done >= inner.shape_seen {
            inner.directories = Some(BTreeSet::new());
        }
    }

    /// The index covers the events up to `ticket`.
    pub(super) fn confirm(&self, ticket: Ticket, generation: i64) {
        let mut inner = self.lock();
        if ticket.seen >= inner.synced {
            (inner.synced, inner.generation) = (ticket.seen, generation.max(inner.generation));
        }
        self.changed.notify_all();
    }

    /// Forgets what is covered: another view or other watches begin.
    pub(super) fn reset(&self) {
        let mut inner = self.lock();
        inner.seen += 1;
        inner.shape_seen = inner.seen;
        inner.generation = 0;
        (inner.files, inner.directories) = (None, None);
    }

    pub(super) fn burst(&self) -> Option<Burst> {
        self.lock().burst
    }

    /// Returns whether few files were saved and the next question is likely to come soon: others
    /// have come lately.
    pub(super) fn is_expected(&self) -> bool {
        /// A call of `settle` or `catch_up` within this time makes another one likely.
        const LATELY: Duration = Duration::from_secs(1);
        /// More are likely to be part of something larger, which is better seen as a whole.
        const FEW: usize = 8;
        let inner = self.lock();
        let is_small = inner.files.as_ref().is_some_and(|files| files.len() <= FEW);
        is_small && inner.asked.is_some_and(|asked| asked.elapsed() < LATELY)
    }

    /// Returns whether a call of `catch_up` waits for the next sync.
    pub(super) fn is_hurried(&self) -> bool {
        self.lock().hurried
    }

    pub(super) fn stop(&self) {
        self.lock().stops = true;
        self.changed.notify_all();
    }

    pub(super) fn stops(&self) -> bool {
        self.lock().stops
    }

    /// The worker is done.
    pub(super) fn end(&self) {
        let mut inner = self.lock();
        (inner.has_ended, inner.is_reliable) = (true, false);
        self.changed.notify_all();
    }

    /// Sleeps until `deadline`, the first event of a burst, or a request to stop.
    pub(super) fn pause(&self, deadline: Instant) {
        let mut inner = self.lock();
        let before = (inner.burst.is_some(), inner.hurried);
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            let now = (inner.burst.is_some(), inner.hurried);
            if left.is_zero() || inner.stops || inner.asked_to_stop || now != before {
                return;
            }
            inner = self.changed.wait_timeout(inner, left).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Sleeps until the index covers everything that was counted, at most for `timeout`.
    pub(super) fn wait_for_sync(&self, timeout: Duration) {
        let start = Instant::now();
        let mut inner = self.lock();
        while inner.is_dirty() && !inner.has_ended {
            let left = timeout.saturating_sub(start.elapsed());
            if left.is_zero() {
                return;
            }
            inner = self.changed.wait_timeout(inner, left).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// See [`Watcher::settle`](super::Watcher::settle).
    pub(super) fn settle(&self, folder: &Path, timeout: Duration) -> Settled {
        let inner = self.lock();
        if inner.is_dirty() {
            return if inner.is_reliable { Settled::Dirty } else { Settled::Unknown };
        }
        drop(inner);
        self.ask(
            folder,
            |inner, has_come, is_late| match (inner.is_dirty(), has_come, is_late) {
                (true, ..) => Some(Settled::Dirty),
                (false, true, _) => Some(Settled::Clean { generation: inner.generation }),
                (false, false, true) => Some(Settled::Unknown),
                (false, false, false) => None,
            },
            timeout,
        )
    }

    /// See [`Watcher::catch_up`](crate::watch::Watcher::catch_up).
    pub(super) fn catch_up(&self, folder: &Path, timeout: Duration) -> Settled {
        // What must be covered, known as soon as the cookie has come.
        let mut wanted: Option<(u64, u64)> = None;
        let look = |inner: &mut Inner, has_come: bool, is_late: bool| {
            if has_come && wanted.is_none() {
                wanted = Some((inner.seen, inner.shape_seen));
                if inner.is_dirty() {
                    inner.hurried = true;
                    self.changed.notify_all();
                }
            }
            let is_covered = |(seen, shape): (u64, u64)| inner.synced >= seen && inner.shape_done >= shape;
            match wanted.map(is_covered) {
                Some(true) => Some(Settled::Clean { generation: inner.generation }),
                Some(false) if is_late => Some(Settled::Dirty),
                None if is_late => Some(Settled::Unknown),
                _ => None,
            }
        };
        self.ask(folder, look, timeout)
    }

    /// Makes a cookie file in `folder`; when its event has come, so have all earlier ones. `look`
    /// is called whenever something has changed, with whether it has come and whether the time is
    /// over, until it gives something.
    fn ask(
        &self,
        folder: &Path,
        mut look: impl FnMut(&mut Inner, bool, bool) -> Option<Settled>,
        timeout: Duration,
    ) -> Settled {
        let start = Instant::now();
        let number = NEXT_COOKIE.fetch_add(1, Ordering::Relaxed);
        {
            let mut inner = self.lock();
            if !inner.is_reliable {
                return Settled::Unknown;
            }
            inner.expected.insert(number);
            inner.asked = Some(start);
        }
        let cookie = folder.join(format!("{COOKIE}{}-{number}", std::process::id()));
        let is_made = fs::File::create_new(&cookie).is_ok();
        let mut inner = self.lock();
        let settled = loop {
            if !inner.is_reliable || !is_made {
                break Settled::Unknown;
            }
            let left = timeout.saturating_sub(start.elapsed());
            let has_come = inner.came.contains(&number);
            if let Some(settled) = look(&mut inner, has_come, left.is_zero()) {
                break settled;
            }
            if left.is_zero() {
                break Settled::Unknown;
            }
            inner = self.changed.wait_timeout(inner, left).unwrap_or_else(PoisonError::into_inner).0;
        };
        inner.expected.remove(&number);
        inner.came.remove(&number);
        drop(inner);
        if is_made {
            let _ = fs::remove_file(&cookie);
        }
        settled
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A ledger whose cookies come at once.
    fn settled(ledger: &DirtyTracker) -> Settled {
        let folder = tempfile::tempdir().unwrap();
        std::thread::scope(|scope| {
            let settling = scope.spawn(|| ledger.settle(folder.path(), Duration::from_secs(20)));
            while !settling.is_finished() {
                for entry in fs::read_dir(folder.path()).unwrap().flatten() {
                    let name = entry.file_name().into_string().unwrap();
                    ledger.cookie(name.rsplit_once('-').unwrap().1.parse().unwrap());
                }
                std::thread::yield_now();
            }
            assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0, "cookies are removed");
            settling.join().unwrap()
        })
    }

    #[test]
    fn questions_are_expected_after_questions() {
        let ledger = DirtyTracker::default();
        ledger.set_vouches(true);
        ledger.watched(ledger.begin());
        ledger.confirm(ledger.list().0, 1);
        ledger.touched_file(Some("a.py".into()));
        assert!(!ledger.is_expected(), "nobody has asked");
        ledger.confirm(ledger.list().0, 2);
        assert!(matches!(settled(&ledger), Settled::Clean { .. }));
        ledger.touched_file(Some("a.py".into()));
        assert!(ledger.is_expected());
        (0..9).for_each(|number| ledger.touched_file(Some(format!("{number}.py"))));
        assert!(!ledger.is_expected(), "that is more than a save");
        ledger.list();
        ledger.touched();
        assert!(!ledger.is_expected(), "nobody knows what that was");
    }

    #[test]
    fn who_catches_up_waits_for_what_came_before() {
        let ledger = DirtyTracker::default();
        ledger.set_vouches(true);
        let folder = tempfile::tempdir().unwrap();
        let cookie = || {
            let names = fs::read_dir(folder.path()).unwrap().flatten().map(|entry| entry.file_name());
            for name in names.filter_map(|name| name.into_string().ok()) {
                ledger.cookie(name.rsplit_once('-').unwrap().1.parse().unwrap());
            }
        };
        assert_eq!(ledger.catch_up(folder.path(), Duration::ZERO), Settled::Unknown, "the cookie has not come");
        assert!(!ledger.is_hurried());
        std::thread::scope(|scope| {
            let waiting = scope.spawn(|| ledger.catch_up(folder.path(), Duration::from_secs(60)));
            while !ledger.is_hurried() {
                cookie();
                std::thread::yield_now();
            }
            let round = ledger.begin();
            assert!(!ledger.is_hurried());
            // What comes later is not waited for.
            ledger.touched();
            ledger.watched(round);
            ledger.confirm(round, 3);
            assert_eq!(waiting.join().unwrap(), Settled::Clean { generation: 3 });
            assert!(ledger.lock().is_dirty());

            let waiting = scope.spawn(|| ledger.catch_up(folder.path(), Duration::from_millis(300)));
            while !waiting.is_finished() {
                cookie();
                std::thread::yield_now();
            }
            assert_eq!(waiting.join().unwrap(), Settled::Dirty, "nobody synced");
        });
    }

    #[test]
    fn nothing_is_hurried_when_nothing_is_left_to_do() {
        let ledger = DirtyTracker::default();
        ledger.set_vouches(true);
        ledger.watched(ledger.begin());
        let round = ledger.list().0;
        // A call of `catch_up` comes while that sync is at work.
        let folder = tempfile::tempdir().unwrap();
        std::thread::scope(|scope| {
            let waiting = scope.spawn(|| ledger.catch_up(folder.path(), Duration::from_secs(60)));
            while !ledger.is_hurried() {
                for entry in fs::read_dir(folder.path()).unwrap().flatten() {
                    let name = entry.file_name().into_string().unwrap();
                    ledger.cookie(name.rsplit_once('-').unwrap().1.parse().unwrap());
                }
                std::thread::yield_now();
            }
            ledger.confirm(round, 5);
            assert_eq!(waiting.join().unwrap(), Settled::Clean { generation: 5 });
        });
        assert!(ledger.rests());
        assert!(!ledger.is_hurried(), "the worker would look again and again");
    }

    #[test]
    fn a_sync_covers_what_came_before_it_began() {
        let ledger = DirtyTracker::default();
        assert_eq!(settled(&ledger), Settled::Unknown);
        ledger.set_vouches(true);
        assert_eq!(settled(&ledger), Settled::Dirty, "nothing is synced yet");
        let round = ledger.begin();
        ledger.watched(round);
        ledger.confirm(round, 7);
        assert_eq!(settled(&ledger), Settled::Clean { generation: 7 });

        ledger.touched();
        assert!(ledger.burst().is_some());
        let round = ledger.begin();
        assert!(ledger.burst().is_none());
        ledger.touched();
        ledger.confirm(round, 8);
        assert_eq!(settled(&ledger), Settled::Dirty, "an event came while the sync ran");
        ledger.confirm(ledger.ticket(), 9);
        assert_eq!(settled(&ledger), Settled::Clean { generation: 9 });
        ledger.confirm(round, 8);
        assert_eq!(settled(&ledger), Settled::Clean { generation: 9 }, "an older sync takes nothing back");
    }

    #[test]
    fn a_sync_without_watches_is_not_enough() {
        let ledger = DirtyTracker::default();
        ledger.set_vouches(true);
        ledger.watched(ledger.begin());
        ledger.shaped();
        ledger.confirm(ledger.ticket(), 1);
        assert!(ledger.is_shape_open());
        assert_eq!(settled(&ledger), Settled::Dirty, "the new directory is not watched yet");
        let ticket = ledger.ticket();
        ledger.watched(ledger.begin());
        ledger.confirm(ticket, 1);
        assert_eq!(
            settled(&ledger),
            Settled::Dirty,
            "something may have come into it between the listing and the watch"
        );
        ledger.confirm(ledger.ticket(), 1);
        assert_eq!(settled(&ledger), Settled::Clean { generation: 1 });
        ledger.reset();
        assert_eq!(settled(&ledger), Settled::Dirty);
    }

    #[test]
    fn no_cookie_no_certainty() {
        let ledger = DirtyTracker::default();
        ledger.set_vouches(true);
        ledger.watched(ledger.begin());
        ledger.confirm(ledger.ticket(), 1);
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(ledger.settle(folder.path(), Duration::from_millis(5)), Settled::Unknown);
        assert_eq!(ledger.settle(&folder.path().join("gone"), Duration::from_secs(20)), Settled::Unknown);
        ledger.end();
        assert_eq!(ledger.settle(folder.path(), Duration::from_secs(20)), Settled::Unknown);
    }

    #[test]
    fn files_that_have_changed_are_known() {
        let ledger = DirtyTracker::default();
        ledger.set_vouches(true);
        let file = |path: &str| ledger.touched_file(Some(path.to_string()));
        let known = || ledger.list().1.map(|files| files.into_iter().collect::<Vec<_>>());
        file("a");
        assert_eq!(known(), None, "nothing was listed before");
        ledger.watched(ledger.begin());
        ["b", "a", "b"].into_iter().for_each(file);
        assert_eq!(known(), Some(vec!["a".into(), "b".into()]));
        assert_eq!(known(), Some(Vec::new()));
        file("a");
        ledger.touched();
        file("b");
        assert_eq!(known(), None, "something else changed, too");
        file("a");
        ledger.shaped();
        assert_eq!(known(), None);
        assert_eq!(known(), None, "the new directory is not watched yet");
        ledger.watched(ledger.begin());
        assert_eq!(known(), Some(Vec::new()));
        (0..=MOST_FILES).for_each(|number| file(&number.to_string()));
        assert_eq!(known(), None);
        file("a");
        ledger.set_vouches(false);
        assert_eq!(known(), None, "there may have been others");
    }

    #[test]
    fn directories_that_have_changed_are_known() {
        let ledger = DirtyTracker::default();
        ledger.set_vouches(true);
        let directory = |path: &str| ledger.shaped_directory(Some(path.to_string()));
        let known = || ledger.directories().map(|paths| paths.into_iter().collect::<Vec<_>>());
        directory("a");
        assert_eq!(known(), None, "nothing was watched before");
        ledger.watched(ledger.begin());
        ledger.list();
        directory("b");
        ledger.touched_file(Some("c/d".into()));
        directory("a");
        assert_eq!(known(), Some(vec!["a".into(), "b".into()]));
        assert!(ledger.is_shape_open());
        assert_eq!(ledger.list().1, None, "they are not watched yet");
        ["b/x", "b", "bc"].into_iter().for_each(|path| ledger.touched_file(Some(path.into())));
        ledger.forget_files(&BTreeSet::from(["b".into()]));
        assert_eq!(ledger.lock().files, Some(BTreeSet::from(["bc".into()])));
        directory("b");
        let round = ledger.begin();
        directory("c");
        ledger.watched(round);
        assert_eq!(known(), Some(vec!["a".into(), "b".into(), "c".into()]), "one came later");
        ledger.watched(ledger.begin());
        assert_eq!((known(), ledger.list().1), (Some(Vec::new()), Some(BTreeSet::from(["bc".into()]))));
        directory("a");
        ledger.shaped();
        assert_eq!(known(), None, "something else changed, too");
        ledger.watched(ledger.begin());
        (0..=MOST_DIRECTORIES).for_each(|number| directory(&number.to_string()));
        assert_eq!(known(), None);
    }
}
