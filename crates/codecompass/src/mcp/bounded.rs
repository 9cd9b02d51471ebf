//! Work in a thread of its own that may take only so long, may be called off, and may panic.

use std::future::Future;
use std::panic::AssertUnwindSafe;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{Semaphore, mpsc};

use crate::error::AppError;

/// What bounds the work.
pub(crate) struct Bounds<C> {
    /// Waited for, if there are any; a turn is held until the work is really over, so that abandoned work cannot pile up.
    pub turns: Option<Arc<Semaphore>>,
    /// The most that waiting and working take together.
    pub limit: Duration,
    /// Ready when nobody wants the answer any more.
    pub cancelled: C,
}

/// How work ended that gave nothing. It goes on all the same.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Ended {
    Cancelled,
    TimedOut,
}

/// Hears what work says while it goes on.
pub(crate) trait Listen<H> {
    /// Takes one piece of news.
    fn listen(&mut self, news: H) -> impl Future<Output = ()> + Send;
}

/// Runs `work`. What it sends into `heard` meanwhile goes to `listener`; a panic is an error.
pub(crate) async fn run<T: Send + 'static, H>(
    work: impl FnOnce() -> Result<T, AppError> + Send + 'static,
    bounds: Bounds<impl Future<Output = ()>>,
    mut heard: mpsc::UnboundedReceiver<H>,
    listener: &mut impl Listen<H>,
) -> Result<Result<T, AppError>, Ended> {
    let mut limit = pin!(tokio::time::sleep(bounds.limit));
    let mut cancelled = pin!(bounds.cancelled);
    let turn = match bounds.turns {
        Some(turns) => tokio::select! {
            turn = turns.acquire_owned() => turn.ok(),
            () = &mut cancelled => return Err(Ended::Cancelled),
            () = &mut limit => return Err(Ended::TimedOut),
        },
        None => None,
    };
    let mut thread = tokio::task::spawn_blocking(move || {
        let answer = caught(work);
        drop(turn);
        answer
    });
    loop {
        tokio::select! {
            biased;
            answer = &mut thread => {
                while let Ok(news) = heard.try_recv() {
                    listener.listen(news).await;
                }
                return Ok(answer.unwrap_or_else(|error| Err(AppError::internal(format!("the call failed: {error}")))));
            }
            () = &mut cancelled => return Err(Ended::Cancelled),
            () = &mut limit => return Err(Ended::TimedOut),
            Some(news) = heard.recv() => listener.listen(news).await,
        }
    }
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
    use std::sync::mpsc::channel;

    use super::*;
    use crate::error::Code;

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

    fn bounds(turns: &Arc<Semaphore>, millis: u64) -> Bounds<impl Future<Output = ()>> {
        Bounds { turns: Some(Arc::clone(turns)), limit: Duration::from_millis(millis), cancelled: pending() }
    }

    fn silence() -> mpsc::UnboundedReceiver<()> {
        mpsc::unbounded_channel().1
    }

    #[test]
    fn a_panic_is_an_error() {
        block_on(async {
            let turns = Arc::new(Semaphore::new(1));
            let work = || -> Result<(), AppError> { panic!("at the disco") };
            let error = run(work, bounds(&turns, 60_000), silence(), &mut Vec::new()).await.unwrap().unwrap_err();
            assert_eq!((error.code, error.message.as_str()), (Code::InternalError, "unexpected failure: at the disco"));
            // The next one is answered.
            assert_eq!(run(|| Ok(3), bounds(&turns, 60_000), silence(), &mut Vec::new()).await.unwrap().unwrap(), 3);
        });
    }

    #[test]
    fn time_is_limited_and_turns_are_held() {
        block_on(async {
            let turns = Arc::new(Semaphore::new(1));
            let (release, wait) = channel::<()>();
            let work = move || Ok(wait.recv().is_ok());
            assert_eq!(run(work, bounds(&turns, 50), silence(), &mut Vec::new()).await.unwrap_err(), Ended::TimedOut);
            // It still works, so the next one gets no turn.
            assert_eq!(
                run(|| Ok(3), bounds(&turns, 50), silence(), &mut Vec::new()).await.unwrap_err(),
                Ended::TimedOut
            );
            release.send(()).unwrap();
            assert_eq!(run(|| Ok(3), bounds(&turns, 60_000), silence(), &mut Vec::new()).await.unwrap().unwrap(), 3);
        });
    }

    #[test]
    fn nobody_waits_for_what_is_called_off() {
        block_on(async {
            let (_release, wait) = channel::<()>();
            let work = move || Ok(wait.recv().is_ok());
            let bounds = Bounds { turns: None, limit: Duration::from_secs(60), cancelled: ready(()) };
            assert_eq!(run(work, bounds, silence(), &mut Vec::new()).await.unwrap_err(), Ended::Cancelled);
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
            let bounds = Bounds { turns: None, limit: Duration::from_secs(60), cancelled: pending() };
            run(work, bounds, heard, &mut told).await.unwrap().unwrap();
            assert_eq!(told, (0..100).collect::<Vec<_>>());
        });
    }
}
