use jp_conversation::ConversationEvent;
use pretty_assertions::assert_eq;

use super::*;

/// What is recorded above `config`, or the error.
fn recorded(config: Value, texts: &[&str]) -> Value {
    let values: Result<Vec<Assignment>, _> = texts.iter().map(|text| text.parse()).collect();
    let assignments = values.and_then(|values| {
        Assignments {
            model: None,
            values,
        }
        .delta(config, None)
    });
    match assignments {
        Ok(delta) => {
            let event = ConversationEvent::new(jp_conversation::EventKind::ConfigDelta(delta));
            let mut event = event.to_json();
            for key in ["timestamp", "type"] {
                event.as_object_mut().unwrap().shift_remove(key);
            }
            event
        }
        Err::<_, AssignmentError>(error) => error.to_string().into(),
    }
}

#[test]
fn a_value_is_toml_or_json_where_the_path_takes_that_and_text_otherwise() {
    let texts = [
        "assistant.model.parameters.temperature=0.2",
        "assistant.name=42",
        "assistant.model.id.name = 'yy'",
        "providers.llm.llamacpp.base_url=http://127.0.0.1:8080/?a=b",
        r#"conversation.tools."a=b".options={"max": [1, null]}"#,
        "conversation.tools.*.run=ask",
        r#"assistant.tool_choice="a\nb""#,
    ];
    assert_eq!(
        recorded(json!({}), &texts),
        json!({ "delta": {
            "assistant": {
                "model": { "parameters": { "temperature": 0.2 }, "id": { "name": "yy" } },
                "name": "42",
                "tool_choice": "a\nb",
            },
            "providers": { "llm": { "llamacpp": { "base_url": "http://127.0.0.1:8080/?a=b" } } },
            "conversation": { "tools": {
                "a=b": { "options": { "max": [1, null] } },
                "*": { "run": "ask" },
            } },
        } })
    );
}

#[test]
fn a_list_replaces_and_tables_are_merged() {
    let texts = [
        "assistant.system_prompt_sections=[{content='one'}]",
        "conversation.tools.t.options={a=1}",
        "conversation.tools.t.options={b=2}",
    ];
    let config = json!({ "assistant": { "system_prompt_sections": [{ "content": "zero" }] } });
    let delta = recorded(config.clone(), &texts);
    assert_eq!(
        delta,
        json!({
            "delta": {
                "assistant": { "system_prompt_sections": [{ "content": "one" }] },
                "conversation": { "tools": { "t": { "options": { "a": 1, "b": 2 } } } },
            },
            "unsets": ["assistant.system_prompt_sections"],
        })
    );
    let delta = ConfigDelta {
        delta: delta["delta"].as_object().unwrap().clone(),
        unsets: vec!["assistant.system_prompt_sections".to_owned()],
        ..ConfigDelta::default()
    };
    assert_eq!(
        apply(&config, &delta)["assistant"],
        json!({ "system_prompt_sections": [{ "content": "one" }] })
    );
}

#[test]
fn a_model_is_written_out_and_a_name_of_none_is_refused() {
    let config = json!({ "providers": { "llm": { "aliases": { "fast": "llamacpp/small" } } } });
    let texts = ["assistant.model.id=fast", "assistant.model.id.name=other"];
    assert_eq!(
        recorded(config.clone(), &texts),
        json!({ "delta": { "assistant": { "model": { "id": { "provider": "llamacpp", "name": "other" } } } } })
    );
    assert_eq!(
        recorded(config, &["assistant.model.id=slow"]),
        "`assistant.model.id`: unknown model alias `slow`, write an alias from `providers.llm.aliases` or `<provider>/<model>`"
    );
}

#[test]
fn what_cannot_be_set_says_what_to_write() {
    let refused = |text: &str| recorded(json!({}), &[text]);
    expect_test::expect![[r#"
        `assistant` sets nothing: write `PATH=VALUE`, as in `assistant.model.parameters.temperature=0.2`
        `` is no config path: the config path is empty; write a path such as `assistant.model`
        `assistant.nmae` is no config path: unknown key `nmae`, did you mean `name`?
        `assistent.name` is no config path: unknown key `assistent`, did you mean `assistant`?
        `assistant.name.first` is no config path: a single value has no `first`, write the path without it
        `assistant.model.parameters.temperature`: invalid type: string `hot`, expected a number
        `assistant.model.id`: unknown provider `nobody`, expected one of `anthropic`, `cerebras`, `deepseek`, `google`, `llamacpp`, `ollama`, `openai`, `openrouter`, `xai`
        `assistant.system_prompt_sections[intro]` is no config path: name the list, not an element of it
        `assistant`: unknown key `nmae`, did you mean `name`?
    "#]]
    .assert_eq(
        &[
            "assistant",
            "=1",
            "assistant.nmae=Ada",
            "assistent.name=Ada",
            "assistant.name.first=Ada",
            "assistant.model.parameters.temperature=hot",
            "assistant.model.id=nobody/x",
            "assistant.system_prompt_sections[intro]=x",
            "assistant={nmae='Ada'}",
        ]
        .map(|text| format!("{}\n", refused(text).as_str().unwrap_or("set")))
        .concat(),
    );
}
