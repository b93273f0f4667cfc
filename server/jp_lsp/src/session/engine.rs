//! What the language server asks of the analysis.
//!
//! ```toml
//! [conversation.tools.cargo]   # an edit here ...
//! run = "ask"                  # ... may change the diagnostics of any file of the load graph
//! ```
//!
//! The server holds all state that requests read; of its own, an [`Engine`] may hold only a handle on a runtime.
//! It turns an immutable [`Snapshot`] into a reading of its texts, and that into an analysis, on a background thread.
//! Most requests need the reading alone, and do not wait for the analysis.
//! What a keystroke changes is read on the server's one thread, and so is what editors ask behind each key: handing it over would take
//! longer than the answer.

use std::{future::Future, sync::Arc};

use camino::{Utf8Path, Utf8PathBuf};
use jp_agent::WaitingCall;
use lsp_types::ServerCapabilities;
use serde_json::Value;

use super::{
    client::{ClientProfile, Folder},
    commits::Commits,
    error::Cancelled,
    record::Record,
    replays::Replays,
    report::FileReport,
    request::{Context, Routes},
    since_head::SinceHead,
    snapshot::Snapshot,
    work::Work,
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

    /// Hears which workspaces the editor vouches for, before any turn. Default: nothing happens.
    fn vouched(&self, roots: Vec<Utf8PathBuf>) {
        let _ = roots;
    }

    /// The workspace, without links, that a folder lay in when it was trusted first, which may be now. Default: none.
    fn first_seen(&self, folder: &Utf8Path) -> Option<Utf8PathBuf> {
        let _ = folder;
        None
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
    /// `previous` is some earlier reading, not always the last: compare [`Document::revision`](super::documents::Document::revision) and [`Snapshot::disk_revision`]
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

    /// What calls on record come to under a reading; none where that is known already, or nobody waits for it.
    ///
    /// Runs on a thread of its own that lets everything else go first, and owns `replays`. Default: none.
    fn judge(
        &self,
        snapshot: &Snapshot,
        reading: &Arc<Self::Reading>,
        replays: &mut Replays,
        work: &Work,
    ) -> Option<Record> {
        let _ = (snapshot, reading, replays, work);
        None
    }

    /// What the calls on record suggest under the rules that were judged last; none where that is known already, or nobody waits for it.
    ///
    /// Runs behind [`judge`](Self::judge), on the same thread. Default: none.
    fn propose(
        &self,
        reading: &Arc<Self::Reading>,
        replays: &mut Replays,
        work: &Work,
    ) -> Option<Record> {
        let _ = (reading, replays, work);
        None
    }

    /// What became of the tools of a reading since the last commit, as files are saved. Default: nothing is known.
    ///
    /// Runs on a thread of its own that lets everything else go first, and owns `commits`.
    fn compare(
        &self,
        snapshot: &Snapshot,
        reading: &Arc<Self::Reading>,
        commits: &mut Commits,
    ) -> SinceHead {
        let _ = (snapshot, reading, commits);
        SinceHead::default()
    }

    /// Whether a rule that was written because a person chose it lets a call run, by the texts as they are. Default: no.
    ///
    /// Runs on a background thread.
    fn lets_run(&self, context: &Context<Self>, call: &WaitingCall) -> bool {
        let _ = (context, call);
        false
    }

    /// The diagnostics of every file that was judged, also when a file has none, in a fixed order.
    fn reports<'a>(&self, analysis: &'a Self::Analysis) -> &'a [Arc<FileReport>];

    /// Grows whenever lenses have to be asked for again although no text that they stand in changed. Default: never.
    fn lenses_elsewhere(&self, analysis: &Self::Analysis) -> u64 {
        let _ = analysis;
        0
    }

    /// The directories whose entries a reading depends on; those that do not exist are waited for. Default: none.
    fn watched<'a>(&self, reading: &'a Self::Reading) -> &'a [Utf8PathBuf] {
        let _ = reading;
        &[]
    }
}
