//! From `run`, `result` and `policy` in the config to compiled policies (RFD D25).
//!
//! ```toml
//! [conversation.tools.'*']
//! run = "ask"
//!
//! [conversation.tools.fs_modify_file.policy]
//! run = [{ arg = "/path", prefix = "src/", mode = "unattended" }, { mode = "ask" }]
//! ```

use std::fmt::Write as _;
use std::sync::Arc;

use jp_config::refusal::RuleNumber;
use jp_policy::{
    Mode, Parameters, Policy, RawRule, UnresolvedArg, compile_with, rules_from_config,
};
use serde_json::Value;

use crate::error::AgentError;

/// The policy of one tool for one question: how a call runs, or how its result is delivered.
#[derive(Debug, Clone)]
pub struct ToolPolicy<M> {
    /// The compiled rules.
    pub policy: Arc<Policy<M>>,
    /// The config path of the value that decides, as keys; none when no layer says anything.
    pub path: Option<Vec<String>>,
    /// Whether the value is a list of rules, so that a rule's number says more than the path.
    pub is_list: bool,
}

/// Where a tool's policy may stand, strongest first (RFD D25, "The `policy` namespace").
fn candidates(tool: &str, key: &str) -> [Vec<String>; 4] {
    let path = |name: &str, rest: &[&str]| {
        ["conversation", "tools", name]
            .iter()
            .chain(rest)
            .map(|key| (*key).to_owned())
            .collect()
    };
    [
        path(tool, &["policy", key]),
        path(tool, &[key]),
        path("*", &["policy", key]),
        path("*", &[key]),
    ]
}

/// Reads and compiles the policy of a tool from `tools`, the value of `conversation.tools`.
///
/// `key` is `run` or `result`; `fallback` holds where no layer says anything.
pub(crate) fn read_policy<M: Mode>(
    tools: &Value,
    tool: &str,
    key: &'static str,
    fallback: M,
    parameters: &Parameters,
) -> Result<ToolPolicy<M>, AgentError> {
    for (position, path) in candidates(tool, key).into_iter().enumerate() {
        let relative = path.get(2..).unwrap_or_default();
        let value = relative
            .iter()
            .try_fold(tools, |value, key| value.get(key))
            .filter(|value| !value.is_null());
        let Some(value) = value else { continue };
        let unresolved = if position < 2 {
            UnresolvedArg::Report
        } else {
            UnresolvedArg::Skip
        };
        let owner = if position < 2 { tool } else { "*" };
        let refused = |index: usize, problem: String| {
            if value.is_array() {
                AgentError::rule(owner, RuleNumber { list: key, index }, problem)
            } else {
                AgentError::config(path.join("."), problem)
            }
        };
        let rules =
            rules_from_config(value).map_err(|(index, error)| refused(index, error.to_string()))?;
        let (policy, problems) = compile_with(&rules, parameters, unresolved);
        if let Some(problem) = problems.first() {
            let mut text = problem.kind.to_string();
            let others = problems.len() - 1;
            if others > 0 {
                let _ = write!(text, " (and {others} further problems)");
            }
            return Err(refused(problem.rule, text));
        }
        return Ok(ToolPolicy {
            policy: Arc::new(policy),
            is_list: value.is_array(),
            path: Some(path),
        });
    }
    let (policy, _) = compile_with(
        &[RawRule::catch_all(fallback)],
        parameters,
        UnresolvedArg::Skip,
    );
    Ok(ToolPolicy {
        policy: Arc::new(policy),
        path: None,
        is_list: false,
    })
}
