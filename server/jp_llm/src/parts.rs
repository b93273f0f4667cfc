//! The parts of an answer while they grow.

use std::collections::VecDeque;

use serde_json::{Map, Value};

use crate::event::{FinishReason, InvalidArguments, PartContent, PartKind, StreamEvent, Usage};

/// What a provider calls a part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PartKey {
    /// The text or reasoning that is being said, where the provider has no name for it.
    Speech,
    /// A part with a number of the provider's.
    Numbered(u64),
}

/// The parts of one answer, and the events that tell of them.
#[derive(Debug, Default)]
pub(crate) struct Parts {
    events: VecDeque<StreamEvent>,
    open: Vec<OpenPart>,
    started: usize,
    /// What the answer cost.
    pub(crate) usage: Usage,
    /// Why the model stopped, once it has said so.
    pub(crate) finish_reason: Option<FinishReason>,
}

#[derive(Debug)]
struct OpenPart {
    key: PartKey,
    index: usize,
    kind: PartKind,
    text: String,
    metadata: Map<String, Value>,
}

impl Parts {
    /// The next event to pass on.
    pub(crate) fn next_event(&mut self) -> Option<StreamEvent> {
        self.events.pop_front()
    }

    /// Begins a part.
    pub(crate) fn start(&mut self, key: PartKey, kind: PartKind) {
        let index = self.started;
        self.started += 1;
        self.events.push_back(StreamEvent::PartStart {
            index,
            kind: kind.clone(),
        });
        self.open.push(OpenPart {
            key,
            index,
            kind,
            text: String::new(),
            metadata: Map::new(),
        });
    }

    /// How many parts have begun.
    pub(crate) const fn started(&self) -> usize {
        self.started
    }

    /// Whether a part is open.
    pub(crate) fn is_open(&self, key: PartKey) -> bool {
        self.open.iter().any(|part| part.key == key)
    }

    /// Adds to an open part; without one, nothing happens.
    pub(crate) fn add(&mut self, key: PartKey, text: &str) {
        if text.is_empty() {
            return;
        }
        let Some(part) = self.open.iter_mut().find(|part| part.key == key) else {
            return;
        };
        part.text.push_str(text);
        let (index, text) = (part.index, text.to_owned());
        self.events.push_back(match part.kind {
            PartKind::Text => StreamEvent::TextDelta { index, text },
            PartKind::Reasoning => StreamEvent::ReasoningDelta { index, text },
            PartKind::ToolCall { .. } => StreamEvent::ArgumentsDelta { index, json: text },
        });
    }

    /// Adds words where the provider does not number its parts: a change of kind begins another part.
    pub(crate) fn speak(&mut self, kind: &PartKind, text: &str) {
        if text.is_empty() {
            return;
        }
        self.open_speech(kind);
        self.add(PartKey::Speech, text);
    }

    /// Makes sure that the words being said are of this kind.
    pub(crate) fn open_speech(&mut self, kind: &PartKind) {
        if self
            .open
            .iter()
            .any(|part| part.key == PartKey::Speech && part.kind != *kind)
        {
            self.end(PartKey::Speech);
        }
        if !self.is_open(PartKey::Speech) {
            self.start(PartKey::Speech, kind.clone());
        }
    }

    /// Keeps what the provider wants back with an open part. Texts under the same key are joined.
    pub(crate) fn keep(&mut self, key: PartKey, name: &str, value: Value) {
        let Some(part) = self.open.iter_mut().find(|part| part.key == key) else {
            return;
        };
        match (part.metadata.get_mut(name), value) {
            (Some(Value::String(kept)), Value::String(more)) => kept.push_str(&more),
            (Some(Value::Array(kept)), Value::Array(more)) => kept.extend(more),
            (_, value) => {
                part.metadata.insert(name.to_owned(), value);
            }
        }
    }

    /// Ends a part, if it is open.
    pub(crate) fn end(&mut self, key: PartKey) {
        if let Some(position) = self.open.iter().position(|part| part.key == key) {
            let part = self.open.remove(position);
            self.events.push_back(StreamEvent::PartEnd {
                index: part.index,
                content: part.into_content(),
            });
        }
    }

    /// Ends the answer: all parts, in order, then [`StreamEvent::Done`].
    pub(crate) fn finish(&mut self, finish_reason: FinishReason) {
        for part in std::mem::take(&mut self.open) {
            self.events.push_back(StreamEvent::PartEnd {
                index: part.index,
                content: part.into_content(),
            });
        }
        self.events.push_back(StreamEvent::Done {
            finish_reason,
            usage: self.usage,
        });
    }
}

impl OpenPart {
    fn into_content(self) -> PartContent {
        let Self {
            kind,
            text,
            metadata,
            ..
        } = self;
        match kind {
            PartKind::Text => PartContent::Text { text, metadata },
            PartKind::Reasoning => PartContent::Reasoning { text, metadata },
            PartKind::ToolCall { id, name } => PartContent::ToolCall {
                id,
                name,
                arguments: arguments(text),
                metadata,
            },
        }
    }
}

/// The arguments that a text stands for. No text stands for none.
pub(crate) fn arguments(text: String) -> Result<Map<String, Value>, InvalidArguments> {
    if text.trim().is_empty() {
        return Ok(Map::new());
    }
    match serde_json::from_str(&text) {
        Ok(Value::Object(arguments)) => Ok(arguments),
        Ok(Value::Null) => Ok(Map::new()),
        Ok(_) => Err(InvalidArguments {
            text,
            reason: "expected an object".to_owned(),
        }),
        Err(error) => Err(InvalidArguments {
            text,
            reason: error.to_string(),
        }),
    }
}
