//! Tests that cannot run on this machine.

use std::io::Write;

/// Reports that the current test is skipped, in a line that `.ci/run` collects. The caller returns
/// afterwards.
///
/// The line goes to the process's stderr: what `eprintln!` prints is captured and dropped when a
/// test passes.
pub fn skip(reason: &str) {
    let thread = std::thread::current();
    let line = format!("skipped test: {}: {reason}\n", thread.name().unwrap_or("unnamed"));
    std::io::stderr().write_all(line.as_bytes()).unwrap();
}
