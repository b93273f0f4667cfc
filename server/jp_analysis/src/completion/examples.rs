//! What can be written in a file of examples: the keys of a case, and what the config declares.
//!
//! ```toml
//! [[case]]
//! tool = "re"          # the tools of the workspace
//! call = { pa = "" }   # the arguments of the tool, and the files that a path may name
//! run = ""             # the modes
//! rule = 2             # { arg = "/path", prefix = "src", mode = "unattended" }
//! ```

use jp_config::{
    document::{Document, Entry, PathSegment, Table},
    graph::FileId,
    schema::{NodeId, schema},
    view::View,
};
use jp_policy::{Mode, ParameterType, ResultMode, RunMode, pointer};
use serde_json::Value;

use super::{
    arguments::{Argument, arguments, takes_list},
    context::{Commas, KeySlot, Layout, Site, ValueSlot},
    damage,
    files::{self, Wanted},
    item::{Completions, Item, ItemKind, Items},
    paths::Paths,
    slot::{Slot, slot_at},
    template::Template,
};
use crate::{
    examples::{CASE, CASE_KEYS, Question, TARGET_KEYS},
    explain::{PolicyQuestion, tool_context, usable},
    options::Options,
    text::{node::node_at, toml_text},
    tool::{TOOLS, tool_names},
};

/// What may be done with files, and with config.
const FILE_CAPABILITIES: [&str; 5] = ["read", "create", "update", "delete", "execute"];
const CONFIG_CAPABILITIES: [&str; 3] = ["read", "write", "delete"];

/// Says what can be written at `offset` of a file of examples; `view` is the config that they are about, and `paths` are what its
/// workspace holds.
#[must_use]
pub fn complete_example(
    view: &View,
    document: &Document,
    offset: usize,
    paths: &dyn Paths,
) -> Completions {
    let site = Site {
        describes: anything,
        ..Site::new(view, FileId(0), document, offset, Options::default(), paths)
    };
    let mut items = Items::default();
    match slot_at(&site) {
        Some(Slot::First(slot) | Slot::Key(slot)) => keys(&site, &slot, &mut items),
        Some(Slot::Header { key, segment: 0 }) => {
            let edit = Template::plain(CASE).edit(key.span());
            items.push(Item::new(CASE, ItemKind::Table, edit).with_detail("one example"));
        }
        Some(Slot::Value(slot)) => values(&site, &slot, &mut items),
        Some(Slot::Header { .. } | Slot::Comment(_)) | None => {}
    }
    items.narrow(document.text(), site.offset);
    damage::drop_harmful(&site, &mut items);
    items.finish()
}

