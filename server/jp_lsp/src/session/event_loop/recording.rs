//! Recorded calls: when they are judged, and who is told.
//!
//! ```json
//! { "method": "workspace/codeLens/refresh" }
//! ```

use std::{sync::Arc, time::Duration};

use camino::Utf8Path;
use lsp_types::request::{CodeLensRefresh, InlayHintRefreshRequest, Request};
use tokio_util::sync::CancellationToken;

use super::EventLoop;
use crate::session::{
    at_rest::AtRest,
    engine::Engine,
    event::Event,
    record::Record,
    recorder::{self, Order},
};

/// How long what is being recorded must wait before it is read, at the least.
const PATIENCE: Duration = Duration::from_secs(1);
/// How much longer than a reading takes the next must wait, so that recording does not keep a processor busy.
const SPACING: u32 = 20;

/// What is known of the calls on record, and of what is being found out about them.
#[derive(Debug)]
pub(super) struct Recording<E: Engine> {
    recorder: Option<AtRest<Order<E>>>,
    pub(super) record: Arc<Record>,
    /// Whether a reading of what was recorded since is planned.
    is_planned: bool,
    /// Whether more may be on record than was read.
    is_stale: bool,
}

impl<E: Engine> Default for Recording<E> {
    fn default() -> Self {
        Self {
            recorder: None,
            record: Arc::default(),
            is_planned: false,
            is_stale: false,
        }
    }
}

impl<E: Engine> EventLoop<E> {
    /// Has the calls on record judged by what is known of the present state, once that is known.
    pub(super) fn judge_record(&mut self) {
        let cell = self.world.cell(&self.engine);
        let Some(reading) = cell.present().reading else {
            return;
        };
        if self.recording.recorder.is_none() {
            match recorder::start(Arc::clone(&self.engine), self.events.clone()) {
                Ok(recorder) => self.recording.recorder = Some(recorder),
                Err(error) => {
                    tracing::error!(%error, "recorded calls cannot be judged");
                    return;
                }
            }
        }
        let superseded = Some(self.world.superseded());
        let order = Order {
            snapshot: Arc::clone(cell.snapshot()),
            reading,
            work: self.work(CancellationToken::new(), superseded),
            is_stale: std::mem::take(&mut self.recording.is_stale),
        };
        if let Some(recorder) = &self.recording.recorder {
            recorder.order(order);
        }
    }

    /// Takes what was found out, and has the client ask again where it shows something else.
    pub(super) fn recorded(&mut self, record: Arc<Record>) {
        let shown = std::mem::replace(&mut self.recording.record, record);
        if !self.recording.record.shows_the_same(&shown) {
            self.ask_again::<CodeLensRefresh>("codeLens");
            self.ask_again::<InlayHintRefreshRequest>("inlayHint");
        }
    }

    /// Has the client ask again for a reading aid, where it can be told to.
    pub(super) fn ask_again<R>(&self, feature: &str)
    where
        R: Request<Params = (), Result = ()> + 'static,
    {
        let client = self.world.client();
        if client.wants(feature) && client.refreshes(feature) {
            // A client that will not ask again has its reasons.
            drop(self.outbox.request::<R>(()));
        }
    }

    /// Whether a path belongs to the record; then it is read again after a while.
    pub(super) fn is_recording(&mut self, path: &Utf8Path) -> bool {
        let mut watched = self.recording.record.watched.iter();
        let is_record = watched.any(|folder| path.starts_with(folder));
        if is_record && !self.recording.is_planned {
            self.recording.is_planned = true;
            let wait = PATIENCE.max(self.recording.record.read_for.saturating_mul(SPACING));
            let events = self.events.clone();
            tokio::spawn(async move {
                tokio::time::sleep(wait).await;
                events.send(Event::RecordSettled);
            });
        }
        is_record
    }

    /// Reads what was recorded meanwhile.
    pub(super) fn record_settled(&mut self) {
        self.recording.is_planned = false;
        self.recording.is_stale = true;
        self.judge_record();
    }
}
