//! Config paths as values: the schema tree once more.
//!
//! ```toml
//! [[conversation.tools.change_model.access.config]]
//! path = "assistant.model"          # `*` only where a map is
//! ```

use jp_config::schema::{NodeId, Sensitivity, schema};
use jp_tool::{ConfigPath, overlaps_sensitive};

use super::{
    context::{Site, ValueSlot},
    documentation::Doc,
    item::{Item, ItemKind, Items},
    names::declared_keys,
};

/// Offers the paths of what lies below the typed one.
pub(super) fn offer(site: &Site<'_>, slot: &ValueSlot<'_>, items: &mut Items) {
    let typed = slot.typed.as_str();
    let parent = typed.rsplit_once('.').map_or("", |(parent, _)| parent);
    let segments: Vec<&str> = parent.split('.').filter(|part| !part.is_empty()).collect();
    let Ok(lookup) = schema().lookup(segments.iter().copied()) else {
        return;
    };
    if schema().item(lookup.node).is_some() {
        return;
    }
    let Some(map) = schema().map(lookup.node) else {
        let fields = schema().fields(lookup.node).iter();
        return items.extend(fields.map(|field| item(slot, &segments, field.name, field.node)));
    };
    let mut any = item(slot, &segments, "*", map.value);
    any.detail = any.detail.map(|detail| format!("any key: {detail}"));
    items.push(any);
    let path: Vec<String> = segments.iter().map(|part| (*part).to_owned()).collect();
    for key in declared_keys(site.view, &path) {
        if !key.contains(['.', '"', '*', '\\', '[', ']']) {
            items.push(item(slot, &segments, &key, map.get(&key)));
        }
    }
}

fn item(slot: &ValueSlot<'_>, parent: &[&str], key: &str, node: NodeId) -> Item {
    let mut segments = parent.to_vec();
    segments.push(key);
    let text = segments.join(".");
    let mut detail = schema().describe(node);
    let is_sensitive = ConfigPath::parse(&text).is_ok_and(|path| overlaps_sensitive(&path));
    if is_sensitive {
        detail.push_str("; sensitive: writing needs `\"insecure_allow\"`");
    } else if schema().node(node).sensitivity == Sensitivity::Privileged {
        detail.push_str("; decides what runs or who is asked");
    }
    let doc = Doc::Schema {
        path: segments.iter().map(|part| (*part).to_owned()).collect(),
        variant: None,
    };
    let item = slot.string(&text, ItemKind::Key).with_detail(detail);
    item.with_doc(doc)
}
