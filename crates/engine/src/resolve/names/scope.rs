//! Resolution of bare names: in the enclosing scopes from the inside out, then in imports, then in
//! the file's package.

use codecompass_syntax::ModuleSystem;
use codecompass_syntax::facts::{Definition, Import, Kind, Reference};

use crate::error::Result;
use crate::resolve::Resolver;
use crate::resolve::entity::{Confidence, Entity, Module, Resolution, ResolutionEvidence, Symbol, modules_if_any};
use crate::resolve::file::{FileOutline, FileView};
use crate::resolve::names::modules::layout::folder_of;

impl Resolver<'_> {
    /// The things that `name` means inside `enclosing`, and why; nothing when it is not found.
    pub(crate) fn bare_name(
        &self,
        file: &FileView,
        enclosing: Option<u32>,
        name: &str,
    ) -> Result<(Vec<Entity>, ResolutionEvidence)> {
        let Some(_deeper) = self.inference.step() else { return Ok((Vec::new(), ResolutionEvidence::Scope)) };
        let rules = file.rules();
        if rules.scoped_constants {
            return self.by_constant_scope(file, enclosing, name);
        }
        let mut module = None;
        for (index, around) in file.outwards(enclosing) {
            let found = self.in_definition(file, enclosing, index, around, name)?;
            if !found.0.is_empty() {
                return Ok(found);
            }
            if around.kind == Kind::Module {
                module = module.or(Some(index));
            }
        }
        // The names of a tree of modules do not pass into the modules inside.
        if module.is_some() && rules.modules == ModuleSystem::Crates {
            return self.beyond_file(file, name);
        }
        self.in_whole_file(file, enclosing, name)
    }

    /// Returns what `name` means in one of the definitions around a place.
    fn in_definition(
        &self,
        file: &FileView,
        enclosing: Option<u32>,
        index: u32,
        around: &Definition,
        name: &str,
    ) -> Result<(Vec<Entity>, ResolutionEvidence)> {
        let rules = file.rules();
        let children = || -> Vec<Entity> {
            let named = file.named(name).iter().copied();
            let inside = named.filter(|ordinal| file.definitions()[*ordinal as usize].parent == Some(index));
            inside.map(|ordinal| self.entity(file, ordinal)).collect()
        };
        if around.kind.is_callable() || around.kind.is_value() {
            let mut found = children();
            if !rules.implicit_members && !rules.open_members {
                found.retain(|entity| !is_member(file, entity));
            }
            if found.is_empty() && rules.implicit_members {
                return Ok((self.members_beside(file, index, name)?, ResolutionEvidence::EnclosingType));
            }
            return Ok((found, ResolutionEvidence::Scope));
        }
        if around.kind == Kind::Module {
            let found = if file.language.is_open(Kind::Module) {
                self.in_open_module(file, index, name)?
            } else if rules.modules == ModuleSystem::Names {
                self.named_in_file(file, Some(index), name, 0)?
            } else {
                self.in_file(file, Some(index), name, 0)?
            };
            return Ok((found, ResolutionEvidence::Scope));
        }
        let in_body = || {
            let mut inside = file.outwards(enclosing).take_while(|(at, _)| *at != index);
            inside.all(|(_, definition)| rules.runs_type_bodies && definition.kind.is_value())
        };
        if around.kind.is_type() && (rules.implicit_members || in_body() && rules.modules != ModuleSystem::Crates) {
            let symbol = Symbol { version: file.version, ordinal: index };
            let found = if rules.implicit_members { self.implicit_members(symbol, name)? } else { children() };
            return Ok((found, ResolutionEvidence::EnclosingType));
        }
        Ok((Vec::new(), ResolutionEvidence::Scope))
    }

    /// Returns what `name` means in a file, outside of its definitions.
    fn in_whole_file(
        &self,
        file: &FileView,
        enclosing: Option<u32>,
        name: &str,
    ) -> Result<(Vec<Entity>, ResolutionEvidence)> {
        let rules = file.rules();
        if rules.modules == ModuleSystem::Includes {
            let mut found = self.in_included(file, name)?;
            self.leave_out_other_namespaces(file, enclosing, &mut found)?;
            let is_own = |found: &Entity| matches!(found, Entity::Symbol(symbol) if symbol.version == file.version);
            if !found.is_empty() {
                let evidence =
                    if found.iter().all(is_own) { ResolutionEvidence::Scope } else { ResolutionEvidence::Import };
                return Ok((found, evidence));
            }
        }
        let mut own = self.defined_in(file, None, name);
        if !own.is_empty() {
            if matches!(rules.modules, ModuleSystem::Crates | ModuleSystem::Dotted) {
                own = self.named_in_file(file, None, name, 0)?;
            }
            return Ok((without_members(file, own), ResolutionEvidence::Scope));
        }
        if rules.modules == ModuleSystem::Names {
            // What is imported by name comes before the package, and that before what is imported
            // as a whole.
            let mut imported = self.named_in_file(file, None, name, 0)?;
            if imported.is_empty() {
                imported = self.named_in_project(file, name)?;
            }
            if !imported.is_empty() {
                return Ok((imported, ResolutionEvidence::Import));
            }
            let beside = self.in_package(file, enclosing, name)?;
            if !beside.is_empty() {
                return Ok((beside, ResolutionEvidence::Package));
            }
        }
        let mut imported = self.in_file(file, None, name, 0)?;
        if imported.is_empty() {
            imported = self.imported_in_project(file, name)?;
        }
        if !imported.is_empty() {
            return Ok((imported, ResolutionEvidence::Import));
        }
        self.beyond_file(file, name)
    }

    /// Leaves out members of a namespace that are defined outside of its block
    /// (`void b::run() {}`), except for code that is defined so itself.
    fn leave_out_other_namespaces(
        &self,
        file: &FileView,
        enclosing: Option<u32>,
        found: &mut Vec<Entity>,
    ) -> Result<()> {
        let mut kept = Vec::with_capacity(found.len());
        for entity in found.drain(..) {
            let Entity::Symbol(symbol) = &entity else {
                kept.push(entity);
                continue;
            };
            let container = self.definition(*symbol)?.and_then(|(_, definition)| {
                let container = definition.qualified_name.strip_suffix(definition.name.as_str())?.to_string();
                Some(container).filter(|container| definition.parent.is_none() && !container.is_empty())
            });
            let is_inside = |container: String| {
                file.outwards(enclosing).any(|(_, around)| around.qualified_name.starts_with(&container))
            };
            if container.is_none_or(is_inside) {
                kept.push(entity);
            }
        }
        *found = kept;
        Ok(())
    }

    fn beyond_file(&self, file: &FileView, name: &str) -> Result<(Vec<Entity>, ResolutionEvidence)> {
        match file.rules().modules {
            ModuleSystem::Folders => Ok((
                self.in_folder(folder_of(&file.path), name, file.language, Some(&**file))?,
                ResolutionEvidence::Package,
            )),
            ModuleSystem::Crates => {
                let crates = self.crate_named(file, name)?;
                Ok((
                    crates.into_iter().filter(|found| *found != Entity::External).collect(),
                    ResolutionEvidence::Import,
                ))
            }
            ModuleSystem::Files => Ok((self.ambient(file, name)?, ResolutionEvidence::Scope)),
            _ => Ok((Vec::new(), ResolutionEvidence::Scope)),
        }
    }

    /// Returns what files that import and export nothing declare for all others.
    fn ambient(&self, file: &FileView, name: &str) -> Result<Vec<Entity>> {
        let mut found = Vec::new();
        for symbol in self.named(name)?.iter() {
            let Some((home, definition)) = self.definition(*symbol)? else { continue };
            let is_declared = definition.parent.is_none() && definition.modifiers.contains("declare");
            if !is_declared || home.language.group() != file.language.group() || !home.outline.imports.is_empty() {
                continue;
            }
            if !home.definitions().iter().any(|one| one.parent.is_none() && one.modifiers.contains("export")) {
                found.push(self.entity(&home, symbol.ordinal));
            }
        }
        Ok(found)
    }

    /// Definitions of `name` right below the file or one of its modules.
    pub(super) fn defined_in(&self, file: &FileView, module: Option<u32>, name: &str) -> Vec<Entity> {
        let folders = file.rules().modules == ModuleSystem::Folders;
        file.named(name)
            .iter()
            .filter(|ordinal| {
                let definition = &file.definitions()[**ordinal as usize];
                let is_elsewhere = folders && matches!(definition.kind, Kind::Method | Kind::Field);
                let is_here = definition.parent == module || is_open_member(file, definition, module);
                is_here && definition.kind != Kind::Impl && !is_elsewhere
            })
            .map(|ordinal| self.entity(file, *ordinal))
            .collect()
    }

    /// A definition as what it is: modules are looked into rather than pointed at.
    pub(super) fn entity(&self, file: &FileOutline, ordinal: u32) -> Entity {
        let symbol = Symbol { version: file.version, ordinal };
        if file.definitions()[ordinal as usize].kind != Kind::Module || file.language.is_open(Kind::Module) {
            return Entity::Symbol(symbol);
        }
        if file.rules().modules == ModuleSystem::Crates
            && let Some(version) = self.module_file(file, ordinal)
        {
            return Entity::Module(Module::File(version));
        }
        Entity::Module(Module::Inline(symbol))
    }

    /// Returns the entities that a file, or a module in it, calls `name`: its definitions, then its
    /// imports of that name.
    pub(crate) fn named_in_file(
        &self,
        file: &FileView,
        module: Option<u32>,
        name: &str,
        depth: usize,
    ) -> Result<Vec<Entity>> {
        let rules = file.rules();
        let is_asked_for = depth > 0 && module.is_none() && rules.modules == ModuleSystem::Files;
        let mut found = self.defined_in(file, module, name);
        if is_asked_for && self.is_given_away(file, name, &found) {
            found.clear();
        }
        if found.is_empty() && !name.is_empty() && name == rules.default_export {
            found = self.default_of(file, depth)?;
        }
        // Beside a definition there may be an import of its name, for other conditions, or since
        // the other is a module: `mod serve; pub use serve::serve;`.
        let is_alternative = |import: &Import| match rules.modules {
            // What a function imports is no member of its module.
            ModuleSystem::Crates => {
                file.module_of_line(import.line) == module && (depth == 0 || !is_in_function(file, import.line))
            }
            ModuleSystem::Dotted => found.is_empty() || is_alternative_import(file, module, name, import),
            // What a file exports under another name has that name only for others.
            ModuleSystem::Files => found.is_empty() && (depth > 0 || !import.reexport),
            _ => found.is_empty(),
        };
        let imports = file.outline.imports.iter().enumerate();
        let imports: Vec<(usize, &Import)> = imports.filter(|(_, import)| is_alternative(import)).collect();
        for (number, import) in imports {
            if rules.modules == ModuleSystem::Dotted && import.name.is_none() && import.alias.is_none() {
                // `import a.b` binds `a`.
                let first = import.module.split('.').next().unwrap_or("");
                if first == name {
                    found.extend(self.module_of_import(file, first, import.line)?);
                }
                continue;
            }
            // A file that is taken in whole binds no name of its own.
            let is_file = matches!(rules.modules, ModuleSystem::Names | ModuleSystem::Includes);
            if is_file && import.name.is_none() && import.alias.is_none() {
                continue;
            }
            if self.binds(file, import, name)? {
                // `use self::serve::serve` asks for itself on its way.
                let follow = || self.imported_with_whole(file, import, depth);
                found.extend(self.inference.follow((file.version, number), follow)?);
            }
        }
        if found.is_empty() && rules.modules == ModuleSystem::Crates {
            found = self.in_called_macros(file, module, name, depth)?;
        }
        found.sort();
        found.dedup();
        let inside = found.iter().any(|entity| *entity != Entity::External);
        found.retain(|entity| !inside || *entity != Entity::External);
        Ok(found)
    }

    /// Returns what a name means in a file: what it defines or imports by name, then what it
    /// imports as a whole, and modules that stand beside it.
    pub(crate) fn in_file(
        &self,
        file: &FileView,
        module: Option<u32>,
        name: &str,
        depth: usize,
    ) -> Result<Vec<Entity>> {
        let mut found = self.named_in_file(file, module, name, depth)?;
        if !found.is_empty() {
            return Ok(found);
        }
        let rules = file.rules();
        let separator = file.language.separator();
        let in_module = |import: &&Import| {
            let is_member = || file.module_of_line(import.line) == module;
            rules.modules != ModuleSystem::Crates || is_member() && (depth == 0 || !is_in_function(file, import.line))
        };
        let whole: Vec<Import> = file
            .outline
            .imports
            .iter()
            .filter(in_module)
            .filter(|import| import.name.as_deref() == Some("*") && import.alias.is_none())
            .filter(|import| match rules.modules {
                // What a file passes on has no name in it.
                ModuleSystem::Files => depth > 0 && import.reexport,
                ModuleSystem::Crates => true,
                _ => depth == 0 || import.reexport || rules.passes_imports_on,
            })
            .cloned()
            .collect();
        for import in whole {
            if rules.modules == ModuleSystem::Names {
                let qualified = format!("{}{separator}{name}", import.module);
                found.extend(self.qualified_by_import(file, import.line, &qualified)?);
                if !found.is_empty() || !rules.passes_imports_on {
                    continue;
                }
            }
            for target in self.module_of_import(file, &import.module, import.line)? {
                match target {
                    Entity::Module(Module::File(version)) if version == file.version && module.is_none() => {}
                    Entity::Module(target) => found.extend(self.in_module(&target, name, file.language, depth + 1)?),
                    // `use Enum::*`
                    Entity::Symbol(symbol) => {
                        found.extend(self.members(symbol, name)?.into_iter().map(Entity::Symbol));
                    }
                    Entity::External => {}
                }
            }
            if !found.is_empty() {
                break;
            }
        }
        if found.is_empty() {
            found = self.beside_imports(file, module, name, depth)?;
        }
        found.sort();
        found.dedup();
        Ok(found)
    }

    /// Returns the entities called `name` that a file sees without importing them by that name.
    fn beside_imports(&self, file: &FileView, module: Option<u32>, name: &str, depth: usize) -> Result<Vec<Entity>> {
        let rules = file.rules();
        Ok(match rules.modules {
            ModuleSystem::Dotted if module.is_none() => self.submodule(file, name)?.into_iter().collect(),
            ModuleSystem::Crates => self.exported_macro(file, name)?,
            ModuleSystem::Files if module.is_none() && depth > 0 => self.member_of_whole(file, name, depth)?,
            _ if rules.open_members && module.is_none() => self.members_of_imports(file, name, depth)?,
            _ => Vec::new(),
        })
    }

    /// Returns the members called `name` of types that a file imports by their names.
    fn members_of_imports(&self, file: &FileView, name: &str, depth: usize) -> Result<Vec<Entity>> {
        let mut found = Vec::new();
        for symbol in self.named(name)?.iter() {
            let Some((home, definition)) = self.definition(*symbol)? else { continue };
            let Some(parent) = definition.parent else { continue };
            let owner = &home.definitions()[parent as usize];
            let entity = Entity::Symbol(Symbol { version: symbol.version, ordinal: parent });
            let imports = file.outline.imports.iter().filter(|import| import.name.as_deref() == Some(&owner.name));
            for import in imports.filter(|_| owner.kind.is_type() && owner.kind != Kind::Impl) {
                if self.imported(file, import, depth)?.contains(&entity) {
                    found.push(Entity::Symbol(*symbol));
                }
            }
        }
        Ok(found)
    }

    /// A macro is seen at the root of its crate wherever it is defined.
    fn exported_macro(&self, file: &FileView, name: &str) -> Result<Vec<Entity>> {
        let folder = format!("{}/", folder_of(&file.path));
        let mut found = Vec::new();
        for symbol in self.named(name)?.iter() {
            let Some((other, definition)) = self.definition(*symbol)? else { continue };
            if definition.kind == Kind::Macro && other.path.starts_with(&folder) {
                found.push(Entity::Symbol(*symbol));
            }
        }
        Ok(found)
    }

    fn submodule(&self, file: &FileView, name: &str) -> Result<Option<Entity>> {
        self.dotted_below(&Module::File(file.version), name, file.language)
    }

    /// Resolves a name in an import statement.
    pub(crate) fn resolve_import(&self, file: &FileView, reference: &Reference) -> Result<Resolution> {
        let name = file.name(reference.name);
        // The statement that it stands in; one may go over several lines.
        let before = file.outline.imports.iter().filter(|import| import.line <= reference.line);
        let Some(line) = before.map(|import| import.line).max() else { return Ok(Resolution::Unknown) };
        let statement: Vec<&Import> = file.outline.imports.iter().filter(|import| import.line == line).collect();
        let parts = |import: &Import| -> Vec<String> {
            import.module.split(['.', ':', '/', '\\']).filter(|part| !part.is_empty()).map(str::to_string).collect()
        };
        // A part of a module's path stands before what is taken from it, which may have the same
        // name.
        let earlier = file.uses.references.iter().filter(|other| {
            other.name == reference.name
                && other.line >= line
                && (other.line, other.column) < (reference.line, reference.column)
        });
        let has_words = !matches!(file.rules().modules, ModuleSystem::Files | ModuleSystem::Folders);
        let in_path = statement.iter().find(|import| has_words && parts(import).iter().any(|part| part == name));
        let is_taken =
            |import: &&&Import| import.name.as_deref() == Some(name) || import.alias.as_deref() == Some(name);
        let taken = statement.iter().find(is_taken).filter(|_| in_path.is_none() || earlier.count() > 0);
        let found = match (taken, in_path) {
            (Some(import), _) => self.imported_with_whole(file, import, 0)?,
            (None, Some(import)) => {
                let parts = parts(import);
                let at = parts.iter().position(|part| part == name).unwrap_or(0);
                let separator = file.language.separator();
                let leading = import.module.len() - import.module.trim_start_matches('.').len();
                let path = format!("{}{}", &import.module[..leading], parts[..=at].join(separator));
                modules_if_any(self.module_of_import(file, &path, import.line)?)
            }
            (None, None) => Vec::new(),
        };
        Ok(Resolution::of(found, Confidence::Static, ResolutionEvidence::Import))
    }
}

