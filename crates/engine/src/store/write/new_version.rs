//! A file version that is to be stored, and its rows in the database.

use codecompass_syntax::facts::Kind;

use crate::error::Result;
use crate::model::{ContentId, Role, VersionId};
use crate::store::facts::Encoded;
use crate::store::facts::previous_versions::write_hashes;
use crate::store::sqlite::connection::Db;
use crate::store::text::index::ChunkDocument;
use crate::store::vectors::QuantizedVector;

/// Everything to be stored about a content never seen at its path before; made by the parsing
/// threads.
pub(crate) struct NewVersion {
    pub content_id: ContentId,
    pub size: u64,
    pub language: Option<&'static str>,
    pub role: Role,
    /// The code of the reason why there are no facts.
    pub skip: Option<&'static str>,
    pub line_count: u32,
    pub chunk_count: usize,
    pub symbol_count: usize,
    pub facts: Encoded,
    /// The items it shares with earlier versions of its path, as they are stored.
    pub shared: Option<Vec<u8>>,
    /// Definitions that no earlier version has.
    pub symbols: Vec<SymbolKey>,
    /// Search documents that no earlier version has, and their hashes.
    pub documents: Vec<ChunkDocument>,
    pub hashes: Vec<u64>,
    /// The vectors of those documents; empty when they are not made yet.
    pub vectors: Vec<QuantizedVector>,
    /// The filter for text searches, in a large tree.
    pub trigrams: Option<Vec<u8>>,
}

/// A definition as the symbol table knows it.
pub(crate) struct SymbolKey {
    pub name: String,
    pub ordinal: u32,
    pub kind: Kind,
}

impl NewVersion {
    /// Returns whether every document has its vector already.
    pub(super) fn is_embedded(&self) -> bool {
        self.vectors.len() == self.documents.len()
    }
}

/// Inserts the rows of a version: the version itself, its facts, what it shares, its trigrams,
/// its symbols and the hashes of its documents.
pub(super) fn insert(db: &Db, path_id: i64, version: VersionId, new: &NewVersion) -> Result<()> {
    insert_version(db, path_id, version, new)?;
    if new.skip.is_none() {
        let Encoded { base, outline, uses } = &new.facts;
        db.prepare("INSERT INTO facts (version_id, base_id, outline, uses) VALUES (?1, ?2, ?3, ?4)")?.execute((
            version.0,
            base.map(|base| base.0),
            outline,
            uses,
        ))?;
    }
    if let Some(items) = &new.shared {
        let sql = "INSERT INTO shared (version_id, items) VALUES (?1, ?2)";
        db.prepare(sql)?.execute((version.0, items))?;
    }
    if let Some(filter) = &new.trigrams {
        let sql = "INSERT INTO trigrams (version_id, filter) VALUES (?1, ?2)";
        db.prepare(sql)?.execute((version.0, filter))?;
    }
    insert_symbols(db, version, &new.symbols)?;
    if !new.documents.is_empty() {
        let sql = "INSERT INTO document (path_id, version_id, hashes) VALUES (?1, ?2, ?3)";
        db.prepare(sql)?.execute((path_id, version.0, write_hashes(&new.hashes)))?;
        if !new.is_embedded() {
            let sql = "INSERT OR IGNORE INTO unembedded (version_id) VALUES (?1)";
            db.prepare(sql)?.execute([version.0])?;
        }
    }
    Ok(())
}

fn insert_version(db: &Db, path_id: i64, version: VersionId, new: &NewVersion) -> Result<()> {
    db.prepare(
        "INSERT INTO file_version (version_id, path_id, content_id, size, language, role, skip, line_count, \
         chunk_count, symbol_count) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
    )?
    .execute((
        version.0,
        path_id,
        &new.content_id.0[..],
        new.size as i64,
        new.language,
        new.role as u8,
        new.skip,
        new.line_count,
        new.chunk_count as i64,
        new.symbol_count as i64,
    ))?;
    Ok(())
}

fn insert_symbols(db: &Db, version: VersionId, symbols: &[SymbolKey]) -> Result<()> {
    let sql = "INSERT INTO symbol (key, version_id, ordinal, kind, name) VALUES (?1, ?2, ?3, ?4, ?5)";
    let mut insert = db.prepare(sql)?;
    for symbol in symbols {
        let key = symbol.name.to_lowercase();
        let name = (key != symbol.name).then_some(&symbol.name);
        insert.execute((&key, version.0, symbol.ordinal, symbol.kind as u8, name))?;
    }
    Ok(())
}
