//! Languages whose files share their names: declarations and bodies, open modules, members without
//! a receiver.

use codecompass_syntax::ModuleSystem;
use codecompass_syntax::facts::{ChainStep, Definition, Kind, RefKind, Reference, StepExpr, Visibility};

use crate::error::Result;
use crate::resolve::Resolver;
use crate::resolve::entity::{Entity, Resolution, Symbol};
use crate::resolve::file::FileView;
use crate::resolve::file::is_out_of_line;
use crate::resolve::names::modules::has_body;
use crate::resolve::types::infer::elements;
use crate::resolve::value::Value;

impl Resolver<'_> {
    /// Adds the bodies of what is only declared at the place that was found.
    pub(crate) fn with_bodies(&self, file: &FileView, found: Resolution) -> Result<Resolution> {
        let Resolution::Found { targets, confidence, evidence } = found else { return Ok(found) };
        if file.rules().modules != ModuleSystem::Includes {
            return Ok(Resolution::Found { targets, confidence, evidence });
        }
        let mut bodies = Vec::new();
        for target in &targets {
            bodies.extend(self.bodies_of(*target)?);
        }
        // A constructor without a body and its class are as good as one another.
        let targets = if bodies.is_empty() { targets } else { bodies };
        Ok(Resolution::found(targets, confidence, evidence))
    }

    /// The definitions of what a symbol declares; itself when it is one.
    fn bodies_of(&self, symbol: Symbol) -> Result<Vec<Symbol>> {
        let Some((file, declared)) = self.definition(symbol)? else { return Ok(Vec::new()) };
        if has_body(&declared) {
            return Ok(vec![symbol]);
        }
        let mut bodies = Vec::new();
        for other in self.named(&declared.name)?.iter() {
            let Some((home, found)) = self.definition(*other)? else { continue };
            let is_same = found.qualified_name.replace("::", ".") == declared.qualified_name.replace("::", ".")
                && found.kind.is_callable() == declared.kind.is_callable()
                && home.language.group() == file.language.group();
            let is_seen =
                found.visibility != Visibility::Private || found.parent.is_some() || home.version == file.version;
            let is_same = is_same && self.may_be_one(&file, &declared, &found);
            if is_same && has_body(&found) && is_seen && !matches!(found.kind, Kind::Impl | Kind::Macro) {
                bodies.push(*other);
            }
        }
        Ok(bodies)
    }

    /// Returns the entities called `name` in an open module, with all of its parts.
    pub(crate) fn in_open_module(&self, file: &FileView, ordinal: u32, name: &str) -> Result<Vec<Entity>> {
        let module = Symbol { version: file.version, ordinal };
        Ok(self.members(module, name)?.into_iter().map(Entity::Symbol).collect())
    }

    /// Members that a type's own code may name without a receiver; a constructor is called by the
    /// type's name.
    pub(crate) fn implicit_members(&self, owner: Symbol, name: &str) -> Result<Vec<Entity>> {
        let mut found = Vec::new();
        let mut members = self.members(owner, name)?;
        if let Some((file, block)) = self.definition(owner)?
            && block.kind == Kind::Impl
            // The type may have overloads of what its block has.
            && (members.is_empty() || file.rules().overloads_apart)
        {
            for extended in self.type_of_block(&file, owner.ordinal)? {
                let inherited = self.members(extended, name)?.into_iter();
                let inherited: Vec<Symbol> = inherited.filter(|member| !members.contains(member)).collect();
                members.extend(inherited);
            }
        }
        for member in members {
            let is_constructor = self.definition(member)?.is_some_and(|(_, d)| d.kind == Kind::Constructor);
            if !is_constructor {
                found.push(Entity::Symbol(member));
            }
        }
        Ok(found)
    }

    /// Resolves a call whose name is written without one of the language's optional endings.
    pub(crate) fn with_endings(&self, file: &FileView, reference: &Reference, name: &str) -> Result<Vec<Entity>> {
        if reference.kind != RefKind::Call {
            return Ok(Vec::new());
        }
        for ending in &file.rules().optional_endings {
            let (found, _) = self.bare_name(file, reference.enclosing, &format!("{name}{ending}"))?;
            let found = self.fitting(found, reference.kind)?;
            if !found.is_empty() {
                return Ok(found);
            }
        }
        Ok(Vec::new())
    }

    /// Returns the attributes of the type around that a variable of an instance (`@name`) holds the
    /// values of.
    pub(crate) fn attribute_of_variable(
        &self,
        file: &FileView,
        reference: &Reference,
        name: &str,
    ) -> Result<Vec<Entity>> {
        let mark = file.rules().attribute_mark.as_str();
        let Some(plain) = name.strip_prefix(mark).filter(|_| !mark.is_empty()) else { return Ok(Vec::new()) };
        let (found, _) = self.bare_name(file, reference.enclosing, plain)?;
        let mut attributes = Vec::new();
        for entity in found {
            let Entity::Symbol(symbol) = entity else { continue };
            if self.definition(symbol)?.is_some_and(|(_, definition)| definition.kind == Kind::Property) {
                attributes.push(entity);
            }
        }
        Ok(attributes)
    }

    /// Of a type and an object with one name, the one that is meant where either could be.
    pub(crate) fn without_companions(&self, found: Vec<Entity>, kind: RefKind) -> Result<Vec<Entity>> {
        if found.len() < 2 {
            return Ok(found);
        }
        let of_type = matches!(kind, RefKind::Type | RefKind::Inherit);
        let mut kept = Vec::new();
        for entity in &found {
            let Entity::Symbol(symbol) = entity else { continue };
            let is_object = self.definition(*symbol)?.is_some_and(|(_, definition)| definition.kind == Kind::Object);
            if is_object != of_type {
                kept.push(entity.clone());
            }
        }
        let is_choice = of_type || matches!(kind, RefKind::Read | RefKind::Address);
        Ok(if kept.is_empty() || !is_choice { found } else { kept })
    }

    /// Keeps the types or the values in `found`, as `kind` asks, for languages in which they have
    /// separate namespaces.
    pub(crate) fn of_one_namespace(&self, found: Vec<Entity>, kind: RefKind) -> Result<Vec<Entity>> {
        let of_type = matches!(kind, RefKind::Type | RefKind::Inherit);
        let mut kept = Vec::new();
        for entity in found {
            let fits = match &entity {
                Entity::Symbol(symbol) => {
                    self.definition(*symbol)?.is_some_and(|(_, definition)| definition.kind.is_type() == of_type)
                }
                _ => true,
            };
            if fits || kind == RefKind::Import {
                kept.push(entity);
            }
        }
        Ok(kept)
    }

    /// Members that a function may name without a receiver which stands apart from the type it is a
    /// member of.
    pub(crate) fn members_beside(&self, file: &FileView, ordinal: u32, name: &str) -> Result<Vec<Entity>> {
        let definition = &file.definitions()[ordinal as usize];
        let around = definition.parent.map(|parent| file.definitions()[parent as usize].kind);
        let is_member = matches!(definition.kind, Kind::Method | Kind::Constructor | Kind::Property);
        if !is_member || around.is_some_and(|around| around != Kind::Module) {
            return Ok(Vec::new());
        }
        let mut found = Vec::new();
        for owner in self.owners(Symbol { version: file.version, ordinal })?.iter() {
            found.extend(self.implicit_members(*owner, name)?);
        }
        Ok(found)
    }

    /// Replaces functions in `values` by their results in languages that call a function by its
    /// name alone, unless the next step is a call.
    pub(crate) fn called_alone(
        &self,
        file: &FileView,
        values: Vec<Value>,
        next: Option<&StepExpr<'_>>,
    ) -> Result<Vec<Value>> {
        if !file.rules().bare_calls || matches!(next, Some(ChainStep::Call)) {
            return Ok(values);
        }
        let mut called = Vec::with_capacity(values.len());
        for value in values {
            match value {
                Value::Function(..) | Value::Callable(_) => called.extend(self.called(&value)?),
                value => called.push(value),
            }
        }
        Ok(called)
    }

    /// The type that a method inside a namespace is a member of, though it stands apart from it.
    pub(crate) fn type_apart(&self, file: &FileView, enclosing: Option<u32>) -> Result<Option<Symbol>> {
        for (ordinal, definition) in file.outwards(enclosing) {
            let around = definition.parent.and_then(|parent| file.definitions().get(parent as usize));
            if around.is_some_and(|around| is_out_of_line(definition, around)) {
                return Ok(self.owners(Symbol { version: file.version, ordinal })?.first().copied());
            }
        }
        Ok(None)
    }

    /// An element of a value. Where types are written apart from the brackets of what has them, the
    /// type is the element's.
    pub(crate) fn indexed(&self, file: &FileView, value: &Value) -> Vec<Value> {
        // A generic type with its arguments is that type.
        if let Value::Type(_) = value
            && file.rules().modules == ModuleSystem::Dotted
        {
            return vec![value.clone()];
        }
        let found = elements(value);
        let is_plain = file.rules().modules == ModuleSystem::Includes && matches!(value, Value::Instance(..));
        if found.is_empty() && is_plain { vec![value.clone()] } else { found }
    }

    /// Returns whether a name of another file can be meant without anything before it.
    pub(crate) fn is_seen_from(&self, file: &FileView, symbol: Symbol, definition: &Definition) -> bool {
        let is_member = matches!(definition.kind, Kind::Method | Kind::Field | Kind::Constructor | Kind::Property);
        let is_hidden = definition.visibility == Visibility::Private && definition.parent.is_none();
        !is_member && (symbol.version == file.version || !is_hidden)
    }

    /// Leaves out declarations of what is among the candidates, and all but one of the parts of one
    /// thing.
    pub(crate) fn one_symbol(&self, candidates: Vec<Symbol>) -> Result<Vec<Symbol>> {
        let mut kept: Vec<(Symbol, String, bool)> = Vec::new();
        for symbol in candidates {
            let Some((file, definition)) = self.definition(symbol)? else { continue };
            let is_open = !has_body(&definition) || file.language.is_open(definition.kind);
            match kept.iter_mut().find(|(_, name, open)| *name == definition.qualified_name && (*open || is_open)) {
                Some(known) if known.2 => *known = (symbol, definition.qualified_name.clone(), is_open),
                Some(_) => {}
                None => kept.push((symbol, definition.qualified_name.clone(), is_open)),
            }
        }
        Ok(kept.into_iter().map(|(symbol, ..)| symbol).collect())
    }

    /// The type of a name that is found in no scope, where files share their names: the only one,
    /// or the nearest.
    pub(crate) fn shared_type(&self, file: &FileView, name: &str) -> Result<Option<Symbol>> {
        if !file.rules().shares_names {
            return Ok(None);
        }
        let mut found = Vec::new();
        for symbol in self.named(name)?.iter() {
            let Some((other, definition)) = self.definition(*symbol)? else { continue };
            let holds = definition.kind.is_type() && definition.kind != Kind::Impl || definition.kind == Kind::Module;
            if holds && other.language.group() == file.language.group() {
                found.push(*symbol);
            }
        }
        let mut found = self.one_symbol(found)?;
        let near = |symbol: &Symbol| {
            let path = self.snapshot.path_of(symbol.version).unwrap_or("");
            file.path.split('/').zip(path.split('/')).take_while(|(a, b)| a == b).count()
        };
        let nearest = found.iter().map(near).max();
        found.retain(|symbol| Some(near(symbol)) == nearest);
        Ok(if let [only] = found[..] { Some(only) } else { None })
    }
}
