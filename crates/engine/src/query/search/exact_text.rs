//! Code that holds the text of a query as it is written: a piece of code, or a message.
//!
//! A message rarely stands in the source as a program prints it, so values in it (numbers, quoted
//! names, paths) and placeholders (`{}`, `%s`) match anything. Where a constant holds the text, the
//! code that uses the constant is found, too.

use codecompass_syntax::facts::Kind;
use rustc_hash::FxHashSet;
use serde::{Deserialize, Serialize};

use crate::error::Result;
use crate::query::grep::{CaseMode, GrepMatch, GrepOptions, grep, listing_rank};
use crate::query::hit::{Hit, HitKind};
use crate::query::open_file::OpenFile;
use crate::query::rank::score::Feature;
use crate::query::search::answer::SearchOptions;
use crate::query::search::intent::Intent;
use crate::query::search::parts::{Candidate, CandidateMaker};
use crate::query::search::rounds::{Shard, merged};
use crate::resolve::Symbol;
use crate::store::Snapshot;
use crate::weights::exact_text as weights;

/// Lines of a query that are searched for; a stack trace has its message in the first few.
const MAX_LINES: usize = 6;
/// The shortest text that is searched for.
const MIN_BYTES: usize = 3;
/// The fewest letters of a message that must stand in the source.
const MIN_LETTERS: usize = 8;

/// Words of a plain phrase that is looked for in string literals.
const MIN_PHRASE_WORDS: usize = 3;

/// The code that holds the text of a query.
#[derive(Default)]
pub(super) struct ExactText {
    pub(super) candidates: Vec<Candidate>,
    /// The number of lines that have it.
    pub(super) lines: usize,
}

/// The lines of a repository that hold the text of a query.
#[derive(Serialize, Deserialize)]
pub(crate) struct ExactLines {
    /// The number of the text that was tried; earlier ones are more exact.
    pattern: usize,
    total: usize,
    /// The first ones, in the order of files.
    lines: Vec<ExactLine>,
}

#[derive(Serialize, Deserialize)]
struct ExactLine {
    /// The rank by which its file is listed.
    rank: usize,
    /// None if the line is not wanted, or in the definition of an earlier one.
    candidate: Option<Candidate>,
    /// The code that uses the constant which holds the text.
    uses: Vec<Candidate>,
}

/// A text to look for, and where.
#[derive(Debug, PartialEq, Eq)]
enum TextPattern {
    Literal(String),
    Regex(String),
    /// Words that count only inside of a string literal: a question may have them, too.
    InString(String),
}

/// Finds the lines of a repository that hold the text of `query`.
pub(super) fn find(shard: &Shard<'_>, query: &str, intent: Intent) -> Result<Option<ExactLines>> {
    let Shard { snapshot, options, .. } = *shard;
    let Some(source) = &options.source else { return Ok(None) };
    for (number, pattern) in patterns(query, intent).into_iter().enumerate() {
        let (text, fixed_strings) = match &pattern {
            TextPattern::Literal(text) | TextPattern::InString(text) => (text, true),
            TextPattern::Regex(text) => (text, false),
        };
        let wanted = GrepOptions {
            fixed_strings,
            word: matches!(pattern, TextPattern::InString(_)),
            case: CaseMode::Smart,
            filter: options.filter.clone(),
            limit: weights::MAX_LINES,
            ..GrepOptions::default()
        };
        // A text is never refused as a pattern; one that is too long is no single line.
        let Ok(mut found) = grep(snapshot, source, text, &wanted) else { continue };
        if matches!(pattern, TextPattern::InString(_)) {
            found.matches.retain(is_in_string);
            found.total = found.matches.len();
        }
        if found.total > 0 {
            let lines = lines(shard, &found.matches)?;
            return Ok(Some(ExactLines { pattern: number, total: found.total, lines }));
        }
    }
    Ok(None)
}

