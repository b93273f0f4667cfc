use expect_test::{Expect, expect};
use jp_config::{document::Span, memory::MemoryFiles, view::View};

use crate::{
    Code,
    actions::{ActionKind, actions},
    fixture::{analyse, check_fix},
};

/// Compares the text after a fix of the first finding with a code.
#[track_caller]
fn mended(text: &str, code: Code, fix: usize, expected: &Expect) {
    check_fix(
        &format!("//- /w/.jp/config.toml\n{text}"),
        code,
        fix,
        expected,
    );
}

/// Compares the titles of all quick fixes for a text.
#[track_caller]
fn titles(text: &str, expected: &Expect) {
    let files = MemoryFiles::from_fixture(&format!("//- /w/.jp/config.toml\n{text}"));
    let analysis = analyse(&files);
    let view = View::new(analysis.graph().clone());
    let file = analysis
        .graph()
        .file_at("/w/.jp/config.toml".into())
        .unwrap();
    let all = Span::new(0, u32::try_from(text.len()).unwrap());
    let found = actions(&analysis, &view, file, all);
    let titles: String = found
        .iter()
        .filter(|action| action.kind == ActionKind::QuickFix)
        .map(|action| format!("{}\n", action.title))
        .collect();
    expected.assert_eq(&titles);
}

#[test]
fn what_is_left_open_is_closed() {
    titles(
        "[assistant]\nname = \"JP\n[style.code\ncolor = true\n",
        &expect![[r#"
            Add the missing `"`
            Add the missing `]`
        "#]],
    );
    mended(
        "extends = [\n    \"a.toml\",\n    \"b.toml\"\n\n[assistant]\nname = \"JP\"\n",
        Code::TomlSyntax,
        0,
        &expect![[r#"
            extends = [
                "a.toml",
                "b.toml"
            ]

            [assistant]
            name = "JP"
        "#]],
    );
    mended(
        "assistant.name = \"JP  \n",
        Code::TomlSyntax,
        0,
        &expect![[r#"
            assistant.name = "JP"  
        "#]],
    );
    mended(
        "[[conversation.tools.a.access.fs]\npath = \"a\"\n",
        Code::TomlSyntax,
        0,
        &expect![[r#"
            [[conversation.tools.a.access.fs]]
            path = "a"
        "#]],
    );
}

#[test]
fn words_are_quoted_and_commas_put_in() {
    titles(
        "assistant.name = ä JP\nstyle.code.color = tru\nextends = [\"a.toml\" \"b.toml\"]\nconversation.labels = { a = \"b\",, c = \"\\d\" }\n",
        &expect![[r#"
            Write `true`
            Add the missing `,`
            Create `.jp/a.toml`
            Create `.jp/b.toml`
        "#]],
    );
    mended(
        "extends = [\n    \"a.toml\" # one\n    \"b.toml\"\n]\n",
        Code::TomlSyntax,
        0,
        &expect![[r#"
            extends = [
                "a.toml", # one
                "b.toml"
            ]
        "#]],
    );
    mended(
        "assistant.name = \"\\d\"\n",
        Code::TomlSyntax,
        0,
        &expect![[r#"
            assistant.name = "\\d"
        "#]],
    );
}

#[test]
fn of_two_definitions_one_stays() {
    titles(
        "[style.code]\ncolor = true\ncolor = false\n",
        &expect![[r#"
            Keep only `color = true`
            Keep only `color = false`
        "#]],
    );
    mended(
        "[style.code]\ncolor = true # one\ncolor = false # two\n",
        Code::DuplicateKey,
        1,
        &expect![[r#"
            [style.code]
            color = false # two
        "#]],
    );
    titles(
        "[style.code]\ncolor = true\ncolor = true\n",
        &expect![[r#"
        Remove it: the first one says the same
    "#]],
    );
}

#[test]
fn a_second_table_goes_to_the_first() {
    mended(
        "[style.code]\ncolor = true # one\n\n# two\n[assistant]\nname = \"JP\"\n\n[style.code] # again\ntheme = \"x\" # three\n\n# four\n[editor]\n",
        Code::DuplicateKey,
        0,
        &expect![[r#"
            [style.code]
            color = true # one
            # again
            theme = "x" # three

            # two
            [assistant]
            name = "JP"

            # four
            [editor]
        "#]],
    );
    titles(
        "[style.code]\ncolor = true\n[style.code]\ncolor = true\n",
        &expect![[r#"
            Remove it: the first one is the same table
        "#]],
    );
    titles(
        "[style.code]\n[style.code]\n",
        &expect![[r#"
        Remove it: the first one is the same table
    "#]],
    );
}

#[test]
fn tables_that_say_the_same_are_one() {
    mended(
        "[style.code]\ncolor = true\n\n[style.code] # again\ncolor = true # yes\nline_numbers = true\n",
        Code::DuplicateKey,
        0,
        &expect![[r#"
            [style.code]
            color = true
            # again
            line_numbers = true

        "#]],
    );
    mended(
        "[conversation.tools.a]\nsource = \"local\"\ncommand = \"a {{tool}}\"\nstyle.hidden = true\n[conversation.tools.a]\nstyle.inline_results = \"off\"\nsource = \"local\"\n[editor]\n",
        Code::DuplicateKey,
        0,
        &expect![[r#"
            [conversation.tools.a]
            source = "local"
            command = "a {{tool}}"
            style.hidden = true
            style.inline_results = "off"
            [editor]
        "#]],
    );
}

#[test]
fn of_tables_that_contradict_each_other_one_is_kept() {
    let text = "# one\n[style.code]\ncolor = true\n\n# two\n[style.code]\ncolor = false # no\n\n[editor]\n";
    titles(
        text,
        &expect![[r#"
        Keep only the first `[style.code]`
        Keep only the second `[style.code]`
    "#]],
    );
    mended(
        text,
        Code::DuplicateKey,
        0,
        &expect![[r#"
        # one
        [style.code]
        color = true

        # two
        [editor]
    "#]],
    );
    mended(
        text,
        Code::DuplicateKey,
        1,
        &expect![[r#"
        # one
        # two
        [style.code]
        color = false # no

        [editor]
    "#]],
    );
}
