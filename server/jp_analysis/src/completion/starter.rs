//! A whole config for a file that has nothing yet.

use jp_config::{document::Span, model_id::ModelId};

use super::{
    context::Site,
    item::{Item, ItemKind, Items},
    template::Template,
};
use crate::starter::{DEFAULT_MODEL, starter};

/// Offers the starter in a file of blanks.
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
}
