//! What the parameters of a tool say about its policy rules.
//!
//! ```toml
//! [conversation.tools.grep]
//! parameters.kind = { type = "string", enum = ["file", "dir"] }
//! policy.run = [{ arg = "/kind", const = "dir", mode = "ask" }]
//! ```

use jp_config::schema::NodeId;
use jp_policy::{MatcherKind, ParameterType, Parameters, PointerTarget, pointer, target};
use serde_json::Value;

use super::{
    Doc, ItemKind, Request,
    files::Wanted,
    keys::{KeySlot, is_rule},
    template::Template,
    values::ValueSlot,
};
use crate::{
    text::toml_text,
    tool::{DEFAULTS, TOOLS},
};

/// The deepest pointer that is offered.
const DEEPEST: usize = 8;

/// The parameters of one tool, as the config says them and as a policy reads them.
struct Declared {
    json: Value,
    parameters: Parameters,
}

/// A place in the arguments of a tool.
pub(super) struct Argument {
    pointer: String,
    /// What the config says of it; of an array, what it says of the elements.
    declaration: Value,
    target: PointerTarget,
}

impl Argument {
    /// Whether it is only passed through on the way to other arguments.
    fn is_container(&self) -> bool {
        let types = &self.target.types;
        let is_open = types.is_empty() && self.declaration.get("properties").is_some();
        is_open || *types == [ParameterType::Object]
    }

    fn may_be(&self, kind: ParameterType) -> bool {
        self.target.types.contains(&kind)
    }

    fn is_only(&self, kinds: &[ParameterType]) -> bool {
        let types = &self.target.types;
        !types.is_empty() && types.iter().all(|kind| kinds.contains(kind))
    }

    /// The types in words.
    fn type_words(&self) -> String {
        let types = self.target.types.iter().map(|kind| kind.keyword());
        let mut words: Vec<&str> = types.collect();
        if self.is_container() {
            return "object".to_owned();
        }
        if words.is_empty() {
            return "any type".to_owned();
        }
        let declared = self.declaration.get("type").and_then(Value::as_array);
        if declared.is_some_and(|types| types.iter().any(|kind| kind == "null")) {
            words.push("null");
        }
        words.join(" or ")
    }

    /// The declared values.
    fn values(&self) -> &[Value] {
        self.target.values.as_deref().unwrap_or_default()
    }
}

