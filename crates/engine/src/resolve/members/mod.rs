//! Members of a type: its own, those that blocks elsewhere add to it, and inherited ones.

mod alternatives;
mod argument_types;
mod argument_values;
pub(super) mod arity;
mod constructors;
pub(super) mod extensions;
pub(super) mod objects;
pub(super) mod overloads;
pub(super) mod parts;
pub(super) mod relations;
pub(super) mod sides;
pub(super) mod taken_in;
pub(super) mod undeclared;

use std::sync::Arc;

use codecompass_syntax::facts::{Definition, Import, Kind, RefKind, TypeExpr};
use codecompass_syntax::{Language, ModuleSystem};
use rustc_hash::FxHashSet;

use crate::error::Result;
use crate::resolve::Resolver;
use crate::resolve::entity::{Entity, Resolution, Symbol};
use crate::resolve::file::{FileOutline, FileView, is_out_of_line, language_of};
use crate::resolve::members::extensions::extended_in_object;
use crate::resolve::members::taken_in::takes_in;
use crate::resolve::memo::Apart;
use crate::resolve::names::modules::layout::folder_of;
use crate::resolve::value::Value;

/// Supertypes are followed to at most this many types.
pub(super) const MAX_TYPES: usize = 64;

impl Resolver<'_> {
    /// The members of a type with this name: its own, or the nearest supertype's.
    pub(super) fn members(&self, owner: Symbol, name: &str) -> Result<Vec<Symbol>> {
        if let Some((known, is_guess)) = self.memo.members.get(name, &owner) {
            if is_guess {
                self.inference.guess();
            }
            return Ok(known.to_vec());
        }
        let find = || self.inference.noting_guesses(|| self.find_members(owner, name));
        let ((found, is_guess), is_whole) = self.inference.noting_cuts(find);
        let found = found?;
        if is_guess {
            self.inference.guess();
        }
        if is_whole {
            self.memo.members.insert(name, owner, (found.as_slice().into(), is_guess));
        }
        Ok(found)
    }

    fn find_members(&self, owner: Symbol, name: &str) -> Result<Vec<Symbol>> {
        let mut level = vec![owner];
        let mut seen = vec![owner];
        while !level.is_empty() && seen.len() < MAX_TYPES && self.inference.step().is_some() {
            let mut found = Vec::new();
            for owner in &level {
                found.extend(self.own_members(*owner, name)?);
            }
            if !found.is_empty() {
                found.sort_unstable();
                found.dedup();
                return Ok(found);
            }
            let mut next = Vec::new();
            for owner in &level {
                for above in self.supertypes(*owner)?.iter() {
                    if !seen.contains(above) {
                        seen.push(*above);
                        next.push(*above);
                    }
                }
            }
            level = next;
        }
        let named = self.named_members(owner, name)?;
        if !named.is_empty() {
            return Ok(named);
        }
        for owner in seen {
            for target in self.forwarded(owner)?.iter().copied().filter(|target| *target != owner) {
                let Some(_deeper) = self.inference.step() else { return Ok(Vec::new()) };
                let found = self.members(target, name)?;
                if !found.is_empty() {
                    return Ok(found);
                }
            }
        }
        Ok(Vec::new())
    }

    /// The types whose members a type has too, since a block names them as its target.
    fn forwarded(&self, owner: Symbol) -> Result<Arc<Vec<Symbol>>> {
        self.inference
            .remembered("forwarded", &self.memo.forwarded, owner, || Ok(Arc::new(self.find_forwarded(owner)?)))
    }

    fn find_forwarded(&self, owner: Symbol) -> Result<Vec<Symbol>> {
        let Some((home, definition)) = self.definition(owner)? else { return Ok(Vec::new()) };
        let name = &home.rules().forwarded_type;
        let mut found = Vec::new();
        if name.is_empty() {
            return Ok(found);
        }
        for block in self.blocks_named(&definition.name)?.iter() {
            let Some(file) = self.file(block.version)? else { continue };
            for ordinal in file.named(name) {
                let target = &file.definitions()[*ordinal as usize];
                let written = target.declared_type.as_ref().filter(|_| target.parent == Some(block.ordinal));
                let Some(written) = written else { continue };
                if self.type_of_block(&file, block.ordinal)?.contains(&owner) {
                    let values = self.type_values(&file, Some(*ordinal), &written.expression(), 1)?;
                    found.extend(values.iter().filter_map(Value::type_symbol));
                }
            }
        }
        Ok(found)
    }

    /// Returns the results of waiting for values: those that the types declare, or else the values.
    pub(in crate::resolve) fn awaited(&self, values: Vec<Value>) -> Result<Vec<Value>> {
        let mut found = Vec::new();
        for value in values {
            let given = match value {
                Value::Instance(owner, _) => self.given_when_awaited(owner)?,
                _ => Vec::new(),
            };
            if given.is_empty() { found.push(value) } else { found.extend(given) }
        }
        Ok(found)
    }

    fn given_when_awaited(&self, owner: Symbol) -> Result<Vec<Value>> {
        let Some((home, definition)) = self.definition(owner)? else { return Ok(Vec::new()) };
        let rules = home.rules();
        let mut found = Vec::new();
        if rules.awaited_type.is_empty() {
            return Ok(found);
        }
        for block in self.blocks_named(&definition.name)?.iter() {
            let Some(file) = self.file(block.version)? else { continue };
            let mut named =
                file.uses.references.iter().filter(|reference| {
                    reference.kind == RefKind::Inherit && reference.enclosing == Some(block.ordinal)
                });
            if !named.any(|reference| rules.awaited_traits.iter().any(|known| known == file.name(reference.name))) {
                continue;
            }
            for ordinal in file.named(&rules.awaited_type) {
                let given = &file.definitions()[*ordinal as usize];
                let written = given.declared_type.as_ref().filter(|_| given.parent == Some(block.ordinal));
                let Some(written) = written else { continue };
                if self.type_of_block(&file, block.ordinal)?.contains(&owner) {
                    found.extend(self.type_values(&file, Some(*ordinal), &written.expression(), 1)?);
                }
            }
        }
        Ok(found)
    }

    /// Members with this name that belong to the type itself.
    pub(super) fn own_members(&self, owner: Symbol, name: &str) -> Result<Vec<Symbol>> {
        let Some(file) = self.outline(owner.version)? else { return Ok(Vec::new()) };
        let mut found: Vec<Symbol> = file
            .named(name)
            .iter()
            .filter(|ordinal| {
                let definition = &file.definitions()[**ordinal as usize];
                let parent = definition.parent.filter(|parent| *parent == owner.ordinal);
                parent.is_some_and(|parent| !is_out_of_line(definition, &file.definitions()[parent as usize]))
            })
            .map(|ordinal| Symbol { version: owner.version, ordinal: *ordinal })
            .collect();
        let Some(container) = file.definitions().get(owner.ordinal as usize).map(|owner| owner.name.as_str()) else {
            return Ok(found);
        };
        let apart = self.named_apart(name)?;
        for symbol in apart.by_container.get(container).into_iter().flatten().chain(&apart.anywhere) {
            if !found.contains(symbol) && self.owners(*symbol)?.contains(&owner) {
                found.push(*symbol);
            }
        }
        Ok(found)
    }

    /// The definitions with this name that may be members of types around which they do not stand.
    fn named_apart(&self, name: &str) -> Result<Arc<Apart>> {
        if let Some(known) = self.memo.named_apart.borrow().get(name) {
            return Ok(Arc::clone(known));
        }
        let mut apart = Apart::default();
        for symbol in self.named(name)?.iter() {
            let language = language_of(self.snapshot, symbol.version)?;
            if language.is_none_or(|language| language.resolve_rules().whole_types) {
                continue;
            }
            let Some((file, definition)) = self.definition(*symbol)? else { continue };
            match container_of(&file, &definition) {
                Some(container) => apart.by_container.entry(container.to_string()).or_default().push(*symbol),
                None => apart.anywhere.push(*symbol),
            }
        }
        let apart = Arc::new(apart);
        self.memo.named_apart.borrow_mut().insert(name.to_string(), Arc::clone(&apart));
        Ok(apart)
    }

    /// The types that a definition is a member of.
    pub(super) fn owners(&self, member: Symbol) -> Result<Arc<Vec<Symbol>>> {
        self.inference.remembered("owners", &self.memo.owners, member, || Ok(Arc::new(self.find_owners(member)?)))
    }

    fn find_owners(&self, member: Symbol) -> Result<Vec<Symbol>> {
        let Some((file, definition)) = self.definition(member)? else { return Ok(Vec::new()) };
        let at = |ordinal| Symbol { version: member.version, ordinal };
        let inside =
            definition.parent.filter(|parent| !is_out_of_line(&definition, &file.definitions()[*parent as usize]));
        if let Some(parent) = inside {
            let around = &file.definitions()[parent as usize];
            return Ok(match around.kind {
                Kind::Impl => self.type_of_block(&file, parent)?,
                kind if kind.is_type() || file.language.is_open(kind) => {
                    let mut owners = self.all_parts(at(parent))?.to_vec();
                    owners.extend(self.extended_by(&file, member.ordinal, &definition)?);
                    owners
                }
                // An object that a variable holds.
                kind if kind.is_value() => vec![at(parent)],
                _ => Vec::new(),
            });
        }
        if definition.kind == Kind::Impl {
            return Ok(Vec::new());
        }
        // A member that stands apart from its type has the type's name before its own.
        let separator = file.language.separator();
        let before = definition.qualified_name.strip_suffix(definition.name.as_str()).unwrap_or("");
        let before = before.trim_end_matches([':', '.', '#', '\\']);
        let Some(container) = before.rsplit(separator).next().filter(|name| !name.is_empty()) else {
            return Ok(Vec::new());
        };
        let is_member = matches!(definition.kind, Kind::Method | Kind::Field | Kind::Constructor | Kind::Property);
        if !is_member {
            return Ok(Vec::new());
        }
        let known = self.container_types(&file, &definition, before, container)?;
        if !known.is_empty() {
            return Ok(known);
        }
        let mut owners = Vec::new();
        for symbol in self.named(container)?.iter() {
            let Some((other, owner)) = self.definition(*symbol)? else { continue };
            let is_near = match file.rules().modules {
                ModuleSystem::Folders => folder_of(&other.path) == folder_of(&file.path),
                _ => other.language.group() == file.language.group(),
            };
            if is_near && (owner.kind.is_type() && owner.kind != Kind::Impl || owner.kind.is_value()) {
                owners.push(*symbol);
            }
        }
        let at_home: Vec<Symbol> = owners.iter().filter(|s| s.version == member.version).copied().collect();
        Ok(if at_home.is_empty() { owners } else { at_home })
    }

    /// The type that a block adds members to.
    pub(super) fn type_of_block(&self, file: &FileOutline, block: u32) -> Result<Vec<Symbol>> {
        let Some(file) = self.file(file.version)? else { return Ok(Vec::new()) };
        let definition = &file.definitions()[block as usize];
        if self.is_type_parameter(&file, Some(block), &definition.name) {
            return Ok(Vec::new());
        }
        let mut types = Vec::new();
        if let Some(written) = &definition.declared_type
            && matches!(written.expression(), TypeExpr::Named(path, _) if path.len() > 1)
        {
            let values = self.type_values(&file, definition.parent, &written.expression(), 1)?;
            types.extend(values.iter().filter_map(Value::type_symbol));
            return Ok(types);
        }
        let (entities, _) = self.bare_name(&file, definition.parent, &definition.name)?;
        for entity in entities {
            if let Entity::Symbol(symbol) = entity
                && let Some((_, found)) = self.definition(symbol)?
                && found.kind.is_type()
            {
                types.push(symbol);
            }
        }
        Ok(types)
    }

    /// Members that blocks of this view add to a type outside of it.
    pub(super) fn foreign_members(&self, language: &Language, head: &str, name: &str) -> Result<Vec<Symbol>> {
        let group = language.group();
        let key = format!("{group} {head}");
        if let Some(known) = self.memo.foreign_members.get(name, key.as_str()) {
            return Ok(known.to_vec());
        }
        let (found, is_whole) = self.inference.noting_cuts(|| self.find_foreign_members(group, head, name));
        let found = found?;
        if is_whole {
            self.memo.foreign_members.insert(name, key, found.as_slice().into());
        }
        Ok(found)
    }

    fn find_foreign_members(&self, group: &str, head: &str, name: &str) -> Result<Vec<Symbol>> {
        let mut found = Vec::new();
        for symbol in self.named(name)?.iter() {
            let Some((file, definition)) = self.definition(*symbol)? else { continue };
            if file.language.group() != group {
                continue;
            }
            let Some(parent) = definition.parent else {
                if self.extends_foreign(&file, *symbol, &definition, head)? {
                    found.push(*symbol);
                }
                continue;
            };
            let around = &file.definitions()[parent as usize];
            let may_extend =
                !file.rules().extension_word.is_empty() || extended_in_object(&file, &definition).is_some();
            if may_extend && self.extends_foreign(&file, *symbol, &definition, head)? {
                found.push(*symbol);
            }
            if around.kind == Kind::Impl && around.name == head && self.owners(*symbol)?.is_empty() {
                found.push(*symbol);
            }
        }
        Ok(found)
    }

    /// Members of the only interface with this one that a block adds to every type.
    pub(super) fn added_to_all(&self, user: &FileView, name: &str) -> Result<Vec<Symbol>> {
        if user.rules().whole_types {
            return Ok(Vec::new());
        }
        let group = user.language.group();
        if let Some(known) = self.memo.added_to_all.get(name, group) {
            return Ok(known.to_vec());
        }
        let (found, is_whole) = self.inference.noting_cuts(|| self.find_added_to_all(group, name));
        let found = found?;
        if is_whole {
            self.memo.added_to_all.insert(name, group, found.as_slice().into());
        }
        Ok(found)
    }

    fn find_added_to_all(&self, group: &str, name: &str) -> Result<Vec<Symbol>> {
        let mut found = Vec::new();
        for symbol in self.named(name)?.iter() {
            let Some((file, definition)) = self.definition(*symbol)? else { continue };
            let Some(parent) = definition.parent.filter(|_| file.language.group() == group) else {
                continue;
            };
            if file.definitions()[parent as usize].kind != Kind::Trait {
                continue;
            }
            let Some(file) = self.file(file.version)? else { continue };
            let owner = Symbol { version: symbol.version, ordinal: parent };
            let mut is_for_all = false;
            for (ordinal, block) in file.definitions().iter().enumerate().filter(|(_, d)| d.kind == Kind::Impl) {
                is_for_all |= self.is_type_parameter(&file, Some(ordinal as u32), &block.name)
                    && self.inherited_by(&file, ordinal as u32)?.contains(&owner);
            }
            if is_for_all {
                found.push(*symbol);
            }
        }
        Ok(if found.len() == 1 { found } else { Vec::new() })
    }

    /// The types that a type takes members from: those it names, those that blocks elsewhere name
    /// for it, and what an alias stands for.
    pub(super) fn supertypes(&self, owner: Symbol) -> Result<Arc<Vec<Symbol>>> {
        // All parts of a type have the same.
        let owner = self.all_parts(owner)?.iter().copied().min().unwrap_or(owner);
        self.inference
            .remembered("supertypes", &self.memo.supertypes, owner, || Ok(Arc::new(self.find_supertypes(owner)?)))
    }

    fn find_supertypes(&self, owner: Symbol) -> Result<Vec<Symbol>> {
        let Some((file, definition)) = self.opened(owner)? else { return Ok(Vec::new()) };
        let mut found = self.inherited_by(&file, owner.ordinal)?;
        for part in self.all_parts(owner)?.iter().copied() {
            if part != owner
                && let Some(file) = self.file(part.version)?
            {
                found.extend(self.inherited_by(&file, part.ordinal)?);
            }
        }
        for block in self.blocks_named(&definition.name)?.iter() {
            let Some(other) = self.file(block.version)? else { continue };
            if self.type_of_block(&other, block.ordinal)?.contains(&owner) {
                found.extend(self.inherited_by(&other, block.ordinal)?);
            }
        }
        found.extend(self.alias_targets(&file, owner.ordinal, &definition)?);
        if file.rules().doc_members {
            found.extend(self.mixed_in(owner, &definition)?);
        }
        found.retain(|symbol| *symbol != owner);
        Ok(found)
    }

    fn alias_targets(&self, file: &FileView, ordinal: u32, definition: &Definition) -> Result<Vec<Symbol>> {
        let Some(written) = definition.declared_type.as_ref().filter(|_| definition.kind == Kind::TypeAlias) else {
            return Ok(Vec::new());
        };
        let values = self.type_values(file, Some(ordinal), &written.expression(), 0)?;
        Ok(values.iter().filter_map(Value::type_symbol).collect())
    }

    /// Returns the supertypes that a definition names.
    fn inherited_by(&self, file: &FileView, ordinal: u32) -> Result<Vec<Symbol>> {
        let mut found = Vec::new();
        for reference in &file.uses.references {
            if reference.kind != RefKind::Inherit || reference.enclosing != Some(ordinal) {
                continue;
            }
            if let Some(taken) = self.supertypes_taken_in(file, reference)? {
                found.extend(taken);
            } else if let Resolution::Found { targets, .. } = self.resolve_within(file, reference)? {
                found.extend(self.types_meant(targets)?);
            } else if file.rules().scoped_constants && reference.receiver.is_none() {
                // A constant of what is inherited already.
                let mut inherited = Vec::new();
                for above in &found {
                    inherited.extend(self.members(*above, file.name(reference.name))?);
                }
                found.extend(inherited);
            }
        }
        Ok(found)
    }

    /// Replaces variables that hold types by these types.
    pub(super) fn types_meant(&self, targets: Vec<Symbol>) -> Result<Vec<Symbol>> {
        let mut found = Vec::with_capacity(targets.len());
        for target in targets {
            let is_value = self.definition(target)?.is_some_and(|(_, definition)| definition.kind.is_value());
            let types = if is_value { self.types_held(target)? } else { Vec::new() };
            if types.is_empty() { found.push(target) } else { found.extend(types) }
        }
        Ok(found)
    }

    /// The types that a variable is another name of.
    pub(super) fn types_held(&self, variable: Symbol) -> Result<Vec<Symbol>> {
        let values = self.result_of(variable, None)?.into_iter();
        let types = values.filter_map(|value| match value {
            Value::Type(symbol) => Some(symbol),
            _ => None,
        });
        Ok(types.collect())
    }

    /// Returns whether a type names supertypes that are not in this view.
    pub(super) fn has_external_supertypes(&self, owner: Symbol) -> Result<bool> {
        if let Some(known) = self.memo.external_above.borrow().get(&owner) {
            return Ok(*known);
        }
        let (found, is_whole) = self.inference.noting_cuts(|| self.find_external_supertypes(owner));
        let found = found?;
        if is_whole {
            self.memo.external_above.borrow_mut().insert(owner, found);
        }
        Ok(found)
    }

    fn find_external_supertypes(&self, owner: Symbol) -> Result<bool> {
        let mut pending = vec![owner];
        let mut seen = Vec::new();
        while let Some(owner) = pending.pop() {
            if seen.contains(&owner) || seen.len() > MAX_TYPES {
                continue;
            }
            seen.push(owner);
            let Some(file) = self.file(owner.version)? else { continue };
            let mut named = 0;
            for part in self.all_parts(owner)?.iter() {
                let Some(file) = self.file(part.version)? else { continue };
                let references = file.uses.references.iter();
                let inherits = references.filter(|r| r.kind == RefKind::Inherit && r.enclosing == Some(part.ordinal));
                named += inherits.filter(|reference| !takes_in(&file, reference)).count();
            }
            let above = self.supertypes(owner)?;
            let definition = file.definitions().get(owner.ordinal as usize);
            let is_alias = definition.is_some_and(|d| d.kind == Kind::TypeAlias && d.declared_type.is_some());
            if named > above.len() || is_alias && above.is_empty() {
                return Ok(true);
            }
            pending.extend(above.iter().copied());
        }
        Ok(false)
    }

    /// Returns whether one type is another or inherits from it.
    pub(super) fn is_subtype(&self, below: Symbol, above: Symbol) -> Result<bool> {
        Ok(self.type_and_above(below)?.contains(&above))
    }

    /// Returns a type and its supertypes.
    pub(super) fn type_and_above(&self, below: Symbol) -> Result<FxHashSet<Symbol>> {
        let (mut pending, mut seen) = (vec![below], FxHashSet::default());
        while let Some(owner) = pending.pop() {
            if seen.insert(owner) && seen.len() <= MAX_TYPES {
                pending.extend(self.supertypes(owner)?.iter().copied());
            }
        }
        Ok(seen)
    }
}

/// The name of the only container whose type a definition may be a member of; `None` if it may be a
/// member of any.
fn container_of<'file>(file: &'file FileOutline, definition: &Definition) -> Option<&'file str> {
    let parent = definition.parent.filter(|_| file.rules().extension_word.is_empty())?;
    let around = file.definitions().get(parent as usize)?;
    let is_apart = is_out_of_line(definition, around) || !around.kind.is_type();
    let is_alias = |import: &Import| import.alias.as_deref() == Some(around.name.as_str());
    let is_anywhere = is_apart || file.outline.imports.iter().any(is_alias);
    (!is_anywhere).then_some(around.name.as_str())
}
