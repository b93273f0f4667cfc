//! Suggested rules in words, the same wherever they are shown.
//!
//! ```text
//! path in docs   ·   it would let a call run that was refused or edited: {"path":"docs/key"}
//! ```

use jp_conversation::visible;
use jp_history::Reason;
use jp_policy::{MatcherKind, RawRule, RunMode, pointer::segments};
use serde_json::Value;

/// What each offered rule was checked for, as JSON and in words.
pub(crate) const CHECKED: [(&str, &str); 5] = [
    ("refusals", "lets run no call that was refused or edited"),
    ("scope", "lets run only what was asked about"),
    ("reachable", "hides no rule and is hidden by none"),
    ("hazards", "makes no array a hazard"),
    ("protected", "lets no path reach a protected file"),
];

/// How much of a rule or a call is shown to people, in characters; programs get all of it.
const LINE: usize = 160;

/// How much of a value stands on a button.
const BUTTON: usize = 40;

/// A text for a line of its own, without what hides or moves other text.
pub(crate) fn on_one_line(text: &str) -> String {
    cut(text, LINE)
}

/// Which calls a rule is about, for a button.
pub(crate) fn in_short(rule: &RawRule<RunMode>) -> String {
    let (Some(arg), Some((kind, value))) = (&rule.arg, rule.matchers.first()) else {
        return "every call".to_owned();
    };
    let said = match (kind, value) {
        (MatcherKind::Prefix, Value::String(folder)) => format!("in {folder}"),
        (MatcherKind::Enum, Value::Array(members)) => format!("one of {}", members.len()),
        (MatcherKind::Maximum, bound) => format!("at most {bound}"),
        (MatcherKind::Minimum, bound) => format!("at least {bound}"),
        (_, Value::String(text)) => format!("is {text}"),
        (_, value) => format!("is {value}"),
    };
    let name = cut(&segments(arg).unwrap_or_default().join("/"), BUTTON);
    format!("{name} {}", cut(&said, BUTTON))
}

/// Why a rule is withheld.
pub(crate) fn in_words(reason: &Reason) -> String {
    match reason {
        Reason::Refused(call) => {
            format!("it would let a call run that was refused or edited: {call}")
        }
        Reason::Protected { path, call } => format!("it would let a call reach `{path}`: {call}"),
        Reason::NeverDecides => "earlier rules decide all that it covers".to_owned(),
        Reason::Hides(rule) => format!("rule {} would never decide any more", rule + 1),
        Reason::Hazard(call) => {
            format!("one element of an array would let the others through: {call}")
        }
        Reason::Changes(call) => format!("it would change more than who is asked: {call}"),
        Reason::Unknown(reason) => format!("it might change more than who is asked: {reason}"),
        Reason::Invalid(problem) => format!("the config would not be clean: {problem}"),
        Reason::TooLong => "what it covers cannot be said in one line".to_owned(),
    }
}

fn cut(text: &str, limit: usize) -> String {
    let text = visible(text).replace('\n', "␊");
    match text.char_indices().nth(limit) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text,
    }
}
