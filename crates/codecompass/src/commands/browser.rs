//! Opens the page in the user's browser, as far as there is one.

use std::process::{Command, Stdio};

/// Opens an address of ours. If that fails, the address was printed anyway.
#[expect(clippy::disallowed_methods, reason = "the user asked for a browser")]
pub(super) fn open(address: &str) {
    let mut command = if cfg!(target_os = "macos") {
        Command::new("open")
    } else if cfg!(windows) {
        Command::new("explorer")
    } else {
        Command::new("xdg-open")
    };
    let started = command.arg(address).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
    if let Ok(mut browser) = started {
        // Its end has to be waited for.
        std::thread::spawn(move || browser.wait());
    }
}
