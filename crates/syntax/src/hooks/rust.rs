//! Rust: `use` trees.

use crate::facts::Import;
use crate::tree::Node;

/// Flattens a Rust `use` tree (`use a::{b, c as d, e::*}`) into one import per leaf.
pub(crate) fn use_tree(tree: Node<'_>, text: &str) -> Vec<Import> {
    let mut imports = Vec::new();
    // An explicit stack: a hostile file can nest braces far deeper than a thread's stack.
    let mut pending = vec![(tree, String::new())];
    while let Some((node, prefix)) = pending.pop() {
        let part = |field: &str| node.child_by_field_name(field).map(|child| &text[child.byte_range()]);
        match node.kind() {
            "use_list" => {
                let leaves: Vec<_> = node.named_children().collect();
                pending.extend(leaves.into_iter().rev().map(|leaf| (leaf, prefix.clone())));
            }
            "scoped_use_list" => {
                if let Some(list) = node.child_by_field_name("list") {
                    pending.push((list, join(&prefix, part("path").unwrap_or(""))));
                }
            }
            "use_as_clause" => {
                let mut import = leaf(&prefix, part("path").unwrap_or(""));
                import.alias = part("alias").map(str::to_string);
                imports.push(import);
            }
            "use_wildcard" => {
                let path = node.named_child(0).map_or("", |child| &text[child.byte_range()]);
                imports.push(Import { module: join(&prefix, path), name: Some("*".into()), ..Import::default() });
            }
            "identifier" | "scoped_identifier" | "self" | "crate" | "super" | "metavariable" => {
                imports.push(leaf(&prefix, &text[node.byte_range()]));
            }
            _ => {}
        }
    }
    imports
}

fn join(prefix: &str, path: &str) -> String {
    match (prefix.is_empty(), path.is_empty()) {
        (true, _) => path.to_string(),
        (_, true) => prefix.to_string(),
        _ => format!("{prefix}::{path}"),
    }
}

fn leaf(prefix: &str, path: &str) -> Import {
    // `use a::b::{self}` imports the module `a::b` itself.
    if path == "self" && !prefix.is_empty() {
        return leaf("", prefix);
    }
    let whole = join(prefix, path);
    match whole.rsplit_once("::") {
        Some((module, name)) => {
            Import { module: module.to_string(), name: Some(name.to_string()), ..Import::default() }
        }
        None => Import { module: whole, ..Import::default() },
    }
}
