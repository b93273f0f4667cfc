//! The one trait that stands for every model provider.

use std::fmt;
use std::pin::Pin;

use futures::Stream;
use futures::future::{BoxFuture, ready};
use tokio_util::sync::CancellationToken;

use crate::details::ModelDetails;
use crate::error::LlmError;
use crate::event::StreamEvent;
use crate::request::Request;

/// The answer to a request, as it comes.
pub type EventStream = Pin<Box<dyn Stream<Item = StreamEvent> + Send>>;

/// Something that answers requests.
pub trait Provider: Send + Sync + fmt::Debug {
    /// Asks a model. Nothing happens before the stream is polled.
    ///
    /// Cancelling drops the connection and ends the stream with [`crate::LlmError::Cancelled`]; dropping the stream drops
    /// the connection too.
    fn stream(&self, request: Request, cancel: CancellationToken) -> EventStream;

    /// Asks what is known about a model. Default: nothing.
    ///
    /// # Errors
    ///
    /// As a request, without repetition: a provider may not know the question.
    fn model_details<'a>(
        &'a self,
        _model: &'a str,
    ) -> BoxFuture<'a, Result<ModelDetails, LlmError>> {
        Box::pin(ready(Ok(ModelDetails::default())))
    }
}
