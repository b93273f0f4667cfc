//! Why something cannot be explained.

use jp_config::schema::LookupErrorKind;
use jp_policy::{ArgumentsError, RuleConfigError, RuleProblem};
use jp_tool::AccessRuleError;

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
    /// A word that is to be an argument has no `=`.
    #[error("`{0}` is no argument: write `NAME=VALUE`, such as `path=src/lib.rs`")]
    Argument(String),
    /// An argument that is no list is given several times.
    #[error("`{0}` is given twice, and it is no list")]
    GivenTwice(String),
    /// A word that is to be a question about access is none.
    #[error(
        "`{0}` is no question about access: write `read=PATH`, `create=PATH`, `update=PATH`, `delete=PATH`, `execute=PATH`, \
         `net=URL`, `env=NAME`, `config.read=CONFIG_PATH`, `config.write=CONFIG_PATH` or `config.delete=CONFIG_PATH`"
    )]
    AccessWord(String),
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
