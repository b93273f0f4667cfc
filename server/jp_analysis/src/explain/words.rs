//! What `explain` tells a person: one sentence, what it rests on, and where that stands.
//!
//! ```text
//! edit runs without asking, by rule 2 at .jp/config.toml:5.
//!
//!   #  matches    rule                                why                        where
//!   1  no         /path starts with "secret": skip    "src/a" does not fit       .jp/config.toml:4
//!   2  yes        /path starts with "src": unattended "src/a" fits               .jp/config.toml:5
//! ```
//!
//! The decisions are those that the JSON of `explain` tells; rules and lines count from 1.
//! The terminal, the editors and the request `jp/explain` all show these words.

mod access;
mod config;
mod grants;
mod policy;
mod rules;
mod style;
mod summary;

pub(crate) use self::config::effective_sentence;
pub(crate) use self::grants::{Target, flag, grants, target};
pub(crate) use self::rules::{condition_words, mode_words};
pub use self::{
    access::{access, question_from_words},
    config::config,
    policy::{arguments_from_words, policy},
    style::Style,
    summary::{Region, ToolSummary, summarize, summary},
};
