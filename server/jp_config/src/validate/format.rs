//! The strings with a grammar of their own.
//!
//! ```toml
//! [style]
//! typewriter.text_delay = "3ms"
//! inline_code.background = "#1e1e2e"
//! ```
//!
//! Formats whose mistakes have diagnostics of their own (patterns, pointers, hosts, access paths) pass here.

use crate::{
    code::Code,
    model_id::{ModelId, ModelIdError, ModelReference},
    schema::StringFormat,
    server_address,
    source::ToolSource,
    words::{shorten, suggest},
};

/// What is wrong with a string.
pub(super) struct FormatError {
    pub(super) code: Code,
    pub(super) message: String,
    /// The string to write instead, unquoted.
    pub(super) suggestion: Option<String>,
}

/// Checks a string; `None` means that it is well formed.
pub(super) fn check(format: StringFormat, text: &str) -> Option<FormatError> {
    match format {
        StringFormat::Url => url(text),
        StringFormat::ServerAddress => server_address::parse(text).err().map(|error| FormatError {
            code: Code::InvalidValue,
            suggestion: error.suggestion(),
            message: error.to_string(),
        }),
        StringFormat::Duration => humantime::parse_duration(text).err().map(|_| {
            let unit = (!text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()))
                .then(|| format!("{text}s"));
            invalid("a duration", text, format, unit)
        }),
        StringFormat::Color => (!is_color(text)).then(|| invalid("a colour", text, format, None)),
        StringFormat::Number => text
            .parse::<u32>()
            .is_err()
            .then(|| invalid("a whole number", text, format, None)),
        StringFormat::CompactionBound => {
            (!is_bound(text)).then(|| invalid("a bound", text, format, None))
        }
        StringFormat::ModelId => ModelReference::parse(text).err().map(|error| FormatError {
            code: Code::ModelIdInvalid,
            message: error.to_string(),
            suggestion: model_suggestion(text, &error),
        }),
        StringFormat::ModelName => ModelId::check_name(text).err().map(|error| FormatError {
            code: Code::ModelIdInvalid,
            message: error.to_string(),
            suggestion: Some(text.trim().to_owned())
                .filter(|trimmed| ModelId::check_name(trimmed).is_ok()),
        }),
        StringFormat::ToolSource => ToolSource::parse(text).err().map(|error| FormatError {
            code: Code::SourceInvalid,
            message: error.to_string(),
            suggestion: source_suggestion(text),
        }),
        _ => None,
    }
}

/// Checks the key of a label.
pub(super) fn label_key(key: &str) -> Result<(), String> {
    const GRAMMAR: &str =
        "a label starts with a letter and holds only letters, digits, `_` and `-`";
    let Some(first) = key.chars().next() else {
        return Err(format!("label key `` is empty: {GRAMMAR}"));
    };
    if !first.is_ascii_alphabetic() {
        return Err(format!(
            "label key `{}` starts with `{first}`: {GRAMMAR}",
            shorten(key)
        ));
    }
    let wrong =
        |character: &char| !(character.is_ascii_alphanumeric() || matches!(character, '_' | '-'));
    match key.chars().find(wrong) {
        Some(character) => Err(format!(
            "label key `{}` contains `{character}`: {GRAMMAR}",
            shorten(key)
        )),
        None => Ok(()),
    }
}

fn invalid(
    what: &str,
    text: &str,
    format: StringFormat,
    suggestion: Option<String>,
) -> FormatError {
    let mut message = format!(
        "`{}` is not {what}, expected {}",
        shorten(text),
        format.describe()
    );
    if let Some(suggestion) = &suggestion {
        message.push_str(&format!("; did you mean `{suggestion}`?"));
    }
    FormatError {
        code: Code::InvalidValue,
        message,
        suggestion,
    }
}

fn url(text: &str) -> Option<FormatError> {
    let error = url::Url::parse(text).err()?;
    let message = match error {
        url::ParseError::RelativeUrlWithoutBase if !text.is_empty() => {
            let suggestion = format!("file://{text}");
            return Some(FormatError {
                code: Code::InvalidValue,
                message: format!(
                    "`{}` is not an absolute URL; write `{}` for a file",
                    shorten(text),
                    shorten(&suggestion)
                ),
                suggestion: Some(suggestion),
            });
        }
        error => format!("`{}` is not a URL: {error}", shorten(text)),
    };
    Some(FormatError {
        code: Code::InvalidValue,
        message,
        suggestion: None,
    })
}

fn is_color(text: &str) -> bool {
    match text.strip_prefix('#') {
        Some(digits) => digits.len() == 6 && digits.bytes().all(|byte| byte.is_ascii_hexdigit()),
        None => text.parse::<u8>().is_ok(),
    }
}

fn is_bound(text: &str) -> bool {
    if let Some(turn) = text.strip_prefix('@') {
        return turn.parse::<u64>().is_ok_and(|turn| turn > 0);
    }
    let turns = text.strip_prefix('-').unwrap_or(text);
    turns.parse::<u64>().is_ok() || humantime::parse_duration(text).is_ok()
}

/// The same id with the provider that is meant.
fn model_suggestion(text: &str, error: &ModelIdError) -> Option<String> {
    let ModelIdError::UnknownProvider {
        near: Some(near), ..
    } = error
    else {
        return None;
    };
    let (_, name) = text.split_once('/')?;
    let suggestion = format!("{near}/{}", name.trim());
    ModelReference::parse(&suggestion).ok().map(|_| suggestion)
}

fn source_suggestion(text: &str) -> Option<String> {
    if let Some(kind) = text.strip_suffix('.') {
        return ToolSource::parse(kind).ok().map(|_| kind.to_owned());
    }
    let (kind, rest) = match text.split_once('.') {
        Some((kind, rest)) => (kind, Some(rest)),
        None => (text, None),
    };
    let near = suggest(kind, ["builtin", "local", "mcp"])?;
    let suggestion = match rest {
        Some(rest) => format!("{near}.{rest}"),
        None => near.to_owned(),
    };
    ToolSource::parse(&suggestion).ok().map(|_| suggestion)
}
