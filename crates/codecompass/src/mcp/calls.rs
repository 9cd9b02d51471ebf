//! Runs one call: in a thread of its own, within a time limit, with progress for who asked for it. Whatever happens in it,
//! the server goes on.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use codecompass_engine::Stage;
use rmcp::RoleServer;
use rmcp::model::{JsonObject, ProgressNotificationParam};
use rmcp::service::RequestContext;
use tokio::sync::{Semaphore, mpsc};

use super::tools::{Call, Tool};
use super::warm::Warmth;
use super::workspaces::{Workspace, Workspaces};
use super::{shape, trim};
use crate::cli::{ColorWhen, Detail, Global, MetadataLevel, RefArgs};
use crate::error::{AppError, Code};
use crate::session::Session;
use crate::watch::Watch;

/// Calls that work at the same time; further ones wait for their turn.
const AT_ONCE: usize = 4;

/// How long things may take.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// A whole call.
    pub call: Duration,
    /// Waiting for the first sync.
    pub index: Duration,
}

/// What all calls share.
pub(crate) struct Host {
    workspaces: Workspaces,
    warmth: Arc<Warmth>,
    limits: Limits,
    turns: Arc<Semaphore>,
    started: Instant,
}

/// How a call ended that got no answer.
enum Ended {
    Cancelled,
    TimedOut,
}

impl Host {
    pub(crate) fn new(workspaces: Workspaces, warmth: Arc<Warmth>, limits: Limits) -> Host {
        Host { workspaces, warmth, limits, turns: Arc::new(Semaphore::new(AT_ONCE)), started: Instant::now() }
    }

    /// Answers a call of `tool`, as JSON text that keeps to its token limit.
    pub(crate) async fn answer(
        self: &Arc<Self>,
        tool: &'static Tool,
        arguments: JsonObject,
        context: &RequestContext<RoleServer>,
    ) -> Result<String, AppError> {
        let (common, params) = tool.read(arguments)?;
        let workspace = self.workspaces.find(common.workspace.as_deref())?;
        let (sender, heard) = mpsc::unbounded_channel();
        let is_indexing = Arc::new(AtomicBool::new(false));
        let seen = Arc::clone(&is_indexing);
        let watch = Arc::new(Watch::new(move |stage, done, total| {
            seen.store(true, Ordering::Relaxed);
            let _ = sender.send((stage, done, total));
        }));
        let call = Call {
            global: Global {
                workspace: Some(workspace.directory.clone()),
                json: true,
                color: ColorWhen::Never,
                metadata: common.metadata,
                quiet: true,
                watch: Some(Arc::clone(&watch)),
            },
            at: RefArgs { reference: common.reference.clone() },
            max_tokens: common.max_tokens,
            indexing: self.warmth.figures(&workspace.root),
            uptime: self.started.elapsed(),
        };
        let host = Arc::clone(self);
        let waiting = Arc::clone(&watch);
        let work = move || {
            if tool.needs_index {
                host.wait_for_index(&workspace, &call, &waiting)?;
            }
            let mut answer = (tool.run)(&call, params)?;
            shape::apply(&mut answer, common.detail_level, common.compact);
            Ok(trim::fit(answer, call.max_tokens))
        };
        // Whoever asks how far the index is does not wait behind those who wait for it.
        let turn = if tool.needs_index { Some(Arc::clone(&self.turns)) } else { None };
        match self.bounded(turn, work, heard, context).await {
            Ok(answer) => answer,
            Err(Ended::Cancelled) => {
                watch.cancel();
                Err(AppError::new(Code::InternalError, "the call was cancelled", "call again"))
            }
            Err(Ended::TimedOut) => Err(self.too_long(is_indexing.load(Ordering::Relaxed))),
        }
    }

