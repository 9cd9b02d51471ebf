//! Text of `status`.

use std::fmt::Write as _;

use crate::api::index::status::{CoverageView, StatusAnswer, StatusRequest};
use crate::remedy::Audience;
use crate::render::shown;
use crate::terminal::output::{DIM, NAME};
use crate::{clock, units};

pub fn text(_: &StatusRequest, answer: &StatusAnswer, audience: Audience) -> String {
    let mut out = String::new();
    match &answer.contents {
        None => {
            let index = audience.question("index", "index_repo");
            let _ = writeln!(out, "{NAME}{}{NAME:#}\nnot indexed yet; any question or {index} does it", answer.root);
        }
        Some(contents) => {
            let _ = writeln!(
                out,
                "{NAME}{}{NAME:#} {DIM}({}){DIM:#}\n{}, {}, {} of source, generation {}, {}",
                answer.root,
                answer.reference,
                units::count(answer.files as usize, "file"),
                units::count(answer.symbols as usize, "symbol"),
                units::bytes(contents.source_bytes.max(0) as u64),
                answer.generation,
                if answer.is_fresh { "fresh" } else { "stale" }
            );
            for count in answer.languages.iter().flatten() {
                let (files, symbols) = (count.files as usize, count.symbols as usize);
                let (file, symbol) = (units::noun(files, "file"), units::noun(symbols, "symbol"));
                let _ = writeln!(out, "{files:>8} {file:<5}  {symbols:>8} {symbol:<7}  {}", count.language);
            }
            if let Some(coverage) = &answer.coverage {
                coverage_text(&mut out, coverage);
            }
            let _ = writeln!(out, "{DIM}store {} ({}){DIM:#}", contents.store, units::bytes(contents.store_bytes));
            if answer.watcher.is_running() {
                let _ = writeln!(out, "{}", answer.watcher.line);
            }
        }
    }
    if let Some(history) = &answer.history {
        let commits = units::count(history.commits, "commit");
        let reading = history.progress.map(|it| format!("; reading, {} of {} done", it.done, it.total));
        let (changes, reading) = (history.with_changes, reading.unwrap_or_default());
        let _ = writeln!(out, "{DIM}history: {commits}, changed lines of {changes}{reading}{DIM:#}");
    }
    if let Some(sums) = &answer.savings {
        let calls = units::count(sums.calls as usize, "call");
        let (cost, replaced) = (sums.answer_tokens, sums.replaced_tokens);
        let _ = writeln!(out, "{DIM}savings: {calls}, {cost} tokens in place of {replaced}{DIM:#}");
    }
    jobs_text(&mut out, answer);
    out
}

/// Writes what is to be said of index runs, if anything.
fn jobs_text(out: &mut String, answer: &StatusAnswer) {
    if let Some(job) = &answer.job {
        let _ = writeln!(
            out,
            "an index run is {} (process {}): {} of {}",
            job.state,
            job.pid,
            job.files_done,
            units::count(job.files_total as usize, "file")
        );
    }
    if let Some(report) = &answer.interrupted_recovery_report {
        let why = report.job.message.as_ref().map(|message| format!(": {}", shown(message))).unwrap_or_default();
        let _ = writeln!(out, "the last index run was {}{why}; {}", report.job.state, report.remediation.text());
        let others = report.recent.iter().filter(|lost| lost.job.sync_id != report.job.sync_id);
        for lost in others {
            let (state, workspace) = (lost.job.state, shown(&lost.workspace));
            let _ =
                writeln!(out, "    {DIM}{state} earlier: {workspace}, {}{DIM:#}", clock::rfc3339(lost.job.started_at));
        }
    }
}

/// Writes what the paths hold that were asked for.
fn coverage_text(out: &mut String, coverage: &CoverageView) {
    let counts = [
        (coverage.files, "file"),
        (coverage.lines as usize, "line"),
        (coverage.functions, "function"),
        (coverage.types, "type"),
        (coverage.calls, "call"),
    ];
    let counts: Vec<String> = counts.iter().map(|(number, noun)| units::count(*number, noun)).collect();
    let path = coverage.path.join(", ");
    let _ = writeln!(out, "{NAME}{}{NAME:#} {}", shown(&path), counts.join(", "));
    if coverage.files_with_problems > 0 {
        let files = units::count(coverage.files_with_problems, "file");
        let _ = writeln!(out, "    {files} could be parsed only in part");
    }
    if !coverage.skipped.is_empty() {
        let reasons = coverage.skipped.iter().map(|(reason, number)| format!("{number} {reason}"));
        let _ = writeln!(out, "    left out: {}", reasons.collect::<Vec<_>>().join(", "));
    }
}
