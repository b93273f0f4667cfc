//! What is saved and the last commit: when they are compared, and who is told.
//!
//! ```text
//! .jp/config.toml saved, .git/refs/heads/main written -> compared at rest -> workspace/codeLens/refresh
//! ```
//!
//! A key compares nothing: neither the disk nor the commit has changed.

use std::{sync::Arc, time::Duration};

use camino::{Utf8Path, Utf8PathBuf};
use lsp_types::request::CodeLensRefresh;

use super::EventLoop;
use crate::session::{
    at_rest::AtRest,
    comparer::{self, Order},
    engine::Engine,
    event::Event,
    since_head::SinceHead,
    trusted_folders::TrustedFolders,
};

/// How long a repository must rest before its last commit is looked up again: a rebase makes hundreds.
const PATIENCE: Duration = Duration::from_millis(300);

/// What is known of the last commits, and of what is being found out about them.
#[derive(Debug)]
pub(super) struct Comparing<E: Engine> {
    comparer: Option<AtRest<Order<E>>>,
    pub(super) since_head: Arc<SinceHead>,
    /// The state that was compared last, or is being.
    ordered: Option<State>,
    /// Whether the last commit is to be looked up again.
    is_planned: bool,
    /// How often it was.
    pub(super) lookups: u64,
}

/// What decides, beside the commit itself, about a comparison.
#[derive(Debug, PartialEq, Eq)]
struct State {
    disk: u64,
    trusted: Arc<TrustedFolders>,
    directories: Vec<Utf8PathBuf>,
}

impl<E: Engine> Default for Comparing<E> {
    fn default() -> Self {
        Self {
            comparer: None,
            since_head: Arc::default(),
            ordered: None,
            is_planned: false,
            lookups: 0,
        }
    }
}

impl<E: Engine> EventLoop<E> {
    /// Has what is saved compared with the last commit, where either may have changed and somebody looks.
    pub(super) fn compare_with_head(&mut self) {
        if !self.world.client().wants("codeLens") {
            return;
        }
        let cell = self.world.cell(&self.engine);
        let Some(reading) = cell.present().reading else {
            return;
        };
        let snapshot = cell.snapshot();
        let directories = self.engine.watched(&reading);
        let is_known = self.comparing.ordered.as_ref().is_some_and(|known| {
            known.disk == snapshot.disk_changes()
                && known.trusted == *snapshot.trusted_folders()
                && known.directories == directories
        });
        if is_known || directories.is_empty() {
            return;
        }
        if self.comparing.comparer.is_none() {
            match comparer::start(Arc::clone(&self.engine), self.events.clone()) {
                Ok(comparer) => self.comparing.comparer = Some(comparer),
                Err(error) => {
                    tracing::error!(%error, "nothing is compared with the last commit");
                    return;
                }
            }
        }
        self.comparing.ordered = Some(State {
            disk: snapshot.disk_changes(),
            trusted: Arc::clone(snapshot.trusted_folders()),
            directories: directories.to_vec(),
        });
        if let Some(comparer) = &self.comparing.comparer {
            comparer.order(Order {
                snapshot: Arc::clone(snapshot),
                reading,
            });
        }
    }

    /// Takes what was found out, and has the client ask again where it shows something else.
    pub(super) fn compared(&mut self, since: Arc<SinceHead>) {
        let shown = std::mem::replace(&mut self.comparing.since_head, since);
        if !self.comparing.since_head.shows_the_same(&shown) {
            self.ask_again::<CodeLensRefresh>("codeLens");
        }
    }

    /// Whether a path belongs to a repository; then the last commit is looked up again after a while.
    pub(super) fn is_of_repository(&mut self, path: &Utf8Path) -> bool {
        let mut watched = self.comparing.since_head.watched.iter();
        let is_its = watched.any(|folder| path.starts_with(folder));
        if is_its && !self.comparing.is_planned {
            self.comparing.is_planned = true;
            let events = self.events.clone();
            tokio::spawn(async move {
                tokio::time::sleep(PATIENCE).await;
                events.send(Event::HeadSettled);
            });
        }
        is_its
    }

    /// Looks the last commit up again.
    pub(super) fn head_settled(&mut self) {
        self.comparing.is_planned = false;
        self.comparing.lookups = self.comparing.lookups.saturating_add(1);
        self.comparing.ordered = None;
        self.compare_with_head();
    }
}
