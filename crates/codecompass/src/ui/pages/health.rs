//! Health: what the index holds, what is left out and why, jobs, the watcher, sizes.

use serde_json::json;

use crate::api::index::doctor::{DoctorAnswer, DoctorRequest};
use crate::api::index::status::{StatusAnswer, StatusRequest};
use crate::error::AppError;
use crate::ui::asker::{Asker, PageContent, Reply};
use crate::ui::html::Html;
use crate::ui::links::AddressTarget;
use crate::ui::parts::section_head;
use crate::units::{bytes, count};

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
    skipped(&mut html, &doctor);
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

fn skipped(html: &mut Html, doctor: &DoctorAnswer) {
    let Some(skipped) = &doctor.skipped else { return };
    section_head(html, "skipped", "Left out", Some(skipped.total.sum()));
    if skipped.rules.is_empty() {
        html.markup("<p class=\"dim\">No file is left out.</p>");
        return;
    }
    let attributes = [("class", "scroll"), ("tabindex", "0"), ("role", "region"), ("aria-label", "Left out")];
    html.element("div", &attributes, |html| {
        html.markup("<table><thead><tr><th scope=\"col\">Rule</th><th scope=\"col\">From</th>");
        html.markup("<th scope=\"col\">Reason</th><th scope=\"col\" class=\"num\">Paths</th><th scope=\"col\">To index it</th></tr></thead><tbody>");
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
        html.markup("</tbody></table>");
    });
}