impl Request<'_> {
    /// The values of a policy rule that depend on the tool; false where the schema alone decides.
    pub(super) fn rule_values(&mut self, slot: &ValueSlot) -> bool {
        let (rule, key) = match slot.path.as_slice() {
            [rule @ .., key] if is_rule(rule) => (rule, key.as_str()),
            [rule @ .., list, element] if is_rule(rule) && element == "[]" && list == "enum" => {
                (rule, "enum[]")
            }
            _ => return false,
        };
        if key == "arg" {
            self.pointers(slot, rule);
            return true;
        }
        let Some(arg) = self.position.table.get("arg") else {
            return false;
        };
        let Some(pointer) = arg.value().as_str().map(std::borrow::Cow::into_owned) else {
            return false;
        };
        let Some(argument) = self.argument(rule, &pointer) else {
            return false;
        };
        let key = match MatcherKind::from_keyword(key) {
            Some(MatcherKind::Const | MatcherKind::Prefix) => key,
            Some(
                MatcherKind::Minimum
                | MatcherKind::Maximum
                | MatcherKind::ExclusiveMinimum
                | MatcherKind::ExclusiveMaximum,
            ) => "bound",
            None if key == "enum[]" => key,
            Some(MatcherKind::Enum | MatcherKind::Pattern) | None => return false,
        };
        self.argument_values(slot, &argument, key);
        true
    }

    fn argument_values(&mut self, slot: &ValueSlot, argument: &Argument, key: &str) {
        let is_legal = |value: &Value| match key {
            "prefix" => value.is_string(),
            "bound" => value.is_number(),
            _ => true,
        };
        for value in argument.values() {
            if is_legal(value) {
                self.json(slot, value, "declared value");
            }
        }
        let is_limited = argument.target.values.is_some();
        let is_whole = matches!(key, "const" | "enum[]");
        if argument.may_be(ParameterType::Boolean) && is_whole && !is_limited {
            self.literal(slot, "true", "boolean");
            self.literal(slot, "false", "boolean");
        }
        if argument.may_be(ParameterType::Path) && key != "bound" && !is_limited {
            let base = self.workspace().to_owned();
            // Paths are compared in normal form, which has no slash at its end.
            let wanted = if is_whole {
                Wanted::Values
            } else {
                Wanted::Everything
            };
            self.files(slot, &base, wanted);
        }
        if let Some(default) = argument.declaration.get("default")
            && key != "prefix"
            && is_legal(default)
            && !is_limited
            && !default.is_boolean()
        {
            self.json(slot, default, "default of the parameter");
        }
    }

    fn pointers(&mut self, slot: &ValueSlot, rule: &[String]) {
        let (mut containers, mut arguments): (Vec<_>, Vec<_>) = self
            .arguments(rule)
            .into_iter()
            .partition(Argument::is_container);
        arguments.append(&mut containers);
        for argument in arguments {
            let mut detail = argument.type_words();
            if argument.target.is_repeated {
                detail.push_str(", any element");
            }
            if argument.declaration.get("required") == Some(&Value::Bool(true)) {
                detail.push_str(", required");
            }
            let summary = ["summary", "description"]
                .iter()
                .find_map(|key| argument.declaration.get(*key)?.as_str())
                .map(|text| Doc::Text(text.to_owned()));
            self.string(
                slot,
                &argument.pointer,
                ItemKind::Name,
                Some(detail),
                summary,
            );
        }
    }

    /// A rule that matches something, as an element of a list, and its label.
    fn conditional_rule(&self, list: &[String], rule: NodeId) -> (String, Template) {
        const PREFERRED: [MatcherKind; 3] = [
            MatcherKind::Prefix,
            MatcherKind::Const,
            MatcherKind::Minimum,
        ];
        let mut arguments = self.arguments(list);
        arguments.retain(|argument| !argument.is_container());
        let matcher = match arguments.first() {
            Some(first) => PREFERRED
                .into_iter()
                .find(|kind| first.target.matchers.contains(kind)),
            None => None,
        };
        let matcher = matcher.unwrap_or(MatcherKind::Prefix);
        let takes_it = |argument: &Argument| argument.target.matchers.contains(&matcher);
        arguments.retain(takes_it);
        let mut template = Template::plain("{ arg = \"");
        let pointers = plain_pointers(&arguments);
        if pointers.is_empty() {
            template.placeholder("/");
        } else {
            template.choice(&pointers);
        }
        template.text(&format!("\", {} = ", matcher.keyword()));
        match arguments.first().filter(|_| matcher == MatcherKind::Const) {
            Some(first) => const_template(first, &mut template),
            None if matcher == MatcherKind::Minimum => template.placeholder("0"),
            None => string_place(&mut template),
        }
        template.text(", mode = \"");
        template.choice(&self.modes(rule));
        template.text("\" }");
        (format!("{{ arg, {}, mode }}", matcher.keyword()), template)
    }

    /// A rule that matches something, as an element of a list.
    pub(super) fn rule_element(&mut self, slot: &ValueSlot) {
        let (label, template) = self.conditional_rule(&slot.path, slot.node);
        let detail = "a rule for some calls".to_owned();
        self.template(slot, label, &template, Some(detail));
    }

    /// A whole list of rules: one for some calls, and one for all others.
    pub(super) fn rule_list(&mut self, slot: &ValueSlot, rule: NodeId) {
        let mut path = slot.path.clone();
        path.push("[]".to_owned());
        let (label, first) = self.conditional_rule(&path, rule);
        let mut template = Template::plain("[");
        template.append(&first);
        template.text(", { mode = \"");
        template.choice(&self.modes(rule));
        template.text("\" }]");
        let detail = "a rule for some calls, and one for all others".to_owned();
        self.template(
            slot,
            format!("[{label}, {{ mode }}]"),
            &template,
            Some(detail),
        );
    }

    /// The modes of a rule; the one that asks comes first, so that nothing is loosened by accident.
    fn modes(&self, rule: NodeId) -> Vec<&'static str> {
        let mode = self.schema.child(rule, "mode");
        let variants = mode.map(|mode| self.schema.variants(mode));
        let mut modes: Vec<&str> = variants
            .unwrap_or_default()
            .into_iter()
            .map(|variant| variant.value)
            .collect();
        modes.sort_by_key(|mode| *mode != "ask");
        modes
    }

    /// The value of a key of a rule; false where the schema alone decides.
    pub(super) fn rule_template(
        &self,
        slot: &KeySlot<'_>,
        name: &str,
        template: &mut Template,
    ) -> bool {
        if name == "arg" {
            let mut arguments = self.arguments(&slot.path);
            arguments.retain(|argument| !argument.is_container());
            let pointers = plain_pointers(&arguments);
            if pointers.is_empty() {
                return false;
            }
            template.text("\"");
            template.choice(&pointers);
            template.text("\"");
            return true;
        }
        if name == "mode" {
            template.text("\"");
            template.choice(&self.modes(slot.node));
            template.text("\"");
            return true;
        }
        let argument = self.rule_argument(slot);
        match (name, argument) {
            ("const", Some(argument)) => const_template(argument, template),
            ("const", None) => string_place(template),
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

    /// The argument that a rule is about, as far as its parameter is known.
    fn rule_argument<'s>(&self, slot: &'s KeySlot<'_>) -> Option<&'s Argument> {
        let find = || {
            let pointer = slot.table?.get("arg")?.value().as_str()?.into_owned();
            self.argument(&slot.path, &pointer)
        };
        slot.argument.get_or_init(find).as_ref()
    }

    /// Whether a matcher can stand in a rule; anything can where the parameter is not known.
    pub(super) fn takes_matcher(&self, slot: &KeySlot<'_>, kind: MatcherKind) -> bool {
        let argument = self.rule_argument(slot);
        argument.is_none_or(|argument| argument.target.matchers.contains(&kind))
    }

    /// What can be written after a matcher, in words, where the argument says more than the schema.
    pub(super) fn matcher_detail(&self, slot: &KeySlot<'_>, name: &str) -> Option<String> {
        if !is_rule(&slot.path) {
            return None;
        }
        let words = || Some(self.rule_argument(slot)?.type_words());
        match MatcherKind::from_keyword(name)? {
            MatcherKind::Const => words(),
            MatcherKind::Enum => words().map(|words| format!("a list of values: {words}")),
            _ => None,
        }
    }

    /// The parameters of a tool; of the defaults, those of every tool.
    fn parameters(&self, rule: &[String]) -> Vec<Declared> {
        let [first, second, name, ..] = rule else {
            return Vec::new();
        };
        if [first.as_str(), second.as_str()] != TOOLS {
            return Vec::new();
        }
        let names = if name == DEFAULTS {
            self.tool_names()
        } else {
            vec![name.clone()]
        };
        let declared = |name: &String| {
            let path = ["conversation", "tools", name.as_str(), "parameters"];
            let json = self.view.effective(&path)?.to_json();
            let parameters = Parameters::from_config(&json);
            Some(Declared { json, parameters })
        };
        names.iter().filter_map(declared).collect()
    }

    /// Every place in the arguments, in the order of declaration.
    fn arguments(&self, rule: &[String]) -> Vec<Argument> {
        let mut found: Vec<Argument> = Vec::new();
        for declared in self.parameters(rule) {
            let properties = declared.json.as_object().into_iter().flatten();
            for (name, declaration) in properties {
                collect(name, "", declaration, &declared.parameters, &mut found);
            }
        }
        let mut seen = std::collections::HashSet::new();
        found.retain(|argument| seen.insert(argument.pointer.clone()));
        found
    }

    /// The place that a pointer leads to; of the defaults, with what any tool's argument takes.
    fn argument(&self, rule: &[String], pointer: &str) -> Option<Argument> {
        let mut found: Option<Argument> = None;
        for declared in self.parameters(rule) {
            let Some(target) = target(pointer, &declared.parameters) else {
                continue;
            };
            match &mut found {
                Some(found) => found.target.matchers.extend(target.matchers),
                None => {
                    found = Some(Argument {
                        pointer: pointer.to_owned(),
                        declaration: declaration_at(&declared.json, pointer).unwrap_or_default(),
                        target,
                    });
                }
            }
        }
        found
    }
}

/// Pointers that can stand in a basic string as they are.
fn plain_pointers(arguments: &[Argument]) -> Vec<String> {
    let pointers = arguments.iter().map(|argument| argument.pointer.clone());
    pointers
        .filter(|pointer| !pointer.contains(|c: char| c.is_control() || matches!(c, '"' | '\\')))
        .collect()
}

/// A value that an argument can equal.
fn const_template(argument: &Argument, template: &mut Template) {
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
        string_place(template);
    }
}

