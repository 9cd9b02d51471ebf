//! Questions to several repositories that each of them answers for itself: those about a symbol or
//! a path go to the repositories that have it, lists are given one after another.

use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::many::{self, AllArgs, AskedRepository};
use super::metadata::{Completeness, MissingRepository};
use super::several::{self, SingleQuestion};
use super::{Answer as _, Request, part_threads};
use crate::error::{AppError, Code};
use crate::remedy::Remedy;
use crate::session::CallContext;

/// The longest time that a question waits for all repositories.
const PATIENCE: Duration = Duration::from_secs(60);
/// Repositories that work at the same time.
const MAX_THREADS: usize = 8;
/// Names that an error suggests.
const MAX_SUGGESTIONS: usize = 10;

/// The way in which a question is put to several repositories.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spread {
    /// All repositories answer it as one.
    Together,
    /// It goes to the repositories that have what it is about.
    Owner,
    /// Each repository answers for itself.
    Each,
    /// It is about one checkout.
    One,
}

/// Answers a question for one repository.
pub type AnswerOne<R> = fn(&CallContext, &R) -> Result<<R as Request>::Answer, AppError>;

/// The answer of one of several repositories.
pub struct RepositoryAnswer<R: Request> {
    /// The name of the repository.
    pub repository: String,
    /// The question as it was put to it.
    pub request: R,
    pub answer: R::Answer,
}

/// An answer, or why there is none for a symbol.
pub enum Given<R: Request> {
    Answer(Box<RepositoryAnswer<R>>),
    Failure { symbol: String, error: AppError },
}

impl<R: Request> Given<R> {
    /// Returns the repository that answered, or the symbol without an answer.
    pub fn name(&self) -> String {
        match self {
            Given::Answer(one) => one.repository.clone(),
            Given::Failure { symbol, .. } => symbol.clone(),
        }
    }
}

/// The answers of several repositories.
pub struct GivenAnswers<R: Request> {
    pub given: Vec<Given<R>>,
    /// True if there is one answer, and could not have been several lists.
    pub is_single: bool,
    /// The repositories that were asked for a list, with the number of what they found.
    counts: Vec<(String, Option<usize>)>,
    missing: Vec<MissingRepository>,
}

impl<R: Request> GivenAnswers<R> {
    /// Returns whether anything was found.
    pub fn is_found(&self) -> bool {
        self.given.iter().any(|one| matches!(one, Given::Answer(one) if one.answer.is_found()))
    }

    /// Returns whether a symbol has no answer.
    pub fn is_failed(&self) -> bool {
        self.given.iter().any(|one| matches!(one, Given::Failure { .. }))
    }

    /// Returns the line that stands before the answer of a repository.
    pub fn heading(&self, of: &Given<R>) -> String {
        let Given::Answer(of) = of else { return String::new() };
        let count = self.counts.iter().find(|(name, _)| *name == of.repository).and_then(|(_, count)| *count);
        let count = count.map(|count| format!(", {count} found")).unwrap_or_default();
        format!("repository: {}{count}\n", of.repository)
    }

    /// Returns the lines behind the answers: where nothing was found, and which repositories gave
    /// no answer.
    pub fn tail(&self, given: &[Given<R>]) -> String {
        let mut tail = String::new();
        let is_listed =
            |name: &str| given.iter().any(|one| matches!(one, Given::Answer(one) if one.repository == name));
        let empty = self.counts.iter().map(|(name, _)| name.as_str()).filter(|name| !is_listed(name));
        let empty = empty.collect::<Vec<_>>().join(", ");
        if !empty.is_empty() {
            tail.push_str(&format!("nothing found in {empty}\n"));
        }
        if !self.missing.is_empty() {
            let missing = self.missing.iter().map(|one| format!("{}: {}", one.repository, one.reason));
            tail.push_str(&format!("not complete; no answer from {}\n", missing.collect::<Vec<_>>().join("; ")));
        }
        tail
    }

    /// Returns the object that holds several answers.
    pub fn object(&self, answers: Vec<Value>) -> Value {
        let mut object = json!({"answers": answers});
        if !self.counts.is_empty() {
            let count = |(name, count): &(String, Option<usize>)| match count {
                Some(count) => json!({"repository": name, "total": count}),
                None => json!({"repository": name}),
            };
            object["repositories"] = self.counts.iter().map(count).collect();
        }
        if !self.missing.is_empty() {
            object["result_completeness"] = json!(Completeness::Partial);
            object["missing_repositories"] = json!(self.missing);
        }
        object
    }
}

