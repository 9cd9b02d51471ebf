//! Text of `refs`.

use codecompass_engine::query::{Hit, UseClass};

use crate::api::navigate::accounting::{AccountingView, ClassCounts};
use crate::api::navigate::refs::{RefsAnswer, RefsRequest};
use crate::api::views::{HitView, UseView};
use crate::remedy::Voice;
use crate::render::{SymbolArgument, shown, source_text, subject_text, words};
use crate::terminal::output::{DIM, KIND, LINE, PATH};
use crate::units;

pub(crate) fn text(request: &RefsRequest, answer: &RefsAnswer, voice: Voice) -> String {
    let mut out = String::new();
    let hit = &answer.symbol.hit;
    let others: Vec<&Hit> = answer.others.iter().map(|other| &other.hit).collect();
    let asked = SymbolArgument { argument: request.subject.only(), voice };
    subject_text(&mut out, hit, &others, answer.others_total, &asked);
    let is_told = |part: &&HitView| {
        hit.other_places.iter().any(|place| (&place.path, place.line_start) == (&part.hit.path, part.hit.line_start))
    };
    for part in answer.parts.iter().filter(|part| !is_told(part)) {
        out.push_str(&format!("    {DIM}also at {}:{}{DIM:#}\n", shown(&part.hit.path), part.hit.name_line));
    }
    out.push_str(&summary(answer));
    uses_text(&mut out, &answer.references, voice);
    if answer.behind > 0 {
        let cut = answer.metadata.extra.as_ref().map(|extra| classes(&extra.not_listed)).unwrap_or_default();
        let option = |name| voice.option(name);
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
fn summary(answer: &RefsAnswer) -> String {
    let Some(extra) = &answer.metadata.extra else { return String::new() };
    let mut out = match answer.total {
        0 => "no use of it was found".to_string(),
        total => format!(
            "{} in {}: {}{}",
            units::count(total, "use"),
            units::count(extra.files, "file"),
            classes(&extra.by_class),
            kinds(&extra.kinds)
        ),
    };
    if extra.left_out_by_filters > 0 {
        out.push_str(&format!("; {} left out by filters", extra.left_out_by_filters));
    }
    out.push('\n');
    if let Some(accounting) = &extra.accounting {
        out.push_str(&format!("{DIM}{}{DIM:#}\n", accounting_text(accounting)));
    }
    out
}

fn kinds(kinds: &[(&str, usize)]) -> String {
    let kinds: Vec<String> = kinds.iter().map(|(kind, count)| format!("{count} {kind}")).collect();
    if kinds.is_empty() { String::new() } else { format!(" ({})", kinds.join(", ")) }
}

fn classes(counts: &ClassCounts) -> String {
    let counts = [(counts.proven, "static"), (counts.likely, "likely"), (counts.possible, "possible")];
    let counts = counts.iter().filter(|(count, _)| *count > 0).map(|(count, class)| format!("{count} {class}"));
    counts.collect::<Vec<_>>().join(", ")
}

/// Returns one line that accounts for every occurrence of the name.
pub(crate) fn accounting_text(accounting: &AccountingView) -> String {
    let uses = [
        (accounting.proven - accounting.definitions, "static"),
        (accounting.likely, "likely"),
        (accounting.possible, "possible"),
        (accounting.text, "in comments and strings"),
    ];
    let mut parts = vec![units::count(accounting.definitions, "definition")];
    parts.extend(uses.iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!("{count} {what}")));
    if accounting.other > 0 {
        parts.push(format!("{} with another meaning{}", accounting.other, targets(accounting)));
    }
    let times = units::count(accounting.occurrences, "time");
    let mut out = format!("`{}` occurs {times} in files of its language: {}", accounting.name, parts.join(", "));
    if accounting.under_other_names > 0 {
        out.push_str(&format!("; {} under another name", units::count(accounting.under_other_names, "more use")));
    }
    if !accounting.unread.is_empty() {
        out.push_str(&format!("; not counted, search there with `grep`: {}", shown(&accounting.unread.join(", "))));
    }
    out
}

/// Names the definitions that other occurrences mean, in parentheses, as far as they are known.
fn targets(accounting: &AccountingView) -> String {
    let mut parts: Vec<String> = accounting.targets.iter().map(|(name, count)| format!("{count} {name}")).collect();
    if parts.is_empty() {
        return String::new();
    }
    let named: usize = accounting.targets.iter().map(|(_, count)| count).sum();
    let rest = accounting.other.saturating_sub(named);
    if rest > 0 {
        parts.push(format!("{rest} others"));
    }
    format!(" ({})", parts.join(", "))
}

/// Writes uses with their source lines, by file.
pub(crate) fn uses_text(out: &mut String, uses: &[UseView], voice: Voice) {
    match voice {
        Voice::Cli => uses_with_columns(out, uses),
        Voice::Tools => uses_by_class(out, uses),
    }
}

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
fn uses_by_class(out: &mut String, uses: &[UseView]) {
    let mut before: Option<&UseView> = None;
    for site in uses {
        let is_new_class = before.is_none_or(|before| before.confidence != site.confidence);
        match site.confidence {
            UseClass::Likely if is_new_class => out.push_str("\nlikely:\n"),
            UseClass::Possible if is_new_class => out.push_str("\npossible, not resolved:\n"),
            _ => {}
        }
        let is_new_file = is_new_class || before.is_none_or(|before| before.path != site.path);
        if is_new_file {
            let is_of_file = |other: &&UseView| (&other.path, other.confidence) == (&site.path, site.confidence);
            let number = match uses.iter().filter(is_of_file).count() {
                1 => String::new(),
                number => format!(" ({number})"),
            };
            out.push_str(&format!("{}{number}\n", shown(&site.path)));
        }
        if is_new_file || before.is_none_or(|before| before.line != site.line) {
            let kind = if site.kind == CALL { String::new() } else { format!("{}  ", site.kind) };
            let around = match enclosing(site) {
                "" => String::new(),
                around => format!("{}  ", shown(around)),
            };
            out.push_str(&format!("  {}  {around}{kind}{}\n", site.line, source_text(&site.source)));
        }
        before = Some(site);
    }
}

/// The kind of use that need not be named.
const CALL: &str = "call";

/// Returns the name of the definition around a use, empty at the top level.
fn enclosing(site: &UseView) -> &str {
    site.enclosing.as_ref().map_or("", |around| around.shown_name())
}
