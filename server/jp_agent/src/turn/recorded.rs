//! Errors that a conversation's own config changes are the reason of.
//!
//! ```text
//! `assistant.model.id`: openai needs an API key, ...; a config change that the conversation has recorded is the reason
//! ```
//!
//! A person who reads that knows what to change: the conversation, and not a file.

use jp_llm::LlmError;
use serde_json::Value;

use super::Runtime;
use crate::config::TurnConfig;
use crate::delta::apply;
use crate::error::AgentError;
use crate::record::Record;

impl Runtime {
    /// The error, with what to do about it where the workspace's config `base` alone would not have led to it.
    ///
    /// `holds_alone` says so of that config, if it can be understood.
    pub(super) fn blame(
        &self,
        record: &Record,
        base: &Value,
        error: AgentError,
        holds_alone: &dyn Fn(&TurnConfig) -> bool,
    ) -> AgentError {
        if record.read(|conversation| conversation.last_config_delta().is_none()) {
            return error;
        }
        // Written out as the config with the changes is, so that the two can be compared.
        let alone = apply(base, &jp_conversation::ConfigDelta::default());
        let is_recorded = match TurnConfig::resolve(&alone, &self.parts.builtins.defaults()) {
            Ok(alone) => holds_alone(&alone),
            Err(other) => other.to_string() != error.to_string(),
        };
        if !is_recorded {
            return error;
        }
        AgentError::Recorded {
            conversation: record.id(),
            error: Box::new(error),
        }
    }

    /// The error of a cycle: a model may be one that its provider no longer has, or does not let this person use.
    pub(super) fn refused(
        &self,
        record: &Record,
        base: &Value,
        config: &TurnConfig,
        error: AgentError,
    ) -> AgentError {
        match error {
            AgentError::Llm(LlmError::Status {
                status: 400..=404, ..
            }) => self.blame(record, base, error, &|alone| alone.model != config.model),
            other => other,
        }
    }
}
