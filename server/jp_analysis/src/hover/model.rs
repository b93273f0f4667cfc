//! What a model alias stands for.
//!
//! ```toml
//! [assistant.model]
//! id = "haiku"   # `anthropic/claude-haiku-4`
//! ```

use jp_config::{
    document::Node,
    model_id::ModelReference,
    schema::{NodeId, StringFormat, schema},
    view::View,
};

use super::{
    Subject,
    markup::{Markup, code},
};

/// The config path of the aliases.
pub(crate) const ALIASES: [&str; 3] = ["providers", "llm", "aliases"];

/// The longest chain of aliases that is followed.
const MAXIMUM_CHAIN: usize = 16;

pub(super) fn describe(subject: &Subject<'_>, node: Option<NodeId>, markup: &mut Markup) {
    let keys = subject.keys();
    if let ["providers", "llm", "aliases", alias] = keys.as_slice()
        && subject.value.is_none()
    {
        say(subject.view, alias, markup);
        return;
    }
    let Some(Node::Str(text)) = subject.value else {
        return;
    };
    let is_model = node.is_some_and(|node| schema().formats(node).contains(&StringFormat::ModelId));
    if is_model && let Ok(ModelReference::Alias(alias)) = ModelReference::parse(&text.value()) {
        say(subject.view, &alias, markup);
    }
}

fn say(view: &View, alias: &str, markup: &mut Markup) {
    match resolve_alias(view, alias) {
        Some(model) => markup.paragraph(&format!("{} is {}.", code(alias), code(&model))),
        None if view.effective(&alias_path(alias)).is_some() => markup.paragraph(&format!(
            "{} leads to no model: what it stands for is an alias that nothing defines, or leads back to it.",
            code(alias)
        )),
        None => markup.paragraph(&format!(
            "{} is no alias that this workspace defines; the user's global config may define it.",
            code(alias)
        )),
    }
}

fn alias_path(alias: &str) -> [&str; 4] {
    let [providers, llm, aliases] = ALIASES;
    [providers, llm, aliases, alias]
}

/// The model that an alias leads to; `None` when it is not defined or leads in a circle.
pub(crate) fn resolve_alias(view: &View, alias: &str) -> Option<String> {
    let mut alias = alias.to_owned();
    for _ in 0..MAXIMUM_CHAIN {
        let located = view.effective(&alias_path(&alias))?;
        let text = match located.value.as_str() {
            Some(text) => text.to_owned(),
            None => {
                let id = located.get("id").unwrap_or(&located);
                match id.value.as_str() {
                    Some(text) => text.to_owned(),
                    None => format!(
                        "{}/{}",
                        id.get("provider")?.value.as_str()?,
                        id.get("name")?.value.as_str()?
                    ),
                }
            }
        };
        match ModelReference::parse(&text).ok()? {
            ModelReference::Id(id) => return Some(id.to_string()),
            ModelReference::Alias(next) => alias = next,
        }
    }
    None
}
