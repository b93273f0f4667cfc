//! A text parameter as a `path`, so that rules compare whole components and follow links (RFD D25).
//!
//! ```toml
//! [conversation.tools.edit.parameters.file]
//! type = "string" # becomes `type = "path"`
//! ```

use jp_config::document::{Node, Place as At};

use super::{action::Action, site::Site};
use crate::text::node::node_at;

pub(super) fn action(site: &Site<'_>) -> Option<Action> {
    let keys = site.keys()?;
    let ["conversation", "tools", _, "parameters", _, ..] = keys.as_slice() else {
        return None;
    };
    let node = match site.position.place {
        At::Header {
            segment, segments, ..
        } if segment + 1 == segments => node_at(site.document, &site.position.path)?,
        _ => site.entry()?.value(),
    };
    // On the type of a parameter, or on the parameter.
    let (parameter, kind) = match node {
        Node::Str(kind) if keys.last() == Some(&"type") => (site.parent()?, kind),
        Node::Table(parameter) => match parameter.get("type")?.value() {
            Node::Str(kind) => (parameter, kind),
            _ => return None,
        },
        _ => return None,
    };
    if kind.value() != "string" || parameter.get("enum").is_some() {
        return None;
    }
    let edit = site.edit(kind.span(), "\"path\"");
    Some(site.rewrite("Declare the parameter as a path", vec![edit]))
}
