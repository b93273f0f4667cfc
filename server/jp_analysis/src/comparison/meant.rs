//! What a value of the config comes to, however it is written.
//!
//! ```toml
//! command = "cat {{tool}}"                             # the same program with the same arguments
//! command = { program = "cat", args = ["{{tool}}"] }
//! questions.sure.target = "user"                       # the same as no word about it
//! ```

use jp_config::{
    meaning::{meaning, says_nothing},
    schema::{NodeId, Shape, StringFormat, schema},
    source::ToolSource,
};
use serde_json::{Value, json};

/// What a value at a config path comes to, a default in the place of none; `null` for what comes to nothing.
pub(super) fn meant(path: &[&str], value: Option<&Value>) -> Value {
    let node = path
        .iter()
        .try_fold(schema().root(), |id, key| schema().child(id, key));
    if node.is_some_and(is_free) {
        // In what a tool is handed as it is, every value counts; to hand nothing is to hand an empty table.
        let value = value.filter(|value| !says_nothing(value));
        return value.cloned().unwrap_or(Value::Null);
    }
    let default = node.and_then(|id| schema().node(id).default.as_ref());
    let Some(value) = value.or(default) else {
        return Value::Null;
    };
    let mut meant = meaning(node, value, &|_| None);
    if node.is_some_and(takes_command) {
        meant = in_words(node, meant);
    }
    if let (["conversation", "tools", _, "questions"], Value::Object(questions)) =
        (path, &mut meant)
    {
        // A question of which nothing is said is asked as one that is not named.
        questions.retain(|_, question| !says_nothing(question));
    }
    match says_nothing(&meant) {
        true => Value::Null,
        false => meant,
    }
}

/// What a tool's `source` comes to: the tool bears the name of its key where the source gives it no other.
pub(super) fn meant_source(tool: &str, value: Option<&Value>) -> Value {
    let Some(text) = value.and_then(Value::as_str) else {
        return value.cloned().unwrap_or(Value::Null);
    };
    match ToolSource::parse(text) {
        Ok(source) if source.tool() == Some(tool) => {
            let suffix = format!(".{tool}");
            text.strip_suffix(&suffix).unwrap_or(text).into()
        }
        _ => text.into(),
    }
}

fn is_free(id: NodeId) -> bool {
    let is_any = |id: NodeId| matches!(schema().node(id).shape, Shape::Any);
    is_any(id) || schema().map(id).is_some_and(|map| is_any(map.value))
}

fn takes_command(id: NodeId) -> bool {
    schema().formats(id).contains(&StringFormat::Command)
}

/// A command line as its words; every other value stays.
fn in_words(node: Option<NodeId>, value: Value) -> Value {
    let is_word = |text: &str| {
        let variants = node.map(|id| schema().variants(id)).unwrap_or_default();
        variants.iter().any(|variant| variant.value == text)
    };
    let words = |text: &str| {
        let mut words = shlex::split(text)?.into_iter();
        let program = words.next()?;
        Some((program, words.collect::<Vec<String>>()))
    };
    match &value {
        Value::Object(table) if table.contains_key("program") => {
            let mut table = table.clone();
            table.entry("args").or_insert_with(|| json!([]));
            table.into()
        }
        Value::String(text) if !is_word(text) => match words(text) {
            Some((program, args)) => json!({ "program": program, "args": args }),
            None => value,
        },
        _ => value,
    }
}
