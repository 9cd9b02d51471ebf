//! A first look at many vectors: one bit a dimension, the side of zero on which it lies.
//!
//! ```text
//! data-N/vectors/K.signs   per row: one bit per dimension, in words of 64
//! ```
//!
//! The bits are made of the rows and say nothing that these do not; a file that is short or missing
//! is made anew, and a reader without one compares all rows. A question keeps four bits a
//! dimension, so that what it hardly says counts little.

use std::fs::OpenOptions;
use std::io::{self, BufWriter, Seek, SeekFrom, Write};
use std::path::Path;

use tantivy::Directory;
use tantivy::directory::{MmapDirectory, OwnedBytes};

use crate::model::VersionId;

/// A live row and where its document stands.
#[derive(Clone, Copy)]
pub(super) struct LiveRow {
    pub(super) row: u32,
    pub(super) chunk: u32,
    pub(super) version: VersionId,
}

/// Views with fewer documents are compared row by row, and stores with fewer rows have no signs.
pub(crate) const FROM: usize = 100_000;

/// Bits of a dimension of the question.
const PLANES: usize = 4;
/// The value of these bits that stands for zero.
const MIDDLE: i32 = 1 << (PLANES - 1);

/// The name of the signs of a pair of files.
pub(super) fn name(file: i64) -> String {
    format!("{file}.signs")
}

fn words(dimensions: usize) -> usize {
    dimensions.div_ceil(64)
}

/// The signs of a row of half bytes: one for what is not below zero.
fn of_row(values: &[u8], out: &mut [u64]) {
    out.fill(0);
    for (at, value) in values.iter().enumerate() {
        // The upper bit of each half: values are stored plus eight.
        let pair = u64::from(value >> 3 & 1) | u64::from(value >> 7) << 1;
        out[at / 32] |= pair << (at % 32 * 2);
    }
}

/// Brings the signs of a pair up to its first `rows` rows, which `row` gives.
pub(super) fn extend<'r>(
    folder: &Path,
    file: i64,
    dimensions: usize,
    rows: usize,
    row: impl Fn(usize) -> &'r [u8],
) -> io::Result<()> {
    let size = words(dimensions) * 8;
    let signs = OpenOptions::new().create(true).truncate(false).write(true).open(folder.join(name(file)))?;
    let there = (signs.metadata()?.len() as usize / size).min(rows);
    signs.set_len((there * size) as u64)?;
    let mut signs = BufWriter::with_capacity(1 << 16, signs);
    signs.seek(SeekFrom::End(0))?;
    let mut bits = vec![0; words(dimensions)];
    for at in there..rows {
        of_row(row(at), &mut bits);
        for word in &bits {
            signs.write_all(&word.to_le_bytes())?;
        }
    }
    signs.flush()
}

