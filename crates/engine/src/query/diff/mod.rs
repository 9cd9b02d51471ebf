//! Symbols that changed between two views: added, modified, deleted, moved, renamed.
//!
//! Only files whose content differs are looked at (`files.rs`). Definitions are paired within a
//! file by qualified name, kind and signature; what is left over is paired across names and files
//! by its text and its users (`pairing.rs`). A type is modified when something of its own changed,
//! not when only a member did.

mod files;
mod pairing;
mod tokens;
mod users;

use std::collections::HashMap;
use std::sync::Arc;

use codecompass_syntax::facts::{Definition, Kind};

use crate::config::IndexConfig;
use crate::error::Result;
use crate::model::VersionId;
use crate::query::diff::files::FilePair;
use crate::query::files::current_text::current_text;
use crate::query::hit::Hit;
use crate::query::open_file::OpenFile;
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
    /// The reason to take the two for one; only where name, container or file differ.
    pub evidence: Option<PairingEvidence>,
    /// The symbol around it changed in the same way, so that this goes without saying.
    pub is_implied: bool,
}

/// A reason to take two definitions with different names, or in different places, for one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum PairingEvidence {
    /// Their texts are the same but for the name.
    Identical,
    /// Their texts have this share of tokens in common.
    SimilarText(f64),
    /// The one is used where the other was, and both use the same names, by this share.
    SameUsers(f64),
    /// They are types with this share of members in common.
    SameMembers(f64),
    /// They have the same name in a container that was renamed or moved.
    SameContainer,
}

impl PairingEvidence {
    /// The word used in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            PairingEvidence::Identical => "identical",
            PairingEvidence::SimilarText(_) => "similar_text",
            PairingEvidence::SameUsers(_) => "same_users",
            PairingEvidence::SameMembers(_) => "same_members",
            PairingEvidence::SameContainer => "same_container",
        }
    }

    /// The similarity, from 0 to 1, where it is a matter of degree.
    pub fn similarity(self) -> Option<f64> {
        match self {
            PairingEvidence::SimilarText(share)
            | PairingEvidence::SameUsers(share)
            | PairingEvidence::SameMembers(share) => Some(share),
            PairingEvidence::Identical | PairingEvidence::SameContainer => None,
        }
    }
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
    let mut texts = SideTexts { before, after, config, known: HashMap::new() };
    let pairs = files::changed_files(&mut texts)?;
    let mut answer = DiffAnswer::default();
    let mut left = Leftovers::default();
    let mut changes = Vec::new();
    for (number, pair) in pairs.iter().enumerate() {
        answer.files.push(pair.change());
        changes.extend(compare_file(&texts, number, pair, &mut left)?);
    }
    changes.extend(pairing::pair_leftovers(left, &mut texts, &pairs)?);
    answer.symbols = finish(before, after, changes);
    Ok(answer)
}

/// Texts of files of both sides, each read once.
struct SideTexts<'a> {
    before: Side<'a>,
    after: Side<'a>,
    config: &'a IndexConfig,
    known: HashMap<(bool, VersionId), Option<Arc<str>>>,
}

impl SideTexts<'_> {
    fn text(&mut self, is_after: bool, version: VersionId) -> Option<Arc<str>> {
        let (side, config) = (if is_after { self.after } else { self.before }, self.config);
        let read = || {
            let path = side.snapshot.path_of(version)?;
            current_text(side.snapshot, side.source, config, path).ok()
        };
        self.known.entry((is_after, version)).or_insert_with(read).clone()
    }
}

/// A change of a symbol, before its hits are made.
struct Change {
    kind: ChangeKind,
    before: Option<VersionedDefinition>,
    after: Option<VersionedDefinition>,
    evidence: Option<PairingEvidence>,
    /// Its container is paired with the other's container, so that this goes without saying.
    is_implied: bool,
}

/// A definition on one side: its file and its number there.
#[derive(Clone)]
struct VersionedDefinition {
    version: VersionId,
    path: Arc<str>,
    /// The number of its pair of files.
    file: usize,
    ordinal: u32,
    definition: Definition,
}

impl VersionedDefinition {
    fn name(&self) -> String {
        self.definition.qualified_name.clone()
    }
}

