//! A folder: what stands in it, and at the root what the repository is.

use codecompass_app::api::files::list::{EntryContent, EntryView, ListAnswer, ListRequest};
use codecompass_app::api::relations::overview::{OverviewAnswer, OverviewRequest};
use codecompass_app::error::AppError;
use codecompass_app::units::count;
use serde_json::json;

use crate::ui::asker::{Asker, PageContent, Reply, WHOLE, notes};
use crate::ui::html::Html;
use crate::ui::links::{AddressTarget, Subject};
use crate::ui::parts::{self, chips, section_head};

/// Items of the lists of the overview.
const FEW: usize = 12;

/// Files that are parsed to count endpoints. More of them would take longer than all the rest;
/// their page counts them then.
const MAX_ENDPOINT_FILES: usize = 30;

/// The root as a plain folder.
pub(super) fn page(asker: &Asker<'_>, _: &AddressTarget) -> Result<Reply, AppError> {
    show(asker, "")
}

/// Shows a folder.
pub(super) fn show(asker: &Asker<'_>, path: &str) -> Result<Reply, AppError> {
    let asked = if path.is_empty() { "." } else { path };
    let list = asker.ask::<ListRequest>(json!({"path": asked, "depth": 1, "offset": asker.number("offset")}))?;
    let mut html = Html::new();
    if path.is_empty() && asker.is_brief()? {
        html.leaf("h1", &[], &asker.subject().repository);
        let (files, lines) = (count(list.totals.files, "file"), count(list.totals.lines as usize, "line"));
        chips(&mut html, &[(files, ""), (lines, ""), (count(list.totals.definitions as usize, "symbol"), "")]);
        let note = "This repository is large: entry points, tests and what is imported most take up to a minute.";
        parts::later(&mut html, note, &format!("{}?{WHOLE}=1", asker.subject().home()));
    } else if path.is_empty() {
        let mut question = asker.question::<OverviewRequest>(json!({}))?;
        question.max_endpoint_files = MAX_ENDPOINT_FILES;
        let overview = asker.answer(&question)?;
        if overview.files == 0 {
            nothing(&mut html, asker, &overview);
            return Ok(PageContent::new("home", "Overview", html).into());
        }
        home(&mut html, asker.subject(), &overview);
    } else {
        crumbs(&mut html, asker.subject(), path);
        let map = asker.subject().page("map", &[("path", path)]);
        html.element("p", &[], |html| _ = html.link(&map, "How its parts depend on each other"));
    }
    entries(&mut html, asker.subject(), &list);
    notes(&mut html, &list.metadata);
    let (name, title) = if path.is_empty() { ("home", "Overview") } else { ("", path) };
    Ok(PageContent::new(name, title, html).into())
}

/// Writes the folders above a path as links, and its last part as the heading.
pub(super) fn crumbs(html: &mut Html, subject: &Subject, path: &str) {
    html.element("h1", &[("class", "crumbs")], |html| {
        let mut at = 0;
        while let Some(length) = path[at..].find('/') {
            html.link(&subject.path(&path[..at + length]), &path[at..at + length]).markup("<span>/</span>");
            at += length + 1;
        }
        html.leaf("span", &[("class", "last")], &path[at..]);
    });
}

fn entries(html: &mut Html, subject: &Subject, list: &ListAnswer) {
    section_head(html, "files", "Files", None);
    if list.entries.is_empty() {
        parts::empty(html, "No file here is indexed.", "The health page says which files are left out, and why.");
        return;
    }
    html.element("table", &[("class", "files")], |html| {
        html.markup("<thead><tr><th scope=\"col\">Name</th><th scope=\"col\" class=\"num\">Lines</th>");
        html.markup("<th scope=\"col\" class=\"num\">Symbols</th></tr></thead><tbody>");
        list.entries.iter().for_each(|it| entry(html, subject, it));
        html.markup("</tbody>");
    });
}

