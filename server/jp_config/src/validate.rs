//! Structural validation against the schema tree.
//!
//! ```toml
//! [conversation.tools.fs_modify_file]
//! run = "aks"     # unknown variant `aks`, expected one of `ask`, ...; did you mean `ask`?
//! summery = "x"   # unknown key `summery`, did you mean `summary`?
//! ```
//!
//! All mistakes are reported, each at the smallest thing that is wrong, over located TOML and plain JSON alike.
//! Nothing is required of one file except what no other file can add; [`missing_required`] and
//! [`missing_global`] look at merged config.

mod code;
mod format;
mod located;
mod merged;
mod required;
mod suggest;
mod tree;
mod unknown;

use std::fmt::Write as _;

pub use self::{
    code::{Code, Severity},
    required::{missing_global, missing_required, rejected_by_released},
    suggest::suggest,
    tree::{DataTree, Kind, Notation, Tree},
    unknown::{UnknownKey, unknown_key, unknown_key_severity},
};
use crate::schema::{
    Field, KeyKind, MapShape, Node, NodeId, NullMeaning, Requirement, Schema, Shape, StringFormat,
    StructShape, Variant, alternatives, one_of,
};

/// One mistake.
#[derive(Clone)]
pub struct Violation<T: Tree> {
    /// What kind of mistake it is.
    pub code: Code,
    /// How bad it is: what the released `jp` silently ignores is a warning.
    pub severity: Severity,
    /// What is wrong.
    pub at: At<T>,
    /// The config path of what is wrong, dotted, with indexes of lists as segments.
    pub path: String,
    /// What is wrong and what to write instead.
    pub message: String,
    /// The legal keys or strings, where they are few.
    pub expected: Vec<String>,
    /// What to write instead, as TOML text: a key where the key is wrong, else a value.
    pub suggestion: Option<String>,
}

/// What a message ends with where a table stands in place of a list of tables.
const WITHOUT_BRACKETS: &str =
    "; write `[[...]]` for an element, or name a `strategy` and a `value`";

impl<T: Tree> Violation<T> {
    /// Whether the value is an element of a list and lacks the list's brackets.
    #[must_use]
    pub fn lacks_brackets(&self) -> bool {
        self.code == Code::TypeMismatch && self.message.ends_with(WITHOUT_BRACKETS)
    }
}

/// Which part of the document is wrong.
#[derive(Clone)]
pub enum At<T: Tree> {
    /// The key of an entry.
    Key(T::Entry),
    /// A value; for a missing key, the table that lacks it.
    Value(T),
}

/// Whether a table is all that its file says about it.
#[derive(Debug, Copy, Clone, Eq, PartialEq)]
pub enum Extent {
    /// It is: keys that must stand in the same file are looked for.
    Whole,
    /// Other sections of the file may add keys to the table itself.
    Part,
}

/// Checks a value against its description.
///
/// `path` is the config path of the value, for messages; it is empty for a whole file.
#[must_use]
pub fn validate<T: Tree>(schema: &Schema, id: NodeId, tree: T, path: &str) -> Vec<Violation<T>> {
    validate_table(schema, id, tree, path, Extent::Whole)
}

/// Checks one section of a file against the description of its header's path.
///
/// The result depends on the arguments alone, so it may be cached per section.
#[must_use]
pub fn validate_table<T: Tree>(
    schema: &Schema,
    id: NodeId,
    tree: T,
    path: &str,
    extent: Extent,
) -> Vec<Violation<T>> {
    validate_up_to(usize::MAX, schema, id, tree, path, extent).0
}

/// Checks as [`validate_table`] does, and describes `limit` mistakes at most.
#[must_use]
pub fn validate_up_to<T: Tree>(
    limit: usize,
    schema: &Schema,
    id: NodeId,
    tree: T,
    path: &str,
    extent: Extent,
) -> (Vec<Violation<T>>, Omitted) {
    let mut validator = Validator {
        schema,
        path: path.to_owned(),
        limit,
        violations: Vec::new(),
        omitted: Omitted::default(),
        is_buffered: false,
        refuses_null: false,
    };
    validator.value(id, tree, extent);
    (validator.violations, validator.omitted)
}

/// The mistakes that are counted and not described.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Omitted {
    /// How many there are.
    pub count: usize,
    /// The first of the worst among them; nothing where there are none.
    pub worst: Option<(Severity, Code)>,
}

