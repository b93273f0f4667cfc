//! What the language server asks of the analysis.
//!
//! ```toml
//! [conversation.tools.cargo]   # an edit here ...
//! run = "ask"                  # ... may change the diagnostics of any file of the load graph
//! ```
//!
//! The server holds the state that requests read; of its own, an [`Engine`] may hold only what it brings forth beside it, such as a runtime.
//! It turns an immutable [`Snapshot`] into a reading of its texts, and that into an analysis, on a background thread.
//! Most requests need the reading alone, and do not wait for the analysis.
//! What a keystroke changes is read on the server's one thread, and so is what editors ask behind each key: handing it over would take
//! longer than the answer.

use std::{
    collections::BTreeMap,
    fmt,
    future::Future,
    hash::{DefaultHasher, Hash as _, Hasher as _},
    pin::Pin,
    sync::Arc,
};

use camino::Utf8PathBuf;
use lsp_types::{Diagnostic, ServerCapabilities};
use once_cell::sync::OnceCell;
use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;
use tokio_util::sync::CancellationToken;
use url::Url;

use crate::{
    session::{
        client::{ClientProfile, Folder},
        documents::{Document, FileKey},
        event::{Event, EventSender},
        world::Snapshot,
    },
    wire::Outbox,
};

/// The analysis behind the server.
///
/// [`read`](Self::read), [`analyze`](Self::analyze) and the handlers of [`Routes::on`] run on background threads, and may take
/// their time and panic.
/// Everything else runs on the server's one thread: it must be cheap, and its panic ends the server.
pub trait Engine: Send + Sync + Sized + 'static {
    /// What the texts of one snapshot say; parts that an edit does not touch are shared with the reading before.
    type Reading: Send + Sync + 'static;

    /// What is found in a reading; parts that an edit does not touch are shared with the analysis before.
    type Analysis: Send + Sync + 'static;

    /// Whether [`reports`](Self::reports) ever says anything, so that pulling diagnostics can be offered. Default: true.
    fn diagnoses(&self) -> bool {
        true
    }

    /// What is offered beside text synchronization and diagnostics. Default: nothing.
    fn capabilities(&self, client: &ClientProfile) -> ServerCapabilities {
        let _ = client;
        ServerCapabilities::default()
    }

    /// Adds to the result of `initialize` what the protocol types cannot express. Default: nothing.
    fn patch_initialize(&self, client: &ClientProfile, result: &mut Value) {
        let _ = (client, result);
    }

    /// Ends what the engine does on behalf of the client, who has gone. Not waited for beyond a few seconds.
    ///
    /// Default: nothing.
    fn leave(&self) -> impl Future<Output = ()> + Send {
        std::future::ready(())
    }

    /// The requests that are answered beside those about diagnostics. Default: none.
    fn routes(&self) -> Routes<Self> {
        Routes::new()
    }

    /// Hears a notification of the client that the server has no use for itself. Default: nothing happens.
    fn notified(&self, method: &str, params: &Value) {
        let _ = params;
        tracing::debug!(method, "a notification of no interest");
    }

    /// Hears which folders are open after the client has changed them. Default: nothing happens.
    fn folders_changed(&self, folders: &[Folder]) {
        let _ = folders;
    }

    /// Hears that a person trusts these folders, before any turn. Default: nothing happens.
    fn trusted(&self, folders: Vec<Utf8PathBuf>) {
        let _ = folders;
    }

    /// Glob patterns, relative to a workspace folder, of the files that the client is to watch. Default: none.
    fn watch_globs(&self) -> Vec<String> {
        Vec::new()
    }

    /// The reading of `snapshot` where it follows from `previous` by a few edits of open buffers alone; none where it does not, or where
    /// it might take milliseconds: then [`read`](Self::read) makes it.
    ///
    /// `previous` is some earlier reading, not always the last. Default: none.
    fn reread(&self, snapshot: &Snapshot, previous: &Self::Reading) -> Option<Self::Reading> {
        let _ = (snapshot, previous);
        None
    }

    /// Reads the texts of `snapshot`. Open buffers win over files on disk.
    ///
    /// `previous` is some earlier reading, not always the last: compare [`Document::revision`] and [`Snapshot::disk_revision`]
    /// with what it was made from.
    ///
    /// # Errors
    ///
    /// [`Cancelled`], from [`Work::check`], when nobody waits for the result any more.
    fn read(
        &self,
        snapshot: &Snapshot,
        previous: Option<&Self::Reading>,
        work: &Work,
    ) -> Result<Self::Reading, Cancelled>;

    /// Analyses a reading of `snapshot`. `previous` is some earlier analysis, not always of the reading before.
    ///
    /// # Errors
    ///
    /// [`Cancelled`], from [`Work::check`], when nobody waits for the result any more.
    fn analyze(
        &self,
        snapshot: &Snapshot,
        reading: &Arc<Self::Reading>,
        previous: Option<&Self::Analysis>,
        work: &Work,
    ) -> Result<Self::Analysis, Cancelled>;

    /// The diagnostics of every file that was judged, also when a file has none, in a fixed order.
    fn reports<'a>(&self, analysis: &'a Self::Analysis) -> &'a [Arc<FileReport>];

    /// The directories whose entries a reading depends on; those that do not exist are waited for. Default: none.
    fn watched<'a>(&self, reading: &'a Self::Reading) -> &'a [Utf8PathBuf] {
        let _ = reading;
        &[]
    }
}

