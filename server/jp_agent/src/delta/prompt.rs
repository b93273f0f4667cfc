//! What a person sees of a proposal.
//!
//! ```text
//! assistant.model.id.name: "opus" → "sonnet"
//! assistant.model.parameters.temperature: (unset)
//! ```

use jp_conversation::{ToolCallRequest, visible};
use serde_json::{Map, Value};

use super::{CycleConfig, LeafSet, Operation, loosens::loosens, toml};
use crate::{DeltaOperation, DeltaPrompt, DeltaPromptChange};

/// How many lines of the affected config are shown.
const MAXIMUM_LINES: usize = 400;

/// How many characters of a line are shown.
const MAXIMUM_LINE: usize = 400;

/// The prompt for a proposal: every leaf with its old and new value, the affected config before and after, and what
/// would become looser (RFD 078, "Apply chrome").
#[must_use]
pub fn prompt(leaves: &LeafSet, base: &CycleConfig, calls: &[ToolCallRequest]) -> DeltaPrompt {
    let view = leaves.view(base.value());
    let changes = leaves.changes().iter().map(|change| DeltaPromptChange {
        path: change.name(),
        op: match change.operation {
            Operation::Set { .. } => DeltaOperation::Set,
            Operation::Unset { .. } => DeltaOperation::Unset,
        },
        old: change.old.clone(),
        new: change.new.clone(),
    });
    DeltaPrompt {
        changes: changes.collect(),
        before: affected(leaves, base.value()),
        after: affected(leaves, &view),
        loosens: loosens(base.value(), &view, calls),
    }
}

/// The same for a rule that is added to a list, each rule on a line of its own.
pub(crate) fn prompt_of_rule(
    leaves: &LeafSet,
    base: &CycleConfig,
    calls: &[ToolCallRequest],
) -> DeltaPrompt {
    let by_line = |config| {
        let mut document = toml::document(&touched(leaves, config));
        toml::spread(document.as_table_mut());
        shown(&document.to_string())
    };
    DeltaPrompt {
        before: by_line(base.value()),
        after: by_line(&leaves.view(base.value())),
        ..prompt(leaves, base, calls)
    }
}

/// The touched values of a config as TOML.
fn affected(leaves: &LeafSet, config: &Value) -> String {
    shown(&toml::document(&touched(leaves, config)).to_string())
}

/// The touched values of a config.
fn touched(leaves: &LeafSet, config: &Value) -> Value {
    let mut part = Value::Object(Map::new());
    for change in leaves.changes() {
        if let Some(value) = change.path.get(config) {
            change.path.insert(&mut part, value.clone());
        }
    }
    part
}

/// A document as far as a prompt shows it.
fn shown(text: &str) -> String {
    let text = visible(text);
    let mut shown = String::new();
    for (number, line) in text.lines().enumerate() {
        if number == MAXIMUM_LINES {
            let more = text.lines().count() - MAXIMUM_LINES;
            shown.push_str(&format!("# and {more} more lines\n"));
            break;
        }
        let mut characters = line.chars();
        shown.extend(characters.by_ref().take(MAXIMUM_LINE));
        let more = characters.count();
        if more > 0 {
            shown.push_str(&format!("… # and {more} more characters"));
        }
        shown.push('\n');
    }
    shown
}

#[cfg(test)]
#[path = "prompt_tests.rs"]
mod tests;
