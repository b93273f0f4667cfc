//! Asking a provider over HTTP: repetition, limits of time and size, cancellation.

use std::fmt;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use futures::future::{BoxFuture, ready};
use futures::{Stream, StreamExt as _, TryStreamExt as _, stream};
use reqwest::{Client, ClientBuilder, Response};
use serde_json::Value;
use sse_stream::SseByteStream;
use tokio::time::{sleep, timeout};
use tokio_util::bytes::Bytes;
use tokio_util::codec::{FramedRead, LinesCodec, LinesCodecError};
use tokio_util::io::StreamReader;
use tokio_util::sync::CancellationToken;
use url::Url;

use crate::details::{self, ModelDetails};
use crate::error::LlmError;
use crate::event::{FinishReason, StreamEvent};
use crate::parts::Parts;
use crate::provider::{EventStream, Provider};
use crate::request::Request;
use crate::retry_after::retry_after;
use crate::settings::{
    Endpoint, ProviderId, ProviderSettings, RequestSettings, Surroundings, is_here,
};
use crate::wire::{
    answer::{Decoder, Framing, Progress, json},
    body::WireRequest,
};

/// How much of an error's body is read.
const ERROR_BYTES: usize = 16 * 1024;
/// How much is read about models; the longest lists have some hundred KiB.
const DETAILS_BYTES: usize = 8 * 1024 * 1024;
/// How long a connection may take.
const CONNECT: Duration = Duration::from_secs(30);

/// The connections that all providers share.
///
/// TLS is set up once; the connections are kept alive between requests.
#[derive(Debug, Clone)]
pub struct HttpClient {
    /// Goes by the proxies of the system.
    away: Client,
    /// For this machine itself: a proxy elsewhere could not reach it, and would read the key.
    here: Client,
    /// Why nobody can be trusted over HTTPS, where the system has no certificates.
    distrust: Option<String>,
}

impl HttpClient {
    /// Sets up TLS with the certificates of the system.
    ///
    /// A system without any, such as a container that holds nothing else, still has providers over plain HTTP.
    ///
    /// # Errors
    ///
    /// [`LlmError::Client`].
    pub fn new() -> Result<Self, LlmError> {
        // Fails only where the process has one already, which will do.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let builder = || {
            Client::builder()
                .connect_timeout(CONNECT)
                .redirect(reqwest::redirect::Policy::none())
                .user_agent(concat!("jp-lsp/", env!("CARGO_PKG_VERSION")))
        };
        let build = |builder: ClientBuilder| builder.build().map_err(|error| reason(&error));
        let client = |reason| LlmError::Client { reason };
        match (build(builder()), build(builder().no_proxy())) {
            (Ok(away), Ok(here)) => Ok(Self {
                away,
                here,
                distrust: None,
            }),
            (Err(reason), _) | (_, Err(reason)) => Ok(Self {
                away: build(builder().tls_certs_only([])).map_err(client)?,
                here: build(builder().no_proxy().tls_certs_only([])).map_err(client)?,
                distrust: Some(reason),
            }),
        }
    }

    /// What reaches an address: by the proxies of the system, and without one where the address is on this machine.
    ///
    /// Redirects are not followed.
    ///
    /// # Errors
    ///
    /// [`LlmError::Client`] for an address over HTTPS where the system has no certificates.
    pub fn to(&self, address: &Url) -> Result<Client, LlmError> {
        if let (Some(reason), "https") = (&self.distrust, address.scheme()) {
            return Err(LlmError::Client {
                reason: reason.clone(),
            });
        }
        let client = match is_here(address) {
            true => &self.here,
            false => &self.away,
        };
        Ok(client.clone())
    }

    /// Connects to a provider. Nothing is sent before something is asked.
    ///
    /// `surroundings` look up what the settings name.
    /// A key is sent to the provider's own address, and where [`Surroundings::may_send`] allows it.
    /// What goes to this machine itself takes no proxy.
    ///
    /// # Errors
    ///
    /// [`LlmError::MissingKey`], [`LlmError::UnconfirmedKey`], [`LlmError::ReadableKey`], [`LlmError::InvalidBaseUrl`], and
    /// [`LlmError::Client`] for an address over HTTPS where the system has no certificates.
    pub fn connect(
        &self,
        provider: ProviderId,
        settings: ProviderSettings,
        request_settings: RequestSettings,
        surroundings: Surroundings<'_>,
    ) -> Result<HttpProvider, LlmError> {
        let endpoint = Endpoint::resolve(provider, settings, surroundings)?;
        Ok(HttpProvider {
            client: self.to(&endpoint.base)?,
            endpoint: Arc::new(endpoint),
            settings: request_settings,
        })
    }
}

