//! What a person has to agree to before anything of a workspace is set off.
//!
//! ```text
//! Trust what the config of `/w` starts and sends?
//! Send the key in `OPENAI_API_KEY` to http://127.0.0.1:8080?
//! ```
//!
//! Nobody to ask means no.

use std::sync::Arc;

use jp_conversation::{ConversationId, visible};
use jp_llm::{KeyUse, LlmError, Provider};
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use super::Runtime;
use crate::config::ModelConfig;
use crate::error::AgentError;
use crate::prompt::{Consent, PromptOutcome, PromptRequest, PromptRule, PromptSubject, PromptTool};
use crate::providers::connect;
use crate::source_range::SourceRange;
use crate::trust::Untrusted;

impl Runtime {
    /// The config of the workspace, once a person trusts what it starts and sends.
    pub(super) async fn trusted_config(
        &self,
        conversation: ConversationId,
    ) -> Result<Value, AgentError> {
        let source = &self.parts.config;
        loop {
            let untrusted = match source.effective() {
                Err(AgentError::Untrusted(untrusted)) => untrusted,
                read => return read,
            };
            // The config may change while a person thinks; what is trusted is what was shown.
            match self
                .agrees(conversation, "trust", trust(&untrusted), None)
                .await
            {
                PromptOutcome::Approved { .. } => source.trust(&untrusted.digest)?,
                PromptOutcome::Unavailable { .. } => return Err(AgentError::Untrusted(untrusted)),
                _ => return Err(AgentError::NotTrusted),
            }
        }
    }

    /// The provider of a model, once a person lets the key go where it would go.
    pub(super) async fn connect(
        &self,
        model: &ModelConfig,
        conversation: ConversationId,
    ) -> Result<Arc<dyn Provider>, AgentError> {
        let connect = || connect(&self.parts.providers, model);
        let connected = match connect().await {
            Err(LlmError::UnconfirmedKey { key, is_kept }) => {
                let place = self.place_of(&key);
                let asked = self
                    .agrees(conversation, "key", send(&key, is_kept), place)
                    .await;
                if let PromptOutcome::Approved { .. } = asked {
                    self.parts.config.allow_key(&key)?;
                }
                connect().await
            }
            connected => connected,
        };
        connected.map_err(|error| AgentError::config("assistant.model.id", error.to_string()))
    }

    /// Where the config says what the key has to do with the address.
    fn place_of(&self, key: &KeyUse) -> Option<SourceRange> {
        let names = ["base_url", "base_url_env", "api_key_env"];
        names.into_iter().find_map(|name| {
            let path = ["providers", "llm", key.provider.as_str(), name];
            self.parts.config.place(&path, None)
        })
    }

    async fn agrees(
        &self,
        conversation: ConversationId,
        about: &str,
        consent: Consent,
        place: Option<SourceRange>,
    ) -> PromptOutcome {
        let request = PromptRequest {
            note: None,
            conversation,
            root: self.workshop.workspace.root().to_owned(),
            tool: PromptTool {
                name: "jp-lsp".to_owned(),
                call_id: about.to_owned(),
                source: "builtin".to_owned(),
            },
            rule: place.map(|place| PromptRule {
                index: None,
                place: Some(place),
                rules: Vec::new(),
            }),
            subject: PromptSubject::Consent(consent),
        };
        // A turn that is cancelled drops this, which withdraws the prompt.
        let cancel = CancellationToken::new();
        self.parts.prompts.ask(request, cancel).await
    }
}

fn trust(untrusted: &Untrusted) -> Consent {
    Consent {
        title: format!(
            "Trust what the config of `{}` starts and sends?",
            visible(untrusted.root.as_str())
        ),
        text: untrusted.list.clone(),
        agree: "Trust".to_owned(),
    }
}

fn send(key: &KeyUse, is_kept: bool) -> Consent {
    let (variable, origin) = (visible(&key.variable), visible(&key.origin));
    let what = match is_kept {
        true => format!("The key that is kept in the keyring as `{variable}`"),
        false => format!("The value of the environment variable `{variable}`"),
    };
    let provider = key.provider.as_str();
    Consent {
        title: format!("Send the key in `{variable}` to {origin}?"),
        text: format!(
            "{what} would go with every request for {provider} to {origin}, \
             which is not the address of {provider}.\n\
             The answer holds from now on for this variable and this address."
        ),
        agree: "Send".to_owned(),
    }
}

#[cfg(test)]
#[path = "consent_tests.rs"]
mod tests;
