//! A text parameter as a `path`, so that rules compare whole components and follow links (RFD D25).

use jp_config::document::Node;

use super::{Action, Site};

pub(super) fn action(site: &Site<'_>) -> Option<Action> {
    let keys = site.keys()?;
    let ["conversation", "tools", _, "parameters", .., "type"] = keys.as_slice() else {
        return None;
    };
    let Node::Str(kind) = site.entry()?.value() else {
        return None;
    };
    if kind.value() != "string" {
        return None;
    }
    let has_values = site.parent()?.get("enum").is_some();
    if has_values {
        return None;
    }
    let edit = site.edit(kind.span(), "\"path\"");
    Some(site.rewrite("Declare the parameter as a path", vec![edit]))
}
