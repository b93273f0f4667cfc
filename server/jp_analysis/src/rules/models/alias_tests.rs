use expect_test::expect;

use crate::{
    Code,
    fixture::{check, check_fix},
};

#[test]
fn references_lead_to_models_everywhere() {
    check(
        r#"//- /w/.jp/config.toml
[providers.llm.aliases]
haiku = "anthropic/claude-haiku-4-5"
small = "hiaku"
table = { provider = "openai", name = "gpt-5" }
[assistant.model]
id = "tabel"
[conversation.title.generate.model]
id = "haiku"
[conversation.inquiry.assistant.model]
id = "hauku"
[[conversation.compaction.rules]]
summary.model.id = "haikuu"
[style.reasoning]
summary_model.id = "unheard"
[conversation.tools.ask]
source = "local"
command = "ask"
questions.q.target = { model.id = "smal" }
questions.r.target = { model.id = "small" }
"#,
        &expect![[r#"
            //- /w/.jp/config.toml
            small = "hiaku"
                    ^^^^^^^ warning[alias-unknown]: no model alias `hiaku` is defined; did you mean `haiku`?
                .jp/config.toml:2 `haiku`: `haiku` is defined here
                fix!: Write `haiku`
            id = "tabel"
                 ^^^^^^^ warning[alias-unknown]: no model alias `tabel` is defined; did you mean `table`?
                .jp/config.toml:4 `table`: `table` is defined here
                fix!: Write `table`
            id = "hauku"
                 ^^^^^^^ warning[alias-unknown]: no model alias `hauku` is defined; did you mean `haiku`?
                .jp/config.toml:2 `haiku`: `haiku` is defined here
                fix!: Write `haiku`
            summary.model.id = "haikuu"
                               ^^^^^^^^ warning[alias-unknown]: no model alias `haikuu` is defined; did you mean `haiku`?
                .jp/config.toml:2 `haiku`: `haiku` is defined here
                fix!: Write `haiku`
            summary_model.id = "unheard"
                               ^^^^^^^^^ hint[alias-unknown]: no file of this workspace defines the model alias `unheard`; define it under `[providers.llm.aliases]`, or write `<provider>/<model>`, unless your own config defines it
            questions.q.target = { model.id = "smal" }
                                              ^^^^^^ warning[alias-unknown]: no model alias `smal` is defined; did you mean `small`?
                .jp/config.toml:3 `small`: `small` is defined here
                fix!: Write `small`
        "#]],
    );
}

#[test]
fn an_alias_that_the_user_defines_is_known() {
    check(
        r#"//- /home/config.toml
[providers.llm.aliases]
mine = "openai/gpt-5"
[conversation.tools.'*']
run = "ask"
//- /w/.jp/config.toml
[assistant.model]
id = "mine"
"#,
        &expect![[""]],
    );
}

#[test]
fn a_near_alias_is_written() {
    check_fix(
        r#"//- /w/.jp/config.toml
assistant.model.id = "hiaku"
providers.llm.aliases.haiku = "anthropic/claude-haiku-4-5"
"#,
        Code::AliasUnknown,
        0,
        &expect![[r#"
            assistant.model.id = "haiku"
            providers.llm.aliases.haiku = "anthropic/claude-haiku-4-5"
        "#]],
    );
}

#[test]
fn aliases_do_not_lead_back_to_themselves() {
    check(
        r#"//- /w/.jp/config.toml
extends = ["more.toml"]
[providers.llm.aliases]
a = "b"
b = "c"
into = "a"
self = "self"
fine = "finer"
finer = "openai/gpt-5"
//- /w/.jp/more.toml
providers.llm.aliases.c = "a"
"#,
        &expect![[r#"
            //- /w/.jp/config.toml
            a = "b"
                ^^^ error[alias-cycle]: model alias cycle detected: `a` -> `b` -> `c` -> `a`; let one of them name a model, `<provider>/<model>`
            b = "c"
                ^^^ error[alias-cycle]: model alias cycle detected: `b` -> `c` -> `a` -> `b`; let one of them name a model, `<provider>/<model>`
            self = "self"
                   ^^^^^^ error[alias-cycle]: model alias cycle detected: `self` -> `self`; let one of them name a model, `<provider>/<model>`
            //- /w/.jp/more.toml
            providers.llm.aliases.c = "a"
                                      ^^^ error[alias-cycle]: model alias cycle detected: `c` -> `a` -> `b` -> `c`; let one of them name a model, `<provider>/<model>`
        "#]],
    );
}
