//! Vectors of search documents: one row per document, in two files that only grow.
//!
//! ```text
//! data-N/vectors/K.keys   64 bytes of header, then per row, 4 bytes each: origin and number of the
//!                         document, scale of its vector
//! data-N/vectors/K.rows   per row: half a byte per dimension
//! data-N/vectors/K.signs  of many rows: one bit per dimension (see `signs`)
//! ```
//!
//! A row belongs to an item (see `shared_items`), so a document that several branches share has one
//! vector. The database says which pair of files counts (`vector_file`) and how many rows of it
//! (`vector_rows`): rows that a killed writer left behind the last one are cut off by the next.
//! Readers map the files into memory; collecting garbage writes a new pair and leaves the last one
//! to those who read it. All vectors of a pair were made by one model, which its header names.

mod reader;
mod row;
mod scan;
mod signs;
mod writer;

use std::path::{Path, PathBuf};

pub(crate) use crate::store::vectors::reader::VectorReader;
pub(crate) use crate::store::vectors::row::QuantizedVector;
pub(crate) use crate::store::vectors::scan::{DocumentSet, VectorHit, VectorLimits};
pub(crate) use crate::store::vectors::writer::{VectorWriter, remove_others, sign};
use codecompass_embed::Embedder;

const MAGIC: &[u8; 8] = b"CCvec\0\0\x01";
const HEADER: usize = 64;

/// The header of a pair of files: the model that made its vectors, and their length.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Header([u8; HEADER]);

impl Header {
    /// Of vectors that `embedder` made.
    pub(crate) fn of(embedder: &dyn Embedder) -> Header {
        Header::new(embedder.id(), embedder.dimensions())
    }

    fn new(model: &str, dimensions: usize) -> Header {
        let mut bytes = [0; HEADER];
        bytes[..8].copy_from_slice(MAGIC);
        bytes[8..12].copy_from_slice(&(dimensions as u32).to_le_bytes());
        bytes[16..48].copy_from_slice(blake3::hash(model.as_bytes()).as_bytes());
        Header(bytes)
    }

    fn read(keys: &[u8]) -> Option<Header> {
        let bytes: [u8; HEADER] = keys.get(..HEADER)?.try_into().ok()?;
        bytes.starts_with(MAGIC).then_some(Header(bytes))
    }

    fn dimensions(&self) -> usize {
        let bytes = &self.0[8..12];
        bytes.try_into().map_or(0, |bytes| u32::from_le_bytes(bytes) as usize)
    }
}

/// Bytes of a key.
const KEY: usize = 12;

/// The folder of a data folder's vectors.
pub(crate) fn folder(data: &Path) -> PathBuf {
    data.join("vectors")
}

/// The names of a pair of files.
pub(crate) fn names(file: i64) -> [String; 2] {
    [format!("{file}.keys"), format!("{file}.rows")]
}
