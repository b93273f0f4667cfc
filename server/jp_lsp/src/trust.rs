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
mod place;
mod records;

use camino::{Utf8Path, Utf8PathBuf};
use jp_agent::{AgentError, KeyConsents, Untrusted};
use jp_config::{
    graph::{Graph, Roots},
    view::View,
};
use jp_llm::KeyUse;
use serde_json::{Map, Value};

use self::place::Place;
pub(crate) use self::{copied::unprivileged, list::on_one_line};
pub use self::{
    list::TrustList,
    owner::ForeignOwner,
    records::{RecordError, Records, TrustRecord, TrustedBy, TrustedContent},
};
use crate::disk::{
    config_files::DiskFiles,
    workspace::{self, Private},
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
    /// Another folder stands where the workspace stood, or what is the person's own belongs to another by now.
    #[error(
        "nothing was started: `{0}` is not the folder any more that it was, or what is yours alone is not found for it any more; \
         begin again, and look at what it starts and sends"
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
///
/// It is for one folder, and for what of the person's own was found for it when the door was made.
#[derive(Debug, Clone)]
pub struct Door {
    root: Utf8PathBuf,
    place: Place,
    private: Option<Private>,
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
            place: Place::of(root),
            private: workspace::private(root),
            records: Records::open()?,
            vouched,
        })
    }

    /// Whether the folder is the same, and what of the person's own is found for it.
    ///
    /// Where it is not, whatever was made with the door is to be made anew.
    #[must_use]
    pub fn is_current(&self) -> bool {
        Place::of(&self.root) == self.place && workspace::private(&self.root) == self.private
    }

    /// Whether turns may still begin with what was found when the door was made, though there may be more by now.
    #[must_use]
    pub fn holds(&self) -> bool {
        self.check_place().is_ok()
    }

    /// What was recorded of the workspace.
    ///
    /// # Errors
    ///
    /// [`RecordError::Unreadable`]: the record counts as none.
    pub fn record(&self) -> Result<Option<TrustRecord>, RecordError> {
        self.records.workspace(&self.place.path)
    }

    /// Records the content as what the editor vouches for, also when that is nothing, where nothing was recorded yet.
    ///
    /// What is the person's own is not the editor's to give.
    ///
    /// # Errors
    ///
    /// [`TrustError`].
    pub fn note(&self, view: &View, effective: &Value) -> Result<(), TrustError> {
        self.check(view)?;
        match self.record() {
            Ok(None) => {
                let list = TrustList::of(view, effective);
                let content = TrustedContent {
                    digest: list.digest(),
                    by: TrustedBy::Editor,
                };
                let place = &self.place.path;
                Ok(self.records.trust_first(place, content, list.lines())?)
            }
            _ => Ok(()),
        }
    }

    /// Passes when the content of this config is trusted, or there is nothing to trust.
    ///
    /// What is the person's own, and would be used here for the first time because the folder says so, is asked about as well.
    ///
    /// # Errors
    ///
    /// [`TrustError`].
    pub fn pass(&self, view: &View, effective: &Value) -> Result<(), TrustError> {
        self.check(view)?;
        let list = TrustList::of(view, effective);
        let record = self.record();
        let known = record.as_ref().ok().and_then(Option::as_ref);
        let is_known = known.is_some_and(|record| {
            let enough = match self.vouched {
                Vouched::Nobody => TrustedBy::Person,
                Vouched::Editor => TrustedBy::Editor,
            };
            record.holds(&list.digest(), enough)
        });
        if (list.is_empty() || is_known) && self.asked_private().is_none() {
            return Ok(());
        }
        Err(TrustError::Untrusted(self.untrusted(&list, false)))
    }

    /// Refuses a folder that is not the one any more for which the door was made, and one that somebody else owns.
    fn check(&self, view: &View) -> Result<(), TrustError> {
        self.check_place()?;
        owner::check_workspace(&self.root)?;
        Ok(owner::check_files(&self.root, view)?)
    }

    fn check_place(&self) -> Result<(), TrustError> {
        let is_same = Place::of(&self.root) == self.place
            // What was found is used; what is found only now is not.
            && (self.private.is_none() || workspace::private(&self.root) == self.private);
        match is_same {
            true => Ok(()),
            false => Err(TrustError::Exchanged(self.root.clone())),
        }
    }

    /// The content as a person has to see it, compared with what was trusted before; with `keys`, the keys as well.
    #[must_use]
    pub fn untrusted(&self, list: &TrustList, keys: bool) -> Untrusted {
        let record = self.record();
        let mut lines = Vec::new();
        if let Err(error) = &record {
            lines.push(format!("{error}, so that everything counts as new"));
        }
        lines.push(list.text(record.ok().flatten().as_ref(), keys));
        if let Some(private) = self.asked_private() {
            lines.push(format!(
                "  `.jp/.id`: uses what is yours alone, your config and approvals in {}",
                on_one_line(private.folder.as_str())
            ));
        }
        lines.retain(|line| !line.is_empty());
        Untrusted {
            root: self.root.clone(),
            digest: self.digest(list),
            list: lines.join("\n"),
        }
    }

    /// Names what a person is asked to trust: the content, and what of the person's own it would get.
    #[must_use]
    pub fn digest(&self, list: &TrustList) -> String {
        let content = list.digest();
        match self.asked_private() {
            Some(private) => format!("{content} {}", private.folder),
            None => content,
        }
    }

    /// Whether nothing is started or sent, and nothing of the person's own is used for the first time.
    #[must_use]
    pub fn asks_nothing(&self, list: &TrustList) -> bool {
        list.is_empty() && list.keys().is_empty() && self.asked_private().is_none()
    }

    /// The person's config and approvals that the workspace would be the first to use.
    fn asked_private(&self) -> Option<&Private> {
        let private = self.private.as_ref().filter(|private| private.decides())?;
        let holder = self.records.holder(&private.id);
        (holder.as_ref() != Some(&self.place.path)).then_some(private)
    }

    /// Records that a person trusts the content, and what of the person's own the list names.
    ///
    /// The person's private config for the workspace's id belongs to this folder from then on.
    ///
    /// # Errors
    ///
    /// [`TrustError::Records`], and [`TrustError::Exchanged`] when the folder is another one now.
    pub fn keep(&self, list: &TrustList) -> Result<(), TrustError> {
        self.check_place()?;
        if let Some(private) = self.asked_private() {
            self.records.hold(&private.id, &self.place.path)?;
        }
        let content = TrustedContent {
            digest: list.digest(),
            by: TrustedBy::Person,
        };
        self.records
            .trust(&self.place.path, content, list.lines())?;
        Ok(())
    }

    /// Records that a person trusts the content, the keys that the list names included.
    ///
    /// # Errors
    ///
    /// As [`Door::keep`].
    pub fn keep_all(&self, list: &TrustList) -> Result<(), TrustError> {
        self.check_place()?;
        for key in list.keys() {
            self.allow(key)?;
        }
        self.keep(list)
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
