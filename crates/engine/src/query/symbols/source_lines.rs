//! Single lines of source, as lists of uses show them. A line that has nothing but an argument is
//! shown with the line of the call that it belongs to.

use std::collections::HashMap;
use std::sync::Arc;

use crate::config::IndexConfig;
use crate::error::Result;
use crate::query::files::current_text::current_text;
use crate::scan::Source;
use crate::store::Snapshot;

/// Lines above an argument in which its call is looked for.
const MAX_LINES_ABOVE: usize = 20;
/// Bytes of the line of a call that are shown before its argument.
const MAX_HEAD: usize = 60;

/// A place whose line is shown.
#[derive(Clone, Copy, Debug)]
pub struct LinePlace<'a> {
    /// Relative to the root, with `/`.
    pub path: &'a str,
    /// Counts from 1.
    pub line: u32,
    /// The column, in bytes from 1, of a name that may be an argument of a call further up; `None`
    /// to show the line alone.
    pub argument: Option<u32>,
}

/// Returns the lines at some places. A file that changed meanwhile gives empty ones.
pub fn source_lines(
    snapshot: &Snapshot,
    source: &Source,
    config: &IndexConfig,
    places: &[LinePlace<'_>],
) -> Result<Vec<String>> {
    // Each text with the places where its lines begin.
    let mut texts: HashMap<&str, (Arc<str>, Vec<usize>)> = HashMap::new();
    let mut lines = Vec::with_capacity(places.len());
    for LinePlace { path, line, argument } in places {
        let (text, starts) = texts.entry(path).or_insert_with(|| {
            let text = current_text(snapshot, source, config, path).unwrap_or_default();
            let ends = memchr::memchr_iter(b'\n', text.as_bytes());
            let starts = std::iter::once(0).chain(ends.map(|end| end + 1)).collect();
            (text, starts)
        });
        let at = (*line as usize).saturating_sub(1);
        let line_at = |at: usize| text.get(*starts.get(at)?..)?.lines().next();
        let found = line_at(at).unwrap_or_default();
        let head = argument.and_then(|column| call_head(line_at, at, column as usize));
        lines.push(match head {
            Some((number, head)) => format!("{}: {} … {}", number + 1, last_bytes(head.trim()), found.trim()),
            None => found.to_string(),
        });
    }
    Ok(lines)
}

/// Returns the line, counted from 0, on which the call opens whose argument stands at a column of a
/// line further down, if it is laid out in lines as formatters do it.
fn call_head<'t>(line_at: impl Fn(usize) -> Option<&'t str>, at: usize, column: usize) -> Option<(usize, &'t str)> {
    let line = line_at(at)?;
    let mut depth = indent(line);
    if !unclosed(line.get(..column.saturating_sub(1))?).is_empty() {
        return None;
    }
    for above in (at.saturating_sub(MAX_LINES_ABOVE)..at).rev() {
        let line = line_at(above)?;
        if line.trim().is_empty() || indent(line) >= depth {
            continue;
        }
        let open = unclosed(line);
        let (place, bracket) = *open.last()?;
        let before = &line[..place];
        let is_call = |before: &str| before.ends_with(|c: char| c.is_alphanumeric() || "_!?>])".contains(c));
        if bracket == b'(' || before.ends_with('!') {
            return is_call(before).then_some((above, line));
        }
        // A list or an object: the first thing of an argument, or inside of another one.
        let before = before.trim_end();
        let in_call = open.iter().any(|(place, bracket)| *bracket == b'(' && is_call(&line[..*place]));
        if in_call && before.ends_with(['(', ',', '[', '{']) {
            return Some((above, line));
        }
        if !(before.is_empty() || before.ends_with(':')) {
            return None;
        }
        depth = indent(line);
    }
    None
}

fn indent(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

/// Returns the brackets of a line that it does not close. Those in quotes do not count.
fn unclosed(line: &str) -> Vec<(usize, u8)> {
    let (mut open, mut quote, mut is_escaped) = (Vec::new(), None, false);
    for (place, byte) in line.bytes().enumerate() {
        match (byte, quote) {
            _ if is_escaped => is_escaped = false,
            (b'\\', Some(_)) => is_escaped = true,
            (byte, Some(end)) if byte == end => quote = None,
            (_, Some(_)) => {}
            (b'"' | b'`', None) => quote = Some(byte),
            (b'(' | b'[' | b'{', None) => open.push((place, byte)),
            (b')' | b']' | b'}', None) => {
                open.pop();
            }
            _ => {}
        }
    }
    open
}

/// Returns the end of a long text, where a line names what it calls.
fn last_bytes(text: &str) -> String {
    if text.len() > MAX_HEAD {
        format!("…{}", &text[text.ceil_char_boundary(text.len() - MAX_HEAD)..])
    } else {
        text.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the number and text of the line that opens the call of the argument marked `$0`.
    fn head(text: &str) -> Option<(usize, String)> {
        let at = text.lines().position(|line| line.contains("$0")).unwrap();
        let column = text.lines().nth(at).unwrap().find("$0").unwrap() + 1;
        let text = text.replace("$0", "");
        let lines: Vec<&str> = text.lines().collect();
        call_head(|at| lines.get(at).copied(), at, column).map(|(at, line)| (at + 1, line.trim().to_string()))
    }

    fn at(number: usize, line: &str) -> Option<(usize, String)> {
        Some((number, line.to_string()))
    }

    #[test]
    fn argument_on_a_line_of_its_own() {
        assert_eq!(head("f(\n  a,\n  KEYS.$0B,\n)"), at(1, "f("));
        assert_eq!(head("x.set(\n  {\n    key: $0B,\n  },\n)"), at(1, "x.set("));
        assert_eq!(head("x.set(a, {\n  key: $0B,\n})"), at(1, "x.set(a, {"));
        assert_eq!(head("x = vec![\n  $0B,\n]"), at(1, "x = vec!["));
        assert_eq!(head("f(a,\n  g(\")\"),\n  $0b)"), at(1, "f(a,"));
    }

    #[test]
    fn other_lines_stand_alone() {
        assert_eq!(head("f($0a)"), None);
        assert_eq!(head("f(\n  g($0a),\n)"), None);
        assert_eq!(head("f(() => {\n  $0a\n})"), None);
        assert_eq!(head("def f(a):\n  $0b"), None);
        assert_eq!(head("x = {\n  a: $0b,\n}"), None);
        assert_eq!(head("return (\n  $0b\n)"), None);
    }
}
