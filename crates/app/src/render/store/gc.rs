//! Text of `gc`.

use std::fmt::Write as _;

use crate::api::store::gc::GcAnswer;
use crate::render;
use crate::terminal::output::DIM;

pub fn text(answer: &GcAnswer) -> String {
    let mut out = format!(
        "dropped {} and removed {}; the store has {} (before: {})\n",
        render::count(answer.views.len(), "view"),
        render::count(answer.removed_versions as usize, "file version"),
        render::bytes(answer.store_bytes),
        render::bytes(answer.store_bytes_before)
    );
    if answer.removed_commits > 0 {
        let commits = render::count(answer.removed_commits, "commit");
        let _ = writeln!(out, "forgot {commits} that no ref reaches");
    }
    for view in &answer.views {
        let _ = writeln!(out, "    {} {}  {DIM}{}{DIM:#}", view.kind, view.name, view.reason);
    }
    for url in &answer.removed_clones {
        let _ = writeln!(out, "removed the clone of {url}  {DIM}not used for long{DIM:#}");
    }
    for store in &answer.removed_stores {
        let bytes = render::bytes(store.bytes);
        let _ = writeln!(out, "removed the index of {}, {bytes}  {DIM}{}{DIM:#}", store.identity, store.reason);
    }
    if answer.waiting_versions > 0 {
        let _ = writeln!(out, "{} more are kept for a while; --now removes them", answer.waiting_versions);
    }
    out
}
