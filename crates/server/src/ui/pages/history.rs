//! Commits: those that fit a question, those that changed a symbol, and the files that changed
//! most.

use codecompass_app::api::history::commits::{CommitView, HistoryRequest};
use codecompass_app::api::history::hot_spots::HotSpotsRequest;
use codecompass_app::api::history::symbol::{SymbolHistoryAnswer, SymbolHistoryRequest};
use codecompass_app::error::AppError;
use codecompass_app::units::count;
use serde_json::json;

use crate::ui::asker::{Asker, PageContent, Reply, notes};
use crate::ui::html::Html;
use crate::ui::links::AddressTarget;
use crate::ui::parts::{self, Pager, section_head};

/// Commits of a page.
const LIMIT: usize = 30;
/// Files that changed most.
const HOT: usize = 15;
/// Lines of a change that are shown.
const LINES: usize = 12;
/// Filters: their argument, label, and an example.
const FILTERS: [(&str, &str, &str); 5] = [
    ("query", "Words", "why retries"),
    ("grep", "Message", "fix"),
    ("changes", "Changed text", "timeout"),
    ("author", "Author", "ada"),
    ("path", "Path", "src"),
];

pub(super) fn page(asker: &Asker<'_>, _: &AddressTarget) -> Result<Reply, AppError> {
    let mut html = Html::new();
    if !asker.argument("symbol").is_empty() {
        let answer = asker.ask::<SymbolHistoryRequest>(json!({
            "symbol": asker.argument("symbol"), "limit": LIMIT, "lines": LINES, "offset": asker.number("offset"),
        }))?;
        of_symbol(&mut html, asker, &answer);
        return Ok(PageContent::new("history", format!("{} · History", answer.name), html).into());
    }
    html.leaf("h1", &[], "History");
    form(&mut html, asker);
    let mut arguments = json!({"limit": LIMIT, "offset": asker.number("offset"), "lines": LINES});
    for (name, ..) in FILTERS {
        arguments[name] = json!(asker.argument(name));
    }
    match asker.ask::<HistoryRequest>(arguments) {
        Ok(answer) => {
            let extra = answer.metadata.extra.as_ref();
            for note in extra.into_iter().flat_map(|extra| &extra.notes) {
                html.leaf("p", &[("class", "note")], note);
            }
            notes(&mut html, &answer.metadata);
            section_head(&mut html, "commits", "Commits", Some(answer.total));
            let is_filtered = FILTERS.iter().any(|(name, ..)| !asker.argument(name).is_empty());
            if !answer.commits.is_empty() {
                html.element("ol", &[("class", "commits")], |html| {
                    answer.commits.iter().for_each(|commit| one(html, asker, commit));
                });
            } else if !is_filtered && answer.total == 0 {
                parts::empty(&mut html, "There is no commit yet.", "Make one, and it is listed here.");
            } else {
                parts::empty(&mut html, "No commit was found.", "Take words or filters away.");
            }
            let arguments = FILTERS.map(|(name, ..)| (name, asker.argument(name)));
            pager(&mut html, asker, &arguments, answer.commits.len(), answer.total);
        }
        Err(error) => {
            html.leaf("p", &[("class", "note"), ("role", "alert")], &error.message);
            html.leaf("p", &[("class", "advice")], &error.remediation.words(codecompass_app::remedy::Audience::Cli));
        }
    }
    hot(&mut html, asker);
    Ok(PageContent::new("history", "History", html).into())
}

fn form(html: &mut Html, asker: &Asker<'_>) {
    let action = asker.subject().page("history", &[]);
    html.element("form", &[("action", &action), ("class", "filters"), ("aria-label", "Commits")], |html| {
        for (name, label, example) in FILTERS {
            html.element("label", &[], |html| {
                html.text(label).markup(" ");
                html.open("input", &[("name", name), ("value", asker.argument(name)), ("placeholder", example)]);
            });
        }
        html.markup("<button type=\"submit\">Find</button>");
    });
}

fn pager(html: &mut Html, asker: &Asker<'_>, arguments: &[(&str, &str)], shown: usize, total: usize) {
    let offset = asker.number("offset") as usize;
    let pager = Pager { page: "history", arguments, offset_name: "offset", offset, shown, total, step: LIMIT };
    parts::pager(html, asker, &pager);
}

