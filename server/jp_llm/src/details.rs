//! What a provider tells about its models, from whatever it answers to:
//!
//! ```json
//! {"name": "models/gemini-3-pro", "displayName": "Gemini 3 Pro", "inputTokenLimit": 1048576}
//! ```

use serde_json::{Value, json};

use crate::error::LlmError;
use crate::settings::{Endpoint, Protocol};
use crate::wire::body::WireRequest;

/// What is known about a model.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ModelDetails {
    /// What people call it.
    pub name: Option<String>,
    /// How many tokens it can take in.
    pub context_window: Option<u64>,
    /// How many tokens it can write.
    pub max_output_tokens: Option<u64>,
}

/// The question about a model; without a body it is a GET.
pub(crate) fn write(endpoint: &Endpoint, model: &str) -> Result<WireRequest, LlmError> {
    let (path, body) = match endpoint.provider.protocol() {
        Protocol::Messages | Protocol::GenerateContent => {
            (format!("./models/{model}"), Value::Null)
        }
        Protocol::ChatCompletions => ("models".to_owned(), Value::Null),
        Protocol::OllamaChat => ("show".to_owned(), json!({"model": model})),
    };
    Ok(WireRequest {
        url: endpoint.url(&path)?,
        headers: endpoint.provider.protocol().headers(endpoint),
        body,
    })
}

/// Reads the answer. What is not in it is unknown.
pub(crate) fn read(protocol: Protocol, model: &str, answer: &Value) -> ModelDetails {
    let one = match protocol {
        Protocol::ChatCompletions => listed(model, answer),
        Protocol::Messages | Protocol::GenerateContent | Protocol::OllamaChat => answer,
    };
    let first = |pointers: &[&str]| pointers.iter().find_map(|pointer| one.pointer(pointer));
    let count = |pointers: &[&str]| first(pointers).and_then(Value::as_u64);
    // Ollama names the field after the model's architecture.
    let by_architecture = one
        .get("model_info")
        .and_then(Value::as_object)
        .and_then(|info| {
            let mut fields = info.iter();
            fields
                .find(|(key, _)| key.ends_with(".context_length"))
                .and_then(|(_, value)| value.as_u64())
        });
    let name = first(&["/display_name", "/displayName", "/name"]).and_then(Value::as_str);
    ModelDetails {
        name: name.map(str::to_owned),
        context_window: count(&[
            "/max_input_tokens",
            "/inputTokenLimit",
            "/context_length",
            "/context_window",
            "/meta/n_ctx",
            "/meta/n_ctx_train",
        ])
        .or(by_architecture),
        max_output_tokens: count(&[
            "/max_tokens",
            "/outputTokenLimit",
            "/top_provider/max_completion_tokens",
        ]),
    }
}

/// A model in a list; a server that has only one model has it under any name.
fn listed<'a>(model: &str, answer: &'a Value) -> &'a Value {
    let models = answer
        .get("data")
        .and_then(Value::as_array)
        .map_or(&[][..], Vec::as_slice);
    match models {
        [only] => only,
        _ => models
            .iter()
            .find(|entry| entry.get("id").and_then(Value::as_str) == Some(model))
            .unwrap_or(&Value::Null),
    }
}

#[cfg(test)]
#[path = "details_tests.rs"]
mod tests;
