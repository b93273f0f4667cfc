use expect_test::expect;

use crate::{
    Code,
    fixture::{check, check_fix},
};

#[test]
fn an_element_without_its_list_gets_brackets() {
    let files = |access: &str| {
        format!(
            "//- /w/.jp/config.toml\n[conversation.tools.a]\nsource = \"local\"\ncommand = \"a {{{{tool}}}}\"\n{access}"
        )
    };
    check_fix(
        &files("access.fs = { path = \".\", read = true } # all\n"),
        Code::TypeMismatch,
        0,
        &expect![[r#"
            [conversation.tools.a]
            source = "local"
            command = "a {{tool}}"
            access.fs = [{ path = ".", read = true }] # all
        "#]],
    );
    check_fix(
        &files("[conversation.tools.a.access.fs] # all\npath = \".\"\nread = true\n"),
        Code::TypeMismatch,
        0,
        &expect![[r#"
            [conversation.tools.a]
            source = "local"
            command = "a {{tool}}"
            [[conversation.tools.a.access.fs]] # all
            path = "."
            read = true
        "#]],
    );
}

#[test]
fn a_word_that_lets_something_run_is_never_written_unseen() {
    check(
        r#"//- /w/.jp/config.toml
[conversation.tools.a]
source = "local"
command = "a {{tool}}"
access.config = [{ path = "conversation.tools.a.access", write = "secure_allow" }]
policy.run = [{ arg = "/x", const = "a", mode = "attended" }, { mode = "sk1p" }]
result = "unatended"
parameters.x.type = "string"
"#,
        &expect![[r#"
            //- /w/.jp/config.toml
            access.config = [{ path = "conversation.tools.a.access", write = "secure_allow" }]
                                                                             ^^^^^^^^^^^^^^ error[invalid-value]: unknown variant `secure_allow`, expected a boolean or `insecure_allow`; did you mean `insecure_allow`?
                fix: Write `"insecure_allow"`
            policy.run = [{ arg = "/x", const = "a", mode = "attended" }, { mode = "sk1p" }]
                                                            ^^^^^^^^^^ error[invalid-value]: unknown variant `attended`, expected one of `ask`, `unattended`, `edit`, `skip`; did you mean `unattended`?
                fix: Write `"unattended"`
                fix: Write `"ask"`
                fix: Write `"edit"`
                fix: Write `"skip"`
                                                                                   ^^^^^^ error[invalid-value]: unknown variant `sk1p`, expected one of `ask`, `unattended`, `edit`, `skip`; did you mean `skip`?
                fix!: Write `"skip"`
            result = "unatended"
                     ^^^^^^^^^^^ error[invalid-value]: unknown variant `unatended`, expected one of `unattended`, `ask`, `edit`, `skip`; did you mean `unattended`?
                fix: Write `"unattended"`
                fix: Write `"ask"`
                fix: Write `"edit"`
                fix: Write `"skip"`
        "#]],
    );
}

#[test]
fn broken_data_below_a_load_path_is_reported() {
    check(
        r#"//- /w/.jp/config.toml
config_load_paths = ["frag"]
//- /w/frag/broken.json
{"assistant":
//- /w/frag/broken.yaml
style:
  code: [
//- /w/frag/other.json
{"compilerOptions":
//- /w/frag/another.yml
on: [
  push: style
"#,
        &expect![[r#"
            //- /w/frag/broken.json
            {"assistant":
            ^ error[toml-syntax]: line 1: invalid JSON: unexpected end of input on line 1 column 1
            //- /w/frag/broken.yaml
            style:
            ^ error[toml-syntax]: line 2: invalid YAML: error: line 2 column 9: unclosed bracket '['
        "#]],
    );
}