/// Scores the code of all repositories that holds the text of a query, by the order of its lines.
/// Only the most exact text that any of them has counts.
pub(super) fn by_exact_text(parts: Vec<Option<ExactLines>>) -> ExactText {
    let best = parts.iter().flatten().map(|part| part.pattern).min();
    let of_best = |part: Option<ExactLines>| part.filter(|part| Some(part.pattern) == best);
    let (totals, lists): (Vec<usize>, Vec<Vec<ExactLine>>) =
        parts.into_iter().map(|part| of_best(part).map_or((0, Vec::new()), |part| (part.total, part.lines))).unzip();
    let mut found: Vec<Candidate> = Vec::new();
    let mut uses = Vec::new();
    for (repository, line) in merged(lists, |a, b| a.rank.cmp(&b.rank), weights::MAX_LINES) {
        let Some(mut candidate) = line.candidate else { continue };
        let behind = weights::PER_LINE * found.len() as f64;
        let hit = &mut candidate.hit;
        hit.repository = repository;
        hit.explanation.add(Feature::ExactText, (weights::LINE - behind).max(weights::LEAST));
        hit.score = hit.explanation.score();
        found.push(candidate);
        uses.extend(line.uses.into_iter().map(|used| (repository, used)));
    }
    for (repository, mut used) in uses {
        let hit = &mut used.hit;
        hit.repository = repository;
        let place = |hit: &Hit| (hit.repository, hit.line_start);
        if found.iter().any(|known| place(&known.hit) == place(hit) && known.hit.path == hit.path) {
            continue;
        }
        hit.explanation.add(Feature::UsesText, weights::USE);
        hit.score = hit.explanation.score();
        found.push(used);
    }
    ExactText { candidates: found, lines: totals.into_iter().sum() }
}

/// The texts to try, the most exact first. Plain words are tried as a phrase of a string literal.
fn patterns(query: &str, intent: Intent) -> Vec<TextPattern> {
    let query = query.trim();
    let unquoted = without_quotes(query);
    let is_quoted = unquoted.len() < query.len();
    let is_text = is_quoted
        || match intent {
            Intent::Error => true,
            Intent::NaturalLanguage => looks_like_code(query) || looks_like_message(query),
            Intent::Symbol | Intent::Path | Intent::Issue => false,
        };
    if !is_text {
        let is_phrase = intent == Intent::NaturalLanguage
            && !query.contains(['\n', '?'])
            && !is_question(query)
            && query.split_whitespace().count() >= MIN_PHRASE_WORDS
            && query.chars().filter(|c| c.is_alphabetic()).count() >= MIN_LETTERS;
        return is_phrase.then(|| TextPattern::InString(query.to_string())).into_iter().collect();
    }
    let lines = || unquoted.lines().map(str::trim).filter(|line| line.len() >= MIN_BYTES).take(MAX_LINES);
    let literals = lines().flat_map(|line| [line, without_label(line)]).filter(|line| line.len() >= MIN_BYTES);
    let mut patterns: Vec<TextPattern> = literals.map(|line| TextPattern::Literal(line.to_string())).collect();
    patterns.extend(lines().filter_map(|line| message_pattern(without_label(line))).map(TextPattern::Regex));
    patterns.dedup();
    patterns
}

/// Returns whether a query opens as a question does, and hardly any string literal.
fn is_question(query: &str) -> bool {
    let first = query.split_whitespace().next().unwrap_or_default().to_lowercase();
    matches!(first.as_str(), "how" | "what" | "where" | "which" | "who" | "why" | "when")
}

/// Returns whether a match stands behind a quote that opens before it on its line, or on a line
/// that begins with one.
fn is_in_string(found: &GrepMatch) -> bool {
    let line = found.text.lines().next().unwrap_or_default();
    let before = line.get(..(found.column as usize).saturating_sub(1)).unwrap_or(line);
    // Documentation may be a string.
    if before.contains("\"\"\"") || before.contains("'''") {
        return false;
    }
    let mut open: Option<char> = None;
    let mut last = ' ';
    for c in before.chars() {
        match open {
            Some(quote) if c == quote && last != '\\' => open = None,
            // An apostrophe within a word opens nothing.
            None if matches!(c, '"' | '`') || c == '\'' && !last.is_alphanumeric() => open = Some(c),
            _ => {}
        }
        last = c;
    }
    open.is_some()
}

/// The text between quotes that enclose all of it.
fn without_quotes(text: &str) -> &str {
    let quotes = ['"', '\'', '`'];
    let inner = quotes.iter().find_map(|quote| text.strip_prefix(*quote)?.strip_suffix(*quote));
    inner.filter(|inner| !inner.is_empty()).unwrap_or(text)
}

