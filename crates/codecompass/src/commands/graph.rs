//! Symbols as JSON, for the commands that write it by hand.

use codecompass_engine::query::{Enclosing, Hit};
use serde_json::{Value, json};

use crate::choices::{Detail, Explain};
use crate::render;

/// The symbol that an answer is about.
pub(super) fn symbol_json(hit: &Hit) -> Value {
    let mut object = render::hit_json(hit, Detail::Signature, Explain::Off);
    if let Some(fields) = object.as_object_mut() {
        fields.remove("score");
        fields.insert("line".into(), json!(hit.name_line));
    }
    object
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
