//! One question to several repositories, answered as if all files were in one: round by round, each
//! repository delivers what it has, and the answer is ranked here; see
//! [`Repositories`].
//!
//! A repository that fails or is too slow in any round is left out, and the others are asked again.

use std::borrow::Cow;
use std::cell::{Cell, OnceCell, RefCell};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use codecompass_engine::query::{AskedRound, Navigator, Repositories, SearchOptions};
use codecompass_engine::{Error as EngineError, Snapshot};

use super::arguments::symbol;
use super::fan_out::{checkouts, threads};
use super::views::HitView;
use super::{Answer as _, Request};
use crate::error::{AppError, Code};
use crate::remedy::Remedy;
use crate::session::{
    AskedRepository, CallContext, MissingRepository, OtherRepositories, OutputFormat, Place, PlacedQuestion,
    RepositoryChoice, Scope, Session,
};

/// The longest time for one round. A repository that is indexed for the first time may take longer;
/// it is then left out.
const ROUND_TIMEOUT: Duration = Duration::from_secs(30);

/// A question that several repositories can answer together.
pub trait SeveralRepositories: Request {
    /// The results without metadata.
    type Found;

    /// Opens a repository.
    fn session(&self, context: &CallContext) -> Result<Session, AppError>;

    /// Returns the options with which a repository answers rounds.
    fn options(&self, session: &Session) -> Result<SearchOptions, AppError>;

    /// Finds the results of several repositories.
    fn find_in_several(
        &self,
        context: &CallContext,
        repositories: &dyn Repositories,
    ) -> Result<Self::Found, EngineError>;

    /// Makes an answer of results. `names` are those of several repositories, and the session is
    /// that of the first of them which is here.
    fn answer_with(
        &self,
        context: &CallContext,
        session: &Session,
        found: Self::Found,
        names: &[String],
    ) -> Result<Self::Answer, AppError>;
}

/// Asks all repositories. Those that fail or are too slow are named in the answer, which then is
/// that of the others.
pub fn ask<R: SeveralRepositories>(
    context: &CallContext,
    request: &R,
    choice: &RepositoryChoice,
) -> Result<R::Answer, AppError> {
    let open = |one: AskedRepository| {
        let scope = Scope::Shard(Place::Checkout(Some(one.root.clone())));
        (one.name.clone(), Arc::new(OwnRepository::new(context.for_repository(&one.root, scope))))
    };
    let mut asked: Vec<(String, Arc<OwnRepository>)> =
        checkouts::chosen(context, choice)?.into_iter().map(open).collect();
    let mut missing: Vec<MissingRepository> = Vec::new();
    let mut first_error = None;
    while !asked.is_empty() {
        let names: Vec<String> = asked.iter().map(|(name, _)| name.clone()).collect();
        let own = asked.iter().map(|(_, own)| Some(own.clone())).collect();
        let repositories = RoundRepositories::new(request, own, None);
        let answer = repositories.answer(context, &names);
        let failed = repositories.failed.take();
        if failed.is_empty() {
            return answer.map(|answer| with_missing::<R>(answer, missing));
        }
        // What was counted for those that failed must not count: the others are asked again.
        asked.retain(|(name, _)| failed.iter().all(|(number, _)| names[*number] != *name));
        for (number, error) in failed {
            let reason = error.as_ref().map_or("it took too long".to_string(), |error| error.message.clone());
            missing.push(MissingRepository { repository: names[number].clone(), reason });
            first_error = first_error.or(error);
        }
    }
    let too_slow = || AppError::new(Code::IndexInProgress, "no repository answered in time", "ask again in a while");
    Err(first_error.unwrap_or_else(too_slow))
}

/// Asks repositories of which others may be in other processes. If one of them fails, there is no
/// answer, and the question says which of those that are here did.
pub fn ask_placed<R: SeveralRepositories>(
    context: &CallContext,
    request: &R,
    placed: &PlacedQuestion,
) -> Result<R::Answer, AppError> {
    let mut own: Vec<Option<Arc<OwnRepository>>> = placed.names.iter().map(|_| None).collect();
    for one in &placed.own {
        let scope = Scope::Shard(Place::Commit(one.prepared.clone()));
        let context = context.for_repository(&one.prepared.workspace.root, scope);
        own[one.number] = Some(Arc::new(OwnRepository::new(context)));
    }
    let repositories = RoundRepositories::new(request, own, placed.others.clone());
    let answer = repositories.answer(context, &placed.names);
    for (number, error) in repositories.failed.take() {
        if repositories.own[number].is_some() {
            let reason = error.map_or("it took too long".to_string(), |error| error.message);
            placed.failed.lock().unwrap_or_else(PoisonError::into_inner).push((number, reason));
        }
    }
    answer.map(|answer| with_missing::<R>(answer, placed.missing.clone()))
}

/// Answers a round for one repository.
pub fn answer<R: SeveralRepositories>(request: &R, context: &CallContext, round: &[u8]) -> Result<Vec<u8>, AppError> {
    OwnRepository::new(context.clone()).answer(request, round)
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
    answer.metadata().speak_for_several();
    answer
}

/// Adds the roles that endpoints and services tell to the options, where roles are restricted.
pub fn told<'o>(
    session: &Session,
    snapshot: &Snapshot,
    options: &'o SearchOptions,
) -> Result<Cow<'o, SearchOptions>, EngineError> {
    if options.roles.is_empty() {
        return Ok(Cow::Borrowed(options));
    }
    let engine = &session.engine;
    let navigator = Navigator::new(snapshot).reading(engine.source(), &engine.config().index);
    let roles = options.roles.clone().with_program(&navigator)?;
    Ok(Cow::Owned(SearchOptions { roles, ..options.clone() }))
}

