//! `jp-lsp query`: one turn of the agent in the terminal.
//!
//! ```text
//! $ jp-lsp query --conversation new "What does main.rs do?"
//! ```
//!
//! What the workspace starts and sends is shown and asked about first, once for each content.
//! With `--non-interactive`, everything that would ask is refused and says so.

mod interrupts;
mod transcript;

use std::{
    future::poll_fn,
    io::{self, Write},
    sync::Arc,
    task::Poll,
};

use camino::{Utf8Path, Utf8PathBuf};
use clap::{Args, ValueEnum};
use jp_agent::{
    Broker, ConfigSource as _, EventSink, FinishedTurn, PreferredEditor, RestoredTerminal, Sandbox,
    Terminal, TerminalDialogue, TurnControl, TurnOutcome, TurnRequest, context_fill,
    terminal_width,
};
use jp_conversation::{ChatRequest, ConversationEvent, ConversationId};
use jp_llm::{Script, Usage};
use jp_sandbox::SandboxMode;
use tokio::{
    sync::{mpsc, oneshot},
    task::JoinHandle,
};

use self::{interrupts::Interrupts, transcript::Transcript};
use crate::{
    cli::{
        signals::{Signal, Signals},
        trust::{Asking, admit},
    },
    disk::workspace::{self, Location, WorkspaceError},
    runtime::{
        Assignments, Session, SessionError, SessionOptions, ToolToggles,
        attachments::{AttachmentError, with_attachments},
        kept_copy,
        meeting::Meeting,
        script_from_environment,
    },
    trust::{TrustError, Vouched},
};

/// The exit code of a turn that a person interrupted.
const INTERRUPTED: u8 = 130;

/// What to ask, and where.
#[derive(Debug, Args)]
pub struct QueryArguments {
    /// The workspace; by default the one that the working directory lies in.
    #[arg(long)]
    pub workspace: Option<Utf8PathBuf>,
    /// The conversation to go on with: its id, or `new`.
    #[arg(long, default_value = "new")]
    pub conversation: String,
    /// Refuse whatever would need a person.
    #[arg(long)]
    pub non_interactive: bool,
    /// Trust what the config of the workspace starts and sends as it is, and record that.
    #[arg(long)]
    pub trust: bool,
    /// Whether tools are held to their grants by the kernel: `on` as far as they can be, `require` to refuse a tool that
    /// is not, `off` not at all.
    #[arg(long, value_name = "on|require|off", default_value_t)]
    pub sandbox: SandboxMode,
    /// How the turn is printed: the assistant's words, or one JSON event a line.
    #[arg(long, value_enum, default_value_t = QueryFormat::Text)]
    pub format: QueryFormat,
    /// Print nothing but the assistant's words and what failed.
    #[arg(long)]
    pub quiet: bool,
    /// A file of the workspace that goes with the question, or lines of it, as in `src/a.rs:3-9`; may be repeated.
    #[arg(long, value_name = "PATH[:LINES]")]
    pub attach: Vec<String>,
    /// What is set for the conversation.
    #[command(flatten)]
    pub assignments: Assignments,
    /// Which tools are switched on or off.
    #[command(flatten)]
    pub tools: ToolToggles,
    /// What to ask.
    pub text: String,
}

/// How a turn is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum QueryFormat {
    /// The assistant's words as they come, everything else on standard error.
    Text,
    /// One JSON object a line: recorded events, `delta_text`, `turn_end`.
    Json,
}

