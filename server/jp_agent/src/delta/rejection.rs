//! Why a proposal was not accepted, for the tool, the person and the model.
//!
//! ```json
//! {"reason": "invalid_config", "fields": ["assistant.model.id.provider"],
//!  "detail": "unknown variant 'bogus': expected one of anthropic, cerebras, deepseek, google"}
//! ```

use std::fmt::Write as _;

use jp_conversation::visible;
use jp_tool::{DeltaRejection, DeltaRejectionReason};
use serde_json::Value;

use super::{Authorization, Problem, Unauthorized, problem::shortened};

/// How often a tool is told that its proposal failed; the failure after that ends the call (RFD 078, "Retry limit").
pub const MAXIMUM_REJECTIONS: u8 = 3;

/// How many problems are spelled out.
const MAXIMUM_PROBLEMS: usize = 20;

/// Why a proposal was not accepted.
#[derive(Debug, Clone, PartialEq)]
pub enum Rejection {
    /// It does not fit the schema, or an alias in it is unknown.
    Invalid(Vec<Problem>),
    /// Some leaves lie outside the grants.
    Unauthorized(Vec<Unauthorized>),
    /// A person declined, perhaps with a reason.
    User {
        /// The touched leaves.
        fields: Vec<String>,
        /// What the person said.
        reason: Option<String>,
    },
    /// A person would have had to confirm, and there is nobody to ask.
    Unavailable {
        /// The touched leaves.
        fields: Vec<String>,
    },
}

impl Rejection {
    /// The rejection of a proposal with unauthorized leaves.
    #[must_use]
    pub fn of(authorization: Authorization) -> Self {
        Self::Unauthorized(authorization.unauthorized)
    }

    /// What the tool is told (RFD 078, "Re-invocation protocol").
    #[must_use]
    pub fn for_tool(&self) -> DeltaRejection {
        let (reason, fields) = match self {
            Self::Invalid(problems) => {
                let fields = problems.iter().map(|problem| problem.field.clone());
                (DeltaRejectionReason::InvalidConfig, fields.collect())
            }
            Self::Unauthorized(paths) => {
                let fields = paths.iter().map(|path| path.path.clone());
                (DeltaRejectionReason::UnauthorizedPaths, fields.collect())
            }
            Self::User { fields, .. } => (DeltaRejectionReason::UserRejected, fields.clone()),
            Self::Unavailable { fields } => (
                DeltaRejectionReason::ConfirmationUnavailable,
                fields.clone(),
            ),
        };
        DeltaRejection {
            reason,
            fields,
            detail: self.detail(),
        }
    }

    fn detail(&self) -> String {
        match self {
            Self::Invalid(problems) => match problems.as_slice() {
                [only] => only.detail(),
                many => listed(many, |problem| {
                    format!("{}: {}", problem.field, problem.detail())
                }),
            },
            Self::Unauthorized(paths) => listed(paths, |path| {
                format!(
                    "`{}` is not granted on `{}`: {}",
                    path.capability, path.path, path.reason
                )
            }),
            Self::User { reason, .. } => reason
                .clone()
                .unwrap_or_else(|| "the user declined the change".to_owned()),
            Self::Unavailable { .. } => {
                "the change needs confirmation, and there is nobody to ask".to_owned()
            }
        }
    }

    /// What a person is told (RFD 078, "User-Facing Chrome for Delta Events").
    #[must_use]
    pub fn notice(&self, tool: &str) -> String {
        let tool = visible(tool);
        match self {
            Self::Invalid(problems) => {
                let mut notice = format!("⚠ Tool '{tool}' proposed an invalid config change:\n");
                for problem in problems.iter().take(MAXIMUM_PROBLEMS) {
                    // Writing to a string cannot fail.
                    let _ = match &problem.value {
                        Some(value) => writeln!(
                            notice,
                            "  {} = {} ({})",
                            visible(&problem.field),
                            shown_value(value),
                            visible(&problem.note)
                        ),
                        None => writeln!(
                            notice,
                            "  {} ({})",
                            visible(&problem.field),
                            visible(&problem.note)
                        ),
                    };
                }
                notice.push_str("  Change not applied, tool re-invoked.");
                notice
            }
            Self::Unauthorized(paths) => {
                let mut notice =
                    format!("⚠ Tool '{tool}' proposed a config change outside its grants:\n");
                for path in paths.iter().take(MAXIMUM_PROBLEMS) {
                    // Writing to a string cannot fail.
                    let _ = writeln!(notice, "  {} ({})", visible(&path.path), path.capability);
                }
                notice.push_str("  Change not applied, tool re-invoked.");
                notice
            }
            Self::User { .. } => "Config delta rejected. Tool re-invoked.".to_owned(),
            Self::Unavailable { .. } => format!(
                "⚠ Tool '{tool}' proposed a config change that needs confirmation, and there is nobody to ask.\n  \
                 Change not applied, tool re-invoked."
            ),
        }
    }

    /// What the model is told when the tool has failed once too often (RFD 078, "Retry limit").
    #[must_use]
    pub fn exhausted_message(&self, tool: &str) -> String {
        format!(
            "Tool '{tool}' failed to produce a valid config delta after {MAXIMUM_REJECTIONS} attempts.\n\
             Last error: {}.",
            self.last_error()
        )
    }

    /// What a person is told when the tool has failed once too often.
    #[must_use]
    pub fn exhausted_notice(tool: &str) -> String {
        format!(
            "⚠ Tool '{}' exceeded delta retry limit. Aborting tool call.",
            visible(tool)
        )
    }

    fn last_error(&self) -> String {
        match self {
            Self::Invalid(problems) => problems.first().map_or_else(
                || "invalid config".to_owned(),
                |problem| format!("{} at {}", problem.what, shortened(&problem.field)),
            ),
            Self::Unauthorized(paths) => paths.first().map_or_else(
                || "unauthorized paths".to_owned(),
                |path| {
                    format!(
                        "{} not granted at {}",
                        path.capability,
                        shortened(&path.path)
                    )
                },
            ),
            Self::User { .. } => "the user declined the change".to_owned(),
            Self::Unavailable { .. } => "nobody was there to confirm the change".to_owned(),
        }
    }
}

/// The first items in words, and how many more there are.
fn listed<T>(items: &[T], in_words: impl Fn(&T) -> String) -> String {
    let mut parts: Vec<String> = items.iter().take(MAXIMUM_PROBLEMS).map(in_words).collect();
    let more = items.len().saturating_sub(MAXIMUM_PROBLEMS);
    if more > 0 {
        parts.push(format!("and {more} more"));
    }
    parts.join("; ")
}

/// A value as JSON on one line, safe to show and not too long.
pub(super) fn shown_value(value: &Value) -> String {
    visible(&shortened(&value.to_string())).into_owned()
}

#[cfg(test)]
#[path = "rejection_tests.rs"]
mod tests;
