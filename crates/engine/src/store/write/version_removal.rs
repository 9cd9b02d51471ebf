//! Removing file versions: their rows, and of what they share with others only what no other
//! version has.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use crate::error::Result;
use crate::model::VersionId;
use crate::store::facts;
use crate::store::facts::previous_versions::{GONE, read_hashes, write_hashes};
use crate::store::facts::shared_items::{self, Item, ItemList};
use crate::store::sqlite::connection::Db;

/// Search documents that no version has any more.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Unused {
    /// Versions of which no document is left.
    pub origins: Vec<VersionId>,
    /// Single documents of others.
    pub documents: Vec<Item>,
}

impl Unused {
    /// Returns whether there are none.
    pub(crate) fn is_empty(&self) -> bool {
        self.origins.is_empty() && self.documents.is_empty()
    }
}

/// Removes versions from the database and says which documents to remove from the text index. Must
/// run inside a transaction.
pub(crate) fn remove(db: &Db, victims: &[VersionId]) -> Result<Unused> {
    let mut by_path: BTreeMap<i64, BTreeSet<VersionId>> = BTreeMap::new();
    let mut path_of = db.prepare("SELECT path_id FROM file_version WHERE version_id = ?1")?;
    for version in victims {
        by_path.entry(path_of.query_row([version.0], |row| row.get(0))?).or_default().insert(*version);
    }
    let mut unused = Unused::default();
    for (path_id, victims) in by_path {
        remove_of_path(db, path_id, &victims, &mut unused)?;
    }
    Ok(unused)
}

fn remove_of_path(db: &Db, path_id: i64, victims: &BTreeSet<VersionId>, unused: &mut Unused) -> Result<()> {
    let mut statement = db.prepare("SELECT version_id FROM file_version WHERE path_id = ?1")?;
    let all: Vec<VersionId> = statement.query_map([path_id], |row| Ok(VersionId(row.get(0)?)))?;
    let kept: Vec<VersionId> = all.into_iter().filter(|version| !victims.contains(version)).collect();
    let held = Held::by(db, &kept)?;

    let mut delete = db.prepare("DELETE FROM symbol WHERE key = ?1 AND version_id = ?2 AND ordinal = ?3")?;
    let mut documents = BTreeSet::new();
    for version in victims {
        // The symbol table is keyed by name, so the outline says which rows to delete.
        let outline = facts::outline(db, *version)?;
        let shared = shared_items::shared(db, *version)?;
        let (definitions, documents_of_version) = match shared {
            Some(shared) => (shared.definitions, shared.documents),
            None => {
                let own = |count: usize| ItemList::own(*version, count);
                (own(outline.definitions.len()), own(outline.chunks.len()))
            }
        };
        for (definition, item) in outline.definitions.iter().zip(definitions.items()) {
            if !held.definitions.has(item) {
                delete.execute((definition.name.to_lowercase(), item.origin.0, item.number))?;
            }
        }
        documents.extend(documents_of_version.items().filter(|item| !held.documents.has(*item)));
    }
    forget_documents(db, path_id, documents, unused)?;
    remove_facts(db, victims, &kept)?;
    for version in victims {
        db.prepare("DELETE FROM shared WHERE version_id = ?1")?.execute([version.0])?;
        db.prepare("DELETE FROM trigrams WHERE version_id = ?1")?.execute([version.0])?;
        db.prepare("DELETE FROM file_version WHERE version_id = ?1")?.execute([version.0])?;
    }
    Ok(())
}

