//! A `/tmp` of its own for whoever is held, where a person asks for it.

use std::{fs, path::Path};

use pretty_assertions::assert_eq;

use crate::{confined, desk::Desk};

const SETTING: &str = "[sandbox]\nprivate_tmp = true\n";

/// What a tool does to `/tmp`, with these grants, in a workspace elsewhere.
fn desk(grants: &str, script: &str) -> Desk {
    let tool =
        format!("command = {{ program = \"sh\", args = [\"-c\", '''{script}'''] }}\n{grants}");
    let beside_the_build = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let folder = match beside_the_build.starts_with("/tmp") {
        true => Path::new("/var/tmp"),
        false => beside_the_build,
    };
    Desk::within(&tool, folder)
}

fn has_mounts() -> bool {
    let mechanisms = confined::mechanisms();
    mechanisms.hold_files() && mechanisms.hold_mounts()
}

const GRANTS: [&str; 2] = ["", "access.fs = [{ path = \".\", read = true }]"];

#[test]
fn a_tool_sees_an_empty_folder_that_is_gone_with_it() {
    let mark = tempfile::NamedTempFile::new_in("/tmp").unwrap();
    let name = mark.path().file_name().unwrap().to_str().unwrap();
    let ours = format!("/tmp/{name}.made");
    let script = format!("ls -A /tmp; echo words > {ours}; cat /tmp/{name}.made; echo $TMPDIR");
    for grants in GRANTS {
        let desk = desk(grants, &script);
        desk.write("global/lsp.toml", SETTING);
        let said = desk.call(&[]);
        if has_mounts() {
            assert_eq!(said, "words\n/tmp\n", "{grants}");
            assert!(!Path::new(&ours).exists(), "it is the tool's alone");
        } else {
            let _ = fs::remove_file(&ours);
        }
    }
}

#[test]
fn without_the_setting_the_folder_is_everybodys() {
    let mark = tempfile::NamedTempFile::new_in("/tmp").unwrap();
    let path = mark.path().to_str().unwrap();
    let desk = desk("", &format!("test -e {path} && echo seen"));
    assert_eq!(desk.call(&[]), "seen\n");
    // A workspace asks in vain.
    desk.write("w/.jp/lsp.toml", SETTING);
    assert_eq!(desk.call(&[]), "seen\n");
}

#[test]
fn explain_says_whether_there_is_one() {
    let told = |desk: &Desk| {
        let ran = desk.run(&["explain", "sandbox", "--tool", "t"]);
        assert_eq!(ran.code, 0, "{ran:?}");
        let lines = ran
            .output
            .lines()
            .filter(|line| line.contains("of its own:"));
        lines.map(|line| line.trim().to_owned()).collect::<Vec<_>>()
    };
    let summary = |desk: &Desk| {
        let ran = desk.run(&["explain", "sandbox", "--tool", "t", "--format", "json"]);
        let answer: serde_json::Value = serde_json::from_str(&ran.output).unwrap();
        answer["summary"].as_str().unwrap().to_owned()
    };
    let elsewhere = desk("", "true");
    assert!(told(&elsewhere).is_empty());
    elsewhere.write("global/lsp.toml", SETTING);
    if has_mounts() {
        assert_eq!(told(&elsewhere), ["a `/tmp` of its own: held"]);
        assert_eq!(
            summary(&elsewhere),
            "held by the kernel: protected files, a `/tmp` of its own"
        );
        let within = Desk::within("command = \"true\"", Path::new("/tmp"));
        within.write("global/lsp.toml", SETTING);
        let reason = "a `/tmp` of its own: not held: the workspace lies in `/tmp`";
        assert_eq!(told(&within), [reason]);
        assert_eq!(
            summary(&within),
            "held by the kernel: protected files; not held: a `/tmp` of its own"
        );
        let said = within.call(&["--sandbox", "require"]);
        assert!(
            said.contains("a `/tmp` of its own: the workspace lies in `/tmp`"),
            "{said}"
        );
    }
}
