//! What the policy of a tool says of one call (RFD D25).
//!
//! ```toml
//! [conversation.tools.fs_modify_file.policy]
//! run = [{ arg = "/path", prefix = "src/", mode = "unattended" }, { mode = "ask" }]
//! ```
//!
//! Each path of a call is decided on its own: the rule says nothing of `patterns[].paths`, which the catch-all decides.

use camino::Utf8Path;
use jp_conversation::{Answerer, CallDecision, DecidedBy, DecidingRule, DecisionOutcome};
use jp_policy::{CanonicalPath, Mode, Parameters, decide_paths, normalize_path};
use serde_json::{Map, Value};

use crate::config::ToolPolicy;
use crate::ports::ConfigSource;
use crate::prompt::PromptRule;

/// A mode, and which rule led to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Decision<M> {
    pub(crate) mode: M,
    /// The rule, if the policy is a list and one of its rules decides.
    pub(crate) rule: Option<usize>,
    /// The same, also of a single mode, which is one rule without a condition.
    decided_by: Option<usize>,
    /// Every rule that wants a person asked about the call or one of its paths; `None` among them is what follows the last rule.
    asking: Vec<Option<usize>>,
    /// Whether the call names files.
    pub(crate) names_files: bool,
    /// The paths that do not lead where they say.
    pub(crate) links: Vec<Link>,
}

/// A path of a call that leads elsewhere than it says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Link {
    /// The path as the call gives it.
    pub(crate) path: String,
    /// Where it leads, relative to the root; none out of the workspace, or when that is not known.
    pub(crate) target: Option<String>,
}

impl<M: Mode> Decision<M> {
    /// The rules that want a person asked.
    pub(crate) fn asking(&self, tool: &str, policy: &ToolPolicy<M>) -> Vec<AskingRule> {
        let key = |rule: &Option<usize>| AskingRule::new(tool, policy, *rule);
        self.asking.iter().map(key).collect()
    }

    /// The rule that decides.
    pub(crate) fn decisive(&self, tool: &str, policy: &ToolPolicy<M>) -> AskingRule {
        AskingRule::new(tool, policy, self.decided_by)
    }

    /// The decision for the record.
    ///
    /// A built-in mode that no config says is no rule.
    pub(crate) fn recorded(
        &self,
        policy: &ToolPolicy<M>,
        (outcome, by): (DecisionOutcome, DecidedBy),
        answerer: Answerer,
    ) -> CallDecision {
        let configured = self.decided_by.filter(|_| policy.path.is_some());
        let rule = configured.and_then(|index| Some((index, policy.policy.rule(index)?)));
        CallDecision {
            mode: self.mode.keyword().to_owned(),
            rule: rule.map(|(index, rule)| DecidingRule::new(index, &rule.to_config().to_string())),
            outcome,
            by,
            remembered: false,
            answerer,
        }
    }

    /// Whether a path of the call leads out of the workspace.
    pub(crate) fn leaves(&self) -> bool {
        self.links.iter().any(|link| link.target.is_none())
    }
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
            decided_by: rule,
            asking: vec![rule],
            names_files: false,
            links: Vec::new(),
        };
    }
    let arguments = Value::Object(arguments.clone());
    let canonical = |path: &str| Some(canonical_path(root, path));
    let decision = decide_paths(&policy.policy, &arguments, canonical);
    let names_files = !decision.paths.is_empty();
    let links = decision.paths.into_iter().filter_map(|path| {
        let leads_there = path.target.as_deref().is_some_and(|target| {
            normalize_path(&path.value) == normalize_path(target)
                || Utf8Path::new(&path.value) == root.join(target)
        });
        (!leads_there).then_some(Link {
            path: path.value,
            target: path.target,
        })
    });
    Decision {
        mode: decision.mode,
        rule: decision.rule.filter(|_| policy.is_list),
        decided_by: decision.rule,
        asking: decision.asking,
        names_files,
        links: links.collect(),
    }
}

/// Where a path argument leads; what the file system does not tell leads out of the workspace.
#[must_use]
pub fn canonical_path(root: &Utf8Path, path: &str) -> CanonicalPath {
    match jp_tool::canonicalize(root, Utf8Path::new(path)) {
        Ok(canonical) => CanonicalPath::Inside(canonical.relative.into_string()),
        Err(_) => CanonicalPath::Outside,
    }
}

/// A rule that wants a person asked about calls of a tool, as long as the rules stay what they are.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct AskingRule {
    tool: String,
    /// All rules of the tool as text, since each decides only what those before it leave.
    rules: String,
    /// Which of them; none for what follows the last one.
    index: Option<usize>,
}

impl AskingRule {
    pub(crate) fn new<M: Mode>(tool: &str, policy: &ToolPolicy<M>, index: Option<usize>) -> Self {
        let rules = (0..policy.policy.len()).filter_map(|rule| policy.policy.rule(rule));
        Self {
            tool: tool.to_owned(),
            rules: format!("{:?}", rules.collect::<Vec<_>>()),
            index,
        }
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
        rules: Vec::new(),
    }
}

#[cfg(test)]
#[cfg(unix)]
#[path = "decision_tests.rs"]
mod tests;
