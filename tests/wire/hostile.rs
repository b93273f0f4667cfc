//! Hostile files: each gets a clear word, and the server goes on in bounded time and memory.

use std::fs;

use pretty_assertions::assert_eq;
use serde_json::json;

use crate::desk::{Desk, line};

const CONFIG: &str = ".jp/config.toml";

/// What the server may take for any of these files, in KiB, in a build without optimization.
const MEMORY: u64 = 700 << 10;

const LONG: usize = 1 << 20;

/// The server answers, and about the file as it is.
fn is_alive(desk: &mut Desk, name: &str) -> Vec<String> {
    let params = json!({ "textDocument": { "uri": desk.uri(name) } });
    let answer = loop {
        match desk.server.call("textDocument/diagnostic", params.clone()) {
            Ok(answer) => break answer,
            // The server saw the disk change meanwhile.
            Err(error) => assert_eq!(error["data"]["retriggerRequest"], true, "{error}"),
        }
    };
    #[cfg(target_os = "linux")]
    {
        let status = fs::read_to_string(format!("/proc/{}/status", desk.server.process_id()));
        let status = status.unwrap();
        let peak = status.lines().find_map(|row| row.strip_prefix("VmHWM:"));
        let peak = peak.unwrap().trim().trim_end_matches(" kB");
        let peak: u64 = peak.parse().unwrap();
        assert!(peak < MEMORY, "{peak} KiB");
    }
    answer["items"]
        .as_array()
        .unwrap()
        .iter()
        .map(line)
        .collect()
}

/// Judges a file on disk, then in a buffer, and types at its end.
fn judged(text: &str) -> Vec<String> {
    let mut desk = Desk::new(&format!("//- {CONFIG}\n{text}"));
    let saved = is_alive(&mut desk, CONFIG);
    assert!(saved.len() <= 1_000, "{} findings", saved.len());
    desk.open(CONFIG);
    assert_eq!(is_alive(&mut desk, CONFIG), saved);
    desk.append(CONFIG, "# typed\n");
    assert_eq!(is_alive(&mut desk, CONFIG).len(), saved.len());
    saved
}

#[test]
fn deep_nesting_is_one_finding() {
    for (open, close) in [("[", "]"), ("{ a = ", " }")] {
        let deep = format!(
            "editor = {}1{}\n",
            open.repeat(20_000),
            close.repeat(20_000)
        );
        let found = judged(&deep);
        assert!(!found.is_empty() && found.len() <= 2, "{found:?}");
        let cut = format!("editor = {}1\n", open.repeat(20_000));
        let found = judged(&cut);
        assert!(!found.is_empty() && found.len() <= 3, "{found:?}");
    }
}

#[test]
fn many_nested_tables_are_judged() {
    let header = format!("[{}]\n", vec!["a"; 20_000].join("."));
    let found = judged(&header);
    assert!(!found.is_empty() && found.len() <= 2, "{found:?}");
    let headers: String = (0..5_000)
        .map(|index| format!("[editor.t{index}]\n"))
        .collect();
    let mut desk = Desk::new("");
    desk.open_with(CONFIG, &headers);
    let found = is_alive(&mut desk, CONFIG);
    assert_eq!(found.len(), 1_000);
    assert_eq!(found.last().unwrap(), "999:8-12 unknown-key");
}

#[test]
fn long_lines_are_read() {
    let long = "x".repeat(LONG);
    assert_eq!(judged(&format!("# {long}\n")), Vec::<String>::new());
    assert_eq!(judged(&format!("{long} = 1\n")).len(), 1);
    assert_eq!(
        judged(&format!("editor = \"{long}\"\n")),
        [format!("0:9-{} type-mismatch", LONG + 11)]
    );
    let many = format!("extends = [{}]\n", "\"\", ".repeat(1_000));
    assert_eq!(judged(&many).len(), 1_000);
}

#[test]
fn bytes_that_toml_forbids_are_named() {
    for text in [
        "a\0b = 1\n",
        "inherit = true\0\n",
        "inherit = true\rextends = []\r",
    ] {
        assert!(!judged(text).is_empty(), "{text:?}");
    }
    assert_eq!(judged("\u{feff}inherit = true\n"), Vec::<String>::new());
    assert_eq!(
        judged("inherit = true\ninherit = true\n"),
        ["1:0-7 duplicate-key"]
    );
}

