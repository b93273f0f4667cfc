//! Which provider to talk to, where, and with what patience.
//!
//! ```toml
//! [providers.llm.openai]
//! api_key_env = "OPENAI_API_KEY"
//! base_url = "https://api.openai.com"
//!
//! [assistant.request]
//! max_retries = 5
//! ```

use std::str::FromStr;
use std::time::Duration;

use url::{Host, Url};

use crate::error::LlmError;

/// The variable that stands above OpenAI's `base_url` where the settings name none.
const OPENAI_BASE_URL: &str = "OPENAI_BASE_URL";

/// A provider, as model ids name it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ProviderId {
    /// Anthropic.
    Anthropic,
    /// Cerebras.
    Cerebras,
    /// DeepSeek.
    Deepseek,
    /// Google Gemini.
    Google,
    /// A llama.cpp server.
    Llamacpp,
    /// Ollama.
    Ollama,
    /// OpenAI.
    Openai,
    /// OpenRouter.
    Openrouter,
    /// xAI.
    Xai,
}

/// The language a provider speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Protocol {
    /// Anthropic's messages.
    Messages,
    /// OpenAI's chat completions.
    ChatCompletions,
    /// Gemini's `streamGenerateContent`.
    GenerateContent,
    /// Ollama's chat.
    OllamaChat,
}

/// What is fixed about a provider.
struct Facts {
    name: &'static str,
    protocol: Protocol,
    base_url: &'static str,
    /// What follows the base URL in every address.
    version: &'static str,
    api_key_env: Option<&'static str>,
}

impl ProviderId {
    /// All providers.
    pub const ALL: [Self; 9] = [
        Self::Anthropic,
        Self::Cerebras,
        Self::Deepseek,
        Self::Google,
        Self::Llamacpp,
        Self::Ollama,
        Self::Openai,
        Self::Openrouter,
        Self::Xai,
    ];

    /// The name in model ids and under `providers.llm`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        self.facts().name
    }

    pub(crate) const fn protocol(self) -> Protocol {
        self.facts().protocol
    }

    const fn facts(self) -> Facts {
        match self {
            Self::Anthropic => Facts {
                name: "anthropic",
                protocol: Protocol::Messages,
                base_url: "https://api.anthropic.com",
                version: "v1",
                api_key_env: Some("ANTHROPIC_API_KEY"),
            },
            Self::Cerebras => chat_completions(
                "cerebras",
                "https://api.cerebras.ai",
                "v1",
                Some("CEREBRAS_API_KEY"),
            ),
            Self::Deepseek => chat_completions(
                "deepseek",
                "https://api.deepseek.com",
                "v1",
                Some("DEEPSEEK_API_KEY"),
            ),
            Self::Google => Facts {
                name: "google",
                protocol: Protocol::GenerateContent,
                base_url: "https://generativelanguage.googleapis.com",
                version: "v1beta",
                api_key_env: Some("GEMINI_API_KEY"),
            },
            Self::Llamacpp => chat_completions("llamacpp", "http://127.0.0.1:8080", "v1", None),
            Self::Ollama => Facts {
                name: "ollama",
                protocol: Protocol::OllamaChat,
                base_url: "http://localhost:11434",
                version: "api",
                api_key_env: None,
            },
            Self::Openai => chat_completions(
                "openai",
                "https://api.openai.com",
                "v1",
                Some("OPENAI_API_KEY"),
            ),
            Self::Openrouter => chat_completions(
                "openrouter",
                "https://openrouter.ai",
                "api/v1",
                Some("OPENROUTER_API_KEY"),
            ),
            Self::Xai => chat_completions("xai", "https://api.x.ai", "v1", Some("XAI_API_KEY")),
        }
    }
}

const fn chat_completions(
    name: &'static str,
    base_url: &'static str,
    version: &'static str,
    api_key_env: Option<&'static str>,
) -> Facts {
    Facts {
        name,
        protocol: Protocol::ChatCompletions,
        base_url,
        version,
        api_key_env,
    }
}

impl ProviderId {
    /// The environment variable that holds the key unless the config names another.
    #[must_use]
    pub const fn default_key_variable(self) -> Option<&'static str> {
        self.facts().api_key_env
    }
}

impl FromStr for ProviderId {
    type Err = LlmError;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        Self::ALL
            .into_iter()
            .find(|id| id.as_str() == name)
            .ok_or_else(|| LlmError::UnknownProvider {
                name: name.to_owned(),
                known: Self::ALL.map(|id| format!("`{}`", id.as_str())).join(", "),
            })
    }
}

