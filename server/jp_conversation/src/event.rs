//! The events of a conversation and their JSON.
//!
//! ```json
//! {"timestamp": "2026-03-18 13:19:12.069123", "type": "tool_call_request", "id": "call_1", "name": "fs_read_file",
//!  "arguments": {"path": "c3JjL2xpYi5ycw=="}}
//! ```
//!
//! The stored form has tool arguments, tool results and metadata in base64, the plain form has not.
//! Types and fields that this crate does not know survive a round trip.

use serde::Deserialize;
use serde_json::{Map, Value};

use crate::compaction::Compaction;
use crate::config_delta::ConfigDelta;
use crate::decision::CallDecisions;
use crate::error::ConversationError;
use crate::inquiry::{
    InquiryQuestion, InquiryRequest, InquiryResponse, InquirySource, take_string,
};
use crate::stored;
use crate::timestamp::Timestamp;

/// In the metadata of a [`ToolCallResponse`]: the arguments that the call ran with, if a person has edited them.
const ARGUMENTS: &str = "arguments";
/// Beside them: what the model had given.
const ORIGINAL_ARGUMENTS: &str = "original_arguments";
/// In the metadata of a [`ToolCallResponse`]: what was decided about the call.
const DECISIONS: &str = "decisions";

/// Something that happened in a conversation.
#[derive(Debug, Clone, PartialEq)]
pub struct ConversationEvent {
    /// When it happened.
    pub timestamp: Timestamp,
    /// What happened.
    pub kind: EventKind,
    /// Data of providers and renderers, for example the signature of a reasoning.
    pub metadata: Map<String, Value>,
    /// Fields this crate does not know, kept as they are.
    pub extra: Map<String, Value>,
}

/// What happened.
#[derive(Debug, Clone, PartialEq)]
pub enum EventKind {
    /// A turn begins; it lasts until the next begins.
    TurnStart,
    /// The user says something.
    ChatRequest(ChatRequest),
    /// The assistant says something.
    ChatResponse(ChatResponse),
    /// The assistant calls a tool.
    ToolCallRequest(ToolCallRequest),
    /// A tool call has ended.
    ToolCallResponse(ToolCallResponse),
    /// A question came up.
    InquiryRequest(InquiryRequest),
    /// A question is settled.
    InquiryResponse(InquiryResponse),
    /// The configuration changed.
    ConfigDelta(ConfigDelta),
    /// Earlier turns are to be shortened for the model (RFD 064).
    Compaction(Compaction),
    /// A type this crate does not know, the whole object as it was read.
    Unknown(Map<String, Value>),
}

/// What the user says.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ChatRequest {
    /// The text.
    pub content: String,
    /// The JSON Schema that the answer must satisfy.
    pub schema: Option<Value>,
    /// Who wrote it.
    pub author: Option<Value>,
}

/// What the assistant says.
#[derive(Debug, Clone, PartialEq)]
pub enum ChatResponse {
    /// To the user.
    Message(String),
    /// To itself.
    Reasoning(String),
    /// Structured data, where the request had a schema.
    Data(Value),
}

/// A tool call.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolCallRequest {
    /// What the response refers to. Providers may use an id more than once.
    pub id: String,
    /// The tool.
    pub name: String,
    /// Its arguments.
    pub arguments: Map<String, Value>,
}

/// The end of a tool call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolCallResponse {
    /// The id of the request.
    pub id: String,
    /// What the model is told.
    pub content: String,
    /// Whether the call failed.
    pub is_error: bool,
}

impl ConversationEvent {
    /// An event that happens now.
    #[must_use]
    pub fn new(kind: EventKind) -> Self {
        Self::at(Timestamp::now(), kind)
    }

    /// An event that happened at `timestamp`.
    #[must_use]
    pub fn at(timestamp: Timestamp, kind: EventKind) -> Self {
        Self {
            timestamp,
            kind,
            metadata: Map::new(),
            extra: Map::new(),
        }
    }