/// Definitions that have no partner in their own file.
#[derive(Default)]
struct Leftovers {
    deleted: Vec<VersionedDefinition>,
    added: Vec<VersionedDefinition>,
}

/// Pairs definitions of a file with their namesakes on the other side; the others are left over.
fn compare_file(texts: &SideTexts<'_>, number: usize, pair: &FilePair, left: &mut Leftovers) -> Result<Vec<Change>> {
    let mut old = definitions(texts.before.snapshot, &pair.before, number)?;
    let mut new = definitions(texts.after.snapshot, &pair.after, number)?;
    let change = |kind, (before, after)| {
        let evidence = (kind == ChangeKind::Moved).then_some(PairingEvidence::Identical);
        Change { kind, before: Some(before), after: Some(after), evidence, is_implied: false }
    };
    let full = |d: &Definition| (d.qualified_name.clone(), d.kind, d.signature.clone(), d.body_hash);
    let same = matched(&mut old, &mut new, full);
    let is_renamed = pair.change().kind == ChangeKind::Renamed;
    let moved = same.into_iter().filter(|_| is_renamed).map(|pair| change(ChangeKind::Moved, pair));
    let mut changes: Vec<Change> = moved.collect();
    let declared = |d: &Definition| (d.qualified_name.clone(), d.kind, d.signature.clone());
    let named = |d: &Definition| (d.qualified_name.clone(), d.kind);
    let mut modified = matched(&mut old, &mut new, declared);
    modified.extend(matched(&mut old, &mut new, named));
    changes.extend(modified.into_iter().map(|pair| change(ChangeKind::Modified, pair)));
    left.deleted.extend(old);
    left.added.extend(new);
    Ok(changes)
}

fn finish(before: Side<'_>, after: Side<'_>, changes: Vec<Change>) -> Vec<SymbolChange> {
    let mut kinds: HashMap<(bool, VersionId, u32), ChangeKind> = HashMap::new();
    for Change { kind, before: old, after: new, .. } in &changes {
        kinds.extend(old.iter().map(|found| ((false, found.version, found.ordinal), *kind)));
        kinds.extend(new.iter().map(|found| ((true, found.version, found.ordinal), *kind)));
    }
    let mut holders: std::collections::HashSet<(bool, VersionId, u32)> = std::collections::HashSet::new();
    let parent =
        |is_after: bool, found: &VersionedDefinition| found.definition.parent.map(|p| (is_after, found.version, p));
    for Change { before: old, after: new, .. } in &changes {
        holders.extend(old.iter().filter_map(|found| parent(false, found)));
        holders.extend(new.iter().filter_map(|found| parent(true, found)));
    }
    let mut symbols = Vec::with_capacity(changes.len());
    for Change { kind, before: old, after: new, evidence, is_implied } in changes {
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
        let is_implied =
            is_implied || kind != ChangeKind::Modified && (implied_by(true, &new) || implied_by(false, &old));
        let hit = |side: Side<'_>, found: Option<VersionedDefinition>| {
            let found = found?;
            let file = OpenFile::open(side.snapshot, found.version).ok().flatten()?;
            file.symbol_hit(found.ordinal)
        };
        symbols.push(SymbolChange { kind, before: hit(before, old), after: hit(after, new), evidence, is_implied });
    }
    symbols.sort_by_key(|change| {
        let hit = change.after.as_ref().or(change.before.as_ref());
        hit.map(|hit| (hit.path.clone(), hit.line_start, hit.line_end, change.kind))
    });
    symbols
}

fn definitions(
    snapshot: &Snapshot,
    file: &Option<(String, VersionId)>,
    number: usize,
) -> Result<Vec<VersionedDefinition>> {
    let Some((path, version)) = file else { return Ok(Vec::new()) };
    let path: Arc<str> = path.as_str().into();
    let outline = snapshot.outline(*version)?;
    let is_symbol = |definition: &Definition| definition.kind != Kind::Impl && !definition.kind.is_outline_only();
    let found = outline.definitions.iter().enumerate().filter(|(_, definition)| is_symbol(definition));
    let found = found.map(|(ordinal, definition)| VersionedDefinition {
        version: *version,
        path: path.clone(),
        file: number,
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
