//! Ends the server when the editor that started it is gone without a word.
//!
//! ```json
//! { "method": "initialize", "params": { "processId": 4711 } }
//! ```

use tokio::sync::mpsc;

use crate::wire::Stop;

/// Looks now and then whether `process` lives.
#[cfg(unix)]
pub(crate) fn watch(process: i32, stop: mpsc::UnboundedSender<Stop>) {
    use std::time::Duration;

    use rustix::{
        io::Errno,
        process::{Pid, test_kill_process},
    };

    const INTERVAL: Duration = Duration::from_secs(1);

    let Some(process) = Pid::from_raw(process).filter(|_| process > 0) else {
        return;
    };
    tokio::spawn(async move {
        while test_kill_process(process) != Err(Errno::SRCH) {
            tokio::time::sleep(INTERVAL).await;
        }
        // The receiver lives as long as the server does.
        let _ = stop.send(Stop::ParentGone);
    });
}

/// Where no process can be looked at safely, the closed input tells.
#[cfg(not(unix))]
pub(crate) fn watch(process: i32, stop: mpsc::UnboundedSender<Stop>) {
    let _ = (process, stop);
}
