//! `codecompass-node gc`: removes objects that no generation needs from the object store.

use std::cell::Cell;
use std::collections::{BTreeSet, HashSet};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use std::{iter, thread};

use codecompass_app::clock;
use codecompass_app::error::{AppError, Code};
use codecompass_app::render::shown;
use codecompass_app::session::CallContext;
use codecompass_app::settings::ClusterSettings;
use codecompass_app::terminal::output;
use codecompass_app::units;
use codecompass_engine::objects::{ListedObject, ObjectStore};
use codecompass_engine::{Error as EngineError, PruneOptions, Remote};
use serde_json::{Value, json};

use super::packs::{self, PackError};
use super::{check_owner, open_objects};
use crate::catalogue::{Catalogue, ClusterError, Generation};
use crate::cli::CollectArgs;
use crate::secrets::random_secret;

/// The shortest lease of a collection: after so long without a sign of it, jobs are claimed again.
const MIN_LEASE: Duration = Duration::from_secs(5);
/// The longest time of a collection.
const PATIENCE: Duration = Duration::from_secs(6 * 3600);
/// The time between two lines on how far it is.
const TELL_EVERY: Duration = Duration::from_secs(5);
/// The number of removals at a time.
const CONCURRENCY: usize = 8;

/// The right to remove objects, which ends with the lease.
struct Turn<'a> {
    catalogue: &'a Catalogue,
    name: String,
    lease: Duration,
    /// The time when the lease was last extended.
    extended: Mutex<Instant>,
    is_over: AtomicBool,
}

impl Turn<'_> {
    /// Returns whether the lease surely goes on.
    fn holds(&self) -> bool {
        let extended = *self.extended.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        !self.is_over.load(Ordering::Relaxed) && extended.elapsed() < self.lease * 3 / 4
    }

    /// Extends the lease until `is_done`.
    fn keep(&self, is_done: &AtomicBool) {
        while !is_done.load(Ordering::Relaxed) {
            let began = Instant::now();
            match self.catalogue.extend_collection(&self.name, self.lease) {
                Ok(()) => *self.extended.lock().unwrap_or_else(std::sync::PoisonError::into_inner) = began,
                Err(ClusterError::LeaseLost) => return self.is_over.store(true, Ordering::Relaxed),
                // The database may come back in time.
                Err(_) => {}
            }
            thread::park_timeout(self.lease / 8);
        }
    }
}

/// Tells on stderr how far a long collection is.
struct Told {
    is_quiet: bool,
    last: Cell<Instant>,
}

impl Told {
    fn new(context: &CallContext) -> Told {
        Told { is_quiet: context.quiet, last: Cell::new(Instant::now()) }
    }

    fn say(&self, done: usize, total: usize, what: &str) {
        if !self.is_quiet && self.last.get().elapsed() >= TELL_EVERY {
            self.last.set(Instant::now());
            output::note(&format!(
                "looked through the {what} of {done} of {}",
                units::count(total, "repository family")
            ));
        }
    }
}

/// The numbers of a collection.
#[derive(Default)]
struct Removed {
    states: usize,
    packs: usize,
    git_objects: usize,
    bytes: u64,
    /// Objects that are needed but cannot be read.
    unreadable: Vec<String>,
}

/// Removes what no generation needs.
pub(super) fn run(
    context: &CallContext,
    catalogue: &Catalogue,
    settings: &ClusterSettings,
    args: &CollectArgs,
) -> Result<(String, Value), AppError> {
    let objects = open_objects(settings)?;
    let objects = objects.as_ref();
    check_owner(objects, catalogue, !args.dry_run)?;
    let lease = Duration::from_secs(settings.lease_seconds).max(MIN_LEASE);
    let within = Duration::from_secs(args.days * 24 * 3600);
    let (removed, needed, forgotten) = match args.dry_run {
        true => {
            let needed = catalogue.needed_generations(within)?;
            let removed = sweep(objects, &needed, args, &|| Ok(()), &Told::new(context))?;
            (removed, needed.len(), 0)
        }
        false => with_turn(catalogue, lease, |may_remove| {
            let needed = catalogue.needed_generations(within)?;
            let forgotten = catalogue.forget_generations(within)?;
            let removed = sweep(objects, &needed, args, may_remove, &Told::new(context))?;
            Ok((removed, needed.len(), forgotten))
        })?,
    };
    let verb = if args.dry_run { "would remove" } else { "removed" };
    let mut text = format!(
        "{verb} {}, {} and {} ({}); {} left\n",
        units::count(removed.states, "state"),
        units::count(removed.packs, "pack"),
        units::count(removed.git_objects, "git object"),
        units::bytes(removed.bytes),
        units::count(needed, "generation"),
    );
    for name in &removed.unreadable {
        text.push_str(&format!("cannot read {}; nothing beside it was removed\n", shown(name)));
    }
    let value = json!({
        "dry_run": args.dry_run,
        "generations": needed,
        "forgotten_generations": forgotten,
        "removed_states": removed.states,
        "removed_packs": removed.packs,
        "removed_git_objects": removed.git_objects,
        "removed_bytes": removed.bytes,
        "unreadable": removed.unreadable,
    });
    Ok((text, value))
}

