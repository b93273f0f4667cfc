//! A small engine over `toml_edit`, and requests that misbehave on purpose.

use std::sync::{
    Arc, Mutex,
    atomic::{AtomicUsize, Ordering},
    mpsc,
};

use camino::Utf8PathBuf;
use jp_lsp::{
    Cancelled, ClientProfile, Context, Engine, FileReport, LineIndex, RequestError, Routes,
    Snapshot, Work,
};
use lsp_types::{
    Diagnostic, MessageActionItem, MessageType, ServerCapabilities, ShowMessageRequestParams,
    request::{Request, ShowMessageRequest},
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use url::Url;

macro_rules! request {
    ($name:ident, $method:literal, $params:ty) => {
        pub(crate) enum $name {}
        impl Request for $name {
            type Params = $params;
            type Result = Value;
            const METHOD: &'static str = $method;
        }
    };
}

#[derive(Deserialize, Serialize)]
pub(crate) struct TextParams {
    uri: Url,
}

request!(Text, "test/text", TextParams);
request!(Lines, "test/lines", TextParams);
request!(State, "test/state", Value);
request!(Block, "test/block", Value);
request!(Release, "test/release", Value);
request!(Panic, "test/panic", Value);
request!(AtOnce, "test/atOnce", Value);
request!(AskUser, "test/askUser", Value);

/// Both ends of what lets `test/block` go on.
type Released = (Mutex<mpsc::Sender<()>>, Mutex<mpsc::Receiver<()>>);

/// Judges every open buffer and every `.jp/*.toml` of the workspace folders by its syntax.
/// The word `blame` in a file is a finding in every other file.
pub(crate) struct TomlEngine {
    pub(crate) finished: Arc<AtomicUsize>,
    /// When set, every analysis waits until the sender is dropped, or for its cancellation.
    pub(crate) gate: Option<Mutex<mpsc::Receiver<()>>>,
    pub(crate) panics: bool,
    /// Panics where that tears the server's own state.
    pub(crate) panics_in_loop: bool,
    pub(crate) globs: Vec<String>,
    pub(crate) released: Released,
}

impl TomlEngine {
    /// An engine whose analyses wait until the sender is dropped.
    pub(crate) fn gated() -> (mpsc::Sender<()>, Self) {
        let (open, gate) = mpsc::channel();
        let engine = Self {
            gate: Some(Mutex::new(gate)),
            ..Self::new()
        };
        (open, engine)
    }

    pub(crate) fn new() -> Self {
        let (sender, receiver) = mpsc::channel();
        Self {
            finished: Arc::default(),
            gate: None,
            panics: false,
            panics_in_loop: false,
            globs: Vec::new(),
            released: (Mutex::new(sender), Mutex::new(receiver)),
        }
    }
}

pub(crate) struct Files {
    files: Vec<File>,
    watched: Vec<Utf8PathBuf>,
}

struct File {
    uri: Url,
    text: String,
}

impl Engine for TomlEngine {
    type Reading = Files;
    type Analysis = Vec<Arc<FileReport>>;

    fn capabilities(&self, _: &ClientProfile) -> ServerCapabilities {
        ServerCapabilities {
            experimental: Some(json!({ "test": true })),
            ..ServerCapabilities::default()
        }
    }

    fn watch_globs(&self) -> Vec<String> {
        self.globs.clone()
    }

    fn routes(&self) -> Routes<Self> {
        Routes::<Self>::new()
            .on::<Text>(|context, params| {
                let document = context.document(&params.uri)?;
                Ok(json!({ "version": document.version(), "text": document.text() }))
            })
            .on::<Lines>(|context, params| {
                let reading = context.reading()?;
                let file = reading.files.iter().find(|file| file.uri == params.uri);
                Ok(json!(file.map(|file| file.text.lines().count())))
            })
            .on::<State>(|context, _| {
                let snapshot = context.snapshot();
                let folders: Vec<&str> = snapshot.folders().iter().map(|folder| folder.uri.as_str()).collect();
                Ok(json!({ "trusted": snapshot.trusts_any(), "folders": folders, "dialect": format!("{:?}", snapshot.client().dialect) }))
            })
            .on::<Block>(|context, _| {
                context.engine().released.1.lock().unwrap().recv().map_err(|error| RequestError::Failed(error.to_string()))?;
                context.check()?;
                Ok(json!("unblocked"))
            })
            .on::<Release>(|context, _| {
                context.engine().released.0.lock().unwrap().send(()).map_err(|error| RequestError::Failed(error.to_string()))?;
                Ok(Value::Null)
            })
            .on::<Panic>(|_, _| panic!("asked to panic"))
            .at_once::<AtOnce>(|context, params| match params["what"].as_str().unwrap_or_default() {
                "panic" => panic!("asked to panic"),
                "wait" if !context.may_block() => Err(RequestError::WouldBlock),
                "read" => context.reading().map(|_| json!({ "mayBlock": context.may_block() })),
                _ => Ok(json!({ "mayBlock": context.may_block() })),
            })
            .on_waiting::<AskUser, _>(ask_user)
    }

    fn read(
        &self,
        snapshot: &Snapshot,
        _: Option<&Files>,
        work: &Work,
    ) -> Result<Files, Cancelled> {
        let mut watched = Vec::new();
        let mut files: Vec<File> = Vec::new();
        for document in snapshot.documents().iter() {
            files.push(File {
                uri: document.uri().clone(),
                text: document.text().to_owned(),
            });
        }
        for folder in snapshot
            .folders()
            .iter()
            .filter_map(|folder| folder.path.as_ref())
        {
            let directory = folder.join(".jp");
            let mut names: Vec<_> = directory
                .read_dir_utf8()
                .into_iter()
                .flatten()
                .flatten()
                .map(camino::Utf8DirEntry::into_path)
                .collect();
            names.sort();
            for path in names.iter().filter(|path| path.extension() == Some("toml")) {
                let uri = Url::from_file_path(path).unwrap();
                if snapshot.documents().by_uri(&uri).is_none()
                    && let Ok(text) = std::fs::read_to_string(path)
                {
                    files.push(File { uri, text });
                }
            }
            watched.push(directory);
        }
        work.check()?;
        Ok(Files { files, watched })
    }

    fn analyze(
        &self,
        snapshot: &Snapshot,
        reading: &Arc<Files>,
        _: Option<&Vec<Arc<FileReport>>>,
        work: &Work,
    ) -> Result<Vec<Arc<FileReport>>, Cancelled> {
        assert!(!self.panics, "told to panic");
        if let Some(gate) = &self.gate {
            // Nothing is sent: a message could be taken by an analysis that is cancelled at that moment.
            // Nobody waits for the lock either: whoever holds it may be the one of a later text.
            let step = std::time::Duration::from_millis(1);
            loop {
                work.check()?;
                let Ok(gate) = gate.try_lock() else {
                    std::thread::park_timeout(step);
                    continue;
                };
                if gate.recv_timeout(step) != Err(mpsc::RecvTimeoutError::Timeout) {
                    break;
                }
            }
            work.check()?;
        }
        let files = &reading.files;
        let reports = files
            .iter()
            .map(|file| {
                Arc::new(FileReport::new(
                    file.uri.clone(),
                    judge(file, files, snapshot),
                ))
            })
            .collect();
        self.finished.fetch_add(1, Ordering::SeqCst);
        Ok(reports)
    }

    fn reports<'a>(&self, analysis: &'a Vec<Arc<FileReport>>) -> &'a [Arc<FileReport>] {
        assert!(!self.panics_in_loop, "told to panic in the loop");
        analysis
    }

    fn watched<'a>(&self, reading: &'a Files) -> &'a [Utf8PathBuf] {
        &reading.watched
    }
}

