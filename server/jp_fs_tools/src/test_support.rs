//! A workspace on disk, and calls of tools in it as text.

use std::{fs, path::Path};

use camino::{Utf8Path, Utf8PathBuf};
use jp_tool::{AccessPolicy, Action, Context, FsRule, Invocation, Outcome, Tool};
use serde_json::{Map, Value, json};
use tempfile::TempDir;

/// A workspace with a directory beside it that no tool may reach.
pub(crate) struct Workspace {
    parent: TempDir,
    context: Context,
    answers: Map<String, Value>,
    options: Map<String, Value>,
}

impl Workspace {
    /// A workspace that holds these files.
    pub(crate) fn new(files: &[(&str, &str)]) -> Self {
        let parent = TempDir::new().unwrap();
        let base = Utf8Path::from_path(parent.path())
            .unwrap()
            .canonicalize_utf8()
            .unwrap();
        let root = base.join("workspace");
        fs::create_dir(&root).unwrap();
        fs::create_dir(base.join("outside")).unwrap();
        fs::write(base.join("outside/secret.txt"), "secret\n").unwrap();
        let workspace = Self {
            context: Context::new(root, Action::Run),
            parent,
            answers: Map::new(),
            options: Map::new(),
        };
        for (path, text) in files {
            workspace.write(path, text);
        }
        workspace
    }

    pub(crate) fn rules(mut self, rules: impl IntoIterator<Item = FsRule>) -> Self {
        self.context.access = Some(AccessPolicy {
            fs: rules.into_iter().collect(),
            ..AccessPolicy::default()
        });
        self
    }

    pub(crate) fn protected(mut self, files: &[&str]) -> Self {
        self.context.protected = files.iter().map(|path| self.path(path)).collect();
        self
    }

    pub(crate) fn answer(mut self, id: &str, answer: impl Into<Value>) -> Self {
        self.answers.insert(id.to_owned(), answer.into());
        self
    }

    pub(crate) fn option(mut self, name: &str, value: Value) -> Self {
        self.options.insert(name.to_owned(), value);
        self
    }

    pub(crate) fn path(&self, path: &str) -> Utf8PathBuf {
        self.context.root.join(path)
    }

    pub(crate) fn outside(&self) -> Utf8PathBuf {
        self.context.root.parent().unwrap().join("outside")
    }

    pub(crate) fn write(&self, path: &str, text: impl AsRef<[u8]>) {
        let path = self.path(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    #[cfg(unix)]
    pub(crate) fn link(&self, path: &str, target: impl AsRef<Path>) {
        std::os::unix::fs::symlink(target, self.path(path)).unwrap();
    }

    pub(crate) fn read(&self, path: &str) -> String {
        fs::read_to_string(self.path(path)).unwrap()
    }

    pub(crate) fn exists(&self, path: &str) -> bool {
        self.path(path).symlink_metadata().is_ok()
    }

    /// The names in the workspace root, sorted; shows temporary files that were left over.
    pub(crate) fn names(&self) -> Vec<String> {
        let mut names: Vec<_> = self
            .context
            .root
            .read_dir_utf8()
            .unwrap()
            .map(|entry| entry.unwrap().file_name().to_owned())
            .collect();
        names.sort();
        names
    }

    #[cfg(unix)]
    pub(crate) fn git(&self, arguments: &[&str]) {
        let output = std::process::Command::new("git")
            .args(["-c", "user.name=Test", "-c", "user.email=test@example.com"])
            .args(arguments)
            .current_dir(&self.context.root)
            .output()
            .unwrap();
        assert!(output.status.success(), "git {arguments:?}: {output:?}");
    }

    pub(crate) fn outcome(&self, tool: &str, arguments: Value) -> Outcome {
        self.act(Action::Run, tool, arguments)
    }

    fn act(&self, action: Action, tool: &str, arguments: Value) -> Outcome {
        let Value::Object(arguments) = arguments else {
            panic!("arguments are an object");
        };
        crate::run(&Invocation {
            tool: Tool {
                name: tool.to_owned(),
                arguments,
                answers: self.answers.clone(),
                options: self.options.clone(),
            },
            context: Context {
                action,
                ..self.context.clone()
            },
        })
    }

    /// Runs a tool and writes its outcome as text.
    pub(crate) fn run(&self, tool: &str, arguments: Value) -> String {
        self.show(self.outcome(tool, arguments))
    }

    /// Lets a tool show its arguments, and writes its outcome as text.
    pub(crate) fn format(&self, tool: &str, arguments: Value) -> String {
        self.show(self.act(Action::FormatArguments, tool, arguments))
    }

    fn show(&self, outcome: Outcome) -> String {
        let text = match outcome {
            Outcome::Success { content, .. } => content,
            Outcome::Error {
                message, transient, ..
            } => format!("{}: {message}", if transient { "error" } else { "refusal" }),
            Outcome::NeedsInput { question } => {
                assert_eq!(json!(question.answer_type), json!({"type": "boolean"}));
                let mut text = format!(
                    "{} [{}]: {}",
                    question.id,
                    question.default.unwrap_or_default(),
                    question.text
                );
                if let Some(context) = question.context {
                    text.push('\n');
                    text.push_str(&context);
                }
                text
            }
        };
        text.replace(self.parent.path().to_str().unwrap(), "TMP")
    }
}
