//! A server that says byte for byte what a test tells it to.

use std::io;
use std::sync::{Arc, Mutex};

use expect_test::Expect;
use futures::StreamExt as _;
use serde_json::{Map, Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};
use tokio_util::sync::CancellationToken;

use crate::event::{PartContent, PartKind, StreamEvent};
use crate::http::{HttpClient, HttpProvider};
use crate::provider::{EventStream, Provider as _};
use crate::request::{
    AssistantContent, AssistantPart, Cache, Effort, Message, Parameters, Reasoning, Request,
    ToolChoice, ToolDefinition, ToolResult,
};
use crate::settings::{Endpoint, ProviderId, ProviderSettings, RequestSettings, Surroundings};

/// What the server does with one connection.
#[derive(Clone)]
pub(crate) enum Answer {
    /// Sends each piece as a chunk of its own and ends in good order.
    Whole(Vec<Vec<u8>>),
    /// Sends the pieces and closes the connection in the middle of the body.
    Broken(Vec<Vec<u8>>),
    /// Sends the pieces and then nothing, until the client goes.
    Silent(Vec<Vec<u8>>),
    /// Sends a status, headers and a body.
    Status(&'static str, &'static str, &'static str),
}

/// A server that gives one answer a connection.
pub(crate) struct Server {
    pub(crate) base_url: String,
    pub(crate) requests: Arc<Mutex<Vec<(String, Value)>>>,
    /// Hears of each connection that the client has closed.
    pub(crate) closed: UnboundedReceiver<()>,
}

pub(crate) async fn serve(answers: Vec<Answer>) -> Server {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let base_url = format!("http://{}", listener.local_addr().unwrap());
    let requests = Arc::new(Mutex::new(Vec::new()));
    let (closing, closed) = unbounded_channel();
    let log = Arc::clone(&requests);
    tokio::spawn(async move {
        for answer in answers {
            let (mut stream, _) = listener.accept().await.unwrap();
            let request = read_request(&mut stream).await;
            log.lock().unwrap().push(request);
            // The client may go before everything is sent.
            let _ = give(&mut stream, answer).await;
            let _ = closing.send(());
        }
    });
    Server {
        base_url,
        requests,
        closed,
    }
}

async fn read_request(stream: &mut TcpStream) -> (String, Value) {
    let mut bytes = Vec::new();
    loop {
        let read = stream.read_buf(&mut bytes).await.unwrap_or(0);
        let text = String::from_utf8_lossy(&bytes);
        if read == 0 {
            // The client has gone in the middle of its request.
            return (text.into_owned(), Value::Null);
        }
        let Some((head, body)) = text.split_once("\r\n\r\n") else {
            continue;
        };
        let length = head
            .lines()
            .find_map(|line| line.strip_prefix("content-length: "))
            .map_or(0, |length| length.parse::<usize>().unwrap());
        if body.len() == length {
            let body = if length == 0 {
                Value::Null
            } else {
                serde_json::from_str(body).unwrap()
            };
            return (head.to_owned(), body);
        }
    }
}

async fn give(stream: &mut TcpStream, answer: Answer) -> io::Result<()> {
    let pieces = match &answer {
        Answer::Status(status, headers, body) => {
            let length = body.len();
            let head = format!(
                "HTTP/1.1 {status}\r\n{headers}connection: close\r\ncontent-length: {length}\r\n\r\n"
            );
            return stream.write_all(format!("{head}{body}").as_bytes()).await;
        }
        Answer::Whole(pieces) | Answer::Broken(pieces) | Answer::Silent(pieces) => pieces,
    };
    stream
        .write_all(b"HTTP/1.1 200 OK\r\nconnection: close\r\ntransfer-encoding: chunked\r\n\r\n")
        .await?;
    for piece in pieces {
        stream
            .write_all(format!("{:x}\r\n", piece.len()).as_bytes())
            .await?;
        stream.write_all(piece).await?;
        stream.write_all(b"\r\n").await?;
    }
    match answer {
        Answer::Whole(_) => stream.write_all(b"0\r\n\r\n").await,
        Answer::Silent(_) => stream.read(&mut [0]).await.map(|_| ()),
        _ => Ok(()),
    }
}

pub(crate) fn no_patience() -> RequestSettings {
    RequestSettings {
        max_retries: 0,
        base_backoff_ms: 1,
        ..RequestSettings::default()
    }
}

pub(crate) fn connect(
    server: &Server,
    provider: ProviderId,
    settings: RequestSettings,
) -> HttpProvider {
    let provider_settings = ProviderSettings {
        base_url: Some(server.base_url.clone()),
        ..ProviderSettings::default()
    };
    let environment = |name: &str| name.ends_with("_API_KEY").then(|| "sesame".to_owned());
    HttpClient::new()
        .unwrap()
        .connect(provider, provider_settings, settings, with(&environment))
        .unwrap()
}

/// An environment in which keys may go everywhere.
pub(crate) fn with<'a>(variable: &'a dyn Fn(&str) -> Option<String>) -> Surroundings<'a> {
    Surroundings {
        variable,
        kept_key: &|_| Ok(None),
        may_send: &|_| true,
    }
}

