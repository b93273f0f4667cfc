//! Histories for tests, without a disk.

use jp_conversation::{Answerer, CallDecision, DecidedBy, DecisionOutcome, Timestamp};
use serde_json::Value;

use crate::answer::Answer;
use crate::call::Kept;
pub(crate) use crate::history::History;

/// Calls of the tool `t`, a second apart, with the mode that is on record for them; without a mode nothing is.
pub(crate) fn recorded(calls: &[(Value, &str, Answer)]) -> History {
    let mut history = History::default();
    for (second, (arguments, mode, answer)) in (0_usize..).zip(calls) {
        let at = format!(
            "2026-11-20 {:02}:{:02}:{:02}",
            second / 3600,
            second / 60 % 60,
            second % 60
        );
        let decision = CallDecision {
            mode: (*mode).to_owned(),
            rule: None,
            outcome: DecisionOutcome::Allowed,
            by: DecidedBy::Person,
            remembered: false,
            answerer: Answerer::default(),
        };
        let decision = serde_json::to_string(&decision).unwrap();
        let mut intern = |text: &str| history.texts.intern(text).unwrap();
        let kept = Kept {
            tool: intern("t"),
            arguments: intern(&arguments.to_string()),
            edited: None,
            decision: (!mode.is_empty()).then(|| intern(&decision)),
            at: at.parse::<Timestamp>().unwrap(),
            answer: *answer,
        };
        history.calls.push(kept);
    }
    history
}
