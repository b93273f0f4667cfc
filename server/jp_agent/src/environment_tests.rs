use pretty_assertions::assert_eq;
use serde_json::json;

use super::*;

fn given(access: Value, effective: Value) -> String {
    let access: Option<AccessPolicy> = serde_json::from_value(access).unwrap();
    let all = [
        ("ANTHROPIC_API_KEY", "secret"),
        ("AWS_TOKEN", "secret"),
        ("GEMINI_API_KEY", "secret"),
        ("HOME", "/home/x"),
        ("LC_ALL", "C"),
        ("MY_KEY", "secret"),
        ("PATH", ":/usr/bin::bin:.:/bin:"),
        ("SEARCH_URL", "https://x"),
        ("XDG_RUNTIME_DIR", "/run/x"),
    ]
    .map(|(name, value)| (OsString::from(name), OsString::from(value)));
    let keys = key_variables(&effective);
    let variables = for_tool(access.as_ref(), &keys, all).unwrap();
    let text: Vec<String> = variables
        .iter()
        .map(|(name, value)| format!("{}={}", name.display(), value.display()))
        .collect();
    text.join(" ")
}

#[test]
fn a_tool_that_declares_its_variables_gets_those_and_the_common_ones() {
    assert_eq!(
        given(
            json!({"env": [{"name": "SEARCH_*", "read": true}]}),
            json!({})
        ),
        "HOME=/home/x LC_ALL=C PATH=/usr/bin:/bin SEARCH_URL=https://x XDG_RUNTIME_DIR=/run/x"
    );
    assert_eq!(
        given(
            json!({"env": [{"name": "*", "read": true}, {"name": "AWS_*"}, {"name": "ANTHROPIC_API_KEY"}]}),
            json!({})
        ),
        "GEMINI_API_KEY=secret HOME=/home/x LC_ALL=C MY_KEY=secret PATH=/usr/bin:/bin SEARCH_URL=https://x \
         XDG_RUNTIME_DIR=/run/x"
    );
}

#[test]
fn any_other_tool_gets_everything_but_the_keys_of_models() {
    let effective = json!({"providers": {"llm": {
        "openai": {"api_key_env": "MY_KEY"},
        "ollama": {"base_url": "http://localhost"},
    }}});
    let expected = "AWS_TOKEN=secret HOME=/home/x LC_ALL=C PATH=/usr/bin:/bin SEARCH_URL=https://x \
                    XDG_RUNTIME_DIR=/run/x";
    assert_eq!(given(json!(null), effective.clone()), expected);
    assert_eq!(
        given(json!({"fs": [{"path": "."}], "env": []}), effective),
        expected
    );
}

#[test]
fn a_path_of_nothing_but_places_in_the_workspace_is_none() {
    assert_eq!(search_path(OsStr::new(":.:bin:../x")), None);
    assert_eq!(search_path(OsStr::new("")), None);
    assert_eq!(
        search_path(OsStr::new("/opt/bin:")),
        Some(OsString::from("/opt/bin"))
    );
}