/// Returns whether an import holds for a function alone.
fn is_in_function(file: &FileOutline, line: u32) -> bool {
    let mut around = file.enclosing_line(line);
    while let Some(definition) = around.map(|ordinal| &file.definitions()[ordinal as usize]) {
        if definition.kind.is_callable() && definition.kind != Kind::Macro {
            return true;
        }
        around = definition.parent.filter(|_| definition.kind != Kind::Module);
    }
    false
}

/// Returns whether an import gives a module another meaning of a name that it defines: the
/// definition stands in a branch of a statement, or before the import.
fn is_alternative_import(file: &FileOutline, module: Option<u32>, name: &str, import: &Import) -> bool {
    let defined = file.named(name).iter().map(|ordinal| &file.definitions()[*ordinal as usize]);
    let mut defined = defined.filter(|definition| definition.parent == module);
    let is_beside = file.enclosing_line(import.line) == module;
    is_beside && defined.any(|definition| is_indented(definition) || definition.span.end_line < import.line)
}

/// Returns whether a definition outside of others does not begin at the start of its line: it
/// stands in a branch of a statement.
fn is_indented(definition: &Definition) -> bool {
    let before = definition.signature.find(definition.name.as_str()).unwrap_or(0) as u32;
    definition.name_column > before + 1
}

/// Returns whether a definition of the file is a member of an object or a class without a name, and
/// not a name in the code around it.
fn is_member(file: &FileView, entity: &Entity) -> bool {
    let kind = file.own_definition(entity).map(|definition| definition.kind);
    matches!(kind, Some(Kind::Method | Kind::Field | Kind::Property | Kind::Constructor))
}

/// Leaves out members that stand apart from what they belong to, unless there is nothing else.
pub(super) fn without_members(file: &FileView, found: Vec<Entity>) -> Vec<Entity> {
    let is_member = |entity: &Entity| {
        file.own_definition(entity).is_some_and(|definition| {
            definition.parent.is_none() && matches!(definition.kind, Kind::Method | Kind::Field)
        })
    };
    if found.iter().all(is_member) { found } else { found.into_iter().filter(|entity| !is_member(entity)).collect() }
}

/// Returns whether a member of a type is seen where the type is.
fn is_open_member(file: &FileView, definition: &Definition, module: Option<u32>) -> bool {
    let around = definition.parent.and_then(|parent| file.definitions().get(parent as usize));
    file.rules().open_members && around.is_some_and(|around| around.parent == module && around.kind != Kind::Impl)
}
