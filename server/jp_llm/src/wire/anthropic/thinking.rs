//! How a model of Anthropic's thinks, and what goes with it.
//!
//! ```json
//! {"thinking": {"type": "adaptive", "display": "summarized"}, "output_config": {"effort": "high"}}
//! ```
//!
//! The provider refuses much beside thinking: other temperatures than 1, forced tool calls, a budget without room for
//! an answer, and a tool loop that did not begin with a thought.
//! Each model generation has its own rules, so the rules go by version.

use serde_json::{Value, json};

use crate::request::{Effort, Message, Parameters, Reasoning, Request};

/// The fewest tokens that may be set aside for reasoning.
const LEAST_BUDGET: u32 = 1024;

/// The least `top_p` beside thinking.
const LEAST_TOP_P: f64 = 0.95;

/// From here on, a model takes `temperature` or `top_p`, not both.
const ONE_SAMPLING: Version = Version(4, 1);

/// From here on, a model decides itself how much it thinks.
const ADAPTIVE: Version = Version(4, 6);

/// From here on, a model takes neither a budget nor sampling parameters.
const SETTLED: Version = Version(4, 7);

/// From here on, a model thinks unless it is told not to.
const THOUGHTFUL: Version = Version(5, 0);

/// The version of a model, `4.6` in `claude-opus-4-6`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Version(u32, u32);

impl Version {
    /// The version that a name bears; one that bears no known number is newer than all of them.
    fn of(model: &str) -> Self {
        let numbers = model
            .split('-')
            .map_while(|part| match part.parse::<u32>() {
                // A date is no version.
                Ok(number) if number > 9999 => None,
                Ok(number) => Some(Some(number)),
                Err(_) => Some(None),
            });
        let mut numbers = numbers.flatten();
        match (numbers.next(), numbers.next()) {
            (Some(major), minor) => Self(major, minor.unwrap_or(0)),
            (None, _) => Self(u32::MAX, 0),
        }
    }
}

/// Whether a model cannot be kept from thinking.
fn always_thinks(model: &str) -> bool {
    ["fable", "mythos"].iter().any(|name| model.contains(name))
}

/// How the model is to think.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Thinking {
    /// As much as it likes, up to an effort.
    Adaptive {
        /// Whether the thoughts are left out of the answer.
        omitted: bool,
        /// How hard.
        effort: Option<&'static str>,
    },
    /// With so many tokens.
    Budget(u32),
    /// Not at all, and it is told so.
    Disabled,
    /// As it does by itself; `true` where it does.
    Unsaid(bool),
}

impl Thinking {
    pub(super) fn of(request: &Request, max_tokens: u32) -> Self {
        let model = request.model.as_str();
        let by_itself = Self::Unsaid(Version::of(model) >= THOUGHTFUL || always_thinks(model));
        let Some(reasoning) = request.parameters.reasoning else {
            return by_itself;
        };
        match Self::wanted(model, reasoning, max_tokens) {
            Self::Disabled if always_thinks(model) => by_itself,
            // The tool loop began without a thought, with another model or other settings, and must go on so.
            Self::Budget(_) if !begins_with_thought(&request.messages) => Self::Unsaid(false),
            wanted => wanted,
        }
    }

    /// What the config asks for, as far as the model can do it.
    pub(super) fn wanted(model: &str, reasoning: Reasoning, max_tokens: u32) -> Self {
        let version = Version::of(model);
        let share = |percent: u32| max_tokens.saturating_div(100).saturating_mul(percent);
        let (budget, effort) = match reasoning.effort {
            Effort::None => return Self::Disabled,
            Effort::Auto => (share(50), None),
            Effort::XLow => (LEAST_BUDGET, Some("low")),
            Effort::Low => (share(20), Some("low")),
            Effort::Medium => (share(50), Some("medium")),
            Effort::High => (share(80), Some("high")),
            Effort::XHigh if version < SETTLED => (share(90), Some("high")),
            Effort::XHigh => (share(90), Some("xhigh")),
            Effort::Max => (share(95), Some("max")),
            Effort::Absolute(tokens) => (tokens, Some(effort_of(tokens, share))),
        };
        let by_budget = matches!(reasoning.effort, Effort::Absolute(_)) && version < SETTLED;
        if version >= ADAPTIVE && !by_budget {
            return Self::Adaptive {
                omitted: reasoning.exclude,
                effort,
            };
        }
        if max_tokens <= LEAST_BUDGET {
            // The least budget would leave no room for an answer.
            return Self::Unsaid(false);
        }
        Self::Budget(budget.clamp(LEAST_BUDGET, max_tokens - 1))
    }

