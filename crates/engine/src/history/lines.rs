//! The lines that a commit changes, as git's own diff has them, and their form in the store.
//!
//! A document holds the changed files of one commit. Of each it has the place among the commit's
//! changes, the hunks, the removed lines and the added lines. That is enough for `git log -S` and
//! `-G`: what did not change occurs as often before as after.
//!
//! A binary file has no lines. In its place stand runs of readable characters: those that only one
//! side has.

use imara_diff::{Algorithm, Diff, InternedInput, sources};
use rustc_hash::FxHashMap;

/// Git takes a file with a zero byte among so many first ones for binary.
const BINARY_SAMPLE: usize = 8000;
/// Shorter runs of readable characters in binary files are not kept.
pub(super) const MIN_RUN: usize = 4;

/// A changed line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundLine {
    /// The path on its side of the change.
    pub path: String,
    /// True if the commit added it, false if it removed it.
    pub is_added: bool,
    /// The number on its side; `None` in binary files.
    pub line: Option<u32>,
    /// The text.
    pub text: String,
}

/// Returns whether git would call a content binary.
pub(super) fn is_binary(bytes: &[u8]) -> bool {
    memchr::memchr(0, &bytes[..bytes.len().min(BINARY_SAMPLE)]).is_some()
}

/// A stretch of changed lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct LineHunk {
    /// The number of lines before it, in the old and in the new file.
    pub old_start: u32,
    pub new_start: u32,
    pub removed: u32,
    pub added: u32,
}

impl From<imara_diff::Hunk> for LineHunk {
    fn from(hunk: imara_diff::Hunk) -> LineHunk {
        LineHunk {
            old_start: hunk.before.start,
            new_start: hunk.after.start,
            removed: hunk.before.end - hunk.before.start,
            added: hunk.after.end - hunk.after.start,
        }
    }
}

/// The changed lines of one file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct ChangedLines {
    pub is_binary: bool,
    pub hunks: Vec<LineHunk>,
    /// The removed lines with their ends.
    pub removed: Vec<u8>,
    pub added: Vec<u8>,
}

/// Compares two contents; a missing side is empty.
pub(super) fn compare(old: Option<&[u8]>, new: Option<&[u8]>) -> ChangedLines {
    let (old, new) = (old.unwrap_or_default(), new.unwrap_or_default());
    if is_binary(old) || is_binary(new) {
        return compare_binary(old, new);
    }
    let hunks = hunks(old, new);
    let mut changed = ChangedLines { hunks, ..ChangedLines::default() };
    let (mut old_lines, mut new_lines) = (LineCursor::new(old), LineCursor::new(new));
    for hunk in &changed.hunks {
        changed.removed.extend_from_slice(old_lines.range(hunk.old_start, hunk.removed));
        changed.added.extend_from_slice(new_lines.range(hunk.new_start, hunk.added));
    }
    changed
}

/// Returns the hunks that lead from one text to another.
pub(super) fn hunks(old: &[u8], new: &[u8]) -> Vec<LineHunk> {
    let count = |text: &[u8]| {
        let ends = memchr::memchr_iter(b'\n', text).count();
        (ends + usize::from(text.last().is_some_and(|last| *last != b'\n'))) as u32
    };
    match (old.is_empty(), new.is_empty()) {
        (true, true) => return Vec::new(),
        (true, false) => return vec![LineHunk { old_start: 0, new_start: 0, removed: 0, added: count(new) }],
        (false, true) => return vec![LineHunk { old_start: 0, new_start: 0, removed: count(old), added: 0 }],
        (false, false) => {}
    }
    let input = InternedInput::new(sources::byte_lines(old), sources::byte_lines(new));
    Diff::compute(Algorithm::Myers, &input).hunks().map(LineHunk::from).collect()
}

/// Returns the hunks between two contents; those that could stand in several places are where `git
/// blame` puts them, by the indentation of lines.
pub(super) fn placed_hunks(old: &[u8], new: &[u8]) -> Vec<LineHunk> {
    let (old, new) = without_common_tail(old, new);
    if old.is_empty() || new.is_empty() {
        return hunks(old, new);
    }
    let input = InternedInput::new(sources::byte_lines(old), sources::byte_lines(new));
    let mut diff = Diff::compute(Algorithm::Myers, &input);
    diff.postprocess_lines(&input);
    diff.hunks().map(LineHunk::from).collect()
}

