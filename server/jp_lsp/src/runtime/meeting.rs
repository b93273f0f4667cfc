//! Where processes of one person meet at a conversation, so that all of them show the prompts of its turn.
//!
//! ```text
//! $XDG_RUNTIME_DIR/jp-lsp/jp-c17636666521-3f2a9c0b1d2e.sock    the queue of the turn that runs
//! $XDG_RUNTIME_DIR/jp-lsp/jp-c17636666521-3f2a9c0b1d2e.key     what whoever connects has to say first
//! ```
//!
//! The folder is for the person alone, and so is who connects.
//! The key keeps tools out that are held to their grants: they may reach the socket, and cannot read the file beside it.

use std::{
    fs,
    io::{self, Read as _},
    os::unix::fs::{MetadataExt as _, PermissionsExt as _},
    path::PathBuf,
    sync::{Arc, OnceLock},
};

use camino::{Utf8Path, Utf8PathBuf};
use jp_agent::Broker;
use jp_conversation::ConversationId;
use notify::{RecommendedWatcher, RecursiveMode, Watcher as _};
use rustix::process::{geteuid, getpid};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{UnixListener, UnixStream},
    sync::{
        Semaphore,
        broadcast::{self, error::RecvError},
    },
    task::JoinHandle,
};
use tokio_util::sync::CancellationToken;

use crate::disk::data::{create_private_directory, data_directory, write_whole};

/// How many others may show a turn's prompts.
const MOST_GUESTS: usize = 16;

/// How many changes of the folder are kept for one who is slow.
const MOST_CHANGES: usize = 64;

/// How many random bytes a key has.
const KEY_BYTES: usize = 16;

/// The files of one conversation.
#[derive(Debug, Clone)]
struct Files {
    socket: Utf8PathBuf,
    key: Utf8PathBuf,
}

impl Files {
    fn of(root: &Utf8Path, conversation: ConversationId) -> io::Result<Self> {
        let root = root.canonicalize_utf8()?;
        let name = format!("{conversation}-{}", super::digest(root.as_str()));
        let folder = folder()?;
        Ok(Self {
            socket: folder.join(format!("{name}.sock")),
            key: folder.join(format!("{name}.key")),
        })
    }

    fn remove(&self) {
        for file in [&self.socket, &self.key] {
            // One that is not there is as good as removed.
            let _ = fs::remove_file(file);
        }
    }
}

/// The folder, made where it is missing.
///
/// # Errors
///
/// Where another user could put something into it.
fn folder() -> io::Result<Utf8PathBuf> {
    let run = std::env::var("XDG_RUNTIME_DIR").ok().map(Utf8PathBuf::from);
    let run = run.filter(|run| run.is_absolute() && run.is_dir());
    let folder = match run {
        Some(run) => run.join("jp-lsp"),
        None => data_directory().map_err(io::Error::other)?.join("run"),
    };
    create_private_directory(&folder)?;
    let metadata = fs::symlink_metadata(&folder)?;
    let is_private = metadata.is_dir()
        && metadata.uid() == geteuid().as_raw()
        && metadata.permissions().mode() & 0o077 == 0;
    if is_private {
        Ok(folder)
    } else {
        Err(io::Error::new(
            io::ErrorKind::PermissionDenied,
            format!("`{folder}` is not for you alone: write `chmod 700 {folder}`"),
        ))
    }
}

/// The prompts of a turn for other processes of the person, until this is dropped.
#[derive(Debug)]
pub(crate) struct Meeting {
    files: Files,
    over: CancellationToken,
}

impl Meeting {
    /// Opens the queue of a turn that begins, whose conversation this process alone may write.
    ///
    /// None where that cannot be: the prompts are then shown here alone. Must be called within a runtime.
    pub(crate) fn open(
        root: &Utf8Path,
        conversation: ConversationId,
        broker: &Broker,
    ) -> Option<Self> {
        match Self::listen(root, conversation, broker) {
            Ok(meeting) => Some(meeting),
            Err(error) => {
                tracing::warn!(%error, "other windows do not show the prompts of this turn");
                None
            }
        }
    }

    fn listen(root: &Utf8Path, conversation: ConversationId, broker: &Broker) -> io::Result<Self> {
        let files = Files::of(root, conversation)?;
        // What a process has left behind that was killed.
        files.remove();
        let mut bytes = [0_u8; KEY_BYTES];
        fs::File::open("/dev/urandom")?.read_exact(&mut bytes)?;
        let key: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        write_whole(&files.key, &key)?;
        let listener = UnixListener::bind(&files.socket)?;
        let over = CancellationToken::new();
        let meeting = Self {
            files,
            over: over.clone(),
        };
        fs::set_permissions(&meeting.files.socket, fs::Permissions::from_mode(0o600))?;
        let host = Host {
            key,
            conversation: conversation.to_string(),
            broker: broker.clone(),
            over,
        };
        tokio::spawn(host.receive(listener));
        Ok(meeting)
    }
}

impl Drop for Meeting {
    fn drop(&mut self) {
        self.over.cancel();
        self.files.remove();
    }
}

/// Lets others in.
#[derive(Clone)]
struct Host {
    key: String,
    conversation: String,
    broker: Broker,
    over: CancellationToken,
}

