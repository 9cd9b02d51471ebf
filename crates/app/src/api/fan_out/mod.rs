//! Questions about several symbols, and to several repositories.
//!
//! ```text
//!                     ┌─> one answer: of the only repository, or of all as one (../rounds.rs)
//! ask ── each symbol ─┤
//!        (symbols.rs) └─> one of each repository that has it (each.rs, selectors.rs)
//! ```
//!
//! Repositories are checkouts of this machine (`checkouts.rs`) or those of the nodes of a cluster.

pub mod answers;
pub mod checkouts;
mod each;
mod selectors;
mod symbols;
pub mod threads;

use self::answers::{Answers, Given, Reply, ReplyBody};
use super::any::AnyQuestion;
pub use super::any::Spread;
use crate::error::AppError;
use crate::session::MissingRepository;

/// The repositories that a question is put to. `subject` is the symbol or path that it is about,
/// where it names several.
pub trait Repositories {
    type Body: ReplyBody;

    /// Returns the names of the repositories, unless there is only one to ask.
    fn names(&self) -> Option<Vec<String>>;

    /// Returns the repositories that cannot be asked, and why.
    fn missing(&self) -> Vec<MissingRepository> {
        Vec::new()
    }

    /// Returns the answer of the only repository, or of all as one.
    fn ask_as_one(&self, subject: Option<&str>) -> Result<Reply<Self::Body>, AppError>;

    /// Has the repositories with these numbers answer for themselves.
    fn ask_each(&self, subject: Option<&str>, numbers: &[usize]) -> Result<EachReply<Self::Body>, AppError>;
}

/// The replies of repositories; `None` for those that are too slow.
pub type EachReply<B> = Vec<Option<Result<Reply<B>, AppError>>>;

/// Returns the question about one of the symbols or paths that it names, without the name of the
/// repository before it.
pub fn part(request: &dyn AnyQuestion, subject: Option<&str>, repository: Option<&str>) -> Box<dyn AnyQuestion> {
    let request = symbols::about(request, subject);
    match repository {
        Some(name) => selectors::without_name(request, name),
        None => request,
    }
}

/// Asks a question for each of the symbols that it names, and of each repository that it is about.
pub fn ask<P: Repositories + ?Sized>(request: &dyn AnyQuestion, of: &P) -> Result<Answers<P::Body>, AppError> {
    let apart = match request.spread() {
        Spread::One => None,
        Spread::Owner | Spread::Each => of.names(),
        // A name with a repository before it is about that one alone.
        Spread::Together => of.names().filter(|names| selectors::is_selected(request, names)),
    };
    let ask_one = |subject: Option<&str>| match &apart {
        Some(names) => each::ask(request, subject, of, names),
        None => of.ask_as_one(subject).map(Answers::single),
    };
    let subjects = symbols::named(request, apart.is_some())?;
    if !subjects.is_empty() {
        return ask_parts(&subjects, ask_one);
    }
    let found = ask_one(None);
    let is_missing = match &found {
        Ok(found) => !found.is_found(),
        Err(error) => symbols::is_not_found(error),
    };
    let subjects = if is_missing { symbols::listed(request)? } else { Vec::new() };
    if subjects.is_empty() { found } else { ask_parts(&subjects, ask_one) }
}

/// Asks about each of several symbols. The question fails only if all of them do.
fn ask_parts<B>(
    subjects: &[String],
    ask_one: impl Fn(Option<&str>) -> Result<Answers<B>, AppError>,
) -> Result<Answers<B>, AppError> {
    let mut all = Answers::default();
    for subject in subjects {
        match ask_one(Some(subject)) {
            Ok(mut found) => {
                let unnamed = found.given.iter_mut().filter(|one| !one.is_of_repository());
                unnamed.for_each(|one| one.name.clone_from(subject));
                all.given.extend(found.given);
                all.missing.extend(found.missing);
            }
            Err(error) => all.given.push(Given { name: subject.clone(), reply: Err(error) }),
        }
    }
    all.missing.sort();
    all.missing.dedup_by(|a, b| a.repository == b.repository);
    if all.given.iter().all(|one| one.reply.is_err())
        && let Some(Given { reply: Err(error), .. }) = all.given.drain(..).next()
    {
        return Err(error);
    }
    Ok(all)
}
