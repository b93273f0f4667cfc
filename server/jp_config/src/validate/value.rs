//! One value against its description: its type, its range, its spelling.
//!
//! ```toml
//! run = "aks"        # unknown variant `aks`, expected one of `ask`, ...; did you mean `ask`?
//! timeout = "30"     # invalid type: string `30`, expected a whole number; write `30`
//! ```

use super::format;
use crate::{
    code::Code,
    schema::{Field, Node, NodeId, Requirement, Schema, Shape, StringFormat, StructShape, Variant},
    tree::{Kind, Notation, Tree},
    words::{LONGEST_SHOWN, one_of, quoted, shorten, suggest},
};

/// What is wrong with a value.
pub(super) struct Problem {
    pub(super) code: Code,
    pub(super) message: String,
    pub(super) expected: Vec<String>,
    pub(super) suggestion: Option<String>,
}

/// What a message ends with where a table stands in place of a list of tables.
pub(super) const WITHOUT_BRACKETS: &str =
    "; write `[[...]]` for an element, or name a `strategy` and a `value`";

/// Whether a value can be of this shape.
pub(super) fn fits<T: Tree>(shape: &Shape, tree: T) -> bool {
    let kind = tree.kind();
    match shape {
        Shape::Boolean => kind == Kind::Boolean,
        Shape::Integer { .. } => kind == Kind::Integer,
        Shape::Float => matches!(kind, Kind::Integer | Kind::Float),
        // A number in quotes is for TOML; in JSON and YAML `jp` reads it without them too.
        Shape::String(StringFormat::Number) => {
            kind == Kind::String || kind == Kind::Integer && tree.notation() != Notation::Toml
        }
        Shape::String(_) | Shape::Enum(_) => kind == Kind::String,
        Shape::Struct(_) | Shape::Map(_) => kind == Kind::Table,
        Shape::List { .. } => kind == Kind::Array,
        Shape::Any | Shape::Union(_) => true,
    }
}

pub(super) fn scalar<T: Tree>(schema: &Schema, id: NodeId, tree: T) -> Option<Problem> {
    let node = schema.node(id);
    if !fits(&node.shape, tree) {
        return Some(mismatch(schema, id, tree));
    }
    match &node.shape {
        Shape::Integer { minimum, maximum } => integer(*minimum, *maximum, tree),
        Shape::Enum(variants) => variant(node, variants, &tree.as_str()?),
        // What 64 bits with a sign do not hold is positive.
        Shape::String(_) if tree.kind() == Kind::Integer => {
            tree.as_i64().and_then(|_| integer(Some(0), None, tree))
        }
        Shape::String(format) => {
            let error = format::check(*format, &tree.as_str()?)?;
            Some(Problem {
                code: node.code.unwrap_or(error.code),
                message: error.message,
                expected: Vec::new(),
                suggestion: error.suggestion.as_deref().map(quoted),
            })
        }
        _ => None,
    }
}

fn integer<T: Tree>(minimum: Option<i64>, maximum: Option<i64>, tree: T) -> Option<Problem> {
    let within = tree.as_i64().is_some_and(|value| {
        minimum.is_none_or(|minimum| minimum <= value)
            && maximum.is_none_or(|maximum| value <= maximum)
    });
    (!within).then(|| {
        let bounds = match (minimum, maximum) {
            (Some(minimum), Some(maximum)) if minimum == maximum => format!("`{minimum}`"),
            (Some(minimum), Some(maximum)) => format!("a value from {minimum} to {maximum}"),
            (Some(minimum), None) => format!("at least {minimum}"),
            (None, Some(maximum)) => format!("at most {maximum}"),
            (None, None) => "a 64-bit integer".to_owned(),
        };
        Problem {
            code: Code::InvalidValue,
            message: format!("{} is out of range, expected {bounds}", show(tree)),
            expected: Vec::new(),
            suggestion: None,
        }
    })
}

pub(super) fn variant(node: &Node, variants: &'static [Variant], text: &str) -> Option<Problem> {
    let known = variants
        .iter()
        .any(|variant| variant.value == text || variant.aliases.contains(&text));
    if known {
        return None;
    }
    let current = || {
        variants
            .iter()
            .filter(|variant| variant.deprecated.is_none())
    };
    let names = current().map(|variant| variant.value);
    Some(Problem {
        code: node.code.unwrap_or(Code::InvalidValue),
        message: unknown_variant(node, text, &one_of(names.clone()), variants),
        expected: names.map(str::to_owned).collect(),
        suggestion: near_variant(text, variants).map(quoted),
    })
}

pub(super) fn unknown_variant(
    node: &Node,
    text: &str,
    expected: &str,
    variants: &'static [Variant],
) -> String {
    let what = match node.code {
        Some(Code::ParameterTypeUnknown) => "unknown parameter type",
        _ => "unknown variant",
    };
    let mut message = format!("{what} `{}`, expected {expected}", shorten(text));
    append_did_you_mean(&mut message, near_variant(text, variants));
    message
}

pub(super) fn mismatch<T: Tree>(schema: &Schema, id: NodeId, tree: T) -> Problem {
    let mut message = format!(
        "invalid type: {}, expected {}",
        show(tree),
        schema.describe(id)
    );
    let suggestion = rewritten(schema, id, tree);
    if let Some(suggestion) = &suggestion {
        message.push_str(&format!("; write `{suggestion}`"));
    } else if tree.kind() == Kind::Table && schema.node(id).wrapper.is_some() {
        message.push_str(WITHOUT_BRACKETS);
    }
    let variants = schema.variants(id);
    Problem {
        code: Code::TypeMismatch,
        message,
        expected: variants.iter().map(|v| v.value.to_owned()).collect(),
        suggestion,
    }
}

