//! A person's desk: a workspace on disk, an editor with some of its files open, and the real server beside it.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    thread,
};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::server::TestServer;

/// The capability that makes the server leave watching to the client.
pub(crate) fn client_watches() -> Value {
    json!({ "workspace": { "didChangeWatchedFiles": { "dynamicRegistration": true } } })
}

/// The diagnostics that are shown of one file, and the version that they are of.
#[derive(Debug, Default)]
struct Shown {
    version: Option<i64>,
    found: Vec<String>,
}

/// An open buffer.
struct Buffer {
    version: i32,
    text: String,
}

pub(crate) struct Desk {
    pub(crate) server: TestServer,
    folder: TempDir,
    shown: BTreeMap<String, Shown>,
    buffers: BTreeMap<String, Buffer>,
    /// How often diagnostics of a file were published.
    publications: BTreeMap<String, usize>,
}

impl Desk {
    /// A desk with these files, `//- PATH` above each, and the root open in an editor that pushes nothing by itself.
    pub(crate) fn new(fixture: &str) -> Self {
        Self::with(fixture, json!({ "capabilities": {} }))
    }

    /// A desk whose editor initializes with these parameters; a missing `workspaceFolders` is the root.
    pub(crate) fn with(fixture: &str, params: Value) -> Self {
        Self::with_script(fixture, params, None)
    }

    /// A desk whose `test/…` models answer from a script.
    pub(crate) fn with_script(fixture: &str, params: Value, script: Option<&str>) -> Self {
        Self::prepared(fixture, params, script, |_| {})
    }

    /// A desk whose folder is prepared by something else as well, before the editor opens it.
    pub(crate) fn prepared(
        fixture: &str,
        params: Value,
        script: Option<&str>,
        prepare: impl FnOnce(&Path),
    ) -> Self {
        let folder = TempDir::new().unwrap();
        fs::create_dir_all(folder.path().join("home")).unwrap();
        if let Some(script) = script {
            fs::write(folder.path().join("home/script.toml"), script).unwrap();
        }
        fs::create_dir_all(folder.path().join("w")).unwrap();
        let server = TestServer::binary_at_home(&folder.path().join("home"));
        let mut desk = Self {
            server,
            folder,
            shown: BTreeMap::new(),
            buffers: BTreeMap::new(),
            publications: BTreeMap::new(),
        };
        for file in fixture.split("//- ").skip(1) {
            let (name, text) = file.split_once('\n').unwrap();
            desk.write(name, text);
        }
        prepare(&desk.path(""));
        desk.initialize(params);
        desk
    }

    /// Ends the server, and starts another one for the same folder and the same person.
    pub(crate) fn restart(&mut self, params: Value) {
        self.server = TestServer::binary_at_home(&self.home(""));
        self.shown.clear();
        self.buffers.clear();
        self.initialize(params);
    }

    fn initialize(&mut self, mut params: Value) {
        if params.get("workspaceFolders").is_none() {
            params["workspaceFolders"] = json!([self.as_folder("")]);
        }
        let watches = params
            .pointer("/capabilities/workspace/didChangeWatchedFiles/dynamicRegistration")
            .is_some();
        self.server.tolerate("textDocument/publishDiagnostics");
        self.server.initialize_with(params);
        if watches {
            let (id, _) = self.server.request("client/registerCapability");
            self.server.respond(&id, Value::Null);
        }
    }

