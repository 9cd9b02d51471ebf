//! The row of a file version.

use crate::error::Result;
use crate::model::{Role, VersionId};
use crate::store::sqlite::connection::Db;

/// The properties of a file that are known without opening its facts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FileInfo {
    pub language: Option<String>,
    pub role: Role,
    pub skip: Option<String>,
    pub content_id: Vec<u8>,
    pub bytes: u64,
    pub lines: u32,
}

impl FileInfo {
    /// Reads the row of a version.
    pub(super) fn read(db: &Db, version: VersionId) -> Result<FileInfo> {
        let sql = "SELECT language, role, skip, content_id, size, line_count FROM file_version WHERE version_id = ?1";
        db.prepare(sql)?.query_row([version.0], |row| {
            let role: u8 = row.get(1)?;
            Ok(FileInfo {
                language: row.get(0)?,
                role: Role::ALL.get(usize::from(role)).copied().unwrap_or(Role::Source),
                skip: row.get(2)?,
                content_id: row.get(3)?,
                bytes: row.get::<_, i64>(4)?.max(0) as u64,
                lines: row.get::<_, i64>(5).map(|lines| u32::try_from(lines).unwrap_or(0))?,
            })
        })
    }
}
