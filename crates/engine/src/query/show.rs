//! The source of a symbol, with what is known about it.

use crate::config::IndexConfig;
use crate::error::{Error, Result};
use crate::model::ContentId;
use crate::query::locate::{self, LocateOptions};
use crate::query::{Filter, Hit};
use crate::scan::{ReadOutcome, Source};
use crate::store::Snapshot;

/// A symbol's source.
#[derive(Clone, Debug, PartialEq)]
pub struct ShowAnswer {
    /// The symbol.
    pub symbol: Hit,
    /// First line of `source`: doc comment and decorators are part of it.
    pub source_line: u32,
    /// Whole lines.
    pub source: String,
    /// Other definitions that the argument could mean.
    pub others: Vec<Hit>,
    /// How many there are in all.
    pub total: usize,
}

/// Gives the source of the definition that `symbol` means best.
pub fn show(
    snapshot: &Snapshot,
    source: &Source,
    config: &IndexConfig,
    symbol: &str,
    filter: &Filter,
) -> Result<ShowAnswer> {
    let found = locate::locate(snapshot, symbol, &LocateOptions { filter: filter.clone(), limit: 20 })?;
    let exact = found.class.is_some_and(|class| class <= locate::MatchClass::CaseInsensitive);
    let mut hits = found.hits.into_iter();
    let Some(best) = hits.next().filter(|_| exact) else {
        let suggestions = locate::suggestions(snapshot, symbol)?;
        return Err(Error::SymbolNotFound { symbol: symbol.to_string(), suggestions });
    };
    let text = current_text(snapshot, source, config, &best.path)?;
    let version =
        snapshot.version_at(&best.path).ok_or_else(|| super::outline::file_not_found(snapshot, &best.path))?;
    let outline = snapshot.outline(version)?;
    let ordinal: usize = best.symbol_id.rsplit('.').next().and_then(|n| n.parse().ok()).unwrap_or(0);
    let source_line =
        outline.definitions.get(ordinal).map_or(best.line_start, |definition| definition.outer_start_line);
    let count = (best.line_end + 1).saturating_sub(source_line) as usize;
    let source = text.split_inclusive('\n').skip(source_line as usize - 1).take(count).collect();
    Ok(ShowAnswer { symbol: best, source_line, source, others: hits.collect(), total: found.total })
}

/// The text that the snapshot's facts of `path` were made from.
pub(super) fn current_text(snapshot: &Snapshot, source: &Source, config: &IndexConfig, path: &str) -> Result<String> {
    let version = snapshot.version_at(path).ok_or_else(|| super::outline::file_not_found(snapshot, path))?;
    let expected = ContentId::from_slice(&snapshot.file_info(version)?.content_id);
    match source.reader().read(path, expected, config) {
        ReadOutcome::Text(read) if Some(read.content_id) == expected => Ok(read.text),
        _ => Err(Error::FileChanged { path: path.to_string() }),
    }
}
