//! Carrying a store from one machine or path to another: export to an archive, and import from one.
//!
//! Both hold the writer's lock. An export packs a fresh copy of the database and the files of the
//! text index's last commit. An import fills a new data folder, checks it, fits its views to this
//! machine, and only then flips `current`: whatever happens before leaves the old state as it is.

use std::fs;
use std::path::{Path, PathBuf};

use crate::error::{Error, Result};
use crate::files;
use crate::model::{ViewKey, ViewKind, Workspace};
use crate::progress::Progress;
use crate::store::archive::header::{ArchiveHeader, ArchivedRepository, ArchivedView, DATABASE, TEXT, VECTORS};
use crate::store::archive::{ARCHIVE, Archive, write};
use crate::store::disk::layout::{self, LOCK_TIMEOUT};
use crate::store::handle::Store;
use crate::store::sqlite::connection::Db;
use crate::store::sqlite::{db, meta, view};
use crate::store::text::index::{self, TextIndex};
use crate::store::time::now;
use crate::store::vectors::{self, VectorReader};

/// The name of the view of the checkout that was pushed, which is no path of any machine.
pub(crate) const CHECKOUT: &str = "checkout";

/// The workspace that an import is for.
pub(crate) struct Destination<'a> {
    pub workspace: &'a Workspace,
    /// Returns whether a directory is a checkout of the workspace's repository, here and now.
    pub is_checkout: &'a dyn Fn(&Path) -> bool,
}

/// The result of an import.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Imported {
    /// The header of the archive.
    pub header: ArchiveHeader,
    /// The root whose view now speaks for this workspace, if the archive had one.
    pub taken_from: Option<String>,
    /// Views that were kept, that one included.
    pub kept_views: usize,
    /// Roots of views that were left out: checkouts that are not on this machine.
    pub dropped_roots: Vec<String>,
    /// True if an index was replaced.
    pub replaced: bool,
}

/// Reads an archive, its checksums included, and says what is in it.
pub fn inspect_archive(path: &Path, progress: &dyn Progress) -> Result<ArchiveHeader> {
    Archive::open(path)?.unpack(None, progress)
}

impl Store {
    /// Writes the store to an archive at `to`.
    pub(crate) fn export(&self, to: &Path, workspace: &Workspace, progress: &dyn Progress) -> Result<ArchiveHeader> {
        let missing = || Error::NotIndexed { path: workspace.root.clone() };
        layout::current_data(self.root())?.ok_or_else(missing)?;
        let _lock = layout::lock_writer(self.root(), LOCK_TIMEOUT, progress)?;
        let data = layout::current_data(self.root())?.ok_or_else(missing)?;
        layout::remove_leftovers(self.root(), &data)?;
        // No reader opens a data folder other than the current one, and one that a killed export
        // leaves is removed.
        let scratch = layout::next_data(self.root())?;
        let exported = fs::create_dir(&scratch)
            .map_err(|source| files::unwritable(self.root(), source))
            .and_then(|()| self.pack(&data, &scratch, to, workspace, progress));
        let _ = fs::remove_dir_all(&scratch);
        exported
    }

    fn pack(
        &self,
        data: &Path,
        scratch: &Path,
        to: &Path,
        workspace: &Workspace,
        progress: &dyn Progress,
    ) -> Result<ArchiveHeader> {
        let db = db::open_for_reading(data)?;
        let text_index = TextIndex::open(data)?;
        if !text_index.stamp()?.is_complete(&db)? {
            return Err(Error::Corrupt { path: data.to_path_buf(), detail: index::TORN.into() });
        }
        let copy = scratch.join(DATABASE);
        let Some(copy_name) = copy.to_str() else {
            return Err(Error::InvalidInput("the name of the data directory is not UTF-8".into()));
        };
        db.execute("VACUUM INTO ?1", [copy_name])?;
        drop(db);
        let db = db::open(scratch)?;
        // Of no use elsewhere. Freed pages are cleared, so that they cost nothing.
        db.with(|connection| connection.pragma_update(None, "secure_delete", true))?;
        db.execute_batch("DELETE FROM file_stat")?;
        let header = header_of(&db, workspace, own_root(workspace))?;
        let vector_file = meta::get(&db, meta::VECTOR_FILE)?;
        drop(db);
        let mut sources = vec![(DATABASE.to_string(), copy)];
        sources.extend(other_files(data, &text_index, vector_file)?);
        write(to, header, &sources, progress)
    }

