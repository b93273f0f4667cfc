//! A policy of one mode as a list of rules, where conditions can join it (RFD D25).

use jp_config::document::Node;

use super::{action::Action, site::Site};

pub(super) fn action(site: &Site<'_>) -> Option<Action> {
    let keys = site.keys()?;
    let ["conversation", "tools", _, "policy", "run" | "result"] = keys.as_slice() else {
        return None;
    };
    let Node::Str(mode) = site.entry()?.value() else {
        return None;
    };
    let text = format!("[{{ mode = {} }}]", mode.text());
    let edit = site.edit(mode.span(), text);
    Some(site.rewrite("Write the mode as a list of rules", vec![edit]))
}
