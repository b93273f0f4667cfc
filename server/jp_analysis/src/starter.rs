//! The config that a person starts with: a model, a rule that asks, and one tool.
//!
//! ```toml
//! [assistant.model]
//! id = "anthropic/claude-sonnet-4-5"
//! ```
//!
//! The released `jp` loads it too, so it says nothing that only newer ones know.
//! `jp-lsp init`, the command `jp.config.create`, the code action and the completion of an empty file all write this text.

use jp_config::model_id::ModelId;

use crate::text::toml_text;

/// The model of a starter that is asked for without one.
pub const DEFAULT_MODEL: &str = "anthropic/claude-sonnet-4-5";

/// The text of a first `.jp/config.toml` for a model.
#[must_use]
pub fn starter(model: &ModelId) -> String {
    let id = toml_text::string(&model.to_string());
    format!(
        r#"# The model that answers; `jp-lsp doctor` says whether it can run.
[assistant.model]
id = {id}

# Every tool asks before it runs. Another word here, or in a tool's own table, says otherwise:
# "unattended" runs it without asking, "edit" lets you change its arguments first, "skip" never runs it.
[conversation.tools.'*']
run = "ask"

# A first tool. Its command runs in the folder that holds `.jp`.
[conversation.tools.changed_files]
source = "local"
description = "Lists the files of this repository that differ from the last commit."
command = "git status --short"
"#
    )
}

#[cfg(test)]
#[path = "starter_tests.rs"]
mod tests;
