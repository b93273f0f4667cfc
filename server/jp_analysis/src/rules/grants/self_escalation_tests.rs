#[path = "self_escalation_tests/two_tools.rs"]
mod two_tools;

use std::{fmt::Write as _, sync::Arc};

use expect_test::{Expect, expect};
use jp_config::{
    graph::{Graph, Roots},
    memory::MemoryFiles,
};
use pretty_assertions::assert_eq;

use crate::{
    Analysis, Code, Options, Place,
    fixture::{analyse, check_fix},
};

/// Compares the findings of this rule alone: what `grant-covers-config` says beside it has tests of its own.
#[track_caller]
fn check(fixture: &str, expected: &Expect) {
    let files = MemoryFiles::from_fixture(fixture);
    let analysis = analyse(&files);
    let text = |place: Place| {
        let path = analysis.graph().path(place.file);
        let text = files.text(path).unwrap_or_default();
        text.get(place.span.range()).unwrap_or_default().to_owned()
    };
    let found = analysis
        .all_diagnostics()
        .flat_map(|(_, found)| found.iter());
    let mut shown = String::new();
    for finding in found.filter(|finding| finding.code == Code::SelfEscalation) {
        let severity = finding.severity.as_str();
        let _ = writeln!(
            shown,
            "{}: {severity}: {}",
            text(finding.place),
            finding.message
        );
        let _ = writeln!(
            shown,
            "    help: {}",
            finding.help.as_deref().unwrap_or_default()
        );
        for related in &finding.related {
            let _ = writeln!(shown, "    {}: {}", text(related.place), related.message);
        }
        for fix in &finding.fixes {
            let _ = writeln!(shown, "    fix: {}", fix.title);
        }
    }
    expected.assert_eq(&shown);
}

/// A tool that edits, with what is said of it, and a tool that runs a script unasked.
fn workspace(edit: &str, others: &str) -> String {
    format!(
        r#"//- /w/.jp/config.toml
[conversation.tools.edit]
source = "local"
command = "edit {{{{tool}}}}"
{edit}
{others}
"#
    )
}

const LINT: &str = r#"[conversation.tools.lint]
source = "local"
command = "python3 tools/lint.py"
run = "unattended""#;

#[track_caller]
fn edits(edit: &str, expected: &Expect) {
    check(&workspace(edit, LINT), expected);
}

