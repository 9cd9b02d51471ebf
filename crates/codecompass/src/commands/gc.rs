//! `codecompass gc`: drop unused views and remove what no view holds any more.

use std::time::Duration;

use codecompass_engine::{DroppedView, GRACE, Removal, remove_stores};
use serde_json::{Value, json};

use crate::cli::GcArgs;
use crate::error::AppError;
use crate::session::{CallContext, Session};
use crate::terminal::output::{self, DIM, Outcome};
use crate::{render, settings};

pub(crate) fn run(context: &CallContext, args: &GcArgs) -> Result<Outcome, AppError> {
    let session = Session::open(context)?;
    let before = session.engine.store_bytes();
    let grace = if args.now { Duration::ZERO } else { GRACE };
    let collected = session.with_repair(|| session.engine.collect_garbage(grace))?;
    let removed = match args.all {
        true => {
            let most = session.engine.config().index.max_total_bytes;
            remove_stores(&settings::homes()?.data, session.engine.store_root(), most)
        }
        false => Vec::new(),
    };
    let after = session.engine.store_bytes();
    let days = session.engine.config().index.keep_views_days;
    let reason = |view: &DroppedView| match view.is_gone {
        true => "directory is gone".to_string(),
        false => format!("not used for {days} days"),
    };
    if context.is_json() {
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
            "removed_stores": removed.iter().map(|(store, removal)| json!({
                "store": store.store.to_string_lossy(), "identity": store.identity.to_string_lossy(), "bytes": store.bytes,
                "reason": why(*removal),
            })).collect::<Vec<_>>(),
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
    for (store, removal) in &removed {
        let (identity, bytes) = (store.identity.display(), render::bytes(store.bytes));
        out.push_str(&format!("removed the index of {identity}, {bytes}  {DIM}{}{DIM:#}\n", why(*removal)));
    }
    if collected.waiting_versions > 0 {
        out.push_str(&format!("{} more are kept for a while; --now removes them\n", collected.waiting_versions));
    }
    output::text(&out);
    Ok(Outcome::Found)
}

fn why(removal: Removal) -> &'static str {
    match removal {
        Removal::Gone => "what it was made for is gone",
        Removal::Room => "all indexes together were too large",
    }
}
