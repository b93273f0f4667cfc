//! Requests: which are answered, by what, and what their handlers get.
//!
//! ```json
//! { "method": "textDocument/hover", "params": { "textDocument": { "uri": "file:///w/.jp/config.toml" } } }
//! ```

use std::{collections::BTreeMap, fmt, future::Future, pin::Pin, sync::Arc};

use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;
use url::Url;

use super::{
    cell::Cell,
    documents::{Document, FileKey},
    engine::Engine,
    error::RequestError,
    event::EventSender,
    record::Record,
    since_head::SinceHead,
    snapshot::Snapshot,
    work::Work,
};
use crate::wire::Outbox;

/// What the handler of a request gets: the state as it was when the request arrived.
pub struct Context<E: Engine> {
    pub(crate) engine: Arc<E>,
    pub(crate) cell: Arc<Cell<E>>,
    pub(crate) work: Work,
    pub(crate) outbox: Outbox,
    pub(crate) may_block: bool,
    pub(crate) record: Arc<Record>,
    pub(crate) since_head: Arc<SinceHead>,
}

impl<E: Engine> fmt::Debug for Context<E> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Context")
            .field("generation", &self.work.generation)
            .finish_non_exhaustive()
    }
}

impl<E: Engine> Context<E> {
    /// The engine itself.
    #[must_use]
    pub fn engine(&self) -> &E {
        &self.engine
    }

    /// The state at the arrival of the request.
    #[must_use]
    pub fn snapshot(&self) -> &Snapshot {
        self.cell.snapshot()
    }

    /// The open buffer of `uri` at the arrival of the request.
    ///
    /// # Errors
    ///
    /// [`RequestError::InvalidParams`] when it is not open.
    pub fn document(&self, uri: &Url) -> Result<&Arc<Document>, RequestError> {
        let key = FileKey::of(uri);
        self.snapshot().documents().get(&key).ok_or_else(|| {
            RequestError::InvalidParams(format!(
                "`{key}` is not open: send `textDocument/didOpen` first"
            ))
        })
    }

    /// Whether this runs on a background thread, which may wait for the disk for example.
    /// Where it does not, a handler that would have to wait returns [`RequestError::WouldBlock`] and is run again where it may.
    #[must_use]
    pub fn may_block(&self) -> bool {
        self.may_block
    }

    /// The reading of this very snapshot. Waits while it is made.
    ///
    /// # Errors
    ///
    /// [`RequestError::Superseded`] or [`RequestError::Cancelled`]; [`RequestError::WouldBlock`] where waiting is not allowed.
    pub fn reading(&self) -> Result<Arc<E::Reading>, RequestError> {
        if !self.may_block && !self.cell.is_read() {
            return Err(RequestError::WouldBlock);
        }
        self.cell
            .reading(&self.engine, &self.work)
            .map_err(|_| self.stopped())
    }

    /// The analysis of this very snapshot. Waits while it is made.
    ///
    /// # Errors
    ///
    /// [`RequestError::Superseded`] or [`RequestError::Cancelled`]; [`RequestError::WouldBlock`] where waiting is not allowed.
    pub fn analysis(&self) -> Result<Arc<E::Analysis>, RequestError> {
        if !self.may_block && self.cell.present().analysis.is_none() {
            return Err(RequestError::WouldBlock);
        }
        self.cell
            .analysis(&self.engine, &self.work)
            .map_err(|_| self.stopped())
    }

    /// Goes on, or stops because the client cancelled the request.
    ///
    /// # Errors
    ///
    /// [`RequestError::Superseded`] or [`RequestError::Cancelled`].
    pub fn check(&self) -> Result<(), RequestError> {
        self.work.check().map_err(|_| self.stopped())
    }

    /// Resolves when the client cancels the request.
    pub async fn cancelled(&self) {
        self.work.cancelled.cancelled().await;
    }

    /// The way to the client.
    #[must_use]
    pub fn outbox(&self) -> &Outbox {
        &self.outbox
    }

    /// What the calls on record came to when the request arrived; it may be behind the texts.
    pub(crate) fn record(&self) -> &Record {
        &self.record
    }

    /// What had become of the tools since the last commit when the request arrived; it is about what is saved, and may be behind that.
    pub(crate) fn since_head(&self) -> &SinceHead {
        &self.since_head
    }

    /// The way into the event loop.
    pub(crate) fn events(&self) -> &EventSender {
        &self.work.events
    }

    fn stopped(&self) -> RequestError {
        if self.work.is_superseded() {
            RequestError::Superseded
        } else {
            RequestError::Cancelled
        }
    }
}

