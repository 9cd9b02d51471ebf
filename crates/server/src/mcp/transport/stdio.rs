//! Messages on stdin and stdout, one JSON object per line, until either side ends.

use std::future::Future;
use std::io;
use std::pin::pin;

use codecompass_app::error::AppError;
use rmcp::model::JsonRpcMessage;
use rmcp::service::{RxJsonRpcMessage, ServerInitializeError, TxJsonRpcMessage};
use rmcp::transport::Transport;
use rmcp::transport::async_rw::AsyncRwTransport;
use rmcp::{RoleServer, serve_server};

use super::MAX_MESSAGE_BYTES;
use crate::mcp::server::Server;
use crate::mcp::signals::told_to_end;

/// Serves one client. The end of stdin, SIGTERM and SIGINT end it; calls that are under way get
/// some seconds to finish.
pub(crate) fn serve(server: Server) -> Result<(), AppError> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| AppError::internal(format!("cannot start the server: {error}")))?;
    let outcome = runtime.block_on(talk(server));
    // Threads that read stdin or work on abandoned calls end with the process.
    runtime.shutdown_background();
    outcome
}

async fn talk(server: Server) -> Result<(), AppError> {
    let mut told_to_end = pin!(told_to_end());
    let lines = AsyncRwTransport::new_server(tokio::io::stdin(), tokio::io::stdout());
    // A longer line is dropped, and the next one is read.
    let transport = Lines { inner: lines.with_max_line_length(MAX_MESSAGE_BYTES), has_begun: false };
    let begun = tokio::select! {
        begun = serve_server(server, transport) => begun,
        () = &mut told_to_end => return Ok(()),
    };
    let running = match begun {
        Ok(running) => running,
        // The client left before it asked anything.
        Err(ServerInitializeError::ConnectionClosed(_)) => return Ok(()),
        Err(error) => {
            let remedy = "this is the client's mistake; its log may say more";
            return Err(AppError::invalid(format!("the client did not begin as the protocol says: {error}"), remedy));
        }
    };
    let stop = running.cancellation_token();
    let mut waiting = pin!(running.waiting());
    let ended = tokio::select! {
        ended = &mut waiting => ended,
        () = &mut told_to_end => {
            stop.cancel();
            waiting.await
        }
    };
    ended.map(drop).map_err(|error| AppError::internal(format!("the server failed: {error}")))
}

/// The SDK's lines, without what it would end on: anything but a request before the first request.
struct Lines<T> {
    inner: T,
    has_begun: bool,
}

impl<T: Transport<RoleServer, Error = io::Error>> Transport<RoleServer> for Lines<T> {
    type Error = io::Error;

    fn send(
        &mut self,
        item: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = Result<(), io::Error>> + Send + 'static {
        self.inner.send(item)
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        loop {
            let message = self.inner.receive().await?;
            self.has_begun |= matches!(message, JsonRpcMessage::Request(_));
            if self.has_begun {
                return Some(message);
            }
        }
    }

    async fn close(&mut self) -> Result<(), io::Error> {
        self.inner.close().await
    }
}
