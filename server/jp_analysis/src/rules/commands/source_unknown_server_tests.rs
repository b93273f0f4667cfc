use expect_test::expect;

use crate::{
    Code,
    fixture::{check, check_fix},
};

const FIXTURE: &str = r#"//- /w/.jp/config.toml
[providers.mcp.bookworm]
type = "stdio"
command = "just"
[conversation.tools.near]
source = "mcp.bookwrom.search"
[conversation.tools.far]
source = "mcp.github"
[conversation.tools.fine]
source = "mcp.bookworm"
"#;

#[test]
fn a_server_is_declared() {
    check(
        FIXTURE,
        &expect![[r#"
        //- /w/.jp/config.toml
        source = "mcp.bookwrom.search"
                      ^^^^^^^^ warning[source-unknown-server]: no MCP server `bookwrom` is declared under `providers.mcp`; did you mean `bookworm`?
            .jp/config.toml:1 `[providers.mcp.bookworm]`: `bookworm` is declared here
            fix!: Write `bookworm`
        source = "mcp.github"
                      ^^^^^^ hint[source-unknown-server]: no file of this workspace declares the MCP server `github`; declare it under `[providers.mcp.github]`, unless your own config does
    "#]],
    );
    check_fix(
        FIXTURE,
        Code::SourceUnknownServer,
        0,
        &expect![[r#"
        [providers.mcp.bookworm]
        type = "stdio"
        command = "just"
        [conversation.tools.near]
        source = "mcp.bookworm.search"
        [conversation.tools.far]
        source = "mcp.github"
        [conversation.tools.fine]
        source = "mcp.bookworm"
    "#]],
    );
}
