//! Waits for the disk after writes that did not; see `no_fsync_directory`.

use std::fs::{self, File};
use std::path::Path;
use std::time::SystemTime;

use tantivy::Directory;
use tantivy::directory::MmapDirectory;

use crate::error::Result;
use crate::files;
use crate::store::disk::layout;
use crate::store::error::AtStore as _;
use crate::store::sqlite::db;
use crate::store::text::index::{self, TextIndex};

/// Waits until the disk has what was written to the store at `root` since `since`. No lock is
/// needed: a process that writes meanwhile is not hindered.
pub(crate) fn make_durable(root: &Path, since: SystemTime) -> Result<()> {
    let Some(data) = layout::current_data(root)? else { return Ok(()) };
    let folder = index::folder(&data);
    for name in TextIndex::open(&data)?.files()? {
        let file = folder.join(name);
        let is_new = fs::metadata(&file).and_then(|metadata| metadata.modified()).is_ok_and(|time| time >= since);
        // One that a merge has replaced meanwhile need not be kept.
        if is_new && let Ok(file) = File::open(&file) {
            let _ = file.sync_data();
        }
    }
    let directory = MmapDirectory::open(&folder).at(root)?;
    directory.sync_directory().map_err(|source| files::unwritable(root, source))?;
    let db = db::open(&data)?;
    let _ = db.query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |_| Ok(()));
    Ok(())
}

#[cfg(test)]
mod tests {
    use codecompass_testkit::TestWorkspace;

    use super::*;
    use crate::config::Config;
    use crate::engine::Engine;
    use crate::progress::NoProgress;
    use crate::sync;
    use crate::sync::{Memory, SyncOptions, sync_watched};
    use std::sync::Arc;

    #[test]
    fn what_did_not_wait_for_the_disk_is_all_there() {
        let workspace = TestWorkspace::plain("//- /a.py\ndef first(): pass\n");
        let engine = Engine::open(&workspace.root(), &workspace.home(), Config::default()).unwrap();
        sync(&engine, SyncOptions::default(), &NoProgress).unwrap();
        let since = SystemTime::now();
        for number in 0..20 {
            workspace.write("b.py", &format!("def number_{number}(): pass\n"));
            let listing = Arc::new(engine.list().unwrap());
            assert!(sync_watched(&engine, listing, &mut Memory::default(), &NoProgress).unwrap().0.published);
            let snapshot = engine.snapshot().unwrap().unwrap();
            assert_eq!(snapshot.symbols_named(&format!("number_{number}")).unwrap().len(), 1);
        }
        assert_eq!(engine.store_problems().unwrap(), Vec::<String>::new());
        make_durable(engine.store_root(), since).unwrap();
        let names: Vec<_> = fs::read_dir(layout::current_data(engine.store_root()).unwrap().unwrap().join("text"))
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        assert!(!names.iter().any(|name| name.ends_with(".new")), "{names:?}");
        assert_eq!(engine.store_problems().unwrap(), Vec::<String>::new());
        make_durable(&workspace.home().join("nothing"), since).unwrap();
    }
}
