use expect_test::expect;

use crate::{
    Code,
    fixture::{check, check_fix},
};

#[test]
fn a_missing_file_may_be_one_with_nearly_its_name() {
    let fixture = r#"//- /w/.jp/config.toml
extends = [
    "tools/grep.toml",
    { path = "tool/fnd.toml", strategy = "after" }, # find
    "tools/grpe.toml",
]
//- /w/.jp/tools/grep.toml
//- /w/.jp/tools/find.toml
"#;
    check(
        fixture,
        &expect![[r#"
        //- /w/.jp/config.toml
            { path = "tool/fnd.toml", strategy = "after" }, # find
                     ^^^^^^^^^^^^^^^ warning[extends-missing]: no file stands at `.jp/tool/fnd.toml`, so this entry adds nothing; did you mean `tools/find.toml`?
            help: paths in `extends` are relative to the file that holds them
            fix*: Write `tools/find.toml`
            fix: Remove this entry
            "tools/grpe.toml",
            ^^^^^^^^^^^^^^^^^ warning[extends-missing]: no file stands at `.jp/tools/grpe.toml`, so this entry adds nothing
            help: paths in `extends` are relative to the file that holds them
            fix: Remove this entry
    "#]],
    );
    check_fix(
        fixture,
        Code::ExtendsMissing,
        0,
        &expect![[r#"
        extends = [
            "tools/grep.toml",
            { path = "tools/find.toml", strategy = "after" }, # find
            "tools/grpe.toml",
        ]
    "#]],
    );
    check_fix(
        fixture,
        Code::ExtendsMissing,
        1,
        &expect![[r#"
        extends = [
            "tools/grep.toml",
            "tools/grpe.toml",
        ]
    "#]],
    );
}

#[test]
fn a_directory_in_extends_is_told_with_what_to_write() {
    let with = |pattern: &str| {
        format!(
            "//- /w/.jp/config.toml\nextends = [\"{pattern}\"]\n\
             //- /w/.jp/tools/fs.toml\nassistant.name = \"x\"\n"
        )
    };
    check_fix(
        &with("tools/"),
        Code::ExtendsMatchesDirectory,
        0,
        &expect![[r#"
            extends = ["tools/*.toml"]
        "#]],
    );
    check(
        &with(""),
        &expect![[r#"
        //- /w/.jp/config.toml
        extends = [""]
                   ^^ error[extends-matches-directory]: `` matches the directory `.jp`, which makes `jp` ignore this whole file; name files only
    "#]],
    );
}
