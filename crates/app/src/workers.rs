//! The threads that calls work in. The one that worked last works next: a thread keeps memory for
//! its next piece of work, so that few threads with much to do need less of it than many with
//! little.

use std::io;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

type Job = Box<dyn FnOnce() + Send>;

/// A thread without work ends after this time.
const UNUSED: Duration = Duration::from_secs(10);

/// As many threads as there is work at the same time, which others bound.
#[derive(Default)]
pub struct Workers {
    shared: Arc<Mutex<Shared>>,
}

#[derive(Default)]
struct Shared {
    /// Threads without work, the one that worked last at the end.
    idle: Vec<Idle>,
    /// Numbers of threads.
    next: u64,
}

struct Idle {
    number: u64,
    sender: Sender<Job>,
}

impl Workers {
    /// Runs `job`, which must not panic, in one of the threads. Fails if that would take another
    /// thread and there is none to be had.
    pub fn run(&self, job: impl FnOnce() + Send + 'static) -> io::Result<()> {
        let mut job: Job = Box::new(job);
        let mut shared = lock(&self.shared);
        while let Some(worker) = shared.idle.pop() {
            match worker.sender.send(job) {
                Ok(()) => return Ok(()),
                // It has ended, for whatever reason.
                Err(unsent) => job = unsent.0,
            }
        }
        let number = shared.next;
        shared.next += 1;
        drop(shared);
        let shared = Arc::clone(&self.shared);
        std::thread::Builder::new().name("call".into()).spawn(move || work(&shared, number, job)).map(drop)
    }
}

fn work(shared: &Mutex<Shared>, number: u64, first: Job) {
    let (sender, jobs): (Sender<Job>, Receiver<Job>) = channel();
    first();
    loop {
        lock(shared).idle.push(Idle { number, sender: sender.clone() });
        let job = jobs.recv_timeout(UNUSED).or_else(|_| {
            let mut shared = lock(shared);
            let idle = shared.idle.len();
            shared.idle.retain(|worker| worker.number != number);
            let is_meant = shared.idle.len() == idle;
            drop(shared);
            // A call of `run` that has just taken it from the list is about to send a job.
            if is_meant { jobs.recv().map_err(|_| ()) } else { Err(()) }
        });
        match job {
            Ok(job) => job(),
            Err(()) => return,
        }
    }
}

fn lock(shared: &Mutex<Shared>) -> MutexGuard<'_, Shared> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::thread::{self, ThreadId};

    use codecompass_testkit::until;

    use super::*;

    #[test]
    fn the_last_one_works_next() {
        let workers = Workers::default();
        let (sender, came) = channel();
        let who = |wait: Option<Receiver<()>>| {
            let sender = sender.clone();
            let job = move || {
                wait.map(|wait| wait.recv());
                sender.send(thread::current().id()).unwrap();
            };
            workers.run(job).unwrap();
        };
        let idle = || lock(&workers.shared).idle.len();
        let (go, wait) = channel();
        who(Some(wait));
        who(None);
        let second: ThreadId = came.recv().unwrap();
        until("the second is idle", || idle() == 1);
        go.send(()).unwrap();
        let first = came.recv().unwrap();
        assert_ne!(first, second);
        until("both are idle", || idle() == 2);
        for _ in 0..20 {
            who(None);
            assert_eq!(came.recv().unwrap(), first);
            until("both are idle again", || idle() == 2);
        }
        assert_eq!(lock(&workers.shared).next, 2);
    }
}
