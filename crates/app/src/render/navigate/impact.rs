//! Text of `impact`.

use codecompass_engine::query::{Hit, MAX_EXPANDED, MAX_LOOKED_AT, UseClass};

use super::account::{account_text, definitions_text, is_proven};
use super::graph::{affected_by_depth, affected_text, other_meanings, subject};
use super::refs::uses_text;
use super::rename;
use super::steps::{TextSteps, steps_text};
use crate::api::navigate::accounting::AccountingView;
use crate::api::navigate::graph::AffectedView;
use crate::api::navigate::impact::{
    AffectedFileView, AffectedRouteView, ImpactAnswer, ImpactCause, ImpactForm, ImpactMetadata, ImpactRequest,
};
use crate::api::page::Page;
use crate::remedy::Audience;
use crate::render::metadata::by_project_text;
use crate::render::{left_out_text, more_text, shown, text_tokens};
use crate::terminal::output::{DIM, LINE, NAME, PATH};
use crate::units;

/// Changed symbols that are named.
const MAX_CHANGED: usize = 20;
/// Endpoints, and rpcs, that are named.
const MAX_ROUTES: usize = 12;
/// Files that are named.
const MAX_FILES: usize = 20;

pub fn text(request: &ImpactRequest, answer: &ImpactAnswer, audience: Audience) -> String {
    if let Some(rename) = &answer.rename {
        return rename::text(rename, request.page.offset as usize, audience);
    }
    let mut out = String::new();
    let Some(totals) = &answer.metadata.extra else { return out };
    let changed_total = match &answer.cause {
        ImpactCause::Symbol { symbol, others, definitions, others_total, is_open } => {
            let argument = request.symbols.first().map_or("", String::as_str);
            definitions_text(&mut out, definitions, is_open.then_some(*others_total), audience);
            if definitions.is_empty() {
                subject(&mut out, symbol, others, *others_total, argument, audience);
            } else {
                other_meanings(&mut out, others, *others_total, argument, audience);
            }
            if *is_open {
                return out;
            }
            definitions.len().max(1)
        }
        ImpactCause::Diff { base, merge_base_commit, changed_symbols } => {
            let changed: Vec<&Hit> = changed_symbols.iter().map(|changed| &changed.hit).collect();
            changed_text(&mut out, base, merge_base_commit, &changed, audience);
            changed.len()
        }
    };
    out.push_str(&summary(answer, totals, changed_total));
    routes_text(&mut out, answer, totals);
    let is_told = |accounting: &&AccountingView| {
        !is_proven(accounting) || answer.affected_files.is_empty() && accounting.occurrences > accounting.definitions
    };
    if let Some(accounting) = totals.accounting.as_ref().filter(is_told) {
        out.push_str(&format!("{DIM}{}{DIM:#}\n", account_text(accounting)));
    }
    if totals.left_out_by_filters > 0 {
        out.push_str(&format!("{DIM}{}{DIM:#}\n", left_out_text(&totals.left_out_by, audience)));
        answer.left_out.iter().for_each(|affected| affected_text(&mut out, affected));
    }
    // A page skips as many of each list; only where it begins matters here.
    let page = Page::new(request.page, usize::MAX);
    let entry_points: Vec<&AffectedView> = answer.affected_entry_points.iter().collect();
    let behind = page.behind(totals.affected_entry_points, entry_points.len());
    if answer.flow.is_asked {
        steps_text(&mut out, &answer.flow, audience);
        let more = page.behind(totals.affected_symbols, answer.affected_symbols.len())
            + page.behind(totals.affected_tests, answer.affected_tests.len());
        if more > 0 {
            out.push_str(&format!("\n{}", more_text(more, audience)));
        }
        possible_text(&mut out, answer, totals, audience);
        return out;
    }
    section(&mut out, "entry points", &entry_points, behind, audience);
    // Entry points were listed above.
    let is_entry = |affected: &&AffectedView| answer.affected_entry_points.contains(affected);
    let code: Vec<&AffectedView> = answer.affected_symbols.iter().filter(|affected| !is_entry(affected)).collect();
    let behind = page.behind(totals.affected_symbols, answer.affected_symbols.len());
    section(&mut out, "code", &code, behind, audience);
    let tests: Vec<&AffectedView> = answer.affected_tests.iter().collect();
    // The lists name all files themselves, unless they are cut.
    let is_cut = behind > 0 || page.behind(totals.affected_tests, tests.len()) > 0;
    section(&mut out, "tests", &tests, page.behind(totals.affected_tests, tests.len()), audience);
    possible_text(&mut out, answer, totals, audience);
    if audience == Audience::Cli || is_cut {
        files_text(&mut out, &answer.affected_files);
    }
    out
}

/// Lists possible uses that are not followed.
fn possible_text(out: &mut String, answer: &ImpactAnswer, totals: &ImpactMetadata, audience: Audience) {
    if answer.possible_uses.is_empty() {
        return;
    }
    let more = match totals.possible_uses.saturating_sub(answer.possible_uses.len()) {
        0 => String::new(),
        more => format!("; {} lists {more} more", audience.question("refs", "find_references")),
    };
    out.push_str(&format!("\npossible uses that are not followed, each may mean many definitions{DIM}{more}{DIM:#}\n"));
    uses_text(out, &answer.possible_uses, audience, false);
}

