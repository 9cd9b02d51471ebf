//! Questions to a cluster: which repositories they are about, and which node answers.
//!
//! A question begins with a look at the catalogue: the generation of a repository that answers are
//! of. No answer is of an older one, so generations never go back, whichever node is asked. While
//! the catalogue cannot be reached, nodes answer from what they have, and say so.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use codecompass_app::api::fan_out::{self, answers::Reply};
use codecompass_app::api::index::server::{ProgressView, ProjectView, ServerState, WarmSetView};
use codecompass_app::api::metadata::RepositoryGeneration;
use codecompass_app::choices::ColorWhen;
use codecompass_app::error::{AppError, Code};
use codecompass_app::remedy::Remedy;
use codecompass_app::savings::CallSums;
use codecompass_app::session::{
    CallContext, CallControl, MissingRepository, Place, PlacedQuestion, PreparedWorkspace, Scope,
};
use codecompass_app::settings::Settings;
use codecompass_engine::Error as EngineError;
use codecompass_server::mcp::{self, AnswerForm, AnswerNote, CitedAnswers, DecodedCall, OwnAnswers, SentAnswer, Tool};
use serde_json::{Map, Value};

use super::indexing;
use super::node::{Members, Node};
use super::peers::{CallMessage, PeerError, WantedRepository};
use super::repositories::ClusterRepositories;
use super::telemetry::add;
use super::views::View;
use crate::catalogue::{Access, ClusterError, NodeEntry, RepositoryEntry};

/// Names that an error lists.
const MOST_NAMES: usize = 20;

/// Tools about a server's own state, which nodes have no answer to.
const NOT_HERE: [&str; 2] = ["index_status", "health_check"];

/// The repositories that a question may be about.
pub(super) struct ReadableScope {
    pub repositories: Vec<RepositoryEntry>,
    /// False if the catalogue could not be asked.
    pub is_current: bool,
}

impl From<ClusterError> for AppError {
    fn from(error: ClusterError) -> AppError {
        let (code, remedy) = match &error {
            ClusterError::Settings(_) => {
                (Code::InvalidInput, "correct [cluster] in your config.toml; see docs/cluster.md")
            }
            ClusterError::Unknown { .. } => (Code::InvalidInput, "`codecompass-node list` shows what there is"),
            ClusterError::Exists { .. } => (Code::InvalidInput, "give another name, or remove that one first"),
            ClusterError::Collecting => (Code::InvalidInput, "wait until it ends, and try again"),
            ClusterError::NewerSchema { .. } => (Code::IndexIncompatible, "use a newer version of this program"),
            ClusterError::Unreachable(_) => (Code::RemoteUnavailable, "look at the database, and ask again"),
            ClusterError::Refused(_) | ClusterError::LeaseLost => (Code::InternalError, "look at the database's log"),
        };
        AppError::new(code, error.to_string(), remedy)
    }
}

/// Returns whether nodes answer calls of a tool.
pub(super) fn is_offered(tool: &Tool) -> bool {
    tool.may_be_got() && !NOT_HERE.contains(&tool.name)
}

impl Node {
    /// Returns what a token may ask about, as the catalogue has it now.
    pub(super) fn scope(self: &Arc<Self>, access: &Access) -> ReadableScope {
        let members = self.members();
        let may_read = |entry: &&RepositoryEntry| access.repositories.binary_search(&entry.id).is_ok();
        let mut repositories: Vec<RepositoryEntry> = members.repositories.iter().filter(may_read).cloned().collect();
        let ids = access.repositories.clone();
        match self.within(move |node| node.catalogue.served(&ids)) {
            Ok(served) => {
                let served: HashMap<i64, i64> = served.into_iter().collect();
                // Those that were removed since are not there.
                repositories.retain_mut(|entry| match served.get(&entry.id) {
                    Some(served) => {
                        entry.served = entry.served.max(*served);
                        true
                    }
                    None => false,
                });
                ReadableScope { repositories, is_current: true }
            }
            Err(_) => ReadableScope { repositories, is_current: false },
        }
    }

