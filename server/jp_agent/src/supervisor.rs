//! The parent of a tool's processes: whatever they do, it finds them and ends them.
//!
//! ```text
//! jp-lsp supervise-tool HOST CONTROL REPORT sh -c "setsid server &"
//! ```
//!
//! Linux gives orphans to the nearest ancestor that wants them, and a supervisor wants them.
//! So a process that has left its group, its session or its parent is still a child of the supervisor in the end, and
//! is killed when the tool ends, when the runtime asks for it, and when the runtime is gone, however that ends.
//!
//! Runtime and supervisor talk over two pipes: the end of the first one asks for the end of everything, and on the
//! second the supervisor says `started PID`, `failed ERRNO` and `ended STATUS`.
//! The supervisor opens them through `/proc`, since a file number of another process is nothing that safe code can use.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io::{self, PipeReader, PipeWriter, Read as _, Write as _};
use std::os::fd::AsRawFd as _;
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::process::{self, ExitCode, ExitStatus};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::thread;

use rustix::io::Errno;
use rustix::process::{
    Pid, Signal, WaitId, WaitIdOptions, WaitOptions, getpid, kill_process, kill_process_group,
    set_child_subreaper, wait, waitid,
};
use rustix::stdio::{dup2_stderr, dup2_stdin, dup2_stdout};
use tokio::process::Child;
use tokio::runtime;
use tokio::signal::unix::{SignalKind, signal};

use crate::group::Ends;
use crate::report::Report;

/// The running program itself, also after its file was replaced.
pub(crate) const PROGRAM: &str = "/proc/self/exe";

/// The first argument of a process that is the supervisor of a tool, which ends with its program.
const TOOL: &str = "supervise-tool";

/// The first argument of a process that is the supervisor of a server, in whose place a descendant may go on.
const SERVER: &str = "supervise-server";

/// Whether this program serves as supervisor when it is asked to.
static ENABLED: OnceLock<bool> = OnceLock::new();

/// Says that `main` of this program begins with [`supervise`], so that tools may be started under it.
///
/// Has no effect where `/proc` is not what it should be.
pub fn enable_supervision() {
    let descriptors = format!("/proc/{}/fd", process::id());
    ENABLED.get_or_init(|| fs::read_dir(descriptors).is_ok() && fs::metadata(PROGRAM).is_ok());
}

pub(crate) fn is_enabled() -> bool {
    ENABLED.get().copied().unwrap_or(false)
}

/// The runtime's side of a supervisor. Dropping it ends everything.
#[derive(Debug)]
pub(crate) struct Link {
    /// Its end asks for the end of everything.
    control: Option<PipeWriter>,
    /// The supervisor's ends, which stay open until it has opened them.
    theirs: Option<(PipeReader, PipeWriter)>,
    report: Report,
    group: Option<Pid>,
}

impl Link {
    pub(crate) fn new() -> io::Result<Self> {
        let (their_control, control) = io::pipe()?;
        let (report, their_report) = io::pipe()?;
        Ok(Self {
            control: Some(control),
            theirs: Some((their_control, their_report)),
            report: Report::new(report)?,
            group: None,
        })
    }

    /// What stands before the program and its arguments.
    pub(crate) fn arguments(&self, ends: Ends) -> Vec<String> {
        let word = match ends {
            Ends::WithTheProgram => TOOL,
            Ends::WhenAsked => SERVER,
        };
        let numbers = self
            .theirs
            .iter()
            .flat_map(|(control, report)| [control.as_raw_fd(), report.as_raw_fd()])
            .map(|number| number.to_string());
        [word.to_owned(), process::id().to_string()]
            .into_iter()
            .chain(numbers)
            .collect()
    }

    /// Waits until the supervisor has started the program, or says why it cannot.
    pub(crate) async fn started(&mut self, supervisor: &mut Child) -> io::Result<()> {
        let told = self.report.first_line(supervisor, &mut self.theirs).await;
        match told.split_once(' ') {
            Some(("started", pid)) => {
                self.group = pid.parse().ok().and_then(Pid::from_raw);
                Ok(())
            }
            Some(("failed", number)) if number.parse::<i32>().is_ok_and(|number| number != 0) => {
                Err(io::Error::from_raw_os_error(
                    number.parse().unwrap_or_default(),
                ))
            }
            _ => Err(io::Error::other("its supervisor does not start")),
        }
    }

    /// How the program has ended, after the supervisor has.
    pub(crate) async fn ended(&mut self, supervisor: ExitStatus) -> ExitStatus {
        let told = self.report.line().await;
        match told.split_once(' ') {
            Some(("ended", status)) => status.parse().map_or(supervisor, ExitStatus::from_raw),
            _ => {
                // Somebody has killed the supervisor, and what is left of the group has no other end.
                self.kill_group();
                supervisor
            }
        }
    }

    /// Ends everything; the supervisor needs a moment for it.
    pub(crate) fn kill(&mut self) {
        self.control = None;
    }

    fn kill_group(&self) {
        if let Some(group) = self.group {
            // There may be nothing left to kill.
            let _ = kill_process_group(group, Signal::KILL);
        }
    }
}

/// Serves as the supervisor of one tool if the arguments of this program ask for it; none if they do not.
#[must_use]
pub fn supervise(arguments: impl IntoIterator<Item = OsString>) -> Option<ExitCode> {
    let mut arguments = arguments.into_iter().skip(1);
    let word = arguments.next()?;
    let ends = match word.to_str()? {
        TOOL => Ends::WithTheProgram,
        SERVER => Ends::WhenAsked,
        _ => return None,
    };
    Some(match serve(ends, arguments) {
        Ok(()) => ExitCode::SUCCESS,
        // The runtime reads the pipes, and where those do not open there is nobody to tell.
        Err(_) => ExitCode::FAILURE,
    })
}

