//! The rule by which an answer is compared with ripgrep and reads of files. It is conservative:
//!
//! - Each place (path and line) that the answer cites costs one line as ripgrep prints it.
//! - The first three places also cost a read of 40 lines around them, or of the whole file if that
//!   is shorter. Lines that two of them share are counted once.
//! - Searches that would have found too much or nothing are not counted, nor are command lines.
//! - An error or an empty answer replaces nothing.
//!
//! Lines have the mean length of the lines of their file, as the index knows it; no file is read.

use std::collections::{BTreeMap, HashSet};

use codecompass_engine::FileSize;
use serde_json::Value;

/// The places that are followed by a read.
const READS: usize = 3;

/// The lines of a read.
const READ_LINES: u32 = 40;

/// Bytes per token, more than code has: tokenizers make a token of 3 to 4.
const TOKEN_BYTES: u64 = 4;

/// A line that an answer cites.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct CitedPlace {
    path: String,
    line: u32,
}

/// Returns the places that an answer cites, each once, in its order: objects with a path and a line
/// of their own, and those with the first line of a definition below an object with a path.
pub fn cited_places(answer: &Value) -> Vec<CitedPlace> {
    let (mut places, mut known) = (Vec::new(), HashSet::new());
    collect(answer, None, &mut |path, line| {
        if known.insert((path.to_string(), line)) {
            places.push(CitedPlace { path: path.to_string(), line });
        }
    });
    places
}

fn collect<'a>(value: &'a Value, outer: Option<&'a str>, found: &mut impl FnMut(&str, u32)) {
    match value {
        Value::Array(items) => items.iter().for_each(|item| collect(item, outer, found)),
        Value::Object(object) => {
            let number =
                |name: &str| object.get(name).and_then(Value::as_u64).and_then(|line| u32::try_from(line).ok());
            let own = object.get("path").and_then(Value::as_str);
            let path = own.or(outer);
            let line = number("line_start").or_else(|| own.and_then(|_| number("line")));
            if let (Some(path), Some(line)) = (path, line) {
                found(path, line);
            }
            let inner = object.iter().filter(|(name, _)| *name != "metadata");
            inner.for_each(|(_, item)| collect(item, path, found));
        }
        _ => {}
    }
}

/// Keeps the places whose path and line the text of the answer shows: it may be cut, or leave
/// something out.
pub fn keep_shown(places: &mut Vec<CitedPlace>, text: &str) {
    let numbers: HashSet<u32> = text.split(|c: char| !c.is_ascii_digit()).filter_map(|run| run.parse().ok()).collect();
    let mut paths: BTreeMap<String, bool> = BTreeMap::new();
    places.retain(|place| {
        let is_shown = match paths.get(&place.path) {
            Some(is_shown) => *is_shown,
            None => *paths.entry(place.path.clone()).or_insert_with(|| text.contains(&place.path)),
        };
        is_shown && numbers.contains(&place.line)
    });
}

/// Returns the tokens that the places cost with ripgrep and reads. `sizes` knows the files.
pub fn replaced_tokens(places: &[CitedPlace], sizes: impl FnOnce(&[&str]) -> Vec<Option<FileSize>>) -> u64 {
    let paths: Vec<&str> = {
        let mut paths: Vec<&str> = places.iter().map(|place| place.path.as_str()).collect();
        paths.sort_unstable();
        paths.dedup();
        paths
    };
    let files: BTreeMap<&str, FileSize> =
        paths.iter().zip(sizes(&paths)).filter_map(|(path, size)| Some((*path, size?))).collect();
    let is_known = |place: &&CitedPlace| files.get(place.path.as_str()).is_some_and(|file| place.line <= file.lines);
    let mut bytes = 0;
    let mut read: HashSet<(&str, u32)> = HashSet::new();
    for (at, place) in places.iter().filter(is_known).enumerate() {
        let file = files[place.path.as_str()];
        bytes += (place.path.len() + place.line.to_string().len() + "::".len()) as u64 + line_bytes(file);
        if at < READS {
            let first = place.line.saturating_sub(READ_LINES / 2).min(file.lines.saturating_sub(READ_LINES)).max(1);
            let last = file.lines.min(first + READ_LINES - 1);
            let lines = (first..=last).filter(|line| read.insert((&place.path, *line))).count();
            bytes += lines as u64 * line_bytes(file);
        }
    }
    bytes / TOKEN_BYTES
}

