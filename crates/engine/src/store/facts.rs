//! Facts of file versions as compact blobs: postcard, compressed with zstd, guarded by a checksum.
//!
//! The outline (definitions, imports, chunks) is read for nearly every answer, the uses (references) only for
//! navigation, so they are two blobs.

use std::cell::RefCell;

use codecompass_syntax::facts::{Binding, Chunk, Definition, FileFacts, Import, Problem, Reference};
use rusqlite::Connection;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::model::VersionId;

/// The part of a file's facts that most answers need.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Outline {
    pub line_count: u32,
    pub definitions: Vec<Definition>,
    pub imports: Vec<Import>,
    pub chunks: Vec<Chunk>,
    pub problems: Vec<Problem>,
}

/// The names a file uses.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Uses {
    pub names: Vec<String>,
    pub references: Vec<Reference>,
    pub bindings: Vec<Binding>,
}

/// Splits facts into their two stored parts.
pub(crate) fn split(facts: FileFacts) -> (Outline, Uses) {
    let FileFacts { line_count, names, definitions, references, bindings, imports, chunks, problems } = facts;
    (Outline { line_count, definitions, imports, chunks, problems }, Uses { names, references, bindings })
}

/// Puts the two stored parts together again.
pub(crate) fn join(outline: Outline, uses: Uses) -> FileFacts {
    let Outline { line_count, definitions, imports, chunks, problems } = outline;
    let Uses { names, references, bindings } = uses;
    FileFacts { line_count, names, definitions, references, bindings, imports, chunks, problems }
}

const CHECKSUM_BYTES: usize = 4;
const LEVEL: i32 = 1;
/// No blob of a file within the size limit decompresses to more.
const MAX_BLOB_BYTES: usize = 1 << 30;

thread_local! {
    static COMPRESSOR: RefCell<Option<zstd::bulk::Compressor<'static>>> = const { RefCell::new(None) };
}

/// Encodes a part for the store.
pub(crate) fn encode<T: Serialize>(part: &T) -> Vec<u8> {
    let plain = postcard::to_stdvec(part).expect("facts are plain data, which postcard can always write");
    let packed = COMPRESSOR.with_borrow_mut(|slot| {
        let compressor = match slot {
            Some(compressor) => compressor,
            None => slot.insert(zstd::bulk::Compressor::new(LEVEL).expect("level 1 is valid")),
        };
        compressor.compress(&plain).expect("compressing into memory cannot fail")
    });
    let mut blob = Vec::with_capacity(CHECKSUM_BYTES + packed.len());
    blob.extend_from_slice(&blake3::hash(&packed).as_bytes()[..CHECKSUM_BYTES]);
    blob.extend_from_slice(&packed);
    blob
}

fn decode<T: DeserializeOwned>(blob: &[u8]) -> Option<T> {
    let (checksum, packed) = blob.split_at_checked(CHECKSUM_BYTES)?;
    if checksum != &blake3::hash(packed).as_bytes()[..CHECKSUM_BYTES] {
        return None;
    }
    let size = zstd::zstd_safe::get_frame_content_size(packed).ok()??;
    let plain = zstd::bulk::decompress(packed, usize::try_from(size).ok()?.min(MAX_BLOB_BYTES)).ok()?;
    postcard::from_bytes(&plain).ok()
}

/// Reads the outline of a version; empty for one that was skipped.
pub(crate) fn outline(db: &Connection, version: VersionId) -> Result<Outline> {
    read(db, version, "SELECT outline FROM facts WHERE version_id = ?1")
}

/// Reads the uses of a version; empty for one that was skipped.
pub(crate) fn uses(db: &Connection, version: VersionId) -> Result<Uses> {
    read(db, version, "SELECT uses FROM facts WHERE version_id = ?1")
}

fn read<T: DeserializeOwned + Default>(db: &Connection, version: VersionId, sql: &str) -> Result<T> {
    let mut statement = db.prepare_cached(sql)?;
    let mut rows = statement.query([version.0])?;
    let Some(row) = rows.next()? else { return Ok(T::default()) };
    let blob = row.get_ref(0)?.as_blob().map_err(|error| damaged(version, &error.to_string()))?;
    decode(blob).ok_or_else(|| damaged(version, "checksum mismatch"))
}

fn damaged(version: VersionId, detail: &str) -> Error {
    Error::Corrupt { path: Default::default(), detail: format!("facts of file version {}: {detail}", version.0) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn round_trip_and_damage() {
        let uses = Uses { names: vec!["a".into(), "b".into()], references: Vec::new(), bindings: Vec::new() };
        let mut blob = encode(&uses);
        assert_eq!(decode::<Uses>(&blob), Some(uses));
        let last = blob.len() - 1;
        blob[last] ^= 1;
        assert_eq!(decode::<Uses>(&blob), None);
        assert_eq!(decode::<Uses>(&[]), None);
    }
}
