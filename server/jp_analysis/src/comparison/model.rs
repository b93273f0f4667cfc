//! What a comparison says.
//!
//! ```json
//! {"tool": "edit", "aspect": "run", "verdict": "loosened", "changes": [{"before": "ask", "after": "unattended"}]}
//! ```

use camino::{Utf8Path, Utf8PathBuf};
use jp_config::graph::Graph;
use jp_policy::{ChangeVerdict, Direction};
use serde_json::Value;

use super::refused::Refused;
use crate::{explain::RulePlace, place::Place, tool::DEFAULTS};

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
    /// Why no turn starts, before the change and after it; empty where turns start on both sides.
    pub refused: Vec<Refused>,
    /// Whether an error, or a file that only one side loads and nobody reads, leaves every tool undecided, also those that are not listed.
    pub leaves_all_open: bool,
}

impl Comparison {
    /// What of it is about a tool, or by the name `*` about the tool defaults and what belongs to no tool.
    ///
    /// What leaves every tool undecided is part of it.
    #[must_use]
    pub fn about(mut self, tool: &str) -> Self {
        let is_open = self.leaves_all_open;
        let tells_why = |found: &AspectComparison| {
            is_open && found.tool == DEFAULTS && found.aspect == Aspect::Other
        };
        self.tools
            .retain(|found| found.tool == tool || tells_why(found));
        self.refused.retain(|refused| {
            let subject = refused.refusal.subject.as_ref();
            subject.is_none_or(|subject| subject.tool == tool || subject.tool == DEFAULTS)
        });
        let verdicts = self.tools.iter().map(|found| found.verdict);
        self.verdict = verdicts.fold(ChangeVerdict::Equal, ChangeVerdict::and);
        self
    }
}

/// A comparison that found something.
pub(super) fn comparison(
    name: &str,
    aspect: Aspect,
    verdict: ChangeVerdict,
    changes: Vec<Change>,
    unknown: Vec<String>,
) -> Option<AspectComparison> {
    (verdict != ChangeVerdict::Equal).then(|| AspectComparison {
        tool: name.to_owned(),
        fragment: None,
        aspect,
        verdict,
        changes,
        unknown,
    })
}

/// A rule or value as a comparison names it: its file from the workspace, also where it lies beside it.
pub(super) fn rule_place(graph: &Graph, index: usize, place: Place) -> RulePlace {
    let known = RulePlace::new(graph, index, place);
    RulePlace {
        path: from_workspace(&graph.workspace, &known.path),
        ..known
    }
}

/// A path from the workspace, with `..` where it lies beside it.
#[must_use]
pub fn from_workspace(workspace: &Utf8Path, path: &Utf8Path) -> Utf8PathBuf {
    if path.is_relative() {
        return path.to_owned();
    }
    let mut relative = Utf8PathBuf::new();
    for above in workspace.ancestors() {
        if let Ok(below) = path.strip_prefix(above) {
            relative.push(below);
            break;
        }
        relative.push("..");
    }
    relative
}

/// A value as a word or two.
pub(super) fn in_short(value: Option<&Value>) -> String {
    match value {
        None | Some(Value::Null) => "unset".to_owned(),
        Some(Value::String(text)) => text.clone(),
        Some(value) => value.to_string(),
    }
}
