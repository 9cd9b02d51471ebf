//! Tests of changed lines: `git log -S` and `-G`.
//!
//! `-S` compares how often a text occurs before and after, in each file; `-G` asks whether an added
//! or removed line matches. Both look at changed lines alone, which gives the same.

use memchr::memmem;
use regex::bytes::{Regex, RegexBuilder};

use crate::error::{Error, Result};
use crate::history::lines::{self, ChangedLines, LineHunk};

/// The change of a text that is looked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TextQuery {
    /// The number of occurrences changed, as `git log -S`.
    Changed(String),
    /// There are more occurrences than before.
    Added(String),
    /// There are fewer occurrences than before.
    Removed(String),
    /// An added or removed line matches a regular expression, as `git log -G`.
    Regex(String),
}

/// A [`TextQuery`], ready to be used.
pub(super) struct TextTest {
    matcher: TextMatcher,
    wanted: Wanted,
    /// True if lines alone cannot tell, since the text extends over several.
    pub needs_contents: bool,
    /// True if binary files can be judged by their readable runs.
    fits_runs: bool,
}

enum TextMatcher {
    Literal(Box<memmem::Finder<'static>>),
    Regex { regex: Regex, matches_empty: bool },
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Wanted {
    Changed,
    Added,
    Removed,
    Line,
}

impl TextTest {
    pub(super) fn new(query: &TextQuery, ignore_case: bool) -> Result<TextTest> {
        let (text, wanted) = match query {
            TextQuery::Changed(text) => (text, Wanted::Changed),
            TextQuery::Added(text) => (text, Wanted::Added),
            TextQuery::Removed(text) => (text, Wanted::Removed),
            TextQuery::Regex(text) => (text, Wanted::Line),
        };
        if text.is_empty() {
            return Err(Error::InvalidInput("the text to look for is empty".into()));
        }
        let is_literal = wanted != Wanted::Line;
        let matcher = if is_literal && !ignore_case {
            TextMatcher::Literal(Box::new(memmem::Finder::new(text).into_owned()))
        } else {
            let pattern = if is_literal { regex::escape(text) } else { text.clone() };
            let regex = regex(&pattern, ignore_case)?;
            TextMatcher::Regex { matches_empty: !is_literal && regex.is_match(b""), regex }
        };
        let fits_runs = text.len() >= lines::MIN_RUN && !text.bytes().any(lines::is_control);
        Ok(TextTest { matcher, wanted, needs_contents: is_literal && text.contains('\n'), fits_runs })
    }

    /// Returns whether a text, of which changed lines are parts, can have what is looked for.
    pub(super) fn may_be_in(&self, text: &[u8]) -> bool {
        match &self.matcher {
            TextMatcher::Literal(finder) => finder.find(text).is_some(),
            TextMatcher::Regex { .. } => true,
        }
    }

    /// Returns whether the changed lines of a file are what is looked for.
    pub(super) fn accepts(&self, removed: &[u8], added: &[u8], is_binary: bool) -> bool {
        if self.wanted == Wanted::Line {
            // Git looks for lines in texts alone.
            return !is_binary && (self.has_line(removed) || self.has_line(added));
        }
        if is_binary && !self.fits_runs {
            return false;
        }
        self.judge(self.count(removed), self.count(added))
    }

    /// Returns whether the change from one whole content to another passes the test.
    pub(super) fn accepts_contents(&self, old: Option<&[u8]>, new: Option<&[u8]>) -> bool {
        match self.wanted {
            Wanted::Line => {
                let ChangedLines { is_binary, removed, added, .. } = lines::compare(old, new);
                self.accepts(&removed, &added, is_binary)
            }
            _ => self.judge(self.count(old.unwrap_or_default()), self.count(new.unwrap_or_default())),
        }
    }

    fn judge(&self, before: usize, after: usize) -> bool {
        match self.wanted {
            Wanted::Changed | Wanted::Line => before != after,
            Wanted::Added => after > before,
            Wanted::Removed => after < before,
        }
    }

    fn count(&self, text: &[u8]) -> usize {
        match &self.matcher {
            TextMatcher::Literal(finder) => finder.find_iter(text).count(),
            TextMatcher::Regex { regex, .. } => regex.find_iter(text).count(),
        }
    }

    fn has_line(&self, text: &[u8]) -> bool {
        match &self.matcher {
            TextMatcher::Literal(finder) => finder.find(text).is_some(),
            // Git sees the end of each line as one more, empty line.
            TextMatcher::Regex { matches_empty: true, .. } => !text.is_empty(),
            // Most texts have no match at all, and then they need not be cut into lines.
            TextMatcher::Regex { regex, .. } => {
                regex.is_match(text) && split_lines(text).any(|line| regex.is_match(line))
            }
        }
    }

    /// Returns whether a line is one that an answer shows.
    fn shows(&self, line: &[u8]) -> bool {
        match &self.matcher {
            TextMatcher::Literal(finder) => finder.find(line).is_some(),
            TextMatcher::Regex { regex, .. } => regex.is_match(line),
        }
    }

    /// Counts the removed and the added lines with a match.
    pub(super) fn matching_lines(&self, removed: &[u8], added: &[u8]) -> (usize, usize) {
        let count = |text: &[u8]| {
            if self.may_be_in(text) { split_lines(text).filter(|line| self.shows(line)).count() } else { 0 }
        };
        (count(removed), count(added))
    }

    /// Counts occurrences in whole contents.
    pub(super) fn occurrences(&self, old: Option<&[u8]>, new: Option<&[u8]>) -> (usize, usize) {
        (self.count(old.unwrap_or_default()), self.count(new.unwrap_or_default()))
    }

    /// Lists the lines with a match: the sign, the line number if the file has lines, and the text.
    pub(super) fn shown_lines(&self, hunks: &[LineHunk], removed: &[u8], added: &[u8]) -> Vec<ShownLine> {
        let numbers = |side: fn(&LineHunk) -> (u32, u32)| {
            hunks.iter().map(side).flat_map(|(start, count)| start + 1..=start + count)
        };
        let side = |text: &[u8], numbers: &mut dyn Iterator<Item = u32>, is_added: bool| -> Vec<ShownLine> {
            let is_wanted = match self.wanted {
                Wanted::Added => is_added,
                Wanted::Removed => !is_added,
                _ => true,
            };
            let mut shown = Vec::new();
            for line in split_lines(text) {
                let number = numbers.next();
                if is_wanted && self.shows(line) {
                    shown.push(ShownLine { is_added, number, text: String::from_utf8_lossy(line).into_owned() });
                }
            }
            shown
        };
        let mut shown = side(removed, &mut numbers(|hunk| (hunk.old_start, hunk.removed)), false);
        shown.extend(side(added, &mut numbers(|hunk| (hunk.new_start, hunk.added)), true));
        shown
    }
}

/// A changed line with a match.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ShownLine {
    pub is_added: bool,
    pub number: Option<u32>,
    pub text: String,
}

/// The lines of a text without their ends.
fn split_lines(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    text.split_inclusive(|byte| *byte == b'\n').map(|line| line.strip_suffix(b"\n").unwrap_or(line))
}

/// Compiles an expression in which `^` and `$` mean the ends of a line.
pub(super) fn regex(pattern: &str, ignore_case: bool) -> Result<Regex> {
    let invalid = |error: &dyn std::fmt::Display| {
        let detail = error.to_string().lines().last().unwrap_or_default().trim_start_matches("error: ").to_string();
        Error::InvalidPattern { column: None, detail }
    };
    if let Err(error) = regex_syntax::ast::parse::Parser::new().parse(pattern) {
        let at = error.span().start.offset;
        let column = pattern.get(..at).map(|before| before.chars().count() + 1);
        return Err(Error::InvalidPattern { column, detail: error.kind().to_string() });
    }
    let built = RegexBuilder::new(pattern).multi_line(true).case_insensitive(ignore_case).build();
    built.map_err(|error| invalid(&error))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn accepts(query: TextQuery, old: &str, new: &str) -> bool {
        let test = TextTest::new(&query, false).unwrap();
        let changed = lines::compare(Some(old.as_bytes()), Some(new.as_bytes()));
        let by_lines = test.accepts(&changed.removed, &changed.added, false);
        let by_contents = test.accepts_contents(Some(old.as_bytes()), Some(new.as_bytes()));
        assert!(test.needs_contents || by_lines == by_contents, "{query:?}");
        by_contents
    }

    #[test]
    fn occurrences_count() {
        let changed = |text: &str| TextQuery::Changed(text.into());
        assert!(accepts(changed("a"), "x\n", "x\na\n"));
        assert!(!accepts(changed("a"), "a\nx\n", "x\na\n"), "moved");
        assert!(accepts(changed("a"), "a\n", "aa\n"));
        assert!(!accepts(changed("aa"), "aaa\n", "aa\n"), "occurrences do not overlap");
        assert!(accepts(changed("a\nb"), "a\nb\n", "a\nx\nb\n"), "over lines");
        assert!(accepts(TextQuery::Added("a".into()), "x\n", "a\n"));
        assert!(!accepts(TextQuery::Added("a".into()), "a\n", "x\n"));
        assert!(accepts(TextQuery::Removed("a".into()), "a\n", "x\n"));
    }

    #[test]
    fn lines_match() {
        let regex = |text: &str| TextQuery::Regex(text.into());
        assert!(accepts(regex("^a$"), "a\nx\n", "x\na\n"), "moved");
        assert!(!accepts(regex("^a$"), "x\n", "xa\n"));
        assert!(!accepts(regex("a[^c]"), "x\n", "x\na\n"), "a list never matches the end of a line");
        assert!(accepts(regex("^$"), "x\n", "y\n"), "git's own quirk");
        let wrong = TextTest::new(&regex("a("), false).err().unwrap().to_string();
        assert_eq!(wrong, "the pattern is not valid at column 2: unclosed group");
    }
}
