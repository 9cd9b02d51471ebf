//! The state machine of a watched view: the events that came, and how far watches and index cover
//! them. It knows no threads and no clock.
//!
//! ```text
//!              tree event                     every directory is watched
//!   any state ────────────> Unwatched ──────────────────────────────────> Stale
//!                                                                         │   ▲
//!                                                  a sync covers all events   │ another event
//!                                                                         ▼   │
//!                                                                        Current
//! ```
//!
//! Events are numbered in the order in which they come, and a [`Ticket`] is a point in that order.
//! A sync covers the events that came before its listing began; an event that comes while it runs
//! makes the view stale again. Watches cover the directories that a listing saw if no directory has
//! come since, so tree events are tracked apart.

use std::collections::BTreeSet;

#[cfg(any(target_os = "linux", test))]
use crate::scan::is_at_or_below;

/// The events that a sync covers which begins now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ticket {
    events: u64,
}

/// The state of a view.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Freshness {
    /// A directory may exist that is not watched; changes in it would not be reported.
    Unwatched,
    /// All directories are watched, and no sync covers the last event.
    Stale,
    /// All directories are watched, and the index covers every event.
    Current,
}

/// The part of the workspace that an event is about; paths are relative to the root.
#[cfg_attr(not(any(target_os = "linux", test)), expect(dead_code, reason = "other systems do not tell so much"))]
#[derive(Clone, Debug)]
pub(super) enum EventScope {
    /// Any file that a listing has.
    Content,
    /// Not more than this file.
    File(String),
    /// Any directory: which are watched, and the files that a listing has there.
    Tree,
    /// Not more than this directory and what is below.
    Directory(String),
}

/// The paths that events were about.
#[derive(Clone, Debug, PartialEq, Eq)]
enum ChangedPaths {
    /// No others than these.
    Known(BTreeSet<String>),
    /// Too many to tell, or others, too.
    Any,
}

impl ChangedPaths {
    const NONE: ChangedPaths = ChangedPaths::Known(BTreeSet::new());

    /// Adds a path, unless there are more than `most` then.
    fn add(&mut self, path: String, most: usize) {
        if let ChangedPaths::Known(paths) = self {
            paths.insert(path);
            if paths.len() > most {
                *self = ChangedPaths::Any;
            }
        }
    }

    fn known(&self) -> Option<&BTreeSet<String>> {
        match self {
            ChangedPaths::Known(paths) => Some(paths),
            ChangedPaths::Any => None,
        }
    }
}

/// With more files than this a new listing is as cheap.
pub(super) const MOST_FILES: usize = 200;
/// With more directories than this a new listing is as cheap.
pub(super) const MOST_DIRECTORIES: usize = 50;

/// The newest events at one time, as [`EventCoverage::is_covered`] takes them.
#[derive(Clone, Copy, Debug)]
pub(super) struct EventMark {
    event: u64,
    tree_event: u64,
}

/// The events that came and those that are covered.
#[derive(Debug)]
pub(super) struct EventCoverage {
    last_event: u64,
    /// The last event that may change which directories are watched.
    last_tree_event: u64,
    /// The watches cover the directories as of this event.
    watched: u64,
    /// The index covers the events up to this one, in this generation of the view.
    synced: u64,
    generation: i64,
    /// The files that the events since the last listing were about.
    files: ChangedPaths,
    /// The directories that came, went or changed since the watches covered all.
    directories: ChangedPaths,
}

impl Default for EventCoverage {
    fn default() -> EventCoverage {
        // Nothing is watched and nothing is synced: as if a tree event had come.
        EventCoverage {
            last_event: 1,
            last_tree_event: 1,
            watched: 0,
            synced: 0,
            generation: 0,
            files: ChangedPaths::Any,
            directories: ChangedPaths::Any,
        }
    }
}

impl EventCoverage {
    pub(super) fn freshness(&self) -> Freshness {
        if self.watched < self.last_tree_event {
            Freshness::Unwatched
        } else if self.synced < self.last_event {
            Freshness::Stale
        } else {
            Freshness::Current
        }
    }

    /// Returns the generation of the view that the last sync published or found.
    pub(super) fn generation(&self) -> i64 {
        self.generation
    }

    /// Adds an event.
    pub(super) fn record(&mut self, scope: EventScope) {
        self.last_event += 1;
        if matches!(scope, EventScope::Tree | EventScope::Directory(_)) {
            self.last_tree_event = self.last_event;
        }
        match scope {
            EventScope::Content => self.files = ChangedPaths::Any,
            EventScope::Tree => (self.files, self.directories) = (ChangedPaths::Any, ChangedPaths::Any),
            EventScope::File(path) => self.files.add(path, MOST_FILES),
            EventScope::Directory(path) => self.directories.add(path, MOST_DIRECTORIES),
        }
    }

    /// Returns the point after the last event, for watches that are brought up to date now.
    pub(super) fn now(&self) -> Ticket {
        Ticket { events: self.last_event }
    }

