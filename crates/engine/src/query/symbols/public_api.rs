//! The definitions that code outside of a project can name.
//!
//! A definition is a part of the public API if it and all that it stands in are public, in a source
//! file that is no test. A module whose name hides it offers what an index file above it imports
//! from it, as `__init__.py` does.

use codecompass_syntax::facts::{Definition, Import, Kind, SymbolRole, Visibility};
use codecompass_syntax::{Language, language_named};
use rustc_hash::FxHashSet;

use crate::error::Result;
use crate::model::Role;
use crate::query::open_file::OpenFile;
use crate::store::Snapshot;
use crate::store::facts::Outline;

/// Containers around a definition that are looked at.
const MAX_CONTAINERS: usize = 64;

/// The top-level names that a file offers to code outside.
pub(super) enum Offered {
    Nothing,
    All,
    Names(FxHashSet<String>),
}

impl Offered {
    /// Returns what a file offers.
    pub(super) fn by(snapshot: &Snapshot, file: &OpenFile<'_>) -> Result<Offered> {
        let language = file.info.language.as_deref().and_then(language_named);
        let is_used = matches!(file.info.role, Role::Source | Role::Generated);
        match language.filter(|language| is_used && language.is_code()) {
            Some(language) if language.hides_module(file.path) => passed_on(snapshot, file, language),
            Some(_) => Ok(Offered::All),
            None => Ok(Offered::Nothing),
        }
    }

    /// Returns whether a definition of the file is a part of what it offers.
    pub(super) fn includes(&self, outline: &Outline, definition: &Definition) -> bool {
        let around = |definition: &&Definition| outline.definitions.get(definition.parent? as usize);
        let is_named = match self {
            Offered::Nothing => false,
            Offered::All => true,
            Offered::Names(names) => {
                let outwards = std::iter::successors(Some(definition), around).take(MAX_CONTAINERS);
                outwards.last().is_some_and(|top| names.contains(&top.name))
            }
        };
        is_named && is_reachable(outline, definition)
    }
}

/// Returns the names that index files above a file import from it.
fn passed_on(snapshot: &Snapshot, file: &OpenFile<'_>, language: &Language) -> Result<Offered> {
    let (folder, name) = file.path.rsplit_once('/').unwrap_or(("", file.path));
    let (stem, extension) = name.rsplit_once('.').unwrap_or((name, ""));
    let mut names = FxHashSet::default();
    let mut above = Some(folder);
    while let Some(folder) = above {
        for index in language.index_stems() {
            let path = format!("{folder}/{index}.{extension}");
            let path = path.trim_start_matches('/');
            let version = snapshot.version_at(path).filter(|_| path != file.path && !language.hides_module(path));
            let Some(version) = version else { continue };
            // The module itself, or a package between the two that passes its names on.
            let below = file.path.strip_prefix(folder).unwrap_or(file.path);
            let is_on_the_way = |part: &str| part == stem || below.split('/').any(|between| between == part);
            for Import { module, name, .. } in snapshot.imports(version)?.iter().cloned() {
                match name.filter(|_| module.rsplit(['.', '/', ':']).next().is_some_and(is_on_the_way)) {
                    Some(name) if name == "*" => return Ok(Offered::All),
                    name => names.extend(name),
                }
            }
        }
        above = (!folder.is_empty()).then(|| folder.rsplit_once('/').map_or("", |(above, _)| above));
    }
    Ok(if names.is_empty() { Offered::Nothing } else { Offered::Names(names) })
}

/// Returns whether a definition and all that it stands in are public.
fn is_reachable(outline: &Outline, definition: &Definition) -> bool {
    if definition.visibility != Visibility::Public || definition.role == SymbolRole::Test {
        return false;
    }
    let around = |definition: &&Definition| outline.definitions.get(definition.parent? as usize);
    let mut containers = std::iter::successors(around(&definition), around).take(MAX_CONTAINERS);
    let is_open = |container: &Definition| match container.kind {
        // A block is as visible as the type that it adds to.
        Kind::Impl => type_named(outline, &container.qualified_name).is_none_or(is_public),
        _ => is_public(container) && !container.kind.is_callable(),
    };
    let apart = definition.parent.is_none().then(|| owner_apart(outline, definition)).flatten();
    containers.all(is_open) && apart.is_none_or(is_public)
}

fn is_public(definition: &Definition) -> bool {
    definition.visibility == Visibility::Public
}

/// Returns the type of the file that a member belongs to though it stands apart from it.
fn owner_apart<'a>(outline: &'a Outline, member: &Definition) -> Option<&'a Definition> {
    let is_member = matches!(member.kind, Kind::Method | Kind::Constructor | Kind::Property | Kind::Field);
    type_named(outline, container_name(member).filter(|_| is_member)?)
}

fn type_named<'a>(outline: &'a Outline, qualified_name: &str) -> Option<&'a Definition> {
    let is_type = |kind: Kind| kind.is_type() && kind != Kind::Impl;
    outline.definitions.iter().find(|other| is_type(other.kind) && other.qualified_name == qualified_name)
}

/// Returns the qualified name of what a definition stands in; `None` at the top of a file without a
/// package.
pub(super) fn container_name(definition: &Definition) -> Option<&str> {
    let before = definition.qualified_name.strip_suffix(definition.name.as_str())?;
    let name = before.trim_end_matches(['.', ':', '#', '\\']);
    (!name.is_empty()).then_some(name)
}
