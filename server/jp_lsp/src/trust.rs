//! Whether a person trusts what a workspace starts and sends.
//!
//! ```text
//! files of the workspace -> what they start and send -> digest --= record in the person's data folder? -> the turn begins
//! ```
//!
//! Trust is for content: a list with a digest, kept for one folder.
//! Everything that starts turns goes through a [`Door`]; reading, checking and explaining a config need none.

mod copied;
mod list;
mod owner;
mod records;

use camino::{Utf8Path, Utf8PathBuf};
use jp_agent::{AgentError, KeyConsents, Untrusted};
use jp_config::{
    graph::{Graph, Roots},
    view::View,
};
use jp_llm::KeyUse;
use serde_json::{Map, Value};

pub(crate) use self::{copied::unprivileged, list::on_one_line};
pub use self::{
    list::TrustList,
    owner::ForeignOwner,
    records::{RecordError, Records, TrustRecord, TrustedBy, TrustedContent},
};
use crate::disk::{
    config_files::DiskFiles,
    workspace::{self, Claim},
};

/// Why nothing of a workspace may be started.
#[derive(Debug, thiserror::Error)]
pub enum TrustError {
    /// Somebody else can change what the workspace says.
    #[error(transparent)]
    Owner(#[from] ForeignOwner),
    /// There is no place for records, or they cannot be read or written.
    #[error(transparent)]
    Records(#[from] RecordError),
    /// Another folder stands where the workspace stood.
    #[error(
        "nothing was started: `{0}` is not the folder any more that it was; begin again, and look at what it starts and sends"
    )]
    Exchanged(Utf8PathBuf),
    /// Nobody has trusted the content as it is.
    #[error("{0}")]
    Untrusted(Untrusted),
    /// A person was asked and does not trust it.
    #[error(
        "nothing was started: what the config of the workspace starts or sends was not trusted"
    )]
    Declined,
    /// A person was asked and ended the program instead.
    #[error("nothing was started: the query was interrupted")]
    Interrupted,
}

impl From<TrustError> for AgentError {
    fn from(error: TrustError) -> Self {
        match error {
            TrustError::Untrusted(untrusted) => Self::Untrusted(Box::new(untrusted)),
            TrustError::Declined | TrustError::Interrupted => Self::NotTrusted,
            refused => Self::Refused(refused.to_string()),
        }
    }
}

/// Who says that a workspace is trusted as long as nothing is recorded of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Vouched {
    /// Nobody: a person has to see the list.
    Nobody,
    /// The editor, which has its own question about the folder.
    Editor,
}

/// What stands between the config of a workspace and everything that it starts and sends.
#[derive(Debug, Clone)]
pub struct Door {
    root: Utf8PathBuf,
    /// The workspace without links, as it was when the door was made.
    place: Utf8PathBuf,
    records: Records,
    vouched: Vouched,
}

impl Door {
    /// The door of the workspace at `root`.
    ///
    /// # Errors
    ///
    /// [`TrustError::Owner`] when somebody else owns the workspace, [`TrustError::Records`] without a place for records.
    pub fn new(root: &Utf8Path, vouched: Vouched) -> Result<Self, TrustError> {
        owner::check_workspace(root)?;
        Ok(Self {
            root: root.to_owned(),
            place: Records::name_of(root),
            records: Records::open()?,
            vouched,
        })
    }

    /// What was recorded of the workspace.
    ///
    /// # Errors
    ///
    /// [`RecordError::Unreadable`]: the record counts as none.
    pub fn record(&self) -> Result<Option<TrustRecord>, RecordError> {
        self.records.workspace(&self.place)
    }

    /// Passes when the content of this config is trusted, or there is nothing to trust.
    ///
    /// What is the person's own, and would be used here for the first time because the folder says so, is asked about as well.
    ///
    /// # Errors
    ///
    /// [`TrustError`].
    pub fn pass(&self, view: &View, effective: &Value) -> Result<(), TrustError> {
        self.check_place()?;
        owner::check_workspace(&self.root)?;
        owner::check_files(&self.root, view)?;
        let list = TrustList::of(view, effective);
        let record = self.record();
        let is_first = self.vouched == Vouched::Editor && matches!(record, Ok(None));
        if is_first {
            // What the editor vouches for is what there is at this moment, also when that is nothing.
            return self.keep(&list, TrustedBy::Editor);
        }
        if self.private_folder().is_some() {
            return Err(TrustError::Untrusted(self.untrusted(&list, false)));
        }
        let known = record.as_ref().ok().and_then(Option::as_ref);
        let is_known = known.is_some_and(|record| {
            let enough = match self.vouched {
                Vouched::Nobody => TrustedBy::Person,
                Vouched::Editor => TrustedBy::Editor,
            };
            record.holds(&list.digest(), enough)
        });
        if list.is_empty() || is_known {
            return Ok(());
        }
        Err(TrustError::Untrusted(self.untrusted(&list, false)))
    }