/// The config's schema says nothing of examples; what stands where, the path says.
#[expect(
    clippy::unnecessary_wraps,
    reason = "what the config's schema does not know has no description"
)]
fn anything(_: &[PathSegment<'_>]) -> Option<NodeId> {
    Some(schema().root())
}

fn keys(site: &Site<'_>, slot: &KeySlot<'_>, items: &mut Items) {
    if !slot.span.touches(site.offset) {
        return;
    }
    let path: Vec<&str> = slot.owner.path.iter().map(String::as_str).collect();
    match path.as_slice() {
        [] => {}
        [CASE, "[]"] => {
            let takes = |key: &str| goes_with(slot.owner.table, key);
            for (key, detail) in CASE_KEYS {
                if !slot.has(key) && takes(key) {
                    items.push(key_item(slot, key, detail, |template| {
                        write_value(site, key, template);
                    }));
                }
            }
        }
        [CASE, "[]", question @ ("fs" | "config")] => {
            for key in TARGET_KEYS.into_iter().filter(|key| !slot.has(key)) {
                let write = |template: &mut Template| match (key, *question) {
                    ("capability", "fs") => quoted_choice(template, &FILE_CAPABILITIES),
                    ("capability", _) => quoted_choice(template, &CONFIG_CAPABILITIES),
                    _ => template.string(),
                };
                items.push(key_item(slot, key, "required", write));
            }
        }
        [CASE, "[]", "call", below @ ..] => {
            for argument in arguments_below(site, below) {
                let Some(name) = last_segment(&argument.pointer) else {
                    continue;
                };
                if !slot.has(&name) {
                    let detail = argument.type_words();
                    let write = |template: &mut Template| write_argument(site, &argument, template);
                    items.push(key_item(slot, &name, &detail, write));
                }
            }
        }
        _ => {}
    }
    if slot.takes_headers() || path.is_empty() && !slot.is_name() {
        items.push(header_item(site, slot));
    }
}

/// Whether a key goes with what a case asks already.
fn goes_with(case: Option<Table<'_>>, key: &str) -> bool {
    let has = |key: &str| case.is_some_and(|case| case.get(key).is_some());
    let asked = Question::ALL
        .into_iter()
        .find(|question| has(question.key()));
    let is_question = Question::ALL.iter().any(|question| question.key() == key);
    match (key, asked) {
        _ if is_question => {
            let expects_access = has("allowed");
            let expects_call = has("run") || has("result");
            asked.is_none()
                && !(if key == "call" {
                    expects_access
                } else {
                    expects_call
                })
        }
        ("run" | "result", Some(asked)) => asked == Question::Call,
        ("run" | "result", None) => !has("allowed"),
        ("allowed", Some(asked)) => asked != Question::Call,
        ("allowed", None) => !has("run") && !has("result"),
        _ => true,
    }
}

fn key_item(
    slot: &KeySlot<'_>,
    key: &str,
    detail: &str,
    write: impl FnOnce(&mut Template),
) -> Item {
    let name = toml_text::key(key);
    let mut template = Template::default();
    match slot.layout {
        Layout::Name => template.text(&name),
        Layout::Statement { .. } | Layout::Dotted => {
            template.text(&format!("{name} = "));
            write(&mut template);
        }
        Layout::Inline(Commas { lead, tail }) => {
            template.text(&format!("{lead}{name} = "));
            write(&mut template);
            template.text(tail);
        }
    }
    Item::new(key, ItemKind::Key, template.edit(slot.span)).with_detail(detail)
}

/// A whole case.
fn header_item(site: &Site<'_>, slot: &KeySlot<'_>) -> Item {
    let mut template = Template::plain(&format!("[[{CASE}]]\ntool = "));
    write_value(site, "tool", &mut template);
    template.text("\ncall = { ");
    template.stop();
    template.text(" }\nrun = ");
    write_value(site, "run", &mut template);
    template.text("\n");
    Item::new(
        format!("[[{CASE}]]"),
        ItemKind::Table,
        template.edit(slot.span),
    )
    .with_filter(CASE)
    .with_detail("one example: a call or an access, and what is expected of it")
}

fn quoted_choice(template: &mut Template, words: &[&str]) {
    template.text("\"");
    template.choice(words);
    template.text("\"");
}

/// Writes what stands behind a key of a case.
fn write_value(site: &Site<'_>, key: &str, template: &mut Template) {
    match key {
        "tool" => {
            let tools = tool_names(site.view);
            let tools: Vec<&str> = tools.iter().map(String::as_str).collect();
            quoted_choice(template, &tools);
        }
        "call" => {
            template.text("{ ");
            template.stop();
            template.text(" }");
        }
        "run" => quoted_choice(template, &modes::<RunMode>()),
        "result" => quoted_choice(template, &modes::<ResultMode>()),
        "rule" => template.placeholder("1"),
        "fs" | "config" => {
            let capabilities: &[&str] = match key {
                "fs" => &FILE_CAPABILITIES,
                _ => &CONFIG_CAPABILITIES,
            };
            template.text("{ capability = ");
            quoted_choice(template, capabilities);
            template.text(", path = ");
            template.string();
            template.text(" }");
        }
        "allowed" => template.choice(&["true", "false"]),
        _ => template.string(),
    }
}

fn modes<M: Mode>() -> Vec<&'static str> {
    M::ALL.iter().map(|mode| mode.keyword()).collect()
}

