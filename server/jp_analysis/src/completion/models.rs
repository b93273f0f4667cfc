//! Models, and the names that stand for them.
//!
//! ```toml
//! [providers.llm.aliases]
//! haiku = "anthropic/claude-haiku-4-5"   # offered wherever a model is named
//! ```

use indexmap::IndexMap;
use jp_config::{merge::Located, model_id::ModelId, schema::provider_names};
use serde_json::Value;

use super::{
    context::{Site, ValueSlot},
    item::{ItemKind, Items},
};
use crate::model_alias::ALIASES;

/// Offers aliases, the models that the config names, and the providers of others.
pub(super) fn offer(site: &Site<'_>, slot: &ValueSlot<'_>, items: &mut Items) {
    let mut known: Vec<String> = Vec::new();
    if let Some(aliases) = site.view.effective(&ALIASES)
        && let Some(aliases) = aliases.value.as_table()
    {
        known.extend(offer_aliases(aliases, slot, items));
    }
    let current = site.view.effective(&["assistant", "model", "id"]);
    known.extend(current.and_then(|current| model_of(&current.to_json())));
    // One that is still being typed is none.
    known.retain(|model| ModelId::parse(model).is_ok());
    known.sort();
    known.dedup();
    for model in known {
        items.push(slot.string(&model, ItemKind::Value).with_detail("model"));
    }
    for provider in provider_names() {
        let item = slot.string(&format!("{provider}/"), ItemKind::Value);
        let item = item.with_detail("models of this provider");
        items.push(item.continuing());
    }
}

/// Offers aliases, and gives what they stand for.
fn offer_aliases(
    aliases: &IndexMap<String, Located>,
    slot: &ValueSlot<'_>,
    items: &mut Items,
) -> Vec<String> {
    let own = match slot.path.as_slice() {
        [_, _, map, alias] if map == "aliases" => Some(alias.as_str()),
        _ => None,
    };
    let mut models = Vec::new();
    for (alias, target) in aliases {
        // An alias of itself leads nowhere.
        if own.is_some_and(|own| leads_to(aliases, alias, own)) {
            continue;
        }
        let model = model_of(&target.to_json());
        let detail = match &model {
            Some(model) => format!("alias of {model}"),
            None => "alias".to_owned(),
        };
        items.push(slot.string(alias, ItemKind::Name).with_detail(detail));
        models.extend(model);
    }
    models
}

/// Whether an alias is another one, or stands for it by way of any.
fn leads_to(aliases: &IndexMap<String, Located>, alias: &str, wanted: &str) -> bool {
    let mut alias = alias;
    for _ in 0..=aliases.len() {
        if alias == wanted {
            return true;
        }
        match aliases.get(alias).and_then(|target| target.value.as_str()) {
            Some(next) => alias = next,
            None => return false,
        }
    }
    false
}

/// The model of an alias or id, as `provider/name`.
fn model_of(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Object(table) => {
            let id = table.get("id").unwrap_or(value);
            if let Value::String(text) = id {
                return Some(text.clone());
            }
            let provider = id.get("provider")?.as_str()?;
            let name = id.get("name")?.as_str()?;
            Some(format!("{provider}/{name}"))
        }
        _ => None,
    }
}
