//! The one task that owns the state and handles events one after another.
//!
//! ```text
//! Front --Notify, Ask--> [ event loop: World ] --snapshot--> background thread --Computed--> [ event loop ] --> Outbox
//! ```
//!
//! A request sees the state as it was when it arrived.
//! What editors ask behind each key is answered here and now, unless something has to be waited for; everything else is on other threads.
//! Diagnostics are made once all events that have arrived are handled, of the latest state only, and are dropped when it changed meanwhile.

mod comparing;
mod load;
mod notifications;
mod recording;

use std::{
    any::Any,
    collections::BTreeSet,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::Arc,
    time::Duration,
};

use camino::Utf8PathBuf;
use jp_agent::WaitingCall;
use lsp_types::{
    MessageType,
    request::{CodeLensRefresh, WorkspaceDiagnosticRefresh},
};
use serde_json::Value;
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::CancellationToken;

use self::{comparing::Comparing, load::Load, recording::Recording};
use crate::{
    session::{
        background::Background,
        cell::{Cell, Known},
        client::ClientProfile,
        config_file_list::ConfigFileList,
        content::{self, GivenContents},
        diagnostics::{self, Pulled, Pushed},
        disk_changes::DiskChanges,
        engine::Engine,
        error::RequestError,
        event::{Event, EventSender, Outcome},
        parent,
        request::{Context, Route, Routes},
        watch::Watch,
        work::Work,
        world::World,
    },
    wire::{Outbox, Stop},
};

/// How long files on disk must rest before they are read again.
const SETTLING: Duration = Duration::from_millis(40);

/// Owns the state. See the module's documentation.
pub(crate) struct EventLoop<E: Engine> {
    engine: Arc<E>,
    routes: Routes<E>,
    events: EventSender,
    outbox: Outbox,
    background: Background,
    world: World<E>,
    /// The analysis for diagnostics that is under way; there is one at a time.
    running: Option<Arc<Cell<E>>>,
    /// The generation whose diagnostics are made, or were tried.
    attempted: u64,
    pushed: Pushed,
    pulled: Pulled,
    config_files: ConfigFileList,
    contents: GivenContents,
    load: Load,
    watch: Option<Watch>,
    recording: Recording<E>,
    comparing: Comparing<E>,
    /// How often lenses had to be asked for again because of what stands elsewhere.
    lenses_elsewhere: u64,
    /// The paths that changed since files last rested; none when everything may have changed.
    unsettled: Option<Option<Vec<Utf8PathBuf>>>,
}

/// What the loop is connected to.
pub(crate) struct Ports {
    pub(crate) events: EventSender,
    pub(crate) outbox: Outbox,
    pub(crate) stop: mpsc::UnboundedSender<Stop>,
}

/// Runs until every sender of events is gone.
pub(crate) async fn run<E: Engine>(
    engine: Arc<E>,
    mut queue: mpsc::UnboundedReceiver<Event>,
    ports: Ports,
) {
    let Some(Event::Initialize(profile)) = queue.recv().await else {
        return;
    };
    if let Some(process) = profile.process_id {
        parent::watch(process, ports.stop);
    }
    let background = match Background::start() {
        Ok(background) => background,
        Err(error) => {
            tracing::error!(%error, "the thread of the analysis cannot be started");
            return;
        }
    };
    let mut event_loop = EventLoop::new(engine, background, *profile, ports.events, ports.outbox);
    while let Some(event) = queue.recv().await {
        event_loop.background.set_busy(true);
        event_loop.handle(event);
        event_loop.handle_all(&mut queue);
        // Answers leave, and what came meanwhile is heard, before the analysis takes a processor.
        tokio::task::yield_now().await;
        event_loop.handle_all(&mut queue);
        event_loop.rest();
        event_loop.background.set_busy(false);
    }
}

impl<E: Engine> EventLoop<E> {
    fn new(
        engine: Arc<E>,
        background: Background,
        profile: ClientProfile,
        events: EventSender,
        outbox: Outbox,
    ) -> Self {
        for complaint in &profile.complaints {
            outbox.show(MessageType::WARNING, complaint.as_str());
        }
        let is_trusted = profile.trusted;
        let mut world = World::new(profile);
        if is_trusted {
            world.trust(None, |folder| engine.first_seen(folder));
        }
        engine.vouched(world.vouched());
        Self {
            routes: engine.routes(),
            engine,
            events,
            outbox,
            background,
            world,
            running: None,
            attempted: 0,
            pushed: Pushed::default(),
            pulled: Pulled::default(),
            config_files: ConfigFileList::default(),
            contents: GivenContents::default(),
            load: Load::default(),
            watch: None,
            recording: Recording::default(),
            comparing: Comparing::default(),
            lenses_elsewhere: 0,
            unsettled: None,
        }
    }

