//! Ollama's chat, a JSON object a line:
//!
//! ```json
//! {"message": {"role": "assistant", "content": "I look."}, "done": false}
//! {"message": {"role": "assistant", "content": ""}, "done": true, "done_reason": "stop", "eval_count": 3}
//! ```

use serde_json::{Map, Value, json};

use super::answer::{Decoder, Progress, json, made_up_id, reported, text_at};
use super::body::{WireRequest, demand, set};
use crate::error::LlmError;
use crate::event::{FinishReason, PartKind};
use crate::parts::{PartKey, Parts};
use crate::request::{AssistantContent, AssistantPart, Effort, Message, Request, ToolChoice};
use crate::settings::Endpoint;
use crate::transcript::{Manners, transcript};

pub(crate) fn write(endpoint: &Endpoint, request: &Request) -> Result<WireRequest, LlmError> {
    let parameters = &request.parameters;
    let mut options = Map::new();
    let mut put = |key: &str, value: Option<Value>| {
        options.extend(value.map(|value| (key.to_owned(), value)));
    };
    put("num_predict", parameters.max_tokens.map(Value::from));
    put("temperature", parameters.temperature.map(Value::from));
    put("top_p", parameters.top_p.map(Value::from));
    put("top_k", parameters.top_k.map(Value::from));
    put(
        "stop",
        (!parameters.stop_words.is_empty()).then(|| json!(parameters.stop_words)),
    );
    let mut body = json!({
        "model": request.model,
        "messages": messages(request),
        "stream": true,
        "options": options,
    });
    let think = parameters
        .reasoning
        .and_then(|reasoning| match reasoning.effort {
            Effort::None => Some(false),
            Effort::Auto => None,
            _ => Some(true),
        });
    if let Some(think) = think {
        set(&mut body, "think", think);
    }
    if let Some(schema) = &request.output_schema {
        set(&mut body, "format", schema.clone());
    }
    // The protocol cannot forbid a call; without tools there is none.
    if !request.tools.is_empty() && request.tool_choice != ToolChoice::None {
        let tools = request.tools.iter().map(|tool| {
            let description = tool.description.clone().unwrap_or_default();
            let function = json!({"name": tool.name, "description": description, "parameters": tool.parameters});
            json!({"type": "function", "function": function})
        });
        set(&mut body, "tools", tools.collect::<Value>());
    }
    Ok(WireRequest {
        url: endpoint.url("chat")?,
        headers: headers(endpoint),
        body,
    })
}

pub(super) fn headers(endpoint: &Endpoint) -> Vec<(&'static str, String)> {
    let keys = endpoint.key.iter();
    keys.map(|key| ("authorization", format!("Bearer {key}")))
        .collect()
}

fn messages(request: &Request) -> Vec<Value> {
    let mut messages = Vec::new();
    // A model that must call a tool can only be told.
    let demand = demand(&request.tool_choice).filter(|_| !request.tools.is_empty());
    let system: Vec<&str> = [request.system.as_deref(), demand.as_deref()]
        .into_iter()
        .flatten()
        .collect();
    if !system.is_empty() {
        messages.push(json!({"role": "system", "content": system.join("\n\n")}));
    }
    let manners = Manners {
        takes_back: |part: &AssistantPart| matches!(part.content, AssistantContent::Reasoning(_)),
        in_order: false,
    };
    for message in transcript(request, &manners) {
        match message {
            Message::User(text) => messages.push(json!({"role": "user", "content": text})),
            Message::Assistant(parts) => messages.push(assistant(&parts)),
            Message::Tool(results) => messages.extend(results.iter().map(|result| {
                json!({"role": "tool", "tool_name": result.name, "tool_call_id": result.id, "content": result.content})
            })),
        }
    }
    messages
}

fn assistant(parts: &[AssistantPart]) -> Value {
    let mut texts = Vec::new();
    let mut reasonings = Vec::new();
    let mut calls = Vec::new();
    for part in parts {
        match &part.content {
            AssistantContent::Text(text) => texts.push(text.as_str()),
            AssistantContent::Reasoning(text) => reasonings.push(text.as_str()),
            AssistantContent::ToolCall {
                id,
                name,
                arguments,
            } => {
                calls.push(json!({"id": id, "function": {"name": name, "arguments": arguments}}));
            }
        }
    }
    let mut message = json!({"role": "assistant", "content": texts.join("\n\n")});
    if !reasonings.is_empty() {
        set(&mut message, "thinking", reasonings.join("\n"));
    }
    if !calls.is_empty() {
        set(&mut message, "tool_calls", calls);
    }
    message
}

/// Reads chat lines.
#[derive(Debug)]
pub(crate) struct OllamaDecoder {
    provider: &'static str,
    calls: usize,
}

impl OllamaDecoder {
    pub(crate) const fn new(provider: &'static str, calls: usize) -> Self {
        Self { provider, calls }
    }
}

impl Decoder for OllamaDecoder {
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
        parts.speak(&PartKind::Reasoning, text_at(&frame, "/message/thinking"));
        parts.speak(&PartKind::Text, text_at(&frame, "/message/content"));
        for call in frame
            .pointer("/message/tool_calls")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
        {
            parts.end(PartKey::Speech);
            let key = PartKey::Numbered(u64::try_from(self.calls).unwrap_or(u64::MAX));
            let id = match text_at(call, "/id") {
                "" => made_up_id(self.calls),
                id => id.to_owned(),
            };
            self.calls += 1;
            let name = text_at(call, "/function/name").to_owned();
            parts.start(key, PartKind::ToolCall { id, name });
            match call.pointer("/function/arguments") {
                Some(Value::String(json)) => parts.add(key, json),
                Some(arguments) => parts.add(key, &arguments.to_string()),
                None => {}
            }
            parts.end(key);
        }
        if frame.get("done").and_then(Value::as_bool) != Some(true) {
            return Ok(Progress::More);
        }
        let count = |name: &str| frame.get(name).and_then(Value::as_u64);
        parts.usage.input_tokens = count("prompt_eval_count");
        parts.usage.output_tokens = count("eval_count");
        parts.finish_reason = Some(match text_at(&frame, "/done_reason") {
            "" | "stop" => FinishReason::Completed,
            "length" => FinishReason::MaxTokens,
            other => FinishReason::Other(other.to_owned()),
        });
        Ok(Progress::Finished)
    }
}

#[cfg(test)]
#[path = "ollama_tests.rs"]
mod tests;
