//! Search: results in the order of the command line, with filters and the reasons of the ranking.

use codecompass_app::api::find::search::{SearchAnswer, SearchRequest, SearchResult};
use codecompass_app::api::views;
use codecompass_app::choices::Explain;
use codecompass_app::error::AppError;
use codecompass_app::units::count;
use codecompass_engine::query::{Hit, Snippet};
use serde_json::json;

use crate::ui::asker::{Asker, PageContent, Reply, notes};
use crate::ui::html::Html;
use crate::ui::links::AddressTarget;
use crate::ui::parts::{self, Pager};

/// Results of a page.
const LIMIT: usize = 20;
/// Filters: their argument, label, and an example.
const FILTERS: [(&str, &str, &str); 4] = [
    ("kind", "Kind", "function"),
    ("language", "Language", "as the overview lists them"),
    ("path", "Path", "src or *.py"),
    ("exclude", "Not in", "tests"),
];

pub(super) fn page(asker: &Asker<'_>, _: &AddressTarget) -> Result<Reply, AppError> {
    let query = asker.argument("q");
    let mut html = Html::new();
    html.markup("<h1 class=\"unseen\">Search</h1>");
    filters(&mut html, asker);
    let result = if query.is_empty() { None } else { Some(ask(asker, query)) };
    html.element("div", &[("id", "results")], |html| match &result {
        None => parts::empty(
            html,
            "Nothing is asked yet.",
            "Type a name, a part of a path, an error message or a question in words.",
        ),
        Some(Ok(answer)) => results(html, asker, answer),
        Some(Err(error)) => {
            html.element("div", &[("class", "empty"), ("role", "alert")], |html| {
                html.leaf("p", &[], &error.message);
                html.leaf(
                    "p",
                    &[("class", "advice")],
                    &error.remediation.words(codecompass_app::remedy::Audience::Cli),
                );
            });
        }
    });
    let title = if query.is_empty() { "Search".to_string() } else { format!("{query} · Search") };
    Ok(PageContent::new("search", title, html).into())
}

fn ask(asker: &Asker<'_>, query: &str) -> Result<SearchAnswer, AppError> {
    asker.ask::<SearchRequest>(json!({
        "query": query,
        "limit": LIMIT,
        "kind": asker.argument("kind"),
        "language": asker.argument("language"),
        "path": asker.argument("path"),
        "exclude": asker.argument("exclude"),
        "offset": asker.number("offset"),
        "ranking_explain_level": "full",
    }))
}

fn filters(html: &mut Html, asker: &Asker<'_>) {
    let action = asker.subject().page("search", &[]);
    let is_open = FILTERS.iter().any(|(name, ..)| !asker.argument(name).is_empty());
    let attributes: &[_] = if is_open { &[("class", "filters"), ("open", "")] } else { &[("class", "filters")] };
    html.element("details", attributes, |html| {
        html.markup("<summary>Filters</summary>");
        html.element("form", &[("action", &action), ("aria-label", "Filters"), ("id", "filters")], |html| {
            html.open("input", &[("type", "hidden"), ("name", "q"), ("value", asker.argument("q"))]);
            for (name, label, example) in FILTERS {
                html.element("label", &[], |html| {
                    html.text(label).markup(" ");
                    html.open("input", &[("name", name), ("value", asker.argument(name)), ("placeholder", example)]);
                });
            }
            html.markup("<button type=\"submit\">Apply</button>");
        });
    });
}

fn results(html: &mut Html, asker: &Asker<'_>, answer: &SearchAnswer) {
    let total = answer.metadata.total_candidates.unwrap_or(answer.results.len());
    if answer.results.is_empty() {
        parts::empty(html, "Nothing was found.", "Try fewer or other words, or take filters away.");
        notes(html, &answer.metadata);
        return;
    }
    html.element("p", &[("class", "summary"), ("role", "status")], |html| {
        html.text(&count(total, "result"));
        if answer.exact_lines > 0 {
            html.text(&format!("; {} with this very text", count(answer.exact_lines, "line")));
        }
    });
    notes(html, &answer.metadata);
    html.element("ol", &[("class", "results")], |html| {
        answer.results.iter().for_each(|result| one(html, asker, result));
    });
    let arguments = ["q", "kind", "language", "path", "exclude"].map(|name| (name, asker.argument(name)));
    let pager = Pager {
        page: "search",
        arguments: &arguments,
        offset_name: "offset",
        offset: asker.number("offset") as usize,
        shown: answer.results.len(),
        total,
        step: LIMIT,
    };
    parts::pager(html, asker, &pager);
}

fn one(html: &mut Html, asker: &Asker<'_>, result: &SearchResult) {
    let hit = &result.hit.hit;
    html.element("li", &[("class", "result")], |html| {
        html.element("p", &[("class", "head")], |html| {
            parts::hit_name(html, asker.subject(), hit);
            html.markup(" ");
            parts::kind(html, hit.kind.as_str());
            html.markup(" ");
            parts::place(html, asker.subject(), &hit.path, hit.line_start);
        });
        if !hit.signature.is_empty() && hit.signature != hit.qualified_name {
            html.leaf("p", &[("class", "signature")], &views::shortened(&hit.signature));
        }
        if let Some(line) = hit.doc.as_deref().and_then(|doc| doc.lines().find(|line| !line.trim().is_empty())) {
            html.leaf("p", &[("class", "doc")], line.trim());
        }
        if let Some(snippet) = &result.snippet {
            lines(html, snippet, hit);
        }
        why(html, hit);
    });
}

/// Writes the lines that match, unless the signature says the same.
fn lines(html: &mut Html, snippet: &Snippet, hit: &Hit) {
    let is_head = snippet.lines.len() == 1 && snippet.numbers.first() == Some(&hit.name_line);
    if is_head && !hit.signature.is_empty() {
        return;
    }
    html.element("pre", &[("class", "snippet")], |html| {
        for (text, marks) in snippet.lines.iter().zip(&snippet.marks) {
            let mut at = text.len() - text.trim_start().len();
            for mark in marks {
                let (Some(before), Some(piece)) = (text.get(at..mark.start.max(at)), text.get(mark.clone())) else {
                    continue;
                };
                html.text(before).leaf("mark", &[], piece);
                at = mark.end;
            }
            html.text(text.get(at..).unwrap_or("").trim_end()).markup("\n");
        }
    });
}

/// Writes what the score is made of.
fn why(html: &mut Html, hit: &Hit) {
    let reasons = views::reasons(&hit.explanation, Explain::Full);
    if reasons.is_empty() {
        return;
    }
    html.element("details", &[("class", "why")], |html| {
        html.element("summary", &[], |html| _ = html.text(&format!("score {:.2}", hit.score)));
        html.element("ul", &[], |html| {
            for reason in reasons {
                html.leaf("li", &[], &format!("{} {:+.2}", reason.reason.replace('_', " "), reason.value));
            }
        });
    });
}
