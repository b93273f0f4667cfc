//! Which model is asked, where it is and how.
//!
//! ```toml
//! [assistant.model]
//! id = "haiku"
//! parameters.temperature = 0.2
//!
//! [providers.llm.aliases]
//! haiku = "anthropic/claude-haiku-4-5"
//! ```

use jp_config::model_id::ModelId;
use jp_llm::{Cache, Effort, Parameters, ProviderSettings, Reasoning, RequestSettings};
use serde_json::Value;

use super::reader::Reader;
use crate::aliases::AliasMap;
use crate::error::AgentError;

/// A model with everything that is needed to ask it.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelConfig {
    /// Provider and name, aliases resolved.
    pub id: ModelId,
    /// How it answers.
    pub parameters: Parameters,
    /// How patient we are.
    pub request: RequestSettings,
    /// Where its provider is.
    pub provider: ProviderSettings,
}

impl ModelConfig {
    /// Reads a model block and a request block against the whole config, which holds aliases and providers.
    pub(crate) fn read(
        config: &Value,
        model: &Reader<'_>,
        request: &Reader<'_>,
    ) -> Result<Self, AgentError> {
        let id = read_id(config, &model.get("id"))?;
        let mut parameters = read_parameters(&model.get("parameters"))?;
        parameters.cache = read_cache(&request.get("cache"))?;
        Ok(Self {
            provider: provider_settings(config, &id.provider)?,
            parameters,
            request: read_request(request)?,
            id,
        })
    }
}

/// The id that a `model.id` names, through any chain of aliases.
fn read_id(config: &Value, id: &Reader<'_>) -> Result<ModelId, AgentError> {
    let wrong = |error: &dyn std::fmt::Display| id.error(error.to_string());
    match id.value() {
        None => Err(id.error("is missing, write `<provider>/<model>` or an alias")),
        Some(Value::Object(_)) => {
            let part = |key: &str| {
                let part = id.get(key);
                part.string()?
                    .ok_or_else(|| part.error("is missing, write `provider` and `name`"))
            };
            let (provider, name) = (part("provider")?, part("name")?);
            ModelId::parse(&format!("{provider}/{name}")).map_err(|error| wrong(&error))
        }
        Some(_) => {
            let text = id.str()?.unwrap_or_default();
            AliasMap::of(config)
                .resolve(text)
                .map_err(|error| wrong(&error))
        }
    }
}

fn read_parameters(parameters: &Reader<'_>) -> Result<Parameters, AgentError> {
    Ok(Parameters {
        max_tokens: parameters.get("max_tokens").u32()?,
        reasoning: read_reasoning(&parameters.get("reasoning"))?,
        temperature: parameters.get("temperature").f64()?,
        top_p: parameters.get("top_p").f64()?,
        top_k: parameters.get("top_k").u32()?,
        stop_words: parameters.get("stop_words").strings()?,
        other: parameters
            .get("other")
            .object()?
            .cloned()
            .unwrap_or_default(),
        cache: Cache::Off,
    })
}

fn read_reasoning(reasoning: &Reader<'_>) -> Result<Option<Reasoning>, AgentError> {
    let plain = |effort| {
        Some(Reasoning {
            effort,
            exclude: false,
        })
    };
    match reasoning.value() {
        None => Ok(None),
        Some(Value::String(word)) => match word.as_str() {
            "off" => Ok(plain(Effort::None)),
            "auto" => Ok(plain(Effort::Auto)),
            other => Err(reasoning.error(format!(
                "`{other}` does not fit, write `off`, `auto` or a table with `effort`"
            ))),
        },
        Some(_) => {
            reasoning.object()?;
            Ok(Some(Reasoning {
                effort: read_effort(&reasoning.get("effort"))?,
                exclude: reasoning.get("exclude").bool()?.unwrap_or(false),
            }))
        }
    }
}

fn read_effort(effort: &Reader<'_>) -> Result<Effort, AgentError> {
    if let Some(Value::Object(_)) = effort.value() {
        let absolute = effort.get("absolute");
        let tokens = absolute.u32()?;
        return tokens
            .map(Effort::Absolute)
            .ok_or_else(|| absolute.error("is missing, write a number of tokens"));
    }
    Ok(match effort.str()?.unwrap_or("medium") {
        "none" => Effort::None,
        "auto" => Effort::Auto,
        "xlow" => Effort::XLow,
        "low" => Effort::Low,
        "medium" => Effort::Medium,
        "high" => Effort::High,
        "xhigh" => Effort::XHigh,
        "max" => Effort::Max,
        other => {
            return Err(effort.error(format!(
                "`{other}` does not fit, write `none`, `auto`, `xlow`, `low`, `medium`, `high`, `xhigh` or `max`"
            )));
        }
    })
}

fn read_cache(cache: &Reader<'_>) -> Result<Cache, AgentError> {
    Ok(match cache.value() {
        None | Some(Value::Bool(true)) => Cache::Short,
        Some(Value::Bool(false)) => Cache::Off,
        Some(_) => match cache.str()?.unwrap_or_default() {
            "off" | "false" => Cache::Off,
            "long" => Cache::Long,
            // A duration asks for some caching; the short one is what every provider has.
            _ => Cache::Short,
        },
    })
}

fn read_request(request: &Reader<'_>) -> Result<RequestSettings, AgentError> {
    let default = RequestSettings::default();
    let number =
        |key: &str, default: u32| Ok::<_, AgentError>(request.get(key).u32()?.unwrap_or(default));
    Ok(RequestSettings {
        max_retries: number("max_retries", default.max_retries)?,
        base_backoff_ms: number("base_backoff_ms", default.base_backoff_ms)?,
        max_backoff_secs: number("max_backoff_secs", default.max_backoff_secs)?,
        stream_idle_timeout_secs: number(
            "stream_idle_timeout_secs",
            default.stream_idle_timeout_secs,
        )?,
        max_response_bytes: number("max_response_bytes", default.max_response_bytes)?,
    })
}

/// What a config says of the provider of this name, under `providers.llm`.
///
/// # Errors
///
/// [`AgentError::Config`] for a value of the wrong type.
pub fn provider_settings(config: &Value, provider: &str) -> Result<ProviderSettings, AgentError> {
    let provider = Reader::root(config)
        .get("providers")
        .get("llm")
        .get(provider);
    Ok(ProviderSettings {
        api_key_env: provider.get("api_key_env").string()?,
        base_url: provider.get("base_url").string()?,
        base_url_env: provider.get("base_url_env").string()?,
        beta_headers: provider.get("beta_headers").strings()?,
        app_name: provider.get("app_name").string()?,
        app_referrer: provider.get("app_referrer").string()?,
    })
}
