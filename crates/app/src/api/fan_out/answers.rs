//! The answers to a question about several symbols, or to several repositories.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::api::metadata::Completeness;
use crate::error::AppError;
use crate::session::MissingRepository;

/// Repositories without results that are named.
const MAX_EMPTY: usize = 50;

/// The content of a reply.
pub trait ReplyBody {
    /// Notes that other repositories gave no answer.
    fn note_missing(&mut self, missing: &[MissingRepository]);
}

/// The answer of one repository, or of several as one.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Reply<B> {
    /// The name of the repository, where several answer for themselves.
    pub repository: Option<String>,
    /// True if anything was found.
    pub is_found: bool,
    /// True if what is asked about is there, whatever was found.
    pub is_known: bool,
    /// The number of what was found.
    pub total: Option<usize>,
    pub body: B,
}

/// An answer, or why there is none for a symbol.
pub struct Given<B> {
    /// The repository that answered, or else the symbol, where the question names several.
    pub name: String,
    pub reply: Result<Reply<B>, AppError>,
}

impl<B> Given<B> {
    /// Returns whether it is of a repository that answers for itself.
    pub(super) fn is_of_repository(&self) -> bool {
        self.reply.as_ref().is_ok_and(|reply| reply.repository.is_some())
    }
}

/// The answers to a question.
pub struct Answers<B> {
    pub given: Vec<Given<B>>,
    /// True if there is one answer, and could not have been several lists.
    pub is_single: bool,
    /// The repositories that were asked for a list, with the number of what they found.
    pub(super) counts: Vec<(String, Option<usize>)>,
    pub(super) missing: Vec<MissingRepository>,
}

// Written out, since a derived one would ask for a default of `B`, too.
impl<B> Default for Answers<B> {
    fn default() -> Answers<B> {
        Answers { given: Vec::new(), is_single: false, counts: Vec::new(), missing: Vec::new() }
    }
}

impl<B> Answers<B> {
    /// Returns the only answer.
    pub fn single(reply: Reply<B>) -> Answers<B> {
        let given = vec![Given { name: String::new(), reply: Ok(reply) }];
        Answers { given, is_single: true, ..Answers::default() }
    }

    /// Returns the replies.
    pub fn replies(&mut self) -> impl Iterator<Item = &mut Reply<B>> {
        self.given.iter_mut().flat_map(|one| &mut one.reply)
    }

    /// Returns whether anything was found.
    pub fn is_found(&self) -> bool {
        self.given.iter().flat_map(|one| &one.reply).any(|reply| reply.is_found)
    }

    /// Returns whether a symbol has no answer.
    pub fn is_failed(&self) -> bool {
        self.given.iter().any(|one| one.reply.is_err())
    }

    /// Returns whether repositories answer for themselves.
    pub fn are_of_repositories(&self) -> bool {
        !self.counts.is_empty() || self.given.iter().any(Given::is_of_repository)
    }

    /// Returns the line that stands before the answer of a repository.
    pub fn heading(&self, of: &Given<B>) -> String {
        if !of.is_of_repository() {
            return String::new();
        }
        let name = &of.name;
        let count = self.counts.iter().find(|(known, _)| known == name).and_then(|(_, count)| *count);
        let count = count.map(|count| format!(", {count} found")).unwrap_or_default();
        format!("repository: {name}{count}\n")
    }

    /// Returns the lines behind the answers: where nothing was found, and which repositories gave
    /// no answer.
    pub fn tail(&self) -> String {
        let mut tail = String::new();
        let is_listed = |name: &str| self.given.iter().any(|one| one.reply.is_ok() && one.name == name);
        let empty = self.counts.iter().map(|(name, _)| name.as_str()).filter(|name| !is_listed(name));
        let empty: Vec<&str> = empty.collect();
        if !empty.is_empty() {
            let more = match empty.len().checked_sub(MAX_EMPTY) {
                Some(more) if more > 0 => format!(", and {more} more"),
                _ => String::new(),
            };
            let named = empty.iter().take(MAX_EMPTY).copied().collect::<Vec<_>>().join(", ");
            tail.push_str(&format!("nothing found in {named}{more}\n"));
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
            let mut empty = 0;
            let is_named = |(_, count): &&(String, Option<usize>)| {
                empty += usize::from(*count == Some(0));
                *count != Some(0) || empty <= MAX_EMPTY
            };
            object["repositories"] = self.counts.iter().filter(is_named).map(count).collect();
            if empty > MAX_EMPTY {
                object["other_repositories"] = json!(empty - MAX_EMPTY);
            }
        }
        if !self.missing.is_empty() {
            object["result_completeness"] = json!(Completeness::Partial);
            object["missing_repositories"] = json!(self.missing);
        }
        object
    }
}
