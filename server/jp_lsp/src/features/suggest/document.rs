//! Suggested rules as a document: each with what it covers, what it would have answered, what it newly lets run, and what was checked.
//!
//! ```markdown
//! ## 1. every call whose `path` lies in `docs`
//! ```

use std::fmt::Write as _;

use jp_analysis::text::markup::{code, one_line};
use jp_conversation::fenced;
use jp_history::{Suggestions, Withheld, in_toml};
use jp_policy::{RawRule, RunMode};

use crate::runtime::suggestions::{CHECKED, Layer, Offer, Report, in_words, on_one_line};

/// What a person has to know to pick a rule.
pub(super) fn of_report(report: &Report, waits: bool) -> String {
    let rests_on = &report.suggestions;
    let mut text = format!("# Rules for {}\n\n", code(&report.tool));
    let _ = writeln!(
        text,
        "{} of {} recorded calls needed a person, who refused {}; {} that a person allowed would be asked about again.",
        rests_on.prompts, rests_on.calls, rests_on.refusals, rests_on.approvals
    );
    if waits {
        text.push_str("Each rule lets the call run that waits now.\n");
    }
    for (number, offer) in (1..).zip(written(report)) {
        add_offer(&mut text, number, offer, rests_on);
    }
    let by_hand = report.offers.iter().filter(|offer| offer.layer.is_none());
    for offer in by_hand {
        let rule = code(&one_line(&in_toml(&offer.suggestion.rule)));
        let _ = writeln!(
            text,
            "\n- {rule} has to be written by hand: no edit of one file makes the config say it"
        );
    }
    if !rests_on.withheld.is_empty() {
        text.push_str("\n## Withheld\n\n");
    }
    for Withheld { rule, reason, .. } in &rests_on.withheld {
        let (rule, reason) = (on_one_line(&in_toml(rule)), on_one_line(&in_words(reason)));
        let _ = writeln!(text, "- {}: {}", code(&rule), plain(&reason));
    }
    text
}

/// The change of each file that can hold the rule.
pub(super) fn of_layers(rule: &RawRule<RunMode>, layers: &[Layer]) -> String {
    let mut text = format!("# {}\n", code(&one_line(&in_toml(rule))));
    for layer in layers {
        let _ = writeln!(text, "\n## {}\n", code(layer.shown.as_str()));
        text.push_str(&fenced("diff", &layer.diff));
    }
    text
}

/// The question that goes with the list.
pub(super) fn question(report: &Report, waits: bool) -> String {
    let mut text = format!(
        "Always run calls of `{}` like these?",
        one_line(&report.tool)
    );
    let total = report.suggestions.approvals;
    for (number, offer) in (1..).zip(written(report)) {
        let offered = &offer.suggestion;
        let answered = match waits {
            true => format!("this call and {} of {total} approvals", offered.approvals),
            false => format!("{} of {total} approvals", offered.approvals),
        };
        let _ = write!(
            text,
            "\n{number}: {} ({answered})",
            one_line(&offered.covers)
        );
    }
    text
}

/// The rules that an edit can bring in.
fn written(report: &Report) -> impl Iterator<Item = &Offer> {
    report.offers.iter().filter(|offer| offer.layer.is_some())
}

fn add_offer(text: &mut String, number: usize, offer: &Offer, rests_on: &Suggestions) {
    let offered = &offer.suggestion;
    let _ = writeln!(text, "\n## {number}. {}\n", plain(&offered.covers));
    text.push_str(&fenced("toml", &in_toml(&offered.rule)));
    let _ = writeln!(
        text,
        "\n- would have answered {} of {} approvals",
        offered.approvals, rests_on.approvals
    );
    if offered.unrecorded > 0 {
        let _ = writeln!(
            text,
            "- and {} of {} calls that ran with nobody on record who allowed them",
            offered.unrecorded, rests_on.unrecorded
        );
    }
    if offered.others > 0 {
        let _ = writeln!(
            text,
            "- recorded calls that nobody answered and that it would let run: {}",
            offered.others
        );
    }
    for call in &offered.witnesses {
        let call = on_one_line(&call.to_string());
        let _ = writeln!(text, "- also lets run {}", code(&call));
    }
    let _ = writeln!(
        text,
        "- checked: {}",
        CHECKED.map(|(_, words)| words).join(", ")
    );
    if let Some(before) = &offer.before {
        let place = format!("{}:{}", before.path, before.line + 1);
        let _ = writeln!(
            text,
            "- goes before rule {} ({})",
            before.index + 1,
            code(&place)
        );
    }
    if let Some(layer) = &offer.layer {
        text.push('\n');
        text.push_str(&fenced("diff", &layer.diff));
    }
}

/// A sentence whose names stand between backquotes, which nothing in it can end: as one piece of code where something might.
fn plain(sentence: &str) -> String {
    let line = one_line(sentence);
    let is_harmless =
        |letter: char| letter.is_alphanumeric() || " `,.:;/'\"{}-+=?_…".contains(letter);
    match line.chars().all(is_harmless) {
        true => line,
        false => code(&line),
    }
}
