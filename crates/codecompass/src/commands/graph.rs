//! What the commands that follow names have in common: symbols, uses and nodes as text and as JSON.

use codecompass_engine::query::{Edge, Enclosing, Hit, HitKind, Node, Subject};
use serde_json::{Value, json};

use crate::choices::{Detail, Explain};
use crate::render;
pub(super) use crate::render::{doubt_text, symbol_text, words};
use crate::terminal::output::{DIM, KIND, LINE, NAME, PATH};

/// Programs read all there is, within reason; people do not.
pub(super) const JSON_LIMIT: u32 = 1000;

/// The symbol that an answer is about.
pub(super) fn symbol_json(hit: &Hit) -> Value {
    let mut object = render::hit_json(hit, Detail::Signature, Explain::Off);
    if let Some(fields) = object.as_object_mut() {
        fields.remove("score");
        fields.insert("line".into(), json!(hit.name_line));
    }
    object
}

/// The symbol that an answer is about, and what else its argument could mean.
pub(super) fn subject_json(subject: &Subject) -> (Value, Value) {
    (symbol_json(&subject.hit), subject.others.iter().map(symbol_json).collect())
}

/// The definition around a use.
pub(super) fn enclosing_json(enclosing: &Enclosing) -> Value {
    json!({
        "name": enclosing.name,
        "qualified_name": enclosing.qualified_name,
        "kind": enclosing.kind.as_str(),
        "line": enclosing.line,
    })
}

/// A node as JSON.
pub(super) fn node_json(node: &Node) -> Value {
    let mut object = json!({
        "name": node.name,
        "qualified_name": node.qualified_name,
        "kind": node.kind.as_str(),
        "path": node.path,
        "line": node.line,
    });
    if node.role.as_str() != "plain" {
        object["role"] = json!(node.role.as_str());
    }
    if node.is_test {
        object["is_test"] = json!(true);
    }
    object
}

/// An edge as JSON.
pub(super) fn edge_json(edge: &Edge) -> Value {
    let mut object = json!({
        "path": edge.path,
        "line": edge.line,
        "column": edge.column,
        "kind": edge.kind.as_str(),
        "confidence": edge.confidence.as_str(),
        "evidence": edge.evidence.as_str(),
        "from": node_json(&edge.from),
        "to": node_json(&edge.to),
    });
    if let Some(through) = &edge.through {
        object["through"] = node_json(through);
    }
    object
}

/// A node's place and name as text.
pub(super) fn node_text(node: &Node) -> String {
    let name = match node.kind {
        HitKind::File => format!("{DIM}top level{DIM:#}"),
        _ => format!("{NAME}{}{NAME:#}", node.qualified_name),
    };
    format!(
        "{PATH}{}{PATH:#}:{LINE}{}{LINE:#}  {KIND}{}{KIND:#}  {name}{}",
        node.path,
        node.line,
        node.kind.as_str(),
        role_text(node)
    )
}

/// What part a node plays, if a special one.
pub(super) fn role_text(node: &Node) -> String {
    match node.role.as_str() {
        "plain" if node.is_test => format!("  {DIM}in tests{DIM:#}"),
        "plain" => String::new(),
        role => format!("  {DIM}{}{DIM:#}", role.replace('_', " ")),
    }
}

/// Why an edge is taken to be one.
pub(super) fn edge_reason(edge: &Edge) -> String {
    match &edge.through {
        Some(through) => format!("through {}", through.qualified_name),
        None if edge.kind.as_str() != "call" => format!("passed on, {}", words(edge.evidence)),
        None => words(edge.evidence),
    }
}
