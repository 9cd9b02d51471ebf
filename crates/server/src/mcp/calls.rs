//! Answers one call: checks what it asks, waits a while for the index, tells who wants to know how
//! that goes, and cuts the answer to its size. Whatever happens in it, the server goes on.

use std::future::Future;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use codecompass_app::api::any::AnyQuestion;
use codecompass_app::api::arguments::RefArgs;
use codecompass_app::api::fan_out::answers::Reply;
use codecompass_app::choices::{ColorWhen, Freshness};
use codecompass_app::error::{AppError, Code};
use codecompass_app::remedy::Remedy;
use codecompass_app::savings::{CallSums, Ledger};
use codecompass_app::session::{self, CallContext, CallControl, OutputFormat, Scope, Session};
use codecompass_app::workers::Workers;
use codecompass_engine::{FileSizes, KnownWorkspace, Stage, known_stores};
use rmcp::RoleServer;
use rmcp::model::ProgressNotificationParam;
use rmcp::service::RequestContext;
use tokio::sync::{Semaphore, SemaphorePermit, mpsc};

use super::answer::{AnswerForm, SentAnswer};
use super::answerer::ToolCall;
use super::arguments::CommonArguments;
use super::audit::{AuditEntry, AuditLog};
use super::cited::{CitedAnswers, weigh_error};
use super::health::LastHealth;
use super::timeout::{self, Bounds, Ended, Listen};
use super::tools::{self, DecodedCall};
use super::workspace::prewarm::{Figures, Prewarmer};
use super::workspace::snapshots::OpenSnapshots;
use super::workspace::{Found, Workspace, Workspaces};

/// Returns what an answer cost and what it replaces.
pub(super) type Weigh = Box<dyn FnOnce() -> CallSums + Send>;

/// Calls that work at the same time; further ones wait for their turn.
const MAX_WORKING_CALLS: usize = 4;

/// Calls that ask only how things are, and work at the same time.
const MAX_WORKING_STATUS_CALLS: usize = 4;

/// Calls under way at the same time, those that wait for their turn among them.
const MAX_PENDING_CALLS: usize = 256;

/// The time limits of calls.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// A whole call.
    pub call: Duration,
    /// Waiting for the first sync.
    pub index: Duration,
}

/// The records of calls that are kept.
pub struct Records {
    pub audit: Option<Arc<AuditLog>>,
    pub ledger: Option<Ledger>,
}

/// The state that all calls share.
pub struct Host {
    pub(super) workspaces: Workspaces,
    pub(super) prewarmer: Arc<Prewarmer>,
    limits: Limits,
    records: Records,
    workers: Workers,
    turns: Arc<Semaphore>,
    quick_turns: Arc<Semaphore>,
    calls: Semaphore,
    pub(super) started: Instant,
    pub(super) last_health: LastHealth,
    open: Arc<OpenSnapshots>,
}

impl Host {
    pub fn new(
        workspaces: Workspaces,
        prewarmer: Arc<Prewarmer>,
        open: Arc<OpenSnapshots>,
        limits: Limits,
        records: Records,
    ) -> Host {
        Host {
            workspaces,
            prewarmer,
            limits,
            records,
            workers: Workers::default(),
            turns: Arc::new(Semaphore::new(MAX_WORKING_CALLS)),
            quick_turns: Arc::new(Semaphore::new(MAX_WORKING_STATUS_CALLS)),
            calls: Semaphore::new(MAX_PENDING_CALLS),
            started: Instant::now(),
            last_health: LastHealth::default(),
            open,
        }
    }

    /// Answers a call with an object that, as text, keeps to its token limit, by `until` at the
    /// latest. Also returns what weighs the answer, if the savings ledger is kept.
    pub(super) async fn answer(
        self: &Arc<Self>,
        call: ToolCall,
        until: Instant,
        context: &RequestContext<RoleServer>,
        entry: &mut AuditEntry,
        progress: &mut Progress<'_>,
    ) -> (Result<SentAnswer, AppError>, Option<Weigh>) {
        let mut how = None;
        let answered = self.attempt(call, until, context.ct.cancelled(), entry, progress, &mut how).await;
        let (answer, weigh) = self.weighed(answered);
        entry.end(&answer, how);
        (answer, weigh)
    }

