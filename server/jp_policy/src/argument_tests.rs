use pretty_assertions::assert_eq;
use serde_json::json;

use super::*;
use crate::parameter::ParameterType::{Array, Object, Path, String as Text};

fn modify_file() -> Parameters {
    Parameters::new([
        ("path", Parameter::of(Path).required()),
        (
            "patterns",
            Parameter::array(Parameter::object([
                ("old", Parameter::of(Text).required()),
                ("paths", Parameter::array(Parameter::of(Path))),
            ]))
            .required(),
        ),
        ("a/b", Parameter::of(Text)),
        ("m~n", Parameter::of(Text)),
        (
            "either",
            Parameter::array(Parameter {
                properties: [("name".to_owned(), Parameter::of(Text).required())]
                    .into_iter()
                    .collect(),
                types: vec![Text, Object],
                ..Parameter::default()
            }),
        ),
        (
            "range",
            Parameter::object([("start", Parameter::of(ParameterType::Integer).required())])
                .required(),
        ),
        ("loose", Parameter::of(Array)),
    ])
}

fn values(pointer: &str, arguments: &Value) -> Vec<Value> {
    let mut found = Vec::new();
    resolve(pointer, &modify_file())
        .unwrap()
        .visit(arguments, &mut |value| found.push(value.clone()));
    found
}

fn refusal(pointer: &str) -> String {
    resolve(pointer, &modify_file()).unwrap_err().to_string()
}

#[test]
fn a_pointer_through_arrays_means_every_element() {
    let arguments = json!({
        "patterns": [
            {"old": "foo", "new": "bar", "paths": ["src/a.rs", "b"]},
            {"old": "x", "paths": [".env"]},
            {"old": "y"},
            {"old": "z", "paths": []},
        ],
    });
    assert_eq!(
        values("/patterns/paths", &arguments),
        [json!("src/a.rs"), json!("b"), json!(".env")]
    );
    assert_eq!(
        values("/patterns/old", &arguments),
        [json!("foo"), json!("x"), json!("y"), json!("z")]
    );
    assert_eq!(values("/path", &arguments), Vec::<Value>::new());
}

#[test]
fn escapes_are_decoded() {
    assert_eq!(values("/a~1b", &json!({"a/b": "x"})), [json!("x")]);
    assert_eq!(values("/m~0n", &json!({"m~n": "y"})), [json!("y")]);
}

#[test]
fn items_of_several_types_are_read_each_as_what_they_are() {
    let arguments = json!({"either": ["plain", {"name": "inner"}]});
    assert_eq!(values("/either/name", &arguments), [json!("inner")]);
    assert_eq!(
        values("/either", &arguments),
        [json!("plain"), json!({"name": "inner"})]
    );
}

#[test]
fn an_array_in_an_undeclared_item_is_one_value() {
    assert_eq!(
        values("/loose", &json!({"loose": [1, [2]]})),
        [json!(1), json!([2])]
    );
}

#[test]
fn knows_what_a_call_must_have() {
    let forced_from = |pointer| resolve(pointer, &modify_file()).unwrap().forced_from;
    // Where another path of the call is decided, this one is left out.
    assert_eq!(forced_from("/path"), 1);
    assert_eq!(forced_from("/range/start"), 0);
    assert_eq!(forced_from("/patterns/old"), 1);
    assert_eq!(forced_from("/patterns/paths"), 2);
    assert_eq!(forced_from("/patterns"), 1);
    assert_eq!(forced_from("/a~1b"), 1);
    assert_eq!(forced_from("/either/name"), 1);
    let one = Parameters::new([("path", Parameter::of(Path).required())]);
    assert_eq!(resolve("/path", &one).unwrap().forced_from, 0);
}

#[test]
fn says_what_is_wrong_with_a_pointer() {
    assert_eq!(
        refusal("path"),
        "`path` is not a JSON Pointer to a parameter: start it with a slash, `/path`"
    );
    assert_eq!(
        refusal("$.patterns.old"),
        "`$.patterns.old` is not a JSON Pointer to a parameter: start it with a slash, `/patterns/old`"
    );
    assert_eq!(
        refusal(""),
        "`` is not a JSON Pointer to a parameter: it stands for all arguments at once; name a parameter, like `/path`, or drop `arg`"
    );
    assert_eq!(
        refusal("/"),
        "`/` is not a JSON Pointer to a parameter: it names a parameter with an empty name; write the name after the slash, like `/path`"
    );
    assert_eq!(
        refusal("/m~n"),
        "`/m~n` is not a JSON Pointer to a parameter: write `~0` for a `~`, `~1` for a `/` in a name"
    );
    assert_eq!(
        refusal("/pattern/old"),
        "`/pattern/old` does not resolve: there is no parameter `pattern`; did you mean `patterns`?"
    );
    assert_eq!(
        refusal("/range/end"),
        "`/range/end` does not resolve: there is no parameter `end`; there is only `start`"
    );
    assert_eq!(
        refusal("/patterns/0/old"),
        "`/patterns/0/old` counts array elements with `0`; leave that segment out, a rule tries every element"
    );
    assert_eq!(
        refusal("/path/x"),
        "`/path/x` does not resolve: `/path` is a path, which has no `x`; point to `/path` itself"
    );
    assert_eq!(
        refusal("/loose/x"),
        "`/loose/x` does not resolve: `/loose` is any value, which has no `x`; point to `/loose` itself"
    );
}

#[test]
fn lists_some_of_many_parameters() {
    let many = Parameters::new((0..100).map(|index| (format!("p{index}"), Parameter::of(Text))));
    assert_eq!(
        resolve("/something", &many).unwrap_err().to_string(),
        "`/something` does not resolve: there is no parameter `something`; there are `p0`, `p1`, `p2`, `p3`, `p4`, `p5`, `p6`, `p7` \
         and 92 more"
    );
    assert_eq!(
        resolve("/x", &Parameters::default())
            .unwrap_err()
            .to_string(),
        "`/x` does not resolve: there is no parameter `x`; there are none"
    );
}

#[test]
fn points_at_the_bytes_at_fault() {
    let range = |pointer: &str| match *resolve(pointer, &modify_file()).unwrap_err() {
        RuleProblemKind::PointerSyntax { range, .. }
        | RuleProblemKind::Unresolved { range, .. } => pointer.get(range).unwrap().to_owned(),
        other => panic!("{other}"),
    };
    assert_eq!(range("path"), "path");
    assert_eq!(range("/path/~2"), "~2");
    assert_eq!(range("/path/x~"), "~");
    assert_eq!(range("/path/~é/b"), "~é");
    assert_eq!(range("/patterns/öld/x"), "öld");
    assert_eq!(range("/a~1c/x"), "a~1c");
    assert_eq!(range("/path/"), "");
}

#[test]
fn an_open_tool_is_walked_as_the_call_comes() {
    let open = Parameters {
        open: true,
        ..modify_file()
    };
    let argument = resolve("/other/deep", &open).unwrap();
    let mut found = Vec::new();
    let arguments = json!({"other": [[{"deep": 1}], {"deep": [2, [3]]}]});
    argument.visit(&arguments, &mut |value| found.push(value.clone()));
    assert_eq!(found, [json!(1), json!(2), json!(3)]);
}
