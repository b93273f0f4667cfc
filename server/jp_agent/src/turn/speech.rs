//! Listening to the model until it has said everything, or somebody stops it.
//!
//! ```text
//! PartStart 0 text, TextDelta 0 "I look", PartEnd 0, PartStart 1 call_1, …, PartEnd 1, Done
//! ```

use std::collections::BTreeMap;
use std::time::Duration;

use futures::StreamExt as _;
use jp_conversation::{ChatResponse, ConversationEvent, EventKind};
use jp_llm::{
    CUT_OFF, FinishReason, LlmError, PartContent, Provider, REFUSED, Request, StreamEvent, Usage,
};

use super::calls::Calls;
use crate::call::Cycle;
use crate::error::AgentError;
use crate::interrupt::{Interrupt, TurnControl};
use crate::ports::TurnEnd;
use crate::record::Record;
use crate::texts;

/// What the model has said so far.
#[derive(Debug, Default)]
pub(super) struct Speech {
    /// Complete parts, in the order of their beginning.
    parts: BTreeMap<usize, PartContent>,
    /// Words of parts that are not complete.
    words: BTreeMap<usize, Words>,
    /// How many attempts failed before anything was said.
    failures: u32,
    /// Why it ended, if it did.
    reason: Option<FinishReason>,
    /// What it cost.
    pub(super) usage: Usage,
}

#[derive(Debug)]
enum Words {
    Text(String),
    Reasoning(String),
}

/// How listening ended.
#[derive(Debug)]
pub(super) enum Heard {
    /// The answer is complete.
    All(Speech),
    /// The answer will never be complete.
    Failed(LlmError, Speech),
    /// The turn was cancelled.
    Cancelled(Speech),
    /// A person interrupted.
    Interrupted(Interrupt, Speech),
}

/// Asks the model and listens; each call is decided about as soon as its arguments are complete.
pub(super) async fn listen(
    cycle: &Cycle,
    provider: &dyn Provider,
    request: Request,
    calls: &mut Calls,
    control: &mut TurnControl,
) -> Heard {
    let cancel = control.cancel.child_token();
    // Whoever leaves this function ends the request.
    let _end = cancel.clone().drop_guard();
    let mut stream = provider.stream(request, cancel);
    let mut speech = Speech::default();
    let turn = control.cancel.clone();
    loop {
        let event = tokio::select! {
            biased;
            () = turn.cancelled() => return Heard::Cancelled(speech),
            interrupt = control.next() => return Heard::Interrupted(interrupt, speech),
            event = stream.next() => event,
        };
        match event {
            None => {
                return Heard::Failed(
                    LlmError::Incomplete {
                        provider: "the model",
                    },
                    speech,
                );
            }
            Some(StreamEvent::Error(LlmError::Cancelled)) if turn.is_cancelled() => {
                return Heard::Cancelled(speech);
            }
            Some(StreamEvent::Error(error)) => return Heard::Failed(error, speech),
            Some(StreamEvent::Done {
                finish_reason,
                usage,
            }) => {
                tell_reason(cycle, &finish_reason, &speech);
                if let Some(index) = speech.cut_call(&finish_reason) {
                    calls.refuse(index, texts::CALL_CUT);
                }
                speech.reason = Some(finish_reason);
                speech.usage = usage;
                return Heard::All(speech);
            }
            Some(event) => speech.hear(cycle, event, calls),
        }
    }
}

fn tell_reason(cycle: &Cycle, reason: &FinishReason, speech: &Speech) {
    let text = match reason {
        FinishReason::Completed if speech.is_answer() => return,
        FinishReason::Completed => "The model ended its answer without a word.".to_owned(),
        FinishReason::MaxTokens => {
            "The answer ends at the limit of tokens, see `assistant.model.parameters.max_tokens`."
                .to_owned()
        }
        FinishReason::Refused => "The model refused to answer.".to_owned(),
        FinishReason::Other(reason) => format!("The model stopped: {reason}."),
    };
    cycle.sink.notice(cycle.record.id(), &text);
}

/// What a person is told of an attempt that failed.
pub(super) fn retrying(attempt: u32, delay: Duration, error: &LlmError) -> String {
    let seconds = delay.as_secs_f32();
    format!("Attempt {attempt} failed ({error}), trying again in {seconds:.1} s.")
}

impl Speech {
    /// How many attempts failed before anything was said.
    pub(super) const fn failures(&self) -> u32 {
        self.failures
    }

    /// Whether there are words for the user, or calls.
    fn is_answer(&self) -> bool {
        self.parts.values().any(|part| match part {
            PartContent::Text { text, .. } => !text.trim().is_empty(),
            PartContent::Reasoning { .. } => false,
            PartContent::ToolCall { .. } => true,
        })
    }

