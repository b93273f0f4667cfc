//! The gate that sees every frame of the client in wire order.
//!
//! ```json
//! { "jsonrpc": "2.0", "method": "$/cancelRequest", "params": { "id": "a" } }
//! ```
//!
//! It turns frames into events and never waits or works, so cancelling works however busy the server is.

use std::{
    borrow::Cow,
    collections::HashMap,
    convert::Infallible,
    future::{Future, ready},
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    task::{Context, Poll},
};

use serde_json::{Value, json};
use tokio::sync::{mpsc, oneshot};
use tokio_util::{sync::CancellationToken, task::TaskTracker};
use tower::Service;
use tower_lsp::{
    LanguageServer, LspService,
    jsonrpc::{self, Error, ErrorCode, Id, Request, Response},
    lsp_types::{InitializeParams, InitializeResult},
};

use crate::{
    session::{
        capabilities,
        client::ClientProfile,
        engine::{Engine, RequestError},
        event::{Event, EventSender},
    },
    wire::transport::Wire,
};

/// Why the server is to end.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Stop {
    /// The client said `exit`.
    Exit,
    /// The client closed the server's input.
    InputEnded,
    /// The process that the client named is gone.
    ParentGone,
}

/// The framework's part: it knows only whether the connection is initialized.
#[derive(Debug)]
pub(crate) struct Lifecycle;

#[tower_lsp::async_trait]
impl LanguageServer for Lifecycle {
    async fn initialize(&self, _: InitializeParams) -> jsonrpc::Result<InitializeResult> {
        Ok(InitializeResult::default())
    }

    async fn shutdown(&self) -> jsonrpc::Result<()> {
        Ok(())
    }
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Phase {
    Fresh,
    Ready,
    ShutDown,
}

/// What the front is connected to.
#[derive(Debug)]
pub(crate) struct Lines {
    pub(crate) events: EventSender,
    pub(crate) wire: Wire,
    /// Told once the client has the answer to `initialize`.
    pub(crate) introduced: oneshot::Sender<()>,
    pub(crate) stop: mpsc::UnboundedSender<Stop>,
    /// Set by `shutdown`.
    pub(crate) shut_down: Arc<AtomicBool>,
    /// Follows every request until it is answered.
    pub(crate) tracker: TaskTracker,
}

/// The service that the framework calls once for each frame.
#[derive(Debug)]
pub(crate) struct Front<E> {
    engine: Arc<E>,
    inner: LspService<Lifecycle>,
    phase: Phase,
    events: EventSender,
    wire: Wire,
    introduced: Option<oneshot::Sender<()>>,
    stop: mpsc::UnboundedSender<Stop>,
    shut_down: Arc<AtomicBool>,
    tracker: TaskTracker,
    live: HashMap<Id, CancellationToken>,
    /// Cancels every live request.
    leaving: CancellationToken,
    finished: (mpsc::UnboundedSender<Id>, mpsc::UnboundedReceiver<Id>),
}

type Reply = Pin<Box<dyn Future<Output = Result<Option<Response>, Infallible>> + Send>>;

impl<E: Engine> Front<E> {
    pub(crate) fn new(engine: Arc<E>, inner: LspService<Lifecycle>, lines: Lines) -> Self {
        Self {
            engine,
            inner,
            phase: Phase::Fresh,
            events: lines.events,
            wire: lines.wire,
            introduced: Some(lines.introduced),
            stop: lines.stop,
            shut_down: lines.shut_down,
            tracker: lines.tracker,
            live: HashMap::new(),
            leaving: CancellationToken::new(),
            finished: mpsc::unbounded_channel(),
        }
    }

    fn notify(&mut self, method: Cow<'static, str>, params: Value) -> Reply {
        match (method.as_ref(), self.phase) {
            ("exit", _) => {
                self.leaving.cancel();
                // The receiver lives as long as the server does.
                let _ = self.stop.send(Stop::Exit);
            }
            ("$/cancelRequest", _) => self.cancel(&params),
            (_, Phase::Ready) => self.events.send(Event::Notify { method, params }),
            // The protocol has notifications before `initialize` and after `shutdown` dropped.
            (_, Phase::Fresh | Phase::ShutDown) => {}
        }
        Box::pin(ready(Ok(None)))
    }

