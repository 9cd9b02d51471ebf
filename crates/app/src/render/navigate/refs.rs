//! Text of `refs`.

use codecompass_engine::query::{Hit, UseClass};

use crate::api::navigate::accounting::{AccountingView, ClassCounts};
use crate::api::navigate::refs::{RefsAnswer, RefsRequest};
use crate::api::views::{HitView, UseView};
use crate::remedy::Audience;
use crate::render::by_file::{ByFile, name_in_file};
use crate::render::metadata::by_project_text;
use crate::render::{SymbolArgument, left_out_text, shown, source_text, subject_text, words};
use crate::terminal::output::{DIM, KIND, LINE, PATH};
use crate::units;

pub fn text(request: &RefsRequest, answer: &RefsAnswer, audience: Audience) -> String {
    let mut out = String::new();
    let hit = &answer.symbol.hit;
    let others: Vec<&Hit> = answer.others.iter().map(|other| &other.hit).collect();
    let asked = SymbolArgument { argument: request.subject.only(), audience };
    subject_text(&mut out, hit, &others, answer.others_total, &asked);
    let is_told = |part: &&HitView| {
        hit.other_places.iter().any(|place| (&place.path, place.line_start) == (&part.hit.path, part.hit.line_start))
    };
    for part in answer.parts.iter().filter(|part| !is_told(part)) {
        out.push_str(&format!("    {DIM}also at {}:{}{DIM:#}\n", shown(&part.hit.path), part.hit.name_line));
    }
    out.push_str(&summary(answer, audience));
    let has_proof =
        answer.metadata.extra.as_ref().is_some_and(|extra| extra.by_class.proven + extra.by_class.likely > 0);
    uses_text(&mut out, &answer.references, audience, has_proof);
    if answer.behind > 0 {
        let cut = answer.metadata.extra.as_ref().map(|extra| classes(&extra.not_listed)).unwrap_or_default();
        let option = |name| audience.option(name);
        out.push_str(&format!(
            "\n{DIM}not listed: {cut}; {} and {} show them, {}, {}, {} and {} narrow{DIM:#}\n",
            option("limit"),
            option("offset"),
            option("path"),
            option("kind"),
            option("tests"),
            option("confidence")
        ));
    }
    out
}

/// Writes the numbers of uses, and what else the name occurs as.
fn summary(answer: &RefsAnswer, audience: Audience) -> String {
    let Some(extra) = &answer.metadata.extra else { return String::new() };
    let mut out = match answer.total {
        0 if extra.left_out_by_filters > 0 => "no use that fits".to_string(),
        0 => "no use of it was found".to_string(),
        total => format!(
            "{} in {}{}: {}{}",
            units::count(total, "use"),
            units::count(extra.files, "file"),
            by_project_text(" of ", &answer.metadata.by_project),
            classes(&extra.by_class),
            kinds(&extra.kinds)
        ),
    };
    if extra.left_out_by_filters > 0 {
        out.push_str(&format!("; {}", left_out_text(&extra.left_out_by, audience)));
    }
    match &extra.accounting {
        Some(accounting) if is_all(accounting, answer.total) => {
            out.push_str(&format!(
                "{DIM}; `{}` occurs nowhere else in files of its language{DIM:#}\n",
                shown(&accounting.name)
            ));
        }
        Some(accounting) => {
            out.push_str(&format!("\n{DIM}{}{DIM:#}\n", accounting_text(accounting, extra.left_out_by_filters == 0)))
        }
        None => out.push('\n'),
    }
    out
}

/// Returns true if the uses and the definitions are all that the name occurs as.
fn is_all(accounting: &AccountingView, uses: usize) -> bool {
    let AccountingView { occurrences, definitions, under_other_names, unread, .. } = accounting;
    *occurrences == definitions + uses && *under_other_names == 0 && unread.is_empty()
}

fn kinds(kinds: &[(&str, usize)]) -> String {
    match kinds {
        [] => String::new(),
        [(kind, _)] => format!(" ({kind})"),
        kinds => {
            let kinds: Vec<String> = kinds.iter().map(|(kind, count)| format!("{count} {kind}")).collect();
            format!(" ({})", kinds.join(", "))
        }
    }
}

