//! Reads vectors out of files that are mapped into memory.

use std::path::Path;

use tantivy::Directory;
use tantivy::directory::{MmapDirectory, OwnedBytes};

use crate::model::VersionId;
use crate::store::facts::shared_items::Item;
use crate::store::vectors::signs::Signs;
use crate::store::vectors::{HEADER, Header, KEY, QuantizedVector, folder, names, row};

/// The rows of a pair of files that count.
pub(crate) struct VectorReader {
    pub(crate) header: Header,
    keys: OwnedBytes,
    values: OwnedBytes,
    pub(super) signs: Option<Signs>,
    rows: usize,
    dimensions: usize,
}

impl VectorReader {
    /// Opens the first `rows` rows of pair `file`; `None` when it is not there or not whole.
    pub(crate) fn open(data: &Path, file: i64, rows: i64) -> Option<VectorReader> {
        if file <= 0 {
            return None;
        }
        let directory = MmapDirectory::open(folder(data)).ok()?;
        let [keys, values] = names(file).map(|name| directory.open_read(Path::new(&name)).ok()?.read_bytes().ok());
        let (keys, values) = (keys?, values?);
        let rows = usize::try_from(rows).ok()?;
        let header = Header::read(&keys)?;
        let dimensions = header.dimensions();
        let is_whole = keys.len() >= HEADER.checked_add(rows.checked_mul(KEY)?)?
            && values.len() >= rows.checked_mul(row::size(dimensions))?;
        let signs = Signs::open(&directory, file, dimensions, rows);
        is_whole.then_some(VectorReader { header, keys, values, signs, rows, dimensions })
    }

    /// Returns the number of rows, those of other views included.
    pub(crate) fn len(&self) -> usize {
        self.rows
    }

    /// The document that a row belongs to.
    #[inline]
    pub(crate) fn item(&self, row: usize) -> Item {
        let key = self.key(row);
        Item { origin: VersionId(u32_at(key, 0)), number: u32_at(key, 4) }
    }

    /// A row as it was written.
    pub(crate) fn row(&self, row: usize) -> QuantizedVector {
        QuantizedVector { scale: self.scale(row), values: self.bytes(row).to_vec() }
    }

    pub(super) fn dimensions(&self) -> usize {
        self.dimensions
    }

    #[inline]
    pub(super) fn scale(&self, row: usize) -> f32 {
        f32::from_bits(u32_at(self.key(row), 8))
    }

    pub(super) fn bytes(&self, row: usize) -> &[u8] {
        let size = row::size(self.dimensions);
        &self.values[row * size..(row + 1) * size]
    }

    /// Returns the values of all rows, and the number of bytes of one.
    pub(super) fn all_bytes(&self) -> (&[u8], usize) {
        (&self.values, row::size(self.dimensions))
    }

    #[inline]
    fn key(&self, row: usize) -> &[u8] {
        &self.keys[HEADER + row * KEY..HEADER + (row + 1) * KEY]
    }
}

#[inline]
fn u32_at(bytes: &[u8], at: usize) -> u32 {
    bytes.get(at..at + 4).and_then(|bytes| bytes.try_into().ok()).map_or(0, u32::from_le_bytes)
}
