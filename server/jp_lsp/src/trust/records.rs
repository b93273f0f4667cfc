//! What a person has trusted, in the person's data folder.
//!
//! ```json
//! {"root": "/work/project", "trusted": [{"digest": "9f2c…", "by": "person"}],
//!  "settings": [["providers.mcp.search", "starts `search-server --fast`"]]}
//! {"variable": "OPENAI_API_KEY", "origin": "https://gateway.example", "root": "/work/project"}
//! {"id": "a1b2c", "root": "/work/project"}
//! ```
//!
//! One small file a record, replaced as a whole, readable by the person alone.

use std::{fs, io, io::Write as _};

use camino::{Utf8Path, Utf8PathBuf};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use sha2::{Digest as _, Sha256};
use tempfile::NamedTempFile;

use crate::disk::{
    config_files::read_text,
    data::{NoDataDirectory, create_private_directory, data_directory},
};

/// How many contents of one workspace are remembered.
const CONTENTS: usize = 64;

/// Why a record cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum RecordError {
    /// A record is there and cannot be understood.
    #[error("the record of what was trusted, `{file}`, cannot be read ({problem})")]
    Unreadable {
        /// The file.
        file: Utf8PathBuf,
        /// What is wrong with it.
        problem: String,
    },
    /// There is no place for records.
    #[error(transparent)]
    NoDataDirectory(#[from] NoDataDirectory),
    /// A record cannot be written.
    #[error("`{file}` cannot be written, so that nothing is trusted: {error}")]
    Unwritable {
        /// The file.
        file: Utf8PathBuf,
        /// What the system says.
        error: io::Error,
    },
}

/// Who has trusted something.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TrustedBy {
    /// A person who saw the list.
    Person,
    /// An editor, whose own question is about the folder and not about the list.
    Editor,
}

/// What was trusted of a workspace.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TrustRecord {
    /// The folder, without links.
    pub root: Utf8PathBuf,
    /// What it may start and send, the latest last: a folder and its parts may each have a config of their own.
    pub trusted: Vec<TrustedContent>,
    /// Each config path with what it sets off, in words, as it was trusted last.
    pub settings: Vec<(String, String)>,
}

/// One content that was trusted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TrustedContent {
    /// The digest of what is started and sent.
    pub digest: String,
    /// Who said so.
    pub by: TrustedBy,
}

impl TrustRecord {
    /// Whether a person trusts the content with this digest, or anybody at all where that is enough.
    #[must_use]
    pub fn holds(&self, digest: &str, enough: TrustedBy) -> bool {
        self.trusted.iter().any(|content| {
            content.digest == digest && (enough == TrustedBy::Editor || content.by == enough)
        })
    }
}

/// A key that may be sent to an address.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AllowedKey {
    /// The environment variable.
    pub variable: String,
    /// Scheme, host and port.
    pub origin: String,
    /// The workspace in which that was said.
    pub root: Utf8PathBuf,
}

/// The folder that an id of a workspace belongs to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Holder {
    id: String,
    root: Utf8PathBuf,
}

/// The workspace that a folder of an editor lay in when it was trusted first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct SeenFolder {
    folder: Utf8PathBuf,
    /// Without links; none where there was no workspace.
    workspace: Option<Utf8PathBuf>,
}

/// The records of a person.
#[derive(Debug, Clone)]
pub struct Records {
    directory: Utf8PathBuf,
}

impl Records {
    /// The records in the person's data folder.
    ///
    /// # Errors
    ///
    /// [`RecordError::NoDataDirectory`].
    pub fn open() -> Result<Self, RecordError> {
        let data = data_directory()?;
        Ok(Self {
            directory: data.join("trust"),
        })
    }

    /// The name under which a workspace is recorded: its path without links.
    #[must_use]
    pub fn name_of(root: &Utf8Path) -> Utf8PathBuf {
        root.canonicalize_utf8().unwrap_or_else(|_| root.to_owned())
    }

    /// What was trusted of the workspace at `root`.
    ///
    /// # Errors
    ///
    /// [`RecordError::Unreadable`].
    pub fn workspace(&self, root: &Utf8Path) -> Result<Option<TrustRecord>, RecordError> {
        let root = Self::name_of(root);
        let record: Option<TrustRecord> = read(&self.file("workspaces", root.as_str()))?;
        Ok(record.filter(|record| record.root == root))
    }

