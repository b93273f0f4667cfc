use expect_test::{Expect, expect};

use super::ToolSource;

fn check(texts: &[&str], expected: &Expect) {
    let mut out = String::new();
    for text in texts {
        match ToolSource::parse(text) {
            Ok(source) => out += &format!("{text:?} -> {source:?}, shown as {source}\n"),
            Err(error) => out += &format!("{text:?} -> error: {error}\n"),
        }
    }
    expected.assert_eq(&out);
}

#[test]
fn sources_name_a_kind_and_maybe_a_tool() {
    check(
        &[
            "builtin",
            "builtin.describe_tools",
            "local",
            "local.a.b",
            "mcp.s",
            "mcp.s.t",
            "mcp.s.t.u",
        ],
        &expect![[r#"
            "builtin" -> Builtin { tool: None }, shown as builtin
            "builtin.describe_tools" -> Builtin { tool: Some("describe_tools") }, shown as builtin.describe_tools
            "local" -> Local { tool: None }, shown as local
            "local.a.b" -> Local { tool: Some("a.b") }, shown as local.a.b
            "mcp.s" -> Mcp { server: "s", tool: None }, shown as mcp.s
            "mcp.s.t" -> Mcp { server: "s", tool: Some("t") }, shown as mcp.s.t
            "mcp.s.t.u" -> Mcp { server: "s", tool: Some("t.u") }, shown as mcp.s.t.u
        "#]],
    );
}

#[test]
fn wrong_sources_say_what_to_write() {
    check(
        &[
            "remote", "", "Local", "mcp", "mcp.", "mcp..t", "mcp.s.", "local.",
        ],
        &expect![[r#"
            "remote" -> error: unknown tool source `remote`, must be one of: `builtin`, `local`, `mcp`
            "" -> error: unknown tool source ``, must be one of: `builtin`, `local`, `mcp`
            "Local" -> error: unknown tool source `Local`, must be one of: `builtin`, `local`, `mcp`
            "mcp" -> error: an MCP tool source must name a server: use `mcp.<server>` or `mcp.<server>.<tool>`
            "mcp." -> error: an MCP tool source must name a server: use `mcp.<server>` or `mcp.<server>.<tool>`
            "mcp..t" -> error: an MCP tool source must name a server: use `mcp.<server>` or `mcp.<server>.<tool>`
            "mcp.s." -> error: tool source `mcp.s.` ends in a dot: name the tool after it, or drop the dot
            "local." -> error: tool source `local.` ends in a dot: name the tool after it, or drop the dot
        "#]],
    );
}
