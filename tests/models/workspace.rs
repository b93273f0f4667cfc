//! A workspace whose models are wherever a test says, and the person who works in it.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use serde_json::Value;
use tempfile::TempDir;

use crate::program::program;

/// A model of each provider.
const MODELS: [(&str, &str); 9] = [
    ("anthropic", "claude-opus-4-1"),
    ("cerebras", "gpt-oss-120b"),
    ("deepseek", "deepseek-chat"),
    ("google", "gemini-2.5-pro"),
    ("llamacpp", "qwen3"),
    ("ollama", "qwen3"),
    ("openai", "gpt-5"),
    ("openrouter", "openai/gpt-5"),
    ("xai", "grok-4"),
];

/// How many seconds a tool may run: none but one that never ends needs as many.
const TIMEOUT: &str = "10";

/// The providers whose protocols differ.
pub(crate) const PROTOCOLS: [&str; 4] = ["anthropic", "google", "ollama", "openai"];

/// All providers.
pub(crate) fn providers() -> impl Iterator<Item = &'static str> {
    MODELS.into_iter().map(|(provider, _)| provider)
}

/// A workspace on disk and a home beside it.
pub(crate) struct Workspace {
    folder: TempDir,
}

impl Workspace {
    /// A workspace that asks a model of `provider` at `base_url` and has `config` besides.
    pub(crate) fn new(provider: &str, base_url: &str, config: &str) -> Self {
        let workspace = Self {
            folder: tempfile::tempdir().unwrap(),
        };
        let (_, model) = MODELS.iter().find(|(name, _)| *name == provider).unwrap();
        workspace.write(
            ".jp/config.toml",
            &format!(
                "[assistant.model]\nid = {{ provider = \"{provider}\", name = \"{model}\" }}\n\n\
                 [providers.llm.{provider}]\nbase_url = \"{base_url}\"\n\n{config}"
            ),
        );
        fs::create_dir_all(workspace.home()).unwrap();
        workspace
    }

    /// The folder that the person opens.
    pub(crate) fn root(&self) -> PathBuf {
        self.folder.path().join("w")
    }

    /// The person's home.
    pub(crate) fn home(&self) -> PathBuf {
        self.folder.path().join("home")
    }

    pub(crate) fn write(&self, name: &str, text: &str) {
        let path = self.root().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    pub(crate) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.root().join(name)).unwrap()
    }

    /// The folder of a conversation.
    pub(crate) fn conversation(&self, id: &str) -> PathBuf {
        let stores = self.home().join("conversations/conversations");
        let store = fs::read_dir(stores).unwrap().next().unwrap().unwrap();
        store.path().join(id.strip_prefix("jp-c").unwrap())
    }

    /// Everything that the runtime has written in the person's home.
    pub(crate) fn traces(&self) -> Vec<u8> {
        let mut traces = Vec::new();
        collect(&self.home(), &mut traces);
        traces
    }

    /// Runs `jp-lsp query --non-interactive` and gives what was told, one event a line, and the exit code.
    pub(crate) fn query(&self, text: &str) -> (String, i32) {
        self.query_in("new", text)
    }

    /// The same in a conversation.
    pub(crate) fn query_in(&self, conversation: &str, text: &str) -> (String, i32) {
        let mut command = Command::new(program());
        command
            .args(["query", "--trust", "--non-interactive", "--format", "json"])
            .args(["--conversation", conversation, text])
            .current_dir(self.root());
        for (name, value) in self.environment() {
            command.env(name, value);
        }
        let output = command.output().unwrap();
        let mut told = String::new();
        for line in String::from_utf8(output.stdout).unwrap().lines() {
            let mut line: Value = serde_json::from_str(line).unwrap();
            tell(&mut told, line["event"].take());
        }
        (told, output.status.code().unwrap())
    }

    /// Runs `jp-lsp` and gives standard output, standard error and the exit code.
    pub(crate) fn run(&self, arguments: &[&str]) -> (String, String, i32) {
        let mut command = Command::new(program());
        command.args(arguments).current_dir(self.root());
        for (name, value) in self.environment() {
            command.env(name, value);
        }
        let output = command.output().unwrap();
        let said = String::from_utf8(output.stdout).unwrap();
        let errors = String::from_utf8(output.stderr).unwrap();
        (said, errors, output.status.code().unwrap())
    }

    /// Says that the person trusts what the workspace starts and sends, the keys included.
    pub(crate) fn trust(&self) {
        let mut command = Command::new(program());
        command.arg("trust").current_dir(self.root());
        for (name, value) in self.environment() {
            command.env(name, value);
        }
        assert!(command.output().unwrap().status.success());
    }

    /// The environment of a person who has a key for everything.
    pub(crate) fn environment(&self) -> Vec<(String, String)> {
        let home = |name: &str| self.home().join(name).to_str().unwrap().to_owned();
        let mut variables = vec![
            ("HOME".to_owned(), home("")),
            ("XDG_DATA_HOME".to_owned(), home("data")),
            ("JP_LSP_DATA_DIR".to_owned(), home("conversations")),
            ("JP_GLOBAL_CONFIG_DIR".to_owned(), home("config")),
            ("OPENAI_BASE_URL".to_owned(), String::new()),
            ("JP_LSP_TOOL_TIMEOUT_SECS".to_owned(), TIMEOUT.to_owned()),
        ];
        for name in [
            "ANTHROPIC",
            "CEREBRAS",
            "DEEPSEEK",
            "GEMINI",
            "OPENAI",
            "OPENROUTER",
            "XAI",
        ] {
            variables.push((format!("{name}_API_KEY"), "mock".to_owned()));
        }
        variables
    }
}

/// Writes an event as `type {fields}`, without its time; words that come one by one are left out.
pub(crate) fn tell(told: &mut String, mut event: Value) {
    let fields = event.as_object_mut().unwrap();
    fields.shift_remove("timestamp");
    // Who decided is looked at elsewhere.
    if let Some(Value::Object(metadata)) = fields.get_mut("metadata") {
        metadata.shift_remove("decisions");
        if metadata.is_empty() {
            fields.shift_remove("metadata");
        }
    }
    let kind = fields.shift_remove("type").unwrap();
    if kind != "delta_text" {
        told.push_str(&format!("{} {event}\n", kind.as_str().unwrap()));
    }
}

fn collect(folder: &Path, into: &mut Vec<u8>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect(&path, into);
        } else {
            into.extend(fs::read(path).unwrap());
        }
    }
}