impl ImpactForm for TextSteps {
    fn impact_tokens(&self, request: &ImpactRequest, answer: &ImpactAnswer) -> usize {
        text_tokens(&text(request, answer, self.audience))
    }
}

fn changed_text(out: &mut String, base: &str, commit: &str, changed: &[&Hit], audience: Audience) {
    let short = commit.get(..10).unwrap_or(commit);
    let count = units::count(changed.len(), "changed symbol");
    out.push_str(&format!("{count} {DIM}since {base} ({short}){DIM:#}\n"));
    for hit in changed.iter().take(MAX_CHANGED) {
        let (path, line, name) = (shown(&hit.path), hit.name_line, shown(&hit.local_name));
        out.push_str(&format!("  {PATH}{path}{PATH:#}:{LINE}{line}{LINE:#}  {name}\n"));
    }
    if changed.len() > MAX_CHANGED {
        let more = changed.len() - MAX_CHANGED;
        let diff = audience.question("diff", "diff_context");
        out.push_str(&format!("  {DIM}and {more} more; {diff} lists them{DIM:#}\n"));
    }
}

fn summary(answer: &ImpactAnswer, totals: &ImpactMetadata, changed_total: usize) -> String {
    let depths: Vec<String> =
        totals.per_depth.iter().enumerate().map(|(at, count)| format!("{count} at depth {}", at + 1)).collect();
    let cut = if answer.metadata.safety_limit_applied == Some(true) {
        format!("; stopped after {MAX_EXPANDED} symbols or {MAX_LOOKED_AT} possible uses, there may be more")
    } else {
        String::new()
    };
    let lists = answer.affected_symbols.iter().chain(&answer.affected_tests);
    let possible = match lists.filter(|affected| affected.confidence == UseClass::Possible).count() {
        0 => String::new(),
        possible if possible == totals.affected_symbols + totals.affected_tests => ", none of them proven".to_string(),
        possible => format!(", {possible} of them only possible"),
    };
    match (totals.affected_symbols + totals.affected_tests, changed_total) {
        (0, 0) => "nothing was modified, renamed or deleted\n".to_string(),
        (0, _) if totals.possible_uses > 0 => format!("no proven use; {} possible\n", totals.possible_uses),
        (0, 1) => "nothing that uses it was found\n".to_string(),
        (0, _) => "nothing that uses them was found\n".to_string(),
        _ => format!(
            "may affect {} and {} in {}{}: {}{possible}{cut}\n",
            units::count(totals.affected_symbols, "symbol"),
            units::count(totals.affected_tests, "test"),
            units::count(answer.affected_files.len(), "file"),
            by_project_text(" of ", &answer.metadata.by_project),
            depths.join(", ")
        ),
    }
}

/// Names the endpoints and rpcs that affected code answers, on one line each.
fn routes_text(out: &mut String, answer: &ImpactAnswer, totals: &ImpactMetadata) {
    let kinds = [
        ("endpoint", totals.affected_endpoints, &answer.affected_endpoints),
        ("rpc", totals.affected_rpcs, &answer.affected_rpcs),
    ];
    for (word, total, routes) in kinds.into_iter().filter(|(_, total, _)| *total > 0) {
        let name = |route: &AffectedRouteView| match &route.method {
            Some(method) => format!("{method} {}", shown(&route.path)),
            None => shown(&route.path).to_string(),
        };
        let mut names: Vec<String> = routes.iter().take(MAX_ROUTES).map(name).collect();
        if total > names.len() {
            names.push(format!("{} more", total - names.len()));
        }
        out.push_str(&format!("answers {}: {}\n", units::count(total, word), names.join(", ")));
    }
}

/// Lists what is affected; `more` counts what stands behind.
fn section(out: &mut String, title: &str, affected: &[&AffectedView], more: usize, audience: Audience) {
    if affected.is_empty() {
        return;
    }
    match audience {
        Audience::Cli => {
            out.push_str(&format!("\n{NAME}{title}{NAME:#} {DIM}(with their depth){DIM:#}\n"));
            affected.iter().for_each(|affected| affected_text(out, affected));
        }
        Audience::Tools => affected_by_depth(out, title, affected),
    }
    if more > 0 {
        out.push_str(&format!("  {}", more_text(more, audience)));
    }
}

/// Lists the files, those with most affected code first.
fn files_text(out: &mut String, files: &[AffectedFileView]) {
    if files.len() < 2 {
        return;
    }
    let mut files: Vec<&AffectedFileView> = files.iter().collect();
    files.sort_by_key(|file| (std::cmp::Reverse(file.affected), &file.path));
    out.push_str(&format!("\n{NAME}files{NAME:#}\n"));
    for file in files.iter().take(MAX_FILES) {
        out.push_str(&format!("  {PATH}{}{PATH:#}  {}\n", shown(&file.path), file.affected));
    }
    if files.len() > MAX_FILES {
        out.push_str(&format!("  {DIM}and {} more{DIM:#}\n", files.len() - MAX_FILES));
    }
}
