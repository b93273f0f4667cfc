//! `command-template`: commands whose templates cannot do what they say.
//!
//! ```toml
//! # Strings are split into words before they are rendered, so this template is cut in three:
//! command = "just serve {{ tool }}"
//! # A table keeps it whole:
//! command = { program = "just", args = ["serve", "{{ tool }}"] }
//! # What a model writes may begin with a dash, or become code:
//! command = "git grep -n {{tool.arguments.text}}"
//! command = { program = "sh", args = ["-c", "grep {{tool.arguments.text}} *.md"] }
//! ```

mod injection;
mod programs;
mod values;
mod words;

use std::ops::Range;

use indexmap::IndexMap;
use jp_config::{
    merge::{Located, LocatedValue},
    source::ToolSource,
    validate::suggest,
};
use minijinja::Environment;

use crate::{
    diagnostic::{Code, Diagnostic},
    fix::Fix,
    text::toml_text,
    tool::ToolContext,
};

/// The styles of `style.parameters` that are no commands.
const STYLES: [&str; 3] = ["json", "function_call", "off"];

/// What a template can name.
const ROOTS: [&str; 2] = ["tool", "context"];

/// Functions that are no variables although they look like ones.
const FUNCTIONS: [&str; 6] = ["range", "dict", "namespace", "debug", "loop", "super"];

pub(super) fn check(context: &ToolContext<'_>, found: &mut Vec<Diagnostic>) {
    if let Some(command) = context.tool.get("command") {
        check_command(context, command, found);
    }
    let formatter = context.tool.at(&["style", "parameters"]);
    if let Some(formatter) = formatter
        && !formatter
            .value
            .as_str()
            .is_some_and(|text| STYLES.contains(&text))
    {
        check_command(context, formatter, found);
    }
}

/// The name of the program that a command starts in the end, without its folder.
pub(super) fn program(command: &Located) -> Option<String> {
    let words = words::words(command);
    Some(words.get(programs::read(&words).program)?.program())
}

fn check_command(context: &ToolContext<'_>, command: &Located, found: &mut Vec<Diagnostic>) {
    injection::check(context, command, found);
    match &command.value {
        LocatedValue::String(text) => check_string(context, command, text, found),
        LocatedValue::Table(_) => {
            if let Some(program) = command.get("program") {
                found.extend(check_program(context, command, program));
            }
            let args = command.get("args").and_then(|args| args.value.as_list());
            for part in command
                .get("program")
                .into_iter()
                .chain(args.into_iter().flatten())
            {
                if let Some(text) = part.value.as_str() {
                    check_template(context, part, text, 0..text.len(), found);
                }
            }
        }
        _ => {}
    }
}

/// A string is split into words as a shell does, and each word is a template of its own.
fn check_string(
    context: &ToolContext<'_>,
    command: &Located,
    text: &str,
    found: &mut Vec<Diagnostic>,
) {
    let Some(words) = words::split(command, text) else {
        found.extend(context.place(command).map(|place| {
            Diagnostic::new(
                Code::CommandTemplate,
                place,
                "the quotes of this command do not pair up, so it cannot be split into words; close them, or write `{ program = .., args = [..] }`",
            )
        }));
        return;
    };
    let environment = Environment::new();
    for word in words {
        if environment.template_from_str(&word.text).is_err()
            && environment.template_from_str(text).is_ok()
        {
            found.extend(cut(context, command, text, word.range.start));
            return;
        }
        check_template(context, command, &word.text, word.range, found);
    }
}

/// A template with blanks in it, which word splitting cuts apart.
fn cut(
    context: &ToolContext<'_>,
    command: &Located,
    text: &str,
    from: usize,
) -> Option<Diagnostic> {
    let rest = text.get(from..)?;
    let open = rest.find("{{").or_else(|| rest.find("{%")).unwrap_or(0);
    let close = rest
        .find("}}")
        .or_else(|| rest.find("%}"))
        .map_or(rest.len(), |at| at + 2);
    let place = context.place_in_string(command, from + open..from + close)?;
    let template = text.get(from + open..from + close)?;
    let finding = Diagnostic::new(
        Code::CommandTemplate,
        place,
        format!(
            "a command string is split into words before it is rendered, which cuts `{template}` apart, and every call fails; write it without blanks, or as `{{ program = .., args = [..] }}`"
        ),
    );
    Some(match as_table(text) {
        Some(table) => finding.with_fix(Fix::replace(
            "Write the command as a table, which keeps the template whole",
            context.place(command)?,
            table,
        )),
        None => finding,
    })
}

