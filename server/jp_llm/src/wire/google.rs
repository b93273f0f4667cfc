//! Gemini's `streamGenerateContent`:
//!
//! ```json
//! {"candidates": [{"content": {"parts": [{"functionCall": {"name": "fs_read_file", "args": {"path": "a"}}}]}}]}
//! ```

use serde_json::{Map, Value, json};

use super::answer::{Decoder, Progress, json, made_up_id, reported, text_at};
use super::body::{WireRequest, set};
use crate::error::LlmError;
use crate::event::{FinishReason, PartKind};
use crate::parts::{PartKey, Parts};
use crate::request::{
    AssistantContent, AssistantPart, Effort, Message, Reasoning, Request, ToolChoice,
};
use crate::settings::Endpoint;
use crate::transcript::{Manners, transcript};

/// Metadata: what the provider wants back with a part.
const SIGNATURE: &str = "google_thought_signature";

/// What the provider takes for the signature of a call that another model made, or one without thoughts.
const UNSIGNED: &str = "skip_thought_signature_validator";

pub(crate) fn write(endpoint: &Endpoint, request: &Request) -> Result<WireRequest, LlmError> {
    let parameters = &request.parameters;
    let mut config = Map::new();
    let mut put =
        |key: &str, value: Option<Value>| config.extend(value.map(|value| (key.to_owned(), value)));
    put("maxOutputTokens", parameters.max_tokens.map(Value::from));
    put("temperature", parameters.temperature.map(Value::from));
    put("topP", parameters.top_p.map(Value::from));
    put("topK", parameters.top_k.map(Value::from));
    put(
        "stopSequences",
        (!parameters.stop_words.is_empty()).then(|| json!(parameters.stop_words)),
    );
    put(
        "thinkingConfig",
        parameters
            .reasoning
            .map(|reasoning| thinking(&request.model, reasoning)),
    );
    if let Some(schema) = &request.output_schema {
        put("responseMimeType", Some("application/json".into()));
        put("responseJsonSchema", Some(schema.clone()));
    }
    let mut body = json!({"contents": contents(request), "generationConfig": config});
    if let Some(system) = &request.system {
        set(
            &mut body,
            "systemInstruction",
            json!({"parts": [{"text": system}]}),
        );
    }
    // Older models refuse structured answers beside tools, so where none may be called none is offered.
    let offers = request.output_schema.is_none() || request.tool_choice != ToolChoice::None;
    if offers && !request.tools.is_empty() {
        let tools = request.tools.iter().map(|tool| {
            let mut function = json!({"name": tool.name, "parametersJsonSchema": tool.parameters});
            if let Some(description) = &tool.description {
                set(&mut function, "description", description.clone());
            }
            function
        });
        set(
            &mut body,
            "tools",
            json!([{"functionDeclarations": tools.collect::<Vec<_>>()}]),
        );
        let choice = match &request.tool_choice {
            ToolChoice::Auto => None,
            ToolChoice::None => Some(json!({"mode": "NONE"})),
            ToolChoice::Required => Some(json!({"mode": "ANY"})),
            ToolChoice::Tool(name) => Some(json!({"mode": "ANY", "allowedFunctionNames": [name]})),
        };
        if let Some(choice) = choice {
            set(
                &mut body,
                "toolConfig",
                json!({"functionCallingConfig": choice}),
            );
        }
    }
    // Relative to a base, `models/a:b` would be taken for a scheme without the dot.
    let mut url = endpoint.url(&format!("./models/{}:streamGenerateContent", request.model))?;
    url.set_query(Some("alt=sse"));
    Ok(WireRequest {
        url,
        headers: headers(endpoint),
        body,
    })
}

pub(super) fn headers(endpoint: &Endpoint) -> Vec<(&'static str, String)> {
    endpoint
        .key
        .iter()
        .map(|key| ("x-goog-api-key", key.clone()))
        .collect()
}

fn thinking(model: &str, reasoning: Reasoning) -> Value {
    let mut config =
        json!({"includeThoughts": !reasoning.exclude && reasoning.effort != Effort::None});
    let by_level = !model.contains("gemini-2") && !model.contains("gemini-1");
    let (level, budget) = match reasoning.effort {
        Effort::None => ("minimal", 0),
        Effort::Auto => return config,
        Effort::XLow => ("minimal", 512),
        Effort::Low => ("low", 1024),
        Effort::Medium => ("medium", 8192),
        Effort::High => ("high", 16_384),
        Effort::XHigh | Effort::Max => ("high", 24_576),
        Effort::Absolute(tokens) => {
            set(&mut config, "thinkingBudget", tokens);
            return config;
        }
    };
    if by_level {
        set(&mut config, "thinkingLevel", level);
    } else {
        set(&mut config, "thinkingBudget", budget);
    }
    config
}

fn contents(request: &Request) -> Vec<Value> {
    let manners = Manners {
        takes_back: |part: &AssistantPart| {
            part.metadata.get(SIGNATURE).is_some_and(Value::is_string)
        },
        in_order: true,
    };
    let signs = signs_calls(&request.model);
    let mut contents: Vec<(&str, Vec<Value>)> = Vec::new();
    for message in transcript(request, &manners) {
        let (role, parts) = match message {
            Message::User(text) => ("user", vec![json!({"text": text})]),
            Message::Assistant(parts) => ("model", model_parts(&parts, signs)),
            Message::Tool(results) => {
                let results = results.iter().map(|result| {
                    let key = if result.is_error { "error" } else { "output" };
                    json!({"functionResponse": {"id": result.id, "name": result.name, "response": {key: result.content}}})
                });
                ("user", results.collect())
            }
        };
        // Results and what the user says next belong to one content.
        match contents.last_mut() {
            Some((last, said)) if *last == role => said.extend(parts),
            _ => contents.push((role, parts)),
        }
    }
    contents
        .into_iter()
        .map(|(role, parts)| json!({"role": role, "parts": parts}))
        .collect()
}

