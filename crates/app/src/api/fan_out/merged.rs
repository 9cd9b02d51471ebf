//! One question to several repositories: each answers its part, and the parts are put together as
//! if all files were in one; see `codecompass_engine::query::shards`.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::time::{Duration, Instant};

use codecompass_engine::query::shards::{self, Shard, ShardGroup};
use codecompass_engine::query::{Hit, Neighbours, Snippet};
use serde::{Deserialize, Serialize};

use super::checkouts::{self, AskedRepository};
use super::threads as thread;
use crate::api::views::HitView;
use crate::api::{Answer as _, Request};
use crate::error::{AppError, Code};
use crate::remedy::Remedy;
use crate::session::{
    CallContext, MissingRepository, OutputFormat, Place, PlacedQuestion, PlacedRepository, RepositoryChoice,
    RepositoryShard, Scope,
};

/// The longest time that repositories wait for one of them. A repository that is indexed for the
/// first time may take longer; it is then left out.
const PATIENCE: Duration = Duration::from_secs(30);
/// The time between two looks at whether a repository was given up.
const LOOK_EVERY: Duration = Duration::from_millis(100);

/// A question that several repositories can answer together. Each of them ends with the whole
/// answer.
pub trait SeveralRepositories: Request {
    /// Answers the question for one repository, or as one of several.
    fn answer_for_one(&self, context: &CallContext) -> Result<Self::Answer, AppError>;
}

/// Asks all repositories. Those that fail or are too slow are named in the answer, which then is
/// that of the others.
pub fn ask<R: SeveralRepositories>(
    context: &CallContext,
    request: &R,
    choice: &RepositoryChoice,
) -> Result<R::Answer, AppError> {
    let mut asked = checkouts::chosen(context, choice)?;
    let mut missing: Vec<MissingRepository> = Vec::new();
    let mut first_error = None;
    while !asked.is_empty() {
        let names = asked.iter().map(|one| one.name.clone()).collect();
        let shards = ShardGroup::of(asked.len(), PATIENCE);
        let checkout = |one: &AskedRepository| (one.root.clone(), Place::Checkout(Some(one.root.clone())));
        let answers = ask_once(context, request, asked.iter().map(checkout), (names, shards), PATIENCE);
        let count = asked.len();
        let (mut parts, mut left) = (Vec::new(), Vec::new());
        for (one, answer) in asked.into_iter().zip(answers) {
            match answer {
                Some(Ok(part)) => {
                    parts.push(part);
                    left.push(one);
                }
                Some(Err(error)) => {
                    missing.push(MissingRepository { repository: one.name, reason: error.message.clone() });
                    first_error = first_error.or(Some(error));
                }
                None => missing.push(MissingRepository { repository: one.name, reason: "it took too long".into() }),
            }
        }
        // What was counted for those that failed must not count: the others are asked again.
        if parts.len() == count {
            // All of them have the whole answer.
            let whole = parts.into_iter().next().ok_or_else(|| AppError::internal("there is no answer"))?;
            let mut answer = with_missing::<R>(whole, missing);
            answer.metadata().speak_for_several();
            return Ok(answer);
        }
        asked = left;
    }
    let too_slow = || AppError::new(Code::IndexInProgress, "no repository answered in time", "ask again in a while");
    Err(first_error.unwrap_or_else(too_slow))
}

/// Asks the repositories that this process has of a question; others may be asked elsewhere. If one
/// of them fails, there is no answer, and the question says which.
pub fn ask_placed<R: SeveralRepositories>(
    context: &CallContext,
    request: &R,
    placed: &PlacedQuestion,
) -> Result<R::Answer, AppError> {
    let lock = |failed: &Mutex<Vec<(usize, String)>>| failed.lock().unwrap_or_else(PoisonError::into_inner).clone();
    let numbers = placed.own.iter().map(|one| one.number).collect();
    let shards = match placed.link.lock().unwrap_or_else(PoisonError::into_inner).take() {
        Some(link) => ShardGroup::linked(numbers, placed.patience, link),
        None => ShardGroup::of(placed.own.len(), placed.patience),
    };
    let commit = |one: &PlacedRepository| (one.prepared.workspace.root.clone(), Place::Commit(one.prepared.clone()));
    let places = placed.own.iter().map(commit);
    let answers = ask_once(context, request, places, (placed.names.clone(), shards), placed.patience);
    let mut whole = None;
    for (one, answer) in placed.own.iter().zip(answers) {
        let reason = match answer {
            Some(Ok(part)) => {
                whole = whole.or(Some(part));
                continue;
            }
            Some(Err(error)) => error.message,
            None => "it took too long".to_string(),
        };
        placed.failed.lock().unwrap_or_else(PoisonError::into_inner).push((one.number, reason));
    }
    let failed = lock(&placed.failed);
    match (whole, failed.first()) {
        (Some(whole), None) => {
            let mut answer = with_missing::<R>(whole, placed.missing.clone());
            answer.metadata().speak_for_several();
            Ok(answer)
        }
        (_, Some((_, reason))) => Err(AppError::new(Code::InternalError, reason.clone(), "ask again in a while")),
        (None, None) => Err(AppError::internal("no repository was asked")),
    }
}

