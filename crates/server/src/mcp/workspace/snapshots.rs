//! Snapshots that stay open from one call to the next, and are closed when no calls come.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use codecompass_engine::SnapshotCache;

/// The time after which a snapshot that no call has used is closed.
const CLOSE_AFTER: Duration = Duration::from_secs(10);
/// The time after which what was decoded for calls is forgotten. A model thinks a while between two
/// calls.
const FORGET_AFTER: Duration = Duration::from_secs(120);
/// The time between two looks for unused snapshots, while any is open.
const TICK: Duration = Duration::from_secs(5);

/// The open snapshots of all workspaces.
#[derive(Default)]
pub struct OpenSnapshots {
    kept: Arc<SnapshotCache>,
    /// True while a task runs that closes them.
    is_tended: AtomicBool,
}

impl OpenSnapshots {
    /// The snapshots, for who does not ask about them.
    pub fn kept(&self) -> Arc<SnapshotCache> {
        Arc::clone(&self.kept)
    }

    /// The snapshots, for a call.
    pub fn in_use(self: &Arc<Self>) -> Arc<SnapshotCache> {
        if !self.is_tended.swap(true, Ordering::SeqCst) {
            let open = Arc::clone(self);
            tokio::spawn(async move {
                loop {
                    tokio::time::sleep(TICK).await;
                    if open.kept.close_unused(CLOSE_AFTER, FORGET_AFTER) {
                        continue;
                    }
                    open.is_tended.store(false, Ordering::SeqCst);
                    // A call may have come that relied on us.
                    if !open.kept.close_unused(CLOSE_AFTER, FORGET_AFTER) || open.is_tended.swap(true, Ordering::SeqCst)
                    {
                        break;
                    }
                }
            });
        }
        Arc::clone(&self.kept)
    }
}