    /// Answers a call with this access.
    pub(super) fn answer(
        self: &Arc<Self>,
        access: &Access,
        tool: &'static Tool,
        form: AnswerForm,
        arguments: Map<String, Value>,
    ) -> Result<SentAnswer, AppError> {
        let began = Instant::now();
        add(&self.figures.questions);
        let answer = self.answer_in_scope(access, tool, form, arguments);
        self.figures.took(began.elapsed());
        if answer.is_err() {
            add(&self.figures.failures);
        }
        answer
    }

    fn answer_in_scope(
        self: &Arc<Self>,
        access: &Access,
        tool: &'static Tool,
        form: AnswerForm,
        mut arguments: Map<String, Value>,
    ) -> Result<SentAnswer, AppError> {
        if !is_offered(tool) {
            let message = format!("a cluster does not answer `{}`", tool.name);
            return Err(AppError::invalid(message, "ask a server for one workspace"));
        }
        let decoded = Arc::new(tool.read(arguments.clone())?);
        let scope = self.scope(access);
        let named = decoded.common.workspace.iter().chain(&decoded.common.workspaces).cloned().collect::<Vec<_>>();
        let chosen = choose(&scope.repositories, &named)?;
        for name in ["workspace", "workspaces"] {
            arguments.remove(name);
        }
        let (ready, waiting): (Vec<_>, Vec<_>) = chosen.into_iter().partition(|entry| entry.served > 0);
        let missing = waiting.iter().map(not_indexed).collect();
        let repositories = ready.iter().map(|entry| WantedRepository {
            id: entry.id,
            name: entry.name.clone(),
            generation: entry.served,
        });
        let call = CallMessage {
            tool: tool.name.to_string(),
            is_json: form == AnswerForm::Json,
            arguments,
            subject: None,
            max_tokens: decoded.max_tokens,
            repositories: repositories.collect(),
            missing,
            is_one_of_several: false,
            is_current: scope.is_current,
        };
        match (&call.repositories[..], call.missing.first()) {
            ([], Some(MissingRepository { repository: name, reason })) => Err(AppError::new(
                Code::IndexInProgress,
                format!("{name}: {reason}"),
                "ask again in a while; `codecompass-node status` tells how far it is",
            )),
            ([], None) => Err(AppError::invalid("the token may read no repository", "ask for another token")),
            ([_], None) => Ok(self.ask_one(&decoded, &call)?.body),
            _ => {
                let (of, format) = (ClusterRepositories { node: self, decoded: &decoded, call: &call }, call.format());
                Ok(mcp::ask_nodes(&*decoded.question, &of, format, call.max_tokens)?.body)
            }
        }
    }

    /// Has the repositories of a call answer it: one, or several as one.
    pub(super) fn ask(
        self: &Arc<Self>,
        decoded: &DecodedCall,
        call: CallMessage,
    ) -> Result<Reply<SentAnswer>, AppError> {
        match call.repositories.len() {
            1 if call.is_one_of_several || call.missing.is_empty() => self.ask_one(decoded, &call),
            _ => self.ask_together(decoded, call, true),
        }
    }

    /// Has the one repository of a call answer it, here or on another node.
    fn ask_one(self: &Arc<Self>, decoded: &DecodedCall, call: &CallMessage) -> Result<Reply<SentAnswer>, AppError> {
        let Some(asked) = call.repositories.first() else { return Err(AppError::internal("no repository is asked")) };
        if let Some(view) = self.cache.get(asked.id, asked.generation) {
            return self.ask_view(decoded, call, &view);
        }
        let members = self.members();
        let mut reasons = Vec::new();
        for owner in self.owners(&members, asked.id) {
            if owner.name == self.options.name {
                continue;
            }
            add(&self.figures.forwarded);
            match self.peers.call(&owner.address, call, self.options.question) {
                Ok(reply) => return reply.into_answer(),
                Err(error) => reasons.push(format!("{}: {}", owner.name, error.reason())),
            }
        }
        match self.view(&members, asked) {
            Ok(view) => self.ask_view(decoded, call, &view),
            Err(reason) => {
                reasons.push(format!("{}: {reason}", self.options.name));
                let message = format!("no node can answer for {} now ({})", asked.name, reasons.join("; "));
                Err(AppError::new(Code::RemoteUnavailable, message, "ask again in a while"))
            }
        }
    }

