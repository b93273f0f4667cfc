//! How a process ended, in words.
//!
//! ```text
//! status 3
//! signal 9 (KILL)
//! ```

use std::process::ExitStatus;

/// The status, or the signal that ended the process.
pub(crate) fn ending(status: ExitStatus) -> String {
    #[cfg(unix)]
    {
        use std::os::unix::process::ExitStatusExt as _;
        if let Some(signal) = status.signal() {
            return format!("signal {signal}{}", name(signal));
        }
    }
    match status.code() {
        Some(code) => format!("status {code}"),
        None => status.to_string(),
    }
}

/// The name of a signal that ends many a process.
#[cfg(unix)]
const fn name(signal: i32) -> &'static str {
    match signal {
        1 => " (HUP)",
        2 => " (INT)",
        4 => " (ILL)",
        6 => " (ABRT)",
        8 => " (FPE)",
        9 => " (KILL)",
        11 => " (SEGV)",
        13 => " (PIPE)",
        15 => " (TERM)",
        24 => " (XCPU)",
        25 => " (XFSZ)",
        _ => "",
    }
}
