//! What of `access.net` a kernel can hold.

use pretty_assertions::assert_eq;

use super::*;

fn net(rules: &[(&str, Option<u16>, bool)]) -> AccessPolicy {
    let rules = rules.iter().map(|(host, port, allow)| NetRule {
        host: (*host).to_owned(),
        port: *port,
        allow: *allow,
        ..NetRule::default()
    });
    AccessPolicy {
        net: rules.collect(),
        ..AccessPolicy::default()
    }
}

#[test]
fn hosts_are_held_only_where_none_is_open() {
    let closed = net(&[("example.com", None, false)]);
    check(
        &closed,
        &[],
        BOTH,
        &expect![[r#"
        1: held
        held by the kernel: hosts, protected files
    "#]],
    );
    check(
        &closed,
        &[],
        LANDLOCK,
        &expect![[r#"
        1: not held; TCP is closed, and everything but TCP stays open without namespaces
        not held: hosts, protected files
    "#]],
    );
    let open = net(&[
        ("example.com", Some(8080), true),
        ("example.com", None, false),
    ]);
    check(
        &open,
        &[],
        BOTH,
        &expect![[r#"
        1: not held; the kernel knows ports and no hosts: every host can be reached on TCP port 8080
        2: held
        held by the kernel: protected files; not held: hosts
    "#]],
    );
    let profile = planned(&open, &Forest::new(&[]), BOTH).profile.unwrap();
    assert_eq!(profile.network, Network::Ports([8080].into()));
}
