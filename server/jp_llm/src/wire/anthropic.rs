//! Anthropic's messages:
//!
//! ```json
//! {"type": "content_block_delta", "index": 1, "delta": {"type": "input_json_delta", "partial_json": "{\"pa"}}
//! ```

mod thinking;

use serde_json::{Map, Value, json};

use self::thinking::{Sampling, Thinking};
use super::answer::{Decoder, Progress, json, reported, text_at};
use super::body::{WireRequest, demand, set};
use crate::error::LlmError;
use crate::event::{FinishReason, PartKind};
use crate::parts::{PartKey, Parts};
use crate::request::{
    AssistantContent, AssistantPart, Cache, Message, Request, ToolChoice, ToolResult,
};
use crate::settings::Endpoint;
use crate::transcript::{Manners, transcript, word};

/// Metadata of a reasoning: proof that the model wrote it.
const SIGNATURE: &str = "anthropic_thinking_signature";
/// Metadata of a reasoning: its encrypted form, where it has no other.
const REDACTED: &str = "anthropic_redacted_thinking";

/// What a tool said that failed without a word.
const NO_OUTPUT: &str = "(no output)";

pub(crate) fn write(endpoint: &Endpoint, request: &Request) -> Result<WireRequest, LlmError> {
    let parameters = &request.parameters;
    let max_tokens = parameters
        .max_tokens
        .unwrap_or_else(|| default_max_tokens(&request.model));
    let thinking = Thinking::of(request, max_tokens);
    let demand = (thinking.is_on() && !request.tools.is_empty())
        .then(|| demand(&request.tool_choice))
        .flatten();
    let mut body = json!({
        "model": request.model,
        "max_tokens": max_tokens,
        "messages": messages(request, thinking),
        "stream": true,
    });
    let mut put = |key: &str, value: Option<Value>| {
        if let Some(value) = value {
            set(&mut body, key, value);
        }
    };
    put("system", system(request, demand.as_deref()));
    let sampling = Sampling::of(&request.model, parameters, thinking);
    put("temperature", sampling.temperature.map(Value::from));
    put("top_p", sampling.top_p.map(Value::from));
    put("top_k", sampling.top_k.map(Value::from));
    let stop_words: Vec<&String> = parameters
        .stop_words
        .iter()
        .filter(|word| !word.trim().is_empty())
        .collect();
    put(
        "stop_sequences",
        (!stop_words.is_empty()).then(|| json!(stop_words)),
    );
    put("thinking", thinking.field());
    let mut output_config = Map::new();
    output_config.extend(
        thinking
            .effort()
            .map(|effort| ("effort".to_owned(), effort.into())),
    );
    if let Some(schema) = &request.output_schema {
        output_config.insert(
            "format".to_owned(),
            json!({"type": "json_schema", "schema": schema}),
        );
    }
    put(
        "output_config",
        (!output_config.is_empty()).then_some(Value::Object(output_config)),
    );
    if !request.tools.is_empty() {
        let tools = request.tools.iter().map(|tool| {
            let mut definition = json!({"name": tool.name, "input_schema": tool.parameters});
            if let Some(description) = &tool.description {
                set(&mut definition, "description", description.clone());
            }
            definition
        });
        put("tools", Some(tools.collect()));
        put(
            "tool_choice",
            match &request.tool_choice {
                // A model that thinks may not be forced, so it is told.
                _ if demand.is_some() => None,
                ToolChoice::Auto => None,
                ToolChoice::None => Some(json!({"type": "none"})),
                ToolChoice::Required => Some(json!({"type": "any"})),
                ToolChoice::Tool(name) => Some(json!({"type": "tool", "name": name})),
            },
        );
    }
    Ok(WireRequest {
        url: endpoint.url("messages")?,
        headers: headers(endpoint),
        body,
    })
}

/// The system prompt, and what the model must do in this answer.
fn system(request: &Request, demand: Option<&str>) -> Option<Value> {
    let prompt = request
        .system
        .as_ref()
        .filter(|prompt| !prompt.trim().is_empty());
    let cache = cache_control(request.parameters.cache);
    if let (Some(prompt), None, None) = (prompt, &cache, demand) {
        return Some(prompt.clone().into());
    }
    let mut blocks = Vec::new();
    if let Some(prompt) = prompt {
        let mut block = json!({"type": "text", "text": prompt});
        if let Some(cache) = cache {
            set(&mut block, "cache_control", cache);
        }
        blocks.push(block);
    }
    blocks.extend(demand.map(|demand| json!({"type": "text", "text": demand})));
    (!blocks.is_empty()).then_some(Value::Array(blocks))
}

