//! Symbols related to a symbol: its tests, the symbols that it uses, those used together with it,
//! and those beside it.

use std::collections::BTreeMap;

use codecompass_syntax::facts::{Definition, Kind, RefKind, SymbolRole};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::error::Result;
use crate::model::Role;
use crate::query::filter::Filter;
use crate::query::hit::{Hit, HitKind};
use crate::query::navigate::Navigator;
use crate::query::open_file::OpenFile;
use crate::query::page::Listed;
use crate::query::rank::score::Feature;
use crate::query::relations::related_tests::{is_test_file_of, stem_of, tests_by_name};
use crate::query::subject::Subject;
use crate::resolve::{FileView, Resolution, Symbol};
use crate::tokenize;
use crate::weights::related as points;

/// Options of `related`.
#[derive(Clone, Debug)]
pub struct RelatedOptions {
    /// Restrictions on the symbols that an ambiguous argument may mean.
    pub filter: Filter,
    /// Only these; all when empty.
    pub only: Vec<Tie>,
    /// At most this many of each.
    pub limit: usize,
}

/// Ways in which a symbol is related to the subject.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Tie {
    /// It tests the subject.
    Test,
    /// The subject uses it.
    Used,
    /// The functions that use the subject use it, too.
    UsedTogether,
    /// It is in the same type or the same file as the subject.
    Beside,
}

impl Tie {
    /// All of them, in the order of answers.
    pub const ALL: [Tie; 4] = [Tie::Test, Tie::Used, Tie::UsedTogether, Tie::Beside];

    /// The word used in JSON and flags.
    pub fn as_str(self) -> &'static str {
        match self {
            Tie::Test => "test",
            Tie::Used => "used",
            Tie::UsedTogether => "used_together",
            Tie::Beside => "beside",
        }
    }
}

/// A symbol that is related to another; its hit explains its score.
#[derive(Clone, Debug, PartialEq)]
pub struct Related {
    /// The symbol.
    pub hit: Hit,
    /// The strongest tie.
    pub tie: Tie,
    /// The number of functions that use both.
    pub common_users: usize,
}

/// The symbols related to a symbol.
#[derive(Clone, Debug, PartialEq)]
pub struct RelatedAnswer {
    /// The symbol.
    pub subject: Subject,
    /// By tie, best first.
    pub groups: BTreeMap<Tie, Listed<Related>>,
    /// The number of functions and types that use the symbol.
    pub users: usize,
    /// True if it has more users or uses than were looked at.
    pub is_cut: bool,
}

/// Users beyond this many are not looked into.
const MAX_USERS: usize = 60;
/// Users whose own users are asked for tests.
const MAX_HOPS: usize = 12;
/// References of one function beyond this many are not resolved.
const MAX_REFERENCES: usize = 400;
/// Files that mention a name; a name more common than this is not followed a step further.
const MAX_FILES: usize = 300;

/// Gives what belongs together with the definition that `symbol` means best.
pub fn related(navigator: &Navigator<'_>, symbol: &str, options: &RelatedOptions) -> Result<RelatedAnswer> {
    let snapshot = navigator.snapshot();
    let (subject, symbol) = navigator.meant(symbol, &options.filter)?;
    let mut gathering = Gathering { navigator, found: FxHashMap::default(), is_cut: false };
    let own = navigator.same_symbol(symbol)?;
    let users = gathering.users(symbol, &own)?;
    gathering.is_cut |= users.len() > MAX_USERS;
    gathering.tests(symbol, &users)?;
    gathering.used(symbol)?;
    gathering.used_together(&users)?;
    gathering.beside(symbol)?;

    let is_cut = gathering.is_cut;
    let mut groups: BTreeMap<Tie, Vec<Related>> = BTreeMap::new();
    let around: FxHashSet<Symbol> = own.iter().copied().chain(ancestors(navigator, symbol)?).collect();
    for (found, mut evidence) in gathering.found {
        let Some(tie) = evidence.tie() else { continue };
        let is_own = around.contains(&found) || ancestors(navigator, found)?.contains(&symbol);
        let is_unwanted = is_own || !options.only.is_empty() && !options.only.contains(&tie);
        let Some(mut hit) = navigator.hit(found)?.filter(|_| !is_unwanted) else { continue };
        evidence.explain(&mut hit, snapshot.files().len());
        groups.entry(tie).or_default().push(Related { hit, tie, common_users: evidence.common_users });
    }
    if options.only.is_empty() || options.only.contains(&Tie::Test) {
        let files = test_files(navigator, symbol)?;
        groups.entry(Tie::Test).or_default().extend(files);
        groups.retain(|_, items| !items.is_empty());
    }
    let groups = groups.into_iter().map(|(tie, mut items)| {
        items.sort_by(|a, b| {
            let place = |item: &Related| (item.hit.path.clone(), item.hit.line_start, item.hit.symbol_id);
            b.hit.score.total_cmp(&a.hit.score).then_with(|| place(a).cmp(&place(b)))
        });
        (tie, Listed::new(items, options.limit))
    });
    Ok(RelatedAnswer { subject, groups: groups.collect(), users: users.len(), is_cut })
}

