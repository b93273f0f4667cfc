//! What is suggested, for people and for programs.
//!
//! ```json
//! {"tool":"read","calls":41,"prompts":11,"approvals":8,"unrecorded":0,"refusals":3,"suggestions":[],"withheld":[]}
//! ```

use std::io::{self, Write};

use jp_analysis::explain::RulePlace;
use jp_conversation::visible;
use jp_history::{Reason, Suggestion, Suggestions, Withheld, in_toml};
use serde_json::{Value, json};

use super::change::Diff;

/// What each offered rule was checked for, in words and as JSON.
const CHECKED: [(&str, &str); 5] = [
    ("refusals", "lets run no call that was refused"),
    ("scope", "lets run only what was asked about"),
    ("reachable", "hides no rule and is hidden by none"),
    ("hazards", "makes no array a hazard"),
    ("protected", "lets no path reach a protected file"),
];

/// How much of a rule or a call is shown to people, in characters; programs get all of it.
const LINE: usize = 160;

/// Everything that is suggested for a tool.
#[derive(Debug, Default)]
pub(super) struct Report {
    pub(super) tool: String,
    /// What it rests on, and what is withheld.
    pub(super) suggestions: Suggestions,
    pub(super) offers: Vec<Offer>,
}

/// A rule with its place in the config.
#[derive(Debug)]
pub(super) struct Offer {
    pub(super) suggestion: Suggestion,
    /// The rule that it goes before; none at the end, or where no file says it.
    pub(super) before: Option<RulePlace>,
    /// The change; none where a person has to write it.
    pub(super) diff: Option<Diff>,
}

impl Report {
    pub(super) fn to_json(&self) -> Value {
        let rests_on = &self.suggestions;
        json!({
            "tool": self.tool,
            "calls": rests_on.calls,
            "prompts": rests_on.prompts,
            "approvals": rests_on.approvals,
            "unrecorded": rests_on.unrecorded,
            "refusals": rests_on.refusals,
            "suggestions": self.offers.iter().map(Offer::to_json).collect::<Vec<_>>(),
            "withheld": rests_on.withheld.iter().map(withheld).collect::<Vec<_>>(),
        })
    }

    pub(super) fn print(&self, output: &mut dyn Write) -> io::Result<()> {
        let rests_on = &self.suggestions;
        let tool = visible(&self.tool);
        writeln!(
            output,
            "{tool}: {} of {} recorded calls needed a person; refused: {}",
            rests_on.prompts, rests_on.calls, rests_on.refusals
        )?;
        writeln!(
            output,
            "asked about today: {} that a person allowed, and {} that ran with nobody on record who allowed them",
            rests_on.approvals, rests_on.unrecorded
        )?;
        if self.offers.is_empty() {
            writeln!(output, "nothing to suggest")?;
        }
        for (number, offer) in (1..).zip(&self.offers) {
            offer.print(number, rests_on, output)?;
        }
        for Withheld { rule, reason, .. } in &rests_on.withheld {
            let (rule, reason) = (short(&in_toml(rule)), short(&words(reason)));
            writeln!(output, "\nwithheld: {rule}\n   {reason}")?;
        }
        Ok(())
    }
}

impl Offer {
    fn to_json(&self) -> Value {
        let Suggestion {
            rule,
            position,
            covers,
            approvals,
            unrecorded,
            others,
            witnesses,
        } = &self.suggestion;
        let diff = self.diff.as_ref();
        json!({
            "rule": rule.to_config(),
            "toml": in_toml(rule),
            "covers": covers,
            "answers": { "approvals": approvals, "unrecorded": unrecorded, "others": others },
            "admits": witnesses,
            "position": position,
            "before": self.before.as_ref().map(RulePlace::to_json),
            "checked": CHECKED.map(|(key, _)| key),
            "change": diff.map(|diff| json!({ "path": diff.path, "diff": diff.text })),
        })
    }

    fn print(
        &self,
        number: usize,
        rests_on: &Suggestions,
        output: &mut dyn Write,
    ) -> io::Result<()> {
        let offered = &self.suggestion;
        writeln!(output, "\n{number}. {}", visible(&in_toml(&offered.rule)))?;
        writeln!(output, "   covers {}", visible(&offered.covers))?;
        write!(
            output,
            "   would have answered {} of {} approvals",
            offered.approvals, rests_on.approvals
        )?;
        if offered.unrecorded > 0 {
            write!(
                output,
                ", and {} of {} calls that ran unrecorded",
                offered.unrecorded, rests_on.unrecorded
            )?;
        }
        writeln!(output)?;
        if offered.others > 0 {
            writeln!(
                output,
                "   {} recorded calls that nobody answered would run by it",
                offered.others
            )?;
        }
        for call in &offered.witnesses {
            writeln!(output, "   also lets run {}", short(&call.to_string()))?;
        }
        let checked = CHECKED.map(|(_, words)| words).join(", ");
        writeln!(output, "   checked: {checked}")?;
        if let Some(before) = &self.before {
            let (rule, line) = (before.index + 1, before.line + 1);
            writeln!(
                output,
                "   goes before rule {rule} ({}:{line})",
                visible(before.path.as_str())
            )?;
        }
        match &self.diff {
            Some(diff) => write!(output, "\n{}", visible(&diff.text)),
            None => writeln!(
                output,
                "   write it by hand: no edit of one file makes the config say it"
            ),
        }
    }
}

/// A text for a line of its own, without what hides or moves other text.
fn short(text: &str) -> String {
    let text = visible(text).replace('\n', "␊");
    match text.char_indices().nth(LINE) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text,
    }
}

fn withheld(withheld: &Withheld) -> Value {
    let Withheld {
        rule,
        covers,
        reason,
    } = withheld;
    let (key, call) = match reason {
        Reason::Refused(call) => ("refusals", Some(call)),
        Reason::Protected { call, .. } => ("protected", Some(call)),
        Reason::NeverDecides | Reason::Hides(_) => ("reachable", None),
        Reason::Hazard(call) => ("hazards", Some(call)),
        Reason::Changes(call) => ("scope", Some(call)),
        Reason::Unknown(_) => ("scope", None),
        Reason::Invalid(_) => ("config", None),
        Reason::TooLong => ("words", None),
    };
    json!({
        "rule": rule.to_config(),
        "toml": in_toml(rule),
        "covers": covers,
        "fails": key,
        "reason": words(reason),
        "call": call,
    })
}

fn words(reason: &Reason) -> String {
    match reason {
        Reason::Refused(call) => format!("it would let a call run that was refused: {call}"),
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
