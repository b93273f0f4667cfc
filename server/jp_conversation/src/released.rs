//! The layout of a released `jp`: a directory with `metadata.json`, `base_config.json` and `events.json`, an array.
//!
//! ```json
//! [{"timestamp": "2026-04-10 17:04:20.531233", "type": "turn_start"},
//!  {"timestamp": "2026-04-10 17:04:20.531236", "type": "chat_request", "content": "Hello"}]
//! ```

use std::collections::{HashMap, HashSet, VecDeque};
use std::fs;
use std::iter::repeat_with;

use camino::{Utf8Path, Utf8PathBuf};
use indexmap::IndexSet;
use serde_json::{Map, Value};

use crate::config_delta::ConfigDelta;
use crate::conversation::{Conversation, turn_ranges};
use crate::error::ConversationError;
use crate::event::{ConversationEvent, EventKind};
use crate::files::{
    BASE_CONFIG, METADATA, building_directory, read_json, read_json_if_any, sync_directory,
    write_json,
};
use crate::id::ConversationId;
use crate::inquiry::{InquiryAnswerType, InquiryResponse};
use crate::metadata::ConversationMetadata;
use crate::store::Store;
use crate::timestamp::Timestamp;
use crate::writer::ConversationWriter;

pub(crate) const RELEASED_EVENTS: &str = "events.json";

/// Reads a conversation that a released `jp` wrote. The directory's name gives the id.
///
/// Without a `base_config.json`, a config delta in first place is the base configuration, as in the oldest
/// conversations.
///
/// # Errors
///
/// [`ConversationError::InvalidId`] for the directory's name, [`ConversationError::UnreadableEvent`],
/// [`ConversationError::InvalidFile`], [`ConversationError::Io`].
pub fn read_released(directory: &Utf8Path) -> Result<Conversation, ConversationError> {
    let id: ConversationId = directory.file_name().unwrap_or_default().parse()?;
    let metadata = read_json(&directory.join(METADATA))?;
    let base_config: Option<Map<String, Value>> = read_json_if_any(&directory.join(BASE_CONFIG))?;
    let path = directory.join(RELEASED_EVENTS);
    let mut events = Vec::new();
    for (index, value) in read_json::<Vec<Value>>(&path)?.into_iter().enumerate() {
        let event = ConversationEvent::from_stored(value).map_err(|error| {
            ConversationError::UnreadableEvent {
                path: path.clone(),
                number: index + 1,
                reason: error.to_string(),
            }
        })?;
        events.push(event);
    }
    let mut events = events.into_iter().peekable();
    let base_config = base_config.unwrap_or_else(|| {
        let first = events.next_if(|event| matches!(event.kind, EventKind::ConfigDelta(_)));
        match first.map(|event| event.kind) {
            Some(EventKind::ConfigDelta(delta)) => delta.delta,
            _ => Map::new(),
        }
    });
    let mut conversation = Conversation::new(id, metadata, base_config);
    conversation.extend(events);
    Ok(conversation)
}

impl Store {
    /// Continues a conversation as a copy, under an id of its own, last used at `now`.
    ///
    /// The original is left alone.
    ///
    /// # Errors
    ///
    /// As [`Store::create`].
    pub fn continue_copy(
        &self,
        conversation: &Conversation,
        now: Timestamp,
    ) -> Result<ConversationWriter, ConversationError> {
        let metadata = ConversationMetadata {
            last_activated_at: now,
            ..conversation.metadata.clone()
        };
        let mut writer = self.create(
            metadata,
            conversation.base_config.clone(),
            conversation.events().to_vec(),
        )?;
        writer.close_interrupted_calls()?;
        Ok(writer)
    }
}

/// What an export could not carry over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExportReport {
    /// The directory that was written.
    pub directory: Utf8PathBuf,
    /// Inquiries left out: a released `jp` knows only answered ones.
    pub omitted_inquiries: usize,
    /// The config paths that config deltas remove, which a released `jp` does not do.
    pub ignored_unsets: Vec<String>,
    /// What else had to go, such as "`author` of a `chat_request`", each once.
    pub omitted_fields: Vec<String>,
}

/// The configuration of a conversation in a form that a released `jp` loads.
///
/// One key that it does not know in the wrong place, and it loads no configuration at all.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ReleasedForm {
    /// Instead of the conversation's own.
    pub base_config: Map<String, Value>,
    /// Instead of the `delta` of each config delta; one that is missing is empty.
    pub deltas: Vec<Map<String, Value>>,
}

