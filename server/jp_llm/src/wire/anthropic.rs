//! Anthropic's messages:
//!
//! ```json
//! {"type": "content_block_delta", "index": 1, "delta": {"type": "input_json_delta", "partial_json": "{\"pa"}}
//! ```

use serde_json::{Map, Value, json};

use super::{Decoder, Progress, WireRequest, json, reported, set, text_at};
use crate::error::LlmError;
use crate::event::{FinishReason, PartKind};
use crate::parts::{PartKey, Parts};
use crate::request::{
    AssistantContent, AssistantPart, Cache, Effort, Message, Reasoning, Request, ToolChoice,
};
use crate::settings::Endpoint;

/// Metadata of a reasoning: proof that the model wrote it.
const SIGNATURE: &str = "anthropic_thinking_signature";
/// Metadata of a reasoning: its encrypted form, where it has no other.
const REDACTED: &str = "anthropic_redacted_thinking";

/// The fewest tokens that may be set aside for reasoning.
const LEAST_BUDGET: u32 = 1024;

pub(crate) fn write(endpoint: &Endpoint, request: &Request) -> Result<WireRequest, LlmError> {
    let parameters = &request.parameters;
    let max_tokens = parameters
        .max_tokens
        .unwrap_or_else(|| default_max_tokens(&request.model));
    let mut body = json!({
        "model": request.model,
        "max_tokens": max_tokens,
        "messages": messages(request),
        "stream": true,
    });
    let mut put = |key: &str, value: Option<Value>| {
        if let Some(value) = value {
            set(&mut body, key, value);
        }
    };
    let cache = cache_control(parameters.cache);
    put(
        "system",
        request.system.as_ref().map(|system| match &cache {
            Some(cache) => json!([{"type": "text", "text": system, "cache_control": cache}]),
            None => system.clone().into(),
        }),
    );
    put("temperature", parameters.temperature.map(Value::from));
    put("top_p", parameters.top_p.map(Value::from));
    put("top_k", parameters.top_k.map(Value::from));
    put(
        "stop_sequences",
        (!parameters.stop_words.is_empty()).then(|| json!(parameters.stop_words)),
    );
    let mut output_config = Map::new();
    if let Some(reasoning) = parameters.reasoning {
        let (thinking, effort) = thinking(&request.model, reasoning, max_tokens);
        put("thinking", thinking);
        output_config.extend(effort.map(|effort| ("effort".to_owned(), effort.into())));
    }
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

/// Whether a model decides itself how much to reason: from version 4.6 on, and those that bear no known number.
fn is_adaptive(model: &str) -> bool {
    let numbers = model
        .split('-')
        .map_while(|part| match part.parse::<u32>() {
            // A date is no version.
            Ok(number) if number > 9999 => None,
            Ok(number) => Some(Some(number)),
            Err(_) => Some(None),
        });
    let mut numbers = numbers.flatten();
    match (numbers.next(), numbers.next()) {
        (Some(major), minor) => (major, minor.unwrap_or(0)) >= (4, 6),
        (None, _) => true,
    }
}

/// The fields `thinking` and `output_config.effort`.
fn thinking(
    model: &str,
    reasoning: Reasoning,
    max_tokens: u32,
) -> (Option<Value>, Option<&'static str>) {
    let adaptive = is_adaptive(model);
    let share = |percent: u32| max_tokens.saturating_div(100).saturating_mul(percent);
    let (budget, effort) = match reasoning.effort {
        Effort::None => return (Some(json!({"type": "disabled"})), None),
        Effort::Auto => (share(50), None),
        Effort::XLow => (LEAST_BUDGET, Some("low")),
        Effort::Low => (share(20), Some("low")),
        Effort::Medium => (share(50), Some("medium")),
        Effort::High => (share(80), Some("high")),
        Effort::XHigh => (share(90), Some("xhigh")),
        Effort::Max => (share(95), Some("max")),
        Effort::Absolute(tokens) => (tokens, None),
    };
    if adaptive && !matches!(reasoning.effort, Effort::Absolute(_)) {
        let display = if reasoning.exclude {
            "omitted"
        } else {
            "summarized"
        };
        return (
            Some(json!({"type": "adaptive", "display": display})),
            effort,
        );
    }
    // The budget must leave room for an answer.
    let budget = budget.clamp(LEAST_BUDGET, max_tokens.saturating_sub(1).max(LEAST_BUDGET));
    (
        Some(json!({"type": "enabled", "budget_tokens": budget})),
        None,
    )
}

fn messages(request: &Request) -> Vec<Value> {
    let mut messages: Vec<(&str, Vec<Value>)> = Vec::new();
    for message in &request.messages {
        let (role, content) = match message {
            Message::User(text) => ("user", vec![json!({"type": "text", "text": text})]),
            Message::Assistant(parts) => ("assistant", parts.iter().filter_map(block).collect()),
            Message::Tool(results) => {
                let results = results.iter().map(|result| {
                    let mut block =
                        json!({"type": "tool_result", "tool_use_id": result.id, "content": result.content});
                    if result.is_error {
                        set(&mut block, "is_error", true);
                    }
                    block
                });
                ("user", results.collect())
            }
        };
        // Results and what the user says next belong to one message.
        match messages.last_mut() {
            Some((last, blocks)) if *last == role => blocks.extend(content),
            _ => messages.push((role, content)),
        }
    }
    messages.retain(|(_, content)| !content.is_empty());
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
        } => Some(json!({"type": "tool_use", "id": id, "name": name, "input": arguments})),
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
