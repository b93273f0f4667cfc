use std::sync::Arc;

use expect_test::{Expect, expect};
use jp_config::{
    document::Document,
    graph::{Graph, Roots},
    memory::MemoryFiles,
    view::View,
};
use serde_json::{Value, json};

use super::complete_setting;
use crate::settings::json_schema;

/// What is offered at `|`, five items at most, and the text after the first is taken.
#[track_caller]
fn check_by(schema: &Value, text: &str, expected: &Expect) {
    let files = MemoryFiles::default();
    let graph = Arc::new(Graph::load(&Roots::workspace_only("/w"), &files));
    let offset = text.find('|').unwrap();
    let text = text.replacen('|', "", 1);
    let found = complete_setting(&View::new(graph), schema, &Document::parse(&text), offset);
    let mut told: Vec<String> = found
        .items
        .iter()
        .take(5)
        .map(|item| match &item.detail {
            Some(detail) => format!("{}: {detail}", item.label),
            None => item.label.clone(),
        })
        .collect();
    if let Some(first) = found.items.first() {
        let mut taken = text.clone();
        taken.replace_range(first.edit.span.range(), &first.edit.text);
        told.push(format!("---\n{taken}"));
    }
    expected.assert_eq(&told.join("\n"));
}

#[track_caller]
fn check(text: &str, expected: &Expect) {
    check_by(json_schema(), text, expected);
}

#[test]
fn the_table_is_offered() {
    check(
        "|",
        &expect![[r#"
        [severity]: How bad findings are, by their codes. An error stays one, and what is raised to an error fails `jp-lsp check` but stops no turn.
        ---
        [severity]"#]],
    );
    check(
        "sev|",
        &expect![[r#"
        [severity]: How bad findings are, by their codes. An error stays one, and what is raised to an error fails `jp-lsp check` but stops no turn.
        ---
        [severity]"#]],
    );
    check(
        "[sev|]\n",
        &expect![[r#"
        severity: How bad findings are, by their codes. An error stays one, and what is raised to an error fails `jp-lsp check` but stops no turn.
        ---
        [severity]
    "#]],
    );
    check(
        "[severity]\nmerge-trap = \"off\"\n[|]",
        &expect![[r#"
        severity: How bad findings are, by their codes. An error stays one, and what is raised to an error fails `jp-lsp check` but stops no turn.
        ---
        [severity]
        merge-trap = "off"
        [severity]"#]],
    );
}

#[test]
fn codes_and_levels_are_offered() {
    check(
        "[severity]\nmerge|\n",
        &expect![[r#"
        toml-syntax: the text is not valid TOML, JSON or YAML
        unknown-key: a key that the config does not have
        type-mismatch: a value of the wrong type
        invalid-value: a value of the right type that is not allowed
        missing-required: a required key is absent
        ---
        [severity]
        toml-syntax = "error"
    "#]],
    );
    check(
        "severity.merge|\n",
        &expect![[r#"
        toml-syntax: the text is not valid TOML, JSON or YAML
        unknown-key: a key that the config does not have
        type-mismatch: a value of the wrong type
        invalid-value: a value of the right type that is not allowed
        missing-required: a required key is absent
        ---
        severity.toml-syntax = "error"
    "#]],
    );
    check(
        "severity = { merge| }\n",
        &expect![[r#"
        toml-syntax: the text is not valid TOML, JSON or YAML
        unknown-key: a key that the config does not have
        type-mismatch: a value of the wrong type
        invalid-value: a value of the right type that is not allowed
        missing-required: a required key is absent
        ---
        severity = { toml-syntax = "error" }
    "#]],
    );
    check(
        "[severity]\nmerge-trap = |\n",
        &expect![[r#"
        error
        warning
        information
        hint
        off
        ---
        [severity]
        merge-trap = "error"
    "#]],
    );
    check(
        "[severity]\nmerge-trap = \"o|\"\n",
        &expect![[r#"
        error
        warning
        information
        hint
        off
        ---
        [severity]
        merge-trap = "error"
    "#]],
    );
    check(
        "[severity]\nmerge-trap = \"off\"\nmerge|",
        &expect![[r#"
        toml-syntax: the text is not valid TOML, JSON or YAML
        unknown-key: a key that the config does not have
        type-mismatch: a value of the wrong type
        invalid-value: a value of the right type that is not allowed
        missing-required: a required key is absent
        ---
        [severity]
        merge-trap = "off"
        toml-syntax = "error""#]],
    );
    check(
        "[severity]\nmerge| = \"off\"",
        &expect![[r#"
        toml-syntax: the text is not valid TOML, JSON or YAML
        unknown-key: a key that the config does not have
        type-mismatch: a value of the wrong type
        invalid-value: a value of the right type that is not allowed
        missing-required: a required key is absent
        ---
        [severity]
        toml-syntax = "off""#]],
    );
    check("[severity]\n# mer|", &expect![[""]]);
    check("[other]\n|", &expect![[""]]);
}

#[test]
fn tables_of_names_and_lists_are_offered() {
    let server = json!({
        "description": "one server",
        "type": "object",
        "properties": {
            "read": { "description": "places", "type": "array", "items": { "type": "string" } },
            "net": { "anyOf": [{ "type": "boolean" }, { "type": "array", "items": { "enum": ["a", "b"] } }] },
        },
    });
    let servers = json!({ "type": "object", "additionalProperties": server });
    let sandbox = json!({ "type": "object", "properties": { "mcp": servers } });
    let schema = json!({ "type": "object", "properties": { "sandbox": sandbox } });
    check_by(
        &schema,
        "|",
        &expect![[r#"
        [sandbox.mcp.NAME]
        ---
        [sandbox.mcp.NAME]"#]],
    );
    check_by(
        &schema,
        "[sandbox.mcp.a]\n|",
        &expect![[r#"
        read: places
        net
        ---
        [sandbox.mcp.a]
        read = [""]"#]],
    );
    check_by(
        &schema,
        "[sandbox.mcp.a]\nnet = [\"|\"]",
        &expect![[r#"
        a
        b
        ---
        [sandbox.mcp.a]
        net = ["a"]"#]],
    );
    check_by(
        &schema,
        "[sandbox.m|]",
        &expect![[r#"
        mcp
        ---
        [sandbox.mcp]"#]],
    );
}