pub(super) fn headers(endpoint: &Endpoint) -> Vec<(&'static str, String)> {
    let mut headers = vec![("anthropic-version", "2023-06-01".to_owned())];
    headers.extend(endpoint.key.as_ref().map(|key| ("x-api-key", key.clone())));
    if !endpoint.settings.beta_headers.is_empty() {
        headers.push(("anthropic-beta", endpoint.settings.beta_headers.join(",")));
    }
    headers
}

fn cache_control(cache: Cache) -> Option<Value> {
    match cache {
        Cache::Off => None,
        Cache::Short => Some(json!({"type": "ephemeral"})),
        Cache::Long => Some(json!({"type": "ephemeral", "ttl": "1h"})),
    }
}

/// The provider insists on a limit; this is one that the model can bear.
fn default_max_tokens(model: &str) -> u32 {
    if model.contains("claude-3-5") {
        8192
    } else if model.contains("claude-3-7") {
        64_000
    } else if model.contains("claude-3-") {
        4096
    } else {
        32_000
    }
}

fn messages(request: &Request, thinking: Thinking) -> Vec<Value> {
    let manners = Manners {
        // A model that does not think may refuse the thoughts of one that did.
        takes_back: |part: &AssistantPart| thinking.is_on() && is_thought(part),
        in_order: true,
    };
    let mut messages: Vec<(&str, Vec<Value>)> = Vec::new();
    for message in transcript(request, &manners) {
        let (role, content) = match message {
            Message::User(text) => ("user", vec![json!({"type": "text", "text": text})]),
            Message::Assistant(parts) => ("assistant", parts.iter().filter_map(block).collect()),
            Message::Tool(results) => ("user", results.iter().map(tool_result).collect()),
        };
        // Results and what the user says next belong to one message.
        match messages.last_mut() {
            Some((last, blocks)) if *last == role => blocks.extend(content),
            _ => messages.push((role, content)),
        }
    }
    if let Some(cache) = cache_control(request.parameters.cache)
        && let Some(block) = messages
            .last_mut()
            .and_then(|(_, content)| content.last_mut())
    {
        set(block, "cache_control", cache);
    }
    messages
        .into_iter()
        .map(|(role, content)| json!({"role": role, "content": content}))
        .collect()
}

/// A result as the provider takes it: one without words has no content, unless it is an error, which must have some.
fn tool_result(result: &ToolResult) -> Value {
    let mut block = json!({"type": "tool_result", "tool_use_id": tool_id(&result.id)});
    if !result.content.trim().is_empty() {
        set(&mut block, "content", result.content.clone());
    } else if result.is_error {
        set(&mut block, "content", NO_OUTPUT);
    }
    if result.is_error {
        set(&mut block, "is_error", true);
    }
    block
}

/// An id as the provider takes it, which those of other providers need not be.
fn tool_id(id: &str) -> String {
    match word(id) {
        id if id.is_empty() => "unnamed".to_owned(),
        id => id,
    }
}

/// Whether a part is a thought that the provider has signed or encrypted; any other it refuses.
fn is_thought(part: &AssistantPart) -> bool {
    matches!(part.content, AssistantContent::Reasoning(_))
        && [SIGNATURE, REDACTED]
            .iter()
            .any(|name| part.metadata.get(*name).is_some_and(Value::is_string))
}

/// A part as the provider wants it back, or nothing: reasoning that it has not signed, and empty text, it refuses.
fn block(part: &AssistantPart) -> Option<Value> {
    match &part.content {
        AssistantContent::Text(text) if text.trim().is_empty() => None,
        AssistantContent::Text(text) => Some(json!({"type": "text", "text": text})),
        AssistantContent::Reasoning(text) => {
            let kept = |name| part.metadata.get(name).and_then(Value::as_str);
            match (kept(SIGNATURE), kept(REDACTED)) {
                (Some(signature), _) => {
                    Some(json!({"type": "thinking", "thinking": text, "signature": signature}))
                }
                (None, Some(data)) => Some(json!({"type": "redacted_thinking", "data": data})),
                (None, None) => None,
            }
        }
        AssistantContent::ToolCall {
            id,
            name,
            arguments,
        } => Some(json!({"type": "tool_use", "id": tool_id(id), "name": name, "input": arguments})),
    }
}

