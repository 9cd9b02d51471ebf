//! Text of `ls`.

use std::fmt::Write as _;

use crate::api::files::list::{EntryContent, EntryView, ListAnswer, ListRequest, TotalsView};
use crate::remedy::Audience;
use crate::render::{count, shown};
use crate::terminal::output::{DIM, LINE, NAME, PATH};

/// The languages of a folder inside another that are named.
const MAX_INNER_LANGUAGES: usize = 2;

pub fn text(_: &ListRequest, answer: &ListAnswer, audience: Audience) -> String {
    let folder = if answer.path.is_empty() { "." } else { &answer.path };
    let totals = if answer.entries.is_empty() && answer.totals.files == 0 {
        "has no files".to_string()
    } else {
        totals_text(&answer.totals, usize::MAX)
    };
    let mut out = format!("{NAME}{}{NAME:#} {DIM}{totals}{DIM:#}\n", shown(folder));
    // A page may begin in the middle of a folder.
    let mut above: Vec<&str> = Vec::new();
    for entry in &answer.entries {
        above.truncate(entry.depth as usize);
        let parent = above.last().copied().unwrap_or(&answer.path);
        let name = match entry.path.strip_prefix(parent) {
            Some(name) if above.len() == entry.depth as usize && !parent.is_empty() => name.trim_start_matches('/'),
            _ => &entry.path,
        };
        let name = if name.is_empty() { &entry.path } else { name };
        entry_text(&mut out, entry, name, audience);
        if matches!(entry.content, EntryContent::Folder(_)) {
            // Folders above the first entry of a page are not there.
            above.resize(entry.depth as usize, "");
            above.push(&entry.path);
        }
    }
    out
}

fn entry_text(out: &mut String, entry: &EntryView, name: &str, audience: Audience) {
    let slash = if entry.kind == "folder" { "/" } else { "" };
    let (lines, about) = match &entry.content {
        EntryContent::Folder(totals) => (Some(totals.lines), totals_text(totals, MAX_INNER_LANGUAGES)),
        EntryContent::File { lines, .. } => (Some(*lines), String::new()),
        EntryContent::Skipped { skipped } => (None, format!("({skipped})")),
    };
    let (name, depth) = (shown(name), entry.depth as usize);
    let _ = match audience {
        Audience::Cli => {
            let (lines, gap) =
                (lines.map(|lines| lines.to_string()).unwrap_or_default(), if about.is_empty() { "" } else { " " });
            let _ = write!(out, "{LINE}{lines:>8}{LINE:#}  {:indent$}", "", indent = depth * 2);
            writeln!(out, "{PATH}{name}{slash}{PATH:#}{gap}{DIM}{about}{DIM:#}")
        }
        Audience::Tools => match (lines, about.is_empty()) {
            (Some(lines), true) => writeln!(out, "{:depth$}{name} {lines}", ""),
            _ => writeln!(out, "{:depth$}{name}{slash} {about}", ""),
        },
    };
}

fn totals_text(totals: &TotalsView, languages: usize) -> String {
    let named = totals.languages.iter().take(languages);
    let named: Vec<String> = named.map(|it| format!("{} {}", it.language, it.files)).collect();
    let languages = if named.is_empty() { String::new() } else { format!("; {}", named.join(", ")) };
    let counts = [(totals.files as u64, "file"), (totals.lines, "line"), (totals.definitions, "definition")];
    let counts = counts.iter().filter(|(number, _)| *number > 0);
    let counts: Vec<String> = counts.map(|(number, noun)| count(*number as usize, noun)).collect();
    format!("{}{languages}", counts.join(", "))
}