/// The body of a request as it is written for a provider.
pub(crate) fn written(provider: ProviderId, request: &Request) -> Value {
    let environment = |name: &str| name.ends_with("_API_KEY").then(|| "sesame".to_owned());
    let settings = ProviderSettings::default();
    let endpoint = Endpoint::resolve(provider, settings, with(&environment)).unwrap();
    let wire = provider.protocol().write(&endpoint, request).unwrap();
    wire.body
}

/// The messages among it, in whatever field they are.
pub(crate) fn written_messages(provider: ProviderId, request: &Request) -> Vec<Value> {
    let body = written(provider, request);
    let messages = body.get("messages").or_else(|| body.get("contents"));
    messages.unwrap().as_array().unwrap().clone()
}

pub(crate) fn request() -> Request {
    Request {
        model: "m".into(),
        messages: vec![Message::User("Go".into())],
        ..Request::default()
    }
}

pub(crate) fn show(event: &StreamEvent) -> String {
    match event {
        StreamEvent::Retrying {
            attempt,
            delay,
            error,
        } => format!("retry after attempt {attempt} in {delay:?}: {error}"),
        StreamEvent::PartStart { index, kind } => match kind {
            PartKind::Text => format!("{index} text"),
            PartKind::Reasoning => format!("{index} reasoning"),
            PartKind::ToolCall { id, name } => format!("{index} call {id} {name}"),
        },
        StreamEvent::TextDelta { index, text } => format!("{index} +text {text:?}"),
        StreamEvent::ReasoningDelta { index, text } => format!("{index} +reasoning {text:?}"),
        StreamEvent::ArgumentsDelta { index, json } => format!("{index} +arguments {json}"),
        StreamEvent::PartEnd { index, content } => match content {
            PartContent::Text { text, metadata } => {
                format!("{index} end {text:?} {}", json!(metadata))
            }
            PartContent::Reasoning { text, metadata } => {
                format!("{index} end {text:?} {}", json!(metadata))
            }
            PartContent::ToolCall {
                arguments,
                metadata,
                ..
            } => match arguments {
                Ok(arguments) => format!("{index} end {} {}", json!(arguments), json!(metadata)),
                Err(invalid) => format!("{index} end: {invalid}: {}", invalid.text),
            },
        },
        StreamEvent::Done {
            finish_reason,
            usage,
        } => format!(
            "done {finish_reason:?}, tokens in {:?} out {:?} cached {:?}",
            usage.input_tokens, usage.output_tokens, usage.cached_tokens
        ),
        StreamEvent::Error(error) => format!("error: {error}"),
    }
}

pub(crate) async fn listen(mut stream: EventStream) -> String {
    let mut shown = String::new();
    while let Some(event) = stream.next().await {
        shown.push_str(&show(&event));
        shown.push('\n');
    }
    shown
}

