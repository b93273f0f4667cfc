//! `textDocument/semanticTokens`: full, delta and range.
//!
//! ```json
//! { "resultId": "2:9f86d081884c7d65,1:2c26b46b68ffc68f", "data": [0, 1, 12, 2, 0] }
//! ```
//!
//! The server keeps no tokens: a result id lists how long each part of the answer was and a hash of it, so that the next answer can tell
//! which parts are still the same.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use jp_analysis::tokens::{Token, TokenKind, section_tokens};
use jp_config::document::{Document, Span};
use lsp_types::{
    Range, SemanticToken, SemanticTokenModifier, SemanticTokenType, SemanticTokens,
    SemanticTokensDelta, SemanticTokensDeltaParams, SemanticTokensEdit,
    SemanticTokensFullDeltaResult, SemanticTokensFullOptions, SemanticTokensLegend,
    SemanticTokensOptions, SemanticTokensParams, SemanticTokensRangeParams,
    SemanticTokensRangeResult, SemanticTokensResult, ServerCapabilities,
    request::{
        SemanticTokensFullDeltaRequest, SemanticTokensFullRequest, SemanticTokensRangeRequest,
    },
};
use url::Url;

use super::spot::Spot;
use crate::{
    line_index::{Converter, LineIndex, PositionEncoding},
    session::{
        client::ClientProfile,
        config_engine::ConfigEngine,
        error::RequestError,
        reading::ConfigReading,
        request::{Context, Routes},
    },
};

/// About how many parts a result id lists.
const PARTS: u64 = 128;

/// The modifier of a name where it is defined.
const DECLARATION: u32 = 1;

/// The modifier of a spelling that is not to be used any more.
const DEPRECATED: u32 = 2;

/// The modifier of what runs without asking, and of grants of everything.
const PERMISSIVE: u32 = 4;

pub(crate) fn offer(client: &ClientProfile, capabilities: &mut ServerCapabilities) {
    if !client.wants("semanticTokens") {
        return;
    }
    let types = [
        SemanticTokenType::COMMENT,
        SemanticTokenType::PROPERTY,
        SemanticTokenType::NAMESPACE,
        SemanticTokenType::CLASS,
        SemanticTokenType::PARAMETER,
        SemanticTokenType::VARIABLE,
        SemanticTokenType::STRING,
        SemanticTokenType::REGEXP,
        SemanticTokenType::ENUM_MEMBER,
        SemanticTokenType::NUMBER,
        SemanticTokenType::KEYWORD,
        SemanticTokenType::MACRO,
    ];
    capabilities.semantic_tokens_provider = Some(
        SemanticTokensOptions {
            legend: SemanticTokensLegend {
                token_types: types.into(),
                token_modifiers: vec![
                    SemanticTokenModifier::DECLARATION,
                    SemanticTokenModifier::DEPRECATED,
                    SemanticTokenModifier::new("permissive"),
                ],
            },
            range: Some(true),
            full: Some(SemanticTokensFullOptions::Delta { delta: Some(true) }),
            ..SemanticTokensOptions::default()
        }
        .into(),
    );
}

fn token_type(kind: TokenKind) -> u32 {
    match kind {
        TokenKind::Comment => 0,
        TokenKind::Key => 1,
        TokenKind::Table => 2,
        TokenKind::Tool => 3,
        TokenKind::Parameter => 4,
        TokenKind::Name => 5,
        TokenKind::Text => 6,
        TokenKind::Pattern => 7,
        TokenKind::Variant => 8,
        TokenKind::Number => 9,
        TokenKind::Boolean => 10,
        TokenKind::Template => 11,
    }
}

pub(crate) fn routes(routes: Routes<ConfigEngine>) -> Routes<ConfigEngine> {
    routes
        .on::<SemanticTokensFullRequest>(|context, params| full(context, &params))
        .on::<SemanticTokensFullDeltaRequest>(|context, params| delta(context, &params))
        .on::<SemanticTokensRangeRequest>(|context, params| range(context, &params))
}

/// The spot of a URI, where the user wants tokens.
fn wanted<'a>(
    context: &Context<ConfigEngine>,
    reading: &'a ConfigReading,
    uri: &Url,
) -> Option<Spot<'a>> {
    let is_wanted = context.snapshot().client().wants("semanticTokens");
    Spot::of(reading, uri).filter(|_| is_wanted)
}

