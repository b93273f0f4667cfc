//! A turn as a progress of the editor, with a button that cancels it.
//!
//! ```json
//! {"token": "jp/turn/jp-c17636666521/1", "value": {"kind": "report", "message": "running grep, cargo"}}
//! ```

use jp_conversation::visible;
use lsp_types::{
    ProgressParams, ProgressParamsValue, ProgressToken, WorkDoneProgress, WorkDoneProgressBegin,
    WorkDoneProgressCreateParams, WorkDoneProgressEnd, WorkDoneProgressReport,
    notification::Progress as ProgressNotification, request::WorkDoneProgressCreate,
};
use tokio::sync::watch;

use crate::wire::Outbox;

/// How many running tools a report names.
const NAMED: usize = 3;

/// How many characters of the query stand in the title.
const TITLE: usize = 40;

/// The progress of one turn; dropping it ends the progress.
#[derive(Debug)]
pub(super) struct Progress {
    token: String,
    state: watch::Sender<State>,
}

/// A call that has no result yet.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Called {
    id: String,
    tool: String,
    /// Whether its tool has begun; before that it is decided about.
    runs: bool,
}

/// What is to be shown at the moment.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct State {
    /// The calls that have no result yet.
    calls: Vec<Called>,
    /// The tool about whose prompt a person is to decide.
    waits: Option<String>,
    /// The last word.
    end: Option<String>,
}

impl Progress {
    /// Shows the turn that `query` started, if the client agrees.
    ///
    /// Must be called within a runtime.
    pub(super) fn begin(token: String, query: &str, outbox: Outbox) -> Self {
        let (state, shown) = watch::channel(State::default());
        tokio::spawn(serve(token.clone(), title(query), shown, outbox));
        Self { token, state }
    }

    /// The token that a client cancels.
    pub(super) fn token(&self) -> &str {
        &self.token
    }

    /// A call was made.
    pub(super) fn called(&self, id: String, tool: String) {
        let runs = false;
        self.state
            .send_modify(|state| state.calls.push(Called { id, tool, runs }));
    }

    /// The tool of a call has begun.
    pub(super) fn runs(&self, id: &str) {
        self.state.send_modify(|state| {
            if let Some(call) = state.calls.iter_mut().find(|call| call.id == id) {
                call.runs = true;
            }
        });
    }

    /// A person is to decide about a tool, or about none any more.
    pub(super) fn waits(&self, tool: Option<String>) {
        self.state.send_modify(|state| state.waits = tool);
    }

    /// A call has its result.
    pub(super) fn answered(&self, id: &str) {
        self.state.send_modify(|state| {
            if let Some(index) = state.calls.iter().position(|call| call.id == id) {
                state.calls.remove(index);
            }
        });
    }

    /// The turn is over.
    pub(super) fn end(&self, last: &str) {
        self.state
            .send_modify(|state| state.end = Some(last.to_owned()));
    }
}

/// Asks the client for a progress, and shows the latest state until the end.
async fn serve(token: String, title: String, mut state: watch::Receiver<State>, outbox: Outbox) {
    let of = token.clone();
    let token = ProgressToken::String(token);
    let created = outbox.request::<WorkDoneProgressCreate>(WorkDoneProgressCreateParams {
        token: token.clone(),
    });
    let accepted = tokio::select! {
        answer = created => matches!(answer, Ok(Ok(()))),
        () = outbox.closed() => false,
    };
    // A client that shows no progress has the events all the same.
    if !accepted {
        return;
    }
    let send = |value| {
        outbox.notify::<ProgressNotification>(ProgressParams {
            token: token.clone(),
            value: ProgressParamsValue::WorkDone(value),
        });
    };
    let mut shown = message(&State::default());
    send(WorkDoneProgress::Begin(WorkDoneProgressBegin {
        title,
        cancellable: Some(true),
        message: Some(shown.clone()),
        percentage: None,
    }));
    loop {
        let now = state.borrow_and_update().clone();
        if now.end.is_some() {
            return send(WorkDoneProgress::End(WorkDoneProgressEnd {
                message: now.end,
            }));
        }
        let text = message(&now);
        if text != shown {
            shown.clone_from(&text);
            let report = WorkDoneProgress::Report(WorkDoneProgressReport {
                cancellable: Some(true),
                message: Some(text),
                percentage: None,
            });
            let params = ProgressParams {
                token: token.clone(),
                value: ProgressParamsValue::WorkDone(report),
            };
            outbox.notify_latest::<ProgressNotification>(of.clone(), params);
        }
        if state.changed().await.is_err() && state.borrow().end.is_none() {
            return send(WorkDoneProgress::End(WorkDoneProgressEnd { message: None }));
        }
    }
}

/// One short line that names the query.
fn title(query: &str) -> String {
    format!("jp: {}", clip(query.trim(), TITLE))
}

/// The beginning of a text on one line, hidden characters made visible.
fn clip(text: &str, limit: usize) -> String {
    let cut: String = text
        .chars()
        .take(limit)
        .map(|character| if character == '\n' { ' ' } else { character })
        .collect();
    let mut line = visible(&cut).into_owned();
    if text.chars().nth(limit).is_some() {
        line.push('\u{2026}');
    }
    line
}

fn message(state: &State) -> String {
    // What needs a person comes first.
    if let Some(tool) = &state.waits {
        return format!("waiting for your decision about {}", clip(tool, TITLE));
    }
    let running: Vec<&Called> = state.calls.iter().filter(|call| call.runs).collect();
    match running.as_slice() {
        [] => "waiting for the model".to_owned(),
        running => format!("running {}", names(running)),
    }
}

/// The first tools by name, and how many more there are.
fn names(calls: &[&Called]) -> String {
    let named: Vec<String> = calls
        .iter()
        .take(NAMED)
        .map(|call| clip(&call.tool, TITLE))
        .collect();
    let named = named.join(", ");
    match calls.len().saturating_sub(NAMED) {
        0 => named,
        more => format!("{named} and {more} more"),
    }
}

#[cfg(test)]
#[path = "progress_tests.rs"]
mod tests;
