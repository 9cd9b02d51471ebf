//! The wait of a question for a watcher, until the index is what is on disk.

use std::path::Path;
use std::time::Duration;

use codecompass_engine::watch::{Settled, Watcher};

use super::CallContext;
use crate::choices::Freshness;
use crate::error::AppError;
use crate::settings;

/// The wait for a watcher's sync before the last state answers; the answer says so.
const STALE_OK_WAIT: Duration = Duration::from_millis(120);
/// The wait of a question that must be answered from what is on disk; then it syncs itself.
const STRICT_WAIT: Duration = Duration::from_secs(5);

/// Returns the policy of a question about the repository at `root`: the call's, or else that of the
/// settings.
pub fn policy(context: &CallContext, root: &Path) -> Result<Freshness, AppError> {
    context.freshness.map_or_else(|| Ok(settings::load(&settings::homes()?, root)?.freshness), Ok)
}

/// Asks a watcher whether all that was saved is in the index, and waits for that as long as
/// `policy` allows.
pub(super) fn settle(watcher: &Watcher, policy: Freshness) -> Settled {
    match policy {
        Freshness::Strict => watcher.catch_up(STRICT_WAIT),
        Freshness::Balanced => watcher.catch_up(STALE_OK_WAIT),
        Freshness::BestEffort => watcher.settle(STALE_OK_WAIT),
    }
}
