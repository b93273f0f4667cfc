use std::{fs, sync::Arc};

use camino::{Utf8Path, Utf8PathBuf};
use jp_analysis::Effort;
use jp_config::content::Content;
use serde_json::json;
use tempfile::TempDir;
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

/// A workspace with one config, as an editor opens it.
fn workspace(config: &str) -> (TempDir, Utf8PathBuf, World<ConfigEngine>) {
    let kept = tempfile::tempdir().unwrap();
    let folder = Utf8Path::from_path(kept.path()).unwrap();
    let folder = folder.canonicalize_utf8().unwrap();
    fs::create_dir(folder.join(".jp")).unwrap();
    fs::write(folder.join(".jp/config.toml"), config).unwrap();
    let client = ClientProfile::from_json(&json!({
        "workspaceFolders": [{ "uri": Url::from_file_path(&folder).unwrap(), "name": "w" }],
    }));
    (kept, folder, World::new(client))
}

#[test]
fn a_first_reading_that_comes_too_late_is_not_made_again() {
    let (_kept, folder, mut world) = workspace("assistant.name = \"a\"\n");
    let path = folder.join(".jp/config.toml");
    let engine = ConfigEngine::default();
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

#[test]
fn a_directory_that_lists_the_same_files_is_not_judged_again() {
    let config = "extends = [\"tools/*.toml\"]\n[conversation.tools.a]\nsource = \"local\"\ncommand = \"a\"\n";
    let (_kept, folder, mut world) = workspace(config);
    let engine = ConfigEngine::default();
    let tools = folder.join(".jp/tools");
    fs::create_dir(&tools).unwrap();
    fs::write(tools.join("b.toml"), "mistake = 1\n").unwrap();
    let analyze = |world: &mut World<ConfigEngine>| {
        let cell = world.cell(&engine);
        let analysis = cell.analysis(&engine, &work(CancellationToken::new()));
        let analysis = analysis.unwrap();
        let workspace = analysis.reading().workspaces().next().unwrap();
        let made = analysis.of_workspace(workspace).unwrap();
        let found = made.all_diagnostics().map(|(_, found)| found.len()).sum();
        let made: (Effort, usize) = (made.effort(), found);
        made
    };
    let (first, found) = analyze(&mut world);
    assert_eq!((first.files, first.tools, found), (2, 1, 1));

    // A watch that begins says that the directory may have changed meanwhile.
    world.edit_disk(|disk| disk.touch(&folder.join(".jp")));
    world.edit_disk(|disk| disk.touch(&tools));
    let (again, found) = analyze(&mut world);
    assert_eq!((again.files, again.tools, again.views, found), (0, 0, 0, 1));

    fs::write(tools.join("c.toml"), "mistake = 1\n").unwrap();
    world.edit_disk(|disk| disk.touch(&tools));
    let (new, found) = analyze(&mut world);
    assert_eq!((new.files, found), (3, 2));
}
