//! What an editor shows of a turn: a progress that can be cancelled, and a document that grows.
//!
//! One file: what is shown of one and the same turn.

use std::{fs, path::PathBuf};

use expect_test::expect;
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use crate::desk::Desk;

const CONFIG: &str = r#"//- .jp/config.toml
[assistant]
model.id = "test/model"

[conversation.tools.'*']
run = "unattended"

[conversation.tools.echo]
source = "local"
command = { program = "echo", args = ["{{tool.arguments.text}}"] }

[conversation.tools.echo.parameters.text]
type = "string"
required = true

[conversation.tools.slow]
source = "local"
command = { program = "sleep", args = ["600"] }
"#;

const ECHO: &str = r#"
[[cycles]]
batches = [[
    { text = "I look." },
    { tool_call = { id = "call_1", name = "echo", arguments = { text = "<b>hostile</b>" } } },
]]

[[cycles]]
batches = [[{ text = "It says <script>alert(1)</script>." }]]
"#;

const SLOW: &str = r#"
[[cycles]]
batches = [[{ tool_call = { id = "call_1", name = "slow" } }]]
"#;

fn desk(capabilities: Value, script: &str) -> Desk {
    let params =
        json!({ "capabilities": capabilities, "initializationOptions": { "trusted": true } });
    let mut desk = Desk::with_script(CONFIG, params, Some(script));
    desk.server.tolerate("jp/conversation/event");
    desk
}

fn query(desk: &mut Desk) -> String {
    let query = json!({ "text": "What does it say?", "conversation": "new" });
    let started = desk.server.call("jp/query/start", query).unwrap();
    started["conversation"].as_str().unwrap().to_owned()
}

fn command(desk: &mut Desk, command: &str, argument: Value) -> Result<Value, Value> {
    let params = json!({ "command": command, "arguments": [argument] });
    desk.server.call("workspace/executeCommand", params)
}

#[test]
fn an_empty_question_starts_nothing() {
    let mut desk = desk(json!({}), ECHO);
    for text in ["", " \n\t"] {
        let query = json!({ "text": text, "conversation": "new" });
        let refused = desk.server.call("jp/query/start", query).unwrap_err();
        assert_eq!(refused["code"], -32602);
        assert_eq!(refused["message"], "`text` is empty: write what to ask");
    }
    let listed = desk.server.call("jp/conversation/list", Value::Null);
    assert_eq!(listed.unwrap(), json!([]));
}

#[test]
fn a_folder_that_is_closed_ends_its_turns() {
    let mut desk = desk(json!({}), SLOW);
    query(&mut desk);
    runs(&mut desk);
    let folder = desk.as_folder("");
    desk.server.notify(
        "workspace/didChangeWorkspaceFolders",
        json!({ "event": { "added": [], "removed": [folder] } }),
    );
    assert_eq!(end(&mut desk), "cancelled");
}

/// Waits for the end of the turn, and gives its outcome.
fn end(desk: &mut Desk) -> String {
    loop {
        let event = desk.server.notification("jp/conversation/event");
        if event["event"]["type"] == "turn_end" {
            return event["event"]["outcome"].as_str().unwrap().to_owned();
        }
    }
}

/// The values of a progress up to its end, without the repetitions that depend on timing.
fn progress(desk: &mut Desk, token: &Value) -> Vec<Value> {
    let mut values = Vec::new();
    loop {
        let mut params = desk.server.notification("$/progress");
        assert_eq!(params["token"], *token);
        let is_end = params["value"]["kind"] == "end";
        values.push(params["value"].take());
        if is_end {
            return values;
        }
    }
}

/// The request that creates the progress of a turn; where reading the workspace takes long, that has one as well.
fn turn_progress(desk: &mut Desk) -> (Value, Value) {
    loop {
        let (id, created) = desk.server.request("window/workDoneProgress/create");
        if created["token"].as_str().unwrap().starts_with("jp/turn/") {
            return (id, created);
        }
    }
}

