//! Work in another thread that may take only so long, may be called off, and may panic.

use std::future::Future;
use std::panic::AssertUnwindSafe;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::time::Duration;

use codecompass_app::error::AppError;
use codecompass_app::workers::Workers;
use tokio::sync::{Semaphore, mpsc, oneshot};
use tokio::time::Sleep;

/// The bounds of a piece of work.
pub(super) struct Bounds<'w, C> {
    /// The threads that do the work.
    pub workers: &'w Workers,
    /// Waited for, if there are any; a turn is held until the work is really over, so that
    /// abandoned work cannot pile up.
    pub turns: Option<Arc<Semaphore>>,
    /// The most that waiting and working take together.
    pub limit: Duration,
    /// Ready when the client no longer wants the answer.
    pub cancelled: C,
}

/// The reason why work gave nothing. It goes on all the same.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Ended {
    Cancelled,
    TimedOut,
}

/// Hears what work says while it goes on.
pub(super) trait Listen<H> {
    /// Takes one piece of news.
    fn listen(&mut self, news: H) -> impl Future<Output = ()> + Send;
}

/// Runs `wait`, which needs no turn because it does little but waiting, and then `work`. What they
/// send into `heard` meanwhile goes to `listener`; a panic is an error.
pub(super) async fn run<T: Send + 'static, H>(
    wait: impl FnOnce() -> Result<(), AppError> + Send + 'static,
    work: impl FnOnce() -> Result<T, AppError> + Send + 'static,
    bounds: Bounds<'_, impl Future<Output = ()>>,
    mut heard: mpsc::UnboundedReceiver<H>,
    listener: &mut impl Listen<H>,
) -> Result<Result<T, AppError>, Ended> {
    let mut limit = pin!(tokio::time::sleep(bounds.limit));
    let mut cancelled = pin!(bounds.cancelled);
    let mut waiting = tokio::task::spawn_blocking(move || caught(wait));
    let waited = attend(&mut waiting, limit.as_mut(), cancelled.as_mut(), &mut heard, listener).await?;
    if let Err(error) = waited.unwrap_or_else(|error| Err(died(error))) {
        return Ok(Err(error));
    }
    let turn = match bounds.turns {
        Some(turns) => tokio::select! {
            turn = turns.acquire_owned() => turn.ok(),
            () = &mut cancelled => return Err(Ended::Cancelled),
            () = &mut limit => return Err(Ended::TimedOut),
        },
        None => None,
    };
    let (sender, mut answer) = oneshot::channel();
    let job = move || {
        let answer = caught(work);
        drop(turn);
        // The receiver may be gone.
        let _ = sender.send(answer);
    };
    if let Err(error) = bounds.workers.run(job) {
        return Ok(Err(died(error)));
    }
    let answer = attend(&mut answer, limit, cancelled, &mut heard, listener).await?;
    while let Ok(news) = heard.try_recv() {
        listener.listen(news).await;
    }
    Ok(answer.unwrap_or_else(|error| Err(died(error))))
}

/// Waits for `work`, and hands on what it says meanwhile.
async fn attend<W: Future + Unpin, H>(
    work: &mut W,
    mut limit: Pin<&mut Sleep>,
    mut cancelled: Pin<&mut impl Future<Output = ()>>,
    heard: &mut mpsc::UnboundedReceiver<H>,
    listener: &mut impl Listen<H>,
) -> Result<W::Output, Ended> {
    loop {
        tokio::select! {
            biased;
            output = &mut *work => return Ok(output),
            () = &mut cancelled => return Err(Ended::Cancelled),
            () = &mut limit => return Err(Ended::TimedOut),
            Some(news) = heard.recv() => listener.listen(news).await,
        }
    }
}

/// No thread has an answer.
fn died(error: impl std::fmt::Display) -> AppError {
    AppError::internal(format!("the call failed: {error}"))
}

/// Turns a panic into an error. Its message goes to stderr as usual.
fn caught<T>(work: impl FnOnce() -> Result<T, AppError>) -> Result<T, AppError> {
    std::panic::catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| {
        let message =
            panic.downcast_ref::<String>().map(String::as_str).or_else(|| panic.downcast_ref::<&str>().copied());
        Err(AppError::internal(format!("unexpected failure: {}", message.unwrap_or("no message"))))
    })
}

#[cfg(test)]
mod tests {
    use std::future::{pending, ready};
    use std::sync::LazyLock;
    use std::sync::mpsc::channel;

    use super::*;
    use codecompass_app::error::Code;

    impl<H: Send> Listen<H> for Vec<H> {
        async fn listen(&mut self, news: H) {
            self.push(news);
        }
    }

