//! One question to several repositories: each answers its part, and the parts are put together as
//! if all files were in one; see `codecompass_engine::query::shards`.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::time::{Duration, Instant};

use clap::Args;
use codecompass_engine::query::shards::{self, Shard, ShardGroup};
use codecompass_engine::query::{Hit, Neighbours, Snippet};
use codecompass_engine::{Error as EngineError, KnownStore, known_stores, scan};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::metadata::{Completeness, MissingRepository};
use super::views::HitView;
use super::{Answer as _, Request, part_threads as thread};
use crate::clones::{self, CloneOptions};
use crate::error::{AppError, Code};
use crate::remedy::Remedy;
use crate::session::{CallContext, OutputFormat, PlacedQuestion, PreparedWorkspace, RepositoryPart};
use crate::{settings, uri};

/// The longest time that repositories wait for one of them. A repository that is indexed for the
/// first time may take longer; it is then left out.
const PATIENCE: Duration = Duration::from_secs(30);
/// The time between two looks at whether a repository was given up.
const LOOK_EVERY: Duration = Duration::from_millis(100);
/// Repositories in one question.
const MAX_REPOSITORIES: usize = 200;

#[derive(Clone, Debug, Default, Args, Deserialize, JsonSchema)]
pub struct AllArgs {
    /// Ask all repositories that are indexed on this machine.
    #[arg(long, conflicts_with = "workspace")]
    #[serde(skip)]
    pub all: bool,
}

/// A question that several repositories can answer together. Each of them ends with the whole
/// answer.
pub trait SeveralRepositories: Request {}

/// A repository that is asked.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct AskedRepository {
    name: String,
    root: PathBuf,
}

impl AskedRepository {
    /// The name in answers.
    pub fn name(&self) -> &str {
        &self.name
    }

    pub fn root(&self) -> &Path {
        &self.root
    }
}

/// Returns repositories at `roots`, for tests of how they are named.
#[cfg(test)]
pub fn of_roots(roots: &[&str]) -> Vec<AskedRepository> {
    named(roots.iter().map(PathBuf::from).collect())
}

/// Returns the repositories that a question is about, if they are several, by name and root.
pub fn places(context: &CallContext, all: &AllArgs) -> Result<Option<Vec<AskedRepository>>, AppError> {
    let given: Vec<&PathBuf> = context.workspace.iter().chain(&context.others).collect();
    let group = |place: &PathBuf| place.to_str().and_then(|place| place.strip_prefix('@')).map(str::to_string);
    // A server has no groups: what may be asked about is its own decision.
    let has_groups = context.control.is_none() && given.iter().any(|place| group(place).is_some());
    if context.placed.is_some() && context.part.is_none() {
        // The cluster has chosen them.
        return Ok(Some(Vec::new()));
    }
    if context.part.is_some() || (context.others.is_empty() && !all.all && !has_groups) {
        return Ok(None);
    }
    let mut roots = Vec::new();
    match all.all {
        true => {
            let home = settings::homes()?.data;
            roots.extend(known_stores(&home).iter().flat_map(|store| last_used(&home, store)));
        }
        false => {
            for place in given {
                let places = match group(place).filter(|_| has_groups) {
                    Some(name) => opened(context, settings::group(&name)?)?,
                    None => vec![place.clone()],
                };
                for place in places {
                    let root = scan::discover(&place).map_err(EngineError::from)?.root;
                    // Since a server has looked at it, it may have become a link that leads
                    // elsewhere.
                    if context.control.as_ref().is_some_and(|control| root != place && !control.allows(&root)) {
                        let message = "a workspace became another one while the call was under way";
                        return Err(AppError::new(Code::WorkspaceNotAllowed, message, "call again"));
                    }
                    roots.push(root);
                }
            }
        }
    }
    roots.sort();
    roots.dedup();
    if roots.is_empty() {
        return Err(AppError::invalid("no repository is indexed on this machine", Remedy::IndexFirst));
    }
    if roots.len() > MAX_REPOSITORIES {
        let message = format!("{} repositories are too many for one question", roots.len());
        return Err(AppError::invalid(message, Remedy::NameWorkspaces));
    }
    Ok(Some(named(roots)))
}