    /// Replaces the store by the archive at `from`; if there is one already, only with `force`.
    pub(crate) fn import(
        &self,
        from: &Path,
        destination: &Destination<'_>,
        force: bool,
        progress: &dyn Progress,
    ) -> Result<Imported> {
        let archive = Archive::open(from)?;
        archive.header.check_versions(from)?;
        check_origin(from, &archive.header, destination.workspace)?;
        let _lock = layout::lock_writer(self.root(), LOCK_TIMEOUT, progress)?;
        let replaced = self.check_replaceable(force)?;
        if let Ok(Some(data)) = layout::current_data(self.root()) {
            layout::remove_leftovers(self.root(), &data)?;
        }
        let data = layout::next_data(self.root())?;
        let imported = fs::create_dir_all(data.join("text"))
            .map_err(|source| files::unwritable(self.root(), source))
            .and_then(|()| archive.unpack(Some(&data), progress))
            .and_then(|header| settle_safely(from, &data, header, destination))
            .and_then(|imported| {
                self.claim_place()?;
                layout::make_current(self.root(), &data)?;
                Ok(Imported { replaced, ..imported })
            });
        if imported.is_err() && !matches!(layout::current_data(self.root()), Ok(Some(current)) if current == data) {
            let _ = fs::remove_dir_all(&data);
        }
        imported
    }

    /// Returns whether there is an index to replace; without `force` there must be none.
    pub(crate) fn check_replaceable(&self, force: bool) -> Result<bool> {
        match layout::current_data(self.root()) {
            Ok(None) => Ok(false),
            Ok(Some(_)) | Err(Error::Corrupt { .. }) if force => Ok(true),
            Ok(Some(_)) | Err(Error::Corrupt { .. }) => Err(Error::StoreExists { path: self.root().to_path_buf() }),
            Err(error) => Err(error),
        }
    }
}

/// Returns the header of what the database holds, without files.
pub(crate) fn header_of(db: &Db, workspace: &Workspace, root: Option<String>) -> Result<ArchiveHeader> {
    Ok(ArchiveHeader {
        archive: ARCHIVE,
        format: db::FORMAT,
        facts: db::FACTS,
        program: env!("CARGO_PKG_VERSION").into(),
        repository: repository(workspace),
        root,
        views: views(db)?,
        files: Vec::new(),
    })
}

/// Returns the names and places of all files of a data folder but for the database.
pub(crate) fn other_files(data: &Path, text_index: &TextIndex, vector_file: i64) -> Result<Vec<(String, PathBuf)>> {
    let text = text_index.files()?.into_iter();
    let mut found: Vec<_> = text.map(|name| (format!("{TEXT}{name}"), data.join("text").join(name))).collect();
    if vector_file > 0 {
        let names = vectors::names(vector_file).into_iter();
        found.extend(names.map(|name| (format!("{VECTORS}{name}"), vectors::folder(data).join(name))));
    }
    Ok(found)
}

fn repository(workspace: &Workspace) -> ArchivedRepository {
    let kind = if workspace.git_common_dir.is_some() { "git" } else { "directory" };
    let identity = layout::identity(workspace);
    ArchivedRepository {
        kind: kind.into(),
        name: layout::name(identity),
        path: identity.to_string_lossy().into_owned(),
    }
}

fn own_root(workspace: &Workspace) -> Option<String> {
    (workspace.kind != ViewKind::Commit).then(|| workspace.root.to_string_lossy().into_owned())
}

fn views(db: &Db) -> Result<Vec<ArchivedView>> {
    let sql = "SELECT kind, name, head_ref, head_commit, generation, file_count FROM view WHERE generation > 0 \
               ORDER BY kind, name";
    let mut statement = db.prepare(sql)?;
    statement.query_map([], |row| {
        Ok(ArchivedView {
            kind: row.get(0)?,
            name: row.get(1)?,
            head_ref: row.get(2)?,
            head_commit: row.get(3)?,
            generation: row.get(4)?,
            files: row.get(5)?,
        })
    })
}

