//! What the policy of a tool says of one call (RFD D25).
//!
//! ```toml
//! [conversation.tools.fs_modify_file.policy]
//! run = [{ arg = "/path", prefix = "src/", mode = "unattended" }, { mode = "ask" }]
//! ```
//!
//! Each path of a call is decided on its own: the rule says nothing of `patterns[].paths`, which the catch-all decides.

use camino::Utf8Path;
use jp_policy::{CanonicalPath, Mode, Parameters, decide_paths};
use serde_json::{Map, Value};

use crate::config::ToolPolicy;
use crate::ports::ConfigSource;
use crate::prompt::PromptRule;

/// A mode, and which rule led to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Decision<M> {
    pub(crate) mode: M,
    /// The rule, if the policy is a list and one of its rules decides.
    pub(crate) rule: Option<usize>,
}

/// Decides about prepared arguments on the file system as it is.
///
/// A policy that no argument can change decides without a look at them, except that a path out of the workspace is
/// never unattended.
pub(crate) fn decide<M: Mode>(
    policy: &ToolPolicy<M>,
    parameters: &Parameters,
    root: &Utf8Path,
    arguments: &Map<String, Value>,
) -> Decision<M> {
    if let Some(mode) = policy.policy.is_unconditional()
        && (mode == M::SKIP || !parameters.hold_paths())
    {
        let (_, rule) = policy.policy.decide(&Value::Object(Map::new()));
        return Decision {
            mode,
            rule: rule.filter(|_| policy.is_list),
        };
    }
    let arguments = Value::Object(arguments.clone());
    let canonical = |path: &str| {
        Some(match jp_tool::canonicalize(root, Utf8Path::new(path)) {
            Ok(canonical) => CanonicalPath::Inside(canonical.relative.into_string()),
            Err(_) => CanonicalPath::Outside,
        })
    };
    let decision = decide_paths(&policy.policy, &arguments, canonical);
    Decision {
        mode: decision.mode,
        rule: decision.rule.filter(|_| policy.is_list),
    }
}

/// The rule that has decided, and where it stands.
pub(crate) fn prompt_rule<M>(
    source: &dyn ConfigSource,
    policy: &ToolPolicy<M>,
    rule: Option<usize>,
) -> PromptRule {
    let path: Option<Vec<&str>> = policy
        .path
        .as_ref()
        .map(|path| path.iter().map(String::as_str).collect());
    PromptRule {
        index: rule,
        place: path.and_then(|path| source.place(&path, rule)),
    }
}

#[cfg(test)]
#[path = "decision_tests.rs"]
mod tests;
