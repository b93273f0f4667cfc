use expect_test::expect;

use crate::fixture::check;

#[test]
fn a_strategy_that_its_own_source_merges_over_is_reported() {
    check(
        r#"//- /w/.jp/config.toml
assistant.instructions = [{ title = "a" }]
//- /w/.jp.toml
extends = ["more.toml"]
assistant.instructions = [{ title = "c" }]
//- /w/more.toml
assistant.instructions = { value = [{ title = "b" }], strategy = "replace" }
"#,
        &expect![[r#"
            //- /w/more.toml
            assistant.instructions = { value = [{ title = "b" }], strategy = "replace" }
                                     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ warning[merge-trap]: `strategy = "replace"` does not reach the sources below: the files of one source merge with each other first, and the last of them decides; write the strategy there
                .jp.toml:2 `[{ title = "c" }]`: this comes after it
        "#]],
    );
}

#[test]
fn a_strategy_that_reaches_the_source_below_is_fine() {
    check(
        r#"//- /w/.jp/config.toml
assistant.instructions = [{ title = "a" }]
//- /w/.jp.toml
extends = ["more.toml"]
assistant.instructions = { value = [{ title = "c" }], strategy = "replace" }
//- /w/more.toml
assistant.instructions = { value = [{ title = "b" }], strategy = "replace" }
"#,
        &expect![[r#""#]],
    );
}

#[test]
fn a_list_that_a_sibling_discards_is_reported() {
    check(
        r#"//- /w/.jp/config.toml
assistant.instructions = { value = [{ title = "a" }], discard_when_merged = true }
//- /w/.jp.toml
assistant.name = "x"
"#,
        &expect![[r#"
            //- /w/.jp/config.toml
            assistant.instructions = { value = [{ title = "a" }], discard_when_merged = true }
                                     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ warning[merge-trap]: `discard_when_merged` drops this `instructions` as soon as a later file sets anything beside it, and not only when one sets `instructions`
        "#]],
    );
}

#[test]
fn grants_that_were_meant_to_start_over_are_reported() {
    check(
        r#"//- /w/.jp/config.toml
[conversation.tools.t]
source = "local"
command = "t {{tool}}"
access.fs = [{ path = ".", read = true }]
//- /w/.jp.toml
extends = ["more.toml"]
conversation.tools.t.access.fs = [{ path = "src", read = true }]
//- /w/more.toml
conversation.tools.t.access.fs = { value = [], strategy = "replace" }
"#,
        &expect![[r#"
            //- /w/more.toml
            conversation.tools.t.access.fs = { value = [], strategy = "replace" }
                                             ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ warning[merge-trap]: `strategy = "replace"` does not reach the sources below: the files of one source merge with each other first, and the last of them decides; write the strategy there
                .jp.toml:2 `[{ path = "src", read = true }]`: this comes after it
        "#]],
    );
}

#[test]
fn wrappers_of_one_source_do_what_they_say() {
    check(
        r#"//- /w/.jp/config.toml
extends = ["more.toml"]
assistant.instructions = { value = [{ title = "c" }], strategy = "prepend" }
//- /w/.jp/more.toml
assistant.instructions = { value = [{ title = "b" }], strategy = "replace" }
"#,
        &expect![[r#""#]],
    );
}
