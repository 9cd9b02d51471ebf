//! Projects that manifests declare, and their dependencies on each other.

use codecompass_app::api::relations::projects::{ListedProjectView, ProjectsRequest};
use codecompass_app::error::AppError;
use serde_json::json;

use crate::ui::asker::{Asker, PageContent, Reply, notes};
use crate::ui::html::Html;
use crate::ui::links::AddressTarget;
use crate::ui::parts::{self, Pager, section_head};

/// Projects of a page.
const LIMIT: usize = 200;

pub(super) fn page(asker: &Asker<'_>, _: &AddressTarget) -> Result<Reply, AppError> {
    let offset = asker.number("offset");
    let answer = asker.ask::<ProjectsRequest>(json!({"limit": LIMIT, "offset": offset}))?;
    let mut html = Html::new();
    html.leaf("h1", &[], "Projects");
    notes(&mut html, &answer.metadata);
    if answer.projects.is_empty() {
        parts::empty(
            &mut html,
            "No manifest declares a project.",
            "docs/projects.md lists the manifests that are known.",
        );
    } else {
        let attributes = [("class", "scroll"), ("tabindex", "0"), ("role", "region"), ("aria-label", "Projects")];
        html.element("div", &attributes, |html| {
            html.markup("<table><thead><tr><th scope=\"col\">Name</th><th scope=\"col\">Kind</th>");
            html.markup("<th scope=\"col\">Folder</th><th scope=\"col\" class=\"num\">Files</th>");
            html.markup(
                "<th scope=\"col\" class=\"num\">Symbols</th><th scope=\"col\">Depends on</th></tr></thead><tbody>",
            );
            answer.projects.iter().for_each(|it| row(html, asker, it));
            html.markup("</tbody></table>");
        });
    }
    if !answer.problems.is_empty() {
        section_head(&mut html, "problems", "Manifests with problems", Some(answer.totals.problems));
        html.element("ul", &[("class", "plain")], |html| {
            for problem in &answer.problems {
                html.element("li", &[], |html| {
                    parts::place(html, asker.subject(), &problem.path, problem.line);
                    html.markup(" ").text(&problem.reason);
                });
            }
        });
    }
    let pager = Pager {
        page: "projects",
        arguments: &[],
        offset_name: "offset",
        offset: offset as usize,
        shown: answer.projects.len(),
        total: answer.totals.found,
        step: LIMIT,
    };
    parts::pager(&mut html, asker, &pager);
    Ok(PageContent::new("projects", "Projects", html).into())
}

fn row(html: &mut Html, asker: &Asker<'_>, project: &ListedProjectView) {
    let subject = asker.subject();
    html.element("tr", &[], |html| {
        html.element("td", &[], |html| {
            let manifest = subject.line(&project.manifest.path, project.manifest.line);
            html.leaf("a", &[("class", "name"), ("href", &manifest)], &project.name);
        });
        html.leaf("td", &[], project.kind);
        html.element("td", &[], |html| {
            let folder = if project.folder.is_empty() { "." } else { &project.folder };
            html.leaf("a", &[("class", "place"), ("href", &subject.path(&project.folder))], folder);
        });
        html.element("td", &[("class", "num")], |html| _ = html.number(project.files as u64));
        html.element("td", &[("class", "num")], |html| _ = html.number(project.symbols));
        html.element("td", &[], |html| {
            for (number, dependency) in project.dependencies.iter().enumerate() {
                if number > 0 {
                    html.markup(", ");
                }
                html.link(&subject.line(&dependency.declared.path, dependency.declared.line), &dependency.name);
            }
        });
    });
}