/// Strikes the hashes of documents, so that no version will share them.
fn forget_documents(db: &Db, path_id: i64, documents: BTreeSet<Item>, unused: &mut Unused) -> Result<()> {
    let mut by_origin: BTreeMap<VersionId, Vec<Item>> = BTreeMap::new();
    for item in documents {
        by_origin.entry(item.origin).or_default().push(item);
    }
    for (origin, items) in by_origin {
        let sql = "SELECT hashes FROM document WHERE path_id = ?1 AND version_id = ?2";
        let blob: Option<Vec<u8>> = db.prepare(sql)?.query_optional((path_id, origin.0), |row| row.get(0))?;
        let mut hashes = read_hashes(&blob.unwrap_or_default());
        for item in &items {
            if let Some(hash) = hashes.get_mut(item.number as usize) {
                *hash = GONE;
            }
        }
        if hashes.iter().all(|hash| *hash == GONE) {
            let sql = "DELETE FROM document WHERE path_id = ?1 AND version_id = ?2";
            db.prepare(sql)?.execute((path_id, origin.0))?;
            unused.origins.push(origin);
        } else {
            let sql = "UPDATE document SET hashes = ?3 WHERE path_id = ?1 AND version_id = ?2";
            db.prepare(sql)?.execute((path_id, origin.0, write_hashes(&hashes)))?;
            unused.documents.extend(items);
        }
    }
    Ok(())
}

/// Removes the facts of versions, but for those that others are stored against, and bases that no
/// version is stored against any more.
fn remove_facts(db: &Db, victims: &BTreeSet<VersionId>, kept: &[VersionId]) -> Result<()> {
    let mut statement = db.prepare("SELECT base_id FROM facts WHERE version_id = ?1")?;
    let mut base = |version: VersionId| -> Result<Option<VersionId>> {
        let base: Option<Option<u32>> = statement.query_optional([version.0], |row| row.get(0))?;
        Ok(base.flatten().map(VersionId))
    };
    let mut with_bases = |versions: Vec<VersionId>| -> Result<BTreeSet<VersionId>> {
        let mut found = BTreeSet::new();
        let mut pending = versions;
        while let Some(version) = pending.pop() {
            if found.insert(version) {
                pending.extend(base(version)?);
            }
        }
        Ok(found)
    };
    let needed = with_bases(kept.to_vec())?;
    let useless = with_bases(victims.iter().copied().collect())?;
    for version in useless.difference(&needed) {
        db.prepare("DELETE FROM facts WHERE version_id = ?1")?.execute([version.0])?;
    }
    Ok(())
}

/// Items that some versions hold.
#[derive(Default)]
pub(crate) struct HeldItems {
    /// Versions whose items are their own.
    whole: HashSet<VersionId>,
    single: HashSet<Item>,
}

impl HeldItems {
    /// Returns whether the item is held.
    pub(crate) fn has(&self, item: Item) -> bool {
        self.whole.contains(&item.origin) || self.single.contains(&item)
    }
}

/// Items that some versions hold, of both kinds.
#[derive(Default)]
pub(crate) struct Held {
    definitions: HeldItems,
    pub documents: HeldItems,
}

impl Held {
    fn by(db: &Db, versions: &[VersionId]) -> Result<Held> {
        let mut held = Held::default();
        for version in versions {
            match shared_items::shared(db, *version)? {
                Some(shared) => held.add(&shared),
                None => held.add_whole(*version),
            }
        }
        Ok(held)
    }

