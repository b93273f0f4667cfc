//! Text in, facts out: diagnostics, completion, hover, fixes, symbols.
//!
//! ```toml
//! [[conversation.tools.toggle_tools.access.config]]
//! path = "conversation.tools"
//! write = true     # error[sensitive-write]: write "insecure_allow" to acknowledge the risk
//! ```
//!
//! Nothing here reads a file, knows the time, or speaks a protocol.
//! What the caller passes in is a [`jp_config::graph::Graph`] of parsed files; what comes out are plain values with byte spans.
//!
//! ```
//! use std::sync::Arc;
//!
//! use jp_analysis::{Analysis, Options};
//! use jp_config::{
//!     graph::{Graph, Roots},
//!     memory::MemoryFiles,
//! };
//!
//! let mut files = MemoryFiles::default();
//! files.insert("/w/.jp/config.toml", "[asistant]\n");
//! let graph = Graph::load(&Roots::workspace_only("/w"), &files);
//! let analysis = Analysis::new(Arc::new(graph), Options::default());
//! let (_, findings) = analysis.all_diagnostics().next().unwrap();
//! assert_eq!(findings[0].code.to_string(), "unknown-key");
//! ```

pub mod actions;
pub mod agreement;
mod allow;
pub mod analysis;
mod anchor;
pub mod comparison;
pub mod completion;
pub mod diagnostic;
pub mod examples;
pub mod explain;
pub mod fix;
#[cfg(test)]
mod fixture;
pub mod folding;
pub mod format;
pub mod hints;
pub mod hover;
mod identity;
pub mod lenses;
mod limit;
pub mod links;
mod mistake;
mod model_alias;
mod names;
pub mod navigation;
pub mod options;
mod place;
pub mod reader;
pub mod recorded;
pub mod refusal;
mod risk;
mod rules;
pub mod selection;
pub mod settings;
pub mod severities;
pub mod signature;
pub mod starter;
pub mod symbols;
pub mod text;
pub mod tokens;
pub mod tool;

pub use self::{
    analysis::{Analysis, Effort},
    diagnostic::{Code, Diagnostic, Related, Severity, Tag},
    fix::{Edit, Fix, FixKind},
    mistake::Mistake,
    options::{Dialect, Options},
    place::Place,
    severities::{Level, Severities, SeverityError},
};
