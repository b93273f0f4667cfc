//! The `jp-lsp` binary.
//!
//! ```text
//! jp-lsp          # speaks the language server protocol on standard input and output, or the plugin protocol of `jp`
//! ```

use std::{
    fmt::Display,
    io::{self, IsTerminal as _},
    panic,
    process::ExitCode,
};

use bytes::Bytes;
use clap::{ColorChoice, CommandFactory as _, Parser, Subcommand};
use jp_lsp::cli::{
    conversation::{self, ConversationArguments},
    demo,
    doctor::{self, DoctorArguments},
    init::{self, InitArguments},
    query::{self, QueryArguments},
};
use jp_lsp::{
    cli::{
        acp,
        check::{self, CheckArguments},
        completions::{self, CompletionsArguments},
        diff::{self, DiffArguments},
        explain::{self, ExplainArguments},
        history::{self, HistoryArguments},
        key::{self, KeyArguments},
        man::{self, ManArguments},
        plugin,
        schema::{self, SchemaArguments},
        suggest::{self, SuggestArguments},
        test::{self, TestArguments},
        trust::{self, TrustArguments},
    },
    session::config_engine::ConfigEngine,
    wire::{Opening, opening},
};
use tracing_subscriber::EnvFilter;

/// The allocator of a static binary, since musl's own takes a lock for all threads.
#[cfg(target_env = "musl")]
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// How much output is collected before it is written.
const BUFFER: usize = 64 << 10;

/// The exit code of a command whose reader has gone: what shells report for a program that `SIGPIPE` ended.
const CUT_OFF: u8 = 141;

/// A language server for the config of the LLM assistant `jp`.
#[derive(Debug, Parser)]
#[command(name = "jp-lsp", version)]
struct Arguments {
    /// Whether what is printed for people has colours; by itself it has them in a terminal, unless `NO_COLOR` is set.
    #[arg(long, global = true, value_name = "WHEN", default_value_t = ColorChoice::Auto)]
    color: ColorChoice,
    /// Accepted because editors pass it; standard input and output are the only way to talk.
    #[arg(long, hide = true)]
    stdio: bool,
    #[command(subcommand)]
    command: Option<Command>,
}

impl Arguments {
    /// Whether what goes to a terminal, or to something else, has colours.
    fn colors(&self, is_terminal: bool) -> bool {
        let is_set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
        match self.color {
            ColorChoice::Always => true,
            ColorChoice::Never => false,
            ColorChoice::Auto => {
                let is_dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
                is_terminal && !is_set("NO_COLOR") && !is_dumb
            }
        }
    }
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Speaks the language server protocol on standard input and output; the default.
    Lsp {
        /// Accepted because editors pass it; standard input and output are the only way to talk.
        #[arg(long, hide = true)]
        stdio: bool,
    },
    /// Speaks the Agent Client Protocol on standard input and output: the agent, for editors that bring their own chat.
    Acp,
    /// Checks workspaces, folders or files, and prints what is wrong.
    Check(CheckArguments),
    /// Runs one turn of the agent in the terminal.
    Query(QueryArguments),
    /// Looks into the conversations of a workspace.
    Conversation(ConversationArguments),
    /// Tells what a change of config tightens or loosens, with a call that shows it.
    ///
    /// Exits with 3 where something is or may be loosened, unless `--fail-on` says otherwise.
    Diff(DiffArguments),
    /// Shows the whole thing on a built-in workspace with a scripted model.
    Demo,
    /// Writes a first `.jp/config.toml`: a model, a policy that asks, and one tool.
    Init(InitArguments),
    /// Tells what is installed, what is trusted, and whether a turn can begin.
    Doctor(DoctorArguments),
    /// Tells what the config decides about calls, accesses or values, and why.
    Explain(ExplainArguments),
    /// Tells what the rules of today decide about the calls that are on record; runs nothing.
    History(HistoryArguments),
    /// Keeps keys of providers in the keyring of the system, for when the environment has none.
    Key(KeyArguments),
    /// Prints what a shell needs to complete our commands and options.
    Completions(CompletionsArguments),
    /// Writes a manual page for each command into a folder.
    Man(ManArguments),
    /// Prints a JSON Schema.
    Schema(SchemaArguments),
    /// Suggests rules that would have answered what a person was asked, each proven; writes nothing.
    Suggest(SuggestArguments),
    /// Holds the examples in `.jp/policy.tests.toml` against the rules; runs nothing.
    ///
    /// Exits with 1 where an example does not hold, and with 2 where the file cannot be read as it is.
    Test(TestArguments),
    /// Shows what a workspace starts and sends, and records that this is trusted.
    Trust(TrustArguments),
}

