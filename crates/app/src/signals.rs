//! Signals that ask the process to end.

use std::sync::Once;
use std::sync::atomic::{AtomicU8, Ordering};

use crate::error::AppError;

/// Work that other processes do for this one, and that must not go on without it.
const IDLE: u8 = 0;
const WORKING: u8 = 1;
const CANCELLED: u8 = 2;
static WORK: AtomicU8 = AtomicU8::new(IDLE);

/// Work that is under way until this is dropped.
pub struct OutsideWork;

impl OutsideWork {
    /// Begins work that is cancelled when the process is asked to end. Afterwards such a request
    /// ends the process, unless the command listens to it itself.
    pub fn begin(command_listens: bool) -> OutsideWork {
        static LISTENING: Once = Once::new();
        WORK.store(WORKING, Ordering::SeqCst);
        LISTENING.call_once(|| {
            // Without it a signal ends the process, as it does elsewhere.
            let _ = on_end(move || {
                let is_over = WORK.compare_exchange(WORKING, CANCELLED, Ordering::SeqCst, Ordering::SeqCst).is_err();
                if is_over && !command_listens {
                    std::process::exit(130);
                }
            });
        });
        OutsideWork
    }

    /// Returns whether the work is to end.
    pub fn is_cancelled(&self) -> bool {
        WORK.load(Ordering::SeqCst) == CANCELLED
    }
}

impl Drop for OutsideWork {
    fn drop(&mut self) {
        WORK.store(IDLE, Ordering::SeqCst);
    }
}

/// Calls `on_signal` when the process is asked to end, from a thread of its own. A second request
/// means that the user does not want to wait: the process ends at once, which the store survives.
pub fn on_end(on_signal: impl FnOnce() + Send + 'static) -> Result<(), AppError> {
    let failed = |error| AppError::internal(format!("cannot wait for signals: {error}"));
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(failed)?;
    let (ready, is_ready) = std::sync::mpsc::channel();
    let wait = move || {
        runtime.block_on(async {
            let mut signals = match Signals::new() {
                Ok(signals) => signals,
                Err(error) => return drop(ready.send(Err(error))),
            };
            let _ = ready.send(Ok(()));
            signals.next().await;
            on_signal();
            signals.next().await;
            std::process::exit(130);
        });
    };
    std::thread::Builder::new().name("signals".into()).spawn(wait).map_err(failed)?;
    is_ready.recv().unwrap_or(Ok(())).map_err(failed)
}

#[cfg(unix)]
struct Signals {
    interrupt: tokio::signal::unix::Signal,
    terminate: tokio::signal::unix::Signal,
}

#[cfg(unix)]
impl Signals {
    fn new() -> std::io::Result<Signals> {
        use tokio::signal::unix::{SignalKind, signal};
        Ok(Signals { interrupt: signal(SignalKind::interrupt())?, terminate: signal(SignalKind::terminate())? })
    }

    async fn next(&mut self) {
        tokio::select! {
            _ = self.interrupt.recv() => {}
            _ = self.terminate.recv() => {}
        }
    }
}

#[cfg(not(unix))]
struct Signals;

#[cfg(not(unix))]
impl Signals {
    fn new() -> std::io::Result<Signals> {
        Ok(Signals)
    }

    async fn next(&mut self) {
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending().await
        }
    }
}
