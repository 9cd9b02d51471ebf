//! Proof that a name means something outside of the repository.
//!
//! Resolution says `External` of everything that leads out of what it knows. That is enough to show
//! no definition, but not to rule one out: the result of an outside function may well be of a type
//! of the repository. Here a name counts as outside only if an import of another project, a
//! declared type or the scopes of the language say so.

use codecompass_syntax::ModuleSystem;
use codecompass_syntax::facts::{ChainRoot, ChainStep, Import, Kind, RefKind, Reference};

use rustc_hash::FxHashSet;

use crate::error::Result;
use crate::resolve::file::FileView;
use crate::resolve::members::MAX_TYPES;
use crate::resolve::memo::Outside;
use crate::resolve::value::Value;
use crate::resolve::{Entity, Resolver, Symbol};

impl Resolver<'_> {
    /// Returns whether a reference that resolves to something outside cannot mean a definition of
    /// the repository. `bases` are types outside whose members the definition may override.
    pub(crate) fn is_proven_external(&self, file: &FileView, number: u32, bases: &[String]) -> Result<bool> {
        let Some(reference) = file.uses.references.get(number as usize) else { return Ok(false) };
        let known = self.memo.outside.borrow().get(&(file.version, number)).cloned();
        let outside = match known {
            Some(known) => known,
            None => {
                self.inference.begin();
                let (found, is_whole) = self.inference.noting_cuts(|| self.find_outside(file, reference));
                let found = found?;
                if is_whole {
                    self.memo.outside.borrow_mut().insert((file.version, number), found.clone());
                }
                found
            }
        };
        Ok(match outside {
            Outside::Unproven => false,
            Outside::Proven => true,
            Outside::MemberOf(types) => {
                !types.iter().any(|one| bases.iter().any(|base| **base == **one)) || self.is_super(file, reference)
            }
        })
    }

    fn find_outside(&self, file: &FileView, reference: &Reference) -> Result<Outside> {
        let of = |is_proven| if is_proven { Outside::Proven } else { Outside::Unproven };
        let name = file.name(reference.name);
        if reference.kind == RefKind::Import {
            let mut is_outside = false;
            for import in file.outline.imports.iter().filter(|import| import.line == reference.line) {
                if self.may_be_here(file, import)? {
                    return Ok(Outside::Unproven);
                }
                is_outside = true;
            }
            return Ok(of(is_outside));
        }
        let Some(receiver) = reference.receiver else {
            return Ok(of(self.is_external_name(file, reference, name)?));
        };
        let chain = file.chain(receiver);
        let is_path = chain.steps.iter().all(|step| matches!(step, ChainStep::Member(_) | ChainStep::Segment(_)));
        match chain.root {
            // Types of literals are outside, but classes that are open may have been added to.
            ChainRoot::String | ChainRoot::Number | ChainRoot::Unit if chain.steps.is_empty() => {
                return Ok(of(!file.language.is_open(Kind::Class)));
            }
            ChainRoot::Name(first)
                if reference.root.is_none() && is_path && self.is_imported_from_outside(file, first)? =>
            {
                return Ok(Outside::Proven);
            }
            ChainRoot::Name(first) if reference.root.is_none() && self.may_be_imported(file, first)? => {
                return Ok(Outside::Unproven);
            }
            _ if self.is_in_outside_crate(file, reference)? => return Ok(Outside::Proven),
            _ => {}
        }
        let mut types = Vec::new();
        for value in self.value_of(file, reference.enclosing, &chain, reference.root)? {
            match value {
                Value::Foreign(head, _) if !self.is_defined(file, &head)? => types.push(head),
                _ => return Ok(Outside::Unproven),
            }
        }
        Ok(if types.is_empty() { Outside::Unproven } else { Outside::MemberOf(types.into()) })
    }

    /// Returns whether a name stands behind a path that begins with a crate outside of the
    /// repository.
    pub(crate) fn is_in_outside_crate(&self, file: &FileView, reference: &Reference) -> Result<bool> {
        let rules = file.rules();
        let Some(receiver) = reference.receiver.filter(|_| rules.modules == ModuleSystem::Crates) else {
            return Ok(false);
        };
        let chain = file.chain(receiver);
        let is_path = chain.steps.iter().all(|step| matches!(step, ChainStep::Segment(_)));
        let ChainRoot::Name(name) = chain.root else { return Ok(false) };
        let is_crate = is_path && reference.root.is_none() && !name.starts_with(char::is_uppercase);
        let is_standard = rules.standard_modules.iter().any(|module| module == name);
        // A module that a macro declares may not be known, but its file is.
        if !is_crate || !is_standard && self.path_names().contains(name) {
            return Ok(false);
        }
        let found = self.module_path(file, file.module_of_line(reference.line), name)?;
        Ok(found.iter().all(|entity| *entity == Entity::External))
    }

    /// Names of the types outside of the repository whose members a method may override: those that
    /// its type and its supertypes name, and those that all types inherit from.
    pub(crate) fn foreign_bases(&self, member: Symbol) -> Result<Vec<String>> {
        self.inference.begin();
        let Some((file, definition)) = self.definition(member)? else { return Ok(Vec::new()) };
        if !matches!(definition.kind, Kind::Method | Kind::Property) {
            return Ok(Vec::new());
        }
        let mut bases = file.rules().root_types.clone();
        let mut types = self.owners(member)?.to_vec();
        let block = definition.parent.filter(|parent| file.definitions()[*parent as usize].kind == Kind::Impl);
        types.extend(block.map(|ordinal| Symbol { version: member.version, ordinal }));
        bases.extend(self.names_above(types)?);
        Ok(bases)
    }

    /// The names of all supertypes that types and their supertypes name.
    pub(super) fn names_above(&self, types: Vec<Symbol>) -> Result<Vec<String>> {
        let mut pending = types;
        let mut seen: FxHashSet<Symbol> = pending.iter().copied().collect();
        let mut bases = Vec::new();
        let mut at = 0;
        while let Some(owner) = pending.get(at).copied().filter(|_| at < MAX_TYPES) {
            at += 1;
            if let Some(file) = self.file(owner.version)? {
                for reference in &file.uses.references {
                    if reference.kind == RefKind::Inherit && reference.enclosing == Some(owner.ordinal) {
                        bases.push(file.name(reference.name).to_string());
                    }
                }
            }
            for above in self.supertypes(owner)?.iter().chain(self.all_parts(owner)?.iter()) {
                if seen.insert(*above) {
                    pending.push(*above);
                }
            }
        }
        Ok(bases)
    }

    /// Returns whether a reference asks for a member of the supertype around it, whatever overrides
    /// there are.
    pub(crate) fn is_super(&self, file: &FileView, reference: &Reference) -> bool {
        let receiver = reference.receiver.map(|receiver| file.chain(receiver));
        let first = receiver.and_then(|receiver| match receiver.root {
            ChainRoot::Name(first) if !matches!(receiver.steps.first(), Some(ChainStep::Member(_))) => Some(first),
            _ => None,
        });
        first.is_some_and(|first| file.rules().super_words.iter().any(|word| word == first))
    }

    /// Returns whether a name without a receiver means something outside.
    fn is_external_name(&self, file: &FileView, reference: &Reference, name: &str) -> Result<bool> {
        if self.is_imported_from_outside(file, name)? {
            return Ok(true);
        }
        let rules = file.rules();
        let has_scopes = matches!(rules.modules, ModuleSystem::Dotted | ModuleSystem::Files | ModuleSystem::Folders);
        let imports_all = file.outline.imports.iter().any(|import| import.name.as_deref() == Some("*"));
        // Where the grammar lost its way, an import or definition may be lost, too.
        let is_broken = file.outline.problems.iter().any(|problem| problem.line <= reference.line);
        if rules.shares_names || !has_scopes || imports_all || is_broken {
            return Ok(false);
        }
        if rules.implicit_members
            && let Some(owner) = self.type_here(file, reference.enclosing)?
            && self.has_external_supertypes(owner)?
        {
            return Ok(false);
        }
        let (entities, _) = self.bare_name(file, reference.enclosing, name)?;
        Ok(entities.iter().all(|entity| *entity == Entity::External))
    }

    /// Returns whether imports of the file take a name from other projects.
    pub(super) fn is_imported_from_outside(&self, file: &FileView, name: &str) -> Result<bool> {
        let mut is_taken = false;
        // A file that is taken in whole binds no name of its own.
        let takes_files = matches!(file.rules().modules, ModuleSystem::Names | ModuleSystem::Includes);
        let is_whole = |import: &&Import| takes_files && import.name.is_none() && import.alias.is_none();
        for import in file.outline.imports.iter().filter(|import| !is_whole(import)) {
            if self.binds(file, import, name)? {
                if self.may_be_here(file, import)? {
                    return Ok(false);
                }
                is_taken = true;
            }
        }
        Ok(is_taken)
    }

    /// Returns whether an import that binds a name names a module that could be one of the
    /// repository's.
    pub(super) fn may_be_imported(&self, file: &FileView, name: &str) -> Result<bool> {
        for import in file
            .outline
            .imports
            .iter()
            .filter(|import| !import.reexport && import.name.as_deref() != Some("*") || import.alias.is_some())
        {
            if self.binds(file, import, name)? && self.may_be_here(file, import)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Returns whether the repository defines a type of this name that the file could use.
    fn is_defined(&self, file: &FileView, name: &str) -> Result<bool> {
        for symbol in self.named(name)?.iter() {
            let Some((other, definition)) = self.definition(*symbol)? else { continue };
            if definition.kind.is_type() && other.language.group() == file.language.group() {
                return Ok(true);
            }
        }
        Ok(false)
    }
}