/// A provider that is asked over HTTP.
#[derive(Clone)]
pub struct HttpProvider {
    client: Client,
    endpoint: Arc<Endpoint>,
    settings: RequestSettings,
}

impl fmt::Debug for HttpProvider {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HttpProvider")
            .field("endpoint", &self.endpoint)
            .finish_non_exhaustive()
    }
}

impl Provider for HttpProvider {
    fn stream(&self, request: Request, cancel: CancellationToken) -> EventStream {
        let exchange = Exchange {
            provider: self.clone(),
            failures: request.failures,
            request,
            cancel,
            parts: Parts::default(),
            phase: Phase::Ask,
            told: false,
        };
        Box::pin(stream::unfold(exchange, Exchange::next))
    }

    fn model_details<'a>(
        &'a self,
        model: &'a str,
    ) -> BoxFuture<'a, Result<ModelDetails, LlmError>> {
        Box::pin(async move {
            let response = self.send(details::write(&self.endpoint, model)?).await?;
            let body = self.within_idle(start_of(response, DETAILS_BYTES)).await?;
            let answer = json(self.name(), &body)?;
            Ok(details::read(
                self.endpoint.provider.protocol(),
                model,
                &answer,
            ))
        })
    }
}

/// One frame of an answer: the name of the event, where it has one, and the data.
type Frame = (Option<String>, String);
type Frames = std::pin::Pin<Box<dyn Stream<Item = Result<Frame, LlmError>> + Send>>;

/// One request and its answer.
struct Exchange {
    provider: HttpProvider,
    request: Request,
    cancel: CancellationToken,
    parts: Parts,
    phase: Phase,
    /// How many attempts have failed.
    failures: u32,
    /// Whether anything of the answer was passed on, so that it cannot be asked for again.
    told: bool,
}

enum Phase {
    /// The request is to be sent.
    Ask,
    /// The request failed and is to be sent again after a while.
    Wait(Duration),
    /// The answer is coming in.
    Read(Frames, Box<dyn Decoder>),
    /// Everything is said.
    Ended,
}

impl Exchange {
    async fn next(mut self) -> Option<(StreamEvent, Self)> {
        loop {
            if self.cancel.is_cancelled() && !matches!(self.phase, Phase::Ended) {
                return Some(self.fail(LlmError::Cancelled));
            }
            if let Some(event) = self.parts.next_event() {
                self.told = true;
                return Some((event, self));
            }
            let cancel = self.cancel.clone();
            let step = tokio::select! {
                biased;
                () = cancel.cancelled(), if !matches!(self.phase, Phase::Ended) => Err(LlmError::Cancelled),
                step = self.step() => step,
            };
            match step {
                Ok(()) if matches!(self.phase, Phase::Ended) => {
                    // What the last step said is still to be passed on.
                    let event = self.parts.next_event()?;
                    return Some((event, self));
                }
                Ok(()) => {}
                Err(error) => return Some(self.fail(error)),
            }
        }
    }