    /// Returns the view of a repository, which is taken from the object store if it is not here.
    pub(super) fn view(self: &Arc<Self>, members: &Members, asked: &WantedRepository) -> Result<Arc<View>, String> {
        if let Some(view) = self.cache.get(asked.id, asked.generation) {
            return Ok(view);
        }
        let newest = members.repositories.iter().find(|entry| entry.id == asked.id).map(|entry| entry.generation);
        let number = newest.unwrap_or(0).max(asked.generation);
        let id = asked.id;
        let generation = self.within(move |node| node.catalogue.generation(id, number));
        let generation = generation.map_err(|error| error.to_string())?;
        indexing::install(self, &generation.ok_or("it was removed")?)
    }

    /// Answers a call from a view of this node.
    pub(super) fn ask_view(
        self: &Arc<Self>,
        decoded: &DecodedCall,
        call: &CallMessage,
        view: &View,
    ) -> Result<Reply<SentAnswer>, AppError> {
        let context = self.context(decoded, call, Scope::One(Place::Commit(self.prepared(view, &self.settings())?)));
        let name = call.repositories.first().map(|asked| asked.name.clone()).unwrap_or_default();
        let question = fan_out::part(&*decoded.question, call.subject.as_deref(), Some(&name));
        let answers = if call.is_one_of_several {
            mcp::answer_part(&*question, &context)?
        } else {
            mcp::answer(&*question, &context, self.as_ref())?
        };
        let View { mark, .. } = view;
        let (generation, commit) = (mark.generation, mark.commit.clone());
        Ok(self.send(answers, call, vec![RepositoryGeneration { repository: name, generation, commit }]))
    }

    /// Returns answers as they are sent. Generations that are later than the call asked for are
    /// noted before: no answer after it may be of older ones.
    pub(super) fn send(
        self: &Arc<Self>,
        mut answers: OwnAnswers,
        call: &CallMessage,
        generations: Vec<RepositoryGeneration>,
    ) -> Reply<SentAnswer> {
        let asked: HashMap<&str, &WantedRepository> =
            call.repositories.iter().map(|asked| (asked.name.as_str(), asked)).collect();
        let answered =
            generations.iter().filter_map(|one| Some((*asked.get(one.repository.as_str())?, one.generation)));
        let mut later = answered.filter(|(asked, generation)| *generation > asked.generation);
        let are_served = later.all(|(asked, generation)| {
            let id = asked.id;
            self.within(move |node| node.catalogue.serve(id, generation)).is_ok()
        });
        let (repository, missing) = match (&call.repositories[..], call.is_one_of_several) {
            ([only], true) => (Some(only.name.clone()), call.missing.clone()),
            _ => (None, Vec::new()),
        };
        answers.note(&AnswerNote { repository, missing, generations, is_current: call.is_current && are_served });
        answers.send(call.max_tokens, &mut CitedAnswers::default())
    }

    /// Answers a call together with others; `placed` says for which repositories.
    pub(super) fn ask_placed(
        &self,
        decoded: &DecodedCall,
        call: &CallMessage,
        placed: Arc<PlacedQuestion>,
    ) -> Result<OwnAnswers, AppError> {
        let context = self.context(decoded, call, Scope::Placed(placed));
        mcp::answer_part(&*fan_out::part(&*decoded.question, call.subject.as_deref(), None), &context)
    }

    /// Answers a round for a repository of this node.
    pub(super) fn round(
        &self,
        decoded: &DecodedCall,
        call: &CallMessage,
        view: &View,
        round: &[u8],
    ) -> Result<Vec<u8>, AppError> {
        let prepared = self.prepared(view, &self.settings())?;
        let context = self.context(decoded, call, Scope::Shard(Place::Commit(prepared)));
        fan_out::part(&*decoded.question, call.subject.as_deref(), None).round(&context, round)
    }

    /// Returns the settings that count for questions: those of the node's user.
    pub(super) fn settings(&self) -> Arc<Settings> {
        Arc::new(Settings { engine: self.options.engine.clone(), ..Settings::default() })
    }

