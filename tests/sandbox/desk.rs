//! A person's home with a workspace in it, and turns there through the real binary.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Output},
};

use tempfile::TempDir;

use crate::program::program;

/// A home.
pub(crate) struct Desk {
    folder: TempDir,
    home: PathBuf,
}

/// What a turn came to.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) code: i32,
    pub(crate) output: String,
    pub(crate) error: String,
}

impl Desk {
    /// A home whose workspace has one tool, `t`, with this in its table.
    pub(crate) fn new(tool: &str) -> Self {
        Self::within(tool, &std::env::temp_dir())
    }

    /// The same home in another folder.
    pub(crate) fn within(tool: &str, folder: &Path) -> Self {
        let folder = tempfile::tempdir_in(folder).unwrap();
        let home = folder.path().canonicalize().unwrap();
        let desk = Self { folder, home };
        desk.write(
            "w/.jp/config.toml",
            &format!(
                "assistant.model.id = \"test/model\"\n[conversation.tools.'*']\nrun = \"unattended\"\n\
                 [conversation.tools.t]\nsource = \"local\"\n{tool}\n"
            ),
        );
        desk.write(
            "script.toml",
            "[[cycles]]\nbatches = [[{ tool_call = { id = \"call_1\", name = \"t\" } }]]\n\
             [[cycles]]\nbatches = [[{ text = \"Done.\" }]]\n",
        );
        desk
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        assert!(self.folder.path().exists());
        self.home.join(name)
    }

    pub(crate) fn write(&self, name: &str, text: &str) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    pub(crate) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    /// The binary in the workspace, with nothing of the person who runs the test but their toolchains.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(program());
        command
            .args(arguments)
            .current_dir(self.path("w"))
            .env("JP_LSP_DATA_DIR", self.path("data/jp-lsp"))
            .env("XDG_DATA_HOME", self.path("data"))
            .env("JP_GLOBAL_CONFIG_DIR", self.path("global"))
            .env("JP_LSP_TEST_SCRIPT", self.path("script.toml"));
        command
    }

    pub(crate) fn run(&self, arguments: &[&str]) -> Ran {
        done(self.command(arguments).output().unwrap())
    }

    /// A turn that calls the tool, and what the tool said.
    pub(crate) fn call(&self, options: &[&str]) -> String {
        self.call_with(options, &[])
    }

    /// A turn that calls the tool, with more in the environment of the host.
    pub(crate) fn call_with(&self, options: &[&str], variables: &[(&str, &str)]) -> String {
        let fixed = ["query", "--trust", "--non-interactive", "--format", "json"];
        let arguments: Vec<&str> = fixed
            .iter()
            .chain(options)
            .chain(&["Go."])
            .copied()
            .collect();
        let mut command = self.command(&arguments);
        command.envs(variables.iter().copied());
        let ran = done(command.output().unwrap());
        assert_eq!(ran.code, 0, "{ran:?}");
        let response = ran
            .output
            .lines()
            .filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok())
            .find_map(|line| {
                let event = line.get("event").unwrap_or(&line);
                let is_response = event["type"] == "tool_call_response";
                is_response.then(|| event["content"].as_str().unwrap().to_owned())
            });
        response.unwrap_or_else(|| panic!("{ran:?}"))
    }
}

fn done(output: Output) -> Ran {
    Ran {
        code: output.status.code().unwrap(),
        output: String::from_utf8(output.stdout).unwrap(),
        error: String::from_utf8(output.stderr).unwrap(),
    }
}