    /// The content as a person has to see it, compared with what was trusted before; with `keys`, the keys as well.
    #[must_use]
    pub fn untrusted(&self, list: &TrustList, keys: bool) -> Untrusted {
        let record = self.record();
        let mut text = String::new();
        if let Err(error) = &record {
            text.push_str(&format!("{error}, so that everything counts as new\n"));
        }
        text.push_str(&list.text(record.ok().flatten().as_ref(), keys));
        if let Some(folder) = self.private_folder() {
            let line = format!(
                "  `.jp/.id`: uses what is yours alone, your config and approvals in {}",
                on_one_line(folder.as_str())
            );
            text.push_str(if text.is_empty() { "" } else { "\n" });
            text.push_str(&line);
        }
        Untrusted {
            root: self.root.clone(),
            digest: self.digest(list),
            list: text,
        }
    }

    /// Names what a person is asked to trust: the content, and what of the person's own it would get.
    #[must_use]
    pub fn digest(&self, list: &TrustList) -> String {
        let content = list.digest();
        match self.private_folder() {
            Some(folder) => format!("{content} {folder}"),
            None => content,
        }
    }

    /// The person's config and approvals that the workspace would be the first to use, which nobody has vouched for.
    #[must_use]
    pub fn private_folder(&self) -> Option<Utf8PathBuf> {
        match self.vouched {
            Vouched::Nobody => workspace::unclaimed(&self.root),
            Vouched::Editor => None,
        }
    }

    fn check_place(&self) -> Result<(), TrustError> {
        match Records::name_of(&self.root) == self.place {
            true => Ok(()),
            false => Err(TrustError::Exchanged(self.root.clone())),
        }
    }

    /// Makes the person's private config for the workspace's id that of this folder, if it is no other's.
    pub(crate) fn claim(&self) {
        if let Err(error) = workspace::claim(&self.root, Claim::Implicit) {
            tracing::warn!(%error, "your private config is not bound to this workspace");
        }
    }

    /// Records that the content is trusted.
    ///
    /// # Errors
    ///
    /// [`TrustError::Records`], and [`TrustError::Exchanged`] when the folder is another one now.
    pub fn keep(&self, list: &TrustList, by: TrustedBy) -> Result<(), TrustError> {
        self.check_place()?;
        let content = TrustedContent {
            digest: list.digest(),
            by,
        };
        self.records.trust(&self.place, content, list.lines())?;
        self.claim();
        Ok(())
    }

    /// Records that a person trusts the content, the keys that the list names included.
    ///
    /// The person's private config for the workspace's id belongs to this folder from then on.
    ///
    /// # Errors
    ///
    /// As [`Door::keep`].
    pub fn keep_all(&self, list: &TrustList) -> Result<(), TrustError> {
        self.check_place()?;
        for key in list.keys() {
            self.allow(key)?;
        }
        workspace::claim(&self.root, Claim::Explicit)?;
        self.keep(list, TrustedBy::Person)
    }

    /// Records that a key may be sent where it would be sent.
    ///
    /// # Errors
    ///
    /// [`TrustError::Records`].
    pub fn allow(&self, key: &KeyUse) -> Result<(), TrustError> {
        self.records.allow(&key.variable, &key.origin, &self.root)?;
        Ok(())
    }
}

/// What a person has said about keys: by records, and by naming them in a config file of the person's own.
#[derive(Debug)]
pub struct Consents {
    records: Option<Records>,
    roots: Roots,
}

impl Consents {
    /// What the person at these roots has said.
    #[must_use]
    pub fn new(roots: Roots) -> Self {
        Self {
            // Without a place for records nothing was ever recorded.
            records: Records::open().ok(),
            roots,
        }
    }
}

impl KeyConsents for Consents {
    fn allows(&self, key: &KeyUse) -> bool {
        let is_recorded = self
            .records
            .as_ref()
            .is_some_and(|records| records.allows(&key.variable, &key.origin));
        is_recorded || {
            let graph = Graph::load(&self.roots, &DiskFiles::trusted());
            personal_keys(&graph).contains(key)
        }
    }
}

/// The keys with the addresses that the person's own files name together.
fn personal_keys(graph: &Graph) -> Vec<KeyUse> {
    let personal = graph.with_layers(|layer| jp_config::effects::is_personal(layer.source));
    let config = View::new(personal.into()).effective(&[]);
    let config = config.map_or_else(|| Value::Object(Map::new()), |located| located.to_json());
    list::keys(&config, true)
}
