//! Rules and parameters as the configuration holds them.
//!
//! ```toml
//! [conversation.tools.fs_modify_file]
//! policy.run = [{ arg = "/path", prefix = "src/", mode = "unattended" }, { mode = "ask" }]
//! policy.result = "unattended" # the same as `[{ mode = "unattended" }]`
//! parameters.path = { type = "path", required = true }
//! ```
//!
//! The merged configuration comes in as JSON; where it stands in a file is the caller's business.

use serde_json::{Map, Value};
use thiserror::Error;

use crate::{
    matcher::MatcherKind,
    mode::Mode,
    parameter::{Parameter, ParameterType, Parameters},
    policy::RawRule,
};

/// Why a configured rule, or a list of rules, cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum RuleConfigError {
    /// The value is neither a mode nor a list of rules.
    #[error("a policy is a mode or a list of rules")]
    NotAPolicy,
    /// The rule is no table.
    #[error("a rule is a table, like `{{ mode = \"ask\" }}`")]
    NotATable,
    /// `arg` is no string.
    #[error("`arg` is a string, like `\"/path\"`")]
    Argument,
    /// A condition is `null`; the rule must not be taken for one without it.
    #[error("`{0}` is `null`; leave the key out, or write a value")]
    Null(String),
    /// The rule does not say what it decides.
    #[error("the rule has no `mode`; add one of {0}")]
    ModeMissing(String),
    /// The mode does not exist.
    #[error("unknown mode `{found}`, expected one of {expected}")]
    ModeUnknown {
        /// What is written.
        found: String,
        /// The modes there are.
        expected: String,
    },
    /// The rule has a key that is no part of a rule.
    #[error("a rule has no `{0}`; it has `arg`, one matcher and `mode`")]
    UnknownKey(String),
}

impl<M: Mode> RawRule<M> {
    /// What stands for a rule that cannot be read: a condition on no argument, which never takes part in a decision.
    fn unreadable() -> Self {
        Self {
            arg: None,
            matchers: vec![(MatcherKind::Const, Value::Null)],
            mode: M::SKIP,
        }
    }

    /// Reads one rule of the configuration.
    ///
    /// # Errors
    ///
    /// Fails where a part has the wrong type or is unknown, and where the mode is missing.
    /// A rule that cannot be read must not be taken for one with fewer conditions.
    pub fn from_config(rule: &Value) -> Result<Self, RuleConfigError> {
        let Value::Object(table) = rule else {
            return Err(RuleConfigError::NotATable);
        };
        let mut arg = None;
        let mut mode = None;
        let mut matchers = Vec::new();
        for (key, value) in table {
            match key.as_str() {
                "mode" if value.is_null() => {}
                "arg" => match value {
                    Value::String(pointer) => arg = Some(pointer.clone()),
                    Value::Null => return Err(RuleConfigError::Null(key.clone())),
                    _ => return Err(RuleConfigError::Argument),
                },
                "mode" => mode = Some(read_mode(value)?),
                key => match MatcherKind::from_keyword(key) {
                    Some(kind) if value.is_null() && kind != MatcherKind::Const => {
                        return Err(RuleConfigError::Null(key.to_owned()));
                    }
                    Some(kind) => matchers.push((kind, value.clone())),
                    None => return Err(RuleConfigError::UnknownKey(key.to_owned())),
                },
            }
        }
        Ok(Self {
            arg,
            matchers,
            mode: mode.ok_or_else(|| RuleConfigError::ModeMissing(modes::<M>()))?,
        })
    }

    /// The rule as the configuration holds it, `arg` first and `mode` last, so that equal rules have equal texts.
    #[must_use]
    pub fn to_config(&self) -> Value {
        let mut table = Map::new();
        if let Some(arg) = &self.arg {
            table.insert("arg".to_owned(), arg.clone().into());
        }
        for (kind, value) in &self.matchers {
            table.insert(kind.keyword().to_owned(), value.clone());
        }
        table.insert("mode".to_owned(), self.mode.keyword().into());
        Value::Object(table)
    }
}