/// Forgets the signs of all rows but the first `rows`: others may be written in their place.
pub(super) fn cut(folder: &Path, file: i64, dimensions: usize, rows: u64) -> io::Result<()> {
    match OpenOptions::new().write(true).open(folder.join(name(file))) {
        Ok(signs) if signs.metadata()?.len() > rows * words(dimensions) as u64 * 8 => {
            signs.set_len(rows * words(dimensions) as u64 * 8)
        }
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// The signs of all rows of a pair.
pub(super) struct Signs {
    bytes: OwnedBytes,
    dimensions: usize,
}

impl Signs {
    /// Opens the signs of pair `file`; `None` when there are none, or not of all rows.
    pub(super) fn open(directory: &MmapDirectory, file: i64, dimensions: usize, rows: usize) -> Option<Signs> {
        let name = name(file);
        let path = Path::new(&name);
        if dimensions == 0 || !directory.exists(path).ok()? {
            return None;
        }
        let bytes = directory.open_read(path).ok()?.read_bytes().ok()?;
        let is_whole = bytes.len() >= rows.checked_mul(words(dimensions) * 8)?;
        is_whole.then_some(Signs { bytes, dimensions })
    }

    /// Estimates the nearness of each of `rows` to the question; larger is nearer.
    pub(super) fn estimate(&self, question: &BitPlaneQuery, rows: &[LiveRow], estimates: &mut Vec<i32>) {
        estimates.clear();
        estimates.resize(rows.len(), 0);
        estimate(&self.bytes, words(self.dimensions), question, rows, estimates);
    }
}

/// A question with four bits a dimension: for each 64 dimensions, a word for each of the four.
pub(super) struct BitPlaneQuery {
    planes: Vec<[u64; PLANES]>,
}

impl BitPlaneQuery {
    pub(super) fn new(query: &[f32]) -> BitPlaneQuery {
        let largest = query.iter().fold(0.0_f32, |largest, x| largest.max(x.abs()));
        let step = if largest.is_finite() && largest > 0.0 { largest / (MIDDLE - 1) as f32 } else { 1.0 };
        let mut planes = vec![[0; PLANES]; words(query.len())];
        for (at, x) in query.iter().enumerate() {
            let value = (x / step).round() as i32 + MIDDLE;
            for (bit, plane) in planes[at / 64].iter_mut().enumerate() {
                *plane |= u64::from(value as u32 >> bit & 1) << (at % 64);
            }
        }
        BitPlaneQuery { planes }
    }
}

// Loops by number: the methods of iterators may be compiled apart from it, and each then costs a
// call.
#[multiversion::multiversion(targets("x86_64+avx2+popcnt", "x86_64+sse4.2+popcnt", "aarch64+neon"))]
fn estimate(signs: &[u8], words: usize, question: &BitPlaneQuery, rows: &[LiveRow], estimates: &mut [i32]) {
    let planes = &question.planes[..words];
    let mut at = 0;
    while at < rows.len() {
        let start = rows[at].row as usize * words * 8;
        let bytes = &signs[start..start + words * 8];
        let (mut sum, mut word) = (0, 0);
        while word < words {
            let mut eight = [0; 8];
            eight.copy_from_slice(&bytes[word * 8..word * 8 + 8]);
            let bits = u64::from_le_bytes(eight);
            let mut weight = 0;
            while weight < PLANES {
                sum += ((bits & planes[word][weight]).count_ones() as i32) << weight;
                weight += 1;
            }
            sum -= MIDDLE * bits.count_ones() as i32;
            word += 1;
        }
        estimates[at] = sum;
        at += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::VersionId;
    use crate::store::facts::shared_items::Item;
    use crate::store::vectors::{Header, QuantizedVector, VectorReader, VectorWriter};

    #[test]
    fn signs_of_half_bytes() {
        let row = QuantizedVector::new(&[0.5, -0.5, 0.0, -0.1, 0.4, 0.4]);
        let mut bits = [u64::MAX; 1];
        of_row(&row.values, &mut bits);
        assert_eq!(bits, [0b11_0101]);
    }

    /// Rows that a killed writer left behind those that count are not taken for the signs of
    /// others.
    #[test]
    fn signs_are_those_of_the_rows() {
        let folder = tempfile::tempdir().unwrap();
        let header = Header::new("test", 2);
        let item = |number| Item { origin: VersionId(1), number };
        let mut writer = VectorWriter::create(folder.path(), 1, header).unwrap();
        (0..FROM as u32 + 5).for_each(|n| writer.add(item(n), &QuantizedVector::new(&[1.0, -1.0])).unwrap());
        writer.flush().unwrap();
        drop(writer);

        let counted = FROM as i64;
        let mut writer = VectorWriter::open(folder.path(), 1, counted, header).unwrap().unwrap();
        (0..9).for_each(|n| writer.add(item(n), &QuantizedVector::new(&[-1.0, 1.0])).unwrap());
        writer.flush().unwrap();
        let reader = VectorReader::open(folder.path(), 1, writer.rows).unwrap();
        let signs = reader.signs.as_ref().unwrap();
        let bits = |row: usize| signs.bytes[row * 8];
        assert_eq!((bits(FROM - 1), bits(FROM), bits(FROM + 8)), (0b01, 0b10, 0b10));
    }
}