/// Notes the repositories of results, where there are several.
pub fn name_repositories<'a>(names: &[String], format: OutputFormat, views: impl Iterator<Item = &'a mut HitView>) {
    for view in views {
        let Some(name) = names.get(view.hit.repository) else { continue };
        view.repository = Some(name.clone());
        // Text has one name for a file; JSON has two fields.
        if format == OutputFormat::Text {
            view.hit.path = format!("{name}:{}", view.hit.path);
        }
    }
}

/// A repository of this process, which stays open from round to round.
struct OwnRepository {
    context: CallContext,
    open: Mutex<Option<OpenRepository>>,
}

struct OpenRepository {
    session: Session,
    options: SearchOptions,
    /// The options with the roles that endpoints and services tell.
    told: OnceCell<SearchOptions>,
}

impl OwnRepository {
    fn new(context: CallContext) -> OwnRepository {
        OwnRepository { context, open: Mutex::new(None) }
    }

    fn lock(&self) -> MutexGuard<'_, Option<OpenRepository>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn answer<R: SeveralRepositories>(&self, request: &R, round: &[u8]) -> Result<Vec<u8>, AppError> {
        let mut open = self.lock();
        if open.is_none() {
            let session = request.session(&self.context)?;
            let options = request.options(&session)?;
            *open = Some(OpenRepository { session, options, told: OnceCell::new() });
        }
        open.as_ref().map_or_else(|| Err(AppError::internal("it is not open")), |open| open.answer(round))
    }
}

impl OpenRepository {
    fn answer(&self, round: &[u8]) -> Result<Vec<u8>, AppError> {
        let mut asked = AskedRound::read(round)?;
        let meant = asked.symbol().map(|given| symbol(&self.session, given)).transpose()?;
        self.session.ask_held(|snapshot| {
            let mut asked = AskedRound::read(round)?;
            if let (Some(given), Some(meant)) = (asked.symbol(), &meant) {
                given.clone_from(meant);
            }
            asked.answer(snapshot, self.told(snapshot)?, &self.session.engine.config().index)
        })
    }

    /// Returns the options with the roles that this state tells, which are found out once.
    fn told(&self, snapshot: &Snapshot) -> Result<&SearchOptions, EngineError> {
        if let Some(told) = self.told.get() {
            return Ok(told);
        }
        let told = told(&self.session, snapshot, &self.options)?.into_owned();
        Ok(self.told.get_or_init(|| told))
    }
}

impl Drop for OpenRepository {
    fn drop(&mut self) {
        self.session.release();
    }
}

/// The repositories of a question, which may be in several processes.
struct RoundRepositories<R> {
    request: Arc<R>,
    /// Those of this process, by number.
    own: Vec<Option<Arc<OwnRepository>>>,
    others: Option<Arc<dyn OtherRepositories>>,
    /// False before the first round, which may have to wait for an index.
    is_open: Cell<bool>,
    /// The numbers of those that failed, and why; no error if it took too long.
    failed: RefCell<Vec<(usize, Option<AppError>)>>,
}

/// The reply of a repository, by number.
type RoundReply = (usize, Result<Vec<u8>, AppError>);

impl<R: SeveralRepositories> RoundRepositories<R> {
    fn new(
        request: &R,
        own: Vec<Option<Arc<OwnRepository>>>,
        others: Option<Arc<dyn OtherRepositories>>,
    ) -> RoundRepositories<R> {
        let (is_open, failed) = (Cell::new(false), RefCell::default());
        RoundRepositories { request: Arc::new(request.clone()), own, others, is_open, failed }
    }

    fn answer(&self, context: &CallContext, names: &[String]) -> Result<R::Answer, AppError> {
        let found = self.request.find_in_several(context, self)?;
        let first = self.own.iter().flatten().next().map(|own| own.lock());
        match first.as_deref() {
            Some(Some(open)) => self.request.answer_with(context, &open.session, found, names),
            _ => Err(AppError::internal("no repository was asked")),
        }
    }
}

impl<R: SeveralRepositories> Repositories for RoundRepositories<R> {
    fn count(&self) -> usize {
        self.own.len()
    }

    fn ask(&self, requests: Vec<(usize, Vec<u8>)>) -> Result<Vec<Vec<u8>>, EngineError> {
        let numbers: Vec<usize> = requests.iter().map(|(number, _)| *number).collect();
        let mut jobs: Vec<Box<dyn FnOnce() -> Vec<RoundReply> + Send>> = Vec::new();
        let mut elsewhere = Vec::new();
        for (number, round) in requests {
            let Some(own) = self.own[number].clone() else {
                elsewhere.push((number, round));
                continue;
            };
            let request = self.request.clone();
            jobs.push(Box::new(move || vec![(number, own.answer(&*request, &round))]));
        }
        let width = if self.is_open.replace(true) { threads::cores() } else { jobs.len() };
        if let Some(others) = self.others.clone().filter(|_| !elsewhere.is_empty()) {
            jobs.insert(0, Box::new(move || others.ask(elsewhere)));
        }
        let mut replies: Vec<Option<Result<Vec<u8>, AppError>>> = self.own.iter().map(|_| None).collect();
        for (number, reply) in threads::run(jobs, width + 1, ROUND_TIMEOUT).into_iter().flatten().flatten() {
            if let Some(slot) = replies.get_mut(number) {
                *slot = Some(reply);
            }
        }
        let mut delivered = Vec::with_capacity(numbers.len());
        for number in numbers {
            match replies[number].take() {
                Some(Ok(reply)) => delivered.push(reply),
                failed => self.failed.borrow_mut().push((number, failed.and_then(Result::err))),
            }
        }
        if self.failed.borrow().is_empty() { Ok(delivered) } else { Err(EngineError::Cancelled) }
    }
}
