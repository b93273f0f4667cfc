//! `textDocument/codeLens`.
//!
//! ```json
//! { "range": {}, "command": { "title": "3 rules, explain a call…", "command": "jp.explain",
//!   "arguments": [{ "kind": "policy", "tool": "fs_read_file", "show": true }] } }
//! ```

use jp_analysis::{explain::PolicyQuestion, lenses::lenses};
use lsp_types::{
    CodeLens, CodeLensOptions, CodeLensParams, Command, ServerCapabilities,
    request::CodeLensRequest,
};
use serde_json::json;

use super::{explain, spot::Spot};
use crate::session::{
    client::ClientProfile,
    config_engine::ConfigEngine,
    error::RequestError,
    request::{Context, Routes},
};

pub(crate) fn offer(client: &ClientProfile, capabilities: &mut ServerCapabilities) {
    if client.wants("codeLens") {
        capabilities.code_lens_provider = Some(CodeLensOptions {
            resolve_provider: Some(false),
        });
    }
}

pub(crate) fn routes(routes: Routes<ConfigEngine>) -> Routes<ConfigEngine> {
    routes.on::<CodeLensRequest>(answer)
}

fn answer(
    context: &Context<ConfigEngine>,
    params: CodeLensParams,
) -> Result<Option<Vec<CodeLens>>, RequestError> {
    let reading = context.reading()?;
    let uri = params.text_document.uri;
    let Some(spot) = Spot::of(&reading, &uri) else {
        return Ok(None);
    };
    if !context.snapshot().client().wants("codeLens") {
        return Ok(None);
    }
    let found = lenses(&spot.view(), spot.file, spot.document);
    context.check()?;
    let found = found.into_iter().map(|lens| {
        let command = match lens.explains {
            // Without a command, a lens is only read.
            None => Command::new(lens.title, String::new(), None),
            Some(target) => {
                let mut argument = json!({
                    "kind": "policy",
                    "tool": target.tool,
                    "result": target.question == PolicyQuestion::Result,
                    "workspace": uri,
                    "show": true,
                });
                if let (Some(input), Some(argument)) = (target.input, argument.as_object_mut()) {
                    argument.insert("input".to_owned(), input);
                }
                Command::new(
                    lens.title,
                    explain::COMMAND.to_owned(),
                    Some(vec![argument]),
                )
            }
        };
        CodeLens {
            range: spot.range(context, lens.span),
            command: Some(command),
            data: None,
        }
    });
    Ok(Some(found.collect()))
}
