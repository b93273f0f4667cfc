//! `textDocument/formatting` and `textDocument/rangeFormatting`.
//!
//! ```json
//! { "error": { "code": -32803, "message": "line 7 is TOML 1.1, which the formatter cannot read: …" } }
//! ```

use camino::Utf8Path;
use jp_analysis::format::{FormatError, FormatSettings, Indent, format};
use jp_config::document::Span;
use lsp_types::{
    DocumentFormattingParams, DocumentRangeFormattingParams, FormattingOptions, OneOf, Range,
    ServerCapabilities, TextEdit,
    request::{Formatting, RangeFormatting},
};
use url::Url;

use super::spot::Spot;
use crate::{
    disk::config_files::read_text,
    session::{
        client::ClientProfile,
        config_engine::ConfigEngine,
        error::RequestError,
        request::{Context, Routes},
    },
};

/// The names that settings have, the first one found stands.
const SETTINGS: [&str; 2] = [".taplo.toml", "taplo.toml"];

pub(crate) fn offer(_: &ClientProfile, capabilities: &mut ServerCapabilities) {
    capabilities.document_formatting_provider = Some(OneOf::Left(true));
    capabilities.document_range_formatting_provider = Some(OneOf::Left(true));
}

pub(crate) fn routes(routes: Routes<ConfigEngine>) -> Routes<ConfigEngine> {
    routes
        .on::<Formatting>(|context, params| whole(context, &params))
        .on::<RangeFormatting>(|context, params| part(context, &params))
}

fn whole(
    context: &Context<ConfigEngine>,
    params: &DocumentFormattingParams,
) -> Result<Option<Vec<TextEdit>>, RequestError> {
    edits(context, &params.text_document.uri, &params.options, None)
}

fn part(
    context: &Context<ConfigEngine>,
    params: &DocumentRangeFormattingParams,
) -> Result<Option<Vec<TextEdit>>, RequestError> {
    let uri = &params.text_document.uri;
    edits(context, uri, &params.options, Some(params.range))
}

fn edits(
    context: &Context<ConfigEngine>,
    uri: &Url,
    options: &FormattingOptions,
    range: Option<Range>,
) -> Result<Option<Vec<TextEdit>>, RequestError> {
    let reading = context.reading()?;
    let Some(spot) = Spot::of(&reading, uri) else {
        return Ok(None);
    };
    let span = match range {
        None => None,
        Some(range) => {
            let narrow = |offset: usize| u32::try_from(offset).unwrap_or(u32::MAX);
            let start = narrow(spot.offset(context, range.start)?);
            let end = narrow(spot.offset(context, range.end)?);
            Some(Span::new(start.min(end), start.max(end)))
        }
    };
    let indent = Indent {
        spaces: options.insert_spaces.then_some(options.tab_size),
    };
    let graph = spot.workspace.graph();
    let path = graph.path(spot.file);
    let edits = settings(path, &graph.workspace)
        .and_then(|(settings, path)| format(spot.document, path, &settings, indent, span));
    match edits {
        Ok(edits) => {
            let edits = edits.into_iter().map(|(span, new_text)| TextEdit {
                range: spot.range(context, span),
                new_text,
            });
            Ok(Some(edits.collect()))
        }
        Err(FormatError::Excluded) => Ok(None),
        Err(error) => Err(RequestError::Failed(error.to_string())),
    }
}

/// The settings of the nearest directory that has some, up to the workspace, and the file's path relative to it.
fn settings<'a>(
    path: &'a Utf8Path,
    workspace: &Utf8Path,
) -> Result<(FormatSettings, &'a Utf8Path), FormatError> {
    let directories = path
        .ancestors()
        .skip(1)
        .take_while(|directory| directory.starts_with(workspace));
    for directory in directories {
        for name in SETTINGS {
            let Ok(text) = read_text(&directory.join(name)) else {
                continue;
            };
            let relative = path.strip_prefix(directory).unwrap_or(path);
            return Ok((FormatSettings::read(&text)?, relative));
        }
    }
    let relative = path.strip_prefix(workspace).unwrap_or(path);
    Ok((FormatSettings::default(), relative))
}
