//! Giving a name another text, everywhere and nowhere else.
//!
//! ```toml
//! parameters.path = { type = "path" }                            # `path` becomes `file` here ...
//! policy.run = [{ arg = "/path", prefix = "src", mode = "ask" }] # ... and here: "/file"
//! ```
//!
//! Rules of the tool defaults `'*'` stay: other tools share them.

use jp_config::{
    content::Content,
    document::{Document, Node, Span},
    graph::{FileId, Graph},
    source::ToolSource,
    view::{LayerValue, value_at},
};
use jp_policy::pointer;
use jp_tool::ConfigPath;
use serde_json::Value;

use crate::{
    diagnostic::Place,
    fix::Edit,
    names::{Name, Occurrence, Role, Spelling, name_at, names_in},
    text::toml_text,
};

/// Why a name cannot be changed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RenameError {
    /// The cursor is on no name.
    #[error("only tools, parameters, questions, model aliases and MCP servers can be renamed")]
    NoName,
    /// No file of the workspace defines the name.
    #[error("no file of the workspace defines the {kind} `{name}`")]
    NotDefined {
        /// What it would be.
        kind: &'static str,
        /// The name.
        name: String,
    },
    /// A file that cannot be edited has the name too.
    #[error(
        "`{path}` has the {kind} `{name}` too, and only TOML files can be edited: change it there first"
    )]
    NotToml {
        /// The file, relative to the workspace.
        path: String,
        /// What the name names.
        kind: &'static str,
        /// The name.
        name: String,
    },
    /// The text cannot be such a name.
    #[error("`{text}` cannot be the name of this {kind}: {reason}")]
    Unusable {
        /// What it would name.
        kind: &'static str,
        /// The text.
        text: String,
        /// What to write instead.
        reason: &'static str,
    },
    /// The name is taken.
    #[error("there is already a {kind} `{text}`; choose another name")]
    Taken {
        /// What it names.
        kind: &'static str,
        /// The text.
        text: String,
    },
    /// A place holds the name in a string that cannot hold the text.
    #[error("`{text}` cannot stand in a literal string; choose a name without `'`")]
    Literal {
        /// The text.
        text: String,
    },
}

/// What would be renamed at an offset: its place, without quotes, and its text.
///
/// # Errors
///
/// A cursor on no name, or on one that the workspace does not define.
pub fn prepare_rename(
    graph: &Graph,
    document: &Document,
    offset: usize,
) -> Result<(Span, String), RenameError> {
    let (name, span) = name_at(document, offset).ok_or(RenameError::NoName)?;
    editable(graph, &name)?;
    defined(graph, &name)?;
    Ok((span, name.text().to_owned()))
}

/// The edits that give the name at an offset another text, by file and position.
///
/// # Errors
///
/// As for [`prepare_rename`], and a text that is no such name or is taken.
pub fn rename(
    graph: &Graph,
    document: &Document,
    offset: usize,
    text: &str,
) -> Result<Vec<Edit>, RenameError> {
    let (name, _) = name_at(document, offset).ok_or(RenameError::NoName)?;
    editable(graph, &name)?;
    defined(graph, &name)?;
    if name.text() == text {
        return Ok(Vec::new());
    }
    usable(&name, text)?;
    let renamed = with_text(&name, text);
    let mut edits = Vec::new();
    for (file, occurrence) in all(graph) {
        if occurrence.name == renamed && occurrence.role == Role::Definition {
            return Err(RenameError::Taken {
                kind: name.kind(),
                text: text.to_owned(),
            });
        }
        if occurrence.name == name {
            edits.push(Edit {
                place: Place {
                    file,
                    span: occurrence.span,
                },
                text: spelled(&occurrence, text)?,
            });
        }
    }
    if let Name::Tool(old) = &name {
        edits.extend(kept_sources(graph, old));
        edits.sort_by_key(|edit| edit.place);
    }
    Ok(edits)
}

/// Names a tool as its server or `jp` knows it, where its `source` left that to the key.
///
/// A local tool's command is the person's own, and is told the name that the config has.
fn kept_sources(graph: &Graph, tool: &str) -> Vec<Edit> {
    let path = ["conversation", "tools", tool, "source"];
    let files = graph.files.iter().enumerate();
    files
        .filter_map(|(index, file)| {
            let content = file.content.as_ref()?;
            let LayerValue::Node(Node::Str(source)) = value_at(content, &path)? else {
                return None;
            };
            let text = source.value();
            let is_implicit = matches!(
                ToolSource::parse(&text).ok()?,
                ToolSource::Mcp { tool: None, .. } | ToolSource::Builtin { tool: None }
            );
            let place = Place {
                file: FileId(u32::try_from(index).ok()?),
                span: source.span(),
            };
            is_implicit.then(|| Edit {
                place,
                text: toml_text::string(&format!("{text}.{tool}")),
            })
        })
        .collect()
}

