//! `command-missing`: a local tool that nothing runs.
//!
//! ```toml
//! [conversation.tools.grep]
//! source = "local"
//! command = "just serve-tools {{context}} {{tool}}"   # without it, every call fails
//! ```

use jp_config::merge::{Located, LocatedValue};

use crate::{
    diagnostic::{Code, Diagnostic, Severity},
    rules::incomplete::is_incomplete,
    tool::ToolContext,
};

pub(super) fn check(context: &ToolContext<'_>, found: &mut Vec<Diagnostic>) {
    found.extend(finding(context));
}

fn finding(context: &ToolContext<'_>) -> Option<Diagnostic> {
    if !context.source()?.is_local() || context.tool.get("command").is_some_and(is_set) {
        return None;
    }
    let place = context.place(context.tool.get("source")?)?;
    let finding = Diagnostic::new(
        Code::CommandMissing,
        place,
        format!(
            "the local tool `{}` has no `command`, so every call fails; add one, such as `command = \"my-tool {{{{tool}}}}\"`",
            context.name
        ),
    );
    Some(if is_incomplete(context) {
        finding.with_severity(Severity::Hint)
    } else {
        finding
    })
}

/// Whether a command names a program; one that is being typed counts.
fn is_set(command: &Located) -> bool {
    match &command.value {
        LocatedValue::String(text) => !text.trim().is_empty(),
        LocatedValue::Table(_) => command
            .get("program")
            .is_some_and(|program| program.value.as_str() != Some("")),
        _ => true,
    }
}

#[cfg(test)]
#[path = "command_missing_tests.rs"]
mod tests;
