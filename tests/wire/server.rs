//! A server under test and the client that talks to it over real frames.

use std::{
    collections::VecDeque,
    io::{BufRead, BufReader, Read, Write},
    path::Path,
    process::{Child, Command, Stdio},
    sync::mpsc,
    thread::{self, JoinHandle},
    time::Duration,
};

use jp_lsp::{
    Engine, Exit,
    server::serve,
    wire::{Wire, write_to},
};
use serde_json::{Value, json};
use tokio_util::io::SyncIoBridge;

use crate::program::program;

/// Only a failing test waits this long.
const GUARD: Duration = Duration::from_secs(120);

enum Side {
    Process(Child),
    Thread(JoinHandle<Exit>),
    Ended,
}

/// A server and its client. When dropped it says goodbye and fails on messages that no test read.
pub(crate) struct TestServer {
    writer: Option<Box<dyn Write + Send>>,
    messages: mpsc::Receiver<Value>,
    unread: VecDeque<Value>,
    side: Side,
    next_id: i64,
    initialized: bool,
    resume: Option<mpsc::Sender<()>>,
    tolerated: Vec<&'static str>,
}

impl TestServer {
    /// Starts the real binary.
    pub(crate) fn binary() -> Self {
        Self::spawn(false, Vec::new())
    }

    /// Starts the real binary with these environment variables.
    pub(crate) fn binary_with(environment: Vec<(String, String)>) -> Self {
        Self::spawn(false, environment)
    }

    /// Starts the real binary as a person whose home is `home`.
    pub(crate) fn binary_at_home(home: &Path) -> Self {
        Self::binary_with(Self::at_home(home))
    }

    /// Starts the real binary as a person whose home is `home`, and reads nothing before [`resume`](Self::resume).
    #[cfg(target_os = "linux")]
    pub(crate) fn binary_at_home_unread(home: &Path) -> Self {
        Self::spawn(true, Self::at_home(home))
    }

    fn at_home(home: &Path) -> Vec<(String, String)> {
        let path = |name: &str| home.join(name).to_str().unwrap().to_owned();
        let mut environment = vec![
            ("HOME".to_owned(), path("")),
            ("XDG_DATA_HOME".to_owned(), path("data")),
            ("JP_GLOBAL_CONFIG_DIR".to_owned(), path("config")),
        ];
        if home.join("script.toml").exists() {
            environment.push(("JP_LSP_TEST_SCRIPT".to_owned(), path("script.toml")));
        }
        environment
    }

    /// Starts the real binary and reads nothing from it before [`resume`](Self::resume).
    pub(crate) fn binary_unread() -> Self {
        Self::spawn(true, Vec::new())
    }

    fn spawn(paused: bool, environment: Vec<(String, String)>) -> Self {
        let mut child = Command::new(program())
            .envs(environment)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let (input, output) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
        Self::new(Box::new(input), output, Side::Process(child), paused)
    }

