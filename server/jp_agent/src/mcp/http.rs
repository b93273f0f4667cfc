//! A server that is reached over HTTP (the transport "streamable HTTP" of MCP), told and heard in lines like one that is a process.
//!
//! ```text
//! POST /mcp  {"jsonrpc": "2.0", "id": 1, "method": "tools/call", …}
//! 200 OK     text/event-stream: what it says meanwhile, and the answer at last; or application/json: the answer
//! ```
//!
//! What goes wrong with a call becomes the answer to that call; the others go on.
//! Redirects are not followed, so that a token reaches the address that a person has trusted and no other.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use futures::{Stream, StreamExt as _};
use jp_conversation::visible;
use jp_llm::HttpClient;
use reqwest::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HeaderName, HeaderValue, LOCATION};
use reqwest::{Client, RequestBuilder, Response, StatusCode};
use serde_json::Value;
use sse_stream::SseByteStream;
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, DuplexStream, duplex};
use tokio::sync::Mutex;
use tokio::task::{AbortHandle, JoinSet};
use tokio::time::{sleep, timeout};
use tokio_util::bytes::Bytes;
use tokio_util::sync::CancellationToken;
use url::Url;

use super::answer::refusal;
use super::patience::Patience;
use crate::config::McpAddress;

/// How long one message may be, as for a server that is a process.
const LIMIT: usize = rmcp::transport::async_rw::DEFAULT_MAX_LINE_LENGTH;

/// How much may wait to be read.
const BUFFER: usize = 64 * 1024;

/// How long a server may take to accept what it need not answer.
const ACCEPTING: Duration = Duration::from_secs(10);

/// How long the end of a session may take.
const ENDING: Duration = Duration::from_secs(2);

/// How long to wait before a server is listened to again that has ended what it said by itself.
const LISTENING_AGAIN: Duration = Duration::from_secs(5);

const SESSION: HeaderName = HeaderName::from_static("mcp-session-id");
const VERSION: HeaderName = HeaderName::from_static("mcp-protocol-version");

/// The streams of a server that is reached over HTTP: what it says, and what it is told.
///
/// It is left alone once what it is told is closed.
///
/// # Errors
///
/// The address cannot be connected to from here, or the variable with the token has none, in words that follow "it".
pub(super) fn connect(
    address: &McpAddress,
    patience: &Arc<Patience>,
) -> Result<(DuplexStream, DuplexStream), String> {
    let client = HttpClient::new().and_then(|client| client.to(&address.url));
    let client = client.map_err(|error| format!("cannot be reached: {error}"))?;
    let remote = Arc::new(Remote {
        client,
        url: address.url.clone(),
        token: token(address)?,
        variable: address.bearer_token_env.clone(),
        session: OnceLock::new(),
        version: OnceLock::new(),
        patience: Arc::clone(patience),
        closing: CancellationToken::new(),
    });
    let (says, heard) = duplex(BUFFER);
    let (tells, told) = duplex(BUFFER);
    tokio::spawn(serve(remote, told, Arc::new(Mutex::new(says))));
    Ok((heard, tells))
}

/// What the server is to know us by.
fn token(address: &McpAddress) -> Result<Option<HeaderValue>, String> {
    let Some(variable) = &address.bearer_token_env else {
        return Ok(None);
    };
    let value = std::env::var(variable).unwrap_or_default();
    let value = value.trim();
    if value.is_empty() {
        return Err(format!(
            "is not asked, because `{variable}` is not set: put its token into this variable of the environment"
        ));
    }
    let mut value = HeaderValue::from_str(&format!("Bearer {value}"))
        .map_err(|_| format!("is not asked, because `{variable}` holds what is no token"))?;
    value.set_sensitive(true);
    Ok(Some(value))
}

/// What the server says, a message a line.
type Says = Arc<Mutex<DuplexStream>>;

/// The server at its address.
#[derive(Debug)]
struct Remote {
    client: Client,
    url: Url,
    token: Option<HeaderValue>,
    /// The variable that the token is from.
    variable: Option<String>,
    /// How it tells our messages from those of others.
    session: OnceLock<HeaderValue>,
    /// What was agreed on in the beginning.
    version: OnceLock<HeaderValue>,
    patience: Arc<Patience>,
    /// Set when there is nothing more to hear from it.
    closing: CancellationToken,
}

