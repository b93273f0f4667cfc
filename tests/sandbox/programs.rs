//! Programs that people use run under their grants as they do without.

use std::process::Command;

use pretty_assertions::assert_eq;

use crate::{confined, desk::Desk};

/// Whether a program is there to be tried.
fn exists(program: &str) -> bool {
    let found = Command::new(program).arg("--version").output();
    found.is_ok_and(|output| output.status.success())
}

fn command(script: &str, grants: &str) -> String {
    format!("command = {{ program = \"sh\", args = [\"-c\", '''{script}'''] }}\n{grants}")
}

/// A workspace with a repository and a small crate.
fn desk(script: &str) -> Desk {
    let grants = "access.fs = [{ path = \".\", read = true }, { path = \"out\", read = true, write = true, execute = true }]";
    let desk = Desk::new(&command(script, grants));
    desk.write(
        "w/Cargo.toml",
        "[package]\nname = \"small\"\nedition = \"2021\"\n[workspace]\n",
    );
    desk.write("w/src/main.rs", "fn main() { println!(\"compiled\"); }\n");
    desk.write("w/out/kept", "");
    let locked = Command::new("cargo")
        .args(["generate-lockfile", "--offline", "--quiet"])
        .current_dir(desk.path("w"))
        .status();
    // Where there is no cargo, it is not tried.
    assert!(locked.is_err() || locked.is_ok_and(|status| status.success()));
    let git = |words: &[&str]| {
        let done = Command::new("git")
            .args(words)
            .current_dir(desk.path("w"))
            .output();
        assert!(done.unwrap().status.success(), "{words:?}");
    };
    git(&["init", "-q"]);
    git(&["add", "-A"]);
    desk
}

#[test]
fn what_runs_without_the_sandbox_runs_in_it() {
    for (program, script) in [
        (
            "sh",
            "ls; cat src/main.rs; echo text > out/file; sed -i s/text/words/ out/file; cat out/file; sort src/main.rs | wc -l",
        ),
        (
            "git",
            "git status --short; git ls-files; git grep -n compiled; git diff --cached --stat",
        ),
        (
            "python3",
            "python3 -c 'import json, tempfile, subprocess, ssl, sqlite3; f = tempfile.NamedTemporaryFile(); print(subprocess.check_output([\"cat\", f.name]), open(\"src/main.rs\").read())'",
        ),
        (
            "node",
            "node -e 'console.log(require(\"fs\").readdirSync(\"src\"), require(\"os\").EOL.length, require(\"child_process\").execSync(\"echo hi\").toString())'",
        ),
        (
            "cargo",
            "cargo run --quiet --offline --target-dir out/target 2>&1",
        ),
        ("rustc", "rustc --print cfg | grep target_os"),
        ("just", "just --version"),
        ("go", "go version"),
        (
            "gcc",
            "printf 'int main(void){return 7;}' > out/a.c; gcc -o out/a out/a.c; out/a; echo $?",
        ),
        ("make", "make --version | head -1"),
        (
            "perl",
            "perl -e 'print join(q( ), sort glob(q(src/*))), qq(\\n)'",
        ),
    ] {
        if !exists(program) {
            continue;
        }
        let held = desk(script).call(&["--sandbox", "on"]);
        let open = desk(script).call(&["--sandbox", "off"]);
        assert_eq!(held, open, "{program}");
        assert!(!held.is_empty(), "{program}");
    }
}

#[test]
fn what_cannot_be_started_is_said_as_without_the_sandbox() {
    for options in [["--sandbox", "on"], ["--sandbox", "off"]] {
        let desk =
            Desk::new("command = \"no-such-program\"\naccess.fs = [{ path = \".\", read = true }]");
        assert_eq!(
            desk.call(&options),
            "Tool 't' was not started: `no-such-program` cannot be started: No such file or directory (os error 2)"
        );
    }
}

#[test]
fn a_tool_has_a_folder_of_its_own_that_is_gone_with_it() {
    let grants = "access.fs = [{ path = \".\", read = true }]";
    let desk = Desk::new(&command("echo x > $TMPDIR/x; echo $TMPDIR", grants));
    let folder = desk.call(&[]);
    assert!(!std::path::Path::new(folder.trim()).exists());
}

#[test]
fn a_tool_that_has_to_be_held_and_is_not_does_not_start() {
    let desk = Desk::new(&command(
        "echo ran",
        "access.fs = [{ path = \".\", read = true }]\naccess.net = [{ host = \"example.com\", allow = true }]",
    ));
    assert_eq!(desk.call(&[]), "ran\n");
    let refused = desk.call(&["--sandbox", "require"]);
    let start = "Tool 't' was not started: the sandbox is `require`, and the kernel does not hold all of its grants: access.";
    assert!(refused.starts_with(start), "{refused}");

    let desk = Desk::new(&command(
        "echo ran",
        "access.fs = [{ path = \".\", read = true }]",
    ));
    let without = [("JP_LSP_SANDBOX_WITHOUT", "landlock,namespaces")];
    assert_eq!(desk.call_with(&[], &without), "ran\n");
    assert_eq!(
        desk.call_with(&["--sandbox", "require"], &without),
        "Tool 't' was not started: the sandbox is `require`, and the kernel does not hold all of its grants: access.fs, \
         rule 1: this machine has no Landlock; set `sandbox` to `on` to run it all the same"
    );
}

#[test]
fn a_folder_that_is_not_there_is_made_and_goes_if_it_stays_empty() {
    let found = confined::mechanisms();
    let desk = Desk::new(
        "command = { program = \"sh\", args = [\"-c\", \"mkdir -p out/x && echo made > out/x/f && ls -d empty && ls -d Notes\"] }\n\
         access.fs = [{ path = \"out\", read = true, write = true }, { path = \"empty\", read = true, create = true }, \
         { path = \"Notes\", read = true, create = true }, { path = \"gone/in\", create = true }]",
    );
    let said = desk.call(&[]);
    if !found.hold_files() {
        assert!(!desk.path("w/empty").exists());
        return;
    }
    assert!(said.contains("empty\\n"), "{said}");
    assert!(said.contains("Notes"), "{said}");
    assert_eq!(desk.read("w/out/x/f"), "made\n");
    for name in ["w/empty", "w/Notes", "w/gone"] {
        assert!(!desk.path(name).exists(), "{name}");
    }
}

#[test]
fn a_workspace_has_no_say_in_it() {
    let desk = Desk::new("command = \"true\"\nsandbox = \"off\"");
    let checked = desk.run(&["check", "--format", "json"]);
    assert_eq!(checked.code, 1, "{checked:?}");
    assert!(checked.output.contains("unknown-key"), "{checked:?}");
    let refused = desk.run(&["query", "--sandbox", "maybe", "Go."]);
    assert_eq!(refused.code, 2);
    assert!(
        refused
            .error
            .contains("`maybe` does not fit, write `on`, `require` or `off`"),
        "{refused:?}"
    );
}
