//! The session of a command: the engine for the caller's workspace, brought up to date, and mended
//! if it is damaged.

pub mod background;
mod call_context;
mod freshness;
pub mod history_builder;
pub mod providers;
mod remote;
mod scope;

use std::cell::{Cell, RefCell};
use std::panic::AssertUnwindSafe;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use codecompass_engine::config::SemanticMode;
use codecompass_engine::model::{SkipReason, Target, Workspace};
use codecompass_engine::query::{self, Filter, ProjectScope};
use codecompass_engine::scan::SkippedPath;
use codecompass_engine::watch::{Settled, Watcher};
use codecompass_engine::{
    Engine, Error as EngineError, Progress, Snapshot, SyncLimit, SyncOptions, SyncReport, scan, sync,
};

pub use self::call_context::{CallContext, CallControl, OutputFormat};
pub use self::freshness::policy;
use self::providers::Providers;
pub use self::scope::{
    AskedRepository, MissingRepository, OtherRepositories, Place, PlacedQuestion, PlacedRepository, PreparedWorkspace,
    RepositoryChoice, Scope, group,
};
use crate::choices::{Freshness, MetadataLevel};
use crate::error::{AppError, Code};
use crate::remedy::Remedy;
use crate::settings::{self, RemoteSettings, Settings};
use crate::terminal::output;
use crate::terminal::progress::Bar;

/// The number of attempts to answer a question while files change under it.
const MAX_ATTEMPTS: usize = 5;
/// The work that a question does itself before it leaves the rest to the server's background.
const INLINE_SYNC_LIMIT: SyncLimit = SyncLimit { parsed: 200, recognised: 5000 };

/// An engine and how to speak while it works.
pub struct Session {
    pub engine: Engine,
    /// The directory that relative paths of the caller mean.
    pub directory: PathBuf,
    quiet: bool,
    /// The amount of metadata in answers.
    pub metadata: MetadataLevel,
    /// The control of the call, if it comes through a server.
    control: Option<Arc<CallControl>>,
    /// The models and providers that settings ask for, and why some cannot be used.
    pub providers: Providers,
    /// The mode of meaning that settings have, whatever flags say.
    pub configured_mode: SemanticMode,
    /// The remote index that settings name.
    remote: RemoteSettings,
    /// The policy for waiting until the index is what is on disk.
    freshness: Freshness,
    /// True if the last question was answered from a state that is not what is on disk.
    is_stale: Cell<bool>,
    /// The state that a question was asked about, for the next one.
    held: RefCell<Option<Snapshot>>,
    /// True for one of several repositories that answer as one.
    is_shard: bool,
    /// True if the published state answers, since it is of a commit that is never replaced.
    is_pinned: bool,
}

/// The view that a session answers for.
pub enum At<'a> {
    /// The files on disk, whatever `switch` chose.
    Checkout,
    /// The named ref, or else the one that `switch` chose.
    Ref(Option<&'a str>),
}

/// The root of the workspace that the flags name, for commands that need no index.
pub fn root(context: &CallContext) -> Result<PathBuf, AppError> {
    Ok(scan::discover(&directory(&context.scope.place()?)?).map_err(EngineError::from)?.root)
}

/// Refuses what a server has not allowed.
fn allow(context: &CallContext, root: &Path) -> Result<(), AppError> {
    match context.control.as_ref().is_none_or(|watch| watch.allows(root)) {
        true => Ok(()),
        false => Err(AppError::new(
            Code::WorkspaceNotAllowed,
            "the workspace became another one while the call was under way",
            "call again; if that does not help, start the server again",
        )),
    }
}

#[expect(clippy::disallowed_methods, reason = "here the current directory becomes an argument")]
fn directory(place: &Place) -> Result<PathBuf, AppError> {
    match place {
        Place::Commit(prepared) => Ok(prepared.workspace.root.clone()),
        Place::Checkout(Some(directory)) => Ok(directory.clone()),
        Place::Checkout(None) => std::env::current_dir().map_err(|error| {
            AppError::new(
                Code::ProjectNotFound,
                format!("cannot tell the current directory: {error}"),
                Remedy::ChangeDirectory,
            )
        }),
    }
}

/// A workspace and the settings that count in it.
struct WorkspaceSettings {
    workspace: Workspace,
    settings: Settings,
}