    /// Runs the same server code with `engine` on a thread.
    pub(crate) fn with(engine: impl Engine) -> Self {
        let (ours, theirs) = tokio::io::duplex(64 * 1024);
        let (started, handle) = mpsc::channel();
        let thread = thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .build()
                .unwrap();
            started.send(runtime.handle().clone()).unwrap();
            let exit = runtime.block_on(async {
                let (input, output) = tokio::io::split(theirs);
                let (wire, queue) = Wire::new();
                serve(engine, input, wire, write_to(output, queue)).await
            });
            runtime.shutdown_background();
            exit
        });
        let handle = handle.recv().unwrap();
        let (output, input) = tokio::io::split(ours);
        let input = SyncIoBridge::new_with_handle(input, handle.clone());
        Self::new(
            Box::new(input),
            SyncIoBridge::new_with_handle(output, handle),
            Side::Thread(thread),
            false,
        )
    }

    fn new(
        writer: Box<dyn Write + Send>,
        output: impl Read + Send + 'static,
        side: Side,
        paused: bool,
    ) -> Self {
        let (sender, messages) = mpsc::channel();
        let (resume, resumed) = mpsc::channel();
        thread::spawn(move || {
            if paused && resumed.recv().is_err() {
                return;
            }
            let mut output = BufReader::new(output);
            while let Some(message) = read_frame(&mut output) {
                if sender.send(message).is_err() {
                    return;
                }
            }
        });
        Self {
            writer: Some(writer),
            messages,
            unread: VecDeque::new(),
            side,
            next_id: 0,
            initialized: false,
            resume: Some(resume),
            tolerated: Vec::new(),
        }
    }

    /// Begins to read from a server that was started unread.
    pub(crate) fn resume(&mut self) {
        self.resume.take().unwrap().send(()).unwrap();
    }

    /// Initializes with these capabilities and gives the result.
    pub(crate) fn initialize(&mut self, capabilities: &Value) -> Value {
        self.initialize_with(
            json!({ "processId": null, "rootUri": null, "capabilities": capabilities }),
        )
    }

    /// Initializes with these parameters and gives the result.
    pub(crate) fn initialize_with(&mut self, params: Value) -> Value {
        let result = self.call("initialize", params).unwrap();
        self.notify("initialized", json!({}));
        self.initialized = true;
        result
    }

    pub(crate) fn raw(&mut self, bytes: &[u8]) {
        let writer = self.writer.as_mut().unwrap();
        writer.write_all(bytes).unwrap();
        writer.flush().unwrap();
    }

    pub(crate) fn send(&mut self, message: &Value) {
        self.raw(&frame(&message.to_string()));
    }

    pub(crate) fn notify(&mut self, method: &str, params: Value) {
        self.send(&json!({ "jsonrpc": "2.0", "method": method, "params": params }));
    }

    /// Sends a request and gives its id.
    pub(crate) fn ask(&mut self, method: &str, params: Value) -> Value {
        self.next_id += 1;
        let id = json!(self.next_id);
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        id
    }

    /// Waits for the answer to `id`.
    pub(crate) fn answer(&mut self, id: &Value) -> Result<Value, Value> {
        let mut message = self.take(&format!("an answer to {id}"), |message| {
            message.get("method").is_none() && message["id"] == *id
        });
        match message.get_mut("error").map(Value::take) {
            Some(error) => Err(error),
            None => Ok(message
                .get_mut("result")
                .expect("a response has a result or an error")
                .take()),
        }
    }

    /// Sends a request and waits for its answer.
    pub(crate) fn call(&mut self, method: &str, params: Value) -> Result<Value, Value> {
        let id = self.ask(method, params);
        self.answer(&id)
    }

    /// Waits for a notification and gives its parameters.
    pub(crate) fn notification(&mut self, method: &str) -> Value {
        self.take(method, |message| {
            message["method"] == method && message.get("id").is_none()
        })["params"]
            .take()
    }

    /// Waits for a request of the server and gives its id and parameters.
    pub(crate) fn request(&mut self, method: &str) -> (Value, Value) {
        let mut message = self.take(method, |message| {
            message["method"] == method && message.get("id").is_some()
        });
        (message["id"].take(), message["params"].take())
    }

    /// Waits for the first message that fits, of whatever kind.
    pub(crate) fn message(&mut self, what: &str, fits: impl Fn(&Value) -> bool) -> Value {
        self.take(what, fits)
    }

    /// Answers a request of the server.
    pub(crate) fn respond(&mut self, id: &Value, result: Value) {
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "result": result }));
    }

    pub(crate) fn open(&mut self, uri: &str, version: i32, text: &str) {
        let document =
            json!({ "uri": uri, "languageId": "toml", "version": version, "text": text });
        self.notify("textDocument/didOpen", json!({ "textDocument": document }));
    }

    pub(crate) fn change(&mut self, uri: &str, version: i32, changes: Value) {
        self.send(&change(uri, version, changes));
    }

    /// Waits for the next published diagnostics: file name, version and messages.
    pub(crate) fn published(&mut self) -> (String, Option<i64>, Vec<String>) {
        let params = self.notification("textDocument/publishDiagnostics");
        let name = params["uri"]
            .as_str()
            .unwrap()
            .rsplit('/')
            .next()
            .unwrap()
            .to_owned();
        let messages = params["diagnostics"]
            .as_array()
            .unwrap()
            .iter()
            .map(|diagnostic| diagnostic["message"].as_str().unwrap().to_owned());
        (name, params["version"].as_i64(), messages.collect())
    }

    /// Waits for the first message that fits; keeps the others.
    fn take(&mut self, what: &str, fits: impl Fn(&Value) -> bool) -> Value {
        if let Some(position) = self.unread.iter().position(&fits) {
            return self.unread.remove(position).unwrap();
        }
        loop {
            match self.messages.recv_timeout(GUARD) {
                Ok(message) if fits(&message) => return message,
                Ok(message) => self.unread.push_back(message),
                Err(error) => panic!("no {what}: {error}; unread: {:?}", self.unread),
            }
        }
    }

    /// The id of the server's process.
    pub(crate) fn process_id(&self) -> u32 {
        match &self.side {
            Side::Process(child) => child.id(),
            Side::Thread(_) | Side::Ended => panic!("the server has no process of its own"),
        }
    }

    /// Lets messages of this method pass unread when the test ends.
    pub(crate) fn tolerate(&mut self, method: &'static str) {
        self.tolerated.push(method);
    }

    /// Everything that was received, until the server ends.
    pub(crate) fn drain(&mut self) -> Vec<Value> {
        let mut all: Vec<Value> = self.unread.drain(..).collect();
        loop {
            match self.messages.recv_timeout(GUARD) {
                Ok(message) => all.push(message),
                Err(mpsc::RecvTimeoutError::Disconnected) => return all,
                Err(mpsc::RecvTimeoutError::Timeout) => panic!("the server does not end"),
            }
        }
    }

    pub(crate) fn close_input(&mut self) {
        self.writer = None;
    }

    /// Waits for the exit code; the input stays open unless it was closed.
    pub(crate) fn wait(&mut self) -> u8 {
        match std::mem::replace(&mut self.side, Side::Ended) {
            Side::Process(mut child) => {
                let (sender, ended) = mpsc::channel();
                let id = child.id();
                thread::spawn(move || sender.send(child.wait().unwrap().code()));
                let code = ended
                    .recv_timeout(GUARD)
                    .unwrap_or_else(|_| panic!("process {id} does not end"));
                u8::try_from(code.expect("the server was not killed")).unwrap()
            }
            Side::Thread(thread) => thread.join().unwrap().code(),
            Side::Ended => panic!("the server has ended already"),
        }
    }

    /// Ends the server without a chance to do anything about it.
    #[cfg(target_os = "linux")]
    pub(crate) fn kill(&mut self) {
        match std::mem::replace(&mut self.side, Side::Ended) {
            Side::Process(mut child) => {
                child.kill().unwrap();
                child.wait().unwrap();
            }
            Side::Thread(_) | Side::Ended => panic!("the server has no process of its own"),
        }
    }

    /// Shuts the server down and gives the exit code.
    pub(crate) fn leave(&mut self) -> u8 {
        assert_eq!(self.call("shutdown", Value::Null), Ok(Value::Null));
        self.notify("exit", Value::Null);
        self.wait()
    }
}

