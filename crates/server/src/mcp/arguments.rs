//! Arguments of calls: serde decodes them, and the schema words what is wrong.

use codecompass_app::api::arguments::{Bounded, one_or_more};
use codecompass_app::choices::{Freshness, MetadataLevel};
use codecompass_app::error::{AppError, Code};
use rmcp::model::JsonObject;
use schemars::JsonSchema;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::schema;

/// The arguments that every tool takes. The instructions explain them once; here every word would
/// count for each tool.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
pub struct CommonArguments {
    pub workspace: Option<String>,
    #[serde(default, deserialize_with = "one_or_more")]
    #[schemars(description = "Several to ask at once.")]
    pub workspaces: Vec<String>,
    pub max_tokens: Option<Bounded<100, 20_000>>,
    pub metadata: Option<MetadataLevel>,
    pub freshness: Option<Freshness>,
}

/// Decodes the arguments of a call into those that every tool takes and the tool's own. `schema`
/// describes both.
pub(super) fn decode<T: DeserializeOwned>(
    schema: &Value,
    arguments: &JsonObject,
) -> Result<(CommonArguments, T), AppError> {
    let empty = Map::new();
    let properties = schema.get("properties").and_then(Value::as_object).unwrap_or(&empty);
    if let Some(name) = arguments.keys().find(|name| !properties.contains_key(*name)) {
        let near = properties.keys().min_by_key(|known| strsim::levenshtein(known, name));
        // A third of the letters may be wrong: with more, short names are all near each other.
        let most = name.chars().count().div_ceil(3).min(3);
        let near = near.filter(|near| strsim::levenshtein(near, name) <= most);
        let meant = near.map_or(String::new(), |near| format!("did you mean `{near}`? "));
        return Err(AppError::invalid(
            format!("unknown argument {}", shown(&Value::from(name.as_str()))),
            format!("{meant}{}", known(properties)),
        ));
    }
    // An argument that is not given is left out; serde would take `null` for the same.
    if let Some((name, value)) = arguments.iter().find(|(_, value)| value.is_null()) {
        return Err(refused(name, value, properties));
    }
    let value = || Value::Object(arguments.clone());
    let common = serde_json::from_value(value()).map_err(|error| explain(schema, properties, arguments, &error))?;
    let own = serde_json::from_value(value()).map_err(|error| explain(schema, properties, arguments, &error))?;
    Ok((common, own))
}

/// Words why serde refused the arguments.
fn explain(
    schema: &Value,
    properties: &Map<String, Value>,
    arguments: &JsonObject,
    error: &serde_json::Error,
) -> AppError {
    let is_wrong =
        |(name, value): &(&String, &Value)| properties.get(*name).is_some_and(|it| !schema::admits(it, value));
    if let Some((name, value)) = arguments.iter().find(is_wrong) {
        return refused(name, value, properties);
    }
    let required = schema.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
    match required.into_iter().find(|name| !arguments.contains_key(*name)) {
        Some(name) => {
            AppError::invalid(format!("`{name}` is missing"), format!("give `{name}`; {}", known(properties)))
        }
        None => AppError::invalid(format!("the arguments cannot be read: {error}"), known(properties)),
    }
}

fn refused(name: &str, value: &Value, properties: &Map<String, Value>) -> AppError {
    let code = match name {
        "max_tokens" => Code::InvalidMaxTokens,
        "strategy" => Code::InvalidStrategy,
        _ => Code::InvalidInput,
    };
    let message = format!("`{name}` cannot be {}", shown(value));
    AppError::new(code, message, wanted(name, properties.get(name).unwrap_or(&Value::Null)))
}

/// Returns what would be right.
fn wanted(name: &str, property: &Value) -> String {
    if let Some(words) = property.get("enum").and_then(Value::as_array) {
        let words: Vec<&str> = words.iter().filter_map(Value::as_str).collect();
        return format!("give `{name}` as one of: {}", words.join(", "));
    }
    let kind = property.get("type").and_then(Value::as_str).unwrap_or_default();
    match (property.get("minimum"), property.get("maximum")) {
        (Some(low), Some(high)) => format!("give `{name}` as {kind} from {low} to {high}"),
        _ => format!("give `{name}` as {kind}"),
    }
}

fn known(properties: &Map<String, Value>) -> String {
    format!("known arguments are {}", properties.keys().map(String::as_str).collect::<Vec<_>>().join(", "))
}

/// Returns a value cut to what a message can hold.
fn shown(value: &Value) -> String {
    const MAX_BYTES: usize = 60;
    let text = value.to_string();
    if text.len() > MAX_BYTES { format!("{}…", &text[..text.floor_char_boundary(MAX_BYTES)]) } else { text }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[derive(Debug, Deserialize, JsonSchema)]
    #[expect(dead_code, reason = "only whether it is decoded is looked at")]
    struct Sample {
        query: String,
        limit: Option<Bounded<1, 1000, 100>>,
        depth: Option<Words>,
        #[serde(default)]
        compact: bool,
    }

    #[derive(Debug, Deserialize, JsonSchema)]
    #[serde(rename_all = "snake_case")]
    enum Words {
        Top,
        All,
    }

    #[test]
    fn what_is_refused() {
        let schema = schema::of_call::<Sample>();
        let refusal = |arguments: Value| {
            let error = decode::<Sample>(&schema, arguments.as_object().unwrap()).err()?;
            Some(format!("{}; {}", error.message, error.remediation.for_tools()))
        };
        assert_eq!(refusal(json!({"query": "x", "limit": 100, "depth": "top", "compact": true})), None);
        let all = "known arguments are compact, depth, freshness, limit, max_tokens, metadata, query, workspace, \
                   workspaces";
        assert_eq!(refusal(json!({})).unwrap(), format!("`query` is missing; give `query`; {all}"));
        assert_eq!(refusal(json!({"query": "x", "no": 1})).unwrap(), format!("unknown argument \"no\"; {all}"));
        let near = format!("unknown argument \"compct\"; did you mean `compact`? {all}");
        assert_eq!(refusal(json!({"query": "x", "compct": true})).unwrap(), near);
        assert_eq!(refusal(json!({"query": 3})).unwrap(), "`query` cannot be 3; give `query` as string");
        assert_eq!(refusal(json!({"query": null})).unwrap(), "`query` cannot be null; give `query` as string");
        let range = "give `limit` as integer from 1 to 100";
        for wrong in [json!(0), json!(101), json!(-1), json!(1.5), json!("10"), json!(1e30), json!(null)] {
            let refused = refusal(json!({"query": "x", "limit": wrong})).unwrap();
            assert!(refused.ends_with(range), "{refused}");
        }
        let words = refusal(json!({"query": "x", "depth": "some"})).unwrap();
        assert_eq!(words, "`depth` cannot be \"some\"; give `depth` as one of: top, all");
        assert!(refusal(json!({"query": "x", "max_tokens": 99})).unwrap().ends_with("from 100 to 20000"));
        assert!(refusal(json!({"query": "x", "compact": 1})).unwrap().ends_with("give `compact` as boolean"));
    }
}
