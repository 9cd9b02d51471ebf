//! References: all uses of a symbol in the view, filtered, counted and cut to a limit.

use std::collections::BTreeMap;

use codecompass_syntax::facts::RefKind;
use codecompass_syntax::language_of;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::error::{Error, Result};
use crate::query::arguments::parse_place;
use crate::query::filter::Filter;
use crate::query::hit::Hit;
use crate::query::left_out::{LeftOut, Restriction};
use crate::query::navigate::tally::{Account, Accounting};
use crate::query::navigate::use_sites::{UNKNOWN, UseClass, UseSite};
use crate::query::navigate::{Navigator, Use, reading_rank};
use crate::query::subject::Subject;
use crate::resolve::{Confidence, Resolution, ResolutionEvidence, Symbol};
use crate::scan::role;

/// The most uses left out by a filter that are listed.
pub(super) const FEW_LEFT_OUT: usize = 5;

/// Options of `refs`.
#[derive(Clone, Debug)]
pub struct RefsOptions {
    /// Only these kinds of use; all if empty.
    pub kinds: Vec<RefKind>,
    /// The least certain class to list.
    pub least: UseClass,
    /// Only in files of these languages and paths; its kinds do not count.
    pub filter: Filter,
    /// The handling of uses in tests.
    pub tests: TestUses,
    /// The largest number to list; all are counted.
    pub limit: usize,
}

/// Ways to handle uses in tests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TestUses {
    /// List them like all others.
    #[default]
    Include,
    /// Leave them out.
    Exclude,
    /// List nothing else.
    Only,
}

impl TestUses {
    /// Returns whether a use, in a test or not, is left out.
    pub(super) fn refuse(self, is_test: bool) -> bool {
        match self {
            TestUses::Include => false,
            TestUses::Exclude => is_test,
            TestUses::Only => !is_test,
        }
    }
}

/// The uses of a symbol: proven ones first, then likely, then possible ones. Within a class those
/// in source files come first, then examples, tests, and what others wrote; each in the order of
/// paths and places.
#[derive(Clone, Debug, PartialEq)]
pub struct RefsAnswer {
    /// The symbol.
    pub subject: Subject,
    /// Other places of the symbol itself: overloads, declarations, parts.
    pub parts: Vec<Hit>,
    /// The uses, at most the limit.
    pub uses: Vec<UseSite>,
    /// The number of uses that fit the options, listed or not.
    pub total: usize,
    /// The number of these uses by class, in the order of [`UseClass::ALL`].
    pub by_class: [usize; 3],
    /// The files they are in, with the number of each.
    pub by_file: Vec<(String, usize)>,
    /// The number of uses by kind, in the order of kinds; declarations and unknown kinds come last.
    pub by_kind: Vec<(&'static str, usize)>,
    /// The uses that the options leave out.
    pub filtered: LeftOut,
    /// These uses, if they are few.
    pub few_filtered: Vec<UseSite>,
    /// All occurrences of the name, whatever the options are; `None` without texts.
    pub accounting: Option<Accounting>,
}

/// Finds the uses of the definitions that `symbol` means, or of a name that is imported and not
/// defined here.
pub fn refs(navigator: &Navigator<'_>, symbol: &str, options: &RefsOptions) -> Result<RefsAnswer> {
    let asked = parse_place(symbol).map(|(_, line, _)| line);
    let (subject, symbols) = match navigator.all_meant(symbol) {
        Err(error @ Error::SymbolNotFound { .. }) => {
            let Some(found) = navigator.imported_name(symbol)? else { return Err(error) };
            let mut all = navigator.use_sites(&found.uses)?;
            let account = navigator.account_imported(&found.name, found.group, &found.uses)?;
            let accounting = account.map(|account| {
                all.extend(account.sites);
                account.accounting
            });
            return answer(navigator, found.subject, all, accounting, Vec::new(), options);
        }
        found => found?,
    };
    let (mut all, mut parts) = (Vec::new(), Vec::new());
    for (definition, uses) in navigator.uses_together(&symbols)?.into_iter().enumerate() {
        all.extend(navigator.use_sites(&uses)?.into_iter().map(|site| UseSite { definition, ..site }));
        if let Some(symbol) = symbols.get(definition) {
            parts.extend(navigator.same_symbol(*symbol)?);
        }
    }
    let (accounting, others) = navigator.account_or_ambiguous(&symbols, asked, true)?;
    all.extend(others);
    let mut parts = navigator.in_order(&parts)?;
    parts.retain(|part| !symbols.contains(part));
    answer(navigator, subject, all, accounting, navigator.hits(&parts)?, options)
}

/// Filters, counts and orders uses, and cuts them to the limit.
fn answer(
    navigator: &Navigator<'_>,
    subject: Subject,
    mut all: Vec<UseSite>,
    accounting: Option<Accounting>,
    parts: Vec<Hit>,
    options: &RefsOptions,
) -> Result<RefsAnswer> {
    all.sort_by(|a, b| (a.class, &a.path, a.line, a.column).cmp(&(b.class, &b.path, b.line, b.column)));
    let (mut uses, filtered, few_filtered) = options.fitting(navigator, all)?;
    let total = uses.len();
    let of_kind = |kind: &'static str| (kind, uses.iter().filter(|site| site.kind_name() == kind).count());
    let kinds = RefKind::ALL.iter().map(|kind| kind.as_str()).chain([UNKNOWN]);
    let by_kind = kinds.map(of_kind).filter(|(_, count)| *count > 0).collect();
    let by_class = UseClass::ALL.map(|class| uses.iter().filter(|site| site.class == class).count());
    let mut by_file: BTreeMap<&str, usize> = BTreeMap::new();
    uses.iter().for_each(|site| *by_file.entry(site.path.as_str()).or_default() += 1);
    let by_file = by_file.into_iter().map(|(path, count)| (path.to_string(), count)).collect();
    // Where not all can be listed, the program's own uses come before those of its tests.
    let mut ranks: FxHashMap<String, u8> = FxHashMap::default();
    for site in &uses {
        let rank = match navigator.snapshot().version_at(&site.path) {
            Some(version) => navigator.rank(version)?,
            None => reading_rank(role(&site.path)),
        };
        ranks.insert(site.path.clone(), rank);
    }
    uses.sort_by_key(|site| {
        let is_possible = site.class == UseClass::Possible;
        (is_possible, site.definition, site.class, site.file_mark.is_some(), ranks.get(&site.path).copied())
    });
    uses.truncate(options.limit);
    Ok(RefsAnswer { subject, parts, uses, total, by_class, by_file, by_kind, filtered, few_filtered, accounting })
}

impl RefsOptions {
    /// Returns whether a kind of use is asked for. What has its address taken may be written.
    fn asks_for(&self, kind: RefKind) -> bool {
        let may_write = kind == RefKind::Address && self.kinds.contains(&RefKind::Write);
        may_write || self.kinds.contains(&kind)
    }

