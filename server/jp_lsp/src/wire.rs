//! The connection to the client: streams, frames, and JSON-RPC around the framework tower-lsp.
//!
//! ```text
//! stdin -> frames -> framework -> front -> events          outbox -> framework -> frames -> stdout
//! ```

pub(crate) mod front;
pub(crate) mod outbox;
pub mod transport;

pub use front::Stop;
pub use outbox::Outbox;