    /// Returns what is sent, and what weighs it.
    fn weighed(&self, answered: Result<Answered, AppError>) -> (Result<SentAnswer, AppError>, Option<Weigh>) {
        let is_kept = self.records.ledger.is_some();
        match answered {
            Ok(Answered { sent, cited, sizes }) => {
                let weigh = is_kept.then(|| {
                    let sent = sent.clone();
                    Box::new(move || cited.weigh(&sent, sizes.as_ref())) as Weigh
                });
                (Ok(sent.body), weigh)
            }
            Err(error) => {
                let sums = weigh_error(&error);
                (Err(error), is_kept.then(|| Box::new(move || sums) as Weigh))
            }
        }
    }

    /// Enters a call into the savings ledger.
    pub(super) fn enter(&self, tool: &'static str, weigh: Weigh) {
        if let Some(ledger) = &self.records.ledger {
            ledger.add(tool, weigh);
        }
    }

    /// Returns the longest time that a request may take.
    pub(super) fn longest_call(&self) -> Duration {
        self.limits.call
    }

    /// Writes what the savings ledger has not written yet.
    pub fn flush_ledger(&self) {
        if let Some(ledger) = &self.records.ledger {
            ledger.flush();
        }
    }

    /// Returns the sums of the savings ledger, if one is kept.
    pub(super) fn savings(&self) -> Option<CallSums> {
        self.records.ledger.as_ref().and_then(Ledger::total)
    }

    /// Answers a call step by step; `how` says of an error how it came about, where its code does
    /// not.
    async fn attempt(
        self: &Arc<Self>,
        call: ToolCall,
        until: Instant,
        cancelled: impl Future<Output = ()>,
        entry: &mut AuditEntry,
        progress: &mut Progress<'_>,
        how: &mut Option<&'static str>,
    ) -> Result<Answered, AppError> {
        let _permit = self.admit()?;
        let ToolCall { tool, form, arguments } = call;
        let DecodedCall { common, at, max_tokens, question } = tool.read(arguments)?;
        let (found, others) =
            self.open_workspaces_of(tool.needs_index, common.workspace.as_ref(), &common.workspaces)?;
        entry.about(&found.workspace.root);
        let until = Some(until);
        let asked = AskedCall { common, at, needs_index: tool.needs_index, patience: None, until, others };
        let prepared = self.prepare(&found.workspace, asked, form);
        let work = move |call: &Call| call.ask(question.as_ref(), max_tokens);
        self.perform(prepared, work, cancelled, progress, how).await
    }

    /// Returns the log of calls, if one is kept.
    pub(super) fn audit_log(&self) -> Option<Arc<AuditLog>> {
        self.records.audit.clone()
    }

