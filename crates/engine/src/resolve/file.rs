//! One file as the resolver sees it.

use std::ops::Deref;
use std::sync::{Arc, OnceLock};

use codecompass_syntax::facts::{
    Binding, CallArgument, ChainExpr, ChainRoot, DeclaredType, Definition, Import, Kind, Reference,
};
use codecompass_syntax::{Language, ResolveRules, language_named};

use crate::error::Result;
use crate::model::VersionId;
use crate::resolve::entity::Entity;
use crate::store::Snapshot;
use crate::store::facts::{Outline, Uses};

/// The language of a version; `None` when it is no code.
pub(crate) fn language_of(snapshot: &Snapshot, version: VersionId) -> Result<Option<&'static Language>> {
    Ok(snapshot.file_info(version)?.language.as_deref().and_then(language_named))
}

/// The definitions and imports of a file, with data derived from them. Most questions about a
/// definition need no more of its file.
pub(crate) struct FileOutline {
    pub version: VersionId,
    pub path: String,
    pub language: &'static Language,
    pub outline: Arc<Outline>,
    /// Numbers of all definitions in the order of their names.
    by_name: OnceLock<Box<[u32]>>,
    package: OnceLock<String>,
}

/// An import that holds for all files of a project, and the file that it stands in.
pub(super) struct GlobalImport {
    pub version: VersionId,
    /// The folder of the project.
    pub project: String,
    pub import: Import,
}

/// A [`FileOutline`] with the names that the file uses.
pub(crate) struct FileView {
    outline: Arc<FileOutline>,
    pub uses: Arc<Uses>,
}

impl Deref for FileView {
    type Target = FileOutline;

    fn deref(&self) -> &FileOutline {
        &self.outline
    }
}

impl FileView {
    pub(super) fn new(outline: Arc<FileOutline>, uses: Arc<Uses>) -> FileView {
        FileView { outline, uses }
    }

    /// About how much memory it keeps.
    pub(super) fn bytes(&self) -> usize {
        self.uses.bytes() + self.outline.bytes()
    }

    /// A name of the file's own table.
    pub(crate) fn name(&self, index: u32) -> &str {
        self.uses.names.get(index as usize).map_or("", String::as_str)
    }

    /// Returns the name of a reference with what stands before it, as written but without
    /// arguments.
    pub(crate) fn written_name(&self, reference: &Reference) -> String {
        let before = reference.receiver.map(|receiver| match self.chain(receiver).to_string() {
            root if root.is_empty() => self.language.separator().to_string(),
            before => format!("{before}."),
        });
        format!("{}{}", before.unwrap_or_default(), self.name(reference.name))
    }

    /// Returns the arguments of a call of which something is known, in their order.
    pub(crate) fn arguments_of(&self, call: &Reference) -> &[CallArgument] {
        let place = |reference: &Reference| (reference.line, reference.column);
        let references = &self.uses.references;
        let first = references.partition_point(|reference| place(reference) < place(call));
        let is_it = |reference: &Reference| (reference.kind, reference.name) == (call.kind, call.name);
        let at = references[first..].iter().take_while(|reference| place(reference) == place(call)).position(is_it);
        let Some(number) = at.map(|at| (first + at) as u32) else { return &[] };
        let arguments = &self.uses.arguments;
        let first = arguments.partition_point(|argument| argument.reference < number);
        let end = arguments.partition_point(|argument| argument.reference <= number);
        &arguments[first..end]
    }

    /// Returns the labels of the arguments of a call, if they are kept.
    pub(crate) fn labels_of(&self, call: &Reference) -> Option<&str> {
        let of_language = || self.rules().labels_overload.then(|| self.arguments_of(call));
        let labels = of_language()?.iter().find(|argument| argument.position == CallArgument::LABELS)?;
        match self.chain(labels.value).root {
            ChainRoot::Cast(labels) => Some(&labels.text),
            _ => None,
        }
    }

    /// A type of the file's own table.
    pub(crate) fn declared(&self, index: u32) -> Option<&DeclaredType> {
        self.uses.types.get(index as usize)
    }

