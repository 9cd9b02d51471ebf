//! Text of `grep`.

use crate::api::find::grep::{FileMatchesView, GrepAnswer, GrepRequest, MatchView};
use crate::remedy::Audience;
use crate::render::by_file::name_in_file;
use crate::render::shown;
use crate::terminal::output::{DIM, KIND, LINE, PATH};
use crate::units;

pub fn text(request: &GrepRequest, answer: &GrepAnswer, audience: Audience) -> String {
    let mut out = summary(answer);
    if let Some(files) = &answer.files {
        out.push('\n');
        files.iter().for_each(|file| file_text(&mut out, file, request.count));
    }
    let mut path = "";
    let mut last_line = 0;
    let mut before: Option<&MatchView> = None;
    let with_context = request.shows_context();
    for found in answer.matches.iter().flatten() {
        let first_line = found.before.first().map_or(found.line, |line| line.line);
        if found.path != path {
            path = &found.path;
            let gap = if audience == Audience::Cli { "\n" } else { "" };
            out.push_str(&format!("{gap}{PATH}{}{PATH:#}\n", shown(path)));
        } else if with_context && first_line > last_line + 1 {
            out.push_str(&format!("     {DIM}--{DIM:#}\n"));
        }
        // Agents see the name of a definition once, and other matches in it below.
        let is_same = |before: &&MatchView| before.path == found.path && before.enclosing == found.enclosing;
        let is_told = audience == Audience::Tools && before.is_some_and(|before| is_same(&before));
        match_text(&mut out, found, with_context, is_told, audience);
        before = Some(found);
        last_line = found.after.last().map_or(found.line_end.unwrap_or(found.line), |line| line.line);
    }
    if answer.behind > 0 {
        let next = answer.metadata.next_offset.unwrap_or(0);
        let option = |name| audience.option(name);
        let (offset, limit) = (option("offset"), option("limit"));
        let more = format!("{} more; {offset} {next} goes on, {limit} shows more at once", answer.behind);
        let lang = if audience == Audience::Cli { "lang" } else { "language" };
        let narrow = format!("{}, {} and {} narrow", option("path"), option(lang), option("tests"));
        out.push_str(&format!("\n{DIM}{more}, {narrow}{DIM:#}\n"));
    }
    let Some(extra) = &answer.metadata.extra else { return out };
    if extra.unsearched > 0 {
        out.push_str(&format!("\n{} could not be searched:\n", units::count(extra.unsearched, "file")));
        for file in &extra.unsearched_files {
            out.push_str(&format!("  {}  {DIM}{}{DIM:#}\n", shown(&file.path), file.reason));
        }
    }
    out
}

fn summary(answer: &GrepAnswer) -> String {
    let Some(extra) = &answer.metadata.extra else { return String::new() };
    let searched = units::count(extra.searched, "file");
    let case = if extra.ignored_case { ", case ignored" } else { "" };
    match answer.total {
        0 => format!("no match in {searched}{case}\n"),
        total => {
            let matches = if total == 1 { "1 match".to_string() } else { format!("{total} matches") };
            format!("{matches} in {} of {searched}{case}\n", extra.files)
        }
    }
}

fn file_text(out: &mut String, file: &FileMatchesView, count: bool) {
    let number = if count { format!(":{}", file.matches) } else { String::new() };
    out.push_str(&format!("{PATH}{}{PATH:#}{number}\n", shown(&file.path)));
}

fn match_text(out: &mut String, found: &MatchView, with_context: bool, is_told: bool, audience: Audience) {
    let around = found.enclosing.as_ref();
    let around = around.map(|around| match audience {
        Audience::Cli => shown(around.shown_name()),
        Audience::Tools => shown(name_in_file(around.shown_name(), &found.path)),
    });
    let cut = if found.text_is_cut { "…" } else { "" };
    let width = if audience == Audience::Cli { 5 } else { 0 };
    found.before.iter().for_each(|line| context_text(out, line.line, &line.text, width));
    for (number, line) in (found.line..).zip(found.text.lines().chain(found.text.is_empty().then_some(""))) {
        let around = around.as_ref().filter(|_| number == found.line);
        let line = shown(line);
        let line = match (around, with_context) {
            (Some(_), true) if is_told => format!(": {cut}{}{cut}", line.trim_end()),
            (Some(_), false) if is_told => format!("    {cut}{}{cut}", line.trim()),
            (Some(around), true) => format!(": {cut}{}{cut}  {DIM}in {around}{DIM:#}", line.trim_end()),
            (None, true) => format!(": {cut}{}{cut}", line.trim_end()),
            (Some(around), false) => format!("  {KIND}{around}{KIND:#}  {cut}{}{cut}", line.trim()),
            (None, false) => format!("  {cut}{}{cut}", line.trim()),
        };
        out.push_str(&format!("  {LINE}{number:>width$}{LINE:#}{line}\n"));
    }
    found.after.iter().for_each(|line| context_text(out, line.line, &line.text, width));
}

fn context_text(out: &mut String, line: u32, text: &str, width: usize) {
    out.push_str(&format!("  {DIM}{line:>width$}- {}{DIM:#}\n", shown(text.trim_end())));
}
