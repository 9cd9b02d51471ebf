//! Lines of a file, of any size.

use std::io::{BufRead, BufReader, Cursor, Read};

use crate::model::SkipReason;
use crate::scan::{RawContent, SAMPLE_BYTES, decode};

/// A range of lines, both ends included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LineRange {
    /// The first line, from 1.
    pub start: u32,
    /// The last line; one behind the end of the file means its end.
    pub end: u32,
}

impl LineRange {
    /// All lines.
    pub const ALL: LineRange = LineRange { start: 1, end: u32::MAX };
}

/// Limits of reading.
#[derive(Clone, Copy, Debug)]
pub struct ReadLimits {
    /// A larger file is read only by ranges, and only as far as they go.
    pub max_file_bytes: u64,
    /// Longer lines are cut.
    pub max_line_bytes: usize,
}

/// Lines of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FileLines {
    /// For each range, in order and without overlaps, the number of its first line and its lines,
    /// each with its line end. A range behind the end of the file has none.
    pub ranges: Vec<(u32, Vec<String>)>,
    /// Lines in the file; `None` where it was not read to its end.
    pub line_count: Option<u32>,
    /// The number of lines that were cut.
    pub cut_lines: usize,
    /// True if bytes that are no valid text were replaced.
    pub is_lossy: bool,
}

/// Reads ranges of lines; without any, the whole file.
pub fn read(content: RawContent, ranges: &[LineRange], limits: ReadLimits) -> Result<FileLines, SkipReason> {
    let unreadable = |error: std::io::Error| SkipReason::Unreadable(error.to_string());
    let (size, mut reader): (u64, Box<dyn BufRead>) = match content {
        RawContent::File(file) => {
            (file.metadata().map_err(unreadable)?.len(), Box::new(BufReader::with_capacity(SAMPLE_BYTES, file)))
        }
        RawContent::Bytes(bytes) => (bytes.len() as u64, Box::new(Cursor::new(bytes))),
    };
    let mut lines = RangeReader { ranges: merged(ranges), limits, found: FileLines::default(), number: 0 };
    lines.found.ranges = lines.ranges.iter().map(|range| (range.start, Vec::new())).collect();
    if size > limits.max_file_bytes {
        if ranges.is_empty() {
            return Err(SkipReason::TooLarge(size));
        }
        lines.read_from(reader.as_mut()).map_err(|error| error.map_or(SkipReason::Binary, unreadable))?;
        return Ok(lines.found);
    }
    let mut bytes = Vec::new();
    reader.take(limits.max_file_bytes.saturating_add(1)).read_to_end(&mut bytes).map_err(unreadable)?;
    let (text, is_lossy) = decode(bytes).ok_or(SkipReason::Binary)?;
    for line in text.split_inclusive('\n') {
        lines.add(line.as_bytes(), 0);
    }
    lines.found.line_count = Some(lines.number);
    lines.found.is_lossy = is_lossy;
    Ok(lines.found)
}

/// Returns the ranges in order, with those that touch made one.
fn merged(ranges: &[LineRange]) -> Vec<LineRange> {
    let mut sorted = if ranges.is_empty() { vec![LineRange::ALL] } else { ranges.to_vec() };
    sorted.sort_by_key(|range| (range.start, range.end));
    let mut merged: Vec<LineRange> = Vec::new();
    for range in sorted {
        match merged.last_mut() {
            Some(last) if range.start <= last.end.saturating_add(1) => last.end = last.end.max(range.end),
            _ => merged.push(range),
        }
    }
    merged
}

/// Takes lines one after the other and keeps those that were asked for.
struct RangeReader {
    ranges: Vec<LineRange>,
    limits: ReadLimits,
    found: FileLines,
    /// The number of the last line.
    number: u32,
}

impl RangeReader {
    fn add(&mut self, line: &[u8], left_out: usize) {
        self.number = self.number.saturating_add(1);
        let at = self.ranges.partition_point(|range| range.end < self.number);
        if self.ranges.get(at).is_none_or(|range| range.start > self.number) {
            return;
        }
        let mut text = String::from_utf8_lossy(line);
        self.found.is_lossy |= matches!(text, std::borrow::Cow::Owned(_));
        let ending = text.len() - text.trim_end_matches(['\n', '\r']).len();
        let length = text.len() - ending;
        if length > self.limits.max_line_bytes || left_out > 0 {
            let kept = text.floor_char_boundary(length.min(self.limits.max_line_bytes));
            let left_out = length - kept + left_out;
            text = format!("{}… ({left_out} more bytes){}", &text[..kept], &text[length..]).into();
            self.found.cut_lines += 1;
        }
        if let Some((_, lines)) = self.found.ranges.get_mut(at) {
            lines.push(text.into_owned());
        }
    }

