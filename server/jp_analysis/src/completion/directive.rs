//! The line that names the schema for other editors' TOML support.
//!
//! ```toml
//! #:schema ./jp-config.schema.json
//! ```

use jp_config::document::Span;

use super::{
    context::Site,
    item::{Item, ItemKind, Items},
    template::Template,
};

const DIRECTIVE: &str = "#:schema";

/// Offers the line in place of a comment on the first line.
pub(super) fn offer(site: &Site<'_>, span: Span, items: &mut Items) {
    let text = site.document.text();
    let typed = text.get(span.range()).unwrap_or_default();
    let is_first_line = !site.before(span.start).contains('\n');
    if !is_first_line || text.contains(DIRECTIVE) || !DIRECTIVE.starts_with(typed.trim_end()) {
        return;
    }
    let mut template = Template::plain("#:schema ");
    template.placeholder("./jp-config.schema.json");
    let item = Item::new(DIRECTIVE, ItemKind::Snippet, template.edit(span));
    items.push(item.with_detail("names the JSON Schema for other tools"));
}
