//! Questions that several nodes answer together, exactly as one would.
//!
//! The node that was asked gives each repository to a node that has it, and keeps the meeting point
//! (`ShardHub`) at which they put their numbers together. If a node is gone, its repositories are
//! given to other owners and the question is asked again; a repository that no node can answer for
//! is named in the answer.

use std::collections::{BTreeMap, HashSet};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use codecompass_app::api::fan_out::answers::Reply;
use codecompass_app::api::metadata::RepositoryGeneration;
use codecompass_app::error::AppError;
use codecompass_app::session::{MissingRepository, PlacedQuestion, PlacedRepository};
use codecompass_engine::Error as EngineError;
use codecompass_engine::query::shards::{EncodedParts, ShardHub, ShardLink};
use codecompass_server::mcp::{DecodedCall, SentAnswer};

use super::node::{Members, Node};
use super::peers::{CallMessage, PartMessage, PartReply, PeerError, WantedRepository};
use super::questions::{later, reason_of};
use super::telemetry::{add, log};
use super::views::View;
use crate::catalogue::NodeEntry;

/// Attempts to answer with the nodes that are left.
const ATTEMPTS: usize = 6;
/// The longest wait for a repository of another node.
const PATIENCE: Duration = Duration::from_secs(20);

/// The way to the parts of other nodes, from the node that puts them together.
struct OwnLink {
    hub: Arc<ShardHub>,
    is_cut: Arc<AtomicBool>,
}

impl ShardLink for OwnLink {
    fn exchange(&self, round: usize, own: EncodedParts) -> Result<EncodedParts, EngineError> {
        self.hub.exchange(0, round, own).inspect_err(|_| self.is_cut.store(true, Ordering::Relaxed))
    }
}

/// The same from another node.
struct PeerLink {
    node: Arc<Node>,
    part: PartMessage,
    is_cut: Arc<AtomicBool>,
}

impl ShardLink for PeerLink {
    fn exchange(&self, round: usize, own: EncodedParts) -> Result<EncodedParts, EngineError> {
        self.node.peers.exchange(&self.part, round, &own).map_err(|_| {
            self.is_cut.store(true, Ordering::Relaxed);
            EngineError::Cancelled
        })
    }
}

/// The repositories of a question, by the node that answers for them.
struct Placement {
    own: Vec<usize>,
    others: BTreeMap<String, (NodeEntry, Vec<usize>)>,
}

/// The failures of an attempt.
#[derive(Default)]
struct Losses {
    /// Names of nodes that are gone.
    nodes: HashSet<String>,
    /// Numbers of repositories that failed, on which node, and why.
    repositories: Vec<(usize, String, String)>,
}

/// The failures of all attempts so far.
#[derive(Default)]
struct Lost {
    /// Nodes that are gone, and why.
    nodes: BTreeMap<String, String>,
    /// Repositories that failed on a node, and why.
    repositories: BTreeMap<(i64, String), String>,
}

impl Lost {
    fn has(&self, repository: i64, node: &str) -> bool {
        self.nodes.contains_key(node) || self.repositories.contains_key(&(repository, node.to_string()))
    }

    /// Returns the reason why no node answers for a repository.
    fn reason(&self, repository: i64) -> String {
        let own = self.repositories.iter().find(|((id, _), _)| *id == repository).map(|(_, reason)| reason.clone());
        own.or_else(|| self.nodes.values().next().cloned()).unwrap_or_else(|| "no node has it".into())
    }

    fn add(&mut self, losses: Losses, call: &CallMessage) {
        for node in losses.nodes {
            self.nodes.entry(node.clone()).or_insert(format!("node {node} is gone"));
        }
        for (number, node, reason) in losses.repositories {
            if let Some(asked) = call.repositories.get(number) {
                self.repositories.insert((asked.id, node), reason);
            }
        }
    }
}

/// A question at its meeting point, which it leaves in any case.
struct HubEntry<'a> {
    node: &'a Node,
    question: String,
}

