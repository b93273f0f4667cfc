use pretty_assertions::assert_eq;
use proptest::prelude::*;

use super::*;

fn path(text: &str) -> ConfigPath {
    ConfigPath::parse(text).unwrap()
}

#[test]
fn paths_are_written_as_they_are_read() {
    for text in [
        "assistant.model",
        "conversation.tools.*.run",
        "a-b_c.d1",
        r#"conversation.tools."a.b".run"#,
        r#"a."*""#,
    ] {
        assert_eq!(path(text).to_string(), text);
    }
    assert_eq!(path(r#""a".b"#).to_string(), "a.b");
    assert_ne!(path(r#"a."*""#), path("a.*"));
}

#[test]
fn list_elements_stand_in_unset_only() {
    assert_eq!(
        ConfigPath::parse_unset("conversation.attachments[\"stale-file.md\"]"),
        Ok((path("conversation.attachments"), Some("\"stale-file.md\"")))
    );
    assert_eq!(
        ConfigPath::parse_unset("a[b.c]"),
        Ok((path("a"), Some("b.c")))
    );
    assert_eq!(ConfigPath::parse_unset("a.b"), Ok((path("a.b"), None)));
}

#[test]
fn other_text_says_what_to_write() {
    let error = |text| ConfigPath::parse(text).unwrap_err().to_string();
    assert_eq!(
        error(""),
        "the config path is empty; write a path such as `assistant.model`"
    );
    for text in [".", "a.", ".a", "a..b"] {
        assert_eq!(
            error(text),
            format!("config path `{text}` has an empty segment; write the dots only between keys")
        );
    }
    assert_eq!(
        error("tools.fs_*.run"),
        "config path `tools.fs_*.run` holds `fs_*`; write `*` alone for any key, or the whole key"
    );
    assert_eq!(
        error("a[\"b\"]"),
        "config path `a[\"b\"]` names an element of a list; write the path of the list, `a`"
    );
    assert_eq!(
        error("a[\"b\""),
        "config path `a[\"b\"` does not close its bracket; write a list element as `list[\"value\"]`"
    );
    for text in ["a b", "a.\"b", "a.\"b\"c", "a.'b'"] {
        assert_eq!(
            error(text),
            format!(
                "config path `{text}` has a key that needs quotes; \
                 write it as a whole in double quotes, as in `a.\"b.c\".d`"
            )
        );
    }
}

#[test]
fn sensitive_paths_overlap_from_both_sides() {
    for (text, sensitive) in [
        ("conversation", true),
        ("conversation.tools", true),
        ("conversation.tools.x", true),
        ("conversation.tools.*", true),
        ("conversation.tools.x.access", true),
        ("conversation.tools.*.access", true),
        ("conversation.tools.*.access.fs", true),
        ("conversation.tools.x.access.fs", true),
        ("conversation.*.x.access", true),
        ("*", true),
        ("*.tools.x", true),
        ("conversation.tools.x.run", false),
        ("conversation.tools.*.run", false),
        ("conversation.attachments", false),
        ("conversation.toolsx", false),
        ("assistant", false),
        ("*.model", false),
    ] {
        assert_eq!(overlaps_sensitive(&path(text)), sensitive, "{text}");
    }
}

#[test]
fn privileged_paths_are_named() {
    for (text, pattern) in [
        ("conversation", Some("conversation.tools.*.source")),
        ("conversation.tools.x.run", Some("conversation.tools.*.run")),
        (
            "conversation.tools.x.style",
            Some("conversation.tools.*.style.parameters"),
        ),
        ("conversation.tools.x.style.inline_results", None),
        ("conversation.tools.x.access", None),
        ("providers", Some("providers.mcp")),
        ("providers.mcp.x.command", Some("providers.mcp")),
        ("providers.llm", Some("providers.llm.*.base_url")),
        (
            "providers.llm.openai.api_key_env",
            Some("providers.llm.*.api_key_env"),
        ),
        (
            "providers.llm.openai.base_url_env",
            Some("providers.llm.*.base_url_env"),
        ),
        ("providers.llm.openai.app_name", None),
        ("plugins.command.x.run", Some("plugins")),
        ("editor.cmd", Some("editor")),
        ("extends", Some("extends")),
        ("config_load_paths", Some("config_load_paths")),
        ("assistant.model", None),
    ] {
        assert_eq!(privileged_overlap(&path(text)), pattern, "{text}");
    }
    assert_eq!(privileged_overlaps(&path("conversation.tools")).count(), 8);
}

proptest! {
    #[test]
    fn any_text_gets_an_answer(text in r#"[a-z.*\["\]' \\]{0,12}|.*"#) {
        if let Ok(path) = ConfigPath::parse(&text) {
            prop_assert_eq!(ConfigPath::parse(&path.to_string()), Ok(path));
        }
        let _ = ConfigPath::parse_unset(&text);
    }

    #[test]
    fn keys_of_any_text_round_trip(keys in prop::collection::vec(any::<String>(), 1..4)) {
        let path = ConfigPath::from_keys(keys).unwrap();
        prop_assert_eq!(ConfigPath::parse(&path.to_string()), Ok(path));
    }
}

#[test]
fn segments_say_where_they_stand() {
    for path in [
        "a",
        "assistant.model.id",
        r#"conversation.tools."a.b".run"#,
        r#"conversation.tools."a\"b.c".run"#,
        r#""\\"."é😀"."\u0061".x"#,
        r#"list["a.b"]"#,
    ] {
        let ranges = ConfigPath::segment_ranges(path).unwrap();
        let parts: Vec<&str> = ranges
            .into_iter()
            .map(|range| path.get(range).unwrap())
            .collect();
        let (whole, element) = ConfigPath::parse_unset(path).unwrap();
        assert_eq!(parts.len(), whole.segments().len(), "{path}");
        for (part, segment) in parts.iter().zip(whole.segments()) {
            assert_eq!(
                ConfigPath::parse(part).unwrap().segments(),
                std::slice::from_ref(segment),
                "{path}"
            );
        }
        let element = element.map_or_else(String::new, |element| format!("[{element}]"));
        assert_eq!(parts.join(".") + &element, path);
    }
    assert!(ConfigPath::segment_ranges("a..b").is_err());
}
