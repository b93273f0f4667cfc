//! The end of every tool when the runtime itself ends, however it ends.
//!
//! ```text
//! + 4711      a process group lives
//! - 4711      it has ended
//! ```
//!
//! A small shell waits on a pipe that the operating system closes with the runtime, and then kills the groups that
//! still live.
//! So `kill -9` of the runtime leaves no process of a tool behind.

use std::io::Write as _;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::{Mutex, PoisonError};

const SCRIPT: &str = r#"
groups=''
while read -r change group; do
    case $change in
    +) groups="$groups $group" ;;
    -)
        kept=''
        for each in $groups; do [ "$each" = "$group" ] || kept="$kept $each"; done
        groups=$kept
        ;;
    esac
done
for group in $groups; do kill -s KILL -- "-$group" 2>/dev/null; done
exit 0
"#;

/// Watches over process groups.
#[derive(Debug)]
pub struct Watchdog {
    shell: Option<Mutex<Shell>>,
}

#[derive(Debug)]
struct Shell {
    child: Child,
    pipe: Option<ChildStdin>,
}

impl Watchdog {
    /// Starts to watch. Without a shell nothing is watched, and a warning is logged.
    #[must_use]
    pub fn start() -> Self {
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
            // An interrupt from the terminal must not reach it.
            command.process_group(0);
        }
        let shell = match command.spawn() {
            Ok(mut child) => {
                let pipe = child.stdin.take();
                Some(Mutex::new(Shell { child, pipe }))
            }
            Err(error) => {
                tracing::warn!(%error, "no shell to watch over tools, a crash may leave their processes behind");
                None
            }
        };
        Self { shell }
    }

    /// A process group that must not outlive the runtime.
    pub fn add(&self, group: u32) {
        self.tell('+', group);
    }

    /// The group has ended.
    pub fn remove(&self, group: u32) {
        self.tell('-', group);
    }

    fn tell(&self, change: char, group: u32) {
        let Some(shell) = &self.shell else { return };
        let mut shell = shell.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(pipe) = &mut shell.pipe
            && let Err(error) = writeln!(pipe, "{change} {group}")
        {
            tracing::warn!(%error, "the shell that watches over tools is gone");
            shell.pipe = None;
        }
    }
}

impl Drop for Watchdog {
    fn drop(&mut self) {
        if let Some(shell) = self.shell.take() {
            let mut shell = shell.into_inner().unwrap_or_else(PoisonError::into_inner);
            shell.pipe = None;
            // It ends at once, its pipe is closed.
            let _ = shell.child.wait();
        }
    }
}
