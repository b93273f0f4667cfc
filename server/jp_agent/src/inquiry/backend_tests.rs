use std::sync::Mutex;

use expect_test::expect;
use jp_conversation::{ChatResponse, ToolCallRequest};
use jp_llm::{EventStream, LlmError, Message, ModelDetails, Provider, Script, ScriptedProvider};
use pretty_assertions::assert_eq;

use super::*;
use crate::config::ModelConfig;

/// Keeps the requests and answers them from a script.
#[derive(Debug)]
struct Recorded {
    requests: Mutex<Vec<Request>>,
    script: ScriptedProvider,
    window: Option<u64>,
}

impl Provider for Recorded {
    fn stream(&self, request: Request, cancel: CancellationToken) -> EventStream {
        self.requests.lock().unwrap().push(request.clone());
        self.script.stream(request, cancel)
    }

    fn model_details<'a>(&'a self, _: &'a str) -> BoxFuture<'a, Result<ModelDetails, LlmError>> {
        let details = ModelDetails {
            context_window: self.window,
            ..ModelDetails::default()
        };
        Box::pin(std::future::ready(Ok(details)))
    }
}

#[derive(Debug)]
struct One(Arc<Recorded>);

impl Providers for One {
    fn provider(&self, _: &ModelConfig) -> Result<Arc<dyn Provider>, LlmError> {
        Ok(Arc::clone(&self.0) as Arc<dyn Provider>)
    }
}

fn event(kind: EventKind) -> ConversationEvent {
    ConversationEvent::new(kind)
}

fn user(text: &str) -> ConversationEvent {
    event(EventKind::ChatRequest(ChatRequest {
        content: text.to_owned(),
        schema: None,
        author: None,
    }))
}

fn call(question: Question, target: Value) -> InquiryCall {
    let config = json!({
        "assistant": {"model": {"id": "test/main"}, "system_prompt": "Be brief."},
        "conversation": {"inquiry": {"assistant": {"model": {"id": "test/inquiry", "parameters": {"temperature": 0.5}}}}},
    });
    InquiryCall {
        events: vec![
            event(EventKind::TurnStart),
            user("an older turn"),
            event(EventKind::ChatResponse(ChatResponse::Message(
                "done".to_owned(),
            ))),
            event(EventKind::TurnStart),
            user("Change the file."),
            event(EventKind::ToolCallRequest(ToolCallRequest {
                id: "call_1".to_owned(),
                name: "fs_modify_file".to_owned(),
                arguments: Map::new(),
            })),
        ],
        call_id: "call_1".to_owned(),
        tool_name: "fs_modify_file".to_owned(),
        question,
        target: QuestionTarget::Assistant(target.as_object().cloned().unwrap()),
        config: Arc::new(TurnConfig::resolve(&config, &indexmap::IndexMap::new()).unwrap()),
        tools: Vec::new(),
    }
}

struct Asked {
    answer: Result<Value, InquiryError>,
    requests: Vec<Request>,
}

async fn ask(call: InquiryCall, says: &str, window: Option<u64>) -> Asked {
    let script = Script::from_toml(
        "script",
        &format!("[[cycles]]\nbatches = [[{{ text = '''{says}''' }}]]\n"),
    );
    let provider = Arc::new(Recorded {
        requests: Mutex::default(),
        script: ScriptedProvider::new(script.unwrap()),
        window,
    });
    let backend = LlmInquiryBackend::new(Arc::new(One(Arc::clone(&provider))));
    let answer = backend.inquire(call, CancellationToken::new()).await;
    let requests = std::mem::take(&mut *provider.requests.lock().unwrap());
    Asked { answer, requests }
}

fn question() -> Question {
    Question::boolean("apply_changes", "Apply?").with_context("-a\n+b")
}

