//! Reads a whole store and says what is wrong with it.

use std::collections::{BTreeSet, HashSet};
use std::path::Path;

use crate::error::Result;
use crate::model::VersionId;
use crate::store::facts;
use crate::store::facts::shared_items::{self, Item, ItemList};
use crate::store::sqlite::connection::Db;
use crate::store::sqlite::{db, meta};
use crate::store::text::index::{self, TextIndex};
use crate::store::vectors::VectorReader;

/// Returns the damage found in a data folder, one line each.
pub(crate) fn problems(data: &Path) -> Result<Vec<String>> {
    let db = db::open_for_reading(data)?;
    let mut problems: Vec<String> = db.prepare("PRAGMA integrity_check(20)")?.query_map([], |row| row.get(0))?;
    problems.retain(|line| line != "ok");
    let text_index = TextIndex::open(data)?;
    if !text_index.stamp()?.is_complete(&db)? {
        problems.push(index::TORN.into());
    }
    let damaged = text_index.verify()?;
    let is_readable = damaged.is_empty();
    problems.extend(damaged.into_iter().map(|file| format!("text index file {file}: checksum mismatch")));
    let documents = if is_readable { Some(text_index.documents()?) } else { None };
    check_versions(&db, documents.as_ref(), &mut problems)?;
    check_vectors(&db, data, documents.as_ref(), &mut problems)?;
    Ok(problems)
}

/// Looks for the vectors of all documents, but for those that are known to lack them.
fn check_vectors(db: &Db, data: &Path, documents: Option<&BTreeSet<Item>>, problems: &mut Vec<String>) -> Result<()> {
    let (file, rows) = (meta::get(db, meta::VECTOR_FILE)?, meta::get(db, meta::VECTOR_ROWS)?);
    if file == 0 {
        return Ok(());
    }
    let Some(reader) = VectorReader::open(data, file, rows) else {
        problems.push("the vectors are missing or not whole".into());
        return Ok(());
    };
    let mut statement = db.prepare("SELECT version_id FROM unembedded")?;
    let lacking: HashSet<VersionId> = statement.query_map([], |row| Ok(VersionId(row.get(0)?)))?;
    let present: HashSet<Item> = (0..reader.len()).map(|row| reader.item(row)).collect();
    let is_missing = |item: &&Item| !lacking.contains(&item.origin) && !present.contains(item);
    match documents.map_or(0, |documents| documents.iter().filter(is_missing).count()) {
        0 => {}
        missing => problems.push(format!("{missing} search documents have no vector")),
    }
    Ok(())
}

/// Reads all facts and looks for the items of all versions.
fn check_versions(db: &Db, documents: Option<&BTreeSet<Item>>, problems: &mut Vec<String>) -> Result<()> {
    let versions = |sql: &str| -> Result<Vec<VersionId>> {
        let mut statement = db.prepare(sql)?;
        statement.query_map([], |row| Ok(VersionId(row.get(0)?)))
    };
    let known: HashSet<VersionId> = versions("SELECT version_id FROM file_version")?.into_iter().collect();
    let mut find = db.prepare("SELECT 1 FROM symbol WHERE key = ?1 AND version_id = ?2 AND ordinal = ?3")?;
    for version in versions("SELECT version_id FROM facts")? {
        let outline = facts::outline(db, version)?;
        facts::uses(db, version)?;
        // Facts that others are stored against may be all that is left of a version.
        if !known.contains(&version) {
            continue;
        }
        let (definition_count, chunk_count) = (outline.definitions.len(), outline.chunks.len());
        let (definitions, own_documents) = match shared_items::shared(db, version)? {
            Some(shared) => (shared.definitions, shared.documents),
            None => (ItemList::own(version, definition_count), ItemList::own(version, chunk_count)),
        };
        let mut is_sound = (definitions.len(), own_documents.len()) == (definition_count as u64, chunk_count as u64);
        for (definition, item) in outline.definitions.iter().zip(definitions.items()) {
            let key = definition.name.to_lowercase();
            is_sound &= find.exists((key, item.origin.0, item.number))?;
        }
        is_sound &= documents.is_none_or(|documents| own_documents.items().all(|item| documents.contains(&item)));
        if !is_sound {
            problems.push(format!("file version {}: definitions or search documents are missing", version.0));
        }
    }
    Ok(())
}
