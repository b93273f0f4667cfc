use expect_test::expect;

use crate::{
    Code,
    fixture::{check, check_fix},
};

#[test]
fn a_mode_that_is_ignored_may_become_the_last_rule() {
    let fixture = r#"//- /w/.jp/config.toml
[conversation.tools.edit]
source = "local"
command = "edit"
run = "skip"
parameters.path.type = "string"
policy.run = [
    { arg = "/path", prefix = "src/", mode = "unattended" }, # sources
]
"#;
    check(
        fixture,
        &expect![[r#"
            //- /w/.jp/config.toml
            run = "skip"
            ^^^ warning[policy-overrides-run]: `run = "skip"` is ignored, because `policy.run` is set; remove it
                .jp/config.toml:6 `run`: `policy.run` decides
                fix!: Remove `run = "skip"`
                fix: Make `run = "skip"` the last rule of `policy.run`
            policy.run = [
                   ^^^ warning[missing-catch-all]: no rule of `policy.run` decides the calls that none of them matches, which get an implicit `ask`; end the list with `{ mode = "ask" }`
                fix!: Append `{ mode = "ask" }`
        "#]],
    );
    check_fix(
        fixture,
        Code::PolicyOverridesRun,
        1,
        &expect![[r#"
            [conversation.tools.edit]
            source = "local"
            command = "edit"
            parameters.path.type = "string"
            policy.run = [
                { arg = "/path", prefix = "src/", mode = "unattended" }, # sources
                { mode = "skip" },
            ]
        "#]],
    );
    check(
        r#"//- /w/.jp/config.toml
[conversation.tools.edit]
source = "local"
command = "edit"
run = "skip"
parameters.path.type = "string"
policy.run = [{ arg = "/path", prefix = "src/", mode = "unattended" }, { mode = "ask" }]
"#,
        &expect![[r#"
            //- /w/.jp/config.toml
            run = "skip"
            ^^^ warning[policy-overrides-run]: `run = "skip"` is ignored, because `policy.run` is set; remove it
                .jp/config.toml:6 `run`: `policy.run` decides
                fix!: Remove `run = "skip"`
        "#]],
    );
}

#[test]
fn the_policy_wins_over_the_plain_mode() {
    let fixture = r#"//- /w/.jp/config.toml
[conversation.tools.edit]
source = "local"
command = "edit"
run = "ask"     # every time
policy.run = "unattended"
result = "ask"
[conversation.tools.'*']
result = "unattended"
policy = { result = "ask" }
"#;
    check(
        fixture,
        &expect![[r#"
            //- /w/.jp/config.toml
            source = "local"
                     ^^^^^^^ information[grant-covers-config]: tool `edit` has no `access.fs`, so it may change `.jp/config.toml` (`jp` reads it at every start) and 2 more places of config without asking, and so give itself any grant
                help: declare what it may write in `access.fs`; what no rule grants is denied then
                fix: Grant everything but writing
            run = "ask"     # every time
            ^^^ warning[policy-overrides-run]: `run = "ask"` is ignored, because `policy.run` is set; remove it
                .jp/config.toml:5 `run`: `policy.run` decides
                fix!: Remove `run = "ask"`
            result = "unattended"
            ^^^^^^ warning[policy-overrides-run]: `result = "unattended"` is ignored, because `policy.result` is set; remove it
                .jp/config.toml:9 `result`: `policy.result` decides
                fix!: Remove `result = "unattended"`
        "#]],
    );
    check_fix(
        fixture,
        Code::PolicyOverridesRun,
        0,
        &expect![[r#"
        [conversation.tools.edit]
        source = "local"
        command = "edit"
        policy.run = "unattended"
        result = "ask"
        [conversation.tools.'*']
        result = "unattended"
        policy = { result = "ask" }
    "#]],
    );
    check_fix(
        r#"//- /w/.jp/config.toml
[conversation.tools]
edit = { source = "local", command = "edit", policy.run = "ask", run = "ask" }
"#,
        Code::PolicyOverridesRun,
        0,
        &expect![[r#"
            [conversation.tools]
            edit = { source = "local", command = "edit", policy.run = "ask" }
        "#]],
    );
    check_fix(
        r#"//- /w/.jp/config.toml
[conversation.tools]
edit = { run = "ask", source = "local", command = "edit", policy.run = "ask" }
"#,
        Code::PolicyOverridesRun,
        0,
        &expect![[r#"
            [conversation.tools]
            edit = { source = "local", command = "edit", policy.run = "ask" }
        "#]],
    );
}
