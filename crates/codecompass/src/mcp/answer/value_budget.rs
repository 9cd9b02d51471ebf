//! Makes an answer fit its token limit. Lists lose their last items, which are the least, and long texts their last lines;
//! the metadata says how many, and what to do about it. Size is never an error.

use codecompass_engine::query;
use serde_json::{Value, json};

use super::value_pages::{LeftOut, Next, Paged, even_out, turn_page};

/// No answer costs more; clients cut those of 25,000 tokens.
pub(crate) const MOST_TOKENS: usize = 20_000;

/// What the note about things left out costs.
const NOTE_TOKENS: usize = 120;
/// What a short note costs.
const SHORT_NOTE_TOKENS: usize = 40;
/// What is said about an answer that has no room to say more.
const ESSENTIAL: &[&str] = &["ref", "freshness_status", "total_candidates", "returned", "offset", "next_offset"];

/// The answer, cut so that as text it has at most `most` tokens, counted on the safe side. `pages` are its lists that can be
/// continued.
pub(crate) fn fit(mut answer: Value, most: usize, pages: &[Paged]) -> Value {
    if tokens(&answer) <= most {
        return answer;
    }
    let whole = answer.clone();
    for is_short in [false, true] {
        let mut room = most;
        // The parts of a text may cost a little more or less than the whole, hence a few attempts.
        for _ in 0..4 {
            answer.clone_from(&whole);
            let mut metadata = answer.get_mut("metadata").map(Value::take).unwrap_or_else(|| json!({}));
            if let Some(fields) = metadata.as_object_mut().filter(|_| is_short) {
                fields.retain(|name, _| ESSENTIAL.contains(&name.as_str()));
            }
            let note_tokens = if is_short { SHORT_NOTE_TOKENS } else { NOTE_TOKENS };
            let mut left_out = LeftOut::new();
            let rest = room.saturating_sub(tokens(&metadata) + note_tokens);
            even_out(&mut answer, rest, pages, &mut left_out);
            shrink(&mut answer, rest, "", &mut left_out);
            let next = turn_page(&mut answer, &whole, pages, &mut left_out);
            metadata = note(metadata, &left_out, next, most, is_short);
            if let Some(fields) = metadata.as_object_mut().filter(|_| is_short) {
                fields.remove("left_out");
            }
            answer["metadata"] = metadata;
            if tokens(&answer) <= most {
                return answer;
            }
            room = room * 9 / 10;
        }
    }
    // Not even the frame of the answer fits.
    json!({"metadata": {"result_completeness": "truncated", "suggested_action": raise(most)}})
}

/// What to do about an answer that was cut; what really gives the rest comes first.
fn advice(next: &Next, goes_on: bool, most: usize, is_short: bool) -> String {
    let (can_raise, raise) = (most < MOST_TOKENS, raise(most));
    match next {
        Next::BehindPart(_) => {
            let first =
                if can_raise { raise } else { "the first item is too large for any answer: ask about a part".into() };
            let behind =
                if is_short { "" } else { "; offset = next_offset gives what is behind the first item, which is cut" };
            format!("{first}{behind}")
        }
        _ if is_short && goes_on => "call again with offset = next_offset, or raise max_tokens".to_string(),
        _ if is_short => raise,
        _ => {
            let go_on = if goes_on { "call again with offset = next_offset, " } else { "" };
            let narrower = "a path, a kind, a smaller limit or depth, one direction, or a symbol inside";
            match (can_raise, goes_on) {
                (true, _) => format!("{go_on}narrow the question, or {raise}"),
                (false, true) => format!("{go_on}or narrow the question: {narrower}"),
                (false, false) => format!("narrow the question: {narrower}"),
            }
        }
    }
}

fn raise(most: usize) -> String {
    format!("raise max_tokens (now {most}, at most {MOST_TOKENS})")
}

pub(super) fn tokens(value: &Value) -> usize {
    query::estimate_tokens(&value.to_string())
}

