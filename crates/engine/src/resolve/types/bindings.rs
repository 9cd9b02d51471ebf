//! Values of fields, of variants and types without named fields, and of bindings.

use std::sync::Arc;

use codecompass_syntax::facts::{BindingKind, ChainExpr, Kind, Projection, TypeExpr};

use crate::error::Result;
use crate::resolve::Resolver;
use crate::resolve::entity::{Entity, Symbol};
use crate::resolve::file::FileView;
use crate::resolve::value::Value;

impl Resolver<'_> {
    /// Returns the values of the field `name` if it is the only member of that name in the view: a
    /// guess.
    pub(crate) fn only_field(&self, file: &FileView, name: &str) -> Result<Vec<Value>> {
        let mut field = None;
        for symbol in self.named(name)?.iter() {
            let Some((other, definition)) = self.definition(*symbol)? else { continue };
            let is_member = definition.parent.is_some() && definition.kind != Kind::Module;
            if other.language.group() != file.language.group() || definition.kind == Kind::Impl || !is_member {
                continue;
            }
            if field.is_some() || !matches!(definition.kind, Kind::Field | Kind::Property) {
                return Ok(Vec::new());
            }
            field = Some(*symbol);
        }
        let Some(field) = field else { return Ok(Vec::new()) };
        self.inference.guess();
        self.result_of(field, None)
    }

    /// A field whose type is a parameter has the members that the place knows a parameter of that
    /// name to have.
    pub(crate) fn bound_of_field(
        &self,
        file: &FileView,
        enclosing: Option<u32>,
        owner: &Value,
        name: &str,
    ) -> Result<Vec<Value>> {
        let Some(owner) = owner.type_symbol() else { return Ok(Vec::new()) };
        for member in self.members(owner, name)? {
            let Some((_, definition)) = self.definition(member)? else { continue };
            let written = definition.declared_type.as_ref().filter(|_| definition.kind == Kind::Field);
            if let Some(parameter) = written.and_then(|written| self.type_parameter(file, enclosing, &written.text)) {
                return self.binding_value(file, parameter);
            }
        }
        Ok(Vec::new())
    }

    /// Returns the values at a place of a variant or type without named fields.
    pub(crate) fn payload(&self, symbol: Symbol, place: u8) -> Result<Vec<Value>> {
        let Some((file, definition)) = self.opened(symbol)? else { return Ok(Vec::new()) };
        let Some(written) = definition.declared_type.as_ref() else { return Ok(Vec::new()) };
        match written.expression() {
            TypeExpr::Tuple(parts) => {
                let Some(part) = parts.get(usize::from(place)) else { return Ok(Vec::new()) };
                self.type_values(&file, Some(symbol.ordinal), part, 1)
            }
            only if place == 0 => self.type_values(&file, Some(symbol.ordinal), &only, 1),
            _ => Ok(Vec::new()),
        }
    }

    /// Returns the fields of this name that the variant at a path has.
    pub(crate) fn variant_fields(
        &self,
        file: &FileView,
        enclosing: Option<u32>,
        path: &ChainExpr<'_>,
        name: &str,
    ) -> Result<Vec<Symbol>> {
        let mut fields = Vec::new();
        for symbol in self.named(name)?.iter() {
            let Some((home, definition)) = self.definition(*symbol)? else { continue };
            let around = definition.parent.and_then(|parent| home.definitions().get(parent as usize));
            if around.is_some_and(|around| around.kind == Kind::Variant && path.last_name() == Some(&around.name)) {
                fields.push((*symbol, definition.parent));
            }
        }
        if fields.is_empty() {
            return Ok(Vec::new());
        }
        let variants = self.pattern_symbols(file, enclosing, path)?;
        let is_of = |(field, parent): &(Symbol, Option<u32>)| {
            variants.iter().any(|variant| variant.version == field.version && Some(variant.ordinal) == *parent)
        };
        Ok(fields.into_iter().filter(is_of).map(|(field, _)| field).collect())
    }

    /// The variants and types that a pattern names.
    fn pattern_symbols(&self, file: &FileView, enclosing: Option<u32>, path: &ChainExpr<'_>) -> Result<Vec<Symbol>> {
        let Some(last) = path.last_name() else { return Ok(Vec::new()) };
        let mut before = path.clone();
        if before.steps.pop().is_none() {
            let (entities, _) = self.bare_name(file, enclosing, last)?;
            return Ok(entities
                .into_iter()
                .filter_map(|e| if let Entity::Symbol(s) = e { Some(s) } else { None })
                .collect());
        }
        let mut found = Vec::new();
        for value in self.value_of(file, enclosing, &before, None)? {
            match value {
                Value::Type(owner) | Value::Instance(owner, _) => found.extend(self.members(owner, last)?),
                Value::Module(module) => {
                    let entities = self.in_module(&module, last, file.language, 0)?;
                    found.extend(
                        entities.into_iter().filter_map(|e| if let Entity::Symbol(s) = e { Some(s) } else { None }),
                    );
                }
                _ => {}
            }
        }
        Ok(found)
    }

    /// Returns the values that a binding may hold.
    pub(crate) fn binding_value(&self, file: &FileView, index: u32) -> Result<Vec<Value>> {
        let Some(binding) = file.binding(index) else { return Ok(Vec::new()) };
        let Some(_deeper) = self.inference.step() else { return Ok(Vec::new()) };
        if binding.kind == BindingKind::Type {
            let Some(bound) = binding.declared.and_then(|bound| file.declared(bound)) else {
                if file.rules().open_type_parameters {
                    return Ok(Vec::new());
                }
                return Ok(vec![Value::Foreign(file.name(binding.name).into(), Arc::default())]);
            };
            return self.type_values(file, binding.enclosing, &bound.expression(), 1);
        }
        if let (Projection::Payload(place), Some(path)) = (binding.projection, binding.value) {
            let mut found = Vec::new();
            for symbol in self.pattern_symbols(file, binding.enclosing, &file.chain(path))? {
                found.extend(self.payload(symbol, place)?);
            }
            return Ok(found);
        }
        if let (Projection::Member, Some(path)) = (binding.projection, binding.value) {
            let name = file.name(binding.name);
            let fields = self.variant_fields(file, binding.enclosing, &file.chain(path), name)?;
            if let [field] = fields[..] {
                return self.result_of(field, None);
            }
        }
        let mut values = Vec::new();
        if let Some(declared) = binding.declared.and_then(|declared| file.declared(declared)) {
            values = self.type_values(file, binding.enclosing, &declared.expression(), 0)?;
        }
        if values.is_empty()
            && let Some(value) = binding.value
        {
            values = self.value_of(file, binding.enclosing, &file.chain(value), binding.root)?;
        }
        if values.is_empty() && binding.kind == BindingKind::First && file.rules().first_parameter_is_self {
            return self.first_parameter(file, binding.enclosing, file.name(binding.name));
        }
        let mut taken = Vec::new();
        for value in &values {
            match binding.projection {
                Projection::Whole => taken.push(value.clone()),
                Projection::Element => taken.extend(crate::resolve::types::infer::elements(value)),
                Projection::Member => {
                    taken.extend(self.member_at(file, binding.enclosing, value, file.name(binding.name))?);
                }
                Projection::Payload(_) => {}
                Projection::Part(place) => match value {
                    Value::Tuple(parts) => taken.extend(parts.get(usize::from(place)).cloned().unwrap_or_default()),
                    value if place == 0 => taken.push(value.clone()),
                    _ => {}
                },
            }
        }
        Ok(taken)
    }

    /// `self`, or `cls`, of a method.
    fn first_parameter(&self, file: &FileView, enclosing: Option<u32>, name: &str) -> Result<Vec<Value>> {
        let Some(ordinal) = enclosing else { return Ok(Vec::new()) };
        let definition = &file.definitions()[ordinal as usize];
        let around = definition.parent.filter(|parent| file.definitions()[*parent as usize].kind.is_type());
        let Some(owner) = around else { return Ok(Vec::new()) };
        let owner = Symbol { version: file.version, ordinal: owner };
        let rules = file.rules();
        let is_decorated = |words: &[String]| {
            definition.decorators.iter().any(|decorator| words.iter().any(|word| decorator.contains(word.as_str())))
        };
        if is_decorated(&rules.static_decorators) {
            return Ok(Vec::new());
        }
        let of_type = rules.type_words.iter().any(|word| word == name) || is_decorated(&rules.class_decorators);
        Ok(vec![if of_type { Value::Type(owner) } else { Value::instance(owner) }])
    }
}
