//! Pointers, matchers and their values: what the parameters of a tool say.

use pretty_assertions::assert_eq;

use super::*;

fn in_policy(line: &str) -> String {
    format!("{TOOL}\n[conversation.tools.grep.policy]\n{line}\n")
}

#[test]
fn a_rule_has_the_matchers_of_its_parameter() {
    check(
        &in_policy("run = [{ arg = \"/depth\", $0 }]"),
        &expect![[r#"
            mode -> mode = "${1|ask,unattended,edit,skip|}"
            const -> const = ${1:0}
            enum -> enum = [$1]
            minimum -> minimum = ${1:0}
            maximum -> maximum = ${1:0}
            exclusive_minimum -> exclusive_minimum = ${1:0}
            exclusive_maximum -> exclusive_maximum = ${1:0}
        "#]],
    );
    check(
        &in_policy("run = [{ arg = \"/kind\", prefix = \"f\", $0 }]"),
        &expect![[r#"
            mode -> mode = "${1|ask,unattended,edit,skip|}"
        "#]],
    );
    check(
        &in_policy("run = [{ arg = \"/kind\", mode = \"ask\"$0 }]"),
        &expect![[""]],
    );
    check(
        &in_policy("run = [{ arg = \"/kind\", mode = \"ask\" $0 }]"),
        &expect![[r#"
            const -> , const = ${1|"file","dir"|}
            enum -> , enum = [${1|"file","dir"|}]
            prefix -> , prefix = "$1"
            pattern -> , pattern = '$1'
        "#]],
    );
}

#[test]
fn pointers_come_from_the_parameters() {
    check(
        &in_policy("run = [{ arg = \"$0\", mode = \"ask\" }]"),
        &expect![[r#"
            /kind
            /root
            /depth
            /deep
            /patterns/paths
            /patterns/text
            /patterns
        "#]],
    );
    let asked = ask(&in_policy("run = [{ arg = \"$0\" }]"));
    let details: Vec<_> = asked
        .found
        .items
        .iter()
        .filter_map(|item| item.detail.as_deref())
        .collect();
    assert_eq!(
        details,
        [
            "string",
            "path",
            "integer",
            "boolean",
            "path, any element",
            "string, any element",
            "object, any element"
        ]
    );
    check(
        &format!("{TOOL}\n[[conversation.tools.grep.policy.run]]\narg = $0"),
        &expect![[r#"
            /kind -> "/kind"
            /root -> "/root"
            /depth -> "/depth"
            /deep -> "/deep"
            /patterns/paths -> "/patterns/paths"
            /patterns/text -> "/patterns/text"
            /patterns -> "/patterns"
        "#]],
    );
}

#[test]
fn matcher_values_come_from_the_parameter() {
    check(
        &in_policy("run = [{ arg = \"/kind\", const = \"$0\", mode = \"ask\" }]"),
        &expect![[r#"
            file
            dir
        "#]],
    );
    check(
        &in_policy("run = [{ arg = \"/kind\", enum = [\"file\" $0], mode = \"ask\" }]"),
        &expect![[r#"
            dir -> , "dir"
        "#]],
    );
    check(
        &in_policy("run = [{ arg = \"/deep\", const = $0, mode = \"ask\" }]"),
        &expect![[r#"
            true
            false
        "#]],
    );
    check(
        &in_policy("run = [{ arg = \"/patterns/paths\", prefix = \"src/$0\", mode = \"ask\" }]"),
        &expect![[r#"
            src/bin/
            src/lib.rs
        "#]],
    );
}

#[test]
fn parameters_may_stand_in_another_file() {
    let fixture = "//- /w/.jp/config.toml\nextends = [\"tools/*.toml\"]\n\
        [conversation.tools.read.policy]\nrun = [{ arg = \"/$0\", mode = \"ask\" }]\n\
        //- /w/.jp/tools/read.toml\n[conversation.tools.read.parameters.path]\ntype = \"path\"\n";
    check(
        fixture,
        &expect![[r#"
        /path
    "#]],
    );
}

#[test]
fn a_template_names_what_the_tool_declares() {
    let tool = |command: &str| {
        format!(
            "[conversation.tools.find]\nsource = \"local\"\ncommand = {command}\nparameters.path = {{ type = \"path\" }}\nparameters.\"max-depth\" = {{ type = \"integer\" }}\nquestions.sure = {{ target = \"user\" }}\n"
        )
    };
    check(
        &tool("\"ä find {{tool.ar$0\""),
        &expect![[r#"
        tool -> tool}}
        context -> context}}
        tool.name -> tool.name}}
        tool.arguments -> tool.arguments}}
        tool.answers -> tool.answers}}
        tool.options -> tool.options}}
        context.action -> context.action}}
        context.root -> context.root}}
        context.workspace_id -> context.workspace_id}}
        context.conversation_id -> context.conversation_id}}
        tool.arguments.path -> tool.arguments.path}}
        tool.answers.sure -> tool.answers.sure}}
    "#]],
    );
    check_accepted(
        &tool("\"ä find {{tool.ar$0gs --depth 3\""),
        "tool.arguments.path",
        &expect![[r#"
            [conversation.tools.find]
            source = "local"
            command = "ä find {{tool.arguments.path}} --depth 3"
            parameters.path = { type = "path" }
            parameters."max-depth" = { type = "integer" }
            questions.sure = { target = "user" }
        "#]],
    );
    check_accepted(
        &tool("{ program = \"find\", args = [\"{{ $0 }}\"] }"),
        "tool.arguments.path",
        &expect![[r#"
            [conversation.tools.find]
            source = "local"
            command = { program = "find", args = ["{{ tool.arguments.path }}"] }
            parameters.path = { type = "path" }
            parameters."max-depth" = { type = "integer" }
            questions.sure = { target = "user" }
        "#]],
    );
    has(&tool("\"find {{tool}} $0\""), &[], &["tool.name"]);
    has("assistant.name = \"{{$0\"", &[], &["tool.name"]);
}

/// A tool with parameters of several types at once, and others inside of them.
const MIXED: &str = r#"
[conversation.tools.mix]
source = "local"
command = "mix"
[conversation.tools.mix.parameters]
maybe = { type = ["integer", "null"] }
either = { type = ["boolean", "path"] }
level = { type = "integer", enum = [1, 2], summary = "how deep" }
tags = { type = "array", items = { type = "string", enum = ["x", "y"] } }
packages = { type = "array", items = { type = ["string", "object"], properties.name.type = "string" } }
"a/b~c" = { type = "object", properties.inner.properties.on.type = "boolean" }
[conversation.tools.mix.policy]
"#;

fn in_mixed(line: &str) -> String {
    format!("{MIXED}{line}\n")
}

#[test]
fn pointers_lead_to_every_value_that_a_rule_can_match() {
    check(
        &in_mixed("run = [{ arg = \"$0\" }]"),
        &expect![[r#"
            /maybe
            /either
            /level
            /tags
            /packages
            /packages/name
            /a~1b~0c/inner/on
            /a~1b~0c
            /a~1b~0c/inner
        "#]],
    );
    let asked = ask(&in_mixed("run = [{ arg = \"$0\" }]"));
    let items = asked.found.items.iter();
    let details: Vec<_> = items.filter_map(|item| item.detail.as_deref()).collect();
    assert_eq!(
        details,
        [
            "integer or null",
            "path or boolean",
            "integer",
            "string, any element",
            "string or object, any element",
            "string, any element",
            "boolean",
            "object",
            "object",
        ]
    );
}

#[test]
fn matchers_go_with_every_type_of_an_argument() {
    check(
        &in_mixed("run = [{ arg = \"/maybe\", $0 }]"),
        &expect![[r#"
            mode -> mode = "${1|ask,unattended,edit,skip|}"
            const -> const = ${1:0}
            enum -> enum = [$1]
            minimum -> minimum = ${1:0}
            maximum -> maximum = ${1:0}
            exclusive_minimum -> exclusive_minimum = ${1:0}
            exclusive_maximum -> exclusive_maximum = ${1:0}
        "#]],
    );
    check(
        &in_mixed("run = [{ arg = \"/either\", $0 }]"),
        &expect![[r#"
            mode -> mode = "${1|ask,unattended,edit,skip|}"
            const -> const = "$1"
            enum -> enum = [$1]
            prefix -> prefix = "$1"
            pattern -> pattern = '$1'
        "#]],
    );
    check(
        &in_mixed("run = [{ arg = \"/packages\", mode = \"ask\", $0 }]"),
        &expect![[r#"
            const -> const = "$1"
            enum -> enum = [$1]
            prefix -> prefix = "$1"
            pattern -> pattern = '$1'
        "#]],
    );
    check(
        &in_mixed("run = [{ arg = \"/a~1b~0c\", mode = \"ask\", $0 }]"),
        &expect![[r#"
            const -> const = { $1 \}
            enum -> enum = [$1]
        "#]],
    );
    check(
        &in_mixed("run = [{ arg = \"/a~1b~0c/inner/on\", mode = \"ask\", $0 }]"),
        &expect![[r#"
            const -> const = ${1|true,false|}
            enum -> enum = [$1]
        "#]],
    );
    let asked = ask(&in_mixed("run = [{ arg = \"/tags\", mode = \"ask\", $0 }]"));
    let first = asked.found.items.first().unwrap();
    assert_eq!(first.detail.as_deref(), Some("string"));
}

#[test]
fn bounds_and_elements_come_from_the_declared_values() {
    check(
        &in_mixed("run = [{ arg = \"/level\", minimum = $0 }]"),
        &expect![[r#"
            1
            2
        "#]],
    );
    check(
        &in_mixed("run = [{ arg = \"/tags\", enum = [\n  \"x\", # ä\n  $0\n] }]"),
        &expect![[r#"
            y -> "y"
        "#]],
    );
    check(
        &in_mixed("run = [{ arg = \"/tags\", enum = [\"x\", \"$0x\"] }]"),
        &expect![[r#"
            y
        "#]],
    );
    check(
        "conversation.tools.a.parameters.p = { type = [\"string\", $0] }",
        &expect![[r#"
            path -> "path"
            integer -> "integer"
            number -> "number"
            boolean -> "boolean"
            array -> "array"
            object -> "object"
            null -> "null"
        "#]],
    );
}

#[test]
fn rules_are_made_for_the_tool() {
    check(
        &in_mixed("run = $0"),
        &expect![[r#"
            ask -> "ask"
            unattended -> "unattended"
            edit -> "edit"
            skip -> "skip"
            [{ arg, const, mode }, { mode }] -> [{ arg = "${1|/maybe,/either,/level,/tags,/packages,/packages/name,/a~1b~0c/inner/on|}", const = ${2:0}, mode = "${3|ask,unattended,edit,skip|}" \}, { mode = "${4|ask,unattended,edit,skip|}" \}]
            [ … ] -> [{ mode = "${1|ask,unattended,edit,skip|}" \}]
        "#]],
    );
    check(
        &in_policy("result = [$0]"),
        &expect![[r#"
        { arg, prefix, mode } -> { arg = "${1|/kind,/root,/patterns/paths,/patterns/text|}", prefix = "$2", mode = "${3|ask,unattended,edit,skip|}" \}
        { mode } -> { mode = "${1|unattended,ask,edit,skip|}" \}
    "#]],
    );
}

#[test]
fn a_parameter_has_what_its_type_takes() {
    let at = |entries: &str| format!("conversation.tools.a.parameters.p = {{ {entries} }}");
    has(
        &at("type = \"array\", $0"),
        &["items", "enum"],
        &["properties", "type"],
    );
    has(
        &at("type = [\"string\", \"object\"], $0"),
        &["properties"],
        &["items"],
    );
    has(&at("$0"), &["type", "items", "properties"], &[]);
    check_accepted(
        &at("type = \"boolean\", def$0"),
        "default",
        &expect![[r#"conversation.tools.a.parameters.p = { type = "boolean", default = true }"#]],
    );
    check_accepted(
        &at("type = \"array\", def$0"),
        "default",
        &expect![[r#"conversation.tools.a.parameters.p = { type = "array", default = [] }"#]],
    );
    assert_eq!(
        labels(&at("type = \"boolean\", default = $0")),
        ["true", "false"]
    );
    assert_eq!(
        labels(&at("enum = [\"ä\", 2, true], default = $0")),
        ["ä", "2", "true"]
    );
}

#[test]
fn a_path_that_a_value_must_equal_is_in_normal_form() {
    check(
        &in_policy("run = [{ arg = \"/root\", const = \"$0\", mode = \"ask\" }]"),
        &expect![[r#"
            .jp
            docs
            src
            Cargo.toml
        "#]],
    );
    check(
        &in_policy("run = [{ arg = \"/root\", enum = [\"src\", \"src/$0\"], mode = \"ask\" }]"),
        &expect![[r#"
            src/bin
            src/lib.rs
        "#]],
    );
    check(
        &in_mixed("run = [{ arg = \"/level\", enum = [1, $0] }]"),
        &expect![[r#"
            2
        "#]],
    );
}
