//! Examples beside rules: calls and accesses with what a person expects to be decided about them.
//!
//! ```toml
//! # .jp/policy.tests.toml
//! [[case]]
//! name = "secrets are never read"
//! tool = "read"
//! call = { path = "secrets/key" }
//! run = "skip"
//! rule = 1              # counted from 1; "fallback" (or 0) where no rule decides
//!
//! [[case]]
//! tool = "read"
//! fs = { capability = "read", path = "src/lib.rs" }
//! allowed = true
//! ```
//!
//! [`Examples::read`] takes what a text says and every mistake in it; [`judge`] compares each case with what
//! [`crate::explain`] says of the same question, so that an example cannot hold where the runtime decides otherwise.

mod generation;
mod judging;
mod reading;
mod writing;

use std::collections::BTreeMap;

use jp_config::document::{Document, PathSegment, Span};
use serde_json::{Value, json};

pub use self::{
    generation::{GenerateError, Generated, MOST_RULES, generate, tools_with_conditions},
    judging::{Decided, DecidedRule, Judged, Verdict, failures, holds, judge},
    writing::{Asked, WriteError, append, write_case},
};
use crate::mistake::Mistake;

/// Where the examples of a workspace stand, relative to it.
pub const PATH: &str = ".jp/policy.tests.toml";

/// The list of cases.
pub(crate) const CASE: &str = "case";

/// The keys of a case, each with what it is.
pub(crate) const CASE_KEYS: [(&str, &str); 11] = [
    ("name", "what this example shows"),
    ("tool", "the tool that it is about"),
    ("call", "the arguments of a call"),
    ("run", "what is expected to happen to the call"),
    ("result", "what is expected to happen to its result"),
    (
        "rule",
        "the number of the rule that is expected to decide, from 1",
    ),
    ("fs", "a file, and what is to be done with it"),
    ("net", "an address that is to be reached"),
    ("env", "a variable that is to be read"),
    ("config", "a config path, and what is to be done with it"),
    ("allowed", "whether the access is expected to be granted"),
];

/// The keys of a question about files or config paths.
pub(crate) const TARGET_KEYS: [&str; 2] = ["capability", "path"];

/// What a file of examples says.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Examples {
    /// The cases that can be asked, in order.
    pub cases: Vec<Case>,
    /// What is wrong with the text, by position; a case with a mistake is not among the cases.
    pub mistakes: Vec<Mistake>,
}

/// One example.
#[derive(Debug, Clone, PartialEq)]
pub struct Case {
    /// What a person calls it.
    pub name: Option<String>,
    /// Its `[[case]]`.
    pub span: Span,
    /// The tool that it is about.
    pub tool: String,
    /// Where the tool is named.
    pub tool_span: Span,
    /// What is asked.
    pub question: Question,
    /// The arguments of the call, or what is to be reached, as `explain` takes it.
    pub input: Value,
    /// What is expected, at least one thing.
    pub expectations: Vec<Expectation>,
    /// Where the input stands.
    input_span: Span,
    /// Where each part of the input stands, by its name such as `patterns[1].old`.
    places: BTreeMap<String, Span>,
}

/// What a case asks about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Question {
    /// What happens to a call.
    Call,
    /// Whether files may be reached.
    Fs,
    /// Whether an address may be reached.
    Net,
    /// Whether a variable may be read.
    Env,
    /// Whether a config path may be read or changed.
    Config,
}

impl Question {
    pub(crate) const ALL: [Self; 5] = [Self::Call, Self::Fs, Self::Net, Self::Env, Self::Config];

    /// The key of the question.
    #[must_use]
    pub const fn key(self) -> &'static str {
        match self {
            Self::Call => "call",
            Self::Fs => "fs",
            Self::Net => "net",
            Self::Env => "env",
            Self::Config => "config",
        }
    }
}

/// Which decision an expectation is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Aspect {
    /// Whether the call runs.
    Run,
    /// Whether its result is delivered.
    Result,
    /// Whether the access is granted.
    Allowed,
}

impl Aspect {
    /// The key of the expectation.
    #[must_use]
    pub const fn key(self) -> &'static str {
        match self {
            Self::Run => "run",
            Self::Result => "result",
            Self::Allowed => "allowed",
        }
    }
}

/// What is decided about a call or an access.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// The mode, by its keyword.
    Mode(String),
    /// Whether an access is granted.
    Allowed(bool),
}

impl Answer {
    /// The answer in a word.
    #[must_use]
    pub fn word(&self) -> &str {
        match self {
            Self::Mode(mode) => mode,
            Self::Allowed(true) => "allowed",
            Self::Allowed(false) => "not allowed",
        }
    }

    /// The answer as JSON: the mode, or whether it is granted.
    #[must_use]
    pub fn to_json(&self) -> Value {
        match self {
            Self::Mode(mode) => json!(mode),
            Self::Allowed(allowed) => json!(allowed),
        }
    }
}

/// The rule that is expected to decide.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExpectedRule {
    /// The rule with this number, counted from 1.
    Number(u64),
    /// None of the rules.
    Fallback,
}

/// One thing that a case expects.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Expectation {
    /// What it is about.
    pub aspect: Aspect,
    /// What is to be decided.
    pub answer: Answer,
    /// By which rule, where that matters.
    pub rule: Option<ExpectedRule>,
}

/// Where the case around an offset stands, its [`Case::span`]; none between cases.
#[must_use]
pub fn case_at(text: &str, offset: usize) -> Option<Span> {
    let document = Document::parse(text);
    let position = document.at(offset);
    match position.path.as_slice() {
        [PathSegment::Key(CASE), PathSegment::Index(index), ..] => {
            let cases = document.root().get(CASE)?.value().as_array()?;
            Some(cases.get(*index)?.as_table()?.span())
        }
        _ => None,
    }
}

impl Case {
    /// What to call it: its name, or else what it asks.
    #[must_use]
    pub fn title(&self) -> String {
        if let Some(name) = &self.name {
            return name.clone();
        }
        let asked = self
            .input
            .get(self.question.key())
            .filter(|_| self.question != Question::Call);
        match (self.question, asked) {
            (Question::Net | Question::Env, Some(Value::String(target))) => {
                format!("{} {} {target}", self.tool, self.question.key())
            }
            (Question::Fs | Question::Config, Some(asked)) => {
                let part = |key: &str| asked.get(key).and_then(Value::as_str).unwrap_or("");
                let (kind, capability) = (self.question.key(), part("capability"));
                format!("{} {kind} {capability} {}", self.tool, part("path"))
            }
            _ => format!("{} {}", self.tool, self.input),
        }
    }
}

#[cfg(test)]
#[path = "examples_tests.rs"]
mod tests;