    /// Runs `work` in a thread; a panic in it is an error, and if it takes too long it goes on without anybody waiting.
    async fn bounded(
        &self,
        turns: Option<Arc<Semaphore>>,
        work: impl FnOnce() -> Result<String, AppError> + Send + 'static,
        mut heard: mpsc::UnboundedReceiver<(Stage, usize, usize)>,
        context: &RequestContext<RoleServer>,
    ) -> Result<Result<String, AppError>, Ended> {
        let mut progress = Progress::new(context);
        let limit = tokio::time::sleep(self.limits.call);
        tokio::pin!(limit);
        let turn = match turns {
            Some(turns) => tokio::select! {
                turn = turns.acquire_owned() => turn.ok(),
                () = context.ct.cancelled() => return Err(Ended::Cancelled),
                () = &mut limit => return Err(Ended::TimedOut),
            },
            None => None,
        };
        let mut thread = tokio::task::spawn_blocking(move || {
            let answer = caught(work);
            // The turn is held until the work is really over, so that abandoned calls cannot pile up.
            drop(turn);
            answer
        });
        loop {
            tokio::select! {
                biased;
                answer = &mut thread => {
                    while let Ok(figures) = heard.try_recv() {
                        progress.tell(figures).await;
                    }
                    return Ok(answer.unwrap_or_else(|error| Err(AppError::internal(format!("the call failed: {error}")))));
                }
                () = context.ct.cancelled() => return Err(Ended::Cancelled),
                () = &mut limit => return Err(Ended::TimedOut),
                Some(figures) = heard.recv() => progress.tell(figures).await,
            }
        }
    }

    /// Waits a while for the first sync. If it goes on, an index of before may answer; if there is none, that is said.
    fn wait_for_index(&self, workspace: &Workspace, call: &Call, watch: &Watch) -> Result<(), AppError> {
        let Some((done, total)) = self.warmth.wait(&workspace.root, self.limits.index, watch) else { return Ok(()) };
        let session = Session::open_at(&call.global, &call.at)?;
        if session.engine.snapshot().ok().flatten().is_some() {
            watch.answer_as_is();
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
        match is_indexing {
            true => AppError::new(
                Code::IndexInProgress,
                format!("the index could not be brought up to date within {seconds} s"),
                "that goes on in the background; call again in a while",
            ),
            false => AppError::new(
                Code::InternalError,
                format!("the call took longer than {seconds} s"),
                "narrow the question with a smaller depth or limit, or give the server a longer --call-timeout",
            ),
        }
    }
}

/// Turns a panic into an error. Its message goes to stderr as usual.
fn caught(work: impl FnOnce() -> Result<String, AppError>) -> Result<String, AppError> {
    std::panic::catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| {
        let message =
            panic.downcast_ref::<String>().map(String::as_str).or_else(|| panic.downcast_ref::<&str>().copied());
        Err(AppError::internal(format!("unexpected failure: {}", message.unwrap_or("no message"))))
    })
}

/// Notifications for a client that gave a token.
struct Progress<'a> {
    context: &'a RequestContext<RoleServer>,
    /// What was told last, which must grow.
    told: f64,
    /// What earlier stages did, and the current one.
    before: usize,
    stage: Option<(Stage, usize)>,
    last: Option<Instant>,
}

impl Progress<'_> {
    fn new(context: &RequestContext<RoleServer>) -> Progress<'_> {
        Progress { context, told: -1.0, before: 0, stage: None, last: None }
    }

    async fn tell(&mut self, (stage, done, total): (Stage, usize, usize)) {
        /// Nobody reads faster.
        const PAUSE: Duration = Duration::from_millis(100);
        let Some(token) = self.context.meta.get_progress_token() else { return };
        let message = match stage {
            Stage::Indexing => "indexing files",
            Stage::Embedding => "embedding pieces of code",
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

/// The arguments that every tool takes, read.
#[derive(Debug)]
pub(crate) struct Common {
    pub workspace: Option<String>,
    pub reference: Option<String>,
    pub metadata: MetadataLevel,
    pub max_tokens: usize,
    /// How much to say about each result, where the tool itself does not see to it.
    pub detail_level: Option<Detail>,
    pub compact: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_an_error() {
        let error = caught(|| panic!("at the disco")).unwrap_err();
        assert_eq!((error.code, error.message.as_str()), (Code::InternalError, "unexpected failure: at the disco"));
        assert_eq!(caught(|| Ok("fine".into())).unwrap(), "fine");
    }
}
