//! `jp lsp`: the command line as a subcommand of `jp`.
//!
//! ```text
//! jp     {"type":"init","version":1,"workspace":{"root":"/work/project",…},"args":["check","."],…}
//! jp-lsp {"type":"ready"}
//!        {"type":"print","text":"0 errors, 0 warnings\n","channel":"content","format":"plain"}
//!        {"type":"exit","code":0}
//! ```
//!
//! `jp` starts any `jp-NAME` on `PATH` without arguments and speaks lines of JSON to it (RFD 072).

mod child;
mod message;

use std::{
    io::{self, BufRead, BufReader, Read, Write},
    process::Child,
    sync::mpsc::{self, Receiver, RecvTimeoutError, SyncSender},
    thread,
    time::Instant,
};

use super::unread;
use crate::published::REPOSITORY;

use self::{
    child::{Event, GRACE},
    message::{HostMessage, Init, PluginMessage},
};

/// The most of one message that is read, in bytes.
const MAXIMUM_MESSAGE: u64 = 64 << 20;
/// How many events may wait for the host to read.
const AHEAD: usize = 64;
/// How much of what a command complains about is said as the reason of its failure, in bytes.
const MAXIMUM_REASON: usize = 8 << 10;
/// The exit code of a command line that cannot be followed.
const USAGE: u8 = 2;
/// The exit code of a command that was asked to stop.
const INTERRUPTED: u8 = 130;

/// Answers `jp` on `input` and `output`; `commands` is what there is to run.
///
/// Answers the exit code, which the host was told too.
///
/// # Errors
///
/// The host does not read, or does not speak.
pub fn run(
    commands: &clap::Command,
    input: impl Read + Send + 'static,
    output: &mut dyn Write,
) -> io::Result<u8> {
    let mut input = BufReader::new(input);
    let line = read_line(&mut input)?.unwrap_or_default();
    match message::parse(&line) {
        Ok(HostMessage::Describe) => {
            describe(commands, output)?;
            Ok(0)
        }
        Ok(HostMessage::Shutdown) => exit(0, "", output),
        Ok(HostMessage::Init(init)) => serve(commands, &init, input, output),
        Err(error) => exit(USAGE, &error.to_string(), output),
    }
}

fn describe(commands: &clap::Command, output: &mut dyn Write) -> io::Result<()> {
    PluginMessage::Describe {
        name: "lsp",
        version: env!("CARGO_PKG_VERSION"),
        description: "Checks and explains the config of jp, and runs its tools under grants and policies",
        command: ["lsp"],
        help: &help(commands),
        repository: REPOSITORY,
    }
    .send(output)
}

/// What `jp lsp -h` prints.
fn help(commands: &clap::Command) -> String {
    let mut commands = commands.clone().bin_name("jp lsp");
    commands.render_help().to_string()
}

/// Runs one command and tells the host what it says.
fn serve(
    commands: &clap::Command,
    init: &Init,
    input: impl BufRead + Send + 'static,
    output: &mut dyn Write,
) -> io::Result<u8> {
    PluginMessage::Ready.send(output)?;
    let words = std::iter::once("jp-lsp").chain(init.args.iter().map(String::as_str));
    let matches = commands.clone().try_get_matches_from(words).ok();
    let subcommand = matches.as_ref().and_then(clap::ArgMatches::subcommand_name);
    match (init.args.first().map(String::as_str), subcommand) {
        (None | Some("-h" | "--help" | "help"), _) if init.args.len() <= 1 => {
            print(&help(commands), output)?;
            return exit(0, "", output);
        }
        (_, Some(command @ ("lsp" | "acp"))) => {
            let reason = format!(
                "`{command}` speaks on standard input and output, which `jp` holds: have the client start `jp-lsp {command}`"
            );
            return exit(USAGE, &reason, output);
        }
        _ => {}
    }
    let (sender, events) = mpsc::sync_channel(AHEAD);
    let mut child = match child::start(init, subcommand, &sender) {
        Ok(child) => child,
        Err(error) => {
            let reason = format!(
                "the command cannot be started in `{}`: {error}",
                init.workspace.root
            );
            return exit(USAGE, &reason, output);
        }
    };
    listen(input, sender.clone())?;
    thread::Builder::new().spawn(move || {
        unread::wait();
        let _ = sender.send(Event::Left);
    })?;
    let told = tell(&mut child, &events, output);
    if told.is_err() {
        let _ = child.kill();
    }
    let status = child.wait()?;
    let told = told?;
    let code = match status.code() {
        _ if told.is_stopped => INTERRUPTED,
        Some(code) => u8::try_from(code).unwrap_or(u8::MAX),
        None => return exit(1, &format!("the command ended by itself: {status}"), output),
    };
    exit(code, &told.complaint, output)
}

