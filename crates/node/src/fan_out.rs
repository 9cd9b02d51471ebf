//! Questions that several nodes answer together, exactly as one would.
//!
//! The node that was asked gives each repository to a node that has it, asks them round by round
//! for what they have, and ranks it. If a node is gone, its repositories are given to other owners
//! and the question is asked again; a repository that no node can answer for is named in the
//! answer.

use std::collections::{BTreeMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use codecompass_app::api::fan_out::answers::Reply;
use codecompass_app::api::fan_out::threads;
use codecompass_app::api::metadata::RepositoryGeneration;
use codecompass_app::error::AppError;
use codecompass_app::session::{MissingRepository, OtherRepositories, PlacedQuestion, PlacedRepository};
use codecompass_server::mcp::{DecodedCall, SentAnswer};

use super::node::{Members, Node};
use super::peers::{CallMessage, RepositoryReply, RoundMessage, RoundRequests, WantedRepository};
use super::questions::{later, reason_of};
use super::telemetry::{add, log};
use super::views::View;
use crate::catalogue::NodeEntry;

/// Attempts to answer with the nodes that are left.
const ATTEMPTS: usize = 6;
/// The longest time for one round.
const ROUND_TIMEOUT: Duration = Duration::from_secs(20);

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

/// The repositories of a question that other nodes answer for.
struct PeerRepositories {
    node: Arc<Node>,
    call: CallMessage,
    /// The nodes, by number of the repository.
    nodes: BTreeMap<usize, NodeEntry>,
    outcome: Mutex<PeerOutcome>,
}

/// The losses and answers so far.
#[derive(Default)]
struct PeerOutcome {
    losses: Losses,
    /// The generations that answered, by number.
    answered: BTreeMap<usize, RepositoryGeneration>,
}

impl PeerRepositories {
    fn outcome(&self) -> MutexGuard<'_, PeerOutcome> {
        self.outcome.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Puts requests to the repositories of a node.
    fn ask_node(&self, other: &NodeEntry, requests: RoundRequests) -> Vec<(usize, Result<Vec<u8>, AppError>)> {
        let numbers: Vec<usize> = requests.iter().map(|(number, _)| *number).collect();
        let replies = RoundMessage::new(&self.call, requests)
            .and_then(|message| self.node.peers.round(&other.address, &message, ROUND_TIMEOUT));
        match replies {
            Ok(replies) => replies.into_iter().map(|reply| (reply.number, self.take(other, reply))).collect(),
            Err(error) => {
                let fields = [("node", other.name.as_str().into()), ("reason", error.reason().to_string().into())];
                log("round_lost", &fields);
                self.outcome().losses.nodes.insert(other.name.clone());
                let lost = |number| (number, Err(later(reason_of(other, &error))));
                numbers.into_iter().map(lost).collect()
            }
        }
    }

    /// Takes the reply of a repository, which must be of the same generation in all rounds.
    fn take(&self, other: &NodeEntry, reply: RepositoryReply) -> Result<Vec<u8>, AppError> {
        let RepositoryReply { number, generation, commit, reply } = reply;
        let mut outcome = self.outcome();
        let name = self.call.repositories.get(number).map(|asked| asked.name.clone()).unwrap_or_default();
        let answered = RepositoryGeneration { repository: name, generation, commit };
        let reply = reply.and_then(|reply| {
            let first = outcome.answered.entry(number).or_insert(answered);
            if first.generation == generation { Ok(reply) } else { Err("it was indexed meanwhile".to_string()) }
        });
        reply.map_err(|reason| {
            outcome.losses.repositories.push((number, other.name.clone(), reason.clone()));
            later(reason)
        })
    }
}

impl OtherRepositories for PeerRepositories {
    fn ask(&self, requests: RoundRequests) -> Vec<(usize, Result<Vec<u8>, AppError>)> {
        let mut by_node: BTreeMap<&str, (&NodeEntry, RoundRequests)> = BTreeMap::new();
        for (number, request) in requests {
            let Some(node) = self.nodes.get(&number) else { continue };
            by_node.entry(&node.name).or_insert_with(|| (node, Vec::new())).1.push((number, request));
        }
        thread::scope(|scope| {
            let asking: Vec<_> = (by_node.into_values())
                .map(|(node, requests)| scope.spawn(move || self.ask_node(node, requests)))
                .collect();
            asking.into_iter().filter_map(|thread| thread.join().ok()).flatten().collect()
        })
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
        let nodes = placement.others.values();
        let nodes = nodes.flat_map(|(node, own)| own.iter().map(|number| (*number, node.clone()))).collect();
        let peers =
            Arc::new(PeerRepositories { node: self.clone(), call: call.clone(), nodes, outcome: Mutex::default() });
        if !placement.others.is_empty() {
            add(&self.figures.fanned_out);
        }
        let settings = self.settings();
        let own = views.iter().filter_map(|(number, view)| {
            let prepared = self.prepared(view, &settings).ok()?;
            Some(PlacedRepository { number: *number, prepared })
        });
        let placed = Arc::new(PlacedQuestion {
            names: call.repositories.iter().map(|asked| asked.name.clone()).collect(),
            own: own.collect(),
            others: Some(peers.clone()),
            missing: call.missing.clone(),
            failed: Mutex::default(),
        });
        let answer = self.ask_placed(decoded, call, placed.clone());
        let outcome = std::mem::take(&mut *peers.outcome());
        losses = outcome.losses;
        let failed = placed.failed.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let of = |(number, reason)| (number, self.options.name.clone(), reason);
        losses.repositories.extend(failed.into_iter().map(of));
        match answer {
            Ok(answer) if losses.nodes.is_empty() && losses.repositories.is_empty() => {
                let mut answered = answered_by(call, &views);
                answered.extend(outcome.answered.into_values());
                answered.sort_by(|a, b| a.repository.cmp(&b.repository));
                Ok(self.send(answer, call, answered))
            }
            outcome => {
                let error = outcome.err().unwrap_or_else(|| later("a node is gone".into()));
                Err((losses, Box::new(error)))
            }
        }
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

    /// Answers a round of a question that another node ranks, for repositories of this one.
    pub(super) fn answer_round(
        self: &Arc<Self>,
        decoded: DecodedCall,
        call: CallMessage,
        requests: RoundRequests,
    ) -> Vec<RepositoryReply> {
        let members = self.members();
        let (decoded, call) = (Arc::new(decoded), Arc::new(call));
        let numbers: Vec<usize> = requests.iter().map(|(number, _)| *number).collect();
        let answer = |(number, round): (usize, Vec<u8>)| {
            let (node, members, decoded, call) = (self.clone(), members.clone(), decoded.clone(), call.clone());
            move || match call.repositories.get(number) {
                Some(asked) => node.answer_for(&decoded, &call, node.view(&members, asked), &round),
                None => RepositoryReply::failed("the question has no such repository".into()),
            }
        };
        // What is not here must be fetched, which is mostly waiting.
        let is_here = |number: &usize| {
            call.repositories.get(*number).is_none_or(|asked| self.cache.has(asked.id, asked.generation))
        };
        let width = if numbers.iter().all(is_here) { threads::cores() } else { numbers.len() };
        let replies = threads::run(requests.into_iter().map(answer).collect(), width, ROUND_TIMEOUT);
        let too_slow = || RepositoryReply::failed("it took too long".into());
        let numbered = |(reply, number): (Option<RepositoryReply>, usize)| RepositoryReply {
            number,
            ..reply.unwrap_or_else(too_slow)
        };
        replies.into_iter().zip(numbers).map(numbered).collect()
    }

    fn answer_for(
        &self,
        decoded: &DecodedCall,
        call: &CallMessage,
        view: Result<Arc<View>, String>,
        round: &[u8],
    ) -> RepositoryReply {
        let view = match view {
            Ok(view) => view,
            Err(reason) => return RepositoryReply::failed(reason),
        };
        let reply = self.round(decoded, call, &view, round).map_err(|error| {
            log("round_failed", &[("code", error.code.as_str().into())]);
            error.message
        });
        let (generation, commit) = (view.mark.generation, view.mark.commit.clone());
        RepositoryReply { number: 0, generation, commit, reply }
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