/// Finds the workspace around a directory, which must be allowed.
fn find(context: &CallContext, place: &Place, directory: &Path) -> Result<WorkspaceSettings, AppError> {
    let found = match place {
        Place::Commit(prepared) => {
            WorkspaceSettings { workspace: prepared.workspace.clone(), settings: Settings::clone(&prepared.settings) }
        }
        Place::Checkout(_) => {
            let workspace = scan::discover(directory).map_err(EngineError::from)?;
            let settings = settings::load(&settings::homes()?, &workspace.root)?;
            WorkspaceSettings { workspace, settings }
        }
    };
    allow(context, &found.workspace.root)?;
    Ok(found)
}

/// Sets what an engine is asked about; returns as well whether that is what is usual.
fn at_reference(engine: Engine, place: &Place, at: At<'_>) -> Result<(Engine, bool), AppError> {
    let chosen = match (at, place) {
        (At::Ref(Some(name)), _) => return Ok((engine.at_ref(name)?, false)),
        (At::Ref(None), Place::Checkout(_)) => engine.default_ref(),
        (At::Checkout, _) | (At::Ref(None), Place::Commit(_)) => None,
    };
    let Some(name) = chosen else { return Ok((engine, true)) };
    let engine = engine.at_ref(&name).map_err(|error| {
        let mut error = AppError::from(error);
        error.remediation = Remedy::ResetSwitch;
        error
    })?;
    Ok((engine, false))
}

impl Session {
    /// Opens the engine for the workspace that the flags name.
    pub fn open(context: &CallContext) -> Result<Session, AppError> {
        Session::open_at(context, None)
    }

    /// The same for the files on disk, whatever `switch` chose.
    pub fn open_checkout(context: &CallContext) -> Result<Session, AppError> {
        Session::start(context, At::Checkout, false, |_| {})
    }

    /// Returns the ref that `switch` chose for this workspace.
    pub fn default_ref(&self) -> Option<String> {
        self.engine.default_ref()
    }

    /// The same for the ref that the flags name, or else the one that `switch` chose.
    pub fn open_at(context: &CallContext, reference: Option<&str>) -> Result<Session, AppError> {
        Session::start(context, At::Ref(reference), false, |_| {})
    }

    /// The same for commands that look at meaning or make vectors; `adjust` puts in what flags say
    /// about settings.
    pub fn open_with_models(
        context: &CallContext,
        at: At<'_>,
        adjust: impl FnOnce(&mut Settings),
    ) -> Result<Session, AppError> {
        Session::start(context, at, true, adjust)
    }

    fn start(
        context: &CallContext,
        at: At<'_>,
        wants_models: bool,
        adjust: impl FnOnce(&mut Settings),
    ) -> Result<Session, AppError> {
        let place = context.scope.place()?;
        let directory = directory(&place)?;
        let WorkspaceSettings { workspace, mut settings } = find(context, &place, &directory)?;
        let freshness = settings.freshness;
        let configured_mode = settings.engine.semantic.mode;
        adjust(&mut settings);
        let engine = match &place {
            Place::Commit(prepared) => {
                Engine::open_at_head(workspace, &prepared.home, settings.engine, &prepared.commit)?
            }
            Place::Checkout(_) => Engine::open_in(workspace, &settings::homes()?.data, settings.engine)?,
        };
        let remote = settings.remote;
        let (engine, providers) = providers::equip(engine, settings.providers, wants_models);
        let (engine, is_default) = at_reference(engine, &place, at)?;
        let kept = context.control.as_ref().and_then(|watch| watch.kept().cloned());
        let engine = match kept {
            Some(kept) => engine.with_snapshot_cache(kept),
            None => engine,
        };
        let directory = match place {
            Place::Commit(_) => directory,
            Place::Checkout(_) => dunce::canonicalize(&directory).unwrap_or(directory),
        };
        let (quiet, metadata) = (context.quiet, context.metadata);
        let control = context.control.clone();
        let freshness = context.freshness.unwrap_or(freshness);
        let (is_stale, held) = (Cell::new(false), RefCell::new(None));
        Ok(Session {
            engine,
            directory,
            quiet,
            metadata,
            control,
            providers,
            configured_mode,
            remote,
            freshness,
            is_stale,
            held,
            is_shard: matches!(context.scope, Scope::Shard(_)),
            is_pinned: is_default && matches!(place, Place::Commit(_)),
        })
    }

    /// Says something on stderr that is no answer, unless nothing is to be said.
    pub fn note(&self, text: &str) {
        if !self.quiet {
            output::note(text);
        }
    }

