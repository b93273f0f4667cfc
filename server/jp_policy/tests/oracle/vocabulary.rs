//! What is said about a parameter, and what is passed to it.
//!
//! ```toml
//! { arg = "/v", prefix = "src", mode = "ask" }
//! ```

use jp_policy::{MatcherKind, Parameter, ParameterType};
use serde_json::{Value, json};

/// A parameter to write rules about, and what can be said and passed.
pub(crate) struct Scope {
    pub(crate) name: &'static str,
    pub(crate) parameter: Parameter,
    pub(crate) conditions: Vec<(MatcherKind, Value)>,
    pub(crate) values: Vec<Value>,
}

fn texts(alphabet: &[&str], longest: usize) -> Vec<Value> {
    let mut all = vec![String::new()];
    let mut last = all.clone();
    for _ in 0..longest {
        last = last
            .iter()
            .flat_map(|text| alphabet.iter().map(move |letter| format!("{text}{letter}")))
            .collect();
        all.extend(last.clone());
    }
    all.into_iter().map(Value::from).collect()
}

pub(crate) fn scopes() -> Vec<Scope> {
    use MatcherKind::{Const, Enum, ExclusiveMaximum, ExclusiveMinimum, Maximum, Minimum, Prefix};
    let string_conditions = vec![
        (Const, json!("a")),
        (Const, json!("ab")),
        (Const, json!("")),
        (Enum, json!([])),
        (Enum, json!(["a", "ab"])),
        (Enum, json!(["a", "b"])),
        (Enum, json!(["b", "ab", "a"])),
        (Prefix, json!("")),
        (Prefix, json!("a")),
        (Prefix, json!("ab")),
        (Prefix, json!("b")),
    ];
    let path_conditions = vec![
        (Const, json!("src")),
        (Const, json!("src-old")),
        (Const, json!("./src")),
        (Const, json!("src/a")),
        (Enum, json!(["src", "src/a"])),
        (Enum, json!(["src/", ".", "src"])),
        (Prefix, json!("src")),
        (Prefix, json!("./src/")),
        (Prefix, json!("src/a")),
        (Prefix, json!(".")),
        (Prefix, json!("..")),
        (Prefix, json!("/")),
    ];
    let paths: Vec<Value> = [
        "",
        "src",
        "src/",
        "./src",
        "src/a",
        "src//a/z",
        "src/z",
        "src/../src-old",
        "src-old/z",
        "z",
        "..",
        "../z",
        "../src",
        "../../z",
        "/",
        "/src",
        "/z",
        "/../z/..",
        "a/../..",
    ]
    .into_iter()
    .map(Value::from)
    .collect();
    let number_conditions = vec![
        (Const, json!(1)),
        (Const, json!(2.0)),
        (Enum, json!([1, 2])),
        (Enum, json!([2, 3])),
        (Minimum, json!(1)),
        (Minimum, json!(2.5)),
        (Maximum, json!(1)),
        (Maximum, json!(2)),
        (ExclusiveMinimum, json!(1)),
        (ExclusiveMinimum, json!(2)),
        (ExclusiveMaximum, json!(1)),
        (ExclusiveMaximum, json!(3)),
    ];
    let integers: Vec<Value> = (-1..=5).map(Value::from).chain([json!(2.0)]).collect();
    let quarters: Vec<Value> = (2..=14)
        .map(|quarter| json!(f64::from(quarter) / 4.0))
        .collect();
    let integer_conditions: Vec<(MatcherKind, Value)> = number_conditions
        .iter()
        .filter(|(kind, value)| !matches!(kind, Const | Enum) || value != &json!(2.5))
        .cloned()
        .collect();
    let scope = |name, parameter, conditions: &[(MatcherKind, Value)], values: Vec<Value>| Scope {
        name,
        parameter,
        conditions: conditions.to_vec(),
        values,
    };
    let declared_texts = vec![json!("a"), json!("ab"), json!("zz")];
    let declared_paths = vec![json!("src/"), json!("src/a"), json!("z/")];
    let declared_integers = vec![json!(1), json!(2), json!(4)];
    let of = Parameter::of;
    vec![
        scope(
            "string",
            of(ParameterType::String),
            &string_conditions,
            texts(&["a", "b", "z"], 3),
        ),
        scope("path", of(ParameterType::Path), &path_conditions, paths),
        scope(
            "integer",
            of(ParameterType::Integer),
            &integer_conditions,
            integers,
        ),
        scope(
            "number",
            of(ParameterType::Number),
            &number_conditions,
            quarters,
        ),
        scope(
            "boolean",
            of(ParameterType::Boolean),
            &[
                (Const, json!(true)),
                (Const, json!(false)),
                (Enum, json!([])),
                (Enum, json!([true])),
                (Enum, json!([false, true])),
            ],
            vec![json!(true), json!(false)],
        ),
        scope(
            "string of an enum",
            of(ParameterType::String).one_of(declared_texts.clone()),
            &string_conditions,
            declared_texts,
        ),
        scope(
            "path of an enum",
            of(ParameterType::Path).one_of(declared_paths.clone()),
            &path_conditions,
            declared_paths,
        ),
        scope(
            "integer of an enum",
            of(ParameterType::Integer).one_of(declared_integers.clone()),
            &integer_conditions,
            declared_integers,
        ),
        scope(
            "string or integer",
            Parameter {
                types: vec![ParameterType::String, ParameterType::Integer],
                ..Parameter::default()
            },
            &[
                (Const, json!("a")),
                (Const, json!(1)),
                (Enum, json!(["a", 1])),
                (Prefix, json!("")),
                (Prefix, json!("a")),
                (Minimum, json!(1)),
                (Maximum, json!(0)),
                (Maximum, json!(1)),
            ],
            [json!(""), json!("a"), json!("az"), json!("z")]
                .into_iter()
                .chain((-1..=3).map(Value::from))
                .collect(),
        ),
    ]
}