    /// Returns the events that a listing covers if it begins now. If a directory is not watched
    /// yet, later changes in it are not reported. Its own event stands for them, so that event is
    /// not covered.
    pub(super) fn listing_ticket(&self) -> Ticket {
        match self.freshness() {
            Freshness::Unwatched => Ticket { events: self.watched },
            Freshness::Stale | Freshness::Current => self.now(),
        }
    }

    /// Begins a listing. Returns the events that it covers, and the files that it can list
    /// differently than the one before; `None` when others can differ, too.
    pub(super) fn begin_listing(&mut self) -> (Ticket, Option<BTreeSet<String>>) {
        let files = match std::mem::replace(&mut self.files, ChangedPaths::NONE) {
            ChangedPaths::Known(files) if self.freshness() != Freshness::Unwatched => Some(files),
            _ => None,
        };
        (self.listing_ticket(), files)
    }

    /// Returns the files that were changed since the last listing; `None` when there can be others.
    pub(super) fn changed_files(&self) -> Option<&BTreeSet<String>> {
        self.files.known()
    }

    /// Returns the directories that the watches may not cover; `None` when there can be others.
    pub(super) fn changed_directories(&self) -> Option<BTreeSet<String>> {
        self.directories.known().cloned()
    }

    /// Forgets the events of files at and below these paths: the caller lists everything there
    /// after this.
    #[cfg(any(target_os = "linux", test))]
    pub(super) fn forget_files(&mut self, tops: &BTreeSet<String>) {
        if let ChangedPaths::Known(files) = &mut self.files {
            files.retain(|file| !tops.iter().any(|top| is_at_or_below(file, top)));
        }
    }

    /// Notes that the watches cover the directories as of `ticket`.
    pub(super) fn watches_cover(&mut self, ticket: Ticket) {
        self.watched = self.watched.max(ticket.events);
        if self.freshness() != Freshness::Unwatched {
            self.directories = ChangedPaths::NONE;
        }
    }

    /// Notes that the index covers the events up to `ticket`, in `generation`. An older sync than
    /// the last one changes nothing.
    pub(super) fn index_covers(&mut self, ticket: Ticket, generation: i64) {
        if ticket.events >= self.synced {
            (self.synced, self.generation) = (ticket.events, generation.max(self.generation));
        }
    }

    /// Forgets what is covered: another view or other watches begin.
    pub(super) fn reset(&mut self) {
        self.record(EventScope::Tree);
        self.generation = 0;
    }

    /// Returns the newest events.
    pub(super) fn mark(&self) -> EventMark {
        EventMark { event: self.last_event, tree_event: self.last_tree_event }
    }

