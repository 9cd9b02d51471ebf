//! `codecompass gc`: drop views that nobody uses and remove what no view holds any more.

use std::time::Duration;

use codecompass_engine::{DroppedView, GRACE};
use serde_json::{Value, json};

use crate::cli::{GcArgs, Global};
use crate::error::AppError;
use crate::output::{self, DIM, Outcome};
use crate::render;
use crate::session::Session;

pub(crate) fn run(global: &Global, args: &GcArgs) -> Result<Outcome, AppError> {
    let session = Session::open(global)?;
    let before = session.engine.store_bytes();
    let grace = if args.now { Duration::ZERO } else { GRACE };
    let collected = session.mending(|| session.engine.collect_garbage(grace))?;
    let after = session.engine.store_bytes();
    let days = session.engine.config().index.keep_views_days;
    let reason = |view: &DroppedView| match view.is_gone {
        true => "directory is gone".to_string(),
        false => format!("not used for {days} days"),
    };
    if global.json {
        let views: Vec<Value> = collected
            .dropped_views
            .iter()
            .map(|view| json!({"kind": view.kind, "name": view.name, "reason": reason(view)}))
            .collect();
        output::object(&json!({
            "removed_versions": collected.removed_versions,
            "waiting_versions": collected.waiting_versions,
            "dropped_views": views.len(),
            "views": views,
            "store_bytes_before": before,
            "store_bytes": after,
        }));
        return Ok(Outcome::Found);
    }
    let mut out = format!(
        "dropped {} and removed {}; the store has {} (before: {})\n",
        render::count(collected.dropped_views.len(), "view"),
        render::count(collected.removed_versions as usize, "file version"),
        render::bytes(after),
        render::bytes(before)
    );
    for view in &collected.dropped_views {
        out.push_str(&format!("    {} {}  {DIM}{}{DIM:#}\n", view.kind, view.name, reason(view)));
    }
    if collected.waiting_versions > 0 {
        out.push_str(&format!("{} more are kept for a while; --now removes them\n", collected.waiting_versions));
    }
    output::text(&out);
    Ok(Outcome::Found)
}
