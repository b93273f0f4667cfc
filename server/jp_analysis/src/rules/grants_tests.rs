//! The rules of access grants, each with a hit, a near miss and its fix.

use expect_test::expect;

use crate::{
    Code,
    fixture::{check, check_fix},
};

fn tool(access: &str) -> String {
    format!(
        r#"//- /w/.jp/config.toml
[conversation.tools.edit]
source = "local"
command = "edit"
{access}
"#
    )
}

#[test]
fn sound_grants_are_silent() {
    check(
        &tool(
            r#"access.fs = [{ path = ".", read = true }, { path = "src", write = true }]
access.net = [{ host = "docs.rs", scheme = "https", path_prefix = "/serde", allow = true }]
access.env = [{ name = "AWS_*", read = true }, { name = "HOME", read = false }]
access.config = [
    { path = "assistant.model", write = true },
    { path = "conversation.tools.*.summary", write = true, apply = "unattended" },
    { path = "conversation.tools.x.access", write = "insecure_allow" },
]"#,
        ),
        &expect![[r#"
            //- /w/.jp/config.toml
            access.fs = [{ path = ".", read = true }, { path = "src", write = true }]
                                                               ^^^^^ information[grant-covers-config]: this rule lets tool `edit` create `src/.jp.toml` (`jp` reads it when started in that folder), and so give itself any grant
                help: grant single files, or leave the writing to the bundled file tools, which keep config closed in every folder
                fix: Deny writing here
        "#]],
    );
}

#[test]
fn grants_of_config_lead_somewhere_and_are_acknowledged() {
    check(
        &tool(
            r#"access.config = [
    { path = "assistant.modle", read = true },
    { path = "assistant.*", read = true },
    { path = "conversation.tools", write = true },
    { path = "conversation.tools.*.run", write = true, apply = "unattended" },
    { path = "assistant.name", write = "insecure_allow" },
]"#,
        ),
        &expect![[r#"
            //- /w/.jp/config.toml
                { path = "assistant.modle", read = true },
                                    ^^^^^ error[unknown-config-path]: the config has no path `modle` under `assistant`; did you mean `model`?
                fix!: Write `model`
                { path = "assistant.*", read = true },
                                    ^ error[wildcard-on-non-map]: `*` is only allowed where the keys are yours to choose, and `assistant` has fixed keys; write one of `name`, `system_prompt`, `system_prompt_sections`, `instructions`, `tool_choice`, `model`, `request`
                fix*: Write `assistant`
                { path = "conversation.tools", write = true },
                                                       ^^^^ error[sensitive-write]: tool `edit` grants `write = true` to path `conversation.tools`, which overlaps the sensitive path `conversation.tools.*.access`; use `write = "insecure_allow"` to explicitly acknowledge this grant
                help: through this path the tool can grant itself any access
                fix: Write "insecure_allow": the tool may then grant itself any access
                fix: Deny writing: `write = false`
                { path = "conversation.tools.*.run", write = true, apply = "unattended" },
                                                                           ^^^^^^^^^^^^ warning[privileged-write]: tool `edit` may change `conversation.tools.*.run` unattended: it could stop the questions before tools run
                help: write `apply = "ask"`, or grant a path that leaves it out
                fix!: Ask before each change: `apply = "ask"`
                { path = "assistant.name", write = "insecure_allow" },
                                                   ^^^^^^^^^^^^^^^^ hint[insecure-allow-no-effect]: path `assistant.name` is not sensitive, so `"insecure_allow"` means the same as `true`; write `true`
                fix!: Write `true`
        "#]],
    );
}

#[test]
fn fixes_of_config_grants() {
    let fix = |rule: &str, code, expected: &expect_test::Expect| {
        check_fix(
            &tool(&format!("access.config = [{rule}]")),
            code,
            0,
            expected,
        );
    };
    fix(
        r#"{ path = "assistant.modle", read = true }"#,
        Code::UnknownConfigPath,
        &expect![[r#"
            [conversation.tools.edit]
            source = "local"
            command = "edit"
            access.config = [{ path = "assistant.model", read = true }]
        "#]],
    );
    fix(
        r#"{ path = "conversation.tools", write = true }"#,
        Code::SensitiveWrite,
        &expect![[r#"
            [conversation.tools.edit]
            source = "local"
            command = "edit"
            access.config = [{ path = "conversation.tools", write = "insecure_allow" }]
        "#]],
    );
    fix(
        r#"{ path = "conversation.tools.*.run", write = true, apply = "unattended" }"#,
        Code::PrivilegedWrite,
        &expect![[r#"
            [conversation.tools.edit]
            source = "local"
            command = "edit"
            access.config = [{ path = "conversation.tools.*.run", write = true, apply = "ask" }]
        "#]],
    );
    fix(
        r#"{ path = "assistant.name", write = "insecure_allow" }"#,
        Code::InsecureAllowNoEffect,
        &expect![[r#"
            [conversation.tools.edit]
            source = "local"
            command = "edit"
            access.config = [{ path = "assistant.name", write = true }]
        "#]],
    );
}

#[test]
fn files_hosts_and_names_are_what_they_can_match() {
    check(
        &tool(
            r#"access.fs = [
    { path = "../other", read = true },
    { path = "src/../docs", read = true },
    { path = "/etc", read = true },
    { path = "/w/lib", read = true },
    { path = "lib/", read = false },
]
access.net = [{ host = "https://docs.rs", allow = true }, { host = "docs.rs", scheme = "https://", allow = true }]
access.env = [{ name = "AWS_*_KEY", read = true }]"#,
        ),
        &expect![[r#"
            //- /w/.jp/config.toml
                { path = "../other", read = true },
                         ^^^^^^^^^^ error[fs-path-escapes]: access path `../other` leaves the workspace; write a path below the workspace root
                { path = "src/../docs", read = true },
                         ^^^^^^^^^^^^^ warning[fs-path-escapes]: access path `src/../docs` holds `..`, which is resolved before any link is followed; write `docs`
                fix!: Write `docs`
                { path = "/etc", read = true },
                         ^^^^^^ error[fs-path-absolute]: access path `/etc` is outside the workspace; write a path relative to the workspace root
                help: a rule can only grant what lies in the workspace, or is linked into it
                { path = "/w/lib", read = true },
                         ^^^^^^^^ warning[fs-path-absolute]: access path `/w/lib` holds on this machine only; write `lib`
                fix!: Write `lib`
            access.net = [{ host = "https://docs.rs", allow = true }, { host = "docs.rs", scheme = "https://", allow = true }]
                                   ^^^^^^^^^^^^^^^^^ error[net-host-invalid]: host `https://docs.rs` holds a scheme; write `host = "docs.rs"` and `scheme = "https"`
                fix*: Write `host = "docs.rs"` and `scheme = "https"`
                                                                                                   ^^^^^^^^^^ error[net-rule-invalid]: scheme `https://` is not a scheme; write its name alone, such as `https`
                fix*: Write `https`
            access.env = [{ name = "AWS_*_KEY", read = true }]
                                   ^^^^^^^^^^^ error[env-name-wildcard]: name `AWS_*_KEY` holds `*` before its end; write one `*` as the last character, as in `AWS_*`
                fix: Write `AWS_*`, which matches more names
        "#]],
    );
}

#[test]
fn the_source_of_all_layers_decides_whether_grants_are_taken() {
    let layers = |source: &str| {
        format!(
            r#"//- /w/.jp/config.toml
extends = ["tool.toml"]
[conversation.tools.edit]
access.fs = [{{ path = "src", read = true }}]
//- /w/.jp/tool.toml
[conversation.tools.edit]
source = "{source}"
command = "edit"
"#
        )
    };
    check(&layers("local"), &expect![[r#""#]]);
    check(
        &layers("mcp.s"),
        &expect![[r#"
            //- /w/.jp/config.toml
            access.fs = [{ path = "src", read = true }]
            ^^^^^^ error[access-unsupported-source]: `access` is only supported on local tools, but `edit` is an MCP tool
                help: remove `access`: nothing would check it, and it would promise a limit that does not hold
                .jp/tool.toml:2 `"mcp.s"`: this makes it an MCP tool
                fix*: Remove `access`, which nothing would check
            //- /w/.jp/tool.toml
            source = "mcp.s"
                          ^ hint[source-unknown-server]: no file of this workspace declares the MCP server `s`; declare it under `[providers.mcp.s]`, unless your own config does
        "#]],
    );
}

#[test]
fn only_local_tools_take_grants() {
    check(
        r#"//- /w/.jp/config.toml
[conversation.tools.describe_tools]
source = "builtin"
access.fs = [{ path = "src", read = true }]
"#,
        &expect![[r#"
            //- /w/.jp/config.toml
            access.fs = [{ path = "src", read = true }]
            ^^^^^^ error[access-unsupported-source]: `access` is only supported on local tools, but `describe_tools` is a builtin tool
                help: remove `access`: nothing would check it, and it would promise a limit that does not hold
                .jp/config.toml:2 `"builtin"`: this makes it a builtin tool
                fix*: Remove `access`, which nothing would check
        "#]],
    );
}

#[test]
fn a_url_is_split_into_the_keys_of_a_rule() {
    let fix = |rule: &str, expected: &expect_test::Expect| {
        check_fix(&tool(rule), Code::NetHostInvalid, 0, expected);
    };
    fix(
        r#"access.net = [{ host = "https://me@docs.rs:8443/serde", allow = true }]"#,
        &expect![[r#"
            [conversation.tools.edit]
            source = "local"
            command = "edit"
            access.net = [{ host = "docs.rs", scheme = "https", port = 8443, path_prefix = "/serde", allow = true }]
        "#]],
    );
    fix(
        "[[conversation.tools.edit.access.net]]\nhost = \"HTTPS://docs.rs/\" # why\nallow = true",
        &expect![[r#"
            [conversation.tools.edit]
            source = "local"
            command = "edit"
            [[conversation.tools.edit.access.net]]
            host = "docs.rs" # why
            scheme = "https"
            allow = true
        "#]],
    );
}

#[test]
fn a_url_that_a_rule_cannot_say_is_left_to_a_person() {
    check(
        &tool(
            r#"
access.net = [
    { host = "https://docs.rs", scheme = "http", allow = true },
    { host = "docs.rs/a?b", allow = true },
    { host = "*.docs.rs", allow = true },
    { host = "docs.rs:99999", allow = true },
]"#,
        ),
        &expect![[r#"
            //- /w/.jp/config.toml
                { host = "https://docs.rs", scheme = "http", allow = true },
                         ^^^^^^^^^^^^^^^^^ error[net-host-invalid]: host `https://docs.rs` holds a scheme; write `host = "docs.rs"` and `scheme = "https"`
                { host = "docs.rs/a?b", allow = true },
                         ^^^^^^^^^^^^^ error[net-host-invalid]: host `docs.rs/a?b` holds a path; write `host = "docs.rs"` and `path_prefix = "/a?b"`
                { host = "*.docs.rs", allow = true },
                         ^^^^^^^^^^^ error[net-host-invalid]: host `*.docs.rs` holds `*`, which matches no host; write one rule for each host
                { host = "docs.rs:99999", allow = true },
                         ^^^^^^^^^^^^^^^ error[net-host-invalid]: host `docs.rs:99999` holds a port; write `host = "docs.rs"` and `port = 99999`
        "#]],
    );
}

#[test]
fn of_two_rules_for_one_target_either_may_be_meant() {
    let rules = r#"
access.fs = [
    { path = "src", read = true },
    { path = "src/", read = false }, # later
]"#;
    check_fix(
        &tool(rules),
        Code::RuleNeverWins,
        0,
        &expect![[r#"
        [conversation.tools.edit]
        source = "local"
        command = "edit"

        access.fs = [
            { path = "src/", read = false }, # later
        ]
    "#]],
    );
    check_fix(
        &tool(rules),
        Code::RuleNeverWins,
        1,
        &expect![[r#"
        [conversation.tools.edit]
        source = "local"
        command = "edit"

        access.fs = [
            { path = "src", read = true },
        ]
    "#]],
    );
}

#[test]
fn grants_that_nothing_checks_are_taken_out_of_every_file() {
    check_fix(
        r#"
//- /w/.jp/config.toml
extends = ["tool.toml"]
[conversation.tools.edit]
access.fs = [{ path = "src", read = true }]
enable = true

[[conversation.tools.edit.access.env]]
name = "A"

# about net
[[conversation.tools.edit.access.net]]
host = "docs.rs"
//- /w/.jp/tool.toml
[conversation.tools]
edit = { source = "builtin", access.env = [] }
"#,
        Code::AccessUnsupportedSource,
        0,
        &expect![[r#"
            extends = ["tool.toml"]
            [conversation.tools.edit]
            enable = true

            # about net
            [conversation.tools]
            edit = { source = "builtin" }
        "#]],
    );
}

#[test]
fn deleting_what_is_sensitive_needs_the_acknowledgement_of_writing() {
    check(
        &tool(
            r#"access.config = [
    { path = "conversation.tools.*.access", delete = true },
    { path = "conversation", read = true, write = false, delete = true },
    { path = "conversation.tools.a.access.fs", write = "insecure_allow", delete = true },
    { path = "assistant.name", delete = true },
    { path = "conversation.tools.b.access", delete = false },
]"#,
        ),
        &expect![[r#"
            //- /w/.jp/config.toml
                { path = "conversation.tools.*.access", delete = true },
                                                                 ^^^^ warning[sensitive-write]: `delete = true` removes nothing at `conversation.tools.*.access`, which path `conversation.tools.*.access` reaches: deleting there needs `write = "insecure_allow"` in the same rule
                help: a restriction is lifted by removing its last rule, so that needs the same acknowledgement as writing one
                fix: Deny deleting: `delete = false`
                { path = "conversation", read = true, write = false, delete = true },
                                                                              ^^^^ hint[sensitive-write]: `delete = true` removes nothing at `conversation.tools.*.access`, which path `conversation` reaches: deleting there needs `write = "insecure_allow"` in the same rule
                help: a restriction is lifted by removing its last rule, so that needs the same acknowledgement as writing one
        "#]],
    );
    check_fix(
        &tool(r#"access.config = [{ path = "conversation.tools.*.access", delete = true }]"#),
        Code::SensitiveWrite,
        0,
        &expect![[r#"
            [conversation.tools.edit]
            source = "local"
            command = "edit"
            access.config = [{ path = "conversation.tools.*.access", delete = false }]
        "#]],
    );
}

#[test]
fn a_quote_inside_a_key_does_not_move_what_a_fix_replaces() {
    check_fix(
        &tool(r#"access.config = [{ path = 'conversation.tools."a\".b".rnu', read = true }]"#),
        Code::UnknownConfigPath,
        0,
        &expect![[r#"
            [conversation.tools.edit]
            source = "local"
            command = "edit"
            access.config = [{ path = 'conversation.tools."a\".b".run', read = true }]
        "#]],
    );
}

#[test]
fn ids_of_questions_are_single_words() {
    check(
        &tool(
            r#"questions."apply.all".target = "user"
questions."".target = "user"
questions.apply_all.target = "user"
questions."with blank".target = "user""#,
        ),
        &expect![[r#"
            //- /w/.jp/config.toml
            questions."apply.all".target = "user"
                      ^^^^^^^^^^^ warning[invalid-value]: the id `apply.all` of a question holds a `.`, which the next `jp` refuses; ask and answer it as `apply_all`
            questions."".target = "user"
                      ^^ warning[invalid-value]: the id of a question is empty, which the next `jp` refuses; write the id that the tool asks with
        "#]],
    );
}
