//! Cuts the lists of an answer so that its next page goes on where this one ends: all of them to one length, since `offset` skips
//! as many items of each.

use std::collections::BTreeMap;

use serde_json::Value;

use super::value_budget::tokens;

/// How much was left out, by where: items of lists, lines of texts.
pub(super) type LeftOut = BTreeMap<String, usize>;

/// A list whose items `offset` skips, or a text whose lines it skips; and the fields that tell the groups apart which it skips
/// items of, each for itself.
pub(crate) type Paged = (&'static str, &'static [&'static str]);

/// What stands at a place such as `summary.added_symbols`.
fn at<'a>(answer: &'a Value, place: &str) -> Option<&'a Value> {
    place.split('.').try_fold(answer, |inside, name| inside.get(name))
}

fn at_mut<'a>(answer: &'a mut Value, place: &str) -> Option<&'a mut Value> {
    place.split('.').try_fold(answer, |inside, name| inside.get_mut(name))
}

/// How many items a list has, or lines a text.
fn length(list: &Value) -> usize {
    match list {
        Value::Array(items) => items.len(),
        Value::String(text) => text.split_inclusive('\n').count(),
        _ => 0,
    }
}

/// Cuts the list or text at `place` to this many items or lines, and notes how many that costs.
fn cut_to(answer: &mut Value, place: &str, kept: usize, left_out: &mut LeftOut) {
    let Some(list) = at_mut(answer, place) else { return };
    let gone = length(list).saturating_sub(kept);
    if gone == 0 {
        return;
    }
    let noted = match list {
        Value::Array(items) => {
            items.truncate(kept);
            place.to_string()
        }
        Value::String(text) => {
            *text = text.split_inclusive('\n').take(kept).collect();
            format!("{place} lines")
        }
        _ => return,
    };
    *left_out.entry(noted).or_default() += gone;
}

/// Cuts several lists to one length with which the answer fits, if there is such: otherwise the longest would give all.
pub(super) fn even_out(answer: &mut Value, room: usize, pages: &[Paged], left_out: &mut LeftOut) {
    if pages.len() < 2 || tokens(answer) <= room {
        return;
    }
    let costs = |list: &Value| -> Vec<usize> {
        match list {
            Value::Array(items) => items.iter().map(|item| tokens(item) + 1).collect(),
            Value::String(text) => text.split_inclusive('\n').map(|line| tokens(&Value::from(line))).collect(),
            _ => Vec::new(),
        }
    };
    let lists: Vec<Vec<usize>> = pages.iter().filter_map(|(place, _)| at(answer, place)).map(costs).collect();
    let mut frame = answer.clone();
    pages.iter().for_each(|(place, _)| cut_to(&mut frame, place, 0, &mut LeftOut::new()));
    let (mut length, mut spent) = (0, tokens(&frame));
    while lists.iter().any(|costs| costs.len() > length) {
        spent += lists.iter().filter_map(|costs| costs.get(length)).sum::<usize>();
        if spent > room {
            break;
        }
        length += 1;
    }
    if length > 0 {
        pages.iter().for_each(|(place, _)| cut_to(answer, place, length, left_out));
    }
}

/// How an answer that was cut goes on.
pub(super) enum Next {
    /// Where it would have gone on anyway: no list was cut.
    Same,
    /// Behind this many items, or lines, of each list.
    Behind(usize),
    /// The same, but the one item that is there was too large for itself and lost something inside.
    BehindPart(usize),
    /// Nobody can say: of several lists some would be given twice or not at all.
    Unclear,
}

