//! Files that differ between two views, with those that have another path now.

use std::collections::HashMap;

use super::{ChangeKind, FileChange, SideTexts};
use crate::content_pieces::ContentPieces;
use crate::error::Result;
use crate::model::VersionId;
use crate::store::Snapshot;

/// The share of equal text, or of equal definitions, that makes two files the same file under
/// another path: git's default for renames.
const SAME_FILE_SHARE: f64 = 0.5;
/// More files on either side than this are not compared with each other to find renames: git's
/// default limit is of the same size.
const MAX_RENAME_FILES: usize = 400;

/// A file on both sides, or on one.
pub(super) struct FilePair {
    pub(super) before: Option<(String, VersionId)>,
    pub(super) after: Option<(String, VersionId)>,
}

impl FilePair {
    pub(super) fn change(&self) -> FileChange {
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

/// A file that only one side has under its path: path, version, content.
type UnpairedFile = (String, VersionId, Vec<u8>);

/// Returns the files that differ, in the order of their paths.
pub(super) fn changed_files(texts: &mut SideTexts<'_>) -> Result<Vec<FilePair>> {
    let (before, after) = (texts.before.snapshot, texts.after.snapshot);
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
    added.retain(|(path, version, content)| {
        let same = |(_, _, other): &UnpairedFile| other == content;
        let named = |(other, _, _): &UnpairedFile| file_name(other) == file_name(path);
        let at = deleted.iter().position(|file| same(file) && named(file));
        match at.or_else(|| deleted.iter().position(same)) {
            Some(at) => {
                let (old_path, old_version, _) = deleted.remove(at);
                pairs.push(FilePair { before: Some((old_path, old_version)), after: Some((path.clone(), *version)) });
                false
            }
            None => true,
        }
    });
    if added.len() <= MAX_RENAME_FILES && deleted.len() <= MAX_RENAME_FILES {
        pair_similar(texts, &mut deleted, &mut added, &mut pairs)?;
    }
    pairs.extend(added.into_iter().map(|(path, version, _)| FilePair { before: None, after: Some((path, version)) }));
    pairs.extend(deleted.into_iter().map(|(path, version, _)| FilePair { before: Some((path, version)), after: None }));
    pairs.sort_by_key(|pair| pair.change().path);
    Ok(pairs)
}

/// The properties of a file by which it is found under another path.
struct FileShape {
    pieces: ContentPieces,
    bytes: u64,
    /// Hashes of its definitions, sorted.
    bodies: Vec<u64>,
}

impl FileShape {
    fn new(snapshot: &Snapshot, version: VersionId, text: Option<&str>) -> Result<FileShape> {
        let mut bodies: Vec<u64> = snapshot.outline(version)?.definitions.iter().map(|d| d.body_hash).collect();
        bodies.sort_unstable();
        let text = text.unwrap_or_default().as_bytes();
        Ok(FileShape { pieces: ContentPieces::new(text, true), bytes: text.len() as u64, bodies })
    }

    /// The share of the text, or of the definitions, that both have.
    fn share(&self, other: &FileShape) -> f64 {
        let shared = self.bodies.iter().filter(|hash| other.bodies.binary_search(hash).is_ok()).count();
        let bodies = shared as f64 / self.bodies.len().max(other.bodies.len()).max(1) as f64;
        let (small, large) = (self.bytes.min(other.bytes), self.bytes.max(other.bytes));
        if large == 0 || (small as f64) < SAME_FILE_SHARE * large as f64 {
            return bodies;
        }
        bodies.max(self.pieces.common_bytes(&other.pieces) as f64 / large as f64)
    }
}

fn pair_similar(
    texts: &mut SideTexts<'_>,
    deleted: &mut Vec<UnpairedFile>,
    added: &mut Vec<UnpairedFile>,
    pairs: &mut Vec<FilePair>,
) -> Result<()> {
    if deleted.is_empty() || added.is_empty() {
        return Ok(());
    }
    let mut shape = |is_after: bool, version: VersionId| {
        let snapshot = if is_after { texts.after.snapshot } else { texts.before.snapshot };
        FileShape::new(snapshot, version, texts.text(is_after, version).as_deref())
    };
    let old: Vec<FileShape> = deleted.iter().map(|file| shape(false, file.1)).collect::<Result<_>>()?;
    let mut scored = Vec::new();
    for (new_at, (path, version, _)) in added.iter().enumerate() {
        let new = shape(true, *version)?;
        for (old_at, old) in old.iter().enumerate() {
            let share = new.share(old);
            if share >= SAME_FILE_SHARE {
                scored.push((share, file_name(path) != file_name(&deleted[old_at].0), old_at, new_at));
            }
        }
    }
    scored.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| (a.1, a.2, a.3).cmp(&(b.1, b.2, b.3))));
    let (mut taken_old, mut taken_new) = (vec![false; deleted.len()], vec![false; added.len()]);
    for (_, _, old_at, new_at) in scored {
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

fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}
