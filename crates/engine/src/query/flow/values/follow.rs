//! Follows a value from place to place, breadth first: each place says where the value goes next.

use std::collections::{BTreeSet, VecDeque};

use codecompass_syntax::facts::{Kind, ParameterKind, RefKind};
use codecompass_syntax::flow::{ArgumentPlace, FlowCode, ValuePlace, ValueRole};
use codecompass_syntax::routes::CodePlace;
use rustc_hash::FxHashSet;

use super::keys::KeyPlace;
use super::{ValueStep, ValueUse, ValuesOptions};
use crate::error::Result;
use crate::model::VersionId;
use crate::query::flow::parsed_files::ParsedFiles;
use crate::query::navigate::Navigator;
use crate::query::navigate::use_sites::{Enclosing, UseClass};
use crate::resolve::{Confidence, Resolution, ResolutionEvidence, Symbol};

/// Places that are listed.
const MAX_STEPS: usize = 250;
/// Places of one name that are looked at, and places of one copy.
const MAX_SITES: [usize; 2] = [150, 40];
/// A copy with a name that so many places have is not followed.
const MAX_NAMESAKES: usize = 1_500;
/// Definitions that a call may mean and the value is followed into.
const MAX_CALLEES: usize = 3;

/// Something that holds the value.
#[derive(Clone, Debug)]
pub(super) enum Carrier {
    /// Definitions.
    Symbols(Vec<Symbol>),
    /// Functions that return it.
    Results(Vec<Symbol>),
    /// A name that the function around this byte binds.
    Local(VersionId, usize),
    /// A parameter of a function: its name, and the bytes of the function.
    Parameter(VersionId, String, u32, u32),
    /// Literal texts that are its key.
    Keys(Vec<KeyPlace>),
    /// Names that are spelled like it.
    Names(Vec<KeyPlace>),
}

/// A holder of the value that is still to be looked at.
struct PendingHolder {
    carrier: Carrier,
    /// The step that led there.
    from: Option<usize>,
    hops: u32,
    class: UseClass,
    /// True if not the value is held, but its key.
    is_key: bool,
}

/// A place to look at.
struct ValueSite {
    version: VersionId,
    path: String,
    line: u32,
    column: u32,
    class: UseClass,
    evidence: &'static str,
    is_key: bool,
    /// The value is the result of what is called there.
    is_result: bool,
    is_test: bool,
    enclosing: Option<Enclosing>,
}

/// The walk along the copies of a value.
pub(super) struct Follower<'f, 'a, 'view> {
    files: &'f ParsedFiles<'a, 'view>,
    options: &'f ValuesOptions,
    pub(super) steps: Vec<ValueStep>,
    pub(super) counts: [usize; 6],
    pub(super) not_followed: BTreeSet<String>,
    pub(super) is_cut: bool,
    pending: VecDeque<PendingHolder>,
    seen: FxHashSet<(VersionId, u32, u32)>,
    known: FxHashSet<Symbol>,
}

