//! File versions by path and content.

use std::collections::HashMap;

use crate::error::Result;
use crate::model::{ContentId, VersionId};
use crate::store::sqlite::connection::Db;

/// Versions by path and content.
pub(crate) type KnownContents = HashMap<(String, ContentId), VersionId>;

/// Returns the version of a content at a path and its size, if it was stored before.
pub(crate) fn find(db: &Db, path: &str, content: &ContentId) -> Result<Option<(VersionId, u64)>> {
    let sql = "SELECT v.version_id, v.size FROM file_version v JOIN path p ON p.path_id = v.path_id \
               WHERE p.path = ?1 AND v.content_id = ?2";
    let mut statement = db.prepare(sql)?;
    statement.query_optional((path, &content.0[..]), |row| Ok((VersionId(row.get(0)?), row.get::<_, i64>(1)? as u64)))
}

/// Returns all versions at `paths`.
pub(crate) fn at_paths<'a>(db: &Db, paths: impl Iterator<Item = &'a str>) -> Result<KnownContents> {
    let mut known = HashMap::new();
    let sql =
        "SELECT v.content_id, v.version_id FROM file_version v JOIN path p ON p.path_id = v.path_id WHERE p.path = ?1";
    let mut statement = db.prepare(sql)?;
    for path in paths {
        let mut rows = statement.query([path])?;
        while let Some(row) = rows.next()? {
            let content: Vec<u8> = row.get(0)?;
            if let Some(content) = ContentId::from_slice(&content) {
                known.insert((path.to_string(), content), VersionId(row.get(1)?));
            }
        }
    }
    Ok(known)
}

/// Returns all versions, by the number of their path and their content.
pub(crate) fn all(db: &Db) -> Result<HashMap<(i64, ContentId), VersionId>> {
    let mut statement = db.prepare("SELECT path_id, content_id, version_id FROM file_version")?;
    let mut rows = statement.query([])?;
    let mut versions = HashMap::new();
    while let Some(row) = rows.next()? {
        let content = ContentId::from_slice(row.blob(1)?);
        if let Some(content) = content {
            versions.insert((row.get(0)?, content), VersionId(row.get(2)?));
        }
    }
    Ok(versions)
}
