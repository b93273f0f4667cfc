//! The runtimes of the workspaces that sessions work in: one for each folder, and for each mode.
//!
//! ```text
//! session/new {"cwd": "/w/src"} --> runtime of /w, for a person who works in /w/src
//! ```

use std::{collections::BTreeMap, sync::Arc};

use agent_client_protocol::Error;
use camino::{Utf8Path, Utf8PathBuf};

use super::{client::ToClient, command::Commands, options::Mode, sink::AcpSink, surface};
use crate::{
    disk::workspace::{self, Location},
    runtime::{Session as RuntimeSession, SessionOptions, ToolToggles, script_from_environment},
    trust::Vouched,
};

/// Which runtime a session needs.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Place {
    /// The workspace.
    pub(super) root: Utf8PathBuf,
    /// The folder in it that the person works in.
    pub(super) directory: Utf8PathBuf,
    /// Whether tools may be called.
    pub(super) mode: Mode,
}

impl Place {
    /// Where a client works that names no folder: where this process was started.
    ///
    /// # Errors
    ///
    /// Why that is no place.
    pub(super) fn here() -> Result<Self, Error> {
        Self::of(
            workspace::working_directory()
                .map_err(failed)?
                .as_std_path(),
        )
    }

    /// Where a client works that names this folder.
    ///
    /// # Errors
    ///
    /// Invalid parameters, with the reason.
    pub(super) fn of(cwd: &std::path::Path) -> Result<Self, Error> {
        let named = Utf8Path::from_path(cwd)
            .ok_or_else(|| invalid(format!("`{}` is not UTF-8", cwd.display())))?;
        if !named.is_absolute() {
            return Err(invalid(format!(
                "`cwd` is `{named}`: write an absolute path"
            )));
        }
        let Location { root, directory } = workspace::locate(Some(named)).map_err(invalid)?;
        Ok(Self {
            root,
            directory,
            mode: Mode::default(),
        })
    }
}

/// The runtimes that were started, by place.
#[derive(Debug)]
pub(super) struct Workspaces {
    commands: Commands,
    runtimes: BTreeMap<Place, RuntimeSession>,
}

impl Workspaces {
    /// None yet.
    pub(super) const fn new(commands: Commands) -> Self {
        Self {
            commands,
            runtimes: BTreeMap::new(),
        }
    }

    /// The runtime of a place, which starts with the first session there.
    ///
    /// Nothing of the workspace is started before a person trusts it.
    ///
    /// # Errors
    ///
    /// What keeps the runtime from starting.
    pub(super) fn runtime(
        &mut self,
        place: &Place,
        client: &ToClient,
    ) -> Result<&RuntimeSession, Error> {
        // Another folder may stand there by now, or what is the person's own may be another's.
        let known = self.runtimes.get(place);
        if !known.is_some_and(|runtime| runtime.config().holds()) {
            let runtime = self.start(place, client).map_err(failed)?;
            if let Some(replaced) = self.runtimes.insert(place.clone(), runtime) {
                // What waits in it is about a folder that is not there any more.
                replaced.broker.close();
            }
        }
        self.runtimes
            .get(place)
            .ok_or_else(|| Error::internal_error().data("the runtime has ended"))
    }

    fn start(
        &self,
        place: &Place,
        client: &ToClient,
    ) -> Result<RuntimeSession, crate::runtime::SessionError> {
        let sink = Arc::new(AcpSink {
            commands: self.commands.clone(),
        });
        let options = SessionOptions {
            toggles: match place.mode {
                Mode::Default => ToolToggles::default(),
                Mode::NoTools => ToolToggles::all_off(),
            },
            script: script_from_environment()?,
            ..SessionOptions::new(Some(Vouched::Nobody))
        };
        let runtime = RuntimeSession::start(&place.root, &place.directory, sink, options)?;
        surface::attach(&runtime.broker, client, &self.commands);
        Ok(runtime)
    }

    /// Takes away whoever could be asked, for good: the client has gone.
    pub(super) fn close(&self) {
        for runtime in self.runtimes.values() {
            runtime.broker.close();
        }
    }
}

/// An error of ours, with its words where clients show them.
pub(super) fn failed(error: impl std::fmt::Display) -> Error {
    Error::new(-32603, error.to_string())
}

/// An error of the client's, likewise.
pub(super) fn invalid(error: impl std::fmt::Display) -> Error {
    Error::new(-32602, error.to_string())
}
