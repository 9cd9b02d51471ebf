//! Watchers in other processes: `watch --background`, `--status` and `--stop`, and what `status`
//! and `doctor` say of them.

use std::fs::{self, OpenOptions};
use std::path::PathBuf;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant, SystemTime};

use codecompass_engine::Engine;
use codecompass_engine::watch::{self, Running};
use serde_json::json;

use crate::api::index::watcher::WatcherView;
use crate::cli::WatchArgs;
use crate::error::{AppError, Code};
use crate::render;
use crate::session::{CallContext, Session};
use crate::settings::{self, Homes};
use crate::terminal::output::{self, Outcome};

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
        say_started(context, &running, false);
        return Ok(Outcome::Found);
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
            say_started(context, &running, running.pid == pid);
            return Ok(Outcome::Found);
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

fn say_started(context: &CallContext, running: &Running, is_new: bool) {
    if context.is_json() {
        output::object(&json!({"started": is_new, "pid": running.pid}));
    } else if is_new {
        output::text(&format!("{}\n", running.pid));
    } else {
        output::text(&format!("process {} is watching already\n", running.pid));
    }
}

/// `watch --status`.
pub(in crate::commands) fn status(context: &CallContext) -> Result<Outcome, AppError> {
    let session = Session::open_checkout(context)?;
    let running = watch::running(&session.engine);
    let outcome = Outcome::of(running.is_some());
    if context.is_json() {
        let log = log_file(&session.engine);
        let mut object = json!(WatcherView::new(running.as_ref()));
        object["root"] = json!(session.engine.workspace().root.to_string_lossy());
        object["log"] = json!(log.is_file().then(|| log.to_string_lossy().into_owned()));
        if let Some(running) = &running {
            object["owner"] = json!(running.owner);
            object["since_ms"] = json!(running.since_ms);
            object["directories"] = json!(running.directories);
            object["why_polling"] = json!(running.why_polling);
            object["root_is_gone"] = json!(running.root_is_gone);
            object["last_error"] = json!(running.last_error);
            object["last_sync"] = json!(running.last_sync);
        }
        output::object(&object);
        return Ok(outcome);
    }
    let mut out = format!("{}\n", WatcherView::new(running.as_ref()).line);
    if let Some(running) = &running {
        out.push_str(&format!("since {} ago\n", ago(running.since_ms)));
        if let Some(last) = &running.last_sync {
            out.push_str(&format!(
                "last sync {} ago: generation {}, {}, {} ms\n",
                ago(last.at_ms),
                last.generation,
                render::count(last.files, "file"),
                last.took_ms
            ));
        }
        let troubles = [running.why_polling.as_ref(), running.last_error.as_ref()];
        troubles.into_iter().flatten().for_each(|trouble| out.push_str(&format!("{trouble}\n")));
    }
    output::text(&out);
    Ok(outcome)
}

/// `watch --stop`.
pub(in crate::commands) fn stop(context: &CallContext) -> Result<Outcome, AppError> {
    let session = Session::open_checkout(context)?;
    let engine = &session.engine;
    let Some(first) = watch::running(engine) else {
        say_stopped(context, None, "no process is watching this checkout");
        return Ok(Outcome::Nothing);
    };
    if first.owner == "server" {
        let text = format!("process {} is a server, and its watcher ends with it", first.pid);
        say_stopped(context, None, &text);
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
    say_stopped(context, Some(first.pid), &format!("stopped process {}", first.pid));
    Ok(Outcome::Found)
}

fn say_stopped(context: &CallContext, pid: Option<u32>, text: &str) {
    match context.is_json() {
        true => output::object(&json!({"stopped": pid.is_some(), "pid": pid, "message": text})),
        false => output::text(&format!("{text}\n")),
    }
}

/// Returns how long ago `ms` was, in words.
fn ago(ms: u64) -> String {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_or(0, |now| now.as_millis() as u64);
    match now.saturating_sub(ms) / 1000 {
        seconds @ 0..120 => format!("{seconds} s"),
        seconds @ 120..7200 => format!("{} min", seconds / 60),
        seconds @ 7200..172_800 => format!("{} h", seconds / 3600),
        seconds => format!("{} days", seconds / 86_400),
    }
}
