//! Modules that are qualified names: packages and namespaces, wherever their files are.

use std::sync::Arc;

use codecompass_syntax::ModuleSystem;
use codecompass_syntax::facts::{ChainStep, Kind, StepExpr, Visibility};

use crate::error::Result;
use crate::resolve::Resolver;
use crate::resolve::entity::{Entity, Symbol};
use crate::resolve::file::FileView;
use crate::resolve::value::Value;

/// Packages are not nested deeper than this.
const MAX_PARTS: usize = 12;

impl Resolver<'_> {
    /// Returns the entities with the qualified name `whole`, in full or relative to the file's
    /// package.
    pub(super) fn qualified_here(&self, file: &FileView, whole: &str) -> Result<Vec<Entity>> {
        if file.rules().passes_imports_on {
            let named = self.nearby_file(&file.path, whole)?;
            if !named.contains(&Entity::External) {
                return Ok(named);
            }
        }
        let found = self.qualified(file, whole)?;
        if !found.contains(&Entity::External) || !file.rules().packages_nest {
            return Ok(found);
        }
        let from_package = self.in_packages(file, file.package(), whole)?;
        Ok(if from_package.is_empty() { found } else { from_package })
    }

    /// Returns the definitions with a qualified name that an import makes: relative to the package
    /// that the import stands in, or in full.
    pub(in crate::resolve) fn qualified_by_import(
        &self,
        file: &FileView,
        line: u32,
        whole: &str,
    ) -> Result<Vec<Entity>> {
        if let Some(package) = self.package_of_import(file, line) {
            let found = self.in_packages(file, package, whole)?;
            if !found.is_empty() {
                return Ok(found);
            }
        }
        Ok(self.qualified(file, whole)?.into_iter().filter(|entity| *entity != Entity::External).collect())
    }

    /// The package that an import may be relative to.
    pub(in crate::resolve) fn package_of_import<'file>(&self, file: &'file FileView, line: u32) -> Option<&'file str> {
        if !file.rules().packages_nest {
            return None;
        }
        let inside = file.module_of_line(line).and_then(|module| file.definitions().get(module as usize));
        let is_nested = || file.outline.imports.iter().any(|import| import.line == line && import.nested);
        inside.map(|module| module.qualified_name.as_str()).or_else(|| is_nested().then(|| file.package()))
    }

    /// Definitions in the same package or namespace, and in those around it where they are seen.
    pub(in crate::resolve) fn in_package(
        &self,
        file: &FileView,
        enclosing: Option<u32>,
        name: &str,
    ) -> Result<Vec<Entity>> {
        let around = file
            .outwards(enclosing)
            .find(|(_, around)| around.kind == Kind::Module || file.language.is_open(around.kind));
        let package = around.map_or(file.package(), |(_, around)| around.qualified_name.as_str());
        self.in_packages(file, package, name)
    }

    fn in_packages(&self, file: &FileView, package: &str, name: &str) -> Result<Vec<Entity>> {
        let separator = file.language.separator();
        let mut package = package;
        loop {
            let whole = if package.is_empty() { name.to_string() } else { format!("{package}{separator}{name}") };
            let mut found = Vec::new();
            for entity in self.qualified(file, &whole)? {
                if let Entity::Symbol(symbol) = entity
                    && !self.is_hidden_from(file, symbol)?
                {
                    found.push(symbol);
                }
            }
            if !found.is_empty() {
                return Ok(self.nearest(file, found)?.into_iter().map(Entity::Symbol).collect());
            }
            package = match package.rsplit_once(separator) {
                _ if package.is_empty() => return Ok(Vec::new()),
                Some((outer, _)) if file.rules().packages_nest => outer,
                None if file.rules().packages_nest => "",
                _ if file.rules().global_fallback => "",
                _ => return Ok(Vec::new()),
            };
        }
    }

    /// Returns whether a definition is private to another file.
    fn is_hidden_from(&self, file: &FileView, symbol: Symbol) -> Result<bool> {
        let Some((_, definition)) = self.definition(symbol)? else { return Ok(true) };
        let is_private = definition.visibility == Visibility::Private && definition.parent.is_none();
        // Where a name may come from anywhere, a function of some other file proves nothing.
        let is_stray = file.rules().shares_names && definition.kind.is_callable();
        Ok((is_private || is_stray) && symbol.version != file.version)
    }

    /// Of things with one qualified name in several files, those that are nearest to a file, unless
    /// they are one thing.
    fn nearest(&self, file: &FileView, mut found: Vec<Symbol>) -> Result<Vec<Symbol>> {
        if found.iter().all(|symbol| symbol.version == found[0].version) {
            return Ok(found);
        }
        if self.all_parts(found[0])?.len() > 1 {
            return Ok(found);
        }
        let shared = |symbol: &Symbol| {
            let path = self.snapshot.path_of(symbol.version).unwrap_or("");
            file.path.split('/').zip(path.split('/')).take_while(|(a, b)| a == b).count()
        };
        let best = found.iter().map(shared).max();
        found.retain(|symbol| Some(shared(symbol)) == best);
        Ok(found)
    }

    /// Resolves a path of names that starts with a package, such as `com.acme.Store`. Parts may be
    /// paths themselves.
    pub(in crate::resolve) fn at_path(
        &self,
        file: &FileView,
        enclosing: Option<u32>,
        parts: &[&str],
    ) -> Result<Vec<Entity>> {
        if file.rules().modules != ModuleSystem::Names {
            return Ok(Vec::new());
        }
        let is_path = |part: &&str| part.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '.' | ':' | '\\'));
        if !parts.iter().all(is_path) {
            return Ok(Vec::new());
        }
        let separator = file.language.separator();
        if let [first, rest @ ..] = parts
            && (first.is_empty() || !rest.is_empty() && **first == *file.rules().root_alias)
        {
            return self.qualified(file, &rest.join(separator));
        }
        let path = parts.join(separator).replace("::", separator).replace('.', separator);
        let found = self.in_package(file, enclosing, &path)?;
        if !found.is_empty() {
            return Ok(found);
        }
        let found = self.qualified(file, &path)?;
        if !found.contains(&Entity::External) {
            return Ok(found);
        }
        // A path that starts with what is imported: `use Acme\Models;` and then `Models\User`.
        if let Some((first, rest)) = path.split_once(separator) {
            for import in file.outline.imports.iter().filter(|import| import.name.as_deref() != Some("*")) {
                let name = import.name.as_deref();
                if import.alias.as_deref().or(name) == Some(first) {
                    let parts: Vec<&str> =
                        [Some(import.module.as_str()), name, Some(rest)].into_iter().flatten().collect();
                    let whole = parts.join(separator);
                    let found = self.qualified(file, &whole)?;
                    if !found.contains(&Entity::External) {
                        return Ok(found);
                    }
                }
            }
        }
        Ok(Vec::new())
    }

    /// Returns the values of an expression's root that no scope defines, and the number of steps
    /// that belong to it: the start of a path, or something outside of the repository.
    pub(in crate::resolve) fn beyond_scope(
        &self,
        file: &FileView,
        enclosing: Option<u32>,
        first: &str,
        steps: &[StepExpr<'_>],
    ) -> Result<(Vec<Value>, usize)> {
        let rules = file.rules();
        if rules.modules != ModuleSystem::Names {
            let shared = self.shared_type(file, first)?;
            // The first part of a path is a crate, and one that is not found is outside.
            let is_path = rules.modules == ModuleSystem::Crates && matches!(steps.first(), Some(ChainStep::Segment(_)));
            if shared.is_none() && is_path && first.starts_with(char::is_lowercase) && self.named(first)?.is_empty() {
                return Ok((vec![Value::External], 0));
            }
            return Ok((shared.map(Value::Type).into_iter().collect(), 0));
        }
        if rules.bare_calls && rules.makers.iter().any(|maker| maker == first) {
            // A type's own function makes an instance of it.
            let owner = self.type_here(file, enclosing)?;
            let made = |owner| Value::Callable(Arc::new(vec![Value::Instance(owner, Arc::default())]));
            return Ok((owner.map(made).into_iter().collect(), 0));
        }
        let mut path = vec![first];
        let mut longest = None;
        for (count, step) in steps.iter().enumerate().take(MAX_PARTS) {
            let (ChainStep::Member(name) | ChainStep::Segment(name)) = step else { break };
            path.push(name);
            let found = self.at_path(file, enclosing, &path)?;
            if !found.is_empty() {
                longest = Some((count, found));
            }
        }
        if let Some((count, found)) = longest {
            let mut values = Vec::new();
            for entity in &found {
                values.extend(self.entity_value(entity, None)?);
            }
            return Ok((values, count + 1));
        }
        let is_name = first.starts_with(char::is_alphabetic) && !rules.placeholder_words.iter().any(|w| w == first);
        // A path that goes on may yet name something as a whole.
        let may_go_on = !path.is_empty() && self.begins_package(file, first)?;
        let is_outside = is_name && (!rules.shares_names || first.starts_with(char::is_uppercase)) && !may_go_on;
        Ok((if is_outside { vec![Value::External] } else { Vec::new() }, 0))
    }

    /// Returns whether a name may be the first part of a package of this view, as far as the file
    /// and its imports tell.
    fn begins_package(&self, file: &FileView, first: &str) -> Result<bool> {
        let separator = file.language.separator();
        let starts = |path: &str| path.split(separator).any(|part| part == first);
        Ok(starts(file.package())
            || file
                .outline
                .imports
                .iter()
                .any(|import| starts(&import.module) || import.name.as_deref() == Some(first)))
    }
}