    /// Returns the uses that fit the options, the number of those that do not, and those if they
    /// are few.
    fn fitting(&self, navigator: &Navigator<'_>, sites: Vec<UseSite>) -> Result<(Vec<UseSite>, LeftOut, Vec<UseSite>)> {
        let snapshot = navigator.snapshot();
        let mut refused: FxHashMap<String, Option<Restriction>> = FxHashMap::default();
        for site in &sites {
            if refused.contains_key(&site.path) {
                continue;
            }
            let info = snapshot.version_at(&site.path).map(|version| snapshot.file_info(version)).transpose()?;
            let language = match &info {
                Some(info) => info.language.as_deref(),
                None => language_of(&site.path, "").map(|language| language.name),
            };
            let refusal = if self.filter.accepts_language(language) {
                self.filter.refuses_path(&site.path)
            } else {
                Some(Restriction::Language)
            };
            refused.insert(site.path.clone(), refusal);
        }
        let mut left_out = LeftOut::default();
        let (sites, refused): (Vec<UseSite>, Vec<UseSite>) = sites.into_iter().partition(|site| {
            let of_kind = self.kinds.is_empty() || site.kind.or(declared(site)).is_some_and(|kind| self.asks_for(kind));
            let refusal = match refused.get(&site.path).copied().flatten() {
                _ if !of_kind => Some(Restriction::Kind),
                _ if site.class > self.least => Some(Restriction::Confidence),
                _ if self.tests.refuse(site.is_test) => Some(Restriction::Tests),
                in_file => in_file,
            };
            refusal.into_iter().for_each(|refusal| left_out.add(refusal, 1));
            refusal.is_none()
        });
        let few = if refused.len() <= FEW_LEFT_OUT { refused } else { Vec::new() };
        Ok((sites, left_out, few))
    }
}

impl Default for RefsOptions {
    fn default() -> RefsOptions {
        RefsOptions {
            kinds: Vec::new(),
            least: UseClass::Possible,
            filter: Filter::default(),
            tests: TestUses::Include,
            limit: 0,
        }
    }
}

impl Navigator<'_> {
    /// Returns the uses of each of several symbols, each use once, and then the calls that are of
    /// one of them and nothing tells of which.
    pub(crate) fn uses_together(&self, symbols: &[Symbol]) -> Result<Vec<Vec<Use>>> {
        let mut known = FxHashSet::default();
        let mut all = Vec::with_capacity(symbols.len());
        let mut owners = FxHashSet::default();
        for symbol in symbols {
            self.search_texts(*symbol)?;
            let uses = self.uses_of(*symbol)?;
            all.push(
                uses.iter().filter(|used| known.insert((used.version, used.number))).cloned().collect::<Vec<Use>>(),
            );
            owners.extend(self.same_symbol(*symbol)?);
        }
        let Some(first) = symbols.first().filter(|_| symbols.len() > 1) else { return Ok(all) };
        let mut ties = Vec::new();
        for (version, number) in self.namesakes(*first)?.iter().copied() {
            let meaning = self.meaning_in(version, number)?;
            let Resolution::Overloaded { targets, evidence } = &*meaning else { continue };
            let Some(file) = self.resolver.file(version)? else { continue };
            let Some(reference) = file.uses.references.get(number as usize).copied() else { continue };
            if targets.iter().all(|target| owners.contains(target)) && known.insert((version, number)) {
                let (confidence, evidence, name) = (Confidence::Static, *evidence, file.name(reference.name).into());
                ties.push(Use { version, number, reference, name, confidence, evidence });
            }
        }
        all.push(ties);
        Ok(all)
    }

