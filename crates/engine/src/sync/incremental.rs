//! The sync of somebody who watches: few files have changed, it is known which, and nobody needs a snapshot of the outcome.
//! What the last such sync left in memory need not be read again.

use std::sync::Arc;

use crate::engine::Engine;
use crate::error::Result;
use crate::progress::Progress;
use crate::scan::Listing;
use crate::store::read::snapshot;
use crate::store::sqlite::connection_pool::Spare;
use crate::store::sqlite::jobs::JobLog;
use crate::store::sqlite::manifest_copy;
use crate::store::sqlite::manifest_copy::KnownManifest;
use crate::store::time::{DAY, now};
use crate::store::write::writer::Merging;
use crate::sync::staleness::{is_current, same_head};
use crate::sync::{Found, SyncOptions, SyncReport, put_in_order, run};

/// What the last sync left.
#[derive(Default)]
pub(crate) struct Memory {
    /// The manifest, which is used if nobody has published since.
    known: Option<KnownManifest>,
    /// Connections that are still open.
    spare: Arc<Spare>,
}

impl Memory {
    /// The engine with what is remembered.
    pub(crate) fn equip(&self, engine: Engine) -> Engine {
        engine.sparing(Arc::clone(&self.spare))
    }

    /// Closes what is open if nothing was published: then nobody will call for [rest](Memory::rest).
    fn closing(&self, report: SyncReport) -> SyncReport {
        if !report.published {
            self.spare.clear();
        }
        report
    }

    /// Nothing is to be synced for a while: the manifest is written down for readers in other processes, and nothing stays
    /// open.
    pub(crate) fn rest(&self) {
        self.known.iter().for_each(manifest_copy::keep);
        self.spare.clear();
    }
}

/// Brings the engine's view to what `listing` says. The disk is not waited for, but
/// [later](crate::store::text::durability::make_durable), and what is [left to be done](Merging) is the caller's to wait for.
pub(crate) fn sync_few(
    engine: &Engine,
    listing: Arc<Listing>,
    memory: &mut Memory,
    progress: &dyn Progress,
) -> Result<(SyncReport, Option<Merging>)> {
    match attempt(engine, &listing, memory.known.take(), progress) {
        Ok(Some((report, known, merging))) => {
            memory.known = Some(known);
            return Ok((memory.closing(report), merging));
        }
        // What passes is tried again.
        Err(error) if !error.is_transient() => return Err(error),
        Ok(None) | Err(_) => {}
    }
    run(engine, SyncOptions::default(), Some(listing), progress).map(|(_, report)| (memory.closing(report), None))
}

/// `None` where there is more to be done than this.
fn attempt(
    engine: &Engine,
    listing: &Arc<Listing>,
    known: Option<KnownManifest>,
    progress: &dyn Progress,
) -> Result<Option<(SyncReport, KnownManifest, Option<Merging>)>> {
    let head = engine.head()?;
    let Some(state) = snapshot::peek(&engine.store, &engine.view_key())? else { return Ok(None) };
    if state.lacks_vectors && engine.embedder().is_some_and(|embedder| embedder.is_fast()) {
        return Ok(None);
    }
    let known = state.manifest(known)?;
    if is_current(listing, &known.manifest) && same_head(&state.view, head.as_ref()) {
        // What is watched is in use, though nothing changes.
        if now() - state.view.used_at >= DAY {
            return Ok(None);
        }
        let report = SyncReport { reused: listing.files.len(), ..SyncReport::of(&state.view) };
        state.end(&engine.store);
        return Ok(Some((report, known, None)));
    }
    state.end(&engine.store);
    let mut job = JobLog::queue(&engine.store, &engine.view_key(), 1);
    let found = Found { listing: Arc::clone(listing), head, known: Some(known), unhurried: true };
    let outcome = put_in_order(engine, SyncOptions::default(), found, &mut job, progress);
    job.end(outcome.as_ref().err());
    let written = outcome?;
    if let Some(kept) = &engine.kept {
        kept.note(&engine.store, &engine.view_key(), written.published);
    }
    Ok(Some((written.report, written.known, Some(written.merging))))
}

#[cfg(test)]
mod tests {
    use codecompass_testkit::TestWorkspace;

    use super::*;
    use crate::config::Config;
    use crate::progress::NoProgress;
    use crate::store::disk::layout;
    use crate::store::sqlite::manifest::Manifest;
    use crate::store::sqlite::{db, view};
    use crate::sync;

    fn stored(engine: &Engine) -> Manifest {
        let data = layout::current_data(engine.store_root()).unwrap().unwrap();
        let db = db::open(&data).unwrap();
        let row = view::find(&db, &engine.view_key()).unwrap().unwrap();
        view::manifest(&db, &row).unwrap()
    }

    #[test]
    fn what_is_remembered_is_what_is_stored() {
        let workspace = TestWorkspace::git("//- /a.py\ndef first(): pass\n//- /b.py\ndef other(): pass\n");
        let engine = Engine::open(&workspace.root(), &workspace.home(), Config::default()).unwrap();
        let mut memory = Memory::default();
        let engine = memory.equip(engine);
        let mut go = |engine: &Engine| {
            let (report, _) = sync_few(engine, Arc::new(engine.list().unwrap()), &mut memory, &NoProgress).unwrap();
            if let Some(known) = &memory.known {
                assert_eq!(known.manifest, stored(engine));
                assert_eq!(known.of.generation, report.generation);
                // Connections are kept for as long as somebody will say when to close them.
                let file = db::file(&known.of.data);
                let spare = memory.spare.take(&file);
                assert_eq!(spare.is_some(), report.published);
                spare.into_iter().for_each(|db| memory.spare.put(&file, db));
            }
            (report, memory.known.is_some())
        };
        // The first one is not a matter of few files.
        assert_eq!((go(&engine).0.generation, go(&engine).1), (1, true));
        workspace.write("a.py", "def edited(): pass\n");
        workspace.write("new/c.py", "def created(): pass\n");
        let (report, is_known) = go(&engine);
        assert_eq!((report.generation, report.files, report.parsed, is_known), (2, 3, 2, true));
        workspace.remove("b.py");
        let (report, _) = go(&engine);
        assert_eq!((report.generation, report.files, report.removed), (3, 2, 1));
        assert!(!go(&engine).0.published);

        // Somebody else publishes in between.
        workspace.write("a.py", "def by_another(): pass\n");
        sync(&engine, SyncOptions::default(), &NoProgress).unwrap();
        workspace.write("d.py", "def fourth(): pass\n");
        let (report, is_known) = go(&engine);
        assert_eq!((report.generation, report.files, is_known), (5, 3, true));
        workspace.run_git(&["add", "."]);
        workspace.commit("all");
        assert!(!go(&engine).0.published);
        let head = snapshot::peek(&engine.store, &engine.view_key()).unwrap().unwrap().view.head_commit;
        assert_eq!(head, engine.head().unwrap().unwrap().commit);
        // Another index in the place of the one that is remembered.
        sync(&engine, SyncOptions { rebuild: true, ..SyncOptions::default() }, &NoProgress).unwrap();
        workspace.write("d.py", "def fifth(): pass\n");
        assert_eq!(go(&engine).0.files, 3);
        let (snapshot, report) = sync(&engine, SyncOptions::default(), &NoProgress).unwrap();
        assert!(!report.published);
        assert_eq!(snapshot.symbols_named("fifth").unwrap().len(), 1);
        assert_eq!(engine.store_problems().unwrap(), Vec::<String>::new());
    }
}
