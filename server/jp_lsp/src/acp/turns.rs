//! A prompt of the client as a turn, and what the turn says.

use std::sync::Arc;

use agent_client_protocol::{
    Error,
    v1::{
        Responder,
        schema::{
            ContentChunk, PromptRequest, PromptResponse, SessionInfoUpdate, SessionUpdate,
            StopReason, ToolCall, ToolCallStatus, ToolCallUpdate, ToolCallUpdateFields,
        },
    },
};
use jp_agent::{
    ChangedFile, FinishedTurn, Prompt, Resolution, Runtime, TurnControl, TurnEnd, TurnOutcome,
    TurnRequest,
};
use jp_conversation::{ChatRequest, ConversationId, ConversationWriter, fenced, visible};
use serde_json::Map;
use tokio_util::sync::CancellationToken;

use super::{
    calls,
    command::{Command, Heard, Shown},
    content,
    desk::Desk,
    replay,
    session::Turn,
    workspaces::{failed, invalid},
};
use crate::runtime::{Assignments, kept_copy, meeting::Meeting};

/// What a turn needs.
struct Opened {
    /// The conversation, open for writing.
    writer: ConversationWriter,
    /// What is asked.
    request: TurnRequest,
    /// Who runs it.
    runtime: Arc<Runtime>,
    /// What shows its prompts to other processes.
    meeting: Option<Meeting>,
}

impl Desk {
    /// Starts a turn; the responder hears of its end.
    pub(super) fn prompt(&mut self, request: &PromptRequest, responder: Responder<PromptResponse>) {
        let id = request.session_id.to_string();
        let refused = match self.opened(request) {
            Ok(opened) => return self.start(&id, opened, responder),
            Err(refused) => refused,
        };
        if let Err(error) = responder.respond_with_error(refused) {
            tracing::debug!(%error, "the client is gone");
        }
    }

    fn start(&mut self, id: &str, opened: Opened, responder: Responder<PromptResponse>) {
        let Opened {
            writer,
            request,
            runtime,
            meeting,
        } = opened;
        let Some(session) = self.sessions.get_mut(id) else {
            return;
        };
        let conversation = writer.conversation().id;
        let (handle, control) = TurnControl::new();
        let over = CancellationToken::new();
        let cancellation = responder.cancellation();
        let (cancels, ended) = (handle.clone(), over.clone());
        tokio::spawn(async move {
            tokio::select! {
                () = cancellation.cancelled() => cancels.cancel(),
                () = ended.cancelled() => {}
            }
        });
        let original = session.conversation;
        session.conversation = conversation;
        session.is_empty = false;
        session.unrecorded_model = None;
        session.turn = Some(Turn {
            handle,
            responder,
            copied_from: Some(original).filter(|original| *original != conversation),
            over,
            meeting,
        });
        if let Some(notice) = session.notice.take() {
            self.client.notice(id, &notice);
        }
        if let Some(title) = &writer.conversation().metadata.title {
            let title = visible(title).into_owned();
            let update = SessionInfoUpdate::new().title(title);
            self.client
                .tell(id, SessionUpdate::SessionInfoUpdate(update));
        }
        let commands = self.commands.clone();
        self.running.spawn(async move {
            let turn = async move { runtime.turn(writer, request, control).await };
            let finished = tokio::spawn(turn).await.unwrap_or_else(|error| {
                let error = format!("the turn broke off: {error}");
                FinishedTurn {
                    outcome: TurnOutcome::Failed { error },
                    end: TurnEnd::default(),
                    writer: None,
                }
            });
            let ended = Command::Ended(conversation, Box::new(finished));
            // A desk that has ended has nobody to tell.
            let _ = commands.send(ended);
        });
    }

    /// The conversation of a prompt, open for writing, with what is asked and who runs it.
    fn opened(&mut self, request: &PromptRequest) -> Result<Opened, Error> {
        let id = request.session_id.to_string();
        let session = self.session(&id)?;
        session.is_free()?;
        let text = content::question(&session.place.root, &request.prompt).map_err(invalid)?;
        let place = session.place.clone();
        let (conversation, model) = (session.conversation, session.unrecorded_model.clone());
        let closed = session.closed.take();
        let runtime = self.workspaces.runtime(&place, &self.client)?;
        let assignments = match model {
            Some(model) => Assignments::of_request(Some(&model), Map::new()).map_err(failed)?,
            None => Assignments::default(),
        };
        let config = runtime
            .change(&assignments, Some(conversation))
            .map_err(failed)?;
        let mut writer = match closed {
            Some(closed) if closed.id() == conversation => runtime.reopen(*closed),
            _ => runtime.open(Some(conversation), &text),
        }
        .map_err(failed)?;
        runtime.entitle(&mut writer, &text).map_err(failed)?;
        let chat = ChatRequest {
            content: text,
            ..ChatRequest::default()
        };
        let meeting = Meeting::open(&place.root, writer.conversation().id, &runtime.broker);
        Ok(Opened {
            writer,
            request: TurnRequest { chat, config },
            runtime: Arc::clone(&runtime.runtime),
            meeting,
        })
    }

    /// Cancels the turn of a session, if one runs.
    pub(super) fn cancel(&mut self, id: &str) {
        let session = self.sessions.get(id);
        if let Some(turn) = session.and_then(|session| session.turn.as_ref()) {
            turn.handle.cancel();
        }
    }

