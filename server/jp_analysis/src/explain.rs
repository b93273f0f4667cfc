//! What the config decides about one call, one access or one value, and why.
//!
//! ```json
//! {"mode":"unattended","rule":{"index":1,"path":".jp/config.toml","line":7},"values":["src/lib.rs"],
//!  "trace":[{"index":0,"verdict":"not_matched","reason":"`\"src/lib.rs\"` at `/path` does not satisfy `prefix`"},
//!           {"index":1,"verdict":"matched","reason":"`\"src/lib.rs\"` at `/path` satisfies `prefix`"}]}
//! ```
//!
//! The decisions are those of [`jp_policy`] and [`jp_tool`], which the runtime obeys too; this module finds the rules in a view and says
//! where they stand.
//! Lines count from 0, as everywhere in machine-readable output.

mod access;
mod config;
mod policy;

use camino::{Utf8Path, Utf8PathBuf};
use jp_config::{graph::Graph, schema::LookupErrorKind, view::View};
use jp_policy::{ArgumentsError, CanonicalPath, RuleConfigError, RuleProblem};
use jp_tool::{
    AccessPolicy, AccessRuleError, Canonical, CompiledAccess, FsAccessError, FsCapability, FsPolicy,
};
use serde_json::{Value, json};

pub(crate) use self::config::value_at;
pub use self::{
    access::AccessExplainer,
    config::{ConfigValue, SettingLayer, config, source_name},
    policy::{PolicyExplainer, PolicyOrigin, PolicyQuestion, ToolPolicy},
};
use crate::{diagnostic::Place, options::Options, tool::ToolContext};

/// How paths are looked up; the disk in production.
pub trait PathResolver {
    /// Where a path argument really leads; `None` where that is not known.
    fn canonical(&self, path: &str) -> Option<CanonicalPath>;

    /// The declared access rules with canonical paths.
    ///
    /// # Errors
    ///
    /// The first rule that cannot be used.
    fn compile_access(&self, declared: &AccessPolicy) -> Result<CompiledAccess, AccessRuleError>;

    /// The canonical form of the path that a capability acts on, and the protected place that it lies in.
    ///
    /// `config` are the files that the config is made of, as [`PathResolver::spellings`] gives them.
    ///
    /// # Errors
    ///
    /// A path that leaves the workspace or cannot be looked up.
    fn locate(
        &self,
        policy: &FsPolicy,
        capability: FsCapability,
        path: &Utf8Path,
        config: &[Utf8PathBuf],
    ) -> Result<(Canonical, Option<Utf8PathBuf>), FsAccessError>;

    /// All the paths that a config file is read through, see [`jp_tool::spellings`].
    fn spellings(&self, file: &Utf8Path) -> Vec<Utf8PathBuf>;
}

/// Why nothing can be explained.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum ExplainError {
    /// No layer declares the tool.
    #[error("no tool `{tool}` is configured{}", hint(.suggestion.as_deref()))]
    UnknownTool {
        /// The name.
        tool: String,
        /// The name of a tool that is nearly the same.
        suggestion: Option<String>,
    },
    /// A rule of the policy cannot be read.
    #[error("the policy of `{tool}` cannot be used: rule {}: {problem}", .index + 1)]
    UnreadableRule {
        /// The tool.
        tool: String,
        /// The rule, counted from 0.
        index: usize,
        /// What is wrong.
        problem: RuleConfigError,
    },
    /// A rule of the policy has a problem, and a config with one does not load.
    #[error("the policy of `{tool}` cannot be used: rule {}: {}", .problem.rule + 1, .problem.kind)]
    InvalidRule {
        /// The tool.
        tool: String,
        /// What is wrong.
        problem: Box<RuleProblem>,
    },
    /// The access rules have the wrong shape.
    #[error("the access rules of `{tool}` cannot be read: {message}")]
    UnreadableAccess {
        /// The tool.
        tool: String,
        /// What is wrong.
        message: String,
    },
    /// An access rule cannot be used.
    #[error("the access rules of `{tool}` cannot be used: {error}")]
    InvalidAccess {
        /// The tool.
        tool: String,
        /// What is wrong.
        error: Box<AccessRuleError>,
    },
    /// Access rules stand on a tool that takes none.
    #[error(
        "`{tool}` is a {kind} tool, and access rules are only supported on local tools: remove its `access`"
    )]
    AccessUnsupported {
        /// The tool.
        tool: String,
        /// What it is.
        kind: &'static str,
    },
    /// The arguments of a call are no JSON object.
    #[error(
        "invalid arguments: the arguments of a call are one JSON object, such as `{{\"path\":\"src\"}}`"
    )]
    NotAnObject,
    /// The call's arguments do not fit the tool.
    #[error("invalid arguments: {0}")]
    Arguments(#[from] ArgumentsError),
    /// The question about access has the wrong shape.
    #[error(
        "{0}; write `{{\"fs\":{{\"capability\":\"read\",\"path\":\"x\"}}}}`, `{{\"net\":\"https://x\"}}`, `{{\"env\":\"X\"}}` or `{{\"config\":{{\"capability\":\"write\",\"path\":\"a.b\"}}}}`"
    )]
    Question(String),
    /// The target of a question about access cannot be used.
    #[error("{0}")]
    Target(String),
    /// The config has no such path.
    #[error("no config path `{path}`: {}{}", reason(*.kind, .segment), hint(.suggestion.as_deref()))]
    UnknownPath {
        /// The path as given.
        path: String,
        /// The segment at fault.
        segment: String,
        /// What is wrong with it.
        kind: LookupErrorKind,
        /// A segment that is nearly the same.
        suggestion: Option<String>,
    },
    /// The path is no config path at all.
    #[error("`{path}` is no config path: {message}")]
    MalformedPath {
        /// The path as given.
        path: String,
        /// What is wrong.
        message: String,
    },
}

