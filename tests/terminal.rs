//! The runtime through the real binary, in a terminal that nobody sits at.

#![expect(
    clippy::unwrap_used,
    reason = "a run that cannot be prepared fails the test"
)]

mod program;

use std::{
    fs,
    path::Path,
    process::{Command, Stdio},
};

use expect_test::expect;
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use program::program;

const SAMPLE: &str = include_str!("../server/jp_lsp/src/cli/demo/config.toml");

/// The binary, at home in a folder of its own.
fn binary(home: &Path) -> Command {
    let mut command = Command::new(program());
    command
        .env("JP_GLOBAL_CONFIG_DIR", home.join("none"))
        .env("JP_LSP_DATA_DIR", home.join("data"))
        .env_remove("JP_LSP_TEST_SCRIPT");
    command
}

#[test]
fn the_demonstration_shows_the_whole_thing() {
    let home = tempfile::tempdir().unwrap();
    let output = binary(home.path()).arg("demo").output().unwrap();
    assert!(output.status.success());
    expect![[r#"
        == 1. A typo in a grant is found as it is typed

        error[unknown-key]: unknown key `aply`, did you mean `apply`?
          --> .jp/config.toml:29:1
           |
        29 | aply = "ask"
           | ^^^^

        1 error, 0 warnings

        == 2. The fix is typed, and the config is clean

        0 errors, 0 warnings

        == 3. A turn: the model asks, a tool proposes a config change

        you        Switch to a stronger model, but ask me first.
        assistant  I ask before I switch.
        call       ask_user {"answer_type":"boolean","question":"Switch to the stronger model?"}
        prompt     Switch to the stronger model?
                   | Assistant asks: Switch to the stronger model?
                   answered: true
        result     {"answer_type":"boolean","answer":true}
        call       switch_model {"alias":"strong"}
        prompt     Run local switch_model tool?
                   | alias: strong
                   approved
        prompt     Apply the config change proposed by switch_model?
                   | ⟳ Configuration delta proposed by tool 'switch_model':
                   | assistant.model.id.name: "quick" → "strong"
                   | nothing else changes: assistant.model.id.provider stays "test"
                   approved
        result     The model is strong.
        applied    {"assistant":{"model":{"id":{"provider":"test","name":"strong"}}}}
        assistant  Done: this is the stronger model speaking.

        model of the next cycle: {"provider":"test","name":"strong"} (the file still says "quick")
    "#]]
    .assert_eq(&String::from_utf8(output.stdout).unwrap());
}

/// What a query prints in the sample workspace, without the times.
fn query(script: &str) -> (Vec<Value>, i32) {
    query_in(&[(".jp/config.toml", SAMPLE)], &[], script)
}

/// What a query prints in a workspace with these files and links.
fn query_in(files: &[(&str, &str)], links: &[(&str, &str)], script: &str) -> (Vec<Value>, i32) {
    let home = tempfile::tempdir().unwrap();
    let workspace = home.path().join("workspace");
    for (path, text) in files {
        let path = workspace.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    #[cfg(unix)]
    for (path, target) in links {
        std::os::unix::fs::symlink(target, workspace.join(path)).unwrap();
    }
    let file = home.path().join("script.toml");
    fs::write(&file, script).unwrap();
    let output = binary(home.path())
        .args(["query", "--trust", "--non-interactive", "--format", "json"])
        .arg("Switch.")
        .env("JP_LSP_TEST_SCRIPT", file)
        .current_dir(&workspace)
        .output()
        .unwrap();
    let lines = String::from_utf8(output.stdout).unwrap();
    let events = lines.lines().map(|line| {
        let mut line: Value = serde_json::from_str(line).unwrap();
        let event = line.get_mut("event").unwrap();
        let fields = event.as_object_mut().unwrap();
        fields.shift_remove("timestamp");
        // Who decided is looked at elsewhere.
        if let Some(Value::Object(metadata)) = fields.get_mut("metadata") {
            metadata.shift_remove("decisions");
            if metadata.is_empty() {
                fields.shift_remove("metadata");
            }
        }
        event.take()
    });
    (events.collect(), output.status.code().unwrap())
}

#[test]
fn nobody_to_ask_means_no() {
    let (events, code) = query(
        r#"
[[cycles]]
batches = [[
    { tool_call = { id = "call_1", name = "ask_user", arguments = { question = "Sure?", answer_type = "boolean" } } },
    { tool_call = { id = "call_2", name = "switch_model", arguments = { alias = "strong" } } },
    { tool_call = { id = "call_3", name = "switch_model", arguments = { alias = "quick" } } },
]]

[[cycles]]
batches = [[{ text = "I stop here." }]]
"#,
    );
    let refused: Vec<&Value> = events
        .iter()
        .filter(|event| {
            let kind = event.get("type").unwrap();
            kind == "tool_call_response" || kind == "inquiry_response" || kind == "config_delta"
        })
        .collect();
    expect![[r#"
        [
          {
            "type": "inquiry_response",
            "outcome": "cancelled",
            "id": "call_1.answer.1",
            "reason": "no_prompt_backend"
          },
          {
            "type": "tool_call_response",
            "id": "call_1",
            "content": "ask_user cannot run because no interactive terminal is available. Do not retry this tool call in this turn; continue without user input or explain what information is missing.",
            "is_error": true
          },
          {
            "type": "tool_call_response",
            "id": "call_2",
            "content": "Tool 'switch_model' was not run because it needs approval and nobody is available to give it. Do not retry this tool call in this turn; continue without it or explain what is missing.",
            "is_error": true
          },
          {
            "type": "tool_call_response",
            "id": "call_3",
            "content": "Tool 'switch_model' failed to produce a valid config delta after 3 attempts.\nLast error: nobody was there to confirm the change.",
            "is_error": true
          }
        ]"#]].assert_eq(&serde_json::to_string_pretty(&refused).unwrap());
    assert_eq!(
        events.last(),
        Some(&json!({ "type": "turn_end", "outcome": "completed" }))
    );
    assert_eq!(code, 0);
}

/// Options and grants reach a run and a formatter alike (RFD 042, RFD 076), as the layers together say.
#[test]
fn a_tool_and_its_formatter_get_options_and_merged_grants() {
    let config = r#"
extends = [{ path = "local.toml", strategy = "after" }]
assistant.model.id = "test/model"
conversation.tools.'*'.run = "unattended"

[conversation.tools.show]
source = "local"
command = { program = "echo", args = ["{{tool.options}} {{context.access}}"] }
style.parameters = { program = "echo", args = ["{{tool.options}} {{context.access}}"], shell = false }
options = { limit = 3, nested = { deep = [true] } }
access.fs = [{ path = ".", read = true, write = true }]
access.env = [{ name = "A_*", read = true }]
"#;
    let local = r#"
[conversation.tools.show]
options.limit = 4
access.fs = { strategy = "replace", value = [{ path = "./src//", read = true }] }
access.env = [{ name = "A_SECRET" }]
"#;
    let (events, _) = query_in(
        &[(".jp/config.toml", config), (".jp/local.toml", local)],
        &[],
        r#"
[[cycles]]
batches = [[{ tool_call = { id = "call_1", name = "show" } }]]

[[cycles]]
batches = [[{ text = "Done." }]]
"#,
    );
    let shown = |kind: &str, path: &str| {
        let event = events.iter().find(|event| event["type"] == kind).unwrap();
        event.pointer(path).unwrap().as_str().unwrap().to_owned()
    };
    let run = shown("tool_call_response", "/content");
    assert_eq!(
        shown("tool_call_request", "/metadata/rendered_arguments"),
        run
    );
    expect![[r#"
        {"limit":4,"nested":{"deep":[true]}} {"fs":[{"path":"src","lexical_path":"src","external":false,"approved_target":null,"read":true,"write":null,"create":null,"update":null,"delete":null,"execute":null}],"net":[],"env":[{"name":"A_*","read":true},{"name":"A_SECRET","read":false}]}
    "#]].assert_eq(&run);
}

/// A denial says what is granted instead; rules of which none is left deny everything (RFD 076).
#[cfg(unix)]
#[test]
fn a_denied_tool_says_what_is_granted() {
    let script = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../tests/tools/python/tool.py")
        .canonicalize()
        .unwrap();
    let config = format!(
        r#"
assistant.model.id = "test/model"
conversation.tools.'*'.run = "unattended"

[conversation.tools.read_file]
source = "local"
command = {{ program = "python3", args = ["-B", {script:?}, "{{{{context}}}}", "{{{{tool}}}}"] }}
parameters.path = {{ type = "path", required = true }}
access.fs = [{{ path = "src", read = true }}, {{ path = "src/secret" }}]

[conversation.tools.nothing_left]
source = "local.read_file"
command = {{ program = "python3", args = ["-B", {script:?}, "{{{{context}}}}", "{{{{tool}}}}"] }}
parameters.path = {{ type = "path", required = true }}
access.fs = [{{ path = "mount", external = true, read = true }}]
"#
    );
    let (events, _) = query_in(
        &[
            (".jp/config.toml", &config),
            ("src/a", "a"),
            ("src/secret", "b"),
        ],
        &[("mount", "/")],
        r#"
[[cycles]]
batches = [[
    { tool_call = { id = "call_1", name = "read_file", arguments = { path = "src/a" } } },
    { tool_call = { id = "call_2", name = "read_file", arguments = { path = "src/../src/secret" } } },
    { tool_call = { id = "call_3", name = "nothing_left", arguments = { path = "src/a" } } },
]]

[[cycles]]
batches = [[{ text = "Done." }]]
"#,
    );
    let answers: Vec<&str> = events
        .iter()
        .filter(|event| event["type"] == "tool_call_response")
        .map(|event| event["content"].as_str().unwrap())
        .collect();
    expect![[r#"
        a
        {"type": "error", "message": "Access denied: cannot read 'src/secret'. Paths granting read: [src]. If required, ask the user for explicit access.", "trace": [], "transient": false}
        {"type": "error", "message": "Access denied: cannot read 'src/a'. Paths granting read: []. If required, ask the user for explicit access.", "trace": [], "transient": false}"#]].assert_eq(&answers.join("\n"));
}

#[test]
fn an_answer_that_ends_early_runs_nothing() {
    let (events, code) = query(
        r#"
[[cycles]]
truncated = true
batches = [[{ tool_call = { id = "call_1", name = "switch_model", arguments = { alias = "quick" } } }]]
"#,
    );
    let kinds: Vec<&Value> = events
        .iter()
        .map(|event| event.get("type").unwrap())
        .collect();
    // The notice says that it is asked for again.
    assert_eq!(kinds, ["turn_start", "chat_request", "notice", "turn_end"]);
    assert_eq!(code, 1);
}

#[test]
fn a_question_without_a_word_is_refused() {
    let home = tempfile::tempdir().unwrap();
    fs::create_dir_all(home.path().join(".jp")).unwrap();
    for text in ["", " \n"] {
        let output = binary(home.path())
            .args(["query", "--non-interactive", text])
            .current_dir(home.path())
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(2));
        assert_eq!(
            String::from_utf8(output.stderr).unwrap(),
            "jp-lsp: the question is empty: write what to ask, as in `jp-lsp query \"What does main.rs do?\"`\n"
        );
    }
}

#[test]
fn a_number_of_cycles_that_is_none_is_refused() {
    let home = tempfile::tempdir().unwrap();
    fs::create_dir_all(home.path().join(".jp")).unwrap();
    for cycles in ["many", "0", "-1"] {
        let output = binary(home.path())
            .args(["query", "hi"])
            .env("JP_LSP_MAX_CYCLES", cycles)
            .current_dir(home.path())
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(2));
        assert_eq!(
            String::from_utf8(output.stderr).unwrap(),
            format!(
                "jp-lsp: `JP_LSP_MAX_CYCLES` is `{cycles}`, write a whole number from 1 such as `100`\n"
            )
        );
    }
}

#[cfg(target_os = "linux")]
#[test]
fn without_certificates_only_https_is_refused() {
    let home = tempfile::tempdir().unwrap();
    let none = home.path().join("none.pem");
    fs::write(&none, "").unwrap();
    let bare = || {
        let mut command = binary(home.path());
        command
            .env("SSL_CERT_FILE", &none)
            .env_remove("SSL_CERT_DIR");
        command
    };
    let demonstration = bare().arg("demo").output().unwrap();
    assert!(demonstration.status.success(), "{demonstration:?}");
    fs::create_dir(home.path().join(".jp")).unwrap();
    let config = "assistant.model.id = \"anthropic/claude-haiku-4-5\"\n";
    fs::write(home.path().join(".jp/config.toml"), config).unwrap();
    let query = bare()
        .args(["query", "--trust", "--non-interactive", "hi"])
        .env("ANTHROPIC_API_KEY", "none")
        .current_dir(home.path())
        .output()
        .unwrap();
    assert_eq!(query.status.code(), Some(1));
    let said = String::from_utf8(query.stderr).unwrap();
    assert!(said.contains("cannot set up HTTPS: "), "{said}");
}

#[test]
fn a_query_outside_of_a_workspace_is_refused() {
    let home = tempfile::tempdir().unwrap();
    let output = binary(home.path())
        .args(["query", "hi"])
        .current_dir(home.path())
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2));
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.starts_with("jp-lsp: no workspace: `"), "{said}");
}

#[test]
fn a_time_for_tools_that_is_none_is_refused() {
    let home = tempfile::tempdir().unwrap();
    fs::create_dir_all(home.path().join(".jp")).unwrap();
    for time in ["soon", "0", "-1"] {
        let output = binary(home.path())
            .args(["query", "hi"])
            .env("JP_LSP_TOOL_TIMEOUT_SECS", time)
            .current_dir(home.path())
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(2));
        assert_eq!(
            String::from_utf8(output.stderr).unwrap(),
            format!(
                "jp-lsp: `JP_LSP_TOOL_TIMEOUT_SECS` is `{time}`, write a whole number of seconds such as `600`\n"
            )
        );
    }
}

/// An external rule counts for `explain` as it counts for a run: where `jp` has recorded an approval.
#[cfg(target_os = "linux")]
#[test]
fn an_approved_mount_is_explained() {
    let home = tempfile::tempdir().unwrap();
    let home = home.path().canonicalize().unwrap();
    let workspace = home.join("workspace");
    let user = home.join("xdg/jp/workspace/any-name-abc12");
    for directory in [&workspace.join(".jp"), &user, &home.join("shared")] {
        fs::create_dir_all(directory).unwrap();
    }
    std::os::unix::fs::symlink("../shared", workspace.join("shared")).unwrap();
    fs::write(workspace.join(".jp/.id"), "# The id.\nabc12\n").unwrap();
    fs::write(
        workspace.join(".jp/config.toml"),
        "[conversation.tools.t]\nsource = \"local\"\n\
         access.fs = [{ path = \"shared\", external = true, read = true }]\n",
    )
    .unwrap();
    fs::write(
        home.join("question"),
        r#"{"fs":{"capability":"read","path":"shared/a"}}"#,
    )
    .unwrap();
    let explained = || {
        let output = binary(&home)
            .args(["explain", "access", "--tool", "t"])
            .env("XDG_DATA_HOME", home.join("xdg"))
            .current_dir(&workspace)
            .stdin(fs::File::open(home.join("question")).unwrap())
            .output()
            .unwrap();
        String::from_utf8(output.stdout).unwrap()
    };
    expect![[r#"
        {"allowed":false,"rule":null,"target":"shared/a","reason":"path escapes the workspace: shared/a"}
    "#]]
    .assert_eq(&explained());
    let approvals =
        json!({"mounts": [{"rule_path": "shared", "canonical_target": home.join("shared")}]});
    fs::write(user.join("approvals.json"), approvals.to_string()).unwrap();
    expect![[r#"
        {"allowed":true,"rule":{"index":0,"path":".jp/config.toml","line":3},"target":"shared/a","reason":"the rule grants it"}
    "#]]
    .assert_eq(&explained());
}

#[test]
fn a_reader_that_stops_early_is_no_error() {
    use std::io::Read as _;
    let home = tempfile::tempdir().unwrap();
    let mut child = binary(home.path())
        .arg("schema")
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let mut said = String::new();
    let mut errors = child.stderr.take().unwrap();
    errors.read_to_string(&mut said).unwrap();
    assert_eq!(said, "");
    assert_eq!(child.wait().unwrap().code(), Some(141));
}

/// What a query in words prints in the sample workspace, with nobody to ask: on standard output, and on standard error.
fn told(arguments: &[&str]) -> (String, String) {
    let home = tempfile::tempdir().unwrap();
    let workspace = home.path().join("workspace");
    fs::create_dir_all(workspace.join(".jp")).unwrap();
    fs::write(workspace.join(".jp/config.toml"), SAMPLE).unwrap();
    let file = home.path().join("script.toml");
    let script = r#"
context_window = 200_000

[[cycles]]
batches = [[{ text = "I begin." }, { tool_call = { id = "call_1", name = "switch_model", arguments = { alias = "strong" } } }]]

[[cycles]]
batches = [[{ text = "I stop." }]]
usage = { input_tokens = 12_000, output_tokens = 400 }
"#;
    fs::write(&file, script).unwrap();
    let output = binary(home.path())
        .args(["query", "--trust", "--non-interactive"])
        .args(arguments)
        .arg("Switch.")
        .env("JP_LSP_TEST_SCRIPT", file)
        .current_dir(&workspace)
        .output()
        .unwrap();
    assert!(output.status.success());
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (text(output.stdout), text(output.stderr))
}

#[test]
fn calls_and_refusals_are_told_beside_the_words() {
    let (words, rest) = told(&[]);
    assert_eq!(words, "I begin.\nI stop.\n");
    expect![[r#"
        > switch_model {"alias":"strong"}
        < Tool 'switch_model' was not run because it needs approval and nobody is available to give it. Do not retry this tool call in this turn; continue without it or …
        12,400 of 200,000 tokens
    "#]].assert_eq(&rest);
    let (words, rest) = told(&["--quiet"]);
    assert_eq!(words, "I begin.\nI stop.\n");
    expect![[r#"
        < Tool 'switch_model' was not run because it needs approval and nobody is available to give it. Do not retry this tool call in this turn; continue without it or …
    "#]].assert_eq(&rest);
}

#[test]
fn a_report_has_colours_where_they_are_wanted() {
    let home = tempfile::tempdir().unwrap();
    let workspace = home.path().join("workspace");
    fs::create_dir_all(workspace.join(".jp")).unwrap();
    fs::write(workspace.join(".jp/config.toml"), "asistant.name = 1\n").unwrap();
    let is_colored = |words: &[&str], variable: Option<&str>| {
        let mut command = binary(home.path());
        command.args(words).current_dir(&workspace);
        command.env_remove("NO_COLOR");
        if let Some(variable) = variable {
            command.env(variable, "1");
        }
        let output = command.output().unwrap();
        assert_eq!(output.status.code(), Some(1));
        output.stdout.contains(&0x1b)
    };
    assert!(is_colored(&["check", "--color", "always"], None));
    assert!(is_colored(&["--color=always", "check"], Some("NO_COLOR")));
    assert!(!is_colored(&["check", "--color", "never"], None));
    assert!(!is_colored(&["check"], None));
    assert!(!is_colored(
        &["check", "--format", "json", "--color", "always"],
        None
    ));
}

#[test]
fn a_shell_and_a_manual_know_every_command() {
    let home = tempfile::tempdir().unwrap();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let output = binary(home.path())
            .args(["completions", shell])
            .output()
            .unwrap();
        let script = String::from_utf8(output.stdout).unwrap();
        for command in ["check", "doctor", "conversation"] {
            assert!(script.contains(command), "{shell}: {command}");
        }
    }
    let pages = home.path().join("man/man1");
    let output = binary(home.path()).arg("man").arg(&pages).output().unwrap();
    assert!(output.status.success());
    for page in ["jp-lsp.1", "jp-lsp-check.1", "jp-lsp-explain-policy.1"] {
        assert!(pages.join(page).is_file(), "{page}");
    }
}

#[test]
fn a_client_may_pass_stdio() {
    let home = tempfile::tempdir().unwrap();
    let output = binary(home.path())
        .arg("--stdio")
        .stdin(Stdio::null())
        .output()
        .unwrap();
    assert_eq!(
        output.status.code(),
        Some(1),
        "the input ends without `exit`"
    );
    assert_eq!(String::from_utf8(output.stdout).unwrap(), "");
}
