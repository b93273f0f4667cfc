use expect_test::expect;

use crate::fixture::check;

#[test]
fn a_local_tool_has_a_command() {
    check(
        r#"//- /w/.jp/config.toml
extends = ["more.toml"]
[conversation.tools.grep]
source = "local"
[conversation.tools.empty]
source = "local"
command = ""
[conversation.tools.find]
source = "local"
[conversation.tools.table]
source = "local"
command = { program = "table" }
[conversation.tools.describe_tools]
source = "builtin"
//- /w/.jp/more.toml
[conversation.tools.find]
command = "find"
"#,
        &expect![[r#"
            //- /w/.jp/config.toml
            source = "local"
                     ^^^^^^^ warning[command-missing]: the local tool `grep` has no `command`, so every call fails; add one, such as `command = "my-tool {{tool}}"`
            source = "local"
                     ^^^^^^^ warning[command-missing]: the local tool `empty` has no `command`, so every call fails; add one, such as `command = "my-tool {{tool}}"`
        "#]],
    );
}