fn judge(file: &File, files: &[File], snapshot: &Snapshot) -> Vec<Diagnostic> {
    let index = LineIndex::new(&file.text);
    let mut converter = index.converter(&file.text, snapshot.client().encoding);
    let mut found = Vec::new();
    if let Err(error) = file.text.parse::<toml_edit::DocumentMut>() {
        let range = converter.range(error.span().unwrap_or_default());
        found.push(Diagnostic::new_simple(range, "syntax".into()));
    }
    for other in files
        .iter()
        .filter(|other| other.uri != file.uri && other.text.contains("blame"))
    {
        let name = other
            .uri
            .path_segments()
            .and_then(Iterator::last)
            .unwrap_or_default();
        found.push(Diagnostic::new_simple(
            converter.range(0..0),
            format!("blamed by {name}"),
        ));
    }
    found
}

async fn ask_user(context: Context<TomlEngine>, _: Value) -> Result<Value, RequestError> {
    let action = MessageActionItem {
        title: "yes".into(),
        properties: std::collections::HashMap::default(),
    };
    let params = ShowMessageRequestParams {
        typ: MessageType::INFO,
        message: "may I?".into(),
        actions: Some(vec![action]),
    };
    let answer = context.outbox().request::<ShowMessageRequest>(params);
    tokio::select! {
        answer = answer => Ok(json!(answer.map_err(|error| RequestError::Failed(error.to_string()))?.ok().flatten().map(|item| item.title))),
        () = context.cancelled() => Err(RequestError::Cancelled),
    }
}
