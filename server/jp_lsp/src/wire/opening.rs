//! The first byte on standard input says who is there.
//!
//! ```text
//! {"type":"describe"}       the host of a plugin: JSON lines
//! Content-Length: 52        an editor: frames with headers
//! ```

use std::io::{self, BufRead};

use bytes::Bytes;

/// Who speaks on standard input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Opening {
    /// Someone whose messages are JSON lines; nothing is taken from standard input yet.
    Lines,
    /// Someone whose messages are frames; this much is taken from standard input.
    Frames(Bytes),
}

/// Waits for the first bytes on standard input.
///
/// Input that ends at once is a client that leaves at once, and so is input that cannot be read.
#[must_use]
pub fn opening() -> Opening {
    let mut input = io::stdin().lock();
    loop {
        match input.fill_buf() {
            Ok([b'{', ..]) => return Opening::Lines,
            Ok(bytes) => {
                let taken = Bytes::copy_from_slice(bytes);
                input.consume(taken.len());
                return Opening::Frames(taken);
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) if error.kind() == io::ErrorKind::WouldBlock && wait() => {}
            Err(_) => return Opening::Frames(Bytes::new()),
        }
    }
}

/// Waits for input on a stream that whoever started this program has set to never block; answers whether that works.
#[cfg(unix)]
fn wait() -> bool {
    use rustix::{
        event::{PollFd, PollFlags, poll},
        io::Errno,
    };

    let stdin = io::stdin();
    let mut streams = [PollFd::new(&stdin, PollFlags::IN)];
    matches!(poll(&mut streams, None), Ok(_) | Err(Errno::INTR))
}

/// Only Unix has such streams.
#[cfg(not(unix))]
const fn wait() -> bool {
    false
}
