use expect_test::{Expect, expect};
use jp_config::memory::MemoryFiles;
use pretty_assertions::assert_eq;

use crate::{
    Code,
    fixture::{analyse, check, check_fix},
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
                                  ^^^ warning[grant-covers-config]: this rule lets tool `shell` change `.jp/config.toml` (`jp` reads it at every start) and 7 more places of config, and so give itself any grant
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
                                  ^^^^^^^^^^^^^^^^^ warning[grant-covers-config]: this rule lets tool `shell` create `shared/new.toml` (`extends` brings it in through `shared/*.toml`) and one more place of config, and so give itself any grant
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
                                  ^^^^^^^^^^^^^^^^^^ warning[grant-covers-config]: this rule lets tool `shell` create `personas/mine/new.toml` (a person can pick it below the load path `personas`) and one more place of config, and so give itself any grant
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
                                  ^^^ warning[grant-covers-config]: this rule lets tool `shell` change `.jp.toml` (`jp` reads it at every start) and one more place of config, and so give itself any grant
                help: write a narrower `path`, or deny config by rules of its own: the longest path wins
                fix: Deny writing config, by rules of its own
                fix: Deny writing here
        "#]],
    );
}

/// What is said of the rules of a tool, each with its severity.
fn said(rules: &str) -> Vec<String> {
    let lines = format!("command = \"sh {{{{tool}}}}\"\naccess.fs = [{rules}]");
    let analysis = analyse(&MemoryFiles::from_fixture(&tool(&lines)));
    let found = analysis
        .all_diagnostics()
        .flat_map(|(_, found)| found.iter());
    found
        .map(|finding| format!("{} {}", finding.severity.as_str(), finding.message))
        .collect()
}

