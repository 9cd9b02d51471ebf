//! Text of `services`.

use std::fmt::Write as _;

use crate::api::navigate::services::{
    MessageView, RpcView, ServiceImplementationView, ServiceSiteView, ServiceView, ServicesAnswer, ServicesRequest,
    SpecificationView,
};
use crate::remedy::Audience;
use crate::render::{count, more_text, shown};
use crate::terminal::output::{DIM, KIND, LINE, NAME, PATH};

/// Calls of one rpc that are named where several services are listed.
const FEW_CLIENTS: usize = 3;
/// Operations and endpoints that are named.
const MANY_OPERATIONS: usize = 30;
/// The same where one service is.
const MANY_CLIENTS: usize = 20;

pub fn text(request: &ServicesRequest, answer: &ServicesAnswer, audience: Audience) -> String {
    let mut out = String::new();
    summary(&mut out, answer);
    let most = if answer.services.len() == 1 { MANY_CLIENTS } else { FEW_CLIENTS };
    let home = |service: &ServiceView| service.declared.first().map(|place| place.path.clone()).unwrap_or_default();
    for group in answer.services.chunk_by(|a, b| home(a) == home(b)) {
        let Some(first) = group.first() else { continue };
        let role = first.role.map(|role| format!("  {KIND}{role}{KIND:#}")).unwrap_or_default();
        let _ = writeln!(out, "{PATH}{}{PATH:#}{role}", shown(&home(first)));
        for service in group {
            service_text(&mut out, service, most);
        }
    }
    for specification in &answer.specifications {
        specification_text(&mut out, specification);
    }
    undocumented_text(&mut out, answer);
    for file in &answer.unread {
        let (path, reason) = (shown(&file.path), shown(&file.reason));
        let _ = writeln!(out, "{DIM}not read in full: {path}:{} {reason}{DIM:#}", file.line);
    }
    let hidden = answer.totals.unread.saturating_sub(answer.unread.len());
    if hidden > 0 {
        let _ = writeln!(out, "{DIM}not read in full: {} more{DIM:#}", count(hidden, "file"));
    }
    let more = request.page().behind(answer.totals.found, answer.services.len());
    if more > 0 {
        out.push_str(&more_text(more, audience));
    }
    out
}

fn summary(out: &mut String, answer: &ServicesAnswer) {
    let totals = &answer.totals;
    if totals.all == 0 {
        if totals.specifications == 0 {
            let _ = writeln!(out, "no .proto, GraphQL or OpenAPI file of the view declares a service");
        }
        return;
    }
    if totals.found == 0 && totals.specifications > 0 {
        return;
    }
    let found = if totals.found == totals.all {
        count(totals.all, "service")
    } else {
        format!("{} of {}", totals.found, count(totals.all, "service"))
    };
    let _ = writeln!(
        out,
        "{NAME}{found}{NAME:#} with {}: {} implemented here, {} called",
        count(totals.rpcs, "method"),
        totals.implemented,
        totals.called
    );
}

fn service_text(out: &mut String, service: &ServiceView, most: usize) {
    let line = service.declared.first().map_or(0, |place| place.line);
    let dot = if service.package.is_empty() { "" } else { "." };
    let name = format!("{}{dot}{}", shown(&service.package), shown(&service.name));
    let copies = match service.declared.len() {
        0 | 1 => String::new(),
        more => format!("  {DIM}declared in {more} files{DIM:#}"),
    };
    let kind = service.kind;
    let _ = writeln!(out, "  {LINE}{line:>4}{LINE:#}  {KIND}{kind}{KIND:#} {NAME}{name}{NAME:#}{copies}");
    for implementation in &service.implementations {
        let _ = writeln!(out, "          {}", implementation_text(implementation));
    }
    if service.implementations.is_empty() && service.methods.iter().all(|rpc| rpc.implementations.is_empty()) {
        let _ = writeln!(out, "          {DIM}implementation not found here{DIM:#}");
    }
    for rpc in &service.methods {
        rpc_text(out, service, rpc, most);
    }
}

fn implementation_text(one: &ServiceImplementationView) -> String {
    let mut text = format!("{DIM}server{DIM:#} {}", site_text(&one.site));
    if let Some(place) = &one.registered {
        let place = if place.path == one.site.path {
            format!(":{}", place.line)
        } else {
            format!("{}:{}", shown(&place.path), place.line)
        };
        let _ = write!(text, "  {DIM}registered {place}{DIM:#}");
    }
    if one.missing > 0 {
        let _ = write!(text, "  {DIM}without {}{DIM:#}", count(one.missing, "method"));
    }
    text
}