    /// Refuses a call if too many are under way.
    pub(super) fn admit(&self) -> Result<SemaphorePermit<'_>, AppError> {
        self.calls.try_acquire().map_err(|_| {
            let message = format!("{MAX_PENDING_CALLS} calls are waiting already");
            AppError::new(Code::InternalError, message, "wait for some of them, then call again")
        })
    }

    /// Finds the workspace that a call is about, and begins to keep a new one up to date.
    pub(super) fn open_workspace(&self, needs_index: bool, named: Option<&str>) -> Result<Found, AppError> {
        let is_busy = |root: &Path| self.prewarmer.figures(root).is_some();
        let found = self.workspaces.find(named, is_busy)?;
        if needs_index {
            self.prewarmer.count_call(&found.workspace.root);
        }
        if found.is_new {
            let open = self.workspaces.all();
            self.prewarmer.watchers.keep(|root| open.iter().any(|open| open.root == root));
            self.prewarmer.start(&found.workspace, true);
        }
        Ok(found)
    }

    /// Opens the workspaces that a call is about; returns the first one and the roots of the
    /// others.
    pub(super) fn open_workspaces_of(
        &self,
        needs_index: bool,
        named: Option<&String>,
        several: &[String],
    ) -> Result<(Found, Vec<PathBuf>), AppError> {
        let first = named.or(several.first());
        let found = self.open_workspace(needs_index, first.map(String::as_str))?;
        let mut others = Vec::new();
        for name in several.iter().filter(|name| Some(*name) != first) {
            others.push(self.open_workspace(needs_index, Some(name))?.workspace.root.clone());
        }
        Ok((found, others))
    }

    /// Collects what the work on a call needs.
    pub(super) fn prepare(self: &Arc<Self>, workspace: &Workspace, asked: AskedCall, form: AnswerForm) -> Prepared {
        let AskedCall { common, at, needs_index, patience, until, others } = asked;
        let (sender, heard) = mpsc::unbounded_channel();
        let is_indexing = Arc::new(AtomicBool::new(false));
        let seen = Arc::clone(&is_indexing);
        let listener = move |stage, done, total| {
            seen.store(true, Ordering::Relaxed);
            let _ = sender.send((stage, done, total));
        };
        let watcher = self.prewarmer.watchers.of(&workspace.root);
        let watched = |root: &PathBuf| Some((root.clone(), self.prewarmer.watchers.of(root)?));
        let other_watchers = others.iter().filter_map(watched).collect();
        let control = Arc::new(
            CallControl::new(listener)
                .of(&workspace.root)
                .watched_by(watcher)
                .with_kept(self.open.in_use())
                .with_other_watchers(other_watchers),
        );
        let call = Arc::new(Call {
            context: CallContext {
                scope: Scope::named(&[std::slice::from_ref(&workspace.directory), &others[..]].concat()),
                format: match form {
                    AnswerForm::Text => OutputFormat::Text,
                    AnswerForm::Json => OutputFormat::Json,
                },
                color: ColorWhen::Never,
                metadata: common.metadata.unwrap_or_default(),
                freshness: common.freshness,
                quiet: true,
                control: Some(Arc::clone(&control)),
            },
            at,
            needs_index,
            patience,
            indexing: self.prewarmer.figures(&workspace.root),
            host: Arc::clone(self),
            workspace: workspace.clone(),
        });
        let left = until.map(|until| until.saturating_duration_since(Instant::now()));
        let limit = left.map_or(self.limits.call, |left| left.min(self.limits.call));
        Prepared { call, control, heard, is_indexing, limit }
    }

    /// Waits and works within the limits of a call, and tells `progress` how that goes. `how` says
    /// of an error how it came about, where its code does not.
    pub(super) async fn perform<T: Send + 'static>(
        &self,
        prepared: Prepared,
        work: impl FnOnce(&Call) -> Result<T, AppError> + Send + 'static,
        cancelled: impl Future<Output = ()>,
        progress: &mut impl Listen<SyncProgress>,
        how: &mut Option<&'static str>,
    ) -> Result<T, AppError> {
        let Prepared { call, control, heard, is_indexing, limit } = prepared;
        let (waiting, settling) = (Arc::clone(&call), Arc::clone(&control));
        let wait = move || waiting.host.wait(&waiting, &settling);
        // Calls that ask how far the index is do not wait behind those that wait for it.
        let turns = Arc::clone(if call.needs_index { &self.turns } else { &self.quick_turns });
        let working = Arc::clone(&control);
        let work = move || {
            let answer = work(&call);
            // What the answer left stale is indexed.
            if working.is_left_stale() {
                call.host.prewarmer.refresh(&call.workspace);
            }
            answer
        };
        let bounds = Bounds { workers: &self.workers, turns: Some(turns), limit, cancelled };
        match timeout::run(wait, work, bounds, heard, progress).await {
            Ok(answer) => answer,
            Err(Ended::Cancelled) => {
                control.cancel();
                *how = Some("cancelled");
                Err(AppError::new(Code::InternalError, "the call was cancelled", "call again"))
            }
            Err(Ended::TimedOut) => {
                *how = Some("timed_out");
                Err(self.too_long(is_indexing.load(Ordering::Relaxed)))
            }
        }
    }

    /// Waits until the index may answer.
    fn wait(&self, call: &Call, control: &CallControl) -> Result<(), AppError> {
        if !call.needs_index {
            return Ok(());
        }
        self.wait_for_index(call, control)?;
        // What is asked about a commit does not depend on what was saved.
        if call.at.reference.is_none() && control.asks_watcher() {
            control.settle(session::policy(&call.context, &call.workspace.root)?);
        }
        Ok(())
    }

    /// Brings those workspaces up to date that were asked about last and that calls may open,
    /// before a call opens them.
    pub fn warm_recent(&self, home: &Path) {
        /// So many; the others are indexed when they are asked about.
        const MOST: usize = 3;
        let known = known_stores(home).into_iter().flat_map(|store| store.workspaces);
        let mut known: Vec<KnownWorkspace> = known.filter(|workspace| !workspace.is_gone).collect();
        known.sort_by(|a, b| b.used_at.cmp(&a.used_at).then_with(|| a.root.cmp(&b.root)));
        let opened = self.workspaces.open_some(known.into_iter().map(|workspace| workspace.root), MOST);
        opened.iter().for_each(|workspace| self.prewarmer.start(workspace, true));
    }

    /// Waits a while for the first sync. If it goes on, an index of before may answer; if there is
    /// none, that is said.
    fn wait_for_index(&self, call: &Call, control: &CallControl) -> Result<(), AppError> {
        let workspace = &call.workspace;
        let Some(figures) = self.prewarmer.figures(&workspace.root) else { return Ok(()) };
        let own = CallContext { scope: Scope::checkout(workspace.directory.clone()), ..call.context.clone() };
        let session = Session::open_at(&own, call.at.name())?;
        let has_state = session.engine.snapshot().ok().flatten().is_some();
        let patience = match session.freshness() {
            // What is waited for longer than that is a call that takes too long.
            Freshness::Strict => self.limits.call,
            Freshness::BestEffort if has_state => Duration::ZERO,
            _ if figures.is_refresh => Duration::ZERO,
            _ => call.patience.map_or(self.limits.index, |patience| patience.min(self.limits.index)),
        };
        let Some(Figures { done, total, is_refresh }) = self.prewarmer.wait(&workspace.root, patience, control) else {
            return Ok(());
        };
        if session.freshness() == Freshness::Strict {
            return Ok(());
        }
        // While we waited, the first state may have been published.
        if has_state || session.engine.snapshot().ok().flatten().is_some() {
            control.answer_as_is();
            return Ok(());
        }
        if is_refresh {
            return Ok(());
        }
        if session.engine.unfinished_snapshot().ok().flatten().is_some() {
            control.answer_unfinished();
            return Ok(());
        }
        // Published between the two looks.
        if session.engine.snapshot().ok().flatten().is_some() {
            control.answer_as_is();
            return Ok(());
        }
        let figures = if total > 0 { format!(": {done} of {total} done") } else { String::new() };
        Err(AppError::new(
            Code::IndexInProgress,
            format!("the workspace is being indexed for the first time{figures}"),
            "call again in a while; `index_status` tells how far it is",
        ))
    }

    fn too_long(&self, is_indexing: bool) -> AppError {
        let seconds = self.limits.call.as_secs();
        if is_indexing {
            AppError::new(
                Code::IndexInProgress,
                format!("the index could not be brought up to date within {seconds} s"),
                "that goes on in the background; call again in a while",
            )
        } else {
            AppError::new(Code::InternalError, format!("the call took longer than {seconds} s"), Remedy::NarrowSlowCall)
        }
    }
}

