//! A tool's process between its start and its program: it holds itself to a profile, for good.
//!
//! ```text
//! jp-lsp confine-tool HOST PROFILE REPORT sh -c "cat ~/.ssh/id_ed25519"
//! ```
//!
//! The profile stands in memory of the runtime, and the report is a pipe to it: `confined`, `refused WHY`, and after
//! that `failed ERRNO` where the program does not start.
//! Both are opened through `/proc`, as a supervisor does, and are closed when the program takes over.

use std::ffi::OsString;
use std::fs::{File, OpenOptions};
use std::io::{self, PipeWriter, Read as _, Write as _};
use std::os::fd::AsRawFd as _;
use std::os::unix::process::CommandExt as _;
use std::process::{self, ExitCode};

use jp_sandbox::{Mechanisms, Profile, confine, probe};
use rustix::fs::{MemfdFlags, memfd_create};
use tokio::process::Child;

use crate::report::Report;
use crate::supervisor;

/// The first argument of a process that holds itself and then becomes its program.
const CONFINE: &str = "confine-tool";

/// The first argument of a process that finds out what can hold it.
const PROBE: &str = "probe-sandbox";

/// What the machine has; nothing where this program does not serve itself.
pub(crate) fn probed() -> Mechanisms {
    if !supervisor::is_enabled() {
        return Mechanisms::NONE;
    }
    let output = process::Command::new(supervisor::PROGRAM)
        .arg(PROBE)
        .stdin(process::Stdio::null())
        .stderr(process::Stdio::null())
        .output();
    output
        .ok()
        .and_then(|output| serde_json::from_slice(&output.stdout).ok())
        .unwrap_or(Mechanisms::NONE)
}

/// The runtime's side of a process that is about to hold itself.
#[derive(Debug)]
pub(crate) struct Handover {
    profile: File,
    report: Report,
    /// The process's end, which stays open until it has opened it.
    theirs: Option<PipeWriter>,
}

impl Handover {
    pub(crate) fn new(profile: &Profile) -> io::Result<Self> {
        let text = serde_json::to_vec(profile)?;
        let mut file = File::from(memfd_create("profile", MemfdFlags::CLOEXEC)?);
        file.write_all(&text)?;
        let (report, theirs) = io::pipe()?;
        Ok(Self {
            profile: file,
            report: Report::new(report)?,
            theirs: Some(theirs),
        })
    }

    /// What stands before the program and its arguments.
    pub(crate) fn arguments(&self) -> Vec<String> {
        let report = self.theirs.as_ref().map(std::os::fd::AsRawFd::as_raw_fd);
        vec![
            supervisor::PROGRAM.to_owned(),
            CONFINE.to_owned(),
            process::id().to_string(),
            self.profile.as_raw_fd().to_string(),
            report.unwrap_or_default().to_string(),
        ]
    }

    /// Waits until the program has taken over, or why it has not.
    pub(crate) async fn done(mut self, supervisor: &mut Child) -> io::Result<()> {
        let told = self.report.first_line(supervisor, &mut self.theirs).await;
        match told.split_once(' ').unwrap_or((told.as_str(), "")) {
            ("confined", _) => {}
            ("refused", why) => {
                return Err(io::Error::other(format!(
                    "it cannot be held to its grants: {why}"
                )));
            }
            _ => return Err(io::Error::other("it ended before it was held")),
        }
        match self.report.line().await.split_once(' ') {
            Some(("failed", number)) => Err(io::Error::from_raw_os_error(
                number.parse().unwrap_or_default(),
            )),
            _ => Ok(()),
        }
    }
}

/// Holds this process and becomes a tool, or finds out what could, if the arguments ask for it; none if they do not.
#[must_use]
pub fn confine_tool(arguments: impl IntoIterator<Item = OsString>) -> Option<ExitCode> {
    let mut arguments = arguments.into_iter().skip(1);
    match arguments.next()?.to_str()? {
        CONFINE => {
            // Who cannot be reached cannot be told.
            let _ = serve(arguments);
            Some(ExitCode::FAILURE)
        }
        PROBE => {
            let found = serde_json::to_string(&probe()).unwrap_or_default();
            let told = writeln!(io::stdout(), "{found}");
            Some(told.map_or(ExitCode::FAILURE, |()| ExitCode::SUCCESS))
        }
        _ => None,
    }
}

/// Comes back only where the program has not taken over.
fn serve(mut arguments: impl Iterator<Item = OsString>) -> io::Result<()> {
    let mut next = || {
        arguments
            .next()
            .ok_or_else(|| io::Error::from(io::ErrorKind::InvalidInput))
    };
    let (host, profile, report, program) = (next()?, next()?, next()?, next()?);
    let descriptor = |number: OsString| {
        let mut path = OsString::from("/proc/");
        path.push(&host);
        path.push("/fd/");
        path.push(number);
        path
    };
    let mut text = Vec::new();
    File::open(descriptor(profile))?.read_to_end(&mut text)?;
    let mut report = OpenOptions::new().write(true).open(descriptor(report))?;
    let profile: Profile = match serde_json::from_slice(&text) {
        Ok(profile) => profile,
        Err(error) => return writeln!(report, "refused {error}"),
    };
    if let Err(error) = confine(&profile) {
        let error = error.to_string().replace('\n', " ");
        return writeln!(report, "refused {error}");
    }
    writeln!(report, "confined")?;
    let error = process::Command::new(program).args(arguments).exec();
    writeln!(
        report,
        "failed {}",
        error.raw_os_error().unwrap_or_default()
    )
}