    /// Whether the model may think.
    pub(super) const fn is_on(self) -> bool {
        match self {
            Self::Adaptive { .. } | Self::Budget(_) => true,
            Self::Disabled => false,
            Self::Unsaid(thinks) => thinks,
        }
    }

    /// The field `thinking`.
    pub(super) fn field(self) -> Option<Value> {
        match self {
            Self::Adaptive { omitted, .. } => {
                let display = if omitted { "omitted" } else { "summarized" };
                Some(json!({"type": "adaptive", "display": display}))
            }
            Self::Budget(tokens) => Some(json!({"type": "enabled", "budget_tokens": tokens})),
            Self::Disabled => Some(json!({"type": "disabled"})),
            Self::Unsaid(_) => None,
        }
    }

    /// The field `output_config.effort`.
    pub(super) const fn effort(self) -> Option<&'static str> {
        match self {
            Self::Adaptive { effort, .. } => effort,
            Self::Budget(_) | Self::Disabled | Self::Unsaid(_) => None,
        }
    }
}

/// The effort that comes nearest to a number of tokens.
fn effort_of(tokens: u32, share: impl Fn(u32) -> u32) -> &'static str {
    let levels = [(20, "low"), (50, "medium"), (80, "high"), (90, "xhigh")];
    levels
        .iter()
        .find(|(percent, _)| tokens <= share(*percent))
        .map_or("max", |(_, effort)| effort)
}

/// Whether the tool loop that the request goes on with, if it does, began with a thought.
fn begins_with_thought(messages: &[Message]) -> bool {
    if !matches!(messages.last(), Some(Message::Tool(_))) {
        return true;
    }
    let start = messages
        .iter()
        .rposition(|message| matches!(message, Message::User(_)))
        .map_or(0, |user| user + 1);
    let first = messages
        .iter()
        .skip(start)
        .find_map(|message| match message {
            Message::Assistant(parts) => parts.iter().find(|part| super::block(part).is_some()),
            Message::User(_) | Message::Tool(_) => None,
        });
    first.is_none_or(super::is_thought)
}

/// The sampling parameters that a model takes: `temperature`, `top_p`, `top_k`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Sampling {
    pub(super) temperature: Option<f64>,
    pub(super) top_p: Option<f64>,
    pub(super) top_k: Option<u32>,
}

impl Sampling {
    pub(super) fn of(model: &str, parameters: &Parameters, thinking: Thinking) -> Self {
        let version = Version::of(model);
        let asked = Self {
            temperature: parameters.temperature,
            top_p: parameters.top_p,
            top_k: parameters.top_k,
        };
        let mut taken = asked;
        if thinking.is_on() {
            taken.temperature = None;
            taken.top_p = taken.top_p.filter(|top_p| *top_p >= LEAST_TOP_P);
            taken.top_k = None;
        }
        if version >= ONE_SAMPLING && taken.temperature.is_some() {
            taken.top_p = None;
        }
        if version >= SETTLED {
            taken = Self {
                temperature: None,
                top_p: None,
                top_k: None,
            };
        }
        if taken != asked {
            tracing::warn!(
                model,
                "the model refuses some of `temperature`, `top_p` and `top_k` here; they are left out"
            );
        }
        taken
    }
}

#[cfg(test)]
#[path = "thinking_tests.rs"]
mod tests;
