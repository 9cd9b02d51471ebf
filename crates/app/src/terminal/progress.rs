//! Progress on stderr: a bar on a terminal, two plain lines elsewhere, nothing when the work is
//! small.

use std::io::IsTerminal;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use codecompass_engine::{Progress, Stage};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::terminal::output;
use crate::units;

/// Fewer files than this are indexed before a bar could be read.
const WORTH_TELLING: usize = 100;
/// The same for commits.
const WORTH_TELLING_COMMITS: usize = 1000;
/// The same for bytes that are copied.
const WORTH_TELLING_BYTES: usize = 32 << 20;

/// Shows how a sync or a copy goes.
pub struct Bar {
    quiet: bool,
    terminal: bool,
    bar: Mutex<Option<ProgressBar>>,
    told: AtomicBool,
    /// Hears everything, too, and may stop the work.
    listener: Option<Arc<dyn Progress + Send + Sync>>,
}

impl Bar {
    pub fn new(quiet: bool, listener: Option<Arc<dyn Progress + Send + Sync>>) -> Bar {
        let terminal = std::io::stderr().is_terminal();
        Bar { quiet, terminal, bar: Mutex::new(None), told: AtomicBool::new(false), listener }
    }

    /// Takes the bar away.
    pub fn finish(&self) {
        if let Ok(Some(bar)) = self.bar.lock().map(|mut bar| bar.take()) {
            bar.finish_and_clear();
        }
    }

    fn show(&self, total: usize, text: &str, template: &str) {
        if !self.terminal {
            if !self.told.swap(true, Ordering::Relaxed) {
                output::note(text);
            }
            return;
        }
        let Ok(mut slot) = self.bar.lock() else { return };
        if slot.is_none() {
            let bar = ProgressBar::with_draw_target(Some(total as u64), ProgressDrawTarget::stderr());
            let style = ProgressStyle::with_template(template);
            bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()).progress_chars("=> "));
            bar.enable_steady_tick(Duration::from_millis(200));
            *slot = Some(bar);
        }
    }
}

impl Progress for Bar {
    fn is_cancelled(&self) -> bool {
        self.listener.as_ref().is_some_and(|listener| listener.is_cancelled())
    }

    fn report(&self, stage: Stage, done: usize, total: usize) {
        if let Some(listener) = &self.listener {
            listener.report(stage, done, total);
        }
        if self.quiet {
            return;
        }
        match stage {
            Stage::Waiting(pid) => {
                output::note(&format!("waiting for process {pid}, which is indexing this repository"))
            }
            Stage::Indexing if done == 0 && total >= WORTH_TELLING => {
                self.show(total, &format!("indexing {total} files"), "indexing [{bar:32}] {pos}/{len} files");
            }
            Stage::Copying if done == 0 && total >= WORTH_TELLING_BYTES => {
                let text = format!("copying {}", units::bytes(total as u64));
                self.show(total, &text, "copying [{bar:32}] {bytes}/{total_bytes}");
            }
            Stage::Embedding if done == 0 && total >= WORTH_TELLING => {
                self.show(total, &format!("embedding {total} pieces"), "embedding [{bar:32}] {pos}/{len} pieces");
            }
            Stage::History if done == 0 && total >= WORTH_TELLING_COMMITS => {
                self.show(total, &format!("reading {total} commits"), "reading [{bar:32}] {pos}/{len} commits");
            }
            Stage::Changes if done == 0 && total >= WORTH_TELLING_COMMITS => {
                let text = format!("reading the changes of {total} commits; later questions will not have to");
                self.show(total, &text, "changes [{bar:32}] {pos}/{len} commits");
            }
            Stage::Indexing | Stage::Copying | Stage::Embedding | Stage::History | Stage::Changes => {
                if let Ok(slot) = self.bar.try_lock()
                    && let Some(bar) = &*slot
                {
                    bar.set_position(done as u64);
                }
            }
            Stage::Publishing => {}
        }
    }
}