    /// Handles everything that has arrived.
    fn handle_all(&mut self, queue: &mut mpsc::UnboundedReceiver<Event>) {
        while let Ok(event) = queue.try_recv() {
            self.handle(event);
        }
    }

    fn handle(&mut self, event: Event) {
        match event {
            Event::Initialize(_) => tracing::error!("a second `initialize` passed the front"),
            Event::Notify { method, params } => self.notified(&method, params),
            Event::Ask {
                method,
                params,
                cancelled,
                reply,
            } => self.asked(&method, params, cancelled, reply),
            Event::FileChanged(paths) => self.file_changed(paths),
            Event::FilesSettled => self.files_settled(),
            Event::Computed {
                generation,
                outcome,
            } => self.computed(generation, outcome),
            Event::Delivered {
                generation,
                reports,
            } => {
                self.pulled.deliver(generation, reports);
                self.refresh_what_is_stale();
            }
            Event::ContentGiven { uri, generation } => {
                if let Some(stale) = self.contents.give(uri, generation) {
                    content::refresh(&self.outbox, stale);
                }
            }
            Event::Recorded(record) => {
                self.recorded(record);
                self.watch_present();
            }
            Event::RecordSettled => self.record_settled(),
            Event::Compared(since) => {
                self.compared(since);
                self.watch_present();
            }
            Event::HeadSettled => self.head_settled(),
            Event::Refreshed => {
                if self.pulled.refreshed() {
                    self.refresh();
                }
            }
            Event::PromptShown(prompt) => self.world.edit_prompts(|prompts| prompts.show(prompt)),
            Event::PromptResolved(id) => self.world.edit_prompts(|prompts| prompts.resolve(&id)),
            Event::ChangeSettled(change) => {
                self.world.edit_approved(|changes| changes.settle(change));
            }
            Event::ChangeKept { conversation, call } => {
                self.world
                    .edit_approved(|changes| changes.kept(conversation, &call));
            }
            Event::RuleWritten(rule) => self.world.edit_rules(|rules| rules.note(rule)),
            Event::WorkspaceUsed(root) => self.world.use_workspace(root),
            Event::MayRun { call, reply } => self.asked_to_let_run(call, reply),
            Event::LoadIsSlow => {
                if self.world.client().shows_progress() {
                    self.load.show(&self.outbox, &self.events);
                }
            }
            Event::ProgressCreated { accepted } => self.load.created(accepted, &self.outbox),
            Event::Progress {
                generation,
                message,
                percentage,
            } => {
                if generation == self.world.generation() {
                    self.load.report(message, percentage, &self.outbox);
                }
            }
        }
    }

    /// Starts what is to be done once no event waits.
    fn rest(&mut self) {
        if self.running.is_some() {
            return;
        }
        let generation = self.world.generation();
        // Freeing a large analysis must not hold up the next keystroke.
        let retired = self.world.take_retired();
        if self.attempted == generation {
            if !retired.is_empty() {
                self.background.run(move || drop(retired));
            }
            return;
        }
        self.attempted = generation;
        let is_first = !self.world.is_loaded();
        if is_first {
            self.load.begin(&self.events);
        }
        let (engine, cell, events, background) = (
            Arc::clone(&self.engine),
            self.world.cell(&self.engine),
            self.events.clone(),
            self.background.clone(),
        );
        self.running = Some(Arc::clone(&cell));
        let work = self.work(self.world.superseded(), Some(self.world.superseded()));
        tokio::spawn(async move {
            let mut outcome = Outcome::Done;
            if is_first || !cell.is_read() {
                let (engine, cell, work) = (Arc::clone(&engine), Arc::clone(&cell), work.clone());
                // The first analysis is what a person waits for.
                // After that a reading is in a hurry, for the requests that need it, and an analysis is not.
                let hurried = tokio::task::spawn_blocking(move || {
                    if is_first {
                        cell.analysis(&engine, &work).map(drop)
                    } else {
                        cell.reading(&engine, &work).map(drop)
                    }
                });
                outcome = Outcome::of(&hurried.await);
            }
            let analyze = move || cell.analysis(&engine, &work).map(drop);
            let analyzed =
                (!is_first && outcome == Outcome::Done).then(|| background.run_behind(analyze));
            background.run(move || drop(retired));
            if let Some(analyzed) = analyzed {
                outcome = Outcome::of(&analyzed.await);
            }
            events.send(Event::Computed {
                generation,
                outcome,
            });
        });
    }

