//! What a conversation is called before anybody names it: the beginning of its first question.
//!
//! ```text
//! "Why does the version lack its date? I looked at\n`build.rs`."  ->  "Why does the version lack its date?"
//! ```

use crate::visible::is_hidden;

/// The most characters that a title has.
const LONGEST: usize = 60;

/// The first sentence or line of a question, 60 characters at most, cut between words where that is possible.
///
/// Control characters, white space in a row and marks of Markdown at the beginning go; none when nothing is left.
#[must_use]
pub fn title_of(question: &str) -> Option<String> {
    let is_mark = |character: char| matches!(character, '#' | '>' | '*' | '-');
    let line = question.lines().find_map(|line| {
        let shown: String = line.chars().filter(|it| !is_hidden(*it)).collect();
        let words: Vec<&str> = shown.split_whitespace().collect();
        let line = words.join(" ");
        let line = line.trim_start_matches(is_mark).trim_start();
        (!line.is_empty()).then(|| line.to_owned())
    })?;
    let sentence = first_sentence(&line);
    if sentence.chars().count() <= LONGEST {
        return Some(sentence.to_owned());
    }
    let cut: String = sentence.chars().take(LONGEST - 1).collect();
    let whole_words = cut.rsplit_once(' ').map(|(words, _)| words);
    let long_enough = |words: &&str| words.chars().count() > LONGEST / 2;
    Some(format!(
        "{}…",
        whole_words.filter(long_enough).unwrap_or(&cut)
    ))
}

/// Up to the first mark that ends a sentence and has white space behind it. A full stop at the end goes.
fn first_sentence(line: &str) -> &str {
    let end = line
        .match_indices(['.', '?', '!'])
        .find_map(|(place, mark)| {
            let end = place + mark.len();
            let rest = line.get(end..)?;
            // `e.g. x`, `1. x` and `v1.2` are no ends.
            let before = line.get(..place)?;
            let is_short = before
                .rsplit([' ', '.'])
                .next()
                .is_some_and(|word| word.chars().count() < 2);
            (rest.starts_with(' ') && !(mark == "." && is_short)).then_some(end)
        });
    let sentence = end.and_then(|end| line.get(..end)).unwrap_or(line);
    match sentence.strip_suffix('.') {
        Some(without) if !without.is_empty() && !without.ends_with('.') => without,
        _ => sentence,
    }
}

#[cfg(test)]
#[path = "title_tests.rs"]
mod tests;
