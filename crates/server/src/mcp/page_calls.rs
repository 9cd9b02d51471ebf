//! Questions of the page and of the JSON interface. They wait for the index, for their turn and for
//! the time limit as calls of tools do.

use std::future::pending;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use codecompass_app::api::arguments::RefArgs;
use codecompass_app::api::index::server::ServerState;
use codecompass_app::error::AppError;
use codecompass_app::session::{CallContext, CallControl, Session};
use codecompass_engine::Error as EngineError;
use rmcp::model::JsonObject;
use serde_json::Value;

use super::answer::{AnswerForm, SentAnswer};
use super::arguments::CommonArguments;
use super::audit::AuditEntry;
use super::calls::{AskedCall, Call, Host, SyncProgress};
use super::timeout::Listen;
use super::tools::{DecodedCall, Tool};
use super::workspace::Workspace;

/// The longest wait of a page for the first index run. A reader would rather see how far it is.
const PATIENCE: Duration = Duration::from_secs(2);

/// The subject of a page: a workspace, a ref, and whether it is about what is indexed.
pub struct PageCall {
    /// The name of the page, for the audit log.
    pub name: &'static str,
    pub root: PathBuf,
    pub reference: Option<String>,
    pub needs_index: bool,
}

/// Hears nothing of the progress of a sync.
struct Silent;

impl Listen<SyncProgress> for Silent {
    async fn listen(&mut self, _: SyncProgress) {}
}

/// Stops the work on a page when its reader goes away.
struct CancelOnDrop(Arc<CallControl>);

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

impl Host {
    /// Runs `work`, which asks the questions of a page, in one of the threads of calls.
    pub async fn page<T: Send + 'static>(
        self: &Arc<Self>,
        page: PageCall,
        work: impl FnOnce(&CallContext, &dyn ServerState) -> Result<T, AppError> + Send + 'static,
    ) -> Result<T, AppError> {
        let mut arguments = JsonObject::new();
        if let Some(reference) = &page.reference {
            arguments.insert("ref".into(), Value::from(reference.as_str()));
        }
        let mut entry = AuditEntry::new(self.audit_log(), page.name, &arguments, || Some("ui".into()));
        let mut how = None;
        let answer = self.ask_page(page, work, &mut entry, &mut how).await;
        entry.end_page(answer.as_ref().err().map(|error| how.unwrap_or(error.code.as_str())));
        answer
    }

    async fn ask_page<T: Send + 'static>(
        self: &Arc<Self>,
        page: PageCall,
        work: impl FnOnce(&CallContext, &dyn ServerState) -> Result<T, AppError> + Send + 'static,
        entry: &mut AuditEntry,
        how: &mut Option<&'static str>,
    ) -> Result<T, AppError> {
        let _permit = self.admit()?;
        let found = self.open_workspace(page.needs_index, page.root.to_str())?;
        entry.about(&found.workspace.root);
        let at = RefArgs { reference: page.reference };
        let asked = AskedCall {
            common: CommonArguments::default(),
            at,
            needs_index: page.needs_index,
            patience: Some(PATIENCE),
            until: None,
            others: Vec::new(),
        };
        // Paths of addresses begin at the root, wherever the server was started.
        let workspace = Workspace { directory: found.workspace.root.clone(), ..found.workspace.clone() };
        let prepared = self.prepare(&workspace, asked, AnswerForm::Text);
        let _cancel = CancelOnDrop(Arc::clone(&prepared.control));
        let work = move |call: &Call| work(&call.context, call);
        self.perform(prepared, work, pending(), &mut Silent, how).await
    }

    /// Answers a call of the JSON interface: the whole answer of `tool`, unless the call has a
    /// token limit.
    pub async fn answer_json(self: &Arc<Self>, tool: &'static Tool, arguments: JsonObject) -> Result<Value, AppError> {
        let mut entry = AuditEntry::new(self.audit_log(), tool.name, &arguments, || Some("api".into()));
        let mut how = None;
        let answer = self.ask_json(tool, arguments, &mut entry, &mut how).await;
        entry.end(&answer, how);
        answer.map(SentAnswer::into_json)
    }

    async fn ask_json(
        self: &Arc<Self>,
        tool: &'static Tool,
        arguments: JsonObject,
        entry: &mut AuditEntry,
        how: &mut Option<&'static str>,
    ) -> Result<SentAnswer, AppError> {
        let _permit = self.admit()?;
        let DecodedCall { common, at, max_tokens, question } = tool.read(arguments)?;
        let most = common.max_tokens.map_or(usize::MAX, |_| max_tokens);
        let (found, others) =
            self.open_workspaces_of(tool.needs_index, common.workspace.as_ref(), &common.workspaces)?;
        entry.about(&found.workspace.root);
        let asked = AskedCall { common, at, needs_index: tool.needs_index, patience: None, until: None, others };
        let prepared = self.prepare(&found.workspace, asked, AnswerForm::Json);
        let _cancel = CancelOnDrop(Arc::clone(&prepared.control));
        let work = move |call: &Call| call.ask(question.as_ref(), most);
        self.perform(prepared, work, pending(), &mut Silent, how).await.map(|answered| answered.sent.body)
    }

    /// Returns the workspaces that are open, those given at the start first.
    pub fn open_workspaces(&self) -> Vec<Workspace> {
        self.workspaces.all()
    }

    /// Returns the generation of a workspace's checkout as far as it is published: what its watcher
    /// has synced last, or what the store says.
    pub fn generation(&self, root: &Path) -> Option<i64> {
        let watcher = self.prewarmer.watchers.of(root).map(|watcher| watcher.state()).filter(|state| state.leads);
        if let Some(last) = watcher.and_then(|state| state.last_sync) {
            return Some(last.generation);
        }
        let workspace = self.workspaces.all().into_iter().find(|workspace| workspace.root == root)?;
        let context = workspace.context(CallControl::new(|_, _, _| {}), true);
        let session = Session::open_checkout(&context).ok()?;
        let generation = || Ok::<i64, EngineError>(session.engine.identity()?.generation);
        generation().ok()
    }
}
