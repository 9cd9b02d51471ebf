//! Branches, tags and worktrees, and the change from one ref to another.

use codecompass_app::api::index::branches::{BranchView, BranchesRequest};
use codecompass_app::error::AppError;
use serde_json::json;

use crate::ui::asker::{Asker, PageContent, Reply};
use crate::ui::html::Html;
use crate::ui::links::AddressTarget;
use crate::ui::parts::{self, Pager};

/// Refs of a page.
const LIMIT: usize = 100;

pub(super) fn page(asker: &Asker<'_>, _: &AddressTarget) -> Result<Reply, AppError> {
    let offset = asker.number("offset");
    let answer = asker.ask::<BranchesRequest>(json!({"all": true, "limit": LIMIT, "offset": offset}))?;
    let mut html = Html::new();
    html.leaf("h1", &[], "Refs");
    if let Some(base) = &answer.base {
        html.leaf("p", &[("class", "dim")], &format!("Ahead and behind are counted of {base}."));
    }
    if answer.refs.is_empty() {
        parts::empty(&mut html, "There are no branches here.", "Make a commit to have one.");
    } else {
        if answer.refs.len() == answer.total && !answer.refs.iter().any(|it| it.current) {
            let note = "No branch is checked out: HEAD is detached. The files on disk are those of its commit; \
                        `git switch BRANCH` checks a branch out.";
            html.leaf("p", &[("class", "note")], note);
        }
        html.element(
            "div",
            &[("class", "scroll"), ("tabindex", "0"), ("role", "region"), ("aria-label", "Refs")],
            |html| {
                html.markup("<table><thead><tr><th scope=\"col\">Name</th><th scope=\"col\">Kind</th>");
                html.markup("<th scope=\"col\" class=\"num\">Ahead</th><th scope=\"col\" class=\"num\">Behind</th>");
                html.markup("<th scope=\"col\">Indexed</th><th scope=\"col\">Changes</th></tr></thead><tbody>");
                answer.refs.iter().for_each(|it| row(html, asker, it));
                html.markup("</tbody></table>");
            },
        );
    }
    let (offset, shown) = (offset as usize, answer.refs.len());
    let pager = Pager {
        page: "branches",
        arguments: &[],
        offset_name: "offset",
        offset,
        shown,
        total: answer.total,
        step: LIMIT,
    };
    parts::pager(&mut html, asker, &pager);
    Ok(PageContent::new("branches", "Refs", html).into())
}

/// Returns whether the repository has any branch, which it has from its first commit on.
pub(super) fn has_commits(asker: &Asker<'_>) -> bool {
    asker.ask::<BranchesRequest>(json!({"all": true, "limit": 1})).is_ok_and(|answer| answer.total > 0)
}

fn row(html: &mut Html, asker: &Asker<'_>, branch: &BranchView) {
    // The branch that is checked out here is the files on disk.
    let subject = asker.subject().at((!branch.current).then_some(branch.name.as_str()));
    html.element("tr", &[], |html| {
        html.element("td", &[], |html| {
            html.link(&subject.home(), &branch.name);
            if branch.current {
                html.markup(" <span class=\"badge\">checked out</span>");
            }
        });
        html.leaf("td", &[], &branch.kind.replace('_', " "));
        for number in [branch.ahead, branch.behind] {
            html.leaf("td", &[("class", "num")], &number.map_or(String::new(), |number| number.to_string()));
        }
        html.leaf("td", &[], if branch.indexed { "yes" } else { "when asked for" });
        html.element("td", &[], |html| _ = html.link(&subject.page("branch", &[]), "show"));
    });
}

/// Leads to the same page at another ref.
pub(super) fn change(asker: &Asker<'_>, _: &AddressTarget) -> Result<Reply, AppError> {
    let reference = Some(asker.argument("ref")).filter(|reference| !reference.is_empty());
    let target = asker.subject().at(reference);
    Ok(Reply::Redirect(target.with_rest(asker.argument("to"))))
}
