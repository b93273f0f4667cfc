//! `jp-lsp check --watch`: a report whenever what is found has changed.

use std::{
    collections::BTreeMap,
    io::Write,
    sync::mpsc,
    thread,
    time::{Duration, Instant},
};

use camino::{Utf8Path, Utf8PathBuf};
use jp_config::paths::normalize;
use notify::{EventKind, RecursiveMode, Watcher as _};

use super::{CheckArguments, CheckError, load, plan, run_in};
use crate::cli::unread;

/// How long nothing may happen before the files count as written.
const QUIET: Duration = Duration::from_millis(100);

/// How long a report waits for that, where something is written all the time.
const PATIENCE: Duration = Duration::from_secs(1);

/// The most folders that are watched because they were looked through; what is new in others is found with the next change.
const MAXIMUM_SEARCHED: usize = 2_000;

/// What a watch hears of.
enum Event {
    /// Something has changed on disk.
    Changed,
    /// Nobody reads the reports any more.
    Unread,
}

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
    let (sender, events) = mpsc::channel();
    let left = sender.clone();
    thread::Builder::new().spawn(move || {
        unread::wait();
        let _ = left.send(Event::Unread);
    })?;
    let mut watcher = notify::recommended_watcher(move |event: notify::Result<notify::Event>| {
        let is_change = event.is_ok_and(|event| !matches!(event.kind, EventKind::Access(_)));
        if is_change {
            // Nobody listens once the last report is written.
            let _ = sender.send(Event::Changed);
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
        let Ok(Event::Changed) = events.recv() else {
            return Ok(code);
        };
        let patience = Instant::now() + PATIENCE;
        while Instant::now() < patience {
            match events.recv_timeout(QUIET) {
                Ok(Event::Changed) => {}
                Ok(Event::Unread) => return Ok(code),
                Err(_) => break,
            }
        }
    }
}

/// The folders whose changes may change what is found: all of `.jp`, those of the files that are loaded, and those that
/// were looked through for what was named.
fn watched(
    directory: &Utf8Path,
    arguments: &CheckArguments,
) -> BTreeMap<Utf8PathBuf, RecursiveMode> {
    let mut folders = Vec::new();
    for path in &arguments.paths {
        // What was named may be replaced, or go and come again.
        let path = normalize(&directory.join(path));
        folders.extend(path.parent().map(Utf8Path::to_owned));
    }
    let mut roots = Vec::new();
    if let Ok(plan) = plan(&arguments.paths, directory) {
        folders.extend(plan.searched.into_iter().take(MAXIMUM_SEARCHED));
        for (root, targets) in plan.workspaces {
            for target in targets {
                let (graph, below) = load(&root, &target, directory);
                folders.extend(graph.watched.iter().cloned().chain(below));
            }
            roots.push(root.join(".jp"));
        }
    }
    let folders = folders
        .into_iter()
        .map(|folder| (folder, RecursiveMode::NonRecursive));
    let roots = roots.into_iter().map(|it| (it, RecursiveMode::Recursive));
    folders.chain(roots).collect()
}
