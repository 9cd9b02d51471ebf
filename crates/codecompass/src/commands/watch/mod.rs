//! `codecompass watch`: sync by itself while files are edited.

pub(super) mod process;

use std::fs::{self, OpenOptions};
use std::path::PathBuf;
use std::sync::{Arc, mpsc};
use std::time::Duration;

use codecompass_engine::watch::{self, End, Event, Mode, Options, Owner};
use codecompass_engine::{Engine, Error as EngineError, SyncOptions, SyncReport};
use serde_json::{Value, json};

use crate::api::index::sync::SyncCounts;
use crate::cli::WatchArgs;
use crate::error::{AppError, Code};
use crate::render;
use crate::session::{CallContext, CallControl, Session};
use crate::settings;
use crate::signals;
use crate::terminal::output::{self, Outcome};

/// A background process does not wait longer for a root that is gone.
const GIVES_UP_AFTER: Duration = Duration::from_secs(600);
/// The log of a background process is cut at this size.
const MOST_LOG_BYTES: u64 = 1 << 20;

pub(crate) fn run(context: &CallContext, args: &WatchArgs) -> Result<Outcome, AppError> {
    match args {
        WatchArgs { background: true, .. } => process::start(context, args),
        WatchArgs { status: true, .. } => process::status(context),
        WatchArgs { stop: true, .. } => process::stop(context),
        _ => here(context, args),
    }
}

/// The messages that the main thread waits for.
enum Message {
    Told(Event),
    Signal,
}

/// Watches until it is asked to end.
fn here(context: &CallContext, args: &WatchArgs) -> Result<Outcome, AppError> {
    if args.detached {
        process::detach();
    }
    let (sender, messages) = mpsc::channel();
    // Also stops the first sync.
    let progress = Arc::new(CallControl::new(|_, _, _| {}));
    let (cancelled, on_signal) = (progress.clone(), sender.clone());
    signals::on_end(move || {
        cancelled.cancel();
        let _ = on_signal.send(Message::Signal);
    })?;
    let session = Session::open_checkout(&CallContext { control: Some(progress), ..context.clone() })?;
    let root = session.engine.workspace().root.clone();
    let speaker =
        Speaker { json: context.is_json(), quiet: context.quiet, root: root.clone(), log: log(&session, args) };
    match watch::running(&session.engine) {
        // Another one was quicker.
        Some(_) if args.detached => return Ok(Outcome::Found),
        Some(running) => speaker.say(&format!(
            "process {} is watching {} already; this one takes over when it ends",
            running.pid,
            root.display()
        )),
        // It is to lead at once, so that there is only one; its first sync is the watcher's.
        None if args.detached => {}
        // The first sync may be long, and shows how far it is.
        None => match session.with_repair(|| session.sync(SyncOptions::default())) {
            Err(error) if error.message == EngineError::Cancelled.to_string() => return Ok(Outcome::Found),
            outcome => drop(outcome?),
        },
    }
    drop(session);
    let options = Options {
        polls: args.poll,
        deciding_files: vec![settings::homes()?.config_file],
        gives_up_after: args.detached.then_some(GIVES_UP_AFTER),
        ends_with_store: args.detached,
        ..Options::new(Owner::Command)
    };
    let told = move |event| drop(sender.send(Message::Told(event)));
    let watcher = watch::start(engines(context, root), options, told)?;
    let mut is_first = true;
    while let Ok(message) = messages.recv() {
        match message {
            Message::Signal => watcher.stop(),
            Message::Told(event) => {
                speaker.tell(&event, is_first);
                is_first &= !matches!(event, Event::Synced { .. });
                if args.detached && matches!(event, Event::Started { .. }) && !watcher.state().leads {
                    // Another one was quicker by a moment.
                    watcher.stop();
                }
                if let Event::Ended(end) = event {
                    return ended(end);
                }
            }
        }
    }
    Ok(Outcome::Found)
}

/// Opens the engine for the root, wherever this process stands; settings are read anew each time.
fn engines(context: &CallContext, root: PathBuf) -> impl Fn() -> Result<Engine, EngineError> + Send + 'static {
    let context = CallContext { workspace: Some(root), quiet: true, control: None, ..context.clone() };
    move || {
        let session = Session::open_checkout(&context);
        session.map(|session| session.engine).map_err(|error| EngineError::InvalidInput(error.message))
    }
}

fn ended(end: End) -> Result<Outcome, AppError> {
    match end {
        End::Failed(error) => Err(AppError::new(
            Code::InternalError,
            format!("watching ended: {error}"),
            "`codecompass doctor` says more; start the watcher again when it is mended",
        )),
        _ => Ok(Outcome::Found),
    }
}

/// The log that a background process writes, by its stderr.
fn log(session: &Session, args: &WatchArgs) -> Option<PathBuf> {
    args.detached.then(|| process::log_file(&session.engine))
}

/// Tells the user what the watcher tells.
struct Speaker {
    json: bool,
    quiet: bool,
    root: PathBuf,
    log: Option<PathBuf>,
}

impl Speaker {
    fn tell(&self, event: &Event, is_first: bool) {
        if self.json {
            output::object(&to_json(event));
        } else if let Some(line) = self.line(event, is_first) {
            self.say(&line);
        }
    }

    fn say(&self, line: &str) {
        if let Some(log) = &self.log
            && fs::metadata(log).is_ok_and(|metadata| metadata.len() > MOST_LOG_BYTES)
        {
            // Everything is appended, so the next line is the first one.
            let _ = OpenOptions::new().write(true).open(log).and_then(|file| file.set_len(0));
        }
        if !self.quiet {
            output::note(line);
        }
    }

    fn line(&self, event: &Event, is_first: bool) -> Option<String> {
        let root = self.root.display();
        Some(match event {
            Event::Started { directories, mode: Mode::Watching } => {
                format!("watching {root}, {}", count(*directories))
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
}

fn count(directories: usize) -> String {
    match directories {
        1 => "1 directory".into(),
        many => format!("{many} directories"),
    }
}

fn synced(report: &SyncReport, took: Duration) -> String {
    let done = match report.published {
        true => format!("{} parsed, {} removed", report.parsed, report.removed),
        false => "up to date".to_string(),
    };
    format!(
        "{done}: {}, {} ({} ms)",
        render::count(report.files, "file"),
        render::count(report.symbols, "symbol"),
        took.as_millis()
    )
}

fn to_json(event: &Event) -> Value {
    match event {
        Event::Started { directories, mode } => {
            json!({"event": "started", "mode": mode.as_str(), "directories": directories})
        }
        Event::Synced { report, took } => {
            let mut object = json!(SyncCounts::from(report));
            object["event"] = json!("synced");
            object["took_ms"] = json!(took.as_millis() as u64);
            object
        }
        Event::Degraded { why } => json!({"event": "degraded", "mode": "polling", "why": why}),
        Event::Failed { error, retry_in } => {
            json!({"event": "failed", "error": error, "retry_in_ms": retry_in.as_millis() as u64})
        }
        Event::RootGone => json!({"event": "root_gone"}),
        Event::RootBack => json!({"event": "root_back"}),
        Event::TookOver => json!({"event": "took_over"}),
        Event::Ended(end) => {
            let (reason, error) = match end {
                End::Stopped | End::Asked => ("stopped", None),
                End::RootGone => ("root_gone", None),
                End::StoreRemoved => ("store_removed", None),
                End::Failed(error) => ("failed", Some(error)),
            };
            json!({"event": "ended", "reason": reason, "error": error})
        }
    }
}
