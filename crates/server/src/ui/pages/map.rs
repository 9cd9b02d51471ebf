//! The modules of a folder: what stands directly below it, and who imports whom.

use std::collections::BTreeMap;

use codecompass_app::api::relations::deps::DepsRequest;
use codecompass_app::api::relations::folder_map::{FolderEdgeView, FolderMapView, FolderNodeView};
use codecompass_app::error::AppError;
use codecompass_app::units::count;
use serde_json::json;

use super::folder::crumbs;
use crate::ui::asker::{Asker, PageContent, Reply, notes};
use crate::ui::graph::{self, GraphBox, GraphLine, MARGIN, ROW};
use crate::ui::html::Html;
use crate::ui::links::{AddressTarget, Subject};
use crate::ui::parts::{self, section_head};

/// Boxes that are drawn.
const MOST_BOXES: usize = 60;
/// Rows of the table.
const MOST_ROWS: usize = 300;
/// Columns of boxes.
const MOST_COLUMNS: usize = 6;

pub(super) fn page(asker: &Asker<'_>, _: &AddressTarget) -> Result<Reply, AppError> {
    let path = asker.argument("path");
    let answer = asker.ask::<DepsRequest>(json!({"folders": true, "path": path}))?;
    let subject = asker.subject();
    let mut html = Html::new();
    if path.is_empty() {
        _ = html.leaf("h1", &[], "Modules");
    } else {
        crumbs(&mut html, subject, path);
        let above = path.rsplit_once('/').map_or("", |(above, _)| above);
        let above = subject.page("map", &[("path", above)]);
        html.element("p", &[], |html| _ = html.link(&above, "Modules of the folder above"));
    }
    notes(&mut html, &answer.metadata);
    let Some(map) = &answer.folder_map else { return Ok(PageContent::new("map", "Modules", html).into()) };
    if map.edges.is_empty() {
        parts::empty(&mut html, "Nothing here imports anything else here.", "Open a folder below to look inside.");
    } else {
        drawing(&mut html, subject, map);
        table(&mut html, subject, map);
    }
    alone(&mut html, subject, map);
    Ok(PageContent { is_wide: true, ..PageContent::new("map", "Modules", html) }.into())
}

/// Returns the entries with imports between them, those with most first.
fn tied(map: &FolderMapView) -> Vec<&FolderNodeView> {
    let mut weights: BTreeMap<&str, usize> = BTreeMap::new();
    for edge in &map.edges {
        *weights.entry(&edge.from).or_default() += edge.files;
        *weights.entry(&edge.to).or_default() += edge.files;
    }
    let mut nodes: Vec<&FolderNodeView> =
        map.nodes.iter().filter(|node| weights.contains_key(node.path.as_str())).collect();
    nodes.sort_by_key(|node| (std::cmp::Reverse(weights[node.path.as_str()]), &node.path));
    nodes
}

fn drawing(html: &mut Html, subject: &Subject, map: &FolderMapView) {
    let mut nodes = tied(map);
    let left_out = nodes.len().saturating_sub(MOST_BOXES);
    nodes.truncate(MOST_BOXES);
    nodes.sort_by_key(|node| &node.path);
    let at: BTreeMap<&str, usize> = nodes.iter().enumerate().map(|(at, node)| (node.path.as_str(), at)).collect();
    let ends = |edge: &&FolderEdgeView| Some((*at.get(edge.from.as_str())?, *at.get(edge.to.as_str())?));
    let edges: Vec<(&FolderEdgeView, (usize, usize))> =
        map.edges.iter().filter_map(|edge| Some((edge, ends(&edge)?))).collect();
    // The imports of most files decide about the order.
    let mut by_weight: Vec<&(&FolderEdgeView, (usize, usize))> = edges.iter().collect();
    by_weight.sort_by_key(|(edge, ends)| (std::cmp::Reverse(edge.files), *ends));
    let columns = columns(nodes.len(), by_weight.into_iter().map(|(_, ends)| *ends));
    let mut filled = [0_usize; MOST_COLUMNS];
    let boxes: Vec<GraphBox> = nodes
        .iter()
        .zip(&columns)
        .map(|(node, column)| {
            let y = MARGIN + filled[*column] * ROW;
            filled[*column] += 1;
            node_box(subject, node, *column, y)
        })
        .collect();
    let line = |(edge, (from, to)): &(&FolderEdgeView, (usize, usize))| GraphLine {
        from: *from,
        to: *to,
        class: if edge.is_circular && columns[*to] <= columns[*from] { "circular" } else { "static" },
        title: format!("{} → {}: {}", edge.from, edge.to, count(edge.files, "file")),
    };
    let lines: Vec<GraphLine> = edges.iter().map(line).collect();
    let attributes = [("class", "drawing"), ("tabindex", "0"), ("role", "region"), ("aria-label", "Module map")];
    html.element("div", &attributes, |html| graph::draw(html, "Modules and their imports", "map", &boxes, &lines));
    html.markup("<p class=\"legend dim\">Lines lead from what imports to what is imported. ");
    html.markup("<span class=\"line circular\"></span> leads back: a circle</p>");
    if left_out > 0 {
        html.leaf("p", &[("class", "dim")], &format!("{left_out} more with fewer imports are in the table only."));
    }
}

