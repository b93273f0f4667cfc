use expect_test::expect;

use crate::{
    Code,
    fixture::{check, check_fix},
};

fn parameters(text: &str) -> String {
    format!(
        r#"//- /w/.jp/config.toml
[conversation.tools.grep]
source = "local"
command = "grep"
[conversation.tools.grep.parameters]
{text}
"#
    )
}

#[test]
fn fitting_values_are_silent() {
    check(
        &parameters(
            r#"a = { type = "integer", default = 1 }
b = { type = "number", default = 1 }
c = { type = ["string", "integer"], default = 1, enum = ["x", 1] }
d = { type = "path", default = "src" }
e = { type = "array", items.type = "string", default = ["a"] }
f = { type = "object", properties.x.type = "integer", default = { x = 1, y = "?" } }
g = { type = ["string", "object"], properties.x.type = "integer" }
h = { default = 1, items.type = "string" }
i = { type = "boolean", default = false, required = true }
"#,
        ),
        &expect![[""]],
    );
}

#[test]
fn defaults_and_members_fit_the_type() {
    check(
        &parameters(
            r#"a = { type = "integer", default = "1" }
b = { type = "string", enum = ["x", 1], default = "y" }
c = { type = "array", items.type = "string", default = ["a", 2] }
d = { type = "integer", default = 1.5 }
e = { type = "object", properties.x = { type = "boolean", default = "yes" } }
f = { type = "array", items = { type = "integer", enum = ["1"] } }
"#,
        ),
        &expect![[r#"
            //- /w/.jp/config.toml
            a = { type = "integer", default = "1" }
                                              ^^^ error[parameter-default-type]: the default of `a` is the string `"1"`, but its type is `integer`
                fix!: Write `1`
            b = { type = "string", enum = ["x", 1], default = "y" }
                                                ^ error[parameter-default-type]: a member of the `enum` of `b` is the number `1`, but its type is `string`
                fix!: Write `"1"`
                                                              ^^^ error[parameter-default-type]: the default of `b` is `"y"`, which its `enum` does not list; write one of `"x"`, `1`
            c = { type = "array", items.type = "string", default = ["a", 2] }
                                                                         ^ error[parameter-default-type]: the default of `c` holds the number `2`, but the type of `c.items` is `string`
                fix!: Write `"2"`
            d = { type = "integer", default = 1.5 }
                                              ^^^ error[parameter-default-type]: the default of `d` is the number `1.5`, but its type is `integer`
            e = { type = "object", properties.x = { type = "boolean", default = "yes" } }
                                                                                ^^^^^ error[parameter-default-type]: the default of `e.x` is the string `"yes"`, but its type is `boolean`
            f = { type = "array", items = { type = "integer", enum = ["1"] } }
                                                                      ^^^ error[parameter-default-type]: a member of the `enum` of `f.items` is the string `"1"`, but its type is `integer`
                fix!: Write `1`
        "#]],
    );
    check_fix(
        &parameters(r#"a = { type = "integer", default = "1" }"#),
        Code::ParameterDefaultType,
        0,
        &expect![[r#"
            [conversation.tools.grep]
            source = "local"
            command = "grep"
            [conversation.tools.grep.parameters]
            a = { type = "integer", default = 1 }
        "#]],
    );
}

#[test]
fn items_and_properties_belong_to_their_types() {
    check(
        &parameters(
            r#"a = { type = "string", items.type = "string" }
b = { type = "array", items = { type = "string", properties.x.type = "string" } }
"#,
        ),
        &expect![[r#"
            //- /w/.jp/config.toml
            a = { type = "string", items.type = "string" }
                                   ^^^^^ warning[parameter-items-type]: `a` has `items`, which only type `array` uses, but its type is `string`; write `type = "array"`, or remove `items`
                .jp/config.toml:5 `"string"`: the type stands here
                fix: Write `type = "array"`
                fix: Remove `items`
            b = { type = "array", items = { type = "string", properties.x.type = "string" } }
                                                             ^^^^^^^^^^ warning[parameter-items-type]: `b.items` has `properties`, which only type `object` uses, but its type is `string`; write `type = "object"`, or remove `properties`
                .jp/config.toml:6 `"string"`: the type stands here
                fix: Write `type = "object"`
                fix: Remove `properties`
        "#]],
    );
}
