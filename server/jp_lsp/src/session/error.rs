//! Why a request has no result, and why work was given up.

/// Nobody waits for the result any more.
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
#[error("nobody waits for the result any more")]
pub struct Cancelled;

/// Why a request has no result.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
pub enum RequestError {
    /// The client cancelled it: -32800.
    #[error("the request was cancelled")]
    Cancelled,
    /// An edit came before the answer; the client is to ask again: -32802.
    #[error("the text changed before the answer was ready: ask again")]
    Superseded,
    /// The answer would be wrong, because the text changed: -32801.
    #[error("the text changed before the answer was ready")]
    ContentModified,
    /// The parameters are malformed or name something that is not there: -32602.
    #[error("{0}")]
    InvalidParams(String),
    /// The method is not known: -32601.
    #[error("the method `{0}` is not known")]
    UnknownMethod(String),
    /// The request is right and could not be fulfilled: -32803.
    #[error("{0}")]
    Failed(String),
    /// The answer has to wait for something where nothing may wait. The client never sees it: the request is answered on another thread.
    #[error("the answer takes longer than this place allows")]
    WouldBlock,
    /// The server is at fault: -32603.
    #[error("{0}")]
    Internal(String),
}

impl RequestError {
    /// There is no folder to speak of.
    pub(crate) fn no_workspace() -> Self {
        Self::Failed("no workspace is open: open a folder that holds `.jp`".to_owned())
    }
}

impl From<Cancelled> for RequestError {
    fn from(_: Cancelled) -> Self {
        Self::Cancelled
    }
}