/// Test files that use a symbol outside of all definitions, as tests that are functions without a
/// name do.
fn test_files(navigator: &Navigator<'_>, symbol: Symbol) -> Result<Vec<Related>> {
    let snapshot = navigator.snapshot();
    let mut found: Vec<Related> = Vec::new();
    for used in navigator.uses_of(symbol)?.iter().filter(|used| used.reference.kind != RefKind::Import) {
        let Some(file) = navigator.resolver.outline(used.version)? else { continue };
        let is_in_test = file.outwards(used.reference.enclosing).any(|(_, around)| is_user(around.kind));
        if is_in_test || used.version == symbol.version || snapshot.file_info(used.version)?.role != Role::Test {
            continue;
        }
        let line = used.reference.line;
        if let Some(known) = found.iter_mut().find(|known| known.hit.path == file.path) {
            known.hit.line_end = known.hit.line_end.max(line);
        } else if let Some(open) = OpenFile::open(snapshot, used.version)? {
            let mut hit = open.text_hit(HitKind::File, line, line);
            hit.explanation.add(Feature::TestsIt, points::TESTS_IT);
            let stem = is_test_file_of(&file.path, &stem_of(snapshot.path_of(symbol.version).unwrap_or("")));
            hit.explanation.add(Feature::NamedAsItsTest, if stem { points::NAMED_AS_ITS_TEST } else { 0.0 });
            hit.score = hit.explanation.score();
            found.push(Related { hit, tie: Tie::Test, common_users: 0 });
        }
    }
    Ok(found)
}

/// Definitions around a definition.
fn ancestors(navigator: &Navigator<'_>, symbol: Symbol) -> Result<Vec<Symbol>> {
    let Some((file, definition)) = navigator.resolver.definition(symbol)? else { return Ok(Vec::new()) };
    let around = file.outwards(definition.parent);
    Ok(around.map(|(ordinal, _)| Symbol { version: symbol.version, ordinal }).collect())
}

/// The evidence that one symbol is related to the subject.
#[derive(Clone, Debug, Default)]
struct Ties {
    test_direct: bool,
    test_through: bool,
    test_name: bool,
    calls: usize,
    mentions: usize,
    in_signature: bool,
    common_users: usize,
    files_with_name: usize,
    beside: Option<usize>,
    same_type: bool,
}

impl Ties {
    fn tie(&self) -> Option<Tie> {
        match self {
            ties if ties.test_direct || ties.test_through || ties.test_name => Some(Tie::Test),
            ties if ties.calls > 0 || ties.mentions > 0 => Some(Tie::Used),
            ties if ties.common_users > 0 => Some(Tie::UsedTogether),
            ties if ties.beside.is_some() => Some(Tie::Beside),
            _ => None,
        }
    }