    async fn step(&mut self) -> Result<(), LlmError> {
        match &mut self.phase {
            Phase::Ask => {
                let protocol = self.provider.endpoint.provider.protocol();
                let wire = protocol.write(&self.provider.endpoint, &self.request)?;
                let response = self.provider.send(wire).await?;
                let decoder = protocol.decoder(self.provider.name(), &self.request);
                self.phase =
                    Phase::Read(self.provider.frames(response, protocol.framing()), decoder);
                Ok(())
            }
            Phase::Wait(delay) => {
                sleep(*delay).await;
                self.phase = Phase::Ask;
                Ok(())
            }
            Phase::Read(frames, decoder) => {
                let progress = match frames.next().await {
                    Some(frame) => {
                        let (event, data) = frame?;
                        decoder.frame(event.as_deref(), &data, &mut self.parts)?
                    }
                    None if decoder.is_complete_when_closed(&self.parts) => Progress::Finished,
                    None => {
                        return Err(LlmError::Incomplete {
                            provider: self.provider.name(),
                        });
                    }
                };
                if progress == Progress::Finished {
                    // Dropping the frames gives the connection back, or closes it if there is more.
                    self.phase = Phase::Ended;
                    let reason = self
                        .parts
                        .finish_reason
                        .take()
                        .unwrap_or(FinishReason::Completed);
                    self.parts.finish(reason);
                }
                Ok(())
            }
            Phase::Ended => Ok(()),
        }
    }

    /// Ends the answer, or goes for another attempt where that can do no harm.
    fn fail(mut self, error: LlmError) -> (StreamEvent, Self) {
        let settings = self.provider.settings;
        if error.is_retryable() && !self.told && self.failures < settings.max_retries {
            let delay = settings.backoff(self.failures, error.retry_after());
            self.failures += 1;
            self.parts = Parts::default();
            self.phase = Phase::Wait(delay);
            let attempt = self.failures;
            return (
                StreamEvent::Retrying {
                    attempt,
                    delay,
                    error,
                },
                self,
            );
        }
        self.parts = Parts::default();
        self.phase = Phase::Ended;
        (StreamEvent::Error(error), self)
    }
}

impl HttpProvider {
    fn name(&self) -> &'static str {
        self.endpoint.provider.as_str()
    }

    /// Waits, but not longer than nothing may come.
    async fn within_idle<T>(&self, future: impl Future<Output = T>) -> Result<T, LlmError> {
        match self.settings.stream_idle_timeout_secs {
            0 => Ok(future.await),
            seconds => timeout(Duration::from_secs(seconds.into()), future)
                .await
                .map_err(|_| LlmError::Idle {
                    provider: self.name(),
                    seconds: seconds.into(),
                }),
        }
    }

    async fn send(&self, wire: WireRequest) -> Result<Response, LlmError> {
        let mut request = match wire.body {
            Value::Null => self.client.get(wire.url),
            body => self.client.post(wire.url).json(&body),
        };
        for (name, value) in wire.headers {
            request = request.header(name, value);
        }
        let response = self
            .within_idle(request.send())
            .await?
            .map_err(|error| self.broken(&error))?;
        if response.status().is_success() {
            return Ok(response);
        }
        let status = response.status().as_u16();
        let retry_after = retry_after(response.headers());
        let body = self
            .within_idle(start_of(response, ERROR_BYTES))
            .await
            .unwrap_or_default();
        let provider = self.name();
        let message = message(&body);
        if is_spent(&body) {
            return Err(LlmError::Quota { provider, message });
        }
        Err(LlmError::Status {
            provider,
            status,
            message,
            retry_after,
        })
    }

    fn broken(&self, error: &reqwest::Error) -> LlmError {
        LlmError::Connection {
            provider: self.name(),
            reason: self.unreachable(error),
        }
    }

    /// What went wrong with a connection, where it was to lead, and what to look at.
    fn unreachable(&self, error: &reqwest::Error) -> String {
        let base = &self.endpoint.base;
        let address = base.origin().ascii_serialization();
        let hint = match is_here(base) {
            true => format!("; is {} running there?", self.name()),
            false => String::new(),
        };
        format!("{} ({address}){hint}", reason(error))
    }

    /// The frames of an answer.
    fn frames(&self, response: Response, framing: Framing) -> Frames {
        let name = self.name();
        let body = Body {
            provider: self.clone(),
            response: Some(response),
            size: 0,
        };
        let bytes = Box::pin(stream::unfold(body, Body::next));
        match framing {
            Framing::Events => {
                let events =
                    SseByteStream::new(bytes).map_err(move |error| event_error(name, error));
                // Blocks without data are comments and signs of life.
                Box::pin(
                    events.try_filter_map(|event| {
                        ready(Ok(event.data.map(|data| (event.event, data))))
                    }),
                )
            }
            Framing::Lines => {
                let reader = StreamReader::new(bytes.map_err(io::Error::other));
                let lines = FramedRead::new(reader, LinesCodec::new())
                    .map_err(move |error| line_error(name, error));
                Box::pin(lines.try_filter_map(|line| {
                    ready(Ok((!line.trim().is_empty()).then_some((None, line))))
                }))
            }
        }
    }
}

