//! Symbols that changed between two views: added, modified, deleted, moved, renamed.
//!
//! Only files whose content differs are looked at. Definitions are paired within a file by
//! qualified name, kind and signature; what is left over is paired across files: the same body
//! elsewhere is a move, the same body but for the name is a rename. A type is modified when
//! something of its own changed, not when only a member did.

use std::collections::HashMap;
use std::sync::Arc;

use codecompass_syntax::facts::{Definition, Kind};

use crate::config::IndexConfig;
use crate::error::Result;
use crate::model::VersionId;
use crate::query::hit::Hit;
use crate::query::open_file::OpenFile;
use crate::query::symbols::source_text;
use crate::scan::Source;
use crate::store::Snapshot;

/// One side of a comparison.
#[derive(Clone, Copy)]
pub struct Side<'a> {
    /// The index of this side.
    pub snapshot: &'a Snapshot,
    /// The source that its texts are read from.
    pub source: &'a Source,
}

/// Kinds of change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ChangeKind {
    /// Only the later side has it.
    Added,
    /// Both have it, and it differs.
    Modified,
    /// Only the earlier side has it.
    Deleted,
    /// It is somewhere else now.
    Moved,
    /// It has another name now.
    Renamed,
}

impl ChangeKind {
    /// The word used in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            ChangeKind::Added => "added",
            ChangeKind::Modified => "modified",
            ChangeKind::Deleted => "deleted",
            ChangeKind::Moved => "moved",
            ChangeKind::Renamed => "renamed",
        }
    }
}

/// A file that differs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileChange {
    /// The kind of change.
    pub kind: ChangeKind,
    /// Its path, on the later side unless it was deleted.
    pub path: String,
    /// Its path on the earlier side where that differs.
    pub path_before: Option<String>,
}

/// A symbol that differs.
#[derive(Clone, Debug, PartialEq)]
pub struct SymbolChange {
    /// The kind of change.
    pub kind: ChangeKind,
    /// As it was.
    pub before: Option<Hit>,
    /// As it is.
    pub after: Option<Hit>,
    /// The symbol around it changed in the same way, so that this goes without saying.
    pub is_implied: bool,
}

/// The changes between two views, both lists in the order of paths and lines.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DiffAnswer {
    /// Files.
    pub files: Vec<FileChange>,
    /// Symbols.
    pub symbols: Vec<SymbolChange>,
}

/// Compares two views.
pub fn diff(before: Side<'_>, after: Side<'_>, config: &IndexConfig) -> Result<DiffAnswer> {
    let pairs = changed_files(before.snapshot, after.snapshot)?;
    let mut work = Comparison { before, after, config, texts: HashMap::new(), changes: Vec::new() };
    let mut answer = DiffAnswer::default();
    let mut left = Leftovers::default();
    for pair in &pairs {
        answer.files.push(pair.change());
        work.compare(pair, &mut left)?;
    }
    work.pair_leftovers(left)?;
    answer.symbols = work.finish();
    Ok(answer)
}

/// A file on both sides, or on one.
struct FilePair {
    before: Option<(String, VersionId)>,
    after: Option<(String, VersionId)>,
}

impl FilePair {
    fn change(&self) -> FileChange {
        let path = |side: &Option<(String, VersionId)>| side.as_ref().map(|(path, _)| path.clone());
        let (old, new) = (path(&self.before), path(&self.after));
        let kind = match (&old, &new) {
            (None, _) => ChangeKind::Added,
            (_, None) => ChangeKind::Deleted,
            (old, new) if old == new => ChangeKind::Modified,
            _ => ChangeKind::Renamed,
        };
        let path_before = if kind == ChangeKind::Renamed { old.clone() } else { None };
        FileChange { kind, path: new.or(old).unwrap_or_default(), path_before }
    }
}

/// The share of equal definitions that makes two files the same file under another name.
const SAME_FILE_SHARE: f64 = 0.5;
/// More files on either side than this are not compared with each other to find renames.
const MAX_RENAME_FILES: usize = 400;