    /// Adds the calls of a type that nothing tells whether they are of one of some constructors
    /// with another name.
    fn add_instances(&self, constructors: &[Symbol], account: &mut Account) -> Result<()> {
        let mut known = FxHashSet::default();
        for constructor in constructors {
            let mut perhaps = self.instances_perhaps_made(*constructor)?;
            perhaps.retain(|used| known.insert((used.version, used.number)));
            for site in self.use_sites(&perhaps)? {
                account.accounting.renamed += 1;
                let (class, evidence) = (UseClass::Possible, ResolutionEvidence::NameOnly);
                account.sites.push(UseSite { class, evidence, ..site });
            }
        }
        if !known.is_empty() {
            account.sites.sort_by(|a, b| (&a.path, a.line, a.column).cmp(&(&b.path, b.line, b.column)));
        }
        Ok(())
    }

    /// Returns the account of symbols with the places that it lists; without texts, the uses that
    /// may mean one of them.
    pub(super) fn account_or_ambiguous(
        &self,
        symbols: &[Symbol],
        asked: Option<u32>,
        together: bool,
    ) -> Result<(Option<Accounting>, Vec<UseSite>)> {
        if let Some(mut account) = self.account(symbols, asked, together)? {
            self.add_instances(symbols, &mut account)?;
            return Ok((Some(account.accounting), account.sites));
        }
        let mut sites = Vec::new();
        for symbol in symbols {
            sites.extend(self.ambiguous_sites(*symbol)?);
        }
        sites.sort_by(|a, b| (&a.path, a.line, a.column).cmp(&(&b.path, b.line, b.column)));
        sites.dedup_by(|a, b| (&a.path, a.line, a.column) == (&b.path, b.line, b.column));
        Ok((None, sites))
    }

    /// Uses that may mean a symbol or others, as sites.
    pub(crate) fn ambiguous_sites(&self, symbol: Symbol) -> Result<Vec<UseSite>> {
        let mut sites = self.use_sites(&self.ambiguous_uses_of(symbol)?)?;
        sites.iter_mut().for_each(|site| site.class = UseClass::Possible);
        Ok(sites)
    }

    /// Uses that may mean a symbol or others, in the order of paths and places.
    fn ambiguous_uses_of(&self, symbol: Symbol) -> Result<Vec<Use>> {
        let targets: FxHashSet<Symbol> = self.same_symbol(symbol)?.into_iter().collect();
        let mut found = Vec::new();
        for (version, number) in self.namesakes(symbol)?.iter().copied() {
            let meaning = self.meaning_in(version, number)?;
            let (Resolution::Overloaded { targets: candidates, .. } | Resolution::Ambiguous(candidates)) = &*meaning
            else {
                continue;
            };
            if candidates.iter().any(|candidate| targets.contains(candidate)) {
                let Some(file) = self.resolver.file(version)? else { continue };
                let Some(reference) = file.uses.references.get(number as usize).copied() else { continue };
                let (confidence, evidence) = (Confidence::Heuristic, ResolutionEvidence::NameOnly);
                let name = file.name(reference.name).into();
                found.push(Use { version, number, reference, name, confidence, evidence });
            }
        }
        Ok(found)
    }
}

/// The kind of a place that declares the symbol.
fn declared(site: &UseSite) -> Option<RefKind> {
    site.is_declaration.then_some(RefKind::Declaration)
}
