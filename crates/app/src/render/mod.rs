//! Answers as text: for people at a terminal, with styles and advice about flags, and for agents,
//! without styles and with advice about arguments. The engine's types become words only here.
//!
//! Text of a repository is shown on lines of ours; `shown` keeps it from breaking out of them.

mod by_file;
pub mod files;
pub mod find;
pub mod history;
pub mod index;
pub mod metadata;
pub mod navigate;
pub mod relations;
pub mod store;
pub mod symbols;
pub mod table;
mod typed;

use std::borrow::Cow;
use std::fmt::Write as _;

use anstream::adapter::strip_str;
use codecompass_engine::ResolutionEvidence;
use codecompass_engine::query::{Hit, HitKind, Restriction, Snippet, UseClass, estimate_tokens};

use crate::api::navigate::graph::LeftOutView;
pub use crate::api::views::shortened;
use crate::api::views::{self, NeighboursView};
use crate::choices::Explain;
use crate::remedy::Audience;
use crate::terminal::output::{DIM, KIND, LINE, MATCH, NAME, PATH};
pub use crate::units::{bytes, count};

/// Returns text of the repository for one line of ours: control characters, line ends and marks
/// that turn the direction of writing are written as escapes.
pub fn shown(text: &str) -> Cow<'_, str> {
    let is_plain = |c: char| c == '\t' || !(c.is_control() || is_direction_mark(c));
    if text.chars().all(is_plain) {
        Cow::Borrowed(text)
    } else {
        let escaped = text.chars().map(|c| if is_plain(c) { c.to_string() } else { c.escape_default().to_string() });
        Cow::Owned(escaped.collect())
    }
}