    /// Reads to the end of the last range, and never more of a line than is kept. The error is none
    /// for binary data.
    fn read_from(&mut self, reader: &mut dyn BufRead) -> Result<(), Option<std::io::Error>> {
        let last = self.ranges.last().map_or(0, |range| range.end);
        let mut kept = Vec::new();
        let (mut left_out, mut is_open) = (0, false);
        while self.number < last {
            let buffer = reader.fill_buf().map_err(Some)?;
            if buffer.contains(&0) {
                return Err(None);
            }
            if buffer.is_empty() {
                if is_open {
                    self.add(&kept, left_out);
                }
                self.found.line_count = Some(self.number);
                return Ok(());
            }
            let end = buffer.iter().position(|byte| *byte == b'\n');
            let taken = end.map_or(buffer.len(), |end| end + 1);
            // The line end is kept in any case.
            let content = &buffer[..end.unwrap_or(taken)];
            let room = (self.limits.max_line_bytes + 1).saturating_sub(kept.len()).min(content.len());
            kept.extend_from_slice(&content[..room]);
            left_out += content.len() - room;
            is_open = true;
            reader.consume(taken);
            if end.is_some() {
                kept.push(b'\n');
                self.add(&kept, left_out);
                kept.clear();
                (left_out, is_open) = (0, false);
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMITS: ReadLimits = ReadLimits { max_file_bytes: 1000, max_line_bytes: 50 };

    fn range(start: u32, end: u32) -> LineRange {
        LineRange { start, end }
    }

    fn of(bytes: &[u8], ranges: &[LineRange]) -> Result<FileLines, SkipReason> {
        read(RawContent::Bytes(bytes.to_vec()), ranges, LIMITS)
    }

    #[test]
    fn ranges_are_read_in_order() {
        let text = b"one\r\ntwo\nthree\nfour\nfive";
        let found = of(text, &[range(4, 9), range(1, 1), range(2, 2)]).unwrap();
        let lines = |lines: &[&str]| lines.iter().map(|line| line.to_string()).collect::<Vec<_>>();
        assert_eq!(found.ranges, [(1, lines(&["one\r\n", "two\n"])), (4, lines(&["four\n", "five"]))]);
        assert_eq!(found.line_count, Some(5));
        assert_eq!(of(text, &[]).unwrap().ranges[0].1.concat().as_bytes(), text);
        assert_eq!(of(text, &[range(9, 12)]).unwrap().ranges, [(9, Vec::new())]);
        assert_eq!(of(b"", &[]).unwrap().line_count, Some(0));
    }

    #[test]
    fn a_large_file_is_read_as_far_as_its_ranges() {
        let text: String = (1..=500).map(|number| format!("line {number}\n")).collect();
        assert_eq!(of(text.as_bytes(), &[]), Err(SkipReason::TooLarge(text.len() as u64)));
        let found = of(text.as_bytes(), &[range(490, 492), range(3, 3)]).unwrap();
        assert_eq!(found.ranges[1].1, ["line 490\n", "line 491\n", "line 492\n"]);
        assert_eq!((found.line_count, found.ranges[0].1.len()), (None, 1));
        let to_the_end = of(text.as_bytes(), &[range(499, u32::MAX)]).unwrap();
        assert_eq!((to_the_end.line_count, to_the_end.ranges[0].1.len()), (Some(500), 2));
        let long = format!("{}\nshort\nlast", "x".repeat(3000));
        let found = of(long.as_bytes(), &[range(1, 2)]).unwrap();
        assert_eq!(found.ranges[0].1, [format!("{}… (2950 more bytes)\n", "x".repeat(50)), "short\n".into()]);
        let found = of(long.as_bytes(), &[range(2, u32::MAX)]).unwrap();
        assert_eq!((found.ranges[0].1.concat().as_str(), found.line_count), ("short\nlast", Some(3)));
    }

    #[test]
    fn what_is_no_text() {
        assert_eq!(of(b"a\0b", &[]), Err(SkipReason::Binary));
        assert_eq!(
            of(&[b"text\n".repeat(300), b"\0".to_vec()].concat(), &[range(1, u32::MAX)]),
            Err(SkipReason::Binary)
        );
        let latin1 = of(b"caf\xe9\n", &[]).unwrap();
        assert_eq!((latin1.ranges[0].1[0].as_str(), latin1.is_lossy), ("caf\u{fffd}\n", true));
        let utf16: Vec<u8> = "\u{feff}a\nb".encode_utf16().flat_map(u16::to_le_bytes).collect();
        assert_eq!(of(&utf16, &[]).unwrap().ranges[0].1, ["a\n", "b"]);
    }
}
