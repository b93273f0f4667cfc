//! Model ids and aliases.
//!
//! ```toml
//! [assistant.model]
//! id = "anthropic/claude-sonnet-5"   # a model id
//! id = "haiku"                       # an alias, looked up in providers.llm.aliases
//! ```

use std::fmt;

use crate::{schema::provider_names, words::suggest};

/// A provider and its name for a model.
#[derive(Debug, Clone, Eq, PartialEq, Hash)]
pub struct ModelId {
    /// One of [`provider_names`], or `test`.
    pub provider: String,
    /// The provider's name for the model; it may contain slashes.
    pub name: String,
}

/// A model id, or the alias of one.
#[derive(Debug, Clone, Eq, PartialEq, Hash)]
pub enum ModelReference {
    /// The full id.
    Id(ModelId),
    /// A key of `providers.llm.aliases`.
    Alias(String),
}

/// Why a text names no model.
#[derive(Debug, Clone, Eq, PartialEq, thiserror::Error)]
pub enum ModelIdError {
    /// There is nothing before or after the slash, or nothing at all.
    #[error("model id `{0}` is incomplete: write `<provider>/<model>` or an alias")]
    Incomplete(String),
    /// The part before the first slash is no provider.
    #[error("unknown provider `{provider}`, expected one of {}{}", known(), did_you_mean(.near))]
    UnknownProvider {
        /// The written provider.
        provider: String,
        /// The provider that it resembles.
        near: Option<&'static str>,
    },
    /// The name in the table form of an id is empty.
    #[error("the model name is empty: write the provider's name for the model")]
    EmptyName,
    /// The name holds a character that no model name has.
    #[error(
        "model name `{name}` contains `{character}`: only letters, digits and `_`, `-`, `.`, `:`, `/`, `~` are legal"
    )]
    Name {
        /// The written name.
        name: String,
        /// The first wrong character.
        character: char,
    },
}

impl ModelId {
    /// Reads `<provider>/<name>`, split at the first slash; white space around either half is dropped.
    ///
    /// # Errors
    ///
    /// Fails where a half is empty, the provider is unknown, or the name has a wrong character.
    pub fn parse(text: &str) -> Result<Self, ModelIdError> {
        let incomplete = || ModelIdError::Incomplete(text.to_owned());
        let (provider, name) = text.split_once('/').ok_or_else(incomplete)?;
        let (provider, name) = (provider.trim(), name.trim());
        if provider.is_empty() || name.is_empty() {
            return Err(incomplete());
        }
        if !provider_names().any(|known| known == provider) && provider != "test" {
            return Err(ModelIdError::UnknownProvider {
                provider: provider.to_owned(),
                near: suggest(provider, provider_names()),
            });
        }
        Self::check_name(name)?;
        Ok(Self {
            provider: provider.to_owned(),
            name: name.to_owned(),
        })
    }

    /// Whether a text may be the name of a model, as the table form of an id spells it; white space is not dropped there.
    ///
    /// # Errors
    ///
    /// Fails on an empty name and on a wrong character.
    pub fn check_name(name: &str) -> Result<(), ModelIdError> {
        if name.is_empty() {
            return Err(ModelIdError::EmptyName);
        }
        let wrong = |character: &char| {
            !(character.is_ascii_alphanumeric() || "_-.:/~".contains(*character))
        };
        match name.chars().find(wrong) {
            Some(character) => Err(ModelIdError::Name {
                name: name.to_owned(),
                character,
            }),
            None => Ok(()),
        }
    }
}

impl ModelReference {
    /// Reads a model id, or, where there is no slash, an alias.
    ///
    /// Whether the alias exists is not looked at.
    ///
    /// # Errors
    ///
    /// Fails on an empty text, and as [`ModelId::parse`] does.
    pub fn parse(text: &str) -> Result<Self, ModelIdError> {
        if text.contains('/') {
            ModelId::parse(text).map(Self::Id)
        } else if text.trim().is_empty() {
            Err(ModelIdError::Incomplete(text.to_owned()))
        } else {
            Ok(Self::Alias(text.to_owned()))
        }
    }
}

impl fmt::Display for ModelId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}/{}", self.provider, self.name)
    }
}

impl fmt::Display for ModelReference {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Id(id) => id.fmt(formatter),
            Self::Alias(alias) => formatter.write_str(alias),
        }
    }
}

fn known() -> String {
    let quoted: Vec<_> = provider_names().map(|name| format!("`{name}`")).collect();
    quoted.join(", ")
}

fn did_you_mean(near: &Option<&str>) -> String {
    near.map_or_else(String::new, |near| format!("; did you mean `{near}`?"))
}

#[cfg(test)]
#[path = "model_id_tests.rs"]
mod tests;
