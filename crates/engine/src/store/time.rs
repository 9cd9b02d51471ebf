//! Times as the store keeps them: whole seconds since the epoch.

use std::time::{SystemTime, UNIX_EPOCH};

/// Seconds of a day.
pub(crate) const DAY: i64 = 24 * 3600;

/// Returns the time now.
pub(crate) fn now() -> i64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |elapsed| elapsed.as_secs() as i64)
}
