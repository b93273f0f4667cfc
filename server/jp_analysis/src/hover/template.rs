//! The argument that a template of a command puts in.
//!
//! ```toml
//! command = { program = "cat", args = ["{{tool.arguments.path}}"] }   # `/path`: path, required
//! ```

use jp_config::document::Node;
use jp_policy::pointer;

use super::subject::Subject;
use crate::{text::markup::Markup, tool::parameters::describe_argument};

/// What leads to the arguments of a call in a template.
const ARGUMENTS: &str = "tool.arguments.";

pub(super) fn describe(subject: &Subject<'_>, markup: &mut Markup) {
    let is_command = subject.keys().get(3) == Some(&"command");
    let Some(Node::Str(string)) = subject.value.filter(|_| is_command) else {
        return;
    };
    let span = string.span();
    let written = subject.document.text().get(span.range());
    let cursor = subject.offset.checked_sub(span.start as usize);
    if let (Some(written), Some(cursor)) = (written, cursor)
        && let Some(name) = argument_at(written, cursor)
        && let Some(context) = subject.context()
    {
        describe_argument(&context, &format!("/{}", pointer::encoded(name)), markup);
    }
}

/// The argument that the template around a place of a text names: the one at the place, else the only one.
fn argument_at(text: &str, cursor: usize) -> Option<&str> {
    let (before, after) = text.split_at_checked(cursor)?;
    // Between the braces one stands in neither side.
    let start = before.rfind("{{").or_else(|| {
        let is_split = before.ends_with('{') && after.starts_with('{');
        is_split.then(|| before.len() - 1)
    })?;
    let inside = text.get(start + 2..)?;
    let (expression, _) = inside.split_once("}}")?;
    if start + 2 + expression.len() + 1 < cursor {
        return None;
    }
    let mut only = None;
    for (at, _) in expression.match_indices(ARGUMENTS) {
        let rest = expression.get(at + ARGUMENTS.len()..)?;
        let end = rest.find(|letter: char| !(letter.is_alphanumeric() || letter == '_'));
        let name = rest.get(..end.unwrap_or(rest.len()))?;
        let first = start + 2 + at;
        if (first..=first + ARGUMENTS.len() + name.len()).contains(&cursor) {
            return Some(name);
        }
        only = match only {
            None => Some(Some(name)),
            Some(_) => Some(None),
        };
    }
    only.flatten()
}

#[cfg(test)]
#[path = "template_tests.rs"]
mod tests;
