//! Searches files in parallel and keeps the first matches, in the order of the files.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use grep_matcher::Matcher;
use grep_regex::RegexMatcher;
use grep_searcher::{
    BinaryDetection, Searcher, SearcherBuilder, Sink, SinkContext, SinkContextKind, SinkFinish, SinkMatch,
};

use crate::model::{ContentId, SkipReason, VersionId};
use crate::parallel;
use crate::query::grep::pattern::Pattern;
use crate::query::grep::{GrepMatch, GrepOptions};
use crate::query::large_files;
use crate::scan::{RawContent, SAMPLE_BYTES, Source, SourceReader, content_id};
use crate::store::trigrams::LargeFileFilters;
use crate::store::{ContentCache, Snapshot};

/// Files that are searched before the next look at how many matches are still wanted.
const BATCH: usize = 1024;
/// Larger files are not read into memory as a whole.
const MAX_BUFFERED_BYTES: u64 = 8 << 20;
/// Larger files are not searched.
const MAX_SEARCHED_BYTES: u64 = 256 << 20;
/// The memory that one file may take in a multi-line search.
const MAX_FILE_BYTES: usize = 512 << 20;
/// Longer lines are cut around the match.
const MAX_TEXT_BYTES: usize = 512;

/// A file that may match.
pub(super) struct GrepCandidate<'view> {
    pub(super) path: &'view str,
    /// `None` for a file that is too large to be indexed.
    pub(super) version: Option<VersionId>,
    /// The content, where objects are read or contents are kept.
    pub(super) content: Option<ContentId>,
    pub(super) rank: u8,
}

/// Data on files that stay in memory between questions.
#[derive(Clone, Copy)]
pub(super) struct KeptFiles<'a> {
    contents: &'a ContentCache,
    filters: &'a LargeFileFilters,
}

impl<'a> KeptFiles<'a> {
    /// Returns those of a view.
    pub(super) fn of(snapshot: &'a Snapshot) -> KeptFiles<'a> {
        KeptFiles { contents: snapshot.content_cache(), filters: snapshot.large_files() }
    }
}

/// The outcome of a search.
pub(super) struct ScanResult {
    /// Files with matches, in the order of candidates.
    pub(super) files: Vec<FileMatches>,
    pub(super) unsearched: Vec<(String, SkipReason)>,
}

/// The matches in one file.
pub(super) struct FileMatches {
    /// Its number among the candidates.
    pub(super) candidate: usize,
    /// The number of matches.
    pub(super) count: usize,
    /// The first of them.
    pub(super) matches: Vec<GrepMatch>,
    /// The content that was searched, where it is known.
    pub(super) content: Option<ContentId>,
}

/// Searches all candidates; keeps the matches up to `options.offset + options.limit`.
pub(super) fn search(
    source: &Source,
    kept: KeptFiles<'_>,
    pattern: &Pattern,
    candidates: &[GrepCandidate<'_>],
    options: &GrepOptions,
) -> ScanResult {
    let mut found = ScanResult { files: Vec::new(), unsearched: Vec::new() };
    let mut wanted = options.offset.saturating_add(options.limit);
    for (batch, files) in candidates.chunks(BATCH).enumerate() {
        let start = || FileSearcher { reader: source.reader(), kept, searcher: searcher(options), bytes: Vec::new() };
        let outcomes = parallel::map(files, start, |searcher, file| searcher.search(pattern, file, wanted));
        for (number, outcome) in outcomes.into_iter().enumerate() {
            let path = files[number].path;
            match outcome {
                Ok(searched) => {
                    wanted = wanted.saturating_sub(searched.file.count);
                    if searched.has_binary_data {
                        found.unsearched.push((path.to_string(), SkipReason::Binary));
                    }
                    if searched.file.count > 0 {
                        let candidate = batch * BATCH + number;
                        found.files.push(FileMatches { candidate, ..searched.file });
                    }
                }
                Err(reason) => found.unsearched.push((path.to_string(), reason)),
            }
        }
    }
    found
}

fn searcher(options: &GrepOptions) -> Searcher {
    SearcherBuilder::new()
        .binary_detection(BinaryDetection::quit(0))
        .line_number(true)
        .multi_line(options.multi_line)
        .before_context(options.before)
        .after_context(options.after)
        .heap_limit(Some(MAX_FILE_BYTES))
        .build()
}

/// Searches files one after the other; each thread has one.
struct FileSearcher<'a> {
    reader: SourceReader,
    kept: KeptFiles<'a>,
    searcher: Searcher,
    /// The content of the last file that was read.
    bytes: Vec<u8>,
}

/// The outcome of searching one file.
struct SearchedFile {
    file: FileMatches,
    /// True if the search of a text ended at a NUL byte.
    has_binary_data: bool,
}

impl FileSearcher<'_> {
    /// Searches a file; keeps `wanted` matches.
    fn search(
        &mut self,
        pattern: &Pattern,
        file: &GrepCandidate<'_>,
        wanted: usize,
    ) -> Result<SearchedFile, SkipReason> {
        let matcher = &pattern.matcher;
        let mut sink = Collector::new(matcher, file.path, wanted);
        let kept = file.version.and_then(|version| self.kept.contents.get(version));
        let (searched, content) = match &kept {
            Some(kept) => (self.searcher.search_reader(matcher, kept.bytes(), &mut sink), file.content),
            None if self.is_ruled_out(pattern, file) => (Ok(()), None),
            None => self.search_content(matcher, file, &mut sink)?,
        };
        match searched {
            Ok(()) => Ok(SearchedFile {
                file: FileMatches { candidate: 0, count: sink.count, matches: sink.matches, content },
                has_binary_data: sink.has_binary_data,
            }),
            Err(error) => Err(SkipReason::Unreadable(error.to_string())),
        }
    }