fn with_missing<R: Request>(mut answer: R::Answer, mut missing: Vec<MissingRepository>) -> R::Answer {
    if !missing.is_empty() {
        missing.sort();
        let metadata = answer.metadata();
        let names = missing.iter().map(|one| format!("{}: {}", one.repository, one.reason));
        let warning = format!("no answer from {}", names.collect::<Vec<_>>().join("; "));
        metadata.warnings.get_or_insert_default().push(Remedy::from(warning).into());
        metadata.note_missing(&missing);
    }
    answer
}

/// Leaves the group of a question unless its part was answered.
struct Leaving(Arc<Shard>, bool);

impl Drop for Leaving {
    fn drop(&mut self) {
        if !self.1 {
            self.0.fail();
        }
    }
}

/// Asks each repository in a thread of its own, by root and place; `None` for those that are too
/// slow.
fn ask_once<R: SeveralRepositories>(
    context: &CallContext,
    request: &R,
    asked: impl Iterator<Item = (PathBuf, Place)>,
    (names, shards): (Arc<[String]>, Vec<Shard>),
    patience: Duration,
) -> Vec<Option<Result<R::Answer, AppError>>> {
    let shards: Vec<Arc<Shard>> = shards.into_iter().map(Arc::new).collect();
    let (sender, receiver) = mpsc::channel();
    for (number, ((root, place), shard)) in asked.zip(&shards).enumerate() {
        let own = RepositoryShard { place, shard: shard.clone(), names: names.clone() };
        let context = context.for_repository(&root, Scope::Shard(own));
        let (request, sender, shard) = (request.clone(), sender.clone(), shard.clone());
        thread::spawn(move || {
            let mut leaving = Leaving(shard, false);
            let answer = request.answer_for_one(&context);
            leaving.1 = answer.is_ok();
            drop(leaving);
            let _ = sender.send((number, answer));
        });
    }
    drop(sender);
    let mut answers: Vec<Option<Result<R::Answer, AppError>>> = shards.iter().map(|_| None).collect();
    let end = Instant::now() + 2 * patience;
    let mut left = shards.len();
    while left > 0 {
        let time = end.saturating_duration_since(Instant::now()).min(LOOK_EVERY);
        match receiver.recv_timeout(time) {
            Ok((number, answer)) => {
                answers[number] = Some(answer);
                left -= 1;
            }
            Err(_) => {
                let lost = shards.first().map(|shard| shard.lost()).unwrap_or_default();
                let is_awaited = |at: usize| answers[at].is_none() && !lost.contains(&shards[at].number());
                // Only those are left that the others have given up.
                if time.is_zero() || !(0..shards.len()).any(is_awaited) {
                    break;
                }
            }
        }
    }
    answers
}

/// A result as repositories tell each other of it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SharedHit {
    /// The place among the results of all.
    pub place: usize,
    pub hit: Hit,
    pub snippet: Option<Snippet>,
    pub neighbours: Option<Neighbours>,
}

/// Returns the places of those of the results that this repository has, and drops the others.
pub fn keep_own(context: &CallContext, hits: &mut Vec<Hit>) -> Vec<usize> {
    let Some(own) = context.scope.shard() else { return (0..hits.len()).collect() };
    let is_own = |hit: &Hit| hit.repository == own.shard.number();
    let places = hits.iter().enumerate().filter(|(_, hit)| is_own(hit)).map(|(place, _)| place).collect();
    hits.retain(is_own);
    places
}

/// Puts the results of all repositories together, by place; returns as well whether `holds` is true
/// of all of them.
pub fn share(context: &CallContext, own: Vec<SharedHit>, holds: bool) -> Result<(Vec<SharedHit>, bool), AppError> {
    let Some(part) = context.scope.shard() else { return Ok((own, holds)) };
    let whole = shards::combined(Some(&part.shard), (own, holds), |parts: Vec<(Vec<SharedHit>, bool)>| {
        let holds = parts.iter().all(|(_, holds)| *holds);
        let mut all: Vec<SharedHit> = parts.into_iter().flat_map(|(hits, _)| hits).collect();
        all.sort_by_key(|shared| shared.place);
        (all, holds)
    })?;
    Ok((whole.0.clone(), whole.1))
}

/// Notes the repositories of results.
pub fn name_repository<'a>(context: &CallContext, views: impl Iterator<Item = &'a mut HitView>) {
    let Some(own) = context.scope.shard() else { return };
    for view in views {
        let Some(name) = own.names.get(view.hit.repository) else { continue };
        view.repository = Some(name.clone());
        // Text has one name for a file; JSON has two fields.
        if context.format == OutputFormat::Text {
            view.hit.path = format!("{name}:{}", view.hit.path);
        }
    }
}