/// Writes a conversation into `parent` as a released `jp` would, so that it loads it, with the configuration `config`.
///
/// The directory appears under its name complete or not at all.
///
/// # Errors
///
/// [`ConversationError::ExportExists`] when `parent` holds the conversation already, [`ConversationError::Io`].
pub fn export_released(
    conversation: &Conversation,
    parent: &Utf8Path,
    config: ReleasedForm,
) -> Result<ExportReport, ConversationError> {
    let name = conversation
        .id
        .released_directory_name(conversation.metadata.title.as_deref());
    let directory = parent.join(name);
    if holds_conversation(parent, conversation.id)? {
        return Err(ConversationError::ExportExists { path: directory });
    }
    let (building, temporary) = building_directory(parent)?;
    let mut omitted_fields = IndexSet::new();
    let (kept, omitted_inquiries) = exportable(conversation.events());
    let held = conversation.config_deltas(0).cloned();
    let held = held.zip(config.deltas.into_iter().chain(repeat_with(Map::new)));
    // What was taken back is empty here, so that nothing is left to take back.
    let deltas = held.map(|(held, delta)| ConfigDelta {
        delta,
        takes_back: false,
        ..held
    });
    let events = released_events(kept, deltas, &mut omitted_fields);
    let ignored_unsets = conversation
        .config_deltas(0)
        .flat_map(|delta| delta.unsets.clone())
        .collect();
    let metadata = released_metadata(&conversation.metadata, &mut omitted_fields);
    write_json(&temporary.join(BASE_CONFIG), &config.base_config)?;
    write_json(&temporary.join(RELEASED_EVENTS), &events)?;
    write_json(&temporary.join(METADATA), &metadata)?;
    fs::rename(&temporary, &directory).map_err(ConversationError::io("create", &directory))?;
    let _ = building.keep();
    sync_directory(parent)?;
    Ok(ExportReport {
        directory,
        omitted_inquiries,
        ignored_unsets,
        omitted_fields: omitted_fields.into_iter().collect(),
    })
}

/// The stored form of events, without what makes a released `jp` refuse the whole conversation.
fn released_events(
    events: Vec<ConversationEvent>,
    mut deltas: impl Iterator<Item = ConfigDelta>,
    omitted: &mut IndexSet<String>,
) -> Vec<Value> {
    let mut written = Vec::with_capacity(events.len());
    for mut event in events {
        match &mut event.kind {
            // A turn's start has no place for fields of its own.
            EventKind::TurnStart => {
                let extra = std::mem::take(&mut event.extra);
                omitted.extend(extra.keys().map(|key| format!("`{key}` of a `turn_start`")));
            }
            EventKind::ChatRequest(request) => {
                if request.author.take_if(|it| !it.is_string()).is_some() {
                    omitted.insert("`author` of a `chat_request`: it is no text".to_owned());
                }
                if request.schema.take_if(|it| !it.is_object()).is_some() {
                    omitted.insert("`schema` of a `chat_request`: it is no table".to_owned());
                }
            }
            EventKind::ConfigDelta(delta) => *delta = deltas.next().unwrap_or_default(),
            EventKind::Unknown(fields)
                if !fields.get("timestamp").is_some_and(Value::is_string) =>
            {
                let tag = event.kind.tag();
                omitted.insert(format!("an event of type `{tag}`: it has no `timestamp`"));
                continue;
            }
            _ => {}
        }
        written.push(event.to_stored());
    }
    written
}

fn released_metadata(
    metadata: &ConversationMetadata,
    omitted: &mut IndexSet<String>,
) -> ConversationMetadata {
    let mut metadata = metadata.clone();
    let is_plain = |labels: &Value| {
        let labels = labels.as_object();
        labels.is_some_and(|labels| labels.values().all(Value::is_string))
    };
    if metadata
        .labels
        .take_if(|labels| !is_plain(labels))
        .is_some()
    {
        omitted.insert("`labels`: they are no table of texts".to_owned());
    }
    metadata
}

/// Whether a directory holds the conversation, under whatever slug.
fn holds_conversation(parent: &Utf8Path, id: ConversationId) -> Result<bool, ConversationError> {
    if !parent.is_dir() {
        return Ok(false);
    }
    for entry in parent
        .read_dir_utf8()
        .map_err(ConversationError::io("read", parent))?
    {
        let entry = entry.map_err(ConversationError::io("read", parent))?;
        if entry
            .file_name()
            .parse::<ConversationId>()
            .is_ok_and(|found| found == id)
        {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The events that a released `jp` can load, and how many inquiries are not among them.
///
/// A question without an answer, or of a type that it does not know, would fail the load of the whole conversation.
fn exportable(events: &[ConversationEvent]) -> (Vec<ConversationEvent>, usize) {
    let mut omitted = HashSet::new();
    let mut omitted_inquiries = 0;
    for range in turn_ranges(events) {
        let mut open: HashMap<&str, VecDeque<(usize, bool)>> = HashMap::new();
        for position in range {
            match events.get(position).map(|event| &event.kind) {
                Some(EventKind::InquiryRequest(request)) => {
                    let known = request.question.answer_type != InquiryAnswerType::Secret;
                    open.entry(&request.id)
                        .or_default()
                        .push_back((position, known));
                }
                Some(EventKind::InquiryResponse(response)) => {
                    let request = open.get_mut(response.id()).and_then(VecDeque::pop_front);
                    let answered = matches!(response, InquiryResponse::Answered { .. });
                    if answered && request.is_some_and(|(_, known)| known) {
                        continue;
                    }
                    omitted.insert(position);
                    omitted.extend(request.map(|(position, _)| position));
                    omitted_inquiries += 1;
                }
                _ => {}
            }
        }
        for (position, _) in open.into_values().flatten() {
            omitted.insert(position);
            omitted_inquiries += 1;
        }
    }
    let kept = events
        .iter()
        .enumerate()
        .filter(|(position, _)| !omitted.contains(position));
    (
        kept.map(|(_, event)| event.clone()).collect(),
        omitted_inquiries,
    )
}

#[cfg(test)]
#[path = "released_tests.rs"]
mod tests;
