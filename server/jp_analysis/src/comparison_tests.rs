use expect_test::{Expect, expect};
use jp_config::{graph::Roots, memory::MemoryFiles};

use super::*;

const TOOL: &str = r#"
[conversation.tools.edit]
source = "local"
command = "edit"
parameters.path = { type = "path", required = true }
"#;

pub(super) fn load(fixture: &str) -> Arc<Graph> {
    let files =
        MemoryFiles::from_fixture(&fixture.replace("//- ", "//- /w/").replace("TOOL", TOOL));
    Arc::new(Graph::load(&Roots::workspace_only("/w"), &files))
}

fn show(comparison: &Comparison) -> String {
    let mut lines = vec![comparison.verdict.to_string()];
    for found in &comparison.tools {
        let fragment = found.fragment.as_ref().map(|path| format!(" in {path}"));
        lines.push(format!(
            "{}{} {}: {}",
            found.tool,
            fragment.unwrap_or_default(),
            found.aspect.keyword(),
            found.verdict
        ));
        for change in &found.changes {
            let rule = change.rule.as_ref();
            let rule = rule.map(|rule| format!(" {}:{}", rule.path, rule.line + 1));
            lines.push(format!(
                "  {} -> {} {}{} {}",
                change.before,
                change.after,
                change.witness,
                rule.unwrap_or_default(),
                change.recorded
            ));
        }
        lines.extend(found.unknown.iter().map(|open| format!("  ? {open}")));
    }
    lines.join("\n")
}

fn check(before: &str, after: &str, expected: &Expect) {
    expected.assert_eq(&show(&compare(&load(before), &load(after), (None, None))));
}

