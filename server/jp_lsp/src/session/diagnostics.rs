//! Diagnostics on their way to the client: pushed with versions, or handed over when asked for.
//!
//! ```json
//! { "kind": "full", "resultId": "51d3e8b0a7c2f946", "items": [],
//!   "relatedDocuments": { "file:///w/.jp/mcp/tools/cargo.toml": { "kind": "full", "items": [] } } }
//! ```

use std::{
    borrow::Cow,
    collections::{BTreeMap, BTreeSet, HashMap},
    sync::Arc,
};

use lsp_types::{
    PublishDiagnosticsParams, TextDocumentIdentifier, notification::PublishDiagnostics,
};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use url::Url;

use crate::{
    session::{
        documents::{Documents, FileKey},
        engine::Engine,
        error::RequestError,
        event::Event,
        report::FileReport,
        request::{Context, decode},
    },
    wire::Outbox,
};

/// Result ids by file.
pub(crate) type ResultIds = Arc<BTreeMap<FileKey, String>>;

/// What a push client was last told.
#[derive(Debug, Default)]
pub(crate) struct Pushed {
    files: BTreeMap<FileKey, Shown>,
    /// The reports of the last time, and where each file stands among them.
    last: Vec<Arc<FileReport>>,
    places: HashMap<FileKey, usize>,
}

#[derive(Debug)]
struct Shown {
    uri: Url,
    version: Option<i32>,
    report: Arc<FileReport>,
}

impl PartialEq for Shown {
    fn eq(&self, other: &Self) -> bool {
        // The same report, most of the time: diagnostics are compared only where one was made anew.
        let has_same_report = || {
            Arc::ptr_eq(&self.report, &other.report)
                || self.report.diagnostics() == other.report.diagnostics()
        };
        self.version == other.version && self.uri == other.uri && has_same_report()
    }
}

impl Pushed {
    /// Publishes what differs from what the client shows: a later version of the text, or other diagnostics.
    pub(crate) fn publish(
        &mut self,
        reports: &[Arc<FileReport>],
        documents: &Documents,
        outbox: &Outbox,
    ) {
        for index in self.suspects(reports, documents, outbox) {
            let Some(report) = reports.get(index) else {
                continue;
            };
            let document = documents.get(report.key());
            let shown = Shown {
                uri: document
                    .map_or_else(|| report.uri().clone(), |document| document.uri().clone()),
                version: document.map(|document| document.version()),
                report: Arc::clone(report),
            };
            let before = self.files.get(report.key());
            let clean = before.is_none() && document.is_none() && report.diagnostics().is_empty();
            if clean || before == Some(&shown) {
                continue;
            }
            if let Some(before) = before.filter(|before| before.uri != shown.uri) {
                clear(before.uri.clone(), outbox);
            }
            let params = PublishDiagnosticsParams {
                uri: shown.uri.clone(),
                diagnostics: report.diagnostics().to_vec(),
                version: shown.version,
            };
            outbox.notify_latest::<PublishDiagnostics>(shown.uri.to_string(), params);
            self.files.insert(report.key().clone(), shown);
        }
        self.last = reports.to_vec();
    }

    /// The places of the reports that may differ from what the client shows; what is reported no more is cleared.
    fn suspects(
        &mut self,
        reports: &[Arc<FileReport>],
        documents: &Documents,
        outbox: &Outbox,
    ) -> BTreeSet<usize> {
        let pairs = || self.last.iter().zip(reports);
        let has_same_files = self.last.len() == reports.len()
            && pairs()
                .all(|(last, report)| Arc::ptr_eq(last, report) || last.key() == report.key());
        if has_same_files {
            let other = pairs()
                .enumerate()
                .filter(|(_, (last, report))| !Arc::ptr_eq(last, report))
                .map(|(index, _)| index);
            // A text has a version while it is open, and has none again once it is closed.
            let versioned = self
                .files
                .iter()
                .filter(|(_, shown)| shown.version.is_some());
            let keys = documents.iter().map(|document| document.key());
            let keys = keys.chain(versioned.map(|(key, _)| key));
            let places = keys.filter_map(|key| self.places.get(key).copied());
            return other.chain(places).collect();
        }
        self.places = reports
            .iter()
            .enumerate()
            .map(|(index, report)| (report.key().clone(), index))
            .collect();
        let is_gone = |key: &&FileKey| !self.places.contains_key(*key);
        let gone: Vec<FileKey> = self.files.keys().filter(is_gone).cloned().collect();
        for key in gone {
            if let Some(shown) = self.files.remove(&key) {
                clear(shown.uri, outbox);
            }
        }
        (0..reports.len()).collect()
    }
}

