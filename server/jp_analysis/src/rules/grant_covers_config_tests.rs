use expect_test::{Expect, expect};

use crate::{
    Code,
    fixture::{check, check_fix},
};

/// A workspace whose config comes from several places, and a tool in it.
fn tool(lines: &str) -> String {
    format!(
        r#"//- /w/.jp/config.toml
extends = ["tools/**/*.toml"]
config_load_paths = ["personas"]
[conversation.tools.shell]
source = "local"
{lines}
//- /w/.jp.toml
extends = ["shared/*.toml"]
//- /w/shared/base.toml
extends = ["../deep/one.toml"]
//- /w/deep/one.toml
style.reasoning.display = "full"
"#
    )
}

fn granted(rules: &str, expected: &Expect) {
    let lines = format!("command = \"sh {{{{tool}}}}\"\naccess.fs = [{rules}]");
    check(&tool(&lines), expected);
}

#[test]
fn a_grant_that_reaches_config_is_reported() {
    granted(
        r#"{ path = ".", write = true }"#,
        &expect![[r#"
        //- /w/.jp/config.toml
        access.fs = [{ path = ".", write = true }]
                              ^^^ warning[grant-covers-config]: this rule lets tool `shell` change `.jp/config.toml` (`jp` reads it at every start) and 6 more places of config, and so give itself any grant
            help: write a narrower `path`, or deny config by rules of its own: the longest path wins
            .jp.toml:1 `"shared/*.toml"`: this entry brings it in
            shared/base.toml:1 `"../deep/one.toml"`: this entry brings it in
            .jp/config.toml:1 `"tools/**/*.toml"`: this entry brings it in
            fix: Deny writing config, by rules of its own
            fix: Deny writing here
    "#]],
    );
    granted(
        r#"{ path = ".jp", create = true }"#,
        &expect![[r#"
        //- /w/.jp/config.toml
        access.fs = [{ path = ".jp", create = true }]
                              ^^^^^ warning[grant-covers-config]: this rule lets tool `shell` create `.jp/tools/new.toml` (`extends` brings it in through `tools/**/*.toml`), and so give itself any grant
            help: write a narrower `path`, or deny config by rules of its own: the longest path wins
            .jp/config.toml:1 `"tools/**/*.toml"`: this entry brings it in
            fix: Deny writing here
    "#]],
    );
    granted(
        r#"{ path = ".jp.toml", write = true }"#,
        &expect![[r#"
        //- /w/.jp/config.toml
        access.fs = [{ path = ".jp.toml", write = true }]
                              ^^^^^^^^^^ warning[grant-covers-config]: this rule lets tool `shell` change `.jp.toml` (`jp` reads it at every start), and so give itself any grant
            help: write a narrower `path`, or deny config by rules of its own: the longest path wins
            fix: Deny writing here
    "#]],
    );
    granted(
        r#"{ path = "deep", update = true }"#,
        &expect![[r#"
        //- /w/.jp/config.toml
        access.fs = [{ path = "deep", update = true }]
                              ^^^^^^ warning[grant-covers-config]: this rule lets tool `shell` change `deep/one.toml` (it is config already), and so give itself any grant
            help: write a narrower `path`, or deny config by rules of its own: the longest path wins
            shared/base.toml:1 `"../deep/one.toml"`: this entry brings it in
            .jp.toml:1 `"shared/*.toml"`: this entry brings it in
            fix: Deny writing config, by rules of its own
            fix: Deny writing here
    "#]],
    );
    granted(
        r#"{ path = "deep/../shared/", create = true }"#,
        &expect![[r#"
            //- /w/.jp/config.toml
            access.fs = [{ path = "deep/../shared/", create = true }]
                                  ^^^^^^^^^^^^^^^^^ warning[grant-covers-config]: this rule lets tool `shell` create `shared/new.toml` (`extends` brings it in through `shared/*.toml`), and so give itself any grant
                help: write a narrower `path`, or deny config by rules of its own: the longest path wins
                .jp.toml:1 `"shared/*.toml"`: this entry brings it in
                fix: Deny writing here
                                  ^^^^^^^^^^^^^^^^^ warning[fs-path-escapes]: access path `deep/../shared/` holds `..`, which is resolved before any link is followed; write `shared`
                fix!: Write `shared`
        "#]],
    );
    granted(
        r#"{ path = "/w/personas/mine", delete = false, write = true }"#,
        &expect![[r#"
            //- /w/.jp/config.toml
            access.fs = [{ path = "/w/personas/mine", delete = false, write = true }]
                                  ^^^^^^^^^^^^^^^^^^ warning[grant-covers-config]: this rule lets tool `shell` create `personas/mine/new.toml` (a person can pick it below the load path `personas`), and so give itself any grant
                help: write a narrower `path`, or deny config by rules of its own: the longest path wins
                .jp/config.toml:2 `"personas"`: files below this path can be picked
                fix: Deny writing here
                                  ^^^^^^^^^^^^^^^^^^ warning[fs-path-absolute]: access path `/w/personas/mine` holds on this machine only; write `personas/mine`
                fix!: Write `personas/mine`
        "#]],
    );
    granted(
        r#"{ path = ".jp/tools/a/b", write = true }"#,
        &expect![[r#"
            //- /w/.jp/config.toml
            access.fs = [{ path = ".jp/tools/a/b", write = true }]
                                  ^^^^^^^^^^^^^^^ warning[grant-covers-config]: this rule lets tool `shell` create `.jp/tools/a/b/new.toml` (`extends` brings it in through `tools/**/*.toml`), and so give itself any grant
                help: write a narrower `path`, or deny config by rules of its own: the longest path wins
                .jp/config.toml:1 `"tools/**/*.toml"`: this entry brings it in
                fix: Deny writing here
        "#]],
    );
    granted(
        r#"{ path = ".", write = true }, { path = ".jp", read = true }, { path = "shared" }, { path = "personas" }, { path = "deep" }"#,
        &expect![[r#"
            //- /w/.jp/config.toml
            access.fs = [{ path = ".", write = true }, { path = ".jp", read = true }, { path = "shared" }, { path = "personas" }, { path = "deep" }]
                                  ^^^ warning[grant-covers-config]: this rule lets tool `shell` change `.jp.toml` (`jp` reads it at every start), and so give itself any grant
                help: write a narrower `path`, or deny config by rules of its own: the longest path wins
                fix: Deny writing config, by rules of its own
                fix: Deny writing here
        "#]],
    );
}

#[test]
fn a_grant_that_does_not_reach_config_is_silent() {
    for rules in [
        r#"{ path = ".", read = true, execute = true }"#,
        r#"{ path = "src", write = true }, { path = "docs", create = true }"#,
        r#"{ path = ".jp/plans", write = true }"#,
        r#"{ path = "deep", create = true }"#,
        r#"{ path = "shared/notes", write = true }, { path = "shared/base.txt", write = true }"#,
        r#"
    { path = ".", write = true },
    { path = ".jp" },
    { path = ".jp.toml" },
    { path = "shared" }, { path = "personas" }, { path = "deep/one.toml" },
"#,
    ] {
        granted(rules, &expect![[""]]);
    }
    // The last of two rules for one path decides.
    granted(
        r#"{ path = ".jp", write = true }, { path = "./.jp/", read = true }"#,
        &expect![[r#"
            //- /w/.jp/config.toml
            access.fs = [{ path = ".jp", write = true }, { path = "./.jp/", read = true }]
                                  ^^^^^ warning[rule-never-wins]: this rule never decides: a later rule is for `.jp` too, and the last one wins
                help: remove one of the two, or change its `path`
                .jp/config.toml:6 `"./.jp/"`: this rule decides instead
                fix: Remove this rule, which decides nothing
                fix: Remove the later rule: this one decides then
        "#]],
    );
}

#[test]
fn a_tool_without_rules_for_files_may_write_config() {
    let unrestricted = |lines: &str, expected: &Expect| {
        check(
            &tool(&format!("command = \"sh {{{{tool}}}}\"\n{lines}")),
            expected,
        );
    };
    unrestricted(
        "run = \"unattended\"",
        &expect![[r#"
        //- /w/.jp/config.toml
        source = "local"
                 ^^^^^^^ information[grant-covers-config]: tool `shell` has no `access.fs`, so it may change `.jp/config.toml` (`jp` reads it at every start) and 6 more places of config without asking, and so give itself any grant
            help: declare what it may write in `access.fs`; what no rule grants is denied then
            .jp.toml:1 `"shared/*.toml"`: this entry brings it in
            shared/base.toml:1 `"../deep/one.toml"`: this entry brings it in
            .jp/config.toml:1 `"tools/**/*.toml"`: this entry brings it in
            fix: Grant everything but writing config
    "#]],
    );
    unrestricted("run = \"ask\"", &expect![[""]]);
    unrestricted(
        "policy.run = [{ arg = \"/a\", const = 1, mode = \"unattended\" }, { mode = \"ask\" }]\nparameters.a.type = \"integer\"",
        &expect![[""]],
    );
    unrestricted(
        "access.fs = [{ path = \".jp\", write = true }]\npolicy.run = [{ arg = \"/a\", const = 1, mode = \"unattended\" }, { mode = \"ask\" }]\nparameters.a.type = \"integer\"",
        &expect![[r#"
            //- /w/.jp/config.toml
            access.fs = [{ path = ".jp", write = true }]
                                  ^^^^^ warning[grant-covers-config]: this rule lets tool `shell` change `.jp/config.toml` (`jp` reads it at every start) and one more place of config without asking, and so give itself any grant
                help: write a narrower `path`, or deny config by rules of its own: the longest path wins
                .jp/config.toml:1 `"tools/**/*.toml"`: this entry brings it in
                fix: Deny writing here
        "#]],
    );
    let elsewhere = tool("run = \"unattended\"").replace("\"local\"", "\"builtin\"");
    check(&elsewhere, &expect![[""]]);
}

#[test]
fn bundled_tools_keep_config_closed_until_a_rule_names_it() {
    let bundled = |name: &str, access: &str, expected: &Expect| {
        let lines = format!("command = \"jp-fs-tools {{{{context}}}} {{{{tool}}}}\"\n{access}");
        let fixture = tool(&lines).replace("tools.shell", &format!("tools.{name}"));
        check(&fixture, expected);
    };
    bundled(
        "fs_modify_file",
        r#"access.fs = [{ path = "src", write = true }, { path = ".", read = true }]"#,
        &expect![[""]],
    );
    bundled(
        "fs_modify_file",
        r#"access.fs = [{ path = "deep", write = true }]"#,
        &expect![[""]],
    );
    bundled("fs_read_file", "run = \"unattended\"", &expect![[""]]);
    bundled(
        "fs_create_file",
        r#"access.fs = [{ path = ".", write = true }]"#,
        &expect![[r#"
            //- /w/.jp/config.toml
            access.fs = [{ path = ".", write = true }]
                                  ^^^ warning[grant-covers-config]: this rule lets tool `fs_create_file` create `shared/new.toml` (`extends` brings it in through `shared/*.toml`) and one more place of config, and so give itself any grant
                help: write a narrower `path`, or deny config by rules of its own: the longest path wins
                .jp.toml:1 `"shared/*.toml"`: this entry brings it in
                .jp/config.toml:2 `"personas"`: files below this path can be picked
                fix: Deny writing config, by rules of its own
                fix: Deny writing here
        "#]],
    );
    bundled(
        "fs_create_file",
        r#"access.fs = [{ path = ".jp", write = true }]"#,
        &expect![[r#"
            //- /w/.jp/config.toml
            access.fs = [{ path = ".jp", write = true }]
                                  ^^^^^ warning[grant-covers-config]: this rule lets tool `fs_create_file` change `.jp/config.toml` (`jp` reads it at every start) and one more place of config, and so give itself any grant
                help: write a narrower `path`, or deny config by rules of its own: the longest path wins
                .jp/config.toml:1 `"tools/**/*.toml"`: this entry brings it in
                fix: Deny writing here
        "#]],
    );
    bundled(
        "fs_create_file",
        r#"access.fs = [{ path = "deep/one.toml", write = true }]"#,
        &expect![[r#"
            //- /w/.jp/config.toml
            access.fs = [{ path = "deep/one.toml", write = true }]
                                  ^^^^^^^^^^^^^^^ warning[grant-covers-config]: this rule lets tool `fs_create_file` change `deep/one.toml` (it is config already), and so give itself any grant
                help: write a narrower `path`, or deny config by rules of its own: the longest path wins
                shared/base.toml:1 `"../deep/one.toml"`: this entry brings it in
                .jp.toml:1 `"shared/*.toml"`: this entry brings it in
                fix: Deny writing here
        "#]],
    );
    bundled(
        "fs_create_file",
        "",
        &expect![[r#"
        //- /w/.jp/config.toml
        source = "local"
                 ^^^^^^^ warning[grant-covers-config]: tool `fs_create_file` has no `access.fs`, so it may create `shared/new.toml` (`extends` brings it in through `shared/*.toml`) and one more place of config, and so give itself any grant
            help: declare what it may write in `access.fs`; what no rule grants is denied then
            .jp.toml:1 `"shared/*.toml"`: this entry brings it in
            .jp/config.toml:2 `"personas"`: files below this path can be picked
            fix: Grant everything but writing config
    "#]],
    );
}

#[test]
fn fixes_close_config() {
    let fix = |lines: &str, fix: usize, expected: &Expect| {
        let fixture = format!(
            "//- /w/.jp/config.toml\n[conversation.tools.shell]\nsource = \"local\"\ncommand = \"sh {{{{tool}}}}\"\n{lines}\n"
        );
        check_fix(&fixture, Code::GrantCoversConfig, fix, expected);
    };
    fix(
        "access.fs = [\n    { path = \".\", read = true, write = true }, # all\n]",
        0,
        &expect![[r#"
            [conversation.tools.shell]
            source = "local"
            command = "sh {{tool}}"
            access.fs = [
                { path = ".", read = true, write = true }, # all
                { path = ".jp", read = true },
                { path = ".jp.json", read = true },
                { path = ".jp.toml", read = true },
                { path = ".jp.yaml", read = true },
                { path = ".jp.yml", read = true },
            ]
        "#]],
    );
    fix(
        "[[conversation.tools.shell.access.fs]]\npath = \".\"\nwrite = true\nexecute = true",
        0,
        &expect![[r#"
            [conversation.tools.shell]
            source = "local"
            command = "sh {{tool}}"
            [[conversation.tools.shell.access.fs]]
            path = "."
            write = true
            execute = true

            [[conversation.tools.shell.access.fs]]
            path = ".jp"
            execute = true

            [[conversation.tools.shell.access.fs]]
            path = ".jp.json"
            execute = true

            [[conversation.tools.shell.access.fs]]
            path = ".jp.toml"
            execute = true

            [[conversation.tools.shell.access.fs]]
            path = ".jp.yaml"
            execute = true

            [[conversation.tools.shell.access.fs]]
            path = ".jp.yml"
            execute = true
        "#]],
    );
    fix(
        "access.fs = [{ path = \".jp\", read = true, create = true, delete = true }]",
        0,
        &expect![[r#"
            [conversation.tools.shell]
            source = "local"
            command = "sh {{tool}}"
            access.fs = [{ path = ".jp", read = true, create = false, delete = false }]
        "#]],
    );
    fix(
        "run = \"unattended\"",
        0,
        &expect![[r#"
        [conversation.tools.shell]
        source = "local"
        access.fs = [{ path = ".", read = true, write = true, execute = true }, { path = ".jp", read = true, execute = true }, { path = ".jp.json", read = true, execute = true }, { path = ".jp.toml", read = true, execute = true }, { path = ".jp.yaml", read = true, execute = true }, { path = ".jp.yml", read = true, execute = true }]
        command = "sh {{tool}}"
        run = "unattended"
    "#]],
    );
}
