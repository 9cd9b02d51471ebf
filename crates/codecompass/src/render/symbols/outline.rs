//! Text of `outline`.

use std::fmt::Write as _;

use crate::api::symbols::outline::{OutlineAnswer, OutlineNodeView, OutlineRequest};
use crate::remedy::Voice;
use crate::render::{count, shortened, shown};
use crate::terminal::output::{DIM, KIND, LINE, NAME};

pub(crate) fn text(_: &OutlineRequest, answer: &OutlineAnswer, voice: Voice) -> String {
    let lines = count(answer.line_count as usize, "line");
    let mut out = format!("{NAME}{}{NAME:#} {DIM}{}, {lines}{DIM:#}\n", shown(&answer.path), answer.language);
    answer.symbols.iter().for_each(|node| match voice {
        Voice::Cli => node_text(&mut out, node, 0),
        Voice::Tools => compact_text(&mut out, node, 0),
    });
    for problem in &answer.problems {
        let _ = writeln!(out, "{DIM}line {}: {}{DIM:#}", problem.line, problem.message);
    }
    out
}

fn node_text(out: &mut String, node: &OutlineNodeView, depth: usize) {
    let signature = node.signature.as_deref().filter(|signature| !signature.is_empty());
    let _ = writeln!(
        out,
        "{LINE}{:>6}{LINE:#}  {:indent$}{KIND}{}{KIND:#}  {}",
        node.line_start,
        "",
        node.kind,
        shown(&shortened(signature.unwrap_or(&node.name))),
        indent = depth * 2
    );
    node.children.iter().for_each(|child| node_text(out, child, depth + 1));
}

/// Writes a definition in few tokens: the kind is named only where there is no signature.
fn compact_text(out: &mut String, node: &OutlineNodeView, depth: usize) {
    let signature = node.signature.as_deref().filter(|signature| !signature.is_empty());
    let what = match signature {
        Some(signature) => shortened(signature).into_owned(),
        None => format!("{} {}", node.kind, node.name),
    };
    let _ = writeln!(out, "{:depth$}{} {}", "", node.line_start, shown(&what));
    node.children.iter().for_each(|child| compact_text(out, child, depth + 1));
}
