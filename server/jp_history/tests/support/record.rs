//! Many recorded calls of one tool on disk, and lists of rules that are edited.

use std::fmt::Write as _;

use camino::Utf8Path;
use jp_history::{History, Limits, Source};
use jp_policy::{
    CanonicalPath, MatcherKind, Parameter, ParameterType, Parameters, RawRule, RunMode,
};

use crate::random::Random;

/// The tool.
pub(crate) const TOOL: &str = "edit";

pub(crate) fn parameters() -> Parameters {
    Parameters::new([
        ("path", Parameter::of(ParameterType::Path).required()),
        ("line", Parameter::of(ParameterType::Integer)),
    ])
}

/// Where a path leads; there is no disk.
pub(crate) fn canonical(path: &str) -> Option<CanonicalPath> {
    Some(jp_policy::lexical_path(path, None))
}

/// Writes `count` calls with `different` sets of arguments into conversations of `jp`'s below a folder, and reads them.
pub(crate) fn record(folder: &Utf8Path, count: usize, different: usize) -> History {
    let mut random = Random(1);
    let arguments: Vec<String> = (0..different)
        .map(|number| {
            let top = *random.of(&["src", "docs", "tests", "..", ".env", "src-old"]);
            let line = if random.percent(3) {
                "\"no number\"".to_owned()
            } else {
                random.below(40).to_string()
            };
            format!(
                r#"{{"path":"{top}/part{}/f{number}.rs","line":{line}}}"#,
                number % 97
            )
        })
        .collect();
    let calls: Vec<usize> = (0..count).collect();
    for (number, calls) in calls.chunks(10_000).enumerate() {
        let mut text = String::from("[");
        for (index, call) in calls.iter().enumerate() {
            let separator = if index == 0 { "" } else { "," };
            let arguments = &arguments[call % different];
            let _ = write!(
                text,
                r#"{separator}{{"timestamp":"2026-01-02 03:{:02}:{:02}.0","type":"tool_call_request","id":"c{call}","name":"{TOOL}","arguments":{arguments}}}"#,
                index / 60 % 60,
                index % 60
            );
        }
        text.push(']');
        let conversation = folder.join(format!("1763666{number:04}0-c"));
        std::fs::create_dir_all(&conversation).unwrap();
        std::fs::write(conversation.join("events.json"), text).unwrap();
    }
    History::read(&[Source::released(folder)], Limits::default())
}

/// A random rule.
pub(crate) fn rule(random: &mut Random) -> RawRule<RunMode> {
    use jp_policy::Mode as _;
    let mode = *random.of(RunMode::ALL);
    match random.below(4) {
        0 => RawRule::condition(
            "/line",
            MatcherKind::Minimum,
            i64::try_from(random.below(40)).unwrap(),
            mode,
        ),
        1 => {
            let path = format!("src/part{}/f{}.rs", random.below(97), random.below(1000));
            RawRule::condition("/path", MatcherKind::Const, path, mode)
        }
        _ => {
            let top = *random.of(&["src", "docs", "tests", "src/part1", "docs/part7", ""]);
            RawRule::condition("/path", MatcherKind::Prefix, top, mode)
        }
    }
}

/// What a person does to a list: a rule more, one less, another one, two the other way round.
pub(crate) fn edit(random: &mut Random, rules: &mut Vec<RawRule<RunMode>>) {
    let length = rules.len();
    match random.below(4) {
        0 if length > 2 => {
            rules.remove(random.below(length));
        }
        1 if length > 1 => rules.swap(random.below(length), random.below(length)),
        2 if length > 0 => {
            let at = random.below(length);
            rules[at] = rule(random);
        }
        _ if length < 30 => {
            let at = random.below(length + 1);
            rules.insert(at, rule(random));
        }
        _ => {
            rules.remove(0);
        }
    }
}
