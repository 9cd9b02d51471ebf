//! Direct supertypes and subtypes of a type: by the names in its declaration, by blocks that name
//! it for another type, by aliases, and, where types need not name the interfaces that they
//! implement, by having all methods of one.

use std::sync::{Arc, Mutex};

use codecompass_syntax::ModuleSystem;
use codecompass_syntax::facts::{DeclaredType, Definition, Kind, RefKind, TypeExpr};

use rustc_hash::FxHashMap;

use crate::cache::locked;
use crate::error::Result;
use crate::model::VersionId;
use crate::query::navigate::graph::is_anonymous_host;
use crate::query::navigate::{Navigator, aliases};
use crate::resolve::{Confidence, FileOutline, FileView, Named, Symbol};

/// Definitions of one method name that are looked at for types with all methods of an interface.
const MAX_CANDIDATES: usize = 300;
/// Names of one type, its own and those of variables that hold it, that are looked for.
const MAX_NAMES: usize = 16;

/// Types whose subtypes are kept for the next question.
const KEPT_TYPES: usize = 5_000;

/// The types right below others that were asked for.
#[derive(Default)]
struct KnownBelow(Mutex<FxHashMap<Symbol, Vec<Kin>>>);

/// Kinds of relation between a supertype and a subtype.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Relation {
    /// The declaration of the subtype names the supertype.
    Declared,
    /// A block apart from the subtype names the supertype for it.
    Block,
    /// One is an alias of the other.
    Alias,
    /// The subtype has all methods of the supertype.
    Structural,
    /// The subtype is a class without a name. The function or variable that makes it stands for it.
    Anonymous,
    /// The type is that of what a component is given.
    Props,
    /// A function that stands elsewhere is a member of the type.
    Extension,
}

impl Relation {
    /// The word used in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Relation::Declared => "declared",
            Relation::Block => "block",
            Relation::Alias => "alias",
            Relation::Structural => "structural",
            Relation::Anonymous => "anonymous",
            Relation::Props => "props",
            Relation::Extension => "extension",
        }
    }
}

/// A type right above or below another.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Kin {
    /// `None` when it is outside of the view, or lost.
    pub symbol: Option<Symbol>,
    /// True if it comes from a file of the view in which it was not found.
    pub is_lost: bool,
    /// Its name as written where the relation is stated.
    pub written: String,
    /// The file and line that state the relation.
    pub stated: Option<(VersionId, u32)>,
    /// The block that states it.
    pub block: Option<Symbol>,
    pub relation: Relation,
    pub confidence: Confidence,
}