/// The bytes of an answer, as far as they keep coming and stay within their limit.
struct Body {
    provider: HttpProvider,
    response: Option<Response>,
    size: u64,
}

impl Body {
    async fn next(mut self) -> Option<(Result<Bytes, LlmError>, Self)> {
        let mut response = self.response.take()?;
        let chunk = match self.provider.within_idle(response.chunk()).await {
            Ok(Ok(chunk)) => chunk?,
            Ok(Err(error)) => return Some((Err(self.provider.broken(&error)), self)),
            Err(error) => return Some((Err(error), self)),
        };
        let limit = u64::from(self.provider.settings.max_response_bytes);
        self.size = self
            .size
            .saturating_add(u64::try_from(chunk.len()).unwrap_or(u64::MAX));
        if limit > 0 && self.size > limit {
            let provider = self.provider.name();
            return Some((Err(LlmError::TooLarge { provider, limit }), self));
        }
        self.response = Some(response);
        Some((Ok(chunk), self))
    }
}

fn event_error(provider: &'static str, error: sse_stream::Error) -> LlmError {
    match error {
        sse_stream::Error::Body(error) => match error.downcast::<LlmError>() {
            Ok(error) => *error,
            Err(error) => LlmError::Connection {
                provider,
                reason: error.to_string(),
            },
        },
        error => LlmError::InvalidResponse {
            provider,
            reason: error.to_string(),
        },
    }
}

fn line_error(provider: &'static str, error: LinesCodecError) -> LlmError {
    let error = match error {
        LinesCodecError::Io(error) => error,
        LinesCodecError::MaxLineLengthExceeded => io::Error::other("a line is too long"),
    };
    match error.downcast::<LlmError>() {
        Ok(error) => error,
        Err(error) => LlmError::InvalidResponse {
            provider,
            reason: error.to_string(),
        },
    }
}

/// The start of a body, as far as it comes.
async fn start_of(mut response: Response, limit: usize) -> String {
    let mut body = Vec::new();
    while body.len() < limit
        && let Ok(Some(chunk)) = response.chunk().await
    {
        body.extend_from_slice(&chunk);
    }
    body.truncate(limit);
    String::from_utf8_lossy(&body).into_owned()
}

/// Whether an error's body says that the account has nothing left to spend.
fn is_spent(body: &str) -> bool {
    let body = body.to_lowercase();
    [
        "insufficient_quota",
        "billing_error",
        "billing_hard_limit_reached",
        "credit balance is too low",
        "insufficient credits",
    ]
    .iter()
    .any(|words| body.contains(words))
}

/// What an error's body says to people.
fn message(body: &str) -> String {
    let json: Option<Value> = serde_json::from_str(body).ok();
    // Gemini wraps its errors in an array.
    let json = match json {
        Some(Value::Array(values)) => values.into_iter().next(),
        json => json,
    };
    let said = json.as_ref().and_then(|json| {
        let pointers = ["/error/message", "/message", "/error"];
        pointers
            .iter()
            .find_map(|pointer| json.pointer(pointer).and_then(Value::as_str))
    });
    match said.unwrap_or(body).trim() {
        "" => "no reason given".to_owned(),
        said => said.to_owned(),
    }
}

/// The innermost cause, which is the one that says what happened.
fn reason(error: &reqwest::Error) -> String {
    let mut cause: &dyn std::error::Error = error;
    while let Some(source) = cause.source() {
        cause = source;
    }
    cause.to_string()
}

#[cfg(test)]
#[path = "http_tests.rs"]
mod tests;
