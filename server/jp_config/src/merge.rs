//! Merging layers by the schema's merge rules, with where each value comes from.
//!
//! ```toml
//! # layer A
//! access.fs = [{ path = ".", read = true }]
//! # layer B appends; `strategy = "replace"` would start over
//! access.fs = { strategy = "append", value = [{ path = "src", write = true }] }
//! ```
//!
//! A layer is a *partial* config: what it leaves out keeps the value of the layers below it.

use std::collections::HashSet;

use indexmap::{IndexMap, map::Entry};
use serde_json::Value;

use crate::{
    document::{Node, Span},
    schema::{Merge, NodeId, Schema, Shape, Strategy},
};

/// The index of a layer in a view's merge order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LayerId(pub u32);

/// The place of a value in one layer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Origin {
    /// The layer.
    pub layer: LayerId,
    /// The key that names the value; absent for list elements and for data files.
    pub key: Option<Span>,
    /// The value itself; for a table with a header, the header. Empty for data files.
    pub span: Span,
}

/// A value with the places that set it.
#[derive(Debug, Clone, PartialEq)]
pub struct Located {
    /// The value.
    pub value: LocatedValue,
    /// The places that had a part in it, weakest first; the last one decided.
    pub origins: Vec<Origin>,
}

/// A config value whose parts are located too.
#[derive(Debug, Clone, PartialEq)]
pub enum LocatedValue {
    /// A JSON `null`, which clears an optional value. TOML has none.
    Null,
    /// A boolean.
    Boolean(bool),
    /// An integer of 64 bits.
    Integer(i64),
    /// Any other number.
    Float(f64),
    /// A string, decoded.
    String(String),
    /// A TOML date or time, as written.
    Datetime(String),
    /// A list.
    List(Vec<Located>),
    /// A table, in declaration order.
    Table(IndexMap<String, Located>),
    /// A value that is being typed or is broken.
    Missing,
}

impl LocatedValue {
    /// The text of a string.
    #[must_use]
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Self::String(text) => Some(text),
            _ => None,
        }
    }

    /// The value of a boolean.
    #[must_use]
    pub fn as_bool(&self) -> Option<bool> {
        match self {
            Self::Boolean(value) => Some(*value),
            _ => None,
        }
    }

    /// The entries of a table.
    #[must_use]
    pub fn as_table(&self) -> Option<&IndexMap<String, Located>> {
        match self {
            Self::Table(table) => Some(table),
            _ => None,
        }
    }

    /// The elements of a list.
    #[must_use]
    pub fn as_list(&self) -> Option<&[Located]> {
        match self {
            Self::List(items) => Some(items),
            _ => None,
        }
    }

    /// The value as JSON; dates become strings, what is missing becomes `null`.
    #[must_use]
    pub fn to_json(&self) -> Value {
        match self {
            Self::Null | Self::Missing => Value::Null,
            Self::Boolean(value) => Value::Bool(*value),
            Self::Integer(value) => Value::from(*value),
            Self::Float(value) => Value::from(*value),
            Self::String(text) | Self::Datetime(text) => Value::String(text.clone()),
            Self::List(items) => Value::Array(items.iter().map(Located::to_json).collect()),
            Self::Table(table) => Value::Object(
                table
                    .iter()
                    .map(|(key, item)| (key.clone(), item.to_json()))
                    .collect(),
            ),
        }
    }
}

impl Located {
    /// Locates a node of a document in a layer.
    #[must_use]
    pub fn from_node(node: Node<'_>, layer: LayerId) -> Self {
        Self::of_node(node, layer, None)
    }

