//! The server's process: started on a free port, and what the system says about it.

use std::io::{BufRead, BufReader, Read as _};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use super::client::Client;
use crate::outcome::Outcome;

/// A running server; it is killed when dropped.
pub(crate) struct Server {
    child: Child,
    pub(crate) address: String,
    /// When the process was started.
    pub(super) since: Instant,
}

impl Server {
    pub(crate) fn start(binary: &Path, home: &Path, tree: &Path) -> Outcome<Server> {
        Server::start_with(binary, home, tree, &[])
    }

    /// The same with more flags.
    #[expect(clippy::disallowed_methods, reason = "a benchmark runs the program")]
    pub(crate) fn start_with(binary: &Path, home: &Path, tree: &Path, flags: &[&str]) -> Outcome<Server> {
        let since = Instant::now();
        let mut child = Command::new(binary)
            .args(["serve-mcp", "--transport", "http", "--bind", "127.0.0.1:0", "--answers", "json"])
            .args(flags)
            .current_dir(tree)
            .env("CODECOMPASS_HOME", home)
            .stdin(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()?;
        let mut stderr = BufReader::new(child.stderr.take().ok_or("no stderr")?);
        let mut said = String::new();
        let address = loop {
            let mut line = String::new();
            if stderr.read_line(&mut line)? == 0 {
                return Err(format!("the server ended: {said}").into());
            }
            if let Some((_, address)) = line.split_once("listening on http://") {
                break address.trim_end().trim_end_matches("/mcp").to_string();
            }
            said.push_str(&line);
        };
        // Whatever it says later is shown, and the pipe never full.
        thread::spawn(move || {
            let mut rest = String::new();
            let _ = stderr.read_to_string(&mut rest);
            if !rest.trim().is_empty() {
                eprintln!("  the server said: {}", rest.trim());
            }
        });
        Ok(Server { child, address, since })
    }

    /// Waits until everything is indexed.
    pub(crate) fn wait_until_ready(&self) -> Outcome<()> {
        let mut client = Client::connect(&self.address)?;
        loop {
            let health = client.health()?;
            match health["status"].as_str() {
                // Before the first index run has begun there is nothing to be busy with.
                Some("ready") if health["projects"][0]["index_status"] == "ready" => return Ok(()),
                Some("error") | None => return Err(health.to_string().into()),
                _ => thread::sleep(Duration::from_millis(100)),
            }
        }
    }

    /// A figure of `/proc/PID/FILE` in MB; `None` where the system does not tell.
    pub(crate) fn megabytes(&self, file: &str, name: &str) -> Option<f64> {
        let text = std::fs::read_to_string(format!("/proc/{}/{file}", self.child.id())).ok()?;
        let line = text.lines().find(|line| line.starts_with(name))?;
        Some(line.split_whitespace().nth(1)?.parse::<f64>().ok()? * 1024.0 / 1e6)
    }

    /// Lets the peak of memory begin anew, where the system can do that.
    pub(super) fn forget_peak(&self) -> bool {
        std::fs::write(format!("/proc/{}/clear_refs", self.child.id()), "5").is_ok()
    }

    /// Processor time used so far, in seconds.
    pub(super) fn processor_seconds(&self) -> Option<f64> {
        /// Linux counts in hundredths of a second wherever it tells programs.
        const TICKS: f64 = 100.0;
        let text = std::fs::read_to_string(format!("/proc/{}/stat", self.child.id())).ok()?;
        // The name, in brackets, may have spaces.
        let fields: Vec<&str> = text.rsplit_once(')')?.1.split_whitespace().collect();
        let ticks = fields.get(11)?.parse::<f64>().ok()? + fields.get(12)?.parse::<f64>().ok()?;
        Some(ticks / TICKS)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
