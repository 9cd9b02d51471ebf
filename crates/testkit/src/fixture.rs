//! Fixture text: the files of a workspace in one string, and a cursor in one of them.

use std::path::Path;
use std::{fmt, fs};

/// Starts a file; the rest of the line is its path.
const HEADER: &str = "//- /";

/// Marks the cursor.
const MARK: &str = "$0";

/// Writes the files of a fixture: each starts with a line `//- /path`, its text follows.
pub fn write_fixture(root: &Path, fixture: &str) {
    for (path, text) in files(fixture) {
        write_file(&root.join(path), text.as_bytes());
    }
}

/// Writes a file and the folders above it.
pub(crate) fn write_file(path: &Path, bytes: &[u8]) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, bytes).unwrap();
}

/// The paths and texts of a fixture's files. What stands before the first header belongs to none.
fn files(fixture: &str) -> Vec<(String, String)> {
    let mut files: Vec<(String, String)> = Vec::new();
    for line in fixture.lines() {
        if let Some(path) = line.trim_start().strip_prefix(HEADER) {
            files.push((path.trim().to_string(), String::new()));
        } else if let Some((_, text)) = files.last_mut() {
            text.push_str(line);
            text.push('\n');
        }
    }
    files
}

/// The place of the `$0` in a fixture. Displayed as `path:line:column`, the way a user names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cursor {
    /// The file's path, relative to the root.
    pub path: String,
    /// Line, from 1.
    pub line: u32,
    /// Column in bytes, from 1.
    pub column: u32,
}

impl Cursor {
    /// Takes the only `$0` out of a fixture; returns the fixture without it and where it stood.
    ///
    /// # Panics
    ///
    /// If there is none, more than one, or if it stands outside of any file.
    #[track_caller]
    pub fn extract(fixture: &str) -> (String, Cursor) {
        let (before, after) = fixture.split_once(MARK).expect("the fixture has a `$0`");
        assert!(!after.contains(MARK), "the fixture has more than one `$0`");
        let (path, text) = files(before).pop().expect("the `$0` stands in a file");
        // A line that is cut off in the middle was ended by `files`.
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        let full_lines = text.lines().count() - usize::from(line_start < before.len());
        let cursor = Cursor { path, line: full_lines as u32 + 1, column: (before.len() - line_start) as u32 + 1 };
        (format!("{before}{after}"), cursor)
    }
}

impl fmt::Display for Cursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}", self.path, self.line, self.column)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(fixture: &str, expected: &str) {
        let (without, cursor) = Cursor::extract(fixture);
        assert_eq!(cursor.to_string(), expected);
        assert_eq!(without, fixture.replace("$0", ""));
    }

    #[test]
    fn the_cursor_counts_lines_of_its_file_and_bytes_of_its_line() {
        check("//- /a.py\n$0one\n", "a.py:1:1");
        check("//- /a.py\none\n//- /b/c.py\none\n\nt$0wo\n", "b/c.py:3:2");
        check("\n//- /a.py\ngröße = $0x", "a.py:1:11");
    }

    #[test]
    #[should_panic(expected = "more than one")]
    fn a_second_cursor_is_a_mistake() {
        Cursor::extract("//- /a.py\n$0one $0two\n");
    }

    #[test]
    #[should_panic(expected = "stands in a file")]
    fn a_cursor_outside_of_all_files_is_a_mistake() {
        Cursor::extract("$0\n//- /a.py\n");
    }
}
