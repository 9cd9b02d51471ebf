//! Messages between nodes, and the client that sends them.
//!
//! Nodes trust each other by a secret that the catalogue keeps. Addresses come from the catalogue;
//! no redirect is followed and no proxy is used.

use std::collections::HashMap;
use std::io::Read as _;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use codecompass_app::api::fan_out::answers::Reply;
use codecompass_app::error::{AppError, Code};
use codecompass_app::remedy::Audience;
use codecompass_app::session::{MissingRepository, OutputFormat};
use codecompass_server::mcp::SentAnswer;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use ureq::Agent;
use ureq::http::{Request, StatusCode};

/// The longest answer of a node.
const MAX_ANSWER: u64 = 64 << 20;
/// The longest wait for a connection.
const CONNECT: Duration = Duration::from_secs(2);
/// The wait after which a node is asked whether it is up, and the longest wait for that.
const PROBE: Duration = Duration::from_secs(2);
/// The time for which a node is not asked after it did not answer.
const SILENT: Duration = Duration::from_secs(3);

/// A repository that a question is about.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq, Eq)]
pub(super) struct WantedRepository {
    pub id: i64,
    pub name: String,
    /// The least generation that may answer.
    pub generation: i64,
}

/// A question for another node.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct CallMessage {
    pub tool: String,
    pub is_json: bool,
    pub arguments: Map<String, Value>,
    /// The one that is asked about of the symbols or paths that the arguments name.
    pub subject: Option<String>,
    /// The most tokens that the answer may cost.
    pub max_tokens: usize,
    pub repositories: Vec<WantedRepository>,
    /// Repositories that cannot be asked.
    pub missing: Vec<MissingRepository>,
    /// True if several repositories answer for themselves, and this is to one of them.
    pub is_one_of_several: bool,
    /// False if the catalogue could not be asked for the newest generations.
    pub is_current: bool,
}

impl CallMessage {
    /// Returns the form of the answer.
    pub(super) fn format(&self) -> OutputFormat {
        if self.is_json { OutputFormat::Json } else { OutputFormat::Text }
    }
}

/// Requests of a round, by number among the call's repositories.
pub(super) type RoundRequests = Vec<(usize, Vec<u8>)>;

/// A round of a question, for repositories of another node.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct RoundMessage {
    /// The [`CallMessage`] as JSON.
    call: Vec<u8>,
    pub requests: RoundRequests,
}

impl RoundMessage {
    pub(super) fn new(call: &CallMessage, requests: RoundRequests) -> Result<RoundMessage, PeerError> {
        let call = serde_json::to_vec(call).map_err(|error| PeerError::NotReady(error.to_string()))?;
        Ok(RoundMessage { call, requests })
    }

    /// Reads a message with its call.
    pub(super) fn read(bytes: &[u8]) -> Option<(CallMessage, RoundRequests)> {
        let message: RoundMessage = postcard::from_bytes(bytes).ok()?;
        Some((serde_json::from_slice(&message.call).ok()?, message.requests))
    }
}

/// The reply of a repository to a round.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct RepositoryReply {
    pub number: usize,
    /// The generation and commit that it is of.
    pub generation: i64,
    pub commit: String,
    /// The reply, or why there is none.
    pub reply: Result<Vec<u8>, String>,
}

impl RepositoryReply {
    pub(super) fn failed(reason: String) -> RepositoryReply {
        RepositoryReply { number: 0, generation: 0, commit: String::new(), reply: Err(reason) }
    }
}

/// The answer to a call.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) enum CallReply {
    Answer(Reply<SentAnswer>),
    Error { code: String, message: String, remediation: String, suggestions: Vec<String> },
}

/// The reason why a node did not answer.
#[derive(Clone, Debug)]
pub(super) enum PeerError {
    /// It cannot be reached, or it broke off: another node may answer.
    Gone(String),
    /// It cannot answer now: it has not got the generation.
    NotReady(String),
}

impl PeerError {
    pub(super) fn reason(&self) -> &str {
        match self {
            PeerError::Gone(reason) | PeerError::NotReady(reason) => reason,
        }
    }
}

impl CallReply {
    pub(super) fn new(answer: Result<Reply<SentAnswer>, AppError>) -> CallReply {
        match answer {
            Ok(reply) => CallReply::Answer(reply),
            Err(error) => CallReply::Error {
                code: error.code.as_str().to_string(),
                remediation: error.remediation.words(Audience::Tools).into_owned(),
                message: error.message,
                suggestions: error.suggestions,
            },
        }
    }

    pub(super) fn into_answer(self) -> Result<Reply<SentAnswer>, AppError> {
        match self {
            CallReply::Answer(reply) => Ok(reply),
            CallReply::Error { code, message, remediation, suggestions } => {
                let code = Code::ALL.iter().copied().find(|known| known.as_str() == code);
                let error = AppError::new(code.unwrap_or(Code::InternalError), message, remediation);
                Err(AppError { suggestions, ..error })
            }
        }
    }
}

