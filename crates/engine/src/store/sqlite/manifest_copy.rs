//! The manifest of a view in a file beside the database.
//!
//! It is a copy, for readers: they look at every path before each question, and rows come out of a
//! database several times more slowly. It says which generation of the view it is of; where it is
//! missing, damaged or of another one, the database answers.

use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use crate::error::Result;
use crate::model::ViewId;
use crate::store::sqlite::connection::Db;
use crate::store::sqlite::manifest::{Manifest, ManifestEntry};
use crate::store::sqlite::view::{self, ViewRow};

/// A manifest as a reader saw it, and of what it is the manifest.
pub(crate) struct CachedManifest {
    pub id: ManifestId,
    pub manifest: Manifest,
}

/// The state that a manifest belongs to. As long as it is the same, so are the paths and their
/// versions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ManifestId {
    /// The data folder.
    pub data: PathBuf,
    pub view: ViewId,
    pub generation: i64,
    /// The number of times that views had been dropped; see
    /// [`VIEW_EPOCH`](crate::store::sqlite::meta::VIEW_EPOCH).
    pub view_epoch: i64,
}

impl ManifestId {
    /// Returns the id of the manifest of a view, whose row was read in the same transaction as
    /// `view_epoch`.
    pub(crate) fn new(data: &Path, view: &ViewRow, view_epoch: i64) -> ManifestId {
        ManifestId { data: data.to_path_buf(), view: view.id, generation: view.generation, view_epoch }
    }
}

/// The manifest of a view as it is published; of `row`, which was read in the same transaction.
pub(crate) fn load(db: &Db, id: &ManifestId, row: &ViewRow) -> Result<Manifest> {
    match is_copied(row.totals.files.max(0) as usize).then(|| read(id)).flatten() {
        Some(manifest) => Ok(manifest),
        None => view::manifest(db, row),
    }
}

/// Views of fewer files are read from the database as fast.
const COPIED_FROM: usize = 500;

fn is_copied(files: usize) -> bool {
    files >= COPIED_FROM
}

/// Files with copies have this in front of the view's number.
const NAME: &str = "manifest-";
/// The first bytes of a copy: the format.
const MAGIC: &[u8; 8] = b"CCMANIF1";
const DIGEST: usize = 32;

/// The content of a copy, after its format and a digest of the rest.
type Copied<M> = (i64, i64, M);

fn file(data: &Path, view: ViewId) -> PathBuf {
    data.join(format!("{NAME}{}", view.0))
}

/// The copy, if there is one of this very state.
fn read(id: &ManifestId) -> Option<Manifest> {
    let bytes = fs::read(file(&id.data, id.view)).ok()?;
    let (digest, rest) = bytes.strip_prefix(MAGIC)?.split_at_checked(DIGEST)?;
    if blake3::hash(rest).as_bytes() != digest {
        return None;
    }
    let (generation, view_epoch, entries): Copied<Vec<(String, ManifestEntry)>> = postcard::from_bytes(rest).ok()?;
    ((generation, view_epoch) == (id.generation, id.view_epoch)).then_some(Manifest(entries))
}

/// Writes the copy for the readers to come. They do without where that fails.
pub(crate) fn keep(known: &CachedManifest) {
    let CachedManifest { id, manifest } = known;
    if !is_copied(manifest.len()) {
        return;
    }
    let copied: Copied<&Vec<(String, ManifestEntry)>> = (id.generation, id.view_epoch, &manifest.0);
    let Ok(rest) = postcard::to_stdvec(&copied) else { return };
    let name = file(&id.data, id.view);
    let temporary = name.with_extension(format!("{}.new", std::process::id()));
    let write = || -> io::Result<()> {
        let mut file = fs::File::create(&temporary)?;
        file.write_all(MAGIC)?;
        file.write_all(blake3::hash(&rest).as_bytes())?;
        file.write_all(&rest)?;
        // After a power cut the digest may be wrong; that is as good as no copy.
        fs::rename(&temporary, &name)
    };
    if write().is_err() {
        let _ = fs::remove_file(&temporary);
    }
}

