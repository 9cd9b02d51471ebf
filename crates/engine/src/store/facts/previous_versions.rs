//! The earlier versions of a path, so that a new version stores only what they do not have. Parsing
//! threads look them up; the writer changes nothing of a path before its new version comes.

use codecompass_syntax::facts::{Definition, Kind};

use crate::error::Result;
use crate::model::VersionId;
use crate::store::facts::shared_items::{self, Item};
use crate::store::facts::{self, Base, Outline};
use crate::store::sqlite::connection::Db;

/// The earlier versions of a path.
#[derive(Default)]
pub(crate) struct Earlier {
    /// Versions that new facts can be stored against.
    pub bases: Vec<Base>,
    /// Definitions of the newest version: kind, name and item.
    definitions: Vec<(Kind, String, Item)>,
    /// Hashes of all search documents that some version has.
    documents: Vec<(u64, Item)>,
}

/// Reads what there is of a path.
pub(crate) fn of_path(db: &Db, path: &str) -> Result<Earlier> {
    let sql = "SELECT p.path_id, max(v.version_id) FROM path p JOIN file_version v ON v.path_id = p.path_id \
               WHERE p.path = ?1 AND v.skip IS NULL GROUP BY p.path_id";
    let newest: Option<(i64, u32)> = db.prepare(sql)?.query_optional([path], |row| Ok((row.get(0)?, row.get(1)?)))?;
    let Some((path_id, newest)) = newest else { return Ok(Earlier::default()) };
    let newest = VersionId(newest);
    let (bases, Outline { definitions, .. }) = facts::bases(db, path_id, newest)?;
    let items: Vec<Item> = match shared_items::shared(db, newest)? {
        Some(shared) => shared.definitions.items().collect(),
        None => (0..definitions.len() as u32).map(|number| Item { origin: newest, number }).collect(),
    };
    let definitions = definitions.into_iter().zip(items).map(|(definition, item)| {
        let Definition { kind, name, .. } = definition;
        (kind, name, item)
    });
    Ok(Earlier { bases, definitions: definitions.collect(), documents: documents(db, path_id)? })
}

impl Earlier {
    /// The definitions that are known: what they are, and their items.
    pub(crate) fn definitions(&self) -> impl Iterator<Item = ((Kind, &str), Item)> {
        self.definitions.iter().map(|(kind, name, item)| ((*kind, name.as_str()), *item))
    }

    /// The search documents that are known, by hash.
    pub(crate) fn documents(&self) -> impl Iterator<Item = (u64, Item)> {
        self.documents.iter().copied()
    }
}

/// Stands for a search document that is gone.
pub(crate) const GONE: u64 = 0;

fn documents(db: &Db, path_id: i64) -> Result<Vec<(u64, Item)>> {
    let mut statement = db.prepare("SELECT version_id, hashes FROM document WHERE path_id = ?1")?;
    let mut rows = statement.query([path_id])?;
    let mut documents = Vec::new();
    while let Some(row) = rows.next()? {
        let origin = VersionId(row.get(0)?);
        let hashes = row.blob(1)?;
        let hashes = read_hashes(hashes).into_iter().zip(0..);
        documents
            .extend(hashes.filter(|(hash, _)| *hash != GONE).map(|(hash, number)| (hash, Item { origin, number })));
    }
    Ok(documents)
}

/// The stored form of hashes.
pub(crate) fn write_hashes(hashes: &[u64]) -> Vec<u8> {
    hashes.iter().flat_map(|hash| hash.to_le_bytes()).collect()
}

/// Reads the stored form back.
pub(crate) fn read_hashes(blob: &[u8]) -> Vec<u64> {
    blob.as_chunks().0.iter().map(|bytes| u64::from_le_bytes(*bytes)).collect()
}
