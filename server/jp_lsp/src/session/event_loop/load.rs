//! Progress of the first load of a workspace, shown only when it takes long.
//!
//! ```json
//! { "token": "jp/load", "value": { "kind": "begin", "title": "loading the jp config" } }
//! ```

use std::time::Duration;

use lsp_types::{
    ProgressParams, ProgressParamsValue, ProgressToken, WorkDoneProgress, WorkDoneProgressBegin,
    WorkDoneProgressCreateParams, WorkDoneProgressEnd, WorkDoneProgressReport,
    notification::Progress, request::WorkDoneProgressCreate,
};

use crate::{
    session::event::{Event, EventSender},
    wire::Outbox,
};

/// How long a load may take before it is shown.
const PATIENCE: Duration = Duration::from_millis(400);

/// How far the showing of the first load is.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub(super) enum Load {
    /// Nothing is loading.
    #[default]
    Idle,
    /// Loading, not long yet.
    Quiet,
    /// Loading; the client was asked for a place to show it.
    Asked,
    /// Loading and shown.
    Shown,
}

impl Load {
    pub(super) fn begin(&mut self, events: &EventSender) {
        if *self != Self::Idle {
            return;
        }
        *self = Self::Quiet;
        let events = events.clone();
        tokio::spawn(async move {
            tokio::time::sleep(PATIENCE).await;
            events.send(Event::LoadIsSlow);
        });
    }

    pub(super) fn show(&mut self, outbox: &Outbox, events: &EventSender) {
        if *self != Self::Quiet {
            return;
        }
        *self = Self::Asked;
        let answer = outbox
            .request::<WorkDoneProgressCreate>(WorkDoneProgressCreateParams { token: token() });
        let events = events.clone();
        tokio::spawn(async move {
            let accepted = matches!(answer.await, Ok(Ok(())));
            events.send(Event::ProgressCreated { accepted });
        });
    }

    pub(super) fn created(&mut self, accepted: bool, outbox: &Outbox) {
        if *self != Self::Asked || !accepted {
            return;
        }
        *self = Self::Shown;
        let begin = WorkDoneProgressBegin {
            title: "loading the jp config".into(),
            cancellable: Some(false),
            ..WorkDoneProgressBegin::default()
        };
        send(outbox, WorkDoneProgress::Begin(begin));
    }

    pub(super) fn report(self, message: String, percentage: Option<u32>, outbox: &Outbox) {
        if self == Self::Shown {
            let report = WorkDoneProgressReport {
                message: Some(message),
                percentage,
                cancellable: Some(false),
            };
            send(outbox, WorkDoneProgress::Report(report));
        }
    }

    pub(super) fn end(&mut self, outbox: &Outbox) {
        if *self == Self::Shown {
            send(
                outbox,
                WorkDoneProgress::End(WorkDoneProgressEnd { message: None }),
            );
        }
        *self = Self::Idle;
    }
}

fn token() -> ProgressToken {
    ProgressToken::String("jp/load".into())
}

fn send(outbox: &Outbox, progress: WorkDoneProgress) {
    outbox.notify::<Progress>(ProgressParams {
        token: token(),
        value: ProgressParamsValue::WorkDone(progress),
    });
}
