//! One query that meets everything: parallel calls under different policies, questions of every type, a secret, an
//! interrupt; in an editor, and where nobody can be asked.

use expect_test::{ExpectFile, expect_file};
use pretty_assertions::assert_eq;
use serde_json::json;

use crate::{aimock::Aimock, editor::Editor, workspace::Workspace};

/// What the person types as the token; it may stand nowhere but in the tool's own hands.
const TOKEN: &str = "hunter2-sesame";

const CONFIG: &str = r#"
[conversation.tools.'*']
run = "ask"

[conversation.tools.read_note]
source = "local"
command = { program = "sh", args = ["-c", 'until [ -e "$1" ]; do sleep 0.01; done; cat "$0"', "{{tool.arguments.path}}", "ready"] }
policy.run = [
    { arg = "/path", prefix = "notes", mode = "unattended" },
    { mode = "ask" },
]
parameters.path = { type = "path", required = true }

[conversation.tools.write_note]
source = "local"
command = { program = "sh", args = ["-c", 'echo "$0" >> notes/log.md; touch ready; echo written', "{{tool.arguments.text}}"] }
parameters.text = { type = "string", required = true }

[conversation.tools.publish]
source = "local"
run = "unattended"
command = { program = "sh", args = ["-c", '''
input=$(cat)
case $input in
*'"answers":{}'*) echo '{"type":"needs_input","question":{"id":"token","text":"Token?","answer_type":{"type":"secret"}}}' ;;
*)
    token=${input#*'"token":"'}
    printf %s "${token%%'"'*}" > token
    echo '{"type":"success","content":"published"}' ;;
esac
'''] }

[conversation.tools.wait]
source = "local"
run = "unattended"
command = { program = "sh", args = ["-c", "[ -e hurry ] || sleep 1000; echo waited"] }
"#;

fn workspace(provider: &str, server: &Aimock) -> Workspace {
    let workspace = Workspace::new(provider, &server.base_url(), CONFIG);
    workspace.write("notes/größe.md", "Größe: 日本\n");
    workspace
}

/// Asserts that the token went nowhere: to no model, into no conversation.
fn assert_kept(server: &Aimock, workspace: &Workspace) {
    let journal = json!(server.journal()).to_string();
    assert!(!journal.contains(TOKEN), "a model was told the secret");
    let traces = String::from_utf8_lossy(&workspace.traces()).into_owned();
    assert!(traces.contains("call_6.token.1"), "nothing was stored");
    assert!(!traces.contains(TOKEN), "the secret was stored");
}

/// The reasoning as a provider's protocol has it; the mock server has no words for it in Ollama's.
fn reasoning(provider: &str) -> &str {
    match provider {
        "anthropic" => {
            "chat_response {\"reasoning\":\"Read first, then write.\",\"metadata\":{\"anthropic_thinking_signature\":\"aimock-placeholder-signature\"}}\n"
        }
        "ollama" => "",
        _ => "chat_response {\"reasoning\":\"Read first, then write.\"}\n",
    }
}

/// Asserts what was told, which is the same for every provider but for the reasoning.
fn assert_told(provider: &str, told: &str, expected: &ExpectFile) {
    let reasoning = reasoning(provider);
    assert!(told.contains(reasoning), "{told}");
    expected.assert_eq(&told.replacen(reasoning, "", 1));
}

fn in_the_editor(provider: &str) {
    let server = Aimock::start("whole_path.json");
    let workspace = workspace(provider, &server);
    let mut editor = Editor::open(&workspace);
    editor.query("Note it.");

    let prompt = editor.prompt("call_2");
    assert_eq!(prompt.params["kind"], "run");
    assert_eq!(prompt.params["title"], "Run local write_note tool?");
    assert_eq!(prompt.params["preview"]["kind"], "command");
    assert_eq!(prompt.params["rule"]["uri"], editor.uri(".jp/config.toml"));
    // The call that needs no approval is running, and ends only when this one has run.
    editor.answer(&prompt, json!({ "action": "approve" }));

    let prompt = editor.prompt("call_3");
    assert_eq!(
        prompt.params["question"],
        json!({ "text": "Keep it?", "answerType": { "type": "boolean" }, "default": false })
    );
    editor.answer(&prompt, json!({ "action": "answer", "value": true }));

    let prompt = editor.prompt("call_4");
    assert_eq!(
        prompt.params["question"],
        json!({ "text": "Which color?", "answerType": { "type": "select", "options": ["red", "blue"] } })
    );
    assert_eq!(prompt.params["context"], "It is the color\nof the label.");
    editor.answer(&prompt, json!({ "action": "answer", "value": "blue" }));

    let prompt = editor.prompt("call_5");
    assert_eq!(
        prompt.params["question"],
        json!({ "text": "What title?", "answerType": { "type": "text" } })
    );
    editor.answer(&prompt, json!({ "action": "answer", "value": "Größe" }));

    let prompt = editor.prompt("call_6");
    assert_eq!(
        prompt.params["question"],
        json!({ "text": "Token?", "answerType": { "type": "secret" } })
    );
    editor.answer(&prompt, json!({ "action": "answer", "value": TOKEN }));

    let prompt = editor.prompt("call_7");
    editor.answer(&prompt, json!({ "action": "cancel" }));

    while !editor
        .heard
        .contains("tool_call_response {\"id\":\"call_8\"")
    {
        editor.hear("tool_call_response");
    }
    editor.interrupt("stop_and_reply", "Do not wait.");
    editor.hear_the_end();

    assert_told(
        provider,
        &editor.heard,
        &expect_file!["whole_path/in_the_editor.txt"],
    );
    assert_eq!(
        editor.words,
        "I look into größe and 日本.Everything is noted."
    );
    assert_eq!(workspace.read("notes/log.md"), "seen\n");
    assert_eq!(workspace.read("token"), TOKEN);
    assert_kept(&server, &workspace);
}

/// With nobody to ask, everything that would ask is refused and says so, and the turn goes on to its end.
fn without_anybody(provider: &str) {
    let server = Aimock::start("whole_path.json");
    let workspace = workspace(provider, &server);
    workspace.write("ready", "");
    workspace.write("hurry", "");
    let (told, code) = workspace.query("Note it.");
    assert_told(
        provider,
        &told,
        &expect_file!["whole_path/without_anybody.txt"],
    );
    assert_eq!(code, 0);
    assert!(!workspace.root().join("notes/log.md").exists());
    assert!(!workspace.root().join("token").exists());
    assert_kept(&server, &workspace);
}

#[test]
fn anthropic_in_the_editor() {
    in_the_editor("anthropic");
}

#[test]
fn google_in_the_editor() {
    in_the_editor("google");
}

#[test]
fn ollama_in_the_editor() {
    in_the_editor("ollama");
}

#[test]
fn openai_in_the_editor() {
    in_the_editor("openai");
}

#[test]
fn anthropic_without_anybody() {
    without_anybody("anthropic");
}

#[test]
fn google_without_anybody() {
    without_anybody("google");
}

#[test]
fn ollama_without_anybody() {
    without_anybody("ollama");
}

#[test]
fn openai_without_anybody() {
    without_anybody("openai");
}