fn path(uri: &Value) -> PathBuf {
    let uri = url::Url::parse(uri.as_str().unwrap()).unwrap();
    uri.to_file_path().unwrap()
}

#[test]
fn a_turn_is_a_progress_that_begins_once_it_was_created() {
    let capabilities = json!({ "window": { "workDoneProgress": true } });
    let mut desk = desk(capabilities, ECHO);
    let conversation = query(&mut desk);
    let (id, created) = turn_progress(&mut desk);
    assert_eq!(end(&mut desk), "completed");
    assert_eq!(created["token"], format!("jp/turn/{conversation}/1"));
    desk.server.respond(&id, Value::Null);
    let shown = progress(&mut desk, &created["token"]);
    // The turn was over by then, so the tools are not shown any more.
    expect![[r#"
        [
          {
            "kind": "begin",
            "title": "jp: What does it say?",
            "cancellable": true,
            "message": "waiting for the model"
          },
          {
            "kind": "end",
            "message": "done"
          }
        ]"#]]
    .assert_eq(&serde_json::to_string_pretty(&shown).unwrap());
}

#[test]
fn the_progress_names_what_runs_and_cancels_the_turn() {
    let capabilities = json!({ "window": { "workDoneProgress": true } });
    let mut desk = desk(capabilities, SLOW);
    query(&mut desk);
    let (id, created) = turn_progress(&mut desk);
    desk.server.respond(&id, Value::Null);
    let begun = desk.server.notification("$/progress");
    assert_eq!(begun["value"]["kind"], "begin");
    let running = desk.server.notification("$/progress");
    assert_eq!(
        running["value"],
        json!({ "kind": "report", "cancellable": true, "message": "running slow" })
    );
    desk.server.notify(
        "window/workDoneProgress/cancel",
        json!({ "token": "jp/turn/another" }),
    );
    desk.server.notify(
        "window/workDoneProgress/cancel",
        json!({ "token": created["token"] }),
    );
    let shown = progress(&mut desk, &created["token"]);
    let last = shown.last().unwrap();
    assert_eq!(last, &json!({ "kind": "end", "message": "cancelled" }));
    assert_eq!(end(&mut desk), "cancelled");
}

#[test]
fn a_client_that_refuses_progress_loses_nothing() {
    let capabilities = json!({ "window": { "workDoneProgress": true } });
    let mut desk = desk(capabilities, ECHO);
    query(&mut desk);
    let (id, _) = turn_progress(&mut desk);
    desk.server.send(&json!({ "jsonrpc": "2.0", "id": id,
        "error": { "code": -32603, "message": "no" } }));
    assert_eq!(end(&mut desk), "completed");
}

#[test]
fn the_next_query_can_follow_the_end_at_once() {
    let script = ECHO.repeat(4);
    let mut desk = desk(json!({}), &script);
    let conversation = query(&mut desk);
    for _ in 0..3 {
        assert_eq!(end(&mut desk), "completed");
        let again = json!({ "text": "And?", "conversation": conversation });
        desk.server.call("jp/query/start", again).unwrap();
    }
    assert_eq!(end(&mut desk), "completed");
}

#[test]
fn a_conversation_is_a_document_that_grows() {
    let capabilities = json!({ "window": { "showDocument": { "support": true } } });
    let mut desk = desk(capabilities, &ECHO.repeat(2));
    let conversation = query(&mut desk);
    assert_eq!(end(&mut desk), "completed");
    let argument = json!({ "conversation": conversation });
    let params = json!({ "command": "jp.conversation.show", "arguments": [argument.clone()] });
    let asked = desk.server.ask("workspace/executeCommand", params);
    let (id, shown) = desk.server.request("window/showDocument");
    desk.server.respond(&id, json!({ "success": true }));
    let answer = desk.server.answer(&asked).unwrap();
    assert_eq!(answer, json!({ "uri": shown["uri"] }));
    assert_eq!(
        shown,
        json!({ "uri": shown["uri"], "external": false, "takeFocus": true })
    );
    let path = path(&shown["uri"]);
    assert!(
        path.starts_with(desk.home("data/jp-lsp/documents")),
        "{path:?}"
    );
    let text = fs::read_to_string(&path).unwrap();
    expect![[r###"
        ## Turn 1

        ### User

        > What does it say?

        ### Assistant

        > I look.

        ### Tool call `echo`

        ```json
        {
          "text": "<b>hostile</b>"
        }
        ```

        Call allowed by the policy: `unattended` by rule 1

        ### Result

        ```
        <b>hostile</b>
        ```

        ### Assistant

        > It says &lt;script>alert(1)&lt;/script>.
    "###]]
    .assert_eq(&text);

    let again = json!({ "text": "And?", "conversation": conversation });
    desk.server.call("jp/query/start", again).unwrap();
    assert_eq!(end(&mut desk), "completed");
    let params = json!({ "command": "jp.conversation.show", "arguments": [argument] });
    let asked = desk.server.ask("workspace/executeCommand", params);
    let (id, _) = desk.server.request("window/showDocument");
    desk.server.respond(&id, json!({ "success": false }));
    desk.server.answer(&asked).unwrap();
    let grown = fs::read_to_string(&path).unwrap();
    assert!(grown.starts_with(&text));
    assert!(grown.contains("## Turn 2"));
}

#[test]
fn what_is_no_conversation_is_not_shown() {
    let mut desk = desk(json!({}), ECHO);
    let mut refused = |conversation: &str| {
        let argument = json!({ "conversation": conversation });
        command(&mut desk, "jp.conversation.show", argument).unwrap_err()["message"].take()
    };
    assert_eq!(
        refused("jp-c17636666521"),
        "there is no conversation `jp-c17636666521` in the open workspaces"
    );
    assert_eq!(
        refused("../x"),
        "`../x` is no conversation: write an id such as `jp-c17636666521`, or `new`"
    );
}

#[test]
fn a_plain_client_sees_the_answer() {
    let query = json!({ "text": "What does it say?" });

    let shows = json!({ "window": { "showDocument": { "support": true } } });
    let mut desk = self::desk(shows, ECHO);
    command(&mut desk, "jp.query", query.clone()).unwrap();
    let (id, shown) = desk.server.request("window/showDocument");
    let text = fs::read_to_string(path(&shown["uri"])).unwrap();
    assert!(
        text.ends_with("> It says &lt;script>alert(1)&lt;/script>.\n"),
        "{text}"
    );
    assert_eq!(shown["takeFocus"], false);
    desk.server.respond(&id, json!({ "success": true }));

    // An editor may know the selection as a text, and not put it into an object.
    let mut desk = self::desk(json!({}), ECHO);
    command(&mut desk, "jp.query", query["text"].clone()).unwrap();
    let message = desk.server.notification("window/showMessage");
    let message = message["message"].as_str().unwrap();
    let (said, place) = message.split_once('\n').unwrap();
    assert_eq!(said, "jp: It says <script>alert(1)</script>.");
    assert!(place.ends_with(".md)"), "{place}");
}

#[test]
fn a_plain_client_sees_why_there_is_no_answer() {
    let mut desk = desk(
        json!({}),
        "[[cycles]]\nerror = { message = \"no such model\" }\n",
    );
    command(&mut desk, "jp.query", json!({ "text": "?" })).unwrap();
    let message = desk.server.notification("window/showMessage");
    assert_eq!(message["type"], 1);
    let text = message["message"].as_str().unwrap();
    assert!(text.starts_with("jp: the turn failed: "), "{text}");
}

/// Waits until a tool runs.
fn runs(desk: &mut Desk) {
    loop {
        let event = desk.server.notification("jp/conversation/event");
        if event["event"]["type"] == "tool_call_request" {
            return;
        }
    }
}

#[test]
fn an_interrupt_without_an_action_does_what_the_config_says() {
    let config = format!("{CONFIG}\n[interrupt]\ntool_call.action = \"stop\"\n");
    let params = json!({ "capabilities": {}, "initializationOptions": { "trusted": true } });
    let mut desk = Desk::with_script(&config, params, Some(SLOW));
    desk.server.tolerate("jp/conversation/event");
    let conversation = query(&mut desk);
    runs(&mut desk);
    let interrupt = json!({ "conversation": conversation });
    let done = desk.server.call("jp/query/interrupt", interrupt.clone());
    assert_eq!(done, Ok(Value::Null));
    assert_eq!(end(&mut desk), "completed");
    let refused = desk.server.call("jp/query/interrupt", interrupt);
    let said = format!("no turn of `{conversation}` is running");
    assert_eq!(refused.unwrap_err()["message"], said);
}

#[test]
fn an_interrupt_asks_where_the_config_says_nothing() {
    let mut desk = desk(json!({}), SLOW);
    let conversation = query(&mut desk);
    runs(&mut desk);
    let interrupt = json!({ "conversation": conversation });
    // A client with a menu of its own has the same words for it.
    let choices = desk
        .server
        .call("jp/query/interruptChoices", interrupt.clone());
    let expected = json!([
        { "action": "continue", "title": "Continue" },
        { "action": "stop_and_reply", "title": "Stop the calls and tell the assistant" },
        { "action": "restart", "title": "Run the calls again" },
        { "action": "stop", "title": "Stop" },
    ]);
    assert_eq!(choices, Ok(expected));
    for (pick, ends) in [(Value::Null, false), (json!({ "title": "Stop" }), true)] {
        let asked = desk.server.ask("jp/query/interrupt", interrupt.clone());
        let (id, question) = desk.server.request("window/showMessageRequest");
        let actions = json!([
            { "title": "Continue" },
            { "title": "Stop the calls and tell the assistant" },
            { "title": "Run the calls again" },
            { "title": "Stop" },
        ]);
        assert_eq!(question["actions"], actions);
        desk.server.respond(&id, pick);
        assert_eq!(desk.server.answer(&asked), Ok(Value::Null));
        if ends {
            assert_eq!(end(&mut desk), "completed");
        }
    }
    let refused = desk.server.call("jp/query/interruptChoices", interrupt);
    let said = format!("no turn of `{conversation}` is running");
    assert_eq!(refused.unwrap_err()["message"], said);
}

#[test]
fn a_waiting_prompt_stands_at_its_rule_and_shows_its_details() {
    let config = "//- .jp/config.toml\nassistant.model.id = \"test/model\"\n\
        conversation.tools.echo = { summary = \"é😀\", source = \"local\", command = \"echo x\", run = \"ask\" }\n";
    let script = "[[cycles]]\nbatches = [[{ tool_call = { id = \"call_1\", name = \"echo\" } }]]\n\
        [[cycles]]\nbatches = [[{ text = \"Then not.\" }]]\n";
    for (encoding, place) in [
        ("utf-8", "1:92-97 pending-prompt"),
        ("utf-16", "1:89-94 pending-prompt"),
    ] {
        let params = json!({
            "capabilities": {
                "general": { "positionEncodings": [encoding] },
                "textDocument": { "codeAction": { "codeActionLiteralSupport": {} } },
            },
            "initializationOptions": { "trusted": true },
        });
        let mut desk = Desk::with_script(config, params, Some(script));
        desk.server.tolerate("jp/conversation/event");
        query(&mut desk);
        let (message, _) = desk.server.request("window/showMessageRequest");
        desk.server.respond(&message, Value::Null);
        desk.shows(".jp/config.toml", &[place]);
        let position = json!({ "line": 1, "character": 93 });
        let at = json!({ "textDocument": { "uri": desk.uri(".jp/config.toml") },
            "range": { "start": position, "end": position }, "context": { "diagnostics": [] } });
        let actions = desk.server.call("textDocument/codeAction", at).unwrap();
        let pick = |title: &str| {
            let actions = actions.as_array().unwrap().iter();
            let mut fitting = actions.filter(|action| {
                let name = action["title"].as_str().unwrap();
                name.starts_with(title)
            });
            fitting.next().unwrap()["command"].clone()
        };
        let details = pick("Show Details");
        let params = json!({ "command": details["command"], "arguments": details["arguments"] });
        let answer = desk.server.call("workspace/executeCommand", params);
        assert_eq!(answer, Ok(json!({ "decided": false })));
        let shown = desk.server.notification("window/showMessage");
        let text = shown["message"].as_str().unwrap();
        assert!(
            text.starts_with("# Prompt\n\n```\nRun local echo tool?\n```\n\n```\necho x\n```\n"),
            "{text}"
        );
        let reject = pick("Reject \u{2014}");
        let params = json!({ "command": reject["command"], "arguments": reject["arguments"] });
        let answer = desk.server.call("workspace/executeCommand", params);
        assert_eq!(answer, Ok(json!({ "decided": true })));
        assert_eq!(end(&mut desk), "completed");
        desk.shows(".jp/config.toml", &[]);
    }
}

#[test]
fn what_a_query_sets_is_recorded_and_can_be_taken_back() {
    let mut desk = desk(json!({}), ECHO);
    let start = |desk: &mut Desk, conversation: &str, model: &str, config: Value| {
        let query = json!({ "text": "Go.", "conversation": conversation, "model": model, "config": config });
        desk.server.call("jp/query/start", query)
    };
    for (model, config, code, problem) in [
        (
            "test/other",
            json!({ "assistant.nmae": "Ada" }),
            -32602,
            "`assistant.nmae` is no config path: unknown key `nmae`, did you mean `name`?",
        ),
        (
            "nothing",
            json!({}),
            -32803,
            "`assistant.model.id`: unknown model alias `nothing`, write an alias from `providers.llm.aliases` or \
             `<provider>/<model>`",
        ),
    ] {
        let refused = start(&mut desk, "new", model, config).unwrap_err();
        assert_eq!(
            (&refused["code"], &refused["message"]),
            (&json!(code), &json!(problem))
        );
    }
    let listed = desk.server.call("jp/conversation/list", Value::Null);
    assert_eq!(listed.unwrap(), json!([]));
    let config = json!({ "assistant.name": "Ada" });
    let started = start(&mut desk, "new", "test/other", config).unwrap();
    assert_eq!(end(&mut desk), "completed");
    let delta = json!({ "assistant": {
        "model": { "id": { "provider": "test", "name": "other" } },
        "name": "Ada",
    } });
    let read = desk
        .server
        .call("jp/conversation/read", started.clone())
        .unwrap();
    let begin: Vec<&Value> = (0..3).map(|event| &read["events"][event]["type"]).collect();
    assert_eq!(begin, ["turn_start", "config_delta", "chat_request"]);
    assert_eq!(read["events"][1]["delta"], delta);
    assert_eq!(
        command(&mut desk, "jp.config.undo", started.clone()).unwrap(),
        json!({ "delta": delta, "unsets": [] })
    );
    let refused = command(&mut desk, "jp.config.undo", started).unwrap_err();
    assert_eq!(refused["code"], -32803);
}

/// Two calls, of which the first waits for a person.
const TWO: &str = r#"
context_window = 200_000

[[cycles]]
usage = { input_tokens = 1200, output_tokens = 80 }
batches = [[
    { tool_call = { id = "call_1", name = "asks", arguments = { text = "one" } } },
    { tool_call = { id = "call_2", name = "echo", arguments = { text = "two" } } },
]]

[[cycles]]
batches = [[{ text = "Both are there." }]]
"#;

const ASKS: &str = r#"
[conversation.tools.asks]
source = "local"
run = "ask"
command = { program = "echo", args = ["{{tool.arguments.text}}"] }

[conversation.tools.asks.parameters.text]
type = "string"
required = true
"#;

/// The next event of one of these types, without what differs from run to run.
fn detail(desk: &mut Desk, types: &[&str]) -> String {
    loop {
        let mut told = desk.server.notification("jp/conversation/event");
        let event = told["event"].as_object_mut().unwrap();
        if types.contains(&event["type"].as_str().unwrap()) {
            for differing in ["timestamp", "metadata"] {
                event.shift_remove(differing);
            }
            return told["event"].to_string();
        }
    }
}

#[test]
fn a_client_hears_what_each_call_is_doing_and_of_a_result_before_those_of_earlier_calls() {
    let capabilities =
        json!({ "experimental": { "jp": { "prompts": true, "turnDetails": true } } });
    let params =
        json!({ "capabilities": capabilities, "initializationOptions": { "trusted": true } });
    let mut desk = Desk::with_script(&format!("{CONFIG}{ASKS}"), params, Some(TWO));
    desk.server.tolerate("jp/promptResolved");
    query(&mut desk);
    let told = ["call_state", "usage", "tool_call_response"];
    let before: Vec<String> = (0..5).map(|_| detail(&mut desk, &told)).collect();
    expect![[r#"
        {"type":"call_state","id":"call_1","state":"deciding","name":"asks","arguments":{"text":"one"}}
        {"type":"call_state","id":"call_2","state":"deciding","name":"echo","arguments":{"text":"two"}}
        {"type":"usage","inputTokens":1200,"outputTokens":80,"text":"1,280 tokens"}
        {"type":"call_state","id":"call_2","state":"running"}
        {"type":"call_state","id":"call_2","state":"done","content":"two\n"}"#]]
    .assert_eq(&before.join("\n"));

    let (id, prompt) = desk.server.request("jp/prompt");
    assert_eq!(prompt["tool"]["callId"], "call_1");
    desk.server.respond(&id, json!({ "action": "approve" }));
    let after: Vec<String> = (0..5).map(|_| detail(&mut desk, &told)).collect();
    expect![[r#"
        {"type":"call_state","id":"call_1","state":"running"}
        {"type":"call_state","id":"call_1","state":"done","content":"one\n"}
        {"type":"tool_call_response","id":"call_1","content":"one\n","is_error":false}
        {"type":"tool_call_response","id":"call_2","content":"two\n","is_error":false}
        {"type":"usage","inputTokens":1200,"outputTokens":80,"contextWindow":200000,"text":"1,280 of 200,000 tokens"}"#]]
    .assert_eq(&after.join("\n"));
    assert_eq!(end(&mut desk), "completed");
}

#[test]
fn a_client_that_asks_for_no_details_hears_only_what_is_recorded_and_said() {
    let mut desk = desk(json!({}), ECHO);
    query(&mut desk);
    let mut types = Vec::new();
    while types.last().is_none_or(|last| last != "turn_end") {
        let told = desk.server.notification("jp/conversation/event");
        types.push(told["event"]["type"].as_str().unwrap().to_owned());
    }
    types.dedup();
    expect![[r"
        turn_start
        chat_request
        delta_text
        chat_response
        tool_call_request
        tool_call_response
        delta_text
        chat_response
        turn_end"]]
    .assert_eq(&types.join("\n"));
}

#[test]
fn the_progress_says_that_a_call_waits_for_a_decision() {
    let capabilities = json!({
        "window": { "workDoneProgress": true },
        "experimental": { "jp": { "prompts": true } },
    });
    let params =
        json!({ "capabilities": capabilities, "initializationOptions": { "trusted": true } });
    let script = TWO.replace("echo", "asks");
    let mut desk = Desk::with_script(&format!("{CONFIG}{ASKS}"), params, Some(&script));
    for told in ["jp/conversation/event", "jp/promptResolved", "$/progress"] {
        desk.server.tolerate(told);
    }
    query(&mut desk);
    let (id, created) = turn_progress(&mut desk);
    desk.server.respond(&id, Value::Null);
    let mut said = String::new();
    while said != "waiting for your decision about asks" {
        let params = desk.server.notification("$/progress");
        assert_eq!(params["token"], created["token"]);
        said = params["value"]["message"].as_str().unwrap().to_owned();
    }
    for _ in 0..2 {
        let (id, _) = desk.server.request("jp/prompt");
        desk.server.respond(&id, json!({ "action": "reject" }));
    }
    assert_eq!(end(&mut desk), "completed");
}