impl Host {
    async fn receive(self, listener: UnixListener) {
        let places = Arc::new(Semaphore::new(MOST_GUESTS));
        loop {
            let accepted = tokio::select! {
                () = self.over.cancelled() => return,
                accepted = listener.accept() => accepted,
            };
            let stream = match accepted {
                Ok((stream, _)) => stream,
                Err(error) => {
                    tracing::warn!(%error, "no other window can show the prompts of this turn");
                    return;
                }
            };
            let Ok(place) = Arc::clone(&places).try_acquire_owned() else {
                continue;
            };
            let host = self.clone();
            tokio::spawn(async move {
                let over = host.over.clone();
                let served = tokio::select! {
                    () = over.cancelled() => return,
                    served = host.serve(stream) => served,
                };
                if let Err(error) = served {
                    tracing::warn!(%error, "another process does not show the prompts of this turn");
                }
                drop(place);
            });
        }
    }

    async fn serve(self, stream: UnixStream) -> io::Result<()> {
        check_owner(&stream)?;
        match is_own(&stream)? {
            true => Ok(()),
            false => self.admit(stream).await,
        }
    }

    /// Lets in who knows the key.
    async fn admit(self, mut stream: UnixStream) -> io::Result<()> {
        let mut said = vec![0_u8; self.key.len()];
        stream.read_exact(&mut said).await?;
        if said != self.key.as_bytes() {
            return Err(io::Error::new(
                io::ErrorKind::PermissionDenied,
                "it does not know the key",
            ));
        }
        self.broker.host(self.conversation, stream, self.over).await
    }
}

/// Makes sure that the other end is the person's.
fn check_owner(stream: &UnixStream) -> io::Result<()> {
    let peer = stream.peer_cred()?;
    if peer.uid() == geteuid().as_raw() {
        return Ok(());
    }
    let reason = format!("it belongs to user {}", peer.uid());
    Err(io::Error::new(io::ErrorKind::PermissionDenied, reason))
}

/// Whether the other end is this process, which shows its prompts without a socket.
fn is_own(stream: &UnixStream) -> io::Result<bool> {
    Ok(stream.peer_cred()?.pid() == Some(getpid().as_raw_nonzero().get()))
}

/// Whoever shows the prompts of the turns that other processes run in a conversation, until this is dropped.
#[derive(Debug)]
pub(crate) struct Following(JoinHandle<()>);

impl Drop for Following {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// Calls `joined` with the queue of each turn that another process runs in a conversation, now or later.
///
/// Must be called within a runtime.
pub(crate) fn follow(
    root: Utf8PathBuf,
    conversation: ConversationId,
    joined: impl Fn(Broker) + Send + 'static,
) -> Following {
    Following(tokio::spawn(async move {
        if let Err(error) = watch(&root, conversation, joined).await {
            tracing::debug!(%error, "turns of other processes are not seen");
        }
    }))
}

async fn watch(
    root: &Utf8Path,
    conversation: ConversationId,
    joined: impl Fn(Broker),
) -> io::Result<()> {
    let files = Files::of(root, conversation)?;
    let mut changes = changes()?;
    loop {
        match join(&files).await {
            Ok(Some(broker)) => {
                joined(broker.clone());
                broker.ended().await;
            }
            Ok(None) => {}
            Err(error) => tracing::debug!(%error, "a turn of another process is not seen"),
        }
        loop {
            match changes.recv().await {
                Ok(path) if path != files.socket.as_std_path() => {}
                // Of what was missed, this may have been one.
                Ok(_) | Err(RecvError::Lagged(_)) => break,
                Err(RecvError::Closed) => return Ok(()),
            }
        }
    }
}

/// What changes in the folder. The process watches it once, however many conversations it follows.
fn changes() -> io::Result<broadcast::Receiver<PathBuf>> {
    static WATCH: OnceLock<(RecommendedWatcher, broadcast::Sender<PathBuf>)> = OnceLock::new();
    if let Some((_, changed)) = WATCH.get() {
        return Ok(changed.subscribe());
    }
    let (changed, changes) = broadcast::channel(MOST_CHANGES);
    let sender = changed.clone();
    let heard = move |event: notify::Result<notify::Event>| {
        let Ok(event) = event else { return };
        if !event.kind.is_access() {
            for path in event.paths {
                // There may be nobody who follows.
                let _ = sender.send(path);
            }
        }
    };
    let mut watcher = notify::recommended_watcher(heard).map_err(io::Error::other)?;
    let watched = watcher.watch(folder()?.as_std_path(), RecursiveMode::NonRecursive);
    watched.map_err(io::Error::other)?;
    // Two first ones at once make two; the one that lost ends, and with it what was heard of it.
    match WATCH.set((watcher, changed)) {
        Ok(()) => Ok(changes),
        Err(_) => WATCH
            .get()
            .map(|(_, changed)| changed.subscribe())
            .ok_or_else(|| io::Error::other("the folder of running turns cannot be watched")),
    }
}

/// The queue of another process; none where no turn runs there, or it runs here.
async fn join(files: &Files) -> io::Result<Option<Broker>> {
    use io::ErrorKind::{ConnectionRefused, NotFound};
    let mut stream = match UnixStream::connect(&files.socket).await {
        Ok(stream) => stream,
        Err(error) if matches!(error.kind(), NotFound | ConnectionRefused) => return Ok(None),
        Err(error) => return Err(error),
    };
    check_owner(&stream)?;
    if is_own(&stream)? {
        return Ok(None);
    }
    let key = fs::read_to_string(&files.key)?;
    stream.write_all(key.as_bytes()).await?;
    Ok(Some(Broker::guest(stream)))
}

#[cfg(test)]
#[path = "meeting_tests.rs"]
mod tests;