    /// Returns whether watches and index cover the events up to `mark`.
    pub(super) fn is_covered(&self, mark: EventMark) -> bool {
        self.synced >= mark.event && self.watched >= mark.tree_event
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// A step of a watcher, or an event.
    #[derive(Clone, Debug)]
    enum Action {
        Event(EventScope),
        /// A round begins; its watches are complete with the next `Watched`.
        BeginRound,
        Watched,
        BeginListing,
        /// The sync of the last listing, or of the one before, ends.
        Synced {
            is_late: bool,
        },
        ForgetFiles(String),
        Reset,
    }

    /// One event of the model, and what covers it.
    #[derive(Clone, Debug)]
    struct ModelEvent {
        scope: EventScope,
        is_watched: bool,
        is_synced: bool,
        is_listed: bool,
        is_forgotten: bool,
        are_watches_complete: bool,
    }

    /// The same rules, told by a list of all events.
    #[derive(Default)]
    struct Model {
        events: Vec<ModelEvent>,
        generation: i64,
    }

    impl Model {
        fn record(&mut self, scope: EventScope) {
            self.events.push(ModelEvent {
                scope,
                is_watched: false,
                is_synced: false,
                is_listed: false,
                is_forgotten: false,
                are_watches_complete: false,
            });
        }

        fn is_unwatched(&self) -> bool {
            let is_tree = |event: &ModelEvent| matches!(event.scope, EventScope::Tree | EventScope::Directory(_));
            self.events.iter().any(|event| is_tree(event) && !event.is_watched)
        }

        fn freshness(&self) -> Freshness {
            if self.is_unwatched() {
                Freshness::Unwatched
            } else if self.events.iter().all(|event| event.is_synced) {
                Freshness::Current
            } else {
                Freshness::Stale
            }
        }

        fn listing_ticket(&self) -> usize {
            if self.is_unwatched() {
                self.events.iter().take_while(|event| event.is_watched).count()
            } else {
                self.events.len()
            }
        }

        fn begin_listing(&mut self) -> (usize, Option<BTreeSet<String>>) {
            let mut files = (!self.is_unwatched()).then(BTreeSet::new);
            for event in self.events.iter_mut().filter(|event| !event.is_listed) {
                event.is_listed = true;
                match &event.scope {
                    EventScope::Content | EventScope::Tree => files = None,
                    EventScope::File(path) if !event.is_forgotten => {
                        files.iter_mut().for_each(|files| files.extend([path.clone()]));
                    }
                    EventScope::File(_) | EventScope::Directory(_) => {}
                }
            }
            (self.listing_ticket(), files)
        }

        fn watches_cover(&mut self, ticket: usize) {
            self.events[..ticket].iter_mut().for_each(|event| event.is_watched = true);
            if !self.is_unwatched() {
                self.events.iter_mut().for_each(|event| event.are_watches_complete = true);
            }
        }

        fn changed_directories(&self) -> Option<BTreeSet<String>> {
            let mut found = BTreeSet::new();
            for event in self.events.iter().filter(|event| !event.are_watches_complete) {
                match &event.scope {
                    EventScope::Tree => return None,
                    EventScope::Directory(path) => found.extend([path.clone()]),
                    EventScope::Content | EventScope::File(_) => {}
                }
            }
            Some(found)
        }

        fn index_covers(&mut self, ticket: usize, generation: i64) {
            if self.events[ticket..].iter().all(|event| !event.is_synced) {
                self.generation = self.generation.max(generation);
            }
            self.events[..ticket].iter_mut().for_each(|event| event.is_synced = true);
        }

        fn forget_files(&mut self, top: &str) {
            for event in &mut self.events {
                event.is_forgotten |= matches!(&event.scope, EventScope::File(path) if is_at_or_below(path, top));
            }
        }
    }

    fn path() -> impl Strategy<Value = String> {
        prop::sample::select(vec!["a", "a/b", "a/c", "d", "d/e"]).prop_map(String::from)
    }

    fn action() -> impl Strategy<Value = Action> {
        prop_oneof![
            2 => Just(Action::Event(EventScope::Content)),
            4 => path().prop_map(|path| Action::Event(EventScope::File(path))),
            1 => Just(Action::Event(EventScope::Tree)),
            2 => path().prop_map(|path| Action::Event(EventScope::Directory(path))),
            3 => Just(Action::BeginRound),
            3 => Just(Action::Watched),
            4 => Just(Action::BeginListing),
            3 => Just(Action::Synced { is_late: false }),
            1 => Just(Action::Synced { is_late: true }),
            1 => path().prop_map(Action::ForgetFiles),
            1 => Just(Action::Reset),
        ]
    }

    fn check(actions: Vec<Action>) {
        let (mut coverage, mut model) = (EventCoverage::default(), Model::default());
        model.record(EventScope::Tree);
        let mut round = None;
        let mut listings: Vec<(Ticket, usize)> = Vec::new();
        for (generation, action) in (1..).zip(actions) {
            match action {
                Action::Event(scope) => {
                    coverage.record(scope.clone());
                    model.record(scope);
                }
                Action::BeginRound => round = Some((coverage.now(), model.events.len())),
                Action::Watched => {
                    if let Some((ticket, events)) = round {
                        coverage.watches_cover(ticket);
                        model.watches_cover(events);
                    }
                }
                Action::BeginListing => {
                    let (ticket, files) = coverage.begin_listing();
                    let (events, expected) = model.begin_listing();
                    assert_eq!(files, expected);
                    listings.push((ticket, events));
                }
                Action::Synced { is_late } => {
                    if let Some((ticket, events)) = listings.iter().rev().nth(usize::from(is_late)) {
                        coverage.index_covers(*ticket, generation);
                        model.index_covers(*events, generation);
                    }
                }
                Action::ForgetFiles(top) => {
                    coverage.forget_files(&BTreeSet::from([top.clone()]));
                    model.forget_files(&top);
                }
                Action::Reset => {
                    coverage.reset();
                    model.record(EventScope::Tree);
                    model.generation = 0;
                }
            }
            assert_eq!(coverage.freshness(), model.freshness());
            assert_eq!(coverage.listing_ticket().events as usize, model.listing_ticket());
            assert_eq!(coverage.changed_directories(), model.changed_directories());
            assert_eq!(coverage.generation(), model.generation);
            assert_eq!(coverage.is_covered(coverage.mark()), coverage.freshness() == Freshness::Current);
        }
    }

    proptest! {
        #[test]
        fn it_agrees_with_a_list_of_all_events(actions in prop::collection::vec(action(), 0..60)) {
            check(actions);
        }
    }

    #[test]
    fn many_paths_are_any_path() {
        let mut coverage = EventCoverage::default();
        coverage.watches_cover(coverage.now());
        coverage.begin_listing();
        (0..MOST_FILES).for_each(|number| coverage.record(EventScope::File(number.to_string())));
        assert_eq!(coverage.changed_files().map(BTreeSet::len), Some(MOST_FILES));
        coverage.record(EventScope::File("one more".into()));
        assert_eq!(coverage.changed_files(), None);
        assert_eq!(coverage.begin_listing().1, None);
        (0..MOST_DIRECTORIES).for_each(|number| coverage.record(EventScope::Directory(number.to_string())));
        assert_eq!(coverage.changed_directories().map(|paths| paths.len()), Some(MOST_DIRECTORIES));
        coverage.record(EventScope::Directory("one more".into()));
        assert_eq!(coverage.changed_directories(), None);
    }
}