    /// Records that a content of the workspace at `root` is trusted, beside those that were before.
    ///
    /// A record that cannot be read is replaced.
    ///
    /// # Errors
    ///
    /// [`RecordError::Unwritable`].
    pub fn trust(
        &self,
        root: &Utf8Path,
        content: TrustedContent,
        settings: Vec<(String, String)>,
    ) -> Result<(), RecordError> {
        let before = self.workspace(root).ok().flatten();
        let mut trusted = before.map_or_else(Vec::new, |record| record.trusted);
        trusted.retain(|known| known.digest != content.digest);
        trusted.push(content);
        let superfluous = trusted.len().saturating_sub(CONTENTS);
        trusted.drain(..superfluous);
        let root = Self::name_of(root);
        let file = self.file("workspaces", root.as_str());
        let record = TrustRecord {
            root,
            trusted,
            settings,
        };
        write(&file, &record)
    }

    /// Records that a content of the workspace at `root` is trusted, unless something is recorded of it by then.
    ///
    /// # Errors
    ///
    /// [`RecordError::Unwritable`].
    pub fn trust_first(
        &self,
        root: &Utf8Path,
        content: TrustedContent,
        settings: Vec<(String, String)>,
    ) -> Result<(), RecordError> {
        let root = Self::name_of(root);
        let file = self.file("workspaces", root.as_str());
        let record = TrustRecord {
            root,
            trusted: vec![content],
            settings,
        };
        write_with(&file, &record, |temporary| {
            match temporary.persist_noclobber(&file) {
                Err(error) if error.error.kind() != io::ErrorKind::AlreadyExists => {
                    Err(error.error)
                }
                Ok(_) | Err(_) => Ok(()),
            }
        })
    }

    /// Forgets what was trusted of a workspace, the keys that were allowed in it included.
    ///
    /// Answers whether there was anything to forget.
    ///
    /// # Errors
    ///
    /// [`RecordError::Unwritable`].
    pub fn forget(&self, root: &Utf8Path) -> Result<bool, RecordError> {
        let root = Self::name_of(root);
        let mut forgotten = remove(&self.file("workspaces", root.as_str()))?;
        // An editor that starts again has not said more than before.
        for seen in self.all::<SeenFolder>("folders") {
            if seen.workspace.as_ref() == Some(&root) {
                let file = self.file("folders", seen.folder.as_str());
                let unseen = SeenFolder {
                    workspace: None,
                    ..seen
                };
                write(&file, &unseen)?;
            }
        }
        for holder in self.all::<Holder>("ids") {
            if holder.root == root {
                forgotten |= remove(&self.file("ids", &holder.id))?;
            }
        }
        for key in self.keys() {
            if key.root == root {
                forgotten |= remove(&self.key_file(&key.variable, &key.origin))?;
            }
        }
        Ok(forgotten)
    }

    /// Every workspace of which something is trusted, by path.
    #[must_use]
    pub fn workspaces(&self) -> Vec<TrustRecord> {
        let mut records: Vec<TrustRecord> = self.all("workspaces");
        records.sort_by(|one, other| one.root.cmp(&other.root));
        records
    }

    /// Every key that may be sent somewhere, by variable.
    #[must_use]
    pub fn keys(&self) -> Vec<AllowedKey> {
        let mut keys: Vec<AllowedKey> = self.all("keys");
        keys.sort_by(|one, other| {
            (&one.variable, &one.origin).cmp(&(&other.variable, &other.origin))
        });
        keys
    }

    /// Whether the value of a variable may be sent to an address.
    #[must_use]
    pub fn allows(&self, variable: &str, origin: &str) -> bool {
        let found = read::<AllowedKey>(&self.key_file(variable, origin));
        // A record that cannot be read allows nothing.
        found.is_ok_and(|key| {
            key.is_some_and(|key| key.variable == variable && key.origin == origin)
        })
    }

    /// Records that the value of a variable may be sent to an address, as was said in a workspace.
    ///
    /// # Errors
    ///
    /// [`RecordError::Unwritable`].
    pub fn allow(&self, variable: &str, origin: &str, root: &Utf8Path) -> Result<(), RecordError> {
        let key = AllowedKey {
            variable: variable.to_owned(),
            origin: origin.to_owned(),
            root: Self::name_of(root),
        };
        write(&self.key_file(variable, origin), &key)
    }

    /// The folder that a person said the workspace id `id` belongs to, if that folder is still there.
    #[must_use]
    pub fn holder(&self, id: &str) -> Option<Utf8PathBuf> {
        let holder = read::<Holder>(&self.file("ids", id)).ok().flatten()?;
        (holder.id == id && holder.root.join(".jp").is_dir()).then_some(holder.root)
    }