/// Returns the mean length of a line.
fn line_bytes(file: FileSize) -> u64 {
    file.bytes / u64::from(file.lines.max(1))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn place(path: &str, line: u32) -> CitedPlace {
        CitedPlace { path: path.into(), line }
    }

    /// Files with lines of 40 bytes.
    fn sizes(lines: u32) -> impl Fn(&[&str]) -> Vec<Option<FileSize>> {
        move |paths| paths.iter().map(|_| Some(FileSize { bytes: u64::from(lines) * 40, lines })).collect()
    }

    #[test]
    fn places_are_objects_with_path_and_line() {
        let answer = json!({
            "symbol": {"path": "a.py", "line_start": 3, "line_end": 9, "line": 4},
            "references": [
                {"path": "b.py", "line": 7, "enclosing": {"name": "f", "line": 5}},
                {"path": "b.py", "line": 7, "column": 9},
                {"path": "b.py", "line": 8},
            ],
            "files": [{"path": "c.py", "symbols": [{"line_start": 1, "children": [{"line_start": 2}]}], "problems": [{"line": 6}]}],
            "folders": [{"path": "d", "files": 3}],
            "metadata": {"path": "e.py", "line": 1},
        });
        let mut places = cited_places(&answer);
        places.sort_by(|a, b| (&a.path, a.line).cmp(&(&b.path, b.line)));
        let expected = [("a.py", 3), ("b.py", 7), ("b.py", 8), ("c.py", 1), ("c.py", 2)];
        assert_eq!(places, expected.map(|(path, line)| place(path, line)));
        assert_eq!(cited_places(&json!({"error": {"message": "no"}})), []);
    }

    #[test]
    fn only_what_the_text_shows_counts() {
        let mut places = vec![place("a.py", 3), place("a.py", 4), place("b.py", 3)];
        keep_shown(&mut places, "a.py\n    3:16  call  in f\n");
        assert_eq!(places, [place("a.py", 3)]);
    }

    #[test]
    fn a_place_costs_its_line_and_the_first_three_a_read() {
        let line = |place: &CitedPlace| (place.path.len() + place.line.to_string().len() + 2) as u64 + 40;
        let far: Vec<CitedPlace> = [100, 300, 500, 700].map(|line| place("src/a.py", line)).into();
        let lines: u64 = far.iter().map(line).sum();
        assert_eq!(replaced_tokens(&far[..1], sizes(1000)), (line(&far[0]) + 40 * 40) / 4);
        assert_eq!(replaced_tokens(&far, sizes(1000)), (lines + 3 * 40 * 40) / 4);
        // Reads that overlap, and files that end.
        let near = [place("a", 100), place("a", 110), place("a", 120)];
        assert_eq!(replaced_tokens(&near, sizes(1000)), (3 * (1 + 3 + 2 + 40) + 60 * 40) / 4);
        let short = [place("a", 1), place("a", 9)];
        assert_eq!(replaced_tokens(&short, sizes(10)), (2 * (1 + 1 + 2 + 40) + 10 * 40) / 4);
        assert_eq!(replaced_tokens(&[place("a", 1000)], sizes(1000)), (1 + 4 + 2 + 40 + 40 * 40) / 4);
    }

    #[test]
    fn what_the_index_does_not_know_replaces_nothing() {
        assert_eq!(replaced_tokens(&[], sizes(10)), 0);
        assert_eq!(replaced_tokens(&[place("a", 11)], sizes(10)), 0, "no such line");
        assert_eq!(replaced_tokens(&[place("a", 1)], |paths| vec![None; paths.len()]), 0);
    }
}
