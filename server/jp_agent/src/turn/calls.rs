//! The calls of one answer, all at once, and their results in order.
//!
//! ```json
//! {"type": "tool_call_response", "id": "call_1", "content": "2 files", "is_error": false}
//! {"type": "tool_call_response", "id": "call_2", "content": "Tool skipped by user.", "is_error": false}
//! ```

use std::sync::Arc;

use jp_conversation::{ConversationEvent, EventKind, ToolCallResponse};
use jp_llm::InvalidArguments;
use serde_json::{Map, Value};
use tokio::sync::oneshot;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use crate::call::{Call, CallResult, Cycle, Signals, take};
use crate::error::AgentError;
use crate::interrupt::{Interrupt, TurnControl};
use crate::texts;

/// The calls of one answer.
#[derive(Debug)]
pub(super) struct Calls {
    cycle: Arc<Cycle>,
    slots: Vec<Slot>,
    tasks: JoinSet<(usize, Result<CallResult, AgentError>)>,
    go: CancellationToken,
    cancel: CancellationToken,
    /// How many results are recorded; they are the first ones.
    recorded: usize,
}

#[derive(Debug)]
struct Slot {
    call: Call,
    rendered: Option<oneshot::Receiver<Option<String>>>,
    result: Option<CallResult>,
}

/// How collecting the results ended.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Collected {
    /// All results are recorded, the model may go on.
    All,
    /// A person ended the turn.
    Stopped,
    /// The turn was cancelled.
    Cancelled,
}

impl Calls {
    pub(super) fn new(cycle: Arc<Cycle>) -> Self {
        Self {
            cycle,
            slots: Vec::new(),
            tasks: JoinSet::new(),
            go: CancellationToken::new(),
            cancel: CancellationToken::new(),
            recorded: 0,
        }
    }

    pub(super) const fn is_empty(&self) -> bool {
        self.slots.is_empty()
    }

    /// Adds a call whose arguments are complete, and begins to decide about it.
    pub(super) fn add(
        &mut self,
        id: String,
        name: String,
        arguments: Result<Map<String, Value>, InvalidArguments>,
    ) {
        let (sender, receiver) = oneshot::channel();
        let index = self.slots.len();
        self.slots.push(Slot {
            call: Call {
                index,
                id,
                name,
                arguments,
            },
            rendered: Some(receiver),
            result: None,
        });
        self.start(index, Some(sender));
    }

    fn start(&mut self, index: usize, rendered: Option<oneshot::Sender<Option<String>>>) {
        let Some(slot) = self.slots.get(index) else {
            return;
        };
        let signals = Signals {
            go: self.go.clone(),
            cancel: self.cancel.child_token(),
            rendered,
        };
        let taken = take(Arc::clone(&self.cycle), slot.call.clone(), signals);
        self.tasks.spawn(async move { (index, taken.await) });
    }

    /// What formatters that ask nobody make of the arguments, call by call.
    pub(super) async fn rendered(&mut self, cancel: &CancellationToken) -> Vec<Option<String>> {
        let mut rendered = Vec::with_capacity(self.slots.len());
        for slot in &mut self.slots {
            let text = match slot.rendered.take() {
                Some(receiver) => tokio::select! {
                    text = receiver => text.ok().flatten(),
                    () = cancel.cancelled() => None,
                },
                None => None,
            };
            rendered.push(text);
        }
        rendered
    }

    /// Lets approved calls run.
    pub(super) fn go(&self) {
        self.go.cancel();
    }

    /// Ends everything that is going on and waits for it.
    pub(super) async fn end(&mut self) {
        self.cancel.cancel();
        while self.tasks.join_next().await.is_some() {}
    }

    /// Waits for the results and records them in the order of the calls.
    pub(super) async fn collect(
        &mut self,
        control: &mut TurnControl,
    ) -> Result<Collected, AgentError> {
        let turn = control.cancel.clone();
        loop {
            self.record_prefix(false)?;
            let interrupt = tokio::select! {
                biased;
                () = turn.cancelled() => {
                    self.end().await;
                    self.close(|_, _| texts::CANCELLED.to_owned())?;
                    return Ok(Collected::Cancelled);
                }
                interrupt = control.next() => interrupt,
                joined = self.tasks.join_next() => match joined {
                    None => break,
                    Some(Ok((index, result))) => {
                        self.settle(index, result?);
                        continue;
                    }
                    Some(Err(error)) => {
                        tracing::error!(%error, "a tool call ended without a result");
                        continue;
                    }
                },
            };
            match interrupt {
                Interrupt::Continue => {}
                Interrupt::Restart => self.restart().await,
                Interrupt::StopAndReply { text } => {
                    self.end().await;
                    self.close(|cycle, name| {
                        texts::interrupted(cycle.config.tools.get(name), text.as_deref())
                    })?;
                    return Ok(Collected::All);
                }
                Interrupt::Stop => {
                    self.end().await;
                    self.close(|_, _| texts::CANCELLED.to_owned())?;
                    return Ok(Collected::Stopped);
                }
            }
        }
        self.record_prefix(true)?;
        Ok(Collected::All)
    }

    fn settle(&mut self, index: usize, result: CallResult) {
        if let Some(slot) = self.slots.get_mut(index) {
            slot.result = Some(result);
        }
    }

    /// Begins again with every call that has no recorded result; proposed config changes are dropped.
    async fn restart(&mut self) {
        self.end().await;
        self.cancel = CancellationToken::new();
        self.cycle.discard_changes();
        for index in self.recorded..self.slots.len() {
            // A result that is not recorded may rest on a config change that was dropped.
            if let Some(slot) = self.slots.get_mut(index) {
                slot.result = None;
            }
            self.start(index, None);
        }
    }

    /// Records results from the first unrecorded call on, as far as they are there.
    ///
    /// A call that has proposed a config change waits for the end of the cycle, since a restart would drop the change.
    fn record_prefix(&mut self, is_last: bool) -> Result<(), AgentError> {
        let mut events = Vec::new();
        for slot in self.slots.iter_mut().skip(self.recorded) {
            if !is_last && self.cycle.has_change(slot.call.index) {
                break;
            }
            let result = match slot.result.take() {
                Some(result) => result,
                None if is_last => CallResult::error(texts::NO_EXECUTOR),
                None => break,
            };
            events.push(response(&slot.call, result));
        }
        self.write(events)
    }

    /// Records all results; calls without one get `text`.
    fn close(&mut self, text: impl Fn(&Cycle, &str) -> String) -> Result<(), AgentError> {
        let mut events = Vec::new();
        for slot in self.slots.iter_mut().skip(self.recorded) {
            let result = slot
                .result
                .take()
                .unwrap_or_else(|| CallResult::ok(text(&self.cycle, &slot.call.name)));
            events.push(response(&slot.call, result));
        }
        self.write(events)
    }

    fn write(&mut self, events: Vec<ConversationEvent>) -> Result<(), AgentError> {
        if events.is_empty() {
            return Ok(());
        }
        let count = events.len();
        self.cycle.record.record_all(events)?;
        self.recorded += count;
        Ok(())
    }
}

fn response(call: &Call, result: CallResult) -> ConversationEvent {
    ConversationEvent::new(EventKind::ToolCallResponse(ToolCallResponse {
        id: call.id.clone(),
        content: result.content,
        is_error: result.is_error,
    }))
}
