//! The rules `module-edges`, `module-circles`, `sibling-circles` and `file-circles`: which module
//! may use which, and no two each other.

use std::collections::BTreeSet;

use crate::check::Violation;
use crate::check::graph::circles;
use crate::check::rules_file::{EDGES, EdgeTable, RulesFile};
use crate::check::source::modules::Edges;
use crate::check::source::{Crate, Workspace};

/// Finds edges between top-level modules that the table does not allow.
pub(crate) fn new_edges(workspace: &Workspace, rules: &RulesFile) -> Vec<Violation> {
    let mut found = Vec::new();
    for krate in &workspace.crates {
        let allowed = rules.edges.0.get(&krate.name);
        for ((from, to), edge) in krate.modules.top_level_edges(&krate.files) {
            if allowed.and_then(|modules| modules.get(&from)).is_some_and(|used| used.contains(&to)) {
                continue;
            }
            found.push(Violation::new(
                &krate.name,
                &edge.file,
                edge.line,
                format!(
                    "`{from}` must not use `{to}`, but names `{}`: move it to a module below both, pass it in, or allow \
                     the edge in {EDGES}",
                    edge.written
                ),
            ));
        }
    }
    found
}

/// Returns entries of the table that no code needs any more.
pub(crate) fn stale_edges(workspace: &Workspace, rules: &RulesFile) -> Vec<String> {
    let present = present_edges(workspace);
    let mut stale = Vec::new();
    for (name, modules) in &rules.edges.0 {
        for (from, used) in modules {
            let still = present.0.get(name).and_then(|modules| modules.get(from));
            for to in used.iter().filter(|to| !still.is_some_and(|still| still.contains(*to))) {
                stale.push(format!("{name}: {from} -> {to}"));
            }
        }
    }
    stale
}

/// Returns the table that allows exactly what the code does now.
pub(crate) fn present_edges(workspace: &Workspace) -> EdgeTable {
    let mut table = EdgeTable::default();
    for krate in &workspace.crates {
        let modules = table.0.entry(krate.name.clone()).or_default();
        for (from, to) in krate.modules.top_level_edges(&krate.files).into_keys() {
            modules.entry(from).or_insert_with(BTreeSet::new).insert(to);
        }
    }
    table
}

/// Finds the edges that make circles of top-level modules.
pub(crate) fn module_circles(workspace: &Workspace, _: &RulesFile) -> Vec<Violation> {
    let mut found = Vec::new();
    for krate in &workspace.crates {
        let edges = krate.modules.top_level_edges(&krate.files);
        for circle in circles_of(&edges) {
            for ((from, to), edge) in within(&edges, &circle) {
                let message = format!(
                    "`{from}` uses `{to}` by `{}`, in a circle of {}: one of these edges must go",
                    edge.written,
                    listed(&circle)
                );
                found.push(Violation::new(&krate.name, &edge.file, edge.line, message));
            }
        }
    }
    found
}

/// Finds the edges that make circles of modules in one folder, at any depth.
pub(crate) fn sibling_circles(workspace: &Workspace, _: &RulesFile) -> Vec<Violation> {
    let mut found = Vec::new();
    for krate in &workspace.crates {
        let edges = krate.modules.sibling_edges(&krate.files);
        for circle in circles_of(&edges) {
            for ((from, to), edge) in within(&edges, &circle) {
                let message = format!(
                    "`{from}` uses `{to}` by `{}`, in a circle of {}: move what both need to a module below both",
                    edge.written,
                    listed(&circle)
                );
                found.push(Violation::new(&krate.name, &edge.file, edge.line, message));
            }
        }
    }
    found
}

/// Finds the edges between folders that make circles of files.
pub(crate) fn file_circles(workspace: &Workspace, _: &RulesFile) -> Vec<Violation> {
    let mut found = Vec::new();
    for krate in &workspace.crates {
        let edges = krate.modules.file_edges(&krate.files);
        for circle in circles_between_folders(krate, &edges) {
            for ((from, to), edge) in within(&edges, &circle) {
                if folder(krate, from) != folder(krate, to) {
                    let message = format!(
                        "uses {to} by `{}`, in a circle of {} files across folders: move what both need to a file of \
                         its own",
                        edge.written,
                        circle.len()
                    );
                    found.push(Violation::new(&krate.name, &edge.file, edge.line, message));
                }
            }
        }
    }
    found
}

