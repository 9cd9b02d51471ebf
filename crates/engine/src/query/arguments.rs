//! Checks and parts of the texts that questions are asked with.

use crate::error::{Error, Result};

/// The longest symbol that is accepted, and the part of a query that is searched for.
const MAX_QUERY_BYTES: usize = 64 * 1024;

/// Returns the part of a query that is searched for. A longer text is cut at the end of a line, or
/// between characters where the lines are long.
pub(super) fn searched_part(query: &str) -> &str {
    let query = query.trim();
    if query.len() <= MAX_QUERY_BYTES {
        return query;
    }
    let head = &query[..query.floor_char_boundary(MAX_QUERY_BYTES)];
    let end = head.rfind('\n').filter(|end| *end >= MAX_QUERY_BYTES / 2);
    head[..end.unwrap_or(head.len())].trim_end()
}

/// Returns how many bytes at the end of a query are too many to be searched for.
pub fn ignored_query_bytes(query: &str) -> usize {
    query.trim().len() - searched_part(query).len()
}

/// A query or symbol without blanks around it; the error calls it `what`.
pub(super) fn checked<'a>(asked: &'a str, what: &str) -> Result<&'a str> {
    let asked = asked.trim();
    match asked.len() {
        0 => Err(Error::InvalidInput(format!("the {what} is empty"))),
        1..=MAX_QUERY_BYTES => Ok(asked),
        size => Err(Error::InvalidInput(format!("the {what} has {size} bytes, at most {MAX_QUERY_BYTES} are allowed"))),
    }
}

/// Refuses a text that is longer than a query may be; the error calls it `what`.
pub(super) fn check_length(asked: &str, what: &str) -> Result<()> {
    match asked.len() {
        0..=MAX_QUERY_BYTES => Ok(()),
        size => Err(Error::InvalidInput(format!("the {what} has {size} bytes, at most {MAX_QUERY_BYTES} are allowed"))),
    }
}

/// The parts of a qualified name in any notation, in lower case.
pub(super) fn name_parts(name: &str) -> impl Iterator<Item = String> {
    name.split(['.', ':', '#', '/', '\\']).filter(|part| !part.is_empty()).map(str::to_lowercase)
}

/// Reads `path:line` and `path:line:column`.
pub fn parse_place(place: &str) -> Option<(&str, u32, Option<u32>)> {
    // A number too large for any file is still meant as one.
    let number = |text: &str| {
        let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        is_number.then(|| text.parse::<u32>().unwrap_or(u32::MAX))
    };
    let (before, last) = place.rsplit_once(':')?;
    let last = number(last)?;
    if let Some((path, line)) = before.rsplit_once(':')
        && let Some(line) = number(line)
        && !path.is_empty()
        && !path.ends_with(':')
    {
        return Some((path.trim_start_matches("./"), line, Some(last)));
    }
    let is_path = !before.is_empty() && !before.ends_with(':');
    is_path.then(|| (before.trim_start_matches("./"), last, None))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_queries_are_cut() {
        let fitting = "word ".repeat(MAX_QUERY_BYTES / 5);
        assert_eq!((searched_part(&fitting), ignored_query_bytes(&fitting)), (fitting.trim(), 0));
        let lines = "a line of a pasted text\n".repeat(5_000);
        let part = searched_part(&lines);
        assert!(part.len() > MAX_QUERY_BYTES - 24 && part.ends_with("a pasted text"), "{}", part.len());
        assert_eq!(ignored_query_bytes(&lines), lines.trim().len() - part.len());
        // A cut behind the only line end would lose nearly everything.
        let long_line = format!("title\n{}", "ü".repeat(MAX_QUERY_BYTES));
        assert_eq!(searched_part(&long_line).len(), MAX_QUERY_BYTES);
    }

    #[test]
    fn places() {
        assert_eq!(parse_place("a/b.py:3"), Some(("a/b.py", 3, None)));
        assert_eq!(parse_place("./a/b.py:3:14"), Some(("a/b.py", 3, Some(14))));
        assert_eq!(parse_place("a/b.py:99999999999"), Some(("a/b.py", u32::MAX, None)));
        assert_eq!(parse_place("C:a.py:3"), Some(("C:a.py", 3, None)));
        for other in ["", "a.py", "a::b", "a::3", ":3", "a.py:", "a.py:x", "Enum.map/2", "a::b:c"] {
            assert_eq!(parse_place(other), None, "{other}");
        }
    }
}