/// An engine that knows nothing: documents are synchronized and nothing more is offered.
impl Engine for () {
    type Reading = ();
    type Analysis = ();

    fn diagnoses(&self) -> bool {
        false
    }

    fn read(&self, _: &Snapshot, _: Option<&()>, _: &Work) -> Result<(), Cancelled> {
        Ok(())
    }

    fn analyze(
        &self,
        _: &Snapshot,
        _: &Arc<()>,
        _: Option<&()>,
        _: &Work,
    ) -> Result<(), Cancelled> {
        Ok(())
    }

    fn reports<'a>(&self, (): &'a ()) -> &'a [Arc<FileReport>] {
        &[]
    }
}

/// The diagnostics of one file, in positions of the negotiated encoding.
#[derive(Clone, Debug)]
pub struct FileReport {
    key: FileKey,
    uri: Url,
    diagnostics: Vec<Diagnostic>,
    result_id: OnceCell<String>,
}

impl FileReport {
    /// A report on one file.
    #[must_use]
    pub fn new(uri: Url, diagnostics: Vec<Diagnostic>) -> Self {
        Self {
            key: FileKey::of(&uri),
            uri,
            diagnostics,
            result_id: OnceCell::new(),
        }
    }

    /// What names the file.
    #[must_use]
    pub fn key(&self) -> &FileKey {
        &self.key
    }

    /// The URI to report under.
    #[must_use]
    pub fn uri(&self) -> &Url {
        &self.uri
    }

    /// The diagnostics.
    #[must_use]
    pub fn diagnostics(&self) -> &[Diagnostic] {
        &self.diagnostics
    }

    /// Changes whenever the diagnostics do: equal diagnostics have equal ids.
    #[must_use]
    pub fn result_id(&self) -> &str {
        self.result_id.get_or_init(|| {
            let mut hasher = DefaultHasher::new();
            // Serializing these types cannot fail; were it to, the id would be one that no client holds for other diagnostics.
            serde_json::to_vec(&self.diagnostics)
                .unwrap_or_default()
                .hash(&mut hasher);
            format!("{:016x}", hasher.finish())
        })
    }
}

/// Nobody waits for the result any more.
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
#[error("nobody waits for the result any more")]
pub struct Cancelled;

/// How one piece of background work learns that it is not wanted, and tells how far it is.
#[derive(Clone, Debug)]
pub struct Work {
    pub(crate) cancelled: CancellationToken,
    pub(crate) superseded: Option<CancellationToken>,
    pub(crate) generation: u64,
    pub(crate) events: EventSender,
}

impl Work {
    /// Goes on, or stops because the result is not wanted. Call it between passes and in long loops.
    ///
    /// # Errors
    ///
    /// [`Cancelled`] when the request was cancelled or a later edit made the result useless.
    pub fn check(&self) -> Result<(), Cancelled> {
        if self.cancelled.is_cancelled() || self.is_superseded() {
            Err(Cancelled)
        } else {
            Ok(())
        }
    }

