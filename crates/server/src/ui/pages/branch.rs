//! Changes of a branch: symbols before and after, and what the change affects.

use codecompass_app::api::navigate::diff::{DiffAnswer, DiffRequest, SymbolChangeView};
use codecompass_app::api::navigate::graph::AffectedView;
use codecompass_app::api::navigate::impact::{ImpactAnswer, ImpactRequest};
use codecompass_app::error::AppError;
use serde_json::json;

use super::refs;
use crate::ui::asker::{Asker, PageContent, Reply, notes};
use crate::ui::html::Html;
use crate::ui::links::AddressTarget;
use crate::ui::parts::{self, section_head};
use crate::ui::source::side_by_side;

/// Symbols of each list that are shown.
const MOST: usize = 200;
/// Affected symbols that are listed.
const MOST_AFFECTED: usize = 100;

pub(super) fn page(asker: &Asker<'_>, _: &AddressTarget) -> Result<Reply, AppError> {
    let base = asker.argument("base");
    let mut html = Html::new();
    html.leaf("h1", &[], "What changed");
    let form = |html: &mut Html, base: &str| {
        let action = asker.subject().page("branch", &[]);
        html.element("form", &[("class", "base"), ("action", &action)], |html| {
            html.markup("<label for=\"base\">Compared with</label> ");
            let list = ("list", "reflist");
            html.open("input", &[("id", "base"), ("name", "base"), ("value", base), list, ("autocomplete", "off")]);
            html.markup(" <button type=\"submit\">Compare</button>");
        });
    };
    let diff = match asker.ask::<DiffRequest>(json!({"base": base, "detail_level": "context", "impact": true})) {
        Ok(diff) => diff,
        Err(_) if base.is_empty() && !refs::has_commits(asker) => {
            let advice = "Make a commit; this page then shows what came after it.";
            parts::empty(&mut html, "There is no commit to compare with yet.", advice);
            return Ok(PageContent::new("branch", "What changed", html).into());
        }
        Err(error) => {
            form(&mut html, base);
            html.element("div", &[("class", "empty"), ("role", "alert")], |html| {
                html.leaf("p", &[], &error.message);
                html.leaf(
                    "p",
                    &[("class", "advice")],
                    &error.remediation.words(codecompass_app::remedy::Audience::Cli),
                );
            });
            return Ok(PageContent::new("branch", "What changed", html).into());
        }
    };
    form(&mut html, &diff.base);
    let commit: String = diff.merge_base_commit.chars().take(12).collect();
    let told = format!("{} since it left {} at {commit}", parts::ref_name(&diff.reference), diff.base);
    html.leaf("p", &[("class", "dim")], &told);
    notes(&mut html, &diff.metadata);
    changes(&mut html, asker, &diff);
    if let Some(list) = &diff.affected_callers {
        affected(&mut html, asker, "callers", "Affected callers", list);
    }
    let commit = &diff.merge_base_commit;
    if let Ok(impact) = asker.ask::<ImpactRequest>(json!({"diff": commit, "limit": MOST_AFFECTED})) {
        reached(&mut html, asker, &impact);
    }
    if let Some(list) = &diff.affected_tests {
        affected(&mut html, asker, "tests", "Affected tests", list);
    }
    Ok(PageContent::new("branch", "What changed", html).into())
}

fn changes(html: &mut Html, asker: &Asker<'_>, diff: &DiffAnswer) {
    let files = diff.affected_files.as_deref().unwrap_or_default();
    if files.is_empty() {
        parts::empty(html, "Nothing differs.", "Choose another ref above, or another base to compare with.");
        return;
    }
    let Some(summary) = &diff.summary else { return };
    let lists = [
        ("added", "Added", &summary.added_symbols),
        ("modified", "Modified", &summary.modified_symbols),
        ("moved", "Moved or renamed", &summary.moved_symbols),
        ("deleted", "Deleted", &summary.deleted_symbols),
    ];
    let anchors = ["#added", "#modified", "#moved", "#deleted"];
    let words = ["added", "modified", "moved or renamed", "deleted"];
    html.element("ul", &[("class", "chips")], |html| {
        html.element("li", &[], |html| {
            _ = html.link("#changed-files", &codecompass_app::units::count(files.len(), "file"))
        });
        for ((_, _, list), (anchor, word)) in lists.iter().zip(anchors.iter().zip(words)) {
            html.element("li", &[], |html| _ = html.link(anchor, &format!("{} {word}", list.len())));
        }
    });
    for (id, title, list) in lists {
        if list.is_empty() {
            continue;
        }
        section_head(html, id, title, Some(list.len()));
        html.element("ul", &[("class", "changes")], |html| {
            list.iter().take(MOST).for_each(|change| one(html, asker, diff, change));
        });
        if list.len() > MOST {
            html.leaf("p", &[("class", "dim")], &format!("The first {MOST} are shown."));
        }
    }
    section_head(html, "changed-files", "Files", Some(files.len()));
    html.element("ul", &[("class", "plain")], |html| {
        for file in files.iter().take(MOST) {
            html.element("li", &[], |html| {
                html.leaf("span", &[("class", "kind")], file.change).markup(" ");
                html.leaf("a", &[("class", "place"), ("href", &asker.subject().path(&file.path))], &file.path);
                if let Some(before) = &file.path_before {
                    html.markup(" ").leaf("span", &[("class", "dim")], &format!("was {before}"));
                }
            });
        }
    });
}

