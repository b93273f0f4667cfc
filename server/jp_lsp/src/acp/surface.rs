//! Prompts in an ACP client.
//!
//! ```text
//! broker --Show--> request for permission, or form --answer--> broker
//!        --Resolved--> the request is withdrawn
//! ```
//!
//! What the client cannot ask is left to other windows; without any, nobody is there to ask, which means no.

use std::sync::Arc;

use agent_client_protocol::{
    Error,
    v1::schema::{CreateElicitationRequest, RequestPermissionOutcome, RequestPermissionRequest},
};
use jp_agent::{
    AnswerError, Broker, ChoiceEffect, Prompt, PromptAnswer, PromptAnswerType, PromptKind,
    Reception, Surface, SurfaceEvent,
};
use jp_conversation::Answerer;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use super::{
    client::ToClient,
    command::{Commands, Shown},
    form::{self, Filled},
    permission::{self, Offer},
};

/// The name of this way of asking, for the record.
const SURFACE: &str = "session/request_permission";

/// How often a prompt is shown again because its answer did not fit.
const MOST_ATTEMPTS: usize = 5;

/// Shows the prompts of a queue in the client; answers are on record as the client's.
///
/// Must be called within a runtime.
pub(super) fn attach(broker: &Broker, client: &ToClient, commands: &Commands) {
    let answerer = Answerer::new(SURFACE, client.profile.name.as_deref());
    let surface = broker.on(answerer).attach();
    tokio::spawn(serve(surface, client.clone(), commands.clone()));
}

/// Shows prompts until the broker ends.
async fn serve(mut surface: Surface, client: ToClient, commands: Commands) {
    let (passed, mut passes) = mpsc::unbounded_channel();
    let mut shown: Option<(Arc<Prompt>, CancellationToken)> = None;
    loop {
        let event = tokio::select! {
            event = surface.next() => event,
            Some(id) = passes.recv() => {
                let id: String = id;
                surface.pass(&id);
                continue;
            }
        };
        if let Some((_, withdrawn)) = &shown {
            withdrawn.cancel();
        }
        match event {
            Some(SurfaceEvent::Show(prompt)) => {
                let withdrawn = CancellationToken::new();
                let asking = Asking {
                    broker: surface.broker().clone(),
                    client: client.clone(),
                    commands: commands.clone(),
                    prompt: Arc::clone(&prompt),
                };
                let (passed, token) = (passed.clone(), withdrawn.clone());
                shown = Some((prompt, withdrawn));
                tokio::spawn(async move {
                    let asked = tokio::select! {
                        biased;
                        () = token.cancelled() => return,
                        asked = asking.ask() => asked,
                    };
                    if let Asked::Undecided = asked {
                        // A surface that has ended shows nothing any more.
                        let _ = passed.send(asking.prompt.id.clone());
                    }
                });
            }
            Some(SurfaceEvent::Resolved { resolution, .. }) => {
                if let Some((prompt, _)) = shown.take() {
                    commands.resolved(&prompt, resolution);
                }
            }
            None => return,
        }
    }
}

/// What came of asking the client.
enum Asked {
    /// Somebody has decided, or will by other means.
    Done,
    /// The client cannot decide this.
    Undecided,
}

/// A prompt on its way to the client.
struct Asking {
    broker: Broker,
    client: ToClient,
    commands: Commands,
    prompt: Arc<Prompt>,
}

impl Asking {
    async fn ask(&self) -> Asked {
        let Some(shown) = self.commands.show(&self.prompt).await else {
            return Asked::Undecided;
        };
        let forms = self.client.profile.forms;
        let answer_type = self.prompt.question.as_ref().map(|it| &it.answer_type);
        match answer_type {
            Some(PromptAnswerType::Secret) => {
                self.client.notice(&shown.session, &self.unasked(SECRET));
                return Asked::Undecided;
            }
            Some(PromptAnswerType::Text) if !forms => {
                self.client.notice(&shown.session, &self.unasked(NO_FORMS));
                return Asked::Undecided;
            }
            _ => {}
        }
        for _ in 0..MOST_ATTEMPTS {
            let answer = match self.prompt.kind {
                PromptKind::Question if forms => self.fill(&shown).await,
                _ => self.pick(&shown).await,
            };
            let answer = match answer {
                Answered::With(answer) => answer,
                Answered::Again => continue,
                Answered::Asked(asked) => return asked,
            };
            let (id, digest) = (&self.prompt.id, &self.prompt.digest);
            match self.broker.answer(id, digest, answer).await {
                Ok(Reception::Decided) | Err(AnswerError::NotPending { .. }) => return Asked::Done,
                Ok(Reception::Undecided) => {}
                Err(error) => self.client.notice(&shown.session, &error.to_string()),
            }
        }
        Asked::Undecided
    }

