//! What the grants of a tool decide about one target, in words.
//!
//! ```text
//! edit may read src/lib.rs, by rule 1 of access.fs at .jp/config.toml:5.
//! ```

use camino::Utf8Path;
use serde_json::{Value, json};

use super::style::Style;
use crate::{
    explain::{AccessExplainer, ExplainError, PathResolver},
    text::markup::{Markup, code},
};

/// Whether a tool may reach a target, in a sentence.
///
/// # Errors
///
/// A question of another shape, and a target that has no canonical form.
pub fn access(
    explainer: &AccessExplainer<'_>,
    tool: &str,
    question: &Value,
    paths: &dyn PathResolver,
    style: Style<'_>,
) -> Result<String, ExplainError> {
    let answer = explainer.explain(question, paths)?;
    let (kind, capability) = match question.as_object().and_then(|asked| asked.iter().next()) {
        Some((kind, asked)) => (kind.as_str(), asked.get("capability")),
        None => ("", None),
    };
    let capability = capability.and_then(Value::as_str).unwrap_or_default();
    let target = answer.get("target").and_then(Value::as_str).unwrap_or("");
    let does = match (kind, capability) {
        ("net", _) => format!("send requests to {}", code(target)),
        ("env", _) => format!("read the variable {}", code(target)),
        ("fs", "update") => format!("change {}", code(target)),
        ("fs", "delete") => format!("remove {}", code(target)),
        ("fs", "execute") => format!("run {}", code(target)),
        ("config", "write") => format!("change the config at {}", code(target)),
        ("config", "delete") => format!("unset the config at {}", code(target)),
        ("config", _) => format!("read the config at {}", code(target)),
        (_, capability) => format!("{capability} {}", code(target)),
    };
    let is_allowed = answer.get("allowed").and_then(Value::as_bool) == Some(true);
    let may = if is_allowed { "may" } else { "may not" };
    let reason = answer.get("reason").and_then(Value::as_str).unwrap_or("");
    let reason = match reason.contains('`') {
        true => style.message(reason),
        false => reason.to_owned(),
    };
    let why = match rule_words(&answer, kind, style) {
        Some(rule) => format!("{rule} ({reason})"),
        None => format!("because {reason}"),
    };
    let applies = match answer.get("apply").and_then(Value::as_str) {
        Some("unattended") => " The change applies without asking.",
        Some(_) => " A person confirms the change first.",
        None => "",
    };
    let mut markup = Markup::new(style.kind);
    markup.paragraph(&format!("{} {may} {does}, {why}.{applies}", code(tool)));
    Ok(markup.finish())
}

fn rule_words(answer: &Value, kind: &str, style: Style<'_>) -> Option<String> {
    let rule = answer.get("rule")?;
    let index = rule.get("index")?.as_u64()?;
    let path = rule.get("path")?.as_str()?;
    let line = u32::try_from(rule.get("line")?.as_u64()?).ok()?;
    let place = style.place(Utf8Path::new(path), line);
    Some(format!(
        "by rule {} of `access.{kind}` at {place}",
        index + 1
    ))
}

/// A question about access, from `read=src/lib.rs`, `net=https://example.org`, `env=HOME` or `config.write=assistant.model` as people type
/// them.
///
/// # Errors
///
/// A word of another shape.
pub fn question_from_words(word: &str) -> Result<Value, ExplainError> {
    let refuse = || ExplainError::AccessWord(word.to_owned());
    let (name, target) = word.split_once('=').ok_or_else(refuse)?;
    match name.split_once('.').unwrap_or(("", name)) {
        ("", "net") => Ok(json!({ "net": target })),
        ("", "env") => Ok(json!({ "env": target })),
        ("" | "fs", "read" | "create" | "update" | "delete" | "execute") => {
            let capability = name.strip_prefix("fs.").unwrap_or(name);
            Ok(json!({ "fs": { "capability": capability, "path": target } }))
        }
        ("config", capability @ ("read" | "write" | "delete")) => {
            Ok(json!({ "config": { "capability": capability, "path": target } }))
        }
        _ => Err(refuse()),
    }
}
