//! Makes an answer fit its token limit. Lists lose their last items, which are the least, and long texts their last lines;
//! the metadata says how many, and what to do about it. Size is never an error.

use std::collections::BTreeMap;

use codecompass_engine::query;
use serde_json::{Value, json};

/// No answer costs more; clients cut those of 25,000 tokens.
pub(crate) const MOST_TOKENS: usize = 20_000;
/// What an answer may cost when nothing is said.
pub(crate) const USUAL_TOKENS: usize = 8_000;

/// What the note about things left out costs.
const NOTE_TOKENS: usize = 120;

/// How much was left out, by where: items of lists, lines of texts.
type LeftOut = BTreeMap<String, usize>;

/// The answer as text of at most `most` tokens, counted on the safe side.
pub(crate) fn fit(mut answer: Value, most: usize) -> String {
    let text = answer.to_string();
    if query::estimate_tokens(&text) <= most {
        return text;
    }
    let whole = answer.clone();
    let mut room = most;
    let mut text = text;
    // The parts of a text may cost a little more or less than the whole, hence a few attempts.
    for _ in 0..4 {
        answer.clone_from(&whole);
        let metadata = answer.get_mut("metadata").map(Value::take).unwrap_or_else(|| json!({}));
        let mut left_out = LeftOut::new();
        shrink(&mut answer, room.saturating_sub(tokens(&metadata) + NOTE_TOKENS), "", &mut left_out);
        answer["metadata"] = note(metadata, &left_out, most);
        text = answer.to_string();
        if query::estimate_tokens(&text) <= most {
            break;
        }
        room = room * 9 / 10;
    }
    text
}

fn tokens(value: &Value) -> usize {
    query::estimate_tokens(&value.to_string())
}

/// Says what is not there and how to get it.
fn note(mut metadata: Value, left_out: &LeftOut, most: usize) -> Value {
    let items: usize = left_out.iter().filter(|(place, _)| !is_text(place)).map(|(_, count)| count).sum();
    if let Some(returned) = metadata.get("returned").and_then(Value::as_u64) {
        metadata["returned"] = json!(returned.saturating_sub(items as u64));
    }
    metadata["result_completeness"] = json!("truncated");
    metadata["left_out"] = json!(left_out);
    metadata["suggested_action"] = match most < MOST_TOKENS {
        true => json!(format!("narrow the question, or raise max_tokens (now {most}, at most {MOST_TOKENS})")),
        false => json!("narrow the question: a path, a kind, a smaller limit or depth, or a symbol inside"),
    };
    if most >= MOST_TOKENS {
        metadata["safety_limit_applied"] = json!(true);
    }
    metadata
}

fn is_text(place: &str) -> bool {
    place.ends_with(" lines")
}

/// Cuts `value` to about `room` tokens.
fn shrink(value: &mut Value, room: usize, place: &str, left_out: &mut LeftOut) {
    if tokens(value) <= room {
        return;
    }
    match value {
        Value::Object(fields) => {
            // The largest part gives first, then the next.
            let mut given: Vec<String> = Vec::new();
            loop {
                let all: usize = fields.iter().map(|(name, field)| tokens(field) + query::estimate_tokens(name)).sum();
                let Some(excess) = all.checked_sub(room).filter(|excess| *excess > 0) else { return };
                let candidates = fields.iter_mut().filter(|(name, _)| !given.contains(name));
                let Some((name, field)) = candidates.max_by_key(|(_, field)| tokens(field)) else { return };
                let target = tokens(field).saturating_sub(excess);
                let inner = if place.is_empty() { name.clone() } else { format!("{place}.{name}") };
                given.push(name.clone());
                shrink(field, target, &inner, left_out);
            }
        }
        Value::Array(items) => {
            let before = items.len();
            let mut kept = 0;
            let mut spent = 0;
            for item in items.iter_mut() {
                let cost = tokens(item) + 1;
                if spent + cost > room {
                    break;
                }
                (kept, spent) = (kept + 1, spent + cost);
            }
            // One that is too large for itself may lose something inside instead.
            if kept == 0
                && let Some(first) = items.first_mut()
            {
                shrink(first, room, place, left_out);
                kept = usize::from(tokens(first) <= room);
            }
            items.truncate(kept);
            if before > kept {
                *left_out.entry(place.to_string()).or_default() += before - kept;
            }
        }
        Value::String(text) => cut_lines(text, room, place, left_out),
        _ => {}
    }
}

/// Keeps the first lines of a text, or the beginning of its only one.
fn cut_lines(text: &mut String, room: usize, place: &str, left_out: &mut LeftOut) {
    // A word or a name is what somebody asked for.
    const LEAST_BYTES: usize = 200;
    if text.len() < LEAST_BYTES {
        return;
    }
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let (mut kept, mut spent) = (0, 2);
    for line in &lines {
        // As JSON, where quotes and tabs take more.
        spent += tokens(&Value::from(*line));
        if spent > room {
            break;
        }
        kept += 1;
    }
    let dropped = lines.len() - kept;
    let short = match (kept, lines.first()) {
        (0, Some(first)) => first[..first.floor_char_boundary(room.min(LEAST_BYTES))].to_string(),
        _ => lines[..kept].concat(),
    };
    if dropped > 0 {
        *left_out.entry(format!("{place} lines")).or_default() += dropped;
        *text = short;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hits(count: usize) -> Value {
        let hit = |number| json!({"path": format!("src/file{number}.rs"), "line_start": number, "name": "some_name"});
        (0..count).map(hit).collect()
    }

    #[test]
    fn what_fits_is_left_alone() {
        let answer = json!({"results": hits(3), "metadata": {"returned": 3}});
        assert_eq!(fit(answer.clone(), 1000), answer.to_string());
    }

    #[test]
    fn lists_lose_their_last_items() {
        let answer = json!({"results": hits(500), "symbol": {"name": "x"}, "metadata": {"returned": 500}});
        for most in [300, 1000, 5000] {
            let text = fit(answer.clone(), most);
            assert!(query::estimate_tokens(&text) <= most, "{text}");
            let cut: Value = serde_json::from_str(&text).unwrap();
            let kept = cut["results"].as_array().unwrap().len();
            assert!(kept > 0 && cut["results"][0] == answer["results"][0]);
            assert_eq!(cut["metadata"]["returned"], kept);
            assert_eq!(cut["metadata"]["left_out"]["results"], 500 - kept);
            assert_eq!(cut["metadata"]["result_completeness"], "truncated");
            assert_eq!(cut["symbol"]["name"], "x");
        }
    }

    #[test]
    fn texts_and_what_is_nested_are_cut_too() {
        let source = "let answer = compute(question);\n".repeat(3000);
        let text = fit(json!({"symbol": {"name": "x"}, "source": source}), 2000);
        assert!(query::estimate_tokens(&text) <= 2000);
        let cut: Value = serde_json::from_str(&text).unwrap();
        let lines = cut["source"].as_str().unwrap().lines().count();
        assert!(lines > 50);
        assert_eq!(cut["metadata"]["left_out"]["source lines"], 3000 - lines);
        // One class with many methods is still shown with its first ones.
        let text = fit(json!({"symbols": [{"name": "Large", "children": hits(2000)}]}), 3000);
        assert!(query::estimate_tokens(&text) <= 3000);
        let cut: Value = serde_json::from_str(&text).unwrap();
        assert!(cut["symbols"][0]["children"].as_array().unwrap().len() > 20, "{text}");
    }
}
