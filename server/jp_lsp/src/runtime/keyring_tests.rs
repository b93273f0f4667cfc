use std::sync::OnceLock;

use keyring_core::{api::CredentialApi as _, mock};
use pretty_assertions::assert_eq;

use super::*;

/// A keyring that lasts as long as the process, as that of a system lasts longer.
fn open_mock() -> Opened {
    static STORE: OnceLock<Arc<CredentialStore>> = OnceLock::new();
    let store = STORE.get_or_init(|| mock::Store::new().unwrap());
    Ok(Arc::clone(store))
}

fn open_nothing() -> Opened {
    let problem = io::Error::new(io::ErrorKind::NotFound, "there is no bus");
    Err(Error::NoStorageAccess(Box::new(problem)))
}

/// A keyring that waits for a person who never comes.
fn open_never() -> Opened {
    loop {
        std::thread::park();
    }
}

fn keyring(home: &tempfile::TempDir, open: fn() -> Opened) -> Keyring {
    let names = Utf8PathBuf::from_path_buf(home.path().join("kept-keys")).unwrap();
    Keyring {
        open,
        names,
        patience: PATIENCE,
    }
}

fn said<T: std::fmt::Debug>(result: Result<T, KeyringError>) -> String {
    result.unwrap_err().to_string()
}

#[test]
fn a_key_is_kept_read_and_forgotten() {
    let home = tempfile::tempdir().unwrap();
    let keyring = keyring(&home, open_mock);
    assert_eq!(keyring.read("KEPT_KEY").unwrap(), None);
    keyring.keep("KEPT_KEY", " first\n").unwrap();
    keyring.keep("KEPT_KEY", "second").unwrap();
    assert_eq!(keyring.read("KEPT_KEY").unwrap().unwrap(), "second");
    assert_eq!(keyring.key("KEPT_KEY"), Ok(Some("second".to_owned())));
    assert_eq!(keyring.variables(), ["KEPT_KEY"]);
    assert!(keyring.forget("KEPT_KEY").unwrap());
    assert!(!keyring.forget("KEPT_KEY").unwrap());
    assert_eq!(keyring.read("KEPT_KEY").unwrap(), None);
    assert_eq!(keyring.variables(), Vec::<String>::new());
}

#[test]
fn the_folder_of_names_holds_no_key() {
    let home = tempfile::tempdir().unwrap();
    let keyring = keyring(&home, open_mock);
    keyring.keep("NAMED_KEY", "sesame").unwrap();
    let written = fs::read_to_string(home.path().join("kept-keys/NAMED_KEY")).unwrap();
    assert_eq!(written, "This key is in the keyring of the system.\n");
    assert_eq!(fs::read_dir(home.path()).unwrap().count(), 1);
}

#[test]
fn a_keyring_without_our_keys_is_never_opened() {
    let home = tempfile::tempdir().unwrap();
    let keyring = keyring(&home, open_never);
    for variable in ["OTHER_KEY", "../kept-keys", "", "small"] {
        assert_eq!(keyring.read(variable).unwrap(), None);
        assert!(!keyring.forget(variable).unwrap());
    }
}

#[test]
fn a_keyring_that_hangs_is_given_up() {
    let home = tempfile::tempdir().unwrap();
    let kept = keyring(&home, open_mock);
    kept.keep("HUNG_KEY", "sesame").unwrap();
    let hung = keyring(&home, open_never).with_patience(Duration::ZERO);
    let silent = "the keyring of this system does not answer; it may wait for its password in another window";
    assert_eq!(said(hung.reach()), silent);
    assert_eq!(said(hung.keep("NEW_KEY", "sesame")), silent);
    assert_eq!(hung.key("HUNG_KEY"), Err(silent.to_owned()));
    assert_eq!(said(hung.forget("HUNG_KEY")), silent);
    assert_eq!(kept.variables(), ["HUNG_KEY"]);
}

#[test]
fn a_machine_without_a_keyring_says_so() {
    let home = tempfile::tempdir().unwrap();
    let keyring = keyring(&home, open_nothing);
    let missing = "the keyring of this system cannot be reached: there is no bus";
    assert_eq!(said(keyring.reach()), missing);
    assert_eq!(said(keyring.keep("SOME_KEY", "sesame")), missing);
    assert_eq!(keyring.variables(), Vec::<String>::new());
}

#[test]
fn a_key_that_is_gone_from_the_keyring_can_be_forgotten() {
    let home = tempfile::tempdir().unwrap();
    let keyring = keyring(&home, open_mock);
    keyring.keep("GONE_KEY", "sesame").unwrap();
    let entry = open_mock().unwrap().build(SERVICE, "GONE_KEY", None);
    entry.unwrap().delete_credential().unwrap();
    assert_eq!(
        said(keyring.read("GONE_KEY")),
        "the keyring has it no more, keep it again with `jp-lsp key set`"
    );
    assert!(keyring.forget("GONE_KEY").unwrap());
}

#[test]
fn what_a_broken_entry_holds_is_not_told() {
    let home = tempfile::tempdir().unwrap();
    let keyring = keyring(&home, open_mock);
    keyring.keep("BROKEN_KEY", "sesame").unwrap();
    let entry = open_mock().unwrap().build(SERVICE, "BROKEN_KEY", None);
    let entry = entry.unwrap();
    let broken = entry.as_any().downcast_ref::<mock::Cred>().unwrap();
    broken.set_secret(b"\xffsesame").unwrap();
    assert_eq!(
        said(keyring.read("BROKEN_KEY")),
        "the keyring of this system refuses: what it keeps is no key"
    );
}

#[test]
fn what_is_no_key_is_refused() {
    for (text, problem) in [
        ("", "no key was given, nothing is kept"),
        (" \n", "no key was given, nothing is kept"),
        (
            "one\ntwo",
            "that is no key, nothing is kept: a key is one line without spaces, of letters, digits and signs of ASCII",
        ),
        (
            "schlüssel",
            "that is no key, nothing is kept: a key is one line without spaces, of letters, digits and signs of ASCII",
        ),
    ] {
        assert_eq!(said(checked(text)), problem);
    }
    assert_eq!(
        said(checked(&"a".repeat(LONGEST_KEY + 1))),
        "that is too long for a key, nothing is kept"
    );
    let endless = read_key(io::repeat(b'a')).unwrap();
    assert_eq!(
        said(checked(&endless)),
        "that is too long for a key, nothing is kept"
    );
}
