//! Definitions by name, for all versions; callers filter by their live set.

use codecompass_syntax::facts::Kind;
use rusqlite::{Connection, Row};

use crate::error::Result;
use crate::model::VersionId;

/// A row of the symbol table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SymbolRow {
    pub name: String,
    pub version: VersionId,
    pub ordinal: u32,
    pub kind: Kind,
}

/// All definitions called `name` in any case.
pub(crate) fn named(db: &Connection, name: &str) -> Result<Vec<SymbolRow>> {
    let key = name.to_lowercase();
    let sql = "SELECT key, version_id, ordinal, kind, name FROM symbol WHERE key = ?1";
    let mut statement = db.prepare_cached(sql)?;
    Ok(statement.query_map([&key], read)?.collect::<rusqlite::Result<_>>()?)
}

/// Definitions whose name starts with `prefix` in any case, in the order of their names, at most `limit` rows that
/// `keep` accepts.
pub(crate) fn with_prefix(
    db: &Connection,
    prefix: &str,
    limit: usize,
    keep: &dyn Fn(&SymbolRow) -> bool,
) -> Result<Vec<SymbolRow>> {
    let low = prefix.to_lowercase();
    let high = format!("{low}\u{10FFFF}");
    let sql = "SELECT key, version_id, ordinal, kind, name FROM symbol WHERE key >= ?1 AND key < ?2";
    let mut statement = db.prepare_cached(sql)?;
    let mut rows = statement.query((&low, &high))?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        let symbol = read(row)?;
        if keep(&symbol) {
            found.push(symbol);
            if found.len() >= limit {
                break;
            }
        }
    }
    Ok(found)
}

fn read(row: &Row<'_>) -> rusqlite::Result<SymbolRow> {
    let kind: u8 = row.get(3)?;
    let kind =
        Kind::ALL.get(usize::from(kind)).copied().ok_or(rusqlite::Error::IntegralValueOutOfRange(3, kind.into()))?;
    let name: Option<String> = row.get(4)?;
    Ok(SymbolRow {
        name: match name {
            Some(name) => name,
            None => row.get(0)?,
        },
        version: VersionId(row.get(1)?),
        ordinal: row.get(2)?,
        kind,
    })
}