    fn asked(
        &mut self,
        method: &str,
        params: Value,
        cancelled: CancellationToken,
        reply: oneshot::Sender<Result<Value, RequestError>>,
    ) {
        let (route, superseded) = match method {
            "textDocument/diagnostic" => {
                let delivered = self.pulled.delivered();
                let handler = move |context: &Context<E>, params: &Value| {
                    diagnostics::document(context, params, &delivered)
                };
                (
                    Some(Route::Blocking(Arc::new(handler))),
                    Some(self.world.superseded()),
                )
            }
            "workspace/diagnostic" => (
                Some(Route::Blocking(Arc::new(diagnostics::workspace))),
                Some(self.world.superseded()),
            ),
            _ => (self.routes.get(method), None),
        };
        match route {
            Some(route) => {
                let work = self.work(cancelled, superseded);
                self.answer(route, params, work, reply);
            }
            None => {
                // Nobody waits when the client cancelled the request.
                let _ = reply.send(Err(RequestError::UnknownMethod(method.to_owned())));
            }
        }
    }

    fn answer(
        &mut self,
        route: Route<E>,
        params: Value,
        work: Work,
        reply: oneshot::Sender<Result<Value, RequestError>>,
    ) {
        let mut context = self.context(work);
        let outbox = self.outbox.clone();
        if let Route::AtOnce(handler) = &route {
            let answer = || context.check().and_then(|()| handler(&context, &params));
            let made = catch_unwind(AssertUnwindSafe(answer));
            let result = made.unwrap_or_else(|panic| Err(broken(Some(panic), &outbox)));
            if !matches!(result, Err(RequestError::WouldBlock)) {
                let _ = reply.send(result);
                return;
            }
        }
        context.may_block = true;
        tokio::spawn(async move {
            let made = match route {
                Route::AtOnce(handler) | Route::Blocking(handler) => {
                    // A request that was cancelled while it waited for a thread does no work at all.
                    tokio::task::spawn_blocking(move || {
                        context.check().and_then(|()| handler(&context, &params))
                    })
                    .await
                }
                Route::Waiting(handler) => tokio::spawn(handler(context, params)).await,
            };
            let result =
                made.unwrap_or_else(|error| Err(broken(error.try_into_panic().ok(), &outbox)));
            // Nobody waits when the client cancelled the request.
            let _ = reply.send(result);
        });
    }

    fn context(&mut self, work: Work) -> Context<E> {
        Context {
            engine: Arc::clone(&self.engine),
            cell: self.world.cell(&self.engine),
            work,
            outbox: self.outbox.clone(),
            may_block: false,
            record: Arc::clone(&self.recording.record),
            since_head: Arc::clone(&self.comparing.since_head),
        }
    }

    fn asked_to_let_run(&mut self, call: Box<WaitingCall>, reply: oneshot::Sender<bool>) {
        if self.world.rules().for_call(&call).next().is_none() {
            // A queue that has ended waits for nothing.
            let _ = reply.send(false);
            return;
        }
        let work = self.work(CancellationToken::new(), None);
        let context = Context {
            may_block: true,
            ..self.context(work)
        };
        // Where this panics the reply is dropped, which lets nothing run.
        tokio::task::spawn_blocking(move || {
            let _ = reply.send(context.engine.lets_run(&context, &call));
        });
    }

    fn work(&self, cancelled: CancellationToken, superseded: Option<CancellationToken>) -> Work {
        Work {
            cancelled,
            superseded,
            generation: self.world.generation(),
            events: self.events.clone(),
        }
    }

    fn computed(&mut self, generation: u64, outcome: Outcome) {
        if let Some(cell) = self.running.take() {
            self.world.learn(&cell);
        }
        if outcome == Outcome::Panicked {
            self.outbox.log(
                MessageType::ERROR,
                "the analysis failed; the diagnostics shown may be out of date",
            );
        }
        let Some(Known {
            reading: Some(reading),
            analysis: Some(analysis),
        }) = self.world.settle(generation)
        else {
            return;
        };
        self.load.end(&self.outbox);
        let prompts = self.world.prompts();
        let reports = &*prompts.add_to(self.engine.reports(&analysis));
        if self.world.client().config_files {
            self.config_files.tell(reports, &self.outbox);
        }
        if !self.world.client().pulls() {
            self.pushed
                .publish(reports, self.world.documents(), &self.outbox);
        }
        self.refresh_what_is_stale();
        for stale in self.contents.settle(generation) {
            content::refresh(&self.outbox, stale);
        }
        self.watch_directories(self.engine.watched(&reading));
        let elsewhere = self.engine.lenses_elsewhere(&analysis);
        if std::mem::replace(&mut self.lenses_elsewhere, elsewhere) != elsewhere {
            self.ask_again::<CodeLensRefresh>("codeLens");
        }
        self.judge_record();
        self.compare_with_head();
    }

