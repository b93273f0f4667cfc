//! The `arg` of a rule: a JSON Pointer along the parameters of a tool (RFD D25, "Argument paths").
//!
//! ```toml
//! { arg = "/patterns/paths", prefix = ".env", mode = "ask" } # any path of any pattern
//! ```

use std::ops::Range;

use indexmap::IndexMap;
use jsonptr::{Pointer, Token};
use serde_json::{Map, Value};

use crate::{
    matcher::{MatcherKind, TextForm},
    parameter::{Parameter, ParameterType, Parameters},
    problem::{PointerSyntax, RuleProblemKind, Unresolved},
};

/// As many arrays as there are.
const EVERY_ARRAY: u32 = u32::MAX;

/// A resolved `arg`.
#[derive(Clone, Debug)]
pub(crate) struct Argument {
    pub(crate) pointer: String,
    pub(crate) steps: Vec<Step>,
    /// The types of the values at the pointer, after the traversal of arrays; empty for any type.
    pub(crate) types: Vec<ParameterType>,
    /// The declared values at the pointer; `None` when they are not limited.
    pub(crate) members: Option<Vec<Value>>,
    pub(crate) form: TextForm,
    /// With an object at the first this many steps, there is a value at the pointer.
    ///
    /// 0: every call that is decided has a value there; as many as there are steps: never guaranteed.
    pub(crate) forced_from: usize,
    /// The same, for a call as it is made: with all its paths.
    pub(crate) required_from: usize,
}

/// One segment of a pointer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Step {
    pub(crate) name: String,
    /// How many arrays, one in the other, may stand at this property.
    pub(crate) arrays: u32,
}

impl Argument {
    /// Whether one call can have several values at the pointer.
    pub(crate) fn is_repeated(&self) -> bool {
        self.steps.iter().any(|step| step.arrays > 0)
    }

    /// The matchers that can stand on the values at the pointer.
    pub(crate) fn legal_matchers(&self) -> Vec<MatcherKind> {
        MatcherKind::ALL
            .iter()
            .copied()
            .filter(|kind| self.allows(*kind))
            .collect()
    }

    /// The values that can be at the pointer, where they are few; else none.
    pub(crate) fn few_values(&self) -> Vec<Value> {
        match &self.members {
            Some(members) => members.clone(),
            None if self.types == [ParameterType::Boolean] => {
                vec![Value::Bool(true), Value::Bool(false)]
            }
            None => Vec::new(),
        }
    }

    /// Whether `kind` can stand on the values at the pointer.
    pub(crate) fn allows(&self, kind: MatcherKind) -> bool {
        self.types.is_empty() || self.types.iter().any(|each| kind.legal_for(*each))
    }

    /// Calls `found` with every value that `arguments` has at the pointer.
    pub(crate) fn visit<'a>(&self, arguments: &'a Value, found: &mut dyn FnMut(&'a Value)) {
        if let Value::Object(arguments) = arguments {
            visit_object(&self.steps, arguments, found);
        }
    }
}

/// What the values at a pointer can be.
#[derive(Clone, Debug, PartialEq)]
pub struct PointerTarget {
    /// Their types, after the traversal of arrays; empty for any type.
    pub types: Vec<ParameterType>,
    /// The declared values; `None` when they are not limited.
    pub values: Option<Vec<Value>>,
    /// Whether one call can have several.
    pub is_repeated: bool,
    /// The matchers that can stand on them.
    pub matchers: Vec<MatcherKind>,
}

/// Follows `pointer` along `parameters` as a rule does; `None` where no rule can.
#[must_use]
pub fn target(pointer: &str, parameters: &Parameters) -> Option<PointerTarget> {
    let argument = resolve(pointer, parameters).ok()?;
    Some(PointerTarget {
        is_repeated: argument.is_repeated(),
        matchers: argument.legal_matchers(),
        types: argument.types,
        values: argument.members,
    })
}

fn visit_object<'a>(
    steps: &[Step],
    object: &'a Map<String, Value>,
    found: &mut dyn FnMut(&'a Value),
) {
    if let [step, rest @ ..] = steps
        && let Some(value) = object.get(&step.name)
    {
        visit_value(rest, value, step.arrays, found);
    }
}

fn visit_value<'a>(rest: &[Step], value: &'a Value, arrays: u32, found: &mut dyn FnMut(&'a Value)) {
    match value {
        Value::Array(elements) if arrays > 0 => {
            for element in elements {
                visit_value(rest, element, arrays.saturating_sub(1), found);
            }
        }
        value if rest.is_empty() => found(value),
        Value::Object(object) => visit_object(rest, object, found),
        _ => {}
    }
}

/// One way to read a value: as what a parameter declares, after the traversal of arrays.
#[derive(Clone, Copy)]
struct View<'a> {
    /// `None`: nothing is declared.
    parameter: Option<&'a Parameter>,
    in_array: bool,
}

