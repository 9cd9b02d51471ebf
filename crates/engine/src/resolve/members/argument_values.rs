//! Types of arguments as they are declared. A receiver may as well be what a wrapper holds, and
//! what it is likely to be; an overload is chosen by what an expression certainly is.

use std::sync::Arc;

use codecompass_syntax::facts::{
    ChainExpr, ChainRoot, ChainStep, DeclaredType, Definition, Kind, Parameter, ParameterKind, Projection, TypeExpr,
};

use crate::error::Result;
use crate::resolve::Resolver;
use crate::resolve::entity::{Entity, Symbol};
use crate::resolve::file::{FileOutline, FileView};
use crate::resolve::value::{Value, is_await};

/// Values of values are followed this far.
const MAX_DEPTH: usize = 4;

impl Resolver<'_> {
    /// Returns the values of an expression as its type is declared, where that is plain to see: a
    /// wrapper with the members of its contents is no instance of what it holds.
    pub(super) fn typed_values(
        &self,
        file: &FileView,
        enclosing: Option<u32>,
        chain: &ChainExpr<'_>,
        root: Option<u32>,
        depth: usize,
    ) -> Result<Vec<Value>> {
        let Some((last, before)) = chain.steps.split_last() else {
            return self.typed_root(file, enclosing, chain, root, depth);
        };
        if let [.., ChainStep::Member(method), ChainStep::Call] = chain.steps[..]
            && let Some(given) = file.language.result_of_any(method)
        {
            return Ok(vec![Value::Foreign(given.into(), Arc::default())]);
        }
        let whole = || self.value_of(file, enclosing, chain, root);
        let before = ChainExpr { root: chain.root, steps: before.to_vec() };
        if is_await(file.rules(), last) {
            // What a wrapper holds is what comes of waiting for it.
            let waited_for = self.typed_values(file, enclosing, &before, root, depth)?;
            let is_wrapper = |value: &Value| matches!(value, Value::Foreign(name, _) if self.is_wrapper(file, name));
            return if !waited_for.is_empty() && waited_for.iter().all(is_wrapper) { whole() } else { Ok(Vec::new()) };
        }
        if let ChainRoot::New(first) = chain.root {
            let mut names = chain.steps.iter().filter_map(|step| match step {
                ChainStep::Member(name) | ChainStep::Segment(name) => Some(*name),
                _ => None,
            });
            return if self.is_wrapper(file, names.next_back().unwrap_or(first)) { Ok(Vec::new()) } else { whole() };
        }
        let holders = self.value_of(file, enclosing, &before, root)?;
        let mut found = Vec::new();
        for holder in &holders {
            match (last, holder) {
                (ChainStep::Call, Value::Function(function, _)) => found.push(*function),
                // A type that is called makes an instance.
                (ChainStep::Call, Value::Type(_)) if holders.len() == 1 => return whole(),
                (ChainStep::Member(name) | ChainStep::Segment(name), holder) => {
                    let Some(owner) = holder.type_symbol() else { return Ok(Vec::new()) };
                    found.extend(self.members(owner, name)?);
                }
                _ => return Ok(Vec::new()),
            }
        }
        let is_call = matches!(last, ChainStep::Call);
        for symbol in &found {
            let Some((home, definition)) = self.opened(*symbol)? else { return Ok(Vec::new()) };
            let Some(declared) = &definition.declared_type else { return Ok(Vec::new()) };
            if is_function(&definition) != is_call || self.is_open(&home, *symbol, &definition, declared) {
                return Ok(Vec::new());
            }
            if let Some(wrapper) = self.wrapper_named(&home, Some(symbol.ordinal), &declared.expression())? {
                return Ok(vec![wrapper]);
            }
        }
        if found.is_empty() { Ok(Vec::new()) } else { whole() }
    }

    /// Returns whether what is declared leaves open what there is: a type parameter, or nothing.
    fn is_open(&self, home: &FileView, symbol: Symbol, definition: &Definition, declared: &DeclaredType) -> bool {
        let written = declared.expression();
        let name = match &written {
            TypeExpr::List(inner) => inner.as_name(),
            written => written.as_name(),
        };
        let is_variadic = definition.parameters.is_none() && definition.signature.contains("vararg ");
        is_variadic
            || self.may_be_nothing(home, declared)
            || name.is_some_and(|name| self.is_type_parameter(home, Some(symbol.ordinal), name))
    }

    /// Returns whether a type has a mark by which it is another one than without.
    fn may_be_nothing(&self, file: &FileOutline, declared: &DeclaredType) -> bool {
        let rules = &file.rules().conversions;
        let plain = declared.text.trim().strip_suffix('?');
        // Where types are not checked for the mark, it makes another type of plain values only.
        plain.is_some_and(|name| rules.smart_casts || name != "string" && rules.is_final(rules.plain(name)))
    }

    /// Returns the same for an expression that is its root and nothing else.
    fn typed_root(
        &self,
        file: &FileView,
        enclosing: Option<u32>,
        chain: &ChainExpr<'_>,
        root: Option<u32>,
        depth: usize,
    ) -> Result<Vec<Value>> {
        let first = match chain.root {
            ChainRoot::Cast(declared) => {
                if self.may_be_nothing(file, declared) {
                    return Ok(Vec::new());
                }
                return self.declared_values(file, enclosing, &declared.expression());
            }
            ChainRoot::Name(first) => first,
            _ => return self.value_of(file, enclosing, chain, root),
        };
        if let Some(root) = root {
            return self.typed_binding(file, enclosing, chain, root, depth);
        }
        let rules = file.rules();
        if rules.instance_words.iter().chain(&rules.super_words).any(|word| word == first) {
            return self.value_of(file, enclosing, chain, root);
        }
        let (entities, _) = self.bare_name(file, enclosing, first)?;
        if let [Entity::Symbol(symbol)] = entities[..]
            && let Some((home, definition)) = self.opened(symbol)?
            && let Some(declared) = definition.declared_type.as_ref().filter(|_| !is_function(&definition))
            && !self.is_open(&home, symbol, &definition, declared)
        {
            return self.declared_values(&home, Some(symbol.ordinal), &declared.expression());
        }
        Ok(Vec::new())
    }

    /// Returns the same for a parameter or local variable.
    fn typed_binding(
        &self,
        file: &FileView,
        enclosing: Option<u32>,
        chain: &ChainExpr<'_>,
        root: u32,
        depth: usize,
    ) -> Result<Vec<Value>> {
        let Some(binding) = file.binding(root) else { return Ok(Vec::new()) };
        let around = binding.enclosing.and_then(|around| file.definitions().get(around as usize));
        let mut parameters = around.into_iter().flat_map(|around| around.parameters.iter().flatten());
        let name = file.name(binding.name);
        let is_variadic = |it: &Parameter| it.kind == ParameterKind::Variadic && it.name == name;
        if parameters.any(is_variadic) {
            return Ok(Vec::new());
        }
        if let Some(declared) = binding.declared.and_then(|declared| file.declared(declared)) {
            let written = declared.expression();
            let is_parameter = |name| self.is_type_parameter(file, binding.enclosing, name);
            if self.may_be_nothing(file, declared) || written.as_name().is_some_and(is_parameter) {
                return Ok(Vec::new());
            }
            let found = self.declared_values(file, binding.enclosing, &written)?;
            if !found.is_empty() {
                return Ok(found);
            }
        }
        let Some(value) = binding.value.filter(|_| depth < MAX_DEPTH) else { return Ok(Vec::new()) };
        let value = file.chain(value);
        match binding.projection {
            Projection::Whole => self.typed_values(file, binding.enclosing, &value, binding.root, depth + 1),
            // The elements of a map are not its values.
            Projection::Element => {
                let holders = self.value_of(file, binding.enclosing, &value, binding.root)?;
                let is_list = |holder: &Value| match holder {
                    Value::List(_) => true,
                    Value::Foreign(_, arguments) => arguments.len() == 1,
                    _ => false,
                };
                let is_list = !holders.is_empty() && holders.iter().all(is_list);
                if is_list { self.value_of(file, enclosing, chain, Some(root)) } else { Ok(Vec::new()) }
            }
            _ => Ok(Vec::new()),
        }
    }

    /// Returns instances of a type as written, wrappers and classes of libraries as such.
    pub(super) fn declared_values(
        &self,
        file: &FileView,
        enclosing: Option<u32>,
        written: &TypeExpr<'_>,
    ) -> Result<Vec<Value>> {
        match self.wrapper_named(file, enclosing, written)? {
            Some(wrapper) => Ok(vec![wrapper]),
            None => self.type_values(file, enclosing, written, 0),
        }
    }

    /// Returns the wrapper of a library that a type as written is.
    fn wrapper_named(&self, file: &FileView, enclosing: Option<u32>, written: &TypeExpr<'_>) -> Result<Option<Value>> {
        let TypeExpr::Named(path, _) = written else { return Ok(None) };
        let Some(last) = path.last().filter(|last| self.is_wrapper(file, last)) else { return Ok(None) };
        let bare = TypeExpr::Named(path.clone(), Vec::new());
        let is_here = self.type_values(file, enclosing, &bare, 0)?.iter().any(|value| value.type_symbol().is_some());
        Ok((!is_here).then(|| Value::Foreign((*last).into(), Arc::default())))
    }

    /// Returns whether a type of a library stands for what it holds.
    fn is_wrapper(&self, file: &FileOutline, name: &str) -> bool {
        file.rules().transparent.iter().any(|wrapper| wrapper == name)
    }
}

/// Returns whether a name that is not called stands for a function rather than for what it gives.
fn is_function(definition: &Definition) -> bool {
    definition.kind.is_callable() && definition.kind != Kind::Property
}
