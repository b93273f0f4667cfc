use jp_conversation::{
    ChatRequest, ConversationEvent, ConversationMetadata, ConversationWriter, EventKind, Timestamp,
    markdown,
};
use pretty_assertions::assert_eq;

use super::*;

struct Desk {
    folder: tempfile::TempDir,
    writer: ConversationWriter,
    page: Page,
}

fn desk() -> Desk {
    let folder = tempfile::tempdir().unwrap();
    let root = Utf8Path::from_path(folder.path()).unwrap();
    let store = Store::new(root.join("store"));
    let metadata = ConversationMetadata::at(Timestamp::EPOCH);
    let writer = store
        .create(metadata, serde_json::Map::new(), Vec::new())
        .unwrap();
    let id = writer.conversation().id;
    let page = Page {
        path: root.join(format!("shown/{id}.md")),
        store,
        id,
        written: None,
    };
    Desk {
        folder,
        writer,
        page,
    }
}

impl Desk {
    fn say(&mut self, text: &str) {
        let request = ChatRequest {
            content: text.to_owned(),
            ..ChatRequest::default()
        };
        self.writer
            .append_all(vec![
                ConversationEvent::new(EventKind::TurnStart),
                ConversationEvent::new(EventKind::ChatRequest(request)),
            ])
            .unwrap();
    }

    #[track_caller]
    fn shows_everything(&mut self) {
        self.page.grow().unwrap();
        let shown = fs::read_to_string(&self.page.path).unwrap();
        assert_eq!(shown, markdown(self.writer.conversation().events()));
    }
}

/// What tells a file from another one of the same name; always the same where the system has no such thing.
fn file_number(path: &Utf8Path) -> u64 {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt as _;
        fs::metadata(path).unwrap().ino()
    }
    #[cfg(not(unix))]
    {
        u64::from(!path.exists())
    }
}

#[test]
fn the_document_gains_what_is_recorded_and_keeps_the_rest() {
    let mut desk = desk();
    desk.say("first");
    desk.shows_everything();
    let before = file_number(&desk.page.path);
    desk.say("second");
    desk.shows_everything();
    desk.shows_everything();
    assert_eq!(before, file_number(&desk.page.path));
    assert_eq!(
        fs::read_dir(desk.folder.path().join("shown"))
            .unwrap()
            .count(),
        1
    );
}

#[test]
fn a_document_that_somebody_changed_or_removed_is_made_anew() {
    let mut desk = desk();
    desk.say("first");
    desk.shows_everything();
    fs::write(&desk.page.path, "mine").unwrap();
    desk.say("second");
    desk.shows_everything();
    fs::remove_file(&desk.page.path).unwrap();
    desk.shows_everything();
}

#[test]
fn what_cannot_be_written_is_said_and_tried_again() {
    let mut desk = desk();
    desk.say("first");
    let shown = desk.page.path.parent().unwrap().to_owned();
    fs::write(&shown, "in the way").unwrap();
    let error = desk.page.grow().unwrap_err().to_string();
    assert!(error.contains("cannot be written"), "{error}");
    fs::remove_file(&shown).unwrap();
    desk.shows_everything();
}

#[tokio::test]
async fn nothing_is_written_before_somebody_asks() {
    let mut desk = desk();
    desk.say("first");
    let (store, id) = (desk.page.store.clone(), desk.page.id);
    let directory = desk.page.path.parent().unwrap();
    let document = ConversationDocument::new(store, id, directory);
    document.grow();
    tokio::task::yield_now().await;
    assert!(!directory.exists());
    let uri = document.ready().await.unwrap();
    assert_eq!(uri.to_file_path().unwrap(), desk.page.path.as_std_path());
    assert!(desk.page.path.exists());
}