    fn block_on<T>(future: impl Future<Output = T>) -> T {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        let output = runtime.block_on(future);
        runtime.shutdown_background();
        output
    }

    fn workers() -> &'static Workers {
        static WORKERS: LazyLock<Workers> = LazyLock::new(Workers::default);
        &WORKERS
    }

    fn bounds(turns: &Arc<Semaphore>, millis: u64) -> Bounds<'static, impl Future<Output = ()>> {
        let (turns, limit) = (Some(Arc::clone(turns)), Duration::from_millis(millis));
        Bounds { workers: workers(), turns, limit, cancelled: pending() }
    }

    /// Does not wait for anything.
    fn at_once() -> Result<(), AppError> {
        Ok(())
    }

    fn silence() -> mpsc::UnboundedReceiver<()> {
        mpsc::unbounded_channel().1
    }

    #[test]
    fn a_panic_is_an_error() {
        block_on(async {
            let turns = Arc::new(Semaphore::new(1));
            let work = || -> Result<(), AppError> { panic!("at the disco") };
            let error =
                run(at_once, work, bounds(&turns, 60_000), silence(), &mut Vec::new()).await.unwrap().unwrap_err();
            assert_eq!((error.code, error.message.as_str()), (Code::InternalError, "unexpected failure: at the disco"));
            // The next one is answered.
            assert_eq!(
                run(at_once, || Ok(3), bounds(&turns, 60_000), silence(), &mut Vec::new()).await.unwrap().unwrap(),
                3
            );
        });
    }

    #[test]
    fn time_is_limited_and_turns_are_held() {
        block_on(async {
            let turns = Arc::new(Semaphore::new(1));
            let (release, wait) = channel::<()>();
            let work = move || Ok(wait.recv().is_ok());
            assert_eq!(
                run(at_once, work, bounds(&turns, 50), silence(), &mut Vec::new()).await.unwrap_err(),
                Ended::TimedOut
            );
            // It still works, so the next one gets no turn.
            assert_eq!(
                run(at_once, || Ok(3), bounds(&turns, 50), silence(), &mut Vec::new()).await.unwrap_err(),
                Ended::TimedOut
            );
            release.send(()).unwrap();
            assert_eq!(
                run(at_once, || Ok(3), bounds(&turns, 60_000), silence(), &mut Vec::new()).await.unwrap().unwrap(),
                3
            );
        });
    }

    #[test]
    fn nobody_waits_for_what_is_called_off() {
        block_on(async {
            let (_release, wait) = channel::<()>();
            let work = move || Ok(wait.recv().is_ok());
            let bounds =
                Bounds { workers: workers(), turns: None, limit: Duration::from_secs(60), cancelled: ready(()) };
            assert_eq!(run(at_once, work, bounds, silence(), &mut Vec::new()).await.unwrap_err(), Ended::Cancelled);
        });
    }

    #[test]
    fn waiting_takes_no_turn() {
        block_on(async {
            let turns = Arc::new(Semaphore::new(1));
            let (release, gate) = channel::<()>();
            let wait = move || gate.recv().map_err(|_| AppError::internal("nobody came"));
            let mut told = Vec::new();
            let waiting = run(wait, || Ok(1), bounds(&turns, 60_000), silence(), &mut told);
            let other = async {
                let answer = run(at_once, || Ok(2), bounds(&turns, 60_000), silence(), &mut Vec::new()).await;
                release.send(()).unwrap();
                answer
            };
            let (waited, other) = tokio::join!(waiting, other);
            assert_eq!((waited.unwrap().unwrap(), other.unwrap().unwrap()), (1, 2));
            // Who waited for nothing does not work.
            let refused = || Err(AppError::internal("not now"));
            let work = || -> Result<(), AppError> { panic!("worked") };
            let error = run(refused, work, bounds(&turns, 60_000), silence(), &mut Vec::new()).await.unwrap();
            assert_eq!(error.unwrap_err().message, "not now");
        });
    }

    #[test]
    fn all_news_are_told() {
        block_on(async {
            let (sender, heard) = mpsc::unbounded_channel();
            let work = move || {
                (0..100).for_each(|number| sender.send(number).unwrap());
                Ok(())
            };
            let mut told = Vec::new();
            let bounds =
                Bounds { workers: workers(), turns: None, limit: Duration::from_secs(60), cancelled: pending() };
            run(at_once, work, bounds, heard, &mut told).await.unwrap().unwrap();
            assert_eq!(told, (0..100).collect::<Vec<_>>());
        });
    }
}
