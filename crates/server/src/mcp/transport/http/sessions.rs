//! The sessions of clients that begin with `initialize`: the SDK's, but only so many.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use futures_core::Stream;
use rmcp::model::{ClientJsonRpcMessage, ServerJsonRpcMessage};
use rmcp::transport::streamable_http_server::session::local::{LocalSessionManager, SessionConfig};
use rmcp::transport::streamable_http_server::session::{ServerSseMessage, SessionId, SessionManager};

/// Most clients do not say good-bye; the session that was used least recently makes room for a new
/// one.
const MOST: usize = 64;

/// Answers are kept so long for clients that lost the connection.
const KEPT_ANSWERS: Duration = Duration::from_secs(5);

/// All sessions, and when each was last used.
pub(super) struct Sessions {
    inner: LocalSessionManager,
    used: Mutex<HashMap<SessionId, Instant>>,
}

impl Sessions {
    /// `idle` is how long an unused session is kept.
    pub(super) fn new(idle: Duration) -> Sessions {
        let mut config = SessionConfig::default();
        config.keep_alive = Some(idle);
        config.completed_cache_ttl = KEPT_ANSWERS;
        // Events without a message, by which clients could resume before the first one, confuse
        // older clients.
        config.sse_retry = None;
        let mut inner = LocalSessionManager::default();
        inner.session_config = config;
        Sessions { inner, used: Mutex::default() }
    }

    fn used(&self) -> MutexGuard<'_, HashMap<SessionId, Instant>> {
        self.used.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes a new session. Gives the one that has to go, if there are too many.
    fn note(&self, id: &SessionId) -> Option<SessionId> {
        let mut used = self.used();
        let oldest = used.iter().min_by_key(|(_, at)| **at).map(|(id, _)| id.clone()).filter(|_| used.len() >= MOST);
        if let Some(oldest) = &oldest {
            used.remove(oldest);
        }
        used.insert(id.clone(), Instant::now());
        oldest
    }
}

type Failure = <LocalSessionManager as SessionManager>::Error;

impl SessionManager for Sessions {
    type Error = Failure;
    type Transport = <LocalSessionManager as SessionManager>::Transport;

    async fn create_session(&self) -> Result<(SessionId, Self::Transport), Failure> {
        let (id, transport) = self.inner.create_session().await?;
        if let Some(oldest) = self.note(&id) {
            self.inner.close_session(&oldest).await?;
        }
        Ok((id, transport))
    }

    async fn initialize_session(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<ServerJsonRpcMessage, Failure> {
        self.inner.initialize_session(id, message).await
    }

    /// Every request with a session asks this first.
    async fn has_session(&self, id: &SessionId) -> Result<bool, Failure> {
        if let Some(used) = self.used().get_mut(id) {
            *used = Instant::now();
        }
        self.inner.has_session(id).await
    }

    async fn close_session(&self, id: &SessionId) -> Result<(), Failure> {
        self.used().remove(id);
        self.inner.close_session(id).await
    }

    async fn create_stream(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, Failure> {
        self.inner.create_stream(id, message).await
    }

    async fn accept_message(&self, id: &SessionId, message: ClientJsonRpcMessage) -> Result<(), Failure> {
        self.inner.accept_message(id, message).await
    }

    async fn create_standalone_stream(
        &self,
        id: &SessionId,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, Failure> {
        self.inner.create_standalone_stream(id).await
    }

    async fn resume(
        &self,
        id: &SessionId,
        last_event_id: String,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, Failure> {
        self.inner.resume(id, last_event_id).await
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_recently_used_goes() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        runtime.block_on(async {
            let sessions = Sessions::new(Duration::from_secs(60));
            let mut ids = Vec::new();
            for _ in 0..MOST {
                ids.push(sessions.create_session().await.unwrap());
            }
            assert!(sessions.has_session(&ids[0].0).await.unwrap());
            ids.push(sessions.create_session().await.unwrap());
            let mut there = Vec::new();
            for (id, _) in &ids {
                there.push(sessions.has_session(id).await.unwrap());
            }
            // The first one was used meanwhile.
            assert!(there[0] && !there[1] && there[2..].iter().all(|there| *there));
            assert_eq!(sessions.used().len(), MOST);
            sessions.close_session(&ids[0].0).await.unwrap();
            assert_eq!(sessions.used().len(), MOST - 1);
        });
    }
}
