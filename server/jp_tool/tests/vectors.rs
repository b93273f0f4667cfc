//! The language-neutral vectors in `schemas/vectors`, answered by this crate and by the sample tools in `tests/tools`.
#![cfg(unix)]
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "test helpers outside of `#[test]` functions"
)]

use std::{fs, os::unix::fs::symlink, path::Path, process::Command, sync::LazyLock};

use camino::{Utf8Path, Utf8PathBuf};
use jp_tool::{
    ACCESS_CONFIG_VECTORS, ACCESS_ENV_VECTORS, ACCESS_FS_VECTORS, ACCESS_NET_VECTORS, AccessPolicy,
    ApprovedTargets, ConfigCapability, ConfigPath, Context, Decision, FsAccessError, FsCapability,
    FsRule, Outcome, Question, overlaps_sensitive, privileged_overlap, protected_place,
    validate_env_name, validate_host,
};
use pretty_assertions::assert_eq;
use serde_json::{Value, json};
use tempfile::TempDir;

/// One file of vectors, with the files that its cases need.
struct Vectors {
    resource: &'static str,
    document: Value,
    base: Utf8PathBuf,
    _directory: TempDir,
}

impl Vectors {
    fn new(resource: &'static str, text: &str) -> Self {
        let directory = TempDir::new().unwrap();
        let base = Utf8Path::from_path(directory.path())
            .unwrap()
            .canonicalize_utf8()
            .unwrap();
        let document: Value =
            serde_json::from_str(&text.replace("${base}", base.as_str())).unwrap();
        fs::create_dir(base.join("ws")).unwrap();
        let layout = &document["layout"];
        for path in strings(&layout["directories"]) {
            fs::create_dir_all(base.join(path)).unwrap();
        }
        for path in strings(&layout["files"]) {
            fs::write(base.join(path), path).unwrap();
        }
        for (link, target) in layout["links"].as_object().into_iter().flatten() {
            symlink(target.as_str().unwrap(), base.join(link)).unwrap();
        }
        Self {
            resource,
            document,
            base,
            _directory: directory,
        }
    }

    fn all() -> [Self; 4] {
        [
            Self::new("fs", ACCESS_FS_VECTORS),
            Self::new("net", ACCESS_NET_VECTORS),
            Self::new("env", ACCESS_ENV_VECTORS),
            Self::new("config", ACCESS_CONFIG_VECTORS),
        ]
    }

    fn groups(&self) -> impl Iterator<Item = Group> {
        self.document["groups"]
            .as_array()
            .unwrap()
            .iter()
            .map(|group| {
                let root = self.base.join(group["root"].as_str().unwrap_or("ws"));
                let text = group.to_string().replace("${root}", root.as_str());
                let group: Value = serde_json::from_str(&text).unwrap();
                let cases = group["cases"].as_array().unwrap();
                let mut access = group["beside"].as_object().cloned().unwrap_or_default();
                access.insert(self.resource.to_owned(), group["rules"].clone());
                let access = (!group["rules"].is_null()).then_some(access);
                Group {
                    name: group["name"].as_str().unwrap().to_owned(),
                    context: json!({
                        "action": "run", "root": root, "access": access,
                        "protected": group.get("protected").cloned().unwrap_or(json!([])),
                        "workspace_id": "", "conversation_id": "",
                    }),
                    checks: cases.iter().map(|case| self.check(case)).collect(),
                    expected: cases.iter().map(expected).collect(),
                }
            })
    }

    /// The question that a case asks, as `jp-lsp explain access` reads it.
    fn check(&self, case: &Value) -> Value {
        let input = &case["input"];
        match self.resource {
            "fs" => json!({"fs": {"capability": case["capability"], "path": input}}),
            "config" => json!({"config": {"capability": case["capability"], "path": input}}),
            resource => json!({resource: input}),
        }
    }
}

struct Group {
    name: String,
    context: Value,
    checks: Vec<Value>,
    expected: Vec<Value>,
}

fn expected(case: &Value) -> Value {
    match case.get("error") {
        Some(error) => json!({"error": error}),
        None => json!({"allowed": case["allowed"], "rule": case["rule"], "target": case["target"]}),
    }
}

fn strings(value: &Value) -> impl Iterator<Item = &str> {
    value
        .as_array()
        .into_iter()
        .flatten()
        .map(|text| text.as_str().unwrap())
}

