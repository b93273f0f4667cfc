//! One process of a tool, from start to the end of all its descendants.
//!
//! ```text
//! spawn in a group of its own -> write the input -> read both outputs -> wait -> kill what is left
//! ```
//!
//! Whatever the process does, there is one clear end: it exits, runs out of time, writes too much, or is cancelled.

use std::io;
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use camino::Utf8Path;
use jp_sandbox::Profile;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWriteExt as _};
use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;

use crate::environment::Variables;
use crate::group::{Group, Prepared};

/// What Linux allows for one argument, the final NUL included.
const MAX_ARGUMENT: usize = 128 * 1024;

/// How much of standard error is kept.
const MAX_STDERR: usize = 64 * 1024;

/// How long a process outside of the group may keep the outputs open after the tool itself has ended.
const DRAIN: Duration = Duration::from_secs(2);

/// What a process may use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProcessLimits {
    /// How long it may run. Default 10 minutes.
    pub timeout: Duration,
    /// How many bytes it may write to standard output. Default 1 MiB.
    pub output: usize,
}

impl Default for ProcessLimits {
    fn default() -> Self {
        Self {
            timeout: Duration::from_secs(600),
            output: 1024 * 1024,
        }
    }
}

/// How a process ended.
#[derive(Debug)]
pub(crate) enum Ended {
    /// By itself, or by a signal of somebody else.
    Exited {
        status: ExitStatus,
        stdout: Vec<u8>,
        stderr: Vec<u8>,
    },
    /// It ran out of time and was killed.
    TimedOut,
    /// It wrote more than allowed and was killed.
    Flooded,
    /// It was cancelled and killed.
    Cancelled,
}

/// Why a process did not start.
#[derive(Debug, thiserror::Error)]
pub(crate) enum StartError {
    /// There is nothing to start.
    #[error("the command is empty")]
    Empty,
    /// An argument is larger than the operating system takes.
    #[error(
        "argument {index} of its command is {size} bytes and the operating system takes {}; \
         drop `{{{{tool}}}}` and `{{{{context}}}}` from the command, then the tool gets its input on standard input",
        MAX_ARGUMENT - 1
    )]
    ArgumentTooLarge {
        /// Which argument, the program is 0.
        index: usize,
        /// How large it is.
        size: usize,
    },
    /// The operating system refuses.
    #[error("`{program}` cannot be started: {error}")]
    Io {
        /// The program.
        program: String,
        /// What it says.
        error: io::Error,
    },
}

/// Where a process finds itself.
#[derive(Debug)]
pub(crate) struct Surroundings<'a> {
    /// The working directory.
    pub(crate) directory: &'a Utf8Path,
    /// The whole environment; programs are searched in its `PATH`.
    pub(crate) variables: Variables,
    /// What holds it; nothing where there is none.
    pub(crate) profile: Option<&'a Profile>,
}

/// Runs `argv` until it has ended.
pub(crate) async fn run(
    argv: &[String],
    surroundings: Surroundings<'_>,
    input: Option<Vec<u8>>,
    limits: ProcessLimits,
    cancel: &CancellationToken,
) -> Result<Ended, StartError> {
    let (program, arguments) = argv.split_first().ok_or(StartError::Empty)?;
    let too_large = |(_, argument): &(usize, &String)| argument.len() >= MAX_ARGUMENT;
    if let Some((index, argument)) = argv.iter().enumerate().find(too_large) {
        return Err(StartError::ArgumentTooLarge {
            index,
            size: argument.len(),
        });
    }
    let failed = |error| StartError::Io {
        program: program.clone(),
        error,
    };
    let mut prepared = Prepared::tool(program, surroundings.profile).map_err(failed)?;
    prepared
        .command
        .args(arguments)
        .current_dir(surroundings.directory)
        .env_clear()
        .envs(surroundings.variables)
        .stdin(if input.is_some() {
            Stdio::piped()
        } else {
            Stdio::null()
        })
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut group = prepared.spawn().await.map_err(failed)?;
    let ended = tokio::select! {
        biased;
        () = cancel.cancelled() => Ended::Cancelled,
        () = sleep(limits.timeout) => Ended::TimedOut,
        ended = talk(&mut group, input, limits.output) => ended.map_err(failed)?,
    };
    group.end().await;
    Ok(ended)
}

/// Writes the input, reads the outputs and waits, all at the same time.
async fn talk(group: &mut Group, input: Option<Vec<u8>>, limit: usize) -> io::Result<Ended> {
    let child = &mut group.child;
    let (stdin, stdout, stderr) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
    let write = async {
        if let (Some(mut stdin), Some(input)) = (stdin, input) {
            // A tool need not read its input.
            let _ = stdin.write_all(&input).await;
        }
        std::future::pending::<()>().await;
    };
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let exited = {
        let read = async {
            let stderr = async {
                read_some(stderr, &mut err, MAX_STDERR, true).await;
            };
            let stdout = read_some(stdout, &mut out, limit, false);
            tokio::pin!(stderr, stdout);
            let mut stderr_open = true;
            let flooded = loop {
                tokio::select! {
                    flooded = &mut stdout => break flooded,
                    () = &mut stderr, if stderr_open => stderr_open = false,
                }
            };
            if stderr_open && !flooded {
                stderr.await;
            }
            flooded
        };
        tokio::pin!(read, write);
        let mut reading = true;
        let status = {
            let wait = group.wait();
            tokio::pin!(wait);
            loop {
                tokio::select! {
                    flooded = &mut read, if reading => {
                        if flooded {
                            break None;
                        }
                        reading = false;
                    }
                    () = &mut write => {}
                    status = &mut wait => break Some(status?),
                }
            }
        };
        match status {
            Some(status) => {
                // Descendants that still hold the outputs would keep them open for ever.
                group.kill();
                if reading && timeout(DRAIN, read).await == Ok(true) {
                    None
                } else {
                    Some(status)
                }
            }
            None => None,
        }
    };
    Ok(match exited {
        Some(status) => Ended::Exited {
            status,
            stdout: out,
            stderr: err,
        },
        None => Ended::Flooded,
    })
}

/// Reads until the end and returns whether there was more than `limit` bytes.
///
/// With `forget` the rest is read and dropped, so that the writer is not blocked.
async fn read_some(
    source: Option<impl AsyncRead + Unpin>,
    into: &mut Vec<u8>,
    limit: usize,
    forget: bool,
) -> bool {
    let Some(mut source) = source else {
        return false;
    };
    let mut buffer = vec![0; 16 * 1024];
    loop {
        let Ok(count @ 1..) = source.read(&mut buffer).await else {
            return false;
        };
        let room = limit.saturating_sub(into.len());
        into.extend_from_slice(buffer.get(..count.min(room)).unwrap_or_default());
        if count > room && !forget {
            return true;
        }
    }
}

#[cfg(test)]
#[path = "process_tests.rs"]
mod tests;
