//! Classes of the pieces of a file's text, by line: what a reader shows in colours and as links.

use std::ops::Range;
use std::time::Duration;

use codecompass_syntax::{MarkClass, NameFacts, language_named};

use crate::config::IndexConfig;
use crate::error::Result;
use crate::query::files::current_text::current_text;
use crate::query::files::read::LineRange;
use crate::query::navigate::Navigator;
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

/// Lists the pieces of the indexed file `path` that have a class, in source order: those from the
/// first to the last of `ranges` of lines, or all if there are none. A file without a known
/// language has none.
pub fn line_marks(
    snapshot: &Snapshot,
    source: &Source,
    config: &IndexConfig,
    path: &str,
    ranges: &[LineRange],
) -> Result<Vec<LineMark>> {
    let Some(version) = snapshot.version_at(path) else { return Ok(Vec::new()) };
    let info = snapshot.file_info(version)?;
    let Some(language) = info.language.as_deref().and_then(language_named) else { return Ok(Vec::new()) };
    let text = current_text(snapshot, source, config, path)?;
    let limit = Duration::from_millis(config.parse_timeout_ms);
    let Some(file) = Navigator::new(snapshot).resolver.file(version)? else { return Ok(Vec::new()) };
    let facts = NameFacts {
        definitions: file.definitions(),
        references: &file.uses.references,
        names: &file.uses.names,
        imports: &file.outline.imports,
        bindings: &file.uses.bindings,
        locals: &file.uses.locals,
    };
    let mut marks = Vec::new();
    let (mut line, mut line_start) = (1_u32, 0_usize);
    for mark in codecompass_syntax::marks(&text, language, facts, wanted(&text, ranges), limit) {
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

/// Returns the bytes from the first to the last of `ranges` of lines.
fn wanted(text: &str, ranges: &[LineRange]) -> Range<usize> {
    let first = ranges.iter().map(|range| range.start).min().unwrap_or(1);
    let last = ranges.iter().map(|range| range.end).max().unwrap_or(u32::MAX);
    let start_of = |line: u32| match line {
        0 | 1 => 0,
        _ => text.match_indices('\n').nth(line as usize - 2).map_or(text.len(), |(at, _)| at + 1),
    };
    start_of(first)..start_of(last.saturating_add(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_bytes() {
        let (text, range) = ("a\nbc\n\nd", |start, end| LineRange { start, end });
        assert_eq!(wanted(text, &[]), 0..7);
        assert_eq!(wanted(text, &[range(1, 1)]), 0..2);
        assert_eq!(wanted(text, &[range(4, 4), range(2, 2)]), 2..7);
        assert_eq!(wanted(text, &[range(9, 12)]), 7..7);
    }
}
