//! What `doctor` says about who keeps the index up to date: the watcher, and whether the workspace is warm.

use codecompass_engine::watch::Running;
use serde_json::{Value, json};

use super::Check;
use crate::commands::watch::process;
use crate::remedy::Remedy;

/// A watcher need not run, but one that fails is worth knowing.
pub(super) fn watcher(running: Option<&Running>) -> Check {
    let error = running.and_then(|running| running.last_error.as_ref());
    let trouble = error.or_else(|| running.and_then(|running| running.why_polling.as_ref()));
    let detail = process::line(running);
    Check {
        name: "watcher",
        fine: error.is_none(),
        detail: trouble.map_or(detail.clone(), |trouble| format!("{detail}: {trouble}")),
        remedy: Remedy::WatcherRetries,
    }
}

/// Whether a live process keeps the index up to date, so that a question finds nothing to index.
pub(super) struct Warmth {
    state: &'static str,
    detail: String,
    keeper: Option<(u32, String)>,
}

impl Warmth {
    /// `is_fresh` is whether the index is what is on disk, where that is known.
    pub(super) fn of(running: Option<&Running>, is_fresh: Option<bool>) -> Warmth {
        let keeper = running.map(|running| (running.pid, running.owner.clone()));
        let Some(running) = running else {
            let detail = "cold: no process keeps it up to date, so the next question first lists the files and indexes what \
                          changed; a server that watches or `codecompass watch --background` keeps it warm";
            return Warmth { state: "cold", detail: detail.into(), keeper };
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
        Warmth { state, detail: format!("{state}: {who} {rest}"), keeper }
    }

    /// Being cold is nothing wrong: questions are answered right all the same.
    pub(super) fn check(&self) -> Check {
        Check::fine("warmth", self.detail.clone())
    }

    pub(super) fn to_json(&self) -> Value {
        let (pid, owner) = self.keeper.clone().unzip();
        json!({"state": self.state, "pid": pid, "owner": owner.filter(|owner| !owner.is_empty())})
    }
}

#[cfg(test)]
mod tests {
    use codecompass_engine::watch::LastSync;

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
        let state = |running: Option<&Running>, is_fresh| Warmth::of(running, is_fresh).to_json();
        assert_eq!(state(None, Some(true)), json!({"state": "cold", "pid": null, "owner": null}));
        let server = running("server", "watching");
        assert_eq!(state(Some(&server), Some(true)), json!({"state": "warm", "pid": 7, "owner": "server"}));
        assert_eq!(state(Some(&server), None)["state"], "warm");
        assert_eq!(state(Some(&server), Some(false))["state"], "warming");
        let polling = Warmth::of(Some(&running("command", "polling")), Some(true));
        assert!(polling.detail.starts_with("warm: process 7, a watcher, keeps it"), "{}", polling.detail);
        let begun = Running { last_sync: None, ..server.clone() };
        assert_eq!(state(Some(&begun), Some(true))["state"], "warming");
        let failing = Running { last_error: Some("no".into()), ..server.clone() };
        assert_eq!(state(Some(&failing), Some(true))["state"], "cold");
        assert_eq!(state(Some(&Running { root_is_gone: true, ..server }), None)["state"], "cold");
        assert!(!watcher(Some(&failing)).fine && watcher(None).fine);
    }
}