/// The answer of this crate.
fn answer(context: &Context, check: &Value) -> Value {
    let access = context.access.clone().unwrap_or_default();
    let decision = if let Some(fs) = check.get("fs") {
        let capability: FsCapability = serde_json::from_value(fs["capability"].clone()).unwrap();
        let policy = access.fs.compiled().unwrap();
        let input = Utf8Path::new(fs["path"].as_str().unwrap());
        match policy.locate(capability, &context.root, input) {
            Ok(canonical) => {
                let place = protected_place(&context.root, input, &canonical, &context.protected);
                Ok(policy.decide_within(capability, &canonical.relative, place.as_deref()))
            }
            Err(FsAccessError::Outside(_)) => Err("outside"),
            Err(FsAccessError::Escape(_)) => Err("escape"),
            Err(FsAccessError::Io { .. }) => Err("io"),
            Err(error) => panic!("{error}"),
        }
    } else if let Some(net) = check.get("net") {
        let policy = access.net.compiled().unwrap();
        policy.decide(net.as_str().unwrap()).map_err(|_| "invalid")
    } else if let Some(env) = check.get("env") {
        let decision = access.env.compiled().unwrap().decide(env.as_str().unwrap());
        match context.check_env(env.as_str().unwrap()) {
            Err(jp_tool::EnvAccessError::InvalidName(_)) => Err("invalid"),
            _ => Ok(decision),
        }
    } else {
        let config = &check["config"];
        let capability: ConfigCapability =
            serde_json::from_value(config["capability"].clone()).unwrap();
        ConfigPath::parse(config["path"].as_str().unwrap())
            .map(|path| access.config.compiled().unwrap().decide(capability, &path))
            .map_err(|_| "invalid")
    };
    match decision {
        Ok(Decision {
            allowed,
            rule,
            target,
            ..
        }) => {
            json!({"allowed": allowed, "rule": rule, "target": target})
        }
        Err(error) => json!({"error": error}),
    }
}

/// What a sample tool prints for one call.
fn tool_outcome(program: &str, script: &str, context: &Value, tool: &Value) -> Outcome {
    let script = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../tests/tools")
        .join(script);
    let output = Command::new(program)
        .arg(&script)
        .arg(context.to_string())
        .arg(tool.to_string())
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .output()
        .unwrap_or_else(|error| panic!("cannot start `{program}`: {error}"));
    let stdout = String::from_utf8_lossy(&output.stdout);
    Outcome::from_json(&stdout).unwrap_or_else(|error| {
        let stderr = String::from_utf8_lossy(&output.stderr);
        panic!("{program}: {error}\n{stdout}\n{stderr}")
    })
}

/// The answers of a sample tool to all cases of a group at once.
fn tool_answers(program: &str, script: &str, group: &Group) -> Vec<Value> {
    let tool = json!({
        "name": "access_check", "arguments": {"checks": group.checks}, "answers": {}, "options": {},
    });
    match tool_outcome(program, script, &group.context, &tool) {
        Outcome::Success { content, .. } => serde_json::from_str(&content).unwrap(),
        other => panic!("{}: {other:?}", group.name),
    }
}

/// The interpreter itself, since a version switch in front of it costs more than the tool.
fn python() -> &'static str {
    static PYTHON: LazyLock<String> = LazyLock::new(|| {
        let output = Command::new("python3")
            .args(["-c", "import sys; print(sys.executable)"])
            .output()
            .unwrap_or_else(|error| panic!("cannot start `python3`: {error}"));
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    });
    &PYTHON
}

fn compare(vectors: &Vectors, answers: impl Fn(&Group) -> Vec<Value>) {
    for group in vectors.groups() {
        let answered = group.checks.iter().zip(answers(&group));
        let asked = group.checks.iter().zip(group.expected.clone());
        assert_eq!(
            answered.collect::<Vec<_>>(),
            asked.collect::<Vec<_>>(),
            "{}: {}",
            vectors.resource,
            group.name
        );
    }
}

#[test]
fn this_crate() {
    for vectors in Vectors::all() {
        compare(&vectors, |group| {
            let context: Context = serde_json::from_value(group.context.clone()).unwrap();
            group
                .checks
                .iter()
                .map(|check| answer(&context, check))
                .collect()
        });
    }
}

#[test]
fn the_python_tool() {
    for vectors in Vectors::all() {
        compare(&vectors, |group| {
            tool_answers(python(), "python/tool.py", group)
        });
    }
}

