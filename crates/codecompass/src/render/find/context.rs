//! Text of `context`. The token budget holds for all of it.

use std::fmt::Write as _;

use codecompass_engine::query::estimate_tokens;

use crate::api::find::context::{ContextAnswer, ContextRequest, CountedForm, ExcerptView};
use crate::remedy::Remedy;
use crate::render::{count, shortened};
use crate::terminal::output::{DIM, KIND, LINE, NAME, PATH};

pub(crate) fn text(_: &ContextRequest, answer: &ContextAnswer) -> String {
    answer_text(answer)
}

/// An answer as text, with styles if they are printed, too.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TextForm {
    pub is_styled: bool,
}

impl CountedForm for TextForm {
    fn answer_tokens(&self, answer: &ContextAnswer) -> usize {
        self.tokens(&answer_text(answer))
    }

    fn result_tokens(&self, result: &ExcerptView) -> usize {
        self.tokens(&excerpt_text(result))
    }
}

impl TextForm {
    fn tokens(self, text: &str) -> usize {
        match self.is_styled {
            true => estimate_tokens(text),
            false => estimate_tokens(&anstream::adapter::strip_str(text).to_string()),
        }
    }
}

/// Returns everything that is printed.
fn answer_text(answer: &ContextAnswer) -> String {
    let mut out: String = answer.results.iter().map(excerpt_text).collect();
    out.push_str(&footer(answer));
    out
}

/// Returns one result: its place, then its lines as they are in the file.
fn excerpt_text(result: &ExcerptView) -> String {
    let range = if result.line_end > result.line_start { format!("-{}", result.line_end) } else { String::new() };
    let mut out = format!("{PATH}{}{PATH:#}:{LINE}{}{range}{LINE:#}", result.path, result.line_start);
    let _ = write!(out, " {KIND}{}{KIND:#}", result.kind);
    if let Some(symbol) = &result.symbol {
        let _ = write!(out, " {NAME}{symbol}{NAME:#}");
    }
    if let Some(caller) = &result.called_by {
        let _ = write!(out, " {DIM}called by {caller}{DIM:#}");
    }
    if let Some(container) = &result.container {
        let _ = write!(out, " {DIM}in {}{DIM:#}", shortened(container));
    }
    out.push('\n');
    if let Some(signature) = &result.signature {
        let _ = writeln!(out, "    {signature}");
    }
    if let Some(code) = &result.code {
        let _ = writeln!(out, "{code}\n");
    }
    out
}

/// Returns the last line: what was left out, and how to get it.
fn footer(answer: &ContextAnswer) -> String {
    let metadata = &answer.metadata;
    let (returned, total) = (metadata.returned.unwrap_or(0), metadata.total_candidates.unwrap_or(0));
    if total == 0 {
        return "nothing found; try other words, fewer filters, or `codecompass status`\n".to_string();
    }
    match metadata.extra.as_ref().is_some_and(|extra| extra.is_truncated) {
        true => {
            let more = Remedy::ShowOrRaiseTokens(answer.max_tokens.saturating_mul(2)).for_cli();
            let (results, hits) = (count(returned, "result"), count(total, "hit"));
            format!("{DIM}{results} from {hits}; {more}{DIM:#}\n")
        }
        false => String::new(),
    }
}
