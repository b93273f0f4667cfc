//! How many tokens models take in, as their providers say.
//!
//! ```text
//! anthropic/claude-opus -> 200,000    openai/gpt-5 -> not known
//! ```
//!
//! A provider is asked once for each model, while the calls of its first answer run, and never before it has answered.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use jp_config::model_id::ModelId;
use jp_llm::{Provider, ProviderSettings};
use tokio::sync::OnceCell;

use crate::config::ModelConfig;

/// How long the end of a turn waits for what is not known yet.
const PATIENCE: Duration = Duration::from_secs(1);

/// What a provider says of a model, once it was asked; none where it does not say.
type Tokens = Arc<OnceCell<Option<u64>>>;

/// What is known of the models that have answered.
#[derive(Debug, Default)]
pub(super) struct Windows(Mutex<Vec<(ModelId, ProviderSettings, Tokens)>>);

impl Windows {
    /// The window of a model.
    pub(super) fn of(&self, model: &ModelConfig, provider: &Arc<dyn Provider>) -> Window {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let found = known
            .iter()
            .find(|(id, settings, _)| *id == model.id && *settings == model.provider);
        let tokens = match found {
            Some((_, _, tokens)) => Arc::clone(tokens),
            None => {
                let tokens = Arc::default();
                known.push((
                    model.id.clone(),
                    model.provider.clone(),
                    Arc::clone(&tokens),
                ));
                tokens
            }
        };
        Window {
            provider: Arc::clone(provider),
            model: model.id.name.clone(),
            tokens,
        }
    }
}

/// How many tokens one model takes in.
#[derive(Debug, Clone)]
pub(super) struct Window {
    provider: Arc<dyn Provider>,
    model: String,
    tokens: Tokens,
}

impl Window {
    /// What is known; none also where the provider does not say.
    pub(super) fn known(&self) -> Option<u64> {
        self.tokens.get().copied().flatten()
    }

    /// Begins to ask the provider, unless it was asked.
    pub(super) fn ask(&self) {
        if !self.tokens.initialized() {
            let window = self.clone();
            tokio::spawn(async move { window.asked().await });
        }
    }

    /// What the provider says, if it says so soon.
    pub(super) async fn soon(&self) -> Option<u64> {
        let asked = tokio::time::timeout(PATIENCE, self.asked()).await;
        asked.ok().flatten()
    }

    async fn asked(&self) -> Option<u64> {
        let ask = || async {
            match self.provider.model_details(&self.model).await {
                Ok(details) => details.context_window.filter(|tokens| *tokens > 0),
                Err(error) => {
                    tracing::debug!(%error, model = self.model, "nothing is known about a model");
                    None
                }
            }
        };
        *self.tokens.get_or_init(ask).await
    }
}
