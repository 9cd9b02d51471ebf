//! `codecompass watch`: sync by itself while files are edited.

pub(super) mod process;

use std::fs::{self, OpenOptions};
use std::path::PathBuf;
use std::sync::{Arc, mpsc};
use std::time::Duration;

use codecompass_app::api::index::watch::WatchEvent;
use codecompass_app::error::{AppError, Code};
use codecompass_app::render;
use codecompass_app::session::history_builder::HistoryBuilder;
use codecompass_app::session::{CallContext, CallControl, Scope, Session};
use codecompass_app::settings;
use codecompass_app::signals;
use codecompass_app::terminal::output::{self, Outcome};
use codecompass_engine::watch::{self, End, Event, Options, Owner, Watcher};
use codecompass_engine::{Engine, Error as EngineError, SyncOptions};

use crate::cli::WatchArgs;

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
    if !prepare(&session, args, &speaker)? {
        return Ok(Outcome::Found);
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
    let watcher = watch::start(engines(context, root.clone()), options, told)?;
    follow(&watcher, &messages, args, &speaker, &|| HistoryBuilder::start(engines(context, root.clone())))
}

/// Syncs for the first time where no other process does so. Returns false if there is nothing to
/// watch for.
fn prepare(session: &Session, args: &WatchArgs, speaker: &Speaker) -> Result<bool, AppError> {
    match watch::running(&session.engine) {
        // Another one was quicker.
        Some(_) if args.detached => return Ok(false),
        Some(running) => speaker.say(&format!(
            "process {} is watching {} already; this one takes over when it ends",
            running.pid,
            speaker.root.display()
        )),
        // It is to lead at once, so that there is only one; its first sync is the watcher's.
        None if args.detached => {}
        // The first sync may be long, and shows how far it is.
        None => match session.with_repair(|| session.sync(SyncOptions::default())) {
            Err(error) if error.message == EngineError::Cancelled.to_string() => return Ok(false),
            outcome => drop(outcome?),
        },
    }
    Ok(true)
}

/// Tells what the watcher does until it ends.
fn follow(
    watcher: &Watcher,
    messages: &mpsc::Receiver<Message>,
    args: &WatchArgs,
    speaker: &Speaker,
    read_history: &dyn Fn() -> HistoryBuilder,
) -> Result<Outcome, AppError> {
    let mut is_first = true;
    // It begins after the first sync, and looks for new commits after each.
    let mut history: Option<HistoryBuilder> = None;
    while let Ok(message) = messages.recv() {
        match message {
            Message::Signal => watcher.stop(),
            Message::Told(event) => {
                speaker.tell(&event, is_first);
                if matches!(event, Event::Synced { .. }) {
                    is_first = false;
                    match &history {
                        Some(history) => history.look(),
                        None => history = Some(read_history()),
                    }
                }
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
    let context = CallContext { scope: Scope::checkout(root), quiet: true, control: None, ..context.clone() };
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
            output::object(&serde_json::to_value(WatchEvent::from(event)).unwrap_or_default());
        } else if let Some(line) = render::index::watch::event_text(event, &self.root, is_first) {
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
}
