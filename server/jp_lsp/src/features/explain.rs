//! `jp/explain`, and the command `jp.explain`, which takes the same object as its one argument.
//!
//! ```json
//! { "kind": "policy", "tool": "fs_read_file", "input": { "path": "src/lib.rs" } }
//! { "mode": "unattended", "rule": { "index": 0, "path": ".jp/config.toml", "line": 7 }, "values": [], "trace": [] }
//! ```
//!
//! The answers are those of `jp-lsp explain`.
//! A call that does not fit the tool is answered with `{"error": "…"}`; a tool that does not exist is an error of the request.

use std::sync::Arc;

use camino::Utf8Path;
use jp_analysis::{
    examples::Aspect,
    explain::{
        self, AccessExplainer, ExplainError, PolicyExplainer, PolicyQuestion, view_of_tool,
        words::{self, Style},
    },
    text::markup::{self, MarkupKind},
};
use jp_config::{graph::Graph, view::View};
use lsp_types::{ExecuteCommandParams, MessageType, request::Request};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use url::Url;

use crate::{
    disk::paths::DiskPaths,
    runtime::refusal,
    session::{
        config_engine::ConfigEngine,
        documents::FileKey,
        error::RequestError,
        reading::{ConfigReading, WorkspaceReading},
        request::{Context, Routes},
    },
};

/// The command.
pub(crate) const COMMAND: &str = "jp.explain";

/// The request `jp/explain`.
#[derive(Debug)]
pub(crate) enum Explain {}

impl Request for Explain {
    type Params = ExplainParams;
    type Result = Value;
    const METHOD: &'static str = "jp/explain";
}

/// What is to be explained.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct ExplainParams {
    kind: ExplainKind,
    /// The tool; needed for `policy` and `access`.
    #[serde(default)]
    tool: Option<String>,
    /// The arguments of a call, a question about access, or a config path.
    #[serde(default)]
    input: Option<Value>,
    /// Whether `policy` is asked about the result instead of the run.
    #[serde(default)]
    result: bool,
    /// A file or folder of the workspace that is meant; the first one that fits by default.
    #[serde(default)]
    workspace: Option<Url>,
    /// Whether the answer is also told in `words`, and how those are written.
    #[serde(default)]
    words: Option<WordsKind>,
    /// Whether the answer is shown to the person too.
    #[serde(default)]
    show: bool,
}

/// How the words of an answer are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum WordsKind {
    Text,
    Markdown,
}

