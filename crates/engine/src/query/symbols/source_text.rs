//! The source of a symbol, with what is known about it.

use crate::config::IndexConfig;
use crate::error::Result;
use crate::query::files::current_text::current_text;
use crate::query::filter::Filter;
use crate::query::hit::Hit;
use crate::query::navigate::Navigator;
use crate::query::subject::Subject;
use crate::query::symbols::locate;
use crate::scan::Source;
use crate::store::Snapshot;

/// A symbol's source.
#[derive(Clone, Debug, PartialEq)]
pub struct ShowAnswer {
    /// The symbol.
    pub subject: Subject,
    /// First line of `source`: doc comment and decorators are part of it.
    pub source_line: u32,
    /// Whole lines.
    pub source: String,
}

/// Gives the source of the definition that `symbol` means best, or of the piece of text at a place
/// without one.
pub fn show(
    snapshot: &Snapshot,
    source: &Source,
    config: &IndexConfig,
    symbol: &str,
    filter: &Filter,
) -> Result<ShowAnswer> {
    let navigator = Navigator::new(snapshot);
    let (subject, definition) = match locate::text_at(snapshot, symbol)? {
        Some(hit) => (Subject::only(hit), None),
        None => {
            let (subject, symbol) = navigator.meant_itself(symbol, filter)?;
            (subject, navigator.resolver.definition(symbol)?)
        }
    };
    let hit = &subject.hit;
    let text = current_text(snapshot, source, config, &hit.path)?;
    let source_line = definition.map_or(hit.line_start, |(_, definition)| definition.outer_start_line);
    let count = (hit.line_end + 1).saturating_sub(source_line) as usize;
    let source = text.split_inclusive('\n').skip((source_line as usize).saturating_sub(1)).take(count).collect();
    Ok(ShowAnswer { subject, source_line, source })
}

/// Returns the whole lines of a hit.
pub fn hit_lines(snapshot: &Snapshot, source: &Source, config: &IndexConfig, hit: &Hit) -> Result<String> {
    let text = current_text(snapshot, source, config, &hit.path)?;
    let count = (hit.line_end + 1).saturating_sub(hit.line_start) as usize;
    Ok(text.split_inclusive('\n').skip((hit.line_start as usize).saturating_sub(1)).take(count).collect())
}