fn clear(uri: Url, outbox: &Outbox) {
    let of = uri.to_string();
    let params = PublishDiagnosticsParams {
        uri,
        diagnostics: Vec::new(),
        version: None,
    };
    outbox.notify_latest::<PublishDiagnostics>(of, params);
}

/// What a pull client holds, and whether it must be told to ask again.
#[derive(Debug, Default)]
pub(crate) struct Pulled {
    delivered: ResultIds,
    /// What the client was told to ask for.
    announced: BTreeMap<FileKey, String>,
    /// The client will ask for these by itself, because it edited them; with the generation of the edit.
    edited: BTreeMap<FileKey, u64>,
    refresh: Refresh,
}

#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
enum Refresh {
    #[default]
    Idle,
    Asked,
    AskedAndStale,
}

impl Pulled {
    pub(crate) fn delivered(&self) -> ResultIds {
        Arc::clone(&self.delivered)
    }

    /// Notes that the client edited a file and will ask for it by itself.
    pub(crate) fn edited(&mut self, key: FileKey, generation: u64) {
        self.edited.insert(key, generation);
    }

    /// Notes what the client was handed, made for `generation`.
    pub(crate) fn deliver(&mut self, generation: u64, reports: Vec<(FileKey, String)>) {
        let delivered = Arc::make_mut(&mut self.delivered);
        for (key, result_id) in reports {
            // Made before the edit: the client asks again.
            if self.edited.get(&key).is_some_and(|edit| *edit > generation) {
                continue;
            }
            self.edited.remove(&key);
            self.announced.remove(&key);
            delivered.insert(key, result_id);
        }
    }

    /// Whether to send a refresh: some file that the client will not ask for by itself has other diagnostics than it holds.
    pub(crate) fn must_refresh(&mut self, reports: &[Arc<FileReport>]) -> bool {
        let edited = &self.edited;
        let mut stale = false;
        let mut vanished: BTreeSet<&FileKey> = self.delivered.keys().collect();
        for report in reports {
            vanished.remove(report.key());
            let delivered = self.delivered.get(report.key());
            let known = delivered.or_else(|| self.announced.get(report.key()));
            let held = known.map_or(report.diagnostics().is_empty(), |known| {
                known == report.result_id()
            });
            let announced = self
                .announced
                .get(report.key())
                .is_some_and(|announced| announced == report.result_id());
            if held || announced || edited.contains_key(report.key()) {
                continue;
            }
            self.announced
                .insert(report.key().clone(), report.result_id().to_owned());
            stale = true;
        }
        let vanished: Vec<FileKey> = vanished
            .into_iter()
            .filter(|key| !edited.contains_key(*key))
            .cloned()
            .collect();
        if !vanished.is_empty() {
            stale = true;
            let delivered = Arc::make_mut(&mut self.delivered);
            for key in vanished {
                delivered.remove(&key);
            }
        }
        stale && self.ask_refresh()
    }

    /// Whether to send the refresh that was held back while another was under way.
    pub(crate) fn refreshed(&mut self) -> bool {
        let stale = self.refresh == Refresh::AskedAndStale;
        self.refresh = Refresh::Idle;
        stale && self.ask_refresh()
    }

