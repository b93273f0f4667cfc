//! An MCP server over stdio that ignores what a person lets it do.

use std::{collections::BTreeMap, fs, net::TcpListener};

use pretty_assertions::assert_eq;

use crate::{confined, desk::Desk};

/// The desk of a person whose `lsp.toml` holds this, with the server that attacks, and the port that it tries.
fn desk(settings: &str) -> (Desk, TcpListener) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let desk = Desk::new("");
    let home = desk.path("home");
    let arguments = [
        confined::fixture("attack_server.py"),
        home.to_str().unwrap().to_owned(),
        port.to_string(),
    ];
    desk.write(
        "w/.jp/config.toml",
        &format!(
            "assistant.model.id = \"test/model\"\nconversation.tools.'*'.run = \"unattended\"\n\
             [conversation.tools.t]\nsource = \"mcp.s.attack\"\n\
             [providers.mcp.s]\ntype = \"stdio\"\ncommand = \"python3\"\narguments = {arguments:?}\n"
        ),
    );
    for file in ["w/docs/a", "w/private/a", "w/out/.envrc", "home/.ssh/id"] {
        desk.write(file, "kept");
    }
    desk.write("global/lsp.toml", settings);
    (desk, listener)
}

fn outcomes(desk: &Desk, done: bool) -> Vec<String> {
    let said = desk.call(&[]);
    let outcomes: BTreeMap<String, String> = serde_json::from_str(&said).unwrap();
    let wanted = if done { "done" } else { "refused" };
    let found = outcomes
        .into_iter()
        .filter(|(_, outcome)| outcome == wanted);
    found.map(|(name, _)| name).collect()
}

#[test]
fn a_server_does_what_a_person_lets_it_and_nothing_else() {
    let (desk, _listener) =
        desk("[sandbox.mcp.s]\nread = [\"docs\"]\nwrite = [\"out\"]\nnet = false\n");
    let found = confined::mechanisms();
    let done = outcomes(&desk, true);
    if !found.hold_mounts() {
        assert_eq!(
            done.contains(&"read the key".to_owned()),
            !found.hold_files()
        );
        return;
    }
    assert_eq!(
        done,
        [
            "read what is granted",
            "run a program",
            "write for itself",
            "write what is granted",
        ]
    );
    assert_eq!(desk.read("w/out/b"), "changed");
    assert_eq!(desk.read("w/docs/a"), "kept");
    // What was its own is gone with it.
    let left = fs::read_dir(std::env::temp_dir()).unwrap();
    let left = left.filter_map(Result::ok).filter(|entry| {
        let name = entry.file_name();
        name.to_string_lossy().starts_with("jp-lsp-tool-") && entry.path().join("c").exists()
    });
    assert_eq!(left.count(), 0);
}

#[test]
fn a_server_without_grants_is_as_free_as_before() {
    let (desk, _listener) = desk("[sandbox.mcp.other]\nnet = false\n");
    assert_eq!(outcomes(&desk, false), Vec::<String>::new());
}

#[test]
fn settings_that_cannot_be_heeded_start_nothing() {
    let refused = |settings: &str| {
        let (desk, _listener) = desk(settings);
        let arguments = ["query", "--trust", "--non-interactive", "Go."];
        let ran = desk.run(&arguments);
        assert!(ran.code != 0, "{ran:?}");
        let folder = desk.path("").canonicalize().unwrap();
        ran.error.replace(folder.to_str().unwrap(), "")
    };
    assert_eq!(
        refused("[sandbox.mcp.s]\nreed = []\n"),
        "jp-lsp: /global/lsp.toml:2: unknown key `reed`, the keys of a server are `read`, `write` and `net`\n"
    );
}

#[test]
fn a_workspace_says_nothing_about_its_servers() {
    let (desk, _listener) = desk("");
    desk.write("w/.jp/lsp.toml", "[sandbox.mcp.s]\nread = [\"/\"]\n");
    desk.write("w/mine/lsp.toml", "[sandbox.mcp.s]\nread = [\"docs\"]\n");
    let mut command = desk.command(&["explain", "sandbox", "--server", "s"]);
    let output = command.output().unwrap();
    let said = String::from_utf8(output.stdout).unwrap();
    assert!(
        said.starts_with("s: not held: nothing says what it may do"),
        "{said}"
    );
    let mut command = desk.command(&["explain", "sandbox", "--server", "s"]);
    let output = command
        .env("JP_GLOBAL_CONFIG_DIR", desk.path("w/mine"))
        .output()
        .unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(
        said.contains("lies in the workspace, which must not say what its servers may do"),
        "{said}"
    );
}

#[test]
fn what_is_held_of_a_server_is_explained() {
    let (desk, _listener) = desk(
        "[sandbox.mcp.s]\nread = [\"docs\", \"missing\"]\nwrite = [\"out\"]\nnet = [\"a.example\"]\n",
    );
    let explained = |without: &str| -> Vec<String> {
        let mut command = desk.command(&["explain", "sandbox", "--server", "s"]);
        let output = command
            .env("JP_LSP_SANDBOX_WITHOUT", without)
            .output()
            .unwrap();
        let said = String::from_utf8(output.stdout).unwrap();
        said.lines().take(6).map(str::to_owned).collect()
    };
    let first = |state: &str, mechanisms: &str| {
        let file = desk.path("global/lsp.toml");
        format!("s: {state} ({mechanisms}), by {}", file.display())
    };
    let none = "not held: this machine has no Landlock";
    assert_eq!(
        explained("landlock,namespaces"),
        [
            first("not held", "no Landlock, no namespaces"),
            format!("  read `docs`: {none}"),
            format!("  read `missing`: {none}"),
            format!("  write `out`: {none}"),
            format!("  net `a.example`: {none} that knows ports (version 4), and no namespaces"),
            format!("  protected files: {none}"),
        ]
    );
    let found = confined::mechanisms();
    if found.hold_mounts() && found.hold_ports() {
        assert_eq!(
            explained(""),
            [
                first("partly held", &found.to_string()),
                "  read `docs`: held".to_owned(),
                "  read `missing`: held, less than granted: everything: `missing` does not exist, make it first".to_owned(),
                "  write `out`: held".to_owned(),
                "  net `a.example`: not held: the kernel knows ports and no hosts: every host can be reached on TCP port 80 and 443".to_owned(),
                "  protected files: held".to_owned(),
            ]
        );
    }
}
