//! Why no turn starts with a config: its first error, what it is about and where it stands.
//!
//! ```text
//! tool `edit`, rule 2 of policy.run, .jp/config.toml:12: `/pth` names no parameter of the tool
//! ```

use std::fmt::{Display, Formatter, Result as FmtResult};

use camino::Utf8PathBuf;
use serde_json::{Value, json};

/// What a finding is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Subject {
    /// The key of the tool; `*` for the defaults of all tools.
    pub tool: String,
    /// The rule of a policy, if it is about one.
    pub rule: Option<RuleNumber>,
}

/// A rule of a policy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RuleNumber {
    /// The key of the list in `policy`: `run` or `result`.
    pub list: &'static str,
    /// Its position in the effective list, from 0.
    pub index: usize,
}

impl Subject {
    /// The config path of the list of rules, if it is about a rule.
    #[must_use]
    pub fn rules(&self) -> Option<[&str; 5]> {
        let rule = self.rule?;
        Some(["conversation", "tools", &self.tool, "policy", rule.list])
    }
}

impl Display for Subject {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> FmtResult {
        match self.tool.as_str() {
            "*" => formatter.write_str("tool defaults `'*'`")?,
            tool => write!(formatter, "tool `{tool}`")?,
        }
        match self.rule {
            Some(RuleNumber { list, index }) => {
                write!(formatter, ", rule {} of policy.{list}", index + 1)
            }
            None => Ok(()),
        }
    }
}

/// Why no turn starts with a config.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// What the error is about, if that is a tool.
    pub subject: Option<Subject>,
    /// The file, relative to the workspace where it lies below it, and the line, counted from 1; if they are known.
    pub place: Option<(Utf8PathBuf, u32)>,
    /// What is wrong and what to write instead.
    pub problem: String,
}

impl Refusal {
    /// The refusal as `explain` prints it.
    ///
    /// ```json
    /// {"path": ".jp/config.toml", "line": 12, "tool": "edit", "rule": {"list": "policy.run", "index": 1}, "message": "…"}
    /// ```
    ///
    /// `line` counts from 1 and `index` from 0; what is not known is left out.
    #[must_use]
    pub fn to_json(&self) -> Value {
        let mut json = serde_json::Map::new();
        if let Some((path, line)) = &self.place {
            json.insert("path".to_owned(), path.as_str().into());
            json.insert("line".to_owned(), (*line).into());
        }
        if let Some(Subject { tool, rule }) = &self.subject {
            json.insert("tool".to_owned(), tool.as_str().into());
            if let Some(RuleNumber { list, index }) = rule {
                let rule = json!({ "list": format!("policy.{list}"), "index": index });
                json.insert("rule".to_owned(), rule);
            }
        }
        json.insert("message".to_owned(), self.problem.as_str().into());
        Value::Object(json)
    }
}

impl Display for Refusal {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> FmtResult {
        if let Some(subject) = &self.subject {
            write!(formatter, "{subject}")?;
            formatter.write_str(if self.place.is_some() { ", " } else { ": " })?;
        }
        if let Some((path, line)) = &self.place {
            write!(formatter, "{path}:{line}: ")?;
        }
        formatter.write_str(&self.problem)
    }
}

#[cfg(test)]
#[path = "refusal_tests.rs"]
mod tests;
