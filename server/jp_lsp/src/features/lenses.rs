//! `textDocument/codeLens`.
//!
//! ```json
//! { "range": {}, "command": { "title": "3 rules, explain a call…", "command": "jp.explain",
//!   "arguments": [{ "kind": "policy", "tool": "fs_read_file", "show": true }] } }
//! ```

use jp_analysis::{
    explain::PolicyQuestion,
    lenses::{LensTarget, lenses},
    recorded,
};
use jp_conversation::Timestamp;
use lsp_types::{
    CodeLens, CodeLensOptions, CodeLensParams, Command, ServerCapabilities,
    request::CodeLensRequest,
};
use serde_json::json;
use url::Url;

use super::{examples, explain, on_record, since_head, spot::Spot};
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

/// The command that explains calls of a tool.
pub(super) fn explaining(title: String, target: LensTarget, workspace: &Url) -> Command {
    let mut argument = json!({
        "kind": "policy",
        "tool": target.tool,
        "result": target.question == PolicyQuestion::Result,
        "workspace": workspace,
        "show": true,
    });
    if let (Some(input), Some(argument)) = (target.input, argument.as_object_mut()) {
        argument.insert("input".to_owned(), input);
    }
    Command::new(title, explain::COMMAND.to_owned(), Some(vec![argument]))
}

fn answer(
    context: &Context<ConfigEngine>,
    params: CodeLensParams,
) -> Result<Option<Vec<CodeLens>>, RequestError> {
    let reading = context.reading()?;
    let uri = params.text_document.uri;
    if !context.snapshot().client().wants("codeLens") {
        return Ok(None);
    }
    let Some(spot) = Spot::of(&reading, &uri) else {
        return Ok(examples::lenses(context, &reading, &uri));
    };
    let view = spot.view();
    let found = lenses(&view, spot.document);
    let held = examples::held(context, &reading, spot.workspace);
    let of_examples: Vec<CodeLens> = found
        .iter()
        .filter_map(|lens| {
            let title = examples::told_of(held.as_deref(), &lens.explains.tool)?;
            Some(CodeLens {
                range: spot.range(context, lens.span),
                command: Some(Command::new(title, String::new(), None)),
                data: None,
            })
        })
        .collect();
    let on_record = match context.record().of(spot.workspace.root()) {
        None => Vec::new(),
        Some(record) => {
            let now = Timestamp::now().datetime().unix_timestamp();
            recorded::lenses(&view, spot.file, spot.document, record, now)
        }
    };
    context.check()?;
    let found = found.into_iter().map(|lens| CodeLens {
        range: spot.range(context, lens.span),
        command: Some(explaining(lens.title, lens.explains, &uri)),
        data: None,
    });
    let on_record = on_record.into_iter().map(|lens| {
        let argument = json!({ "tool": lens.tool, "rule": lens.rule, "workspace": uri });
        CodeLens {
            range: spot.range(context, lens.span),
            command: Some(Command::new(
                lens.title,
                on_record::COMMAND.to_owned(),
                Some(vec![argument]),
            )),
            data: None,
        }
    });
    let since_head = since_head::lenses(context, &spot, &uri);
    let lenses = found.chain(on_record).chain(of_examples);
    Ok(Some(lenses.chain(since_head).collect()))
}
