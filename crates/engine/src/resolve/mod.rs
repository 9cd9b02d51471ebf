//! Resolves names to the definitions they mean: in one view, from facts alone, on demand.
//!
//! ```text
//! reference ──> receiver? ──no──> scope: locals, type around, file, imports, package
//!                  │yes
//!                  └──> infer: type of receiver ──> members: of a module, a type, its supertypes
//! ```
//!
//! [`Resolver::resolve`] returns the definitions that a reference means, the confidence and the
//! evidence. `names/modules` knows how imports name files, `names/scope` what a bare name means,
//! `types/infer` what an expression is (`annotations` by a written type, `bindings` by what holds
//! it), `members` what a type has, `members/overloads` what a call's arguments choose, and
//! `heuristics` what remains when the type of the receiver is not known. Nothing is stored: the
//! edges of a view follow from the facts of the files it holds, so they are as exact as the view,
//! on any branch.

mod entity;
mod external;
mod file;
mod heuristics;
mod inference;
mod members;
mod memo;
mod names;
mod only_definition;
mod types;
mod value;
mod visibility;

use std::ops::Deref;
use std::sync::Arc;

use codecompass_syntax::ModuleSystem;
use codecompass_syntax::facts::{ChainExpr, ChainRoot, Definition, Kind, RefKind, Reference};

pub use crate::resolve::entity::{Confidence, ResolutionEvidence};
pub(crate) use crate::resolve::entity::{Entity, Module, Resolution, Symbol};
pub(crate) use crate::resolve::file::{FileOutline, FileView, language_of};
pub(crate) use crate::resolve::members::arity::{Arity, Given};
pub(crate) use crate::resolve::members::relations::{ImportTarget, Named};
pub(crate) use crate::resolve::members::sides::side_of;
pub(crate) use crate::resolve::memo::ResolverMemo;
pub(crate) use crate::resolve::names::exports::{is_default_name, stands_for_folder};
pub(crate) use crate::resolve::names::modules::layout::{folder_of, joined, normal};
pub(crate) use crate::resolve::value::Value;
pub(crate) use crate::resolve::visibility::{SeenIn, is_beyond_values, is_member_of_value};

use crate::activity;
use crate::error::Result;
use crate::model::VersionId;
use crate::resolve::entity::modules_if_any;
use crate::resolve::inference::Inference;
use crate::resolve::names::modules::layout::Modules;
use crate::resolve::value::is_await;
use crate::store::Snapshot;
use crate::store::facts::Uses;
use crate::store::facts::symbols::SymbolRow;

/// A definition of a file that is kept open.
pub(crate) struct Defined {
    file: Arc<FileOutline>,
    ordinal: usize,
}

impl Deref for Defined {
    type Target = Definition;

    fn deref(&self) -> &Definition {
        &self.file.outline.definitions[self.ordinal]
    }
}

/// Resolves names in one view. Keeps what it read, so asking for many is cheap.
pub(crate) struct Resolver<'view> {
    pub(crate) snapshot: &'view Snapshot,
    memo: ResolverMemo,
    inference: Inference,
}

