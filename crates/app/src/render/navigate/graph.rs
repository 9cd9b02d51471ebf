//! Nodes and edges of the graph of uses on lines of text.

use codecompass_engine::ResolutionEvidence;
use codecompass_engine::query::{Hit, HitKind, UseClass};
use codecompass_engine::syntax::facts::RefKind;

use crate::api::navigate::graph::{AffectedView, EdgeView, NodeView};
use crate::api::views::HitView;
use crate::remedy::Audience;
use crate::render::by_file::{ByFile, name_in_file};
use crate::render::{self, SymbolArgument, shown, source_text, words};
use crate::terminal::output::{DIM, KIND, LINE, NAME, PATH};

/// Returns the place, kind and name of a node.
pub(super) fn node_text(node: &NodeView) -> String {
    let name = match node.kind {
        HitKind::File => format!("{DIM}top level{DIM:#}"),
        _ => format!("{NAME}{}{NAME:#}", shown(node.full_name())),
    };
    format!(
        "{PATH}{}{PATH:#}:{LINE}{}{LINE:#}  {KIND}{}{KIND:#}  {name}{}",
        shown(&node.path),
        node.line,
        node.kind.as_str(),
        role_text(node)
    )
}

/// Returns the role of a node, if it has a special one.
pub(super) fn role_text(node: &NodeView) -> String {
    match node.role {
        None if node.is_test => format!("  {DIM}in tests{DIM:#}"),
        None => String::new(),
        Some(role) => format!("  {DIM}{}{DIM:#}", role.replace('_', " ")),
    }
}

/// Returns why an edge is taken to be one.
pub(super) fn edge_reason(edge: &EdgeView) -> String {
    match &edge.through {
        _ if edge.candidates > 1 => format!("one of {} candidates", edge.candidates),
        _ if edge.confidence == UseClass::Possible => "not resolved".to_string(),
        Some(through) => format!("through {}", shown(through.full_name())),
        None if edge.evidence == ResolutionEvidence::DefinedInside => "defined in it".to_string(),
        None if edge.evidence == ResolutionEvidence::InstanceMade => {
            "makes an instance, called from outside".to_string()
        }
        None if edge.kind != RefKind::Call => format!("passes it on, {}", words(edge.evidence)),
        None => words(edge.evidence),
    }
}

fn doubt(confidence: UseClass) -> &'static str {
    match confidence {
        UseClass::Static => "",
        UseClass::Likely => "  likely",
        UseClass::Possible => "  possible",
    }
}

/// Writes one line about something affected.
pub(super) fn affected_text(out: &mut String, affected: &AffectedView) {
    // The guess may be any step on the way, so the last step's evidence would not explain it.
    let doubt = doubt(affected.confidence);
    let uses = shown(&affected.uses.local_name);
    let how = match affected.use_line {
        None => format!("used {uses}, which is gone"),
        Some(line) => format!("uses {uses} on line {line}"),
    };
    let (depth, node) = (affected.depth, node_text(&affected.node));
    let source = source_suffix(affected);
    out.push_str(&format!("  {DIM}{depth}{DIM:#}  {node}  {DIM}{how}{doubt}{DIM:#}{source}\n"));
}

/// Returns the line of the use, where lines are asked for.
fn source_suffix(affected: &AffectedView) -> String {
    affected.source.as_ref().map_or(String::new(), |source| format!(": {}", source_text(source)))
}

/// Returns something affected below the name of its file: the line of its name, the name, and the
/// use that leads to it.
fn affected_line(affected: &AffectedView) -> String {
    let node = &affected.node;
    let name = match node.kind {
        HitKind::File => "top level".into(),
        _ => shown(name_in_file(node.full_name(), &node.path)),
    };
    let doubt = doubt(affected.confidence);
    // The file of the use has a container's name that need not be repeated.
    let uses = shown(name_in_file(&affected.uses.local_name, &node.path));
    let how = match (affected.use_line, affected.depth) {
        (None, _) => format!("  used {uses}, which is gone"),
        (Some(line), 1) if line == node.line => String::new(),
        (Some(line), 1) => format!("  at {line}"),
        (Some(line), _) => format!("  at {line}: {uses}"),
    };
    let role = match node.role {
        None | Some("test") => String::new(),
        Some(role) => format!("  {}", role.replace('_', " ")),
    };
    format!("{}  {name}{role}{how}{doubt}{}", node.line, source_suffix(affected))
}

/// Lists what is affected by depth and file.
pub(super) fn affected_by_depth(out: &mut String, title: &str, affected: &[&AffectedView]) {
    let key = |one: &AffectedView| (one.confidence == UseClass::Possible, one.depth);
    for affected in affected.chunk_by(|one, next| key(one) == key(next)) {
        let (is_possible, depth) = affected.first().map_or((false, 1), |first| key(first));
        let how = match (is_possible, depth) {
            (true, _) => "may use it",
            (_, 1) => "use it",
            _ => "use those",
        };
        out.push_str(&format!("\n{title}, depth {depth}: {how}\n"));
        let mut list = ByFile::default();
        affected.iter().for_each(|affected| list.add(&affected.node.path, 0, affected_line(affected)));
        list.write(out);
    }
}

/// Writes the symbol that an answer is about, and what else its argument could mean.
pub(super) fn subject(
    out: &mut String,
    symbol: &HitView,
    others: &[HitView],
    total: usize,
    argument: &str,
    audience: Audience,
) {
    let others: Vec<&Hit> = others.iter().map(|other| &other.hit).collect();
    render::subject_text(out, &symbol.hit, &others, total, &SymbolArgument { argument, audience });
}

/// Writes what else a symbol argument could mean.
pub(super) fn other_meanings(out: &mut String, others: &[HitView], total: usize, argument: &str, audience: Audience) {
    let others: Vec<&Hit> = others.iter().map(|other| &other.hit).collect();
    render::other_meanings(out, &others, total, &SymbolArgument { argument, audience });
}
