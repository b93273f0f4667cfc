//! The gate that sees every frame of the client in wire order.
//!
//! ```json
//! { "jsonrpc": "2.0", "method": "$/cancelRequest", "params": { "id": "a" } }
//! ```
//!
//! It turns messages into events and never waits or works, so cancelling works however busy the server is.

use std::{
    borrow::Cow,
    collections::HashMap,
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use futures::Sink as _;
use serde_json::Value;
use tokio::{
    io::AsyncRead,
    sync::{mpsc, oneshot},
};
use tokio_util::{sync::CancellationToken, task::TaskTracker};
use tower_lsp::jsonrpc::{Error, ErrorCode, Id, Response};

use super::{
    frames::Frames,
    framework::Answers,
    message::{self, Message},
    outgoing::Wire,
    stop::Stop,
};
use crate::session::{
    capabilities,
    client::ClientProfile,
    engine::Engine,
    error::RequestError,
    event::{Event, EventSender},
};

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Phase {
    Fresh,
    Ready,
    ShutDown,
}

/// What the front is connected to.
#[derive(Debug)]
pub(crate) struct FrontPorts {
    pub(crate) events: EventSender,
    pub(crate) wire: Wire,
    pub(crate) stop: mpsc::UnboundedSender<Stop>,
    /// Set by `shutdown`.
    pub(crate) shut_down: Arc<AtomicBool>,
    /// Follows every request until it is answered.
    pub(crate) tracker: TaskTracker,
}

/// What hears the client.
#[derive(Debug)]
pub(crate) struct Front<E> {
    engine: Arc<E>,
    ports: FrontPorts,
    /// Where the client's answers go.
    answers: Answers,
    phase: Phase,
    live: HashMap<Id, CancellationToken>,
    /// Cancels every live request.
    leaving: CancellationToken,
    finished: (mpsc::UnboundedSender<Id>, mpsc::UnboundedReceiver<Id>),
}

impl<E: Engine> Front<E> {
    pub(super) fn new(engine: Arc<E>, ports: FrontPorts, answers: Answers) -> Self {
        Self {
            engine,
            ports,
            answers,
            phase: Phase::Fresh,
            live: HashMap::new(),
            leaving: CancellationToken::new(),
            finished: mpsc::unbounded_channel(),
        }
    }

    /// Hears everything that `input` brings, in the order in which it comes, until it ends.
    pub(crate) async fn listen(mut self, mut input: impl AsyncRead + Unpin) {
        let mut frames = Frames::default();
        while frames.read_from(&mut input).await {
            while let Some(frame) = frames.next() {
                match frame {
                    Ok(body) => message::read(&body)
                        .into_iter()
                        .for_each(|message| self.hear(message)),
                    Err(refusal) => self.hear(Message::Refused(refusal)),
                }
            }
        }
        // The receiver lives as long as the server does.
        let _ = self.ports.stop.send(Stop::InputEnded);
    }

    fn hear(&mut self, message: Message) {
        while let Ok(id) = self.finished.1.try_recv() {
            self.live.remove(&id);
        }
        match message {
            Message::Notification { method, params } => self.notified(method, params),
            Message::Request { id, method, params } => {
                if let Err(error) = self.asked(method, id.clone(), params) {
                    self.ports.wire.send(&Response::from_error(id, error));
                }
            }
            Message::Response(response) => {
                // The framework says itself when nobody waits for an answer.
                let _ = Pin::new(&mut self.answers).start_send(response);
            }
            Message::Refused(refusal) => {
                tracing::warn!(?refusal, "a frame was refused");
                self.ports.wire.send(&refusal.into_response());
            }
        }
    }

    fn notified(&mut self, method: String, params: Value) {
        match (method.as_ref(), self.phase) {
            ("exit", _) => {
                self.leaving.cancel();
                // The receiver lives as long as the server does.
                let _ = self.ports.stop.send(Stop::Exit);
            }
            ("$/cancelRequest", _) => self.cancel(&params),
            (_, Phase::Ready) => self.ports.events.send(Event::Notify { method, params }),
            // The protocol has notifications before `initialize` and after `shutdown` dropped.
            (_, Phase::Fresh | Phase::ShutDown) => {}
        }
    }

    /// Sees to it that a request is answered, now or later.
    ///
    /// # Errors
    ///
    /// The answer to a request that is not let in.
    fn asked(&mut self, method: String, id: Id, params: Value) -> Result<(), Error> {
        if self.live.contains_key(&id) {
            return Err(refused(
                ErrorCode::InvalidRequest,
                format!("the id `{id}` belongs to a request that is not answered yet: use another"),
            ));
        }
        match (method.as_ref(), self.phase) {
            ("initialize", Phase::Fresh) => self.initialize(id, &params)?,
            ("initialize", _) => {
                return Err(refused(
                    ErrorCode::InvalidRequest,
                    "the server is initialized already",
                ));
            }
            (_, Phase::Fresh) => {
                return Err(refused(
                    ErrorCode::ServerError(-32002),
                    "the server is not initialized: send `initialize` first",
                ));
            }
            (_, Phase::ShutDown) => {
                return Err(refused(
                    ErrorCode::InvalidRequest,
                    "the server is shut down: send `exit`",
                ));
            }
            ("shutdown", Phase::Ready) => self.shutdown(id),
            (_, Phase::Ready) => self.forward(method, id, params),
        }
        Ok(())
    }

    fn initialize(&mut self, id: Id, params: &Value) -> Result<(), Error> {
        if !params.is_object() {
            return Err(refused(
                ErrorCode::InvalidParams,
                "the parameters of `initialize` must be an object",
            ));
        }
        let profile = ClientProfile::from_json(params);
        let result = capabilities::initialize_result(self.engine.as_ref(), &profile);
        self.phase = Phase::Ready;
        // In this order: whatever follows from the event must not overtake the answer.
        self.ports.wire.send(&Response::from_ok(id, result));
        self.ports.events.send(Event::Initialize(Box::new(profile)));
        Ok(())
    }

    fn shutdown(&mut self, id: Id) {
        self.phase = Phase::ShutDown;
        self.ports.shut_down.store(true, Ordering::Relaxed);
        self.ports.wire.send(&Response::from_ok(id, Value::Null));
    }

    fn forward(&mut self, method: String, id: Id, params: Value) {
        let cancelled = self.leaving.child_token();
        self.live.insert(id.clone(), cancelled.clone());
        let (reply, answer) = oneshot::channel();
        self.ports.events.send(Event::Ask {
            method,
            params,
            cancelled: cancelled.clone(),
            reply,
        });
        let (finished, wire) = (self.finished.0.clone(), self.ports.wire.clone());
        self.ports.tracker.spawn(async move {
            let result = tokio::select! {
                biased;
                answer = answer => answer.map_or_else(|_| Err(Error::internal_error()), |answer| answer.map_err(Error::from)),
                () = cancelled.cancelled() => Err(RequestError::Cancelled.into()),
            };
            // In this order: an id may be used again as soon as its answer is read.
            let _ = finished.send(id.clone());
            wire.send(&Response::from_parts(id, result));
        });
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

fn refused(code: ErrorCode, message: impl Into<Cow<'static, str>>) -> Error {
    Error {
        code,
        message: message.into(),
        data: None,
    }
}
