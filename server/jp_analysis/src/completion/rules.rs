//! Policy rules, made for the parameters of the tool.
//!
//! ```toml
//! [conversation.tools.grep]
//! parameters.kind = { type = "string", enum = ["file", "dir"] }
//! policy.run = [{ arg = "/kind", const = "dir", mode = "ask" }]
//! ```

use jp_config::schema::{NodeId, schema};
use jp_policy::{MatcherKind, ParameterType};
use serde_json::Value;

use super::{
    arguments::{Argument, argument_of, arguments},
    context::{KeySlot, Site, TableSlot, ValueSlot},
    documentation::Doc,
    files::{self, Wanted},
    item::{ItemKind, Items},
    shape::is_rule,
    template::Template,
};
use crate::text::toml_text;

/// A key of a rule whose value depends on the tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum RuleKey {
    Pointer,
    /// A value that the argument equals: `const`, or an element of `enum`.
    Whole,
    Prefix,
    Bound,
}

impl RuleKey {
    /// The key that a value belongs to, and the path of its rule.
    fn of(path: &[String]) -> Option<(Self, &[String])> {
        let (rule, key) = match path {
            [rule @ .., key] if is_rule(rule) => (rule, key),
            [rule @ .., list, element] if is_rule(rule) && element == "[]" && list == "enum" => {
                return Some((Self::Whole, rule));
            }
            _ => return None,
        };
        let key = match MatcherKind::from_keyword(key) {
            None if key == "arg" => Self::Pointer,
            Some(MatcherKind::Const) => Self::Whole,
            Some(MatcherKind::Prefix) => Self::Prefix,
            Some(
                MatcherKind::Minimum
                | MatcherKind::Maximum
                | MatcherKind::ExclusiveMinimum
                | MatcherKind::ExclusiveMaximum,
            ) => Self::Bound,
            Some(MatcherKind::Enum | MatcherKind::Pattern) | None => return None,
        };
        Some((key, rule))
    }

    fn takes(self, value: &Value) -> bool {
        match self {
            Self::Prefix => value.is_string(),
            Self::Bound => value.is_number(),
            Self::Pointer | Self::Whole => true,
        }
    }
}

/// Offers the values of a policy rule that depend on the tool; false where the schema alone decides.
pub(super) fn offer_values(site: &Site<'_>, slot: &ValueSlot<'_>, items: &mut Items) -> bool {
    let Some((key, rule)) = RuleKey::of(&slot.path) else {
        return false;
    };
    if key == RuleKey::Pointer {
        offer_pointers(site, slot, rule, items);
        return true;
    }
    let Some(argument) = argument_of(site.view, rule, Some(slot.table)) else {
        return false;
    };
    offer_argument_values(site, slot, &argument, key, items);
    true
}

fn offer_argument_values(
    site: &Site<'_>,
    slot: &ValueSlot<'_>,
    argument: &Argument,
    key: RuleKey,
    items: &mut Items,
) {
    let declared = argument.values().iter().filter(|value| key.takes(value));
    items.extend(declared.filter_map(|value| slot.json(value, "declared value")));
    if argument.target.values.is_some() {
        return;
    }
    if argument.may_be(ParameterType::Boolean) && key == RuleKey::Whole {
        items.extend(slot.booleans());
    }
    if argument.may_be(ParameterType::Path) && key != RuleKey::Bound {
        // Paths are compared in normal form, which has no slash at its end.
        let wanted = match key {
            RuleKey::Whole => Wanted::Values,
            _ => Wanted::Everything,
        };
        files::offer(site, slot, site.workspace(), wanted, items);
    }
    if let Some(default) = argument.declaration.get("default")
        && key != RuleKey::Prefix
        && key.takes(default)
        && !default.is_boolean()
    {
        items.extend(slot.json(default, "default of the parameter"));
    }
}

fn offer_pointers(site: &Site<'_>, slot: &ValueSlot<'_>, rule: &[String], items: &mut Items) {
    let (containers, mut found): (Vec<_>, Vec<_>) = arguments(site.view, rule)
        .into_iter()
        .partition(Argument::is_container);
    found.extend(containers);
    for argument in found {
        let mut detail = argument.type_words();
        if argument.target.is_repeated {
            detail.push_str(", any element");
        }
        if argument.declaration.get("required") == Some(&Value::Bool(true)) {
            detail.push_str(", required");
        }
        let summary = ["summary", "description"]
            .iter()
            .find_map(|key| argument.declaration.get(*key)?.as_str());
        let mut item = slot.string(&argument.pointer, ItemKind::Name);
        item.doc = summary.map(|text| Doc::Text(text.to_owned()));
        items.push(item.with_detail(detail));
    }
}

/// Offers a rule that matches something, as an element of a list.
pub(super) fn offer_element(site: &Site<'_>, slot: &ValueSlot<'_>, items: &mut Items) {
    let (label, template) = conditional_rule(site, &slot.path, slot.node);
    let item = slot.snippet(label, &template);
    items.push(item.with_detail("a rule for some calls"));
}

/// Offers a whole list of rules: one for some calls, and one for all others.
pub(super) fn offer_list(site: &Site<'_>, slot: &ValueSlot<'_>, rule: NodeId, items: &mut Items) {
    let mut path = slot.path.clone();
    path.push("[]".to_owned());
    let (label, first) = conditional_rule(site, &path, rule);
    let mut template = Template::plain("[");
    template.append(&first);
    template.text(", { mode = \"");
    template.choice(&modes(rule));
    template.text("\" }]");
    let item = slot.snippet(format!("[{label}, {{ mode }}]"), &template);
    items.push(item.with_detail("a rule for some calls, and one for all others"));
}

