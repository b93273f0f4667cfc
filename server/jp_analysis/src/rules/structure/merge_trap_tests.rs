use expect_test::expect;

use crate::{
    Code,
    fixture::{check, check_fix},
};

const INLINE: &str = r#"//- /w/.jp/config.toml
extends = [{ path = "persona.toml", strategy = "after" }]
assistant.system_prompt = "Be careful."
//- /w/.jp/persona.toml
assistant.system_prompt = { value = "Be brief." }
"#;

const HEADER: &str = r#"//- /w/.jp/config.toml
config_load_paths = [".jp/config"]
assistant.system_prompt = "Be careful."
//- /w/.jp/config/persona.toml
[assistant.system_prompt]
value = "Be brief."
"#;

#[test]
fn a_wrapper_without_strategy_drops_both_texts() {
    check(
        INLINE,
        &expect![[r#"
        //- /w/.jp/persona.toml
        assistant.system_prompt = { value = "Be brief." }
                                  ^^^^^^^^^^^^^^^^^^^^^^^ warning[merge-trap]: this table has no `strategy`, and an earlier layer sets a system prompt: `jp` then drops both texts; add `strategy = "append"`, `"prepend"` or `"replace"`
            .jp/config.toml:2 `"Be careful."`: this system prompt is dropped too
            fix*: Add `strategy = "append"`
            fix: Add `strategy = "replace"`
    "#]],
    );
    check_fix(
        INLINE,
        Code::MergeTrap,
        0,
        &expect![[r#"
        assistant.system_prompt = { strategy = "append", value = "Be brief." }
    "#]],
    );
    check(
        HEADER,
        &expect![[r#"
        //- /w/.jp/config/persona.toml
        [assistant.system_prompt]
        ^^^^^^^^^^^^^^^^^^^^^^^^^ warning[merge-trap]: this table has no `strategy`, and an earlier layer sets a system prompt: `jp` then drops both texts; add `strategy = "append"`, `"prepend"` or `"replace"`
            .jp/config.toml:2 `"Be careful."`: this system prompt is dropped too
            fix*: Add `strategy = "append"`
            fix: Add `strategy = "replace"`
    "#]],
    );
    check_fix(
        HEADER,
        Code::MergeTrap,
        1,
        &expect![[r#"
        [assistant.system_prompt]
        strategy = "replace"
        value = "Be brief."
    "#]],
    );
}

#[test]
fn a_wrapper_over_nothing_or_with_a_strategy_is_silent() {
    check(
        r#"//- /w/.jp/config.toml
assistant.system_prompt = { value = "Be brief." }
"#,
        &expect![[""]],
    );
    check(
        r#"//- /w/.jp/config.toml
extends = [{ path = "persona.toml", strategy = "after" }]
assistant.system_prompt = "Be careful."
//- /w/.jp/persona.toml
assistant.system_prompt = { value = "Be brief.", strategy = "append" }
"#,
        &expect![[""]],
    );
}

#[test]
fn a_style_of_its_own_hides_the_default_style() {
    check(
        r#"//- /w/.jp/config.toml
[conversation.tools.'*'.style]
inline_results = "off"
hidden = false
[conversation.tools.grep]
source = "local"
command = "grep"
style.hidden = true
[conversation.tools.find]
source = "local"
command = "find"
[conversation.tools.whole]
source = "local"
command = "whole"
style = { hidden = true, inline_results = "full" }
"#,
        &expect![[r#"
            //- /w/.jp/config.toml
            style.hidden = true
            ^^^^^ information[merge-trap]: a tool with a `style` of its own takes nothing from `'*'.style`: `inline_results` falls back to the built-in default
                .jp/config.toml:1 `style`: this style does not apply
        "#]],
    );
}

#[test]
fn a_list_of_grants_without_a_rule_restricts_nothing() {
    check(
        r#"//- /w/.jp/config.toml
extends = [{ path = "open.toml", strategy = "after" }]
conversation.tools.'*'.run = "ask"
[conversation.tools.t]
source = "local"
command = "t"
access.fs = [{ path = "src", read = true }]
access.net = [{ host = "a.com", allow = true }]
access.env = []
access.config = []
//- /w/.jp/open.toml
[conversation.tools.t.access]
fs = { strategy = "replace", value = [] }
net = []
"#,
        &expect![[r#"
            //- /w/.jp/config.toml
            access.env = []
                   ^^^ warning[merge-trap]: no rule is left in `access.env`, and without one the tool may read every variable; to deny that, write `[{ name = "*" }]`
                fix*: Deny everything: `{ name = "*" }`
            //- /w/.jp/open.toml
            fs = { strategy = "replace", value = [] }
            ^^ warning[merge-trap]: no rule is left in `access.fs`, and without one the tool reaches every file of the workspace; to deny that, write `[{ path = "." }]`
                .jp/config.toml:6 `[{ path = "src", read = true }]`: this does not hold
                fix*: Deny everything: `{ path = "." }`
        "#]],
    );
}

#[test]
fn a_list_without_a_rule_gets_one_that_denies() {
    let files = |written: &str| {
        format!(
            r#"//- /w/.jp/config.toml
[conversation.tools.t]
source = "local"
command = "t"
access.env = [{{ name = "PATH", read = true }}]
//- /w/.jp.toml
conversation.tools.t.access.env = {written}
"#
        )
    };
    check_fix(
        &files(r#"{ strategy = "replace", value = [] }"#),
        Code::MergeTrap,
        0,
        &expect![[r#"
            conversation.tools.t.access.env = { strategy = "replace", value = [{ name = "*" }] }
        "#]],
    );
    check(
        &files(r#"{ strategy = "replace", value = [{ name = "*" }] }"#),
        &expect![[""]],
    );
    check(&files("[]"), &expect![[""]]);
}