    /// The event with an entry in its metadata.
    #[must_use]
    pub fn with_metadata(mut self, key: impl Into<String>, value: impl Into<Value>) -> Self {
        self.metadata.insert(key.into(), value.into());
        self
    }

    /// The end of a tool call that ran with other arguments than the model gave, since a person has edited them.
    #[must_use]
    pub fn with_edited_arguments(
        self,
        edited: Map<String, Value>,
        original: Map<String, Value>,
    ) -> Self {
        self.with_metadata(ARGUMENTS, edited)
            .with_metadata(ORIGINAL_ARGUMENTS, original)
    }

    /// The arguments that a tool call ran with, in the event of its end, if a person has edited them.
    #[must_use]
    pub fn edited_arguments(&self) -> Option<&Map<String, Value>> {
        match &self.kind {
            EventKind::ToolCallResponse(_) => self.metadata.get(ARGUMENTS)?.as_object(),
            _ => None,
        }
    }

    /// The end of a tool call about which this was decided; nothing is written where nothing was.
    #[must_use]
    pub fn with_decisions(self, decisions: &CallDecisions) -> Self {
        if decisions.is_empty() {
            return self;
        }
        self.with_metadata(DECISIONS, to_value(decisions))
    }

    /// What was decided about a tool call, in the event of its end; none where that is not recorded, or damaged.
    #[must_use]
    pub fn decisions(&self) -> Option<CallDecisions> {
        match &self.kind {
            EventKind::ToolCallResponse(_) => {
                CallDecisions::deserialize(self.metadata.get(DECISIONS)?).ok()
            }
            _ => None,
        }
    }

    /// Whether the model gets to see the event (RFD 005): chat and tool calls.
    #[must_use]
    pub const fn is_provider_visible(&self) -> bool {
        matches!(
            self.kind,
            EventKind::ChatRequest(_)
                | EventKind::ChatResponse(_)
                | EventKind::ToolCallRequest(_)
                | EventKind::ToolCallResponse(_)
        )
    }

    /// The event as plain JSON, for people and programs.
    #[must_use]
    pub fn to_json(&self) -> Value {
        self.write(false)
    }

    /// The event as it is stored.
    #[must_use]
    pub fn to_stored(&self) -> Value {
        self.write(true)
    }

    /// Reads the plain form.
    ///
    /// # Errors
    ///
    /// [`ConversationError::InvalidEvent`] when the value is no object, `type` or `timestamp` is missing, or a field of
    /// a known type has the wrong shape.
    pub fn from_json(value: Value) -> Result<Self, ConversationError> {
        Self::read(value, false)
    }

    /// Reads the stored form.
    ///
    /// # Errors
    ///
    /// As [`ConversationEvent::from_json`].
    pub fn from_stored(value: Value) -> Result<Self, ConversationError> {
        Self::read(value, true)
    }

    fn write(&self, stored: bool) -> Value {
        if let EventKind::Unknown(fields) = &self.kind {
            return Value::Object(fields.clone());
        }
        let mut fields = Map::new();
        fields.insert("timestamp".into(), self.timestamp.to_string().into());
        fields.insert("type".into(), self.kind.tag().into());
        self.kind.write(&mut fields, stored);
        fields.extend(
            self.extra
                .iter()
                .map(|(key, value)| (key.clone(), value.clone())),
        );
        if !self.metadata.is_empty() {
            let mut metadata = Value::Object(self.metadata.clone());
            if stored {
                stored::encode(&mut metadata);
            }
            fields.insert("metadata".into(), metadata);
        }
        Value::Object(fields)
    }

