use std::{fs, sync::Arc};

use camino::Utf8Path;
use jp_config::content::Content;
use serde_json::json;
use tokio_util::sync::CancellationToken;
use url::Url;

use super::World;
use crate::session::{
    client::ClientProfile, config_engine::ConfigEngine, event::EventSender, reading::ConfigReading,
    work::Work,
};

fn work(superseded: CancellationToken) -> Work {
    Work {
        cancelled: CancellationToken::new(),
        superseded: Some(superseded),
        generation: 1,
        events: EventSender::new().0,
    }
}

fn content(reading: &ConfigReading, path: &Utf8Path) -> Arc<Content> {
    let (workspace, file) = reading.find(path).unwrap();
    Arc::clone(workspace.graph().content(file).unwrap())
}

#[test]
fn a_first_reading_that_comes_too_late_is_not_made_again() {
    let folder = tempfile::tempdir().unwrap();
    let folder = Utf8Path::from_path(folder.path())
        .unwrap()
        .canonicalize_utf8()
        .unwrap();
    let path = folder.join(".jp/config.toml");
    fs::create_dir(folder.join(".jp")).unwrap();
    fs::write(&path, "assistant.name = \"a\"\n").unwrap();
    let client = ClientProfile::from_json(&json!({
        "workspaceFolders": [{ "uri": Url::from_file_path(&folder).unwrap(), "name": "w" }],
    }));
    let engine = ConfigEngine::default();
    let mut world = World::new(client);
    let first = world.cell(&engine);
    world
        .edit_documents(|documents, _| {
            let text = fs::read_to_string(&path).unwrap();
            documents.open(Url::from_file_path(&path).unwrap(), "toml", 1, text)
        })
        .unwrap();
    // Nobody waits for the state that is past, but its files are being read.
    let made = first
        .reading(&engine, &work(CancellationToken::new()))
        .unwrap();
    world.learn(&first);
    let next = world.cell(&engine);
    let next = next.reading(&engine, &work(world.superseded())).unwrap();
    assert!(Arc::ptr_eq(&content(&made, &path), &content(&next, &path)));
}