    /// Asks a question whose answer is restricted to some paths; refuses paths that no file has.
    pub fn ask_in<T>(
        &self,
        filter: &Filter,
        question: impl Fn(&Snapshot) -> Result<T, EngineError>,
    ) -> Result<T, AppError> {
        self.ask(|snapshot| {
            // Another repository may have them.
            if !self.is_shard {
                query::require_paths(snapshot, filter)?;
            }
            question(snapshot)
        })
    }

    /// Returns the restriction to the projects with these names, if there are any. The question
    /// itself is then asked about the same state.
    pub fn project_scope(&self, names: &[String]) -> Result<Option<ProjectScope>, AppError> {
        if names.is_empty() {
            return Ok(None);
        }
        let (source, config) = (self.engine.source(), &self.engine.config().index);
        self.ask_held(|snapshot| query::project_scope(snapshot, source, config, names)).map(Some)
    }

    /// Asks a question and holds the state that answered it: the next one is asked about it, too.
    pub fn ask_held<T>(&self, question: impl Fn(&Snapshot) -> Result<T, EngineError>) -> Result<T, AppError> {
        self.ask_and(question, |snapshot| *self.held.borrow_mut() = Some(snapshot))
    }

    /// Ends the use of a state that is held.
    pub fn release(&self) {
        self.held.borrow_mut().take().into_iter().for_each(|snapshot| self.engine.return_snapshot(snapshot));
    }

    /// Syncs and runs `question` on the fresh snapshot. A damaged store is set aside and rebuilt,
    /// once.
    pub fn ask<T>(&self, question: impl Fn(&Snapshot) -> Result<T, EngineError>) -> Result<T, AppError> {
        self.ask_and(question, |snapshot| self.engine.return_snapshot(snapshot))
    }

    /// The same, with something to do with the snapshot afterwards.
    fn ask_and<T>(
        &self,
        question: impl Fn(&Snapshot) -> Result<T, EngineError>,
        done: impl Fn(Snapshot),
    ) -> Result<T, AppError> {
        self.with_repair(|| {
            let mut attempts = 0;
            loop {
                let held = self.held.borrow_mut().take();
                let snapshot = held.map_or_else(|| self.current(attempts > 0), Ok)?;
                attempts += 1;
                match question(&snapshot) {
                    // The file was saved in this very moment, or it must be read and the state is
                    // not the newest.
                    Err(EngineError::FileChanged { .. }) if attempts < MAX_ATTEMPTS && !self.is_shard => {}
                    Ok(answer) => {
                        if let Some(control) = &self.control {
                            control.note_files(snapshot.file_sizes());
                        }
                        done(snapshot);
                        return Ok(answer);
                    }
                    Err(error) => return Err(self.with_oversized(&snapshot, self.with_skip_reason(error))),
                }
            }
        })
        .inspect(|_| {
            if self.is_stale() && self.control.is_none() {
                self.note("the answer is of the last index run; files have changed since");
            }
        })
        .map_err(|error| self.not_found_yet(error))
    }

    /// Says of something that was not found that the first index run may not have come to it yet.
    fn not_found_yet(&self, error: AppError) -> AppError {
        let is_not_found = matches!(error.code, Code::SymbolNotFound | Code::FileNotFound);
        match self.is_unfinished() && is_not_found {
            true => AppError::new(
                Code::IndexInProgress,
                format!("{} among the files that are indexed so far", error.message),
                "the first index run goes on; call again in a while",
            ),
            false => error,
        }
    }

    /// The state that answers: what is there now, or the last published one for who cannot wait.
    /// `must_be_new` when files have to be read that the last state does not know.
    fn current(&self, must_be_new: bool) -> Result<Snapshot, EngineError> {
        if self.is_as_is() || self.is_pinned {
            let published = self.engine.snapshot()?;
            return published.ok_or_else(|| EngineError::NotIndexed { path: self.engine.workspace().root.clone() });
        }
        if self.is_unfinished() {
            let saved = self.engine.unfinished_snapshot()?;
            // It may have been published since.
            let saved = saved.map_or_else(|| self.engine.snapshot(), |saved| Ok(Some(saved)))?;
            return saved.ok_or_else(|| EngineError::NotIndexed { path: self.engine.workspace().root.clone() });
        }
        let watch = self.control.as_deref();
        let watcher = watch.and_then(CallControl::watcher).filter(|_| self.is_about_files());
        if let (Some(watch), Some(watcher)) = (watch, watcher)
            && let Some(snapshot) = self.watched(watch, watcher, must_be_new)?
        {
            return Ok(snapshot);
        }
        let at_most = match (self.freshness, &self.control) {
            _ if must_be_new => None,
            (Freshness::BestEffort, _) => Some(SyncLimit::NOTHING),
            // Only a server has a background to index in.
            (Freshness::Balanced, Some(_)) => Some(INLINE_SYNC_LIMIT),
            (Freshness::Balanced, None) | (Freshness::Strict, _) => None,
        };
        let ticket = watcher.map(Watcher::ticket);
        let (snapshot, report) = self.sync(SyncOptions { at_most, ..SyncOptions::default() })?;
        if let (Some(watcher), Some(ticket), false) = (watcher, ticket, report.is_stale) {
            watcher.confirm(ticket, report.generation);
        }
        self.is_stale.set(report.is_stale);
        if let Some(watch) = self.control.as_ref().filter(|_| report.is_stale) {
            watch.leave_stale();
        }
        Ok(snapshot)
    }

