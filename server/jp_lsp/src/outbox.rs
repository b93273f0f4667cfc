//! The only way to the client, and the only holder of the framework's `Client`.
//!
//! ```json
//! { "jsonrpc": "2.0", "id": 0, "method": "workspace/diagnostic/refresh" }
//! ```
//!
//! Sending never waits, and nothing is sent before the client has the answer to `initialize`.

use std::{fmt, future::Future, pin::Pin};

use tokio::sync::{mpsc, oneshot};
use tower_lsp::{
    Client, jsonrpc,
    lsp_types::{
        LogMessageParams, MessageType, ShowMessageParams,
        notification::{LogMessage, Notification, ShowMessage},
        request::Request,
    },
};

type Parcel = Box<dyn FnOnce(Client) -> Pin<Box<dyn Future<Output = ()> + Send>> + Send>;

/// Sends notifications and requests to the client, in order. Cheap to clone.
#[derive(Clone)]
pub struct Outbox {
    queue: mpsc::UnboundedSender<Parcel>,
}

impl fmt::Debug for Outbox {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Outbox").finish_non_exhaustive()
    }
}

impl Outbox {
    /// Starts the task that holds `client`; it begins to send when `introduced` resolves.
    pub(crate) fn start(client: Client, introduced: oneshot::Receiver<()>) -> Self {
        let (queue, mut parcels) = mpsc::unbounded_channel::<Parcel>();
        tokio::spawn(async move {
            if introduced.await.is_err() {
                return;
            }
            while let Some(parcel) = parcels.recv().await {
                parcel(client.clone()).await;
            }
        });
        Self { queue }
    }

    /// Sends a notification.
    pub fn notify<N>(&self, params: N::Params)
    where
        N: Notification,
        N::Params: Send + 'static,
    {
        self.post(Box::new(|client| {
            Box::pin(async move { client.send_notification::<N>(params).await })
        }));
    }

    /// Sends a request. The answer may come late or never; dropping the receiver is harmless.
    pub fn request<R>(&self, params: R::Params) -> oneshot::Receiver<jsonrpc::Result<R::Result>>
    where
        R: Request + 'static,
        R::Params: Send + 'static,
        R::Result: Send + 'static,
    {
        let (answered, answer) = oneshot::channel();
        self.post(Box::new(|client| {
            // The framework panics when an answer arrives for a request that nobody polls.
            // So a task of its own polls it to the end, whoever waits for the answer.
            tokio::spawn(async move {
                let _ = answered.send(client.send_request::<R>(params).await);
            });
            Box::pin(tokio::task::yield_now())
        }));
        answer
    }

    /// Writes a line to the client's log.
    pub fn log(&self, typ: MessageType, message: impl Into<String>) {
        self.notify::<LogMessage>(LogMessageParams {
            typ,
            message: message.into(),
        });
    }

    /// Shows a message to the user.
    pub fn show(&self, typ: MessageType, message: impl Into<String>) {
        self.notify::<ShowMessage>(ShowMessageParams {
            typ,
            message: message.into(),
        });
    }

    /// Resolves when there is no client any more.
    pub async fn closed(&self) {
        self.queue.closed().await;
    }

    /// Resolves when everything sent before was handed to the transport.
    pub(crate) async fn flush(&self) {
        let (done, flushed) = oneshot::channel();
        self.post(Box::new(|_| {
            let _ = done.send(());
            Box::pin(std::future::ready(()))
        }));
        let _ = flushed.await;
    }

    fn post(&self, parcel: Parcel) {
        // The task ends only when the runtime does, and then there is no client to tell.
        let _ = self.queue.send(parcel);
    }
}
