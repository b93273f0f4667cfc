//! Decisions that a link cannot dodge.
//!
//! ```toml
//! { arg = "/path", prefix = ".git/", mode = "skip" } # also decides "docs/notes", if that is a link to ".git/config"
//! ```

use indexmap::IndexMap;
use serde_json::{Map, Value};

use crate::{
    evaluation::Evaluation,
    mode::Mode,
    parameter::{Parameter, ParameterType},
    policy::Policy,
};

/// Where a path really leads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CanonicalPath {
    /// Into the workspace: the path relative to its root, links resolved (RFD 076, "Path evaluation").
    Inside(String),
    /// Out of the workspace.
    Outside,
}

/// Which form of the paths in a call led to the decision.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PathForm {
    /// The paths as they are given, normalized.
    Lexical,
    /// The paths with links resolved.
    Canonical,
}

/// The decision on a call whose paths were looked up.
#[derive(Clone, Debug, PartialEq)]
pub struct PathEvaluation<M> {
    /// The stricter of both decisions.
    ///
    /// When a path leaves the workspace and the rules would run the call unattended, the mode is `ask`, without a rule, and the values are
    /// the paths that leave.
    pub evaluation: Evaluation<M>,
    /// The form of the paths that led to it; the lexical one when both forms are decided equally strictly.
    pub form: PathForm,
    /// The paths that leave the workspace, or whose target is not known, as given.
    pub outside: Vec<String>,
}

/// Decides a call twice, on its paths as given and on their canonical forms, and takes the stricter mode.
///
/// `canonical` is called with each value of a `path` parameter as it is given, also of parameters that no rule looks at; `None` means that
/// it is not known where the path leads, which counts as leaving the workspace.
/// A call with a path that leaves the workspace is never `unattended`, whatever the rules say.
#[must_use]
pub fn evaluate_paths<M: Mode>(
    policy: &Policy<M>,
    arguments: &Value,
    mut canonical: impl FnMut(&str) -> Option<CanonicalPath>,
) -> PathEvaluation<M> {
    let mut lookup = Lookup {
        canonical: &mut canonical,
        outside: Vec::new(),
    };
    let resolved = match arguments {
        Value::Object(arguments) => {
            Value::Object(lookup.object(arguments, &policy.parameters.properties))
        }
        other => other.clone(),
    };
    let outside = lookup.outside;
    let mut evaluation = policy.evaluate(arguments);
    let mut form = PathForm::Lexical;
    if resolved != *arguments {
        let other = policy.evaluate(&resolved);
        if other.mode.is_stricter_than(evaluation.mode) {
            evaluation = other;
            form = PathForm::Canonical;
        }
    }
    if !outside.is_empty() && !evaluation.mode.is_stricter_than(M::UNATTENDED) {
        evaluation.mode = M::ASK;
        evaluation.rule = None;
        evaluation.values = outside.iter().cloned().map(Value::from).collect();
    }
    PathEvaluation {
        evaluation,
        form,
        outside,
    }
}

/// A walk along arguments and parameters that replaces each path by its canonical form.
struct Lookup<'a> {
    canonical: &'a mut dyn FnMut(&str) -> Option<CanonicalPath>,
    outside: Vec<String>,
}

impl Lookup<'_> {
    fn object(
        &mut self,
        object: &Map<String, Value>,
        properties: &IndexMap<String, Parameter>,
    ) -> Map<String, Value> {
        object
            .iter()
            .map(|(name, value)| {
                let value = match properties.get(name) {
                    Some(parameter) => self.value(value, parameter),
                    None => value.clone(),
                };
                (name.clone(), value)
            })
            .collect()
    }

    fn value(&mut self, value: &Value, parameter: &Parameter) -> Value {
        match value {
            Value::String(path) if parameter.may_be(ParameterType::Path) => {
                match (self.canonical)(path) {
                    Some(CanonicalPath::Inside(path)) => Value::String(path),
                    Some(CanonicalPath::Outside) | None => {
                        self.outside.push(path.clone());
                        value.clone()
                    }
                }
            }
            Value::Array(elements) => match parameter.items.as_deref() {
                Some(items) => elements
                    .iter()
                    .map(|element| self.value(element, items))
                    .collect(),
                None => value.clone(),
            },
            Value::Object(object) => Value::Object(self.object(object, &parameter.properties)),
            _ => value.clone(),
        }
    }
}

#[cfg(test)]
#[path = "path_evaluation_tests.rs"]
mod tests;