/// Passes on what the server is told until that ends, or the server does.
async fn serve(remote: Arc<Remote>, told: DuplexStream, says: Says) {
    let mut lines = BufReader::new(told).lines();
    let mut calls = JoinSet::new();
    let mut running: HashMap<String, AbortHandle> = HashMap::new();
    loop {
        let line = tokio::select! {
            line = lines.next_line() => line,
            () = remote.closing.cancelled() => break,
        };
        let Ok(Some(line)) = line else {
            break;
        };
        while calls.try_join_next().is_some() {}
        running.retain(|_, call| !call.is_finished());
        let Ok(message) = serde_json::from_str::<Value>(&line) else {
            continue;
        };
        let method = message.get("method").and_then(Value::as_str);
        match (message.get("id"), method) {
            (Some(id), Some(_)) => {
                let (asked, says, key) = (Arc::clone(&remote), Arc::clone(&says), id.to_string());
                let id = id.clone();
                let call = calls.spawn(async move { asked.ask(&id, line, &says).await });
                running.insert(key, call);
            }
            (_, method) => {
                if method == Some("notifications/cancelled")
                    && let Some(id) = message.pointer("/params/requestId")
                    && let Some(call) = running.remove(&id.to_string())
                {
                    call.abort();
                }
                // What is lost here is missed by nobody: it is not answered.
                let _ = timeout(ACCEPTING, remote.post(line)).await;
                if method == Some("notifications/initialized") {
                    let (remote, says) = (Arc::clone(&remote), Arc::clone(&says));
                    calls.spawn(async move { remote.listen(&says).await });
                }
            }
        }
    }
    // Whoever hears it learns from the end of the stream.
    calls.shutdown().await;
    drop(says);
    let _ = timeout(ENDING, remote.leave()).await;
}

impl Remote {
    /// Asks something, and passes on the answer or why there is none.
    async fn ask(&self, id: &Value, message: String, says: &Says) {
        let outcome = self.exchange(id, message, says).await;
        // Where the server has ended, whoever waits learns that from the end of the stream.
        if let Err(problem) = outcome
            && !self.closing.is_cancelled()
        {
            let answer = refusal(id, &format!("its server {problem}"));
            self.pass_on(&answer, says).await;
        }
    }

    async fn exchange(&self, id: &Value, message: String, says: &Says) -> Result<(), String> {
        let response = self.post(message).await?;
        if let Some(session) = response.headers().get(SESSION) {
            let _ = self.session.set(session.clone());
        }
        match kind(&response).as_str() {
            "application/json" => {
                let answer = whole(response).await?;
                self.heard(&answer, says).await;
                Ok(())
            }
            "text/event-stream" => match self.hear(response, says, Some(id)).await? {
                true => Ok(()),
                false => Err("ended its answer before it was there".to_owned()),
            },
            "" => Err("answered with nothing".to_owned()),
            other => Err(format!(
                "answered with `{}`, which is no MCP",
                visible(other)
            )),
        }
    }

    /// Sends a message.
    async fn post(&self, message: String) -> Result<Response, String> {
        let request = self
            .client
            .post(self.url.clone())
            .header(ACCEPT, "application/json, text/event-stream")
            .header(CONTENT_TYPE, "application/json")
            .body(message);
        self.send(request).await
    }

    /// What the server says without being asked, for as long as it does.
    async fn listen(&self, says: &Says) {
        loop {
            let request = self.client.get(self.url.clone());
            // One that has nothing to say of its own refuses.
            let Ok(response) = self.send(request.header(ACCEPT, "text/event-stream")).await else {
                return;
            };
            if kind(&response) != "text/event-stream" {
                return;
            }
            let _ = self.hear(response, says, None).await;
            sleep(LISTENING_AGAIN).await;
        }
    }

    /// Ends the session.
    async fn leave(&self) {
        if self.session.get().is_some() {
            let _ = self
                .headed(self.client.delete(self.url.clone()))
                .send()
                .await;
        }
    }

    fn headed(&self, mut request: RequestBuilder) -> RequestBuilder {
        if let Some(token) = &self.token {
            request = request.header(AUTHORIZATION, token.clone());
        }
        for (name, value) in [(SESSION, &self.session), (VERSION, &self.version)] {
            if let Some(value) = value.get() {
                request = request.header(name, value.clone());
            }
        }
        request
    }

