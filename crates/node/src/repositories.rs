//! The repositories of a cluster, for questions that several of them answer; how their answers are
//! put together is in `api/fan_out`.

use std::sync::Arc;

use codecompass_app::api::fan_out::answers::{Reply, ReplyBody};
use codecompass_app::api::fan_out::{self, EachReply, Repositories, Spread, threads};
use codecompass_app::error::{AppError, Code};
use codecompass_app::session::MissingRepository;
use codecompass_server::mcp::{DecodedCall, NodeBody, SentAnswer, TOOLS};
use serde::Deserialize;
use serde_json::Map;

use super::node::Node;
use super::peers::CallMessage;
use super::questions::listed;

/// Repositories that are asked at the same time.
const MAX_THREADS: usize = 8;
/// The most repositories that a symbol is looked for in one by one.
const MOST_OWNERS: usize = 50;

/// The repositories of a call.
pub(super) struct ClusterRepositories<'a> {
    pub node: &'a Arc<Node>,
    pub decoded: &'a Arc<DecodedCall>,
    pub call: &'a CallMessage,
}

/// An answer of nodes.
struct ClusterAnswer {
    node: Arc<Node>,
    decoded: Arc<DecodedCall>,
    /// The question as it was put.
    call: CallMessage,
    sent: SentAnswer,
    /// False if the answer does not say yet which repositories gave none.
    is_noted: bool,
}

impl ReplyBody for ClusterAnswer {
    fn note_missing(&mut self, missing: &[MissingRepository]) {
        self.call.missing = missing.to_vec();
        self.is_noted = false;
    }
}

impl NodeBody for ClusterAnswer {
    fn cost(&self) -> usize {
        self.sent.tokens()
    }

    fn fit(mut self: Box<Self>, room: usize) -> Option<SentAnswer> {
        let fits = self.call.max_tokens <= room || self.sent.tokens() <= room;
        if fits && self.is_noted {
            return Some(self.sent);
        }
        self.call.max_tokens = self.call.max_tokens.min(room);
        let again = self.node.ask(&self.decoded, self.call).map(|reply| reply.body);
        again.ok().or(Some(self.sent).filter(|_| fits))
    }
}

/// The part of an answer of `locate_symbol` that says who has a symbol.
#[derive(Deserialize)]
struct Located {
    results: Vec<LocatedResult>,
    metadata: LocatedMetadata,
}

#[derive(Deserialize)]
struct LocatedResult {
    repository: Option<String>,
}

#[derive(Deserialize)]
struct LocatedMetadata {
    #[serde(rename = "match")]
    class: Option<String>,
}

impl Repositories for ClusterRepositories<'_> {
    type Body = Box<dyn NodeBody>;

    fn names(&self) -> Option<Vec<String>> {
        Some(self.call.repositories.iter().map(|asked| asked.name.clone()).collect())
    }

    fn missing(&self) -> Vec<MissingRepository> {
        self.call.missing.clone()
    }

    fn ask_as_one(&self, subject: Option<&str>) -> Result<Reply<Box<dyn NodeBody>>, AppError> {
        if self.decoded.question.spread() == Spread::One {
            let names: Vec<&str> = self.call.repositories.iter().map(|asked| asked.name.as_str()).collect();
            let message = format!("`{}` is about one repository, and {} may be meant", self.call.tool, names.len());
            return Err(AppError::invalid(message, format!("give `workspace`: one of {}", listed(&names))));
        }
        let call = CallMessage { subject: subject.map(str::to_string), ..self.call.clone() };
        ask(Arc::clone(self.node), Arc::clone(self.decoded), call)
    }

    fn ask_each(&self, subject: Option<&str>, numbers: &[usize]) -> Result<EachReply<Box<dyn NodeBody>>, AppError> {
        let is_list = self.decoded.question.spread() == Spread::Each;
        let is_narrowed = !is_list && numbers.len() > MAX_THREADS;
        let owners = if is_narrowed { self.owners(subject, numbers)? } else { numbers.to_vec() };
        let job = |number: &usize| {
            let (node, decoded) = (Arc::clone(self.node), Arc::clone(self.decoded));
            let call = owners.contains(number).then(|| self.one_of_several(subject, *number));
            let nowhere = || AppError::new(Code::SymbolNotFound, "nothing of that name is", "search for it");
            move || ask(node, decoded, call.ok_or_else(nowhere)?)
        };
        Ok(threads::run(numbers.iter().map(job).collect(), MAX_THREADS, self.node.options.question))
    }
}

/// Asks the question of a call, and keeps what is needed to ask it again.
fn ask(node: Arc<Node>, decoded: Arc<DecodedCall>, call: CallMessage) -> Result<Reply<Box<dyn NodeBody>>, AppError> {
    let Reply { repository, is_found, is_known, total, body: sent } = node.ask(&decoded, call.clone())?;
    let body: Box<dyn NodeBody> = Box::new(ClusterAnswer { node, decoded, call, sent, is_noted: true });
    Ok(Reply { repository, is_found, is_known, total, body })
}

impl ClusterRepositories<'_> {
    /// Returns the question to one of several repositories that answer for themselves.
    fn one_of_several(&self, subject: Option<&str>, number: usize) -> CallMessage {
        CallMessage {
            subject: subject.map(str::to_string),
            repositories: self.call.repositories.get(number).cloned().into_iter().collect(),
            missing: Vec::new(),
            is_one_of_several: true,
            ..self.call.clone()
        }
    }

    /// Returns the numbers of the repositories that have a definition of what a question is about.
    fn owners(&self, subject: Option<&str>, numbers: &[usize]) -> Result<Vec<usize>, AppError> {
        let symbol = fan_out::part(&*self.decoded.question, subject, None).symbol().map(str::to_string);
        let locate = TOOLS.iter().find(|tool| tool.name == "locate_symbol");
        if let (Some(symbol), Some(locate)) = (symbol, locate) {
            let arguments = Map::from_iter([("symbol".to_string(), symbol.into()), ("limit".to_string(), 50.into())]);
            let decoded = Arc::new(locate.read(arguments.clone())?);
            let call = CallMessage {
                tool: locate.name.into(),
                is_json: true,
                arguments,
                subject: None,
                max_tokens: decoded.max_tokens,
                ..self.call.clone()
            };
            let found = self.node.ask_together(&decoded, call, true)?.body;
            let located: Option<Located> = match found {
                SentAnswer::Json(found) => serde_json::from_value(found).ok(),
                SentAnswer::Text(_) => None,
            };
            if let Some(Located { results, metadata }) = located
                && metadata.class.is_some_and(|class| class != "fuzzy")
                && !results.is_empty()
            {
                let name = |number: &usize| self.call.repositories.get(*number).map(|asked| asked.name.as_str());
                let has = |number: &usize| results.iter().any(|result| result.repository.as_deref() == name(number));
                return Ok(numbers.iter().copied().filter(has).collect());
            }
        }
        if numbers.len() <= MOST_OWNERS {
            return Ok(numbers.to_vec());
        }
        let message = format!("nothing of that name is in any of {} repositories", numbers.len());
        Err(AppError::new(Code::SymbolNotFound, message, "search for it, or name a repository with `workspace`"))
    }
}
