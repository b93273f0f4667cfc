//! Config paths as values: the schema tree once more.
//!
//! ```toml
//! [[conversation.tools.change_model.access.config]]
//! path = "assistant.model"          # `*` only where a map is
//! ```

use jp_config::schema::{NodeId, Sensitivity};
use jp_tool::{ConfigPath, overlaps_sensitive};

use super::{Doc, ItemKind, Request, values::ValueSlot};

impl Request<'_> {
    pub(super) fn config_paths(&mut self, slot: &ValueSlot) {
        let typed = slot.typed.as_str();
        let parent = typed
            .rfind('.')
            .map_or("", |at| typed.get(..at).unwrap_or_default());
        let segments: Vec<&str> = parent.split('.').filter(|part| !part.is_empty()).collect();
        let Ok(lookup) = self.schema.lookup(segments.iter().copied()) else {
            return;
        };
        if self.schema.item(lookup.node).is_some() {
            return;
        }
        if let Some(map) = self.schema.map(lookup.node) {
            self.config_path(slot, &segments, "*", map.value, "any key");
            let path: Vec<String> = segments.iter().map(|part| (*part).to_owned()).collect();
            for key in self.declared_keys(&path) {
                let is_plain = !key.is_empty() && !key.contains(['.', '"', '*', '\\', '[', ']']);
                if is_plain {
                    self.config_path(slot, &segments, &key, map.get(&key), "");
                }
            }
            return;
        }
        for field in self.schema.fields(lookup.node) {
            self.config_path(slot, &segments, field.name, field.node, "");
        }
    }

    fn config_path(
        &mut self,
        slot: &ValueSlot,
        parent: &[&str],
        key: &str,
        node: NodeId,
        note: &str,
    ) {
        let mut segments = parent.to_vec();
        segments.push(key);
        let text = segments.join(".");
        let mut detail = if note.is_empty() {
            self.schema.describe(node)
        } else {
            format!("{note}: {}", self.schema.describe(node))
        };
        let is_sensitive = ConfigPath::parse(&text).is_ok_and(|path| overlaps_sensitive(&path));
        if is_sensitive {
            detail.push_str("; sensitive: writing needs `\"insecure_allow\"`");
        } else if self.node(node).sensitivity == Sensitivity::Privileged {
            detail.push_str("; decides what runs or who is asked");
        }
        let doc = Doc::Schema {
            path: segments.iter().map(|part| (*part).to_owned()).collect(),
            variant: None,
        };
        self.string(slot, &text, ItemKind::Key, Some(detail), Some(doc));
    }
}