    /// Returns the items that all versions of the store hold.
    pub(crate) fn by_all(db: &Db) -> Result<Held> {
        let mut held = Held::default();
        let sql = "SELECT version_id FROM file_version WHERE version_id NOT IN (SELECT version_id FROM shared)";
        let mut statement = db.prepare(sql)?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            held.add_whole(VersionId(row.get(0)?));
        }
        shared_items::for_each_shared(db, &|_| true, &mut |_, shared| held.add(&shared))?;
        Ok(held)
    }

    fn add(&mut self, shared: &shared_items::SharedItems) {
        self.definitions.single.extend(shared.definitions.items());
        self.documents.single.extend(shared.documents.items());
    }

    fn add_whole(&mut self, version: VersionId) {
        self.definitions.whole.insert(version);
        self.documents.whole.insert(version);
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use codecompass_testkit::TestWorkspace;

    use crate::config::Config;
    use crate::engine::Engine;
    use crate::progress::NoProgress;
    use crate::query::{self, SearchOptions};
    use crate::store::disk::layout;
    use crate::store::read::snapshot::Snapshot;
    use crate::store::sqlite::db;
    use crate::store::text::index::TextIndex;
    use crate::sync;
    use crate::sync::SyncOptions;

    /// A file with many functions; `edit` says which one is another than at first, and what stands
    /// above them all.
    fn source(edit: usize) -> String {
        let mut text = format!("{}import os\n\n", "# a line more\n".repeat(edit));
        for number in 0..60 {
            let (name, body) = if number == edit % 60 {
                (format!("edited_{edit}"), "changed")
            } else {
                (format!("function_{number}"), "same")
            };
            text.push_str(&format!("def {name}(value):\n    return os.path.join(value, '{body}_{number}')\n\n\n"));
        }
        text
    }

    fn describe(snapshot: &Snapshot) -> String {
        let outlines: Vec<_> = snapshot.paths().map(|path| query::outline(snapshot, path)).collect();
        let options = SearchOptions { limit: 100, ..SearchOptions::default() };
        let found: Vec<_> = ["join changed values", "function_7", "edited_3", "functoin_9"]
            .map(|query| query::search(snapshot, query, &options).map(|answer| (answer.hits, answer.total)))
            .into();
        format!("{outlines:?}\n{found:?}")
    }

    fn up_to_date(engine: &Engine) -> Snapshot {
        sync(engine, SyncOptions::default(), &NoProgress).unwrap().0
    }

    fn count(engine: &Engine, sql: &str) -> i64 {
        let data = layout::current_data(engine.store_root()).unwrap().unwrap();
        db::open(&data).unwrap().query_row(sql, [], |row| row.get(0)).unwrap()
    }

    fn documents(engine: &Engine) -> usize {
        let data = layout::current_data(engine.store_root()).unwrap().unwrap();
        TextIndex::open(&data).unwrap().documents().unwrap().len()
    }

    #[test]
    fn what_is_shared_goes_with_its_last_user() {
        let workspace = TestWorkspace::plain(&format!("//- /a.py\n{}//- /b.py\ndef other(): pass\n", source(0)));
        let engine = Engine::open(&workspace.root(), &workspace.home(), Config::default()).unwrap();
        let first = up_to_date(&engine).view().totals;
        let held = up_to_date(&engine);
        let description = describe(&held);
        for edit in 1..30 {
            workspace.write("a.py", &source(edit));
            up_to_date(&engine);
        }
        assert_eq!(count(&engine, "SELECT count(*) FROM facts"), 31);
        assert!(count(&engine, "SELECT count(*) FROM symbol") < first.symbols + 29 * 4, "unchanged ones are shared");
        assert!(documents(&engine) < first.chunks as usize + 29 * 4);
        let bytes = "SELECT sum(length(outline) + length(uses)) FROM facts";
        let largest = "SELECT max(length(outline) + length(uses)) FROM facts";
        let (all, one) = (count(&engine, bytes), count(&engine, largest));
        assert!(all < one * 31 / 3, "{all} bytes of facts for 31 versions, at most {one} for one");

        let fresh = || {
            let home = tempfile::tempdir().unwrap();
            describe(&up_to_date(&Engine::open(&workspace.root(), home.path(), Config::default()).unwrap()))
        };
        assert_eq!(describe(&up_to_date(&engine)), fresh());
        assert_eq!(engine.collect_garbage(Duration::ZERO).unwrap().removed_versions, 29);
        let snapshot = up_to_date(&engine);
        assert_eq!(describe(&snapshot), fresh());
        assert_eq!(describe(&held), description, "who holds an older state keeps it");
        // What is left is what the view holds, but for facts that its own are stored against.
        assert_eq!(count(&engine, "SELECT count(*) FROM symbol"), snapshot.view().totals.symbols);
        assert_eq!(documents(&engine) as i64, snapshot.view().totals.chunks);
        assert!(count(&engine, "SELECT count(*) FROM facts") <= 2 + 2);
        assert_eq!(engine.store_problems().unwrap(), [] as [&str; 0]);

        workspace.write("a.py", "");
        up_to_date(&engine);
        engine.collect_garbage(Duration::ZERO).unwrap();
        for table in ["facts", "file_version"] {
            assert_eq!(count(&engine, &format!("SELECT count(*) FROM {table}")), 2, "{table}");
        }
        assert_eq!(count(&engine, "SELECT count(*) FROM shared"), 0);
        assert_eq!((documents(&engine), count(&engine, "SELECT count(*) FROM symbol")), (1, 1));
    }
}
