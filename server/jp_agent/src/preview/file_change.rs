//! The change of a file that a call asks for, read off its arguments.
//!
//! ```json
//! {"path": "src/lib.rs", "content": "fn main() {}\n"}
//! {"path": "src/lib.rs", "patterns": [{"old": "foo", "new": "bar"}]}
//! {"path": "src/lib.rs", "old_string": "foo", "new_string": "bar"}
//! ```
//!
//! How a tool looks for the old text is its own affair: what is not in the file word for word is shown as a pair of
//! texts, without a claim about the file.

use std::fs;
use std::time::Duration;

use camino::{Utf8Path, Utf8PathBuf};
use serde_json::{Map, Value};
use similar::TextDiff;

use super::one_line;

/// The size up to which a file is compared.
const FILE_LIMIT: u64 = 256 * 1024;
/// After this long a diff may be larger than it has to be; it stays right.
const DIFF_TIMEOUT: Duration = Duration::from_millis(200);

/// The arguments that name a file.
const PATHS: [&str; 3] = ["path", "file_path", "filename"];
/// The arguments that hold its new content.
const CONTENTS: [&str; 3] = ["content", "contents", "text"];
/// The arguments that hold a list of replacements.
const LISTS: [&str; 3] = ["patterns", "edits", "replacements"];
/// The arguments, or fields of a replacement, that hold what is looked for and what is put there.
const PAIRS: [(&str, &str); 4] = [
    ("old", "new"),
    ("old_string", "new_string"),
    ("old_text", "new_text"),
    ("oldText", "newText"),
];

/// A change of one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct FileChange {
    /// The file, as the call names it.
    pub(super) path: String,
    /// The file before, if that is known.
    pub(super) before: Option<String>,
    /// The file after, if that is known.
    pub(super) after: Option<String>,
    /// The other arguments, and the difference.
    pub(super) text: String,
}

impl FileChange {
    /// The change that `arguments` ask for, if they look like one.
    pub(super) fn of(root: &Utf8Path, arguments: &Map<String, Value>) -> Option<Self> {
        let (path_key, path) = text_of(arguments, &PATHS)?;
        if let Some((content_key, content)) = text_of(arguments, &CONTENTS) {
            let before = read(root, path);
            let rest = others(arguments, &[path_key, content_key]);
            let old = match &before {
                Found::Text(text) => Some(text.as_str()),
                Found::Nothing => Some(""),
                Found::Unreadable => None,
            };
            return Some(match old {
                Some(old) => Self::known(path, old, content, &rest),
                None => Self {
                    path: path.to_owned(),
                    before: None,
                    after: None,
                    text: format!("{rest}{}", difference(path, "", content, true)),
                },
            });
        }
        let (keys, replacements) = replacements(arguments)?;
        let mut used = vec![path_key];
        used.extend(keys);
        let rest = others(arguments, &used);
        let before = match read(root, path) {
            Found::Text(text) => Some(text),
            _ => None,
        };
        let exact = !arguments.iter().any(|(key, value)| {
            (key.contains("regex") && *value == Value::Bool(true))
                || (key.contains("case") && *value == Value::Bool(false))
        });
        let after = before
            .as_ref()
            .filter(|_| exact)
            .and_then(|before| apply(before, &replacements));
        if let (Some(before), Some(after)) = (&before, &after) {
            return Some(Self::known(path, before, after, &rest));
        }
        let pairs = replacements
            .iter()
            .map(|replacement| difference(path, replacement.old, replacement.new, false));
        Some(Self {
            path: path.to_owned(),
            before: None,
            after: None,
            text: format!("{rest}{}", pairs.collect::<String>()),
        })
    }

    fn known(path: &str, before: &str, after: &str, rest: &str) -> Self {
        Self {
            path: path.to_owned(),
            before: Some(before.to_owned()),
            after: Some(after.to_owned()),
            text: format!("{rest}{}", difference(path, before, after, true)),
        }
    }
}

