//! Random policies: single modes and lists, of a tool and of all tools, in one file and in two.

use serde_json::{Value, json};

use super::{
    Random,
    calls::{Kind, PLAIN, Target},
};

/// What a tool, or `'*'`, says to one question.
#[derive(Debug, Default)]
pub(super) struct Said {
    /// `run` or `result`.
    pub(super) mode: Option<&'static str>,
    /// `policy.run` or `policy.result`.
    pub(super) rules: Option<Rules>,
}

/// A list, and what a second file does to it.
#[derive(Debug)]
pub(super) struct Rules {
    first: Vec<Value>,
    second: Option<(&'static str, Vec<Value>)>,
}

impl Rules {
    /// The list as it stands in the first file, and in the second.
    pub(super) fn written(&self) -> [Option<Value>; 2] {
        let lines = |rules: &[Value]| Value::Array(rules.to_vec());
        let second = self
            .second
            .as_ref()
            .map(|(strategy, rules)| json!({ "strategy": strategy, "value": lines(rules) }));
        [Some(lines(&self.first)), second]
    }

    /// Takes out the rule with this number in the effective list.
    pub(super) fn remove(&mut self, index: usize) {
        let before = self.first.len();
        let Some((strategy, second)) = &mut self.second else {
            self.first.remove(index);
            return;
        };
        match *strategy {
            "append" if index < before => {
                self.first.remove(index);
            }
            "append" => {
                second.remove(index - before);
            }
            "prepend" if index >= second.len() => {
                self.first.remove(index - second.len());
            }
            _ => {
                second.remove(index);
            }
        }
    }
}

/// What is said to a question with these modes.
pub(super) fn said(random: &mut Random, targets: &[Target], modes: &[&'static str]) -> Said {
    let rules = random.percent(65).then(|| {
        let second = random.percent(20).then(|| {
            let strategy = *random.of(&["append", "prepend", "replace"]);
            (strategy, rules(random, targets, modes))
        });
        Rules {
            first: rules(random, targets, modes),
            second,
        }
    });
    Said {
        mode: random.percent(40).then(|| *random.of(modes)),
        rules,
    }
}

fn rules(random: &mut Random, targets: &[Target], modes: &[&'static str]) -> Vec<Value> {
    let mut rules: Vec<Value> = (0..random.below(5))
        .filter_map(|_| rule(random, targets, modes))
        .collect();
    if random.percent(70) {
        rules.push(json!({ "mode": random.of(modes) }));
    }
    rules
}

fn rule(random: &mut Random, targets: &[Target], modes: &[&'static str]) -> Option<Value> {
    if targets.is_empty() {
        return None;
    }
    let (arg, kind) = *random.of(targets);
    let several = |random: &mut Random, all: &[Value]| -> Value {
        (0..=random.below(3))
            .map(|_| random.of(all).clone())
            .collect()
    };
    let paths: Vec<Value> = PLAIN.iter().map(|path| json!(path)).collect();
    let texts = [json!("a"), json!("ab"), json!("src"), json!("x\ny")];
    let numbers = [json!(0), json!(1), json!(0.5), json!(-3)];
    let mut rule = match (kind, random.below(4)) {
        (Kind::Path, 0) => json!({ "const": random.of(&paths) }),
        (Kind::Path, 1) => json!({ "enum": several(random, &paths) }),
        (Kind::Path, 2) => {
            json!({ "pattern": random.of(&["^src/", "key$", r"\.rs$", "^[^/]+$", "^$"]) })
        }
        (Kind::Path, _) => {
            json!({ "prefix": random.of(&[paths, vec![json!(""), json!("src/"), json!("./docs")]].concat()) })
        }
        (Kind::Text, 0) => json!({ "const": random.of(&texts) }),
        (Kind::Text, 1) => json!({ "enum": several(random, &texts) }),
        (Kind::Text, 2) => json!({ "pattern": random.of(&["^a", "b$", "^.$", "s+rc"]) }),
        (Kind::Text, _) => json!({ "prefix": random.of(&["", "a", "sr"]) }),
        (Kind::Number, 0) => json!({ "const": random.of(&numbers) }),
        (Kind::Number, 1) => json!({ "minimum": random.of(&numbers) }),
        (Kind::Number, _) => json!({ "exclusive_maximum": random.of(&numbers) }),
        (Kind::Flag, _) => json!({ "const": random.percent(50) }),
        (Kind::Table, _) => {
            json!({ "const": random.of(&[json!({ "from": "src" }), json!({ "note": "a" }), json!({})]) })
        }
    };
    rule["arg"] = arg.into();
    rule["mode"] = (*random.of(modes)).into();
    Some(rule)
}
