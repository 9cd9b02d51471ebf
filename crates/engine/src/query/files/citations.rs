//! Places that a text about the code names, compared with the view.

use std::ops::Range;
use std::sync::LazyLock;

use codecompass_syntax::language_of;
use regex::Regex;
use rustc_hash::FxHashMap;

use crate::config::IndexConfig;
use crate::error::Result;
use crate::model::ContentId;
use crate::query::files::paths::resolve_path;
use crate::scan::{ReadOutcome, Source};
use crate::store::Snapshot;

/// Places beyond this many are not looked up.
const MAX_CITATIONS: usize = 1000;

/// A path, a line and perhaps a last line.
static CITATION: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"([\w@+~./\\-]*[\w)\]])(?::|#L)(\d{1,7})(?:(?:-|–)L?(\d{1,7}))?").ok());

/// A place that a text names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Citation {
    /// Its bytes in the text.
    pub range: Range<usize>,
    /// The path in the view; as it was written if there is none.
    pub path: String,
    /// The line, from 1.
    pub line: u32,
    /// The last line, where a range was named.
    pub line_end: Option<u32>,
    /// True if the view has the file and the file has the lines.
    pub is_verified: bool,
}

/// Finds the places that a text names and looks them up in the view. A path may be the end of the
/// path of one file. What only looks like a place, such as a host with a port, is left out.
pub fn citations(snapshot: &Snapshot, source: &Source, config: &IndexConfig, text: &str) -> Result<Vec<Citation>> {
    let mut lines = LineCounts { snapshot, source, config, counts: FxHashMap::default() };
    let mut found = Vec::new();
    for named in CITATION.iter().flat_map(|regex| regex.captures_iter(text)).take(MAX_CITATIONS) {
        let (Some(whole), Some(written), Some(line)) = (named.get(0), named.get(1), number(&named, 2)) else {
            continue;
        };
        let is_url = text[..whole.start()].ends_with("://") || written.as_str().contains("//");
        let line_end = number(&named, 3);
        let path = written.as_str().replace('\\', "/");
        let path = path.trim_start_matches("./");
        let known = resolve_path(snapshot, path).ok();
        if is_url || (known.is_none() && !looks_like_a_file(path)) {
            continue;
        }
        let last = line_end.unwrap_or(line);
        let is_verified = match &known {
            Some(known) => line >= 1 && last >= line && lines.of(known)?.is_some_and(|count| last <= count),
            None => false,
        };
        let path = known.unwrap_or_else(|| path.to_string());
        found.push(Citation { range: whole.range(), path, line, line_end, is_verified });
    }
    Ok(found)
}

fn number(named: &regex::Captures<'_>, group: usize) -> Option<u32> {
    named.get(group).and_then(|digits| digits.as_str().parse().ok())
}

fn looks_like_a_file(path: &str) -> bool {
    language_of(path, "").is_some()
        || (path.contains('/') && path.rsplit('/').next().is_some_and(|name| name.contains('.')))
}

/// The numbers of lines of files, each read once.
struct LineCounts<'a> {
    snapshot: &'a Snapshot,
    source: &'a Source,
    config: &'a IndexConfig,
    counts: FxHashMap<String, Option<u32>>,
}

impl LineCounts<'_> {
    /// Returns the lines of a file of the view; `None` if it cannot be read.
    fn of(&mut self, path: &str) -> Result<Option<u32>> {
        if let Some(known) = self.counts.get(path) {
            return Ok(*known);
        }
        let content = match self.snapshot.version_at(path) {
            Some(version) => ContentId::from_slice(&self.snapshot.file_info(version)?.content_id),
            None => None,
        };
        let unlimited = IndexConfig { max_line_bytes: usize::MAX, ..self.config.clone() };
        let count = match self.source.reader().read(path, content, &unlimited) {
            ReadOutcome::Text(read) => u32::try_from(read.text.lines().count()).ok(),
            _ => None,
        };
        self.counts.insert(path.to_string(), count);
        Ok(count)
    }
}
