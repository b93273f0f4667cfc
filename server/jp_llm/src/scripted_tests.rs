use expect_test::{Expect, expect};
use pretty_assertions::assert_eq;

use super::*;
use crate::fixture::{listen, request};

async fn check(script: &str, expect: &Expect) {
    let provider = ScriptedProvider::new(Script::from_toml("script.toml", script).unwrap());
    expect.assert_eq(&listen(provider.stream(request(), CancellationToken::new())).await);
}

fn check_error(script: &str, expect: &Expect) {
    expect.assert_eq(
        &Script::from_toml("script.toml", script)
            .unwrap_err()
            .to_string(),
    );
}

#[tokio::test]
async fn says_what_it_is_told() {
    check(
        r#"
        [[cycles]]
        batches = [
            [{ reasoning = "Hm" }, { metadata = { anthropic_thinking_signature = "s" } }],
            [{ text = ["I ", "look."] }],
            [
                { tool_call = { id = "a", name = "read", fragments = ['{"p":'], open = true } },
                { tool_call = { id = "b", name = "list", arguments = { d = 1 } } },
                { arguments = { id = "a", json = '2}' } },
                { tool_call = { id = "c", name = "none" } },
                { tool_call = { id = "d", name = "cut", fragments = '{"x' } },
            ],
        ]
        finish_reason = "max_tokens"
        usage = { input_tokens = 3, output_tokens = 2 }
        "#,
        &expect![[r#"
            0 reasoning
            0 +reasoning "Hm"
            0 end "Hm" {"anthropic_thinking_signature":"s"}
            1 text
            1 +text "I "
            1 +text "look."
            1 end "I look." {}
            2 call a read
            2 +arguments {"p":
            3 call b list
            3 +arguments {"d":1}
            3 end {"d":1} {}
            2 +arguments 2}
            4 call c none
            4 end {} {}
            5 call d cut
            5 +arguments {"x
            5 end: the arguments are no JSON object: EOF while parsing a string at line 1 column 3: {"x
            2 end {"p":2} {}
            done MaxTokens, tokens in Some(3) out Some(2) cached None
        "#]],
    )
    .await;
}

#[tokio::test]
async fn fails_as_it_is_told() {
    check(
        r#"
        [[cycles]]
        batches = [[{ text = "x" }]]
        error = { message = "Overloaded", retryable = true }
        "#,
        &expect![[r#"
            0 text
            0 +text "x"
            error: test stopped with an error: Overloaded
        "#]],
    )
    .await;
    check(
        r#"
        [[cycles]]
        batches = [[{ tool_call = { id = "a", name = "delete" } }]]
        truncated = true
        "#,
        &expect![[r"
            0 call a delete
            0 end {} {}
            error: the answer of test ended early
        "]],
    )
    .await;
    check(
        "cycles = []",
        &expect![[r"
            error: the script has 0 cycles and no answer to request 1
        "]],
    )
    .await;
}

#[tokio::test]
async fn each_request_takes_the_next_answer_that_fits() {
    let script = r#"{"cycles": [
        {"batches": [[{"text": "one"}]]},
        {"model": "small", "batches": [[{"text": "small"}]]},
        {"batches": [[{"text": "two"}]], "finish_reason": "odd"}
    ]}"#;
    let provider = ScriptedProvider::new(Script::from_json("script.json", script).unwrap());
    let mut shown = String::new();
    for model in ["m", "m", "small", "small"] {
        let request = Request {
            model: model.into(),
            ..request()
        };
        shown.push_str(&listen(provider.stream(request, CancellationToken::new())).await);
    }
    expect![[r#"
        0 text
        0 +text "one"
        0 end "one" {}
        done Completed, tokens in None out None cached None
        0 text
        0 +text "two"
        0 end "two" {}
        done Other("odd"), tokens in None out None cached None
        0 text
        0 +text "small"
        0 end "small" {}
        done Completed, tokens in None out None cached None
        error: the script has 3 cycles and no answer to request 4
    "#]]
    .assert_eq(&shown);
    let models: Vec<_> = provider
        .requests()
        .into_iter()
        .map(|request| request.model)
        .collect();
    assert_eq!(models, ["m", "m", "small", "small"]);
}

#[tokio::test(start_paused = true)]
async fn batches_may_take_their_time_and_be_cancelled() {
    let script = r#"
        [[cycles]]
        delay_ms = 60000
        batches = [[{ text = "one" }], [{ text = "two" }]]
        [[cycles]]
        delay_ms = 60000
        batches = [[{ text = "one" }], [{ text = "two" }]]
    "#;
    let provider = ScriptedProvider::new(Script::from_toml("script.toml", script).unwrap());
    let before = tokio::time::Instant::now();
    listen(provider.stream(request(), CancellationToken::new())).await;
    assert_eq!(before.elapsed(), Duration::from_secs(60));

    let cancel = CancellationToken::new();
    let stream = provider.stream(request(), cancel.clone());
    let (shown, ()) = tokio::join!(listen(stream), async {
        sleep(Duration::from_secs(30)).await;
        cancel.cancel();
    });
    expect![[r#"
        0 text
        0 +text "one"
        error: cancelled
    "#]]
    .assert_eq(&shown);
    assert_eq!(before.elapsed(), Duration::from_secs(90));
}

#[test]
fn a_wrong_script_says_where_and_what() {
    check_error(
        "[[cycles]]\nbatchs = []",
        &expect![[r"
            script.toml: TOML parse error at line 2, column 1
              |
            2 | batchs = []
              | ^^^^^^
            unknown field `batchs`, expected one of `model`, `batches`, `delay_ms`, `finish_reason`, `usage`, `error`, `truncated`"]],
    );
    check_error(
        "[[cycles]]\n[[cycles]]\ntruncated = true\nfinish_reason = 'completed'",
        &expect![
            "script.toml: cycle 2: an answer without an end has no `finish_reason`, remove it"
        ],
    );
    check_error(
        "[[cycles]]\ntruncated = true\nerror = { message = 'x' }",
        &expect!["script.toml: cycle 1: `truncated` and `error` exclude each other, remove one"],
    );
    check_error(
        "[[cycles]]\nbatches = [[{ arguments = { id = 'a', json = '' } }]]",
        &expect!["script.toml: cycle 1: no tool call `a` is open, write `open = true` there"],
    );
    check_error(
        "[[cycles]]\nbatches = [[{ tool_call = { id = 'a', name = 'n', arguments = {}, fragments = '' } }]]",
        &expect![
            "script.toml: cycle 1: tool call `a` has `arguments` and `fragments`, write one of them"
        ],
    );
    assert_eq!(
        Script::from_json("script.json", "[")
            .unwrap_err()
            .to_string(),
        "script.json: EOF while parsing a list at line 1 column 1"
    );
}

/// The scripts that the documentation shows.
#[tokio::test]
async fn the_documented_scripts_work() {
    let document = include_str!("../../../docs/SCRIPTED_PROVIDER.md");
    let mut scripts = 0;
    for (language, read) in [
        (
            "toml",
            Script::from_toml as fn(&str, &str) -> Result<Script, LlmError>,
        ),
        (
            "json",
            Script::from_json as fn(&str, &str) -> Result<Script, LlmError>,
        ),
    ] {
        let opening = format!("```{language}\n");
        let fences = document.split(&opening).skip(1);
        for text in fences.map(|rest| rest.split("```").next().unwrap()) {
            let script = read("docs/SCRIPTED_PROVIDER.md", text).unwrap();
            let cycles = script.cycles.len();
            let provider = ScriptedProvider::new(script);
            for _ in 0..cycles {
                let shown = listen(provider.stream(request(), CancellationToken::new())).await;
                assert!(!shown.contains("the script has"), "{text}");
            }
            scripts += 1;
        }
    }
    assert_eq!(scripts, 4);
}

#[test]
fn a_file_is_read_by_its_name() {
    let directory = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| {
        let path = directory.path().join(name);
        fs::write(&path, text).unwrap();
        path
    };
    let toml =
        Script::from_file(&write("a.toml", "[[cycles]]\nbatches = [[{ text = 'x' }]]")).unwrap();
    let json = Script::from_file(&write(
        "a.json",
        r#"{"cycles": [{"batches": [[{"text": "x"}]]}]}"#,
    ))
    .unwrap();
    assert_eq!(toml, json);
    let missing = directory.path().join("b.toml");
    assert_eq!(
        Script::from_file(&missing).unwrap_err().to_string(),
        format!(
            "{}: No such file or directory (os error 2)",
            missing.display()
        )
    );
}

#[tokio::test]
async fn each_request_is_a_line_of_the_file_of_requests() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("script.toml");
    let script = r#"
        requests = "requests.jsonl"
        [[cycles]]
        batches = [[{ text = "Hello." }]]
    "#;
    fs::write(&path, script).unwrap();
    let provider = ScriptedProvider::new(Script::from_file(&path).unwrap());
    let asked = Request {
        model: "second".to_owned(),
        ..Request::default()
    };
    for request in [request(), asked] {
        listen(provider.stream(request, CancellationToken::new())).await;
    }
    expect![[r#"
        {"model":"m","messages":[{"user":"Go"}],"tools":[],"tool_choice":"auto","parameters":{"cache":"off"}}
        {"model":"second","messages":[],"tools":[],"tool_choice":"auto","parameters":{"cache":"off"}}
    "#]]
    .assert_eq(&fs::read_to_string(folder.path().join("requests.jsonl")).unwrap());
}

#[tokio::test]
async fn requests_that_cannot_be_written_are_not_answered() {
    check(
        r#"
        requests = "/no/such/folder/requests.jsonl"
        [[cycles]]
        batches = [[{ text = "Hello." }]]
        "#,
        &expect![[r#"
            error: /no/such/folder/requests.jsonl: No such file or directory (os error 2)
        "#]],
    )
    .await;
}

#[tokio::test]
async fn a_forgetting_provider_counts_all_the_same() {
    let provider = ScriptedProvider::new(Script::default()).forgetting();
    for number in [1, 2] {
        let shown = listen(provider.stream(request(), CancellationToken::new())).await;
        assert_eq!(
            shown,
            format!("error: the script has 0 cycles and no answer to request {number}\n")
        );
    }
    assert_eq!(provider.requests(), []);
}
