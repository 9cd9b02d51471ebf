//! Type inference of expressions: from the root through members, calls and elements, by declared
//! types, values assigned to variables, and declared or returned results of functions.

use std::sync::Arc;

use codecompass_syntax::facts::{ChainExpr, ChainRoot, ChainStep, DeclaredType, Definition, Kind, StepExpr, TypeExpr};
use codecompass_syntax::{ModuleSystem, ResolveRules};
use rustc_hash::FxHashSet;

use crate::error::Result;
use crate::resolve::Resolver;
use crate::resolve::entity::{Entity, Symbol};
use crate::resolve::file::FileView;
use crate::resolve::types::type_arity::WrittenType;
use crate::resolve::value::{Value, is_await};

impl Resolver<'_> {
    /// Returns the possible values of an expression at a place; empty if they are not known. `root`
    /// is the binding it starts with.
    pub(crate) fn value_of(
        &self,
        file: &FileView,
        enclosing: Option<u32>,
        chain: &ChainExpr<'_>,
        root: Option<u32>,
    ) -> Result<Vec<Value>> {
        let Some(_deeper) = self.inference.step() else { return Ok(Vec::new()) };
        let (values, taken) = self.root_value(file, enclosing, chain, root)?;
        let steps = &chain.steps[taken..];
        let mut values = self.called_alone(file, values, steps.first())?;
        let mut after_call = false;
        for (at, step) in steps.iter().enumerate() {
            if *step == ChainStep::MacroCall {
                return Ok(Vec::new());
            }
            if is_await(file.rules(), step) {
                values = self.awaited(values)?;
                continue;
            }
            if values.is_empty() {
                let Some(found) = self.step_from_unknown(file, enclosing, *step, after_call)? else {
                    return Ok(Vec::new());
                };
                values = found;
            } else if self.inference.step().is_none() {
                return Ok(Vec::new());
            } else {
                let mut next = self.step_from(file, enclosing, &values, *step)?;
                if file.rules().overloads_apart && steps.get(at + 1) == Some(&ChainStep::Call) {
                    // A method is called rather than a field of its name.
                    let is_called = |value: &Value| matches!(value, Value::Function(..) | Value::Callable(_));
                    let has_method = next.iter().any(is_called);
                    next.retain(|value| !has_method || is_called(value));
                }
                values = self.called_alone(file, next, steps.get(at + 1))?;
            }
            after_call = *step == ChainStep::Call;
        }
        if let ChainRoot::New(_) = chain.root {
            values = values.into_iter().map(instance_of).collect();
        }
        Ok(values)
    }

    /// Follows a step from something that is not known; `None` if nothing after it can be known.
    fn step_from_unknown(
        &self,
        file: &FileView,
        enclosing: Option<u32>,
        step: StepExpr<'_>,
        after_call: bool,
    ) -> Result<Option<Vec<Value>>> {
        Ok(match step {
            ChainStep::Member(name) | ChainStep::Segment(name) if !after_call => Some(self.only_field(file, name)?),
            ChainStep::TypeArguments(declared) => Some(self.asked_values(file, enclosing, declared)?),
            // What is asked for next is known again.
            ChainStep::Call => Some(Vec::new()),
            _ => None,
        })
    }

    /// Follows a step from each of several values.
    fn step_from(
        &self,
        file: &FileView,
        enclosing: Option<u32>,
        values: &[Value],
        step: StepExpr<'_>,
    ) -> Result<Vec<Value>> {
        let mut next: Vec<Value> = Vec::new();
        for value in values {
            let found = match (step, value) {
                (ChainStep::Member(name) | ChainStep::Segment(name), _) => {
                    self.member_at(file, enclosing, value, name)?
                }
                (ChainStep::Call, _) => self.called(value)?,
                (ChainStep::Index, _) => self.indexed(file, value),
                (ChainStep::Braces, _) => vec![instance_of(value.clone())],
                (ChainStep::TypeArguments(declared), Value::External | Value::Foreign(..)) => {
                    self.asked_values(file, enclosing, declared)?
                }
                (ChainStep::TypeArguments(_), known) => vec![known.clone()],
                (ChainStep::MacroCall, _) => Vec::new(),
            };
            for value in self.without_other_parts(found)? {
                if !next.contains(&value) {
                    next.push(value);
                }
            }
        }
        Ok(next)
    }

    /// Leaves out the other parts of types that are reopened: each has the members of all.
    fn without_other_parts(&self, values: Vec<Value>) -> Result<Vec<Value>> {
        if values.len() < 2 {
            return Ok(values);
        }
        let mut parts = FxHashSet::default();
        let mut kept = Vec::new();
        for value in values {
            if let Value::Type(symbol) = value {
                if parts.contains(&symbol) {
                    continue;
                }
                let found = self.definition(symbol)?;
                if found.is_some_and(|(file, definition)| file.language.part_scope(&definition).is_some()) {
                    parts.extend(self.all_parts(symbol)?.iter().copied());
                }
            }
            kept.push(value);
        }
        Ok(kept)
    }

    /// Returns the values that a call of an outside function gives by what it is asked for: a type,
    /// or the function whose result it wraps.
    fn asked_values(&self, file: &FileView, enclosing: Option<u32>, declared: &DeclaredType) -> Result<Vec<Value>> {
        let asked = declared.expression();
        if let TypeExpr::Named(path, arguments) = &asked
            && let [first, rest @ ..] = &path[..]
            && rest.last().is_some_and(|last| last.starts_with(|c: char| c.is_lowercase() || c == '_'))
            && file.rules().modules == ModuleSystem::Crates
            && arguments.is_empty()
        {
            let mut steps: Vec<StepExpr<'_>> = rest.iter().map(|part| ChainStep::Segment(*part)).collect();
            steps.push(ChainStep::Call);
            return self.value_of(file, enclosing, &ChainExpr { root: ChainRoot::Name(first), steps }, None);
        }
        self.type_values(file, enclosing, &asked, 1)
    }

    /// Returns the values of a member as far as the place knows them.
    pub(super) fn member_at(
        &self,
        file: &FileView,
        enclosing: Option<u32>,
        value: &Value,
        name: &str,
    ) -> Result<Vec<Value>> {
        let found = self.member_value(file, value, name)?;
        if found.iter().all(|found| matches!(found, Value::Foreign(..))) {
            let bound = self.bound_of_field(file, enclosing, value, name)?;
            return Ok(if bound.is_empty() { found } else { bound });
        }
        Ok(found)
    }

    /// Returns the values of an expression's root, and the number of steps that belong to it.
    fn root_value(
        &self,
        file: &FileView,
        enclosing: Option<u32>,
        chain: &ChainExpr<'_>,
        root: Option<u32>,
    ) -> Result<(Vec<Value>, usize)> {
        if let Some((declared, taken)) = class_named(file.rules(), &chain.steps) {
            self.inference.guess();
            return Ok((self.type_values(file, enclosing, &declared.expression(), 1)?, taken));
        }
        let foreign = |name: &str| vec![Value::Foreign(name.into(), Arc::default())];
        let rules = file.rules();
        let values = match chain.root {
            ChainRoot::String if rules.text_type.is_empty() => foreign("str"),
            ChainRoot::String => self.literal_value(file, &rules.text_type)?,
            ChainRoot::Number if !rules.number_type.is_empty() => self.literal_value(file, &rules.number_type)?,
            ChainRoot::Unit => foreign("()"),
            ChainRoot::Number | ChainRoot::Map | ChainRoot::Global => vec![Value::External],
            // What is in it may well be of this repository.
            ChainRoot::List => vec![Value::List(Arc::default())],
            ChainRoot::Unknown => Vec::new(),
            // A type without members to be found is one from outside.
            ChainRoot::Cast(declared) => self.type_values(file, enclosing, &declared.expression(), 0)?,
            ChainRoot::New(_) if let Some((declared, taken)) = type_made(&chain.steps) => {
                return Ok((self.type_values(file, enclosing, &declared.expression(), 0)?, taken));
            }
            ChainRoot::Name(first) | ChainRoot::New(first) => {
                return self.name_value(file, enclosing, first, &chain.steps, root);
            }
        };
        Ok((values, 0))
    }

    /// Returns the value of a literal of a type, which the view may add members to.
    fn literal_value(&self, file: &FileView, type_name: &str) -> Result<Vec<Value>> {
        let reopened = if file.language.is_open(Kind::Class) { self.shared_type(file, type_name)? } else { None };
        Ok(vec![reopened.map_or_else(|| Value::Foreign(type_name.into(), Arc::default()), Value::instance)])
    }

    /// Returns the same for a root that is a name.
    fn name_value(
        &self,
        file: &FileView,
        enclosing: Option<u32>,
        first: &str,
        steps: &[StepExpr<'_>],
        root: Option<u32>,
    ) -> Result<(Vec<Value>, usize)> {
        let rules = file.rules();
        let is_word = |words: &[String]| words.iter().any(|word| word == first);
        if is_word(&rules.super_words) {
            // `super()` and `super` are the same thing.
            let taken = usize::from(steps.first() == Some(&ChainStep::Call));
            return Ok((self.super_values(file, enclosing)?, taken));
        }
        if let Some(root) = root {
            return Ok((self.binding_value(file, root)?, 0));
        }
        let starts_here = || is_word(&rules.here_words) && matches!(steps.first(), Some(ChainStep::Segment(_)));
        if rules.modules == ModuleSystem::Crates && (rules.starts_path(first) || starts_here()) {
            let module = file.outwards(enclosing).find(|(_, around)| around.kind == Kind::Module);
            let found = self.module_path(file, module.map(|(ordinal, _)| ordinal), first)?;
            let modules = found.into_iter().filter_map(|entity| match entity {
                Entity::Module(module) => Some(Value::Module(module)),
                _ => None,
            });
            return Ok((modules.collect(), 0));
        }
        if is_word(&rules.type_words) {
            return Ok((self.type_here(file, enclosing)?.map(Value::Type).into_iter().collect(), 0));
        }
        if is_word(&rules.instance_words) {
            return Ok((self.own_instance(file, enclosing)?, 0));
        }
        self.scope_value(file, enclosing, first, steps)
    }

    /// Returns the values of `super`.
    pub(in crate::resolve) fn super_values(&self, file: &FileView, enclosing: Option<u32>) -> Result<Vec<Value>> {
        let Some(owner) = self.type_here(file, enclosing)? else { return Ok(Vec::new()) };
        let above = self.supertypes(owner)?;
        if above.is_empty() {
            return Ok(vec![Value::External]);
        }
        let mut classes = Vec::new();
        for above in above.iter() {
            let is_interface = self.definition(*above)?.is_some_and(|(_, above)| above.kind == Kind::Interface);
            if !is_interface {
                classes.push(Value::instance(*above));
            }
        }
        if !classes.is_empty() {
            return Ok(classes);
        }
        // A class outside, whose members come before those of the interfaces, may be among them.
        if self.has_external_supertypes(owner)? {
            self.inference.guess();
        }
        Ok(above.iter().map(|above| Value::instance(*above)).collect())
    }

    /// Returns the values of `self`.
    fn own_instance(&self, file: &FileView, enclosing: Option<u32>) -> Result<Vec<Value>> {
        let Some(owner) = self.type_here(file, enclosing)? else { return Ok(Vec::new()) };
        let mut values = vec![Value::instance(owner)];
        // What a block adds to may be a type from outside.
        if let Some((_, block)) = self.definition(owner)?
            && let Some(written) = block.declared_type.as_ref().filter(|_| block.kind == Kind::Impl)
            && let Some(file) = self.file(owner.version)?
        {
            values.extend(self.type_values(&file, Some(owner.ordinal), &written.expression(), 1)?);
        }
        Ok(values)
    }

    /// Returns the values of a name in the scopes around, and the number of steps that belong to
    /// it.
    fn scope_value(
        &self,
        file: &FileView,
        enclosing: Option<u32>,
        first: &str,
        steps: &[StepExpr<'_>],
    ) -> Result<(Vec<Value>, usize)> {
        let (mut entities, _) = self.bare_name(file, enclosing, first)?;
        if file.rules().types_by_arity {
            // A type with arguments is read as a cast.
            let written = WrittenType { name: first, arguments: 0 };
            entities = self.of_type_arity(file, enclosing, &written, entities)?;
        }
        if entities.iter().all(|entity| *entity == Entity::External) {
            let found = self.beyond_scope(file, enclosing, first, steps)?;
            if !found.0.is_empty() || entities.is_empty() {
                return Ok(found);
            }
        }
        let mut values = Vec::new();
        for entity in &entities {
            values.extend(match entity {
                // Members that this view adds to it can still be found by its name.
                Entity::External => vec![Value::Foreign(first.into(), Arc::default())],
                entity => self.entity_value(entity, None)?,
            });
        }
        Ok((self.without_other_parts(values)?, 0))
    }

    /// The type around a place; a block that adds to a type means that type.
    pub(crate) fn type_here(&self, file: &FileView, enclosing: Option<u32>) -> Result<Option<Symbol>> {
        if let Some(owner) = self.type_apart(file, enclosing)? {
            return Ok(Some(owner));
        }
        if let Some(ordinal) = file.type_around(enclosing) {
            if file.definitions()[ordinal as usize].kind == Kind::Impl {
                let types = self.type_of_block(file, ordinal)?;
                // A block for all types that have something has its members itself.
                return Ok(types.first().copied().or(Some(Symbol { version: file.version, ordinal })));
            }
            return Ok(Some(Symbol { version: file.version, ordinal }));
        }
        // A method that stands apart from its type.
        for (ordinal, definition) in file.outwards(enclosing) {
            if matches!(definition.kind, Kind::Method | Kind::Constructor | Kind::Property) {
                let owners = self.owners(Symbol { version: file.version, ordinal })?;
                return Ok(owners.first().copied());
            }
        }
        // An object that a variable holds.
        let value = file.outwards(enclosing).find(|(_, definition)| definition.kind.is_value());
        Ok(value.map(|(ordinal, _)| Symbol { version: file.version, ordinal }))
    }

    /// Returns the values of a name that is used as a value.
    pub(crate) fn entity_value(&self, entity: &Entity, owner: Option<&Value>) -> Result<Vec<Value>> {
        let symbol = match entity {
            Entity::Module(module) => return Ok(vec![Value::Module(module.clone())]),
            Entity::External => return Ok(vec![Value::External]),
            Entity::Symbol(symbol) => *symbol,
        };
        let Some((_, definition)) = self.definition(symbol)? else { return Ok(Vec::new()) };
        Ok(match definition.kind {
            Kind::Module => vec![Value::Type(symbol)],
            Kind::Variant => match owner {
                Some(Value::Type(enumeration)) => vec![Value::instance(*enumeration)],
                _ => self.owners(symbol)?.iter().map(|owner| Value::instance(*owner)).collect(),
            },
            kind if kind.is_type() || kind == Kind::Component => vec![Value::Type(symbol)],
            Kind::Property => self.result_of(symbol, owner)?,
            kind if kind.is_callable() => vec![Value::Function(symbol, owner.cloned().map(Box::new))],
            _ => {
                let values = self.result_of(symbol, owner)?;
                // An object whose members are definitions.
                if values.iter().all(|value| matches!(value, Value::External)) {
                    vec![Value::instance(symbol)]
                } else {
                    values
                }
            }
        })
    }

    /// Returns the values of a member of `value`.
    pub(crate) fn member_value(&self, file: &FileView, value: &Value, name: &str) -> Result<Vec<Value>> {
        match value {
            Value::Module(module) => {
                let mut found = Vec::new();
                for entity in self.in_module(module, name, file.language, 0)? {
                    found.extend(self.entity_value(&entity, None)?);
                }
                Ok(found)
            }
            Value::Type(owner) | Value::Instance(owner, _) => {
                let members = self.members(*owner, name)?;
                if members.is_empty() {
                    return self.undeclared_member(file, value, *owner, name);
                }
                self.values_of_members(&members, value)
            }
            Value::Foreign(head, _) => {
                let members = self.foreign_members(file.language, head, name)?;
                if members.is_empty() {
                    Ok(self.member_of_foreign(file.rules(), value, name))
                } else {
                    self.values_of_members(&members, value)
                }
            }
            Value::List(_) => Ok(passed(file.rules(), value, name).unwrap_or_else(|| vec![Value::External])),
            Value::Tuple(_) | Value::External => Ok(vec![Value::External]),
            Value::Function(..) | Value::Callable(_) => Ok(Vec::new()),
        }
    }

    /// Returns the values of a member that the view does not add to a type outside. Constants of a
    /// type and what its makers give are taken for instances of it.
    fn member_of_foreign(&self, rules: &ResolveRules, value: &Value, name: &str) -> Vec<Value> {
        if let Some(found) = passed(rules, value, name) {
            return found;
        }
        let is_constant = name.len() > 1 && !name.contains(char::is_lowercase) && name.contains(char::is_uppercase);
        let is_maker = rules.makers.iter().any(|maker| maker == name);
        if rules.modules != ModuleSystem::Crates || !is_constant && !is_maker {
            return vec![Value::External];
        }
        // What makes a wrapper is known.
        let is_wrapper = |head: &str| rules.transparent.iter().any(|known| known == head);
        if !matches!(value, Value::Foreign(head, _) if is_maker && is_wrapper(head)) {
            self.inference.guess();
        }
        if is_constant { vec![value.clone()] } else { vec![Value::Callable(Arc::new(vec![value.clone()]))] }
    }

    fn values_of_members(&self, members: &[Symbol], owner: &Value) -> Result<Vec<Value>> {
        let mut found = Vec::new();
        for member in members {
            found.extend(self.entity_value(&Entity::Symbol(*member), Some(owner))?);
        }
        Ok(found)
    }

    /// Returns the values of a member that a type of this view does not declare.
    fn undeclared_member(&self, file: &FileView, value: &Value, owner: Symbol, name: &str) -> Result<Vec<Value>> {
        // A part that is called as its type is.
        let mut parts = Vec::new();
        for above in self.supertypes(owner)?.iter() {
            if self.definition(*above)?.is_some_and(|(_, definition)| definition.name == name) {
                parts.push(Value::instance(*above));
            }
        }
        let rules = file.rules();
        let is_one_of = |words: &[String]| words.iter().any(|word| word == name);
        if !parts.is_empty() {
            return Ok(parts);
        }
        let documented = self.documented_member(owner, name)?;
        if !documented.is_empty() {
            return Ok(documented);
        }
        let behind = self.members_behind(owner, name)?;
        if !behind.is_empty() {
            self.inference.guess();
            return self.values_of_members(&behind, value);
        }
        if is_one_of(&rules.passing_methods) {
            Ok(vec![Value::Callable(Arc::new(vec![value.clone()]))])
        } else if is_one_of(&rules.passing_properties) || is_one_of(&rules.element_properties) {
            // The type stands for what it wraps.
            Ok(vec![value.clone()])
        } else if matches!(value, Value::Type(_)) && is_one_of(&rules.makers) {
            Ok(vec![Value::Callable(Arc::new(vec![Value::instance(owner)]))])
        } else if name.bytes().all(|byte| byte.is_ascii_digit()) {
            self.payload(owner, name.parse().unwrap_or(u8::MAX))
        } else if self.has_external_supertypes(owner)? {
            Ok(vec![Value::External])
        } else {
            Ok(Vec::new())
        }
    }

    /// Returns the results of calling `value`.
    pub(crate) fn called(&self, value: &Value) -> Result<Vec<Value>> {
        match value {
            Value::Type(symbol) => Ok(vec![Value::instance(*symbol)]),
            Value::Function(symbol, owner) => self.result_of(*symbol, owner.as_deref()),
            Value::Callable(result) => Ok(result.to_vec()),
            // An instance that can be called gives nothing that is known.
            Value::Instance(..) | Value::Module(_) | Value::List(_) | Value::Tuple(_) => Ok(Vec::new()),
            Value::External | Value::Foreign(..) => Ok(vec![Value::External]),
        }
    }

    /// Returns the results of a function, or the values of a variable.
    pub(crate) fn result_of(&self, symbol: Symbol, owner: Option<&Value>) -> Result<Vec<Value>> {
        let Some((file, definition)) = self.definition(symbol)? else { return Ok(Vec::new()) };
        let rules = file.rules();
        if let Some(declared) = &definition.declared_type {
            let name = declared.expression().as_name();
            let is_name = |word: &String| Some(word.as_str()) == name;
            let is_self = rules.type_words.iter().any(is_name) || rules.self_types.iter().any(is_name);
            if let Some(owner) = owner.filter(|_| is_self) {
                return Ok(owner.type_symbol().map(Value::instance).into_iter().collect());
            }
        }
        if let Some(found) = self.result_with_arguments(symbol, &definition, owner)? {
            return Ok(found);
        }
        if definition.kind == Kind::Constructor {
            return Ok(self.owners(symbol)?.iter().map(|owner| Value::instance(*owner)).collect());
        }
        let find = || match self.file(symbol.version)? {
            Some(file) => Ok(Arc::new(self.find_result(&file, symbol, &definition)?)),
            None => Ok(Arc::default()),
        };
        Ok(self.inference.remembered("result", &self.memo.results, symbol, find)?.to_vec())
    }

    fn find_result(&self, file: &FileView, symbol: Symbol, definition: &Definition) -> Result<Vec<Value>> {
        let inside = Some(symbol.ordinal);
        if let Some(written) = &definition.declared_type {
            let found = self.type_values(file, inside, &written.expression(), 0)?;
            let is_parameter = |name| self.is_type_parameter(file, inside, name);
            if definition.kind.is_callable() && written.expression().as_name().is_some_and(is_parameter) {
                return Ok(self.without_parameters(file, symbol.ordinal, found));
            }
            if !found.is_empty() {
                return Ok(found);
            }
        }
        if let Some(value) = definition.value {
            let from = if definition.kind.is_callable() { inside } else { definition.parent };
            return self.value_of(file, from, &file.chain(value), definition.value_root);
        }
        let is_maker = file.rules().makers.contains(&definition.name);
        if is_maker {
            return Ok(self.owners(symbol)?.iter().map(|owner| Value::instance(*owner)).collect());
        }
        Ok(Vec::new())
    }
}

/// Returns the elements of a collection.
pub(crate) fn elements(value: &Value) -> Vec<Value> {
    match value {
        Value::List(inner) => inner.to_vec(),
        Value::Tuple(parts) => parts.iter().flatten().cloned().collect(),
        Value::Instance(_, arguments) | Value::Foreign(_, arguments) => arguments.last().cloned().unwrap_or_default(),
        Value::External => vec![Value::External],
        _ => Vec::new(),
    }
}

/// Returns the values of a member of something outside that gives what it is read of, or an element
/// of that.
fn passed(rules: &ResolveRules, value: &Value, name: &str) -> Option<Vec<Value>> {
    let is_one_of = |words: &[String]| words.iter().any(|word| word == name);
    let result = |values: Vec<Value>| Some(vec![Value::Callable(Arc::new(values))]);
    let inside = elements(value);
    if !inside.is_empty() && is_one_of(&rules.element_methods) {
        result(inside)
    } else if !inside.is_empty() && is_one_of(&rules.elements_methods) {
        result(vec![Value::List(Arc::new(inside))])
    } else if !inside.is_empty() && is_one_of(&rules.element_properties) {
        Some(inside)
    } else if is_one_of(&rules.passing_methods) {
        result(vec![value.clone()])
    } else if is_one_of(&rules.passing_properties) {
        Some(vec![value.clone()])
    } else {
        None
    }
}

/// Returns the type with arguments that an instance is made of, and the number of steps up to where
/// it is made.
fn type_made<'a>(steps: &[StepExpr<'a>]) -> Option<(&'a DeclaredType, usize)> {
    let at = steps.iter().position(|step| !matches!(step, ChainStep::Member(_) | ChainStep::Segment(_)))?;
    let ChainStep::TypeArguments(declared) = steps[at] else { return None };
    Some((declared, at + 1 + usize::from(steps.get(at + 1) == Some(&ChainStep::Call))))
}

/// Returns the type that the argument of a call names, and the number of steps up to there: nothing
/// before it tells more.
fn class_named<'a>(rules: &ResolveRules, steps: &[StepExpr<'a>]) -> Option<(&'a DeclaredType, usize)> {
    if rules.class_argument_functions.is_empty() {
        return None;
    }
    let at = steps.iter().rposition(|step| matches!(step, ChainStep::TypeArguments(_)))?;
    let ChainStep::TypeArguments(declared) = steps[at] else { return None };
    let is_argument = at.checked_sub(1).is_some_and(|before| steps[before] == ChainStep::Call);
    is_argument.then_some((declared, at + 1))
}

/// Makes an instance of a type; anything else stays what it is.
fn instance_of(value: Value) -> Value {
    match value {
        Value::Type(symbol) => Value::instance(symbol),
        other => other,
    }
}