    /// Returns a receiver or value of the file's own table.
    pub(crate) fn chain(&self, index: u32) -> ChainExpr<'_> {
        let chain = self.uses.chains.get(index as usize);
        chain.map_or_else(ChainExpr::unknown, |chain| chain.expression(&self.uses.names, &self.uses.types))
    }

    pub(crate) fn binding(&self, index: u32) -> Option<&Binding> {
        self.uses.bindings.get(index as usize)
    }

    /// Numbers of the references with this name.
    pub(crate) fn references_named(&self, name: &str) -> Vec<u32> {
        let Some(name) = self.uses.names.iter().position(|known| known == name) else { return Vec::new() };
        let numbers = self.uses.references.iter().enumerate();
        numbers.filter(|(_, other)| other.name as usize == name).map(|(number, _)| number as u32).collect()
    }
}

impl FileOutline {
    /// Opens a file; `None` when it is no code.
    pub(super) fn open(snapshot: &Snapshot, version: VersionId) -> Result<Option<FileOutline>> {
        let (Some(language), Some(path)) = (language_of(snapshot, version)?, snapshot.path_of(version)) else {
            return Ok(None);
        };
        let outline = snapshot.outline(version)?;
        let (by_name, package) = Default::default();
        Ok(Some(FileOutline { version, path: path.to_string(), language, outline, by_name, package }))
    }

    /// About how much memory it keeps.
    pub(super) fn bytes(&self) -> usize {
        self.outline.bytes() + self.definitions().len() * size_of::<u32>()
    }

