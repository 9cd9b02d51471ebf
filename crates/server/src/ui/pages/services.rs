//! Services that schemas declare, who implements them and who calls them.

use codecompass_app::api::navigate::services::{RpcView, ServiceSiteView, ServiceView, ServicesRequest};
use codecompass_app::error::AppError;
use serde_json::json;

use crate::ui::asker::{Asker, PageContent, Reply, notes};
use crate::ui::html::Html;
use crate::ui::links::{AddressTarget, Subject};
use crate::ui::parts::{self, Pager, section_head};

/// Services of a page.
const LIMIT: usize = 50;
/// Clients of an rpc that are listed.
const CLIENTS: usize = 10;

pub(super) fn page(asker: &Asker<'_>, _: &AddressTarget) -> Result<Reply, AppError> {
    let offset = asker.number("offset");
    let answer = asker.ask::<ServicesRequest>(json!({"limit": LIMIT, "offset": offset}))?;
    let subject = asker.subject();
    let mut html = Html::new();
    html.leaf("h1", &[], "Services");
    notes(&mut html, &answer.metadata);
    if answer.services.is_empty() && answer.specifications.is_empty() {
        parts::empty(
            &mut html,
            "No service was found.",
            "Services come from .proto files, GraphQL schemas and OpenAPI files; see docs/services.md.",
        );
    }
    answer.services.iter().for_each(|it| service(&mut html, subject, it));
    if !answer.specifications.is_empty() {
        section_head(&mut html, "openapi", "OpenAPI", Some(answer.specifications.len()));
        html.element("ul", &[("class", "plain")], |html| {
            for it in &answer.specifications {
                html.element("li", &[], |html| {
                    html.leaf("a", &[("class", "place"), ("href", &subject.path(&it.path))], &it.path).markup(" ");
                    let told = format!(
                        "{} operations, {} with an endpoint, {} without",
                        it.operations, it.matched, it.missing_total
                    );
                    html.leaf("span", &[("class", "dim")], &told);
                });
            }
        });
    }
    let pager = Pager {
        page: "services",
        arguments: &[],
        offset_name: "offset",
        offset: offset as usize,
        shown: answer.services.len(),
        total: answer.totals.found,
        step: LIMIT,
    };
    parts::pager(&mut html, asker, &pager);
    Ok(PageContent::new("services", "Services", html).into())
}

fn service(html: &mut Html, subject: &Subject, service: &ServiceView) {
    html.element("section", &[], |html| {
        html.element("h2", &[], |html| {
            html.text(&service.name).markup(" ");
            parts::kind(html, service.kind);
        });
        for place in &service.declared {
            html.element("p", &[], |html| parts::place(html, subject, &place.path, place.line));
        }
        if !service.implementations.is_empty() {
            html.markup("<h3>Implementations</h3>");
            let implementations = service.implementations.iter().map(|it| &it.site);
            sites(html, subject, implementations);
        }
        let attributes = [("class", "scroll"), ("tabindex", "0"), ("role", "region"), ("aria-label", &service.name)];
        html.element("div", &attributes, |html| {
            html.markup("<table><thead><tr><th scope=\"col\">Method</th><th scope=\"col\">Takes and gives</th>");
            html.markup("<th scope=\"col\">Implemented</th><th scope=\"col\">Called</th></tr></thead><tbody>");
            service.methods.iter().for_each(|it| rpc(html, subject, it));
            html.markup("</tbody></table>");
        });
    });
}

fn rpc(html: &mut Html, subject: &Subject, rpc: &RpcView) {
    html.element("tr", &[], |html| {
        html.element("td", &[], |html| {
            _ = html.leaf("a", &[("class", "name"), ("href", &subject.line(&rpc.path, rpc.line))], &rpc.name)
        });
        let stream = |is_stream: bool| if is_stream { "stream " } else { "" };
        let types = format!(
            "{}{} → {}{}",
            stream(rpc.request.stream),
            rpc.request.name,
            stream(rpc.response.stream),
            rpc.response.name
        );
        html.leaf("td", &[], &types);
        html.element("td", &[], |html| sites(html, subject, rpc.implementations.iter()));
        html.element("td", &[], |html| {
            sites(html, subject, rpc.clients.iter().take(CLIENTS));
            let more = rpc.clients_total.saturating_sub(rpc.clients.len().min(CLIENTS));
            if more > 0 {
                html.leaf("span", &[("class", "dim")], &format!("and {more} more"));
            }
        });
    });
}

fn sites<'a>(html: &mut Html, subject: &Subject, sites: impl Iterator<Item = &'a ServiceSiteView>) {
    html.element("ul", &[("class", "plain")], |html| {
        for site in sites {
            html.element("li", &[], |html| {
                html.text(&site.name).markup(" ");
                parts::place(html, subject, &site.path, site.line);
            });
        }
    });
}