#[test]
fn the_shell_tool() {
    for vectors in Vectors::all() {
        compare(&vectors, |group| {
            let answers = tool_answers("sh", "shell/tool.sh", group);
            if group.name != "RFD 076: hosts beyond ASCII" {
                return answers;
            }
            // It has no tables for them, and says so instead of guessing.
            let refused = vec![json!({"error": "unsupported"}); group.checks.len()];
            assert_eq!(answers, refused);
            group.expected.clone()
        });
    }
}

/// The values of `context.access` that cannot be understood, each with a check that it must not answer.
fn broken(vectors: &Vectors) -> impl Iterator<Item = Group> {
    let check = match vectors.resource {
        "fs" => json!({"fs": {"capability": "read", "path": "README.md"}}),
        "net" => json!({"net": "https://example.com/"}),
        "env" => json!({"env": "HOME"}),
        _ => json!({"config": {"capability": "read", "path": "assistant"}}),
    };
    let root = vectors.base.join("ws");
    let values = vectors.document["broken"].as_array().unwrap();
    values.iter().map(move |access| Group {
        name: access.to_string(),
        context: json!({"action": "run", "root": root, "access": access}),
        checks: vec![check.clone()],
        expected: Vec::new(),
    })
}

fn is_error(check: &Value, context: &Value) -> bool {
    let Ok(context) = serde_json::from_value::<Context>(context.clone()) else {
        return true;
    };
    if check.get("fs").is_some() {
        context.check_read("README.md".into()).is_err()
    } else if let Some(net) = check.get("net") {
        context.check_net(net.as_str().unwrap()).is_err()
    } else if let Some(env) = check.get("env") {
        context.check_env(env.as_str().unwrap()).is_err()
    } else {
        context.check_config_read("assistant").is_err()
    }
}

#[test]
fn a_broken_policy_allows_nothing() {
    for vectors in Vectors::all() {
        for group in broken(&vectors) {
            let [check] = &group.checks[..] else {
                panic!("one check");
            };
            assert!(is_error(check, &group.context), "{}", group.name);
            for (program, script) in [(python(), "python/tool.py"), ("sh", "shell/tool.sh")] {
                let tool = json!({"name": "access_check", "arguments": {"checks": group.checks}});
                if let Outcome::Success { content, .. } =
                    tool_outcome(program, script, &group.context, &tool)
                {
                    let answers: Vec<Value> = serde_json::from_str(&content).unwrap();
                    assert!(
                        answers.len() == 1 && answers[0].get("error").is_some(),
                        "{script} {}: {content}",
                        group.name
                    );
                }
            }
        }
    }
}

#[test]
fn declared_fs_rules() {
    let vectors = Vectors::new("fs", ACCESS_FS_VECTORS);
    let root = vectors.base.join("ws");
    for case in vectors.document["compile"].as_array().unwrap() {
        let declared = case["declared"]
            .as_str()
            .unwrap()
            .replace("${root}", root.as_str());
        let policy = AccessPolicy {
            fs: vec![FsRule::new(declared.clone())].into(),
            ..AccessPolicy::default()
        };
        let compiled = AccessPolicy::compile_rules(&root, &policy, &ApprovedTargets::new())
            .ok()
            .map(|compiled| compiled.policy.fs[0].path().to_string());
        assert_eq!(compiled.as_deref(), case["compiled"].as_str(), "{declared}");
    }
}

#[test]
fn declared_hosts_names_and_paths() {
    for vectors in Vectors::all() {
        let normalize = |text: &str| match vectors.resource {
            "net" => validate_host(text).ok().map(|host| host.to_string()),
            "env" => validate_env_name(text).ok().map(|_| text.to_owned()),
            "config" => ConfigPath::parse(text).ok().map(|path| path.to_string()),
            _ => None,
        };
        if vectors.resource == "fs" {
            continue;
        }
        for case in vectors.document["compile"].as_array().unwrap() {
            let declared = case["declared"].as_str().unwrap();
            assert_eq!(
                normalize(declared).as_deref(),
                case["compiled"].as_str(),
                "{declared}"
            );
        }
    }
}

#[test]
fn sensitive_and_privileged_config_paths() {
    let vectors = Vectors::new("config", ACCESS_CONFIG_VECTORS);
    for (path, sensitive) in vectors.document["sensitive"].as_object().unwrap() {
        let parsed = ConfigPath::parse(path).unwrap();
        assert_eq!(overlaps_sensitive(&parsed), *sensitive, "{path}");
    }
    for (path, privileged) in vectors.document["privileged"].as_object().unwrap() {
        let parsed = ConfigPath::parse(path).unwrap();
        assert_eq!(privileged_overlap(&parsed), privileged.as_str(), "{path}");
    }
}