/// Removes the copies of views that are not there any more, and what a killed process left.
pub(crate) fn remove_others(db: &Db, data: &Path) -> Result<()> {
    let mut statement = db.prepare("SELECT view_id FROM view")?;
    let kept: Vec<String> = statement.query_map([], |row| Ok(format!("{NAME}{}", row.get::<_, i64>(0)?)))?;
    for entry in fs::read_dir(data).into_iter().flatten().flatten() {
        let name = entry.file_name();
        if name.to_str().is_some_and(|name| name.starts_with(NAME) && !kept.iter().any(|kept| kept == name)) {
            let _ = fs::remove_file(entry.path());
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use codecompass_testkit::TestWorkspace;

    use super::*;
    use crate::config::Config;
    use crate::engine::Engine;
    use crate::model::{FileStat, VersionId};
    use crate::progress::NoProgress;
    use crate::store::read::open;
    use crate::store::read::snapshot::Snapshot;
    use crate::store::sqlite::db;
    use crate::sync;
    use crate::sync::SyncOptions;

    fn many() -> CachedManifest {
        let entry = |number: i64| {
            let stat = FileStat { size: 3, mtime_ns: number << 40, ctime_ns: -number, inode: u64::MAX };
            let stat = Some(stat).filter(|_| number % 3 > 0);
            (
                format!("src/file_{number}.py"),
                ManifestEntry { path_id: number, version: VersionId(number as u32 + 7), stat },
            )
        };
        let id = ManifestId { data: PathBuf::new(), view: ViewId(3), generation: 12, view_epoch: 2 };
        CachedManifest { id, manifest: (0..COPIED_FROM as i64).map(entry).collect() }
    }

    #[test]
    fn a_copy_is_of_one_state() {
        let folder = tempfile::tempdir().unwrap();
        let mut known = many();
        known.id.data = folder.path().to_path_buf();
        assert_eq!(read(&known.id), None);
        keep(&known);
        assert_eq!(read(&known.id).as_ref(), Some(&known.manifest));
        for other in [
            ManifestId { generation: 13, ..known.id.clone() },
            ManifestId { view_epoch: 3, ..known.id.clone() },
            ManifestId { view: ViewId(4), ..known.id.clone() },
        ] {
            assert_eq!(read(&other), None, "{other:?}");
        }
        let file = file(folder.path(), known.id.view);
        let bytes = fs::read(&file).unwrap();
        for damaged in [&bytes[..0], &bytes[..7], &bytes[..30], &bytes[..bytes.len() - 1], &[1; 9][..]] {
            fs::write(&file, damaged).unwrap();
            assert_eq!(read(&known.id), None);
        }
        for at in (0..bytes.len()).step_by(997) {
            let mut damaged = bytes.clone();
            damaged[at] ^= 4;
            fs::write(&file, damaged).unwrap();
            assert_eq!(read(&known.id), None, "byte {at}");
        }
        keep(&known);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "nothing else is left");
        known.id.data = folder.path().join("gone");
        keep(&known);
    }

    #[test]
    fn readers_find_what_was_published() {
        let workspace = TestWorkspace::git("//- /a.py\ndef first(): pass\n");
        for number in 0..COPIED_FROM {
            workspace.write(&format!("many/f{number}.txt"), "");
        }
        let engine = Engine::open(&workspace.root(), &workspace.home(), Config::default()).unwrap();
        let go = || sync(&engine, SyncOptions::default(), &NoProgress).unwrap();
        let check = |snapshot: &Snapshot| {
            let peek = open::peek(&engine.store, &engine.view_key()).unwrap().unwrap();
            let copy = read(&snapshot.manifest_id()).expect("there is a copy");
            assert_eq!(copy, view::manifest(&db::open_for_reading(snapshot.data()).unwrap(), &peek.view).unwrap());
            assert!(copy.iter().map(|(path, _)| path).eq(snapshot.paths()));
        };
        check(&go().0);
        workspace.write("a.py", "def second(): pass\n");
        workspace.remove("many/f3.txt");
        check(&go().0);
        // Without a new generation: only stats are others.
        workspace.write("a.py", "def second(): pass\n");
        let (snapshot, report) = go();
        assert!(!report.published);
        check(&snapshot);

        // One that lies about its state would be believed; one of another state is not.
        let name = file(snapshot.data(), snapshot.view().id);
        let before = fs::read(&name).unwrap();
        workspace.write("a.py", "def third(): pass\n");
        let (snapshot, _) = go();
        fs::write(&name, before).unwrap();
        assert_eq!(engine.snapshot().unwrap().unwrap().files(), snapshot.files());
        assert!(!go().1.published);

        // It goes with its view.
        fs::write(snapshot.data().join("manifest-77"), "").unwrap();
        fs::write(name.with_extension("12345.new"), "").unwrap();
        drop(snapshot);
        engine.collect_garbage(std::time::Duration::ZERO).unwrap();
        let copies = fs::read_dir(name.parent().unwrap()).unwrap().flatten();
        let copies = copies.filter(|entry| entry.file_name().to_string_lossy().starts_with(NAME)).count();
        assert_eq!(copies, 1);
    }
}