fn node_box(subject: &Subject, node: &FolderNodeView, column: usize, y: usize) -> GraphBox {
    let name = node.path.rsplit('/').next().unwrap_or(&node.path);
    GraphBox {
        title: if node.is_folder { format!("{name}/") } else { name.to_string() },
        note: if node.is_folder { count(node.files, "file") } else { "file".into() },
        address: address(subject, node),
        place: String::new(),
        class: if node.is_folder { "node folder" } else { "node" },
        column,
        y,
    }
}

fn address(subject: &Subject, node: &FolderNodeView) -> String {
    if node.is_folder { subject.page("map", &[("path", &node.path)]) } else { subject.path(&node.path) }
}

/// Returns a column for each node: behind all that import it, as far as there are columns. Of edges
/// that make a circle, the first ones count.
fn columns(count: usize, edges: impl Iterator<Item = (usize, usize)>) -> Vec<usize> {
    let mut kept: Vec<(usize, usize)> = Vec::new();
    for (from, to) in edges {
        if !reaches(&kept, count, to, from) {
            kept.push((from, to));
        }
    }
    let mut columns = vec![0; count];
    for _ in 0..MOST_COLUMNS {
        for (from, to) in &kept {
            columns[*to] = columns[*to].max((columns[*from] + 1).min(MOST_COLUMNS - 1));
        }
    }
    columns
}

/// Returns whether edges lead from one node to another.
fn reaches(edges: &[(usize, usize)], count: usize, start: usize, end: usize) -> bool {
    let mut seen = vec![false; count];
    let mut waiting = vec![start];
    while let Some(node) = waiting.pop() {
        if node == end {
            return true;
        }
        if !std::mem::replace(&mut seen[node], true) {
            waiting.extend(edges.iter().filter(|(from, _)| *from == node).map(|(_, to)| *to));
        }
    }
    false
}

fn table(html: &mut Html, subject: &Subject, map: &FolderMapView) {
    section_head(html, "imports", "Imports", Some(map.edges.len()));
    let attributes = [("class", "scroll"), ("tabindex", "0"), ("role", "region"), ("aria-label", "Imports")];
    html.element("div", &attributes, |html| {
        html.markup("<table><thead><tr><th scope=\"col\">From</th><th scope=\"col\">To</th>");
        html.markup(
            "<th scope=\"col\" class=\"num\">Files</th><th scope=\"col\">First import</th></tr></thead><tbody>",
        );
        for edge in map.edges.iter().take(MOST_ROWS) {
            html.element("tr", &[], |html| {
                html.leaf("td", &[], &edge.from);
                html.element("td", &[], |html| {
                    html.text(&edge.to);
                    if edge.is_circular {
                        html.markup(" <span class=\"badge possible\">circle</span>");
                    }
                });
                html.element("td", &[("class", "num")], |html| _ = html.number(edge.files as u64));
                html.element("td", &[], |html| parts::place(html, subject, &edge.first.path, edge.first.line));
            });
        }
        html.markup("</tbody></table>");
    });
    if map.edges.len() > MOST_ROWS {
        html.leaf("p", &[("class", "dim")], &format!("The first {MOST_ROWS} are shown."));
    }
}

/// Writes the entries that neither import others nor are imported.
fn alone(html: &mut Html, subject: &Subject, map: &FolderMapView) {
    let tied: Vec<&str> = tied(map).iter().map(|node| node.path.as_str()).collect();
    let alone: Vec<&FolderNodeView> = map.nodes.iter().filter(|node| !tied.contains(&node.path.as_str())).collect();
    if alone.is_empty() {
        return;
    }
    section_head(html, "alone", "Without imports of each other", Some(alone.len()));
    html.element("ul", &[("class", "inline")], |html| {
        for node in alone.iter().take(MOST_ROWS) {
            html.element("li", &[], |html| {
                _ = html.leaf("a", &[("class", "place"), ("href", &address(subject, node))], &node.path)
            });
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn importers_stand_before_what_they_import() {
        assert_eq!(columns(4, [(0, 1), (1, 2), (0, 2)].into_iter()), [0, 1, 2, 0]);
        let chain = (0..20).map(|at| (at, at + 1));
        assert_eq!(columns(21, chain).into_iter().max(), Some(MOST_COLUMNS - 1));
        // The second edge of the circle does not count.
        assert_eq!(columns(2, [(1, 0), (0, 1)].into_iter()), [1, 0]);
    }
}
