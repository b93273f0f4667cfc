//! Holds replayed calls to fresh ones: after each edit of the rules, each recorded call is what an evaluation without any memory says.
//!
//! ```text
//! JP_HISTORY_REPLAY_CALLS=100000 JP_HISTORY_REPLAY_EDITS=1000 cargo nextest run --release -p jp_history --test replay
//! ```

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test may stop at the first surprise"
)]

#[path = "../../../tests/random.rs"]
mod random;
#[path = "support/record.rs"]
mod record;

use camino::Utf8Path;
use jp_history::{ByRule, Replay};
use jp_policy::{Parameters, Policy, RunMode, compile, decide_paths, prepare};
use serde_json::Value;

use self::{
    random::Random,
    record::{TOOL, canonical, edit, parameters, record},
};

/// The decision about a call, from its text on.
fn fresh(arguments: &str, policy: &Policy<RunMode>, parameters: &Parameters) -> ByRule<RunMode> {
    let arguments: Value = serde_json::from_str(arguments).unwrap();
    let prepared = prepare(arguments.as_object().unwrap().clone(), parameters).ok()?;
    let decision = decide_paths(policy, &Value::Object(prepared), canonical);
    Some((decision.mode, decision.rule))
}

fn wanted(name: &str, default: usize) -> usize {
    std::env::var(name).map_or(default, |wanted| wanted.parse().unwrap())
}

#[test]
fn after_each_edit_replayed_calls_are_what_fresh_ones_are() {
    let count = wanted("JP_HISTORY_REPLAY_CALLS", 300);
    let edits = wanted("JP_HISTORY_REPLAY_EDITS", 30);
    let folder = tempfile::tempdir().unwrap();
    let folder = Utf8Path::from_path(folder.path()).unwrap();
    let mut replay = Replay::new(record(folder, count, count.div_ceil(3)));
    let parameters = parameters();
    let mut random = Random(7);
    let mut rules = Vec::new();
    let (mut compared, mut decided_by_rules, mut unfit) = (0, 0, 0);
    for _ in 0..edits {
        edit(&mut random, &mut rules);
        let (policy, problems) = compile(&rules, &parameters);
        assert_eq!(problems, []);
        let judged = replay.judge(TOOL, &policy, &parameters, &mut canonical, &|| true);
        let decided = replay.decided(TOOL, &judged.unwrap());
        assert_eq!(decided.len(), count, "every call is there");
        for (call, decision) in decided {
            let expected = fresh(call.arguments_text(), &policy, &parameters);
            assert_eq!(
                decision,
                expected,
                "{} under {rules:#?}",
                call.arguments_text()
            );
            compared += 1;
            decided_by_rules += usize::from(expected.is_some_and(|(_, rule)| rule.is_some()));
            unfit += usize::from(expected.is_none());
        }
    }
    assert_eq!(compared, count * edits);
    assert!(decided_by_rules > compared / 4 && unfit > 0);
}