/// What was heard of a command that has ended.
#[derive(Debug, Default)]
struct Told {
    /// The last of what stood on its standard error.
    complaint: String,
    /// Whether the host wanted it to stop.
    is_stopped: bool,
}

/// Tells the host what the command says, until it says no more.
///
/// A command whose host has gone is asked to stop, and killed where it does not.
///
/// # Errors
///
/// The host does not read; the command has ended then, or was killed.
fn tell(child: &mut Child, events: &Receiver<Event>, output: &mut dyn Write) -> io::Result<Told> {
    let mut told = Told::default();
    let mut open = 2;
    let mut deadline = None;
    let mut heard = Ok(());
    while open > 0 {
        let event = match deadline {
            None => events.recv().map_err(|_| RecvTimeoutError::Disconnected),
            Some(deadline) => events.recv_timeout(Instant::saturating_duration_since(
                &deadline,
                Instant::now(),
            )),
        };
        let done = match event {
            Ok(Event::Ended) => {
                open -= 1;
                Ok(())
            }
            Err(RecvTimeoutError::Timeout) => {
                child.kill()?;
                break;
            }
            Err(RecvTimeoutError::Disconnected) => break,
            // Nobody is there to be told.
            Ok(_) if heard.is_err() => Ok(()),
            Ok(Event::Left) => Err(io::ErrorKind::BrokenPipe.into()),
            Ok(Event::Printed(line)) => print(&String::from_utf8_lossy(&line), output),
            Ok(Event::Complained(line)) => complain(&line, &mut told.complaint, output),
            Ok(Event::Said(line)) => match message::parse(&line) {
                Ok(HostMessage::Shutdown) => {
                    told.is_stopped = true;
                    deadline = Some(Instant::now() + GRACE);
                    child::stop(child)
                }
                Ok(HostMessage::Describe | HostMessage::Init(_)) => {
                    log("error", "a command runs: only `shutdown` is heeded", output)
                }
                Err(error) => log("error", &error.to_string(), output),
            },
        };
        if heard.is_ok() && done.is_err() {
            deadline = Some(Instant::now() + GRACE);
            child::stop(child)?;
            heard = done;
        }
    }
    heard.map(|()| told)
}

/// Logs a line of the command's standard error, and keeps it for the reason of a failure, unless it is a note beside it.
fn complain(line: &[u8], complaint: &mut String, output: &mut dyn Write) -> io::Result<()> {
    let line = String::from_utf8_lossy(line);
    let line = line.trim_end();
    if !line.starts_with("note: ") {
        complaint.push_str(line.strip_prefix("jp-lsp: ").unwrap_or(line));
        complaint.push('\n');
    }
    let surplus = complaint.len().saturating_sub(MAXIMUM_REASON);
    complaint.drain(..complaint.ceil_char_boundary(surplus));
    match line.is_empty() {
        true => Ok(()),
        false => log(level(line), line, output),
    }
}

/// The level of a line that may be a trace, such as `2026-11-22T21:00:00Z  INFO jp_lsp: loaded`.
fn level(line: &str) -> &'static str {
    match line.split_whitespace().nth(1) {
        Some("ERROR") => "error",
        Some("INFO") => "info",
        Some("DEBUG") => "debug",
        Some("TRACE") => "trace",
        _ => "warn",
    }
}

fn print(text: &str, output: &mut dyn Write) -> io::Result<()> {
    PluginMessage::Print {
        text,
        channel: "content",
        format: "plain",
    }
    .send(output)
}

fn log(level: &'static str, message: &str, output: &mut dyn Write) -> io::Result<()> {
    PluginMessage::Log { level, message }.send(output)
}

/// Says the last word; the reason stands only where the code is not 0.
fn exit(code: u8, reason: &str, output: &mut dyn Write) -> io::Result<u8> {
    let reason = Some(reason.trim_end()).filter(|reason| code != 0 && !reason.is_empty());
    PluginMessage::Exit { code, reason }.send(output)?;
    Ok(code)
}

/// Hears the host while a command runs.
fn listen(mut input: impl BufRead + Send + 'static, events: SyncSender<Event>) -> io::Result<()> {
    thread::Builder::new().spawn(move || {
        while let Ok(Some(line)) = read_line(&mut input) {
            let is_blank = line.iter().all(u8::is_ascii_whitespace);
            if !is_blank && events.send(Event::Said(line)).is_err() {
                return;
            }
        }
    })?;
    Ok(())
}

/// The next line, or what there is of it; none at the end of the input.
fn read_line(input: &mut impl BufRead) -> io::Result<Option<Vec<u8>>> {
    let mut line = Vec::new();
    let read = input
        .by_ref()
        .take(MAXIMUM_MESSAGE)
        .read_until(b'\n', &mut line)?;
    Ok((read > 0).then_some(line))
}