    fn explain(&mut self, hit: &mut Hit, files: usize) {
        let parts = &mut hit.explanation;
        let flag = |is: bool, value: f64| if is { value } else { 0.0 };
        let only_through = self.test_through && !self.test_direct;
        let only_used = self.mentions > 0 && self.calls == 0;
        let used = points::USED + (self.mentions.max(1) as f64).ln();
        parts.add(Feature::TestsIt, flag(self.test_direct, points::TESTS_IT));
        parts.add(Feature::TestsItsUser, flag(only_through, points::TESTS_ITS_USER));
        parts.add(Feature::NamedAsItsTest, flag(self.test_name, points::NAMED_AS_ITS_TEST));
        parts.add(Feature::CalledByIt, flag(self.calls > 0, points::CALLED + (self.calls as f64).ln()));
        parts.add(Feature::UsedByIt, flag(only_used, used));
        parts.add(Feature::InItsSignature, flag(self.in_signature, points::IN_SIGNATURE));
        parts.add(Feature::CommonUsers, points::COMMON_USERS * (1.0 + self.common_users as f64).log2());
        // What everything uses says little about anything.
        let share = self.files_with_name as f64 / files.max(1) as f64;
        parts.discount(Feature::WidelyUsed, flag(self.common_users > 0, share.min(points::MAX_WIDELY_USED)));
        parts.add(Feature::SameType, flag(self.same_type, points::SAME_TYPE));
        let near = |distance: usize| points::NEAR / (1.0 + distance as f64 / points::NEAR_DISTANCE);
        parts.add(Feature::Near, self.beside.map_or(0.0, near));
        hit.score = hit.explanation.score();
    }
}

struct Gathering<'ask, 'view> {
    navigator: &'ask Navigator<'view>,
    found: FxHashMap<Symbol, Ties>,
    is_cut: bool,
}

impl Gathering<'_, '_> {
    fn ties(&mut self, symbol: Symbol) -> &mut Ties {
        self.found.entry(symbol).or_default()
    }

    /// The definitions that use a symbol, in the order of paths: functions and types, not the
    /// symbol itself.
    fn users(&self, symbol: Symbol, own: &[Symbol]) -> Result<Vec<Symbol>> {
        let mut users = Vec::new();
        for used in self.navigator.uses_of(symbol)?.iter().filter(|used| used.reference.kind != RefKind::Import) {
            let Some(file) = self.navigator.resolver.outline(used.version)? else { continue };
            let user = file.outwards(used.reference.enclosing).find(|(_, around)| is_user(around.kind));
            let Some(user) = user.map(|(ordinal, _)| Symbol { version: used.version, ordinal }) else { continue };
            let inside = file
                .outwards(Some(user.ordinal))
                .any(|(ordinal, _)| own.contains(&Symbol { version: used.version, ordinal }));
            if !inside && !users.contains(&user) {
                users.push(user);
            }
        }
        Ok(users)
    }

    fn is_test(&self, symbol: Symbol) -> Result<bool> {
        let Some((file, definition)) = self.navigator.resolver.definition(symbol)? else { return Ok(false) };
        let in_test = file.outwards(Some(symbol.ordinal)).any(|(_, around)| around.role == SymbolRole::Test);
        let info = self.navigator.snapshot().file_info(file.version)?;
        Ok(in_test || info.role == Role::Test && definition.kind.is_callable())
    }

    /// Tests that use the symbol, tests that use its users, and tests that are named after it.
    fn tests(&mut self, symbol: Symbol, users: &[Symbol]) -> Result<()> {
        let mut hops = Vec::new();
        for user in users {
            if self.is_test(*user)? { self.ties(*user).test_direct = true } else { hops.push(*user) }
        }
        for user in hops.into_iter().take(MAX_HOPS) {
            let Some((_, definition)) = self.navigator.resolver.definition(user)? else { continue };
            if self.navigator.files_with(&definition.name)?.len() > MAX_FILES {
                self.is_cut = true;
                continue;
            }
            for test in self.users(user, &[user])? {
                if self.is_test(test)? {
                    self.ties(test).test_through = true;
                }
            }
        }
        for test in tests_by_name(self.navigator, symbol)? {
            if self.is_test(test)? {
                self.ties(test).test_name = true;
            }
        }
        Ok(())
    }

    /// Returns the definitions that the references inside a definition resolve to, with the kind of
    /// use.
    fn meanings_inside(&mut self, file: &FileView, ordinal: u32) -> Result<Vec<(Symbol, RefKind)>> {
        let inside = |enclosing| file.outwards(enclosing).any(|(around, _)| around == ordinal);
        let mut meanings = Vec::new();
        let mut count = 0;
        for (number, reference) in file.uses.references.iter().enumerate() {
            if !inside(reference.enclosing) || reference.kind == RefKind::Import {
                continue;
            }
            count += 1;
            if count > MAX_REFERENCES {
                self.is_cut = true;
                break;
            }
            if let Resolution::Found { targets, .. } = &*self.navigator.meaning(file, number as u32)? {
                meanings.extend(targets.iter().map(|target| (*target, reference.kind)));
            }
        }
        Ok(meanings)
    }

