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
mod names;
mod programs;
mod recipes;
mod scripts;
mod unknown;
mod values;
mod words;

use std::ops::Range;

use jp_config::{
    merge::{Located, LocatedValue},
    template::environment,
};

pub(in crate::rules) use self::scripts::{in_workspace, scripts, scripts_of};
use self::unknown::Template;
use crate::{
    diagnostic::{Code, Diagnostic},
    fix::Fix,
    text::toml_text,
    tool::ToolContext,
};

/// The styles of `style.parameters` that are no commands.
const STYLES: [&str; 3] = ["json", "function_call", "off"];

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
pub(in crate::rules) fn program(command: &Located) -> Option<String> {
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
    let environment = environment();
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
    let environment = environment();
    if let Err(error) = environment.template_from_str(text) {
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
    let template = Template {
        context,
        located,
        text,
        range,
    };
    unknown::check(&template, &environment, found);
}

#[cfg(test)]
#[path = "command_template_tests.rs"]
mod tests;