fn classes(counts: &ClassCounts) -> String {
    let counts = [(counts.proven, "static"), (counts.likely, "likely"), (counts.possible, "possible")];
    let counts = counts.iter().filter(|(count, _)| *count > 0).map(|(count, class)| format!("{count} {class}"));
    counts.collect::<Vec<_>>().join(", ")
}

/// Returns one line that accounts for every occurrence of the name. Possible uses are named where
/// they are few and the answer does not list them.
pub fn accounting_text(accounting: &AccountingView, lists_possible: bool) -> String {
    let possible = if lists_possible { String::new() } else { few(&accounting.possible_lines, MAX_POSSIBLE) };
    let uses = [
        (accounting.proven - accounting.definitions, "static", String::new()),
        (accounting.likely, "likely", String::new()),
        (accounting.possible, "possible", possible),
        (accounting.text, "in comments and strings", few(&accounting.text_lines, MAX_TEXT)),
    ];
    let mut parts = vec![units::count(accounting.definitions, "definition")];
    let uses = uses.iter().filter(|(count, ..)| *count > 0);
    parts.extend(uses.map(|(count, what, places)| format!("{count} {what}{places}")));
    if accounting.other > 0 {
        parts.push(format!("{} with another meaning{}", accounting.other, targets(accounting)));
    }
    let times = units::count(accounting.occurrences, "time");
    let name = shown(&accounting.name);
    let mut out = format!("`{name}` occurs {times} in files of its language: {}", parts.join(", "));
    if accounting.under_other_names > 0 {
        out.push_str(&format!("; {} under another name", units::count(accounting.under_other_names, "more use")));
    }
    if !accounting.unread.is_empty() {
        out.push_str(&format!("; not counted, search there with `grep`: {}", shown(&accounting.unread.join(", "))));
    }
    out
}

/// Possible uses that are named.
const MAX_POSSIBLE: usize = 5;
/// Lines of comments and strings that are named.
const MAX_TEXT: usize = 2;

/// Returns lines in parentheses if they are no more than `most`.
fn few(lines: &[(String, u32)], most: usize) -> String {
    if (1..=most).contains(&lines.len()) {
        let lines: Vec<String> = lines.iter().map(|(path, line)| format!("{}:{line}", shown(path))).collect();
        format!(" ({})", lines.join(", "))
    } else {
        String::new()
    }
}

/// Names the definitions that most other occurrences mean, in parentheses.
fn targets(accounting: &AccountingView) -> String {
    const MAX_NAMED: usize = 3;
    let named = accounting.targets.iter().take(MAX_NAMED);
    let mut parts: Vec<String> = named.map(|(name, count)| format!("{count} {}", shown(last_names(name)))).collect();
    if parts.is_empty() {
        return String::new();
    }
    let named: usize = accounting.targets.iter().take(MAX_NAMED).map(|(_, count)| count).sum();
    let rest = accounting.other.saturating_sub(named);
    if rest > 0 {
        parts.push(format!("{rest} others"));
    }
    format!(" ({})", parts.join(", "))
}

/// Returns the last two parts of a qualified name.
pub fn last_names(name: &str) -> &str {
    let is_separator = |c: char| !(c.is_alphanumeric() || c == '_');
    let before = |at: usize| name[..at].trim_end_matches(is_separator).rfind(is_separator).map(|at| at + 1);
    name.rfind(is_separator).and_then(before).map_or(name, |at| &name[at..])
}

/// Writes uses with their source lines, by file. Of many possible ones beside better ones agents
/// see the lines' numbers alone.
pub fn uses_text(out: &mut String, uses: &[UseView], audience: Audience, has_better: bool) {
    match audience {
        Audience::Cli => uses_with_columns(out, uses),
        Audience::Tools => uses_by_class(out, uses, has_better),
    }
}

/// Possible uses from which on their source is not shown.
const MANY_POSSIBLE: usize = 25;

