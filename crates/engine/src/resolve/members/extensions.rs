//! Functions that stand apart from the type whose members they are, or become.

use codecompass_syntax::ModuleSystem;
use codecompass_syntax::facts::{DeclaredType, Definition, Kind, ParameterKind, TypeExpr};

use crate::error::Result;
use crate::resolve::Resolver;
use crate::resolve::entity::{Entity, Symbol};
use crate::resolve::file::{FileOutline, FileView};

impl Resolver<'_> {
    /// The types that a function is a member of by the word before its first parameter.
    pub(crate) fn extended_by(&self, file: &FileOutline, ordinal: u32, definition: &Definition) -> Result<Vec<Symbol>> {
        let Some(written) = extended_type(file, definition) else { return Ok(Vec::new()) };
        let Some(file) = self.file(file.version)? else { return Ok(Vec::new()) };
        let values = self.type_values(&file, Some(ordinal), &written.expression(), 0)?;
        let mut types = Vec::new();
        for extended in values.iter().filter_map(crate::resolve::value::Value::type_symbol) {
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
    /// have the member itself. `head` is the type's name, if it is known.
    pub(crate) fn possible_extensions(
        &self,
        user: &FileView,
        name: &str,
        head: Option<&str>,
    ) -> Result<Vec<(Symbol, bool)>> {
        let rules = user.rules();
        let is_common = rules.common_methods.iter().any(|common| common == name);
        let mut found = Vec::new();
        if rules.extension_word.is_empty() || is_common {
            return Ok(found);
        }
        for symbol in self.named(name)?.iter() {
            let Some((file, definition)) = self.definition(*symbol)? else { continue };
            let Some(written) = extended_type(&file, &definition) else { continue };
            let Some(extended) = self.file(file.version)? else { continue };
            let expression = written.expression();
            let last = match &expression {
                TypeExpr::Named(path, _) => path.last().copied(),
                _ => None,
            };
            let is_any = last.is_some_and(|last| {
                rules.root_types.iter().any(|root| root == last)
                    || self.is_type_parameter(&extended, Some(symbol.ordinal), last)
            });
            found.push((*symbol, is_any || head.is_none() || last == head));
        }
        Ok(found)
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
