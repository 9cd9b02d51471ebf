//! Health: what the index holds, what is left out and why, index runs, the watcher, sizes.

use codecompass_app::api::index::build::{IndexAnswer, IndexRequest};
use codecompass_app::api::index::doctor::{DoctorAnswer, DoctorRequest};
use codecompass_app::api::index::status::{StatusAnswer, StatusRequest};
use codecompass_app::clock::rfc3339;
use codecompass_app::error::AppError;
use codecompass_app::units::{bytes, count};
use serde_json::json;

use crate::ui::asker::{Asker, PageContent, Reply};
use crate::ui::html::Html;
use crate::ui::links::AddressTarget;
use crate::ui::parts::{self, Pager, section_head};

/// Paths of a page of what is left out.
const PATHS: usize = 200;

pub(super) fn page(asker: &Asker<'_>, _: &AddressTarget) -> Result<Reply, AppError> {
    let status = asker.ask::<StatusRequest>(json!({}))?;
    let doctor = asker.ask::<DoctorRequest>(json!({}))?;
    let mut html = Html::new();
    html.leaf("h1", &[], "Health");
    let summary = match (doctor.ok, status.indexing_status) {
        (_, "indexing") => "The index is being built or brought up to date.",
        (true, _) => "All is well.",
        (false, _) => "Something needs attention; see the checks.",
    };
    html.leaf("p", &[("class", "summary"), ("role", "status")], summary);
    html.element("div", &[("class", "columns")], |html| {
        index(html, &status);
        store(html, &status, &doctor);
        job(html, &status);
    });
    checks(&mut html, &doctor);
    runs(&mut html, &doctor);
    skipped(&mut html, asker, &doctor);
    Ok(PageContent::new("health", "Health", html).into())
}

fn facts(html: &mut Html, title: &'static str, id: &'static str, facts: &[(&str, String)]) {
    html.element("section", &[], |html| {
        section_head(html, id, title, None);
        html.element("dl", &[], |html| {
            for (name, value) in facts.iter().filter(|(_, value)| !value.is_empty()) {
                html.leaf("dt", &[], name).leaf("dd", &[], value);
            }
        });
    });
}

fn index(html: &mut Html, status: &StatusAnswer) {
    let progress = status.progress.map_or(String::new(), |it| format!("{} of {}", it.done, it.total));
    let languages: Vec<String> = status
        .languages
        .iter()
        .flatten()
        .take(8)
        .map(|it| format!("{} ({})", it.language, count(it.files as usize, "file")))
        .collect();
    let history = status.history.as_ref().map_or(String::new(), |history| {
        format!("{}, {} with changes", count(history.commits, "commit"), history.with_changes)
    });
    facts(
        html,
        "Index",
        "index",
        &[
            ("Root", status.root.clone()),
            ("Ref", status.reference.clone()),
            ("Commit", status.head.clone().unwrap_or_default()),
            ("Generation", status.generation.to_string()),
            ("Files", status.files.to_string()),
            ("Symbols", status.symbols.to_string()),
            ("Languages", languages.join(", ")),
            ("State", format!("{}, {}", status.indexing_status, status.freshness_status)),
            ("Progress", progress),
            ("History", history),
            ("Watcher", status.watcher.line.clone()),
        ],
    );
}

fn store(html: &mut Html, status: &StatusAnswer, doctor: &DoctorAnswer) {
    let mut list = Vec::new();
    if let Some(contents) = &status.contents {
        list.push(("Folder", contents.store.clone()));
        list.push(("Size", bytes(contents.store_bytes)));
    }
    if let Some(contents) = &doctor.contents {
        list.push(("Database", bytes(contents.database_bytes)));
        list.push(("Search index", bytes(contents.text_bytes)));
        list.push(("Vectors", bytes(contents.vector_bytes)));
        list.push(("Other", bytes(contents.other_bytes)));
        list.push(("File versions", contents.versions.to_string()));
        list.push(("Worktrees", contents.views.worktree.to_string()));
        list.push(("Commits", contents.views.commit.to_string()));
    }
    list.push(("Program", doctor.version.to_string()));
    list.push(("Uptime", doctor.uptime_seconds.map_or(String::new(), |seconds| format!("{seconds} s"))));
    facts(html, "Store", "store", &list);
}

fn job(html: &mut Html, status: &StatusAnswer) {
    let Some(job) = &status.job else { return };
    let mut list = vec![
        ("State", job.state.to_string()),
        ("Mode", job.mode.unwrap_or_default().to_string()),
        ("Process", job.pid.to_string()),
        ("Files", format!("{} of {}", job.files_done, job.files_total)),
        ("Took", job.duration_ms.map_or(String::new(), |ms| format!("{ms} ms"))),
        ("Changed files", job.changed_files.map_or(String::new(), |files| files.to_string())),
    ];
    list.push(("Error", job.error_code.clone().unwrap_or_default()));
    list.push(("Message", job.message.clone().unwrap_or_default()));
    facts(html, "Last index run", "job", &list);
}

