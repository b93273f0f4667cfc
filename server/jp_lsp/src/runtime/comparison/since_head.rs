//! The last commit of a workspace, and what its files on disk decide otherwise.
//!
//! ```text
//! HEAD:.jp/config.toml        # read from the objects of the repository, which runs nothing
//! .jp/config.toml             # as it is saved
//! ```

use std::sync::Arc;

use camino::{Utf8Path, Utf8PathBuf};
use gix::ObjectId;
use jp_analysis::comparison::ToolVerdicts;
use jp_config::graph::{Graph, Roots};

use super::{Compared, bounded, roots, verdicts};
use crate::disk::{
    git_files::{CommitError, CommitFiles},
    known_files::KnownFiles,
    own_repository::OwnRepository,
};

const HEAD: &str = "HEAD";

/// The last commit of the repository around a workspace.
pub(crate) struct LastCommit {
    own: OwnRepository,
    root: Utf8PathBuf,
    directory: Utf8PathBuf,
    /// Out of here nothing is read because a config names it.
    bounds: Utf8PathBuf,
}

impl LastCommit {
    /// The last commit for a workspace with these roots; before a person trusts it, nothing out of the workspace is read.
    ///
    /// # Errors
    ///
    /// [`CommitError`]: there is no repository, or it is not read.
    pub(crate) fn of(known: &Roots, is_trusted: bool) -> Result<Self, CommitError> {
        let canonical =
            |path: &Utf8Path| path.canonicalize_utf8().unwrap_or_else(|_| path.to_owned());
        let root = canonical(&known.workspace);
        let own = OwnRepository::around(&root, is_trusted)?;
        Ok(Self {
            directory: known
                .locals
                .last()
                .map_or(root.clone(), |path| canonical(path)),
            bounds: if is_trusted {
                own.top.clone()
            } else {
                root.clone()
            },
            own,
            root,
        })
    }

    /// Its id; none where nothing was committed yet.
    pub(crate) fn id(&self) -> Option<ObjectId> {
        self.own.head()
    }

    /// The folders in which something changes where there is another last commit.
    pub(crate) fn watched(&self) -> Vec<Utf8PathBuf> {
        self.own.watched()
    }

    /// What became of each tool; `known` is what is read of the workspace already.
    ///
    /// # Errors
    ///
    /// [`CommitError`]: the commit cannot be read, or has no config.
    pub(crate) fn verdicts(&self, known: &Graph) -> Result<ToolVerdicts, CommitError> {
        let (before, after) = self.states(known)?;
        Ok(verdicts(before, after))
    }

    /// What is decided otherwise, and how many recorded calls; `known` is what is read of the workspace already.
    ///
    /// # Errors
    ///
    /// [`CommitError`]: the commit cannot be read, or has no config.
    pub(crate) fn compared(&self, known: &Graph) -> Result<Compared, CommitError> {
        let (before, after) = self.states(known)?;
        let sides = (format!("`{HEAD}`"), "the working tree".to_owned());
        let prefix = self.root.strip_prefix(&self.own.top);
        let prefix = prefix.unwrap_or(Utf8Path::new("")).to_owned();
        Ok(Compared::of(
            &Arc::new(before),
            &Arc::new(after),
            sides,
            prefix,
        ))
    }

    /// The state of the commit, and that of the disk.
    fn states(&self, known: &Graph) -> Result<(Graph, Graph), CommitError> {
        let commit = CommitFiles::new(&self.own.repository, HEAD, &self.own.top)?;
        let commit = commit.within(&self.bounds);
        if !commit.has_directory(&self.root.join(".jp")) {
            return Err(CommitError::NoConfig(self.root.clone()));
        }
        let roots = roots(&self.root, &self.directory);
        let inner = bounded(&self.bounds);
        let after = Graph::load(&roots, &KnownFiles { inner, known });
        let (inner, known) = (commit, &after);
        let before = Graph::load(&roots, &KnownFiles { inner, known });
        Ok((before, after))
    }
}
