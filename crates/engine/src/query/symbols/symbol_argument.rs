//! Resolution of a SYMBOL argument to one definition, for queries that are about one.
//!
//! A name that several definitions bear is answered for the one that `locate` ranks first, of about
//! equal ones for the one with the most uses, and the others are told: an agent that meant another
//! one sees that at once, and no question is refused that has a likely answer. Only a use that may
//! mean several things, given as `path:line:column`, is an error: there nothing ranks them.

use codecompass_syntax::facts::Kind;

use crate::error::{Error, Result};
use crate::query::files::paths::is_named_after;
use crate::query::filter::Filter;
use crate::query::hit::{Hit, HitKind, Place};
use crate::query::navigate::{NameUse, Navigator};
use crate::query::rank::score::Feature;
use crate::query::subject::Subject;
use crate::query::symbols::locate::{self, LocateOptions, MatchClass};
use crate::resolve::{Resolution, Symbol};
use crate::weights::locate as weights;

/// Other meanings that an answer lists.
const MAX_OTHERS: usize = 19;

impl Navigator<'_> {
    /// Resolves a SYMBOL argument to the definition that a question about it is answered for. A
    /// block that adds members to a type speaks for the type.
    pub(crate) fn meant(&self, symbol: &str, filter: &Filter) -> Result<(Subject, Symbol)> {
        let (subject, symbol) = self.meant_itself(symbol, filter)?;
        if subject.hit.kind == HitKind::Symbol(Kind::Impl)
            && let Some(owner) = self.resolver.block_type(symbol)?
            && let Some(hit) = self.hit(owner)?
        {
            let Hit { score, explanation, .. } = subject.hit;
            return Ok((Subject { hit: Hit { score, explanation, ..hit }, ..subject }, owner));
        }
        Ok((subject, symbol))
    }

    /// Resolves a SYMBOL argument to the best definition or block that the filter accepts.
    pub(crate) fn meant_itself(&self, symbol: &str, filter: &Filter) -> Result<(Subject, Symbol)> {
        let options = LocateOptions { filter: filter.clone(), limit: MAX_OTHERS + 1 };
        let found = locate::locate(self.snapshot(), symbol, &options)?;
        let is_exact = found.class.is_some_and(|class| class <= MatchClass::CaseInsensitive);
        let (mut found_hits, mut total) = (found.hits, found.total);
        // `Store.save` is the method of a type before it is anything of a module of this name.
        let in_container = |hit: &Hit| hit.explanation.has(Feature::Container);
        if found_hits.first().is_some_and(in_container) {
            let before = found_hits.len();
            found_hits.retain(in_container);
            total -= before - found_hits.len();
        }
        if is_exact && found.class != Some(MatchClass::Place) {
            self.most_used_first(&mut found_hits)?;
        }
        let mut hits = found_hits.into_iter();
        let best = hits.next().filter(|_| is_exact);
        let Some((mut hit, symbol)) = best.and_then(|hit| self.symbol_of(&hit).map(|symbol| (hit, symbol))) else {
            // What only the filter hides is told by its place.
            let all = locate::locate(self.snapshot(), symbol, &LocateOptions { filter: Filter::default(), limit: 5 })?;
            let suggestions = if all.class.is_some_and(|class| class <= MatchClass::CaseInsensitive) {
                all.hits.iter().map(|hit| format!("{}:{}", hit.path, hit.name_line)).collect()
            } else {
                locate::suggestions(self.snapshot(), symbol)?
            };
            return Err(Error::SymbolNotFound { symbol: symbol.to_string(), suggestions });
        };
        // Overloads and other parts are answered for together.
        let parts = self.same_symbol(symbol)?;
        let (mut others, mut joined) = (Vec::new(), 0);
        for other in hits {
            if self.symbol_of(&other).is_some_and(|other| parts.contains(&other)) {
                joined += 1;
                let Hit { path, line_start, line_end, is_declaration, .. } = other;
                hit.other_places.push(Place { path, line_start, line_end, is_declaration });
            } else if self.is_constructor_of(&other, &parts)? {
                // A type of the same name says all about its constructors.
                joined += 1;
            } else {
                others.push(other);
            }
        }
        if hit.other_places.is_empty() {
            hit.other_places = self.other_parts(symbol)?;
        }
        Ok((Subject { others, others_total: total - 1 - joined, ..Subject::only(hit) }, symbol))
    }

    fn is_constructor_of(&self, hit: &Hit, types: &[Symbol]) -> Result<bool> {
        let Some(symbol) = self.symbol_of(hit).filter(|_| hit.kind == HitKind::Symbol(Kind::Constructor)) else {
            return Ok(false);
        };
        let Some((_, definition)) = self.resolver.definition(symbol)? else { return Ok(false) };
        Ok(definition.parent.is_some_and(|ordinal| types.contains(&Symbol { ordinal, ..symbol })))
    }

    /// The part that stands for a symbol: a written one before generated ones, in the file that is
    /// named after it before others.
    pub(crate) fn main_part(&self, symbol: Symbol) -> Result<Symbol> {
        let parts = self.resolver.all_parts(symbol)?;
        let mut best = (u8::MAX, true, symbol);
        for part in self.in_order(&parts)?.into_iter().filter(|_| parts.len() > 1) {
            let Some((file, definition)) = self.resolver.definition(part)? else { continue };
            let (rank, is_elsewhere) = (self.rank(part.version)?, !is_named_after(&file.path, &definition.name));
            if (rank, is_elsewhere) < (best.0, best.1) {
                best = (rank, is_elsewhere, part);
            }
        }
        Ok(best.2)
    }

    /// The places of the other parts of a symbol.
    pub(crate) fn other_parts(&self, symbol: Symbol) -> Result<Vec<Place>> {
        let mut parts = self.in_order(&self.resolver.named_together(symbol)?)?;
        parts.retain(|part| *part != symbol);
        let hits = self.hits(&parts)?.into_iter();
        let place = |Hit { path, line_start, line_end, is_declaration, .. }: Hit| Place {
            path,
            line_start,
            line_end,
            is_declaration,
        };
        Ok(hits.map(place).collect())
    }

    /// Puts the one with the most uses first, of those at the top that are about equally good, and
    /// definitions outside of types before members.
    fn most_used_first(&self, hits: &mut [Hit]) -> Result<()> {
        let Some(score) = hits.first().map(|hit| hit.score) else { return Ok(()) };
        let compared = hits.iter().take(weights::COMPARED_BY_USES);
        let equal = compared.take_while(|hit| score - hit.score < weights::ABOUT_EQUAL).count();
        let Some(first) = hits.first().and_then(|hit| self.symbol_of(hit)).filter(|_| equal > 1) else {
            return Ok(());
        };
        let mut counted = Vec::with_capacity(equal);
        for hit in &hits[..equal] {
            let parts = self.symbol_of(hit).map(|symbol| self.same_symbol(symbol)).transpose()?;
            counted.push((parts.unwrap_or_default(), 0));
        }
        let references = self.namesakes(first)?;
        // Of a common name every second, third, … use is looked at.
        let step = references.len().div_ceil(weights::SAMPLED_USES).max(1);
        for (version, number) in references.iter().step_by(step) {
            if let Resolution::Found { targets, .. } = &*self.meaning_in(*version, *number)? {
                for (parts, count) in &mut counted {
                    *count += usize::from(targets.iter().any(|target| parts.contains(target)));
                }
            }
        }
        // A bare name is the whole name of a definition outside of types; members of types have a
        // container, so they come first only if no such definition is used.
        let is_whole = |at: usize| hits.get(at).is_some_and(|hit| hit.local_name == hit.name);
        let (mut best, mut most) = (0, (false, 0));
        for (at, (_, count)) in counted.into_iter().enumerate() {
            let rank = (is_whole(at) && count > 0, count);
            if rank > most {
                (best, most) = (at, rank);
            }
        }
        hits[..=best].rotate_right(1);
        Ok(())
    }

    /// The definition that a hit of this view shows.
    pub(crate) fn symbol_of(&self, hit: &Hit) -> Option<Symbol> {
        let version = self.snapshot().version_at(&hit.path)?;
        Some(Symbol { version, ordinal: hit.symbol_id?.ordinal })
    }

    /// The definition that is named at a place, or meant by what stands there.
    pub(crate) fn symbol_meant_at(&self, path: &str, line: u32, column: u32) -> Result<Symbol> {
        if let Some(symbol) = self.definition_named_at(path, line, column)? {
            return Ok(symbol);
        }
        let nothing =
            |what: &str| Err(Error::NothingAt { place: format!("{path}:{line}:{column}"), what: what.to_string() });
        if let Some(NameUse { name, meaning, file, number, .. }) = self.use_at(path, line, column)? {
            let possible = self.candidates_at(&file, number)?;
            let ambiguous = |candidates: &[Symbol]| {
                let hits = self.hits(&self.in_order(candidates)?)?;
                let candidates = hits.iter().map(|hit| format!("{}:{}", hit.path, hit.name_line)).collect();
                Err(Error::AmbiguousSymbol { symbol: name.clone(), candidates })
            };
            return match &*meaning {
                Resolution::Found { targets, .. } => match self.in_order(targets)?.first() {
                    Some(first) => Ok(*first),
                    None => nothing("nothing stands"),
                },
                Resolution::Overloaded { targets: candidates, .. } | Resolution::Ambiguous(candidates) => {
                    ambiguous(candidates)
                }
                Resolution::External | Resolution::Unknown if !possible.symbols.is_empty() => {
                    ambiguous(&possible.symbols)
                }
                Resolution::External => nothing(&format!("`{name}` is defined outside of the repository, used")),
                Resolution::Module(_) => nothing(&format!("the module `{name}` stands")),
                Resolution::Unknown => nothing(&format!("it is not known what `{name}` means")),
            };
        }
        let Some(symbol) = self.symbol_at(path, line, Some(column))? else { return nothing("no definition stands") };
        match self.resolver.definition(symbol)? {
            // The column is a little off, but only one thing can be meant.
            Some((_, definition)) if definition.name_line == line => Ok(symbol),
            _ => nothing("no name that leads to a definition stands"),
        }
    }

    /// Definitions in the order of paths and lines, which no history of the index can change.
    pub(crate) fn in_order(&self, symbols: &[Symbol]) -> Result<Vec<Symbol>> {
        let mut keyed: Vec<(usize, u32, Symbol)> = symbols
            .iter()
            .filter_map(|symbol| Some((self.snapshot().position(symbol.version)?, symbol.ordinal, *symbol)))
            .collect();
        keyed.sort_unstable();
        keyed.dedup();
        Ok(keyed.into_iter().map(|(_, _, symbol)| symbol).collect())
    }
}