/// Returns, of each repository that a store serves, the checkout that was used last; a clone of a
/// git URL has none and stands for itself.
fn last_used(home: &Path, store: &KnownStore) -> Vec<PathBuf> {
    let is_shared = !store.shared_by.is_empty();
    let checkouts = store.workspaces.iter().filter(|checkout| !checkout.is_gone).map(|checkout| {
        let found = if is_shared { scan::discover(&checkout.root).ok() } else { None };
        (found.and_then(|found| found.git_common_dir), &checkout.root)
    });
    let checkouts: Vec<(Option<PathBuf>, &PathBuf)> = checkouts.collect();
    let last = |repository: &Path| {
        let mut own = checkouts.iter().filter(|(git_dir, _)| !is_shared || git_dir.as_deref() == Some(repository));
        let root = own.next().map(|(_, root)| (*root).clone());
        root.or_else(|| clones::url_of(home, repository).map(|_| repository.to_path_buf()))
    };
    store.served().filter(|repository| repository.exists()).filter_map(last).collect()
}

/// Replaces git URLs by the directories of their clones.
fn opened(context: &CallContext, places: Vec<PathBuf>) -> Result<Vec<PathBuf>, AppError> {
    let options = CloneOptions { quiet: context.quiet, ..CloneOptions::default() };
    let open = |place: PathBuf| match uri::is_git_url(&place) {
        true => clones::open(&place.to_string_lossy(), options),
        false => Ok(place),
    };
    places.into_iter().map(open).collect()
}

/// Names repositories after their folders; where that is not enough, by more of their paths.
fn named(roots: Vec<PathBuf>) -> Vec<AskedRepository> {
    let name = |root: &PathBuf, parts: usize| -> String {
        let all: Vec<String> = root.components().map(|part| part.as_os_str().to_string_lossy().into_owned()).collect();
        all[all.len().saturating_sub(parts)..].join("/")
    };
    let mut named: Vec<AskedRepository> = Vec::new();
    for root in &roots {
        let is_unique =
            |parts: &usize| roots.iter().filter(|other| name(other, *parts) == name(root, *parts)).count() == 1;
        let parts = (1..=root.components().count()).find(is_unique).unwrap_or(usize::MAX);
        named.push(AskedRepository { name: name(root, parts), root: root.clone() });
    }
    named.sort();
    named
}

/// Asks all repositories. Those that fail or are too slow are named in the answer, which then is
/// that of the others.
pub fn ask<R: SeveralRepositories>(
    context: &CallContext,
    request: &R,
    mut asked: Vec<AskedRepository>,
) -> Result<R::Answer, AppError> {
    if let Some(placed) = &context.placed {
        return ask_placed(context, request, placed);
    }
    let mut missing: Vec<MissingRepository> = Vec::new();
    let mut first_error = None;
    while !asked.is_empty() {
        let names = asked.iter().map(|one| one.name.clone()).collect();
        let shards = ShardGroup::of(asked.len(), PATIENCE);
        let answers = ask_once(context, request, &asked, (names, shards), &[], PATIENCE);
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
fn ask_placed<R: SeveralRepositories>(
    context: &CallContext,
    request: &R,
    placed: &PlacedQuestion,
) -> Result<R::Answer, AppError> {
    let lock = |failed: &Mutex<Vec<(usize, String)>>| failed.lock().unwrap_or_else(PoisonError::into_inner).clone();
    let asked: Vec<AskedRepository> = (placed.own.iter())
        .map(|one| AskedRepository {
            name: placed.names.get(one.number).cloned().unwrap_or_default(),
            root: one.prepared.workspace.root.clone(),
        })
        .collect();
    let prepared: Vec<Arc<PreparedWorkspace>> = placed.own.iter().map(|one| one.prepared.clone()).collect();
    let numbers = placed.own.iter().map(|one| one.number).collect();
    let shards = match placed.link.lock().unwrap_or_else(PoisonError::into_inner).take() {
        Some(link) => ShardGroup::linked(numbers, placed.patience, link),
        None => ShardGroup::of(asked.len(), placed.patience),
    };
    let answers = ask_once(context, request, &asked, (placed.names.clone(), shards), &prepared, placed.patience);
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
            let missing = placed.missing.iter().map(|(repository, reason)| MissingRepository {
                repository: repository.clone(),
                reason: reason.clone(),
            });
            let mut answer = with_missing::<R>(whole, missing.collect());
            answer.metadata().speak_for_several();
            Ok(answer)
        }
        (_, Some((_, reason))) => Err(AppError::new(Code::InternalError, reason.clone(), "ask again in a while")),
        (None, None) => Err(AppError::internal("no repository was asked")),
    }
}

