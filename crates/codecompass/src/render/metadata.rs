//! Text of what an answer says about itself. What goes without saying is not said: a fresh,
//! complete answer about the files on disk has none.

use crate::api::metadata::{Completeness, Metadata};
use crate::render::shown;

/// Returns the lines about an answer: doubts about its freshness, advice, warnings, and the state
/// that answered where full metadata are asked for.
pub(crate) fn notes<E>(metadata: &Metadata<E>) -> Vec<String> {
    let mut notes = Vec::new();
    match metadata.freshness_status {
        Some("stale") => notes.push("note: files changed since this was indexed; ask again for the newest".to_string()),
        Some("syncing") => notes.push("note: the index is being brought up to date; this is its last state".into()),
        _ => {}
    }
    if metadata.result_completeness == Some(Completeness::Partial) {
        notes.push("note: not complete; more may be found once the index is complete, or by looking further".into());
    }
    let advice = metadata.suggested_action.iter().flatten().chain(metadata.warnings.iter().flatten());
    notes.extend(advice.map(|advice| shown(&advice.text()).into_owned()));
    notes.extend(metadata.state().map(|state| shown(&state).into_owned()));
    notes
}
