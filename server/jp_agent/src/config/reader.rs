//! Reading typed values out of config JSON, with the path of what does not fit.
//!
//! ```json
//! {"conversation": {"tools": {"grep": {"command": "grep -r {{tool.arguments.text}}"}}}}
//! ```

use serde_json::{Map, Value};

use crate::error::AgentError;

/// A place in the config, with or without a value.
#[derive(Debug, Clone)]
pub(crate) struct Reader<'a> {
    value: Option<&'a Value>,
    path: String,
}

impl<'a> Reader<'a> {
    /// The root of a config.
    pub(crate) fn root(value: &'a Value) -> Self {
        Self {
            value: Some(value),
            path: String::new(),
        }
    }

    /// A value that stands at `path`.
    pub(crate) fn at(value: Option<&'a Value>, path: impl Into<String>) -> Self {
        Self {
            value: value.filter(|value| !value.is_null()),
            path: path.into(),
        }
    }

    pub(crate) const fn value(&self) -> Option<&'a Value> {
        self.value
    }

    pub(crate) fn get(&self, key: &str) -> Self {
        let path = if self.path.is_empty() {
            key.to_owned()
        } else {
            format!("{}.{key}", self.path)
        };
        Self::at(self.value.and_then(|value| value.get(key)), path)
    }

    pub(crate) fn error(&self, problem: impl Into<String>) -> AgentError {
        AgentError::config(self.path.clone(), problem)
    }

    fn expected<T>(
        &self,
        what: &str,
        read: impl FnOnce(&'a Value) -> Option<T>,
    ) -> Result<Option<T>, AgentError> {
        let Some(value) = self.value else {
            return Ok(None);
        };
        read(value)
            .map(Some)
            .ok_or_else(|| self.error(format!("`{value}` does not fit, write {what}")))
    }

    pub(crate) fn str(&self) -> Result<Option<&'a str>, AgentError> {
        self.expected("a string", Value::as_str)
    }

    pub(crate) fn string(&self) -> Result<Option<String>, AgentError> {
        Ok(self.str()?.map(str::to_owned))
    }

    pub(crate) fn bool(&self) -> Result<Option<bool>, AgentError> {
        self.expected("`true` or `false`", Value::as_bool)
    }

    pub(crate) fn u32(&self) -> Result<Option<u32>, AgentError> {
        self.expected("a whole number that is not negative", |value| {
            u32::try_from(value.as_u64()?).ok()
        })
    }

    pub(crate) fn f64(&self) -> Result<Option<f64>, AgentError> {
        self.expected("a number", Value::as_f64)
    }

    pub(crate) fn i64(&self) -> Result<Option<i64>, AgentError> {
        self.expected("a whole number", Value::as_i64)
    }

    pub(crate) fn object(&self) -> Result<Option<&'a Map<String, Value>>, AgentError> {
        self.expected("a table", Value::as_object)
    }

    pub(crate) fn list(&self) -> Result<Vec<Self>, AgentError> {
        let items = self.expected("a list", Value::as_array)?;
        let items = items.map(Vec::as_slice).unwrap_or_default();
        Ok(items
            .iter()
            .enumerate()
            .map(|(index, item)| Self::at(Some(item), format!("{} #{}", self.path, index + 1)))
            .collect())
    }

    pub(crate) fn strings(&self) -> Result<Vec<String>, AgentError> {
        self.list()?
            .iter()
            .map(|item| {
                item.string()?
                    .ok_or_else(|| item.error("`null` does not fit, write a string"))
            })
            .collect()
    }
}
