//! A server on this machine that hears what is sent and refuses it.

use std::{
    io::{BufRead as _, BufReader, Write as _},
    net::TcpListener,
    sync::{Arc, Mutex},
    thread,
};

/// A server on this machine that keeps the first lines of every request and refuses it.
pub(crate) struct Listener {
    pub(crate) address: String,
    heard: Arc<Mutex<Vec<String>>>,
}

impl Listener {
    pub(crate) fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let heard: Arc<Mutex<Vec<String>>> = Arc::default();
        let hearing = Arc::clone(&heard);
        // It ends with the process; the tests end first.
        thread::spawn(move || {
            for stream in listener.incoming() {
                let Ok(mut stream) = stream else { return };
                let lines = BufReader::new(stream.try_clone().unwrap()).lines();
                let head: Vec<String> = lines
                    .map_while(Result::ok)
                    .take_while(|line| !line.is_empty())
                    .collect();
                hearing.lock().unwrap().push(head.join("\n"));
                let refusal =
                    "HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";
                let _ = stream.write_all(refusal.as_bytes());
            }
        });
        Self { address, heard }
    }

    /// The heads of the requests since the last time.
    pub(crate) fn heard(&self) -> Vec<String> {
        std::mem::take(&mut self.heard.lock().unwrap())
    }
}