    fn used(&mut self, symbol: Symbol) -> Result<()> {
        let Some((file, definition)) = self.navigator.resolver.opened(symbol)? else { return Ok(()) };
        let words = words_beside_name(&definition);
        for (target, kind) in self.meanings_inside(&file, symbol.ordinal)? {
            let Some((other, used)) = self.navigator.resolver.definition(target)? else { continue };
            // Its own parts are no news.
            if other.version == file.version && other.outwards(used.parent).any(|(around, _)| around == symbol.ordinal)
            {
                continue;
            }
            let in_signature = used.kind.is_type() && words.contains(&used.name);
            let ties = self.ties(target);
            match kind {
                RefKind::Call => ties.calls += 1,
                _ => ties.mentions += 1,
            }
            ties.in_signature |= in_signature;
        }
        Ok(())
    }

    /// Counts, for each symbol that users of the subject also use, the users in common.
    fn used_together(&mut self, users: &[Symbol]) -> Result<()> {
        for user in users.iter().take(MAX_USERS) {
            let Some(file) = self.navigator.resolver.file(user.version)? else { continue };
            let meanings = self.meanings_inside(&file, user.ordinal)?;
            let targets: FxHashSet<Symbol> = meanings.into_iter().map(|(target, _)| target).collect();
            for target in targets {
                let Some((_, definition)) = self.navigator.resolver.definition(target)? else { continue };
                let is_whole = definition.kind.is_callable() || definition.kind.is_type();
                if is_whole || definition.kind == Kind::Constant {
                    self.ties(target).common_users += 1;
                }
            }
        }
        let targets: Vec<Symbol> =
            self.found.iter().filter(|(_, ties)| ties.common_users > 0).map(|(symbol, _)| *symbol).collect();
        for target in targets {
            let Some((_, definition)) = self.navigator.resolver.definition(target)? else { continue };
            self.ties(target).files_with_name = self.navigator.files_with(&definition.name)?.len();
        }
        Ok(())
    }

    /// Definitions in the same type, or on the same level of the same file.
    fn beside(&mut self, symbol: Symbol) -> Result<()> {
        let Some((file, definition)) = self.navigator.resolver.definition(symbol)? else { return Ok(()) };
        let mut own_place = 0;
        let siblings = file.definitions().iter().enumerate();
        let siblings: Vec<u32> = siblings
            .filter(|(_, other)| other.parent == definition.parent && other.kind != Kind::Impl)
            // Of overloads the last one has the body.
            .filter(|(ordinal, other)| {
                let later = file.named(&other.name).iter().filter(|later| **later as usize > *ordinal);
                let is_later = |later: &u32| {
                    let later = &file.definitions()[*later as usize];
                    later.parent == other.parent && later.kind == other.kind && other.kind.is_callable()
                };
                *ordinal == symbol.ordinal as usize || !later.copied().any(|later| is_later(&later))
            })
            .map(|(ordinal, _)| ordinal as u32)
            .collect();
        if let Some(at) = siblings.iter().position(|ordinal| *ordinal == symbol.ordinal) {
            own_place = at;
        }
        let same_type = definition
            .parent
            .is_some_and(|parent| file.definitions().get(parent as usize).is_some_and(|around| around.kind.is_type()));
        for (place, ordinal) in siblings.into_iter().enumerate() {
            let ties = self.ties(Symbol { version: symbol.version, ordinal });
            ties.beside = Some(place.abs_diff(own_place).saturating_sub(1));
            ties.same_type = same_type;
        }
        Ok(())
    }
}

/// Returns whether something with statements of its own is meant when a use stands in it.
fn is_user(kind: Kind) -> bool {
    kind.is_callable() || kind.is_type() && kind != Kind::Impl || kind == Kind::Variable || kind == Kind::Constant
}

/// Returns the words of a signature other than the name it declares: parameters, their types, the
/// result.
fn words_beside_name(definition: &Definition) -> Vec<String> {
    let mut words: Vec<String> = tokenize::words(&definition.signature)
        .filter(|word| *word != definition.name && word.len() > 1)
        .map(str::to_string)
        .collect();
    words.sort();
    words.dedup();
    words
}
