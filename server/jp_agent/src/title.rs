//! What a model calls a conversation, asked beside its first turn.
//!
//! ```toml
//! [conversation.title.generate]
//! model.id = "haiku"
//! ```
//!
//! One request, only where the config asks for it; whatever goes wrong, the title stays as it was.

use std::sync::Arc;
use std::time::Duration;

use futures::StreamExt as _;
use jp_conversation::{ChatRequest, ConversationEvent, EventKind, title_of};
use jp_llm::{LlmError, PartContent, Request, StreamEvent, ToolChoice, messages};
use tokio_util::sync::CancellationToken;
use tokio_util::task::AbortOnDropHandle;

use crate::config::{ModelConfig, TurnConfig};
use crate::ports::Providers;
use crate::providers::connect;

/// How long the end of a turn waits for a title that is not there yet.
const GRACE: Duration = Duration::from_secs(2);

/// The most characters of a question that the model gets to see.
const LONGEST_QUESTION: usize = 4000;

/// What the model is told.
const INSTRUCTION: &str = "You give titles to conversations. Answer with a title for the conversation that begins with \
    the message of the user: at most eight words on one line, without quotation marks and without a full stop, in the \
    language of the message. Do not answer the message itself.";

/// A title that a model is asked for. Dropping it gives up.
#[derive(Debug)]
pub(crate) struct AskedTitle(AbortOnDropHandle<Option<String>>);

impl AskedTitle {
    /// Asks the model that the config names for titles; none where it names none.
    pub(crate) fn ask(
        providers: &Arc<dyn Providers>,
        config: &TurnConfig,
        question: &str,
    ) -> Option<Self> {
        let model = match config.title_model() {
            Ok(model) => model?,
            Err(error) => {
                tracing::debug!(%error, "no title is asked for");
                return None;
            }
        };
        let providers = Arc::clone(providers);
        let question = question.chars().take(LONGEST_QUESTION).collect();
        let asking = tokio::spawn(async move {
            let said = say(&providers, &model, question).await;
            let said = said.inspect_err(|error| tracing::debug!(%error, "there is no title"));
            title_in(&said.ok()?)
        });
        Some(Self(AbortOnDropHandle::new(asking)))
    }

    /// The title, if it comes soon.
    pub(crate) async fn take(self) -> Option<String> {
        let answered = tokio::time::timeout(GRACE, self.0).await;
        answered.ok()?.ok()?
    }
}

async fn say(
    providers: &Arc<dyn Providers>,
    model: &ModelConfig,
    question: String,
) -> Result<String, LlmError> {
    let provider = connect(providers, model).await?;
    let chat = ChatRequest {
        content: question,
        ..ChatRequest::default()
    };
    let request = Request {
        model: model.id.name.clone(),
        system: Some(INSTRUCTION.to_owned()),
        messages: messages(&[ConversationEvent::new(EventKind::ChatRequest(chat))]),
        tools: Vec::new(),
        tool_choice: ToolChoice::None,
        parameters: model.parameters.clone(),
        output_schema: None,
        failures: 0,
    };
    let mut stream = provider.stream(request, CancellationToken::new());
    let mut text = String::new();
    while let Some(event) = stream.next().await {
        match event {
            StreamEvent::PartEnd {
                content: PartContent::Text { text: part, .. },
                ..
            } => text.push_str(&part),
            StreamEvent::Done { .. } => return Ok(text),
            StreamEvent::Error(error) => return Err(error),
            _ => {}
        }
    }
    Err(LlmError::Cancelled)
}

/// The title in what a model said: one short line without the quotation marks that models put around it.
fn title_in(said: &str) -> Option<String> {
    let is_quote = |it: char| matches!(it, '"' | '\'' | '`' | '“' | '”' | '„' | '«' | '»' | '*');
    let line = said.lines().map(str::trim).find(|line| !line.is_empty())?;
    title_of(line.trim_matches(is_quote).trim())
}

#[cfg(test)]
#[path = "title_tests.rs"]
mod tests;
