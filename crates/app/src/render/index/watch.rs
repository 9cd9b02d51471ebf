//! Text of `watch`.

use std::fmt::Write as _;
use std::path::Path;
use std::time::{Duration, SystemTime};

use codecompass_engine::SyncReport;
use codecompass_engine::watch::{End, Event, Mode};

use crate::api::index::watch::{WatchStartAnswer, WatchStatusAnswer, WatchStopAnswer};
use crate::render;

/// Returns the text of `watch --background`.
pub fn start_text(answer: &WatchStartAnswer) -> String {
    if answer.is_new { format!("{}\n", answer.pid) } else { format!("process {} is watching already\n", answer.pid) }
}

/// Returns the text of `watch --stop`.
pub fn stop_text(answer: &WatchStopAnswer) -> String {
    format!("{}\n", answer.message)
}

/// Returns the text of `watch --status`.
pub fn status_text(answer: &WatchStatusAnswer) -> String {
    let mut out = format!("{}\n", answer.watcher.line);
    let Some(running) = &answer.running else { return out };
    let _ = writeln!(out, "since {} ago", ago(running.since_ms));
    if let Some(last) = &running.last_sync {
        let _ = writeln!(
            out,
            "last sync {} ago: generation {}, {}, {} ms",
            ago(last.at_ms),
            last.generation,
            render::count(last.files, "file"),
            last.took_ms
        );
    }
    for trouble in running.why_polling.iter().chain(&running.last_error) {
        let _ = writeln!(out, "{trouble}");
    }
    out
}

/// Returns the time since a moment, in words.
fn ago(ms: u64) -> String {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_or(0, |now| now.as_millis() as u64);
    match now.saturating_sub(ms) / 1000 {
        seconds @ 0..120 => format!("{seconds} s"),
        seconds @ 120..7200 => format!("{} min", seconds / 60),
        seconds @ 7200..172_800 => format!("{} h", seconds / 3600),
        seconds => format!("{} days", seconds / 86_400),
    }
}

/// Returns the line about an event, if it is worth one. `is_first` holds until the first sync.
pub fn event_text(event: &Event, root: &Path, is_first: bool) -> Option<String> {
    let root = root.display();
    Some(match event {
        Event::Started { directories, mode: Mode::Watching } => {
            format!("watching {root}, {}", render::count(*directories, "directory"))
        }
        Event::Started { mode: Mode::Polling, .. } => format!("looking at {root} every few seconds"),
        Event::Synced { report, took } if report.published || is_first => synced(report, *took),
        Event::Synced { .. } => return None,
        Event::Degraded { why } => format!("{why}; the files are looked at every few seconds"),
        Event::Failed { error, retry_in } => {
            format!("cannot sync: {error}; trying again in {} s", retry_in.as_secs_f64())
        }
        Event::RootGone => format!("{root} is gone; waiting for it"),
        Event::RootBack => format!("{root} is back"),
        Event::TookOver => "the other watcher has ended; this one syncs from now on".to_string(),
        Event::Ended(End::Stopped | End::Asked) => "stopped watching".to_string(),
        Event::Ended(End::RootGone) => format!("{root} does not come back; stopped watching"),
        Event::Ended(End::StoreRemoved) => "the index was removed; stopped watching".to_string(),
        Event::Ended(End::Failed(_)) => return None,
    })
}

fn synced(report: &SyncReport, took: Duration) -> String {
    let done = if report.published {
        format!("{} parsed, {} removed", report.parsed, report.removed)
    } else {
        "up to date".to_string()
    };
    format!(
        "{done}: {}, {} ({} ms)",
        render::count(report.files, "file"),
        render::count(report.symbols, "symbol"),
        took.as_millis()
    )
}
