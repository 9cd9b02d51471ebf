//! Questions that each repository answers for itself: those about a symbol or a path go to the
//! repositories that have it, lists are given one after another.

use super::answers::{Answers, Given, ReplyBody as _};
use super::{Repositories, Spread, selectors, symbols};
use crate::api::any::AnyQuestion;
use crate::error::{AppError, Code};
use crate::remedy::Remedy;
use crate::session::MissingRepository;

/// Names that an error suggests.
const MAX_SUGGESTIONS: usize = 10;

/// Asks about at most one symbol or path.
pub(super) fn ask<P: Repositories + ?Sized>(
    request: &dyn AnyQuestion,
    subject: Option<&str>,
    of: &P,
    names: &[String],
) -> Result<Answers<P::Body>, AppError> {
    let numbers = selectors::selected(&*symbols::about(request, subject), names)?;
    let is_list = request.spread() == Spread::Each;
    let mut all = Answers { missing: of.missing(), ..Answers::default() };
    let (mut without, mut errors) = (Vec::new(), Vec::new());
    for (number, answer) in numbers.iter().zip(of.ask_each(subject, &numbers)?) {
        let repository = names[*number].clone();
        match answer {
            Some(Ok(mut reply)) => {
                if is_list {
                    all.counts.push((repository.clone(), reply.total));
                }
                reply.repository = Some(repository.clone());
                let is_given = if is_list { reply.is_found } else { reply.is_known };
                let one = Given { name: repository, reply: Ok(reply) };
                if is_given { &mut all.given } else { &mut without }.push(one);
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
        return Err(joined(errors, numbers.len()));
    }
    all.missing.sort();
    all.is_single = !is_list && all.given.len() == 1;
    if let ([Given { reply: Ok(only), .. }], true) = (&mut all.given[..], all.is_single && !all.missing.is_empty()) {
        only.body.note_missing(&all.missing);
    }
    Ok(all)
}

/// Returns whether an error says that a repository has nothing of what is asked about.
fn is_elsewhere(error: &AppError) -> bool {
    symbols::is_not_found(error) || error.code == Code::WorkspaceNotAllowed
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
