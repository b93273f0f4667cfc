//! One queue of prompts for two processes: the one whose turn asks, and one that shows the same conversation.
//!
//! ```text
//! queue -- surface -- host ==lines== guest -- surface of a window
//! ```
//!
//! Who may speak to whom is settled before: both ends are those of one person.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::io;
use std::sync::Arc;

use serde::{Serialize, de::DeserializeOwned};
use tokio::io::{
    AsyncBufReadExt as _, AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _, BufReader,
};
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::CancellationToken;

use super::frames::{Answer, FromGuest, FromHost, Shared};
use super::queue::Command;
use super::{Broker, Reception, Surface, SurfaceEvent};
use crate::prompt::{AnswerError, Prompt, PromptOutcome};

/// The longest line: more than a prompt with all that it shows.
const LONGEST_LINE: u64 = 16 << 20;

impl Broker {
    /// Shows the prompts of one conversation to whoever is at the other end, and takes the answers, until either is gone
    /// or `over`.
    ///
    /// # Errors
    ///
    /// When the other end says what cannot be read, or the connection breaks.
    pub async fn host<S>(
        &self,
        conversation: String,
        stream: S,
        over: CancellationToken,
    ) -> io::Result<()>
    where
        S: AsyncRead + AsyncWrite + Send + Unpin,
    {
        let mut surface = self.attach();
        let (input, output) = tokio::io::split(stream);
        let (mut lines, mut outbox) = (Lines::new(input), Outbox::new(output));
        let mut shown = None;
        loop {
            tokio::select! {
                () = over.cancelled() => return Ok(()),
                written = outbox.write() => written?,
                // Events wait where they are until the other end has taken what came before.
                event = surface.next(), if outbox.is_empty() => match event {
                    // A conversation of which the other end knows nothing is not its to decide.
                    Some(SurfaceEvent::Show(prompt)) if prompt.conversation != conversation => {
                        surface.pass(&prompt.id);
                    }
                    Some(SurfaceEvent::Show(prompt)) => {
                        shown = Some(prompt.id.clone());
                        let shared = Box::new(Shared::from(&*prompt));
                        outbox.push(&FromHost::Show(shared))?;
                    }
                    Some(SurfaceEvent::Resolved { id, .. }) if shown.as_ref() != Some(&id) => {}
                    Some(SurfaceEvent::Resolved { id, resolution }) => {
                        outbox.push(&FromHost::Resolved { id, resolution })?;
                    }
                    None => return Ok(()),
                },
                said = lines.next() => match said? {
                    Some(said) => {
                        if let Some(received) = hear(&surface, said).await {
                            outbox.push(&received)?;
                        }
                    }
                    None => return Ok(()),
                },
            }
        }
    }

    /// The queue of another process, as that process shows it; it ends with the connection.
    ///
    /// Prompts can be attached to and answered as those of a queue of our own; nothing can be asked through it.
    /// Must be called within a runtime.
    #[must_use]
    pub fn guest<S>(stream: S) -> Self
    where
        S: AsyncRead + AsyncWrite + Send + Unpin + 'static,
    {
        let (commands, received) = mpsc::unbounded_channel();
        let broker = Self::with(commands);
        tokio::spawn(async move {
            if let Err(error) = Guest::default().run(stream, received).await {
                tracing::debug!(%error, "the other process has gone");
            }
        });
        broker
    }
}

/// Obeys what a guest says.
async fn hear(surface: &Surface, said: FromGuest) -> Option<FromHost> {
    match said {
        FromGuest::Pass { id } => {
            surface.pass(&id);
            None
        }
        FromGuest::Answer(said) => {
            let Answer {
                number,
                id,
                digest,
                answer,
                answerer,
            } = *said;
            let broker = surface.broker().on(answerer);
            let received = broker.answer(&id, &digest, answer).await;
            Some(FromHost::Received {
                number,
                reception: received.into(),
            })
        }
    }
}

/// The queue of another process.
#[derive(Default)]
struct Guest {
    surfaces: BTreeMap<u64, mpsc::UnboundedSender<SurfaceEvent>>,
    active: Option<Arc<Prompt>>,
    passed: BTreeSet<u64>,
    /// The answers that the other process has not spoken to yet.
    waiting: BTreeMap<u64, (String, oneshot::Sender<Result<Reception, AnswerError>>)>,
    answers: u64,
}

impl Guest {
    async fn run<S>(
        mut self,
        stream: S,
        mut commands: mpsc::UnboundedReceiver<Command>,
    ) -> io::Result<()>
    where
        S: AsyncRead + AsyncWrite + Send + Unpin,
    {
        let (input, output) = tokio::io::split(stream);
        let (mut lines, mut outbox) = (Lines::new(input), Outbox::new(output));
        loop {
            tokio::select! {
                written = outbox.write() => written?,
                command = commands.recv(), if outbox.is_empty() => match command {
                    Some(command) => {
                        if let Some(said) = self.obey(command) {
                            outbox.push(&said)?;
                        }
                    }
                    None => return Ok(()),
                },
                heard = lines.next() => match heard? {
                    Some(heard) => self.hear(heard),
                    None => return Ok(()),
                },
            }
        }
    }

