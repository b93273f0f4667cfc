//! Keys in the keyring through the real binary, on a machine that has none.

// Other systems have a keyring that no variable leads away from.
#![cfg(all(unix, not(target_vendor = "apple")))]
#![expect(
    clippy::unwrap_used,
    reason = "a run that cannot be prepared fails the test"
)]

mod program;

use std::{
    fs,
    io::Write as _,
    path::Path,
    process::{Command, Stdio},
};

use expect_test::{Expect, expect};

use program::program;

/// A person whose sessions have no keyring.
struct Person {
    home: tempfile::TempDir,
}

impl Person {
    fn new() -> Self {
        let home = tempfile::tempdir().unwrap();
        fs::create_dir_all(home.path().join("project/.jp")).unwrap();
        let config = "assistant.model.id = \"anthropic/claude-sonnet-4-5\"\n";
        fs::write(home.path().join("project/.jp/config.toml"), config).unwrap();
        Self { home }
    }

    /// Makes it known that a key is kept, as after `key set` with a keyring.
    fn has_kept(&self, variable: &str) {
        let names = self.home.path().join("data/kept-keys");
        fs::create_dir_all(&names).unwrap();
        fs::write(names.join(variable), "").unwrap();
    }

    /// What a command prints that reads this, its exit code last.
    fn run(&self, arguments: &[&str], input: &str) -> String {
        let mut child = Command::new(program())
            .args(arguments)
            .env_clear()
            .env("HOME", self.home.path())
            .env("PATH", "/usr/bin:/bin")
            .env("JP_GLOBAL_CONFIG_DIR", self.home.path().join("none"))
            .env("JP_LSP_DATA_DIR", self.home.path().join("data"))
            .env("JP_LSP_SANDBOX_WITHOUT", "landlock,namespaces")
            .env("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nowhere/bus")
            .env("XAI_API_KEY", "sk-of-the-environment")
            .current_dir(self.home.path().join("project"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stdin = child.stdin.take().unwrap();
        // Whoever refuses early reads nothing.
        let _ = stdin.write_all(input.as_bytes());
        drop(stdin);
        let output = child.wait_with_output().unwrap();
        let said = [output.stdout, output.stderr].concat();
        let said = String::from_utf8(said).unwrap();
        let home = self.home.path().to_str().unwrap();
        let said = said.replace(home, "<home>");
        format!("{said}exit {}\n", output.status.code().unwrap())
    }

    fn check(&self, arguments: &[&str], input: &str, expect: &Expect) {
        expect.assert_eq(&self.run(arguments, input));
    }
}

/// The texts of all files below a folder.
fn everything_below(folder: &Path) -> String {
    let mut text = String::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => text.push_str(&everything_below(&path)),
            false => text.push_str(&String::from_utf8_lossy(&fs::read(&path).unwrap())),
        }
    }
    text
}

