use std::fs;

use pretty_assertions::assert_eq;
use serde_json::Map;

use super::*;
use crate::store::Store;
use crate::store::tests::{Fixture, fixture, says, time, turn, user};

/// A conversation of two events, the size of its first line, and its log.
fn written(store: &Store) -> (ConversationId, usize, Vec<u8>) {
    let metadata = ConversationMetadata::at(time(0));
    let mut writer = store.create(metadata, Map::new(), Vec::new()).unwrap();
    writer.append(user("one")).unwrap();
    let first = usize::try_from(writer.end()).unwrap();
    writer.append(says("zwölf")).unwrap();
    let id = writer.conversation().id;
    (
        id,
        first,
        fs::read(store.directory(id).join(EVENTS)).unwrap(),
    )
}

#[test]
fn a_line_torn_anywhere_is_recovered() {
    let Fixture { store, .. } = &fixture();
    let (id, first, whole) = written(store);
    let path = store.directory(id).join(EVENTS);
    let aside = store.directory(id).join(format!("torn-{first}"));
    for end in first..whole.len() {
        fs::write(&path, &whole[..end]).unwrap();
        let lacks_line_feed = end == whole.len() - 1;

        // A reader sees what is committed and changes nothing.
        assert_eq!(store.read(id).unwrap().events(), [user("one")]);
        assert_eq!(fs::read(&path).unwrap().len(), end);

        let mut writer = store.open(id).unwrap();
        let expected = if lacks_line_feed {
            vec![user("one"), says("zwölf")]
        } else {
            vec![user("one")]
        };
        assert_eq!(writer.conversation().events(), expected);
        writer.append(says("next")).unwrap();
        drop(writer);
        assert_eq!(
            store.read(id).unwrap().events(),
            [expected, vec![says("next")]].concat()
        );
        if end > first && !lacks_line_feed {
            assert_eq!(fs::read(&aside).unwrap(), &whole[first..end]);
            fs::remove_file(&aside).unwrap();
        }
        assert!(!aside.exists());
    }
}

#[test]
fn blocks_that_never_reached_the_disk_are_recovered() {
    let Fixture { store, .. } = &fixture();
    let (id, first, mut bytes) = written(store);
    bytes.truncate(first);
    bytes.extend_from_slice(b"\0\0\0\n\0\0");
    fs::write(store.directory(id).join(EVENTS), &bytes).unwrap();
    assert_eq!(store.read(id).unwrap().events(), [user("one")]);
    let writer = store.open(id).unwrap();
    assert_eq!(writer.conversation().events(), [user("one")]);
    let aside = store.directory(id).join(format!("torn-{first}"));
    assert_eq!(fs::read(aside).unwrap(), b"\0\0\0\n\0\0");
}

#[test]
fn a_failed_write_leaves_no_trace() {
    let Fixture { store, .. } = &fixture();
    let (id, _, whole) = written(store);
    let mut writer = store.open(id).unwrap();
    // A handle that cannot write stands for a full disk.
    writer.log = File::open(store.directory(id).join(EVENTS)).unwrap();
    let error = writer.append(turn(5)).unwrap_err().to_string();
    let path = store.directory(id).join(EVENTS);
    assert_eq!(
        error,
        format!("cannot write `{path}`: Bad file descriptor (os error 9)")
    );
    assert_eq!(writer.conversation().events().len(), 2);
    assert_eq!(
        writer.append(turn(5)).unwrap_err().to_string(),
        format!("an earlier write to conversation `{id}` failed, open it again to go on")
    );
    assert_eq!(fs::read(&path).unwrap(), whole);
}

#[cfg(unix)]
#[test]
fn a_turn_that_cannot_be_made_to_last_is_not_recorded() {
    let Fixture { store, .. } = &fixture();
    let (id, _, _) = written(store);
    let mut writer = store.open(id).unwrap();
    let before = (writer.end(), writer.conversation().metadata.clone());
    // What is written there is accepted, and cannot be synced.
    writer.log = fs::OpenOptions::new()
        .append(true)
        .open("/dev/null")
        .unwrap();
    let error = writer.append_all(vec![turn(5), user("three")]).unwrap_err();
    assert!(error.to_string().starts_with("cannot sync `"), "{error}");
    assert_eq!(writer.conversation().events(), [user("one"), says("zwölf")]);
    assert_eq!(
        (writer.end(), writer.conversation().metadata.clone()),
        before
    );
    // Nor could it be taken back, so nothing is written behind it.
    assert!(matches!(
        writer.append(user("four")),
        Err(ConversationError::Poisoned { .. })
    ));
}

#[test]
fn a_conversation_without_an_answer_is_discarded() {
    let Fixture { store, .. } = &fixture();
    let (id, _, _) = written(store);
    let mut writer = store.open(id).unwrap();
    writer.append_all(vec![turn(5), user("three")]).unwrap();
    assert!(writer.is_unanswered());
    writer.discard().unwrap();
    assert!(matches!(
        store.read(id),
        Err(ConversationError::NotFound { .. })
    ));
    assert_eq!(store.list().unwrap().len(), 0);
    assert_eq!(fs::read_dir(store.root()).unwrap().count(), 0);
}

#[test]
fn what_the_assistant_said_is_an_answer() {
    let Fixture { store, .. } = &fixture();
    let (id, _, _) = written(store);
    let mut writer = store.open(id).unwrap();
    assert!(writer.is_unanswered());
    writer
        .append_all(vec![turn(5), user("three"), says("four")])
        .unwrap();
    assert!(!writer.is_unanswered());
}
