//! The state of a server, which it adds to answers about the index.

use serde::Serialize;

use crate::api::part::parts;

/// The server that a question came through.
pub(crate) trait ServerState {
    /// Returns how far a sync in the background was when the call arrived, while one runs.
    fn progress(&self) -> Option<ProgressView>;
}

/// Files or pieces of code done by a sync, of how many. Both are 0 before they are known.
#[derive(Clone, Copy, Debug, Serialize)]
pub(crate) struct ProgressView {
    pub done: usize,
    pub total: usize,
}
parts!(ProgressView {});