impl Drop for HubEntry<'_> {
    fn drop(&mut self) {
        self.node.hubs.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.question);
    }
}

impl Node {
    /// Has all repositories of a call answer it together. Another node may do so for this one,
    /// unless it is already done for another.
    pub(super) fn ask_together(
        self: &Arc<Self>,
        decoded: &DecodedCall,
        mut call: CallMessage,
        may_forward: bool,
    ) -> Result<Reply<SentAnswer>, AppError> {
        let mut lost = Lost::default();
        for _ in 0..ATTEMPTS {
            let members = self.members();
            let (_, unplaced) = self.place(&members, &call.repositories, &lost);
            for number in unplaced.into_iter().rev() {
                let asked = call.repositories.remove(number);
                let reason = lost.reason(asked.id);
                call.missing.push(MissingRepository { repository: asked.name, reason });
            }
            if call.repositories.is_empty() {
                break;
            }
            let (mut placement, _) = self.place(&members, &call.repositories, &lost);
            if !may_forward {
                self.keep_one(&mut placement, &call, &lost);
            }
            if placement.own.is_empty() {
                // Another node has some of them, and so the answer.
                let Some((node, _)) = placement.others.values().max_by_key(|(_, own)| own.len()) else { break };
                add(&self.figures.forwarded);
                match self.peers.call(&node.address, &call, self.options.question) {
                    Ok(reply) => return reply.into_answer(),
                    Err(error) => {
                        lost.nodes.insert(node.name.clone(), reason_of(node, &error));
                        continue;
                    }
                }
            }
            match self.attempt(decoded, &call, &placement, &members) {
                Ok(answer) => {
                    if !call.missing.is_empty() {
                        add(&self.figures.partial);
                    }
                    return Ok(answer);
                }
                Err((losses, error)) => {
                    if losses.nodes.is_empty() && losses.repositories.is_empty() {
                        return Err(*error);
                    }
                    lost.add(losses, &call);
                }
            }
        }
        call.missing.sort();
        let reasons: Vec<String> =
            call.missing.iter().take(5).map(|one| format!("{}: {}", one.repository, one.reason)).collect();
        Err(later(format!("no repository could be asked ({})", reasons.join("; "))))
    }

    /// Gives each repository to a node; returns the numbers of those that no node can answer for.
    fn place(&self, members: &Members, asked: &[WantedRepository], lost: &Lost) -> (Placement, Vec<usize>) {
        let mut placement = Placement { own: Vec::new(), others: BTreeMap::new() };
        let mut unplaced = Vec::new();
        for (number, one) in asked.iter().enumerate() {
            let node = self.candidates(members, one).into_iter().find(|node| !lost.has(one.id, &node.name));
            match node {
                Some(node) if node.name == self.options.name => placement.own.push(number),
                Some(node) => {
                    placement.others.entry(node.name.clone()).or_insert_with(|| (node, Vec::new())).1.push(number);
                }
                None => unplaced.push(number),
            }
        }
        (placement, unplaced)
    }

    /// Gives this node a repository if it has none, as the node that combines an answer must have
    /// one.
    fn keep_one(&self, placement: &mut Placement, call: &CallMessage, lost: &Lost) {
        if !placement.own.is_empty() {
            return;
        }
        let may_try = |number: &usize| !lost.has(call.repositories[*number].id, &self.options.name);
        let mut numbers = (0..call.repositories.len()).filter(may_try);
        let first = numbers.clone().find(|number| self.owns(call.repositories[*number].id)).or_else(|| numbers.next());
        let Some(number) = first else { return };
        placement.others.values_mut().for_each(|(_, own)| own.retain(|other| *other != number));
        placement.others.retain(|_, (_, own)| !own.is_empty());
        placement.own.push(number);
    }