    fn read(value: Value, stored: bool) -> Result<Self, ConversationError> {
        let Value::Object(mut fields) = value else {
            return Err(ConversationError::invalid_event(
                "an event must be an object",
            ));
        };
        let tag = match fields.get("type") {
            Some(Value::String(tag)) => tag.clone(),
            Some(_) => return Err(ConversationError::invalid_event("`type` must be a string")),
            None => return Err(ConversationError::invalid_event("`type` is missing")),
        };
        let timestamp = match fields.get("timestamp") {
            Some(Value::String(text)) => text.parse(),
            Some(_) => Err(ConversationError::invalid_event(
                "`timestamp` must be a string",
            )),
            None => Err(ConversationError::invalid_event("`timestamp` is missing")),
        };
        if !TAGS.contains(&tag.as_str()) {
            let timestamp = timestamp.unwrap_or(Timestamp::EPOCH);
            return Ok(Self::at(timestamp, EventKind::Unknown(fields)));
        }
        let timestamp =
            timestamp.map_err(|error| ConversationError::invalid_event(error.to_string()))?;
        fields.shift_remove("type");
        fields.shift_remove("timestamp");
        let metadata = match fields.shift_remove("metadata") {
            None | Some(Value::Null) => Map::new(),
            Some(mut metadata) => {
                if stored {
                    stored::decode(&mut metadata);
                }
                match metadata {
                    Value::Object(metadata) => metadata,
                    _ => {
                        return Err(ConversationError::invalid_event(
                            "`metadata` must be an object",
                        ));
                    }
                }
            }
        };
        let kind = EventKind::take(&tag, &mut fields, stored)
            .map_err(|error| ConversationError::invalid_event(format!("`{tag}`: {error}")))?;
        Ok(Self {
            timestamp,
            kind,
            metadata,
            extra: fields,
        })
    }
}

const TAGS: [&str; 9] = [
    "turn_start",
    "chat_request",
    "chat_response",
    "tool_call_request",
    "tool_call_response",
    "inquiry_request",
    "inquiry_response",
    "config_delta",
    "compaction",
];

impl EventKind {
    /// The value of `type` in JSON.
    #[must_use]
    pub fn tag(&self) -> &str {
        match self {
            Self::TurnStart => "turn_start",
            Self::ChatRequest(_) => "chat_request",
            Self::ChatResponse(_) => "chat_response",
            Self::ToolCallRequest(_) => "tool_call_request",
            Self::ToolCallResponse(_) => "tool_call_response",
            Self::InquiryRequest(_) => "inquiry_request",
            Self::InquiryResponse(_) => "inquiry_response",
            Self::ConfigDelta(_) => "config_delta",
            Self::Compaction(_) => "compaction",
            Self::Unknown(fields) => fields
                .get("type")
                .and_then(Value::as_str)
                .unwrap_or_default(),
        }
    }

    fn write(&self, fields: &mut Map<String, Value>, stored: bool) {
        let mut put = |key: &str, value: Value| fields.insert(key.to_owned(), value);
        match self {
            Self::TurnStart | Self::Unknown(_) => {}
            Self::ChatRequest(ChatRequest {
                content,
                schema,
                author,
            }) => {
                put("content", content.clone().into());
                schema.clone().map(|schema| put("schema", schema));
                author.clone().map(|author| put("author", author));
            }
            Self::ChatResponse(response) => {
                let (key, value) = match response {
                    ChatResponse::Message(text) => ("message", text.clone().into()),
                    ChatResponse::Reasoning(text) => ("reasoning", text.clone().into()),
                    ChatResponse::Data(data) => ("data", data.clone()),
                };
                put(key, value);
            }
            Self::ToolCallRequest(ToolCallRequest {
                id,
                name,
                arguments,
            }) => {
                let mut arguments = Value::Object(arguments.clone());
                if stored {
                    stored::encode(&mut arguments);
                }
                put("id", id.clone().into());
                put("name", name.clone().into());
                put("arguments", arguments);
            }
            Self::ToolCallResponse(ToolCallResponse {
                id,
                content,
                is_error,
            }) => {
                let mut content = Value::String(content.clone());
                if stored {
                    stored::encode(&mut content);
                }
                put("id", id.clone().into());
                put("content", content);
                put("is_error", (*is_error).into());
            }
            Self::InquiryRequest(InquiryRequest {
                id,
                source,
                question,
            }) => {
                put("id", id.clone().into());
                put("source", to_value(source));
                put("question", to_value(question));
            }
            Self::InquiryResponse(response) => response.write(fields),
            Self::ConfigDelta(delta) => delta.write(fields),
            Self::Compaction(compaction) => {
                if let Value::Object(compaction) = to_value(compaction) {
                    fields.extend(compaction);
                }
            }
        }
    }

