//! What a person sets for a conversation: `--model ID` and `--cfg PATH=VALUE`, `model` and `config` over the wire.
//!
//! ```text
//! --model anthropic/claude-opus-4-6
//! --cfg assistant.model.parameters.temperature=0.2       TOML or JSON where the path takes that, else text
//! --cfg 'conversation.tools.grep.options={"max": 5}'     a table is merged, a list replaces
//! ```
//!
//! It is recorded as a config change of the conversation, above the files and above what tools changed.

use std::str::FromStr;

use clap::Args;
use jp_agent::{
    AgentError, AliasError, AliasMap,
    delta::{LeafPath, Unset, apply},
};
use jp_config::{
    code::{Code, Severity},
    schema::{LookupError, Shared, schema},
    validate::validate,
};
use jp_conversation::{ConfigDelta, Conversation};
use serde_json::{Map, Value, json};

/// Where the model is named.
const MODEL: &str = "assistant.model.id";

/// What a person sets for a conversation from a turn on, the model first.
#[derive(Debug, Clone, Default, PartialEq, Args)]
pub struct Assignments {
    /// Ask this model in the conversation from now on: `provider/name`, or an alias.
    #[arg(long, value_name = "ID", value_parser = Assignment::of_model)]
    model: Option<Assignment>,
    /// Set a config value for the conversation from now on; may be repeated.
    #[arg(long = "cfg", value_name = "PATH=VALUE")]
    values: Vec<Assignment>,
}

/// One value at one place of the config. It is legal there.
#[derive(Debug, Clone, PartialEq)]
pub struct Assignment {
    path: LeafPath,
    value: Value,
}

/// Why a value cannot be set. Nothing is recorded then.
#[derive(Debug, thiserror::Error)]
pub enum AssignmentError {
    /// The text is no assignment.
    #[error(
        "`{0}` sets nothing: write `PATH=VALUE`, as in `assistant.model.parameters.temperature=0.2`"
    )]
    Shape(String),
    /// The path leads nowhere.
    #[error("`{path}` is no config path: {problem}")]
    Path {
        /// The path.
        path: String,
        /// What is wrong with it, and what to write instead.
        problem: String,
    },
    /// The value does not fit.
    #[error("`{path}`: {problem}")]
    Value {
        /// The path.
        path: String,
        /// What is wrong with it, and what to write instead.
        problem: String,
    },
    /// The name of a model names none.
    #[error("`{path}`: {error}")]
    Alias {
        /// The path.
        path: String,
        /// What is wrong with it, and what to write instead.
        error: AliasError,
    },
    /// The config of the workspace cannot be read, so that nothing can be said of it.
    #[error(transparent)]
    Config(#[from] AgentError),
}

impl Assignments {
    /// What `model` and `config` of a request set.
    ///
    /// # Errors
    ///
    /// [`AssignmentError`].
    pub fn of_request(
        model: Option<&str>,
        config: Map<String, Value>,
    ) -> Result<Self, AssignmentError> {
        let values = config.into_iter().map(|(path, value)| {
            let path = config_path(&path)?;
            checked(&path, &value)?;
            Ok(Assignment { path, value })
        });
        Ok(Self {
            model: model.map(Assignment::of_model).transpose()?,
            values: values.collect::<Result<_, AssignmentError>>()?,
        })
    }

    /// Whether nothing is set.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.model.is_none() && self.values.is_empty()
    }

    /// The change of `conversation` that sets this, above the config `effective` of the workspace.
    ///
    /// Models are written out, so that a change of an alias does not change the conversation.
    ///
    /// # Errors
    ///
    /// [`AssignmentError::Alias`].
    pub(super) fn delta(
        &self,
        effective: Value,
        conversation: Option<&Conversation>,
    ) -> Result<ConfigDelta, AssignmentError> {
        let recorded = conversation
            .into_iter()
            .flat_map(|conversation| conversation.config_deltas(0));
        let mut state = recorded.fold(effective, |state, delta| apply(&state, delta));
        let mut whole = Value::Object(Map::new());
        let mut unsets: Vec<String> = Vec::new();
        for Assignment { path, value } in self.model.iter().chain(&self.values) {
            let mut value = value.clone();
            if is_model(path)
                && let Value::String(text) = &value
            {
                let id = AliasMap::of(&state).resolve(text);
                let id = id.map_err(|error| AssignmentError::Alias {
                    path: path.to_string(),
                    error,
                })?;
                value = json!({ "provider": id.provider, "name": id.name });
            }
            let mut single = ConfigDelta::default();
            if value.is_array() {
                let unset = Unset {
                    path: path.clone(),
                    element: None,
                };
                single.unsets.push(unset.to_string());
            }
            put(&mut whole, path, &value);
            let mut partial = Value::Object(Map::new());
            path.insert(&mut partial, value);
            if let Value::Object(partial) = partial {
                single.delta = partial;
            }
            state = apply(&state, &single);
            unsets.extend(single.unsets);
        }
        Ok(ConfigDelta {
            delta: match whole {
                Value::Object(delta) => delta,
                _ => Map::new(),
            },
            unsets,
            ..ConfigDelta::default()
        })
    }
}