/// What is wrong with a table where the released `jp` reads text alone from YAML.
pub(super) fn table_in_yaml() -> Problem {
    Problem {
        code: Code::TypeMismatch,
        message: "invalid type: the released `jp` reads no table here from YAML; write it in a TOML or JSON file".to_owned(),
        expected: Vec::new(),
        suggestion: None,
    }
}

/// The same value in a form that is legal, as TOML.
fn rewritten<T: Tree>(schema: &Schema, id: NodeId, tree: T) -> Option<String> {
    let text = match tree.kind() {
        Kind::String => tree.as_str()?.into_owned(),
        Kind::Boolean => tree.as_bool()?.to_string(),
        Kind::Integer => tree.as_i64()?.to_string(),
        _ => return None,
    };
    if text.len() > LONGEST_SHOWN {
        return None;
    }
    schema
        .branches(id)
        .into_iter()
        .find_map(|branch| match tree.kind() {
            Kind::String => unquoted(schema, branch, &text),
            kind => requoted(schema, branch, kind, &text),
        })
        .or_else(|| nested(schema, id, tree, &text))
}

/// The text of a string, where it is a legal boolean or number.
fn unquoted(schema: &Schema, branch: NodeId, text: &str) -> Option<String> {
    let legal = match schema.node(branch).shape {
        Shape::Boolean => match text.to_ascii_lowercase().as_str() {
            "true" | "yes" | "on" => return Some("true".to_owned()),
            "false" | "no" | "off" => return Some("false".to_owned()),
            _ => false,
        },
        Shape::Integer { minimum, maximum } => text.parse::<i64>().is_ok_and(|value| {
            minimum.is_none_or(|minimum| minimum <= value)
                && maximum.is_none_or(|maximum| value <= maximum)
        }),
        Shape::Float => text.parse::<f64>().is_ok_and(f64::is_finite),
        _ => false,
    };
    legal.then(|| text.to_owned())
}

/// A boolean or number as a string, where any string is legal.
fn requoted(schema: &Schema, branch: NodeId, kind: Kind, text: &str) -> Option<String> {
    let legal = match schema.node(branch).shape {
        Shape::String(StringFormat::Number) => kind == Kind::Integer && text.parse::<u32>().is_ok(),
        Shape::String(StringFormat::Plain | StringFormat::Multiline) => true,
        _ => false,
    };
    legal.then(|| quoted(text))
}

/// A scalar as the only element of a list, or as the one key of a table that it can be meant for.
pub(super) fn nested<T: Tree>(schema: &Schema, id: NodeId, tree: T, text: &str) -> Option<String> {
    let written = match tree.kind() {
        Kind::String => quoted(text),
        _ => text.to_owned(),
    };
    let within = |id| match accepts(schema, id, tree) {
        true => Some(written.clone()),
        false => rewritten(schema, id, tree),
    };
    schema
        .branches(id)
        .into_iter()
        .find_map(|branch| match &schema.node(branch).shape {
            Shape::List { item } => Some(format!("[{}]", within(*item)?)),
            Shape::Struct(shape) => {
                let field = meant_field(schema, shape, text)?;
                Some(format!("{{ {} = {} }}", field.name, within(field.node)?))
            }
            _ => None,
        })
}

/// The only key that a table needs, or the one whose enum has the text.
fn meant_field<'s>(schema: &Schema, shape: &'s StructShape, text: &str) -> Option<&'s Field> {
    let mut required = shape
        .fields
        .iter()
        .filter(|field| field.requirement == Requirement::Local);
    match (required.next(), required.next()) {
        (Some(only), None) => Some(only),
        (Some(_), Some(_)) => None,
        (None, _) => shape.fields.iter().find(|field| {
            schema
                .variants(field.node)
                .iter()
                .any(|variant| variant.value == text)
        }),
    }
}

fn accepts<T: Tree>(schema: &Schema, id: NodeId, tree: T) -> bool {
    schema.branches(id).into_iter().any(|branch| {
        fits(&schema.node(branch).shape, tree) && scalar(schema, branch, tree).is_none()
    })
}

pub(super) fn near_variant<'v>(
    text: &str,
    variants: impl IntoIterator<Item = &'v Variant>,
) -> Option<&'static str> {
    suggest(
        text,
        variants
            .into_iter()
            .filter(|variant| variant.deprecated.is_none())
            .map(|variant| variant.value),
    )
}

pub(super) fn append_did_you_mean(message: &mut String, near: Option<&str>) {
    if let Some(near) = near {
        message.push_str(&format!("; did you mean `{near}`?"));
    }
}

/// A value as messages name it: its type, and its text where it is short.
pub(super) fn show<T: Tree>(tree: T) -> String {
    let name = tree.kind().name();
    match tree.kind() {
        Kind::String => tree.as_str().map_or_else(
            || name.to_owned(),
            |text| format!("{name} `{}`", shorten(&text)),
        ),
        Kind::Boolean => tree
            .as_bool()
            .map_or_else(|| name.to_owned(), |value| format!("{name} `{value}`")),
        Kind::Integer => tree
            .as_i64()
            .map_or_else(|| name.to_owned(), |value| format!("{name} `{value}`")),
        Kind::Float => tree
            .as_f64()
            .map_or_else(|| name.to_owned(), |value| format!("{name} `{value:?}`")),
        _ => name.to_owned(),
    }
}
