//! Templates through which a model could write options or code.
//!
//! ```toml
//! command = "git grep -n {{tool.arguments.text}}"      # `-Ocommand` is an option of `git grep`, and runs a command
//! command = "git grep -n -e {{tool.arguments.text}}"   # the text is a pattern, whatever it begins with
//! ```

use super::{
    programs::{Code, Reading, end_of_options, read},
    values::{Foreign, foreign},
    words::{Word, words},
};
use crate::{
    diagnostic::{self, Diagnostic},
    fix::Fix,
    text::toml_text,
    tool::{ToolContext, parameters::parameters},
};
use jp_config::merge::Located;

pub(super) fn check(context: &ToolContext<'_>, command: &Located, found: &mut Vec<Diagnostic>) {
    let words = words(command);
    if !words.iter().any(|word| word.text.contains("{{")) {
        return;
    }
    let parameters = parameters(context);
    let reading = read(&words);
    for (at, word) in words.iter().enumerate() {
        let values = foreign(&word.text, &parameters);
        if let Some(code) = reading.code.iter().find(|code| code.word == at) {
            let as_code = values.iter().find(|value| is_code(code, value));
            found.extend(as_code.and_then(|value| code_finding(context, word, value, code)));
        } else if at == reading.program || at == 0 {
            let value = values.first();
            found.extend(value.and_then(|value| program_finding(context, word, value)));
        } else if !reading.data.get(at).is_some_and(|is_data| *is_data) {
            let option = values.iter().find(|value| value.begins_word);
            let option =
                option.and_then(|value| option_finding(context, word, value, &words, &reading));
            if let Some(finding) = option {
                let fix = options_end_fix(context, &words, at, &reading);
                found.push(finding.with_fixes(fix));
            }
        }
    }
}

/// Whether a value becomes a part of the code.
fn is_code(code: &Code, value: &Foreign) -> bool {
    value.range.start >= code.from && !(value.is_json_text && code.json_is_a_literal)
}

fn finding(
    context: &ToolContext<'_>,
    word: &Word<'_>,
    value: &Foreign,
    message: impl FnOnce(&str) -> String,
) -> Option<Diagnostic> {
    let template = word.text.get(value.range.clone())?;
    let place = context.place_in_string(word.located, word.part(value.range.clone()))?;
    Some(Diagnostic::new(
        diagnostic::Code::CommandTemplate,
        place,
        message(template),
    ))
}

fn code_finding(
    context: &ToolContext<'_>,
    word: &Word<'_>,
    value: &Foreign,
    code: &Code,
) -> Option<Diagnostic> {
    let finding = finding(context, word, value, |template| {
        format!(
            "what `{template}` holds becomes a part of the code that `{}` runs, so it can run any command; pass it as an argument of its own behind the code",
            code.given
        )
    })?;
    Some(if code.is_shell {
        finding.with_help("in the code of a shell, `\"$1\"` is the second word behind the code; the first one is the name `$0`")
    } else {
        finding
    })
}

fn program_finding(
    context: &ToolContext<'_>,
    word: &Word<'_>,
    value: &Foreign,
) -> Option<Diagnostic> {
    finding(context, word, value, |template| {
        format!(
            "what `{template}` holds decides which program runs; write the program out, and pass the value as an argument"
        )
    })
}

fn option_finding(
    context: &ToolContext<'_>,
    word: &Word<'_>,
    value: &Foreign,
    words: &[Word<'_>],
    reading: &Reading,
) -> Option<Diagnostic> {
    let name = words.get(reading.program).map(Word::program)?;
    let end = end_of_options(words, reading);
    finding(context, word, value, |template| {
        format!(
            "what `{template}` holds may begin with `-`, and `{name}` would take it for an option; write `{end}` before it, or join it to its option as in `--option={template}`"
        )
    })
}

/// Puts what ends the options before the word, if no option of the command's own follows.
fn options_end_fix(
    context: &ToolContext<'_>,
    words: &[Word<'_>],
    at: usize,
    reading: &Reading,
) -> Option<Fix> {
    let word = words.get(at)?;
    let is_option = |word: &Word<'_>| word.text.starts_with('-') && word.text != "-";
    let end = end_of_options(words, reading);
    let ends_all = end != "-e";
    if word.text.starts_with('-') || (ends_all && words.iter().skip(at + 1).any(is_option)) {
        return None;
    }
    let title = format!("Write `{end}` before it");
    if word.is_whole {
        let mut place = context.place(word.located)?;
        place.span.end = place.span.start;
        let text = format!("{}, ", toml_text::string(end));
        return Some(Fix::replace(title, place, text).with_review());
    }
    let start = word.range.start;
    let before = word.located.value.as_str()?.get(..start)?;
    if !before.ends_with(char::is_whitespace) || word.range.len() != word.text.len() {
        return None;
    }
    let place = context.place_in_string(word.located, start..start)?;
    Some(Fix::replace(title, place, format!("{end} ")).with_review())
}

#[cfg(test)]
#[path = "injection_tests.rs"]
mod tests;
