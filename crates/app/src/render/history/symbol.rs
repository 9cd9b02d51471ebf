//! Text of `history --symbol`.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use super::commits::{day, lines_text, name_of, short};
use crate::api::history::symbol::{
    AuthorShare, BlameRunView, SymbolCommitView, SymbolHistoryAnswer, SymbolHistoryRequest,
};
use crate::remedy::Audience;
use crate::render::shown;
use crate::terminal::output::{DIM, KIND, LINE, NAME, PATH};
use crate::units;

/// Authors that are named.
const MAX_AUTHORS: usize = 5;

pub fn text(_: &SymbolHistoryRequest, answer: &SymbolHistoryAnswer, audience: Audience) -> String {
    let (name, path) = (shown(&answer.name), shown(&answer.path));
    let mut out = format!("{NAME}{name}{NAME:#}  {PATH}{path}{PATH:#}:{LINE}{}{LINE:#}\n", answer.line);
    if answer.is_uncommitted {
        out.push_str("it is not committed yet\n");
        return out;
    }
    if let Some(runs) = &answer.blame {
        blame_text(&mut out, runs, answer);
        return out;
    }
    let _ = write!(out, "changed by {}", units::count(answer.total, "commit"));
    match &answer.introduced {
        Some(commit) => {
            let _ = write!(out, "; introduced {} by {}", day(&commit.date), shown(name_of(&commit.author)));
        }
        None => out.push_str("; introduced before the known history"),
    }
    if let Some(commit) = &answer.last_changed {
        let _ = write!(out, "; last changed {}", day(&commit.date));
    }
    out.push('\n');
    if answer.authors.len() > 1 {
        authors_text(&mut out, &answer.authors);
    }
    for commit in &answer.commits {
        if audience == Audience::Cli {
            out.push('\n');
        }
        commit_text(&mut out, commit, answer);
    }
    if answer.behind > 0 {
        let next = answer.metadata.next_offset.unwrap_or(0);
        let (offset, limit) = (audience.option("offset"), audience.option("limit"));
        let more = format!("{} more; {offset} {next} goes on, {limit} shows more at once", answer.behind);
        let _ = writeln!(out, "\n{DIM}{more}{DIM:#}");
    }
    out
}

fn authors_text(out: &mut String, authors: &[AuthorShare]) {
    let author = |it: &AuthorShare| format!("{} {:.0}%", shown(name_of(&it.author)), it.share * 100.0);
    let names: Vec<String> = authors.iter().take(MAX_AUTHORS).map(author).collect();
    let more = authors.len().saturating_sub(MAX_AUTHORS);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    let _ = writeln!(out, "authors: {}{more}", names.join(", "));
}

/// Writes lines below the commits that they come from.
fn blame_text(out: &mut String, runs: &[BlameRunView], answer: &SymbolHistoryAnswer) {
    let lines: usize = runs.iter().map(|run| run.lines.len()).sum();
    let commits: BTreeSet<&str> = runs.iter().filter_map(|run| run.commit.as_ref()).map(|it| it.id.as_str()).collect();
    let _ = write!(out, "{} from {}", units::count(lines, "line"), units::count(commits.len(), "commit"));
    if let Some(commit) = &answer.last_changed {
        let _ = write!(out, "; last changed {}", day(&commit.date));
    }
    out.push('\n');
    authors_text(out, &answer.authors);
    for run in runs {
        match &run.commit {
            Some(commit) => {
                let (id, day, author) = (short(&commit.id), day(&commit.date), shown(name_of(&commit.author)));
                let subject = shown(&commit.subject);
                let older = if commit.is_oldest_known { " or older" } else { "" };
                let _ = write!(out, "{LINE}{id}{LINE:#} {day}{older} {KIND}{author}{KIND:#}  {NAME}{subject}{NAME:#}");
                let path = commit.path.iter().map(|path| format!("  {DIM}then in {}{DIM:#}", shown(path)));
                out.extend(path);
            }
            None => out.push_str("not committed yet"),
        }
        out.push('\n');
        for (number, line) in (run.start..).zip(&run.lines) {
            let _ = writeln!(out, "{LINE}{number:>6}{LINE:#}  {}", shown(line));
        }
    }
}

fn commit_text(out: &mut String, commit: &SymbolCommitView, answer: &SymbolHistoryAnswer) {
    let (id, day, author) = (short(&commit.id), day(&commit.date), shown(name_of(&commit.author)));
    let change = if commit.change == "modified" { String::new() } else { format!(" {DIM}({}){DIM:#}", commit.change) };
    let subject = shown(&commit.subject);
    let _ = writeln!(out, "{LINE}{id}{LINE:#} {day} {KIND}{author}{KIND:#}{change}  {NAME}{subject}{NAME:#}");
    if commit.path != answer.path || commit.name != answer.name {
        let _ = writeln!(out, "  {DIM}then {} in {}{DIM:#}", shown(&commit.name), shown(&commit.path));
    }
    for (sign, signature) in [('-', &commit.before), ('+', &commit.after)] {
        if let Some(signature) = signature {
            let _ = writeln!(out, "  {LINE}{sign}{LINE:#} {}", shown(signature));
        }
    }
    lines_text(out, &commit.lines, Some(&commit.path), commit.more_lines);
}
