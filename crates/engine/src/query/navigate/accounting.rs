//! Accounts for every occurrence of a symbol's name: none that a text search finds is missing from
//! the answer without being counted.
//!
//! The text of each file that has the name is searched for it as a whole word, and each place falls
//! into one class by the facts of the file: a reference and what it resolves to, the name of a
//! definition, a function's own name, a comment or literal. A place that no fact explains could be
//! a use, and so could every place in a file without facts, those that are too large to be indexed
//! among them.

use std::sync::Arc;

use codecompass_syntax::facts::{Definition, Kind, RefKind, TextSpan};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::config::IndexConfig;
use crate::error::Result;
use crate::model::{Role, VersionId};
use crate::query::navigate::name_search::{NamedFile, Occurrence, SearchedName, is_regex_word};
use crate::query::navigate::tally::{Account, OccurrenceClass, Tally, TextPlace};
use crate::query::navigate::use_limits::UseLimits;
use crate::query::navigate::use_sites::{Enclosing, UseClass, UseSite};
use crate::query::navigate::{Navigator, Use, attribute_variable};
use crate::resolve::{Confidence, FileView, Resolution, ResolutionEvidence, Symbol};
use crate::scan::{Source, role};

/// A file without facts that has the name more often is data; it is named, its places are not
/// listed.
const MAX_UNEXPLAINED: usize = 10_000;
/// Marks before a name that grammars count into it, such as the `$` of a variable.
const MAX_MARKS: u32 = 2;

