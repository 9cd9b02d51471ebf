//! The lines of a hit that show best why it was found.

use std::collections::HashMap;
use std::ops::Range;

use crate::config::IndexConfig;
use crate::error::Result;
use crate::query::hit::{Hit, HitKind};
use crate::query::rank::features::Question;
use crate::query::symbols::source_text;
use crate::scan::Source;
use crate::store::Snapshot;
use crate::tokenize;

/// A few lines of a hit.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Snippet {
    /// Number of the first line.
    pub first_line: u32,
    /// The lines without line ends.
    pub lines: Vec<String>,
    /// Per line, the byte ranges of words that the query asked for.
    pub marks: Vec<Vec<Range<usize>>>,
}

/// The size and start of snippets.
#[derive(Clone, Copy, Debug)]
pub struct SnippetOptions {
    /// The maximum number of lines.
    pub lines: usize,
    /// True to start at the top of the hit rather than around its best line.
    pub from_top: bool,
}

/// Cuts a snippet for each hit. A file that changed meanwhile gives an empty one.
pub fn snippets(
    snapshot: &Snapshot,
    source: &Source,
    config: &IndexConfig,
    query: &str,
    hits: &[Hit],
    options: SnippetOptions,
) -> Result<Vec<Snippet>> {
    let question = Question::new(query);
    let mut texts: HashMap<&str, Option<String>> = HashMap::new();
    let mut snippets = Vec::with_capacity(hits.len());
    for hit in hits {
        let text = texts
            .entry(&hit.path)
            .or_insert_with(|| source_text::current_text(snapshot, source, config, &hit.path).ok());
        snippets.push(text.as_deref().map(|text| snippet(text, hit, &question, options)).unwrap_or_default());
    }
    Ok(snippets)
}

/// The single lines at some places. A file that changed meanwhile gives empty ones.
pub fn source_lines(
    snapshot: &Snapshot,
    source: &Source,
    config: &IndexConfig,
    places: &[(&str, u32)],
) -> Result<Vec<String>> {
    let mut texts: HashMap<&str, Vec<String>> = HashMap::new();
    let mut lines = Vec::with_capacity(places.len());
    for (path, line) in places {
        let text = texts.entry(path).or_insert_with(|| {
            let text = source_text::current_text(snapshot, source, config, path).unwrap_or_default();
            text.lines().map(str::to_string).collect()
        });
        lines.push(text.get((*line as usize).saturating_sub(1)).cloned().unwrap_or_default());
    }
    Ok(lines)
}

fn snippet(text: &str, hit: &Hit, question: &Question, options: SnippetOptions) -> Snippet {
    let first = hit.line_start.max(1);
    let lines: Vec<&str> = text.lines().skip(first as usize - 1).take((hit.line_end + 1 - first) as usize).collect();
    let marks: Vec<Vec<Range<usize>>> = lines.iter().map(|line| marks(line, question)).collect();
    // The declaration is shown as the signature already, so the best line is looked for below it.
    let skip = usize::from(matches!(hit.kind, HitKind::Symbol(_)) && lines.len() > 1);
    let best = match (hit.best_line > hit.line_start, options.from_top) {
        (_, true) => 0,
        (true, _) => (hit.best_line - first) as usize,
        _ => {
            let weight = |at: &usize| marks.get(*at).map_or(0, |line| distinct(lines[*at], line));
            (skip..lines.len()).rev().max_by_key(weight).unwrap_or(0)
        }
    };
    let from = match options.from_top {
        true => 0,
        false => best.saturating_sub((options.lines - 1) / 2),
    };
    let to = (from + options.lines).min(lines.len());
    let from = from.min(to);
    Snippet {
        first_line: first + from as u32,
        lines: lines[from..to].iter().map(|line| line.to_string()).collect(),
        marks: marks[from..to].to_vec(),
    }
}

fn distinct(line: &str, marks: &[Range<usize>]) -> usize {
    let mut words: Vec<String> = marks.iter().map(|range| line[range.clone()].to_lowercase()).collect();
    words.sort();
    words.dedup();
    words.len()
}

fn marks(line: &str, question: &Question) -> Vec<Range<usize>> {
    let asked =
        |word: &str| tokenize::terms(word).iter().any(|term| question.terms.iter().any(|(known, _)| known == term));
    let start = line.as_ptr() as usize;
    tokenize::words(line)
        .filter(|word| asked(word))
        .map(|word| {
            let from = word.as_ptr() as usize - start;
            from..from + word.len()
        })
        .collect()
}
