//! Text of `endpoints`.

use std::fmt::Write as _;

use crate::api::navigate::endpoints::{EndpointView, EndpointsAnswer, EndpointsRequest};
use crate::remedy::Audience;
use crate::render::{count, more_text, shown};
use crate::terminal::output::{DIM, KIND, LINE, NAME, PATH};

/// Columns of a path beyond which handlers are not aligned.
const MAX_WIDTH: usize = 48;

pub fn text(request: &EndpointsRequest, answer: &EndpointsAnswer, audience: Audience) -> String {
    let mut out = String::new();
    match (&answer.endpoints, &answer.changes) {
        (_, Some(_)) => changes_text(&mut out, answer),
        (Some(endpoints), None) => {
            summary(&mut out, answer);
            list(&mut out, endpoints);
            computed_text(&mut out, answer);
        }
        (None, None) => {}
    }
    let shown = answer.endpoints.as_ref().map_or(0, Vec::len) + answer.changes.as_ref().map_or(0, Vec::len);
    let more = request.page().behind(answer.totals.found, shown);
    if more > 0 {
        out.push_str(&more_text(more, audience));
    }
    out
}

fn summary(out: &mut String, answer: &EndpointsAnswer) {
    let totals = &answer.totals;
    let has_some = answer.frameworks.iter().any(|one| one.endpoints > 0);
    let frameworks: Vec<String> = answer
        .frameworks
        .iter()
        .filter(|one| one.endpoints > 0 || !has_some)
        .map(|one| format!("{} {}", one.display_name, one.endpoints))
        .collect();
    let found = if totals.found == totals.all {
        count(totals.all, "endpoint")
    } else {
        format!("{} of {}", totals.found, count(totals.all, "endpoint"))
    };
    let _ = if frameworks.is_empty() {
        writeln!(out, "no web framework that is known is imported")
    } else {
        writeln!(out, "{NAME}{found}{NAME:#} {DIM}({}){DIM:#}", frameworks.join(", "))
    };
    if totals.unknown_parts > 0 {
        let _ = writeln!(out, "{DIM}{} with unknown parts, shown as …{DIM:#}", totals.unknown_parts);
    }
}

/// Lists endpoints below the files that declare them.
fn list(out: &mut String, endpoints: &[EndpointView]) {
    for group in endpoints.chunk_by(|a, b| a.declared.path == b.declared.path) {
        let Some(first) = group.first() else { continue };
        let role = first.role.map(|role| format!("  {KIND}{role}{KIND:#}")).unwrap_or_default();
        let _ = writeln!(out, "{PATH}{}{PATH:#}{role}", shown(&first.declared.path));
        let width = group.iter().map(|one| one.path.chars().count()).filter(|width| *width <= MAX_WIDTH).max();
        let methods = group.iter().map(|one| one.method.len()).max().unwrap_or(0);
        for endpoint in group {
            line(out, endpoint, methods, width.unwrap_or(0));
        }
    }
}

fn line(out: &mut String, endpoint: &EndpointView, methods: usize, width: usize) {
    let EndpointView { method, path, declared, .. } = endpoint;
    let doubt = if endpoint.confidence == "likely" { format!("  {DIM}likely{DIM:#}") } else { String::new() };
    let number = declared.line;
    let path = shown(path);
    let handler = handler_text(endpoint);
    let _ = if handler.is_empty() && doubt.is_empty() {
        writeln!(out, "  {LINE}{number:>4}{LINE:#}  {KIND}{method:<methods$}{KIND:#}  {NAME}{path}{NAME:#}")
    } else {
        writeln!(
            out,
            "  {LINE}{number:>4}{LINE:#}  {KIND}{method:<methods$}{KIND:#}  {NAME}{path:<width$}{NAME:#}  {handler}{doubt}"
        )
    };
}

/// Returns the handler; of the declaring file, its line alone.
fn handler_text(endpoint: &EndpointView) -> String {
    let Some(handler) = &endpoint.handler else { return String::new() };
    let place = match (&handler.path, handler.line) {
        (Some(path), Some(line)) if *path == endpoint.declared.path && line == endpoint.declared.line => String::new(),
        (Some(path), Some(line)) if *path == endpoint.declared.path => format!(" :{line}"),
        (Some(path), Some(line)) => format!(" {}:{line}", shown(path)),
        _ => String::new(),
    };
    format!("{}{DIM}{place}{DIM:#}", shown(&handler.name))
}

fn computed_text(out: &mut String, answer: &EndpointsAnswer) {
    let total = answer.totals.computed;
    if total == 0 {
        return;
    }
    let places: Vec<String> =
        answer.computed.iter().take(8).map(|place| format!("{}:{}", shown(&place.path), place.line)).collect();
    let more = if total > places.len() { ", …" } else { "" };
    let what = count(total, "route");
    let _ = writeln!(out, "{DIM}left out, since the path is computed: {what} ({}{more}){DIM:#}", places.join(", "));
}

fn changes_text(out: &mut String, answer: &EndpointsAnswer) {
    let changes = answer.changes.as_deref().unwrap_or(&[]);
    let base = answer.base.as_deref().unwrap_or("");
    let number = |word: &str| changes.iter().filter(|change| change.change == word).count();
    let _ = writeln!(
        out,
        "{NAME}{}{NAME:#} {DIM}since {}{DIM:#}: {} added, {} removed, {} changed",
        count(answer.totals.found, "endpoint"),
        shown(base),
        number("added"),
        number("removed"),
        number("changed")
    );
    for change in changes {
        let Some(endpoint) = change.after.as_ref().or(change.before.as_ref()) else { continue };
        let sign = match change.change {
            "added" => '+',
            "removed" => '-',
            _ => '~',
        };
        let place = format!("{}:{}", shown(&endpoint.declared.path), endpoint.declared.line);
        let handler = handler_text(endpoint);
        let was = match (&change.before, change.change) {
            (Some(before), "changed") => format!("  {DIM}was{DIM:#} {}", handler_text(before)),
            _ => String::new(),
        };
        let (method, path) = (&endpoint.method, shown(&endpoint.path));
        let _ =
            writeln!(out, "{sign} {KIND}{method}{KIND:#} {NAME}{path}{NAME:#}  {PATH}{place}{PATH:#}  {handler}{was}");
    }
}