    pub(crate) fn rules(&self) -> &'static ResolveRules {
        self.language.resolve_rules()
    }

    /// The package that the file's top-level definitions are in, empty when they are in none.
    pub(crate) fn package(&self) -> &str {
        self.package.get_or_init(|| {
            let separator = self.language.separator();
            let top = || self.definitions().iter().filter(|definition| definition.parent.is_none());
            // A member that stands apart from its type has the type's name before its own too.
            let is_apart = |top: &&Definition| top.kind == Kind::Method;
            let are_apart = top().all(|top| is_apart(&top));
            let before = top().filter_map(|top| {
                let before = top.qualified_name.strip_suffix(top.name.as_str())?;
                let before = before.strip_suffix(separator).unwrap_or(before);
                Some(if are_apart { before.rsplit_once(separator).map_or("", |(outer, _)| outer) } else { before })
            });
            before.min_by_key(|before| before.len()).unwrap_or("").to_string()
        })
    }

    pub(crate) fn definitions(&self) -> &[Definition] {
        &self.outline.definitions
    }

    /// Returns the definition that an entity is, if it stands in this file.
    pub(crate) fn own_definition(&self, entity: &Entity) -> Option<&Definition> {
        let Entity::Symbol(symbol) = entity else { return None };
        self.definitions().get(symbol.ordinal as usize).filter(|_| symbol.version == self.version)
    }

    /// Numbers of the definitions with this name, without the titles of tests.
    pub(crate) fn named(&self, name: &str) -> &[u32] {
        let definitions = self.definitions();
        let name_of = |ordinal: &u32| definitions[*ordinal as usize].name.as_str();
        let by_name = self.by_name.get_or_init(|| {
            let is_name = |ordinal: &u32| !definitions[*ordinal as usize].is_title();
            let mut all: Box<[u32]> = (0..definitions.len() as u32).filter(is_name).collect();
            all.sort_by(|a, b| name_of(a).cmp(name_of(b)));
            all
        });
        let start = by_name.partition_point(|ordinal| name_of(ordinal) < name);
        let length = by_name[start..].partition_point(|ordinal| name_of(ordinal) == name);
        &by_name[start..start + length]
    }

    /// Returns whether two definitions of one name in one place are one symbol: of a class, a
    /// function or an enumeration and the interfaces and modules of its name.
    pub(crate) fn merges(&self, one: &Definition, other: &Definition) -> bool {
        let kinds = &self.rules().merged_kinds;
        let is_listed = |kind: Kind| kinds.iter().any(|known| known == kind.as_str());
        let is_added = |kind: Kind| matches!(kind, Kind::Interface | Kind::Module);
        is_listed(one.kind) && is_listed(other.kind) && (is_added(one.kind) || is_added(other.kind))
    }

    /// Returns whether two definitions of one name in one place are one symbol for those who name
    /// it: declarations that merge, or a type and a value.
    pub(crate) fn is_one_symbol(&self, one: &Definition, other: &Definition) -> bool {
        let is_only_type = |kind: Kind| matches!(kind, Kind::Interface | Kind::TypeAlias);
        let is_outside = |kind: Kind| kind.is_outline_only() || kind == Kind::Impl;
        let are_two = is_only_type(one.kind) != is_only_type(other.kind);
        let joins = self.rules().joins_types_and_values && are_two;
        self.merges(one, other) || joins && !is_outside(one.kind) && !is_outside(other.kind)
    }

    /// Definitions around a definition, innermost first, itself included.
    pub(crate) fn outwards(&self, from: Option<u32>) -> impl Iterator<Item = (u32, &Definition)> {
        const MAX_DEPTH: usize = 64;
        let definitions = self.definitions();
        std::iter::successors(from, |index| definitions.get(*index as usize)?.parent)
            .take(MAX_DEPTH)
            .filter_map(|index| Some((index, definitions.get(index as usize)?)))
    }

    /// The type around a place, innermost first.
    pub(crate) fn type_around(&self, from: Option<u32>) -> Option<u32> {
        self.outwards(from).find(|(_, definition)| self.has_relatives(definition.kind)).map(|(index, _)| index)
    }

    /// Returns whether definitions of this kind have members that others may take: types, and
    /// modules that are mixed into types or ask for callbacks.
    pub(crate) fn has_relatives(&self, kind: Kind) -> bool {
        kind.is_type() || self.language.is_open(kind)
    }

    /// Returns whether the file holds tests that are compiled with its folder alone.
    pub(crate) fn holds_tests_of_folder(&self) -> bool {
        let ending = self.rules().test_ending.as_str();
        let stem = self.path.rsplit_once('.').map_or(self.path.as_str(), |(stem, _)| stem);
        !ending.is_empty() && stem.ends_with(ending)
    }

    /// The innermost definition that covers a line.
    pub(crate) fn enclosing_line(&self, line: u32) -> Option<u32> {
        self.outline.innermost_at(line, |_| true, |definition| definition.span.start_line)
    }

    /// Returns whether a line stands where the grammar lost its way: facts there may be wrong.
    pub(crate) fn is_damaged(&self, line: u32) -> bool {
        let problems = &self.outline.problems;
        if problems.is_empty() {
            return false;
        }
        let around = self.enclosing_line(line);
        problems.iter().any(|problem| {
            let damaged = self.enclosing_line(problem.line);
            let is_function = damaged.is_some_and(|ordinal| {
                let kind = self.definitions()[ordinal as usize].kind;
                kind.is_callable() || kind.is_value()
            });
            if is_function {
                return self.outwards(around).any(|(ordinal, _)| Some(ordinal) == damaged);
            }
            problem.line == line || problem.line <= line && around == damaged
        })
    }

    /// The module that an import stands in: a block inside the file, or `None` for the file.
    pub(crate) fn module_of_line(&self, line: u32) -> Option<u32> {
        let around = self.enclosing_line(line);
        self.outwards(around).find(|(_, definition)| definition.kind == Kind::Module).map(|(index, _)| index)
    }

    /// The last part of what an import binds here.
    pub(crate) fn bound_name<'a>(import: &'a Import, separator: &str) -> Option<&'a str> {
        if let Some(alias) = &import.alias {
            return Some(alias);
        }
        match import.name.as_deref() {
            Some("*") => None,
            Some(name) => Some(name),
            None => {
                let module = import.module.as_str();
                let last = module.rsplit(['/', '\\']).next().unwrap_or(module);
                last.rsplit(separator).next().or(Some(last))
            }
        }
    }
}

/// Returns whether a definition names another container than the one it stands in (`void
/// Store::open()` in a namespace).
pub(super) fn is_out_of_line(definition: &Definition, around: &Definition) -> bool {
    around.kind == Kind::Module
        && definition
            .qualified_name
            .strip_prefix(around.qualified_name.as_str())
            .and_then(|rest| rest.strip_suffix(definition.name.as_str()))
            .is_some_and(|between| between.contains(char::is_alphanumeric))
}
