//! Every key and string of a document with its description.
//!
//! ```toml
//! [conversation.tools.a]   # `conversation`, `tools` and `a`, each with the table that it stands in
//! ```

use jp_config::{
    document::{Document, Entry, Node, Str, Table},
    schema::{NodeId, schema},
};

/// What looks at a document.
pub(crate) trait Visitor<'a> {
    /// A key of a table whose description is `parent`; `path` leads to the table.
    fn entry(&mut self, path: &[&'a str], parent: Option<NodeId>, entry: Entry<'a>);

    /// A string; `path` leads to it, with lists left out.
    fn string(&mut self, path: &[&'a str], node: Option<NodeId>, string: Str<'a>);
}

/// Shows a visitor every key and string, outer ones first.
pub(crate) fn walk<'a>(document: &'a Document, visitor: &mut dyn Visitor<'a>) {
    let mut walk = Walk {
        visitor,
        path: Vec::new(),
    };
    walk.table(Some(schema().root()), document.root());
}

struct Walk<'a, 'v> {
    visitor: &'v mut dyn Visitor<'a>,
    path: Vec<&'a str>,
}

/// The deepest path that is looked into; deeper text is no config.
const MAXIMUM_DEPTH: usize = 64;

impl<'a> Walk<'a, '_> {
    fn table(&mut self, node: Option<NodeId>, table: Table<'a>) {
        if self.path.len() >= MAXIMUM_DEPTH {
            return;
        }
        for entry in table.entries() {
            self.visitor.entry(&self.path, node, entry);
            let child = node.and_then(|node| schema().child(node, entry.key()));
            self.path.push(entry.key());
            self.value(child, entry.value(), 0);
            self.path.pop();
        }
    }

    fn value(&mut self, node: Option<NodeId>, value: Node<'a>, nesting: usize) {
        match value {
            Node::Table(table) => self.table(node, table),
            Node::Array(array) if nesting < MAXIMUM_DEPTH => {
                let item = node.and_then(|node| schema().item(node));
                for element in array.items() {
                    self.value(item, element, nesting + 1);
                }
            }
            Node::Str(string) => self.visitor.string(&self.path, node, string),
            _ => {}
        }
    }
}
