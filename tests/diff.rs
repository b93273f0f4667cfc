//! What `jp-lsp diff` says of commits, folders and the working tree, through the real binary.
//!
//! One file: every case is a repository of the same make, in which two states of one workspace are compared.

#![expect(
    clippy::unwrap_used,
    reason = "a run that cannot be prepared fails the test"
)]
#![cfg(unix)]

mod program;
mod sarif;

use std::{fs, os::unix::fs::symlink, path::Path, process::Command};

use camino::{Utf8Path, Utf8PathBuf};
use expect_test::expect;
use pretty_assertions::assert_eq;
use serde_json::Value;
use tempfile::TempDir;

use program::program;

const ASK: &str = r#"[conversation.tools.edit]
source = "local"
command = "edit"
parameters.path = { type = "path", required = true }
policy.run = [
    { arg = "/path", prefix = "src/a", mode = "unattended" },
    { mode = "ask" },
]
"#;

/// A folder of its own with a git repository in it.
struct Repository {
    home: TempDir,
}

impl Repository {
    fn new() -> Self {
        let made = Self {
            home: tempfile::tempdir().unwrap(),
        };
        fs::create_dir(made.root()).unwrap();
        made.git(&["init", "-q", "-b", "main"]);
        made
    }

    fn root(&self) -> Utf8PathBuf {
        let home = Utf8Path::from_path(self.home.path()).unwrap();
        home.canonicalize_utf8().unwrap().join("w")
    }

    fn write(&self, path: &str, text: &str) -> &Self {
        let path = self.root().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
        self
    }

    fn git_in(&self, directory: &Utf8Path, arguments: &[&str]) -> &Self {
        let output = Command::new("git")
            .args(["-c", "user.name=n", "-c", "user.email=e@example.com"])
            .args(["-c", "commit.gpgsign=false", "-c", "gc.auto=0"])
            .args(arguments)
            .current_dir(directory)
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("HOME", self.home.path())
            .output()
            .unwrap();
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{arguments:?}: {error}");
        self
    }

    fn git(&self, arguments: &[&str]) -> &Self {
        self.git_in(&self.root(), arguments)
    }

    fn commit(&self) -> &Self {
        self.git(&["add", "-A"]).git(&["commit", "-q", "-m", "c"])
    }

    /// The exit code, and what was printed.
    fn diff_in(&self, directory: &Utf8Path, arguments: &[&str]) -> (i32, String) {
        let output = Command::new(program())
            .arg("diff")
            .args(arguments)
            .env("JP_GLOBAL_CONFIG_DIR", self.home.path().join("none"))
            .env("JP_LSP_DATA_DIR", self.home.path().join("data"))
            .env("HOME", self.home.path())
            .current_dir(directory)
            .output()
            .unwrap();
        let mut text = String::from_utf8(output.stdout).unwrap();
        text.push_str(&String::from_utf8(output.stderr).unwrap());
        let home = self.root().parent().unwrap().to_string();
        (output.status.code().unwrap(), text.replace(&home, "HOME"))
    }

    fn diff(&self, arguments: &[&str]) -> (i32, String) {
        self.diff_in(&self.root(), arguments)
    }

    fn json(&self, arguments: &[&str]) -> (i32, Value) {
        let (code, text) = self.diff(&[&["--format", "json"], arguments].concat());
        (
            code,
            serde_json::from_str(&text).unwrap_or(Value::from(text)),
        )
    }
}

/// A repository whose working tree asks less than its last commit.
fn loosened() -> Repository {
    let repository = Repository::new();
    repository.write(".jp/config.toml", ASK).commit();
    repository.write(".jp/config.toml", &ASK.replace("src/a", "src"));
    repository
}

