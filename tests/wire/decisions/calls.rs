//! Random parameters, and random calls that mostly fit them.

use serde_json::{Map, Value, json};

use super::Random;

/// What a rule can be about: the pointer, and the kind of value there.
pub(super) type Target = (&'static str, Kind);

/// The kind of value that a pointer leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Path,
    Text,
    Number,
    Flag,
    Table,
}

/// Paths in normal form, as a rule has to write them.
pub(super) const PLAIN: [&str; 16] = [
    "src",
    "src/a.rs",
    "src/deep",
    "src/deep/b.rs",
    "docs",
    "docs/x.md",
    "secret",
    "secret/key",
    "alias",
    "alias/key",
    "src/link.rs",
    "out",
    "dangling",
    "new.txt",
    ".git/config",
    "docs/ä 𝄞",
];

/// What else a call can name; `ROOT` stands for the folder of the workspace.
const ODD: [&str; 36] = [
    "",
    ".",
    "..",
    "./src/a.rs",
    "src/",
    "src//a.rs",
    "src/./deep/../a.rs",
    "../w/src/a.rs",
    "../outside/file",
    "alias/../src/a.rs",
    "out/../src/a.rs",
    "out/file",
    "chain/key",
    "chain",
    "src/up/secret/key",
    "src/away",
    "gone",
    "loop",
    "loop/x",
    "loop/../src/a.rs",
    "dangling/../src/a.rs",
    "src/a.rs/x",
    "src/a.rs/../deep/b.rs",
    "SRC/a.rs",
    "~/x",
    "src\\a.rs",
    "src/a.rs\u{0}",
    "ROOT",
    "ROOT/",
    "ROOT/src/a.rs",
    "ROOT/alias/key",
    "ROOT/../w/src/a.rs",
    "ROOT-other/x",
    "/etc/passwd",
    "/",
    "//src/a.rs",
];

const TEXTS: [&str; 6] = ["", "a", "ab", "src", "x\ny", "𝄞"];

/// A set of parameters as a config has them, and what rules can say of them.
pub(super) fn parameters(random: &mut Random) -> (Map<String, Value>, Vec<Target>) {
    let path = json!({ "type": "path" });
    let all: [(&str, Value, &[Target]); 12] = [
        ("path", path.clone(), &[("/path", Kind::Path)]),
        ("file", path.clone(), &[("/file", Kind::Path)]),
        (
            "paths",
            json!({ "type": "array", "items": path }),
            &[("/paths", Kind::Path)],
        ),
        (
            "moves",
            json!({ "type": "array", "items": { "type": "object", "properties": {
                "from": path, "to": path, "note": { "type": "string" },
            } } }),
            &[
                ("/moves/from", Kind::Path),
                ("/moves/to", Kind::Path),
                ("/moves/note", Kind::Text),
                ("/moves", Kind::Table),
            ],
        ),
        (
            "target",
            json!({ "type": "object", "properties": {
                "file": path,
                "kind": { "type": "string", "enum": ["a", "ab", "src"] },
                "deep": { "type": "object", "properties": { "to": path } },
            } }),
            &[
                ("/target/file", Kind::Path),
                ("/target/deep/to", Kind::Path),
                ("/target/kind", Kind::Text),
            ],
        ),
        (
            "grid",
            json!({ "type": "array", "items": { "type": "array", "items": path } }),
            &[("/grid", Kind::Path)],
        ),
        (
            "either",
            json!({ "type": ["path", "array"], "items": path }),
            &[("/either", Kind::Path)],
        ),
        (
            "filled",
            json!({ "type": "path", "default": "src/link.rs" }),
            &[("/filled", Kind::Path)],
        ),
        (
            "text",
            json!({ "type": "string" }),
            &[("/text", Kind::Text)],
        ),
        (
            "level",
            json!({ "type": "integer" }),
            &[("/level", Kind::Number)],
        ),
        (
            "ratio",
            json!({ "type": "number" }),
            &[("/ratio", Kind::Number)],
        ),
        (
            "flag",
            json!({ "type": "boolean" }),
            &[("/flag", Kind::Flag)],
        ),
    ];
    let mut chosen = Map::new();
    let mut targets = Vec::new();
    for (name, mut parameter, about) in all {
        if random.percent(45) {
            if random.percent(15) {
                parameter["required"] = true.into();
            }
            chosen.insert(name.to_owned(), parameter);
            targets.extend(about);
        }
    }
    (chosen, targets)
}

/// Arguments of a call, now and then such that do not fit.
pub(super) fn arguments(random: &mut Random, parameters: &Map<String, Value>, root: &str) -> Value {
    let mut arguments = object(random, parameters, root);
    if random.percent(4) {
        arguments.insert("unknown".to_owned(), path(random, root));
    }
    Value::Object(arguments)
}

fn object(random: &mut Random, parameters: &Map<String, Value>, root: &str) -> Map<String, Value> {
    let mut arguments = Map::new();
    for (name, parameter) in parameters {
        if random.percent(if parameter["required"] == true {
            95
        } else {
            65
        }) {
            arguments.insert(name.clone(), argument(random, parameter, root));
        }
    }
    arguments
}

fn argument(random: &mut Random, parameter: &Value, root: &str) -> Value {
    if random.percent(2) {
        return random
            .of(&[json!(null), json!(7), json!("text"), json!([]), json!({})])
            .clone();
    }
    let kind = match &parameter["type"] {
        Value::Array(kinds) => random.of(kinds).clone(),
        kind => kind.clone(),
    };
    let value = match kind.as_str().unwrap() {
        "path" => path(random, root),
        "array" => (0..random.below(4))
            .map(|_| argument(random, &parameter["items"], root))
            .collect(),
        "object" => Value::Object(object(
            random,
            parameter["properties"].as_object().unwrap(),
            root,
        )),
        "string" => match parameter["enum"].as_array() {
            Some(values) => random.of(values).clone(),
            None => (*random.of(&TEXTS)).into(),
        },
        "integer" => random
            .of(&[
                json!(0),
                json!(1),
                json!(1.0),
                json!(-3),
                json!(9_007_199_254_740_993_i64),
            ])
            .clone(),
        "number" => random
            .of(&[
                json!(0),
                json!(1),
                json!(1.0),
                json!(0.5),
                json!(1e300),
                json!(-0.0),
            ])
            .clone(),
        _ => random.percent(50).into(),
    };
    // Models write nested values as text.
    if (value.is_array() || value.is_object()) && random.percent(5) {
        return value.to_string().into();
    }
    value
}

fn path(random: &mut Random, root: &str) -> Value {
    if random.percent(2) {
        return "n".repeat(300).into();
    }
    let path = if random.percent(60) {
        *random.of(&PLAIN)
    } else {
        *random.of(&ODD)
    };
    path.replace("ROOT", root).into()
}