    fn hear(&mut self, cycle: &Cycle, event: StreamEvent, calls: &mut Calls) {
        match event {
            StreamEvent::TextDelta { index, text } => {
                cycle.sink.delta_text(cycle.record.id(), &text);
                if let Words::Text(words) = self
                    .words
                    .entry(index)
                    .or_insert_with(|| Words::Text(String::new()))
                {
                    words.push_str(&text);
                }
            }
            StreamEvent::ReasoningDelta { index, text } => {
                if let Words::Reasoning(words) = self
                    .words
                    .entry(index)
                    .or_insert_with(|| Words::Reasoning(String::new()))
                {
                    words.push_str(&text);
                }
            }
            StreamEvent::PartEnd { index, content } => {
                self.words.remove(&index);
                if let PartContent::ToolCall {
                    id,
                    name,
                    arguments,
                    ..
                } = &content
                {
                    calls.add(index, id.clone(), name.clone(), arguments.clone());
                }
                self.parts.insert(index, content);
            }
            StreamEvent::Retrying {
                attempt,
                delay,
                error,
            } => {
                self.failures = attempt;
                let notice = retrying(attempt, delay, &error);
                cycle.sink.retrying(cycle.record.id(), &notice);
            }
            StreamEvent::PartStart { .. }
            | StreamEvent::ArgumentsDelta { .. }
            | StreamEvent::Done { .. }
            | StreamEvent::Error(_) => {}
        }
    }

    /// The call in the middle of which the model was stopped, if it was: what its arguments would have become is unknown,
    /// even where they can be read.
    fn cut_call(&self, reason: &FinishReason) -> Option<usize> {
        let (index, last) = self.parts.last_key_value()?;
        let is_call = matches!(last, PartContent::ToolCall { .. });
        (is_call && *reason != FinishReason::Completed).then_some(*index)
    }

    /// Why a turn ends with this, after so many cycles of calls; what was refused after calls takes nothing of them back.
    pub(super) fn end(&self, cycles: u32) -> TurnEnd {
        match self.reason {
            Some(FinishReason::MaxTokens) => TurnEnd::MaxTokens,
            Some(FinishReason::Refused) if cycles == 0 => TurnEnd::Refused,
            _ => TurnEnd::Said,
        }
    }

    /// Records everything; `rendered` holds for each call, in order, what its formatter made of the arguments.
    ///
    /// What was refused is on record for the person, and marked so that no model gets to see it again.
    pub(super) fn record(
        self,
        record: &Record,
        rendered: Vec<Option<String>>,
    ) -> Result<(), AgentError> {
        let mut rendered = rendered.into_iter();
        let mut events = Vec::with_capacity(self.parts.len());
        let calls = |part: &PartContent| matches!(part, PartContent::ToolCall { .. });
        let is_refused = self.reason == Some(FinishReason::Refused);
        let is_withdrawn = is_refused && !self.parts.values().any(calls);
        for content in self.parts.into_values() {
            let is_call = matches!(content, PartContent::ToolCall { .. });
            if is_empty(&content) {
                continue;
            }
            let mut event = content.into_event();
            if is_call && let Some(text) = rendered.next().flatten() {
                event = event.with_metadata("rendered_arguments", text);
            }
            if is_withdrawn {
                event = event.with_metadata(REFUSED, true);
            }
            events.push(event);
        }
        if is_withdrawn && events.is_empty() {
            // Where nothing was said, this says that it was refused.
            let nothing = EventKind::ChatResponse(ChatResponse::Message(String::new()));
            events.push(ConversationEvent::new(nothing).with_metadata(REFUSED, true));
        }
        Ok(record.record_all(events)?)
    }

    /// Records the words of an answer that is not complete. Its calls were never made.
    ///
    /// With an `attempt`, they are marked as what that attempt left behind, and the model is asked to go on with them;
    /// an attempt without words for the user leaves nothing.
    pub(super) fn record_words(
        self,
        record: &Record,
        attempt: Option<u32>,
    ) -> Result<(), AgentError> {
        let mut events: BTreeMap<usize, ConversationEvent> = self
            .parts
            .into_iter()
            .filter(|(_, content)| {
                !matches!(content, PartContent::ToolCall { .. }) && !is_empty(content)
            })
            .map(|(index, content)| (index, content.into_event()))
            .collect();
        for (index, words) in self.words {
            // Half a reasoning lacks the signature that its provider wants back with it.
            if let Words::Text(text) = words
                && !text.is_empty()
            {
                let kind = EventKind::ChatResponse(ChatResponse::Message(text));
                events.insert(index, ConversationEvent::new(kind));
            }
        }
        let mut events: Vec<ConversationEvent> = events.into_values().collect();
        if let Some(attempt) = attempt {
            if !events.iter().any(has_words) {
                return Ok(());
            }
            events = events
                .into_iter()
                .map(|event| event.with_metadata(CUT_OFF, attempt))
                .collect();
        }
        if events.is_empty() {
            return Ok(());
        }
        Ok(record.record_all(events)?)
    }
}

fn has_words(event: &ConversationEvent) -> bool {
    match &event.kind {
        EventKind::ChatResponse(ChatResponse::Message(text)) => !text.trim().is_empty(),
        _ => false,
    }
}

fn is_empty(content: &PartContent) -> bool {
    match content {
        PartContent::Text { text, metadata } | PartContent::Reasoning { text, metadata } => {
            text.is_empty() && metadata.is_empty()
        }
        PartContent::ToolCall { .. } => false,
    }
}