fn changed_files(before: &Snapshot, after: &Snapshot) -> Result<Vec<FilePair>> {
    let mut old: HashMap<String, (VersionId, Vec<u8>)> =
        before.contents()?.into_iter().map(|(path, version, content)| (path, (version, content))).collect();
    let mut pairs = Vec::new();
    let mut added = Vec::new();
    for (path, version, content) in after.contents()? {
        match old.remove(&path) {
            Some((_, known)) if known == content => {}
            Some((known, _)) => {
                pairs.push(FilePair { before: Some((path.clone(), known)), after: Some((path, version)) })
            }
            None => added.push((path, version, content)),
        }
    }
    let mut deleted: Vec<_> = old.into_iter().map(|(path, (version, content))| (path, version, content)).collect();
    deleted.sort();
    // The same content elsewhere first, then the most alike.
    added.retain(|(path, version, content)| match deleted.iter().position(|(_, _, other)| other == content) {
        Some(at) => {
            let (old_path, old_version, _) = deleted.remove(at);
            pairs.push(FilePair { before: Some((old_path, old_version)), after: Some((path.clone(), *version)) });
            false
        }
        None => true,
    });
    if added.len() <= MAX_RENAME_FILES && deleted.len() <= MAX_RENAME_FILES {
        pair_similar(before, after, &mut deleted, &mut added, &mut pairs)?;
    }
    pairs.extend(added.into_iter().map(|(path, version, _)| FilePair { before: None, after: Some((path, version)) }));
    pairs.extend(deleted.into_iter().map(|(path, version, _)| FilePair { before: Some((path, version)), after: None }));
    pairs.sort_by_key(|pair| pair.change().path);
    Ok(pairs)
}

type UnpairedFile = (String, VersionId, Vec<u8>);

fn pair_similar(
    before: &Snapshot,
    after: &Snapshot,
    deleted: &mut Vec<UnpairedFile>,
    added: &mut Vec<UnpairedFile>,
    pairs: &mut Vec<FilePair>,
) -> Result<()> {
    let bodies = |snapshot: &Snapshot, version: VersionId| -> Result<Vec<u64>> {
        let mut hashes: Vec<u64> = snapshot.outline(version)?.definitions.iter().map(|d| d.body_hash).collect();
        hashes.sort_unstable();
        Ok(hashes)
    };
    let old: Vec<Vec<u64>> = deleted.iter().map(|(_, version, _)| bodies(before, *version)).collect::<Result<_>>()?;
    let mut scored = Vec::new();
    for (new_at, (_, version, _)) in added.iter().enumerate() {
        let new = bodies(after, *version)?;
        for (old_at, old) in old.iter().enumerate() {
            let shared = new.iter().filter(|hash| old.binary_search(hash).is_ok()).count();
            let share = shared as f64 / new.len().max(old.len()).max(1) as f64;
            if share >= SAME_FILE_SHARE {
                scored.push((share, old_at, new_at));
            }
        }
    }
    scored.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| (a.1, a.2).cmp(&(b.1, b.2))));
    let (mut taken_old, mut taken_new) = (vec![false; deleted.len()], vec![false; added.len()]);
    for (_, old_at, new_at) in scored {
        if !taken_old[old_at] && !taken_new[new_at] {
            (taken_old[old_at], taken_new[new_at]) = (true, true);
            let place = |listed: &UnpairedFile| Some((listed.0.clone(), listed.1));
            pairs.push(FilePair { before: place(&deleted[old_at]), after: place(&added[new_at]) });
        }
    }
    let mut at = 0..;
    deleted.retain(|_| !taken_old[at.next().unwrap_or(0)]);
    let mut at = 0..;
    added.retain(|_| !taken_new[at.next().unwrap_or(0)]);
    Ok(())
}

/// A definition on one side: its file and its number there.
#[derive(Clone)]
struct VersionedDefinition {
    version: VersionId,
    ordinal: u32,
    definition: Definition,
}

/// Definitions that have no partner in their own file.
#[derive(Default)]
struct Leftovers {
    deleted: Vec<VersionedDefinition>,
    added: Vec<VersionedDefinition>,
}

struct Comparison<'a> {
    before: Side<'a>,
    after: Side<'a>,
    config: &'a IndexConfig,
    texts: HashMap<(bool, VersionId), Option<Arc<str>>>,
    changes: Vec<(ChangeKind, Option<VersionedDefinition>, Option<VersionedDefinition>)>,
}

