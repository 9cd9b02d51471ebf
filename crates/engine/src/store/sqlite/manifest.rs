//! The manifest of a view: its paths, the version at each and the stat that vouches for it; in
//! memory. See `manifest_copy` for the file beside the database.

use std::cmp::Ordering;

use serde::{Deserialize, Serialize};

use crate::model::{FileStat, VersionId};

/// A path of a view: the version it has and the stat that vouches for it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ManifestEntry {
    pub path_id: i64,
    pub version: VersionId,
    /// `None` when nothing is known, so that the file must be read to know its content.
    pub stat: Option<FileStat>,
}

/// All entries of a view, sorted by path.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Manifest(pub(super) Vec<(String, ManifestEntry)>);

impl FromIterator<(String, ManifestEntry)> for Manifest {
    fn from_iter<T: IntoIterator<Item = (String, ManifestEntry)>>(entries: T) -> Manifest {
        let mut entries: Vec<_> = entries.into_iter().collect();
        entries.sort_by(|a, b| a.0.cmp(&b.0));
        Manifest(entries)
    }
}

impl Manifest {
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// In the order of paths.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&str, &ManifestEntry)> {
        self.0.iter().map(|(path, entry)| (path.as_str(), entry))
    }

    /// For who asks about paths in their order.
    pub(crate) fn in_order(&self) -> InOrder<'_> {
        InOrder { rest: &self.0 }
    }
}

/// Looks up paths that come in their order.
pub(crate) struct InOrder<'a> {
    rest: &'a [(String, ManifestEntry)],
}

impl<'a> InOrder<'a> {
    /// The entry of a path that does not come before those asked about so far.
    pub(crate) fn get(&mut self, path: &str) -> Option<&'a ManifestEntry> {
        while let Some(((first, entry), rest)) = self.rest.split_first() {
            match first.as_str().cmp(path) {
                Ordering::Less => self.rest = rest,
                Ordering::Equal => return Some(entry),
                Ordering::Greater => return None,
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lookups_in_order() {
        let entry = |number: i64| ManifestEntry { path_id: number, version: VersionId(number as u32 + 7), stat: None };
        let manifest: Manifest = (0..100).map(|number| (format!("src/file_{number}.py"), entry(number))).collect();
        assert!(manifest.iter().map(|(path, _)| path).is_sorted());
        let mut entries = manifest.in_order();
        assert!(entries.get("a").is_none() && entries.get("src/file_1").is_none());
        assert_eq!(entries.get("src/file_1.py").unwrap().path_id, 1);
        assert_eq!(entries.get("src/file_1.py").unwrap().path_id, 1, "asked again");
        assert!(entries.get("src/file_1.pyc").is_none());
        assert_eq!(entries.get("src/file_99.py").unwrap().path_id, 99);
        assert!(entries.get("zzz").is_none() && entries.get("zzz").is_none());
    }
}