    /// The workspace that a folder lay in when an editor trusted it first, which is `workspace` the first time.
    ///
    /// None where it lay in none; also where that cannot be read or written, since nobody knows then.
    #[must_use]
    pub fn first_seen(
        &self,
        folder: &Utf8Path,
        workspace: Option<&Utf8Path>,
    ) -> Option<Utf8PathBuf> {
        let file = self.file("folders", folder.as_str());
        if let Some(seen) = read::<SeenFolder>(&file).ok()? {
            return seen.workspace.filter(|_| seen.folder == folder);
        }
        let seen = SeenFolder {
            folder: folder.to_owned(),
            workspace: workspace.map(Self::name_of),
        };
        match write(&file, &seen) {
            Ok(()) => seen.workspace,
            Err(error) => {
                tracing::warn!(%folder, %error, "what is trusted is asked about with the first turn");
                None
            }
        }
    }

    /// Records that the workspace id `id` belongs to the workspace at `root`, whoever had it before.
    ///
    /// # Errors
    ///
    /// [`RecordError::Unwritable`].
    pub fn hold(&self, id: &str, root: &Utf8Path) -> Result<(), RecordError> {
        let holder = Holder {
            id: id.to_owned(),
            root: Self::name_of(root),
        };
        write(&self.file("ids", id), &holder)
    }

    fn key_file(&self, variable: &str, origin: &str) -> Utf8PathBuf {
        self.file("keys", &format!("{variable} {origin}"))
    }

    fn file(&self, kind: &str, name: &str) -> Utf8PathBuf {
        let hash = Sha256::digest(name.as_bytes());
        let name: String = hash
            .iter()
            .take(16)
            .map(|byte| format!("{byte:02x}"))
            .collect();
        self.directory.join(kind).join(format!("{name}.json"))
    }

    fn all<T: DeserializeOwned>(&self, kind: &str) -> Vec<T> {
        let Ok(entries) = fs::read_dir(self.directory.join(kind)) else {
            return Vec::new();
        };
        let paths = entries
            .filter_map(Result::ok)
            .filter_map(|entry| Utf8PathBuf::from_path_buf(entry.path()).ok());
        paths
            .filter(|path| path.extension() == Some("json"))
            .filter_map(|path| read(&path).ok().flatten())
            .collect()
    }
}

fn read<T: DeserializeOwned>(file: &Utf8Path) -> Result<Option<T>, RecordError> {
    let unreadable = |problem: String| RecordError::Unreadable {
        file: file.to_owned(),
        problem,
    };
    if fs::symlink_metadata(file).is_err_and(|error| error.kind() == io::ErrorKind::NotFound) {
        return Ok(None);
    }
    let text = read_text(file).map_err(|problem| unreadable(problem.to_string()))?;
    serde_json::from_str(&text)
        .map(Some)
        .map_err(|error| unreadable(error.to_string()))
}

fn write<T: Serialize>(file: &Utf8Path, record: &T) -> Result<(), RecordError> {
    write_with(file, record, |temporary| {
        temporary
            .persist(file)
            .map(drop)
            .map_err(|error| error.error)
    })
}

/// Writes a record beside its place, and has it put there.
fn write_with<T: Serialize>(
    file: &Utf8Path,
    record: &T,
    put: impl FnOnce(NamedTempFile) -> io::Result<()>,
) -> Result<(), RecordError> {
    let unwritable = |error: io::Error| RecordError::Unwritable {
        file: file.to_owned(),
        error,
    };
    let directory = file.parent().unwrap_or(file);
    let text = serde_json::to_string_pretty(record).map_err(|error| unwritable(error.into()))?;
    let written = create_private_directory(directory).and_then(|()| {
        let mut temporary = tempfile::Builder::new()
            .prefix(".")
            .suffix(".tmp")
            .tempfile_in(directory)?;
        temporary.write_all(text.as_bytes())?;
        temporary.as_file().sync_all()?;
        put(temporary)
    });
    written.map_err(unwritable)
}

/// Removes a record; answers whether there was one.
fn remove(file: &Utf8Path) -> Result<bool, RecordError> {
    match fs::remove_file(file) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(RecordError::Unwritable {
            file: file.to_owned(),
            error,
        }),
    }
}

#[cfg(test)]
#[path = "records_tests.rs"]
mod tests;
