//! The events of a watcher as its threads share them: one thread reports events, the worker waits
//! for them to quieten, and callers ask whether the index covers everything.
//!
//! [`EventCoverage`] knows what is covered. Here are the lock, the clock, and the cookies by which
//! a caller knows that all earlier events have come.

use std::collections::{BTreeSet, HashSet};
use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

pub use crate::watch::event_coverage::Ticket;
use crate::watch::event_coverage::{EventCoverage, EventMark, EventScope, Freshness};

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

#[derive(Default)]
struct Inner {
    coverage: EventCoverage,
    demand: Demand,
    cookies: Cookies,
    /// True if every event is certain to be recorded before a cookie is.
    is_reliable: bool,
    phase: Phase,
    /// True if a request to stop has come that the worker has not looked at.
    asked_to_stop: bool,
}

/// The reasons to sync soon.
#[derive(Default)]
struct Demand {
    burst: Option<Burst>,
    /// True if a call of `catch_up` waits for the next sync, so that it begins at once.
    is_hurried: bool,
    /// The start of the last call of `settle` or `catch_up`.
    last_question: Option<Instant>,
}

impl Demand {
    /// Notes an event. Returns whether it is the first of a burst.
    fn add_event(&mut self) -> bool {
        let now = Instant::now();
        let first = self.burst.map_or(now, |burst| burst.first);
        self.burst.replace(Burst { first, last: now }).is_none()
    }

    /// Notes that a sync begins or is not needed.
    fn clear(&mut self) {
        (self.burst, self.is_hurried) = (None, false);
    }
}

/// Cookies that are waited for, and those that came.
#[derive(Default)]
struct Cookies {
    expected: HashSet<u64>,
    came: HashSet<u64>,
}

impl Cookies {
    /// Notes a cookie that came. Returns whether it was waited for.
    fn add(&mut self, number: u64) -> bool {
        self.expected.contains(&number) && {
            self.came.insert(number);
            true
        }
    }

    fn remove(&mut self, number: u64) {
        self.expected.remove(&number);
        self.came.remove(&number);
    }
}

/// The phase of a watcher's life.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Phase {
    #[default]
    Running,
    /// The watcher was told to stop; its worker may still be at work.
    Stopping,
    /// The worker is done.
    Ended,
}

impl Inner {
    fn is_current(&self) -> bool {
        self.coverage.freshness() == Freshness::Current
    }
}

/// Cookie files have this in front of the process id and a number.
pub(super) const COOKIE: &str = "cookie-";

/// Unique in this process.
static NEXT_COOKIE: AtomicU64 = AtomicU64::new(1);

impl DirtyTracker {
    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Records an event that can change a listing.
    pub(super) fn content_changed(&self) {
        self.record(EventScope::Content);
    }

    /// Records an event that can change no more of a listing than this file.
    #[cfg(any(target_os = "linux", test))]
    pub(super) fn file_changed(&self, path: Option<String>) {
        self.record(path.map_or(EventScope::Content, EventScope::File));
    }

    /// Records an event that can change which directories are watched, or one that tells nothing.
    pub(super) fn tree_changed(&self) {
        self.record(EventScope::Tree);
    }

    /// Records an event that can change no more than this directory and what is below.
    #[cfg(any(target_os = "linux", test))]
    pub(super) fn directory_changed(&self, path: Option<String>) {
        self.record(path.map_or(EventScope::Tree, EventScope::Directory));
    }

