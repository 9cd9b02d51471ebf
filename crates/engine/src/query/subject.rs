//! What a SYMBOL argument means, for questions about one symbol.

use super::locate::{self, LocateOptions, MatchClass};
use super::{Filter, Hit};
use crate::error::{Error, Result};
use crate::resolve::Symbol;
use crate::store::Snapshot;

/// The symbol that a question is about, and what else its argument could mean.
#[derive(Clone, Debug, PartialEq)]
pub struct Subject {
    /// The best meaning.
    pub hit: Hit,
    /// Other definitions that the argument could mean, best first; at most 19.
    pub others: Vec<Hit>,
    /// How many there are in all, the best one included.
    pub total: usize,
}

/// Items of a list that may be longer than what is shown.
#[derive(Clone, Debug, PartialEq)]
pub struct Listed<T> {
    /// At most as many as were asked for.
    pub items: Vec<T>,
    /// How many there are.
    pub total: usize,
}

impl<T> Default for Listed<T> {
    fn default() -> Self {
        Listed { items: Vec::new(), total: 0 }
    }
}

impl<T> Listed<T> {
    pub(super) fn new(mut items: Vec<T>, limit: usize) -> Listed<T> {
        let total = items.len();
        items.truncate(limit);
        Listed { items, total }
    }

    /// How many are left out.
    pub fn left_out(&self) -> usize {
        self.total.saturating_sub(self.items.len())
    }
}

/// Finds the definition that `symbol` means best: exactly that name, or the name in another case.
pub(super) fn subject(snapshot: &Snapshot, symbol: &str, filter: &Filter) -> Result<(Subject, Symbol)> {
    let found = locate::locate(snapshot, symbol, &LocateOptions { filter: filter.clone(), limit: 20 })?;
    let is_exact = found.class.is_some_and(|class| class <= MatchClass::CaseInsensitive);
    let mut hits = found.hits.into_iter();
    let best = hits.next().filter(|_| is_exact);
    match best.and_then(|hit| symbol_of(snapshot, &hit).map(|symbol| (hit, symbol))) {
        Some((hit, symbol)) => Ok((Subject { hit, others: hits.collect(), total: found.total }, symbol)),
        None => {
            let suggestions = locate::suggestions(snapshot, symbol)?;
            Err(Error::SymbolNotFound { symbol: symbol.to_string(), suggestions })
        }
    }
}

/// The definition that a hit shows.
pub(super) fn symbol_of(snapshot: &Snapshot, hit: &Hit) -> Option<Symbol> {
    let ordinal = hit.symbol_id.rsplit('.').next()?.parse().ok()?;
    Some(Symbol { version: snapshot.version_at(&hit.path)?, ordinal })
}
