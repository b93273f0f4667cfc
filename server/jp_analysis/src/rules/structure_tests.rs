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
