//! A file: its source with colours and links, its outline, and where its names lead.

use codecompass_app::api::arguments::{Bounded, BudgetArgs};
use codecompass_app::api::files::read::{LinesView, ReadRequest};
use codecompass_app::api::symbols::locate::{LocateRequest, LocateResult, Located};
use codecompass_app::api::symbols::outline::{OutlineNodeView, OutlineRequest};
use codecompass_app::error::{AppError, Code};
use codecompass_app::units::count;
use codecompass_engine::query::AtMeaning;
use serde_json::json;

use super::folder;
use crate::ui::asker::{Asker, PageContent, Reply};
use crate::ui::html::Html;
use crate::ui::links::{AddressTarget, Subject};
use crate::ui::parts;
use crate::ui::source::{SourceListing, listing};

/// Lines of a page. More of them would take long to read and to lay out; a script adds the next
/// ones when the reader comes near the end.
const WINDOW: u32 = 500;
/// Definitions at the top of an outline that are shown.
const MAX_OUTLINE: usize = 1_000;
/// Outlines of more definitions show members only of those that are on the page.
const LONG_OUTLINE: usize = 200;
/// More tokens than any file has that is indexed.
const ALL_TOKENS: u32 = 1_000_000;

pub(super) fn page(asker: &Asker<'_>, target: &AddressTarget) -> Result<Reply, AppError> {
    let AddressTarget::Path(path) = target else { return folder::show(asker, "") };
    if path.is_empty() {
        return folder::show(asker, "");
    }
    if let Some((line, column)) = asker.argument("d").split_once(':') {
        return definition(asker, path, line, column);
    }
    let line = asker.number("line");
    let from = (line.saturating_sub(1) / WINDOW) * WINDOW + 1;
    match read(asker, path, Some((from, from + WINDOW - 1))) {
        Ok(lines) => Ok(file(asker, path, &lines).into()),
        // A folder has no lines, and its error says so; asking twice is cheaper than asking first.
        Err(error) if error.code == Code::InvalidInput && error.message.ends_with("is a folder") => {
            folder::show(asker, path)
        }
        Err(error) => Err(error),
    }
}

/// Reads lines of a file with their classes.
pub(super) fn read(asker: &Asker<'_>, path: &str, range: Option<(u32, u32)>) -> Result<LinesView, AppError> {
    let lines = range.map(|(first, last)| format!("{first}-{last}"));
    let mut question = asker.question::<ReadRequest>(json!({"path": [path], "lines": lines, "spans": true}))?;
    question.budget = BudgetArgs { max_tokens: Some(Bounded::new(ALL_TOKENS)) };
    let answer = asker.answer(&question)?;
    // A name of a definition is no path.
    answer.files.into_iter().find(|lines| lines.symbol.is_none()).ok_or_else(|| {
        AppError::new(Code::FileNotFound, format!("`{path}` has no such lines"), "ask for the whole file")
    })
}

fn file(asker: &Asker<'_>, path: &str, lines: &LinesView) -> PageContent {
    let subject = asker.subject();
    let outline = outline(asker, path);
    let mut html = Html::new();
    html.element("div", &[("class", "filehead")], |html| {
        folder::crumbs(html, subject, path);
        html.element("p", &[("class", "dim")], |html| {
            let all = lines.line_count.unwrap_or(lines.line_end);
            html.text(&count(all as usize, "line"));
            if lines.cut_lines > 0 {
                html.text(&format!(", {} cut", count(lines.cut_lines, "long line")));
            }
            if lines.lossy {
                html.markup(", invalid bytes replaced");
            }
            html.markup(" · ").link(&subject.page("history", &[("path", path)]), "History");
            html.markup(" · ").link(&subject.page("map", &[("path", folder_of(path))]), "Modules");
        });
        windows(html, asker, path, lines, "window");
    });
    html.element("div", &[("class", "fileview")], |html| {
        html.element("aside", &[("class", "outline"), ("aria-label", "Outline")], |html| {
            html.markup("<details open><summary>Outline</summary>");
            if outline.is_empty() {
                _ = html.markup("<p class=\"dim\">No definitions.</p>");
            } else {
                OutlineLinks::new(lines, &outline).list(html, &outline);
            }
            html.markup("</details>");
        });
        html.element("div", &[("class", "source")], |html| {
            html.markup("<p class=\"scope\" id=\"scope\" aria-hidden=\"true\"></p>");
            if lines.text.is_empty() {
                parts::empty(html, "The file is empty.", "There is nothing to show.");
            }
            listing(html, lines, &SourceListing { address: "", has_ids: true, marked: None });
            windows(html, asker, path, lines, "rest");
        });
    });
    PageContent { is_wide: true, ..PageContent::new("", path, html) }
}

/// Writes links to the other windows of a long file.
fn windows(html: &mut Html, asker: &Asker<'_>, path: &str, lines: &LinesView, id: &str) {
    let all = lines.line_count.unwrap_or(u32::MAX);
    let is_whole = lines.line_start <= 1 && lines.line_end >= all;
    if is_whole || lines.text.is_empty() {
        return;
    }
    let address = |line: u32| format!("{}?line={line}", asker.subject().path(path));
    let label = if id == "rest" { "Further parts of the file" } else { "Parts of the file" };
    html.element("nav", &[("class", "pager"), ("aria-label", label), ("id", id)], |html| {
        if lines.line_start > 1 {
            let before = lines.line_start.saturating_sub(WINDOW).max(1);
            html.leaf("a", &[("rel", "prev"), ("href", &address(before))], "Lines before");
        }
        let of = lines.line_count.map_or(String::new(), |count| format!(" of {count}"));
        html.leaf("span", &[], &format!("Lines {}–{}{of}", lines.line_start, lines.line_end));
        if lines.line_end < all {
            html.leaf("a", &[("rel", "next"), ("href", &address(lines.line_end + 1))], "Lines after");
        }
    });
}

