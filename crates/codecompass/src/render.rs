//! Answers as text and as JSON. The engine's types become words only here.

use std::fmt::Write as _;

use codecompass_engine::query::{Explanation, Hit, OutlineNode, Snippet};
use serde_json::{Map, Value, json};

use crate::cli::{Detail, Explain};
use crate::output::{DIM, KIND, LINE, MATCH, NAME, PATH};

/// The version of the answer format.
pub(crate) const PROTOCOL: &str = "1.0";

/// One hit as a JSON object.
pub(crate) fn hit_json(hit: &Hit, detail: Detail, explain: Explain) -> Value {
    let mut object = Map::new();
    object.insert("path".into(), json!(hit.path));
    object.insert("line_start".into(), json!(hit.line_start));
    object.insert("line_end".into(), json!(hit.line_end));
    object.insert("kind".into(), json!(hit.kind.as_str()));
    object.insert("name".into(), json!(hit.name));
    if detail >= Detail::Signature {
        object.insert("qualified_name".into(), json!(hit.qualified_name));
        object.insert("language".into(), json!(hit.language));
        if !hit.symbol_id.is_empty() {
            object.insert("signature".into(), json!(hit.signature));
            object.insert("visibility".into(), json!(hit.visibility.map(|visibility| visibility.as_str())));
            object.insert("symbol_id".into(), json!(hit.symbol_id));
            object.insert("symbol_stable_id".into(), json!(hit.symbol_stable_id));
        }
        if !hit.other_places.is_empty() {
            let places = hit
                .other_places
                .iter()
                .map(|place| json!({"path": place.path, "line_start": place.line_start, "line_end": place.line_end}));
            object.insert("other_places".into(), places.collect());
        }
        object.insert("score".into(), json!(hit.score));
    }
    if explain != Explain::Off {
        let parts = shown_parts(&hit.explanation, explain);
        let parts: Vec<Value> = parts.map(|(name, value)| json!({"reason": name, "value": value})).collect();
        object.insert("ranking_reasons".into(), json!(parts));
    }
    Value::Object(object)
}

fn shown_parts(explanation: &Explanation, explain: Explain) -> impl Iterator<Item = (&'static str, f64)> {
    let mut parts: Vec<_> = explanation.parts.iter().map(|part| (part.name.as_str(), part.value)).collect();
    if explain == Explain::Basic {
        parts.sort_by(|a, b| b.1.abs().total_cmp(&a.1.abs()));
        parts.truncate(3);
    }
    parts.into_iter()
}

/// One hit as text: a line with its place, then signature, doc, snippet and explanation as asked for.
pub(crate) fn hit_text(out: &mut String, hit: &Hit, snippet: Option<&Snippet>, explain: Explain) {
    let range = if hit.line_end > hit.line_start { format!("-{}", hit.line_end) } else { String::new() };
    let _ = write!(
        out,
        "{PATH}{}{PATH:#}:{LINE}{}{LINE:#}{DIM}{range}{DIM:#}  {KIND}{}{KIND:#}",
        hit.path,
        hit.line_start,
        hit.kind.as_str()
    );
    if !hit.symbol_id.is_empty() {
        let _ = write!(out, "  {NAME}{}{NAME:#}", hit.qualified_name);
    }
    out.push('\n');
    if !hit.signature.is_empty() && hit.signature != hit.qualified_name {
        let _ = writeln!(out, "    {}", shortened(&hit.signature));
    }
    if !hit.other_places.is_empty() {
        let shown: Vec<String> =
            hit.other_places.iter().take(3).map(|place| format!("{}:{}", place.path, place.line_start)).collect();
        let more = hit.other_places.len() - shown.len();
        let rest = if more > 0 { format!(" and {more} more") } else { String::new() };
        let _ = writeln!(out, "    {DIM}also at {}{rest}{DIM:#}", shown.join(", "));
    }
    if let Some(line) = hit.doc.as_deref().and_then(|doc| doc.lines().next()) {
        let _ = writeln!(out, "    {DIM}{line}{DIM:#}");
    }
    if let Some(snippet) = snippet {
        snippet_text(out, snippet);
    }
    score_text(out, hit, explain);
}

/// A line that says what a hit's score is made of.
pub(crate) fn score_text(out: &mut String, hit: &Hit, explain: Explain) {
    if explain != Explain::Off {
        let parts: Vec<String> =
            shown_parts(&hit.explanation, explain).map(|(name, value)| format!("{name} {value:+}")).collect();
        let _ = writeln!(out, "    {DIM}score {} = {}{DIM:#}", hit.score, parts.join("  "));
    }
}

fn snippet_text(out: &mut String, snippet: &Snippet) {
    let indent =
        snippet.lines.iter().filter(|line| !line.trim().is_empty()).map(|line| leading_space(line)).min().unwrap_or(0);
    for (number, (line, marks)) in snippet.lines.iter().zip(&snippet.marks).enumerate() {
        if line.trim().is_empty() {
            continue;
        }
        let _ = write!(out, "  {LINE}{:>5}{LINE:#} {DIM}|{DIM:#} ", snippet.first_line as usize + number);
        let mut at = indent.min(line.len());
        let limit = line.floor_char_boundary((at + 160).min(line.len()));
        for mark in marks.iter().filter(|mark| mark.start >= indent && mark.end <= limit) {
            let _ = write!(out, "{}{MATCH}{}{MATCH:#}", &line[at..mark.start], &line[mark.clone()]);
            at = mark.end;
        }
        let _ = writeln!(out, "{}{}", &line[at..limit.max(at)], if limit < line.len() { "…" } else { "" });
    }
}

/// A declaration cut to about a line; JSON has all of it.
pub(crate) fn shortened(signature: &str) -> std::borrow::Cow<'_, str> {
    const MAX_BYTES: usize = 140;
    match signature.len() > MAX_BYTES {
        true => format!("{}…", signature[..signature.floor_char_boundary(MAX_BYTES)].trim_end()).into(),
        false => signature.into(),
    }
}

fn leading_space(line: &str) -> usize {
    line.len() - line.trim_start_matches([' ', '\t']).len()
}

/// A node of an outline as JSON, with its children unless `top`.
pub(crate) fn node_json(node: &OutlineNode, top: bool) -> Value {
    let children: Vec<Value> =
        if top { Vec::new() } else { node.children.iter().map(|child| node_json(child, false)).collect() };
    json!({
        "kind": node.kind.as_str(),
        "name": node.name,
        "line_start": node.line_start,
        "line_end": node.line_end,
        "signature": node.signature,
        "visibility": node.visibility.as_str(),
        "children": children,
    })
}

/// A node of an outline as text.
pub(crate) fn node_text(out: &mut String, node: &OutlineNode, depth: usize, top: bool) {
    let shown = shortened(if node.signature.is_empty() { &node.name } else { &node.signature });
    let _ = writeln!(
        out,
        "{LINE}{:>6}{LINE:#}  {:indent$}{KIND}{}{KIND:#}  {shown}",
        node.line_start,
        "",
        node.kind.as_str(),
        indent = depth * 2
    );
    if !top {
        node.children.iter().for_each(|child| node_text(out, child, depth + 1, false));
    }
}

/// A number of things.
pub(crate) fn count(count: usize, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}

/// Bytes for a person.
pub(crate) fn bytes(count: u64) -> String {
    match count {
        0..=9_999 => format!("{count} B"),
        10_000..=9_999_999 => format!("{:.1} KB", count as f64 / 1e3),
        _ => format!("{:.1} MB", count as f64 / 1e6),
    }
}
