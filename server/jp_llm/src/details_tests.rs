use pretty_assertions::assert_eq;

use crate::fixture::{Answer, connect, no_patience, serve};
use crate::provider::Provider as _;
use crate::settings::ProviderId;

/// What is asked, and what is made of the answer.
async fn ask(provider: ProviderId, status: &'static str, answer: &'static str) -> (String, String) {
    let server = serve(vec![Answer::Status(status, "", answer)]).await;
    let provider = connect(&server, provider, no_patience());
    let details = provider.model_details("m/x").await;
    let (head, body) = server.requests.lock().unwrap().remove(0);
    let asked = head
        .lines()
        .next()
        .unwrap_or_default()
        .trim_end_matches(" HTTP/1.1")
        .to_owned();
    let asked = if body.is_null() {
        asked
    } else {
        format!("{asked} {body}")
    };
    let told = match details {
        Ok(details) => format!(
            "{:?} {:?} {:?}",
            details.name, details.context_window, details.max_output_tokens
        ),
        Err(error) => error.to_string(),
    };
    (asked, told)
}

async fn check(provider: ProviderId, answer: &'static str, asked: &str, told: &str) {
    assert_eq!(
        ask(provider, "200 OK", answer).await,
        (asked.to_owned(), told.to_owned())
    );
}

#[tokio::test]
async fn every_provider_is_asked_in_its_way() {
    check(
        ProviderId::Anthropic,
        r#"{"id":"m/x","display_name":"Model X","max_input_tokens":200000,"max_tokens":64000}"#,
        "GET /v1/models/m/x",
        r#"Some("Model X") Some(200000) Some(64000)"#,
    )
    .await;
    check(
        ProviderId::Google,
        r#"{"name":"models/x","displayName":"X","inputTokenLimit":1048576,"outputTokenLimit":65536}"#,
        "GET /v1beta/models/m/x",
        r#"Some("X") Some(1048576) Some(65536)"#,
    )
    .await;
    check(
        ProviderId::Ollama,
        r#"{"model_info":{"general.parameter_count":1,"qwen3.context_length":40960}}"#,
        r#"POST /api/show {"model":"m/x"}"#,
        "None Some(40960) None",
    )
    .await;
    check(
        ProviderId::Openrouter,
        r#"{"data":[{"id":"a","context_length":1},{"id":"m/x","name":"X","context_length":2,"top_provider":{"max_completion_tokens":3}}]}"#,
        "GET /api/v1/models",
        r#"Some("X") Some(2) Some(3)"#,
    )
    .await;
    check(
        ProviderId::Llamacpp,
        r#"{"data":[{"id":"/models/x.gguf","meta":{"n_ctx_train":8192}}]}"#,
        "GET /v1/models",
        "None Some(8192) None",
    )
    .await;
}

#[tokio::test]
async fn what_is_not_told_is_unknown() {
    check(
        ProviderId::Openai,
        r#"{"data":[{"id":"a"},{"id":"b"}]}"#,
        "GET /v1/models",
        "None None None",
    )
    .await;
    check(
        ProviderId::Xai,
        r#"{"data":"odd"}"#,
        "GET /v1/models",
        "None None None",
    )
    .await;
    let (_, told) = ask(
        ProviderId::Google,
        "404 Not Found",
        r#"{"error":{"message":"no such model"}}"#,
    )
    .await;
    assert_eq!(told, "google answered 404: no such model");
    let (_, told) = ask(ProviderId::Google, "200 OK", "<html>").await;
    assert_eq!(
        told,
        "google sent something unreadable: expected value at line 1 column 1"
    );
}
