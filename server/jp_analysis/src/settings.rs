//! How a repository wants its findings told, and the shape of files of settings.
//!
//! ```toml
//! # .jp/lsp.toml
//! [severity]
//! missing-catch-all = "error"
//! ```
//!
//! [`Settings::read`] takes what a text sets and every mistake in it.
//! A JSON Schema says what may stand in such a file: [`json_schema`] in this one; completion and [`hover`] go by any.

mod hover;
mod shape;

use std::sync::OnceLock;

use jp_config::document::{Document, Entry, Node};
use serde_json::{Map, Value, json};

pub use self::hover::hover;
pub(crate) use self::shape::{description, shape_at, words};
use crate::{
    diagnostic::Code,
    mistake::Mistake,
    severities::{Level, Severities},
};

/// Where the settings of a workspace stand, relative to it.
pub const PATH: &str = ".jp/lsp.toml";

/// The one table of the settings.
const SEVERITY: &str = "severity";

/// What a text sets.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Settings {
    /// How bad findings are; what has a mistake sets nothing.
    pub severities: Severities,
    /// What is wrong with the text, by position.
    pub mistakes: Vec<Mistake>,
}

impl Settings {
    /// Takes what a text sets, and all of its mistakes.
    #[must_use]
    pub fn read(text: &str) -> Self {
        let document = Document::parse(text);
        let mut settings = Self {
            mistakes: Mistake::of_syntax(&document),
            ..Self::default()
        };
        for entry in document.root().entries() {
            settings.table(entry);
        }
        settings.mistakes.sort();
        settings.mistakes.dedup();
        settings
    }

    fn table(&mut self, entry: Entry<'_>) {
        let key = entry.key();
        match entry.value() {
            _ if key != SEVERITY => self.mistake(
                entry,
                format!("unknown key `{key}`, the one table here is `[{SEVERITY}]`"),
            ),
            Node::Table(levels) => {
                for level in levels.entries() {
                    self.level(level);
                }
            }
            _ => self.mistake(
                entry,
                format!(
                    "`{SEVERITY}` is a table: write `[{SEVERITY}]`, and below it lines such as `missing-catch-all = \"error\"`"
                ),
            ),
        }
    }

    fn level(&mut self, entry: Entry<'_>) {
        let value = entry.value();
        let Some(level) = value.as_str() else {
            // Of a value that is missing the syntax error says so already.
            if !value.is_missing() {
                let message = format!(
                    "the severity of `{}` is a text: write `\"error\"`, `\"warning\"`, `\"information\"`, `\"hint\"` or `\"off\"`",
                    entry.key()
                );
                self.mistake(entry, message);
            }
            return;
        };
        if let Err(error) = self.severities.set(entry.key(), &level) {
            self.mistake(entry, error.to_string());
        }
    }

    fn mistake(&mut self, entry: Entry<'_>, message: String) {
        self.mistakes.push(Mistake {
            span: entry.key_span(),
            message,
        });
    }
}

/// The JSON Schema of `.jp/lsp.toml`, out of the codes and levels that there are.
#[must_use]
pub fn json_schema() -> &'static Value {
    static SCHEMA: OnceLock<Value> = OnceLock::new();
    SCHEMA.get_or_init(|| {
        let codes: Map<String, Value> = Code::ALL.iter().map(|code| {
            let level = json!({
                "description": code.summary(),
                "default": code.severity().as_str(),
                "enum": Level::NAMES,
            });
            (code.as_str().to_owned(), level)
        }).collect();
        json!({
            "$schema": "http://json-schema.org/draft-07/schema#",
            "title": "How findings are judged",
            "description": "How bad findings are in a repository: .jp/lsp.toml, which editors and `jp-lsp check` read.",
            "type": "object",
            "additionalProperties": false,
            "properties": {
                SEVERITY: {
                    "description": "How bad findings are, by their codes. An error stays one, and what is raised to an error fails `jp-lsp check` but stops no turn.",
                    "type": "object",
                    "additionalProperties": false,
                    "properties": codes,
                },
            },
        })
    })
}

#[cfg(test)]
#[path = "settings_tests.rs"]
mod tests;