fn hint(suggestion: Option<&str>) -> String {
    suggestion.map_or_else(String::new, |name| format!("; did you mean `{name}`?"))
}

fn reason(kind: LookupErrorKind, segment: &str) -> String {
    match kind {
        LookupErrorKind::UnknownKey => format!("there is no key `{segment}`"),
        LookupErrorKind::NotATable => format!("`{segment}` follows a single value"),
        LookupErrorKind::WildcardOnNonMap => "`*` stands where the keys are fixed".to_owned(),
        LookupErrorKind::NotAnIndex => {
            format!("`{segment}` follows a list, where only an index such as `0` can stand")
        }
    }
}

/// The rule that decided, and where it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RulePlace {
    /// Its position in the effective list, from 0.
    pub index: usize,
    /// Its file.
    pub path: Utf8PathBuf,
    /// Its line, from 0.
    pub line: u32,
}

impl RulePlace {
    /// The rule at `place`; `None` for a place that the graph does not know.
    #[must_use]
    pub fn new(graph: &Graph, index: usize, place: Place) -> Self {
        Self {
            index,
            path: shown_path(graph, place),
            line: line_of(graph, place),
        }
    }

    /// The rule as `explain` prints it, its line counted from 1.
    #[must_use]
    pub fn to_json(&self) -> Value {
        json!({ "index": self.index, "path": self.path, "line": self.line + 1 })
    }
}

/// The line that a place starts on, from 0.
#[must_use]
pub fn line_of(graph: &Graph, place: Place) -> u32 {
    let text = graph
        .content(place.file)
        .and_then(|content| content.document())
        .map_or("", |document| document.text());
    let bytes = text.as_bytes();
    let before = bytes.get(..place.span.start as usize).unwrap_or_default();
    let feeds = before.iter().filter(|byte| **byte == b'\n').count();
    let mut lone_returns = 0;
    // Hardly any text has one, and counting only feeds is many times faster.
    if before.contains(&b'\r') {
        let places = before.iter().enumerate();
        lone_returns = places
            .filter(|(index, byte)| **byte == b'\r' && bytes.get(index + 1) != Some(&b'\n'))
            .count();
    }
    u32::try_from(feeds + lone_returns).unwrap_or(u32::MAX)
}

/// The file of a place as people know it: relative to the workspace where it lies below it.
#[must_use]
pub fn shown_path(graph: &Graph, place: Place) -> Utf8PathBuf {
    let path = graph.path(place.file);
    path.strip_prefix(&graph.workspace)
        .unwrap_or(path)
        .to_owned()
}

/// The view in which a tool is to be judged: the workspace's own, or that of the first fragment which declares it.
///
/// # Errors
///
/// [`ExplainError::UnknownTool`] when no file declares it.
pub fn view_of_tool(graph: &std::sync::Arc<Graph>, tool: &str) -> Result<View, ExplainError> {
    let path = [crate::tool::TOOLS[0], crate::tool::TOOLS[1], tool];
    let mut names = Vec::new();
    for fragment in std::iter::once(None).chain((0..graph.fragments.len()).map(Some)) {
        let view = match fragment {
            None => View::new(std::sync::Arc::clone(graph)),
            Some(index) => View::with_fragment(std::sync::Arc::clone(graph), index),
        };
        if view.values(&path).next().is_some() {
            return Ok(view);
        }
        names.extend(view.keys(&crate::tool::TOOLS));
    }
    let near = names
        .iter()
        .map(|name| (strsim::jaro_winkler(name, tool), name))
        .filter(|(similarity, _)| *similarity > 0.85)
        .max_by(|(a, _), (b, _)| a.total_cmp(b));
    Err(ExplainError::UnknownTool {
        tool: tool.to_owned(),
        suggestion: near.map(|(_, name)| name.clone()),
    })
}

fn context<'a>(view: &'a View, tool: &'a str) -> Result<ToolContext<'a>, ExplainError> {
    ToolContext::of(view, tool, Options::default()).ok_or_else(|| ExplainError::UnknownTool {
        tool: tool.to_owned(),
        suggestion: None,
    })
}

#[cfg(test)]
#[path = "explain_tests.rs"]
mod tests;
