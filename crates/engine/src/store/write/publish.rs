//! The publish of a view: its next manifest becomes the one that readers see.

use std::collections::HashSet;

use crate::error::Result;
use crate::model::{FileStat, Head, OversizedFile, VersionId, ViewId};
use crate::store::sqlite::manifest::{Manifest, ManifestEntry};
use crate::store::sqlite::manifest_copy::{CachedManifest, ManifestId};
use crate::store::sqlite::view::{self, ManifestChange, ViewRow};
use crate::store::time::now;
use crate::store::write::writer::Writer;

/// The entry of a view at one path, to be published.
pub(crate) struct NextEntry {
    pub path: String,
    pub version: VersionId,
    /// `None` when the file may change without its stat showing it.
    pub stat: Option<FileStat>,
}

/// The next manifest of a view, and its difference to the published one.
struct ManifestDiff {
    after: Vec<(i64, VersionId)>,
    changes: Vec<ManifestChange>,
    /// The number of paths that both manifests have.
    common_paths: usize,
}

impl Writer {
    /// Publishes `next` as the whole manifest of the view, beside which the files `oversized` are
    /// too large, and ends the run. Returns whether anything changed.
    pub(crate) fn publish(
        &mut self,
        row: &ViewRow,
        before: &Manifest,
        next: &[NextEntry],
        oversized: &[OversizedFile],
        head: Option<&Head>,
    ) -> Result<bool> {
        let mut diff = self.store_entries(row.id, before, next)?;
        self.transaction.drop_leftovers(&self.db, row.id, &diff.after)?;
        if diff.common_paths < before.len() {
            self.remove_entries(row.id, before, next, &mut diff.changes)?;
        }
        let changed = !diff.changes.is_empty() || row.generation == 0 || row.oversized != oversized;
        if changed {
            view::put_oversized(&self.db, row.id, oversized)?;
            view::publish(&self.db, row, &diff.changes, &diff.after, now())?;
        }
        self.store_head(row.id, head)?;
        self.commit_batch()?;
        Ok(changed)
    }

    /// Compares the entries of `next` with the published ones and stores their stats.
    fn store_entries(&mut self, view: ViewId, before: &Manifest, next: &[NextEntry]) -> Result<ManifestDiff> {
        // Versions that gc was about to remove are wanted again; mostly there are none.
        let released = "SELECT EXISTS (SELECT 1 FROM file_version WHERE released_at IS NOT NULL)";
        let has_released: bool = self.db.query_row(released, [], |row| row.get(0))?;
        let mut diff = ManifestDiff { after: Vec::with_capacity(next.len()), changes: Vec::new(), common_paths: 0 };
        let mut known = before.in_order();
        for entry in next {
            let old = known.get(&entry.path);
            let path_id = match old {
                Some(old) => old.path_id,
                None => self.paths.find_or_insert(&self.db, &entry.path)?,
            };
            diff.common_paths += usize::from(old.is_some());
            let old_version = old.map(|old| old.version);
            if old_version != Some(entry.version) {
                diff.changes.push(ManifestChange { path_id, before: old_version, after: Some(entry.version) });
                if has_released {
                    self.keep_released(entry.version)?;
                }
            }
            self.store_stat(view, path_id, old, entry)?;
            diff.after.push((path_id, entry.version));
        }
        Ok(diff)
    }

    /// Takes a version off the list of those that gc removes.
    fn keep_released(&self, version: VersionId) -> Result<()> {
        let sql = "UPDATE file_version SET released_at = NULL WHERE version_id = ?1 AND released_at IS NOT NULL";
        self.db.prepare(sql)?.execute([version.0])?;
        Ok(())
    }

    /// Stores or drops the stat of a path where it differs from what is stored.
    fn store_stat(&self, view: ViewId, path_id: i64, old: Option<&ManifestEntry>, entry: &NextEntry) -> Result<()> {
        match entry.stat {
            Some(stat) if old.is_none_or(|old| old.stat != Some(stat) || old.version != entry.version) => {
                view::put_stat(&self.db, view, path_id, entry.version, &stat)
            }
            Some(_) => Ok(()),
            None if old.is_some() || self.transaction.has_leftovers() => view::drop_stat(&self.db, view, path_id),
            None => Ok(()),
        }
    }

    /// Adds the removal of each path of `before` that `next` does not have.
    fn remove_entries(
        &self,
        view: ViewId,
        before: &Manifest,
        next: &[NextEntry],
        changes: &mut Vec<ManifestChange>,
    ) -> Result<()> {
        let alive: HashSet<&str> = next.iter().map(|entry| entry.path.as_str()).collect();
        for (_, entry) in before.iter().filter(|(path, _)| !alive.contains(path)) {
            changes.push(ManifestChange { path_id: entry.path_id, before: Some(entry.version), after: None });
            view::drop_stat(&self.db, view, entry.path_id)?;
        }
        Ok(())
    }

    /// Notes what the view was listed at, and that it is in use.
    fn store_head(&self, view: ViewId, head: Option<&Head>) -> Result<()> {
        let (reference, commit) = head.map_or((None, None), |head| (head.reference.as_deref(), head.commit.as_deref()));
        self.db
            .prepare("UPDATE view SET head_ref = ?2, head_commit = ?3, used_at = ?4 WHERE view_id = ?1")?
            .execute((view.0, reference, commit, now()))?;
        Ok(())
    }

    /// Returns the manifest after [`Writer::publish`] of `next`, which is sorted; `row` is the view
    /// before it.
    pub(crate) fn manifest_of(
        &self,
        before: &Manifest,
        next: &[NextEntry],
        row: &ViewRow,
        has_changed: bool,
    ) -> Result<CachedManifest> {
        let mut known = before.in_order();
        let entry = |next: &NextEntry| {
            let path_id = known.get(&next.path).map(|entry| entry.path_id).or_else(|| self.paths.get(&next.path))?;
            Some((next.path.clone(), ManifestEntry { path_id, version: next.version, stat: next.stat }))
        };
        let manifest = next.iter().filter_map(entry).collect();
        let id = self.manifest_id(row)?;
        Ok(CachedManifest { id: ManifestId { generation: id.generation + i64::from(has_changed), ..id }, manifest })
    }
}