impl<'a> View<'a> {
    fn properties(self) -> Option<&'a IndexMap<String, Parameter>> {
        let parameter = self.parameter?;
        (parameter.types.is_empty() || parameter.may_be(ParameterType::Object))
            .then_some(&parameter.properties)
    }

    fn is_unknown(self) -> bool {
        self.parameter
            .is_none_or(|parameter| parameter.types.is_empty())
    }

    fn is_only_an_object(self) -> bool {
        !self.in_array
            && self
                .parameter
                .is_some_and(|parameter| parameter.types == [ParameterType::Object])
    }
}

/// The views of a value of `parameter`, and how many arrays may stand before them.
fn views(parameter: &Parameter) -> (Vec<View<'_>>, u32) {
    let mut views = Vec::new();
    let mut arrays: u32 = 0;
    let mut current = Some(parameter);
    loop {
        let in_array = arrays > 0;
        let Some(parameter) = current else {
            views.push(View {
                parameter: None,
                in_array,
            });
            return (views, arrays);
        };
        let is_array = parameter.may_be(ParameterType::Array);
        if !is_array || parameter.types.len() > 1 {
            views.push(View {
                parameter: Some(parameter),
                in_array,
            });
        }
        if !is_array {
            return (views, arrays);
        }
        arrays = arrays.saturating_add(1);
        current = parameter.items.as_deref();
    }
}

/// Resolves `pointer` along `parameters`.
///
/// # Errors
///
/// [`RuleProblemKind::PointerSyntax`] and [`RuleProblemKind::Unresolved`]; the latter only when `parameters` are not open.
pub(crate) fn resolve(
    pointer: &str,
    parameters: &Parameters,
) -> Result<Argument, Box<RuleProblemKind>> {
    let names = parse(pointer, parameters)?;
    let mut steps: Vec<Step> = Vec::with_capacity(names.len());
    let mut here: Vec<View<'_>> = Vec::new();
    let mut forced_from: usize = 0;
    for (segment, (name, range)) in names.iter().enumerate() {
        let tables: Vec<&IndexMap<String, Parameter>> = if segment == 0 {
            vec![&parameters.properties]
        } else {
            here.iter().filter_map(|view| view.properties()).collect()
        };
        let found: Vec<&Parameter> = tables.iter().filter_map(|table| table.get(name)).collect();
        if found.is_empty() {
            if parameters.open {
                return Ok(undeclared(pointer, steps, names.get(segment..)));
            }
            return Err(Box::new(unresolved(
                pointer,
                names.get(..segment).unwrap_or_default(),
                segment,
                (name, range),
                &here,
                &tables,
            )));
        }
        let alone = tables.len() == 1;
        let certain = alone && found.iter().all(|parameter| parameter.required);
        if !certain {
            forced_from = segment.saturating_add(1);
        } else if segment > 0 && !(here.len() == 1 && here.iter().all(|v| v.is_only_an_object())) {
            forced_from = segment;
        }
        let mut arrays = 0;
        here = Vec::new();
        for parameter in found {
            let (more, mut depth) = views(parameter);
            if parameters.open && more.iter().any(|view| view.is_unknown()) {
                depth = EVERY_ARRAY;
            }
            here.extend(more);
            arrays = arrays.max(depth);
        }
        steps.push(Step {
            name: name.clone(),
            arrays,
        });
    }
    if steps.last().is_some_and(|step| step.arrays > 0) {
        forced_from = steps.len();
    }
    let mut argument = leaf(pointer, steps, forced_from, &here);
    if argument.form == TextForm::Path && parameters.path_pointers().len() > 1 {
        // The call in which another path is decided lacks this one, required or not.
        argument.forced_from = argument.steps.len();
    }
    Ok(argument)
}

