//! What was decided about a tool call, by which rule, and who answered; in the metadata of the call's end.
//!
//! ```json
//! {"decisions": {"run": {"mode": "ask", "rule": {"index": 1, "digest": "9f2c41d07be35a86"}, "outcome": "allowed",
//!                        "by": "person", "surface": "jp/prompt", "client": "Visual Studio Code"},
//!                "result": {"mode": "unattended", "rule": null, "outcome": "allowed", "by": "policy"}}}
//! ```
//!
//! A call that ended before anything was decided, and every call that was recorded before decisions were, has none of it.

use std::fmt::Write as _;

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

/// How many bytes of a digest are kept.
const DIGEST_BYTES: usize = 8;

/// The longest name of a client that is kept, in characters.
const LONGEST_NAME: usize = 80;

/// What was decided about one call.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct CallDecisions {
    /// Whether it runs; none when the call ended before that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<CallDecision>,
    /// Whether its result is delivered; none when there was no result to deliver.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<CallDecision>,
    /// Whether the tool is to get what the call was refused; none when nobody was asked about that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub grant: Option<GrantDecision>,
}

impl CallDecisions {
    /// Whether nothing was decided.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.run.is_none() && self.result.is_none() && self.grant.is_none()
    }
}

/// One decision.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CallDecision {
    /// The mode that the policy gave, as the config writes it: `ask`, `unattended`, `edit` or `skip`.
    pub mode: String,
    /// The rule that gave it; none for what follows the last rule, and where no config says anything.
    #[serde(default)]
    pub rule: Option<DecidingRule>,
    /// What came of it.
    pub outcome: DecisionOutcome,
    /// Who said so.
    pub by: DecidedBy,
    /// Whether the person had said it earlier in the turn, for all calls that the rule asks about.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub remembered: bool,
    /// Where the person answered, if that is known.
    #[serde(flatten)]
    pub answerer: Answerer,
}

/// What was said to a rule that would grant what a call was refused.
///
/// `{"rule": "{ path = \"src/a.rs\", read = true }", "outcome": "allowed", "by": "person", "surface": "terminal"}`
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GrantDecision {
    /// The rule of `access.fs`, as the config writes it.
    pub rule: String,
    /// What came of it.
    pub outcome: DecisionOutcome,
    /// Who said so.
    pub by: DecidedBy,
    /// Where the person answered, if that is known.
    #[serde(flatten)]
    pub answerer: Answerer,
}

/// The rule behind a decision.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DecidingRule {
    /// Its number in the list, from 0.
    pub index: usize,
    /// The digest of its text: rules are edited and moved, and the number alone would then name another.
    pub digest: String,
}

impl DecidingRule {
    /// The rule at `index` that reads `text`.
    #[must_use]
    pub fn new(index: usize, text: &str) -> Self {
        let digest = Sha256::digest(text.as_bytes());
        let mut hexadecimal = String::with_capacity(2 * DIGEST_BYTES);
        for byte in digest.iter().take(DIGEST_BYTES) {
            // Writing to a string cannot fail.
            let _ = write!(hexadecimal, "{byte:02x}");
        }
        Self {
            index,
            digest: hexadecimal,
        }
    }
}

/// What came of a decision.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DecisionOutcome {
    /// The call runs, or the result is delivered.
    Allowed,
    /// It does not.
    Refused,
    /// It does, as a person has changed it.
    Edited,
    /// The call was ended from outside while a person was asked.
    Withdrawn,
}

impl DecisionOutcome {
    /// In words.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Allowed => "allowed",
            Self::Refused => "refused",
            Self::Edited => "edited",
            Self::Withdrawn => "withdrawn",
        }
    }
}

/// Who decided.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DecidedBy {
    /// The policy alone: its mode asks nobody.
    Policy,
    /// A person.
    Person,
    /// Nobody: a person was needed and there was none, or none any more.
    Nobody,
}

/// Where a person has answered.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Answerer {
    /// The way of asking, such as `terminal` or `jp/prompt`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub surface: Option<String>,
    /// What the client calls itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client: Option<String>,
}

impl Answerer {
    /// A person at a surface of a client.
    #[must_use]
    pub fn new(surface: &str, client: Option<&str>) -> Self {
        Self {
            surface: Some(surface.to_owned()),
            client: client.map(|name| name.chars().take(LONGEST_NAME).collect()),
        }
    }
}

#[cfg(test)]
#[path = "decision_tests.rs"]
mod tests;
