//! How much an answer says about each result, for the tools whose commands always say the usual amount.

use serde_json::Value;

use crate::choices::Detail;

/// What places have beyond where they are and what they are called.
const BEYOND_LOCATION: &[&str] = &[
    "qualified_name",
    "signature",
    "visibility",
    "language",
    "score",
    "symbol_id",
    "symbol_stable_id",
    "other_places",
    "ranking_reasons",
    "evidence",
];

/// What `compact` leaves out at any level.
const BODIES: &[&str] = &["body_preview", "source", "source_line", "code", "diff", "doc", "ranking_reasons"];

/// Leaves out of `answer` what was not asked for.
pub(crate) fn apply(answer: &mut Value, detail: Option<Detail>, compact: bool) {
    if compact {
        without(answer, BODIES, |_| true);
    }
    if detail == Some(Detail::Location) {
        without(answer, BEYOND_LOCATION, |object| object.contains_key("name"));
    }
}

/// Takes `names` out of all objects that `concerns` holds for, but not out of the metadata.
fn without(value: &mut Value, names: &[&str], concerns: fn(&serde_json::Map<String, Value>) -> bool) {
    match value {
        Value::Object(object) => {
            if concerns(object) {
                names.iter().for_each(|name| drop(object.remove(*name)));
            }
            object
                .iter_mut()
                .filter(|(name, _)| *name != "metadata")
                .for_each(|(_, field)| without(field, names, concerns));
        }
        Value::Array(items) => items.iter_mut().for_each(|item| without(item, names, concerns)),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn less_is_said() {
        let answer = json!({
            "symbol": {"name": "a", "path": "a.py", "line_start": 1, "signature": "def a()", "symbol_id": "1.2"},
            "source": "def a(): ...",
            "children": [{"name": "b", "score": 1.0, "children": [{"name": "c", "score": 2.0}]}],
            "metadata": {"name": "x", "score": 3},
        });
        let mut shaped = answer.clone();
        apply(&mut shaped, None, false);
        assert_eq!(shaped, answer);
        apply(&mut shaped, Some(Detail::Location), true);
        let expected = json!({
            "symbol": {"name": "a", "path": "a.py", "line_start": 1},
            "children": [{"name": "b", "children": [{"name": "c"}]}],
            "metadata": {"name": "x", "score": 3},
        });
        assert_eq!(shaped, expected);
    }
}
