//! Rules from approvals and from a prompt: suggested, chosen, written by the editor, and in effect at once for as long as the text says so.

use expect_test::{Expect, expect};
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use crate::desk::Desk;

const CONFIG: &str = r#"//- .jp/config.toml
[assistant]
model.id = "test/quick"

[conversation.tools.'*']
run = "ask"

[conversation.tools.read]
source = "local"
command = { program = "printf", args = ["read"] }
parameters.path = { type = "path", required = true }
policy.run = [
    { arg = "/path", prefix = "secrets", mode = "skip" },
    { mode = "ask" },
]

[conversation.tools.other]
source = "local"
command = { program = "printf", args = ["other"] }
"#;

const RULE: &str = r#"{ arg = "/path", prefix = "docs", mode = "unattended" }"#;
const ASKS: &str = "    { mode = \"ask\" },";

/// A turn that makes these calls, one list a cycle, each with its id, its tool and its path.
fn script(cycles: &[&[(&str, &str, &str)]]) -> String {
    let mut text = String::new();
    for calls in cycles {
        text.push_str("[[cycles]]\nbatches = [[\n");
        for (id, tool, path) in *calls {
            let arguments = match *path {
                "" => String::new(),
                path => format!("path = \"{path}\""),
            };
            text.push_str(&format!(
                "  {{ tool_call = {{ id = \"{id}\", name = \"{tool}\", arguments = {{ {arguments} }} }} }},\n"
            ));
        }
        text.push_str("]]\n");
    }
    text.push_str("[[cycles]]\nbatches = [[{ text = \"Done.\" }]]\n");
    text
}

fn desk(prompts: bool, cycles: &[&[(&str, &str, &str)]]) -> Desk {
    let capabilities = json!({
        "experimental": { "jp": { "prompts": prompts } },
        "textDocument": { "codeAction": { "codeActionLiteralSupport": {} } },
        "window": { "showDocument": { "support": true } },
        "workspace": { "applyEdit": true, "workspaceEdit": { "documentChanges": true } },
    });
    let params =
        json!({ "capabilities": capabilities, "initializationOptions": { "trusted": true } });
    let mut desk = Desk::with_script(CONFIG, params, Some(&script(cycles)));
    for method in ["jp/conversation/event", "jp/promptResolved", "jp/notice"] {
        desk.server.tolerate(method);
    }
    desk.open(".jp/config.toml");
    desk
}

fn start(desk: &mut Desk) {
    let query = json!({ "text": "Go.", "conversation": "new" });
    desk.server.call("jp/query/start", query).unwrap();
}

/// Waits for the prompt of a call, and gives how it is answered and what can be picked.
fn prompt(desk: &mut Desk, call: &str) -> (Value, Vec<String>) {
    let (id, prompt) = desk.server.request("jp/prompt");
    assert_eq!(prompt["tool"]["callId"], call);
    let choices = prompt["choices"].as_array().unwrap().iter();
    let titles = choices.map(|choice| choice["title"].as_str().unwrap().to_owned());
    (id, titles.collect())
}

/// Waits until a document is shown, and gives its text.
fn shown(desk: &mut Desk) -> String {
    let (id, shown) = desk.server.request("window/showDocument");
    desk.server.respond(&id, json!({ "success": true }));
    let uri: url::Url = shown["uri"].as_str().unwrap().parse().unwrap();
    std::fs::read_to_string(uri.to_file_path().unwrap()).unwrap()
}

/// Waits for a message with buttons, picks one, and gives the text and the titles.
fn pick(desk: &mut Desk, title: &str) -> String {
    let (id, message) = desk.server.request("window/showMessageRequest");
    let actions = message["actions"].as_array().unwrap().iter();
    let titles: Vec<&str> = actions.map(|it| it["title"].as_str().unwrap()).collect();
    let text = format!(
        "{}\n[{}]",
        message["message"].as_str().unwrap(),
        titles.join("] [")
    );
    assert!(titles.contains(&title), "{text}");
    desk.server.respond(&id, json!({ "title": title }));
    text
}