    fn of_node(node: Node<'_>, layer: LayerId, key: Option<Span>) -> Self {
        let value = match node {
            Node::Table(table) => LocatedValue::Table(
                table
                    .entries()
                    .map(|entry| {
                        let item = Self::of_node(entry.value(), layer, Some(entry.key_span()));
                        (entry.key().to_owned(), item)
                    })
                    .collect(),
            ),
            Node::Array(array) => LocatedValue::List(
                array
                    .items()
                    .map(|item| Self::of_node(item, layer, None))
                    .collect(),
            ),
            Node::Str(text) => LocatedValue::String(text.value().into_owned()),
            Node::Boolean(_) => node
                .as_bool()
                .map_or(LocatedValue::Missing, LocatedValue::Boolean),
            Node::Integer(_) => node
                .as_i64()
                .map_or(LocatedValue::Missing, LocatedValue::Integer),
            Node::Float(_) => node
                .as_f64()
                .map_or(LocatedValue::Missing, LocatedValue::Float),
            Node::Datetime(scalar) => LocatedValue::Datetime(scalar.text().to_owned()),
            Node::Missing(_) => LocatedValue::Missing,
        };
        Self {
            value,
            origins: vec![Origin {
                layer,
                key,
                span: node.span(),
            }],
        }
    }

    /// Places JSON data in a layer; it has no spans.
    #[must_use]
    pub fn from_json(value: &Value, layer: LayerId) -> Self {
        let value = match value {
            Value::Null => LocatedValue::Null,
            Value::Bool(value) => LocatedValue::Boolean(*value),
            Value::Number(number) => number.as_i64().map_or_else(
                || LocatedValue::Float(number.as_f64().unwrap_or(f64::NAN)),
                LocatedValue::Integer,
            ),
            Value::String(text) => LocatedValue::String(text.clone()),
            Value::Array(items) => LocatedValue::List(
                items
                    .iter()
                    .map(|item| Self::from_json(item, layer))
                    .collect(),
            ),
            Value::Object(map) => LocatedValue::Table(
                map.iter()
                    .map(|(key, item)| (key.clone(), Self::from_json(item, layer)))
                    .collect(),
            ),
        };
        Self {
            value,
            origins: vec![Origin {
                layer,
                key: None,
                span: Span { start: 0, end: 0 },
            }],
        }
    }

    /// The place that decided the value.
    #[must_use]
    pub fn origin(&self) -> Option<Origin> {
        self.origins.last().copied()
    }

    /// The member of a table.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&Located> {
        self.value.as_table()?.get(key)
    }

    /// The value below a path of table keys.
    #[must_use]
    pub fn at(&self, path: &[&str]) -> Option<&Located> {
        path.iter().try_fold(self, |located, key| located.get(key))
    }

    /// The value as JSON, without places.
    #[must_use]
    pub fn to_json(&self) -> Value {
        self.value.to_json()
    }
}

/// Merges what several layers say of one schema node, weakest first.
///
/// Answers nothing where no layer sets a value, or where the last word is a JSON `null`.
/// A node that the schema does not know merges like free-form JSON.
#[must_use]
pub fn merge(schema: &Schema, node: Option<NodeId>, stack: Vec<Located>) -> Option<Located> {
    let stack = after_last_null(stack);
    if stack.is_empty() {
        return None;
    }
    let rule = node.map_or(Merge::Json, |id| schema.node(id).merge);
    let merged = match rule {
        Merge::MergeableVec { default } => merge_lists(schema, node, stack, default),
        Merge::Append => merge_lists(schema, node, stack, Strategy::Append),
        Merge::MergeableString => merge_strings(stack),
        Merge::FirstWins => stack.into_iter().next()?,
        Merge::Replace => normalise(schema, node, replace(stack)?),
        Merge::Enable => merge_enable(stack),
        Merge::Json => stack.into_iter().reduce(merge_json)?,
        Merge::MergeableMap => merge_maps(schema, node, stack)?,
        Merge::Struct | Merge::Map | Merge::Union => merge_tables(schema, node, stack)?,
    };
    Some(merged)
}

/// What the layers above the last `null` say; what is still being typed says nothing.
fn after_last_null(stack: Vec<Located>) -> Vec<Located> {
    let mut kept = Vec::with_capacity(stack.len());
    for located in stack {
        match located.value {
            LocatedValue::Null => kept.clear(),
            LocatedValue::Missing => {}
            _ => kept.push(located),
        }
    }
    kept
}

