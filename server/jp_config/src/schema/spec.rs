//! The words in which the schema is written.
//!
//! ```toml
//! # field("auto_install", "Whether ...", boolean().default(true))
//! auto_install = true
//! ```

use serde_json::Value;

use super::{
    Effect, KeyKind, Merge, NullMeaning, ReleasedForm, Requirement, Sensitivity, Shape, Shared,
    StringFormat, UnknownKeys, Variant,
};
use crate::code::Code;

/// A description on its way into the arena.
pub(super) struct Spec {
    pub(super) kind: Kind,
    pub(super) doc: &'static str,
    pub(super) default: Option<Value>,
    pub(super) merge: Option<Merge>,
    pub(super) null: Option<NullMeaning>,
    pub(super) is_text_in_yaml: bool,
    pub(super) refuses_null_within: bool,
    pub(super) wrapper: Option<Box<Spec>>,
    pub(super) since: Option<&'static str>,
    pub(super) released: bool,
    pub(super) sensitivity: Sensitivity,
    pub(super) effect: Option<Effect>,
    pub(super) examples: &'static [&'static str],
    pub(super) code: Option<Code>,
    pub(super) requirement: Requirement,
}

pub(super) enum Kind {
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
    Shared(Shared, fn() -> Spec),
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
    pub(super) fn null_meaning(&self) -> NullMeaning {
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

    pub(super) fn wrapped(mut self, wrapper: Spec) -> Self {
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
    table_of(fields)
}

/// A table of keys that are listed elsewhere.
pub(super) fn table_of(fields: impl IntoIterator<Item = (&'static str, Spec)>) -> Spec {
    Spec::new(Kind::Struct {
        fields: fields.into_iter().collect(),
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
pub(super) fn shared(name: Shared, make: fn() -> Spec) -> Spec {
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
        released: ReleasedForm::Itself,
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
        released: ReleasedForm::Itself,
    }
}

/// A string that the released `jp` does not know, with the one that comes nearest there.
pub(super) const fn unreleased_variant(
    value: &'static str,
    released_as: &'static str,
    doc: &'static str,
) -> Variant {
    Variant {
        released: ReleasedForm::Other(released_as),
        ..variant(value, doc)
    }
}

/// A string that the released `jp` does not know, nor anything like it.
pub(super) const fn new_variant(value: &'static str, doc: &'static str) -> Variant {
    Variant {
        released: ReleasedForm::Nothing,
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
        released: ReleasedForm::Itself,
    }
}