    /// The path of a file or folder of the workspace.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join("w").join(name)
    }

    /// The path of a file in the person's home.
    pub(crate) fn home(&self, name: &str) -> PathBuf {
        self.folder.path().join("home").join(name)
    }

    pub(crate) fn uri(&self, name: &str) -> String {
        url::Url::from_file_path(self.path(name))
            .unwrap()
            .to_string()
    }

    /// A folder of the workspace as the protocol names it.
    pub(crate) fn as_folder(&self, name: &str) -> Value {
        json!({ "uri": self.uri(name).trim_end_matches('/'), "name": name })
    }

    /// Writes a file to the disk.
    pub(crate) fn write(&self, name: &str, text: impl AsRef<[u8]>) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// The text of a file on disk.
    pub(crate) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    /// Tells the server, as an editor that watches, that files changed.
    pub(crate) fn tell_changed(&mut self, names: &[&str]) {
        let changes: Vec<Value> = names
            .iter()
            .map(|name| json!({ "uri": self.uri(name), "type": 2 }))
            .collect();
        self.server.notify(
            "workspace/didChangeWatchedFiles",
            json!({ "changes": changes }),
        );
    }

    /// Opens a file with the text that the disk has.
    pub(crate) fn open(&mut self, name: &str) {
        let text = self.read(name);
        self.open_with(name, &text);
    }

    /// Opens a file with another text than the disk has, or one that is not saved yet.
    pub(crate) fn open_with(&mut self, name: &str, text: &str) {
        let buffer = Buffer {
            version: 1,
            text: text.to_owned(),
        };
        self.buffers.insert(name.to_owned(), buffer);
        let uri = self.uri(name);
        self.server.open(&uri, 1, text);
    }

    /// Replaces the first occurrence of a text in a buffer, as typing would.
    pub(crate) fn replace(&mut self, name: &str, old: &str, text: &str) {
        let buffer = self.buffers.get_mut(name).unwrap();
        let start = buffer.text.find(old).unwrap();
        let range = json!({
            "start": position(&buffer.text, start),
            "end": position(&buffer.text, start + old.len()),
        });
        buffer.text.replace_range(start..start + old.len(), text);
        buffer.version += 1;
        let version = buffer.version;
        let uri = self.uri(name);
        self.server
            .change(&uri, version, json!([{ "range": range, "text": text }]));
    }

    /// Types at the end of a buffer.
    pub(crate) fn append(&mut self, name: &str, text: &str) {
        let buffer = self.buffers.get_mut(name).unwrap();
        let end = position(&buffer.text, buffer.text.len());
        buffer.text.push_str(text);
        buffer.version += 1;
        let version = buffer.version;
        let uri = self.uri(name);
        let range = json!({ "start": end, "end": end });
        self.server
            .change(&uri, version, json!([{ "range": range, "text": text }]));
    }

    pub(crate) fn close(&mut self, name: &str) {
        self.buffers.remove(name);
        let uri = self.uri(name);
        self.server.notify(
            "textDocument/didClose",
            json!({ "textDocument": { "uri": uri } }),
        );
    }

    /// Waits until exactly these diagnostics are shown of a file, each as `LINE:START-END code`, of its buffer's version.
    #[track_caller]
    pub(crate) fn shows(&mut self, name: &str, expected: &[&str]) {
        while !self.is_shown(name, |found| found == expected) {
            self.publication();
        }
    }

    /// Waits until something is shown of a file, of its buffer's version, and gives it.
    pub(crate) fn shows_some(&mut self, name: &str) -> Vec<String> {
        while !self.is_shown(name, |found| !found.is_empty()) {
            self.publication();
        }
        self.shown[name].found.clone()
    }

    /// How often diagnostics of a file were published.
    pub(crate) fn publications(&self, name: &str) -> usize {
        self.publications.get(name).copied().unwrap_or_default()
    }

    fn is_shown(&self, name: &str, wanted: impl Fn(&[String]) -> bool) -> bool {
        let version = self
            .buffers
            .get(name)
            .map(|buffer| i64::from(buffer.version));
        match self.shown.get(name) {
            Some(shown) => shown.version == version && wanted(&shown.found),
            // What was never wrong is never mentioned, unless it is open.
            None => version.is_none() && wanted(&[]),
        }
    }

    /// Waits for the next publication.
    fn publication(&mut self) {
        let params = self.server.notification("textDocument/publishDiagnostics");
        let uri = url::Url::parse(params["uri"].as_str().unwrap()).unwrap();
        let path = uri.to_file_path().unwrap();
        let path = path.strip_prefix(self.folder.path()).unwrap();
        let name = path.strip_prefix("w").unwrap_or(path);
        let name = name.to_str().unwrap().to_owned();
        let version = params["version"].as_i64();
        if let (Some(version), Some(before)) = (version, self.shown.get(&name)) {
            assert!(
                before.version.is_none_or(|before| before <= version),
                "an older version after a later one"
            );
        }
        let found = params["diagnostics"].as_array().unwrap();
        let found = found.iter().map(line).collect();
        *self.publications.entry(name.clone()).or_default() += 1;
        self.shown.insert(name, Shown { version, found });
    }
}

impl Drop for Desk {
    #[expect(clippy::print_stdout, reason = "a test that fails shows its state")]
    fn drop(&mut self) {
        if thread::panicking() {
            println!("shown: {:#?}", self.shown);
        }
    }
}

/// A diagnostic as `LINE:START-END code`, or `LINE:START-LINE:END code` when it has several lines.
pub(crate) fn line(diagnostic: &Value) -> String {
    let (start, end) = (&diagnostic["range"]["start"], &diagnostic["range"]["end"]);
    let end_line = match start["line"] == end["line"] {
        true => String::new(),
        false => format!("{}:", end["line"]),
    };
    format!(
        "{}:{}-{end_line}{} {}",
        start["line"],
        start["character"],
        end["character"],
        diagnostic["code"].as_str().unwrap()
    )
}

/// A position in UTF-16 code units.
fn position(text: &str, offset: usize) -> Value {
    let before = text.get(..offset).unwrap();
    let line = before.matches('\n').count();
    let start = before.rfind('\n').map_or(0, |at| at + 1);
    let character = before.get(start..).unwrap().encode_utf16().count();
    json!({ "line": line, "character": character })
}
