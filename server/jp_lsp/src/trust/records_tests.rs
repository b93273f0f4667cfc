use std::fs;

use pretty_assertions::assert_eq;
use tempfile::TempDir;

use super::*;

fn records() -> (TempDir, Records) {
    let folder = tempfile::tempdir().unwrap();
    let directory = Utf8PathBuf::from_path_buf(folder.path().join("trust")).unwrap();
    (folder, Records { directory })
}

fn content(digest: &str, by: TrustedBy) -> TrustedContent {
    TrustedContent {
        digest: digest.to_owned(),
        by,
    }
}

#[test]
fn what_was_trusted_stays_trusted_beside_what_is() {
    let (_folder, records) = records();
    let root = Utf8Path::new("/nowhere/w");
    assert_eq!(records.workspace(root).unwrap(), None);
    for number in 0..70 {
        let content = content(&number.to_string(), TrustedBy::Person);
        records.trust(root, content, Vec::new()).unwrap();
    }
    let record = records.workspace(root).unwrap().unwrap();
    assert!(record.holds("69", TrustedBy::Person) && record.holds("6", TrustedBy::Person));
    assert!(!record.holds("5", TrustedBy::Person));
    assert_eq!(records.workspace(Utf8Path::new("/nowhere")).unwrap(), None);
}

#[test]
fn the_word_of_an_editor_is_not_that_of_a_person() {
    let (_folder, records) = records();
    let root = Utf8Path::new("/nowhere/w");
    records
        .trust(root, content("a", TrustedBy::Editor), Vec::new())
        .unwrap();
    let record = records.workspace(root).unwrap().unwrap();
    assert!(record.holds("a", TrustedBy::Editor));
    assert!(!record.holds("a", TrustedBy::Person));
    records
        .trust(root, content("a", TrustedBy::Person), Vec::new())
        .unwrap();
    let record = records.workspace(root).unwrap().unwrap();
    assert!(record.holds("a", TrustedBy::Editor) && record.holds("a", TrustedBy::Person));
}

#[test]
fn a_key_is_allowed_for_one_variable_and_one_address() {
    let (_folder, records) = records();
    let root = Utf8Path::new("/nowhere/w");
    records.allow("A B", "https://c", root).unwrap();
    assert!(records.allows("A B", "https://c"));
    assert!(!records.allows("A", "B https://c"));
    assert!(!records.allows("A B", "https://d"));
    assert!(records.forget(root).unwrap());
    assert!(!records.allows("A B", "https://c"));
}

#[test]
fn a_record_is_nobodys_but_its_own() {
    let (_folder, records) = records();
    let (one, other) = (
        Utf8Path::new("/nowhere/one"),
        Utf8Path::new("/nowhere/other"),
    );
    records
        .trust(one, content("a", TrustedBy::Person), Vec::new())
        .unwrap();
    // Whoever copies the file of one folder over that of another has trusted nothing.
    fs::copy(
        records.file("workspaces", one.as_str()),
        records.file("workspaces", other.as_str()),
    )
    .unwrap();
    assert_eq!(records.workspace(other).unwrap(), None);
}

#[test]
fn the_workspace_that_a_folder_lay_in_first_stays_known() {
    let (_folder, records) = records();
    let (folder, workspace) = (Utf8Path::new("/nowhere/w/sub"), Utf8Path::new("/nowhere/w"));
    assert_eq!(records.first_seen(folder, None), None);
    // What appears later was not there first, whoever asks.
    assert_eq!(records.first_seen(folder, Some(workspace)), None);
    for later in [Some(workspace), None, Some(folder)] {
        let seen = records.first_seen(workspace, Some(workspace));
        assert_eq!(seen.as_deref(), Some(workspace));
        let seen = records.first_seen(workspace, later);
        assert_eq!(seen.as_deref(), Some(workspace));
    }
    fs::write(records.file("folders", workspace.as_str()), "{").unwrap();
    assert_eq!(records.first_seen(workspace, Some(workspace)), None);
}

#[test]
fn a_workspace_that_is_forgotten_gives_its_id_back() {
    let folder = tempfile::tempdir().unwrap();
    let root = Utf8Path::from_path(folder.path())
        .unwrap()
        .canonicalize_utf8();
    let root = root.unwrap();
    fs::create_dir(root.join(".jp")).unwrap();
    let (_folder, records) = records();
    records.hold("abcde", &root).unwrap();
    assert_eq!(records.holder("abcde"), Some(root.clone()));
    assert_eq!(records.first_seen(&root, Some(&root)), Some(root.clone()));
    assert!(records.forget(&root).unwrap());
    assert_eq!(records.holder("abcde"), None);
    // An editor that trusted the folder vouches for nothing in it any more.
    assert_eq!(records.first_seen(&root, Some(&root)), None);
}

#[test]
fn what_an_editor_notes_takes_nothing_away() {
    let (_folder, records) = records();
    let root = Utf8Path::new("/nowhere/w");
    let note = |digest: &str| {
        let noted = content(digest, TrustedBy::Editor);
        records.trust_first(root, noted, Vec::new()).unwrap();
        records.workspace(root).unwrap().unwrap()
    };
    assert!(note("one").holds("one", TrustedBy::Editor));
    let person = content("two", TrustedBy::Person);
    records.trust(root, person, Vec::new()).unwrap();
    let record = note("three");
    assert!(record.holds("one", TrustedBy::Editor));
    assert!(record.holds("two", TrustedBy::Person));
    assert!(!record.holds("three", TrustedBy::Editor));
}
