//! Definitions in several places that make up one symbol: the parts of a partial type, a namespace
//! that is reopened, declarations that merge, alternatives of conditions.

use std::sync::Arc;

use codecompass_syntax::facts::{Definition, Kind};
use codecompass_syntax::{ModuleSystem, PartScope};

use crate::error::Result;
use crate::resolve::Resolver;
use crate::resolve::entity::{Entity, Symbol};
use crate::resolve::file::FileOutline;
use crate::resolve::types::type_arity::type_parameter_count;

impl Resolver<'_> {
    /// Returns the definitions of another file that one adds to, since it stands in a block that
    /// declares members of that file's module.
    pub(crate) fn augmented(&self, file: &FileOutline, definition: &Definition) -> Result<Vec<Symbol>> {
        let around = definition.parent.and_then(|parent| file.definitions().get(parent as usize));
        let is_block = |around: &&Definition| around.kind == Kind::Module && around.modifiers.contains("declare");
        let Some(around) = around.filter(is_block).filter(|_| file.rules().modules == ModuleSystem::Files) else {
            return Ok(Vec::new());
        };
        let Some(file) = self.file(file.version)? else { return Ok(Vec::new()) };
        self.inference.begin();
        let mut found = Vec::new();
        for entity in self.module_of_import(&file, &around.name, around.name_line)? {
            let Entity::Module(module) = entity else { continue };
            for entity in self.in_module(&module, &definition.name, file.language, 0)? {
                if let Entity::Symbol(symbol) = entity {
                    found.push(symbol);
                }
            }
        }
        Ok(found)
    }

    /// All definitions that make up one symbol with `part`, itself first.
    pub(crate) fn all_parts(&self, part: Symbol) -> Result<Arc<Vec<Symbol>>> {
        if let Some(known) = self.memo.parts.borrow().get(&part) {
            return Ok(Arc::clone(known));
        }
        let parts = Arc::new(self.find_parts(part)?);
        for part in parts.iter() {
            self.memo.parts.borrow_mut().insert(*part, Arc::clone(&parts));
        }
        Ok(parts)
    }

    /// All definitions that one name stands for together with `part`, itself first: its parts, and
    /// the type or value of its name.
    pub(crate) fn named_together(&self, part: Symbol) -> Result<Vec<Symbol>> {
        let mut all = self.all_parts(part)?.to_vec();
        let Some((file, definition)) = self.definition(part)? else { return Ok(all) };
        for ordinal in file.named(&definition.name) {
            let other = &file.definitions()[*ordinal as usize];
            let symbol = Symbol { ordinal: *ordinal, ..part };
            let is_here = other.parent == definition.parent && !all.contains(&symbol);
            if is_here && file.is_one_symbol(&definition, other) {
                all.push(symbol);
            }
        }
        Ok(all)
    }

    fn find_parts(&self, part: Symbol) -> Result<Vec<Symbol>> {
        let Some((file, definition)) = self.definition(part)? else { return Ok(vec![part]) };
        let mut parts = vec![part];
        for ordinal in file.named(&definition.name) {
            let other = &file.definitions()[*ordinal as usize];
            let is_here = *ordinal != part.ordinal && other.parent == definition.parent;
            if is_here && file.merges(&definition, other) {
                parts.push(Symbol { ordinal: *ordinal, ..part });
            }
        }
        let alternatives = self.alternatives(part, &file, &definition)?.into_iter();
        let alternatives: Vec<Symbol> = alternatives.filter(|other| !parts.contains(other)).collect();
        parts.extend(alternatives);
        if file.language.part_scope(&definition).is_none() {
            return Ok(parts);
        }
        for other in self.named(&definition.name)?.iter() {
            let Some((home, found)) = self.definition(*other)? else { continue };
            if !parts.contains(other) && self.are_parts(&file, &definition, &home, &found)? {
                parts.push(*other);
            }
        }
        Ok(parts)
    }

    /// Returns whether two definitions are parts of one symbol.
    pub(crate) fn are_parts(
        &self,
        file: &FileOutline,
        definition: &Definition,
        home: &FileOutline,
        other: &Definition,
    ) -> Result<bool> {
        let Some(scope) = file.language.part_scope(definition) else { return Ok(false) };
        let is_same = other.kind == definition.kind
            && other.qualified_name == definition.qualified_name
            && home.language.group() == file.language.group()
            && home.language.part_scope(other) == Some(scope);
        Ok(is_same
            && match scope {
                PartScope::View => true,
                PartScope::Project => {
                    type_parameter_count(definition) == type_parameter_count(other)
                        && self.project_of(&file.path)? == self.project_of(&home.path)?
                }
            })
    }

    /// The folder of the project that a file belongs to; empty without one.
    pub(crate) fn project_of<'path>(&self, path: &'path str) -> Result<&'path str> {
        let projects = &self.modules()?.projects;
        let mut folder = path;
        while let Some((outer, _)) = folder.rsplit_once('/') {
            if projects.contains(outer) {
                return Ok(outer);
            }
            folder = outer;
        }
        Ok("")
    }
}