/// Runs `work` while no job is under way in the cluster.
fn with_turn<T>(
    catalogue: &Catalogue,
    lease: Duration,
    work: impl FnOnce(&(dyn Fn() -> Result<(), EngineError> + Sync)) -> Result<T, AppError>,
) -> Result<T, AppError> {
    let turn = Turn {
        catalogue,
        name: random_secret()?,
        lease,
        extended: Mutex::new(Instant::now()),
        is_over: AtomicBool::new(false),
    };
    catalogue.begin_collection(&turn.name, lease)?;
    let is_done = AtomicBool::new(false);
    let done = thread::scope(|scope| {
        let keeper = scope.spawn(|| turn.keep(&is_done));
        let work = || work(&|| if turn.holds() { Ok(()) } else { Err(EngineError::Cancelled) });
        let done = catch_unwind(AssertUnwindSafe(work));
        is_done.store(true, Ordering::Relaxed);
        keeper.thread().unpark();
        done
    });
    let ended = catalogue.end_collection(&turn.name);
    let done = done.map_err(|_| AppError::internal("a collection failed without a reason"))??;
    ended?;
    Ok(done)
}

/// Removes the objects of all families that `needed` does not need.
fn sweep(
    objects: &dyn ObjectStore,
    needed: &[Generation],
    args: &CollectArgs,
    may_remove: &(dyn Fn() -> Result<(), EngineError> + Sync),
    told: &Told,
) -> Result<Removed, AppError> {
    let until = Instant::now() + PATIENCE;
    let written_before = clock::unix_seconds() - (args.days * 24 * 3600) as i64;
    let states: HashSet<&str> = needed.iter().map(|generation| generation.state.as_str()).collect();
    let unreachable = |error| AppError::invalid(format!("the object store cannot be listed: {error}"), "try again");
    let family = |object: &ListedObject| object.name.split('/').nth(1).map(str::to_string);
    let stored = objects.list("v1/", until).map_err(unreachable)?;
    let families: BTreeSet<String> = stored.iter().filter_map(family).collect();
    let mut removed = Removed::default();
    for (number, family) in families.iter().enumerate().filter(|(_, family)| is_family(family)) {
        told.say(number, families.len(), "states");
        let remote = Remote { objects, family, until, concurrency: CONCURRENCY, public_key: None, state: None };
        let keeps = |state: &codecompass_engine::StateName, _| states.contains(state.name.as_str());
        let options = PruneOptions { keeps: &keeps, written_before, is_dry: args.dry_run, may_remove };
        let pruned = remote.prune(&options).map_err(stopped)?;
        removed.states += pruned.removed_states;
        removed.packs += pruned.removed_packs;
        removed.bytes += pruned.removed_bytes;
        removed.unreadable.extend(pruned.unreadable);
    }
    let git = objects.list("git/", until).map_err(unreachable)?;
    let families: BTreeSet<String> = git.iter().filter_map(family).collect();
    for (number, family) in families.iter().enumerate() {
        told.say(number, families.len(), "git objects");
        let is_removable = |object: &&ListedObject| {
            let is_old = object.modified.is_some_and(|time| time < written_before);
            is_old && object.name.split('/').nth(1) == Some(family.as_str())
        };
        let Some(kept) = git_objects(objects, family, needed, until, &mut removed.unreadable)? else { continue };
        for object in git.iter().filter(is_removable).filter(|object| !kept.contains(&object.name)) {
            if !args.dry_run {
                may_remove().map_err(stopped)?;
                let unremovable =
                    |error| AppError::invalid(format!("an object cannot be removed: {error}"), "try again");
                objects.remove(&object.name, until).map_err(unremovable)?;
            }
            removed.git_objects += 1;
            removed.bytes += object.size;
        }
    }
    Ok(removed)
}

/// Returns the git objects of a family that are needed; `None` if some cannot be told.
fn git_objects(
    objects: &dyn ObjectStore,
    family: &str,
    needed: &[Generation],
    until: Instant,
    unreadable: &mut Vec<String>,
) -> Result<Option<HashSet<String>>, AppError> {
    let of_family = needed.iter().filter(|generation| generation.family == family);
    let lists: BTreeSet<&String> = of_family.flat_map(|generation| &generation.packs).collect();
    let mut kept = HashSet::new();
    let before = unreadable.len();
    for list in lists {
        match packs::objects_of(objects, family, list, until) {
            Ok(names) => kept.extend(names.into_iter().chain(iter::once(list.clone()))),
            Err(PackError::Damaged(_)) => unreadable.push(list.clone()),
            Err(PackError::Failed(reason)) => return Err(AppError::invalid(reason, "try again")),
        }
    }
    Ok((unreadable.len() == before).then_some(kept))
}

fn is_family(name: &str) -> bool {
    (40..=64).contains(&name.len()) && name.bytes().all(|byte| byte.is_ascii_hexdigit())
}

fn stopped(error: EngineError) -> AppError {
    match error {
        EngineError::Cancelled => AppError::new(
            Code::InternalError,
            "the collection has lost its lease: it was stopped for a while, or the database could not be reached",
            "run it again",
        ),
        error => error.into(),
    }
}