    /// Takes what belongs to an event of type `tag` out of `fields`.
    fn take(
        tag: &str,
        fields: &mut Map<String, Value>,
        stored: bool,
    ) -> Result<Self, ConversationError> {
        Ok(match tag {
            "turn_start" => Self::TurnStart,
            "chat_request" => Self::ChatRequest(ChatRequest {
                content: take_string(fields, "content")?,
                schema: fields.shift_remove("schema"),
                author: fields.shift_remove("author"),
            }),
            "chat_response" => Self::ChatResponse(take_chat_response(fields)?),
            "tool_call_request" => {
                let mut arguments = fields.shift_remove("arguments").unwrap_or_default();
                if stored {
                    stored::decode(&mut arguments);
                }
                let arguments = match arguments {
                    Value::Object(arguments) => arguments,
                    Value::Null => Map::new(),
                    _ => {
                        return Err(ConversationError::invalid_event(
                            "`arguments` must be an object",
                        ));
                    }
                };
                Self::ToolCallRequest(ToolCallRequest {
                    id: take_string(fields, "id")?,
                    name: take_string(fields, "name")?,
                    arguments,
                })
            }
            "tool_call_response" => {
                let mut content = Value::String(take_string(fields, "content")?);
                if stored {
                    stored::decode(&mut content);
                }
                Self::ToolCallResponse(ToolCallResponse {
                    id: take_string(fields, "id")?,
                    content: content.as_str().unwrap_or_default().to_owned(),
                    is_error: match fields.shift_remove("is_error") {
                        Some(Value::Bool(is_error)) => is_error,
                        None => false,
                        Some(_) => {
                            return Err(ConversationError::invalid_event(
                                "`is_error` must be `true` or `false`",
                            ));
                        }
                    },
                })
            }
            "inquiry_request" => Self::InquiryRequest(InquiryRequest {
                id: take_string(fields, "id")?,
                source: take_as::<InquirySource>(fields, "source")?,
                question: take_as::<InquiryQuestion>(fields, "question")?,
            }),
            "inquiry_response" => Self::InquiryResponse(InquiryResponse::take(fields)?),
            "config_delta" => Self::ConfigDelta(ConfigDelta::take(fields)?),
            "compaction" => Self::Compaction(Compaction::take(fields)?),
            _ => Self::Unknown(std::mem::take(fields)),
        })
    }
}

fn take_chat_response(fields: &mut Map<String, Value>) -> Result<ChatResponse, ConversationError> {
    let present = ["message", "reasoning", "data"]
        .into_iter()
        .filter(|key| fields.contains_key(*key));
    match present.collect::<Vec<_>>().as_slice() {
        ["message"] => take_string(fields, "message").map(ChatResponse::Message),
        ["reasoning"] => take_string(fields, "reasoning").map(ChatResponse::Reasoning),
        ["data"] => Ok(ChatResponse::Data(
            fields.shift_remove("data").unwrap_or_default(),
        )),
        _ => Err(ConversationError::invalid_event(
            "exactly one of `message`, `reasoning` and `data` must be there",
        )),
    }
}

fn take_as<T: for<'de> Deserialize<'de>>(
    fields: &mut Map<String, Value>,
    key: &str,
) -> Result<T, ConversationError> {
    let value = fields
        .shift_remove(key)
        .ok_or_else(|| ConversationError::invalid_event(format!("`{key}` is missing")))?;
    T::deserialize(value)
        .map_err(|error| ConversationError::invalid_event(format!("`{key}`: {error}")))
}

/// The JSON of a type whose serialisation cannot fail: string keys, no custom errors.
fn to_value(value: &impl serde::Serialize) -> Value {
    serde_json::to_value(value).unwrap_or_default()
}

#[cfg(test)]
#[path = "event_tests.rs"]
mod tests;
