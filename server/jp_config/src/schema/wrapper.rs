//! Merge wrappers: which table is one, and what stands in it.
//!
//! ```toml
//! extends = { value = ["base.toml"], strategy = "prepend" }      # how the list combines with that of earlier layers
//! labels = { value = { team = "core" }, strategy = "replace" }   # a map of labels, not one of the labels `value` and `strategy`
//! ```
//!
//! Whoever meets a table where a value may be wrapped asks here.

use super::{NodeId, Schema, Shape, Strategy};
use crate::tree::{Kind, Tree};

/// The key of what is wrapped.
pub const VALUE: &str = "value";

/// The key of the strategy.
pub const STRATEGY: &str = "strategy";

/// The key of what becomes of equal elements.
pub const DEDUP: &str = "dedup";

/// The key of what stands between two texts.
pub const SEPARATOR: &str = "separator";

/// The key that lets a value go as soon as a later layer sets one.
pub const DISCARD: &str = "discard_when_merged";

impl Strategy {
    /// Reads the name of a strategy of lists and texts.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        [Self::Append, Self::Prepend, Self::Replace]
            .into_iter()
            .find(|strategy| strategy.as_str() == name)
    }

    /// The name in the config.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Append => "append",
            Self::Prepend => "prepend",
            Self::Replace => "replace",
        }
    }
}

/// What a map does with the map of an earlier layer.
#[derive(Debug, Copy, Clone, Eq, PartialEq)]
pub enum MapStrategy {
    /// Equal keys merge.
    DeepMerge,
    /// Equal keys take the later value.
    Merge,
    /// Equal keys keep the earlier value.
    Keep,
    /// Only the later keys stay.
    Replace,
}

impl MapStrategy {
    /// Reads the name of a strategy of maps.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        [Self::DeepMerge, Self::Merge, Self::Keep, Self::Replace]
            .into_iter()
            .find(|strategy| strategy.as_str() == name)
    }

    /// The name in the config.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::DeepMerge => "deep_merge",
            Self::Merge => "merge",
            Self::Keep => "keep",
            Self::Replace => "replace",
        }
    }
}

/// What the wrapper of a list or of a text says beside its value.
#[derive(Debug, Copy, Clone, Eq, PartialEq)]
pub struct WrapperSettings {
    /// Where the value goes; none where the wrapper does not say it, or says a word that is no strategy.
    pub strategy: Option<Strategy>,
    /// Whether equal elements are dropped; none where earlier layers say it.
    pub dedup: Option<bool>,
    /// What stands between two texts.
    pub separator: &'static str,
    /// Whether the value goes as soon as a later layer sets one.
    pub discards: bool,
}

impl WrapperSettings {
    /// Reads the settings of a wrapper.
    pub fn of<T: Tree>(wrapper: T) -> Self {
        let word = |key: &str| wrapper.get(key);
        let strategy = word(STRATEGY).and_then(|name| Strategy::parse(&name.as_str()?));
        let dedup = word(DEDUP).and_then(|dedup| match dedup.kind() {
            Kind::Boolean => dedup.as_bool(),
            _ => dedup.as_str()?.parse().ok(),
        });
        let separator = word(SEPARATOR).and_then(|name| separator(&name.as_str()?));
        Self {
            strategy,
            dedup,
            separator: separator.unwrap_or_default(),
            discards: discards(wrapper),
        }
    }
}

/// Whether a wrapper lets its value go as soon as a later layer sets one.
pub fn discards<T: Tree>(wrapper: T) -> bool {
    wrapper.get(DISCARD).and_then(Tree::as_bool) == Some(true)
}

/// What a separator's name stands for.
fn separator(name: &str) -> Option<&'static str> {
    match name {
        "none" => Some(""),
        "space" => Some(" "),
        "line" => Some("\n"),
        "paragraph" => Some("\n\n"),
        _ => None,
    }
}

