//! A process that is held to a profile by the real binary, without a turn around it.

use std::{
    fs::File,
    io::{Read as _, Write as _},
    os::fd::AsRawFd as _,
    path::Path,
    process::{Command, Stdio},
    sync::OnceLock,
};

use jp_sandbox::{Mechanisms, Profile};

use crate::program::program;

/// What the machine that the tests run on has.
pub(crate) fn mechanisms() -> Mechanisms {
    static FOUND: OnceLock<Mechanisms> = OnceLock::new();
    *FOUND.get_or_init(|| {
        let output = Command::new(program())
            .arg("probe-sandbox")
            .output()
            .unwrap();
        serde_json::from_slice(&output.stdout).unwrap()
    })
}

/// What a confined program wrote to standard output, and to standard error.
pub(crate) fn run(profile: &Profile, argv: &[&str], input: &str) -> (String, String) {
    let mut file = tempfile::tempfile().unwrap();
    file.write_all(serde_json::to_string(profile).unwrap().as_bytes())
        .unwrap();
    let (mut report, theirs) = std::io::pipe().unwrap();
    let mut child = Command::new(program())
        .arg("confine-tool")
        .arg(std::process::id().to_string())
        .arg(file.as_raw_fd().to_string())
        .arg(theirs.as_raw_fd().to_string())
        .args(argv)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(input.as_bytes()).unwrap();
    drop(stdin);
    let output = child.wait_with_output().unwrap();
    drop(theirs);
    let mut told = String::new();
    report.read_to_string(&mut told).unwrap();
    assert_eq!(told, "confined\n", "{argv:?}");
    let text = |bytes| String::from_utf8_lossy(bytes).into_owned();
    (text(&output.stdout), text(&output.stderr))
}

/// A file of this folder, where the tests were built.
pub(crate) fn fixture(name: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/sandbox");
    let path = folder.join(name).canonicalize().unwrap();
    assert!(File::open(&path).is_ok());
    path.to_str().unwrap().to_owned()
}
