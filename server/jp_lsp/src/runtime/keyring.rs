//! Keys of providers in the keyring of the system.
//!
//! ```text
//! keyring of the system                          the person's data folder
//! jp-lsp, ANTHROPIC_API_KEY -> sk-ant-…          kept-keys/ANTHROPIC_API_KEY    (a name, never a key)
//! ```
//!
//! Nothing asks the keyring for a key that is not known by name, so that a person who keeps none never meets it.

use std::{
    fs,
    io::{self, Read as _},
    sync::{Arc, mpsc},
    time::Duration,
};

use camino::Utf8PathBuf;
use jp_agent::KeptKeys;
use jp_llm::is_key_variable;
use keyring_core::{CredentialStore, Entry, Error};

use crate::disk::data::{NoDataDirectory, data_directory, write_whole};

/// What the keyring calls us.
const SERVICE: &str = "jp-lsp";

/// How long a person has to open the keyring, which may ask for a password.
const PATIENCE: Duration = Duration::from_secs(60);

/// How many bytes a key may have: what the narrowest of the keyrings takes.
const LONGEST_KEY: usize = 2560;

/// Why a key cannot be kept, read or forgotten.
#[derive(Debug, thiserror::Error)]
pub enum KeyringError {
    /// There is no keyring, or it is locked.
    #[error("the keyring of this system cannot be reached: {0}")]
    Unreachable(String),
    /// The keyring says nothing.
    #[error(
        "the keyring of this system does not answer; it may wait for its password in another window"
    )]
    Silent,
    /// The keyring refuses.
    #[error("the keyring of this system refuses: {0}")]
    Refused(String),
    /// The name is known, and the keyring has no key.
    #[error("the keyring has it no more, keep it again with `jp-lsp key set`")]
    Gone,
    /// What was given is no key.
    #[error("{0}")]
    NoKey(&'static str),
    /// The name under which the key is kept cannot be written.
    #[error("`{file}` cannot be written: {error}")]
    Unwritable {
        /// The file that stands for the name.
        file: Utf8PathBuf,
        /// What the system says.
        error: io::Error,
    },
}

type Opened = keyring_core::Result<Arc<CredentialStore>>;

/// The keys that a person keeps in the keyring of the system.
#[derive(Debug, Clone)]
pub struct Keyring {
    open: fn() -> Opened,
    names: Utf8PathBuf,
    patience: Duration,
}

impl Keyring {
    /// The keyring of this system. It is not touched before a key is asked for.
    ///
    /// # Errors
    ///
    /// [`NoDataDirectory`]: there is no place for the names of keys.
    pub fn of_system() -> Result<Self, NoDataDirectory> {
        Ok(Self {
            open: open_system,
            names: data_directory()?.join("kept-keys"),
            patience: PATIENCE,
        })
    }

    /// The same keyring for somebody who waits no longer than this for it.
    #[must_use]
    pub const fn with_patience(mut self, patience: Duration) -> Self {
        self.patience = patience;
        self
    }

    /// The variables under whose names keys are kept, in order. The keyring is not asked.
    #[must_use]
    pub fn variables(&self) -> Vec<String> {
        let Ok(entries) = fs::read_dir(&self.names) else {
            return Vec::new();
        };
        let names = entries
            .filter_map(Result::ok)
            .filter_map(|entry| entry.file_name().into_string().ok());
        let mut names: Vec<String> = names.filter(|name| is_key_variable(name)).collect();
        names.sort();
        names
    }

    /// Whether a key is kept under the name of a variable. The keyring is not asked.
    #[must_use]
    pub fn keeps(&self, variable: &str) -> bool {
        is_key_variable(variable) && self.names.join(variable).is_file()
    }

    /// The key under the name of a variable; none where none is kept.
    ///
    /// # Errors
    ///
    /// [`KeyringError`]; a key that is kept cannot be read.
    pub fn read(&self, variable: &str) -> Result<Option<String>, KeyringError> {
        if !self.keeps(variable) {
            return Ok(None);
        }
        let key = self.with_entry(variable, Entry::get_password)?;
        Ok(Some(key))
    }

    /// Keeps a key under the name of a variable, in place of what was kept there.
    ///
    /// # Errors
    ///
    /// [`KeyringError`]; nothing changed, except for [`KeyringError::Unwritable`].
    pub fn keep(&self, variable: &str, key: &str) -> Result<(), KeyringError> {
        let key = checked(key)?.to_owned();
        self.with_entry(variable, move |entry| entry.set_password(&key))?;
        let file = self.names.join(variable);
        let written = write_whole(&file, "This key is in the keyring of the system.\n");
        written.map_err(|error| KeyringError::Unwritable { file, error })
    }