impl Omitted {
    fn note(&mut self, severity: Severity, code: Code) {
        self.count += 1;
        let is_worse = match self.worst {
            None => true,
            Some((worst, _)) => worst == Severity::Warning && severity == Severity::Error,
        };
        if is_worse {
            self.worst = Some((severity, code));
        }
    }
}

struct Validator<'s, T: Tree> {
    schema: &'s Schema,
    path: String,
    limit: usize,
    violations: Vec<Violation<T>>,
    omitted: Omitted,
    /// Whether the released `jp` reads the place in two steps: first as any value, then by its type.
    is_buffered: bool,
    /// Whether the place is below a value that refuses every `null` within.
    refuses_null: bool,
}

/// What is wrong with a scalar.
struct Problem {
    code: Code,
    message: String,
    expected: Vec<String>,
    suggestion: Option<String>,
}

impl<T: Tree> Validator<'_, T> {
    fn value(&mut self, id: NodeId, tree: T, extent: Extent) {
        let schema = self.schema;
        let node = schema.node(id);
        let kind = tree.kind();
        match kind {
            Kind::Missing => return,
            Kind::Null => return self.null(id, tree),
            _ => {}
        }
        if let Some(wrapper) = node.wrapper
            && is_wrapped(schema, node, wrapper, tree)
        {
            self.value(wrapper, tree, extent);
            return;
        }
        match &node.shape {
            Shape::Union(branches) => {
                let outside = (self.is_buffered, self.refuses_null);
                self.is_buffered = true;
                self.refuses_null |= node.refuses_null_within;
                self.union(id, branches, tree, extent);
                (self.is_buffered, self.refuses_null) = outside;
            }
            Shape::Struct(shape) if kind == Kind::Table => self.table(shape, tree, extent),
            Shape::Map(shape) if kind == Kind::Table => self.map(shape, tree),
            Shape::List { item } if kind == Kind::Array => {
                for (index, element) in tree.items().enumerate() {
                    let length = push_index(&mut self.path, index);
                    self.value(*item, element, Extent::Whole);
                    self.path.truncate(length);
                }
            }
            _ => {
                if let Some(problem) = scalar(schema, id, tree) {
                    self.report(problem, tree);
                }
            }
        }
    }

    /// A `null` sets nothing where the value is optional; elsewhere the released `jp` refuses it.
    fn null(&mut self, id: NodeId, tree: T) {
        let is_refused = match self.schema.node(id).null {
            NullMeaning::Value => false,
            NullMeaning::Unset => self.refuses_null,
            NullMeaning::Refused | NullMeaning::Kept => true,
            NullMeaning::Empty => tree.notation() != Notation::Yaml || self.is_buffered,
        };
        if is_refused {
            let message = format!(
                "invalid type: null, expected {}; leave the key out to set nothing",
                self.schema.describe(id)
            );
            let problem = Problem {
                code: Code::TypeMismatch,
                message,
                expected: Vec::new(),
                suggestion: None,
            };
            self.report(problem, tree);
        }
    }

    fn union(&mut self, id: NodeId, branches: &[NodeId], tree: T, extent: Extent) {
        if self.schema.node(id).is_text_in_yaml
            && tree.kind() == Kind::Table
            && tree.notation() == Notation::Yaml
        {
            return self.report(table_in_yaml(), tree);
        }
        let fitting: Vec<_> = branches
            .iter()
            .copied()
            .filter(|branch| fits(&self.schema.node(*branch).shape, tree))
            .collect();
        match fitting.as_slice() {
            [] => self.report(mismatch(self.schema, id, tree), tree),
            [only] => match self.schema.node(*only).shape {
                Shape::Enum(variants) => {
                    let text = tree.as_str().unwrap_or_default();
                    let node = self.schema.node(*only);
                    if let Some(mut problem) = variant(node, variants, &text) {
                        let expected = self.schema.describe(id);
                        problem.message = unknown_variant(node, &text, &expected, variants);
                        if problem.suggestion.is_none()
                            && let Some(suggestion) = nested(self.schema, id, tree, &text)
                        {
                            problem.message.push_str(&format!("; write `{suggestion}`"));
                            problem.suggestion = Some(suggestion);
                        }
                        self.report(problem, tree);
                    }
                }
                _ => self.value(*only, tree, extent),
            },
            _ => self.best_branch(&fitting, tree, extent),
        }
    }

    /// Reports the mistakes of the branch with the fewest, and for scalars what all branches expect.
    fn best_branch(&mut self, fitting: &[NodeId], tree: T, extent: Extent) {
        let kept = self.violations.len();
        let before = self.omitted;
        let mut best: Option<(usize, Vec<Violation<T>>, Omitted)> = None;
        for branch in fitting {
            self.value(*branch, tree, extent);
            let found = self.violations.split_off(kept);
            let omitted = std::mem::replace(&mut self.omitted, before);
            let count = found.len() + omitted.count - before.count;
            if count == 0 {
                return;
            }
            if best.as_ref().is_none_or(|(least, ..)| count < *least) {
                best = Some((count, found, omitted));
            }
        }
        if matches!(tree.kind(), Kind::Table | Kind::Array) {
            if let Some((_, found, omitted)) = best {
                self.violations.extend(found);
                self.omitted = omitted;
            }
            return;
        }
        let parts = fitting.iter().map(|branch| self.schema.describe(*branch));
        let variants: Vec<_> = fitting
            .iter()
            .flat_map(|branch| self.schema.variants(*branch))
            .collect();
        let near = tree
            .as_str()
            .and_then(|text| near_variant(&text, variants.iter().copied()));
        let mut message = format!(
            "invalid value: {}, expected {}",
            show(tree),
            alternatives(parts)
        );
        append_did_you_mean(&mut message, near);
        let problem = Problem {
            code: Code::InvalidValue,
            message,
            expected: variants.iter().map(|v| v.value.to_owned()).collect(),
            suggestion: near.map(quoted),
        };
        self.report(problem, tree);
    }

    fn table(&mut self, shape: &StructShape, tree: T, extent: Extent) {
        for entry in tree.entries() {
            let key = T::key(&entry);
            match shape.fields.iter().find(|field| field.name == key) {
                Some(field) if self.is_null_for_required(field, T::value(&entry)) => {
                    self.push(Severity::Error, Code::MissingRequired, |validator| {
                        Violation {
                            at: At::Value(T::value(&entry)),
                            ..required::missing(&validator.path, field.name, tree)
                        }
                    });
                }
                Some(field) => {
                    let length = push_key(&mut self.path, key);
                    self.value(field.node, T::value(&entry), Extent::Whole);
                    self.path.truncate(length);
                }
                // A key without a value is still being typed, and its syntax error says so.
                None if T::value(&entry).kind() == Kind::Missing => {}
                None => self.unknown_key(shape, &entry),
            }
        }
        if extent == Extent::Part {
            return;
        }
        let missing = shape.fields.iter().filter(|field| {
            field.requirement == Requirement::Local && tree.get(field.name).is_none()
        });
        for field in missing {
            self.push(Severity::Error, Code::MissingRequired, |validator| {
                required::missing(&validator.path, field.name, tree)
            });
        }
    }

    /// Whether a `null` stands where a value is required that must not be left out.
    fn is_null_for_required(&self, field: &Field, tree: T) -> bool {
        field.requirement == Requirement::Local
            && tree.kind() == Kind::Null
            && self.schema.node(field.node).null == NullMeaning::Kept
    }

    fn map(&mut self, shape: &MapShape, tree: T) {
        for entry in tree.entries() {
            let key = T::key(&entry);
            let length = push_key(&mut self.path, key);
            if shape.key == KeyKind::Label
                && let Err(message) = format::label_key(key)
            {
                self.push(Severity::Error, Code::InvalidValue, |validator| Violation {
                    code: Code::InvalidValue,
                    severity: Severity::Error,
                    at: At::Key(entry.clone()),
                    path: validator.path.clone(),
                    message,
                    expected: Vec::new(),
                    suggestion: None,
                });
            }
            let node = shape.get(key);
            let is_tool = shape.key == KeyKind::Tool && node == shape.value;
            let outside = self.is_buffered;
            self.is_buffered |= is_tool;
            self.value(node, T::value(&entry), Extent::Whole);
            self.is_buffered = outside;
            self.path.truncate(length);
        }
    }

    fn unknown_key(&mut self, shape: &StructShape, entry: &T::Entry) {
        let key = T::key(entry);
        let length = push_key(&mut self.path, key);
        let severity = unknown::severity(shape);
        self.push(severity, Code::UnknownKey, |validator| {
            let unknown = unknown::in_table(validator.schema, shape, key);
            Violation {
                code: Code::UnknownKey,
                severity,
                at: At::Key(entry.clone()),
                path: validator.path.clone(),
                message: unknown.message,
                expected: unknown.expected.into_iter().map(str::to_owned).collect(),
                suggestion: unknown.suggestion,
            }
        });
        self.path.truncate(length);
    }

    /// Describes a mistake, or counts it where enough are described.
    fn push(
        &mut self,
        severity: Severity,
        code: Code,
        violation: impl FnOnce(&Self) -> Violation<T>,
    ) {
        if self.violations.len() < self.limit {
            let violation = violation(self);
            self.violations.push(violation);
        } else {
            self.omitted.note(severity, code);
        }
    }

    fn report(&mut self, problem: Problem, tree: T) {
        self.push(Severity::Error, problem.code, |validator| Violation {
            code: problem.code,
            severity: Severity::Error,
            at: At::Value(tree),
            path: validator.path.clone(),
            message: problem.message,
            expected: problem.expected,
            suggestion: problem.suggestion,
        });
    }
}

