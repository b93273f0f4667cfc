//! The record of a turn: every event goes to the store first and to the listeners then.
//!
//! ```json
//! {"timestamp": "2026-03-18 13:19:12.1", "type": "turn_start"}
//! ```

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use jp_conversation::{
    ConversationError, ConversationEvent, ConversationId, ConversationWriter, EventKind,
    missing_responses,
};
use jp_llm::Message;

use crate::error::AgentError;
use crate::inquiry::InquiryRecorder;
use crate::ports::{Clock, EventSink};

/// A conversation that is being written.
#[derive(Debug)]
pub(crate) struct Record {
    id: ConversationId,
    writer: Mutex<ConversationWriter>,
    sink: Arc<dyn EventSink>,
    clock: Arc<dyn Clock>,
}

impl Record {
    pub(crate) fn new(
        writer: ConversationWriter,
        sink: Arc<dyn EventSink>,
        clock: Arc<dyn Clock>,
    ) -> Self {
        Self {
            id: writer.conversation().id,
            writer: Mutex::new(writer),
            sink,
            clock,
        }
    }

    pub(crate) const fn id(&self) -> ConversationId {
        self.id
    }

    /// Records events that happen now, all or none.
    pub(crate) fn record_all(
        &self,
        mut events: Vec<ConversationEvent>,
    ) -> Result<(), ConversationError> {
        let mut writer = self.writer();
        for event in &mut events {
            event.timestamp = self.clock.now();
        }
        writer.append_all(events.clone())?;
        // Still under the lock, so that listeners hear of events in the order of the record.
        for event in &events {
            self.sink.committed(self.id, event);
        }
        Ok(())
    }

    /// The conversation as a model gets to see it.
    pub(crate) fn messages(&self) -> Vec<Message> {
        jp_llm::messages(self.writer().conversation().events())
    }

    /// Ends the calls of the last turn that a crash has left open.
    pub(crate) fn close_interrupted_calls(&self) -> Result<(), ConversationError> {
        let responses = self.read(|conversation| missing_responses(conversation.current_turn()));
        if responses.is_empty() {
            return Ok(());
        }
        self.record_all(responses)?;
        self.sync()
    }

    /// Looks at the conversation.
    pub(crate) fn read<T>(&self, look: impl FnOnce(&jp_conversation::Conversation) -> T) -> T {
        look(self.writer().conversation())
    }

    /// Gives the conversation a title.
    pub(crate) fn call(&self, title: String) -> Result<(), ConversationError> {
        self.writer()
            .update_metadata(|metadata| metadata.title = Some(title))
    }

    /// Makes the record outlive a crash of the machine.
    pub(crate) fn sync(&self) -> Result<(), ConversationError> {
        self.writer().sync()
    }

    /// Gives the writer back.
    pub(crate) fn into_writer(self) -> ConversationWriter {
        self.writer
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner)
    }

    fn writer(&self) -> MutexGuard<'_, ConversationWriter> {
        self.writer.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl InquiryRecorder for Record {
    fn record(&self, kind: EventKind) -> Result<(), AgentError> {
        Ok(self.record_all(vec![ConversationEvent::new(kind)])?)
    }

    fn events(&self) -> Vec<ConversationEvent> {
        self.read(|conversation| conversation.events().to_vec())
    }
}
