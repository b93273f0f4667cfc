//! What a template names and the runtime does not have, decided by the environment that renders it.
//!
//! ```toml
//! command = "grep {{tool.arguments.text|uper}}"     # no filter `uper`: every call fails
//! command = "ls {{tool.arguments.dir}}"             # no parameter `dir`: always `null`
//! ```

use std::ops::Range;

use indexmap::IndexMap;
use jp_config::{merge::Located, source::ToolSource, words::suggest};
use minijinja::{Environment, ErrorKind, context, value::Serde};

use super::names::{Named, NamedKind, Role, Steps, names};
use crate::{
    diagnostic::{Code, Diagnostic, Place},
    fix::Fix,
    rules::incomplete::is_incomplete,
    tool::ToolContext,
};

/// What a template can name.
const ROOTS: [&str; 2] = ["tool", "context"];

/// The filters that people know from Jinja; those that the environment has are suggested.
const FILTERS: [&str; 44] = [
    "abs",
    "attr",
    "batch",
    "bool",
    "capitalize",
    "chain",
    "count",
    "default",
    "dictsort",
    "escape",
    "first",
    "float",
    "format",
    "groupby",
    "indent",
    "int",
    "items",
    "join",
    "last",
    "length",
    "lines",
    "list",
    "lower",
    "map",
    "max",
    "min",
    "pprint",
    "reject",
    "rejectattr",
    "replace",
    "reverse",
    "round",
    "select",
    "selectattr",
    "slice",
    "sort",
    "split",
    "string",
    "sum",
    "title",
    "tojson",
    "trim",
    "unique",
    "upper",
];

/// The tests that people know from Jinja; those that the environment has are suggested.
const TESTS: [&str; 22] = [
    "boolean",
    "defined",
    "divisibleby",
    "endingwith",
    "eq",
    "even",
    "false",
    "float",
    "in",
    "integer",
    "iterable",
    "lower",
    "mapping",
    "ne",
    "none",
    "number",
    "odd",
    "sequence",
    "startingwith",
    "string",
    "true",
    "undefined",
];

/// A template as a word of a command, with the place where it stands.
pub(super) struct Template<'a, 'v> {
    pub(super) context: &'a ToolContext<'v>,
    pub(super) located: &'a Located,
    pub(super) text: &'a str,
    /// Where it stands in the string, in decoded bytes.
    pub(super) range: Range<usize>,
}

impl Template<'_, '_> {
    /// The place of a part; the whole word where quotes or escapes lie between.
    fn place(&self, part: Range<usize>) -> Option<Place> {
        let start = self.range.start;
        let part = match self.is_verbatim() {
            true => start + part.start..start + part.end,
            false => self.range.clone(),
        };
        self.context.place_in_string(self.located, part)
    }

    fn is_verbatim(&self) -> bool {
        self.range.len() == self.text.len()
    }

    fn finding(&self, part: Range<usize>, message: String) -> Option<Diagnostic> {
        Some(Diagnostic::new(
            Code::CommandTemplate,
            self.place(part)?,
            message,
        ))
    }

    /// A change of a part, if it stands in the file as it is read.
    fn replace(&self, part: Range<usize>, text: &str) -> Option<Fix> {
        let place = self.is_verbatim().then(|| self.place(part)).flatten()?;
        Some(Fix::replace(format!("Write `{text}`"), place, text))
    }
}

/// Checks everything that a template names.
pub(super) fn check(
    template: &Template<'_, '_>,
    environment: &Environment<'_>,
    found: &mut Vec<Diagnostic>,
) {
    let names = names(template.text);
    let mut variables: IndexMap<String, Vec<&Named>> = IndexMap::new();
    for named in &names {
        match &named.kind {
            NamedKind::Variable { path, .. } => {
                variables.entry(key(path)).or_default().push(named);
            }
            NamedKind::Filter(name) => {
                found.extend(unknown_word(template, environment, named, "filter", name, &FILTERS));
            }
            NamedKind::Test(name) => {
                found.extend(unknown_word(template, environment, named, "test", name, &TESTS));
            }
            NamedKind::Function(name) => {
                found.extend(unknown_function(template, environment, named, name));
            }
            NamedKind::Method {
                name,
                takes_arguments,
            } => found.extend(unknown_method(template, environment, named, name, *takes_arguments)),
            NamedKind::OtherTemplate(statement) => found.extend(template.finding(
                named.range.clone(),
                format!(
                    "a command has no other templates that `{statement}` could bring in, and every call fails; write the text here"
                ),
            )),
        }
    }
    for uses in variables.values() {
        found.extend(variable(template, environment, uses));
    }
}

/// What tells variables apart: a parameter by its name, and anything else by its root.
fn key(path: &Steps) -> String {
    let names: Vec<&str> = path.iter().map(|(name, _)| name.as_str()).collect();
    match names.as_slice() {
        ["tool", "arguments", name, ..] => format!("tool.arguments.{name}"),
        [root, ..] => (*root).to_owned(),
        [] => String::new(),
    }
}

/// Whether the environment has a filter or a test.
fn has(environment: &Environment<'_>, kind: &str, name: &str) -> bool {
    let question = format!("name is {kind}");
    environment
        .compile_expression(&question)
        .and_then(|question| question.eval(context! { name }))
        // A question that cannot be asked finds no fault.
        .map_or(true, |answer| answer.is_true())
}

