//! What the parameters of a tool say of the places in its arguments.
//!
//! ```toml
//! [conversation.tools.grep]
//! parameters.kind = { type = "string", enum = ["file", "dir"] }   # "/kind": string, "file" or "dir"
//! ```

use std::collections::HashSet;

use jp_config::{document::Table, view::View};
use jp_policy::{ParameterType, Parameters, PointerTarget, pointer, target};
use serde_json::Value;

use super::shape::is_rule;
use crate::tool::{DEFAULTS, TOOLS, tool_names};

/// The deepest pointer that is offered.
const DEEPEST: usize = 8;

/// A place in the arguments of a tool.
pub(super) struct Argument {
    /// The pointer to it.
    pub(super) pointer: String,
    /// What the config says of it; of an array, what it says of the elements.
    pub(super) declaration: Value,
    /// What a policy makes of it.
    pub(super) target: PointerTarget,
}

impl Argument {
    /// Whether it is only passed through on the way to other arguments.
    pub(super) fn is_container(&self) -> bool {
        let types = &self.target.types;
        let is_open = types.is_empty() && self.declaration.get("properties").is_some();
        is_open || *types == [ParameterType::Object]
    }

    pub(super) fn may_be(&self, kind: ParameterType) -> bool {
        self.target.types.contains(&kind)
    }

    pub(super) fn is_only(&self, kinds: &[ParameterType]) -> bool {
        let types = &self.target.types;
        !types.is_empty() && types.iter().all(|kind| kinds.contains(kind))
    }

    /// The types in words.
    pub(super) fn type_words(&self) -> String {
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
    pub(super) fn values(&self) -> &[Value] {
        self.target.values.as_deref().unwrap_or_default()
    }
}

/// The argument that the policy rule at a path is about, as far as its parameter is known.
pub(super) fn argument_of(
    view: &View,
    rule: &[String],
    table: Option<Table<'_>>,
) -> Option<Argument> {
    if !is_rule(rule) {
        return None;
    }
    let pointer = table?.get("arg")?.value().as_str()?;
    argument(view, rule, &pointer)
}

/// Every place in the arguments that a rule can be about, in the order of declaration.
pub(super) fn arguments(view: &View, rule: &[String]) -> Vec<Argument> {
    let mut found: Vec<Argument> = Vec::new();
    for declared in declared(view, rule) {
        let properties = declared.json.as_object().into_iter().flatten();
        for (name, declaration) in properties {
            collect(name, "", declaration, &declared.parameters, &mut found);
        }
    }
    let mut seen = HashSet::new();
    found.retain(|argument| seen.insert(argument.pointer.clone()));
    found
}

/// The place that a pointer leads to; of the defaults, with what any tool's argument takes.
fn argument(view: &View, rule: &[String], pointer: &str) -> Option<Argument> {
    let mut found: Option<Argument> = None;
    for declared in declared(view, rule) {
        let Some(target) = target(pointer, &declared.parameters) else {
            continue;
        };
        match &mut found {
            Some(found) => found.target.matchers.extend(target.matchers),
            None => {
                found = Some(Argument {
                    pointer: pointer.to_owned(),
                    declaration: declaration_at(&declared.json, pointer)
                        .map(|declaration| element(declaration).clone())
                        .unwrap_or_default(),
                    target,
                });
            }
        }
    }
    found
}

/// The parameters of one tool, as the config says them and as a policy reads them.
struct Declared {
    json: Value,
    parameters: Parameters,
}

/// The parameters of the tool that a rule is about; of the defaults, those of every tool.
fn declared(view: &View, rule: &[String]) -> Vec<Declared> {
    let [first, second, name, ..] = rule else {
        return Vec::new();
    };
    if [first.as_str(), second.as_str()] != TOOLS {
        return Vec::new();
    }
    let names = if name == DEFAULTS {
        tool_names(view)
    } else {
        vec![name.clone()]
    };
    let declared = |name: &String| {
        let path = ["conversation", "tools", name.as_str(), "parameters"];
        let json = view.effective(&path)?.to_json();
        let parameters = Parameters::from_config(&json);
        Some(Declared { json, parameters })
    };
    names.iter().filter_map(declared).collect()
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
fn declaration_at<'a>(parameters: &'a Value, argument: &str) -> Option<&'a Value> {
    let mut table = parameters;
    let mut found = None;
    for segment in pointer::segments(argument)? {
        let declaration = table.get(&segment)?;
        found = Some(declaration);
        table = element(declaration)
            .get("properties")
            .unwrap_or(&Value::Null);
    }
    found
}

/// Whether a list stands at the place that a pointer leads to, in the calls of the tool that a path names.
pub(super) fn takes_list(view: &View, tool: &[String], pointer: &str) -> bool {
    let declared = declared(view, tool);
    let mut declared = declared
        .iter()
        .filter_map(|declared| declaration_at(&declared.json, pointer));
    declared.any(|declaration| declaration.get("items").is_some())
}