    /// Tells how far the first load of the workspace is. Shown only when it takes long and the client shows progress.
    pub fn report(&self, message: impl Into<String>, percentage: Option<u32>) {
        self.events.send(Event::Progress {
            generation: self.generation,
            message: message.into(),
            percentage,
        });
    }

    pub(crate) fn is_superseded(&self) -> bool {
        self.superseded
            .as_ref()
            .is_some_and(CancellationToken::is_cancelled)
    }
}

/// What is known about one snapshot, made by whoever needs it first and shared by all who need it.
pub(crate) struct Cell<E: Engine> {
    snapshot: Arc<Snapshot>,
    previous: Known<E>,
    reading: OnceCell<Arc<E::Reading>>,
    analysis: OnceCell<Arc<E::Analysis>>,
}

/// The latest that is known about any snapshot; the two need not be of the same one.
pub(crate) struct Known<E: Engine> {
    pub(crate) reading: Option<Arc<E::Reading>>,
    pub(crate) analysis: Option<Arc<E::Analysis>>,
}

impl<E: Engine> Default for Known<E> {
    fn default() -> Self {
        Self {
            reading: None,
            analysis: None,
        }
    }
}

impl<E: Engine> Clone for Known<E> {
    fn clone(&self) -> Self {
        Self {
            reading: self.reading.clone(),
            analysis: self.analysis.clone(),
        }
    }
}

impl<E: Engine> Cell<E> {
    pub(crate) fn new(snapshot: Arc<Snapshot>, previous: Known<E>) -> Self {
        Self {
            snapshot,
            previous,
            reading: OnceCell::new(),
            analysis: OnceCell::new(),
        }
    }

    /// A cell that does not keep anything alive that was known before.
    pub(crate) fn filled(snapshot: Arc<Snapshot>, present: Known<E>) -> Self {
        Self {
            snapshot,
            previous: Known::default(),
            reading: present
                .reading
                .map_or_else(OnceCell::new, OnceCell::with_value),
            analysis: present
                .analysis
                .map_or_else(OnceCell::new, OnceCell::with_value),
        }
    }

    pub(crate) fn snapshot(&self) -> &Arc<Snapshot> {
        &self.snapshot
    }

    /// Makes the reading now if that takes no time to speak of; called before anybody else holds the cell.
    pub(crate) fn reread(&self, engine: &E) {
        if let Some(previous) = self.previous.reading.as_deref()
            && let Some(reading) = engine.reread(&self.snapshot, previous)
        {
            // Only another holder could have filled it.
            let _ = self.reading.set(Arc::new(reading));
        }
    }

    /// Whether the reading is made.
    pub(crate) fn is_read(&self) -> bool {
        self.reading.get().is_some()
    }

    /// What is known of this snapshot.
    pub(crate) fn present(&self) -> Known<E> {
        Known {
            reading: self.reading.get().cloned(),
            analysis: self.analysis.get().cloned(),
        }
    }

    /// Waits for the reading, or makes it. When the one who makes it is cancelled, the next who waits makes it.
    pub(crate) fn reading(&self, engine: &E, work: &Work) -> Result<Arc<E::Reading>, Cancelled> {
        let made = self.reading.get_or_try_init(|| {
            work.check()?;
            let previous = self.previous.reading.as_deref();
            engine.read(&self.snapshot, previous, work).map(Arc::new)
        });
        work.check()?;
        made.cloned()
    }

    /// Waits for the analysis, or makes it. When the one who makes it is cancelled, the next who waits makes it.
    pub(crate) fn analysis(&self, engine: &E, work: &Work) -> Result<Arc<E::Analysis>, Cancelled> {
        let made = self.analysis.get_or_try_init(|| {
            let reading = self.reading(engine, work)?;
            let previous = self.previous.analysis.as_deref();
            engine
                .analyze(&self.snapshot, &reading, previous, work)
                .map(Arc::new)
        });
        work.check()?;
        made.cloned()
    }
}

