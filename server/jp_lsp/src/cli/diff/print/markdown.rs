//! A comparison as a comment on a pull request.
//!
//! ```text
//! | tool <code>edit</code>, whether calls run | **loosened** | <code>ask</code> | <code>unattended</code> | … |
//! ```
//!
//! Who opens the pull request chose the names in it, so none of them is taken for Markdown: no link, no picture, no mention, no tag.

use std::{
    fmt::Write as _,
    io::{self, Write},
};

use jp_analysis::{comparison::ChangeVerdict, explain::RulePlace};
use jp_policy::Direction;

use super::in_repository;
use crate::runtime::comparison::{
    Compared,
    words::{SHOWN, line, place, refused_in_words, summary, title},
};

pub(super) fn comment(compared: &Compared, output: &mut dyn Write) -> io::Result<()> {
    let verdict = compared.comparison.verdict;
    writeln!(
        output,
        "### What this changes of the assistant's config: {verdict}\n"
    )?;
    writeln!(output, "{}", prose(&summary(compared)))?;
    for refused in &compared.comparison.refused {
        let said = refused_in_words(compared, refused);
        writeln!(output, "\n**Error:** {}", prose(&said))?;
    }
    if verdict != ChangeVerdict::Equal {
        writeln!(
            output,
            "\n| what | verdict | before | after | as in | rule | recorded calls |"
        )?;
        writeln!(output, "|---|---|---|---|---|---|---|")?;
    }
    for found in &compared.comparison.tools {
        let title = prose(&title(found));
        for change in found.changes.iter().take(SHOWN) {
            let kind = match change.direction {
                Direction::Loosened => "**loosened**",
                Direction::Tightened => "tightened",
                Direction::Sideways => "changed",
            };
            let at = place(change).map_or(String::new(), |(rule, was)| {
                format!("{was}{}", code(&at_line(compared, rule)))
            });
            writeln!(
                output,
                "| {title} | {kind} | {} | {} | {} | {at} | {} |",
                code(&change.before),
                code(&change.after),
                code(&change.witness.to_string()),
                change.recorded
            )?;
        }
        if let Some(more @ 1..) = found.changes.len().checked_sub(SHOWN) {
            writeln!(
                output,
                "| {title} | {} | | | and {more} more | | |",
                found.verdict
            )?;
        }
        for open in &found.unknown {
            writeln!(output, "| {title} | unknown | | | {} | | |", prose(open))?;
        }
    }
    writeln!(output, "\n<details><summary>This assumes that</summary>\n")?;
    for assumption in &compared.assumes {
        writeln!(output, "- {}", prose(assumption))?;
    }
    writeln!(output, "\n</details>")
}

fn at_line(compared: &Compared, rule: &RulePlace) -> String {
    let path = in_repository(compared, &rule.path);
    format!("{path}:{}", rule.line.saturating_add(1))
}

/// A sentence of ours, in which code stands between backticks; one that is alone is a backtick.
fn prose(text: &str) -> String {
    let text = line(text);
    let mut parts: Vec<&str> = text.split('`').collect();
    let last = match parts.len() % 2 {
        0 => parts.pop(),
        _ => None,
    };
    let mut shown = String::new();
    for (number, part) in parts.into_iter().enumerate() {
        shown.push_str(&match number % 2 {
            0 => literal(part, true),
            _ if part.is_empty() => "&#96;&#96;".to_owned(),
            _ if part.chars().all(is_plain) => format!("`{part}`"),
            _ => code(part),
        });
    }
    if let Some(last) = last {
        shown.push_str("&#96;");
        shown.push_str(&literal(last, true));
    }
    shown
}

/// Whether a character is itself between backticks, in a table too.
const fn is_plain(character: char) -> bool {
    character.is_ascii_alphanumeric()
        || matches!(
            character,
            ' ' | '.' | '/' | '-' | '_' | '"' | '\'' | '=' | ',' | '(' | ')' | '{' | '}'
        )
}

/// Code, as HTML: between backticks a table would still be cut at each `|`.
fn code(text: &str) -> String {
    match text {
        "" => String::new(),
        text => format!("<code>{}</code>", literal(&line(text), false)),
    }
}

/// Text in which nothing is Markdown, HTML, or a link, and in prose nothing an emoji or the name of a person, an issue or a commit.
///
/// Hosts look for names in what the Markdown has become, but not in code: in prose an invisible space parts them.
fn literal(text: &str, is_prose: bool) -> String {
    let mut shown = String::with_capacity(text.len());
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        let begins_name = match (character, characters.peek()) {
            ('@', _) => true,
            ('#', Some(next)) => next.is_ascii_digit(),
            (':', Some(next)) => next.is_ascii_alphabetic() || matches!(next, '/' | '+' | '-'),
            _ => false,
        };
        if begins_name
            || matches!(
                character,
                '&' | '<' | '>' | '|' | '`' | '*' | '_' | '~' | '[' | ']' | '\\' | '$'
            )
        {
            // Writing to a string cannot fail.
            let _ = write!(shown, "&#{};", u32::from(character));
        } else {
            shown.push(character);
        }
        if begins_name && is_prose {
            shown.push_str("&#8203;");
        }
    }
    // What begins so is a link without any markup.
    shown.replace("www.", "www&#46;")
}

#[cfg(test)]
#[path = "markdown_tests.rs"]
mod tests;