/// Returns circles of top-level modules.
pub(crate) fn circles_of(edges: &Edges) -> Vec<BTreeSet<&str>> {
    circles(edges.keys().map(|(from, to)| (from.as_str(), to.as_str())))
}

/// Returns circles of files that are not all in one folder.
pub(crate) fn circles_between_folders<'a>(krate: &Crate, edges: &'a Edges) -> Vec<BTreeSet<&'a str>> {
    let mut circles = circles_of(edges);
    circles.retain(|circle| {
        let folders: BTreeSet<&str> = circle.iter().map(|file| folder(krate, file)).collect();
        folders.len() > 1
    });
    circles
}

/// The folder that a file belongs to; `a.rs` with a folder `a` beside it belongs there, like
/// `a/mod.rs`.
fn folder<'a>(krate: &Crate, file: &'a str) -> &'a str {
    let own = file.trim_end_matches(".rs");
    let holds_files = |file: &str| file.strip_prefix(own).is_some_and(|rest| rest.starts_with('/'));
    if krate.files.iter().any(|file| holds_files(&file.path)) {
        own
    } else {
        file.rsplit_once('/').map_or("", |(folder, _)| folder)
    }
}

fn within<'a>(
    edges: &'a Edges,
    circle: &BTreeSet<&str>,
) -> impl Iterator<Item = (&'a (String, String), &'a crate::check::source::modules::Edge)> {
    edges.iter().filter(|((from, to), _)| circle.contains(from.as_str()) && circle.contains(to.as_str()))
}

fn listed(circle: &BTreeSet<&str>) -> String {
    circle.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::source::testing::sample;

    fn circular() -> Workspace {
        sample(&[
            ("lib.rs", "mod a;\nmod b;\nmod c;\n"),
            ("a.rs", "pub struct A;\nuse crate::b::leaf::B;\n"),
            ("b/mod.rs", "pub mod leaf;\n"),
            ("b/leaf.rs", "pub struct B;\n\nuse crate::a::A;\n"),
            ("c.rs", "use crate::a::A;\n"),
        ])
    }

    fn places(violations: &[Violation]) -> Vec<String> {
        violations.iter().map(|found| format!("{}:{}", found.path, found.line)).collect()
    }

    #[test]
    fn an_edge_that_is_not_in_the_table_is_found() {
        let mut rules = RulesFile { edges: present_edges(&circular()), ..RulesFile::default() };
        assert!(new_edges(&circular(), &rules).is_empty() && stale_edges(&circular(), &rules).is_empty());
        let modules = rules.edges.0.get_mut("sample").unwrap();
        modules.remove("c");
        modules.get_mut("a").unwrap().insert("c".to_string());
        let found = new_edges(&circular(), &rules);
        assert_eq!(places(&found), ["crates/sample/src/c.rs:1"]);
        assert!(found[0].message.contains("`c` must not use `a`, but names `crate::a::A`"), "{}", found[0].message);
        assert_eq!(stale_edges(&circular(), &rules), ["sample: a -> c"]);
    }

    #[test]
    fn circles_of_modules_and_of_files_are_found() {
        let expected = ["crates/sample/src/a.rs:2", "crates/sample/src/b/leaf.rs:3"];
        assert_eq!(places(&module_circles(&circular(), &RulesFile::default())), expected);
        assert_eq!(places(&file_circles(&circular(), &RulesFile::default())), expected);
    }

    #[test]
    fn circles_of_siblings_are_found_at_any_depth() {
        let workspace = sample(&[
            ("lib.rs", "mod a;\n"),
            ("a/mod.rs", "mod one;\nmod two;\npub struct Own;\nuse one::leaf::One;\nfn f(_: One) {}\n"),
            ("a/one/mod.rs", "pub mod leaf;\n"),
            ("a/one/leaf.rs", "pub struct One;\nuse crate::a::two::two::Two;\nuse crate::a::Own;\n"),
            ("a/two/mod.rs", "pub mod two;\nmod last;\n"),
            ("a/two/two.rs", "pub struct Two;\n"),
            ("a/two/last.rs", "use crate::a::one::leaf::One;\n"),
        ]);
        let found = sibling_circles(&workspace, &RulesFile::default());
        assert_eq!(places(&found), ["crates/sample/src/a/one/leaf.rs:2", "crates/sample/src/a/two/last.rs:1"]);
        assert!(found[0].message.starts_with("`a::one` uses `a::two` by"), "{}", found[0].message);
        assert!(module_circles(&workspace, &RulesFile::default()).is_empty());
    }
}
