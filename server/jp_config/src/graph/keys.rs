//! The keys of a file that steer loading.
//!
//! ```toml
//! inherit = false
//! extends = ["base.toml", { path = "mcp/**/*.toml", strategy = "after" }]
//! config_load_paths = [".jp/config"]
//! ```

use std::collections::HashMap;

use crate::{
    content::Content,
    document::Span,
    merge::{LayerId, Located, LocatedValue},
    schema::is_root_key,
};

/// The keys that steer loading, as one file holds them.
///
/// Contents whose keys [load the same](Self::load_the_same) give the same graph, so an edit elsewhere in the file leaves the graph as it is.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct LoaderKeys {
    /// The `extends` entries.
    pub extends: Vec<Extends>,
    /// The `config_load_paths` entries, if the file sets them.
    pub load_paths: Option<Vec<String>>,
    /// What the file says of `inherit`, if anything.
    pub inherit: Option<bool>,
    /// Whether the file has a key that only `jp` config has.
    pub recognised: bool,
}

/// One entry of `extends`.
#[derive(Debug, Clone, PartialEq)]
pub struct Extends {
    /// The path or glob as written.
    pub path: String,
    /// Whether the files merge after the declaring file instead of before it.
    pub after: bool,
    /// Where the entry stands.
    pub span: Option<Span>,
}

impl LoaderKeys {
    /// Whether both say the same, wherever in their files they say it.
    #[must_use]
    pub fn load_the_same(&self, other: &Self) -> bool {
        let is_same =
            |(own, other): (&Extends, &Extends)| own.path == other.path && own.after == other.after;
        self.load_paths == other.load_paths
            && self.inherit == other.inherit
            && self.recognised == other.recognised
            && self.extends.len() == other.extends.len()
            && self.extends.iter().zip(&other.extends).all(is_same)
    }

    /// Reads the loader keys of a file; what has the wrong type counts as absent.
    #[must_use]
    pub fn of(content: &Content) -> Self {
        match content {
            Content::Toml(document) => {
                let root = document.root();
                let located = |key: &str| {
                    let entry = root.get(key)?;
                    Some(Located::from_node(entry.value(), LayerId(0)))
                };
                let recognised = root.entries().any(|entry| is_root_key(entry.key()));
                Self::from_values(&located, recognised)
            }
            Content::Data(Ok(data)) => {
                let located = |key: &str| {
                    let value = data.get(key)?;
                    Some(Located::from_json(value, LayerId(0)))
                };
                let recognised = data
                    .as_object()
                    .is_some_and(|map| map.keys().any(|key| is_root_key(key)));
                Self::from_values(&located, recognised)
            }
            Content::Data(Err(error)) => Self {
                recognised: error.names_config,
                ..Self::default()
            },
        }
    }

    fn from_values(get: &dyn Fn(&str) -> Option<Located>, recognised: bool) -> Self {
        let extends = match get("extends").map(|located| located.value) {
            Some(LocatedValue::List(items)) => items.iter().filter_map(Extends::of).collect(),
            _ => Vec::new(),
        };
        let load_paths = match get("config_load_paths").map(|located| located.value) {
            Some(LocatedValue::List(items)) => Some(
                items
                    .iter()
                    .filter_map(|item| item.value.as_str().map(str::to_owned))
                    .collect(),
            ),
            _ => None,
        };
        let inherit = get("inherit").and_then(|located| located.value.as_bool());
        Self {
            extends,
            load_paths,
            inherit,
            recognised,
        }
    }
}

impl Extends {
    fn of(item: &Located) -> Option<Self> {
        let span = item.origin().map(|origin| origin.span);
        match &item.value {
            LocatedValue::String(path) => Some(Self {
                path: path.clone(),
                after: false,
                span,
            }),
            LocatedValue::Table(table) => Some(Self {
                path: table.get("path")?.value.as_str()?.to_owned(),
                after: table.get("strategy").and_then(|item| item.value.as_str()) == Some("after"),
                span: table
                    .get("path")
                    .and_then(Located::origin)
                    .map(|origin| origin.span)
                    .or(span),
            }),
            _ => None,
        }
    }

    /// Whether the entry is a glob rather than a plain path.
    #[must_use]
    pub fn is_glob(&self) -> bool {
        self.path.contains(['*', '?', '['])
    }
}

/// Where the entries of a file stand now, by where they stood before an edit that left what they say.
pub(super) fn moved(before: &Content, after: &Content) -> HashMap<Span, Span> {
    let (old, new) = (LoaderKeys::of(before), LoaderKeys::of(after));
    let entries = old.extends.iter().zip(&new.extends);
    let paths = load_paths_span(before).zip(load_paths_span(after));
    entries
        .filter_map(|(old, new)| old.span.zip(new.span))
        .chain(paths)
        .collect()
}

/// Where a file says its `config_load_paths`.
pub(super) fn load_paths_span(content: &Content) -> Option<Span> {
    let entry = content.document()?.root().get("config_load_paths")?;
    Some(entry.value().span())
}
