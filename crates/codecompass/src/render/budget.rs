//! Answers inside a token budget, as text and as JSON: what a result looks like, and what all that is printed costs.

use std::fmt::Write as _;

use codecompass_engine::query::{self, Code, ContextAnswer, ContextOptions, Excerpt, Shown};
use codecompass_engine::{Engine, Error as EngineError, Snapshot};
use serde_json::{Value, json};

use crate::remedy::Remedy;
use crate::render;
use crate::terminal::output::{DIM, KIND, LINE, NAME, PATH};

/// A budget below this has no room for an answer: a few places, or one and some lines.
pub(crate) const LEAST_TOKENS: usize = 100;

/// Hits that are chosen from when nothing else is said.
pub(crate) const LIMIT: u32 = 30;

/// Below this a JSON answer does not say how to get more.
const HINT_FROM: usize = 250;

/// How an answer is put out.
#[derive(Clone, Debug)]
pub(crate) enum Format {
    /// With styles when they are to be printed, too.
    Text { styled: bool },
    /// With the metadata that every answer has.
    Json { metadata: Value },
}

/// An answer as it is printed.
pub(crate) struct Printed {
    pub answer: ContextAnswer,
    /// With styles, which a terminal may show; or JSON.
    pub text: String,
    /// At least what the text costs.
    pub tokens: usize,
}

/// Asks for code and puts it out for at most `options.budget` tokens; `None` when not even the frame costs so little.
pub(crate) fn print(
    snapshot: &Snapshot,
    engine: &Engine,
    query: &str,
    options: &ContextOptions,
    format: &Format,
) -> Result<Option<Printed>, EngineError> {
    let max = options.budget;
    let reserved = tokens(&frame(format, None, max), format);
    let Some(budget) = max.checked_sub(reserved) else { return Ok(None) };
    let cost = |excerpt: &Excerpt| match format {
        Format::Text { .. } => tokens(&excerpt_text(excerpt), format),
        Format::Json { .. } => tokens(&format!("{},", excerpt_json(excerpt)), format),
    };
    let options = ContextOptions { budget, ..options.clone() };
    let config = &engine.config().index;
    let mut answer = query::context(snapshot, engine.source(), config, query, &options, &cost)?;
    loop {
        let text = frame(format, Some(&answer), max);
        let tokens = tokens(&text, format);
        if tokens <= max {
            let text = match format {
                Format::Text { .. } => text,
                Format::Json { .. } => text.replacen(&estimate(max), &estimate(tokens), 1),
            };
            return Ok(Some(Printed { answer, text, tokens }));
        }
        // The parts of an answer cost at least what the whole does, so this is only here for when that is wrong.
        if answer.excerpts.pop().is_none() {
            return Ok(None);
        }
        answer.remaining += 1;
    }
}

fn tokens(text: &str, format: &Format) -> usize {
    match format {
        Format::Text { styled: false } => query::estimate_tokens(&anstream::adapter::strip_str(text).to_string()),
        _ => query::estimate_tokens(text),
    }
}

/// The whole output; without an answer, everything but its results, with the longest numbers.
fn frame(format: &Format, answer: Option<&ContextAnswer>, max: usize) -> String {
    match format {
        Format::Text { .. } => {
            let mut out = String::new();
            answer.iter().flat_map(|answer| &answer.excerpts).for_each(|excerpt| out.push_str(&excerpt_text(excerpt)));
            out.push_str(&footer(answer, max));
            out
        }
        Format::Json { metadata } => {
            let results: Vec<Value> = answer.iter().flat_map(|answer| &answer.excerpts).map(excerpt_json).collect();
            let mut metadata = metadata.clone();
            // Replaced by what was counted; the largest number it can be keeps its place.
            metadata["estimated_tokens"] = json!(max);
            metadata["query_intent"] = json!(answer.map_or("natural_language", |answer| answer.routed.intent.as_str()));
            metadata["returned"] = json!(answer.map_or(MANY, |answer| answer.excerpts.len()));
            metadata["total_candidates"] = json!(answer.map_or(MANY, |answer| answer.total));
            let is_truncated = answer.is_none_or(ContextAnswer::is_truncated);
            metadata["truncated"] = json!(is_truncated);
            if is_truncated {
                metadata["result_completeness"] = json!("truncated");
                if max >= HINT_FROM {
                    metadata["suggested_action"] = json!(more(max));
                }
            }
            format!("{}\n", json!({"results": results, "metadata": metadata}))
        }
    }
}