#[test]
fn invalid_utf_8_is_named_with_its_place() {
    let mut desk = Desk::new("//- .jp/config.toml\nextends = [\"bad.toml\"]\n");
    desk.write(".jp/bad.toml", b"inherit = true\n\xff\xfe");
    desk.open(CONFIG);
    desk.shows(".jp/bad.toml", &["0:0-0 toml-syntax"]);
    is_alive(&mut desk, CONFIG);
    desk.write(CONFIG, b"\xff\xfe");
    desk.close(CONFIG);
    desk.shows(CONFIG, &["0:0-0 toml-syntax"]);
    is_alive(&mut desk, CONFIG);
}

#[test]
fn a_directory_in_place_of_a_config_is_named() {
    let mut desk = Desk::new("//- .jp/config.toml/file\n");
    desk.shows(CONFIG, &["0:0-0 extends-missing"]);
    is_alive(&mut desk, CONFIG);
}

#[cfg(unix)]
#[test]
fn a_pipe_is_named_and_never_read() {
    let mut desk = Desk::new("//- .jp/config.toml\nextends = [\"pipe.toml\"]\n");
    let pipe = desk.path(".jp/pipe.toml");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    assert!(made.unwrap().success());
    desk.open(CONFIG);
    desk.shows(".jp/pipe.toml", &["0:0-0 extends-missing"]);
    is_alive(&mut desk, CONFIG);
}

#[cfg(unix)]
#[test]
fn an_unreadable_file_is_named() {
    use std::os::unix::fs::PermissionsExt as _;
    let mut desk =
        Desk::new("//- .jp/config.toml\nextends = [\"locked.toml\"]\n//- .jp/locked.toml\n");
    let locked = desk.path(".jp/locked.toml");
    fs::set_permissions(&locked, fs::Permissions::from_mode(0o0)).unwrap();
    desk.open(CONFIG);
    // A superuser reads everything.
    let expected: &[&str] = match fs::read(&locked) {
        Ok(_) => &[],
        Err(_) => &["0:0-0 extends-missing"],
    };
    desk.shows(".jp/locked.toml", expected);
    is_alive(&mut desk, CONFIG);
}

#[test]
fn files_that_extend_each_other_are_named() {
    let fixture = "//- .jp/config.toml\nextends = [\"b.toml\"]\n//- .jp/b.toml\nextends = [\"config.toml\"]\n";
    let mut desk = Desk::new(fixture);
    desk.open(CONFIG);
    desk.shows(".jp/b.toml", &["0:11-24 extends-cycle"]);
    desk.replace(CONFIG, "b.toml", "config.toml");
    desk.shows(CONFIG, &["0:11-24 extends-cycle"]);
    is_alive(&mut desk, CONFIG);
}

#[cfg(unix)]
#[test]
fn links_in_a_circle_are_not_followed_around() {
    use std::os::unix::fs::symlink;
    let mut desk = Desk::new("//- .jp/tools/a.toml\n");
    symlink(desk.path(".jp/tools"), desk.path(".jp/tools/again")).unwrap();
    symlink(desk.path(".jp/loop.toml"), desk.path(".jp/loop.toml")).unwrap();
    desk.write(CONFIG, "extends = [\"tools/**/*.toml\", \"loop.toml\"]\n");
    desk.open(CONFIG);
    desk.shows(".jp/loop.toml", &["0:0-0 extends-missing"]);
    is_alive(&mut desk, CONFIG);
}

#[test]
fn ten_thousand_files_behind_a_glob_are_judged() {
    let mut desk = Desk::new("");
    for index in 0..10_000 {
        let text = format!(
            "[conversation.tools.t{index}]\nsource = \"local\"\ncommand = \"t {{{{tool}}}}\"\n"
        );
        desk.write(&format!(".jp/tools/{}/{index}.toml", index % 100), text);
    }
    desk.write(".jp/tools/0/0.toml", "mistake = 1\n");
    for key in ["extends", "config_load_paths"] {
        let value = if key == "extends" {
            "tools/**/*.toml"
        } else {
            ".jp/tools"
        };
        desk.write(
            CONFIG,
            format!("{key} = [\"{value}\"]\n[conversation.tools.'*']\nrun = \"ask\"\n"),
        );
        desk.open(CONFIG);
        desk.shows(".jp/tools/0/0.toml", &["0:0-7 unknown-key"]);
        desk.replace(CONFIG, "\"ask\"", "\"asc\"");
        desk.shows(CONFIG, &["2:6-11 invalid-value"]);
        is_alive(&mut desk, CONFIG);
        desk.close(CONFIG);
    }
}
