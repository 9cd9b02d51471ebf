//! Progress on stderr: a bar on a terminal, two plain lines elsewhere, nothing when the work is
//! small. A question that takes long says on a terminal what it does.

use std::io::IsTerminal;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use codecompass_engine::{Activity, Progress, Stage};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::terminal::output;
use crate::units;

/// Fewer files than this are indexed before a bar could be read.
const WORTH_TELLING: usize = 100;
/// The same for commits.
const WORTH_TELLING_COMMITS: usize = 1000;
/// The same for bytes that are copied.
const WORTH_TELLING_BYTES: usize = 32 << 20;
/// A question that is answered sooner says nothing.
const WORTH_WAITING: Duration = Duration::from_secs(1);
const TICK: Duration = Duration::from_millis(200);

/// True while a bar is on the terminal.
static BAR_IS_SHOWN: AtomicBool = AtomicBool::new(false);

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
            BAR_IS_SHOWN.store(false, Ordering::Relaxed);
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
            bar.enable_steady_tick(TICK);
            BAR_IS_SHOWN.store(true, Ordering::Relaxed);
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

/// Tells on a terminal what a question does, from its second second on, until it is dropped.
pub struct Waiting {
    is_over: Arc<(Mutex<bool>, Condvar)>,
    teller: Option<JoinHandle<()>>,
}

impl Waiting {
    /// Begins to wait for an answer; says nothing if `quiet` or if stderr is no terminal.
    pub fn begin(quiet: bool) -> Waiting {
        let is_over = Arc::new((Mutex::new(false), Condvar::new()));
        let heard = Arc::clone(&is_over);
        let is_wanted = !quiet && std::io::stderr().is_terminal();
        let teller = is_wanted.then(|| std::thread::spawn(move || tell(&heard.0, &heard.1)));
        Waiting { is_over, teller }
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        if let Ok(mut is_over) = self.is_over.0.lock() {
            *is_over = true;
        }
        self.is_over.1.notify_all();
        if let Some(teller) = self.teller.take() {
            // A teller that failed has nothing to take away.
            let _ = teller.join();
        }
    }
}

/// Shows what is done until the question is over.
fn tell(is_over: &Mutex<bool>, changed: &Condvar) {
    let (start, before) = (Instant::now(), Activity::now());
    let mut shown: Option<ProgressBar> = None;
    let Ok(mut over) = is_over.lock() else { return };
    while !*over {
        let Ok((next, _)) = changed.wait_timeout(over, TICK) else { return };
        over = next;
        if *over || start.elapsed() < WORTH_WAITING || BAR_IS_SHOWN.load(Ordering::Relaxed) {
            continue;
        }
        let bar = shown.get_or_insert_with(|| {
            let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
            bar.with_style(ProgressStyle::with_template("{msg}").unwrap_or_else(|_| ProgressStyle::default_spinner()))
        });
        bar.set_message(words(&before, &Activity::now(), start.elapsed()));
        bar.tick();
    }
    if let Some(bar) = shown {
        bar.finish_and_clear();
    }
}

/// Says what was done since a question began.
fn words(before: &Activity, now: &Activity, elapsed: Duration) -> String {
    let seconds = elapsed.as_secs();
    let occurrences = now.occurrences - before.occurrences;
    if occurrences == 0 {
        return format!("working for {seconds} s");
    }
    let (resolved, files) = (now.resolved - before.resolved, now.files - before.files);
    format!("resolved {resolved} of {occurrences} occurrences, {files} files read, {seconds} s")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_that_takes_long_says_how_far_it_is() {
        let before = Activity { files: 2, occurrences: 10, resolved: 10 };
        let now = Activity { files: 14, occurrences: 5010, resolved: 1234 };
        let told = words(&before, &now, Duration::from_millis(2900));
        assert_eq!(told, "resolved 1224 of 5000 occurrences, 12 files read, 2 s");
        assert_eq!(words(&before, &before, Duration::from_secs(3)), "working for 3 s");
    }
}
