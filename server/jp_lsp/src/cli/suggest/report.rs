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

use crate::runtime::suggestions::{CHECKED, Offer, Report, in_words, on_one_line};

/// The report as one object.
pub(super) fn to_json(report: &Report) -> Value {
    let rests_on = &report.suggestions;
    json!({
        "tool": report.tool,
        "calls": rests_on.calls,
        "prompts": rests_on.prompts,
        "approvals": rests_on.approvals,
        "unrecorded": rests_on.unrecorded,
        "refusals": rests_on.refusals,
        "suggestions": report.offers.iter().map(offered).collect::<Vec<_>>(),
        "withheld": rests_on.withheld.iter().map(withheld).collect::<Vec<_>>(),
    })
}

/// The report for a person.
pub(super) fn print(report: &Report, output: &mut dyn Write) -> io::Result<()> {
    let rests_on = &report.suggestions;
    let tool = visible(&report.tool);
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
    if report.offers.is_empty() {
        writeln!(output, "nothing to suggest")?;
    }
    for (number, offer) in (1..).zip(&report.offers) {
        print_offer(offer, number, rests_on, output)?;
    }
    for Withheld { rule, reason, .. } in &rests_on.withheld {
        let (rule, reason) = (on_one_line(&in_toml(rule)), on_one_line(&in_words(reason)));
        writeln!(output, "\nwithheld: {rule}\n   {reason}")?;
    }
    Ok(())
}

fn offered(offer: &Offer) -> Value {
    let Suggestion {
        rule,
        position,
        covers,
        approvals,
        unrecorded,
        others,
        witnesses,
    } = &offer.suggestion;
    let layer = offer.layer.as_ref();
    json!({
        "rule": rule.to_config(),
        "toml": in_toml(rule),
        "covers": covers,
        "answers": { "approvals": approvals, "unrecorded": unrecorded, "others": others },
        "admits": witnesses,
        "position": position,
        "before": offer.before.as_ref().map(RulePlace::to_json),
        "checked": CHECKED.map(|(key, _)| key),
        "change": layer.map(|layer| json!({ "path": layer.shown, "diff": layer.diff })),
    })
}

fn print_offer(
    offer: &Offer,
    number: usize,
    rests_on: &Suggestions,
    output: &mut dyn Write,
) -> io::Result<()> {
    let offered = &offer.suggestion;
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
        writeln!(
            output,
            "   also lets run {}",
            on_one_line(&call.to_string())
        )?;
    }
    let checked = CHECKED.map(|(_, words)| words).join(", ");
    writeln!(output, "   checked: {checked}")?;
    if let Some(before) = &offer.before {
        let (rule, line) = (before.index + 1, before.line + 1);
        writeln!(
            output,
            "   goes before rule {rule} ({}:{line})",
            visible(before.path.as_str())
        )?;
    }
    match &offer.layer {
        Some(layer) => write!(output, "\n{}", visible(&layer.diff)),
        None => writeln!(
            output,
            "   write it by hand: no edit of one file makes the config say it"
        ),
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
        "reason": in_words(reason),
        "call": call,
    })
}