/// A repository may lie anywhere, since what it holds is known by content; a plain directory is
/// only its path.
fn check_origin(path: &Path, header: &ArchiveHeader, workspace: &Workspace) -> Result<()> {
    let (there, here) = (&header.repository, repository(workspace));
    if there.kind == here.kind && (there.kind == "git" || there.path == here.path) {
        return Ok(());
    }
    let describe = |repository: &ArchivedRepository| match repository.kind.as_str() {
        "git" => format!("the repository {}", repository.path),
        _ => format!("the plain directory {}", repository.path),
    };
    let (found, wanted) = (describe(there), describe(&here));
    Err(Error::ArchiveForeign { path: path.to_path_buf(), found, wanted })
}

/// Damage of what was unpacked is a flaw of the archive, not of the store.
pub(crate) fn settle_safely(
    path: &Path,
    data: &Path,
    header: ArchiveHeader,
    destination: &Destination<'_>,
) -> Result<Imported> {
    // Files from elsewhere can make a reader trip over itself.
    let settle = std::panic::AssertUnwindSafe(|| settle(path, data, header, destination));
    let flaw = match std::panic::catch_unwind(settle) {
        Ok(Err(Error::Corrupt { detail, .. })) => detail,
        Ok(Err(Error::Outdated { .. })) => "its database is older than it says".into(),
        Ok(settled) => return settled,
        Err(_) => "reading what it holds fails".into(),
    };
    Err(Error::Archive { path: path.to_path_buf(), detail: flaw })
}

/// Checks what was unpacked into `data` and fits its views to this machine.
fn settle(path: &Path, data: &Path, header: ArchiveHeader, destination: &Destination<'_>) -> Result<Imported> {
    let workspace = destination.workspace;
    let db = db::open(data)?;
    if let Some(flaw) = db::schema_flaw(&db)? {
        return Err(Error::Archive { path: path.to_path_buf(), detail: flaw });
    }
    let text_index = TextIndex::open(data)?;
    text_index.reader()?;
    if !text_index.verify()?.is_empty() || !text_index.stamp()?.is_complete(&db)? {
        return Err(Error::Archive { path: path.to_path_buf(), detail: index::TORN.into() });
    }
    let (file, rows) = (meta::get(&db, meta::VECTOR_FILE)?, meta::get(&db, meta::VECTOR_ROWS)?);
    if file != 0 {
        let Some(reader) = VectorReader::open(data, file, rows) else {
            let detail = "its vectors are missing or not whole".into();
            return Err(Error::Archive { path: path.to_path_buf(), detail });
        };
        vectors::sign(data, file, &reader).map_err(|source| files::unwritable(data, source))?;
    }
    db::use_log(&db)?;
    let transaction = db.transaction()?;
    transaction.execute_batch("DELETE FROM file_stat")?;
    let taken_from = take_view(&transaction, &header, workspace)?;
    let mut dropped_roots = Vec::new();
    for (id, root) in view::checkouts(&transaction)? {
        if Path::new(&root) != workspace.root && !(destination.is_checkout)(Path::new(&root)) {
            view::drop_view(&transaction, id)?;
            dropped_roots.push(root);
        }
    }
    view::drop_orphan_layers(&transaction)?;
    transaction.execute("UPDATE view SET used_at = ?1", [now()])?;
    let kept: i64 = transaction.query_row("SELECT count(*) FROM view WHERE generation > 0", [], |row| row.get(0))?;
    transaction.commit()?;
    dropped_roots.sort();
    Ok(Imported { header, taken_from, kept_views: kept.max(0) as usize, dropped_roots, replaced: false })
}

/// Gives this workspace the view of its own root, or else the one of the checkout that was
/// exported.
fn take_view(db: &Db, header: &ArchiveHeader, workspace: &Workspace) -> Result<Option<String>> {
    let (Some(own), Some(exported)) = (own_root(workspace), &header.root) else { return Ok(None) };
    if view::find(db, &ViewKey { kind: workspace.kind, name: own.clone() })?.is_some() {
        return Ok(Some(own));
    }
    let sql = "UPDATE view SET name = ?3 WHERE kind = ?1 AND name = ?2";
    let renamed = db.execute(sql, (workspace.kind.as_str(), exported, &own))?;
    Ok((renamed > 0).then(|| exported.clone()))
}
