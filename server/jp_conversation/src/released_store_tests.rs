use std::fs::{self, File, FileTimes};
use std::time::{Duration, SystemTime};

use camino::{Utf8Path, Utf8PathBuf};
use pretty_assertions::assert_eq;
use serde_json::json;

use super::*;

struct Fixture {
    user: Utf8PathBuf,
    workspace: Utf8PathBuf,
    store: ReleasedStore,
    _directory: tempfile::TempDir,
}

fn fixture() -> Fixture {
    let directory = tempfile::tempdir().unwrap();
    let root = Utf8Path::from_path(directory.path()).unwrap();
    let (user, workspace) = (root.join("user"), root.join("workspace"));
    Fixture {
        store: ReleasedStore::new(vec![user.clone(), workspace.clone()]),
        user,
        workspace,
        _directory: directory,
    }
}

/// Writes a conversation, last changed so many seconds after the epoch.
fn write(directory: &Utf8Path, title: &str, activated: &str, changed: u64) {
    fs::create_dir_all(directory).unwrap();
    let metadata = json!({ "title": title, "last_activated_at": activated });
    fs::write(directory.join("metadata.json"), metadata.to_string()).unwrap();
    let events = directory.join("events.json");
    fs::write(&events, "[]").unwrap();
    let time = SystemTime::UNIX_EPOCH + Duration::from_secs(changed);
    let file = File::options().write(true).open(events).unwrap();
    file.set_times(FileTimes::new().set_modified(time)).unwrap();
}

fn titles(store: &ReleasedStore) -> Vec<String> {
    let found = store.list().unwrap();
    let title = |found: &ReleasedConversation| match &found.listed.metadata {
        Ok(metadata) => metadata.title.clone().unwrap_or_default(),
        Err(_) => "unreadable".to_owned(),
    };
    found
        .iter()
        .map(|found| format!("{} {}", found.listed.id, title(found)))
        .collect()
}

#[test]
fn there_need_not_be_any() {
    let Fixture { store, .. } = &fixture();
    assert_eq!(titles(store), [""; 0]);
    assert_eq!(store.find("jp-c1".parse().unwrap()).unwrap(), None);
}

#[test]
fn the_newer_copy_counts_and_of_equal_ones_the_users() {
    let Fixture {
        user,
        workspace,
        store,
        ..
    } = &fixture();
    write(&user.join("100-a"), "user", "2026-01-01 00:00:00.0", 7);
    write(
        &workspace.join("100-a"),
        "workspace",
        "2026-01-01 00:00:00.0",
        7,
    );
    write(&user.join("200"), "older", "2026-01-02 00:00:00.0", 7);
    write(
        &workspace.join("200-b"),
        "newer",
        "2026-01-02 00:00:00.0",
        8,
    );
    assert_eq!(titles(store), ["jp-c200 newer", "jp-c100 user"]);
    let found = store.read("jp-c200".parse().unwrap()).unwrap().unwrap();
    assert_eq!(found.metadata.title.as_deref(), Some("newer"));
}

#[test]
fn what_is_put_away_is_found_and_not_listed() {
    let Fixture {
        workspace, store, ..
    } = &fixture();
    let away = workspace.join(".archive/300-away");
    write(&away, "away", "2026-01-01 00:00:00.0", 7);
    write(
        &workspace.join(".trash/400"),
        "gone",
        "2026-01-01 00:00:00.0",
        7,
    );
    assert_eq!(titles(store), [""; 0]);
    assert_eq!(store.find("jp-c300".parse().unwrap()).unwrap(), Some(away));
    assert_eq!(store.find("jp-c400".parse().unwrap()).unwrap(), None);
}

#[test]
fn what_is_broken_stays_in_sight() {
    let Fixture {
        workspace, store, ..
    } = &fixture();
    write(&workspace.join("500"), "x", "2026-01-01 00:00:00.0", 7);
    fs::write(workspace.join("500/metadata.json"), "{").unwrap();
    fs::create_dir_all(workspace.join("600-empty")).unwrap();
    fs::create_dir_all(workspace.join("notes")).unwrap();
    fs::write(workspace.join("700"), "a file").unwrap();
    assert_eq!(titles(store), ["jp-c500 unreadable"]);
}