impl Schema {
    /// The description of the merge wrapper that a value is; none where it is the value itself.
    ///
    /// The released `jp` reads any table over a list or a text as a wrapper, and ignores each key that it does not know.
    /// One with none of a wrapper's keys is an element without its brackets instead: it is no wrapper, and reported.
    /// Over a map, a table is a wrapper by `value` and `strategy` together, unless `value` is an entry's text.
    pub fn wrapper_of<T: Tree>(&self, id: NodeId, tree: T) -> Option<NodeId> {
        let node = self.node(id);
        let wrapper = node.wrapper.filter(|_| tree.kind() == Kind::Table)?;
        let is_wrapper = if matches!(node.shape, Shape::Map(_)) {
            let wraps = tree
                .get(VALUE)
                .is_some_and(|value| value.kind() != Kind::String);
            wraps && tree.get(STRATEGY).is_some()
        } else {
            let mut entries = tree.entries().peekable();
            let is_known = |entry: &T::Entry| self.field(wrapper, T::key(entry)).is_some();
            entries.peek().is_none() || entries.any(|entry| is_known(&entry))
        };
        is_wrapper.then_some(wrapper)
    }
}

/// What a table of free-form data wraps.
#[derive(Debug, Copy, Clone, Eq, PartialEq)]
pub enum Wrapped {
    /// A list.
    List,
    /// A text.
    Text,
    /// A table.
    Map,
}

impl Wrapped {
    /// What `jp` takes a table for where no schema says it, and where a map may be wrapped: the first form that reads it whole.
    ///
    /// A wrapper that it cannot read, for its unknown strategy for example, is a value like any other.
    pub fn of<T: Tree>(table: T) -> Option<Self> {
        let strategy = table.get(STRATEGY)?;
        let is_list_strategy = is_one_of(strategy, |name| Strategy::parse(name).is_some());
        let discard = table.get(DISCARD);
        match table.get(VALUE)?.kind() {
            Kind::Array => {
                let dedup = table.get(DEDUP).is_none_or(|dedup| {
                    dedup.kind() == Kind::Boolean
                        || is_one_of(dedup, |name| matches!(name, "true" | "false" | "inherit"))
                });
                let discard = discard.is_none_or(|discard| discard.kind() == Kind::Boolean);
                (is_list_strategy && dedup && discard).then_some(Self::List)
            }
            Kind::String => {
                let separated = table
                    .get(SEPARATOR)
                    .is_none_or(|name| is_one_of(name, |name| separator(name).is_some()));
                let discard = discard
                    .is_none_or(|discard| matches!(discard.kind(), Kind::Boolean | Kind::Null));
                let is_known = |key: &str| matches!(key, VALUE | STRATEGY | SEPARATOR | DISCARD);
                let all_known = table.entries().all(|entry| is_known(T::key(&entry)));
                (is_list_strategy && separated && discard && all_known).then_some(Self::Text)
            }
            Kind::Table => {
                let strategy = is_one_of(strategy, |name| MapStrategy::parse(name).is_some());
                let discard = discard.is_none_or(|discard| discard.kind() == Kind::Boolean);
                (strategy && discard).then_some(Self::Map)
            }
            _ => None,
        }
    }
}

/// Whether a table of free-form data joins the one of an earlier layer key by key.
///
/// One that names a strategy for something other than a table does not, also where `jp` cannot read it as a wrapper.
pub fn merges_by_key<T: Tree>(table: T) -> bool {
    let is_table = |value: T| value.kind() == Kind::Table;
    let names_another = table.get(STRATEGY).is_some() && !table.get(VALUE).is_none_or(is_table);
    !names_another && Wrapped::of(table).is_none()
}

/// Whether a value is one of some words, or `null`, which stands for none of them.
fn is_one_of<T: Tree>(value: T, is_known: impl Fn(&str) -> bool) -> bool {
    match value.kind() {
        Kind::Null => true,
        Kind::String => value.as_str().is_some_and(|name| is_known(&name)),
        _ => false,
    }
}

#[cfg(test)]
#[path = "wrapper_tests.rs"]
mod tests;
