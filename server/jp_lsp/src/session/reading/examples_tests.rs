use std::{fs, sync::Arc};

use camino::{Utf8Path, Utf8PathBuf};
use serde_json::json;
use tempfile::TempDir;
use tokio_util::sync::CancellationToken;
use url::Url;

use crate::session::{
    cell::Cell, client::ClientProfile, config_engine::ConfigEngine, event::EventSender,
    examples::HeldExamples, reading::ConfigReading, work::Work, world::World,
};

const CONFIG: &str = r#"
[conversation.tools.read]
source = "local"
command = "cat"
parameters.path = { type = "path" }
policy.run = [{ arg = "/path", prefix = "src", mode = "unattended" }, { mode = "ask" }]
"#;
const CASE: &str = "[[case]]\ntool = \"read\"\ncall = { path = \"src/a\" }\nrun = \"unattended\"\n";

/// A workspace, and the state of an editor over it.
struct Bench {
    folder: Utf8PathBuf,
    engine: ConfigEngine,
    world: World<ConfigEngine>,
    _folder: TempDir,
}

impl Bench {
    fn new() -> Self {
        let kept = tempfile::tempdir().unwrap();
        let folder = Utf8Path::from_path(kept.path()).unwrap();
        let folder = folder.canonicalize_utf8().unwrap();
        fs::create_dir(folder.join(".jp")).unwrap();
        fs::write(folder.join(".jp/config.toml"), CONFIG).unwrap();
        fs::write(folder.join(".jp/policy.tests.toml"), CASE).unwrap();
        let client = ClientProfile::from_json(&json!({
            "workspaceFolders": [{ "uri": Url::from_file_path(&folder).unwrap(), "name": "w" }],
        }));
        Self {
            folder,
            engine: ConfigEngine::default(),
            world: World::new(client),
            _folder: kept,
        }
    }

    fn path(&self, name: &str) -> Utf8PathBuf {
        self.folder.join(".jp").join(name)
    }

    fn open(&mut self, name: &str, text: &str) {
        let uri = Url::from_file_path(self.path(name)).unwrap();
        self.world
            .edit_documents(|documents, _| documents.open(uri, "toml", 1, text.to_owned()))
            .unwrap();
    }

    /// Replaces a text on one line of a buffer that holds `before`, as typing would.
    fn replace(&mut self, name: &str, before: &str, old: &str, new: &str) {
        let uri = Url::from_file_path(self.path(name)).unwrap();
        let (line, text) = before
            .lines()
            .enumerate()
            .find(|(_, text)| text.contains(old))
            .unwrap();
        let start = text.find(old).unwrap();
        let change = serde_json::from_value(json!([{
            "range": {
                "start": { "line": line, "character": start },
                "end": { "line": line, "character": start + old.len() },
            },
            "text": new,
        }]));
        self.world
            .edit_documents(|documents, client| {
                documents.change(&uri, 2, change.unwrap(), client.encoding)
            })
            .unwrap();
    }

    /// The present state, once it is read.
    fn read(&mut self) -> (Arc<Cell<ConfigEngine>>, Arc<ConfigReading>) {
        let cell: Arc<Cell<ConfigEngine>> = self.world.cell(&self.engine);
        let work = Work {
            cancelled: CancellationToken::new(),
            superseded: None,
            generation: 1,
            events: EventSender::new().0,
        };
        let reading = cell.reading(&self.engine, &work).unwrap();
        (cell, reading)
    }

    /// What comes of the examples, and whether the loop itself had the reading.
    fn held(&mut self) -> (Arc<HeldExamples>, bool) {
        let at_once = self.world.cell(&self.engine).is_read();
        let (cell, reading) = self.read();
        let kept = reading.examples().first().unwrap();
        let held = kept.held(cell.snapshot()).unwrap().unwrap();
        (held, at_once)
    }
}

#[test]
fn examples_are_judged_once_for_each_version_of_themselves_or_the_config() {
    let mut bench = Bench::new();
    let first = bench.held().0;
    assert_eq!(first.in_words(None).unwrap(), "1 of 1 hold");
    assert!(Arc::ptr_eq(&first, &bench.held().0));
    // Opening another file changes neither.
    bench.open("../notes.md", "x");
    assert!(Arc::ptr_eq(&first, &bench.held().0));

    bench.open("config.toml", CONFIG);
    let opened = bench.held().0;
    bench.replace("config.toml", CONFIG, "\"src\"", "\"lib\"");
    let (edited, at_once) = bench.held();
    assert!(at_once, "no file is read for a key in the config");
    assert!(!Arc::ptr_eq(&opened, &edited));
    assert_eq!(edited.in_words(None).unwrap(), "0 of 1 hold");
    assert!(Arc::ptr_eq(&edited, &bench.held().0));

    bench.open("policy.tests.toml", CASE);
    assert_eq!(bench.held().0.in_words(None).unwrap(), "0 of 1 hold");
    bench.replace("policy.tests.toml", CASE, "unattended", "ask");
    let (edited, at_once) = bench.held();
    assert!(at_once, "no file is read for a key in the examples");
    assert_eq!(edited.in_words(None).unwrap(), "1 of 1 hold");
    assert!(Arc::ptr_eq(&edited, &bench.held().0));
}

#[test]
fn saved_examples_are_read_when_the_disk_is_told_to_have_changed_and_not_before() {
    let mut bench = Bench::new();
    let first = bench.held().0;
    let path = bench.path("policy.tests.toml");
    fs::write(&path, CASE.repeat(2)).unwrap();
    bench.open("config.toml", CONFIG);
    bench.replace("config.toml", CONFIG, "\"src\"", "\"lib\"");
    assert_eq!(bench.held().0.count(None), (0, 1));
    drop(first);
    bench.world.edit_disk(|disk| disk.touch(&path));
    assert_eq!(bench.held().0.count(None), (0, 2));
}

#[test]
fn figures_change_with_what_holds_and_not_with_the_text() {
    let changes = |path: &str| {
        let mut bench = Bench::new();
        bench.open("config.toml", CONFIG);
        bench.open("policy.tests.toml", CASE);
        bench.held();
        let (_, seen) = bench.read();
        // The config changes in the same breath, and its own text tells of that.
        bench.replace("config.toml", CONFIG, "\"cat\"", "\"dog\"");
        bench.replace("policy.tests.toml", CASE, "src/a", path);
        let (cell, reading) = bench.read();
        let kept = reading.examples().first().unwrap();
        kept.changes_figures(seen.examples().first().unwrap(), cell.snapshot())
    };
    assert!(!changes("src/b"));
    assert!(changes("lib/b"));
}