fn replace(stack: Vec<Located>) -> Option<Located> {
    let mut origins = Vec::new();
    let mut last = None;
    for located in stack {
        origins.extend_from_slice(&located.origins);
        last = Some(located.value);
    }
    Some(Located {
        value: last?,
        origins,
    })
}

/// Merges tables key by key; a value of another shape starts over.
fn merge_tables(schema: &Schema, node: Option<NodeId>, stack: Vec<Located>) -> Option<Located> {
    let mut origins = Vec::new();
    let mut members: IndexMap<String, Vec<Located>> = IndexMap::new();
    let mut other = None;
    for located in stack {
        origins.extend_from_slice(&located.origins);
        if let LocatedValue::Table(table) = located.value {
            other = None;
            for (key, item) in table {
                members.entry(key).or_default().push(item);
            }
        } else {
            members.clear();
            other = Some(located.value);
        }
    }
    let value = match other {
        Some(value) => value,
        None => LocatedValue::Table(
            members
                .into_iter()
                .filter_map(|(key, stack)| {
                    let child = node.and_then(|id| schema.child(id, &key));
                    Some((key, merge(schema, child, stack)?))
                })
                .collect(),
        ),
    };
    Some(Located { value, origins })
}

/// The parts of a merge wrapper, `{ value = .., strategy = .. }`.
struct Wrapper {
    value: Option<Located>,
    strategy: Option<String>,
    dedup: Option<bool>,
    discard_when_merged: bool,
    separator: Option<String>,
}

impl Wrapper {
    fn of(table: &IndexMap<String, Located>) -> Self {
        let text = |key: &str| {
            table
                .get(key)
                .and_then(|item| item.value.as_str())
                .map(str::to_owned)
        };
        let flag = |key: &str| table.get(key).and_then(|item| item.value.as_bool());
        Self {
            value: table.get("value").cloned(),
            strategy: text("strategy"),
            dedup: flag("dedup"),
            discard_when_merged: flag("discard_when_merged").unwrap_or(false),
            separator: text("separator"),
        }
    }

    fn strategy(&self, default: Strategy) -> Strategy {
        match self.strategy.as_deref() {
            Some("replace") => Strategy::Replace,
            Some("prepend") => Strategy::Prepend,
            Some("append") => Strategy::Append,
            _ => default,
        }
    }
}

/// `enable`: a shorthand sets both fields, a table only those that it names (RFD 081).
fn merge_enable(stack: Vec<Located>) -> Located {
    let mut origins = Vec::new();
    let mut members: IndexMap<String, Located> = IndexMap::new();
    for located in stack {
        let place = located.origins.clone();
        match &located.value {
            LocatedValue::Table(table) => {
                for (key, item) in table {
                    members.insert(key.clone(), item.clone());
                }
            }
            value => {
                let Some((state, allow_toggle)) = enable_shorthand(value) else {
                    continue;
                };
                origins.clear();
                let at = |value: LocatedValue| Located {
                    value,
                    origins: place.clone(),
                };
                members.insert("state".to_owned(), at(LocatedValue::Boolean(state)));
                members.insert(
                    "allow_toggle".to_owned(),
                    at(LocatedValue::String(allow_toggle.to_owned())),
                );
            }
        }
        origins.extend(place);
    }
    Located {
        value: LocatedValue::Table(members),
        origins,
    }
}

/// What a shorthand of `enable` stores (RFD 081).
fn enable_shorthand(value: &LocatedValue) -> Option<(bool, &'static str)> {
    match value {
        LocatedValue::Boolean(state) => Some((*state, "any")),
        LocatedValue::String(text) => match text.as_str() {
            "true" | "on" => Some((true, "any")),
            "false" | "off" => Some((false, "any")),
            "always" => Some((true, "never")),
            "explicit" => Some((false, "if_named")),
            _ => None,
        },
        _ => None,
    }
}

