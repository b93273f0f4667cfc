use std::sync::Arc;

use camino::{Utf8Path, Utf8PathBuf};
use expect_test::{Expect, expect};
use jp_config::{
    graph::{Graph, Roots},
    memory::MemoryFiles,
    view::View,
};
use jp_policy::{CanonicalPath, normalize_path};
use jp_tool::{
    AccessPolicy, AccessRuleError, Canonical, CompiledAccess, FsAccessError, FsCapability, FsPolicy,
};
use serde_json::{Value, json};

use super::*;

#[path = "explain/words_tests.rs"]
mod in_words;

/// Paths without a disk: `link/…` leads to `real/…`, `..` and `/` lead out.
pub(crate) struct Paths;

impl Paths {
    fn resolve(path: &str) -> Option<String> {
        let normal = normalize_path(path);
        if normal.starts_with("..") || normal.starts_with('/') {
            return None;
        }
        Some(match normal.strip_prefix("link/") {
            Some(rest) => format!("real/{rest}"),
            None => normal.clone(),
        })
    }
}

impl PathResolver for Paths {
    fn canonical(&self, path: &str) -> Option<CanonicalPath> {
        Some(Self::resolve(path).map_or(CanonicalPath::Outside, CanonicalPath::Inside))
    }

    fn compile_access(&self, declared: &AccessPolicy) -> Result<CompiledAccess, AccessRuleError> {
        Ok(CompiledAccess {
            fs_declared: (0..declared.fs.len()).map(Some).collect(),
            policy: declared.clone(),
            warnings: Vec::new(),
        })
    }

    fn locate(
        &self,
        _: &FsPolicy,
        _: FsCapability,
        path: &Utf8Path,
        config: &[Utf8PathBuf],
    ) -> Result<(Canonical, Option<Utf8PathBuf>), FsAccessError> {
        let Some(relative) = Self::resolve(path.as_str()) else {
            return Err(FsAccessError::Escape(path.to_owned()));
        };
        let canonical = Canonical {
            absolute: Utf8Path::new("/w").join(&relative),
            relative: relative.into(),
        };
        let place = if config.contains(&canonical.absolute) {
            Some(canonical.relative.clone())
        } else {
            jp_tool::protected_prefix(&canonical.relative)
        };
        Ok((canonical, place))
    }

    fn spellings(&self, file: &Utf8Path) -> Vec<Utf8PathBuf> {
        vec![file.to_owned()]
    }
}

const WORKSPACE: &str = r#"
//- /w/.jp/config.toml
extends = ["tools/*.toml"]
[conversation.tools.'*']
run = "ask"

[conversation.tools.edit.policy]
run = [
    { arg = "/path", prefix = "real/secret", mode = "skip" },
    { arg = "/path", prefix = "src", mode = "unattended" },
    { arg = "/path", prefix = "link", mode = "unattended" },
]

[conversation.tools.plain]
source = "local"

[conversation.tools.broken]
source = "local"
policy.run = [{ arg = "/x", mode = "ask" }]
//- /w/.jp/tools/edit.toml
[conversation.tools.edit]
source = "local"
result = "edit"
parameters.path = { type = "path", required = true }
parameters.count = { type = "integer", default = 3 }
parameters.paths = { type = "array", items.type = "path" }

[[conversation.tools.edit.access.fs]]
path = "."
read = true

[[conversation.tools.edit.access.fs]]
path = "src"
write = true

[[conversation.tools.edit.access.config]]
path = "assistant.model"
read = true
write = true

[[conversation.tools.edit.access.net]]
host = "example.org"
allow = true

[[conversation.tools.edit.access.env]]
name = "AWS_*"
"#;

fn graph() -> Arc<Graph> {
    let files = MemoryFiles::from_fixture(WORKSPACE.trim_start());
    Arc::new(Graph::load(&Roots::workspace_only("/w"), &files))
}

fn check_policy(tool: &str, question: PolicyQuestion, calls: &[Value], expect: &Expect) {
    let view = view_of_tool(&graph(), tool).unwrap();
    let explainer = PolicyExplainer::new(&view, tool, question).unwrap();
    expect.assert_eq(&lines(calls, |call| explainer.explain(call, &Paths)));
}

fn check_access(targets: &[Value], expect: &Expect) {
    let view = view_of_tool(&graph(), "edit").unwrap();
    let explainer = AccessExplainer::new(&view, "edit", &Paths).unwrap();
    expect.assert_eq(&lines(targets, |target| explainer.explain(target, &Paths)));
}

