//! Relations between types and between files, for navigation queries that need more than the
//! meaning of one name.

use codecompass_syntax::ModuleSystem;
use codecompass_syntax::facts::{Chain, ChainRoot, ChainStep, Definition, Import, Kind, RefKind, Reference};

use crate::error::Result;
use crate::model::VersionId;
use crate::resolve::Resolver;
use crate::resolve::entity::{Confidence, Entity, Module, Resolution, Symbol};
use crate::resolve::file::{FileOutline, FileView};
use crate::resolve::members::taken_in::takes_in;
use crate::resolve::names::modules::is_path;
use crate::resolve::names::modules::layout::{folder_of, is_marked};
use crate::resolve::types::infer::elements;
use crate::resolve::value::Value;

/// A supertype as a type names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Named {
    /// As written, with what stands before it.
    pub written: String,
    /// The file it is written in.
    pub version: VersionId,
    /// Its line there.
    pub line: u32,
    /// The block that names it, when the type itself does not.
    pub block: Option<Symbol>,
    /// The types it means; none when it is outside of the view or cannot be found there.
    pub targets: Vec<Symbol>,
    /// True if it comes from a file of the view in which it was not found.
    pub is_lost: bool,
    /// The confidence of `targets`.
    pub confidence: Confidence,
}

/// The target of an import.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum ImportTarget {
    /// A file of the view.
    File(VersionId),
    /// All files of a folder of the view.
    Folder(String),
    /// Something outside of the view.
    External,
    /// Nothing that could be found, though it may well be in the view.
    Unresolved,
}

