//! Names that were not resolved and the few definitions that each may mean: graphs and chains
//! follow them, marked as possible.

use std::sync::Arc;

use codecompass_syntax::Language;
use codecompass_syntax::facts::{Kind, RefKind};
use rustc_hash::FxHashMap;

use crate::error::Result;
use crate::query::navigate::graph::{Follow, Link, Vertex, user_at};
use crate::query::navigate::memo::{CalleeCandidates, RankedSymbols};
use crate::query::navigate::use_sites::UseClass;
use crate::query::navigate::{Navigator, Use};
use crate::resolve::{Confidence, FileView, Resolution, ResolutionEvidence, Symbol, language_of};

/// Candidates that are kept of a name with many.
const MAX_KEPT: usize = 10;
/// Definitions of one name that are looked at one by one.
const MAX_NAMED: usize = 60;

impl Navigator<'_> {
    /// Returns the definitions that a reference may mean which was not resolved; none for one that
    /// was. Code of tests, and code that others wrote, is no candidate for a use elsewhere where
    /// there is another.
    pub(crate) fn candidates_at(&self, file: &FileView, number: u32) -> Result<Arc<CalleeCandidates>> {
        let key = (file.version, number);
        if let Some(known) = self.memo.candidates.borrow().get(&key) {
            return Ok(Arc::clone(known));
        }
        let is_open = matches!(
            &*self.meaning(file, number)?,
            Resolution::Overloaded { .. } | Resolution::Ambiguous(_) | Resolution::Unknown | Resolution::External
        );
        let reference = file.uses.references.get(number as usize).filter(|_| is_open);
        let found = match reference {
            Some(reference) => Arc::new(self.find_candidates(file, number, file.name(reference.name))?),
            None => Arc::default(),
        };
        self.memo.candidates.borrow_mut().insert(key, Arc::clone(&found));
        Ok(found)
    }

    fn find_candidates(&self, file: &FileView, number: u32, name: &str) -> Result<CalleeCandidates> {
        let user = self.rank(file.version)?;
        let ranked = self.ranked_named(name, file.language.group())?;
        let best = ranked.iter().map(|(rank, _)| *rank).min().unwrap_or_default();
        let near: Vec<Symbol> =
            ranked.iter().filter(|(rank, _)| *rank <= user.max(best)).map(|(_, symbol)| *symbol).collect();
        if near.len() > MAX_NAMED {
            return Ok(CalleeCandidates { symbols: Vec::new(), total: near.len() });
        }
        let mut symbols: Vec<Symbol> = Vec::new();
        for symbol in near {
            let found = self.resolver.definition(symbol)?;
            let is_meant = found.is_some_and(|(_, definition)| !matches!(definition.kind, Kind::Module | Kind::Impl));
            let is_known = |known: &Symbol| self.claim(*known).map(|claim| claim.own.contains(&symbol));
            let mut known = false;
            for other in &symbols {
                known |= is_known(other)?;
            }
            if is_meant && !known && self.may_be_meant(symbol, file, number)? {
                symbols.push(symbol);
            }
        }
        let total = symbols.len();
        symbols.truncate(MAX_KEPT);
        Ok(CalleeCandidates { symbols, total })
    }

    /// Returns the definitions of a name in a group of languages, in the order of paths and places,
    /// with the ranks of their files.
    fn ranked_named(&self, name: &str, group: &'static str) -> Result<RankedSymbols> {
        let key = (name.to_string(), group);
        if let Some(known) = self.memo.ranked.borrow().get(&key) {
            return Ok(Arc::clone(known));
        }
        let mut ranked = Vec::new();
        for symbol in self.in_order(&self.resolver.named(name)?)? {
            let language = language_of(self.snapshot(), symbol.version)?;
            if language.is_some_and(|language| language.group() == group) {
                ranked.push((self.rank(symbol.version)?, symbol));
            }
        }
        let ranked = Arc::new(ranked);
        self.memo.ranked.borrow_mut().insert(key, Arc::clone(&ranked));
        Ok(ranked)
    }

    /// Returns whether a name has so many definitions that no use of it has few candidates.
    fn is_common(&self, name: &str, language: &'static Language, known: &mut FxHashMap<String, bool>) -> Result<bool> {
        if let Some(known) = known.get(name) {
            return Ok(*known);
        }
        let ranked = self.ranked_named(name, language.group())?;
        let best = ranked.iter().map(|(rank, _)| *rank).min();
        let is_common = ranked.iter().filter(|(rank, _)| Some(*rank) == best).count() > MAX_NAMED;
        known.insert(name.to_string(), is_common);
        Ok(is_common)
    }

    /// Returns the calls in a definition that were not resolved and have few candidates, one link
    /// to each of these, in the order of places.
    pub(crate) fn possible_links_from(&self, symbol: Symbol) -> Result<Vec<Link>> {
        let Some((file, _)) = self.resolver.opened(symbol)? else { return Ok(Vec::new()) };
        let mut links = Vec::new();
        for (number, reference) in file.uses.references.iter().enumerate() {
            let is_inside = || file.outwards(reference.enclosing).any(|(ordinal, _)| ordinal == symbol.ordinal);
            if reference.kind != RefKind::Call || !is_inside() {
                continue;
            }
            let candidates = self.candidates_at(&file, number as u32)?;
            for to in candidates.few() {
                let used = possible_use(&file, number as u32);
                links.extend(used.map(|used| possible_link(Vertex::Symbol(symbol), *to, used, candidates.total)));
            }
        }
        Ok(links)
    }

    /// Returns the uses that were not resolved and may mean a symbol or few others, in the order of
    /// paths and places.
    pub(crate) fn possible_links_into(&self, symbol: Symbol, follow: Follow) -> Result<Vec<Link>> {
        let Some((_, definition)) = self.resolver.definition(symbol)? else { return Ok(Vec::new()) };
        let is_callable = definition.kind.is_callable();
        let mut links = Vec::new();
        let mut common: FxHashMap<String, bool> = FxHashMap::default();
        for (version, number) in self.namesakes(symbol)?.iter().copied() {
            let Some(file) = self.resolver.file(version)? else { continue };
            let Some(reference) = file.uses.references.get(number as usize) else { continue };
            let name = file.name(reference.name);
            if !follow.accepts(reference.kind, is_callable) || self.is_common(name, file.language, &mut common)? {
                continue;
            }
            if matches!(&*self.meaning(&file, number)?, Resolution::Found { .. } | Resolution::Module(_)) {
                continue;
            }
            let candidates = self.candidates_at(&file, number)?;
            let own = self.claim(symbol)?;
            if candidates.few().iter().any(|candidate| own.own.contains(candidate))
                && let Some(used) = possible_use(&file, number)
                && let Some(outline) = self.resolver.outline(version)?
            {
                links.push(possible_link(user_at(&outline, &used, follow), symbol, used, candidates.total));
            }
        }
        Ok(links)
    }
}

fn possible_link(from: Vertex, to: Symbol, used: Use, candidates: usize) -> Link {
    Link { from, to, used, confidence: UseClass::Possible, through: None, more: 0, candidates }
}

fn possible_use(file: &FileView, number: u32) -> Option<Use> {
    let reference = *file.uses.references.get(number as usize)?;
    let (confidence, evidence) = (Confidence::Heuristic, ResolutionEvidence::NameOnly);
    Some(Use { version: file.version, number, reference, name: file.name(reference.name).into(), confidence, evidence })
}
