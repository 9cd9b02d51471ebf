//! Code that a grammar leaves as a row of words, shown to it as code where it stands.

use std::borrow::Cow;
use std::time::Instant;

use rustc_hash::FxHashSet;
use tree_sitter::{Parser, Range, Tree};

use super::{Grammar, trees};
use crate::hooks::{Embedded, EmbeddedHook};

/// Calls in calls are looked into this deep.
const MAX_ROUNDS: usize = 4;
/// Calls of one file that are looked into.
const MAX_CALLS: usize = 2000;

/// Parses a text again with the code in view that `hook` finds in its tree; returns the text as the
/// grammar sees it, and the tree. `None` when `deadline` passes.
pub(super) fn reveal<'text>(
    mut shown: Cow<'text, str>,
    mut tree: Tree,
    grammar: &Grammar,
    hook: EmbeddedHook,
    deadline: Instant,
) -> Option<(Cow<'text, str>, Tree)> {
    let mut parser = Parser::new();
    parser.set_language(&grammar.language).ok()?;
    let mut refused = FxHashSet::default();
    for _ in 0..MAX_ROUNDS {
        let mut next = shown.clone();
        let mut is_changed = false;
        for found in (hook.find)(&tree, &shown).into_iter().take(MAX_CALLS) {
            let Some(place) = found.code.first().map(|code| code.start_byte) else { continue };
            if refused.contains(&place) {
                continue;
            }
            let replacements = || found.shown.iter().filter(|(range, new)| range.len() == new.len());
            let before: Vec<String> = replacements().map(|(range, _)| next[range.clone()].to_string()).collect();
            for (range, replacement) in replacements() {
                next.to_mut().replace_range(range.clone(), replacement);
            }
            if accepts(&mut parser, &found, &next, hook, deadline)? {
                is_changed = true;
                continue;
            }
            refused.insert(place);
            for ((range, _), before) in replacements().zip(before) {
                next.to_mut().replace_range(range.clone(), &before);
            }
        }
        if !is_changed {
            break;
        }
        parser.set_included_ranges(&[]).ok()?;
        let other = trees::parse(&mut parser, &next, deadline)?;
        if trees::error_count(&other) > trees::error_count(&tree) {
            break;
        }
        (shown, tree) = (next, other);
    }
    Some((shown, tree))
}

/// Returns whether all parts of what was found are code by themselves.
fn accepts(parser: &mut Parser, found: &Embedded, shown: &str, hook: EmbeddedHook, deadline: Instant) -> Option<bool> {
    let is_blank = |code: &Range| shown[code.start_byte..code.end_byte].trim().is_empty();
    for code in found.code.iter().filter(|code| !is_blank(code)) {
        parser.set_included_ranges(&[*code]).ok()?;
        let tree = trees::parse(parser, shown, deadline)?;
        if !(hook.accepts)(tree.root_node()) {
            return Some(false);
        }
    }
    Some(true)
}
