//! OpenAI's chat completions, which many others speak too:
//!
//! ```json
//! {"choices": [{"delta": {"tool_calls": [{"index": 0, "function": {"arguments": "{\"pa"}}]}}]}
//! ```

use serde_json::{Value, json};

use super::answer::{Decoder, Progress, json, made_up_id, reported, text_at};
use super::body::{WireRequest, demand, set};
use crate::error::LlmError;
use crate::event::{FinishReason, PartKind};
use crate::parts::{PartKey, Parts};
use crate::request::{AssistantContent, AssistantPart, Effort, Message, Request, ToolChoice};
use crate::settings::{Endpoint, ProviderId};
use crate::transcript::{Manners, transcript};

/// Metadata of a reasoning: what OpenRouter wants back word for word.
const DETAILS: &str = "openrouter_reasoning_details";

/// The longest id of a tool call that OpenAI takes; other servers write longer ones.
const LONGEST_ID: usize = 40;

pub(crate) fn write(endpoint: &Endpoint, request: &Request) -> Result<WireRequest, LlmError> {
    let parameters = &request.parameters;
    let model = Model::of(endpoint.provider, request);
    let demand = if model.refuses_force {
        demand(&request.tool_choice)
    } else {
        None
    };
    let mut body = json!({
        "model": request.model,
        "messages": messages(endpoint.provider, request, demand.as_deref()),
        "stream": true,
        "stream_options": {"include_usage": true},
    });
    let mut put = |key: &str, value: Option<Value>| {
        if let Some(value) = value {
            set(&mut body, key, value);
        }
    };
    let max_tokens = match endpoint.provider {
        ProviderId::Openai | ProviderId::Cerebras => "max_completion_tokens",
        _ => "max_tokens",
    };
    put(max_tokens, parameters.max_tokens.map(Value::from));
    if !model.refuses_sampling {
        put("temperature", parameters.temperature.map(Value::from));
        put("top_p", parameters.top_p.map(Value::from));
    }
    if !matches!(endpoint.provider, ProviderId::Openai | ProviderId::Cerebras) {
        put("top_k", parameters.top_k.map(Value::from));
    }
    if !model.refuses_stop {
        put(
            "stop",
            (!parameters.stop_words.is_empty()).then(|| json!(parameters.stop_words)),
        );
    }
    if let Some(reasoning) = parameters.reasoning {
        if endpoint.provider == ProviderId::Openrouter {
            let mut object = json!({"exclude": reasoning.exclude});
            match reasoning.effort {
                Effort::Absolute(tokens) => set(&mut object, "max_tokens", tokens),
                effort => {
                    if let Some(effort) = self::effort(effort) {
                        set(&mut object, "effort", effort);
                    }
                }
            }
            put("reasoning", Some(object));
        } else if !model.refuses_effort {
            put(
                "reasoning_effort",
                effort(reasoning.effort).map(Value::from),
            );
        }
    }
    if !request.tools.is_empty() {
        let tools = request.tools.iter().map(|tool| {
            let mut function = json!({"name": tool.name, "parameters": tool.parameters});
            if let Some(description) = &tool.description {
                set(&mut function, "description", description.clone());
            }
            json!({"type": "function", "function": function})
        });
        put("tools", Some(tools.collect()));
        put(
            "tool_choice",
            match &request.tool_choice {
                // It is told instead.
                _ if demand.is_some() => None,
                ToolChoice::Auto => None,
                ToolChoice::None => Some("none".into()),
                ToolChoice::Required => Some("required".into()),
                ToolChoice::Tool(name) => {
                    Some(json!({"type": "function", "function": {"name": name}}))
                }
            },
        );
    }
    put("response_format", request.output_schema.as_ref().map(|schema| {
        json!({"type": "json_schema", "json_schema": {"name": "answer", "schema": schema, "strict": is_strict(schema)}})
    }));
    Ok(WireRequest {
        url: endpoint.url("chat/completions")?,
        headers: headers(endpoint),
        body,
    })
}

pub(super) fn headers(endpoint: &Endpoint) -> Vec<(&'static str, String)> {
    let mut headers = Vec::new();
    headers.extend(
        endpoint
            .key
            .as_ref()
            .map(|key| ("authorization", format!("Bearer {key}"))),
    );
    if endpoint.provider == ProviderId::Openrouter {
        let name = endpoint
            .settings
            .app_name
            .clone()
            .unwrap_or_else(|| "JP".to_owned());
        headers.push(("x-title", name));
        headers.extend(
            endpoint
                .settings
                .app_referrer
                .clone()
                .map(|referrer| ("http-referer", referrer)),
        );
    }
    headers
}

const fn effort(effort: Effort) -> Option<&'static str> {
    match effort {
        Effort::None => Some("none"),
        Effort::XLow => Some("minimal"),
        Effort::Low => Some("low"),
        Effort::Medium => Some("medium"),
        Effort::High => Some("high"),
        Effort::XHigh | Effort::Max => Some("xhigh"),
        // The protocol has no number of tokens.
        Effort::Auto | Effort::Absolute(_) => None,
    }
}

