//! Text of `sync`.

use std::fmt::Write as _;

use crate::api::index::sync::{SyncAnswer, SyncRequest};
use crate::remedy::Audience;
use crate::render::count;

pub fn text(_: &SyncRequest, answer: &SyncAnswer, audience: Audience) -> String {
    synced(answer, audience)
}

/// Returns what a sync did; `index` says the same.
pub(super) fn synced(answer: &SyncAnswer, audience: Audience) -> String {
    let counts = &answer.counts;
    let mut out = if counts.published {
        format!("{} parsed, {} unchanged, {} removed", counts.parsed, counts.reused, counts.removed)
    } else {
        "up to date".to_string()
    };
    if counts.unreadable > 0 {
        let list = audience.question("index --show-ignored", "health_check");
        let _ = write!(out, ", {} unreadable ({list} lists them)", counts.unreadable);
    }
    let _ = writeln!(out, "\n{}, {}", count(counts.files, "file"), count(counts.symbols, "symbol"));
    for warning in answer.metadata.warnings.iter().flatten() {
        let _ = writeln!(out, "{}", warning.text());
    }
    out
}
