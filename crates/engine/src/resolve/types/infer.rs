//! Type inference of expressions: from the root through members, calls and elements, by declared
//! types, values assigned to variables, and declared or returned results of functions.

use std::rc::Rc;

use codecompass_syntax::ModuleSystem;
use codecompass_syntax::facts::{Kind, TypeExpr};

use crate::error::Result;
use crate::resolve::Resolver;
use crate::resolve::entity::{Entity, Symbol};
use crate::resolve::file::FileView;
use crate::resolve::value::Value;

/// The short form of an expression without a value.
const UNIT: &str = "(,)";

impl Resolver<'_> {
    /// Returns the possible values of the expression `text` at a place; empty if they are not
    /// known. `root` is the binding it starts with.
    pub(crate) fn value_of(
        &self,
        file: &FileView,
        enclosing: Option<u32>,
        text: &str,
        root: Option<u32>,
    ) -> Result<Vec<Value>> {
        let Some(_deeper) = self.step() else { return Ok(Vec::new()) };
        if let Some(written) = text.strip_prefix("as ") {
            return self.type_values(file, enclosing, &TypeExpr::of_cast(written), 0);
        }
        let (first, mut steps) = split_root(text);
        let is_new = text.starts_with("new ");
        let mut values = self.root_value(file, enclosing, text, first, root, &mut steps)?;
        values = self.called_alone(file, values, steps.first())?;
        let mut is_called = false;
        for (at, step) in steps.iter().copied().enumerate() {
            let after_call = std::mem::replace(&mut is_called, step == Step::Call);
            match step {
                Step::Member(name) if values.is_empty() && !after_call => {
                    values = self.only_field(file, name)?;
                    continue;
                }
                Step::Asked(written) if values.is_empty() => {
                    values = self.type_values(file, enclosing, &TypeExpr::of_cast(written), 1)?;
                    continue;
                }
                // What is asked for next is known again.
                Step::Call if values.is_empty() => continue,
                _ if values.is_empty() => return Ok(values),
                _ => {}
            }
            if self.step().is_none() {
                return Ok(Vec::new());
            }
            let mut next: Vec<Value> = Vec::new();
            for value in &values {
                let found = match step {
                    Step::Member(name) => match self.member_value(file, value, name)? {
                        found if found.iter().all(|found| matches!(found, Value::Foreign(..))) => {
                            let bound = self.bound_of_field(file, enclosing, value, name)?;
                            if bound.is_empty() { found } else { bound }
                        }
                        found => found,
                    },
                    Step::Call => self.called(value)?,
                    Step::Index => self.indexed(file, value),
                    Step::Braces => match value {
                        Value::Type(symbol) => vec![Value::instance(*symbol)],
                        other => vec![other.clone()],
                    },
                    Step::Asked(written) => match value {
                        Value::External | Value::Foreign(..) => {
                            self.type_values(file, enclosing, &TypeExpr::of_cast(written), 1)?
                        }
                        known => vec![known.clone()],
                    },
                    Step::Other => Vec::new(),
                };
                for value in found {
                    if !next.contains(&value) {
                        next.push(value);
                    }
                }
            }
            values = self.called_alone(file, next, steps.get(at + 1))?;
        }
        if is_new {
            values = values.into_iter().map(|v| if let Value::Type(s) = v { Value::instance(s) } else { v }).collect();
        }
        Ok(values)
    }

    fn root_value(
        &self,
        file: &FileView,
        enclosing: Option<u32>,
        text: &str,
        first: &str,
        root: Option<u32>,
        steps: &mut Vec<Step<'_>>,
    ) -> Result<Vec<Value>> {
        if first.starts_with('"') {
            return Ok(vec![Value::Foreign("str".into(), Rc::default())]);
        }
        if first == UNIT {
            return Ok(vec![Value::Foreign("()".into(), Rc::default())]);
        }
        if first.is_empty() || first.starts_with(['[', '{', '0']) {
            return Ok(vec![Value::External]);
        }
        if first == "?" {
            return Ok(Vec::new());
        }
        let rules = file.rules();
        let is_word = |words: &[String]| words.iter().any(|word| word == first);
        if is_word(&rules.super_words) {
            // `super()` and `super` are the same thing.
            if steps.first() == Some(&Step::Call) {
                steps.remove(0);
            }
            let Some(owner) = self.type_here(file, enclosing)? else { return Ok(Vec::new()) };
            let above = self.supertypes(owner)?;
            let mut values: Vec<Value> = above.iter().map(|above| Value::instance(*above)).collect();
            if values.is_empty() || self.has_external_supertypes(owner)? && above.is_empty() {
                values.push(Value::External);
            }
            return Ok(values);
        }
        if let Some(root) = root {
            return self.binding_value(file, root);
        }
        let starts_here = || rules.here_words.iter().any(|word| word == first) && text[first.len()..].starts_with("::");
        let is_path = rules.starts_path(first) || starts_here();
        if is_path && rules.modules == ModuleSystem::Crates {
            let module = file.outwards(enclosing).find(|(_, around)| around.kind == Kind::Module);
            let found = self.module_path(file, module.map(|(ordinal, _)| ordinal), first)?;
            return Ok(found
                .into_iter()
                .filter_map(|e| if let Entity::Module(m) = e { Some(Value::Module(m)) } else { None })
                .collect());
        }
        if is_word(&rules.instance_words) || is_word(&rules.type_words) {
            let Some(owner) = self.type_here(file, enclosing)? else { return Ok(Vec::new()) };
            if is_word(&rules.type_words) {
                return Ok(vec![Value::Type(owner)]);
            }
            let mut values = vec![Value::instance(owner)];
            // What a block adds to may be a type from outside.
            if let Some((_, block)) = self.definition(owner)?
                && let Some(written) = block.declared_type.as_ref().filter(|_| block.kind == Kind::Impl)
                && let Some(file) = self.file(owner.version)?
            {
                values.extend(self.type_values(&file, Some(owner.ordinal), &written.expression(), 1)?);
            }
            return Ok(values);
        }
        let (entities, _) = self.bare_name(file, enclosing, first)?;
        if entities.iter().all(|entity| *entity == Entity::External) {
            let found = self.beyond_scope(file, enclosing, first, steps)?;
            if !found.is_empty() || entities.is_empty() {
                return Ok(found);
            }
        }
        let mut values = Vec::new();
        for entity in &entities {
            values.extend(match entity {
                // Members that this view adds to it can still be found by its name.
                Entity::External => vec![Value::Foreign(first.into(), Rc::default())],
                entity => self.entity_value(entity, None)?,
            });
        }
        Ok(values)
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
                let mut found = Vec::new();
                let members = self.members(*owner, name)?;
                for member in &members {
                    found.extend(self.entity_value(&Entity::Symbol(*member), Some(value))?);
                }
                if members.is_empty() {
                    // A part that is called as its type is.
                    for above in self.supertypes(*owner)?.iter() {
                        if self.definition(*above)?.is_some_and(|(_, definition)| definition.name == name) {
                            found.push(Value::instance(*above));
                        }
                    }
                    if !found.is_empty() {
                        return Ok(found);
                    }
                }
                if members.is_empty() && file.rules().passing_methods.iter().any(|known| known == name) {
                    return Ok(vec![Value::Callable(Rc::new(vec![value.clone()]))]);
                }
                if members.is_empty()
                    && matches!(value, Value::Type(_))
                    && file.rules().makers.iter().any(|m| m == name)
                {
                    return Ok(vec![Value::Callable(Rc::new(vec![Value::instance(*owner)]))]);
                }
                if members.is_empty() && name.bytes().all(|byte| byte.is_ascii_digit()) {
                    return self.payload(*owner, name.parse().unwrap_or(u8::MAX));
                }
                if members.is_empty() && self.has_external_supertypes(*owner)? {
                    return Ok(vec![Value::External]);
                }
                Ok(found)
            }
            Value::Foreign(head, _) => {
                let mut found = Vec::new();
                let members = self.foreign_members(head, name)?;
                for member in &members {
                    found.extend(self.entity_value(&Entity::Symbol(*member), Some(value))?);
                }
                if members.is_empty() && file.rules().passing_methods.iter().any(|known| known == name) {
                    return Ok(vec![Value::Callable(Rc::new(vec![value.clone()]))]);
                }
                if members.is_empty() {
                    found.push(Value::External);
                }
                Ok(found)
            }
            Value::List(_) if file.rules().passing_methods.iter().any(|known| known == name) => {
                Ok(vec![Value::Callable(Rc::new(vec![value.clone()]))])
            }
            Value::List(_) | Value::Tuple(_) | Value::External => Ok(vec![Value::External]),
            Value::Function(..) | Value::Callable(_) => Ok(Vec::new()),
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
        if definition.kind == Kind::Constructor {
            return Ok(self.owners(symbol)?.iter().map(|owner| Value::instance(*owner)).collect());
        }
        let find = || match self.file(symbol.version)? {
            Some(file) => Ok(Rc::new(self.find_result(&file, symbol, &definition)?)),
            None => Ok(Rc::default()),
        };
        Ok(self.remembered("result", &self.results, symbol, find)?.to_vec())
    }

    fn find_result(
        &self,
        file: &FileView,
        symbol: Symbol,
        definition: &codecompass_syntax::facts::Definition,
    ) -> Result<Vec<Value>> {
        let inside = Some(symbol.ordinal);
        if let Some(written) = &definition.declared_type {
            let found = self.type_values(file, inside, &written.expression(), 0)?;
            if !found.is_empty() {
                return Ok(found);
            }
        }
        if let Some(value) = definition.value.as_deref() {
            let from = if definition.kind.is_callable() { inside } else { definition.parent };
            return self.value_of(file, from, value, definition.value_root);
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

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step<'text> {
    Member(&'text str),
    Call,
    Index,
    Braces,
    /// The type that a call was asked to give.
    Asked(&'text str),
    Other,
}

/// The first name of a short expression, and what follows it.
fn split_root(text: &str) -> (&str, Vec<Step<'_>>) {
    let text = text.strip_prefix("new ").unwrap_or(text);
    let is_word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$' | '@' | '#');
    let literal = ["\"\"", "[]", "{}", UNIT].into_iter().find(|literal| text.starts_with(literal));
    let end = literal.map_or_else(|| text.find(|c| !is_word(c)).unwrap_or(text.len()), str::len);
    let end = if text.starts_with('?') { 1 } else { end };
    let (first, mut rest) = text.split_at(end);
    let mut steps = Vec::new();
    while !rest.is_empty() {
        let (step, length) = if rest.starts_with("()") {
            (Step::Call, 2)
        } else if rest.starts_with("[]") {
            (Step::Index, 2)
        } else if rest.starts_with("{}") {
            (Step::Braces, 2)
        } else if rest.starts_with('<') {
            let mut depth = 0;
            let end = rest.find(|c| {
                depth += i32::from(c == '<') - i32::from(c == '>');
                depth == 0
            });
            let end = end.unwrap_or(rest.len() - 1);
            (Step::Asked(&rest[1..end.max(1)]), end + 1)
        } else {
            let mark = if rest.starts_with("::") { 2 } else { usize::from(rest.starts_with('.')) };
            let end = rest[mark..].find(|c| !is_word(c)).map_or(rest.len(), |end| mark + end);
            match mark > 0 && end > mark {
                true => (Step::Member(&rest[mark..end]), end),
                false => (Step::Other, rest.len()),
            }
        };
        steps.push(step);
        rest = &rest[length..];
    }
    (first, steps)
}
