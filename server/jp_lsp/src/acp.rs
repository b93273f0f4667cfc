//! The agent for clients of the Agent Client Protocol, on standard input and output.
//!
//! ```json
//! {"method": "session/new", "params": {"cwd": "/w", "mcpServers": []}}
//! {"result": {"sessionId": "jp-c17958000000"}}
//! {"method": "session/prompt", "params": {"sessionId": "jp-c17958000000", "prompt": [{"type": "text", "text": "Hello"}]}}
//! ```
//!
//! A session is a conversation: the same runtime, store, rules, trust and queue of prompts as in an editor.

mod calls;
mod client;
mod command;
mod content;
mod desk;
mod form;
pub(crate) mod lines;
mod options;
mod permission;
mod replay;
mod session;
mod sink;
mod surface;
mod turns;
mod workspaces;

use agent_client_protocol::{
    Agent, ConnectTo, Error,
    v1::{
        ConnectionTo,
        schema::{
            CancelNotification, CloseSessionRequest, DeleteSessionRequest, InitializeRequest,
            ListSessionsRequest, LoadSessionRequest, NewSessionRequest, PromptRequest,
            ResumeSessionRequest, SetSessionConfigOptionRequest, SetSessionModeRequest,
        },
    },
};
use tokio_util::sync::CancellationToken;

use self::{
    command::{Command, Commands},
    desk::Desk,
};

/// A handler that passes a request on to the owner of the sessions.
macro_rules! passed {
    ($commands:expr, $request:ty, $command:expr) => {{
        let commands: Commands = $commands.clone();
        async move |request: $request, responder, _: ConnectionTo<agent_client_protocol::Client>| {
            commands.send($command(request.into(), responder))
        }
    }};
}

/// Serves one client until it is gone, or until `stop` is cancelled; its turns are on record then.
///
/// Must be called within a tokio runtime.
///
/// # Errors
///
/// When the transport fails.
pub(crate) async fn serve(
    transport: impl ConnectTo<Agent> + 'static,
    stop: CancellationToken,
) -> Result<(), Error> {
    let (commands, received) = Commands::new();
    let desk_commands = commands.clone();
    Agent
        .v1()
        .name("jp-lsp")
        .on_receive_request(
            passed!(commands, InitializeRequest, Command::Initialize),
            agent_client_protocol::on_receive_request!(),
        )
        .on_receive_request(
            passed!(commands, NewSessionRequest, Command::New),
            agent_client_protocol::on_receive_request!(),
        )
        .on_receive_request(
            passed!(commands, LoadSessionRequest, Command::Load),
            agent_client_protocol::on_receive_request!(),
        )
        .on_receive_request(
            passed!(commands, ResumeSessionRequest, Command::Resume),
            agent_client_protocol::on_receive_request!(),
        )
        .on_receive_request(
            passed!(commands, ListSessionsRequest, Command::List),
            agent_client_protocol::on_receive_request!(),
        )
        .on_receive_request(
            passed!(commands, CloseSessionRequest, Command::Close),
            agent_client_protocol::on_receive_request!(),
        )
        .on_receive_request(
            passed!(commands, DeleteSessionRequest, Command::Delete),
            agent_client_protocol::on_receive_request!(),
        )
        .on_receive_request(
            passed!(commands, SetSessionModeRequest, Command::SetMode),
            agent_client_protocol::on_receive_request!(),
        )
        .on_receive_request(
            passed!(commands, SetSessionConfigOptionRequest, Command::SetOption),
            agent_client_protocol::on_receive_request!(),
        )
        .on_receive_request(
            passed!(commands, PromptRequest, Command::Prompt),
            agent_client_protocol::on_receive_request!(),
        )
        .on_receive_notification(
            {
                let commands = commands.clone();
                async move |cancel: CancelNotification, _| {
                    commands.send(Command::Cancel(cancel.session_id.to_string()))
                }
            },
            agent_client_protocol::on_receive_notification!(),
        )
        .connect_with(transport, async move |connection| {
            let desk = Desk::new(connection, desk_commands);
            tokio::spawn(desk.run(received, stop))
                .await
                .map_err(|error| Error::internal_error().data(error.to_string()))
        })
        .await
}
