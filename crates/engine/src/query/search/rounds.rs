//! The rounds of a question: repositories deliver, and the one who asks ranks.
//!
//! ```text
//! Lookup    names, paths, frames, exact text, counts of terms   -> merged statistics
//! Words     the best chunks by those statistics                 -> the best of all
//! Features  what ranking needs to know of chosen chunks         -> scores
//! Meaning   the nearest chunks by their vectors                 -> the nearest of all
//! Texts     lines and neighbours of the results
//! ```
//!
//! A round is a request to one repository and its reply. Nothing in a reply depends on other
//! repositories except through the request, and nothing is remembered in between but to save work.
//! The ranking is the same code for one repository and for several: a question to one has one part
//! in each round, which is not encoded.

use std::cell::RefCell;
use std::cmp::Ordering;

use rustc_hash::FxHashMap;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::config::IndexConfig;
use crate::error::{Error, Result};
use crate::model::VersionId;
use crate::query::search::answer::SearchOptions;
use crate::query::search::lookup::{Files, Locate, Lookup, SimilarPaths};
use crate::query::search::semantic::Meaning;
use crate::query::search::tested::NamesIn;
use crate::query::search::text_candidates::{Features, Terms, Words};
use crate::query::search::texts::Texts;
use crate::store::Snapshot;
use crate::store::facts::symbols::SymbolRow;
use crate::store::text::bm25f::{Scored, TextStatistics};

/// Repositories that answer a question together.
pub trait Repositories {
    /// Returns how many there are.
    fn count(&self) -> usize;

    /// Puts requests to repositories, by number, and returns their replies in the same order; see
    /// [`AskedRound`]. Fails if one of them does.
    fn ask(&self, requests: Vec<(usize, Vec<u8>)>) -> Result<Vec<Vec<u8>>>;
}

/// A request to one repository.
pub(crate) trait Round: Into<RoundRequest> {
    type Reply: Serialize + DeserializeOwned;

    fn answer(self, shard: &mut Shard<'_>) -> Result<Self::Reply>;
}

/// Lists the rounds.
macro_rules! rounds {
    ($($round:ident),*) => {
        /// A request of any round.
        #[derive(Serialize, Deserialize)]
        pub(crate) enum RoundRequest {
            $($round($round)),*
        }

        $(impl From<$round> for RoundRequest {
            fn from(round: $round) -> RoundRequest {
                RoundRequest::$round(round)
            }
        })*

        impl RoundRequest {
            fn answer(self, shard: &mut Shard<'_>) -> Result<Vec<u8>> {
                match self {
                    $(RoundRequest::$round(round) => encode(&round.answer(shard)?)),*
                }
            }
        }
    };
}
rounds!(Lookup, Files, Words, Features, Meaning, NamesIn, SimilarPaths, Locate, Texts);

/// A request as it came from the one who asks.
#[derive(Serialize, Deserialize)]
pub struct AskedRound {
    /// The question.
    pub query: String,
    request: RoundRequest,
}

impl AskedRound {
    /// Reads a request.
    pub fn read(bytes: &[u8]) -> Result<AskedRound> {
        postcard::from_bytes(bytes).map_err(unreadable)
    }

    /// Returns the name or place that is to be located, if that is the request.
    pub fn symbol(&mut self) -> Option<&mut String> {
        match &mut self.request {
            RoundRequest::Locate(round) => Some(&mut round.symbol),
            _ => None,
        }
    }

    /// Answers it for one repository. `config` says how its files are read.
    pub fn answer(self, snapshot: &Snapshot, options: &SearchOptions, config: &IndexConfig) -> Result<Vec<u8>> {
        let mut shard = Shard::new(snapshot, &self.query, options);
        shard.config = Some(config);
        self.request.answer(&mut shard)
    }
}

fn encode<T: Serialize>(value: &T) -> Result<Vec<u8>> {
    postcard::to_stdvec(value).map_err(unreadable)
}

fn unreadable(error: postcard::Error) -> Error {
    Error::UnreadableRound { detail: error.to_string() }
}

/// One repository, the question to it, and what was found out for it in earlier rounds.
pub(crate) struct Shard<'a> {
    pub snapshot: &'a Snapshot,
    pub query: &'a str,
    pub options: &'a SearchOptions,
    pub config: Option<&'a IndexConfig>,
    scored: Option<Scored<'a>>,
    /// Definitions by name.
    rows: FxHashMap<String, Vec<SymbolRow>>,
    /// Files by the module that they are.
    pub modules: FxHashMap<Vec<String>, Vec<VersionId>>,
}

impl<'a> Shard<'a> {
    pub(crate) fn new(snapshot: &'a Snapshot, query: &'a str, options: &'a SearchOptions) -> Shard<'a> {
        let (rows, modules) = (FxHashMap::default(), FxHashMap::default());
        Shard { snapshot, query, options, config: None, scored: None, rows, modules }
    }

    /// Returns the chunks that hold terms, which are those of the whole question.
    pub(crate) fn scored(&mut self, terms: &Terms) -> Result<&Scored<'a>> {
        let scored = match self.scored.take() {
            Some(scored) => scored,
            None => {
                let own = self.snapshot.view().totals.chunks.max(0) as u64;
                let chunks = terms.counts.as_ref().map_or(own, |counts| counts.chunks);
                let frequencies = terms.counts.as_ref().map(|counts| counts.frequencies.as_slice());
                self.snapshot.score_text_by(&terms.terms, TextStatistics { chunks, frequencies })?
            }
        };
        Ok(self.scored.insert(scored))
    }