impl Resolver<'_> {
    /// Returns the types whose members a variable has, or those of its elements.
    pub(crate) fn types_of(&self, variable: Symbol) -> Result<Vec<Symbol>> {
        self.inference.begin();
        let mut types = Vec::new();
        for value in self.result_of(variable, None)? {
            types.extend(value.type_symbol());
            types.extend(elements(&value).iter().filter_map(Value::type_symbol));
        }
        Ok(types)
    }

    /// The types that a definition of a supertype's name means: those that a variable holds.
    pub(crate) fn base_types(&self, targets: Vec<Symbol>) -> Result<Vec<Symbol>> {
        self.inference.begin();
        self.types_meant(targets)
    }

    /// Other names that a file gives to one of `types` by assigning it to a variable, among those
    /// whose value has `name` in it.
    pub(crate) fn assigned_names(&self, file: &FileView, name: &str, types: &[Symbol]) -> Result<Vec<String>> {
        let mut found = Vec::new();
        for (ordinal, definition) in file.definitions().iter().enumerate() {
            let Some(value) = definition.value.filter(|_| definition.kind.is_value()) else { continue };
            let is_named = file.uses.chains.get(value as usize).is_some_and(|value| names_type(file, value, name));
            if !is_named || found.contains(&definition.name) {
                continue;
            }
            self.inference.begin();
            let held = self.types_held(Symbol { version: file.version, ordinal: ordinal as u32 })?;
            if held.iter().any(|held| types.contains(held)) {
                found.push(definition.name.clone());
            }
        }
        Ok(found)
    }

    /// The types that an inherit reference means. Where imports cannot be followed, the only type
    /// of that name will do.
    pub(crate) fn inherited(&self, file: &FileView, reference: &Reference) -> Result<(Vec<Symbol>, Confidence)> {
        self.inference.begin();
        if let Some(taken) = self.supertypes_taken_in(file, reference)? {
            return Ok((taken, Confidence::Static));
        }
        if let Resolution::Found { targets, confidence, .. } = self.resolve(file, reference)? {
            return Ok((self.types_meant(targets)?, confidence));
        }
        if file.rules().modules != ModuleSystem::None {
            return Ok((Vec::new(), Confidence::Static));
        }
        let mut found = Vec::new();
        for symbol in self.named(file.name(reference.name))?.iter() {
            let Some((other, definition)) = self.definition(*symbol)? else { continue };
            let is_type = definition.kind.is_type() && definition.kind != Kind::Impl;
            if is_type && other.language.group() == file.language.group() {
                found.push(*symbol);
            }
        }
        Ok((if found.len() == 1 { found } else { Vec::new() }, Confidence::Heuristic))
    }

    /// The blocks of the view that add members to a type.
    pub(crate) fn blocks_of(&self, owner: Symbol) -> Result<Vec<Symbol>> {
        self.inference.begin();
        let Some((_, definition)) = self.definition(owner)? else { return Ok(Vec::new()) };
        let mut blocks = Vec::new();
        for block in self.blocks_named(&definition.name)?.iter() {
            let Some(file) = self.outline(block.version)? else { continue };
            if self.type_of_block(&file, block.ordinal)?.contains(&owner) {
                blocks.push(*block);
            }
        }
        Ok(blocks)
    }

    /// The type that a block adds members to; none when it is outside of the view.
    pub(crate) fn block_type(&self, block: Symbol) -> Result<Option<Symbol>> {
        self.inference.begin();
        let Some(file) = self.file(block.version)? else { return Ok(None) };
        Ok(self.type_of_block(&file, block.ordinal)?.first().copied())
    }

    /// Returns the type that a block adds to as it is written. A block for all types that have
    /// something tells what that is.
    pub(crate) fn written_block(&self, file: &FileView, block: u32) -> String {
        let Some(definition) = file.definitions().get(block as usize) else { return String::new() };
        // What stands before the type, as in `&mut T`, is a part of it.
        let written = definition.signature.rsplit_once(" for ").map(|(_, written)| written);
        let written = written.map(|written| written.split(" where ").next().unwrap_or(written).trim());
        if let Some(written) = written.filter(|written| written.starts_with('&')) {
            return written.to_string();
        }
        if let Some(parameter) = self.type_parameter(file, Some(block), &definition.name) {
            let bound = file.binding(parameter).and_then(|binding| file.declared(binding.declared?));
            let bound =
                bound.map(|bound| format!(": {}", bound.text.trim_start_matches([':', ' ']))).unwrap_or_default();
            return format!("{}{bound} (blanket impl)", definition.name);
        }
        definition.declared_type.as_ref().map_or(&definition.name, |written| &written.text).clone()
    }

    /// Returns the supertypes that one definition, a type or a block, names.
    pub(crate) fn named_supertypes(&self, owner: Symbol) -> Result<Vec<Named>> {
        let Some((file, definition)) = self.opened(owner)? else { return Ok(Vec::new()) };
        let mut found = Vec::new();
        for reference in &file.uses.references {
            if reference.kind != RefKind::Inherit || reference.enclosing != Some(owner.ordinal) {
                continue;
            }
            let (targets, confidence) = self.inherited(&file, reference)?;
            if targets.is_empty() && takes_in(&file, reference) {
                continue;
            }
            found.push(Named {
                is_lost: targets.is_empty() && self.is_imported_from_view(&file, reference)?,
                written: written(&file, reference),
                version: file.version,
                line: reference.line,
                block: (definition.kind == Kind::Impl).then_some(owner),
                targets,
                confidence,
            });
        }
        Ok(found)
    }

    /// Returns whether an import that binds a name leads to a file of the view.
    fn is_imported_from_view(&self, file: &FileView, reference: &Reference) -> Result<bool> {
        let bound = match reference.receiver {
            Some(receiver) => file.chain(receiver).as_name(),
            None => Some(file.name(reference.name)),
        };
        let separator = file.language.separator();
        for import in &file.outline.imports {
            if bound.is_some() && FileOutline::bound_name(import, separator) == bound {
                let targets = self.import_targets(file, import)?;
                return Ok(targets.iter().any(|to| matches!(to, ImportTarget::File(_) | ImportTarget::Folder(_))));
            }
        }
        Ok(false)
    }

    /// Returns the definitions that an import leads to.
    pub(crate) fn imported_symbols(&self, file: &FileView, import: &Import) -> Result<Vec<Symbol>> {
        self.inference.begin();
        let found = self.imported(file, import, 0)?.into_iter();
        Ok(found.filter_map(|entity| if let Entity::Symbol(symbol) = entity { Some(symbol) } else { None }).collect())
    }

    /// The types that make up an alias.
    pub(crate) fn aliased(&self, owner: Symbol) -> Result<Vec<Symbol>> {
        self.inference.begin();
        let is_alias = self.definition(owner)?.is_some_and(|(_, definition)| definition.kind == Kind::TypeAlias);
        Ok(if is_alias { self.supertypes(owner)?.to_vec() } else { Vec::new() })
    }

    /// The types that a definition belongs to.
    pub(crate) fn owners_of(&self, member: Symbol) -> Result<Vec<Symbol>> {
        self.inference.begin();
        Ok(self.owners(member)?.to_vec())
    }

    /// Members of a type itself with this name.
    pub(crate) fn members_named(&self, owner: Symbol, name: &str) -> Result<Vec<Symbol>> {
        self.inference.begin();
        self.own_members(owner, name)
    }

    /// Members of a type or of what it inherits from, with this name.
    pub(crate) fn all_members_named(&self, owner: Symbol, name: &str) -> Result<Vec<Symbol>> {
        self.inference.begin();
        self.members(owner, name)
    }

    /// All members of a definition: what stands in it and its other parts, in blocks that add to
    /// it, apart from it in its folder, and functions that extend it.
    pub(crate) fn members_of(&self, owner: Symbol) -> Result<Vec<Symbol>> {
        let Some((file, definition)) = self.definition(owner)? else { return Ok(Vec::new()) };
        let mut found = children(&file, owner.ordinal);
        for part in self.all_parts(owner)?.iter().filter(|part| **part != owner) {
            if let Some(file) = self.outline(part.version)? {
                found.extend(children(&file, part.ordinal));
            }
        }
        if !definition.kind.is_type() {
            return Ok(found);
        }
        for block in self.blocks_of(owner)? {
            if let Some(file) = self.outline(block.version)? {
                found.extend(children(&file, block.ordinal));
            }
        }
        found.extend(self.extensions_of(owner, &file, &definition)?);
        let separator = file.language.separator();
        let folder = folder_of(&file.path).to_string();
        for version in self.modules()?.in_folder(&folder) {
            let apart = |member: &Definition| {
                let before = member.qualified_name.strip_suffix(member.name.as_str()).unwrap_or("");
                member.parent.is_none()
                    && matches!(member.kind, Kind::Method | Kind::Field | Kind::Constructor | Kind::Property)
                    && before.trim_end_matches([':', '.', '#', '\\']).rsplit(separator).next()
                        == Some(definition.name.as_str())
            };
            let outline = self.snapshot.outline(*version)?;
            for (ordinal, _) in outline.definitions.iter().enumerate().filter(|(_, member)| apart(member)) {
                let member = Symbol { version: *version, ordinal: ordinal as u32 };
                if self.owners_of(member)?.contains(&owner) {
                    found.push(member);
                }
            }
        }
        Ok(found)
    }

    /// Returns the targets of an import: the module that it names, or the module that its name is.
    pub(crate) fn import_targets(&self, file: &FileView, import: &Import) -> Result<Vec<ImportTarget>> {
        self.inference.begin();
        let system = file.rules().modules;
        let name = import.name.as_deref().filter(|name| *name != "*");
        let mut entities = self.module_of_import(file, &import.module, import.line)?;
        if let Some(name) = name {
            let inner = match system {
                ModuleSystem::Dotted => {
                    let mut inner = Vec::new();
                    for entity in &entities {
                        if let Entity::Module(module) = entity {
                            inner.extend(self.dotted_below(module, name, file.language)?);
                        }
                    }
                    inner
                }
                ModuleSystem::Crates => self.imported(file, import, 0)?,
                _ => Vec::new(),
            };
            if inner.iter().any(|entity| matches!(entity, Entity::Module(_))) {
                entities = inner;
                entities.retain(|entity| matches!(entity, Entity::Module(_)));
            }
        }
        let is_known = |entity: &Entity| *entity != Entity::External;
        let is_file = name.is_none() && is_path(file, &import.module);
        if !entities.iter().any(is_known) && !is_file && matches!(system, ModuleSystem::Names | ModuleSystem::None) {
            let module = import.module.as_str();
            let whole = name.map_or(module.to_string(), |name| format!("{module}{}{name}", file.language.separator()));
            entities.extend(self.qualified(file, &whole)?);
            entities.retain(is_known);
            if entities.is_empty() && import.name.as_deref() == Some("*") {
                entities.extend(self.folder_ending(file, module)?);
            }
        }
        let mut found: Vec<ImportTarget> = entities
            .into_iter()
            .filter_map(|entity| match entity {
                Entity::Module(Module::File(version)) => Some(ImportTarget::File(version)),
                Entity::Module(Module::Inline(symbol)) | Entity::Symbol(symbol) => {
                    Some(ImportTarget::File(symbol.version))
                }
                Entity::Module(Module::Folder(folder)) => Some(ImportTarget::Folder(folder)),
                Entity::External => None,
            })
            .collect();
        found.sort();
        found.dedup();
        if found.is_empty() {
            let root_words = &file.rules().root_words;
            let is_near = import.module.starts_with(['.', '/'])
                || root_words.iter().any(|word| import.module.starts_with(word.as_str()));
            let is_open = match system {
                ModuleSystem::None => !import.module.starts_with('<'),
                ModuleSystem::Files => is_marked(&import.module) || self.is_own_module(&import.module)?,
                _ => false,
            };
            found.push(if is_near || is_open { ImportTarget::Unresolved } else { ImportTarget::External });
        }
        Ok(found)
    }

    /// The only folder with code of the file's language whose path ends with the words of a
    /// package.
    fn folder_ending(&self, file: &FileView, package: &str) -> Result<Option<Entity>> {
        let wanted = package.replace(file.language.separator(), "/");
        let extension = file.path.rsplit_once('.').map_or("", |(_, extension)| extension);
        let mut folders: Vec<&str> = self
            .snapshot
            .paths()
            .filter(|path| path.rsplit_once('.').is_some_and(|(_, known)| known == extension))
            .map(folder_of)
            .filter(|folder| {
                folder.strip_suffix(&wanted).is_some_and(|before| before.is_empty() || before.ends_with('/'))
            })
            .collect();
        folders.dedup();
        Ok(match folders.as_slice() {
            [only] => Some(Entity::Module(Module::Folder((*only).to_string()))),
            _ => None,
        })
    }
}

/// Returns whether an expression is a type of this name, perhaps with arguments in brackets.
fn names_type(file: &FileView, value: &Chain, name: &str) -> bool {
    let is_argument = |step: &&ChainStep| matches!(step, ChainStep::Index | ChainStep::TypeArguments(_));
    let last = value.steps.iter().rev().find(|step| !is_argument(step));
    match (last, value.root) {
        (Some(ChainStep::Member(last) | ChainStep::Segment(last)), _) => file.name(*last) == name,
        (None, ChainRoot::Name(first)) => file.name(first) == name,
        _ => false,
    }
}

/// The definitions right inside another.
fn children(file: &FileOutline, ordinal: u32) -> Vec<Symbol> {
    let definitions = file.definitions().iter().enumerate();
    definitions
        .filter(|(_, definition)| definition.parent == Some(ordinal))
        .map(|(ordinal, _)| Symbol { version: file.version, ordinal: ordinal as u32 })
        .collect()
}

fn written(file: &FileView, reference: &Reference) -> String {
    let name = file.name(reference.name);
    match reference.receiver {
        Some(receiver) => format!("{}{}{name}", file.chain(receiver), file.language.separator()),
        None => name.to_string(),
    }
}
