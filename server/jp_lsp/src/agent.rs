//! Turns of the agent in an editor: who owns them, and what shows them.
//!
//! ```text
//! jp/query/start --> host --> turn --> sink, surfaces, progress, document --> client
//! ```

pub(crate) mod approved;
pub(crate) mod command;
mod document;
pub(crate) mod host;
pub(crate) mod pending;
mod present;
mod progress;
pub(crate) mod protocol;
pub(crate) mod rules;
mod sink;
pub(crate) mod surfaces;
mod turns;
mod waits;

pub(crate) use present::show_document;