    /// Forgets the key under the name of a variable; answers whether one was kept.
    ///
    /// # Errors
    ///
    /// [`KeyringError`]; the key may still be kept.
    pub fn forget(&self, variable: &str) -> Result<bool, KeyringError> {
        if !self.keeps(variable) {
            return Ok(false);
        }
        match self.with_entry(variable, Entry::delete_credential) {
            Ok(()) | Err(KeyringError::Gone) => {}
            Err(error) => return Err(error),
        }
        let file = self.names.join(variable);
        let removed = fs::remove_file(&file);
        removed.map_err(|error| KeyringError::Unwritable { file, error })?;
        Ok(true)
    }

    /// Says why the keyring cannot be reached, if it cannot.
    ///
    /// # Errors
    ///
    /// [`KeyringError`].
    pub fn reach(&self) -> Result<(), KeyringError> {
        let open = self.open;
        self.within_patience(move || open().map(|_| ()))
    }

    fn with_entry<T: Send + 'static>(
        &self,
        variable: &str,
        work: impl FnOnce(&Entry) -> keyring_core::Result<T> + Send + 'static,
    ) -> Result<T, KeyringError> {
        let (open, variable) = (self.open, variable.to_owned());
        self.within_patience(move || work(&open()?.build(SERVICE, &variable, None)?))
    }

    /// Works on a thread of its own: a keyring that hangs keeps nobody else from ending.
    fn within_patience<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> keyring_core::Result<T> + Send + 'static,
    ) -> Result<T, KeyringError> {
        let (done, result) = mpsc::channel();
        std::thread::spawn(move || {
            // Whoever asked may have gone.
            let _ = done.send(work());
        });
        match result.recv_timeout(self.patience) {
            Ok(result) => result.map_err(in_words),
            Err(_) => Err(KeyringError::Silent),
        }
    }
}

impl KeptKeys for Keyring {
    fn key(&self, variable: &str) -> Result<Option<String>, String> {
        self.read(variable).map_err(|error| error.to_string())
    }
}

/// Reads a key that somebody writes to us: one line.
///
/// # Errors
///
/// [`io::Error`] of the reader. What is no key is refused when it is to be kept.
pub fn read_key(input: impl io::Read) -> io::Result<String> {
    let mut text = String::new();
    let limit = LONGEST_KEY as u64 * 2;
    input.take(limit).read_to_string(&mut text)?;
    Ok(text)
}

/// The key without what surrounds it, if it can be sent at all.
fn checked(text: &str) -> Result<&str, KeyringError> {
    let key = text.trim();
    if key.is_empty() {
        return Err(KeyringError::NoKey("no key was given, nothing is kept"));
    }
    if key.len() > LONGEST_KEY {
        return Err(KeyringError::NoKey(
            "that is too long for a key, nothing is kept",
        ));
    }
    // What goes into a header.
    if !key.bytes().all(|byte| byte.is_ascii_graphic()) {
        return Err(KeyringError::NoKey(
            "that is no key, nothing is kept: a key is one line without spaces, of letters, digits and signs of ASCII",
        ));
    }
    Ok(key)
}

/// Never with the bytes that an error may carry.
fn in_words(error: Error) -> KeyringError {
    match error {
        Error::NoEntry => KeyringError::Gone,
        Error::PlatformFailure(error) | Error::NoStorageAccess(error) => {
            let problem = error.to_string();
            let problem = problem.strip_prefix("zbus error: ").unwrap_or(&problem);
            KeyringError::Unreachable(problem.to_owned())
        }
        Error::BadEncoding(_) | Error::BadDataFormat(..) => {
            KeyringError::Refused("what it keeps is no key".to_owned())
        }
        Error::Ambiguous(_) => {
            KeyringError::Refused("it keeps several keys under this name".to_owned())
        }
        error => KeyringError::Refused(error.to_string()),
    }
}

#[cfg(all(unix, not(target_vendor = "apple")))]
fn open_system() -> Opened {
    Ok(zbus_secret_service_keyring_store::Store::new()?)
}

#[cfg(target_os = "macos")]
fn open_system() -> Opened {
    Ok(apple_native_keyring_store::keychain::Store::new()?)
}

#[cfg(windows)]
fn open_system() -> Opened {
    Ok(windows_native_keyring_store::Store::new()?)
}

#[cfg(test)]
#[path = "keyring_tests.rs"]
mod tests;
