//! `codecompass gc`: remove what no checkout holds any more.

use std::time::Duration;

use serde_json::json;

use crate::cli::{GcArgs, Global};
use crate::error::AppError;
use crate::output::{self, Outcome};
use crate::render;
use crate::session::Session;

/// What was let go is kept this long: a branch that was left is often come back to.
const GRACE: Duration = Duration::from_secs(14 * 24 * 3600);

pub(crate) fn run(global: &Global, args: &GcArgs) -> Result<Outcome, AppError> {
    let session = Session::open(global)?;
    let before = session.engine.store_bytes();
    let grace = if args.now { Duration::ZERO } else { GRACE };
    let collected = session.mending(|| session.engine.collect_garbage(grace))?;
    let after = session.engine.store_bytes();
    if global.json {
        output::object(&json!({
            "removed_versions": collected.removed_versions,
            "waiting_versions": collected.waiting_versions,
            "dropped_views": collected.dropped_views,
            "store_bytes_before": before,
            "store_bytes": after,
        }));
    } else {
        let mut out = format!(
            "removed {} file versions and {} checkouts that are gone; the store has {} (before: {})\n",
            collected.removed_versions,
            collected.dropped_views,
            render::bytes(after),
            render::bytes(before)
        );
        if collected.waiting_versions > 0 {
            out.push_str(&format!("{} more are kept for a while; --now removes them\n", collected.waiting_versions));
        }
        output::text(&out);
    }
    Ok(Outcome::Found)
}
