//! HTTP endpoints with their handlers.

use codecompass_app::api::navigate::endpoints::{EndpointView, EndpointsRequest};
use codecompass_app::error::AppError;
use serde_json::json;

use crate::ui::asker::{Asker, PageContent, Reply, notes};
use crate::ui::html::Html;
use crate::ui::links::AddressTarget;
use crate::ui::parts::{self, Pager};

/// Endpoints of a page.
const LIMIT: usize = 200;

pub(super) fn page(asker: &Asker<'_>, _: &AddressTarget) -> Result<Reply, AppError> {
    let (path, offset) = (asker.argument("path"), asker.number("offset"));
    let answer = asker.ask::<EndpointsRequest>(json!({"path": path, "limit": LIMIT, "offset": offset}))?;
    let mut html = Html::new();
    html.leaf("h1", &[], "Endpoints");
    let action = asker.subject().page("endpoints", &[]);
    html.element("form", &[("action", &action), ("class", "base")], |html| {
        html.markup("<label for=\"path\">Path</label> ");
        html.open("input", &[("id", "path"), ("name", "path"), ("value", path), ("placeholder", "/api/users")]);
        html.markup(" <button type=\"submit\">Filter</button>");
    });
    let frameworks: Vec<String> =
        answer.frameworks.iter().map(|it| format!("{} {}", it.endpoints, it.display_name)).collect();
    if !frameworks.is_empty() {
        html.leaf("p", &[("class", "dim")], &frameworks.join(", "));
    }
    notes(&mut html, &answer.metadata);
    let list = answer.endpoints.as_deref().unwrap_or_default();
    if list.is_empty() {
        parts::empty(&mut html, "No endpoint was found.", "docs/endpoints.md lists the frameworks that are known.");
    } else {
        let attributes = [("class", "scroll"), ("tabindex", "0"), ("role", "region"), ("aria-label", "Endpoints")];
        html.element("div", &attributes, |html| {
            html.markup("<table><thead><tr><th scope=\"col\">Method</th><th scope=\"col\">Path</th>");
            html.markup("<th scope=\"col\">Handler</th><th scope=\"col\">Declared</th></tr></thead><tbody>");
            list.iter().for_each(|it| row(html, asker, it));
            html.markup("</tbody></table>");
        });
    }
    let pager = Pager {
        page: "endpoints",
        arguments: &[("path", path)],
        offset_name: "offset",
        offset: offset as usize,
        shown: list.len(),
        total: answer.totals.found,
        step: LIMIT,
    };
    parts::pager(&mut html, asker, &pager);
    Ok(PageContent::new("endpoints", "Endpoints", html).into())
}

fn row(html: &mut Html, asker: &Asker<'_>, endpoint: &EndpointView) {
    let subject = asker.subject();
    html.element("tr", &[], |html| {
        html.leaf("td", &[("class", "kind")], &endpoint.method);
        html.element("td", &[], |html| {
            html.leaf("code", &[], &endpoint.path);
            if endpoint.confidence != "static" {
                html.markup(" ").leaf("span", &[("class", "badge likely")], endpoint.confidence);
            }
        });
        html.element("td", &[], |html| match &endpoint.handler {
            Some(handler) => match (&handler.path, handler.line) {
                (Some(path), Some(line)) => {
                    html.leaf("a", &[("class", "name"), ("href", &subject.symbol(path, line))], &handler.name);
                }
                _ => _ = html.text(&handler.name),
            },
            None => _ = html.markup("<span class=\"dim\">not found</span>"),
        });
        html.element("td", &[], |html| parts::place(html, subject, &endpoint.declared.path, endpoint.declared.line));
    });
}
