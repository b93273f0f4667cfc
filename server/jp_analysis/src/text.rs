//! The ground floor: what stands at a place of a text, and the text that a change writes.
//!
//! ```toml
//! policy.run = [{ mode = "ask" }]   # `conversation.tools.edit.policy.run[0].mode`, and how the rule is taken out
//! ```
//!
//! What two features need lies here, in [`crate::tool`] or in [`crate::explain`]; features do not borrow from one another.

pub(crate) mod list_edit;
pub mod markup;
pub(crate) mod mend;
pub(crate) mod node;
pub(crate) mod position;
pub(crate) mod text_edit;
pub mod toml_text;
pub(crate) mod walk;
