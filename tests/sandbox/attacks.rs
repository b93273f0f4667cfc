//! A tool that ignores its grants comes to nothing.

use std::{
    collections::BTreeMap,
    fs,
    net::TcpListener,
    os::linux::net::SocketAddrExt as _,
    os::unix::{fs::PermissionsExt as _, net::SocketAddr, net::UnixDatagram, net::UnixListener},
    process::{Child, Command},
};

use pretty_assertions::assert_eq;

use crate::{confined, desk::Desk};

/// A process that somebody else needs.
struct Victim(Child);

impl Drop for Victim {
    fn drop(&mut self) {
        // It may have been killed, which the test has told by then.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A queue of messages that other processes share.
struct Queue(String);

impl Queue {
    fn new() -> Self {
        let made = Command::new("ipcmk").arg("-Q").output().unwrap();
        let told = String::from_utf8(made.stdout).unwrap();
        let (_, id) = told.trim().rsplit_once(' ').unwrap();
        Self(id.to_owned())
    }
}

impl Drop for Queue {
    fn drop(&mut self) {
        let _ = Command::new("ipcrm").args(["-q", &self.0]).status();
    }
}

/// What came of every attack, by a tool with these grants.
fn attacked(grants: &str) -> BTreeMap<String, String> {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let name = format!("jp-lsp-test-{port}");
    let address = SocketAddr::from_abstract_name(&name).unwrap();
    let _abstract = UnixListener::bind_addr(&address).unwrap();
    let mut victim = Victim(Command::new("sleep").arg("1000").spawn().unwrap());
    let queue = Queue::new();
    let folder = tempfile::tempdir().unwrap();
    let home = folder.path().join("home");
    fs::create_dir(&home).unwrap();
    let _bus = UnixListener::bind(home.join("bus")).unwrap();
    let _log = UnixDatagram::bind(home.join("log")).unwrap();
    let words = [
        confined::fixture("attacks.py"),
        home.to_str().unwrap().to_owned(),
        std::process::id().to_string(),
        port.to_string(),
        name,
        victim.0.id().to_string(),
        queue.0.clone(),
    ];
    let desk = Desk::new(&format!(
        "command = {{ program = \"python3\", args = {words:?} }}\n{grants}"
    ));
    for folder in [".ssh", ""] {
        fs::create_dir_all(home.join(folder)).unwrap();
    }
    fs::write(home.join(".ssh/id"), "secret").unwrap();
    fs::write(home.join(".bashrc"), "").unwrap();
    fs::write(home.join("program"), "#!/bin/sh\n").unwrap();
    fs::set_permissions(home.join("program"), fs::Permissions::from_mode(0o755)).unwrap();
    for file in [".git/config", "src/inner/.envrc", "private/a"] {
        desk.write(&format!("w/{file}"), "kept");
    }
    let config = desk.read("w/.jp/config.toml");
    fs::create_dir(desk.path("w/.git/hooks")).unwrap();
    let said = desk.call(&[]);
    assert_eq!(said, "done\n");
    assert_eq!(desk.read("w/.jp/config.toml"), config);
    if grants.contains("access.fs") {
        assert_eq!(victim.0.try_wait().unwrap(), None);
    }
    serde_json::from_str(&desk.read("w/src/outcome.json")).unwrap()
}

fn done(outcomes: &BTreeMap<String, String>) -> Vec<&str> {
    let done = outcomes.iter().filter(|(_, outcome)| *outcome != "refused");
    done.map(|(name, _)| name.as_str()).collect()
}

#[test]
fn every_attack_of_a_tool_with_grants_is_refused() {
    let found = confined::mechanisms();
    if !found.hold_mounts() {
        let (words, account) = crate::held_in_words(found);
        assert_eq!(
            (words.starts_with("not held"), account.mechanisms),
            (!found.hold_files(), found)
        );
        return;
    }
    let outcomes = attacked(
        "access.fs = [{ path = \"src\", read = true, write = true }]\n\
         access.net = [{ host = \"example.com\", allow = false }]\n\
         access.env = [{ name = \"LANG\", read = true }]",
    );
    assert_eq!(done(&outcomes), Vec::<&str>::new());
}

#[test]
fn no_service_connects_for_a_tool_whose_network_is_closed() {
    let found = confined::mechanisms();
    if !found.hold_mounts() {
        let (_, account) = crate::held_in_words(found);
        assert_eq!(account.mechanisms, found);
        return;
    }
    let outcomes = attacked("access.net = [{ host = \"example.com\", allow = false }]");
    let services = outcomes
        .iter()
        .filter(|(name, _)| name.starts_with("a service"));
    let services: Vec<&str> = services.map(|(_, outcome)| outcome.as_str()).collect();
    assert_eq!(services, ["refused"; 4]);
    assert_eq!(outcomes["connect"], "refused");
    assert_eq!(outcomes["read the home"], "done");
}

#[test]
fn a_tool_without_grants_leaves_what_is_protected_alone() {
    let found = confined::mechanisms();
    if !found.hold_mounts() {
        let (_, account) = crate::held_in_words(found);
        assert_eq!(account.mechanisms, found);
        return;
    }
    let outcomes = attacked("");
    let refused: Vec<&str> = outcomes
        .iter()
        .filter(|(_, outcome)| *outcome == "refused")
        .map(|(name, _)| name.as_str())
        .collect();
    for name in [
        "by mounts",
        "by unmounting",
        "change a hook",
        "change the config",
        "change the nested guard",
        "directory of the host",
        "cut by a descriptor",
        "enter the mounts of the host",
        "environment of the host",
        "files of the host",
        "in a namespace",
        "make a config",
        "make a hook",
        "memory of the host",
        "move the guard",
        "remove the config",
        "root of the host",
        "trace",
        "undo the cover",
    ] {
        assert!(refused.contains(&name), "{name}: {outcomes:?}");
    }
    assert_eq!(outcomes["read the home"], "done");
    assert_eq!(outcomes["connect"], "done");
    assert_eq!(outcomes["a service of the person"], "done");
}
