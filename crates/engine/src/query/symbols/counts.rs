//! Numbers of a symbol's users, callees and subtypes.

use rustc_hash::FxHashSet;

use crate::error::Result;
use crate::query::hit::Hit;
use crate::query::navigate::Navigator;
use crate::query::navigate::graph::{Follow, Vertex};
use crate::resolve::Symbol;
use serde::{Deserialize, Serialize};

/// The numbers of symbols that are tied to one; proven and likely ties count alike.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SymbolCounts {
    /// Functions, or files outside of functions, that call it.
    pub callers: usize,
    /// Files with these calls.
    pub calling_files: usize,
    /// Uses of any kind.
    pub references: usize,
    /// Types right below it; `None` of what is no type.
    pub subtypes: Option<usize>,
}

/// The numbers about a symbol that take a look at its own code and at tests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TieCounts {
    /// Symbols that it calls.
    pub callees: usize,
    /// Tests that use it.
    pub tests: usize,
}

impl Navigator<'_> {
    /// Counts what is tied to a symbol.
    pub(crate) fn counts(&self, symbol: Symbol) -> Result<SymbolCounts> {
        let links = self.links_into(symbol, Follow::Calls, false)?;
        let callers: FxHashSet<Vertex> = links.iter().map(|link| link.from).collect();
        let files: FxHashSet<_> = links.iter().map(|link| link.used.version).collect();
        let is_type = self.resolver.definition(symbol)?.is_some_and(|(_, definition)| definition.kind.is_type());
        let below = if is_type { Some(self.types_below(symbol)?) } else { None };
        Ok(SymbolCounts {
            callers: callers.len(),
            calling_files: files.len(),
            references: self.uses_of(symbol)?.len(),
            // One type may name another in several places.
            subtypes: below.map(|kin| {
                let known: FxHashSet<_> = kin.iter().filter_map(|kin| kin.symbol).collect();
                known.len() + kin.iter().filter(|kin| kin.symbol.is_none()).count()
            }),
        })
    }

    /// Counts what is tied to the definition that a hit of this view shows; `None` for text.
    pub fn counts_of(&self, hit: &Hit) -> Result<Option<(SymbolCounts, TieCounts)>> {
        let Some(symbol) = self.symbol_of(hit) else { return Ok(None) };
        let callees: FxHashSet<Symbol> = self.links_from(symbol, true)?.iter().map(|link| link.to).collect();
        let mut tests = FxHashSet::default();
        for link in self.links_into(symbol, Follow::Uses, false)? {
            if self.node(link.from)?.is_some_and(|node| node.is_test) {
                tests.insert(link.from);
            }
        }
        Ok(Some((self.counts(symbol)?, TieCounts { callees: callees.len(), tests: tests.len() })))
    }
}
