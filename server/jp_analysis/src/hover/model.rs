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

use super::subject::Subject;
use crate::{
    model_alias::{alias_path, resolve_alias},
    text::markup::{Markup, code},
};

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
