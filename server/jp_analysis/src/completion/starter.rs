//! A whole config for a file that has nothing yet, and the tables that a person begins with.

use jp_config::{document::Span, model_id::ModelId};

use super::{
    context::Site,
    item::{Item, ItemKind, Items},
    template::Template,
};
use crate::starter::{DEFAULT_MODEL, starter};

/// Offers the starter in a file of blanks, and puts the tables before the keys that few files have.
pub(super) fn offer(site: &Site<'_>, span: Span, items: &mut Items) {
    if !site.document.text().trim().is_empty() {
        return;
    }
    let Ok(model) = ModelId::parse(DEFAULT_MODEL) else {
        return;
    };
    let template = Template::plain(starter(&model).trim_end());
    let item = Item::new("starter config", ItemKind::Snippet, template.edit(span));
    items.push(item.with_detail("a model, a policy that asks, one tool"));
    items.order_by(|item| match item.kind {
        ItemKind::Snippet => 0,
        _ if item.label.starts_with('[') => 1,
        _ => 2,
    });
}
