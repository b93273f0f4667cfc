//! The calls of one answer, all at once, and their results in order.
//!
//! ```json
//! {"type": "tool_call_response", "id": "call_1", "content": "2 files", "is_error": false}
//! {"type": "tool_call_response", "id": "call_2", "content": "Tool skipped by user.", "is_error": false}
//! ```

use std::collections::BTreeMap;
use std::sync::Arc;

use jp_conversation::{ConversationEvent, EventKind, ToolCallResponse};
use jp_llm::InvalidArguments;
use serde_json::{Map, Value};
use tokio::sync::oneshot;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use crate::call::{Call, CallResult, Cycle, Noted, Places, Signals, run_call};
use crate::error::AgentError;
use crate::interrupt::{Interrupt, TurnControl};
use crate::ports::{CallChange, CallProgress};
use crate::texts;

/// The calls of one answer.
#[derive(Debug)]
pub(super) struct Calls {
    cycle: Arc<Cycle>,
    /// By the number of the part that is the call, so in the order of the requests on record.
    slots: BTreeMap<usize, Slot>,
    tasks: JoinSet<(usize, Result<CallResult, AgentError>)>,
    go: CancellationToken,
    cancel: CancellationToken,
    /// The order in which calls ask for approval.
    prompts: Places,
    /// The order in which calls that name files run.
    files: Places,
    /// How many results are recorded; they are the first ones.
    recorded: usize,
}