/// Writes what stands behind the name of an argument.
fn write_argument(site: &Site<'_>, argument: &Argument, template: &mut Template) {
    let values: Vec<String> = argument.values().iter().map(toml_text::value).collect();
    let is_list = tool_of(site)
        .is_some_and(|tool| takes_list(site.view, &rule_path(&tool), &argument.pointer));
    if is_list {
        template.text("[");
    }
    if !values.is_empty() {
        template.choice(&values);
    } else if argument.is_container() {
        template.text("{ ");
        template.stop();
        template.text(" }");
    } else if argument.is_only(&[ParameterType::Boolean]) {
        template.choice(&["true", "false"]);
    } else if argument.is_only(&[ParameterType::Integer, ParameterType::Number]) {
        template.placeholder("0");
    } else {
        template.string();
    }
    if is_list {
        template.text("]");
    }
}

fn values(site: &Site<'_>, slot: &ValueSlot<'_>, items: &mut Items) {
    let path: Vec<&str> = slot.path.iter().map(String::as_str).collect();
    match path.as_slice() {
        [CASE, "[]", "tool"] => {
            let tools = tool_names(site.view);
            let tools = items.narrowed(tools, &slot.typed);
            items.extend(tools.iter().map(|tool| slot.string(tool, ItemKind::Name)));
        }
        [CASE, "[]", "run"] => words(slot, &modes::<RunMode>(), items),
        [CASE, "[]", "result"] => words(slot, &modes::<ResultMode>(), items),
        [CASE, "[]", "allowed"] => items.extend(slot.booleans()),
        [CASE, "[]", "rule"] => rule_numbers(site, slot, items),
        [CASE, "[]", "fs", "capability"] => words(slot, &FILE_CAPABILITIES, items),
        [CASE, "[]", "config", "capability"] => words(slot, &CONFIG_CAPABILITIES, items),
        [CASE, "[]", "fs", "path"] => files_at(site, slot, items),
        [CASE, "[]", "call", below @ ..] if !below.is_empty() => {
            argument_values(site, slot, below, items);
        }
        _ => {}
    }
}

fn words(slot: &ValueSlot<'_>, words: &[&str], items: &mut Items) {
    items.extend(
        words
            .iter()
            .map(|word| slot.string(word, ItemKind::Variant)),
    );
}

/// The numbers of the tool's rules, each with what it says.
fn rule_numbers(site: &Site<'_>, slot: &ValueSlot<'_>, items: &mut Items) {
    let case = case_at(site);
    let has = |key: &str| case.is_some_and(|case| case.get(key).is_some());
    if let Some(tool) = tool_of(site) {
        // Of two lists of rules, the first is meant.
        let rules = match has("result") && !has("run") {
            true => rules(
                site.view,
                &tool,
                PolicyQuestion::Result,
                ResultMode::Unattended,
            ),
            false => rules(site.view, &tool, PolicyQuestion::Run, RunMode::Ask),
        };
        for (index, rule) in rules.iter().enumerate() {
            items.push(slot.literal(&(index + 1).to_string(), &toml_text::value(rule)));
        }
    }
    let fallback = slot.string("fallback", ItemKind::Variant);
    items.push(fallback.with_detail("no rule decides"));
}

fn rules<M: Mode>(view: &View, tool: &str, question: PolicyQuestion, fallback: M) -> Vec<Value> {
    let Some(context) = tool_context(view, tool) else {
        return Vec::new();
    };
    let Ok(rules) = usable(&context, question, fallback) else {
        return Vec::new();
    };
    let rule = |index| rules.policy.rule(index).map(jp_policy::RawRule::to_config);
    (0..rules.policy.len()).filter_map(rule).collect()
}