/// Whether a table is the merge wrapper of a value and not the value itself.
///
/// The released `jp` reads any table over a list as a wrapper and ignores every key that it does not know.
/// A table with none of the wrapper's keys is an element without its brackets instead.
fn is_wrapped<T: Tree>(schema: &Schema, node: &Node, wrapper: NodeId, tree: T) -> bool {
    if tree.kind() != Kind::Table {
        return false;
    }
    if matches!(node.shape, Shape::Map(_)) {
        return tree.get("value").is_some() && tree.get("strategy").is_some();
    }
    let mut entries = tree.entries().peekable();
    entries.peek().is_none() || entries.any(|entry| schema.field(wrapper, T::key(&entry)).is_some())
}

/// What is wrong with a table where the released `jp` reads text alone from YAML.
fn table_in_yaml() -> Problem {
    Problem {
        code: Code::TypeMismatch,
        message: "invalid type: the released `jp` reads no table here from YAML; write it in a TOML or JSON file".to_owned(),
        expected: Vec::new(),
        suggestion: None,
    }
}

/// Whether a value can be of this shape.
fn fits<T: Tree>(shape: &Shape, tree: T) -> bool {
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

fn scalar<T: Tree>(schema: &Schema, id: NodeId, tree: T) -> Option<Problem> {
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

fn variant(node: &Node, variants: &'static [Variant], text: &str) -> Option<Problem> {
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

fn unknown_variant(
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

fn mismatch<T: Tree>(schema: &Schema, id: NodeId, tree: T) -> Problem {
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
fn nested<T: Tree>(schema: &Schema, id: NodeId, tree: T, text: &str) -> Option<String> {
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

fn near_variant<'v>(
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

fn append_did_you_mean(message: &mut String, near: Option<&str>) {
    if let Some(near) = near {
        message.push_str(&format!("; did you mean `{near}`?"));
    }
}

const LONGEST_SHOWN: usize = 60;

/// A value as messages name it: its type, and its text where it is short.
fn show<T: Tree>(tree: T) -> String {
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

/// User text on one line, without control characters and not longer than a message can bear.
fn shorten(text: &str) -> String {
    let mut shown: String = text
        .chars()
        .take(LONGEST_SHOWN)
        .map(|character| {
            if character.is_control() {
                ' '
            } else {
                character
            }
        })
        .collect();
    if shown.len() < text.len() {
        shown.push('…');
    }
    shown
}

/// A TOML basic string.
fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for character in text.chars() {
        match character {
            '"' | '\\' => {
                out.push('\\');
                out.push(character);
            }
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            character if character.is_control() => {
                // Writing to a string cannot fail.
                let _ = write!(out, "\\u{:04X}", u32::from(character));
            }
            character => out.push(character),
        }
    }
    out.push('"');
    out
}

/// Appends a key to a config path and returns the length before it.
pub(crate) fn push_key(path: &mut String, key: &str) -> usize {
    let length = path.len();
    if !path.is_empty() {
        path.push('.');
    }
    let bare = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    if key == "*" || (!key.is_empty() && key.bytes().all(bare)) {
        path.push_str(key);
    } else {
        path.push_str(&quoted(key));
    }
    length
}

fn push_index(path: &mut String, index: usize) -> usize {
    let length = path.len();
    // Writing to a string cannot fail.
    let _ = write!(path, ".{index}");
    length
}

#[cfg(test)]
#[path = "validate_tests.rs"]
mod tests;
