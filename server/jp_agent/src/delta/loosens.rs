//! What a change means: which decisions become less strict.
//!
//! ```text
//! `fs_modify_file` would no longer ask for `src/`
//! `fs_modify_file` would no longer ask before it runs with `path` = "src/main.rs", as in a call of this conversation
//! `fetch` would be allowed to connect to `https://api.github.com/`
//! ```
//!
//! The decisions before and after are compared on the calls of the conversation and on calls that reach each rule.

mod access;

use indexmap::{IndexMap, IndexSet};
use jp_conversation::{ToolCallRequest, visible};
use jp_llm::{KeyUse, ProviderId};
use jp_policy::{MatcherKind, Mode, Policy, RawRule, RunMode, witnesses};
use serde_json::{Map, Value};

use super::{problem::shortened, rejection::shown_value};
use crate::config::reader::Reader;
use crate::config::{
    CommandConfig, FormatMode, McpReach, McpServerConfig, QuestionTarget, ToolConfig,
    provider_settings, read_servers, read_tools,
};
use crate::error::AgentError;

/// How many sentences are given.
const MAXIMUM_SENTENCES: usize = 40;

/// How many calls of each tool are looked at.
const MAXIMUM_CALLS: usize = 200;

/// What becomes looser between two configs, a sentence each, safe to show.
///
/// Where tools or servers of a config cannot be read, the one sentence says so: nobody is to take silence for safety.
#[must_use]
pub fn loosens(before: &Value, after: &Value, calls: &[ToolCallRequest]) -> Vec<String> {
    let mut sentences: IndexSet<String> = IndexSet::new();
    // First, so that the limit never hides where a key would go: approving the change allows it.
    addresses(before, after, &mut sentences);
    match (Rights::read(before), Rights::read(after)) {
        (Ok(old), Ok(new)) => new.compare(&old, calls, &mut sentences),
        (Err(error), _) | (_, Err(error)) => {
            let error = error.to_string();
            sentences.insert(format!(
                "the config could not be used, so it is not known what becomes looser: {}",
                visible(&error)
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

/// What of a config says what may happen.
struct Rights {
    tools: IndexMap<String, ToolConfig>,
    servers: IndexMap<String, McpServerConfig>,
}

impl Rights {
    fn read(config: &Value) -> Result<Self, AgentError> {
        let root = Reader::root(config);
        Ok(Self {
            tools: read_tools(&root)?,
            servers: read_servers(&root)?,
        })
    }

    fn compare(&self, old: &Self, calls: &[ToolCallRequest], sentences: &mut IndexSet<String>) {
        for tool in self.tools.values() {
            match old.tools.get(&tool.name) {
                Some(before) => compare(before, tool, calls, sentences),
                None => added(tool, sentences),
            }
        }
        for (name, server) in &self.servers {
            if old.servers.get(name) != Some(server) {
                let name = visible(name);
                sentences.insert(match &server.reach {
                    McpReach::Stdio(program) => format!(
                        "the MCP server `{name}` would start `{}`",
                        visible(&program.command)
                    ),
                    McpReach::Http(address) => {
                        let url = visible(address.url.as_str());
                        let token = address.bearer_token_env.as_deref();
                        let token = token.map_or_else(String::new, |variable| {
                            format!(", with the token in `{}`", visible(variable))
                        });
                        format!("calls of the MCP server `{name}` would go to `{url}`{token}")
                    }
                });
            }
        }
    }
}

/// The variable with the key of the provider of this name.
fn provider_key(config: &Value, name: &str) -> Option<String> {
    let provider: ProviderId = name.parse().ok()?;
    let settings = provider_settings(config, name).ok()?;
    let key = KeyUse::of(provider, &settings, &|_| None).ok()??;
    Some(key.variable)
}

/// Providers that would get the conversation at another address, and keys that would go elsewhere.
fn addresses(before: &Value, after: &Value, sentences: &mut IndexSet<String>) {
    for key in moved_keys(before, after) {
        sentences.insert(format!(
            "the key in `{}` would be sent to {}",
            visible(&key.variable),
            visible(&key.origin)
        ));
    }
    let providers = |config| {
        let providers = Reader::root(config).get("providers").get("llm").value();
        providers.and_then(Value::as_object)
    };
    for (name, provider) in providers(after).into_iter().flatten() {
        for key in ["base_url", "base_url_env", "api_key_env"] {
            let old = providers(before).and_then(|old| old.get(name)?.get(key));
            if let Some(Value::String(address)) = provider.get(key)
                && old.and_then(Value::as_str) != Some(address)
            {
                let (name, address) = (visible(name), visible(address));
                sentences.insert(match key {
                    "base_url" => format!("requests to `{name}` would go to `{address}`"),
                    "api_key_env" => {
                        format!("requests to `{name}` would carry the key in `{address}`")
                    }
                    _ => {
                        let key = provider_key(after, &name).map_or_else(String::new, |variable| {
                            format!(", with the key in `{}`", visible(&variable))
                        });
                        format!(
                            "requests to `{name}` would go where the environment variable `{address}` says{key}"
                        )
                    }
                });
            }
        }
    }
}

/// The keys that would go elsewhere than before, or from another variable.
///
/// Each of them is named in the sentences of [`loosens`].
/// Where the environment says the address, there is none to name, and it is asked about when a request is made.
#[must_use]
pub(super) fn moved_keys(before: &Value, after: &Value) -> Vec<KeyUse> {
    let key_of = |config: &Value, provider: ProviderId| {
        let settings = provider_settings(config, provider.as_str()).ok()?;
        match settings.base_url_env {
            Some(_) => None,
            None => KeyUse::of(provider, &settings, &|_| None).ok()?,
        }
    };
    let providers = ProviderId::ALL.into_iter();
    providers
        .filter_map(|provider| {
            let after = key_of(after, provider)?;
            (key_of(before, provider).as_ref() != Some(&after)).then_some(after)
        })
        .collect()
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
    if new.format == Some(FormatMode::Unattended)
        && old.format != Some(FormatMode::Unattended)
        && new.formatter.is_some()
    {
        sentences.insert(format!(
            "`{name}` would show its arguments with a command without asking"
        ));
    }
    modes(
        &old.run.policy,
        &new.run.policy,
        calls,
        &new.name,
        |region, change| {
            sentences.insert(format!("`{name}` would {}", run_change(change, &region)));
        },
    );
    modes(
        &old.result.policy,
        &new.result.policy,
        calls,
        &new.name,
        |region, change| {
            sentences.insert(format!("`{name}` would {}", result_change(change, &region)));
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

/// Which calls become looser.
enum Region {
    /// Every call.
    All,
    /// Those that a condition names, in words.
    Condition(String),
    /// Those that no condition names.
    Rest,
    /// One that the conversation holds, with its arguments in words.
    Recorded(String),
}

/// Calls `found` with each region that is decided less strictly, and how.
///
/// The policies are compared on the calls of the conversation, and on one call for each rule of either policy; what such
/// a call reveals is told of everything that its rule names.
fn modes<M: Mode>(
    old: &Policy<M>,
    new: &Policy<M>,
    calls: &[ToolCallRequest],
    tool: &str,
    mut found: impl FnMut(Region, (M, M)),
) {
    if let (Some(before), Some(after)) = (old.is_unconditional(), new.is_unconditional()) {
        if before.is_stricter_than(after) {
            found(Region::All, (before, after));
        }
        return;
    }
    let mut compare = |call: &Value, region: &dyn Fn() -> Region| {
        let (before, after) = (old.decide(call).0, new.decide(call).0);
        if before.is_stricter_than(after) {
            found(region(), (before, after));
        }
    };
    let recorded = calls.iter().rev().filter(|call| call.name == tool);
    for call in recorded.take(MAXIMUM_CALLS) {
        let arguments = Value::Object(call.arguments.clone());
        compare(&arguments, &|| Region::Recorded(with(&call.arguments)));
    }
    for policy in [old, new] {
        for (index, witness) in witnesses(policy).into_iter().enumerate() {
            if let Some(witness) = witness {
                compare(&witness, &|| region_of(policy.rule(index)));
            }
        }
    }
    // What no rule names is decided by the implicit fallback.
    compare(&Value::Object(Map::new()), &|| Region::Rest);
}

fn region_of<M>(rule: Option<&RawRule<M>>) -> Region {
    let Some(RawRule {
        arg: Some(arg),
        matchers,
        ..
    }) = rule
    else {
        return Region::Rest;
    };
    let Some((kind, value)) = matchers.first() else {
        return Region::Rest;
    };
    let name = visible(arg.trim_start_matches('/')).replace('/', ".");
    let value = match (kind, value) {
        (MatcherKind::Prefix | MatcherKind::Pattern, Value::String(text)) => {
            visible(&shortened(text)).into_owned()
        }
        _ => shown_value(value),
    };
    Region::Condition(match kind {
        MatcherKind::Prefix if name == "path" => format!("`{value}`"),
        MatcherKind::Prefix => format!("`{value}` as the beginning of `{name}`"),
        MatcherKind::Pattern => format!("a `{name}` that matches `{value}`"),
        MatcherKind::Const => format!("`{name}` = {value}"),
        MatcherKind::Enum => format!("a `{name}` among {value}"),
        MatcherKind::Minimum => format!("`{name}` from {value} on"),
        MatcherKind::Maximum => format!("`{name}` up to {value}"),
        MatcherKind::ExclusiveMinimum => format!("`{name}` above {value}"),
        MatcherKind::ExclusiveMaximum => format!("`{name}` below {value}"),
    })
}

impl Region {
    /// The region at the end of a sentence that says `about`, or that `whole`, where it needs no region.
    fn after(&self, about: &str, whole: &str) -> String {
        match self {
            Self::All => whole.to_owned(),
            Self::Condition(condition) => format!("{about} for {condition}"),
            Self::Rest => format!("{about} for calls that no rule names"),
            Self::Recorded(arguments) => {
                format!("{whole}{arguments}, as in a call of this conversation")
            }
        }
    }
}

fn run_change<M: Mode>((before, after): (M, M), region: &Region) -> String {
    let (about, whole) = match (before.strictness(), after == M::UNATTENDED) {
        (2, true) => {
            let both = "run without asking instead of being skipped";
            (both, both)
        }
        (2, false) => (
            "ask instead of being skipped",
            "ask instead of being skipped",
        ),
        _ => ("no longer ask", "no longer ask before it runs"),
    };
    region.after(about, whole)
}

fn result_change<M: Mode>((before, after): (M, M), region: &Region) -> String {
    let about = match (before.strictness(), after == M::UNATTENDED) {
        (2, true) => "hand its result to the assistant instead of withholding it",
        (2, false) => "ask about its result instead of withholding it",
        _ => "no longer ask before the assistant sees its result",
    };
    region.after(about, about)
}

/// The arguments of a call in words.
fn with(arguments: &Map<String, Value>) -> String {
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