fn unknown_word(
    template: &Template<'_, '_>,
    environment: &Environment<'_>,
    named: &Named,
    kind: &str,
    name: &str,
    candidates: &[&'static str],
) -> Option<Diagnostic> {
    // Blanks around the dots of a name say nothing.
    let name: String = name.split_ascii_whitespace().collect();
    if has(environment, kind, &name) {
        return None;
    }
    let known = candidates.iter().copied();
    let near = suggest(&name, known.filter(|known| has(environment, kind, known)));
    let hint = near.map_or_else(String::new, |near| format!("; did you mean `{near}`?"));
    let message = format!("there is no {kind} `{name}`, and every call fails{hint}");
    let finding = template.finding(named.range.clone(), message)?;
    Some(finding.with_fixes(near.and_then(|near| template.replace(named.range.clone(), near))))
}

/// Whether a name has a value that the environment gives it.
fn is_global(environment: &Environment<'_>, name: &str) -> bool {
    environment
        .compile_expression(name)
        .and_then(|name| name.eval(()))
        .is_ok_and(|value| !value.is_undefined())
}

fn unknown_function(
    template: &Template<'_, '_>,
    environment: &Environment<'_>,
    named: &Named,
    name: &str,
) -> Option<Diagnostic> {
    if is_global(environment, name) {
        return None;
    }
    let hint = match has(environment, "filter", name) {
        true => format!("; `{name}` is a filter: write the value, `|` and its name"),
        false => String::new(),
    };
    template.finding(
        named.range.clone(),
        format!("there is no function `{name}`, and every call fails{hint}"),
    )
}

/// A method that no value of JSON has.
fn unknown_method(
    template: &Template<'_, '_>,
    environment: &Environment<'_>,
    named: &Named,
    name: &str,
    takes_arguments: bool,
) -> Option<Diagnostic> {
    let call = format!("value.{name}()");
    let call = environment.compile_expression(&call).ok()?;
    let values = [
        minijinja::Value::from(""),
        minijinja::Value::from(Vec::<i32>::new()),
        minijinja::Value::from(Serde(serde_json::json!({}))),
        minijinja::Value::from(0),
    ];
    let is_unknown = |value: minijinja::Value| {
        call.eval(context! { value })
            .is_err_and(|error| error.kind() == ErrorKind::UnknownMethod)
    };
    if !values.into_iter().all(is_unknown) {
        return None;
    }
    let filter = has(environment, "filter", name).then(|| format!("|{name}"));
    let hint = filter.as_ref().map_or_else(String::new, |filter| {
        format!("; write the filter `{filter}`")
    });
    let message = format!("no value has a method `{name}`, and every call fails{hint}");
    let filter = filter.filter(|_| !takes_arguments);
    let finding = template.finding(named.range.clone(), message)?;
    Some(
        finding
            .with_fixes(filter.and_then(|filter| template.replace(named.range.clone(), &filter))),
    )
}

/// What is wrong with a variable, by all places where a template names it.
fn variable(
    template: &Template<'_, '_>,
    environment: &Environment<'_>,
    uses: &[&Named],
) -> Option<Diagnostic> {
    let roles = || uses.iter().filter_map(|named| role(named));
    let (path, _) = roles().next()?;
    let (root, place) = path.first()?;
    let is_provided = roles().any(|(_, role)| role == Role::Provided);
    if !ROOTS.contains(&root.as_str()) {
        if is_global(environment, root) || is_provided {
            return None;
        }
        let consequence = consequence(roles().map(|(path, role)| (path.len() > 1, role)), |what| {
            format!("so `{root}` {what}")
        });
        return template.finding(
            place.clone(),
            format!("a command template knows only `tool` and `context`, {consequence}"),
        );
    }
    let [(_, _), (arguments, _), (name, place), ..] = path else {
        return None;
    };
    let is_local = matches!(template.context.source(), Some(ToolSource::Local { .. }));
    if root != "tool" || arguments != "arguments" || !is_local {
        return None;
    }
    let nothing = IndexMap::new();
    let parameters = template.context.tool.get("parameters");
    let parameters = parameters
        .and_then(|parameters| parameters.value.as_table())
        .unwrap_or(&nothing);
    if parameters.contains_key(name) || (parameters.is_empty() && is_incomplete(template.context)) {
        return None;
    }
    let near = suggest(name, parameters.keys().map(String::as_str));
    let hint = match near {
        Some(near) => format!("did you mean `{near}`?"),
        // Whoever says what holds instead knows that it may be absent.
        None if is_provided => return None,
        None => format!("declare it under `parameters.{name}`"),
    };
    let subject = |what: &str| match what {
        ALWAYS_NULL => format!("so the template {what}"),
        _ => format!("so it {what}"),
    };
    let consequence = match is_provided {
        true => subject(NEVER_A_VALUE),
        false => consequence(roles().map(|(path, role)| (path.len() > 3, role)), subject),
    };
    let finding = template.finding(
        place.clone(),
        format!("the tool has no parameter `{name}`, {consequence}; {hint}"),
    )?;
    Some(finding.with_fixes(near.and_then(|near| template.replace(place.clone(), near))))
}

const ALWAYS_NULL: &str = "is always `null`";
const NEVER_A_VALUE: &str = "never has a value";
const FAILS: &str = "never has a value, and every call fails";

/// What the uses of a variable without a value come to; the worst of them, where there are several.
fn consequence(
    uses: impl Iterator<Item = (bool, Role)>,
    sentence: impl Fn(&str) -> String,
) -> String {
    let mut text = sentence(NEVER_A_VALUE);
    for (is_entered, role) in uses {
        match role {
            _ if is_entered => return sentence(FAILS),
            Role::Entered => return sentence(FAILS),
            Role::Written => text = sentence(ALWAYS_NULL),
            Role::Provided | Role::Part => {}
        }
    }
    text
}

fn role(named: &Named) -> Option<(&Steps, Role)> {
    match &named.kind {
        NamedKind::Variable { path, role } => Some((path, *role)),
        _ => None,
    }
}