/// The same command as a table, with every template in one word.
fn as_table(text: &str) -> Option<String> {
    let mut templates = Vec::new();
    let mut masked = String::new();
    let mut rest = text;
    while let Some(open) = rest.find("{{") {
        let close = rest.get(open..)?.find("}}")? + open + 2;
        masked.push_str(rest.get(..open)?);
        masked.push_str(&format!("\u{e000}{}\u{e001}", templates.len()));
        templates.push(rest.get(open..close)?);
        rest = rest.get(close..)?;
    }
    masked.push_str(rest);
    let words: Vec<String> = shlex::split(&masked)?
        .into_iter()
        .map(|word| {
            let mut word = word;
            for (index, template) in templates.iter().enumerate() {
                word = word.replace(&format!("\u{e000}{index}\u{e001}"), template);
            }
            toml_text::string(&word)
        })
        .collect();
    let (program, args) = words.split_first()?;
    Some(format!(
        "{{ program = {program}, args = [{}] }}",
        args.join(", ")
    ))
}

fn check_program(
    context: &ToolContext<'_>,
    command: &Located,
    program: &Located,
) -> Option<Diagnostic> {
    let in_shell = command.get("shell")?.value.as_bool() == Some(true);
    let text = program.value.as_str()?;
    let start = text.find("{{").or_else(|| text.find("{%"))?;
    if !in_shell {
        return None;
    }
    let end = text
        .get(start..)
        .and_then(|rest| rest.find("}}").or_else(|| rest.find("%}")))
        .map_or(text.len(), |at| start + at + 2);
    let place = context.place_in_string(program, start..end)?;
    let template = text.get(start..end)?;
    Some(Diagnostic::new(
        Code::CommandTemplate,
        place,
        format!(
            "with `shell = true` the shell reads `program` as it is, so what `{template}` holds can run any command; pass it in `args`, which are quoted"
        ),
    ))
}

/// What one word says as a template; `range` is where it stands in the string.
fn check_template(
    context: &ToolContext<'_>,
    located: &Located,
    text: &str,
    range: Range<usize>,
    found: &mut Vec<Diagnostic>,
) {
    let environment = Environment::new();
    let template = match environment.template_from_str(text) {
        Ok(template) => template,
        Err(error) => {
            let detail = error
                .detail()
                .map_or_else(|| error.to_string(), str::to_owned);
            found.extend(context.place_in_string(located, range).map(|place| {
                Diagnostic::new(
                    Code::CommandTemplate,
                    place,
                    format!("this template cannot be read, and every call fails: {detail}"),
                )
            }));
            return;
        }
    };
    let mut variables: Vec<String> = template.undeclared_variables(true).into_iter().collect();
    variables.sort();
    for variable in variables {
        let at = text.find(variable.as_str());
        let place = match at {
            Some(at) if range.len() == text.len() => {
                let start = range.start + at;
                start..start + variable.len()
            }
            _ => range.clone(),
        };
        found.extend(check_variable(context, located, &variable, place));
    }
}

fn check_variable(
    context: &ToolContext<'_>,
    located: &Located,
    variable: &str,
    range: Range<usize>,
) -> Option<Diagnostic> {
    let mut segments = variable.split('.');
    let root = segments.next()?;
    if FUNCTIONS.contains(&root) {
        return None;
    }
    if !ROOTS.contains(&root) {
        let place = context.place_in_string(located, range.start..range.start + root.len())?;
        return Some(Diagnostic::new(
            Code::CommandTemplate,
            place,
            format!(
                "a command template knows only `tool` and `context`, so `{root}` is always `null`"
            ),
        ));
    }
    let (Some("arguments"), Some(name)) = (segments.next(), segments.next()) else {
        return None;
    };
    if root != "tool" || !matches!(context.source(), Some(ToolSource::Local { .. })) {
        return None;
    }
    let nothing = IndexMap::new();
    let parameters = context.tool.get("parameters");
    let parameters = parameters
        .and_then(|parameters| parameters.value.as_table())
        .unwrap_or(&nothing);
    if parameters.contains_key(name)
        || (parameters.is_empty() && super::policy::is_incomplete(context))
    {
        return None;
    }
    // The name follows `tool.arguments.` in the variable.
    let start = range.start + "tool.arguments.".len();
    let place = context.place_in_string(located, start..start + name.len())?;
    let near = suggest(name, parameters.keys().map(String::as_str));
    let hint = match near {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("declare it under `parameters.{name}`"),
    };
    let finding = Diagnostic::new(
        Code::CommandTemplate,
        place,
        format!("the tool has no parameter `{name}`, so the template is always `null`; {hint}"),
    );
    Some(match near {
        Some(near) => finding.with_fix(Fix::replace(format!("Write `{near}`"), place, near)),
        None => finding,
    })
}

#[cfg(test)]
#[path = "command_template_tests.rs"]
mod tests;
