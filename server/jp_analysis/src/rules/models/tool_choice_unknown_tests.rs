use expect_test::expect;

use crate::{
    Code,
    fixture::{check, check_fix},
};

#[test]
fn the_forced_tool_is_configured() {
    let fixture = r#"//- /w/.jp/config.toml
assistant.tool_choice = "raed_file"
[conversation.tools.read_file]
source = "local"
command = "read"
"#;
    check(
        fixture,
        &expect![[r#"
        //- /w/.jp/config.toml
        assistant.tool_choice = "raed_file"
                                ^^^^^^^^^^^ warning[tool-choice-unknown]: `assistant.tool_choice` forces the tool `raed_file`, which is not configured; did you mean `read_file`?
            fix!: Write `read_file`
    "#]],
    );
    check_fix(
        fixture,
        Code::ToolChoiceUnknown,
        0,
        &expect![[r#"
        assistant.tool_choice = "read_file"
        [conversation.tools.read_file]
        source = "local"
        command = "read"
    "#]],
    );
    check(
        r#"//- /w/.jp/config.toml
assistant.tool_choice = "somebody_else"
conversation.inquiry.assistant.tool_choice = "requierd"
"#,
        &expect![[r#"
            //- /w/.jp/config.toml
            assistant.tool_choice = "somebody_else"
                                    ^^^^^^^^^^^^^^^ warning[tool-choice-unknown]: `assistant.tool_choice` forces the tool `somebody_else`, which is not configured; name a tool of this workspace, or write `auto`, `none` or `required`
            conversation.inquiry.assistant.tool_choice = "requierd"
                                                         ^^^^^^^^^^ warning[tool-choice-unknown]: `conversation.inquiry.assistant.tool_choice` forces the tool `requierd`, which is not configured; did you mean `required`?
                fix!: Write `required`
        "#]],
    );
}

#[test]
fn words_and_known_tools_are_silent() {
    check(
        r#"//- /w/.jp/config.toml
config_load_paths = [".jp/config"]
assistant.tool_choice = "ask_user"
conversation.inquiry.assistant.tool_choice = "none"
//- /w/.jp/config/skill.toml
assistant.tool_choice = "grep"
//- /w/.jp/config/tool.toml
[conversation.tools.grep]
source = "local"
command = "grep"
"#,
        &expect![[""]],
    );
}

#[test]
fn a_locked_tool_cannot_be_forced() {
    check(
        r#"//- /w/.jp/config.toml
assistant.tool_choice = "grep"
[conversation.tools.'*']
enable.allow_toggle = "never"
[conversation.tools.grep]
source = "local"
command = "grep"
enable.state = false
"#,
        &expect![[r#"
            //- /w/.jp/config.toml
            assistant.tool_choice = "grep"
                                    ^^^^^^ error[tool-choice-unknown]: assistant.tool_choice forces `grep`, but conversation.tools.grep.enable is locked off (state = false, allow_toggle = never); a locked-off tool is never sent to the assistant
                .jp/config.toml:7 `false`: the tool is switched off here
        "#]],
    );
    check(
        r#"//- /w/.jp/config.toml
assistant.tool_choice = "grep"
[conversation.tools.grep]
source = "local"
command = "grep"
enable = "explicit"
"#,
        &expect![[""]],
    );
}
