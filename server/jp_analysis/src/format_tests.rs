use expect_test::{Expect, expect};

use super::*;

const SPACES: Indent = Indent { spaces: Some(2) };

fn check(text: &str, settings: &str, span: Option<Span>, expect: &Expect) {
    let document = Document::parse(text);
    let settings = FormatSettings::read(settings);
    let edits = settings
        .and_then(|settings| format(&document, ".jp/config.toml".into(), &settings, SPACES, span));
    let shown = match edits {
        Err(error) => format!("{error}\n"),
        Ok(edits) => {
            let mut text = text.to_owned();
            for (span, new) in edits.iter().rev() {
                text.replace_range(span.range(), new);
            }
            text
        }
    };
    expect.assert_eq(&shown);
}

const UGLY: &str = "\u{feff}a  =1 # one\n\n\n\n[b]\nc=  [1,2]\nlong_name = \"ä\"\n";

#[test]
fn the_whole_text() {
    check(
        UGLY,
        "",
        None,
        &expect![[r#"
        ﻿a = 1 # one


        [b]
        c = [1, 2]
        long_name = "ä"
    "#]],
    );
}

#[test]
fn some_lines() {
    let start = u32::try_from(UGLY.find("c=").unwrap_or_default()).unwrap_or_default();
    check(
        UGLY,
        "",
        Some(Span::new(start, start + 1)),
        &expect![[r#"
        ﻿a  =1 # one



        [b]
        c = [1, 2]
        long_name = "ä"
    "#]],
    );
}

#[test]
fn lines_beside_those_asked_for_stay() {
    let text = "[style.code]\ncolor=true\n  line_numbers=true # é\ncopy_link='off'\n";
    let start = u32::try_from(text.find("line").unwrap_or_default()).unwrap_or_default();
    let one = expect![[r#"
        [style.code]
        color=true
        line_numbers = true # é
        copy_link='off'
    "#]];
    check(text, "", Some(Span::new(start, start)), &one);
    // From the beginning of the line to the beginning of the next one.
    check(text, "", Some(Span::new(start - 2, start + 22)), &one);
    check(
        text,
        "",
        Some(Span::new(start, start + 23)),
        &expect![[r#"
            [style.code]
            color=true
            line_numbers = true # é
            copy_link='off'
        "#]],
    );
}

#[test]
fn as_the_project_wants_it() {
    check(
        UGLY,
        "[formatting]\nindent_entries = true\n[[rule]]\ninclude = [\".jp/*.toml\"]\nkeys = [\"b\"]\nformatting = { align_entries = true }\n",
        None,
        &expect![[r#"
            ﻿a = 1 # one


            [b]
              c         = [1, 2]
              long_name = "ä"
        "#]],
    );
}

#[test]
fn line_ends_stay() {
    check("a=1\r\nb=2\r\n", "", None, &expect![["a = 1\r\nb = 2\r\n"]]);
}

#[test]
fn what_cannot_be_formatted_is_left_alone_with_a_reason() {
    check(
        "a = \n",
        "",
        None,
        &expect![[r#"
        line 1 has a syntax error; correct it first
    "#]],
    );
    check(
        "a = {\n  b = 1,\n}\n",
        "",
        None,
        &expect![[r#"
            line 1 is TOML 1.1, which the formatter cannot read: write inline tables on one line without a trailing comma, and `\u` escapes
        "#]],
    );
    check(
        "a = \"\\e\"\n",
        "",
        None,
        &expect![[r#"
            line 1 is TOML 1.1, which the formatter cannot read: write inline tables on one line without a trailing comma, and `\u` escapes
        "#]],
    );
    check(
        "a=1\n",
        "exclude = [\".jp/**\"]\n",
        None,
        &expect![[r#"
        `.taplo.toml` excludes the file
    "#]],
    );
    check(
        "a=1\n",
        "include = [\"src/**\"]\n",
        None,
        &expect![[r#"
        `.taplo.toml` excludes the file
    "#]],
    );
    check(
        "a=1\n",
        "[formatting]\ncolumn_width = \"wide\"\n",
        None,
        &expect![[r#"
        `.taplo.toml` cannot be used: invalid type: string "wide", expected usize
    "#]],
    );
    check(
        "a=[3, 1]\n",
        "[formatting]\nreorder_arrays = true\n",
        None,
        &expect![[r#"
        formatting would change values, because of `reorder_arrays` in `.taplo.toml` for example
    "#]],
    );
}
