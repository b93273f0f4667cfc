use jp_agent::BrokerConfig;
use pretty_assertions::assert_eq;
use tempfile::TempDir;

use super::*;

fn host(key: &str) -> Host {
    Host {
        key: key.to_owned(),
        conversation: "jp-c1".to_owned(),
        broker: Broker::start(BrokerConfig { deadline: None }),
        over: CancellationToken::new(),
    }
}

#[tokio::test]
async fn who_does_not_know_the_key_is_sent_away_and_who_does_is_let_in() {
    for (said, is_known) in [("0123456780", false), ("0123456789", true)] {
        let (mut one, other) = UnixStream::pair().unwrap();
        let host = host("0123456789");
        let over = host.over.clone();
        let served = tokio::spawn(host.admit(other));
        one.write_all(said.as_bytes()).await.unwrap();
        if is_known {
            // Whoever is in is asked nothing more, until the turn is over.
            over.cancel();
        }
        let served = served.await.unwrap().map_err(|error| error.to_string());
        assert_eq!(
            served,
            match is_known {
                true => Ok(()),
                false => Err("it does not know the key".to_owned()),
            }
        );
    }
}

#[tokio::test]
async fn a_process_does_not_join_itself_nor_what_is_not_there() {
    let folder = TempDir::new().unwrap();
    let folder = Utf8Path::from_path(folder.path()).unwrap();
    let files = Files {
        socket: folder.join("turn.sock"),
        key: folder.join("turn.key"),
    };
    assert!(join(&files).await.unwrap().is_none());
    let _listener = UnixListener::bind(&files.socket).unwrap();
    assert!(join(&files).await.unwrap().is_none());
}

#[test]
fn what_was_left_behind_is_removed_and_so_is_what_a_turn_had() {
    let folder = TempDir::new().unwrap();
    let folder = Utf8Path::from_path(folder.path()).unwrap();
    let files = Files {
        socket: folder.join("turn.sock"),
        key: folder.join("turn.key"),
    };
    fs::write(&files.socket, "").unwrap();
    fs::write(&files.key, "").unwrap();
    let over = CancellationToken::new();
    let meeting = Meeting {
        files: files.clone(),
        over: over.clone(),
    };
    drop(meeting);
    assert!(over.is_cancelled());
    assert_eq!(folder.read_dir_utf8().unwrap().count(), 0);
}
