//! Bare names where capitalised names are constants: those are found by the scopes around, all
//! others by the type around.

use crate::error::Result;
use crate::resolve::Resolver;
use crate::resolve::entity::{Entity, ResolutionEvidence, Symbol};
use crate::resolve::file::FileView;
use crate::resolve::names::scope::without_members;

impl Resolver<'_> {
    /// The things that `name` means inside `enclosing`, and why; nothing when it is not found.
    pub(super) fn by_constant_scope(
        &self,
        file: &FileView,
        enclosing: Option<u32>,
        name: &str,
    ) -> Result<(Vec<Entity>, ResolutionEvidence)> {
        if let Some(found) = self.in_functions_around(file, enclosing, name)? {
            return Ok(found);
        }
        let owner = file.type_around(enclosing).map(|ordinal| Symbol { version: file.version, ordinal });
        let is_constant = name.starts_with(char::is_uppercase);
        if is_constant {
            let found = self.in_package(file, enclosing, name)?;
            if !found.is_empty() {
                return Ok((found, ResolutionEvidence::Package));
            }
        }
        // The types above a type are found by constants, too.
        let owner = owner.filter(|owner| !is_constant || !self.inference.is_asked("supertypes", *owner));
        if let Some(owner) = owner {
            let found = self.implicit_members(owner, name)?;
            if !found.is_empty() {
                return Ok((found, ResolutionEvidence::EnclosingType));
            }
        }
        let own = self.defined_in(file, None, name);
        Ok((without_members(file, own), ResolutionEvidence::Scope))
    }

    /// Returns what the functions around a place, up to the innermost type, define inside of
    /// themselves.
    fn in_functions_around(
        &self,
        file: &FileView,
        enclosing: Option<u32>,
        name: &str,
    ) -> Result<Option<(Vec<Entity>, ResolutionEvidence)>> {
        for (index, around) in file.outwards(enclosing) {
            if file.has_relatives(around.kind) {
                break;
            }
            let inside = |ordinal: &&u32| file.definitions()[**ordinal as usize].parent == Some(index);
            let at = |ordinal: &u32| Entity::Symbol(Symbol { version: file.version, ordinal: *ordinal });
            let found: Vec<Entity> = file.named(name).iter().filter(inside).map(at).collect();
            if !found.is_empty() {
                return Ok(Some((found, ResolutionEvidence::Scope)));
            }
            if around.parent.is_none() {
                let found = self.members_beside(file, index, name)?;
                if !found.is_empty() {
                    return Ok(Some((found, ResolutionEvidence::EnclosingType)));
                }
            }
        }
        Ok(None)
    }
}
