//! `jp lsp`: the real binary as a plugin of `jp`, whose side of the protocol is played here.

#![expect(
    clippy::unwrap_used,
    reason = "a run that cannot be prepared fails the test"
)]

mod program;

use std::{
    fmt::Write as _,
    fs,
    io::{BufRead as _, BufReader, Read as _, Write as _},
    path::Path,
    process::{Command, Stdio},
};

use expect_test::{Expect, expect};
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use program::program;

const SAMPLE: &str = include_str!("../server/jp_lsp/src/cli/demo/config.toml");

/// The binary, at home in a folder of its own, started as `jp` starts it.
fn plugin(home: &Path) -> Command {
    let mut command = Command::new(program());
    command
        .env("JP_GLOBAL_CONFIG_DIR", home.join("none"))
        .env("JP_LSP_DATA_DIR", home.join("data"))
        .env_remove("JP_LSP_TEST_SCRIPT")
        .env_remove("JP_LSP_LOG")
        .current_dir(home)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

/// What the plugin answers to these bytes, and its exit code.
fn answers(home: &Path, said: &str) -> (Vec<Value>, i32) {
    let mut plugin = plugin(home).spawn().unwrap();
    let mut input = plugin.stdin.take().unwrap();
    input.write_all(said.as_bytes()).unwrap();
    drop(input);
    let output = plugin.wait_with_output().unwrap();
    let lines = String::from_utf8(output.stdout).unwrap();
    let answers = lines
        .lines()
        .map(|line| serde_json::from_str(line).unwrap());
    (answers.collect(), output.status.code().unwrap())
}

/// A workspace with this config.
fn workspace(config: &str) -> tempfile::TempDir {
    let home = tempfile::tempdir().unwrap();
    let root = home.path().join("w");
    fs::create_dir_all(root.join(".jp")).unwrap();
    fs::write(root.join(".jp/config.toml"), config).unwrap();
    home
}

fn init(home: &Path, arguments: &[&str]) -> String {
    let root = home.join("w");
    let init = json!({
        "type": "init", "version": 1,
        "workspace": { "root": root, "storage": root.join(".jp"), "id": "otvo8" },
        "paths": {}, "config": {}, "options": {}, "args": arguments, "log_level": 0,
    });
    format!("{init}\n")
}

/// What the plugin says of the command: printed text, logs, the end.
fn run(config: &str, arguments: &[&str], expected: &Expect) {
    let home = workspace(config);
    let (answers, code) = answers(home.path(), &init(home.path(), arguments));
    let mut report = String::new();
    for answer in &answers {
        match answer["type"].as_str().unwrap() {
            "print" => {
                assert_eq!(
                    (&answer["channel"], &answer["format"]),
                    (&json!("content"), &json!("plain"))
                );
                report.push_str(answer["text"].as_str().unwrap());
            }
            "exit" => assert_eq!(answer["code"], code),
            _ => {}
        }
        if answer["type"] != "print" {
            writeln!(report, "{answer}").unwrap();
        }
    }
    expected.assert_eq(&report.replace(home.path().to_str().unwrap(), "HOME"));
}

#[test]
fn describes_itself() {
    let home = tempfile::tempdir().unwrap();
    let (answers, code) = answers(home.path(), "{\"type\":\"describe\"}\n");
    assert_eq!((answers.len(), code), (1, 0));
    let help = answers[0]["help"].as_str().unwrap();
    assert!(help.contains("Usage: jp lsp [OPTIONS] [COMMAND]"), "{help}");
    assert!(help.contains("\n  check "), "{help}");
    assert!(!help.contains("\n  lsp "), "{help}");
    let mut answer = answers[0].clone();
    answer.as_object_mut().unwrap().shift_remove("help");
    assert_eq!(
        answer,
        json!({
            "type": "describe",
            "name": "lsp",
            "version": env!("CARGO_PKG_VERSION"),
            "description": "Checks and explains the config of jp, and runs its tools under grants and policies",
            "command": ["lsp"],
            "repository": env!("CARGO_PKG_REPOSITORY"),
        })
    );
}

#[test]
fn runs_a_command() {
    // With a model there is no word about it on standard error, which may come before or after the rest.
    run(
        "summery = 1\nassistant.model.id = \"anthropic/claude-sonnet-4-5\"\n",
        &["check"],
        &expect![[r#"
            {"type":"ready"}
            error[unknown-key]: unknown key `summery`, expected one of `inherit`, `config_load_paths`, `extends`, `assistant`, `conversation`, `style`, `interrupt`, `editor`, `template`, `providers`, `plugins`, `user`
             --> .jp/config.toml:1:1
              |
            1 | summery = 1
              | ^^^^^^^

            1 error, 0 warnings
            {"type":"exit","code":1}
        "#]],
    );
    // A note is no reason: what is wrong stands in the report.
    let home = workspace("summery = 1\n");
    let (answers, code) = answers(home.path(), &init(home.path(), &["check"]));
    assert_eq!(
        (answers.last(), code),
        (Some(&json!({"type": "exit", "code": 1})), 1)
    );
    run(
        "[assistant]\nname = \"Ada\"\n",
        &["explain", "config", "assistant.name"],
        &expect![[r#"
            {"type":"ready"}
            {"path":"assistant.name","value":"Ada","layers":[{"path":".jp/config.toml","line":2,"source":"workspace","value":"Ada"}]}
            {"type":"exit","code":0}
        "#]],
    );
}

#[test]
fn says_why_a_command_fails() {
    run(
        "",
        &["check", "nothing.toml"],
        &expect![[r#"
        {"type":"ready"}
        {"type":"log","level":"warn","message":"jp-lsp: `HOME/w/nothing.toml` does not exist"}
        {"type":"exit","code":2,"reason":"`HOME/w/nothing.toml` does not exist"}
    "#]],
    );
    run(
        "",
        &["chekc"],
        &expect![[r#"
            {"type":"ready"}
            {"type":"log","level":"warn","message":"error: unrecognized subcommand 'chekc'"}
            {"type":"log","level":"warn","message":"  tip: some similar subcommands exist: 'schema', 'check'"}
            {"type":"log","level":"warn","message":"Usage: jp-lsp [OPTIONS] [COMMAND]"}
            {"type":"log","level":"warn","message":"For more information, try '--help'."}
            {"type":"exit","code":2,"reason":"error: unrecognized subcommand 'chekc'\n\n  tip: some similar subcommands exist: 'schema', 'check'\n\nUsage: jp-lsp [OPTIONS] [COMMAND]\n\nFor more information, try '--help'."}
        "#]],
    );
    run(
        "",
        &["lsp"],
        &expect![[r#"
        {"type":"ready"}
        {"type":"exit","code":2,"reason":"`lsp` speaks on standard input and output, which `jp` holds: have the client start `jp-lsp lsp`"}
    "#]],
    );
    // Nobody sits at the plugin's standard input.
    run(
        "",
        &["query", "Go."],
        &expect![[r#"
            {"type":"ready"}
            {"type":"log","level":"warn","message":"jp-lsp: the turn failed: `assistant.model.id`: is missing, write `<provider>/<model>` or an alias"}
            {"type":"exit","code":1,"reason":"the turn failed: `assistant.model.id`: is missing, write `<provider>/<model>` or an alias"}
        "#]],
    );
}

#[cfg(unix)]
#[test]
fn a_command_ends_with_a_host_that_vanishes() {
    let home = workspace("");
    let mut plugin = plugin(home.path()).spawn().unwrap();
    let mut input = plugin.stdin.take().unwrap();
    let asked = init(home.path(), &["check", "--watch"]);
    input.write_all(asked.as_bytes()).unwrap();
    let mut output = BufReader::new(plugin.stdout.take().unwrap()).lines();
    let reported = output.any(|line| line.unwrap().contains("0 errors"));
    assert!(reported);
    // The plugin ends after its command, and with it this pipe.
    let mut complaints = plugin.stderr.take().unwrap();
    drop((input, output));
    let mut said = String::new();
    complaints.read_to_string(&mut said).unwrap();
    assert!(!plugin.wait().unwrap().success(), "{said}");
}

#[test]
fn refuses_what_would_speak_on_its_own_however_it_is_asked() {
    run(
        "",
        &["--color", "never", "acp"],
        &expect![[r#"
        {"type":"ready"}
        {"type":"exit","code":2,"reason":"`acp` speaks on standard input and output, which `jp` holds: have the client start `jp-lsp acp`"}
    "#]],
    );
}

#[test]
fn helps_who_names_no_command() {
    let home = workspace("");
    let (bare, code) = answers(home.path(), &init(home.path(), &[]));
    assert_eq!(code, 0);
    let (described, _) = answers(home.path(), "{\"type\":\"describe\"}\n");
    assert_eq!(bare[1]["text"], described[0]["help"]);
    let (asked, _) = answers(home.path(), &init(home.path(), &["--help"]));
    assert_eq!(asked, bare);
}

#[test]
fn refuses_what_it_cannot_read() {
    let cases = [
        "{\n",
        "{}",
        "{\"type\": 7}\n",
        "{\"type\": \"dance\\u001b[2J\"}\n",
        "{\"type\": \"init\"}\n",
        "{\"type\": \"init\", \"version\": 2, \"workspace\": {\"root\": \"/\"}}\n",
        "{\"type\": \"init\", \"version\": 1, \"workspace\": {\"root\": \"/nowhere/at/all\"}, \"args\": [\"check\"]}\n",
        "{\"type\": \"shutdown\"}\n",
    ];
    let home = tempfile::tempdir().unwrap();
    let mut report = String::new();
    for said in cases {
        let (answers, code) = answers(home.path(), said);
        let last = answers.last().unwrap();
        assert_eq!(last["code"], code);
        writeln!(report, "{last}").unwrap();
    }
    expect![[r#"
        {"type":"exit","code":2,"reason":"the host's message is not JSON: EOF while parsing an object at line 2 column 0"}
        {"type":"exit","code":2,"reason":"the host's message has no `type`: write one of `describe`, `init`, `shutdown`"}
        {"type":"exit","code":2,"reason":"the host's message has no `type`: write one of `describe`, `init`, `shutdown`"}
        {"type":"exit","code":2,"reason":"the host's message is of the unknown type `dance␛[2J`: write one of `describe`, `init`, `shutdown`"}
        {"type":"exit","code":2,"reason":"the host's `init` cannot be read: missing field `version`"}
        {"type":"exit","code":2,"reason":"the host speaks version 2 of the plugin protocol and jp-lsp 0.1.0 speaks version 1: update the older one"}
        {"type":"exit","code":2,"reason":"the command cannot be started in `/nowhere/at/all`: No such file or directory (os error 2)"}
        {"type":"exit","code":0}
    "#]].assert_eq(&report);
}

#[test]
fn hears_the_host_while_a_command_runs() {
    let home = workspace(SAMPLE);
    let script = home.path().join("script.toml");
    fs::write(
        &script,
        "[[cycles]]\nbatches = [[{ text = \"I think.\\n\\n\" }], [{ text = \"Done.\" }]]\ndelay_ms = 3600000\n",
    )
    .unwrap();
    let mut plugin = plugin(home.path())
        .env("JP_LSP_TEST_SCRIPT", script)
        .spawn()
        .unwrap();
    let mut input = plugin.stdin.take().unwrap();
    let mut output = BufReader::new(plugin.stdout.take().unwrap()).lines();
    let mut next = |kind: &str| loop {
        let line = output.next().unwrap().unwrap();
        let answer: Value = serde_json::from_str(&line).unwrap();
        if answer["type"] == kind {
            return answer;
        }
    };
    let arguments = ["query", "--trust", "--format", "json", "Go."];
    input
        .write_all(init(home.path(), &arguments).as_bytes())
        .unwrap();
    next("print");
    input.write_all(b"{nonsense\n").unwrap();
    assert_eq!(
        next("log")["message"],
        "the host's message is not JSON: key must be a string at line 1 column 2"
    );
    input.write_all(b"{\"type\":\"describe\"}\n").unwrap();
    assert_eq!(
        next("log")["message"],
        "a command runs: only `shutdown` is heeded"
    );
    input.write_all(b"{\"type\":\"shutdown\"}\n").unwrap();
    assert_eq!(next("exit")["code"], 130);
    assert_eq!(plugin.wait().unwrap().code(), Some(130));
}

#[test]
fn an_editor_is_served_as_before() {
    let home = tempfile::tempdir().unwrap();
    let mut server = plugin(home.path()).spawn().unwrap();
    let mut input = server.stdin.take().unwrap();
    let frames = [
        json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": { "capabilities": {} } }),
        json!({ "jsonrpc": "2.0", "id": 2, "method": "shutdown" }),
        json!({ "jsonrpc": "2.0", "method": "exit" }),
    ];
    for frame in frames {
        let body = frame.to_string();
        // The first byte alone, as a slow client may send it.
        let frame = format!("Content-Length: {}\r\n\r\n{body}", body.len());
        let (first, rest) = frame.split_at(1);
        input.write_all(first.as_bytes()).unwrap();
        input.flush().unwrap();
        input.write_all(rest.as_bytes()).unwrap();
    }
    let output = server.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert!(
        String::from_utf8(output.stdout)
            .unwrap()
            .starts_with("Content-Length: ")
    );
}

/// What the doctor says to a host that has resolved this config, from its comparison on, and the exit code.
fn doctor(home: &Path, config: &Value, arguments: &[&str]) -> (String, i32) {
    let mut message: Value =
        serde_json::from_str(&init(home, &[&["doctor"], arguments].concat())).unwrap();
    let fields = message.as_object_mut().unwrap();
    fields.insert("config".to_owned(), config.clone());
    let (answers, code) = answers(home, &format!("{message}\n"));
    let mut said = String::new();
    for answer in &answers {
        said.push_str(answer["text"].as_str().unwrap_or_default());
        said.push_str(answer["reason"].as_str().unwrap_or_default());
    }
    assert_eq!(answers.last().unwrap()["code"], code);
    let told = said.split_once("jp's config").map(|(_, told)| told);
    (told.unwrap_or(&said).trim_start().to_owned(), code)
}

#[test]
fn a_doctor_compares_with_what_the_host_resolved() {
    let home = workspace(
        "[assistant]\nname = \"Ada\"\nmodel.id = \"quick\"\n[providers.llm.aliases]\nquick = \"openai/gpt-5\"\n\
         [template.values]\napi_key = \"never-told\"\n",
    );
    let model = json!({ "provider": "openai", "name": "gpt-5" });
    let mut config = json!({
        "inherit": false,
        "assistant": { "name": "Ada", "model": { "id": model }, "request": { "max_retries": 5 } },
        "providers": { "llm": { "aliases": { "quick": model } } },
        "template": { "values": { "api_key": "never-told" } },
    });
    let (said, code) = doctor(home.path(), &config, &[]);
    assert_eq!(
        (said.as_str(), code),
        ("0 differences\n6 leaves agree\n", 0)
    );

    config["assistant"]["name"] = json!("B\u{1b}[2Job\n");
    config["assistant"]["request"]["max_retries"] = json!(7);
    config["assistant"]["model"] = json!({ "id": "anthropic/claude-sonnet-5" });
    config["template"]["values"]["api_key"] = json!("never-told-either");
    let (said, code) = doctor(home.path(), &config, &[]);
    assert_eq!(code, 1);
    assert!(
        !said.contains("never-told") && !said.contains('\u{1b}'),
        "{said}"
    );
    expect![[r#"
        4 differences
          assistant.name: ours "Ada" (.jp/config.toml:2), jp's "B\u001b[2Job\n"
          assistant.model.id: ours "quick" (.jp/config.toml:3), jp's "anthropic/claude-sonnet-5"
          assistant.request.max_retries: ours not set, jp's 7
          template.values.api_key: ours set (.jp/config.toml:7), jp's set; the values are not shown, since the key looks like that of a secret
        2 leaves agree
        What no file sets, `jp` may have from `--cfg`, a variable `JP_CFG_…` or the conversation, which are not looked at here.
    "#]].assert_eq(&said);

    let (said, code) = doctor(home.path(), &config, &["--format", "json"]);
    let told: Value = serde_json::from_str(&said).unwrap();
    let told = &told["workspace"]["agreement"];
    assert_eq!((code, &told["differing"]), (1, &json!(4)));
    assert_eq!(
        told["differences"][0],
        json!({ "path": "assistant.name", "ours": "Ada", "place": { "path": ".jp/config.toml", "line": 2 },
                "jp": "B\u{1b}[2Job\n", "isSecret": false })
    );
}

#[test]
fn a_doctor_tells_at_most_fifty_differences() {
    let home = workspace("");
    let values: serde_json::Map<String, Value> = (0..120)
        .map(|index| (format!("v{index}"), json!("x".repeat(2000))))
        .collect();
    let (said, code) = doctor(
        home.path(),
        &json!({ "template": { "values": values } }),
        &[],
    );
    assert_eq!(code, 1);
    let told = said
        .lines()
        .filter(|line| line.starts_with("  template.values.v"));
    assert_eq!(told.count(), 50);
    assert!(said.starts_with("120 differences\n"), "{said}");
    assert!(said.contains("\n  and 70 more\n0 leaves agree\n"), "{said}");
}

#[test]
fn a_doctor_needs_a_config_to_compare_with() {
    let home = workspace("");
    for config in [Value::Null, json!([]), json!("x")] {
        let (said, code) = doctor(home.path(), &config, &[]);
        assert_eq!(
            (said.as_str(), code),
            (
                "the config that `jp` resolved cannot be compared: it is no JSON object, update `jp`",
                2
            )
        );
    }
}

#[test]
fn a_doctor_agrees_with_what_the_released_jp_made_of_a_whole_workspace() {
    let resolved = include_str!("plugin/almanac.json");
    let home = workspace("");
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/workspaces/almanac/.jp");
    copy(&source, &home.path().join("w/.jp"));
    let config = serde_json::from_str(resolved).unwrap();
    let (said, code) = doctor(home.path(), &config, &[]);
    assert_eq!(
        (said.as_str(), code),
        ("0 differences\n167 leaves agree\n", 0)
    );
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let (from, name) = entry
            .map(|entry| (entry.path(), entry.file_name()))
            .unwrap();
        match from.is_dir() {
            true => copy(&from, &to.join(name)),
            false => drop(fs::copy(&from, to.join(name)).unwrap()),
        }
    }
}
