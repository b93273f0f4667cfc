//! Why the server is to end.

/// What ends the server, beside a fault of its own.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Stop {
    /// The client said `exit`.
    Exit,
    /// The client closed the server's input.
    InputEnded,
    /// The process that the client named is gone.
    ParentGone,
}
