//! Text of `workspaces`.

use std::fmt::Write as _;

use crate::api::store::workspaces::WorkspacesAnswer;
use crate::terminal::output::{DIM, NAME};
use crate::{clock, render};

pub fn text(answer: &WorkspacesAnswer) -> String {
    if answer.stores.is_empty() {
        return "nothing is indexed yet\n".to_string();
    }
    let gone = |is_gone: bool| if is_gone { ", gone" } else { "" };
    let mut out = String::new();
    for store in &answer.stores {
        let (bytes, used, gone_mark) = (render::bytes(store.bytes), day(store.used_at), gone(store.is_gone));
        let _ = writeln!(out, "{NAME}{}{NAME:#} {DIM}({bytes}, used {used}{gone_mark}){DIM:#}", store.identity);
        if let Some(url) = &store.url {
            let _ = writeln!(out, "    clone of {url}");
        }
        for sharer in &store.shared_by {
            let of = sharer.url.as_ref().map(|url| format!(", clone of {url}")).unwrap_or_default();
            let _ = writeln!(out, "    shared by {}{of}", sharer.identity);
        }
        for workspace in &store.workspaces {
            let files = render::count(workspace.files.max(0) as usize, "file");
            let (used, gone_mark) = (day(workspace.used_at), gone(workspace.is_gone));
            let _ = writeln!(out, "    {}  {DIM}{files}, used {used}{gone_mark}{DIM:#}", workspace.root);
        }
    }
    let (stores, bytes) = (render::count(answer.stores.len(), "store"), render::bytes(answer.total_bytes));
    let _ = writeln!(out, "{stores} with {bytes}; `codecompass gc --all` removes what is gone");
    out
}

fn day(seconds: i64) -> String {
    if seconds > 0 { clock::rfc3339(seconds).chars().take(10).collect() } else { "never".into() }
}
