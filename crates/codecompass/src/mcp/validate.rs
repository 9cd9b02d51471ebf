//! Checks arguments against the schema that the tool shows, so that what is promised there and what is accepted are the
//! same. Only the words that our own schemas use are known.

use serde_json::{Map, Value};

use super::schema;
use crate::error::{AppError, Code};

/// Refuses arguments that are missing, unknown, of another type, or out of range.
pub(crate) fn check(schema: &Value, arguments: &Map<String, Value>) -> Result<(), AppError> {
    let empty = Map::new();
    let properties = schema.get("properties").and_then(Value::as_object).unwrap_or(&empty);
    let required = schema.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
    for (name, value) in arguments {
        let Some(property) = properties.get(name) else { return Err(unknown(name, properties)) };
        check_value(name, property, value)?;
    }
    for name in required {
        if !arguments.contains_key(name) {
            let message = format!("`{name}` is missing");
            return Err(AppError::invalid(message, format!("give `{name}`; {}", known(properties))));
        }
    }
    Ok(())
}

fn check_value(name: &str, property: &Value, value: &Value) -> Result<(), AppError> {
    let kind = property.get("type").and_then(Value::as_str).unwrap_or_default();
    if schema::admits(property, value) {
        return Ok(());
    }
    let code = match name {
        "max_tokens" => Code::InvalidMaxTokens,
        "strategy" => Code::InvalidStrategy,
        _ => Code::InvalidInput,
    };
    Err(AppError::new(code, format!("`{name}` cannot be {}", shown(value)), wanted(name, kind, property)))
}

/// What would be right.
fn wanted(name: &str, kind: &str, property: &Value) -> String {
    if let Some(words) = property.get("enum").and_then(Value::as_array) {
        let words: Vec<&str> = words.iter().filter_map(Value::as_str).collect();
        return format!("give `{name}` as one of: {}", words.join(", "));
    }
    match (property.get("minimum"), property.get("maximum")) {
        (Some(low), Some(high)) => format!("give `{name}` as {kind} from {low} to {high}"),
        _ => format!("give `{name}` as {kind}"),
    }
}

fn unknown(name: &str, properties: &Map<String, Value>) -> AppError {
    AppError::invalid(format!("unknown argument {}", shown(&Value::from(name))), known(properties))
}

fn known(properties: &Map<String, Value>) -> String {
    format!("known arguments are {}", properties.keys().map(String::as_str).collect::<Vec<_>>().join(", "))
}

/// A value cut to what a message can hold.
fn shown(value: &Value) -> String {
    const MOST_BYTES: usize = 60;
    let text = value.to_string();
    match text.len() > MOST_BYTES {
        true => format!("{}…", &text[..text.floor_char_boundary(MOST_BYTES)]),
        false => text,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_is_refused() {
        let schema = json!({
            "properties": {
                "query": {"type": "string"},
                "limit": {"type": "integer", "minimum": 1, "maximum": 100},
                "depth": {"type": "string", "enum": ["top", "all"]},
                "compact": {"type": "boolean"},
            },
            "required": ["query"],
        });
        let refusal = |arguments: Value| {
            let error = check(&schema, arguments.as_object().unwrap()).err()?;
            Some(format!("{}; {}", error.message, error.remediation.for_tools()))
        };
        assert_eq!(refusal(json!({"query": "x", "limit": 100, "depth": "top", "compact": true})), None);
        let all = "known arguments are compact, depth, limit, query";
        assert_eq!(refusal(json!({})).unwrap(), format!("`query` is missing; give `query`; {all}"));
        assert_eq!(refusal(json!({"query": "x", "no": 1})).unwrap(), format!("unknown argument \"no\"; {all}"));
        assert_eq!(refusal(json!({"query": 3})).unwrap(), "`query` cannot be 3; give `query` as string");
        assert_eq!(refusal(json!({"query": null})).unwrap(), "`query` cannot be null; give `query` as string");
        let range = "give `limit` as integer from 1 to 100";
        for wrong in [json!(0), json!(101), json!(-1), json!(1.5), json!("10"), json!(1e30)] {
            let refused = refusal(json!({"query": "x", "limit": wrong})).unwrap();
            assert!(refused.ends_with(range), "{refused}");
        }
        let words = refusal(json!({"query": "x", "depth": "some"})).unwrap();
        assert_eq!(words, "`depth` cannot be \"some\"; give `depth` as one of: top, all");
    }
}