impl Navigator<'_> {
    /// Classifies every occurrence of the name that symbols of one family of languages have in
    /// common; `None` for symbols without a name, and where no texts are at hand. `asked` is the
    /// line that the question named, if it did. `together` makes a use of what is a call of one of
    /// the symbols, whichever it is.
    pub(crate) fn account(&self, symbols: &[Symbol], asked: Option<u32>, together: bool) -> Result<Option<Account>> {
        let (Some((source, config)), Some(symbol)) = (&self.texts, symbols.first().copied()) else { return Ok(None) };
        let Some((home, definition)) = self.resolver.definition(symbol)? else { return Ok(None) };
        let word = SearchedName::of(&home, &definition.name);
        let key = (symbols.to_vec(), asked, together);
        if let Some(known) = self.memo.accounts.borrow().get(&key)
            && self.large_files_lack(source, word)
        {
            return Ok(Some(known.clone()));
        }
        let Some(tally) = self.tally(symbols, asked, together, false)? else { return Ok(None) };
        let account = tally.finish();
        // A file that is not as it was indexed may change again without another state of the view.
        if self.searched(source, config, word)?.is_indexed() {
            self.memo.accounts.borrow_mut().insert(key, account.clone());
        }
        Ok(Some(account))
    }

    /// Returns the account of symbols that a question asks for together, and the places in comments
    /// and literal texts.
    pub(crate) fn account_with_texts(&self, symbols: &[Symbol]) -> Result<Option<(Account, Vec<TextPlace>)>> {
        let Some(mut tally) = self.tally(symbols, None, true, true)? else { return Ok(None) };
        let texts = tally.texts.take().unwrap_or_default();
        Ok(Some((tally.finish(), texts)))
    }

    /// Classifies every occurrence of the name that symbols have in common.
    fn tally(
        &self,
        symbols: &[Symbol],
        asked: Option<u32>,
        together: bool,
        keeps_texts: bool,
    ) -> Result<Option<Tally>> {
        let (Some((source, config)), Some(symbol)) = (&self.texts, symbols.first().copied()) else { return Ok(None) };
        let Some((home, definition)) = self.resolver.definition(symbol)? else { return Ok(None) };
        let name = definition.name.as_str();
        if name.is_empty() {
            return Ok(None);
        }
        let word = SearchedName::of(&home, name);
        self.search_texts(symbol)?;
        let (mut main, mut claims, mut uses) = (Vec::new(), Vec::new(), Vec::new());
        let (mut is_of_interface, mut marked) = (false, None);
        let mut variable_mark = home.rules().variable_mark.bytes().next();
        for symbol in symbols {
            let Some((home, definition)) = self.resolver.definition(*symbol)? else { continue };
            main.push((symbol.version, asked.unwrap_or(definition.name_line)));
            claims.push(self.claim(*symbol)?);
            if !together {
                uses.extend(self.uses_of(*symbol)?.iter().cloned());
            }
            let around = definition.parent.and_then(|parent| home.definitions().get(parent as usize));
            is_of_interface |= around.is_some_and(|around| matches!(around.kind, Kind::Interface | Kind::TypeAlias));
            marked = marked.or(attribute_variable(&home, &definition));
            let may_be_variable = definition.kind.is_value() || definition.kind == Kind::Property;
            variable_mark = variable_mark.filter(|_| !may_be_variable);
        }
        if together {
            uses = self.uses_together(symbols)?.concat();
        }
        let classifier = Classifier {
            is_of_interface,
            marked,
            variable_mark,
            keeps_texts,
            ..Classifier::new(self, name, claims, &uses)
        };
        self.classify(source, config, word, main, &classifier).map(Some)
    }

    /// Classifies every occurrence of a name that is not defined in the view and has these uses;
    /// `None` where no texts are at hand.
    pub(super) fn account_imported(&self, name: &str, group: &'static str, uses: &[Use]) -> Result<Option<Account>> {
        let Some((source, config)) = &self.texts else { return Ok(None) };
        let classifier = Classifier::new(self, name, vec![Arc::default()], uses);
        let word = SearchedName { name, group, keyword_mark: "" };
        Ok(Some(self.classify(source, config, word, Vec::new(), &classifier)?.finish()))
    }

    /// Finds and classifies the occurrences of a name in the files of a family of languages; `main`
    /// are the places of the definitions that are not listed.
    fn classify(
        &self,
        source: &Source,
        config: &IndexConfig,
        word: SearchedName<'_>,
        main: Vec<(VersionId, u32)>,
        classifier: &Classifier<'_, '_>,
    ) -> Result<Tally> {
        let name = classifier.name;
        let searched = self.searched(source, config, word)?;
        let mut tally = Tally::new(name, main, classifier.uses.len());
        tally.texts = classifier.keeps_texts.then(Vec::new);
        for (file, found) in searched.files.iter().zip(&searched.found) {
            let Some(occurrences) = &found.occurrences else {
                tally.accounting.unread.push(file.path.to_string());
                continue;
            };
            if occurrences.is_empty() {
                continue;
            }
            let view = match file.version.filter(|_| file.has_facts && found.is_indexed) {
                Some(version) => self.resolver.file(version)?,
                None => None,
            };
            if view.is_none() && occurrences.len() > MAX_UNEXPLAINED {
                tally.accounting.unread.push(file.path.to_string());
                continue;
            }
            let places = view.as_deref().map(|view| Places::of(view, name, classifier.marked.as_deref()));
            let mut end = 0;
            for occurrence in occurrences {
                let is_keyword = classifier.claims.iter().all(|claim| claim.limits.rule_out(occurrence));
                let occurrence = Occurrence { is_keyword, ..*occurrence };
                let marks = (occurrence.byte - end).min(MAX_MARKS);
                end = occurrence.byte + name.len() as u32;
                let class = match (&view, &places) {
                    (Some(view), Some(places)) => classifier.class(view, places, occurrence, marks)?,
                    _ => OccurrenceClass::Possible(None),
                };
                let class = match class {
                    OccurrenceClass::Possible(number) if !classifier.admits(file, view.as_deref(), number) => {
                        OccurrenceClass::Other(None)
                    }
                    OccurrenceClass::Possible(None) if is_symbol(view.as_deref(), occurrence) => {
                        OccurrenceClass::Mention
                    }
                    class => class,
                };
                tally.add(self, file, view.as_deref(), occurrence, class)?;
            }
        }
        tally.drop_mentions();
        Ok(tally)
    }

    /// Returns the facts that decide whether a name that was not resolved may mean a symbol.
    pub(super) fn claim(&self, symbol: Symbol) -> Result<Arc<Claim>> {
        if let Some(known) = self.memo.claims.borrow().get(&symbol) {
            return Ok(Arc::clone(known));
        }
        let own: FxHashSet<Symbol> = self.same_symbol(symbol)?.into_iter().collect();
        let members = self.overridden(symbol)?.into_iter().collect();
        let above = Overridden { members, foreign_types: self.resolver.foreign_bases(symbol)? };
        let overrides = !above.members.is_empty();
        let limits = UseLimits::of(self, own.iter().copied(), overrides, above.foreign_types.len())?;
        let claim = Arc::new(Claim { own, above, limits });
        self.memo.claims.borrow_mut().insert(symbol, Arc::clone(&claim));
        Ok(claim)
    }

    /// Returns whether a reference that was not resolved may mean a symbol. An account of the
    /// symbol counts the same ones as possible.
    pub(super) fn may_be_meant(&self, symbol: Symbol, file: &FileView, number: u32) -> Result<bool> {
        let claim = self.claim(symbol)?;
        if !claim.admits(file, number) {
            return Ok(false);
        }
        let meaning = Classifier::new(self, "", vec![claim], &[]).meaning(file, number)?;
        Ok(matches!(meaning, OccurrenceClass::Possible(_)))
    }

    pub(super) fn possible_site(
        &self,
        file: &NamedFile<'_>,
        view: Option<&FileView>,
        number: Option<u32>,
        at: Occurrence,
        name: &str,
    ) -> Result<UseSite> {
        let reference = number.and_then(|number| view?.uses.references.get(number as usize));
        let outline = match view {
            Some(view) => self.resolver.outline(view.version)?,
            None => None,
        };
        let ordinal = match (reference, &outline) {
            (Some(reference), _) => reference.enclosing,
            (None, Some(outline)) => outline.outline.innermost_at(at.line, |_| true, |around| around.span.start_line),
            (None, None) => None,
        };
        let definitions = outline.as_ref().map_or(&[][..], |outline| outline.definitions());
        let enclosing = ordinal.and_then(|ordinal| definitions.get(ordinal as usize));
        let is_test = match &outline {
            Some(outline) => self.is_test(outline, ordinal)?,
            None => role(file.path) == Role::Test,
        };
        let file_mark = file.version.map(|version| self.file_mark(version)).transpose()?.flatten();
        Ok(UseSite {
            path: file.path.to_string(),
            line: at.line,
            column: at.column,
            kind: reference.map(|reference| reference.kind),
            is_declaration: false,
            name: name.to_string(),
            enclosing: enclosing.map(|definition| Enclosing::new(definition, definitions)),
            is_test,
            class: UseClass::Possible,
            evidence: ResolutionEvidence::NameOnly,
            file_mark,
            definition: 0,
        })
    }
}