/// Says what is not there and how to get it.
fn note(mut metadata: Value, left_out: &LeftOut, next: Next, most: usize, is_short: bool) -> Value {
    let items: usize = left_out.iter().filter(|(place, _)| !is_text(place)).map(|(_, count)| count).sum();
    if let Some(returned) = metadata.get("returned").and_then(Value::as_u64) {
        metadata["returned"] = json!(returned.saturating_sub(items as u64));
    }
    metadata["result_completeness"] = json!("truncated");
    metadata["left_out"] = json!(left_out);
    let offset = metadata.get("offset").and_then(Value::as_u64).unwrap_or(0);
    let next_offset = match next {
        Next::Same => metadata.get("next_offset").and_then(Value::as_u64),
        Next::Behind(kept) | Next::BehindPart(kept) => Some(offset + kept as u64),
        Next::Unclear => None,
    };
    if let Some(fields) = metadata.as_object_mut() {
        fields.remove("next_offset");
        fields.extend(next_offset.map(|next| ("next_offset".to_string(), json!(next))));
    }
    metadata["suggested_action"] = json!(advice(&next, next_offset.is_some(), most, is_short));
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

    const RESULTS: &[Paged] = &[("results", &[])];

    #[test]
    fn what_fits_is_left_alone() {
        let answer = json!({"results": hits(3), "metadata": {"returned": 3}});
        assert_eq!(fit(answer.clone(), 1000, &[]), answer);
    }

    #[test]
    fn lists_lose_their_last_items() {
        let answer = json!({"results": hits(500), "symbol": {"name": "x"}, "metadata": {"returned": 500}});
        for most in [300, 1000, 5000] {
            let cut = fit(answer.clone(), most, RESULTS);
            assert!(tokens(&cut) <= most, "{cut}");
            let kept = cut["results"].as_array().unwrap().len();
            assert!(kept > 0 && cut["results"][0] == answer["results"][0]);
            assert_eq!(cut["metadata"]["returned"], kept);
            assert_eq!(cut["metadata"]["left_out"]["results"], 500 - kept);
            assert_eq!(cut["metadata"]["result_completeness"], "truncated");
            assert_eq!(cut["metadata"]["next_offset"], kept);
            assert_eq!(cut["symbol"]["name"], "x");
        }
    }

    #[test]
    fn texts_and_what_is_nested_are_cut_too() {
        let source = "let answer = compute(question);\n".repeat(3000);
        let cut = fit(json!({"symbol": {"name": "x"}, "source": source}), 2000, &[("source", &[])]);
        assert!(tokens(&cut) <= 2000);
        let lines = cut["source"].as_str().unwrap().lines().count();
        assert!(lines > 50);
        assert_eq!(cut["metadata"]["left_out"]["source lines"], 3000 - lines);
        assert_eq!(cut["metadata"]["next_offset"], lines);
        // One class with many methods is still shown with its first ones.
        let cut = fit(json!({"symbols": [{"name": "Large", "children": hits(2000)}]}), 3000, &[]);
        assert!(tokens(&cut) <= 3000);
        assert!(cut["symbols"][0]["children"].as_array().unwrap().len() > 20, "{cut}");
    }

    #[test]
    fn there_is_always_a_valid_answer() {
        let symbol = json!({"name": "x".repeat(150), "path": "y".repeat(150), "signature": "z".repeat(150)});
        let metadata = json!({"ref": "main", "root": "/a/long/path/to/somewhere", "commit": "0".repeat(40), "warnings": ["w".repeat(90)]});
        let answer = json!({"symbol": symbol, "results": hits(50), "metadata": metadata});
        for most in [100, 150, 200, 300, 400] {
            let cut = fit(answer.clone(), most, RESULTS);
            assert!(tokens(&cut) <= most, "{most}: {cut}");
            assert_eq!(cut["metadata"]["result_completeness"], "truncated", "{cut}");
            assert!(cut["metadata"]["suggested_action"].as_str().unwrap().contains("max_tokens"), "{cut}");
        }
    }
}
