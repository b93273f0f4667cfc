//! The real binary on each kind of stream that a client may give it: sockets as editors do, files, and pipes that others hold too.

use std::{
    fs::{self, File},
    io::{self, Read as _, Write as _},
    net::Shutdown,
    os::{fd::OwnedFd, unix::net::UnixStream},
    process::{Command, ExitStatus, Stdio},
};

use rustix::fs::OFlags;
use serde_json::json;

use crate::{program::program, server::frame};

/// What a client says that opens a text too large for any buffer of the system, asks about it, and leaves.
fn conversation() -> Vec<u8> {
    let text = "x = 1\n".repeat(100_000);
    let uri = "file:///w/.jp/config.toml";
    [
        json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": { "capabilities": {} } }),
        json!({ "jsonrpc": "2.0", "method": "textDocument/didOpen", "params": {
            "textDocument": { "uri": uri, "languageId": "toml", "version": 1, "text": text } } }),
        json!({ "jsonrpc": "2.0", "id": 2, "method": "textDocument/hover", "params": {
            "textDocument": { "uri": uri }, "position": { "line": 0, "character": 0 } } }),
        json!({ "jsonrpc": "2.0", "id": 3, "method": "shutdown" }),
        json!({ "jsonrpc": "2.0", "method": "exit" }),
    ]
    .iter()
    .flat_map(|message| frame(&message.to_string()))
    .collect()
}

fn serve(input: impl Into<Stdio>, output: impl Into<Stdio>) -> std::process::Child {
    Command::new(program())
        .stdin(input)
        .stdout(output)
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

fn assert_answered(status: ExitStatus, output: &str) {
    assert_eq!(status.code(), Some(0), "{output}");
    for id in 1..=3 {
        assert_eq!(
            output.matches(&format!("\"id\":{id}}}")).count(),
            1,
            "{output}"
        );
    }
}

#[test]
fn sockets() {
    let (mut ours, input) = UnixStream::pair().unwrap();
    let (mut answers, output) = UnixStream::pair().unwrap();
    let mut server = serve(OwnedFd::from(input), OwnedFd::from(output));
    ours.write_all(&conversation()).unwrap();
    let mut read = String::new();
    answers.read_to_string(&mut read).unwrap();
    assert_answered(server.wait().unwrap(), &read);
}

#[test]
fn one_socket_for_both_ways() {
    let (mut ours, theirs) = UnixStream::pair().unwrap();
    let theirs = OwnedFd::from(theirs);
    let mut server = serve(theirs.try_clone().unwrap(), theirs);
    ours.write_all(&conversation()).unwrap();
    ours.shutdown(Shutdown::Write).unwrap();
    let mut read = String::new();
    ours.read_to_string(&mut read).unwrap();
    assert_answered(server.wait().unwrap(), &read);
}

#[test]
fn files() {
    let folder = tempfile::tempdir().unwrap();
    let (input, output) = (folder.path().join("in"), folder.path().join("out"));
    fs::write(&input, conversation()).unwrap();
    let mut server = serve(File::open(&input).unwrap(), File::create(&output).unwrap());
    let status = server.wait().unwrap();
    assert_answered(status, &fs::read_to_string(&output).unwrap());
}

#[test]
fn what_others_hold_keeps_its_manner() {
    let (input, mut ours) = io::pipe().unwrap();
    let (mut answers, output) = io::pipe().unwrap();
    let held = [
        OwnedFd::from(input.try_clone().unwrap()),
        OwnedFd::from(output.try_clone().unwrap()),
    ];
    let mut server = serve(input, output);
    let writer = std::thread::spawn(move || ours.write_all(&conversation()));
    let status = server.wait().unwrap();
    writer.join().unwrap().unwrap();
    for end in held {
        assert!(
            !rustix::fs::fcntl_getfl(&end)
                .unwrap()
                .contains(OFlags::NONBLOCK)
        );
    }
    let mut read = String::new();
    answers.read_to_string(&mut read).unwrap();
    assert_answered(status, &read);
}
