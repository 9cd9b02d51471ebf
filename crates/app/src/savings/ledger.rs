//! The sums of a running server. Calls hand over what was sent and go on; a thread does the sums,
//! and writes them every minute and at the end.

use std::panic::AssertUnwindSafe;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant, SystemTime};

use super::{CallSums, LedgerFile, LedgerRows};
use crate::clock;
use crate::terminal::output;

/// The time between two writes.
const FLUSH_EVERY: Duration = Duration::from_secs(60);

/// The wait for the thread. It has little to do, unless the disk is stuck.
const PATIENCE: Duration = Duration::from_secs(2);

/// Weighs a call.
type Weigh = Box<dyn FnOnce() -> CallSums + Send>;

enum LedgerMessage {
    Call(&'static str, Weigh),
    Total(Sender<CallSums>),
    Flush(Sender<()>),
}

/// The ledger of a server.
pub struct Ledger {
    messages: Sender<LedgerMessage>,
}

impl Ledger {
    /// Starts the thread that adds to `file`.
    pub fn start(file: LedgerFile) -> Ledger {
        let (messages, received) = channel();
        std::thread::spawn(move || Keeper { file, pending: LedgerRows::default(), has_failed: false }.keep(&received));
        Ledger { messages }
    }

    /// Adds a call of `tool`; `weigh` is run in the thread of the ledger.
    pub fn add(&self, tool: &'static str, weigh: impl FnOnce() -> CallSums + Send + 'static) {
        let _ = self.messages.send(LedgerMessage::Call(tool, Box::new(weigh)));
    }

    /// Returns the sums over all calls so far, those on disk included.
    pub fn total(&self) -> Option<CallSums> {
        let (sender, reply) = channel();
        self.messages.send(LedgerMessage::Total(sender)).ok()?;
        reply.recv_timeout(PATIENCE).ok()
    }

    /// Writes what is not on disk yet.
    pub fn flush(&self) {
        let (sender, reply) = channel();
        if self.messages.send(LedgerMessage::Flush(sender)).is_ok() {
            let _ = reply.recv_timeout(PATIENCE);
        }
    }
}

/// The thread's side.
struct Keeper {
    file: LedgerFile,
    pending: LedgerRows,
    has_failed: bool,
}

impl Keeper {
    fn keep(mut self, messages: &Receiver<LedgerMessage>) {
        let mut written = Instant::now();
        loop {
            match messages.recv_timeout(FLUSH_EVERY.saturating_sub(written.elapsed())) {
                Ok(LedgerMessage::Call(tool, weigh)) => self.add(tool, weigh),
                Ok(LedgerMessage::Total(reply)) => {
                    let _ = reply.send([self.file.read().total(), self.pending.total()].into_iter().sum());
                }
                Ok(LedgerMessage::Flush(reply)) => {
                    self.write();
                    let _ = reply.send(());
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return self.write(),
            }
            if written.elapsed() >= FLUSH_EVERY {
                written = Instant::now();
                self.write();
            }
        }
    }

    fn add(&mut self, tool: &str, weigh: Weigh) {
        // A mistake in the sums is no reason to end them.
        if let Ok(sums) = output::quiet_panics(AssertUnwindSafe(weigh)) {
            let day = clock::day(SystemTime::now());
            *self.pending.rows.entry((day, tool.to_string())).or_default() += sums;
        }
    }

    /// Writes what is pending; what cannot be written is tried again later.
    fn write(&mut self) {
        if self.pending.rows.is_empty() {
            return;
        }
        match self.file.append(&self.pending) {
            Ok(()) => self.pending = LedgerRows::default(),
            Err(error) if !self.has_failed => {
                self.has_failed = true;
                output::note(&format!("cannot write the savings ledger: {error}"));
            }
            Err(_) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_servers_add_up() {
        let dir = tempfile::tempdir().unwrap();
        let file = LedgerFile::new(dir.path());
        let servers = [Ledger::start(file.clone()), Ledger::start(file.clone())];
        for at in 0..50 {
            servers[at % 2].add("grep_code", || CallSums::of_call(10, 30));
        }
        servers[0].add("index_status", || panic!("a mistake"));
        servers[0].add("index_status", || CallSums::of_call(5, 0));
        assert_eq!(servers[0].total().unwrap().calls, 26, "its own, before anything is written");
        servers.iter().for_each(Ledger::flush);
        let expected = CallSums { calls: 51, without_places: 1, answer_tokens: 505, replaced_tokens: 1_500 };
        assert_eq!(file.read().total(), expected);
        assert_eq!(servers[1].total(), Some(expected));
    }

    #[test]
    fn what_cannot_be_written_is_kept() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("savings"), "a file where the folder should be").unwrap();
        let ledger = Ledger::start(LedgerFile::new(dir.path()));
        ledger.add("grep_code", || CallSums::of_call(10, 30));
        ledger.flush();
        assert_eq!(ledger.total().unwrap().calls, 1);
        std::fs::remove_file(dir.path().join("savings")).unwrap();
        ledger.flush();
        assert_eq!(LedgerFile::new(dir.path()).read().total().calls, 1);
    }
}
