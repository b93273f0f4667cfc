//! A command of this program as a process of its own, whose words come as messages.
//!
//! ```text
//! its standard output   Event::Printed
//! its standard error    Event::Complained
//! ```
//!
//! Standard input belongs to the host, so the command has none and meets nobody to ask.
//! Only `doctor` reads the config there that `jp` resolved.

use std::{
    io::{self, BufRead, BufReader, Read, Write},
    process::{Child, Command, Stdio},
    sync::mpsc::SyncSender,
    thread,
    time::Duration,
};

use camino::Utf8Path;
use serde_json::Value;

use super::message::Init;

/// How long a command may take to stop before it is killed: less than `jp` grants the plugin.
pub(super) const GRACE: Duration = Duration::from_secs(2);

/// The command that compares its view with what `jp` resolved.
const DOCTOR: &str = "doctor";

/// What happens while a command runs.
#[derive(Debug)]
pub(super) enum Event {
    /// A line on the command's standard output.
    Printed(Vec<u8>),
    /// A line on its standard error.
    Complained(Vec<u8>),
    /// One of its two outputs has ended.
    Ended,
    /// A line of the host.
    Said(Vec<u8>),
    /// The host does not read any more.
    Left,
}

/// Starts the command that the host asks for.
///
/// It runs where the person is, or in the workspace where `jp` was pointed to another one.
/// `subcommand` is the one that its arguments name.
pub(super) fn start(
    init: &Init,
    subcommand: Option<&str>,
    events: &SyncSender<Event>,
) -> io::Result<Child> {
    let mut command = Command::new(std::env::current_exe()?);
    let mut arguments = init.args.clone();
    let named = arguments.iter().position(|word| word == DOCTOR);
    let named = named.filter(|_| subcommand == Some(DOCTOR));
    if let Some(index) = named {
        arguments.insert(index + 1, "--resolved".to_owned());
    }
    command
        .args(arguments)
        .stdin(named.map_or_else(Stdio::null, |_| Stdio::piped()))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    if !is_inside(&init.workspace.root) {
        command.current_dir(&init.workspace.root);
    }
    if std::env::var_os("JP_LSP_LOG").is_none() {
        command.env("JP_LSP_LOG", filter(init.log_level));
    }
    let mut child = command.spawn()?;
    if let Some(input) = child.stdin.take() {
        tell(input, init.config.clone())?;
    }
    if let Some(output) = child.stdout.take() {
        follow(output, events.clone(), Event::Printed)?;
    }
    if let Some(output) = child.stderr.take() {
        follow(output, events.clone(), Event::Complained)?;
    }
    Ok(child)
}

/// Asks the command to stop, where the system can ask; else it is killed.
pub(super) fn stop(child: &mut Child) -> io::Result<()> {
    #[cfg(unix)]
    if let Some(id) = i32::try_from(child.id())
        .ok()
        .and_then(rustix::process::Pid::from_raw)
    {
        return Ok(rustix::process::kill_process(
            id,
            rustix::process::Signal::TERM,
        )?);
    }
    child.kill()
}

/// Writes the config that `jp` resolved, however slowly it is read; a command that does not read it has ended.
fn tell(mut input: impl Write + Send + 'static, config: Value) -> io::Result<()> {
    thread::Builder::new().spawn(move || {
        let _ = input.write_all(config.to_string().as_bytes());
    })?;
    Ok(())
}

/// Sends each line as an event, until nothing more comes or nobody listens.
fn follow(
    output: impl Read + Send + 'static,
    events: SyncSender<Event>,
    event: fn(Vec<u8>) -> Event,
) -> io::Result<()> {
    thread::Builder::new().spawn(move || {
        let mut output = BufReader::new(output);
        let mut line = Vec::new();
        while output
            .read_until(b'\n', &mut line)
            .is_ok_and(|read| read > 0)
        {
            if events.send(event(std::mem::take(&mut line))).is_err() {
                return;
            }
        }
        let _ = events.send(Event::Ended);
    })?;
    Ok(())
}

/// Whether the working directory lies in a folder.
fn is_inside(root: &Utf8Path) -> bool {
    let here = std::env::current_dir().and_then(|here| here.canonicalize());
    here.is_ok_and(|here| root.canonicalize().is_ok_and(|root| here.starts_with(root)))
}

/// The host's verbosity as a filter of traces.
const fn filter(level: u8) -> &'static str {
    match level {
        0 => "error",
        1 => "warn",
        2 => "info",
        3 => "debug",
        _ => "trace",
    }
}