fn full(
    context: &Context<ConfigEngine>,
    params: &SemanticTokensParams,
) -> Result<Option<SemanticTokensResult>, RequestError> {
    let reading = context.reading()?;
    let Some(spot) = wanted(context, &reading, &params.text_document.uri) else {
        return Ok(None);
    };
    let answer = Answer::of(context, &spot)?;
    Ok(Some(SemanticTokensResult::Tokens(answer.tokens())))
}

fn delta(
    context: &Context<ConfigEngine>,
    params: &SemanticTokensDeltaParams,
) -> Result<Option<SemanticTokensFullDeltaResult>, RequestError> {
    let reading = context.reading()?;
    let Some(spot) = wanted(context, &reading, &params.text_document.uri) else {
        return Ok(None);
    };
    let answer = Answer::of(context, &spot)?;
    Ok(Some(match Part::read_all(&params.previous_result_id) {
        Some(before) => SemanticTokensFullDeltaResult::TokensDelta(answer.delta_from(&before)),
        None => SemanticTokensFullDeltaResult::Tokens(answer.tokens()),
    }))
}

fn range(
    context: &Context<ConfigEngine>,
    params: &SemanticTokensRangeParams,
) -> Result<Option<SemanticTokensRangeResult>, RequestError> {
    let reading = context.reading()?;
    let Some(spot) = wanted(context, &reading, &params.text_document.uri) else {
        return Ok(None);
    };
    let narrow = |offset: usize| u32::try_from(offset).unwrap_or(u32::MAX);
    let Range { start, end } = params.range;
    let start = narrow(spot.offset(context, start)?);
    let end = narrow(spot.offset(context, end)?);
    let mut writer = Writer::of(context, &spot)?;
    let mut data = Vec::new();
    for section in spot.document.sections() {
        let span = section.span();
        if span.start > end || span.end < start {
            continue;
        }
        for token in section_tokens(section) {
            if token.span.start <= end && start <= token.span.end {
                writer.write(token, &mut data);
            }
        }
    }
    Ok(Some(SemanticTokensRangeResult::Tokens(SemanticTokens {
        result_id: None,
        data,
    })))
}

/// Several sections of the answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Part {
    /// How many tokens it has.
    tokens: usize,
    /// A hash of their numbers.
    hash: u64,
}

impl Part {
    fn read_all(id: &str) -> Option<Vec<Self>> {
        if id.is_empty() {
            return Some(Vec::new());
        }
        id.split(',')
            .map(|part| {
                let (tokens, hash) = part.split_once(':')?;
                Some(Self {
                    tokens: tokens.parse().ok().filter(|tokens| *tokens < 1 << 28)?,
                    hash: u64::from_str_radix(hash, 16).ok()?,
                })
            })
            .collect()
    }

    fn write_all(parts: &[Self]) -> String {
        let parts: Vec<String> = parts
            .iter()
            .map(|part| format!("{}:{:x}", part.tokens, part.hash))
            .collect();
        parts.join(",")
    }
}

struct Answer {
    data: Vec<SemanticToken>,
    parts: Vec<Part>,
}

impl Answer {
    fn of(context: &Context<ConfigEngine>, spot: &Spot<'_>) -> Result<Self, RequestError> {
        let mut writer = Writer::of(context, spot)?;
        let answer = Self::write(spot.document, &mut writer);
        context.check()?;
        Ok(answer)
    }

    /// Parts end where the text says so, and not after a number of sections, so that an inserted section moves no later end.
    fn write(document: &Document, writer: &mut Writer<'_>) -> Self {
        let sections = document.sections();
        let every = (sections.len() as u64 / PARTS).max(1);
        let mut data = Vec::new();
        let mut parts = Vec::new();
        let mut start = 0;
        let mut pending = 0;
        for section in sections {
            pending += 1;
            let before = data.len();
            for token in section_tokens(section) {
                writer.write(token, &mut data);
            }
            let own = hash(data.get(before..).unwrap_or_default());
            // Sections that all look alike may have no end among them.
            if own.is_multiple_of(every) || pending >= 4 * every {
                parts.extend(part(&data, start));
                start = data.len();
                pending = 0;
            }
        }
        parts.extend(part(&data, start));
        Self { data, parts }
    }

    fn tokens(self) -> SemanticTokens {
        SemanticTokens {
            result_id: Some(Part::write_all(&self.parts)),
            data: self.data,
        }
    }

