//! A tool's process on macOS, which `sandbox-exec` holds to a profile before the program takes over.
//!
//! ```text
//! /usr/bin/sandbox-exec -p "(version 1) (deny default) .." -- sh -c "cat ~/.ssh/id_ed25519"
//! ```

use std::ffi::OsStr;
use std::io;
use std::process::{self, Stdio};

use jp_sandbox::{Mechanisms, Profile, SANDBOX_EXEC, seatbelt_text, seatbelt_trial};
use tokio::process::Command;

/// The longest profile that is handed over as an argument, far below what the system takes for all of them.
const LONGEST: usize = 256 * 1024;

/// A command that runs `program`, held to a profile.
pub(crate) fn command(program: &OsStr, profile: Option<&Profile>) -> io::Result<Command> {
    let Some(profile) = profile else {
        return Ok(Command::new(program));
    };
    let text = seatbelt_text(profile);
    if text.len() > LONGEST {
        return Err(io::Error::other(
            "it cannot be held to its grants: they come to too many places",
        ));
    }
    let mut command = Command::new(SANDBOX_EXEC);
    command.args(["-p", &text, "--"]).arg(program);
    Ok(command)
}

/// What the machine has: a program starts under a profile, and what the profile closes is closed.
pub(crate) fn probed() -> Mechanisms {
    let text = seatbelt_trial();
    let succeeds = |arguments: &[&str]| {
        let status = process::Command::new(SANDBOX_EXEC)
            .args(["-p", &text, "--"])
            .args(arguments)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status();
        status.is_ok_and(|status| status.success())
    };
    let holds = succeeds(&["/usr/bin/true"]) && !succeeds(&["/bin/cat", "/etc/hosts"]);
    match holds {
        true => Mechanisms::MACOS,
        false => Mechanisms::NONE,
    }
}
