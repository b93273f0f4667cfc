//! What `jp lsp doctor` says of the config that `jp` resolved.
//!
//! ```text
//! jp's config  1 difference
//!   assistant.name: ours "Ada" (.jp/config.toml:2), jp's "Bob"
//! 163 leaves agree
//! ```

use std::io::{self, Read, Write};

use jp_analysis::agreement::{Agreement, Difference};
use jp_conversation::visible;
use serde_json::{Value, json};

use super::{DoctorError, plural};

/// How many differences are told.
const MOST: usize = 50;
/// How much of a value is told, in characters.
const LONGEST: usize = 120;

/// Reads the config that `jp` resolved.
pub(super) fn read(mut input: impl Read) -> Result<Value, DoctorError> {
    let mut text = Vec::new();
    input.read_to_end(&mut text)?;
    let config: Value = serde_json::from_slice(&text)
        .map_err(|error| DoctorError::Resolved(format!("it is no JSON: {error}")))?;
    match config.is_object() {
        true => Ok(config),
        false => Err(DoctorError::Resolved(
            "it is no JSON object, update `jp`".to_owned(),
        )),
    }
}

pub(super) fn to_json(found: &Agreement) -> Value {
    let told = found.differences.iter().take(MOST).map(|difference| {
        let place = difference.place.as_ref();
        json!({
            "path": difference.path,
            "ours": difference.ours,
            "place": place.map(|(path, line)| json!({ "path": path, "line": line + 1 })),
            "jp": difference.theirs,
            "isSecret": difference.is_secret,
        })
    });
    json!({
        "differences": told.collect::<Vec<Value>>(),
        "differing": found.differences.len(),
        "agreeing": found.agreeing,
    })
}

pub(super) fn tell(found: &Agreement, output: &mut dyn Write) -> io::Result<()> {
    let count = found.differences.len();
    writeln!(output, "\njp's config  {}", plural(count, "difference"))?;
    for difference in found.differences.iter().take(MOST) {
        let line = visible(&in_words(difference)).replace('\n', " ");
        writeln!(output, "  {line}")?;
    }
    if count > MOST {
        writeln!(output, "  and {} more", count - MOST)?;
    }
    match found.agreeing {
        1 => writeln!(output, "1 leaf agrees")?,
        agreeing => writeln!(output, "{agreeing} leaves agree")?,
    }
    if count > 0 {
        let sources = "`--cfg`, a variable `JP_CFG_…` or the conversation";
        writeln!(
            output,
            "What no file sets, `jp` may have from {sources}, which are not looked at here."
        )?;
    }
    Ok(())
}

fn in_words(difference: &Difference) -> String {
    let place = match &difference.place {
        Some((path, line)) => format!(" ({path}:{})", line + 1),
        None => String::new(),
    };
    let path = &difference.path;
    let shown = |value: &Option<Value>| match value {
        None => "not set".to_owned(),
        Some(_) if difference.is_secret => "set".to_owned(),
        Some(value) => shortened(&value.to_string()),
    };
    let (ours, theirs) = (shown(&difference.ours), shown(&difference.theirs));
    let withheld = match difference.is_secret {
        true => "; the values are not shown, since the key looks like that of a secret",
        false => "",
    };
    format!("{path}: ours {ours}{place}, jp's {theirs}{withheld}")
}

fn shortened(text: &str) -> String {
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text.to_owned(),
    }
}
