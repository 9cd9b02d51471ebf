//! Functions that stand apart from the type whose members they are, or become.

use codecompass_syntax::ModuleSystem;
use codecompass_syntax::facts::{DeclaredType, Definition, Import, Kind, ParameterKind, Reference, TypeExpr};

use crate::error::Result;
use crate::resolve::Resolver;
use crate::resolve::entity::{Entity, Symbol};
use crate::resolve::file::{FileOutline, FileView};
use crate::resolve::value::Value;

impl Resolver<'_> {
    /// The types that a function is a member of by the word before its first parameter.
    pub(crate) fn extended_by(&self, file: &FileOutline, ordinal: u32, definition: &Definition) -> Result<Vec<Symbol>> {
        let Some(written) = extended_type(file, definition) else { return Ok(Vec::new()) };
        let Some(file) = self.file(file.version)? else { return Ok(Vec::new()) };
        let values = self.type_values(&file, Some(ordinal), &written.expression(), 0)?;
        let mut types = Vec::new();
        for extended in values.iter().filter_map(Value::type_symbol) {
            types.extend(self.all_parts(extended)?.iter().copied());
        }
        Ok(types)
    }

    /// Returns whether a function extends the type of this name, which is not in this view.
    pub(crate) fn extends_foreign(
        &self,
        file: &FileOutline,
        symbol: Symbol,
        definition: &Definition,
        head: &str,
    ) -> Result<bool> {
        if let Some(written) = extended_type(file, definition) {
            return Ok(
                matches!(written.expression(), TypeExpr::Named(path, _) if path.last().is_some_and(|last| *last == head)),
            );
        }
        if let Some(extended) = extended_in_object(file, definition) {
            return Ok(extended == head);
        }
        if !matches!(definition.kind, Kind::Method | Kind::Property) || definition.parent.is_some() {
            return Ok(false);
        }
        let before = definition.qualified_name.strip_suffix(definition.name.as_str()).unwrap_or("");
        let container = before.trim_end_matches([':', '.', '#', '\\']).rsplit(file.language.separator()).next();
        Ok(container == Some(head) && self.owners(symbol)?.is_empty())
    }

    /// Functions of the view that are members of a type by the word before their first parameter.
    pub(crate) fn extensions_of(
        &self,
        owner: Symbol,
        home: &FileOutline,
        definition: &Definition,
    ) -> Result<Vec<Symbol>> {
        let mut found = Vec::new();
        if home.rules().extension_word.is_empty() {
            return Ok(found);
        }
        for version in self.snapshot.versions_with_word(&definition.name)?.unwrap_or_default() {
            let Some(file) = self.outline(version)?.filter(|file| file.language.group() == home.language.group())
            else {
                continue;
            };
            for (ordinal, function) in file.definitions().iter().enumerate() {
                self.inference.begin();
                let written = extended_type(&file, function).map(|written| written.expression());
                let is_named = matches!(&written, Some(TypeExpr::Named(path, _)) if path.last().is_some_and(|last| *last == definition.name));
                if is_named && self.extended_by(&file, ordinal as u32, function)?.contains(&owner) {
                    found.push(Symbol { version, ordinal: ordinal as u32 });
                }
            }
        }
        Ok(found)
    }

    /// Extensions of this name that may be members of something outside, or of a type that does not
    /// have the member itself, and whether they are likely to be.
    pub(crate) fn possible_extensions(
        &self,
        user: &FileView,
        reference: &Reference,
        receiver: &[Value],
    ) -> Result<Vec<(Symbol, bool)>> {
        let rules = user.rules();
        let name = user.name(reference.name);
        let is_common = rules.common_methods.iter().any(|common| common == name);
        let mut found = Vec::new();
        if is_common || rules.whole_types {
            return Ok(found);
        }
        // The names of the types that the receiver is known to have, once they are asked for.
        let mut types: Option<Option<Vec<String>>> = None;
        for symbol in self.named(name)?.iter() {
            let Some((file, definition)) = self.definition(*symbol)? else { continue };
            if file.language.group() != user.language.group() {
                continue;
            }
            let Some(extended) = self.extended_name(&file, *symbol, &definition)? else { continue };
            let Some(file) = self.file(file.version)? else { continue };
            let is_any =
                rules.root_types.contains(&extended) || self.is_type_parameter(&file, Some(symbol.ordinal), &extended);
            let types = match &types {
                Some(known) => known,
                None => types.insert(match receiver {
                    [Value::Foreign(head, _)] => Some(vec![head.to_string()]),
                    [Value::Instance(owner, _) | Value::Type(owner)] => Some(self.names_above(vec![*owner])?),
                    _ => None,
                }),
            };
            let is_named = types.as_ref().is_none_or(|types| types.contains(&extended));
            let may_inherit = matches!(receiver, [Value::Foreign(head, _)] if may_inherit(head, &extended, &definition))
                && self.extended_by(&file, symbol.ordinal, &definition)?.is_empty();
            let is_likely = (is_any || is_named || may_inherit) && self.is_extension_seen(user, reference, *symbol)?;
            found.push((*symbol, is_likely));
        }
        Ok(found)
    }

    /// Returns the type that a function extends from elsewhere: its name, and its definitions in
    /// this view.
    pub(crate) fn extends(&self, symbol: Symbol) -> Result<Option<(String, Vec<Symbol>)>> {
        self.inference.begin();
        let Some((file, definition)) = self.definition(symbol)? else { return Ok(None) };
        let Some(name) = self.extended_name(&file, symbol, &definition)? else { return Ok(None) };
        Ok(Some((name, self.extended_by(&file, symbol.ordinal, &definition)?)))
    }

    /// Returns the name of the type that a function extends from elsewhere. Members of a type of
    /// this view that are written with its name before theirs are found as such.
    fn extended_name(&self, file: &FileOutline, symbol: Symbol, definition: &Definition) -> Result<Option<String>> {
        if let Some(written) = extended_type(file, definition) {
            return Ok(match written.expression() {
                TypeExpr::Named(path, _) => path.last().map(ToString::to_string),
                _ => None,
            });
        }
        if let Some(extended) = extended_in_object(file, definition) {
            return Ok(Some(extended.to_string()));
        }
        let is_member = matches!(definition.kind, Kind::Method | Kind::Property) && file.rules().implicit_members;
        let around = definition.parent.and_then(|parent| file.definitions().get(parent as usize));
        let extended = match around {
            Some(around) if around.kind == Kind::Impl => Some(around.name.as_str()),
            None if file.rules().modules == ModuleSystem::Names => {
                let before = definition.qualified_name.strip_suffix(definition.name.as_str()).unwrap_or("");
                let before = before.trim_end_matches([':', '.', '#', '\\']);
                let container = before.rsplit(file.language.separator()).next().filter(|name| !name.is_empty());
                container.filter(|_| before != file.package())
            }
            _ => None,
        };
        let Some(extended) = extended.filter(|_| is_member) else { return Ok(None) };
        Ok(self.owners(symbol)?.is_empty().then(|| extended.to_string()))
    }

    /// Leaves out extensions that stand in an object whose member is not named where they are used.
    pub(crate) fn seen_extensions(
        &self,
        user: &FileView,
        reference: &Reference,
        members: Vec<Symbol>,
    ) -> Result<Vec<Symbol>> {
        let mut seen = Vec::with_capacity(members.len());
        for member in members {
            let Some((file, definition)) = self.definition(member)? else { continue };
            if extended_in_object(&file, &definition).is_none() || self.is_extension_seen(user, reference, member)? {
                seen.push(member);
            }
        }
        Ok(seen)
    }

    /// Returns whether the file of a use sees an extension: by its name, or with the package that
    /// the type around it stands in.
    fn is_extension_seen(&self, user: &FileView, reference: &Reference, extension: Symbol) -> Result<bool> {
        let Some((file, definition)) = self.definition(extension)? else { return Ok(false) };
        let holder = definition.parent.and_then(|parent| file.definitions().get(parent as usize));
        let Some(holder) = holder.filter(|_| extended_in_object(&file, &definition).is_none()) else {
            let (seen, _) = self.bare_name(user, reference.enclosing, &definition.name)?;
            return Ok(seen.contains(&Entity::Symbol(extension)));
        };
        let separator = file.language.separator();
        let before = holder.qualified_name.strip_suffix(holder.name.as_str()).unwrap_or("");
        let package = before.strip_suffix(separator).unwrap_or(before);
        let is_around = |known: &str| {
            known == package
                || package.is_empty()
                || known.strip_prefix(package).is_some_and(|rest| rest.starts_with(separator))
        };
        let modules = user.definitions().iter().filter(|definition| definition.kind == Kind::Module);
        if is_around(user.package()) || modules.into_iter().any(|module| is_around(&module.qualified_name)) {
            return Ok(true);
        }
        let is_whole = |import: &&Import| import.name.as_deref() == Some("*") && import.alias.is_none();
        for import in user.outline.imports.iter().filter(is_whole) {
            let around = self.package_of_import(user, import.line);
            let is_relative = around.is_some_and(|around| [around, import.module.as_str()].join(separator) == package);
            if import.module == package || import.module == holder.qualified_name || is_relative {
                return Ok(true);
            }
        }
        let holders = self.imported_in_project(user, &holder.name)?;
        Ok(holders.iter().any(|entity| matches!(entity, Entity::Symbol(symbol) if symbol.version == extension.version)))
    }

    /// The types called `container` that a member standing apart speaks of: by the whole name
    /// before it, else by what that name means in its file.
    pub(crate) fn container_types(
        &self,
        file: &FileOutline,
        definition: &Definition,
        before: &str,
        container: &str,
    ) -> Result<Vec<Symbol>> {
        if !matches!(file.rules().modules, ModuleSystem::Names | ModuleSystem::Includes) {
            return Ok(Vec::new());
        }
        let mut whole = Vec::new();
        for symbol in self.named(container)?.iter() {
            let Some((other, owner)) = self.definition(*symbol)? else { continue };
            let is_type = owner.kind.is_type() && owner.kind != Kind::Impl || owner.kind == Kind::Module;
            if is_type && owner.qualified_name == before && other.language.group() == file.language.group() {
                whole.push(*symbol);
            }
        }
        if !whole.is_empty() {
            return Ok(whole);
        }
        let Some(file) = self.file(file.version)? else { return Ok(Vec::new()) };
        let (entities, _) = self.bare_name(&file, definition.parent, container)?;
        let mut types = Vec::new();
        for entity in entities {
            if let Entity::Symbol(symbol) = entity
                && self.definition(symbol)?.is_some_and(|(_, found)| found.kind.is_type())
            {
                types.push(symbol);
            }
        }
        Ok(types)
    }
}