impl Navigator<'_> {
    /// The types right above a type.
    pub(crate) fn types_above(&self, owner: Symbol) -> Result<Vec<Kin>> {
        let resolver = &self.resolver;
        let mut found = Vec::new();
        for part in self.same_symbol(owner)? {
            for named in resolver.named_supertypes(part)? {
                found.extend(kin_of(named));
            }
        }
        for block in resolver.blocks_of(owner)? {
            for named in resolver.named_supertypes(block)? {
                found.extend(kin_of(named));
            }
        }
        for symbol in resolver.aliased(owner)? {
            found.push(self.plain_kin(symbol, Relation::Alias, Confidence::Static)?);
        }
        for symbol in self.interfaces_of(owner)? {
            found.push(self.plain_kin(symbol, Relation::Structural, Confidence::Heuristic)?);
        }
        Ok(found)
    }

    /// The types right below a type.
    pub(crate) fn types_below(&self, owner: Symbol) -> Result<Vec<Kin>> {
        let known: Arc<KnownBelow> = self.memo.lists.get_or_default();
        if let Some(found) = locked(&known.0).get(&owner) {
            return Ok(found.clone());
        }
        let found = self.find_types_below(owner)?;
        let mut known = locked(&known.0);
        if known.len() >= KEPT_TYPES {
            known.clear();
        }
        known.insert(owner, found.clone());
        Ok(found)
    }

    fn find_types_below(&self, owner: Symbol) -> Result<Vec<Kin>> {
        let Some((home, definition)) = self.resolver.definition(owner)? else { return Ok(Vec::new()) };
        let same = self.same_symbol(owner)?;
        let mut found = Vec::new();
        let mut names = vec![definition.name.clone()];
        let mut at = 0;
        while let Some(name) = names.get(at).cloned() {
            at += 1;
            for version in self.files_with(&name)? {
                let Some(file) = self.resolver.file_that_names(version, &name)? else { continue };
                if file.language.group() != home.language.group() {
                    continue;
                }
                self.kin_named(&file, &name, &same, &mut found)?;
                let taken_in = self.modules_that_pass_on(&file, &name, &same)?;
                for other in self.resolver.assigned_names(&file, &name, &same)?.into_iter().chain(taken_in) {
                    if names.len() < MAX_NAMES && !names.contains(&other) {
                        names.push(other);
                    }
                }
            }
        }
        for symbol in self.implementers_of(owner)? {
            found.push(self.plain_kin(symbol, Relation::Structural, Confidence::Heuristic)?);
        }
        self.own_types_first(found)
    }

    /// The types right below a type outside of the view, which `symbol` names, perhaps with what
    /// stands before it.
    pub(crate) fn types_below_outside(&self, symbol: &str) -> Result<Vec<Kin>> {
        let is_separator = |c: char| matches!(c, '.' | ':' | '\\');
        let name = symbol.rsplit(is_separator).next().unwrap_or(symbol);
        let mut found = Vec::new();
        for version in self.files_with(name)?.into_iter().filter(|_| !name.is_empty()) {
            let Some(file) = self.resolver.file_that_names(version, name)? else { continue };
            for number in file.references_named(name) {
                let reference = file.uses.references[number as usize];
                let Some(below) = reference.enclosing.filter(|_| reference.kind == RefKind::Inherit) else { continue };
                let (targets, confidence) = self.resolver.inherited(&file, &reference)?;
                if targets.is_empty() {
                    found.extend(self.kin_below(&file, below, reference.line, confidence)?);
                }
            }
        }
        self.own_types_first(found)
    }

    /// Puts the program's own types before those of its tests: not all may be listed.
    fn own_types_first(&self, found: Vec<Kin>) -> Result<Vec<Kin>> {
        let mut ranked = Vec::with_capacity(found.len());
        for kin in found {
            let stated = kin.stated.map(|(version, _)| version).or(kin.symbol.map(|symbol| symbol.version));
            ranked.push((stated.map(|version| self.rank(version)).transpose()?, kin));
        }
        ranked.sort_by_key(|(rank, _)| *rank);
        Ok(ranked.into_iter().map(|(_, kin)| kin).collect())
    }

    /// Adds the types of a file that name one of `above` as a supertype, by `name` or by another
    /// name that an import gives it.
    fn kin_named(&self, file: &FileView, name: &str, above: &[Symbol], found: &mut Vec<Kin>) -> Result<()> {
        let mut numbers = file.references_named(name);
        for alias in aliases(file, name) {
            numbers.extend(file.references_named(&alias));
        }
        numbers.sort_unstable();
        numbers.dedup();
        for number in numbers {
            let reference = file.uses.references[number as usize];
            let Some(below) = reference.enclosing.filter(|_| reference.kind == RefKind::Inherit) else { continue };
            if self.resolver.macro_around(file, &reference).is_some() {
                continue;
            }
            let (targets, confidence) = self.resolver.inherited(file, &reference)?;
            if targets.iter().any(|target| above.contains(target)) {
                found.extend(self.kin_below(file, below, reference.line, confidence)?);
            }
        }
        Ok(())
    }

    /// Returns the names of modules of a file whose macro makes one of `above` a supertype of the
    /// modules that take its code in.
    fn modules_that_pass_on(&self, file: &FileView, name: &str, above: &[Symbol]) -> Result<Vec<String>> {
        let mut found = Vec::new();
        for number in file.references_named(name) {
            let reference = file.uses.references[number as usize];
            let Some(owner) = self.resolver.macro_around(file, &reference) else { continue };
            if reference.kind == RefKind::Inherit
                && self.resolver.inherited(file, &reference)?.0.iter().any(|target| above.contains(target))
            {
                found.push(owner.to_string());
            }
        }
        Ok(found)
    }

    fn kin_below(&self, file: &FileView, below: u32, line: u32, confidence: Confidence) -> Result<Option<Kin>> {
        let Some(definition) = file.definitions().get(below as usize) else { return Ok(None) };
        let symbol = Symbol { version: file.version, ordinal: below };
        let is_block = definition.kind == Kind::Impl;
        let relation = match definition.kind {
            Kind::Impl => Relation::Block,
            kind if is_anonymous_host(kind) => Relation::Anonymous,
            _ => Relation::Declared,
        };
        Ok(Some(Kin {
            symbol: if is_block { self.resolver.block_type(symbol)? } else { Some(symbol) },
            is_lost: false,
            written: if is_block { self.resolver.written_block(file, below) } else { definition.name.clone() },
            stated: Some((file.version, line)),
            block: is_block.then_some(symbol),
            relation,
            confidence,
        }))
    }

    fn plain_kin(&self, symbol: Symbol, relation: Relation, confidence: Confidence) -> Result<Kin> {
        let written =
            self.resolver.definition(symbol)?.map(|(_, definition)| definition.name.clone()).unwrap_or_default();
        Ok(Kin { symbol: Some(symbol), is_lost: false, written, stated: None, block: None, relation, confidence })
    }

    /// Returns whether a type is a trait, whose methods are implemented by blocks alone: a trait
    /// below it with a method of the same name has another method.
    pub(crate) fn implements_by_blocks(&self, symbol: Symbol) -> Result<bool> {
        let found = self.resolver.definition(symbol)?;
        Ok(found.is_some_and(|(file, definition)| {
            definition.kind == Kind::Trait && file.rules().modules == ModuleSystem::Crates
        }))
    }

    /// Returns whether a symbol is an interface that types implement without naming it.
    fn is_structural(&self, symbol: Symbol) -> Result<bool> {
        Ok(self
            .resolver
            .definition(symbol)?
            .is_some_and(|(file, definition)| definition.kind == Kind::Interface && file.rules().structural_interfaces))
    }

    /// Methods of interfaces that a method of one of `owners` implements without naming them.
    pub(crate) fn methods_implemented(&self, method: &Definition, owners: &[Symbol]) -> Result<Vec<Symbol>> {
        let mut found = Vec::new();
        for other in self.resolver.named(&method.name)?.iter().take(MAX_CANDIDATES) {
            let asked = self.resolver.definition(*other)?;
            if asked.is_none_or(|(_, asked)| asked.parameter_count() != method.parameter_count()) {
                continue;
            }
            for interface in self.resolver.owners_of(*other)? {
                let mut is_implemented = false;
                for owner in owners.iter().filter(|owner| **owner != interface) {
                    is_implemented = is_implemented || self.implements(*owner, interface)?;
                }
                if is_implemented {
                    found.push(*other);
                }
            }
        }
        Ok(found)
    }

    /// Returns whether a type has all methods of an interface that it need not name.
    fn implements(&self, owner: Symbol, interface: Symbol) -> Result<bool> {
        if let Some(known) = self.memo.implemented.borrow().get(&(owner, interface)) {
            return Ok(*known);
        }
        let is_type = self.resolver.definition(owner)?.is_some_and(|(_, owner)| owner.kind != Kind::Interface);
        let implements = is_type
            && self.is_structural(interface)?
            && self.has_methods(owner, &self.methods_asked_for(interface)?)?;
        self.memo.implemented.borrow_mut().insert((owner, interface), implements);
        Ok(implements)
    }

    /// The methods that an interface asks for, those it takes from others included.
    fn methods_asked_for(&self, interface: Symbol) -> Result<Vec<MethodShape>> {
        let mut pending = vec![interface];
        let mut seen = Vec::new();
        let mut methods = Vec::new();
        while let Some(interface) = pending.pop() {
            if seen.contains(&interface) {
                continue;
            }
            seen.push(interface);
            for member in self.resolver.members_of(interface)? {
                if let Some((file, definition)) = self.resolver.definition(member)?
                    && definition.kind == Kind::Method
                {
                    methods.push(self.shape_of(&file, &definition)?);
                }
            }
            for named in self.resolver.named_supertypes(interface)? {
                pending.extend(named.targets);
            }
        }
        methods.sort();
        methods.dedup();
        Ok(methods)
    }

    fn has_methods(&self, owner: Symbol, methods: &[MethodShape]) -> Result<bool> {
        for asked in methods {
            let mut fits = false;
            for member in self.resolver.all_members_named(owner, &asked.name)? {
                let found = self.resolver.definition(member)?.filter(|(_, found)| found.kind == Kind::Method);
                if let Some((file, found)) = found {
                    fits |= asked.may_be(&self.shape_of(&file, &found)?);
                }
            }
            if !fits {
                return Ok(false);
            }
        }
        Ok(!methods.is_empty())
    }

    fn shape_of(&self, file: &FileOutline, method: &Definition) -> Result<MethodShape> {
        let all = |written: &[TypeExpr<'_>]| {
            written.iter().map(|written| self.known_type(file, written)).collect::<Result<Vec<_>>>()
        };
        let results = match method.declared_type.as_ref().map(|declared| (declared, declared.expression())) {
            None => Some(Vec::new()),
            Some((_, TypeExpr::Tuple(results))) => Some(all(&results)?),
            // A list that is too long is cut.
            Some((declared, _)) if declared.text.starts_with('(') => None,
            Some((_, result)) => Some(vec![self.known_type(file, &result)?]),
        };
        let mut parameters = Vec::new();
        for own in method.own_parameters() {
            let written = own.declared.as_ref().map(DeclaredType::expression);
            parameters.push(written.map(|written| self.known_type(file, &written)).transpose()?.flatten());
        }
        Ok(MethodShape { name: method.name.clone(), parameters, results })
    }

    /// Returns the last name of a type that every program knows or that the view defines, and of
    /// which no other name can be in use.
    fn known_type(&self, file: &FileOutline, written: &TypeExpr<'_>) -> Result<Option<String>> {
        /// A name with more definitions is not looked up.
        const MAX_DEFINITIONS: usize = 16;
        let TypeExpr::Named(path, arguments) = written else { return Ok(None) };
        let Some(name) = path.last().filter(|_| arguments.is_empty()) else { return Ok(None) };
        if path.len() == 1 && file.rules().basic_types.iter().any(|basic| basic == name) {
            return Ok(Some((*name).to_string()));
        }
        let named = self.resolver.named(name)?;
        let mut is_known = false;
        // A name of one letter is a type parameter.
        for symbol in named.iter().filter(|_| name.len() > 1 && named.len() <= MAX_DEFINITIONS) {
            let kind = self.resolver.definition(*symbol)?.map(|(_, definition)| definition.kind);
            match kind {
                Some(Kind::TypeAlias) => return Ok(None),
                Some(Kind::Struct | Kind::Interface | Kind::Class) => is_known = true,
                _ => {}
            }
        }
        Ok(is_known.then(|| (*name).to_string()))
    }

    /// Types with all methods of an interface.
    fn implementers_of(&self, interface: Symbol) -> Result<Vec<Symbol>> {
        if !self.is_structural(interface)? {
            return Ok(Vec::new());
        }
        let methods = self.methods_asked_for(interface)?;
        // The rarest method has the fewest candidates.
        let mut rarest = None;
        for asked in &methods {
            let named = self.resolver.named(&asked.name)?;
            if rarest.as_ref().is_none_or(|known: &std::sync::Arc<Vec<Symbol>>| named.len() < known.len()) {
                rarest = Some(named);
            }
        }
        let mut candidates = Vec::new();
        for method in rarest.iter().flat_map(|named| named.iter()).take(MAX_CANDIDATES) {
            candidates.extend(self.resolver.owners_of(*method)?);
        }
        candidates.sort_unstable_by_key(|symbol| (self.snapshot().position(symbol.version), symbol.ordinal));
        candidates.dedup();
        let mut found = Vec::new();
        for candidate in candidates {
            let kind = self.resolver.definition(candidate)?.map(|(_, definition)| definition.kind);
            if kind.is_some_and(|kind| kind.is_type() && kind != Kind::Interface)
                && self.has_methods(candidate, &methods)?
            {
                found.push(candidate);
            }
        }
        Ok(found)
    }

    /// Interfaces all of whose methods a type has.
    fn interfaces_of(&self, owner: Symbol) -> Result<Vec<Symbol>> {
        let Some((file, definition)) = self.resolver.definition(owner)? else { return Ok(Vec::new()) };
        if !file.rules().structural_interfaces || definition.kind == Kind::Interface {
            return Ok(Vec::new());
        }
        let mut candidates = Vec::new();
        for member in self.resolver.members_of(owner)? {
            let Some((_, member)) = self.resolver.definition(member)? else { continue };
            if member.kind != Kind::Method {
                continue;
            }
            for other in self.resolver.named(&member.name)?.iter().take(MAX_CANDIDATES) {
                for owner in self.resolver.owners_of(*other)? {
                    if self.is_structural(owner)? {
                        candidates.push(owner);
                    }
                }
            }
        }
        candidates.sort_unstable_by_key(|symbol| (self.snapshot().position(symbol.version), symbol.ordinal));
        candidates.dedup();
        let mut found = Vec::new();
        for interface in candidates {
            if self.implements(owner, interface)? {
                found.push(interface);
            }
        }
        Ok(found)
    }
}

