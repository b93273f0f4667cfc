//! All recorded calls of a workspace, each once.
//!
//! ```text
//! 100,000 calls: 56 bytes each, beside their texts, of which each is kept once
//! ```

use std::collections::VecDeque;
use std::fs;

use hashbrown::HashMap;
use jp_conversation::{
    CallDecision, ConversationEvent, EventKind, INTERRUPTED, Timestamp, ToolCallRequest,
    ToolCallResponse,
};
use serde_json::Value;

use crate::answer::Answer;
use crate::call::{Call, Kept};
use crate::events;
use crate::intern::{Interner, TextId};
use crate::source::{LeftOut, Source, SourceReport};

/// How much is read and kept. What goes beyond is left out and said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// How many calls are kept, those of the newest conversations; 100,000 by default.
    pub calls: usize,
    /// The largest file of a conversation, in bytes; 64 MiB by default.
    pub file: u64,
    /// The longest arguments of one call, in bytes of JSON; 256 KiB by default.
    pub arguments: usize,
    /// How many bytes all texts have together; 128 MiB by default.
    pub texts: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            calls: 100_000,
            file: 64 << 20,
            arguments: 256 << 10,
            texts: 128 << 20,
        }
    }
}

/// All recorded calls of a workspace, each once.
#[derive(Debug, Default)]
pub struct History {
    pub(crate) texts: Interner,
    pub(crate) calls: Vec<Kept>,
    /// Where each call is kept, by what it is told from others by.
    known: HashMap<Identity, usize>,
    sources: Vec<SourceReport>,
    left_out: LeftOut,
}

/// What a call is told from others by, in whatever conversation it stands: a copy of a conversation, an export of one and what
/// `jp` keeps twice have all of it in common.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Identity {
    at: Timestamp,
    id: TextId,
    tool: TextId,
    arguments: TextId,
    /// Which of several in one conversation that have all the rest in common.
    number: u32,
}

impl History {
    /// Reads the sources; of two records of one call the first counts, unless only the second says who decided.
    #[must_use]
    pub fn read(sources: &[Source], limits: Limits) -> Self {
        let mut history = Self::default();
        for source in sources {
            let (files, links) = source.files();
            history.left_out.links += links;
            let mut conversations = 0;
            for file in files {
                if history.calls.len() >= limits.calls || history.texts.bytes() >= limits.texts {
                    history.left_out.has_older = true;
                    break;
                }
                if fs::metadata(&file).is_ok_and(|metadata| metadata.len() > limits.file) {
                    history.left_out.large_conversations += 1;
                    continue;
                }
                let mut conversation = Conversation::default();
                let damage = events::read(&file, source.keeper, limits.file, &mut |event| {
                    conversation.take(&event, &mut history, limits);
                });
                conversations += 1;
                history.left_out.damaged_records += damage.records;
                history.left_out.damaged_conversations += usize::from(damage.is_cut);
            }
            history.sources.push(SourceReport {
                folder: source.folder.clone(),
                keeper: source.keeper,
                conversations,
            });
        }
        history.calls.sort_by_key(|call| call.at);
        history.known = HashMap::new();
        history
    }

    /// The calls, the oldest first.
    pub fn calls(&self) -> impl DoubleEndedIterator<Item = Call<'_>> + Clone {
        self.calls.iter().map(|kept| Call {
            history: self,
            kept,
        })
    }

    /// What was read.
    #[must_use]
    pub fn sources(&self) -> &[SourceReport] {
        &self.sources
    }

    /// What was not counted.
    #[must_use]
    pub const fn left_out(&self) -> LeftOut {
        self.left_out
    }

    pub(crate) fn text(&self, id: TextId) -> &str {
        self.texts.text(id)
    }

    /// Keeps a call; where it is kept, or none where it is left out.
    fn keep(
        &mut self,
        at: Timestamp,
        request: &ToolCallRequest,
        limits: Limits,
        numbers: &mut HashMap<Identity, u32>,
    ) -> Option<usize> {
        let arguments = Value::Object(request.arguments.clone()).to_string();
        if arguments.len() > limits.arguments {
            self.left_out.large_calls += 1;
            return None;
        }
        if self.calls.len() >= limits.calls || self.texts.bytes() >= limits.texts {
            self.left_out.has_older = true;
            return None;
        }
        let mut identity = Identity {
            at,
            id: self.texts.intern(&request.id)?,
            tool: self.texts.intern(&request.name)?,
            arguments: self.texts.intern(&arguments)?,
            number: 0,
        };
        let number = numbers.entry(identity).or_insert(0);
        identity.number = *number;
        *number += 1;
        if let Some(place) = self.known.get(&identity) {
            self.left_out.copies += 1;
            return Some(*place);
        }
        let place = self.calls.len();
        self.calls.push(Kept {
            tool: identity.tool,
            arguments: identity.arguments,
            edited: None,
            decision: None,
            at,
            answer: Answer::Open,
        });
        self.known.insert(identity, place);
        Some(place)
    }

    /// Notes how a call ended.
    fn end(&mut self, place: usize, response: &ToolCallResponse, event: &ConversationEvent) {
        let run = event.decisions().and_then(|decisions| decisions.run);
        let edited = event.edited_arguments().cloned();
        let Some(kept) = self.calls.get_mut(place) else {
            return;
        };
        if kept.decision.is_some() {
            return;
        }
        if let Some(run) = &run {
            kept.answer = Answer::of(run);
            kept.decision = self.texts.intern(&written(run));
        } else if kept.answer == Answer::Open {
            let is_error = response.is_error || response.content == INTERRUPTED;
            kept.answer = Answer::of_result(&response.content, is_error);
        }
        if let Some(edited) = edited {
            kept.edited = self.texts.intern(&Value::Object(edited).to_string());
        }
    }
}

fn written(decision: &CallDecision) -> String {
    serde_json::to_string(decision).unwrap_or_default()
}

/// What is known of a conversation while it is read.
#[derive(Default)]
struct Conversation {
    /// The calls of the turn that wait for their end; none for one that is left out. Ids may come more than once.
    open: HashMap<String, VecDeque<Option<usize>>>,
    numbers: HashMap<Identity, u32>,
}

impl Conversation {
    fn take(&mut self, event: &ConversationEvent, history: &mut History, limits: Limits) {
        match &event.kind {
            EventKind::TurnStart => self.open.clear(),
            EventKind::ToolCallRequest(request) => {
                let place = history.keep(event.timestamp, request, limits, &mut self.numbers);
                let waiting = self.open.entry(request.id.clone()).or_default();
                waiting.push_back(place);
            }
            EventKind::ToolCallResponse(response) => {
                let waiting = self.open.get_mut(&response.id);
                if let Some(Some(place)) = waiting.and_then(VecDeque::pop_front) {
                    history.end(place, response, event);
                }
            }
            _ => {}
        }
    }
}

#[cfg(test)]
#[cfg(unix)]
#[path = "history_tests.rs"]
mod tests;
