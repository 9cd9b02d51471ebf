//! Rust: items in macros, which the grammar leaves as rows of words.
//!
//! In the arguments of a macro: `cfg_rt! { mod x; pub fn f() {} }` declares `x` and `f` where it
//! stands, and so do the branches of `cfg_if! { if #[cfg(unix)] { … } else { … } }`.
//!
//! In the definition of a macro: `macro_rules! traits { () => { trait T {} } }` is shown as
//! `mod traits { trait T {} }` if the bodies of all its rules are items whose names are written
//! out. `$x` is shown as a name, `$( … ),*` as what it repeats. The query tells it from a module by
//! the first word of its text.

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

/// Finds the calls of macros with braces that stand where items do, and definitions of macros.
pub(crate) fn macro_items(tree: &Tree, text: &str) -> Vec<Embedded> {
    let mut found = Vec::new();
    let mut lists = vec![tree.root_node()];
    while let Some(list) = lists.pop() {
        let mut cursor = list.walk();
        for child in list.named_children(&mut cursor) {
            match child.kind() {
                "macro_invocation" => found.extend(embedded(child, text)),
                "macro_definition" => found.extend(rules(child, text)),
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
    let nodes: Vec<Node<'_>> = root.children(&mut cursor).collect();
    let is_item = |node: &Node<'_>| ITEMS.contains(&node.kind()) || node.kind() == "macro_invocation";
    !root.has_error()
        && nodes.iter().any(is_item)
        && nodes.iter().all(|node| is_item(node) || BETWEEN_ITEMS.contains(&node.kind()) || is_macro_statement(*node))
}

/// Returns whether a statement is the call of a macro: `include!("items.rs");`.
fn is_macro_statement(node: Node<'_>) -> bool {
    let only = node.named_child(0).filter(|_| node.named_child_count() == 1);
    node.kind() == "expression_statement" && only.is_some_and(|only| only.kind() == "macro_invocation")
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
    let head = opening(name.byte_range(), open.end_byte(), text);
    let code = match inside[0].kind() {
        "if" => branches(inside, text, &mut shown)?,
        _ => {
            let mut code = between(open, close);
            // The head may take a space behind it.
            let taken = head.0.end.saturating_sub(code.start_byte);
            code.start_byte += taken;
            code.start_point.column += taken;
            vec![code]
        }
    };
    shown.push(head);
    Some(Embedded { code, shown })
}

/// The word that definitions of macros begin with, and what is shown for it.
const MACRO_WORD: (&str, &str) = ("macro_rules!", "mod         ");

/// Shows the definition of a macro as a module with the bodies of its rules.
fn rules(definition: Node<'_>, text: &str) -> Option<Embedded> {
    let word = definition.child(0).filter(|word| &text[word.byte_range()] == MACRO_WORD.0)?;
    let mut shown = vec![(word.byte_range(), MACRO_WORD.1.to_string())];
    let mut code = Vec::new();
    let mut cursor = definition.walk();
    for child in definition.children(&mut cursor).skip(1) {
        match child.kind() {
            "macro_rule" => {
                let body = child.child_by_field_name("right")?;
                let (open, close) = braces(body)?;
                shown.push((child.start_byte()..open.end_byte(), blank(&text[child.start_byte()..open.end_byte()])));
                shown.push((close.byte_range(), " ".to_string()));
                show_fragments(body, text, &mut shown);
                code.push(between(open, close));
            }
            ";" => shown.push((child.byte_range(), " ".to_string())),
            "(" | "[" => return None,
            _ => {}
        }
    }
    let bodies = || code.iter().map(|range| &text[range.start_byte..range.end_byte]);
    (bodies().any(declares_something) && !bodies().any(has_given_names)).then_some(Embedded { code, shown })
}

/// Words that stand before the name of an item.
const ITEM_WORDS: [&str; 9] = ["const", "enum", "fn", "mod", "static", "struct", "trait", "type", "union"];

/// Returns whether a body has words that items begin with.
fn declares_something(body: &str) -> bool {
    let mut words = body.split(|c: char| !c.is_alphanumeric() && c != '_');
    words.any(|word| word == "impl" || ITEM_WORDS.contains(&word))
}

/// Returns whether items of a body have names that the macro is given.
fn has_given_names(body: &str) -> bool {
    let mut before = "";
    body.split_whitespace().any(|word| {
        let is_given = word.starts_with('$') && ITEM_WORDS.contains(&before);
        before = word;
        is_given
    })
}

/// Shows `$x` as a name and `$( … ),*` as what is in it.
fn show_fragments(body: Node<'_>, text: &str, shown: &mut Vec<(Range<usize>, String)>) {
    let mut pending = vec![body];
    while let Some(node) = pending.pop() {
        match node.kind() {
            "metavariable" => shown.push((node.start_byte()..node.start_byte() + 1, "_".to_string())),
            "token_repetition" => {
                let mut cursor = node.walk();
                let inside: Vec<Node<'_>> = node.children(&mut cursor).collect();
                let open = inside.iter().find(|child| child.kind() == "(");
                let close = inside.iter().rfind(|child| child.kind() == ")");
                if let (Some(open), Some(close)) = (open, close) {
                    for range in [node.start_byte()..open.end_byte(), close.start_byte()..node.end_byte()] {
                        shown.push((range.clone(), blank(&text[range])));
                    }
                }
                pending.extend(inside);
            }
            _ => {
                let mut cursor = node.walk();
                pending.extend(node.children(&mut cursor));
            }
        }
    }
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