#[test]
fn a_move_between_files_and_another_layout_change_nothing() {
    check(
        "//- .jp/config.toml\nTOOL
policy.run = [{ arg = \"/path\", prefix = \"src\", mode = \"unattended\" }, { mode = \"ask\" }]
access.fs = [{ path = \"src\", read = true }, { path = \".env\" }]
",
        "//- .jp/config.toml
extends = [\"tools.toml\"]
# A comment.
[[conversation.tools.edit.policy.run]]
arg = \"/path\"
mode = \"unattended\"
prefix = \"./src/\"
[[conversation.tools.edit.policy.run]]
mode = \"ask\"
//- .jp/tools.toml
TOOL
summary = \"Edits\"
access.fs = [{ path = \".env\" }, { read = true, path = \"./src\" }]
",
        &expect!["equal"],
    );
}

#[test]
fn rules_grants_and_switches_are_told_apart() {
    check(
        "//- .jp/config.toml\nTOOL
enable = false
run = \"ask\"
access.fs = [{ path = \"src\", read = true }]
",
        "//- .jp/config.toml\nTOOL
enable = true
run = \"unattended\"
result = \"edit\"
access.fs = [{ path = \".\", read = true }]
",
        &expect![[r#"
            mixed
            edit run: loosened
              ask -> unattended {"path":"x"} .jp/config.toml:8 0
            edit result: tightened
              unattended -> edit {"path":"x"} .jp/config.toml:9 0
            edit access.fs: loosened
              denied -> allowed {"fs":{"capability":"read","path":"x"}} .jp/config.toml:10 0
            edit other: loosened
              off -> on {"config":"conversation.tools.edit.enable"} .jp/config.toml:7 0"#]],
    );
}

#[test]
fn defaults_reach_every_tool_that_has_no_rule_of_its_own() {
    check(
        "//- .jp/config.toml\nTOOL\n[conversation.tools.'*']\nrun = \"ask\"\n",
        "//- .jp/config.toml\nTOOL\n[conversation.tools.'*']\nrun = \"unattended\"\n",
        &expect![[r#"
            loosened
            * run: loosened
              ask -> unattended {} .jp/config.toml:8 0
            edit run: loosened
              ask -> unattended {"path":"x"} .jp/config.toml:8 0"#]],
    );
}

#[test]
fn tools_come_and_go() {
    check(
        "//- .jp/config.toml\nTOOL",
        "//- .jp/config.toml\n[conversation.tools.other]\nsource = \"local\"\ncommand = \"x\"\nenable = \"explicit\"\n",
        &expect![[r#"
            mixed
            edit other: tightened
              present, on -> absent {"config":"conversation.tools.edit"} 0
            other other: loosened
              absent -> present, off (if_named) {"config":"conversation.tools.other"} .jp/config.toml:1 0"#]],
    );
}

#[test]
fn another_program_is_neither_looser_nor_stricter() {
    check(
        "//- .jp/config.toml\nTOOL\n[providers.mcp.github]\ntype = \"stdio\"\ncommand = \"a\"\n",
        "//- .jp/config.toml\nTOOL\noptions.deep = true\nparameters.flag.type = \"boolean\"\n[providers.mcp.github]\ntype = \"stdio\"\ncommand = \"b\"\n",
        &expect![[r#"
            mixed
            * other: mixed
              {"type":"stdio","command":"a"} -> {"type":"stdio","command":"b"} {"config":"providers.mcp.github"} .jp/config.toml:9 0
            edit other: mixed
              unset -> {"deep":true} {"config":"conversation.tools.edit.options"} .jp/config.toml:7 0
              no parameter -> boolean {"config":"conversation.tools.edit.parameters.flag"} .jp/config.toml:8 0"#]],
    );
}

#[test]
fn a_fragment_is_compared_as_who_picks_it_gets_it() {
    check(
        "//- .jp/config.toml\nconfig_load_paths = [\"frag\"]\nTOOL\n//- frag/wild.toml\n[conversation.tools.edit]\nrun = \"ask\"\n",
        "//- .jp/config.toml\nconfig_load_paths = [\"frag\"]\nTOOL\n//- frag/wild.toml\n[conversation.tools.edit]\nrun = \"unattended\"\n",
        &expect![[r#"
            loosened
            edit in frag/wild.toml run: loosened
              ask -> unattended {"path":"x"} frag/wild.toml:2 0"#]],
    );
}

#[test]
fn rules_that_cannot_be_used_are_unknown() {
    check(
        "//- .jp/config.toml\nTOOL\npolicy.run = [{ arg = \"/path\", prefix = \"src\", mode = \"ask\" }]\n",
        "//- .jp/config.toml\nTOOL\npolicy.run = [{ arg = \"/pth\", prefix = \"src\", mode = \"ask\" }]\n",
        &expect![[r#"
            unknown
            edit run: unknown
              ? after the change, rule 1 of `run` is refused: `/pth` does not resolve: there is no parameter `pth`; did you mean `path`?
              ? no turn starts after the change (.jp/config.toml:7)"#]],
    );
}

#[test]
fn recorded_calls_are_counted_at_what_changed_them() {
    let before = load("//- .jp/config.toml\nTOOL\nrun = \"ask\"\n");
    let after = load(
        "//- .jp/config.toml\nTOOL\npolicy.run = [{ arg = \"/path\", prefix = \"src\", mode = \"unattended\" }, { arg = \"/path\", const = \".env\", mode = \"skip\" }, { mode = \"ask\" }]\n",
    );
    let mut comparison = compare(&before, &after, (None, None));
    let calls = ["src/a", "src/b", "docs", ".env"].map(|path| RecordedCall {
        tool: "edit".to_owned(),
        arguments: [("path".to_owned(), path.into())].into_iter().collect(),
    });
    count_recorded(&before, &after, &mut comparison, calls.into_iter());
    expect![[r#"
        mixed
        edit run: mixed
          ask -> skip {"path":".env"} .jp/config.toml:7 1
          ask -> unattended {"path":"src/x"} .jp/config.toml:7 2"#]]
    .assert_eq(&show(&comparison));
}
