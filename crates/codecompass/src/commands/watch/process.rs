//! Watchers in other processes: `watch --background`, `--status` and `--stop`, and what `status`
//! and `doctor` say of them.

use std::fs::{self, OpenOptions};
use std::path::PathBuf;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use codecompass_app::api::index::watch::{WatchStartAnswer, WatchStatusAnswer, WatchStopAnswer, WatcherDetails};
use codecompass_app::api::index::watcher::WatcherView;
use codecompass_app::error::{AppError, Code};
use codecompass_app::render;
use codecompass_app::session::{CallContext, Session};
use codecompass_app::settings::{self, Homes};
use codecompass_app::terminal::output::Outcome;
use codecompass_engine::Engine;
use codecompass_engine::watch::{self, Running};

use crate::cli::WatchArgs;
use crate::commands::print::show;

/// The time that a process may take to begin or to end.
const PATIENCE: Duration = Duration::from_secs(60);
const STEP: Duration = Duration::from_millis(20);

/// The log of the background process that watches the engine's view.
pub(in crate::commands) fn log_file(engine: &Engine) -> PathBuf {
    watch::folder(engine.store_root()).join(format!("{}.log", watch::view_name(engine)))
}

/// `watch --background`.
pub(in crate::commands) fn start(context: &CallContext, args: &WatchArgs) -> Result<Outcome, AppError> {
    let session = Session::open_checkout(context)?;
    let engine = &session.engine;
    if let Some(running) = watch::running(engine) {
        return Ok(show_started(context, &running, false));
    }
    if engine.workspace().kind == codecompass_engine::model::ViewKind::Commit {
        let remedy = "give a checkout with --workspace; commits never change";
        return Err(AppError::invalid("a bare repository has no files to watch", remedy));
    }
    let mut child = spawn(engine, context, args)?;
    let pid = child.id();
    let begin = Instant::now();
    loop {
        if let Some(running) = watch::running(engine).filter(|running| running.pid != 0) {
            return Ok(show_started(context, &running, running.pid == pid));
        }
        if let Ok(Some(status)) = child.try_wait() {
            let log = fs::read_to_string(log_file(engine)).unwrap_or_default();
            let last = log.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or("it said nothing");
            let remedy = format!("its log is {}", log_file(engine).display());
            let message = format!("the watcher ended at once ({status}): {last}");
            return Err(AppError::new(Code::InternalError, message, remedy));
        }
        if begin.elapsed() > PATIENCE {
            let message = format!("process {pid} was started, but does not watch yet");
            return Err(AppError::new(
                Code::InternalError,
                message,
                format!("its log is {}", log_file(engine).display()),
            ));
        }
        std::thread::sleep(STEP);
    }
}

#[expect(clippy::disallowed_methods, reason = "the user asked for a process of its own")]
fn spawn(engine: &Engine, context: &CallContext, args: &WatchArgs) -> Result<Child, AppError> {
    let failed = |error: std::io::Error| AppError::internal(format!("cannot start a process: {error}"));
    let log = log_file(engine);
    fs::create_dir_all(watch::folder(engine.store_root())).map_err(failed)?;
    let out = OpenOptions::new().create(true).append(true).open(&log).map_err(failed)?;
    let Homes { data, config_file } = settings::homes()?;
    let mut command = std::process::Command::new(std::env::current_exe().map_err(failed)?);
    command.args(["watch", "--detached", "--color", "never", "--workspace"]).arg(&engine.workspace().root);
    if args.poll {
        command.arg("--poll");
    }
    if context.quiet {
        command.arg("--quiet");
    }
    // It stands elsewhere, so that it keeps no directory of the user's in use, and the variable may
    // be relative.
    if config_file.parent() == Some(&data) {
        command.env("CODECOMPASS_HOME", &data);
    }
    command.current_dir(&data).stdin(Stdio::null()).stdout(out.try_clone().map_err(failed)?).stderr(out);
    #[cfg(windows)]
    {
        use std::os::windows::process::CommandExt;
        /// Without a console, and not in the group that Ctrl-C is sent to.
        const DETACHED_IN_NEW_GROUP: u32 = 0x0000_0008 | 0x0000_0200;
        command.creation_flags(DETACHED_IN_NEW_GROUP);
    }
    command.spawn().map_err(failed)
}

/// Leaves the session of the terminal, so that its end is not this process's end.
pub(in crate::commands) fn detach() {
    #[cfg(unix)]
    // It fails only for who leads a group already, and then the terminal has no say, either.
    let _ = rustix::process::setsid();
}

fn show_started(context: &CallContext, running: &Running, is_new: bool) -> Outcome {
    show(context, &WatchStartAnswer { is_new, pid: running.pid }, render::index::watch::start_text)
}

/// `watch --status`.
pub(in crate::commands) fn status(context: &CallContext) -> Result<Outcome, AppError> {
    let session = Session::open_checkout(context)?;
    let running = watch::running(&session.engine);
    let log = log_file(&session.engine);
    let answer = WatchStatusAnswer {
        watcher: WatcherView::new(running.as_ref()),
        root: session.engine.workspace().root.to_string_lossy().into_owned(),
        log: log.is_file().then(|| log.to_string_lossy().into_owned()),
        running: running.map(WatcherDetails::from),
    };
    show(context, &answer, render::index::watch::status_text);
    Ok(Outcome::of(answer.running.is_some()))
}

/// `watch --stop`.
pub(in crate::commands) fn stop(context: &CallContext) -> Result<Outcome, AppError> {
    let session = Session::open_checkout(context)?;
    let engine = &session.engine;
    let Some(first) = watch::running(engine) else {
        show_stopped(context, &WatchStopAnswer::not_stopped("no process is watching this checkout".into()));
        return Ok(Outcome::Nothing);
    };
    if first.owner == "server" {
        let text = format!("process {} is a server, and its watcher ends with it", first.pid);
        show_stopped(context, &WatchStopAnswer::not_stopped(text));
        return Ok(Outcome::Nothing);
    }
    watch::ask_to_stop(engine)?;
    let begin = Instant::now();
    while watch::running(engine).is_some_and(|running| running.pid == first.pid) {
        if begin.elapsed() > PATIENCE {
            let message = format!("process {} did not end in time", first.pid);
            return Err(AppError::new(Code::InternalError, message, "end it with the means of your system"));
        }
        std::thread::sleep(STEP);
    }
    show_stopped(context, &WatchStopAnswer::stopped(first.pid));
    Ok(Outcome::Found)
}

fn show_stopped(context: &CallContext, answer: &WatchStopAnswer) {
    show(context, answer, render::index::watch::stop_text);
}
