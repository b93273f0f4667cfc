//! The owner of all sessions: what the client asks, what turns say and what prompts need comes to it in order.
//!
//! ```text
//! client --commands--> desk --session/update--> client
//!        turn, prompt ---^
//! ```

use std::{collections::BTreeMap, sync::Arc};

use agent_client_protocol::{
    Client, Error,
    v1::{
        ConnectionTo,
        schema::{
            AgentCapabilities, CloseSessionResponse, ConfigOptionUpdate, CurrentModeUpdate,
            DeleteSessionResponse, Implementation, InitializeRequest, InitializeResponse,
            ListSessionsRequest, ListSessionsResponse, LoadSessionResponse, NewSessionRequest,
            NewSessionResponse, PromptCapabilities, ResumeSessionResponse, SessionCapabilities,
            SessionCloseCapabilities, SessionConfigOption, SessionConfigOptionValue,
            SessionDeleteCapabilities, SessionInfo, SessionListCapabilities,
            SessionResumeCapabilities, SessionUpdate, SetSessionConfigOptionRequest,
            SetSessionConfigOptionResponse, SetSessionModeResponse,
        },
    },
};
use jp_agent::{TurnHandle, delta::apply};
use jp_conversation::{Conversation, ConversationId, Timestamp, visible};
use serde_json::{Map, Value};
use tokio::sync::mpsc;
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use super::{
    client::{Profile, ToClient},
    command::{Command, Commands},
    options::{self, Mode},
    replay,
    session::Session,
    surface,
    workspaces::{Place, Workspaces, failed, invalid},
};
use crate::runtime::{
    Assignments,
    conversations::Conversations,
    meeting::{Following, follow},
};

/// Owns the sessions and the runtimes by value.
pub(super) struct Desk {
    pub(super) client: ToClient,
    pub(super) commands: Commands,
    pub(super) workspaces: Workspaces,
    pub(super) sessions: BTreeMap<String, Session>,
    pub(super) running: TaskTracker,
}

impl Desk {
    /// A desk for a client that has said nothing yet.
    pub(super) fn new(connection: ConnectionTo<Client>, commands: Commands) -> Self {
        Self {
            client: ToClient {
                connection,
                profile: Arc::default(),
            },
            workspaces: Workspaces::new(commands.clone()),
            commands,
            sessions: BTreeMap::new(),
            running: TaskTracker::new(),
        }
    }

    /// Obeys commands until the client has gone, or until `stop` is cancelled; everything is on record when this returns.
    pub(super) async fn run(
        mut self,
        mut commands: mpsc::UnboundedReceiver<Command>,
        stop: CancellationToken,
    ) {
        let connection = self.client.connection.clone();
        let mut gone = Box::pin(connection.incoming_closed());
        loop {
            let command = tokio::select! {
                biased;
                () = &mut gone => break,
                () = stop.cancelled() => break,
                command = commands.recv() => command,
            };
            match command {
                Some(command) => self.obey(command).await,
                None => break,
            }
        }
        self.leave(commands).await;
    }

    /// Ends all turns and waits until they are on record.
    async fn leave(&mut self, mut commands: mpsc::UnboundedReceiver<Command>) {
        let turns = self.sessions.values().filter_map(|it| it.turn.as_ref());
        let handles: Vec<TurnHandle> = turns.map(|turn| turn.handle.clone()).collect();
        // What is refused below is answered to no model any more.
        handles.iter().for_each(TurnHandle::end_after_cycle);
        // Then this: a person who has gone has not cancelled anything.
        self.workspaces.close();
        handles.iter().for_each(TurnHandle::cancel);
        self.running.close();
        loop {
            tokio::select! {
                biased;
                Some(command) = commands.recv() => if let Command::Ended(..) = command {
                    self.obey(command).await;
                },
                () = self.running.wait() => break,
            }
        }
        while let Ok(command) = commands.try_recv() {
            if let Command::Ended(..) = command {
                self.obey(command).await;
            }
        }
        for id in self.sessions.keys().cloned().collect::<Vec<_>>() {
            self.forget(&id);
        }
    }

