//! The options of one question, and what a server adds to it: progress, cancellation, and how fresh
//! the answer may be.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use codecompass_engine::watch::{Settled, Watcher};
use codecompass_engine::{FileSizes, Progress, SnapshotCache, Stage};

use super::freshness;
use super::scope::Scope;
use crate::choices::{ColorWhen, Freshness, MetadataLevel};

/// The form in which an answer leaves the program.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OutputFormat {
    /// Text for people.
    #[default]
    Text,
    /// JSON for programs.
    Json,
}

/// The options that apply to any question. The command line takes them from flags, a server from
/// the call.
#[derive(Clone, Debug, Default)]
pub struct CallContext {
    /// The repositories to answer for.
    pub scope: Scope,
    pub format: OutputFormat,
    pub color: ColorWhen,
    pub metadata: MetadataLevel,
    /// The freshness policy, where it is not the one of the settings.
    pub freshness: Option<Freshness>,
    /// Suppresses notes on stderr.
    pub quiet: bool,
    /// Set for questions that come through a server.
    pub control: Option<Arc<CallControl>>,
}

impl CallContext {
    /// Returns the context of one repository of a question to several.
    pub fn for_repository(&self, root: &Path, scope: Scope) -> CallContext {
        let control = self.control.as_ref().map(|control| Arc::new(control.for_repository(root)));
        CallContext { scope, quiet: true, control, ..self.clone() }
    }

    /// Returns whether the answer is for programs.
    pub fn is_json(&self) -> bool {
        self.format == OutputFormat::Json
    }

    /// Returns the server's progress listener and cancellation, for work that reports them.
    pub fn progress(&self) -> Option<Arc<dyn Progress + Send + Sync>> {
        self.control.clone().map(|control| control as Arc<dyn Progress + Send + Sync>)
    }
}

/// Hears how a sync goes: the stage, how much is done, and of how much.
type Listener = Box<dyn Fn(Stage, usize, usize) + Send + Sync>;

/// The state that a server and the work on one call share.
pub struct CallControl {
    listener: Listener,
    cancelled: AtomicBool,
    as_is: AtomicBool,
    unfinished: AtomicBool,
    watcher: Option<Arc<Watcher>>,
    /// The watchers of further repositories that the question is about, by root.
    other_watchers: Vec<(PathBuf, Arc<Watcher>)>,
    kept: Option<Arc<SnapshotCache>>,
    settled: OnceLock<Settled>,
    root: Option<PathBuf>,
    stale: AtomicBool,
    file_sizes: OnceLock<FileSizes>,
}

impl CallControl {
    pub fn new(listener: impl Fn(Stage, usize, usize) + Send + Sync + 'static) -> CallControl {
        let no = || AtomicBool::new(false);
        CallControl {
            listener: Box::new(listener),
            cancelled: no(),
            as_is: no(),
            stale: no(),
            unfinished: no(),
            watcher: None,
            other_watchers: Vec::new(),
            kept: None,
            settled: OnceLock::new(),
            root: None,
            file_sizes: OnceLock::new(),
        }
    }

    /// Binds the question to the repository at `root`, which was checked: between that and the
    /// work, a directory may become a link that leads elsewhere.
    pub fn of(mut self, root: &Path) -> CallControl {
        self.root = Some(root.to_path_buf());
        self
    }

    /// Returns the control of one repository of a question to several.
    pub fn for_repository(&self, root: &Path) -> CallControl {
        let part = CallControl::new(|_, _, _| {}).of(root);
        let other = self.other_watchers.iter().find(|(other, _)| other == root).map(|(_, watcher)| watcher.clone());
        let own = self.watcher.clone().filter(|_| self.root.as_deref() == Some(root));
        CallControl { kept: self.kept.clone(), watcher: own.or(other), ..part }
    }

    /// Sets the watchers of further repositories that the question is about.
    pub fn with_other_watchers(mut self, watchers: Vec<(PathBuf, Arc<Watcher>)>) -> CallControl {
        self.other_watchers = watchers;
        self
    }

    /// Returns whether the question may be about the repository at `root`.
    pub fn allows(&self, root: &Path) -> bool {
        self.root.as_deref().is_none_or(|own| own == root)
    }

    /// Asks the work to stop; a sync does so soon, and leaves the published state as it was.
    pub fn cancel(&self) {
        self.cancelled.store(true, Ordering::Relaxed);
    }

    /// Lets the question be answered from the last published state, because bringing it up to date
    /// takes too long.
    pub fn answer_as_is(&self) {
        self.as_is.store(true, Ordering::Relaxed);
    }

    /// Notes that much has changed and was not indexed for this question: the server does it
    /// afterwards.
    pub fn leave_stale(&self) {
        self.stale.store(true, Ordering::Relaxed);
    }

    /// Returns whether much is left to index.
    pub fn is_left_stale(&self) -> bool {
        self.stale.load(Ordering::Relaxed)
    }

    /// Lets the question be answered from what the first index run has stored so far.
    pub fn answer_unfinished(&self) {
        self.unfinished.store(true, Ordering::Relaxed);
    }

    /// Returns whether what the first index run has stored so far is what answers.
    pub fn is_unfinished(&self) -> bool {
        self.unfinished.load(Ordering::Relaxed)
    }

    /// Gives the question a watcher, which knows whether files were saved.
    pub fn watched_by(mut self, watcher: Option<Arc<Watcher>>) -> CallControl {
        self.watcher = watcher;
        self
    }

    /// Returns the watcher, which knows whether files were saved.
    pub fn watcher(&self) -> Option<&Watcher> {
        self.watcher.as_deref()
    }

    /// Returns whether it matters what the watcher knows.
    pub fn asks_watcher(&self) -> bool {
        self.watcher.is_some() && !self.is_as_is() && !self.is_unfinished()
    }

    /// Asks the watcher whether all that was saved is in the index, and waits for that as long as
    /// `policy` allows: the question is about what was saved before now.
    pub fn settle(&self, policy: Freshness) {
        if let Some(watcher) = &self.watcher {
            self.settled.get_or_init(|| freshness::settle(watcher, policy));
        }
    }

    /// Returns the answer of the watcher.
    pub fn settled(&self) -> Option<Settled> {
        self.settled.get().copied()
    }

    /// Lets the question use snapshots that stay open.
    pub fn with_kept(mut self, kept: Arc<SnapshotCache>) -> CallControl {
        self.kept = Some(kept);
        self
    }

    /// Returns the cache in which snapshots stay open between questions.
    pub fn kept(&self) -> Option<&Arc<SnapshotCache>> {
        self.kept.as_ref()
    }

    /// Notes the files of the view that answered first.
    pub(super) fn note_files(&self, sizes: FileSizes) {
        let _ = self.file_sizes.set(sizes);
    }

    /// Returns the sizes of the files that the question was answered from.
    pub fn file_sizes(&self) -> Option<&FileSizes> {
        self.file_sizes.get()
    }

    /// Returns whether the last published state is what answers.
    pub fn is_as_is(&self) -> bool {
        self.as_is.load(Ordering::Relaxed)
    }
}

impl Progress for CallControl {
    fn report(&self, stage: Stage, done: usize, total: usize) {
        (self.listener)(stage, done, total);
    }

    fn is_cancelled(&self) -> bool {
        self.cancelled.load(Ordering::Relaxed)
    }
}

impl fmt::Debug for CallControl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CallControl")
            .field("cancelled", &self.cancelled)
            .field("as_is", &self.as_is)
            .finish_non_exhaustive()
    }
}