/// Finds out where the next page begins. All lists are cut to the same length, so that none of them loses anything on the
/// way to the next page, nor repeats it.
pub(super) fn turn_page(answer: &mut Value, whole: &Value, pages: &[Paged], left_out: &mut LeftOut) -> Next {
    let is_inside =
        |place: &str| left_out.keys().any(|cut| cut.strip_prefix(place).is_some_and(|it| it.starts_with('.')));
    let is_part = pages.iter().any(|(place, _)| is_inside(place));
    let is_cut = |(place, _): &&Paged| {
        left_out.contains_key(*place) || left_out.contains_key(&format!("{place} lines")) || is_inside(place)
    };
    let cut: Vec<&Paged> = pages.iter().filter(is_cut).collect();
    let mut kept = usize::MAX;
    for (place, groups) in &cut {
        if let Some(items) = at(whole, place).and_then(Value::as_array) {
            let is_one_group = |group: &&str| items.windows(2).all(|pair| pair[0][group] == pair[1][group]);
            if !groups.iter().all(is_one_group) {
                return Next::Unclear;
            }
        }
        // Of a text whose first line does not fit, its beginning is left, which is no line.
        let gone = left_out.get(&format!("{place} lines")).copied().unwrap_or(0);
        let (before, after) = (at(whole, place).map_or(0, length), at(answer, place).map_or(0, length));
        kept = kept.min(if gone > 0 { before.saturating_sub(gone) } else { after });
    }
    if cut.is_empty() {
        return Next::Same;
    }
    if kept == 0 {
        return Next::Unclear;
    }
    pages.iter().for_each(|(place, _)| cut_to(answer, place, kept, left_out));
    if is_part { Next::BehindPart(kept) } else { Next::Behind(kept) }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::value_budget::fit;
    use super::*;

    fn hits(count: usize) -> Value {
        let hit = |number| json!({"path": format!("src/file{number}.rs"), "line_start": number, "name": "some_name"});
        (0..count).map(hit).collect()
    }

    #[test]
    fn several_lists_are_cut_to_one_length() {
        let answer =
            json!({"a": hits(400), "b": hits(300), "c": hits(2), "metadata": {"offset": 7, "next_offset": 407}});
        let pages: &[Paged] = &[("a", &[]), ("b", &[]), ("c", &[])];
        let cut = fit(answer, 3000, pages);
        let length = |field: &str| cut[field].as_array().unwrap().len();
        assert!(length("a") > 2 && length("a") == length("b") && length("c") == 2, "{cut}");
        assert_eq!(cut["metadata"]["next_offset"], 7 + length("a"));
        assert_eq!(cut["metadata"]["left_out"], json!({"a": 400 - length("a"), "b": 300 - length("b")}));
        // Where one list is several, a number behind it says nothing.
        let mixed: Vec<Value> = (0..500).map(|at| json!({"name": at, "depth": at / 100})).collect();
        let answer = json!({"edges": mixed, "metadata": {"next_offset": 1000}});
        let cut = fit(answer, 1000, &[("edges", &["depth"])]);
        assert_eq!(cut["metadata"].get("next_offset"), None);
    }

    #[test]
    fn lists_and_texts_inside_are_cut_to_one_length() {
        let source = "let answer = compute(question);\n".repeat(300);
        let answer = json!({
            "summary": {"added": hits(200), "gone": hits(100)},
            "before": {"source": source, "name": "x"},
            "metadata": {"offset": 5},
        });
        let pages: &[Paged] = &[("summary.added", &[]), ("summary.gone", &[]), ("before.source", &[]), ("none", &[])];
        let cut = fit(answer, 2000, pages);
        let length = |place: &str| length(at(&cut, place).unwrap());
        let kept = length("summary.added");
        assert!(kept > 5 && kept == length("summary.gone") && kept == length("before.source"), "{cut}");
        assert_eq!(cut["metadata"]["next_offset"], 5 + kept);
        let left_out =
            json!({"summary.added": 200 - kept, "summary.gone": 100 - kept, "before.source lines": 300 - kept});
        assert_eq!(cut["metadata"]["left_out"], left_out);
    }

    #[test]
    fn who_loses_something_inside_is_told_to_ask_for_more() {
        let answer = json!({"paths": [{"edges": hits(200)}, {"edges": hits(2)}], "metadata": {}});
        let cut = fit(answer, 1000, &[("paths", &[])]);
        assert!(!cut["paths"][0]["edges"].as_array().unwrap().is_empty(), "{cut}");
        assert_eq!(cut["metadata"]["next_offset"], 1);
        let advice = cut["metadata"]["suggested_action"].as_str().unwrap();
        assert!(advice.starts_with("raise max_tokens (now 1000"), "{advice}");
    }
}