/// Returns the repositories that a question is put to one by one, if that is how it is put.
pub fn repositories<R: Request>(context: &CallContext, request: &R) -> Result<Option<Vec<AskedRepository>>, AppError> {
    let spread = request.spread();
    if spread == Spread::One {
        return Ok(None);
    }
    let all = AllArgs { all: context.all };
    let Some(asked) = many::places(context, &all)? else { return Ok(None) };
    // A name with a repository before it is about that one alone.
    let is_selected = || request.clone().subjects().iter().any(|subject| selector(subject, &asked).is_some());
    Ok((spread != Spread::Together || is_selected()).then_some(asked))
}

/// Asks several repositories, for each of the symbols or paths that the question names.
pub fn ask<R: Request>(
    context: &CallContext,
    request: &R,
    asked: &[AskedRepository],
    answer: AnswerOne<R>,
) -> Result<GivenAnswers<R>, AppError> {
    let parts = several::split_subjects(request)?;
    if !parts.is_empty() {
        return ask_parts(context, &parts, asked, answer);
    }
    let found = ask_one(context, request, asked, answer);
    let is_missing = match &found {
        Ok(found) => !found.is_found(),
        Err(error) => several::is_not_found(error),
    };
    let parts = if is_missing { several::split_list(request)? } else { Vec::new() };
    if parts.is_empty() { found } else { ask_parts(context, &parts, asked, answer) }
}

/// Asks about each of several symbols. The question fails only if all of them do.
fn ask_parts<R: Request>(
    context: &CallContext,
    parts: &[SingleQuestion<R>],
    asked: &[AskedRepository],
    answer: AnswerOne<R>,
) -> Result<GivenAnswers<R>, AppError> {
    let mut all = GivenAnswers { given: Vec::new(), is_single: false, counts: Vec::new(), missing: Vec::new() };
    for part in parts {
        match ask_one(context, &part.request, asked, answer) {
            Ok(found) => {
                all.given.extend(found.given);
                all.missing.extend(found.missing);
            }
            Err(error) => all.given.push(Given::Failure { symbol: part.symbol.clone(), error }),
        }
    }
    all.missing.sort_by(|a, b| a.repository.cmp(&b.repository));
    all.missing.dedup_by(|a, b| a.repository == b.repository);
    if all.given.iter().all(|one| matches!(one, Given::Failure { .. }))
        && let Some(Given::Failure { error, .. }) = all.given.drain(..).next()
    {
        return Err(error);
    }
    Ok(all)
}

/// Asks about at most one symbol or path.
fn ask_one<R: Request>(
    context: &CallContext,
    request: &R,
    asked: &[AskedRepository],
    answer: AnswerOne<R>,
) -> Result<GivenAnswers<R>, AppError> {
    let (request, asked) = narrowed(request, asked)?;
    let is_list = request.spread() == Spread::Each;
    let mut all = GivenAnswers { given: Vec::new(), is_single: false, counts: Vec::new(), missing: Vec::new() };
    let (mut without, mut errors) = (Vec::new(), Vec::new());
    for (one, answer) in asked.iter().zip(each(context, &request, &asked, answer)) {
        let repository = one.name().to_string();
        match answer {
            Some(Ok(mut answer)) => {
                answer.metadata().repository = Some(repository.clone());
                if is_list {
                    all.counts.push((repository.clone(), answer.metadata().total_candidates));
                }
                let is_given = if is_list { answer.is_found() } else { answer.is_known() };
                let answer = Box::new(RepositoryAnswer { repository, request: request.clone(), answer });
                if is_given { &mut all.given } else { &mut without }.push(Given::Answer(answer));
            }
            Some(Err(error)) if !is_list && is_elsewhere(&error) => errors.push((repository, error)),
            Some(Err(error)) => {
                all.missing.push(MissingRepository { repository: repository.clone(), reason: error.message.clone() });
                errors.push((repository, error));
            }
            None => all.missing.push(MissingRepository { repository, reason: "it took too long".into() }),
        }
    }
    if all.given.is_empty() && !is_list {
        all.given = without;
    }
    if all.given.is_empty() && all.counts.is_empty() {
        return Err(joined(errors, asked.len()));
    }
    all.is_single = !is_list && all.given.len() == 1;
    if let ([Given::Answer(only)], true) = (&mut all.given[..], all.is_single && !all.missing.is_empty()) {
        let metadata = only.answer.metadata();
        metadata.result_completeness = Some(Completeness::Partial);
        metadata.missing_repositories.clone_from(&all.missing);
    }
    Ok(all)
}

/// Returns whether an error says that a repository has nothing of what is asked about.
fn is_elsewhere(error: &AppError) -> bool {
    several::is_not_found(error) || error.code == Code::WorkspaceNotAllowed
}

