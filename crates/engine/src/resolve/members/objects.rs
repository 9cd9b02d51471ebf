//! Members of objects that a variable holds, and variables that hold members.

use codecompass_syntax::facts::{ChainRoot, ChainStep, Kind, RefKind, Reference};

use crate::error::Result;
use crate::resolve::Resolver;
use crate::resolve::entity::{Entity, Resolution, Symbol};
use crate::resolve::value::Value;

impl Resolver<'_> {
    /// Returns the functions and types that an object names as members of their own names
    /// (`const utils = { parse }`).
    pub(super) fn named_members(&self, object: Symbol, name: &str) -> Result<Vec<Symbol>> {
        let Some((_, definition)) = self.definition(object)? else { return Ok(Vec::new()) };
        let Some(value) = definition.value.filter(|_| definition.kind.is_value()) else { return Ok(Vec::new()) };
        let Some(file) = self.file(object.version)? else { return Ok(Vec::new()) };
        let is_object = file.chain(value).root == ChainRoot::Map && file.chain(value).steps.is_empty();
        if !is_object {
            return Ok(Vec::new());
        }
        let mut found = Vec::new();
        for number in file.references_named(name) {
            let Some(reference) = file.uses.references.get(number as usize) else { continue };
            let is_named = |one: &Reference| {
                one.kind == RefKind::Read && one.receiver.is_none() && one.enclosing == Some(object.ordinal)
            };
            if is_named(reference)
                && let Resolution::Found { targets, .. } = self.resolve_within(&file, reference)?
            {
                found.extend(targets);
            }
        }
        let mut kept = Vec::new();
        for symbol in found {
            let is_one = |kind: Kind| kind.is_callable() || matches!(kind, Kind::Class | Kind::Component);
            if self.definition(symbol)?.is_some_and(|(_, definition)| is_one(definition.kind)) {
                kept.push(symbol);
            }
        }
        Ok(kept)
    }

    /// Returns the functions and types that variables take as members of their own names out of
    /// something (`const { parse } = utils`).
    pub(in crate::resolve) fn taken_members(&self, entities: &[Entity]) -> Result<Vec<Entity>> {
        let mut found = Vec::new();
        for entity in entities {
            let Entity::Symbol(symbol) = entity else { continue };
            let Some((_, definition)) = self.definition(*symbol)? else { continue };
            let Some(value) = definition.value.filter(|_| definition.kind.is_value()) else { continue };
            let Some(file) = self.file(symbol.version)? else { continue };
            let chain = file.chain(value);
            if !matches!(chain.steps.last(), Some(ChainStep::Member(name)) if *name == definition.name) {
                continue;
            }
            for value in self.value_of(&file, definition.parent, &chain, definition.value_root)? {
                if let Value::Function(member, _) | Value::Type(member) = value {
                    found.push(Entity::Symbol(member));
                }
            }
        }
        Ok(found)
    }
}