    /// The state that answers, as far as a watcher knows what was saved; nothing where the files
    /// must be looked at.
    fn watched(
        &self,
        watch: &CallControl,
        watcher: &Watcher,
        must_be_new: bool,
    ) -> Result<Option<Snapshot>, EngineError> {
        let policy = if must_be_new { Freshness::Strict } else { self.freshness };
        let settled = watch.settled().filter(|_| !must_be_new).unwrap_or_else(|| freshness::settle(watcher, policy));
        let may_be_stale = match policy {
            Freshness::Strict => false,
            Freshness::Balanced => watcher.state().leads,
            Freshness::BestEffort => true,
        };
        let is_stale = settled == Settled::Dirty;
        if settled == Settled::Unknown || (is_stale && !may_be_stale) {
            return Ok(None);
        }
        let snapshot = self.engine.snapshot()?;
        self.is_stale.set(is_stale && snapshot.is_some());
        Ok(snapshot)
    }

    /// Returns whether the last question was answered from a state that is not what is on disk.
    pub fn is_stale(&self) -> bool {
        self.is_stale.get()
    }

    /// Returns whether questions wait until the index is what is on disk.
    pub fn freshness(&self) -> Freshness {
        self.freshness
    }

    /// Returns whether answers are about the files on disk, not about a commit.
    fn is_about_files(&self) -> bool {
        *self.engine.target() == Target::Checkout
    }

    /// Returns whether what the first index run has stored so far answers.
    pub fn is_unfinished(&self) -> bool {
        self.control.as_ref().is_some_and(|watch| watch.is_unfinished())
    }

    /// Returns whether the last published state answers, and is being replaced.
    pub fn is_as_is(&self) -> bool {
        self.control.as_ref().is_some_and(|watch| watch.is_as_is())
    }

    /// Syncs, with progress on stderr.
    pub fn sync(&self, options: SyncOptions) -> Result<(Snapshot, SyncReport), EngineError> {
        if !options.rebuild {
            self.join_family();
            self.pull_at_first_use();
        }
        self.with_progress(|bar| sync(&self.engine, options, bar))
    }

    /// Shares the index of another clone of the repository on this machine, if there is none here.
    /// Whatever goes wrong, the index is made here.
    fn join_family(&self) {
        if !self.engine.config().index.share_clones || !self.engine.has_no_index() {
            return;
        }
        let Ok(homes) = settings::homes() else { return };
        let joined = self.with_progress(|bar| self.engine.join_family(&homes.data, bar));
        if let Ok(Some(clone)) = joined {
            let clone = clone.parent().filter(|_| clone.ends_with(".git")).unwrap_or(&clone);
            self.note(&format!("shares the index of {}; what differs is parsed", clone.display()));
        }
    }

    /// Runs `work` with progress on stderr.
    pub fn with_progress<T>(&self, work: impl FnOnce(&Bar) -> T) -> T {
        let progress = self.control.clone().map(|control| control as Arc<dyn Progress + Send + Sync>);
        let bar = Bar::new(self.quiet, progress);
        let outcome = work(&bar);
        bar.finish();
        outcome
    }

    /// Returns the entry that keeps a path out of the index: the path itself or a directory above.
    pub fn skipped_by(&self, path: &str) -> Result<Option<SkippedPath>, EngineError> {
        let is_it = |known: &str| path == known || path.strip_prefix(known).is_some_and(|rest| rest.starts_with('/'));
        Ok(self.engine.skipped()?.into_iter().find(|skipped| is_it(&skipped.path)))
    }

