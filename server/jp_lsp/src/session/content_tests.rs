use expect_test::{Expect, expect};
use pretty_assertions::assert_eq;
use url::Url;

use super::{ContentAddress, GivenContents, REMEMBERED};

fn check(address: &ContentAddress, expected: &Expect) {
    let uri = address.uri().unwrap();
    expected.assert_eq(uri.as_str());
    assert_eq!(ContentAddress::of(&uri).as_ref(), Some(address));
}

#[test]
#[cfg(unix)]
fn addresses_of_folders_lead_back() {
    let effective = |folder: &str| ContentAddress::Effective(camino::Utf8PathBuf::from(folder));
    check(
        &effective("/w"),
        &expect!["jp-lsp:/effective/w/config.toml"],
    );
    check(&effective("/"), &expect!["jp-lsp:/effective/config.toml"]);
    check(
        &effective("/a b/ü#?%25"),
        &expect!["jp-lsp:/effective/a%20b/%C3%BC%23%3F%2525/config.toml"],
    );
}

#[test]
fn addresses_lead_back() {
    check(
        &ContentAddress::Prompt("17636666521-3".to_owned()),
        &expect!["jp-lsp:/prompt/17636666521-3.md"],
    );
    check(
        &ContentAddress::Conversation("jp-c17636666521".parse().unwrap()),
        &expect!["jp-lsp:/conversation/jp-c17636666521.md"],
    );
}

#[test]
fn other_addresses_are_none_of_ours() {
    for uri in [
        "file:///w/config.toml",
        "jp-lsp:/conversation/x.md",
        "jp-lsp:/conversation/jp-c17636666521",
        "jp-lsp:/prompt/3",
        "jp-lsp:prompt/3.md",
        "jp-lsp:/other",
        "jp-lsp:/effective/w",
    ] {
        assert_eq!(ContentAddress::of(&Url::parse(uri).unwrap()), None, "{uri}");
    }
}

#[test]
fn what_was_given_is_stale_once() {
    let uri = |name: &str| Url::parse(&format!("jp-lsp:/prompt/{name}.md")).unwrap();
    let mut given = GivenContents::default();
    assert_eq!(given.give(uri("a"), 1), None);
    assert_eq!(given.settle(1), []);
    assert_eq!(given.settle(2), [uri("a")]);
    assert_eq!(given.settle(3), []);
    assert_eq!(
        given.give(uri("b"), 2),
        Some(uri("b")),
        "made before the last change"
    );
    assert_eq!(given.settle(4), []);
}

#[test]
fn no_more_is_remembered_than_a_person_looks_at() {
    let mut given = GivenContents::default();
    for index in 0..REMEMBERED + 5 {
        let uri = Url::parse(&format!("jp-lsp:/prompt/{index}.md")).unwrap();
        assert_eq!(given.give(uri, 1), None);
    }
    assert_eq!(given.settle(2).len(), REMEMBERED);
}
