//! The client's messages, a line each, as the transport takes them.
//!
//! ```text
//! {"jsonrpc":"2.0",…}     passed on
//! <an empty line>         left out
//! {"text":"\xff"}         passed on as a line that is no JSON, and so answered with an error
//! ```
//!
//! The transport ends a connection at a line that is not UTF-8, and takes lines of any length: nobody is cut off here for one bad line, and none grows without end.

use std::{borrow::Cow, io};

use tokio::io::{
    AsyncBufRead, AsyncBufReadExt as _, AsyncRead, AsyncReadExt as _, AsyncWrite,
    AsyncWriteExt as _, BufReader,
};

/// The most of one message, in bytes.
const MAXIMUM: usize = 64 << 20;

/// How much of a line that cannot be read is told in the answer, in bytes.
const TOLD: usize = 200;

/// Passes lines on until one side has no more of them.
///
/// # Errors
///
/// A side cannot be read, or written.
pub(crate) async fn pass(
    input: impl AsyncRead + Unpin,
    output: impl AsyncWrite + Unpin,
) -> io::Result<()> {
    pass_at_most(MAXIMUM, input, output).await
}

async fn pass_at_most(
    maximum: usize,
    input: impl AsyncRead + Unpin,
    mut output: impl AsyncWrite + Unpin,
) -> io::Result<()> {
    let mut input = BufReader::new(input);
    loop {
        let mut line = Vec::new();
        let most = u64::try_from(maximum).unwrap_or(u64::MAX);
        let mut part = (&mut input).take(most);
        if part.read_until(b'\n', &mut line).await? == 0 {
            return output.shutdown().await;
        }
        let is_whole = line.ends_with(b"\n") || line.len() < maximum;
        let passed = match is_whole {
            true => readable(&line),
            false => {
                skip_line(&mut input).await?;
                let start = line.get(..TOLD).unwrap_or(&line);
                Some(Cow::Owned(unreadable("a line is too long", start)))
            }
        };
        if let Some(text) = passed {
            output.write_all(text.as_bytes()).await?;
            output.write_all(b"\n").await?;
            output.flush().await?;
        }
    }
}

/// A line as it is passed on; none for one without a message.
fn readable(line: &[u8]) -> Option<Cow<'_, str>> {
    match str::from_utf8(line) {
        Ok(text) => Some(text.trim_end_matches(['\r', '\n']))
            .filter(|text| !text.trim().is_empty())
            .map(Cow::Borrowed),
        Err(error) => {
            let place = error.valid_up_to();
            let start = line.get(..TOLD).unwrap_or(line);
            let problem = format!("a line is not UTF-8 from its byte {place} on");
            Some(Cow::Owned(unreadable(&problem, start)))
        }
    }
}

/// What the transport answers with an error that holds the line, since it is no JSON.
fn unreadable(problem: &str, start: &[u8]) -> String {
    let start = String::from_utf8_lossy(start);
    format!("{problem}: {}", start.trim_end())
}

async fn skip_line(input: &mut (impl AsyncBufRead + Unpin)) -> io::Result<()> {
    loop {
        let (skipped, is_end) = {
            let bytes = input.fill_buf().await?;
            match memchr::memchr(b'\n', bytes) {
                Some(newline) => (newline + 1, true),
                None => (bytes.len(), bytes.is_empty()),
            }
        };
        input.consume(skipped);
        if is_end {
            return Ok(());
        }
    }
}

#[cfg(test)]
#[path = "lines_tests.rs"]
mod tests;