/// Returns whether an occurrence is a value that is written with the name.
fn is_symbol(view: Option<&FileView>, occurrence: Occurrence) -> bool {
    view.is_some_and(|view| view.rules().symbol_mark.as_bytes() == [occurrence.before])
}

/// Tells what occurrences of one symbol's name are.
struct Classifier<'nav, 'view> {
    navigator: &'nav Navigator<'view>,
    name: &'nav str,
    /// Of each symbol.
    claims: Vec<Arc<Claim>>,
    uses: FxHashMap<(VersionId, u32), UseClass>,
    /// The symbol is a member of an interface.
    is_of_interface: bool,
    /// The same name with a mark before it, if that is another name of the symbol.
    marked: Option<String>,
    /// The mark of variables, if none of the symbols is one.
    variable_mark: Option<u8>,
    /// Places in comments and literal texts are asked for.
    keeps_texts: bool,
}

/// The facts that decide whether a name that was not resolved may mean a symbol.
#[derive(Default)]
pub(super) struct Claim {
    /// The symbol and its parts.
    pub(super) own: FxHashSet<Symbol>,
    /// Members that the symbol may be meant by.
    above: Overridden,
    pub(super) limits: UseLimits,
}

impl Claim {
    /// Returns whether no fact rules out that a reference means the symbol.
    fn admits(&self, file: &FileView, number: u32) -> bool {
        self.limits.is_seen(Some(file.version), &file.path) && self.limits.admit(file, number)
    }
}

