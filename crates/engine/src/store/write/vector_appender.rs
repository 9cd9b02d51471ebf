//! The vector side of a writer: rows are appended to the files of one model, and a batch says how
//! many of them count.

use std::path::{Path, PathBuf};

use crate::error::Result;
use crate::store::facts::shared_items::Item;
use crate::store::sqlite::connection::Db;
use crate::store::sqlite::meta;
use crate::store::vectors::{self, Header, QuantizedVector, VectorReader, VectorWriter};
use crate::store::write::version_removal::Held;

/// Adds vectors of one model; the files are opened with the first of them.
pub(super) struct VectorAppender {
    data: PathBuf,
    /// The model that makes the vectors, if there is one.
    model: Option<Header>,
    writer: Option<VectorWriter>,
}

impl VectorAppender {
    /// Prepares to append to the vectors of a data folder, and removes files that the database does
    /// not name.
    pub(super) fn open(data: &Path, db: &Db) -> Result<VectorAppender> {
        vectors::remove_others(data, meta::get(db, meta::VECTOR_FILE)?);
        Ok(VectorAppender { data: data.to_path_buf(), model: None, writer: None })
    }

    /// Sets the model that makes the vectors that follow.
    pub(super) fn use_model(&mut self, model: Header) {
        self.model = Some(model);
    }

    /// Adds the vector of a document; without a model it is left out.
    pub(super) fn add(&mut self, db: &Db, item: Item, row: &QuantizedVector) -> Result<()> {
        match self.writer(db)? {
            Some(writer) => writer.add(item, row),
            None => Ok(()),
        }
    }

    /// Makes the rows readable and notes in the transaction of `db` how many count.
    pub(super) fn flush(&mut self, db: &Db) -> Result<()> {
        let Some(writer) = &mut self.writer else { return Ok(()) };
        writer.flush()?;
        note_rows(db, writer)
    }

    /// Drops what was not flushed.
    pub(super) fn abandon(&mut self) {
        self.writer = None;
    }

    /// Writes the vectors anew when many are of documents that are gone.
    pub(super) fn compact(&mut self, db: &Db) -> Result<()> {
        self.writer = None;
        let sql = "DELETE FROM unembedded WHERE version_id NOT IN (SELECT version_id FROM document)";
        db.execute(sql, [])?;
        let (file, rows) = (meta::get(db, meta::VECTOR_FILE)?, meta::get(db, meta::VECTOR_ROWS)?);
        let Some(reader) = VectorReader::open(&self.data, file, rows) else { return Ok(()) };
        let held = Held::by_all(db)?.documents;
        let kept: Vec<usize> = (0..reader.len()).filter(|row| held.has(reader.item(*row))).collect();
        if (reader.len() - kept.len()) * 4 <= reader.len() {
            return Ok(());
        }
        let mut writer = VectorWriter::create(&self.data, file + 1, reader.header)?;
        for row in kept {
            writer.add(reader.item(row), &reader.row(row))?;
        }
        writer.flush()?;
        db.execute_batch("BEGIN IMMEDIATE")?;
        note_rows(db, &writer)?;
        db.execute_batch("COMMIT")?;
        vectors::remove_others(&self.data, writer.file);
        Ok(())
    }

    /// Returns the open files. Those of another model, or damaged ones, are made again.
    fn writer(&mut self, db: &Db) -> Result<Option<&mut VectorWriter>> {
        let Some(model) = self.model else { return Ok(None) };
        if self.writer.is_none() {
            let (file, rows) = (meta::get(db, meta::VECTOR_FILE)?, meta::get(db, meta::VECTOR_ROWS)?);
            let opened = VectorWriter::open(&self.data, file, rows, model)?;
            if opened.is_none() {
                let sql = "INSERT OR IGNORE INTO unembedded SELECT DISTINCT version_id FROM document WHERE ?1 > 0";
                db.execute(sql, [file])?;
            }
            let made = || VectorWriter::create(&self.data, file + 1, model);
            self.writer = Some(opened.map_or_else(made, Ok)?);
        }
        Ok(self.writer.as_mut())
    }
}

fn note_rows(db: &Db, writer: &VectorWriter) -> Result<()> {
    meta::set(db, meta::VECTOR_FILE, writer.file)?;
    meta::set(db, meta::VECTOR_ROWS, writer.rows)
}