/// Lists: a plain array does what the node says; a wrapper says how.
///
/// A lone string stands for the list of one rule that it abbreviates (RFD D25).
fn merge_lists(
    schema: &Schema,
    node: Option<NodeId>,
    stack: Vec<Located>,
    default: Strategy,
) -> Located {
    let mut origins = Vec::new();
    let mut list: Vec<Located> = Vec::new();
    let mut dedup = false;
    let mut discard = false;
    for located in stack {
        let place = located.origins.clone();
        let (items, strategy, wrapper_discard) = match located.value {
            LocatedValue::Table(table) => {
                let wrapper = Wrapper::of(&table);
                dedup = dedup || wrapper.dedup == Some(true);
                let strategy = wrapper.strategy(default);
                let items = wrapper.value.map(rules_of).unwrap_or_default();
                (items, strategy, wrapper.discard_when_merged)
            }
            LocatedValue::List(_) | LocatedValue::String(_) => (rules_of(located), default, false),
            // A value of the wrong type is reported where it stands, and sets nothing.
            _ => continue,
        };
        if discard {
            list.clear();
            origins.clear();
        }
        match strategy {
            Strategy::Replace => {
                list = items;
                origins.clear();
            }
            Strategy::Prepend => {
                list.splice(0..0, items);
            }
            Strategy::Append => list.extend(items),
        }
        discard = wrapper_discard;
        origins.extend(place);
    }
    if dedup {
        deduplicate(&mut list);
    }
    let item = node.and_then(|id| schema.item(id));
    Located {
        value: LocatedValue::List(normalise_items(schema, item, list)),
        origins,
    }
}

/// The elements of a list do not merge with each other; each is brought to its normal form alone.
fn normalise_items(schema: &Schema, item: Option<NodeId>, list: Vec<Located>) -> Vec<Located> {
    list.into_iter()
        .filter_map(|element| merge(schema, item, vec![element]))
        .collect()
}

fn normalise(schema: &Schema, node: Option<NodeId>, located: Located) -> Located {
    match (node.map(|id| &schema.node(id).shape), located.value) {
        (Some(Shape::List { .. }), LocatedValue::List(items)) => Located {
            value: LocatedValue::List(normalise_items(
                schema,
                node.and_then(|id| schema.item(id)),
                items,
            )),
            origins: located.origins,
        },
        (_, value) => Located {
            value,
            origins: located.origins,
        },
    }
}

fn deduplicate(list: &mut Vec<Located>) {
    let mut seen = HashSet::new();
    list.retain(|item| seen.insert(item.to_json().to_string()));
}

/// `MergeableString`: a plain string replaces; a wrapper appends or prepends with a separator.
fn merge_strings(stack: Vec<Located>) -> Located {
    let mut origins = Vec::new();
    let mut text: Option<String> = None;
    let mut discard = false;
    for located in stack {
        if discard {
            text = None;
            origins.clear();
        }
        discard = false;
        match located.value {
            LocatedValue::String(value) => {
                text = Some(value);
                origins.clear();
            }
            LocatedValue::Table(table) => {
                let wrapper = Wrapper::of(&table);
                let value = wrapper
                    .value
                    .and_then(|value| value.value.as_str().map(str::to_owned))
                    .unwrap_or_default();
                let separator = separator(wrapper.separator.as_deref());
                text = match (wrapper.strategy.as_deref(), text) {
                    (Some("append"), Some(base)) => Some(format!("{base}{separator}{value}")),
                    (Some("prepend"), Some(base)) => Some(format!("{value}{separator}{base}")),
                    // Without a strategy, `jp` drops both texts: the `merge-trap` diagnostic warns of it.
                    (None, Some(base)) if !base.is_empty() => Some(String::new()),
                    _ => Some(value),
                };
                discard = wrapper.discard_when_merged;
            }
            _ => continue,
        }
        origins.extend_from_slice(&located.origins);
    }
    Located {
        value: text.map_or(LocatedValue::Missing, LocatedValue::String),
        origins,
    }
}

fn separator(name: Option<&str>) -> &'static str {
    match name {
        Some("space") => " ",
        Some("line") => "\n",
        Some("paragraph") => "\n\n",
        _ => "",
    }
}

