//! `jp/explain`, and the command `jp.explain`, which takes the same object as its one argument.
//!
//! ```json
//! { "kind": "policy", "tool": "fs_read_file", "input": { "path": "src/lib.rs" } }
//! { "mode": "unattended", "rule": { "index": 0, "path": ".jp/config.toml", "line": 7 }, "values": [], "trace": [] }
//! ```
//!
//! The answers are those of `jp-lsp explain`.
//! A call that does not fit the tool is answered with `{"error": "…"}`; a tool that does not exist is an error of the request.

use jp_analysis::explain::{
    self, AccessExplainer, ExplainError, PolicyExplainer, PolicyQuestion, view_of_tool,
};
use jp_config::view::View;
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
    /// Whether the answer is shown to the person too.
    #[serde(default)]
    show: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum ExplainKind {
    Policy,
    Access,
    Config,
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
        context
            .outbox()
            .show(MessageType::INFO, shown(&params, &answer));
    }
    Ok(Some(answer))
}

fn answer(context: &Context<ConfigEngine>, params: &ExplainParams) -> Result<Value, RequestError> {
    let reading = context.reading()?;
    let workspace = workspace_of(&reading, params).ok_or_else(|| {
        RequestError::Failed("no workspace is open: open a folder that holds `.jp`".to_owned())
    })?;
    let graph = workspace.graph();
    let paths = DiskPaths::new(graph.workspace.clone());
    let failed = |error: ExplainError| RequestError::Failed(error.to_string());
    let input = || {
        params
            .input
            .as_ref()
            .ok_or_else(|| RequestError::InvalidParams("`input` is missing".to_owned()))
    };
    let tool = || {
        params.tool.as_deref().ok_or_else(|| {
            RequestError::InvalidParams("`tool` is missing: name the tool".to_owned())
        })
    };
    let answered = match params.kind {
        ExplainKind::Policy => {
            let view = view_of_tool(graph, tool()?).map_err(failed)?;
            let question = if params.result {
                PolicyQuestion::Result
            } else {
                PolicyQuestion::Run
            };
            let explainer = PolicyExplainer::new(&view, tool()?, question).map_err(failed)?;
            let answer = match &params.input {
                Some(input) => explainer.explain(input, &paths),
                // From a lens above a tool: what there is to be asked.
                None => Ok(explainer.overview()),
            };
            let answer = answer.unwrap_or_else(|error| json!({ "error": error.to_string() }));
            return Ok(refusal::beside(answer, refusal::refusal(graph).as_ref()));
        }
        ExplainKind::Access => {
            let view = view_of_tool(graph, tool()?).map_err(failed)?;
            let explainer = AccessExplainer::new(&view, tool()?, &paths).map_err(failed)?;
            explainer.explain(input()?, &paths)
        }
        ExplainKind::Config => {
            let path = input()?.as_str().ok_or_else(|| {
                RequestError::InvalidParams("`input` is a config path, as a text".to_owned())
            })?;
            let view = View::new(std::sync::Arc::clone(graph));
            explain::config(&view, path).map(|value| value.to_json())
        }
    };
    Ok(answered.unwrap_or_else(|error| json!({ "error": error.to_string() })))
}

/// The workspace that is meant, else the first that declares the tool, else the first.
fn workspace_of<'a>(
    reading: &'a ConfigReading,
    params: &ExplainParams,
) -> Option<&'a WorkspaceReading> {
    let mut workspaces = reading.workspaces();
    if let Some(uri) = &params.workspace {
        let key = FileKey::of(uri);
        let path = key.path()?;
        return workspaces
            .filter(|workspace| path.starts_with(&workspace.graph().workspace))
            .max_by_key(|workspace| workspace.graph().workspace.as_str().len());
    }
    let declares = |workspace: &&WorkspaceReading| {
        params
            .tool
            .as_deref()
            .is_none_or(|tool| view_of_tool(workspace.graph(), tool).is_ok())
    };
    workspaces.find(declares).or(reading.workspaces().next())
}

/// The answer in a line or two.
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
    let text = match (answer.get("mode"), answer.get("rules")) {
        (Some(Value::String(mode)), _) => {
            let call = params.input.as_ref().map(ToString::to_string);
            let rule = match answer.pointer("/rule/index").and_then(Value::as_u64) {
                Some(index) => format!("rule {}", index + 1),
                None => "no rule".to_owned(),
            };
            format!("{tool} {}: {mode} ({rule})", call.unwrap_or_default())
        }
        (_, Some(Value::Array(rules))) => {
            let lines: Vec<String> = rules.iter().take(10).map(line).collect();
            format!("{tool}: {}", lines.join("; "))
        }
        _ => answer.to_string(),
    };
    let refused = answer.pointer("/refused/message").and_then(Value::as_str);
    let text = match refused {
        Some(problem) => format!("no turn starts with this config ({problem}); {text}"),
        None => text,
    };
    let text = jp_analysis::text::markup::one_line(&text);
    jp_analysis::text::markup::shortened(&text, 400)
}