/// Reads messages.
#[derive(Debug)]
pub(crate) struct AnthropicDecoder {
    provider: &'static str,
}

impl AnthropicDecoder {
    pub(crate) const fn new(provider: &'static str) -> Self {
        Self { provider }
    }
}

impl Decoder for AnthropicDecoder {
    fn frame(
        &mut self,
        event: Option<&str>,
        data: &str,
        parts: &mut Parts,
    ) -> Result<Progress, LlmError> {
        let frame = json(self.provider, data)?;
        let kind = match text_at(&frame, "/type") {
            "" => event.unwrap_or_default(),
            kind => kind,
        };
        let key = PartKey::Numbered(frame.get("index").and_then(Value::as_u64).unwrap_or(0));
        match kind {
            "message_start" => usage(frame.pointer("/message/usage"), parts),
            "content_block_start" => start(key, &frame, parts),
            "content_block_delta" => {
                let delta = frame.get("delta").unwrap_or(&Value::Null);
                match text_at(delta, "/type") {
                    "text_delta" => parts.add(key, text_at(delta, "/text")),
                    "thinking_delta" => parts.add(key, text_at(delta, "/thinking")),
                    "input_json_delta" => parts.add(key, text_at(delta, "/partial_json")),
                    "signature_delta" => {
                        parts.keep(key, SIGNATURE, text_at(delta, "/signature").into());
                    }
                    _ => {}
                }
            }
            "content_block_stop" => parts.end(key),
            "message_delta" => {
                usage(frame.get("usage"), parts);
                match text_at(&frame, "/delta/stop_reason") {
                    "" => {}
                    reason => {
                        parts.finish_reason = Some(match reason {
                            "end_turn" | "tool_use" | "stop_sequence" => FinishReason::Completed,
                            "max_tokens" | "model_context_window_exceeded" => {
                                FinishReason::MaxTokens
                            }
                            "refusal" => FinishReason::Refused,
                            other => FinishReason::Other(other.to_owned()),
                        });
                    }
                }
            }
            "message_stop" => return Ok(Progress::Finished),
            "error" => {
                return Err(reported(
                    self.provider,
                    frame.get("error").unwrap_or(&frame),
                ));
            }
            _ => {}
        }
        Ok(Progress::More)
    }
}

fn start(key: PartKey, frame: &Value, parts: &mut Parts) {
    let block = frame.get("content_block").unwrap_or(&Value::Null);
    match text_at(block, "/type") {
        "text" => {
            parts.start(key, PartKind::Text);
            parts.add(key, text_at(block, "/text"));
        }
        "thinking" => {
            parts.start(key, PartKind::Reasoning);
            parts.add(key, text_at(block, "/thinking"));
            match text_at(block, "/signature") {
                "" => {}
                signature => parts.keep(key, SIGNATURE, signature.into()),
            }
        }
        "redacted_thinking" => {
            parts.start(key, PartKind::Reasoning);
            parts.keep(key, REDACTED, text_at(block, "/data").into());
        }
        "tool_use" => {
            let id = text_at(block, "/id").to_owned();
            let name = text_at(block, "/name").to_owned();
            parts.start(key, PartKind::ToolCall { id, name });
            // A gateway may send the arguments whole.
            if let Some(Value::Object(input)) = block.get("input")
                && !input.is_empty()
            {
                parts.add(key, &Value::Object(input.clone()).to_string());
            }
        }
        _ => {}
    }
}

fn usage(usage: Option<&Value>, parts: &mut Parts) {
    let count = |name: &str| {
        usage
            .and_then(|usage| usage.get(name))
            .and_then(Value::as_u64)
    };
    let cached = count("cache_read_input_tokens");
    if let Some(input) = count("input_tokens") {
        // The provider counts what it reads from and writes to a cache apart.
        let written = count("cache_creation_input_tokens").unwrap_or(0);
        parts.usage.input_tokens = Some(
            input
                .saturating_add(cached.unwrap_or(0))
                .saturating_add(written),
        );
    }
    if cached.is_some() {
        parts.usage.cached_tokens = cached;
    }
    if let Some(output) = count("output_tokens") {
        parts.usage.output_tokens = Some(output);
    }
}

#[cfg(test)]
#[path = "anthropic_tests.rs"]
mod tests;
