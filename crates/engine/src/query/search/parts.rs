//! Candidates with all that ordering needs to know of them; those that are parts of one symbol are
//! one result.

use codecompass_syntax::{PartScope, language_named};
use serde::{Deserialize, Serialize};

use crate::error::Result;
use crate::model::Role;
use crate::query::hit::{Hit, Place};
use crate::query::navigate::Navigator;
use crate::resolve::Symbol;
use crate::store::Snapshot;
use crate::weights::order;

/// A hit before it is ordered among others.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Candidate {
    pub hit: Hit,
    /// The hash of a definition's body, if it is long enough for equality to mean a copy.
    pub body: Option<u64>,
    /// The symbol that it is a part of, if that may have others.
    symbol: Option<PartialSymbol>,
    /// Marked as old by its path, where that was asked for.
    pub is_old: bool,
}

/// A symbol with several parts.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct PartialSymbol {
    own: Symbol,
    parts: Vec<Symbol>,
    other_places: Vec<Place>,
}

/// Makes candidates of the hits of a repository.
pub(super) struct CandidateMaker<'a> {
    navigator: Navigator<'a>,
}

impl<'a> CandidateMaker<'a> {
    pub(super) fn new(snapshot: &'a Snapshot) -> CandidateMaker<'a> {
        CandidateMaker { navigator: Navigator::new(snapshot) }
    }

    pub(super) fn navigator(&self) -> &Navigator<'a> {
        &self.navigator
    }

    /// Makes one of a hit that no path marks as old.
    pub(super) fn make(&self, hit: Hit) -> Result<Candidate> {
        self.make_aged(hit, false)
    }

    pub(super) fn make_aged(&self, hit: Hit, is_old: bool) -> Result<Candidate> {
        let mut candidate = Candidate { hit, body: None, symbol: None, is_old };
        let navigator = &self.navigator;
        let Some(own) = navigator.symbol_of(&candidate.hit) else { return Ok(candidate) };
        let outline = navigator.snapshot().outline(own.version)?;
        let Some(definition) = outline.definitions.get(own.ordinal as usize) else { return Ok(candidate) };
        if definition.span.end_line > definition.span.start_line + order::COPY_LINES {
            candidate.body = Some(definition.body_hash);
        }
        let language = language_named(&candidate.hit.language);
        let scope = language.and_then(|language| language.part_scope(definition));
        let is_merged = language.is_some_and(|language| language.resolve_rules().joins_types_and_values);
        let parts = if is_merged || matches!(scope, Some(PartScope::Project)) {
            navigator.resolver.named_together(own)?
        } else {
            Vec::new()
        };
        if parts.len() > usize::from(is_merged) {
            candidate.symbol = Some(PartialSymbol { own, parts, other_places: navigator.other_parts(own)? });
        }
        Ok(candidate)
    }
}

/// Keeps the best of the parts of a symbol, written ones before generated ones, with the places of
/// the others.
pub(super) fn fold(candidates: Vec<Candidate>) -> Vec<Candidate> {
    let mut kept: Vec<Candidate> = Vec::with_capacity(candidates.len());
    let mut first_parts: Vec<(usize, Symbol, usize)> = Vec::new();
    for mut candidate in candidates {
        let Some(symbol) = candidate.symbol.take() else {
            kept.push(candidate);
            continue;
        };
        let repository = candidate.hit.repository;
        let is_same =
            |(other, first, _): &&(usize, Symbol, usize)| *other == repository && symbol.parts.contains(first);
        let first = first_parts.iter().find(is_same).map(|(.., at)| *at);
        candidate.hit.other_places = symbol.other_places;
        match first {
            Some(at) if kept[at].hit.file_role == Role::Generated && candidate.hit.file_role != Role::Generated => {
                kept[at] = candidate;
            }
            Some(_) => {}
            None => {
                first_parts.push((repository, symbol.own, kept.len()));
                kept.push(candidate);
            }
        }
    }
    kept
}