    /// Tells the client what a turn says.
    pub(super) async fn hear(&mut self, conversation: ConversationId, heard: Heard) {
        let client = self.client.clone();
        let Some(session) = self.session_of(conversation) else {
            return;
        };
        let id = session.id.clone();
        let update = match heard {
            Heard::Text(text) => SessionUpdate::AgentMessageChunk(replay::chunk(&text)),
            Heard::Thought(text) => SessionUpdate::AgentThoughtChunk(replay::chunk(&text)),
            Heard::Data(data) => {
                let text = fenced("json", &data.to_string());
                SessionUpdate::AgentMessageChunk(ContentChunk::new(text.into()))
            }
            Heard::Notice(text) => return client.notice(&id, &text),
            Heard::Deciding {
                id: call,
                name,
                arguments,
            } => {
                let root = session.place.root.clone();
                let shown = session.calls.begin(&call);
                let arguments = Arc::new(arguments);
                let read = Arc::clone(&arguments);
                let place = root.clone();
                // The file that would change is read.
                let change = tokio::task::spawn_blocking(move || {
                    ChangedFile::of(&place, read.as_ref().as_ref()?)
                });
                let change = change.await.ok().flatten();
                if let (true, Some(session)) = (change.is_some(), self.session_of(conversation)) {
                    session.calls.changes_file(&call);
                }
                let arguments = arguments.as_ref().as_ref();
                let begun = calls::begun((&shown, &name), arguments, &root, change);
                SessionUpdate::ToolCall(begun)
            }
            Heard::Running { id: call } => {
                let Some(shown) = session.calls.run(&call) else {
                    return;
                };
                SessionUpdate::ToolCallUpdate(calls::running(shown))
            }
            Heard::Finished {
                id: call,
                content,
                is_error,
            } => {
                let Some(ended) = session.calls.finish(&call, &content, is_error) else {
                    return;
                };
                SessionUpdate::ToolCallUpdate(ended)
            }
        };
        client.tell(&id, update);
    }

    /// Where a prompt is shown. What is asked before any call is shown as a call of its own.
    pub(super) fn show(&mut self, prompt: &Prompt) -> Option<Shown> {
        let client = self.client.clone();
        let session = self.session_of(prompt.conversation.parse().ok()?)?;
        let call = &prompt.tool.call_id;
        let shown = match session.calls.shown(call) {
            Some(shown) => shown.to_owned(),
            None => {
                let shown = session.calls.begin(call);
                session.calls.asked_first(call);
                let asked = ToolCall::new(shown.clone(), prompt.title.clone());
                client.tell(&session.id, SessionUpdate::ToolCall(asked));
                shown
            }
        };
        Some(Shown {
            session: session.id.clone(),
            call: shown,
        })
    }

    /// A prompt waits no more.
    pub(super) fn resolved(&mut self, prompt: &Prompt, resolution: Resolution) {
        let client = self.client.clone();
        let Ok(conversation) = prompt.conversation.parse() else {
            return;
        };
        let Some(session) = self.session_of(conversation) else {
            return;
        };
        let call = &prompt.tool.call_id;
        if !session.calls.was_asked_first(call) {
            return;
        }
        if let Some(shown) = session.calls.end(call) {
            let status = match resolution {
                Resolution::Approve => ToolCallStatus::Completed,
                _ => ToolCallStatus::Failed,
            };
            let fields = ToolCallUpdateFields::new().status(status);
            let update = ToolCallUpdate::new(shown, fields);
            client.tell(&session.id, SessionUpdate::ToolCallUpdate(update));
        }
    }

    /// A turn is over: its conversation is free, and the client hears so.
    pub(super) fn ended(
        &mut self,
        conversation: ConversationId,
        finished: FinishedTurn,
    ) -> Result<(), Error> {
        let client = self.client.clone();
        let Some(session) = self.session_of(conversation) else {
            return Ok(());
        };
        let Some(turn) = session.turn.take() else {
            return Ok(());
        };
        turn.over.cancel();
        drop(turn.meeting);
        let FinishedTurn {
            outcome,
            end,
            writer,
        } = finished;
        let kept = writer.and_then(|writer| match turn.copied_from {
            Some(_) => kept_copy(writer, &outcome),
            None => Some(writer),
        });
        let id = session.id.clone();
        match (&kept, turn.copied_from) {
            (Some(_), Some(original)) => client.notice(
                &id,
                &format!(
                    "`{original}` belongs to jp and stays as it is; its copy `{conversation}` goes on."
                ),
            ),
            (None, Some(original)) => session.conversation = original,
            (_, None) => {}
        }
        session.closed = kept.map(|writer| Box::new(writer.close()));
        for call in session.calls.end_all() {
            let ended = calls::ended(&call, replay::UNFINISHED, true, false);
            client.tell(&id, SessionUpdate::ToolCallUpdate(ended));
        }
        let is_closing = session.is_closing;
        let answer = match outcome {
            TurnOutcome::Completed => Ok(PromptResponse::new(stop_reason(end))),
            TurnOutcome::Cancelled => Ok(PromptResponse::new(StopReason::Cancelled)),
            TurnOutcome::Failed { error } => Err(failed(visible(&error))),
        };
        let told = turn.responder.respond_with_result(answer);
        if is_closing {
            self.forget(&id);
        }
        told
    }
}

/// Why a turn ended, in the words of the protocol.
const fn stop_reason(end: TurnEnd) -> StopReason {
    match end {
        TurnEnd::Said => StopReason::EndTurn,
        TurnEnd::MaxTokens => StopReason::MaxTokens,
        TurnEnd::MaxCycles => StopReason::MaxTurnRequests,
        TurnEnd::Refused => StopReason::Refusal,
    }
}