fn with_missing<R: Request>(mut answer: R::Answer, mut missing: Vec<MissingRepository>) -> R::Answer {
    if !missing.is_empty() {
        missing.sort_by(|a, b| a.repository.cmp(&b.repository));
        let metadata = answer.metadata();
        metadata.result_completeness = Some(Completeness::Partial);
        let names = missing.iter().map(|one| format!("{}: {}", one.repository, one.reason));
        let warning = format!("no answer from {}", names.collect::<Vec<_>>().join("; "));
        metadata.warnings.get_or_insert_default().push(Remedy::from(warning).into());
        metadata.missing_repositories = missing;
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

/// Asks each repository in a thread of its own; `None` for those that are too slow.
fn ask_once<R: SeveralRepositories>(
    context: &CallContext,
    request: &R,
    asked: &[AskedRepository],
    (names, shards): (Arc<[String]>, Vec<Shard>),
    prepared: &[Arc<PreparedWorkspace>],
    patience: Duration,
) -> Vec<Option<Result<R::Answer, AppError>>> {
    let shards: Vec<Arc<Shard>> = shards.into_iter().map(Arc::new).collect();
    let (sender, receiver) = mpsc::channel();
    for (number, (one, shard)) in asked.iter().zip(&shards).enumerate() {
        let part = RepositoryPart { shard: shard.clone(), names: names.clone() };
        let context = CallContext {
            workspace: Some(one.root.clone()),
            others: Vec::new(),
            part: Some(part),
            prepared: prepared.get(number).cloned(),
            placed: None,
            quiet: true,
            control: context.control.as_ref().map(|control| Arc::new(control.for_part(&one.root))),
            ..context.clone()
        };
        let (request, sender, shard) = (request.clone(), sender.clone(), shard.clone());
        thread::spawn(move || {
            let mut leaving = Leaving(shard, false);
            let answer = request.answer(&context);
            leaving.1 = answer.is_ok();
            drop(leaving);
            let _ = sender.send((number, answer));
        });
    }
    drop(sender);
    let mut answers: Vec<Option<Result<R::Answer, AppError>>> = asked.iter().map(|_| None).collect();
    let end = Instant::now() + 2 * patience;
    let mut left = asked.len();
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
                if time.is_zero() || !(0..asked.len()).any(is_awaited) {
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
    let Some(part) = &context.part else { return (0..hits.len()).collect() };
    let is_own = |hit: &Hit| hit.repository == part.shard.number();
    let places = hits.iter().enumerate().filter(|(_, hit)| is_own(hit)).map(|(place, _)| place).collect();
    hits.retain(is_own);
    places
}

/// Puts the results of all repositories together, by place; returns as well whether `holds` is true
/// of all of them.
pub fn share(context: &CallContext, own: Vec<SharedHit>, holds: bool) -> Result<(Vec<SharedHit>, bool), AppError> {
    let Some(part) = &context.part else { return Ok((own, holds)) };
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
    let Some(part) = &context.part else { return };
    for view in views {
        let Some(name) = part.names.get(view.hit.repository) else { continue };
        view.repository = Some(name.clone());
        // Text has one name for a file; JSON has two fields.
        if context.format == OutputFormat::Text {
            view.hit.path = format!("{name}:{}", view.hit.path);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repositories_are_named_as_briefly_as_possible() {
        let roots = ["/a/web", "/b/web", "/b/api"].map(PathBuf::from).to_vec();
        let names: Vec<String> = named(roots).into_iter().map(|one| one.name).collect();
        assert_eq!(names, ["a/web", "api", "b/web"]);
    }
}
