//! A tool on one card.
//!
//! ```toml
//! [conversation.tools.fs_read_file]   # local tool, on; runs unattended; `path` (path, required)
//! ```

use jp_config::{
    document::{Node, PathSegment},
    schema::{StringFormat, schema},
};
use jp_policy::{Parameter, ResultMode, RunMode};

use super::{enable::enable_words, subject::Subject};
use crate::{
    explain::{PolicyOrigin, PolicyQuestion, ToolPolicy, words},
    options::Options,
    rules::own_guard,
    text::{
        markup::{Markup, code, shortened},
        node::schema_node,
    },
    tool::{
        ToolContext,
        parameters::{parameters, type_words},
    },
};

pub(super) fn describe(subject: &Subject<'_>, markup: &mut Markup) {
    let on_tool = subject.path.len() == 3 && subject.tool().is_some();
    let named = match subject.value {
        Some(Node::Str(text)) if names_a_tool(&subject.path) => Some(text.value().into_owned()),
        _ => None,
    };
    let context = match &named {
        Some(name) => ToolContext::of(subject.view, name, Options::default()),
        None if on_tool => subject.context(),
        None => None,
    };
    if let Some(context) = context
        && !context.is_defaults()
    {
        card(&context, markup);
    }
}

fn names_a_tool(path: &[PathSegment<'_>]) -> bool {
    schema_node(path).is_some_and(|node| schema().formats(node).contains(&StringFormat::ToolName))
}

fn card(context: &ToolContext<'_>, markup: &mut Markup) {
    let source = match context.source() {
        Some(source) => {
            let kind = match source.kind() {
                "mcp" => "an MCP tool".to_owned(),
                kind => format!("a {kind} tool"),
            };
            match source.to_string() {
                plain if plain == source.kind() => kind,
                named => format!("{kind} ({})", code(&named)),
            }
        }
        None => "a tool without a source: no config says where it comes from".to_owned(),
    };
    markup.paragraph(&format!(
        "{} is {source}, {}.",
        code(context.name),
        enable_words(context)
    ));
    let summary = ["summary", "description"]
        .iter()
        .find_map(|key| context.tool.get(key)?.value.as_str());
    if let Some(summary) = summary {
        markup.block("text", &shortened(summary, 300));
    }
    markup.item(&format!("Calls: {}", run_words(context)));
    markup.item(&format!("Results: {}", result_words(context)));
    let parameters = parameters(context);
    if parameters.properties.is_empty() {
        if !parameters.open {
            markup.item("Takes no parameters.");
        }
    } else {
        let words: Vec<String> = parameters
            .properties
            .iter()
            .take(20)
            .map(|(name, parameter)| parameter_words(name, parameter))
            .collect();
        markup.item(&format!("Takes {}", words.join(", ")));
    }
    markup.item(&access_words(context));
    if let Some(words) = own_guard(context) {
        markup.item(&words);
    }
}

fn parameter_words(name: &str, parameter: &Parameter) -> String {
    let mut words = type_words(parameter);
    if parameter.required {
        words.push_str(", required");
    }
    format!("{} ({words})", code(name))
}

/// How calls run, in words.
pub(crate) fn run_words(context: &ToolContext<'_>) -> String {
    match ToolPolicy::<RunMode>::of(context, PolicyQuestion::Run, RunMode::Ask) {
        Err(_) => "the rules cannot be read".to_owned(),
        Ok(rules) => mode_words(
            context.name,
            PolicyQuestion::Run,
            rules.origin,
            rules.policy.is_unconditional().map(|mode| mode.to_string()),
            rules.policy.len(),
        ),
    }
}

fn result_words(context: &ToolContext<'_>) -> String {
    match ToolPolicy::<ResultMode>::of(context, PolicyQuestion::Result, ResultMode::Unattended) {
        Err(_) => "the rules cannot be read".to_owned(),
        Ok(rules) => mode_words(
            context.name,
            PolicyQuestion::Result,
            rules.origin,
            rules.policy.is_unconditional().map(|mode| mode.to_string()),
            rules.policy.len(),
        ),
    }
}

fn mode_words(
    tool: &str,
    question: PolicyQuestion,
    origin: PolicyOrigin,
    always: Option<String>,
    rules: usize,
) -> String {
    let from = code(&origin.describe(tool, question));
    match (always, origin) {
        (Some(mode), PolicyOrigin::Nothing) => {
            format!("`{mode}`, the built-in default: {}", means(question, &mode))
        }
        (Some(mode), _) => format!("`{mode}`, from {from}: {}", means(question, &mode)),
        (None, _) if rules == 1 => format!("1 rule decides, from {from}"),
        (None, _) => format!("{rules} rules decide, from {from}"),
    }
}

fn means(question: PolicyQuestion, mode: &str) -> String {
    let what = match question {
        PolicyQuestion::Run => "the tool",
        PolicyQuestion::Result => "the result",
    };
    format!("{what} {}", words::mode_words(question, mode))
}

fn access_words(context: &ToolContext<'_>) -> String {
    let counts: Vec<String> = ["fs", "net", "env", "config"]
        .iter()
        .filter_map(|kind| {
            let rules = context.tool.at(&["access", kind])?.value.as_list()?;
            (!rules.is_empty()).then(|| format!("{} `{kind}`", rules.len()))
        })
        .collect();
    if context.source().is_some_and(|source| !source.is_local()) {
        "Access: grants are for local tools; nothing here limits what this one reaches".to_owned()
    } else if counts.is_empty() {
        "Access: no rules; files, network and environment are not restricted, config is closed"
            .to_owned()
    } else {
        format!("Access rules: {}", counts.join(", "))
    }
}
