//! The rules of a policy in words.
//!
//! ```toml
//! { arg = "/path", prefix = "src/", mode = "unattended" }   # `/path` starts with `"src/"`: runs without asking
//! ```

use jp_policy::{Mode, RawRule};

use super::super::policy::PolicyQuestion;
use crate::text::{
    markup::{code, shortened},
    toml_text,
};

/// What a rule looks for: `/path` starts with `"src"`; nothing for a rule that matches every call.
pub(crate) fn condition_words<M: Mode>(rule: &RawRule<M>) -> Option<String> {
    let (arg, (matcher, value)) = (rule.arg.as_ref()?, rule.matchers.first()?);
    Some(format!(
        "{} {} {}",
        code(arg),
        matcher_words(matcher.keyword()),
        code(&shortened(&toml_text::value(value), 80))
    ))
}

fn matcher_words(keyword: &str) -> &'static str {
    match keyword {
        "const" => "is",
        "enum" => "is one of",
        "pattern" => "contains a match of",
        "prefix" => "starts with",
        "minimum" => "is at least",
        "maximum" => "is at most",
        "exclusive_minimum" => "is more than",
        _ => "is less than",
    }
}

/// What a mode does, about a tool: `runs without asking`; about its result: `is delivered without asking`.
pub(crate) fn mode_words(question: PolicyQuestion, mode: &str) -> &'static str {
    match (question, mode) {
        (PolicyQuestion::Run, "unattended") => "runs without asking",
        (PolicyQuestion::Run, "edit") => "asks before it runs, with its arguments to edit",
        (PolicyQuestion::Run, "skip") => "does not run",
        (PolicyQuestion::Run, _) => "asks before it runs",
        (PolicyQuestion::Result, "unattended") => "is delivered without asking",
        (PolicyQuestion::Result, "edit") => "is delivered after you have edited it",
        (PolicyQuestion::Result, "skip") => "is not delivered",
        (PolicyQuestion::Result, _) => "is delivered after you have agreed",
    }
}
