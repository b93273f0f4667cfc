//! The short form of a value, where one stands already or a person would write one.
//!
//! ```toml
//! model.id = "quick"    # { provider = "test", name = "strong" } is written as "strong", or as "test/strong"
//! enable = "explicit"   # { state = true, allow_toggle = "any" } is written as "on"
//! ```

use jp_config::enable::Enable;
use jp_config::model_id::ModelId;
use jp_config::schema::{NodeId, Shorthand, schema};
use serde_json::{Map, Value as Json};
use toml_edit::{Item, Value};

use super::super::toml;
use crate::aliases::AliasMap;

/// What to write for `given`, a part or all of the table at `node`, where `standing` is in the file.
///
/// None where a table stands there, and where no short form says all of it.
pub(super) fn short_form(
    standing: Option<&Item>,
    node: NodeId,
    given: &Json,
    aliases: &AliasMap,
) -> Option<Json> {
    let shorthand = schema().shorthand(node)?;
    let standing = match standing.filter(|item| !item.is_none()) {
        Some(item) => Some(toml::json_of(item.as_value()?)),
        None => None,
    };
    if standing.as_ref().is_some_and(Json::is_object) {
        return None;
    }
    let written = standing.as_ref();
    let mut table = written
        .and_then(|written| schema().table_of_shorthand(node, written))
        .unwrap_or_default();
    table.extend(given.as_object()?.clone());
    match shorthand {
        Shorthand::ModelId => model(&table, written, aliases),
        Shorthand::Enable => enable(table, written),
    }
}

/// A model as an alias where one stood and another one is just that model, and as `<provider>/<model>` elsewhere.
fn model(table: &Map<String, Json>, standing: Option<&Json>, aliases: &AliasMap) -> Option<Json> {
    let part = |key| table.get(key).and_then(Json::as_str);
    let (provider, name) = (part("provider")?, part("name")?);
    let text = format!("{provider}/{name}");
    let model = ModelId::parse(&text).ok()?;
    if table.len() != 2 || (model.provider.as_str(), model.name.as_str()) != (provider, name) {
        return None;
    }
    let was_alias = standing
        .and_then(Json::as_str)
        .is_some_and(|text| !text.contains('/'));
    let alias = if was_alias {
        aliases.only_name_of(&model)
    } else {
        None
    };
    Some(Json::from(alias.unwrap_or(&text)))
}

/// What switches a tool, as a word where a word stood.
fn enable(table: Map<String, Json>, standing: Option<&Json>) -> Option<Json> {
    let short = Enable::from_value(&Json::Object(table)).ok()?.shorthand()?;
    let is_word = standing.is_some_and(Json::is_string);
    Some(match short {
        Json::Bool(true) if is_word => Json::from("on"),
        Json::Bool(false) if is_word => Json::from("off"),
        short => short,
    })
}

/// A text in the quotes of the one that stood there, if they can hold it.
pub(super) fn in_quotes_of(old: &Value, fresh: Value) -> Value {
    let (Value::String(old), Value::String(text)) = (old, &fresh) else {
        return fresh;
    };
    let is_literal = old
        .as_repr()
        .and_then(|repr| repr.as_raw().as_str())
        .is_some_and(|raw| raw.starts_with('\'') && !raw.starts_with("'''"));
    let text = text.value();
    let fits = !text.chars().any(|it| it == '\'' || it.is_control());
    match format!("'{text}'").parse() {
        Ok(literal) if is_literal && fits => literal,
        _ => fresh,
    }
}