    fn ask(&mut self, method: Cow<'static, str>, id: Id, params: Value) -> Reply {
        if self.live.contains_key(&id) {
            return refuse(
                id.clone(),
                ErrorCode::InvalidRequest,
                format!("the id `{id}` belongs to a request that is not answered yet: use another"),
            );
        }
        match (method.as_ref(), self.phase) {
            ("initialize", Phase::Fresh) => self.initialize(id, &params),
            ("initialize", _) => refuse(
                id,
                ErrorCode::InvalidRequest,
                "the server is initialized already",
            ),
            (_, Phase::Fresh) => refuse(
                id,
                ErrorCode::ServerError(-32002),
                "the server is not initialized: send `initialize` first",
            ),
            (_, Phase::ShutDown) => refuse(
                id,
                ErrorCode::InvalidRequest,
                "the server is shut down: send `exit`",
            ),
            ("shutdown", Phase::Ready) => self.shutdown(id),
            (_, Phase::Ready) => self.forward(method, id, params),
        }
    }

    fn initialize(&mut self, id: Id, params: &Value) -> Reply {
        if !params.is_object() {
            return refuse(
                id,
                ErrorCode::InvalidParams,
                "the parameters of `initialize` must be an object",
            );
        }
        let profile = ClientProfile::from_json(params);
        let result = capabilities::initialize_result(self.engine.as_ref(), &profile);
        self.phase = Phase::Ready;
        self.events.send(Event::Initialize(Box::new(profile)));
        // The framework decodes strictly, so it gets nothing that could fail.
        let request = Request::build("initialize")
            .id(id.clone())
            .params(json!({ "capabilities": {} }))
            .finish();
        let settled = self.inner.call(request);
        let (wire, introduced) = (self.wire.clone(), self.introduced.take());
        Box::pin(async move {
            let _ = settled.await;
            // Sent past the framework: that merges replies with notifications in no fixed order,
            // and no diagnostics may overtake this reply.
            wire.send(&Response::from_ok(id, result));
            if let Some(introduced) = introduced {
                let _ = introduced.send(());
            }
            Ok(None)
        })
    }

    fn shutdown(&mut self, id: Id) -> Reply {
        self.phase = Phase::ShutDown;
        self.shut_down.store(true, Ordering::Relaxed);
        // Answered here and now, because `exit` may follow in the same breath.
        self.wire.send(&Response::from_ok(id.clone(), Value::Null));
        // The framework refuses `"params": null`, which some clients send.
        let settled = self.inner.call(Request::build("shutdown").id(id).finish());
        Box::pin(async move {
            let _ = settled.await;
            Ok(None)
        })
    }

    fn forward(&mut self, method: Cow<'static, str>, id: Id, params: Value) -> Reply {
        let cancelled = self.leaving.child_token();
        self.live.insert(id.clone(), cancelled.clone());
        let (reply, answer) = oneshot::channel();
        self.events.send(Event::Ask {
            method,
            params,
            cancelled: cancelled.clone(),
            reply,
        });
        let (finished, wire) = (self.finished.0.clone(), self.wire.clone());
        // The framework polls a limited number of futures and then stops reading, answers of the client included.
        // So it gets none to wait for, and a task of its own sends the answer.
        self.tracker.spawn(async move {
            let result = tokio::select! {
                biased;
                answer = answer => answer.unwrap_or_else(|_| Err(Error::internal_error())),
                () = cancelled.cancelled() => Err(RequestError::Cancelled.into()),
            };
            // In this order: an id may be used again as soon as its answer is read.
            let _ = finished.send(id.clone());
            wire.send(&Response::from_parts(id, result));
        });
        Box::pin(ready(Ok(None)))
    }

    fn cancel(&self, params: &Value) {
        let id = match params.get("id") {
            Some(Value::Number(id)) => id.as_i64().map(Id::Number),
            Some(Value::String(id)) => Some(Id::String(id.clone())),
            _ => None,
        };
        if let Some(token) = id.and_then(|id| self.live.get(&id)) {
            token.cancel();
        }
    }
}

impl<E: Engine> Service<Request> for Front<E> {
    type Response = Option<Response>;
    type Error = Infallible;
    type Future = Reply;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request) -> Reply {
        while let Ok(id) = self.finished.1.try_recv() {
            self.live.remove(&id);
        }
        let (method, id, params) = request.into_parts();
        let params = params.unwrap_or_default();
        match id {
            None => self.notify(method, params),
            Some(id) => self.ask(method, id, params),
        }
    }
}

fn refuse(id: Id, code: ErrorCode, message: impl Into<Cow<'static, str>>) -> Reply {
    Box::pin(ready(Ok(Some(Response::from_error(
        id,
        Error {
            code,
            message: message.into(),
            data: None,
        },
    )))))
}
