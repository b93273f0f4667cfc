//! The documentation of items, found again by a stable name.
//!
//! ```json
//! { "path": ["conversation", "tools", "edit", "run"], "variant": "ask" }
//! ```

use jp_config::schema::{Node, schema};

/// Names the documentation of an item; the same text for as long as the schema is the same.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Doc {
    /// A config path, or one of the strings that are legal at it.
    Schema {
        /// The keys from the root; `[]` is any element of a list.
        path: Vec<String>,
        /// The legal string.
        variant: Option<String>,
    },
    /// A text of the config itself, such as the summary of a parameter.
    Text(String),
}

/// The documentation that a name stands for, as Markdown; nothing for a name that stands for none.
#[must_use]
pub fn documentation(doc: &Doc) -> Option<String> {
    match doc {
        Doc::Text(text) => Some(text.clone()).filter(|text| !text.is_empty()),
        Doc::Schema { path, variant } => {
            let schema = schema();
            let id = path.iter().try_fold(schema.root(), |id, key| {
                if key == "[]" {
                    schema.item(id)
                } else {
                    schema.child(id, key)
                }
            })?;
            let Some(value) = variant else {
                return Some(of_node(schema.node(id), &schema.describe(id)));
            };
            let variant = schema
                .variants(id)
                .into_iter()
                .find(|variant| variant.value == value)?;
            Some(variant.doc.to_owned()).filter(|doc| !doc.is_empty())
        }
    }
}

fn of_node(node: &Node, kind: &str) -> String {
    let mut parts = Vec::new();
    if !node.doc.is_empty() {
        parts.push(node.doc.to_owned());
    }
    let mut facts = vec![format!("Type: {kind}")];
    if let Some(default) = &node.default {
        facts.push(format!("Default: `{default}`"));
    }
    if let Some(since) = node.since {
        facts.push(format!("Since: {since}"));
    }
    if !node.released {
        facts.push("The released `jp` rejects this key".to_owned());
    }
    parts.push(facts.join("  \n"));
    if let Some(example) = node.examples.first() {
        parts.push(format!("```toml\n{example}\n```"));
    }
    parts.join("\n\n")
}