    /// One edit that replaces everything between the parts that are the same at the start and at the end.
    fn delta_from(self, before: &[Part]) -> SemanticTokensDelta {
        let same = |pairs: &mut dyn Iterator<Item = (&Part, &Part)>| {
            pairs.take_while(|(before, now)| before == now).count()
        };
        let at_start = same(&mut before.iter().zip(&self.parts));
        let most = before.len().min(self.parts.len()) - at_start;
        let at_end = same(&mut before.iter().rev().zip(self.parts.iter().rev())).min(most);
        let tokens = |parts: &[Part]| parts.iter().map(|part| part.tokens).sum::<usize>();
        let changed = |parts: &[Part]| {
            let end = parts.len() - at_end;
            tokens(parts.get(at_start..end).unwrap_or_default())
        };
        let start = tokens(self.parts.get(..at_start).unwrap_or_default());
        let (deleted, inserted) = (changed(before), changed(&self.parts));
        let data = self
            .data
            .get(start..start + inserted)
            .unwrap_or_default()
            .to_vec();
        let edits = if deleted == 0 && inserted == 0 {
            Vec::new()
        } else {
            vec![SemanticTokensEdit {
                start: narrow(start * 5),
                delete_count: narrow(deleted * 5),
                data: Some(data),
            }]
        };
        SemanticTokensDelta {
            result_id: Some(Part::write_all(&self.parts)),
            edits,
        }
    }
}

fn part(data: &[SemanticToken], start: usize) -> Option<Part> {
    let own = data.get(start..)?;
    (!own.is_empty()).then(|| Part {
        tokens: own.len(),
        hash: hash(own),
    })
}

fn hash(data: &[SemanticToken]) -> u64 {
    let mut hasher = DefaultHasher::new();
    for token in data {
        let numbers = [
            token.delta_line,
            token.delta_start,
            token.length,
            token.token_type,
            token.token_modifiers_bitset,
        ];
        numbers.hash(&mut hasher);
    }
    hasher.finish()
}

/// Writes tokens relative to the one before.
struct Writer<'a> {
    text: &'a str,
    positions: Converter<'a>,
    encoding: PositionEncoding,
    line: u32,
    character: u32,
}

impl<'a> Writer<'a> {
    fn of(context: &Context<ConfigEngine>, spot: &Spot<'a>) -> Result<Self, RequestError> {
        let lines = spot
            .workspace
            .lines(spot.file)
            .ok_or_else(|| RequestError::Internal("the file has no lines".to_owned()))?;
        let encoding = context.snapshot().client().encoding;
        Ok(Self::new(spot.document.text(), lines, encoding))
    }

    fn new(text: &'a str, lines: &'a LineIndex, encoding: PositionEncoding) -> Self {
        Self {
            text,
            positions: lines.converter(text, encoding),
            encoding,
            line: 0,
            character: 0,
        }
    }

    /// Writes a token, one for each line that it takes.
    fn write(&mut self, token: Token, data: &mut Vec<SemanticToken>) {
        let mut start = token.span.start;
        let text = self.text.get(token.span.range()).unwrap_or_default();
        for line in text.split_inclusive(['\n', '\r']) {
            let word = line.trim_end_matches(['\n', '\r']);
            let length = narrow(self.encoding.measure(word));
            if length > 0 {
                self.push(Span::new(start, start), length, token, data);
            }
            start += narrow(line.len());
        }
    }

    fn push(&mut self, at: Span, length: u32, token: Token, data: &mut Vec<SemanticToken>) {
        let position = self.positions.position(at.start as usize);
        let delta_line = position.line - self.line;
        let delta_start = if delta_line == 0 {
            position.character - self.character
        } else {
            position.character
        };
        let mut modifiers = 0;
        if token.declares {
            modifiers |= DECLARATION;
        }
        if token.deprecated {
            modifiers |= DEPRECATED;
        }
        if token.permissive {
            modifiers |= PERMISSIVE;
        }
        data.push(SemanticToken {
            delta_line,
            delta_start,
            length,
            token_type: token_type(token.kind),
            token_modifiers_bitset: modifiers,
        });
        self.line = position.line;
        self.character = position.character;
    }
}

fn narrow(value: usize) -> u32 {
    u32::try_from(value).unwrap_or(u32::MAX)
}

#[cfg(test)]
#[path = "tokens_tests.rs"]
mod tests;
