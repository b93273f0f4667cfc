//! `jp-lsp check --watch`: a report whenever what is found has changed.

use std::{io::Write, sync::mpsc, time::Duration};

use camino::{Utf8Path, Utf8PathBuf};
use notify::{EventKind, RecursiveMode, Watcher as _};

use super::{CheckArguments, CheckError, plan, run_in};
use crate::disk::{config_files::DiskFiles, workspace};
use jp_config::graph::Graph;

/// How long nothing may happen before the files count as written.
const QUIET: Duration = Duration::from_millis(100);

/// Reports, and reports again when something else is found, until nobody reads or the process is stopped.
///
/// # Errors
///
/// The first check cannot be made, or nothing can be watched; what cannot be checked later is said in place of a report.
pub(super) fn run(
    directory: &Utf8Path,
    arguments: &CheckArguments,
    is_colored: bool,
    output: &mut dyn Write,
) -> Result<u8, CheckError> {
    let (sender, changes) = mpsc::channel();
    let mut watcher = notify::recommended_watcher(move |event: notify::Result<notify::Event>| {
        let is_change = event.is_ok_and(|event| !matches!(event.kind, EventKind::Access(_)));
        if is_change {
            // Nobody listens once the last report is written.
            let _ = sender.send(());
        }
    })?;
    let mut last = Vec::new();
    let code = run_in(directory, arguments, is_colored, &mut last)?;
    output.write_all(&last)?;
    output.flush()?;
    loop {
        // Watching anew also renews a watch that was lost when its directory was replaced.
        for (path, mode) in watched(directory, arguments) {
            // A path that is gone by now is watched again after the next change.
            let _ = watcher.watch(path.as_std_path(), mode);
        }
        let mut report = Vec::new();
        if let Err(error) = run_in(directory, arguments, is_colored, &mut report) {
            report = format!("jp-lsp: {error}\n").into_bytes();
        }
        if report != last {
            output.write_all(&report)?;
            output.flush()?;
            last = report;
        }
        if changes.recv().is_err() {
            return Ok(code);
        }
        while changes.recv_timeout(QUIET).is_ok() {}
    }
}

/// The folders whose changes may change what is found: all of `.jp`, and those of the files that are loaded.
fn watched(directory: &Utf8Path, arguments: &CheckArguments) -> Vec<(Utf8PathBuf, RecursiveMode)> {
    let mut watched = Vec::new();
    for root in plan(&arguments.paths, directory)
        .unwrap_or_default()
        .into_keys()
    {
        let roots = workspace::roots(&root, directory);
        let graph = Graph::load(&roots, &DiskFiles::untrusted(&roots));
        let folders = graph.watched.iter().cloned();
        watched.extend(folders.map(|folder| (folder, RecursiveMode::NonRecursive)));
        watched.push((root.join(".jp"), RecursiveMode::Recursive));
    }
    watched
}