const MANY: usize = 999_999;

fn estimate(tokens: usize) -> String {
    format!("\"estimated_tokens\":{tokens},")
}

/// The last line of a text: what was left out, and how to get it.
fn footer(answer: Option<&ContextAnswer>, max: usize) -> String {
    let (returned, total, truncated) = match answer {
        Some(answer) if answer.total == 0 => {
            return "nothing found; try other words, fewer filters, or `codecompass status`\n".to_string();
        }
        Some(answer) => (answer.excerpts.len(), answer.total, answer.is_truncated()),
        None => (MANY, MANY, true),
    };
    match truncated {
        true => format!("{DIM}{returned} results from {total} hits; {}{DIM:#}\n", more(max)),
        false => String::new(),
    }
}

fn more(max: usize) -> String {
    Remedy::ShowOrRaiseTokens(max.saturating_mul(2)).for_cli()
}

/// One result as text: its place, then its lines as they are in the file.
fn excerpt_text(excerpt: &Excerpt) -> String {
    let hit = &excerpt.hit;
    let range = if hit.line_end > hit.line_start { format!("-{}", hit.line_end) } else { String::new() };
    let mut out = format!("{PATH}{}{PATH:#}:{LINE}{}{range}{LINE:#}", hit.path, hit.line_start);
    let _ = write!(out, " {KIND}{}{KIND:#}", hit.kind.as_str());
    if !hit.symbol_id.is_empty() {
        let _ = write!(out, " {NAME}{}{NAME:#}", hit.qualified_name);
    }
    if let Some(caller) = &excerpt.called_by {
        let _ = write!(out, " {DIM}called by {caller}{DIM:#}");
    }
    if let Some(container) = &excerpt.container {
        let _ = write!(out, " {DIM}in {}{DIM:#}", render::shortened(container));
    }
    out.push('\n');
    match &excerpt.shown {
        Shown::Location => {}
        Shown::Signature if hit.signature.is_empty() => {}
        Shown::Signature => {
            let _ = writeln!(out, "    {}", render::shortened(&hit.signature));
        }
        Shown::Code(code) => {
            let _ = writeln!(out, "{}\n", code_text(excerpt, code));
        }
    }
    out
}

/// Lines with a mark for each gap.
fn code_text(excerpt: &Excerpt, code: &Code) -> String {
    let mut lines: Vec<String> = Vec::new();
    let mut next = excerpt.hit.line_start;
    let gap = |lines: &mut Vec<String>, from: u32, to: u32| {
        if to > from {
            // What is not left out is shown by other results.
            let is_elsewhere = code.left_out == 0;
            let count = render::count((to - from) as usize, "line");
            lines.push(if is_elsewhere { "...".into() } else { format!("... {count} left out") });
        }
    };
    for piece in &code.pieces {
        gap(&mut lines, next, piece.first_line);
        lines.extend(piece.lines.iter().cloned());
        next = piece.first_line + u32::try_from(piece.lines.len()).unwrap_or(0);
    }
    gap(&mut lines, next, excerpt.hit.line_end.saturating_add(1));
    lines.join("\n")
}

/// One result as a JSON object. What the place says already is not said again.
fn excerpt_json(excerpt: &Excerpt) -> Value {
    let hit = &excerpt.hit;
    let mut object = json!({
        "path": hit.path,
        "line_start": hit.line_start,
        "line_end": hit.line_end,
        "kind": hit.kind.as_str(),
        "name": hit.name,
    });
    if !hit.symbol_id.is_empty() && hit.qualified_name != hit.name {
        object["qualified_name"] = json!(hit.qualified_name);
    }
    if let Some(caller) = &excerpt.called_by {
        object["called_by"] = json!(caller);
    }
    if let Some(container) = &excerpt.container {
        object["container"] = json!(container);
    }
    match &excerpt.shown {
        Shown::Location => {}
        Shown::Signature if hit.signature.is_empty() => {}
        Shown::Signature => object["signature"] = json!(render::shortened(&hit.signature)),
        Shown::Code(code) => {
            object["code"] = json!(code_text(excerpt, code));
            if let Some(first) = code.pieces.first().filter(|first| first.first_line < hit.line_start) {
                object["code_line"] = json!(first.first_line);
            }
            if code.left_out > 0 {
                object["lines_left_out"] = json!(code.left_out);
            }
        }
    }
    object
}