pub(crate) async fn check_with(
    provider: ProviderId,
    settings: RequestSettings,
    answers: Vec<Answer>,
    expect: &Expect,
) {
    let server = serve(answers).await;
    let provider = connect(&server, provider, settings);
    let shown = listen(provider.stream(request(), CancellationToken::new())).await;
    expect.assert_eq(&shown);
}

/// Asserts the events of an answer in pieces.
pub(crate) async fn check(provider: ProviderId, pieces: &[&str], expect: &Expect) {
    let pieces = pieces
        .iter()
        .map(|piece| piece.as_bytes().to_vec())
        .collect();
    check_with(provider, no_patience(), vec![Answer::Whole(pieces)], expect).await;
}

pub(crate) fn openai(choice: &Value) -> String {
    format!("data: {}\n\n", json!({"choices": [choice]}))
}

/// A request that has something of everything.
pub(crate) fn rich() -> Request {
    let metadata = |key: &str, value: &str| json!({key: value}).as_object().unwrap().clone();
    let part = |content, metadata| AssistantPart { content, metadata };
    let call = |id: &str, name: &str| AssistantContent::ToolCall {
        id: id.into(),
        name: name.into(),
        arguments: json!({"p": 1}).as_object().unwrap().clone(),
    };
    Request {
        model: "claude-opus-4-1-20250805".into(),
        system: Some("Be brief.".into()),
        messages: vec![
            Message::User("Go".into()),
            Message::Assistant(vec![
                part(
                    AssistantContent::Reasoning("Hm".into()),
                    metadata("anthropic_thinking_signature", "s"),
                ),
                part(AssistantContent::Reasoning("unsigned".into()), Map::new()),
                part(AssistantContent::Text("I look.".into()), Map::new()),
                part(call("a", "read"), metadata("google_thought_signature", "g")),
                part(call("b", "list"), Map::new()),
            ]),
            Message::Tool(vec![
                ToolResult {
                    id: "a".into(),
                    name: "read".into(),
                    content: "text".into(),
                    is_error: false,
                },
                ToolResult {
                    id: "b".into(),
                    name: "list".into(),
                    content: "gone".into(),
                    is_error: true,
                },
            ]),
            Message::User("And?".into()),
        ],
        tools: vec![ToolDefinition {
            name: "read".into(),
            description: Some("Reads.".into()),
            parameters: json!({"type": "object"}),
        }],
        tool_choice: ToolChoice::Tool("read".into()),
        parameters: Parameters {
            max_tokens: Some(2000),
            reasoning: Some(Reasoning {
                effort: Effort::High,
                exclude: false,
            }),
            temperature: Some(0.5),
            top_p: Some(0.75),
            top_k: Some(3),
            stop_words: vec!["END".into()],
            other: json!({"seed": 1, "options": {"num_ctx": 9}})
                .as_object()
                .unwrap()
                .clone(),
            cache: Cache::Long,
        },
        output_schema: Some(
            json!({"type": "object", "properties": {}, "additionalProperties": false}),
        ),
        failures: 0,
    }
}

pub(crate) async fn check_request(provider: ProviderId, expect: &Expect) {
    let server = serve(vec![Answer::Status("400 Bad Request", "", "")]).await;
    let provider = connect(&server, provider, no_patience());
    listen(provider.stream(rich(), CancellationToken::new())).await;
    let (head, body) = server.requests.lock().unwrap().remove(0);
    let mut shown = String::new();
    for line in head
        .lines()
        .filter(|line| !line.starts_with("host") && !line.starts_with("content-length"))
    {
        shown.push_str(line.trim_end());
        shown.push('\n');
    }
    for (key, value) in body.as_object().unwrap() {
        match value {
            Value::Array(values) if matches!(key.as_str(), "messages" | "contents") => {
                shown.extend(values.iter().map(|value| format!("{key}: {value}\n")));
            }
            _ => shown.push_str(&format!("{key}: {value}\n")),
        }
    }
    expect.assert_eq(&shown);
}