impl Assignment {
    fn of_model(id: &str) -> Result<Self, AssignmentError> {
        let path = config_path(MODEL)?;
        let value = Value::from(id);
        checked(&path, &value)?;
        Ok(Self { path, value })
    }
}

impl FromStr for Assignment {
    type Err = AssignmentError;

    fn from_str(text: &str) -> Result<Self, AssignmentError> {
        let mut marks = text
            .match_indices('=')
            .map(|(index, _)| text.split_at(index));
        // A quoted key may hold a `=` of its own.
        let (path, value) = marks
            .clone()
            .find(|(path, _)| Unset::parse(path).is_ok())
            .or_else(|| marks.next())
            .ok_or_else(|| AssignmentError::Shape(text.to_owned()))?;
        let path = config_path(path)?;
        let words = value.strip_prefix('=').unwrap_or(value);
        let text = Value::from(words);
        let Some(typed) = typed(words) else {
            checked(&path, &text)?;
            return Ok(Self { path, value: text });
        };
        let value = match checked(&path, &typed) {
            Ok(()) => typed,
            // A model may be called `4`.
            Err(problem) => checked(&path, &text).map(|()| text).map_err(|_| problem)?,
        };
        Ok(Self { path, value })
    }
}

/// The value that a text is in TOML, or else in JSON.
fn typed(text: &str) -> Option<Value> {
    let table = toml::from_str::<toml::Table>(&format!("value = {text}")).ok();
    let toml = table
        .filter(|table| table.len() == 1)
        .and_then(|mut table| table.remove("value"))
        .filter(|value| !value.is_datetime())
        .and_then(|value| serde_json::to_value(value).ok());
    toml.or_else(|| serde_json::from_str(text).ok())
}

/// Reads a path that the schema knows.
fn config_path(text: &str) -> Result<LeafPath, AssignmentError> {
    let wrong = |problem: String| AssignmentError::Path {
        path: text.to_owned(),
        problem,
    };
    let Unset { path, element } =
        Unset::parse(text.trim()).map_err(|error| wrong(error.to_string()))?;
    if element.is_some() {
        return Err(wrong("name the list, not an element of it".to_owned()));
    }
    let keys = path.keys().iter().map(String::as_str);
    let unknown = |LookupError {
                       index,
                       suggestion,
                       expected,
                       ..
                   }: LookupError| {
        let key = path.keys().get(index).map_or("", String::as_str);
        wrong(match suggestion {
            Some(near) => format!("unknown key `{key}`, did you mean `{near}`?"),
            None if expected.is_empty() => {
                format!("a single value has no `{key}`, write the path without it")
            }
            None => format!(
                "unknown key `{key}`, write one of `{}`",
                expected.join("`, `")
            ),
        })
    };
    schema().lookup_header(keys).map_err(unknown)?;
    Ok(path)
}

/// Whether a value is legal at a path; what else it needs may stand in a file.
fn checked(path: &LeafPath, value: &Value) -> Result<(), AssignmentError> {
    let mut partial = Value::Object(Map::new());
    path.insert(&mut partial, value.clone());
    let found = validate(schema(), schema().root(), &partial, "");
    let error = found.into_iter().find(|violation| {
        violation.severity == Severity::Error && violation.code != Code::MissingRequired
    });
    error.map_or(Ok(()), |violation| {
        Err(AssignmentError::Value {
            path: path.to_string(),
            problem: violation.message,
        })
    })
}

fn is_model(path: &LeafPath) -> bool {
    let found = schema().lookup_header(path.keys().iter().map(String::as_str));
    found.is_ok_and(|found| schema().node(found.node).name == Some(Shared::ModelId))
}

/// Sets a value; a table is set key by key, so that what was set before it stays.
fn put(whole: &mut Value, path: &LeafPath, value: &Value) {
    match value {
        Value::Object(table) if !table.is_empty() && path.get(whole).is_some() => {
            for (key, value) in table {
                let keys = path.keys().iter().chain([key]).cloned();
                put(whole, &LeafPath::new(keys.collect()), value);
            }
        }
        _ => path.insert(whole, value.clone()),
    }
}

#[cfg(test)]
#[path = "assignments_tests.rs"]
mod tests;