/// A future that a handler returns.
pub type Answer = Pin<Box<dyn Future<Output = Result<Value, RequestError>> + Send>>;

type Handler<E> = dyn Fn(&Context<E>, &Value) -> Result<Value, RequestError> + Send + Sync;
type WaitingHandler<E> = dyn Fn(Context<E>, Value) -> Answer + Send + Sync;

/// How one request is answered.
pub(crate) enum Route<E: Engine> {
    /// On the server's one thread, unless something has to be waited for.
    AtOnce(Arc<Handler<E>>),
    /// On a background thread.
    Blocking(Arc<Handler<E>>),
    /// By a task that may wait long, for the user for example, and holds no thread meanwhile.
    Waiting(Arc<WaitingHandler<E>>),
}

impl<E: Engine> Clone for Route<E> {
    fn clone(&self) -> Self {
        match self {
            Self::AtOnce(handler) => Self::AtOnce(Arc::clone(handler)),
            Self::Blocking(handler) => Self::Blocking(Arc::clone(handler)),
            Self::Waiting(handler) => Self::Waiting(Arc::clone(handler)),
        }
    }
}

/// The requests that are answered, by method.
pub struct Routes<E: Engine> {
    table: BTreeMap<&'static str, Route<E>>,
}

impl<E: Engine> fmt::Debug for Routes<E> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_set().entries(self.table.keys()).finish()
    }
}

impl<E: Engine> Default for Routes<E> {
    fn default() -> Self {
        Self::new()
    }
}

impl<E: Engine> Routes<E> {
    /// No routes.
    #[must_use]
    pub fn new() -> Self {
        Self {
            table: BTreeMap::new(),
        }
    }

    /// Answers `R` by `handler` on a background thread.
    #[must_use]
    pub fn on<R>(
        mut self,
        handler: impl Fn(&Context<E>, R::Params) -> Result<R::Result, RequestError>
        + Send
        + Sync
        + 'static,
    ) -> Self
    where
        R: lsp_types::request::Request,
    {
        self.table
            .insert(R::METHOD, Route::Blocking(typed::<E, R>(handler)));
        self
    }

    /// Answers `R` by a `handler` that takes a fraction of a millisecond, on the server's one thread; nothing else happens meanwhile.
    ///
    /// It may wait for nothing there ([`Context::may_block`]). With [`RequestError::WouldBlock`] it is run again on a background thread.
    #[must_use]
    pub fn at_once<R>(
        mut self,
        handler: impl Fn(&Context<E>, R::Params) -> Result<R::Result, RequestError>
        + Send
        + Sync
        + 'static,
    ) -> Self
    where
        R: lsp_types::request::Request,
    {
        self.table
            .insert(R::METHOD, Route::AtOnce(typed::<E, R>(handler)));
        self
    }

    /// Answers `R` by an asynchronous `handler`, which must not block: it shares the server's one thread.
    #[must_use]
    pub fn on_waiting<R, F>(
        mut self,
        handler: impl Fn(Context<E>, R::Params) -> F + Send + Sync + 'static,
    ) -> Self
    where
        R: lsp_types::request::Request,
        F: Future<Output = Result<R::Result, RequestError>> + Send + 'static,
    {
        let handler = move |context, params| -> Answer {
            match decode(&params) {
                Ok(params) => {
                    let answer = handler(context, params);
                    Box::pin(async move { encode(answer.await?) })
                }
                Err(error) => Box::pin(std::future::ready(Err(error))),
            }
        };
        self.table
            .insert(R::METHOD, Route::Waiting(Arc::new(handler)));
        self
    }

    /// The methods, in alphabetical order.
    #[cfg(test)]
    pub(crate) fn methods(&self) -> impl Iterator<Item = &'static str> {
        self.table.keys().copied()
    }

    pub(crate) fn get(&self, method: &str) -> Option<Route<E>> {
        self.table.get(method).cloned()
    }
}

fn typed<E, R>(
    handler: impl Fn(&Context<E>, R::Params) -> Result<R::Result, RequestError> + Send + Sync + 'static,
) -> Arc<Handler<E>>
where
    E: Engine,
    R: lsp_types::request::Request,
{
    Arc::new(move |context, params| encode(handler(context, decode(params)?)?))
}

pub(crate) fn decode<P: DeserializeOwned>(params: &Value) -> Result<P, RequestError> {
    P::deserialize(params).map_err(|error| {
        RequestError::InvalidParams(format!("the parameters do not fit the method: {error}"))
    })
}

pub(crate) fn encode<R: Serialize>(result: R) -> Result<Value, RequestError> {
    serde_json::to_value(result).map_err(|error| RequestError::Internal(error.to_string()))
}