    /// Returns whether a file that is not indexed has not what the pattern requires.
    fn is_ruled_out(&self, pattern: &Pattern, file: &GrepCandidate<'_>) -> bool {
        let required = pattern.trigrams.as_ref().filter(|_| file.version.is_none());
        required.is_some_and(|required| {
            !large_files::may_match(self.kept.filters, &self.reader, file.path, file.content, required)
        })
    }

    /// Reads a file, searches it, and keeps its content if contents are kept. Returns the content
    /// that was read if something was found.
    fn search_content(
        &mut self,
        matcher: &RegexMatcher,
        file: &GrepCandidate<'_>,
        sink: &mut Collector<'_>,
    ) -> Result<(io::Result<()>, Option<ContentId>), SkipReason> {
        match self.reader.open(file.path, file.content, MAX_SEARCHED_BYTES)? {
            Some(RawContent::File(mut opened)) => {
                let is_small = opened.metadata().is_ok_and(|metadata| metadata.len() <= MAX_BUFFERED_BYTES);
                if !is_small {
                    return Ok((self.searcher.search_file(matcher, &opened, sink), None));
                }
                self.bytes.clear();
                if let Err(error) = opened.read_to_end(&mut self.bytes) {
                    return Ok((Err(error), None));
                }
            }
            Some(RawContent::Bytes(bytes)) => self.bytes = bytes,
            // It was deleted since it was indexed, or its place is taken by something else.
            None => return Ok((Ok(()), None)),
        }
        let searched = self.searcher.search_reader(matcher, self.bytes.as_slice(), &mut *sink);
        let contents = self.kept.contents;
        let content = (sink.count > 0 || contents.is_keeping()).then(|| content_id(&self.bytes));
        if let Some(version) = file.version.filter(|_| content.is_some() && content == file.content) {
            contents.insert(version, &self.bytes);
        }
        Ok((searched, content))
    }
}

/// Returns the id of the content that a file has now.
pub(super) fn content_of(root: &Path, path: &str) -> Option<ContentId> {
    match Source::Directory(root.to_path_buf()).reader().open(path, None, MAX_SEARCHED_BYTES) {
        Ok(Some(RawContent::File(mut file))) => {
            let mut bytes = Vec::new();
            File::read_to_end(&mut file, &mut bytes).ok()?;
            Some(content_id(&bytes))
        }
        _ => None,
    }
}

