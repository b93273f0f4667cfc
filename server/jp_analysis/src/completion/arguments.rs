//! What the parameters of a tool say about its policy rules.
//!
//! ```toml
//! [conversation.tools.grep]
//! parameters.kind = { type = "string", enum = ["file", "dir"] }
//! policy.run = [{ arg = "/kind", const = "dir", mode = "ask" }]
//! ```

use jp_config::schema::NodeId;
use jp_policy::{MatcherKind, Parameter};
use serde_json::Value;

use super::{
    Doc, ItemKind, Request,
    files::Wanted,
    keys::{KeySlot, is_rule},
    names::first_line,
    template::Template,
    values::ValueSlot,
};
use crate::{
    toml_text,
    tool::{DEFAULTS, TOOLS},
};

/// The deepest pointer that is offered.
const DEEPEST: usize = 8;

/// A place in the arguments of a tool.
struct Argument {
    pointer: String,
    declaration: Value,
    is_repeated: bool,
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
        let Some(declaration) = self.declaration(rule, &pointer) else {
            return false;
        };
        match key {
            "const" | "enum[]" | "prefix" => {
                self.argument_values(slot, &declaration, key);
                true
            }
            _ => false,
        }
    }

    fn argument_values(&mut self, slot: &ValueSlot, declaration: &Value, key: &str) {
        let name = declared_type(declaration);
        for value in declaration
            .get("enum")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
        {
            if key != "prefix" || value.is_string() {
                self.json(slot, value, "declared value");
            }
        }
        if name.split(" or ").any(|name| name == "boolean") && key != "prefix" {
            self.literal(slot, "true", "boolean");
            self.literal(slot, "false", "boolean");
        }
        if name.split(" or ").any(|name| name == "path") {
            let base = self.workspace().to_owned();
            self.files(slot, &base, Wanted::Everything);
        }
        if let Some(default) = declaration.get("default")
            && key != "prefix"
            && declaration.get("enum").is_none()
        {
            self.json(slot, default, "default of the parameter");
        }
    }

    fn pointers(&mut self, slot: &ValueSlot, rule: &[String]) {
        for argument in self.arguments(rule) {
            let mut detail = declared_type(&argument.declaration);
            if argument.is_repeated {
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

    /// A rule that matches something, as an element of a list.
    pub(super) fn rule_element(&mut self, slot: &ValueSlot) {
        let mut template = Template::plain("{ arg = ");
        let pointers = self.pointer_texts(&slot.path);
        template.text("\"");
        if pointers.is_empty() {
            template.placeholder("/");
        } else {
            template.choice(&pointers);
        }
        template.text("\", ");
        let first = self.arguments(&slot.path).into_iter().next();
        let matchers = first.map_or_else(Vec::new, |first| legal_matchers(&first.declaration));
        let matcher = [
            MatcherKind::Prefix,
            MatcherKind::Const,
            MatcherKind::Minimum,
        ]
        .into_iter()
        .find(|kind| matchers.is_empty() || matchers.contains(kind))
        .unwrap_or(MatcherKind::Const);
        template.text(&format!("{} = ", matcher.keyword()));
        if matcher == MatcherKind::Minimum {
            template.placeholder("0");
        } else {
            template.text("\"");
            template.stop();
            template.text("\"");
        }
        template.text(", mode = \"");
        template.choice(&self.modes(slot.node));
        template.text("\" }");
        let label = format!("{{ arg, {}, mode }}", matcher.keyword());
        self.template(
            slot,
            label,
            &template,
            Some("a rule for some calls".to_owned()),
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
            let pointers = self.pointer_texts(&slot.path);
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
        let arg = slot.table.and_then(|table| table.get("arg"));
        let pointer = arg.and_then(|arg| arg.value().as_str().map(std::borrow::Cow::into_owned));
        let declaration = pointer.and_then(|pointer| self.declaration(&slot.path, &pointer));
        if !matches!(name, "const" | "enum") {
            return false;
        }
        let declaration = declaration.unwrap_or(Value::Null);
        let values: Vec<String> = declaration
            .get("enum")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
            .filter_map(literal)
            .collect();
        let kind = declared_type(&declaration);
        template.text(if name == "enum" { "[" } else { "" });
        if !values.is_empty() {
            template.choice(&values);
        } else if name == "enum" {
            template.stop();
        } else {
            match kind.as_str() {
                "boolean" => template.choice(&["true", "false"]),
                "integer" | "number" => template.placeholder("0"),
                _ => {
                    template.text("\"");
                    template.stop();
                    template.text("\"");
                }
            }
        }
        template.text(if name == "enum" { "]" } else { "" });
        true
    }

    /// Whether a matcher can stand beside an `arg`; anything can where the parameter is not known.
    pub(super) fn takes_matcher(&self, rule: &[String], pointer: &str, kind: MatcherKind) -> bool {
        let Some(declaration) = self.declaration(rule, pointer) else {
            return true;
        };
        legal_matchers(&declaration).contains(&kind)
    }

    /// Pointers that can stand in a basic string as they are.
    fn pointer_texts(&self, rule: &[String]) -> Vec<String> {
        let arguments = self.arguments(rule).into_iter();
        arguments
            .map(|argument| argument.pointer)
            .filter(|pointer| {
                !pointer.contains(|c: char| c.is_control() || matches!(c, '"' | '\\'))
            })
            .collect()
    }

    /// The parameters of a tool; of the defaults, those of every tool.
    fn parameters(&self, rule: &[String]) -> Vec<Value> {
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
        let effective = |name: &String| {
            let path = ["conversation", "tools", name.as_str(), "parameters"];
            Some(self.view.effective(&path)?.to_json())
        };
        names.iter().filter_map(effective).collect()
    }

    fn arguments(&self, rule: &[String]) -> Vec<Argument> {
        let mut found: Vec<Argument> = Vec::new();
        let tables = self.parameters(rule);
        for properties in tables.iter().filter_map(Value::as_object) {
            for (name, declaration) in properties {
                collect(name, "", declaration, false, &mut found);
            }
        }
        let mut seen = std::collections::HashSet::new();
        found.retain(|argument| seen.insert(argument.pointer.clone()));
        found
    }

    fn declaration(&self, rule: &[String], pointer: &str) -> Option<Value> {
        let arguments = self.arguments(rule);
        let found = arguments
            .into_iter()
            .find(|argument| argument.pointer == pointer);
        found.map(|argument| argument.declaration)
    }
}

/// Adds a parameter and what it holds; arrays are passed through.
fn collect(
    name: &str,
    parent: &str,
    declaration: &Value,
    is_repeated: bool,
    found: &mut Vec<Argument>,
) {
    let pointer = format!("{parent}/{}", name.replace('~', "~0").replace('/', "~1"));
    if pointer.matches('/').count() > DEEPEST {
        return;
    }
    let mut inner = declaration;
    let mut is_repeated = is_repeated;
    while let Some(items) = inner.get("items") {
        inner = items;
        is_repeated = true;
    }
    let properties = inner.get("properties").and_then(Value::as_object);
    match properties.filter(|properties| !properties.is_empty()) {
        Some(properties) => {
            for (name, declaration) in properties {
                collect(name, &pointer, declaration, is_repeated, found);
            }
        }
        None => found.push(Argument {
            pointer,
            declaration: inner.clone(),
            is_repeated,
        }),
    }
}

fn legal_matchers(declaration: &Value) -> Vec<MatcherKind> {
    let types = Parameter::from_config(declaration).types;
    MatcherKind::ALL
        .iter()
        .copied()
        .filter(|kind| types.is_empty() || types.iter().any(|each| kind.legal_for(*each)))
        .collect()
}

/// The declared type in words.
fn declared_type(declaration: &Value) -> String {
    match declaration.get("type") {
        Some(Value::String(name)) => first_line(name),
        Some(Value::Array(names)) => {
            let names: Vec<&str> = names.iter().filter_map(Value::as_str).collect();
            first_line(&names.join(" or "))
        }
        _ => "any type".to_owned(),
    }
}

fn literal(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(toml_text::string(text)).filter(|text| !text.contains('\n')),
        Value::Bool(_) | Value::Number(_) => Some(value.to_string()),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}