fn uses_with_columns(out: &mut String, uses: &[UseView]) {
    let mut file = "";
    let width = uses.iter().map(|site| site.kind.len()).fold(7, usize::max);
    for site in uses {
        if site.path != file {
            file = &site.path;
            out.push_str(&format!("\n{PATH}{}{PATH:#}\n", shown(file)));
        }
        let place = format!("{}:{}", site.line, site.column);
        let around = match enclosing(site) {
            "" => "at top level".to_string(),
            around => format!("in {around}"),
        };
        let doubt = match (site.confidence, site.evidence) {
            (UseClass::Static, _) => String::new(),
            (UseClass::Likely, Some(evidence)) => format!("  {DIM}likely: {}{DIM:#}", words(evidence)),
            (class, _) => format!("  {DIM}{}{DIM:#}", class.as_str()),
        };
        let source = source_text(&site.source);
        out.push_str(&format!(
            "  {LINE}{place:>7}{LINE:#}  {KIND}{:<width$}{KIND:#}  {DIM}{}{DIM:#}  {source}{doubt}\n",
            site.kind,
            shown(&around)
        ));
    }
}

/// Writes one line for each line of source, under a heading for each class that is not proven.
/// Uses in one definition stand below the first of them, which names it; of the same text that
/// follows itself there, only the numbers of its lines are repeated.
fn uses_by_class(out: &mut String, uses: &[UseView], has_better: bool) {
    for sites in uses.chunk_by(|site, next| site.confidence == next.confidence) {
        match sites.first().map(|site| site.confidence) {
            Some(UseClass::Likely) => out.push_str("\nlikely:\n"),
            Some(UseClass::Possible) if has_better && sites.len() >= MANY_POSSIBLE => {
                line_numbers(out, sites);
                continue;
            }
            Some(UseClass::Possible) => out.push_str("\npossible, not resolved:\n"),
            _ => {}
        }
        let mut list = ByFile::default();
        for sites in sites.chunk_by(|site, next| site.path == next.path) {
            let mut before: Option<&UseView> = None;
            for alike in sites.chunk_by(is_alike) {
                let is_told = |site: &&UseView| before.is_some_and(|before| before.line == site.line);
                let mut lines: Vec<u32> = alike.iter().skip_while(|site| is_told(site)).map(|site| site.line).collect();
                lines.dedup();
                if let Some(first) = alike.first().filter(|_| !lines.is_empty()) {
                    list.add(&first.path, 0, use_line(first, &lines, before));
                }
                before = alike.last();
            }
            if sites.len() >= MIN_COUNTED {
                list.note(format!(" ({})", sites.len()));
            }
        }
        list.write(out);
    }
}

/// Writes the lines of possible uses by file.
fn line_numbers(out: &mut String, sites: &[UseView]) {
    out.push_str("\npossible, not resolved (`grep_code` shows the lines):\n");
    let mut list = ByFile::default();
    for sites in sites.chunk_by(|site, next| site.path == next.path) {
        let mut lines: Vec<String> = sites.iter().map(|site| site.line.to_string()).collect();
        lines.dedup();
        if let Some(first) = sites.first() {
            list.add(&first.path, 0, lines.join(", "));
        }
    }
    list.write(out);
}

/// Uses in one file from which on their number is written.
const MIN_COUNTED: usize = 3;

/// Returns whether two uses in one file are written on one line of the answer.
fn is_alike(site: &UseView, next: &UseView) -> bool {
    let is_same = site.kind == next.kind && site.enclosing == next.enclosing && site.source == next.source;
    is_same && !site.source.is_empty()
}

/// Returns the text of uses on `lines` that are alike.
fn use_line(site: &UseView, lines: &[u32], before: Option<&UseView>) -> String {
    let kind = if site.kind == CALL { String::new() } else { format!("{}  ", site.kind) };
    let name = name_in_file(enclosing(site), &site.path);
    let is_same = before.is_some_and(|before| !name.is_empty() && before.enclosing == site.enclosing);
    let around = match (is_same, name) {
        (true, _) => "  ".to_string(),
        (false, "") => String::new(),
        (false, name) => format!("{}  ", shown(name)),
    };
    let lines: Vec<String> = lines.iter().map(u32::to_string).collect();
    format!("{}  {around}{kind}{}", lines.join(", "), source_text(&site.source))
}

/// The kind of use that need not be named.
const CALL: &str = "call";

/// Returns the name of the definition around a use, empty at the top level.
fn enclosing(site: &UseView) -> &str {
    site.enclosing.as_ref().map_or("", |around| around.shown_name())
}