impl From<WordsKind> for MarkupKind {
    fn from(kind: WordsKind) -> Self {
        match kind {
            WordsKind::Text => Self::PlainText,
            WordsKind::Markdown => Self::Markdown,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum ExplainKind {
    Policy,
    Access,
    Config,
    Summary,
}

pub(crate) fn routes(routes: Routes<ConfigEngine>) -> Routes<ConfigEngine> {
    routes.on::<Explain>(|context, params| answer(context, &params))
}

/// The command `jp.explain`, which takes the parameters of the request as its one argument.
pub(crate) fn command(
    context: &Context<ConfigEngine>,
    params: ExecuteCommandParams,
) -> Result<Option<Value>, RequestError> {
    if params.command != COMMAND {
        return Err(RequestError::InvalidParams(format!(
            "there is no command `{}`",
            params.command
        )));
    }
    let [argument] = <[Value; 1]>::try_from(params.arguments).map_err(|_| {
        RequestError::InvalidParams(format!(
            "`{COMMAND}` takes one argument, such as `{{\"kind\":\"policy\",\"tool\":\"x\",\"input\":{{}}}}`"
        ))
    })?;
    let params: ExplainParams = crate::session::request::decode(&argument)?;
    let answer = answer(context, &params)?;
    if params.show {
        let in_text = ExplainParams {
            words: Some(WordsKind::Text),
            ..params
        };
        let told = self::answer(context, &in_text)?;
        context
            .outbox()
            .show(MessageType::INFO, shown(&in_text, &told));
    }
    Ok(Some(answer))
}

fn answer(context: &Context<ConfigEngine>, params: &ExplainParams) -> Result<Value, RequestError> {
    let reading = context.reading()?;
    let workspace = workspace_of(&reading, params).ok_or_else(RequestError::no_workspace)?;
    answer_about(workspace.graph(), params)
}

/// What the config says in words of the question of an example: of a call's run or result, or of an access.
pub(super) fn in_words(
    graph: &Arc<Graph>,
    tool: &str,
    aspect: Aspect,
    input: &Value,
    kind: MarkupKind,
) -> Option<String> {
    let params = ExplainParams {
        kind: match aspect {
            Aspect::Run | Aspect::Result => ExplainKind::Policy,
            Aspect::Allowed => ExplainKind::Access,
        },
        tool: Some(tool.to_owned()),
        input: Some(input.clone()),
        result: aspect == Aspect::Result,
        workspace: None,
        words: Some(match kind {
            MarkupKind::PlainText => WordsKind::Text,
            MarkupKind::Markdown => WordsKind::Markdown,
        }),
        show: false,
    };
    let answer = answer_about(graph, &params).ok()?;
    Some(answer.get("words")?.as_str()?.to_owned())
}

/// What the config of a workspace answers.
pub(crate) fn answer_about(
    graph: &Arc<Graph>,
    params: &ExplainParams,
) -> Result<Value, RequestError> {
    let root = graph.workspace.clone();
    let link = |path: &Utf8Path, line: u32| address(&root, path, line);
    let style = params.words.map(|kind| Style {
        kind: kind.into(),
        link: &link,
    });
    match params.kind {
        ExplainKind::Policy => policy(graph, params, style),
        ExplainKind::Access => access(graph, params, style),
        ExplainKind::Config => config(graph, params, style),
        ExplainKind::Summary => Ok(summary(graph, style)),
    }
}

/// The address of a line, counted from 1, of a file as it is shown to people.
pub(super) fn address(root: &Utf8Path, path: &Utf8Path, line: u32) -> Option<String> {
    let url = Url::from_file_path(root.join(path)).ok()?;
    Some(format!("{url}#L{line}"))
}

fn failed(error: &ExplainError) -> RequestError {
    RequestError::Failed(error.to_string())
}

fn tool_of(params: &ExplainParams) -> Result<&str, RequestError> {
    params
        .tool
        .as_deref()
        .ok_or_else(|| RequestError::InvalidParams("`tool` is missing: name the tool".to_owned()))
}

fn input_of(params: &ExplainParams) -> Result<&Value, RequestError> {
    params
        .input
        .as_ref()
        .ok_or_else(|| RequestError::InvalidParams("`input` is missing".to_owned()))
}

/// An answer or why there is none, with the words beside it.
fn told(answer: Result<Value, ExplainError>, words: Option<Result<String, ExplainError>>) -> Value {
    let mut answer = answer.unwrap_or_else(|error| json!({ "error": error.to_string() }));
    if let (Some(answer), Some(words)) = (answer.as_object_mut(), words) {
        let words = words.unwrap_or_else(|error| markup::one_line(&error.to_string()));
        answer.insert("words".to_owned(), words.into());
    }
    answer
}

fn policy(
    graph: &Arc<Graph>,
    params: &ExplainParams,
    style: Option<Style<'_>>,
) -> Result<Value, RequestError> {
    let tool = tool_of(params)?;
    let paths = DiskPaths::new(graph.workspace.clone());
    let view = view_of_tool(graph, tool).map_err(|error| failed(&error))?;
    let question = match params.result {
        true => PolicyQuestion::Result,
        false => PolicyQuestion::Run,
    };
    let refusal = refusal::refusal(graph);
    let call = params.input.as_ref();
    let words = style
        .map(|style| words::policy(&view, tool, question, call, refusal.as_ref(), &paths, style));
    let answer = match PolicyExplainer::new(&view, tool, question) {
        // Words go around a rule that is broken.
        Err(error) if words.is_none() => return Err(failed(&error)),
        Err(error) => Err(error),
        Ok(explainer) => match call {
            Some(call) => explainer.explain(call, &paths),
            // From a lens above a tool: what there is to be asked.
            None => Ok(explainer.overview()),
        },
    };
    Ok(refusal::beside(told(answer, words), refusal.as_ref()))
}

fn access(
    graph: &Arc<Graph>,
    params: &ExplainParams,
    style: Option<Style<'_>>,
) -> Result<Value, RequestError> {
    let (tool, input) = (tool_of(params)?, input_of(params)?);
    let paths = DiskPaths::new(graph.workspace.clone());
    let view = view_of_tool(graph, tool).map_err(|error| failed(&error))?;
    let explainer = AccessExplainer::new(&view, tool, &paths).map_err(|error| failed(&error))?;
    let words = style.map(|style| words::access(&explainer, tool, input, &paths, style));
    Ok(told(explainer.explain(input, &paths), words))
}

/// What runs without a question, tool by tool.
fn summary(graph: &Arc<Graph>, style: Option<Style<'_>>) -> Value {
    let tools = words::summarize(&View::new(Arc::clone(graph)));
    let words = style.map(|style| Ok(words::summary(&tools, style)));
    let tools: Vec<Value> = tools.iter().map(words::ToolSummary::to_json).collect();
    let refusal = refusal::refusal(graph);
    refusal::beside(told(Ok(json!({ "tools": tools })), words), refusal.as_ref())
}

fn config(
    graph: &Arc<Graph>,
    params: &ExplainParams,
    style: Option<Style<'_>>,
) -> Result<Value, RequestError> {
    let path = input_of(params)?.as_str().ok_or_else(|| {
        RequestError::InvalidParams("`input` is a config path, as a text".to_owned())
    })?;
    let found = explain::config(&View::new(Arc::clone(graph)), path);
    let words = style.map(|style| match &found {
        Ok(value) => Ok(words::config(value, style)),
        Err(error) => Err(error.clone()),
    });
    Ok(told(found.map(|value| value.to_json()), words))
}

/// The workspace that is meant, else the first that declares the tool, else the first.
fn workspace_of<'a>(
    reading: &'a ConfigReading,
    params: &ExplainParams,
) -> Option<&'a WorkspaceReading> {
    let mut workspaces = reading.workspaces();
    if let Some(uri) = &params.workspace {
        FileKey::of(uri).path()?;
        return reading.meant(Some(uri));
    }
    let declares = |workspace: &&WorkspaceReading| {
        params
            .tool
            .as_deref()
            .is_none_or(|tool| view_of_tool(workspace.graph(), tool).is_ok())
    };
    workspaces.find(declares).or(reading.workspaces().next())
}

/// The answer in a line or two: its first sentence, or of a tool its rules.
fn shown(params: &ExplainParams, answer: &Value) -> String {
    let tool = params.tool.as_deref().unwrap_or_default();
    let line = |rule: &Value| {
        let mode = rule.get("mode").and_then(Value::as_str).unwrap_or_default();
        let reached = match rule.get("reachedBy") {
            Some(Value::Null) | None => "no call was found".to_owned(),
            Some(call) => format!("for example {call}"),
        };
        format!("{mode}: {reached}")
    };
    let words = answer.get("words").and_then(Value::as_str);
    let text = match (answer.get("rules"), words) {
        (Some(Value::Array(rules)), _) => {
            let lines: Vec<String> = rules.iter().take(10).map(line).collect();
            format!("{tool}: {}", lines.join("; "))
        }
        (_, Some(words)) => words.lines().next().unwrap_or_default().to_owned(),
        _ => answer.to_string(),
    };
    let refused = answer.pointer("/refused/message").and_then(Value::as_str);
    let text = match refused {
        Some(problem) => format!("no turn starts with this config ({problem}); {text}"),
        None => text,
    };
    markup::shortened(&markup::one_line(&text), 400)
}