    async fn obey(&mut self, command: Command) {
        let sent = match command {
            Command::Initialize(request, responder) => responder.respond(self.initialize(&request)),
            Command::New(request, responder) => responder.respond_with_result(self.begin(&request)),
            Command::Load(request, responder) => {
                let opened = self.open(&request.session_id.to_string(), &request.cwd, true);
                let told = opened.map(|(options, mode)| {
                    LoadSessionResponse::new()
                        .modes(options::modes(mode))
                        .config_options(options)
                });
                responder.respond_with_result(told)
            }
            Command::Resume(request, responder) => {
                let opened = self.open(&request.session_id.to_string(), &request.cwd, false);
                let told = opened.map(|(options, mode)| {
                    ResumeSessionResponse::new()
                        .modes(options::modes(mode))
                        .config_options(options)
                });
                responder.respond_with_result(told)
            }
            Command::List(request, responder) => responder.respond_with_result(self.list(&request)),
            Command::Close(request, responder) => {
                let closed = self.close(&request.session_id.to_string());
                responder.respond_with_result(closed.map(|()| CloseSessionResponse::new()))
            }
            Command::Delete(request, responder) => {
                let deleted = self.delete(&request.session_id.to_string());
                responder.respond_with_result(deleted.map(|()| DeleteSessionResponse::new()))
            }
            Command::SetMode(request, responder) => {
                let id = request.session_id.to_string();
                let set = self.set_mode(&id, &request.mode_id.to_string());
                responder.respond_with_result(set.map(|()| SetSessionModeResponse::new()))
            }
            Command::SetOption(request, responder) => {
                responder.respond_with_result(self.set_option(&request))
            }
            Command::Prompt(request, responder) => {
                self.prompt(&request, responder);
                Ok(())
            }
            Command::Cancel(id) => {
                self.cancel(&id);
                Ok(())
            }
            Command::Heard(conversation, heard) => {
                self.hear(conversation, heard).await;
                Ok(())
            }
            Command::Ended(conversation, finished) => self.ended(conversation, *finished),
            Command::Show(prompt, reply) => {
                // Who shows prompts may have ended.
                let _ = reply.send(self.show(&prompt));
                Ok(())
            }
            Command::Resolved(prompt, resolution) => {
                self.resolved(&prompt, resolution);
                Ok(())
            }
        };
        if let Err(error) = sent {
            tracing::debug!(%error, "the client is gone");
        }
    }

    fn initialize(&mut self, request: &InitializeRequest) -> InitializeResponse {
        self.client.profile = Arc::new(Profile::of(request));
        let sessions = SessionCapabilities::new()
            .list(SessionListCapabilities::new())
            .delete(SessionDeleteCapabilities::new())
            .resume(SessionResumeCapabilities::new())
            .close(SessionCloseCapabilities::new());
        let capabilities = AgentCapabilities::new()
            .load_session(true)
            .prompt_capabilities(PromptCapabilities::new().embedded_context(true))
            .session_capabilities(sessions);
        InitializeResponse::new(agent_client_protocol::schema::ProtocolVersion::V1)
            .agent_capabilities(capabilities)
            .agent_info(Implementation::new("jp-lsp", env!("CARGO_PKG_VERSION")).title("jp"))
    }

    fn begin(&mut self, request: &NewSessionRequest) -> Result<NewSessionResponse, Error> {
        let place = Place::of(&request.cwd)?;
        let runtime = self.workspaces.runtime(&place, &self.client)?;
        let writer = runtime.open(None, "").map_err(failed)?;
        let closed = writer.close();
        let mut session = Session::new(closed.id(), place);
        session.closed = Some(Box::new(closed));
        session.is_empty = true;
        if !request.mcp_servers.is_empty() {
            session.notice = Some(UNHEEDED_SERVERS.to_owned());
        }
        let id = session.id.clone();
        let mode = session.place.mode;
        session.following = Some(self.follow(&session));
        self.sessions.insert(id.clone(), session);
        Ok(NewSessionResponse::new(id.clone())
            .modes(options::modes(mode))
            .config_options(self.options(&id)?))
    }

