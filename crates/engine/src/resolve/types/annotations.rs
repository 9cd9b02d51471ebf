//! Types as written, as instances: names are looked up where they are written, aliases stand for
//! what they name, wrappers that pass everything on for what is in them.

use std::sync::Arc;

use codecompass_syntax::ModuleSystem;
use codecompass_syntax::facts::{BindingKind, ChainExpr, Kind, RefKind, TypeExpr};

use crate::error::Result;
use crate::resolve::Resolver;
use crate::resolve::entity::{Entity, ResolutionEvidence, Symbol};
use crate::resolve::file::FileView;
use crate::resolve::types::type_arity::WrittenType;
use crate::resolve::value::Value;

/// Types in types are followed this far.
const MAX_DEPTH: usize = 8;

impl Resolver<'_> {
    /// Returns whether a name is a type parameter at a place.
    pub(crate) fn is_type_parameter(&self, file: &FileView, enclosing: Option<u32>, name: &str) -> bool {
        self.type_parameter(file, enclosing, name).is_some()
    }

    pub(crate) fn type_parameter(&self, file: &FileView, enclosing: Option<u32>, name: &str) -> Option<u32> {
        let around: Vec<u32> = file.outwards(enclosing).map(|(ordinal, _)| ordinal).collect();
        let matches = |index: &u32| {
            let binding = &file.uses.bindings[*index as usize];
            binding.kind == BindingKind::Type
                && binding.enclosing.is_some_and(|owner| around.contains(&owner))
                && file.name(binding.name) == name
        };
        (0..file.uses.bindings.len() as u32).rev().find(matches)
    }

    /// Instances of a type as written.
    pub(crate) fn type_values(
        &self,
        file: &FileView,
        enclosing: Option<u32>,
        kind: &TypeExpr<'_>,
        depth: usize,
    ) -> Result<Vec<Value>> {
        let Some(_deeper) = self.inference.step().filter(|_| depth <= MAX_DEPTH) else { return Ok(Vec::new()) };
        let all = |parts: &[TypeExpr<'_>]| -> Result<Vec<Vec<Value>>> {
            parts.iter().map(|part| self.type_values(file, enclosing, part, depth + 1)).collect()
        };
        match kind {
            TypeExpr::Unknown => Ok(Vec::new()),
            TypeExpr::AnyOf(parts) => {
                let mut values: Vec<Value> = all(parts)?.into_iter().flatten().collect();
                let is_outside = |value: &Value| matches!(value, Value::External | Value::Foreign(..));
                if !values.iter().all(is_outside) {
                    values.retain(|value| !is_outside(value));
                }
                Ok(values)
            }
            TypeExpr::Tuple(parts) => Ok(vec![Value::Tuple(Arc::new(all(parts)?))]),
            TypeExpr::List(inner) => {
                let inner = self.type_values(file, enclosing, inner, depth + 1)?;
                Ok(vec![Value::List(Arc::new(inner))])
            }
            TypeExpr::Function(result) => {
                let result = self.type_values(file, enclosing, result, depth + 1)?;
                Ok(vec![Value::Callable(Arc::new(result))])
            }
            TypeExpr::TypeOf(value) => self.value_of(file, enclosing, &ChainExpr::of_path(value), None),
            TypeExpr::Named(path, arguments) => self.named_type(file, enclosing, path, arguments, depth),
        }
    }

    fn named_type(
        &self,
        file: &FileView,
        enclosing: Option<u32>,
        path: &[&str],
        arguments: &[TypeExpr<'_>],
        depth: usize,
    ) -> Result<Vec<Value>> {
        let rules = file.rules();
        // An alias of a package stands before its types with another mark.
        let whole: Vec<&str> = match rules.root_alias.as_str() {
            "" => path.to_vec(),
            _ => path.iter().flat_map(|part| part.split("::")).collect(),
        };
        let path = whole.as_slice();
        let (Some(first), Some(last)) = (path.first(), path.last()) else { return Ok(Vec::new()) };
        if path.len() == 1 && (is_one_of(&rules.type_words, first) || is_one_of(&rules.self_types, first)) {
            return Ok(self.type_here(file, enclosing)?.map(Value::instance).into_iter().collect());
        }
        if path.len() == 1
            && let Some(parameter) = self.type_parameter(file, enclosing, first)
        {
            return self.argument_of(file, parameter).map_or_else(|| self.binding_value(file, parameter), Ok);
        }
        let (mut entities, _) = if is_one_of(&rules.type_words, first) {
            let here = self.type_here(file, enclosing)?;
            (here.map(Entity::Symbol).into_iter().collect(), ResolutionEvidence::EnclosingType)
        } else {
            let (entities, evidence) = self.bare_name(file, enclosing, first)?;
            (self.that_are_types(file, enclosing, first, entities)?, evidence)
        };
        if entities.is_empty() {
            entities.extend(self.shared_type(file, first)?.map(Entity::Symbol));
        }
        if rules.modules == ModuleSystem::Crates && path.len() > 1 && rules.begins_path(first) {
            let module = file.outwards(enclosing).find(|(_, around)| around.kind == Kind::Module);
            let whole = path.join(file.language.separator());
            entities = self.module_path(file, module.map(|(ordinal, _)| ordinal), &whole)?;
        } else {
            for segment in &path[1..] {
                entities = self.in_entities(file, &entities, segment)?;
            }
        }
        if path.len() > 1 && entities.iter().all(|entity| *entity == Entity::External) {
            entities.extend(self.at_path(file, enclosing, path)?);
        }
        if rules.types_by_arity {
            let written = WrittenType { name: last, arguments: arguments.len() };
            entities = self.of_type_arity(file, enclosing, &written, entities)?;
        }
        let mut values = Vec::new();
        for entity in self.fitting(entities, RefKind::Type)? {
            let Entity::Symbol(symbol) = entity else { continue };
            values.extend(self.instances(symbol, file, enclosing, arguments, depth)?);
        }
        if !values.is_empty() {
            return Ok(values);
        }
        if path.len() == 1 && is_one_of(&rules.dynamic_types, last) {
            return Ok(Vec::new());
        }
        let inner = |argument: &TypeExpr<'_>| self.type_values(file, enclosing, argument, depth + 1);
        if is_one_of(&rules.transparent, last) {
            return arguments.first().map_or(Ok(Vec::new()), inner);
        }
        let arguments = arguments.iter().map(inner).collect::<Result<Vec<_>>>()?;
        Ok(vec![Value::Foreign((*last).into(), Arc::new(arguments))])
    }

    /// Returns what a part of a path means in what stands before it.
    fn in_entities(&self, file: &FileView, entities: &[Entity], segment: &str) -> Result<Vec<Entity>> {
        let mut found = Vec::new();
        for entity in entities {
            match entity {
                Entity::Module(module) => found.extend(self.in_module(module, segment, file.language, 0)?),
                Entity::Symbol(symbol) => {
                    found.extend(self.members(*symbol, segment)?.into_iter().map(Entity::Symbol));
                }
                Entity::External => found.push(Entity::External),
            }
        }
        Ok(found)
    }

    /// Instances of a type of this view; an alias means what it stands for.
    fn instances(
        &self,
        symbol: Symbol,
        user: &FileView,
        enclosing: Option<u32>,
        arguments: &[TypeExpr<'_>],
        depth: usize,
    ) -> Result<Vec<Value>> {
        let Some((_, definition)) = self.definition(symbol)? else { return Ok(Vec::new()) };
        let alias = definition.declared_type.as_ref().filter(|_| definition.kind == Kind::TypeAlias);
        let mut found = Vec::new();
        if let (Some(written), Some(file)) = (alias, self.file(symbol.version)?) {
            let behind = self.type_values(&file, Some(symbol.ordinal), &written.expression(), depth + 1)?;
            // The members of types of this view are inherited by the alias.
            found.extend(behind.into_iter().filter(|value| value.type_symbol().is_none() && *value != Value::External));
        }
        let mut values = Vec::new();
        for argument in arguments {
            values.push(self.type_values(user, enclosing, argument, depth + 1)?);
        }
        found.insert(0, Value::Instance(symbol, Arc::new(values)));
        Ok(found)
    }
}

fn is_one_of(words: &[String], name: &str) -> bool {
    words.iter().any(|word| word == name)
}