/// Returns whether a text has marks that prose does not have.
fn looks_like_code(text: &str) -> bool {
    let marks = ['(', ')', '{', '}', '[', ']', '<', '>', '=', ';', '"', '`', '|', '&', '%', '$', '^', '~', '\\'];
    text.contains(marks) || ["::", "->", "=>", "!=", "++", "--", "/*", "*/"].iter().any(|mark| text.contains(mark))
}

/// Returns whether a text reads like a message of a program: a label before a colon, or a statement
/// that ends.
fn looks_like_message(text: &str) -> bool {
    let has_label = text.split_once(": ").is_some_and(|(label, rest)| !label.is_empty() && !rest.trim().is_empty());
    has_label || text.ends_with(['.', '!']) && text.split_whitespace().count() >= 3
}

/// The text behind a label such as `panic: ` or `ValueError: `.
fn without_label(line: &str) -> &str {
    let Some((label, rest)) = line.split_once(": ") else { return line };
    let is_label =
        !label.contains(char::is_whitespace) && label.chars().all(|c| c.is_alphanumeric() || "._:[]".contains(c));
    if is_label && !rest.trim().is_empty() { rest.trim() } else { line }
}

/// A regular expression for a message whose values and placeholders may be anything; `None` if too
/// little of it is left.
fn message_pattern(line: &str) -> Option<String> {
    let mut pattern = String::new();
    let mut letters = 0;
    let mut gaps = 0;
    let mut rest = line;
    while let Some(next) = rest.chars().next() {
        let (taken, is_gap) = match value_length(rest, pattern.is_empty()) {
            Some(length) => (length, true),
            None if next.is_alphanumeric() || next == '_' => {
                (rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len()), false)
            }
            None => (next.len_utf8(), false),
        };
        let (token, after) = rest.split_at(taken.max(next.len_utf8()));
        if is_gap {
            gaps += 1;
            pattern.push_str(".*?");
        } else if token.trim().is_empty() {
            pattern.push_str(r"\s+");
        } else {
            letters += token.chars().filter(|c| c.is_alphabetic()).count();
            pattern.push_str(&regex_syntax::escape(token));
        }
        rest = after;
    }
    (letters >= MIN_LETTERS && gaps > 0).then_some(pattern)
}

/// The length of the value or placeholder that a text begins with.
fn value_length(text: &str, is_first: bool) -> Option<usize> {
    let bytes = text.as_bytes();
    let until = |close: char| text[1..].find(close).map(|at| at + 2).filter(|length| *length <= 80);
    match bytes.first()? {
        b'{' => until('}'),
        b'<' => until('>'),
        b'$' if bytes.get(1) == Some(&b'{') => text.find('}').map(|at| at + 1),
        b'%' if bytes.get(1).is_some_and(u8::is_ascii_alphabetic) => Some(2),
        b'"' => until('"'),
        b'`' => until('`'),
        b'\'' => until('\''),
        b'/' if !is_first || bytes.len() > 1 => {
            let length = text.find(|c: char| c.is_whitespace() || c == ':' || c == ',').unwrap_or(text.len());
            (length > 2).then_some(length)
        }
        b'0'..=b'9' => Some(text.find(|c: char| !c.is_ascii_alphanumeric() && c != '.').unwrap_or(text.len())),
        _ => None,
    }
}

/// Makes candidates of matching lines: the definition around each, or the line itself.
fn lines(shard: &Shard<'_>, matches: &[GrepMatch]) -> Result<Vec<ExactLine>> {
    let Shard { snapshot, options, .. } = *shard;
    let maker = CandidateMaker::new(snapshot);
    let mut known: FxHashSet<(String, u32)> = FxHashSet::default();
    let mut lines = Vec::with_capacity(matches.len());
    for line in matches {
        let mut exact = ExactLine { rank: listing_rank(snapshot, &line.path), candidate: None, uses: Vec::new() };
        let found = hit_of(snapshot, line)?
            .filter(|(hit, _)| !known.contains(&(hit.path.clone(), hit.line_start)) && options.accepts(hit));
        if let Some((hit, carrier)) = found {
            known.insert((hit.path.clone(), hit.line_start));
            exact.candidate = Some(maker.make(hit)?);
            exact.uses = carrier.map_or(Ok(Vec::new()), |carrier| uses(&maker, carrier, options))?;
        }
        lines.push(exact);
    }
    Ok(lines)
}