#[tokio::test]
async fn the_model_sees_the_conversation_and_the_question() {
    let asked = ask(call(question(), json!({})), r#"{"answer": true}"#, None).await;
    assert_eq!(asked.answer, Ok(json!(true)));
    let [request] = asked.requests.as_slice() else {
        panic!("expected one request, got {:?}", asked.requests);
    };
    assert_eq!(request.tool_choice, ToolChoice::None);
    assert_eq!(request.system.as_deref(), Some("Be brief."));
    let (Some(Message::User(last)), Some(Message::Tool(results))) = (
        request.messages.last(),
        request.messages.iter().rev().nth(1),
    ) else {
        panic!("unexpected messages: {:?}", request.messages);
    };
    assert_eq!(results.first().unwrap().content, "Tool paused: Apply?");
    expect![[r#"
        Tool `fs_modify_file` requires additional input before it can complete the request.

        -a
        +b

        Apply?

        Provide your answer based on the conversation context."#]]
    .assert_eq(last);
    expect![[r#"{"type":"object","properties":{"answer":{"type":"boolean"}},"required":["answer"],"additionalProperties":false}"#]].assert_eq(&request.output_schema.clone().unwrap().to_string());
}

#[tokio::test]
async fn the_question_names_its_model_before_the_inquiries_do_before_the_assistant() {
    let plain = ask(call(question(), json!({})), r#"{"answer": true}"#, None).await;
    let request = plain.requests.first().unwrap();
    assert_eq!(request.model, "inquiry");
    assert_eq!(request.parameters.temperature, Some(0.5));
    let own = json!({"model": {"id": "test/own"}});
    let own = ask(call(question(), own), r#"{"answer": true}"#, None).await;
    let request = own.requests.first().unwrap();
    assert_eq!(request.model, "own");
    assert_eq!(request.parameters.temperature, Some(0.5));
}

#[tokio::test]
async fn older_turns_are_left_out_when_the_window_is_small() {
    let texts = |request: &Request| {
        let users = request.messages.iter().filter_map(|message| match message {
            Message::User(text) => Some(text.lines().next().unwrap_or_default().to_owned()),
            _ => None,
        });
        users.collect::<Vec<_>>()
    };
    let roomy = ask(
        call(question(), json!({})),
        r#"{"answer": true}"#,
        Some(10_000),
    )
    .await;
    assert_eq!(
        texts(roomy.requests.first().unwrap()).first().unwrap(),
        "an older turn"
    );
    let tight = ask(call(question(), json!({})), r#"{"answer": true}"#, Some(10)).await;
    assert_eq!(
        texts(tight.requests.first().unwrap()).first().unwrap(),
        "Change the file."
    );
}

#[tokio::test]
async fn an_answer_in_a_code_block_counts() {
    let asked = ask(
        call(question(), json!({})),
        "```json\n{\"answer\": false}\n```",
        None,
    )
    .await;
    assert_eq!(asked.answer, Ok(json!(false)));
}

#[tokio::test]
async fn what_is_no_answer_is_an_error_of_its_kind() {
    let answer = async |says| ask(call(question(), json!({})), says, None).await.answer;
    assert_eq!(
        answer("Yes, do it.").await,
        Err(InquiryError::MissingStructuredData)
    );
    assert_eq!(
        answer("true").await,
        Err(InquiryError::MissingStructuredData)
    );
    assert_eq!(
        answer(r#"{"reply": true}"#).await,
        Err(InquiryError::AnswerExtraction("there is none".to_owned()))
    );
    assert_eq!(
        answer(r#"{"answer": "yes"}"#).await,
        Err(InquiryError::AnswerExtraction(
            "`\"yes\"` does not match the answer type".to_owned()
        ))
    );
}

#[tokio::test]
async fn a_secret_reaches_no_model() {
    let asked = ask(
        call(Question::secret("p", "Password?"), json!({})),
        "{}",
        None,
    )
    .await;
    assert_eq!(
        asked.answer,
        Err(InquiryError::Other(
            "a secret is never asked of a model".to_owned()
        ))
    );
    assert_eq!(asked.requests, Vec::new());
}

#[tokio::test]
async fn a_cancelled_inquiry_says_so() {
    let provider = Arc::new(Recorded {
        requests: Mutex::default(),
        script: ScriptedProvider::new(Script::default()),
        window: None,
    });
    let backend = LlmInquiryBackend::new(Arc::new(One(provider)));
    let cancel = CancellationToken::new();
    cancel.cancel();
    let answer = backend.inquire(call(question(), json!({})), cancel).await;
    assert_eq!(answer, Err(InquiryError::Cancelled));
}

#[test]
fn a_zero_for_inquiries_stands_for_the_number_of_the_assistant() {
    let request = |inquiries: Value, target: Value| {
        let config = json!({
            "assistant": {"model": {"id": "test/main"}, "request": {"max_retries": 7, "max_response_bytes": 9}},
            "conversation": {"inquiry": {"assistant": {"request": inquiries}}},
        });
        let config = TurnConfig::resolve(&config, &indexmap::IndexMap::new()).unwrap();
        let call = InquiryCall {
            config: Arc::new(config),
            ..call(question(), target)
        };
        let request = second_assistant(&call).unwrap().model.request;
        (request.max_retries, request.max_response_bytes)
    };
    assert_eq!(request(json!({"max_retries": 2}), json!({})), (2, 9));
    assert_eq!(
        request(
            json!({"max_retries": 2, "max_response_bytes": 0}),
            json!({})
        ),
        (2, 9)
    );
    assert_eq!(
        request(
            json!({"max_retries": 0, "max_response_bytes": 5}),
            json!({})
        ),
        (7, 5)
    );
    // What a question says of itself holds as it stands.
    let target = json!({"request": {"max_response_bytes": 0}});
    assert_eq!(request(json!({"max_response_bytes": 5}), target), (7, 0));
}
