//! The entries of a folder, with what each holds.

use std::collections::BTreeMap;

use crate::error::Result;
use crate::model::SkipReason;
use crate::query::files::paths::ViewPath;
use crate::scan::SkippedPath;
use crate::store::Snapshot;
use crate::store::read::stats::FileCounts;

/// The entries of a folder, or a single file.
#[derive(Clone, Debug, PartialEq)]
pub struct FolderAnswer {
    /// The folder, relative to the root, which is the empty path; or the file.
    pub path: String,
    /// Sums over everything in it.
    pub totals: FolderTotals,
    /// Its entries, each folder followed by its own: folders first, then files, by name.
    pub entries: Vec<FolderEntry>,
}

/// One file or folder.
#[derive(Clone, Debug, PartialEq)]
pub struct FolderEntry {
    /// Relative to the root. A folder that holds nothing but another folder is joined with it.
    pub path: String,
    /// The number of folders between it and the folder asked about, joined ones counted once.
    pub depth: u32,
    /// True for a folder.
    pub is_folder: bool,
    /// The reason why it is not indexed, or has no facts.
    pub skip: Option<String>,
    /// Sums over everything in it; of a file, what it has itself.
    pub totals: FolderTotals,
}

/// Sums over the files of a folder.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FolderTotals {
    /// Files of the view.
    pub files: usize,
    /// Bytes in them.
    pub bytes: u64,
    /// Lines in those that are text.
    pub lines: u64,
    /// Definitions.
    pub symbols: u64,
    /// Languages and their numbers of files, most files first.
    pub languages: Vec<(String, usize)>,
}

/// A file with what it holds, or something that is not indexed.
struct Counted<'view> {
    path: &'view str,
    counts: FileCounts,
    is_indexed: bool,
    is_folder: bool,
}

/// Lists a folder to a depth; 1 gives its own entries. `unindexed` is what is there beside the
/// files of the view.
pub fn list(snapshot: &Snapshot, path: &ViewPath, depth: u32, unindexed: &[SkippedPath]) -> Result<FolderAnswer> {
    let (path, files, length) = match path {
        ViewPath::Folder(folder) if folder.is_empty() => (folder, snapshot.files(), 0),
        ViewPath::Folder(folder) => (folder, snapshot.files_below(folder), folder.len() + 1),
        ViewPath::File(file) => {
            let files = snapshot.files();
            let at = files.partition_point(|(known, _)| known < file);
            (file, &files[at..files.len().min(at + 1)], file.rfind('/').map_or(0, |at| at + 1))
        }
    };
    let counts = snapshot.file_counts(files)?;
    let indexed = files.iter().zip(counts).map(|((path, _), counts)| Counted {
        path,
        counts,
        is_indexed: true,
        is_folder: false,
    });
    let others = unindexed.iter().map(|skipped| Counted {
        path: &skipped.path,
        counts: FileCounts { skip: Some(words(&skipped.reason)), ..FileCounts::default() },
        is_indexed: false,
        is_folder: skipped.is_dir,
    });
    let mut all: Vec<Counted<'_>> = indexed.chain(others).collect();
    all.sort_by_key(|file| file.path);
    // A folder that is skipped may still hold files that git tracks.
    all.dedup_by(|next, before| {
        before.is_folder && folder_end(next.path, before.path.len()) == Some(before.path.len() + 1) && {
            std::mem::swap(next, before);
            true
        }
    });
    let mut entries = Vec::new();
    add_entries(&all, length, 0, depth, &mut entries);
    Ok(FolderAnswer { path: path.clone(), totals: totals(&all), entries })
}

fn words(reason: &SkipReason) -> String {
    match reason {
        SkipReason::BuiltIn(rule) => rule.to_string(),
        reason => reason.code().to_string(),
    }
}

/// Adds the entries of the folder whose path, with its last `/`, has `length` bytes.
fn add_entries(files: &[Counted<'_>], length: usize, depth: u32, most: u32, entries: &mut Vec<FolderEntry>) {
    let mut rest = files;
    let mut own = Vec::new();
    while let Some(first) = rest.first() {
        let Some(end) = folder_end(first.path, length) else {
            let group = if first.is_folder { &mut *entries } else { &mut own };
            group.push(file_entry(first, depth));
            rest = &rest[1..];
            continue;
        };
        let count = rest.partition_point(|file| file.path.get(..end) == first.path.get(..end));
        let (inside, behind) = rest.split_at(count);
        rest = behind;
        let end = joined_end(inside, end);
        entries.push(FolderEntry {
            path: first.path[..end - 1].to_string(),
            depth,
            is_folder: true,
            skip: None,
            totals: totals(inside),
        });
        if depth + 1 < most {
            add_entries(inside, end, depth + 1, most, entries);
        }
    }
    entries.append(&mut own);
}

/// Returns the end of the first folder behind `length` bytes of a path, with its `/`.
fn folder_end(path: &str, length: usize) -> Option<usize> {
    path.get(length..)?.find('/').map(|at| length + at + 1)
}

/// Returns the end of the deepest folder that holds all the files, if none of them lies above it.
fn joined_end(files: &[Counted<'_>], mut end: usize) -> usize {
    let Some((first, last)) = files.first().zip(files.last()) else { return end };
    // Paths are in order: what the first and the last have in common, all have.
    while let Some(deeper) = folder_end(first.path, end)
        && last.path.get(..deeper) == first.path.get(..deeper)
    {
        end = deeper;
    }
    end
}

fn file_entry(file: &Counted<'_>, depth: u32) -> FolderEntry {
    FolderEntry {
        path: file.path.to_string(),
        depth,
        is_folder: file.is_folder,
        skip: file.counts.skip.clone(),
        totals: totals(std::slice::from_ref(file)),
    }
}

fn totals(files: &[Counted<'_>]) -> FolderTotals {
    let mut totals = FolderTotals::default();
    let mut languages: BTreeMap<&str, usize> = BTreeMap::new();
    for file in files.iter().filter(|file| file.is_indexed) {
        totals.files += 1;
        totals.bytes += file.counts.bytes;
        totals.lines += u64::from(file.counts.lines);
        totals.symbols += u64::from(file.counts.symbols);
        if let Some(language) = &file.counts.language {
            *languages.entry(language).or_default() += 1;
        }
    }
    totals.languages = languages.into_iter().map(|(language, files)| (language.to_string(), files)).collect();
    totals.languages.sort_by_key(|(_, files)| std::cmp::Reverse(*files));
    totals
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_come_first_and_chains_are_joined() {
        let paths = ["a/b/c/one.rs", "a/b/c/two.rs", "b-c/x.rs", "b/x.rs", "b/y/z.rs", "top.rs"];
        let counted =
            |path: &&'static str| Counted { path, counts: FileCounts::default(), is_indexed: true, is_folder: false };
        let files: Vec<Counted<'_>> = paths.iter().map(counted).collect();
        let shown = |depth: u32| {
            let mut entries = Vec::new();
            add_entries(&files, 0, 0, depth, &mut entries);
            let shown = entries.iter().map(|entry| format!("{}{}", "  ".repeat(entry.depth as usize), entry.path));
            shown.collect::<Vec<_>>()
        };
        assert_eq!(shown(1), ["a/b/c", "b-c", "b", "top.rs"]);
        assert_eq!(
            shown(2),
            ["a/b/c", "  a/b/c/one.rs", "  a/b/c/two.rs", "b-c", "  b-c/x.rs", "b", "  b/y", "  b/x.rs", "top.rs"]
        );
        assert_eq!(shown(9).len(), 10);
    }
}
