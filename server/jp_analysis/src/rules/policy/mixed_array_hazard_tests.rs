use expect_test::expect;

use crate::{
    Code,
    fixture::{check, check_fix, policy_tool},
};

#[test]
fn one_element_does_not_speak_for_the_others() {
    let fixture = policy_tool(
        r#"run = [
    { arg = "/patterns/old", prefix = "src/", mode = "unattended" },
    { arg = "/patterns/old", prefix = ".env", mode = "ask" },
    { mode = "ask" },
]"#,
    );
    check(
        &fixture,
        &expect![[r#"
            //- /w/.jp/config.toml
                { arg = "/patterns/old", prefix = "src/", mode = "unattended" },
                ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ warning[mixed-array-hazard]: one matching element of `/patterns/old` suffices: a call with `{"path":"x","patterns":[{"old":"src/x"},{"old":".envx"}]}` is `unattended`, although rule 2 (`prefix = ".env"`) says `ask`; put the stricter rule first
                .jp/config.toml:5 `{ arg = "/patterns/old", prefix = ".env", mode = "ask" }`: this rule asks for `ask`
                fix*: Move the stricter rule first
        "#]],
    );
    check_fix(
        &fixture,
        Code::MixedArrayHazard,
        0,
        &expect![[r#"
        extends = ["tool.toml"]
        [conversation.tools.edit.policy]
        run = [
            { arg = "/patterns/old", prefix = ".env", mode = "ask" },
            { arg = "/patterns/old", prefix = "src/", mode = "unattended" },
            { mode = "ask" },
        ]
    "#]],
    );
    // Each path is decided on its own.
    check(
        &policy_tool(
            r#"run = [
    { arg = "/paths", prefix = "src/", mode = "unattended" },
    { arg = "/paths", prefix = ".env", mode = "ask" },
    { arg = "/path", prefix = "", mode = "ask" },
    { arg = "/patterns/paths", prefix = "", mode = "ask" },
    { mode = "skip" },
]"#,
        ),
        &expect![[""]],
    );
    check(
        &policy_tool(
            r#"run = [
    { arg = "/path", prefix = "src/", mode = "unattended" },
    { arg = "/path", prefix = ".env", mode = "ask" },
    { arg = "/paths", prefix = "", mode = "ask" },
    { arg = "/patterns/paths", prefix = "", mode = "ask" },
    { mode = "ask" },
]"#,
        ),
        &expect![[""]],
    );
}
