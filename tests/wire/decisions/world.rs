//! A workspace with links of every kind, tools with random policies, and the calls that are made.

use std::{
    collections::{BTreeMap, VecDeque},
    fmt::Write as _,
    fs,
    os::unix::fs::symlink,
    path::{Path, PathBuf},
    process::Command,
};

use serde_json::{Map, Value, json};
use tempfile::TempDir;

use super::{
    Random, calls,
    policies::{self, Said},
};
use crate::{program::program, server::TestServer};

const QUESTIONS: [(&str, &[&str]); 2] = [
    ("run", &["unattended", "ask", "edit", "skip"]),
    ("result", &["unattended", "ask", "edit", "skip"]),
];

/// A tool that says that it ran.
#[derive(Debug)]
struct Tool {
    parameters: Map<String, Value>,
    said: [Said; 2],
}

#[derive(Debug)]
pub(super) struct Call {
    pub(super) tool: String,
    pub(super) arguments: Value,
}

/// What the command says of a call: whether it runs, and whether its result is delivered.
#[derive(Debug)]
pub(super) struct Explained {
    pub(super) run: Answer,
    pub(super) result: Answer,
}

#[derive(Debug)]
pub(super) struct Answer {
    pub(super) said: Value,
    /// Whether what decides is a list of rules, and not a single mode.
    pub(super) is_list: bool,
}

pub(super) struct World {
    folder: TempDir,
    /// By name; `*` are the defaults of all.
    tools: BTreeMap<String, Tool>,
    pub(super) calls: Vec<Call>,
}

impl World {
    pub(super) fn random(random: &mut Random) -> Self {
        let folder = TempDir::new().unwrap();
        lay_out(folder.path());
        let root = folder.path().join("w").to_str().unwrap().to_owned();
        let mut tools = BTreeMap::new();
        let mut all = Vec::new();
        for number in 0..3 {
            let (parameters, targets) = calls::parameters(random);
            let said = QUESTIONS.map(|(_, modes)| policies::said(random, &targets, modes));
            all.extend(targets);
            tools.insert(format!("t{number}"), Tool { parameters, said });
        }
        let mut said = QUESTIONS.map(|(_, modes)| policies::said(random, &all, modes));
        said[0].mode.get_or_insert("ask");
        tools.insert(
            "*".to_owned(),
            Tool {
                parameters: Map::new(),
                said,
            },
        );
        let names: Vec<String> = (0..3).map(|number| format!("t{number}")).collect();
        let calls = (0..36)
            .map(|_| {
                let tool = random.of(&names).clone();
                let arguments = calls::arguments(random, &tools[&tool].parameters, &root);
                Call { tool, arguments }
            })
            .collect();
        Self {
            folder,
            tools,
            calls,
        }
    }

    fn root(&self) -> PathBuf {
        self.folder.path().join("w")
    }

    /// Both files of the config.
    pub(super) fn text(&self) -> String {
        self.files().join("--\n")
    }

    fn files(&self) -> [String; 2] {
        let mut files = [
            "[assistant]\nmodel.id = \"test/model\"\n".to_owned(),
            String::new(),
        ];
        for (name, tool) in &self.tools {
            let name = if name == "*" { "'*'" } else { name };
            for file in &mut files {
                writeln!(file, "[conversation.tools.{name}]").unwrap();
            }
            let [first, second] = &mut files;
            if name != "'*'" {
                first.push_str("source = \"local\"\ncommand = \"echo ran\"\n");
            }
            for (name, parameter) in &tool.parameters {
                writeln!(first, "parameters.{name} = {}", inline(parameter)).unwrap();
            }
            for ((key, _), said) in QUESTIONS.iter().zip(&tool.said) {
                if let Some(mode) = said.mode {
                    writeln!(first, "{key} = \"{mode}\"").unwrap();
                }
                let Some(rules) = &said.rules else { continue };
                let written = rules.written();
                for (file, rules) in [&mut *first, &mut *second].into_iter().zip(&written) {
                    if let Some(rules) = rules {
                        writeln!(
                            file,
                            "policy.{key} = {}",
                            inline(rules).replace(", { ", ",\n{ ")
                        )
                        .unwrap();
                    }
                }
            }
        }
        files
    }

    fn save(&self) {
        let [first, second] = self.files();
        fs::write(self.root().join(".jp/config.toml"), first).unwrap();
        fs::write(self.root().join(".jp.toml"), second).unwrap();
    }

    fn explain(&self, tool: &str, question: &str, calls: &str) -> Vec<Value> {
        fs::write(self.folder.path().join("questions"), calls).unwrap();
        let mut command = Command::new(program());
        command.args(["explain", "policy", "--tool", tool]);
        if question == "result" {
            command.arg("--result");
        }
        let output = command
            .env(
                "JP_GLOBAL_CONFIG_DIR",
                self.folder.path().join("home/config"),
            )
            .env("XDG_DATA_HOME", self.folder.path().join("home/data"))
            .env("HOME", self.folder.path().join("home"))
            .current_dir(self.root())
            .stdin(fs::File::open(self.folder.path().join("questions")).unwrap())
            .output()
            .unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        text.lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect()
    }