    async fn send(&self, request: RequestBuilder) -> Result<Response, String> {
        let response = self.headed(request).send().await;
        let response = response.map_err(|error| format!("cannot be reached: {}", cause(&error)))?;
        let status = response.status();
        if status.is_success() {
            return Ok(response);
        }
        Err(match status {
            StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => match &self.variable {
                None => format!(
                    "wants to know who asks ({status}): put its token into a variable of the environment, and name that as \
                     `bearer_token_env`; there is no OAuth here"
                ),
                Some(variable) => format!("does not accept the token in `{variable}` ({status})"),
            },
            StatusCode::NOT_FOUND if self.session.get().is_some() => {
                self.patience
                    .lose(format!("it has ended the session ({status})"));
                self.closing.cancel();
                format!("has ended the session ({status})")
            }
            StatusCode::NOT_FOUND | StatusCode::METHOD_NOT_ALLOWED => {
                format!("is not at this address ({status})")
            }
            _ if status.is_redirection() => {
                let address = response.headers().get(LOCATION);
                let address = address.and_then(|it| it.to_str().ok()).unwrap_or("nowhere");
                format!(
                    "leads on to `{}`, which is not followed: write the address that is meant",
                    visible(address)
                )
            }
            _ => format!("answered with {status}"),
        })
    }

    /// Passes on the messages of a stream; whether the answer to `awaited` was among them.
    async fn hear(
        &self,
        response: Response,
        says: &Says,
        awaited: Option<&Value>,
    ) -> Result<bool, String> {
        let since_event = Arc::new(AtomicUsize::new(0));
        let mut events = SseByteStream::new(bounded(response, Arc::clone(&since_event)));
        while let Some(event) = events.next().await {
            since_event.store(0, Ordering::Relaxed);
            let event = event.map_err(|error| match error {
                sse_stream::Error::Body(error) => error.to_string(),
                error => format!("answered with what is no stream of events: {error}"),
            })?;
            let message = event.data.unwrap_or_default();
            if self
                .heard(&message, says)
                .await
                .is_some_and(|id| Some(&id) == awaited)
            {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Passes on one message; the id of what it answers.
    async fn heard(&self, message: &str, says: &Says) -> Option<Value> {
        let message = message.trim().replace(['\n', '\r'], " ");
        if message.is_empty() {
            return None;
        }
        let read: Option<Value> = serde_json::from_str(&message).ok();
        let agreed = read
            .as_ref()
            .and_then(|it| it.pointer("/result/protocolVersion"));
        if let Some(version) = agreed.and_then(Value::as_str)
            && let Ok(version) = HeaderValue::from_str(version)
        {
            let _ = self.version.set(version);
        }
        let answered = read.filter(|it| it.get("method").is_none());
        let answered = answered.and_then(|it| it.get("id").cloned());
        self.pass_on(format!("{message}\n").as_bytes(), says).await;
        answered
    }

    async fn pass_on(&self, line: &[u8], says: &Says) {
        if says.lock().await.write_all(line).await.is_err() {
            self.closing.cancel();
        }
    }
}

/// What kind of answer it is.
fn kind(response: &Response) -> String {
    let kind = response.headers().get(CONTENT_TYPE);
    let kind = kind.and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    let kind = kind.split(';').next().unwrap_or_default();
    kind.trim().to_ascii_lowercase()
}

/// An answer that is one message.
async fn whole(mut response: Response) -> Result<String, String> {
    let mut body = Vec::new();
    loop {
        match response.chunk().await {
            Ok(None) => break,
            Ok(Some(chunk)) => body.extend_from_slice(&chunk),
            Err(error) => return Err(format!("broke off its answer: {}", cause(&error))),
        }
        if body.len() > LIMIT {
            return Err(too_long());
        }
    }
    String::from_utf8(body).map_err(|_| "answered with bytes that are not UTF-8".to_owned())
}

/// The bytes of a stream of events, as long as no event is longer than [`LIMIT`].
///
/// `since_event` is what has come since the last event that was read; whoever reads one sets it to 0.
fn bounded(
    response: Response,
    since_event: Arc<AtomicUsize>,
) -> impl Stream<Item = Result<Bytes, Broken>> + Unpin {
    let chunks = response.bytes_stream().map(move |chunk| {
        let chunk =
            chunk.map_err(|error| Broken(format!("broke off its answer: {}", cause(&error))))?;
        let before = since_event.fetch_add(chunk.len(), Ordering::Relaxed);
        match before.saturating_add(chunk.len()) > LIMIT {
            true => Err(Broken(too_long())),
            false => Ok(chunk),
        }
    });
    Box::pin(chunks)
}

/// Why no more is read of an answer, in words that follow "it".
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
struct Broken(String);

fn too_long() -> String {
    format!(
        "answered with more than {} MiB, which is the limit",
        LIMIT >> 20
    )
}

/// The innermost cause, which says what happened.
fn cause(error: &reqwest::Error) -> String {
    let mut cause: &dyn std::error::Error = error;
    while let Some(source) = cause.source() {
        cause = source;
    }
    cause.to_string()
}