/// `providers.llm.<provider>`, as far as a connection needs it. Unset fields have the provider's defaults.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ProviderSettings {
    /// The environment variable that holds the key. Default for example `OPENAI_API_KEY`.
    pub api_key_env: Option<String>,
    /// Where the provider is, with or without the version at the end.
    pub base_url: Option<String>,
    /// An environment variable that, where it is set, stands above `base_url`. Default `OPENAI_BASE_URL` for OpenAI.
    pub base_url_env: Option<String>,
    /// `anthropic-beta` headers.
    pub beta_headers: Vec<String>,
    /// What OpenRouter calls the application. Default `JP`.
    pub app_name: Option<String>,
    /// Where OpenRouter sends those who ask for the application.
    pub app_referrer: Option<String>,
}

impl ProviderSettings {
    /// The variable that holds the key, where there is a key.
    fn variable(&self, provider: ProviderId) -> Option<String> {
        let default = provider.facts().api_key_env;
        self.api_key_env
            .clone()
            .or_else(|| default.map(str::to_owned))
    }

    /// Where the provider is, version included.
    fn base(
        &self,
        provider: ProviderId,
        environment: &dyn Fn(&str) -> Option<String>,
    ) -> Result<Url, LlmError> {
        let facts = provider.facts();
        let base_url_env = match (&self.base_url_env, provider) {
            (Some(name), _) => Some(name.as_str()),
            (None, ProviderId::Openai) => Some(OPENAI_BASE_URL),
            (None, _) => None,
        };
        let configured = base_url_env
            .and_then(|name| set(environment, name))
            .or_else(|| self.base_url.clone())
            .unwrap_or_else(|| facts.base_url.to_owned());
        base_url(&configured, facts.version).ok_or(LlmError::InvalidBaseUrl {
            provider: facts.name,
            url: configured,
        })
    }
}

/// `assistant.request`: how patient we are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RequestSettings {
    /// How often a failed request is repeated. Default 5.
    pub max_retries: u32,
    /// The first wait before a repetition; each further one is twice as long. Default 1000.
    pub base_backoff_ms: u32,
    /// The longest wait before a repetition. Default 60.
    pub max_backoff_secs: u32,
    /// How long nothing may come, 0 for any time. Default 60.
    pub stream_idle_timeout_secs: u32,
    /// How large an answer may be, 0 for any size. Default 1 MiB.
    pub max_response_bytes: u32,
}

impl Default for RequestSettings {
    fn default() -> Self {
        Self {
            max_retries: 5,
            base_backoff_ms: 1000,
            max_backoff_secs: 60,
            stream_idle_timeout_secs: 60,
            max_response_bytes: 1_048_576,
        }
    }
}

impl RequestSettings {
    /// How long to wait after so many failures: twice as long each time, or as long as the provider asks, within the
    /// limit.
    #[must_use]
    pub fn backoff(&self, failures: u32, retry_after: Option<Duration>) -> Duration {
        let limit = Duration::from_secs(self.max_backoff_secs.into());
        let factor = 2_u32.saturating_pow(failures);
        let doubled = Duration::from_millis(self.base_backoff_ms.into()).saturating_mul(factor);
        doubled.max(retry_after.unwrap_or_default()).min(limit)
    }
}

/// A key on its way: the variable that holds it, and where its value would be sent.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct KeyUse {
    /// The provider that is asked.
    pub provider: ProviderId,
    /// The environment variable.
    pub variable: String,
    /// Scheme, host and port, in ASCII.
    pub origin: String,
}

impl KeyUse {
    /// The key that requests to a provider carry, and where to; none where they carry none.
    ///
    /// Whether the variable is set is of no matter here; `environment` looks up addresses alone.
    ///
    /// # Errors
    ///
    /// [`LlmError::InvalidBaseUrl`].
    pub fn of(
        provider: ProviderId,
        settings: &ProviderSettings,
        environment: &dyn Fn(&str) -> Option<String>,
    ) -> Result<Option<Self>, LlmError> {
        let base = settings.base(provider, environment)?;
        Ok(settings.variable(provider).map(|variable| Self {
            provider,
            variable,
            origin: base.origin().ascii_serialization(),
        }))
    }

    /// Whether the key goes to the provider's own address, where everybody's key for it goes.
    #[must_use]
    pub fn is_at_home(&self) -> bool {
        let facts = self.provider.facts();
        let home = base_url(facts.base_url, facts.version);
        // A provider on this machine takes no key by itself: whoever listens there is not known.
        facts.api_key_env.is_some()
            && home.is_some_and(|home| home.origin().ascii_serialization() == self.origin)
    }

    /// What `jp-lsp key set` calls the key: the provider where the variable is its own, otherwise the variable.
    ///
    /// None where the variable has a name that is not kept.
    #[must_use]
    pub fn name_to_keep(&self) -> Option<String> {
        if self.provider.default_key_variable() == Some(self.variable.as_str()) {
            return Some(self.provider.as_str().to_owned());
        }
        is_key_variable(&self.variable).then(|| self.variable.clone())
    }