#[derive(Debug)]
struct Slot {
    call: Call,
    /// Ends what is being done about this call alone.
    cancel: CancellationToken,
    rendered: Option<oneshot::Receiver<Option<String>>>,
    result: Option<CallResult>,
    /// The result of a call that must not run, whatever else comes of it.
    refused: Option<CallResult>,
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
            slots: BTreeMap::new(),
            tasks: JoinSet::new(),
            go: CancellationToken::new(),
            cancel: CancellationToken::new(),
            prompts: Places::default(),
            files: Places::default(),
            recorded: 0,
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.slots.is_empty()
    }

    /// Adds the call that part `index` of the answer is, whose arguments are complete, and begins to decide about it.
    pub(super) fn add(
        &mut self,
        index: usize,
        id: String,
        name: String,
        arguments: Result<Map<String, Value>, InvalidArguments>,
    ) {
        let (sender, receiver) = oneshot::channel();
        let slot = Slot {
            call: Call {
                index,
                id,
                name,
                arguments,
                noted: Arc::default(),
            },
            cancel: self.cancel.child_token(),
            rendered: Some(receiver),
            result: None,
            refused: None,
        };
        let progress = CallProgress::Deciding {
            id: &slot.call.id,
            name: &slot.call.name,
            arguments: slot.call.arguments.as_ref().ok(),
        };
        let Cycle { record, sink, .. } = &*self.cycle;
        sink.call_progress(record.id(), progress);
        self.slots.insert(index, slot);
        self.start(index, Some(sender));
    }

    fn start(&mut self, index: usize, rendered: Option<oneshot::Sender<Option<String>>>) {
        let Some(slot) = self.slots.get_mut(&index) else {
            return;
        };
        slot.cancel = self.cancel.child_token();
        slot.call.noted = Arc::default();
        let signals = Signals {
            go: self.go.clone(),
            cancel: slot.cancel.clone(),
            rendered,
            prompt_place: self.prompts.enter(index),
            file_place: self.files.enter(index),
        };
        let taken = run_call(Arc::clone(&self.cycle), slot.call.clone(), signals);
        self.tasks.spawn(async move { (index, taken.await) });
    }

    /// What formatters that ask nobody make of the arguments, call by call.
    pub(super) async fn rendered(&mut self, cancel: &CancellationToken) -> Vec<Option<String>> {
        let mut rendered = Vec::with_capacity(self.slots.len());
        for slot in self.slots.values_mut() {
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

    /// Ends the call that part `index` of the answer is, before it runs; `text` is its result.
    pub(super) fn refuse(&mut self, index: usize, text: &str) {
        if let Some(slot) = self.slots.get_mut(&index) {
            slot.cancel.cancel();
            slot.refused = Some(CallResult::error(text));
            slot.result.clone_from(&slot.refused);
        }
    }

    /// Ends everything that is going on and waits for it. What has come to a result of its own keeps it.
    pub(super) async fn end(&mut self) {
        self.cancel.cancel();
        while let Some(joined) = self.tasks.join_next().await {
            if let Ok((index, Ok(result))) = joined
                && !result.is_cancelled
            {
                self.settle(index, result);
            }
        }
    }

    /// Waits for the results and records them in the order of the calls.
    pub(super) async fn collect(
        &mut self,
        control: &mut TurnControl,
    ) -> Result<Collected, AgentError> {
        let turn = control.cancel.clone();
        loop {
            self.record_first()?;
            let interrupt = tokio::select! {
                biased;
                () = turn.cancelled() => {
                    self.stop().await?;
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
                    self.conclude(|cycle, name| {
                        let tool = cycle.config.tools.get(name);
                        CallResult::ok(texts::interrupted(tool, text.as_deref()))
                    })?;
                    return Ok(Collected::All);
                }
                Interrupt::Stop | Interrupt::Abort => {
                    self.stop().await?;
                    return Ok(Collected::Stopped);
                }
            }
        }
        self.conclude(|_, _| CallResult::error(texts::FAILED_INSIDE))?;
        Ok(Collected::All)
    }

    fn settle(&mut self, index: usize, result: CallResult) {
        let Some(slot) = self.slots.get_mut(&index) else {
            return;
        };
        let result = slot.refused.clone().unwrap_or(result);
        let progress = CallProgress::Finished {
            id: &slot.call.id,
            content: &result.content,
            is_error: result.is_error,
        };
        let Cycle { record, sink, .. } = &*self.cycle;
        sink.call_progress(record.id(), progress);
        slot.result = Some(result);
    }

    /// Begins again with every call that has no recorded result; proposed config changes are dropped.
    async fn restart(&mut self) {
        self.end().await;
        self.cancel = CancellationToken::new();
        self.cycle.buffer().discard();
        self.cycle.answers.forget_grants();
        let unrecorded: Vec<usize> = self.slots.keys().copied().skip(self.recorded).collect();
        for index in unrecorded {
            let Some(slot) = self.slots.get_mut(&index) else {
                continue;
            };
            // A result that is not recorded may rest on a config change that was dropped.
            slot.result.clone_from(&slot.refused);
            if slot.refused.is_none() {
                self.start(index, None);
            }
        }
    }

    /// Ends all calls and records them; proposed config changes are dropped.
    async fn stop(&mut self) -> Result<(), AgentError> {
        self.end().await;
        {
            let mut buffer = self.cycle.buffer();
            for slot in self.slots.values_mut() {
                // The tool says that it has changed what stays as it is.
                if buffer.holds(slot.call.index) {
                    slot.result = None;
                }
            }
            buffer.discard();
        }
        self.conclude(|_, _| CallResult::ok(texts::CANCELLED))
    }

    /// Records results from the first unrecorded call on, as far as they are there.
    ///
    /// A call that has proposed a config change waits for the end of the cycle, since a restart would drop the change.
    fn record_first(&mut self) -> Result<(), AgentError> {
        let mut events = Vec::new();
        for slot in self.slots.values_mut().skip(self.recorded) {
            if self.cycle.buffer().holds(slot.call.index) {
                break;
            }
            let Some(result) = slot.result.take() else {
                break;
            };
            events.push(response(&slot.call, result));
        }
        if events.is_empty() {
            return Ok(());
        }
        let count = events.len();
        self.cycle.record.record_all(events)?;
        self.recorded += count;
        Ok(())
    }

    /// Ends the cycle: all results, and the config changes that they rest on, are recorded in one piece.
    ///
    /// A call without a result gets that of `missing`, which is given the tool's name.
    fn conclude(&mut self, missing: impl Fn(&Cycle, &str) -> CallResult) -> Result<(), AgentError> {
        let Cycle {
            record, base, sink, ..
        } = &*self.cycle;
        let mut events = Vec::new();
        for slot in self.slots.values_mut().skip(self.recorded) {
            let result = slot.result.take();
            let result = result.unwrap_or_else(|| missing(&self.cycle, &slot.call.name));
            events.push(response(&slot.call, result));
        }
        let (changes, delta) = {
            let mut buffer = self.cycle.buffer();
            (buffer.by_call(base), buffer.commit(base))
        };
        events.extend(delta.map(|delta| ConversationEvent::new(EventKind::ConfigDelta(delta))));
        record.record_all(events)?;
        self.recorded = self.slots.len();
        let changes: Vec<CallChange> = changes
            .into_iter()
            .filter_map(|(index, delta)| {
                let Call { id, name, .. } = &self.slots.get(&index)?.call;
                Some(CallChange {
                    call_id: id.clone(),
                    tool: name.clone(),
                    delta,
                })
            })
            .collect();
        if !changes.is_empty() {
            sink.config_changed(record.id(), &changes);
        }
        Ok(())
    }
}

/// The event of a result, with what was decided about the call; arguments that a person has edited stand in it, beside those
/// of the model.
fn response(call: &Call, result: CallResult) -> ConversationEvent {
    let event = ConversationEvent::new(EventKind::ToolCallResponse(ToolCallResponse {
        id: call.id.clone(),
        content: result.content,
        is_error: result.is_error,
    }));
    let Noted { edited, decisions } = call.noted().clone();
    let event = event.with_decisions(&decisions);
    match (edited, &call.arguments) {
        (Some(edited), Ok(original)) => event.with_edited_arguments(edited, original.clone()),
        _ => event,
    }
}
