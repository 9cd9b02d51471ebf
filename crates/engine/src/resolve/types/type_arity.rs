//! Types of one name that differ by the number of their type parameters (`Pair` and `Pair<T>`), in
//! languages where they are different types.

use codecompass_syntax::facts::{Definition, Import, Kind, RefKind, Reference};

use crate::error::Result;
use crate::resolve::Resolver;
use crate::resolve::entity::Entity;
use crate::resolve::file::FileView;

/// A type as it is written: its name and the number of its arguments.
pub(in crate::resolve) struct WrittenType<'a> {
    pub name: &'a str,
    pub arguments: usize,
}

impl Resolver<'_> {
    /// Keeps the types that have as many type parameters as a use gives arguments.
    pub(in crate::resolve) fn of_written_arity(
        &self,
        file: &FileView,
        reference: &Reference,
        entities: Vec<Entity>,
    ) -> Result<Vec<Entity>> {
        let is_counted = file.rules().types_by_arity
            && matches!(reference.kind, RefKind::Type | RefKind::Inherit | RefKind::Call | RefKind::Read);
        let Some(arguments) = reference.type_arguments().filter(|_| is_counted) else { return Ok(entities) };
        let written = WrittenType { name: file.name(reference.name), arguments };
        self.of_type_arity(file, reference.enclosing, &written, entities)
    }

    /// Keeps the types with as many type parameters as are written; where the name means only
    /// others, a scope further out may have the type.
    pub(in crate::resolve) fn of_type_arity(
        &self,
        file: &FileView,
        enclosing: Option<u32>,
        written: &WrittenType<'_>,
        entities: Vec<Entity>,
    ) -> Result<Vec<Entity>> {
        let fitting = self.with_type_parameters(&entities, written)?;
        if !fitting.is_empty() || entities.is_empty() {
            return Ok(fitting);
        }
        let further = self.types_further_out(file, enclosing, written)?;
        Ok(if further.is_empty() { vec![Entity::External] } else { further })
    }

    /// Leaves out types with another number of type parameters. Another name for a type has the
    /// arguments in it.
    pub(in crate::resolve) fn with_type_parameters(
        &self,
        entities: &[Entity],
        written: &WrittenType<'_>,
    ) -> Result<Vec<Entity>> {
        let mut kept = Vec::with_capacity(entities.len());
        for entity in entities {
            let is_other = match entity {
                Entity::Symbol(symbol) => self.definition(*symbol)?.is_some_and(|(_, found)| {
                    found.kind.is_type()
                        && found.name == written.name
                        && type_parameter_count(&found) != written.arguments
                }),
                _ => false,
            };
            if !is_other {
                kept.push(entity.clone());
            }
        }
        Ok(kept)
    }

    /// Returns the types of a name with so many type parameters that the scopes around a place, its
    /// packages or whole imports hold.
    fn types_further_out(
        &self,
        file: &FileView,
        enclosing: Option<u32>,
        written: &WrittenType<'_>,
    ) -> Result<Vec<Entity>> {
        let name = written.name;
        let separator = file.language.separator();
        let mut holders: Vec<String> = file.outwards(enclosing).map(|(_, it)| it.qualified_name.clone()).collect();
        let module = file.outwards(enclosing).find(|(_, around)| around.kind == Kind::Module);
        let mut package = module.map_or(file.package(), |(_, module)| module.qualified_name.as_str());
        holders.push(package.to_string());
        while let Some((outer, _)) = package.rsplit_once(separator).filter(|_| file.rules().packages_nest) {
            holders.push(outer.to_string());
            package = outer;
        }
        let is_whole = |import: &&Import| import.name.as_deref() == Some("*") && import.alias.is_none();
        for import in file.outline.imports.iter().filter(is_whole) {
            let around = self.package_of_import(file, import.line);
            holders.extend(around.map(|package| [package, import.module.as_str()].join(separator)));
            holders.push(import.module.clone());
        }
        let mut found = self.imported_in_project(file, name)?;
        for symbol in self.named(name)?.iter() {
            let Some((home, definition)) = self.definition(*symbol)? else { continue };
            let before = definition.qualified_name.strip_suffix(name).unwrap_or("");
            let holder = before.strip_suffix(separator).unwrap_or(before);
            if home.language.group() == file.language.group() && holders.iter().any(|known| known == holder) {
                found.push(Entity::Symbol(*symbol));
            }
        }
        found.retain(|entity| matches!(entity, Entity::Symbol(_)));
        let mut types = Vec::new();
        for entity in self.with_type_parameters(&found, written)? {
            let Entity::Symbol(symbol) = entity else { continue };
            if self.definition(symbol)?.is_some_and(|(_, found)| found.kind.is_type()) {
                types.push(entity);
            }
        }
        Ok(types)
    }
}

/// Counts the type parameters in the declaration of a type or function.
pub(in crate::resolve) fn type_parameter_count(definition: &Definition) -> usize {
    type_parameter_names(definition).len()
}

/// Returns the type parameters in the declaration of a type or function, by their first words.
pub(in crate::resolve) fn type_parameter_names(definition: &Definition) -> Vec<&str> {
    let signature = definition.signature.as_str();
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let name = definition.name.as_str();
    let whole =
        |at: &usize| !signature[..*at].ends_with(is_word) && !signature[*at + name.len()..].starts_with(is_word);
    let Some(at) = signature.match_indices(name).map(|(at, _)| at).find(whole) else { return Vec::new() };
    let Some(list) = signature[at + name.len()..].trim_start().strip_prefix('<') else { return Vec::new() };
    let (mut depth, mut names, mut start) = (1, Vec::new(), 0);
    for (at, mark) in list.char_indices() {
        match mark {
            '<' | '(' | '[' => depth += 1,
            '>' | ')' | ']' => depth -= 1,
            _ => {}
        }
        if depth == 0 || depth == 1 && mark == ',' {
            let written = list[start..at].trim_start();
            names.push(written.split(|c| !is_word(c)).next().unwrap_or(""));
            start = at + 1;
        }
        if depth == 0 {
            break;
        }
    }
    names
}
