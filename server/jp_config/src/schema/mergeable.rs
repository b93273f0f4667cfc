//! Values whose table form names how they combine with those of earlier layers.
//!
//! ```toml
//! extends = { value = ["base.toml"], strategy = "prepend" }
//! ```

use serde_json::Value;

use super::{
    KeyKind, Merge, Requirement, Strategy, Variant,
    spec::{Spec, boolean, field, list, map, multiline, one_of, shared, table, union, variant},
};

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
