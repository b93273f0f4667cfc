//! The system prompt, from `assistant.system_prompt`, its sections and the instructions.
//!
//! ```toml
//! [assistant]
//! system_prompt = "You are a careful engineer."
//!
//! [[assistant.instructions]]
//! title = "Style"
//! items = ["Be brief."]
//! ```

use std::fmt::Write as _;

use serde_json::Value;

use super::reader::Reader;
use crate::error::AgentError;

const DEFAULT: &str = "You are a helpful assistant.";

/// Puts the parts together: the prompt, then sections and instructions, each sorted by `position`.
pub(crate) fn system_prompt(assistant: &Reader<'_>) -> Result<Option<String>, AgentError> {
    let mut parts = Vec::new();
    let prompt = assistant.get("system_prompt").str()?.unwrap_or(DEFAULT);
    parts.push(prompt.to_owned());
    for section in by_position(&assistant.get("system_prompt_sections"))? {
        parts.push(section_text(&section)?);
    }
    for instruction in by_position(&assistant.get("instructions"))? {
        parts.push(instruction_text(&instruction)?);
    }
    parts.retain(|part| !part.trim().is_empty());
    Ok((!parts.is_empty()).then(|| parts.join("\n\n")))
}

fn by_position<'a>(list: &Reader<'a>) -> Result<Vec<Reader<'a>>, AgentError> {
    let mut items = list
        .list()?
        .into_iter()
        .map(|item| Ok((item.get("position").i64()?.unwrap_or(0), item)))
        .collect::<Result<Vec<_>, AgentError>>()?;
    items.sort_by_key(|(position, _)| *position);
    Ok(items.into_iter().map(|(_, item)| item).collect())
}

fn section_text(section: &Reader<'_>) -> Result<String, AgentError> {
    let content = section.get("content").str()?.unwrap_or_default();
    let title = section.get("title").str()?;
    Ok(match (section.get("tag").str()?, title) {
        (Some(tag), Some(title)) => {
            let title = title.replace('"', "&quot;");
            format!("<{tag} title=\"{title}\">\n{content}\n</{tag}>")
        }
        (Some(tag), None) => format!("<{tag}>\n{content}\n</{tag}>"),
        (None, Some(title)) => format!("# {title}\n\n{content}"),
        (None, None) => content.to_owned(),
    })
}

fn instruction_text(instruction: &Reader<'_>) -> Result<String, AgentError> {
    let mut text = String::new();
    if let Some(title) = instruction.get("title").str()? {
        let _ = writeln!(text, "# {title}\n");
    }
    if let Some(description) = instruction.get("description").str()? {
        let _ = writeln!(text, "{description}\n");
    }
    for item in instruction.get("items").strings()? {
        let _ = writeln!(text, "- {item}");
    }
    for example in instruction.get("examples").list()? {
        match example.value() {
            Some(Value::String(example)) => {
                let _ = writeln!(text, "\nExample: {example}");
            }
            _ => {
                for (key, label) in [
                    ("good", "Good example"),
                    ("bad", "Bad example"),
                    ("reason", "Reason"),
                ] {
                    if let Some(value) = example.get(key).str()? {
                        let _ = writeln!(text, "\n{label}: {value}");
                    }
                }
            }
        }
    }
    Ok(text.trim_end().to_owned())
}