/// Cuts off what two texts have in common at their ends, in blocks, as git does before it compares
/// without context. A hunk cannot be moved into what is cut off.
fn without_common_tail<'t>(old: &'t [u8], new: &'t [u8]) -> (&'t [u8], &'t [u8]) {
    const BLOCK: usize = 1024;
    let smaller = old.len().min(new.len());
    let mut cut = 0;
    let block = |text: &'t [u8], cut: usize| &text[text.len() - cut - BLOCK..text.len() - cut];
    while cut + BLOCK <= smaller && block(old, cut) == block(new, cut) {
        cut += BLOCK;
    }
    let tail = &old[old.len() - cut..];
    let kept = memchr::memchr(b'\n', tail).map_or(cut, |end| end + 1);
    (&old[..old.len() - cut + kept], &new[..new.len() - cut + kept])
}

/// Finds lines of a text by number, going forward only.
struct LineCursor<'t> {
    text: &'t [u8],
    line: u32,
    at: usize,
}

impl<'t> LineCursor<'t> {
    fn new(text: &'t [u8]) -> LineCursor<'t> {
        LineCursor { text, line: 0, at: 0 }
    }

    fn skip(&mut self, lines: u32) {
        for _ in 0..lines {
            let end = memchr::memchr(b'\n', &self.text[self.at..]);
            self.at = end.map_or(self.text.len(), |end| self.at + end + 1);
        }
        self.line += lines;
    }

    fn range(&mut self, start: u32, count: u32) -> &'t [u8] {
        self.skip(start.saturating_sub(self.line));
        let from = self.at;
        self.skip(count);
        &self.text[from..self.at]
    }
}

fn compare_binary(old: &[u8], new: &[u8]) -> ChangedLines {
    let mut counts: FxHashMap<&[u8], i64> = FxHashMap::default();
    runs(old).for_each(|run| *counts.entry(run).or_default() -= 1);
    runs(new).for_each(|run| *counts.entry(run).or_default() += 1);
    let mut counts: Vec<(&[u8], i64)> = counts.into_iter().filter(|(_, count)| *count != 0).collect();
    counts.sort_unstable();
    let mut changed = ChangedLines { is_binary: true, ..ChangedLines::default() };
    for (run, count) in counts {
        let side = if count < 0 { &mut changed.removed } else { &mut changed.added };
        for _ in 0..count.unsigned_abs() {
            side.extend_from_slice(run);
            side.push(b'\n');
        }
    }
    changed
}

/// Runs of readable characters.
fn runs(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    let texts = bytes.utf8_chunks().map(|chunk| chunk.valid().as_bytes());
    texts.flat_map(|text| text.split(|byte| is_control(*byte))).filter(|run| run.len() >= MIN_RUN)
}

/// Returns whether a byte ends a run.
pub(super) fn is_control(byte: u8) -> bool {
    byte < 0x20 && byte != b'\t' || byte == 0x7f
}

/// Adds a file to a document; `None` stands for contents that are not kept here.
pub(super) fn write(document: &mut Vec<u8>, change: usize, lines: Option<&ChangedLines>) {
    number(document, change as u64);
    let Some(lines) = lines else { return document.push(2) };
    document.push(u8::from(lines.is_binary));
    number(document, lines.hunks.len() as u64);
    let mut line = 0;
    for hunk in &lines.hunks {
        number(document, u64::from(hunk.old_start - line));
        number(document, u64::from(hunk.removed));
        number(document, u64::from(hunk.added));
        line = hunk.old_start + hunk.removed;
    }
    for side in [&lines.removed, &lines.added] {
        number(document, side.len() as u64);
        document.extend_from_slice(side);
    }
}

fn number(document: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        document.push(value as u8 | 0x80);
        value >>= 7;
    }
    document.push(value as u8);
}

/// A changed file of a document.
#[derive(Clone, Debug)]
pub(super) struct DocumentFile<'d> {
    /// The place among the changes of the commit.
    pub change: usize,
    /// True if the contents are not in the document.
    pub is_omitted: bool,
    pub is_binary: bool,
    hunks: &'d [u8],
    hunk_count: usize,
    pub removed: &'d [u8],
    pub added: &'d [u8],
}