fn entry(html: &mut Html, subject: &Subject, entry: &EntryView) {
    let name = entry.path.rsplit('/').next().unwrap_or(&entry.path);
    let (is_folder, lines, definitions, note) = match &entry.content {
        EntryContent::Folder(totals) => (true, totals.lines, totals.definitions, count(totals.files, "file")),
        EntryContent::File { lines, definitions, .. } => (false, *lines, *definitions, String::new()),
        EntryContent::Skipped { skipped } => (false, 0, 0, format!("not indexed: {skipped}")),
    };
    html.element("tr", &[], |html| {
        html.element("td", &[], |html| {
            let class = if is_folder { "folder" } else { "file" };
            html.element("a", &[("class", class), ("href", &subject.path(&entry.path))], |html| {
                html.text(name);
                if is_folder {
                    html.markup("/");
                }
            });
            if !note.is_empty() {
                html.markup(" ").leaf("span", &[("class", "dim")], &note);
            }
        });
        html.element("td", &[("class", "num")], |html| _ = html.number(lines));
        html.element("td", &[("class", "num")], |html| _ = html.number(definitions));
    });
}

/// Writes the overview of a repository without any file to show.
fn nothing(html: &mut Html, asker: &Asker<'_>, overview: &OverviewAnswer) {
    html.leaf("h1", &[], &overview.repository);
    let advice = "Files are shown here as soon as they are written. If there are some, the list of what is left out \
                  says why.";
    parts::empty(html, "The repository has no file to index.", advice);
    html.element("p", &[], |html| _ = html.link(&asker.subject().page("skipped", &[]), "What is left out"));
}

fn home(html: &mut Html, subject: &Subject, overview: &OverviewAnswer) {
    html.leaf("h1", &[], &overview.repository);
    let (projects, endpoints) = (subject.page("projects", &[]), subject.page("endpoints", &[]));
    let facts = [
        (count(overview.files, "file"), ""),
        (count(overview.lines as usize, "line"), ""),
        (count(overview.symbols as usize, "symbol"), ""),
        (count(overview.tests.functions, "test"), ""),
        (count(overview.projects.len(), "project"), projects.as_str()),
        (overview.endpoints.total.map_or("endpoints".into(), |total| count(total, "endpoint")), endpoints.as_str()),
    ];
    chips(html, &facts);
    html.element("div", &[("class", "columns")], |html| {
        languages(html, overview);
        if !overview.entry_points.is_empty() {
            html.element("section", &[], |html| {
                section_head(html, "entry-points", "Entry points", Some(overview.entry_points_total));
                html.element("ul", &[("class", "plain")], |html| {
                    for entry in overview.entry_points.iter().take(FEW) {
                        html.element("li", &[], |html| {
                            html.leaf(
                                "a",
                                &[("class", "name"), ("href", &subject.symbol(&entry.path, entry.line))],
                                &entry.name,
                            );
                            html.markup(" ");
                            parts::place(html, subject, &entry.path, entry.line);
                        });
                    }
                });
            });
        }
        let central = overview.central.iter().map(|unit| (unit.path.as_str(), count(unit.importers, "importer")));
        path_list(html, subject, "central", "Imported most", central.collect());
        let hot = overview.hot_spots.iter().flat_map(|spots| &spots.files);
        let hot = hot.map(|file| (file.path.as_str(), count(file.commits, "commit")));
        path_list(html, subject, "hot", "Changed most lately", hot.collect());
    });
}

fn languages(html: &mut Html, overview: &OverviewAnswer) {
    html.element("section", &[], |html| {
        section_head(html, "languages", "Languages", None);
        html.element("ul", &[("class", "plain")], |html| {
            for language in overview.languages.iter().take(FEW) {
                html.element("li", &[], |html| {
                    html.text(&language.language).markup(" ");
                    let size = format!("{}, {}", count(language.files, "file"), count(language.lines as usize, "line"));
                    html.leaf("span", &[("class", "dim")], &size);
                });
            }
        });
    });
}

fn path_list(html: &mut Html, subject: &Subject, id: &str, title: &str, list: Vec<(&str, String)>) {
    if list.is_empty() {
        return;
    }
    html.element("section", &[], |html| {
        section_head(html, id, title, None);
        html.element("ul", &[("class", "plain")], |html| {
            for (path, note) in list.into_iter().take(FEW) {
                html.element("li", &[], |html| {
                    html.leaf("a", &[("class", "place"), ("href", &subject.path(path))], path).markup(" ");
                    html.leaf("span", &[("class", "dim")], &note);
                });
            }
        });
    });
}