/// What the handler of a request gets: the state as it was when the request arrived.
pub struct Context<E: Engine> {
    pub(crate) engine: Arc<E>,
    pub(crate) cell: Arc<Cell<E>>,
    pub(crate) work: Work,
    pub(crate) outbox: Outbox,
    pub(crate) may_block: bool,
}

impl<E: Engine> fmt::Debug for Context<E> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Context")
            .field("generation", &self.work.generation)
            .finish_non_exhaustive()
    }
}

impl<E: Engine> Context<E> {
    /// The engine itself.
    #[must_use]
    pub fn engine(&self) -> &E {
        &self.engine
    }

    /// The state at the arrival of the request.
    #[must_use]
    pub fn snapshot(&self) -> &Snapshot {
        self.cell.snapshot()
    }

    /// The open buffer of `uri` at the arrival of the request.
    ///
    /// # Errors
    ///
    /// [`RequestError::InvalidParams`] when it is not open.
    pub fn document(&self, uri: &Url) -> Result<&Arc<Document>, RequestError> {
        let key = FileKey::of(uri);
        self.snapshot().documents().get(&key).ok_or_else(|| {
            RequestError::InvalidParams(format!(
                "`{key}` is not open: send `textDocument/didOpen` first"
            ))
        })
    }

    /// Whether this runs on a background thread, which may wait for the disk for example.
    /// Where it does not, a handler that would have to wait returns [`RequestError::WouldBlock`] and is run again where it may.
    #[must_use]
    pub fn may_block(&self) -> bool {
        self.may_block
    }

    /// The reading of this very snapshot. Waits while it is made.
    ///
    /// # Errors
    ///
    /// [`RequestError::Superseded`] or [`RequestError::Cancelled`]; [`RequestError::WouldBlock`] where waiting is not allowed.
    pub fn reading(&self) -> Result<Arc<E::Reading>, RequestError> {
        if !self.may_block && !self.cell.is_read() {
            return Err(RequestError::WouldBlock);
        }
        self.cell
            .reading(&self.engine, &self.work)
            .map_err(|_| self.stopped())
    }

    /// The analysis of this very snapshot. Waits while it is made.
    ///
    /// # Errors
    ///
    /// [`RequestError::Superseded`] or [`RequestError::Cancelled`]; [`RequestError::WouldBlock`] where waiting is not allowed.
    pub fn analysis(&self) -> Result<Arc<E::Analysis>, RequestError> {
        if !self.may_block && self.cell.present().analysis.is_none() {
            return Err(RequestError::WouldBlock);
        }
        self.cell
            .analysis(&self.engine, &self.work)
            .map_err(|_| self.stopped())
    }

    /// Goes on, or stops because the client cancelled the request.
    ///
    /// # Errors
    ///
    /// [`RequestError::Superseded`] or [`RequestError::Cancelled`].
    pub fn check(&self) -> Result<(), RequestError> {
        self.work.check().map_err(|_| self.stopped())
    }

    /// Resolves when the client cancels the request.
    pub async fn cancelled(&self) {
        self.work.cancelled.cancelled().await;
    }

    /// The way to the client.
    #[must_use]
    pub fn outbox(&self) -> &Outbox {
        &self.outbox
    }

    fn stopped(&self) -> RequestError {
        if self.work.is_superseded() {
            RequestError::Superseded
        } else {
            RequestError::Cancelled
        }
    }
}

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

impl From<Cancelled> for RequestError {
    fn from(_: Cancelled) -> Self {
        Self::Cancelled
    }
}

/// A future that a handler returns.
pub type Answer = Pin<Box<dyn Future<Output = Result<Value, RequestError>> + Send>>;

type Handler<E> = dyn Fn(&Context<E>, &Value) -> Result<Value, RequestError> + Send + Sync;
type WaitingHandler<E> = dyn Fn(Context<E>, Value) -> Answer + Send + Sync;

/// How one request is answered.
pub(crate) enum Route<E: Engine> {
    /// On the server's one thread, unless something has to be waited for.
    AtOnce(Arc<Handler<E>>),
    /// On a background thread.
    Blocking(Arc<Handler<E>>),
    /// By a task that may wait long, for the user for example, and holds no thread meanwhile.
    Waiting(Arc<WaitingHandler<E>>),
}