    /// Returns the definitions with a name, in any case.
    pub(crate) fn rows(&mut self, name: &str) -> Result<&Vec<SymbolRow>> {
        let rows = match self.rows.remove(name) {
            Some(rows) => rows,
            None => self.snapshot.symbols_named(name)?,
        };
        Ok(self.rows.entry(name.to_string()).or_insert(rows))
    }
}

/// The repositories that are asked.
pub(crate) enum Asked<'a> {
    One(Box<RefCell<Shard<'a>>>),
    Several(&'a dyn Repositories, &'a str),
}

impl<'a> Asked<'a> {
    pub(crate) fn one(snapshot: &'a Snapshot, query: &'a str, options: &'a SearchOptions) -> Asked<'a> {
        Asked::One(Box::new(RefCell::new(Shard::new(snapshot, query, options))))
    }

    /// Returns how many there are.
    pub(crate) fn count(&self) -> usize {
        match self {
            Asked::One(_) => 1,
            Asked::Several(repositories, _) => repositories.count(),
        }
    }

    /// Puts requests to repositories, by number, and returns their replies in the same order.
    pub(crate) fn ask<R: Round>(&self, rounds: Vec<(usize, R)>) -> Result<Vec<R::Reply>> {
        match self {
            Asked::One(shard) => rounds.into_iter().map(|(_, round)| round.answer(&mut shard.borrow_mut())).collect(),
            Asked::Several(..) if rounds.is_empty() => Ok(Vec::new()),
            Asked::Several(repositories, query) => {
                let encoded = rounds.into_iter().map(|(number, round)| {
                    let round = AskedRound { query: query.to_string(), request: round.into() };
                    Ok((number, encode(&round)?))
                });
                let replies = repositories.ask(encoded.collect::<Result<_>>()?)?;
                replies.iter().map(|reply| postcard::from_bytes(reply).map_err(unreadable)).collect()
            }
        }
    }

    /// Puts a request to all of them.
    pub(crate) fn ask_all<R: Round>(&self, round: impl Fn(usize) -> R) -> Result<Vec<R::Reply>> {
        self.ask((0..self.count()).map(|number| (number, round(number))).collect())
    }

    /// Puts the requests for items to those that have any; `round` makes one of a repository's
    /// items. Returns the replies with the numbers of their repositories.
    pub(crate) fn ask_for<T, R: Round>(
        &self,
        items: impl Iterator<Item = (usize, T)>,
        round: impl Fn(usize, Vec<T>) -> R,
    ) -> Result<Vec<(usize, R::Reply)>> {
        let mut lists: Vec<Vec<T>> = (0..self.count()).map(|_| Vec::new()).collect();
        items.for_each(|(number, item)| lists[number].push(item));
        let rounds = lists.into_iter().enumerate().filter(|(_, items)| !items.is_empty());
        let rounds: Vec<(usize, R)> = rounds.map(|(number, items)| (number, round(number, items))).collect();
        let numbers: Vec<usize> = rounds.iter().map(|(number, _)| *number).collect();
        Ok(numbers.into_iter().zip(self.ask(rounds)?).collect())
    }
}

/// Merges the lists of repositories, each of which is in its order, and keeps the first `limit`
/// items, with the numbers of their repositories. Equal ones are taken in the order of these.
pub(crate) fn merged<T>(mut lists: Vec<Vec<T>>, compare: impl Fn(&T, &T) -> Ordering, limit: usize) -> Vec<(usize, T)> {
    if let [only] = &mut lists[..] {
        return std::mem::take(only).into_iter().take(limit).map(|item| (0, item)).collect();
    }
    let mut order: Vec<(usize, usize)> =
        lists.iter().enumerate().flat_map(|(list, items)| (0..items.len()).map(move |at| (list, at))).collect();
    order.sort_by(|a, b| compare(&lists[a.0][a.1], &lists[b.0][b.1]).then_with(|| a.0.cmp(&b.0)));
    let mut items: Vec<_> = lists.into_iter().map(Vec::into_iter).collect();
    order.into_iter().take(limit).filter_map(|(list, _)| Some((list, items[list].next()?))).collect()
}

/// Returns the sums of what repositories have, place by place.
pub(crate) fn sums(parts: impl IntoIterator<Item = Vec<u64>>) -> Vec<u64> {
    let mut sums: Vec<u64> = Vec::new();
    for part in parts {
        sums.resize(sums.len().max(part.len()), 0);
        sums.iter_mut().zip(part).for_each(|(sum, count)| *sum += count);
    }
    sums
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_of_all_are_kept_in_the_order_of_repositories() {
        let lists = vec![vec![9, 5, 5, 1], vec![7, 5], vec![], vec![8, 5, 4]];
        let best = merged(lists, |a, b| b.cmp(a), 6);
        assert_eq!(best, [(0, 9), (3, 8), (1, 7), (0, 5), (0, 5), (1, 5)]);
        assert_eq!(merged(vec![vec![1, 3, 2]], |a, b| b.cmp(a), 2), [(0, 1), (0, 3)]);
    }
}
