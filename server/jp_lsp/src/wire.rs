//! The connection to the client, and everything that knows the framework tower-lsp.
//!
//! ```text
//! stdin -> frames -> message -> front -> events          outbox -> framework -> outgoing -> stdout
//! ```

mod error;
mod frames;
mod framework;
mod front;
mod message;
mod opening;
mod outbox;
mod outgoing;
#[cfg(unix)]
mod pollable;
mod stdio;
mod stop;

pub(crate) use front::{Front, FrontPorts};
pub use opening::{Opening, opening};
pub use outbox::{ClientError, Outbox};
pub use outgoing::{Outgoing, Wire, write_to};
pub(crate) use stdio::{stdin, stdout};
pub use stop::Stop;

use std::sync::Arc;

use crate::session::engine::Engine;

/// Opens the connection to a client: the way to it, and what hears it. Call it inside the runtime.
pub(crate) fn open<E: Engine>(engine: Arc<E>, ports: FrontPorts) -> (Outbox, Front<E>) {
    let (client, requests, answers) = framework::connect();
    let outbox = Outbox::start(client, requests, ports.wire.clone());
    (outbox, Front::new(engine, ports, answers))
}
