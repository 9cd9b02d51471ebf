//! Views of syntax trees for people who write queries and for benchmarks.

use std::time::{Duration, Instant};

use tree_sitter::Tree;

use super::{Grammar, trees};

const LIMIT: Duration = Duration::from_secs(60);

/// Shows the tree of `text`, one node per line with its field and, for leaves, its text.
pub(crate) fn syntax_tree(text: &str, grammar: &Grammar) -> String {
    let deadline = Instant::now() + LIMIT;
    let trees = grammar.parse(text, deadline).map(|parsed| parsed.trees);
    trees.unwrap_or_default().iter().map(|tree| tree_lines(text, tree)).collect()
}

fn tree_lines(text: &str, tree: &Tree) -> String {
    let mut lines = String::new();
    let mut cursor = tree.walk();
    loop {
        let node = cursor.node();
        let indent = "  ".repeat(cursor.depth() as usize);
        let field = cursor.field_name().map(|field| format!("{field}: ")).unwrap_or_default();
        let kind = if node.is_named() { format!("({})", node.kind()) } else { format!("{:?}", node.kind()) };
        let leaf = if node.child_count() == 0 && node.is_named() { &text[node.byte_range()] } else { "" };
        let missing = if node.is_missing() { " MISSING" } else { "" };
        let line = node.start_position().row + 1;
        lines.push_str(&format!("{line:>4} {indent}{field}{kind}{missing} {}\n", leaf.escape_debug()));
        if cursor.goto_first_child() || cursor.goto_next_sibling() {
            continue;
        }
        while cursor.goto_parent() {
            if cursor.goto_next_sibling() {
                break;
            }
        }
        if cursor.depth() == 0 {
            return lines;
        }
    }
}

/// Lists the lines of `text` that lie inside a string or comment of several lines, sorted.
pub(crate) fn quoted_lines(text: &str, grammar: &Grammar) -> Vec<u32> {
    let Some(tree) = trees::whole(text, grammar, Instant::now() + LIMIT) else { return Vec::new() };
    let mut lines = Vec::new();
    let mut cursor = tree.walk();
    loop {
        let node = cursor.node();
        let (first, last) = (node.start_position().row as u32 + 1, node.end_position().row as u32 + 1);
        let is_text = ["string", "heredoc", "comment", "sigil", "template", "quoted", "raw_text"];
        let quotes = last > first && node.is_named() && is_text.iter().any(|word| node.kind().contains(word));
        if quotes {
            lines.extend(first + 1..=last);
        }
        if (last > first && !quotes && cursor.goto_first_child()) || cursor.goto_next_sibling() {
            continue;
        }
        loop {
            if !cursor.goto_parent() {
                lines.sort_unstable();
                lines.dedup();
                return lines;
            }
            if cursor.goto_next_sibling() {
                break;
            }
        }
    }
}

/// Builds and drops a tree; for benchmarks.
pub(crate) fn build_tree(text: &str, grammar: &Grammar) {
    drop(trees::whole(text, grammar, Instant::now() + LIMIT));
}
