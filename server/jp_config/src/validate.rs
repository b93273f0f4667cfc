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

mod format;
mod required;
mod unknown;
mod value;

use self::value::{
    Problem, WITHOUT_BRACKETS, append_did_you_mean, fits, mismatch, near_variant, nested, scalar,
    show, table_in_yaml, unknown_variant, variant,
};
pub use self::{
    required::{missing_companions, missing_global, missing_required, rejected_by_released},
    unknown::{UnknownKey, unknown_key, unknown_key_severity},
};
use crate::{
    code::{Code, Severity},
    path::{push_index, push_key},
    schema::{
        Field, KeyKind, MapShape, NodeId, NullMeaning, Requirement, Schema, Shape, StructShape,
    },
    tree::{Kind, Notation, Tree},
    words::{alternatives, quoted},
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
        if let Some(wrapper) = schema.wrapper_of(id, tree) {
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

#[cfg(test)]
#[path = "validate_tests.rs"]
mod tests;