    /// Opens a conversation on record, and tells what happened in it where that is wanted.
    fn open(
        &mut self,
        id: &str,
        cwd: &std::path::Path,
        tells: bool,
    ) -> Result<(Vec<SessionConfigOption>, Mode), Error> {
        let place = Place::of(cwd)?;
        let conversation = conversation_id(id)?;
        let found = Conversations::of(&place.root)
            .map_err(failed)?
            .read(conversation)
            .map_err(failed)?;
        if !self.sessions.contains_key(id) {
            let mut session = Session::new(conversation, place);
            session.following = Some(self.follow(&session));
            self.sessions.insert(id.to_owned(), session);
        }
        let session = self.session(id)?;
        session.is_free()?;
        let updates = replay::updates(&session.place.root, &mut session.calls, found.events());
        let mode = session.place.mode;
        if tells {
            for update in updates {
                self.client.tell(id, update);
            }
        }
        Ok((self.options(id)?, mode))
    }

    /// Shows the prompts of turns that other processes run in the conversation.
    fn follow(&self, session: &Session) -> Following {
        let (client, commands) = (self.client.clone(), self.commands.clone());
        let root = session.place.root.clone();
        follow(root, session.conversation, move |broker| {
            surface::attach(&broker, &client, &commands);
        })
    }

    fn list(&self, request: &ListSessionsRequest) -> Result<ListSessionsResponse, Error> {
        // Conversations belong to workspaces.
        let place = request.cwd.as_deref().map_or_else(Place::here, Place::of)?;
        let listed = Conversations::of(&place.root)
            .map_err(failed)?
            .list()
            .map_err(failed)?;
        let sessions = listed.into_iter().map(|(_, listed)| {
            let title = listed.metadata.as_ref().ok();
            let title = title.and_then(|metadata| metadata.title.as_deref());
            SessionInfo::new(listed.id.to_string(), place.root.as_std_path())
                .title(title.map(|title| visible(title).into_owned()))
                .updated_at(in_rfc_3339(listed.last_activated_at()))
        });
        Ok(ListSessionsResponse::new(sessions.collect()))
    }

    /// Closes a session: its turn is cancelled, and one in which nothing was said is gone.
    fn close(&mut self, id: &str) -> Result<(), Error> {
        self.session(id)?;
        self.cancel(id);
        self.forget(id);
        Ok(())
    }

    /// Forgets a session that is over. One whose turn still ends is forgotten by its end.
    pub(super) fn forget(&mut self, id: &str) {
        let Some(session) = self.sessions.get_mut(id) else {
            return;
        };
        if session.turn.is_some() {
            session.is_closing = true;
            return;
        }
        let Some(session) = self.sessions.remove(id) else {
            return;
        };
        if session.is_empty
            && let Some(closed) = session.closed
        {
            let runtime = self.workspaces.runtime(&session.place, &self.client);
            let discarded = runtime.and_then(|runtime| {
                let writer = runtime.reopen(*closed).map_err(failed)?;
                writer.discard().map_err(failed)
            });
            if let Err(error) = discarded {
                tracing::warn!(%error, "a conversation in which nothing was said is left behind");
            }
        }
    }

    fn delete(&mut self, id: &str) -> Result<(), Error> {
        let conversation = conversation_id(id)?;
        let place = match self.sessions.get(id) {
            Some(session) => {
                session.is_free()?;
                session.place.clone()
            }
            None => Place::here()?,
        };
        let conversations = Conversations::of(&place.root).map_err(failed)?;
        conversations.delete(conversation).map_err(failed)?;
        self.sessions.remove(id);
        Ok(())
    }

