//! The signals that ask the process to end.

/// Listens from now on, and is ready when one comes.
#[cfg(unix)]
pub(super) fn told_to_end() -> impl std::future::Future<Output = ()> {
    use tokio::signal::unix::{SignalKind, signal};
    let listening = [SignalKind::terminate(), SignalKind::interrupt()].map(signal);
    async move {
        let [terminate, interrupt] = listening.map(|signal| async move {
            match signal {
                Ok(mut signal) => drop(signal.recv().await),
                Err(_) => std::future::pending().await,
            }
        });
        tokio::select! {
            () = terminate => {}
            () = interrupt => {}
        }
    }
}

/// Is ready when one comes.
#[cfg(not(unix))]
pub async fn told_to_end() {
    if tokio::signal::ctrl_c().await.is_err() {
        std::future::pending().await
    }
}
