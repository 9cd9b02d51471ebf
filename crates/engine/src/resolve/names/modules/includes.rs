//! Files that take in other files whole: what those define is seen as if it stood in the file
//! itself.

use std::sync::Arc;

use codecompass_syntax::facts::{Definition, Kind};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::error::Result;
use crate::model::VersionId;
use crate::resolve::Resolver;
use crate::resolve::entity::{Entity, Module, Symbol};
use crate::resolve::file::FileView;
use crate::resolve::names::modules::layout::{Modules, folder_of, joined, normal};
use crate::store::Snapshot;
use crate::store::facts::Outline;

/// More files than this are not followed from one.
const MAX_FILES: usize = 2000;

impl Modules {
    /// Files whose last part is `name`, with its extension or without.
    pub(super) fn files_called(&self, snapshot: &Snapshot, name: &str) -> &[VersionId] {
        let index = self.by_last_part.get_or_init(|| {
            let mut index: FxHashMap<String, Vec<VersionId>> = FxHashMap::default();
            for (path, version) in snapshot.files() {
                let last = path.rsplit('/').next().unwrap_or(path);
                index.entry(last.to_string()).or_default().push(*version);
                if let Some((stem, _)) = last.rsplit_once('.').filter(|(stem, _)| !stem.is_empty()) {
                    index.entry(stem.to_string()).or_default().push(*version);
                }
            }
            index
        });
        index.get(name).map_or(&[], Vec::as_slice)
    }
}

