use jp_config::merge::{Located, LocatedValue};
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use super::{in_workspace, scripts};

fn located(value: &Value) -> Located {
    let value = match value {
        Value::String(text) => LocatedValue::String(text.clone()),
        Value::Bool(flag) => LocatedValue::Boolean(*flag),
        Value::Array(items) => LocatedValue::List(items.iter().map(located).collect()),
        Value::Object(object) => LocatedValue::Table(
            object
                .iter()
                .map(|(key, value)| (key.clone(), located(value)))
                .collect(),
        ),
        _ => LocatedValue::Null,
    };
    Located {
        value,
        origins: Vec::new(),
    }
}

#[track_caller]
fn check(command: &Value, expected: &[&str]) {
    let files = scripts(&located(command));
    let files = files
        .iter()
        .filter_map(|file| in_workspace(file, "/w".into()));
    assert_eq!(files.collect::<Vec<_>>(), expected, "{command}");
}

#[test]
fn a_program_with_a_folder_is_a_file() {
    check(&json!("tools/lint {{tool}}"), &["tools/lint"]);
    check(&json!("./lint.sh"), &["lint.sh"]);
    check(&json!("/w/bin/lint"), &["bin/lint"]);
    check(&json!("{{context.root}}/bin/lint x"), &["bin/lint"]);
    check(&json!("env -i A=1 timeout 5 tools/lint"), &["tools/lint"]);
    check(
        &json!({ "program": "tools/my lint", "args": ["a/b"] }),
        &["tools/my lint"],
    );
}

#[test]
fn other_programs_are_none() {
    for command in [
        "lint {{tool}}",
        "/usr/bin/lint",
        "../elsewhere/lint",
        "grep -rn x src/a.py",
        "cat tools/lint.py",
        "{{tool.arguments.program}}/x",
        "python3 {{tool.arguments.script}}",
        "python3 -c 'import a' tools/lint.py",
        "sh -c 'echo tools/lint.sh'",
        "node -e 1 tools/x.js",
        "",
        "'",
    ] {
        check(&json!(command), &[]);
    }
}

#[test]
fn interpreters_run_what_they_are_given() {
    check(
        &json!("python3 -u tools/lint.py {{tool}}"),
        &["tools/lint.py"],
    );
    check(&json!("python3.12 -W error lint.py"), &["lint.py"]);
    check(&json!("python -m tools.lint --fix"), &["tools/lint.py"]);
    check(
        &json!("node --require ./hook.js web/lint.mjs"),
        &["web/lint.mjs"],
    );
    check(&json!("deno run -A lint.ts"), &["lint.ts"]);
    check(&json!("sh tools/lint.sh"), &["tools/lint.sh"]);
    check(&json!("uv run tools/lint.py"), &["tools/lint.py"]);
    check(&json!("uv run lint.py"), &["lint.py"]);
    check(&json!("uv run python lint.py"), &["lint.py"]);
    check(&json!("awk -f tools/x.awk data"), &["tools/x.awk"]);
    check(
        &json!({ "program": "ruby", "args": ["tools/lint.rb", "{{tool}}"] }),
        &["tools/lint.rb"],
    );
}

#[test]
fn recipes_are_looked_for() {
    check(
        &json!("just serve-tools {{context}} {{tool}}"),
        &["justfile", ".justfile"],
    );
    check(
        &json!("just --justfile tools/justfile x"),
        &["tools/justfile"],
    );
    check(&json!("just -f=tools/justfile x"), &["tools/justfile"]);
    check(&json!("make lint"), &["GNUmakefile", "Makefile"]);
    check(&json!("npm run lint"), &["package.json"]);
}

#[test]
fn shells_run_each_command_of_their_code() {
    check(
        &json!("sh -c './tools/a.sh && python3 b.py | cat c.py'"),
        &["tools/a.sh", "b.py"],
    );
    check(
        &json!({ "program": "cd web && ./lint.sh", "shell": true }),
        &["web/lint.sh"],
    );
    check(
        &json!({ "program": "tools/lint", "args": ["{{tool}}"], "shell": true }),
        &["tools/lint"],
    );
}
