//! The header of an archive: versions, repository, views, and the list of files with their
//! checksums.

use std::collections::BTreeSet;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::store::sqlite::db;

/// The database's name in an archive.
pub(crate) const DATABASE: &str = "index.db";
/// The prefix of the names of the text index's files.
pub(crate) const TEXT: &str = "text/";
/// The folder of the vectors' files.
pub(crate) const VECTORS: &str = "vectors/";

/// The header of an archive.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ArchiveHeader {
    /// The version of the container.
    pub archive: u32,
    /// The format of the store.
    pub format: i64,
    /// The version of the facts in it.
    pub facts: i64,
    /// The version of the program that wrote it.
    pub program: String,
    /// The repository or directory that the store was made for.
    pub repository: ArchivedRepository,
    /// The checkout or directory that it was exported from; `None` for a bare repository.
    pub root: Option<String>,
    /// All views, by kind and name.
    pub views: Vec<ArchivedView>,
    /// All files, in their order.
    pub files: Vec<ArchivedFile>,
}

/// The repository or directory that a store was made for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ArchivedRepository {
    /// `git` or `directory`.
    pub kind: String,
    /// The name of its folder.
    pub name: String,
    /// Its common git directory, or the directory, on the machine that exported it.
    pub path: String,
}

/// One view.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ArchivedView {
    /// `worktree`, `commit` or `live`.
    pub kind: String,
    /// The root directory, or the commit id.
    pub name: String,
    /// The branch that was checked out.
    pub head_ref: Option<String>,
    /// The commit that was checked out.
    pub head_commit: Option<String>,
    /// The number of times it was published.
    pub generation: i64,
    /// Files with facts.
    pub files: i64,
}

/// One file of a store.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ArchivedFile {
    /// `index.db`, or `text/` or `vectors/` and a plain name.
    pub name: String,
    /// In bytes.
    pub size: u64,
    /// The checksum in hexadecimal.
    pub blake3: String,
}

impl ArchiveHeader {
    /// Returns whether this program can import it.
    pub fn is_compatible(&self) -> bool {
        (self.format, self.facts) == (db::FORMAT, db::FACTS)
    }

    /// Bytes of all files together.
    pub fn total_bytes(&self) -> u64 {
        self.files.iter().map(|file| file.size).sum()
    }

    /// Refuses a store that this program would have to convert or cannot read.
    pub(crate) fn check_versions(&self, path: &Path) -> Result<()> {
        let versions = [("format", self.format, db::FORMAT), ("facts version", self.facts, db::FACTS)];
        match versions.into_iter().find(|(_, found, supported)| found != supported) {
            Some((what, found, supported)) => {
                Err(Error::ArchiveIncompatible { path: path.to_path_buf(), what, found, supported })
            }
            None => Ok(()),
        }
    }

    /// Returns the reason why this cannot be the header of a store, if there is one.
    pub(crate) fn flaw(&self) -> Option<String> {
        let mut names = BTreeSet::new();
        for file in &self.files {
            if !is_store_file(&file.name) {
                return Some(format!("it holds `{}`, which is no file of a store", file.name.escape_debug()));
            }
            if !names.insert(file.name.as_str()) {
                return Some(format!("it holds `{}` twice", file.name));
            }
        }
        let missing = [DATABASE, "text/meta.json"].into_iter().find(|name| !names.contains(name));
        let size = self.files.iter().try_fold(0_u64, |sum, file| sum.checked_add(file.size));
        match (missing, size) {
            (Some(missing), _) => Some(format!("it lacks `{missing}`")),
            (None, None) => Some("its sizes are impossible".into()),
            (None, Some(_)) => None,
        }
    }
}

/// Returns whether a name in an archive is one that a store may have.
fn is_store_file(name: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_');
    let text = name
        .strip_prefix(TEXT)
        .is_some_and(|name| (1..=100).contains(&name.len()) && name != "." && name != ".." && name.chars().all(plain));
    let vectors = name.strip_prefix(VECTORS).and_then(|name| name.split_once('.')).is_some_and(|(number, part)| {
        (1..=10).contains(&number.len())
            && number.bytes().all(|c| c.is_ascii_digit())
            && matches!(part, "keys" | "rows")
    });
    name == DATABASE || (text && !name.ends_with(".lock")) || vectors
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_files_of_a_store_are_accepted() {
        for name in [
            "index.db",
            "text/meta.json",
            "text/.managed.json",
            "text/0123abcd.idx",
            "text/a.7.del",
            "vectors/1.keys",
            "vectors/12.rows",
        ] {
            assert!(is_store_file(name), "{name}");
        }
        for name in [
            "",
            "/etc/passwd",
            "../index.db",
            "./index.db",
            "index.db/",
            "index.db-wal",
            "text",
            "text/",
            "text/.",
            "text/..",
            "text/../index.db",
            "text/../../current",
            "text/a/b",
            "text/a\\b",
            "text//etc/passwd",
            "text/C:evil",
            "text/a\0b",
            "text/.tantivy-writer.lock",
            "TEXT/meta.json",
            "current",
            "identity",
            "vectors/1.lock",
            "vectors/x.keys",
            "vectors/.keys",
            "vectors/../1.keys",
            "vectors/1.keys/..",
        ] {
            assert!(!is_store_file(name), "{name}");
        }
        assert!(!is_store_file(&format!("text/{}", "a".repeat(101))));
    }
}