impl Drop for TestServer {
    fn drop(&mut self) {
        if thread::panicking() {
            if let Side::Process(child) = &mut self.side {
                let _ = child.kill();
            }
            return;
        }
        if !matches!(self.side, Side::Ended) {
            assert!(
                self.initialized,
                "a test that does not initialize must end the server itself"
            );
            assert_eq!(self.leave(), 0);
        }
        let mut unread = self.drain();
        unread.retain(|message| {
            !self
                .tolerated
                .iter()
                .any(|method| message["method"] == *method)
        });
        assert!(
            unread.is_empty(),
            "messages that the test did not read: {unread:#?}"
        );
    }
}

pub(crate) fn frame(body: &str) -> Vec<u8> {
    format!("Content-Length: {}\r\n\r\n{body}", body.len()).into_bytes()
}

pub(crate) fn change(uri: &str, version: i32, changes: Value) -> Value {
    let params =
        json!({ "textDocument": { "uri": uri, "version": version }, "contentChanges": changes });
    json!({ "jsonrpc": "2.0", "method": "textDocument/didChange", "params": params })
}

fn read_frame(output: &mut impl BufRead) -> Option<Value> {
    let mut length = None;
    loop {
        let mut line = String::new();
        if output.read_line(&mut line).ok()? == 0 {
            return None;
        }
        match line.trim_end().split_once(": ") {
            Some(("Content-Length", value)) => length = Some(value.parse().expect("a length")),
            None if line == "\r\n" => break,
            _ => panic!("an unexpected header: {line:?}"),
        }
    }
    let mut body = vec![0; length.expect("a length")];
    output.read_exact(&mut body).ok()?;
    Some(serde_json::from_slice(&body).expect("the server writes JSON"))
}