#[test]
fn a_grant_on_a_folder_reaches_the_config_of_whoever_starts_jp_there() {
    granted(
        r#"{ path = "src", write = true }"#,
        &expect![[r#"
        //- /w/.jp/config.toml
        access.fs = [{ path = "src", write = true }]
                              ^^^^^ information[grant-covers-config]: this rule lets tool `shell` create `src/.jp.toml` (`jp` reads it when started in that folder), and so give itself any grant
            help: grant single files, or leave the writing to the bundled file tools, which keep config closed in every folder
            fix: Deny writing here
    "#]],
    );
    for (rules, file) in [
        (r#"{ path = "deep", create = true }"#, "deep/.jp.toml"),
        (
            r#"{ path = "shared/notes", write = true }"#,
            "shared/notes/.jp.toml",
        ),
        (r#"{ path = "v1.2", write = true }"#, "v1.2/.jp.toml"),
        (
            r#"{ path = "src", write = true }, { path = "src/.jp.toml" }"#,
            "src/.jp.json",
        ),
        (
            r#"{ path = "src", write = true }, { path = "src/.jp.toml" }, { path = "src/.jp.json" }, { path = "src/.jp.yaml" }, { path = "src/.jp.yml" }"#,
            "src/new/.jp.toml",
        ),
        (
            r#"{ path = "src/.jp", create = true }"#,
            "src/.jp/config.toml",
        ),
        (
            r#"{ path = "src/.jp/config.yaml", create = true }"#,
            "src/.jp/config.yaml",
        ),
        (
            r#"{ path = "src/a/.jp.json", create = true }"#,
            "src/a/.jp.json",
        ),
        (
            r#"{ path = ".", write = true }, { path = ".jp" }, { path = ".jp.toml" }, { path = "shared" }, { path = "personas" }, { path = "deep/one.toml" }"#,
            "new/.jp.toml",
        ),
    ] {
        assert_eq!(
            said(rules),
            [format!(
                "information this rule lets tool `shell` create `{file}` (`jp` reads it when started in that folder), and so give itself any grant"
            )]
        );
    }
}

#[test]
fn a_grant_that_does_not_reach_config_is_silent() {
    for rules in [
        r#"{ path = ".", read = true, execute = true }"#,
        r#"{ path = "src", update = true, delete = true }"#,
        r#"{ path = "src/main.rs", write = true }, { path = "docs/Makefile", create = true }"#,
        r#"{ path = "shared/base.txt", write = true }"#,
        r#"{ path = ".jp/plans", write = true }, { path = ".git", write = true }"#,
        r#"{ path = "src/.jp/plans", write = true }, { path = "src/.vscode", write = true }"#,
    ] {
        assert_eq!(said(rules), Vec::<String>::new());
    }
    // The last of two rules for one path decides.
    for path in [".jp", "src"] {
        assert_eq!(
            said(&format!(
                "{{ path = \"{path}\", write = true }}, {{ path = \"./{path}/\", read = true }}"
            )),
            [format!(
                "warning this rule never decides: a later rule is for `{path}` too, and the last one wins"
            )]
        );
    }
}

#[test]
fn of_many_places_of_config_as_many_are_counted_as_a_person_reads() {
    let files: String = (0..80)
        .map(|number| format!("//- /w/conf/{number}.toml\nstyle.code.color = true\n"))
        .collect();
    let workspace = |rules: &str| {
        format!(
            r#"//- /w/.jp.toml
extends = ["conf/*.toml"]
[conversation.tools.shell]
source = "local"
command = "sh {{{{tool}}}}"
access.fs = [{rules}]
{files}"#
        )
    };
    let said = |rules: &str, expected: &Expect| check(&workspace(rules), expected);
    said(
        r#"{ path = ".", write = true }"#,
        &expect![[r#"
        //- /w/.jp.toml
        access.fs = [{ path = ".", write = true }]
                              ^^^ warning[grant-covers-config]: this rule lets tool `shell` change `.jp.toml` (`jp` reads it at every start) and more places of config, and so give itself any grant
            help: write a narrower `path`, or deny config by rules of its own: the longest path wins
            .jp.toml:1 `"conf/*.toml"`: this entry brings it in
            fix: Deny writing here
    "#]],
    );
    said(
        r#"{ path = "conf", update = true }, { path = "conf/7.toml" }"#,
        &expect![[r#"
            //- /w/.jp.toml
            access.fs = [{ path = "conf", update = true }, { path = "conf/7.toml" }]
                                  ^^^^^^ warning[grant-covers-config]: this rule lets tool `shell` change `conf/0.toml` (it is config already) and more places of config, and so give itself any grant
                help: write a narrower `path`, or deny config by rules of its own: the longest path wins
                .jp.toml:1 `"conf/*.toml"`: this entry brings it in
                fix: Deny writing here
        "#]],
    );
    said(
        r#"{ path = ".", write = true }, { path = "conf" }, { path = ".jp" }"#,
        &expect![[r#"
            //- /w/.jp.toml
            access.fs = [{ path = ".", write = true }, { path = "conf" }, { path = ".jp" }]
                                  ^^^ warning[grant-covers-config]: this rule lets tool `shell` change `.jp.toml` (`jp` reads it at every start) and one more place of config, and so give itself any grant
                help: write a narrower `path`, or deny config by rules of its own: the longest path wins
                fix: Deny writing config, by rules of its own
                fix: Deny writing here
        "#]],
    );
    said(
        r#"{ path = "conf", read = true }, { path = "conf/7.toml", delete = true }"#,
        &expect![[r#"
            //- /w/.jp.toml
            access.fs = [{ path = "conf", read = true }, { path = "conf/7.toml", delete = true }]
                                                                  ^^^^^^^^^^^^^ warning[grant-covers-config]: this rule lets tool `shell` delete `conf/7.toml` (it is config already), and so give itself any grant
                help: write a narrower `path`, or deny config by rules of its own: the longest path wins
                .jp.toml:1 `"conf/*.toml"`: this entry brings it in
                fix: Deny writing here
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
                     ^^^^^^^ information[grant-covers-config]: tool `shell` has no `access.fs`, so it may change `.jp/config.toml` (`jp` reads it at every start) and 7 more places of config without asking, and so give itself any grant
                help: declare what it may write in `access.fs`; what no rule grants is denied then
                .jp.toml:1 `"shared/*.toml"`: this entry brings it in
                shared/base.toml:1 `"../deep/one.toml"`: this entry brings it in
                .jp/config.toml:1 `"tools/**/*.toml"`: this entry brings it in
                fix: Grant everything but writing
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
    bundled(
        "fs_modify_file",
        r#"access.fs = [{ path = "shared/notes", create = true }]"#,
        &expect![[""]],
    );
    bundled(
        "fs_modify_file",
        r#"access.fs = [{ path = "src/.jp.toml", create = true }]"#,
        &expect![[r#"
            //- /w/.jp/config.toml
            access.fs = [{ path = "src/.jp.toml", create = true }]
                                  ^^^^^^^^^^^^^^ information[grant-covers-config]: this rule lets tool `fs_modify_file` create `src/.jp.toml` (`jp` reads it when started in that folder), and so give itself any grant
                help: grant single files, or leave the writing to the bundled file tools, which keep config closed in every folder
                fix: Deny writing here
        "#]],
    );
    bundled("fs_read_file", "run = \"unattended\"", &expect![[""]]);
    bundled(
        "fs_create_file",
        r#"access.fs = [{ path = ".", write = true }]"#,
        &expect![[r#"
            //- /w/.jp/config.toml
            access.fs = [{ path = ".", write = true }]
                                  ^^^ warning[grant-covers-config]: this rule lets tool `fs_create_file` create `personas/new.toml` (a person can pick it below the load path `personas`), and so give itself any grant
                help: write a narrower `path`, or deny config by rules of its own: the longest path wins
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
                     ^^^^^^^ warning[grant-covers-config]: tool `fs_create_file` has no `access.fs`, so it may create `personas/new.toml` (a person can pick it below the load path `personas`), and so give itself any grant
                help: declare what it may write in `access.fs`; what no rule grants is denied then
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
        "access.fs = [{ path = \"src\", write = true }]",
        0,
        &expect![[r#"
            [conversation.tools.shell]
            source = "local"
            command = "sh {{tool}}"
            access.fs = [{ path = "src", write = false }]
        "#]],
    );
    fix(
        "run = \"unattended\"",
        0,
        &expect![[r#"
            [conversation.tools.shell]
            source = "local"
            access.fs = [{ path = ".", read = true, execute = true }]
            command = "sh {{tool}}"
            run = "unattended"
        "#]],
    );
}
