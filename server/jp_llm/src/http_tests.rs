use expect_test::expect;
use pretty_assertions::assert_eq;
use serde_json::json;

use super::*;
use crate::fixture::{Answer, check_with, connect, no_patience, openai, request, serve, show};

#[tokio::test]
async fn characters_may_be_split_between_packets() {
    let text = openai(&json!({"delta": {"content": "größe 日本 👩‍💻"}, "finish_reason": "stop"}))
        + "data: [DONE]\n\n";
    let expect = expect![[r#"
        0 text
        0 +text "größe 日本 👩\u{200d}💻"
        0 end "größe 日本 👩\u{200d}💻" {}
        done Completed, tokens in None out None cached None
    "#]];
    for size in [1, 2, 3, 7] {
        let pieces = text.as_bytes().chunks(size).map(<[u8]>::to_vec).collect();
        check_with(
            ProviderId::Openai,
            no_patience(),
            vec![Answer::Whole(pieces)],
            &expect,
        )
        .await;
    }
    let line = "{\"message\":{\"content\":\"größe 日本\"},\"done\":true}\n";
    let pieces = line.as_bytes().chunks(1).map(<[u8]>::to_vec).collect();
    check_with(
        ProviderId::Ollama,
        no_patience(),
        vec![Answer::Whole(pieces)],
        &expect![[r#"
            0 text
            0 +text "größe 日本"
            0 end "größe 日本" {}
            done Completed, tokens in None out None cached None
        "#]],
    )
    .await;
}

fn pieces(text: &str) -> Vec<Vec<u8>> {
    vec![text.as_bytes().to_vec()]
}

fn success() -> Answer {
    Answer::Whole(pieces(
        &(openai(&json!({"delta": {"content": "x"}, "finish_reason": "stop"}))
            + "data: [DONE]\n\n"),
    ))
}

fn retrying() -> RequestSettings {
    RequestSettings {
        max_retries: 3,
        ..no_patience()
    }
}

#[tokio::test]
async fn a_failed_request_is_repeated() {
    check_with(
        ProviderId::Openai,
        retrying(),
        vec![
            Answer::Status(
                "429 Too Many Requests",
                "",
                "{\"error\":{\"message\":\"slow down\"}}",
            ),
            Answer::Status("503 Service Unavailable", "retry-after: 0\r\n", "busy"),
            Answer::Whole(pieces("")),
            success(),
        ],
        &expect![[r#"
            retry after attempt 1 in 1ms: openai answered 429: slow down
            retry after attempt 2 in 2ms: openai answered 503: busy
            retry after attempt 3 in 4ms: the answer of openai ended early
            0 text
            0 +text "x"
            0 end "x" {}
            done Completed, tokens in None out None cached None
        "#]],
    )
    .await;
}

#[tokio::test]
async fn repetition_has_an_end() {
    let busy = || {
        Answer::Status(
            "529 Overloaded",
            "",
            "{\"type\":\"error\",\"error\":{\"message\":\"Overloaded\"}}",
        )
    };
    check_with(
        ProviderId::Anthropic,
        RequestSettings {
            max_retries: 1,
            ..no_patience()
        },
        vec![busy(), busy(), busy()],
        &expect![[r"
            retry after attempt 1 in 1ms: anthropic answered 529: Overloaded
            error: anthropic answered 529: Overloaded
        "]],
    )
    .await;
}

#[tokio::test]
async fn what_is_hopeless_is_not_repeated() {
    check_with(
        ProviderId::Google,
        retrying(),
        vec![Answer::Status(
            "400 Bad Request",
            "",
            "[{\"error\":{\"message\":\"no such model\"}}]",
        )],
        &expect![[r"
            error: google answered 400: no such model
        "]],
    )
    .await;
    check_with(
        ProviderId::Openai,
        retrying(),
        vec![Answer::Status(
            "302 Found",
            "location: http://127.0.0.1:1/\r\n",
            "",
        )],
        &expect![[r"
            error: openai answered 302: no reason given
        "]],
    )
    .await;
}

#[tokio::test]
async fn what_has_begun_is_not_repeated() {
    let begun = openai(&json!({"delta": {"content": "x"}}));
    let server = serve(vec![Answer::Broken(pieces(&begun)), success()]).await;
    let provider = connect(&server, ProviderId::Openai, retrying());
    let events: Vec<StreamEvent> = provider
        .stream(request(), CancellationToken::new())
        .collect()
        .await;
    assert_eq!(events.len(), 3);
    assert!(
        matches!(
            &events[2],
            StreamEvent::Error(LlmError::Connection {
                provider: "openai",
                ..
            })
        ),
        "{events:?}"
    );
    assert_eq!(server.requests.lock().unwrap().len(), 1);
}

#[tokio::test]
async fn nobody_there() {
    let server = serve(vec![]).await;
    let provider = connect(&server, ProviderId::Ollama, no_patience());
    // The listener is gone with its task.
    tokio::task::yield_now().await;
    let events: Vec<StreamEvent> = provider
        .stream(request(), CancellationToken::new())
        .collect()
        .await;
    assert!(
        matches!(
            events.as_slice(),
            [StreamEvent::Error(LlmError::Connection {
                provider: "ollama",
                ..
            })]
        ),
        "{events:?}"
    );
}

#[tokio::test]
async fn an_answer_has_a_size() {
    let settings = RequestSettings {
        max_response_bytes: 100,
        ..retrying()
    };
    // An event that never ends counts as well.
    for endless in [
        vec![b"data: ".to_vec(), vec![b'x'; 95]],
        vec![vec![b'\n'; 101]],
    ] {
        check_with(
            ProviderId::Openai,
            settings,
            vec![Answer::Silent(endless)],
            &expect![[r"
                error: the answer of openai is larger than 100 bytes, see `assistant.request.max_response_bytes`
            "]],
        )
        .await;
    }
    check_with(
        ProviderId::Ollama,
        settings,
        vec![Answer::Silent(vec![vec![b' '; 60], vec![b' '; 60]])],
        &expect![[r"
            error: the answer of ollama is larger than 100 bytes, see `assistant.request.max_response_bytes`
        "]],
    )
    .await;
}

#[tokio::test]
async fn silence_ends_an_answer_and_the_connection() {
    let begun = openai(&json!({"delta": {"content": "x"}}));
    let mut server = serve(vec![Answer::Silent(pieces(&begun))]).await;
    let provider = connect(&server, ProviderId::Openai, retrying());
    let mut stream = provider.stream(request(), CancellationToken::new());
    assert_eq!(show(&stream.next().await.unwrap()), "0 text");
    assert_eq!(show(&stream.next().await.unwrap()), "0 +text \"x\"");
    // From here on nothing is under way but the clock.
    tokio::time::pause();
    assert_eq!(
        show(&stream.next().await.unwrap()),
        "error: nothing came from openai for 60 seconds, see `assistant.request.stream_idle_timeout_secs`"
    );
    tokio::time::resume();
    assert_eq!(stream.next().await, None);
    server.closed.recv().await.unwrap();
}

#[tokio::test]
async fn cancelling_closes_the_connection() {
    let begun = openai(&json!({"delta": {"content": "x"}}));
    let mut server = serve(vec![Answer::Silent(pieces(&begun)), Answer::Silent(vec![])]).await;
    let provider = connect(&server, ProviderId::Openai, retrying());
    let cancel = CancellationToken::new();
    let mut stream = provider.stream(request(), cancel.clone());
    assert_eq!(show(&stream.next().await.unwrap()), "0 text");
    cancel.cancel();
    assert_eq!(show(&stream.next().await.unwrap()), "error: cancelled");
    assert_eq!(stream.next().await, None);
    server.closed.recv().await.unwrap();

    // While waiting, too.
    let cancel = CancellationToken::new();
    let mut stream = provider.stream(request(), cancel.clone());
    let (event, ()) = tokio::join!(stream.next(), async {
        tokio::task::yield_now().await;
        cancel.cancel();
    });
    assert_eq!(show(&event.unwrap()), "error: cancelled");
}

#[tokio::test]
async fn dropping_the_answer_closes_the_connection() {
    let begun = openai(&json!({"delta": {"content": "x"}}));
    let mut server = serve(vec![Answer::Silent(pieces(&begun))]).await;
    let provider = connect(&server, ProviderId::Openai, no_patience());
    let mut stream = provider.stream(request(), CancellationToken::new());
    assert_eq!(show(&stream.next().await.unwrap()), "0 text");
    drop(stream);
    server.closed.recv().await.unwrap();
}

#[test]
fn backoff_doubles_within_its_limit() {
    let settings = RequestSettings {
        max_backoff_secs: 5,
        ..RequestSettings::default()
    };
    let delays: Vec<u128> = (0..5)
        .map(|failures| settings.backoff(failures, None).as_millis())
        .collect();
    assert_eq!(delays, [1000, 2000, 4000, 5000, 5000]);
    assert_eq!(settings.backoff(u32::MAX, None), Duration::from_secs(5));
    assert_eq!(
        settings.backoff(0, Some(Duration::from_secs(3))),
        Duration::from_secs(3)
    );
    assert_eq!(
        settings.backoff(0, Some(Duration::from_secs(999))),
        Duration::from_secs(5)
    );
}

#[test]
fn a_key_is_not_shown() {
    let settings = ProviderSettings::default();
    let environment = |_: &str| Some("sesame".to_owned());
    let client = HttpClient::new().unwrap();
    // The variable for the base URL has the same value here, so a provider without one.
    let provider = client
        .connect(
            ProviderId::Anthropic,
            settings,
            RequestSettings::default(),
            crate::fixture::with(&environment),
        )
        .unwrap();
    assert_eq!(
        format!("{provider:?}"),
        "HttpProvider { endpoint: anthropic at https://api.anthropic.com/v1/, .. }"
    );
}

#[tokio::test]
async fn a_spent_account_is_not_asked_again() {
    let patient = RequestSettings {
        max_retries: 3,
        base_backoff_ms: 1,
        ..RequestSettings::default()
    };
    for body in [
        r#"{"error":{"message":"You exceeded your current quota.","type":"insufficient_quota","code":"insufficient_quota"}}"#,
        r#"{"type":"error","error":{"type":"billing_error","message":"You exceeded your current quota."}}"#,
    ] {
        check_with(
            ProviderId::Openai,
            patient,
            vec![Answer::Status("429 Too Many Requests", "", body)],
            &expect![[r"
                error: openai has no quota left for this key, see its billing page: You exceeded your current quota.
            "]],
        )
        .await;
    }
}
