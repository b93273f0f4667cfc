//! Conversation ids: `jp-c17758406187`, the time of creation in tenths of a second.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use crate::error::ConversationError;
use crate::timestamp::Timestamp;

const PREFIX: &str = "jp-c";
const SLUG_LIMIT: usize = 60;

/// The id of a conversation.
///
/// Read in each of the forms that occur: `jp-c17758406187` as shown to people, `17758406187` as a directory name,
/// `17758406187-missing-date` as a directory name of a released `jp` with its slug.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ConversationId(u64);

impl ConversationId {
    /// The id of a conversation created at `deciseconds` tenths of a second since 1970.
    #[must_use]
    pub const fn from_deciseconds(deciseconds: u64) -> Self {
        Self(deciseconds)
    }

    /// The id of a conversation created at `time`.
    #[must_use]
    pub fn at(time: Timestamp) -> Self {
        Self(time.deciseconds())
    }

    /// Tenths of a second since 1970.
    #[must_use]
    pub const fn deciseconds(self) -> u64 {
        self.0
    }

    /// The name of the conversation's directory in the store.
    #[must_use]
    pub fn directory_name(self) -> String {
        self.0.to_string()
    }

    /// The name of the conversation's directory in the layout of a released `jp`: the number and a slug of the title.
    #[must_use]
    pub fn released_directory_name(self, title: Option<&str>) -> String {
        match title.map(slug) {
            Some(slug) if !slug.is_empty() => format!("{}-{slug}", self.0),
            _ => self.directory_name(),
        }
    }

    /// The id that follows, for a second conversation in the same tenth of a second.
    #[must_use]
    pub(crate) const fn next(self) -> Self {
        Self(self.0.saturating_add(1))
    }
}

/// Lower-case letters and digits, runs of anything else as one `-`, 60 bytes at most.
fn slug(title: &str) -> String {
    let mut slug = String::new();
    for character in title.chars().flat_map(char::to_lowercase) {
        if slug.len() >= SLUG_LIMIT {
            break;
        }
        if character.is_ascii_alphanumeric() {
            slug.push(character);
        } else if !slug.is_empty() && !slug.ends_with('-') {
            slug.push('-');
        }
    }
    slug.trim_end_matches('-').to_owned()
}

impl fmt::Display for ConversationId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{PREFIX}{}", self.0)
    }
}

impl FromStr for ConversationId {
    type Err = ConversationError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let number = text.strip_prefix(PREFIX).unwrap_or(text);
        let number = number.split_once('-').map_or(number, |(number, _)| number);
        // `parse` accepts a leading `+`, and leading zeros would give two spellings of one directory.
        let canonical = number.bytes().all(|byte| byte.is_ascii_digit())
            && (number == "0" || !number.starts_with('0'));
        number
            .parse()
            .ok()
            .filter(|_| canonical)
            .map(Self)
            .ok_or_else(|| ConversationError::InvalidId {
                text: text.to_owned(),
            })
    }
}

impl Serialize for ConversationId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for ConversationId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?
            .parse()
            .map_err(de::Error::custom)
    }
}

#[cfg(test)]
#[path = "id_tests.rs"]
mod tests;