impl Comparison<'_> {
    fn compare(&mut self, pair: &FilePair, left: &mut Leftovers) -> Result<()> {
        let mut old = definitions(self.before.snapshot, &pair.before)?;
        let mut new = definitions(self.after.snapshot, &pair.after)?;
        let is_renamed = pair.change().kind == ChangeKind::Renamed;
        let full = |d: &Definition| (d.qualified_name.clone(), d.kind, d.signature.clone(), d.body_hash);
        for (a, b) in matched(&mut old, &mut new, full) {
            if is_renamed {
                self.changes.push((ChangeKind::Moved, Some(a), Some(b)));
            }
        }
        let declared = |d: &Definition| (d.qualified_name.clone(), d.kind, d.signature.clone());
        let named = |d: &Definition| (d.qualified_name.clone(), d.kind);
        let mut modified = matched(&mut old, &mut new, declared);
        modified.extend(matched(&mut old, &mut new, named));
        self.changes.extend(modified.into_iter().map(|(a, b)| (ChangeKind::Modified, Some(a), Some(b))));
        left.deleted.extend(old);
        left.added.extend(new);
        Ok(())
    }

    fn pair_leftovers(&mut self, left: Leftovers) -> Result<()> {
        let Leftovers { mut deleted, mut added } = left;
        let moved = matched(&mut deleted, &mut added, |d| (d.name.clone(), d.kind, d.body_hash));
        self.changes.extend(moved.into_iter().map(|(a, b)| (ChangeKind::Moved, Some(a), Some(b))));
        let moved = matched(&mut deleted, &mut added, |d| (d.qualified_name.clone(), d.kind, d.signature.clone()));
        self.changes.extend(moved.into_iter().map(|(a, b)| (ChangeKind::Moved, Some(a), Some(b))));
        let mut by_body: HashMap<u64, Vec<VersionedDefinition>> = HashMap::new();
        for found in deleted {
            let key = self.nameless_body(false, &found)?;
            by_body.entry(key).or_default().push(found);
        }
        for found in added {
            let key = self.nameless_body(true, &found)?;
            let kind = found.definition.kind;
            let partners = by_body.get_mut(&key).filter(|_| key != 0);
            let at = partners.as_ref().and_then(|partners| partners.iter().position(|p| p.definition.kind == kind));
            let before = partners.zip(at).map(|(partners, at)| partners.remove(at));
            let change = if before.is_some() { ChangeKind::Renamed } else { ChangeKind::Added };
            self.changes.push((change, before, Some(found)));
        }
        let mut gone: Vec<VersionedDefinition> = by_body.into_values().flatten().collect();
        gone.sort_by_key(|found| (found.version, found.ordinal));
        self.changes.extend(gone.into_iter().map(|found| (ChangeKind::Deleted, Some(found), None)));
        Ok(())
    }

    /// A hash of a definition's text in which its own name does not count; 0 for what is too short
    /// to tell.
    fn nameless_body(&mut self, is_after: bool, found: &VersionedDefinition) -> Result<u64> {
        let definition = &found.definition;
        if definition.span.end_line <= definition.span.start_line + 1 {
            return Ok(0);
        }
        let (side, config) = (if is_after { self.after } else { self.before }, self.config);
        let text = self.texts.entry((is_after, found.version)).or_insert_with(|| {
            let path = side.snapshot.path_of(found.version)?;
            source_text::current_text(side.snapshot, side.source, config, path).ok()
        });
        let range = definition.span.start_byte as usize..definition.span.end_byte as usize;
        let Some(body) = text.as_deref().and_then(|text| text.get(range)) else { return Ok(0) };
        let mut hasher = blake3::Hasher::new();
        let is_part = |c: char| c.is_alphanumeric() || c == '_';
        for line in body.lines().map(str::trim).filter(|line| !line.is_empty()) {
            for word in line.split_inclusive(|c: char| !is_part(c)) {
                let bare = word.trim_end_matches(|c: char| !is_part(c));
                if bare == definition.name {
                    hasher.update(b"\0").update(&word.as_bytes()[bare.len()..]);
                } else {
                    hasher.update(word.as_bytes());
                }
            }
            hasher.update(b"\n");
        }
        let mut first = [0; 8];
        first.copy_from_slice(&hasher.finalize().as_bytes()[..8]);
        Ok(u64::from_le_bytes(first).max(1))
    }

    fn finish(self) -> Vec<SymbolChange> {
        let Comparison { before, after, changes, .. } = self;
        let mut kinds: HashMap<(bool, VersionId, u32), ChangeKind> = HashMap::new();
        for (kind, old, new) in &changes {
            kinds.extend(old.iter().map(|found| ((false, found.version, found.ordinal), *kind)));
            kinds.extend(new.iter().map(|found| ((true, found.version, found.ordinal), *kind)));
        }
        let mut holders: std::collections::HashSet<(bool, VersionId, u32)> = std::collections::HashSet::new();
        let parent =
            |is_after: bool, found: &VersionedDefinition| found.definition.parent.map(|p| (is_after, found.version, p));
        for (_, old, new) in &changes {
            holders.extend(old.iter().filter_map(|found| parent(false, found)));
            holders.extend(new.iter().filter_map(|found| parent(true, found)));
        }
        let mut symbols = Vec::with_capacity(changes.len());
        for (kind, old, new) in changes {
            let holds_change = |is_after: bool, found: &Option<VersionedDefinition>| {
                found.as_ref().is_some_and(|found| holders.contains(&(is_after, found.version, found.ordinal)))
            };
            let same_head = old.as_ref().zip(new.as_ref()).is_some_and(|(a, b)| {
                a.definition.signature == b.definition.signature && a.definition.doc == b.definition.doc
            });
            // Only its members changed, and they speak for themselves.
            if kind == ChangeKind::Modified && same_head && (holds_change(false, &old) || holds_change(true, &new)) {
                continue;
            }
            let implied_by = |is_after: bool, found: &Option<VersionedDefinition>| {
                let key = found.as_ref().and_then(|found| parent(is_after, found));
                key.is_some_and(|key| kinds.get(&key) == Some(&kind))
            };
            let is_implied = kind != ChangeKind::Modified && (implied_by(true, &new) || implied_by(false, &old));
            let hit = |side: Side<'_>, found: Option<VersionedDefinition>| {
                let found = found?;
                let file = OpenFile::open(side.snapshot, found.version).ok().flatten()?;
                file.symbol_hit(found.ordinal)
            };
            symbols.push(SymbolChange { kind, before: hit(before, old), after: hit(after, new), is_implied });
        }
        symbols.sort_by_key(|change| {
            let hit = change.after.as_ref().or(change.before.as_ref());
            hit.map(|hit| (hit.path.clone(), hit.line_start, hit.line_end, change.kind))
        });
        symbols
    }
}