    /// Whoever waits for a reply may have gone, so sending one may fail.
    fn obey(&mut self, command: Command) -> Option<FromGuest> {
        match command {
            Command::Attach { surface, events } => {
                if let Some(prompt) = &self.active {
                    let _ = events.send(SurfaceEvent::Show(Arc::clone(prompt)));
                }
                self.surfaces.insert(surface, events);
            }
            Command::Detach { surface } => {
                self.surfaces.remove(&surface);
                return self.pass();
            }
            Command::Pass { surface, id } => {
                if self.active.as_ref().is_some_and(|prompt| prompt.id == id) {
                    self.passed.insert(surface);
                }
                return self.pass();
            }
            Command::Pending { reply } => {
                let _ = reply.send(self.active.clone());
            }
            Command::Answer {
                id,
                digest,
                answer,
                answerer,
                reply,
            } => {
                let is_active = self.active.as_ref().is_some_and(|prompt| prompt.id == id);
                if !is_active {
                    let _ = reply.send(Err(AnswerError::NotPending { id }));
                    return None;
                }
                self.answers += 1;
                self.waiting.insert(self.answers, (id.clone(), reply));
                return Some(FromGuest::Answer(Box::new(Answer {
                    number: self.answers,
                    id,
                    digest,
                    answer: *answer,
                    answerer,
                })));
            }
            Command::Ask { reply, .. } => {
                let reason = "prompts of another process are shown, and not asked".to_owned();
                let _ = reply.send(PromptOutcome::Unavailable { reason }.into());
            }
            // What a person writes here is known to the other process once that has it in its config.
            Command::Withdraw { .. } | Command::StandBy { .. } | Command::Settle { .. } => {}
            Command::Close => self.surfaces.clear(),
        }
        None
    }

    /// What is said where no surface is left that can decide the prompt.
    fn pass(&self) -> Option<FromGuest> {
        let prompt = self.active.as_ref()?;
        let mut surfaces = self.surfaces.keys();
        let is_passed = surfaces.all(|surface| self.passed.contains(surface));
        is_passed.then(|| FromGuest::Pass {
            id: prompt.id.clone(),
        })
    }

    fn hear(&mut self, heard: FromHost) {
        let event = match heard {
            FromHost::Show(shown) => {
                let prompt = Arc::new(Prompt::from(*shown));
                self.active = Some(Arc::clone(&prompt));
                self.passed.clear();
                SurfaceEvent::Show(prompt)
            }
            FromHost::Resolved { id, resolution } => {
                self.active.take_if(|prompt| prompt.id == id);
                SurfaceEvent::Resolved { id, resolution }
            }
            FromHost::Received { number, reception } => {
                if let Some((id, reply)) = self.waiting.remove(&number) {
                    // Who answers need not wait to hear what came of it.
                    let _ = reply.send(reception.of(id));
                }
                return;
            }
        };
        for events in self.surfaces.values() {
            // A surface whose receiver is gone detaches itself.
            let _ = events.send(event.clone());
        }
    }
}

impl Drop for Guest {
    /// What waits is nobody's here any more.
    fn drop(&mut self) {
        if let Some(prompt) = &self.active {
            for events in self.surfaces.values() {
                let _ = events.send(SurfaceEvent::Resolved {
                    id: prompt.id.clone(),
                    resolution: super::Resolution::Unavailable,
                });
            }
        }
    }
}

/// The lines of a connection; reading one can be broken off and gone on with.
struct Lines<R> {
    input: BufReader<tokio::io::Take<R>>,
    line: Vec<u8>,
}

impl<R: AsyncRead + Unpin> Lines<R> {
    fn new(input: R) -> Self {
        Self {
            input: BufReader::new(input.take(LONGEST_LINE)),
            line: Vec::new(),
        }
    }

    /// The next line, as what it says; none when there is none any more.
    async fn next<T: DeserializeOwned>(&mut self) -> io::Result<Option<T>> {
        let read = self.input.read_until(b'\n', &mut self.line).await?;
        if read == 0 && self.line.is_empty() {
            return Ok(None);
        }
        if self.line.last() != Some(&b'\n') {
            let problem = "a line has no end, or is too long";
            return Err(io::Error::new(io::ErrorKind::InvalidData, problem));
        }
        self.input.get_mut().set_limit(LONGEST_LINE);
        let said = serde_json::from_slice(&self.line);
        self.line.clear();
        Ok(Some(said?))
    }
}

/// The lines that are to be written.
///
/// Whoever waited for one to be taken would not read meanwhile; two that wait for one another would do so for ever.
struct Outbox<W> {
    output: W,
    waiting: VecDeque<u8>,
}

impl<W: AsyncWrite + Unpin> Outbox<W> {
    const fn new(output: W) -> Self {
        Self {
            output,
            waiting: VecDeque::new(),
        }
    }

    fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    fn push(&mut self, said: &impl Serialize) -> io::Result<()> {
        serde_json::to_writer(&mut self.waiting, said)?;
        self.waiting.push_back(b'\n');
        Ok(())
    }

    /// Writes some of what waits, and waits for ever where nothing does; it can be broken off and gone on with.
    async fn write(&mut self) -> io::Result<()> {
        if self.is_empty() {
            self.output.flush().await?;
            return std::future::pending().await;
        }
        self.output.write_buf(&mut self.waiting).await?;
        Ok(())
    }
}

#[cfg(test)]
#[path = "shared_tests.rs"]
mod tests;
