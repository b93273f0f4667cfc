//! What a person sets for a conversation: it reaches the model, and a conversation can always go on.

use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use crate::{
    listener::Listener,
    raw::{Raw, Then},
    workspace::Workspace,
};

fn event(frame: &Value) -> String {
    format!("data: {frame}\n\n")
}

/// An answer in words.
fn words() -> (String, Then) {
    let said = json!({ "choices": [{ "delta": { "content": "Done." }, "finish_reason": "stop" }] });
    (event(&said) + "data: [DONE]\n\n", Then::End)
}

/// An answer that calls the tool of [`SWITCH`].
fn call() -> (String, Then) {
    let call =
        json!({ "index": 0, "id": "c1", "function": { "name": "switch", "arguments": "{}" } });
    let said = json!({ "choices": [{ "delta": { "tool_calls": [call] }, "finish_reason": "tool_calls" }] });
    (event(&said) + "data: [DONE]\n\n", Then::End)
}

/// A tool that switches to a model for which the person has no key.
const SWITCH: &str = r#"
[providers.llm.xai]
api_key_env = "A_KEY_THAT_IS_NOT_SET"

[providers.llm.aliases]
small = "llamacpp/small-model"

[conversation.tools.switch]
source = "local"
command = { program = "printf", args = ['{"type":"success","content":"ok","config":{"assistant":{"model":{"id":"xai/grok-4"}}}}'] }
run = "unattended"

[[conversation.tools.switch.access.config]]
path = "assistant.model.id"
write = true
apply = "unattended"
"#;

/// The model and the temperature of each request since the last look.
fn asked(server: &Raw) -> Vec<Value> {
    let requests = server.requests().into_iter().map(|body| {
        let body: Value = serde_json::from_str(&body).unwrap();
        json!([body["model"], body["temperature"]])
    });
    requests.collect()
}

/// The id of the only conversation.
fn id(workspace: &Workspace) -> String {
    let (list, _, _) = workspace.run(&["conversation", "list"]);
    list.split_whitespace().next().unwrap().to_owned()
}

fn query(workspace: &Workspace, arguments: &[&str]) -> (String, i32) {
    let fixed = ["query", "--trust", "--non-interactive"];
    let (_, errors, code) = workspace.run(&[&fixed, arguments, &["Go."]].concat());
    (errors, code)
}

#[test]
fn a_model_and_values_reach_the_request_and_hold_for_the_conversation() {
    let server = Raw::start(vec![words(), words(), words()]);
    let workspace = Workspace::new("llamacpp", &server.base_url, SWITCH);
    let temperature = "assistant.model.parameters.temperature=0.5";
    let (errors, code) = query(&workspace, &["--model", "small", "--cfg", temperature]);
    assert_eq!((errors.as_str(), code), ("", 0));
    let conversation = id(&workspace);
    let go_on = ["--conversation", &conversation];
    query(&workspace, &go_on);
    query(
        &workspace,
        &[&go_on[..], &["--cfg", "assistant.model.id.name=yy"]].concat(),
    );
    assert_eq!(
        asked(&server),
        [
            json!(["small-model", 0.5]),
            json!(["small-model", 0.5]),
            json!(["yy", 0.5])
        ]
    );
}

#[test]
fn what_cannot_be_set_is_refused_and_nothing_is_recorded() {
    let workspace = Workspace::new("llamacpp", "http://127.0.0.1:9", SWITCH);
    for (arguments, problem) in [
        (["--cfg", "assistant.nmae=Ada"], "did you mean `name`?"),
        (["--cfg", "assistant.name"], "write `PATH=VALUE`"),
        (
            ["--cfg", "assistant.model.parameters.temperature=hot"],
            "expected a number",
        ),
        (["--model", "nobody/model"], "expected one of `anthropic`"),
        (["--model", "large"], "unknown model alias `large`"),
    ] {
        let (errors, code) = query(&workspace, &arguments);
        assert_eq!(code, 2, "{arguments:?}: {errors}");
        assert!(errors.contains(problem), "{arguments:?}: {errors}");
    }
    let (list, _, _) = workspace.run(&["conversation", "list"]);
    assert_eq!(list, "");
}

#[test]
fn a_conversation_with_a_broken_change_goes_on() {
    let server = Raw::start(vec![call(), words(), words(), words()]);
    let workspace = Workspace::new("llamacpp", &server.base_url, SWITCH);
    let (_, code) = query(&workspace, &[]);
    assert_eq!(code, 1);
    let conversation = id(&workspace);
    let go_on = ["--conversation", &conversation];
    let undo = ["conversation", "undo-config", &conversation];
    let hint = format!(
        "`assistant.model.id`: xai needs an API key, set the environment variable `A_KEY_THAT_IS_NOT_SET` or keep the key with `jp-lsp key set A_KEY_THAT_IS_NOT_SET`; a config change \
         that the conversation has recorded is the reason: go on with `jp-lsp query --conversation {conversation} --model \
         ID` or `--cfg PATH=VALUE`, or take the last change back with `jp-lsp conversation undo-config {conversation}`"
    );
    let stuck = || {
        let (errors, code) = query(&workspace, &go_on);
        assert_eq!(code, 1);
        assert!(errors.contains(&hint), "{errors}");
    };
    stuck();
    // With another value.
    let (errors, code) = query(&workspace, &[&go_on[..], &["--model", "small"]].concat());
    assert_eq!((errors.as_str(), code), ("", 0));
    // The value is taken back, and the tool's change holds again.
    assert_eq!(workspace.run(&undo).2, 0);
    stuck();
    // That is taken back too.
    let (said, _, code) = workspace.run(&undo);
    assert_eq!(
        (said.as_str(), code),
        (
            "taken back: {\"assistant\":{\"model\":{\"id\":{\"provider\":\"xai\",\"name\":\"grok-4\"}}}}\n",
            0
        )
    );
    let (errors, code) = query(&workspace, &go_on);
    assert_eq!((errors.as_str(), code), ("", 0));
    let (said, errors, code) = workspace.run(&undo);
    assert_eq!((said.as_str(), code), ("", 2));
    assert_eq!(
        errors,
        format!(
            "jp-lsp: `{conversation}` has no config change to take back: what holds there is what the files say\n"
        )
    );
    assert_eq!(
        asked(&server),
        [
            json!(["qwen3", null]),
            json!(["small-model", null]),
            json!(["qwen3", null])
        ]
    );
}

#[test]
fn a_model_that_its_provider_refuses_says_what_to_change() {
    let server = Raw::start(vec![words(), words()]);
    let gone = Listener::start();
    let workspace = Workspace::new("llamacpp", &server.base_url, "");
    query(&workspace, &[]);
    let conversation = id(&workspace);
    let go_on = ["--conversation", &conversation];
    let elsewhere = format!("providers.llm.llamacpp.base_url={}", gone.address);
    let (errors, code) = query(&workspace, &[&go_on[..], &["--cfg", &elsewhere]].concat());
    assert_eq!((code, gone.heard().len()), (1, 1), "{errors}");
    assert!(errors.contains("undo-config"), "{errors}");
    workspace.run(&["conversation", "undo-config", &conversation]);
    assert_eq!(query(&workspace, &go_on), (String::new(), 0));
}