impl<'view> Resolver<'view> {
    /// A resolver for a view that knows what another one of the same state found.
    pub(crate) fn new(snapshot: &'view Snapshot, memo: ResolverMemo) -> Resolver<'view> {
        Resolver { snapshot, memo, inference: Inference::default() }
    }

    /// Takes out all that was found.
    pub(crate) fn take_memo(&mut self) -> ResolverMemo {
        std::mem::take(&mut self.memo)
    }

    /// The file of a version, `None` for plain text and data.
    pub(crate) fn file(&self, version: VersionId) -> Result<Option<Arc<FileView>>> {
        if let Some(file) = self.memo.files.borrow_mut().get(&version) {
            return Ok(Some(file));
        }
        match language_of(self.snapshot, version)? {
            Some(_) => self.with_uses(version, self.snapshot.uses(version)?),
            None => Ok(None),
        }
    }

    /// The file of a version if it uses or imports `name`; sometimes also if it only speaks of it.
    pub(crate) fn file_that_names(&self, version: VersionId, name: &str) -> Result<Option<Arc<FileView>>> {
        if let Some(file) = self.memo.files.borrow_mut().get(&version) {
            return Ok(Some(file));
        }
        let uses = self.snapshot.uses(version)?;
        let is_imported = || -> Result<bool> {
            Ok(self.snapshot.imports(version)?.iter().any(|import| import.name.as_deref() == Some(name)))
        };
        if uses.names.iter().any(|known| known == name) || is_imported()? {
            self.with_uses(version, uses)
        } else {
            Ok(None)
        }
    }

    fn with_uses(&self, version: VersionId, uses: Arc<Uses>) -> Result<Option<Arc<FileView>>> {
        let Some(outline) = self.outline(version)? else { return Ok(None) };
        activity::count_file();
        let file = Arc::new(FileView::new(outline, uses));
        self.memo.files.borrow_mut().insert(version, Arc::clone(&file), file.bytes());
        Ok(Some(file))
    }

    /// Returns the outline of a version's file, `None` for plain text and data.
    pub(crate) fn outline(&self, version: VersionId) -> Result<Option<Arc<FileOutline>>> {
        if let Some(outline) = self.memo.outlines.borrow_mut().get(&version) {
            return Ok(Some(outline));
        }
        let Some(outline) = FileOutline::open(self.snapshot, version)?.map(Arc::new) else { return Ok(None) };
        self.memo.outlines.borrow_mut().insert(version, Arc::clone(&outline), outline.bytes());
        Ok(Some(outline))
    }

    /// Takes over the files that another view of the same store has in common with this one.
    pub(crate) fn take_files(&self, other: &Resolver<'_>) {
        for (version, file, bytes) in other.memo.files.borrow().iter() {
            if self.snapshot.is_live(*version) {
                self.memo.files.borrow_mut().insert(*version, Arc::clone(file), bytes);
            }
        }
    }

    /// A definition with its file.
    pub(crate) fn definition(&self, symbol: Symbol) -> Result<Option<(Arc<FileOutline>, Defined)>> {
        let Some(file) = self.outline(symbol.version)? else { return Ok(None) };
        let ordinal = symbol.ordinal as usize;
        let is_there = ordinal < file.outline.definitions.len();
        Ok(is_there.then(|| (Arc::clone(&file), Defined { file, ordinal })))
    }

    /// All definitions with exactly this name, impl blocks included and titles of tests left out,
    /// in the order of paths.
    pub(crate) fn named(&self, name: &str) -> Result<Arc<Vec<Symbol>>> {
        if let Some(known) = self.memo.named.borrow().get(name) {
            return Ok(Arc::clone(known));
        }
        let mut rows = self.snapshot.blocks_and_symbols_named(name)?;
        rows.retain(|row| row.name == name && !row.kind.is_outline_only());
        let symbol = |row: &SymbolRow| Symbol { version: row.version, ordinal: row.ordinal };
        let mut titles = Vec::new();
        for row in rows.iter().filter(|row| row.kind == Kind::Function) {
            if self.definition(symbol(row))?.is_some_and(|(_, definition)| definition.is_title()) {
                titles.push(symbol(row));
            }
        }
        rows.retain(|row| !titles.contains(&symbol(row)));
        let symbols: Arc<Vec<Symbol>> = Arc::new(rows.iter().map(symbol).collect());
        let blocks = rows.iter().filter(|row| row.kind == Kind::Impl).map(symbol).collect();
        self.memo.named.borrow_mut().insert(name.to_string(), Arc::clone(&symbols));
        self.memo.blocks.borrow_mut().insert(name.to_string(), Arc::new(blocks));
        Ok(symbols)
    }

    /// Those of them that are blocks which add members to a type.
    fn blocks_named(&self, name: &str) -> Result<Arc<Vec<Symbol>>> {
        self.named(name)?;
        Ok(self.memo.blocks.borrow().get(name).map(Arc::clone).unwrap_or_default())
    }

    /// A definition with its file and the names that it uses.
    pub(crate) fn opened(&self, symbol: Symbol) -> Result<Option<(Arc<FileView>, Defined)>> {
        let Some((_, definition)) = self.definition(symbol)? else { return Ok(None) };
        Ok(self.file(symbol.version)?.map(|file| (file, definition)))
    }

    fn modules(&self) -> Result<&Modules> {
        if let Some(modules) = self.memo.modules.get() {
            return Ok(modules);
        }
        let modules = Modules::new(self.snapshot)?;
        Ok(self.memo.modules.get_or_init(|| modules))
    }

    /// Resolves a reference.
    pub(crate) fn resolve(&self, file: &FileView, reference: &Reference) -> Result<Resolution> {
        self.inference.begin();
        let mut found = without_itself(file, reference, self.resolve_within(file, reference)?);
        if found == Resolution::External && self.may_lead_here(file, reference)? {
            found = Resolution::Unknown;
        }
        let found = self.of_decorated_names(file, reference, found)?;
        let found = self.of_arity(file, reference, found)?;
        Ok(without_proof(file, reference, self.with_bodies(file, found)?))
    }

    /// Returns whether a reference begins with a name that an import takes from a module which
    /// could be one of the repository's, and was not found there.
    fn may_lead_here(&self, file: &FileView, reference: &Reference) -> Result<bool> {
        if file.rules().modules != ModuleSystem::Files || reference.root.is_some() {
            return Ok(false);
        }
        let first = match reference.receiver {
            None => file.name(reference.name),
            Some(receiver) => match file.chain(receiver).root {
                ChainRoot::Name(first) => first,
                _ => return Ok(false),
            },
        };
        self.may_be_imported(file, first)
    }

    /// Resolves a reference as a step of another resolution, with what is left of its fuel.
    fn resolve_within(&self, file: &FileView, reference: &Reference) -> Result<Resolution> {
        let Some(_deeper) = self.inference.step() else { return Ok(Resolution::Unknown) };
        let name = file.name(reference.name);
        if reference.kind == RefKind::Import {
            return self.resolve_import(file, reference);
        }
        let Some(receiver) = reference.receiver else {
            if let Some(clause) = clause_of(file, reference, name) {
                return Ok(Resolution::found(vec![clause], Confidence::Static, ResolutionEvidence::Scope));
            }
            if let Some(found) = self.resolve_constructor_word(file, reference, name)? {
                return Ok(found);
            }
            if let Some(found) = self.resolve_narrowed(file, reference, name)? {
                return Ok(found);
            }
            return self.resolve_bare(file, reference, name);
        };
        let receiver = file.chain(receiver);
        if reference.root.is_none() && matches!(reference.kind, RefKind::Read | RefKind::Write) {
            let fields = self.variant_fields(file, reference.enclosing, &receiver, name)?;
            if !fields.is_empty() {
                return Ok(Resolution::found(fields, Confidence::Static, ResolutionEvidence::ReceiverType));
            }
        }
        let (values, guessed) =
            self.inference.noting_guesses(|| self.value_of(file, reference.enclosing, &receiver, reference.root));
        let values = values?;
        let mut receiver = receiver;
        receiver.steps.retain(|step| !is_await(file.rules(), step));
        // An import of a namespace that is outside of the view as such says no more.
        let is_outside = |value: &Value| match value {
            Value::Foreign(head, _) => Some(&**head) == receiver.as_name(),
            value => *value == Value::External,
        };
        let is_outside = values.iter().all(is_outside);
        if is_outside && let Some(found) = self.resolve_path(file, reference, name, &receiver)? {
            return Ok(found);
        }
        if let Some(found) = self.resolve_making_word(file, reference, name, &receiver, &values)? {
            return Ok(found);
        }
        let mut found = self.resolve_member(file, reference, name, &receiver, &values)?;
        // `A.B.C` may be defined apart from `A.B`.
        if !is_outside
            && !matches!(found, Resolution::Found { .. })
            && let Some(found) = self.resolve_path(file, reference, name, &receiver)?
        {
            return Ok(found);
        }
        if let Resolution::Found { confidence, .. } = &mut found
            && guessed
        {
            *confidence = Confidence::Heuristic;
        }
        Ok(found)
    }

    /// Resolves a member by the whole path that it stands at the end of, where paths are names.
    fn resolve_path(
        &self,
        file: &FileView,
        reference: &Reference,
        name: &str,
        receiver: &ChainExpr<'_>,
    ) -> Result<Option<Resolution>> {
        let path = receiver.as_path().filter(|_| reference.root.is_none());
        let Some(mut path) = path else { return Ok(None) };
        path.push(name);
        let found = self.at_path(file, reference.enclosing, &path)?;
        if found.is_empty() {
            return Ok(None);
        }
        let found = self.fitting(self.of_written_arity(file, reference, found)?, reference.kind)?;
        Ok(Some(Resolution::of(found, Confidence::Static, ResolutionEvidence::ModuleMember)))
    }

    /// Resolves a name without a receiver to a member of what a test says that the instance is; a
    /// function inside the one around comes first.
    fn resolve_narrowed(&self, file: &FileView, reference: &Reference, name: &str) -> Result<Option<Resolution>> {
        let Some(root) = reference.root else { return Ok(None) };
        let is_inside = |ordinal: &u32| file.definitions()[*ordinal as usize].parent == reference.enclosing;
        if file.named(name).iter().any(is_inside) {
            return Ok(None);
        }
        let mut members = Vec::new();
        for value in self.binding_value(file, root)? {
            if let Some(owner) = value.type_symbol() {
                members.extend(self.implicit_members(owner, name)?);
            }
        }
        let members = self.fitting(members, reference.kind)?;
        let found = Resolution::of(members, Confidence::Static, ResolutionEvidence::ReceiverType);
        Ok(Some(found).filter(|found| *found != Resolution::Unknown))
    }

    fn resolve_bare(&self, file: &FileView, reference: &Reference, name: &str) -> Result<Resolution> {
        let (found, guessed) = self.inference.noting_guesses(|| self.bare_name(file, reference.enclosing, name));
        let (entities, evidence) = found?;
        let confidence = if guessed { Confidence::Heuristic } else { Confidence::Static };
        let entities = self.of_written_arity(file, reference, entities)?;
        let entities = if matches!(reference.kind, RefKind::Type | RefKind::Inherit) {
            self.that_are_types(file, reference.enclosing, name, entities)?
        } else {
            entities
        };
        // The first name of a path is read, and means a module rather than a function of its name.
        let entities = if file.rules().modules == ModuleSystem::Crates && reference.kind == RefKind::Read {
            modules_if_any(entities)
        } else {
            entities
        };
        // Where a name is one thing whatever it is used for, several are alternatives.
        let is_one_name = file.rules().modules == ModuleSystem::Dotted
            && entities.iter().all(|entity| matches!(entity, Entity::Symbol(_)));
        let mut entities = if is_one_name { entities } else { self.fitting(entities, reference.kind)? };
        if file.rules().open_members {
            entities = self.of_one_namespace(entities, reference.kind)?;
        }
        if entities.is_empty() {
            entities = self.with_endings(file, reference, name)?;
        }
        if entities.is_empty() {
            entities = self.attribute_of_variable(file, reference, name)?;
        }
        if entities.is_empty() {
            return self.guess_bare(file, reference, name);
        }
        if reference.kind == RefKind::Call {
            let members = self.taken_members(&entities)?;
            entities.extend(members);
        }
        entities.sort();
        entities.dedup();
        Ok(Resolution::of(entities, confidence, evidence))
    }

    /// Leaves values and methods out where a type is named, in languages that keep them apart, and
    /// looks behind them for the type.
    fn that_are_types(
        &self,
        file: &FileView,
        enclosing: Option<u32>,
        name: &str,
        entities: Vec<Entity>,
    ) -> Result<Vec<Entity>> {
        if !file.language.types_arguments() || entities.is_empty() {
            return Ok(entities);
        }
        let kept = self.without_values(entities.clone())?;
        if !kept.is_empty() || entities.contains(&Entity::External) {
            return Ok(kept);
        }
        let outside = file.outwards(enclosing).find(|(_, around)| around.kind == Kind::Module);
        let (behind, _) = self.bare_name(file, outside.map(|(ordinal, _)| ordinal), name)?;
        self.without_values(behind)
    }

    fn without_values(&self, entities: Vec<Entity>) -> Result<Vec<Entity>> {
        let mut kept = Vec::with_capacity(entities.len());
        for entity in entities {
            let is_value = match &entity {
                Entity::Symbol(symbol) => self
                    .definition(*symbol)?
                    .is_some_and(|(_, definition)| definition.kind.is_value() || definition.kind.is_callable()),
                _ => false,
            };
            if !is_value {
                kept.push(entity);
            }
        }
        Ok(kept)
    }

    /// Of several things with one name, those that can be used in this way; all if none can.
    fn fitting(&self, entities: Vec<Entity>, kind: RefKind) -> Result<Vec<Entity>> {
        if entities.len() < 2 {
            return Ok(entities);
        }
        let mut fit = Vec::new();
        let mut values = 0;
        for entity in &entities {
            let Entity::Symbol(symbol) = entity else { continue };
            let Some((_, definition)) = self.definition(*symbol)? else { continue };
            let is_type = definition.kind.is_type() || definition.kind == Kind::Component;
            let fits = match kind {
                RefKind::Type | RefKind::Inherit => is_type,
                RefKind::Call => definition.kind.is_callable() || definition.kind == Kind::Class,
                RefKind::Read | RefKind::Write | RefKind::Address => {
                    !matches!(definition.kind, Kind::Interface | Kind::TypeAlias)
                }
                RefKind::Import | RefKind::Declaration => true,
            };
            if !fits {
                continue;
            }
            // What is read is a field or property rather than a method of its name.
            let is_value = definition.kind.is_value() || definition.kind == Kind::Property;
            if matches!(kind, RefKind::Read | RefKind::Write | RefKind::Address) && is_value {
                fit.insert(values, entity.clone());
                values += 1;
            } else {
                fit.push(entity.clone());
            }
        }
        if values > 0 {
            fit.truncate(values);
        }
        let fit = self.without_companions(fit, kind)?;
        Ok(if fit.is_empty() { entities } else { fit })
    }
}

/// Leaves the definition at the place of a reference out of what it means: a function that is
/// assigned to a member defines it, and writes one that is declared elsewhere.
fn without_itself(file: &FileView, reference: &Reference, found: Resolution) -> Resolution {
    if reference.kind != RefKind::Write || reference.receiver.is_none() {
        return found;
    }
    let is_itself = |symbol: &Symbol| {
        let definition = file.definitions().get(symbol.ordinal as usize).filter(|_| symbol.version == file.version);
        definition.is_some_and(|it| (it.name_line, it.name_column) == (reference.line, reference.column))
    };
    let others = |symbols: Vec<Symbol>| symbols.into_iter().filter(|symbol| !is_itself(symbol)).collect::<Vec<_>>();
    match found {
        Resolution::Found { targets, confidence, evidence } => Resolution::found(others(targets), confidence, evidence),
        Resolution::Ambiguous(candidates) => match others(candidates) {
            others if others.is_empty() => Resolution::Unknown,
            others => Resolution::Ambiguous(others),
        },
        found => found,
    }
}

/// Takes scopes for no proof where the grammar lost its way; what imports and types tell holds.
fn without_proof(file: &FileView, reference: &Reference, found: Resolution) -> Resolution {
    let is_told = |evidence| {
        matches!(
            evidence,
            ResolutionEvidence::Import | ResolutionEvidence::ModuleMember | ResolutionEvidence::ReceiverType
        )
    };
    match found {
        Resolution::Found { targets, confidence: Confidence::Static, evidence }
            if !is_told(evidence) && file.is_damaged(reference.line) =>
        {
            Resolution::found(targets, Confidence::Heuristic, evidence)
        }
        found => found,
    }
}

/// Returns the definition that a further clause belongs to: the one around its name.
fn clause_of(file: &FileView, reference: &Reference, name: &str) -> Option<Symbol> {
    let ordinal = reference.enclosing.filter(|_| reference.kind == RefKind::Declaration)?;
    let definition = file.definitions().get(ordinal as usize).filter(|around| around.name == name);
    definition.map(|_| Symbol { version: file.version, ordinal })
}