/// The values that the config declares for an argument, those that rules on it name, and the files that a path may name.
fn argument_values(site: &Site<'_>, slot: &ValueSlot<'_>, below: &[&str], items: &mut Items) {
    let Some((name, parents)) = below
        .iter()
        .rposition(|segment| *segment != "[]")
        .and_then(|last| below.get(..=last)?.split_last())
    else {
        return;
    };
    let siblings = arguments_below(site, parents);
    let Some(argument) = siblings
        .into_iter()
        .find(|argument| last_segment(&argument.pointer).as_deref() == Some(name))
    else {
        return;
    };
    let declared = argument.values().iter();
    items.extend(declared.filter_map(|value| slot.json(value, "declared")));
    if argument.values().is_empty() && argument.may_be(ParameterType::Boolean) {
        items.extend(slot.booleans());
    }
    named_by_rules(site, slot, &argument, items);
    if argument.values().is_empty() && argument.may_be(ParameterType::Path) {
        files_at(site, slot, items);
    }
}

/// What stands where the typed path leads, without what is offered already.
fn files_at(site: &Site<'_>, slot: &ValueSlot<'_>, items: &mut Items) {
    let mut found = Items::default();
    files::offer(site, slot, site.workspace(), Wanted::Values, &mut found);
    found.retain(|item| !items.labels().any(|label| label == item.label));
    items.append(found);
}

/// The values that the rules on an argument name.
fn named_by_rules(site: &Site<'_>, slot: &ValueSlot<'_>, argument: &Argument, items: &mut Items) {
    let Some(tool) = tool_of(site) else { return };
    let run = rules(site.view, &tool, PolicyQuestion::Run, RunMode::Ask);
    let result = rules(
        site.view,
        &tool,
        PolicyQuestion::Result,
        ResultMode::Unattended,
    );
    let rules = run.iter().chain(&result);
    for rule in
        rules.filter(|rule| rule.get("arg").and_then(Value::as_str) == Some(&argument.pointer))
    {
        let table = rule.as_object().into_iter().flatten();
        for (key, value) in
            table.filter(|(key, _)| !matches!(key.as_str(), "arg" | "mode" | "pattern"))
        {
            let one = std::slice::from_ref(value);
            let named = value.as_array().map_or(one, Vec::as_slice);
            for value in named {
                let item = slot.json(value, &format!("`{key}` of a rule"));
                let is_new = item
                    .as_ref()
                    .is_some_and(|item| !items.labels().any(|label| label == item.label));
                items.extend(item.filter(|_| is_new));
            }
        }
    }
}

/// The arguments of the tool that stand in what a path below `call` leads to; lists are passed through.
fn arguments_below(site: &Site<'_>, below: &[&str]) -> Vec<Argument> {
    let Some(tool) = tool_of(site) else {
        return Vec::new();
    };
    let names = below.iter().filter(|segment| **segment != "[]");
    let parent: String = names
        .map(|name| format!("/{}", pointer::encoded(name)))
        .collect();
    let mut found = arguments(site.view, &rule_path(&tool));
    found.retain(|argument| {
        let own = argument.pointer.strip_prefix(&parent);
        own.and_then(|own| own.strip_prefix('/'))
            .is_some_and(|own| !own.contains('/'))
    });
    found
}

/// A path in the config of a tool, as far as it names the tool.
fn rule_path(tool: &str) -> [String; 3] {
    [TOOLS[0], TOOLS[1], tool].map(str::to_owned)
}

fn last_segment(argument: &str) -> Option<String> {
    pointer::segments(argument)?.pop()
}

/// The tool of the case around the cursor.
fn tool_of(site: &Site<'_>) -> Option<String> {
    let tool = case_at(site)?.get("tool").map(Entry::value)?;
    tool.as_str().map(std::borrow::Cow::into_owned)
}

/// The case around the cursor.
fn case_at<'a>(site: &Site<'a>) -> Option<Table<'a>> {
    let path = site.position.path.get(..2)?;
    node_at(site.document, path)?.as_table()
}

#[cfg(test)]
#[path = "examples_tests.rs"]
mod tests;
