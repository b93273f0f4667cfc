//! A process together with everything that it starts, and the one end of them all.
//!
//! ```text
//! linux:       runtime --pipe--> supervisor --> tool, held to a profile --> whatever it starts
//! elsewhere:   runtime --pipe--> watchdog, which leads the process group of the tool
//! macos:       the same, and `sandbox-exec` becomes the tool
//! ```
//!
//! A supervisor finds descendants that have left the group; without one, those survive.

use std::ffi::OsStr;
use std::io;
use std::process::ExitStatus;
use std::time::Duration;

use tokio::process::{Child, Command};
use tokio::time::timeout;

use jp_sandbox::Profile;

#[cfg(target_os = "linux")]
use crate::confinement::Handover;
#[cfg(target_os = "linux")]
use crate::supervisor::Link;
use crate::watchdog::Watchdog;

/// How long the end of a group is waited for; longer is only what the system cannot kill.
const END: Duration = Duration::from_secs(2);

/// A command to complete with arguments, streams and surroundings, and then to start.
#[derive(Debug)]
pub(crate) struct Prepared {
    pub(crate) command: Command,
    guard: Guard,
    #[cfg(target_os = "linux")]
    handover: Option<Handover>,
}

/// When everything that a program has started ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ends {
    WithTheProgram,
    WhenAsked,
}

/// What ends the processes when nobody else does.
#[derive(Debug)]
enum Guard {
    Watchdog(Watchdog),
    #[cfg(target_os = "linux")]
    Supervisor(Link),
}

impl Prepared {
    /// A command that runs `program`, held to a profile; when it ends, whatever it has started ends too.
    pub(crate) fn tool(program: impl AsRef<OsStr>, profile: Option<&Profile>) -> io::Result<Self> {
        Self::new(program, Ends::WithTheProgram, profile)
    }

    /// A command that runs `program`, held to a profile; what it has started may go on in its place until the group is
    /// ended.
    pub(crate) fn server(
        program: impl AsRef<OsStr>,
        profile: Option<&Profile>,
    ) -> io::Result<Self> {
        Self::new(program, Ends::WhenAsked, profile)
    }

    #[cfg_attr(
        not(any(target_os = "linux", target_os = "macos")),
        expect(
            unused_variables,
            reason = "a watchdog neither ends nor holds anything by itself"
        )
    )]
    #[cfg_attr(
        target_os = "macos",
        expect(
            unused_variables,
            reason = "a watchdog does not end anything by itself"
        )
    )]
    fn new(program: impl AsRef<OsStr>, ends: Ends, profile: Option<&Profile>) -> io::Result<Self> {
        #[cfg(target_os = "linux")]
        if crate::supervisor::is_enabled() {
            let link = Link::new()?;
            let handover = profile.map(Handover::new).transpose()?;
            let mut command = Command::new(crate::supervisor::PROGRAM);
            command
                .args(link.arguments(ends))
                .args(handover.iter().flat_map(Handover::arguments))
                .arg(program)
                .process_group(0);
            return Ok(Self {
                command,
                guard: Guard::Supervisor(link),
                handover,
            });
        }
        let watchdog = Watchdog::start()?;
        #[cfg(not(target_os = "macos"))]
        let mut command = Command::new(program);
        #[cfg(target_os = "macos")]
        let mut command = crate::seatbelt::command(program.as_ref(), profile)?;
        command.kill_on_drop(true);
        #[cfg(unix)]
        if let Some(group) = watchdog.group() {
            command.process_group(group);
        }
        Ok(Self {
            command,
            guard: Guard::Watchdog(watchdog),
            #[cfg(target_os = "linux")]
            handover: None,
        })
    }

    /// Starts the program.
    pub(crate) async fn spawn(mut self) -> io::Result<Group> {
        let group = Group {
            child: self.command.spawn()?,
            guard: self.guard,
        };
        #[cfg(target_os = "linux")]
        let mut group = group;
        #[cfg(target_os = "linux")]
        if let Guard::Supervisor(link) = &mut group.guard {
            link.started(&mut group.child).await?;
        }
        #[cfg(target_os = "linux")]
        if let Some(handover) = self.handover {
            handover.done(&mut group.child).await?;
        }
        Ok(group)
    }
}

/// A child with all of its descendants, killed when dropped.
#[derive(Debug)]
pub(crate) struct Group {
    /// The program, or its supervisor, which has the same streams.
    pub(crate) child: Child,
    guard: Guard,
}

impl Group {
    /// Waits for the program's own end.
    pub(crate) async fn wait(&mut self) -> io::Result<ExitStatus> {
        let status = self.child.wait().await?;
        match &mut self.guard {
            Guard::Watchdog(_) => Ok(status),
            #[cfg(target_os = "linux")]
            Guard::Supervisor(link) => Ok(link.ended(status).await),
        }
    }

    /// Kills everything of the group.
    pub(crate) fn kill(&mut self) {
        match &mut self.guard {
            Guard::Watchdog(watchdog) => watchdog.kill(),
            #[cfg(target_os = "linux")]
            Guard::Supervisor(link) => link.kill(),
        }
    }

    /// Kills the group and waits for its end.
    pub(crate) async fn end(mut self) {
        self.kill();
        // What does not even die of being killed must not hold up the turn.
        let _ = timeout(END, self.child.wait()).await;
    }
}
