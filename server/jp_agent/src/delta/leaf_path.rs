//! The place of one value in the config.
//!
//! ```text
//! conversation.tools.*.run                  `*` is the defaults table, a literal key
//! conversation.tools."name.with.dots".run
//! ```

use std::fmt;

use jp_tool::{ConfigPath, ConfigSegment};
use serde_json::{Map, Value};

/// The literal keys that lead to a value; nothing in it is a wildcard.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LeafPath(Vec<String>);

impl LeafPath {
    /// The path of these keys, outermost first.
    #[must_use]
    pub const fn new(keys: Vec<String>) -> Self {
        Self(keys)
    }

    /// The keys, outermost first.
    #[must_use]
    pub fn keys(&self) -> &[String] {
        &self.0
    }

    /// Whether the path is `other` or lies below it.
    #[must_use]
    pub fn is_at_or_below(&self, other: &Self) -> bool {
        self.0.starts_with(&other.0)
    }

    /// The paths of the tables that lead here, outermost first, without this path itself.
    pub fn ancestors(&self) -> impl Iterator<Item = Self> {
        (1..self.0.len()).filter_map(|length| Some(Self(self.0.get(..length)?.to_vec())))
    }

    /// The form that access rules are compared with; `None` for the root.
    #[must_use]
    pub fn to_config_path(&self) -> Option<ConfigPath> {
        ConfigPath::from_keys(self.0.iter().cloned())
    }

    /// The value at the path.
    #[must_use]
    pub fn get<'v>(&self, root: &'v Value) -> Option<&'v Value> {
        self.0.iter().try_fold(root, |value, key| value.get(key))
    }

    /// Puts `value` at the path; whatever stands in the way and is no table is replaced by one.
    pub fn insert(&self, root: &mut Value, value: Value) {
        let mut at = root;
        for key in &self.0 {
            if !at.is_object() {
                *at = Value::Object(Map::new());
            }
            let Value::Object(table) = at else { return };
            at = table.entry(key.clone()).or_insert(Value::Null);
        }
        *at = value;
    }

    /// Takes the value at the path out; the tables around it stay.
    pub fn remove(&self, root: &mut Value) -> Option<Value> {
        let (last, tables) = self.0.split_last()?;
        let table = tables
            .iter()
            .try_fold(root, |value, key| value.get_mut(key))?;
        table.as_object_mut()?.shift_remove(last)
    }
}

impl From<&ConfigPath> for LeafPath {
    fn from(path: &ConfigPath) -> Self {
        let keys = path.segments().iter().map(|segment| match segment {
            ConfigSegment::Any => "*".to_owned(),
            ConfigSegment::Key(key) => key.clone(),
        });
        Self(keys.collect())
    }
}

impl fmt::Display for LeafPath {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, key) in self.0.iter().enumerate() {
            if index > 0 {
                formatter.write_str(".")?;
            }
            match key.as_str() {
                "*" => ConfigSegment::Any.fmt(formatter)?,
                key => ConfigSegment::Key(key.to_owned()).fmt(formatter)?,
            }
        }
        Ok(())
    }
}
