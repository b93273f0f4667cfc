//! `jp-lsp conversation`: looks into the store.
//!
//! ```text
//! $ jp-lsp conversation list
//! jp-c17636666521  2026-11-20 10:04:11.5  Missing date in version string
//! ```

use std::io::{self, Write};

use camino::Utf8PathBuf;
use clap::{Args, Subcommand};
use jp_conversation::{ConversationError, ConversationId, export_released, markdown, visible};

use crate::{
    runtime::{SessionError, store},
    workspace::{self, Location, WorkspaceError},
};

/// What to do with the conversations of a workspace.
#[derive(Debug, Args)]
pub struct ConversationArguments {
    /// The workspace; by default the one that the working directory lies in.
    #[arg(long, global = true)]
    pub workspace: Option<Utf8PathBuf>,
    #[command(subcommand)]
    command: ConversationCommand,
}

#[derive(Debug, Subcommand)]
enum ConversationCommand {
    /// Lists the conversations, the one used last first.
    List,
    /// Prints a conversation as Markdown.
    Show {
        /// Its id.
        id: String,
    },
    /// Writes a conversation as `jp` stores it.
    Export {
        /// Its id.
        id: String,
        /// The folder to write into, such as `.jp/conversations`.
        #[arg(long, value_name = "DIR")]
        to_jp: Utf8PathBuf,
    },
}

/// Why a conversation could not be shown.
#[derive(Debug, thiserror::Error)]
pub enum ConversationCommandError {
    /// There is no workspace.
    #[error(transparent)]
    Workspace(#[from] WorkspaceError),
    /// There is no store.
    #[error(transparent)]
    Session(#[from] SessionError),
    /// A conversation cannot be read or written.
    #[error(transparent)]
    Conversation(#[from] ConversationError),
    /// The output cannot be written.
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// Does what the arguments say.
///
/// # Errors
///
/// [`ConversationCommandError`].
pub fn run(
    arguments: &ConversationArguments,
    output: &mut dyn Write,
) -> Result<u8, ConversationCommandError> {
    let Location { root, .. } = workspace::locate(arguments.workspace.as_deref())?;
    let store = store(&root)?;
    let parse = |id: &str| id.parse::<ConversationId>();
    match &arguments.command {
        ConversationCommand::List => {
            for listed in store.list()? {
                let title = match &listed.metadata {
                    Ok(metadata) => metadata.title.clone().unwrap_or_default(),
                    Err(error) => error.to_string(),
                };
                writeln!(
                    output,
                    "{}  {}  {}",
                    listed.id,
                    listed.last_activated_at(),
                    visible(&title)
                )?;
            }
        }
        ConversationCommand::Show { id } => {
            let conversation = store.read(parse(id)?)?;
            write!(output, "{}", markdown(conversation.events()))?;
        }
        ConversationCommand::Export { id, to_jp } => {
            let conversation = store.read(parse(id)?)?;
            let report =
                export_released(&conversation, &workspace::working_directory()?.join(to_jp))?;
            writeln!(output, "{}", report.directory)?;
            if report.omitted_inquiries > 0 {
                writeln!(
                    output,
                    "left out: {} questions that were not answered",
                    report.omitted_inquiries
                )?;
            }
        }
    }
    Ok(0)
}
