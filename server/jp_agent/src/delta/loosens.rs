//! What a change means: which decisions become less strict.
//!
//! ```text
//! `fs_modify_file` would no longer ask before it runs with `path` = "src/main.rs"
//! `fetch` would be allowed to connect to https://api.github.com/
//! ```
//!
//! The decisions before and after are compared on the calls of the conversation and on calls that reach each rule.

mod access;

use indexmap::{IndexMap, IndexSet};
use jp_conversation::{ToolCallRequest, visible};
use jp_policy::{Mode, Policy, ResultMode, RunMode, witnesses};
use serde_json::Value;

use super::rejection::shown_value;
use crate::config::{CommandConfig, QuestionTarget, ToolConfig, TurnConfig};

/// How many sentences are given.
const MAXIMUM_SENTENCES: usize = 40;

/// How many calls of each tool are looked at.
const MAXIMUM_CALLS: usize = 200;

/// What becomes looser between two configs, a sentence each, safe to show.
///
/// Silent about a config that does not resolve: what nothing can run with loosens nothing, and the change fails later
/// with an error of its own.
#[must_use]
pub fn loosens(before: &Value, after: &Value, calls: &[ToolCallRequest]) -> Vec<String> {
    let none = IndexMap::new();
    let (Ok(old), Ok(new)) = (
        TurnConfig::resolve(before, &none),
        TurnConfig::resolve(after, &none),
    ) else {
        return Vec::new();
    };
    let mut sentences: IndexSet<String> = IndexSet::new();
    for tool in new.tools.values() {
        match old.tools.get(&tool.name) {
            Some(before) => compare(before, tool, calls, &mut sentences),
            None => added(tool, &mut sentences),
        }
    }
    for (name, server) in &new.servers {
        if old.servers.get(name) != Some(server) {
            sentences.insert(format!(
                "the MCP server `{}` would start `{}`",
                visible(name),
                visible(&server.command)
            ));
        }
    }
    let more = sentences.len().saturating_sub(MAXIMUM_SENTENCES);
    let mut sentences: Vec<String> = sentences.into_iter().take(MAXIMUM_SENTENCES).collect();
    if more > 0 {
        sentences.push(format!("and {more} more"));
    }
    sentences
}

fn compare(
    old: &ToolConfig,
    new: &ToolConfig,
    calls: &[ToolCallRequest],
    sentences: &mut IndexSet<String>,
) {
    let name = visible(&new.name);
    if new.is_enabled && !old.is_enabled {
        sentences.insert(format!("the assistant could call `{name}`"));
    }
    if let Some(command) = &new.command
        && old.command.as_ref() != Some(command)
    {
        sentences.insert(format!("`{name}` would run `{}`", command_line(command)));
    }
    if let Some(formatter) = &new.formatter
        && old.formatter.as_ref() != Some(formatter)
    {
        let line = command_line(formatter);
        sentences.insert(format!("`{name}` would show its arguments with `{line}`"));
    }
    if new.source != old.source {
        let kind = new.source.kind();
        sentences.insert(format!("`{name}` would be another tool, from `{kind}`"));
    }
    let probes = probes(&old.run.policy, &new.run.policy, &new.name, calls);
    modes(&old.run.policy, &new.run.policy, &probes, |call, change| {
        let what = run_change::<RunMode>(change);
        sentences.insert(format!("`{name}` would {what}{}", with(call)));
    });
    let probes = self::probes(&old.result.policy, &new.result.policy, &new.name, calls);
    modes(
        &old.result.policy,
        &new.result.policy,
        &probes,
        |call, change| {
            let what = result_change::<ResultMode>(change);
            sentences.insert(format!("`{name}` would {what}{}", with(call)));
        },
    );
    questions(old, new, sentences);
    access::compare(&name, old.access.as_ref(), new.access.as_ref(), sentences);
}

