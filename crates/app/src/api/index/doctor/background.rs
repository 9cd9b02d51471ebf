//! The checks of `doctor` on what keeps the index up to date: the watcher, and whether the
//! workspace is warm.

use codecompass_engine::watch::Running;
use serde::Serialize;

use super::CheckView;
use crate::api::index::watcher::WatcherView;
use crate::remedy::Remedy;

/// Checks the watcher. It need not run, but one that fails is worth knowing.
pub(super) fn watcher(running: Option<&Running>) -> CheckView {
    let error = running.and_then(|running| running.last_error.as_ref());
    let trouble = error.or_else(|| running.and_then(|running| running.why_polling.as_ref()));
    let detail = WatcherView::new(running).line;
    let detail = trouble.map_or(detail.clone(), |trouble| format!("{detail}: {trouble}"));
    CheckView::new("watcher", error.is_none(), detail, Remedy::WatcherRetries)
}

/// The state of the process that keeps the index up to date. With a live one, a question finds
/// nothing to index.
#[derive(Clone, Debug, Serialize)]
pub struct WarmthView {
    state: &'static str,
    pid: Option<u32>,
    owner: Option<String>,
    #[serde(skip)]
    detail: String,
}

impl WarmthView {
    /// `is_fresh` is whether the index is what is on disk, where that is known.
    pub(super) fn new(running: Option<&Running>, is_fresh: Option<bool>) -> WarmthView {
        let Some(running) = running else {
            let detail = "cold: no process keeps it up to date, so the next question first lists the files and indexes what \
                          changed; a server that watches or `codecompass watch --background` keeps it warm";
            return WarmthView { state: "cold", pid: None, owner: None, detail: detail.into() };
        };
        let who = match running.owner.as_str() {
            "server" => format!("process {}, a server,", running.pid),
            _ => format!("process {}, a watcher,", running.pid),
        };
        let (state, rest) = match running {
            Running { last_error: Some(_), .. } => ("cold", "fails to keep it up to date"),
            Running { root_is_gone: true, .. } => ("cold", "waits for the root to come back"),
            running if !running.keeps_up() => ("warming", "is bringing it up to date for the first time"),
            _ if is_fresh == Some(false) => {
                ("warming", "has yet to index what changed; if that stays so, `codecompass watch --status` says more")
            }
            Running { mode, .. } if mode == "polling" => {
                ("warm", "keeps it up to date, by a look at the files every few seconds")
            }
            _ => ("warm", "keeps it up to date"),
        };
        WarmthView {
            state,
            pid: Some(running.pid),
            owner: Some(running.owner.clone()).filter(|owner| !owner.is_empty()),
            detail: format!("{state}: {who} {rest}"),
        }
    }

    /// Being cold is nothing wrong: questions are answered right all the same.
    pub(super) fn check(&self) -> CheckView {
        CheckView::fine("warmth", self.detail.clone())
    }
}

#[cfg(test)]
mod tests {
    use codecompass_engine::watch::LastSync;
    use serde_json::json;

    use super::*;

    #[test]
    fn who_keeps_it_warm() {
        let synced = Some(LastSync { at_ms: 1, took_ms: 1, generation: 1, files: 1 });
        let running = |owner: &str, mode: &str| Running {
            pid: 7,
            owner: owner.into(),
            mode: mode.into(),
            last_sync: synced.clone(),
            ..Running::default()
        };
        let state = |running: Option<&Running>, is_fresh| json!(WarmthView::new(running, is_fresh));
        assert_eq!(state(None, Some(true)), json!({"state": "cold", "pid": null, "owner": null}));
        let server = running("server", "watching");
        assert_eq!(state(Some(&server), Some(true)), json!({"state": "warm", "pid": 7, "owner": "server"}));
        assert_eq!(state(Some(&server), None)["state"], "warm");
        assert_eq!(state(Some(&server), Some(false))["state"], "warming");
        let polling = WarmthView::new(Some(&running("command", "polling")), Some(true));
        assert!(polling.detail.starts_with("warm: process 7, a watcher, keeps it"), "{}", polling.detail);
        let begun = Running { last_sync: None, ..server.clone() };
        assert_eq!(state(Some(&begun), Some(true))["state"], "warming");
        let failing = Running { last_error: Some("no".into()), ..server.clone() };
        assert_eq!(state(Some(&failing), Some(true))["state"], "cold");
        assert_eq!(state(Some(&Running { root_is_gone: true, ..server }), None)["state"], "cold");
        assert!(!watcher(Some(&failing)).ok && watcher(None).ok);
    }
}