impl Resolver<'_> {
    /// A file whose path ends with what an import says, the nearest first; for languages that
    /// include files.
    pub(super) fn nearby_file(&self, importer: &str, module: &str) -> Result<Vec<Entity>> {
        Ok(vec![
            self.file_near(importer, module)?.map_or(Entity::External, |version| Entity::Module(Module::File(version))),
        ])
    }

    fn file_near(&self, importer: &str, module: &str) -> Result<Option<VersionId>> {
        let module = module.trim_matches(['"', '\'']);
        if module.is_empty() || module.starts_with('<') {
            return Ok(None);
        }
        // `$DIR/lib/x.sh` and `package:app/x.dart` are files somewhere below.
        let module = match module.split_once(':') {
            _ if module.starts_with('$') => {
                let computed = module.rfind([')', '}', '"']).or_else(|| module.find('/'));
                computed.map_or("", |at| &module[at + 1..])
            }
            Some((_, rest)) if !rest.starts_with(':') => rest.split_once('/').map_or(rest, |(_, inside)| inside),
            _ => module,
        };
        let wanted = module.trim_start_matches(['.', '/']).replace("::", "/");
        let folder = folder_of(importer);
        let extension = importer.rsplit_once('.').map_or("", |(_, extension)| extension);
        let dotted = wanted.replace('.', "/");
        let candidates =
            [module.to_string(), format!("{module}.{extension}"), format!("{dotted}.{extension}"), wanted.clone()];
        for candidate in &candidates {
            let near = normal(&joined(folder, candidate)).unwrap_or_default();
            for path in [near.as_str(), candidate.as_str()] {
                if let Some(version) = self.snapshot.version_at(path) {
                    return Ok(Some(version));
                }
            }
        }
        let endings = [wanted.clone(), format!("{wanted}.{extension}"), format!("{dotted}.{extension}")];
        let index_ending = format!("{dotted}/init.{extension}");
        let is_bare = !wanted.rsplit('/').next().unwrap_or("").contains('.');
        let ends = |path: &str, ending: &str| {
            path.strip_suffix(ending).is_some_and(|before| before.is_empty() || before.ends_with('/'))
        };
        let last = |path: &str| path.rsplit('/').next().unwrap_or(path).to_string();
        let mut found: Vec<(VersionId, &str)> = Vec::new();
        for name in [last(&wanted), last(&dotted), "init".to_string()] {
            for version in self.modules()?.files_called(self.snapshot, &name) {
                let path = self.snapshot.path_of(*version).unwrap_or("");
                let stem = path.rsplit_once('.').map_or(path, |(stem, _)| stem);
                let fits = endings.iter().any(|ending| ends(path, ending))
                    || ends(path, &index_ending)
                    || is_bare && ends(stem, &wanted);
                if fits && !found.iter().any(|(known, _)| known == version) {
                    found.push((*version, path));
                }
            }
        }
        // The one in the nearest folder, the outermost below it; nothing when two are as near.
        let shared = |path: &str| {
            let common = folder.split('/').zip(path.split('/')).take_while(|(a, b)| a == b).count();
            (common, std::cmp::Reverse(path.split('/').count()))
        };
        let nearest = found.iter().map(|(_, path)| shared(path)).max();
        let mut near = found.iter().filter(|(_, path)| Some(shared(path)) == nearest);
        Ok(match (near.next(), near.next()) {
            (Some((version, _)), None) => Some(*version),
            _ => None,
        })
    }

    /// Returns the namespace or file that a `using` or an include names.
    pub(super) fn included_module(&self, file: &FileView, module: &str) -> Result<Vec<Entity>> {
        if !module.contains(['/', '"']) {
            let mut parts = module.split(file.language.separator()).filter(|part| !part.is_empty());
            let first = parts.next().unwrap_or("");
            let mut found = self.in_included(file, first)?;
            for part in parts {
                let mut next = Vec::new();
                for entity in &found {
                    if let Entity::Symbol(symbol) = entity {
                        next.extend(self.members(*symbol, part)?.into_iter().map(Entity::Symbol));
                    }
                }
                found = next;
            }
            if !found.is_empty() {
                return Ok(found);
            }
        }
        self.nearby_file(&file.path, module)
    }

    /// The files that a file takes in, directly or through others, itself among them; sorted.
    fn included(&self, file: &FileView) -> Result<Arc<[VersionId]>> {
        if let Some(known) = self.memo.included.borrow_mut().get(&file.version) {
            return Ok(known);
        }
        let mut seen = FxHashSet::from_iter([file.version]);
        let mut pending = vec![file.version];
        while let Some(version) = pending.pop() {
            for next in self.includes(version)?.iter() {
                if seen.len() < MAX_FILES && seen.insert(*next) {
                    pending.push(*next);
                }
            }
        }
        let mut seen: Vec<VersionId> = seen.into_iter().collect();
        seen.sort_unstable();
        let seen: Arc<[VersionId]> = seen.into();
        self.memo.included.borrow_mut().insert(file.version, Arc::clone(&seen), size_of_val(&*seen));
        Ok(seen)
    }

    /// The files that a file takes in itself. Most of what a file takes in, others have taken in
    /// before.
    fn includes(&self, version: VersionId) -> Result<Arc<[VersionId]>> {
        if let Some(known) = self.memo.includes.borrow().get(&version) {
            return Ok(Arc::clone(known));
        }
        let path = self.snapshot.path_of(version).unwrap_or("");
        let mut found = Vec::new();
        for import in self.snapshot.imports(version)?.iter().filter(|import| import.name.is_none()) {
            found.extend(self.file_near(path, &import.module)?);
        }
        let found: Arc<[VersionId]> = found.into();
        self.memo.includes.borrow_mut().insert(version, Arc::clone(&found));
        Ok(found)
    }

    /// Definitions of `name` at the top of a file or of one that it takes in; its own, if it has
    /// any.
    pub(in crate::resolve) fn in_included(&self, file: &FileView, name: &str) -> Result<Vec<Entity>> {
        let named = self.named(name)?;
        if named.is_empty() {
            return Ok(Vec::new());
        }
        let files = self.included(file)?;
        let mut found = Vec::new();
        for symbol in named.iter().filter(|symbol| files.binary_search(&symbol.version).is_ok()) {
            let outline = self.snapshot.outline(symbol.version)?;
            if is_at_top(&outline, symbol.ordinal) {
                found.push(*symbol);
            }
        }
        let own: Vec<Symbol> = found.iter().filter(|symbol| symbol.version == file.version).copied().collect();
        let has_body = |symbol: &Symbol| file.definitions().get(symbol.ordinal as usize).is_some_and(has_body);
        let found = if own.iter().any(has_body) { own } else { found };
        Ok(found.into_iter().map(Entity::Symbol).collect())
    }
}

/// True for all but a declaration of what is defined elsewhere.
pub(in crate::resolve) fn has_body(definition: &Definition) -> bool {
    !definition.modifiers.contains("declare")
}

/// Returns whether a name is seen at the top of its file. The values of an enumeration and types in
/// types are; members are not.
fn is_at_top(outline: &Outline, ordinal: u32) -> bool {
    let Some(definition) = outline.definitions.get(ordinal as usize) else { return false };
    let is_member = matches!(definition.kind, Kind::Method | Kind::Field | Kind::Constructor | Kind::Property);
    match definition.parent.and_then(|parent| outline.definitions.get(parent as usize)) {
        None => definition.kind != Kind::Impl && !is_member,
        Some(around) => definition.kind == Kind::Variant && around.parent.is_none(),
    }
}