/// The members that a symbol overrides or implements: what may mean one of them may mean the
/// symbol.
#[derive(Default)]
struct Overridden {
    members: FxHashSet<Symbol>,
    /// Types outside whose members the symbol may override.
    foreign_types: Vec<String>,
}

impl<'nav, 'view> Classifier<'nav, 'view> {
    fn new(
        navigator: &'nav Navigator<'view>,
        name: &'nav str,
        claims: Vec<Arc<Claim>>,
        uses: &[Use],
    ) -> Classifier<'nav, 'view> {
        let uses = uses.iter().map(|used| ((used.version, used.number), used.confidence.into())).collect();
        let (is_of_interface, marked, variable_mark, keeps_texts) = (false, None, None, false);
        Classifier { navigator, name, claims, uses, is_of_interface, marked, variable_mark, keeps_texts }
    }

    /// Classifies an occurrence. At most `marks` bytes before it may be counted into its name.
    fn class(&self, file: &FileView, places: &Places, at: Occurrence, marks: u32) -> Result<OccurrenceClass> {
        for marks in 0..=marks.min(at.column - 1) {
            let place = (at.line, at.column - marks);
            let defined =
                places.definitions.get(&place).map(|ordinal| Symbol { version: file.version, ordinal: *ordinal });
            let own = defined.and_then(|symbol| self.claims.iter().position(|claim| claim.own.contains(&symbol)));
            // Of several symbols, one may be defined where another is written.
            let is_use = |number: &u32| self.claims.len() > 1 && self.uses.contains_key(&(file.version, *number));
            let is_used = places.references.get(&place).is_some_and(|numbers| numbers.iter().any(is_use));
            if let Some(own) = own.filter(|_| !is_used) {
                return Ok(OccurrenceClass::Own(own));
            }
            if let Some(numbers) = places.references.get(&place) {
                let class = self.class_of_references(file, numbers)?;
                // A function that is assigned to a member of an unknown object is one of its own.
                let kind = |number: &u32| file.uses.references.get(*number as usize).map(|reference| reference.kind);
                let is_assigned =
                    defined.is_some() && numbers.iter().all(|number| kind(number) == Some(RefKind::Write));
                if !is_assigned || !matches!(class, OccurrenceClass::Possible(_)) {
                    return Ok(class);
                }
            }
            if let Some(symbol) = defined {
                return Ok(if self.may_implement(file, symbol) || is_problem(file, at.line) {
                    OccurrenceClass::Possible(None)
                } else {
                    OccurrenceClass::Other(self.target(symbol)?)
                });
            }
            if file.uses.locals.binary_search(&(at.byte - marks)).is_ok() {
                let is_damaged = file.is_damaged(at.line);
                return Ok(if is_damaged { OccurrenceClass::Possible(None) } else { OccurrenceClass::Other(None) });
            }
        }
        Ok(if places.longer.contains(&(at.line, at.column)) {
            OccurrenceClass::Other(None)
        } else if is_inside(&file.uses.texts, at.byte) {
            OccurrenceClass::Text
        } else if at.is_keyword && !file.is_damaged(at.line) || self.variable_mark == Some(at.before) {
            OccurrenceClass::Other(None)
        } else {
            OccurrenceClass::Possible(None)
        })
    }

    /// Classifies the references at one place.
    fn class_of_references(&self, file: &FileView, numbers: &[u32]) -> Result<OccurrenceClass> {
        let mut best = OccurrenceClass::Possible(numbers.first().copied());
        for number in numbers {
            if let Some(class) = self.uses.get(&(file.version, *number)) {
                return Ok(OccurrenceClass::Use(*class));
            }
            match self.meaning(file, *number)? {
                OccurrenceClass::Possible(_) => {}
                class => best = class,
            }
        }
        Ok(best)
    }

    /// Classifies a reference that is no known use of the symbols.
    fn meaning(&self, file: &FileView, number: u32) -> Result<OccurrenceClass> {
        let mut found = OccurrenceClass::Possible(Some(number));
        for claim in &self.claims {
            found = self.meaning_for(claim, file, number)?;
            if matches!(found, OccurrenceClass::Possible(_)) && claim.admits(file, number) {
                break;
            }
        }
        Ok(found)
    }

