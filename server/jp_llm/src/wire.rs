//! The languages that providers speak: how a request is written and an answer read.

pub(crate) mod answer;
pub(crate) mod anthropic;
pub(crate) mod body;
pub(crate) mod google;
pub(crate) mod ollama;
pub(crate) mod openai;

use serde_json::{Map, Value};

use self::answer::{Decoder, Framing};
use self::body::WireRequest;
use crate::error::LlmError;
use crate::request::Request;
use crate::settings::{Endpoint, Protocol};

impl Protocol {
    pub(crate) fn write(
        self,
        endpoint: &Endpoint,
        request: &Request,
    ) -> Result<WireRequest, LlmError> {
        let mut wire = match self {
            Self::Messages => anthropic::write(endpoint, request),
            Self::ChatCompletions => openai::write(endpoint, request),
            Self::GenerateContent => google::write(endpoint, request),
            Self::OllamaChat => ollama::write(endpoint, request),
        }?;
        if let Value::Object(body) = &mut wire.body {
            overlay(body, &request.parameters.other);
        }
        Ok(wire)
    }

    /// What every request to the provider carries, the key among it.
    pub(crate) fn headers(self, endpoint: &Endpoint) -> Vec<(&'static str, String)> {
        match self {
            Self::Messages => anthropic::headers(endpoint),
            Self::ChatCompletions => openai::headers(endpoint),
            Self::GenerateContent => google::headers(endpoint),
            Self::OllamaChat => ollama::headers(endpoint),
        }
    }

    pub(crate) const fn framing(self) -> Framing {
        match self {
            Self::Messages | Self::ChatCompletions | Self::GenerateContent => Framing::Events,
            Self::OllamaChat => Framing::Lines,
        }
    }

    pub(crate) fn decoder(self, provider: &'static str, request: &Request) -> Box<dyn Decoder> {
        let calls = request.tool_call_count();
        match self {
            Self::Messages => Box::new(anthropic::AnthropicDecoder::new(provider)),
            Self::ChatCompletions => Box::new(openai::OpenaiDecoder::new(provider, calls)),
            Self::GenerateContent => Box::new(google::GoogleDecoder::new(provider, calls)),
            Self::OllamaChat => Box::new(ollama::OllamaDecoder::new(provider, calls)),
        }
    }
}

/// Puts fields over others, objects field by field.
fn overlay(target: &mut Map<String, Value>, over: &Map<String, Value>) {
    for (key, value) in over {
        match (target.get_mut(key), value) {
            (Some(Value::Object(target)), Value::Object(over)) => overlay(target, over),
            _ => {
                target.insert(key.clone(), value.clone());
            }
        }
    }
}

#[cfg(test)]
#[path = "wire_tests.rs"]
mod tests;
