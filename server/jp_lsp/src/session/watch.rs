//! The server's own watch on directories, for clients that do not watch and for files outside the workspace.
//!
//! ```text
//! /w/.jp, /w/.jp/mcp/tools, /home/u/.config/jp      # named by the analysis
//! ```
//!
//! A directory that does not exist is waited for at its nearest existing ancestor.

use std::{collections::BTreeSet, sync::mpsc, thread};

use camino::{Utf8Path, Utf8PathBuf};
use notify::{EventKind, RecommendedWatcher, RecursiveMode, Watcher as _};

use crate::session::event::{Event, EventSender};

/// Watches directories on a thread of its own, because starting a watch may block.
#[derive(Debug)]
pub(crate) struct Watch {
    orders: mpsc::Sender<BTreeSet<Utf8PathBuf>>,
    /// What was ordered last, and how often anything was known to have changed then.
    ordered: Option<(BTreeSet<Utf8PathBuf>, u64)>,
}

impl Watch {
    /// Starts to watch; changes arrive as [`Event::FileChanged`].
    ///
    /// # Errors
    ///
    /// When the system refuses a thread or a watch.
    pub(crate) fn start(events: EventSender) -> notify::Result<Self> {
        let (orders, receiver) = mpsc::channel();
        let seen = events.clone();
        let watcher = notify::recommended_watcher(move |event: notify::Result<notify::Event>| {
            if let Some(event) = translate(event) {
                seen.send(event);
            }
        })?;
        thread::Builder::new()
            .name("watch".into())
            .spawn(move || follow(watcher, &receiver, &events))
            .map_err(notify::Error::io)?;
        Ok(Self {
            orders,
            ordered: None,
        })
    }

    /// Watches the entries of exactly these directories from here on.
    ///
    /// Nothing is done where the last order was the same and nothing has changed since, as after most keys; `changes` counts that.
    pub(crate) fn set(&mut self, directories: BTreeSet<Utf8PathBuf>, changes: u64) {
        let order = Some((directories, changes));
        if self.ordered == order {
            return;
        }
        self.ordered = order;
        if let Some((directories, _)) = &self.ordered {
            // The thread ends only with this sender.
            let _ = self.orders.send(directories.clone());
        }
    }
}

fn follow(
    mut watcher: RecommendedWatcher,
    orders: &mpsc::Receiver<BTreeSet<Utf8PathBuf>>,
    events: &EventSender,
) {
    let mut watched = BTreeSet::new();
    while let Ok(wanted) = orders.recv() {
        let wanted = orders.try_iter().last().unwrap_or(wanted);
        let present: BTreeSet<Utf8PathBuf> = wanted
            .iter()
            .filter_map(|directory| nearest(directory))
            .map(ToOwned::to_owned)
            .collect();
        for directory in watched.difference(&present) {
            // A directory that is gone took its watch with it.
            let _ = watcher.unwatch(directory.as_std_path());
        }
        // Watching anew also what is watched already renews a watch that was lost when its directory was replaced.
        let before = std::mem::take(&mut watched);
        watched = present
            .into_iter()
            .filter(|directory| {
                match watcher.watch(directory.as_std_path(), RecursiveMode::NonRecursive) {
                    Ok(()) => true,
                    Err(error) => {
                        tracing::warn!(%directory, %error, "the directory cannot be watched");
                        false
                    }
                }
            })
            .collect();
        // What changed between the reading of a directory and the start of its watch was seen by neither.
        let added: Vec<Utf8PathBuf> = watched.difference(&before).cloned().collect();
        if !added.is_empty() {
            events.send(Event::FileChanged(added));
        }
    }
}

fn nearest(directory: &Utf8Path) -> Option<&Utf8Path> {
    directory.ancestors().find(|ancestor| ancestor.is_dir())
}

fn translate(event: notify::Result<notify::Event>) -> Option<Event> {
    match event {
        Ok(event) if event.need_rescan() => Some(Event::FileChanged(Vec::new())),
        Ok(event) if matches!(event.kind, EventKind::Access(_)) => None,
        Ok(event) => {
            let paths: Vec<Utf8PathBuf> = event
                .paths
                .into_iter()
                .filter_map(|path| Utf8PathBuf::from_path_buf(path).ok())
                .collect();
            (!paths.is_empty()).then_some(Event::FileChanged(paths))
        }
        Err(error) => {
            tracing::warn!(%error, "the watch on files failed");
            Some(Event::FileChanged(Vec::new()))
        }
    }
}