    /// Returns whether what may mean one of the symbols is not ruled out for all of them.
    fn admits(&self, file: &NamedFile<'_>, view: Option<&FileView>, number: Option<u32>) -> bool {
        self.claims.iter().any(|claim| match (view, number) {
            (Some(view), Some(number)) => claim.admits(view, number),
            _ => claim.limits.is_seen(file.version, file.path),
        })
    }

    fn meaning_for(&self, claim: &Claim, file: &FileView, number: u32) -> Result<OccurrenceClass> {
        Ok(match &*self.navigator.meaning(file, number)? {
            // What is not proven and may mean an overridden member may as well mean the symbol.
            Resolution::Overloaded { targets: candidates, .. }
            | Resolution::Ambiguous(candidates)
            | Resolution::Found { targets: candidates, confidence: Confidence::Heuristic, .. }
                if candidates.iter().any(|one| claim.own.contains(one) || claim.above.members.contains(one)) =>
            {
                OccurrenceClass::Possible(Some(number))
            }
            Resolution::Found { confidence: Confidence::Heuristic, evidence, .. }
                if *evidence != ResolutionEvidence::Arity && self.may_be_meant(claim, file, number)? =>
            {
                OccurrenceClass::Possible(Some(number))
            }
            Resolution::Found { .. } if self.may_make_one(claim, file, number)? => {
                OccurrenceClass::Possible(Some(number))
            }
            // Where the grammar lost its way, scopes prove nothing.
            found if self.is_doubtful(file, number, found) => OccurrenceClass::Possible(Some(number)),
            Resolution::Found { targets, .. }
            | Resolution::Overloaded { targets, .. }
            | Resolution::Ambiguous(targets) => {
                let target = targets.iter().find(|target| !claim.own.contains(target));
                OccurrenceClass::Other(target.map_or(Ok(None), |target| self.target(*target))?)
            }
            Resolution::Module(_) => OccurrenceClass::Other(None),
            Resolution::External => {
                let bases = &claim.above.foreign_types;
                let is_proven = self.navigator.resolver.is_proven_external(file, number, bases)?;
                if is_proven { OccurrenceClass::Other(None) } else { OccurrenceClass::Possible(Some(number)) }
            }
            Resolution::Unknown => {
                let is_proven = match file.uses.references.get(number as usize) {
                    Some(reference) => self.navigator.resolver.is_in_outside_crate(file, reference)?,
                    None => false,
                };
                if is_proven { OccurrenceClass::Other(None) } else { OccurrenceClass::Possible(Some(number)) }
            }
        })
    }

