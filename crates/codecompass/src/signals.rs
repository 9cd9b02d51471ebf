//! Signals that ask the process to end.

use crate::error::AppError;

/// Calls `on_signal` when the process is asked to end, from a thread of its own. A second request
/// means that the user does not want to wait: the process ends at once, which the store survives.
pub(crate) fn on_end(on_signal: impl FnOnce() + Send + 'static) -> Result<(), AppError> {
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