/// One text that takes the place of another.
struct Replacement<'a> {
    old: &'a str,
    new: &'a str,
    /// Whether more is said about it than the two texts, so that it may mean something else.
    is_plain: bool,
}

fn text_of<'a>(
    arguments: &'a Map<String, Value>,
    keys: &[&'static str],
) -> Option<(&'static str, &'a str)> {
    keys.iter()
        .find_map(|key| Some((*key, arguments.get(*key)?.as_str()?)))
}

fn replacements(
    arguments: &Map<String, Value>,
) -> Option<(Vec<&'static str>, Vec<Replacement<'_>>)> {
    if let Some((old, new, replacement)) = replacement(arguments) {
        return Some((
            vec![old, new],
            vec![Replacement {
                is_plain: true,
                ..replacement
            }],
        ));
    }
    LISTS.iter().find_map(|key| {
        let list = arguments.get(*key)?.as_array()?;
        let list: Option<Vec<Replacement<'_>>> = list
            .iter()
            .map(|element| Some(replacement(element.as_object()?)?.2))
            .collect();
        let list = list.filter(|list| !list.is_empty())?;
        Some((vec![*key], list))
    })
}

fn replacement(
    fields: &Map<String, Value>,
) -> Option<(&'static str, &'static str, Replacement<'_>)> {
    PAIRS.iter().find_map(|(old, new)| {
        let replacement = Replacement {
            old: fields.get(*old)?.as_str()?,
            new: fields.get(*new)?.as_str()?,
            is_plain: fields.len() == 2,
        };
        Some((*old, *new, replacement))
    })
}

/// The text after all replacements; none when one of them is not plainly there exactly once.
fn apply(before: &str, replacements: &[Replacement<'_>]) -> Option<String> {
    let mut text = before.to_owned();
    for replacement in replacements {
        let once = !replacement.old.is_empty() && text.matches(replacement.old).nth(1).is_none();
        if !replacement.is_plain || !once || !text.contains(replacement.old) {
            return None;
        }
        text = text.replacen(replacement.old, replacement.new, 1);
    }
    Some(text)
}

/// The arguments that are not part of the change, a line each, with an empty line after them.
fn others(arguments: &Map<String, Value>, used: &[&str]) -> String {
    let mut lines: String = arguments
        .iter()
        .filter(|(key, _)| !used.contains(&key.as_str()))
        .map(|(key, value)| {
            let value = match value {
                Value::String(text) => one_line(text, 200),
                other => one_line(&other.to_string(), 200),
            };
            format!("{}: {value}\n", one_line(key, 80))
        })
        .collect();
    if !lines.is_empty() {
        lines.push('\n');
    }
    lines
}

/// The unified diff; `whole` texts say when they end without a line feed, fragments usually do.
fn difference(path: &str, before: &str, after: &str, whole: bool) -> String {
    if before == after {
        return format!("{}: nothing changes\n", one_line(path, 200));
    }
    let path = one_line(path, 200);
    TextDiff::configure()
        .timeout(DIFF_TIMEOUT)
        .diff_lines(before, after)
        .unified_diff()
        .context_radius(3)
        .missing_newline_hint(whole)
        .header(&path, &path)
        .to_string()
}

enum Found {
    Text(String),
    Nothing,
    /// Too large, no text, no plain file, or outside the workspace.
    Unreadable,
}

fn read(root: &Utf8Path, path: &str) -> Found {
    let Ok(canonical) = jp_tool::canonicalize(root, &Utf8PathBuf::from(path)) else {
        return Found::Unreadable;
    };
    match fs::symlink_metadata(&canonical.absolute) {
        Ok(metadata) if metadata.is_file() && metadata.len() <= FILE_LIMIT => {
            fs::read_to_string(&canonical.absolute).map_or(Found::Unreadable, Found::Text)
        }
        Ok(_) => Found::Unreadable,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Found::Nothing,
        Err(_) => Found::Unreadable,
    }
}
