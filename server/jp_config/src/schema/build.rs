//! The words in which the schema is written, and their compilation into the arena.
//!
//! ```toml
//! # field("auto_install", "Whether ...", boolean().default(true))
//! auto_install = true
//! ```

use std::collections::HashMap;

use serde_json::Value;

use super::{
    Effect, Field, KeyKind, MapShape, Merge, Node, NodeId, NullMeaning, Requirement, Schema,
    Sensitivity, Shape, Strategy, StringFormat, StructShape, UnknownKeys, Variant,
};
use crate::code::Code;

/// A description on its way into the arena.
pub(super) struct Spec {
    kind: Kind,
    doc: &'static str,
    default: Option<Value>,
    merge: Option<Merge>,
    null: Option<NullMeaning>,
    is_text_in_yaml: bool,
    refuses_null_within: bool,
    wrapper: Option<Box<Spec>>,
    since: Option<&'static str>,
    released: bool,
    sensitivity: Sensitivity,
    effect: Option<Effect>,
    examples: &'static [&'static str],
    code: Option<Code>,
    requirement: Requirement,
}

enum Kind {
    Leaf(Shape),
    Struct {
        fields: Vec<(&'static str, Spec)>,
        unknown_keys: UnknownKeys,
        hints: &'static [(&'static str, &'static str)],
    },
    Map {
        key: KeyKind,
        value: Box<Spec>,
        literal: Vec<(&'static str, Spec)>,
    },
    List(Box<Spec>),
    Union(Vec<Spec>),
    Shared(&'static str, fn() -> Spec),
}

impl Spec {
    fn new(kind: Kind) -> Self {
        Self {
            kind,
            doc: "",
            default: None,
            merge: None,
            null: None,
            is_text_in_yaml: false,
            refuses_null_within: false,
            wrapper: None,
            since: None,
            released: true,
            sensitivity: Sensitivity::Ordinary,
            effect: None,
            examples: &[],
            code: None,
            requirement: Requirement::Optional,
        }
    }

    /// What the value means.
    pub(super) fn doc(mut self, doc: &'static str) -> Self {
        self.doc = doc;
        self
    }

    /// The value when no layer sets one.
    pub(super) fn default(mut self, value: impl Into<Value>) -> Self {
        self.default = Some(value.into());
        self
    }

    /// How layers combine, where the shape does not say so.
    pub(super) fn merge(mut self, merge: Merge) -> Self {
        self.merge = Some(merge);
        self
    }

    /// A `null` in its place means that the key is not set, where the shape does not say so.
    pub(super) fn optional(mut self) -> Self {
        self.null = Some(NullMeaning::Unset);
        self
    }

    /// A `null` in its place is refused, where the shape does not say so.
    pub(super) fn never_null(mut self) -> Self {
        self.null = Some(NullMeaning::Refused);
        self
    }

    /// A `null` in its place is refused wherever the value is read, since without the key the value would allow more.
    pub(super) fn kept_null(mut self) -> Self {
        self.null = Some(NullMeaning::Kept);
        self
    }

    /// A `null` in its place is read like an empty table or list, where the shape does not say so.
    pub(super) fn empty_if_null(mut self) -> Self {
        self.null = Some(NullMeaning::Empty);
        self
    }

    /// A `null` anywhere below it is refused.
    pub(super) fn no_null_within(mut self) -> Self {
        self.refuses_null_within = true;
        self
    }

    /// The released `jp` reads no table in its place from YAML.
    pub(super) fn text_in_yaml(mut self) -> Self {
        self.is_text_in_yaml = true;
        self
    }

    /// What a `null` means by the shape: a table is never absent to `jp`, any other value is optional.
    fn null_meaning(&self) -> NullMeaning {
        self.null.unwrap_or(match self.kind {
            Kind::Struct { .. } | Kind::Map { .. } => NullMeaning::Empty,
            Kind::Leaf(Shape::Any) => NullMeaning::Value,
            _ if self.requirement == Requirement::Local => NullMeaning::Refused,
            _ => NullMeaning::Unset,
        })
    }

    /// The document that introduced the key.
    pub(super) fn since(mut self, document: &'static str) -> Self {
        self.since = Some(document);
        self
    }

    /// The released `jp` rejects the key.
    pub(super) fn unreleased(mut self) -> Self {
        self.released = false;
        self
    }

    /// The value decides what runs or whether a human is asked.
    pub(super) fn privileged(mut self) -> Self {
        self.sensitivity = Sensitivity::Privileged;
        self
    }

    /// The value grants access.
    pub(super) fn sensitive(mut self) -> Self {
        self.sensitivity = Sensitivity::Sensitive;
        self
    }

    /// The value sets something off outside of the config.
    pub(super) fn effect(mut self, effect: Effect) -> Self {
        self.effect = Some(effect);
        self
    }

    /// Values to show, as TOML text.
    pub(super) fn examples(mut self, examples: &'static [&'static str]) -> Self {
        self.examples = examples;
        self
    }

    /// The code of a wrong value.
    pub(super) fn code(mut self, code: Code) -> Self {
        self.code = Some(code);
        self
    }

    /// When the key must be present.
    pub(super) fn required(mut self, requirement: Requirement) -> Self {
        self.requirement = requirement;
        self
    }

    /// Unknown keys of this table are dropped by the released `jp`.
    pub(super) fn lenient(mut self) -> Self {
        if let Kind::Struct { unknown_keys, .. } = &mut self.kind {
            *unknown_keys = UnknownKeys::Ignore;
        }
        self
    }

    /// Keys that people write here although they belong elsewhere.
    pub(super) fn hints(mut self, pairs: &'static [(&'static str, &'static str)]) -> Self {
        if let Kind::Struct { hints, .. } = &mut self.kind {
            *hints = pairs;
        }
        self
    }

    /// A key of this map with a description of its own.
    pub(super) fn literal(mut self, key: &'static str, spec: Spec) -> Self {
        if let Kind::Map { literal, .. } = &mut self.kind {
            literal.push((key, spec));
        }
        self
    }

    fn wrapped(mut self, wrapper: Spec) -> Self {
        self.wrapper = Some(Box::new(wrapper));
        self
    }
}

pub(super) fn boolean() -> Spec {
    Spec::new(Kind::Leaf(Shape::Boolean))
}

pub(super) fn integer(minimum: Option<i64>, maximum: Option<i64>) -> Spec {
    Spec::new(Kind::Leaf(Shape::Integer { minimum, maximum }))
}

pub(super) fn unsigned() -> Spec {
    integer(Some(0), Some(i64::from(u32::MAX)))
}

pub(super) fn size() -> Spec {
    integer(Some(0), None)
}

pub(super) fn number() -> Spec {
    Spec::new(Kind::Leaf(Shape::Float))
}

pub(super) fn string(format: StringFormat) -> Spec {
    Spec::new(Kind::Leaf(Shape::String(format)))
}

pub(super) fn plain() -> Spec {
    string(StringFormat::Plain)
}

pub(super) fn multiline() -> Spec {
    string(StringFormat::Multiline)
}

pub(super) fn one_of(variants: &'static [Variant]) -> Spec {
    Spec::new(Kind::Leaf(Shape::Enum(variants)))
}

pub(super) fn any() -> Spec {
    Spec::new(Kind::Leaf(Shape::Any))
}

/// Free-form data whose objects merge deeply, and which may hold merge wrappers at any depth.
pub(super) fn json() -> Spec {
    any().merge(Merge::Json)
}

pub(super) fn table<const N: usize>(fields: [(&'static str, Spec); N]) -> Spec {
    Spec::new(Kind::Struct {
        fields: fields.into(),
        unknown_keys: UnknownKeys::Deny,
        hints: &[],
    })
}

pub(super) fn map(key: KeyKind, value: Spec) -> Spec {
    Spec::new(Kind::Map {
        key,
        value: Box::new(value),
        literal: Vec::new(),
    })
}

pub(super) fn list(item: Spec) -> Spec {
    Spec::new(Kind::List(Box::new(item)))
}

pub(super) fn union<const N: usize>(branches: [Spec; N]) -> Spec {
    Spec::new(Kind::Union(branches.into()))
}

/// A description that several config paths share, and that may contain itself.
///
/// A doc, default, merge rule or sensitivity set on the result counts for this one place.
pub(super) fn shared(name: &'static str, make: fn() -> Spec) -> Spec {
    Spec::new(Kind::Shared(name, make))
}

pub(super) fn field(name: &'static str, doc: &'static str, spec: Spec) -> (&'static str, Spec) {
    (name, spec.doc(doc))
}

pub(super) const fn variant(value: &'static str, doc: &'static str) -> Variant {
    Variant {
        value,
        doc,
        aliases: &[],
        deprecated: None,
        released_as: None,
    }
}

pub(super) const fn variant_with(
    value: &'static str,
    aliases: &'static [&'static str],
    doc: &'static str,
) -> Variant {
    Variant {
        value,
        doc,
        aliases,
        deprecated: None,
        released_as: None,
    }
}

/// A string that the released `jp` does not know, with the one that comes nearest there.
pub(super) const fn unreleased_variant(
    value: &'static str,
    released_as: &'static str,
    doc: &'static str,
) -> Variant {
    Variant {
        released_as: Some(released_as),
        ..variant(value, doc)
    }
}

pub(super) const fn legacy(
    value: &'static str,
    instead: &'static str,
    doc: &'static str,
) -> Variant {
    Variant {
        value,
        doc,
        aliases: &[],
        deprecated: Some(instead),
        released_as: None,
    }
}

const LIST_STRATEGY: &[Variant] = &[
    variant("append", "The elements follow those of earlier layers."),
    variant("prepend", "The elements precede those of earlier layers."),
    variant(
        "replace",
        "The elements stand instead of those of earlier layers.",
    ),
];

const STRING_SEPARATOR: &[Variant] = &[
    variant("none", "The two texts touch."),
    variant("space", "One space stands between the two texts."),
    variant("line", "One line break stands between the two texts."),
    variant("paragraph", "One empty line stands between the two texts."),
];

const MAP_STRATEGY: &[Variant] = &[
    variant(
        "deep_merge",
        "Keys of both layers stay, and equal keys merge recursively.",
    ),
    variant(
        "merge",
        "Keys of both layers stay, and equal keys take this layer's value.",
    ),
    variant(
        "keep",
        "Keys of both layers stay, and equal keys keep the earlier value.",
    ),
    variant("replace", "Only the keys of this layer stay."),
];

const DEDUP: &[Variant] = &[variant(
    "inherit",
    "Equal elements are dropped if an earlier layer asked for it.",
)];

fn list_strategy() -> Spec {
    shared("ListStrategy", || one_of(LIST_STRATEGY))
}

fn discard(spec: Spec) -> (&'static str, Spec) {
    field(
        "discard_when_merged",
        "Whether this value is dropped as soon as a later layer sets one.",
        spec.default(false),
    )
}

/// A list that plainly appends, and whose table form names another strategy.
pub(super) fn mergeable_list(make: fn() -> Spec) -> Spec {
    let wrapper = table([
        field("value", "The elements.", list(make()).default(Value::Array(Vec::new())).empty_if_null()),
        field(
            "strategy",
            "Where the elements go, relative to those of earlier layers.",
            list_strategy().default("append"),
        ),
        field(
            "dedup",
            "Whether equal elements are dropped after merging; once `true`, it stays so for later layers.",
            shared("Dedup", || union([boolean(), one_of(DEDUP)]).merge(Merge::Replace)).default("inherit"),
        ),
        discard(boolean().never_null()),
    ])
    .lenient();
    list(make())
        .merge(Merge::MergeableVec {
            default: Strategy::Append,
        })
        .never_null()
        .wrapped(wrapper)
}

/// A value that plainly replaces, and whose table form names another list strategy.
pub(super) fn replaceable(make: fn() -> Spec) -> Spec {
    let wrapper = table([
        field(
            "value",
            "The rules, or one mode for every call.",
            make().required(Requirement::Local),
        ),
        field(
            "strategy",
            "Where the rules go, relative to those of earlier layers.",
            list_strategy().default("replace"),
        ),
    ]);
    make()
        .merge(Merge::MergeableVec {
            default: Strategy::Replace,
        })
        .wrapped(wrapper)
}

/// A string that plainly replaces, and whose table form names another strategy.
pub(super) fn mergeable_string() -> Spec {
    let wrapper = table([
        field("value", "The text.", multiline()),
        field(
            "strategy",
            "Where the text goes, relative to that of earlier layers.\n\n\
             Always write it: the released `jp` turns a table without a strategy over an existing text into an empty one.",
            list_strategy(),
        ),
        field(
            "separator",
            "What stands between the texts of two layers.",
            one_of(STRING_SEPARATOR).default("none"),
        ),
        discard(boolean()),
    ]);
    multiline().merge(Merge::MergeableString).wrapped(wrapper)
}

/// A map that plainly merges deeply, and whose table form names another strategy.
pub(super) fn mergeable_map(key: KeyKind, make: fn() -> Spec) -> Spec {
    let wrapper = table([
        field("value", "The entries.", map(key, make()).never_null()),
        field(
            "strategy",
            "How the entries combine with those of earlier layers.",
            one_of(MAP_STRATEGY).default("deep_merge"),
        ),
        discard(boolean().never_null()),
    ]);
    map(key, make())
        .merge(Merge::MergeableMap)
        .never_null()
        .wrapped(wrapper)
}

/// Compiles a description into the arena.
pub(super) fn compile(root: Spec) -> Schema {
    let mut compiler = Compiler::default();
    let root = compiler.add(root);
    for (place, target) in compiler.pending {
        let shape = compiler
            .nodes
            .get(target.index())
            .map(|node| (node.shape.clone(), node.merge, node.wrapper));
        if let (Some(node), Some((shape, merge, wrapper))) =
            (compiler.nodes.get_mut(place.index()), shape)
        {
            node.shape = shape;
            node.merge = merge;
            node.wrapper = wrapper;
        }
    }
    Schema {
        nodes: compiler.nodes,
        root,
    }
}

#[derive(Default)]
struct Compiler {
    nodes: Vec<Node>,
    shared: HashMap<&'static str, NodeId>,
    /// Places that share a description which was not finished when they were met.
    pending: Vec<(NodeId, NodeId)>,
    /// Shared descriptions that are being compiled.
    open: Vec<NodeId>,
}

impl Compiler {
    fn add(&mut self, spec: Spec) -> NodeId {
        let id = self.reserve(&spec);
        self.fill(id, spec);
        id
    }

    fn reserve(&mut self, spec: &Spec) -> NodeId {
        let id = NodeId(u32::try_from(self.nodes.len()).unwrap_or(u32::MAX));
        self.nodes.push(Node {
            doc: spec.doc,
            shape: Shape::Any,
            default: spec.default.clone(),
            merge: spec.merge.unwrap_or(Merge::Replace),
            null: spec.null_meaning(),
            is_text_in_yaml: spec.is_text_in_yaml,
            refuses_null_within: spec.refuses_null_within,
            wrapper: None,
            since: spec.since,
            released: spec.released,
            sensitivity: spec.sensitivity,
            effect: spec.effect,
            examples: spec.examples,
            name: None,
            code: spec.code,
        });
        id
    }

    fn fill(&mut self, id: NodeId, spec: Spec) {
        let (shape, merge) = match spec.kind {
            Kind::Leaf(shape) => (shape, Merge::Replace),
            Kind::Struct {
                fields,
                unknown_keys,
                hints,
            } => {
                let fields = fields
                    .into_iter()
                    .map(|(name, spec)| Field {
                        name,
                        requirement: spec.requirement,
                        node: self.add(spec),
                    })
                    .collect();
                let shape = StructShape {
                    fields,
                    unknown_keys,
                    hints,
                };
                (Shape::Struct(shape), Merge::Struct)
            }
            Kind::Map {
                key,
                value,
                literal,
            } => {
                let literal = literal
                    .into_iter()
                    .map(|(key, spec)| (key, self.add(spec)))
                    .collect();
                let value = self.add(*value);
                self.refuse_null(value);
                let shape = MapShape {
                    key,
                    value,
                    literal,
                };
                (Shape::Map(shape), Merge::Map)
            }
            Kind::List(item) => {
                let item = self.add(*item);
                self.refuse_null(item);
                (Shape::List { item }, Merge::Replace)
            }
            Kind::Union(branches) => {
                let branches = branches.into_iter().map(|spec| self.add(spec)).collect();
                (Shape::Union(branches), Merge::Union)
            }
            Kind::Shared(name, make) => {
                self.share(id, name, make, spec.null);
                return;
            }
        };
        let wrapper = spec.wrapper.map(|wrapper| self.add(*wrapper));
        if let Some(node) = self.nodes.get_mut(id.index()) {
            node.shape = shape;
            node.merge = spec.merge.unwrap_or(merge);
            node.wrapper = wrapper;
        }
    }

    /// An entry of a map or list is there or it is not: no `null` says that it is unset.
    fn refuse_null(&mut self, id: NodeId) {
        if let Some(node) = self.nodes.get_mut(id.index())
            && node.null == NullMeaning::Unset
        {
            node.null = NullMeaning::Refused;
        }
    }

    /// Gives a place the shape of a shared description, and what it does not say itself.
    fn share(
        &mut self,
        place: NodeId,
        name: &'static str,
        make: fn() -> Spec,
        null: Option<NullMeaning>,
    ) {
        let target = match self.shared.get(name) {
            Some(target) => *target,
            None => {
                let spec = make();
                let target = self.reserve(&spec);
                self.shared.insert(name, target);
                self.open.push(target);
                self.fill(target, spec);
                self.open.pop();
                if let Some(node) = self.nodes.get_mut(target.index()) {
                    node.name = Some(name);
                }
                target
            }
        };
        if self.open.contains(&target) {
            self.pending.push((place, target));
        }
        let Some(shared) = self.nodes.get(target.index()).cloned() else {
            return;
        };
        if let Some(node) = self.nodes.get_mut(place.index()) {
            if node.doc.is_empty() {
                node.doc = shared.doc;
            }
            node.shape = shared.shape;
            node.default = node.default.take().or(shared.default);
            node.merge = if node.merge == Merge::Replace {
                shared.merge
            } else {
                node.merge
            };
            node.is_text_in_yaml |= shared.is_text_in_yaml;
            node.refuses_null_within |= shared.refuses_null_within;
            node.null = null.unwrap_or(shared.null);
            node.wrapper = shared.wrapper;
            node.since = node.since.or(shared.since);
            node.released &= shared.released;
            node.sensitivity = node.sensitivity.max(shared.sensitivity);
            node.effect = node.effect.or(shared.effect);
            if node.examples.is_empty() {
                node.examples = shared.examples;
            }
            node.name = Some(name);
            node.code = node.code.or(shared.code);
        }
    }
}
