//! `jp-lsp conversation`: looks into the store.
//!
//! ```text
//! $ jp-lsp conversation list
//! jp-c17636666521  2026-11-20 10:04:11.5  Missing date in version string
//! jp-c17758406187  2026-04-10 17:03:38.7  Replace prefill logic (kept by jp)
//! ```
//!
//! In a terminal it says how long ago that was.

mod ago;

use std::io::{self, Write};

use camino::Utf8PathBuf;
use clap::{Args, Subcommand};
use jp_agent::{ConfigSource as _, terminal_width};
use jp_config::released::ReleasedNote;
use jp_conversation::{
    ConversationError, ConversationId, ExportReport, ListedConversation, Timestamp, markdown,
    visible,
};
use serde_json::Value;

use self::ago::ago;
use crate::{
    disk::workspace::{self, Location, WorkspaceError},
    runtime::{
        SessionError, WorkspaceConfig,
        conversations::{ChangeError, Conversations, Keeper, TakeBackError, export},
    },
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
    /// Lists the conversations, those that `jp` keeps too, the one used last first.
    List,
    /// Prints a conversation as Markdown.
    Show {
        /// Its id.
        id: String,
    },
    /// Writes a conversation as `jp` stores it, with what the released `jp` loads.
    Export {
        /// Its id.
        id: String,
        /// The folder to write into, such as `.jp/conversations`.
        #[arg(long, value_name = "DIR")]
        to_jp: Utf8PathBuf,
    },
    /// Lists the conversations whose title, or something said in them, has all the words.
    Search {
        /// The words.
        #[arg(required = true)]
        words: Vec<String>,
    },
    /// Gives a conversation another title.
    Rename {
        /// Its id.
        id: String,
        /// The title.
        #[arg(required = true)]
        title: Vec<String>,
    },
    /// Removes a conversation for good.
    Delete {
        /// Its id.
        id: String,
    },
    /// Copies a conversation under an id of its own and prints that; the original stays as it is.
    Fork {
        /// Its id.
        id: String,
        /// Leave out this many of the last turns: 1 undoes the last turn.
        #[arg(long, value_name = "TURNS", default_value_t = 0)]
        without_last: usize,
    },
    /// Takes back the last config change that was recorded in a conversation, and prints it.
    UndoConfig {
        /// Its id.
        id: String,
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
    /// A conversation cannot be changed.
    #[error(transparent)]
    Change(#[from] ChangeError),
    /// A config change cannot be taken back.
    #[error(transparent)]
    TakeBack(#[from] TakeBackError),
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
    let Location { root, directory } = workspace::locate(arguments.workspace.as_deref())?;
    let conversations = Conversations::of(&root)?;
    let parse = |id: &str| id.parse::<ConversationId>();
    match &arguments.command {
        ConversationCommand::List => {
            for (keeper, listed) in conversations.list()? {
                writeln!(output, "{}", line(keeper, &listed))?;
            }
        }
        ConversationCommand::Search { words } => {
            for found in conversations.search(&words.join(" "))? {
                writeln!(output, "{}", line(found.keeper, &found.listed))?;
                if let Some(excerpt) = found.excerpt {
                    writeln!(output, "    {excerpt}")?;
                }
            }
        }
        ConversationCommand::Rename { id, title } => {
            let title = conversations.rename(parse(id)?, &title.join(" "))?;
            writeln!(output, "{title}")?;
        }
        ConversationCommand::Delete { id } => conversations.delete(parse(id)?)?,
        ConversationCommand::Fork { id, without_last } => {
            let fork = conversations.fork(parse(id)?, *without_last)?;
            writeln!(output, "{fork}")?;
        }
        ConversationCommand::Show { id } => {
            let conversation = conversations.read(parse(id)?)?;
            write!(output, "{}", markdown(conversation.events()))?;
        }
        ConversationCommand::Export { id, to_jp } => {
            let conversation = conversations.read(parse(id)?)?;
            let config = WorkspaceConfig::new(workspace::roots(&root, &directory)).effective();
            let parent = workspace::working_directory()?.join(to_jp);
            let (report, notes) = export(&conversation, &parent, config.ok().as_ref())?;
            writeln!(output, "{}", report.directory)?;
            tell(&report, &notes);
        }
        ConversationCommand::UndoConfig { id } => {
            let taken_back = conversations.take_back_config(parse(id)?)?;
            let set = Value::Object(taken_back.delta).to_string();
            writeln!(output, "taken back: {}", visible(&set))?;
            for path in &taken_back.unsets {
                writeln!(output, "taken back: the removal of {}", visible(path))?;
            }
        }
    }
    Ok(0)
}

/// A conversation in a list: its id, when it was used last, and its title.
fn line(keeper: Keeper, listed: &ListedConversation) -> String {
    let title = match &listed.metadata {
        Ok(metadata) => metadata.title.clone().unwrap_or_default(),
        Err(error) => error.to_string(),
    };
    let title = visible(&title).replace('\n', " ");
    let kept = match keeper {
        Keeper::JpLsp => "",
        Keeper::Jp => " (kept by jp)",
    };
    let last = listed.last_activated_at();
    // A person reads how long ago it was, a script the moment.
    let last = match terminal_width() {
        Some(_) => format!("{:<14}", ago(last, Timestamp::now())),
        None => last.to_string(),
    };
    let line = format!("{}  {last}  {title}{kept}", listed.id);
    line.trim_end().to_owned()
}

/// Says on standard error what an export does not hold, or holds in another form.
#[expect(
    clippy::print_stderr,
    reason = "standard output has the directory alone"
)]
fn tell(report: &ExportReport, notes: &[ReleasedNote]) {
    for note in notes {
        let (path, reason) = (visible(&note.path), visible(&note.reason));
        match &note.now {
            None => eprintln!("jp-lsp: left out: {path}: {reason}"),
            Some(now) => {
                let now = now.to_string();
                eprintln!("jp-lsp: written as {}: {path}: {reason}", visible(&now));
            }
        }
    }
    for path in &report.ignored_unsets {
        let path = visible(path);
        eprintln!("jp-lsp: left out: the removal of {path}: the released `jp` removes nothing");
    }
    for field in &report.omitted_fields {
        eprintln!("jp-lsp: left out: {}", visible(field));
    }
    if report.omitted_inquiries > 0 {
        let count = report.omitted_inquiries;
        eprintln!("jp-lsp: left out: {count} questions that were not answered, or in secret");
    }
}
