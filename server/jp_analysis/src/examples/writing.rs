//! A case as text: a question, and what the config decides about it now.
//!
//! ```toml
//! [[case]]
//! tool = "read"
//! call = { path = "src/lib.rs" }
//! run = "unattended"
//! ```

use std::{fmt::Write as _, sync::Arc};

use jp_config::graph::Graph;
use serde_json::Value;

use super::{Aspect, Case, Examples, PATH, Question};
use crate::{
    explain::{
        AccessExplainer, ExplainError, PathResolver, PolicyExplainer, PolicyQuestion, view_of_tool,
    },
    text::toml_text,
};

/// What an example asks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Asked {
    /// What happens to a call.
    Run,
    /// What happens to its result.
    Result,
    /// Whether something may be reached.
    Access,
}

/// Why no example is written.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum WriteError {
    /// Nothing is decided.
    #[error(transparent)]
    Undecided(#[from] ExplainError),
    /// The question has a value that TOML has no word for.
    #[error(
        "TOML cannot say `{0}`: `null` and whole numbers of more than 64 bits have no place in it"
    )]
    Unspeakable(String),
    /// The file has a case that asks the same.
    #[error("`{PATH}` asks this already, in line {0}")]
    Known(usize),
    /// The file is so that a case at its end would not be read.
    #[error("a case at the end of `{PATH}` would not be read: mend the mistakes in the file first")]
    Broken,
}

/// The text of a case with what the config of a graph decides now; `input` is what `explain` takes.
///
/// # Errors
///
/// [`WriteError::Undecided`] and [`WriteError::Unspeakable`].
pub fn write_case(
    graph: &Arc<Graph>,
    tool: &str,
    asked: Asked,
    input: &Value,
    paths: &dyn PathResolver,
) -> Result<String, WriteError> {
    let view = view_of_tool(graph, tool)?;
    let policy = |question| -> Result<Value, ExplainError> {
        PolicyExplainer::new(&view, tool, question)?.explain(input, paths)
    };
    let answer = match asked {
        Asked::Run => policy(PolicyQuestion::Run)?,
        Asked::Result => policy(PolicyQuestion::Result)?,
        Asked::Access => AccessExplainer::new(&view, tool, paths)?.explain(input, paths)?,
    };
    let answer = match asked {
        Asked::Access => answer.get("allowed"),
        Asked::Run | Asked::Result => answer.get("mode"),
    };
    let aspect = match asked {
        Asked::Run => Aspect::Run,
        Asked::Result => Aspect::Result,
        Asked::Access => Aspect::Allowed,
    };
    case_text(
        tool,
        input,
        &[(aspect, answer.cloned().unwrap_or_default())],
    )
}

/// The text of a case; an aspect of an access goes with what `explain` takes for one.
pub(super) fn case_text(
    tool: &str,
    input: &Value,
    expected: &[(Aspect, Value)],
) -> Result<String, WriteError> {
    let mut text = format!("[[case]]\ntool = {}\n", toml_text::string(tool));
    let is_access = expected
        .iter()
        .any(|(aspect, _)| *aspect == Aspect::Allowed);
    let asked = input.as_object().filter(|_| is_access);
    match asked.and_then(|asked| asked.iter().next()) {
        Some((key, target)) => {
            let _ = writeln!(
                text,
                "{} = {}",
                toml_text::key(key),
                toml_text::value(target)
            );
        }
        None => {
            let _ = writeln!(text, "call = {}", toml_text::value(input));
        }
    }
    for (aspect, answer) in expected {
        let _ = writeln!(text, "{} = {}", aspect.key(), toml_text::value(answer));
    }
    // What is read again is what was meant, or it is not written.
    let read = Examples::read(&text);
    let is_same = |case: &Case| case.tool == tool && case.input == *input;
    match read.cases.as_slice() {
        [case] if read.mistakes.is_empty() && is_same(case) => Ok(text),
        _ => Err(WriteError::Unspeakable(input.to_string())),
    }
}

/// What to write at the end of a file of examples, so that these cases follow on what it has.
///
/// # Errors
///
/// [`WriteError::Known`] for a single case that is there, and [`WriteError::Broken`].
pub fn append(text: &str, cases: &[String]) -> Result<String, WriteError> {
    let before = Examples::read(text);
    if let [only] = cases
        && let Some(new) = Examples::read(only).cases.first()
        && let Some(known) = before.cases.iter().find(|known| asks_the_same(known, new))
    {
        let start = text.get(..known.span.start as usize).unwrap_or_default();
        return Err(WriteError::Known(start.matches('\n').count() + 1));
    }
    let gap = match text {
        text if text.trim().is_empty() => "",
        text if text.ends_with("\n\n") => "",
        text if text.ends_with('\n') => "\n",
        _ => "\n\n",
    };
    let added = format!("{gap}{}", cases.join("\n"));
    let after = Examples::read(&format!("{text}{added}"));
    let is_read = after.cases.len() == before.cases.len() + cases.len()
        && after.mistakes.len() == before.mistakes.len();
    is_read.then_some(added).ok_or(WriteError::Broken)
}

/// Whether two cases ask the same of the same tool, whatever they expect.
pub(super) fn asks_the_same(one: &Case, other: &Case) -> bool {
    let aspects = |case: &Case| -> Vec<Aspect> {
        let expected = case.expectations.iter();
        expected.map(|expectation| expectation.aspect).collect()
    };
    let is_call = one.question == Question::Call;
    one.tool == other.tool
        && one.question == other.question
        && one.input == other.input
        && (!is_call
            || aspects(other)
                .iter()
                .all(|aspect| aspects(one).contains(aspect)))
}

#[cfg(test)]
#[path = "writing_tests.rs"]
pub(super) mod tests;
