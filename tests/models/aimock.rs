//! A mock model server from elsewhere, `@copilotkit/aimock`, and what it was asked.
//!
//! ```json
//! {"fixtures": [{"match": {"userMessage": "Note it", "turnIndex": 0}, "response": {"content": "Noted."}}]}
//! ```

use std::{
    fs::File,
    io::{BufRead, BufReader, Read, Write},
    net::TcpStream,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
};

use serde_json::Value;
use tempfile::NamedTempFile;

/// How many characters of an answer are sent at a time: few enough to cut words and arguments apart.
const CHUNK: &str = "3";

/// A running server. Dropping it ends it.
pub(crate) struct Aimock {
    child: Child,
    address: String,
    /// Holds fixtures that stand in no file of ours.
    _fixtures: Option<NamedTempFile>,
}

impl Aimock {
    /// Starts a server that answers from `fixtures`, a file of `tests/models/fixtures`.
    pub(crate) fn start(fixtures: &str) -> Self {
        Self::run(&folder().join("fixtures").join(fixtures), None)
    }

    /// Starts a server that answers from these fixtures.
    pub(crate) fn start_with(fixtures: &Value) -> Self {
        let file = NamedTempFile::with_suffix(".json").unwrap();
        serde_json::to_writer(&file, fixtures).unwrap();
        let path = file.path().to_owned();
        Self::run(&path, Some(file))
    }

    fn run(fixtures: &Path, file: Option<NamedTempFile>) -> Self {
        let mut child = Command::new("node")
            .arg(program())
            .args(["--port", "0", "--strict", "--validate-on-load"])
            .args(["--chunk-size", CHUNK])
            .arg("--fixtures")
            .arg(fixtures)
            // An answer belongs to one place in the conversation and to no other.
            .env("AIMOCK_STRICT_TURN_INDEX", "1")
            .env_remove("AIMOCK_API_KEYS")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::inherit())
            .spawn()
            .expect("node runs");
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let address = lines
            .by_ref()
            .map(Result::unwrap)
            .find_map(|line| Some(line.split_once("listening on http://")?.1.to_owned()))
            .expect("the mock server says where it listens");
        // A server whose words nobody takes would stand still.
        std::thread::spawn(move || lines.for_each(drop));
        Self {
            child,
            address,
            _fixtures: file,
        }
    }

    /// What `base_url` is set to.
    pub(crate) fn base_url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// The requests so far, each with what was answered.
    pub(crate) fn journal(&self) -> Vec<Value> {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        write!(
            stream,
            "GET /__aimock/journal HTTP/1.0\r\nhost: {}\r\n\r\n",
            self.address
        )
        .unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let (_, body) = answer.split_once("\r\n\r\n").unwrap();
        serde_json::from_str(body).unwrap()
    }
}

impl Drop for Aimock {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/models")
}

/// The server's program, installed by the first test that needs it.
fn program() -> PathBuf {
    let lock = File::create(Path::new(env!("CARGO_TARGET_TMPDIR")).join("aimock.lock")).unwrap();
    lock.lock().unwrap();
    let installed = Command::new("bash")
        .arg(folder().join("install.sh"))
        .status()
        .expect("bash runs");
    assert!(installed.success(), "tests/models/install.sh failed");
    folder().join("node_modules/@copilotkit/aimock/dist/cli.js")
}
