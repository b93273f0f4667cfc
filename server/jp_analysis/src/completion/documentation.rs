//! The documentation of items, found again by a stable name.
//!
//! ```json
//! { "path": ["conversation", "tools", "edit", "run"], "variant": "ask" }
//! ```

use jp_config::schema::{Node, schema};

use crate::text::{markup::MarkupKind, node::schema_node_of};

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

/// The documentation that a name stands for; nothing for a name that stands for none.
///
/// What a config says is never markup, whatever is asked for.
#[must_use]
pub fn documentation(doc: &Doc, kind: MarkupKind) -> Option<String> {
    match doc {
        Doc::Text(text) => Some(text.clone()).filter(|text| !text.is_empty()),
        Doc::Schema { path, variant } => {
            let schema = schema();
            let id = schema_node_of(path)?;
            let Some(value) = variant else {
                return Some(of_node(schema.node(id), &schema.describe(id), kind));
            };
            let variant = schema
                .variants(id)
                .into_iter()
                .find(|variant| variant.value == value)?;
            Some(written(variant.doc, kind)).filter(|doc| !doc.is_empty())
        }
    }
}

fn of_node(node: &Node, words: &str, kind: MarkupKind) -> String {
    let mut parts = Vec::new();
    if !node.doc.is_empty() {
        parts.push(written(node.doc, kind));
    }
    let mut facts = vec![format!("Type: {words}")];
    if let Some(default) = &node.default {
        facts.push(format!("Default: `{default}`"));
    }
    if let Some(since) = node.since {
        facts.push(format!("Since: {since}"));
    }
    if !node.released {
        facts.push("The released `jp` rejects this key".to_owned());
    }
    let line_break = match kind {
        MarkupKind::Markdown => "  \n",
        MarkupKind::PlainText => "\n",
    };
    parts.push(written(&facts.join(line_break), kind));
    if let Some(example) = node.examples.first() {
        parts.push(match kind {
            MarkupKind::Markdown => format!("```toml\n{example}\n```"),
            MarkupKind::PlainText => format!("    {example}"),
        });
    }
    parts.join("\n\n")
}

/// A text of ours; of its markup, plain text keeps nothing.
fn written(text: &str, kind: MarkupKind) -> String {
    match kind {
        MarkupKind::Markdown => text.to_owned(),
        MarkupKind::PlainText => text.replace('`', ""),
    }
}
