//! The end of every tool when the runtime itself ends, however it ends.
//!
//! ```text
//! runtime --pipe--> watchdog (leads the process group)
//!                   tool     (joins it)
//!                   whatever the tool starts
//! ```
//!
//! A small shell leads the process group that a tool is born into, and waits on a pipe that the operating system closes
//! with the runtime; then it kills the group, itself included.
//! So `kill -9` of the runtime leaves no process of a tool behind.

use std::io;
use std::process::{Child, Command, Stdio};

/// Ends the group when its input ends.
const SCRIPT: &str = "read -r _; kill -s KILL 0";

/// The leader of a process group. Dropping it kills the group.
#[derive(Debug)]
pub(crate) struct Watchdog {
    /// Holds the pipe, and, until it is waited for, the id of the group.
    shell: Child,
}

impl Watchdog {
    /// Starts a group that holds nothing but its watchdog.
    pub(crate) fn start() -> io::Result<Self> {
        let mut command = Command::new("sh");
        command
            .args(["-c", SCRIPT])
            .current_dir("/")
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        #[cfg(unix)]
        {
            use std::os::unix::process::CommandExt as _;
            command.process_group(0);
        }
        Ok(Self {
            shell: command.spawn()?,
        })
    }

    /// The id of the group.
    #[cfg(unix)]
    pub(crate) fn group(&self) -> Option<i32> {
        i32::try_from(self.shell.id()).ok()
    }

    /// Kills everything in the group.
    pub(crate) fn kill(&self) {
        #[cfg(unix)]
        if let Some(group) = self.group().and_then(rustix::process::Pid::from_raw) {
            // There may be nothing left to kill.
            let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
        }
    }
}

impl Drop for Watchdog {
    fn drop(&mut self) {
        self.kill();
        // It is dead already, this only takes note of it.
        let _ = self.shell.wait();
    }
}