/// Why a query could not be made.
#[derive(Debug, thiserror::Error)]
pub enum QueryError {
    /// There is no workspace.
    #[error(transparent)]
    Workspace(#[from] WorkspaceError),
    /// The conversation's name is none.
    #[error("`{0}` is no conversation: write an id such as `jp-c17636666521`, or `new`")]
    InvalidConversation(String),
    /// There is nothing to ask.
    #[error(
        "the question is empty: write what to ask, as in `jp-lsp query \"What does main.rs do?\"`"
    )]
    EmptyQuestion,
    /// What is attached cannot be read.
    #[error(transparent)]
    Attachment(#[from] AttachmentError),
    /// Nothing of the workspace may be started.
    #[error(transparent)]
    Trust(#[from] TrustError),
    /// The runtime cannot start.
    #[error(transparent)]
    Session(#[from] SessionError),
    /// The terminal or the system refuses.
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// Runs one turn and prints it.
///
/// Answers the exit code: 0 when the turn completed, 1 when it failed or was cancelled, 130 when a person ended it by an
/// interrupt, 143 and 129 after SIGTERM and SIGHUP.
///
/// # Errors
///
/// [`QueryError`]; nothing was asked then.
pub fn run(arguments: &QueryArguments, output: &mut dyn Write) -> Result<u8, QueryError> {
    let script = script_from_environment()?;
    let Location { root, directory } = workspace::locate(arguments.workspace.as_deref())?;
    if arguments.text.trim().is_empty() {
        return Err(QueryError::EmptyQuestion);
    }
    let conversation = conversation(&arguments.conversation)?;
    let question = asked(arguments, &root)?;
    let _restored = RestoredTerminal::remember();
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()?;
    let result = runtime.block_on(async {
        let mut signals = Signals::listen()?;
        if let Some(code) = trusted(&root, &directory, arguments, &mut signals).await? {
            return Ok(code);
        }
        let place = (root.as_path(), directory.as_path());
        let asked = (question, conversation);
        turn(place, arguments, asked, script, signals, output).await
    });
    // A prompt that reads the terminal may still be blocked in it.
    runtime.shutdown_background();
    result
}

/// Makes sure that a person trusts what the workspace starts and sends; answers the exit code if a signal came first.
async fn trusted(
    root: &Utf8Path,
    directory: &Utf8Path,
    arguments: &QueryArguments,
    signals: &mut Signals,
) -> Result<Option<u8>, QueryError> {
    let mut dialogue = match arguments.non_interactive {
        true => None,
        false => TerminalDialogue::open(),
    };
    let is_said = arguments.trust;
    let (root, directory) = (root.to_owned(), directory.to_owned());
    // Whoever reads the terminal waits for keys alone.
    let asked = tokio::task::spawn_blocking(move || {
        let asking = match &mut dialogue {
            _ if is_said => Asking::Said,
            None => Asking::Nobody,
            Some(dialogue) => Asking::Person(dialogue),
        };
        admit(&root, &directory, asking)
    });
    let code = tokio::select! {
        biased;
        signal = signals.next() => match signal {
            Signal::Interrupt => INTERRUPTED,
            Signal::End(code) => code,
        },
        asked = asked => match asked.map_err(io::Error::other)? {
            Err(TrustError::Interrupted) => INTERRUPTED,
            asked => return Ok(asked.map(|()| None)?),
        },
    };
    tell_interrupted();
    Ok(Some(code))
}

/// Says that a query was ended before its turn.
#[expect(clippy::print_stderr, reason = "this is what standard error is for")]
fn tell_interrupted() {
    eprintln!("jp-lsp: {}", TrustError::Interrupted);
}

/// The question with what is attached to it; paths are those of the working directory, as for every program.
fn asked(arguments: &QueryArguments, root: &Utf8Path) -> Result<String, QueryError> {
    let here = Utf8PathBuf::from(".");
    let text = with_attachments(&arguments.text, &arguments.attach, root, &here);
    Ok(text?)
}

/// Reads `new` or an id.
fn conversation(name: &str) -> Result<Option<ConversationId>, QueryError> {
    match name {
        "new" => Ok(None),
        id => id
            .parse()
            .map(Some)
            .map_err(|_| QueryError::InvalidConversation(name.to_owned())),
    }
}

async fn turn(
    (root, directory): (&Utf8Path, &Utf8Path),
    arguments: &QueryArguments,
    (question, conversation): (String, Option<ConversationId>),
    script: Option<Script>,
    mut signals: Signals,
    output: &mut dyn Write,
) -> Result<u8, QueryError> {
    let (sender, mut heard) = mpsc::unbounded_channel();
    let ear = Arc::new(Ear {
        sender,
        tells_usage: arguments.format == QueryFormat::Text && !arguments.quiet,
    });
    let options = SessionOptions {
        toggles: arguments.tools.clone(),
        sandbox: Sandbox {
            mode: arguments.sandbox,
            ..Sandbox::default()
        },
        script,
        ..SessionOptions::new(Some(Vouched::Nobody))
    };
    let session = Session::start(root, directory, ear, options)?;
    let config = session.change(&arguments.assignments, conversation)?;
    let writer = session.open(conversation, &arguments.text)?;
    let copy = writer.conversation().id;
    let copied_from = conversation.filter(|original| *original != copy);
    let editor = PreferredEditor::of(&session.config().effective().unwrap_or_default());
    let dialogue = match arguments.non_interactive {
        true => None,
        false => TerminalDialogue::open().map(|it| it.with_editor(editor.clone())),
    };
    let terminal = match dialogue {
        Some(dialogue) => Some(attach_terminal(dialogue, session.broker.clone()).await),
        None => None,
    };
    let (handle, control) = TurnControl::new();
    let chat = ChatRequest {
        content: question,
        ..ChatRequest::default()
    };
    let request = TurnRequest { chat, config };
    let runtime = Arc::clone(&session.runtime);
    let meeting = Meeting::open(root, copy, &session.broker);
    let finished = tokio::spawn(async move { runtime.turn(writer, request, control).await });
    let editor = terminal.is_some().then_some(editor);
    let mut interrupts = Interrupts::default();
    let mut ended_by = None;
    let width = terminal_width();
    let mut transcript = Transcript::new(arguments.format, arguments.quiet, width);
    let outcome = loop {
        tokio::select! {
            heard = heard.recv() => match heard {
                Some(Heard::End(outcome)) => break outcome,
                Some(heard) => transcript.print(&heard, output)?,
                None => break TurnOutcome::Failed { error: "the turn ended without a word".to_owned() },
            },
            signal = signals.next() => match signal {
                Signal::Interrupt => interrupts.interrupt(&handle, editor.as_ref()),
                Signal::End(code) => {
                    ended_by = Some(code);
                    interrupts.cancel(&handle);
                }
            },
            () = interrupts.menu(&handle) => {}
        }
    };
    transcript.print(&Heard::End(outcome.clone()), output)?;
    let finished = finished.await;
    drop(meeting);
    if let Some(original) = copied_from
        && let Ok(FinishedTurn {
            writer: Some(writer),
            outcome,
            ..
        }) = finished
        && kept_copy(writer, &outcome).is_some()
    {
        tell_copied(original, copy);
    }
    if let Some(terminal) = terminal {
        terminal.abort();
    }
    Ok(match ended_by {
        Some(code) => code,
        None if interrupts.is_ending() => INTERRUPTED,
        None => u8::from(outcome != TurnOutcome::Completed),
    })
}

/// Says under which id a conversation of `jp` goes on.
#[expect(
    clippy::print_stderr,
    reason = "the words of the assistant alone go to standard output"
)]
fn tell_copied(original: ConversationId, copy: ConversationId) {
    eprintln!("jp-lsp: `{original}` belongs to jp and stays as it is; its copy `{copy}` goes on");
}

/// Shows prompts in the terminal; it is attached when this returns, so that the first prompt finds it.
async fn attach_terminal(dialogue: TerminalDialogue, broker: Broker) -> JoinHandle<()> {
    let (attached, ready) = oneshot::channel();
    let serving = tokio::spawn(async move {
        let mut serving = Box::pin(Terminal::new(dialogue).serve(&broker));
        let first = poll_fn(|context| Poll::Ready(serving.as_mut().poll(context))).await;
        // Whoever started this waits for nothing else.
        let _ = attached.send(());
        let served = match first {
            Poll::Ready(result) => result,
            Poll::Pending => serving.await,
        };
        if let Err(error) = served {
            tell_unattended(&error);
        }
    });
    // A terminal that fails at once is no terminal, and the broker says that there is nobody.
    let _ = ready.await;
    serving
}

/// Says that prompts are refused from now on.
#[expect(clippy::print_stderr, reason = "this is what standard error is for")]
fn tell_unattended(error: &io::Error) {
    eprintln!("jp-lsp: the terminal cannot be used ({error}): what needs a person is refused");
}

/// What a turn says.
#[derive(Debug, Clone)]
enum Heard {
    Committed(ConversationId, Box<ConversationEvent>),
    Text(ConversationId, String),
    Notice(String),
    /// How full the model's window is.
    Fill(String),
    /// An attempt failed and another follows: of interest only to who reads everything.
    Retrying(String),
    End(TurnOutcome),
}

/// Passes on what a turn says.
#[derive(Debug)]
struct Ear {
    sender: mpsc::UnboundedSender<Heard>,
    /// Whether a person is told how full the model's window is.
    tells_usage: bool,
}

impl Ear {
    fn pass(&self, heard: Heard) {
        // Whoever listened has gone; the turn is recorded all the same.
        let _ = self.sender.send(heard);
    }
}

impl EventSink for Ear {
    fn committed(&self, conversation: ConversationId, event: &ConversationEvent) {
        self.pass(Heard::Committed(conversation, Box::new(event.clone())));
    }

    fn delta_text(&self, conversation: ConversationId, text: &str) {
        self.pass(Heard::Text(conversation, text.to_owned()));
    }

    fn notice(&self, _: ConversationId, text: &str) {
        self.pass(Heard::Notice(text.to_owned()));
    }

    fn usage(&self, _: ConversationId, usage: &Usage, window: Option<u64>) {
        if self.tells_usage
            && let Some(text) = context_fill(usage, window)
        {
            self.pass(Heard::Fill(text));
        }
    }

    fn tells_usage(&self) -> bool {
        self.tells_usage
    }

    fn retrying(&self, _: ConversationId, text: &str) {
        self.pass(Heard::Retrying(text.to_owned()));
    }

    fn turn_end(&self, _: ConversationId, outcome: &TurnOutcome) {
        self.pass(Heard::End(outcome.clone()));
    }
}