    /// Whether everybody on the way could read the key: plain `http` that leaves this machine.
    #[must_use]
    pub fn is_readable_by_others(&self) -> bool {
        let Ok(origin) = Url::parse(&self.origin) else {
            return true;
        };
        origin.scheme() != "https" && !is_here(&origin)
    }
}

/// Whether a key can be kept under the name of this variable: capital letters, digits and underscores.
///
/// Providers are written in small letters, so that neither is taken for the other.
#[must_use]
pub fn is_key_variable(name: &str) -> bool {
    let begins = name.starts_with(|it: char| it.is_ascii_uppercase() || it == '_');
    let is_part = |it: char| it.is_ascii_uppercase() || it.is_ascii_digit() || it == '_';
    begins && name.len() <= 128 && name.chars().all(is_part)
}

/// Whether a URL leads to this machine itself, so that nothing sent to it goes over a network.
#[must_use]
pub fn is_here(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(name)) => name == "localhost",
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    }
}

/// What a connection takes from outside the config.
#[derive(Clone, Copy)]
pub struct Surroundings<'a> {
    /// The value of a variable of the environment.
    pub variable: &'a dyn Fn(&str) -> Option<String>,
    /// The key that is kept elsewhere under the name of a variable, asked for where the environment has none.
    ///
    /// The error says in words why what is kept cannot be read.
    pub kept_key: &'a dyn Fn(&str) -> Result<Option<String>, String>,
    /// Whether a key may be sent to an address that is not the provider's own.
    pub may_send: &'a dyn Fn(&KeyUse) -> bool,
}

impl std::fmt::Debug for Surroundings<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Surroundings").finish_non_exhaustive()
    }
}

/// Where a provider is and how it knows us.
#[derive(Clone)]
pub(crate) struct Endpoint {
    pub(crate) provider: ProviderId,
    /// Ends in a slash, version included.
    pub(crate) base: Url,
    pub(crate) key: Option<String>,
    pub(crate) settings: ProviderSettings,
}

impl std::fmt::Debug for Endpoint {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // Never the key.
        write!(f, "{} at {}", self.provider.as_str(), self.base)
    }
}

impl Endpoint {
    /// Looks up what the settings leave to the environment.
    ///
    /// A key leaves for the provider's own address, and for those that `may_send` allows.
    pub(crate) fn resolve(
        provider: ProviderId,
        settings: ProviderSettings,
        surroundings: Surroundings<'_>,
    ) -> Result<Self, LlmError> {
        let key = match KeyUse::of(provider, &settings, surroundings.variable)? {
            Some(key) => Some(value_of(key, surroundings)?),
            None => None,
        };
        Ok(Self {
            provider,
            base: settings.base(provider, surroundings.variable)?,
            key,
            settings,
        })
    }

    /// An address under the base URL.
    pub(crate) fn url(&self, path: &str) -> Result<Url, LlmError> {
        self.base.join(path).map_err(|_| LlmError::InvalidBaseUrl {
            provider: self.provider.as_str(),
            url: self.base.to_string(),
        })
    }
}

/// The key itself, if it may be sent.
fn value_of(key: KeyUse, surroundings: Surroundings<'_>) -> Result<String, LlmError> {
    let of_environment = set(surroundings.variable, &key.variable);
    let is_kept = of_environment.is_none();
    let found = match of_environment {
        Some(value) => Ok(Some(value)),
        None => (surroundings.kept_key)(&key.variable),
    };
    let (value, problem) = match found {
        Ok(value) => (value, None),
        Err(problem) => (None, Some(problem)),
    };
    let Some(value) = value else {
        return Err(LlmError::MissingKey {
            name_to_keep: key.name_to_keep(),
            provider: key.provider.as_str(),
            variable: key.variable,
            problem,
        });
    };
    if key.is_readable_by_others() {
        return Err(LlmError::ReadableKey(key));
    }
    if !key.is_at_home() && !(surroundings.may_send)(&key) {
        return Err(LlmError::UnconfirmedKey { key, is_kept });
    }
    Ok(value)
}

/// The value of a variable, if it is set to more than blanks.
fn set(environment: &dyn Fn(&str) -> Option<String>, name: &str) -> Option<String> {
    let value = environment(name)?;
    let value = value.trim();
    (!value.is_empty()).then(|| value.to_owned())
}

/// The base URL with its version and a slash at the end.
fn base_url(configured: &str, version: &str) -> Option<Url> {
    let mut url = Url::parse(configured.trim()).ok()?;
    if !matches!(url.scheme(), "http" | "https") || !url.has_host() {
        return None;
    }
    let path = url.path().trim_end_matches('/').to_owned();
    let has_version = path == version || path.ends_with(&format!("/{version}"));
    url.set_path(&if has_version {
        format!("{path}/")
    } else {
        format!("{path}/{version}/")
    });
    url.set_query(None);
    url.set_fragment(None);
    Some(url)
}

#[cfg(test)]
#[path = "settings_tests.rs"]
mod tests;