/// A rule that matches something, and its label.
fn conditional_rule(site: &Site<'_>, path: &[String], rule: NodeId) -> (String, Template) {
    const PREFERRED: [MatcherKind; 3] = [
        MatcherKind::Prefix,
        MatcherKind::Const,
        MatcherKind::Minimum,
    ];
    let mut arguments = arguments(site.view, path);
    arguments.retain(|argument| !argument.is_container());
    let first = arguments.first();
    let matcher = first.and_then(|first| {
        let mut preferred = PREFERRED.into_iter();
        preferred.find(|kind| first.target.matchers.contains(kind))
    });
    let matcher = matcher.unwrap_or(MatcherKind::Prefix);
    arguments.retain(|argument| argument.target.matchers.contains(&matcher));
    let mut template = Template::plain("{ arg = \"");
    let pointers = plain_pointers(&arguments);
    if pointers.is_empty() {
        template.placeholder("/");
    } else {
        template.choice(&pointers);
    }
    template.text(&format!("\", {} = ", matcher.keyword()));
    match arguments.first().filter(|_| matcher == MatcherKind::Const) {
        Some(first) => write_constant(first, &mut template),
        None if matcher == MatcherKind::Minimum => template.placeholder("0"),
        None => template.string(),
    }
    template.text(", mode = \"");
    template.choice(&modes(rule));
    template.text("\" }");
    (format!("{{ arg, {}, mode }}", matcher.keyword()), template)
}

/// The modes of a rule; the one that asks comes first, so that nothing is loosened by accident.
fn modes(rule: NodeId) -> Vec<&'static str> {
    let mode = schema().child(rule, "mode");
    let variants = mode.map(|mode| schema().variants(mode));
    let mut modes: Vec<&str> = variants
        .unwrap_or_default()
        .into_iter()
        .map(|variant| variant.value)
        .collect();
    modes.sort_by_key(|mode| *mode != "ask");
    modes
}

/// Writes the value of a key of a rule; false where the schema alone decides.
pub(super) fn write_value(
    site: &Site<'_>,
    rule: &TableSlot<'_>,
    argument: Option<&Argument>,
    name: &str,
    template: &mut Template,
) -> bool {
    match (name, argument) {
        ("arg", _) => {
            let mut arguments = arguments(site.view, &rule.path);
            arguments.retain(|argument| !argument.is_container());
            let pointers = plain_pointers(&arguments);
            if pointers.is_empty() {
                return false;
            }
            template.one_of_strings(&pointers);
        }
        ("mode", _) => template.one_of_strings(&modes(rule.node)),
        ("const", Some(argument)) => write_constant(argument, template),
        ("const", None) => template.string(),
        ("enum", argument) => {
            let values = argument.map(Argument::values).unwrap_or_default();
            let values: Vec<String> = values.iter().filter_map(literal).collect();
            template.text("[");
            template.choice(&values);
            template.text("]");
        }
        _ => return false,
    }
    true
}

/// Whether a key goes with a rule's `arg` and has no matcher beside it yet.
pub(super) fn takes_key(slot: &KeySlot<'_>, name: &str) -> bool {
    let Some(kind) = MatcherKind::from_keyword(name) else {
        return true;
    };
    if !is_rule(&slot.owner.path) {
        return true;
    }
    let mut matchers = MatcherKind::ALL.iter();
    if !slot.is_name() && matchers.any(|other| slot.has(other.keyword())) {
        return false;
    }
    // Anything goes where the parameter is not known.
    let argument = slot.argument.as_ref();
    argument.is_none_or(|argument| argument.target.matchers.contains(&kind))
}

/// What can be written after a matcher, in words, where the argument says more than the schema.
pub(super) fn matcher_detail(slot: &KeySlot<'_>, name: &str) -> Option<String> {
    if !is_rule(&slot.owner.path) {
        return None;
    }
    let words = || Some(slot.argument.as_ref()?.type_words());
    match MatcherKind::from_keyword(name)? {
        MatcherKind::Const => words(),
        MatcherKind::Enum => words().map(|words| format!("a list of values: {words}")),
        _ => None,
    }
}

/// Pointers that can stand in a basic string as they are.
fn plain_pointers(arguments: &[Argument]) -> Vec<String> {
    let pointers = arguments.iter().map(|argument| argument.pointer.clone());
    pointers
        .filter(|pointer| !pointer.contains(|c: char| c.is_control() || matches!(c, '"' | '\\')))
        .collect()
}

/// Writes a value that an argument can equal.
fn write_constant(argument: &Argument, template: &mut Template) {
    let values: Vec<String> = argument.values().iter().filter_map(literal).collect();
    if !values.is_empty() {
        template.choice(&values);
    } else if argument.is_only(&[ParameterType::Boolean]) {
        template.choice(&["true", "false"]);
    } else if argument.is_only(&[ParameterType::Integer, ParameterType::Number]) {
        template.placeholder("0");
    } else if argument.is_container() {
        template.empty("{", "}");
    } else {
        template.string();
    }
}

fn literal(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(toml_text::string(text)).filter(|text| !text.contains('\n')),
        Value::Bool(_) | Value::Number(_) => Some(value.to_string()),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}