fn all(graph: &Graph) -> impl Iterator<Item = (FileId, Occurrence)> + '_ {
    graph.files.iter().enumerate().flat_map(|(index, file)| {
        let file_id = FileId(u32::try_from(index).unwrap_or(u32::MAX));
        let document = file.content.as_ref().and_then(|content| content.document());
        document
            .map(names_in)
            .unwrap_or_default()
            .into_iter()
            .map(move |occurrence| (file_id, occurrence))
    })
}

/// Refuses a name that a JSON or YAML file has too: it would be left behind there.
fn editable(graph: &Graph, name: &Name) -> Result<(), RenameError> {
    for file in &graph.files {
        let Some(Content::Data(Ok(Value::Object(data)))) = file.content.as_deref() else {
            continue;
        };
        let entries = data.iter().filter_map(|(key, value)| entry(key, value));
        let text = Document::parse(&entries.collect::<Vec<_>>().join("\n"));
        if names_in(&text).iter().any(|other| other.name == *name) {
            let path = file.path.strip_prefix(&graph.workspace);
            return Err(RenameError::NotToml {
                path: path.unwrap_or(&file.path).to_string(),
                kind: name.kind(),
                name: name.text().to_owned(),
            });
        }
    }
    Ok(())
}

/// An entry of a JSON object as TOML; TOML has no `null`.
fn entry(key: &str, value: &Value) -> Option<String> {
    Some(format!("{} = {}", toml_text::key(key), toml(value)?))
}

fn toml(value: &Value) -> Option<String> {
    Some(match value {
        Value::Null => return None,
        Value::Bool(_) | Value::Number(_) => value.to_string(),
        Value::String(text) => toml_text::string(text),
        Value::Array(items) => {
            let items: Vec<String> = items.iter().filter_map(toml).collect();
            format!("[{}]", items.join(", "))
        }
        Value::Object(entries) => {
            let entries = entries.iter().filter_map(|(key, value)| entry(key, value));
            format!("{{ {} }}", entries.collect::<Vec<_>>().join(", "))
        }
    })
}

fn defined(graph: &Graph, name: &Name) -> Result<(), RenameError> {
    let is_defined = all(graph)
        .any(|(_, occurrence)| occurrence.name == *name && occurrence.role == Role::Definition);
    if is_defined {
        return Ok(());
    }
    Err(RenameError::NotDefined {
        kind: name.kind(),
        name: name.text().to_owned(),
    })
}

fn usable(name: &Name, text: &str) -> Result<(), RenameError> {
    let refuse = |reason| {
        Err(RenameError::Unusable {
            kind: name.kind(),
            text: text.to_owned(),
            reason,
        })
    };
    if text.trim().is_empty() {
        return refuse("write at least one character");
    }
    if text.chars().any(char::is_control) {
        return refuse("leave out control characters");
    }
    match name {
        Name::Tool(_) if text == "*" => refuse("`*` names the tool defaults"),
        Name::Tool(_) if matches!(text, "auto" | "none" | "required") => {
            refuse("`tool_choice` would not name the tool any more")
        }
        Name::Alias(_) if text.contains('/') => {
            refuse("a text with `/` is read as `<provider>/<model>`")
        }
        Name::Server(_) if text.contains('.') => {
            refuse("in `mcp.<server>.<tool>` the name ends at the first dot")
        }
        _ => Ok(()),
    }
}

fn with_text(name: &Name, text: &str) -> Name {
    let text = text.to_owned();
    match name {
        Name::Tool(_) => Name::Tool(text),
        Name::Alias(_) => Name::Alias(text),
        Name::Server(_) => Name::Server(text),
        Name::Question { tool, .. } => Name::Question {
            tool: tool.clone(),
            id: text,
        },
        Name::Parameter { tool, path } => {
            let mut path = path.clone();
            path.pop();
            path.push(text);
            Name::Parameter {
                tool: tool.clone(),
                path,
            }
        }
    }
}

/// The text as it has to be written at a place.
fn spelled(occurrence: &Occurrence, text: &str) -> Result<String, RenameError> {
    let text = match occurrence.spelling {
        Spelling::Key => return Ok(toml_text::key(text)),
        Spelling::Text => text.to_owned(),
        Spelling::Pointer => pointer::encoded(text),
        Spelling::ConfigPath => {
            ConfigPath::from_keys([text]).map_or_else(|| text.to_owned(), |path| path.to_string())
        }
    };
    if occurrence.literal {
        if text.contains('\'') {
            return Err(RenameError::Literal { text });
        }
        return Ok(text);
    }
    Ok(text.replace('\\', "\\\\").replace('"', "\\\""))
}