fn definitions(snapshot: &Snapshot, file: &Option<(String, VersionId)>) -> Result<Vec<VersionedDefinition>> {
    let Some((_, version)) = file else { return Ok(Vec::new()) };
    let outline = snapshot.outline(*version)?;
    let is_symbol = |definition: &Definition| definition.kind != Kind::Impl && !definition.kind.is_outline_only();
    let found = outline.definitions.iter().enumerate().filter(|(_, definition)| is_symbol(definition));
    let found = found.map(|(ordinal, definition)| VersionedDefinition {
        version: *version,
        ordinal: ordinal as u32,
        definition: definition.clone(),
    });
    Ok(found.collect())
}

/// Takes out the definitions that have the same key on both sides, in order.
fn matched<K: std::hash::Hash + Eq>(
    old: &mut Vec<VersionedDefinition>,
    new: &mut Vec<VersionedDefinition>,
    key: impl Fn(&Definition) -> K,
) -> Vec<(VersionedDefinition, VersionedDefinition)> {
    let mut by_key: HashMap<K, std::collections::VecDeque<usize>> = HashMap::new();
    for (at, found) in new.iter().enumerate() {
        by_key.entry(key(&found.definition)).or_default().push_back(at);
    }
    let mut pairs = Vec::new();
    let mut taken = vec![false; new.len()];
    old.retain(|found| match by_key.get_mut(&key(&found.definition)).and_then(|queue| queue.pop_front()) {
        Some(at) => {
            taken[at] = true;
            pairs.push((found.clone(), new[at].clone()));
            false
        }
        None => true,
    });
    let mut at = 0..;
    new.retain(|_| !taken[at.next().unwrap_or(0)]);
    pairs
}