    /// Switches what may be called, from the next prompt on.
    fn set_mode(&mut self, id: &str, mode: &str) -> Result<(), Error> {
        let session = self.session(id)?;
        session.is_free()?;
        session.place.mode = Mode::of(mode).ok_or_else(|| {
            let names = Mode::names();
            invalid(format!("`{mode}` is no mode: write {names}"))
        })?;
        let options = self.options(id)?;
        let update = SessionUpdate::ConfigOptionUpdate(ConfigOptionUpdate::new(options));
        self.client.tell(id, update);
        Ok(())
    }

    fn set_option(
        &mut self,
        request: &SetSessionConfigOptionRequest,
    ) -> Result<SetSessionConfigOptionResponse, Error> {
        let id = request.session_id.to_string();
        let SessionConfigOptionValue::ValueId { value } = &request.value else {
            return Err(invalid("no option is a switch: write a value's id"));
        };
        let value = value.to_string();
        match request.config_id.to_string().as_str() {
            options::MODE => {
                self.set_mode(&id, &value)?;
                let update = CurrentModeUpdate::new(value);
                self.client
                    .tell(&id, SessionUpdate::CurrentModeUpdate(update));
            }
            options::MODEL => {
                let assignments = Assignments::of_request(Some(&value), Map::new());
                let assignments = assignments.map_err(invalid)?;
                let place = self.session(&id)?.place.clone();
                let conversation = self.session(&id)?.conversation;
                let runtime = self.workspaces.runtime(&place, &self.client)?;
                // A model that cannot be found is refused at once.
                runtime
                    .change(&assignments, Some(conversation))
                    .map_err(invalid)?;
                let session = self.session(&id)?;
                session.model = Some(value.clone());
                session.unrecorded_model = Some(value);
            }
            other => {
                let expected = format!("`{}` or `{}`", options::MODE, options::MODEL);
                let reason = format!("`{other}` is no option: write {expected}");
                return Err(invalid(reason));
            }
        }
        Ok(SetSessionConfigOptionResponse::new(self.options(&id)?))
    }

    /// What can be switched in a session.
    fn options(&mut self, id: &str) -> Result<Vec<SessionConfigOption>, Error> {
        let session = self.sessions.get(id).ok_or_else(|| unknown(id))?;
        let runtime = self.workspaces.runtime(&session.place, &self.client)?;
        // A config that cannot be used is said when it is.
        let effective = runtime.config().merged().unwrap_or(Value::Null);
        let conversation = runtime.conversations.read(session.conversation).ok();
        let effective = with_deltas(effective, conversation.as_ref());
        let chosen = session.model.as_deref();
        Ok(options::options(&effective, chosen, session.place.mode))
    }

    /// A session that the client has opened.
    ///
    /// # Errors
    ///
    /// Where there is none.
    pub(super) fn session(&mut self, id: &str) -> Result<&mut Session, Error> {
        self.sessions.get_mut(id).ok_or_else(|| unknown(id))
    }

    /// The session whose conversation this is.
    pub(super) fn session_of(&mut self, conversation: ConversationId) -> Option<&mut Session> {
        let mut sessions = self.sessions.values_mut();
        sessions.find(|session| session.conversation == conversation)
    }
}

/// What is said where a client brings its own tools.
const UNHEEDED_SERVERS: &str = "The tool servers of this client are not used: tools come from the config of the workspace, \
                                which says what each of them may do. Add a server there as `providers.mcp.<name>`.";

fn with_deltas(effective: Value, conversation: Option<&Conversation>) -> Value {
    let deltas = conversation.into_iter().flat_map(|it| it.config_deltas(0));
    deltas.fold(effective, |state, delta| apply(&state, delta))
}

/// A time, which is UTC, as clients read it.
fn in_rfc_3339(time: Timestamp) -> String {
    format!("{}Z", time.to_string().replacen(' ', "T", 1))
}

fn conversation_id(id: &str) -> Result<ConversationId, Error> {
    id.parse().map_err(|_| unknown(id))
}

fn unknown(id: &str) -> Error {
    agent_client_protocol::v1::schema::Error::session_not_found(id.to_owned()).into()
}