/// Whether a model refuses the first call of an answer without a signature.
fn signs_calls(model: &str) -> bool {
    !model.contains("gemini-1") && !model.contains("gemini-2")
}

/// The parts of an answer; with `signs`, its first call has a signature whoever made it.
fn model_parts(parts: &[AssistantPart], signs: bool) -> Vec<Value> {
    let mut values: Vec<Value> = parts.iter().map(part).collect();
    let first = values
        .iter_mut()
        .find(|value| value.get("functionCall").is_some());
    if let Some(call) = first
        && signs
        && call.get("thoughtSignature").is_none()
    {
        set(call, "thoughtSignature", UNSIGNED);
    }
    values
}

fn part(part: &AssistantPart) -> Value {
    let mut value = match &part.content {
        AssistantContent::Text(text) => json!({"text": text}),
        AssistantContent::Reasoning(text) => json!({"text": text, "thought": true}),
        AssistantContent::ToolCall {
            id,
            name,
            arguments,
        } => {
            json!({"functionCall": {"id": id, "name": name, "args": arguments}})
        }
    };
    if let Some(signature) = part.metadata.get(SIGNATURE) {
        set(&mut value, "thoughtSignature", signature.clone());
    }
    value
}

/// Reads generated content.
#[derive(Debug)]
pub(crate) struct GoogleDecoder {
    provider: &'static str,
    calls: usize,
}

impl GoogleDecoder {
    pub(crate) const fn new(provider: &'static str, calls: usize) -> Self {
        Self { provider, calls }
    }

    fn part(&mut self, part: &Value, parts: &mut Parts) {
        let signature = part
            .get("thoughtSignature")
            .filter(|signature| signature.is_string());
        if let Some(call) = part.get("functionCall") {
            parts.end(PartKey::Speech);
            let key = PartKey::Numbered(u64::try_from(self.calls).unwrap_or(u64::MAX));
            let id = match text_at(call, "/id") {
                "" => made_up_id(self.calls),
                id => id.to_owned(),
            };
            self.calls += 1;
            let name = text_at(call, "/name").to_owned();
            parts.start(key, PartKind::ToolCall { id, name });
            if let Some(arguments) = call.get("args") {
                parts.add(key, &arguments.to_string());
            }
            if let Some(signature) = signature {
                parts.keep(key, SIGNATURE, signature.clone());
            }
            parts.end(key);
            return;
        }
        let kind = match part.get("thought").and_then(Value::as_bool) {
            Some(true) => PartKind::Reasoning,
            _ => PartKind::Text,
        };
        parts.speak(&kind, text_at(part, "/text"));
        if let Some(signature) = signature {
            // It may come alone, after the words that it signs.
            if !parts.is_open(PartKey::Speech) {
                parts.open_speech(&kind);
            }
            parts.keep(PartKey::Speech, SIGNATURE, signature.clone());
            parts.end(PartKey::Speech);
        }
    }
}

impl Decoder for GoogleDecoder {
    fn frame(
        &mut self,
        _event: Option<&str>,
        data: &str,
        parts: &mut Parts,
    ) -> Result<Progress, LlmError> {
        let frame = json(self.provider, data)?;
        if let Some(error) = frame.get("error") {
            return Err(reported(self.provider, error));
        }
        for part in frame
            .pointer("/candidates/0/content/parts")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
        {
            self.part(part, parts);
        }
        if let Some(usage) = frame.get("usageMetadata") {
            let count = |name: &str| usage.get(name).and_then(Value::as_u64);
            parts.usage.input_tokens = count("promptTokenCount");
            parts.usage.cached_tokens = count("cachedContentTokenCount");
            let written = (count("candidatesTokenCount"), count("thoughtsTokenCount"));
            parts.usage.output_tokens = match written {
                (None, None) => None,
                (said, thought) => Some(said.unwrap_or(0).saturating_add(thought.unwrap_or(0))),
            };
        }
        if let Some(reason) = frame
            .pointer("/promptFeedback/blockReason")
            .and_then(Value::as_str)
        {
            return Err(LlmError::Provider {
                provider: self.provider,
                message: format!("the prompt was blocked: {reason}"),
                retryable: false,
            });
        }
        match frame
            .pointer("/candidates/0/finishReason")
            .and_then(Value::as_str)
        {
            None => Ok(Progress::More),
            Some(reason) => {
                parts.finish_reason = Some(match reason {
                    "STOP" | "FUNCTION_CALL" => FinishReason::Completed,
                    "MAX_TOKENS" => FinishReason::MaxTokens,
                    "SAFETY" | "RECITATION" | "BLOCKLIST" | "PROHIBITED_CONTENT" | "SPII"
                    | "IMAGE_SAFETY" => FinishReason::Refused,
                    other => FinishReason::Other(other.to_owned()),
                });
                Ok(Progress::Finished)
            }
        }
    }
}

#[cfg(test)]
#[path = "google_tests.rs"]
mod tests;