/// The rules of a policy value: a mode alone is a single rule without a condition (RFD D25).
#[must_use]
pub fn rules_of(located: Located) -> Vec<Located> {
    match located.value {
        LocatedValue::List(items) => items,
        LocatedValue::String(_) => {
            let origins = located.origins.clone();
            let table = IndexMap::from([("mode".to_owned(), located)]);
            vec![Located {
                value: LocatedValue::Table(table),
                origins,
            }]
        }
        _ => Vec::new(),
    }
}

/// `MergeableMap`: a plain map merges deeply; `{ value, strategy }` says how.
fn merge_maps(schema: &Schema, node: Option<NodeId>, stack: Vec<Located>) -> Option<Located> {
    let mut merged: Option<Located> = None;
    for located in stack {
        let is_wrapper = located.get("value").is_some() && located.get("strategy").is_some();
        let (map, strategy) = match &located.value {
            LocatedValue::Table(table) if is_wrapper => {
                let wrapper = Wrapper::of(table);
                (wrapper.value?, wrapper.strategy)
            }
            _ => (located, None),
        };
        merged = Some(match (merged, strategy.as_deref()) {
            (None, _) => merge_tables(schema, node, vec![map])?,
            (Some(_), Some("replace")) => merge_tables(schema, node, vec![map])?,
            (Some(base), Some("keep")) => shallow(map, base),
            (Some(base), Some("merge")) => shallow(base, map),
            (Some(base), _) => merge_tables(schema, node, vec![base, map])?,
        });
    }
    merged
}

/// Adds the members of `over` to `base`, whole values replacing whole values.
fn shallow(base: Located, over: Located) -> Located {
    let mut origins = base.origins;
    origins.extend(over.origins);
    let value = match (base.value, over.value) {
        (LocatedValue::Table(mut table), LocatedValue::Table(members)) => {
            table.extend(members);
            LocatedValue::Table(table)
        }
        (_, value) => value,
    };
    Located { value, origins }
}

/// Free-form JSON: objects merge deeply, everything else replaces, annotations are honoured.
fn merge_json(base: Located, over: Located) -> Located {
    let mut origins = base.origins.clone();
    let annotated = over.get("value").is_some() && over.get("strategy").is_some();
    if annotated && let LocatedValue::Table(table) = &over.value {
        let wrapper = Wrapper::of(table);
        if let Some(value) = wrapper.value {
            origins.extend(over.origins.iter().copied());
            let value = annotated_json(
                base.value,
                value.value,
                wrapper.strategy.as_deref(),
                wrapper.separator.as_deref(),
            );
            return Located { value, origins };
        }
    }
    match (base.value, over.value) {
        (LocatedValue::Table(mut table), LocatedValue::Table(members)) => {
            origins.extend(over.origins);
            for (key, member) in members {
                match table.entry(key) {
                    Entry::Occupied(mut slot) => {
                        let existing = slot.get().clone();
                        slot.insert(merge_json(existing, member));
                    }
                    Entry::Vacant(slot) => {
                        slot.insert(member);
                    }
                }
            }
            Located {
                value: LocatedValue::Table(table),
                origins,
            }
        }
        (_, value) => {
            origins.extend(over.origins);
            Located { value, origins }
        }
    }
}

fn annotated_json(
    base: LocatedValue,
    value: LocatedValue,
    strategy: Option<&str>,
    separator_name: Option<&str>,
) -> LocatedValue {
    match (strategy, base, value) {
        (Some("append"), LocatedValue::List(mut list), LocatedValue::List(items)) => {
            list.extend(items);
            LocatedValue::List(list)
        }
        (Some("prepend"), LocatedValue::List(list), LocatedValue::List(mut items)) => {
            items.extend(list);
            LocatedValue::List(items)
        }
        (Some("append"), LocatedValue::String(base), LocatedValue::String(text)) => {
            LocatedValue::String(format!("{base}{}{text}", separator(separator_name)))
        }
        (Some("prepend"), LocatedValue::String(base), LocatedValue::String(text)) => {
            LocatedValue::String(format!("{text}{}{base}", separator(separator_name)))
        }
        (_, _, value) => value,
    }
}
