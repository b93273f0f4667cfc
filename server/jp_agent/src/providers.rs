//! Model providers over HTTP, and the scripted one.
//!
//! ```toml
//! [assistant.model]
//! id = "openai/gpt-5"
//!
//! [providers.llm.openai]
//! base_url = "http://127.0.0.1:8080"
//! ```

use std::sync::Arc;

use jp_llm::{HttpClient, KeyUse, LlmError, Provider, ProviderId, ScriptedProvider, Surroundings};

use crate::config::ModelConfig;
use crate::ports::Providers;

/// Which keys a person lets go where.
pub trait KeyConsents: Send + Sync + std::fmt::Debug {
    /// Whether the person has said that this key may be sent to this address.
    ///
    /// Not asked for the provider's own address.
    fn allows(&self, key: &KeyUse) -> bool;
}

/// Nobody has said anything: keys go to the own addresses of their providers.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoConsents;

impl KeyConsents for NoConsents {
    fn allows(&self, _: &KeyUse) -> bool {
        false
    }
}

/// Keys that a person keeps elsewhere than in the environment.
pub trait KeptKeys: Send + Sync + std::fmt::Debug {
    /// The key that is kept under the name of a variable; none where none is kept.
    ///
    /// Asked only where the environment has none. May wait for the person, so never called where others wait too.
    ///
    /// # Errors
    ///
    /// In words, why the key that is kept cannot be read.
    fn key(&self, variable: &str) -> Result<Option<String>, String>;
}

/// No key is kept.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoKeptKeys;

impl KeptKeys for NoKeptKeys {
    fn key(&self, _: &str) -> Result<Option<String>, String> {
        Ok(None)
    }
}

/// Connects to the provider that a model id names; `test` is the script.
#[derive(Debug, Clone)]
pub struct HttpProviders {
    client: HttpClient,
    consents: Arc<dyn KeyConsents>,
    kept: Arc<dyn KeptKeys>,
    script: Option<Arc<ScriptedProvider>>,
}

impl HttpProviders {
    /// Providers that share one client and send keys to the providers' own addresses alone.
    #[must_use]
    pub fn new(client: HttpClient) -> Self {
        Self {
            client,
            consents: Arc::new(NoConsents),
            kept: Arc::new(NoKeptKeys),
            script: None,
        }
    }

    /// Sends keys to the addresses that a person has confirmed, too.
    #[must_use]
    pub fn with_consents(mut self, consents: Arc<dyn KeyConsents>) -> Self {
        self.consents = consents;
        self
    }

    /// Takes keys that the environment does not have from where a person keeps them.
    #[must_use]
    pub fn with_kept_keys(mut self, kept: Arc<dyn KeptKeys>) -> Self {
        self.kept = kept;
        self
    }

    /// Lets `test/...` models answer from a script.
    #[must_use]
    pub fn with_script(mut self, script: ScriptedProvider) -> Self {
        self.script = Some(Arc::new(script));
        self
    }
}

/// The provider of a model, without keeping others from their work while a key is looked up.
///
/// # Errors
///
/// As [`Providers::provider`].
pub(crate) async fn connect(
    providers: &Arc<dyn Providers>,
    model: &ModelConfig,
) -> Result<Arc<dyn Provider>, LlmError> {
    let (providers, model) = (Arc::clone(providers), model.clone());
    let connecting = tokio::task::spawn_blocking(move || providers.provider(&model));
    connecting.await.unwrap_or(Err(LlmError::Cancelled))
}

impl Providers for HttpProviders {
    fn provider(&self, model: &ModelConfig) -> Result<Arc<dyn Provider>, LlmError> {
        if let ("test", Some(script)) = (model.id.provider.as_str(), &self.script) {
            return Ok(Arc::clone(script) as Arc<dyn Provider>);
        }
        let provider: ProviderId = model.id.provider.parse()?;
        let connected = self.client.connect(
            provider,
            model.provider.clone(),
            model.request,
            Surroundings {
                variable: &|name| std::env::var(name).ok(),
                kept_key: &|variable| self.kept.key(variable),
                may_send: &|key| self.consents.allows(key),
            },
        )?;
        Ok(Arc::new(connected))
    }
}