impl DocumentFile<'_> {
    /// Reads the hunks.
    pub(super) fn hunks(&self) -> Vec<LineHunk> {
        let mut reader = DocumentReader { rest: self.hunks };
        let (mut old_start, mut new_start) = (0, 0);
        let mut hunks = Vec::with_capacity(self.hunk_count);
        for _ in 0..self.hunk_count {
            let mut next = || reader.number().unwrap_or(0) as u32;
            let (skipped, removed, added) = (next(), next(), next());
            (old_start, new_start) = (old_start + skipped, new_start + skipped);
            hunks.push(LineHunk { old_start, new_start, removed, added });
            (old_start, new_start) = (old_start + removed, new_start + added);
        }
        hunks
    }
}

/// Reads the files of a document; ends where it makes no sense.
pub(super) struct DocumentReader<'d> {
    rest: &'d [u8],
}

impl<'d> DocumentReader<'d> {
    pub(super) fn new(document: &'d [u8]) -> DocumentReader<'d> {
        DocumentReader { rest: document }
    }

    fn number(&mut self) -> Option<u64> {
        let (mut value, mut shift) = (0, 0);
        loop {
            let (byte, rest) = self.rest.split_first()?;
            self.rest = rest;
            value |= u64::from(byte & 0x7f).checked_shl(shift)?;
            if byte & 0x80 == 0 {
                return Some(value);
            }
            shift += 7;
        }
    }

    fn bytes(&mut self) -> Option<&'d [u8]> {
        let length = usize::try_from(self.number()?).ok()?;
        let (bytes, rest) = self.rest.split_at_checked(length)?;
        self.rest = rest;
        Some(bytes)
    }
}

impl<'d> Iterator for DocumentReader<'d> {
    type Item = DocumentFile<'d>;

    fn next(&mut self) -> Option<DocumentFile<'d>> {
        if self.rest.is_empty() {
            return None;
        }
        let change = usize::try_from(self.number()?).ok()?;
        let (flags, rest) = self.rest.split_first()?;
        self.rest = rest;
        let (is_binary, is_omitted) = (flags & 1 != 0, flags & 2 != 0);
        if is_omitted {
            let none: &[u8] = &[];
            let file =
                DocumentFile { change, is_omitted, is_binary, hunks: none, hunk_count: 0, removed: none, added: none };
            return Some(file);
        }
        let hunk_count = usize::try_from(self.number()?).ok()?;
        let hunks = self.rest;
        for _ in 0..hunk_count * 3 {
            self.number()?;
        }
        let (removed, added) = (self.bytes()?, self.bytes()?);
        Some(DocumentFile { change, is_omitted, is_binary, hunks, hunk_count, removed, added })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documents_return_snapshot_what_was_written() {
        let old = b"a\nb\nc\nd\n";
        let new = b"a\nB\nc\nd\ne";
        let changed = compare(Some(old), Some(new));
        assert_eq!((changed.removed.as_slice(), changed.added.as_slice()), (&b"b\n"[..], &b"B\ne"[..]));
        let mut document = Vec::new();
        write(&mut document, 3, Some(&changed));
        write(&mut document, 700, None);
        let files: Vec<_> = DocumentReader::new(&document).collect();
        assert_eq!(files.len(), 2);
        assert_eq!((files[0].change, files[0].removed, files[0].added), (3, &b"b\n"[..], &b"B\ne"[..]));
        assert_eq!(files[0].hunks(), changed.hunks);
        assert!(files[1].is_omitted && files[1].change == 700);
        // A cut document ends early.
        assert_eq!(DocumentReader::new(&document[..document.len() - 3]).count(), 1);
    }

    #[test]
    fn readable_runs_of_binary_files_are_compared() {
        let changed = compare(Some(b"\0\x01name one\0same text\0"), Some(b"\0\x01name two\0same text\0"));
        assert!(changed.is_binary);
        assert_eq!((changed.removed.as_slice(), changed.added.as_slice()), (&b"name one\n"[..], &b"name two\n"[..]));
    }
}