fn lines(questions: &[Value], answer: impl Fn(&Value) -> Result<Value, ExplainError>) -> String {
    let answers = questions.iter().map(|question| match answer(question) {
        Ok(answer) => format!("{answer}\n"),
        Err(error) => format!("error: {error}\n"),
    });
    answers.collect()
}

#[test]
fn the_first_rule_that_matches_decides_and_the_trace_says_why() {
    check_policy(
        "edit",
        PolicyQuestion::Run,
        &[
            json!({"path": "src/lib.rs"}),
            json!({"path": "./src//lib.rs"}),
            json!({"path": "docs"}),
        ],
        &expect![[r#"
            {"mode":"unattended","rule":{"index":1,"path":".jp/config.toml","line":8},"values":["src/lib.rs"],"trace":[{"index":0,"verdict":"not_matched","reason":"`\"src/lib.rs\"` at `/path` does not satisfy `prefix`"},{"index":1,"verdict":"matched","reason":"`\"src/lib.rs\"` at `/path` satisfies `prefix`"},{"index":2,"verdict":"skipped","reason":"rule 2 decides before it"}]}
            {"mode":"unattended","rule":{"index":1,"path":".jp/config.toml","line":8},"values":["./src//lib.rs"],"trace":[{"index":0,"verdict":"not_matched","reason":"`\"./src//lib.rs\"` at `/path` does not satisfy `prefix`"},{"index":1,"verdict":"matched","reason":"`\"./src//lib.rs\"` at `/path` satisfies `prefix`"},{"index":2,"verdict":"skipped","reason":"rule 2 decides before it"}]}
            {"mode":"ask","rule":null,"values":[],"trace":[{"index":0,"verdict":"not_matched","reason":"`\"docs\"` at `/path` does not satisfy `prefix`"},{"index":1,"verdict":"not_matched","reason":"`\"docs\"` at `/path` does not satisfy `prefix`"},{"index":2,"verdict":"not_matched","reason":"`\"docs\"` at `/path` does not satisfy `prefix`"}]}
        "#]],
    );
}

#[test]
fn each_of_several_paths_is_decided_on_its_own() {
    check_policy(
        "edit",
        PolicyQuestion::Run,
        &[
            json!({"path": "src/a", "paths": ["src/b"]}),
            json!({"path": "src/a", "paths": ["link/secret"]}),
            json!({"path": "link/secret", "paths": ["src/b", "../x"]}),
        ],
        &expect![[r#"
            {"mode":"ask","rule":null,"values":[],"paths":[{"pointer":"/path","value":"src/a","mode":"unattended","rule":{"index":1,"path":".jp/config.toml","line":8}},{"pointer":"/paths/0","value":"src/b","mode":"ask","rule":null}],"trace":[{"index":0,"verdict":"not_matched","reason":"without the other paths, the call has no value at `/path`"},{"index":1,"verdict":"not_matched","reason":"without the other paths, the call has no value at `/path`"},{"index":2,"verdict":"not_matched","reason":"without the other paths, the call has no value at `/path`"}]}
            {"mode":"ask","rule":null,"values":[],"paths":[{"pointer":"/path","value":"src/a","mode":"unattended","rule":{"index":1,"path":".jp/config.toml","line":8}},{"pointer":"/paths/0","value":"link/secret","mode":"ask","rule":null}],"trace":[{"index":0,"verdict":"not_matched","reason":"without the other paths, the call has no value at `/path`"},{"index":1,"verdict":"not_matched","reason":"without the other paths, the call has no value at `/path`"},{"index":2,"verdict":"not_matched","reason":"without the other paths, the call has no value at `/path`"}]}
            {"mode":"skip","rule":{"index":0,"path":".jp/config.toml","line":7},"values":["real/secret"],"paths":[{"pointer":"/path","value":"link/secret","mode":"skip","rule":{"index":0,"path":".jp/config.toml","line":7}},{"pointer":"/paths/0","value":"src/b","mode":"ask","rule":null},{"pointer":"/paths/1","value":"../x","mode":"ask","rule":null}],"trace":[{"index":0,"verdict":"matched","reason":"`\"real/secret\"` at `/path` satisfies `prefix`"},{"index":1,"verdict":"skipped","reason":"rule 1 decides before it"},{"index":2,"verdict":"skipped","reason":"rule 1 decides before it"}]}
        "#]],
    );
}

#[test]
fn no_arguments_are_none() {
    check_policy(
        "plain",
        PolicyQuestion::Run,
        &[json!(null), json!({})],
        &expect![[r#"
        {"mode":"ask","rule":{"index":0,"path":".jp/config.toml","line":3},"values":[],"trace":[{"index":0,"verdict":"matched","reason":"a rule without a condition matches every call"}]}
        {"mode":"ask","rule":{"index":0,"path":".jp/config.toml","line":3},"values":[],"trace":[{"index":0,"verdict":"matched","reason":"a rule without a condition matches every call"}]}
    "#]],
    );
    check_policy(
        "edit",
        PolicyQuestion::Run,
        &[json!(null)],
        &expect![[r#"
        error: invalid arguments: missing argument `path`
    "#]],
    );
}

#[test]
fn a_link_cannot_dodge_a_rule() {
    check_policy(
        "edit",
        PolicyQuestion::Run,
        &[json!({"path": "link/secret"}), json!({"path": "link/open"})],
        &expect![[r#"
            {"mode":"skip","rule":{"index":0,"path":".jp/config.toml","line":7},"values":["real/secret"],"trace":[{"index":0,"verdict":"matched","reason":"`\"real/secret\"` at `/path` satisfies `prefix`"},{"index":1,"verdict":"skipped","reason":"rule 1 decides before it"},{"index":2,"verdict":"skipped","reason":"rule 1 decides before it"}]}
            {"mode":"ask","rule":null,"values":[],"trace":[{"index":0,"verdict":"not_matched","reason":"`\"real/open\"` at `/path` does not satisfy `prefix`"},{"index":1,"verdict":"not_matched","reason":"`\"real/open\"` at `/path` does not satisfy `prefix`"},{"index":2,"verdict":"not_matched","reason":"`\"real/open\"` at `/path` does not satisfy `prefix`"}]}
        "#]],
    );
}

#[test]
fn a_path_that_leaves_the_workspace_is_never_unattended() {
    check_policy(
        "edit",
        PolicyQuestion::Run,
        &[json!({"path": "src/../../etc"})],
        &expect![[r#"
            {"mode":"ask","rule":null,"values":[],"trace":[{"index":0,"verdict":"not_matched","reason":"`\"src/../../etc\"` at `/path` does not satisfy `prefix`"},{"index":1,"verdict":"not_matched","reason":"`\"src/../../etc\"` at `/path` does not satisfy `prefix`"},{"index":2,"verdict":"not_matched","reason":"`\"src/../../etc\"` at `/path` does not satisfy `prefix`"}]}
        "#]],
    );
}

#[test]
fn arguments_that_do_not_fit_are_errors() {
    check_policy(
        "edit",
        PolicyQuestion::Run,
        &[
            json!([]),
            json!({}),
            json!({"path": 1}),
            json!({"path": "a", "paht": "b"}),
            json!({"path": "a", "count": "many"}),
            json!({"path": "a", "count": "12"}),
        ],
        &expect![[r#"
            error: invalid arguments: the arguments of a call are one JSON object, such as `{"path":"src"}`
            error: invalid arguments: missing argument `path`
            error: invalid arguments: `path` must be string, not number
            error: invalid arguments: unknown argument `paht`, did you mean `path`
            error: invalid arguments: `count` must be integer, not string
            {"mode":"ask","rule":null,"values":[],"trace":[{"index":0,"verdict":"not_matched","reason":"`\"a\"` at `/path` does not satisfy `prefix`"},{"index":1,"verdict":"not_matched","reason":"`\"a\"` at `/path` does not satisfy `prefix`"},{"index":2,"verdict":"not_matched","reason":"`\"a\"` at `/path` does not satisfy `prefix`"}]}
        "#]],
    );
}

#[test]
fn a_mode_is_one_rule_and_the_defaults_stand_in() {
    check_policy(
        "edit",
        PolicyQuestion::Result,
        &[json!({"path": "a"})],
        &expect![[r#"
            {"mode":"edit","rule":{"index":0,"path":".jp/tools/edit.toml","line":3},"values":[],"trace":[{"index":0,"verdict":"matched","reason":"a rule without a condition matches every call"}]}
        "#]],
    );
    check_policy(
        "plain",
        PolicyQuestion::Run,
        &[json!({})],
        &expect![[r#"
        {"mode":"ask","rule":{"index":0,"path":".jp/config.toml","line":3},"values":[],"trace":[{"index":0,"verdict":"matched","reason":"a rule without a condition matches every call"}]}
    "#]],
    );
    check_policy(
        "plain",
        PolicyQuestion::Result,
        &[json!({})],
        &expect![[r#"
        {"mode":"unattended","rule":null,"values":[],"trace":[{"index":0,"verdict":"matched","reason":"a rule without a condition matches every call"}]}
    "#]],
    );
}

#[test]
fn what_does_not_load_decides_nothing() {
    let graph = graph();
    let view = View::new(Arc::clone(&graph));
    let error = PolicyExplainer::new(&view, "broken", PolicyQuestion::Run).unwrap_err();
    expect!["the policy of `broken` cannot be used: rule 1: `/x` does not resolve: there is no parameter `x`; there are none"].assert_eq(&error.to_string());
    let error = view_of_tool(&graph, "edti").unwrap_err();
    expect!["no tool `edti` is configured; did you mean `edit`?"].assert_eq(&error.to_string());
}

#[test]
fn the_most_specific_access_rule_decides() {
    check_access(
        &[
            json!({"fs": {"capability": "read", "path": "README.md"}}),
            json!({"fs": {"capability": "read", "path": "src/lib.rs"}}),
            json!({"fs": {"capability": "update", "path": "src/lib.rs"}}),
            json!({"fs": {"capability": "read", "path": "../x"}}),
            json!({"net": "https://example.org/a"}),
            json!({"net": "https://example.com/a"}),
            json!({"env": "AWS_KEY"}),
            json!({"env": "HOME"}),
            json!({"config": {"capability": "write", "path": "assistant.model.id"}}),
            json!({"config": {"capability": "read", "path": "assistant.model.id"}}),
            json!({"config": {"capability": "write", "path": "conversation.tools.edit.access"}}),
        ],
        &expect![[r#"
            {"allowed":true,"rule":{"index":0,"path":".jp/tools/edit.toml","line":8},"target":"README.md","reason":"the rule grants it"}
            {"allowed":false,"rule":{"index":1,"path":".jp/tools/edit.toml","line":12},"target":"src/lib.rs","reason":"the rule does not grant it"}
            {"allowed":true,"rule":{"index":1,"path":".jp/tools/edit.toml","line":12},"target":"src/lib.rs","reason":"the rule grants it"}
            {"allowed":false,"rule":null,"target":"../x","reason":"path escapes the workspace: ../x"}
            {"allowed":true,"rule":{"index":0,"path":".jp/tools/edit.toml","line":21},"target":"https://example.org/a","reason":"the rule grants it"}
            {"allowed":false,"rule":null,"target":"https://example.com/a","reason":"no rule matches, and declared rules deny everything else"}
            {"allowed":false,"rule":{"index":0,"path":".jp/tools/edit.toml","line":25},"target":"AWS_KEY","reason":"the rule does not grant it"}
            {"allowed":false,"rule":null,"target":"HOME","reason":"no rule matches, and declared rules deny everything else"}
            {"allowed":true,"rule":{"index":0,"path":".jp/tools/edit.toml","line":16},"target":"assistant.model.id","reason":"the rule grants it","apply":"ask"}
            {"allowed":true,"rule":{"index":0,"path":".jp/tools/edit.toml","line":16},"target":"assistant.model.id","reason":"the rule grants it"}
            {"allowed":false,"rule":null,"target":"conversation.tools.edit.access","reason":"no rule matches, and declared rules deny everything else"}
        "#]],
    );
}

#[test]
fn a_question_about_access_that_makes_no_sense_says_what_to_write() {
    check_access(
        &[
            json!({}),
            json!({"disk": "x"}),
            json!({"fs": "x"}),
            json!({"fs": {"capability": "write", "path": "x"}}),
            json!({"net": "not a url"}),
            json!({"config": {"capability": "write", "path": "assistant.modle"}}),
        ],
        &expect![[r#"
            error: a question about access is an object with one key; write `{"fs":{"capability":"read","path":"x"}}`, `{"net":"https://x"}`, `{"env":"X"}` or `{"config":{"capability":"write","path":"a.b"}}`
            error: there is no kind of access `disk`; write `{"fs":{"capability":"read","path":"x"}}`, `{"net":"https://x"}`, `{"env":"X"}` or `{"config":{"capability":"write","path":"a.b"}}`
            error: `path` is missing or no text; write `{"fs":{"capability":"read","path":"x"}}`, `{"net":"https://x"}`, `{"env":"X"}` or `{"config":{"capability":"write","path":"a.b"}}`
            error: unknown capability `write`, expected one of `read`, `create`, `update`, `delete`, `execute`; in a rule `write` stands for `create`, `update` and `delete`: ask about one of them
            error: `not a url` is not an absolute URL (relative URL without a base); write one such as `https://example.com/path`
            error: no config path `assistant.modle`: there is no key `modle`; did you mean `model`?
        "#]],
    );
}

#[test]
fn a_config_value_names_its_layers() {
    let view = View::new(graph());
    let answer = |path: &str| match config(&view, path) {
        Ok(value) => value.to_json().to_string(),
        Err(error) => format!("error: {error}"),
    };
    let answers: Vec<String> = [
        "conversation.tools.edit.result",
        "conversation.tools.edit.run",
        "conversation.tools.*.run",
        "conversation.tools.*.result",
        "conversation.tools.edit.access.fs.1.path",
        "assistant.name",
        "assistant.modle",
        "a..b",
    ]
    .map(answer)
    .into();
    expect![[r#"
        {"path":"conversation.tools.edit.result","value":"edit","layers":[{"path":".jp/tools/edit.toml","line":3,"source":"workspace","value":"edit"}]}
        {"path":"conversation.tools.edit.run","value":"ask","inherited_from":"conversation.tools.*.run","layers":[{"path":".jp/config.toml","line":3,"source":"workspace","value":"ask"}]}
        {"path":"conversation.tools.*.run","value":"ask","layers":[{"path":".jp/config.toml","line":3,"source":"workspace","value":"ask"}]}
        {"path":"conversation.tools.*.result","value":"unattended","default":true,"layers":[]}
        {"path":"conversation.tools.edit.access.fs.1.path","value":"src","layers":[{"path":".jp/tools/edit.toml","line":8,"source":"workspace","value":[{"path":".","read":true},{"path":"src","write":true}]}]}
        {"path":"assistant.name","value":null,"layers":[]}
        error: no config path `assistant.modle`: there is no key `modle`; did you mean `model`?
        error: `a..b` is no config path: config path `a..b` has an empty segment; write the dots only between keys"#]].assert_eq(&answers.join("\n"));
}

#[test]
fn a_value_below_a_shorthand_names_what_stands_above_it() {
    let files = MemoryFiles::from_fixture(
        r#"//- /w/.jp/config.toml
extends = ["lower.toml"]
assistant.model.id = "anthropic/m"
[conversation.tools.t]
command = "x {{tool}}"
enable = "always"
//- /w/.jp/lower.toml
assistant.model.id = { provider = "openai", name = "x" }
[conversation.tools.t]
command.shell = true
enable.state = false
"#,
    );
    let graph = Graph::load(&Roots::workspace_only("/w"), &files);
    let view = View::new(Arc::new(graph));
    let answers: Vec<String> = [
        "assistant.model.id.provider",
        "conversation.tools.t.command.shell",
        "conversation.tools.t.enable.state",
        "conversation.tools.t.enable",
    ]
    .map(|path| config(&view, path).unwrap().to_json().to_string())
    .into();
    expect![[r#"
        {"path":"assistant.model.id.provider","value":"anthropic","replaced_by":"assistant.model.id","layers":[{"path":".jp/lower.toml","line":1,"source":"workspace","value":"openai"},{"path":".jp/config.toml","line":2,"source":"workspace","value":"anthropic/m"}]}
        {"path":"conversation.tools.t.command.shell","value":null,"replaced_by":"conversation.tools.t.command","layers":[{"path":".jp/lower.toml","line":3,"source":"workspace","value":true},{"path":".jp/config.toml","line":4,"source":"workspace","value":"x {{tool}}"}]}
        {"path":"conversation.tools.t.enable.state","value":true,"layers":[{"path":".jp/lower.toml","line":4,"source":"workspace","value":false},{"path":".jp/config.toml","line":5,"source":"workspace","value":"always"}]}
        {"path":"conversation.tools.t.enable","value":{"state":true,"allow_toggle":"never"},"layers":[{"path":".jp/lower.toml","line":4,"source":"workspace","value":{"state":false}},{"path":".jp/config.toml","line":5,"source":"workspace","value":"always"}]}"#]].assert_eq(&answers.join("\n"));
}

#[test]
fn a_zero_of_inquiries_names_what_a_turn_takes() {
    let files = MemoryFiles::from_fixture(
        "//- /w/.jp/config.toml\nassistant.request.max_retries = 7\nconversation.inquiry.assistant.request.max_response_bytes = 0\n",
    );
    let graph = Graph::load(&Roots::workspace_only("/w"), &files);
    let view = View::new(Arc::new(graph));
    let value = |key: &str| {
        let path = format!("conversation.inquiry.assistant.request.{key}");
        config(&view, &path).unwrap().to_json().to_string()
    };
    let said = ["max_retries", "max_response_bytes", "cache"]
        .map(value)
        .join("\n");
    expect![[r#"
        {"path":"conversation.inquiry.assistant.request.max_retries","value":0,"default":true,"in_effect":{"path":"assistant.request.max_retries","value":7},"layers":[]}
        {"path":"conversation.inquiry.assistant.request.max_response_bytes","value":0,"in_effect":{"path":"assistant.request.max_response_bytes","value":1048576},"layers":[{"path":".jp/config.toml","line":2,"source":"workspace","value":0}]}
        {"path":"conversation.inquiry.assistant.request.cache","value":"short","default":true,"layers":[]}"#]].assert_eq(&said);
}

#[test]
fn a_formatter_has_no_one_word_where_rules_decide() {
    let files = MemoryFiles::from_fixture(
        "//- /w/.jp/config.toml\n[conversation.tools.'*']\nrun = \"unattended\"\n[conversation.tools.rules]\npolicy.run = [{ mode = \"ask\" }]\n[conversation.tools.inherits]\n[conversation.tools.asks]\nrun = \"ask\"\n[conversation.tools.says]\nformat = \"ask\"\npolicy.run = [{ mode = \"unattended\" }]\n",
    );
    let graph = Graph::load(&Roots::workspace_only("/w"), &files);
    let view = View::new(Arc::new(graph));
    let format = |tool: &str| {
        let path = format!("conversation.tools.{tool}.format");
        config(&view, &path).unwrap().value
    };
    assert_eq!(format("rules"), Value::Null);
    assert_eq!(format("inherits"), "unattended");
    assert_eq!(format("asks"), "ask");
    assert_eq!(format("says"), "ask");
}

#[test]
fn builtin_tools_have_their_own_table() {
    let files = MemoryFiles::from_fixture(
        "//- /w/.jp/config.toml\n[conversation.tools.'*']\nrun = \"ask\"\n[conversation.tools.ask_user]\nresult = \"skip\"\n",
    );
    let graph = Arc::new(Graph::load(&Roots::workspace_only("/w"), &files));
    let said = |tool: &str, question: PolicyQuestion, arguments: Value| {
        let view = view_of_tool(&graph, tool).unwrap();
        let explainer = PolicyExplainer::new(&view, tool, question).unwrap();
        let answer = explainer.explain(&arguments, &Paths);
        answer.map_or_else(|error| error.to_string(), |answer| answer.to_string())
    };
    let said = [
        said("ask_user", PolicyQuestion::Run, json!({"question": "Why?"})),
        said(
            "ask_user",
            PolicyQuestion::Result,
            json!({"question": "Why?"}),
        ),
        said("ask_user", PolicyQuestion::Run, json!({"qestion": "Why?"})),
        said("describe_tools", PolicyQuestion::Run, json!({"tools": []})),
    ]
    .join("\n");
    expect![[r#"
        {"mode":"unattended","rule":null,"values":[],"trace":[{"index":0,"verdict":"matched","reason":"a rule without a condition matches every call"}]}
        {"mode":"skip","rule":{"index":0,"path":".jp/config.toml","line":4},"values":[],"trace":[{"index":0,"verdict":"matched","reason":"a rule without a condition matches every call"}]}
        invalid arguments: unknown argument `qestion`, did you mean `question`; missing argument `question`
        {"mode":"unattended","rule":null,"values":[],"trace":[{"index":0,"verdict":"matched","reason":"a rule without a condition matches every call"}]}"#]].assert_eq(&said);
}