/// Waits for the edit, makes it in the buffer, and tells the server only once it is said to be made.
fn edited(desk: &mut Desk, expected: Expect) {
    let (id, edit) = desk.server.request("workspace/applyEdit");
    let change = &edit["edit"]["documentChanges"][0];
    expected.assert_eq(&format!(
        "{} v{}: {}",
        edit["label"].as_str().unwrap(),
        change["textDocument"]["version"],
        change["edits"]
    ));
    desk.server.respond(&id, json!({ "applied": true }));
    desk.replace(".jp/config.toml", ASKS, &format!("    {RULE},\n{ASKS}"));
}

fn wait_for_end(desk: &mut Desk) {
    loop {
        let event = desk.server.notification("jp/conversation/event");
        if event["event"]["type"] == "turn_end" {
            assert_eq!(event["event"]["outcome"], "completed");
            return;
        }
    }
}

const READ: &str = "read";

#[test]
fn a_rule_that_is_picked_at_a_prompt_answers_what_waits_and_what_comes() {
    let mut desk = desk(
        true,
        &[
            &[("c1", READ, "docs/a.md"), ("c2", READ, "docs/b.md")],
            &[("c3", "other", "")],
            &[("c4", READ, "docs/c.md"), ("c5", "other", "")],
            &[("c6", READ, "docs/d.md")],
        ],
    );
    start(&mut desk);
    let (id, choices) = prompt(&mut desk, "c1");
    // The other call is on record too before the record is read.
    while desk.server.notification("jp/conversation/event")["event"]["id"] != "c2" {}
    assert_eq!(
        choices,
        [
            "Reject",
            "Reject, and other calls that this rule asks for, in this turn",
            "Reject with a Reason…",
            "Run",
            "Run, and other calls that this rule asks for, in this turn",
            "Always run calls like this…",
            "Edit Arguments…",
            "Show Details",
        ]
    );
    desk.server.respond(&id, json!({ "action": "always" }));
    expect![[r##"
        # Rules for `read`

        0 of 2 recorded calls needed a person, who refused 0; 0 that a person allowed would be asked about again.
        Each rule lets the call run that waits now.

        ## 1. every call whose `path` is `docs/a.md`, unless an earlier rule decides

        ```toml
        { arg = "/path", const = "docs/a.md", mode = "unattended" }
        ```

        - would have answered 0 of 0 approvals
        - recorded calls that nobody answered and that it would let run: 1
        - checked: lets run no call that was refused or edited, lets run only what was asked about, hides no rule and is hidden by none, makes no array a hazard, lets no path reach a protected file
        - goes before rule 2 (`.jp/config.toml:13`)

        ```diff
        --- a/.jp/config.toml
        +++ b/.jp/config.toml
        @@ -11,4 +11,5 @@
         policy.run = [
             { arg = "/path", prefix = "secrets", mode = "skip" },
        +    { arg = "/path", const = "docs/a.md", mode = "unattended" },
             { mode = "ask" },
         ]
        ```

        ## 2. every call whose `path` lies in `docs`, unless an earlier rule decides

        ```toml
        { arg = "/path", prefix = "docs", mode = "unattended" }
        ```

        - would have answered 0 of 0 approvals
        - recorded calls that nobody answered and that it would let run: 2
        - also lets run `{"path":"docs/any/other/file"}`
        - also lets run `{"path":"docs/x"}`
        - checked: lets run no call that was refused or edited, lets run only what was asked about, hides no rule and is hidden by none, makes no array a hazard, lets no path reach a protected file
        - goes before rule 2 (`.jp/config.toml:13`)

        ```diff
        --- a/.jp/config.toml
        +++ b/.jp/config.toml
        @@ -11,4 +11,5 @@
         policy.run = [
             { arg = "/path", prefix = "secrets", mode = "skip" },
        +    { arg = "/path", prefix = "docs", mode = "unattended" },
             { mode = "ask" },
         ]
        ```
    "##]].assert_eq(&shown(&mut desk));
    expect![[r#"
        Always run calls of `read` like these?
        1: every call whose `path` is `docs/a.md`, unless an earlier rule decides (this call and 0 of 0 approvals)
        2: every call whose `path` lies in `docs`, unless an earlier rule decides (this call and 0 of 0 approvals)
        [1: path is docs/a.md] [2: path in docs] [Cancel]"#]].assert_eq(&pick(&mut desk, "2: path in docs"));
    expect![[r##"
        # `{ arg = "/path", prefix = "docs", mode = "unattended" }`

        ## `.jp/config.toml`

        ```diff
        --- a/.jp/config.toml
        +++ b/.jp/config.toml
        @@ -11,4 +11,5 @@
         policy.run = [
             { arg = "/path", prefix = "secrets", mode = "skip" },
        +    { arg = "/path", prefix = "docs", mode = "unattended" },
             { mode = "ask" },
         ]
        ```
    "##]]
    .assert_eq(&shown(&mut desk));
    expect![[r#"
        Write { arg = "/path", prefix = "docs", mode = "unattended" } into the config?
        [Write into .jp/config.toml] [Cancel]"#]]
    .assert_eq(&pick(&mut desk, "Write into .jp/config.toml"));
    edited(
        &mut desk,
        expect![[
            r#"Always run calls of read v1: [{"range":{"start":{"line":12,"character":0},"end":{"line":12,"character":0}},"newText":"    { arg = \"/path\", prefix = \"docs\", mode = \"unattended\" },\n"}]"#
        ]],
    );
    // Both calls ran, and the next prompt is about another tool.
    let (id, _) = prompt(&mut desk, "c3");
    desk.server.respond(&id, json!({ "action": "approve" }));
    // A call like them waits for nobody while the text says so, though nothing is saved.
    let (id, _) = prompt(&mut desk, "c5");
    // One undo, and the next one is asked about again.
    desk.replace(".jp/config.toml", &format!("    {RULE},\n"), "");
    desk.server.respond(&id, json!({ "action": "approve" }));
    let (id, _) = prompt(&mut desk, "c6");
    desk.server.respond(&id, json!({ "action": "approve" }));
    wait_for_end(&mut desk);
}

#[test]
fn a_prompt_goes_on_waiting_where_no_rule_is_picked() {
    let mut desk = desk(true, &[&[("c1", READ, "docs/a.md")]]);
    start(&mut desk);
    let (id, _) = prompt(&mut desk, "c1");
    desk.server.respond(&id, json!({ "action": "always" }));
    shown(&mut desk);
    pick(&mut desk, "Cancel");
    let (id, _) = prompt(&mut desk, "c1");
    desk.server.respond(&id, json!({ "action": "always" }));
    shown(&mut desk);
    pick(&mut desk, "1: path is docs/a.md");
    shown(&mut desk);
    pick(&mut desk, "Write into .jp/config.toml");
    let (edit, _) = desk.server.request("workspace/applyEdit");
    let refusal = json!({ "applied": false, "failureReason": "no\u{1b}[2J" });
    desk.server.respond(&edit, refusal);
    let (id, _) = prompt(&mut desk, "c1");
    desk.server.respond(&id, json!({ "action": "reject" }));
    desk.server.tolerate("window/logMessage");
    wait_for_end(&mut desk);
}

#[test]
fn what_changed_since_it_was_shown_is_not_written() {
    let mut desk = desk(true, &[&[("c1", READ, "docs/a.md")]]);
    start(&mut desk);
    let (id, _) = prompt(&mut desk, "c1");
    desk.server.respond(&id, json!({ "action": "always" }));
    shown(&mut desk);
    pick(&mut desk, "2: path in docs");
    shown(&mut desk);
    desk.replace(".jp/config.toml", "mode = \"skip\"", "mode = \"edit\"");
    pick(&mut desk, "Write into .jp/config.toml");
    let message = desk.server.notification("window/showMessage");
    expect!["the call waits by other rules of `read` than the config in the editor has: save the config, or take back what the conversation changed"].assert_eq(message["message"].as_str().unwrap());
    let (id, _) = prompt(&mut desk, "c1");
    desk.server.respond(&id, json!({ "action": "reject" }));
    wait_for_end(&mut desk);
}

/// The title of the action on the tool, once the record of the turn is judged.
fn suggestion(desk: &mut Desk) -> Value {
    let at = json!({ "line": 6, "character": 0 });
    let params = json!({
        "textDocument": { "uri": desk.uri(".jp/config.toml") },
        "range": { "start": at, "end": at }, "context": { "diagnostics": [] },
    });
    loop {
        let actions = desk.server.call("textDocument/codeAction", params.clone());
        let actions = actions.unwrap_or_default();
        let found = actions.as_array().into_iter().flatten();
        let mut found = found.filter(|action| action["command"]["command"] == "jp.rules.suggest");
        if let Some(action) = found.next() {
            return action.clone();
        }
    }
}

#[test]
fn approvals_on_record_become_an_action_on_the_tool() {
    let calls = [
        ("c1", READ, "docs/a.md"),
        ("c2", READ, "docs/b.md"),
        ("c3", READ, "lib/key"),
    ];
    let mut desk = desk(true, &[&calls]);
    start(&mut desk);
    for (call, action) in [("c1", "approve"), ("c2", "approve"), ("c3", "reject")] {
        let (id, _) = prompt(&mut desk, call);
        desk.server.respond(&id, json!({ "action": action }));
    }
    wait_for_end(&mut desk);
    let action = suggestion(&mut desk);
    assert_eq!(action["title"], "Suggest rules from 2 approvals");
    assert_eq!(action["kind"], "refactor.rewrite");
    let command = action["command"].clone();
    let asked = desk.server.ask("workspace/executeCommand", command);
    expect![[r##"
        # Rules for `read`

        3 of 3 recorded calls needed a person, who refused 1; 2 that a person allowed would be asked about again.

        ## 1. every call whose `path` is one of `docs/a.md`, `docs/b.md`, unless an earlier rule decides

        ```toml
        { arg = "/path", enum = ["docs/a.md", "docs/b.md"], mode = "unattended" }
        ```

        - would have answered 2 of 2 approvals
        - checked: lets run no call that was refused or edited, lets run only what was asked about, hides no rule and is hidden by none, makes no array a hazard, lets no path reach a protected file
        - goes before rule 2 (`.jp/config.toml:13`)

        ```diff
        --- a/.jp/config.toml
        +++ b/.jp/config.toml
        @@ -11,4 +11,5 @@
         policy.run = [
             { arg = "/path", prefix = "secrets", mode = "skip" },
        +    { arg = "/path", enum = ["docs/a.md", "docs/b.md"], mode = "unattended" },
             { mode = "ask" },
         ]
        ```

        ## 2. every call whose `path` lies in `docs`, unless an earlier rule decides

        ```toml
        { arg = "/path", prefix = "docs", mode = "unattended" }
        ```

        - would have answered 2 of 2 approvals
        - also lets run `{"path":"docs/any/other/file"}`
        - also lets run `{"path":"docs/x"}`
        - checked: lets run no call that was refused or edited, lets run only what was asked about, hides no rule and is hidden by none, makes no array a hazard, lets no path reach a protected file
        - goes before rule 2 (`.jp/config.toml:13`)

        ```diff
        --- a/.jp/config.toml
        +++ b/.jp/config.toml
        @@ -11,4 +11,5 @@
         policy.run = [
             { arg = "/path", prefix = "secrets", mode = "skip" },
        +    { arg = "/path", prefix = "docs", mode = "unattended" },
             { mode = "ask" },
         ]
        ```

        ## 3. every call whose `path` is `docs/a.md`, unless an earlier rule decides

        ```toml
        { arg = "/path", const = "docs/a.md", mode = "unattended" }
        ```

        - would have answered 1 of 2 approvals
        - checked: lets run no call that was refused or edited, lets run only what was asked about, hides no rule and is hidden by none, makes no array a hazard, lets no path reach a protected file
        - goes before rule 2 (`.jp/config.toml:13`)

        ```diff
        --- a/.jp/config.toml
        +++ b/.jp/config.toml
        @@ -11,4 +11,5 @@
         policy.run = [
             { arg = "/path", prefix = "secrets", mode = "skip" },
        +    { arg = "/path", const = "docs/a.md", mode = "unattended" },
             { mode = "ask" },
         ]
        ```

        ## 4. every call whose `path` is `docs/b.md`, unless an earlier rule decides

        ```toml
        { arg = "/path", const = "docs/b.md", mode = "unattended" }
        ```

        - would have answered 1 of 2 approvals
        - checked: lets run no call that was refused or edited, lets run only what was asked about, hides no rule and is hidden by none, makes no array a hazard, lets no path reach a protected file
        - goes before rule 2 (`.jp/config.toml:13`)

        ```diff
        --- a/.jp/config.toml
        +++ b/.jp/config.toml
        @@ -11,4 +11,5 @@
         policy.run = [
             { arg = "/path", prefix = "secrets", mode = "skip" },
        +    { arg = "/path", const = "docs/b.md", mode = "unattended" },
             { mode = "ask" },
         ]
        ```
    "##]].assert_eq(&shown(&mut desk));
    expect![[r#"
        Always run calls of `read` like these?
        1: every call whose `path` is one of `docs/a.md`, `docs/b.md`, unless an earlier rule decides (2 of 2 approvals)
        2: every call whose `path` lies in `docs`, unless an earlier rule decides (2 of 2 approvals)
        3: every call whose `path` is `docs/a.md`, unless an earlier rule decides (1 of 2 approvals)
        4: every call whose `path` is `docs/b.md`, unless an earlier rule decides (1 of 2 approvals)
        [1: path one of 2] [2: path in docs] [3: path is docs/a.md] [4: path is docs/b.md] [Cancel]"#]].assert_eq(&pick(&mut desk, "2: path in docs"));
    expect![[r##"
        # `{ arg = "/path", prefix = "docs", mode = "unattended" }`

        ## `.jp/config.toml`

        ```diff
        --- a/.jp/config.toml
        +++ b/.jp/config.toml
        @@ -11,4 +11,5 @@
         policy.run = [
             { arg = "/path", prefix = "secrets", mode = "skip" },
        +    { arg = "/path", prefix = "docs", mode = "unattended" },
             { mode = "ask" },
         ]
        ```
    "##]]
    .assert_eq(&shown(&mut desk));
    pick(&mut desk, "Write into .jp/config.toml");
    edited(
        &mut desk,
        expect![[
            r#"Always run calls of read v1: [{"range":{"start":{"line":12,"character":0},"end":{"line":12,"character":0}},"newText":"    { arg = \"/path\", prefix = \"docs\", mode = \"unattended\" },\n"}]"#
        ]],
    );
    let mut done = desk.server.answer(&asked).unwrap();
    assert_eq!(done["written"]["file"].take(), desk.uri(".jp/config.toml"));
    expect![[r#"{"offered":4,"written":{"file":null,"applied":true,"rule":"{ arg = \"/path\", prefix = \"docs\", mode = \"unattended\" }","answered":0}}"#]].assert_eq(&done.to_string());
}

#[test]
fn only_what_is_proven_is_written() {
    let mut desk = desk(true, &[]);
    let rule = json!({ "arg": "/path", "prefix": "docs", "mode": "unattended" });
    let mut failure = |command: &str, argument: Value| {
        let params = json!({ "command": command, "arguments": [argument] });
        let answer = desk.server.call("workspace/executeCommand", params);
        answer.unwrap_err()["message"].as_str().unwrap().to_owned()
    };
    expect![
        "the rule is not written: it is not among those that are suggested now; suggest rules again"
    ]
    .assert_eq(&failure(
        "jp.rules.write",
        json!({ "tool": "read", "rule": rule }),
    ));
    expect!["no tool `raed` is configured; did you mean `read`?"]
        .assert_eq(&failure("jp.rules.suggest", json!({ "tool": "raed" })));
    expect!["name a `tool`, or a `prompt` that waits"]
        .assert_eq(&failure("jp.rules.suggest", json!({})));
    let prompt = json!({ "prompt": { "id": "7", "digest": "x" } });
    expect!["the prompt `7` waits no more"].assert_eq(&failure("jp.rules.suggest", prompt));
    let nothing = json!({ "command": "jp.rules.suggest", "arguments": [{ "tool": "read" }] });
    let asked = desk.server.ask("workspace/executeCommand", nothing);
    shown(&mut desk);
    let message = desk.server.notification("window/showMessage");
    assert_eq!(
        message["message"],
        "There is no rule to suggest for `read`."
    );
    assert_eq!(
        desk.server.answer(&asked).unwrap(),
        json!({ "offered": 0, "written": null })
    );
}

#[test]
fn a_plain_client_gets_a_button_and_an_action() {
    let mut desk = desk(false, &[&[("c1", READ, "docs/a.md")]]);
    start(&mut desk);
    let picked = pick(&mut desk, "Always run calls like this…");
    assert!(picked.contains("[Always run calls like this…]"));
    shown(&mut desk);
    pick(&mut desk, "Cancel");
    // It still waits, and is shown again.
    pick(&mut desk, "Reject");
    wait_for_end(&mut desk);
}