fn one(html: &mut Html, asker: &Asker<'_>, diff: &DiffAnswer, change: &SymbolChangeView) {
    let hit = &change.symbol.hit;
    let is_gone = change.change == "deleted";
    // What is gone is shown where it was.
    let subject = if is_gone { asker.subject().at(Some(&diff.merge_base_commit)) } else { asker.subject().clone() };
    html.element("li", &[("class", "change")], |html| {
        html.element("p", &[("class", "head")], |html| {
            html.leaf("span", &[("class", "badge")], change.change).markup(" ");
            parts::hit_line(html, &subject, hit);
            if let Some(name) = &change.before_name {
                html.markup(" ").leaf("span", &[("class", "dim")], &format!("was {name}"));
            }
            if let Some(path) = &change.before_path {
                html.markup(" ").leaf("span", &[("class", "dim")], &format!("from {path}"));
            }
            let is_in_place = change.before_name.is_none() && change.before_path.is_none();
            if !is_gone && change.change != "added" && is_in_place {
                // By name: the line is another one on the other side.
                let symbol = format!("{}::{}", hit.path, hit.local_name);
                let base = diff.merge_base_commit.as_str();
                let whole = asker.subject().page("compare", &[("s", &symbol), ("base", base)]);
                html.markup(" ").link(&whole, "whole comparison");
            }
        });
        signatures(html, change);
        if let Some(patch) = &change.patch {
            html.element("details", &[], |html| {
                html.markup("<summary>Source</summary>");
                side_by_side(html, patch);
            });
        }
    });
}

fn signatures(html: &mut Html, change: &SymbolChangeView) {
    match (&change.before_signature, &change.after_signature) {
        (Some(before), Some(after)) if before != after => {
            html.element("p", &[("class", "signature")], |html| _ = html.leaf("del", &[], before));
            html.element("p", &[("class", "signature")], |html| _ = html.leaf("ins", &[], after));
        }
        _ if !change.symbol.hit.signature.is_empty() => {
            html.leaf("p", &[("class", "signature")], &change.symbol.hit.signature);
        }
        _ => {}
    }
}

fn affected(html: &mut Html, asker: &Asker<'_>, id: &str, title: &str, list: &[AffectedView]) {
    section_head(html, id, title, Some(list.len()));
    if list.is_empty() {
        html.markup("<p class=\"dim\">None were found.</p>");
        return;
    }
    html.element("ul", &[("class", "plain")], |html| {
        for it in list.iter().take(MOST_AFFECTED) {
            html.element("li", &[], |html| {
                parts::node_line(html, asker.subject(), &it.node);
                html.markup(" ").leaf("span", &[("class", "dim")], &format!("uses {}", it.uses.local_name));
                if it.is_broken {
                    html.markup(" <span class=\"badge possible\">used only what is gone</span>");
                }
            });
        }
    });
    if list.len() > MOST_AFFECTED {
        html.leaf("p", &[("class", "dim")], &format!("The first {MOST_AFFECTED} are shown."));
    }
}

fn reached(html: &mut Html, asker: &Asker<'_>, impact: &ImpactAnswer) {
    affected(html, asker, "entry-points", "Affected entry points", &impact.affected_entry_points);
    if impact.affected_endpoints.is_empty() {
        return;
    }
    section_head(html, "endpoints", "Affected endpoints", Some(impact.affected_endpoints.len()));
    html.element("ul", &[("class", "plain")], |html| {
        for route in &impact.affected_endpoints {
            html.element("li", &[], |html| {
                html.leaf("span", &[("class", "kind")], route.method.as_deref().unwrap_or("")).markup(" ");
                html.leaf("code", &[], &route.path).markup(" ");
                parts::node_line(html, asker.subject(), &route.handler);
            });
        }
    });
}
