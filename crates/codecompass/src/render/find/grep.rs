//! Text of `grep`.

use crate::api::find::grep::{FileMatchesView, GrepAnswer, GrepRequest, MatchView};
use crate::terminal::output::{DIM, KIND, LINE, PATH};
use crate::units;

pub(crate) fn text(request: &GrepRequest, answer: &GrepAnswer) -> String {
    let mut out = summary(answer);
    if let Some(files) = &answer.files {
        out.push('\n');
        files.iter().for_each(|file| file_text(&mut out, file, request.count));
    }
    let mut path = "";
    let mut last_line = 0;
    let with_context = request.shows_context();
    for found in answer.matches.iter().flatten() {
        let first_line = found.before.first().map_or(found.line, |line| line.line);
        if found.path != path {
            path = &found.path;
            out.push_str(&format!("\n{PATH}{path}{PATH:#}\n"));
        } else if with_context && first_line > last_line + 1 {
            out.push_str(&format!("     {DIM}--{DIM:#}\n"));
        }
        match_text(&mut out, found, with_context);
        last_line = found.after.last().map_or(found.line_end.unwrap_or(found.line), |line| line.line);
    }
    if answer.behind > 0 {
        let next = answer.metadata.next_offset.unwrap_or(0);
        let more = format!("{} more; --offset {next} goes on, --limit shows more at once", answer.behind);
        out.push_str(&format!("\n{DIM}{more}, --path, --lang and --tests narrow{DIM:#}\n"));
    }
    let Some(extra) = &answer.metadata.extra else { return out };
    if extra.unsearched > 0 {
        out.push_str(&format!("\n{} could not be searched:\n", units::count(extra.unsearched, "file")));
        for file in &extra.unsearched_files {
            out.push_str(&format!("  {}  {DIM}{}{DIM:#}\n", file.path, file.reason));
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
    out.push_str(&format!("{PATH}{}{PATH:#}{number}\n", file.path));
}

fn match_text(out: &mut String, found: &MatchView, with_context: bool) {
    let around = found.enclosing.as_ref();
    let around = around.map(|around| around.qualified_name.as_ref().unwrap_or(&around.name).as_str());
    let cut = if found.text_is_cut { "…" } else { "" };
    found.before.iter().for_each(|line| context_text(out, line.line, &line.text));
    for (number, line) in (found.line..).zip(found.text.lines().chain(found.text.is_empty().then_some(""))) {
        let around = around.filter(|_| number == found.line);
        let shown = match (around, with_context) {
            (Some(around), true) => format!(": {cut}{}{cut}  {DIM}in {around}{DIM:#}", line.trim_end()),
            (None, true) => format!(": {cut}{}{cut}", line.trim_end()),
            (Some(around), false) => format!("  {KIND}{around}{KIND:#}  {cut}{}{cut}", line.trim()),
            (None, false) => format!("  {cut}{}{cut}", line.trim()),
        };
        out.push_str(&format!("  {LINE}{number:>5}{LINE:#}{shown}\n"));
    }
    found.after.iter().for_each(|line| context_text(out, line.line, &line.text));
}

fn context_text(out: &mut String, line: u32, text: &str) {
    out.push_str(&format!("  {DIM}{line:>5}- {}{DIM:#}\n", text.trim_end()));
}
