//! The thread that makes the analysis for diagnostics, and lets everything else go first.
//!
//! ```text
//! a key      -> reading -> analysis ................. -> diagnostics
//! completion -> reading -> items -> answer
//! ```
//!
//! Editors ask for items and hovers right behind a key, while the analysis of that key begins.
//! On a machine with few processors a scheduler may let an answer wait for milliseconds behind such a computation,
//! unless it knows which of the two is in a hurry.

use std::{
    io,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
        mpsc,
    },
    thread,
    time::Duration,
};

use tokio::sync::oneshot;

/// By how much the thread steps back, of 19 at most.
///
/// It goes behind every thread that answers, and still gets a quarter of a processor that a compiler wants, so that diagnostics keep
/// coming while something is built.
#[cfg(target_os = "linux")]
const NICENESS: i32 = 5;

/// How long the thread waits before an analysis for what an editor asks right behind a key.
const BREATH: Duration = Duration::from_micros(200);
/// How often it waits again while something is being answered. Editors that ask without end get their diagnostics all the same.
const BREATHS: usize = 8;

type Job = Box<dyn FnOnce() + Send>;

/// Runs one job after another. The thread ends when this is dropped and no job is left.
#[derive(Debug, Clone)]
pub(crate) struct Background {
    jobs: mpsc::Sender<Job>,
    /// Whether the server's one thread is at work.
    is_busy: Arc<AtomicBool>,
}

impl Background {
    /// Starts the thread.
    ///
    /// # Errors
    ///
    /// When the system refuses a thread.
    pub(crate) fn start() -> io::Result<Self> {
        let (jobs, queue) = mpsc::channel::<Job>();
        thread::Builder::new()
            .name("analysis".into())
            .spawn(move || {
                step_back();
                for job in queue {
                    // Told to whoever waits, by the result that never comes.
                    let _ = catch_unwind(AssertUnwindSafe(job));
                }
            })?;
        Ok(Self {
            jobs,
            is_busy: Arc::default(),
        })
    }

    /// Tells whether something is being answered, which goes before an analysis.
    pub(crate) fn set_busy(&self, is_busy: bool) {
        self.is_busy.store(is_busy, Ordering::Relaxed);
    }

    /// Like [`run`](Self::run), once what is being asked is answered.
    ///
    /// A scheduler may wake this thread on the very processor of the one that answers, and let it keep that for a millisecond.
    pub(crate) fn run_behind<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> oneshot::Receiver<T> {
        let is_busy = Arc::clone(&self.is_busy);
        self.run(move || {
            for _ in 0..BREATHS {
                thread::sleep(BREATH);
                // The one that answers may be ready to run, and wait for this very processor.
                thread::yield_now();
                if !is_busy.load(Ordering::Relaxed) {
                    break;
                }
            }
            work()
        })
    }

    /// Runs `work` behind all jobs before it. The receiver learns the result, or an error if `work` panics.
    pub(crate) fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> oneshot::Receiver<T> {
        let (done, result) = oneshot::channel();
        let job = move || {
            // Nobody may be interested in the result.
            let _ = done.send(work());
        };
        // The thread ends only after this sender.
        let _ = self.jobs.send(Box::new(job));
        result
    }
}

/// Lowers the priority of this thread where that is a matter of one thread, and not of the process.
pub(super) fn step_back() {
    #[cfg(target_os = "linux")]
    if let Err(error) = rustix::process::nice(NICENESS) {
        tracing::debug!(%error, "the analysis runs with the priority of everything else");
    }
}
