//! The only way to the client, and the only holder of the framework's `Client`.
//!
//! ```json
//! { "jsonrpc": "2.0", "id": 0, "method": "workspace/diagnostic/refresh" }
//! ```
//!
//! Sending never waits, and happens in order.
//!
//! While a client does not read, what is sent waits here, in order, and what a later message makes useless is left out:
//! pieces of a text are joined, and of diagnostics and progress only the latest are kept.
//! Nothing else is: responses go past this queue, and no prompt, no record of a conversation and no notice is ever lost.

use std::{collections::VecDeque, fmt, future::Future, pin::Pin};

use futures::{FutureExt as _, StreamExt as _};
use lsp_types::{
    LogMessageParams, MessageType, ShowMessageParams,
    notification::{LogMessage, Notification, ShowMessage},
    request::Request,
};
use tokio::sync::{mpsc, oneshot};
use tower_lsp::{Client, jsonrpc};

use super::{framework::Requests, outgoing::Wire};

type Delivery = Box<dyn FnOnce(Client) -> Pin<Box<dyn Future<Output = ()> + Send>> + Send>;

/// How many of the last parcels a new one may be merged with.
const MERGED_WITH: usize = 1_000;

/// Something to be sent.
enum Parcel {
    /// As it is.
    Whole(Delivery),
    /// Made useless by a later one of the same.
    Latest { of: String, delivery: Delivery },
    /// A piece of a text, which later pieces are joined to.
    Piece {
        of: String,
        text: String,
        send: fn(String, String) -> Delivery,
    },
}

/// What waits for the client.
#[derive(Default)]
struct Waiting {
    parcels: VecDeque<Parcel>,
}

impl Waiting {
    /// Adds a parcel; while the client does not read, one that waits already may take it in.
    fn add(&mut self, parcel: Parcel, is_read: bool) {
        let unmerged = match is_read {
            true => Some(parcel),
            false => self.merge(parcel),
        };
        self.parcels.extend(unmerged);
    }

    /// What of a parcel no other takes in.
    fn merge(&mut self, mut parcel: Parcel) -> Option<Parcel> {
        for other in self.parcels.iter_mut().rev().take(MERGED_WITH) {
            match (other, parcel) {
                (
                    Parcel::Latest { of, delivery },
                    Parcel::Latest {
                        of: new,
                        delivery: later,
                    },
                ) if *of == new => {
                    *delivery = later;
                    return None;
                }
                (
                    Parcel::Piece { of, text, .. },
                    Parcel::Piece {
                        of: new,
                        text: more,
                        ..
                    },
                ) if *of == new => {
                    text.push_str(&more);
                    return None;
                }
                // What is whole may speak of the text, so that no later piece comes before it.
                (Parcel::Whole(_), piece @ Parcel::Piece { .. }) => return Some(piece),
                (_, unmerged) => parcel = unmerged,
            }
        }
        Some(parcel)
    }

    fn next(&mut self) -> Option<Delivery> {
        Some(match self.parcels.pop_front()? {
            Parcel::Whole(delivery) | Parcel::Latest { delivery, .. } => delivery,
            Parcel::Piece { of, text, send } => send(of, text),
        })
    }
}

fn notification<N>(params: N::Params) -> Delivery
where
    N: Notification,
    N::Params: Send + 'static,
{
    Box::new(|client| Box::pin(async move { client.send_notification::<N>(params).await }))
}

/// Where parcels leave through the framework.
struct Desk {
    client: Client,
    requests: Requests,
    wire: Wire,
}

impl Desk {
    /// Sends one parcel. The framework holds one message at a time, so what it makes of the parcel leaves at once.
    async fn send(&mut self, delivery: Delivery) {
        delivery(self.client.clone()).await;
        while let Some(Some(request)) = self.requests.next().now_or_never() {
            self.wire.send(&request);
        }
    }
}

/// Why a request to the client has no result: the client refused it, or answered what does not fit.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[error("{message}")]
pub struct ClientError {
    /// The code of JSON-RPC.
    pub code: i64,
    /// What the client says.
    pub message: String,
}

impl From<jsonrpc::Error> for ClientError {
    fn from(error: jsonrpc::Error) -> Self {
        Self {
            code: error.code.code(),
            message: error.message.into_owned(),
        }
    }
}

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
    /// Starts the task that holds the framework's `client`, and passes on what it sends; it waits while `wire` is full.
    pub(super) fn start(client: Client, requests: Requests, wire: Wire) -> Self {
        let (queue, mut parcels) = mpsc::unbounded_channel::<Parcel>();
        let mut desk = Desk {
            client,
            requests,
            wire: wire.clone(),
        };
        tokio::spawn(async move {
            let mut waiting = Waiting::default();
            loop {
                tokio::select! {
                    biased;
                    parcel = parcels.recv() => match parcel {
                        Some(parcel) => waiting.add(parcel, !wire.is_full()),
                        None => break,
                    },
                    () = wire.room(), if !waiting.parcels.is_empty() => {
                        if let Some(delivery) = waiting.next() {
                            desk.send(delivery).await;
                        }
                    }
                }
            }
            while let Some(delivery) = waiting.next() {
                desk.send(delivery).await;
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
        self.post(Parcel::Whole(notification::<N>(params)));
    }

    /// Sends a notification that a later one `of` the same makes useless.
    pub(crate) fn notify_latest<N>(&self, of: String, params: N::Params)
    where
        N: Notification,
        N::Params: Send + 'static,
    {
        let delivery = notification::<N>(params);
        self.post(Parcel::Latest { of, delivery });
    }

    /// Sends a piece `of` a text, as the notification whose parameters are made from both.
    pub(crate) fn notify_piece<N>(&self, of: String, text: String)
    where
        N: Notification,
        N::Params: Send + From<(String, String)> + 'static,
    {
        let send = |of, text| notification::<N>(N::Params::from((of, text)));
        self.post(Parcel::Piece { of, text, send });
    }

    /// Sends a request. The answer may come late or never; dropping the receiver is harmless.
    pub fn request<R>(&self, params: R::Params) -> oneshot::Receiver<Result<R::Result, ClientError>>
    where
        R: Request + 'static,
        R::Params: Send + 'static,
        R::Result: Send + 'static,
    {
        let (answered, answer) = oneshot::channel();
        self.post(Parcel::Whole(Box::new(|client| {
            Box::pin(async move {
                let mut asking = Box::pin(async move {
                    let answer = client.send_request::<R>(params).await;
                    let _ = answered.send(answer.map_err(ClientError::from));
                });
                // The first step sends the request.
                // The framework panics when an answer arrives for a request that nobody polls, so a task polls it to the end.
                if futures::poll!(&mut asking).is_pending() {
                    tokio::spawn(asking);
                }
            })
        })));
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

    /// Resolves when everything sent before was handed to the wire.
    pub(crate) async fn flush(&self) {
        let (done, flushed) = oneshot::channel();
        self.post(Parcel::Whole(Box::new(|_| {
            let _ = done.send(());
            Box::pin(std::future::ready(()))
        })));
        let _ = flushed.await;
    }

    fn post(&self, parcel: Parcel) {
        // The task ends only when the runtime does, and then there is no client to tell.
        let _ = self.queue.send(parcel);
    }
}

#[cfg(test)]
#[path = "outbox_tests.rs"]
mod tests;