/// The answer of a call, and what the savings ledger needs to weigh it.
pub(super) struct Answered {
    pub sent: Reply<SentAnswer>,
    cited: CitedAnswers,
    sizes: Option<FileSizes>,
}

/// The arguments of a call besides its question.
pub(super) struct AskedCall {
    pub common: CommonArguments,
    pub at: RefArgs,
    /// True if it waits for the first sync.
    pub needs_index: bool,
    /// The longest wait for it, if that is less than the usual one.
    pub patience: Option<Duration>,
    /// The end of the time for it, if other calls have taken some of that.
    pub until: Option<Instant>,
    /// The roots of further workspaces that are asked.
    pub others: Vec<PathBuf>,
}

/// A call besides its question.
pub(super) struct Call {
    pub context: CallContext,
    at: RefArgs,
    needs_index: bool,
    patience: Option<Duration>,
    /// The progress of the first sync, while it runs.
    pub indexing: Option<Figures>,
    pub host: Arc<Host>,
    /// The workspace that it is about.
    pub workspace: Workspace,
}

impl Call {
    /// Answers a question.
    pub(super) fn ask(&self, question: &dyn AnyQuestion, max_tokens: usize) -> Result<Answered, AppError> {
        let mut cited = CitedAnswers::default();
        let sent = tools::answer(question, &self.context, self)?.send(max_tokens, &mut cited);
        let sizes = self.context.control.as_ref().and_then(|control| control.file_sizes().cloned());
        Ok(Answered { sent, cited, sizes })
    }
}

