//! Appends vectors. Only the holder of the writer's lock does this.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use crate::error::Result;
use crate::files;
use crate::store::facts::shared_items::Item;
use crate::store::vectors::{HEADER, Header, KEY, QuantizedVector, VectorReader, folder, names, row, signs};

/// A pair of files, open for more rows.
pub(crate) struct VectorWriter {
    folder: PathBuf,
    /// The number of the pair.
    pub(crate) file: i64,
    /// Rows written, those of this writer included.
    pub(crate) rows: i64,
    dimensions: usize,
    keys: BufWriter<File>,
    values: BufWriter<File>,
}

impl VectorWriter {
    /// Opens pair `file` behind its first `rows` rows, which is where a killed writer may have left
    /// more. `None` when it is not there, or not whole, or another model made it.
    pub(crate) fn open(data: &Path, file: i64, rows: i64, header: Header) -> Result<Option<VectorWriter>> {
        if VectorReader::open(data, file, rows).is_none_or(|reader| reader.header != header) {
            return Ok(None);
        }
        let (folder, dimensions) = (folder(data), header.dimensions());
        let open = |name: &str, length: u64| -> io::Result<BufWriter<File>> {
            let mut file = OpenOptions::new().write(true).open(folder.join(name))?;
            file.set_len(length)?;
            file.seek(SeekFrom::End(0))?;
            Ok(BufWriter::with_capacity(1 << 16, file))
        };
        let [keys, values] = names(file);
        let count = rows as u64;
        let cut = signs::cut(&folder, file, dimensions, count);
        let keys = open(&keys, (HEADER as u64) + count * KEY as u64);
        let values = open(&values, count * row::size(dimensions) as u64);
        let unwritable = |source| files::unwritable(&folder, source);
        cut.map_err(unwritable)?;
        let (keys, values) = (keys.map_err(unwritable)?, values.map_err(unwritable)?);
        Ok(Some(VectorWriter { folder, file, rows, dimensions, keys, values }))
    }

    /// Makes a new, empty pair.
    pub(crate) fn create(data: &Path, file: i64, header: Header) -> Result<VectorWriter> {
        let (folder, dimensions) = (folder(data), header.dimensions());
        let create = || -> io::Result<VectorWriter> {
            fs::create_dir_all(&folder)?;
            let [keys, values] = names(file).map(|name| File::create(folder.join(name)));
            let (mut keys, values) =
                (BufWriter::with_capacity(1 << 16, keys?), BufWriter::with_capacity(1 << 18, values?));
            keys.write_all(&header.0)?;
            Ok(VectorWriter { folder: folder.clone(), file, rows: 0, dimensions, keys, values })
        };
        create().map_err(|source| files::unwritable(&folder, source))
    }

    /// Adds the vector of a document; one of another size is left out.
    pub(crate) fn add(&mut self, item: Item, row: &QuantizedVector) -> Result<()> {
        if row.values.len() != row::size(self.dimensions) {
            return Ok(());
        }
        let mut key = [0; KEY];
        key[..4].copy_from_slice(&item.origin.0.to_le_bytes());
        key[4..8].copy_from_slice(&item.number.to_le_bytes());
        key[8..].copy_from_slice(&row.scale.to_le_bytes());
        let written = self.keys.write_all(&key).and_then(|()| self.values.write_all(&row.values));
        written.map_err(|source| files::unwritable(&self.folder, source))?;
        self.rows += 1;
        Ok(())
    }

    /// Makes all rows visible to those who open the files now. They are not forced to the disk:
    /// what a power cut leaves half-written is found by its length and made again.
    pub(crate) fn flush(&mut self) -> Result<()> {
        let flushed = self.values.flush().and_then(|()| self.keys.flush());
        let written = flushed.and_then(|()| self.sign());
        written.map_err(|source| files::unwritable(&self.folder, source))
    }

    fn sign(&self) -> io::Result<()> {
        if (self.rows as usize) < signs::FROM {
            return Ok(());
        }
        let data = self.folder.parent().unwrap_or(&self.folder);
        let reader = VectorReader::open(data, self.file, self.rows).ok_or(io::ErrorKind::UnexpectedEof)?;
        sign(data, self.file, &reader)
    }
}

/// Writes the signs that the rows of a pair lack, where there are so many that these are worth
/// having.
pub(crate) fn sign(data: &Path, file: i64, reader: &VectorReader) -> io::Result<()> {
    let dimensions = reader.header.dimensions();
    if reader.len() < signs::FROM || dimensions == 0 {
        return Ok(());
    }
    signs::extend(&folder(data), file, dimensions, reader.len(), |row| reader.bytes(row))
}

/// Removes all pairs but `file` and the one before it, which a process may still be reading.
pub(crate) fn remove_others(data: &Path, file: i64) {
    for entry in fs::read_dir(folder(data)).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let number = name.to_str().and_then(|name| name.split('.').next()?.parse::<i64>().ok());
        if number.is_none_or(|number| number != file && number != file - 1) {
            // What cannot go now goes another time.
            let _ = fs::remove_file(entry.path());
        }
    }
}