/// Joins the errors of repositories that have nothing of what is asked about; if others failed,
/// their error is the more important one.
fn joined(mut errors: Vec<(String, AppError)>, count: usize) -> AppError {
    if let Some(at) = errors.iter().position(|(_, error)| !is_elsewhere(error)) {
        return errors.swap_remove(at).1;
    }
    // One that says more than that the path leads out of a repository.
    errors.sort_by_key(|(_, error)| error.code == Code::WorkspaceNotAllowed);
    let mut suggestions: Vec<String> = Vec::new();
    for (repository, error) in &errors {
        suggestions.extend(error.suggestions.iter().map(|name| format!("`{name}` ({repository})")));
    }
    let too_slow = || AppError::new(Code::IndexInProgress, "no repository answered in time", "ask again in a while");
    let Some((_, mut error)) = errors.into_iter().next() else { return too_slow() };
    if count > 1 {
        error.message = format!("{} in any of {count} repositories", error.message);
    }
    if !suggestions.is_empty() {
        suggestions.truncate(MAX_SUGGESTIONS);
        error.remediation = Remedy::from(format!("did you mean {}?", suggestions.join(", ")));
    }
    error
}

/// Returns the repository that is named before a symbol or a path, as answers print it, and the
/// rest.
fn selector<'a>(subject: &'a str, asked: &'a [AskedRepository]) -> Option<(&'a AskedRepository, &'a str)> {
    let rest = |one: &AskedRepository| {
        let rest = subject.trim().strip_prefix(one.name())?.strip_prefix(':')?;
        // `shop::total` is a member, and `shop:3` a line.
        let is_other =
            rest.is_empty() || rest.starts_with(':') || rest.starts_with(|first: char| first.is_ascii_digit());
        (!is_other).then_some(rest)
    };
    let found = asked.iter().filter_map(|one| Some((one, rest(one)?)));
    found.max_by_key(|(one, _)| one.name().len())
}

/// Returns the question without the names of repositories, and the repositories that it is put to.
fn narrowed<R: Request>(request: &R, asked: &[AskedRepository]) -> Result<(R, Vec<AskedRepository>), AppError> {
    let mut request = request.clone();
    let mut named: Vec<AskedRepository> = Vec::new();
    for subject in request.subjects() {
        if let Some((one, rest)) = selector(subject, asked) {
            let rest = rest.to_string();
            named.push(one.clone());
            *subject = rest;
        }
    }
    named.sort();
    named.dedup();
    match named.len() {
        0 => Ok((request, asked.to_vec())),
        1 => Ok((request, named)),
        _ => {
            let message = "the question is about things in several repositories";
            Err(AppError::invalid(message, "name things of one repository in a question"))
        }
    }
}

/// Answers of repositories, with their places among those that are asked.
type EachAnswer<R> = Vec<Option<Result<<R as Request>::Answer, AppError>>>;

/// Asks each repository for itself; `None` for those that are too slow.
fn each<R: Request>(
    context: &CallContext,
    request: &R,
    asked: &[AskedRepository],
    answer: AnswerOne<R>,
) -> EachAnswer<R> {
    let contexts = asked.iter().map(|one| CallContext {
        workspace: Some(one.root().to_path_buf()),
        others: Vec::new(),
        all: false,
        quiet: true,
        control: context.control.as_ref().map(|control| Arc::new(control.for_part(one.root()))),
        ..context.clone()
    });
    let waiting = Arc::new(Mutex::new(contexts.enumerate().collect::<Vec<_>>().into_iter()));
    let (sender, receiver) = mpsc::channel();
    for _ in 0..asked.len().min(MAX_THREADS) {
        let (request, sender, waiting) = (request.clone(), sender.clone(), Arc::clone(&waiting));
        part_threads::spawn(move || {
            loop {
                let next = waiting.lock().unwrap_or_else(PoisonError::into_inner).next();
                let Some((number, context)) = next else { return };
                if sender.send((number, answer(&context, &request))).is_err() {
                    return;
                }
            }
        });
    }
    drop(sender);
    let mut answers: EachAnswer<R> = asked.iter().map(|_| None).collect();
    let end = Instant::now() + PATIENCE;
    while let Ok((number, answer)) = receiver.recv_timeout(end.saturating_duration_since(Instant::now())) {
        answers[number] = Some(answer);
    }
    answers
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_repository_may_stand_before_a_name() {
        let asked = many::of_roots(&["/x/shop", "/x/shop:old", "/x/bank"]);
        let select =
            |subject: &str| selector(subject, &asked).map(|(one, rest)| (one.name().to_string(), rest.to_string()));
        let found = |name: &str, rest: &str| Some((name.to_string(), rest.to_string()));
        assert_eq!(select("shop:cart.py::total"), found("shop", "cart.py::total"));
        assert_eq!(select("shop:old:cart.py:3"), found("shop:old", "cart.py:3"));
        for other in ["shop", "shop:", "shop:12", "shop::total", "web:cart.py", "cart.py:3"] {
            assert_eq!(select(other), None, "{other}");
        }
    }
}
