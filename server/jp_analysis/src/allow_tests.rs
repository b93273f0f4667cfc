use expect_test::expect;

use crate::{
    Code,
    fixture::{check, check_fix},
};

/// A tool without a command, which is a warning on its header.
const TOOL: &str = "[conversation.tools.build]\nsource = \"local\"\n";

#[test]
fn a_comment_above_a_table_holds_for_the_table() {
    check(
        &format!(
            "//- /w/.jp/config.toml\n# jp-lsp: allow(command-missing) comes from a fragment\n{TOOL}"
        ),
        &expect![[""]],
    );
}

#[test]
fn a_comment_holds_for_no_other_table() {
    check(
        &format!(
            "//- /w/.jp/config.toml\n# jp-lsp: allow(command-missing)\n{TOOL}[conversation.tools.test]\nsource = \"local\"\n"
        ),
        &expect![[r#"
            //- /w/.jp/config.toml
            source = "local"
                     ^^^^^^^ warning[command-missing]: the local tool `test` has no `command`, so every call fails; add one, such as `command = "my-tool {{tool}}"`
        "#]],
    );
}

#[test]
fn a_comment_behind_a_header_holds_for_the_table() {
    check(
        "//- /w/.jp/config.toml\n[conversation.tools.build] # jp-lsp: allow(command-missing)\nsource = \"local\"\n",
        &expect![[""]],
    );
}

#[test]
fn a_comment_at_the_end_of_a_line_holds_for_the_line() {
    check(
        "//- /w/.jp/config.toml\n[conversation.tools.build]\nsource = \"local\" # jp-lsp: allow(command-missing)\n",
        &expect![[""]],
    );
    // The list begins two lines further up.
    check(
        &crate::fixture::policy_tool(
            "run = [\n  { arg = \"/line\", maximum = 5, mode = \"ask\" },\n] # jp-lsp: allow(missing-catch-all)",
        ),
        &expect![[r#"
            //- /w/.jp/config.toml
            run = [
            ^^^ warning[missing-catch-all]: no rule of `policy.run` decides the calls that none of them matches, which get an implicit `ask`; end the list with `{ mode = "ask" }`
                fix!: Append `{ mode = "ask" }`
            ] # jp-lsp: allow(missing-catch-all)
                              ^^^^^^^^^^^^^^^^^ warning[allow-unused]: nothing here is `missing-catch-all`: the comment can go
                fix!: Remove the comment
        "#]],
    );
}

#[test]
fn a_comment_above_an_element_holds_for_the_element() {
    let policy = |comment: &str, element: &str| {
        crate::fixture::policy_tool(&format!(
            "run = [\n  {{ arg = \"/line\", maximum = 5, mode = \"ask\" }},\n  {comment}\n  {{ arg = \"/line\", maximum = 3, mode = \"unattended\" }}, {element}\n  {{ mode = \"ask\" }},\n]"
        ))
    };
    check(
        &policy("# jp-lsp: allow(rule-shadowed) shown in a talk", ""),
        &expect![[""]],
    );
    check(
        &policy("", "# jp-lsp: allow(rule-shadowed)"),
        &expect![[""]],
    );
    // One line further down it holds for the last rule.
    check(
        &policy("", "\n  # jp-lsp: allow(rule-shadowed)"),
        &expect![[r#"
            //- /w/.jp/config.toml
              { arg = "/line", maximum = 3, mode = "unattended" }, 
              ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ warning[rule-shadowed]: this rule never decides: rule 1 (`maximum = 5`) decides every call it matches, with `ask` instead of `unattended`
                .jp/config.toml:4 `{ arg = "/line", maximum = 5, mode = "ask" }`: rule 1 decides `ask` first
                fix: Move the rule above the one that covers it: more calls get `unattended`
                fix: Remove the rule, which decides nothing
              # jp-lsp: allow(rule-shadowed)
                              ^^^^^^^^^^^^^ warning[allow-unused]: nothing here is `rule-shadowed`: the comment can go
                fix!: Remove the comment
        "#]],
    );
}

#[test]
fn a_comment_above_a_statement_holds_for_all_its_lines() {
    check(
        &crate::fixture::policy_tool(
            "# jp-lsp: allow(missing-catch-all, rule-shadowed)\n# both are meant\nrun = [\n  { arg = \"/line\", maximum = 5, mode = \"ask\" },\n  { arg = \"/line\", maximum = 3, mode = \"unattended\" },\n]",
        ),
        &expect![[""]],
    );
}

#[test]
fn an_error_is_not_allowed() {
    check(
        "//- /w/.jp/config.toml\n# jp-lsp: allow(unknown-key)\nsummery = 1\n",
        &expect![[r#"
            //- /w/.jp/config.toml
            summery = 1
            ^^^^^^^ error[unknown-key]: unknown key `summery`, expected one of `inherit`, `config_load_paths`, `extends`, `assistant`, `conversation`, `style`, `interrupt`, `editor`, `template`, `providers`, `plugins`, `user`
                help: a comment cannot allow an error, since no turn starts with a file that has one
        "#]],
    );
}

#[test]
fn what_allows_nothing_is_said() {
    check(
        "//- /w/.jp/config.toml
# jp-lsp: allow(command-missing, rule-shadwed, bogus)
# jp-lsp: allow
#jp-lsp:allow()
# jp-lsp: ignore rule-shadowed
# jp-lsp: alow(rule-shadowed)
# jp-lsp: is the program that reads this
# see `jp-lsp: allow(x)`
[conversation.tools.'*'] # jp-lsp: allow(missing-required)
run = \"ask\"
# jp-lsp: allow(extends-missing)
",
        &expect![[r#"
            //- /w/.jp/config.toml
            # jp-lsp: allow(command-missing, rule-shadwed, bogus)
                            ^^^^^^^^^^^^^^^ warning[allow-unused]: nothing here is `command-missing`: the comment can go
                fix!: Remove `command-missing` from the comment
                                             ^^^^^^^^^^^^ warning[allow-unused]: unknown code `rule-shadwed`, did you mean `rule-shadowed`?
                fix!: Write `rule-shadowed`
                                                           ^^^^^ warning[allow-unused]: unknown code `bogus`
                help: `jp-lsp explain codes` lists the codes
            # jp-lsp: allow
            ^^^^^^^^^^^^^^^ warning[allow-unused]: this comment allows nothing: write `# jp-lsp: allow(CODE) reason`
            #jp-lsp:allow()
            ^^^^^^^^^^^^^^^ warning[allow-unused]: this comment allows nothing: write `# jp-lsp: allow(CODE) reason`
            # jp-lsp: ignore rule-shadowed
            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ warning[allow-unused]: this comment allows nothing: write `# jp-lsp: allow(CODE) reason`
            # jp-lsp: alow(rule-shadowed)
            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ warning[allow-unused]: this comment allows nothing: write `# jp-lsp: allow(CODE) reason`
            [conversation.tools.'*'] # jp-lsp: allow(missing-required)
                                                     ^^^^^^^^^^^^^^^^ warning[allow-unused]: nothing here is `missing-required`: the comment can go
                fix!: Remove the comment
            # jp-lsp: allow(extends-missing)
                            ^^^^^^^^^^^^^^^ warning[allow-unused]: nothing here is `extends-missing`: the comment can go
                fix!: Remove the comment
        "#]],
    );
}

#[test]
fn what_the_other_dialect_finds_may_be_allowed() {
    check(
        "//- /w/.jp/config.toml\n# jp-lsp: allow(released-jp-rejects)\n[conversation.tools.'*']\nrun = \"ask\"\n",
        &expect![[""]],
    );
}

#[test]
fn a_broken_text_leaves_comments_alone() {
    check(
        "//- /w/.jp/config.toml\n# jp-lsp: allow(command-missing)\n[conversation.tools.build\n",
        &expect![[r#"
            //- /w/.jp/config.toml
            [conversation.tools.build
            ^^^^^^^^^^^^^^^^^^^^^^^^^ error[toml-syntax]: unclosed table header: write `]` after the name
                fix*: Add the missing `]`
                                ^^^^^ error[missing-required]: missing required value for `conversation.tools.build.source`; write `source = "local"`, or where else the tool comes from
        "#]],
    );
}

#[test]
fn an_unused_comment_is_removed() {
    check_fix(
        "//- /w/.jp/config.toml\n[conversation.tools.'*']\n  # jp-lsp: allow(command-missing)\nrun = \"ask\"\n",
        Code::AllowUnused,
        0,
        &expect![[r#"
            [conversation.tools.'*']
            run = "ask"
        "#]],
    );
    check_fix(
        "//- /w/.jp/config.toml\n[conversation.tools.'*']\nrun = \"ask\" # jp-lsp: allow(command-missing)\n",
        Code::AllowUnused,
        0,
        &expect![[r#"
            [conversation.tools.'*']
            run = "ask"
        "#]],
    );
    check_fix(
        &format!(
            "//- /w/.jp/config.toml\n# jp-lsp: allow(merge-trap , command-missing) why\n{TOOL}"
        ),
        Code::AllowUnused,
        0,
        &expect![[r##"
            # jp-lsp: allow(command-missing) why
            [conversation.tools.build]
            source = "local"
        "##]],
    );
}

#[test]
fn a_misspelt_code_is_mended() {
    check_fix(
        &format!("//- /w/.jp/config.toml\n# jp-lsp: allow(comand-missing)\n{TOOL}"),
        Code::AllowUnused,
        0,
        &expect![[r##"
            # jp-lsp: allow(command-missing)
            [conversation.tools.build]
            source = "local"
        "##]],
    );
}