fn rpc_text(out: &mut String, service: &ServiceView, rpc: &RpcView, most: usize) {
    let signature = if rpc.response.name.is_empty() {
        format!("({})", message_text(&rpc.request))
    } else {
        format!("({}) → {}", message_text(&rpc.request), message_text(&rpc.response))
    };
    let (line, name) = (rpc.line, shown(&rpc.name));
    let answers: Vec<String> = rpc.implementations.iter().map(site_text).collect();
    let answers = if !answers.is_empty() {
        format!("  {}", answers.join(", "))
    } else if service.implementations.is_empty() {
        String::new()
    } else {
        format!("  {DIM}no method{DIM:#}")
    };
    let _ = writeln!(out, "  {LINE}{line:>4}{LINE:#}    {NAME}{name}{NAME:#}{signature}{answers}");
    if !rpc.clients.is_empty() {
        let mut calls: Vec<String> = rpc.clients.iter().take(most).map(site_text).collect();
        let hidden = rpc.clients_total.saturating_sub(calls.len());
        if hidden > 0 {
            calls.push(format!("{hidden} more"));
        }
        let _ = writeln!(out, "            {DIM}called by{DIM:#} {}", calls.join(", "));
    }
}

fn message_text(message: &MessageView) -> String {
    let stream = if message.stream { "stream " } else { "" };
    format!("{stream}{}", shown(&message.name))
}

fn site_text(site: &ServiceSiteView) -> String {
    let name = if site.name.is_empty() { String::new() } else { format!("{} ", shown(&site.name)) };
    let role = site.role.map(|role| format!(" {role}")).unwrap_or_default();
    let doubt = if site.confidence == "likely" { " likely" } else { "" };
    format!("{name}{DIM}{}:{}{role}{doubt}{DIM:#}", shown(&site.path), site.line)
}

fn specification_text(out: &mut String, one: &SpecificationView) {
    let role = one.role.map(|role| format!("  {KIND}{role}{KIND:#}")).unwrap_or_default();
    let _ = writeln!(out, "{PATH}{}{PATH:#}{role}", shown(&one.path));
    let mut notes = Vec::new();
    if one.likely > 0 {
        notes.push(format!("{} by paths with unknown prefixes …", one.likely));
    }
    if !one.bases.is_empty() {
        notes.push(format!("below {} or /", one.bases.iter().map(|base| shown(base)).collect::<Vec<_>>().join(", ")));
    }
    if !one.prefix.is_empty() {
        notes.push(format!("below {}, which the specification does not name", shown(&one.prefix)));
    }
    let notes = if notes.is_empty() { String::new() } else { format!(" {DIM}({}){DIM:#}", notes.join("; ")) };
    let _ = writeln!(
        out,
        "        {KIND}openapi{KIND:#} {}: {} of {} in the code{notes}",
        shown(&one.version),
        one.matched,
        count(one.operations, "operation")
    );
    if one.matched == 0 {
        return;
    }
    for operation in one.missing.iter().take(MANY_OPERATIONS) {
        let (line, method, path) = (operation.line, &operation.method, shown(&operation.path));
        let _ =
            writeln!(out, "  {LINE}{line:>4}{LINE:#}  {KIND}{method}{KIND:#} {NAME}{path}{NAME:#}  not in the code");
    }
    let hidden = one.missing_total.saturating_sub(MANY_OPERATIONS);
    if hidden > 0 {
        let _ = writeln!(out, "        {DIM}{hidden} more that are not in the code{DIM:#}");
    }
}

fn undocumented_text(out: &mut String, answer: &ServicesAnswer) {
    let total = answer.totals.undocumented;
    if total == 0 {
        return;
    }
    let _ = writeln!(out, "{NAME}{} in no specification{NAME:#}", count(total, "endpoint"));
    for endpoint in answer.undocumented.iter().take(MANY_OPERATIONS) {
        let place = format!("{}:{}", shown(&endpoint.declared.path), endpoint.declared.line);
        let (method, path) = (&endpoint.method, shown(&endpoint.path));
        let _ = writeln!(out, "  {KIND}{method}{KIND:#} {NAME}{path}{NAME:#}  {DIM}{place}{DIM:#}");
    }
    let hidden = total.saturating_sub(MANY_OPERATIONS);
    if hidden > 0 {
        let _ = writeln!(out, "  {DIM}{hidden} more{DIM:#}");
    }
}
