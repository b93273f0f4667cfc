use expect_test::{Expect, expect};
use pretty_assertions::assert_eq;

use super::{ModelReference, provider_names};
use crate::schema::schema;

fn check(texts: &[&str], expected: &Expect) {
    let mut out = String::new();
    for text in texts {
        match ModelReference::parse(text) {
            Ok(reference) => out += &format!("{text:?} -> {reference:?}, shown as {reference}\n"),
            Err(error) => out += &format!("{text:?} -> error: {error}\n"),
        }
    }
    expected.assert_eq(&out);
}

#[test]
fn references_are_ids_or_aliases() {
    check(
        &[
            "anthropic/claude-sonnet-5",
            "openrouter/anthropic/claude-x:free",
            " google / gemini-3.1 ",
            "test/x",
            "haiku",
        ],
        &expect![[r#"
            "anthropic/claude-sonnet-5" -> Id(ModelId { provider: "anthropic", name: "claude-sonnet-5" }), shown as anthropic/claude-sonnet-5
            "openrouter/anthropic/claude-x:free" -> Id(ModelId { provider: "openrouter", name: "anthropic/claude-x:free" }), shown as openrouter/anthropic/claude-x:free
            " google / gemini-3.1 " -> Id(ModelId { provider: "google", name: "gemini-3.1" }), shown as google/gemini-3.1
            "test/x" -> Id(ModelId { provider: "test", name: "x" }), shown as test/x
            "haiku" -> Alias("haiku"), shown as haiku
        "#]],
    );
}

#[test]
fn wrong_references_say_what_to_write() {
    check(
        &[
            "",
            "  ",
            "/x",
            "anthropic/",
            "bogus/x",
            "anthropic/a b",
            "anthropic/é",
        ],
        &expect![[r#"
            "" -> error: model id `` is incomplete: write `<provider>/<model>` or an alias
            "  " -> error: model id `  ` is incomplete: write `<provider>/<model>` or an alias
            "/x" -> error: model id `/x` is incomplete: write `<provider>/<model>` or an alias
            "anthropic/" -> error: model id `anthropic/` is incomplete: write `<provider>/<model>` or an alias
            "bogus/x" -> error: unknown provider `bogus`, expected one of `anthropic`, `cerebras`, `deepseek`, `google`, `llamacpp`, `ollama`, `openai`, `openrouter`, `xai`
            "anthropic/a b" -> error: model name `a b` contains ` `: only letters, digits and `_`, `-`, `.`, `:`, `/`, `~` are legal
            "anthropic/é" -> error: model name `é` contains `é`: only letters, digits and `_`, `-`, `.`, `:`, `/`, `~` are legal
        "#]],
    );
}

#[test]
fn providers_are_those_of_the_schema() {
    let provider = schema()
        .lookup(["assistant", "model", "id", "provider"])
        .unwrap();
    let variants = schema().variants(provider.node);
    let names: Vec<_> = variants.iter().map(|variant| variant.value).collect();
    assert_eq!(names, provider_names().collect::<Vec<_>>());
}
