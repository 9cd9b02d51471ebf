//! Text of `history`.

use std::fmt::Write as _;

use crate::api::history::commits::{
    CommitFileView, CommitGroup, CommitLineView, CommitView, HistoryCommits, HistoryRequest,
};
use crate::remedy::Audience;
use crate::render::shown;
use crate::terminal::output::{DIM, KIND, LINE, NAME, PATH};
use crate::units;

/// Characters of the longest bar.
const MAX_BAR: usize = 30;
/// Files of a commit that are named.
const MAX_FILES: usize = 8;
/// Digits of an id that are shown.
const SHORT_ID: usize = 10;
/// Characters of a line that are shown.
const MAX_LINE: usize = 200;

pub fn text(_: &HistoryRequest, answer: &HistoryCommits, audience: Audience) -> String {
    let mut out = summary(answer);
    groups_text(&mut out, &answer.groups, audience);
    for commit in &answer.commits {
        if audience == Audience::Cli {
            out.push('\n');
        }
        commit_text(&mut out, commit);
    }
    if answer.behind > 0 {
        let next = answer.metadata.next_offset.unwrap_or(0);
        let (offset, limit) = (audience.option("offset"), audience.option("limit"));
        let narrow = ["path", "author", "since"].map(|name| audience.option(name));
        let narrow = format!("{}, {} and {} narrow", narrow[0], narrow[1], narrow[2]);
        let more = format!("{} more; {offset} {next} goes on, {limit} shows more at once", answer.behind);
        let _ = writeln!(out, "\n{DIM}{more}, {narrow}{DIM:#}");
    }
    let Some(extra) = &answer.metadata.extra else { return out };
    if extra.unsearched > 0 {
        let commits = units::count(extra.unsearched, "commit");
        let _ = writeln!(out, "{DIM}the changes of {commits} were not looked at yet; ask again to go on{DIM:#}");
    }
    for note in &extra.notes {
        let _ = writeln!(out, "{DIM}{note}{DIM:#}");
    }
    out
}

fn summary(answer: &HistoryCommits) -> String {
    let Some(extra) = &answer.metadata.extra else { return String::new() };
    let searched = format!("{} of {}", units::count(extra.searched, "commit"), shown(&extra.range));
    match (answer.total, &extra.reason) {
        (0, Some(reason)) => format!("no commit found: {}\n", shown(reason)),
        (0, None) => format!("no commit found in {searched}\n"),
        (total, _) => format!("{} found in {searched}\n", units::count(total, "commit")),
    }
}

/// Writes a chart: a bar for the commits of each group, and the lines that came and went.
fn groups_text(out: &mut String, groups: &[CommitGroup], audience: Audience) {
    let most = groups.iter().map(|group| group.commits).max().unwrap_or(0).max(1);
    let width = groups.iter().map(|group| group.group.chars().count()).max().unwrap_or(0);
    if audience == Audience::Cli && !groups.is_empty() {
        out.push('\n');
    }
    for group in groups {
        // Every group has some commits, so every bar has some length.
        let bar = "#".repeat((group.commits * MAX_BAR).div_ceil(most));
        let lines = group.added.zip(group.removed).filter(|lines| *lines != (0, 0));
        let lines = lines.map(|(added, removed)| format!("  +{added} -{removed}")).unwrap_or_default();
        let name = shown(&group.group);
        let _ =
            writeln!(out, "{NAME}{name:<width$}{NAME:#} {:>5} {LINE}{bar}{LINE:#}{DIM}{lines}{DIM:#}", group.commits);
    }
}

/// Writes one commit: a line with its id, then its files, its message if asked for, and its lines.
fn commit_text(out: &mut String, commit: &CommitView) {
    let (id, day, name) = (short(&commit.id), day(&commit.date), name_of(&commit.author));
    let merge =
        if commit.parents.is_some_and(|parents| parents > 1) { format!(" {DIM}(merge){DIM:#}") } else { String::new() };
    let subject = shown(&commit.subject);
    let _ = writeln!(out, "{LINE}{id}{LINE:#} {day} {KIND}{}{KIND:#}{merge}  {NAME}{subject}{NAME:#}", shown(name));
    for line in commit.body.iter().flat_map(|body| body.lines()) {
        let _ = writeln!(out, "    {}", shown(line));
    }
    files_text(out, commit);
    lines_text(out, &commit.lines, None, commit.more_lines);
}

/// Writes changed lines below their paths; `path` was named already.
pub(super) fn lines_text(out: &mut String, lines: &[CommitLineView], path: Option<&str>, more: usize) {
    let mut path = path.unwrap_or("");
    for line in lines {
        if line.path != path {
            path = &line.path;
            let _ = writeln!(out, "  {PATH}{}{PATH:#}", shown(path));
        }
        let sign = if line.change == "added" { '+' } else { '-' };
        let number = line.line.map(|line| line.to_string()).unwrap_or_default();
        let cut: String = line.text.trim().chars().take(MAX_LINE).collect();
        let _ = writeln!(out, "    {LINE}{sign}{number}{LINE:#}  {}", shown(&cut));
    }
    if more > 0 {
        let _ = writeln!(out, "    {DIM}{} more{DIM:#}", units::count(more, "line"));
    }
}

/// Returns the day of a date.
pub(in crate::render) fn day(date: &str) -> &str {
    date.get(..10).unwrap_or(date)
}

/// Returns the first digits of an id.
pub(super) fn short(id: &str) -> &str {
    id.get(..SHORT_ID).unwrap_or(id)
}

/// Returns the name of an author without the address.
pub(in crate::render) fn name_of(author: &str) -> &str {
    author.rsplit_once(" <").map_or(author, |(name, _)| name)
}

fn files_text(out: &mut String, commit: &CommitView) {
    // Where lines are shown, they name their files.
    let is_named = |file: &&CommitFileView| !commit.lines.iter().any(|line| line.path == file.path);
    let rest: Vec<&CommitFileView> = commit.files.iter().filter(is_named).collect();
    if rest.is_empty() {
        return;
    }
    let mut names: Vec<String> = rest.iter().take(MAX_FILES).map(|file| file_text(file)).collect();
    if rest.len() > MAX_FILES {
        names.push(format!("{DIM}and {} more{DIM:#}", rest.len() - MAX_FILES));
    }
    let _ = writeln!(out, "  {}", names.join("  "));
}

fn file_text(file: &CommitFileView) -> String {
    let letter = file.kind.chars().next().unwrap_or(' ').to_ascii_uppercase();
    let path = shown(&file.path);
    match &file.old_path {
        Some(old) => format!("{DIM}{letter}{DIM:#} {PATH}{} -> {path}{PATH:#}", shown(old)),
        None => format!("{DIM}{letter}{DIM:#} {PATH}{path}{PATH:#}"),
    }
}
