//! Parts that several pages have: places, kinds, confidence, lists that go on, empty states.

use codecompass_app::api::navigate::graph::NodeView;
use codecompass_engine::query::{Hit, UseClass};

use super::asker::Asker;
use super::html::Html;
use super::links::Subject;

/// Writes a heading with a number beside it.
pub(super) fn section_head(html: &mut Html, id: &str, title: &str, number: Option<usize>) {
    html.element("h2", &[("id", id)], |html| {
        html.text(title);
        if let Some(number) = number {
            html.markup(" <span class=\"count\">").number(number as u64).markup("</span>");
        }
    });
}

/// Writes a link to a line, shown as `path:line`.
pub(super) fn place(html: &mut Html, subject: &Subject, path: &str, line: u32) {
    html.element("a", &[("class", "place"), ("href", &subject.line(path, line))], |html| {
        html.text(path).markup("<span class=\"dim\">:").number(line).markup("</span>");
    });
}

/// Writes the word for a kind.
pub(super) fn kind(html: &mut Html, kind: &str) {
    html.leaf("span", &[("class", "kind")], kind);
}

/// Writes a link to the page of the symbol that a hit is.
pub(super) fn hit_name(html: &mut Html, subject: &Subject, hit: &Hit) {
    let address = match hit.symbol_id {
        Some(_) => subject.symbol(&hit.path, hit.name_line),
        None => subject.line(&hit.path, hit.line_start),
    };
    html.leaf("a", &[("class", "name"), ("href", &address)], &hit.local_name);
}

/// Writes a symbol on one line: kind, name, place.
pub(super) fn hit_line(html: &mut Html, subject: &Subject, hit: &Hit) {
    kind(html, hit.kind.as_str());
    html.markup(" ");
    hit_name(html, subject, hit);
    html.markup(" ");
    place(html, subject, &hit.path, hit.name_line);
}

/// Writes a node of a graph on one line.
pub(super) fn node_line(html: &mut Html, subject: &Subject, node: &NodeView) {
    kind(html, node.kind.as_str());
    html.markup(" ");
    html.leaf("a", &[("class", "name"), ("href", &subject.symbol(&node.path, node.line))], node.full_name());
    html.markup(" ");
    place(html, subject, &node.path, node.line);
    if node.is_test {
        html.markup(" <span class=\"badge\">test</span>");
    }
}

/// Writes a badge for what is not `static`.
pub(super) fn class_badge(html: &mut Html, class: UseClass) {
    match class {
        UseClass::Static => {}
        UseClass::Likely => _ = html.markup(" <span class=\"badge likely\">likely</span>"),
        UseClass::Possible => _ = html.markup(" <span class=\"badge possible\">possible</span>"),
    }
}

/// Returns a ref as it is shown: a commit, which a detached HEAD is, in short.
pub(super) fn ref_name(reference: &str) -> &str {
    let is_commit = reference.len() == 40 && reference.bytes().all(|byte| byte.is_ascii_hexdigit());
    if is_commit { &reference[..12] } else { reference }
}

/// Writes what stands in the place of a list without items: what there is not, and what to do.
pub(super) fn empty(html: &mut Html, what: &str, advice: &str) {
    html.element("div", &[("class", "empty")], |html| {
        html.leaf("p", &[], what);
        html.leaf("p", &[("class", "advice")], advice);
    });
}

/// Writes what stands in the place of slow parts of a page: a link to the page with them, which a
/// script follows by itself.
pub(super) fn later(html: &mut Html, what: &str, address: &str) {
    html.element("p", &[("class", "note"), ("role", "status")], |html| {
        html.text(what).markup(" ");
        html.leaf("a", &[("href", address), ("data-later", "yes")], "Show them");
    });
}

/// A list of which a page shows a part.
pub(super) struct Pager<'a> {
    /// The name of the page, as in its address.
    pub page: &'a str,
    /// The arguments of the page besides the offset.
    pub arguments: &'a [(&'a str, &'a str)],
    /// The argument that is the offset.
    pub offset_name: &'a str,
    pub offset: usize,
    pub shown: usize,
    pub total: usize,
    pub step: usize,
}

/// Writes links to the parts before and behind.
pub(super) fn pager(html: &mut Html, asker: &Asker<'_>, pager: &Pager<'_>) {
    let Pager { offset, shown, total, step, .. } = *pager;
    if offset == 0 && shown >= total {
        return;
    }
    let address = |offset: usize| {
        let offset = if offset == 0 { String::new() } else { offset.to_string() };
        let mut arguments = pager.arguments.to_vec();
        arguments.push((pager.offset_name, &offset));
        asker.subject().page(pager.page, &arguments)
    };
    html.element("nav", &[("class", "pager"), ("aria-label", "Parts of the list")], |html| {
        if offset > 0 {
            html.leaf("a", &[("rel", "prev"), ("href", &address(offset.saturating_sub(step)))], "Previous");
        }
        let range = format!("{}–{} of {total}", (offset + 1).min(total), offset + shown);
        html.leaf("span", &[], &range);
        if offset + shown < total {
            html.leaf("a", &[("rel", "next"), ("href", &address(offset + shown))], "Next");
        }
    });
}

/// Writes short facts, such as `3 callers`, as links where they have an address.
pub(super) fn chips(html: &mut Html, facts: &[(String, &str)]) {
    html.element("ul", &[("class", "chips")], |html| {
        for (fact, address) in facts {
            html.element("li", &[], |html| {
                if address.is_empty() { _ = html.text(fact) } else { _ = html.link(address, fact) }
            });
        }
    });
}