impl<E: Engine> Clone for Route<E> {
    fn clone(&self) -> Self {
        match self {
            Self::AtOnce(handler) => Self::AtOnce(Arc::clone(handler)),
            Self::Blocking(handler) => Self::Blocking(Arc::clone(handler)),
            Self::Waiting(handler) => Self::Waiting(Arc::clone(handler)),
        }
    }
}

/// The requests that are answered, by method.
pub struct Routes<E: Engine> {
    table: BTreeMap<&'static str, Route<E>>,
}

impl<E: Engine> fmt::Debug for Routes<E> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_set().entries(self.table.keys()).finish()
    }
}

impl<E: Engine> Default for Routes<E> {
    fn default() -> Self {
        Self::new()
    }
}

impl<E: Engine> Routes<E> {
    /// No routes.
    #[must_use]
    pub fn new() -> Self {
        Self {
            table: BTreeMap::new(),
        }
    }

    /// Answers `R` by `handler` on a background thread.
    #[must_use]
    pub fn on<R>(
        mut self,
        handler: impl Fn(&Context<E>, R::Params) -> Result<R::Result, RequestError>
        + Send
        + Sync
        + 'static,
    ) -> Self
    where
        R: lsp_types::request::Request,
    {
        self.table
            .insert(R::METHOD, Route::Blocking(typed::<E, R>(handler)));
        self
    }

    /// Answers `R` by a `handler` that takes a fraction of a millisecond, on the server's one thread; nothing else happens meanwhile.
    ///
    /// It may wait for nothing there ([`Context::may_block`]). With [`RequestError::WouldBlock`] it is run again on a background thread.
    #[must_use]
    pub fn at_once<R>(
        mut self,
        handler: impl Fn(&Context<E>, R::Params) -> Result<R::Result, RequestError>
        + Send
        + Sync
        + 'static,
    ) -> Self
    where
        R: lsp_types::request::Request,
    {
        self.table
            .insert(R::METHOD, Route::AtOnce(typed::<E, R>(handler)));
        self
    }

    /// Answers `R` by an asynchronous `handler`, which must not block: it shares the server's one thread.
    #[must_use]
    pub fn on_waiting<R, F>(
        mut self,
        handler: impl Fn(Context<E>, R::Params) -> F + Send + Sync + 'static,
    ) -> Self
    where
        R: lsp_types::request::Request,
        F: Future<Output = Result<R::Result, RequestError>> + Send + 'static,
    {
        let handler = move |context, params| -> Answer {
            match decode(&params) {
                Ok(params) => {
                    let answer = handler(context, params);
                    Box::pin(async move { encode(answer.await?) })
                }
                Err(error) => Box::pin(std::future::ready(Err(error))),
            }
        };
        self.table
            .insert(R::METHOD, Route::Waiting(Arc::new(handler)));
        self
    }

    /// The methods, in alphabetical order.
    #[cfg(test)]
    pub(crate) fn methods(&self) -> impl Iterator<Item = &'static str> {
        self.table.keys().copied()
    }

    pub(crate) fn get(&self, method: &str) -> Option<Route<E>> {
        self.table.get(method).cloned()
    }
}

fn typed<E, R>(
    handler: impl Fn(&Context<E>, R::Params) -> Result<R::Result, RequestError> + Send + Sync + 'static,
) -> Arc<Handler<E>>
where
    E: Engine,
    R: lsp_types::request::Request,
{
    Arc::new(move |context, params| encode(handler(context, decode(params)?)?))
}

pub(crate) fn decode<P: DeserializeOwned>(params: &Value) -> Result<P, RequestError> {
    P::deserialize(params).map_err(|error| {
        RequestError::InvalidParams(format!("the parameters do not fit the method: {error}"))
    })
}

pub(crate) fn encode<R: Serialize>(result: R) -> Result<Value, RequestError> {
    serde_json::to_value(result).map_err(|error| RequestError::Internal(error.to_string()))
}