#[test]
fn the_last_commit_is_compared_with_the_working_tree() {
    let (code, json) = loosened().json(&[]);
    assert_eq!(code, 3);
    expect![[r#"
        {
          "verdict": "loosened",
          "tools": [
            {
              "tool": "edit",
              "aspect": "run",
              "verdict": "loosened",
              "changes": [
                {
                  "witness": {
                    "path": "src/x"
                  },
                  "before": "ask",
                  "after": "unattended",
                  "rule": {
                    "path": ".jp/config.toml",
                    "line": 6
                  },
                  "recorded": 0
                }
              ],
              "unknown": []
            }
          ],
          "assumes": [
            "a person's own config, which lies out of the repository, is not part of the comparison",
            "paths are judged by their text: links are not followed"
          ]
        }"#]]
    .assert_eq(&serde_json::to_string_pretty(&json).unwrap());
}

#[test]
fn the_exit_code_follows_the_condition() {
    let repository = loosened();
    let code = |arguments: &[&str]| repository.diff(arguments).0;
    assert_eq!(code(&["--fail-on", "loosened"]), 3);
    assert_eq!(code(&["--fail-on", "changed"]), 3);
    assert_eq!(code(&["--fail-on", "never"]), 0);
    repository.commit();
    assert_eq!(code(&["--fail-on", "changed"]), 0);
    repository.write(".jp/config.toml", ASK);
    assert_eq!(code(&[]), 0);
    assert_eq!(code(&["--fail-on", "changed"]), 3);
}

#[test]
fn people_read_plain_words() {
    let (_, text) = loosened().diff(&[]);
    expect![[r#"
        From `HEAD` to the working tree: something is loosened, and nothing tightened.

        tool `edit`, whether calls run: loosened
          ask -> unattended: {"path":"src/x"}  (.jp/config.toml:6)

        This assumes that
        - a person's own config, which lies out of the repository, is not part of the comparison
        - paths are judged by their text: links are not followed
    "#]]
    .assert_eq(&text);
}

#[test]
fn a_pull_request_gets_a_table_and_marks() {
    let repository = loosened();
    let (_, text) = repository.diff(&["--format", "markdown"]);
    expect![[r#"
        ### What this changes of the assistant's config: loosened

        From `HEAD` to the working tree: something is loosened, and nothing tightened.

        | what | verdict | before | after | as in | rule | recorded calls |
        |---|---|---|---|---|---|---|
        | tool `edit`, whether calls run | **loosened** | <code>ask</code> | <code>unattended</code> | <code>{"path":"src/x"}</code> | <code>.jp/config.toml:6</code> | 0 |

        <details><summary>This assumes that</summary>

        - a person's own config, which lies out of the repository, is not part of the comparison
        - paths are judged by their text: links are not followed

        </details>
    "#]]
    .assert_eq(&text);
    let (_, text) = repository.diff(&["--format", "github"]);
    expect![[r#"
        ::warning file=.jp/config.toml,line=6,title=config loosened::tool `edit`, whether calls run: ask -> unattended, as in {"path":"src/x"}
        From `HEAD` to the working tree: something is loosened, and nothing tightened.
    "#]]
    .assert_eq(&text);
}

#[test]
fn code_scanning_gets_a_sarif_log() {
    let (_, text) = loosened().diff(&["--format", "sarif"]);
    let log = sarif::log(text);
    let run = &log["runs"][0];
    let result = &run["results"][0];
    assert_eq!(log["version"], "2.1.0");
    assert_eq!(result["ruleId"], "config-loosened");
    let rule = usize::try_from(result["ruleIndex"].as_u64().unwrap()).unwrap();
    assert_eq!(
        run["tool"]["driver"]["rules"][rule]["id"],
        "config-loosened"
    );
    let place = &result["locations"][0]["physicalLocation"];
    assert_eq!(place["artifactLocation"]["uri"], ".jp/config.toml");
    assert_eq!(place["region"]["startLine"], 6);
}

#[test]
fn two_commits_of_a_workspace_in_a_subfolder() {
    let repository = Repository::new();
    repository.write(
        "app/.jp/config.toml",
        "extends = [\"../../shared/*.toml\"]\n",
    );
    repository
        .write("shared/edit.toml", ASK)
        .commit()
        .git(&["tag", "before"]);
    repository
        .write("shared/edit.toml", &ASK.replace("\"ask\"", "\"skip\""))
        .commit();
    repository.git(&["gc", "-q"]).git(&["pack-refs", "--all"]);
    repository.write("shared/edit.toml", "broken [");
    let app = repository.root().join("app");
    let show = |arguments: &[&str]| {
        let (code, text) = repository.diff_in(&app, &[&["--format", "github"], arguments].concat());
        format!("exit {code}\n{text}")
    };
    expect![[r#"
        exit 0
        ::notice file=shared/edit.toml,line=7,title=config tightened::tool `edit`, whether calls run: ask -> skip, as in {"path":"x"}
        From `before` to `HEAD`: something is tightened, and nothing loosened.
    "#]]
    .assert_eq(&show(&["before..HEAD"]));
    assert_eq!(show(&["before.."]), show(&["before..HEAD"]));
    for format in ["human", "json", "markdown", "sarif"] {
        let (_, text) = repository.diff_in(&app, &["--format", format, "before..HEAD"]);
        let place = match format {
            "human" => "(../shared/edit.toml:7)",
            "json" => r#""path":"../shared/edit.toml","line":7"#,
            "markdown" => "<code>shared/edit.toml:7</code>",
            _ => r#""uri":"shared/edit.toml""#,
        };
        assert!(text.contains(place), "{text}");
        assert!(!text.contains("HOME"), "{text}");
    }
    // From a linked work tree, and from a bare copy.
    let linked = repository.root().parent().unwrap().join("linked");
    repository.git(&["worktree", "add", "-q", linked.as_str(), "before"]);
    let (code, text) =
        repository.diff_in(&linked.join("app"), &["--format", "json", "before..main"]);
    assert_eq!(code, 0);
    assert!(text.starts_with("{\"verdict\":\"tightened\","), "{text}");
    let bare = repository.root().parent().unwrap().join("bare.git");
    repository.git(&["clone", "-q", "--bare", ".", bare.as_str()]);
    let (code, text) = repository.diff_in(&bare, &["main"]);
    expect!["2 jp-lsp: the repository `HOME/bare.git` is bare, so there is no working tree: name two commits, as in `BASE..HEAD`\n"]
        .assert_eq(&format!("{code} {text}"));
}

#[test]
fn a_commit_without_a_workspace_makes_everything_new() {
    let repository = Repository::new();
    repository.write("README", "x").commit();
    repository.write(".jp/config.toml", ASK);
    let (code, text) = repository.diff(&[]);
    expect![[r#"
        3 From `HEAD` to the working tree: something is loosened, and nothing tightened.

        tool `edit`, what it is and runs: loosened
          absent -> present, on: {"config":"conversation.tools.edit"}  (.jp/config.toml:1)

        This assumes that
        - `HEAD` has no `.jp` folder here, so that everything is new
        - a person's own config, which lies out of the repository, is not part of the comparison
        - paths are judged by their text: links are not followed
    "#]]
    .assert_eq(&format!("{code} {text}"));
}

#[test]
fn a_folder_stands_for_the_state_before() {
    let repository = loosened();
    let base = repository.root().parent().unwrap().join("base");
    fs::create_dir_all(base.join(".jp")).unwrap();
    fs::write(base.join(".jp/config.toml"), ASK).unwrap();
    let (code, json) = repository.json(&["--base-dir", "../base"]);
    assert_eq!((code, &json["verdict"]), (3, &Value::from("loosened")));
    let (code, text) = repository.diff(&["--base-dir", "../nothing"]);
    expect!["2 jp-lsp: `HOME/nothing` is no workspace: it has no `.jp` folder\n"]
        .assert_eq(&format!("{code} {text}"));
}

#[test]
fn what_cannot_be_compared_is_said() {
    let repository = loosened();
    let says = |arguments: &[&str]| {
        let (code, text) = repository.diff(arguments);
        format!("{code} {}", text.lines().next().unwrap_or_default())
    };
    assert_eq!(
        says(&["nowhere"]),
        "2 jp-lsp: `nowhere` names no commit of the repository: write a branch, a tag or a commit's id, such as `main`, `v1.0` or `HEAD~1`; a branch that is only on the server is there after `git fetch`"
    );
    for missing in ["HEAD~9", "0000000", "HEAD^{/x", "HEAD@{9}", "HEAD:none"] {
        let said = says(&[missing]);
        let expected = format!("2 jp-lsp: `{missing}` names no commit of the repository: write ");
        assert!(said.starts_with(&expected), "{said}");
    }
    assert_eq!(
        says(&["HEAD:.jp"]),
        "2 jp-lsp: `HEAD:.jp` is a file or a folder of a commit and no commit: leave out the `:` and what follows"
    );
    assert_eq!(
        Repository::new().write(".jp/config.toml", ASK).diff(&[]).1,
        "jp-lsp: the repository has no commit yet: make the first; `jp-lsp diff --base-dir DIR` compares with a folder\n"
    );
    assert_eq!(
        says(&["a...b"]),
        "2 jp-lsp: `a...b` is no range of commits: write `BASE` or `BASE..HEAD`"
    );
    assert!(
        says(&["HEAD", "--base-dir", "x"])
            .starts_with("2 error: the argument '[RANGE]' cannot be used with")
    );
    let outside = repository.root().parent().unwrap().join("outside");
    fs::create_dir(&outside).unwrap();
    let (code, text) = repository.diff_in(&outside, &[]);
    expect!["2 jp-lsp: `HOME/outside` lies in no git repository; `jp-lsp diff --base-dir DIR` compares with a folder\n"]
        .assert_eq(&format!("{code} {text}"));
}

#[test]
fn nothing_is_run_and_no_link_leads_out() {
    let repository = loosened();
    let secret = repository.root().parent().unwrap().join("secret.toml");
    fs::write(&secret, ASK.replace("edit", "secret")).unwrap();
    let config = format!(
        "extends = [\"link.toml\", \"inside.toml\"]\n{}",
        ASK.replace("src/a", "src")
    );
    repository.write(".jp/config.toml", &config);
    symlink(&secret, repository.root().join(".jp/link.toml")).unwrap();
    symlink("../tools/x.toml", repository.root().join(".jp/inside.toml")).unwrap();
    repository
        .write("tools/x.toml", &ASK.replace("edit", "x"))
        .commit();
    let marker = repository.root().parent().unwrap().join("marker");
    let program = format!("touch {marker}");
    for key in [
        "filter.x.smudge",
        "filter.x.clean",
        "filter.x.process",
        "core.fsmonitor",
        "core.sshCommand",
        "diff.external",
        "diff.x.textconv",
        "core.pager",
        "core.alternateRefsCommand",
    ] {
        repository.git(&["config", key, &program]);
    }
    repository.write(".git/info/attributes", "* filter=x diff=x\n");
    for hook in ["post-checkout", "pre-commit", "reference-transaction"] {
        let script = format!("#!/bin/sh\n{program}\n");
        repository.write(&format!(".git/hooks/{hook}"), &script);
    }
    let (code, json) = repository.json(&["HEAD~1..HEAD"]);
    assert_eq!(code, 3, "{json}");
    let tools: Vec<&str> = json["tools"]
        .as_array()
        .unwrap()
        .iter()
        .map(|tool| tool["tool"].as_str().unwrap())
        .collect();
    assert_eq!(tools, ["*", "edit", "x"]);
    assert_eq!(json["tools"][0]["verdict"], "unknown", "{json}");
    assert!(json.to_string().contains("link.toml"), "{json}");
    let (code, json) = repository.json(&["--fail-on", "changed"]);
    assert_eq!(
        (code, &json["verdict"]),
        (0, &Value::from("equal")),
        "{json}"
    );
    assert!(!Path::new(marker.as_str()).exists());
}

#[test]
fn text_of_the_config_does_not_steer_a_terminal_or_a_table() {
    let repository = loosened();
    let evil = ASK.replace(
        "command = \"edit\"",
        "command = \"\\u001b[31m|`*<b>\\n@all\"",
    );
    repository.write(".jp/config.toml", &evil);
    for format in ["human", "markdown", "github", "sarif", "json"] {
        let (code, text) = repository.diff(&["--format", format]);
        assert_eq!(code, 3, "{text}");
        assert!(!text.contains('\u{1b}'), "{format}: {text}");
    }
    let (_, text) = repository.diff(&["--format", "markdown"]);
    let row = text.lines().find(|line| line.contains("command")).unwrap();
    assert_eq!(row.matches('|').count(), 8, "{row}");
    assert!(!row.contains("<b>") && !row.contains("@all"), "{row}");
}

/// What every format says of a comparison, and its exit code.
fn in_every_format(repository: &Repository) -> String {
    let mut told = String::new();
    for format in ["human", "json", "sarif", "github", "markdown"] {
        let (code, text) = repository.diff(&["--format", format]);
        assert_eq!(code, 3, "{format}: {text}");
        assert!(!text.contains("config tightened"), "{format}: {text}");
        let line = match format {
            "sarif" => {
                let log = sarif::log(text);
                format!("{}\n", log.pointer("/runs/0/results/0").unwrap())
            }
            _ => text,
        };
        told.push_str(&format!("== {format}\n{line}"));
    }
    told
}

#[test]
fn a_side_that_cannot_be_read_is_told_in_every_format() {
    let repository = Repository::new();
    repository.write(".jp/config.toml", ASK).commit();
    repository.write(
        ".jp/config.toml",
        &ASK.replace("command = \"edit\"", "command = \"edit"),
    );
    expect![[r#"
        == human
        From `HEAD` to the working tree: not everything can be decided.

        error: no turn starts after the change, in the working tree: tool `edit`, .jp/config.toml:3: unclosed string: write `"` at its end

        all tools, what it is and runs: unknown
          not known: no turn starts after the change (.jp/config.toml:3)

        tool `edit`, what it is and runs: unknown
          not known: no turn starts after the change (.jp/config.toml:3)

        This assumes that
        - a person's own config, which lies out of the repository, is not part of the comparison
        - paths are judged by their text: links are not followed
        == json
        {"verdict":"unknown","tools":[{"tool":"*","aspect":"other","verdict":"unknown","changes":[],"unknown":["no turn starts after the change (.jp/config.toml:3)"]},{"tool":"edit","aspect":"other","verdict":"unknown","changes":[],"unknown":["no turn starts after the change (.jp/config.toml:3)"]}],"assumes":["a person's own config, which lies out of the repository, is not part of the comparison","paths are judged by their text: links are not followed"],"refused":[{"side":"after","path":".jp/config.toml","line":3,"tool":"edit","message":"unclosed string: write `\"` at its end"}]}
        == sarif
        {"ruleId":"config-refused","ruleIndex":4,"level":"error","message":{"text":"no turn starts after the change, in the working tree: tool `edit`, .jp/config.toml:3: unclosed string: write `\"` at its end"},"locations":[{"physicalLocation":{"artifactLocation":{"uri":".jp/config.toml"},"region":{"startLine":3}}}]}
        == github
        ::error file=.jp/config.toml,line=3,title=config refused::no turn starts after the change, in the working tree: tool `edit`, .jp/config.toml:3: unclosed string: write `"` at its end
        ::warning title=config unknown::all tools, what it is and runs: no turn starts after the change (.jp/config.toml:3)
        ::warning title=config unknown::tool `edit`, what it is and runs: no turn starts after the change (.jp/config.toml:3)
        From `HEAD` to the working tree: not everything can be decided.
        == markdown
        ### What this changes of the assistant's config: unknown

        From `HEAD` to the working tree: not everything can be decided.

        **Error:** no turn starts after the change, in the working tree: tool `edit`, .jp/config.toml:3: unclosed string: write `"` at its end

        | what | verdict | before | after | as in | rule | recorded calls |
        |---|---|---|---|---|---|---|
        | all tools, what it is and runs | unknown | | | no turn starts after the change (.jp/config.toml:3) | | |
        | tool `edit`, what it is and runs | unknown | | | no turn starts after the change (.jp/config.toml:3) | | |

        <details><summary>This assumes that</summary>

        - a person's own config, which lies out of the repository, is not part of the comparison
        - paths are judged by their text: links are not followed

        </details>
    "#]].assert_eq(&in_every_format(&repository));
}

#[test]
fn no_error_on_either_side_comes_out_as_tightened() {
    let other = format!("{ASK}{}", ASK.replace("edit", "other"));
    let strict = other.replacen("\"unattended\"", "\"ask\"", 1);
    let cases = [
        ("syntax", other.replacen("edit\"\n", "edit\n", 1)),
        ("cut short", other.chars().take(300).collect()),
        (
            "header",
            other.replacen("[conversation.tools.edit]", "[conversaton.tools.edit]", 1),
        ),
        (
            "type",
            other.replacen("policy.run = [", "run = 3\npolicy.result = [", 1),
        ),
        ("rule", strict.replacen("prefix =", "prefx =", 1)),
        ("twice", format!("{strict}[conversation.tools.edit]\n")),
        ("not text", String::from("\0")),
    ];
    for (name, broken) in cases {
        let repository = Repository::new();
        repository.write(".jp/config.toml", &other).commit();
        repository.write(".jp/config.toml", &broken).commit();
        for (range, side) in [("HEAD~1..HEAD", "after"), ("HEAD..HEAD~1", "before")] {
            let (code, json) = repository.json(&[range]);
            assert_eq!(
                (code, &json["verdict"]),
                (3, &Value::from("unknown")),
                "{name}: {json}"
            );
            let refused = &json["refused"][0];
            assert_eq!(refused["side"], side, "{name}: {json}");
            assert_eq!(refused["path"], ".jp/config.toml", "{name}: {json}");
            assert!(refused["line"].is_u64(), "{name}: {json}");
        }
    }
}

#[test]
fn an_error_of_one_tool_leaves_the_others_told() {
    let repository = Repository::new();
    let other = format!("{ASK}{}", ASK.replace("edit", "other"));
    repository.write(".jp/config.toml", &other).commit();
    let broken = other
        .replacen("prefix =", "prefx =", 1)
        .replace("src/a", "src");
    repository.write(".jp/config.toml", &broken).commit();
    let (_, json) = repository.json(&["HEAD~1..HEAD"]);
    let verdicts: Vec<(&Value, &Value)> = json["tools"]
        .as_array()
        .unwrap()
        .iter()
        .map(|tool| (&tool["tool"], &tool["verdict"]))
        .collect();
    assert_eq!(
        verdicts,
        [
            (&Value::from("edit"), &Value::from("unknown")),
            (&Value::from("other"), &Value::from("loosened")),
        ],
        "{json}"
    );
    // The same error on both sides hides nothing where nothing else changes.
    repository.write(".jp/config.toml", &format!("# A comment.\n{broken}"));
    let (code, json) = repository.json(&[]);
    assert_eq!(
        (code, &json["verdict"]),
        (0, &Value::from("equal")),
        "{json}"
    );
    assert_eq!(json["refused"].as_array().unwrap().len(), 2, "{json}");
}

#[test]
fn a_broken_fragment_is_told_with_its_file() {
    let repository = Repository::new();
    let fragment = "[conversation.tools.edit]\nrun = \"skip\"\n";
    repository
        .write(
            ".jp/config.toml",
            &format!("config_load_paths = [\"frag\"]\n{ASK}"),
        )
        .write("frag/strict.toml", fragment)
        .commit()
        .write("frag/strict.toml", &fragment.replace("\"skip\"", "\"skip"));
    let (code, json) = repository.json(&[]);
    assert_eq!(
        (code, &json["verdict"]),
        (3, &Value::from("unknown")),
        "{json}"
    );
    assert_eq!(json["refused"][0]["fragment"], "frag/strict.toml", "{json}");
    assert_eq!(json["refused"][0]["line"], 2, "{json}");
    repository.commit().write("frag/strict.toml", fragment);
    let (code, json) = repository.json(&[]);
    assert_eq!(json["refused"][0]["side"], "before", "{json}");
    assert_eq!(
        (code, &json["verdict"]),
        (3, &Value::from("unknown")),
        "{json}"
    );
}

#[test]
fn another_form_of_the_same_config_changes_nothing() {
    let headers = r#"# How edits are asked for.
["conversation".tools."edit".parameters.path]
required = true # always
type = 'path'

[[conversation.tools.edit.policy.run]]
mode = "unattended"
prefix = "./src/a/"
arg = "/path"

[[conversation.tools.edit.policy.run]]
mode = "ask"

[conversation.tools.edit]
command = """edit"""
source = "local"
"#;
    let dotted = r#"conversation.tools.edit.policy.run = [{ mode = "unattended", prefix = "src/a", arg = "/path" }, { "mode" = "ask" }]
conversation.tools."edit".command = "edit"
conversation.tools.edit.source = "local"
conversation.tools.edit.parameters = { path = { required = true, type = "path" } }
"#;
    let json = r#"{"conversation": {"tools": {"edit": {"command": "edit", "source": "local",
        "parameters": {"path": {"type": "path", "required": true}},
        "policy": {"run": [{"arg": "/path", "prefix": "src/a", "mode": "unattended"}, {"mode": "ask"}]}}}}}"#;
    let yaml = "conversation:\n  tools:\n    edit:\n      source: local\n      command: edit\n      parameters: { path: { type: path, required: true } }\n      policy:\n        run:\n          - { arg: /path, prefix: src/a, mode: unattended }\n          - mode: ask\n";
    let windows = ASK.replace('\n', "\r\n");
    let forms: [&[(&str, &str)]; 9] = [
        &[(".jp/config.toml", headers)],
        &[(".jp/config.toml", dotted)],
        &[(".jp/config.toml", &windows)],
        &[(".jp/config.json", json)],
        &[(".jp/config.yaml", yaml)],
        &[(".jp/config.yml", json)],
        &[(".jp.toml", ASK)],
        &[
            (".jp/config.toml", "extends = [\"tools/*.toml\"]\n"),
            (".jp/tools/edit.toml", headers),
        ],
        &[
            (".jp/config.json", r#"{"extends": ["edit.json"]}"#),
            (".jp/edit.json", json),
        ],
    ];
    let repository = Repository::new();
    repository.write(".jp/config.toml", ASK).commit();
    for form in forms {
        repository.git(&["rm", "-rq", "."]);
        for (path, text) in form {
            repository.write(path, text);
        }
        repository.commit();
        for range in ["HEAD~1..HEAD", "HEAD..HEAD~1"] {
            let (code, json) = repository.json(&["--fail-on", "changed", range]);
            let found = (code, &json["verdict"]);
            assert_eq!(found, (0, &Value::from("equal")), "{form:?}: {json}");
            assert!(json.get("refused").is_none(), "{form:?}: {json}");
        }
    }
}

#[test]
fn what_only_one_side_loads_from_elsewhere_is_unknown() {
    let repository = Repository::new();
    let strict = ASK.replace("unattended", "ask");
    repository.write(".jp/config.toml", ASK).commit();
    let outside = "extends = [\"/nowhere/x.toml\"]\n";
    repository.write(".jp/config.toml", &format!("{outside}{strict}"));
    let (code, json) = repository.json(&[]);
    let found = (code, &json["verdict"]);
    assert_eq!(found, (3, &Value::from("unknown")), "{json}");
    let (_, text) = repository.diff(&["--format", "github"]);
    assert!(text.contains("`/nowhere/x.toml`, which only"), "{text}");
    // What both sides name is assumed to be the same.
    repository.commit();
    repository.write(
        ".jp/config.toml",
        &format!("{outside}# A comment.\n{strict}"),
    );
    let (code, json) = repository.json(&["--fail-on", "changed"]);
    let found = (code, &json["verdict"]);
    assert_eq!(found, (0, &Value::from("equal")), "{json}");
}

#[test]
fn a_config_that_leads_out_of_the_repository_is_never_less() {
    let repository = Repository::new();
    repository.write(".jp/config.toml", ASK).commit();
    let told = |repository: &Repository, arguments: &[&str]| {
        let (code, json) = repository.json(arguments);
        format!("{code} {}: {}", json["verdict"], json["tools"])
    };
    let config = repository.root().join(".jp");
    let elsewhere = repository.home.path().join("elsewhere");
    fs::create_dir(&elsewhere).unwrap();
    fs::write(elsewhere.join("config.toml"), "").unwrap();
    // The file itself.
    fs::remove_file(config.join("config.toml")).unwrap();
    symlink("../../elsewhere/config.toml", config.join("config.toml")).unwrap();
    expect![[r#"3 "unknown": [{"tool":"*","aspect":"other","verdict":"unknown","changes":[],"unknown":["`.jp/config.toml`, which after the change is a link out of the repository, is not read"]},{"tool":"edit","aspect":"other","verdict":"unknown","changes":[],"unknown":["`.jp/config.toml`, which after the change is a link out of the repository, is not read"]}]"#]].assert_eq(&told(&repository, &[]));
    repository.commit();
    assert!(told(&repository, &["HEAD~1..HEAD"]).starts_with("3 \"unknown\""));
    assert_eq!(told(&repository, &[]), "0 \"equal\": []");
    // The folder.
    fs::remove_dir_all(&config).unwrap();
    symlink("../elsewhere", &config).unwrap();
    assert!(told(&repository, &["HEAD~1"]).starts_with("3 \"unknown\""));
    // Another repository in its place.
    repository.git(&["rm", "-q", "-r", "--cached", ".jp"]);
    fs::remove_file(&config).unwrap();
    fs::create_dir(&config).unwrap();
    repository.write(".jp/config.toml", ASK);
    repository.git_in(&config, &["init", "-q"]);
    repository.git_in(&config, &["add", "-A"]);
    repository.git_in(&config, &["commit", "-q", "-m", "c"]);
    repository
        .git(&["add", "-A"])
        .git(&["commit", "-q", "-m", "c"]);
    expect![[r#"3 "unknown": [{"tool":"*","aspect":"other","verdict":"unknown","changes":[],"unknown":["no turn starts after the change (.jp/config.toml:1)"]},{"tool":"edit","aspect":"other","verdict":"unknown","changes":[],"unknown":["no turn starts after the change (.jp/config.toml:1)"]}]"#]].assert_eq(&told(&repository, &["HEAD~2..HEAD"]));
}

#[test]
fn a_folder_whose_object_is_missing_is_unknown() {
    let repository = loosened();
    repository.commit();
    let output = Command::new("git")
        .args(["rev-parse", "HEAD:.jp"])
        .current_dir(repository.root())
        .output()
        .unwrap();
    let id = String::from_utf8(output.stdout).unwrap();
    let (first, rest) = id.trim().split_at(2);
    let object = repository
        .root()
        .join(".git/objects")
        .join(first)
        .join(rest);
    fs::remove_file(object).unwrap();
    let (code, json) = repository.json(&["HEAD~1..HEAD"]);
    assert_eq!(code, 3);
    expect![[r#"[{"side":"after","path":".jp/config.toml","line":1,"message":"the file cannot be read: its folder is missing among the objects of the repository, which may be a partial clone"}]"#]].assert_eq(&json["refused"].to_string());
}

#[test]
fn a_file_of_a_folder_is_compared_as_who_works_there_gets_it() {
    let repository = Repository::new();
    repository
        .write(".jp/config.toml", ASK)
        .write("own/.jp/config.toml", ASK)
        .write(
            "old/.jp.json",
            "{\"conversation\":{\"tools\":{\"edit\":{\"run\":\"skip\"}}}}",
        )
        .commit();
    let loose = "conversation.tools.edit.policy.run = [{ mode = \"unattended\" }]\n";
    repository
        .write("a/b/.jp.toml", loose)
        .write("own/sub/.jp.toml", loose);
    let (code, text) = repository.diff(&[]);
    assert_eq!(code, 3);
    expect![[r#"
        From `HEAD` to the working tree: something is loosened, and nothing tightened.

        tool `edit`, with `a/b/.jp.toml`, whether calls run: loosened
          ask -> unattended: {"path":"x"}  (a/b/.jp.toml:1)

        This assumes that
        - a person's own config, which lies out of the repository, is not part of the comparison
        - paths are judged by their text: links are not followed
    "#]]
    .assert_eq(&text);
    // Two commits, and a folder in the place of a commit.
    repository.commit();
    let (code, json) = repository.json(&["HEAD~1..HEAD"]);
    assert_eq!(
        (code, &json["tools"][0]["fragment"]),
        (3, &Value::from("a/b/.jp.toml"))
    );
    let (code, json) = repository.json(&["--base-dir", "own"]);
    assert_eq!(
        (code, &json["tools"][0]["fragment"]),
        (3, &Value::from("a/b/.jp.toml"))
    );
    // What everybody gets is told once.
    repository.write(".jp/config.toml", &ASK.replace("src/a", "src"));
    let (_, json) = repository.json(&[]);
    assert_eq!(json["tools"].as_array().unwrap().len(), 1, "{json}");
    assert_eq!(json["tools"][0]["fragment"], Value::Null, "{json}");
    // Broken where only who works there reads it.
    repository.write("a/b/.jp.toml", "[broken");
    let (code, json) = repository.json(&["HEAD"]);
    assert_eq!(code, 3);
    expect![[r#"[{"side":"after","fragment":"a/b/.jp.toml","path":"a/b/.jp.toml","line":1,"message":"unclosed table header: write `]` after the name"}]"#]].assert_eq(&json["refused"].to_string());
}

#[test]
fn a_name_with_a_line_feed_makes_no_line_of_ours() {
    let repository = Repository::new();
    let tool = "[conversation.tools.\"x\\nFrom HEAD: nothing is decided otherwise\"]\nsource = \"local\"\ncommand = \"a\"\n";
    repository.write(".jp/config.toml", tool).commit();
    repository.write(".jp/config.toml", &tool.replace("\"a\"", "\"b\""));
    for format in ["human", "markdown", "github"] {
        let (_, text) = repository.diff(&["--format", format]);
        assert!(!text.contains("\nFrom HEAD: nothing"), "{format}: {text}");
    }
}

#[test]
fn code_scanning_gets_a_place_for_every_result_and_no_link() {
    let repository = Repository::new();
    let tool = "[conversation.tools.\"[x](http://e.org)\"]\nsource = \"local\"\ncommand = \"a\"\n";
    repository.write(".jp/config.toml", tool).commit();
    repository.write(".jp/config.toml", "");
    let (_, text) = repository.diff(&["--format", "sarif"]);
    let log = sarif::log(text);
    expect![[r#"[{"ruleId":"config-tightened","ruleIndex":1,"level":"note","message":{"text":"tool `\\[x\\](http://e.org)`, what it is and runs: present, on -> absent, as in {\"config\":\"conversation.tools.\\\"\\[x\\](http://e.org)\\\"\"}"},"locations":[{"physicalLocation":{"artifactLocation":{"uri":".jp/config.toml"},"region":{"startLine":1}}}]}]"#]].assert_eq(&log["runs"][0]["results"].to_string());
}
