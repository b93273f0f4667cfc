//! The first five minutes through the real binary: a first config, and whether a turn can begin.

#![expect(
    clippy::unwrap_used,
    reason = "a run that cannot be prepared fails the test"
)]

mod program;

use std::{fs, path::PathBuf, process::Command};

use expect_test::{Expect, expect};
use pretty_assertions::assert_eq;
use serde_json::Value;

use program::program;

/// A machine on which nothing was ever configured.
struct Machine {
    home: tempfile::TempDir,
}

impl Machine {
    fn new() -> Self {
        let home = tempfile::tempdir().unwrap();
        fs::create_dir_all(home.path().join("project")).unwrap();
        Self { home }
    }

    fn path(&self, path: &str) -> PathBuf {
        self.home.path().join("project").join(path)
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.path(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// What a command prints, its exit code last.
    fn run(&self, arguments: &[&str], variables: &[(&str, &str)]) -> String {
        let output = Command::new(program())
            .args(arguments)
            .env_clear()
            .env("HOME", self.home.path())
            .env("PATH", self.home.path().join("bin"))
            .env("JP_GLOBAL_CONFIG_DIR", self.home.path().join("none"))
            .env("JP_LSP_DATA_DIR", self.home.path().join("data"))
            // What is printed is the same on every machine.
            .env("JP_LSP_SANDBOX_WITHOUT", "landlock,namespaces")
            .env("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nowhere/bus")
            .envs(variables.iter().copied())
            .current_dir(self.path(""))
            .output()
            .unwrap();
        let said = [output.stdout, output.stderr].concat();
        let said = String::from_utf8(said).unwrap();
        let home = self.home.path().canonicalize().unwrap();
        let program = program();
        // Whether there is a keyring depends on the machine.
        let lines = said.lines().filter(|line| !line.starts_with("keyring "));
        let said: String = lines.map(|line| format!("{line}\n")).collect();
        let said = said
            .replace(program.to_str().unwrap(), "<program>")
            .replace(home.to_str().unwrap(), "<home>")
            .replace(self.home.path().to_str().unwrap(), "<home>");
        format!("{said}exit {}\n", output.status.code().unwrap())
    }

    fn check(&self, arguments: &[&str], variables: &[(&str, &str)], expect: &Expect) {
        expect.assert_eq(&self.run(arguments, variables));
    }
}

#[test]
fn a_first_config_is_written_once_and_is_clean() {
    let machine = Machine::new();
    machine.check(
        &["init"],
        &[],
        &expect![[r#"
        Wrote .jp/config.toml with the model anthropic/claude-sonnet-4-5.
        `jp-lsp doctor` says whether the model can run; `jp-lsp query TEXT` asks it.
        exit 0
    "#]],
    );
    let written = fs::read_to_string(machine.path(".jp/config.toml")).unwrap();
    machine.check(
        &["check", "--dialect", "released", "--deny", "warnings"],
        &[],
        &expect![[r#"
            0 errors, 0 warnings
            exit 0
        "#]],
    );
    machine.check(
        &["init", "--model", "openai/gpt-5"],
        &[],
        &expect![[r#"
        `.jp/config.toml` is there already and stays as it is.
        exit 1
    "#]],
    );
    assert_eq!(
        fs::read_to_string(machine.path(".jp/config.toml")).unwrap(),
        written
    );
}

#[test]
fn the_model_of_a_first_config_is_named_or_one_whose_key_is_there() {
    let model = |arguments: &[&str], variables: &[(&str, &str)]| {
        let machine = Machine::new();
        let said = machine.run(arguments, variables);
        let config = fs::read_to_string(machine.path(".jp/config.toml"));
        let config = config.unwrap_or_default();
        let id = config.lines().find(|line| line.starts_with("id = "));
        format!(
            "{} | {}\n",
            said.lines().next().unwrap(),
            id.unwrap_or("nothing")
        )
    };
    let lines = [
        model(&["init", "--model", "ollama/llama3.2:3b"], &[]),
        model(&["init"], &[("OPENAI_API_KEY", "x")]),
        model(
            &["init"],
            &[("ANTHROPIC_API_KEY", " "), ("GEMINI_API_KEY", "x")],
        ),
        model(&["init", "--model", "sonnet"], &[]),
        model(&["init", "--model", "nobody/x"], &[]),
        model(&["init", "nowhere"], &[]),
    ];
    expect![[r#"
        Wrote .jp/config.toml with the model ollama/llama3.2:3b. | id = "ollama/llama3.2:3b"
        Wrote .jp/config.toml with the model openai/gpt-5. | id = "openai/gpt-5"
        Wrote .jp/config.toml with the model google/gemini-2.5-pro. | id = "google/gemini-2.5-pro"
        jp-lsp: `sonnet` is no model: write `provider/name`, such as `anthropic/claude-sonnet-4-5`, with one of `anthropic`, `cerebras`, `deepseek`, `google`, `llamacpp`, `ollama`, `openai`, `openrouter`, `xai` | nothing
        jp-lsp: `nobody/x` is no model: write `provider/name`, such as `anthropic/claude-sonnet-4-5`, with one of `anthropic`, `cerebras`, `deepseek`, `google`, `llamacpp`, `ollama`, `openai`, `openrouter`, `xai` | nothing
        jp-lsp: `<home>/project/nowhere` is no folder | nothing
    "#]].assert_eq(&lines.concat());
}

#[test]
fn a_config_in_another_format_or_a_link_stays_as_it_is() {
    let machine = Machine::new();
    machine.write(".jp/config.json", "{}");
    machine.check(
        &["init"],
        &[],
        &expect![[r#"
        `.jp/config.json` is there already and stays as it is.
        exit 1
    "#]],
    );
    assert!(!machine.path(".jp/config.toml").exists());
    #[cfg(unix)]
    {
        let machine = Machine::new();
        fs::create_dir_all(machine.path(".jp")).unwrap();
        std::os::unix::fs::symlink("../outside.toml", machine.path(".jp/config.toml")).unwrap();
        machine.check(
            &["init"],
            &[],
            &expect![[r#"
            `.jp/config.toml` is there already and stays as it is.
            exit 1
        "#]],
        );
        assert!(!machine.path("outside.toml").exists());
    }
}

#[test]
fn a_doctor_says_what_is_missing_until_nothing_is() {
    let machine = Machine::new();
    let doctor = |variables: &[(&str, &str)], expect: &Expect| {
        machine.check(&["doctor"], variables, expect);
    };
    doctor(
        &[],
        &expect![[r#"
            jp-lsp     0.1.0 at <program>
            jp         not on PATH; jp-lsp does not need it
            editors    none on PATH
            store      <home>/data
            sandbox    files: not held: this machine has no Landlock
            sandbox    network: not held: this machine has no Landlock that knows ports (version 4), and no namespaces
            sandbox    namespaces: not held: a process may not give itself mounts and a network of its own here

            No turn can begin: no workspace: `<home>/project` has no `.jp` folder in it or above it; `jp-lsp init` makes one
            exit 2
        "#]],
    );
    machine.write(".jp/config.toml", "");
    doctor(
        &[],
        &expect![[r#"
            jp-lsp     0.1.0 at <program>
            jp         not on PATH; jp-lsp does not need it
            editors    none on PATH
            store      <home>/data
            sandbox    files: not held: this machine has no Landlock
            sandbox    network: not held: this machine has no Landlock that knows ports (version 4), and no namespaces
            sandbox    namespaces: not held: a process may not give itself mounts and a network of its own here
            workspace  <home>/project, 0 errors, 0 warnings
            dialect    the released jp loads this config too
            trust      trusted, or there is nothing to trust
            model      none
            keys       none is set

            No turn can begin: no model is set: write `assistant.model.id = "anthropic/claude-sonnet-4-5"` into `.jp/config.toml`
            exit 1
        "#]],
    );
    machine.write(
        ".jp/config.toml",
        "[assistant]\nmodel.id = \"quick\"\n[providers.llm.aliases]\nquick = \"openai/gpt-5\"\n",
    );
    doctor(
        &[],
        &expect![[r#"
            jp-lsp     0.1.0 at <program>
            jp         not on PATH; jp-lsp does not need it
            editors    none on PATH
            store      <home>/data
            sandbox    files: not held: this machine has no Landlock
            sandbox    network: not held: this machine has no Landlock that knows ports (version 4), and no namespaces
            sandbox    namespaces: not held: a process may not give itself mounts and a network of its own here
            workspace  <home>/project, 0 errors, 0 warnings
            dialect    the released jp loads this config too
            trust      trusted, or there is nothing to trust
            model      openai/gpt-5, for quick (.jp/config.toml:2)
            keys       OPENAI_API_KEY is not set; it goes to https://api.openai.com

            No turn can begin: `OPENAI_API_KEY` is not set: put the key of openai into this variable of the environment, keep it with `jp-lsp key set openai`, or name another model
            exit 1
        "#]],
    );
    doctor(
        &[("OPENAI_API_KEY", "sk-never-told")],
        &expect![[r#"
            jp-lsp     0.1.0 at <program>
            jp         not on PATH; jp-lsp does not need it
            editors    none on PATH
            store      <home>/data
            sandbox    files: not held: this machine has no Landlock
            sandbox    network: not held: this machine has no Landlock that knows ports (version 4), and no namespaces
            sandbox    namespaces: not held: a process may not give itself mounts and a network of its own here
            workspace  <home>/project, 0 errors, 0 warnings
            dialect    the released jp loads this config too
            trust      trusted, or there is nothing to trust
            model      openai/gpt-5, for quick (.jp/config.toml:2)
            keys       OPENAI_API_KEY is set; it goes to https://api.openai.com

            A turn can begin.
            exit 0
        "#]],
    );
    machine.write(
        ".jp/config.toml",
        "assistant.model.id = \"openai/gpt-5\"\nproviders.llm.openai.base_url = \"http://10.0.0.1\"\n\
         [conversation.tools.x]\nsource = \"lokal\"\n",
    );
    doctor(
        &[("OPENAI_API_KEY", "sk-never-told")],
        &expect![[r#"
            jp-lsp     0.1.0 at <program>
            jp         not on PATH; jp-lsp does not need it
            editors    none on PATH
            store      <home>/data
            sandbox    files: not held: this machine has no Landlock
            sandbox    network: not held: this machine has no Landlock that knows ports (version 4), and no namespaces
            sandbox    namespaces: not held: a process may not give itself mounts and a network of its own here
            workspace  <home>/project, 1 error, 0 warnings
            dialect    the released jp loads this config too
            trust      not trusted as it is
            model      none
            keys       OPENAI_API_KEY is set; it goes to http://10.0.0.1, which is not the provider's own address

            No turn can begin: no turn starts with this config: tool `x`, .jp/config.toml:4: unknown tool source `lokal`, must be one of: `builtin`, `local`, `mcp`
            exit 1
        "#]],
    );
}

#[test]
fn a_doctor_finds_programs_and_tells_json() {
    let machine = Machine::new();
    let bin = machine.home.path().join("bin");
    fs::create_dir_all(&bin).unwrap();
    for name in ["jp", "nvim"] {
        fs::write(bin.join(name), "").unwrap();
    }
    machine.write(
        ".jp/config.toml",
        "assistant.model.id = \"ollama/llama3.2\"\n",
    );
    let said = machine.run(
        &["doctor", "--format", "json"],
        &[("XAI_API_KEY", "sk-never-told")],
    );
    assert!(!said.contains("never-told"));
    let (json, code) = said.rsplit_once("exit ").unwrap();
    let found: Value = serde_json::from_str(json).unwrap();
    assert_eq!(code, "0\n");
    assert_eq!(found["jp"], "<home>/bin/jp");
    assert_eq!(found["editors"], serde_json::json!(["nvim"]));
    assert_eq!(found["problem"], Value::Null);
    let status = &found["workspace"]["status"];
    assert_eq!(status["model"]["id"], "ollama/llama3.2");
    assert_eq!(status["canRun"], true);
    let set: Vec<&Value> = status["keys"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|key| key["isSet"] == true)
        .collect();
    expect![[r#"[Object {"provider": String("xai"), "variable": String("XAI_API_KEY"), "isSet": Bool(true), "isKept": Bool(false), "origin": String("https://api.x.ai"), "isOwnOrigin": Bool(true)}]"#]].assert_eq(&format!("{set:?}"));
}

#[test]
fn a_check_without_a_model_says_so() {
    let machine = Machine::new();
    machine.write(".jp/config.toml", "");
    machine.check(
        &["check"],
        &[],
        &expect![[r#"
        0 errors, 0 warnings
        note: no model is set in `<home>/project`: write `assistant.model.id = "provider/name"` into its config, or ask with `--model`
        exit 0
    "#]],
    );
    let json = machine.run(&["check", "--format", "json"], &[]);
    assert_eq!(json, "[]\nexit 0\n");
}

#[test]
fn a_doctor_says_what_the_kernel_can_hold() {
    let machine = Machine::new();
    machine.write(
        ".jp/config.toml",
        "assistant.model.id = \"ollama/llama3.2\"\n[conversation.tools.t]\nsource = \"local\"\ncommand = \"true\"\n\
         access.fs = [{ path = \".\", read = true }]\n",
    );
    let json = |arguments: &[&str], without: &str| -> Value {
        let said = machine.run(arguments, &[("JP_LSP_SANDBOX_WITHOUT", without)]);
        serde_json::from_str(said.lines().next().unwrap()).unwrap()
    };
    let doctor = ["doctor", "--format", "json"];
    let explain = ["explain", "sandbox", "--tool", "t", "--format", "json"];
    for without in ["", "namespaces", "landlock,namespaces"] {
        let found = json(&doctor, without);
        let told = json(&explain, without);
        assert_eq!(found["sandbox"]["mechanisms"], told["mechanisms"]);
        let files = &found["sandbox"]["abilities"][0];
        assert_eq!(files["state"], told["grants"][0]["state"]);
        assert_eq!(files["reason"], told["grants"][0]["reason"]);
    }
}
