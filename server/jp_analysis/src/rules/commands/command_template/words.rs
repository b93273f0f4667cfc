//! A command as the words that its program gets, in whichever form it is written.
//!
//! ```toml
//! command = "grep -rn -e {{tool.arguments.text}} ."
//! command = { program = "grep", args = ["-rn", "-e", "{{tool.arguments.text}}", "."] }
//! command = { program = "cd src && grep", args = ["{{tool.arguments.text}}"], shell = true }
//! ```

use std::ops::Range;

use jp_config::merge::{Located, LocatedValue};

/// One word of a command.
#[derive(Debug, Clone)]
pub(super) struct Word<'a> {
    /// What it says, before templates are rendered.
    pub(super) text: String,
    /// The string that it stands in.
    pub(super) located: &'a Located,
    /// Where it stands there, in decoded bytes.
    pub(super) range: Range<usize>,
    /// Whether the string is nothing but this word.
    pub(super) is_whole: bool,
}

impl Word<'_> {
    /// Where a part of the word stands in its string; the whole word where quotes or escapes lie between.
    pub(super) fn part(&self, part: Range<usize>) -> Range<usize> {
        if self.range.len() == self.text.len() {
            self.range.start + part.start..self.range.start + part.end
        } else {
            self.range.clone()
        }
    }

    /// The name of the program, if the word is one: without its folder, `.exe` and letter case.
    pub(super) fn program(&self) -> String {
        let name = self.text.rsplit(['/', '\\']).next().unwrap_or_default();
        let name = name.to_lowercase();
        name.strip_suffix(".exe").unwrap_or(&name).to_owned()
    }
}

/// The words of a command; none where it cannot be split.
pub(super) fn words(command: &Located) -> Vec<Word<'_>> {
    match &command.value {
        LocatedValue::String(text) => split(command, text).unwrap_or_default(),
        LocatedValue::Table(_) => of_table(command),
        _ => Vec::new(),
    }
}

/// The words of a program and a list of arguments.
pub(super) fn table<'a>(program: &'a Located, arguments: Option<&'a Located>) -> Vec<Word<'a>> {
    let arguments = arguments.and_then(|arguments| arguments.value.as_list());
    std::iter::once(program)
        .chain(arguments.into_iter().flatten())
        .filter_map(|word| Some(whole(word, word.value.as_str()?)))
        .collect()
}

fn of_table(command: &Located) -> Vec<Word<'_>> {
    let in_shell = command
        .get("shell")
        .is_some_and(|shell| shell.value.as_bool() == Some(true));
    let mut words = Vec::new();
    if let Some(program) = command.get("program")
        && let Some(text) = program.value.as_str()
    {
        // A shell reads a template in its text as code, which is said elsewhere.
        if in_shell && text.contains("{{") {
            return words;
        }
        let split = in_shell.then(|| split(program, text)).flatten();
        words = match split {
            Some(words) => last_command(words),
            None => vec![whole(program, text)],
        };
    }
    let args = command.get("args").and_then(|args| args.value.as_list());
    for arg in args.into_iter().flatten() {
        words.extend(arg.value.as_str().map(|text| whole(arg, text)));
    }
    words
}

fn whole<'a>(located: &'a Located, text: &str) -> Word<'a> {
    Word {
        text: text.to_owned(),
        located,
        range: 0..text.len(),
        is_whole: true,
    }
}

/// The words of a string, as a shell splits it; nothing where its quotes do not pair up.
pub(super) fn split<'a>(located: &'a Located, text: &str) -> Option<Vec<Word<'a>>> {
    let mut from = 0;
    let words = shlex::split(text)?.into_iter().map(|word| {
        let start = text
            .get(from..)
            .and_then(|rest| rest.find(word.as_str()))
            .map(|at| from + at);
        let range = start.map_or(0..text.len(), |start| start..start + word.len());
        from = start.map_or(from, |start| start + word.len());
        Word {
            text: word,
            located,
            range,
            is_whole: false,
        }
    });
    Some(words.collect())
}

/// The words of the last of the commands that a shell would start: the one that gets the arguments.
fn last_command(mut words: Vec<Word<'_>>) -> Vec<Word<'_>> {
    let ends_a_command = |word: &Word<'_>| word.text.ends_with(['|', '&', ';', '(', '{']);
    match words.iter().rposition(ends_a_command) {
        Some(at) if at + 1 < words.len() => words.split_off(at + 1),
        _ => words,
    }
}
