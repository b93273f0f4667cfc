//! The socket files of services.

use camino::{Utf8Path, Utf8PathBuf};
use expect_test::expect;
use jp_tool::{AccessPolicy, NetRule};
use pretty_assertions::assert_eq;

use super::{BOTH, Forest, fs};
use crate::{Beyond, Mechanisms, Wish, plan};

/// What is covered of these places, for a tool that may update `src`.
fn covered(places: &[&str], access: &AccessPolicy, mechanisms: Mechanisms) -> Vec<String> {
    let mut forest = Forest::default();
    for path in [
        "/w/src/db.sock",
        "/w/src/ro/sock",
        "/w/other.sock",
        "/run/user/1000/bus",
        "/run/docker.sock",
        "/run/nscd/socket",
        "/run/systemd/resolve/io.systemd.Resolve",
        "/run/mine/bin/tool",
        "/run/mine/sock",
    ] {
        forest.plant(path);
    }
    let beyond = Beyond {
        runnable: vec!["/run/mine/bin".into()],
        sockets: places.iter().map(Utf8PathBuf::from).collect(),
        ..Beyond::default()
    };
    let wish = Wish {
        root: Utf8Path::new("/w"),
        access: Some(access),
        protected: &[],
        beyond: &beyond,
    };
    let profile = plan(&wish, mechanisms, &forest).unwrap().profile;
    let covers = profile.into_iter().flat_map(|profile| profile.covers);
    covers
        .filter(|cover| cover.may_be_gone)
        .map(|cover| {
            assert!(cover.hidden);
            let kind = if cover.is_directory { "/" } else { "" };
            format!("{}{kind}", cover.path)
        })
        .collect()
}

const PLACES: [&str; 11] = [
    "/run/docker.sock",
    "/run/gone.sock",
    "/run/mine",
    "/run/mine/sock",
    "/run/nscd/socket",
    "/run/systemd/resolve/io.systemd.Resolve",
    "/run/user",
    "/run/user/1000/bus",
    "/w/other.sock",
    "/w/src/db.sock",
    "/w/src/ro/sock",
];

/// `src` may be changed, and the network is open or closed.
fn access(is_open: bool) -> AccessPolicy {
    let rule = NetRule {
        host: "a.example".to_owned(),
        ..NetRule::default()
    };
    AccessPolicy {
        net: (!is_open).then_some(rule).into_iter().collect(),
        ..fs(&[("src", "read write"), ("src/ro", "read")])
    }
}

#[test]
fn what_a_tool_may_not_change_is_covered() {
    expect![[r#"
        /run/docker.sock
        /run/mine/sock
        /run/user/
        /w/other.sock
        /w/src/ro/sock"#]]
    .assert_eq(&covered(&PLACES, &access(true), BOTH).join("\n"));
}

#[test]
fn names_are_looked_up_where_the_network_is_open() {
    let more: Vec<String> = covered(&PLACES, &access(false), BOTH)
        .into_iter()
        .filter(|path| path.contains("nscd") || path.contains("resolve"))
        .collect();
    assert_eq!(
        more,
        [
            "/run/nscd/socket",
            "/run/systemd/resolve/io.systemd.Resolve"
        ]
    );
}

#[test]
fn nothing_is_covered_where_the_kernel_keeps_socket_files_or_everything_is_open() {
    let none: [String; 0] = [];
    assert_eq!(covered(&PLACES, &access(true), Mechanisms::ALL), none);
    let open = AccessPolicy::default();
    assert_eq!(covered(&PLACES, &open, BOTH), none);
}

#[test]
fn no_service_connects_for_a_tool_whose_network_is_closed() {
    let closed = AccessPolicy {
        fs: Vec::new().into(),
        ..access(false)
    };
    let covers = covered(&PLACES, &closed, BOTH);
    expect![[r#"
        /run/docker.sock
        /run/mine/sock
        /run/nscd/socket
        /run/systemd/resolve/io.systemd.Resolve
        /run/user/
        /w/other.sock
        /w/src/db.sock
        /w/src/ro/sock"#]]
    .assert_eq(&covers.join("\n"));
    assert_eq!(covered(&PLACES, &closed, Mechanisms::ALL), covers);
}
