//! All definitions that a SYMBOL argument means, for questions that answer for them together.
//!
//! A bare name means overrides, overloads, the instance's and the class's method alike. Many
//! definitions that have nothing to do with each other are not answered for: they are listed with
//! the numbers of their uses.

use std::cmp::Reverse;

use codecompass_syntax::facts::Kind;
use rustc_hash::FxHashSet;

use crate::error::Result;
use crate::query::arguments::parse_place;
use crate::query::filter::Filter;
use crate::query::hit::{Hit, HitKind};
use crate::query::navigate::Navigator;
use crate::query::subject::{Subject, SubjectDefinition};
use crate::resolve::{Resolution, Symbol, language_of};

/// More unrelated definitions than this are listed to choose from.
const MOST_TOGETHER: usize = 8;

/// A definition that an argument may mean.
struct MeantDefinition {
    symbol: Symbol,
    hit: Hit,
    /// The place of its file in the order of reading.
    rank: u8,
    uses: usize,
}

impl Navigator<'_> {
    /// Resolves a SYMBOL argument to the definitions that a question about it is answered for, the
    /// best first: all of its meanings in one family of languages. There are none if these are too
    /// many; the subject then lists them.
    pub(crate) fn all_meant(&self, argument: &str) -> Result<(Subject, Vec<Symbol>)> {
        let (mut subject, first) = self.meant(argument, &Filter::default())?;
        if subject.others.is_empty() || parse_place(argument).is_some() {
            return Ok((subject, vec![first]));
        }
        let is_whole = subject.others.len() == subject.others_total;
        let (mut meant, mut others) = self.apart(&subject, first)?;
        self.count_uses(&mut meant)?;
        if let Some((_, behind)) = meant.split_first_mut() {
            behind.sort_by_key(|one| (one.rank, Reverse(one.uses)));
        }
        let mut is_open = !is_whole || !self.are_few(&meant)?;
        if is_open {
            // Definitions in tests and in code of others do not hide those of the program.
            let best = meant.iter().map(|one| one.rank).min().unwrap_or_default();
            let (near, far): (Vec<MeantDefinition>, Vec<MeantDefinition>) =
                meant.into_iter().partition(|one| one.rank <= best);
            is_open = !is_whole || !self.are_few(&near)?;
            if is_open {
                meant = near.into_iter().chain(far).collect();
                meant.sort_by_key(|one| (one.rank, Reverse(one.uses)));
            } else {
                others = far.into_iter().map(|one| one.hit).chain(others).collect();
                meant = near;
            }
        }
        let symbols: Vec<Symbol> = meant.iter().map(|one| one.symbol).filter(|_| !is_open).collect();
        subject.others_total = others.len() + if is_whole { 0 } else { subject.others_total - subject.others.len() };
        subject.others = others;
        if let Some(best) = meant.first() {
            let other_places = std::mem::take(&mut subject.hit.other_places);
            let is_first = best.symbol == first;
            subject.hit = best.hit.clone();
            if is_first {
                subject.hit.other_places = other_places;
            }
        }
        if meant.len() > 1 {
            let definition = |one: MeantDefinition| SubjectDefinition { hit: one.hit, uses: one.uses };
            subject.definitions = meant.into_iter().map(definition).collect();
            subject.is_open = is_open;
        }
        Ok((subject, symbols))
    }

    /// Returns the definitions that are symbols of their own in the family of languages of the
    /// first one, and the hits that are not answered for.
    fn apart(&self, subject: &Subject, first: Symbol) -> Result<(Vec<MeantDefinition>, Vec<Hit>)> {
        let group = |symbol: Symbol| -> Result<Option<&'static str>> {
            Ok(language_of(self.snapshot(), symbol.version)?.map(|language| language.group()))
        };
        let home = group(first)?;
        let mut known: FxHashSet<Symbol> = self.same_symbol(first)?.into_iter().collect();
        let rank = self.rank(first.version)?;
        let mut meant = vec![MeantDefinition { symbol: first, hit: subject.hit.clone(), rank, uses: 0 }];
        let mut others = Vec::new();
        for hit in &subject.others {
            let Some(symbol) = self.symbol_of(hit) else { continue };
            // A block that adds members to a type stands for the type.
            let is_block = hit.kind == HitKind::Symbol(Kind::Impl);
            let owner = if is_block { self.resolver.block_type(symbol)? } else { None };
            if known.contains(&symbol) || owner.is_some_and(|owner| known.contains(&owner)) {
                continue;
            }
            if group(symbol)? != home {
                others.push(hit.clone());
                continue;
            }
            known.extend(self.same_symbol(symbol)?);
            meant.push(MeantDefinition { symbol, hit: hit.clone(), rank: self.rank(symbol.version)?, uses: 0 });
        }
        Ok((meant, others))
    }

    /// Counts the uses that were resolved to each definition.
    fn count_uses(&self, meant: &mut [MeantDefinition]) -> Result<()> {
        let Some(first) = meant.first().map(|one| one.symbol) else { return Ok(()) };
        let mut parts = Vec::with_capacity(meant.len());
        for one in meant.iter() {
            parts.push(self.same_symbol(one.symbol)?);
        }
        self.search_texts(first)?;
        for (version, number) in self.namesakes(first)?.iter() {
            if let Resolution::Found { targets, .. } = &*self.meaning_in(*version, *number)? {
                for (one, parts) in meant.iter_mut().zip(&parts) {
                    one.uses += usize::from(targets.iter().any(|target| parts.contains(target)));
                }
            }
        }
        Ok(())
    }

    /// Returns whether definitions can be answered for together. Those of one qualified name, and
    /// those that override each other, count as one.
    fn are_few(&self, meant: &[MeantDefinition]) -> Result<bool> {
        let mut families: Vec<(FxHashSet<&str>, FxHashSet<Symbol>)> = Vec::new();
        for one in meant {
            if meant.len() <= MOST_TOGETHER {
                return Ok(!meant.is_empty());
            }
            let mut members: FxHashSet<Symbol> = self.overridden(one.symbol)?.into_iter().collect();
            members.insert(one.symbol);
            let mut names = FxHashSet::from_iter([one.hit.qualified_name.as_str()]);
            let is_related = |family: &(FxHashSet<&str>, FxHashSet<Symbol>)| {
                !family.0.is_disjoint(&names) || !family.1.is_disjoint(&members)
            };
            let (related, apart): (Vec<_>, Vec<_>) = families.into_iter().partition(is_related);
            for (other_names, other_members) in related {
                names.extend(other_names);
                members.extend(other_members);
            }
            families = apart;
            families.push((names, members));
        }
        Ok((1..=MOST_TOGETHER).contains(&families.len()))
    }
}
