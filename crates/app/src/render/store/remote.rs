//! Text of `state push`, `pull`, `list` and `prune`.

use std::fmt::Write as _;

use crate::api::store::remote::{PruneAnswer, PullAnswer, PushAnswer, StatesAnswer};
use crate::render;
use crate::terminal::output::{DIM, NAME};

/// Returns the text of `state push`.
pub fn push_text(answer: &PushAnswer) -> String {
    let of = commit(answer.commit.as_deref());
    if !answer.is_new {
        return format!("{} has the index{of} already\n", answer.remote);
    }
    let signed = if answer.is_signed { ", signed" } else { "" };
    format!(
        "pushed the index{of} to {}{signed} ({} of {} were new, {} sent)\n",
        answer.remote,
        render::bytes(answer.new_bytes),
        render::bytes(answer.total_bytes),
        render::bytes(answer.sent_bytes)
    )
}

/// Returns the text of `state pull`.
pub fn pull_text(answer: &PullAnswer) -> String {
    let verb = if answer.imported.has_replaced { "replaced the index by the one" } else { "took the index" };
    format!(
        "{verb}{} from {}, pushed {} ({}, {} received)\n{DIM}the next question parses what differs{DIM:#}\n",
        commit(answer.commit.as_deref()),
        answer.remote,
        answer.pushed_at,
        render::bytes(answer.total_bytes),
        render::bytes(answer.received_bytes)
    )
}

/// Returns the text of `state list`.
pub fn list_text(answer: &StatesAnswer) -> String {
    if answer.states.is_empty() {
        return format!("{} has no state of this repository (family {})\n", answer.remote, answer.family);
    }
    let count = render::count(answer.states.len(), "state");
    let mut out = format!("{NAME}{}{NAME:#} {DIM}{count} of family {}{DIM:#}\n", answer.remote, answer.family);
    for state in &answer.states {
        let usable = if state.is_compatible { "" } else { ", which this program cannot use" };
        let hash = state.state.rsplit('-').next().unwrap_or_default();
        let _ = writeln!(
            out,
            "{}  {}  {DIM}format {}.{}{usable}{DIM:#}",
            state.pushed_at,
            &hash[..hash.len().min(12)],
            state.format,
            state.facts_version
        );
    }
    out
}

/// Returns the text of `state prune`.
pub fn prune_text(answer: &PruneAnswer) -> String {
    let verb = if answer.is_dry { "would remove" } else { "removed" };
    let (states, packs) = (render::count(answer.removed_states, "state"), render::count(answer.removed_packs, "pack"));
    let (bytes, kept) = (render::bytes(answer.removed_bytes), render::count(answer.kept_states, "state"));
    let mut out = format!("{verb} {states} and {packs} ({bytes}) from {}; {kept} left\n", answer.remote);
    if let Some(state) = answer.unreadable.first() {
        let _ = writeln!(out, "no pack was removed, since a state that is left cannot be read: {state}");
    }
    out
}

fn commit(commit: Option<&str>) -> String {
    commit.map(|commit| format!(" of commit {}", &commit[..commit.len().min(12)])).unwrap_or_default()
}
