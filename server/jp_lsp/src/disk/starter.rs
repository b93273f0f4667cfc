//! The first config of a folder.

use std::{
    fs::{self, OpenOptions},
    io::{self, Write as _},
};

use camino::{Utf8Path, Utf8PathBuf};
use jp_analysis::starter::{DEFAULT_MODEL, starter};
use jp_config::{graph::EXTENSIONS, model_id::ModelId};
use jp_llm::ProviderId;

/// Why no config was written.
#[derive(Debug, thiserror::Error)]
pub enum StarterError {
    /// There is a config.
    #[error("`{0}` is there already and stays as it is")]
    Exists(Utf8PathBuf),
    /// The folder is none.
    #[error("`{0}` is no folder")]
    NoFolder(Utf8PathBuf),
    /// The model's name is no `provider/name`.
    #[error(
        "`{given}` is no model: write `provider/name`, such as `{DEFAULT_MODEL}`, with one of {providers}"
    )]
    NoModel {
        /// What was given.
        given: String,
        /// The providers there are.
        providers: String,
    },
    /// The file cannot be written.
    #[error("`{path}` cannot be written: {source}")]
    Io {
        /// The file or folder.
        path: Utf8PathBuf,
        /// Why.
        source: io::Error,
    },
}

/// The model of a starter: the one that is asked for, else one whose key is in the environment, else the default.
///
/// # Errors
///
/// [`StarterError::NoModel`].
pub fn model(asked: Option<&str>, is_set: impl Fn(&str) -> bool) -> Result<ModelId, StarterError> {
    let found = || {
        let (_, model) = MODELS
            .iter()
            .find(|(provider, _)| provider.default_key_variable().is_some_and(&is_set))?;
        Some(*model)
    };
    let given = asked.or_else(found).unwrap_or(DEFAULT_MODEL);
    let is_known = |model: &ModelId| {
        model
            .to_string()
            .split_once('/')
            .is_some_and(|(provider, _)| provider.parse::<ProviderId>().is_ok())
    };
    ModelId::parse(given)
        .ok()
        .filter(is_known)
        .ok_or_else(|| StarterError::NoModel {
            given: given.to_owned(),
            providers: ProviderId::ALL
                .map(|id| format!("`{}`", id.as_str()))
                .join(", "),
        })
}

/// A model of each provider whose key may be there, the first that fits first.
const MODELS: [(ProviderId, &str); 6] = [
    (ProviderId::Anthropic, DEFAULT_MODEL),
    (ProviderId::Openai, "openai/gpt-5"),
    (ProviderId::Google, "google/gemini-2.5-pro"),
    (
        ProviderId::Openrouter,
        "openrouter/anthropic/claude-sonnet-4.5",
    ),
    (ProviderId::Deepseek, "deepseek/deepseek-chat"),
    (ProviderId::Xai, "xai/grok-4"),
];

/// Writes `.jp/config.toml` below `folder` and answers its path; what is there stays as it is.
///
/// # Errors
///
/// [`StarterError`]; no file was changed then.
pub fn create(folder: &Utf8Path, model: &ModelId) -> Result<Utf8PathBuf, StarterError> {
    if !folder.is_dir() {
        return Err(StarterError::NoFolder(folder.to_owned()));
    }
    let directory = folder.join(".jp");
    for extension in EXTENSIONS {
        let path = directory.join(format!("config.{extension}"));
        // A link that leads nowhere is somebody's too.
        if fs::symlink_metadata(&path).is_ok() {
            return Err(StarterError::Exists(path));
        }
    }
    let path = directory.join("config.toml");
    let failed = |path: &Utf8Path| {
        let path = path.to_owned();
        move |source| StarterError::Io { path, source }
    };
    fs::create_dir_all(&directory).map_err(failed(&directory))?;
    let opened = OpenOptions::new().write(true).create_new(true).open(&path);
    let mut file = match opened {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            return Err(StarterError::Exists(path));
        }
        opened => opened.map_err(failed(&path))?,
    };
    file.write_all(starter(model).as_bytes())
        .map_err(failed(&path))?;
    Ok(path)
}