impl<'f, 'a, 'view> Follower<'f, 'a, 'view> {
    pub(super) fn new(files: &'f ParsedFiles<'a, 'view>, options: &'f ValuesOptions) -> Follower<'f, 'a, 'view> {
        let (steps, counts, not_followed, pending, seen, known) = Default::default();
        Follower { files, options, steps, counts, not_followed, is_cut: false, pending, seen, known }
    }

    fn navigator(&self) -> &'a Navigator<'view> {
        self.files.navigator
    }

    pub(super) fn mark_cut(&mut self, is_cut: bool) {
        self.is_cut |= is_cut;
    }

    /// Adds a place where the walk begins.
    pub(super) fn start(&mut self, carrier: Carrier) {
        let is_key = matches!(carrier, Carrier::Keys(_));
        self.pending.push_back(PendingHolder { carrier, from: None, hops: 0, class: UseClass::Static, is_key });
    }

    /// Adds the definition of what is asked for.
    pub(super) fn add_definition(&mut self, symbol: Symbol) -> Result<()> {
        for part in self.navigator().same_symbol(symbol)? {
            let Some((file, definition)) = self.navigator().resolver.definition(part)? else { continue };
            let (line, column) = (definition.name_line, definition.name_column);
            if !self.known.insert(part) || !self.seen.insert((part.version, line, column)) {
                continue;
            }
            let around = definition.parent.and_then(|parent| file.definitions().get(parent as usize));
            let site = ValueSite {
                version: part.version,
                path: file.path.clone(),
                line,
                column,
                class: UseClass::Static,
                evidence: "definition",
                is_key: false,
                is_result: false,
                is_test: self.navigator().is_test(&file, Some(part.ordinal))?,
                enclosing: around.map(|around| Enclosing::new(around, file.definitions())),
            };
            let source = self.files.code(part.version)?.map(|code| code.line(line).to_string());
            let source = source.unwrap_or_else(|| definition.signature.clone());
            let way = Some(definition.kind.as_str().to_string());
            self.add_step(&site, ValueUse::Defined, way, source, None, 0);
        }
        Ok(())
    }

    /// Looks at all that holds the value, and what it is given to.
    pub(super) fn walk(&mut self) -> Result<()> {
        while let Some(pending) = self.pending.pop_front() {
            let sites = self.sites(&pending)?;
            let most = MAX_SITES[usize::from(pending.hops > 0)];
            self.is_cut |= sites.len() > most;
            for site in sites.into_iter().take(most) {
                if self.seen.insert((site.version, site.line, site.column)) {
                    self.look_at(&site, &pending)?;
                }
            }
        }
        Ok(())
    }

    /// Returns the places of a holder: first those of programs, then those of tests.
    fn sites(&mut self, pending: &PendingHolder) -> Result<Vec<ValueSite>> {
        let mut sites = match &pending.carrier {
            Carrier::Symbols(symbols) => self.uses(symbols, pending, false)?,
            Carrier::Results(functions) => self.uses(functions, pending, true)?,
            Carrier::Local(version, byte) => match self.files.code(*version)? {
                Some(code) => {
                    let uses = code.uses_of_local(*byte);
                    let class = if uses.iter().any(|one| one.is_written) { UseClass::Likely } else { UseClass::Static };
                    self.local_sites(*version, &code, uses, class.max(pending.class), pending.is_key)?
                }
                None => Vec::new(),
            },
            Carrier::Parameter(version, name, start, end) => match self.files.code(*version)? {
                Some(code) => {
                    let uses = code.uses_in(name, *start as usize..*end as usize);
                    self.local_sites(*version, &code, uses, pending.class, pending.is_key)?
                }
                None => Vec::new(),
            },
            Carrier::Keys(places) => self.key_sites(places, true)?,
            Carrier::Names(places) => self.key_sites(places, false)?,
        };
        sites.sort_by_key(|site| (site.is_test, site.class == UseClass::Possible));
        Ok(sites)
    }

    /// Returns the uses of definitions, with those that are only possible where they are asked for
    /// themselves.
    fn uses(&mut self, symbols: &[Symbol], pending: &PendingHolder, is_result: bool) -> Result<Vec<ValueSite>> {
        let navigator = self.navigator();
        if pending.hops > 0 {
            for symbol in symbols {
                if navigator.namesakes_count(*symbol)? > MAX_NAMESAKES {
                    let named = navigator.resolver.definition(*symbol)?;
                    self.not_followed.extend(named.map(|(_, definition)| definition.name.clone()));
                    return Ok(Vec::new());
                }
            }
        }
        let mut all = Vec::new();
        for uses in navigator.uses_together(symbols)? {
            all.extend(navigator.use_sites(&uses)?);
        }
        if pending.hops == 0 && self.options.least == UseClass::Possible {
            let account = navigator.account(symbols, None, true)?;
            all.extend(account.map(|account| account.sites).unwrap_or_default());
        }
        let mut sites = Vec::new();
        let is_callable = symbols.iter().any(|symbol| {
            let found = navigator.resolver.definition(*symbol).ok().flatten();
            found.is_some_and(|(_, definition)| definition.kind.is_callable() && definition.kind != Kind::Property)
        });
        for site in all {
            let is_named = matches!(site.kind, Some(RefKind::Import | RefKind::Type | RefKind::Inherit));
            let is_called = site.kind == Some(RefKind::Call);
            if site.is_declaration || is_named || is_result && is_callable && !is_called {
                continue;
            }
            let Some(version) = navigator.snapshot().version_at(&site.path) else { continue };
            sites.push(ValueSite {
                version,
                path: site.path,
                line: site.line,
                column: site.column,
                class: site.class.max(pending.class),
                evidence: site.evidence.as_str(),
                is_key: pending.is_key,
                is_result: is_result || is_called,
                is_test: site.is_test,
                enclosing: site.enclosing,
            });
        }
        Ok(sites)
    }

    fn local_sites(
        &self,
        version: VersionId,
        code: &FlowCode,
        uses: Vec<codecompass_syntax::flow::LocalUse>,
        class: UseClass,
        is_key: bool,
    ) -> Result<Vec<ValueSite>> {
        let path = self.navigator().snapshot().path_of(version).unwrap_or("").to_string();
        let mut sites = Vec::new();
        for used in uses.into_iter().filter(|used| !used.is_written) {
            let CodePlace { line, column } = code.place_of(used.byte);
            let (enclosing, _, is_test) = self.files.around(version, line)?;
            let (path, is_result, evidence) = (path.clone(), false, ResolutionEvidence::Scope.as_str());
            sites.push(ValueSite {
                version,
                path,
                line,
                column,
                class,
                evidence,
                is_key,
                is_result,
                is_test,
                enclosing,
            });
        }
        Ok(sites)
    }

    fn key_sites(&self, places: &[KeyPlace], is_key: bool) -> Result<Vec<ValueSite>> {
        let mut sites = Vec::new();
        for place in places {
            let Some(version) = self.navigator().snapshot().version_at(&place.path) else { continue };
            let Some(code) = self.files.code(version)? else { continue };
            let CodePlace { line, column } = code.place_of(place.byte);
            let (enclosing, _, is_test) = self.files.around(version, line)?;
            let (path, class) = (place.path.clone(), place.class);
            let evidence = if is_key { "literal_text" } else { ResolutionEvidence::NameOnly.as_str() };
            sites.push(ValueSite {
                version,
                path,
                line,
                column,
                class,
                evidence,
                is_key,
                is_result: false,
                is_test,
                enclosing,
            });
        }
        Ok(sites)
    }

    /// Adds the step of a place, and what the value is given to there.
    fn look_at(&mut self, site: &ValueSite, pending: &PendingHolder) -> Result<()> {
        if site.class > self.options.least {
            return Ok(());
        }
        let code = self.files.code(site.version)?;
        let byte = code.as_ref().and_then(|code| code.byte_at(CodePlace { line: site.line, column: site.column }));
        let (Some(code), Some(byte)) = (code, byte) else {
            self.add_step(site, ValueUse::Read, None, String::new(), pending.from, pending.hops);
            return Ok(());
        };
        let place = if site.is_result { code.result_at(byte) } else { code.value_at(byte, site.is_key) };
        // Other values that a copy is given are not this one.
        if place.role == ValueRole::Written && pending.hops > 0 && !site.is_key {
            return Ok(());
        }
        let (used, mut way) = self.use_of(site, &place)?;
        let class = if place.is_derived { site.class.max(UseClass::Likely) } else { site.class };
        let is_followed = !site.is_test && pending.hops < self.options.hops && class < UseClass::Possible;
        let mut next = Vec::new();
        if is_followed {
            next = self.next(site, &place, class, &mut way)?;
        }
        let source = code.line(site.line).to_string();
        let used = if site.is_test { ValueUse::Tested } else { used };
        let Some(step) = self.add_step(site, used, way, source, pending.from, pending.hops) else { return Ok(()) };
        for (carrier, class, is_key) in next {
            let hops = pending.hops + 1;
            self.pending.push_back(PendingHolder { carrier, from: Some(step), hops, class, is_key });
        }
        Ok(())
    }

    /// Returns what is done at a place, and the way that the value takes there.
    fn use_of(&self, site: &ValueSite, place: &ValuePlace) -> Result<(ValueUse, Option<String>)> {
        let way = match &place.role {
            ValueRole::Copied { name, .. } => Some(format!("to {name}")),
            ValueRole::Argument(argument) => match &argument.label {
                Some(label) => Some(format!("passed to {} as {label}", argument.callee)),
                None => Some(format!("passed to {}", argument.callee)),
            },
            ValueRole::Returned => site.enclosing.as_ref().map(|around| format!("returned by {}", around.local_name)),
            ValueRole::Written | ValueRole::Read => None,
        };
        let used = match (&place.role, place.decides) {
            (_, Some(_)) => ValueUse::Decides,
            (ValueRole::Written, _) => ValueUse::Written,
            (ValueRole::Read, _) => ValueUse::Read,
            _ => ValueUse::Copied,
        };
        Ok((used, way))
    }

    /// Returns what the value is given to at a place.
    fn next(
        &mut self,
        site: &ValueSite,
        place: &ValuePlace,
        class: UseClass,
        way: &mut Option<String>,
    ) -> Result<Vec<(Carrier, UseClass, bool)>> {
        Ok(match &place.role {
            ValueRole::Copied { place: target, is_key: in_map, .. } => {
                let is_key = place.is_key;
                self.target(site, *target, *in_map)?
                    .into_iter()
                    .map(|(carrier, found)| (carrier, found.max(class), is_key))
                    .collect()
            }
            ValueRole::Argument(argument) => {
                let found = self.parameters(site, argument, way)?;
                found.into_iter().map(|(carrier, found)| (carrier, found.max(class), false)).collect()
            }
            ValueRole::Returned => {
                let (_, ordinal, _) = self.files.around(site.version, site.line)?;
                let Some(outline) = self.navigator().resolver.outline(site.version)? else { return Ok(Vec::new()) };
                let function = outline.outwards(ordinal).find(|(_, around)| around.kind.is_callable());
                let function = function.map(|(ordinal, _)| Symbol { version: site.version, ordinal });
                let new = function.filter(|function| self.known.insert(*function));
                new.map(|function| (Carrier::Results(vec![function]), class, place.is_key)).into_iter().collect()
            }
            ValueRole::Written | ValueRole::Read => Vec::new(),
        })
    }

    /// Returns the holder that a name at a place is: a definition, or a name of the function's own.
    fn target(&mut self, site: &ValueSite, at: CodePlace, in_map: bool) -> Result<Vec<(Carrier, UseClass)>> {
        let navigator = self.navigator();
        let symbols: Vec<(Symbol, UseClass)> = match navigator.definition_named_at(&site.path, at.line, at.column)? {
            Some(symbol) => vec![(symbol, UseClass::Static)],
            None => self.meant(&site.path, at)?,
        };
        if symbols.is_empty() {
            if in_map {
                return Ok(Vec::new());
            }
            let code = self.files.code(site.version)?;
            let byte = code.and_then(|code| code.byte_at(at));
            return Ok(byte.map(|byte| (Carrier::Local(site.version, byte), UseClass::Static)).into_iter().collect());
        }
        let mut found = Vec::new();
        for (symbol, class) in symbols {
            if self.known.insert(symbol) {
                found.push((Carrier::Symbols(vec![symbol]), class));
            }
        }
        Ok(found)
    }

    /// Returns the definitions that a name at a place means, or may mean if they are few.
    fn meant(&self, path: &str, at: CodePlace) -> Result<Vec<(Symbol, UseClass)>> {
        let navigator = self.navigator();
        let Some(found) = navigator.use_at(path, at.line, at.column)? else { return Ok(Vec::new()) };
        let class = match &*found.meaning {
            Resolution::Found { confidence: Confidence::Static, .. } => UseClass::Static,
            Resolution::Found { .. } | Resolution::Overloaded { .. } => UseClass::Likely,
            _ => UseClass::Possible,
        };
        let mut symbols = found.meaning.symbols().to_vec();
        if symbols.is_empty() {
            symbols = navigator.candidates_at(&found.file, found.number)?.few().to_vec();
        }
        if symbols.len() > MAX_CALLEES && class == UseClass::Possible {
            return Ok(Vec::new());
        }
        Ok(navigator.in_order(&symbols)?.into_iter().take(MAX_CALLEES).map(|symbol| (symbol, class)).collect())
    }

    /// Returns the parameters that an argument is given for.
    fn parameters(
        &mut self,
        site: &ValueSite,
        argument: &ArgumentPlace,
        way: &mut Option<String>,
    ) -> Result<Vec<(Carrier, UseClass)>> {
        let mut found = Vec::new();
        for (callee, class) in self.meant(&site.path, argument.place)? {
            for function in self.functions(callee)? {
                let Some((file, definition)) = self.navigator().resolver.definition(function)? else { continue };
                let all: Vec<_> = definition.own_parameters().collect();
                let by_label =
                    argument.label.as_ref().and_then(|label| all.iter().find(|parameter| parameter.name == *label));
                let last = || all.last().filter(|last| last.kind == ParameterKind::Variadic);
                let by_place = || all.get(argument.position).or_else(last);
                let Some(parameter) = by_label.or_else(by_place).filter(|one| !one.name.is_empty()) else { continue };
                *way = Some(format!("passed to {} as {}", argument.callee, parameter.name));
                // A parameter in the head of a type may be a field.
                let is_field = |ordinal: &&u32| {
                    let field = file.definitions().get(**ordinal as usize);
                    let head = definition.name_line..=definition.name_line.saturating_add(all.len() as u32 + 1);
                    field.is_some_and(|field| {
                        field.kind.is_value()
                            && [Some(function.ordinal), definition.parent].contains(&field.parent)
                            && head.contains(&field.name_line)
                    })
                };
                let field = file.named(&parameter.name).iter().find(is_field);
                if let Some(ordinal) = field {
                    let field = Symbol { ordinal: *ordinal, ..function };
                    if self.known.insert(field) {
                        found.push((Carrier::Symbols(vec![field]), class));
                    }
                }
                let (start, end) = (definition.span.start_byte, definition.span.end_byte);
                found.push((Carrier::Parameter(function.version, parameter.name.clone(), start, end), class));
            }
        }
        Ok(found)
    }

    /// Returns the functions that a call runs: the constructors of a type.
    fn functions(&self, callee: Symbol) -> Result<Vec<Symbol>> {
        let Some((file, definition)) = self.navigator().resolver.definition(callee)? else { return Ok(Vec::new()) };
        if !definition.kind.is_type() {
            return Ok(vec![callee]);
        }
        let made = file.definitions().iter().enumerate();
        let made = made.filter(|(_, one)| one.parent == Some(callee.ordinal) && one.kind == Kind::Constructor);
        let mut found: Vec<Symbol> = made.map(|(ordinal, _)| Symbol { ordinal: ordinal as u32, ..callee }).collect();
        if definition.parameters.is_some() {
            found.push(callee);
        }
        found.truncate(MAX_CALLEES);
        Ok(found)
    }

    /// Adds a step and returns its number; `None` where there are too many.
    fn add_step(
        &mut self,
        site: &ValueSite,
        used: ValueUse,
        way: Option<String>,
        source: String,
        from: Option<usize>,
        hops: u32,
    ) -> Option<usize> {
        self.counts[used as usize] += 1;
        if self.steps.len() >= MAX_STEPS {
            self.is_cut = true;
            return None;
        }
        self.steps.push(ValueStep {
            used,
            path: site.path.clone(),
            line: site.line,
            column: site.column,
            enclosing: site.enclosing.clone(),
            source,
            way,
            from,
            class: site.class,
            evidence: site.evidence,
            hops,
        });
        Some(self.steps.len() - 1)
    }
}
