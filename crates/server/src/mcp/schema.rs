//! JSON Schemas of arguments, made from the types that read them. They are cut to what a model
//! needs, for they are part of every conversation.

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};

use super::arguments::CommonArguments;

/// The schema of `T`, an object.
pub(super) fn of<T: JsonSchema>() -> Value {
    let settings = SchemaSettings::draft2020_12().with(|settings| {
        settings.inline_subschemas = true;
        settings.meta_schema = None;
    });
    let mut schema = settings.into_generator().into_root_schema_for::<T>().to_value();
    slim(&mut schema);
    schema
}

/// Returns the schema of a call: the arguments of `T` and those that every tool takes.
pub(super) fn of_call<T: JsonSchema>() -> Value {
    let mut schema = of::<T>();
    extend(&mut schema, of::<CommonArguments>());
    if let Some(object) = schema.as_object_mut() {
        // The tool has a description of its own.
        object.remove("description");
        object.insert("additionalProperties".into(), json!(false));
    }
    schema
}

/// Arguments for programs that tune an answer. Calls may have them, but models choose better among
/// fewer.
const UNLISTED: [&str; 7] = [
    "compact",
    "freshness",
    "metadata",
    "semantic_ratio",
    "confidence_threshold",
    "min_similarity",
    "ranking_explain_level",
];

/// Arguments that few questions need and many tools take; only one tool lists them.
const RARE: [&str; 6] = ["path_regex", "exclude", "exclude_regex", "project", "counts", "role"];

/// Arguments that a tool lists beside those that every tool lists.
#[derive(Clone, Copy)]
pub(super) struct Listing {
    /// True for those that few questions need.
    pub rare: bool,
    /// True for the level of detail, which most texts hardly depend on.
    pub detail: bool,
    /// True for a list of workspaces.
    pub workspaces: bool,
    /// True for the amount of code in an answer about calls.
    pub source: bool,
}

impl Listing {
    /// Lists none of them.
    pub(super) const PLAIN: Listing = Listing { rare: false, detail: false, workspaces: false, source: false };
}

/// Returns a schema as clients get it: without bounds of numbers, without arguments that no model
/// needs, without those that `listing` leaves out, and without the workspace if there is only one.
/// Every conversation would pay for them, and a call with a value out of bounds is told what is
/// wrong.
pub(super) fn listed(mut schema: Value, listing: Listing, several_workspaces: bool) -> Value {
    let mut properties = schema.get_mut("properties").and_then(Value::as_object_mut);
    if let Some(properties) = &mut properties {
        let is_listed = |name: &str| match name {
            "detail_level" => listing.detail,
            "source" => listing.source,
            "workspace" => several_workspaces,
            "workspaces" => several_workspaces && listing.workspaces,
            name => !UNLISTED.contains(&name) && (listing.rare || !RARE.contains(&name)),
        };
        properties.retain(|name, _| is_listed(name));
    }
    for property in properties.into_iter().flat_map(Map::values_mut).filter_map(Value::as_object_mut) {
        property.remove("minimum");
        property.remove("maximum");
    }
    schema
}

/// Returns whether a property takes a value, as far as types, words and ranges say so.
pub(super) fn admits(property: &Value, value: &Value) -> bool {
    let is_of_type = match property.get("type").and_then(Value::as_str).unwrap_or_default() {
        "string" => value.is_string(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "boolean" => value.is_boolean(),
        // The only item of a list may stand for it.
        "array" => value.is_array() || value.is_string(),
        _ => true,
    };
    let bound = |key: &str| property.get(key).and_then(Value::as_f64);
    let number = value.as_f64();
    let is_in_range = number.is_none_or(|number| {
        bound("minimum").is_none_or(|low| number >= low) && bound("maximum").is_none_or(|high| number <= high)
    });
    let words = property.get("enum").and_then(Value::as_array);
    is_of_type && is_in_range && words.is_none_or(|words| words.contains(value))
}

/// Adds the properties of `more` to those of `schema`.
pub(super) fn extend(schema: &mut Value, more: Value) {
    let mut more = more;
    let Some(Value::Object(added)) = more.get_mut("properties").map(Value::take) else { return };
    if let Some(object) = schema.as_object_mut() {
        let properties = object.entry("properties").or_insert_with(|| json!({}));
        if let Some(properties) = properties.as_object_mut() {
            properties.extend(added);
        }
    }
}

/// Takes away what says nothing new: titles, formats, that an optional value may be null.
fn slim(schema: &mut Value) {
    let Some(object) = schema.as_object_mut() else { return };
    for noise in ["title", "format", "$schema"] {
        // A property may have such a name; those are objects.
        if object.get(noise).is_some_and(Value::is_string) {
            object.remove(noise);
        }
    }
    // Nothing, zero and "no" are what everybody expects.
    let is_usual = |value: &Value| value.is_null() || value == false || value == 0 || *value == json!([]);
    if object.get("default").is_some_and(is_usual) {
        object.remove("default");
    }
    without_null(object);
    as_enum(object);
    if let Some(Value::String(text)) = object.get_mut("description") {
        *text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    }
    if let Some(properties) = object.get_mut("properties").and_then(Value::as_object_mut) {
        properties.values_mut().for_each(slim);
    }
    if let Some(items) = object.get_mut("items") {
        slim(items);
    }
}

/// Removes null as a value: a caller that has no value leaves the argument out.
fn without_null(object: &mut Map<String, Value>) {
    if let Some(Value::Array(types)) = object.get_mut("type") {
        types.retain(|kind| kind != "null");
        if let [only] = types.as_slice() {
            let only = only.clone();
            object.insert("type".into(), only);
        }
    }
    if let Some(Value::Array(words)) = object.get_mut("enum") {
        words.retain(|word| !word.is_null());
    }
    if let Some(Value::Array(mut choices)) = object.remove("anyOf") {
        choices.retain(|choice| choice.get("type").is_none_or(|kind| kind != "null"));
        if let [Value::Object(only)] = choices.as_mut_slice() {
            let mut only = std::mem::take(only);
            // What is said about the type is for readers of the code; what counts is said about the
            // field.
            only.remove("description");
            only.extend(std::mem::take(object));
            *object = only;
        } else {
            object.insert("anyOf".into(), choices.into());
        }
    }
}

/// A choice of words is a list of them, not a list of schemas.
fn as_enum(object: &mut Map<String, Value>) {
    let Some(Value::Array(choices)) = object.get("oneOf") else { return };
    let words: Option<Vec<Value>> = choices.iter().map(|choice| choice.get("const").cloned()).collect();
    if let Some(words) = words {
        object.remove("oneOf");
        object.insert("type".into(), json!("string"));
        object.insert("enum".into(), words.into());
    }
}