fn checks(html: &mut Html, doctor: &DoctorAnswer) {
    section_head(html, "checks", "Checks", None);
    html.element("ul", &[("class", "plain")], |html| {
        for check in &doctor.checks {
            html.element("li", &[], |html| {
                let (class, word) = if check.ok { ("badge good", "ok") } else { ("badge possible", "not ok") };
                html.leaf("span", &[("class", class)], word).markup(" ");
                html.leaf("strong", &[], check.name).markup(" ");
                html.text(&check.detail);
                if let Some(advice) = &check.remediation {
                    html.markup(" ").leaf("span", &[("class", "advice")], &advice.text());
                }
            });
        }
    });
}

/// Writes the last index runs.
fn runs(html: &mut Html, doctor: &DoctorAnswer) {
    section_head(html, "runs", "Index runs", None);
    if doctor.runs.is_empty() {
        html.markup("<p class=\"dim\">None is on record.</p>");
        return;
    }
    let columns = ["Began", "Mode", "State", "Files", "Changed", "Took", "Message"];
    table(html, "Index runs", &columns, |html| {
        for run in &doctor.runs {
            html.element("tr", &[], |html| {
                html.leaf("td", &[], &rfc3339(run.started_at).replace('T', " "));
                html.leaf("td", &[], run.mode.unwrap_or(""));
                html.leaf("td", &[], &run.state.replace('_', " "));
                html.leaf("td", &[], &format!("{} of {}", run.files_done, run.files_total));
                html.leaf("td", &[], &run.changed_files.map_or(String::new(), |files| files.to_string()));
                html.leaf("td", &[], &run.duration_ms.map_or(String::new(), |ms| format!("{ms} ms")));
                html.leaf("td", &[], run.message.as_deref().unwrap_or(""));
            });
        }
    });
}

/// Writes a table with its head.
fn table(html: &mut Html, label: &str, columns: &[&str], rows: impl FnOnce(&mut Html)) {
    let attributes = [("class", "scroll"), ("tabindex", "0"), ("role", "region"), ("aria-label", label)];
    html.element("div", &attributes, |html| {
        html.markup("<table><thead><tr>");
        columns.iter().for_each(|column| _ = html.leaf("th", &[("scope", "col")], column));
        html.markup("</tr></thead><tbody>");
        rows(html);
        html.markup("</tbody></table>");
    });
}

/// The page of all that is left out, path by path.
pub(super) fn left_out(asker: &Asker<'_>, _: &AddressTarget) -> Result<Reply, AppError> {
    let mut question = asker.question::<IndexRequest>(json!({}))?;
    question.show_ignored = true;
    let IndexAnswer::Skipped(answer) = asker.answer(&question)? else {
        return Ok(Reply::Redirect(asker.subject().page("health", &[])));
    };
    let mut html = Html::new();
    html.leaf("h1", &[], "Left out");
    let offset = (asker.number("offset") as usize).min(answer.total);
    let shown = &answer.skipped[offset..answer.skipped.len().min(offset + PATHS)];
    if shown.is_empty() {
        parts::empty(&mut html, "No file is left out.", "All files of the repository are indexed.");
    } else {
        html.leaf("p", &[("class", "summary")], &format!("{} are not indexed.", count(answer.total, "path")));
        table(&mut html, "Left out", &["Path", "Reason", "Detail"], |html| {
            for path in shown {
                html.element("tr", &[], |html| {
                    html.leaf("td", &[], &format!("{}{}", path.path, if path.is_dir { "/" } else { "" }));
                    html.leaf("td", &[], &path.reason.replace('_', " "));
                    html.leaf("td", &[], &path.detail);
                });
            }
        });
    }
    let pager = Pager {
        page: "skipped",
        arguments: &[],
        offset_name: "offset",
        offset,
        shown: shown.len(),
        total: answer.total,
        step: PATHS,
    };
    parts::pager(&mut html, asker, &pager);
    Ok(PageContent::new("health", "Left out", html).into())
}

fn skipped(html: &mut Html, asker: &Asker<'_>, doctor: &DoctorAnswer) {
    let Some(skipped) = &doctor.skipped else { return };
    section_head(html, "skipped", "Left out", Some(skipped.total.sum()));
    if skipped.rules.is_empty() {
        html.markup("<p class=\"dim\">No file is left out.</p>");
        return;
    }
    html.element("p", &[], |html| _ = html.link(&asker.subject().page("skipped", &[]), "Path by path"));
    table(html, "Left out", &["Rule", "From", "Reason", "Paths", "To index it"], |html| {
        for rule in &skipped.rules {
            html.element("tr", &[], |html| {
                html.element("td", &[], |html| _ = html.leaf("code", &[], &rule.rule));
                html.leaf("td", &[], rule.source.as_deref().unwrap_or(""));
                html.leaf("td", &[], &rule.reason.replace('_', " "));
                html.element("td", &[("class", "num")], |html| _ = html.number(rule.count.sum() as u64));
                let advice = rule.remediation.as_ref().map(|advice| advice.text());
                html.leaf("td", &[], advice.as_deref().unwrap_or(""));
            });
        }
    });
}