/// Whether a schema is closed in the way that strict answers ask for: each object lists and requires all it has.
fn is_strict(schema: &Value) -> bool {
    match schema {
        Value::Object(object) => {
            let closed = match object.get("properties") {
                Some(Value::Object(properties)) => {
                    let required = object.get("required").and_then(Value::as_array);
                    let requires = |name: &String| {
                        required.is_some_and(|names| names.iter().any(|other| other == name))
                    };
                    object.get("additionalProperties") == Some(&Value::Bool(false))
                        && properties.keys().all(requires)
                }
                _ => object.get("type") != Some(&Value::from("object")),
            };
            closed && object.values().all(is_strict)
        }
        Value::Array(values) => values.iter().all(is_strict),
        _ => true,
    }
}

/// What a model refuses of what others take.
#[derive(Debug, Default)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a parameter of the protocol that is left out on its own"
)]
struct Model {
    refuses_sampling: bool,
    refuses_stop: bool,
    refuses_effort: bool,
    refuses_force: bool,
}

impl Model {
    fn of(provider: ProviderId, request: &Request) -> Self {
        let name = request.model.as_str();
        let parameters = &request.parameters;
        let model = match provider {
            ProviderId::Openai => {
                let reasons = reasons_always(name)
                    || (parameters
                        .reasoning
                        .is_some_and(|reasoning| reasoning.effort != Effort::None)
                        && !answers_at_once(name));
                Self {
                    refuses_sampling: reasons,
                    refuses_stop: reasons,
                    refuses_effort: answers_at_once(name),
                    refuses_force: false,
                }
            }
            ProviderId::Deepseek => Self {
                refuses_force: name.contains("reasoner"),
                ..Self::default()
            },
            _ => Self::default(),
        };
        let sampled = parameters.temperature.is_some() || parameters.top_p.is_some();
        if (model.refuses_sampling && sampled)
            || (model.refuses_stop && !parameters.stop_words.is_empty())
        {
            tracing::warn!(
                model = name,
                "the model reasons and refuses `temperature`, `top_p` and `stop_words`; they are left out"
            );
        }
        model
    }
}

/// Whether a model of OpenAI's reasons whatever it is asked for.
fn reasons_always(name: &str) -> bool {
    let by_number = name
        .strip_prefix('o')
        .is_some_and(|rest| rest.starts_with(|first: char| first.is_ascii_digit()));
    let first_of_five = name
        .strip_prefix("gpt-5")
        .is_some_and(|rest| !rest.starts_with('.') && !rest.starts_with("-chat"));
    by_number || first_of_five
}

/// Whether a model of OpenAI's never reasons.
fn answers_at_once(name: &str) -> bool {
    ["gpt-3", "gpt-4", "chatgpt-"]
        .iter()
        .any(|family| name.starts_with(family))
        || (name.starts_with("gpt-5") && name.contains("-chat"))
}

fn messages(provider: ProviderId, request: &Request, demand: Option<&str>) -> Vec<Value> {
    let mut messages = Vec::new();
    let system: Vec<&str> = request
        .system
        .as_deref()
        .into_iter()
        .chain(demand)
        .collect();
    if !system.is_empty() {
        messages.push(json!({"role": "system", "content": system.join("\n\n")}));
    }
    let manners = Manners {
        takes_back: |part: &AssistantPart| match provider {
            ProviderId::Deepseek => matches!(part.content, AssistantContent::Reasoning(_)),
            ProviderId::Openrouter => part.metadata.get(DETAILS).is_some_and(Value::is_array),
            _ => false,
        },
        in_order: false,
    };
    for message in transcript(request, &manners) {
        match message {
            Message::User(text) => messages.push(json!({"role": "user", "content": text})),
            Message::Assistant(parts) => messages.push(assistant(provider, &parts)),
            Message::Tool(results) => messages.extend(results.iter().map(|result| {
                let id = tool_id(provider, &result.id);
                json!({"role": "tool", "tool_call_id": id, "content": result.content})
            })),
        }
    }
    messages
}

/// An id as the provider takes it; the end of one that is too long tells it from others.
fn tool_id(provider: ProviderId, id: &str) -> String {
    let surplus = id.chars().count().saturating_sub(LONGEST_ID);
    match provider {
        ProviderId::Openai => id.chars().skip(surplus).collect(),
        _ => id.to_owned(),
    }
}

