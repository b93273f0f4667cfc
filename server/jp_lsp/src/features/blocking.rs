//! Work of a request that may wait: for an analysis, or for the disk.

use crate::session::error::RequestError;

/// Runs it on a background thread.
///
/// # Errors
///
/// Those of the work; a panic in it is an internal error.
pub(super) async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, RequestError> + Send + 'static,
) -> Result<T, RequestError> {
    tokio::task::spawn_blocking(work)
        .await
        .unwrap_or_else(|error| Err(RequestError::Internal(error.to_string())))
}
