//! Text of `index`.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::sync::synced;
use crate::api::index::build::{IndexAnswer, IndexRequest, SkippedAnswer};
use crate::remedy::Audience;
use crate::render::shown;
use crate::terminal::output::{DIM, PATH};

pub fn text(_: &IndexRequest, answer: &IndexAnswer, audience: Audience) -> String {
    match answer {
        IndexAnswer::Synced(answer) => synced(answer, audience),
        IndexAnswer::Skipped(answer) => skipped(answer),
    }
}

fn skipped(answer: &SkippedAnswer) -> String {
    let mut out = String::new();
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for skipped in &answer.skipped {
        let slash = if skipped.is_dir { "/" } else { "" };
        let _ = writeln!(out, "{PATH}{}{slash}{PATH:#}  {DIM}{}{DIM:#}", shown(&skipped.path), skipped.detail);
        *counts.entry(skipped.reason).or_default() += 1;
    }
    let counts: Vec<String> =
        counts.iter().map(|(code, count)| format!("{count} {}", code.replace('_', " "))).collect();
    let colon = if counts.is_empty() { "" } else { ": " };
    let _ = writeln!(out, "{} skipped{colon}{}", answer.total, counts.join(", "));
    out
}
