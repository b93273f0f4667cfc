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

#[test]
#[cfg(unix)]
fn links_of_a_workspace_are_not_followed() {
    use std::os::unix::fs::symlink;

    let directory = tempfile::tempdir().unwrap();
    let root = Utf8Path::from_path(directory.path()).unwrap();
    let outside = root.join("outside/17758406187-secret");
    write(&outside, "Secret", "2026-04-10 13:33:26.0", 1);
    let (user, workspace) = (root.join("user"), root.join("w"));
    let kept = workspace.join(".jp/conversations");
    let plain = kept.join("17758406181-plain");
    write(&plain, "Plain", "2026-04-10 13:33:20.0", 1);
    // A conversation, its events, its metadata and the folder of what was put away, each as a link.
    symlink(&outside, kept.join("17758406187-secret")).unwrap();
    for (name, file) in [
        ("17758406188-events", "events.json"),
        ("17758406189-title", "metadata.json"),
    ] {
        let linked = kept.join(name);
        write(&linked, "Mine", "2026-04-10 13:33:20.0", 1);
        fs::remove_file(linked.join(file)).unwrap();
        symlink(outside.join(file), linked.join(file)).unwrap();
    }
    symlink(root.join("outside"), kept.join(".archive")).unwrap();
    let store = || ReleasedStore::new(vec![user.clone()]).with_workspace(&workspace);
    let listed = |store: &ReleasedStore| -> Vec<String> {
        let listed = store.list().unwrap().into_iter();
        listed.map(|found| found.listed.id.to_string()).collect()
    };
    assert_eq!(listed(&store()), ["jp-c17758406181"]);
    for id in ["17758406187", "17758406188", "17758406189"] {
        assert_eq!(store().find(id.parse().unwrap()).unwrap(), None);
    }

    // The whole folder, or `.jp`, is a link out of the workspace.
    for linked in [".jp/conversations", ".jp"] {
        let place = workspace.join(linked);
        let away = root.join("away");
        fs::rename(&place, &away).unwrap();
        symlink(&away, &place).unwrap();
        assert_eq!(listed(&store()), [""; 0], "{linked}");
        fs::remove_file(&place).unwrap();
        fs::rename(&away, &place).unwrap();
    }
    assert_eq!(listed(&store()), ["jp-c17758406181"]);

    // In the person's own data, links are the person's.
    fs::create_dir(&user).unwrap();
    symlink(&outside, user.join("17758406187-secret")).unwrap();
    assert_eq!(listed(&store()), ["jp-c17758406187", "jp-c17758406181"]);
}
