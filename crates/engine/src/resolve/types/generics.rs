//! Arguments of generic types: a method that gives `T` gives what the receiver's type has there.

use std::sync::Arc;

use codecompass_syntax::facts::{BindingKind, Definition};

use crate::error::Result;
use crate::resolve::Resolver;
use crate::resolve::entity::Symbol;
use crate::resolve::file::FileView;
use crate::resolve::value::{Substitution, Value};

impl Resolver<'_> {
    /// Returns the result of a member whose declared type names type parameters of the instance it
    /// is a member of; `None` if that has no arguments or the member belongs to another type.
    pub(super) fn result_with_arguments(
        &self,
        symbol: Symbol,
        definition: &Definition,
        owner: Option<&Value>,
    ) -> Result<Option<Vec<Value>>> {
        let Some(Value::Instance(owner, arguments)) = owner.filter(|_| definition.declared_type.is_some()) else {
            return Ok(None);
        };
        let is_own = owner.version == symbol.version && definition.parent == Some(owner.ordinal);
        if arguments.is_empty() || !is_own {
            return Ok(None);
        }
        let (Some(file), Some(written)) = (self.file(symbol.version)?, &definition.declared_type) else {
            return Ok(None);
        };
        let substitution = Substitution { owner: *owner, arguments: Arc::clone(arguments) };
        let values = || self.type_values(&file, Some(symbol.ordinal), &written.expression(), 0);
        let found = self.inference.substituting(substitution, values);
        let found = self.without_parameters(&file, symbol.ordinal, found?);
        Ok((!found.is_empty()).then_some(found))
    }

    /// Returns the values of the argument that a type parameter stands for; `None` if it is not
    /// known.
    pub(super) fn argument_of(&self, file: &FileView, parameter: u32) -> Option<Vec<Value>> {
        let binding = file.binding(parameter)?;
        let Substitution { owner, arguments } = self.inference.substitution()?;
        if owner.version != file.version || binding.enclosing != Some(owner.ordinal) {
            return None;
        }
        let mut names: Vec<u32> = Vec::new();
        for other in &file.uses.bindings {
            let is_parameter = other.kind == BindingKind::Type && other.enclosing == binding.enclosing;
            if is_parameter && !names.contains(&other.name) {
                names.push(other.name);
            }
        }
        let place = names.iter().position(|name| *name == binding.name)?;
        arguments.get(place).filter(|values| !values.is_empty()).cloned()
    }

    /// Leaves out type parameters without a bound: outside of their type they may stand for
    /// anything.
    pub(super) fn without_parameters(&self, file: &FileView, inside: u32, mut values: Vec<Value>) -> Vec<Value> {
        values.retain(
            |value| !matches!(value, Value::Foreign(head, _) if self.is_type_parameter(file, Some(inside), head)),
        );
        values
    }
}
