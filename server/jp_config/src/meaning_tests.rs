use std::fmt::Write as _;

use expect_test::expect;

use super::*;

/// The meanings of values, one a line, each behind its config path.
fn meanings(lines: &str) -> String {
    let mut report = String::new();
    for line in lines.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let (path, value) = line.split_once(' ').unwrap();
        let node = schema().lookup(path.split('.')).unwrap().node;
        let value: Value = serde_json::from_str(value).unwrap();
        let model = |alias: &str| (alias == "quick").then(|| "openai/gpt-5".to_owned());
        writeln!(report, "{path} {}", meaning(Some(node), &value, &model)).unwrap();
    }
    report
}

#[test]
fn forms_of_one_value_mean_the_same() {
    expect![[r##"
        assistant.model.id "openai/gpt-5"
        assistant.model.id "openai/gpt-5"
        assistant.model.id "openai/gpt-5"
        assistant.model.id "slow"
        assistant.model.parameters.temperature 0.20000000298023224
        assistant.model.parameters.temperature 0.20000000298023224
        assistant.model.parameters.temperature 1
        assistant.request.cache "short"
        assistant.request.cache "short"
        assistant.request.cache "10m"
        assistant.request.cache "10m"
        style.typewriter.text_delay "0s"
        style.typewriter.text_delay "1s 5ms"
        style.code.file_link "full"
        style.code.file_link "full"
        style.reasoning.background 236
        style.reasoning.background 236
        style.inline_code.background "#ffaa00"
        interrupt.streaming.compose_in_editor "always"
        interrupt.streaming.compose_in_editor "always"
        conversation.tools.t.style.inline_results {"truncate":{"lines":20}}
        conversation.tools.t.style.inline_results {"truncate":{"lines":20}}
        conversation.tools.t.style.inline_results "off"
        conversation.attachments ["file://readme.md/",{"type":"file","path":"a"}]
        conversation.compaction.rules [{"keep_last":"5h","tool_calls":"strip"}]
        conversation.compaction.rules [{"keep_last":"5h","tool_calls":"strip"}]
        assistant.instructions [{"title":"a"},{"title":"b","position":2}]
        conversation.tools.t.questions.q.target "assistant"
        conversation.tools.t.questions.q.target "assistant"
        conversation.tools.t.questions.q.target "assistant"
        conversation.tools.t.questions.q.target "user"
        conversation.tools.t.questions.q.target {"name":"Ada"}
        extends ["a.toml","b.toml",{"path":"c.toml","strategy":"after"}]
    "##]].assert_eq(&meanings(
        r##"
        assistant.model.id "quick"
        assistant.model.id "openai / gpt-5"
        assistant.model.id {"provider": "openai", "name": "gpt-5"}
        assistant.model.id "slow"
        assistant.model.parameters.temperature 0.2
        assistant.model.parameters.temperature 0.20000000298023224
        assistant.model.parameters.temperature 1.0
        assistant.request.cache true
        assistant.request.cache "short"
        assistant.request.cache "600s"
        assistant.request.cache "10m"
        style.typewriter.text_delay "0"
        style.typewriter.text_delay {"secs": 1, "nanos": 5000000}
        style.code.file_link true
        style.code.file_link "full"
        style.reasoning.background "236"
        style.reasoning.background 236
        style.inline_code.background "#FFAA00"
        interrupt.streaming.compose_in_editor true
        interrupt.streaming.compose_in_editor "always"
        conversation.tools.t.style.inline_results "20"
        conversation.tools.t.style.inline_results {"truncate": {"lines": 20}}
        conversation.tools.t.style.inline_results false
        conversation.attachments ["file://README.md", {"type": "file", "path": "a", "params": {}}]
        conversation.compaction.rules [{"keep_first": 1, "keep_last": "5h", "tool_calls": "s"}]
        conversation.compaction.rules [{"keep_first": "1", "keep_last": "5h", "tool_calls": "strip"}]
        assistant.instructions [{"title": "b", "position": 2}, {"title": "a", "position": 0, "items": []}]
        conversation.tools.t.questions.q.target "assistant"
        conversation.tools.t.questions.q.target {}
        conversation.tools.t.questions.q.target {"name": null, "model": {"parameters": {}}}
        conversation.tools.t.questions.q.target "user"
        conversation.tools.t.questions.q.target {"name": "Ada"}
        extends ["a.toml", {"path": "b.toml", "strategy": "before"}, {"path": "c.toml", "strategy": "after"}]
        "##,
    ));
}

#[test]
fn free_form_data_keeps_its_words() {
    expect![[r#"
        conversation.tools.t.options {"a":"true","b":1,"c":[],"d":"1979-05-27"}
        conversation.tools.t.options {"a":true,"b":"1"}
    "#]].assert_eq(&meanings(
        r#"
        conversation.tools.t.options {"a": "true", "b": 1.0, "c": [], "d": {"$__toml_private_datetime": "1979-05-27"}, "e": null}
        conversation.tools.t.options {"a": true, "b": "1"}
        "#,
    ));
}
