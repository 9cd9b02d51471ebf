//! Text of `history --hot`.

use std::fmt::Write as _;

use super::commits::{day, name_of};
use crate::api::history::hot_spots::{HotSpotsAnswer, HotSpotsRequest, PathAuthorView};
use crate::remedy::Audience;
use crate::render::shown;
use crate::terminal::output::{DIM, KIND, NAME, PATH};
use crate::units;

/// Authors that are named of all files.
const MAX_AUTHORS: usize = 5;

pub fn text(_: &HotSpotsRequest, answer: &HotSpotsAnswer, audience: Audience) -> String {
    let since = answer.since.as_deref().map(|since| format!(" since {}", day(since))).unwrap_or_default();
    if answer.total == 0 {
        return format!("no file changed{since}\n");
    }
    let (files, commits) = (units::count(answer.total, "file"), units::count(answer.commits, "commit"));
    let mut out = format!("{files} changed by {commits}{since}; new changes count more\n");
    let more = answer.authors.len().saturating_sub(MAX_AUTHORS) + answer.more_authors;
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    let named = &answer.authors[..answer.authors.len().min(MAX_AUTHORS)];
    let _ = writeln!(out, "authors: {}{more}", authors_text(named));
    let _ = writeln!(out, "\n{NAME}files{NAME:#} {DIM}(heat, commits, last change, authors){DIM:#}");
    for file in &answer.files {
        let (day, people) = (day(&file.last_changed), authors_text(&file.authors));
        let (heat, commits) = (file.heat, file.commits);
        let _ = writeln!(out, "  {heat:>7.2} {commits:>4}  {day}  {PATH}{}{PATH:#}  {people}", shown(&file.path));
    }
    if answer.behind > 0 {
        let next = answer.metadata.next_offset.unwrap_or(0);
        let (offset, limit) = (audience.option("offset"), audience.option("limit"));
        let more = format!("{} more; {offset} {next} goes on, {limit} shows more at once", answer.behind);
        let _ = writeln!(out, "  {DIM}{more}{DIM:#}");
    }
    if !answer.folders.is_empty() {
        let _ = writeln!(out, "\n{NAME}folders{NAME:#}");
        for folder in &answer.folders {
            let (heat, commits, people) = (folder.heat, folder.commits, authors_text(&folder.authors));
            let _ = writeln!(out, "  {heat:>7.2} {commits:>4}  {PATH}{}/{PATH:#}  {people}", shown(&folder.path));
        }
    }
    out
}

fn authors_text(authors: &[PathAuthorView]) -> String {
    let author = |it: &PathAuthorView| format!("{KIND}{}{KIND:#} {:.0}%", shown(name_of(&it.author)), it.share * 100.0);
    authors.iter().map(author).collect::<Vec<_>>().join(", ")
}