fn leaf(pointer: &str, steps: Vec<Step>, forced_from: usize, views: &[View<'_>]) -> Argument {
    let mut types: Vec<ParameterType> = Vec::new();
    let mut members: Option<Vec<Value>> = Some(Vec::new());
    let mut any = false;
    for view in views {
        let mut own: Vec<ParameterType> = view
            .parameter
            .map(|parameter| parameter.types.clone())
            .unwrap_or_default();
        any |= own.is_empty();
        own.retain(|kind| *kind != ParameterType::Array);
        let declared = view
            .parameter
            .and_then(|parameter| declared_values(parameter, &own));
        types.extend(own);
        members = match (members, declared) {
            (Some(mut members), Some(declared)) => {
                members.extend(declared);
                Some(members)
            }
            _ => None,
        };
    }
    if any {
        types.clear();
    }
    types.sort_unstable();
    types.dedup();
    let form = if types.contains(&ParameterType::Path) {
        TextForm::Path
    } else {
        TextForm::Plain
    };
    Argument {
        pointer: pointer.to_owned(),
        steps,
        types,
        members,
        form,
        forced_from,
        required_from: forced_from,
    }
}

/// The declared values that have one of `types`; `None` when nothing usable is declared.
pub(crate) fn declared_values(
    parameter: &Parameter,
    types: &[ParameterType],
) -> Option<Vec<Value>> {
    let declared: Vec<Value> = parameter
        .enumeration
        .as_ref()?
        .iter()
        .filter(|value| types.is_empty() || types.iter().any(|kind| kind.admits(value)))
        .cloned()
        .collect();
    (!declared.is_empty()).then_some(declared)
}

/// An argument that leaves what is declared: it is looked for in the arguments as they come.
fn undeclared(
    pointer: &str,
    mut steps: Vec<Step>,
    rest: Option<&[(String, Range<usize>)]>,
) -> Argument {
    steps.extend(rest.unwrap_or_default().iter().map(|(name, _)| Step {
        name: name.clone(),
        arrays: EVERY_ARRAY,
    }));
    Argument {
        pointer: pointer.to_owned(),
        forced_from: steps.len(),
        required_from: steps.len(),
        steps,
        types: Vec::new(),
        members: None,
        form: TextForm::Plain,
    }
}

/// The decoded segments of a pointer and their bytes.
fn parse(
    pointer: &str,
    parameters: &Parameters,
) -> Result<Vec<(String, Range<usize>)>, Box<RuleProblemKind>> {
    let problem = |reason, range| {
        Box::new(RuleProblemKind::PointerSyntax {
            pointer: pointer.to_owned(),
            reason,
            range,
        })
    };
    let parsed = match Pointer::parse(pointer) {
        Ok(parsed) => parsed,
        Err(jsonptr::ParseError::NoLeadingSlash) => {
            let suggestion = pointer
                .trim_start_matches(['#', '$', '.'])
                .replace('.', "/");
            return Err(problem(
                PointerSyntax::NoLeadingSlash {
                    suggestion: suggestion.trim_start_matches('/').to_owned(),
                },
                0..pointer.len(),
            ));
        }
        Err(error) => {
            let start = error.complete_offset();
            let end = pointer
                .char_indices()
                .map(|(at, character)| at.saturating_add(character.len_utf8()))
                .find(|end| *end > start.saturating_add(1))
                .unwrap_or(pointer.len());
            return Err(problem(PointerSyntax::Escape, start..end));
        }
    };
    if parsed.is_root() {
        return Err(problem(PointerSyntax::Root, 0..0));
    }
    if pointer == "/" && !parameters.properties.contains_key("") {
        return Err(problem(PointerSyntax::EmptyName, 0..1));
    }
    let mut start: usize = 0;
    Ok(parsed
        .tokens()
        .map(|token: Token<'_>| {
            start = start.saturating_add(1);
            let end = start.saturating_add(token.encoded().len());
            let range = start..end;
            start = end;
            (token.decoded().into_owned(), range)
        })
        .collect())
}

fn unresolved(
    pointer: &str,
    before: &[(String, Range<usize>)],
    segment: usize,
    (name, range): (&String, &Range<usize>),
    here: &[View<'_>],
    tables: &[&IndexMap<String, Parameter>],
) -> RuleProblemKind {
    let is_index = name == "-" || (!name.is_empty() && name.bytes().all(|b| b.is_ascii_digit()));
    let mut known: Vec<String> = Vec::new();
    for table in tables {
        for candidate in table.keys() {
            if !known.contains(candidate) {
                known.push(candidate.clone());
            }
        }
    }
    let near = similar(name, &known);
    let reason = if is_index && here.iter().any(|view| view.in_array) {
        Unresolved::ArrayIndex
    } else if tables.is_empty() {
        let end = before.last().map_or(0, |(_, range)| range.end);
        let mut types: Vec<ParameterType> = here
            .iter()
            .filter_map(|view| view.parameter)
            .flat_map(|parameter| parameter.types.clone())
            .filter(|kind| *kind != ParameterType::Array)
            .collect();
        types.sort_unstable();
        types.dedup();
        Unresolved::NoObject {
            parent: pointer.get(..end).unwrap_or(pointer).to_owned(),
            types,
        }
    } else {
        Unresolved::NoProperty { known }
    };
    RuleProblemKind::Unresolved {
        pointer: pointer.to_owned(),
        segment,
        range: range.clone(),
        name: name.clone(),
        reason,
        near,
    }
}

/// The names that are close enough to be what was meant, the closest first.
pub(crate) fn similar<'k>(name: &str, known: impl IntoIterator<Item = &'k String>) -> Vec<String> {
    let length = name.chars().count();
    let limit = (length / 3).max(1).min(length.saturating_sub(1));
    let mut near: Vec<(usize, &String)> = known
        .into_iter()
        .map(|candidate| {
            (
                strsim::osa_distance(&name.to_lowercase(), &candidate.to_lowercase()),
                candidate,
            )
        })
        .filter(|(distance, _)| *distance <= limit)
        .collect();
    near.sort_by_key(|(distance, _)| *distance);
    near.into_iter().map(|(_, name)| name.clone()).collect()
}

#[cfg(test)]
#[path = "argument_tests.rs"]
mod tests;
