//! Running and timing programs, and lines with limits.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::outcome::Outcome;

/// Lines with limits, and how many were exceeded.
#[derive(Default)]
pub(crate) struct Table {
    pub failed: usize,
}

impl Table {
    pub(crate) fn line(&mut self, what: &str, value: f64, unit: &str, limit: Option<f64>) {
        let verdict = match limit {
            Some(limit) if value > limit => {
                self.failed += 1;
                format!("limit {limit}{unit}  EXCEEDED")
            }
            Some(limit) => format!("limit {limit}{unit}  ok"),
            None => String::new(),
        };
        println!("  {what:<58} {value:>9.2}{unit:<3} {verdict}");
    }

    /// An error when a limit was exceeded.
    pub(crate) fn verdict(&self) -> Outcome<()> {
        match self.failed {
            0 => Ok(()),
            failed => Err(format!("{failed} limits exceeded").into()),
        }
    }
}

/// Builds a program of the workspace together with this one: alone it would get other features of
/// its dependencies, and all of them were compiled a second time.
#[expect(clippy::disallowed_methods, reason = "a benchmark runs the program and its peers, where cargo puts it")]
pub(crate) fn build(root: &Path, package: &str) -> Outcome<std::path::PathBuf> {
    let packages = ["--package", "xtask", "--package", package];
    let status = Command::new("cargo").args(["build", "--release"]).args(packages).current_dir(root).status()?;
    if !status.success() {
        return Err("the release build failed".into());
    }
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), std::path::PathBuf::from);
    Ok(target.join("release").join(package))
}

#[expect(clippy::disallowed_methods, reason = "a benchmark runs the program and its peers")]
pub(crate) fn program(binary: &Path, home: &Path, tree: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(binary);
    command.args(args).arg("--quiet").current_dir(tree).env("CODECOMPASS_HOME", home).stdin(Stdio::null());
    command
}

/// The time of a peer's run, `None` when it is not installed.
#[expect(clippy::disallowed_methods, reason = "a benchmark runs the program and its peers")]
pub(crate) fn peer(line: &[&str], tree: &Path) -> Outcome<Option<Duration>> {
    let mut command = Command::new(line[0]);
    command.args(&line[1..]).current_dir(tree).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    match timed(&mut command) {
        Ok((time, _)) => Ok(Some(time)),
        Err(error)
            if error.downcast_ref::<std::io::Error>().is_some_and(|e| e.kind() == std::io::ErrorKind::NotFound) =>
        {
            Ok(None)
        }
        Err(error) => Err(error),
    }
}

/// Runs a command to its end; returns its time and its peak memory in MB (0 where /proc does not
/// tell).
pub(crate) fn timed(command: &mut Command) -> Outcome<(Duration, f64)> {
    let start = Instant::now();
    let mut child = command.spawn()?;
    let status_file = format!("/proc/{}/status", child.id());
    let mut peak_kb = 0.0_f64;
    // Short runs are waited for closely, long ones watched for their memory.
    let mut pause = Duration::from_micros(200);
    loop {
        if let Ok(text) = std::fs::read_to_string(&status_file) {
            let line = text.lines().find(|line| line.starts_with("VmHWM:"));
            let kb = line.and_then(|line| line.split_whitespace().nth(1)).and_then(|kb| kb.parse().ok());
            peak_kb = peak_kb.max(kb.unwrap_or(0.0));
        }
        if let Some(status) = child.try_wait()? {
            // ctags and rg say 1 for "nothing found" and the like; only ours must succeed.
            if status.code().is_none_or(|code| code > 1) {
                return Err(format!("{command:?} failed: {status}").into());
            }
            return Ok((start.elapsed(), peak_kb / 1e3));
        }
        std::thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(if start.elapsed().as_millis() > 500 { 20 } else { 1 }));
    }
}

pub(crate) fn folder_bytes(folder: &Path) -> Outcome<u64> {
    let mut total = 0;
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        total += if entry.file_type()?.is_dir() { folder_bytes(&entry.path())? } else { entry.metadata()?.len() };
    }
    Ok(total)
}

pub(crate) fn ratio(ours: Duration, theirs: Duration) -> f64 {
    ours.as_secs_f64() / theirs.as_secs_f64().max(1e-9)
}

pub(crate) fn median(times: &mut [Duration]) -> Duration {
    times.sort();
    times.get(times.len() / 2).copied().unwrap_or_default()
}

pub(crate) fn millis(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

pub(crate) fn percentile(times: &mut [Duration], percent: usize) -> Duration {
    times.sort();
    times.get(times.len() * percent / 100).copied().unwrap_or_default()
}
