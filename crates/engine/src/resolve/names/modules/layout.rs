//! The layout of a view: folders, manifests and path mappings, read once.

use std::sync::OnceLock;

use codecompass_syntax::facts::Kind;
use codecompass_syntax::registry;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::error::Result;
use crate::model::VersionId;
use crate::store::Snapshot;

/// Keys of a manifest stand at most this deep in one another.
const MAX_NESTED: usize = 8;

/// Keys of a package's manifest with the packages that it needs.
const DEPENDENCIES: [&str; 4] = ["dependencies", "devDependencies", "peerDependencies", "optionalDependencies"];

/// The layout of the view: folders, packages, crates and import mappings.
pub(crate) struct Modules {
    /// Files by their dotted module path.
    pub(super) dotted: OnceLock<FxHashMap<String, VersionId>>,
    /// The first parts of these paths.
    pub(super) dotted_roots: OnceLock<FxHashSet<String>>,
    /// Folders with code files in them: folder, then versions in the order of paths.
    pub(super) folders: FxHashMap<String, Vec<VersionId>>,
    /// Paths that modules are published under, with their folders; longest first.
    pub(super) published: Vec<(String, String)>,
    /// Crates by name, with the folders of their manifests.
    pub(super) crates: FxHashMap<String, Vec<String>>,
    /// Import paths and the folders or files they are mapped to: folder the mapping holds in,
    /// pattern, target.
    pub(in crate::resolve) mappings: Vec<(String, String, String)>,
    /// Import paths of the packages of which there are copies.
    pub(super) copied: OnceLock<FxHashSet<String>>,
    /// Folders that are projects, by the files in them.
    pub(in crate::resolve) projects: FxHashSet<String>,
    /// Packages by name, with their folders.
    pub(in crate::resolve) packages: FxHashMap<String, String>,
    /// Packages that manifests say they depend on.
    dependencies: FxHashSet<String>,
    /// Paths in packages that their manifests lead to files, by the folder of the manifest.
    pub(super) entries: FxHashMap<String, Vec<PackageEntry>>,
    /// Files by the last part of their path, without and with its extension.
    pub(super) by_last_part: OnceLock<FxHashMap<String, Vec<VersionId>>>,
}

/// A path in a package (`.`, `./inner`, `./*`) and the file that its manifest names for it.
pub(super) struct PackageEntry {
    pub path: String,
    pub target: String,
}

/// A path below the folder of a package.
pub(super) struct PackagePath<'a> {
    pub folder: &'a str,
    pub inner: &'a str,
}

impl Modules {
    pub(crate) fn new(snapshot: &Snapshot) -> Result<Modules> {
        let mut modules = Modules {
            dotted: OnceLock::new(),
            dotted_roots: OnceLock::new(),
            copied: OnceLock::new(),
            folders: FxHashMap::default(),
            published: Vec::new(),
            crates: FxHashMap::default(),
            mappings: Vec::new(),
            projects: FxHashSet::default(),
            packages: FxHashMap::default(),
            dependencies: FxHashSet::default(),
            entries: FxHashMap::default(),
            by_last_part: OnceLock::new(),
        };
        let manifests: Vec<&str> =
            registry::all().iter().flat_map(|it| &it.resolve_rules().module_manifests).map(String::as_str).collect();
        let project_files: Vec<&str> =
            registry::all().iter().flat_map(|it| &it.resolve_rules().project_files).map(String::as_str).collect();
        for (path, version) in snapshot.files() {
            let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
            modules.folders.entry(folder.to_string()).or_default().push(*version);
            if project_files.iter().any(|ending| name.ends_with(ending)) {
                modules.projects.insert(folder.to_string());
            }
            match name {
                _ if manifests.contains(&name) => read_folder_module(snapshot, &mut modules, folder, *version)?,
                "Cargo.toml" => read_crate(snapshot, &mut modules, folder, *version)?,
                "package.json" => read_package(snapshot, &mut modules, folder, *version)?,
                _ if name.ends_with("config.json") || name.starts_with("tsconfig") && name.ends_with(".json") => {
                    read_mappings(snapshot, &mut modules, folder, *version)?;
                }
                _ => {}
            }
        }
        modules.published.sort_by(|a, b| b.0.len().cmp(&a.0.len()).then_with(|| a.cmp(b)));
        modules.mappings.sort_by(|a, b| (b.1.len(), b.0.len()).cmp(&(a.1.len(), a.0.len())).then_with(|| a.cmp(b)));
        Ok(modules)
    }

    /// Returns whether a module is of a package that a manifest names as one it depends on.
    pub(super) fn depends_on(&self, module: &str) -> bool {
        let ends = module.match_indices('/').map(|(at, _)| at).chain([module.len()]);
        ends.take(2).any(|end| self.dependencies.contains(&module[..end]))
    }

    /// Returns where a module stands that begins with the name of a package: `@scope/name/inner` is
    /// in the folder of the package `@scope/name`.
    pub(super) fn package_path<'a>(&'a self, module: &'a str) -> Option<PackagePath<'a>> {
        let mut name = module;
        loop {
            if let Some(folder) = self.packages.get(name) {
                let inner = module.get(name.len()..).unwrap_or("").trim_start_matches('/');
                return Some(PackagePath { folder, inner });
            }
            name = name.rsplit_once('/')?.0;
        }
    }

    /// Code files of a folder, in the order of paths.
    pub(crate) fn in_folder(&self, folder: &str) -> &[VersionId] {
        self.folders.get(folder).map_or(&[], Vec::as_slice)
    }
}