    /// Lets the person fill in a form.
    async fn fill(&self, shown: &Shown) -> Answered {
        let Some(form) = form::of_question(&shown.session, &shown.call, &self.prompt) else {
            return Answered::Asked(Asked::Undecided);
        };
        match self.filled(form).await {
            Some(filled) => Answered::With(filled.answer()),
            None => Answered::Asked(Asked::Undecided),
        }
    }

    async fn filled(&self, form: CreateElicitationRequest) -> Option<Filled> {
        match self.client.ask(form).await {
            Ok(response) => Some(response.action.into()),
            Err(error) => {
                self.note(&error, "the client shows no form");
                None
            }
        }
    }

    /// Lets the person pick.
    async fn pick(&self, shown: &Shown) -> Answered {
        let offers = permission::offers(&self.prompt, self.client.profile.forms);
        let request = permission::request(&shown.session, &shown.call, &self.prompt, &offers);
        let offer = match self.picked(request, offers).await {
            Picked::Offer(offer) => offer,
            Picked::Cancelled => {
                self.commands.cancel(&shown.session);
                return Answered::Asked(Asked::Done);
            }
            Picked::Nothing => return Answered::Asked(Asked::Undecided),
        };
        match &offer.effect {
            ChoiceEffect::Answer(answer) => Answered::With((**answer).clone()),
            ChoiceEffect::Details => Answered::Again,
            effect @ (ChoiceEffect::Reason | ChoiceEffect::Edit) => {
                let form = form::of_text(&shown.session, &shown.call, &self.prompt, effect);
                match self.filled(form).await.map(Filled::text) {
                    Some(Some(text)) => Answered::With(permission::written(effect, text)),
                    // The person went back to the choices.
                    Some(None) => Answered::Again,
                    None => Answered::Asked(Asked::Undecided),
                }
            }
        }
    }

    async fn picked(&self, request: RequestPermissionRequest, offers: Vec<Offer>) -> Picked {
        match self.client.ask(request).await.map(|it| it.outcome) {
            Ok(RequestPermissionOutcome::Selected(selected)) => {
                let mut offers = offers.into_iter();
                let picked = offers.find(|offer| offer.option.option_id == selected.option_id);
                if picked.is_none() {
                    tracing::warn!(option = %selected.option_id, "the client picked what was not offered");
                }
                picked.map_or(Picked::Nothing, |offer| Picked::Offer(Box::new(offer)))
            }
            Ok(_) => Picked::Cancelled,
            Err(error) => {
                self.note(&error, "the client asks for no permission");
                Picked::Nothing
            }
        }
    }

    /// Notes what a client did not do; one that has gone does nothing more.
    fn note(&self, error: &Error, what: &str) {
        if !self.client.connection.is_incoming_closed() {
            tracing::warn!(%error, "{what}");
        }
    }

    /// What is said where a question cannot be asked.
    fn unasked(&self, reason: &str) -> String {
        format!("{}\n{reason}", self.prompt.message)
    }
}

/// Why a secret is not asked for.
const SECRET: &str = "This is a secret, and an ACP client has no safe place to write one: it was not asked for. \
                      Run the tool in an editor with jp-lsp, or with `jp-lsp query` in a terminal.";

/// Why a text is not asked for.
const NO_FORMS: &str = "This client has no form to write an answer in, so that nobody was asked. \
                        Run the tool in an editor with jp-lsp, or with `jp-lsp query` in a terminal.";

/// What one way of asking came to.
enum Answered {
    With(PromptAnswer),
    Again,
    Asked(Asked),
}

/// What came of a request for permission.
enum Picked {
    Offer(Box<Offer>),
    /// The turn is over for the client.
    Cancelled,
    Nothing,
}
