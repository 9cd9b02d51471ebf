//! The one thread of a watcher: waits for events to quieten, brings the watches up to date, syncs,
//! and copes with whatever goes away meanwhile.

use std::collections::BTreeSet;
use std::panic::AssertUnwindSafe;
use std::path::PathBuf;
use std::sync::{Arc, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use crate::config::WatchConfig;
use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::files;
use crate::model::ViewKind;
use crate::progress::{Progress, Stage};
use crate::scan::{Entered, Listing, below, is_at_or_below, relist, replace_below};
use crate::store::{Merging, make_durable};
use crate::sync::{Memory, SyncReport, sync_watched};
use crate::watch::dirty_tracker::{DirtyTracker, Ticket};
use crate::watch::leader::{LastSync, LeaderFiles};
#[cfg(target_os = "linux")]
use crate::watch::linux::{EventSource, IS_RELIABLE};
#[cfg(not(target_os = "linux"))]
use crate::watch::portable::{EventSource, IS_RELIABLE};
use crate::watch::watch_set::WatchSet;
use crate::watch::{
    End, Event, Listener, MakeEngine, Mode, Options, Owner, Shared, WatchState, Watching, filesystem_kind, since_epoch,
    timing,
};

/// The interval between checks whether the machine slept, the lock is free or the store is gone.
const TICK: Duration = Duration::from_secs(10);
/// The interval of these checks where nothing is reported, so that a request to stop is seen soon,
/// and for roots that are gone.
const SHORT_TICK: Duration = Duration::from_secs(1);
/// The interval between checks whether a writer in another process has finished.
const WRITER_TICK: Duration = Duration::from_millis(500);
/// After this long without a sync the disk gets what was published.
const QUIET: Duration = Duration::from_secs(2);
/// Listings of directories in one round: each finds what came while the one before was read.
const MOST_LISTINGS: usize = 4;

pub(super) struct Worker {
    make_engine: MakeEngine,
    options: Options,
    listener: Listener,
    shared: Arc<Shared>,
    root: PathBuf,
    config: WatchConfig,
    session: Option<LeaderSession>,
    failures: u32,
    /// Nothing is tried before.
    not_before: Option<Instant>,
    next_reconcile: Instant,
    /// The time of the next poll where nothing is reported.
    next_poll: Option<Instant>,
    clocks: timing::Clocks,
    has_told_polling: bool,
    /// The listing that the last successful sync used; `memory` is the state that it left.
    listing: Option<Arc<Listing>>,
    memory: Memory,
    /// True if the last round looked at all files.
    was_full: bool,
    /// Published data that may not be on disk yet: since when, and when to flush it.
    unflushed: Option<Unflushed>,
}

struct Unflushed {
    store: PathBuf,
    since: SystemTime,
    due: Instant,
}

/// State that belongs to one existence of the root and the store.
struct LeaderSession {
    leader: LeaderFiles,
    /// Tells the root's directory from a later one at the same path.
    root_number: Option<(u64, u64)>,
    /// `None` where nothing is reported.
    source: Option<EventSource>,
    /// True if `Started` was told.
    is_told: bool,
}

/// The outcome of a round.
enum Round {
    Done,
    /// Another process is writing.
    Busy,
    RootGone,
    StoreGone,
}

/// Returns a listing of the disk as it is now, and whether all files were looked at. It is a new
/// listing, or `before` with the files that have changed since.
fn listing(
    engine: &Engine,
    before: Option<Arc<Listing>>,
    changed: Option<(BTreeSet<String>, Followed)>,
) -> Result<(Arc<Listing>, bool)> {
    if let (Some(mut listing), Some((files, Followed { tops, below }))) = (before, changed) {
        let updated = Arc::make_mut(&mut listing);
        if !tops.is_empty() {
            replace_below(updated, &tops, below);
        }
        if relist(updated, &engine.workspace().root, &engine.config().index, &files) {
            return Ok((listing, false));
        }
    }
    engine.list().map(|listing| (Arc::new(listing), true))
}

/// Directories that the watches were brought up to date with, and what a listing has there.
#[derive(Default)]
struct Followed {
    tops: BTreeSet<String>,
    below: Listing,
}

/// Leaves out what is below others.
fn outermost(paths: BTreeSet<String>) -> BTreeSet<String> {
    let mut tops: BTreeSet<String> = BTreeSet::new();
    for path in paths {
        if !tops.iter().any(|top| is_at_or_below(&path, top)) {
            tops.insert(path);
        }
    }
    tops
}

/// Brings the watches up to date where only these directories have changed; nothing when that is
/// not enough.
fn follow(engine: &Engine, source: &mut EventSource, tracker: &DirtyTracker) -> Result<Watching<Option<Followed>>> {
    // Where a store is inside the workspace, all is looked at anew, so that it is left out.
    let is_apart = !engine.store_root().starts_with(&engine.workspace().root);
    let Some(tops) = tracker.directories().filter(|_| is_apart).map(outermost) else { return Ok(Ok(None)) };
    let look = |entries: &[(Entered, String)]| Ok(below(engine.workspace(), &engine.config().index, entries)?);
    let found = source.follow(&tops, tracker, look)?;
    Ok(found.map(|below| below.map(|below| Followed { tops, below })))
}

/// Returns whether trying again would not help.
fn is_final(error: &Error) -> bool {
    matches!(error, Error::Incompatible { .. } | Error::ForeignStore { .. })
}

impl Worker {
    pub(super) fn new(
        make_engine: MakeEngine,
        options: Options,
        listener: Listener,
        shared: Arc<Shared>,
        clocks: timing::Clocks,
        engine: &Engine,
    ) -> Worker {
        let now = Instant::now();
        Worker {
            make_engine,
            options,
            listener,
            shared,
            root: engine.workspace().root.clone(),
            config: engine.config().watch.clone(),
            session: None,
            failures: 0,
            not_before: None,
            next_reconcile: now,
            next_poll: None,
            clocks,
            has_told_polling: false,
            listing: None,
            memory: Memory::default(),
            was_full: true,
            unflushed: None,
        }
    }

    pub(super) fn run(mut self) {
        // However this function ends, the view is no longer reported as clean.
        let shared = self.shared.clone();
        let _guard = EndGuard(&shared);
        let end = loop {
            if self.shared.tracker.stops() {
                break End::Stopped;
            }
            if let Some(end) = self.look_around() {
                break end;
            }
            let due = self.due();
            if due > Instant::now() {
                self.flush(false);
                let flush = self.unflushed.as_ref().map_or(due, |unflushed| unflushed.due);
                self.shared.tracker.pause(due.min(flush).min(Instant::now() + self.tick()));
                continue;
            }
            let reconciles = self.next_reconcile.min(self.next_poll.unwrap_or(self.next_reconcile)) <= Instant::now();
            if !reconciles && self.shared.tracker.rests() {
                continue;
            }
            match self.round() {
                Ok(Round::Done) => self.succeeded(),
                Ok(Round::Busy) => self.next_reconcile = Instant::now() + WRITER_TICK,
                Ok(Round::RootGone) => {
                    if let Some(end) = self.wait_for_root() {
                        break end;
                    }
                }
                Ok(Round::StoreGone) if self.options.ends_with_store => break End::StoreRemoved,
                Ok(Round::StoreGone) => self.leave(),
                Err(_) if self.shared.tracker.stops() => break End::Stopped,
                Err(error) if is_final(&error) => {
                    self.shared.state().last_error = Some(error.to_string());
                    break End::Failed(error.to_string());
                }
                Err(error) => self.failed(&error),
            }
        };
        self.flush(true);
        self.leave();
        self.shared.state().ended = Some(end.clone());
        (self.listener)(Event::Ended(end));
    }

    /// Small things that no event tells.
    fn look_around(&mut self) -> Option<End> {
        if self.clocks.jumped() {
            self.next_reconcile = Instant::now();
        }
        self.shared.tracker.forget_request();
        let session = self.session.as_ref()?;
        if self.options.owner == Owner::Command && session.leader.takes_stop() {
            return Some(End::Asked);
        }
        if !session.leader.leads() {
            // If this fails, so does the next round, which tells.
            let _ = self.lead();
        }
        None
    }

    fn tick(&self) -> Duration {
        match self.session.as_ref().and_then(|session| session.source.as_ref()) {
            Some(_) => TICK,
            None => SHORT_TICK,
        }
    }

    /// Returns the time at which the next round begins.
    fn due(&self) -> Instant {
        let is_expected = self.shared.tracker.is_expected();
        let burst = self.shared.tracker.burst().map(|burst| timing::due(burst, &self.config, is_expected));
        let hurried = self.shared.tracker.is_hurried().then(Instant::now);
        let due = [burst, hurried, self.next_poll].into_iter().flatten().fold(self.next_reconcile, Instant::min);
        self.not_before.map_or(due, |earliest| due.max(earliest))
    }

    fn round(&mut self) -> Result<Round> {
        let engine = match (self.make_engine)() {
            Ok(engine) if engine.workspace().root == self.root && engine.view_key().kind != ViewKind::Commit => {
                self.memory.equip(engine)
            }
            // Something above has become the workspace: what was watched is not there as such.
            Ok(_) => return Ok(Round::RootGone),
            Err(_) if !self.root.is_dir() => return Ok(Round::RootGone),
            Err(error) => return Err(error),
        };
        self.config = engine.config().watch.clone();
        let root_number = self.root.metadata().ok().map(|metadata| files::file_identity(&metadata));
        let is_same = |session: &LeaderSession| session.leader.is_for(&engine) && session.root_number == root_number;
        if self.session.as_ref().is_some_and(|session| is_same(session) && session.leader.is_gone()) {
            return Ok(Round::StoreGone);
        }
        if !self.session.as_ref().is_some_and(is_same) {
            self.leave();
            self.settle_in(&engine, root_number)?;
        } else if self.next_reconcile <= Instant::now() {
            self.try_events_again(&engine);
        }
        self.lead()?;
        // Also where only the retry or the reconcile is due: what is counted from now on is for the
        // next round.
        let ticket = self.shared.tracker.begin();
        // If anything fails, the next round lists everything.
        let before = self.listing.take();
        let followed = self.watch(&engine, ticket)?;
        // Now that all is watched: what the sync covers.
        let (ticket, changed) = self.shared.tracker.list();
        self.was_full = true;
        let Some(session) = &self.session else { return Ok(Round::Done) };
        if !session.leader.leads() {
            return Ok(Round::Done);
        }
        if engine.store.is_being_written() {
            return Ok(Round::Busy);
        }
        let is_reconcile = self.next_reconcile <= Instant::now();
        let changed = changed.zip(followed).filter(|_| !is_reconcile);
        let (listing, is_full) = listing(&engine, before, changed)?;
        self.was_full = is_full;
        self.listing = Some(Arc::clone(&listing));
        let round = self.sync(&engine, listing, ticket);
        if !matches!(round, Ok(Round::Done)) {
            self.listing = None;
        }
        round
    }

    /// Makes the folder, the events and the lock for the engine's view.
    fn settle_in(&mut self, engine: &Engine, root_number: Option<(u64, u64)>) -> Result<()> {
        self.shared.tracker.reset();
        let leader = LeaderFiles::at(engine)?;
        *self.shared.folder.lock().unwrap_or_else(PoisonError::into_inner) = leader.folder().to_path_buf();
        let source = match self.source(engine, &leader) {
            Ok(source) => source,
            Err(why) => {
                self.degrade(why);
                None
            }
        };
        self.session = Some(LeaderSession { leader, root_number, source, is_told: false });
        Ok(())
    }

    /// A limit may have been raised since events could not be had.
    fn try_events_again(&mut self, engine: &Engine) {
        let Some(session) = self.session.as_ref().filter(|session| session.source.is_none()) else { return };
        if let Ok(Some(source)) = self.source(engine, &session.leader)
            && let Some(session) = &mut self.session
        {
            (session.source, session.is_told) = (Some(source), false);
            self.shared.tracker.reset();
        }
    }

    fn source(&self, engine: &Engine, leader: &LeaderFiles) -> Watching<Option<EventSource>> {
        if self.options.polls {
            return Ok(None);
        }
        if let Some(kind) = filesystem_kind::unreported(&engine.workspace().root) {
            return Err(format!("changes on a file system of kind {kind} are not reported"));
        }
        EventSource::start(leader, self.shared.clone()).map(Some)
    }

    /// Syncs the view from now on if no other process does.
    fn lead(&mut self) -> Result<()> {
        let Some(session) = &mut self.session else { return Ok(()) };
        let is_late = session.is_told;
        if session.leader.try_lead()? && is_late {
            // The former leader may have died in the middle.
            self.shared.tracker.content_changed();
            (self.listener)(Event::TookOver);
        }
        self.shared.state().leads = session.leader.leads();
        Ok(())
    }

    /// Brings the watches up to date, if anything came that may change them. Gives what was found
    /// on the way, or nothing when all files are to be listed.
    fn watch(&mut self, engine: &Engine, ticket: Ticket) -> Result<Option<Followed>> {
        let mut followed = Some(Followed::default());
        let Some(session) = &mut self.session else { return Ok(followed) };
        let mut trouble = None;
        if let Some(source) = &mut session.source
            && self.shared.tracker.is_unwatched()
        {
            followed = match follow(engine, source, &self.shared.tracker)? {
                Ok(followed) => followed,
                Err(why) => {
                    trouble = Some(why);
                    None
                }
            };
            for listing in 1.. {
                if followed.is_some() || trouble.is_some() {
                    break;
                }
                match source.watch(WatchSet::of(engine, &self.options.deciding_files)?) {
                    Ok(0) => break,
                    // Directories that came into a new one before it was watched are found by
                    // listing again, and files by a sync that begins after this.
                    Ok(_) if listing < MOST_LISTINGS => self.shared.tracker.content_changed(),
                    Ok(_) => {
                        self.shared.tracker.tree_changed();
                        break;
                    }
                    Err(why) => trouble = Some(why),
                }
            }
        }
        match (trouble, &session.source) {
            (Some(why), _) => {
                session.source = None;
                self.degrade(why);
            }
            (None, Some(source)) => {
                let mut state = self.shared.state();
                (state.directories, state.mode, state.why_polling) = (source.count(), Mode::Watching, None);
                drop(state);
                self.shared.tracker.watched(ticket);
                // Events of a store inside the workspace are not counted, so a view with such a
                // store is never reported as clean.
                let is_reliable = IS_RELIABLE && !engine.store_root().starts_with(&self.root);
                self.shared.tracker.set_reliable(is_reliable);
            }
            (None, None) => {
                let mut state = self.shared.state();
                (state.directories, state.mode) = (0, Mode::Polling);
            }
        }
        let Some(session) = &mut self.session else { return Ok(followed) };
        if !std::mem::replace(&mut session.is_told, true) {
            let state = self.shared.state().clone();
            session.leader.tell(self.options.owner, &state);
            (self.listener)(Event::Started { directories: state.directories, mode: state.mode });
        }
        Ok(followed)
    }

    /// From now on the files are looked at every few seconds. Said once for each reason.
    fn degrade(&mut self, why: String) {
        self.shared.tracker.set_reliable(false);
        let mut state = self.shared.state();
        let is_new = state.why_polling.as_ref() != Some(&why);
        (state.mode, state.directories, state.why_polling) = (Mode::Polling, 0, Some(why.clone()));
        drop(state);
        if is_new || !self.has_told_polling {
            self.has_told_polling = true;
            (self.listener)(Event::Degraded { why });
        }
    }

    fn sync(&mut self, engine: &Engine, listing: Arc<Listing>, ticket: Ticket) -> Result<Round> {
        let (start, began) = (Instant::now(), SystemTime::now());
        let outcome = std::panic::catch_unwind(AssertUnwindSafe(|| {
            sync_watched(engine, listing, &mut self.memory, &Quiet(&self.shared))
        }));
        let took = start.elapsed();
        let error = match outcome {
            Ok(Ok((report, merging))) => {
                if report.published {
                    let since = self.unflushed.take().map_or(began, |unflushed| unflushed.since);
                    let due = Instant::now() + QUIET;
                    self.unflushed = Some(Unflushed { store: engine.store_root().to_path_buf(), since, due });
                }
                self.synced(ticket, report, took);
                // Those who wait for the sync need not wait for merges; one that failed is made up
                // for by a later one.
                let _ = merging.map(Merging::finish);
                return Ok(Round::Done);
            }
            Ok(Err(error)) => error,
            // Damaged files can make a reader trip over itself.
            Err(_) => Error::Corrupt { path: engine.store_root().to_path_buf(), detail: "reading it fails".into() },
        };
        if matches!(error, Error::Corrupt { .. } | Error::Storage { .. }) {
            // Only what really is damaged is set aside; the retry builds anew.
            let _ = std::panic::catch_unwind(AssertUnwindSafe(|| engine.quarantine()));
        }
        Err(error)
    }

    /// Sees to it that the disk has what was published, once things have quietened down or `now`.
    fn flush(&mut self, now: bool) {
        if let Some(Unflushed { store, since, .. }) =
            self.unflushed.take_if(|unflushed| now || unflushed.due <= Instant::now())
        {
            self.memory.rest();
            // Without it the system does the same a little later.
            let _ = make_durable(&store, since);
        }
    }

    /// Reports a sync. Readers of the state and callers that wait for the sync come last, so they
    /// find it reported everywhere else.
    fn synced(&mut self, ticket: Ticket, report: SyncReport, took: Duration) {
        let generation = report.generation;
        let last_sync = LastSync {
            at_ms: since_epoch(SystemTime::now()),
            took_ms: took.as_millis() as u64,
            generation,
            files: report.files,
        };
        // No other thread writes the state.
        let state = WatchState { last_sync: Some(last_sync), last_error: None, ..self.shared.state().clone() };
        if let Some(session) = &self.session {
            session.leader.tell(self.options.owner, &state);
            if session.source.is_none() && !report.published {
                self.next_poll = Some(Instant::now() + timing::poll_interval(took));
            }
        }
        (self.listener)(Event::Synced { report, took });
        *self.shared.state() = state;
        self.shared.tracker.confirm(ticket, generation);
    }

    fn succeeded(&mut self) {
        (self.failures, self.not_before) = (0, None);
        let now = Instant::now();
        // Saves do not put it off: they are about the files that were reported.
        if self.was_full {
            self.next_reconcile = now + Duration::from_secs(self.config.reconcile_seconds);
        }
        let polls = self.session.as_ref().is_some_and(|session| session.source.is_none());
        self.next_poll = if polls {
            Some(self.next_poll.filter(|next| *next > now).unwrap_or(now + timing::poll_interval(Duration::ZERO)))
        } else {
            None
        };
    }

    fn failed(&mut self, error: &Error) {
        self.failures = self.failures.saturating_add(1);
        let retry_in = timing::pause_after(self.failures);
        let now = Instant::now();
        self.not_before = Some(now + retry_in);
        self.next_reconcile = now + retry_in;
        let state = {
            let mut state = self.shared.state();
            state.last_error = Some(error.to_string());
            state.clone()
        };
        if let Some(session) = &self.session {
            session.leader.tell(self.options.owner, &state);
        }
        (self.listener)(Event::Failed { error: error.to_string(), retry_in });
    }

    /// Waits until the root is there again; the lock is kept, so that others can see who waits.
    fn wait_for_root(&mut self) -> Option<End> {
        let gone_since = Instant::now();
        if let Some(session) = &mut self.session {
            session.source = None;
        }
        self.shared.tracker.set_reliable(false);
        self.shared.state().root_is_gone = true;
        self.tell();
        (self.listener)(Event::RootGone);
        loop {
            if self.shared.tracker.stops() {
                return Some(End::Stopped);
            }
            if let Some(end) = self.look_around() {
                return Some(end);
            }
            if self.options.gives_up_after.is_some_and(|longest| gone_since.elapsed() >= longest) {
                return Some(End::RootGone);
            }
            let engine = (self.make_engine)();
            if engine.is_ok_and(|engine| engine.workspace().root == self.root) {
                break;
            }
            let store_is_gone = self.session.as_ref().is_some_and(|session| session.leader.is_gone());
            if store_is_gone && self.options.ends_with_store {
                return Some(End::StoreRemoved);
            }
            self.shared.tracker.begin();
            self.shared.tracker.pause(Instant::now() + SHORT_TICK);
        }
        self.shared.state().root_is_gone = false;
        (self.listener)(Event::RootBack);
        self.leave();
        None
    }

    fn tell(&self) {
        let state = self.shared.state().clone();
        if let Some(session) = &self.session {
            session.leader.tell(self.options.owner, &state);
        }
    }

    /// Gives up watches and lock; the next round begins anew, at once.
    fn leave(&mut self) {
        self.shared.tracker.set_reliable(false);
        self.session = None;
        // Another store may be in the place of the one that is remembered.
        self.memory = Memory::default();
        self.next_poll = None;
        self.next_reconcile = Instant::now();
        let mut state = self.shared.state();
        (state.leads, state.directories) = (false, 0);
    }
}

struct EndGuard<'s>(&'s Shared);

impl Drop for EndGuard<'_> {
    fn drop(&mut self) {
        self.0.tracker.end();
    }
}

/// Says nothing, and cancels when the watcher stops.
struct Quiet<'s>(&'s Shared);

impl Progress for Quiet<'_> {
    fn report(&self, _: Stage, _: usize, _: usize) {}

    fn is_cancelled(&self) -> bool {
        self.0.tracker.stops()
    }
}
