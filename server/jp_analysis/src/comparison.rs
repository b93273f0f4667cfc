//! What a change of config loosens: two loaded workspaces in, a verdict for each tool and aspect out.
//!
//! ```json
//! {"tool": "edit", "aspect": "run", "verdict": "loosened",
//!  "changes": [{"witness": {"path": "src/x"}, "before": "ask", "after": "unattended", "rule": {"path": ".jp/config.toml", "line": 7}}]}
//! ```
//!
//! Only what differs is compared, and only what decides: descriptions, order, and the files that things stand in do not matter.
//! Policies are compared by [`jp_policy::compare`], grants by [`jp_tool::compare_grants`].

mod other;
mod pairs;
mod recorded;
mod tool;

use std::sync::Arc;

use camino::Utf8PathBuf;
use jp_config::graph::Graph;
pub use jp_policy::ChangeVerdict;
use jp_policy::Direction;
use serde_json::Value;

pub use self::recorded::{RecordedCall, count_recorded};
use crate::explain::RulePlace;

/// What a decision is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Aspect {
    /// Whether a call runs: `run` and `policy.run`.
    Run,
    /// Whether a result is delivered: `result` and `policy.result`.
    Result,
    /// Grants on files.
    AccessFs,
    /// Grants to connect.
    AccessNet,
    /// Grants to read variables.
    AccessEnv,
    /// Grants on the config: what a delta may write.
    AccessConfig,
    /// Whether the tool is there and on, what it runs, and which calls it takes.
    Other,
}

impl Aspect {
    /// The word for the aspect in JSON.
    #[must_use]
    pub const fn keyword(self) -> &'static str {
        match self {
            Self::Run => "run",
            Self::Result => "result",
            Self::AccessFs => "access.fs",
            Self::AccessNet => "access.net",
            Self::AccessEnv => "access.env",
            Self::AccessConfig => "access.config",
            Self::Other => "other",
        }
    }
}

/// One thing that is decided otherwise.
#[derive(Debug, Clone, PartialEq)]
pub struct Change {
    /// What shows it: the arguments of a call, a question about access, or the config path of a value.
    pub witness: Value,
    /// What was decided, in a word.
    pub before: String,
    /// What is decided, in a word.
    pub after: String,
    /// Which way that is.
    pub direction: Direction,
    /// The rule or value that decides, on the side after.
    pub rule: Option<RulePlace>,
    /// The rule or value that decided, on the side before.
    pub before_rule: Option<RulePlace>,
    /// How many recorded calls it changes.
    pub recorded: usize,
}

/// What became of one aspect of one tool.
#[derive(Debug, Clone, PartialEq)]
pub struct AspectComparison {
    /// The tool; `*` for the tool defaults and for what belongs to no tool.
    pub tool: String,
    /// The fragment that a person picks to get the tool like this; none for what every turn has.
    pub fragment: Option<Utf8PathBuf>,
    /// What is decided.
    pub aspect: Aspect,
    /// The verdict.
    pub verdict: ChangeVerdict,
    /// What is decided otherwise.
    pub changes: Vec<Change>,
    /// What is not known, and why.
    pub unknown: Vec<String>,
}

/// What a change of config does.
#[derive(Debug, Clone, PartialEq)]
pub struct Comparison {
    /// The verdict on everything.
    pub verdict: ChangeVerdict,
    /// The aspects that are not equal, by tool.
    pub tools: Vec<AspectComparison>,
}

/// Compares what two loads of a workspace decide.
///
/// Both graphs are of the same roots, so that a file has one path on both sides.
#[must_use]
pub fn compare(before: &Arc<Graph>, after: &Arc<Graph>) -> Comparison {
    let mut tools: Vec<AspectComparison> = Vec::new();
    for pair in pairs::pairs(before, after) {
        if pair.fragment.is_none() {
            tools.extend(other::outside_tools(&pair.before, &pair.after));
        }
        for name in &pair.tools {
            let compared = tool::compare_tool(&pair.before, &pair.after, name);
            tools.extend(compared.into_iter().map(|compared| AspectComparison {
                fragment: pair.fragment.clone(),
                ..compared
            }));
        }
    }
    // What a fragment inherits is said once.
    let base: Vec<AspectComparison> = tools
        .iter()
        .filter(|found| found.fragment.is_none())
        .cloned()
        .collect();
    tools.retain(|found| {
        let is_said = |known: &AspectComparison| {
            known.tool == found.tool
                && known.aspect == found.aspect
                && known.changes == found.changes
                && known.unknown == found.unknown
        };
        found.fragment.is_none() || !base.iter().any(is_said)
    });
    tools.sort_by(|one, other| {
        let key =
            |found: &AspectComparison| (found.fragment.clone(), found.tool.clone(), found.aspect);
        key(one).cmp(&key(other))
    });
    let verdict = tools
        .iter()
        .map(|found| found.verdict)
        .fold(ChangeVerdict::Equal, ChangeVerdict::and);
    Comparison { verdict, tools }
}

#[cfg(test)]
#[path = "comparison_tests.rs"]
mod tests;