    /// Returns whether a call may make an instance by one of the constructors of a claim.
    fn may_make_one(&self, claim: &Claim, file: &FileView, number: u32) -> Result<bool> {
        for symbol in &claim.own {
            if self.navigator.may_make(*symbol, file, number)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Returns whether a reference stands where the grammar lost its way, and no import or type
    /// tells what it means.
    fn is_doubtful(&self, file: &FileView, number: u32, found: &Resolution) -> bool {
        let is_proven = match found {
            Resolution::Found { confidence: Confidence::Static, evidence, .. } => matches!(
                evidence,
                ResolutionEvidence::Import | ResolutionEvidence::ModuleMember | ResolutionEvidence::ReceiverType
            ),
            Resolution::Found { .. } | Resolution::Overloaded { .. } | Resolution::Ambiguous(_) => false,
            _ => true,
        };
        let reference = file.uses.references.get(number as usize);
        !is_proven && reference.is_some_and(|reference| file.is_damaged(reference.line))
    }

    /// Returns whether a method of an object without a type may be there for the symbol, a member
    /// of a type that objects can be of without saying so.
    fn may_implement(&self, file: &FileView, other: Symbol) -> bool {
        let definitions = file.definitions();
        let Some(method) = definitions.get(other.ordinal as usize) else { return false };
        let around = method.parent.and_then(|parent| definitions.get(parent as usize));
        let is_in_object = around.is_some_and(|around| around.kind.is_callable() || around.kind.is_value());
        self.is_of_interface && method.kind == Kind::Method && is_in_object
    }

    /// Returns whether a reference that is taken for another definition may mean the symbol.
    fn may_be_meant(&self, claim: &Claim, file: &FileView, number: u32) -> Result<bool> {
        let Some(reference) = file.uses.references.get(number as usize) else { return Ok(false) };
        for symbol in &claim.own {
            if self.navigator.resolver.may_mean(file, reference, *symbol)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The qualified name of another definition.
    fn target(&self, symbol: Symbol) -> Result<Option<String>> {
        let found = self.navigator.resolver.definition(symbol)?;
        Ok(found.map(|(_, definition)| definition.qualified_name.clone()).filter(|name| name != self.name))
    }
}

/// The places where a file's facts have a name.
#[derive(Default)]
struct Places {
    references: FxHashMap<(u32, u32), Vec<u32>>,
    definitions: FxHashMap<(u32, u32), u32>,
    /// Names that begin with the one that is searched for and go on behind a mark, such as `save!`,
    /// or end with it behind a mark, such as `$save`.
    longer: FxHashSet<(u32, u32)>,
}

impl Places {
    /// Finds the places of a name, and of the same with a mark before it.
    fn of(file: &FileView, name: &str, marked: Option<&str>) -> Places {
        let mut places = Places::default();
        for number in [name].into_iter().chain(marked).flat_map(|name| file.references_named(name)) {
            let Some(reference) = file.uses.references.get(number as usize) else { continue };
            places.references.entry((reference.line, reference.column)).or_default().push(number);
        }
        let goes_on = |longer: &str| {
            longer.strip_prefix(name).and_then(|rest| rest.chars().next()).is_some_and(|mark| !is_regex_word(mark))
        };
        for longer in file.uses.names.iter().filter(|longer| goes_on(longer)) {
            let references = file.references_named(longer).into_iter();
            let references = references.filter_map(|number| file.uses.references.get(number as usize));
            places.longer.extend(references.map(|reference| (reference.line, reference.column)));
        }
        let marks = |longer: &str| longer.strip_suffix(name).filter(|marks| !marks.is_empty()).map(str::to_string);
        let marks = |longer: &str| marks(longer).filter(|marks| !marks.chars().any(is_regex_word));
        let is_other = |longer: &&String| Some(longer.as_str()) != marked;
        let names = file.uses.names.iter().filter(is_other);
        for (longer, marks) in names.filter_map(|longer| Some((longer, marks(longer)?))) {
            let references = file.references_named(longer).into_iter();
            let references = references.filter_map(|number| file.uses.references.get(number as usize));
            places.longer.extend(references.map(|reference| (reference.line, reference.column + marks.len() as u32)));
        }
        let definitions = file.definitions().iter().filter(|definition| goes_on(&definition.name));
        places.longer.extend(definitions.map(|definition| (definition.name_line, definition.name_column)));
        let named = |definition: &&Definition| definition.name == name || Some(definition.name.as_str()) == marked;
        for (ordinal, definition) in file.definitions().iter().enumerate().filter(|(_, one)| named(one)) {
            places.definitions.entry((definition.name_line, definition.name_column)).or_insert(ordinal as u32);
        }
        places
    }
}

/// Returns whether the grammar could not make sense of a line.
fn is_problem(file: &FileView, line: u32) -> bool {
    file.outline.problems.iter().any(|problem| problem.line == line)
}

fn is_inside(texts: &[TextSpan], byte: u32) -> bool {
    let after = texts.partition_point(|text| text.start <= byte);
    after.checked_sub(1).is_some_and(|last| byte < texts[last].start + texts[last].length)
}

impl From<Confidence> for UseClass {
    fn from(confidence: Confidence) -> UseClass {
        match confidence {
            Confidence::Static => UseClass::Static,
            Confidence::Heuristic => UseClass::Likely,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_hold_their_bytes() {
        let texts = [TextSpan { start: 2, length: 3 }, TextSpan { start: 8, length: 1 }];
        let inside: Vec<u32> = (0..10).filter(|byte| is_inside(&texts, *byte)).collect();
        assert_eq!(inside, [2, 3, 4, 8]);
    }
}