/// The references in the last column of the tables in the vectors' description: `net, "RFD 076: the examples"`.
fn references(document: &str) -> Vec<(&str, &str)> {
    document
        .lines()
        .filter_map(|line| line.strip_prefix("| ")?.strip_suffix("\" |"))
        .filter_map(|row| row.rsplit_once(" | "))
        .flat_map(|(_, cell)| cell.split("\"; "))
        .map(|reference| reference.split_once(", \"").unwrap())
        .collect()
}

#[test]
fn the_description_names_groups_that_exist() {
    let document = include_str!("../../../schemas/vectors/README.md");
    let all = Vectors::all();
    let groups: Vec<(&str, String)> = all
        .iter()
        .flat_map(|vectors| {
            let names = vectors.groups().map(|group| group.name);
            names
                .chain(["compile".to_owned()])
                .map(|name| (vectors.resource, name))
        })
        .collect();
    let references = references(document);
    assert!(references.len() > 50, "only {} were read", references.len());
    for (resource, name) in &references {
        assert!(
            groups
                .iter()
                .any(|group| group == &(*resource, (*name).to_owned())),
            "no vectors in {resource}: {name}"
        );
    }
    // Whatever quotes the document or a decision is in a table.
    for (resource, name) in &groups {
        let numbered = ["RFD 076", "decision 12", "decision 13", "decision 14"];
        assert!(
            !numbered.iter().any(|prefix| name.starts_with(prefix))
                || references.contains(&(*resource, name.as_str())),
            "the description does not name {resource}: {name}"
        );
    }
}

/// Both sample tools read a file, and say what they may read instead of another.
#[test]
fn the_sample_tools_read_files() {
    let vectors = Vectors::new("fs", ACCESS_FS_VECTORS);
    let context = json!({
        "action": "run", "root": vectors.base.join("ws"),
        "access": {"fs": [{"path": "src", "read": true}, {"path": "src/generated"}]},
    });
    for (program, script) in [(python(), "python/tool.py"), ("sh", "shell/tool.sh")] {
        let run = |context: &Value, path: &str| {
            let tool = json!({"name": "read_file", "arguments": {"path": path}});
            tool_outcome(program, script, context, &tool)
        };
        assert_eq!(
            run(&context, "code/lib.rs"),
            Outcome::success("ws/src/lib.rs"),
            "{script}"
        );
        assert_eq!(
            run(&context, "deep/schema.rs"),
            Outcome::fail(
                "Access denied: cannot read 'src/generated/schema.rs'. Paths granting read: [src]. \
                 If required, ask the user for explicit access."
            ),
            "{script}"
        );
        assert!(
            matches!(
                run(&context, "../out/data.txt"),
                Outcome::Error {
                    transient: false,
                    ..
                }
            ),
            "{script}"
        );
        let mut formatter = context.clone();
        formatter["action"] = json!("format_arguments");
        let Outcome::Success { content, .. } = run(&formatter, "a") else {
            panic!("{script}: no success");
        };
        assert_eq!(
            content.replace(' ', "").trim_end(),
            r#"read_file({"path":"a"})"#,
            "{script}"
        );
    }
}

#[test]
fn the_python_tool_asks_before_a_large_file() {
    let vectors = Vectors::new("fs", ACCESS_FS_VECTORS);
    let root = vectors.base.join("ws");
    let large = "x".repeat(100_001);
    fs::write(root.join("large"), &large).unwrap();
    let context = json!({"action": "run", "root": root, "access": null});
    let run = |answers: Value| {
        let tool = json!({"name": "read_file", "arguments": {"path": "large"}, "answers": answers});
        tool_outcome(python(), "python/tool.py", &context, &tool)
    };
    assert_eq!(
        run(json!({})),
        Outcome::NeedsInput {
            question: Question::boolean(
                "read_large_file",
                "'large' has 100001 characters. Read it?"
            )
            .with_default(false),
        }
    );
    assert_eq!(
        run(json!({"read_large_file": false})),
        Outcome::fail("'large' is too large")
    );
    assert_eq!(
        run(json!({"read_large_file": true})),
        Outcome::success(large)
    );
}