    /// Asks all nodes of a placement once.
    fn attempt(
        self: &Arc<Self>,
        decoded: &DecodedCall,
        call: &CallMessage,
        placement: &Placement,
        members: &Members,
    ) -> Result<Reply<SentAnswer>, (Losses, Box<AppError>)> {
        let mut losses = Losses::default();
        let views = self.views(call, &placement.own, members, &mut losses);
        if !losses.repositories.is_empty() {
            return Err((losses, Box::new(later("a repository is not there".into()))));
        }
        let parties = 1 + placement.others.len();
        let hub = Arc::new(ShardHub::new(parties, PATIENCE));
        let question = self.nonce();
        if parties > 1 {
            add(&self.figures.fanned_out);
            self.hubs.lock().unwrap_or_else(PoisonError::into_inner).insert(question.clone(), hub.clone());
        }
        let entry = HubEntry { node: self, question: question.clone() };
        let is_cut = Arc::new(AtomicBool::new(false));
        let own_link = OwnLink { hub: hub.clone(), is_cut: is_cut.clone() };
        let link = (parties > 1).then(|| Box::new(own_link) as Box<dyn ShardLink>);
        let placed = Arc::new(self.placed(call, &views, link));
        let asking = self.ask_others(call, placement, &question, &hub);
        let answer = self.ask_placed(decoded, call, placed.clone());
        if answer.is_err() {
            hub.give_up();
        }
        let mut answered = answered_by(call, &views);
        for thread in asking {
            if let Ok((other, reply)) = thread.join() {
                answered.extend(note(&other, call, reply, &mut losses));
            }
        }
        drop(entry);
        let others: Vec<&String> = placement.others.keys().collect();
        losses
            .nodes
            .extend(hub.absent().into_iter().filter_map(|party| Some((*others.get(party.checked_sub(1)?)?).clone())));
        if !is_cut.load(Ordering::Relaxed) {
            let failed = placed.failed.lock().unwrap_or_else(PoisonError::into_inner).clone();
            let own = |(number, reason)| (number, self.options.name.clone(), reason);
            losses.repositories.extend(failed.into_iter().map(own));
        }
        match answer {
            Ok(answer) if losses.nodes.is_empty() && losses.repositories.is_empty() => {
                answered.sort_by(|a, b| a.repository.cmp(&b.repository));
                Ok(self.send(answer, call, answered))
            }
            outcome => {
                let error = outcome.err().unwrap_or_else(|| later("a node is gone".into()));
                Err((losses, Box::new(error)))
            }
        }
    }

    /// Asks the other nodes of a placement, each in a thread.
    fn ask_others(
        self: &Arc<Self>,
        call: &CallMessage,
        placement: &Placement,
        question: &str,
        hub: &Arc<ShardHub>,
    ) -> Vec<thread::JoinHandle<(NodeEntry, Result<PartReply, PeerError>)>> {
        let ask = |(at, (other, own)): (usize, &(NodeEntry, Vec<usize>))| {
            let part = PartMessage {
                call: call.clone(),
                question: question.to_string(),
                party: at + 1,
                coordinator: self.options.address.clone(),
                own: own.clone(),
                patience_ms: PATIENCE.as_millis() as u64,
            };
            let (node, other, hub) = (self.clone(), other.clone(), hub.clone());
            thread::spawn(move || {
                let reply = node.peers.part(&other.address, &part, node.options.question);
                // The others need not wait for it any more.
                if reply.as_ref().map_or(true, |reply| !reply.failed.is_empty() || reply.is_cut) {
                    hub.give_up();
                }
                (other, reply)
            })
        };
        placement.others.values().enumerate().map(ask).collect()
    }

    /// Returns the views of repositories of this node, with their numbers.
    fn views(
        self: &Arc<Self>,
        call: &CallMessage,
        own: &[usize],
        members: &Members,
        losses: &mut Losses,
    ) -> Vec<(usize, Arc<View>)> {
        let mut views = Vec::with_capacity(own.len());
        for number in own {
            match self.view(members, &call.repositories[*number]) {
                Ok(view) => views.push((*number, view)),
                Err(reason) => losses.repositories.push((*number, self.options.name.clone(), reason)),
            }
        }
        views
    }

