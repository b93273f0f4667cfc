//! `workspace/executeCommand`: what any client can ask for, with or without a plugin of ours.
//!
//! ```json
//! {"command": "jp.prompt.answer", "arguments": [{"id": "3", "digest": "9f2c", "action": "approve"}]}
//! ```

use lsp_types::{
    ExecuteCommandOptions, ExecuteCommandParams, ServerCapabilities, request::ExecuteCommand,
};
use serde_json::{Value, json};

use super::{
    add_examples, agent,
    blocking::blocking,
    content, create_config, explain,
    keep::{self, KEEP},
    on_record,
    prompts::{self, ANSWER},
    since_head, suggest,
};
use crate::agent::{
    protocol::{ConversationParams, CreateParams, EffectiveParams, EffectiveResult},
    rules::{SUGGEST, WRITE},
    show_document,
};
use crate::session::{
    client::ClientProfile,
    config_engine::ConfigEngine,
    content::ContentAddress,
    error::RequestError,
    request::{Context, Routes, decode, encode},
};

const QUERY: &str = "jp.query";
const SHOW: &str = "jp.conversation.show";
const UNDO: &str = "jp.config.undo";
const EFFECTIVE: &str = "jp.openEffectiveConfig";

/// Every command, in the order of the documentation.
pub(crate) const COMMANDS: [&str; 14] = [
    QUERY,
    ANSWER,
    KEEP,
    SHOW,
    UNDO,
    explain::COMMAND,
    EFFECTIVE,
    create_config::COMMAND,
    on_record::COMMAND,
    since_head::COMMAND,
    add_examples::SAVE,
    add_examples::GENERATE,
    SUGGEST,
    WRITE,
];

pub(crate) fn offer(_: &ClientProfile, capabilities: &mut ServerCapabilities) {
    let options = capabilities
        .execute_command_provider
        .get_or_insert_with(ExecuteCommandOptions::default);
    options.commands = COMMANDS.map(str::to_owned).to_vec();
}

pub(crate) fn routes(routes: Routes<ConfigEngine>) -> Routes<ConfigEngine> {
    routes.on_waiting::<ExecuteCommand, _>(run)
}

async fn run(
    context: Context<ConfigEngine>,
    params: ExecuteCommandParams,
) -> Result<Option<Value>, RequestError> {
    match params.command.as_str() {
        QUERY => {
            let query = match argument(params)? {
                // Editors that put a selection into a command know it as text alone.
                Value::String(text) => decode(&json!({ "text": text }))?,
                object => decode(&object)?,
            };
            // Who has our plugin sees the events, others see the answer because it is shown.
            let is_presented = !context.snapshot().client().prompts;
            let started = agent::start(context, query, is_presented).await;
            started.and_then(encode).map(Some)
        }
        KEEP => {
            let wanted = decode(&argument(params)?)?;
            let kept = keep::keep(context, wanted).await;
            kept.and_then(encode).map(Some)
        }
        SHOW => {
            let ConversationParams { conversation } = decode(&argument(params)?)?;
            let shown = agent::show(context, &conversation).await;
            shown.and_then(encode).map(Some)
        }
        UNDO => {
            let ConversationParams { conversation } = decode(&argument(params)?)?;
            let undone = blocking(move || agent::undo_config(&context, &conversation)).await;
            undone.and_then(encode).map(Some)
        }
        ANSWER => {
            let answer = decode(&argument(params)?)?;
            let answered = prompts::answer(&context, answer).await;
            answered.and_then(encode).map(Some)
        }
        explain::COMMAND => blocking(move || explain::command(&context, params)).await,
        create_config::COMMAND => {
            let wanted = match params.arguments.first() {
                None | Some(Value::Null) => CreateParams::default(),
                Some(_) => decode(&argument(params)?)?,
            };
            let created = blocking(move || create_config::create(&context, &wanted)).await;
            created.and_then(encode).map(Some)
        }
        on_record::COMMAND => {
            let wanted = decode(&argument(params)?)?;
            let shown = on_record::show(context, wanted).await;
            shown.and_then(encode).map(Some)
        }
        since_head::COMMAND => {
            let wanted = match params.arguments.first() {
                None | Some(Value::Null) => since_head::DiffParams::default(),
                Some(_) => decode(&argument(params)?)?,
            };
            let shown = since_head::show(context, wanted).await;
            shown.and_then(encode).map(Some)
        }
        add_examples::SAVE => {
            let wanted = decode(&argument(params)?)?;
            let added = add_examples::save(context, wanted).await;
            added.and_then(encode).map(Some)
        }
        add_examples::GENERATE => {
            let wanted = decode(&argument(params)?)?;
            let added = add_examples::add_borders(context, wanted).await;
            added.and_then(encode).map(Some)
        }
        SUGGEST => {
            let wanted = decode(&argument(params)?)?;
            let suggested = suggest::suggest(context, wanted).await;
            suggested.and_then(encode).map(Some)
        }
        WRITE => {
            let wanted = decode(&argument(params)?)?;
            let written = suggest::write(context, wanted).await;
            written.and_then(encode).map(Some)
        }
        EFFECTIVE => {
            let shown = effective(context, params).await;
            shown.and_then(encode).map(Some)
        }
        other => Err(RequestError::InvalidParams(format!(
            "there is no command `{other}`"
        ))),
    }
}

/// The one argument of a command.
fn argument(params: ExecuteCommandParams) -> Result<Value, RequestError> {
    let command = params.command;
    <[Value; 1]>::try_from(params.arguments)
        .map(|[argument]| argument)
        .map_err(|_| {
            RequestError::InvalidParams(format!("`{command}` takes one object as its argument"))
        })
}

/// The effective config as TOML text; shown where the client shows documents without files and has no plugin of ours.
async fn effective(
    context: Context<ConfigEngine>,
    params: ExecuteCommandParams,
) -> Result<EffectiveResult, RequestError> {
    let wanted: EffectiveParams = match params.arguments.into_iter().next() {
        Some(argument) if !argument.is_null() => decode(&argument)?,
        _ => EffectiveParams::default(),
    };
    let (client, outbox) = (
        context.snapshot().client().clone(),
        context.outbox().clone(),
    );
    let read = blocking(move || {
        let reading = context.reading()?;
        let workspace = reading
            .meant(wanted.workspace.as_ref())
            .ok_or_else(RequestError::no_workspace)?;
        let address = ContentAddress::Effective(workspace.root().to_owned());
        Ok((content::effective(workspace), address))
    });
    let (text, address) = read.await?;
    let uri = address.uri().filter(|_| client.takes_contents());
    if let Some(uri) = uri.as_ref().filter(|_| !client.prompts) {
        show_document(&client, &outbox, uri, true).await;
    }
    Ok(EffectiveResult { text, uri })
}