    /// Adds to the error about a file that is not in the index the reason why it is skipped, if it
    /// is there and skipped.
    pub fn with_skip_reason(&self, error: EngineError) -> EngineError {
        let EngineError::FileNotFound { path, reason: None, .. } = &error else { return error };
        let on_disk = self.engine.workspace().root.join(path);
        if !on_disk.exists() || on_disk.is_dir() {
            return error;
        }
        // Where the files cannot be listed, the error stands as it is.
        let Ok(Some(skipped)) = self.skipped_by(path) else { return error };
        let reason = match skipped.reason {
            SkipReason::TooLarge(size) => format!("too large: {size} bytes"),
            reason => reason.to_string(),
        };
        EngineError::FileNotFound { path: path.clone(), reason: Some(reason), suggestions: Vec::new() }
    }

    /// Names the files that have the symbol which was not found, if they are too large to be
    /// indexed.
    fn with_oversized(&self, snapshot: &Snapshot, error: EngineError) -> EngineError {
        let EngineError::SymbolNotFound { symbol, .. } = &error else { return error };
        match query::oversized_files_with(snapshot, self.engine.source(), symbol) {
            Ok(paths) if !paths.is_empty() => EngineError::SymbolNotIndexed { symbol: symbol.clone(), paths },
            // Where they cannot be read, the error stands as it is.
            _ => error,
        }
    }

    /// Runs `work`, which syncs; if the store turns out to be damaged, sets it aside, says so and
    /// runs `work` again.
    pub fn with_repair<T>(&self, work: impl Fn() -> Result<T, EngineError>) -> Result<T, AppError> {
        self.with_quarantine(work, " and building a new one")
    }

    /// Runs `work` like [`Session::with_repair`], but where `work` only looks at the index, so that
    /// a later command has to build the new one.
    pub fn without_rebuild<T>(&self, work: impl Fn() -> Result<T, EngineError>) -> Result<T, AppError> {
        self.with_quarantine(work, "; any question or `codecompass index` builds a new one")
    }

    fn with_quarantine<T>(&self, work: impl Fn() -> Result<T, EngineError>, outcome: &str) -> Result<T, AppError> {
        let run = || output::quiet_panics(AssertUnwindSafe(&work));
        let failure = match run() {
            Ok(Ok(answer)) => return Ok(answer),
            Ok(Err(error)) => Some(error),
            Err(_) => None,
        };
        self.set_damage_aside(failure, outcome)?;
        // If nothing was set aside, another process has mended it meanwhile, or the second run
        // fails like the first.
        Ok(run().map_err(AppError::internal)??)
    }

    /// Moves the store away if the failure of a reader, or its panic, comes from damage.
    fn set_damage_aside(&self, failure: Option<EngineError>, outcome: &str) -> Result<(), AppError> {
        let detail = match failure {
            Some(EngineError::Corrupt { detail, .. }) => detail,
            // Damage has many faces; whether it is one is found out before anything is set aside.
            Some(error @ EngineError::Storage { .. }) => error.to_string(),
            Some(error) => return Err(error.into()),
            // Damaged files can make a reader trip over itself; if the store is sound, it is a bug
            // of ours.
            None => "reading it fails".to_string(),
        };
        let aside =
            output::quiet_panics(AssertUnwindSafe(|| self.engine.quarantine())).map_err(AppError::internal)??;
        if let Some(aside) = aside {
            output::note(&format!("the index was damaged ({detail}); moved it to {}{outcome}", aside.display()));
        }
        Ok(())
    }

    /// A path the user gave, relative to the workspace root and with `/`.
    pub fn relative_path(&self, path: &str) -> Result<String, AppError> {
        let root = &self.engine.workspace().root;
        let given = PathBuf::from(path);
        // A path may be meant from where the user stands or from the root; the former wins when it
        // exists.
        let from_here = self.directory.join(&given);
        let absolute =
            if from_here.exists() { dunce::canonicalize(&from_here).unwrap_or(from_here) } else { root.join(&given) };
        let mut clean = PathBuf::new();
        for part in absolute.components() {
            match part {
                std::path::Component::ParentDir => {
                    clean.pop();
                }
                std::path::Component::CurDir => {}
                part => clean.push(part),
            }
        }
        match clean.strip_prefix(root) {
            Ok(relative) => Ok(relative.to_string_lossy().replace('\\', "/")),
            Err(_) => Err(EngineError::PathOutside { path: path.to_string() }.into()),
        }
    }
}