fn folder_of(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// Returns the definitions of a file; a file without any, or that is not indexed, has none.
fn outline(asker: &Asker<'_>, path: &str) -> Vec<OutlineNodeView> {
    let question = asker.question::<OutlineRequest>(json!({"path": [path]}));
    let answer = question.and_then(|mut question| {
        question.full = true;
        question.budget = BudgetArgs { max_tokens: Some(Bounded::new(ALL_TOKENS)) };
        asker.answer(&question)
    });
    answer.ok().and_then(|answer| answer.file).map(|file| file.symbols).unwrap_or_default()
}

/// Writes an outline. It has few elements and short attributes: a long file has thousands of
/// definitions, which would take longer to read than its lines.
struct OutlineLinks {
    /// The first and last line that the page shows.
    window: (u32, u32),
    /// True if only definitions in the window show their members.
    is_long: bool,
}

impl OutlineLinks {
    fn new(lines: &LinesView, outline: &[OutlineNodeView]) -> OutlineLinks {
        OutlineLinks { window: (lines.line_start, lines.line_end), is_long: definitions(outline) > LONG_OUTLINE }
    }

    /// Writes all of a short outline, or the definitions around the window.
    fn list(&self, html: &mut Html, outline: &[OutlineNodeView]) {
        let first = outline.partition_point(|node| node.line_end < self.window.0);
        let first = first.saturating_sub(MAX_OUTLINE / 2).min(outline.len().saturating_sub(MAX_OUTLINE));
        let shown = &outline[first..outline.len().min(first + MAX_OUTLINE)];
        html.element("ul", &[("id", "outline")], |html| self.nodes(html, shown));
        if shown.len() < outline.len() {
            let note = format!("{} of {} definitions, around these lines.", shown.len(), outline.len());
            html.leaf("p", &[("class", "dim")], &note);
        }
    }

    fn nodes(&self, html: &mut Html, list: &[OutlineNodeView]) {
        for node in list {
            html.element("li", &[("data-to", &node.line_end.to_string())], |html| {
                let (kind, first) = (node.kind, node.line_start);
                let is_shown = (self.window.0..=self.window.1).contains(&first);
                let place = if is_shown { format!("#L{first}") } else { format!("?line={first}#L{first}") };
                html.leaf("a", &[("href", &place), ("data-kind", kind)], &node.name);
                let is_near = first <= self.window.1 && node.line_end >= self.window.0;
                if !node.children.is_empty() && (is_near || !self.is_long) {
                    html.element("ul", &[], |html| self.nodes(html, &node.children));
                }
            });
        }
    }
}

/// Returns the number of definitions of an outline.
fn definitions(outline: &[OutlineNodeView]) -> usize {
    outline.iter().map(|node| 1 + definitions(&node.children)).sum()
}

/// Leads to the meaning of a name: a definition's own name to the page about it, a use to the
/// definition; several, or something elsewhere, are listed.
fn definition(asker: &Asker<'_>, path: &str, line: &str, column: &str) -> Result<Reply, AppError> {
    let subject = asker.subject();
    let answer = asker.ask::<LocateRequest>(json!({"at": format!("{path}:{line}:{column}"), "limit": 50}))?;
    let Located::Place { name, meaning, .. } = &answer.located else {
        return Ok(Reply::Redirect(subject.path(path)));
    };
    if let AtMeaning::Module { folder: Some(folder) } = meaning {
        return Ok(Reply::Redirect(subject.path(folder)));
    }
    if let [only] = answer.results.as_slice() {
        let address = match only {
            LocateResult::Local(local) => subject.line(&local.path, local.line),
            LocateResult::Definition(found) => {
                let hit = &found.hit.hit;
                match (meaning, &hit.symbol_id) {
                    (AtMeaning::Definition, Some(_)) => subject.symbol(&hit.path, hit.name_line),
                    _ => subject.line(&hit.path, hit.name_line),
                }
            }
        };
        return Ok(Reply::Redirect(address));
    }
    Ok(meanings(subject, name, meaning, &answer.results).into())
}

fn meanings(subject: &Subject, name: &str, meaning: &AtMeaning, results: &[LocateResult]) -> PageContent {
    let mut html = Html::new();
    html.leaf("h1", &[], name);
    let search = subject.page("search", &[("q", name)]);
    if results.is_empty() {
        let what = match meaning {
            AtMeaning::External => "It is defined outside of this repository.",
            AtMeaning::Nothing => "No name stands there.",
            _ => "Nothing is known about its definition.",
        };
        parts::empty(&mut html, what, "Search for the name to see where else it stands.");
        html.element("p", &[], |html| _ = html.link(&search, "Search"));
        return PageContent::new("", name, html);
    }
    html.markup("<p>It may mean any of these:</p>");
    html.element("ul", &[("class", "plain")], |html| {
        for definition in results.iter().filter_map(LocateResult::definition) {
            html.element("li", &[], |html| parts::hit_line(html, subject, &definition.hit.hit));
        }
    });
    PageContent::new("", name, html)
}