/// The client of other nodes.
#[derive(Clone)]
pub(super) struct Peers {
    agent: Agent,
    secret: String,
    /// Addresses of nodes that did not answer lately, and until when they are not asked.
    silent: Arc<Mutex<HashMap<String, Instant>>>,
}

impl Peers {
    pub(super) fn new(secret: String) -> Peers {
        let config = Agent::config_builder()
            .http_status_as_error(false)
            .max_redirects(0)
            .proxy(None)
            .timeout_connect(Some(CONNECT))
            .max_idle_connections(64)
            .max_idle_connections_per_host(16)
            .user_agent(concat!("codecompass/", env!("CARGO_PKG_VERSION")))
            .build();
        Peers { agent: config.new_agent(), secret, silent: Arc::default() }
    }

    /// Returns whether a request has the secret of the cluster.
    pub(super) fn is_secret(&self, given: &str) -> bool {
        // Hashes are compared in constant time.
        blake3::hash(given.as_bytes()) == blake3::hash(self.secret.as_bytes())
    }

    /// Returns whether a node says that it is up. It does so at once, whatever else it does.
    fn is_up(&self, address: &str) -> bool {
        let request = Request::builder().uri(format!("{}/health", address.trim_end_matches('/'))).body(());
        let Ok(request) = request else { return false };
        let request = self.agent.configure_request(request).timeout_global(Some(PROBE)).build();
        self.agent.run(request).is_ok()
    }

    /// Sends a message and waits for the answer as long as the node is up. One that is stopped
    /// accepts connections as well, but says nothing.
    fn post(&self, address: &str, path: &str, body: Vec<u8>, limit: Duration) -> Result<Vec<u8>, PeerError> {
        let gone = |reason: &str| Err(PeerError::Gone(reason.to_string()));
        let silent = || self.silent.lock().unwrap_or_else(PoisonError::into_inner);
        if silent().get(address).is_some_and(|until| Instant::now() < *until) {
            return gone("it does not answer");
        }
        let (sender, receiver) = channel();
        let (client, place, path) = (self.clone(), address.to_string(), path.to_string());
        let sending = move || sender.send(client.send(&place, &path, &body, limit)).is_ok();
        if thread::Builder::new().spawn(sending).is_err() {
            return gone("there is no thread for the message");
        }
        loop {
            match receiver.recv_timeout(PROBE) {
                Ok(answer) => return answer,
                Err(RecvTimeoutError::Disconnected) => return gone("it cannot be reached"),
                Err(RecvTimeoutError::Timeout) if self.is_up(address) => {}
                Err(RecvTimeoutError::Timeout) => {
                    silent().insert(address.to_string(), Instant::now() + SILENT);
                    return gone("it does not answer");
                }
            }
        }
    }

    fn send(&self, address: &str, path: &str, body: &[u8], limit: Duration) -> Result<Vec<u8>, PeerError> {
        let gone = |reason: &str| PeerError::Gone(reason.to_string());
        let request = Request::builder()
            .method("POST")
            .uri(format!("{}/cluster/{path}", address.trim_end_matches('/')))
            .header("authorization", format!("Bearer {}", self.secret))
            .body(body)
            .map_err(|_| gone("its address cannot be used"))?;
        let request = self.agent.configure_request(request).timeout_global(Some(limit)).build();
        let mut response = self.agent.run(request).map_err(|error| match error {
            ureq::Error::Timeout(_) => gone("it took too long"),
            _ => gone("it cannot be reached"),
        })?;
        let mut bytes = Vec::new();
        let status = response.status();
        let reader = response.body_mut().as_reader();
        reader.take(MAX_ANSWER).read_to_end(&mut bytes).map_err(|_| gone("its answer broke off"))?;
        match status {
            StatusCode::OK => Ok(bytes),
            StatusCode::SERVICE_UNAVAILABLE => Err(PeerError::NotReady(shown(&bytes))),
            status => Err(PeerError::Gone(format!("it answers with status {}", status.as_u16()))),
        }
    }

    /// Has another node answer a question.
    pub(super) fn call(&self, address: &str, call: &CallMessage, limit: Duration) -> Result<CallReply, PeerError> {
        let unreadable = |_| PeerError::Gone("its answer cannot be read".to_string());
        let body = serde_json::to_vec(call).map_err(unreadable)?;
        serde_json::from_slice(&self.post(address, "call", body, limit)?).map_err(unreadable)
    }

    /// Asks another node for its part of a round.
    pub(super) fn round(
        &self,
        address: &str,
        message: &RoundMessage,
        limit: Duration,
    ) -> Result<Vec<RepositoryReply>, PeerError> {
        let unreadable = |_| PeerError::Gone("its answer cannot be read".to_string());
        let body = postcard::to_stdvec(message).map_err(unreadable)?;
        postcard::from_bytes(&self.post(address, "round", body, limit + CONNECT)?).map_err(unreadable)
    }
}

/// Returns the words of a node, short and on one line.
fn shown(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).chars().filter(|letter| !letter.is_control()).take(300).collect()
}