fn assistant(provider: ProviderId, parts: &[AssistantPart]) -> Value {
    let mut texts = Vec::new();
    let mut reasonings = Vec::new();
    let mut details = Vec::new();
    let mut calls = Vec::new();
    for part in parts {
        match &part.content {
            AssistantContent::Text(text) => texts.push(text.as_str()),
            AssistantContent::Reasoning(text) => reasonings.push(text.as_str()),
            AssistantContent::ToolCall { id, name, arguments } => calls.push(json!({
                "id": tool_id(provider, id),
                "type": "function",
                "function": {"name": name, "arguments": Value::Object(arguments.clone()).to_string()},
            })),
        }
        if let Some(Value::Array(kept)) = part.metadata.get(DETAILS) {
            details.extend(kept.iter().cloned());
        }
    }
    let content = if texts.is_empty() {
        Value::Null
    } else {
        texts.join("\n\n").into()
    };
    let mut message = json!({"role": "assistant", "content": content});
    if !calls.is_empty() {
        set(&mut message, "tool_calls", calls);
    }
    // DeepSeek refuses a tool loop without it; others ignore it or refuse it.
    if provider == ProviderId::Deepseek && !reasonings.is_empty() {
        set(&mut message, "reasoning_content", reasonings.join("\n"));
    }
    if provider == ProviderId::Openrouter && !details.is_empty() {
        set(&mut message, "reasoning_details", details);
    }
    message
}

/// Reads chat completions.
#[derive(Debug)]
pub(crate) struct OpenaiDecoder {
    provider: &'static str,
    calls: usize,
}

impl OpenaiDecoder {
    pub(crate) const fn new(provider: &'static str, calls: usize) -> Self {
        Self { provider, calls }
    }

    fn tool_call(&mut self, call: &Value, parts: &mut Parts) {
        // Servers that send whole calls leave the number out.
        let number = call.get("index").and_then(Value::as_u64);
        let key = PartKey::Numbered(
            number.unwrap_or_else(|| u64::try_from(parts.started()).unwrap_or(u64::MAX)),
        );
        if !parts.is_open(key) {
            parts.end(PartKey::Speech);
            let id = match text_at(call, "/id") {
                "" => made_up_id(self.calls),
                id => id.to_owned(),
            };
            self.calls += 1;
            let name = text_at(call, "/function/name").to_owned();
            parts.start(key, PartKind::ToolCall { id, name });
        }
        match call.pointer("/function/arguments") {
            Some(Value::String(json)) => parts.add(key, json),
            Some(whole @ Value::Object(_)) => parts.add(key, &whole.to_string()),
            _ => {}
        }
    }
}

impl Decoder for OpenaiDecoder {
    fn frame(
        &mut self,
        _event: Option<&str>,
        data: &str,
        parts: &mut Parts,
    ) -> Result<Progress, LlmError> {
        if data.trim() == "[DONE]" {
            return if parts.finish_reason.is_some() {
                Ok(Progress::Finished)
            } else {
                Err(LlmError::Incomplete {
                    provider: self.provider,
                })
            };
        }
        let frame = json(self.provider, data)?;
        if let Some(error) = frame.get("error").filter(|error| !error.is_null()) {
            return Err(reported(self.provider, error));
        }
        if let Some(choice) = frame.pointer("/choices/0") {
            // Some send the same words under both names.
            let reasoning = match text_at(choice, "/delta/reasoning_content") {
                "" => text_at(choice, "/delta/reasoning"),
                reasoning => reasoning,
            };
            parts.speak(&PartKind::Reasoning, reasoning);
            if let Some(details @ Value::Array(_)) = choice.pointer("/delta/reasoning_details") {
                parts.open_speech(&PartKind::Reasoning);
                parts.keep(PartKey::Speech, DETAILS, details.clone());
            }
            parts.speak(&PartKind::Text, text_at(choice, "/delta/content"));
            parts.speak(&PartKind::Text, text_at(choice, "/delta/refusal"));
            for call in choice
                .pointer("/delta/tool_calls")
                .and_then(Value::as_array)
                .into_iter()
                .flatten()
            {
                self.tool_call(call, parts);
            }
            if let Some(reason) = choice.get("finish_reason").and_then(Value::as_str) {
                parts.finish_reason = Some(match reason {
                    "stop" | "tool_calls" | "function_call" => FinishReason::Completed,
                    "length" => FinishReason::MaxTokens,
                    "content_filter" => FinishReason::Refused,
                    other => FinishReason::Other(other.to_owned()),
                });
            }
        }
        if let Some(usage) = frame.get("usage").filter(|usage| usage.is_object()) {
            parts.usage.input_tokens = usage.get("prompt_tokens").and_then(Value::as_u64);
            parts.usage.output_tokens = usage.get("completion_tokens").and_then(Value::as_u64);
            parts.usage.cached_tokens = usage
                .pointer("/prompt_tokens_details/cached_tokens")
                .and_then(Value::as_u64);
        }
        Ok(Progress::More)
    }

    // Some servers leave `[DONE]` out; the reason to finish says as much.
    fn is_complete_when_closed(&self, parts: &Parts) -> bool {
        parts.finish_reason.is_some()
    }
}

#[cfg(test)]
#[path = "openai_tests.rs"]
mod tests;
