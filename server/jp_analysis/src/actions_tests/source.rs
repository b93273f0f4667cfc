//! Where a tool comes from.

use super::*;

#[test]
fn a_command_goes_where_the_source_is() {
    check(
        "conversation . tools . 'a b' . source = \"loc$0al\" # here\n[conversation.tools.c]\nsource = \"local\"\ncommand = \"serve {{tool}}\"\n",
        "Add `command",
        &expect![[r#"
            conversation . tools . 'a b' . source = "local" # here
            conversation . tools . 'a b' . command = "serve {{tool}}"
            [conversation.tools.c]
            source = "local"
            command = "serve {{tool}}"
        "#]],
    );
    let taken = "[[conversation.tools.$0a.access.fs]]\npath = \".\"\n\n[conversation.tools.a] # a\ncommand = \"a {{tool}}\"\n";
    check(
        taken,
        "Add `source",
        &expect![[r#"
        [[conversation.tools.a.access.fs]]
        path = "."

        [conversation.tools.a] # a
        source = "local"
        command = "a {{tool}}"
    "#]],
    );
}

#[test]
fn a_tool_gets_a_source() {
    let servers = "[providers.mcp.git]\ntype = \"stdio\"\n[conversation.tools.b]\nsource = \"local\"\ncommand = \"serve {{tool}}\"\n";
    check_titles(
        &format!("{servers}[conversation.tools.$0a]\nenable = true\n"),
        &expect![[r#"
            QuickFix: Add `source = "mcp.git"`
            QuickFix: Add `source = "local"` and `command = "serve {{tool}}"`
            Rewrite: Move the tool to `.jp/tools/a.toml`
        "#]],
    );
    check(
        &format!("{servers}[conversation.tools.$0a] # why\nenable = true\n"),
        "Add `source = \"local\"`",
        &expect![[r#"
            [providers.mcp.git]
            type = "stdio"
            [conversation.tools.b]
            source = "local"
            command = "serve {{tool}}"
            [conversation.tools.a] # why
            source = "local"
            command = "serve {{tool}}"
            enable = true
        "#]],
    );
    check(
        &format!("{servers}[conversation.tools.$0a.style]\nhidden = true\n"),
        "Add `source = \"mcp.git\"`",
        &expect![[r#"
            [providers.mcp.git]
            type = "stdio"
            [conversation.tools.b]
            source = "local"
            command = "serve {{tool}}"
            [conversation.tools.a]
            source = "mcp.git"

            [conversation.tools.a.style]
            hidden = true
        "#]],
    );
    check(
        "[conversation.tools]\n$0a = { enable = true }\n",
        "Add `source = \"local\"`",
        &expect![[r#"
            [conversation.tools]
            a = { source = "local", command = "a {{tool}}", enable = true }
        "#]],
    );
}

#[test]
fn a_tool_whose_rules_look_at_undeclared_arguments_is_not_made_local() {
    let rules = "[conversation.tools.$0a.policy]\nresult = [{ arg = \"/p\", const = \"b\", mode = \"ask\" }]\n";
    let lost =
        "[conversatiion.tools.a]\nsource = \"local\"\nparameters.p = { type = \"string\" }\n";
    let own = "[conversation.tools.a]\ncommand = \"x\"\n";
    for before in ["", lost, own] {
        has_none(&format!("{before}{rules}"), "Add `source = \"local\"`");
        everywhere::hold_everywhere(&format!("{before}{rules}").replace("$0", ""), 1);
    }
    check_titles(
        &format!("[providers.mcp.git]\ntype = \"stdio\"\n{rules}"),
        &expect![[r#"
            QuickFix: Add `source = "mcp.git"`
            Rewrite: Move the tool to `.jp/tools/a.toml`
            FixAll: Fix the one problem with a safe fix
        "#]],
    );
    check_titles(
        "[conversation.tools.$0a]\nparameters.p = { type = \"string\" }\npolicy.result = [{ arg = \"/p\", const = \"b\", mode = \"ask\" }, { mode = \"ask\" }]\n",
        &expect![[r#"
            QuickFix: Add `source = "local"` and `command = "a {{tool}}"`
            Rewrite: Move the tool to `.jp/tools/a.toml`
        "#]],
    );
    check_titles(
        "[conversation.tools.$0a.policy]\nresult = [{ mode = \"ask\" }]\n",
        &expect![[r#"
            QuickFix: Add `source = "local"` and `command = "a {{tool}}"`
            Rewrite: Move the tool to `.jp/tools/a.toml`
        "#]],
    );
}

#[test]
fn a_local_tool_gets_the_command_of_the_others() {
    check(
        "[conversation.tools.b]\nsource = \"local\"\ncommand = \"serve {{tool}}\"\n[conversation.tools.c]\nsource = \"local\"\ncommand = \"c {{tool.arguments.x}}\"\n[conversation.tools.a]\nsource = $0\"local\" # here\n",
        "Add `command",
        &expect![[r#"
            [conversation.tools.b]
            source = "local"
            command = "serve {{tool}}"
            [conversation.tools.c]
            source = "local"
            command = "c {{tool.arguments.x}}"
            [conversation.tools.a]
            source = "local" # here
            command = "serve {{tool}}"
        "#]],
    );
}

#[test]
fn a_source_names_a_declared_server() {
    let server = "[providers.mcp.git]\ntype = \"stdio\"\n";
    check_titles(
        &format!("{server}[conversation.tools.a]\nsource = $0\"mcp\"\n"),
        &expect![[r#"
            QuickFix: Write `mcp.git`
        "#]],
    );
    check_titles(
        &format!("{server}[conversation.tools.a]\nsource = $0\"git.log\"\n"),
        &expect![[r#"
            QuickFix: Write `mcp.git.log`
        "#]],
    );
}
