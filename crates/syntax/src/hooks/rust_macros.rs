//! Rust: items that a macro of the same file makes. `macro_rules! getter { ($name:ident) => { fn
//! $name(&self) {} } }` makes `getter!(size);` define a function `size`, with the position of the
//! word in the invocation.

use std::ops::Range;

use rustc_hash::FxHashMap;

use super::MacroDefinition;
use crate::facts::Kind;
use crate::tree::{Node, SyntaxTree};

/// The definitions that a macro makes of its arguments: the place of the argument, the kind, and
/// where its result's type is written.
type MacroOutput = Vec<(usize, Kind, Option<Range<usize>>)>;

/// The names in invocations outside of functions that become definitions.
pub(crate) fn macro_definitions<'tree>(tree: &'tree SyntaxTree, text: &str) -> Vec<MacroDefinition<'tree>> {
    let mut macros: FxHashMap<&str, MacroOutput> = FxHashMap::default();
    for node in tree.nodes().filter(|node| node.kind() == "macro_definition") {
        let Some(name) = node.child_by_field_name("name") else { continue };
        let mut made = MacroOutput::new();
        for rule in node.children().filter(|child| child.kind() == "macro_rule") {
            let (Some(left), Some(right)) = (rule.child_by_field_name("left"), rule.child_by_field_name("right"))
            else {
                continue;
            };
            made_by(&text[left.byte_range()], &text[right.byte_range()], right.start_byte(), &mut made);
        }
        if !made.is_empty() {
            macros.insert(&text[name.byte_range()], made);
        }
    }
    if macros.is_empty() {
        return Vec::new();
    }
    let mut found = Vec::new();
    // The lists of items and the bodies of functions around a node.
    let mut around: Vec<(u32, bool)> = Vec::new();
    for node in tree.nodes() {
        let depth = node.depth();
        while around.pop_if(|(outer, _)| *outer >= depth).is_some() {}
        match node.kind() {
            "source_file" | "declaration_list" => around.push((depth, true)),
            "block" => around.push((depth, false)),
            "macro_invocation" => {
                let is_item = around.last().is_some_and(|(_, is_item)| *is_item);
                let name = node.child_by_field_name("macro").map(|name| &text[name.byte_range()]);
                if let Some(made) = name.and_then(|name| macros.get(name)).filter(|_| is_item) {
                    found.extend(made.iter().filter_map(|(place, kind, declared)| {
                        Some(MacroDefinition { name: argument(node, *place)?, kind: *kind, declared: declared.clone() })
                    }));
                }
            }
            _ => {}
        }
    }
    found
}

/// Adds the arguments that one rule of a macro makes definitions of.
fn made_by(pattern: &str, body: &str, body_start: usize, made: &mut MacroOutput) {
    let inside = pattern.get(1..pattern.len().saturating_sub(1)).unwrap_or("");
    for (place, argument) in top_level_parts(inside).into_iter().enumerate() {
        let Some((before, _)) = argument.rsplit_once(":ident") else { continue };
        let Some((_, variable)) = before.rsplit_once('$') else { continue };
        for (word, kind) in [
            ("fn", Kind::Function),
            ("struct", Kind::Struct),
            ("enum", Kind::Enum),
            ("trait", Kind::Trait),
            ("type", Kind::TypeAlias),
            ("const", Kind::Constant),
        ] {
            let wanted = format!("{word} ${variable}");
            let is_whole =
                |at: usize| !body[at + wanted.len()..].starts_with(|c: char| c.is_alphanumeric() || c == '_');
            let Some((at, _)) = body.match_indices(&wanted).find(|(at, _)| is_whole(*at)) else { continue };
            if made.iter().any(|(known, other, _)| (*known, *other) == (place, kind)) {
                continue;
            }
            let result = if kind == Kind::Function { result_type(&body[at..]) } else { None };
            made.push((place, kind, result.map(|range| body_start + at + range.start..body_start + at + range.end)));
        }
    }
}

/// Returns where the type that a function gives is written, in a text that starts with the
/// function.
fn result_type(function: &str) -> Option<Range<usize>> {
    let head = &function[..function.find('{')?];
    let arrow = head.rfind("->")? + 2;
    let end = head[arrow..].find(" where").or_else(|| head[arrow..].find("\n")).map_or(head.len(), |at| arrow + at);
    let written = &head[arrow..end];
    let start = arrow + (written.len() - written.trim_start().len());
    (!written.contains('$') && !written.trim().is_empty()).then(|| start..start + written.trim().len())
}

/// Returns what stands between the commas of a pattern that are in no bracket.
fn top_level_parts(text: &str) -> Vec<&str> {
    let (mut parts, mut depth, mut start) = (Vec::new(), 0usize, 0);
    for (at, c) in text.char_indices() {
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth = depth.saturating_sub(1),
            ',' | ';' if depth == 0 => {
                parts.push(&text[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&text[start..]);
    parts
}

/// The word that is the argument of an invocation at a place.
fn argument(invocation: Node<'_>, place: usize) -> Option<Node<'_>> {
    let tokens = invocation.children().find(|child| child.kind() == "token_tree")?;
    let (mut at, mut last) = (0, None);
    for token in tokens.children() {
        match token.kind() {
            "," | ";" if at == place => break,
            "," | ";" => at += 1,
            "identifier" if at == place => last = Some(token),
            _ => {}
        }
    }
    last
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_tell_what_they_make() {
        let mut made = MacroOutput::new();
        let body = "{ pub fn $name<T>(t: T) -> Router<T> where T: Copy { $name_of(x) } }";
        made_by("($(#[$m:meta])* $name:ident, $method:ident)", body, 100, &mut made);
        made_by("($a:ty, $Kind:ident)", "{ pub struct $Kind; impl $Kind {} }", 0, &mut made);
        made_by("($other:ident)", "{ fn $others() {} }", 0, &mut made);
        let at = 100 + body.find("Router").unwrap_or(0);
        assert_eq!(made, [(0, Kind::Function, Some(at..at + "Router<T>".len())), (1, Kind::Struct, None)]);
    }
}
