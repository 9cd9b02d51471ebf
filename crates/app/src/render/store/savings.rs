//! Text of `savings`.

use std::fmt::Write as _;

use crate::api::store::savings::SavingsAnswer;
use crate::render;
use crate::savings::CallSums;
use crate::terminal::output::{DIM, NAME};

pub fn text(answer: &SavingsAnswer) -> String {
    let mut out = String::new();
    match &answer.since {
        None => out.push_str("no call of an agent was counted yet\n"),
        Some(since) => table(&mut out, answer, since),
    }
    if answer.unreadable_lines > 0 {
        let _ = writeln!(out, "{} of the ledger cannot be read", render::count(answer.unreadable_lines, "line"));
    }
    if answer.is_reset {
        out.push_str("all of it is forgotten now\n");
    }
    if !answer.enabled {
        out.push_str("calls are not counted: `savings.enabled` is false\n");
    }
    out
}

fn table(out: &mut String, answer: &SavingsAnswer, since: &str) {
    let total = &answer.total;
    let calls = render::count(total.calls as usize, "call");
    let _ = writeln!(out, "{NAME}{calls} since {since}{NAME:#}, {} without places", total.without_places);
    let width = answer.tools.iter().map(|tool| tool.tool.len()).max().unwrap_or(0).max("total".len());
    let _ = writeln!(out, "{DIM}{:<width$}  {:>8}  {:>12}  {:>12}{DIM:#}", "tool", "calls", "tokens", "in place of");
    let rows = answer.tools.iter().map(|tool| (tool.tool.as_str(), &tool.sums));
    for (name, sums) in rows.chain([("total", total)]) {
        let CallSums { calls, answer_tokens, replaced_tokens, .. } = sums;
        let _ = writeln!(out, "{name:<width$}  {calls:>8}  {answer_tokens:>12}  {replaced_tokens:>12}");
    }
    let _ = writeln!(out, "{DIM}{}{DIM:#}", answer.rule);
}