#[test]
fn the_script_of_another_tool() {
    edits(
        "run = \"unattended\"\naccess.fs = [{ path = \"tools\", read = true, write = true }]",
        &expect![[r#"
            "tools": warning: this rule lets tool `edit` change `tools/lint.py` without asking, which tool `lint` runs without asking: nothing restricts what `lint` may then write
                help: deny these files by rules of their own: the longest path wins
                "unattended": this lets `edit` run without asking
                "python3 tools/lint.py": this runs `tools/lint.py`
                "local": nothing restricts what `lint` writes
                fix: Deny writing what runs, by rules of its own
                fix: Deny writing here
        "#]],
    );
}

#[test]
fn silent_where_a_step_asks() {
    let grants = "access.fs = [{ path = \"tools\", write = true }]";
    edits(grants, &expect![[""]]);
    edits(&format!("run = \"skip\"\n{grants}"), &expect![[""]]);
    let edit = format!("run = \"unattended\"\n{grants}");
    check(
        &workspace(&edit, &LINT.replace("unattended", "ask")),
        &expect![[""]],
    );
    let parameters = "parameters.path = { type = \"path\", required = true }";
    let asks = r#"policy.run = [{ arg = "/path", prefix = "tools", mode = "ask" }, { mode = "unattended" }]"#;
    edits(&format!("{grants}\n{parameters}\n{asks}"), &expect![[""]]);
}

#[test]
fn a_rule_that_nothing_reaches_permits_nothing() {
    let lint = LINT.replace(
        "run = \"unattended\"",
        r#"parameters.fix = { type = "boolean" }
policy.run = [{ arg = "/fix", const = true, mode = "ask" }, { arg = "/fix", const = false, mode = "ask" }, { arg = "/fix", const = true, mode = "unattended" }, { mode = "ask" }]"#,
    );
    let edit = "run = \"unattended\"\naccess.fs = [{ path = \"tools\", write = true }]";
    check(&workspace(edit, &lint), &expect![[""]]);
}

#[test]
fn silent_where_the_grants_do_not_reach() {
    for rules in [
        r#"{ path = "src/deep", write = true }"#,
        r#"{ path = "tools", read = true }"#,
        r#"{ path = "tools", delete = true }"#,
        r#"{ path = "tools", write = true }, { path = "tools/lint.py", read = true }"#,
        r#"{ path = "tools-old", write = true }"#,
    ] {
        edits(
            &format!("run = \"unattended\"\naccess.fs = [{rules}]"),
            &expect![[""]],
        );
    }
}

#[test]
fn the_policy_is_asked_about_the_very_file() {
    let parameters = "parameters.path = { type = \"path\", required = true }";
    let grants = "access.fs = [{ path = \"tools\", write = true }]";
    let rules = r#"policy.run = [{ arg = "/path", prefix = "tools/secret", mode = "ask" }, { arg = "/path", prefix = "tools", mode = "unattended" }, { mode = "ask" }]"#;
    edits(
        &format!("{grants}\n{parameters}\n{rules}"),
        &expect![[r#"
            "tools": warning: this rule lets tool `edit` change `tools/lint.py` without asking, which tool `lint` runs without asking: nothing restricts what `lint` may then write
                help: deny these files by rules of their own: the longest path wins; one call that asks nobody is `{"path":"tools/lint.py"}`
                { arg = "/path", prefix = "tools", mode = "unattended" }: this lets `edit` run without asking
                "python3 tools/lint.py": this runs `tools/lint.py`
                "local": nothing restricts what `lint` writes
                fix: Ask before calls on this file
                fix: Deny writing what runs, by rules of its own
                fix: Deny writing here
        "#]],
    );
}

#[test]
fn replacing_a_script_takes_deleting_and_creating() {
    edits(
        "run = \"unattended\"\naccess.fs = [{ path = \"tools\", create = true, delete = true }]",
        &expect![[r#"
            "tools": warning: this rule lets tool `edit` create `tools/lint.py` without asking, which tool `lint` runs without asking: nothing restricts what `lint` may then write
                help: deny these files by rules of their own: the longest path wins
                "unattended": this lets `edit` run without asking
                "python3 tools/lint.py": this runs `tools/lint.py`
                "local": nothing restricts what `lint` writes
                fix: Deny writing what runs, by rules of its own
                fix: Deny writing here
        "#]],
    );
}

#[test]
fn what_is_not_there_can_be_created() {
    edits(
        "run = \"unattended\"\naccess.fs = [{ path = \"tools\", create = true }]",
        &expect![[r#"
            "tools": information: this rule lets tool `edit` create `tools/lint.py`, if it is not there, without asking, which tool `lint` runs without asking: nothing restricts what `lint` may then write
                help: deny these files by rules of their own: the longest path wins
                "unattended": this lets `edit` run without asking
                "python3 tools/lint.py": this runs `tools/lint.py`
                "local": nothing restricts what `lint` writes
                fix: Deny writing what runs, by rules of its own
                fix: Deny writing here
        "#]],
    );
    let edit = "run = \"unattended\"\naccess.fs = [{ path = \"justfile\", create = true }]";
    let just = LINT.replace("python3 tools/lint.py", "just lint");
    check(
        &workspace(edit, &just),
        &expect![[r#"
            "justfile": warning: this rule lets tool `edit` create `justfile` without asking, which tool `lint` runs without asking: nothing restricts what `lint` may then write
                help: deny these files by rules of their own: the longest path wins
                "unattended": this lets `edit` run without asking
                "just lint": this runs `justfile`
                "local": nothing restricts what `lint` writes
                fix: Deny writing here
        "#]],
    );
}

#[test]
fn hooks_and_servers_and_formatters() {
    check(
        &workspace(
            "run = \"unattended\"\naccess.fs = [{ path = \".git/hooks\", create = true }, { path = \"bin\", write = true }, { path = \"fmt\", write = true }, { path = \".envrc\", update = true }]",
            r#"[providers.mcp.docs]
type = "stdio"
command = "bin/docs-server"
[conversation.tools.show]
source = "local"
command = "show {{tool}}"
style.parameters = "python3 fmt/show.py {{tool}}""#,
        ),
        &expect![[r#"
            ".git/hooks": warning: this rule lets tool `edit` create `.git/hooks/pre-commit` without asking, which `git` may run of itself
                help: deny these files by rules of their own: the longest path wins
                "unattended": this lets `edit` run without asking
                fix: Deny writing here
            "bin": warning: this rule lets tool `edit` change `bin/docs-server` without asking, which runs when MCP server `docs` starts
                help: deny these files by rules of their own: the longest path wins
                "unattended": this lets `edit` run without asking
                "bin/docs-server": this runs `bin/docs-server`
                fix: Deny writing what runs, by rules of its own
                fix: Deny writing here
            "fmt": warning: this rule lets tool `edit` change `fmt/show.py` without asking, which runs whenever arguments of tool `show` are shown
                help: deny these files by rules of their own: the longest path wins
                "unattended": this lets `edit` run without asking
                "python3 fmt/show.py {{tool}}": this runs `fmt/show.py`
                fix: Deny writing what runs, by rules of its own
                fix: Deny writing here
            ".envrc": warning: this rule lets tool `edit` change `.envrc` without asking, which `direnv` may run of itself
                help: deny these files by rules of their own: the longest path wins
                "unattended": this lets `edit` run without asking
                fix: Deny writing here
        "#]],
    );
}

/// A tool that runs this without a question, beside one that may write these places.
fn runs(command: &str, grants: &str, expected: &Expect) {
    let edit = format!("run = \"unattended\"\naccess.fs = [{grants}]");
    let run = LINT.replace("\"python3 tools/lint.py\"", command);
    check(&workspace(&edit, &run), expected);
}

#[test]
fn a_file_that_an_argument_names() {
    let writes = |path: &str| format!("{{ path = \"{path}\", write = true }}");
    for (command, path) in [
        (
            r#"{ program = "bash", args = ["tools/build.sh"] }"#,
            "tools",
        ),
        (r#""make -f ci/rules.mk all""#, "ci/rules.mk"),
        (r#""just --justfile ci/justfile all""#, "ci"),
        (r#""node --require ./ci/hook.js x.js""#, "ci"),
        (r#""eslint --config ci/rules.mjs src""#, "ci"),
        (r#""sh -c '. ci/env.sh'""#, "ci"),
        (r#""npm --prefix web run lint""#, "web/package.json"),
        (r#""cargo check""#, "build.rs"),
        (r#""cargo fmt""#, ".cargo"),
    ] {
        let files = MemoryFiles::from_fixture(&workspace(
            &format!("run = \"unattended\"\naccess.fs = [{}]", writes(path)),
            &LINT.replace("\"python3 tools/lint.py\"", command),
        ));
        let analysis = analyse(&files);
        let mut found = analysis
            .all_diagnostics()
            .flat_map(|(_, found)| found.iter());
        let is_found = found.any(|finding| finding.code == Code::SelfEscalation);
        assert!(is_found, "{command}");
    }
    // Beside it, and where nothing of it is run.
    for (command, path) in [
        (
            r#"{ program = "bash", args = ["tools/build.sh"] }"#,
            "tools/build.sh.bak",
        ),
        (
            r#"{ program = "bash", args = ["tools/build.sh", "src"] }"#,
            "src",
        ),
        (r#""make -f ci/rules.mk all""#, "Makefile"),
        (r#""make -C ci all""#, "Makefile"),
        (r#""ruff check --config ruff.toml""#, "ruff.toml"),
        (r#""cargo fmt""#, "build.rs"),
        (r#""npm ls""#, "package.json"),
        (r#""cat build.rs""#, "build.rs"),
    ] {
        runs(command, &writes(path), &expect![[""]]);
    }
}

#[test]
fn what_a_program_looks_for_may_be_made() {
    runs(
        r#""cargo check""#,
        r#"{ path = ".cargo", create = true }, { path = "Cargo.toml", create = true }"#,
        &expect![[r#"
            ".cargo": warning: this rule lets tool `edit` create `.cargo/config.toml` without asking, which tool `lint` runs without asking: nothing restricts what `lint` may then write
                help: deny these files by rules of their own: the longest path wins
                "unattended": this lets `edit` run without asking
                "cargo check": this runs `.cargo/config.toml`
                "local": nothing restricts what `lint` writes
                fix: Deny writing what runs, by rules of its own
                fix: Deny writing here
            "Cargo.toml": information: this rule lets tool `edit` create `Cargo.toml`, if it is not there, without asking, which tool `lint` runs without asking: nothing restricts what `lint` may then write
                help: deny these files by rules of their own: the longest path wins
                "unattended": this lets `edit` run without asking
                "cargo check": this runs `Cargo.toml`
                "local": nothing restricts what `lint` writes
                fix: Deny writing here
        "#]],
    );
}

#[test]
fn its_own_program_counts() {
    check(
        &workspace("", "").replace(
            "command = \"edit {{tool}}\"\n",
            "command = \"bin/edit {{tool}}\"\nrun = \"unattended\"\naccess.fs = [{ path = \"bin\", write = true }]\n",
        ),
        &expect![[r#"
            "bin": warning: this rule lets tool `edit` change `bin/edit` without asking, which tool `edit` runs without asking
                help: deny these files by rules of their own: the longest path wins
                "unattended": this lets `edit` run without asking
                "bin/edit {{tool}}": this runs `bin/edit`
                fix: Deny writing what runs, by rules of its own
                fix: Deny writing here
        "#]],
    );
}

#[test]
fn grants_on_grants() {
    edits(
        "run = \"unattended\"\naccess.config = [{ path = \"conversation.tools.edit.access\", write = \"insecure_allow\", apply = \"unattended\" }]",
        &expect![[r#"
            "unattended": warning: tool `edit` may change `conversation.tools.edit.access` without asking, and so give itself or another tool any grant
                help: write `apply = "ask"`, so that a person sees each change
                "unattended": this lets it run without asking
                fix: Ask before each change: `apply = "ask"`
        "#]],
    );
    edits(
        "access.config = [{ path = \"conversation.tools.edit.access\", write = \"insecure_allow\", apply = \"unattended\" }]",
        &expect![[""]],
    );
}

#[test]
fn what_nothing_restricts() {
    let parameters = "parameters.path = { type = \"path\", required = true }";
    let rules = r#"policy.run = [{ arg = "/path", prefix = ".env", mode = "ask" }, { mode = "unattended" }]"#;
    edits(
        &format!("{parameters}\n{rules}"),
        &expect![[r#"
            "local": information: nothing restricts what tool `edit` writes: it may change `.jp/config.toml` without asking, which is config (`jp` reads it at every start), and there are 4 more ways to run what it likes
                help: declare what it may write in `access.fs`, or let calls on these files ask; one call that asks nobody is `{"path":".jp/config.toml"}`
                { mode = "unattended" }: this lets `edit` run without asking
                fix: Ask before calls on these files
        "#]],
    );
    let rules = r#"policy.run = [{ arg = "/path", prefix = "src", mode = "unattended" }, { mode = "ask" }]"#;
    edits(&format!("{parameters}\n{rules}"), &expect![[""]]);
}

#[test]
fn the_bundled_tools_keep_hooks_closed() {
    let bundled = |grants: &str| {
        workspace("", LINT).replace(
            "command = \"edit {{tool}}\"\n",
            &format!("command = \"jp-fs-tools {{{{tool}}}}\"\nrun = \"unattended\"\n{grants}\n"),
        )
    };
    check(
        &bundled(""),
        &expect![[r#"
            "local": warning: nothing restricts what tool `edit` writes: it may change `tools/lint.py` without asking, which tool `lint` runs without asking
                help: declare what it may write in `access.fs`, or let calls on these files ask
                "unattended": this lets `edit` run without asking
                "python3 tools/lint.py": this runs `tools/lint.py`
        "#]],
    );
    check(
        &bundled(r#"access.fs = [{ path = ".git", create = true }]"#),
        &expect![[r#"
            ".git": warning: this rule lets tool `edit` create `.git/config` without asking, which `git` may run of itself
                help: deny these files by rules of their own: the longest path wins
                "unattended": this lets `edit` run without asking
                fix: Deny writing here
        "#]],
    );
}

#[test]
fn fixes() {
    let fixture = workspace(
        "run = \"unattended\"\naccess.fs = [{ path = \"tools\", read = true, write = true }]",
        LINT,
    );
    check_fix(
        &fixture,
        Code::SelfEscalation,
        0,
        &expect![[r#"
        [conversation.tools.edit]
        source = "local"
        command = "edit {{tool}}"
        run = "unattended"
        access.fs = [{ path = "tools", read = true, write = true }, { path = "tools/lint.py", read = true }]
        [conversation.tools.lint]
        source = "local"
        command = "python3 tools/lint.py"
        run = "unattended"
    "#]],
    );
    check_fix(
        &fixture,
        Code::SelfEscalation,
        1,
        &expect![[r#"
        [conversation.tools.edit]
        source = "local"
        command = "edit {{tool}}"
        run = "unattended"
        access.fs = [{ path = "tools", read = true, write = false }]
        [conversation.tools.lint]
        source = "local"
        command = "python3 tools/lint.py"
        run = "unattended"
    "#]],
    );
    let fixture = workspace(
        "run = \"unattended\"\naccess.config = [{ path = \"conversation.tools.edit.access\", write = \"insecure_allow\", apply = \"unattended\" }]",
        LINT,
    );
    check_fix(
        &fixture,
        Code::SelfEscalation,
        0,
        &expect![[r#"
        [conversation.tools.edit]
        source = "local"
        command = "edit {{tool}}"
        run = "unattended"
        access.config = [{ path = "conversation.tools.edit.access", write = "insecure_allow", apply = "ask" }]
        [conversation.tools.lint]
        source = "local"
        command = "python3 tools/lint.py"
        run = "unattended"
    "#]],
    );
}

#[test]
fn a_fix_that_asks_stands_before_the_first_rule_that_lets_calls_run() {
    let parameters = "parameters.path = { type = \"path\", required = true }\nparameters.to = { type = \"path\" }";
    let grants = "access.fs = [{ path = \"tools\", read = true, write = true }]";
    let fixture = workspace(
        &format!("{parameters}\nrun = \"unattended\"\n{grants}"),
        LINT,
    );
    check_fix(
        &fixture,
        Code::SelfEscalation,
        0,
        &expect![[r#"
        [conversation.tools.edit]
        source = "local"
        command = "edit {{tool}}"
        parameters.path = { type = "path", required = true }
        parameters.to = { type = "path" }
        policy.run = [{ arg = "/path", prefix = "tools/lint.py", mode = "ask" }, { arg = "/to", prefix = "tools/lint.py", mode = "ask" }, { mode = "unattended" }]
        access.fs = [{ path = "tools", read = true, write = true }]
        [conversation.tools.lint]
        source = "local"
        command = "python3 tools/lint.py"
        run = "unattended"
    "#]],
    );
    let rules = r#"policy.run = [
    { arg = "/path", prefix = "tools/secret", mode = "skip" },
    # what is left of the tools
    { arg = "/path", prefix = "tools", mode = "unattended" },
    { mode = "unattended" },
]"#;
    let fixture = workspace(&format!("{parameters}\n{rules}\n{grants}"), LINT);
    check_fix(
        &fixture,
        Code::SelfEscalation,
        0,
        &expect![[r#"
        [conversation.tools.edit]
        source = "local"
        command = "edit {{tool}}"
        parameters.path = { type = "path", required = true }
        parameters.to = { type = "path" }
        policy.run = [
            { arg = "/path", prefix = "tools/secret", mode = "skip" },
            { arg = "/path", prefix = "tools/lint.py", mode = "ask" },
            { arg = "/to", prefix = "tools/lint.py", mode = "ask" },
            # what is left of the tools
            { arg = "/path", prefix = "tools", mode = "unattended" },
            { mode = "unattended" },
        ]
        access.fs = [{ path = "tools", read = true, write = true }]
        [conversation.tools.lint]
        source = "local"
        command = "python3 tools/lint.py"
        run = "unattended"
    "#]],
    );
}

#[test]
fn no_fix_asks_where_that_would_let_more_through_or_says_nothing() {
    let grants = "access.fs = [{ path = \"tools\", read = true, write = true }]";
    let first_fix = |edit: &str| {
        let files = MemoryFiles::from_fixture(&workspace(&format!("{edit}\n{grants}"), LINT));
        let analysis = analyse(&files);
        let found = analysis.all_diagnostics();
        let mut found = found.flat_map(|(_, found)| found.iter());
        let finding = found.find(|finding| finding.code == Code::SelfEscalation);
        finding.unwrap().fixes.first().unwrap().title.clone()
    };
    let denies = "Deny writing what runs, by rules of its own";
    // Its parameters name no files, so that no rule knows which call is meant.
    assert_eq!(first_fix("run = \"unattended\""), denies);
    // A call that would be skipped would be asked about.
    assert_eq!(
        first_fix(
            r#"parameters.path = { type = "path", required = true }
parameters.mode = { type = "string" }
policy.run = [{ arg = "/mode", const = "fast", mode = "unattended" }, { arg = "/path", prefix = "tools/lint.py", mode = "skip" }, { mode = "ask" }]"#
        ),
        denies
    );
}

#[test]
fn a_script_that_comes_and_goes_is_seen_from_another_file() {
    let mut files = MemoryFiles::from_fixture(
        r#"//- /w/.jp/config.toml
extends = ["tools/*.toml"]
//- /w/.jp/tools/edit.toml
[conversation.tools.edit]
source = "local"
command = "edit {{tool}}"
run = "unattended"
access.fs = [{ path = "tools", read = true, write = true }]
//- /w/.jp/tools/lint.toml
[conversation.tools.lint]
source = "local"
command = "lint"
run = "ask"
"#,
    );
    let load = |files: &MemoryFiles| Arc::new(Graph::load(&Roots::workspace_only("/w"), files));
    let escalates = |analysis: &Analysis| {
        analysis
            .all_diagnostics()
            .any(|(_, found)| found.iter().any(|it| it.code == Code::SelfEscalation))
    };
    let mut analysis = Analysis::new(load(&files), Options::default());
    for (command, run, expected) in [
        ("lint", "unattended", false),
        ("python3 tools/lint.py", "unattended", true),
        ("python3 tools/lint.py", "ask", false),
        ("python3 tools/lint.py", "unattended", true),
        ("python3 other/lint.py", "unattended", false),
        ("tools/lint", "unattended", true),
        ("tools/lint", "skip", false),
    ] {
        files.insert(
            "/w/.jp/tools/lint.toml",
            &format!(
                "[conversation.tools.lint]\nsource = \"local\"\ncommand = \"{command}\"\nrun = \"{run}\"\n"
            ),
        );
        analysis = analysis.update(load(&files));
        assert_eq!(escalates(&analysis), expected, "{command}, {run}");
        let fresh = Analysis::new(load(&files), Options::default());
        assert!(analysis.all_diagnostics().eq(fresh.all_diagnostics()));
    }
}
