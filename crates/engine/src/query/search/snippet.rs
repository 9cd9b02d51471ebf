//! The lines of a hit that show best why it was found.

use std::ops::Range;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::config::IndexConfig;
use crate::error::Result;
use crate::query::files::current_text::current_text;
use crate::query::hit::{Hit, HitKind};
use crate::query::rank::features::Question;
use crate::query::search::question;
use crate::scan::Source;
use crate::store::Snapshot;
use crate::tokenize;
use serde::{Deserialize, Serialize};

/// A few lines of a hit.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Snippet {
    /// The number of each line, ascending.
    pub numbers: Vec<u32>,
    /// The lines without line ends.
    pub lines: Vec<String>,
    /// Per line, the byte ranges of words that the query asked for.
    pub marks: Vec<Vec<Range<usize>>>,
}

/// The size and start of snippets.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct SnippetOptions {
    /// The maximum number of lines.
    pub lines: usize,
    /// The choice of lines.
    pub choice: SnippetChoice,
}

/// The lines of a hit that a snippet has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum SnippetChoice {
    /// Those around the best line.
    Around,
    /// The whole hit if it is short enough, else its first line and the lines that the query speaks
    /// of, each with the line before and after it and the lines that open the blocks around it.
    WithScope,
}

impl Snippet {
    /// Returns the text of the lines, with a mark where some are left out.
    pub fn text(&self) -> String {
        let mut text = String::new();
        let mut next = self.numbers.first().copied();
        for (number, line) in self.numbers.iter().zip(&self.lines) {
            if next.is_some_and(|next| next != *number) {
                text.push_str("…\n");
            }
            next = Some(number + 1);
            text.push_str(line);
            text.push('\n');
        }
        text.truncate(text.trim_end_matches('\n').len());
        text
    }
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
    let question = question::of(query);
    let mut texts: FxHashMap<&str, Option<Arc<str>>> = FxHashMap::default();
    let mut snippets = Vec::with_capacity(hits.len());
    for hit in hits {
        let text = texts.entry(&hit.path).or_insert_with(|| current_text(snapshot, source, config, &hit.path).ok());
        snippets.push(text.as_deref().map(|text| snippet(text, hit, &question, options)).unwrap_or_default());
    }
    Ok(snippets)
}

fn snippet(text: &str, hit: &Hit, question: &Question, options: SnippetOptions) -> Snippet {
    let first = hit.line_start.max(1);
    let lines: Vec<&str> = text.lines().skip(first as usize - 1).take((hit.line_end + 1 - first) as usize).collect();
    let marks: Vec<Vec<Range<usize>>> = lines.iter().map(|line| marks(line, question)).collect();
    let weights: Vec<usize> = lines.iter().zip(&marks).map(|(line, marks)| distinct(line, marks)).collect();
    let chosen: Vec<usize> = match options.choice {
        SnippetChoice::WithScope if lines.len() <= options.lines => (0..lines.len()).collect(),
        SnippetChoice::WithScope => with_scope(&lines, &weights, best_line(hit, &weights), options.lines),
        SnippetChoice::Around => {
            let from = best_line(hit, &weights).saturating_sub((options.lines - 1) / 2);
            (from..(from + options.lines).min(lines.len())).collect()
        }
    };
    Snippet {
        numbers: chosen.iter().map(|at| first + *at as u32).collect(),
        lines: chosen.iter().map(|at| lines[*at].to_string()).collect(),
        marks: chosen.iter().map(|at| marks[*at].clone()).collect(),
    }
}

/// Returns the line of a hit that shows best why it was found, from 0.
fn best_line(hit: &Hit, weights: &[usize]) -> usize {
    if hit.best_line > hit.line_start {
        return ((hit.best_line - hit.line_start.max(1)) as usize).min(weights.len().saturating_sub(1));
    }
    // The declaration is shown as the signature already, so the best line is looked for below it.
    let skip = usize::from(matches!(hit.kind, HitKind::Symbol(_)) && weights.len() > 1);
    (skip..weights.len()).rev().max_by_key(|at| weights[*at]).unwrap_or(0)
}

/// Chooses the first line, and the heaviest lines with what stands around them, at most `most`.
fn with_scope(lines: &[&str], weights: &[usize], best: usize, most: usize) -> Vec<usize> {
    let mut heaviest: Vec<usize> = (0..lines.len()).filter(|at| weights[*at] > 0 && *at != best).collect();
    heaviest.sort_by_key(|at| (std::cmp::Reverse(weights[*at]), *at));
    heaviest.insert(0, best);
    let mut chosen = vec![0];
    for at in heaviest {
        let mut wanted = outwards(lines, at);
        wanted.extend(at.saturating_sub(1)..=(at + 1).min(lines.len() - 1));
        wanted.retain(|at| !chosen.contains(at) && !lines[*at].trim().is_empty());
        wanted.sort_unstable();
        wanted.dedup();
        if chosen.len() + wanted.len() > most {
            break;
        }
        chosen.extend(wanted);
    }
    chosen.sort_unstable();
    chosen
}

/// Returns the lines that open the blocks around a line: going up, each that is less indented than
/// all below it.
fn outwards(lines: &[&str], at: usize) -> Vec<usize> {
    /// Blocks that are shown.
    const MAX_BLOCKS: usize = 4;
    let indent = |line: &str| line.len() - line.trim_start().len();
    let mut found = Vec::new();
    let mut least = indent(lines[at]);
    for above in (1..at).rev() {
        let line = lines[above].trim();
        if indent(lines[above]) < least && line.starts_with(|c: char| c.is_alphabetic() || c == '_') {
            least = indent(lines[above]);
            found.push(above);
        }
    }
    // The outermost ones say most: the member of a type, then the blocks in it.
    let skipped = found.len().saturating_sub(MAX_BLOCKS);
    found.split_off(skipped)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_code_is_cut_to_what_was_asked_for_and_the_blocks_around_it() {
        let mut lines = vec!["fn big() {".to_string(), "    for order in orders {".into()];
        lines.extend((0..40).map(|number| format!("        step_{number}();")));
        lines.push("        if is_late {".into());
        lines.push("            charge_fee(order);".into());
        lines.push("        }".into());
        lines.extend(["    }".to_string(), "}".into()]);
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        let mut weights = vec![0; lines.len()];
        weights[43] = 2;
        assert_eq!(with_scope(&lines, &weights, 43, 20), [0, 1, 42, 43, 44]);
        let snippet = Snippet {
            numbers: vec![1, 2, 43],
            lines: [0, 1, 42].map(|at: usize| lines[at].to_string()).to_vec(),
            marks: vec![Vec::new(); 3],
        };
        assert_eq!(snippet.text(), "fn big() {\n    for order in orders {\n…\n        if is_late {");
        // No room for a line with its blocks: only the first line is left.
        assert_eq!(with_scope(&lines, &weights, 43, 2), [0]);
    }
}