/// A method that an interface asks for: its name, and its parameters and results, each with the
/// name of its type where that is known.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct MethodShape {
    name: String,
    parameters: Vec<Option<String>>,
    /// `None` where it is not known how many there are.
    results: Option<Vec<Option<String>>>,
}

impl MethodShape {
    /// Returns whether a method of another shape may be the one asked for.
    fn may_be(&self, other: &MethodShape) -> bool {
        let alike = |a: &[Option<String>], b: &[Option<String>]| {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.is_none() || b.is_none() || a == b)
        };
        let results = self.results.as_ref().zip(other.results.as_ref());
        self.name == other.name
            && alike(&self.parameters, &other.parameters)
            && results.is_none_or(|(results, others)| alike(results, others))
    }
}

/// Returns the supertypes that a type or block names, one for each meaning.
fn kin_of(named: Named) -> Vec<Kin> {
    let Named { written, version, line, block, targets, is_lost, confidence } = named;
    let relation = if block.is_some() { Relation::Block } else { Relation::Declared };
    let kin = |symbol| Kin {
        symbol,
        is_lost,
        written: written.clone(),
        stated: Some((version, line)),
        block,
        relation,
        confidence,
    };
    if targets.is_empty() { vec![kin(None)] } else { targets.into_iter().map(|target| kin(Some(target))).collect() }
}
