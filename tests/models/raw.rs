//! A model server that sends byte for byte what a test tells it to, for answers that no proper server gives.

use std::{
    io::{Read, Write},
    net::{TcpListener, TcpStream},
    sync::mpsc,
    thread,
    time::Duration,
};

/// Only a failing test waits this long.
const GUARD: Duration = Duration::from_secs(30);

/// What follows the words.
#[derive(Clone, Copy)]
pub(crate) enum Then {
    /// The answer is over, in good order.
    End,
    /// The connection breaks in the middle of the answer.
    Break,
    /// Nothing, until the client goes.
    Silence,
}

/// A server that gives one answer a connection.
pub(crate) struct Raw {
    pub(crate) base_url: String,
    closed: mpsc::Receiver<()>,
    requests: mpsc::Receiver<String>,
}

impl Raw {
    pub(crate) fn start(answers: Vec<(String, Then)>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let base_url = format!("http://{}", listener.local_addr().unwrap());
        let (closing, closed) = mpsc::channel();
        let (asking, requests) = mpsc::channel();
        thread::spawn(move || {
            for (words, then) in answers {
                let (stream, _) = listener.accept().unwrap();
                let _ = asking.send(answer(stream, &words, then));
                // A test that has seen enough is gone.
                let _ = closing.send(());
            }
        });
        Self {
            base_url,
            closed,
            requests,
        }
    }

    /// The bodies of the requests that were answered since the last look.
    pub(crate) fn requests(&self) -> Vec<String> {
        self.requests.try_iter().collect()
    }

    /// Waits until a connection is over: the answer was given, or the client has gone.
    pub(crate) fn closed(&self) {
        self.closed
            .recv_timeout(GUARD)
            .expect("the connection ends");
    }
}

/// Gives an answer, and tells what was asked.
fn answer(mut stream: TcpStream, words: &str, then: Then) -> String {
    let body = read_request(&mut stream);
    let length = words.len();
    let mut sent = String::from(
        "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\ntransfer-encoding: chunked\r\n\r\n",
    );
    if length > 0 {
        sent.push_str(&format!("{length:x}\r\n{words}\r\n"));
    }
    if let Then::End = then {
        sent.push_str("0\r\n\r\n");
    }
    // The client may go at any time.
    let _ = stream.write_all(sent.as_bytes());
    if let Then::Silence = then {
        let _ = stream.read(&mut [0]);
    }
    body
}

/// The body of a request.
fn read_request(stream: &mut TcpStream) -> String {
    let mut bytes = Vec::new();
    let mut buffer = [0; 4096];
    loop {
        let text = String::from_utf8_lossy(&bytes);
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let length = head
                .lines()
                .find_map(|line| line.strip_prefix("content-length: "))
                .map_or(0, |length| length.parse::<usize>().unwrap());
            if body.len() >= length {
                return body.to_owned();
            }
        }
        let count = stream.read(&mut buffer).unwrap();
        assert!(count > 0, "the client goes in the middle of its request");
        bytes.extend_from_slice(&buffer[..count]);
    }
}
