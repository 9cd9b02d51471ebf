//! The only place that prints. Answers go to stdout, everything else to stderr; a closed pipe ends
//! the program quietly.

use std::io::{self, IsTerminal, Write};
use std::panic::UnwindSafe;
use std::process::ExitCode;
use std::sync::Once;
use std::sync::atomic::{AtomicUsize, Ordering};

use anstyle::{AnsiColor, Style};
use serde_json::Value;

use crate::choices::ColorWhen;
use crate::error::AppError;
use crate::remedy::{Audience, Remedy};

/// Styles of the text output.
pub const PATH: Style = AnsiColor::Magenta.on_default();
pub const LINE: Style = AnsiColor::Green.on_default();
pub const KIND: Style = AnsiColor::Cyan.on_default();
pub const NAME: Style = Style::new().bold();
pub const DIM: Style = Style::new().dimmed();
pub const MATCH: Style = AnsiColor::Red.on_default().bold();

/// The outcome of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// There is an answer.
    Found,
    /// There is none, and that is the answer.
    Nothing,
    /// A part of the question failed, and its error was reported.
    Failed,
}

impl Outcome {
    pub fn of(found: bool) -> Outcome {
        if found { Outcome::Found } else { Outcome::Nothing }
    }

    pub fn exit_code(self) -> ExitCode {
        match self {
            Outcome::Found => ExitCode::SUCCESS,
            Outcome::Nothing => ExitCode::from(1),
            Outcome::Failed => ExitCode::from(2),
        }
    }
}

/// Applies the colour flag to everything printed later.
pub fn set_color(when: ColorWhen) {
    match when {
        ColorWhen::Auto => anstream::ColorChoice::Auto,
        ColorWhen::Always => anstream::ColorChoice::Always,
        ColorWhen::Never => anstream::ColorChoice::Never,
    }
    .write_global();
}

/// Prints text, in one piece, to stdout.
pub fn text(text: &str) {
    let mut out = anstream::AutoStream::auto(io::stdout().lock());
    end_on_closed_pipe(out.write_all(text.as_bytes()).and_then(|()| out.flush()));
}

/// Prints one JSON object to stdout.
pub fn object(value: &Value) {
    let mut out = io::stdout().lock();
    let written = serde_json::to_writer(&mut out, value).map_err(io::Error::from);
    end_on_closed_pipe(written.and_then(|()| out.write_all(b"\n")).and_then(|()| out.flush()));
}

/// Says something on stderr that is no answer.
pub fn note(text: &str) {
    let _ = writeln!(anstream::AutoStream::auto(io::stderr().lock()), "codecompass: {text}");
}

/// Writes a line of a log to stderr.
pub fn log_line(value: &Value) {
    let _ = writeln!(io::stderr().lock(), "{value}");
}

/// Returns whether there is a terminal to ask on.
pub fn can_ask() -> bool {
    io::stdin().is_terminal() && io::stderr().is_terminal()
}

/// Asks a question on the terminal, below `text`. Everything but yes is no.
pub fn ask(text: &str, question: &str) -> bool {
    let mut err = anstream::AutoStream::auto(io::stderr().lock());
    let _ = write!(err, "{text}{question} [y/N] ").and_then(|()| err.flush());
    let mut answer = String::new();
    let read = io::stdin().read_line(&mut answer);
    read.is_ok() && matches!(answer.trim().to_lowercase().as_str(), "y" | "yes")
}

/// Reports an error and gives its exit code.
pub fn report(error: &AppError, as_json: bool) -> ExitCode {
    let mut err = anstream::AutoStream::auto(io::stderr().lock());
    let _ = if as_json {
        writeln!(err, "{}", error.to_json(Audience::Cli))
    } else {
        let red = AnsiColor::Red.on_default().bold();
        writeln!(err, "{red}error{red:#}: {}\n{DIM}help: {}{DIM:#}", error.message, error.remediation.for_cli())
    };
    ExitCode::from(2)
}

/// Prints what clap has to say: help and version to stdout, mistakes to stderr.
pub fn usage(error: &clap::Error) -> ExitCode {
    let wants_json = std::env::args_os().any(|argument| argument == "--json");
    if error.use_stderr() && wants_json {
        // The first paragraph says what is wrong; hints and usage follow.
        let detail = error.to_string();
        let lines: Vec<&str> = detail.lines().map(str::trim).take_while(|line| !line.is_empty()).collect();
        let message = lines.join(" ");
        return report(&AppError::invalid(message.trim_start_matches("error: "), Remedy::SeeUsage), true);
    }
    let _ = error.print();
    ExitCode::from(if error.use_stderr() { 2 } else { 0 })
}

/// Runs `work` and turns a panic into its message, without the usual print to stderr.
pub fn quiet_panics<T>(work: impl FnOnce() -> T + UnwindSafe) -> Result<T, String> {
    // Several threads may be at it at once, so the hook is set once and asks whether anybody wants
    // quiet.
    static QUIET: AtomicUsize = AtomicUsize::new(0);
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let usual = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            if QUIET.load(Ordering::SeqCst) == 0 {
                usual(panic);
            }
        }));
    });
    QUIET.fetch_add(1, Ordering::SeqCst);
    let outcome = std::panic::catch_unwind(work);
    QUIET.fetch_sub(1, Ordering::SeqCst);
    outcome.map_err(|panic| {
        let message =
            panic.downcast_ref::<String>().map(String::as_str).or_else(|| panic.downcast_ref::<&str>().copied());
        format!("unexpected failure: {}", message.unwrap_or("no message"))
    })
}

fn end_on_closed_pipe(written: io::Result<()>) {
    match written {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => std::process::exit(0),
        Err(error) => {
            let _ = writeln!(io::stderr(), "codecompass: cannot write the answer: {error}");
            std::process::exit(2);
        }
        Ok(()) => {}
    }
}