    /// Why no turn starts with the config as it is.
    pub(super) fn refused(&self) -> Option<Value> {
        self.save();
        let [mut answer] = <[Value; 1]>::try_from(self.explain("t0", "run", "{}\n")).unwrap();
        answer.get_mut("refused").map(Value::take)
    }

    /// Takes out the rule that is refused.
    pub(super) fn mend(&mut self, refused: &Value) {
        let tool = refused["tool"]
            .as_str()
            .unwrap_or_else(|| panic!("{refused}"));
        let question = usize::from(refused["rule"]["list"] == "policy.result");
        let index = refused["rule"]["index"]
            .as_u64()
            .unwrap_or_else(|| panic!("{refused}"));
        let said = &mut self.tools.get_mut(tool).unwrap().said[question];
        said.rules
            .as_mut()
            .unwrap()
            .remove(usize::try_from(index).unwrap());
    }

    /// What the command says of every call.
    pub(super) fn explain_all(&self) -> Vec<Explained> {
        let mut answers: BTreeMap<(String, usize), VecDeque<Value>> = BTreeMap::new();
        for tool in self.tools.keys().filter(|name| *name != "*") {
            let calls = self.calls.iter().filter(|call| call.tool == *tool);
            let calls: String = calls.map(|call| format!("{}\n", call.arguments)).collect();
            for (number, (question, _)) in QUESTIONS.iter().enumerate() {
                let said = self.explain(tool, question, &calls);
                answers.insert((tool.clone(), number), said.into());
            }
        }
        let mut answer = |tool: &str, number: usize| Answer {
            said: answers
                .get_mut(&(tool.to_owned(), number))
                .unwrap()
                .pop_front()
                .unwrap(),
            is_list: self.is_list(tool, number),
        };
        let calls = self.calls.iter();
        calls
            .map(|call| Explained {
                run: answer(&call.tool, 0),
                result: answer(&call.tool, 1),
            })
            .collect()
    }

    /// Whether what decides about a tool is a list of rules.
    fn is_list(&self, tool: &str, question: usize) -> bool {
        let said = [tool, "*"].map(|name| &self.tools[name].said[question]);
        let decides = said
            .into_iter()
            .find(|said| said.rules.is_some() || said.mode.is_some());
        decides.is_some_and(|said| said.rules.is_some())
    }

    /// An editor with the workspace open and trusted; the model makes all the calls at once.
    pub(super) fn server(&self) -> TestServer {
        let steps: Vec<Value> = self
            .calls
            .iter()
            .enumerate()
            .map(|(number, call)| {
                json!({ "tool_call": { "id": format!("c{number}"), "name": call.tool, "fragments": call.arguments.to_string() } })
            })
            .collect();
        let cycles = json!([{ "batches": [steps] }, { "batches": [[{ "text": "Done." }]] }]);
        let home = self.folder.path().join("home");
        fs::write(
            home.join("script.toml"),
            format!("cycles = {}\n", inline(&cycles)),
        )
        .unwrap();
        let mut server = TestServer::binary_at_home(&home);
        for method in [
            "textDocument/publishDiagnostics",
            "jp/conversation/event",
            "jp/promptResolved",
            "jp/notice",
        ] {
            server.tolerate(method);
        }
        let uri = url::Url::from_file_path(self.root()).unwrap();
        server.initialize_with(json!({
            "capabilities": { "experimental": { "jp": { "prompts": true } } },
            "initializationOptions": { "trusted": true },
            "workspaceFolders": [{ "uri": uri, "name": "w" }],
        }));
        server
    }
}

/// Files, and links of every kind.
fn lay_out(folder: &Path) {
    let root = folder.join("w");
    for name in [
        "home",
        "outside",
        "w/.jp",
        "w/.git",
        "w/src/deep",
        "w/docs",
        "w/secret",
    ] {
        fs::create_dir_all(folder.join(name)).unwrap();
    }
    for name in [
        "outside/file",
        "w/src/a.rs",
        "w/src/deep/b.rs",
        "w/docs/x.md",
        "w/secret/key",
        "w/.git/config",
    ] {
        fs::write(folder.join(name), "").unwrap();
    }
    for (target, name) in [
        ("../secret/key", "src/link.rs"),
        ("secret", "alias"),
        ("alias", "chain"),
        ("..", "src/up"),
        ("../outside", "out"),
        ("/etc/hostname", "src/away"),
        ("nowhere/x", "dangling"),
        ("../nowhere/x", "gone"),
        ("loop", "loop"),
    ] {
        symlink(target, root.join(name)).unwrap();
    }
}

/// A value as TOML on one line; texts are written alike in JSON.
fn inline(value: &Value) -> String {
    match value {
        Value::Object(table) => {
            let entries = table
                .iter()
                .map(|(key, value)| format!("{} = {}", json!(key), inline(value)));
            format!("{{ {} }}", entries.collect::<Vec<_>>().join(", "))
        }
        Value::Array(items) => {
            let items: Vec<String> = items.iter().map(inline).collect();
            format!("[{}]", items.join(", "))
        }
        scalar => scalar.to_string(),
    }
}