fn main() -> ExitCode {
    if let Some(code) = serve_a_tool() {
        return code;
    }
    trace_to_stderr();
    let arguments = Arguments::parse();
    jp_agent::color_prompts(arguments.colors(io::stderr().is_terminal()));
    let is_colored = arguments.colors(io::stdout().is_terminal());
    match arguments.command {
        None if arguments.stdio => serve(Bytes::new()),
        None => match opening() {
            Opening::Lines => plugin(),
            Opening::Frames(taken) => serve(taken),
        },
        Some(Command::Lsp { .. }) => serve(Bytes::new()),
        // Not by `print`, which keeps standard output to itself.
        Some(Command::Acp) => match acp::run() {
            Ok(code) => ExitCode::from(code),
            Err(error) => fail(&error.to_string()),
        },
        Some(Command::Query(arguments)) => print(|output| query::run(&arguments, output)),
        Some(Command::Conversation(arguments)) => {
            print(|output| conversation::run(&arguments, output))
        }
        Some(Command::Init(arguments)) => print(|output| init::run(&arguments, output)),
        Some(Command::Doctor(arguments)) => print(|output| doctor::run(&arguments, output)),
        Some(Command::Demo) => print(demo::run),
        Some(Command::Check(arguments)) => {
            print(|output| check::run(&arguments, is_colored, output))
        }
        Some(Command::Diff(arguments)) => print(|output| diff::run(&arguments, output)),
        Some(Command::Explain(arguments)) => {
            let input = Some(io::stdin().lock()).filter(|input| !input.is_terminal());
            print(|output| explain::run(&arguments, input, output))
        }
        Some(Command::History(arguments)) => print(|output| history::run(&arguments, output)),
        Some(Command::Key(arguments)) => print(|output| key::run(&arguments, output)),
        Some(Command::Suggest(arguments)) => print(|output| suggest::run(&arguments, output)),
        Some(Command::Test(arguments)) => print(|output| test::run(&arguments, output)),
        Some(Command::Completions(arguments)) => {
            print(|output| completions::run(&arguments, Arguments::command(), output))
        }
        Some(Command::Man(arguments)) => {
            print(|output| man::run(&arguments, Arguments::command(), output))
        }
        Some(Command::Trust(arguments)) => print(|output| trust::run(&arguments, output)),
        Some(Command::Schema(arguments)) => print(|output| schema::run(&arguments, output)),
    }
}

/// Serves an editor, of whose input this much was taken already.
fn serve(taken: Bytes) -> ExitCode {
    match jp_lsp::server::run(ConfigEngine::default(), taken) {
        Ok(code) => code,
        Err(error) => {
            tracing::error!(%error, "the server cannot start");
            ExitCode::from(1)
        }
    }
}

/// Serves `jp`, which speaks lines to what it takes for a subcommand of its own.
fn plugin() -> ExitCode {
    let commands = Arguments::command().mut_subcommand("lsp", |lsp| lsp.hide(true));
    match plugin::run(&commands, io::stdin(), &mut io::stdout().lock()) {
        Ok(code) => ExitCode::from(code),
        Err(error) => fail(&error.to_string()),
    }
}

/// Supervises a tool's processes, or holds one of them to its grants, where the runtime has started this program for
/// that.
#[cfg(target_os = "linux")]
fn serve_a_tool() -> Option<ExitCode> {
    let code = jp_agent::supervise(std::env::args_os())
        .or_else(|| jp_agent::confine_tool(std::env::args_os()));
    if code.is_none() {
        jp_agent::enable_supervision();
    }
    code
}

/// Only Linux hands orphans to a supervisor, and lets a process hold itself.
#[cfg(not(target_os = "linux"))]
const fn serve_a_tool() -> Option<ExitCode> {
    None
}

/// Runs a command that prints, and gives its exit code: its own, or 2 with a word on standard error.
///
/// Whoever reads may stop early, as `head` does; the command then ends without a word.
fn print<E: Display>(command: impl FnOnce(&mut dyn io::Write) -> Result<u8, E>) -> ExitCode {
    let mut output = Printed {
        inner: io::BufWriter::with_capacity(BUFFER, io::stdout().lock()),
        is_cut_off: false,
    };
    let result = command(&mut output);
    let flushed = io::Write::flush(&mut output);
    match (result, flushed) {
        _ if output.is_cut_off => ExitCode::from(CUT_OFF),
        (Ok(code), Ok(())) => ExitCode::from(code),
        (Ok(_), Err(error)) => fail(&error.to_string()),
        (Err(error), _) => fail(&error.to_string()),
    }
}

/// Standard output that remembers whether its reader has gone.
struct Printed<W> {
    inner: W,
    is_cut_off: bool,
}

impl<W> Printed<W> {
    fn noted<T>(&mut self, done: io::Result<T>) -> io::Result<T> {
        let is_broken = |error: &io::Error| error.kind() == io::ErrorKind::BrokenPipe;
        self.is_cut_off |= done.as_ref().is_err_and(is_broken);
        done
    }
}

impl<W: io::Write> io::Write for Printed<W> {
    fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
        let done = self.inner.write(buffer);
        self.noted(done)
    }

    fn flush(&mut self) -> io::Result<()> {
        let done = self.inner.flush();
        self.noted(done)
    }
}

#[expect(clippy::print_stderr, reason = "this is what standard error is for")]
fn fail(message: &str) -> ExitCode {
    eprintln!("jp-lsp: {message}");
    ExitCode::from(2)
}

/// Standard output belongs to the protocol, so everything else goes to standard error.
fn trace_to_stderr() {
    let filter = EnvFilter::try_from_env("JP_LSP_LOG").unwrap_or_else(|_| EnvFilter::new("warn"));
    tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(io::stderr)
        .with_ansi(false)
        .init();
    panic::set_hook(Box::new(|panic| tracing::error!("{panic}")));
}
