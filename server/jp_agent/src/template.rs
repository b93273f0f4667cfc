//! Commands of tools, rendered one argument at a time.
//!
//! ```toml
//! command = "just serve-tools {{context}} {{tool}}"
//! ```
//!
//! `{{tool}}` becomes the whole JSON document inside one argument, `{{tool.arguments.path}}` a bare string.
//! Nothing is split after rendering, so a value with spaces or quotes stays one argument.

use jp_config::template::environment;
use minijinja::value::Serde;
use minijinja::{Error, ErrorKind};
use serde_json::{Value, json};

use crate::config::CommandConfig;

/// A command line ready to start.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Rendered {
    /// Program and arguments.
    pub argv: Vec<String>,
    /// Whether some argument holds a part of the input; a command that holds none gets it on standard input.
    pub takes_input: bool,
}

/// Renders a command with the two documents that a tool gets.
///
/// # Errors
///
/// What is wrong with which part of the command, for the model and the person to read.
pub(crate) fn render(
    command: &CommandConfig,
    tool: &Value,
    context: &Value,
) -> Result<Rendered, String> {
    let environment = environment();
    let input = minijinja::Value::from(Serde(json!({"tool": tool, "context": context})));
    let mut takes_input = false;
    let mut part = |template: &str, is_shell_text: bool| {
        let compiled = environment
            .template_from_str(template)
            .map_err(|error| failure(template, &error))?;
        let uses_input = !compiled.undeclared_variables(false).is_empty();
        if uses_input && is_shell_text {
            return Err(format!(
                "`program` holds the template `{template}` and `shell = true`, so a value could run commands of its \
                 own; move the template to `args`, where values are quoted"
            ));
        }
        takes_input |= uses_input;
        compiled
            .render(input.clone())
            .map_err(|error| failure(template, &error))
    };
    let program = part(&command.program, command.shell)?;
    let args = command
        .args
        .iter()
        .map(|template| part(template, false))
        .collect::<Result<Vec<_>, _>>()?;
    let argv = if command.shell {
        let mut line = program;
        for arg in &args {
            let quoted = shlex::try_quote(arg)
                .map_err(|_| "an argument holds a NUL character".to_owned())?;
            line.push(' ');
            line.push_str(&quoted);
        }
        vec!["sh".to_owned(), "-c".to_owned(), line]
    } else {
        std::iter::once(program).chain(args).collect()
    };
    Ok(Rendered { argv, takes_input })
}

/// Whether some part of a command stands for a part of the input.
pub(crate) fn takes_input(command: &CommandConfig) -> bool {
    names(command).next().is_some()
}

/// Whether some part of a command stands for the answer to one question, such as `{{tool.answers.token}}`.
pub(crate) fn names_answer(command: &CommandConfig, id: &str) -> bool {
    let answer = format!("tool.answers.{id}");
    names(command).any(|name| {
        name.strip_prefix(&answer)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    })
}

/// What the templates of a command refer to, as far as they can be read.
fn names(command: &CommandConfig) -> impl Iterator<Item = String> {
    let environment = environment();
    let parts = std::iter::once(&command.program).chain(&command.args);
    let names: Vec<String> = parts
        .filter_map(|part| environment.template_from_str(part).ok())
        .flat_map(|template| template.undeclared_variables(true))
        .collect();
    names.into_iter()
}

fn failure(template: &str, error: &Error) -> String {
    let detail = error
        .detail()
        .map_or_else(|| error.kind().to_string(), str::to_owned);
    let hint = if error.kind() == ErrorKind::SyntaxError {
        "; a template with spaces in a string command is cut apart, write the command as a table with `args`"
    } else {
        ""
    };
    format!("the template `{template}` cannot be rendered: {detail}{hint}")
}

#[cfg(test)]
#[path = "template_tests.rs"]
mod tests;