    /// Returns what there is to know about a view, which is found out once.
    pub(super) fn prepared(&self, view: &View, settings: &Arc<Settings>) -> Result<Arc<PreparedWorkspace>, AppError> {
        Ok(Arc::new(PreparedWorkspace {
            workspace: view.workspace().map_err(EngineError::from)?,
            commit: view.mark.commit.clone(),
            home: view.home(),
            settings: settings.clone(),
        }))
    }

    fn context(&self, decoded: &DecodedCall, call: &CallMessage, scope: Scope) -> CallContext {
        let control = CallControl::new(|_, _, _| {}).with_kept(self.kept.clone());
        CallContext {
            scope,
            format: call.format(),
            color: ColorWhen::Never,
            metadata: decoded.common.metadata.unwrap_or_default(),
            quiet: true,
            control: Some(Arc::new(control)),
            ..CallContext::default()
        }
    }

    /// Returns the nodes that may answer for a repository, this one first if it can at once.
    pub(super) fn candidates(&self, members: &Members, asked: &WantedRepository) -> Vec<NodeEntry> {
        let mut owners = self.owners(members, asked.id);
        if self.cache.has(asked.id, asked.generation) {
            owners.retain(|owner| owner.name != self.options.name);
            owners.extend(members.nodes.iter().find(|node| node.name == self.options.name).cloned());
            owners.rotate_right(1);
        }
        owners
    }
}

/// Returns the repositories that names mean, or all if there are none. What may not be read is as
/// unknown as what is not there.
fn choose(scope: &[RepositoryEntry], named: &[String]) -> Result<Vec<RepositoryEntry>, AppError> {
    if named.is_empty() {
        return Ok(scope.to_vec());
    }
    let mut chosen: Vec<RepositoryEntry> = Vec::new();
    for name in named {
        let is_meant = |entry: &&RepositoryEntry| match name.strip_prefix('@') {
            Some(group) => entry.groups.iter().any(|known| known == group),
            None => entry.name == *name,
        };
        let found: Vec<&RepositoryEntry> = scope.iter().filter(is_meant).collect();
        if found.is_empty() {
            let names: Vec<&str> = scope.iter().map(|entry| entry.name.as_str()).collect();
            let message = format!("there is no repository `{name}` that this token may read");
            return Err(AppError::new(
                Code::WorkspaceNotAllowed,
                message,
                format!("leave `workspace` out, or give one of {}", listed(&names)),
            ));
        }
        chosen.extend(found.into_iter().cloned());
    }
    chosen.sort_by(|a, b| a.name.cmp(&b.name));
    chosen.dedup_by(|a, b| a.id == b.id);
    Ok(chosen)
}

pub(super) fn listed(names: &[&str]) -> String {
    let shown = names.iter().take(MOST_NAMES).copied().collect::<Vec<_>>().join(", ");
    match names.len() {
        0 => "none".to_string(),
        count if count > MOST_NAMES => format!("{shown}, and {} more", count - MOST_NAMES),
        _ => shown,
    }
}

fn not_indexed(entry: &RepositoryEntry) -> MissingRepository {
    let reason = match &entry.last_error {
        Some(reason) => format!("it is not indexed yet; the last attempt failed: {reason}"),
        None => "it is not indexed yet".to_string(),
    };
    MissingRepository { repository: entry.name.clone(), reason }
}

/// Returns the reason of a node that did not answer, as the client sees it.
pub(super) fn reason_of(node: &NodeEntry, error: &PeerError) -> String {
    format!("node {}: {}", node.name, error.reason())
}

impl ServerState for Node {
    fn progress(&self) -> Option<ProgressView> {
        None
    }

    fn history_progress(&self) -> Option<ProgressView> {
        None
    }

    fn uptime(&self) -> Duration {
        self.started.elapsed()
    }

    fn projects(&self) -> Vec<ProjectView> {
        Vec::new()
    }

    fn warm_set(&self) -> WarmSetView {
        let hits = self.figures.questions.load(Ordering::Relaxed);
        WarmSetView { workspaces: self.cache.repositories().len(), hits, misses: 0, has_workspace: None }
    }

    fn savings(&self) -> Option<CallSums> {
        None
    }
}

/// Names the remedy of errors that only nodes have.
pub(super) fn later(message: String) -> AppError {
    AppError::new(Code::RemoteUnavailable, message, Remedy::from("ask again in a while".to_string()))
}
