//! Text of `refs`.

use codecompass_engine::query::{Hit, UseClass};

use super::account::{account_text, definitions_text, texts_text, unread_text};
use crate::api::metadata::Completeness;
use crate::api::navigate::accounting::ClassCounts;
use crate::api::navigate::refs::{RefsAnswer, RefsRequest};
use crate::api::views::{HitView, UseView};
use crate::remedy::Audience;
use crate::render::by_file::{ByFile, name_in_file};
use crate::render::metadata::by_project_text;
use crate::render::{SymbolArgument, left_out_text, other_meanings, shown, source_text, subject_text, words};
use crate::terminal::output::{DIM, KIND, LINE, NAME, PATH};
use crate::units;

pub fn text(request: &RefsRequest, answer: &RefsAnswer, audience: Audience) -> String {
    let mut out = String::new();
    let hit = &answer.symbol.hit;
    let others: Vec<&Hit> = answer.others.iter().map(|other| &other.hit).collect();
    let asked = SymbolArgument { argument: request.subject.only(), audience };
    let open = answer.is_open.then_some(answer.others_total);
    definitions_text(&mut out, &answer.definitions, open, audience);
    if answer.definitions.is_empty() {
        subject_text(&mut out, hit, &others, answer.others_total, &asked);
    } else {
        other_meanings(&mut out, &others, answer.others_total, &asked);
    }
    if answer.is_open {
        return out;
    }
    let is_told = |part: &&HitView| {
        hit.other_places.iter().any(|place| (&place.path, place.line_start) == (&part.hit.path, part.hit.line_start))
    };
    let parts = answer.parts.iter().filter(|part| !is_told(part));
    for part in parts.filter(|_| answer.definitions.is_empty()) {
        out.push_str(&format!("    {DIM}also at {}:{}{DIM:#}\n", shown(&part.hit.path), part.hit.name_line));
    }
    out.push_str(&summary(answer, audience));
    let has_proof =
        answer.metadata.extra.as_ref().is_some_and(|extra| extra.by_class.proven + extra.by_class.likely > 0);
    // Calls of one of several definitions have no number either.
    let is_possible = |site: &UseView| !answer.definitions.is_empty() && site.confidence == UseClass::Possible;
    let is_same =
        |site: &UseView, next: &UseView| site.definition == next.definition && is_possible(site) == is_possible(next);
    for uses in answer.references.chunk_by(is_same) {
        let number = uses.first().and_then(|site| site.definition);
        if let Some(definition) = number.and_then(|number| answer.definitions.get(number)) {
            let (path, line) = (shown(&definition.path), definition.line);
            out.push_str(&format!(
                "\nof {NAME}{}{NAME:#} {DIM}({path}:{line}){DIM:#}\n",
                shown(&definition.local_name)
            ));
        } else if !answer.definitions.is_empty() && !uses.first().is_some_and(is_possible) {
            out.push_str("\nof one of these overloads; which one was not decided\n");
        }
        uses_text(&mut out, uses, audience, has_proof);
    }
    if !answer.left_out.is_empty() {
        out.push_str("\nleft out:\n");
        uses_text(&mut out, &answer.left_out, audience, false);
    }
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

/// Writes the numbers of uses, and what else the name occurs as where that is in doubt.
fn summary(answer: &RefsAnswer, audience: Audience) -> String {
    let Some(extra) = &answer.metadata.extra else { return String::new() };
    let accounting = extra.accounting.as_ref();
    let left_out = match extra.left_out_by_filters {
        0 => String::new(),
        _ => format!("; {}", left_out_text(&extra.left_out_by, audience)),
    };
    let files = || {
        let files = units::count(extra.files, "file");
        format!("{files}{}", by_project_text(" of ", &answer.metadata.by_project))
    };
    if answer.total == 0 {
        let none = if extra.left_out_by_filters > 0 { "no use that fits" } else { "no use of it was found" };
        let is_whole = answer.metadata.result_completeness != Some(Completeness::Partial);
        let rest = match accounting {
            _ if !is_whole => format!("{DIM} in what is indexed so far{DIM:#}"),
            Some(account) if account.occurrences == account.definitions && account.unread.is_empty() => {
                format!("{DIM}; `{}` occurs nowhere else in files of its language{DIM:#}", shown(&account.name))
            }
            Some(account) => format!("\n{DIM}{}{DIM:#}", account_text(account)),
            None => String::new(),
        };
        return format!("{none}{left_out}{rest}\n");
    }
    let total = answer.total;
    if extra.by_class.proven == total {
        let unread = accounting.map(unread_text).unwrap_or_default();
        let proven = format!("{total} of {} proven", units::count(total, "use"));
        let texts = accounting.and_then(texts_text).map(|texts| format!("; {texts}")).unwrap_or_default();
        return format!("{proven}, in {}{}{left_out}{texts}{unread}\n", files(), kinds(&extra.kinds));
    }
    let (uses, classes, kinds) = (units::count(total, "use"), classes(&extra.by_class), kinds(&extra.kinds));
    let account = accounting.map(|account| format!("{DIM}{}{DIM:#}\n", account_text(account))).unwrap_or_default();
    format!("{uses} in {}: {classes}{kinds}{left_out}\n{account}", files())
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
            out.push_str(&format!("\n{PATH}{}{PATH:#}{DIM}{}{DIM:#}\n", shown(file), mark(site)));
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
            let mark = sites.first().map(mark).unwrap_or_default();
            if sites.len() >= MIN_COUNTED {
                list.note(format!(" ({}){mark}", sites.len()));
            } else if !mark.is_empty() {
                list.note(mark);
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

/// Returns the mark of a file that is not written by hand here.
fn mark(site: &UseView) -> String {
    site.file_mark.map(|mark| format!("  {mark}")).unwrap_or_default()
}

/// The kind of use that need not be named.
const CALL: &str = "call";

/// Returns the name of the definition around a use, empty at the top level.
fn enclosing(site: &UseView) -> &str {
    site.enclosing.as_ref().map_or("", |around| around.shown_name())
}
