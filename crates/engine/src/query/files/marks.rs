//! Classes of the pieces of a file's text, by line: what a reader shows in colours and as links.

use std::time::Duration;

use codecompass_syntax::{MarkClass, language_named};

use crate::config::IndexConfig;
use crate::error::Result;
use crate::query::symbols::source_text::current_text;
use crate::scan::Source;
use crate::store::Snapshot;

/// A piece of one line. Columns count bytes from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LineMark {
    /// The line, from 1.
    pub line: u32,
    /// The first column.
    pub start: u32,
    /// The column behind the last one.
    pub end: u32,
    /// The class.
    pub class: MarkClass,
}

/// Lists the pieces of the indexed file `path` that have a class, in source order. A file without a
/// known language has none.
pub fn line_marks(snapshot: &Snapshot, source: &Source, config: &IndexConfig, path: &str) -> Result<Vec<LineMark>> {
    let Some(version) = snapshot.version_at(path) else { return Ok(Vec::new()) };
    let info = snapshot.file_info(version)?;
    let Some(language) = info.language.as_deref().and_then(language_named) else { return Ok(Vec::new()) };
    let text = current_text(snapshot, source, config, path)?;
    let limit = Duration::from_millis(config.parse_timeout_ms);
    let mut marks = Vec::new();
    let (mut line, mut line_start) = (1_u32, 0_usize);
    for mark in codecompass_syntax::marks(&text, language, limit) {
        let (mut start, end) = (mark.start as usize, mark.end as usize);
        while let Some(length) = text.get(line_start..start).and_then(|before| before.find('\n')) {
            (line, line_start) = (line + 1, line_start + length + 1);
        }
        // A mark of several lines is one of each.
        while start < end {
            let rest = text.get(start..end).unwrap_or("");
            let newline = rest.find('\n');
            let length = newline.unwrap_or(rest.len());
            let column = |at: usize| (at - line_start) as u32 + 1;
            if length > 0 {
                marks.push(LineMark { line, start: column(start), end: column(start + length), class: mark.class });
            }
            if newline.is_none() {
                break;
            }
            start += length + 1;
            (line, line_start) = (line + 1, start);
        }
    }
    Ok(marks)
}
