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
    agent, create_config, explain,
    keep::{self, KEEP},
    prompts::{self, ANSWER},
};
use crate::agent::protocol::{ConversationParams, CreateParams, EffectiveParams, EffectiveResult};
use crate::session::{
    client::ClientProfile,
    config_engine::ConfigEngine,
    documents::FileKey,
    error::RequestError,
    request::{Context, Routes, decode, encode},
};

const QUERY: &str = "jp.query";
const SHOW: &str = "jp.conversation.show";
const UNDO: &str = "jp.config.undo";
const EFFECTIVE: &str = "jp.openEffectiveConfig";

/// Every command, in the order of the documentation.
pub(crate) const COMMANDS: [&str; 8] = [
    QUERY,
    ANSWER,
    KEEP,
    SHOW,
    UNDO,
    explain::COMMAND,
    EFFECTIVE,
    create_config::COMMAND,
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
            let query = decode(&argument(params)?)?;
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
        EFFECTIVE => {
            let shown = blocking(move || effective(&context, params)).await;
            shown.and_then(encode).map(Some)
        }
        other => Err(RequestError::InvalidParams(format!(
            "there is no command `{other}`"
        ))),
    }
}

/// Runs on a background thread what may wait for an analysis.
async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, RequestError> + Send + 'static,
) -> Result<T, RequestError> {
    tokio::task::spawn_blocking(work)
        .await
        .unwrap_or_else(|error| Err(RequestError::Internal(error.to_string())))
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

/// The effective config as TOML text.
fn effective(
    context: &Context<ConfigEngine>,
    params: ExecuteCommandParams,
) -> Result<EffectiveResult, RequestError> {
    let wanted: EffectiveParams = match params.arguments.into_iter().next() {
        Some(argument) if !argument.is_null() => decode(&argument)?,
        _ => EffectiveParams::default(),
    };
    let reading = context.reading()?;
    let path = wanted.workspace.as_ref().map(FileKey::of);
    let workspace = reading
        .workspaces()
        .find(|workspace| match path.as_ref().and_then(FileKey::path) {
            Some(path) => path.starts_with(&workspace.graph().workspace),
            None => true,
        })
        .ok_or_else(|| {
            RequestError::Failed("no workspace is open: open a folder that holds `.jp`".to_owned())
        })?;
    let graph = workspace.graph();
    let config = jp_config::view::View::new(std::sync::Arc::clone(graph))
        .effective(&[])
        .map_or_else(|| json!({}), |config| without_null(config.to_json()));
    let text = toml::to_string_pretty(&config)
        .map_err(|error| RequestError::Failed(format!("the config cannot be shown: {error}")))?;
    Ok(EffectiveResult { text })
}

/// The value without `null`, which TOML does not have.
fn without_null(value: Value) -> Value {
    match value {
        Value::Object(map) => map
            .into_iter()
            .filter(|(_, value)| !value.is_null())
            .map(|(key, value)| (key, without_null(value)))
            .collect(),
        Value::Array(items) => items
            .into_iter()
            .filter(|value| !value.is_null())
            .map(without_null)
            .collect(),
        other => other,
    }
}