/// Counts matches and keeps the first of them.
struct Collector<'a> {
    matcher: &'a RegexMatcher,
    path: &'a str,
    wanted: usize,
    count: usize,
    matches: Vec<GrepMatch>,
    /// Context lines before the next match.
    before: Vec<(u32, String)>,
    has_binary_data: bool,
}

impl<'a> Collector<'a> {
    fn new(matcher: &'a RegexMatcher, path: &'a str, wanted: usize) -> Collector<'a> {
        let (matches, before) = (Vec::new(), Vec::new());
        Collector { matcher, path, wanted, count: 0, matches, before, has_binary_data: false }
    }
}

impl Sink for Collector<'_> {
    type Error = io::Error;

    fn matched(&mut self, _: &Searcher, found: &SinkMatch<'_>) -> io::Result<bool> {
        self.count += 1;
        if self.matches.len() >= self.wanted {
            return Ok(true);
        }
        let bytes = found.bytes();
        let range = self.matcher.find(bytes).ok().flatten().map_or(0..0, |found| found.start()..found.end());
        let first_line = bytes.iter().take(range.start).filter(|byte| **byte == b'\n').count();
        let line_start = bytes[..range.start].iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        let line = number(found.line_number()) + first_line as u32;
        let shown = without_line_end(&bytes[line_start..]);
        let (text, is_cut) = cut(shown, range.start - line_start..range.end.saturating_sub(line_start));
        let lines = shown.iter().filter(|byte| **byte == b'\n').count() as u32;
        self.matches.push(GrepMatch {
            path: self.path.to_string(),
            line,
            line_end: line + lines,
            column: (range.start - line_start) as u32 + 1,
            text,
            is_cut,
            enclosing: None,
            before: std::mem::take(&mut self.before),
            after: Vec::new(),
        });
        Ok(true)
    }

    fn context(&mut self, _: &Searcher, context: &SinkContext<'_>) -> io::Result<bool> {
        if self.count > self.matches.len() {
            return Ok(true);
        }
        let line = (number(context.line_number()), cut(without_line_end(context.bytes()), 0..0).0);
        match (context.kind(), self.matches.last_mut()) {
            (SinkContextKind::After, Some(last)) => last.after.push(line),
            (SinkContextKind::Before, _) => self.before.push(line),
            _ => {}
        }
        Ok(true)
    }

    fn finish(&mut self, _: &Searcher, finish: &SinkFinish) -> io::Result<()> {
        // One near the beginning makes a binary file, which nothing is expected of.
        self.has_binary_data = finish.binary_byte_offset().is_some_and(|at| at >= SAMPLE_BYTES as u64);
        Ok(())
    }
}

fn number(line: Option<u64>) -> u32 {
    u32::try_from(line.unwrap_or(1)).unwrap_or(u32::MAX)
}

fn without_line_end(bytes: &[u8]) -> &[u8] {
    let bytes = bytes.strip_suffix(b"\n").unwrap_or(bytes);
    bytes.strip_suffix(b"\r").unwrap_or(bytes)
}

/// The text around the match, and whether it is only a part.
fn cut(bytes: &[u8], found: std::ops::Range<usize>) -> (String, bool) {
    if bytes.len() <= MAX_TEXT_BYTES {
        return (String::from_utf8_lossy(bytes).into_owned(), false);
    }
    let matched = found.len().min(MAX_TEXT_BYTES);
    let start = found.start.saturating_sub((MAX_TEXT_BYTES - matched) / 2).min(bytes.len() - MAX_TEXT_BYTES);
    let text = String::from_utf8_lossy(&bytes[start..start + MAX_TEXT_BYTES]);
    // A character that was cut in two is no part of the text.
    (text.trim_matches(char::REPLACEMENT_CHARACTER).to_string(), true)
}