fn one(html: &mut Html, asker: &Asker<'_>, commit: &CommitView) {
    let subject = asker.subject();
    html.element("li", &[("class", "commit")], |html| {
        html.element("p", &[("class", "head")], |html| {
            html.leaf("strong", &[], &commit.subject).markup(" ");
            let at = subject.at(Some(&commit.id));
            let short: String = commit.id.chars().take(10).collect();
            html.leaf("a", &[("class", "place"), ("href", &at.home())], &short);
        });
        html.leaf("p", &[("class", "dim")], &format!("{}, {}", commit.author, commit.date));
        if !commit.files.is_empty() {
            html.element("p", &[("class", "dim")], |html| {
                for (number, file) in commit.files.iter().take(6).enumerate() {
                    if number > 0 {
                        html.markup(", ");
                    }
                    html.leaf("a", &[("class", "place"), ("href", &subject.path(&file.path))], &file.path);
                }
                let more = commit.changed_files.unwrap_or(commit.files.len()).saturating_sub(6);
                if more > 0 {
                    html.text(&format!(" and {more} more"));
                }
            });
        }
        if !commit.lines.is_empty() {
            html.element("pre", &[("class", "snippet")], |html| {
                for line in &commit.lines {
                    let (tag, mark) = if line.change == "added" { ("ins", "+") } else { ("del", "-") };
                    html.element(tag, &[], |html| _ = html.text(mark).text(&line.text)).markup("\n");
                }
            });
        }
    });
}

fn of_symbol(html: &mut Html, asker: &Asker<'_>, answer: &SymbolHistoryAnswer) {
    html.leaf("h1", &[], &format!("History of {}", answer.name));
    html.element("p", &[], |html| {
        parts::place(html, asker.subject(), &answer.path, answer.line);
        html.markup(" · ").link(&asker.subject().symbol(&answer.path, answer.line), "Symbol");
    });
    let authors: Vec<String> =
        answer.authors.iter().take(6).map(|it| format!("{} ({})", it.author, count(it.commits, "commit"))).collect();
    html.leaf("p", &[("class", "dim")], &authors.join(", "));
    if answer.commits.is_empty() {
        parts::empty(html, "No commit has changed it yet.", "It may be new and not committed.");
    }
    html.element("ol", &[("class", "commits")], |html| {
        for commit in &answer.commits {
            html.element("li", &[("class", "commit")], |html| {
                html.element("p", &[("class", "head")], |html| {
                    html.leaf("span", &[("class", "badge")], commit.change).markup(" ");
                    html.leaf("strong", &[], &commit.subject).markup(" ");
                    let short: String = commit.id.chars().take(10).collect();
                    html.leaf(
                        "a",
                        &[("class", "place"), ("href", &asker.subject().at(Some(&commit.id)).home())],
                        &short,
                    );
                });
                html.leaf("p", &[("class", "dim")], &format!("{}, {}", commit.author, commit.date));
                if !commit.lines.is_empty() {
                    html.element("pre", &[("class", "snippet")], |html| {
                        for line in &commit.lines {
                            let (tag, mark) = if line.change == "added" { ("ins", "+") } else { ("del", "-") };
                            html.element(tag, &[], |html| _ = html.text(mark).text(&line.text)).markup("\n");
                        }
                    });
                }
            });
        }
    });
    pager(html, asker, &[("symbol", asker.argument("symbol"))], answer.commits.len(), answer.total);
}

fn hot(html: &mut Html, asker: &Asker<'_>) {
    let Ok(answer) = asker.ask::<HotSpotsRequest>(json!({"limit": HOT})) else { return };
    if answer.files.is_empty() {
        return;
    }
    section_head(html, "hot", "Changed most lately", Some(answer.total));
    html.element("ul", &[("class", "plain")], |html| {
        for file in &answer.files {
            html.element("li", &[], |html| {
                html.leaf("a", &[("class", "place"), ("href", &asker.subject().path(&file.path))], &file.path);
                let told = format!(" {}, last {}", count(file.commits, "commit"), file.last_changed);
                html.leaf("span", &[("class", "dim")], &told);
            });
        }
    });
}