fn serve(ends: Ends, mut arguments: impl Iterator<Item = OsString>) -> io::Result<()> {
    let mut next = || {
        arguments
            .next()
            .ok_or_else(|| io::Error::from(io::ErrorKind::InvalidInput))
    };
    let (host, control, report) = (next()?, next()?, next()?);
    let program = next()?;
    let descriptor = |number: OsString| {
        let mut path = OsString::from("/proc/");
        path.push(&host);
        path.push("/fd/");
        path.push(number);
        path
    };
    let mut control = File::open(descriptor(control))?;
    let mut report = OpenOptions::new().write(true).open(descriptor(report))?;
    set_child_subreaper(Some(getpid()))?;
    outlive_signals()?;

    let mut command = process::Command::new(program);
    command.args(arguments).process_group(0);
    let tool = match command.spawn() {
        Ok(child) => child,
        Err(error) => {
            let number = error.raw_os_error().unwrap_or_default();
            return writeln!(report, "failed {number}");
        }
    };
    writeln!(report, "started {}", tool.id())?;
    // The streams are the tool's alone, so that they end when it closes them.
    let nowhere = OpenOptions::new()
        .read(true)
        .write(true)
        .open("/dev/null")?;
    dup2_stdin(&nowhere)?;
    dup2_stdout(&nowhere)?;
    dup2_stderr(&nowhere)?;

    let family = Arc::new(Family {
        tool: i32::try_from(tool.id()).ok().and_then(Pid::from_raw),
        ends,
        is_ending: AtomicBool::new(false),
        reaping: Mutex::new(()),
    });
    let listening = Arc::clone(&family);
    thread::spawn(move || {
        let mut nothing = Vec::new();
        let _ = control.read_to_end(&mut nothing);
        listening.is_ending.store(true, Ordering::SeqCst);
        listening.kill();
    });
    match family.outlive() {
        Some(status) => writeln!(report, "ended {status}"),
        None => Ok(()),
    }
}

/// Takes no notice of signals by which a tool could end the one that watches over its descendants.
///
/// They are caught rather than ignored, since only what is caught goes back to its default in the tool.
fn outlive_signals() -> io::Result<()> {
    let runtime = runtime::Builder::new_current_thread().enable_io().build()?;
    let _entered = runtime.enter();
    for kind in [
        SignalKind::hangup(),
        SignalKind::interrupt(),
        SignalKind::terminate(),
        SignalKind::quit(),
        SignalKind::alarm(),
        SignalKind::user_defined1(),
        SignalKind::user_defined2(),
    ] {
        // The handler stays when its stream is dropped.
        drop(signal(kind)?);
    }
    Ok(())
}

/// The tool and all of its descendants.
struct Family {
    tool: Option<Pid>,
    ends: Ends,
    is_ending: AtomicBool,
    /// Held while children are killed and while they are reaped: the id of a child is its own until then.
    reaping: Mutex<()>,
}

/// What became of an attempt to kill.
struct Killed {
    /// Some process is going to end.
    some: bool,
}

impl Family {
    /// Waits until nothing of the family is left, and returns the raw status of the tool.
    fn outlive(&self) -> Option<i32> {
        let mut status = None;
        loop {
            match waitid(WaitId::All, WaitIdOptions::EXITED | WaitIdOptions::NOWAIT) {
                Ok(_) | Err(Errno::INTR) => {}
                // There is no child left.
                Err(_) => return status,
            }
            if let Some(ended) = self.reap() {
                status = Some(ended);
                if self.ends == Ends::WithTheProgram {
                    self.is_ending.store(true, Ordering::SeqCst);
                }
            }
            if self.is_ending.load(Ordering::SeqCst) && !self.kill().some {
                return status;
            }
        }
    }

    /// Takes note of all children that have ended, and returns the raw status of the tool if it is among them.
    fn reap(&self) -> Option<i32> {
        let _reaping = self.reaping.lock().unwrap_or_else(PoisonError::into_inner);
        let mut status = None;
        while let Ok(Some((pid, ended))) = wait(WaitOptions::NOHANG) {
            if Some(pid) == self.tool {
                status = Some(ended.as_raw());
            }
        }
        status
    }

    /// Kills the children; theirs become ours, and their turn comes when we hear of an end.
    fn kill(&self) -> Killed {
        let _reaping = self.reaping.lock().unwrap_or_else(PoisonError::into_inner);
        let mut killed = Killed { some: false };
        for child in children() {
            killed.some |= match kill_process(child, Signal::KILL) {
                Ok(()) => true,
                // Of another user, by its set-user-id bit: nobody but that user ends it.
                Err(_) => false,
            };
        }
        killed
    }
}

/// The children of this process that have not been reaped.
fn children() -> Vec<Pid> {
    let own = getpid().as_raw_nonzero().to_string();
    let Ok(processes) = fs::read_dir("/proc") else {
        return Vec::new();
    };
    processes
        .filter_map(Result::ok)
        .filter_map(|entry| {
            let pid: i32 = entry.file_name().to_str()?.parse().ok()?;
            let stat = fs::read(entry.path().join("stat")).ok()?;
            let stat = String::from_utf8_lossy(&stat).into_owned();
            // The name of the program, in parentheses, may hold anything.
            let (_, fields) = stat.rsplit_once(") ")?;
            let parent = fields.split(' ').nth(1)?;
            (parent == own).then(|| Pid::from_raw(pid)).flatten()
        })
        .collect()
}
