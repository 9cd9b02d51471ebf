//! Text of `context`. The token budget holds for all of it.

use std::fmt::Write as _;

use codecompass_engine::query::estimate_tokens;

use crate::api::find::context::{ContextAnswer, ContextRequest, CountedForm, ExcerptView};
use crate::remedy::{Audience, Remedy};
use crate::render::{count, shortened, shown};
use crate::terminal::output::{DIM, KIND, LINE, NAME, PATH};

pub fn text(_: &ContextRequest, answer: &ContextAnswer, audience: Audience) -> String {
    answer_text(answer, audience)
}

/// An answer as text, with styles if they are printed, too.
#[derive(Clone, Copy, Debug)]
pub struct TextForm {
    pub is_styled: bool,
    pub audience: Audience,
}

impl CountedForm for TextForm {
    fn answer_tokens(&self, answer: &ContextAnswer) -> usize {
        self.tokens(&answer_text(answer, self.audience))
    }

    fn result_tokens(&self, result: &ExcerptView) -> usize {
        self.tokens(&excerpt_text(result, self.audience))
    }
}

impl TextForm {
    fn tokens(self, text: &str) -> usize {
        if self.is_styled {
            estimate_tokens(text)
        } else {
            estimate_tokens(&anstream::adapter::strip_str(text).to_string())
        }
    }
}

/// Returns everything that is printed.
fn answer_text(answer: &ContextAnswer, audience: Audience) -> String {
    let mut out: String = answer.results.iter().map(|result| excerpt_text(result, audience)).collect();
    out.push_str(&footer(answer, audience));
    out
}

/// Returns one result: its place, then its lines as they are in the file, for agents with their
/// numbers.
pub(super) fn excerpt_text(result: &ExcerptView, audience: Audience) -> String {
    let range = if result.line_end > result.line_start { format!("-{}", result.line_end) } else { String::new() };
    let mut out = format!("{PATH}{}{PATH:#}:{LINE}{}{range}{LINE:#}", shown(&result.path), result.line_start);
    let _ = write!(out, " {KIND}{}{KIND:#}", result.kind);
    if let Some(symbol) = &result.symbol {
        let _ = write!(out, " {NAME}{}{NAME:#}", shown(symbol));
    }
    if let Some(caller) = &result.called_by {
        let _ = write!(out, " {DIM}called by {}{DIM:#}", shown(caller));
    }
    if let Some(container) = &result.container {
        let _ = write!(out, " {DIM}in {}{DIM:#}", shown(&shortened(container)));
    }
    out.push('\n');
    if let Some(signature) = &result.signature {
        let _ = writeln!(out, "    {}", shown(signature));
    }
    match (&result.code, audience) {
        (Some(code), Audience::Cli) => {
            let _ = writeln!(out, "{code}\n");
        }
        (Some(_), Audience::Tools) => pieces_text(&mut out, result),
        (None, _) => {}
    }
    out
}

/// Writes lines with their numbers; a gap in the numbers is a gap in the code.
fn pieces_text(out: &mut String, result: &ExcerptView) {
    let indent = |line: &&String| line.len() - line.trim_start_matches([' ', '\t']).len();
    let lines = result.pieces.iter().flat_map(|piece| &piece.lines);
    let indent = lines.filter(|line| !line.trim().is_empty()).map(|line| indent(&line)).min().unwrap_or(0);
    for piece in &result.pieces {
        for (number, line) in (piece.first_line..).zip(&piece.lines).filter(|(_, line)| !line.trim().is_empty()) {
            let _ = writeln!(out, "{number} {}", shown(line.get(indent..).unwrap_or(line)));
        }
    }
}

/// Returns the last line: what was left out, and how to get it.
fn footer(answer: &ContextAnswer, audience: Audience) -> String {
    let metadata = &answer.metadata;
    let (returned, total) = (metadata.returned.unwrap_or(0), metadata.total_candidates.unwrap_or(0));
    if total == 0 {
        let status = audience.question("status", "index_status");
        return format!("nothing found; try other words, fewer filters, or {status}\n");
    }
    if metadata.extra.as_ref().is_some_and(|extra| extra.is_truncated) {
        let remedy = Remedy::ShowOrRaiseTokens(answer.max_tokens.saturating_mul(2));
        let more = remedy.words(audience);
        let (results, hits) = (count(returned, "result"), count(total, "hit"));
        format!("{DIM}{results} from {hits}; {more}{DIM:#}\n")
    } else {
        String::new()
    }
}