/// The progress of a sync: the stage, how much is done, and of how much.
pub(super) type SyncProgress = (Stage, usize, usize);

/// A call that is ready to be worked on.
pub(super) struct Prepared {
    call: Arc<Call>,
    pub control: Arc<CallControl>,
    /// Hears how far a sync is.
    heard: mpsc::UnboundedReceiver<SyncProgress>,
    /// Set when a sync has reported progress.
    is_indexing: Arc<AtomicBool>,
    /// The longest time for it.
    limit: Duration,
}

/// Notifications for a client that gave a token.
pub(super) struct Progress<'a> {
    context: &'a RequestContext<RoleServer>,
    /// The progress that was sent last. It must grow from one notification to the next.
    told: f64,
    /// The total of earlier stages; `stage` is the current one with its own.
    before: usize,
    stage: Option<(Stage, usize)>,
    last: Option<Instant>,
}

impl Progress<'_> {
    pub(super) fn new(context: &RequestContext<RoleServer>) -> Progress<'_> {
        Progress { context, told: -1.0, before: 0, stage: None, last: None }
    }

    /// Begins with another call of the same request, whose progress comes on top.
    pub(super) fn go_on(&mut self) {
        self.before += self.stage.take().map_or(0, |(_, total)| total);
    }
}

impl Listen<SyncProgress> for Progress<'_> {
    async fn listen(&mut self, news: SyncProgress) {
        /// The least time between two notifications; more of them could not be read.
        const PAUSE: Duration = Duration::from_millis(100);
        let (stage, done, total) = news;
        let Some(token) = self.context.meta.get_progress_token() else { return };
        let message = match stage {
            Stage::Indexing => "indexing files",
            Stage::Embedding => "embedding pieces of code",
            Stage::History => "reading commits",
            Stage::Changes => "reading changes of commits",
            Stage::Waiting(_) | Stage::Publishing | Stage::Copying => return,
        };
        match self.stage {
            Some((last, of)) if last != stage => self.before += of,
            _ => {}
        }
        self.stage = Some((stage, total));
        let (progress, total) = ((self.before + done) as f64, (self.before + total) as f64);
        let is_soon = self.last.is_some_and(|last| last.elapsed() < PAUSE) && progress < total;
        if progress <= self.told || is_soon {
            return;
        }
        (self.told, self.last) = (progress, Some(Instant::now()));
        let param = ProgressNotificationParam::new(token, progress).with_total(total).with_message(message);
        let _ = self.context.peer.notify_progress(param).await;
    }
}