/// Reads `policy.run` or `policy.result`: a mode, or a list of rules (RFD D25, "Run policy: string or rules array").
///
/// # Errors
///
/// The first rule that cannot be read, counted from 0, and why.
pub fn rules_from_config<M: Mode>(
    policy: &Value,
) -> Result<Vec<RawRule<M>>, (usize, RuleConfigError)> {
    let (rules, unreadable) = rules_but_unreadable(policy);
    match unreadable.into_iter().next() {
        None => Ok(rules),
        Some(first) => Err(first),
    }
}

/// Reads `policy.run` or `policy.result` around the rules that cannot be read, which it tells with their numbers, counted from 0.
///
/// A rule that cannot be read keeps its index and takes no part in decisions; a policy of which nothing can be read has no rules.
/// For explanations only: no call is to be decided by what is left.
#[must_use]
pub fn rules_but_unreadable<M: Mode>(
    policy: &Value,
) -> (Vec<RawRule<M>>, Vec<(usize, RuleConfigError)>) {
    let mut unreadable = Vec::new();
    let rules = match policy {
        Value::String(_) => match read_mode(policy) {
            Ok(mode) => vec![RawRule::catch_all(mode)],
            Err(error) => {
                unreadable.push((0, error));
                Vec::new()
            }
        },
        Value::Array(rules) => {
            let read = rules.iter().enumerate().map(|(index, rule)| {
                RawRule::from_config(rule).unwrap_or_else(|error| {
                    unreadable.push((index, error));
                    RawRule::unreadable()
                })
            });
            read.collect()
        }
        _ => {
            unreadable.push((0, RuleConfigError::NotAPolicy));
            Vec::new()
        }
    };
    (rules, unreadable)
}

fn read_mode<M: Mode>(value: &Value) -> Result<M, RuleConfigError> {
    let unknown = |found: String| RuleConfigError::ModeUnknown {
        found,
        expected: modes::<M>(),
    };
    match value {
        Value::String(word) => M::from_keyword(word).ok_or_else(|| unknown(word.clone())),
        other => Err(unknown(other.to_string())),
    }
}

fn modes<M: Mode>() -> String {
    let words: Vec<String> = M::ALL
        .iter()
        .map(|mode| format!("`{}`", mode.keyword()))
        .collect();
    words.join(", ")
}

impl Parameters {
    /// Reads the `parameters` table of a tool; anything but a table declares nothing.
    ///
    /// The result is closed; for a tool whose own schema is not in the configuration, set [`Parameters::open`].
    #[must_use]
    pub fn from_config(parameters: &Value) -> Self {
        Self {
            properties: parameters
                .as_object()
                .map(properties_from_config)
                .unwrap_or_default(),
            open: false,
        }
    }
}

impl Parameter {
    /// Reads one parameter; what has the wrong type counts as absent.
    ///
    /// A type that does not exist makes every value possible.
    /// `null` among the types makes the parameter optional, because no matcher tells `null` from absence.
    #[must_use]
    pub fn from_config(parameter: &Value) -> Self {
        let words: Vec<&str> = match parameter.get("type") {
            Some(Value::String(word)) => vec![word],
            Some(Value::Array(words)) => words.iter().filter_map(Value::as_str).collect(),
            _ if parameter.get("items").is_some() => vec!["array"],
            _ => Vec::new(),
        };
        let is_nullable = words.contains(&"null");
        let types: Option<Vec<ParameterType>> = words
            .into_iter()
            .filter(|word| *word != "null")
            .map(ParameterType::from_keyword)
            .collect();
        let is_required = parameter.get("required").and_then(Value::as_bool) == Some(true);
        Self {
            types: types.unwrap_or_default(),
            enumeration: parameter
                .get("enum")
                .and_then(Value::as_array)
                .filter(|values| !values.is_empty())
                .cloned(),
            required: is_required && !is_nullable,
            default: parameter.get("default").cloned(),
            items: parameter
                .get("items")
                .map(|items| Box::new(Self::from_config(items))),
            properties: parameter
                .get("properties")
                .and_then(Value::as_object)
                .map(properties_from_config)
                .unwrap_or_default(),
        }
    }
}

fn properties_from_config(table: &Map<String, Value>) -> indexmap::IndexMap<String, Parameter> {
    table
        .iter()
        .map(|(name, parameter)| (name.clone(), Parameter::from_config(parameter)))
        .collect()
}

#[cfg(test)]
#[path = "config_tests.rs"]
mod tests;
