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

use jp_llm::{HttpClient, LlmError, Provider, ProviderId, ScriptedProvider};

use crate::config::ModelConfig;
use crate::ports::Providers;

/// Connects to the provider that a model id names; `test` is the script.
#[derive(Debug, Clone)]
pub struct HttpProviders {
    client: HttpClient,
    script: Option<Arc<ScriptedProvider>>,
}

impl HttpProviders {
    /// Providers that share one client.
    #[must_use]
    pub const fn new(client: HttpClient) -> Self {
        Self {
            client,
            script: None,
        }
    }

    /// Lets `test/...` models answer from a script.
    #[must_use]
    pub fn with_script(mut self, script: ScriptedProvider) -> Self {
        self.script = Some(Arc::new(script));
        self
    }
}

impl Providers for HttpProviders {
    fn provider(&self, model: &ModelConfig) -> Result<Arc<dyn Provider>, LlmError> {
        if let ("test", Some(script)) = (model.id.provider.as_str(), &self.script) {
            return Ok(Arc::clone(script) as Arc<dyn Provider>);
        }
        let provider: ProviderId = model.id.provider.parse()?;
        let connected =
            self.client
                .connect(provider, model.provider.clone(), model.request, &|name| {
                    std::env::var(name).ok()
                })?;
        Ok(Arc::new(connected))
    }
}