/// An empty string to fill in.
fn string_place(template: &mut Template) {
    template.text("\"");
    template.stop();
    template.text("\"");
}

/// Adds a parameter and what it holds; arrays are passed through.
fn collect(
    name: &str,
    parent: &str,
    declaration: &Value,
    parameters: &Parameters,
    found: &mut Vec<Argument>,
) {
    let pointer = format!("{parent}/{}", pointer::encoded(name));
    if pointer.matches('/').count() > DEEPEST {
        return;
    }
    let inner = element(declaration);
    if let Some(target) = target(&pointer, parameters) {
        found.push(Argument {
            pointer: pointer.clone(),
            declaration: inner.clone(),
            target,
        });
    }
    let properties = inner.get("properties").and_then(Value::as_object);
    for (name, declaration) in properties.into_iter().flatten() {
        collect(name, &pointer, declaration, parameters, found);
    }
}

/// What an array holds; everything else as it is.
fn element(declaration: &Value) -> &Value {
    let mut inner = declaration;
    while let Some(items) = inner.get("items") {
        inner = items;
    }
    inner
}

/// What the config says of the place that a pointer leads to.
fn declaration_at(parameters: &Value, argument: &str) -> Option<Value> {
    let mut table = parameters;
    let mut found = None;
    for segment in pointer::segments(argument)? {
        let declaration = element(table.get(&segment)?);
        found = Some(declaration);
        table = declaration.get("properties").unwrap_or(&Value::Null);
    }
    found.cloned()
}

fn literal(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(toml_text::string(text)).filter(|text| !text.contains('\n')),
        Value::Bool(_) | Value::Number(_) => Some(value.to_string()),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}
