//! The files that a document names.
//!
//! ```toml
//! extends = ["personas/default.toml"]           # relative to this file
//! [[conversation.tools.a.access.fs]]
//! path = "README.md"                            # relative to the workspace
//! ```

use camino::{Utf8Path, Utf8PathBuf};
use jp_config::{
    document::{Document, Entry, Span, Str},
    paths::normalize,
    schema::{NodeId, PathKind, StringFormat, schema},
};

use crate::text::walk::{Visitor, walk};

/// A part of a document that names a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Link {
    /// The name, without quotes.
    pub span: Span,
    /// The path that it resolves to; whether something stands there is not known here.
    pub target: Utf8PathBuf,
}

/// Every file that a document names, by position; globs name none.
///
/// `file` is the document's own path, `workspace` the directory that holds `.jp`.
#[must_use]
pub fn links(document: &Document, file: &Utf8Path, workspace: &Utf8Path) -> Vec<Link> {
    let mut links = Links {
        directory: file.parent().unwrap_or(workspace),
        workspace,
        found: Vec::new(),
    };
    walk(document, &mut links);
    links.found.sort_by_key(|link| link.span);
    links.found
}

struct Links<'p> {
    directory: &'p Utf8Path,
    workspace: &'p Utf8Path,
    found: Vec<Link>,
}

impl<'a> Visitor<'a> for Links<'_> {
    fn entry(&mut self, _: &[&'a str], _: Option<NodeId>, _: Entry<'a>) {}

    fn string(&mut self, _: &[&'a str], node: Option<NodeId>, string: Str<'a>) {
        let Some(node) = node else {
            return;
        };
        let text = string.value();
        let target = schema()
            .formats(node)
            .into_iter()
            .find_map(|format| match format {
                StringFormat::Path(PathKind::Extends) => Some(self.directory.join(&*text)),
                StringFormat::Path(PathKind::Rule) => Some(self.workspace.join(&*text)),
                StringFormat::Url => {
                    let path = text.strip_prefix("file://")?;
                    Some(self.workspace.join(path))
                }
                _ => None,
            });
        let is_pattern = text.is_empty() || text.contains(['*', '?', '[', '\0']);
        if let Some(target) = target.filter(|_| !is_pattern) {
            self.found.push(Link {
                span: string.span_of(0..text.len()),
                target: normalize(&target),
            });
        }
    }
}

#[cfg(test)]
#[path = "links_tests.rs"]
mod tests;
