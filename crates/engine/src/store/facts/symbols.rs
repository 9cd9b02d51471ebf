//! Definitions by name, for all versions; callers say which of them are in their view, and where.

use codecompass_syntax::facts::Kind;

use crate::error::Result;
use crate::model::VersionId;
use crate::store::facts::shared_items::Item;
use crate::store::sqlite::connection::{Db, Row};

/// A definition of a view.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SymbolRow {
    pub name: String,
    pub version: VersionId,
    pub ordinal: u32,
    pub kind: Kind,
}

/// Says which version of a view has a definition, and its ordinal there.
pub(crate) type ItemLocator<'a> = &'a dyn Fn(Item) -> Option<(VersionId, u32)>;

/// Definitions called `name` in any case that have a place.
pub(crate) fn named(db: &Db, name: &str, place: ItemLocator<'_>) -> Result<Vec<SymbolRow>> {
    let key = name.to_lowercase();
    let sql = "SELECT key, version_id, ordinal, kind, name FROM symbol WHERE key = ?1";
    let mut statement = db.prepare(sql)?;
    let mut rows = statement.query([&key])?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        found.extend(read(&row, place)?);
    }
    Ok(found)
}

/// Definitions whose name starts with `prefix` in any case, in the order of their names, at most
/// `limit` that have a place.
pub(crate) fn with_prefix(db: &Db, prefix: &str, limit: usize, place: ItemLocator<'_>) -> Result<Vec<SymbolRow>> {
    let low = prefix.to_lowercase();
    let high = format!("{low}\u{10FFFF}");
    let sql = "SELECT key, version_id, ordinal, kind, name FROM symbol WHERE key >= ?1 AND key < ?2";
    let mut statement = db.prepare(sql)?;
    let mut rows = statement.query((&low, &high))?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        found.extend(read(&row, place)?);
        if found.len() >= limit {
            break;
        }
    }
    Ok(found)
}

fn read(row: &Row<'_, '_>, place: ItemLocator<'_>) -> Result<Option<SymbolRow>> {
    let Some((version, ordinal)) = place(Item { origin: VersionId(row.get(1)?), number: row.get(2)? }) else {
        return Ok(None);
    };
    let kind: u8 = row.get(3)?;
    let kind = Kind::ALL.get(usize::from(kind)).copied().ok_or_else(|| row.out_of_range(3, kind.into()))?;
    let name: Option<String> = row.get(4)?;
    let name = match name {
        Some(name) => name,
        None => row.get(0)?,
    };
    Ok(Some(SymbolRow { name, version, ordinal, kind }))
}