fn read_folder_module(snapshot: &Snapshot, modules: &mut Modules, folder: &str, version: VersionId) -> Result<()> {
    let outline = snapshot.outline(version)?;
    if let Some(module) = outline.definitions.iter().find(|definition| definition.kind == Kind::Module) {
        modules.published.push((module.name.clone(), folder.to_string()));
    }
    Ok(())
}

fn read_crate(snapshot: &Snapshot, modules: &mut Modules, folder: &str, version: VersionId) -> Result<()> {
    for key in ["package.name", "lib.name"] {
        if let Some(name) = value_of(snapshot, version, key)? {
            modules.crates.entry(name.replace('-', "_")).or_default().push(folder.to_string());
        }
    }
    Ok(())
}

fn read_package(snapshot: &Snapshot, modules: &mut Modules, folder: &str, version: VersionId) -> Result<()> {
    if let Some(name) = value_of(snapshot, version, "name")? {
        let known = modules.packages.entry(name).or_insert_with(|| folder.to_string());
        if folder.len() < known.len() {
            *known = folder.to_string();
        }
    }
    let outline = snapshot.outline(version)?;
    for definition in outline.definitions.iter() {
        let group =
            definition.qualified_name.strip_suffix(definition.name.as_str()).and_then(|it| it.strip_suffix('.'));
        if group.is_some_and(|group| DEPENDENCIES.contains(&group)) {
            modules.dependencies.insert(definition.name.clone());
        }
    }
    let entries = package_entries(snapshot, version)?;
    modules.entries.insert(folder.to_string(), entries);
    Ok(())
}

/// The files that the manifest of a package names for paths in it: under any condition, and for the
/// package itself.
fn package_entries(snapshot: &Snapshot, version: VersionId) -> Result<Vec<PackageEntry>> {
    const EXPORTS: &str = "exports";
    const MAIN: [&str; 4] = ["source", "module", "main", "types"];
    let outline = snapshot.outline(version)?;
    let definitions = &outline.definitions;
    let mut entries = Vec::new();
    let mut mains = Vec::new();
    for definition in definitions.iter().filter(|definition| definition.kind == Kind::Key) {
        let Some(target) = quoted_value(&definition.signature) else { continue };
        let around = std::iter::successors(Some(definition), |inner| definitions.get(inner.parent? as usize));
        let names: Vec<&str> = around.take(MAX_NESTED).map(|around| around.name.as_str()).collect();
        let path = names.iter().find(|name| name.starts_with('.')).copied().unwrap_or(".").to_string();
        match names.last() {
            Some(&EXPORTS) => entries.push(PackageEntry { path, target }),
            Some(name) if names.len() == 1 && MAIN.contains(name) => mains.push(PackageEntry { path, target }),
            _ => {}
        }
    }
    entries.extend(mains);
    // A path that is written out comes before those that a pattern holds.
    entries.sort_by_key(|entry| entry.path.contains('*'));
    Ok(entries)
}

/// `compilerOptions.paths` and `baseUrl`.
fn read_mappings(snapshot: &Snapshot, modules: &mut Modules, folder: &str, version: VersionId) -> Result<()> {
    const PATHS: &str = "compilerOptions.paths.";
    let base = value_of(snapshot, version, "compilerOptions.baseUrl")?;
    let base_folder = normal(&joined(folder, base.as_deref().unwrap_or(""))).unwrap_or_default();
    let outline = snapshot.outline(version)?;
    for definition in outline.definitions.iter() {
        let Some(pattern) = definition.qualified_name.strip_prefix(PATHS) else { continue };
        // The first of the targets in `"@/*": ["./src/*", …]`.
        let Some((_, list)) = definition.signature.split_once('[') else { continue };
        let Some(target) = list.split('"').nth(1) else { continue };
        if let Some(target) = normal(&joined(&base_folder, target)) {
            modules.mappings.push((folder.to_string(), pattern.to_string(), target));
        }
    }
    if base.is_some() {
        modules.mappings.push((folder.to_string(), "*".into(), joined(&base_folder, "*")));
    }
    Ok(())
}

/// The value of the first key with this qualified name in a data file, without quotes.
fn value_of(snapshot: &Snapshot, version: VersionId, key: &str) -> Result<Option<String>> {
    let outline = snapshot.outline(version)?;
    let definition = outline.definitions.iter().find(|d| d.qualified_name == key && d.kind == Kind::Key);
    Ok(definition.and_then(|definition| quoted_value(&definition.signature)))
}

/// `a.b` in `"key": "a.b",` and `key = "a.b"`.
fn quoted_value(signature: &str) -> Option<String> {
    let after = signature.split_once("\":").or_else(|| signature.split_once('='))?.1.trim_start();
    let quote = after.chars().next().filter(|c| matches!(c, '"' | '\''))?;
    let inside = &after[1..];
    Some(inside[..inside.find(quote)?].to_string())
}

/// A path without `.` and `..`; `None` when it leaves the root.
pub(crate) fn normal(path: &str) -> Option<String> {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => _ = parts.pop()?,
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

/// The folder of a path.
pub(crate) fn folder_of(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

pub(crate) fn joined(folder: &str, rest: &str) -> String {
    if folder.is_empty() { rest.to_string() } else { format!("{folder}/{rest}") }
}

/// Returns whether a module is named by a path, or by a mark that no package's name begins with.
pub(in crate::resolve) fn is_marked(module: &str) -> bool {
    const MARKS: [char; 5] = ['.', '/', '~', '#', '$'];
    module.starts_with(MARKS) || module.starts_with("@/")
}