/// Returns the type of the parameter that makes a function an extension.
fn extended_type<'a>(file: &FileOutline, definition: &'a Definition) -> Option<&'a DeclaredType> {
    if file.rules().extension_word.is_empty() {
        return None;
    }
    let first = definition.parameters.as_ref()?.first()?;
    first.declared.as_ref().filter(|_| first.kind == ParameterKind::Receiver)
}

/// Returns the name of the type that a function in an object extends, which is written before its
/// own (`fun String.toUrl()`).
pub(super) fn extended_in_object<'a>(file: &FileOutline, definition: &'a Definition) -> Option<&'a str> {
    let around = file.definitions().get(definition.parent? as usize)?;
    let is_named = file.rules().modules == ModuleSystem::Names && around.kind.is_type() && around.kind != Kind::Impl;
    let separator = file.language.separator();
    let inner = definition.qualified_name.strip_prefix(around.qualified_name.as_str())?.strip_prefix(separator)?;
    let (extended, _) = inner.rsplit_once(separator).filter(|_| is_named)?;
    extended.rsplit(separator).next()
}

/// Returns whether a type outside may well inherit from another one that a function extends.
/// Nothing is known of how they are related; but the use sees a function that stands in no type by
/// its own name, and types are often named after those that they inherit from.
fn may_inherit(head: &str, extended: &str, function: &Definition) -> bool {
    let is_type = |name: &str| name.starts_with(char::is_uppercase);
    let last = |name: &str| crate::tokenize::parts(name).pop();
    is_type(head) && is_type(extended) && (function.parent.is_none() || last(head) == last(extended))
}
