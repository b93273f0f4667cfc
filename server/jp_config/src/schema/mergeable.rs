//! Values whose table form names how they combine with those of earlier layers.
//!
//! ```toml
//! extends = { value = ["base.toml"], strategy = "prepend" }
//! ```

use serde_json::Value;

use super::{
    KeyKind, MapStrategy, Merge, Requirement, Shared, Strategy, Variant,
    spec::{Spec, boolean, field, list, map, multiline, one_of, shared, table, union, variant},
    wrapper::{DEDUP, DISCARD, SEPARATOR, STRATEGY, VALUE},
};

const LIST_STRATEGY: &[Variant] = &[
    variant(
        Strategy::Append.as_str(),
        "The elements follow those of earlier layers.",
    ),
    variant(
        Strategy::Prepend.as_str(),
        "The elements precede those of earlier layers.",
    ),
    variant(
        Strategy::Replace.as_str(),
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
        MapStrategy::DeepMerge.as_str(),
        "Keys of both layers stay, and equal keys merge recursively.",
    ),
    variant(
        MapStrategy::Merge.as_str(),
        "Keys of both layers stay, and equal keys take this layer's value.",
    ),
    variant(
        MapStrategy::Keep.as_str(),
        "Keys of both layers stay, and equal keys keep the earlier value.",
    ),
    variant(
        MapStrategy::Replace.as_str(),
        "Only the keys of this layer stay.",
    ),
];

const DEDUP_VARIANTS: &[Variant] = &[variant(
    "inherit",
    "Equal elements are dropped if an earlier layer asked for it.",
)];

fn list_strategy() -> Spec {
    shared(Shared::ListStrategy, || one_of(LIST_STRATEGY))
}

fn discard(spec: Spec) -> (&'static str, Spec) {
    field(
        DISCARD,
        "Whether this value is dropped as soon as a later layer sets one.",
        spec.default(false),
    )
}

/// A list that plainly appends, and whose table form names another strategy.
pub(super) fn mergeable_list(make: fn() -> Spec) -> Spec {
    let wrapper = table([
        field(VALUE, "The elements.", list(make()).default(Value::Array(Vec::new())).empty_if_null()),
        field(STRATEGY,
            "Where the elements go, relative to those of earlier layers.",
            list_strategy().default(Strategy::Append.as_str()),
        ),
        field(DEDUP,
            "Whether equal elements are dropped after merging; once `true`, it stays so for later layers.",
            shared(Shared::Dedup, || union([boolean(), one_of(DEDUP_VARIANTS)]).merge(Merge::Replace)).default("inherit"),
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
            VALUE,
            "The rules, or one mode for every call.",
            make().required(Requirement::Local),
        ),
        field(
            STRATEGY,
            "Where the rules go, relative to those of earlier layers.",
            list_strategy().default(Strategy::Replace.as_str()),
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
        field(VALUE, "The text.", multiline()),
        field(
            STRATEGY,
            "Where the text goes, relative to that of earlier layers.\n\n\
             Always write it: the released `jp` turns a table without a strategy over an existing text into an empty one.",
            list_strategy(),
        ),
        field(
            SEPARATOR,
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
        field(VALUE, "The entries.", map(key, make()).never_null()),
        field(
            STRATEGY,
            "How the entries combine with those of earlier layers.",
            one_of(MAP_STRATEGY).default(MapStrategy::DeepMerge.as_str()),
        ),
        discard(boolean().never_null()),
    ]);
    map(key, make())
        .merge(Merge::MergeableMap)
        .never_null()
        .wrapped(wrapper)
}
