//! `codecompass workspaces`: what was indexed on this machine, when it was last used, and what it costs.

use codecompass_engine::{KnownStore, known_stores};
use serde_json::{Value, json};

use crate::error::AppError;
use crate::session::CallContext;
use crate::terminal::output::{self, DIM, NAME, Outcome};
use crate::{clock, render, settings};

pub(crate) fn run(context: &CallContext) -> Result<Outcome, AppError> {
    let stores = known_stores(&settings::homes()?.data);
    let outcome = Outcome::of(!stores.is_empty());
    let total: u64 = stores.iter().map(|store| store.bytes).sum();
    if context.is_json() {
        let list: Vec<Value> = stores.iter().map(to_json).collect();
        output::object(&json!({"stores": list, "total_bytes": total}));
        return Ok(outcome);
    }
    let mut out = String::new();
    for store in &stores {
        let gone = if store.is_gone { ", gone" } else { "" };
        out.push_str(&format!(
            "{NAME}{}{NAME:#} {DIM}({}, used {}{gone}){DIM:#}\n",
            store.identity.display(),
            render::bytes(store.bytes),
            day(store.used_at)
        ));
        for workspace in &store.workspaces {
            let gone = if workspace.is_gone { ", gone" } else { "" };
            out.push_str(&format!(
                "    {}  {DIM}{}, used {}{gone}{DIM:#}\n",
                workspace.root.display(),
                render::count(workspace.files.max(0) as usize, "file"),
                day(workspace.used_at)
            ));
        }
    }
    out.push_str(&match stores.len() {
        0 => "nothing is indexed yet\n".to_string(),
        count => format!(
            "{} with {}; `codecompass gc --all` removes what is gone\n",
            render::count(count, "store"),
            render::bytes(total)
        ),
    });
    output::text(&out);
    Ok(outcome)
}

fn to_json(store: &KnownStore) -> Value {
    let workspaces: Vec<Value> = store
        .workspaces
        .iter()
        .map(|workspace| {
            json!({
                "root": workspace.root.to_string_lossy(), "is_gone": workspace.is_gone, "files": workspace.files,
                "used_at": clock::rfc3339(workspace.used_at),
            })
        })
        .collect();
    json!({
        "store": store.store.to_string_lossy(), "identity": store.identity.to_string_lossy(), "is_gone": store.is_gone,
        "bytes": store.bytes, "used_at": clock::rfc3339(store.used_at), "workspaces": workspaces,
    })
}

fn day(seconds: i64) -> String {
    if seconds > 0 { clock::rfc3339(seconds).chars().take(10).collect() } else { "never".into() }
}
