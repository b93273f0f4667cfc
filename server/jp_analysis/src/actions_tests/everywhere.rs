//! What holds for each action, at each place of some samples.

use pretty_assertions::assert_eq;
use proptest::prelude::*;

use super::*;

fn value_of(text: &str) -> serde_json::Value {
    let document = Document::parse(text);
    Located::from_node(Node::Table(document.root()), LayerId(0)).to_json()
}

const SAMPLES: &[&str] = &[
    "inherit = true\nassistant = { name = \"ü\", model = { id = \"haiku\" } }\n\n[conversation.tools.'*']\nrun = \"ask\"\nenable = true\n",
    "[conversation.tools.a]\nsource = \"local\"\ncommand = \"x\"\nenable = \"always\" # é\nrun = \"skip\"\nstyle = { hidden = false }\nparameters = { p = { type = \"string\" }, n = { type = \"integer\" } }\n\n[conversation.tools.a.policy]\nresult = [\n  { arg = \"/p\", const = \"a\", mode = \"unattended\" },\n  { arg = \"/p\", const = \"b\", mode = \"unattended\" },\n  { arg = \"/n\", minimum = 3, mode = \"ask\" },\n]\n\n[[conversation.tools.a.access.fs]]\npath = \"./src/\"\nread = true\n",
    "[conversation.tools.a]\r\nsource = \"local\"\r\ncommand = \"x\"\r\nsummery = \"ö\"\r\n\r\n[conversation.tools.a.style]\r\nhidden = true\r\n\r\n[[conversation.tools.a.access.config]]\r\nwrite = true\r\n",
    "[conversation.tools.a\nsource = \"local\npolicy.run = [{ mode = \"ask\" }, { arg = 1 }\nx = { a = 1, \n[assistent]\n",
    "[conversation.tools.b]\nsource = \"local\"\ncommand = \"x\"\nparameters.p = { type = \"path\" }\npolicy.run = [\n    { arg = \"/p\", prefix = \"src\", mode = \"unattended\" }, # one\n    { arg = \"/p\", prefix = \"src/lib\", mode = \"ask\" },\n    { arg = \"/p\", const = \"./x\", mode = \"skip\" },\n]\n[[conversation.tools.b.access.config]]\npath = \"conversation.tools\"\nwrite = true\n",
];

pub(super) fn hold_everywhere(text: &str, step: usize) {
    let (analysis, id) = analysis_of(text);
    let errors = Document::parse(text).errors().len();
    let before = analysis.diagnostics(id);
    for offset in (0..=text.len()).step_by(step) {
        if !text.is_char_boundary(offset) {
            continue;
        }
        for action in ask(&analysis, id, offset) {
            let after = applied(text, &action);
            assert!(
                Document::parse(&after).errors().len() <= errors,
                "{action:?} at {offset} broke:\n{after}"
            );
            if action.title.starts_with("Write the table") {
                assert_eq!(value_of(text), value_of(&after), "{action:?}");
            }
            if let Some(index) = action.diagnostic {
                let finding = &before[index];
                let (fixed, id) = analysis_of(&after);
                let left = fixed.diagnostics(id);
                let wrong = |text: &str, finding: &crate::Diagnostic| {
                    text.get(finding.place.span.range()).unwrap().to_owned()
                };
                let what = wrong(text, finding);
                let count = |text: &str, found: &[crate::Diagnostic]| {
                    let same = found.iter().filter(|other| other.code == finding.code);
                    same.filter(|other| wrong(text, other) == what).count()
                };
                // What stands below an unknown name was not looked at before.
                let reveals = finding.code == Code::UnknownKey;
                assert!(
                    errors > 0 || reveals || left.len() <= before.len(),
                    "{action:?} brought more:\n{after}"
                );
                assert!(
                    errors > 0
                        || count(&after, &left) < count(text, &before)
                        || action.kind != ActionKind::QuickFix,
                    "{action:?} did not remove {finding:?}:\n{after}\n{left:#?}"
                );
            }
        }
    }
}

/// Texts with mistakes in them: words misspelt, lines lost and doubled.
fn faulty() -> impl Strategy<Value = String> {
    let sample = prop::sample::select(vec![SAMPLES[1], SAMPLES[2], SAMPLES[4]]);
    let change = (0..3_usize, any::<prop::sample::Index>());
    (sample, prop::collection::vec(change, 1..4)).prop_map(|(sample, changes)| {
        let mut lines: Vec<String> = sample.lines().map(ToOwned::to_owned).collect();
        for (kind, at) in changes {
            let index = at.index(lines.len());
            match kind {
                0 => {
                    let words: Vec<(usize, &str)> = lines[index]
                        .match_indices(|character: char| character.is_ascii_lowercase())
                        .collect();
                    if let Some((at, letter)) = words.get(words.len() / 2) {
                        let (at, letter) = (*at, letter.to_string());
                        lines[index].insert_str(at, &letter);
                    }
                }
                1 => drop(lines.remove(index)),
                _ => {
                    let line = lines[index].clone();
                    lines.insert(index, line);
                }
            }
            if lines.is_empty() {
                break;
            }
        }
        lines.join("\n") + "\n"
    })
}

#[test]
fn actions_never_break_the_text() {
    for sample in SAMPLES {
        hold_everywhere(sample, 1);
    }
}

#[test]
fn actions_never_break_a_truncated_text() {
    for sample in SAMPLES {
        for end in (0..sample.len()).step_by(7) {
            if let Some(text) = sample.get(..end) {
                hold_everywhere(text, 5);
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn a_fix_answers_its_finding_and_raises_none(text in faulty()) {
        hold_everywhere(&text, 17);
    }

    #[test]
    fn fixing_all_leaves_less_to_fix(text in faulty()) {
        let (analysis, id) = analysis_of(&text);
        if let Some(action) = fix_all(&analysis, id) {
            let after = applied(&text, &action);
            let (fixed, id_after) = analysis_of(&after);
            prop_assert!(fixed.diagnostics(id_after) != analysis.diagnostics(id));
            let errors = |text: &str| Document::parse(text).errors().len();
            prop_assert!(errors(&after) <= errors(&text), "{}", after);
        }
    }
}