    fn ask_refresh(&mut self) -> bool {
        let idle = self.refresh == Refresh::Idle;
        self.refresh = if idle {
            Refresh::Asked
        } else {
            Refresh::AskedAndStale
        };
        idle
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct DocumentParams {
    text_document: TextDocumentIdentifier,
    previous_result_id: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct WorkspaceParams {
    #[serde(default)]
    previous_result_ids: Vec<PreviousResultId>,
}

#[derive(Deserialize)]
struct PreviousResultId {
    uri: Url,
    value: String,
}

/// Answers `textDocument/diagnostic`.
pub(crate) fn document<E: Engine>(
    context: &Context<E>,
    params: &Value,
    delivered: &ResultIds,
) -> Result<Value, RequestError> {
    let params: DocumentParams = decode(params)?;
    let analysis = context.analysis()?;
    let reports = &*reports(context, &analysis);
    let key = FileKey::of(&params.text_document.uri);
    let mut handed = Vec::new();
    let mut answer = match reports.iter().find(|report| *report.key() == key) {
        Some(report) => {
            handed.push(remember(report));
            body(report, params.previous_result_id.as_deref())
        }
        None => full_without_items(),
    };
    if context.snapshot().client().takes_related_diagnostics() {
        let related = related(
            reports,
            &key,
            context.snapshot().documents(),
            delivered,
            &mut handed,
        );
        if !related.is_empty() {
            answer.insert("relatedDocuments".into(), related.into());
        }
    }
    delivered_to_client(context, handed);
    Ok(answer.into())
}

/// The other files whose diagnostics the client does not hold.
fn related(
    reports: &[Arc<FileReport>],
    asked: &FileKey,
    documents: &Documents,
    delivered: &ResultIds,
    handed: &mut Vec<(FileKey, String)>,
) -> Map<String, Value> {
    let mut related = Map::new();
    for report in reports.iter().filter(|report| report.key() != asked) {
        let held = delivered
            .get(report.key())
            .map_or(report.diagnostics().is_empty(), |held| {
                held == report.result_id()
            });
        if !held {
            let uri = documents
                .get(report.key())
                .map_or(report.uri(), |document| document.uri());
            related.insert(uri.to_string(), body(report, None).into());
            handed.push(remember(report));
        }
    }
    related
}

/// Answers `workspace/diagnostic`.
pub(crate) fn workspace<E: Engine>(
    context: &Context<E>,
    params: &Value,
) -> Result<Value, RequestError> {
    let params: WorkspaceParams = decode(params)?;
    let mut previous: BTreeMap<FileKey, (Url, String)> = params
        .previous_result_ids
        .into_iter()
        .map(|previous| (FileKey::of(&previous.uri), (previous.uri, previous.value)))
        .collect();
    let analysis = context.analysis()?;
    let reports = &*reports(context, &analysis);
    let documents = context.snapshot().documents();
    let mut items = Vec::with_capacity(reports.len());
    for report in reports {
        let held = previous.remove(report.key());
        let document = documents.get(report.key());
        let mut item = body(
            report,
            held.as_ref().map(|(_, result_id)| result_id.as_str()),
        );
        item.insert(
            "uri".into(),
            json!(document.map_or(report.uri(), |document| document.uri())),
        );
        item.insert(
            "version".into(),
            json!(document.map(|document| document.version())),
        );
        items.push(Value::from(item));
    }
    for (uri, _) in previous.into_values() {
        let mut item = full_without_items();
        item.insert("uri".into(), json!(uri));
        item.insert("version".into(), Value::Null);
        items.push(item.into());
    }
    delivered_to_client(context, reports.iter().map(remember).collect());
    Ok(json!({ "items": items }))
}

/// What is shown of an analysis: its reports, with the prompts that wait.
fn reports<'a, E: Engine>(
    context: &Context<E>,
    analysis: &'a E::Analysis,
) -> Cow<'a, [Arc<FileReport>]> {
    let reports = context.engine().reports(analysis);
    context.snapshot().prompts().add_to(reports)
}

/// Lets the event loop know which reports the client holds.
fn delivered_to_client<E: Engine>(context: &Context<E>, reports: Vec<(FileKey, String)>) {
    context.work.events.send(Event::Delivered {
        generation: context.work.generation,
        reports,
    });
}

fn remember(report: &Arc<FileReport>) -> (FileKey, String) {
    (report.key().clone(), report.result_id().to_owned())
}

fn body(report: &FileReport, previous: Option<&str>) -> Map<String, Value> {
    let mut body = Map::new();
    if previous == Some(report.result_id()) {
        body.insert("kind".into(), "unchanged".into());
    } else {
        body.insert("kind".into(), "full".into());
        body.insert("items".into(), json!(report.diagnostics()));
    }
    body.insert("resultId".into(), report.result_id().into());
    body
}

fn full_without_items() -> Map<String, Value> {
    let mut body = Map::new();
    body.insert("kind".into(), "full".into());
    body.insert("items".into(), json!([]));
    body
}
