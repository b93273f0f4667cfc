//! What `jp-lsp check` says of small workspaces on disk, through the real binary.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a run that cannot be prepared fails the test"
)]

mod program;

use std::{fmt::Write as _, fs, process::Command};

use camino::Utf8Path;
use expect_test::expect;
use pretty_assertions::assert_eq;
use serde_json::Value;

use program::program;

/// Writes the files, which start at lines like `//- .jp/config.toml`, checks the folder, and answers the code of the exit and every finding.
fn report(fixture: &str, options: &[&str]) -> String {
    let home = tempfile::tempdir().unwrap();
    let root = Utf8Path::from_path(home.path()).unwrap().join("w");
    for file in fixture.split("//- ").skip(1) {
        let (name, text) = file.split_once('\n').unwrap();
        let path = root.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    let output = Command::new(program())
        .args(["check", "--format", "json"])
        .args(options)
        .env("JP_GLOBAL_CONFIG_DIR", home.path().join("none"))
        .env("JP_LSP_DATA_DIR", home.path().join("data"))
        .current_dir(&root)
        .output()
        .unwrap();
    let findings: Vec<Value> = serde_json::from_slice(&output.stdout).unwrap();
    let mut report = format!("exit {}\n", output.status.code().unwrap());
    for finding in findings {
        let text = |key: &str| finding[key].as_str().unwrap().to_owned();
        writeln!(
            report,
            "{}:{}: {}[{}]: {}",
            text("path"),
            finding["range"]["start"]["line"].as_u64().unwrap() + 1,
            text("severity"),
            text("code"),
            text("message")
        )
        .unwrap();
    }
    report
}

#[test]
fn a_second_way_to_a_file_hides_nothing() {
    let fragment = r#"//- .jp/config.toml
config_load_paths = ["frag"]
//- frag/a.toml
[conversation.tools.edit]
source = "local"
command = "edit"
access.config = [{ path = "conversation.tools.*.access", write = true }]
policy.run = [
    { arg = "/path", prefix = "src", mode = "unattended" },
    { arg = "/path", const = "src/lib.rs", mode = "skip" },
    { mode = "ask" },
]
parameters.path.type = "path"
"#;
    let once = report(fragment, &[]);
    expect![[r#"
        exit 1
        frag/a.toml:4: error[sensitive-write]: tool `edit` grants `write = true` to path `conversation.tools.*.access`, which is a sensitive path; use `write = "insecure_allow"` to explicitly acknowledge this grant
        frag/a.toml:7: error[rule-shadowed]: this rule never decides: rule 1 (`prefix = "src"`) decides every call it matches, with `unattended` instead of `skip`
    "#]]
    .assert_eq(&once);
    for extends in [
        r#""a.toml", "a.toml""#,
        r#""a.toml", "a*.toml""#,
        r#""a.toml", { path = "a.toml", strategy = "after" }"#,
        r#""b/left.toml", "b/right.toml""#,
    ] {
        let diamond = format!(
            "{fragment}//- frag/b/left.toml\nextends = [\"../a.toml\"]\n//- frag/b/right.toml\nextends = [\"../a.toml\"]\n//- frag/c.toml\nextends = [{extends}]\n"
        );
        assert_eq!(report(&diamond, &[]), once, "{extends}");
    }
}

#[test]
fn what_a_model_writes_is_no_option_and_no_code() {
    let fixture = r#"//- .jp/config.toml
[conversation.tools.search]
source = "local"
command = "git grep -n {{tool.arguments.text}} ."
parameters.text.type = "string"

[conversation.tools.say]
source = "local"
command = { program = "sh", args = ["-c", "echo {{tool.arguments.text}}"] }
parameters.text.type = "string"

[conversation.tools.compute]
source = "local"
command = { program = "python3", args = ["-c", "print({{tool.arguments.text}})"] }
parameters.text.type = "string"

[conversation.tools.sound]
source = "local"
command = "git grep -n -e {{tool.arguments.text}} -- ."
parameters.text.type = "string"
access.fs = [{ path = ".", read = true }]
"#;
    expect![[r#"
        exit 0
        .jp/config.toml:3: warning[command-template]: what `{{tool.arguments.text}}` holds may begin with `-`, and `git` would take it for an option; write `-e` before it, or join it to its option as in `--option={{tool.arguments.text}}`
        .jp/config.toml:8: warning[command-template]: what `{{tool.arguments.text}}` holds becomes a part of the code that `sh -c` runs, so it can run any command; pass it as an argument of its own behind the code
        .jp/config.toml:13: warning[command-template]: what `{{tool.arguments.text}}` holds becomes a part of the code that `python3 -c` runs, so it can run any command; pass it as an argument of its own behind the code
    "#]].assert_eq(&report(fixture, &[]));
}

#[test]
fn templates_are_judged_by_what_renders_them() {
    let fixture = r#"//- .jp/config.toml
[conversation.tools.list]
source = "local"
command = { program = "ls", args = ["--", "{{ tool.arguments.path | uper }}", "{{ tool.arguments.gone | default('.') }}", "{% include 'more' %}"] }
parameters.path.type = "string"
access.fs = [{ path = ".", read = true }]
"#;
    expect![[r#"
        exit 0
        .jp/config.toml:3: warning[command-template]: there is no filter `uper`, and every call fails; did you mean `upper`?
        .jp/config.toml:3: warning[command-template]: a command has no other templates that `include` could bring in, and every call fails; write the text here
    "#]].assert_eq(&report(fixture, &[]));
}

#[test]
fn a_grant_over_config_is_a_grant_of_anything() {
    let fixture = r#"//- .jp/config.toml
extends = ["tools/*.toml", "../shared/**/*.toml"]
config_load_paths = ["personas"]

[conversation.tools.wide]
source = "local"
command = "wide {{tool}}"
access.fs = [{ path = ".", write = true }]

[conversation.tools.narrow]
source = "local"
command = "narrow {{tool}}"
access.fs = [{ path = "src", write = true }]

[conversation.tools.bundled]
source = "local.fs_create_file"
command = "jp-fs-tools {{context}} {{tool}}"
access.fs = [{ path = ".", write = true }, { path = "personas", read = true }, { path = "shared", read = true }]

[conversation.tools.unrestricted]
source = "local"
command = "unrestricted {{tool}}"
run = "unattended"
//- .jp/tools/given.toml
[conversation.tools.given]
source = "local"
command = "given {{tool}}"
access.fs = [{ path = ".jp/tools", create = true }]
//- shared/a/one.toml
style.reasoning.display = "full"
[conversation.tools.given]
access.fs = [{ path = "shared/a", create = true }]
"#;
    expect![[r#"
        exit 0
        .jp/config.toml:7: warning[grant-covers-config]: this rule lets tool `wide` change `.jp/config.toml` (`jp` reads it at every start) and 7 more places of config, and so give itself any grant
        .jp/config.toml:12: information[grant-covers-config]: this rule lets tool `narrow` create `src/.jp.toml` (`jp` reads it when started in that folder), and so give itself any grant
        .jp/config.toml:20: information[grant-covers-config]: tool `unrestricted` has no `access.fs`, so it may change `.jp/config.toml` (`jp` reads it at every start) and 7 more places of config without asking, and so give itself any grant
        .jp/tools/given.toml:4: warning[grant-covers-config]: this rule lets tool `given` create `.jp/tools/new.toml` (`extends` brings it in through `tools/*.toml`), and so give itself any grant
        shared/a/one.toml:3: warning[grant-covers-config]: this rule lets tool `given` create `shared/a/new.toml` (`extends` brings it in through `../shared/**/*.toml`) and one more place of config, and so give itself any grant
    "#]].assert_eq(&report(fixture, &[]));
}

#[test]
fn a_tool_that_writes_what_runs_is_reported() {
    let fixture = r#"//- .jp/config.toml
extends = ["tools/*.toml"]

[providers.mcp.docs]
type = "stdio"
command = "node"
arguments = ["--require", "./hook.js", "srv/docs.mjs"]

[conversation.tools.edit]
source = "local"
command = "edit {{tool}}"
access.fs = [{ path = "srv", write = true }, { path = "tools", write = true }, { path = ".envrc", create = true }]
parameters.path = { type = "path", required = true }
policy.run = [
    { arg = "/path", prefix = "srv", mode = "ask" },
    { arg = "/path", prefix = ".", mode = "unattended" },
    { mode = "ask" },
]
//- .jp/tools/lint.toml
[conversation.tools.lint]
source = "local"
command = { program = "cd tools && ./lint.sh", args = ["{{tool}}"], shell = true }
run = "unattended"
//- .jp/tools/asks.toml
[conversation.tools.asks]
source = "local"
command = "python3 tools/asks.py"
//- tools/lint.sh
#!/bin/sh
"#;
    expect![[r#"
        exit 0
        .jp/config.toml:11: information[grant-covers-config]: this rule lets tool `edit` create `srv/.jp.toml` (`jp` reads it when started in that folder) without asking, and so give itself any grant
        .jp/config.toml:11: warning[self-escalation]: this rule lets tool `edit` change `tools/lint.sh` without asking, which tool `lint` runs without asking: nothing restricts what `lint` may then write
        .jp/config.toml:11: information[grant-covers-config]: this rule lets tool `edit` create `tools/.jp.toml` (`jp` reads it when started in that folder) without asking, and so give itself any grant
        .jp/config.toml:11: warning[self-escalation]: this rule lets tool `edit` create `.envrc` without asking, which `direnv` may run of itself
        .jp/tools/lint.toml:2: information[grant-covers-config]: tool `lint` has no `access.fs`, so it may change `.jp/config.toml` (`jp` reads it at every start) and 5 more places of config without asking, and so give itself any grant
    "#]].assert_eq(&report(fixture, &[]));
}
