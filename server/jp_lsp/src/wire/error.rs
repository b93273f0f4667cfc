//! Errors of requests as JSON-RPC has them.
//!
//! ```json
//! { "code": -32802, "message": "the text changed before the answer was ready: ask again", "data": { "retriggerRequest": true } }
//! ```

use tower_lsp::jsonrpc::{self, ErrorCode};

use crate::session::error::RequestError;

/// The protocol's code of a request that is right and failed; lsp-types 0.94 has no name for it.
const REQUEST_FAILED: i64 = -32803;

impl From<RequestError> for jsonrpc::Error {
    fn from(error: RequestError) -> Self {
        let code = match &error {
            RequestError::Cancelled => ErrorCode::RequestCancelled,
            RequestError::Superseded => {
                ErrorCode::ServerError(lsp_types::error_codes::SERVER_CANCELLED)
            }
            RequestError::ContentModified => ErrorCode::ContentModified,
            RequestError::InvalidParams(_) => ErrorCode::InvalidParams,
            RequestError::UnknownMethod(_) => ErrorCode::MethodNotFound,
            RequestError::Failed(_) => ErrorCode::ServerError(REQUEST_FAILED),
            RequestError::WouldBlock | RequestError::Internal(_) => ErrorCode::InternalError,
        };
        let data = matches!(error, RequestError::Superseded)
            .then(|| serde_json::json!({ "retriggerRequest": true }));
        Self {
            code,
            message: error.to_string().into(),
            data,
        }
    }
}