/// The code that uses a constant.
fn uses(maker: &CandidateMaker<'_>, carrier: Symbol, options: &SearchOptions) -> Result<Vec<Candidate>> {
    let navigator = maker.navigator();
    let mut found = Vec::new();
    for used in navigator.uses_of(carrier)?.iter().take(weights::MAX_USES) {
        let Some(file) = OpenFile::open(navigator.snapshot(), used.version)? else { continue };
        let Some(mut hit) = used.reference.enclosing.and_then(|ordinal| file.symbol_hit(ordinal)) else { continue };
        if options.accepts(&hit) {
            hit.best_line = used.reference.line;
            found.push(maker.make(hit)?);
        }
    }
    Ok(found)
}

/// The hit of a matching line, and the constant or variable that carries it.
fn hit_of(snapshot: &Snapshot, line: &GrepMatch) -> Result<Option<(Hit, Option<Symbol>)>> {
    let Some(version) = snapshot.version_at(&line.path) else { return Ok(None) };
    let Some(file) = OpenFile::open(snapshot, version)? else { return Ok(None) };
    let is_shown = |kind: Kind| kind != Kind::Impl && kind != Kind::Module;
    let around = file.outline.innermost_at(line.line, |one| is_shown(one.kind), |one| one.span.start_line);
    let around = around.filter(|_| line.enclosing.is_some());
    let mut hit = match around.and_then(|ordinal| file.symbol_hit(ordinal)) {
        Some(hit) => hit,
        None => file.text_hit(HitKind::Text, line.line, line.line_end),
    };
    hit.best_line = line.line;
    let carrier = around.filter(|_| matches!(hit.kind, HitKind::Symbol(kind) if kind.is_value()));
    Ok(Some((hit, carrier.map(|ordinal| Symbol { version, ordinal }))))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(query: &str) -> Vec<String> {
        let intent = crate::query::search::intent::route(query).intent;
        let text = |pattern| match pattern {
            TextPattern::Literal(text) | TextPattern::Regex(text) => text,
            TextPattern::InString(text) => format!("in a string: {text}"),
        };
        patterns(query, intent).into_iter().map(text).collect()
    }

    #[test]
    fn code_and_messages_are_searched_as_they_are() {
        assert_eq!(of("router.GET("), ["router.GET("]);
        assert_eq!(of("\"no such table\""), ["no such table"]);
        assert_eq!(of("if err != nil {"), ["if err != nil {"]);
        assert_eq!(of("the cookies are stored"), ["in a string: the cookies are stored"]);
        assert_eq!(of("cookie jar"), [""; 0]);
        assert_eq!(of("where is the parser?"), [""; 0]);
        assert_eq!(of("parse_header"), [""; 0]);
        assert_eq!(of("http.Client.Do()"), [""; 0]);
    }

    #[test]
    fn values_of_a_message_match_anything() {
        assert_eq!(
            of("panic: cannot open '/etc/x.conf': 3 tries"),
            [
                "panic: cannot open '/etc/x.conf': 3 tries",
                "cannot open '/etc/x.conf': 3 tries",
                r"cannot\s+open\s+.*?:\s+.*?\s+tries"
            ]
        );
        assert_eq!(message_pattern("at 3:4"), None);
    }

    #[test]
    fn questions_are_no_phrases() {
        let tried = |query: &str| patterns(query, Intent::NaturalLanguage).len();
        assert_eq!(tried("the shelf is full of books"), 1);
        assert_eq!(tried("How are books put on the shelf"), 0);
        assert_eq!(tried("the shelf is full of what?"), 0);
    }

    #[test]
    fn a_phrase_counts_only_in_a_string() {
        let found = |text: &str| GrepMatch {
            path: "a.rs".into(),
            line: 1,
            line_end: 1,
            column: text.find("no such").unwrap() as u32 + 1,
            text: text.into(),
            is_cut: false,
            enclosing: None,
            before: Vec::new(),
            after: Vec::new(),
        };
        assert!(is_in_string(&found(r#"bail!("no such table")"#)));
        assert!(is_in_string(&found("throw 'there is no such table'")));
        assert!(is_in_string(&found(r#"    "say \"x\" of no such table""#)));
        assert!(!is_in_string(&found("// there's no such table")));
        assert!(!is_in_string(&found(r#"    """Says that there is no such table.""""#)));
        assert!(!is_in_string(&found(r#"f("x") // no such table"#)));
    }
}
