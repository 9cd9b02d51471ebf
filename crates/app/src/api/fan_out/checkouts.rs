//! The repositories of this machine: which of them a question means, how they are named, and the
//! threads in which they answer for themselves.

use std::path::{Path, PathBuf};
use std::time::Duration;

use codecompass_engine::{Error as EngineError, KnownStore, known_stores, scan};

use super::answers::{Reply, ReplyBody};
use super::{EachReply, Repositories, Spread, selectors, symbols, threads};
use crate::api::any::{AnyAnswer, AnyQuestion};
use crate::clones::{self, CloneOptions};
use crate::error::{AppError, Code};
use crate::remedy::{Audience, Remedy};
use crate::session::{self, AskedRepository, CallContext, MissingRepository, RepositoryChoice, Scope};
use crate::{settings, uri};

/// The most repositories of one question.
const MAX_REPOSITORIES: usize = 200;
/// The longest time that a question waits for all repositories.
const PATIENCE: Duration = Duration::from_secs(60);
/// Repositories that work at the same time.
const MAX_THREADS: usize = 8;

/// A question to the repositories of this machine.
pub struct Checkouts<'a> {
    context: &'a CallContext,
    request: &'a dyn AnyQuestion,
    audience: Audience,
    /// Those that are asked, unless it is one.
    several: Option<Vec<AskedRepository>>,
}

impl ReplyBody for Box<dyn AnyAnswer> {
    fn note_missing(&mut self, missing: &[MissingRepository]) {
        self.metadata().note_missing(missing);
    }
}

impl From<Box<dyn AnyAnswer>> for Reply<Box<dyn AnyAnswer>> {
    fn from(mut answer: Box<dyn AnyAnswer>) -> Reply<Box<dyn AnyAnswer>> {
        let (is_found, is_known) = (answer.is_found(), answer.is_known());
        let total = answer.metadata().total_candidates;
        Reply { repository: None, is_found, is_known, total, body: answer }
    }
}

impl<'a> Checkouts<'a> {
    /// Finds the repositories that a question is about.
    pub fn new(
        context: &'a CallContext,
        request: &'a dyn AnyQuestion,
        audience: Audience,
    ) -> Result<Checkouts<'a>, AppError> {
        let several = match &context.scope {
            Scope::Several(choice) if request.spread() != Spread::One => Some(chosen(context, choice)?),
            _ => None,
        };
        Ok(Checkouts { context, request, audience, several })
    }
}

impl Repositories for Checkouts<'_> {
    type Body = Box<dyn AnyAnswer>;

    fn names(&self) -> Option<Vec<String>> {
        self.several.as_ref().map(|several| several.iter().map(|one| one.name.clone()).collect())
    }

    fn ask_as_one(&self, subject: Option<&str>) -> Result<Reply<Box<dyn AnyAnswer>>, AppError> {
        let request = symbols::about(self.request, subject);
        let several = self.several.clone().map(|found| Scope::Several(RepositoryChoice::Found(found)));
        let scope = several.unwrap_or_else(|| self.context.scope.clone());
        request.answer(&CallContext { scope, ..self.context.clone() }, self.audience).map(Reply::from)
    }

    fn ask_each(&self, subject: Option<&str>, numbers: &[usize]) -> Result<EachReply<Box<dyn AnyAnswer>>, AppError> {
        let request = symbols::about(self.request, subject);
        let asked = numbers.iter().filter_map(|number| self.several.as_ref()?.get(*number));
        let job = |asked: &AskedRepository| {
            let (audience, name) = (self.audience, asked.name.clone());
            let context = self.context.for_repository(&asked.root, Scope::checkout(asked.root.clone()));
            let request = selectors::without_name(request.copied(), &name);
            move || {
                request.answer(&context, audience).map(|mut answer| {
                    answer.metadata().repository = Some(name);
                    Reply::from(answer)
                })
            }
        };
        Ok(threads::run(asked.map(job).collect(), MAX_THREADS, PATIENCE))
    }
}

/// Returns the repositories that a choice means, by name.
pub(in crate::api) fn chosen(
    context: &CallContext,
    choice: &RepositoryChoice,
) -> Result<Vec<AskedRepository>, AppError> {
    let mut roots = Vec::new();
    match choice {
        RepositoryChoice::Found(found) => return Ok(found.clone()),
        RepositoryChoice::Indexed => {
            let home = settings::homes()?.data;
            roots.extend(known_stores(&home).iter().flat_map(|store| last_used(&home, store)));
        }
        RepositoryChoice::Named(given) => {
            for place in given {
                // A server has no groups: what may be asked about is its own decision.
                let places = match session::group(place).filter(|_| context.control.is_none()) {
                    Some(name) => opened(context, settings::group(name)?)?,
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
    Ok(named(roots))
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
