//! Rust: items in the arguments of a macro. `cfg_rt! { mod x; pub fn f() {} }` declares `x` and `f`
//! where it stands, and so do the branches of `cfg_if! { if #[cfg(unix)] { … } else { … } }`. The
//! grammar leaves both as rows of words.

use std::ops::Range;

use tree_sitter::{Node, Tree};

use super::Embedded;

/// Nodes that declare something outside of functions, and what may stand between them.
const ITEMS: [&str; 16] = [
    "associated_type",
    "const_item",
    "enum_item",
    "extern_crate_declaration",
    "foreign_mod_item",
    "function_item",
    "function_signature_item",
    "impl_item",
    "macro_definition",
    "mod_item",
    "static_item",
    "struct_item",
    "trait_item",
    "type_item",
    "union_item",
    "use_declaration",
];
const BETWEEN_ITEMS: [&str; 6] =
    ["attribute_item", "block_comment", "empty_statement", "inner_attribute_item", "line_comment", "macro_invocation"];

/// Finds the calls of macros with braces that stand where items do.
pub(crate) fn macro_items(tree: &Tree, text: &str) -> Vec<Embedded> {
    let mut found = Vec::new();
    let mut lists = vec![tree.root_node()];
    while let Some(list) = lists.pop() {
        let mut cursor = list.walk();
        for child in list.named_children(&mut cursor) {
            match child.kind() {
                "macro_invocation" => found.extend(embedded(child, text)),
                "mod_item" | "impl_item" | "trait_item" => lists.extend(child.child_by_field_name("body")),
                _ => {}
            }
        }
    }
    found
}

/// Returns whether a part of a file holds items and nothing else.
pub(crate) fn are_items(root: Node<'_>) -> bool {
    let mut cursor = root.walk();
    let kinds: Vec<&str> = root.children(&mut cursor).map(|child| child.kind()).collect();
    !root.has_error()
        && kinds.iter().any(|kind| ITEMS.contains(kind) || *kind == "macro_invocation")
        && kinds.iter().all(|kind| ITEMS.contains(kind) || BETWEEN_ITEMS.contains(kind))
}

fn embedded(call: Node<'_>, text: &str) -> Option<Embedded> {
    let mut cursor = call.walk();
    let arguments = call.children(&mut cursor).find(|child| child.kind() == "token_tree")?;
    let (open, close) = braces(arguments)?;
    let mut cursor = arguments.walk();
    let words: Vec<Node<'_>> = arguments.children(&mut cursor).collect();
    let inside = words.get(1..words.len().saturating_sub(1)).filter(|inside| !inside.is_empty())?;
    let name = call.child_by_field_name("macro")?;
    let mut shown = vec![(close.byte_range(), " ".to_string())];
    shown.push(opening(name.byte_range(), open.end_byte(), text));
    let code = match inside[0].kind() {
        "if" => branches(inside, text, &mut shown)?,
        _ => vec![between(open, close)],
    };
    Some(Embedded { code, shown })
}

/// Shows the head of a call as a call without arguments, which keeps its name in use, if there is
/// room for it.
fn opening(name: Range<usize>, mut end: usize, text: &str) -> (Range<usize>, String) {
    const EMPTY: &str = "!{}";
    if end - name.end < EMPTY.len() && text[end..].starts_with(' ') {
        end += 1;
    }
    let room = &text[name.end..end];
    match room.len().checked_sub(EMPTY.len()).filter(|_| !room.contains('\n')) {
        Some(rest) => (name.end..end, format!("{EMPTY}{}", " ".repeat(rest))),
        None => (name.start..end, blank(&text[name.start..end])),
    }
}

/// Returns the code of `if #[cfg(a)] { … } else if #[cfg(b)] { … } else { … }`, and blanks the
/// rest.
fn branches(
    words: &[Node<'_>],
    text: &str,
    shown: &mut Vec<(Range<usize>, String)>,
) -> Option<Vec<tree_sitter::Range>> {
    let mut code = Vec::new();
    let mut head = None;
    for word in words {
        let start: usize = *head.get_or_insert(word.start_byte());
        match (word.kind(), braces(*word)) {
            ("token_tree", Some((open, close))) => {
                shown.push((start..open.end_byte(), blank(&text[start..open.end_byte()])));
                shown.push((close.byte_range(), " ".to_string()));
                code.push(between(open, close));
                head = None;
            }
            ("token_tree" | "if" | "#" | "line_comment" | "block_comment", _) => {}
            ("identifier", _) if &text[word.byte_range()] == "else" => {}
            _ => return None,
        }
    }
    head.is_none().then_some(code)
}

fn blank(text: &str) -> String {
    text.bytes().map(|byte| if matches!(byte, b'\n' | b'\r') { char::from(byte) } else { ' ' }).collect()
}

fn braces(tokens: Node<'_>) -> Option<(Node<'_>, Node<'_>)> {
    let last = tokens.child_count().checked_sub(1)?;
    let (open, close) = (tokens.child(0)?, tokens.child(last)?);
    (open.kind() == "{" && close.kind() == "}").then_some((open, close))
}

fn between(open: Node<'_>, close: Node<'_>) -> tree_sitter::Range {
    tree_sitter::Range {
        start_byte: open.end_byte(),
        end_byte: close.start_byte(),
        start_point: open.end_position(),
        end_point: close.start_position(),
    }
}
