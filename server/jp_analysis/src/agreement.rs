//! Whether `jp` resolves a config to what we take it for, leaf by leaf.
//!
//! ```text
//! assistant.name      ours "Ada" (.jp/config.toml:2), jp's "Bob"
//! assistant.model.id  ours "quick", jp's {"provider": "openai", "name": "gpt-5"}: the same, where the alias leads there
//! ```

mod secret;

use camino::Utf8PathBuf;
use indexmap::IndexSet;
use jp_config::{
    meaning::{meaning, says_nothing},
    merge::{LayerId, Located, finish},
    schema::{NodeId, Shape, Shared, schema},
    view::View,
};
use serde_json::{Value, json};

use self::secret::{is_secret, without_secrets};
use crate::{
    explain::{dotted, value_at},
    model_alias::resolve_alias,
    place::{Place, line_of, shown_path},
};

/// What two resolved configs have in common.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Agreement {
    /// The leaves that differ, in the order of our config, those that only `jp` has last in their table.
    pub differences: Vec<Difference>,
    /// How many leaves are the same.
    pub agreeing: usize,
}

/// A leaf that differs.
#[derive(Debug, Clone, PartialEq)]
pub struct Difference {
    /// Its config path.
    pub path: String,
    /// Our value; none where no file sets it.
    pub ours: Option<Value>,
    /// The file and the line, from 0, that set our value.
    pub place: Option<(Utf8PathBuf, u32)>,
    /// The value that `jp` has; none where it has none.
    pub theirs: Option<Value>,
    /// Whether the values are withheld, because the path looks like that of a secret.
    pub is_secret: bool,
}

/// Compares our effective config with the one that `jp` resolved, as its plugin protocol tells it.
///
/// A difference of form only is none: a model as text, table or alias, a merge wrapper, a default that one side writes out.
/// Values that look like secrets are withheld from the result.
#[must_use]
pub fn agreement(view: &View, theirs: &Value) -> Agreement {
    let root = schema().root();
    let ours = view.effective(&[]);
    let theirs = Located::from_json(theirs, LayerId(0));
    let theirs = finish(schema(), Some(root), theirs).map(|located| located.to_json());
    let mut comparer = Comparer {
        view,
        path: Vec::new(),
        found: Agreement::default(),
    };
    comparer.compare(Some(root), ours.as_ref(), theirs.as_ref());
    comparer.found
}

struct Comparer<'a> {
    view: &'a View,
    path: Vec<String>,
    found: Agreement,
}

impl Comparer<'_> {
    fn compare(&mut self, id: Option<NodeId>, ours: Option<&Located>, theirs: Option<&Value>) {
        let theirs = theirs.filter(|value| !value.is_null());
        let table = ours.map(|ours| ours.value.as_table());
        let object = theirs.map(Value::as_object);
        let is_model = id.is_some_and(|id| schema().node(id).name == Some(Shared::ModelId));
        // A table that stands for nothing written is one default, not one for each of its keys.
        let is_absent = table.is_none() || object.is_none();
        let is_default = is_absent && default(id).is_some_and(|value| value.is_object());
        match (table, object) {
            (None, None) => {}
            (None | Some(Some(_)), None | Some(Some(_))) if !is_model && !is_default => {
                let ours_keys = table.flatten().into_iter().flat_map(|table| table.keys());
                let theirs_keys = object.flatten().into_iter().flat_map(|table| table.keys());
                let keys: IndexSet<String> = ours_keys.chain(theirs_keys).cloned().collect();
                for key in keys {
                    let child = id.and_then(|id| schema().child(id, &key));
                    let ours = ours.and_then(|ours| ours.get(&key));
                    let theirs = theirs.and_then(|theirs| theirs.get(&key));
                    self.path.push(key);
                    self.compare(child, ours, theirs);
                    self.path.pop();
                }
            }
            _ => self.leaf(id, ours, theirs),
        }
    }

    fn leaf(&mut self, id: Option<NodeId>, ours: Option<&Located>, theirs: Option<&Value>) {
        let written = ours.map(Located::to_json);
        if self.is_same(id, written.as_ref(), theirs) {
            self.found.agreeing += 1;
            return;
        }
        let keys: Vec<&str> = self.path.iter().map(String::as_str).collect();
        let is_secret = is_secret(&keys, id);
        let shown = |value: &Value| match is_secret {
            true => Value::Null,
            false => without_secrets(value),
        };
        let place = ours.and_then(Located::origin).and_then(|origin| {
            let place = Place {
                file: self.view.file(origin.layer)?,
                span: origin.span,
            };
            let graph = self.view.graph();
            Some((shown_path(graph, place), line_of(graph, place)))
        });
        self.found.differences.push(Difference {
            path: dotted(&keys),
            ours: written.as_ref().map(shown),
            place,
            theirs: theirs.map(shown),
            is_secret,
        });
    }

    fn is_same(&self, id: Option<NodeId>, ours: Option<&Value>, theirs: Option<&Value>) -> bool {
        let read =
            |value: &Value| meaning(id, value, &|alias: &str| resolve_alias(self.view, alias));
        let [mine, jps] = [ours, theirs].map(|value| value.map_or(Value::Null, read));
        if mine == jps || says_nothing(&mine) && says_nothing(&jps) {
            return true;
        }
        match (ours, theirs) {
            (None, Some(_)) => self.unset().iter().any(|value| read(value) == jps),
            (Some(_), None) => default(id).is_some_and(|value| read(&value) == mine),
            _ => false,
        }
    }

    /// What a leaf that no file of ours sets may be to `jp`.
    fn unset(&self) -> Vec<Value> {
        let keys: Vec<&str> = self.path.iter().map(String::as_str).collect();
        let mut values = vec![value_at(self.view, &keys).value];
        match keys.as_slice() {
            // It only shows; no file is loaded by it.
            ["extends"] => values.push(json!(["config.d/**/*"])),
            ["inherit"] => values.push(json!(false)),
            _ => {}
        }
        // In what a person names, `jp` fills in no defaults: numbers are zero there.
        if self.is_in_map() {
            values.extend([json!(false), json!(0), json!("")]);
        }
        let node = keys
            .iter()
            .try_fold(schema().root(), |id, key| schema().child(id, key));
        values.extend(default(node));
        values
    }

    fn is_in_map(&self) -> bool {
        let mut node = schema().root();
        for key in &self.path {
            if schema().map(node).is_some() && key != "*" {
                return true;
            }
            match schema().child(node, key) {
                Some(child) => node = child,
                None => return false,
            }
        }
        false
    }
}

/// What the schema says a value is where nobody sets it.
fn default(id: Option<NodeId>) -> Option<Value> {
    let node = schema().node(id?);
    match node.shape {
        Shape::Any => None,
        _ => node.default.clone(),
    }
}

#[cfg(test)]
#[path = "agreement_tests.rs"]
mod tests;