    /// Watches what the present state and the record name.
    fn watch_present(&mut self) {
        let reading = self.world.cell(&self.engine).present().reading;
        if let Some(reading) = reading {
            self.watch_directories(self.engine.watched(&reading));
        }
    }

    /// Tells a pulling client to ask again when it holds something else than the present analysis says.
    fn refresh_what_is_stale(&mut self) {
        let Some(analysis) = self.world.present().filter(|_| self.world.client().pulls()) else {
            return;
        };
        let prompts = self.world.prompts();
        let reports = prompts.add_to(self.engine.reports(&analysis));
        if self.pulled.must_refresh(&reports) {
            self.refresh();
        }
    }

    fn refresh(&self) {
        let answer = self.outbox.request::<WorkspaceDiagnosticRefresh>(());
        let events = self.events.clone();
        tokio::spawn(async move {
            // An error means that the client will not ask again, which is its choice.
            let _ = answer.await;
            events.send(Event::Refreshed);
        });
    }

    /// Watches what the client does not: everything, or what lies outside the workspace folders.
    fn watch_directories(&mut self, directories: &[Utf8PathBuf]) {
        let client_watches = self.world.client().watches_files();
        let within = |directory: &Utf8PathBuf| {
            self.world
                .folders()
                .iter()
                .filter_map(|folder| folder.path.as_ref())
                .any(|folder| directory.starts_with(folder))
        };
        let own: BTreeSet<Utf8PathBuf> = directories
            .iter()
            .chain(&self.recording.record.watched)
            .filter(|directory| !client_watches || !within(directory))
            // No client is asked to watch what a repository is made of.
            .chain(&self.comparing.since_head.watched)
            .cloned()
            .collect();
        if own.is_empty() && self.watch.is_none() {
            return;
        }
        if self.watch.is_none() {
            match Watch::start(self.events.clone()) {
                Ok(watch) => self.watch = Some(watch),
                Err(error) => {
                    self.outbox.log(
                        MessageType::WARNING,
                        format!("files on disk cannot be watched: {error}"),
                    );
                    return;
                }
            }
        }
        if let Some(watch) = &mut self.watch {
            // A folder of branches that came again has lost its watch.
            let changes = self.world.disk_changes();
            watch.set(own, changes.saturating_add(self.comparing.lookups));
        }
    }

    fn file_changed(&mut self, mut paths: Vec<Utf8PathBuf>) {
        let has_lost_count = paths.is_empty();
        // What is recorded or committed changes no config.
        paths.retain(|path| !self.is_recording(path) && !self.is_of_repository(path));
        if paths.is_empty() && !has_lost_count {
            return;
        }
        let settling = self.unsettled.is_some();
        let unsettled = self.unsettled.get_or_insert_with(|| Some(Vec::new()));
        match unsettled {
            Some(_) if paths.is_empty() => *unsettled = None,
            Some(known) => known.extend(paths),
            None => {}
        }
        if !settling {
            let events = self.events.clone();
            tokio::spawn(async move {
                tokio::time::sleep(SETTLING).await;
                events.send(Event::FilesSettled);
            });
        }
    }

    fn files_settled(&mut self) {
        match self.unsettled.take() {
            None => {}
            Some(None) => self.world.edit_disk(DiskChanges::touch_everything),
            Some(Some(mut paths)) => {
                paths.sort_unstable();
                paths.dedup();
                self.world
                    .edit_disk(|disk| paths.iter().for_each(|path| disk.touch(path)));
            }
        }
    }
}

fn broken(panic: Option<Box<dyn Any + Send>>, outbox: &Outbox) -> RequestError {
    let what = panic.and_then(|panic| {
        panic
            .downcast_ref::<&str>()
            .map(ToString::to_string)
            .or_else(|| panic.downcast_ref::<String>().cloned())
    });
    let message = format!(
        "the request failed inside the server: {}",
        what.as_deref().unwrap_or("no reason is known")
    );
    outbox.log(MessageType::ERROR, message.as_str());
    RequestError::Internal(message)
}