    fn placed(
        &self,
        call: &CallMessage,
        views: &[(usize, Arc<View>)],
        link: Option<Box<dyn ShardLink>>,
    ) -> PlacedQuestion {
        let settings = self.settings();
        let own = views.iter().filter_map(|(number, view)| {
            let prepared = self.prepared(view, &settings).ok()?;
            Some(PlacedRepository { number: *number, prepared })
        });
        PlacedQuestion {
            names: call.repositories.iter().map(|asked| asked.name.clone()).collect(),
            own: own.collect(),
            patience: PATIENCE,
            link: Mutex::new(link),
            missing: call.missing.clone(),
            failed: Mutex::default(),
        }
    }

    /// Answers this node's part of a question that another node puts together.
    pub(super) fn answer_part(
        self: &Arc<Self>,
        decoded: &DecodedCall,
        part: PartMessage,
    ) -> Result<PartReply, PeerError> {
        let members = self.members();
        let call = part.call.clone();
        if part.own.iter().any(|number| *number >= call.repositories.len()) {
            return Err(PeerError::NotReady("the part has a repository that the question has not".into()));
        }
        let mut losses = Losses::default();
        let views = self.views(&call, &part.own, &members, &mut losses);
        if !losses.repositories.is_empty() {
            let failed = losses.repositories.into_iter().map(|(number, _, reason)| (number, reason)).collect();
            return Ok(PartReply { failed, ..PartReply::default() });
        }
        let is_cut = Arc::new(AtomicBool::new(false));
        let link = Box::new(PeerLink { node: self.clone(), part, is_cut: is_cut.clone() });
        let placed = Arc::new(self.placed(&call, &views, Some(link)));
        match self.ask_placed(decoded, &call, placed.clone()) {
            Ok(_) => {
                let one =
                    |(number, view): &(usize, Arc<View>)| (*number, view.mark.generation, view.mark.commit.clone());
                Ok(PartReply { answered: views.iter().map(one).collect(), ..PartReply::default() })
            }
            Err(_) if is_cut.load(Ordering::Relaxed) => Ok(PartReply { is_cut: true, ..PartReply::default() }),
            Err(error) => {
                log("part_failed", &[("code", error.code.as_str().into())]);
                let failed = placed.failed.lock().unwrap_or_else(PoisonError::into_inner).clone();
                Ok(PartReply { failed, ..PartReply::default() })
            }
        }
    }
}

fn answered_by(call: &CallMessage, views: &[(usize, Arc<View>)]) -> Vec<RepositoryGeneration> {
    let one = |(number, view): &(usize, Arc<View>)| RepositoryGeneration {
        repository: call.repositories[*number].name.clone(),
        generation: view.mark.generation,
        commit: view.mark.commit.clone(),
    };
    views.iter().map(one).collect()
}

/// Notes what a node has lost; returns the generations that it answered with.
fn note(
    other: &NodeEntry,
    call: &CallMessage,
    reply: Result<PartReply, PeerError>,
    losses: &mut Losses,
) -> Vec<RepositoryGeneration> {
    match reply {
        Ok(reply) => {
            let of = |(number, reason)| (number, other.name.clone(), reason);
            losses.repositories.extend(reply.failed.into_iter().map(of));
            let name = |number: usize| Some(call.repositories.get(number)?.name.clone());
            let one = |(number, generation, commit)| {
                Some(RepositoryGeneration { repository: name(number)?, generation, commit })
            };
            reply.answered.into_iter().filter_map(one).collect()
        }
        Err(error) => {
            let fields = [("node", other.name.as_str().into()), ("reason", error.reason().to_string().into())];
            log("part_lost", &fields);
            losses.nodes.insert(other.name.clone());
            Vec::new()
        }
    }
}
