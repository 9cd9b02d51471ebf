//! Calls through values: a function that is stored in a field may be called wherever the field is.
//!
//! A function is stored in a field by an assignment (`ops->follow = f`), also of one without a name
//! (`effect.scheduler = () => run(job)`), by a named part of an initialiser (`.follow = f`), or by
//! its place in the initialiser of a variable whose type has fields that hold functions. Only the
//! last write counts as a write of what follows it: facts have names, not statements.

use codecompass_syntax::facts::{Definition, Kind, RefKind, Reference};

use crate::error::Result;
use crate::query::navigate::graph::{Edge, Follow, Link, Vertex, user_at};
use crate::query::navigate::use_sites::{UseClass, UseSite};
use crate::query::navigate::{Navigator, Use};
use crate::resolve::{Confidence, FileView, Given, Resolution, ResolutionEvidence, Symbol};

/// Fields that one function, or functions that one field, may be followed to.
const MAX_FOLLOWED: usize = 24;

impl Navigator<'_> {
    /// Returns the calls that may reach a function through the fields that hold it.
    pub(super) fn calls_through_fields(&self, function: Symbol) -> Result<Vec<UseSite>> {
        let Some((_, definition)) = self.resolver.definition(function)? else { return Ok(Vec::new()) };
        if !definition.kind.is_callable() {
            return Ok(Vec::new());
        }
        let mut fields = self.fields_assigned(function)?;
        for used in self.uses_of(function)?.iter().filter(|used| is_passed(&used.reference)) {
            for field in self.fields_that_hold(used)? {
                if !fields.contains(&field) && fields.len() < MAX_FOLLOWED {
                    fields.push(field);
                }
            }
        }
        let mut calls = Vec::new();
        for field in fields {
            calls.extend(self.calls_of_field(field, function)?);
        }
        let mut sites = self.use_sites(&calls)?;
        for site in &mut sites {
            (site.class, site.evidence) = (UseClass::Possible, ResolutionEvidence::StoredFunction);
        }
        sites.sort_by(|a, b| (&a.path, a.line, a.column).cmp(&(&b.path, b.line, b.column)));
        sites.dedup_by(|a, b| (&a.path, a.line, a.column) == (&b.path, b.line, b.column));
        Ok(sites)
    }

    /// Returns the calls of a field that a function can take.
    fn calls_of_field(&self, field: Symbol, function: Symbol) -> Result<Vec<Use>> {
        let mut calls = Vec::new();
        for used in self.uses_of(field)?.iter().filter(|used| used.reference.kind == RefKind::Call) {
            if self.may_take(function, &used.reference)? {
                calls.push(used.clone());
            }
        }
        Ok(calls)
    }

    /// Returns the links to a function without a name of its own from the calls of the fields that
    /// it is assigned to.
    pub(super) fn links_through_fields(&self, function: Symbol) -> Result<Vec<Link>> {
        let mut links = Vec::new();
        for field in self.fields_assigned(function)? {
            for used in self.calls_of_field(field, function)? {
                let Some(user) = self.resolver.outline(used.version)? else { continue };
                let from = user_at(&user, &used, Follow::Passed);
                let (confidence, evidence) = (Confidence::Heuristic, ResolutionEvidence::StoredFunction);
                let used = Use { confidence, evidence, ..used };
                links.push(Link { through: Some(field), ..Link::sure(from, function, used) });
            }
        }
        Ok(links)
    }

    /// Returns the fields that the assignment which defines a function writes.
    fn fields_assigned(&self, function: Symbol) -> Result<Vec<Symbol>> {
        let Some((file, definition)) = self.resolver.opened(function)? else { return Ok(Vec::new()) };
        let numbers = file.references_named(&definition.name);
        let is_its_own = |reference: &Reference| {
            reference.kind == RefKind::Write
                && (reference.line, reference.column) == (definition.name_line, definition.name_column)
        };
        let mut fields = Vec::new();
        for number in numbers.into_iter().filter(|number| is_its_own(&file.uses.references[*number as usize])) {
            let Resolution::Found { targets, .. } = &*self.meaning(&file, number)? else { continue };
            for symbol in targets {
                if self.is_field(*symbol)? {
                    fields.push(*symbol);
                }
            }
        }
        Ok(fields)
    }

    /// Returns the functions that a symbol may call through the fields that it calls.
    pub(super) fn callees_through_fields(&self, symbol: Symbol) -> Result<Vec<Edge>> {
        let mut edges = Vec::new();
        for (field, call) in self.called_by(symbol)? {
            if !self.is_field(field)? {
                continue;
            }
            for function in self.functions_held_by(field)? {
                if self.may_take(function, &call.reference)? {
                    let (confidence, evidence) = (Confidence::Heuristic, ResolutionEvidence::StoredFunction);
                    let link =
                        Link::sure(Vertex::Symbol(symbol), function, Use { confidence, evidence, ..call.clone() });
                    edges.extend(self.edge(&Link { through: Some(field), ..link })?);
                }
            }
        }
        Ok(edges)
    }

    /// Returns the fields that a use of a function stores it in.
    fn fields_that_hold(&self, used: &Use) -> Result<Vec<Symbol>> {
        let Some(file) = self.resolver.file(used.version)? else { return Ok(Vec::new()) };
        let before = used.number.checked_sub(1);
        let written = before.filter(|before| writes_next(&file, *before));
        match written {
            Some(written) => self.fields_written(&file, written),
            None => self.fields_by_place(&file, &used.reference),
        }
    }

    /// Returns the fields that a write may mean.
    fn fields_written(&self, file: &FileView, written: u32) -> Result<Vec<Symbol>> {
        let meaning = self.meaning(file, written)?;
        let mut fields = Vec::new();
        for symbol in meaning.symbols() {
            if self.is_field(*symbol)? {
                fields.push(*symbol);
            }
        }
        let Some(reference) = file.uses.references.get(written as usize) else { return Ok(fields) };
        if !fields.is_empty() || *meaning == Resolution::External {
            return Ok(fields);
        }
        // The initialiser of an element does not say of which type it is.
        for symbol in self.resolver.named(file.name(reference.name))?.iter() {
            let Some((other, _)) = self.resolver.definition(*symbol)? else { continue };
            if other.language.group() == file.language.group() && self.is_field(*symbol)? {
                fields.push(*symbol);
            }
        }
        fields.truncate(MAX_FOLLOWED);
        Ok(fields)
    }

    /// Returns the fields that may hold a function which stands in the initialiser of a variable.
    fn fields_by_place(&self, file: &FileView, reference: &Reference) -> Result<Vec<Symbol>> {
        let variable = reference.enclosing.and_then(|ordinal| file.definitions().get(ordinal as usize));
        let is_table = variable.is_some_and(|variable| variable.kind.is_value() && variable.declared_type.is_some());
        let Some(ordinal) = reference.enclosing.filter(|_| is_table) else { return Ok(Vec::new()) };
        let mut fields = Vec::new();
        for owner in self.resolver.types_of(Symbol { version: file.version, ordinal })? {
            let Some(outline) = self.resolver.outline(owner.version)? else { continue };
            for (ordinal, field) in outline.definitions().iter().enumerate() {
                let symbol = Symbol { version: owner.version, ordinal: ordinal as u32 };
                if field.parent == Some(owner.ordinal) && field.kind == Kind::Field && self.holds_function(field)? {
                    fields.push(symbol);
                }
            }
        }
        Ok(fields)
    }

    /// Returns whether a field holds a function, as far as its declaration or that of its type
    /// tells.
    fn holds_function(&self, field: &Definition) -> Result<bool> {
        if field.signature.contains('(') {
            return Ok(true);
        }
        let Some(name) = field.declared_type.as_ref().and_then(|declared| declared.expression().as_name()) else {
            return Ok(false);
        };
        for symbol in self.resolver.named(name)?.iter() {
            let alias = self.resolver.definition(*symbol)?;
            let is_function = |alias: &Definition| alias.kind == Kind::TypeAlias && alias.signature.contains('(');
            if alias.is_some_and(|(_, alias)| is_function(&alias)) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Returns the functions that are stored in a field.
    fn functions_held_by(&self, field: Symbol) -> Result<Vec<Symbol>> {
        let mut functions = Vec::new();
        for used in self.uses_of(field)?.iter().filter(|used| used.reference.kind == RefKind::Write) {
            let Some(file) = self.resolver.file(used.version)? else { continue };
            let place = (used.reference.line, used.reference.column);
            let assigned = file.named(&used.name).iter().copied().find(|ordinal| {
                let definition = &file.definitions()[*ordinal as usize];
                definition.kind.is_callable() && (definition.name_line, definition.name_column) == place
            });
            if let Some(ordinal) = assigned.filter(|_| functions.len() < MAX_FOLLOWED) {
                functions.push(Symbol { version: used.version, ordinal });
                continue;
            }
            let next = used.number + 1;
            let value = file.uses.references.get(next as usize).filter(|value| is_passed(value));
            if value.is_none() || !writes_next(&file, used.number) {
                continue;
            }
            for symbol in self.meaning(&file, next)?.symbols() {
                let is_callable = self.resolver.definition(*symbol)?.is_some_and(|(_, it)| it.kind.is_callable());
                if is_callable && !functions.contains(symbol) && functions.len() < MAX_FOLLOWED {
                    functions.push(*symbol);
                }
            }
        }
        self.in_order(&functions)
    }

    fn is_field(&self, symbol: Symbol) -> Result<bool> {
        Ok(self.resolver.definition(symbol)?.is_some_and(|(_, definition)| definition.kind == Kind::Field))
    }

    /// Returns whether a function can take the arguments of a call.
    fn may_take(&self, function: Symbol, call: &Reference) -> Result<bool> {
        let (Some(given), Some(arity)) = (Given::unlabelled(call, None), self.resolver.arity(function)?) else {
            return Ok(true);
        };
        Ok(arity.admits(given))
    }
}

/// Returns whether a use hands a function on by its bare name.
fn is_passed(reference: &Reference) -> bool {
    matches!(reference.kind, RefKind::Read | RefKind::Address) && reference.receiver.is_none()
}

/// Returns whether a reference writes, and the next may be the value that is written.
fn writes_next(file: &FileView, number: u32) -> bool {
    let references = &file.uses.references;
    let (Some(written), Some(next)) = (references.get(number as usize), references.get(number as usize + 1)) else {
        return false;
    };
    written.kind == RefKind::Write && next.enclosing == written.enclosing && next.line - written.line <= 1
}
