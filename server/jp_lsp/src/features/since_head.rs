//! The line above a tool that is decided otherwise than at the last commit, and the command `jp.diff.show`, which says how.
//!
//! ```json
//! { "command": "jp.diff.show", "arguments": [{ "tool": "read", "workspace": "file:///w" }] }
//! { "uri": "file:///home/ada/.local/share/jp-lsp/documents/w-a1b2c/since-head-read.md", "verdict": "loosened" }
//! ```

use jp_analysis::{
    comparison::from_workspace,
    explain::view_of_tool,
    text::markup::{code, one_line},
    tool::DEFAULTS,
};
use jp_conversation::fenced;
use lsp_types::{CodeLens, Command};
use serde::{Deserialize, Serialize};
use serde_json::json;
use url::Url;

use super::{shown, spot::Spot};
use crate::{
    runtime::comparison::{LastCommit, words},
    session::{config_engine::ConfigEngine, error::RequestError, request::Context},
};

/// The command.
pub(crate) const COMMAND: &str = "jp.diff.show";

/// What is to be told.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct DiffParams {
    /// The tool, `*` for the tool defaults; everything by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    tool: Option<String>,
    /// A file or folder of the workspace that is meant; the first by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    workspace: Option<Url>,
}

/// Where it is told.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct DiffShown {
    /// The document.
    uri: Url,
    /// The verdict, as `jp-lsp diff` has it.
    verdict: String,
}

/// The lines above the tools of a file; about what is saved, in whatever state the buffer is.
pub(super) fn lenses(context: &Context<ConfigEngine>, spot: &Spot<'_>, uri: &Url) -> Vec<CodeLens> {
    let Some(verdicts) = context.since_head().of(spot.workspace.root()) else {
        return Vec::new();
    };
    let graph = spot.workspace.graph();
    let fragment = spot.fragment().and_then(|index| graph.fragments.get(index));
    let fragment =
        fragment.map(|fragment| from_workspace(&graph.workspace, graph.path(fragment.file)));
    let found = verdicts
        .lenses(spot.document, fragment.as_deref())
        .into_iter();
    found
        .map(|lens| CodeLens {
            range: spot.range(context, lens.span),
            command: Some(Command::new(
                format!("since HEAD: {}", lens.verdict),
                COMMAND.to_owned(),
                Some(vec![json!({ "tool": lens.tool, "workspace": uri })]),
            )),
            data: None,
        })
        .collect()
}

/// Writes what changed and shows it, where the client can.
pub(crate) async fn show(
    context: Context<ConfigEngine>,
    params: DiffParams,
) -> Result<DiffShown, RequestError> {
    shown::show(
        context,
        move |context| write(context, &params),
        |shown| &shown.uri,
    )
    .await
}

/// Compares anew, as the disk is now.
fn write(context: &Context<ConfigEngine>, params: &DiffParams) -> Result<DiffShown, RequestError> {
    let failed = |error: &dyn std::fmt::Display| RequestError::Failed(error.to_string());
    let reading = context.reading()?;
    let workspace = reading
        .meant(params.workspace.as_ref())
        .ok_or_else(RequestError::no_workspace)?;
    let root = workspace.root();
    let is_trusted = context.snapshot().trusts(root);
    let compared = LastCommit::of(workspace.roots(), is_trusted)
        .and_then(|last| last.compared(workspace.graph()));
    let mut compared = compared.map_err(|error| failed(&error))?;
    context.check()?;
    if let Some(tool) = &params.tool {
        let mut changed = compared.comparison.tools.iter();
        // A tool that was removed since then is in no file any more.
        if tool != DEFAULTS && !changed.any(|found| found.tool == *tool) {
            view_of_tool(workspace.graph(), tool)
                .map_err(|error| RequestError::InvalidParams(error.to_string()))?;
        }
        compared = compared.about(tool);
    }
    let what = match params.tool.as_deref() {
        None => "What changed since HEAD".to_owned(),
        Some("*") => "What changed of the tool defaults since HEAD".to_owned(),
        Some(tool) => format!("What changed of {} since HEAD", code(&one_line(tool))),
    };
    let mut told = Vec::new();
    words::human(&compared, &mut told).map_err(|error| failed(&error))?;
    let told = String::from_utf8_lossy(&told);
    let text = format!("# {what}\n\n{}", fenced("text", &told));
    let name = params.tool.as_deref().unwrap_or("everything");
    Ok(DiffShown {
        uri: shown::written(root, "since-head", name, &text)?,
        verdict: compared.comparison.verdict.keyword().to_owned(),
    })
}
