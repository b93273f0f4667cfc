//! Steps that another tool takes: one that makes room for a file, and one whose program is a foreign one.

use std::sync::Arc;

use expect_test::expect;
use jp_config::{
    graph::{Graph, Roots},
    memory::MemoryFiles,
};

use super::{LINT, check, workspace};
use crate::{Analysis, Code, Options};

#[test]
fn one_tool_removes_what_another_one_makes() {
    let new = "run = \"unattended\"\naccess.fs = [{ path = \"tools\", create = true }]";
    let clean = |policy: &str| {
        format!(
            "{LINT}\n[conversation.tools.clean]\nsource = \"local\"\ncommand = \"clean {{{{tool}}}}\"\n\
             parameters.path = {{ type = \"path\", required = true }}\n{policy}\n\
             access.fs = [{{ path = \"src\", write = true }}, {{ path = \".\", delete = true }}]"
        )
    };
    check(
        &workspace(new, &clean("run = \"unattended\"")),
        &expect![[r#"
            "tools": warning: this rule lets tool `edit` create `tools/lint.py`, once tool `clean` has deleted it, without asking, which tool `lint` runs without asking: nothing restricts what `lint` may then write
                help: deny these files by rules of their own: the longest path wins
                "unattended": this lets `edit` run without asking
                ".": this lets `clean` delete `tools/lint.py` without asking
                "python3 tools/lint.py": this runs `tools/lint.py`
                "local": nothing restricts what `lint` writes
                fix: Deny writing what runs, by rules of its own
                fix: Deny writing here
        "#]],
    );
    // Nobody removes the script unasked, or nobody makes it: it may be missing all the same.
    let asks = r#"policy.run = [{ arg = "/path", prefix = "tools", mode = "ask" }, { mode = "unattended" }]"#;
    check(
        &workspace(new, &clean(asks)),
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
    let ask = new.replace("unattended", "ask");
    check(
        &workspace(&ask, &clean("run = \"unattended\"")),
        &expect![[""]],
    );
}

#[test]
fn a_foreign_program_has_the_grants_of_its_tool() {
    let edit =
        "run = \"unattended\"\naccess.fs = [{ path = \"tools\", read = true, write = true }]";
    let lint = |access: &str| format!("{LINT}\n{access}");
    let asks = r#"parameters.path = { type = "path", required = true }
policy.run = [{ arg = "/path", prefix = ".jp", mode = "ask" }, { mode = "unattended" }]"#;
    // Its policy asks about the config, which a foreign program does not heed.
    let access = r#"access.fs = [{ path = "src", write = true }, { path = ".jp", write = true }]"#;
    let asking = lint(&format!("{asks}\n{access}")).replace("run = \"unattended\"\n", "");
    check(
        &workspace(edit, &asking),
        &expect![[r#"
        "tools": warning: this rule lets tool `edit` change `tools/lint.py` without asking, which tool `lint` runs without asking: `lint` may then change `.jp/config.toml`, which is config (`jp` reads it at every start)
            help: deny these files by rules of their own: the longest path wins
            "unattended": this lets `edit` run without asking
            "python3 tools/lint.py": this runs `tools/lint.py`
            ".jp": this lets `lint` change `.jp/config.toml`
            fix: Deny writing what runs, by rules of its own
            fix: Deny writing here
    "#]],
    );
    let hooks = r#"access.fs = [{ path = ".git/hooks", create = true }]"#;
    check(
        &workspace(edit, &lint(hooks)),
        &expect![[r#"
        "tools": warning: this rule lets tool `edit` change `tools/lint.py` without asking, which tool `lint` runs without asking: `lint` may then create `.git/hooks/pre-commit`, which `git` may run of itself
            help: deny these files by rules of their own: the longest path wins
            "unattended": this lets `edit` run without asking
            "python3 tools/lint.py": this runs `tools/lint.py`
            ".git/hooks": this lets `lint` create `.git/hooks/pre-commit`
            fix: Deny writing what runs, by rules of its own
            fix: Deny writing here
        ".git/hooks": warning: this rule lets tool `lint` create `.git/hooks/pre-commit` without asking, which `git` may run of itself
            help: deny these files by rules of their own: the longest path wins
            "unattended": this lets `lint` run without asking
            fix: Deny writing here
    "#]],
    );
    let own_script = r#"access.fs = [{ path = "tools", write = true }]"#;
    check(
        &workspace(edit, &lint(own_script)),
        &expect![[r#"
        "tools": warning: this rule lets tool `edit` change `tools/lint.py` without asking, which tool `lint` runs without asking
            help: deny these files by rules of their own: the longest path wins
            "unattended": this lets `edit` run without asking
            "python3 tools/lint.py": this runs `tools/lint.py`
            fix: Deny writing what runs, by rules of its own
            fix: Deny writing here
        "tools": warning: this rule lets tool `lint` change `tools/lint.py` without asking, which tool `lint` runs without asking
            help: deny these files by rules of their own: the longest path wins
            "unattended": this lets `lint` run without asking
            "python3 tools/lint.py": this runs `tools/lint.py`
            fix: Deny writing what runs, by rules of its own
            fix: Deny writing here
    "#]],
    );
    let sources = r#"access.fs = [{ path = "src", write = true }]"#;
    check(
        &workspace(edit, &lint(sources)),
        &expect![[r#"
        "tools": warning: this rule lets tool `edit` change `tools/lint.py` without asking, which tool `lint` runs without asking
            help: deny these files by rules of their own: the longest path wins
            "unattended": this lets `edit` run without asking
            "python3 tools/lint.py": this runs `tools/lint.py`
            fix: Deny writing what runs, by rules of its own
            fix: Deny writing here
    "#]],
    );
    // What the tool may do itself is nothing that it gains.
    let both = edit.replace("[{", "[{ path = \".git\", update = true }, {");
    let access = r#"access.fs = [{ path = ".git/config", write = true }]"#;
    check(
        &workspace(&both, &lint(access)),
        &expect![[r#"
        ".git": warning: this rule lets tool `edit` change `.git/config` without asking, which `git` may run of itself
            help: deny these files by rules of their own: the longest path wins
            "unattended": this lets `edit` run without asking
            fix: Deny writing here
        "tools": warning: this rule lets tool `edit` change `tools/lint.py` without asking, which tool `lint` runs without asking
            help: deny these files by rules of their own: the longest path wins
            "unattended": this lets `edit` run without asking
            "python3 tools/lint.py": this runs `tools/lint.py`
            fix: Deny writing what runs, by rules of its own
            fix: Deny writing here
        ".git/config": warning: this rule lets tool `lint` change `.git/config` without asking, which `git` may run of itself
            help: deny these files by rules of their own: the longest path wins
            "unattended": this lets `lint` run without asking
            fix: Deny writing here
    "#]],
    );
}

#[test]
fn what_other_tools_may_do_is_seen_from_another_file() {
    let mut files = MemoryFiles::from_fixture(
        r#"//- /w/.jp/config.toml
extends = ["tools/*.toml"]
//- /w/.jp/tools/new.toml
[conversation.tools.new]
source = "local"
command = "new {{tool}}"
run = "unattended"
access.fs = [{ path = "tools", create = true }]
//- /w/.jp/tools/lint.toml
"#,
    );
    let load = |files: &MemoryFiles| Arc::new(Graph::load(&Roots::workspace_only("/w"), files));
    let mut analysis = Analysis::new(load(&files), Options::default());
    let mut told = Vec::new();
    for (runs, grants, run, removes) in [
        ("lint.py", "src", "unattended", "tools/lint.py"),
        ("lint.py", ".envrc", "unattended", "tools/lint.py"),
        ("lint.py", ".envrc", "ask", "tools/lint.py"),
        ("lint.py", "src", "unattended", "tools/other.py"),
        ("other.py", "src", "unattended", "tools/other.py"),
        ("other.py", "src", "ask", "tools/other.py"),
        ("lint.py", "src", "ask", "."),
        ("lint.py", "src", "unattended", "."),
    ] {
        files.insert(
            "/w/.jp/tools/lint.toml",
            &format!(
                "[conversation.tools.lint]\nsource = \"local\"\ncommand = \"python3 tools/{runs}\"\nrun = \"unattended\"\n\
                 access.fs = [{{ path = \"{grants}\", write = true }}]\n\
                 [conversation.tools.clean]\nsource = \"local\"\ncommand = \"clean\"\nrun = \"{run}\"\n\
                 access.fs = [{{ path = \"{removes}\", delete = true }}]\n"
            ),
        );
        analysis = analysis.update(load(&files));
        let fresh = Analysis::new(load(&files), Options::default());
        assert!(analysis.all_diagnostics().eq(fresh.all_diagnostics()));
        let mut found = analysis
            .all_diagnostics()
            .flat_map(|(_, found)| found.iter());
        let message = |it: &crate::Diagnostic| it.message.clone();
        let of_new = |it: &&crate::Diagnostic| {
            it.code == Code::SelfEscalation && it.message.contains("`new`")
        };
        told.push(found.find(of_new).map(message).unwrap());
    }
    expect![[r#"
        this rule lets tool `new` create `tools/lint.py`, once tool `clean` has deleted it, without asking, which tool `lint` runs without asking
        this rule lets tool `new` create `tools/lint.py`, once tool `clean` has deleted it, without asking, which tool `lint` runs without asking: `lint` may then change `.envrc`, which `direnv` may run of itself
        this rule lets tool `new` create `tools/lint.py`, if it is not there, without asking, which tool `lint` runs without asking: `lint` may then change `.envrc`, which `direnv` may run of itself
        this rule lets tool `new` create `tools/lint.py`, if it is not there, without asking, which tool `lint` runs without asking
        this rule lets tool `new` create `tools/other.py`, once tool `clean` has deleted it, without asking, which tool `lint` runs without asking
        this rule lets tool `new` create `tools/other.py`, if it is not there, without asking, which tool `lint` runs without asking
        this rule lets tool `new` create `tools/lint.py`, if it is not there, without asking, which tool `lint` runs without asking
        this rule lets tool `new` create `tools/lint.py`, once tool `clean` has deleted it, without asking, which tool `lint` runs without asking"#]].assert_eq(&told.join("\n"));
}