#[test]
fn without_a_keyring_nothing_is_kept_anywhere() {
    let person = Person::new();
    person.check(
        &["key", "list"],
        "",
        &expect![[r#"
        No key is kept; `jp-lsp key set PROVIDER` keeps one.
        exit 0
    "#]],
    );
    person.check(&["key", "set", "anthropic"], "sk-secret\n", &expect![[r#"
        jp-lsp: the keyring of this system cannot be reached: Failed to connect to address `unix:path=/nowhere/bus`: No such file or directory (os error 2)
        exit 2
    "#]]);
    person.check(
        &["key", "list"],
        "",
        &expect![[r#"
        No key is kept; `jp-lsp key set PROVIDER` keeps one.
        exit 0
    "#]],
    );
    person.check(
        &["key", "forget", "anthropic"],
        "",
        &expect![[r#"
        No key for anthropic was kept.
        exit 0
    "#]],
    );
    assert!(!everything_below(person.home.path()).contains("sk-secret"));
}

#[test]
fn a_key_is_no_argument_and_is_not_repeated() {
    let person = Person::new();
    let said = person.run(&["key", "set", "anthropic", "sk-secret"], "");
    expect![[r#"
        jp-lsp: a key is never an argument, where others on this machine can read it: leave it out, and it is asked for; it is best replaced with a new one now
        exit 2
    "#]].assert_eq(&said);
    let said = person.run(&["key", "set", "sk-secret"], "");
    expect![[r#"
        jp-lsp: that is no provider: write one of `anthropic`, `cerebras`, `deepseek`, `google`, `llamacpp`, `ollama`, `openai`, `openrouter`, `xai`, or a variable that a config names for its key, in capital letters
        exit 2
    "#]].assert_eq(&said);
    person.check(&["key", "set", "ollama"], "", &expect![[r#"
        jp-lsp: ollama takes no key by itself; where a config names a variable for one with `api_key_env`, write that variable
        exit 2
    "#]]);
}

#[test]
fn keys_are_listed_by_name_without_the_keyring() {
    let person = Person::new();
    for name in [
        "ANTHROPIC_API_KEY",
        "XAI_API_KEY",
        "GATEWAY_TOKEN",
        "other.txt",
    ] {
        person.has_kept(name);
    }
    person.check(
        &["key", "list"],
        "",
        &expect![[r#"
            anthropic   ANTHROPIC_API_KEY
            -           GATEWAY_TOKEN
            xai         XAI_API_KEY  (the environment has one too, which is taken)
            exit 0
        "#]],
    );
}

#[test]
fn a_key_that_cannot_be_read_is_told_by_the_doctor_and_by_a_turn() {
    let person = Person::new();
    let ask = ["query", "--non-interactive", "Hello"];
    person.check(
        &ask,
        "",
        &expect![[r#"
            jp-lsp: the turn failed: `assistant.model.id`: anthropic needs an API key, set the environment variable `ANTHROPIC_API_KEY` or keep the key with `jp-lsp key set anthropic`
            exit 1
        "#]],
    );
    let diagnosis = |said: String| {
        let told = ["keyring", "keys       A", "No turn", "exit"];
        let is_told = |line: &&str| told.iter().any(|begin| line.starts_with(begin));
        said.lines().filter(is_told).collect::<Vec<_>>().join("\n")
    };
    expect![[r#"
        keyring    not used: the keyring of this system cannot be reached: Failed to connect to address `unix:path=/nowhere/bus`: No such file or directory (os error 2)
        keys       ANTHROPIC_API_KEY is not set; it goes to https://api.anthropic.com
        No turn can begin: `ANTHROPIC_API_KEY` is not set: put the key of anthropic into this variable of the environment, keep it with `jp-lsp key set anthropic`, or name another model
        exit 1"#]]
    .assert_eq(&diagnosis(person.run(&["doctor"], "")));
    person.has_kept("ANTHROPIC_API_KEY");
    person.check(
        &ask,
        "",
        &expect![[r#"
            jp-lsp: the turn failed: `assistant.model.id`: anthropic needs an API key, set the environment variable `ANTHROPIC_API_KEY` or keep the key with `jp-lsp key set anthropic`; the key that is kept cannot be read: the keyring of this system cannot be reached: Failed to connect to address `unix:path=/nowhere/bus`: No such file or directory (os error 2)
            exit 1
        "#]],
    );
    expect![[r#"
        keyring    not used: the keyring of this system cannot be reached: Failed to connect to address `unix:path=/nowhere/bus`: No such file or directory (os error 2)
        keys       ANTHROPIC_API_KEY is kept in the keyring; it goes to https://api.anthropic.com
        No turn can begin: the key of anthropic is kept: the keyring of this system cannot be reached: Failed to connect to address `unix:path=/nowhere/bus`: No such file or directory (os error 2)
        exit 1"#]]
    .assert_eq(&diagnosis(person.run(&["doctor"], "")));
}
