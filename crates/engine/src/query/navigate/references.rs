//! References: all uses of a symbol in the view, filtered, counted and cut to a limit.

use codecompass_syntax::facts::RefKind;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::error::Result;
use crate::query::filter::Filter;
use crate::query::hit::Hit;
use crate::query::navigate::use_sites::UseSite;
use crate::query::navigate::{Navigator, Use};
use crate::query::symbols::symbol_argument::Subject;
use crate::resolve::{Confidence, Resolution, ResolutionEvidence, Symbol};

/// Options of `refs`.
#[derive(Clone, Debug, Default)]
pub struct RefsOptions {
    /// Only these kinds of use; all if empty.
    pub kinds: Vec<RefKind>,
    /// Only proven uses.
    pub static_only: bool,
    /// Only in files of these languages and paths; its kinds do not count.
    pub filter: Filter,
    /// The handling of uses in tests.
    pub tests: TestUses,
    /// At most this many, of sure and of ambiguous uses each.
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

/// The uses of a symbol: those in source files first, then examples, tests, and what others wrote;
/// each in the order of paths and places.
#[derive(Clone, Debug, PartialEq)]
pub struct RefsAnswer {
    /// The symbol.
    pub subject: Subject,
    /// Other places of the symbol itself: overloads, declarations, parts.
    pub parts: Vec<Hit>,
    /// At most the limit.
    pub uses: Vec<UseSite>,
    /// The number of uses that fit the options.
    pub total: usize,
    /// The number of these that are heuristic.
    pub heuristic: usize,
    /// The number of files that contain them.
    pub files: usize,
    /// The number of them by kind, in the order of kinds.
    pub by_kind: Vec<(RefKind, usize)>,
    /// The number of uses that the options leave out.
    pub filtered: usize,
    /// Uses that may mean this symbol or others, at most the limit. They are no part of the numbers
    /// above.
    pub ambiguous: Vec<UseSite>,
    /// The number of ambiguous uses, listed or not.
    pub ambiguous_total: usize,
}

/// Finds the uses of the definition that `symbol` means best.
pub fn refs(navigator: &Navigator<'_>, symbol: &str, options: &RefsOptions) -> Result<RefsAnswer> {
    let (subject, symbol) = navigator.meant(symbol, &Filter::default())?;
    let all = navigator.use_sites(&navigator.uses_of(symbol)?)?;
    let before = all.len();
    let mut uses = options.fitting(navigator, all)?;
    let total = uses.len();
    let by_kind = RefKind::ALL.iter().map(|kind| (*kind, uses.iter().filter(|site| site.kind == *kind).count()));
    let by_kind = by_kind.filter(|(_, count)| *count > 0).collect();
    let heuristic = uses.iter().filter(|site| site.confidence == Confidence::Heuristic).count();
    let files = uses.iter().map(|site| site.path.as_str()).collect::<FxHashSet<_>>().len();
    // Where not all can be listed, the program's own uses come before those of its tests.
    let mut ranks: FxHashMap<String, u8> = FxHashMap::default();
    for site in &uses {
        if let Some(version) = navigator.snapshot().version_at(&site.path) {
            ranks.insert(site.path.clone(), navigator.rank(version)?);
        }
    }
    uses.sort_by_key(|site| ranks.get(&site.path).copied());
    uses.truncate(options.limit);
    // A query for proven uses wants no ambiguous ones either.
    let mut ambiguous = match options.static_only {
        true => Vec::new(),
        false => options.fitting(navigator, navigator.use_sites(&navigator.ambiguous_uses_of(symbol)?)?)?,
    };
    let ambiguous_total = ambiguous.len();
    ambiguous.truncate(options.limit);
    let mut parts = navigator.in_order(&navigator.same_symbol(symbol)?)?;
    parts.retain(|part| *part != symbol);
    Ok(RefsAnswer {
        subject,
        parts: navigator.hits(&parts)?,
        uses,
        total,
        heuristic,
        files,
        by_kind,
        filtered: before - total,
        ambiguous,
        ambiguous_total,
    })
}

impl RefsOptions {
    fn fitting(&self, navigator: &Navigator<'_>, mut sites: Vec<UseSite>) -> Result<Vec<UseSite>> {
        let snapshot = navigator.snapshot();
        let mut fits: Vec<(String, bool)> = Vec::new();
        for site in &sites {
            if fits.last().is_some_and(|(path, _)| *path == site.path) {
                continue;
            }
            let info = snapshot.version_at(&site.path).map(|version| snapshot.file_info(version)).transpose()?;
            let language = info.and_then(|info| info.language.clone());
            fits.push((site.path.clone(), self.filter.accepts_file(&site.path, language.as_deref())));
        }
        sites.retain(|site| {
            let at = fits.binary_search_by(|(path, _)| path.as_str().cmp(&site.path));
            let in_file = at.ok().is_some_and(|at| fits[at].1);
            let of_kind = self.kinds.is_empty() || self.kinds.contains(&site.kind);
            let is_sure = !self.static_only || site.confidence == Confidence::Static;
            let fits_tests = match self.tests {
                TestUses::Include => true,
                TestUses::Exclude => !site.is_test,
                TestUses::Only => site.is_test,
            };
            in_file && of_kind && is_sure && fits_tests
        });
        Ok(sites)
    }
}

impl Navigator<'_> {
    /// Uses that may mean a symbol or others, in the order of paths and places.
    pub(crate) fn ambiguous_uses_of(&self, symbol: Symbol) -> Result<Vec<Use>> {
        let targets: FxHashSet<Symbol> = self.same_symbol(symbol)?.into_iter().collect();
        let mut found = Vec::new();
        for (version, number) in self.namesakes(symbol)?.iter().copied() {
            let Resolution::Ambiguous(candidates) = &*self.meaning_in(version, number)? else { continue };
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