fn added(tool: &ToolConfig, sentences: &mut IndexSet<String>) {
    let name = visible(&tool.name);
    let command = tool.command.as_ref().map_or_else(String::new, |command| {
        format!(", running `{}`", command_line(command))
    });
    sentences.insert(format!("there would be a further tool `{name}`{command}"));
    if tool.run.policy.is_unconditional() == Some(RunMode::Unattended) {
        sentences.insert(format!("`{name}` would run without asking"));
    }
}

fn questions(old: &ToolConfig, new: &ToolConfig, sentences: &mut IndexSet<String>) {
    for (id, question) in &new.questions {
        let before = old.questions.get(id);
        let had_answer = before.is_some_and(|before| before.answer.is_some());
        let asked_person = before.is_none_or(|before| before.target == QuestionTarget::User);
        let (name, id) = (visible(&new.name), visible(id));
        if question.answer.is_some() && !had_answer {
            sentences.insert(format!("`{name}` would no longer ask its question `{id}`"));
        } else if asked_person && question.target != QuestionTarget::User {
            sentences.insert(format!(
                "the assistant instead of you would answer the question `{id}` of `{name}`"
            ));
        }
    }
}

/// Calls on which two policies may differ: those of the conversation, and one for each rule of either policy.
fn probes<M: Mode>(
    old: &Policy<M>,
    new: &Policy<M>,
    tool: &str,
    calls: &[ToolCallRequest],
) -> Vec<Value> {
    let recorded = calls
        .iter()
        .rev()
        .filter(|call| call.name == tool)
        .take(MAXIMUM_CALLS)
        .map(|call| Value::Object(call.arguments.clone()));
    recorded
        .chain(witnesses(old).into_iter().flatten())
        .chain(witnesses(new).into_iter().flatten())
        .collect()
}

/// Calls `found` with each call that is decided less strictly, and with `None` where the mode of every call changes.
fn modes<M: Mode>(
    old: &Policy<M>,
    new: &Policy<M>,
    probes: &[Value],
    mut found: impl FnMut(Option<&Value>, (M, M)),
) {
    if let (Some(before), Some(after)) = (old.is_unconditional(), new.is_unconditional()) {
        if before.is_stricter_than(after) {
            found(None, (before, after));
        }
        return;
    }
    for call in probes {
        let (before, after) = (old.decide(call).0, new.decide(call).0);
        if before.is_stricter_than(after) {
            found(Some(call), (before, after));
        }
    }
}

fn run_change<M: Mode>((before, after): (M, M)) -> &'static str {
    match (before.strictness(), after == M::UNATTENDED) {
        (2, true) => "run without asking instead of being skipped",
        (2, false) => "ask instead of being skipped",
        _ => "no longer ask before it runs",
    }
}

fn result_change<M: Mode>((before, after): (M, M)) -> &'static str {
    match (before.strictness(), after == M::UNATTENDED) {
        (2, true) => "hand its result to the assistant instead of withholding it",
        (2, false) => "ask about its result instead of withholding it",
        _ => "no longer ask before the assistant sees its result",
    }
}

/// The arguments of a call in words.
fn with(call: Option<&Value>) -> String {
    let Some(arguments) = call.and_then(Value::as_object) else {
        return String::new();
    };
    if arguments.is_empty() {
        return " without arguments".to_owned();
    }
    let arguments: Vec<String> = arguments
        .iter()
        .map(|(name, value)| format!("`{}` = {}", visible(name), shown_value(value)))
        .collect();
    format!(" with {}", arguments.join(", "))
}

fn command_line(command: &CommandConfig) -> String {
    let words = std::iter::once(&command.program).chain(&command.args);
    let line = words.map(String::as_str).collect::<Vec<_>>().join(" ");
    let shell = if command.shell { " in a shell" } else { "" };
    format!("{}{shell}", visible(&line))
}

#[cfg(test)]
#[path = "loosens_tests.rs"]
mod tests;