/// Characters that reorder the text around them, and line ends beside the usual ones.
fn is_direction_mark(c: char) -> bool {
    matches!(c, '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// One hit as text: a line with its place, then signature, doc, snippet and explanation as asked
/// for.
pub fn hit_text(out: &mut String, hit: &Hit, snippet: Option<&Snippet>, explain: Explain) {
    let range = if hit.line_end > hit.line_start { format!("-{}", hit.line_end) } else { String::new() };
    let _ = write!(
        out,
        "{PATH}{}{PATH:#}:{LINE}{}{LINE:#}{DIM}{range}{DIM:#}  {KIND}{}{KIND:#}",
        shown(&hit.path),
        hit.line_start,
        hit.kind.as_str()
    );
    if hit.is_declaration {
        let _ = write!(out, " {DIM}(declaration){DIM:#}");
    }
    if hit.symbol_id.is_some() || hit.kind == HitKind::External {
        let _ = write!(out, "  {NAME}{}{NAME:#}", shown(&hit.local_name));
    }
    out.push('\n');
    // Source that begins with the declaration says it all.
    let is_shown = snippet.is_some_and(|snippet| snippet.lines.len() > 1 && snippet.numbers[0] == hit.line_start);
    if !is_shown && !hit.signature.is_empty() && hit.signature != hit.qualified_name {
        let _ = writeln!(out, "    {}", shown(&shortened(&hit.signature)));
    }
    if !hit.other_places.is_empty() {
        let places = hit.other_places.iter().take(3);
        let places: Vec<String> = places.map(|place| format!("{}:{}", shown(&place.path), place.line_start)).collect();
        let more = hit.other_places.len() - places.len();
        let rest = if more > 0 { format!(" and {more} more") } else { String::new() };
        let also = if hit.other_places.iter().all(|place| place.is_declaration) { "declared at" } else { "also at" };
        let _ = writeln!(out, "    {DIM}{also} {}{rest}{DIM:#}", places.join(", "));
    }
    if let Some(line) = hit.doc.as_deref().and_then(|doc| doc.lines().next()).filter(|_| !is_shown) {
        let _ = writeln!(out, "    {DIM}{}{DIM:#}", source_text(line));
    }
    if let Some(snippet) = snippet {
        snippet_text(out, snippet);
    }
    score_text(out, hit, explain);
}

/// Writes the names in or beside a result.
pub fn neighbours_text(out: &mut String, neighbours: Option<&NeighboursView>) {
    let Some(neighbours) = neighbours else { return };
    let lists = [("near", &neighbours.related_symbols), ("imports", &neighbours.imports)];
    for (what, names) in lists.into_iter().filter(|(_, names)| !names.is_empty()) {
        let names: Vec<_> = names.iter().map(|name| shown(name)).collect();
        let _ = writeln!(out, "    {DIM}{what}: {}{DIM:#}", names.join(", "));
    }
    if let (Some(callers), Some(files)) = (neighbours.caller_count, neighbours.calling_file_count)
        && callers > 0
    {
        let _ = writeln!(out, "    {DIM}{} in {}{DIM:#}", count(callers, "caller"), count(files, "file"));
    }
}

/// A line that says what a hit's score is made of.
pub fn score_text(out: &mut String, hit: &Hit, explain: Explain) {
    if explain != Explain::Off {
        let parts = views::reasons(&hit.explanation, explain);
        let parts: Vec<String> = parts.iter().map(|part| format!("{} {:+}", part.reason, part.value)).collect();
        let similarity = views::shown_similarity(&hit.explanation).map(|cosine| format!("; similarity {cosine}"));
        let similarity = similarity.unwrap_or_default();
        let _ = writeln!(out, "    {DIM}score {} = {}{similarity}{DIM:#}", hit.score, parts.join("  "));
    }
}

fn snippet_text(out: &mut String, snippet: &Snippet) {
    let indent =
        snippet.lines.iter().filter(|line| !line.trim().is_empty()).map(|line| leading_space(line)).min().unwrap_or(0);
    let mut next = snippet.numbers.first().copied();
    for (number, (line, marks)) in snippet.numbers.iter().zip(snippet.lines.iter().zip(&snippet.marks)) {
        if next.is_some_and(|next| next != *number) {
            let _ = writeln!(out, "  {DIM}    … |{DIM:#}");
        }
        next = Some(number + 1);
        if line.trim().is_empty() {
            continue;
        }
        let _ = write!(out, "  {LINE}{number:>5}{LINE:#} {DIM}|{DIM:#} ");
        let mut at = indent.min(line.len());
        let limit = line.floor_char_boundary((at + 160).min(line.len()));
        for mark in marks.iter().filter(|mark| mark.start >= indent && mark.end <= limit) {
            let _ = write!(out, "{}{MATCH}{}{MATCH:#}", &line[at..mark.start], &line[mark.clone()]);
            at = mark.end;
        }
        let _ = writeln!(out, "{}{}", &line[at..limit.max(at)], if limit < line.len() { "…" } else { "" });
    }
}

fn leading_space(line: &str) -> usize {
    line.len() - line.trim_start_matches([' ', '\t']).len()
}

/// Writes the symbol that an answer is about, with its signature.
pub fn symbol_text(out: &mut String, hit: &Hit) {
    let mut bare = hit.clone();
    bare.doc = None;
    hit_text(out, &bare, None, Explain::Off);
}

/// Writes one line for a hit: its place, kind and name.
pub fn line(out: &mut String, hit: &Hit) {
    let mut bare = hit.clone();
    (bare.signature, bare.doc) = (String::new(), None);
    bare.other_places.clear();
    hit_text(out, &bare, None, Explain::Off);
}

/// Writes the symbol that an answer is about, and what else its argument could mean.
pub fn subject_text(out: &mut String, hit: &Hit, others: &[&Hit], total: usize, asked: &SymbolArgument<'_>) {
    symbol_text(out, hit);
    other_meanings(out, others, total, asked);
}

/// The argument that an answer explains, and its reader.
pub struct SymbolArgument<'a> {
    pub argument: &'a str,
    pub audience: Audience,
}

/// Writes what else a symbol argument could mean: the answer is about its best meaning.
pub fn other_meanings(out: &mut String, others: &[&Hit], total: usize, asked: &SymbolArgument<'_>) {
    if others.is_empty() {
        return;
    }
    let most = if asked.audience == Audience::Cli { 5 } else { 3 };
    let named = |hit: &&Hit| format!("{} ({}:{})", shown(&hit.local_name), shown(&hit.path), hit.name_line);
    let listed: Vec<String> = others.iter().take(most).map(named).collect();
    let more = match total - listed.len() {
        0 => String::new(),
        more => format!(" and {more} more, which {} lists", asked.audience.question("locate", "locate_symbol")),
    };
    let argument = shown(asked.argument);
    let _ = writeln!(
        out,
        "    {DIM}`{argument}` could also mean {}{more}; give path:line or a container to ask for it{DIM:#}",
        listed.join(", ")
    );
}

/// Returns a mark for what is not proven; proven things need none.
pub fn doubt_text(confidence: impl Into<UseClass>, why: &str) -> String {
    match confidence.into() {
        UseClass::Static => String::new(),
        class => format!("  {DIM}{}: {why}{DIM:#}", class.as_str()),
    }
}

/// Returns evidence in words.
pub fn words(evidence: ResolutionEvidence) -> String {
    evidence.as_str().replace('_', " ")
}

/// Returns one line of source, cut to what a terminal shows.
pub fn source_text(line: &str) -> String {
    const MAX_BYTES: usize = 120;
    let line = shown(line.trim());
    if line.len() > MAX_BYTES {
        format!("{}…", line[..line.floor_char_boundary(MAX_BYTES)].trim_end())
    } else {
        line.into_owned()
    }
}

/// Returns the numbers of things that filters leave out.
pub fn left_out_text(left_out: &LeftOutView, audience: Audience) -> String {
    let option = |restriction: Restriction| match (restriction, audience) {
        (Restriction::Language, Audience::Cli) => audience.option("lang"),
        _ => audience.option(restriction.as_str()),
    };
    let counts: Vec<(Restriction, usize)> = left_out.0.counts().collect();
    let by: Vec<String> = counts.iter().map(|(by, count)| format!("{count} by {}", option(*by))).collect();
    match counts.as_slice() {
        [(by, count)] => format!("{count} left out by {}", option(*by)),
        _ => format!("{} left out: {}", left_out.0.total(), by.join(", ")),
    }
}

/// Returns the tokens of a text without its styles.
pub(super) fn text_tokens(text: &str) -> usize {
    estimate_tokens(&strip_str(text).to_string())
}

/// Returns the number of items behind a list with the option that shows them.
pub fn more_text(more: usize, audience: Audience) -> String {
    format!("{DIM}{more} more; {} shows them{DIM:#}\n", audience.option("limit"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_of_a_repository_stays_on_its_line() {
        assert_eq!(shown("src/größe.rs"), "src/größe.rs");
        assert_eq!(shown("a\tb"), "a\tb");
        assert_eq!(shown("a\n12 uses in 3 files\r\u{1b}[31m"), "a\\n12 uses in 3 files\\r\\u{1b}[31m");
        assert_eq!(shown("x\u{202e}y\u{2028}z"), "x\\u{202e}y\\u{2028}z");
    }
}