    fn record(&self, scope: EventScope) {
        let mut inner = self.lock();
        inner.coverage.record(scope);
        // The worker looks at the time of the last event by itself.
        if inner.demand.add_event() {
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
        if inner.cookies.add(number) {
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
        let rests = inner.is_current();
        if rests {
            // The last sync covers requests that came while it was at work.
            inner.demand.clear();
        }
        rests
    }

    pub(super) fn set_reliable(&self, is_reliable: bool) {
        self.lock().is_reliable = is_reliable;
        self.changed.notify_all();
    }

    /// Begins a round: what is counted from now on is for the next one.
    pub(super) fn begin(&self) -> Ticket {
        let mut inner = self.lock();
        inner.demand.clear();
        inner.coverage.now()
    }

    /// Returns the events that a listing covers if it begins now.
    pub(super) fn ticket(&self) -> Ticket {
        self.lock().coverage.listing_ticket()
    }

    /// Returns the events that a listing covers if it is taken now, and the files that it can list
    /// differently than the listing of the call before; `None` when others can differ, too.
    pub(super) fn list(&self) -> (Ticket, Option<BTreeSet<String>>) {
        let mut inner = self.lock();
        let (ticket, files) = inner.coverage.begin_listing();
        (ticket, files.filter(|_| inner.is_reliable))
    }

    /// Returns whether the watches may be incomplete.
    pub(super) fn is_unwatched(&self) -> bool {
        self.lock().coverage.freshness() == Freshness::Unwatched
    }

    /// The directories that the watches may not cover; `None` when there can be others.
    pub(super) fn directories(&self) -> Option<BTreeSet<String>> {
        self.lock().coverage.changed_directories()
    }

    /// Forgets the events of files at and below these paths: the caller lists everything there
    /// after this.
    #[cfg(any(target_os = "linux", test))]
    pub(super) fn forget_files(&self, tops: &BTreeSet<String>) {
        self.lock().coverage.forget_files(tops);
    }

    /// The watches cover the directories as of `ticket`.
    pub(super) fn watched(&self, ticket: Ticket) {
        self.lock().coverage.watches_cover(ticket);
    }

    /// The index covers the events up to `ticket`.
    pub(super) fn confirm(&self, ticket: Ticket, generation: i64) {
        self.lock().coverage.index_covers(ticket, generation);
        self.changed.notify_all();
    }

    /// Forgets what is covered: another view or other watches begin.
    pub(super) fn reset(&self) {
        self.lock().coverage.reset();
    }

    pub(super) fn burst(&self) -> Option<Burst> {
        self.lock().demand.burst
    }

    /// Returns whether few files were saved and the next question is likely to come soon: others
    /// have come lately.
    pub(super) fn is_expected(&self) -> bool {
        /// A call of `settle` or `catch_up` within this time makes another one likely.
        const LATELY: Duration = Duration::from_secs(1);
        /// More are likely to be part of something larger, which is better seen as a whole.
        const FEW: usize = 8;
        let inner = self.lock();
        let is_small = inner.coverage.changed_files().is_some_and(|files| files.len() <= FEW);
        is_small && inner.demand.last_question.is_some_and(|asked| asked.elapsed() < LATELY)
    }

    /// Returns whether a call of `catch_up` waits for the next sync.
    pub(super) fn is_hurried(&self) -> bool {
        self.lock().demand.is_hurried
    }

    pub(super) fn stop(&self) {
        let mut inner = self.lock();
        if inner.phase == Phase::Running {
            inner.phase = Phase::Stopping;
        }
        drop(inner);
        self.changed.notify_all();
    }

    pub(super) fn stops(&self) -> bool {
        self.lock().phase != Phase::Running
    }

    /// The worker is done.
    pub(super) fn end(&self) {
        let mut inner = self.lock();
        (inner.phase, inner.is_reliable) = (Phase::Ended, false);
        self.changed.notify_all();
    }

    /// Sleeps until `deadline`, the first event of a burst, or a request to stop.
    pub(super) fn pause(&self, deadline: Instant) {
        let mut inner = self.lock();
        let demand = |inner: &Inner| (inner.demand.burst.is_some(), inner.demand.is_hurried);
        let before = demand(&inner);
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            let is_stopped = inner.phase != Phase::Running || inner.asked_to_stop;
            if left.is_zero() || is_stopped || demand(&inner) != before {
                return;
            }
            inner = self.changed.wait_timeout(inner, left).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Sleeps until the index covers everything that was counted, at most for `timeout`.
    pub(super) fn wait_for_sync(&self, timeout: Duration) {
        let start = Instant::now();
        let mut inner = self.lock();
        while !inner.is_current() && inner.phase != Phase::Ended {
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
        if !inner.is_current() {
            return if inner.is_reliable { Settled::Dirty } else { Settled::Unknown };
        }
        drop(inner);
        self.ask(
            folder,
            |inner, has_come, is_late| match (inner.is_current(), has_come, is_late) {
                (false, ..) => Some(Settled::Dirty),
                (true, true, _) => Some(Settled::Clean { generation: inner.coverage.generation() }),
                (true, false, true) => Some(Settled::Unknown),
                (true, false, false) => None,
            },
            timeout,
        )
    }

    /// See [`Watcher::catch_up`](crate::watch::Watcher::catch_up).
    pub(super) fn catch_up(&self, folder: &Path, timeout: Duration) -> Settled {
        // What must be covered, known as soon as the cookie has come.
        let mut wanted: Option<EventMark> = None;
        let look = |inner: &mut Inner, has_come: bool, is_late: bool| {
            if has_come && wanted.is_none() {
                wanted = Some(inner.coverage.mark());
                if !inner.is_current() {
                    inner.demand.is_hurried = true;
                    self.changed.notify_all();
                }
            }
            match wanted.map(|mark| inner.coverage.is_covered(mark)) {
                Some(true) => Some(Settled::Clean { generation: inner.coverage.generation() }),
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
            inner.cookies.expected.insert(number);
            inner.demand.last_question = Some(start);
        }
        let cookie = folder.join(format!("{COOKIE}{}-{number}", std::process::id()));
        let is_made = fs::File::create_new(&cookie).is_ok();
        let mut inner = self.lock();
        let settled = loop {
            if !inner.is_reliable || !is_made {
                break Settled::Unknown;
            }
            let left = timeout.saturating_sub(start.elapsed());
            let has_come = inner.cookies.came.contains(&number);
            if let Some(settled) = look(&mut inner, has_come, left.is_zero()) {
                break settled;
            }
            if left.is_zero() {
                break Settled::Unknown;
            }
            inner = self.changed.wait_timeout(inner, left).unwrap_or_else(PoisonError::into_inner).0;
        };
        inner.cookies.remove(number);
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
    use crate::watch::event_coverage::{MOST_DIRECTORIES, MOST_FILES};

    /// A tracker whose cookies come at once.
    fn settled(tracker: &DirtyTracker) -> Settled {
        let folder = tempfile::tempdir().unwrap();
        std::thread::scope(|scope| {
            let settling = scope.spawn(|| tracker.settle(folder.path(), Duration::from_secs(20)));
            while !settling.is_finished() {
                for entry in fs::read_dir(folder.path()).unwrap().flatten() {
                    let name = entry.file_name().into_string().unwrap();
                    tracker.cookie(name.rsplit_once('-').unwrap().1.parse().unwrap());
                }
                std::thread::yield_now();
            }
            assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0, "cookies are removed");
            settling.join().unwrap()
        })
    }

    #[test]
    fn questions_are_expected_after_questions() {
        let tracker = DirtyTracker::default();
        tracker.set_reliable(true);
        tracker.watched(tracker.begin());
        tracker.confirm(tracker.list().0, 1);
        tracker.file_changed(Some("a.py".into()));
        assert!(!tracker.is_expected(), "nobody has asked");
        tracker.confirm(tracker.list().0, 2);
        assert!(matches!(settled(&tracker), Settled::Clean { .. }));
        tracker.file_changed(Some("a.py".into()));
        assert!(tracker.is_expected());
        (0..9).for_each(|number| tracker.file_changed(Some(format!("{number}.py"))));
        assert!(!tracker.is_expected(), "that is more than a save");
        tracker.list();
        tracker.content_changed();
        assert!(!tracker.is_expected(), "nobody knows what that was");
    }

    #[test]
    fn who_catches_up_waits_for_what_came_before() {
        let tracker = DirtyTracker::default();
        tracker.set_reliable(true);
        let folder = tempfile::tempdir().unwrap();
        let cookie = || {
            let names = fs::read_dir(folder.path()).unwrap().flatten().map(|entry| entry.file_name());
            for name in names.filter_map(|name| name.into_string().ok()) {
                tracker.cookie(name.rsplit_once('-').unwrap().1.parse().unwrap());
            }
        };
        assert_eq!(tracker.catch_up(folder.path(), Duration::ZERO), Settled::Unknown, "the cookie has not come");
        assert!(!tracker.is_hurried());
        std::thread::scope(|scope| {
            let waiting = scope.spawn(|| tracker.catch_up(folder.path(), Duration::from_secs(60)));
            while !tracker.is_hurried() {
                cookie();
                std::thread::yield_now();
            }
            let round = tracker.begin();
            assert!(!tracker.is_hurried());
            // What comes later is not waited for.
            tracker.content_changed();
            tracker.watched(round);
            tracker.confirm(round, 3);
            assert_eq!(waiting.join().unwrap(), Settled::Clean { generation: 3 });
            assert!(!tracker.lock().is_current());

            let waiting = scope.spawn(|| tracker.catch_up(folder.path(), Duration::from_millis(300)));
            while !waiting.is_finished() {
                cookie();
                std::thread::yield_now();
            }
            assert_eq!(waiting.join().unwrap(), Settled::Dirty, "nobody synced");
        });
    }

    #[test]
    fn nothing_is_hurried_when_nothing_is_left_to_do() {
        let tracker = DirtyTracker::default();
        tracker.set_reliable(true);
        tracker.watched(tracker.begin());
        let round = tracker.list().0;
        // A call of `catch_up` comes while that sync is at work.
        let folder = tempfile::tempdir().unwrap();
        std::thread::scope(|scope| {
            let waiting = scope.spawn(|| tracker.catch_up(folder.path(), Duration::from_secs(60)));
            while !tracker.is_hurried() {
                for entry in fs::read_dir(folder.path()).unwrap().flatten() {
                    let name = entry.file_name().into_string().unwrap();
                    tracker.cookie(name.rsplit_once('-').unwrap().1.parse().unwrap());
                }
                std::thread::yield_now();
            }
            tracker.confirm(round, 5);
            assert_eq!(waiting.join().unwrap(), Settled::Clean { generation: 5 });
        });
        assert!(tracker.rests());
        assert!(!tracker.is_hurried(), "the worker would look again and again");
    }

    #[test]
    fn a_sync_covers_what_came_before_it_began() {
        let tracker = DirtyTracker::default();
        assert_eq!(settled(&tracker), Settled::Unknown);
        tracker.set_reliable(true);
        assert_eq!(settled(&tracker), Settled::Dirty, "nothing is synced yet");
        let round = tracker.begin();
        tracker.watched(round);
        tracker.confirm(round, 7);
        assert_eq!(settled(&tracker), Settled::Clean { generation: 7 });

        tracker.content_changed();
        assert!(tracker.burst().is_some());
        let round = tracker.begin();
        assert!(tracker.burst().is_none());
        tracker.content_changed();
        tracker.confirm(round, 8);
        assert_eq!(settled(&tracker), Settled::Dirty, "an event came while the sync ran");
        tracker.confirm(tracker.ticket(), 9);
        assert_eq!(settled(&tracker), Settled::Clean { generation: 9 });
        tracker.confirm(round, 8);
        assert_eq!(settled(&tracker), Settled::Clean { generation: 9 }, "an older sync takes nothing back");
    }

    #[test]
    fn a_sync_without_watches_is_not_enough() {
        let tracker = DirtyTracker::default();
        tracker.set_reliable(true);
        tracker.watched(tracker.begin());
        tracker.tree_changed();
        tracker.confirm(tracker.ticket(), 1);
        assert!(tracker.is_unwatched());
        assert_eq!(settled(&tracker), Settled::Dirty, "the new directory is not watched yet");
        let ticket = tracker.ticket();
        tracker.watched(tracker.begin());
        tracker.confirm(ticket, 1);
        assert_eq!(
            settled(&tracker),
            Settled::Dirty,
            "something may have come into it between the listing and the watch"
        );
        tracker.confirm(tracker.ticket(), 1);
        assert_eq!(settled(&tracker), Settled::Clean { generation: 1 });
        tracker.reset();
        assert_eq!(settled(&tracker), Settled::Dirty);
    }

    #[test]
    fn no_cookie_no_certainty() {
        let tracker = DirtyTracker::default();
        tracker.set_reliable(true);
        tracker.watched(tracker.begin());
        tracker.confirm(tracker.ticket(), 1);
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(tracker.settle(folder.path(), Duration::from_millis(5)), Settled::Unknown);
        assert_eq!(tracker.settle(&folder.path().join("gone"), Duration::from_secs(20)), Settled::Unknown);
        tracker.end();
        assert_eq!(tracker.settle(folder.path(), Duration::from_secs(20)), Settled::Unknown);
    }

    #[test]
    fn files_that_have_changed_are_known() {
        let tracker = DirtyTracker::default();
        tracker.set_reliable(true);
        let file = |path: &str| tracker.file_changed(Some(path.to_string()));
        let known = || tracker.list().1.map(|files| files.into_iter().collect::<Vec<_>>());
        file("a");
        assert_eq!(known(), None, "nothing was listed before");
        tracker.watched(tracker.begin());
        ["b", "a", "b"].into_iter().for_each(file);
        assert_eq!(known(), Some(vec!["a".into(), "b".into()]));
        assert_eq!(known(), Some(Vec::new()));
        file("a");
        tracker.content_changed();
        file("b");
        assert_eq!(known(), None, "something else changed, too");
        file("a");
        tracker.tree_changed();
        assert_eq!(known(), None);
        assert_eq!(known(), None, "the new directory is not watched yet");
        tracker.watched(tracker.begin());
        assert_eq!(known(), Some(Vec::new()));
        (0..=MOST_FILES).for_each(|number| file(&number.to_string()));
        assert_eq!(known(), None);
        file("a");
        tracker.set_reliable(false);
        assert_eq!(known(), None, "there may have been others");
    }

    #[test]
    fn directories_that_have_changed_are_known() {
        let tracker = DirtyTracker::default();
        tracker.set_reliable(true);
        let directory = |path: &str| tracker.directory_changed(Some(path.to_string()));
        let known = || tracker.directories().map(|paths| paths.into_iter().collect::<Vec<_>>());
        directory("a");
        assert_eq!(known(), None, "nothing was watched before");
        tracker.watched(tracker.begin());
        tracker.list();
        directory("b");
        tracker.file_changed(Some("c/d".into()));
        directory("a");
        assert_eq!(known(), Some(vec!["a".into(), "b".into()]));
        assert!(tracker.is_unwatched());
        assert_eq!(tracker.list().1, None, "they are not watched yet");
        ["b/x", "b", "bc"].into_iter().for_each(|path| tracker.file_changed(Some(path.into())));
        tracker.forget_files(&BTreeSet::from(["b".into()]));
        assert_eq!(tracker.lock().coverage.changed_files(), Some(&BTreeSet::from(["bc".into()])));
        directory("b");
        let round = tracker.begin();
        directory("c");
        tracker.watched(round);
        assert_eq!(known(), Some(vec!["a".into(), "b".into(), "c".into()]), "one came later");
        tracker.watched(tracker.begin());
        assert_eq!((known(), tracker.list().1), (Some(Vec::new()), Some(BTreeSet::from(["bc".into()]))));
        directory("a");
        tracker.tree_changed();
        assert_eq!(known(), None, "something else changed, too");
        tracker.watched(tracker.begin());
        (0..=MOST_DIRECTORIES).for_each(|number| directory(&number.to_string()));
        assert_eq!(known(), None);
    }
}
